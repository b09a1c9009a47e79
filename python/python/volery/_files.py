"""Proofs without a session: public ones, which anyone can verify, and those with stored correlations."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Optional, Tuple, Union

from . import _volery
from ._report import Rows, _bytes, _seconds, _table
from ._session import connected, own
from ._statement import Statement

__all__ = [
    "PublicReport",
    "StoredReport",
    "correlations",
    "preprocess",
    "prove_public",
    "prove_stored",
    "verify_public",
    "verify_stored",
]

_Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class PublicReport:
    """What a public proof took, and what it is worth."""

    #: The statement.
    statement: str
    #: ``"voleith"``, ``"zkbpp"`` or ``"zkboo"``.
    protocol: str
    #: The field or ring of its values.
    field: str
    #: A forger has to compute 2 to this many hashes.
    soundness_bits: int
    repetitions: int
    secrets: int
    multiplications: int
    #: The length of the proof.
    bytes: int
    seconds: float

    def _repr_html_(self) -> str:
        rows: Rows = [
            ("statement", self.statement),
            ("protocol", self.protocol),
            ("field of values", self.field),
            ("secret values", f"{self.secrets:,}"),
            ("multiplications", f"{self.multiplications:,}"),
            ("length", _bytes(self.bytes)),
            ("time", _seconds(self.seconds)),
            ("soundness", f"{self.soundness_bits} bits against each hash computation"),
        ]
        return _table("Public proof", rows)


def prove_public(
    statement: Statement,
    witness: Any,
    *,
    protocol: Optional[str] = None,
    small: bool = False,
    sigma: int = 128,
    bind: Optional[bytes] = None,
    threads: int = 1,
) -> bytes:
    """A proof that anyone can verify.

    Statements about bits are proved by QuickSilver on VOLE in the head (``protocol="voleith"``); ``small`` makes the
    proof a third shorter, at several times the work. Those over a field are proved by ZKB++ (``"zkbpp"``).
    ``bind`` is a message that the proof is about, too: that makes it a signature.

    >>> import hashlib
    >>> from volery import builtin
    >>> statement = builtin("sha256-preimage", digest=hashlib.sha256(b"abc").digest(), length=3)
    >>> proof = prove_public(statement, b"abc")
    >>> verify_public(statement, proof).soundness_bits
    128
    """
    loaded = own(statement)._load(witness)
    proof, _ = _volery.prove_public(loaded, protocol, (sigma, small, threads), bind)
    return proof


def verify_public(
    statement: Statement,
    proof: bytes,
    *,
    sigma: int = 128,
    bind: Optional[bytes] = None,
    threads: int = 1,
) -> PublicReport:
    """Verifies a proof of :func:`prove_public`, or of ``volery prove --out``.

    Only a return without an exception means that the statement is proved, with ``sigma`` bits at least.
    """
    loaded = own(statement)._public()
    return PublicReport(statement=loaded.text, **_volery.verify_public(loaded, proof, (sigma, threads), bind))


@dataclass(frozen=True)
class StoredReport:
    """What a proof with stored correlations took, and what it is worth."""

    #: The statement.
    statement: str
    secrets: int
    multiplications: int
    polynomials: int
    #: The correlations that it used: the first, and the one after the last.
    correlations: Tuple[int, int]
    #: How many are left in the file.
    correlations_left: int
    #: The length of the proof.
    bytes: int
    seconds: float
    #: One hash computation yields a forgery with a probability of 2 to the minus this.
    soundness_bits: float

    def _repr_html_(self) -> str:
        rows: Rows = [
            ("statement", self.statement),
            ("secret bits", f"{self.secrets:,}"),
            ("ANDs", f"{self.multiplications:,}"),
            ("correlations left", f"{self.correlations_left:,}"),
            ("length", _bytes(self.bytes)),
            ("time", _seconds(self.seconds)),
            ("soundness", f"{self.soundness_bits:.0f} bits against each hash computation"),
        ]
        return _table("Proof with stored correlations", rows)


def preprocess(
    role: str, count: int, out: _Path, *, listen: Optional[str] = None, connect: Optional[str] = None, **options: Any
) -> int:
    """Makes ``count`` correlations with the other party, for proofs without a connection, and keeps this party's
    side of them in the new file ``out``.

    ``role`` is ``"prover"`` or ``"verifier"``. One party gives ``listen``, the other ``connect``, an address each; the
    other options are those of :func:`volery.connect` and :func:`volery.listen`. Each correlation is used once:
    never copy such a file or restore it from a backup.
    """
    with connected(listen, connect, **options) as session:
        return session._inner.preprocess(role, count, os.fspath(out))


def prove_stored(
    statement: Statement, witness: Any, correlations: _Path, out: _Path, *, rho: Optional[int] = None, threads: int = 1
) -> StoredReport:
    """Writes a proof to the new file ``out``, with correlations of the prover's file. It is for the owner of the
    verifier's file."""
    loaded = own(statement)._load(witness)
    figures = _volery.prove_stored(loaded, os.fspath(correlations), os.fspath(out), rho, threads)
    return StoredReport(statement=loaded.text, **figures)


def verify_stored(
    statement: Statement, correlations: _Path, proof: _Path, *, rho: Optional[int] = None, threads: int = 1
) -> StoredReport:
    """Verifies the proof in a file, with correlations of the verifier's file. A rejected proof ends their use."""
    loaded = own(statement)._public()
    figures = _volery.verify_stored(loaded, os.fspath(correlations), os.fspath(proof), rho, threads)
    return StoredReport(statement=loaded.text, **figures)


def correlations(file: _Path) -> Tuple[int, int]:
    """How many correlations a file was made with, and how many are left."""
    return _volery.stored_info(os.fspath(file))
