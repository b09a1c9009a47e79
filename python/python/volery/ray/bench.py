"""``python -m volery.ray.bench``: what splitting a statement costs on this machine, and what it promises on many.

Two parties, each a process with a Ray of its own, prove knowledge of a message with a public SHA-256 digest in as many
shards as is said, each by a worker of one thread. For each number of shards it prints the time, the speed, the share of
the time that dealing and joining took (the start of processes apart), and the bytes. Each party's workers are pinned to
half of the cores, in turn, if there are two or more; ``--no-pin`` leaves that to the system. From these it then computes how
long 10^12 ANDs would take on 1,000 pairs of cores: a model, and no measurement.

``--kill N`` kills N workers of the prover on the way, at random times.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from typing import Any, Callable, Dict, List, Optional

import volery
from volery._report import _bytes
from volery.ray._processes import working
from volery.split import Preimage, SplitReport

#: Of a block of 64 bytes.
ANDS = 22_271
BLOCK = 64


@dataclass(frozen=True)
class Run:
    """What a run took, as the verifier saw it."""

    shards: int
    ands: int
    #: From the coordinators' agreement to the verdict.
    seconds: float
    #: The part of it in which workers' processes were started and came.
    seconds_arriving: float
    #: What splitting costs besides.
    seconds_dealing: float
    seconds_joining: float
    #: Of the slowest worker's session.
    seconds_worker: float
    #: Between the coordinators, and between all workers.
    bytes_coordinators: int
    bytes_workers: int
    lost: int
    killed: int

    @property
    def seconds_running(self) -> float:
        """Without the start of processes."""
        return max(self.seconds - self.seconds_arriving, 1e-9)

    @property
    def speed(self) -> float:
        """ANDs in a second, without the start of processes."""
        return self.ands / self.seconds_running

    @property
    def share(self) -> float:
        """The part of the time that dealing and joining took."""
        return (self.seconds_dealing + self.seconds_joining) / self.seconds_running

    @classmethod
    def of(cls, report: SplitReport, ands: int, killed: int) -> "Run":
        shards = report.shards
        return cls(
            shards=len(shards),
            ands=ands,
            seconds=report.seconds,
            seconds_arriving=report.seconds_arriving,
            seconds_dealing=max(report.seconds_dealing - report.seconds_arriving, 0.0),
            seconds_joining=report.seconds_joining,
            seconds_worker=max(shard.seconds for shard in shards),
            bytes_coordinators=report.bytes_sent + report.bytes_received,
            bytes_workers=sum(shard.bytes_sent + shard.bytes_received for shard in shards),
            lost=report.lost,
            killed=killed,
        )


@dataclass(frozen=True)
class Model:
    """How long `ands` would take on this many pairs of cores, a shard each."""

    ands: int
    pairs: int
    #: Bits in a second of the link that all pairs share.
    link: float
    seconds_dealing: float
    seconds_computing: float
    seconds_link: float
    bytes: float

    @property
    def seconds(self) -> float:
        """Dealing is before the workers' proofs. Workers compute and send at the same time."""
        return self.seconds_dealing + max(self.seconds_computing, self.seconds_link)


def _at(shards: int, runs: List[Run], figure: Callable[[Run], float]) -> float:
    """A figure for these shards: on the line through the runs with the fewest and the most, which has a part that does
    not depend on shards, such as the base OT. From one run it is in proportion."""
    least, most = min(runs, key=lambda run: run.shards), max(runs, key=lambda run: run.shards)
    if least.shards == most.shards:
        return figure(most) / most.shards * shards
    slope = max((figure(most) - figure(least)) / (most.shards - least.shards), 0.0)
    return figure(most) + slope * (shards - most.shards)


def model(runs: List[Run], ands: int, pairs: int, link: float) -> Model:
    """From the runs' times and bytes.

    Shards of this size take the time of the workers in the run with the fewest shards, in proportion; both workers of a
    pair and other workers shared this machine's cores then, and have their own there, so the time is an upper bound. So
    are the bytes between workers, of which short shards send more for each AND. Lots are dealt, and shards joined, one
    after the other.
    """
    run = min(runs, key=lambda run: run.shards)
    size = _at(pairs, runs, lambda run: run.bytes_coordinators) + run.bytes_workers / run.ands * ands
    return Model(
        ands=ands,
        pairs=pairs,
        link=link,
        seconds_dealing=_at(pairs, runs, lambda run: run.seconds_dealing + run.seconds_joining),
        seconds_computing=run.seconds_worker * run.shards * ands / run.ands / pairs,
        seconds_link=8 * size / link,
        bytes=size,
    )


def _message(length: int) -> bytes:
    """Not a secret: both processes make it."""
    return hashlib.shake_128(b"volery.ray.bench").digest(length)


def _statement(length: int, shards: int, known: bool) -> Preimage:
    statement = Preimage.of(_message(length), shards)
    return statement if known else statement.public()


def _say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def _answer(prover: "subprocess.Popen[str]") -> Dict[str, Any]:
    """What the prover's process says next. Ray writes there, too, about workers that are killed."""
    assert prover.stdout
    for line in prover.stdout:
        if line.startswith("{"):
            answer: Dict[str, Any] = json.loads(line)
            return answer
    return {"error": "it has ended"}


def _prover(workers: int) -> None:
    """The prover's process. It proves what standard input says."""
    from volery import ray

    with ray.local(workers):
        _say(ready=True)
        for line in sys.stdin:
            asked: Dict[str, Any] = json.loads(line)
            statement = _statement(asked["length"], asked["shards"], True)
            try:
                ray.prove(statement, connect=asked["address"], check=False, **asked["options"])
                _say(accepted=True)
            except volery.Error as error:
                _say(error=f"{type(error).__name__}: {error}")


