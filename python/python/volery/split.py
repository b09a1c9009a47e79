"""Statements that are too large for one pair of machines, in shards.

Each party has a coordinator, which is :func:`prove` or :func:`verify`, and for each shard a worker, which is
:func:`worker` in a process of its own, on this machine or on another one. Something of yours starts the workers:
a function that gets each worker's *invitation*. :mod:`volery.ray` does it with Ray.

An invitation is good for one worker, which comes with it to the coordinator and gets the shard's secrets there,
over TLS. Whoever has it before the worker gets them instead: hand it to the worker alone, keep it out of command
lines and logs, and never start two workers with the same one.

The guide is ``docs/guide/scale.md``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _volery
from ._arrays import wipe
from ._errors import BadInput, Error
from ._named import Source, _run_values, _source
from ._progress import Bar
from ._report import Rows, _bytes, _seconds, _table
from ._session import Session, connect, listen

__all__ = ["Preimage", "Run", "ShardReport", "Sharded", "SplitInfo", "SplitReport", "prove", "verify", "worker"]

log = logging.getLogger("volery")

#: Starts a worker: it gets the shard's number and the invitation, and returns before the worker ends.
Launch = Callable[[int, str], Any]
#: `True`, or a function that is told how many values of how many are proved, and how many workers were lost.
Progress = Union[bool, Callable[[int, int, int], None]]


class Sharded:
    """A statement in shards: a :class:`Preimage` or a :class:`Run`."""

    _inner: "_volery.SplitStatement"

    def public(self) -> "Sharded":
        """The same statement without the secret: the verifier's."""
        raise NotImplementedError

    @property
    def shards(self) -> int:
        """How many shards there are."""
        return self._inner.shards

    @property
    def commitments(self) -> Tuple[int, ...]:
        """The secret values and multiplications of each shard, at most. Of a run only the prover knows them."""
        return tuple(self._inner.commitments())

    def check(self) -> None:
        """Raises :class:`volery.Unsatisfied` if the secret does not satisfy it. :func:`prove` does it, too."""
        self._inner.check()

    def info(
        self,
        *,
        retries: int = 8,
        cores: Optional[int] = None,
        profile: str = "lan",
        fiat_shamir: bool = False,
        threads: int = 1,
        rho: Optional[int] = None,
    ) -> "SplitInfo":
        """What a proof of it takes, and what it is worth. This takes about as long as the proof by one worker.

        ``cores`` are those of each party that its workers share: one for each shard without it. The other options
        are those of :func:`prove` and of :func:`volery.connect`. Of a run only the prover can ask.
        """
        _allowed(self, retries)
        if cores is not None and (not isinstance(cores, int) or not 1 <= cores < 1 << 32):
            raise BadInput(f"cores: a number from 1 on, not {cores!r}")
        if not isinstance(threads, int) or not 1 <= threads <= 64:
            raise BadInput(f"threads: 1 to 64, not {threads!r}")
        figures: Dict[str, Any] = self._inner.info(retries, cores, profile, fiat_shamir, threads, rho)
        return SplitInfo(statement=repr(self.public())[1:-1], shards=self.shards, **figures)


def _allowed(statement: Sharded, retries: Any) -> None:
    """Refuses a number of retries that the statement's field does not stand."""
    most = statement._inner.most_retries
    if not isinstance(retries, int) or not 0 <= retries <= most:
        raise BadInput(f"retries: 0 to {most} for this statement, not {retries!r}")


def _count(name: str, number: Any) -> None:
    if not isinstance(number, int) or not 0 <= number < 1 << 40:
        raise BadInput(f"{name}: a number from 0 on, and below 2^40, not {number!r}")


class Preimage(Sharded):
    """ "I know a message of ``length`` bytes whose SHA-256 digest is ``digest``", in shards of whole blocks.

    ``digest`` is 32 bytes, or their hexadecimal digits. The prover adds its secret, ``message``; the verifier leaves
    it out. There are no more shards than blocks of 64 bytes.

    >>> Preimage.of(b"a long message " * 20, shards=2)
    <Preimage of 300 bytes in 2 shards, with its message>
    """

    def __init__(
        self,
        digest: Union[bytes, str],
        length: int,
        shards: int,
        message: Optional[Union[bytes, bytearray, memoryview]] = None,
    ) -> None:
        try:
            raw = bytes.fromhex(digest) if isinstance(digest, str) else bytes(digest)
        except (TypeError, ValueError):
            raw = b""
        if len(raw) != 32:
            raise BadInput("digest: 32 bytes, or 64 hexadecimal digits")
        _count("length", length)
        _count("shards", shards)
        self.digest, self.length = raw, length
        secret = None if message is None else bytearray(message)
        try:
            self._inner = _volery.SplitStatement.preimage(raw, length, shards, secret)
        finally:
            if secret is not None:
                wipe(secret)
        self._has_message = message is not None

    @classmethod
    def of(cls, message: Union[bytes, bytearray, memoryview], shards: int) -> "Preimage":
        """The prover's statement about this message."""
        return cls(hashlib.sha256(message).digest(), len(message), shards, message)

    def public(self) -> "Preimage":
        """The same statement without the message: the verifier's."""
        return Preimage(self.digest, self.length, self.shards)

    def __repr__(self) -> str:
        known = ", with its message" if self._has_message else ""
        return f"<Preimage of {self.length} bytes in {self.shards} shards{known}>"


