//! How a connection ends: what of it shows P that the server takes no further requests.

use super::*;

/// What comes of a server that closes its socket without close_notify after this response.
fn silent(request: &str, head: &str, cheat: fn(Fetched) -> Fetched) -> Result<(), Failed> {
    let response = format!("{head}\r\nContent-Length: {}\r\n\r\n{BODY}", BODY.len());
    let site = Site::new(HOST, response.as_bytes(), End::Silent);
    let (fetched, proven) = Run { cheat, ..Run::new(&site, request) }.go();
    assert_eq!(fetched.is_ok(), proven.is_ok());
    fetched.map(|fetched| assert_eq!(fetched, response.as_bytes()))
}

#[test]
fn a_server_says_without_close_notify_that_it_takes_no_more() {
    for head in ["HTTP/1.0 200 OK", "HTTP/1.1 200 OK\r\nConnection: close"] {
        assert_eq!(silent(REQUEST, head, |fetched| fetched), Ok(()), "{head}");
    }
    for head in ["HTTP/1.1 200 OK", "HTTP/1.0 200 OK\r\nConnection: keep-alive"] {
        let failed = silent(REQUEST, head, |fetched| fetched);
        assert_eq!(failed, Err(Failed::Disclosure(Disclosure::StillOpen)), "{head}");
    }
}

#[test]
fn p_may_rely_on_a_server_that_was_asked_to_close_and_does_not_refuse() {
    let trusting = |mut fetched: Fetched| {
        fetched.trust_close();
        fetched
    };
    assert_eq!(silent(REQUEST, "HTTP/1.1 200 OK", trusting), Ok(()));
    let open = REQUEST.replace("Connection: close\r\n", "");
    for (request, head) in [
        (&*open, "HTTP/1.1 200 OK"),
        (REQUEST, "HTTP/1.1 200 OK\r\nConnection: keep-alive"),
        (REQUEST, "HTTP/1.0 200 OK\r\nConnection: keep-alive"),
    ] {
        let failed = silent(request, head, trusting);
        assert_eq!(failed, Err(Failed::Disclosure(Disclosure::StillOpen)), "{head}");
    }
}

/// Somebody on the way may have cut such a body off.
#[test]
fn a_body_up_to_the_end_takes_close_notify_whatever_p_relies_on() {
    for (end, whole) in [(End::Notify, true), (End::Silent, false)] {
        let response = format!("HTTP/1.0 200 OK\r\n\r\n{BODY}");
        let site = Site::new(HOST, response.as_bytes(), end);
        let cheat = |mut fetched: Fetched| {
            fetched.trust_close();
            fetched
        };
        let (fetched, _) = Run { cheat, ..Run::new(&site, REQUEST) }.go();
        match fetched {
            Ok(_) => assert!(whole),
            Err(error) => assert!(!whole && error.to_string().contains("close_notify"), "{error}"),
        }
    }
}
