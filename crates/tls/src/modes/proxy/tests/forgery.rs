//! Provers that want a response to be taken for the answer to another request.

use super::*;

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
