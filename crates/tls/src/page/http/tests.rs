//! Messages have one reading or none.

use proptest::prelude::*;

use super::*;

fn text<'a>(plaintext: &'a [u8], range: &Range<usize>) -> &'a str {
    core::str::from_utf8(&plaintext[range.clone()]).unwrap()
}

const GET: &[u8] = b"GET /me?x=1 HTTP/1.1\r\nHost: data.example.com\r\nCookie:  a=b; c \r\n\r\n";

fn response(bytes: &[u8]) -> Result<Response, Error> {
    Response::parse(bytes, 0, false, false)
}

fn body(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    response(bytes).map(|response| response.body.bytes(bytes).into_owned())
}

#[test]
fn a_request_comes_apart_into_ranges() {
    let request = Request::parse(GET, 0).unwrap();
    assert_eq!(request.range, 0..GET.len());
    assert_eq!(text(GET, &request.method), "GET");
    assert_eq!(text(GET, &request.target), "/me?x=1");
    assert_eq!(text(GET, &request.path(GET)), "/me");
    assert_eq!(request.query(GET).map(|query| text(GET, &query)), Some("x=1"));
    assert_eq!(text(GET, &request.host), "data.example.com");
    let headers: Vec<_> = request.headers.iter().map(|h| (text(GET, &h.name), text(GET, &h.value))).collect();
    assert_eq!(headers, [("Host", "data.example.com"), ("Cookie", "a=b; c")]);
    assert_eq!(request.body.framing, Framing::None);
    let post = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc";
    let request = Request::parse(post, 0).unwrap();
    assert_eq!((request.body.framing, &*request.body.bytes(post)), (Framing::Length, &b"abc"[..]));
}

#[test]
fn a_target_is_a_path_and_perhaps_a_query() {
    for (target, path, query) in [("/", "/", None), ("/?", "/", Some("")), ("/a?b?c", "/a", Some("b?c"))] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").into_bytes();
        let parsed = Request::parse(&request, 0).unwrap();
        assert_eq!(text(&request, &parsed.path(&request)), path);
        assert_eq!(parsed.query(&request).map(|query| text(&request, &query).to_owned()).as_deref(), query);
    }
    for target in ["/a#b", "/?#", "#"] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(matches!(Request::parse(request.as_bytes(), 0), Err(Error::Malformed { .. })), "{target}");
    }
}

#[test]
fn bodies_end_where_their_framing_says() {
    let counted = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    assert_eq!(body(counted).unwrap(), b"hello");
    assert_eq!(response(counted).unwrap().status, 200);
    let chunked: &[u8] =
        b"HTTP/1.1 200\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n00A;x=y\r\n, 10 bytes\r\n0\r\n\r\n";
    assert_eq!(body(chunked).unwrap(), b"hello, 10 bytes");
    let parsed = response(chunked).unwrap();
    assert_eq!((parsed.body.parts.len(), parsed.body.length()), (2, 15));
    let open = b"HTTP/1.0 200 OK\r\n\r\nto the end";
    assert_eq!(Response::parse(open, 0, false, true).unwrap().body.bytes(open), &b"to the end"[..]);
    assert!(matches!(response(open), Err(Error::Incomplete { .. })), "without close_notify it may be cut");
    let old = b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    assert_eq!(body(old).unwrap(), b"hello");
    assert!(matches!(body(&old[..old.len() - 1]), Err(Error::Incomplete { .. })));
    for nothing in [&b"HTTP/1.1 204 No\r\n\r\n"[..], b"HTTP/1.1 304 Not\r\nContent-Length: 9\r\n\r\n"] {
        assert_eq!(response(nothing).unwrap().body.framing, Framing::None);
    }
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    assert_eq!(Response::parse(head, 0, true, false).unwrap().range.end, head.len());
}

/// A head with what P asked for in it, line ends and all: without the refusal the rest of the server's own
/// head would be trailers, and its empty body the end of a whole response that P wrote.
#[test]
fn forgery_a_body_within_an_injected_head_is_refused() {
    let fields = "Trailer: A, Content-Length\r\nTransfer-Encoding: chunked";
    let body = "\r\n\r\n7\r\nbalance\r\n0\r\n";
    for start in ["HTTP/1.1 302 Found\r\nLocation: /", "HTTP/1.1 200 OK\r\nContent-Disposition: a"] {
        let forged = |end: &str| format!("{start}\r\n{fields}{body}{end}\r\nContent-Length: 0\r\n\r\n");
        let text = forged("A: ");
        let read = Response::parse(text.as_bytes(), 0, false, true);
        assert!(matches!(read, Err(Error::Malformed { what: "a header field", .. })), "{read:?}");
        // The rest of the head is left over, which is for whoever reads all of a connection to refuse. So are
        // the last chunk of a server that says by itself that it sends chunks, and its body.
        let text = forged("\r\n");
        assert!(
            Response::parse(text.as_bytes(), 0, false, true).is_ok_and(|read| read.range.end < text.len())
        );
        let (fields, rest) = fields.split_once("\r\n").unwrap();
        for own in ["0\r\n\r\n", "3\r\nown\r\n0\r\n\r\n"] {
            let head = start.replacen("\r\n", &format!("\r\n{rest}\r\n"), 1);
            let text = format!("{head}\r\n{fields}{body}A: \r\n\r\n{own}");
            let status = if start.contains("200") { Ok(text.len() - own.len()) } else { Err(()) };
            let read = Response::parse(text.as_bytes(), 0, false, true);
            assert_eq!(read.map(|read| read.range.end).map_err(drop), status);
            assert!(parse(GET, text.as_bytes(), true).is_err());
        }
    }
}

