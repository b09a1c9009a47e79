"""What a proof took and what it is worth; what it will take."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, List, Optional, Tuple

from ._errors import BadInput

Rows = List[Tuple[str, str]]


@dataclass(frozen=True)
class Stage:
    """A part of a session."""

    name: str
    seconds: float
    bytes_sent: int
    bytes_received: int


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.4g} GB"


def _seconds(time: float) -> str:
    return f"{time * 1000:.3g} ms" if time < 1 else f"{time:.3g} s"


def _table(title: str, rows: Rows) -> str:
    cells = "".join(f"<tr><th style='text-align:left'>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in rows)
    return f"<table><caption>{escape(title)}</caption>{cells}</table>"


def _axes(count: int) -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise BadInput("matplotlib is not installed: pip install 'volery[plot]'") from None
    return pyplot.subplots(1, count, figsize=(5 * count, 3), layout="constrained")


@dataclass(frozen=True)
class Report:
    """What a proof took at this party, and what its acceptance is worth.

    A notebook shows it as a table. :meth:`plot` shows time and bytes by stage.
    """

    #: The statement.
    statement: str
    #: The other party's address.
    peer: Optional[str]
    #: The fields of values and of MACs.
    field: str
    mac_field: str
    #: Secret values, multiplications and claims about polynomials.
    secrets: int
    multiplications: int
    polynomials: int
    #: One for each secret and each multiplication, and what masks the checks.
    correlations: int
    #: For the handshake and the base OT of a new session.
    seconds_setup: float
    #: For the evaluation of the statement before the proof; at the prover.
    seconds_check: float
    #: For everything after that.
    seconds: float
    #: From the call to its return, the wait for the peer included.
    seconds_call: float
    bytes_sent: int
    bytes_received: int
    #: How often this party waited for the other one after it had sent something.
    round_trips: int
    #: A false statement is accepted with a probability of at most 2 to the minus this.
    soundness_bits: float
    #: Time and bytes by stage.
    stages: Tuple[Stage, ...]

    def _rows(self) -> Rows:
        return [
            ("statement", self.statement),
            ("peer", self.peer or ""),
            ("field of values, of MACs", f"{self.field}, {self.mac_field}"),
            ("secret values", f"{self.secrets:,}"),
            ("multiplications", f"{self.multiplications:,}"),
            ("claims about polynomials", f"{self.polynomials:,}"),
            ("time", f"{_seconds(self.seconds)} after {_seconds(self.seconds_setup)} of set-up"),
            ("sent, received", f"{_bytes(self.bytes_sent)}, {_bytes(self.bytes_received)}"),
            ("round trips", str(self.round_trips)),
            ("soundness", f"{self.soundness_bits:.0f} bits"),
        ]

    def _repr_html_(self) -> str:
        stages = "".join(
            f"<tr><td>{escape(one.name)}</td><td>{_seconds(one.seconds)}</td>"
            f"<td>{_bytes(one.bytes_sent)}</td><td>{_bytes(one.bytes_received)}</td></tr>"
            for one in self.stages
        )
        head = "<tr><th>stage</th><th>time</th><th>sent</th><th>received</th></tr>"
        return _table("Proof", self._rows()) + f"<table>{head}{stages}</table>"

    def plot(self) -> Any:
        """Time by stage and bytes by stage, as a matplotlib figure."""
        figure, (times, sizes) = _axes(2)
        names = [one.name for one in self.stages]
        times.barh(names, [one.seconds for one in self.stages])
        times.set(xlabel="seconds", title="time")
        sizes.barh(names, [one.bytes_sent for one in self.stages], label="sent")
        received = [one.bytes_received for one in self.stages]
        sizes.barh(names, received, left=[one.bytes_sent for one in self.stages], label="received")
        sizes.set(xlabel="bytes", title="bytes")
        sizes.legend()
        for axes in (times, sizes):
            axes.invert_yaxis()
        return figure
