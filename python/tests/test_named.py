"""Statements from files and built-in ones, with the program `volery` at the other end, each way round."""

import hashlib
import json
import re

import numpy as np
import pytest
from conftest import DATA, ROOT, Party, accepted, prove_and_verify

import volery
from volery import BadInput

MAJORITY = "4 7\n3 1 1 1\n1 1\n\n2 1 0 2 3 XOR\n2 1 1 2 4 XOR\n2 1 3 4 5 AND\n2 1 5 2 6 XOR\n"
OTHER = "1 4\n3 1 1 1\n1 1\n\n2 1 0 1 3 AND\n"
R1CS = DATA / "r1cs"
ABC = hashlib.sha256(b"abc").hexdigest()
SUM = ROOT / "guest/examples/sum"


class Case:
    """A statement as Python and as the program name it, with a right and a wrong witness."""

    def __init__(self, make, arguments, good, bad, witness, options=None):
        self.make, self.arguments = make, arguments
        self.good, self.bad, self.witness = good, bad, witness
        #: Options of sessions that both parties need: for Python.
        self.options = options or {}


CASES = {
    "bristol": Case(
        lambda: volery.load("majority.txt", public={"output 0": 1}),
        ["majority.txt", "--public", "majority.pub"],
        {"input 0": 1, "input 1": 0, "input 2": 1},
        {"input 0": 1, "input 1": 0, "input 2": 0},
        "0b1\n0b0\n0b1\n",
    ),
    "builtin": Case(
        lambda: volery.builtin("sha256-preimage", digest=ABC, length=3),
        ["sha256-preimage", "--digest", ABC, "--length", 3],
        b"abc",
        b"abd",
        "message = 0x616263\n",
    ),
    "numbers": Case(
        lambda: volery.builtin("inner-product", public=32, length=3),
        ["inner-product", "--length", 3, "--public", "product.pub"],
        np.array([[1, 2, 3], [4, 5, 6]]),
        [1, 2, 3, 4, 5, 7],
        "1 2 3 4 5 6\n",
    ),
    "circom over BN254": Case(
        lambda: volery.load(R1CS / "factors.bn254.r1cs", public=[10097063]),
        [R1CS / "factors.bn254.r1cs", "--public", R1CS / "factors.bn254.public.json"],
        R1CS / "factors.bn254.wtns",
        None,
        R1CS / "factors.bn254.wtns",
    ),
    "circom over F61": Case(
        lambda: volery.load(
            (R1CS / "factors.f61.r1cs").read_bytes(), public=(R1CS / "factors.f61.public.json").read_bytes()
        ),
        [R1CS / "factors.f61.r1cs", "--public", R1CS / "factors.f61.public.json"],
        (R1CS / "factors.f61.wtns").read_bytes(),
        None,
        R1CS / "factors.f61.wtns",
    ),
    "one of many": Case(
        lambda: volery.any_of(["majority.txt", "other.txt"], public="majority.pub"),
        ["--any-of", "majority.txt", "other.txt", "--public", "majority.pub"],
        (1, {"input 0": "0b1", "input 1": "0b1", "input 2": "0b0"}),
        (1, {"input 0": "0b1", "input 1": "0b0", "input 2": "0b0"}),
        "branch 1\n0b1\n0b1\n0b0\n",
    ),
    "one of many by Mac'n'Cheese": Case(
        lambda: volery.any_of(
            [("majority.txt", "majority.pub"), ("other.txt", b"output 0 = 0b1")], disjunction="macncheese"
        ),
        ["--any-of", "majority.txt=majority.pub", "other.txt=majority.pub", "--disjunction", "macncheese"],
        [(0, b"0b1\n0b1\n0b0\n")],
        [(0, b"0b1\n0b0\n0b0\n")],
        "branch 0\n0b1\n0b1\n0b0\n",
    ),
    "a program": Case(
        lambda: volery.load(SUM / "sum-c.elf", public=SUM / "public.txt"),
        [SUM / "sum-c.elf", "--public", SUM / "public.txt"],
        SUM / "secret.txt",
        None,
        SUM / "secret.txt",
    ),
}


@pytest.fixture(params=CASES)
def case(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "majority.txt").write_text(MAJORITY)
    (tmp_path / "other.txt").write_text(OTHER)
    (tmp_path / "majority.pub").write_text("output 0 = 0b1\n")
    (tmp_path / "product.pub").write_text("32\n")
    return CASES[request.param]


def as_file(case, tmp_path):
    """The witness as the program reads it."""
    if isinstance(case.witness, str):
        (tmp_path / "witness").write_text(case.witness)
        return tmp_path / "witness"
    return case.witness


