"""Split statements: coordinators, with workers in threads and in processes."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import PATIENCE, ROOT, Party, Running

import volery
from volery import split

MESSAGE = bytes(range(256)) * 2


def statement(message=MESSAGE, shards=3):
    return split.Preimage.of(message, shards)


class Threads:
    """Starts workers as threads, and keeps what became of them."""

    def __init__(self, role, before=lambda shard, invitation: True):
        self.role, self.before, self.workers, self.invitations = role, before, [], []

    def __call__(self, shard, invitation):
        self.invitations.append(invitation)
        if self.before(shard, invitation):
            self.workers.append(Party(lambda: split.worker(invitation, self.role, timeout=20)))


def run(proved, verified, p=None, v=None, p_options={}, v_options={}, **options):
    verifier = volery.listen("127.0.0.1:0")
    prover = volery.connect(verifier.address)
    p, v = p or Threads("prover"), v or Threads("verifier")
    parties = (
        Party(lambda: split.prove(prover, proved, launch=p, **{**options, **p_options})),
        Party(lambda: split.verify(verifier, verified, launch=v, **{**options, **v_options})),
    )
    for party in parties:
        party.join(PATIENCE)
    prover.close()
    verifier.close()
    return parties


def test_what_a_proof_takes_is_said_before():
    info = statement().public().info()
    prover, verifier = run(statement(), statement().public())
    report = prover.ended()
    verifier.ended()
    assert info.shards == 3 and info.soundness_bits == report.soundness_bits
    workers = sum(shard.bytes_sent for shard in report.shards)
    # The report is without the coordinators' set-up.
    assert workers + report.bytes_sent < info.bytes_prover < workers + report.bytes_sent + 20_000
    none = statement().info(retries=0, cores=1, profile="wan")
    assert abs(none.soundness_bits - info.soundness_bits - info.soundness_bits_retries) < 1
    assert "memory of a worker" in info._repr_html_()
    for wrong in ({"retries": -1}, {"retries": 1025}, {"cores": 0}, {"threads": 0}, {"profile": "moon"}):
        with pytest.raises(volery.BadInput):
            statement().info(**wrong)


def test_a_message_is_proved_in_shards():
    told = []
    prover, verifier = run(statement(), statement().public(), v_options={"progress": lambda *now: told.append(now)})
    for report in (prover.ended(), verifier.ended()):
        assert len(report.shards) == 3 and report.lost == 0 and report.started == 3
        assert report.soundness_bits > 100 and 0 < report.commitments <= sum(statement().commitments)
        assert report.seconds_dealing + report.seconds_joining <= report.seconds
        assert "3, 0 workers lost" in report._repr_html_()
    assert told[0] == (0, sum(statement().commitments), 0)


@pytest.mark.parametrize("host, allowed", [("127.0.0.1", True), ("10.0.0.1", False)])
def test_workers_are_met_only_where_they_may_be(host, allowed):
    prover, verifier = run(statement(), statement().public(), p_options={"meet": ["verifier.example", host]})
    if allowed:
        assert prover.ended().lost == verifier.ended().lost == 0
    else:
        with pytest.raises(volery.Error, match="none is to be met there"):
            prover.ended()
        with pytest.raises(volery.Error):
            verifier.ended()


def test_an_address_does_in_place_of_a_session():
    with pytest.raises(volery.SessionFailed, match="nobody listened"):
        split.prove("127.0.0.1:9", statement(), launch=Threads("prover"), connect_timeout=0.2)
    with pytest.raises(volery.SessionFailed, match="nobody connected"):
        split.verify("127.0.0.1:0", statement(), launch=Threads("verifier"), listen_timeout=0.2)
    with volery.listen("127.0.0.1:0") as session, pytest.raises(volery.BadInput, match="for a new session"):
        split.verify(session, statement(), launch=Threads("verifier"), timeout=3)


def test_a_message_with_another_digest_is_found_before_anybody_is_met():
    wrong = split.Preimage(statement().digest, len(MESSAGE), 3, bytes(len(MESSAGE)))
    with pytest.raises(volery.Unsatisfied):
        split.prove("127.0.0.1:9", wrong, launch=Threads("prover"))
    with pytest.raises(volery.Unsatisfied):
        wrong.check()
    statement().check()


def test_a_prover_that_does_not_check_is_not_accepted():
    wrong = split.Preimage(statement().digest, len(MESSAGE), 3, bytes(len(MESSAGE)))
    prover, verifier = run(wrong, statement().public(), p_options={"check": False})
    for party in (prover, verifier):
        with pytest.raises(volery.Error):
            party.ended()


@pytest.mark.parametrize(
    "other",
    [
        statement(MESSAGE + b"!"),
        statement(shards=2),
        statement(bytes(len(MESSAGE))),
    ],
)
def test_parties_with_different_statements_do_not_go_on(other):
    for party in run(statement(), other.public()):
        with pytest.raises(volery.Mismatch):
            party.ended()


def test_parties_with_different_retries_do_not_go_on():
    for party in run(statement(), statement().public(), p_options={"retries": 3}):
        with pytest.raises(volery.Mismatch):
            party.ended()


@pytest.mark.parametrize("role", ["prover", "verifier"])
def test_a_worker_that_never_comes_is_replaced_with_another_invitation(role):
    absent = Threads(role, before=lambda shard, _: shard != 1 or len(absent.invitations) > 3)
    prover, verifier = run(statement(), statement().public(), **{role[0]: absent}, arrive=3)
    assert prover.ended().lost == verifier.ended().lost == 1
    assert len(set(absent.invitations)) == 4


@pytest.mark.parametrize("role", ["prover", "verifier"])
def test_a_worker_that_is_known_to_be_dead_is_replaced_at_once(role, monkeypatch):
    absent = Threads(role, before=lambda shard, _: shard != 1 or len(absent.invitations) > 3)
    run_one = split._run

    def watched(who, *arguments):
        # As `volery.ray` says of a task that is killed: again and again here, which changes nothing.
        look = [lambda: absent.invitations[1:2]] if who == role else []
        return run_one(who, *arguments, *look)

    monkeypatch.setattr(split, "_run", watched)
    # The time to come is longer than anybody waits for this test.
    prover, verifier = run(statement(), statement().public(), **{role[0]: absent}, arrive=10 * PATIENCE)
    assert prover.ended().lost == verifier.ended().lost == 1


@pytest.mark.parametrize("role", ["prover", "verifier"])
def test_no_more_workers_are_lost_than_is_allowed(role):
    absent = Threads(role, before=lambda shard, _: shard != 1)
    for party in run(statement(), statement().public(), **{role[0]: absent}, arrive=1, retries=1):
        with pytest.raises(volery.SessionFailed):
            party.ended()
    assert len(absent.invitations) == 4


@pytest.mark.parametrize("role", ["prover", "verifier"])
def test_an_invitation_is_worth_nothing_after_the_session(role):
    refused, twice = [], Threads(role)
    prover, verifier = run(statement(), statement().public(), **{role[0]: twice})
    assert prover.ended() and verifier.ended()
    for invitation in twice.invitations:
        with pytest.raises(volery.SessionFailed) as caught:
            split.worker(invitation, role)
        refused.append(caught.value)
    assert len(refused) == 3


@pytest.mark.parametrize("role", ["prover", "verifier"])
def test_a_replayed_invitation_gets_nothing_while_the_session_goes_on(role):
    refused = []

    def again(shard, invitation):
        first = Party(lambda: split.worker(invitation, role, timeout=20))
        replay.workers.append(first)
        # Both go for the same lot at once: one gets it.
        second = Party(lambda: split.worker(invitation, role, timeout=20))
        refused.append((first, second))
        return False

    replay = Threads(role, before=again)
    prover, verifier = run(statement(), statement().public(), **{role[0]: replay})
    assert prover.ended().lost == verifier.ended().lost == 0
    for pair in refused:
        errors = []
        for party in pair:
            party.join(PATIENCE)
            errors.append(party.error)
        assert sum(error is None for error in errors) == 1
        assert sum(isinstance(error, volery.SessionFailed) for error in errors) == 1


def test_strangers_get_nothing():
    strange = []

    def stranger(shard, invitation):
        address, key, token = invitation.split()
        for other in (f"{address} {key} {'01' * 32}", f"{address} {'02' * 32} {token}"):
            with pytest.raises(volery.SessionFailed) as caught:
                split.worker(other, "prover")
            strange.append(caught.value)
        return True

    prover, verifier = run(statement(), statement().public(), p=Threads("prover", before=stranger))
    assert prover.ended() and verifier.ended() and len(strange) == 6


def test_what_a_launch_function_raises_ends_the_session():
    def broken(shard, invitation):
        raise RuntimeError("no machine")

    prover, verifier = run(statement(), statement().public(), v=broken)
    with pytest.raises(RuntimeError, match="no machine"):
        verifier.ended()
    with pytest.raises(volery.SessionFailed):
        prover.ended()


REFUSED = [
    (lambda: split.Preimage(b"short", 3, 1), "32 bytes"),
    (lambda: split.Preimage("zz" * 32, 3, 1), "64 hexadecimal"),
    (lambda: split.Preimage(bytes(32), 1 << 41, 1), "length"),
    (lambda: split.Preimage(bytes(32), 3, 0), "no shards"),
    (lambda: split.Preimage(bytes(32), 3, 1, b"four"), "4 bytes"),
    (lambda: split.worker("nonsense", "prover"), "ADDRESS KEY TOKEN"),
    (lambda: split.worker(f"127.0.0.1:9 {'0' * 64} {'0' * 64}", "notary"), "role"),
    (lambda: split.prove("127.0.0.1:9", 5, launch=print), "expected a split statement"),
    (lambda: split.prove("127.0.0.1:9", statement(), launch=print, retries=-1), "retries"),
    (lambda: split.prove("127.0.0.1:9", statement(), launch=print, arrive=-1), "arrive"),
    (lambda: split.prove("127.0.0.1:9", statement(), launch=print, lot_server="nowhere"), "expected HOST:PORT"),
    (lambda: split.prove("127.0.0.1:9", statement(), launch=print, meet="localhost"), "a list of hosts"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_calls_that_make_no_sense_are_refused(number):
    call, message = REFUSED[number]
    with pytest.raises(volery.BadInput, match=message):
        call()


def test_another_thread_may_close_the_session_and_the_workers_end():
    started = threading.Event()
    verifier = volery.listen("127.0.0.1:0")
    prover = volery.connect(verifier.address)
    p = Threads("prover")

    # V's workers never come: P's wait to hear where they are.
    def absent(shard, invitation):
        started.set()

    parties = [
        Party(lambda: split.prove(prover, statement(), launch=p)),
        Party(lambda: split.verify(verifier, statement().public(), launch=absent)),
    ]
    assert started.wait(PATIENCE)
    while len(p.workers) < 3:
        time.sleep(0.05)
    prover.close()
    for party in parties + p.workers:
        with pytest.raises(volery.SessionFailed):
            party.ended()


INTERRUPTED = """
import sys, volery
from volery import split
session = volery.listen("127.0.0.1:0")
print(session.address, flush=True)
try:
    split.verify(session, split.Preimage({digest!r}, {length}, 3), launch=lambda *_: print("launched", flush=True))
