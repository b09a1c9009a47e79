//! Valid HTTP that is refused, because it makes servers answer in a different way than the message says.
//!
//! A response's head and the request's method say where the response ends. Some servers take the method from
//! elsewhere, and then answer without the body that the head announces, or take what follows a request for a
//! part of it. These are known to cause that:
//!
//! | what | where | why |
//! |---|---|---|
//! | a field, or a parameter of query or form that V sees, that overrides the method | any request | HEAD by override: a head of N bytes, and none of them |
//! | `Expect` | any request | its answer is an interim response, which is not read |
//! | a body | before the last round | some servers ignore it, or parse it differently, and take it for the next request |
//! | HEAD; statuses 204 and 304; HTTP/1.0; a body up to the connection's end | before the last round | some servers send a body nevertheless |
//! | header fields after the body | before the last round | they may be the rest of a head, and the true body another response (`trailer`) |
//! | `Connection: close`, of either | before the last round | there is no further response |
//!
//! The method must be on a list, in upper case (`head`), because some servers take `head` for HEAD.
//!
//! *What is not found.* Hidden text: a query or form of which V sees fillers may contain `_method`. Places
//! that few or no frameworks look at: parameters of the path (`/a;_method=HEAD`), cookies, JSON bodies, and
//! names that an application made up. So these rules make the attack rare but not impossible, and readers
//! accept one round unless they say otherwise.

use super::{Error, Framing, Header, Request, Response, slice};

/// Methods whose bodies all servers read.
const WITH_BODY: [&[u8]; 3] = [b"POST", b"PUT", b"PATCH"];

/// Checks that all servers parse a request in the same way. `last`: no other request follows on the
/// connection.
///
/// # Errors
/// [`Error::Unsupported`] with the reason.
pub fn check_request(text: &[u8], request: &Request, last: bool) -> Result<(), Error> {
    let names = || request.headers.iter().map(|header| slice(text, &header.name));
    if names().any(overrides_method) {
        return Err(Error::Unsupported("a header field names a different method than the request line"));
    }
    if names().any(|name| name.eq_ignore_ascii_case(b"expect")) {
        return Err(Error::Unsupported("`Expect` asks for an interim response, which is not read"));
    }
    let mut query = slice(text, &request.target).split(|byte| *byte == b'?').skip(1);
    if query.any(has_method) {
        return Err(Error::Unsupported(
            "a parameter of the query names a different method than the request line",
        ));
    }
    if form_has_method(text, request) {
        return Err(Error::Unsupported(
            "a parameter of the body names a different method than the request line",
        ));
    }
    if last {
        return Ok(());
    }
    if !matches!(request.body.framing, Framing::None | Framing::Length) || request.body.length() > 0 {
        return Err(Error::Unsupported(
            "only the last request of a connection may have a body; send it on one of its own",
        ));
    }
    if slice(text, &request.method) == b"HEAD" {
        return Err(Error::Unsupported("only the last request of a connection may be HEAD"));
    }
    if request.is_last(text) {
        return Err(Error::Unsupported("`Connection: close` before the last request"));
    }
    Ok(())
}

/// Whether a request has no body, or one that all servers read as its body. Some servers ignore a body if the
/// method has no use for one, and not all agree on chunked bodies. To them, the unread body is the next
/// request. So no part of other bodies may be hidden, and if there are several requests none may have such a
/// body.
#[must_use]
pub fn has_usual_body(text: &[u8], request: &Request) -> bool {
    request.body.framing == Framing::None
        || request.body.framing == Framing::Length && WITH_BODY.contains(&slice(text, &request.method))
}

/// Checks that a response ends where all readers see it end. `last`: no other response follows on the
/// connection.
///
/// # Errors
/// [`Error::Unsupported`] with the reason.
pub(crate) fn check_response(text: &[u8], response: &Response, last: bool) -> Result<(), Error> {
    if last {
        return Ok(());
    }
    if !matches!(response.body.framing, Framing::Length | Framing::Chunked) {
        return Err(Error::Unsupported(
            "only the last response of a connection may come without a length (as those of status 204 and 304 do)",
        ));
    }
    if response.is_old(text) {
        return Err(Error::Unsupported("HTTP/1.0 before the last response"));
    }
    if !response.trailers.is_empty() {
        return Err(Error::Unsupported(
            "only the last response of a connection may have header fields after its body",
        ));
    }
    if response.is_last(text) {
        return Err(Error::Unsupported("`Connection: close` before the last response"));
    }
    Ok(())
}

/// Whether a message's `Connection` has this option.
pub(super) fn has_option(text: &[u8], headers: &[Header], wanted: &[u8]) -> bool {
    let connection = headers.iter().filter(|header| header.is(text, "connection"));
    connection
        .flat_map(|header| slice(text, &header.value).split(|byte| *byte == b','))
        .any(|option| option.trim_ascii().eq_ignore_ascii_case(wanted))
}

