//! Placeholders in a request for values of earlier responses: `{{response2.json:accounts[0].id|20}}`.
//!
//! ```text
//! {{response.json:PATH|LENGTH}}        a string, with its escapes decoded, or a number, as it is written
//! {{response.header:NAME|LENGTH}}      the header field of this name
//! {{response.cookie:NAME|LENGTH}}      the cookie of this name, as `Set-Cookie` gives it
//! ```
//!
//! A value must mean the same wherever it is put, so it has only visible ASCII without quotes and
//! backslashes.

use core::fmt;

use volery::web::Side;
use volery::web::dialogue::{MAX_ROUNDS, ReceivedResponses};
use volery::web::disclosure::{MessagePart, Part};
use volery::web::http::Response;
use volery::web::http::json::{self, Path, ValueType};
use zeroize::Zeroizing;

/// The beginning of a placeholder, the separator between its name and its length, and its end.
const OPEN: &str = "{{response";
const BAR: char = '|';
const CLOSE: &str = "}}";
/// The most bytes of a value.
const MAX_VALUE: usize = 1 << 12;

/// A placeholder.
#[derive(Debug)]
pub(super) struct Placeholder {
    /// The number of the response, from 0.
    pub(super) round: usize,
    source: ValueSource,
    /// The most bytes of the value.
    pub(super) most: usize,
}

/// The source of a value in a response.
#[derive(Debug)]
enum ValueSource {
    Json(Path),
    Header(String),
    Cookie(String),
}

/// Replaces the placeholders of a text by values.
pub(super) fn fill(
    text: &[u8],
    value: &mut dyn FnMut(Placeholder) -> Result<Zeroizing<Vec<u8>>, String>,
) -> Result<Zeroizing<Vec<u8>>, String> {
    let find = |text: &[u8], what: &str| text.windows(what.len()).position(|part| part == what.as_bytes());
    let (mut filled, mut rest) = (Zeroizing::new(Vec::new()), text);
    while let Some(start) = find(rest, OPEN) {
        let (before, after) = rest.split_at(start);
        let end = find(after, CLOSE)
            .ok_or("a placeholder without its end; expected {{response.json:PATH|LENGTH}}")?;
        let (name, after) = after.split_at(end);
        filled.extend_from_slice(before);
        filled.extend_from_slice(&value(Placeholder::parse(name)?)?);
        rest = after.get(CLOSE.len()..).unwrap_or_default();
    }
    filled.extend_from_slice(rest);
    Ok(filled)
}

/// The message, from 0, that a number after `request` or `response` means. No number means the first.
pub(super) fn round(number: &str) -> Option<usize> {
    if number.is_empty() {
        return Some(0);
    }
    let canonical = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
    number.parse().ok().filter(|number: &usize| canonical && *number <= MAX_ROUNDS)?.checked_sub(1)
}

impl Placeholder {
    /// Parses a placeholder without its end: `{{response2.json:PATH|LENGTH`.
    fn parse(name: &[u8]) -> Result<Self, String> {
        let name = String::from_utf8_lossy(name);
        let wrong = || {
            format!(
                "`{}}}}}` is not a placeholder; expected {{{{response.json:PATH|LENGTH}}}}, or header:NAME or cookie:NAME for json:PATH",
                name.escape_debug()
            )
        };
        let (number, rest) =
            name.strip_prefix(OPEN).and_then(|rest| rest.split_once('.')).ok_or_else(wrong)?;
        let (kind, rest) = rest.split_once(':').ok_or_else(wrong)?;
        let (part, most) = rest.rsplit_once(BAR).filter(|(part, _)| !part.is_empty()).ok_or_else(wrong)?;
        let source = match kind {
            "json" => {
                let path: Path = part.parse().map_err(|_| wrong())?;
                ValueSource::Json(Some(path).filter(|path| !path.is_pattern()).ok_or_else(wrong)?)
            }
            "header" => ValueSource::Header(part.into()),
            "cookie" => ValueSource::Cookie(part.into()),
            _ => return Err(wrong()),
        };
        let round = round(number).ok_or_else(wrong)?;
        let most = most.parse().ok().filter(|most| (1..=MAX_VALUE).contains(most)).ok_or_else(wrong)?;
        Ok(Self { round, source, most })
    }

    /// The part of the response that the value is, or is in.
    pub(super) fn part(&self) -> MessagePart {
        let part = match &self.source {
            ValueSource::Json(path) => Part::Json(path.to_string()),
            ValueSource::Header(name) => Part::Header(name.clone()),
            ValueSource::Cookie(_) => Part::Header("Set-Cookie".into()),
        };
        MessagePart { side: Side::Server, round: self.round, part }
    }

    /// The value. Errors do not show it.
    pub(super) fn value(&self, heard: &ReceivedResponses) -> Result<Zeroizing<Vec<u8>>, String> {
        let Self { round, source, most } = self;
        let response = heard
            .responses()
            .get(*round)
            .ok_or("the program did not read the response that this value is from")?;
        let failed = |reason: String| format!("{source} of response {}: {reason}", round + 1);
        let value = source.find(heard.text(), response).map_err(failed)?;
        if value.len() > *most {
            return Err(failed(format!("it has {} bytes, and {most} were planned", value.len())));
        }
        if !value.iter().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'"')) {
            return Err(failed("it has a quote, a backslash, or characters outside visible ASCII".into()));
        }
        Ok(value)
    }
}