class Run(Sharded):
    """A run of a RISC-V program on a secret input, in ``shards`` groups of segments of 65,536 steps.

    ``program`` and the inputs are paths, or the content as bytes. The prover adds its secret, ``secret``, and the
    program runs twice, here; the verifier leaves it out. The run is claimed to exit with the code ``exit`` (0), or to
    trap at the address ``trap``. A short run has fewer groups. Its memory is proved by further shards, of which there
    are as many as groups at most, or 16; so the prover alone knows their number before they begin.

    Nearly all that the run had in memory is told to some of the prover's workers.
    """

    def __init__(
        self,
        program: Source,
        shards: int,
        *,
        public: Optional[Source] = None,
        secret: Optional[Source] = None,
        exit: Optional[int] = None,
        trap: Optional[int] = None,
        max_steps: Optional[int] = None,
    ) -> None:
        _count("shards", shards)
        if shards == 0:
            raise BadInput("shards: one group of segments at least")
        self._arguments: Dict[str, Any] = dict(public=public, exit=exit, trap=trap, max_steps=max_steps)
        self._program, self._groups = program, shards
        values = _run_values(exit, trap, max_steps)
        given_public = None if public is None else _source(public, "public")
        named = _volery.Named.file(_source(program, "program"), given_public, values, None)
        given = None if secret is None else _source(secret, "secret")
        try:
            self._inner = _volery.SplitStatement.run(named, shards, given)
        finally:
            if isinstance(given, bytearray):
                wipe(given)
        self._has_secret = secret is not None

    def public(self) -> "Run":
        """The same statement without the secret input: the verifier's."""
        return Run(self._program, self._groups, **self._arguments)

    def __repr__(self) -> str:
        known = ", with its secret input" if self._has_secret else ""
        return f"<{self._inner.text()}{known}>"


@dataclass(frozen=True)
class SplitInfo:
    """What a split proof will take, on machines like this one, if no worker is lost. A notebook shows it as a table."""

    #: The statement.
    statement: str
    shards: int
    #: Correlations that workers use, and those that they are dealt.
    correlations: int
    correlations_dealt: int
    #: Between the parties: of the coordinator and all workers.
    bytes_prover: int
    bytes_verifier: int
    #: Between each coordinator and its own workers: lots, and what workers bring.
    bytes_within_prover: int
    bytes_within_verifier: int
    round_trips: int
    #: Of a worker, at most, about.
    memory_worker_prover: int
    memory_worker_verifier: int
    #: Without the network.
    seconds: float
    #: From the first byte to the verdict, over a network of the profile's kind.
    seconds_on_network: float
    #: A false statement is accepted with a probability of at most 2 to the minus this.
    soundness_bits: float
    #: The same with ``fiat_shamir``, against each hash computation.
    soundness_bits_fiat_shamir: float
    #: The bits that the retries cost, used or not.
    soundness_bits_retries: float
    #: What ``soundness_bits`` is made of, with the retries in each: what goes wrong, and its bits.
    soundness_terms: List[Tuple[str, float]]

    def _repr_html_(self) -> str:
        within = f"{_bytes(self.bytes_within_prover)}, {_bytes(self.bytes_within_verifier)}"
        memory = f"{_bytes(self.memory_worker_prover)}, {_bytes(self.memory_worker_verifier)}"
        rows: Rows = [
            ("statement", self.statement),
            ("prover, verifier send", f"{_bytes(self.bytes_prover)}, {_bytes(self.bytes_verifier)}"),
            ("within each party", within),
            ("round trips", f"{self.round_trips}"),
            ("memory of a worker", memory),
            ("time", f"{_seconds(self.seconds)}, {_seconds(self.seconds_on_network)} over a network"),
            ("soundness", f"{self.soundness_bits:.0f} bits, {self.soundness_bits_retries:.1f} lost for retries"),
        ]
        return _table("Split proof", rows)


