//! Provers in web pages: WebSocket at the port where everybody else connects, with TLS and without.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use sha2::Digest as _;
use volery::statements::Sha256Preimage;
use volery::system::Bits;
use volery::{Address, Channel, Limits, Options, Prover, Zeroizing, os_rng};
use volery_channel::tls::Tls;
use volery_channel::transport::{Socket, Transport};
use volery_channel::websocket::WebSocket;
use volery_channel::{Framed, tags};

use crate::support::*;
use crate::tls::{Certificate, certificate};

const LISTEN: &[&str] = &["--listen", "127.0.0.1:0"];

/// The fields of a request for a WebSocket.
const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";

fn verifier(args: &[&str]) -> Running {
    Running::listening(&join(&[&["verify"], ABC, LISTEN, args]), "")
}

fn server(args: &[&str]) -> Running {
    verifier(&join(&[&["--serve", "--json"], args]))
}

fn socket(verifier: &Running) -> Socket {
    let address: Address = verifier.address.parse().expect("an address");
    Socket::connect(&address, Duration::from_secs(10)).expect("connects")
}

/// A channel over a WebSocket over `transport`.
pub(crate) fn web<T: Transport>(transport: T) -> Framed<WebSocket<T>> {
    let mut rng = os_rng().expect("randomness");
    let socket = WebSocket::connect(transport, "localhost", "/", &Limits::default(), &mut rng);
    Framed::new(socket.expect("a WebSocket"), Limits::default())
}

/// Proves `known`, whether that is what is claimed or not.
fn prove(channel: impl Channel, known: &[u8]) -> Result<(), volery::Error> {
    let secret = Sha256Preimage::new(sha2::Sha256::digest(known).into(), 3).expect("short");
    let statement = Liar {
        claimed: Sha256Preimage::new(ABC_DIGEST, 3).expect("short"),
        known: secret.with_message(Zeroizing::new(known.to_vec())).expect("fits"),
    };
    let mut rng = os_rng().expect("randomness");
    let mut prover = Prover::start(channel, Options::default(), &mut rng)?;
    prover.prove(Bits, &statement, &mut rng).map(drop)
}

/// A client's TLS that trusts this certificate and offers these protocols.
pub(crate) fn encrypted(verifier: &Running, certificate: &Certificate, protocols: &[&str]) -> Tls<Socket> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&certificate.cert).expect("a certificate")).expect("usable");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let mut config = config.expect("versions").with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    Tls::connect(socket(verifier), Arc::new(config), "localhost", &Limits::default()).expect("TLS")
}

