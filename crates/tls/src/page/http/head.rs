//! Start lines and headers.

use core::ops::Range;

use super::{Error, Header, MAX_HEAD, MAX_HEADERS, slice};

/// The supported methods. CONNECT asks for a tunnel, about which nothing can be proved; TRACE asks for the
/// client's own words. Some servers treat other methods, and these in lower case, as a different method.
const METHODS: [&[u8]; 7] = [b"GET", b"HEAD", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS"];

/// The content of a response's first line.
pub(super) struct StatusLine {
    pub(super) range: Range<usize>,
    pub(super) status: u16,
    /// HTTP/1.0, which has no chunks.
    pub(super) old: bool,
}

/// Reads lines, and anything between them, from a given position.
pub(super) struct Lines<'a> {
    pub(super) plaintext: &'a [u8],
    /// Where the message begins.
    pub(super) start: usize,
    /// The current position.
    pub(super) at: usize,
    /// The position where its head, or its trailers, must have ended.
    limit: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(plaintext: &'a [u8], start: usize) -> Self {
        Self { plaintext, start, at: start, limit: start.saturating_add(MAX_HEAD) }
    }

    /// Allows the length of a head for the lines from here on.
    pub(super) fn new_head(&mut self) {
        self.limit = self.at.saturating_add(MAX_HEAD);
    }

    /// The next line, without the CRLF that ends it. It consists of tabs, visible characters, and bytes from
    /// 128 on.
    pub(super) fn line(&mut self, what: &'static str) -> Result<Range<usize>, Error> {
        let rest = self.plaintext.get(self.at..).unwrap_or_default();
        let allowed = self.limit.saturating_sub(self.at);
        let length = rest.iter().take(allowed).position(|byte| matches!(byte, 0..=8 | 10..=31 | 127));
        let Some(length) = length else {
            return Err(if rest.len() >= allowed {
                Error::Limit { what, limit: MAX_HEAD }
            } else {
                Error::Incomplete { start: self.start, what }
            });
        };
        let line = self.at..self.at + length;
        match rest.get(length..) {
            Some([b'\r', b'\n', ..]) => {
                self.at = line.end + 2;
                Ok(line)
            }
            Some([b'\r']) => Err(Error::Incomplete { start: self.start, what }),
            _ => Err(Error::Malformed {
                what,
                offset: line.end,
                reason: "a control character; lines end with CR LF",
            }),
        }
    }

    /// Method and target of a request (section 3).
    pub(super) fn request_line(&mut self) -> Result<[Range<usize>; 2], Error> {
        const WHAT: &str = "the request line";
        let line = self.line(WHAT)?;
        let malformed = |offset, reason| Error::Malformed { what: WHAT, offset, reason };
        let bytes = slice(self.plaintext, &line);
        let mut words = bytes.split(|byte| *byte == b' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(malformed(
                line.start,
                "it is not a method, a target and a version with one space between them",
            ));
        };
        if !is_token(method) {
            return Err(malformed(line.start, "the method is not a word"));
        }
        if !METHODS.contains(&method) {
            return Err(Error::Unsupported(
                "the method is not GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS",
            ));
        }
        let method = line.start..line.start + method.len();
        let target_range = method.end + 1..method.end + 1 + target.len();
        if target.is_empty() || !target.iter().all(u8::is_ascii_graphic) {
            return Err(malformed(target_range.start, "the target is not of visible ASCII characters"));
        }
        // A fragment is not sent. Servers that get one drop it, or take it for a part of the path or the
        // query.
        if target.contains(&b'#') {
            return Err(malformed(
                target_range.start,
                "the target has a #, which is not allowed in a request",
            ));
        }
        if version != b"HTTP/1.1" {
            return Err(malformed(target_range.end + 1, "the version is not HTTP/1.1"));
        }
        Ok([method, target_range])
    }

    /// A response's first line (section 4).
    pub(super) fn status_line(&mut self) -> Result<StatusLine, Error> {
        const WHAT: &str = "the status line";
        let range = self.line(WHAT)?;
        let malformed = |reason| Error::Malformed { what: WHAT, offset: range.start, reason };
        let bytes = slice(self.plaintext, &range);
        let (old, rest) = match bytes.split_at_checked(9) {
            Some((b"HTTP/1.1 ", rest)) => (false, rest),
            Some((b"HTTP/1.0 ", rest)) => (true, rest),
            _ => return Err(malformed("it does not begin with HTTP/1.1 or HTTP/1.0 and a space")),
        };
        let status = match rest {
            [a @ b'1'..=b'5', b @ b'0'..=b'9', c @ b'0'..=b'9']
            | [a @ b'1'..=b'5', b @ b'0'..=b'9', c @ b'0'..=b'9', b' ', ..] => {
                [a, b, c].iter().fold(0, |sum, digit| 10 * sum + u16::from(**digit - b'0'))
            }
            _ => return Err(malformed("the status is not a number from 100 to 599")),
        };
        if status < 200 {
            return Err(Error::Unsupported(
                "the server sent an interim response (status 1xx), which is not read; do not ask for one",
            ));
        }
        Ok(StatusLine { range, status, old })
    }

    /// Headers up to the empty line (section 5).
    pub(super) fn headers(&mut self) -> Result<Vec<Header>, Error> {
        const WHAT: &str = "the headers";
        let mut headers = Vec::new();
        loop {
            let line = self.line(WHAT)?;
            if line.is_empty() {
                return Ok(headers);
            }
            if headers.len() == MAX_HEADERS {
                return Err(Error::Limit { what: "the number of headers", limit: MAX_HEADERS });
            }
            let bytes = slice(self.plaintext, &line);
            let malformed = |reason| Error::Malformed { what: WHAT, offset: line.start, reason };
            let colon = bytes
                .iter()
                .position(|byte| *byte == b':')
                .ok_or_else(|| malformed("a line without a colon"))?;
            let name = line.start..line.start + colon;
            if !is_token(slice(self.plaintext, &name)) {
                return Err(malformed(
                    "a name that is not a word; folded lines and spaces before the colon are refused",
                ));
            }
            headers.push(Header { value: trim(self.plaintext, name.end + 1..line.end), name });
        }
    }
}

/// A range without the spaces and tabs around it.
pub(super) fn trim(plaintext: &[u8], range: Range<usize>) -> Range<usize> {
    let bytes = slice(plaintext, &range);
    let space = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let front = bytes.iter().take_while(space).count();
    let back = bytes.iter().rev().take_while(space).count();
    // If there are only spaces, both counts are all of them: the result is the empty range at the end.
    range.start + front..(range.end - back).max(range.start + front)
}

/// The only Host of a request (RFC 9112, section 3.2).
pub(super) fn host(plaintext: &[u8], start: usize, headers: &[Header]) -> Result<Range<usize>, Error> {
    let mut hosts = headers.iter().filter(|header| header.is(plaintext, "host"));
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => Ok(host.value.clone()),
        _ => Err(Error::Malformed {
            what: "the request's headers",
            offset: start,
            reason: "there must be exactly one Host",
        }),
    }
}

/// Whether this is a word of section 5.6.2 of RFC 9110.
pub(super) fn is_token(bytes: &[u8]) -> bool {
    let tchar = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !bytes.is_empty() && bytes.iter().all(tchar)
}
