//! Header fields after the last chunk (RFC 9110, section 6.5).
//!
//! # The attack
//!
//! Some applications let a stranger insert lines into a response's head: into a redirect's target, or into a
//! file name in `Content-Disposition`. That person can end the head there, and begin a body:
//!
//! ```text
//! the server means                            a reader of trailers finds
//! HTTP/1.1 302 Found                          HTTP/1.1 302 Found
//! Location: [inserted: /                      Location: /
//!   Transfer-Encoding: chunked                Transfer-Encoding: chunked
//!                                                                           end of the head
//!   7                                         7
//!   forgery                                   forgery                       the body
//!   0                                         0
//!   X: ]                                      X:                            a trailer
//! Content-Length: 0                           Content-Length: 0             a trailer
//!                                                                           end of the response
//! ```
//!
//! One complete response would consist of that person's words.
//!
//! # What is read as trailers
//!
//! 1. The head names each of them in its `Trailer`, and has no field of the same name.
//! 2. None is a field that belongs in a head: one that says how the message is to be read, routed or stored,
//!    or that servers and what is in front of them put into most heads ([`OF_HEADS`], [`FAMILIES`]).
//! 3. The status is 2xx: redirects and errors have none.
//! 4. The response is the last one of its connection (`rules`), and nothing comes after it.
//!
//! # Why that is enough
//!
//! After the inserted text comes the rest of the true head, then the true body. A response ends with its
//! trailers, and nothing may come after it. So the true body is empty. What does the server say of its
//! length?
//!
//! - *A field before the insertion says it.* `Content-Length` together with inserted chunks is refused, and
//!   without them there are no trailers. If the server itself sends chunks, its own last chunk is left over.
//! - *A field after the insertion says it.* Then a trailer is `Content-Length` or `Transfer-Encoding`, which
//!   rule 2 refuses.
//! - *Nothing says it.* The server answers 2xx with nothing, without saying so, and ends the connection. This
//!   is what remains: all fields after the insertion must also be ones that the stranger announced, and not
//!   on the list. Insertion into the *last* field of such a head needs no trailers, and nobody can tell it
//!   from an honest response: the inserted text can announce its own length.

use super::{Error, Header, slice};

/// Fields that belong in a head.
const OF_HEADS: [&str; 44] = [
    "accept-ch",
    "accept-ranges",
    "age",
    "allow",
    "alt-svc",
    "authorization",
    "cache-control",
    "clear-site-data",
    "connection",
    "date",
    "etag",
    "expect",
    "expires",
    "host",
    "keep-alive",
    "last-modified",
    "link",
    "location",
    "nel",
    "origin-agent-cluster",
    "p3p",
    "permissions-policy",
    "pragma",
    "proxy-authenticate",
    "proxy-connection",
    "range",
    "referrer-policy",
    "refresh",
    "report-to",
    "reporting-endpoints",
    "retry-after",
    "server",
    "set-cookie",
    "set-cookie2",
    "strict-transport-security",
    "te",
    "timing-allow-origin",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "vary",
    "via",
    "warning",
    "www-authenticate",
];

/// How the names of further fields of heads begin.
const FAMILIES: [&str; 10] =
    ["access-control-", "cdn-", "cf-", "content-", "cross-origin-", "max-", "proxy-", "sec-", "x-", "www-"];

/// Checks that these are trailers, and not the rest of a head that somebody has cut in two.
///
/// # Errors
/// [`Error::Malformed`] with the place of the first that is not.
pub(super) fn check(
    plaintext: &[u8],
    status: u16,
    headers: &[Header],
    trailers: &[Header],
) -> Result<(), Error> {
    for trailer in trailers {
        let name = slice(plaintext, &trailer.name);
        let reason = if !(200..300).contains(&status) {
            "it comes after the body, which is read in responses of status 2xx only"
        } else if belongs_in_head(name) {
            "it comes after the body and belongs before it, so it may be the rest of another message's head"
        } else if !is_announced(plaintext, headers, name) {
            "it comes after the body, and no `Trailer` before the body names it"
        } else if headers.iter().any(|header| slice(plaintext, &header.name).eq_ignore_ascii_case(name)) {
            "it comes both before and after the body"
        } else {
            continue;
        };
        return Err(Error::Malformed { what: "a header field", offset: trailer.name.start, reason });
    }
    Ok(())
}

