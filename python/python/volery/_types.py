"""The types of a statement's values, and which arguments are secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Union

from ._arrays import Shape, encode_bits, encode_field, shape_of, size_of
from ._errors import BadInput

if TYPE_CHECKING:
    from ._values import BitsValue, FieldValue


class Bits:
    """A number of ``width`` bits, or that many bits.

    As an annotation it says what an argument is; called in a statement it makes a public value.
    Values are integers (negative ones in two's complement), ``bytes``, or sequences of bits, least
    significant first. Bytes are taken first byte first, each least significant bit first.

    >>> Bits(32)
    Bits(32)
    """

    kind = "bits"

    def __init__(self, width: int) -> None:
        if not isinstance(width, int) or width < 0:
            raise BadInput(f"Bits: a width is a number from 0 on, not {width!r}")
        self.width = width

    @property
    def length(self) -> int:
        """How many bits it has."""
        return self.width

    def encode(self, value: Any, what: str) -> bytearray:
        """The value, packed."""
        return encode_bits(value, self.width, what)

    def __call__(self, value: Any) -> "BitsValue":
        from ._values import constant_bits

        return constant_bits(value, self.width)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bits) and other.width == self.width

    def __hash__(self) -> int:
        return hash(("Bits", self.width))

    def __repr__(self) -> str:
        return f"Bits({self.width})"


class Field:
    """An element of a prime field, or a vector or matrix of them.

    The field is F61, the integers modulo 2^61 - 1. Values are integers of either sign, nested
    sequences, or NumPy arrays of integers.

    >>> Field("F61"), Field("F61", 3), Field("F61")[2, 3]
    (Field('F61'), Field('F61', 3), Field('F61', (2, 3)))
    """

    kind = "F61"

    def __init__(self, name: str = "F61", shape: Union[int, Iterable[int]] = ()) -> None:
        if name != "F61":
            raise BadInput(f"Field: statements written in Python are over F61, not {name!r}")
        self.name = name
        self.shape: Shape = shape_of(shape)

    @property
    def length(self) -> int:
        """How many elements it has."""
        return size_of(self.shape)

    def encode(self, value: Any, what: str) -> bytearray:
        """The value, packed."""
        return encode_field(value, self.shape, what)

    def __getitem__(self, shape: Union[int, Iterable[int]]) -> "Field":
        return Field(self.name, shape)

    def __call__(self, value: Any) -> "FieldValue":
        from ._values import constant_field

        return constant_field(value, self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Field) and (other.name, other.shape) == (self.name, self.shape)

    def __hash__(self) -> int:
        return hash((self.name, self.shape))

    def __repr__(self) -> str:
        if not self.shape:
            return f"Field({self.name!r})"
        shape = self.shape[0] if len(self.shape) == 1 else self.shape
        return f"Field({self.name!r}, {shape})"


Spec = Union[Bits, Field]


class Annotation:
    """What an argument is: ``Secret[...]`` or ``Public[...]``."""

    def __init__(self, secret: bool, spec: Any) -> None:
        self.secret = secret
        self.spec = spec

    # Python 3.9 and 3.10 want annotations that can be called.
    def __call__(self) -> None:
        raise TypeError("an annotation is not a function")

    def __repr__(self) -> str:
        return f"{'Secret' if self.secret else 'Public'}[{self.spec!r}]"


class Secret:
    """``Secret[Bits(8)]``: an argument that only the prover knows.

    >>> Secret[Bits(8)]
    Secret[Bits(8)]
    """

    def __class_getitem__(cls, spec: Spec) -> Annotation:
        if not isinstance(spec, (Bits, Field)):
            raise BadInput(f"Secret[...] takes Bits(width) or Field(...), not {spec!r}")
        return Annotation(True, spec)


class Public:
    """``Public[Bits(8)]``, ``Public[int]``: an argument that both parties know.

    With ``Bits`` or ``Field`` the function gets a public value of that type. Any other type is for people and
    type checkers: the function gets what the caller gives.
    """

    def __class_getitem__(cls, spec: Any) -> Annotation:
        return Annotation(False, spec)
