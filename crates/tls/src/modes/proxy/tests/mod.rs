//! Whole sessions against a real server over real sockets: what V ends up believing, and who notices which
//! cheat.

mod claims;
mod commitments;
mod ending;
mod forgery;
mod suites;
mod tls13;

use std::sync::{Arc, Mutex};

use sha2::Digest as _;
use volery_channel::Tag;
use volery_channel::handshake::Mismatch;
use volery_channel::tags::{RELAY_ANSWER, WEB_CLAIMS};
use volery_circuit::Error as CircuitError;
use volery_circuit::statements::Sha256Preimage;
use volery_zk::Error as Zk;

use super::testing::{End, Failed, HOST, Run, Site};
use super::*;
use crate::memory::Budget;
use crate::page::attestation;
use crate::page::claim::{Assertion, Class, CustomClaim, Interval, StatementClaim};
use crate::page::disclosure::Error as Disclosure;
use crate::wire::prf::Side;
use crate::wire::server;
use crate::wire::transcript::testing::{asking, of_group};

const REQUEST: &str =
    "GET /account?token=s3cr3t HTTP/1.1\r\nHost: localhost\r\nCookie: id=4711\r\nConnection: close\r\n\r\n";

const BODY: &str =
    r#"{"user": {"name": "Ada \"L\" Lovelace", "age": 36, "city": "London"}, "balance": 1204}"#;

