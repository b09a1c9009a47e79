//! What is found out before anything is sent, and what cannot be.

use super::words::parse;
use super::*;

const REQUEST: &str = "POST /a?id=7&k=x&id=8 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: s=1\r\nAccept: x\r\n\
                       Accept: y\r\nContent-Length: 33\r\n\r\n{\"amount\": 50, \"to\": \"\", \"ok\": true}";

fn flight(requests: &str, rounds: usize) -> Preflight<'_> {
    Preflight { host: "localhost", port: 443, requests: requests.as_bytes(), rounds }
}

/// A selection in words: parts to hide, claims, parts to commit to, and to reveal if there is a list.
fn selection(hide: &[&str], claims: &[&str], commit: &[&str], reveal: Option<&[&str]>) -> Selection {
    let words = |all: &[&str]| all.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let reveal = reveal.map(words);
    parse(&words(hide), &words(claims), &words(commit), reveal.as_deref(), Vec::new()).unwrap()
}

fn mistakes(requests: &str, selection: &Selection) -> Vec<String> {
    flight(requests, 1).mistakes(selection).iter().map(Error::to_string).collect()
}

/// [`REQUEST`] with the length that it has.
fn request() -> String {
    let (head, body) = REQUEST.split_once("\r\n\r\n").unwrap();
    format!("{}\r\n\r\n{body}", head.replace("33", &body.len().to_string()))
}

#[test]
fn what_cannot_be_proved_of_a_request_is_known_before_it_is_sent() {
    let with = |hide: &[&str]| selection(hide, &[], &[], None);
    let claiming = |claim: &str| selection(&[], &[claim], &[], None);
    let committing = |part: &str| selection(&[], &[], &[part], None);
    let showing = |part: &str| selection(&[], &[], &[], Some(&[part]));
    for (selection, expected) in [
        // Parts that are not there.
        (with(&["request.header:Authorization"]), "header Authorization of the request: there is no field"),
        (with(&["request.json:nothing"]), "json nothing of the request"),
        (with(&["request.query.none"]), "query none of the request"),
        (claiming("request.json:amount.x = 5"), "json amount.x of the request"),
        (committing("request.json:none"), "json none of the request"),
        (showing("request.header:Referer"), "header Referer of the request"),
        (showing("request.json:none"), "json none of the request"),
        // Parts that cannot be hidden, or are not one string.
        (with(&["request.header:Host"]), "it is shown"),
        (committing("request.header:Accept"), "several fields of this name"),
        (claiming("request.query.id = 7"), "query id of the request"),
        (claiming("request.json:to != x"), "json to of the request: it is empty"),
        (with(&["request.json:ok"]), "json ok of the request"),
        // Claims that are not true.
        (claiming("request.json:amount >= 51"), "not true: request json amount"),
        (claiming("request.header:Cookie = s=2"), "not true: request header Cookie"),
        (claiming("request.query.k = y"), "not true: request query k"),
        (claiming("request.json:to = x"), "not true: request json to"),
        // Names that lead nowhere, whatever the response is.
        (with(&["request2.path"]), "path of the request 2: there is no such message"),
        (showing("response2.json:a"), "json a of the response 2: there is no such message"),
        (claiming("response9.json:a = 5"), "json a of the response 9: there is no such message"),
        (with(&["response.header:Content-Length"]), "header Content-Length of the response"),
    ] {
        // Without this, words and empty values that nobody names are mistakes, too.
        let selection = Selection { show_rest: true, ..selection };
        let found = mistakes(&request(), &selection);
        assert_eq!(found.len(), 1, "{expected}: {found:#?}");
        assert!(found[0].contains(expected), "{expected}: {found:#?}");
        assert_eq!(flight(&request(), 1).check(&selection).unwrap_err().to_string(), found[0]);
    }
}