/// Refuses trailers of a request: nobody has to send any.
///
/// # Errors
/// [`Error::Malformed`] if there is one.
pub(super) fn check_none(trailers: &[Header]) -> Result<(), Error> {
    let Some(trailer) = trailers.first() else { return Ok(()) };
    let reason = "it comes after the body, which only a response may have";
    Err(Error::Malformed { what: "a header field", offset: trailer.name.start, reason })
}

fn belongs_in_head(name: &[u8]) -> bool {
    let begins = |start: &str| {
        name.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes()))
    };
    OF_HEADS.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        || FAMILIES.iter().any(|start| begins(start))
}

/// Whether a `Trailer` of the head names this field.
fn is_announced(plaintext: &[u8], headers: &[Header], name: &[u8]) -> bool {
    let announced = headers.iter().filter(|header| header.is(plaintext, "trailer"));
    announced
        .flat_map(|header| slice(plaintext, &header.value).split(|byte| *byte == b','))
        .any(|announced| announced.trim_ascii().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::super::Response;
    use super::*;

    fn read(status: &str, head: &str, trailers: &str) -> Result<Vec<String>, Error> {
        let text = format!(
            "HTTP/1.1 {status}\r\n{head}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n{trailers}\r\n"
        );
        let response = Response::parse(text.as_bytes(), 0, false, false)?;
        assert_eq!((response.range.end, response.body.length()), (text.len(), 1));
        Ok(response.trailers.iter().map(|trailer| text[trailer.value.clone()].into()).collect())
    }

    #[test]
    fn announced_fields_after_the_last_chunk_are_trailers() {
        assert_eq!(read("200 OK", "", ""), Ok(Vec::new()));
        let announced = "Trailer: Page-Checksum, grpc-status\r\n";
        assert_eq!(read("200 OK", announced, "page-checksum: 5f \r\n").unwrap(), ["5f"]);
        let both = "Grpc-Status: 0\r\nPage-Checksum: 5f\r\n";
        assert_eq!(read("206 Part", announced, both).unwrap(), ["0", "5f"]);
        // Announced and left out.
        assert_eq!(read("200 OK", announced, ""), Ok(Vec::new()));
    }

    #[test]
    fn forgery_what_may_be_the_rest_of_a_head_is_no_trailer() {
        let refused = |status: &str, head: &str, trailers: &str| {
            let read = read(status, head, trailers);
            assert!(matches!(read, Err(Error::Malformed { what: "a header field", .. })), "{read:?}");
        };
        for name in ["Content-Length", "Transfer-Encoding", "Connection", "Date", "SERVER", "Set-Cookie"] {
            refused("200 OK", &format!("Trailer: {name}\r\n"), &format!("{name}: 1\r\n"));
        }
        for name in ["Content-Type", "X-Frame-Options", "Access-Control-Allow-Origin", "x-a"] {
            refused("200 OK", &format!("Trailer: {name}\r\n"), &format!("{name}: 1\r\n"));
        }
        for status in ["302 Found", "404 Not Found", "500 Error"] {
            refused(status, "Trailer: A\r\n", "A: 1\r\n");
        }
        refused("200 OK", "", "A: 1\r\n");
        refused("200 OK", "Trailer: A\r\n", "A: 1\r\nB: 2\r\n");
        refused("200 OK", "Trailer: AB\r\n", "A: 1\r\n");
        refused("200 OK", "Trailer: A\r\nA: 0\r\n", "A: 1\r\n");
    }

    #[test]
    fn names_of_heads_are_in_order_and_in_lower_case() {
        for list in [&OF_HEADS[..], &FAMILIES] {
            assert!(list.iter().all(|name| *name == name.to_ascii_lowercase()));
        }
        assert!(OF_HEADS.is_sorted());
    }
}
