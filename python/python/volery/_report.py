"""What a proof took and what it is worth; what it will take."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Dict, List, Optional, Tuple

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
    #: How a RISC-V program's run ended: `code`, `trap`, and in `journal` what it wrote, in hexadecimal.
    run: Optional[Dict[str, Any]] = None

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
        times.invert_yaxis()
        _stacked(
            sizes,
            names,
            {
                "sent": [one.bytes_sent for one in self.stages],
                "received": [one.bytes_received for one in self.stages],
            },
        )
        sizes.set(xlabel="bytes", title="bytes")
        return figure


@dataclass(frozen=True)
class Cost:
    """What one way to prove a statement will take, between two machines like this one."""

    #: ``"quicksilver"``, ``"robin"`` or ``"macncheese"``.
    protocol: str
    #: ``"lan"`` or ``"wan"``.
    profile: str
    mac_field: str
    correlations: int
    bytes_prover: int
    bytes_verifier: int
    round_trips: int
    memory_prover: int
    memory_verifier: int
    seconds_setup: float
    seconds_correlations: float
    seconds_proof: float
    #: From the first byte to the verdict, over a network of the profile's kind.
    seconds_on_network: float
    soundness_bits: float


@dataclass(frozen=True)
class PublicCost:
    """The length of one kind of public proof, and how long it takes on this machine if that was measured."""

    protocol: str
    soundness_bits: int
    repetitions: int
    bytes: int
    bytes_least: int
    bytes_most: int
    seconds_prove: Optional[float] = None
    seconds_verify: Optional[float] = None


@dataclass(frozen=True)
class Info:
    """What a statement is, and what its proofs will take. A notebook shows it as tables."""

    #: The statement.
    statement: str
    #: The field or ring of its values.
    field: str
    secrets: int
    multiplications: int
    #: More about it, by kind: its inputs, its parts, its claims.
    description: Dict[str, Any]
    #: What proofs in sessions take.
    costs: Tuple[Cost, ...]
    #: What public proofs take.
    public_costs: Tuple[PublicCost, ...]

    def _repr_html_(self) -> str:
        rows: Rows = [
            ("statement", self.statement),
            ("field", self.field),
            ("secret values", f"{self.secrets:,}"),
            ("multiplications", f"{self.multiplications:,}"),
        ]
        cells = "".join(
            f"<tr><td>{escape(one.protocol)} {escape(one.profile)}, MACs in {escape(one.mac_field)}</td>"
            f"<td>{_bytes(one.bytes_prover)}</td><td>{_bytes(one.bytes_verifier)}</td><td>{one.round_trips}</td>"
            f"<td>{_seconds(one.seconds_on_network)}</td><td>{one.soundness_bits:.0f} bits</td></tr>"
            for one in self.costs
        )
        head = "".join(
            f"<th>{name}</th>"
            for name in ("way", "prover sends", "verifier sends", "round trips", "time on such a network", "soundness")
        )
        public = "".join(
            f"<tr><td>{escape(one.protocol)}</td><td>{_bytes(one.bytes)}</td><td>{one.soundness_bits} bits</td></tr>"
            for one in self.public_costs
        )
        return (
            _table("Statement", rows)
            + (f"<table><tr>{head}</tr>{cells}</table>" if cells else "")
            + (
                f"<table><tr><th>public proof</th><th>length</th><th>soundness</th></tr>{public}</table>"
                if public
                else ""
            )
        )

    def plot(self) -> Any:
        """Time by stage and bytes by party of each way, as a matplotlib figure."""
        if not self.costs:
            raise BadInput("there are no costs of sessions to plot")
        figure, (times, sizes) = _axes(2)
        names = [f"{one.protocol} {one.profile} {one.mac_field}" for one in self.costs]
        _stacked(
            times,
            names,
            {
                "set-up": [one.seconds_setup for one in self.costs],
                "correlations": [one.seconds_correlations for one in self.costs],
                "proof": [one.seconds_proof for one in self.costs],
            },
        )
        times.set(xlabel="seconds on this machine", title="time")
        _stacked(
            sizes,
            names,
            {
                "prover": [one.bytes_prover for one in self.costs],
                "verifier": [one.bytes_verifier for one in self.costs],
            },
        )
        sizes.set(xlabel="bytes", title="bytes")
        return figure


def _stacked(axes: Any, names: List[str], series: Dict[str, List[float]]) -> None:
    """Bars of several parts each."""
    left = [0.0] * len(names)
    for label, values in series.items():
        axes.barh(names, values, left=left, label=label)
        left = [a + b for a, b in zip(left, values)]
    axes.invert_yaxis()
    axes.legend()
