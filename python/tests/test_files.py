"""Public proofs, and proofs with stored correlations, exchanged with the program."""

import hashlib

import pytest
from conftest import Party

import volery
from volery import BadInput, Bits, Field, Secret

ABC = hashlib.sha256(b"abc").hexdigest()
ARGUMENTS = ["sha256-preimage", "--digest", ABC, "--length", "3"]


def claim():
    return volery.builtin("sha256-preimage", digest=ABC, length=3)


@pytest.mark.parametrize(
    "options", [{}, {"small": True}, {"protocol": "zkbpp", "sigma": 80}, {"protocol": "zkboo", "sigma": 80}]
)
def test_public_proofs_go_to_the_program_and_back(run, tmp_path, options):
    sigma = options.get("sigma", 128)
    proof = volery.prove_public(claim(), b"abc", **options)
    (tmp_path / "ours.zkp").write_bytes(proof)
    ended = run("verify", *ARGUMENTS, "--sigma", sigma, "ours.zkp").ended()
    assert ended.code == 0, ended.err
    (tmp_path / "witness").write_text("0x616263\n")
    protocol = ["--protocol", options["protocol"]] if "protocol" in options else []
    small = ["--small"] if "small" in options else []
    made = run("prove", *ARGUMENTS, "--witness", "witness", "--out", "theirs.zkp", "--sigma", sigma, *protocol, *small)
    assert made.ended().code == 0
    report = volery.verify_public(claim(), (tmp_path / "theirs.zkp").read_bytes(), sigma=sigma)
    assert report.soundness_bits == sigma and report.bytes == (tmp_path / "theirs.zkp").stat().st_size
    assert report.protocol == options.get("protocol", "voleith") and report.protocol in report._repr_html_()


@pytest.mark.parametrize("place", [40, 1000, -1])
def test_a_changed_proof_is_refused(place):
    proof = bytearray(volery.prove_public(claim(), b"abc"))
    proof[place] ^= 1
    with pytest.raises(volery.Error):
        volery.verify_public(claim(), bytes(proof))


def test_proofs_of_other_statements_messages_and_lengths_are_refused():
    proof = volery.prove_public(claim(), b"abc", bind=b"hello")
    volery.verify_public(claim(), proof, bind=b"hello")
    for changed, options, kind in [
        (proof, {}, volery.Mismatch),
        (proof, {"bind": b"hullo"}, volery.Error),
        (proof[:-1], {"bind": b"hello"}, volery.Error),
        (proof + b"\0", {"bind": b"hello"}, volery.Error),
        (b"", {"bind": b"hello"}, BadInput),
        (b"nothing of the kind", {}, BadInput),
    ]:
        with pytest.raises(kind):
            volery.verify_public(claim(), changed, **options)
    other = volery.builtin("sha256-preimage", digest="00" * 32, length=3)
    with pytest.raises(volery.Error):
        volery.verify_public(other, proof, bind=b"hello")
    with pytest.raises(volery.Unsatisfied):
        volery.prove_public(claim(), b"abd")
    few = volery.prove_public(claim(), b"abc", sigma=80)
    with pytest.raises(volery.Mismatch, match="80 bits"):
        volery.verify_public(claim(), few)
    for options, message in [({"protocol": "magic"}, "protocol"), ({"sigma": 0}, "sigma"), ({"sigma": 129}, "sigma")]:
        with pytest.raises(BadInput, match=message):
            volery.prove_public(claim(), b"abc", **options)


def test_functions_have_public_proofs():
    @volery.statement
    def preimage(message: Secret[Bits(24)]):
        return volery.sha256(message)

    own = preimage(returns=bytes.fromhex(ABC))
    volery.verify_public(own, volery.prove_public(own, b"abc"))

    @volery.statement
    def product(x: Secret[Field("F61", 2)]):
        volery.require(x[0] * x[1] == 15)

    over_field = product()
    proof = volery.prove_public(over_field, [3, 5], sigma=80)
    assert volery.verify_public(over_field, proof, sigma=80).protocol == "zkbpp"
    with pytest.raises(BadInput, match="voleith is for statements about bits"):
        volery.prove_public(over_field, [3, 5], protocol="voleith")

    @volery.statement
    def mixed(x: Secret[Bits(8)]):
        volery.require(x.to_field() * 2 == 6)

    with pytest.raises(BadInput, match="bits and a field at once have no public proofs"):
        volery.prove_public(mixed(), 3)


def test_stored_correlations_are_made_with_the_program_and_used_by_both(run, tmp_path):
    program = run("preprocess", "verifier", "--count", 400_000, "--out", "v.vole", "--listen", "127.0.0.1:0")
    made = volery.preprocess("prover", 400_000, tmp_path / "p.vole", connect=program.address())
    # Whole blocks are made.
    assert made >= 400_000 and program.ended().code == 0
    report = volery.prove_stored(claim(), b"abc", tmp_path / "p.vole", tmp_path / "proof")
    assert report.soundness_bits >= 100 and "left" in report._repr_html_()
    ended = run("verify", *ARGUMENTS, "--preprocessed", "v.vole", "proof").ended()
    assert ended.code == 0, ended.err
    assert volery.correlations(tmp_path / "p.vole") == (made, report.correlations_left)
    with pytest.raises(volery.Unsatisfied):
        volery.prove_stored(claim(), b"abd", tmp_path / "p.vole", tmp_path / "other")
    # A wrong witness used up nothing.
    assert volery.correlations(tmp_path / "p.vole")[1] == report.correlations_left
    with pytest.raises(BadInput):
        volery.prove_stored(claim(), b"abc", tmp_path / "p.vole", tmp_path / "proof")


def test_a_stored_proof_is_verified_once_and_a_changed_one_ends_the_file(tmp_path):
    listening = volery.listen(f"unix:{tmp_path}/socket")
    listening.close()
    address = f"unix:{tmp_path}/other"
    verifier = Party(lambda: volery.preprocess("verifier", 400_000, tmp_path / "v.vole", listen=address))
    volery.preprocess("prover", 400_000, tmp_path / "p.vole", connect=address)
    verifier.ended()
    for name in ("first", "second"):
        volery.prove_stored(claim(), b"abc", tmp_path / "p.vole", tmp_path / name)
    report = volery.verify_stored(claim(), tmp_path / "v.vole", tmp_path / "first")
    assert report.correlations_left == volery.correlations(tmp_path / "v.vole")[1]
    with pytest.raises(volery.Error):
        volery.verify_stored(claim(), tmp_path / "v.vole", tmp_path / "first")
    changed = bytearray((tmp_path / "second").read_bytes())
    changed[-1] ^= 1
    (tmp_path / "changed").write_bytes(changed)
    with pytest.raises(volery.Error):
        volery.verify_stored(claim(), tmp_path / "v.vole", tmp_path / "changed")
    for call, message in [
        (lambda: volery.preprocess("judge", 5, tmp_path / "x", listen="127.0.0.1:0"), "role"),
        (lambda: volery.preprocess("prover", 5, tmp_path / "x"), "listen or connect"),
        (lambda: volery.correlations(tmp_path / "nowhere"), "nowhere"),
    ]:
        with pytest.raises(BadInput, match=message):
            call()
