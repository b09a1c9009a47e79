//! Real connections are read as what they are; others are refused with the reason; changed bytes never panic.

use std::sync::Arc;

use proptest::prelude::*;
use rustls::client::Resumption;

use super::super::frame::MAX_RECORDS;
use super::super::testing::{
    Authority, HOST, KeyAlgorithm, Recorded, application, assert_says, client, connect, honest, open,
    openssl, provider, provider_of, server,
};
use super::*;
use crate::testing::hex;
use crate::wire::key_exchange::Group;
use crate::wire::transcript::{ALERT, HANDSHAKE, MAX_MESSAGE};

const ROUNDS: &[(&[u8], &[u8])] = &[(b"first query", b"first response"), (b"second", &[7; 40_000])];

#[test]
fn real_connections_say_what_was_said() {
    for (kind, suite) in [
        (KeyAlgorithm::P256, Suite::Aes128GcmSha256),
        (KeyAlgorithm::P384, Suite::Aes256GcmSha384),
        (KeyAlgorithm::Rsa, Suite::Aes128GcmSha256),
        (KeyAlgorithm::Rsa, Suite::ChaCha20Poly1305Sha256),
    ] {
        let authority = Authority::new();
        let issued = authority.issue(kind, HOST);
        let recorded = connect(client(&authority, provider_of(suite)), server(&issued), ROUNDS);
        let transcript = recorded.parse().unwrap();
        let queries: Vec<u8> = ROUNDS.iter().flat_map(|round| round.0).copied().collect();
        let responses: Vec<u8> = ROUNDS.iter().flat_map(|round| round.1).copied().collect();
        assert_says(&transcript, &recorded.master, &queries, &responses);
        let handshake = &transcript.handshake;
        assert!(handshake.extended_master_secret);
        assert_eq!(handshake.sni.as_deref(), Some(HOST));
        assert_eq!((handshake.suite, handshake.signer == Signer::Rsa), (suite, kind == KeyAlgorithm::Rsa));
        assert_eq!(handshake.params.len(), 4 + 65);
        assert_eq!(transcript.client.last().unwrap().content_type, ALERT, "close_notify");
    }
}

/// Skipped, and said so, where there is no `openssl`.
#[test]
fn connections_with_openssl_say_what_was_said() {
    if !openssl::is_there() {
        eprintln!("skipped: there is no openssl on the path");
        return;
    }
    for (kind, options, expected) in [
        (KeyAlgorithm::P256, &["-tls1_2", "-sigalgs", "ECDSA+SHA256"][..], Ok(Scheme::EcdsaSha256)),
        // It wants a certificate's curve among the groups of the key exchange, of which the client offers
        // one.
        (
            KeyAlgorithm::P384,
            &["-tls1_2"],
            Err(Error::Alert { side: Side::Server, level: 2, description: 40 }),
        ),
        (KeyAlgorithm::Rsa, &["-tls1_2", "-sigalgs", "RSA+SHA256"], Ok(Scheme::Pkcs1Sha256)),
        (KeyAlgorithm::Rsa, &["-tls1_2", "-sigalgs", "RSA-PSS+SHA512"], Ok(Scheme::PssSha512)),
        // Asks for a certificate of the client, which has none.
        (
            KeyAlgorithm::P256,
            &["-tls1_2", "-sigalgs", "ECDSA+SHA384", "-verify", "1"],
            Ok(Scheme::EcdsaSha384),
        ),
        (KeyAlgorithm::P256, &["-tls1_3"], Err(Error::OnlyNewer)),
    ] {
        let authority = Authority::new();
        let issued = authority.issue(kind, HOST);
        let recorded = openssl::connect(client(&authority, provider(false)), &issued, options, QUERY);
        let transcript = recorded.parse();
        assert_eq!(
            transcript.as_ref().map(|found| found.handshake.scheme),
            expected.as_ref().copied(),
            "{options:?}"
        );
        let Ok(transcript) = transcript else { continue };
        let response = application(&open(&transcript, &recorded.master, Side::Server));
        assert_says(&transcript, &recorded.master, QUERY, &response);
        let read = crate::page::http::parse(QUERY, &response, true).unwrap();
        assert_eq!(read[0].response.status, 200);
        let roots = authority.roots();
        assert!(
            crate::wire::server::verify(&transcript.handshake, HOST, &roots, 1_780_000_000).is_ok(),
            "{options:?}"
        );
    }
}

