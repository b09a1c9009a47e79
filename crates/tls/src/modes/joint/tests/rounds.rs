//! Several requests on one connection: those that depend on nothing, those that depend on what was read, and
//! who notices which cheat.

use std::time::Duration;

use volery_channel::{Tag, tags};
use volery_testing::untouched;

use super::*;
use crate::modes::joint::testing::{Around, Change, Client, Fetched};
use crate::page::disclosure::{Error as Disclosure, Proven, Refusal, Suite, TlsVersion};

const LOGIN: &str = "GET /login HTTP/1.1\r\nHost: data.example.com\r\nX-Api-Key: password\r\n\r\n";
const PAGE: &str = "GET /page HTTP/1.1\r\nHost: data.example.com\r\nX-Token: t-0815\r\n\r\n";
const LAST: &str = "GET /last HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\n\r\n";

fn json(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// A server with three answers.
fn site() -> Site {
    let answers = [json(r#"{"token":"t-0815"}"#), json(r#"{"age":36,"name":"Ada"}"#), json(r#"{"age":77}"#)];
    Site::several(KeyAlgorithm::P256, &answers.each_ref().map(Vec::as_slice))
}

/// All three requests, of whose responses so many bytes are read from the first on.
fn run<'a>(site: &'a Site, reads: &[usize]) -> Run<'a> {
    let requests = [LOGIN, PAGE, LAST].map(|request| request.as_bytes().to_vec()).to_vec();
    let patience = Duration::from_secs(60);
    Run { requests, reads: reads.to_vec(), patience, ..Run::new(site, b"") }
}

fn of(round: usize, hide: Redaction) -> Redaction {
    Redaction { round, ..hide }
}

#[test]
fn several_requests_that_wait_for_nothing_are_proved_each_by_its_number() {
    let site = site();
    let between = |least, greatest| vec![Assertion::Number(Interval::between(least, greatest))];
    let hide = vec![
        of(0, hide(Side::Client, Part::Header("x-api-key".into()), Vec::new())),
        of(0, hide(Side::Server, Part::Json("token".into()), Vec::new())),
        of(1, hide(Side::Client, Part::Header("x-token".into()), Vec::new())),
        of(1, hide(Side::Server, Part::Json("age".into()), between(30, 40))),
        of(2, hide(Side::Server, Part::Json("age".into()), between(70, 80))),
    ];
    let (fetched, proven) = Run { hide, ..run(&site, &[]) }.go();
    let fetched = fetched.unwrap();
    assert_eq!(fetched.read, [LOGIN, PAGE, LAST].concat().as_bytes());
    let proven = proven.unwrap();
    let request = String::from_utf8(proven.request.text.clone()).unwrap();
    assert_eq!(
        request,
        [LOGIN, PAGE, LAST].concat().replace("password", "xxxxxxxx").replace("t-0815", "xxxxxx")
    );
    assert!(proven.pipelined);
    let statement = proven.statement().unwrap().to_string();
    assert!(statement.contains("rounds    3 requests, sent at once\n"), "{statement}");
    for claim in
        ["response 2 json age: is a number from 30 to 40", "response 3 json age: is a number from 70 to 80"]
    {
        assert!(statement.contains(&format!("proved    {claim}\n")), "{statement}");
    }
}

#[test]
fn responses_are_read_while_the_connection_lives_and_proved_in_the_end() {
    let site = site();
    // What the first leaves serves the second: 58 bytes of response take 64 and a mask, 62 likewise.
    for (reads, pipelined) in [(&[160][..], true), (&[120, 40], false)] {
        let (fetched, proven) = run(&site, reads).go();
        let fetched = fetched.unwrap();
        assert_eq!(fetched.response, site_text());
        let proven = proven.unwrap();
        assert_eq!((proven.response.text, proven.pipelined), (site_text(), pipelined));
    }
}

fn site_text() -> Vec<u8> {
    [json(r#"{"token":"t-0815"}"#), json(r#"{"age":36,"name":"Ada"}"#), json(r#"{"age":77}"#)].concat()
}

/// A request for this, on a connection that goes on.
fn get(target: &str) -> Vec<u8> {
    format!("GET /{target} HTTP/1.1\r\nHost: data.example.com\r\n\r\n").into_bytes()
}

/// The server answers the first request with a head alone, and the second one with a file that P has
/// uploaded, which V takes for the rest of the first response and for the others. The third request it never
/// gets.
#[test]
fn forgery_a_file_of_p_s_is_taken_for_a_later_response_when_an_earlier_one_lacks_its_body() {
    let rich = json(r#"{"balance":500001}"#);
    let rich = String::from_utf8(rich).unwrap().replace("OK", "OK\r\nConnection: close");
    let file = [b"..", &*json("{}"), rich.as_bytes()].concat();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", file.len());
    let redirect = format!("HTTP/1.1 302 x\r\nContent-Length: {}\r\n\r\n", head.len() + 2);
    let stored = [head.as_bytes(), &file].concat();
    let site = Site::several(KeyAlgorithm::P256, &[redirect.as_bytes(), &stored, b""]);
    let requests = [get("redirect?to=%0d%0aContent-Length:40"), get("files/mine"), get("account")].to_vec();
    let blocks = |text: &[u8]| 16 * (text.len().div_ceil(16) + 1);
    let reads = vec![blocks(redirect.as_bytes()), blocks(&stored)];
    let least = vec![Assertion::Number(Interval::at_least(500_000))];
    let hide = vec![of(2, hide(Side::Server, Part::Json("balance".into()), least))];
    let cheat = Run { requests: requests.clone(), reads, hide, ..run(&site, &[]) };
    let (_, v) = cheat.go_with(|engine| Client::new(&site, true).converse_but(engine, &requests, 2, 2));
    assert_eq!(v.unwrap_err(), Error::Disclosure(Disclosure::Refused(Refusal::Order { round: 1 })));
}

/// What the order of records does not show, and why readers take one round unless they say otherwise
/// (SECURITY.md): this server says more than the head of its first response announces, and a record ends
/// there. What it says too much passes for the response to a request that it has not got yet, since P decides
/// when V is shown what.
#[test]
fn a_limit_what_a_server_says_too_much_in_a_record_of_its_own_passes_for_the_next_response() {
    let (first, rich) = (json("{}"), json(r#"{"balance":500001}"#));
    let mut site = Site::several(KeyAlgorithm::P256, &[&first, &rich]);
    site.unasked = true;
    let requests = vec![get("files/mine"), LAST.as_bytes().to_vec()];
    let reads = vec![16 * (first.len().div_ceil(16) + 1)];
    let (_, v) = Run { requests, reads, ..run(&site, &[]) }.go();
    let proven = v.unwrap();
    assert_eq!((proven.rounds, proven.pipelined), (2, false));
    assert_eq!(proven.response.text, [first, rich].concat());
}

/// Two requests go as one, so V would hold no response between them.
#[test]
fn requests_that_are_sent_at_once_without_saying_so_are_refused() {
    let answers = [json(r#"{"a":1}"#), json(r#"{"b":2}"#)].concat();
    let site = Site::several(KeyAlgorithm::P256, &[&answers, &json("{}")]);
    let requests = vec![[get("a"), get("b")].concat(), LAST.as_bytes().to_vec()];
    let (_, v) = Run { requests, reads: vec![112], ..run(&site, &[]) }.go();
    assert_eq!(v.unwrap_err(), Error::Disclosure(Disclosure::Refused(Refusal::Order { round: 1 })));
}

#[test]
fn targets_before_the_last_are_shown_where_requests_are_sent_at_once() {
    let site = site();
    let hide = vec![of(1, hide(Side::Client, Part::Path, Vec::new()))];
    let (_, v) = Run { hide: hide.clone(), ..run(&site, &[]) }.go();
    let error = v.unwrap_err();
    assert!(
        matches!(&error, Error::Disclosure(Disclosure::Refused(Refusal::Http { reason, .. })) if reason.contains("at once")),
        "{error}"
    );
}

#[test]
fn no_more_is_read_than_was_prepared() {
    let site = site();
    let (p, v) = run(&site, &[48]).go();
    assert!(matches!(p.unwrap_err(), Error::Limit { asked: 80, limit: 48, .. }));
    v.unwrap_err();
}

/// Changes message number `at` (from 0) of this step.
fn at(step: Tag, at: usize, tamper: fn(&mut Vec<u8>)) -> Change {
    let mut seen = 0;
    Box::new(move |tag, message| {
        if tag == step {
            if seen == at {
                tamper(message);
            }
            seen += 1;
        }
    })
}

fn flip_first(message: &mut Vec<u8>) {
    message[0] ^= 1;
}

fn flip_last(message: &mut Vec<u8>) {
    if let Some(byte) = message.last_mut() {
        *byte ^= 1;
    }
}

fn prover_says(site: &Site, change: Change) -> (Result<Fetched, Error>, Result<Proven, Error>) {
    Run { changes: [change, Box::new(untouched)], ..run(site, &[96]) }.go()
}

fn verifier_says(site: &Site, change: Change) -> (Result<Fetched, Error>, Result<Proven, Error>) {
    Run { changes: [Box::new(untouched), change], ..run(site, &[96]) }.go()
}

fn wrong_tag() -> Error {
    Error::Disclosure(Disclosure::Refused(Refusal::Tag { side: Side::Server, sequence: 1 }))
}

/// The record was changed on the wire, or P made it up: V has another ciphertext than the tag is of, or P's
/// sum is not what it must be.
#[test]
fn nothing_is_read_of_a_record_with_a_wrong_tag() {
    let site = site();
    let ciphertext: fn(&mut Vec<u8>) = |message| message[8] ^= 1;
    for (step, tamper) in
        [(tags::SERVER_RECORD, ciphertext), (tags::RECORD_SUM, flip_first as fn(&mut Vec<u8>))]
    {
        let (p, v) = prover_says(&site, at(step, 0, tamper));
        assert_eq!(v.unwrap_err(), wrong_tag(), "{step}");
        assert!(matches!(p, Err(Error::Parties(crate::Error::Channel(_)))), "{p:?}");
    }
    // As the wire would change it: both parties see the same, and it is not what the server said.
    for place in [5 + 8, 5 + 8 + 57, 5 + 8 + 58] {
        let (p, v) = run(&site, &[96]).go_with(|engine| {
            let change = move |payload: &mut Vec<u8>| payload[place - 5] ^= 1;
            let mut wire = Around { read: Box::new(change), ..Around::new(engine) };
            Client::new(&site, true).converse(&mut wire, &requests(), 1)
        });
        assert_eq!(v.unwrap_err(), wrong_tag(), "{place}");
        p.unwrap_err();
    }
}

fn requests() -> Vec<Vec<u8>> {
    [LOGIN, PAGE, LAST].map(|request| request.as_bytes().to_vec()).to_vec()
}

#[test]
fn v_cannot_take_a_tag_for_right_that_it_did_not_promise() {
    let site = site();
    for step in [tags::RECORD_PROMISE, tags::RECORD_OPENING] {
        let (p, v) = verifier_says(&site, at(step, 0, flip_first));
        let cheat = |error| matches!(error, Error::Parties(crate::Error::Cheat { step, .. }) if step == tags::RECORD_OPENING);
        assert!(cheat(p.unwrap_err()), "{step}");
        v.unwrap_err();
    }
}

/// P would act on words that the server did not say.
#[test]
fn v_can_return_no_other_share_of_what_is_read() {
    let site = site();
    // The values before are those of the handshake and of the first request; count them in an honest run
    // without reading.
    let count = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let counted = std::sync::Arc::clone(&count);
    let note: Change = Box::new(move |tag, message| counted.lock().unwrap().push((tag, message.len())));
    let (p, v) = verifier_says(&site, note);
    assert!(p.is_ok() && v.is_ok(), "{p:?} {v:?}");
    let messages = count.lock().unwrap().clone();
    let opening = messages.iter().position(|(tag, _)| *tag == tags::RECORD_OPENING).unwrap();
    let before = messages[..opening].iter().filter(|(tag, _)| *tag == tags::GARBLED_RETURN).count();
    let (p, v) = verifier_says(&site, at(tags::GARBLED_RETURN, before, flip_first));
    let cheat = |error| matches!(error, Error::Garbling(volery_garble::Error::Cheat { step, .. }) if step == tags::GARBLED_RETURN);
    assert!(cheat(p.unwrap_err()));
    v.unwrap_err();
}

#[test]
fn what_was_read_must_be_what_p_hands_over_in_the_end() {
    let site = site();
    // The nonce of the server's first record of application data, in the transcript: after the read, P names
    // another one.
    let change = |message: &mut Vec<u8>| {
        let (mut start, mut data) = (0, None);
        while let [kind, _, _, high, low, ..] = message[start..] {
            if kind == 23 && data.is_none() {
                data = Some(start);
            }
            start += 5 + (usize::from(high) << 8 | usize::from(low));
        }
        message[data.unwrap() + 5] ^= 1;
    };
    let (_, v) = prover_says(&site, at(tags::CLIENT_TRANSCRIPT, 2, change));
    assert_eq!(v.unwrap_err(), Error::Disclosure(Disclosure::Refused(Refusal::Another("server's records"))));
}

/// V enters another power of its factor into a product: of what hides the client's hash key, or the server's.
#[test]
fn nobody_uses_a_hash_key_whose_powers_v_has_chosen() {
    let site = site();
    for (place, tls, suite) in
        [(0, TlsVersion::Tls12, Suite::Aes128GcmSha256), (1, TlsVersion::Tls13, Suite::Aes256GcmSha384)]
    {
        let changes: [Change; 2] = [Box::new(untouched), at(tags::OLE_CORRECTIONS, place, flip_last)];
        let (p, v) = Run { tls, suite, changes, ..run(&site, &[160]) }.go();
        let check = "the check of what hides a hash key";
        let is_check = |error| matches!(error, Error::Parties(crate::Error::Cheat { check: found, .. }) if found == check);
        assert!(is_check(p.unwrap_err()) && is_check(v.unwrap_err()), "{tls}");
    }
}

#[test]
fn v_notices_whatever_is_changed_in_a_message_about_what_is_read() {
    let site = site();
    // Steps: sizes, master secret, keys, Finished, the reading, the requests after it.
    for (step, number) in [
        (tags::SERVER_RECORD, 0),
        (tags::RECORD_SUM, 0),
        (tags::CLIENT_STEP, 0),
        (tags::CLIENT_STEP, 4),
        (tags::CLIENT_STEP, 5),
        (tags::CLIENT_STEP, 6),
    ] {
        let (_, v) = prover_says(&site, at(step, number, flip_last));
        assert!(v.is_err(), "V accepts although message {number} of {step} was changed");
    }
}

#[test]
fn sizes_that_make_no_sense_are_refused_by_both() {
    let site = site();
    for (requests, reads) in [
        (Vec::new(), Vec::new()),
        (vec![b"a".to_vec()], vec![16]),
        (vec![b"a".to_vec(), Vec::new()], vec![]),
        (vec![b"a".to_vec(), b"b".to_vec(), b"c".to_vec()], vec![0, 16]),
        (vec![b"a".to_vec(); 17], vec![]),
    ] {
        let (p, _) = Run { requests, reads, ..run(&site, &[]) }.go();
        assert!(matches!(p, Err(Error::Parties(crate::Error::Misuse(_)))), "{p:?}");
    }
    // P says that nothing is asked: the length of the only request.
    let nothing: fn(&mut Vec<u8>) = |message| message[7..11].fill(0);
    let (_, v) = prover_says(&site, at(tags::CLIENT_STEP, 0, nothing));
    assert!(matches!(v, Err(Error::Parties(crate::Error::Malformed { .. }))), "{v:?}");
    let (p, v) = run(&site, &[Limits::default().read + 1]).go();
    assert!(matches!(v, Err(Error::Limit { limit: 4096, .. })), "{v:?}");
    p.unwrap_err();
}
