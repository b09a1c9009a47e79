"""Statements from files, built-in ones, and some of several."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _volery
from ._arrays import encode_bits, wipe
from ._errors import BadInput
from ._statement import Statement, TracedStatement

__all__ = ["AnyOf", "NamedStatement", "any_of", "builtin", "load"]

#: A file, or its content.
Source = Union[str, "os.PathLike[str]", bytes, bytearray]

#: What Rust takes for it.
_Given = Union[str, bytearray]


def _source(value: Any, what: str) -> _Given:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytearray(value)
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    raise BadInput(f"{what}: a path, or the content as bytes, not {type(value).__name__}")


def _numbers(value: Any) -> Iterable[int]:
    """The numbers of nested sequences and arrays, in order."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from _numbers(one)
        return
    try:
        yield value.__index__()
    except AttributeError:
        raise BadInput(f"expected integers, got {type(value).__name__}") from None


def _lines(values: Mapping[str, Any], widths: Mapping[str, int], what: str) -> bytearray:
    """A file of named values: each as the text that it has there, as bytes, or as a number of known width."""
    text = bytearray()
    for name, value in values.items():
        text += name.encode() + b" = "
        if isinstance(value, str):
            text += value.encode()
        elif isinstance(value, (bytes, bytearray)):
            text += b"0x" + bytes(value).hex().encode()
        elif name not in widths:
            known = ", ".join(widths)
            raise BadInput(f"{what}: there is no `{name}`; there are: {known}")
        else:
            width = widths[name]
            packed = encode_bits(value, width, f"{what} {name}")
            text += b"0b" + format(int.from_bytes(packed, "little"), f"0{width}b").encode()
            wipe(packed)
        text += b"\n"
    return text


class NamedStatement(Statement):
    """A statement from :func:`load` or :func:`builtin`."""

    _named: "_volery.Named"
    _kept: Optional["_volery.Statement"]

    @classmethod
    def _of(cls, named: "_volery.Named") -> "NamedStatement":
        self = object.__new__(cls)
        self._named, self._kept = named, None
        # Bad files and values are found now.
        self._public()
        return self

    def _public(self) -> "_volery.Statement":
        if self._kept is None:
            self._kept = self._named.load(None)
        return self._kept

    def _widths(self) -> Dict[str, int]:
        return dict(self._public().values())

    def _witness(self, witness: Any) -> _Given:
        if isinstance(witness, Mapping):
            known = any(not isinstance(value, (str, bytes, bytearray)) for value in witness.values())
            return _lines(witness, self._widths() if known else {}, "witness")
        if self._named.is_builtin and not isinstance(witness, (str, os.PathLike)):
            if isinstance(witness, (bytes, bytearray, memoryview)):
                return bytearray(b"0x" + bytes(witness).hex().encode())
            return bytearray(" ".join(map(str, _numbers(witness))).encode())
        return _source(witness, "witness")

    def _load(self, witness: Any) -> "_volery.Statement":
        source = self._witness(witness)
        try:
            return self._named.load(source)
        finally:
            if isinstance(source, bytearray):
                wipe(source)

    def compute(self, witness: Any) -> bytes:
        """The public file that belongs to a witness: a circuit's outputs, a digest, a product.

        Give it as ``public`` to :func:`load`.
        """
        source = self._witness(witness)
        try:
            return self._named.compute(source).encode()
        finally:
            if isinstance(source, bytearray):
                wipe(source)


def _run_values(
    exit: Optional[int], trap: Optional[int], max_steps: Optional[int], secret_program: Optional[int] = None
) -> List[Tuple[str, str]]:
    """The options of a program's run, as they are named."""
    values = {"exit": exit, "max-steps": max_steps, "secret-program": secret_program}
    named = [(name, str(value)) for name, value in values.items() if value is not None]
    return named if trap is None else [*named, ("trap", f"{trap:x}")]


def load(
    circuit: Source,
    *,
    public: Union[None, Source, Mapping[str, Any], Sequence[int]] = None,
    ring: Optional[str] = None,
    exit: Optional[int] = None,
    trap: Optional[int] = None,
    max_steps: Optional[int] = None,
    secret_program: Optional[int] = None,
) -> NamedStatement:
    """The statement in a file: a circuit in Bristol Fashion, circom's ``.r1cs``, or a RISC-V program.

    ``public`` is the public file, or what is in it: of a circuit a dict such as ``{"output 0": 0x2a}``, of a
    constraint system the public values in order, of a program its public input. ``ring`` (``"z32"`` or
    ``"z64"``) is for circuits over machine words, the last four are for programs.

    The witness is the secret inputs: a witness file or its content, or a dict such as ``{"input 0": 5}``; of a
    constraint system the ``.wtns`` file; of a program its secret input.
    """
    named = _run_values(exit, trap, max_steps, secret_program)

    def make(given: Optional[_Given]) -> "_volery.Named":
        return _volery.Named.file(_source(circuit, "circuit"), given, named, ring)

    if isinstance(public, Mapping):
        bare = NamedStatement._of(make(None)) if any(not isinstance(one, str) for one in public.values()) else None
        return NamedStatement._of(make(_lines(public, bare._widths() if bare else {}, "public")))
    if public is not None and not isinstance(public, (str, os.PathLike, bytes, bytearray, memoryview)):
        numbers = list(_numbers(public))
        return NamedStatement._of(make(bytearray(json.dumps([str(number) for number in numbers]).encode())))
    return NamedStatement._of(make(None if public is None else _source(public, "public")))


