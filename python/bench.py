#!/usr/bin/env python3
"""What a call from Python takes besides the program's own time.

The same statement is proved to the same verifier, the program, in turns: by the program and by Python. Of the program the
time from its start to its end counts, of Python the time from the call to its return, set-up included. Where the system can,
the prover is on one core and the verifier on another: left alone, they share one for half of the time.

    python/bench.py [--length BYTES] [--repetitions N]

VOLERY is the program. Both should be built for speed: `cargo build --release -p volery-cli`, `pip install ./python`.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import volery


def cores():
    """Two cores of this process, for the prover and the verifier; none if it has fewer, or the system has no such call."""
    mine = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return mine[:2] if len(mine) > 1 else None


def verifier(program, arguments, core):
    """The program, and where it listens."""
    process = subprocess.Popen(
        [program, "verify", *arguments, "--listen", "127.0.0.1:0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=None if core is None else lambda: os.sched_setaffinity(0, {core}),
    )
    for line in process.stderr:
        found = re.match(r"listening at (.*)", line)
        if found:
            return process, found[1]
    raise SystemExit("the verifier does not listen")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--length", type=int, default=200_000, help="bytes of the message whose digest is public (default 200000)"
    )
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    program = os.environ.get("VOLERY") or shutil.which("volery")
    if not program:
        sys.exit("set VOLERY to the program")
    message = os.urandom(options.length)
    digest = hashlib.sha256(message).hexdigest()
    arguments = ["sha256-preimage", "--digest", digest, "--length", str(options.length)]
    claim = volery.builtin("sha256-preimage", digest=digest, length=options.length)
    times = {"program": [], "python": []}
    own = {"program": [], "python": []}
    between = []
    pinned = cores()
    core = pinned and pinned[1]
    if pinned:
        os.sched_setaffinity(0, {pinned[0]})
    print(f"prover on core {pinned[0]}, verifier on core {core}" if pinned else "no process is pinned to a core")
    with tempfile.TemporaryDirectory() as folder:
        witness = Path(folder) / "witness"
        witness.write_text(f"0x{message.hex()}\n")
        for _ in range(options.repetitions):
            process, address = verifier(program, arguments, core)
            start = time.perf_counter()
            done = subprocess.run(
                [program, "prove", *arguments, "--witness", witness, "--connect", address, "--json"],
                check=True,
                capture_output=True,
                text=True,
            )
            times["program"].append(time.perf_counter() - start)
            figures = json.loads(done.stdout)
            own["program"].append(figures["seconds"] + figures["seconds_setup"])
            process.communicate()

            process, address = verifier(program, arguments, core)
            with volery.connect(address) as session:
                start = time.perf_counter()
                report = session.prove(claim, message)
                times["python"].append(time.perf_counter() - start)
            own["python"].append(report.seconds + report.seconds_setup)
            between.append(report.seconds_call - report.seconds - report.seconds_setup - report.seconds_check)
            process.communicate()
    for name in times:
        print(
            f"{name:8} {min(times[name]):.3f} to {max(times[name]):.3f} s, median {statistics.median(times[name]):.3f} s; "
            f"set-up and proof alone {statistics.median(own[name]):.3f} s"
        )
    print(f"of a call {1000 * statistics.median(between):.1f} ms are neither set-up nor check nor proof")
    least, median = (100 * (of(times["python"]) / of(times["program"]) - 1) for of in (min, statistics.median))
    print(f"Python takes {least:+.1f}% by the least times, {median:+.1f}% by the medians ({report.multiplications:,} ANDs)")


if __name__ == "__main__":
    main()