/// Connections between rustls and OpenSSL 3.0 that were recorded once: kind of key, the bytes, the master
/// secret, and the session hash that the first reading gave, which both ends' Finished messages confirm. They
/// are the seeds of the fuzz target `transcript`, too.
const RECORDED: [(KeyAlgorithm, &[u8], &str, &str); 2] = [
    (
        KeyAlgorithm::P256,
        include_bytes!("../testing/ecdsa.recorded"),
        "156fed580ff1c605c92286ffc0b20129b7efe8764d3cf700abf769f4f1a4b0e051315577a52a5b7e62a8c93e0136ac9e",
        "57313a149da3d1813066d43c0a14d6f6bdec125b3f5b979e210c43bf3ad76aa1",
    ),
    (
        KeyAlgorithm::Rsa,
        include_bytes!("../testing/rsa.recorded"),
        "eccffeb31fa95f55aed98d322a8ca1b498db954955988b30a7192563fb4fff378b6b7948f0e471e14097d4eb94c02024",
        "f29e91406af73de02c5202f58eee46bf164bfc7a4a2f7cd3e74bfaea85a39ee3",
    ),
];

const QUERY: &[u8] = b"GET / HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\n\r\n";

/// Length of the client's bytes, client's bytes, server's bytes.
fn take_apart(recorded: &[u8]) -> (&[u8], &[u8]) {
    let (length, rest) = recorded.split_first_chunk().unwrap();
    rest.split_at(u32::from_be_bytes(*length) as usize)
}

#[test]
fn recorded_connections_are_read_as_ever() {
    for (kind, recorded, master, session_hash) in RECORDED {
        let (client, server) = take_apart(recorded);
        let transcript = Transcript::parse(client, server).unwrap();
        let master = hex(master);
        let response = application(&open(&transcript, &master, Side::Server));
        assert_says(&transcript, &master, QUERY, &response);
        assert_eq!(transcript.handshake.session_hash.as_ref(), hex(session_hash), "{kind:?}");
        let read = crate::page::http::parse(QUERY, &response, true).unwrap();
        assert_eq!(read[0].response.status, 200);
    }
}

#[test]
fn records_are_counted_however_little_is_in_them() {
    let (_, recorded) = honest(KeyAlgorithm::P256, ROUNDS);
    let there = recorded.parse().unwrap().server.len();
    let empty = [&[23, 3, 3, 0, 24][..], &[0; 24]].concat();
    let with = |records: usize| {
        let server = [&recorded.server[..], &empty.repeat(records - there)].concat();
        Transcript::parse(&recorded.client, &server)
    };
    assert_eq!(with(MAX_RECORDS).unwrap().server.len(), MAX_RECORDS);
    let error = with(MAX_RECORDS + 1).unwrap_err();
    assert!(matches!(error, Error::Limit { side: Side::Server, limit: MAX_RECORDS, .. }), "{error:?}");
}

#[test]
#[ignore = "writes the recorded connections anew and prints their secrets and hashes, for RECORDED"]
fn record_connections() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/wire/transcript/testing");
    for (kind, name) in [(KeyAlgorithm::P256, "ecdsa.recorded"), (KeyAlgorithm::Rsa, "rsa.recorded")] {
        let authority = Authority::new();
        let issued = authority.issue(kind, HOST);
        let Recorded { client, server, master, .. } =
            openssl::connect(client(&authority, provider(false)), &issued, &["-tls1_2"], QUERY);
        let session_hash = Transcript::parse(&client, &server).unwrap().handshake.session_hash;
        let length = (client.len() as u32).to_be_bytes();
        std::fs::write(folder.join(name), [&length[..], &client, &server].concat()).unwrap();
        let print = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        println!("{name} {} {}", print(&master), print(session_hash.as_ref()));
    }
}

#[test]
fn a_chosen_protocol_is_reported() {
    let authority = Authority::new();
    let mut own = client(&authority, provider(false));
    own.alpn_protocols = vec![b"http/1.1".to_vec()];
    let mut other = server(&authority.issue(KeyAlgorithm::P256, HOST));
    other.alpn_protocols = vec![b"http/1.1".to_vec()];
    let transcript = connect(own, other, ROUNDS).parse().unwrap();
    assert_eq!(transcript.handshake.alpn.as_deref(), Some(&b"http/1.1"[..]));
}

