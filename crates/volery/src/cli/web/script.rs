//! The requests of a connection: the command line's, and those of files, into which earlier responses may put values.
//!
//! ```text
//! POST /api/transfers                                       method and target
//! Authorization: Bearer {{response.json:token|64}}          fields; up to 64 bytes from the first response
//!                                                           an empty line
//! {"to": "{{response2.json:accounts[0].id|20}}"}            the body, if any
//! ```
//!
//! Sizes are fixed before the connection is opened, so a request with values from elsewhere is filled up with a field of its own.

use volery::tls::dialogue::{Heard, MAX_ROUNDS};
use volery::tls::http::json::{self, Kind, Path};
use volery::tls::joint::{Round, Sizes};
use zeroize::Zeroizing;

use super::request::{Page, Words};
use crate::cli::failure::Failure;

/// What a value's place begins with, what comes between its name and its length, and what it ends with.
const OPEN: &str = "{{response";
const BAR: char = '|';
const CLOSE: &str = "}}";
/// The field that fills a request up.
const PADDING: &str = "X-Padding: ";
/// The most bytes of a value.
const MAX_VALUE: usize = 1 << 12;
/// Bytes that a response takes beyond its own when it is read: the ends of two records.
const ROOM: usize = 64;
/// Methods after whose requests others may be sent without waiting (RFC 9112, section 9.3.2).
const SAFE: [&str; 3] = ["GET", "HEAD", "OPTIONS"];

/// One request.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) method: String,
    pub(super) target: Zeroizing<String>,
    pub(super) fields: Vec<Zeroizing<String>>,
    pub(super) body: Option<Zeroizing<Vec<u8>>>,
}

/// All of them.
#[derive(Debug)]
pub(super) struct Script {
    page: Page,
    requests: Vec<Template>,
    /// Bytes of each.
    sizes: Vec<usize>,
    /// How many responses are read before the next request, from the first on.
    read: usize,
}

/// A value's place in a text.
struct Place {
    round: usize,
    path: Path,
    most: usize,
}

impl Template {
    /// Reads a file's text; `fields` go with it.
    pub(super) fn parse(text: &[u8], fields: &[Zeroizing<String>]) -> Result<Self, String> {
        let (head, body) = text.windows(2).position(|end| end == b"\n\n").map_or((text, None), |end| {
            let (head, rest) = text.split_at(end);
            (head, rest.strip_prefix(b"\n\n"))
        });
        let head =
            core::str::from_utf8(head).map_err(|_| "method, target and fields are ASCII text".to_owned())?;
        let mut lines = head.lines();
        let first = lines.next().unwrap_or_default().split_once(' ');
        let (method, target) = first.ok_or("the first line is no method and target, like `GET /page`")?;
        if !target.starts_with('/') {
            return Err("the target begins with a slash: all requests are to one server".into());
        }
        let own = lines.filter(|line| !line.is_empty()).map(|line| Zeroizing::new(line.to_owned()));
        // Editors end a file with a line end that nobody means.
        let body = body.map(|body| body.strip_suffix(b"\n").unwrap_or(body)).filter(|body| !body.is_empty());
        Ok(Self {
            method: method.into(),
            target: Zeroizing::new(target.into()),
            fields: fields.iter().cloned().chain(own).collect(),
            body: body.map(|body| Zeroizing::new(body.to_vec())),
        })
    }

    /// All texts that may have values put in.
    fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let fields = self.fields.iter().map(|field| field.as_bytes());
        core::iter::once(self.target.as_bytes()).chain(fields).chain(self.body.as_deref().map(Vec::as_slice))
    }

    fn places(&self) -> Result<Vec<Place>, String> {
        let mut places = Vec::new();
        for text in self.texts() {
            fill(text, &mut |place| {
                places.push(place);
                Ok(Zeroizing::default())
            })?;
        }
        Ok(places)
    }

    /// The request with these values.
    fn with(
        &self,
        page: &Page,
        last: bool,
        value: &mut dyn FnMut(Place) -> Result<Zeroizing<Vec<u8>>, String>,
    ) -> Result<Zeroizing<Vec<u8>>, String> {
        let mut text = |text: &[u8]| -> Result<Zeroizing<String>, String> {
            let filled = fill(text, value)?;
            // Values are ASCII.
            Ok(Zeroizing::new(String::from_utf8_lossy(&filled).into_owned()))
        };
        let target = text(self.target.as_bytes())?;
        let fields = self.fields.iter().map(|field| text(field.as_bytes())).collect::<Result<Vec<_>, _>>()?;
        let body = self.body.as_ref().map(|body| fill(body, value)).transpose()?;
        let body = body.as_deref().map(Vec::as_slice);
        let words = Words { method: &self.method, target: &target, fields: &fields, body, last };
        page.request(&words).map_err(|failure| failure.to_string())
    }
}

