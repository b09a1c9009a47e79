"""Prove statements about secret data, without showing the data.

A *prover* convinces a *verifier* that it knows a secret with some property. The verifier learns that the
statement is true, and nothing else about the secret.

>>> import threading, volery
>>> from volery import Bits, Public, Secret
>>> @volery.statement
... def adult(born: Secret[Bits(16)], year: Public[int]):
...     "I am 18 this year, or older."
...     volery.require(born <= year - 18)
>>> claim = adult(2026)
>>> with volery.listen("127.0.0.1:0") as verifier, volery.connect(verifier.address) as prover:
...     proving = threading.Thread(target=prover.prove, args=(claim, {"born": 1990}))
...     proving.start()
...     report = verifier.verify(claim)
...     proving.join()
>>> report.soundness_bits > 100
True

The guide is ``docs/guide/python.md``.
"""

from __future__ import annotations

from . import attestation, split, web
from ._arrays import Word, fixed, signed
from ._errors import BadInput, Error, Mismatch, Rejected, SessionFailed, Unsatisfied
from ._files import (
    PublicReport,
    StoredReport,
    correlations,
    preprocess,
    prove_public,
    prove_stored,
    verify_public,
    verify_stored,
)
from ._named import NamedStatement, any_of, builtin, load
from ._report import Cost, Info, PublicCost, Report, Stage
from ._session import Session, connect, listen
from ._statement import Statement, TracedFunction, statement
from ._types import Bits, Field, Public, Secret
from ._values import (
    BitsValue,
    Comparison,
    FieldValue,
    aes128,
    choose,
    compare,
    concat,
    matmul,
    part,
    require,
    require_equal,
    sha256,
)
from ._volery import __version__

__all__ = [
    "BadInput",
    "Bits",
    "BitsValue",
    "Comparison",
    "Cost",
    "Error",
    "Field",
    "FieldValue",
    "Info",
    "Mismatch",
    "NamedStatement",
    "Public",
    "PublicCost",
    "PublicReport",
    "Rejected",
    "Report",
    "Secret",
    "Session",
    "SessionFailed",
    "Stage",
    "Statement",
    "StoredReport",
    "TracedFunction",
    "Unsatisfied",
    "Word",
    "__version__",
    "aes128",
    "attestation",
    "any_of",
    "builtin",
    "choose",
    "compare",
    "concat",
    "connect",
    "correlations",
    "fixed",
    "listen",
    "load",
    "matmul",
    "part",
    "preprocess",
    "prove_public",
    "prove_stored",
    "require",
    "require_equal",
    "sha256",
    "signed",
    "split",
    "statement",
    "verify_public",
    "verify_stored",
    "web",
]