def test_python_proves_to_the_program(case, run):
    verifier = run("verify", *case.arguments, "--listen", "127.0.0.1:0", "--json")
    with volery.connect(verifier.address(), **case.options) as session:
        report = session.prove(case.make(), case.good)
    ended = verifier.ended()
    assert ended.code == 0, ended.err
    theirs = json.loads(ended.out)
    assert theirs["soundness_bits"] == pytest.approx(report.soundness_bits)
    assert theirs["bytes_received"] == report.bytes_sent and theirs["bytes_sent"] == report.bytes_received


def test_the_program_proves_to_python(case, run, tmp_path):
    with volery.listen("127.0.0.1:0", **case.options) as session:
        prover = run("prove", *case.arguments, "--witness", as_file(case, tmp_path), "--connect", session.address)
        report = session.verify(case.make())
    assert report.soundness_bits >= 40
    ended = prover.ended()
    assert ended.code == 0, ended.err


def test_python_proves_to_python(case):
    report = accepted(case.make(), case.good, **case.options)
    assert report.statement == case.make().text


def test_a_witness_that_does_not_satisfy_it_is_found_before_a_session(case):
    if case.bad is None:
        pytest.skip("its wrong witnesses are in the next test")
    statement = case.make()
    statement.check(case.good)
    with pytest.raises(volery.Unsatisfied) as caught:
        statement.check(case.bad)
    assert caught.value.place
    with pytest.raises(volery.Unsatisfied), volery.connect("127.0.0.1:9") as session:
        session.prove(statement, case.bad)


def test_what_a_statement_is_and_what_it_will_take(case):
    statement = case.make()
    if "elf" in str(case.arguments[0]):
        # What a proof of a run takes depends on the run.
        assert statement.info().costs == ()
        return
    info = statement.info()
    assert info.statement == statement.text and info.costs
    assert statement.text in info._repr_html_().replace("&#x27;", "'")
    report = accepted(statement, case.good, **case.options)
    cost = next(one for one in info.costs if one.profile == "lan" and one.mac_field == report.mac_field)
    if len({one.protocol for one in info.costs}) == 1:
        assert (cost.bytes_prover, cost.bytes_verifier) == (report.bytes_received, report.bytes_sent)
    assert statement.info(costs=False).costs == ()


def test_a_wtns_file_that_does_not_satisfy_the_constraints(tmp_path):
    content = bytearray((R1CS / "factors.bn254.wtns").read_bytes())
    content[-32] ^= 1
    with pytest.raises(volery.Unsatisfied):
        volery.load(R1CS / "factors.bn254.r1cs").check(bytes(content))
    with pytest.raises(volery.Unsatisfied):
        volery.load(R1CS / "factors.bn254.r1cs", public=[10097064]).check(R1CS / "factors.bn254.wtns")


def test_how_a_program_ended_is_in_the_report():
    report = accepted(volery.load(SUM / "sum-c.elf", public=SUM / "public.txt"), SUM / "secret.txt")
    assert report.run["code"] == 0 and report.run["trap"] is None
    assert re.fullmatch("([0-9a-f]{2})*", report.run["journal"])


def test_a_run_that_ends_otherwise_is_no_witness():
    with pytest.raises(volery.Error):
        volery.load(SUM / "sum-c.elf", public=SUM / "public.txt", exit=5).check(SUM / "secret.txt")


def test_public_files_are_computed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "majority.txt").write_text(MAJORITY)
    circuit = volery.load("majority.txt")
    public = circuit.compute({"input 0": 1, "input 1": 1, "input 2": 0})
    assert public == b"output 0 = 0b1\n"
    accepted(volery.load("majority.txt", public=public), {"input 0": 1, "input 1": 1, "input 2": 0})
    with pytest.raises(BadInput, match="`public`"):
        accepted(circuit, {"input 0": 1, "input 1": 1, "input 2": 0})
    factors = volery.load(R1CS / "factors.bn254.r1cs").compute(R1CS / "factors.bn254.wtns")
    assert json.loads(factors) == json.loads((R1CS / "factors.bn254.public.json").read_text())
    digest = volery.builtin("sha256-preimage", digest="00" * 32, length=3).compute(b"abc").decode()
    assert f"digest = {ABC}" in digest


