"""Web pages, proved to the program as the notary, and attestations, read here and by the program."""

import json
import re
import subprocess

import pytest

import volery
from volery import BadInput, attestation, web


@pytest.fixture(scope="module")
def site(program, tmp_path_factory):
    """A website on this machine and a notary that may see it: addresses, the site's authority, the notary's key."""
    folder = tmp_path_factory.mktemp("site")
    made = subprocess.run(
        [program, "notary", "key", "notary.key"], cwd=folder, capture_output=True, text=True, check=True
    )
    key = re.search("public key ([0-9a-f]{64})", made.stdout)[1]
    started = []

    def start(*arguments):
        process = subprocess.Popen(
            [program, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        started.append(process)
        for line in process.stdout:
            found = re.search(r"(?:listening at |https://)(\S+:\d+)", line)
            if found:
                return found[1]
        raise AssertionError(f"{arguments}: it does not listen")

    page = start("demo", "web", "--listen", "127.0.0.1:0", "--root", "root.pem")
    port = page.rsplit(":", 1)[1]
    notary = start(
        "notary",
        "serve",
        "--key",
        "notary.key",
        "--roots",
        "root.pem",
        "--allow-private",
        "--port",
        port,
        "--listen",
        "127.0.0.1:0",
    )
    yield {
        "url": f"https://localhost:{port}/account",
        "roots": [str(folder / "root.pem")],
        "notary": notary,
        "key": key,
    }
    for process in started:
        process.kill()
        process.communicate()


def prove(site, **options):
    wanted = {"headers": {"Cookie": "session=demo"}, "mode": "proxy", **options}
    return web.prove(site["url"], notary=site["notary"], notary_key=site["key"], roots=site["roots"], **wanted)


@pytest.mark.parametrize("mode", ["proxy", "two-party"])
def test_a_page_is_attested_and_its_claims_are_read(site, program, tmp_path, mode):
    proved = prove(site, mode=mode, reveal=["response.json:currency"], claims=["response.json:balance in 5000.."])
    said = attestation.verify(proved.attestation, key=site["key"])
    assert said.signer == site["key"] and "/account" in said.summary[0] and "at least 5000" in said.summary[0]
    assert b"5120" in proved.response and "5120" not in repr(proved)
    assert said.statement and said.summary[0].split()[0] in said._repr_html_()
    (tmp_path / "page.attestation").write_bytes(proved.attestation)
    theirs = subprocess.run(
        [program, "attestation", "verify", "page.attestation", "--key", site["key"], "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert theirs.returncode == 0, theirs.stderr
    assert json.loads(theirs.stdout)["summary"] == list(said.summary)
    assert json.loads(theirs.stdout)["attestation"] == said.statement


def test_commitments_are_opened_and_ranges_proved_later(site, program, tmp_path):
    proved = prove(site, commit=["response.json:balance", "response.json:holder"], reveal=["response.json:currency"])
    chosen, opened = attestation.open(proved.attestation, proved.openings, ["response.json:holder"])
    assert [one.part for one in opened] == ["json holder"] and opened[0].content in proved.response
    range_proof = attestation.prove_range(proved.attestation, proved.openings, "response.json:balance in 5000..6000")
    said = attestation.verify(proved.attestation, key=site["key"], openings=[chosen], ranges=[range_proof])
    assert said.opened == opened and said.in_range == (("response", "json balance", 5000, 6000),)
    with pytest.raises(volery.Unsatisfied, match="not true"):
        attestation.prove_range(proved.attestation, proved.openings, "response.json:balance in 6000..7000")
    for text in ("response.json:nothing in 1..2", "response.json:balance = 5"):
        with pytest.raises(BadInput):
            attestation.prove_range(proved.attestation, proved.openings, text)
    with pytest.raises(BadInput, match="no commitment"):
        attestation.open(proved.attestation, proved.openings, ["response.json:currency"])
    changed = range_proof[:-1] + bytes([range_proof[-1] ^ 1])
    with pytest.raises((volery.Rejected, BadInput)):
        attestation.verify(proved.attestation, key=site["key"], ranges=[changed])
    (tmp_path / "a").write_bytes(proved.attestation)
    (tmp_path / "r").write_bytes(range_proof)
    theirs = subprocess.run(
        [program, "attestation", "verify", "a", "--key", site["key"], "--range", "r"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert theirs.returncode == 0, theirs.stderr


def test_presentations_for_one_reader(site):
    proved = prove(site, commit_all=True, reveal=["response.json:currency"])
    assert proved.leaves and not proved.openings
    made = attestation.present(
        proved.attestation,
        proved.leaves,
        reveal=["response.json:holder"],
        claims=["response.json:balance in 5000.."],
        context=b"reader 1",
    )
    said = attestation.verify(made, key=site["key"], context=b"reader 1")
    assert said.presentation["opened"][0]["part"] == "response json holder" and said.presentation["claimed"]
    for options in ({}, {"context": b"reader 2"}):
        with pytest.raises(volery.Rejected):
            attestation.verify(made, key=site["key"], **options)
    with pytest.raises(volery.Unsatisfied):
        attestation.present(proved.attestation, proved.leaves, claims=["response.json:balance in 6000.."])


def test_attestations_that_are_not_as_demanded_are_rejected(site):
    proved = prove(site, reveal=["response.json:currency"], context=b"order 7")
    good = attestation.verify(proved.attestation, key=site["key"], context=b"order 7")
    assert good.opened == ()
    changed = bytearray(proved.attestation)
    changed[len(changed) // 2] ^= 1
    for document, options, kind in [
        (proved.attestation, {"key": "00" * 32}, volery.Error),
        (proved.attestation, {"key": site["key"], "context": b"order 8"}, volery.Rejected),
        (bytes(changed), {"key": site["key"]}, (volery.Rejected, BadInput)),
        (b"", {"key": site["key"]}, BadInput),
        (proved.attestation, {}, BadInput),
        (proved.attestation, {"key": "abc"}, BadInput),
        (proved.attestation, {"key": site["key"], "policy": {}}, BadInput),
        (proved.attestation, {"policy": {"nothing": 1}}, BadInput),
        (proved.attestation, {"key": site["key"], "max_rounds": 0}, BadInput),
        ("nowhere", {"key": site["key"]}, BadInput),
    ]:
        with pytest.raises(kind):
            attestation.verify(document, **options)
    policy = {
        "version": 1,
        "notaries": [{"name": "ours", "keys": [{"key": site["key"]}]}],
        "host": "localhost",
        "port": int(site["url"].split(":")[2].split("/")[0]),
        "path": "/account",
        "modes": ["proxy"],
    }
    assert attestation.verify(proved.attestation, policy=policy).notaries == ("ours",)
    with pytest.raises(volery.Rejected, match="host"):
        attestation.verify(proved.attestation, policy={**policy, "host": "example.com"})


def test_a_hidden_path_has_to_be_accepted(site):
    proved = prove(site, hide=["request.path"])
    with pytest.raises(volery.Rejected, match="allow_hidden_path"):
        attestation.verify(proved.attestation, key=site["key"])
    attestation.verify(proved.attestation, key=site["key"], allow_hidden_path=True)


def test_an_empty_list_of_what_is_revealed_shows_nothing_and_none_shows_all(site):
    hidden = prove(site, reveal=[], claims=["response.json:balance in 5000.."])
    said = attestation.verify(hidden.attestation, key=site["key"])
    assert "at least 5000" in said.summary[0] and "EUR" not in said.summary[0]
    for secret in (b"EUR", b"Ada", b"4029"):
        assert secret in hidden.response and secret not in hidden.attestation
    assert b"EUR" in prove(site).attestation and b"EUR" in prove(site, reveal=None).attestation


def test_what_a_reader_has_to_decide_is_told(site):
    asked = {**site, "url": site["url"] + "?columns=all"}
    said = attestation.verify(prove(asked, reveal=["response.json:currency"]).attestation, key=site["key"])
    assert len(said.warnings) == 1 and "hides its query" in said.warnings[0]
    hidden = prove(site, hide=["request.path"])
    said = attestation.verify(hidden.attestation, key=site["key"], allow_hidden_path=True)
    assert len(said.warnings) == 1 and "path of request 1 is hidden" in said.warnings[0]
    assert attestation.verify(prove(site).attestation, key=site["key"]).warnings == ()


def test_what_is_not_true_of_the_request_is_found_before_it_is_sent():
    call = {"url": "https://localhost/", "notary": "127.0.0.1:9", "notary_key": "11" * 32, "headers": {"Cookie": "a=b"}}
    with pytest.raises(volery.Unsatisfied, match="not true: request header Cookie"):
        web.prove(**call, claims=["request.header:Cookie = a=c"])
    with pytest.raises(volery.SessionFailed):
        web.prove(**call, claims=["request.header:Cookie = a=b"])


def test_claims_that_are_not_true_and_parts_that_are_not_there(site):
    with pytest.raises(volery.Unsatisfied, match="not true"):
        prove(site, claims=["response.json:balance in 6000.."])
    with pytest.raises(BadInput):
        prove(site, reveal=["response.json:nothing"])
    with pytest.raises(volery.SessionFailed):
        web.prove(site["url"], notary=site["notary"], notary_key="11" * 32, roots=site["roots"], mode="proxy")
    with pytest.raises(volery.SessionFailed):
        web.prove(site["url"], notary="127.0.0.1:9", notary_key=site["key"], roots=site["roots"], mode="proxy")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": "http://localhost/"}, "expected https"),
        ({"url": "https://user:secret@localhost/"}, "a name or a password"),
        ({"url": "https://localhost/a b"}, "write blanks"),
        ({"url": "https://local host/"}, "characters that no host has"),
        ({"method": "get"}, "like GET"),
        ({"headers": {"Host": "x"}}, "set by itself"),
        ({"headers": {"A b": "x"}}, "letters, digits"),
        ({"headers": {"A": "x\r\nB: y"}}, "visible ASCII"),
        ({"mode": "none"}, "mode"),
        ({"tls": "1.1"}, "tls"),
        ({"hide": ["reply.body"]}, "is not a part"),
        ({"claims": ["response.json:a > b"]}, "is not a claim"),
        ({"hide": ["response.json:a"], "reveal": ["response.json:a"]}, "revealed and hidden"),
        ({"hide": ["response.header:ETag"], "reveal": ["response.header:etag"]}, "revealed and hidden"),
        ({"reveal": ["response2.json:a"]}, "there is no such message"),
        # What the request that would be sent shows.
        ({"hide": ["request.header:Cookie"]}, "no field of this name"),
        ({"reveal": ["request.query"]}, "the target has none"),
        ({"claims": ["request.json:amount >= 5"]}, "request"),
        ({"commit": ["request.query.id"]}, "query id of the request"),
        ({"headers": {"X-Odd": "1"}}, "X-Odd"),
        ({"hide": ["response.header:Content-Length"]}, "so it is shown"),
        ({"roots": ["nowhere.pem"]}, "nowhere.pem"),
        ({"notary_key": "ab"}, "32 bytes"),
        ({"notary_pin": "ab"}, "notary_pin"),
        ({"notary": "nowhere"}, "HOST:PORT"),
    ],
)
def test_calls_that_make_no_sense_are_refused_before_anything_is_sent(options, message):
    call = {"url": "https://localhost/", "notary": "127.0.0.1:9", "notary_key": "11" * 32, **options}
    with pytest.raises(BadInput, match=message) as caught:
        web.prove(**call)
    assert "secret" not in str(caught.value)
