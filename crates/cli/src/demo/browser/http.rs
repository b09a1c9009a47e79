//! As much of HTTP/1.1 as a browser needs to load a page: one request for each connection, bounded and timed.

use std::io::{self, Read, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use volery_channel::transport::Socket;

use super::claims::Share;
use super::hosts::Hosts;

/// The most bytes of a request's head.
const MAX_HEAD: usize = 16 << 10;
/// The most header fields.
const MAX_FIELDS: usize = 64;
/// How long a client may take for the head of its request.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long it may take for a body, and for reading an answer.
const BODY_TIME: Duration = Duration::from_secs(60);
/// The most bytes of a body.
const MAX_BODY: usize = 64 << 20;

/// Why a connection gets no answer, or only this one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    status: &'static str,
    reason: String,
}

impl Refusal {
    pub(super) fn new(status: &'static str, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into() }
    }

    fn bad(reason: &str) -> Self {
        Self::new("400 Bad Request", reason)
    }

    pub(super) fn answer(&self) -> Answer {
        Answer {
            status: self.status,
            kind: "text/plain; charset=utf-8",
            body: format!("{}\n", self.reason).into_bytes().into(),
        }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::new("408 Request Timeout", error.to_string())
    }
}

/// What a client asks for.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    /// The path, without its query.
    pub(super) path: String,
    /// The host that is asked for: one of this server's names.
    pub(super) host: String,
    /// Whether it is a page of this server that asks, or the person who opens the page.
    pub(super) origin: Option<String>,
    /// The type of the body.
    pub(super) content_type: String,
    pub(super) wants_websocket: bool,
    length: usize,
    /// The head, and what came after it.
    received: Vec<u8>,
    head: usize,
}

/// Reads with a deadline, however slowly the bytes come.
struct Timed<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl Read for Timed<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(out)
    }
}

impl Request {
    /// Reads the head of a request.
    pub(super) fn read(stream: &TcpStream, hosts: &Hosts) -> Result<Self, Refusal> {
        let mut timed = Timed { stream, end: Instant::now() + HEAD_TIME };
        let (mut received, mut chunk) = (Vec::new(), [0; 4096]);
        loop {
            let count = timed.read(&mut chunk)?;
            if count == 0 {
                return Err(Refusal::bad("the request ends too soon"));
            }
            let from = received.len().saturating_sub(3);
            received.extend_from_slice(chunk.get(..count).unwrap_or_default());
            let new = received.get(from..).unwrap_or_default();
            if let Some(at) = new.windows(4).position(|end| end == b"\r\n\r\n") {
                let head = from + at + 4;
                return Self::parse(received, head, hosts);
            }
            if received.len() > MAX_HEAD {
                return Err(Refusal::new(
                    "431 Request Header Fields Too Large",
                    "the request's head is too long",
                ));
            }
        }
    }

    fn parse(received: Vec<u8>, head: usize, hosts: &Hosts) -> Result<Self, Refusal> {
        let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
        let mut request = httparse::Request::new(&mut fields);
        match request.parse(received.get(..head).unwrap_or_default()) {
            Ok(httparse::Status::Complete(_)) => {}
            _ => return Err(Refusal::bad("this is no HTTP request")),
        }
        let (method, target) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
        let fields = &*request.headers;
        let field = |name: &str| -> Result<Option<&str>, Refusal> {
            let mut all = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
            let first = all.next().map(|field| core::str::from_utf8(field.value));
            match (first, all.next()) {
                (None, _) => Ok(None),
                (Some(Ok(value)), None) => Ok(Some(value.trim())),
                _ => Err(Refusal::bad("a header field is there twice, or no text")),
            }
        };
        let host = field("host")?.unwrap_or_default();
        // A page of another server can reach this one by a name of its own. Such a name is not served.
        if !hosts.has(host) {
            let reason = "this server has another name; --origin, such as --origin http://192.168.0.7:7080, says under which one people open the page";
            return Err(Refusal::new("421 Misdirected Request", reason));
        }
        if field("transfer-encoding")?.is_some() {
            return Err(Refusal::new("411 Length Required", "bodies need a Content-Length"));
        }
        let length = match field("content-length")? {
            None => 0,
            Some(digits) if digits.len() < 12 && digits.bytes().all(|c| c.is_ascii_digit()) => {
                digits.parse().unwrap_or(usize::MAX)
            }
            Some(_) => return Err(Refusal::bad("Content-Length is no number")),
        };
        if length > MAX_BODY {
            let most = MAX_BODY >> 20;
            return Err(Refusal::new(
                "413 Content Too Large",
                format!("the demonstration takes at most {most} MiB"),
            ));
        }
        Ok(Self {
            method: method.to_owned(),
            path: target.split(['?', '#']).next().unwrap_or_default().to_owned(),
            host: host.to_owned(),
            origin: field("origin")?.map(str::to_owned),
            content_type: field("content-type")?.unwrap_or_default().to_owned(),
            wants_websocket: field("upgrade")?.is_some_and(|value| value.eq_ignore_ascii_case("websocket")),
            length,
            head,
            received,
        })
    }

    /// How long the body is.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Reads the body into memory that `share` was given.
    pub(super) fn body(&mut self, stream: &TcpStream, share: &Share<'_>) -> Result<Vec<u8>, Refusal> {
        if self.length > share.bytes() {
            return Err(Refusal::new("413 Content Too Large", "there is room for less than the body"));
        }
        let mut body = self.received.split_off(self.head.min(self.received.len()));
        body.truncate(self.length);
        let mut rest =
            Timed { stream, end: Instant::now() + BODY_TIME }.take((self.length - body.len()) as u64);
        // Grows with what comes, not with what is announced.
        rest.read_to_end(&mut body)?;
        if body.len() < self.length {
            return Err(Refusal::bad("the body ends too soon"));
        }
        Ok(body)
    }