impl ValueSource {
    fn find(&self, text: &[u8], response: &Response) -> Result<Zeroizing<Vec<u8>>, String> {
        match self {
            Self::Json(path) => {
                let body = Zeroizing::new(response.body.bytes(text).into_owned());
                let value = json::find(&body, path).map_err(|error| error.to_string())?;
                let content = body.get(value.content()).unwrap_or_default();
                match value.kind {
                    ValueType::Number => Ok(Zeroizing::new(content.to_vec())),
                    ValueType::String => {
                        let meant = json::meaning(content).ok_or("it is no text")?;
                        Ok(Zeroizing::new(meant.as_bytes().to_vec()))
                    }
                    _ => Err("only strings and numbers can be put into a request".into()),
                }
            }
            Self::Header(name) => match &*fields(text, response, name).collect::<Vec<_>>() {
                [] => Err("there is none".into()),
                [value] => Ok(Zeroizing::new(value.to_vec())),
                several => Err(format!("there are {}", several.len())),
            },
            // Of several cookies with one name the last counts (RFC 6265, section 5.3).
            Self::Cookie(name) => {
                let cookies = fields(text, response, "Set-Cookie").map(cookie);
                let named = cookies.filter(|(other, _)| *other == name.as_bytes());
                let (_, value) = named.last().ok_or("there is none")?;
                Ok(Zeroizing::new(value.to_vec()))
            }
        }
    }
}

impl fmt::Display for ValueSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(path) => path.fmt(f),
            Self::Header(name) => write!(f, "the header field {}", name.escape_debug()),
            Self::Cookie(name) => write!(f, "the cookie {}", name.escape_debug()),
        }
    }
}

/// The values of the header fields with this name.
fn fields<'a>(text: &'a [u8], response: &'a Response, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    let named = response.headers.iter().filter(move |header| header.is(text, name));
    named.map(|header| text.get(header.value.clone()).unwrap_or_default())
}

/// The name and value of a cookie, without its attributes (RFC 6265, section 5.2).
fn cookie(field: &[u8]) -> (&[u8], &[u8]) {
    let pair = field.split(|byte| *byte == b';').next().unwrap_or_default();
    let (name, value) = match pair.iter().position(|byte| *byte == b'=') {
        Some(equals) => (&pair[..equals], &pair[equals + 1..]),
        None => (&[][..], pair),
    };
    (name.trim_ascii(), value.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_exact() {
        for (name, round, most, source) in [
            ("{{response.json:a.b[0]|7", 0, 7, "a.b[0]"),
            ("{{response12.json:a|4096", 11, 4096, "a"),
            ("{{response2.header:X-Token|9", 1, 9, "the header field X-Token"),
            ("{{response.cookie:a|b|10", 0, 10, "the cookie a|b"),
        ] {
            let place = Placeholder::parse(name.as_bytes()).expect("sound");
            assert_eq!((place.round, place.most, &*place.source.to_string()), (round, most, source));
        }
        for wrong in [
            "{{response.json:a",
            "{{response.json:a|0",
            "{{response.json:a[*]|5",
            "{{response.json:a|4097",
            "{{response0.json:a|1",
            "{{response01.json:a|1",
            "{{response17.json:a|1",
            "{{response.body|1",
            "{{response.body:a|1",
            "{{response.json:|1",
            "{{response.cookie:|1",
            "{{response+1.json:a|1",
        ] {
            assert!(Placeholder::parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(fill(b"{{response.json:a|1", &mut |_| Ok(Zeroizing::default())).is_err());
        let other = b"{{mustache}} }} {{resp";
        assert!(fill(other, &mut |_| Err(String::new())).is_ok_and(|text| *text == other));
    }

    fn find(head: &str, body: &str, name: &str) -> Result<String, String> {
        let text = format!("HTTP/1.1 200 OK\r\n{head}Content-Length: {}\r\n\r\n{body}", body.len());
        let response = Response::parse(text.as_bytes(), 0, false, true).expect("a response");
        let place = Placeholder::parse(format!("{{{{response.{name}|9").as_bytes())?;
        let value = place.source.find(text.as_bytes(), &response)?;
        Ok(String::from_utf8(value.to_vec()).expect("a text"))
    }

    #[test]
    fn strings_are_what_their_escapes_mean_and_numbers_as_they_are_written() {
        let body = r#"{"a": "x\/\u0079\"", "b": -1.50, "c": [null], "d": ""}"#;
        for (path, value) in [("a", "x/y\""), ("b", "-1.50"), ("d", "")] {
            assert_eq!(find("", body, &format!("json:{path}")).as_deref(), Ok(value));
        }
        for missing in ["c", "c[0]", "e"] {
            find("", body, &format!("json:{missing}")).expect_err("no text");
        }
    }

    #[test]
    fn a_header_field_is_the_only_one_of_its_name() {
        let head = "Location:  /next \r\nVary: a\r\nVary: b\r\n";
        assert_eq!(find(head, "", "header:location").as_deref(), Ok("/next"));
        assert!(find(head, "", "header:vary").is_err_and(|reason| reason == "there are 2"));
        assert!(find(head, "", "header:etag").is_err_and(|reason| reason == "there is none"));
    }

    #[test]
    fn a_cookie_is_the_last_of_its_name_without_its_attributes() {
        let head = "Set-Cookie: sid=old\r\nset-cookie: sid = a=b ; Path=/; HttpOnly\r\n\
                    Set-Cookie: SID=other\r\nSet-Cookie: bare\r\nSet-Cookie: x=y; sid=c\r\nCookie: sid=d\r\n";
        assert_eq!(find(head, "", "cookie:sid").as_deref(), Ok("a=b"));
        assert_eq!(find(head, "", "cookie:SID").as_deref(), Ok("other"));
        for missing in ["Path", "bare", "sid2"] {
            assert!(
                find(head, "", &format!("cookie:{missing}")).is_err_and(|reason| reason == "there is none")
            );
        }
    }
}
