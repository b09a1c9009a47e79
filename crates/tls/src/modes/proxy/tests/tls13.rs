//! Whole sessions over TLS 1.3.

use rustls::crypto::ring::kx_group::{SECP256R1, X25519};

use super::*;
use crate::page::disclosure::TranscriptError;

fn run<'a>(site: &'a Site, request: &str, hide: Vec<Redaction>) -> Run<'a> {
    Run { version: Some(TlsVersion::Tls13), ..Run::hiding(site, request, hide) }
}

#[test]
fn v_believes_the_same_as_of_tls_1_2() {
    let site = site();
    let (fetched, proven) = run(&site, REQUEST, usual()).go();
    assert_eq!(fetched.unwrap(), response(BODY));
    let proven = proven.unwrap();
    let statement = proven.statement().unwrap();
    assert_eq!((&*statement.server_name, statement.tls), (HOST, TlsVersion::Tls13));
    assert_eq!(&statement.certificate, proven.identity.certificate());
    let (_, older) = Run::hiding(&site, REQUEST, usual()).go();
    let older = older.unwrap();
    assert_eq!((&proven.request, &proven.response), (&older.request, &older.response));
    assert_eq!(older.statement().unwrap().tls, TlsVersion::Tls12);
}

#[test]
fn servers_of_one_group_or_of_this_version_alone_are_believed() {
    for group in [SECP256R1, X25519] {
        let site = Site::with(HOST, &[&response(BODY)], End::Notify, |config| {
            let mut config = of_group(&config, group);
            config.send_tls13_tickets = if group.name() == X25519.name() { 0 } else { 5 };
            config
        });
        let (fetched, proven) = run(&site, REQUEST, usual()).go();
        assert_eq!(fetched.unwrap(), response(BODY));
        assert_eq!(proven.unwrap().statement().unwrap().server_name, HOST);
    }
    let site = Site::with(HOST, &[&response(BODY)], End::Silent, |config| {
        let newer = rustls::ServerConfig::builder_with_protocol_versions(&[&rustls::version::TLS13]);
        newer.with_no_client_auth().with_cert_resolver(config.cert_resolver)
    });
    run(&site, REQUEST, usual()).go().1.unwrap();
}

#[test]
fn several_requests_are_proved_in_their_order() {
    let (first, last) = (open_response(r#"{"age": 17}"#), response(r#"{"age": 71}"#));
    let site = Site::several(HOST, &[&first, &last]);
    let older = |round, least| Redaction {
        round,
        ..json("age", vec![Assertion::Number(Interval::between(least, 99))])
    };
    let request = REQUEST.replace("Connection: close\r\n", "");
    let run = Run { more: vec![REQUEST.into()], ..run(&site, &request, vec![older(0, 16), older(1, 70)]) };
    let (fetched, proven) = run.go();
    assert_eq!(fetched.unwrap(), [first, last].concat());
    assert_eq!(proven.unwrap().rounds, 2);
}

/// The second request was sent when the first response was not there: as in TLS 1.2, V knows.
#[test]
fn requests_out_of_order_are_refused() {
    let (first, last) = (open_response(r#"{"age": 17}"#), response(r#"{"age": 71}"#));
    let site = Site::several(HOST, &[&first, &last]);
    let run = Run {
        more: vec![get("b")],
        hears: Some(vec![0, first.len() + last.len()]),
        cheat: Fetched::unchecked,
        ..run(&site, core::str::from_utf8(&get("a")).unwrap(), Vec::new())
    };
    let error = run.go().1.unwrap_err();
    assert!(
        matches!(
            error,
            Failed::Disclosure(Disclosure::Refused(Refusal::Order { .. } | Refusal::Http { .. }))
        ),
        "{error}"
    );
}

#[test]
fn long_padded_text_and_a_false_claim_are_seen() {
    let open = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}", "secret ".repeat(5000));
    let site = Site::new(HOST, open.as_bytes(), End::Notify);
    let hidden = vec![hide(Side::Server, Part::Body, Vec::new())];
    let (_, proven) = run(&site, REQUEST, hidden).go();
    let shown = proven.unwrap().response;
    assert_eq!(shown.text.len(), open.len());
    assert!(!shown.text.windows(6).any(|bytes| bytes == b"secret"));

    let site = self::site();
    let claim = json("user.age", vec![Assertion::Number(Interval::between(37, 120))]);
    let (fetched, proven) = run(&site, REQUEST, vec![claim]).go();
    assert!(matches!(fetched.unwrap_err(), Failed::Disclosure(Disclosure::NotTrue(_))));
    proven.unwrap_err();
}

#[test]
fn the_server_chooses_unless_the_version_is_named() {
    let newer = |site: &Site| {
        let run = Run { version: None, ..run(site, REQUEST, usual()) };
        run.go().1.unwrap().statement().unwrap().tls
    };
    assert_eq!(newer(&site()), TlsVersion::Tls13);
    let site = Site::with(HOST, &[&response(BODY)], End::Notify, |config| {
        let older = rustls::ServerConfig::builder_with_protocol_versions(&[&rustls::version::TLS12]);
        older.with_no_client_auth().with_cert_resolver(config.cert_resolver)
    });
    assert_eq!(newer(&site), TlsVersion::Tls12);
    assert_eq!(run(&site, REQUEST, Vec::new()).go().0.unwrap_err(), Failed::Proxy(Error::OnlyOlder));
}

/// A server that asks for a certificate, which P does not have: P itself finds that nothing can be proved.
#[test]
fn a_server_that_asks_for_a_certificate_is_refused() {
    let site = Site::with(HOST, &[&response(BODY)], End::Notify, |config| asking(&config, false));
    let error = run(&site, REQUEST, Vec::new()).go().0.unwrap_err();
    let expected = Refusal::Transcript(TranscriptError::CertificateRequest);
    assert_eq!(error, Failed::Disclosure(Disclosure::Refused(expected)));
}

/// V alters the server's records, or P's record is another one.
#[test]
fn bytes_that_are_altered_are_noticed() {
    let site = site();
    let mut altered = run(&site, REQUEST, Vec::new());
    altered.changes[1] = Box::new(|tag, message| {
        // An answer with a record of data alone.
        if tag == RELAY_ANSWER && message.get(1) == Some(&23) {
            *message.last_mut().unwrap() ^= 1;
        }
    });
    let (fetched, proven) = altered.go();
    assert!(matches!(fetched.unwrap_err(), Failed::Proxy(Error::Tls(_))));
    proven.unwrap_err();

    let mut other = run(&site, REQUEST, Vec::new());
    other.record = |mut relayed| {
        // The last byte but those of the alert's record and the tag's.
        let place = relayed.server.len() - (5 + 3 + 16) - 40;
        relayed.server[place] ^= 1;
        relayed
    };
    let error = other.go().1.unwrap_err();
    assert!(
        matches!(error, Failed::Disclosure(Disclosure::Refused(Refusal::Tag { side: Side::Server, .. }))),
        "{error}"
    );
}

#[test]
fn text_that_was_not_sent_is_not_proved() {
    let site = site();
    let mut run = run(&site, REQUEST, Vec::new());
    run.cheat = |mut fetched| {
        fetched.change_response(|text| {
            let place = text.windows(6).position(|bytes| bytes == b"London").unwrap();
            text[place..place + 6].copy_from_slice(b"Berlin");
        });
        fetched
    };
    let (fetched, proven) = run.go();
    assert!(matches!(fetched.unwrap_err(), Failed::Proof(Zk::Statement(CircuitError::Unsatisfied { .. }))));
    proven.unwrap_err();
}
