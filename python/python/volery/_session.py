"""Sessions: two parties, one set-up, any number of proofs."""

from __future__ import annotations

import json
import logging
import time
from types import TracebackType
from typing import Any, Callable, Dict, Optional, Type, Union

from . import _volery
from ._errors import BadInput, Error
from ._progress import Bar
from ._report import Report, Stage
from ._statement import Statement

__all__ = ["Session", "connect", "listen"]

log = logging.getLogger("volery")

#: `True`, or a function that is told how many bits and elements have been committed to.
Progress = Union[bool, Callable[[int, int], None]]


class _Bar(Bar):
    """How many values have been committed to."""

    @property
    def tell(self) -> Optional[Callable[[int, int], None]]:
        """What is told how many bits have passed, and how many bits of elements. None if nobody wants to know."""
        return self.told or (self._count if self.bar is not None else None)

    def _count(self, bits: int, field_bits: int) -> None:
        self.move(bits + field_bits // 61)


class Session:
    """A session with one peer, from :func:`connect` or :func:`listen`. A context manager: it ends at the end.

    A party meets its peer when it first proves or verifies. From then on it is the party that proves, or the
    one that verifies; either may do so any number of times. After an error of a proof the session is over. A
    witness that does not satisfy its statement is found before anything is sent, and the session goes on.
    """

    def __init__(self, inner: "_volery.Session") -> None:
        self._inner = inner

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    @property
    def address(self) -> str:
        """Where it listens (with the port that the system chose), or what it connects to."""
        return self._inner.address

    @property
    def fingerprint(self) -> Optional[str]:
        """The fingerprint of the certificate that it shows, for the peer's ``tls_pin``."""
        return self._inner.fingerprint

    @property
    def peer(self) -> Optional[str]:
        """The peer's address, once it was met."""
        return self._inner.peer

    @property
    def closed(self) -> bool:
        """Whether it is over."""
        return self._inner.closed

    def close(self) -> None:
        """Ends the session, also while another thread proves or verifies in it."""
        self._inner.close()

    def prove(self, statement: Statement, witness: Any, *, progress: Progress = False) -> Report:
        """Proves a statement to the peer, and returns when the peer has accepted.

        Raises :class:`volery.Unsatisfied` if the witness does not satisfy it (nothing is sent then),
        :class:`volery.Rejected` if the peer does not accept, :class:`volery.Mismatch` if it verifies another
        statement, and :class:`volery.SessionFailed` if the session breaks.
        """
        start = time.monotonic()
        return self._run("prove", own(statement)._load(witness), progress, start)

    def verify(self, statement: Statement, *, progress: Progress = False) -> Report:
        """Verifies the peer's proof of a statement. Only a return without an exception means that it is proved.

        Raises :class:`volery.Rejected` if the proof is wrong, and else as :meth:`prove`.
        """
        start = time.monotonic()
        return self._run("verify", own(statement)._public(), progress, start)

    def _run(self, what: str, loaded: "_volery.Statement", progress: Progress, start: float) -> Report:
        text = loaded.text
        log.debug("%s: %s", what, text)
        try:
            with _Bar(progress, text) as bar:
                figures: Dict[str, Any] = getattr(self._inner, what)(loaded, bar.tell)
        except Error as error:
            log.info("%s: %s: %s", what, text, error)
            raise
        figures["stages"] = tuple(Stage(*stage) for stage in figures["stages"])
        figures["run"] = json.loads(figures["run"]) if figures["run"] else None
        report = Report(statement=text, peer=self.peer, seconds_call=time.monotonic() - start, **figures)
        log.info(
            "%s: accepted: %s, %.3f s, %d bytes sent, %d received, soundness %.0f bits",
            what,
            text,
            report.seconds,
            report.bytes_sent,
            report.bytes_received,
            report.soundness_bits,
        )
        return report

    def __repr__(self) -> str:
        return f"<Session {self.address}{', closed' if self.closed else ''}>"


def own(statement: Any) -> Statement:
    """The statement, if it is one."""
    if not isinstance(statement, Statement):
        hint = "; call the function with its public arguments" if callable(statement) else ""
        raise BadInput(f"expected a statement, not {statement!r}{hint}")
    return statement


def connect(
    address: str,
    *,
    profile: str = "lan",
    fiat_shamir: bool = False,
    threads: int = 1,
    rho: Optional[int] = None,
    timeout: float = 30,
    connect_timeout: float = 10,
    max_time: Optional[float] = None,
    max_bytes: Optional[int] = None,
    tls_ca: Optional[str] = None,
    tls_pin: Optional[str] = None,
    tls_name: Optional[str] = None,
) -> Session:
    """A session with the party that listens at ``address``: ``HOST:PORT`` or ``unix:PATH``.

    It connects when it first proves or verifies; for ``connect_timeout`` seconds the other party need not
    listen yet. ``timeout`` is the longest wait for any one message. Both parties give the same ``profile``
    (``"lan"`` takes the fewest seconds, ``"wan"`` the fewest bytes), ``fiat_shamir`` and ``rho`` (bits of
    soundness). ``tls_ca`` (a PEM file of authorities) or ``tls_pin`` (a certificate's fingerprint) demand TLS.
    """
    limits = dict(timeout=timeout, connect_timeout=connect_timeout, max_time=max_time, max_bytes=max_bytes)
    connection = dict(limits, tls_ca=tls_ca, tls_pin=tls_pin, tls_name=tls_name)
    settings = dict(profile=profile, fiat_shamir=fiat_shamir, threads=threads, rho=rho)
    return Session(_volery.connect(address, connection, settings))


def listen(
    address: str,
    *,
    profile: str = "lan",
    fiat_shamir: bool = False,
    threads: int = 1,
    rho: Optional[int] = None,
    timeout: float = 30,
    connect_timeout: float = 10,
    listen_timeout: Optional[float] = None,
    max_time: Optional[float] = None,
    max_bytes: Optional[int] = None,
    tls_cert: Optional[str] = None,
    tls_key: Optional[str] = None,
) -> Session:
    """A session with the first party that connects to ``address``.

    It listens at once (``session.address`` says where, if the port is 0) and waits for its peer when it first
    proves or verifies, for ``listen_timeout`` seconds or for ever. ``tls_cert`` and ``tls_key`` (PEM files) make
    it speak TLS. The other options are those of :func:`connect`.
    """
    limits = dict(timeout=timeout, connect_timeout=connect_timeout, max_time=max_time, max_bytes=max_bytes)
    connection = dict(limits, listen_timeout=listen_timeout, tls_cert=tls_cert, tls_key=tls_key)
    settings = dict(profile=profile, fiat_shamir=fiat_shamir, threads=threads, rho=rho)
    session = Session(_volery.listen(address, connection, settings))
    log.info("listening at %s", session.address)
    return session


def connected(listening: Optional[str], address: Optional[str], **options: Any) -> Session:
    """A session of the party that listens, or of the one that connects."""
    if (listening is None) == (address is None):
        raise BadInput("give listen or connect, an address")
    return listen(listening, **options) if listening is not None else connect(str(address), **options)
