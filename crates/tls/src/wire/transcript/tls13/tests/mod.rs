//! Real connections are read as what they are; forged ones are refused with the reason; changed bytes never
//! panic, and never get another reading.

mod changes;
mod forged;

use rustls::crypto::ring::kx_group::{SECP256R1, X25519};

use super::super::testing::{
    Authority, HOST, KeyAlgorithm, Recorded, client_13, client_13_of, connect, openssl, server,
};
use super::protected::{OpeningKey, content};
use super::*;
use crate::testing::hex;
use crate::wire::hash::HashFunction;
use crate::wire::key_exchange::Group;
use crate::wire::key_schedule::{EarlySecret, MasterSecret};
use crate::wire::server::verify;
use crate::wire::transcript::{ALERT, APPLICATION_DATA, HANDSHAKE, tls12};

const ROUNDS: &[(&[u8], &[u8])] = &[(b"first query", b"first response"), (b"second", &[7; 40_000])];
/// In 2026.
const NOW: u64 = 1_780_000_000;

/// The secrets that opened a connection's handshake, and those of its data.
fn secrets(traffic: &[[Vec<u8>; 2]; 2]) -> (HandshakeSecrets, [TrafficSecret; 2]) {
    let hash = if traffic[0][0].len() == 32 { HashFunction::Sha256 } else { HashFunction::Sha384 };
    let secret = |bytes: &Vec<u8>| TrafficSecret::from_bytes(hash, bytes).unwrap();
    let [[client, server], data] = traffic;
    (HandshakeSecrets { client: secret(client), server: secret(server) }, data.each_ref().map(secret))
}

/// A direction's contents, with their types.
fn open(side: Side, suite: Suite, secret: &TrafficSecret, records: &[Record]) -> Vec<(u8, Vec<u8>)> {
    let key = OpeningKey::new(suite, secret).unwrap();
    let open = |(sequence, record): (u64, &Record)| {
        let content = content(side, key.open(record, sequence).unwrap().to_vec()).unwrap();
        (content.content_type, content.bytes)
    };
    (0..).zip(records).map(open).collect()
}

fn application(contents: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let data = contents.iter().filter(|(kind, _)| *kind == APPLICATION_DATA);
    data.flat_map(|(_, bytes)| bytes).copied().collect()
}

/// All that a transcript is for: opened, it tells who the server is and where data begins.
fn assert_says(
    recorded: &Recorded,
    roots: &crate::wire::server::Roots,
    query: &[u8],
    response: &[u8],
) -> Opened {
    let (handshake, [client, server]) = secrets(recorded.traffic.as_ref().unwrap());
    let transcript = Transcript::parse(&recorded.client, &recorded.server).unwrap();
    let opened = transcript.open(&handshake).unwrap();
    verify(&opened.handshake, HOST, roots, NOW).unwrap();
    assert_eq!(opened.handshake.hello.sni.as_deref(), Some(HOST));
    let suite = opened.handshake.hello.suite;
    let from_client = open(Side::Client, suite, &client, &opened.client);
    assert_eq!(application(&from_client), query);
    assert_eq!(from_client.last().unwrap(), &(ALERT, vec![1, 0]), "close_notify");
    let from_server = open(Side::Server, suite, &server, &opened.server);
    assert!(response.is_empty() || application(&from_server) == response);
    assert!(from_server.iter().any(|(kind, bytes)| *kind == HANDSHAKE && bytes[0] == 4), "a ticket");
    opened
}

#[test]
fn real_connections_say_what_was_said() {
    let queries: Vec<u8> = ROUNDS.iter().flat_map(|round| round.0).copied().collect();
    let responses: Vec<u8> = ROUNDS.iter().flat_map(|round| round.1).copied().collect();
    for (kind, group, expected, scheme, suite) in [
        (KeyAlgorithm::P256, SECP256R1, Group::P256, Scheme::EcdsaSha256, Suite::Aes128GcmSha256),
        (KeyAlgorithm::P384, X25519, Group::X25519, Scheme::EcdsaSha384, Suite::Aes256GcmSha384),
        (KeyAlgorithm::Rsa, X25519, Group::X25519, Scheme::PssSha512, Suite::ChaCha20Poly1305Sha256),
    ] {
        let authority = Authority::new();
        let issued = authority.issue(kind, HOST);
        let recorded = connect(client_13_of(&authority, group, suite), server(&issued), ROUNDS);
        let opened = assert_says(&recorded, &authority.roots(), &queries, &responses);
        let Handshake { hello, alpn, scheme: found, .. } = opened.handshake;
        assert_eq!([hello.server_point, hello.client_point].map(|point| point.group()), [expected; 2]);
        assert_eq!((alpn.as_deref(), found), (Some(&b"http/1.1"[..]), scheme));
        assert_eq!(hello.suite, suite);
    }
}