@dataclass(frozen=True)
class ShardReport:
    """What the proof of a shard took at its worker."""

    commitments: int
    seconds: float
    bytes_sent: int
    bytes_received: int


@dataclass(frozen=True)
class SplitReport:
    """What a split proof took at this party, and what its acceptance is worth. A notebook shows it as a table."""

    #: The statement.
    statement: str
    #: The other party's address.
    peer: Optional[str]
    #: By shard, what its last worker took.
    shards: Tuple[ShardReport, ...]
    #: Workers that were lost at either party, and those that this party started.
    lost: int
    started: int
    #: For the handshake and the base OT of a new session.
    seconds_setup: float
    #: For everything after that, until the verdict.
    seconds: float
    #: The part of it in which lots were dealt and workers were waited for.
    seconds_dealing: float
    #: The part of that in which this party waited for its own workers to come; 0 at the prover, who waits for the
    #: verifier's.
    seconds_arriving: float
    #: The part of it that joining the shards took.
    seconds_joining: float
    #: Those of the coordinator; workers have their own.
    bytes_sent: int
    bytes_received: int
    #: A false statement is accepted with a probability of at most 2 to the minus this.
    soundness_bits: float
    #: How a RISC-V program's run ended: `code`, `trap`, and in `journal` what it wrote, in hexadecimal.
    run: Optional[Dict[str, Any]] = None

    @property
    def commitments(self) -> int:
        """Secret values and multiplications of all shards."""
        return sum(shard.commitments for shard in self.shards)

    def _repr_html_(self) -> str:
        rows: Rows = [
            ("statement", self.statement),
            ("peer", self.peer or ""),
            ("shards", f"{len(self.shards)}, {self.lost} workers lost"),
            ("secret values and ANDs", f"{self.commitments:,}"),
            ("time", f"{_seconds(self.seconds)} after {_seconds(self.seconds_setup)} of set-up"),
            ("dealing, joining", f"{_seconds(self.seconds_dealing)}, {_seconds(self.seconds_joining)}"),
            ("coordinator sent, received", f"{_bytes(self.bytes_sent)}, {_bytes(self.bytes_received)}"),
            ("workers sent", _bytes(sum(shard.bytes_sent for shard in self.shards))),
            ("workers received", _bytes(sum(shard.bytes_received for shard in self.shards))),
            ("soundness", f"{self.soundness_bits:.0f} bits"),
        ]
        if self.run is not None:
            code, trap = self.run["code"], self.run["trap"]
            rows.append(("the program", f"exited with code {code}" if trap is None else f"trapped: {trap['cause']}"))
        return _table("Split proof", rows)


class _Bar(Bar):
    """One bar for all shards: it moves when a shard is proved."""

    def __init__(self, wanted: Progress, statement: Sharded) -> None:
        self._seen: Optional[Tuple[Sequence[int], int, Sequence[int]]] = None
        super().__init__(wanted, repr(statement)[1:-1])

    def show(self, proved: List[int], lost: int, sizes: List[int]) -> None:
        """These shards are proved. One of them may be lost later, when the other party's worker is. The verifier of
        a run hears of its shards, and of their sizes, when the session has begun."""
        if self._seen == (proved, lost, sizes) or not sizes:
            return
        self._seen = (proved, lost, sizes)
        done = sum(sizes[shard] for shard in proved)
        if self.told is not None:
            self.told(done, sum(sizes), lost)
        if self.bar is not None:
            self.bar.total = sum(sizes)
            self.bar.set_postfix_str(f"{len(proved)}/{len(sizes)} shards" + (f", {lost} lost" if lost else ""))
        self.move(done)


def _hosts(meet: Optional[Sequence[str]]) -> List[str]:
    """The hosts at which workers may be met: not one name, whose letters would be taken for hosts."""
    if isinstance(meet, str):
        raise BadInput("meet: a list of hosts, not one")
    return list(meet or [])


def _run(
    role: str,
    session: Session,
    statement: Sharded,
    settings: Dict[str, Any],
    launch: Launch,
    progress: Progress,
    look: Callable[[], List[str]] = lambda: [],
) -> SplitReport:
    """Runs a coordinator. Meanwhile `look` is called again and again, and returns the invitations with which nobody
    will come, because the worker is dead; what it raises ends the session."""
    if not isinstance(statement, Sharded):
        raise BadInput(f"expected a split statement, not {statement!r}")
    _allowed(statement, settings["retries"])
    settings["meet"] = _hosts(settings.get("meet"))
    text = repr(statement.public())[1:-1]
    log.debug("%s: %s", role, text)
    try:
        with _Bar(progress, statement) as bar:

            def tick(proved: List[int], lost: int, sizes: List[int]) -> List[str]:
                bar.show(proved, lost, sizes)
                return look()

            figures: Dict[str, Any] = _volery.run_split(session._inner, role, statement._inner, settings, launch, tick)
    except Error as error:
        log.info("%s: %s: %s", role, text, error)
        raise
    figures["run"] = json.loads(figures["run"]) if figures["run"] else None
    figures["shards"] = tuple(ShardReport(*shard) for shard in figures["shards"])
    if role == "prover":
        figures["seconds_arriving"] = 0.0
    report = SplitReport(statement=text, peer=session.peer, **figures)
    log.info(
        "%s: %s: accepted: %.3f s, %d workers lost, soundness %.0f bits",
        role,
        text,
        report.seconds,
        report.lost,
        report.soundness_bits,
    )
    return report


