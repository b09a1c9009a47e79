//! The requests of a connection: the command line's, and those of files, into which earlier responses may put values.
//!
//! ```text
//! POST /api/transfers                                       method and target
//! Authorization: Bearer {{response.json:token|64}}          fields; up to 64 bytes from the first response
//! Cookie: session={{response.cookie:session|32}}
//!                                                           an empty line
//! {"to": "{{response2.json:accounts[0].id|20}}"}            the body, if any
//! ```
//!
//! [`Place`] is such a value's place.
//!
//! Sizes are fixed before the connection is opened, so a request with values from elsewhere is filled up with a field of its own.

use volery::tls::dialogue::{Heard, MAX_ROUNDS};
use volery::tls::joint::{Round, Sizes};
use zeroize::Zeroizing;

use super::place::{Place, fill};
use super::request::{Page, Words};
use crate::cli::failure::Failure;

/// The field that fills a request up.
const PADDING: &str = "X-Padding: ";
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
        let made = request.with(&self.page, last, &mut |place| place.value(heard))?;
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
}
