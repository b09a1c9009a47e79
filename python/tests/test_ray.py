"""Split statements on Ray: two parties in two processes, each with its own Ray.

Part of the long suite: ``python/run --long``. ``VOLERY_RAY_RUNS`` is how often workers are killed at random (100).
"""

import hashlib
import json
import os
import queue
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import ROOT

import volery
from volery.ray._processes import runs, working

pytest.importorskip("ray")
pytestmark = pytest.mark.long

RUNS = int(os.environ.get("VOLERY_RAY_RUNS", "100"))
#: For one answer of a party. Starting Ray and its workers is slow.
PATIENCE = 300
MESSAGE = bytes(range(256)) * 20
#: Of all runs with workers that are killed at random: how many there were, and how many of their workers were killed,
#: and missed by a coordinator.
COUNTED = {"runs": 0, "killed": 0, "missed": 0}


class OnRay:
    """A party in a process of its own."""

    def __init__(self, role):
        self.role = role
        command = [sys.executable, str(Path(__file__).with_name("party_on_ray.py")), role, "4"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.said = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.said.put(json.loads(line))
        self.said.put({"error": "ended"})

    def ask(self, claimed, known=False, **what):
        """Says what to prove or to verify: that the message has the digest of `claimed`."""
        asked = {"digest": hashlib.sha256(claimed).hexdigest(), "length": len(claimed), "shards": 3, **what}
        if known and "message" not in asked:
            asked["message"] = claimed.hex()
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()

    def answer(self):
        return self.said.get(timeout=PATIENCE)

    def workers(self):
        """The processes that run this party's tasks now."""
        return working(self.process.pid, self.role)

    def end(self):
        self.process.stdin.close()
        try:
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                # It waits for a party that a failed test has not started.
                self.process.send_signal(signal.SIGINT)
                self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def parties():
    both = OnRay("prover"), OnRay("verifier")
    try:
        for party in both:
            assert party.answer() == {"ready": True}
        yield both
    finally:
        for party in both:
            party.end()


def meet(parties, message=MESSAGE, claimed=None, shards=3, **options):
    """Begins a proof with both parties."""
    prover, verifier = parties
    claimed = message if claimed is None else claimed
    verifier.ask(claimed, shards=shards, options=options.get("v", {}))
    address = verifier.answer()["address"]
    prover.ask(claimed, known=True, message=message.hex(), shards=shards, address=address, options=options.get("p", {}))


def test_a_message_is_proved_on_two_rays(parties):
    meet(parties)
    for party in parties:
        answer = party.answer()
        assert answer.get("accepted"), answer
        assert answer["lost"] == 0 and answer["started"] == 3 and answer["soundness"] > 100


def test_another_message_is_not_accepted(parties):
    other = bytes(len(MESSAGE))
    meet(parties, other, claimed=MESSAGE, p={"check": False})
    answers = [party.answer() for party in parties]
    assert all("accepted" not in answer and "error" in answer for answer in answers), answers
    # And with the check nobody is met: the verifier waits in vain.
    prover, _ = parties
    prover.ask(MESSAGE, message=other.hex(), address="127.0.0.1:9")
    assert prover.answer()["error"] == "Unsatisfied"


def test_parties_with_other_statements_do_not_go_on(parties):
    prover, verifier = parties
    verifier.ask(MESSAGE, shards=2)
    address = verifier.answer()["address"]
    prover.ask(MESSAGE, known=True, shards=3, address=address)
    assert [party.answer().get("error") for party in parties] == ["Mismatch", "Mismatch"]


def killing(party, when, count):
    """Kills workers of a party, each at a random time after the start."""
    killed, dice = [], random.Random(when)
    done = threading.Event()

    def work():
        for _ in range(count):
            pause = dice.choice([0.0, 0.05, 0.2, 0.5, 1.0]) * dice.random()
            while not done.is_set():
                alive = [pid for pid in party.workers() if pid not in killed]
                if alive:
                    break
                time.sleep(0.005)
            if done.wait(pause):
                return
            alive = [pid for pid in party.workers() if pid not in killed]
            if alive:
                victim = dice.choice(alive)
                try:
                    os.kill(victim, signal.SIGKILL)
                    killed.append(victim)
                except ProcessLookupError:
                    pass

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return killed, done, thread


@pytest.mark.parametrize("number", range(RUNS))
def test_workers_that_are_killed_change_no_verdict(parties, number):
    dice = random.Random(number)
    victim = parties[number % 2]
    # Every fourth run is of a message that has another digest.
    is_honest = number % 4 != 3
    # A worker of the verifier does not wait that long for one that was killed before they met.
    options = {"retries": 8, "silence": 60, "worker_timeout": 2 * PATIENCE}
    message = MESSAGE if is_honest else bytes(len(MESSAGE))
    killed, done, thread = killing(victim, number, dice.choice([1, 1, 2, 3]))
    meet(parties, message, claimed=MESSAGE, p={**options, "check": False}, v=options)
    answers = [party.answer() for party in parties]
    done.set()
    thread.join(PATIENCE)
    accepted = [bool(answer.get("accepted")) for answer in answers]
    assert accepted == [is_honest] * 2, (killed, answers)
    if is_honest:
        # A worker that is killed after it has brought its result is missed by nobody.
        assert answers[0]["lost"] == answers[1]["lost"] <= len(killed)
        COUNTED["missed"] += answers[0]["lost"]
    COUNTED["runs"] += 1
    COUNTED["killed"] += len(killed)


def test_workers_were_killed_and_missed():
    # Those of statements that do not hold are not counted, and some are killed when they have brought their results.
    assert COUNTED["killed"] >= COUNTED["runs"] / 2, COUNTED
    assert COUNTED["missed"] >= COUNTED["runs"] / 4, COUNTED
    print(COUNTED)


def test_more_losses_than_are_allowed_are_refused(parties):
    options = {"retries": 0}
    prover, _ = parties
    killed, done, thread = killing(prover, 1, 1)
    # Large enough that the worker is killed at work.
    meet(parties, bytes(300_000), p=options, v=options)
    answers = [party.answer() for party in parties]
    done.set()
    thread.join(PATIENCE)
    assert killed and [answer.get("error") for answer in answers] == ["SessionFailed"] * 2, answers


def test_the_loss_of_a_coordinator_is_a_clear_error_and_its_tasks_end(parties):
    prover, verifier = parties
    lost = OnRay("prover")
    assert lost.answer() == {"ready": True}
    message = bytes(400_000)
    verifier.ask(message)
    lost.ask(message, known=True, address=verifier.answer()["address"], options={"check": False})
    deadline = time.monotonic() + PATIENCE
    while len(lost.workers()) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    orphans = lost.workers()
    assert len(orphans) == 3
    lost.process.kill()
    lost.process.wait()
    answer = verifier.answer()
    assert answer["error"] == "SessionFailed" and answer["message"]

    deadline = time.monotonic() + PATIENCE
    while any(runs(pid, "prover") for pid in orphans) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(runs(pid, "prover") for pid in orphans)
    while verifier.workers() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not verifier.workers()
    # The verifier goes on with others.
    meet(parties)
    assert all(party.answer().get("accepted") for party in parties)


def test_a_task_that_cannot_run_is_a_clear_error():
    script = """
import sys, volery, volery.ray
statement = volery.split.Preimage.of(bytes(100), shards=1)
with volery.listen("127.0.0.1:0") as verifier, volery.connect(verifier.address) as prover:
    import threading
    threading.Thread(target=lambda: volery.split.verify(verifier, statement.public(), launch=lambda *_: None), daemon=True).start()
    try:
        volery.ray.prove(statement, session=prover, task_options={"runtime_env": {"conda": "no-such-environment"}}, arrive=40)
    except volery.SessionFailed as error:
        print(error)
        sys.exit(7)
"""
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE)
    assert process.returncode == 7, process.stderr
    assert process.stdout.strip()


