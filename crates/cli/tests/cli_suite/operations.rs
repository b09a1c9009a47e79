//! A notary as a service: how it ends, whether it is well, whom it turns away and what it tells them.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::fixture::{FIELDS, Fixture, key};
use crate::support::*;

/// Waits until the answer to a health check begins with this.
fn health(address: &str, status: &str) {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let text = get(address, "/healthz");
        if text.starts_with(&format!("HTTP/1.1 {status}")) {
            return;
        }
        assert!(Instant::now() < end, "no {status}: {text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The reason in a line of the log.
fn reason(line: &serde_json::Value) -> &str {
    line["error"]["message"].as_str().unwrap_or_default()
}

#[test]
fn a_notary_that_was_told_to_stop_lets_a_session_end_and_refuses_new_ones() {
    let health_at = free_port();
    let fixture = Fixture::new(&["--health", &health_at, "--drain-time", "120"]);
    health(&health_at, "200 OK");
    // It keeps the notary from ending before the prover is refused.
    let silent = fixture.silent_session();
    fixture.signal(Signal::TERM);
    health(&health_at, "503");
    fixture.prove("none", &[]).expect(3, "the server stops; try again later");
    drop(silent);
    let ended = fixture.notary.end().expect(0, "");
    let lines = ended.objects();
    let mut words: Vec<_> = lines.iter().map(word_of).collect();
    // Threads of their own write these lines, so the second may come first.
    words.sort_unstable();
    assert_eq!(words, ["failed", "refused"], "{ended:?}");
    assert!(TcpStream::connect(&health_at).is_err());
}

#[test]
fn a_session_under_way_when_a_notary_is_told_to_stop_gets_its_attestation() {
    let (health_at, metrics) = (free_port(), free_port());
    let fixture = Fixture::new(&["--health", &health_at, "--metrics", &metrics]);
    let active = || get(&metrics, "/metrics").contains("volery_notary_sessions_active 1\n");
    let arguments = fixture.arguments("page", &["--mode", "two-party", "--expect", "200"]);
    let mut prover = spawn(&arguments, FIELDS.as_bytes());
    let end = Instant::now() + Duration::from_secs(60);
    while !active() {
        assert!(Instant::now() < end, "no session begins");
        std::thread::sleep(Duration::from_millis(5));
    }
    // The session stands still while the notary hears that it is to stop.
    let pid = Pid::from_child(&prover);
    kill_process(pid, Signal::STOP).expect("signals");
    fixture.signal(Signal::TERM);
    health(&health_at, "503");
    assert!(active());
    kill_process(pid, Signal::CONT).expect("signals");
    assert!(prover.wait().expect("waits").success());
    assert!(std::path::Path::new(&fixture.path("page")).exists());
    let ended = fixture.notary.end().expect(0, "");
    assert_eq!(ended.object()["result"], "accepted", "{ended:?}");
}

pub(crate) fn sessions_that_do_not_end_are_ended_when_the_time_is_over() {
    // No limit but the time to drain ends this session within the test.
    let fixture = Fixture::new(&["--drain-time", "1", "--connect-timeout", "600", "--timeout", "600"]);
    let mut silent = fixture.silent_session();
    fixture.signal(Signal::TERM);
    let mut rest = Vec::new();
    let _ = silent.read_to_end(&mut rest);
    let ended = fixture.notary.end().expect(0, "");
    let lines = ended.objects();
    assert_eq!(lines.len(), 1, "{ended:?}");
    // It waits for the prover, or hears of its end before it begins to wait.
    let said = reason(&lines[0]);
    let ends = ["did not end within 1 s (--drain-time)", "sessions under way after the signal to stop"];
    assert!(ends.iter().any(|end| said.contains(end)), "{ended:?}");
}

#[test]
fn a_second_signal_ends_a_notary_at_once() {
    let health_at = free_port();
    let fixture = Fixture::new(&["--health", &health_at, "--connect-timeout", "600", "--timeout", "600"]);
    let _silent = fixture.silent_session();
    fixture.signal(Signal::TERM);
    health(&health_at, "503");
    fixture.signal(Signal::TERM);
    fixture.notary.end().expect(128 + 15, "");
}

pub(crate) fn half_open_and_endless_health_checks_keep_nobody_from_an_answer() {
    let health_at = free_port();
    let fixture = Fixture::new(&["--health", &health_at]);
    // More than the port serves at the same time.
    let half_open: Vec<_> = (0..100)
        .map(|number: u8| {
            let mut socket = TcpStream::connect(&health_at).expect("connects");
            let part = &b"GET /healthz HTTP/1.1\r\nHost: x\r\n"[..usize::from(number % 30)];
            // The notary may have closed it to make room.
            let _ = socket.write_all(part);
            socket
        })
        .collect();
    health(&health_at, "200 OK");
    // A request line that is too long, and one that never ends.
    for length in [9000, 10_000_000] {
        let mut socket = TcpStream::connect(&health_at).expect("connects");
        let mut line = b"GET /healthz?".to_vec();
        line.resize(length, b'x');
        let _ = socket.write_all(&line);
        let mut told = Vec::new();
        let _ = socket.read_to_end(&mut told);
        assert!(told.is_empty(), "{told:?}");
        health(&health_at, "200 OK");
    }
    for target in ["/", "/metrics", "/healthz/x", "healthz", "http://x/healthz"] {
        assert!(get(&health_at, target).starts_with("HTTP/1.1 404"), "{target}");
    }
    // They are closed in time.
    for mut socket in half_open {
        socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        let error = socket.read_to_end(&mut Vec::new()).err();
        assert!(error.is_none_or(|error| error.kind() == std::io::ErrorKind::ConnectionReset));
    }
    fixture.prove("page", &[]).expect(0, "");
    assert_eq!(fixture.results(), ["accepted"]);
}

#[test]
fn keys_that_others_can_use_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let (file, _) = key(dir.path());
    let serve = ["notary", "serve", "--key", &file, "--listen", "127.0.0.1:0"];
    for mode in [0o640, 0o604, 0o620, 0o644, 0o660] {
        set_mode(&file, mode);
        let advice = format!("(0{mode:o}) let others than its owner use this key; run `chmod 600 {file}`");
        run(&serve, "").refused(&advice);
    }
    set_mode(&file, 0o400);
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let chain = write(dir.path(), "cert.pem", &made.cert.pem());
    let secret = write(dir.path(), "key.pem", &made.signing_key.serialize_pem());
    set_mode(&secret, 0o644);
    let tls = [&serve[..], &["--tls-cert", &chain, "--tls-key", &secret]].concat();
    run(&tls, "").refused(&format!("run `chmod 600 {secret}`"));
    set_mode(&secret, 0o600);
    drop(Running::listening(&tls, ""));
}

#[test]
fn a_client_over_its_number_of_connections_hears_the_limit() {
    let fixture = Fixture::new(&["--per-client", "2", "--connect-timeout", "60"]);
    let silent = [fixture.tls_client(), fixture.tls_client()];
    let told = "this address has 2 connections at the same time, the limit; try again when one has ended";
    fixture.prove("none", &[]).expect(3, told);
    drop(silent);
    let lines = fixture.lines();
    let refused: Vec<_> = lines.iter().filter(|line| word_of(line) == "refused").collect();
    assert!(refused.len() == 1 && reason(refused[0]) == told, "{lines:?}");
}

#[test]
fn a_client_that_comes_too_often_hears_the_limit() {
    let fixture = Fixture::new(&["--client-rate", "1"]);
    fixture.prove("one", &[]).expect(0, "");
    let told = "this address has begun 1 session within a minute, the limit; try again in ";
    fixture.prove("none", &[]).expect(3, told);
    let lines = fixture.lines();
    assert!(
        lines.iter().any(|line| word_of(line) == "refused" && reason(line).starts_with(told)),
        "{lines:?}"
    );
}

#[test]
fn a_token_that_is_used_too_often_hears_the_limit_and_others_go_on() {
    let dir = tempfile::tempdir().expect("a directory");
    let tokens = write(dir.path(), "tokens", "token-of-somebody\ntoken-of-another-one\n");
    let [first, second] =
        ["token-of-somebody", "token-of-another-one"].map(|token| write(dir.path(), token, token));
    let fixture = Fixture::new(&["--tokens", &tokens, "--token-rate", "1"]);
    fixture.prove("one", &["--notary-token", &first]).expect(0, "");
    let told = "this token has begun 1 session within a minute, the limit; try again in ";
    fixture.prove("none", &["--notary-token", &first]).expect(3, told);
    fixture.prove("two", &["--notary-token", &second]).expect(0, "");
    let lines = fixture.lines();
    assert!(lines.iter().any(|line| reason(line).starts_with(&format!("token 1: {told}"))), "{lines:?}");
    assert!(lines.iter().all(|line| !reason(line).contains("token-of")), "{lines:?}");
}

#[test]
fn a_flood_of_one_address_fills_neither_the_log_nor_the_notary() {
    let metrics = free_port();
    let fixture = Fixture::new(&["--client-rate", "1", "--metrics", &metrics]);
    let sockets: Vec<_> =
        (0..200).map(|_| TcpStream::connect(&fixture.notary.address).expect("connects")).collect();
    let refused = "volery_notary_sessions_total{result=\"refused\"} 199";
    let end = Instant::now() + Duration::from_secs(60);
    while !get(&metrics, "/metrics").lines().any(|line| line == refused) {
        assert!(Instant::now() < end, "{}", get(&metrics, "/metrics"));
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(sockets);
    fixture.signal(Signal::TERM);
    let ended = fixture.notary.end().expect(0, "of clients over a limit that heard it just now");
    let refused = ended.objects().iter().filter(|line| word_of(line) == "refused").count();
    assert!((1..100).contains(&refused), "{ended:?}");
}
