"""Sessions: how they meet, go on, fail, and end."""

import logging
import signal
import socket
import subprocess
import sys
import textwrap
import time

import pytest
from conftest import Party, accepted

import volery
from volery import BadInput, Bits, Field, Public, Secret


@volery.statement
def preimage(message: Secret[Bits(24)]):
    return volery.sha256(message)


@volery.statement
def product(x: Secret[Field("F61", 2)], n: Public[int]):
    volery.require(x[0] * x[1] == n)


CLAIM = preimage(returns=preimage.compute(b"abc"))


def test_one_session_proves_many_statements():
    with volery.listen("127.0.0.1:0") as verifier, volery.connect(verifier.address) as prover:

        def prove():
            return [prover.prove(CLAIM, b"abc"), prover.prove(product(15), [3, 5]), prover.prove(CLAIM, b"abc")]

        proving = Party(prove)
        verified = [verifier.verify(claim) for claim in (CLAIM, product(15), CLAIM)]
        proved = proving.ended()
    assert [report.field for report in verified] == ["F2", "F61", "F2"]
    assert verified[0].seconds_setup > 0 and verified[1].seconds_setup == 0
    for ours, theirs in zip(proved, verified):
        assert ours.bytes_sent == theirs.bytes_received and ours.bytes_received == theirs.bytes_sent
    assert verifier.closed and prover.closed
    with pytest.raises(volery.SessionFailed, match="the session was closed"):
        prover.prove(CLAIM, b"abc")


def test_a_wrong_witness_is_found_before_anything_is_sent_and_the_session_goes_on():
    with volery.listen("127.0.0.1:0") as verifier, volery.connect(verifier.address) as prover:
        with pytest.raises(volery.Unsatisfied, match="output 0"):
            prover.prove(CLAIM, b"abd")
        # Nobody was met.
        assert prover.peer is None and not prover.closed
        verifying = Party(lambda: verifier.verify(CLAIM))
        prover.prove(CLAIM, b"abc")
        verifying.ended()
        with pytest.raises(volery.Unsatisfied):
            prover.prove(CLAIM, b"abd")
        verifying = Party(lambda: verifier.verify(CLAIM))
        prover.prove(CLAIM, b"abc")
        verifying.ended()


def test_a_party_stays_what_it_is():
    with volery.listen("127.0.0.1:0") as verifier, volery.connect(verifier.address) as prover:
        verifying = Party(lambda: verifier.verify(CLAIM))
        prover.prove(CLAIM, b"abc")
        verifying.ended()
        with pytest.raises(BadInput, match="this session proves"):
            prover.verify(CLAIM)
        with pytest.raises(BadInput, match="this session verifies"):
            verifier.prove(CLAIM, b"abc")


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        ({"profile": "wan"}, {}, "profile"),
        ({"fiat_shamir": True}, {}, "challenges"),
    ],
)
def test_parties_with_different_parameters_do_not_go_on(ours, theirs, message):
    verifier = volery.listen("127.0.0.1:0", **theirs)
    prover = volery.connect(verifier.address, **ours)
    parties = [Party(lambda: prover.prove(CLAIM, b"abc")), Party(lambda: verifier.verify(CLAIM))]
    errors = []
    for party in parties:
        with pytest.raises(volery.SessionFailed) as caught:
            party.ended()
        errors.append(caught.value)
    assert any(isinstance(error, volery.Mismatch) and message in str(error) for error in errors)


def test_parties_with_different_soundness_do_not_go_on():
    verifier, prover = volery.listen("127.0.0.1:0", rho=100), None
    prover = volery.connect(verifier.address, rho=40)
    parties = [Party(lambda: prover.prove(product(15), [3, 5])), Party(lambda: verifier.verify(product(15)))]
    for party in parties:
        with pytest.raises(volery.SessionFailed):
            party.ended()


@pytest.mark.parametrize("options", [{"profile": "wan"}, {"fiat_shamir": True}, {"threads": 2}, {"rho": 80}])
def test_options_that_both_parties_give(options):
    assert accepted(CLAIM, b"abc", **options).soundness_bits >= 100


def test_a_unix_socket_does(tmp_path):
    address = f"unix:{tmp_path}/socket"
    with volery.listen(address) as verifier, volery.connect(address) as prover:
        proving = Party(lambda: prover.prove(CLAIM, b"abc"))
        verifier.verify(CLAIM)
        proving.ended()


def test_the_connecting_party_may_be_first(tmp_path):
    address = f"unix:{tmp_path}/socket"
    prover = volery.connect(address)
    proving = Party(lambda: prover.prove(CLAIM, b"abc"))
    time.sleep(0.3)
    with volery.listen(address) as verifier:
        verifier.verify(CLAIM)
        proving.ended()


def test_whoever_says_no_hello_is_sent_away():
    with volery.listen("127.0.0.1:0") as verifier:
        verifying = Party(lambda: verifier.verify(CLAIM))
        host, port = verifier.address.split(":")
        with socket.create_connection((host, int(port))) as other:
            other.sendall(b"GET / HTTP/1.1\r\n\r\n")
        with volery.connect(verifier.address) as prover:
            prover.prove(CLAIM, b"abc")
        verifying.ended()