def test_the_page_runs(tmp_path):
    page = (ROOT / "docs" / "guide" / "scale.md").read_text()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
    running = []
    for name in ("verifier.py", "prover.py"):
        block = re.search(rf"<!-- file: {name} -->\n```python\n(.*?)```\n", page, re.DOTALL)[1]
        (tmp_path / name).write_text(block.replace("7003", port))
        running.append(subprocess.Popen([sys.executable, name], cwd=tmp_path, stdout=subprocess.PIPE, text=True))
    assert [party.communicate(timeout=PATIENCE)[0] for party in running] == [
        "3 shards are proved, 0 workers lost\n",
        "True\n",
    ]


def test_calls_that_make_no_sense_are_refused():
    import volery.ray

    statement = volery.split.Preimage.of(MESSAGE, 2)
    for call, message in [
        (lambda: volery.ray.prove(5, connect="127.0.0.1:9"), "expected a split statement"),
        (lambda: volery.ray.prove(statement), "give listen or connect"),
        (lambda: volery.ray.prove(statement, connect="127.0.0.1:9", num_cpus=-1), "num_cpus"),
        (lambda: volery.ray.verify(statement, session=volery.listen("127.0.0.1:0"), listen="127.0.0.1:0"), "already"),
    ]:
        with pytest.raises(volery.BadInput, match=message):
            call()
