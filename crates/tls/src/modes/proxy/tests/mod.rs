//! Whole sessions against a real server over real sockets: what V ends up believing, and who notices which
//! cheat.

mod commitments;

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
    ] {
        let (fetched, proven) = Run::hiding(&site, REQUEST, vec![claim]).go();
        let error = fetched.unwrap_err();
        assert!(matches!(error, Failed::Disclosure(Disclosure::NotTrue(_))), "{error}");
        proven.unwrap_err();
    }
}

#[test]
fn a_claim_that_cannot_hold_and_a_part_that_is_not_there_are_refused_at_p() {
    let site = site();
    for wrong in [
        json("user.city", vec![Assertion::Equals(b"Paris".to_vec())]),
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

/// A request for this, on a connection that goes on.
fn get(target: &str) -> Vec<u8> {
    format!("GET /{target} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

/// The server lets a header line be injected into a response without a body: its head announces bytes that do
/// not come. What is taken for them, and for the responses after them, is a file that P has uploaded; the
/// server answers the last request when nobody listens.
#[test]
fn forgery_a_file_of_p_s_is_taken_for_a_later_response_when_an_earlier_one_lacks_its_body() {
    let (start, small) = ("HTTP/1.1 200 OK\r\nContent-Length: ", open_response("{}"));
    let rich = response(r#"{"balance": 500001}"#);
    let file = [b"padding", &*small, &rich].concat();
    let head = format!("{start}{}\r\n\r\n", file.len());
    let redirect =
        format!("HTTP/1.1 302 Found\r\nLocation: /a\r\nContent-Length: {}\r\n\r\n", head.len() + 7);
    let stored = [head.as_bytes(), &file].concat();
    let true_one = response(r#"{"balance": 3}"#);
    let site = Site::several(HOST, &[redirect.as_bytes(), &stored, &true_one]);
    let least = vec![Assertion::Number(Interval::at_least(500_000))];
    let run = Run::hiding(&site, "", vec![Redaction { round: 2, ..json("balance", least) }]);
    let run = Run {
        request: get("redirect?to=/a%0d%0aContent-Length:%2077"),
        more: vec![get("files/mine"), get("account")],
        hears: Some(vec![redirect.len(), stored.len()]),
        ..run
    };
    let (_, proven) = run.go();
    assert_eq!(proven.unwrap_err(), Failed::Disclosure(Disclosure::Refused(Refusal::Order { round: 1 })));
}

/// Two requests, after each of which so many bytes are heard: what P itself, and what V makes of a P that
/// does not look whether V will refuse what it says.
fn lax(site: &Site, requests: [Vec<u8>; 2], hears: &[usize]) -> [Failed; 2] {
    let [first, second] = requests;
    let run = |cheat: fn(Fetched) -> Fetched| {
        let (request, more) = (first.clone(), vec![second.clone()]);
        Run { request, more, hears: Some(hears.to_vec()), cheat, ..Run::new(site, "") }.go()
    };
    let (honest, heard) = run(|fetched| fetched);
    heard.unwrap_err();
    let (_, proven) = run(Fetched::unchecked);
    [honest.unwrap_err(), proven.unwrap_err()]
}

/// Both parties refuse a message for a reason with this word.
fn assert_http(errors: &[Failed; 2], expected: Side, word: &str) {
    for error in errors {
        assert!(
            matches!(error, Failed::Disclosure(Disclosure::Refused(Refusal::Http { side, reason })) if *side == expected && reason.contains(word)),
            "{word}: {error}"
        );
    }
}

/// Status 304 has no body; this server sends one, which is P's, and what is taken for the second response.
/// The record that it begins in came before the second request, or after it if the server paused there: then
/// the order is as it should be, and V's rule for such responses alone is in the way.
#[test]
fn forgery_the_body_of_a_response_that_has_none_is_taken_for_the_next_one() {
    let rich = response(r#"{"balance": 500001}"#);
    let head = b"HTTP/1.1 304 Not Modified\r\n\r\n";
    let requests = || [get("files/mine"), get("account")];
    let site = Site::several(HOST, &[&[&head[..], &rich].concat(), b""]);
    assert_http(&lax(&site, requests(), &[head.len() + rich.len()]), Side::Server, "length");
    let site = Site::several(HOST, &[head, &rich]);
    assert_http(&lax(&site, requests(), &[head.len(), rich.len()]), Side::Server, "length");
}

/// The server takes the method from elsewhere, and answers as if to HEAD: a head of as many bytes as the
/// response to the second request has, and none of them. What it says to the second request then passes for
/// that body, and the third answer for the second.
#[test]
fn forgery_a_request_that_has_its_method_from_elsewhere_is_refused_by_v() {
    let field = b"GET /a HTTP/1.1\r\nHost: localhost\r\nX-HTTP-Method-Override: HEAD\r\n\r\n".to_vec();
    for first in [field, get("a?_method=HEAD")] {
        let site = Site::several(HOST, &[&open_response("{}"), &response("{}")]);
        let hears = [open_response("{}").len(), response("{}").len()];
        let errors = lax(&site, [first, get("b")], &hears);
        assert_http(&errors, Side::Client, "a different method");
    }
}

/// What says that the connection ends, and is not the last of it, is followed by what nobody asked for.
#[test]
fn forgery_a_response_after_the_last_one_is_refused_by_v() {
    let (first, rich) = (response("{}"), response(r#"{"balance": 500001}"#));
    let site = Site::several(HOST, &[&first, &rich]);
    let errors = lax(&site, [get("a"), get("b")], &[first.len(), rich.len()]);
    assert_http(&errors, Side::Server, "close");
}

/// Interim responses and trailers are no part of what is read, so neither party finds messages in them.
#[test]
fn forgery_interim_responses_and_trailers_are_refused_by_v() {
    let interim = [b"HTTP/1.1 103 Early Hints\r\n\r\n", &*open_response("{}")].concat();
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n\r\n";
    for (first, word) in [(&*interim, "interim"), (chunked.as_bytes(), "after the body")] {
        let last = response("{}");
        let site = Site::several(HOST, &[first, &last]);
        assert_http(&lax(&site, [get("a"), get("b")], &[first.len(), last.len()]), Side::Server, word);
    }
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

const ACCOUNT: &str =
    r#"{"balance": -12.50, "rate": 1e3, "owner": "Ada \"L\" \u00c9tude", "iban": "DE02 1203"}"#;

#[test]
fn claims_of_every_kind_are_proved() {
    let request = REQUEST.replace("id=4711", "id=4711;\tx");
    let site = Site::new(HOST, &response(ACCOUNT), End::Notify);
    let digest: [u8; 32] = sha2::Sha256::digest(b"DE02 1203").into();
    let claim = |message: Option<&[u8]>| -> CustomClaim {
        let statement = Sha256Preimage::new(digest, 9).unwrap();
        let statement = match message {
            Some(message) => statement.with_message(message.to_vec().into()).unwrap(),
            None => statement,
        };
        CustomClaim::new("example.com/sha256", &digest, Arc::new(StatementClaim(statement))).unwrap()
    };
    let number = |interval| vec![Assertion::Number(interval)];
    let decimal = |text: &str| text.parse::<crate::page::http::json::Decimal>().unwrap();
    let hidden = vec![
        hide(Side::Client, Part::Header("cookie".into()), vec![Assertion::Contains(b"4711".to_vec())]),
        json("balance", number(Interval::between(decimal("-12.5"), decimal("-12.49")))),
        json("rate", vec![Assertion::Length(3..=3)]),
        json("owner", vec![Assertion::Contains("\"L\" É".into()), Assertion::Matches("Ada .*".into())]),
        json(
            "iban",
            vec![Assertion::Custom(claim(Some(b"DE02 1203"))), Assertion::Matches(r"DE\d{2} \d+".into())],
        ),
    ];
    let mut run = Run::hiding(&site, &request, hidden.clone());
    run.vocabulary = vec![claim(None)];
    let (fetched, proven) = run.go();
    fetched.unwrap();
    let proven = proven.unwrap();
    let shown = String::from_utf8(proven.response.text.clone()).unwrap();
    assert!(
        shown.ends_with(
            r#"{"balance": 111111, "rate": 111, "owner": "xxxxxxxxxxxxxxxxxxxx", "iban": "xxxxxxxxx"}"#
        ),
        "{shown}"
    );
    let said = claims(&proven.statement().unwrap());
    for expected in [
        r#"response json owner: contains "\\\"L\\\" \\u00c9""#,
        "response json balance: is a number from -12.5 to -12.49",
        r#"response json iban: is what "example.com/sha256" claims with "#,
        "request header cookie: contains \"4711\"",
    ] {
        assert!(said.iter().any(|line| line.starts_with(expected)), "{expected} in {said:#?}");
    }
    // A verifier that does not know the claim of others refuses the whole; a prover with another string
    // proves nothing.
    let (_, proven) = Run::hiding(&site, &request, hidden).go();
    let error = proven.unwrap_err();
    assert!(error.to_string().contains("example.com/sha256"), "{error}");
    let other = vec![json("iban", vec![Assertion::Custom(claim(Some(b"DE02 1204")))])];
    let (fetched, _) = Run::hiding(&site, &request, other).go();
    assert!(matches!(fetched.unwrap_err(), Failed::Disclosure(Disclosure::NotTrue(_))));
}

#[test]
fn false_claims_of_every_kind_end_at_p() {
    let site = Site::new(HOST, &response(ACCOUNT), End::Notify);
    for (claim, why) in [
        (json("balance", vec![Assertion::Number(Interval::above(-12))]), "greater than -12"),
        (json("rate", vec![Assertion::Number(Interval::at_least(1))]), "exponent"),
        (json("owner", vec![Assertion::Contains(b"u00c9".to_vec())]), "u00c9"),
        (json("iban", vec![Assertion::Matches(r"FR.*".into())]), "FR"),
        (json("iban", vec![Assertion::Digits]), "digits"),
    ] {
        let (fetched, proven) = Run::hiding(&site, REQUEST, vec![claim]).go();
        let error = fetched.unwrap_err();
        assert!(
            matches!(&error, Failed::Disclosure(Disclosure::NotTrue(text)) if text.contains(why)),
            "{error}"
        );
        proven.unwrap_err();
    }
    let claim = json("iban", vec![Assertion::Length(1..=8)]);
    let (fetched, _) = Run::hiding(&site, REQUEST, vec![claim]).go();
    assert!(matches!(fetched.unwrap_err(), Failed::Disclosure(Disclosure::Refused(Refusal::Claim(_)))));
}

/// A stranger's claims are circuits in V's memory, which all of V's sessions share.
#[test]
fn claims_that_v_has_no_memory_for_are_refused() {
    let site = site();
    let claimed = || vec![json("user.age", vec![Assertion::Number(Interval::between(18, 120))])];
    for (size, held) in [(1000, 0), (1 << 24, (1 << 24) - 1000)] {
        let budget = Budget::new(size);
        let others = budget.take(held).unwrap();
        let (fetched, proven) = Run { budget: budget.clone(), ..Run::hiding(&site, REQUEST, claimed()) }.go();
        let refusal = Refusal::Memory { ever: held == 0 };
        assert_eq!(proven.unwrap_err(), Failed::Disclosure(Disclosure::Refused(refusal.clone())));
        assert!(fetched.unwrap_err().to_string().contains(&refusal.to_string()));
        drop(others);
        assert_eq!(budget.free(), size);
    }
    let budget = Budget::new(1 << 24);
    let (_, proven) = Run { budget: budget.clone(), ..Run::hiding(&site, REQUEST, claimed()) }.go();
    assert!(proven.is_ok());
    assert_eq!(budget.free(), 1 << 24, "what a session had is free again");
}

/// P takes its hidden balance for another one, so nothing stops it before the proof.
#[test]
fn a_claim_about_bytes_that_were_not_sent_is_not_proved() {
    let site = Site::new(HOST, &response(ACCOUNT), End::Notify);
    let rich = vec![Assertion::Number(Interval::above(900))];
    let digits = vec![Assertion::Matches(r"\d+\.\d\d".into())];
    for claims in [rich, digits] {
        let mut run = Run::hiding(&site, REQUEST, vec![json("balance", claims)]);
        run.cheat = |mut fetched| {
            fetched.change_response(|text| {
                let place = text.windows(6).position(|bytes| bytes == b"-12.50").unwrap();
                text[place..place + 6].copy_from_slice(b"999.50");
            });
            fetched
        };
        let (fetched, proven) = run.go();
        assert!(matches!(
            fetched.unwrap_err(),
            Failed::Proof(Zk::Statement(CircuitError::Unsatisfied { .. }))
        ));
        proven.unwrap_err();
    }
}

#[test]
fn a_server_that_gives_up_after_its_choice_is_not_said_to_speak_something_else() {
    let site = Site::with(HOST, &[&response(BODY)], End::Notify, |config| asking(&config, true));
    let (fetched, _) = Run::new(&site, REQUEST).go();
    let failed = fetched.unwrap_err();
    assert!(matches!(&failed, Failed::Proxy(Error::Tls(reason)) if reason.contains("alert")), "{failed:?}");
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
