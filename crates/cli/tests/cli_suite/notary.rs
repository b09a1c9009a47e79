//! `volery notary`: how it shows who it is, whom it serves, and what it counts.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use volery_channel::tls::Fingerprint;

use crate::fixture::{FIELDS, Fixture, key};
use crate::support::*;

#[test]
fn a_notary_shows_its_key_before_anything_is_said_to_it() {
    let fixture = Fixture::new(&[]);
    let elsewhere = tempfile::tempdir().expect("a directory");
    let (_, other) = key(elsewhere.path());
    let arguments = fixture.arguments("page", &[]);
    let impostor: Vec<_> = arguments
        .iter()
        .map(|word| if *word == fixture.public { other.clone() } else { word.clone() })
        .collect();
    run(&impostor, FIELDS).expect(3, "the notary has to show the key of --notary-key");
    let pin = format!("sha256:{}", "ab".repeat(32));
    fixture.prove("page", &["--notary-pin", &pin]).expect(3, "leave out --notary-pin");
    // A notary without TLS gets no token.
    let token = write(fixture.dir.path(), "token", "token-of-somebody-1234");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound").to_string();
    let heard = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("somebody comes");
        let mut heard = vec![0; 1 << 12];
        let count = socket.read(&mut heard).expect("a ClientHello");
        socket.write_all(&[0; 64]).expect("sent");
        socket.read_to_end(&mut heard.split_off(count)).unwrap_or_default();
        heard
    });
    let mut clear = fixture.arguments("page", &["--notary-token", &token]);
    clear
        .iter_mut()
        .filter(|word| **word == fixture.notary.address)
        .for_each(|word| word.clone_from(&address));
    run(&clear, FIELDS).expect(3, "the notary has to show the key of --notary-key");
    let heard = heard.join().expect("no panic");
    assert!(heard[0] == 22 && !heard.windows(8).any(|part| part == b"token-of"));
    fixture.prove("page", &[]).expect(0, "");
    let results = fixture.results();
    assert_eq!(results.iter().filter(|word| *word == "accepted").count(), 1, "{results:?}");
}

/// One that takes the connection and is silent.
#[test]
fn a_prover_waits_for_the_notary_as_long_as_it_is_told() {
    let fixture = Fixture::new(&[]);
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("bound").to_string();
    let mut arguments = fixture.arguments("page", &["--notary-timeout", "0.2"]);
    arguments
        .iter_mut()
        .filter(|word| **word == fixture.notary.address)
        .for_each(|word| word.clone_from(&address));
    run(&arguments, FIELDS).expect(3, "did not complete within 0.2 s");
    fixture.prove("page", &["--notary-timeout", "none"]).refused("expected a number of seconds");
}

#[test]
fn a_notary_tells_its_limits_before_a_session_begins() {
    let fixture = Fixture::new(&["--max-request", "100", "--max-hidden", "24", "--max-wait", "5"]);
    let joint = &["--mode", "two-party", "--expect", "200"][..];
    fixture.prove("page", joint).expect(3, "the notary takes at most 100: its operator sets --max-request");
    fixture.prove("page", &[joint, &["--no-alpn"]].concat()).expect(3, "its operator sets --allow-no-alpn");
    fixture.prove("page", &["--timeout", "6"]).expect(3, "the notary waits at most 5 s");
    fixture.prove("page", &["--timeout", "0.5"]).refused("a whole number");
    // What a page hides shows only when it is there.
    let hidden = &["--assert", "response.body contains balance"][..];
    fixture.prove("page", hidden).expect(3, "are hidden with something claimed about them");
    let told = fixture.prove("page", &["--verbose", "--hide", "response.body"]).expect(0, "").stderr;
    assert!(
        told.contains("the notary's limits: 16777216 bytes received, 24 hidden, 5 s for the server"),
        "{told}"
    );
    let mut kinds: Vec<String> = fixture.results();
    kinds.dedup();
    assert_eq!(kinds, ["accepted", "failed"]);
}