/// What the verifier answers to a request with these further fields.
fn ask(address: &str, fields: &str) -> String {
    let mut socket = TcpStream::connect(address).expect("connects");
    write!(socket, "GET / HTTP/1.1\r\nHost: {address}\r\n{UPGRADE}\r\n{fields}\r\n").expect("sent");
    let mut answer = [0; 12];
    socket.read_exact(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn one_port_serves_pages_and_programs() {
    let alone = verifier(&[]);
    prove(web(socket(&alone)), b"abc").expect("accepted");
    alone.end().expect(0, "").says("accepted");

    let server = server(&["--max-sessions", "4"]);
    prove(web(socket(&server)), b"abc").expect("accepted");
    let connect = ["--witness", "-", "--connect", &server.address];
    run(&join(&[&["prove"], ABC, &connect]), ABC_WITNESS).expect(0, "");
    assert!(prove(web(socket(&server)), b"abd").expect_err("a lie").is_rejection());
    prove(web(socket(&server)), b"abc").expect("accepted");
    let words: Vec<_> = server.end().expect(0, "").objects().iter().map(word_of).collect();
    assert_eq!(words, ["accepted", "accepted", "rejected", "accepted"]);
}

#[test]
fn pages_connect_over_tls_and_must_keep_to_what_they_agreed_on_there() {
    let certificate = certificate();
    let server = server(&["--tls-cert", &certificate.cert, "--tls-key", &certificate.key]);
    prove(web(encrypted(&server, &certificate, &["h2", "http/1.1"])), b"abc").expect("accepted");
    // A client that offers nothing, such as a simple library.
    prove(web(encrypted(&server, &certificate, &[])), b"abc").expect("accepted");
    let pin = format!("sha256:{}", crate::tls::pin_of(&certificate.cert));
    let connect = ["--witness", "-", "--connect", &server.address, "--tls-pin", &pin];
    run(&join(&[&["prove"], ABC, &connect]), ABC_WITNESS).expect(0, "");
    // Each says what it did not agree on.
    let mut rng = os_rng().expect("randomness");
    let agreed = encrypted(&server, &certificate, &["volery"]);
    assert!(WebSocket::connect(agreed, "localhost", "/", &Limits::default(), &mut rng).is_err());
    let agreed = encrypted(&server, &certificate, &["http/1.1"]);
    assert!(prove(Framed::new(agreed, Limits::default()), b"abc").is_err());
    kill_process(Pid::from_child(&server.child), Signal::TERM).expect("signals");
    let mut words: Vec<_> = server.end().expect(0, "").objects().iter().map(word_of).collect();
    words.sort();
    assert_eq!(words, ["accepted", "accepted", "accepted", "failed", "failed"]);
}

#[test]
fn pages_of_other_origins_are_refused_and_the_verifier_waits_on() {
    let near = verifier(&[]);
    for (origin, status) in
        [("http://evil.example", "403"), ("null", "403"), ("http://127.0.0.1.evil.example", "403")]
    {
        assert_eq!(ask(&near.address, &format!("Origin: {origin}\r\n")), format!("HTTP/1.1 {status}"));
    }
    assert_eq!(ask(&near.address, "Origin: http://localhost:8000\r\n"), "HTTP/1.1 101");
    prove(web(socket(&near)), b"abc").expect("accepted");
    near.end().expect(0, "pages of `http://evil.example` may not connect here");

    let listed = verifier(&["--origin", "https://app.example", "--origin", "https://b.example"]);
    for (origin, status) in [
        ("https://app.example", "101"),
        ("https://b.example", "101"),
        ("https://c.example", "403"),
        ("http://localhost", "101"),
    ] {
        assert_eq!(ask(&listed.address, &format!("Origin: {origin}\r\n")), format!("HTTP/1.1 {status}"));
    }
    let any = verifier(&["--origin", "*"]);
    assert_eq!(ask(&any.address, "Origin: https://evil.example\r\n"), "HTTP/1.1 101");
    run(&join(&[&["verify"], ABC, LISTEN, &["--origin", "example.com"]]), "").refused("--origin");
    run(&join(&[&["verify"], ABC, &["--connect", "127.0.0.1:1", "--origin", "*"]]), "").refused("--origin");
}

#[test]
fn other_http_and_frames_that_no_client_sends_end_only_their_own_connection() {
    let server = server(&[]);
    let address = server.address.as_str();
    for target in ["/", "/healthz"] {
        let answer = get(address, target);
        assert!(answer.starts_with("HTTP/1.1 426 Upgrade Required\r\n"), "{answer}");
    }
    let send = |bytes: &[u8]| {
        let mut socket = TcpStream::connect(address).expect("connects");
        // The server may close before it has read everything.
        let _ = socket.write_all(bytes);
        let mut rest = Vec::new();
        let _ = socket.read_to_end(&mut rest);
        rest
    };
    assert!(send(&[b"GET / HTTP/1.1\r\nX: ", &b"x".repeat(1 << 20)[..]].concat()).is_empty());
    assert!(send(b"GET /\x00 nonsense\r\n\r\n").starts_with(b"HTTP/1.1 400 "));
    for frame in [
        // No mask, text, a reserved bit, a length that nobody has, a fragment of nothing.
        &[0x82, 0x01, 0x01][..],
        &[0x81, 0x81, 0, 0, 0, 0, 1],
        &[0xc2, 0x81, 0, 0, 0, 0, 1],
        &[0x82, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0x80, 0x81, 0, 0, 0, 0, 1],
    ] {
        let mut socket = TcpStream::connect(address).expect("connects");
        write!(socket, "GET / HTTP/1.1\r\nHost: x\r\n{UPGRADE}\r\n\r\n").expect("sent");
        let mut answer = [0; 12];
        socket.read_exact(&mut answer).expect("an answer");
        let _ = socket.write_all(frame);
        let mut rest = Vec::new();
        let _ = socket.read_to_end(&mut rest);
        // A close with "protocol error", and no message.
        assert!(rest.windows(4).any(|close| close == [0x88, 2, 3, 234]), "{frame:?}: {rest:?}");
    }
    prove(web(socket(&server)), b"abc").expect("accepted");
    kill_process(Pid::from_child(&server.child), Signal::TERM).expect("signals");
    let words: Vec<_> = server.end().expect(0, "").objects().iter().map(word_of).collect();
    assert_eq!(words.iter().filter(|word| *word == "accepted").count(), 1);
    assert_eq!(words.iter().filter(|word| *word == "failed").count(), 9, "{words:?}");
}

pub(crate) fn a_request_or_a_message_that_never_ends_takes_no_longer_than_the_time_to_connect() {
    let server = server(&["--concurrency", "1", "--connect-timeout", "2", "--max-sessions", "4"]);
    let mut head = TcpStream::connect(&server.address).expect("connects");
    head.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("sent");
    let mut word = TcpStream::connect(&server.address).expect("connects");
    word.write_all(b"GE").expect("sent");
    // Fragments of a message without an end, and without content.
    let mut bomb = TcpStream::connect(&server.address).expect("connects");
    write!(bomb, "GET / HTTP/1.1\r\nHost: x\r\n{UPGRADE}\r\n\r\n").expect("sent");
    let fragment = [0, 0x80, 0, 0, 0, 0];
    let bombing = std::thread::spawn(move || {
        let _ = bomb.write_all(&[2, 0x80, 0, 0, 0, 0]);
        while bomb.write_all(&fragment.repeat(1000)).is_ok() {}
    });
    prove(web(socket(&server)), b"abc").expect("accepted");
    let mut words: Vec<_> = server.end().expect(0, "").objects().iter().map(word_of).collect();
    words.sort();
    assert_eq!(words, ["accepted", "failed", "failed", "failed"]);
    bombing.join().expect("no panic");
    drop((head, word));
}

#[test]
fn a_page_that_comes_too_late_is_told_so() {
    let alone = verifier(&[]);
    let first = web(socket(&alone));
    let mut rng = os_rng().expect("randomness");
    let mut first = Prover::start(first, Options::default(), &mut rng).expect("a session");
    let late = prove(web(socket(&alone)), b"abc").expect_err("there is one session");
    assert!(late.to_string().contains("busy"), "{late}");
    let statement = Sha256Preimage::new(ABC_DIGEST, 3).expect("short");
    let statement = statement.with_message(Zeroizing::new(b"abc".to_vec())).expect("fits");
    first.prove(Bits, &statement, &mut rng).expect("accepted");
    alone.end().expect(0, "told that this party is busy");
}

#[test]
fn a_page_without_a_hello_does_not_end_the_wait() {
    let alone = verifier(&[]);
    let mut channel = web(socket(&alone));
    channel.send(tags::TEST, b"no hello").and_then(|()| channel.flush()).expect("sent");
    assert!(channel.recv(tags::HELLO, 100).is_err());
    prove(web(socket(&alone)), b"abc").expect("accepted");
    alone.end().expect(0, "got no session");
}

#[cfg(not(feature = "browser"))]
#[test]
fn a_program_without_the_page_says_how_to_build_one_with_it() {
    run(&["demo", "browser", "--listen", "127.0.0.1:0"], "").refused("--features browser");
}