REFUSED = [
    (lambda: volery.connect("nowhere"), "expected HOST:PORT"),
    (lambda: volery.connect("localhost:1", profile="man"), "profile"),
    (lambda: volery.connect("localhost:1", timeout=-1), "timeout"),
    (lambda: volery.connect("localhost:1", timeout=float("nan")), "timeout"),
    (lambda: volery.connect("localhost:1", tls_name="a"), "tls_name needs"),
    (lambda: volery.connect("localhost:1", tls_pin="ab"), "tls_pin"),
    (lambda: volery.connect("localhost:1", tls_ca="no file"), "no file"),
    (lambda: volery.connect("localhost:1", tls_ca="a", tls_pin="b"), "not both"),
    (lambda: volery.listen("localhost:0", tls_cert="no file"), "both or none"),
    (lambda: volery.listen("localhost:0", tls_cert="no file", tls_key="no file"), "no file"),
    (lambda: volery.connect("127.0.0.1:1").prove(preimage, b"abc"), "call the function"),
    (lambda: volery.connect("127.0.0.1:1").verify(5), "expected a statement"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_calls_that_make_no_sense_are_refused(number):
    call, message = REFUSED[number]
    with pytest.raises(BadInput, match=message):
        call()


def test_threads_out_of_range_are_refused():
    with volery.listen("127.0.0.1:0") as verifier:
        verifying = Party(lambda: verifier.verify(CLAIM))
        with volery.connect(verifier.address, threads=65) as prover, pytest.raises(BadInput, match="65 threads"):
            prover.prove(CLAIM, b"abc")
        verifier.close()
        with pytest.raises(volery.SessionFailed):
            verifying.ended()


def test_nobody_there_is_a_failed_session():
    with pytest.raises(volery.SessionFailed, match="nobody listened"):
        volery.connect("127.0.0.1:9", connect_timeout=0.2).prove(CLAIM, b"abc")
    with pytest.raises(volery.SessionFailed, match="nobody connected"):
        volery.listen("127.0.0.1:0", listen_timeout=0.2).verify(CLAIM)


def test_a_silent_peer_is_waited_for_no_longer_than_the_timeout():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with (
            volery.connect(address, timeout=0.3) as prover,
            pytest.raises(volery.SessionFailed, match="did not complete"),
        ):
            prover.prove(CLAIM, b"abc")


def test_another_thread_may_close_a_session_that_waits():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with volery.connect(f"127.0.0.1:{silent.getsockname()[1]}") as prover:
            proving = Party(lambda: prover.prove(CLAIM, b"abc"))
            connection, _ = silent.accept()
            with pytest.raises(BadInput, match="in use by another thread"):
                prover.prove(CLAIM, b"abc")
            prover.close()
            with pytest.raises(volery.SessionFailed, match="the session was closed"):
                proving.ended()
            connection.close()
    with volery.listen("127.0.0.1:0") as verifier:
        verifying = Party(lambda: verifier.verify(CLAIM))
        time.sleep(0.2)
        verifier.close()
        with pytest.raises(volery.SessionFailed, match="the session was closed"):
            verifying.ended()


INTERRUPTED = """
    import sys, threading, time
    import volery
    from volery import Bits, Secret

    @volery.statement
    def preimage(message: Secret[Bits(24)]):
        return volery.sha256(message)

    claim = preimage(returns=preimage.compute(b"abc"))
    session = {session}
    print("ready", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print("interrupted", session.closed, flush=True)
        sys.exit(7)
"""


@pytest.mark.parametrize("what", ["a silent peer", "a peer that says no more", "nobody connects", "nobody listens"])
def test_control_c_ends_a_session_at_once(what):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        session = {
            "nobody connects": 'volery.listen("127.0.0.1:0")',
            "nobody listens": 'volery.connect("127.0.0.1:9", connect_timeout=60)',
        }.get(what, f'volery.connect("{address}", timeout=60)')
        call = "session.verify(claim)" if what == "nobody connects" else 'session.prove(claim, b"abc")'
        script = textwrap.dedent(INTERRUPTED).format(session=session, call=call)
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        if "peer" in what:
            connection, _ = silent.accept()
            assert connection.recv(1)
        if what == "a peer that says no more":
            # The head of a message that never comes.
            connection.sendall(b"\x01")
        time.sleep(0.4)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
        assert (process.returncode, out) == (7, "interrupted True\n")
        # Far less than the minute that it would have waited.
        assert time.monotonic() - start < 15
        if "peer" in what:
            # And the peer hears of it: the connection is closed.
            connection.settimeout(10)
            while connection.recv(65536):
                pass
            connection.close()


def test_control_c_ends_a_session_in_the_middle_of_a_proof():
    with volery.listen("127.0.0.1:0") as verifier:
        script = f"""
            import os, signal, threading, volery
            from volery import Bits, Secret

            @volery.statement
            def long(x: Secret[Bits(32)]):
                y = x
                for _ in range(60):
                    y = volery.concat(*[y] * 16)[: 1 << 16]
                    y = y & ~y.rotate_left(1) | y
                return volery.sha256(y)

            claim = long(returns=long.compute(5))
            session = volery.connect("{verifier.address}")
            def progress(bits, elements):
                if bits > 100_000:
                    os.kill(os.getpid(), signal.SIGINT)
            try:
                session.prove(claim, 5, progress=progress)
            except KeyboardInterrupt:
                raise SystemExit(7)
        """

        @volery.statement
        def long(x: Secret[Bits(32)]):
            y = x
            for _ in range(60):
                y = volery.concat(*[y] * 16)[: 1 << 16]
                y = y & ~y.rotate_left(1) | y
            return volery.sha256(y)

        claim = long(returns=long.compute(5))
        verifying = Party(lambda: verifier.verify(claim))
        process = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], timeout=120)
        if process.returncode == 7:
            with pytest.raises(volery.SessionFailed):
                verifying.ended()
        else:
            # A fast machine was done before the first look.
            assert process.returncode == 0
            verifying.ended()


