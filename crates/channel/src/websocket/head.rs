//! The opening handshake of RFC 6455, section 4: one HTTP request and its answer, each bounded and read once.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha1::{Digest as _, Sha1};

/// The longest head of a request or an answer.
pub(super) const MAX_HEAD: usize = 16 << 10;

/// The most header fields of one.
const MAX_FIELDS: usize = 100;

/// The most characters of an origin that an error repeats.
const MAX_SHOWN: usize = 100;

/// What a key is hashed with (section 1.3).
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// What a client asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The path, with its query.
    pub target: String,
    /// The host that is asked for, with its port.
    pub host: Option<String>,
    /// The origin of the page that asks, if a browser asks. Programs may say what they like.
    pub origin: Option<String>,
}

/// Why a request is refused: the HTTP status, and what is wrong. The client is told both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    status: &'static str,
    pub(super) reason: String,
}

impl Refusal {
    fn bad(reason: impl Into<String>) -> Self {
        Self { status: "400 Bad Request", reason: reason.into() }
    }

    pub(super) fn origin(origin: &str) -> Self {
        let reason = format!("pages of `{}` may not connect here", shown(origin));
        Self { status: "403 Forbidden", reason }
    }

    /// The whole answer.
    pub(super) fn answer(&self) -> Vec<u8> {
        let Self { status, reason } = self;
        let length = reason.len() + 1;
        let version =
            "Sec-WebSocket-Version: 13\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8";
        format!("HTTP/1.1 {status}\r\n{version}\r\nContent-Length: {length}\r\n\r\n{reason}\n").into_bytes()
    }
}

/// What a client sent, for an error that people read in a log or on a terminal: its beginning, with
/// everything escaped that does not print, or that changes the order of what does.
fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}

/// The length of the head in `bytes`, if it is complete.
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

/// Reads a client's request: a complete head. Returns it with its key.
pub(super) fn request(head: &[u8]) -> Result<(Request, [u8; 16]), Refusal> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    match request.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Err(Refusal::bad("the request ends too soon")),
        Err(error) => return Err(Refusal::bad(format!("no HTTP request: {error}"))),
    }
    if request.method != Some("GET") || request.version != Some(1) {
        return Err(Refusal::bad("a WebSocket begins with a GET of HTTP/1.1"));
    }
    let fields = Fields(request.headers);
    if !fields.has_token("upgrade", "websocket") || !fields.has_token("connection", "upgrade") {
        let reason = "only WebSocket connections are taken here".to_owned();
        return Err(Refusal { status: "426 Upgrade Required", reason });
    }
    if fields.only("sec-websocket-version") != Some("13") {
        let reason = "only version 13 of the WebSocket protocol is known here".to_owned();
        return Err(Refusal { status: "426 Upgrade Required", reason });
    }
    let key = fields.only("sec-websocket-key").and_then(|key| BASE64_STANDARD.decode(key).ok());
    let key = key.and_then(|key| <[u8; 16]>::try_from(key).ok());
    let key = key.ok_or_else(|| Refusal::bad("the key of the WebSocket is not 16 bytes in Base64"))?;
    if fields.count("content-length") + fields.count("transfer-encoding") > 0 {
        return Err(Refusal::bad("the request has a body"));
    }
    let origin = match fields.count("origin") {
        0 => None,
        _ => Some(
            fields.only("origin").ok_or_else(|| Refusal::bad("the origin is no text, or is there twice"))?,
        ),
    };
    let target = request.path.unwrap_or("/").to_owned();
    let host = fields.only("host").map(str::to_owned);
    Ok((Request { target, host, origin: origin.map(str::to_owned) }, key))
}

/// The answer to a request with this key.
pub(super) fn accepted(key: &[u8; 16]) -> Vec<u8> {
    let accept = accept(key);
    let fields = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept:";
    format!("HTTP/1.1 101 Switching Protocols\r\n{fields} {accept}\r\n\r\n").into_bytes()
}

/// A request for `target` at `host`.
pub(super) fn ask(host: &str, target: &str, key: &[u8; 16]) -> Vec<u8> {
    let key = BASE64_STANDARD.encode(key);
    let fields =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key:";
    format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n{fields} {key}\r\n\r\n").into_bytes()
}

/// Reads the answer to a request with `key`: a complete head. An error says what is wrong with it.
pub(super) fn answer(head: &[u8], key: &[u8; 16]) -> Result<(), String> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut response = httparse::Response::new(&mut fields);
    match response.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Err("the answer ends too soon".to_owned()),
        Err(error) => return Err(format!("no HTTP answer: {error}")),
    }
    if response.code != Some(101) {
        let code = response.code.unwrap_or(0);
        return Err(format!("the server answers with status {code}, not with a WebSocket"));
    }
    let fields = Fields(response.headers);
    let upgraded = fields.has_token("upgrade", "websocket") && fields.has_token("connection", "upgrade");
    let agreed = fields.count("sec-websocket-extensions") + fields.count("sec-websocket-protocol") == 0;
    if !upgraded || !agreed || fields.only("sec-websocket-accept") != Some(&accept(key)) {
        return Err("the server's answer is not for this request".to_owned());
    }
    Ok(())
}

