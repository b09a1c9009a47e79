"""The exceptions of the package."""

from __future__ import annotations

from typing import Optional

__all__ = ["BadInput", "Error", "Mismatch", "Rejected", "SessionFailed", "Unsatisfied"]


class Error(Exception):
    """What every failure of this package is.

    >>> issubclass(Rejected, Error) and issubclass(Mismatch, SessionFailed)
    True
    """


class Rejected(Error):
    """The proof is wrong: the verifier does not accept it."""


class Unsatisfied(Error):
    """The witness does not satisfy the statement. Nothing was sent.

    >>> error = Unsatisfied("the statement does not hold", place="majority", assertion=0)
    >>> error.place, error.assertion, error.claimed
    ('majority', 0, None)
    """

    #: The part of the statement that fails.
    place: str
    #: How many claims hold before it.
    assertion: Optional[int]
    #: The value that is claimed, if it is an output.
    claimed: Optional[str]

    def __init__(
        self,
        message: str,
        place: str = "",
        assertion: Optional[int] = None,
        claimed: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.place = place
        self.assertion = assertion
        self.claimed = claimed


class SessionFailed(Error):
    """The connection, the peer or the operating system failed. Nothing is proved, and nothing is refuted."""


class Mismatch(SessionFailed):
    """The two parties, or a proof and its verifier, have different statements or parameters."""


class BadInput(Error, ValueError):
    """The call makes no sense, or a file is not as it must be."""


# This is where people find them.
for _class in (Error, Rejected, Unsatisfied, SessionFailed, Mismatch, BadInput):
    _class.__module__ = "volery"