#[test]
fn names_that_contradict_each_other_are_refused_however_a_selection_was_made() {
    let one = Redaction::new(Side::Server, Part::Header("ETag".into()));
    let shown = MessagePart { side: Side::Server, round: 0, part: Part::Header("etag".into()) };
    let both = Selection { hide: vec![one], reveal: vec![shown], ..Selection::default() };
    let found = mistakes(&request(), &both);
    assert!(found.len() == 1 && found[0].contains("cannot be revealed and hidden"), "{found:?}");
    let query = Selection { hide: vec![Redaction::new(Side::Server, Part::Query)], ..Selection::default() };
    let found = mistakes(&request(), &query);
    assert!(found.len() == 1 && found[0].contains("only a request has one"), "{found:?}");
    let many: Vec<String> = (0..17).map(|number| format!("response.json:a != {number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for (claims, found) in [(&many[..], 1), (&many[..16], 0)] {
        assert_eq!(mistakes(&request(), &selection(&[], claims, &[], None)).len(), found);
    }
    let head = "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for (claim, refused) in [("response.json:a = 5", true), ("response.header:ETag = 5", false)] {
        assert_eq!(!mistakes(head, &selection(&[], &[claim], &[], None)).is_empty(), refused, "{claim}");
    }
}

/// A request that V would not read need not be sent either.
#[test]
fn requests_that_nothing_can_be_proved_of_are_known_before_they_are_sent() {
    let shown = selection(&[], &[], &[], Some(&["request.header:X-Odd"]));
    let none = selection(&[], &[], &[], None);
    let head = |more: &str| format!("GET /a HTTP/1.1\r\nHost: localhost\r\n{more}\r\n");
    assert_eq!(mistakes(&head(""), &none), [""; 0]);
    for (request, selection, expected) in [
        (head("X-Odd: 1\r\n"), &none, "X-Odd of the request"),
        (head("X-HTTP-Method-Override: HEAD\r\nX-Odd: 1\r\n"), &shown, "different method"),
        (head("Content-Length: 2\r\n") + "xy", &none, "POST, PUT and PATCH"),
        (head("").replace("localhost", "elsewhere"), &none, "Host is not localhost"),
        (head("").replace("localhost", "localhost:8443"), &none, "port 8443"),
        (head("").replace("\r\n\r\n", "\r\n"), &none, "request"),
    ] {
        let found = mistakes(&request, selection);
        assert!(found.len() == 1 && found[0].contains(expected), "{expected}: {found:#?}");
    }
    assert_eq!(mistakes(&head("X-Odd: 1\r\n"), &shown), [""; 0]);
}

/// Nothing that could be proved is refused: what is said about responses waits for them.
#[test]
fn what_only_the_response_can_tell_is_not_refused() {
    for selection in [
        selection(&[], &[], &[], None),
        selection(&[], &[], &[], Some(&[])),
        selection(&["response.body", "request.path"], &["response.json:balance in 5000.."], &[], Some(&[])),
        selection(
            &["request.header:Accept"],
            &["request.json:amount in ..50", "request.header:Cookie contains s=", "request.query.k = x"],
            &["response.json:a.b", "response.trailer:Checksum"],
            Some(&["response.header:Date", "response.json:c[*].d", "request.json:ok", "request.json:to"]),
        ),
    ] {
        // The request's own words are hidden together, but for a word that stands alone.
        let selection = Selection { show_rest: true, ..selection };
        assert_eq!(mistakes(&request(), &selection), [""; 0], "{selection:?}");
    }
}

#[test]
fn nothing_is_said_of_requests_that_are_not_known_yet() {
    let first = "GET /a HTTP/1.1\r\nHost: localhost\r\nCookie: a=b\r\n\r\n";
    let of = |requests: &str, rounds: usize, selection: &Selection| {
        let found = flight(requests, rounds).mistakes(selection);
        found.iter().map(Error::to_string).collect::<Vec<_>>()
    };
    let later =
        selection(&["request3.header:Cookie"], &["request2.path = x"], &[], Some(&["request3.query"]));
    assert_eq!(of(first, 3, &later), [""; 0]);
    assert_eq!(of("", 3, &later), [""; 0]);
    let second = format!("{first}{first}");
    let found = of(&second, 3, &later);
    assert!(found.len() == 1 && found[0].contains("not true: request 2 path"), "{found:?}");
    // There are only two.
    assert_eq!(of(&second, 2, &later).len(), 3);
    // A body before the last request is refused, whatever comes later.
    let body = "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nxy";
    assert_eq!(of(body, 1, &selection(&[], &[], &[], None)), [""; 0]);
    assert_eq!(of(body, 2, &selection(&[], &[], &[], None)).len(), 1);
    // Each that a later message names is refused for itself.
    let debug = format!("{:?}", flight(&second, 3));
    assert!(!debug.contains("Cookie") && debug.contains("rounds: 3"), "{debug}");
}