/// A direction whose messages in the clear are spread over records of `size` bytes.
fn refragment(bytes: &[u8], size: usize) -> Vec<u8> {
    let (mut at, mut messages) = (0, Vec::new());
    while bytes[at] == HANDSHAKE {
        let length = usize::from(u16::from_be_bytes([bytes[at + 3], bytes[at + 4]]));
        messages.extend(&bytes[at + 5..at + 5 + length]);
        at += 5 + length;
    }
    let record = |part: &[u8]| [&[HANDSHAKE, 3, 3], &(part.len() as u16).to_be_bytes()[..], part].concat();
    let mut out: Vec<u8> = messages.chunks(size).flat_map(record).collect();
    out.extend(&bytes[at..]);
    out
}

#[test]
fn how_messages_lie_in_records_does_not_matter() {
    let (_, recorded) = honest(KeyAlgorithm::P256, ROUNDS);
    let expected = recorded.parse().unwrap();
    for size in [1, 2, 3, 5, 100, MAX_MESSAGE >> 2] {
        let client = refragment(&recorded.client, size);
        let server = refragment(&recorded.server, size);
        assert_eq!(Transcript::parse(&client, &server), Ok(expected.clone()), "{size}");
    }
}

/// A connection of which client and server are changed before it.
fn changed(
    kind: KeyAlgorithm,
    all: bool,
    change: impl FnOnce(&mut rustls::ClientConfig, &mut rustls::ServerConfig),
) -> Recorded {
    let authority = Authority::new();
    let mut own = client(&authority, provider(all));
    let mut other = server(&authority.issue(kind, HOST));
    change(&mut own, &mut other);
    connect(own, other, ROUNDS)
}

#[test]
fn other_suites_and_groups_are_named() {
    // AES-CBC, AES-CCM, an RSA key exchange, a suite of TLS 1.3: the server's hello has its suite after
    // version, random and session id.
    let (_, recorded) = honest(KeyAlgorithm::P256, ROUNDS);
    for number in [0xc009_u16, 0xc0ac, 0x009c, 0x1301] {
        let mut recorded = recorded.clone();
        let place = 5 + 4 + 2 + 32 + 1 + usize::from(recorded.server[5 + 4 + 2 + 32]);
        recorded.server[place..place + 2].copy_from_slice(&number.to_be_bytes());
        assert_eq!(recorded.parse(), Err(Error::Suite(number)));
    }
    // Suites that can be proved, and that the client did not offer; or the signature is of another key's
    // kind.
    for number in [0xc02c_u16, 0xc030, 0xcca9, 0xcca8, 0xc02f] {
        let mut recorded = recorded.clone();
        let place = 5 + 4 + 2 + 32 + 1 + usize::from(recorded.server[5 + 4 + 2 + 32]);
        recorded.server[place..place + 2].copy_from_slice(&number.to_be_bytes());
        let error = recorded.parse().unwrap_err();
        match number {
            0xc02f => assert_eq!(error, Error::Scheme(0x0403)),
            _ => assert!(error.to_string().contains("does not offer"), "{error}"),
        }
    }
    let authority = Authority::new();
    let mut groups = provider(false);
    groups.kx_groups = vec![rustls::crypto::ring::kx_group::SECP384R1];
    let other = server(&authority.issue(KeyAlgorithm::P256, HOST));
    assert_eq!(connect(client(&authority, groups), other, ROUNDS).parse(), Err(Error::Group(24)));
}

#[test]
fn connections_over_x25519_say_what_was_said_and_which_group_it_was() {
    let authority = Authority::new();
    let mut x25519 = provider(false);
    x25519.kx_groups = vec![rustls::crypto::ring::kx_group::X25519];
    let other = server(&authority.issue(KeyAlgorithm::Rsa, HOST));
    let recorded = connect(client(&authority, x25519), other, ROUNDS);
    let transcript = recorded.parse().unwrap();
    let [queries, responses]: [Vec<u8>; 2] = [
        ROUNDS.iter().flat_map(|round| round.0).copied().collect(),
        ROUNDS.iter().flat_map(|round| round.1).copied().collect(),
    ];
    assert_says(&transcript, &recorded.master, &queries, &responses);
    let handshake = &transcript.handshake;
    assert_eq!(
        [handshake.server_point, handshake.client_point].map(|point| point.group()),
        [Group::X25519; 2]
    );
    assert_eq!(handshake.params, [&[3, 0, 29, 32][..], &handshake.server_point.to_bytes()].concat());

    // Either end's point on the twist, or of small order.
    let places = [(&handshake.server_point, 1), (&handshake.client_point, 0)];
    for (point, side) in places {
        for bad in [0, 2] {
            let mut raw = [recorded.client.clone(), recorded.server.clone()];
            let bytes = point.to_bytes();
            let at = raw[side].windows(32).position(|window| window == bytes).unwrap();
            raw[side][at..at + 32].fill(0);
            raw[side][at] = bad;
            let error = Transcript::parse(&raw[0], &raw[1]).unwrap_err();
            assert!(matches!(error, Error::Malformed { .. }), "{error:?}");
        }
    }
}

