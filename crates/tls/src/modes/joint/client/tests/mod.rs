//! Against unmodified rustls and OpenSSL as servers, with an engine in the clear.

mod engine;
mod rounds;
mod servers;

use std::sync::Arc;
use std::thread;

use super::testing::{Answer, Asked, Clear, Local, Site, listen, request, response};
use super::*;
use crate::wire::prf::{MasterSeed, Side};
use crate::wire::transcript::testing::openssl::{self, Server};
use crate::wire::transcript::testing::{
    Authority, HOST, KeyAlgorithm, application, asking, assert_says, open,
};
use crate::wire::transcript::{ALERT, HANDSHAKE};

/// What was captured is what the engine was asked for, and what both ends said.
fn assert_fits(captured: &Captured, engine: &Clear, lengths: &[usize], request: &[u8], response: &[u8]) {
    let Captured { client, server, connection } = captured;
    assert_eq!(Connection::parse(client, server).as_ref(), Ok(connection));
    let Connection::Tls12(transcript) = connection else { panic!("another version") };
    let handshake = &transcript.handshake;
    let (client_random, server_random) = (handshake.client_random, handshake.server_random);
    let seed = if handshake.extended_master_secret {
        MasterSeed::SessionHash(handshake.session_hash)
    } else {
        MasterSeed::Randoms { client: client_random, server: server_random }
    };
    let group = handshake.server_point.group();
    let mut expected = vec![
        Asked::PublicKey(group),
        Asked::Agree(group, handshake.server_point.to_bytes()),
        Asked::MasterSecret(seed),
        Asked::KeyBlock(client_random, server_random),
        Asked::ClientFinished(handshake.client_finished_hash),
        Asked::Encrypt(HANDSHAKE, 16),
    ];
    expected.extend(lengths.iter().map(|length| Asked::Encrypt(APPLICATION_DATA, *length)));
    assert_eq!(engine.asked, expected);
    assert_eq!(handshake.client_point.to_bytes(), engine.point(group));
    assert_eq!(transcript.client.len(), 1 + lengths.len(), "Finished and the request, no alert");
    for (record, length) in transcript.client[1..].iter().zip(lengths) {
        assert_eq!(record.ciphertext.len(), *length);
    }
    assert_says(transcript, &engine.master, request, response);
}

#[test]
fn a_request_of_any_size_and_its_response_are_captured_whole() {
    for kind in [KeyAlgorithm::P256, KeyAlgorithm::P384, KeyAlgorithm::Rsa] {
        let site = Site::new(kind);
        for (lengths, body) in [
            (&[256][..], ""),
            (&[512], "a body"),
            (&[1, 1, 1022], &*"much ".repeat(10_000)),
            (&[1 << 14, 1 << 14, 77], "a body"),
        ] {
            let (sent, response) = (request(lengths.iter().sum()), response(body));
            let mut engine = Clear::new(1);
            let server = Local::new(&site.config, Answer::Notify(response.clone()));
            let requests = Arc::clone(&server.requests);
            let captured = query(&mut engine, server, &site.target(), &sent, lengths).unwrap();
            assert_fits(&captured, &engine, lengths, &sent, &response);
            assert_eq!(*requests.lock().unwrap(), sent);
            assert!(captured.tls12().handshake.extended_master_secret);
            assert_eq!(captured.tls12().handshake.sni.as_deref(), Some(HOST));
            let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
            let identity = server::verify(&captured.tls12().handshake, HOST, &site.roots, now);
            assert_eq!(identity.unwrap().name(), HOST);
        }
    }
}

#[test]
fn a_connection_over_a_socket_ends_as_the_server_ends_it() {
    let site = Site::new(KeyAlgorithm::P256);
    let (sent, response) = (request(300), response(&"body ".repeat(40_000)));
    for (answer, closed) in
        [(Answer::Notify(response.clone()), true), (Answer::Silent(response.clone()), false)]
    {
        let address = listen(Arc::clone(&site.config), answer);
        let mut engine = Clear::new(2);
        let socket = dial("127.0.0.1", address.port(), &ConnectionLimits::default()).unwrap();
        let captured = query(&mut engine, socket, &site.target(), &sent, &[300]).unwrap();
        assert_fits(&captured, &engine, &[300], &sent, &response);
        let last = captured.tls12().server.last().unwrap();
        assert_eq!(last.content_type == ALERT, closed);
    }
}

#[test]
fn chunked_bodies_and_large_headers_are_captured_as_they_come() {
    let site = Site::new(KeyAlgorithm::P256);
    let header = format!("X-Large: {}\r\n", "h".repeat(60_000));
    for head in ["", &header] {
        let response = format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n{head}\r\n4\r\nbody\r\n0\r\n\r\n"
        );
        let (mut engine, sent) = (Clear::new(3), request(256));
        let captured = site.query(&mut engine, &sent, Answer::Notify(response.clone().into_bytes())).unwrap();
        assert_fits(&captured, &engine, &[256], &sent, response.as_bytes());
    }
}