impl Script {
    /// Of a page, whose request is the first, and those that come then.
    pub(super) fn new(page: Page, requests: Vec<Template>) -> Result<Self, Failure> {
        let count = requests.len();
        if count > MAX_ROUNDS {
            return Err(Failure::input(format!("{count} requests: a connection has at most {MAX_ROUNDS}")));
        }
        let (mut sizes, mut read) = (Vec::new(), 0);
        for (round, request) in requests.iter().enumerate() {
            let failed = |reason: String| match round {
                0 => Failure::input(reason),
                later => Failure::input(format!("request {}: {reason}", later + 1)),
            };
            for place in request.places().map_err(failed)? {
                if place.round >= round {
                    return Err(failed(format!("there is no response {} before it", place.round + 1)));
                }
                read = read.max(place.round + 1);
            }
            if round + 1 < count && !SAFE.contains(&request.method.as_str()) {
                read = read.max(round + 1);
            }
            let longest = &mut |place: Place| Ok(Zeroizing::new(vec![b'x'; place.most]));
            let whole = request.with(&page, round + 1 == count, longest).map_err(failed)?;
            let padded = if request.places().map_err(failed)?.is_empty() { 0 } else { PADDING.len() + 2 };
            sizes.push(whole.len() + padded);
        }
        Ok(Self { page, requests, sizes, read })
    }

    /// Where to.
    pub(super) fn page(&self) -> &Page {
        &self.page
    }

    /// How many requests there are.
    pub(super) fn len(&self) -> usize {
        self.requests.len()
    }

    /// The sizes of the connection, where `read` bytes can be read of each response that something waits for.
    pub(super) fn sizes(&self, read: usize, proved: usize) -> Sizes {
        let round = |(round, query): (usize, &usize)| {
            let read = if round < self.read { read + ROOM } else { 0 };
            Round { query: *query, read }
        };
        Sizes { rounds: self.sizes.iter().enumerate().map(round).collect(), proved }
    }

    /// The request of a round, of the size that was said.
    pub(super) fn request(&self, round: usize, heard: &Heard) -> Result<Zeroizing<Vec<u8>>, String> {
        let (Some(request), Some(size)) = (self.requests.get(round), self.sizes.get(round)) else {
            return Err("there are no more".into());
        };
        let last = round + 1 == self.requests.len();
        let made = request.with(&self.page, last, &mut |place| value(&place, heard))?;
        match size.checked_sub(made.len() + PADDING.len() + 2) {
            Some(padding) if !request.places()?.is_empty() => Ok(padded(&made, padding)),
            _ => Ok(made),
        }
    }
}

/// Puts the padding field before the empty line that ends the head.
fn padded(request: &[u8], padding: usize) -> Zeroizing<Vec<u8>> {
    let end = request.windows(4).position(|end| end == b"\r\n\r\n").map_or(request.len(), |end| end + 2);
    let (head, rest) = request.split_at(end);
    let field = [PADDING.as_bytes(), &vec![b'x'; padding], b"\r\n"].concat();
    Zeroizing::new([head, &field, rest].concat())
}

/// A text with values in their places.
fn fill(
    text: &[u8],
    value: &mut dyn FnMut(Place) -> Result<Zeroizing<Vec<u8>>, String>,
) -> Result<Zeroizing<Vec<u8>>, String> {
    let find = |text: &[u8], what: &str| text.windows(what.len()).position(|part| part == what.as_bytes());
    let (mut filled, mut rest) = (Zeroizing::new(Vec::new()), text);
    while let Some(start) = find(rest, OPEN) {
        let (before, after) = rest.split_at(start);
        let end =
            find(after, CLOSE).ok_or("a value's place has no end; expected {{response.json:PATH|LENGTH}}")?;
        let (name, after) = after.split_at(end);
        filled.extend_from_slice(before);
        filled.extend_from_slice(&value(place(name)?)?);
        rest = after.get(CLOSE.len()..).unwrap_or_default();
    }
    filled.extend_from_slice(rest);
    Ok(filled)
}

/// `{{response2.json:PATH|LENGTH`.
fn place(name: &[u8]) -> Result<Place, String> {
    let name = String::from_utf8_lossy(name);
    let wrong = || {
        format!(
            "`{}}}}}` is no value's place; expected {{{{response.json:PATH|LENGTH}}}}",
            name.escape_debug()
        )
    };
    let (number, rest) =
        name.strip_prefix(OPEN).and_then(|rest| rest.split_once(".json:")).ok_or_else(wrong)?;
    let (path, most) = rest.rsplit_once(BAR).filter(|(path, _)| !path.is_empty()).ok_or_else(wrong)?;
    let round = round(number).ok_or_else(wrong)?;
    let path = path.parse().map_err(|_| wrong())?;
    let most = most.parse().ok().filter(|most| (1..=MAX_VALUE).contains(most)).ok_or_else(wrong)?;
    Ok(Place { round, path, most })
}