#[test]
fn tls_1_3_is_named_whether_it_is_chosen_or_demanded() {
    let authority = Authority::new();
    let issued = authority.issue(KeyAlgorithm::P256, HOST);
    let key = || rustls::pki_types::PrivateKeyDer::try_from(issued.key.serialize_der()).unwrap();
    let newer = || {
        let config = rustls::ServerConfig::builder_with_protocol_versions(&[&rustls::version::TLS13]);
        let certificates = vec![issued.certificate.der().clone()];
        config.with_no_client_auth().with_single_cert(certificates, key()).unwrap()
    };
    let old = client(&authority, provider(false));
    assert_eq!(connect(old, newer(), ROUNDS).parse(), Err(Error::OnlyNewer));
    let mut roots = rustls::RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    let both = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    assert_eq!(connect(both, newer(), ROUNDS).parse(), Err(Error::Version(0x0304)));
}

#[test]
fn resumed_sessions_and_tickets_are_refused() {
    let authority = Authority::new();
    let other = server(&authority.issue(KeyAlgorithm::P256, HOST));
    let mut own = client(&authority, provider(false));
    own.resumption =
        Resumption::in_memory_sessions(4).tls12_resumption(rustls::client::Tls12Resumption::SessionIdOnly);
    assert!(connect(own.clone(), other.clone(), ROUNDS).parse().is_ok());
    assert_eq!(connect(own, other.clone(), ROUNDS).parse(), Err(Error::Resumed));
    let mut other = other;
    other.ticketer = rustls::crypto::ring::Ticketer::new().unwrap();
    let mut own = client(&authority, provider(false));
    own.resumption = Resumption::in_memory_sessions(4);
    assert_eq!(connect(own.clone(), other.clone(), ROUNDS).parse(), Err(Error::Ticket));
    assert_eq!(connect(own, other, ROUNDS).parse(), Err(Error::Resumed));
}

#[test]
fn whoever_gives_up_is_named() {
    // No suite in common: a client for ECDSA alone, a server with an RSA key.
    let one = changed(KeyAlgorithm::Rsa, false, |own, _| {
        let mut provider = provider(false);
        provider.cipher_suites.remove(1);
        assert_eq!(provider.cipher_suites.len(), 1);
        let versions = &[&rustls::version::TLS12];
        let config = rustls::ClientConfig::builder_with_provider(Arc::new(provider));
        let config = config.with_protocol_versions(versions).unwrap();
        *own = config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth();
    });
    let result = one.parse();
    assert!(matches!(result, Err(Error::Alert { side: Side::Server, level: 2, .. })), "{result:?}");
    let stranger = changed(KeyAlgorithm::P256, false, |_, other| {
        *other = server(&Authority::new().issue(KeyAlgorithm::P256, HOST))
    });
    let result = stranger.parse();
    assert!(matches!(result, Err(Error::Alert { side: Side::Client, level: 2, .. })), "{result:?}");
}

#[test]
fn a_server_without_tls_is_malformed() {
    let (_, recorded) = honest(KeyAlgorithm::P256, ROUNDS);
    let result = Transcript::parse(&recorded.client, b"HTTP/1.1 400 Bad Request\r\n\r\n");
    assert!(matches!(result, Err(Error::Malformed { side: Side::Server, .. })), "{result:?}");
}

#[test]
fn anything_cut_is_truncated() {
    let (_, recorded) = honest(KeyAlgorithm::P256, &[(b"query", b"response")]);
    let (client, server) = (&recorded.client, &recorded.server);
    // Whole records missing at the end do not show here: it is the closing alert that tells.
    for (side, bytes) in [(Side::Client, client), (Side::Server, server)] {
        let whole: Vec<usize> = records(bytes).iter().map(|record| record.start).collect();
        let data = whole[whole.len() - 2];
        for end in 0..bytes.len() {
            let cut = &bytes[..end];
            let result = match side {
                Side::Client => Transcript::parse(cut, server),
                Side::Server => Transcript::parse(client, cut),
            };
            if end >= data && whole.contains(&end) {
                assert!(result.is_ok(), "{side:?} {end}");
            } else {
                let named = matches!(result, Err(Error::Truncated { side: found, .. }) if found == side);
                assert!(named, "{side:?} {end} {result:?}");
            }
        }
    }
}

