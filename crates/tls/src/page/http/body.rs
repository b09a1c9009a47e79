//! Where a body ends (RFC 9112, sections 6 and 7).

use core::ops::Range;

use super::head::{Lines, StatusLine};
use super::{Body, Error, Framing, Header, slice};

/// How a body continues after the headers.
pub(super) enum Plan {
    None,
    Length(usize),
    Chunked,
    Close,
}

/// What the headers of either kind of message say, if anything.
fn announced(plaintext: &[u8], start: usize, headers: &[Header]) -> Result<Option<Plan>, Error> {
    let malformed =
        |header: &Header, reason| Error::Malformed { what: "the headers", offset: header.name.start, reason };
    let mut lengths = headers.iter().filter(|header| header.is(plaintext, "content-length"));
    let mut codings = headers.iter().filter(|header| header.is(plaintext, "transfer-encoding"));
    match ((lengths.next(), lengths.next()), (codings.next(), codings.next())) {
        ((None, None), (None, None)) => Ok(None),
        ((Some(header), None), (None, None)) => {
            let length = decimal(slice(plaintext, &header.value));
            let length =
                length.ok_or_else(|| malformed(header, "Content-Length is not a number that fits"))?;
            Ok(Some(Plan::Length(length)))
        }
        ((None, None), (Some(header), None)) => {
            if slice(plaintext, &header.value).eq_ignore_ascii_case(b"chunked") {
                Ok(Some(Plan::Chunked))
            } else {
                Err(malformed(header, "Transfer-Encoding is not `chunked` alone"))
            }
        }
        _ => Err(Error::Malformed {
            what: "the headers",
            offset: start,
            reason: "there is more than one of Content-Length and Transfer-Encoding",
        }),
    }
}

pub(super) fn of_request(plaintext: &[u8], start: usize, headers: &[Header]) -> Result<Plan, Error> {
    Ok(announced(plaintext, start, headers)?.unwrap_or(Plan::None))
}

pub(super) fn of_response(
    plaintext: &[u8],
    start: usize,
    headers: &[Header],
    line: &StatusLine,
    to_head: bool,
) -> Result<Plan, Error> {
    let announced = announced(plaintext, start, headers)?;
    if to_head || matches!(line.status, 204 | 304) {
        return Ok(Plan::None);
    }
    match announced {
        Some(Plan::Chunked) if line.old => Err(Error::Unsupported(
            "the server speaks HTTP/1.0 and sends chunks, which HTTP/1.0 does not have",
        )),
        Some(plan) => Ok(plan),
        None => Ok(Plan::Close),
    }
}

/// Reads the body, and the header fields after it, which are the end of the message.
pub(super) fn read(lines: &mut Lines<'_>, plan: Plan, closed: bool) -> Result<(Body, Vec<Header>), Error> {
    let mut body = Body { framing: Framing::None, parts: Vec::new() };
    let mut trailers = Vec::new();
    match plan {
        Plan::None => {}
        Plan::Length(length) => {
            body.framing = Framing::Length;
            let part = take(lines, length, "the body that Content-Length announces")?;
            body.parts.extend(Some(part).filter(|part| !part.is_empty()));
        }
        Plan::Close if closed => {
            body.framing = Framing::Close;
            let part = lines.at..lines.plaintext.len();
            lines.at = part.end;
            body.parts.extend(Some(part).filter(|part| !part.is_empty()));
        }
        Plan::Close => {
            let what = "a body without a length, which goes on until close_notify; the server sent none, so the rest may be cut off";
            return Err(Error::Incomplete { start: lines.start, what });
        }
        Plan::Chunked => {
            body.framing = Framing::Chunked;
            trailers = chunks(lines, &mut body)?;
        }
    }
    Ok((body, trailers))
}

/// The next `length` bytes.
fn take(lines: &mut Lines<'_>, length: usize, what: &'static str) -> Result<Range<usize>, Error> {
    let end = lines.at.checked_add(length).filter(|end| *end <= lines.plaintext.len());
    let part = lines.at..end.ok_or(Error::Incomplete { start: lines.start, what })?;
    lines.at = part.end;
    Ok(part)
}

/// Reads chunks, the last of which is empty (section 7.1). Returns the header fields after it.
fn chunks(lines: &mut Lines<'_>, body: &mut Body) -> Result<Vec<Header>, Error> {
    loop {
        lines.new_head();
        let line = lines.line("a chunk's size")?;
        let size = chunk_size(slice(lines.plaintext, &line)).ok_or(Error::Malformed {
            what: "a chunk's size",
            offset: line.start,
            reason: "it is not a hexadecimal number that fits, with nothing but an extension after it",
        })?;
        if size == 0 {
            lines.new_head();
            return lines.headers();
        }
        body.parts.push(take(lines, size, "a chunk")?);
        let end = take(lines, 2, "the line end after a chunk")?;
        if slice(lines.plaintext, &end) != b"\r\n" {
            let (what, reason) = ("a chunk", "no CR LF comes after its bytes");
            return Err(Error::Malformed { what, offset: end.start, reason });
        }
    }
}

/// The size before an extension, which does not affect the body: `1a` or `1a;name=value`.
fn chunk_size(line: &[u8]) -> Option<usize> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (digits, rest) = line.split_at_checked(digits)?;
    if !matches!(rest.first(), None | Some(b';')) {
        return None;
    }
    usize::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()
}

/// Digits only: no sign, no space.
fn decimal(text: &[u8]) -> Option<usize> {
    let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    core::str::from_utf8(text).ok().filter(|_| digits)?.parse().ok()
}