def builtin(
    name: str,
    *,
    public: Union[None, Source, Sequence[Any], int] = None,
    field: Optional[str] = None,
    **values: Union[int, str, bytes],
) -> NamedStatement:
    """A built-in statement: ``sha256-preimage``, ``sha1-preimage``, ``aes128-key``, ``mul32``, ``sis``,
    ``matmul`` or ``inner-product``, with its public values.

    Byte strings may be ``bytes`` or hexadecimal. ``public`` has the numbers of a statement over a field: a file,
    or the numbers. The witness is the secret as ``bytes``, or the secret numbers.

    >>> import hashlib
    >>> statement = builtin("sha256-preimage", digest=hashlib.sha256(b"abc").digest(), length=3)
    >>> statement.check(b"abc")
    >>> statement.check(b"abd")
    Traceback (most recent call last):
        ...
    volery.Unsatisfied: the statement does not hold: digest, byte 0: claimed 0xba
    """
    texts = [
        (key.replace("_", "-"), value.hex() if isinstance(value, bytes) else str(value))
        for key, value in values.items()
    ]
    if public is not None and not isinstance(public, (str, os.PathLike, bytes, bytearray, memoryview)):
        public = " ".join(map(str, _numbers(public))).encode()
    given = None if public is None else _source(public, "public")
    return NamedStatement._of(_volery.Named.builtin(name, given, texts, field))


class AnyOf(NamedStatement):
    """Some of several circuits or constraint systems hold."""

    def _load(self, witness: Any) -> "_volery.Statement":
        branches = [(index, NamedStatement._witness(self, own)) for index, own in _picked(witness)]
        try:
            return self._named.load_branches(branches)
        finally:
            for _, source in branches:
                if isinstance(source, bytearray):
                    wipe(source)

    def compute(self, witness: Any) -> bytes:
        raise BadInput("any_of: compute the public file of the circuit that holds, by load()")


def _picked(witness: Any) -> List[Tuple[int, Any]]:
    """The branches that hold, each with its witness."""
    pairs = [witness] if isinstance(witness, tuple) else witness
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise BadInput(
            "the witness of any_of is a pair of the number of the branch that holds (from 0) and its witness, "
            "or a list of such pairs"
        )
    return pairs


class _AnyTraced(Statement):
    """Some of several functions hold."""

    _branches: Sequence[TracedStatement]
    _least: int

    @classmethod
    def _of(cls, branches: Sequence[TracedStatement], least: int) -> "_AnyTraced":
        self = object.__new__(cls)
        self._branches, self._least = branches, least
        self._public()
        return self

    def _public(self) -> "_volery.Statement":
        return _volery.any_of([branch._public() for branch in self._branches], self._least, [])

    def _load(self, witness: Any) -> "_volery.Statement":
        known = []
        for index, own in _picked(witness):
            if not isinstance(index, int) or not 0 <= index < len(self._branches):
                raise BadInput(f"branch {index} of {len(self._branches)}; they count from 0")
            known.append((index, self._branches[index]._load(own)))
        return _volery.any_of([branch._public() for branch in self._branches], self._least, known)


def any_of(
    branches: Sequence[Union[Source, Tuple[Source, Source], TracedStatement]],
    *,
    public: Optional[Source] = None,
    at_least: Optional[int] = None,
    repeat: Optional[int] = None,
    disjunction: Optional[str] = None,
) -> Statement:
    """At least one of several statements holds, and nobody learns which.

    The branches are circuit files (or constraint systems), each alone or in a pair with a public file of its own,
    or functions about bits with their public arguments. ``at_least`` says how many hold, ``repeat`` proves it
    many times. ``disjunction`` is ``"robin"`` or ``"macncheese"``; without it the faster one.

    The witness is the number of the branch that holds, from 0, with its witness: ``(2, witness)``; or a list of
    such pairs.
    """
    if any(isinstance(branch, Statement) for branch in branches):
        if not all(isinstance(branch, TracedStatement) for branch in branches):
            raise BadInput("any_of: of functions, or of circuit files; a file goes in by its path")
        if public is not None or repeat is not None or disjunction is not None:
            raise BadInput("any_of: public, repeat and disjunction are for circuit files")
        return _AnyTraced._of([one for one in branches if isinstance(one, TracedStatement)], at_least or 1)
    files: List[Tuple[_Given, Optional[_Given]]] = []
    for branch in branches:
        circuit, own = branch if isinstance(branch, tuple) else (branch, None)
        files.append((_source(circuit, "circuit"), None if own is None else _source(own, "public")))
    given = None if public is None else _source(public, "public")
    return AnyOf._of(_volery.Named.any_of(files, given, at_least, repeat, disjunction))