class _Killer:
    """Kills workers of the prover, one after the other, each after a pause."""

    def __init__(self, parent: int, count: int, pause: float) -> None:
        self.killed: List[int] = []
        self._parent, self._count, self._pause = parent, count, pause
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while len(self.killed) < self._count:
            if self._done.wait(self._pause * (0.5 + random.random())):
                return
            alive = [pid for pid in working(self._parent, "prover") if pid not in self.killed]
            if alive:
                victim = random.choice(alive)
                os.kill(victim, signal.SIGKILL)
                self.killed.append(victim)
                print(f"killed worker {victim}", file=sys.stderr, flush=True)

    def end(self) -> int:
        self._done.set()
        self._thread.join()
        return len(self.killed)


def halves() -> Optional[List[List[int]]]:
    """Cores for the prover's and for the verifier's workers: none if there is only one, or it cannot be chosen."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    middle = len(cores) // 2
    return [cores[:middle], cores[middle : 2 * middle]] if middle else None


def measure(
    length: int,
    shards: List[int],
    kill: int = 0,
    pause: float = 5.0,
    progress: bool = False,
    cores: Optional[List[List[int]]] = None,
) -> List[Run]:
    """One run for each number of shards. ``cores`` are those of each party."""
    from volery import ray

    most, runs = max(shards), []
    command = [sys.executable, "-m", "volery.ray.bench", "--prover", str(most)]
    prover = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert prover.stdin
    options: Dict[str, Any] = dict(arrive=600, silence=120, worker_timeout=600)
    try:
        with ray.local(most):
            if "ready" not in _answer(prover):
                raise volery.SessionFailed("the prover's process did not start")
            ands = ANDS * ((length + 9 + BLOCK - 1) // BLOCK)
            for count in shards:
                statement = _statement(length, count, False)
                with volery.listen("127.0.0.1:0", timeout=600) as session:
                    p_cores, v_cores = (cores[0], cores[1]) if cores else (None, None)
                    p_options = dict(options, timeout=600, cores=p_cores)
                    asked = dict(length=length, shards=count, address=session.address, options=p_options)
                    prover.stdin.write(json.dumps(asked) + "\n")
                    prover.stdin.flush()
                    killer = _Killer(prover.pid, kill, pause)
                    try:
                        report = ray.verify(statement, session=session, progress=progress, cores=v_cores, **options)
                    finally:
                        killed = killer.end()
                    answer = _answer(prover)
                    if "accepted" not in answer:
                        raise volery.SessionFailed(f"the prover says: {answer['error']}")
                runs.append(Run.of(report, ands, killed))
    finally:
        prover.stdin.close()
        try:
            prover.wait(timeout=60)
        except subprocess.TimeoutExpired:
            prover.kill()
            prover.wait()
    return runs


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        return f"{names[0]}, {len(os.sched_getaffinity(0))} of its cores"
    except (OSError, IndexError):
        return platform.machine()


def _show(runs: List[Run], models: List[Model], cores: Optional[List[List[int]]]) -> None:
    load = os.getloadavg()[0]
    pinned = f"each party's workers pinned to cores of its own, {len(cores[0])} in all" if cores else "workers not pinned"
    print(f"{_processor()}; {pinned}; load {load:.1f} at the end")
    print("shards        ANDs    seconds    ANDs/s   dealing, joining   coordinators   workers   lost")
    for run in runs:
        print(
            f"{run.shards:6d}  {run.ands:10.3g}  {run.seconds_running:9.2f}  {run.speed:8.3g}  {100 * run.share:5.2f}% "
            f"({run.seconds_dealing:.3f} s, {run.seconds_joining:.3f} s)  {_bytes(run.bytes_coordinators):>8}"
            f"  {_bytes(run.bytes_workers):>8}  {run.lost:3d}"
        )
    for one in models:
        print(
            f"model: {one.ands:.0e} ANDs on {one.pairs:,} pairs of cores over {one.link / 1e9:g} Gbit/s:"
            f" {one.seconds:,.0f} s (dealing {one.seconds_dealing:,.1f} s, computing {one.seconds_computing:,.0f} s,"
            f" {_bytes(one.bytes)} in {one.seconds_link:,.0f} s)"
        )


def main(arguments: Optional[List[str]] = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m volery.ray.bench", description="What splitting costs, on this machine."
    )
    parser.add_argument("--bytes", type=int, default=640_000, help="the message's length (640000: 2.2e8 ANDs)")
    parser.add_argument("--shards", default="1,2,4,8", help="numbers of shards (1,2,4,8)")
    parser.add_argument("--kill", type=int, default=0, help="kill so many of the prover's workers in each run")
    parser.add_argument("--pause", type=float, default=5.0, help="about so many seconds before each kill (5)")
    parser.add_argument("--no-pin", action="store_true", help="let the system choose the cores of workers")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--prover", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.prover is not None:
        return _prover(asked.prover)
    try:
        shards = [int(count) for count in asked.shards.split(",")]
    except ValueError:
        parser.error("--shards: numbers with commas between them")
    start = time.monotonic()
    cores = None if asked.no_pin else halves()
    runs = measure(asked.bytes, shards, asked.kill, asked.pause, sys.stderr.isatty(), cores)
    models = [model(runs, 10**12, 1000, link) for link in (1e9, 1e10)]
    if asked.json:
        print(
            json.dumps(
                {
                    "processor": _processor(),
                    "pinned": cores,
                    "load": os.getloadavg()[0],
                    "seconds": time.monotonic() - start,
                    "runs": [dict(asdict(run), share=run.share, speed=run.speed) for run in runs],
                    "models": [dict(asdict(one), seconds=one.seconds) for one in models],
                }
            )
        )
    else:
        _show(runs, models, cores)
    return None


if __name__ == "__main__":
    main()