/// Which message a number after `request` or `response` means, from 0: none is the first.
pub(super) fn round(number: &str) -> Option<usize> {
    if number.is_empty() {
        return Some(0);
    }
    let canonical = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
    number.parse().ok().filter(|number: &usize| canonical && *number <= MAX_ROUNDS)?.checked_sub(1)
}

/// The value at a place. Errors do not tell it.
fn value(place: &Place, heard: &Heard) -> Result<Zeroizing<Vec<u8>>, String> {
    let Place { round, path, most } = place;
    let response =
        heard.responses().get(*round).ok_or("the response that it takes a value from was not read")?;
    let failed = |reason: &str| format!("{path} of response {}: {reason}", round + 1);
    let body = Zeroizing::new(response.body.bytes(heard.text()).into_owned());
    let value = json::find(&body, path).map_err(|error| failed(&error.to_string()))?;
    if !matches!(value.kind, Kind::String | Kind::Number) {
        return Err(failed("only strings and numbers can be put into a request"));
    }
    let value = body.get(value.content()).unwrap_or_default();
    if value.len() > *most {
        return Err(failed(&format!("it has {} bytes, and {most} were planned", value.len())));
    }
    if !value.iter().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'"')) {
        return Err(failed("it has other characters than visible ones of ASCII, a quote or a backslash"));
    }
    Ok(Zeroizing::new(value.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        Page::parse("https://localhost/start").expect("sound")
    }

    fn first(method: &str) -> Template {
        let target = Zeroizing::new("/start".into());
        Template { method: method.into(), target, fields: Vec::new(), body: None }
    }

    fn script(method: &str, then: &[&str]) -> Result<Script, Failure> {
        let then = then.iter().map(|text| Template::parse(text.as_bytes(), &[]).map_err(Failure::Input));
        Script::new(page(), core::iter::once(Ok(first(method))).chain(then).collect::<Result<Vec<_>, _>>()?)
    }

    fn text(script: &Script, round: usize) -> Result<String, String> {
        let made = script.request(round, &Heard::default())?;
        assert_eq!(made.len(), script.sizes[round]);
        Ok(String::from_utf8_lossy(&made).into_owned())
    }

    #[test]
    fn files_say_method_target_fields_and_body() {
        let all = script("GET", &["PUT /a?b\nX: y\n\n{\"c\":\n\n1}\n", "GET /last"]).expect("sound");
        assert_eq!(
            text(&all, 1).expect("made"),
            "PUT /a?b HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\nAccept-Encoding: identity\r\n\
             X: y\r\nContent-Length: 9\r\n\r\n{\"c\":\n\n1}"
        );
        assert!(text(&all, 0).expect("made").contains("Connection: keep-alive"));
        let last = text(&all, 2).expect("made");
        assert!(
            last.starts_with("GET /last ")
                && last.contains("Connection: close")
                && last.ends_with("\r\n\r\n")
        );
        for wrong in ["", "GET", "GET page", "get /", "GET /\nno colon", "GET /\nHost: a"] {
            assert!(script("GET", &[wrong]).is_err(), "{wrong:?}");
        }
        assert!(script("GET", &["GET /"; MAX_ROUNDS]).is_err());
    }

    #[test]
    fn responses_are_read_where_something_waits_for_them() {
        let reads = |script: &Script| -> Vec<usize> {
            script.sizes(100, 7).rounds.iter().map(|round| round.read).collect()
        };
        assert_eq!(reads(&script("GET", &["GET /", "GET /"]).expect("sound")), [0, 0, 0]);
        // After a request that may change something the next one waits.
        assert_eq!(reads(&script("POST", &["GET /", "POST /"]).expect("sound")), [164, 0, 0]);
        let value = "GET /{{response.json:a|3}}";
        assert_eq!(reads(&script("GET", &["GET /", value]).expect("sound")), [164, 0, 0]);
        assert_eq!(
            reads(&script("GET", &["GET /", "GET /{{response2.json:a|3}}"]).expect("sound")),
            [164, 164, 0]
        );
        assert!(script("GET", &["GET /{{response2.json:a|3}}"]).is_err(), "its own response");
    }

    #[test]
    fn places_of_values_are_exact() {
        for (name, round, most) in
            [("{{response.json:a.b[0]|7", 0, 7), ("{{response12.json:a|4096", 11, 4096)]
        {
            let place = place(name.as_bytes()).expect("sound");
            assert_eq!((place.round, place.most), (round, most));
        }
        for wrong in [
            "{{response.json:a",
            "{{response.json:a|0",
            "{{response.json:a|4097",
            "{{response0.json:a|1",
            "{{response01.json:a|1",
            "{{response17.json:a|1",
            "{{response.body|1",
            "{{response.json:|1",
            "{{response+1.json:a|1",
        ] {
            assert!(place(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(fill(b"{{response.json:a|1", &mut |_| Ok(Zeroizing::default())).is_err());
        let other = b"{{mustache}} }} {{resp";
        assert!(fill(other, &mut |_| Err(String::new())).is_ok_and(|text| *text == other));
    }
}
