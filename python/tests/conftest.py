"""What the tests share: the program at the other end, parties in threads, files of statements."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional

import pytest

import volery

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "crates" / "circuit" / "testdata"
#: For any one wait of a test. A party that is stuck fails its test and not the whole run.
PATIENCE = 120

# What a shell starts in the background ignores Ctrl-C, and so do the processes of its processes.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def program() -> str:
    """The program `volery`: that of the variable VOLERY, or the one on the path."""
    found = os.environ.get("VOLERY") or shutil.which("volery")
    assert found, "set VOLERY to the program: cargo build -p volery-cli"
    return str(Path(found).resolve())


class Ended:
    """How a run of the program ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


class Running:
    """The program while it runs."""

    def __init__(self, command: List[str], folder: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True
        )
        self.lines: List[str] = []

    def address(self) -> str:
        """Where it listens: it says so."""
        assert self.process.stderr
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r"listening at (\S+)|https://(\S+:\d+)", line)
            if found:
                return found[1] or found[2]
        raise AssertionError(f"it does not listen: {''.join(self.lines)}")

    def ended(self) -> Ended:
        out, err = self.process.communicate(timeout=PATIENCE)
        return Ended(self.process.returncode, out, "".join(self.lines) + err)


@pytest.fixture
def run(program: str, tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Starts the program in the test's folder, and ends it with the test."""
    started: List[Running] = []

    def start(*arguments: Any) -> Running:
        running = Running([program, *map(str, arguments)], tmp_path)
        started.append(running)
        return running

    yield start
    for running in started:
        running.process.kill()
        with contextlib.suppress(ValueError, subprocess.TimeoutExpired):
            running.process.communicate(timeout=10)


class Party(threading.Thread):
    """A party that runs beside the test, with its result or its exception."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.work, self.result, self.error = work, None, None
        self.start()

    def run(self) -> None:
        try:
            self.result = self.work()
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
            self.error = error

    def ended(self) -> Any:
        self.join(PATIENCE)
        assert not self.is_alive(), "a party does not end"
        if self.error is not None:
            raise self.error
        return self.result


def prove_and_verify(
    proved: volery.Statement,
    witness: Any,
    verified: Optional[volery.Statement] = None,
    **options: Any,
) -> "tuple[Party, Party]":
    """A session of two parties in this process, both of which have ended."""
    verifier = volery.listen("127.0.0.1:0", **options)
    prover = volery.connect(verifier.address, **options)
    parties = Party(lambda: prover.prove(proved, witness)), Party(lambda: verifier.verify(verified or proved))
    for party in parties:
        party.join(PATIENCE)
    prover.close()
    verifier.close()
    return parties


def accepted(statement: volery.Statement, witness: Any, **options: Any) -> volery.Report:
    """The verifier's report of an honest proof."""
    prover, verifier = prove_and_verify(statement, witness, **options)
    prover.ended()
    return verifier.ended()
