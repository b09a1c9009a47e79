"""The values that a statement's function computes with."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Iterator, List, NamedTuple, NoReturn, Optional, Sequence, Tuple, Union

from . import _volery
from ._arrays import (
    Shape,
    Word,
    decode_field,
    encode_bits,
    encode_field,
    shape_of,
    size_of,
)
from ._errors import BadInput

_current: ContextVar[Optional["_volery.Tracer"]] = ContextVar("volery_tracer", default=None)


def tracer() -> "_volery.Tracer":
    """The function that is being traced."""
    found = _current.get()
    if found is None:
        raise BadInput("values of a statement exist only while its function is traced")
    return found


def _secret_branch(what: str) -> NoReturn:
    raise BadInput(
        f"{what}: the value is secret, so Python cannot look at it. `if`, `while`, `and`, `or`, `not` and "
        "`in` work on public values only; take choose(condition, x, y), and &, | and ~, instead"
    )


class _Value:
    """A value of the function that is being traced."""

    __slots__ = ("_tracer", "_number")

    # NumPy leaves operators to this class.
    __array_ufunc__ = None

    def __init__(self, owner: "_volery.Tracer", number: int) -> None:
        self._tracer = owner
        self._number = number

    @property
    def is_public(self) -> bool:
        """Whether both parties know it."""
        return self._tracer.known(self._number) is not None

    def _known(self, what: str) -> bytes:
        known = self._tracer.known(self._number)
        if known is None:
            _secret_branch(what)
        return known

    def _apply(self, op: str, *others: "_Value", numbers: Sequence[int] = ()) -> int:
        for other in others:
            if other._tracer is not self._tracer:
                raise BadInput("values of two different statements cannot be combined")
        first, second, third = (*numbers, 0, 0, 0)[:3]
        return self._tracer.apply(op, [self._number, *(other._number for other in others)], [first, second, third])

    def _select(self, places: Sequence[int]) -> int:
        """The wires at these places, by runs of equal distance."""
        runs: List[int] = []
        start = 0
        while start < len(places):
            end = start + 1
            stride = places[end] - places[start] if end < len(places) else 1
            while end < len(places) and places[end] - places[end - 1] == stride:
                end += 1
            runs.append(self._apply("pick", numbers=(places[start], end - start, stride)))
            start = end
        if len(runs) == 1:
            return runs[0]
        if not runs:
            return self._apply("pick", numbers=(0, 0, 1))
        return self._tracer.apply("join", runs, [0, 0, 0])


def constant_bits(value: Any, width: int) -> "BitsValue":
    """A public value."""
    owner = tracer()
    return BitsValue(owner, owner.constant("bits", bytes(encode_bits(value, width, "a public value")), width))


def constant_field(value: Any, shape: Shape) -> "FieldValue":
    """A public value."""
    owner = tracer()
    packed = bytes(encode_field(value, shape, "a public value"))
    return FieldValue(owner, owner.constant("F61", packed, size_of(shape)), shape)


class BitsValue(_Value):
    """Some bits, or the number that they are; least significant first.

    ``+``, ``-`` and ``*`` are modulo ``2**width``. ``<``, ``<=``, ``>`` and ``>=`` compare numbers without a
    sign; :func:`volery.compare` also those with one. Comparisons give one bit. An operand may be an integer,
    or bytes: a public value of the same width.
    """

    __slots__ = ("_equality",)

    def __init__(self, owner: "_volery.Tracer", number: int) -> None:
        super().__init__(owner, number)
        #: The two sides, if this is what `==` gave.
        self._equality: Optional[Tuple["BitsValue", "BitsValue"]] = None

    @property
    def width(self) -> int:
        """How many bits it has."""
        return self._tracer.length(self._number)

    def __len__(self) -> int:
        return self.width

    def __repr__(self) -> str:
        known = self._tracer.known(self._number)
        return f"<Bits({self.width}) {'secret' if known is None else hex(int.from_bytes(known, 'little'))}>"

    def _word(self, what: str) -> Word:
        return Word(int.from_bytes(self._known(what), "little"), self.width)

    def __int__(self) -> int:
        return int(self._word("int()"))

    def __index__(self) -> int:
        return int(self._word("an index"))

    def __bytes__(self) -> bytes:
        return bytes(self._word("bytes()"))

    def __bool__(self) -> bool:
        return bool(self._word("a condition"))

    def _operand(self, other: Any) -> "BitsValue":
        if isinstance(other, BitsValue):
            return other
        if isinstance(other, _Value):
            raise BadInput("bits and elements do not mix: to_field() and to_bits() convert")
        return constant_bits(other, self.width)

    def _binary(self, op: str, other: Any) -> "BitsValue":
        return BitsValue(self._tracer, self._apply(op, self._operand(other)))

    def __xor__(self, other: Any) -> "BitsValue":
        return self._binary("xor", other)

    def __and__(self, other: Any) -> "BitsValue":
        return self._binary("and", other)

    def __or__(self, other: Any) -> "BitsValue":
        return self._binary("or", other)

    def __add__(self, other: Any) -> "BitsValue":
        return self._binary("add", other)

    def __sub__(self, other: Any) -> "BitsValue":
        return self._binary("sub", other)

    def __mul__(self, other: Any) -> "BitsValue":
        return self._binary("mul", other)

    __rxor__, __rand__, __ror__, __radd__, __rmul__ = __xor__, __and__, __or__, __add__, __mul__

    def __rsub__(self, other: Any) -> "BitsValue":
        return self._operand(other) - self

    def __invert__(self) -> "BitsValue":
        return BitsValue(self._tracer, self._apply("not"))

    def __neg__(self) -> "BitsValue":
        return BitsValue(self._tracer, self._apply("negate"))

    def __eq__(self, other: Any) -> "BitsValue":  # type: ignore[override]
        operand = self._operand(other)
        result = BitsValue(self._tracer, self._apply("equal", operand))
        result._equality = (self, operand)
        return result

    def __ne__(self, other: Any) -> "BitsValue":  # type: ignore[override]
        return ~(self == other)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Any) -> "BitsValue":
        return self._binary("less", other)

    def __gt__(self, other: Any) -> "BitsValue":
        return self._operand(other)._binary("less", self)

    def __le__(self, other: Any) -> "BitsValue":
        return ~(self > other)

    def __ge__(self, other: Any) -> "BitsValue":
        return ~(self < other)

    def __lshift__(self, distance: int) -> "BitsValue":
        kept = max(self.width - distance, 0)
        return concat(constant_bits(0, self.width - kept), self[:kept])

    def __rshift__(self, distance: int) -> "BitsValue":
        kept = max(self.width - distance, 0)
        return concat(self[self.width - kept :], constant_bits(0, self.width - kept))

    def __getitem__(self, place: Union[int, slice]) -> "BitsValue":
        if isinstance(place, slice):
            return BitsValue(self._tracer, self._select(range(*place.indices(self.width))))
        index = place.__index__()
        if not -self.width <= index < self.width:
            raise IndexError(f"bit {index} of {self.width}")
        return BitsValue(self._tracer, self._select([index % self.width]))

    def __iter__(self) -> Iterator["BitsValue"]:
        return (self[i] for i in range(self.width))

    def all(self) -> "BitsValue":
        """One bit: whether all bits are ones."""
        return BitsValue(self._tracer, self._apply("all"))

    def any(self) -> "BitsValue":
        """One bit: whether any bit is one."""
        return BitsValue(self._tracer, self._apply("any"))

    def extend(self, width: int, signed: bool = False) -> "BitsValue":
        """The same number with more bits."""
        if width < self.width:
            raise BadInput(f"extend: {width} bits are fewer than {self.width}")
        if signed and self.width:
            sign = BitsValue(self._tracer, self._apply("pick", numbers=(self.width - 1, width - self.width, 0)))
            return concat(self, sign)
        return concat(self, constant_bits(0, width - self.width))

    def rotate_left(self, distance: int) -> "BitsValue":
        """The bits, each moved up by so many places, round the end."""
        width = self.width
        return BitsValue(self._tracer, self._select([(i - distance) % width for i in range(width)]))

    def rotate_right(self, distance: int) -> "BitsValue":
        """The bits, each moved down by so many places, round the end."""
        return self.rotate_left(-distance)

    def reverse_bytes(self) -> "BitsValue":
        """The bytes in the other order, such as to read a number whose first byte is the most significant."""
        if self.width % 8:
            raise BadInput(f"reverse_bytes: {self.width} bits are no whole bytes")
        places = [8 * byte + bit for byte in reversed(range(self.width // 8)) for bit in range(8)]
        return BitsValue(self._tracer, self._select(places))

    def wide_mul(self, other: Any) -> "BitsValue":
        """The whole product, which has the bits of both factors."""
        return self._binary("wide_mul", other)

    def to_field(self, width: Optional[int] = None, signed: bool = False) -> "FieldValue":
        """The number as an element of F61; with ``width`` each so many bits, as a vector."""
        each = self.width if width is None else width
        shape: Shape = () if width is None else (self.width // max(each, 1),)
        if not signed:
            return FieldValue(self._tracer, self._apply("elements", numbers=(each,)), shape)
        if each < 2 or self.width % each:
            raise BadInput(f"to_field: {self.width} bits are no numbers of {each} bits with a sign")
        count = self.width // each
        low = [each * i + bit for i in range(count) for bit in range(each - 1)]
        magnitude = BitsValue(self._tracer, self._select(low)).to_field(each - 1)
        sign = BitsValue(self._tracer, self._select([each * i + each - 1 for i in range(count)])).to_field(1)
        number = magnitude - sign * (1 << (each - 1))
        return FieldValue(self._tracer, number._number, shape)


class FieldValue(_Value):
    """An element of F61, or a vector or matrix of them.

    ``+``, ``-`` and ``*`` are element by element, ``@`` is the product of matrices. An operand may be an integer
    or an array: a public value. ``==`` gives 1 where two are equal, else 0.
    """

    __slots__ = ("shape",)

    def __init__(self, owner: "_volery.Tracer", number: int, shape: Shape) -> None:
        super().__init__(owner, number)
        #: As that of a NumPy array.
        self.shape = shape

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("one element has no length")
        return self.shape[0]

    @property
    def size(self) -> int:
        """How many elements it has."""
        return size_of(self.shape)

    def __repr__(self) -> str:
        return f"<Field('F61', {self.shape}) {'public' if self.is_public else 'secret'}>"

    def value(self) -> Any:
        """The public value."""
        return decode_field(self._known("value()"), self.shape)

    def __int__(self) -> int:
        known = self._known("int()")
        if self.size != 1:
            raise BadInput(f"int() is of one element, not of {self.size}")
        return int.from_bytes(known, "little")

    def __bool__(self) -> bool:
        return bool(int(self)) if self.is_public else _secret_branch("a condition")

    def _shaped(self, number: int, shape: Optional[Shape] = None) -> "FieldValue":
        return FieldValue(self._tracer, number, self.shape if shape is None else shape)

    def _to(self, shape: Shape) -> "FieldValue":
        """Repeated to a larger shape, as NumPy does."""
        if shape == self.shape:
            return self
        if self.size == 1:
            return self._shaped(self._apply("pick", numbers=(0, size_of(shape), 0)), shape)
        if len(shape) == 2 and self.shape == shape[1:]:
            return self._shaped(self._tracer.apply("join", [self._number] * shape[0], [0, 0, 0]), shape)
        raise BadInput(f"values of shapes {self.shape} and {shape} do not go together")

    def _operand(self, other: Any) -> "FieldValue":
        if isinstance(other, FieldValue):
            return other
        if isinstance(other, _Value):
            raise BadInput("bits and elements do not mix: to_field() and to_bits() convert")
        shape = getattr(other, "shape", None)
        if shape is None:
            shape, inner = (), other
            while isinstance(inner, (list, tuple)):
                shape, inner = (*shape, len(inner)), inner[0] if inner else 0
        return constant_field(other, shape_of(shape))

    def _pair(self, other: Any) -> Tuple["FieldValue", "FieldValue"]:
        operand = self._operand(other)
        if (len(operand.shape), operand.size) > (len(self.shape), self.size):
            return self._to(operand.shape), operand
        return self, operand._to(self.shape)

    def _binary(self, op: str, other: Any, *numbers: int) -> "FieldValue":
        x, y = self._pair(other)
        return x._shaped(x._apply(op, y, numbers=numbers))

    def __add__(self, other: Any) -> "FieldValue":
        return self._binary("field_add", other)

    def __sub__(self, other: Any) -> "FieldValue":
        return self._binary("field_sub", other)

    def __mul__(self, other: Any) -> "FieldValue":
        return self._binary("field_mul", other)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Any) -> "FieldValue":
        return self._operand(other) - self

    def __neg__(self) -> "FieldValue":
        return self._shaped(self._apply("field_negate"))

    def __eq__(self, other: Any) -> "FieldValue":  # type: ignore[override]
        return self._binary("field_equal", other)

    def __ne__(self, other: Any) -> "FieldValue":  # type: ignore[override]
        return 1 - (self == other)

    __hash__ = None  # type: ignore[assignment]

    def _unordered(self, other: Any) -> NoReturn:
        raise BadInput("elements of a field have no order: take compare(x, y, bits=...), which says their width")

    __lt__ = __gt__ = __le__ = __ge__ = _unordered

    def __matmul__(self, other: Any) -> "FieldValue":
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> "FieldValue":
        return matmul(self._operand(other), self)

    def __getitem__(self, key: Any) -> "FieldValue":
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) > len(self.shape):
            raise IndexError(f"{len(keys)} indices of a value of shape {self.shape}")
        places, shape = [0], []
        for size, one in zip(self.shape, (*keys, *(slice(None),) * (len(self.shape) - len(keys)))):
            if isinstance(one, slice):
                own: Sequence[int] = range(*one.indices(size))
                shape.append(len(own))
            else:
                index = one.__index__()
                if not -size <= index < size:
                    raise IndexError(f"element {index} of {size}")
                own = [index % size]
            places = [place * size + index for place in places for index in own]
        return self._shaped(self._select(places), tuple(shape))

    def __iter__(self) -> Iterator["FieldValue"]:
        return (self[i] for i in range(len(self)))

    def reshape(self, *shape: int) -> "FieldValue":
        """The same elements in another shape."""
        new = shape_of(shape)
        if size_of(new) != self.size:
            raise BadInput(f"{self.size} elements have no shape {new}")
        return self._shaped(self._number, new)

    @property
    def T(self) -> "FieldValue":
        """The transposed matrix."""
        if len(self.shape) != 2:
            return self
        rows, columns = self.shape
        places = [row * columns + column for column in range(columns) for row in range(rows)]
        return self._shaped(self._select(places), (columns, rows))

    def sum(self) -> "FieldValue":
        """The sum of all elements."""
        return self._shaped(self._apply("field_sum"), ())

    def require_range(self, bits: int, signed: bool = False) -> None:
        """Claims that each is an integer of so many bits: from 0 to ``2**bits - 1``, or with a sign from
        ``-2**(bits-1)`` to ``2**(bits-1) - 1``."""
        self._apply("field_range", numbers=(bits, int(signed)))

    def shift_right(self, distance: int, bits: int) -> "FieldValue":
        """Each divided by ``2**distance`` and rounded down; claims that each is an integer of ``bits`` bits with
        a sign."""
        return self._shaped(self._apply("field_shift", numbers=(bits, distance)))

    def to_bits(self, bits: int, signed: bool = False) -> BitsValue:
        """The bits of each, one after the other; claims that each is an integer of so many bits."""
        if signed:
            lifted = (self + (1 << (bits - 1))).to_bits(bits)
            return lifted ^ constant_bits(sum(1 << (bits * (i + 1) - 1) for i in range(self.size)), bits * self.size)
        return BitsValue(self._tracer, self._apply("bits_of", numbers=(bits,)))


class Comparison(NamedTuple):
    """What :func:`compare` gives."""

    #: Whether the first is less.
    less: Any
    #: Whether both are equal.
    equal: Any


def concat(*parts: BitsValue) -> BitsValue:
    """Bits one after the other: the first part has the least significant ones."""
    if not parts:
        raise BadInput("concat: of nothing")
    first = parts[0]
    for part in parts:
        if not isinstance(part, BitsValue) or part._tracer is not first._tracer:
            raise BadInput("concat: all parts are bits of one statement")
    return BitsValue(first._tracer, first._tracer.apply("join", [part._number for part in parts], [0, 0, 0]))


def choose(condition: BitsValue, x: Any, y: Any) -> BitsValue:
    """``x`` if the condition, one bit, holds, else ``y``."""
    if not isinstance(condition, BitsValue):
        raise BadInput("choose: the condition is one bit, such as x < y")
    if not isinstance(x, BitsValue):
        if not isinstance(y, BitsValue):
            raise BadInput("choose: one of the values must be bits, which say how many")
        x = y._operand(x)
    return BitsValue(condition._tracer, condition._apply("choose", x, x._operand(y)))


def sha256(message: BitsValue) -> BitsValue:
    """The SHA-256 digest of whole bytes."""
    return BitsValue(message._tracer, message._apply("sha256"))


def aes128(key: BitsValue, block: Any) -> BitsValue:
    """The block of 128 bits, encrypted by AES-128."""
    return BitsValue(key._tracer, key._apply("aes128", key._operand(block)))


def compare(x: Any, y: Any, *, bits: Optional[int] = None, signed: bool = False) -> Comparison:
    """Whether ``x < y``, and whether ``x == y``.

    Bits give bits. Of elements say of how many ``bits`` both are; that they are is not claimed
    (``require_range`` does), and if they are not, the result has no meaning. They give 0 or 1.
    """
    if not isinstance(x, _Value):
        if not isinstance(y, (BitsValue, FieldValue)):
            raise BadInput("compare: one of the two must be a value of the statement")
        x = y._operand(x)
    if isinstance(x, BitsValue):
        if bits is not None:
            raise BadInput("compare: bits= is for elements of a field")
        other = x._operand(y)
        return Comparison(x._binary("less_signed" if signed else "less", other), x == other)
    if not isinstance(x, FieldValue) or bits is None:
        raise BadInput("compare: of elements say of how many bits they are: bits=...")
    offset = 1 << (bits - 1) if signed else 0
    operand = x._operand(y)
    return Comparison((x + offset)._binary("field_less", operand + offset, bits), x == operand)


def matmul(x: Any, y: Any) -> FieldValue:
    """The product of matrices, or of a matrix and a vector, or the inner product of vectors."""
    if not isinstance(x, FieldValue):
        if not isinstance(y, FieldValue):
            raise BadInput("matmul: one of the factors must be a value of the statement")
        x = y._operand(x)
    y = x._operand(y)
    if not x.shape or not y.shape:
        raise BadInput("matmul: of vectors and matrices")
    rows = x.shape[0] if len(x.shape) == 2 else 1
    columns = y.shape[1] if len(y.shape) == 2 else 1
    if x.shape[-1] != y.shape[0]:
        raise BadInput(f"matmul: the shapes {x.shape} and {y.shape} do not go together")
    number = x._apply("matmul", y, numbers=(rows, x.shape[-1], columns))
    return x._shaped(number, x.shape[:-1] + y.shape[1:])


def require(condition: Union[BitsValue, FieldValue, bool]) -> None:
    """Claims that a condition holds: that all its bits, or elements, are one."""
    if isinstance(condition, BitsValue):
        if condition._equality is not None:
            # Needs no gate: the two sides are equal.
            return require_equal(*condition._equality)
        if condition.is_public:
            return _hold(bool((~condition)._word("a condition") == 0))
        (~condition)._apply("zero")
        return None
    if isinstance(condition, FieldValue):
        return require_equal(condition, constant_field(1, ())._to(condition.shape))
    return _hold(bool(condition))


def _hold(holds: bool) -> None:
    if not holds:
        raise BadInput("a claim about public values alone is false: the statement cannot hold")


def require_equal(x: Any, y: Any) -> None:
    """Claims that two values are equal. This costs nothing."""
    if not isinstance(x, _Value):
        x, y = y, x
    if isinstance(x, BitsValue):
        pair: Tuple[_Value, _Value] = (x, x._operand(y))
    elif isinstance(x, FieldValue):
        pair = x._pair(y)
    else:
        return _hold(x == y)
    x, y = pair
    if x.is_public and y.is_public:
        return _hold(x._known("") == y._known(""))
    if x.is_public:
        x, y = y, x
    if y.is_public:
        x._apply("equals", y)
    elif isinstance(x, BitsValue):
        (x ^ y)._apply("zero")
    else:
        (x - y)._apply("zero")
    return None


@contextmanager
def part(name: str) -> Iterator[None]:
    """Names a part of the statement, for the place in :class:`volery.Unsatisfied`."""
    owner = tracer()
    owner.enter(name)
    try:
        yield
    finally:
        owner.leave()
