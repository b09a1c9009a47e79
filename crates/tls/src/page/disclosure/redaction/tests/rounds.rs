//! Connections with several requests: whose parts are hidden, and what may not precede another message.

use super::*;

/// A second exchange, whose response is not JSON of the same form.
const AGAIN: [&[u8]; 2] = [
    b"POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\n{\"b\":12}",
    b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"age\":77}",
];

pub(super) fn two() -> [Vec<u8>; 2] {
    [[REQUEST, AGAIN[0]].concat(), [RESPONSE, AGAIN[1]].concat()]
}

fn shown_of_two(hide: &[Redaction]) -> Result<[RedactedPayload; 2], Refusal> {
    let [request, response] = two();
    let exchanges = exchanges([&request, &response], true)?;
    Ok([find(Side::Client, &request, &exchanges, hide)?, find(Side::Server, &response, &exchanges, hide)?])
}

#[test]
fn parts_of_each_of_several_rounds_are_hidden_by_its_number() {
    let of = |side, round, part| Redaction { round, ..hide(side, part) };
    let hidden = [
        of(Side::Client, 1, Part::Json("b".into())),
        of(Side::Client, 0, Part::Path),
        of(Side::Server, 1, Part::Json("age".into())),
        of(Side::Server, 0, Part::Json("name".into())),
    ];
    let shown = shown_of_two(&hidden).unwrap();
    assert_eq!(verdict(&shown), Ok(()));
    let text = |shown: &RedactedPayload| String::from_utf8(shown.text.clone()).unwrap();
    assert!(text(&shown[0]).starts_with("GET /x?b HTTP/1.1") && text(&shown[0]).ends_with("{\"b\":11}"));
    assert!(
        text(&shown[1]).contains("{\"name\":\"xxx\",\"age\":36") && text(&shown[1]).ends_with("{\"age\":11}")
    );
    for RedactedPayload { hidden, .. } in &shown {
        assert_eq!([hidden[0].round, hidden[1].round], [0, 1]);
    }
    let missing = shown_of_two(&[of(Side::Server, 2, Part::Body)]).unwrap_err();
    assert!(missing.to_string().contains("response 3") && missing.to_string().contains("has 2"), "{missing}");
    // P says that the hidden bytes are the same part of the other round.
    for (side, at) in [(0, 0), (1, 0), (1, 1)] {
        let mut cheat = shown.clone();
        cheat[side].hidden[at].round ^= 1;
        assert!(matches!(verdict(&cheat), Err(Refusal::Part { .. })), "{side} {at}");
        cheat[side].hidden[at].round = 7;
        assert!(matches!(verdict(&cheat), Err(Refusal::Part { .. })), "{side} {at}");
    }
}

#[test]
fn each_of_several_requests_is_to_the_host_that_was_verified() {
    let [request, response] = two();
    let request = String::from_utf8(request).unwrap();
    let at = request.rfind("localhost").unwrap();
    let other = [&request[..at], "elsewhere", &request[at + 9..]].concat();
    let text = |text: &[u8]| RedactedPayload { text: text.to_vec(), hidden: Vec::new() };
    assert_eq!(verdict(&[text(request.as_bytes()), text(&response)]), Ok(()));
    assert!(matches!(verdict(&[text(other.as_bytes()), text(&response)]), Err(Refusal::Host { .. })));
}

/// A server that ignores the body of a GET takes it for a request of its own, and may end the connection
/// before it comes to the second.
#[test]
fn a_body_that_a_server_may_take_for_a_request_is_refused_where_there_are_several() {
    let answers = [RESPONSE, AGAIN[1]].concat();
    for (method, fields, body, sound) in [
        ("POST", "Content-Length: 4", "abcd", true),
        ("PUT", "Content-Length: 4", "abcd", true),
        ("GET", "Content-Length: 4", "abcd", false),
        ("DELETE", "Content-Length: 4", "abcd", false),
        ("POST", "Transfer-Encoding: chunked", "1\r\na\r\n0\r\n\r\n", false),
        ("GET", "X: y", "", true),
    ] {
        let request = format!("{method} / HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n\r\n{body}");
        let alone = exchanges([request.as_bytes(), RESPONSE], true);
        assert!(alone.is_ok(), "{method} {fields}");
        let first = [request.as_bytes(), AGAIN[0]].concat();
        assert_eq!(exchanges([&first, &answers], true).is_ok(), body.is_empty(), "{method} {fields}");
        let last = [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", request.as_bytes()].concat();
        assert_eq!(exchanges([&last, &answers], true).is_ok(), sound, "{method} {fields}");
    }
}

#[test]
fn hidden_bytes_of_a_body_are_taken_only_where_all_servers_read_them_as_the_body() {
    for (method, field, sound) in [
        ("POST", "Content-Length: 8", true),
        ("PUT", "Content-Length: 8", true),
        ("PATCH", "Content-Length: 8", true),
        ("GET", "Content-Length: 8", false),
        ("DELETE", "Content-Length: 8", false),
        ("POST", "Transfer-Encoding: chunked", false),
    ] {
        let body = if field.starts_with('T') { "8\r\n{\"b\":12}\r\n0\r\n\r\n" } else { "{\"b\":12}" };
        let request = format!("{method} / HTTP/1.1\r\nHost: localhost\r\n{field}\r\n\r\n{body}");
        for parts in [vec![], vec![Part::Body], vec![Part::Json("b".into())]] {
            let hidden: Vec<_> = parts.iter().map(|part| hide(Side::Client, part.clone())).collect();
            let exchanges = exchanges([request.as_bytes(), RESPONSE], true).unwrap();
            let response = RedactedPayload { text: RESPONSE.to_vec(), hidden: Vec::new() };
            let request = find(Side::Client, request.as_bytes(), &exchanges, &hidden).unwrap();
            let verdict = verdict(&[request, response]);
            assert_eq!(verdict.is_ok(), sound || parts.is_empty(), "{method} {field} {parts:?}");
        }
    }
}

#[test]
fn what_others_must_not_follow_is_refused_but_in_the_last_round() {
    let get = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for response in [
        "HTTP/1.1 204 No\r\n\r\n",
        "HTTP/1.1 304 No\r\nContent-Length: 9\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
    ] {
        let both = [response.as_bytes(), RESPONSE].concat();
        assert!(exchanges([&[&get[..], REQUEST].concat(), &both], true).is_err(), "{response}");
        let sound = !response.contains("100");
        assert_eq!(exchanges([get, response.as_bytes()], true).is_ok(), sound, "{response}");
    }
    let overriding = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-HTTP-Method-Override: HEAD\r\n\r\n";
    assert!(exchanges([overriding, RESPONSE], true).is_err());
}

#[test]
fn where_requests_are_sent_at_once_targets_before_the_last_are_shown() {
    let of = |round| Redaction { round, ..hide(Side::Client, Part::Path) };
    for (round, sound) in [(0, false), (1, true)] {
        let shown = shown_of_two(&[of(round)]).unwrap();
        let exchanges = check(&shown, &server(None, &[]), true).unwrap().exchanges;
        assert_eq!(check_pipelined(&shown[0], &exchanges).is_ok(), sound);
    }
}