REFUSED = {
    "no file": (lambda: volery.load("nowhere.txt"), "nowhere.txt"),
    "no circuit": (lambda: volery.load(b"what?", public=b""), "the circuit, line 1"),
    "no builtin": (lambda: volery.builtin("sha3"), "sha3"),
    "missing value": (lambda: volery.builtin("sha256-preimage", length=3), "digest"),
    "other value": (lambda: volery.builtin("sha256-preimage", digest=ABC, length=3, rows=5), "rows"),
    "short digest": (lambda: volery.builtin("sha256-preimage", digest="00", length=3), "digest"),
    "field": (
        lambda: volery.builtin("matmul", field="f7", rows=1, inner=1, columns=1, public=1),
        "unknown; the fields are f61",
    ),
    "ring": (lambda: volery.load(MAJORITY.encode(), ring="z8"), "ring"),
    "public": (lambda: volery.load(MAJORITY.encode(), public={"output 1": 1}), "there is no `output 1`"),
    "too wide": (lambda: volery.load(MAJORITY.encode(), public={"output 0": 2}), "does not fit into 1 bits"),
    "none of many": (lambda: volery.any_of([]), "."),
    "too many of many": (lambda: volery.any_of([b"x"], at_least=2, repeat=2), "."),
    "by whom": (lambda: volery.any_of([b"x"], disjunction="gouda"), "disjunction"),
    "circuit of a number": (lambda: volery.load(5), "a path, or the content as bytes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_statements_that_make_no_sense_are_refused_when_they_are_named(name):
    make, message = REFUSED[name]
    with pytest.raises(BadInput, match=message):
        make()


@pytest.mark.parametrize(
    ("witness", "message"),
    [
        (b"ab", "witness"),
        ({"massage": b"abc"}, "no secret input has this name"),
        ({"message": 1 << 24}, "does not fit"),
        ("nowhere", "nowhere"),
        (1.5, "expected integers"),
    ],
)
def test_witnesses_of_the_wrong_form_are_refused(witness, message):
    with pytest.raises(BadInput, match=message):
        volery.builtin("sha256-preimage", digest=ABC, length=3).check(witness)


def test_another_statement_at_the_other_end_is_a_mismatch(run):
    verifier = run("verify", "sha256-preimage", "--digest", "00" * 32, "--length", 3, "--listen", "127.0.0.1:0")
    with (
        volery.connect(verifier.address()) as session,
        pytest.raises(volery.SessionFailed, match="different statements"),
    ):
        session.prove(volery.builtin("sha256-preimage", digest=ABC, length=3), b"abc")
    assert verifier.ended().code == 3


def test_a_proof_that_is_wrong_is_rejected(tmp_path):
    """A relay between two honest parties changes a masked bit of the proof."""
    import socket
    import threading

    claim = volery.builtin("sha256-preimage", digest=ABC, length=3)
    with volery.listen("127.0.0.1:0") as verifier, socket.create_server(("127.0.0.1", 0)) as relay:
        verifying = Party(lambda: verifier.verify(claim))
        prover = volery.connect(f"127.0.0.1:{relay.getsockname()[1]}")
        proving = Party(lambda: prover.prove(claim, b"abc"))
        left, _ = relay.accept()
        host, port = verifier.address.split(":")
        right = socket.create_connection((host, int(port)))

        def forward(source, target, change):
            while True:
                head = _exactly(source, 5)
                body = head and _exactly(source, int.from_bytes(head[1:], "little"))
                if body is None:
                    break
                if change and head[0] == 0x20:
                    body, change = bytes([body[0] ^ 1]) + body[1:], False
                target.sendall(head + body)
            target.close()

        back = threading.Thread(target=forward, args=(right, left, False), daemon=True)
        back.start()
        forth = threading.Thread(target=forward, args=(left, right, True), daemon=True)
        forth.start()
        with pytest.raises(volery.Rejected):
            verifying.ended()
        with pytest.raises((volery.Rejected, volery.SessionFailed)):
            proving.ended()
        prover.close()


def _exactly(source, count):
    parts = b""
    while len(parts) < count:
        try:
            part = source.recv(count - len(parts))
        except OSError:
            return None
        if not part:
            return None
        parts += part
    return parts


def test_one_of_several_functions_holds():
    from volery import Bits, Public, Secret

    @volery.statement
    def member(key: Secret[Bits(64)], digest: Public[bytes]):
        volery.require(volery.sha256(key) == digest)

    keys = [bytes([i] * 8) for i in range(5)]
    claims = [member(hashlib.sha256(key).digest()) for key in keys]
    club = volery.any_of(claims)
    assert club.text == "at least 1 of 5: member"
    assert accepted(club, (3, keys[3])).soundness_bits >= 100
    two = volery.any_of(claims, at_least=2)
    accepted(two, [(4, keys[4]), (0, keys[0])])
    for statement, witness, message in [
        (club, (3, keys[2]), "does not hold"),
        (two, [(0, keys[0])], "exactly 2"),
        (two, [(0, keys[0]), (0, keys[0])], "the same branch"),
        (club, (5, keys[0]), "branch 5 of 5"),
        (club, keys[0], "a pair of the number"),
    ]:
        with pytest.raises((volery.Unsatisfied, BadInput), match=message):
            statement.check(witness)
    with pytest.raises(BadInput, match="of functions, or of circuit files"):
        volery.any_of([claims[0], "circuit.txt"])
    proof = volery.prove_public(club, (1, keys[1]))
    volery.verify_public(club, proof)
    others = prove_and_verify(club, (3, keys[3]), volery.any_of(claims[:4]))
    with pytest.raises(volery.SessionFailed):
        others[1].ended()