@contextlib.contextmanager
def _met(session: Union[Session, str], begin: Callable[..., Session], options: Dict[str, Any]) -> Iterator[Session]:
    """The session, or a new one that ends with the block."""
    if not isinstance(session, Session):
        with begin(session, **options) as new:
            yield new
    elif options:
        raise BadInput(f"{', '.join(options)}: these are for a new session")
    else:
        yield session


def prove(
    session: Union[Session, str],
    statement: Sharded,
    *,
    launch: Launch,
    retries: int = 8,
    lot_server: str = "127.0.0.1:0",
    reached_at: Optional[str] = None,
    arrive: float = 60,
    silence: float = 30,
    check: bool = True,
    meet: Optional[Sequence[str]] = None,
    progress: Progress = False,
    **options: Any,
) -> SplitReport:
    """The prover's coordinator: has workers prove all shards to the party that ``session`` is with.

    ``session`` is a session, or an address to connect to with the ``options`` of :func:`volery.connect`.
    ``launch(shard, invitation)`` starts a worker and returns. Workers come to ``lot_server``, an address of this machine,
    and are told that it is ``reached_at``. One that does not come within ``arrive`` seconds, or says nothing for
    ``silence`` seconds, is lost. A shard whose worker is lost gets another one, with another invitation; in all at
    most ``retries`` times (up to 1,024; for a run up to 8), which the other party gives, too. Each that is allowed costs soundness, used or not:
    ``log2(retries + 1)`` bits in all.

    First the whole statement is evaluated; without that (``check=False``, if the message is known to be right) a
    wrong message ends the session, and shows the verifier in which shard it was found. Of a run it is the end that is
    checked, always. A run is over the field of 2^61 - 1; with the session's ``rho`` above what the retries leave of 40
    bits, MACs are in its quadratic extension, which gives some 100.

    The other party says where its workers are. With ``meet``, a list of hosts, workers connect to them there only.

    Raises what :meth:`volery.Session.prove` raises, and what ``launch`` raises.
    """
    settings = dict(retries=retries, lot_server=lot_server, reached_at=reached_at, arrive=arrive)
    settings.update(silence=silence, check=check)
    settings["meet"] = meet
    with _met(session, connect, options) as met:
        return _run("prover", met, statement, settings, launch, progress)


def verify(
    session: Union[Session, str],
    statement: Sharded,
    *,
    launch: Launch,
    retries: int = 8,
    lot_server: str = "127.0.0.1:0",
    reached_at: Optional[str] = None,
    arrive: float = 60,
    silence: float = 30,
    progress: Progress = False,
    **options: Any,
) -> SplitReport:
    """The verifier's coordinator. ``session`` is a session, or an address to listen at; else as :func:`prove`.

    Only a return without an exception means that all shards are proved, and fit together.
    """
    settings = dict(retries=retries, lot_server=lot_server, reached_at=reached_at, arrive=arrive)
    settings.update(silence=silence, check=False)
    with _met(session, listen, options) as met:
        return _run("verifier", met, statement, settings, launch, progress)


def worker(
    invitation: str,
    role: str,
    *,
    listen: str = "127.0.0.1:0",
    reached_at: Optional[str] = None,
    timeout: float = 30,
) -> int:
    """A worker: proves or verifies one shard, and returns its number when that is done.

    ``role`` is ``"prover"`` or ``"verifier"``. The verifier's worker waits for the prover's at ``listen``, and says
    that it is reached at the host ``reached_at``. ``timeout`` is the longest wait for the other worker and for any
    one of its messages. The coordinator hears of every error, and decides what it means; here it is raised, too. A
    worker whose coordinator is gone ends within seconds.
    """
    start = time.monotonic()
    shard = _volery.split_worker(invitation, role, listen, reached_at, timeout)
    log.info("%s: shard %d: %.3f s", role, shard, time.monotonic() - start)
    return shard