except KeyboardInterrupt:
    print("interrupted", session.closed, flush=True)
    sys.exit(7)
"""


def test_control_c_ends_a_coordinator_that_waits_for_its_workers():
    script = INTERRUPTED.format(digest=statement().digest, length=len(MESSAGE))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    address = process.stdout.readline().strip()
    prover = Party(lambda: split.prove(address, statement(), launch=Threads("prover")))
    assert process.stdout.readline() == "launched\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 7 and out.endswith("interrupted True\n")
    with pytest.raises(volery.SessionFailed):
        prover.ended()


@pytest.mark.long
def test_a_worker_in_the_middle_of_a_proof_ends_with_its_coordinator():
    large, started = statement(bytes(400_000), shards=1), []

    def launch(shard, invitation):
        code = "import sys; from volery import split; split.worker(sys.stdin.read(), 'verifier')"
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL
        )
        started.append(process)
        process.stdin.write(invitation)
        process.stdin.close()

    def seconds_used(pid):
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    worker = []
    verifier = volery.listen("127.0.0.1:0")
    prover = volery.connect(verifier.address)

    def patient(shard, invitation):
        worker.append(Party(lambda: split.worker(invitation, "prover", timeout=3600)))

    parties = [
        Party(lambda: split.prove(prover, large, launch=patient, check=False)),
        Party(lambda: split.verify(verifier, large.public(), launch=launch)),
    ]
    try:
        while not started or not worker:
            time.sleep(0.01)
        # It has begun to compute, and then says no more. P's worker would wait for it for an hour.
        before = seconds_used(started[0].pid)
        while seconds_used(started[0].pid) < before + 1.5:
            time.sleep(0.01)
        started[0].send_signal(signal.SIGSTOP)
        prover.close()
        for party in parties + worker:
            with pytest.raises(volery.SessionFailed):
                party.ended()
    finally:
        for process in started:
            process.kill()
            process.wait()


SUDOKU = ROOT / "guest" / "examples" / "sudoku"


def sudoku(known=False, shards=4, **options):
    secret = {"secret": SUDOKU / "secret.txt"} if known else {}
    return split.Run(SUDOKU / "sudoku.elf", shards, public=SUDOKU / "public.txt", **secret, **options)


def test_a_run_of_a_program_is_proved_in_shards():
    told = []
    known = sudoku(known=True)
    assert repr(known).startswith("<run of the program ") and repr(known).endswith("with its secret input>")
    prover, verifier = run(known, sudoku(), v_options={"progress": lambda *now: told.append(now)})
    for report in (prover.ended(), verifier.ended()):
        # One group of segments, and a check of its memory.
        assert len(report.shards) == known.shards == 2 and report.lost == 0 and report.started == 2
        # What the parties allow: 8 workers may be lost, so the larger field of MACs.
        assert report.soundness_bits > 90 and report.run["code"] == 0 and report.run["trap"] is None
        assert "exited with code 0" in report._repr_html_()
        assert report.commitments <= sum(known.commitments)
    # The verifier heard of the shards.
    assert told[0] == (0, sum(known.commitments), 0) and prover.ended().run == verifier.ended().run
    info = known.info()
    assert info.shards == 2 and info.soundness_bits == prover.ended().soundness_bits
    assert split.Run((SUDOKU / "sudoku.elf").read_bytes(), 4).shards == 4


def test_a_run_over_the_field_itself_is_proved_where_that_is_worth_enough():
    prover, verifier = run(sudoku(known=True), sudoku(), retries=0)
    assert prover.ended().soundness_bits == verifier.ended().soundness_bits
    assert 40 <= verifier.ended().soundness_bits < 60


def test_a_run_that_ends_otherwise_is_found_before_anybody_is_met():
    with pytest.raises(volery.Unsatisfied, match="exit"):
        split.prove("127.0.0.1:9", sudoku(known=True, exit=3), launch=Threads("prover"))
    with pytest.raises(volery.Unsatisfied):
        sudoku(known=True, exit=3).check()
    sudoku(known=True).check()


def test_parties_with_different_runs_do_not_go_on():
    others = [sudoku(shards=3), split.Run(SUDOKU / "sudoku.elf", 4, public=b"another puzzle")]
    for other in others:
        for party in run(sudoku(known=True), other):
            with pytest.raises(volery.Mismatch):
                party.ended()
    # The verifier asks for another end, and hears that this is not it.
    prover, verifier = run(sudoku(known=True), sudoku(exit=3))
    for party in (prover, verifier):
        with pytest.raises(volery.Error):
            party.ended()


@pytest.mark.parametrize("role", ["prover", "verifier"])
def test_a_worker_of_a_run_that_never_comes_is_replaced(role):
    absent = Threads(role, before=lambda shard, _: shard != 1 or len(absent.invitations) > 2)
    prover, verifier = run(sudoku(known=True), sudoku(), **{role[0]: absent}, arrive=3)
    assert prover.ended().lost == verifier.ended().lost == 1


def test_the_program_verifies_a_run_that_python_proves(program, tmp_path):
    named = [str(SUDOKU / "sudoku.elf"), "--public", str(SUDOKU / "public.txt"), "--shards", "4"]
    verifier = Running([program, "split", "verify", *named, "--listen", "127.0.0.1:0"], tmp_path)
    try:
        report = split.prove(verifier.address(), sudoku(known=True), launch=Threads("prover"))
        ended = verifier.ended()
    finally:
        verifier.process.kill()
    assert ended.code == 0 and "exited with code 0" in ended.out, ended.err
    assert report.lost == 0


def test_runs_that_make_no_sense_are_refused(tmp_path):
    (tmp_path / "text").write_text("no program")
    for call, message in [
        (lambda: split.Run(tmp_path / "text", 2), "not a static ELF file"),
        (lambda: split.Run(tmp_path / "missing", 2), "not a static ELF file"),
        (lambda: sudoku(known=True, shards=0), "one group"),
        (lambda: split.Run(5, 2), "program: a path"),
        (lambda: sudoku().info(), "secret"),
        (lambda: sudoku().commitments, "secret"),
        (lambda: split.prove("127.0.0.1:9", sudoku(), launch=Threads("prover")), "secret"),
        (lambda: split.prove("127.0.0.1:9", sudoku(known=True), launch=Threads("prover"), retries=9), "retries: 0 to 8"),
        (lambda: split.prove("127.0.0.1:9", statement(), launch=Threads("prover"), retries=1025), "retries: 0 to 1024"),
    ]:
        with pytest.raises(volery.BadInput, match=message):
            call()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not pin")
def test_a_worker_on_ray_is_pinned_to_the_core_that_it_is_given():
    from volery.ray import _work
    from volery.ray.bench import halves

    mine = os.sched_getaffinity(0)
    both = halves()
    assert (both is None) == (len(mine) < 2)
    if both:
        assert len(both[0]) == len(both[1]) == len(mine) // 2 and len({*both[0], *both[1]} & mine) == 2 * len(both[0])
    core = max(mine)

    def pinned():
        # The invitation is no good, and that is all the same.
        assert "form ADDRESS KEY TOKEN" in _work("none", "prover", "127.0.0.1:0", None, 1.0, core)
        return os.sched_getaffinity(0)

    # Only that thread is: another task is where it is told to be.
    task = Party(pinned)
    assert task.ended() == {core} and os.sched_getaffinity(0) == mine