/// Whether servers may take the method from a field of this name: `X-HTTP-Method-Override` and its variants,
/// also with underscores.
fn overrides_method(name: &[u8]) -> bool {
    let bare = bare(name);
    let known =
        [&b"method"[..], b"xmethod", b"xoriginalmethod", b"xforwardedmethod", b"xrewritemethod", b"xverb"];
    known.contains(&&*bare) || is_override(&bare)
}

/// Whether `name=value&...` has a parameter from which frameworks take the method: `_method`, the spellings
/// that PHP and others map to it, or the names of such fields.
fn has_method(parameters: &[u8]) -> bool {
    parameters.split(|byte| matches!(byte, b'&' | b';')).any(|parameter| {
        let name = parameter.split(|byte| *byte == b'=').next().unwrap_or_default();
        is_method(&decoded(name))
    })
}

/// `_method`, `.method`, `x-http-method-override`; not `method`, which many interfaces use for something
/// else.
fn is_method(name: &[u8]) -> bool {
    let bare = bare(name);
    let marked = name.first().is_some_and(|first| !first.is_ascii_alphanumeric());
    (bare == b"method" && marked) || is_override(&bare)
}

/// Letters and digits of a name, in lower case, because some servers do not distinguish `-`, `_` and `.`.
pub(super) fn bare(name: &[u8]) -> Vec<u8> {
    name.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
}

fn is_override(bare: &[u8]) -> bool {
    [&b"httpmethod"[..], b"httpverb", b"methodover"].iter().any(|part| contains(bare, part))
}

/// Whether a body that is a form has such a parameter. In a multipart form, the parts' headers name it.
fn form_has_method(text: &[u8], request: &Request) -> bool {
    let mut types = request.headers.iter().filter(|header| header.is(text, "content-type"));
    if !types.any(|header| contains(&slice(text, &header.value).to_ascii_lowercase(), b"form")) {
        return false;
    }
    let body = request.body.bytes(text);
    let mut quoted = body.split(|byte| matches!(byte, b'"' | b'=' | b';' | b'\r' | b'\n'));
    has_method(&body) || quoted.any(is_method)
}