/// What a server answers to a key.
fn accept(key: &[u8; 16]) -> String {
    let digest = Sha1::new().chain_update(BASE64_STANDARD.encode(key)).chain_update(GUID).finalize();
    BASE64_STANDARD.encode(digest)
}

/// The fields of a head. Names are compared without regard to case.
struct Fields<'h>(&'h [httparse::Header<'h>]);

impl<'h> Fields<'h> {
    fn all(&self, name: &str) -> impl Iterator<Item = Option<&'h str>> {
        let fields = self.0.iter().filter(move |field| field.name.eq_ignore_ascii_case(name));
        fields.map(|field| core::str::from_utf8(field.value).ok().map(str::trim))
    }

    fn count(&self, name: &str) -> usize {
        self.all(name).count()
    }

    /// The value of a field that is there once.
    fn only(&self, name: &str) -> Option<&'h str> {
        let mut all = self.all(name);
        let first = all.next()??;
        if all.next().is_some() { None } else { Some(first) }
    }

    /// Whether a field's list has this word.
    fn has_token(&self, name: &str, token: &str) -> bool {
        let words = self.all(name).flatten().flat_map(|list| list.split(','));
        words.map(str::trim).any(|word| word.eq_ignore_ascii_case(token))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6455, section 1.3.
    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

    fn with(change: impl Fn(&str) -> String) -> Result<(Request, [u8; 16]), Refusal> {
        let lines = [
            "GET /prove?x=1 HTTP/1.1",
            "Host: example.com",
            "Upgrade: WebSocket",
            "Connection: keep-alive, Upgrade",
            &format!("Sec-WebSocket-Key: {KEY}"),
            "Sec-WebSocket-Version: 13",
            "Origin: https://example.com",
        ];
        request(
            lines
                .map(|line| change(line) + "\r\n")
                .concat()
                .as_bytes()
                .iter()
                .chain(b"\r\n")
                .copied()
                .collect::<Vec<_>>()
                .as_slice(),
        )
    }

    #[test]
    fn the_answer_is_that_of_the_rfc_s_example() {
        let (request, key) = with(str::to_owned).unwrap();
        assert_eq!(request.target, "/prove?x=1");
        assert_eq!(request.host.as_deref(), Some("example.com"));
        assert_eq!(request.origin.as_deref(), Some("https://example.com"));
        assert_eq!(accept(&key), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        answer(&accepted(&key), &key).unwrap();
        assert!(answer(&accepted(&[1; 16]), &key).is_err());
        let (again, same) = super::request(&ask("example.com", "/prove?x=1", &key)).unwrap();
        assert_eq!((again.target, again.host, same), (request.target, request.host, key));
        assert_eq!(again.origin, None);
    }

    #[test]
    fn requests_for_something_else_are_refused_with_a_reason() {
        for (from, to, status) in [
            ("GET /prove?x=1 HTTP/1.1", "POST / HTTP/1.1", "400"),
            ("GET /prove?x=1 HTTP/1.1", "GET / HTTP/1.0", "400"),
            ("GET /prove?x=1 HTTP/1.1", "GET / HTTP/7", "400"),
            ("Upgrade: WebSocket", "Upgrade: h2c", "426"),
            ("Connection: keep-alive, Upgrade", "Connection: close", "426"),
            ("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 8", "426"),
            ("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Version: 13", "426"),
            ("Host: example.com", "Content-Length: 5", "400"),
            ("Host: example.com", "Transfer-Encoding: chunked", "400"),
            ("Origin: https://example.com", "Origin: a\r\nOrigin: b", "400"),
            (&format!("Sec-WebSocket-Key: {KEY}"), "Sec-WebSocket-Key: AAAA", "400"),
            (&format!("Sec-WebSocket-Key: {KEY}"), "X: y", "400"),
        ] {
            let refusal = with(|line| line.replace(from, to)).unwrap_err();
            let text = String::from_utf8(refusal.answer()).unwrap();
            assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{to}: {text}");
            assert!(text.ends_with(&format!("\r\n\r\n{}\n", refusal.reason)));
        }
    }

    #[test]
    fn an_origin_that_is_refused_is_shown_escaped_and_cut() {
        for (origin, expected) in [
            ("https://evil.example", "https://evil.example"),
            ("a\u{1b}[2K\rb\nc\0", "a\\u{1b}[2K\\rb\\nc\\0"),
            ("\u{202e}moc.live\u{2066}\u{200b}\u{feff}", "\\u{202e}moc.live\\u{2066}\\u{200b}\\u{feff}"),
            ("a\u{9b}b\u{2028}", "a\\u{9b}b\\u{2028}"),
            (&"x".repeat(MAX_SHOWN), &"x".repeat(MAX_SHOWN)),
            (&"\u{e4}".repeat(5000), &format!("{}...", "\u{e4}".repeat(MAX_SHOWN))),
        ] {
            let refusal = Refusal::origin(origin);
            assert_eq!(refusal.reason, format!("pages of `{expected}` may not connect here"));
            assert!(String::from_utf8(refusal.answer()).unwrap().ends_with(&format!("{}\n", refusal.reason)));
        }
    }

    #[test]
    fn a_server_that_answers_with_a_page_is_named() {
        let error = answer(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", &[0; 16]).unwrap_err();
        assert!(error.contains("404"), "{error}");
        assert!(answer(b"SSH-2.0-x\r\n\r\n", &[0; 16]).is_err());
    }
}
