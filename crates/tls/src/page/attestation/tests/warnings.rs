//! What a reader is warned of, each thing alone.

use super::*;
use crate::page::disclosure::{Draft, Part, Redaction};
use crate::wire::prf::Side;

const GET: &str = "GET /a?id=7 HTTP/1.1\r\nHost: localhost\r\nCookie: a=b\r\n\r\n";
const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"a\": 12}";

/// The statement of a connection with these requests, which all got the same answer. Of the requests these
/// parts are hidden, and no others.
fn of(requests: &[&str], hidden: &[(usize, Part)]) -> Statement {
    let hide = hidden
        .iter()
        .map(|(round, part)| Redaction { round: *round, ..Redaction::new(Side::Client, part.clone()) });
    let payload = [requests.concat(), ANSWER.repeat(requests.len())];
    let draft = Draft::of("localhost", payload.map(|text| text.into_bytes().into()));
    draft.expected(&hide.collect::<Vec<_>>(), 1_780_000_000).unwrap()
}

#[test]
fn a_page_of_which_everything_is_clear_gives_no_warning() {
    let headers = [(0, Part::Header("Cookie".into()))];
    assert_eq!(of(&[GET], &headers).warnings(), []);
    let mut claimed = of(&[GET], &headers);
    claimed.mode = Mode::Proxy;
    claimed.alpn = false;
    assert_eq!(claimed.warnings(), [], "in proxy mode the notary chose the port");
}

#[test]
fn each_thing_that_a_reader_has_to_decide_is_warned_of() {
    let post = "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\n{\"q\": 5}";
    let odd = "GET /a HTTP/1.1\r\nHost: localhost\r\nX-Original-URL: /b\r\nX-Odd: 1\r\n\r\n";
    let unknown = |request, name: &str| Warning::UnknownField { request, name: name.into() };
    for (statement, expected, words) in [
        (
            of(&[GET], &[(0, Part::Path)]),
            vec![Warning::HiddenPath { request: 0 }],
            "path of request 1 is hidden",
        ),
        (
            of(&[GET], &[(0, Part::Query)]),
            vec![Warning::HiddenWords { request: 0 }],
            "request 1 hides its query",
        ),
        (
            of(&[GET], &[(0, Part::Parameter("id".into()))]),
            vec![Warning::HiddenWords { request: 0 }],
            "request 1 hides its query",
        ),
        (of(&[post], &[(0, Part::Body)]), vec![Warning::HiddenWords { request: 0 }], "or body"),
        (of(&[post], &[(0, Part::Json("q".into()))]), vec![Warning::HiddenWords { request: 0 }], "or body"),
        (
            of(&[odd], &[]),
            vec![unknown(0, "X-Original-URL"), unknown(0, "X-Odd")],
            "request 1 has the header field X-Original-URL",
        ),
        (of(&[GET, GET], &[]), vec![Warning::SeveralRequests { requests: 2 }], "2 requests went over"),
        (
            Statement { pipelined: true, ..of(&[GET, GET], &[]) },
            vec![Warning::SeveralRequests { requests: 2 }, Warning::Pipelined],
            "2 requests went over",
        ),
        (Statement { alpn: false, ..of(&[GET], &[]) }, vec![Warning::NoProtocol], "named no protocol"),
        // A statement that no notary makes, but that anybody may sign.
        (
            Statement { server_name: "other.example".into(), ..of(&[GET], &[]) },
            vec![Warning::Unread],
            "cannot be read again",
        ),
        (
            of(&[GET, odd, GET], &[(0, Part::Query), (2, Part::Path), (2, Part::Query)]),
            vec![
                Warning::SeveralRequests { requests: 3 },
                Warning::HiddenPath { request: 2 },
                Warning::HiddenWords { request: 0 },
                Warning::HiddenWords { request: 2 },
                unknown(1, "X-Original-URL"),
                unknown(1, "X-Odd"),
            ],
            "3 requests",
        ),
    ] {
        assert_eq!(statement.warnings(), expected);
        let first = statement.warnings()[0].to_string();
        assert!(first.contains(words), "{first}");
    }
}

#[test]
fn no_warning_writes_on_a_terminal_what_a_page_has_sent() {
    let warning = Warning::UnknownField { request: usize::MAX, name: "\u{1b}[2J\u{202e}x".into() };
    let text = warning.to_string();
    assert!(
        text.contains(r"\u{1b}[2J\u{202e}x") && text.chars().all(|c| c.is_ascii_graphic() || c == ' '),
        "{text}"
    );
}
