//! `notary serve --relay` and `web prove --relay`: provers that reach the website through the notary alone.

use volery::notary::{Greeting, Turn, Way, in_line};
use volery::web::disclosure::words;
use volery::web::joint::client::{ConnectionLimits, Target, probe};
use volery::web::joint::{SUITES, Sizes};
use volery::web::server::Roots;
use volery::{Channel, Options, Prover, Zeroizing, os_rng};

use crate::fixture::{Fixture, page};
use crate::site::site;
use crate::support::*;
use crate::tls::{Certificate, certificate};
use crate::websocket::{encrypted, web};

const TWO_PARTY: &[&str] = &["--mode", "two-party", "--relay"];

#[test]
fn a_page_is_proved_through_the_notary_over_either_version_of_tls() {
    let fixture = Fixture::new(&["--relay"]);
    // The server is asked for its version through the notary, too.
    for version in ["auto", "1.2", "1.3"] {
        let claim = ["--tls", version, "--assert", "response.json:balance in 5000..9999"];
        fixture.prove(version, &join(&[TWO_PARTY, &claim])).expect(0, "");
        let out = fixture.path(version);
        let text = run(&["attestation", "verify", &out, "--key", &fixture.public], "").expect(0, "").stdout;
        assert!(text.contains("two-party") && text.contains("balance: is a number"), "{text}");
    }
    assert_eq!(fixture.results(), ["accepted"; 3]);
}

#[test]
fn a_notary_carries_only_if_its_operator_says_so() {
    let fixture = Fixture::new(&[]);
    fixture.prove("none", TWO_PARTY).expect(3, "carries no connections to websites");
    fixture
        .prove("none", &["--mode", "proxy", "--relay"])
        .expect(2, "--relay is for two parties; in proxy mode the notary relays in any case");
    // The notary would have the connection whose end the prover relies on.
    fixture
        .prove("none", &["--mode", "two-party", "--relay", "--trust-close"])
        .expect(2, "--trust-close with --relay");
    // A process that is its own notary does.
    let out = fixture.path("alone");
    let alone = ["web", "prove", &fixture.url, "--roots", &fixture.roots, "--out", &out, "--yes", "--relay"];
    run(&alone, "").expect(0, "");
    assert_eq!(fixture.results(), ["failed"]);
}

/// The website is on this machine, and the notary's own network is nobody's business.
#[test]
fn a_notary_carries_nothing_to_where_it_does_not_connect() {
    let (port, _, pem) = site(page());
    let fixture = Fixture::at(port, &pem, &["--relay", "--max-received", "700"]);
    // A handshake alone is longer.
    fixture.prove("none", TWO_PARTY).expect(3, "more bytes than the notary takes");
    drop(fixture);
    let (port, _, pem) = site(page());
    let mut fixture = Fixture::at(port, &pem, &["--relay"]);
    let (other, _, _) = site(page());
    fixture.url = format!("https://localhost:{other}/");
    fixture.prove("none", TWO_PARTY).expect(3, "the notary does not connect to this port");
    assert_eq!(fixture.results(), ["failed"]);
}

#[test]
fn a_notary_connects_to_the_hosts_that_its_operator_lists_and_to_no_other() {
    let proxy = &["--mode", "proxy"][..];
    let fixture = Fixture::new(&["--relay", "--host", "example.com"]);
    for way in [TWO_PARTY, proxy] {
        fixture.prove("none", way).expect(3, "the notary does not connect to this host");
    }
    assert_eq!(fixture.results(), ["failed"; 2]);
    let fixture = Fixture::new(&["--relay", "--host", "example.com", "--host", "LOCALHOST"]);
    for (out, way) in [("together", TWO_PARTY), ("proxied", proxy)] {
        fixture.prove(out, way).expect(0, "");
    }
    assert_eq!(fixture.results(), ["accepted"; 2]);
    let wrong = ["notary", "serve", "--key", "x", "--listen", "127.0.0.1:0", "--host"];
    for name in ["example.com:443", "https://example.com", "*.example.com", "", "a..b"] {
        run(&join(&[&wrong, &[name]]), "").expect(2, "without a port");
    }
}

