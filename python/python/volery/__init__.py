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

from ._arrays import Word, fixed, signed
from ._errors import BadInput, Error, Mismatch, Rejected, SessionFailed, Unsatisfied
from ._report import Report, Stage
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
    "Error",
    "Field",
    "FieldValue",
    "Mismatch",
    "Public",
    "Rejected",
    "Report",
    "Secret",
    "Session",
    "SessionFailed",
    "Stage",
    "Statement",
    "TracedFunction",
    "Unsatisfied",
    "Word",
    "__version__",
    "aes128",
    "choose",
    "compare",
    "concat",
    "connect",
    "fixed",
    "listen",
    "matmul",
    "part",
    "require",
    "require_equal",
    "sha256",
    "signed",
    "statement",
]