#[test]
fn a_notary_with_a_certificate_shows_that() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let dir = tempfile::tempdir().expect("a directory");
    let chain = write(dir.path(), "cert.pem", &made.cert.pem());
    let secret = write(dir.path(), "key.pem", &made.signing_key.serialize_pem());
    set_mode(&secret, 0o600);
    let fixture = Fixture::new(&["--tls-cert", &chain, "--tls-key", &secret]);
    let pin = format!("sha256:{}", Fingerprint::of(made.cert.der()));
    fixture.prove("page", &["--notary-pin", &pin]).expect(0, "");
    fixture.prove("none", &[]).expect(3, "give --notary-pin or --notary-ca");
    assert_eq!(fixture.results(), ["accepted", "failed"]);
}

#[test]
fn a_notary_without_the_memory_for_a_session_says_so_before_it_begins() {
    let fixture = Fixture::new(&["--memory", "1M"]);
    fixture
        .prove("page", &["--mode", "two-party", "--expect", "200"])
        .expect(3, "memory for garbled circuits (all sessions together) of ");
    fixture.prove("page", &[]).expect(0, "");
    let lines = fixture.lines();
    let reason = lines[0]["error"]["message"].as_str().expect("it failed");
    // One client gets half of it.
    assert!(reason.contains("memory for garbled circuits") && reason.contains("500000"), "{reason}");
    // Hidden parts take memory in proxy mode, too.
    let fixture = Fixture::new(&["--memory", "20k", "--concurrency", "1"]);
    fixture.prove("page", &[]).expect(3, "more memory than the verifier ever has");
}

#[test]
fn a_notary_with_tokens_hears_nobody_else_out() {
    let dir = tempfile::tempdir().expect("a directory");
    let tokens = write(dir.path(), "tokens", "token-of-somebody\ntoken-of-another-one\n");
    let known = write(dir.path(), "known", "token-of-another-one\n");
    let unknown = write(dir.path(), "unknown", "token-of-nobody-here\n");
    let fixture = Fixture::new(&["--tokens", &tokens]);
    fixture.prove("a", &["--notary-token", &known]).expect(0, "");
    fixture.prove("b", &["--notary-token", &unknown]).expect(3, "a token that it knows");
    fixture.prove("b", &[]).expect(3, "a token that it knows");
    fixture.prove("b", &["--notary-token", &tokens]).refused("2 tokens");
    assert_eq!(fixture.results(), ["accepted", "failed", "failed"]);
}

/// Waits until the metrics have this line. A session is counted a moment after its prover has its last
/// message.
fn counted(metrics: &str, line: &str) {
    let mut text = String::new();
    for _ in 0..1500 {
        text = get(metrics, "/metrics");
        if text.lines().any(|one| one == line) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no {line} in {text}");
}

pub(crate) fn a_client_has_its_share_of_a_notary_and_all_is_counted() {
    let metrics = free_port();
    let fixture = Fixture::new(&["--per-client", "2", "--metrics", &metrics, "--connect-timeout", "60"]);
    let silent: Vec<_> =
        (0..2).map(|_| TcpStream::connect(&fixture.notary.address).expect("connects")).collect();
    counted(&metrics, "volery_notary_connections_waiting 2");
    // The third connection of a client is closed soon. It does not speak TLS, so it hears no reason.
    let mut third = TcpStream::connect(&fixture.notary.address).expect("connects");
    assert!(matches!(third.read(&mut [0; 1]), Ok(0) | Err(_)));
    assert!(get(&metrics, "/metrics").starts_with("HTTP/1.1 200 OK"));
    counted(&metrics, "volery_notary_sessions_total{result=\"refused\"} 1");
    counted(&metrics, "volery_notary_connections_waiting 2");
    drop(silent);
    counted(&metrics, "volery_notary_connections_waiting 0");
    // A session's thread may end a moment after it is counted.
    while fixture.prove("page", &[]).code != 0 {
        std::fs::remove_file(fixture.path("page")).unwrap_or_default();
    }
    counted(&metrics, "volery_notary_sessions_total{result=\"attested\"} 1");
    assert!(get(&metrics, "/x").starts_with("HTTP/1.1 404"));
    assert_eq!(fixture.results()[..4], ["accepted", "failed", "failed", "refused"]);
}
