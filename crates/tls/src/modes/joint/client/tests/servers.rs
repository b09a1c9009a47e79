//! Servers that are not the one that is meant, or not what can be proved, or that fail: none of them reaches
//! the two parties.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use rcgen::{CertificateParams, PKCS_ED25519, date_time_ymd};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::PrivateKeyDer;
use rustls::{CipherSuite, ServerConfig, SupportedProtocolVersion};

use super::*;
use crate::wire::key_exchange::Group;
use crate::wire::server::Roots;
use crate::wire::transcript;
use crate::wire::transcript::testing::{Issued, hello_retry, of_group, provider};

/// What a connection with this stream comes to; the engine is not to be asked for anything.
fn refused<S: Socket + Send>(stream: S, target: &Target<'_>) -> Failure {
    let mut engine = Clear::new(1);
    let result = query(&mut engine, stream, target, &request(256), &[256]);
    assert_eq!(engine.asked, [], "{result:?}");
    failure(result)
}

fn failure(result: Result<Captured, Error>) -> Failure {
    match result {
        Err(Error::Connection(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

fn answer() -> Answer {
    Answer::Notify(response("body"))
}

fn distrust(site: &Site, target: &Target<'_>) -> Distrust {
    match refused(Local::new(&site.config, answer()), target) {
        Failure::Untrusted { reason, .. } => reason,
        other => panic!("{other:?}"),
    }
}

/// A server with a certificate of these parameters.
fn issued(change: impl FnOnce(&mut CertificateParams)) -> Site {
    let authority = Authority::new();
    let mut params = CertificateParams::new(vec![HOST.to_owned()]).unwrap();
    change(&mut params);
    let config = transcript::testing::server(&authority.issue_with(KeyAlgorithm::P256, params));
    Site { roots: authority.roots(), config: Arc::new(config) }
}

#[test]
fn a_server_that_is_not_the_one_meant_never_reaches_the_two_parties() {
    let site = Site::new(KeyAlgorithm::P256);
    let elsewhere = Target { host: "other.example.com", ..site.target() };
    assert_eq!(distrust(&site, &elsewhere), Distrust::Host);
    let expired = issued(|params| params.not_after = date_time_ymd(2020, 1, 1));
    assert_eq!(distrust(&expired, &expired.target()), Distrust::Time);
    let early = issued(|params| params.not_before = date_time_ymd(2200, 1, 1));
    assert_eq!(distrust(&early, &early.target()), Distrust::Time);
    let (stranger, none) = (Authority::new().roots(), Roots::none());
    // The stranger has the authority's name, but another key.
    for (roots, expected) in [(&stranger, Distrust::Signature), (&none, Distrust::Issuer)] {
        assert_eq!(distrust(&site, &Target { roots, ..site.target() }), expected);
    }
    let no_server = issued(|params| {
        params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth];
    });
    assert_eq!(distrust(&no_server, &no_server.target()), Distrust::Certificate);
    let name = refused(Local::new(&site.config, answer()), &Target { host: "no name", ..site.target() });
    assert_eq!(name, Failure::Name);
}

#[test]
fn a_certificate_with_the_key_of_another_never_reaches_the_two_parties() {
    let authority = Authority::new();
    let (shown, own) = (authority.issue(KeyAlgorithm::P256, HOST), authority.issue(KeyAlgorithm::P256, HOST));
    // rustls refuses to begin with a pair that does not belong together, so the certificate is exchanged on
    // the way.
    let config = Arc::new(transcript::testing::server(&own));
    let site = Site { roots: authority.roots(), config };
    let (own, shown) = (own.certificate.der().to_vec(), shown.certificate.der().to_vec());
    let exchange = |flight: &mut Vec<u8>| {
        let Some(start) = flight.windows(own.len()).position(|part| part == own) else { return };
        flight.splice(start..start + own.len(), shown.iter().copied());
        let longer = shown.len() as i64 - own.len() as i64;
        // The lengths of record, message, list and certificate.
        for (place, bytes) in
            [(3, 2), (message(flight, CERTIFICATE).start - 3, 3), (start - 6, 3), (start - 3, 3)]
        {
            let field = &mut flight[place..place + bytes];
            let length = field.iter().fold(0, |sum, byte| sum << 8 | i64::from(*byte)) + longer;
            field.copy_from_slice(&length.to_be_bytes()[8 - bytes..]);
        }
    };
    let failure = refused(Local::changed(&site.config, answer(), exchange), &site.target());
    assert!(matches!(failure, Failure::Untrusted { reason: Distrust::Signature, .. }), "{failure:?}");
}

/// Where the contents of a message are in a flight that is one record.
fn message(flight: &[u8], kind: u8) -> core::ops::Range<usize> {
    let mut start = 5;
    loop {
        let [found, a, b, c] = *flight[start..].first_chunk().unwrap();
        let end = start + 4 + u32::from_be_bytes([0, a, b, c]) as usize;
        if found == kind {
            return start + 4..end;
        }
        start = end;
    }
}

const CERTIFICATE: u8 = 11;
const KEY_EXCHANGE: u8 = 12;

#[test]
fn no_altered_byte_of_certificate_or_key_exchange_reaches_the_two_parties() {
    for kind in [KeyAlgorithm::P256, KeyAlgorithm::Rsa] {
        let site = Site::new(kind);
        // A certificate is long.
        for (part, step) in [(CERTIFICATE, 7), (KEY_EXCHANGE, 1)] {
            // Signatures differ in length by a few bytes; the last of these connections may alter the message
            // after.
            let (mut place, mut length) = (0, 1);
            while place < length {
                let alter = |flight: &mut Vec<u8>| {
                    if flight[5] == 2 {
                        let range = message(flight, part);
                        length = range.len();
                        flight[range.start + place] ^= 1 << (place % 8);
                    }
                };
                refused(Local::changed(&site.config, answer(), alter), &site.target());
                place += step;
            }
            assert!(length > 100);
        }
    }
}

#[test]
fn another_random_of_the_server_never_reaches_the_two_parties() {
    let site = Site::new(KeyAlgorithm::P256);
    for place in [11, 20, 42] {
        let alter = |flight: &mut Vec<u8>| {
            if flight[5] == 2 {
                flight[place] ^= 1;
            }
        };
        let failure = refused(Local::changed(&site.config, answer(), alter), &site.target());
        assert!(matches!(failure, Failure::Untrusted { reason: Distrust::Signature, .. }), "{failure:?}");
    }
}

/// The client's random is another one.
#[test]
fn a_replayed_server_never_reaches_the_two_parties() {
    let site = Site::new(KeyAlgorithm::P256);
    let mut flight = Vec::new();
    let keep = |bytes: &mut Vec<u8>| {
        if flight.is_empty() {
            flight.extend_from_slice(bytes);
        }
    };
    assert!(changed(&site, answer(), keep).is_ok());
    let failure = refused(Script::new(&flight), &site.target());
    assert!(matches!(failure, Failure::Untrusted { reason: Distrust::Signature, .. }), "{failure:?}");
}

/// A server of these versions and this cryptography, with a certificate of the authority.
fn custom(
    authority: &Authority,
    issued: &Issued,
    provider: CryptoProvider,
    versions: &[&'static SupportedProtocolVersion],
) -> Site {
    let key = PrivateKeyDer::try_from(issued.key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(provider));
    let config = config.with_protocol_versions(versions).unwrap().with_no_client_auth();
    let config = config.with_single_cert(vec![issued.certificate.der().clone()], key).unwrap();
    Site { roots: authority.roots(), config: Arc::new(config) }
}

#[test]
fn servers_of_tls_1_3_only_are_named_as_such() {
    let authority = Authority::new();
    let issued = authority.issue(KeyAlgorithm::P256, HOST);
    let site = custom(&authority, &issued, ring::default_provider(), &[&TLS13]);
    assert_eq!(refused(Local::new(&site.config, answer()), &site.target()), Failure::OnlyNewer);
}

#[test]
fn servers_of_one_group_alone_get_a_key_in_it() {
    for (group, kx) in [(Group::P256, ring::kx_group::SECP256R1), (Group::X25519, ring::kx_group::X25519)] {
        for kind in [KeyAlgorithm::P256, KeyAlgorithm::Rsa] {
            let site = Site::with(kind, |config| of_group(&config, kx));
            let mut engine = Clear::new(5);
            let captured = site.query(&mut engine, &request(256), answer()).unwrap();
            assert_fits(&captured, &engine, &[256], &request(256), &response("body"));
            assert_eq!(captured.tls12().handshake.server_point.group(), group);
        }
    }
}

#[test]
fn servers_with_nothing_that_can_be_proved_are_named_as_such() {
    let authority = Authority::new();
    let p256 = authority.issue(KeyAlgorithm::P256, HOST);
    let suite = |wanted| {
        let mut provider = provider(true);
        provider.cipher_suites.retain(|suite| suite.suite() == wanted);
        provider
    };
    let other_suite = suite(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384);
    let other_kind = suite(CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256);
    let other_group = CryptoProvider { kx_groups: vec![ring::kx_group::SECP384R1], ..provider(true) };
    let key = rcgen::KeyPair::generate_for(&PKCS_ED25519).unwrap();
    let ed25519 = authority.issue_for(key, CertificateParams::new(vec![HOST.to_owned()]).unwrap());
    for (issued, provider, expected) in [
        (&p256, other_suite, Failure::NothingInCommon),
        (&p256, other_kind, Failure::NothingInCommon),
        (&p256, other_group, Failure::NothingInCommon),
        // A server of rustls says nothing about a key that it can't sign with.
        (&ed25519, provider(true), Failure::Closed),
    ] {
        let site = custom(&authority, issued, provider, &[&TLS12]);
        assert_eq!(refused(Local::new(&site.config, answer()), &site.target()), expected);
    }
}

/// Skipped, and said so, where there is no `openssl`.
#[test]
fn openssl_with_nothing_that_can_be_proved_is_refused() {
    if !openssl::is_there() {
        eprintln!("skipped: there is no openssl on the path");
        return;
    }
    for (options, expected) in [
        (&["-tls1_3"][..], Failure::OnlyNewer),
        (&["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384"], Failure::NothingInCommon),
        (&["-tls1_2", "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305"], Failure::NothingInCommon),
        (&["-tls1_2", "-groups", "P-384"], Failure::NothingInCommon),
    ] {
        let authority = Authority::new();
        let (issued, roots) = (authority.issue(KeyAlgorithm::P256, HOST), authority.roots());
        let server = Server::start(&issued, options, None);
        let target = Target {
            host: HOST,
            roots: &roots,
            probed: false,
            limits: ConnectionLimits::default(),
            no_alpn: false,
        };
        let socket = TcpStream::connect(&server.address).unwrap();
        assert_eq!(refused(socket, &target), expected, "{options:?}");
    }
}

/// A server that says this, whatever it hears.
struct Script(io::Cursor<Vec<u8>>);

impl Script {
    fn new(bytes: &[u8]) -> Self {
        Self(io::Cursor::new(bytes.to_vec()))
    }
}

impl Read for Script {
    fn read(&mut self, place: &mut [u8]) -> io::Result<usize> {
        self.0.read(place)
    }
}

impl Socket for Script {}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_is_no_handshake_is_refused() {
    let site = Site::new(KeyAlgorithm::P256);
    let target = site.target();
    for (bytes, expected) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], Failure::NotTls),
        (&[22, 3, 3, 0xff, 0xff], Failure::NotTls),
        (b"", Failure::Closed),
        (&[22, 3], Failure::Closed),
        (&[22, 3, 3, 0, 9, 2], Failure::Closed),
        (&[21, 3, 3, 0, 2, 2, 40], Failure::NothingInCommon),
        (&[21, 3, 3, 0, 2, 2, 71], Failure::NothingInCommon),
        (&[21, 3, 3, 0, 2, 2, 70], Failure::OnlyNewer),
        (&[21, 3, 3, 0, 2, 2, 80], Failure::Alert("InternalError".into())),
    ] {
        assert_eq!(refused(Script::new(bytes), &target), expected, "{bytes:?}");
    }
    for bytes in [
        &[22, 3, 3, 0, 4, 0, 0, 0, 0][..],
        &[20, 3, 3, 0, 1, 1],
        &[23, 3, 3, 0, 1, 1],
        &[22, 3, 3, 0, 0, 22, 3, 3, 0, 0],
        &[22, 9, 9, 0, 1, 2],
    ] {
        let failure = refused(Script::new(bytes), &target);
        assert!(matches!(failure, Failure::Tls(_) | Failure::Closed), "{bytes:?}: {failure:?}");
    }
}

/// Somebody on the way can make one, with a cookie or for a group of which a key was offered. Whoever answers
/// waits for a server that knows nothing of it.
#[test]
fn a_request_for_another_hello_is_refused_by_name() {
    let site = Site::new(KeyAlgorithm::P256);
    let target = site.target();
    for extension in [&[0, 44, 0, 3, 0, 1, 7][..], &[0, 51, 0, 2, 0, 23]] {
        let retry = hello_retry(extension);
        let expected = Failure::Transcript(transcript::Error::HelloRetry);
        assert_eq!(refused(Script::new(&retry), &target), expected);
        for version in [None, Some(TlsVersion::Tls13)] {
            let probed = probe(Script::new(&retry), &target, version, Suite::Aes128GcmSha256);
            assert_eq!(probed, Err(expected.clone()));
        }
    }
}

#[test]
fn a_server_of_an_older_version_is_named_as_such() {
    let site = Site::new(KeyAlgorithm::P256);
    let older = |flight: &mut Vec<u8>| flight[10] = 2;
    let failure = refused(Local::changed(&site.config, answer(), older), &site.target());
    assert_eq!(failure, Failure::OnlyOlder);
}

/// The server's flights up to its Finished, cut off anywhere, or with a byte more.
#[test]
fn a_handshake_that_is_cut_off_is_an_error() {
    let site = Site::new(KeyAlgorithm::P256);
    for keep in [0, 3, 5, 40, 200] {
        let cut = |flight: &mut Vec<u8>| flight.truncate(keep);
        assert_eq!(refused(Local::changed(&site.config, answer(), cut), &site.target()), Failure::Closed);
    }
    // The second flight: ChangeCipherSpec of 6 bytes, Finished of 45.
    for keep in [0, 6, 50] {
        let cut = |flight: &mut Vec<u8>| {
            if flight[0] == 20 {
                flight.truncate(keep);
            }
        };
        let result = changed(&site, answer(), cut);
        assert_eq!(failure(result), Failure::Closed, "{keep}");
    }
}

/// A connection whose server's bytes are changed on the way.
fn changed(site: &Site, answer: Answer, change: impl FnMut(&mut Vec<u8>) + Send) -> Result<Captured, Error> {
    let server = Local::changed(&site.config, answer, change);
    query(&mut Clear::new(1), server, &site.target(), &request(256), &[256])
}

#[test]
fn a_finished_message_of_another_form_is_refused() {
    let site = Site::new(KeyAlgorithm::P256);
    let changes: [fn(&mut Vec<u8>); 3] = [
        |flight| flight[6] = 23,
        |flight| {
            flight.push(0);
            flight[10] += 1;
        },
        |flight| flight.copy_within(..6, 6),
    ];
    for change in changes {
        let second = |flight: &mut Vec<u8>| {
            if flight[0] == 20 {
                change(flight);
            }
        };
        let failure = failure(changed(&site, answer(), second));
        assert!(matches!(failure, Failure::Tls(_)), "{failure:?}");
    }
}

/// Somebody on the path changes the handshake where the server's signature does not cover it, and answers in
/// the server's place when the server has noticed: the client has nothing to check that by while the
/// connection lives.
#[test]
fn a_handshake_that_was_altered_on_the_path_ends_at_the_clients_finished_before_the_server_reads_a_request() {
    let site = Site::new(KeyAlgorithm::P256);
    let mut flights = 0;
    let alter = |flight: &mut Vec<u8>| {
        flights += usize::from(!flight.is_empty());
        match (flights, flight.is_empty()) {
            // The session's identifier: behind the headers of record and message, version and random.
            (1, false) => {
                assert_eq!((flight[5], flight[43]), (2, 32));
                flight[44] ^= 1;
            }
            (2, false) => {
                assert_eq!(flight[0], ALERT, "the server knows that this is not its handshake");
                let finished = [&[22, 3, 3, 0, 40][..], &[0; 40]].concat();
                *flight = [&[20, 3, 3, 0, 1, 1][..], &finished].concat();
            }
            _ => {}
        }
    };
    let server = Local::changed(&site.config, answer(), alter);
    let (requests, received) = (Arc::clone(&server.requests), Arc::clone(&server.received));
    let (mut engine, request) = (Clear::new(1), request(256));
    let result = query(&mut engine, server, &site.target(), &request, &[256]);
    assert!(result.is_err(), "{result:?}");
    // P went on, and sent its request.
    assert_eq!(engine.asked.last(), Some(&Asked::Encrypt(23, 256)));
    assert!(received.lock().unwrap().len() > 2 * 256);
    assert_eq!(*requests.lock().unwrap(), b"", "the server read it");
}

#[test]
fn a_server_that_demands_a_certificate_is_left() {
    let site = Site::with(KeyAlgorithm::P256, |config| asking(&config, true));
    let failure = failure(site.query(&mut Clear::new(1), &request(256), answer()));
    assert!(matches!(failure, Failure::DemandsCertificate(_)), "{failure:?}");
}

#[test]
fn a_connection_that_ends_without_a_response_is_an_error() {
    let site = Site::new(KeyAlgorithm::P256);
    for answer in [Answer::Notify(Vec::new()), Answer::Silent(Vec::new())] {
        assert_eq!(failure(site.query(&mut Clear::new(1), &request(256), answer)), Failure::NoResponse);
    }
}

#[test]
fn a_response_that_is_cut_within_a_record_is_an_error() {
    let site = Site::new(KeyAlgorithm::P256);
    let cut = |flight: &mut Vec<u8>| {
        if flight[0] == 23 {
            flight.truncate(30);
        }
    };
    let expected = transcript::Error::Truncated { side: Side::Server, what: "a record" };
    assert_eq!(failure(changed(&site, answer(), cut)), Failure::Transcript(expected));
}

#[test]
fn what_a_server_says_after_an_alert_is_not_taken() {
    let site = Site::new(KeyAlgorithm::P256);
    let more = |flight: &mut Vec<u8>| {
        if flight[0] == 23 {
            flight.extend([23, 3, 3, 0, 24]);
            flight.extend([0; 24]);
        }
    };
    let captured = changed(&site, answer(), more).unwrap();
    assert_eq!(captured.tls12().server.last().unwrap().content_type, ALERT);
}

/// Encrypted, as it is; what it asks for can't be read, and would change the keys.
#[test]
fn a_handshake_message_after_finished_is_refused() {
    let site = Site::new(KeyAlgorithm::P256);
    for before in [true, false] {
        let hello_request = |flight: &mut Vec<u8>| {
            let record = [&[22, 3, 3, 0, 28][..], &[0; 28]].concat();
            match flight[0] {
                // Right behind Finished: rustls must not get it.
                20 if before => flight.extend(record),
                23 if !before => drop(flight.splice(..0, record)),
                _ => {}
            }
        };
        let expected = Failure::Transcript(transcript::Error::Renegotiation(Side::Server));
        assert_eq!(failure(changed(&site, answer(), hello_request)), expected);
    }
}

#[test]
fn more_bytes_than_the_limit_are_not_taken() {
    let site = Site::new(KeyAlgorithm::P256);
    let (response, limit) = (response(&"body ".repeat(10_000)), 40_000);
    let target = Target {
        limits: ConnectionLimits { received: limit, ..ConnectionLimits::default() },
        ..site.target()
    };
    let server = Local::new(&site.config, Answer::Notify(response));
    let result = query(&mut Clear::new(1), server, &target, &request(256), &[256]);
    assert_eq!(failure(result), Failure::Size { limit });
    let target =
        Target { limits: ConnectionLimits { received: 100, ..ConnectionLimits::default() }, ..site.target() };
    assert_eq!(refused(Local::new(&site.config, answer()), &target), Failure::Size { limit: 100 });
}

/// A socket that nobody writes to; the other end is held open.
#[test]
fn a_server_that_says_nothing_is_left() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let limits = ConnectionLimits { idle: Duration::from_millis(20), ..ConnectionLimits::default() };
    let site = Site::new(KeyAlgorithm::P256);
    let socket = dial("127.0.0.1", listener.local_addr().unwrap().port(), &limits).unwrap();
    assert_eq!(refused(socket, &Target { limits, ..site.target() }), Failure::Time);
}

#[test]
fn a_host_that_does_not_accept_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let refused = dial("127.0.0.1", port, &ConnectionLimits::default()).err();
    assert_eq!(refused, Some(Failure::Connect(io::ErrorKind::ConnectionRefused)));
    let unknown = dial("nobody.invalid", port, &ConnectionLimits::default()).err();
    assert!(matches!(unknown, Some(Failure::Unknown(_))), "{unknown:?}");
    let limits = ConnectionLimits { connect: Duration::ZERO, ..ConnectionLimits::default() };
    assert_eq!(dial("127.0.0.1", port, &limits).err(), Some(Failure::Time));
}