/// With `%XX` and `+` decoded.
pub(crate) fn decoded(text: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text);
    while let [first, tail @ ..] = rest {
        let digits = tail.first_chunk::<2>().filter(|_| *first == b'%');
        let digits = digits.and_then(|digits| core::str::from_utf8(digits).ok());
        let byte = digits
            .filter(|digits| !digits.starts_with('+'))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(match (byte, first) {
            (Some(byte), _) => byte,
            (None, b'+') => b' ',
            (None, other) => *other,
        });
        rest = if byte.is_some() { tail.get(2..).unwrap_or_default() } else { tail };
    }
    out
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(head: &str, body: &str, last: bool) -> Result<(), Error> {
        let text = format!("{head}\r\nHost: a\r\n\r\n{body}");
        let parsed = Request::parse(text.as_bytes(), 0).unwrap();
        assert_eq!(parsed.range.end, text.len());
        check_request(text.as_bytes(), &parsed, last)
    }

    #[test]
    fn what_says_another_method_is_refused_in_every_request() {
        for field in [
            "X-HTTP-Method-Override: HEAD",
            "x-http-method: HEAD",
            "X-Method-Override: HEAD",
            "X_HTTP_METHOD_OVERRIDE: HEAD",
            "X-Original-Method: HEAD",
            "X-Http-Verb: HEAD",
            "Expect: 100-continue",
        ] {
            for last in [true, false] {
                assert!(request(&format!("GET / HTTP/1.1\r\n{field}"), "", last).is_err(), "{field}");
            }
        }
        for query in [
            "?_method=HEAD",
            "?a=b&_METHOD=HEAD",
            "?%5fmethod=HEAD",
            "?_%6Dethod=HEAD",
            "?.method=HEAD",
            "?a;_method=HEAD",
            "?a?_method=HEAD",
            "?X-HTTP-Method-Override=HEAD",
            "?_method",
        ] {
            assert!(request(&format!("GET /{query} HTTP/1.1"), "", true).is_err(), "{query}");
        }
        for allowed in
            ["?method=flickr.photos", "?payment_method=card", "/_method", "?a=_method", "?%+1", "?%"]
        {
            assert_eq!(request(&format!("GET /{allowed} HTTP/1.1"), "", true), Ok(()), "{allowed}");
        }
        for allowed in ["Access-Control-Request-Method: PUT", "X-Payment-Method: card", "X-Verbose: 1"] {
            assert_eq!(request(&format!("OPTIONS / HTTP/1.1\r\n{allowed}"), "", true), Ok(()), "{allowed}");
        }
    }

    #[test]
    fn a_form_that_says_another_method_is_refused() {
        let of = |kind: &str, body: &str| {
            let head = format!("POST / HTTP/1.1\r\nContent-Type: {kind}\r\nContent-Length: {}", body.len());
            request(&head, body, true)
        };
        let parts = "--b\r\nContent-Disposition: form-data; name=\"_method\"\r\n\r\nHEAD\r\n--b--\r\n";
        assert!(of("application/x-www-form-urlencoded", "a=b&_method=HEAD").is_err());
        assert!(of("Multipart/Form-Data; boundary=b", parts).is_err());
        assert_eq!(of("application/x-www-form-urlencoded", "a=b&method=HEAD"), Ok(()));
        assert_eq!(of("application/json", "{\"_method\": 1}"), Ok(()));
    }

    #[test]
    fn a_request_that_others_follow_has_no_body_and_does_not_end_the_connection() {
        for (head, body) in [
            ("POST / HTTP/1.1\r\nContent-Length: 1", "x"),
            ("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
            ("HEAD / HTTP/1.1", ""),
            ("GET / HTTP/1.1\r\nConnection: keep-alive, Close", ""),
        ] {
            assert!(request(head, body, false).is_err(), "{head}");
            assert_eq!(request(head, body, true), Ok(()), "{head}");
        }
        for head in ["POST / HTTP/1.1\r\nContent-Length: 0", "GET / HTTP/1.1", "DELETE / HTTP/1.1"] {
            assert_eq!(request(head, "", false), Ok(()), "{head}");
        }
    }

    #[test]
    fn a_response_that_others_follow_has_a_length_of_its_own() {
        let of = |head: &str, to_head: bool, last: bool| {
            let text = format!("{head}\r\n\r\n");
            let parsed = Response::parse(text.as_bytes(), 0, to_head, true).unwrap();
            check_response(text.as_bytes(), &parsed, last)
        };
        for (head, to_head) in [
            ("HTTP/1.1 204 No Content", false),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9", true),
            ("HTTP/1.1 200 OK", false),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0", false),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close", false),
            ("HTTP/1.1 200 OK\r\nTrailer: A\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1", false),
        ] {
            assert!(of(head, to_head, false).is_err(), "{head}");
            assert_eq!(of(head, to_head, true), Ok(()), "{head}");
        }
        let chunked = "HTTP/1.1 200 OK\r\nTrailer: A\r\nTransfer-Encoding: chunked\r\n\r\n0";
        for head in ["HTTP/1.1 200 OK\r\nContent-Length: 0", chunked] {
            assert_eq!(of(head, false, false), Ok(()), "{head}");
        }
    }

    #[test]
    fn a_server_takes_no_more_after_close_or_http_1_0_without_keep_alive() {
        let of = |version: &str, field: &str| {
            let text = format!("HTTP/{version} 200 OK\r\nContent-Length: 0\r\n{field}\r\n");
            let response = Response::parse(text.as_bytes(), 0, false, false).unwrap();
            (response.is_last(text.as_bytes()), response.stays_open(text.as_bytes()))
        };
        for (version, field, expected) in [
            ("1.1", "", (false, false)),
            ("1.0", "", (true, false)),
            ("1.1", "Connection: Close\r\n", (true, false)),
            ("1.1", "Connection: keep-alive\r\n", (false, true)),
            ("1.0", "Connection: Keep-Alive\r\n", (false, true)),
            ("1.0", "Connection: keep-alive, close\r\n", (true, false)),
            ("1.0", "Keep-Alive: timeout=5\r\n", (true, false)),
        ] {
            assert_eq!(of(version, field), expected, "{version} {field}");
        }
    }

    #[test]
    fn methods_of_a_list_in_upper_case_and_lines_without_control_characters_alone_are_read() {
        let of = |text: &str| Request::parse(text.as_bytes(), 0);
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            assert!(of(&format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n")).is_ok(), "{method}");
        }
        for method in ["head", "Head", "get", "TRACE", "CONNECT", "PROPFIND", "GETT"] {
            let read = of(&format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n"));
            assert!(matches!(read, Err(Error::Unsupported(_))), "{method}: {read:?}");
        }
        for field in ["A: b\rC: d", "A: b\nC: d", "A: b\0", "A: b\r\n c", "A: b\r\n\tc", "A : b", " A: b"] {
            let read = of(&format!("GET / HTTP/1.1\r\nHost: a\r\n{field}\r\n\r\n"));
            assert!(matches!(read, Err(Error::Malformed { .. })), "{field:?}: {read:?}");
            let text = format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n{field}\r\n\r\n");
            let read = Response::parse(text.as_bytes(), 0, false, true);
            assert!(matches!(read, Err(Error::Malformed { .. })), "{field:?}: {read:?}");
        }
        for status in ["100 Continue", "101 Switching Protocols", "103 Early Hints", "199 x"] {
            let text = format!("HTTP/1.1 {status}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            let read = Response::parse(text.as_bytes(), 0, false, true);
            assert!(matches!(read, Err(Error::Unsupported(_))), "{status}");
        }
    }
}
