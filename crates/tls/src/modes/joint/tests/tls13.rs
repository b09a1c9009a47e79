//! Whole connections of TLS 1.3, by an unmodified TLS library, and who notices which cheat.

use std::sync::{Arc, Mutex};

use rustls::crypto::ring::kx_group::{SECP256R1, SECP384R1, X25519};
use rustls::version::{TLS12, TLS13};
use rustls::{ServerConfig, SupportedProtocolVersion};
use volery_channel::{Tag, tags};

use super::opening::transcript;
use super::*;
use crate::modes::joint::client::testing::{Answer, Local};
use crate::modes::joint::client::{ConnectionLimits, Failure, Probe, Target, probe};
use crate::modes::joint::testing::{Around, Change, connect, connect_as};
use crate::page::disclosure::{Error as Disclosure, Refusal, TlsVersion, TranscriptError};
use crate::wire::hash::HashFunction;
use crate::wire::key_schedule::TrafficSecret;
use crate::wire::suite::Suite;
use crate::wire::transcript::HANDSHAKE;
use crate::wire::transcript::testing::{Authority, asking, of_group};
use crate::wire::transcript::tls13::{self, forge};

fn run<'a>(site: &'a Site, request: &str, hide: Vec<Redaction>) -> Run<'a> {
    Run { tls: TlsVersion::Tls13, hide, ..Run::new(site, request.as_bytes()) }
}

/// A short connection.
const SHORT: &str = "GET / HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\n\r\n";

fn site() -> Site {
    Site::new(KeyAlgorithm::P256, &response("42"))
}

fn with(change: impl FnOnce(&ServerConfig) -> ServerConfig) -> Site {
    let mut site = site();
    site.config = Arc::new(change(&site.config));
    site
}

fn of_version(version: &'static SupportedProtocolVersion) -> Site {
    with(|config| {
        let mut alone = ServerConfig::builder_with_protocol_versions(&[version])
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&config.cert_resolver));
        alone.alpn_protocols.clone_from(&config.alpn_protocols);
        alone
    })
}