def test_the_gil_is_released_while_a_session_waits():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with volery.connect(f"127.0.0.1:{silent.getsockname()[1]}", timeout=1) as prover:
            proving = Party(lambda: prover.prove(CLAIM, b"abc"))
            turns = 0
            while proving.is_alive():
                turns += 1
                time.sleep(0.01)
            # With the GIL taken this loop would have run once.
            assert turns > 10


def test_what_a_progress_function_raises_ends_the_session():
    @volery.statement
    def large(x: Secret[Bits(8 * 20000)]):
        return volery.sha256(x)

    claim = large(returns=large.compute(bytes(20000)))

    def progress(bits, elements):
        # Not while the witness is checked: the peer has not been met then.
        if bits:
            raise RuntimeError("enough")

    with volery.listen("127.0.0.1:0") as verifier, volery.connect(verifier.address) as prover:
        verifying = Party(lambda: verifier.verify(claim))
        with pytest.raises(RuntimeError, match="enough"):
            prover.prove(claim, bytes(20000), progress=progress)
        assert prover.closed
        with pytest.raises(volery.SessionFailed):
            verifying.ended()


def test_progress_is_told_and_shown(capsys):
    pytest.importorskip("tqdm")

    @volery.statement
    def large(x: Secret[Bits(8 * 20000)]):
        return volery.sha256(x)

    claim, told = large(returns=large.compute(bytes(20000))), []
    with volery.listen("127.0.0.1:0") as verifier, volery.connect(verifier.address) as prover:
        verifying = Party(lambda: verifier.verify(claim, progress=lambda *done: told.append(done)))
        report = prover.prove(claim, bytes(20000), progress=True)
        verifying.ended()
    assert told == sorted(told) and told[-1][0] <= report.correlations
    assert "large" in capsys.readouterr().err


def test_messages_go_to_logging(caplog):
    with caplog.at_level(logging.INFO, logger="volery"):
        accepted(CLAIM, b"abc")
        with pytest.raises(volery.Unsatisfied):
            volery.connect("127.0.0.1:1").prove(CLAIM, b"abd")
    text = caplog.text
    assert "listening at 127.0.0.1:" in text and "accepted: preimage" in text
    assert "does not hold" in text and "abc" not in text


def test_a_report_is_a_table_and_a_plot():
    report = accepted(CLAIM, b"abc")
    html = report._repr_html_()
    assert "preimage" in html and "set-up" in html and "soundness" in html
    assert {"set-up", "proof"} <= {stage.name for stage in report.stages}
    assert sum(stage.bytes_sent for stage in report.stages) == report.bytes_sent
    pytest.importorskip("matplotlib").use("Agg")
    figure = report.plot()
    assert [axes.get_title() for axes in figure.axes] == ["time", "bytes"]


def test_a_pinned_certificate_keeps_others_out(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
            "-keyout",
            key,
            "-out",
            certificate,
        ],
        capture_output=True,
    )
    assert made.returncode == 0, made.stderr
    listen = {"tls_cert": str(certificate), "tls_key": str(key)}
    with volery.listen("localhost:0", **listen) as verifier:
        port = verifier.address.rsplit(":", 1)[1]
        verifying = Party(lambda: verifier.verify(CLAIM))
        with volery.connect(f"localhost:{port}", tls_pin="00" * 32) as stranger:
            with pytest.raises(volery.SessionFailed, match="TLS"):
                stranger.prove(CLAIM, b"abc")
        with volery.connect(f"localhost:{port}", tls_pin=verifier.fingerprint) as prover:
            prover.prove(CLAIM, b"abc")
        verifying.ended()


def test_threads_can_each_have_a_session():
    def one():
        return accepted(CLAIM, b"abc").soundness_bits

    for party in [Party(one) for _ in range(4)]:
        assert party.ended() >= 100