#[test]
fn a_notary_of_the_open_internet_does_not_carry_into_its_own_network() {
    let fixture = Fixture::new(&["--relay"]);
    let port = fixture.url.split(':').nth(2).and_then(|rest| rest.split('/').next()).expect("a port");
    let key = fixture.path("notary.key");
    let serving = ["notary", "serve", "--key", &key, "--port", port, "--relay", "--listen", "127.0.0.1:0"];
    let public = Running::listening(&serving, "");
    let out = fixture.path("none");
    let mut prove = vec!["web", "prove", &fixture.url, "--notary", &public.address, "--notary-key"];
    prove.extend([&fixture.public, "--roots", &fixture.roots, "--out", &out, "--yes", "--relay"]);
    run(&prove, "").expect(3, "private, local or reserved networks");
}

/// What a web page does: WebSocket, and no way to the website but the notary.
#[test]
fn a_page_is_proved_over_a_websocket() {
    // Browsers know no keys without a certificate.
    let certificate = certificate();
    set_mode(&certificate.key, 0o600);
    let tls = ["--tls-cert", &certificate.cert, "--tls-key", &certificate.key];
    let fixture = Fixture::new(&join(&[&["--relay"], &tls]));
    let (attested, key) = (through_a_websocket(&fixture, &certificate), fixture.key());
    let statement = attested.verify(&key).expect("the notary signed it");
    let response = String::from_utf8_lossy(&statement.response.revealed[0].bytes).into_owned();
    assert!(response.contains("EUR") && statement.query.hidden.len() == 1, "{response}");
    assert_eq!(fixture.results(), ["accepted"]);
}

fn through_a_websocket(
    fixture: &Fixture,
    certificate: &Certificate,
) -> volery::web::attestation::Attestation {
    let mut channel = web(encrypted(&fixture.notary, certificate, &["http/1.1"]));
    let mut rng = os_rng().expect("randomness");
    Greeting { way: Way::Carried, token: Zeroizing::default() }.send(&mut channel).expect("sent");
    let channel = in_line(channel, |turn| assert!(matches!(turn, Turn::Waits(_) | Turn::Begins(_))));
    proved(Prover::start(channel, Options::default(), &mut rng).expect("set-up"), fixture)
}

fn proved<C: Channel>(mut prover: Prover<C>, fixture: &Fixture) -> volery::web::attestation::Attestation {
    let mut roots = Roots::none();
    roots.add_pem(&std::fs::read(&fixture.roots).expect("readable")).expect("roots");
    let limits = ConnectionLimits::default();
    let target = Target { host: "localhost", roots: &roots, probed: true, limits, no_alpn: false };
    let port = fixture.url.split(':').nth(2).and_then(|rest| rest.split('/').next()).expect("a port");
    let port: u16 = port.parse().expect("a number");
    let mut stream = prover.carried("localhost", port, &limits).expect("carried");
    let found = probe(&mut stream, &target, None, SUITES[0]).expect("a server");
    stream.close().expect("closed");
    let request = format!(
        "GET / HTTP/1.1\r\nHost: localhost:{port}\r\nCookie: session=secret-1234\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n"
    );
    let sizes = Sizes { tls: found.version, suite: found.suite, ..Sizes::one(request.len(), 256) };
    let prepared = prover.prepare_web(sizes, os_rng().expect("randomness")).expect("prepared");
    let mut ask = |_: usize, _: &_| Ok(Zeroizing::new(request.clone().into_bytes()));
    let mut fetched = prepared.converse_carried(&target, port, &mut ask).expect("fetched");
    assert!(
        matches!(fetched.trust_close(), Err(volery::Error::Options(_))),
        "V may still have the connection"
    );
    let selection =
        words::parse(&["request.header:Cookie".into()], &[], &[], None, Vec::new()).expect("words");
    let hide = fetched.select(&selection).expect("there");
    fetched.prove(&hide).expect("proved").attestation(&fixture.key()).expect("attested").attestation
}
