"""Between Python's values and packed bytes. NumPy is used where it is there, and not needed.

Bits are packed eight to a byte, least significant first. Elements take eight bytes each, little-endian.
"""

from __future__ import annotations

from typing import Any, Iterable, List, Tuple, Union

from ._errors import BadInput

try:
    import numpy as _np
except ImportError:  # pragma: no cover - the suite has NumPy
    _np = None  # type: ignore[assignment]

#: The modulus of F61.
P = (1 << 61) - 1

Shape = Tuple[int, ...]


class Word(int):
    """The value of some bits: an integer that knows its width.

    >>> word = Word(0x6261, 16)
    >>> word == 25185, bytes(word), word.bits()[:3]
    (True, b'ab', [True, False, False])
    >>> word.signed()
    25185
    """

    width: int

    def __new__(cls, value: int, width: int) -> "Word":
        word = super().__new__(cls, value)
        word.width = width
        return word

    def __bytes__(self) -> bytes:
        return int(self).to_bytes((self.width + 7) // 8, "little")

    def bits(self) -> List[bool]:
        """The bits, least significant first."""
        return [bool(self >> i & 1) for i in range(self.width)]

    def array(self) -> Any:
        """The bits as a NumPy array of ``bool``, least significant first."""
        if _np is None:
            raise BadInput("NumPy is not installed: take bits()")
        packed = _np.frombuffer(bytes(self), dtype=_np.uint8)
        return _np.unpackbits(packed, count=self.width, bitorder="little").astype(bool)

    def signed(self) -> int:
        """The number, if the most significant bit is a sign."""
        return int(self) - (1 << self.width if self.width and self >> (self.width - 1) & 1 else 0)


def wipe(buffer: bytearray) -> None:
    """Overwrites a buffer with zeros."""
    buffer[:] = bytes(len(buffer))


def encode_bits(value: Any, width: int, what: str) -> bytearray:
    """Packs an integer, bytes, or a sequence of bits.

    >>> encode_bits(5, 3, "x"), encode_bits(b"a", 8, "x"), encode_bits([True, False, 1], 3, "x")
    (bytearray(b'\\x05'), bytearray(b'a'), bytearray(b'\\x05'))
    >>> encode_bits(8, 3, "x")
    Traceback (most recent call last):
        ...
    volery.BadInput: x: 8 does not fit into 3 bits
    """
    size = (width + 7) // 8
    if isinstance(value, (bytes, bytearray, memoryview)):
        packed = bytearray(value)
        if 8 * len(packed) != width:
            raise BadInput(f"{what}: {len(packed)} bytes for {width} bits")
        return packed
    if _np is not None and isinstance(value, _np.generic):
        value = value.item()
    if isinstance(value, (bool, int)):
        number = int(value)
        if number < 0:
            number += 1 << width
            if number < (1 << width) >> 1:
                number = -1
        if number < 0 or number >> width:
            shown = "the value" if what.startswith("secret") else repr(value)
            raise BadInput(f"{what}: {shown} does not fit into {width} bits")
        return bytearray(number.to_bytes(size, "little"))
    if _np is not None and isinstance(value, _np.ndarray):
        if value.dtype.kind not in "biu":
            raise BadInput(f"{what}: bits are an array of bool or of integers, not of {value.dtype}")
        flat = value.reshape(-1)
        if flat.size != width:
            raise BadInput(f"{what}: {flat.size} bits for {width}")
        if flat.dtype.kind != "b" and _np.any((flat != 0) & (flat != 1)):
            raise BadInput(f"{what}: a bit is 0 or 1")
        return bytearray(_np.packbits(flat.astype(bool), bitorder="little").tobytes())
    if isinstance(value, Iterable) and not isinstance(value, str):
        bits = list(value)
        if len(bits) != width:
            raise BadInput(f"{what}: {len(bits)} bits for {width}")
        packed = bytearray(size)
        for i, bit in enumerate(bits):
            if bit not in (0, 1):
                raise BadInput(f"{what}: a bit is 0 or 1")
            packed[i // 8] |= int(bit) << i % 8
        return packed
    raise BadInput(f"{what}: {width} bits are an int, bytes, or a sequence of bits, not {type(value).__name__}")


def _flat(value: Any, shape: Shape, what: str) -> List[Any]:
    """The numbers of nested sequences."""
    if not shape:
        return [value]
    try:
        items = list(value)
    except TypeError:
        raise BadInput(f"{what}: expected numbers of shape {shape}") from None
    if len(items) != shape[0]:
        raise BadInput(f"{what}: {len(items)} entries where the shape {shape} has {shape[0]}")
    return [number for item in items for number in _flat(item, shape[1:], what)]


def _no_floats(what: str) -> BadInput:
    return BadInput(
        f"{what}: elements of a field are integers: multiply floats by a power of two and round them "
        "(volery.fixed does that)"
    )


def encode_field(value: Any, shape: Shape, what: str) -> bytearray:
    """Packs integers of either sign, or an array of them.

    >>> encode_field(-1, (), "x") == (P - 1).to_bytes(8, "little")
    True
    """
    if _np is not None and isinstance(value, _np.ndarray) and value.dtype.kind != "O":
        if value.dtype.kind == "f":
            raise _no_floats(what)
        if value.dtype.kind not in "biu":
            raise BadInput(f"{what}: elements are integers, not {value.dtype}")
        if value.shape != shape:
            raise BadInput(f"{what}: an array of shape {value.shape} where {shape} is expected")
        if value.dtype.kind == "u":
            numbers = value.astype(_np.uint64)
            if _np.any(numbers >= P):
                raise BadInput(f"{what}: a number is not below 2^61 - 1")
        else:
            signed = value.astype(_np.int64)
            if _np.any(signed >= P) or _np.any(signed <= -P):
                raise BadInput(f"{what}: a number is not within 2^61 - 1 of zero")
            numbers = _np.where(signed < 0, signed + P, signed).astype(_np.uint64)
        return bytearray(numbers.astype("<u8").tobytes())
    packed = bytearray()
    for number in _flat(value, shape, what):
        if isinstance(number, float):
            raise _no_floats(what)
        try:
            number = number.__index__()
        except AttributeError:
            raise BadInput(f"{what}: an element is an integer, not {type(number).__name__}") from None
        if not -P < number < P:
            raise BadInput(f"{what}: a number is not within 2^61 - 1 of zero")
        packed += (number % P).to_bytes(8, "little")
    return packed


def _nested(flat: List[int], shape: Shape) -> Any:
    if not shape:
        return flat[0]
    step = 1
    for size in shape[1:]:
        step *= size
    return [_nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def decode_field(packed: bytes, shape: Shape) -> Any:
    """An int, or an array (without NumPy, nested lists) of integers below 2^61 - 1."""
    if _np is not None and shape:
        return _np.frombuffer(packed, dtype="<u8").reshape(shape).copy()
    return _nested([int.from_bytes(packed[i : i + 8], "little") for i in range(0, len(packed), 8)], shape)


def signed(value: Any) -> Any:
    """Elements as integers with a sign: those above half of the modulus are negative.

    >>> signed(P - 3), signed(7)
    (-3, 7)
    """
    if _np is not None and isinstance(value, _np.ndarray):
        numbers = value.astype(_np.int64)
        return _np.where(numbers > P // 2, numbers - P, numbers)
    if isinstance(value, list):
        return [signed(one) for one in value]
    return value - P if value > P // 2 else value


def fixed(value: Any, fraction: int) -> Any:
    """Numbers as integers with ``fraction`` bits after the point, rounded to the nearest.

    >>> fixed(0.75, 8), fixed([1, -0.5], 2)
    (192, [4, -2])
    """
    if _np is not None and isinstance(value, (_np.ndarray, _np.generic)):
        return _np.rint(_np.asarray(value, dtype=_np.float64) * (1 << fraction)).astype(_np.int64)
    if isinstance(value, (list, tuple)):
        return [fixed(one, fraction) for one in value]
    return round(value * (1 << fraction))


def shape_of(shape: Union[int, Iterable[int]]) -> Shape:
    """A shape from a number or numbers."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if not all(isinstance(size, int) and size >= 0 for size in sizes) or len(sizes) > 2:
        raise BadInput(f"a shape has at most two sizes, not {shape!r}")
    return sizes


def size_of(shape: Shape) -> int:
    """How many elements it has."""
    size = 1
    for one in shape:
        size *= one
    return size