fn response(body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A request for this, on a connection that goes on.
fn get(target: &str) -> Vec<u8> {
    format!("GET /{target} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

fn site() -> Site {
    Site::new(HOST, &response(BODY), End::Notify)
}

fn hide(side: Side, part: Part, claims: Vec<Assertion>) -> Redaction {
    Redaction { claims, ..Redaction::new(side, part) }
}

fn json(path: &str, claims: Vec<Assertion>) -> Redaction {
    hide(Side::Server, Part::Json(path.into()), claims)
}

/// Cookies, path and query hidden; the name hidden; the age in a range; the balance hidden.
fn usual() -> Vec<Redaction> {
    vec![
        hide(Side::Client, Part::Path, vec![Assertion::At { offset: 0, text: b"account".to_vec() }]),
        hide(Side::Client, Part::Query, Vec::new()),
        hide(Side::Client, Part::Header("cookie".into()), Vec::new()),
        json("user.name", vec![Assertion::Contains(b"Lovelace".to_vec())]),
        json("user.age", vec![Assertion::Number(Interval::between(18, 120))]),
        json("balance", Vec::new()),
    ]
}

/// What a statement shows as proved.
fn claims(statement: &attestation::Statement) -> Vec<String> {
    let text = statement.to_string();
    text.lines().filter_map(|line| line.strip_prefix("proved    ")).map(str::to_owned).collect()
}

#[test]
fn v_believes_what_is_shown_and_what_is_claimed_of_the_rest() {
    let site = site();
    let (fetched, proven) = Run::hiding(&site, REQUEST, usual()).go();
    assert_eq!(fetched.unwrap(), response(BODY));
    let proven = proven.unwrap();
    let statement = proven.statement().unwrap();
    assert_eq!((&*statement.server_name, statement.port), (HOST, site.address.port()));
    assert_eq!(&statement.certificate, proven.identity.certificate());
    assert_eq!(statement.hidden_paths(), [0]);
    let shown = REQUEST.replace("account?token=s3cr3t", "xxxxxxx?xxxxxxxxxxxx").replace("id=4711", "xxxxxxx");
    assert_eq!(String::from_utf8(proven.request.text).unwrap(), shown);
    let body =
        BODY.replace(r#"Ada \"L\" Lovelace"#, &"x".repeat(18)).replace("36", "11").replace("1204", "1111");
    assert_eq!(proven.response.text, response(&body));
    assert_eq!(
        claims(&statement),
        [
            "request path, bytes 5..12: is text of a path",
            "request path: has \"account\" at 0",
            "request query, bytes 13..25: is text of a query",
            "request header cookie, bytes 61..68: is text of a header",
            "response json user.name, bytes 109..127: is text of a JSON string",
            "response json user.name: contains \"Lovelace\"",
            "response json user.age, bytes 137..139: is a JSON number",
            "response json user.age: is a number from 18 to 120",
            "response json balance, bytes 171..175: is a JSON number",
        ]
    );
    let key = attestation::SigningKey::from_bytes(&[5; 32]);
    let signed = attestation::Attestation::sign(statement.clone(), &key).unwrap();
    let read = attestation::Attestation::from_bytes(&signed.to_bytes()).unwrap();
    assert_eq!(read.verify(&key.verifying_key().to_bytes()), Ok(&statement));
}

#[test]
fn a_server_of_x25519_alone_is_believed_too() {
    let site = Site::with(HOST, &[&response(BODY)], End::Notify, |config| {
        of_group(&config, rustls::crypto::ring::kx_group::X25519)
    });
    let (fetched, proven) = Run::hiding(&site, REQUEST, usual()).go();
    assert_eq!(fetched.unwrap(), response(BODY));
    assert_eq!(proven.unwrap().statement().unwrap().server_name, HOST);
}

#[test]
fn a_body_in_chunks_or_without_end_mark_and_a_whole_hidden_one_are_proved_too() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n\
                   9\r\n{\"age\": 1\r\n6\r\n20, \"a\r\n10\r\n\": [\"hidden\"]}  \r\n0\r\n\r\n";
    let site = Site::new(HOST, chunked.as_bytes(), End::Silent);
    let hidden = vec![json("age", vec![Assertion::Number(Interval::between(100, 120))])];
    let (_, proven) = Run::hiding(&site, REQUEST, hidden).go();
    let [age] = <[Hidden; 1]>::try_from(proven.unwrap().response.hidden).unwrap();
    assert_eq!((age.ranges.len(), age.length()), (2, 3));

    let open = format!("HTTP/1.1 200 OK\r\n\r\n{}", "secret ".repeat(5000));
    let site = Site::new(HOST, open.as_bytes(), End::Notify);
    let hidden = vec![hide(Side::Server, Part::Body, Vec::new())];
    let (_, proven) = Run::hiding(&site, REQUEST, hidden).go();
    let shown = proven.unwrap().response;
    assert_eq!(shown.text.len(), open.len());
    assert!(!shown.text.windows(6).any(|bytes| bytes == b"secret"));
}

#[test]
fn a_false_claim_is_noticed_by_p_itself() {
    let site = site();
    for claim in [
        json("user.age", vec![Assertion::Number(Interval::between(37, 120))]),
        json("user.name", vec![Assertion::Contains(b"Byron".to_vec())]),
        json("user.city", vec![Assertion::Equals(b"Berlin".to_vec())]),
        // Of another length.
        json("user.city", vec![Assertion::Equals(b"Paris".to_vec())]),
    ] {
        let (fetched, proven) = Run::hiding(&site, REQUEST, vec![claim]).go();
        let error = fetched.unwrap_err();
        assert!(matches!(error, Failed::Disclosure(Disclosure::NotTrue(_))), "{error}");
        proven.unwrap_err();
    }
}

#[test]
fn no_claim_and_a_part_that_is_not_there_are_refused_at_p() {
    let site = site();
    for wrong in [
        json("user.city", vec![Assertion::Equals(Vec::new())]),
        json("user.email", Vec::new()),
        json("user", Vec::new()),
        hide(Side::Server, Part::Path, Vec::new()),
        hide(Side::Server, Part::Query, Vec::new()),
        hide(Side::Client, Part::Header("X-Original-URL".into()), Vec::new()),
        hide(Side::Server, Part::Header("content-length".into()), Vec::new()),
        hide(Side::Client, Part::Header("host".into()), Vec::new()),
        hide(Side::Client, Part::Body, Vec::new()),
    ] {
        let (fetched, proven) = Run::hiding(&site, REQUEST, vec![wrong]).go();
        let error = fetched.unwrap_err();
        assert!(matches!(error, Failed::Disclosure(Disclosure::Refused(_))), "{error}");
        assert!(matches!(proven.unwrap_err(), Failed::Proxy(Error::Channel(_))));
    }
}

/// V alters the server's records: TLS fails at P, and V gets nothing but that.
#[test]
fn bytes_that_v_alters_are_noticed_by_p() {
    let site = site();
    let alter = |tag: Tag, message: &mut Vec<u8>| {
        // An answer with data that begins with a record of the payload.
        if tag == RELAY_ANSWER && message.get(1) == Some(&23) {
            *message.last_mut().unwrap() ^= 1;
        }
    };
    let mut run = Run::new(&site, REQUEST);
    run.changes[1] = Box::new(alter);
    let (fetched, proven) = run.go();
    assert!(matches!(fetched.unwrap_err(), Failed::Proxy(Error::Tls(_))));
    proven.unwrap_err();
}

/// What V sees of a changed record: a wrong tag, before any proof.
#[test]
fn a_record_that_is_not_the_server_s_has_a_wrong_tag() {
    let site = site();
    let mut run = Run::new(&site, REQUEST);
    run.record = |mut relayed| {
        // The last byte but those of the alert's record.
        let place = relayed.server.len() - (5 + 8 + 2 + 16) - 20;
        relayed.server[place] ^= 1;
        relayed
    };
    let (fetched, proven) = run.go();
    let refusal = Refusal::Tag { side: Side::Server, sequence: 1 };
    assert_eq!(proven.unwrap_err(), Failed::Disclosure(Disclosure::Refused(refusal.clone())));
    assert!(fetched.unwrap_err().to_string().contains(&refusal.to_string()));
}

/// P's record is not V's, in a place that tags don't cover: the parties do not even begin.
#[test]
fn a_proof_about_other_bytes_does_not_begin() {
    let site = site();
    let mut run = Run::new(&site, REQUEST);
    run.cheat = |mut fetched| {
        fetched.change_raw(|[client, _]| client[2] ^= 1);
        fetched
    };
    let (fetched, proven) = run.go();
    assert!(matches!(
        fetched.unwrap_err(),
        Failed::Channel(volery_channel::Error::Incompatible(Mismatch::Statement { .. }))
    ));
    assert!(matches!(proven.unwrap_err(), Failed::Channel(volery_channel::Error::Incompatible(_))));
}

/// P says of a connection what it said of another one to the same server.
#[test]
fn what_was_said_of_another_connection_does_not_explain_this_one() {
    let site = site();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let mut first = Run::new(&site, REQUEST);
    let keep = Arc::clone(&kept);
    first.changes[0] = Box::new(move |tag, message| {
        if tag == WEB_CLAIMS {
            keep.lock().unwrap().clone_from(message);
        }
    });
    first.go().1.unwrap();
    let mut second = Run::new(&site, REQUEST);
    second.changes[0] = Box::new(move |tag, message| {
        if tag == WEB_CLAIMS {
            message.clone_from(&kept.lock().unwrap());
        }
    });
    let (_, proven) = second.go();
    assert_eq!(proven.unwrap_err(), Failed::Disclosure(Disclosure::Refused(Refusal::Finished(Side::Client))));
}

/// P shows other text than was sent; it changes its own statement accordingly, so that both parties' are the
/// same.
#[test]
fn text_that_was_not_sent_is_not_proved() {
    let site = site();
    let mut run = Run::new(&site, REQUEST);
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

#[test]
fn hidden_bytes_that_are_not_the_part_they_are_said_to_be_are_refused_by_v() {
    let site = site();
    let mut run = Run::hiding(&site, REQUEST, vec![json("balance", Vec::new())]);
    // The first range's place: the claim is about the age then.
    run.changes[0] = Box::new(|tag, message| {
        if tag == WEB_CLAIMS {
            let name = message.windows(7).rposition(|bytes| bytes == b"balance").unwrap();
            message.splice(name - 4..name + 7, *b"\0\0\0\x08user.age");
        }
    });
    let (_, proven) = run.go();
    assert!(matches!(proven.unwrap_err(), Failed::Disclosure(Disclosure::Refused(Refusal::Part { .. }))));
}

#[test]
fn a_server_that_v_does_not_know_and_an_expired_certificate_are_refused_by_v() {
    let site = site();
    let mut run = Run::new(&site, REQUEST);
    run.roots = self::site().roots();
    let (_, proven) = run.go();
    let error = proven.unwrap_err();
    assert!(
        matches!(error, Failed::Disclosure(Disclosure::Refused(Refusal::Server(server::Error::Chain(_))))),
        "{error}"
    );

    let mut run = Run::new(&site, REQUEST);
    run.ahead = 4000 * 365 * 24 * 3600;
    let (_, proven) = run.go();
    let error = proven.unwrap_err();
    assert!(
        matches!(error, Failed::Disclosure(Disclosure::Refused(Refusal::Server(server::Error::Chain(_))))),
        "{error}"
    );
}

#[test]
fn a_certificate_for_another_host_is_refused_by_p_and_a_record_from_another_host_by_v() {
    let other = Site::new("other.example", &response(BODY), End::Notify);
    let (fetched, _) = Run::new(&other, REQUEST).go();
    assert!(matches!(fetched.unwrap_err(), Failed::Proxy(Error::Tls(_))));

    let site = site();
    let mut run = Run::new(&site, REQUEST);
    run.record = |mut relayed| {
        relayed.host = "other.example".into();
        relayed
    };
    let (_, proven) = run.go();
    let error = proven.unwrap_err();
    assert!(
        matches!(error, Failed::Disclosure(Disclosure::Refused(Refusal::Server(server::Error::Sni { .. })))),
        "{error}"
    );
}

#[test]
fn a_request_to_another_host_of_the_same_server_is_refused() {
    let site = site();
    for request in [
        REQUEST.replace("Host: localhost", "Host: other.example"),
        REQUEST.replace("Host: localhost", "Host: localhost.example"),
        REQUEST.replace("GET /", "GET http://other.example/"),
    ] {
        let (fetched, _) = Run::new(&site, &request).go();
        let refusal = Refusal::Host { expected: HOST.into() };
        assert_eq!(fetched.unwrap_err(), Failed::Disclosure(Disclosure::Refused(refusal)), "{request}");
    }
}

#[test]
fn p_tells_nothing_while_the_server_may_take_another_request() {
    let open = String::from_utf8(response(BODY)).unwrap().replace("Connection: close\r\n", "");
    let site = Site::new(HOST, open.as_bytes(), End::Silent);
    let (fetched, _) = Run::new(&site, REQUEST).go();
    assert_eq!(fetched.unwrap_err(), Failed::Disclosure(Disclosure::StillOpen));
}

/// Without `Connection: close`.
fn open_response(body: &str) -> Vec<u8> {
    String::from_utf8(response(body)).unwrap().replace("Connection: close\r\n", "").into_bytes()
}

#[test]
fn several_requests_are_proved_each_by_its_number() {
    let (first, last) = (open_response(r#"{"age": 17}"#), response(r#"{"age": 71}"#));
    let site = Site::several(HOST, &[&first, &last]);
    let older = |round, least| Redaction {
        round,
        ..json("age", vec![Assertion::Number(Interval::between(least, 99))])
    };
    let run = |hide| {
        let run = Run::hiding(&site, &REQUEST.replace("Connection: close\r\n", ""), hide);
        Run { more: vec![REQUEST.into()], ..run }.go()
    };
    let (fetched, proven) = run(vec![older(0, 16), older(1, 70)]);
    assert_eq!(fetched.unwrap(), [first, last].concat());
    let statement = proven.unwrap().statement().unwrap().to_string();
    assert!(statement.contains("response 2 json age: is a number from 70 to 99\n"), "{statement}");
    let (fetched, proven) = run(vec![older(1, 16), older(0, 70)]);
    assert!(matches!(
        fetched.unwrap_err(),
        Failed::Disclosure(Disclosure::NotTrue(text)) if text.starts_with("response json age is")
    ));
    proven.unwrap_err();
}

#[test]
fn requests_that_are_sent_at_once_are_refused() {
    let (first, last) = (open_response(r#"{"age": 17}"#), response(r#"{"age": 71}"#));
    for (hears, refused) in
        [(vec![first.len(), last.len()], false), (vec![0, first.len() + last.len()], true)]
    {
        let site = Site::several(HOST, &[&first, &last]);
        let run = Run { request: get("a"), more: vec![get("b")], hears: Some(hears), ..Run::new(&site, "") };
        let (_, proven) = run.go();
        match proven {
            Ok(proven) => assert!(!refused && !proven.pipelined && proven.rounds == 2),
            Err(error) => {
                assert!(refused);
                assert_eq!(error, Failed::Disclosure(Disclosure::Refused(Refusal::Order { round: 1 })));
            }
        }
    }
}

#[test]
fn a_server_that_takes_one_request_is_named() {
    let (site, open) = (site(), REQUEST.replace("Connection: close\r\n", ""));
    let (fetched, proven) = Run { more: vec![REQUEST.into()], ..Run::new(&site, &open) }.go();
    let last = crate::page::dialogue::Error::Last { round: 0, remaining: 1 };
    assert_eq!(fetched.unwrap_err(), Failed::Proxy(Error::Dialogue(last)));
    proven.unwrap_err();
    let site = Site::new(HOST, b"HTTP/1.1 200 OK\r\n\r\nto the end", End::Notify);
    let (fetched, _) = Run { more: vec![REQUEST.into()], ..Run::new(&site, &open) }.go();
    let ended = crate::page::dialogue::Error::Ended { round: 0 };
    assert_eq!(fetched.unwrap_err(), Failed::Proxy(Error::Dialogue(ended)));
}

#[test]
fn a_response_that_is_cut_off_is_refused() {
    let whole = response(BODY);
    let site = Site::new(HOST, &whole[..whole.len() - 5], End::Silent);
    let (fetched, _) = Run::new(&site, REQUEST).go();
    let error = fetched.unwrap_err();
    assert!(
        matches!(error, Failed::Disclosure(Disclosure::Refused(Refusal::Http { side: Side::Server, .. }))),
        "{error}"
    );
}

#[test]
fn a_server_of_tls_1_3_alone_is_named() {
    let site = Site::with(HOST, &[&response(BODY)], End::Notify, |config| {
        let mut newer = rustls::ServerConfig::builder_with_protocol_versions(&[&rustls::version::TLS13])
            .with_no_client_auth()
            .with_cert_resolver(config.cert_resolver);
        newer.alpn_protocols = config.alpn_protocols;
        newer
    });
    let (fetched, _) = Run::new(&site, REQUEST).go();
    assert_eq!(fetched.unwrap_err(), Failed::Proxy(Error::OnlyNewer));
}

#[test]
fn a_server_that_gives_up_after_its_choice_is_not_said_to_speak_something_else() {
    let site = Site::with(HOST, &[&response(BODY)], End::Notify, |config| asking(&config, true));
    let (fetched, _) = Run::new(&site, REQUEST).go();
    let failed = fetched.unwrap_err();
    assert!(matches!(failed, Failed::Proxy(Error::DemandsCertificate(_))), "{failed:?}");
}

#[test]
fn classes_and_parts_have_one_code_each() {
    for class in
        [Class::JsonText, Class::Number, Class::HeaderValue, Class::Path, Class::Query, Class::Opaque]
    {
        assert_eq!(Class::from_code(class.code()), Some(class));
    }
    assert_eq!(Class::from_code(0), None);
}
