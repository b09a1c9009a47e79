#!/usr/bin/env python3
"""What a call from Python takes besides the program's own time.

The same statement is proved to the same verifier, the program, in turns: by the program and by Python. Of the program the
time from its start to its end counts, of Python the time from the call to its return, set-up included.

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


def verifier(program, arguments):
    """The program, and where it listens."""
    process = subprocess.Popen(
        [program, "verify", *arguments, "--listen", "127.0.0.1:0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
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
    with tempfile.TemporaryDirectory() as folder:
        witness = Path(folder) / "witness"
        witness.write_text(f"0x{message.hex()}\n")
        for _ in range(options.repetitions):
            process, address = verifier(program, arguments)
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

            process, address = verifier(program, arguments)
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
    overhead = statistics.median(times["python"]) / statistics.median(times["program"]) - 1
    print(f"Python takes {100 * overhead:+.1f}% ({report.multiplications:,} ANDs)")


if __name__ == "__main__":
    main()