fn refused<T: core::fmt::Debug>(result: Result<T, Error>) -> Refusal {
    match result {
        Err(Error::Disclosure(Disclosure::Refused(refusal))) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn v_believes_what_a_server_said_to_a_client_of_two() {
    for (kind, group) in [(KeyAlgorithm::P256, X25519), (KeyAlgorithm::Rsa, SECP256R1)] {
        let mut site = Site::new(kind, &response(BODY));
        let mut config = of_group(&site.config, group);
        config.send_tls13_tickets = if group.name() == X25519.name() { 2 } else { 0 };
        site.config = Arc::new(config);
        let (fetched, proven) = run(&site, REQUEST, usual()).go();
        let (fetched, proven) = (fetched.unwrap(), proven.unwrap());
        assert_eq!(fetched.read, REQUEST.as_bytes());
        assert_eq!(fetched.response, response(BODY));
        assert_eq!((proven.mode, proven.identity.name()), (Mode::TwoParty, HOST));
        let body = BODY.replace("36", "11").replace("1204", "1111");
        assert_eq!(proven.response.text, response(&body));
        let statement = proven.statement().unwrap();
        assert_eq!((statement.mode, statement.port), (Mode::TwoParty, 443));
        assert_eq!(statement.tls, TlsVersion::Tls13);
    }
}

/// Bytes and round trips, from the preparation on, with a request and a response of `length` bytes.
fn cost(length: usize) -> [volery_channel::Stats; 3] {
    let head = "GET / HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\nX-Padding: ";
    let request = format!("{head}{}\r\n\r\n", "x".repeat(length - head.len() - 4));
    let body = (0..length).map(|n| response(&"b".repeat(n))).find(|body| body.len() == length).unwrap();
    let site = Site::new(KeyAlgorithm::P256, &body);
    let hide = vec![hide(Side::Client, Part::Header("x-padding".into()), Vec::new())];
    let (fetched, proven) = run(&site, &request, hide).go();
    proven.unwrap();
    fetched.unwrap().stats
}

#[test]
fn a_connection_costs_what_was_asked_for() {
    for (length, ands, all) in [(256, 414_560, 11_800_000), (2048, 891_232, 24_600_000)] {
        let sizes = Sizes { tls: TlsVersion::Tls13, ..Sizes::one(length, length) };
        let prepared = sizes.cost().unwrap().ands();
        let [ahead, known, end] = cost(length);
        let trips = [ahead, known - ahead, end - known].map(|stats| stats.round_trips);
        let parts = [ahead, known - ahead, end - known].map(bytes);
        assert!(prepared <= ands, "{length}: {prepared} ANDs");
        assert!(parts.iter().sum::<u64>() <= all, "{length}: {parts:?} bytes");
        // No more than in TLS 1.2.
        assert!(trips[0] <= if length == 256 { 4 } else { 7 } && trips[1] + trips[2] <= 20, "{trips:?}");
    }
}

#[test]
fn responses_are_read_past_session_tickets_while_the_connection_is_open() {
    let first = b"HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{\"token\":\"t-0815\"}";
    let site = Site::several(KeyAlgorithm::P256, &[first, &response(BODY)]);
    let open = SHORT.replace("Connection: close\r\n", "");
    let requests = vec![open.into_bytes(), REQUEST.as_bytes().to_vec()];
    // Two tickets come first, in records of their own, of about 250 bytes.
    let run = |read| Run { requests: requests.clone(), reads: vec![read], ..run(&site, "", usual_of(1)) };
    let (fetched, proven) = run(900).go();
    assert_eq!(fetched.unwrap().response, [&first[..], &response(BODY)].concat());
    let proven = proven.unwrap();
    assert_eq!((proven.rounds, proven.pipelined), (2, false));
    let (fetched, proven) = run(100).go();
    assert!(matches!(fetched.unwrap_err(), Error::Limit { .. }));
    proven.unwrap_err();
}

fn usual_of(round: usize) -> Vec<Redaction> {
    usual().into_iter().map(|hide| Redaction { round, ..hide }).collect()
}

#[test]
fn requests_that_wait_for_nothing_are_sent_at_once() {
    let answers: Vec<_> =
        ["1", "2"].map(|body| format!("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{body}")).into();
    let site = Site::several(KeyAlgorithm::P256, &[answers[0].as_bytes(), answers[1].as_bytes()]);
    let open = SHORT.replace("Connection: close\r\n", "");
    let run = Run { requests: vec![open.into_bytes(), SHORT.into()], ..run(&site, "", Vec::new()) };
    let (fetched, proven) = run.go();
    assert_eq!(fetched.unwrap().response, answers.concat().into_bytes());
    assert!(proven.unwrap().pipelined);
}

/// Nothing of it can be proved, so nobody hears the request.
#[test]
fn a_handshake_that_cannot_be_proved_ends_before_the_request() {
    let site = with(|config| asking(config, false));
    let (fetched, proven) = run(&site, SHORT, Vec::new()).go();
    let failure = Failure::Transcript(TranscriptError::CertificateRequest);
    assert_eq!(fetched.unwrap_err(), Error::Connection(failure));
    proven.unwrap_err();
    assert!(site.heard.lock().unwrap().is_empty());
}

#[test]
fn servers_of_another_version_are_named() {
    let (fetched, proven) = run(&of_version(&TLS12), SHORT, Vec::new()).go();
    assert_eq!(fetched.unwrap_err(), Error::Connection(Failure::OnlyTls12));
    proven.unwrap_err();
    let site = of_version(&TLS13);
    let (_, proven) = run(&site, SHORT, Vec::new()).go();
    assert_eq!(proven.unwrap().statement().unwrap().tls, TlsVersion::Tls13);
    let older = Run { tls: TlsVersion::Tls12, ..run(&site, SHORT, Vec::new()) };
    let requests = older.requests.clone();
    let (fetched, _) = older.go_with(|engine| connect(engine, &site, &requests, 0));
    assert_eq!(fetched.unwrap_err(), Error::Connection(Failure::OnlyNewer));
}

/// What a probe of this server finds.
fn probed(site: &Site) -> Result<Probe, Failure> {
    let roots = site.authority.roots();
    let target = Target {
        host: HOST,
        roots: &roots,
        probed: true,
        limits: ConnectionLimits::default(),
        no_alpn: false,
    };
    let server = Local::new(&site.config, Answer::Notify(Vec::new()));
    let heard = Arc::clone(&server.requests);
    let probe = probe(server, &target, None, Suite::Aes128GcmSha256);
    assert!(heard.lock().unwrap().is_empty(), "a probe says nothing");
    probe
}

/// A server that has all suites chooses the first of them that is offered, unless it has a preference.
fn found(version: TlsVersion) -> Probe {
    Probe { version, suite: Suite::Aes128GcmSha256 }
}

#[test]
fn a_probe_finds_the_version_and_what_cannot_be_served() {
    assert_eq!(probed(&site()), Ok(found(TlsVersion::Tls13)));
    assert_eq!(probed(&of_version(&TLS13)), Ok(found(TlsVersion::Tls13)));
    assert_eq!(probed(&of_version(&TLS12)), Ok(found(TlsVersion::Tls12)));
    let silent = with(|config| {
        let mut silent = config.clone();
        silent.alpn_protocols.clear();
        silent
    });
    assert_eq!(probed(&silent), Err(Failure::NoProtocol));
    let other = with(|config| of_group(config, SECP384R1));
    assert_eq!(probed(&other), Err(Failure::NothingInCommon));
    let asked = Failure::Transcript(TranscriptError::CertificateRequest);
    for demanded in [false, true] {
        assert_eq!(probed(&with(|config| asking(config, demanded))), Err(asked.clone()));
    }
    let mut strange = site();
    strange.authority = Authority::new();
    assert!(matches!(probed(&strange), Err(Failure::Untrusted { .. })));
}

/// The server speaks TLS 1.3, whatever a probe was made to find.
#[test]
fn a_server_that_could_speak_a_newer_version_than_was_found_is_left() {
    let site = site();
    let older = |probed| {
        let run = Run { tls: TlsVersion::Tls12, ..run(&site, SHORT, Vec::new()) };
        let requests = run.requests.clone();
        run.go_with(|engine| connect_as(engine, &site, &requests, 0, probed)).0
    };
    assert_eq!(older(true).unwrap_err(), Error::Connection(Failure::NotAsProbed));
    assert!(site.heard.lock().unwrap().is_empty());
    assert!(older(false).is_ok(), "the user asked for TLS 1.2");
}

#[test]
fn a_server_that_chooses_another_version_than_it_did_is_named() {
    for (site, tls) in [(of_version(&TLS12), TlsVersion::Tls13), (of_version(&TLS13), TlsVersion::Tls12)] {
        let run = Run { tls, ..run(&site, SHORT, Vec::new()) };
        let requests = run.requests.clone();
        let (fetched, _) = run.go_with(|engine| connect_as(engine, &site, &requests, 0, true));
        assert_eq!(fetched.unwrap_err(), Error::Connection(Failure::NotAsProbed));
    }
}

/// What V says if P changes that, and whether V opened anything.
fn opens(change: Change) -> (Refusal, bool) {
    let said = Arc::new(Mutex::new(Vec::<Tag>::new()));
    let listen = Arc::clone(&said);
    let listen: Change = Box::new(move |tag, _: &mut Vec<u8>| listen.lock().unwrap().push(tag));
    let site = site();
    let (_, proven) = Run { changes: [change, listen], ..run(&site, SHORT, Vec::new()) }.go();
    let said = said.lock().unwrap();
    (refused(proven), said.contains(&tags::KEY_OPENING) || said.contains(&tags::GARBLED_OPENING))
}

#[test]
fn v_opens_nothing_before_it_has_found_its_own_part_in_the_transcript() {
    // Behind headers of record and message and the version: the client's random, the server's.
    let random: fn(&mut Vec<u8>) = |bytes| bytes[5 + 4 + 2] ^= 1;
    assert_eq!(opens(transcript(1, random)), (Refusal::Another("hellos"), false));
    assert_eq!(opens(transcript(2, random)), (Refusal::Another("hellos"), false));
    // Of the client's last record: a byte of the ciphertext, before the tag.
    let ciphertext: fn(&mut Vec<u8>) = |bytes| {
        let place = bytes.len() - 17;
        bytes[place] ^= 1;
    };
    assert_eq!(opens(transcript(1, ciphertext)), (Refusal::Another("client's records"), false));
    let last: fn(&mut Vec<u8>) = |bytes| bytes.truncate(bytes.len() - 1);
    assert!(!opens(transcript(2, last)).1);
}

#[test]
fn a_record_altered_on_its_way_to_v_is_refused() {
    // The tags of the last records: the server's alert, the client's request.
    let flip: fn(&mut Vec<u8>) = |bytes| *bytes.last_mut().unwrap() ^= 1;
    assert!(matches!(opens(transcript(2, flip)).0, Refusal::Tag { side: Side::Server, .. }));
    assert_eq!(opens(transcript(1, flip)).0, Refusal::Tag { side: Side::Client, sequence: 0 });
}

/// Both directions with another flight of the server's, and with the Finished messages that belong to it. P
/// has the secrets for that.
fn forged(
    [client, server]: &[Vec<u8>; 2],
    secrets: &[TrafficSecret; 2],
    change: fn(&mut Vec<u8>),
) -> [Vec<u8>; 2] {
    let transcript = tls13::Transcript::parse(client, server).unwrap();
    let [own, other] = secrets.clone();
    let secrets = tls13::HandshakeSecrets { client: own.clone(), server: other.clone() };
    let mut messages = [client, server].map(|bytes| bytes[5..5 + record_length(bytes)].to_vec()).concat();
    let mut flight = forge::flight(&transcript, &secrets);
    let records = forge::flight_records(&transcript, &secrets);
    change(&mut flight);
    messages.extend_from_slice(&flight);
    let mut finished = |secret: &TrafficSecret| {
        let finished = forge::message(20, &secret.verify_data(&HashFunction::Sha256.hash(&messages)));
        messages.extend_from_slice(&finished);
        finished
    };
    flight.extend(finished(&other));
    let last = finished(&own);
    let replaced = |bytes: &[u8], secret: &TrafficSecret, messages: &[u8], records: usize| {
        // The hello, and ChangeCipherSpec.
        let start = 5 + record_length(bytes) + 6;
        let mut rest = &bytes[start..];
        (0..records).for_each(|_| rest = &rest[5 + record_length(rest)..]);
        [&bytes[..start], &forge::seal(secret, 0, (HANDSHAKE, messages, 0)), rest].concat()
    };
    [replaced(client, &own, &last, 1), replaced(server, &other, &flight, records)]
}

/// The length of the first record's payload.
fn record_length(bytes: &[u8]) -> usize {
    usize::from(u16::from_be_bytes([bytes[3], bytes[4]]))
}

#[test]
fn a_flight_that_p_makes_with_the_secrets_of_the_handshake_is_refused() {
    let site = site();
    let said = Arc::new(Mutex::new(None::<[Vec<u8>; 2]>));
    let (other, mut seen) = (Arc::clone(&said), 0);
    let change: Change = Box::new(move |tag, message| {
        if tag == tags::CLIENT_TRANSCRIPT {
            let said = other.lock().unwrap();
            if let (1.., Some(said)) = (seen, &*said) {
                message.clone_from(&said[seen - 1]);
            }
            seen += 1;
        }
    });
    let run = Run { changes: [change, Box::new(|_, _| {})], ..run(&site, SHORT, Vec::new()) };
    let requests = run.requests.clone();
    let (_, proven) = run.go_with(|engine| {
        let mut around = Around::new(engine);
        let (heard, raw) = connect(&mut around, &site, &requests, 0)?;
        // EncryptedExtensions without the protocol.
        let silent: fn(&mut Vec<u8>) = |flight| {
            let length = 4 + usize::from(u16::from_be_bytes([flight[2], flight[3]]));
            flight.splice(..length, forge::message(8, &[0, 0]));
        };
        *said.lock().unwrap() = around.secrets.as_ref().map(|secrets| forged(&raw, secrets, silent));
        Ok((heard, raw))
    });
    assert_eq!(refused(proven), Refusal::Another("handshake"));
}

/// Only a record of the server's under the keys of data shows that the server has them.
#[test]
fn a_connection_in_which_the_server_says_nothing_after_its_handshake_is_refused() {
    let site = with(|config| {
        let mut config = config.clone();
        config.send_tls13_tickets = 0;
        config
    });
    // All but the response and the alert.
    let tail = [response("42").len(), 2].map(|content| 5 + content + 1 + 16).iter().sum::<usize>();
    let cut = transcript(2, move |bytes| bytes.truncate(bytes.len() - tail));
    let (_, proven) = Run { changes: [cut, Box::new(|_, _| {})], ..run(&site, SHORT, Vec::new()) }.go();
    assert!(matches!(refused(proven), Refusal::Opened | Refusal::Unanswered));
}

#[test]
fn what_was_read_must_be_what_p_hands_over_in_the_end() {
    let first = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n17";
    let mut site = Site::several(KeyAlgorithm::P256, &[first, &response("42")]);
    let mut config = (*site.config).clone();
    config.send_tls13_tickets = 0;
    site.config = Arc::new(config);
    let open = SHORT.replace("Connection: close\r\n", "");
    let requests = vec![open.into_bytes(), SHORT.into()];
    // A byte of the first response: the tail after it is the second one, and the alert.
    let tail = [response("42").len(), 2].map(|content| 5 + content + 1 + 16).iter().sum::<usize>() + 20;
    let other = transcript(2, move |bytes| {
        let place = bytes.len() - tail;
        bytes[place] ^= 1;
    });
    let run = Run {
        requests,
        reads: vec![200],
        changes: [other, Box::new(|_, _| {})],
        ..run(&site, "", Vec::new())
    };
    assert_eq!(refused(run.go().1), Refusal::Another("server's records"));
}