/// Records of a direction, as ranges.
fn records(bytes: &[u8]) -> Vec<core::ops::Range<usize>> {
    let (mut at, mut all) = (0, Vec::new());
    while at < bytes.len() {
        let end = at + 5 + usize::from(u16::from_be_bytes([bytes[at + 3], bytes[at + 4]]));
        all.push(at..end);
        at = end;
    }
    all
}

#[test]
fn handshakes_after_the_first_are_renegotiation() {
    let (_, recorded) = honest(KeyAlgorithm::P256, ROUNDS);
    let mut server = recorded.server.clone();
    let last = records(&server).last().unwrap().start;
    server[last] = HANDSHAKE;
    assert_eq!(Transcript::parse(&recorded.client, &server), Err(Error::Renegotiation(Side::Server)));
    let mut client = recorded.client.clone();
    let last = records(&client).last().unwrap().start;
    client[last] = HANDSHAKE;
    assert_eq!(Transcript::parse(&client, &recorded.server), Err(Error::Renegotiation(Side::Client)));
}

#[test]
fn a_clients_certificate_is_refused_and_its_absence_is_not() {
    let authority = Authority::new();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    let asking = || {
        let provider = Arc::new(provider(true));
        let roots = Arc::new(roots.clone());
        let verifier =
            rustls::server::WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(&provider));
        let verifier = verifier.allow_unauthenticated().build().unwrap();
        let issued = authority.issue(KeyAlgorithm::P256, HOST);
        let key = rustls::pki_types::PrivateKeyDer::try_from(issued.key.serialize_der()).unwrap();
        let config = rustls::ServerConfig::builder_with_provider(provider);
        let config = config.with_protocol_versions(&[&rustls::version::TLS12]).unwrap();
        let config = config.with_client_cert_verifier(verifier);
        config.with_single_cert(vec![issued.certificate.der().clone()], key).unwrap()
    };
    let silent = connect(client(&authority, provider(false)), asking(), &[(b"query", b"response")]);
    assert_says(&silent.parse().unwrap(), &silent.master, b"query", b"response");

    let named = authority.issue(KeyAlgorithm::P256, "person.example.com");
    let key = rustls::pki_types::PrivateKeyDer::try_from(named.key.serialize_der()).unwrap();
    let config = rustls::ClientConfig::builder_with_provider(Arc::new(provider(false)));
    let config = config.with_protocol_versions(&[&rustls::version::TLS12]).unwrap();
    let config = config.with_root_certificates(roots.clone());
    let config = config.with_client_auth_cert(vec![named.certificate.der().clone()], key).unwrap();
    let result = connect(config, asking(), &[(b"query", b"response")]).parse();
    assert_eq!(result, Err(Error::ClientCertificate));
}

/// The recorded connection with an ECDSA key, whose server's bytes are the same in each run.
fn ecdsa() -> (Vec<u8>, Vec<u8>) {
    let (client, server) = take_apart(RECORDED[0].1);
    (client.to_vec(), server.to_vec())
}

#[test]
fn other_signature_schemes_and_points_off_the_curve_are_refused() {
    let (client, server) = ecdsa();
    let params = Transcript::parse(&client, &server).unwrap().handshake.params;
    let end = server.windows(params.len()).position(|window| window == params).unwrap() + params.len();
    // With SHA-512; of RSA keys; with SHA-1; Ed25519.
    for scheme in [0x0603_u16, 0x0401, 0x0203, 0x0807] {
        let mut server = server.clone();
        server[end..end + 2].copy_from_slice(&scheme.to_be_bytes());
        assert_eq!(Transcript::parse(&client, &server), Err(Error::Scheme(scheme)));
    }
    let mut server = server;
    server[end - 1] ^= 1;
    let result = Transcript::parse(&client, &server);
    assert!(matches!(result, Err(Error::Malformed { what: "ServerKeyExchange", .. })), "{result:?}");
}