/// Skipped, and said so, where there is no `openssl`.
#[test]
fn connections_with_openssl_say_what_was_said() {
    if !openssl::is_there() {
        eprintln!("skipped: there is no openssl on the path");
        return;
    }
    const QUERY: &[u8] = b"GET / HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\n\r\n";
    for (kind, options, group, expected) in [
        (KeyAlgorithm::P256, &["-tls1_3"][..], SECP256R1, Ok(Scheme::EcdsaSha256)),
        (KeyAlgorithm::P384, &["-tls1_3"], X25519, Ok(Scheme::EcdsaSha384)),
        (KeyAlgorithm::Rsa, &["-tls1_3", "-sigalgs", "RSA-PSS+SHA256"], X25519, Ok(Scheme::PssSha256)),
        (KeyAlgorithm::Rsa, &["-tls1_3", "-groups", "X25519"], SECP256R1, Err(Error::HelloRetry)),
        (KeyAlgorithm::P256, &["-tls1_3", "-verify", "1"], SECP256R1, Err(Error::CertificateRequest)),
        (KeyAlgorithm::P256, &["-tls1_2"], SECP256R1, Err(Error::OnlyOlder)),
    ] {
        let authority = Authority::new();
        let issued = authority.issue(kind, HOST);
        let recorded = openssl::connect(client_13(&authority, group), &issued, options, QUERY);
        match expected {
            Ok(scheme) => {
                let opened = assert_says(&recorded, &authority.roots(), QUERY, b"");
                assert_eq!(opened.handshake.scheme, scheme);
            }
            Err(error) => {
                let result = Transcript::parse(&recorded.client, &recorded.server);
                let result = result
                    .and_then(|transcript| transcript.open(&secrets(recorded.traffic.as_ref().unwrap()).0));
                assert_eq!(result.unwrap_err(), error, "{options:?}");
            }
        }
    }
}

/// Both directions of the trace of RFC 8448, section 3.
fn rfc_8448() -> [Vec<u8>; 2] {
    let lines = include_str!("rfc8448.txt").lines();
    ["client ", "server "]
        .map(|sender| lines.clone().filter_map(|line| line.strip_prefix(sender)).flat_map(hex).collect())
}

/// From the secret of the key exchange to the data, with no other secret in between.
#[test]
fn the_trace_of_rfc_8448_says_what_was_said() {
    let [client, server] = rfc_8448();
    // It has no ChangeCipherSpec.
    assert_eq!(tls12::Transcript::parse(&client, &server).unwrap_err(), Error::Version(VERSION));
    let transcript = Transcript::parse(&client, &server).unwrap();
    let shared = hex("8bd4054fb55b9d63fdfbacf9f04b9f0d35e6d63f537563efd46272900f89492d");
    let secret = EarlySecret::new(HashFunction::Sha256).handshake(&shared);
    let hash = transcript.hello.hash;
    let [client, server] = [Side::Client, Side::Server].map(|side| secret.traffic(side, &hash));
    let opened = transcript.open(&HandshakeSecrets { client, server }).unwrap();
    let Handshake { hello, certificates, scheme, alpn, finished_hash, .. } = &opened.handshake;
    assert_eq!((hello.sni.as_deref(), alpn, *scheme), (Some("server"), &None, Scheme::PssSha256));
    assert_eq!((certificates.len(), certificates[0].len()), (1, 432));
    let master: MasterSecret = secret.master();
    let contents = [(Side::Client, &opened.client), (Side::Server, &opened.server)]
        .map(|(side, records)| open(side, hello.suite, &master.traffic(side, finished_hash), records));
    let data: Vec<u8> = (0..50).collect();
    let alert = (ALERT, vec![1, 0]);
    let [client, server] = contents;
    assert_eq!(client, [(APPLICATION_DATA, data.clone()), alert.clone()]);
    assert_eq!(server[1..], [(APPLICATION_DATA, data), alert]);
    assert_eq!((server[0].0, &server[0].1[..4]), (HANDSHAKE, &[4, 0, 0, 201][..]));
}

#[test]
fn each_version_s_reader_names_the_other_version() {
    let authority = Authority::new();
    let issued = authority.issue(KeyAlgorithm::P256, HOST);
    let new = connect(client_13(&authority, SECP256R1), server(&issued), ROUNDS);
    let result = tls12::Transcript::parse(&new.client, &new.server);
    assert_eq!(result.unwrap_err(), Error::Version(VERSION));
    let old = super::super::testing::client(&authority, super::super::testing::provider(false));
    let old = connect(old, server(&issued), ROUNDS);
    assert_eq!(
        Transcript::parse(&old.client, &old.server).unwrap_err(),
        Error::malformed(Side::Client, "ClientHello", "it does not offer TLS 1.3")
    );
    // A client of both versions, and a server of the older one.
    let provider = rustls::crypto::ring::default_provider();
    let both = rustls::ClientConfig::builder_with_provider(provider.clone().into());
    let both = both.with_safe_default_protocol_versions().unwrap();
    let both = both.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth();
    let only = rustls::ServerConfig::builder_with_provider(provider.into());
    let only = only.with_protocol_versions(&[&rustls::version::TLS12]).unwrap().with_no_client_auth();
    let only = only.with_cert_resolver(server(&issued).cert_resolver.clone());
    let old = connect(both, only.clone(), ROUNDS);
    assert_eq!(Transcript::parse(&old.client, &old.server).unwrap_err(), Error::Older(0x0303));
    let refused = connect(client_13(&authority, SECP256R1), only, ROUNDS);
    assert_eq!(Transcript::parse(&refused.client, &refused.server).unwrap_err(), Error::OnlyOlder);
}