    /// The connection, for a WebSocket, with the bytes that were read from it.
    pub(super) fn into_socket(self, stream: TcpStream) -> io::Result<(Socket, Vec<u8>)> {
        stream.set_read_timeout(None)?;
        Ok((Socket::tcp(stream)?, self.received))
    }
}

/// An answer.
pub(super) struct Answer {
    pub(super) status: &'static str,
    pub(super) kind: &'static str,
    pub(super) body: std::borrow::Cow<'static, [u8]>,
}

impl Answer {
    pub(super) fn json(status: &'static str, value: &serde_json::Value) -> Self {
        Self { status, kind: "application/json", body: value.to_string().into_bytes().into() }
    }

    /// Sends it; `host` is this server as the client names it.
    pub(super) fn send(&self, mut stream: &TcpStream, host: &str) -> io::Result<()> {
        stream.set_write_timeout(Some(BODY_TIME))?;
        // A page may run this server's scripts and modules, show its styles and talk to it. Nothing else.
        // Browsers share memory among workers only if the page and all it loads are isolated by these fields.
        let policy = format!(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
             img-src 'self'; connect-src 'self' ws://{host} wss://{host}; form-action 'none'; base-uri 'none'; \
             frame-ancestors 'none'"
        );
        let Self { status, kind, body } = self;
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-cache\r\nCross-Origin-Opener-Policy: same-origin\r\n\
             Cross-Origin-Embedder-Policy: require-corp\r\nCross-Origin-Resource-Policy: same-origin\r\n\
             Content-Security-Policy: {policy}\r\nX-Content-Type-Options: nosniff\r\n\
             Referrer-Policy: no-referrer\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::demo::browser::claims::Claims;

    /// What the server makes of these bytes, after which the client stops sending, with memory for a body
    /// without `less` of its bytes.
    fn read_with(bytes: &[u8], less: usize) -> Result<(Request, Vec<u8>), Refusal> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let hosts = Hosts::new(listener.local_addr().expect("bound"), "localhost", &[]);
        let mut client = TcpStream::connect(listener.local_addr().expect("bound")).expect("connects");
        let (server, _) = listener.accept().expect("it connects");
        let bytes = String::from_utf8_lossy(bytes)
            .replace("HOST", &format!("localhost:{}", listener.local_addr().expect("bound").port()));
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // A server that has refused the request does not read the rest.
                let _ = client.write_all(bytes.as_bytes());
            });
            let mut request = Request::read(&server, &hosts)?;
            let claims = Claims::default();
            let body = request.body(&server, &claims.reserve(request.length() - less)?)?;
            Ok((request, body))
        })
    }

    /// What the server makes of these bytes, with memory for its body.
    fn read(bytes: &[u8]) -> Result<(Request, Vec<u8>), Refusal> {
        read_with(bytes, 0)
    }

    fn status(bytes: &[u8]) -> &'static str {
        read(bytes).expect_err("it is refused").status
    }

    #[test]
    fn requests_are_read_with_their_bodies() {
        let (request, body) = read(
            b"POST /claims?x HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nContent-Length: 5\r\n\r\nhello",
        )
        .expect("read");
        assert_eq!((&*request.method, &*request.path, &*body), ("POST", "/claims", &b"hello"[..]));
        assert!(request.origin.is_some() && !request.wants_websocket);
        let (request, body) = read(b"GET / HTTP/1.1\r\nhost: HOST\r\n\r\n").expect("read");
        assert!(request.path == "/" && request.origin.is_none() && body.is_empty());
    }

    #[test]
    fn no_body_is_read_without_memory_for_all_of_it() {
        let bytes = b"POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\n\r\nhello";
        assert!(read_with(bytes, 0).is_ok());
        assert_eq!(read_with(bytes, 1).expect_err("it is refused").status, "413 Content Too Large");
    }

    #[test]
    fn what_is_no_request_for_this_server_is_refused() {
        assert_eq!(status(b"GET / HTTP/1.1\r\n\r\n"), "421 Misdirected Request");
        assert_eq!(status(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "421 Misdirected Request");
        assert_eq!(status(b"GET / HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n"), "400 Bad Request");
        assert_eq!(status(b"\x16\x03\x01 no HTTP\r\n\r\n"), "400 Bad Request");
        assert_eq!(status(b"GET / HTTP/1.1\r\nHost: HOST\r\n"), "400 Bad Request");
        let field = |value: &str| format!("POST / HTTP/1.1\r\nHost: HOST\r\n{value}\r\n\r\nabc");
        assert_eq!(status(field("Content-Length: 4").as_bytes()), "400 Bad Request");
        assert_eq!(status(field("Content-Length: -1").as_bytes()), "400 Bad Request");
        assert_eq!(status(field("Content-Length: 99999999999").as_bytes()), "413 Content Too Large");
        assert_eq!(status(field("Transfer-Encoding: chunked").as_bytes()), "411 Length Required");
        let long = field(&format!("X: {}", "x".repeat(2 * MAX_HEAD)));
        assert_eq!(status(long.as_bytes()), "431 Request Header Fields Too Large");
        let many = field(&"X: y\r\n".repeat(MAX_FIELDS + 1));
        assert_eq!(status(many.trim_end_matches("abc").as_bytes()), "400 Bad Request");
    }
}