#[test]
fn messages_out_of_place_are_unexpected() {
    let (client, server) = ecdsa();
    let place = |bytes: &[u8], kind: u8| {
        records(bytes).into_iter().find(|record| bytes[record.start] == kind).unwrap()
    };
    let with = |bytes: &[u8], range: core::ops::Range<usize>, new: &[u8]| {
        [&bytes[..range.start], new, &bytes[range.end..]].concat()
    };
    let [own, other] = [place(&client, 20), place(&server, 20)];
    let expect = |result: Result<Transcript, Error>, whose: Side, what: &str| {
        let named = matches!(&result, Err(Error::Unexpected { side, expected, .. }) if *side == whose && *expected == what);
        assert!(named, "{result:?}");
    };
    // ServerHelloDone again; ChangeCipherSpec again; data instead of ChangeCipherSpec.
    let again = with(&server, other.start..other.start, &[22, 3, 3, 0, 4, 14, 0, 0, 0]);
    expect(Transcript::parse(&client, &again), Side::Server, "ChangeCipherSpec");
    let again = with(&client, own.clone(), &[20, 3, 3, 0, 1, 1, 20, 3, 3, 0, 1, 1]);
    expect(Transcript::parse(&again, &server), Side::Client, "Finished");
    let data = with(&client, own.start..client.len(), &[23, 3, 3, 0, 1, 0]);
    expect(Transcript::parse(&data, &server), Side::Client, "a handshake message");
    // ChangeCipherSpec before ClientKeyExchange, and a request for another handshake.
    let hello = records(&client)[0].end;
    let early = with(&client, hello..own.start, &[]);
    expect(Transcript::parse(&early, &server), Side::Client, "ClientKeyExchange");
    let request = with(&server, other.start..other.start, &[22, 3, 3, 0, 4, 0, 0, 0, 0]);
    assert_eq!(Transcript::parse(&client, &request), Err(Error::Renegotiation(Side::Server)));
}

#[test]
fn large_inputs_are_refused_by_name() {
    let message = [&[11, 1, 0, 1][..], &[0; 64]].concat();
    let (_, recorded) = honest(KeyAlgorithm::P256, ROUNDS);
    let hello = records(&recorded.server)[0].clone();
    let hello_length = 9 + usize::from(u16::from_be_bytes([
        recorded.server[hello.start + 7],
        recorded.server[hello.start + 8],
    ]));
    let record = |part: &[u8]| [&[HANDSHAKE, 3, 3], &(part.len() as u16).to_be_bytes()[..], part].concat();
    let server = [record(&recorded.server[5..hello_length]), record(&message)].concat();
    let result = Transcript::parse(&recorded.client, &server);
    assert!(matches!(result, Err(Error::Limit { what: "Certificate", found: 65_537, .. })), "{result:?}");
    let endless: Vec<u8> = (0..9).flat_map(|_| record(&[1; 1 << 14])).collect();
    let result = Transcript::parse(&endless, &server);
    assert!(matches!(result, Err(Error::Limit { side: Side::Client, .. })), "{result:?}");
}

/// A connection that is made once for all cases.
fn fixed() -> &'static (Recorded, Transcript) {
    static FIXED: std::sync::LazyLock<(Recorded, Transcript)> = std::sync::LazyLock::new(|| {
        let (_, recorded) = honest(KeyAlgorithm::P256, &[(b"query", b"response")]);
        let transcript = recorded.parse().unwrap();
        (recorded, transcript)
    });
    &FIXED
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_changed_byte_is_refused_or_changes_the_reading(from_client: bool, at: prop::sample::Index, change in 1_u8..) {
        let (recorded, transcript) = fixed();
        let mut recorded = recorded.clone();
        let bytes = if from_client { &mut recorded.client } else { &mut recorded.server };
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        // The version of a client's first record has no meaning.
        if !(from_client && at == 2) {
            prop_assert_ne!(&recorded.parse(), &Ok(transcript.clone()));
        }
    }

    #[test]
    fn bytes_cut_out_or_repeated_never_panic(
        from_client: bool,
        cut in any::<[prop::sample::Index; 2]>(),
        repeat: bool,
    ) {
        let (recorded, _) = fixed();
        let mut recorded = recorded.clone();
        let bytes = if from_client { &mut recorded.client } else { &mut recorded.server };
        let [a, b] = cut.map(|index| index.index(bytes.len()));
        let part = bytes[a.min(b)..a.max(b)].to_vec();
        if repeat {
            bytes.extend(part);
        } else {
            bytes.drain(a.min(b)..a.max(b));
        }
        let _ = recorded.parse();
    }

    #[test]
    fn any_bytes_never_panic(client: Vec<u8>, server: Vec<u8>) {
        prop_assert!(Transcript::parse(&client, &server).is_err());
    }
}