#[test]
fn an_address_needs_a_certificate_with_it_and_is_not_asked_for_by_name() {
    let authority = Authority::new();
    let config = transcript::testing::server(&authority.issue(KeyAlgorithm::P256, "127.0.0.1"));
    let site = Site { roots: authority.roots(), config: Arc::new(config) };
    let target = Target { host: "127.0.0.1", ..site.target() };
    let (mut engine, response) = (Clear::new(3), response("body"));
    let server = Local::new(&site.config, Answer::Notify(response.clone()));
    let captured = query(&mut engine, server, &target, &request(256), &[256]).unwrap();
    assert_fits(&captured, &engine, &[256], &request(256), &response);
    assert_eq!(captured.tls12().handshake.sni, None);
}

#[test]
fn a_server_may_ask_for_the_clients_certificate_and_gets_none() {
    let site = Site::with(KeyAlgorithm::P256, |config| asking(&config, false));
    let (mut engine, response) = (Clear::new(3), response("body"));
    let captured = site.query(&mut engine, &request(256), Answer::Notify(response.clone())).unwrap();
    assert_fits(&captured, &engine, &[256], &request(256), &response);
}

#[test]
fn sessions_at_the_same_time_do_not_mix() {
    let site = Site::new(KeyAlgorithm::P256);
    let run = |number: usize| {
        let (sent, response) = (request(300 + number), response(&format!("body {number}")));
        let address = listen(Arc::clone(&site.config), Answer::Notify(response.clone()));
        for round in 0..4 {
            let mut engine = Clear::new(10 * number as u64 + round);
            let socket = dial("127.0.0.1", address.port(), &ConnectionLimits::default()).unwrap();
            let lengths = [100, 200 + number];
            let captured = query(&mut engine, socket, &site.target(), &sent, &lengths).unwrap();
            assert_fits(&captured, &engine, &lengths, &sent, &response);
        }
    };
    thread::scope(|scope| {
        for number in 0..8 {
            scope.spawn(move || run(number));
        }
    });
}

/// Skipped, and said so, where there is no `openssl`.
#[test]
fn connections_with_openssl_are_captured() {
    if !openssl::is_there() {
        eprintln!("skipped: there is no openssl on the path");
        return;
    }
    let sigalgs = |name| ["-tls1_2", "-sigalgs", name];
    for (kind, options, switches, extended) in [
        (KeyAlgorithm::P256, &sigalgs("ECDSA+SHA256")[..], None, true),
        (KeyAlgorithm::P256, &sigalgs("ECDSA+SHA384"), None, true),
        (KeyAlgorithm::Rsa, &sigalgs("RSA+SHA256"), None, true),
        (KeyAlgorithm::Rsa, &sigalgs("RSA-PSS+SHA512"), None, true),
        (KeyAlgorithm::P256, &["-verify", "1"], None, true),
        (KeyAlgorithm::P256, &["-tls1_2", "-groups", "X25519"], None, true),
        (KeyAlgorithm::Rsa, &["-tls1_2", "-groups", "X25519"], None, true),
        (KeyAlgorithm::P256, &["-tls1_2"], Some("-ExtendedMasterSecret"), false),
    ] {
        let authority = Authority::new();
        let (issued, roots) = (authority.issue(kind, HOST), authority.roots());
        let server = Server::start(&issued, options, switches);
        let target = Target {
            host: HOST,
            roots: &roots,
            probed: false,
            limits: ConnectionLimits::default(),
            no_alpn: false,
        };
        let (mut engine, sent) = (Clear::new(4), request(256));
        let socket = std::net::TcpStream::connect(&server.address).unwrap();
        let captured = query(&mut engine, socket, &target, &sent, &[256]).unwrap();
        let response = application(&open(captured.tls12(), &engine.master, Side::Server));
        assert_fits(&captured, &engine, &[256], &sent, &response);
        assert_eq!(captured.tls12().handshake.extended_master_secret, extended, "{options:?}");
        assert_eq!(crate::page::http::parse(&sent, &response, true).unwrap()[0].response.status, 200);
    }
}

#[test]
fn a_server_that_names_no_protocol_gets_a_request_only_if_p_agreed() {
    let site = Site::with(KeyAlgorithm::P256, |mut config| {
        config.alpn_protocols.clear();
        config
    });
    let asks = |target: &Target<'_>| {
        let mut engine = Clear::new(1);
        let result = query(
            &mut engine,
            Local::new(&site.config, Answer::Notify(response("body"))),
            target,
            &request(256),
            &[256],
        );
        let asked = |asked: &Asked| matches!(asked, Asked::Encrypt(APPLICATION_DATA, _));
        (result, engine.asked.iter().any(asked))
    };
    let (refused, asked) = asks(&site.target());
    assert_eq!((refused, asked), (Err(Failure::NoProtocol.into()), false));
    let (captured, asked) = asks(&Target { no_alpn: true, ..site.target() });
    assert!(captured.is_ok() && asked, "{captured:?}");
}