#[test]
fn ranges_of_a_body_are_found_across_chunks() {
    let plain: &[u8] =
        b"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n4\r\nefgh\r\n0\r\n\r\n";
    let body = response(plain).unwrap().body;
    for from in 0..=9 {
        for to in from..=9 {
            let found: Vec<u8> =
                body.locate(from..to).into_iter().flat_map(|range| &plain[range]).copied().collect();
            assert_eq!(found, &b"abcdefgh"[from.min(8)..to.min(8)]);
        }
    }
}

#[test]
fn connections_are_read_whole() {
    let two = [GET, b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"].concat();
    let answers =
        b"HTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\n!HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
    let exchanges = parse(&two, answers, false).unwrap();
    let status: Vec<u16> = exchanges.iter().map(|exchange| exchange.response.status).collect();
    assert_eq!(status, [404, 200]);
    assert_eq!(exchanges[1].request.range.start, GET.len());
    assert_eq!(parse(GET, b"", true), Err(Error::Unanswered { requests: 1, responses: 0 }));
    assert!(matches!(parse(GET, answers, true), Err(Error::Malformed { offset: 39, .. })));
    assert_eq!(parse(b"", b"", true), Ok(Vec::new()));
}

#[test]
fn cut_messages_are_incomplete() {
    let messages: [&[u8]; 2] = [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nT: v\r\n\r\n",
    ];
    for message in messages {
        for end in 0..message.len() {
            let result = Response::parse(&message[..end], 0, false, true);
            assert!(matches!(result, Err(Error::Incomplete { start: 0, .. })), "{end} {result:?}");
        }
    }
    for end in 0..GET.len() {
        assert!(matches!(Request::parse(&GET[..end], 0), Err(Error::Incomplete { .. })), "{end}");
    }
}

#[test]
fn what_two_readers_may_take_differently_is_refused() {
    let heads: &[&str] = &[
        "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0, 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n folded: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: no name\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200x\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\na\r\n0\r\n\r\n",
    ];
    for head in heads {
        let result = Response::parse(head.as_bytes(), 0, false, true);
        assert!(matches!(result, Err(Error::Malformed { .. })), "{head:?} {result:?}");
    }
    for request in [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n",
        "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nTrailer: A\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n",
    ] {
        let result = Request::parse(request.as_bytes(), 0);
        assert!(matches!(result, Err(Error::Malformed { .. })), "{request:?} {result:?}");
    }
}

#[test]
fn kinds_that_are_not_read_are_named() {
    for interim in [&b"HTTP/1.1 100 Continue\r\n\r\n"[..], b"HTTP/1.1 101 Switching\r\n\r\n"] {
        assert!(matches!(response(interim), Err(Error::Unsupported(_))));
    }
    let old = b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert!(matches!(response(old), Err(Error::Unsupported(_))));
    let tunnel = b"CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n";
    assert!(matches!(Request::parse(tunnel, 0), Err(Error::Unsupported(_))));
}

#[test]
fn sizes_are_limited() {
    let long = ["HTTP/1.1 200 OK\r\nX: ", &"x".repeat(MAX_HEAD), "\r\n\r\n"].concat();
    assert!(matches!(response(long.as_bytes()), Err(Error::Limit { limit: MAX_HEAD, .. })));
    let many = ["HTTP/1.1 200 OK\r\n", &"X: y\r\n".repeat(MAX_HEADERS + 1), "\r\n"].concat();
    assert!(matches!(response(many.as_bytes()), Err(Error::Limit { limit: MAX_HEADERS, .. })));
    let many = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(MAX_MESSAGES + 1);
    assert!(matches!(parse(&many, b"", true), Err(Error::Limit { limit: MAX_MESSAGES, .. })));
}

/// A message in chunks of these.
fn in_chunks(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        out.extend(format!("{:x}\r\n", part.len()).bytes());
        out.extend(part);
        out.extend(b"\r\n");
    }
    out.extend(b"0\r\n\r\n");
    out
}

proptest! {
    #[test]
    fn chunks_carry_any_body(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8)) {
        let message = in_chunks(&parts);
        prop_assert_eq!(body(&message).unwrap(), parts.concat());
        let counted = [format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", parts.concat().len()).as_bytes(), &parts.concat()].concat();
        prop_assert_eq!(body(&counted).unwrap(), parts.concat());
    }

    #[test]
    fn changed_messages_never_panic_and_stay_within_the_plaintext(
        parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut: prop::sample::Index,
    ) {
        let mut message = in_chunks(&parts);
        for (at, byte) in changes {
            let at = at.index(message.len());
            message[at] = byte;
        }
        message.truncate(cut.index(message.len() + 1));
        for closed in [false, true] {
            if let Ok(found) = Response::parse(&message, 0, false, closed) {
                prop_assert!(found.range.end <= message.len());
                prop_assert_eq!(found.body.bytes(&message).len(), found.body.length());
            }
        }
        let _ = Request::parse(&message, 0);
    }
}
