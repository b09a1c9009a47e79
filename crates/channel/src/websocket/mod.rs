//! WebSocket (RFC 6455) over any transport; the result is a transport again. With it a web page is a party.
//!
//! ```text
//! page (the engine's WebSocket)        TCP, or TLS over TCP        WebSocket::accept
//!      GET, Upgrade: websocket     ----------------------------->  origin allowed?
//!                                  <-----------------------------  101 Switching Protocols
//!      binary messages             <---------------------------->  bytes of one stream
//!      Close                       <---------------------------->  Close
//! ```
//!
//! The payloads of binary messages, one after the other, are a stream of bytes. Where a message ends means
//! nothing, so no message is ever held in memory, however long it is. Pings are answered, only the last one
//! if several wait. Text messages, extensions and subprotocols are refused.
//!
//! **A session over a WebSocket has no binding** ([`Channel::binding`](crate::Channel::binding)), even if TLS
//! is below: a page cannot learn the secrets of its connection. The server's identity is that of its
//! certificate for `wss://`. Whoever has another certificate for that name, or stands in for it, can relay a
//! session; see [`tls`](crate::tls) for what programs do against that.

mod frame;
mod head;
mod origin;

use std::io;

use rand_core::CryptoRng;

pub use head::Request;
pub use origin::Origins;

use crate::error::{Error, Operation};
use crate::limits::{Limits, deadline};
use crate::platform::Instant;
use crate::tag::tags;
use crate::transport::{Interest, Transport};
use frame::{Control, Decoder, Flaw, Kind};
use head::{MAX_HEAD, Refusal};

/// The most payload of one frame that is sent.
const MESSAGE: usize = 64 << 10;

/// Bytes that are read from below at once.
const INPUT: usize = 64 << 10;

/// How often one [`try_read`](Transport::try_read) reads from the transport below. A bound is necessary: a
/// peer may send pings and empty frames for as long as it likes, and only the caller has a deadline.
const PULLS: usize = 16;

/// How a request begins.
const REQUEST: &[u8; 4] = b"GET ";

/// Status codes of RFC 6455, section 7.4.1.
const NORMAL: u16 = 1000;
const PROTOCOL_ERROR: u16 = 1002;

/// Whether the first bytes of a connection begin an HTTP request, and so perhaps a WebSocket. Parties that
/// speak without one begin with a frame's tag, which is no letter.
#[must_use]
pub fn is_request(first: &[u8]) -> bool {
    !first.is_empty() && first.iter().zip(REQUEST).all(|(byte, expected)| byte == expected)
}

/// Reads as many bytes as tell whether a connection begins with an HTTP request ([`is_request`]), within
/// [`Limits::connect`]. They belong before what follows: [`WebSocket::accept`] takes them, and
/// [`Ahead`](crate::transport::Ahead) gives them to whatever else reads.
///
/// # Errors
/// [`Error::TimedOut`], and what the transport reports. A stream that ends is none.
pub fn first_bytes(inner: &mut impl Transport, limits: &Limits) -> Result<Vec<u8>, Error> {
    let end = deadline(Instant::now(), limits.connect);
    let mut first = Vec::new();
    while first.is_empty() || (is_request(&first) && first.len() < REQUEST.len()) {
        let mut byte = [0; 4];
        let room = REQUEST.len().saturating_sub(first.len());
        match inner.try_read(byte.get_mut(..room).unwrap_or_default()) {
            Ok(Some(0)) => break,
            Ok(Some(count)) => first.extend_from_slice(byte.get(..count).unwrap_or_default()),
            Ok(None) => match inner.wait(Interest::Read, end) {
                // The deadline holds even while bytes come.
                Ok(true) if Instant::now() < end => {}
                Ok(_) => {
                    let (step, operation) = (tags::HELLO, Operation::Read);
                    return Err(Error::TimedOut { step, operation, after: limits.connect });
                }
                Err(error) => return Err(Error::transport(Operation::Read, &error)),
            },
            Err(error) => return Err(Error::transport(Operation::Read, &error)),
        }
    }
    Ok(first)
}

/// A WebSocket, agreed on, over transport `T`.
#[derive(Debug)]
pub struct WebSocket<T: Transport> {
    inner: T,
    request: Request,
    decoder: Decoder,
    /// Bytes from below; those before `taken` are decoded.
    input: Vec<u8>,
    taken: usize,
    /// Frames on their way; the bytes before `sent` have gone.
    output: Vec<u8>,
    sent: usize,
    /// The payload of the last ping that nobody has answered yet.
    ping: Option<Vec<u8>>,
    /// A client's masks: unpredictable, so that a page cannot choose what intermediaries see (section 10.3).
    masks: Option<blake3::OutputReader>,
    /// Whether this party's Close is sent, or queued.
    closing: bool,
    /// Whether the peer's Close, or the end of the stream, has come.
    ended: bool,
}

impl<T: Transport> WebSocket<T> {
    /// Negotiates as the listening side, within [`Limits::connect`]. `first` are bytes that were read from
    /// `inner` already, to see what comes ([`is_request`]).
    ///
    /// # Errors
    /// [`Error::Transport`] if the request is refused (the client is told why), [`Error::TimedOut`], and what
    /// the transport reports.
    pub fn accept(mut inner: T, first: Vec<u8>, origins: &Origins, limits: &Limits) -> Result<Self, Error> {
        let end = deadline(Instant::now(), limits.connect);
        let outcome = read_head(&mut inner, first, end).map_err(|error| failed(limits, &error))?;
        let (head, rest) = outcome;
        let asked = head::request(&head).and_then(|(request, key)| match &request.origin {
            Some(origin) if !origins.allow(Some(origin), request.host.as_deref()) => {
                Err(Refusal::origin(origin))
            }
            _ => Ok((request, key)),
        });
        let (answer, result) = match asked {
            Ok((request, key)) => (head::accepted(&key), Ok(request)),
            Err(refusal) => (refusal.answer(), Err(refusal.reason)),
        };
        write_all(&mut inner, &answer, end).map_err(|error| failed(limits, &error))?;
        match result {
            Ok(request) => Ok(Self::new(inner, request, rest, None)),
            Err(reason) => {
                inner.shutdown();
                Err(failed(limits, &io::Error::new(io::ErrorKind::InvalidData, reason)))
            }
        }
    }

    /// Negotiates as the connecting side, within [`Limits::connect`]: asks for `target` (such as `/`) at
    /// `host` (with its port, if it is not the usual one).
    ///
    /// # Errors
    /// [`Error::Transport`] if the server refuses, [`Error::TimedOut`], and what the transport reports.
    pub fn connect(
        mut inner: T,
        host: &str,
        target: &str,
        limits: &Limits,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, Error> {
        let visible = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        if !visible(host) || !visible(target) || !target.starts_with('/') {
            return Err(Error::misuse("a host or a path of a WebSocket with characters that none has"));
        }
        let (mut key, mut seed) = ([0; 16], [0; 32]);
        rng.fill_bytes(&mut key);
        rng.fill_bytes(&mut seed);
        let end = deadline(Instant::now(), limits.connect);
        let outcome = write_all(&mut inner, &head::ask(host, target, &key), end)
            .and_then(|()| read_head(&mut inner, Vec::new(), end));
        let (head, rest) = outcome.map_err(|error| failed(limits, &error))?;
        head::answer(&head, &key)
            .map_err(|reason| failed(limits, &io::Error::new(io::ErrorKind::InvalidData, reason)))?;
        let request = Request { target: target.to_owned(), host: Some(host.to_owned()), origin: None };
        let masks = blake3::Hasher::new_keyed(&seed).finalize_xof();
        Ok(Self::new(inner, request, rest, Some(masks)))
    }

    fn new(inner: T, request: Request, input: Vec<u8>, masks: Option<blake3::OutputReader>) -> Self {
        Self {
            inner,
            request,
            decoder: Decoder::new(masks.is_none()),
            input,
            taken: 0,
            output: Vec::new(),
            sent: 0,
            ping: None,
            masks,
            closing: false,
            ended: false,
        }
    }

    /// What the client asked for.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The transport below.
    pub fn inner(&self) -> &T {
        &self.inner
    }

    /// Queues a frame.
    fn put(&mut self, kind: Kind, payload: &[u8]) {
        let mask = self.masks.as_mut().map(|masks| {
            let mut mask = [0; 4];
            masks.fill(&mut mask);
            mask
        });
        kind.put(payload, mask, &mut self.output);
    }

    /// Whether frames wait to be passed on.
    fn is_pending(&self) -> bool {
        self.sent < self.output.len() || self.ping.is_some()
    }

    /// Passes frames on. Returns whether all of them have gone.
    fn push(&mut self) -> io::Result<bool> {
        loop {
            while let Some(rest) = self.output.get(self.sent..).filter(|rest| !rest.is_empty()) {
                match self.inner.try_write(rest)? {
                    Some(count) => self.sent += count,
                    None => return Ok(false),
                }
            }
            self.output.clear();
            self.sent = 0;
            match self.ping.take() {
                Some(_) if self.closing => {}
                Some(payload) => self.put(Kind::Pong, &payload),
                None => return Ok(true),
            }
        }
    }

    /// Queues a Close, after which this party sends nothing.
    fn close(&mut self, code: u16) {
        if !core::mem::replace(&mut self.closing, true) {
            self.put(Kind::Close, &code.to_be_bytes());
        }
    }

    /// Payload of frames that have arrived, `None` if there is none.
    fn content(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        while !self.ended && self.taken < self.input.len() {
            let input = self.input.get(self.taken..).unwrap_or_default();
            let step = match self.decoder.decode(input, out) {
                Ok(step) => step,
                Err(Flaw(what)) => {
                    self.close(PROTOCOL_ERROR);
                    // If it cannot be written now, the peer only sees the stream end.
                    let _ = self.push();
                    return Err(io::Error::new(io::ErrorKind::InvalidData, format!("WebSocket: {what}")));
                }
            };
            self.taken += step.read;
            match step.control {
                Some(Control::Close) => {
                    self.ended = true;
                    self.close(NORMAL);
                }
                Some(Control::Ping(payload)) => self.ping = Some(payload),
                Some(Control::Pong) | None => {}
            }
            if step.written > 0 {
                return Ok(Some(step.written));
            }
        }
        Ok(self.ended.then_some(0))
    }
}

impl<T: Transport> Transport for WebSocket<T> {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        for _ in 0..PULLS {
            let content = self.content(out)?;
            // Answers to the peer's frames must not pile up.
            self.push()?;
            if content.is_some() {
                return Ok(content);
            }
            self.input.resize(INPUT, 0);
            self.taken = 0;
            let read = self.inner.try_read(&mut self.input);
            self.input.truncate(read.as_ref().map_or(0, |read| read.unwrap_or(0)));
            match read? {
                Some(0) => self.ended = true,
                Some(_) => {}
                None => return Ok(None),
            }
        }
        // Unread bytes stay in the transport below, where the next wait finds them.
        self.content(out)
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        if self.closing {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if !self.push()? {
            return Ok(None);
        }
        let part = bytes.get(..MESSAGE).unwrap_or(bytes);
        self.put(Kind::Data, part);
        self.push()?;
        Ok(Some(part.len()))
    }

    fn try_flush(&mut self) -> io::Result<bool> {
        Ok(self.push()? && self.inner.try_flush()?)
    }

    fn wait(&mut self, interest: Interest, deadline: Instant) -> io::Result<bool> {
        let inner = match (interest, self.is_pending()) {
            (Interest::Write | Interest::Either, false) => return Ok(true),
            (Interest::Read, true) => Interest::Either,
            (interest, _) => interest,
        };
        self.inner.wait(inner, deadline)
    }

    /// Sends a Close. The peer answers it, and the stream ends after what the peer has sent before: a receive
    /// after [`Framed::finish`](crate::Framed::finish) waits for that.
    fn shutdown(&mut self) {
        self.close(NORMAL);
        // The peer may be gone already; then there is nobody left to tell.
        let _ = self.push();
        self.inner.shutdown();
    }

    fn needs_linger(&self) -> bool {
        self.inner.needs_linger()
    }

    fn binding(&self) -> Option<[u8; 32]> {
        None
    }
}

/// Reads a head until `end`. Returns it and what follows it.
fn read_head(inner: &mut impl Transport, first: Vec<u8>, end: Instant) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut head = first;
    let mut chunk = [0; 1024];
    loop {
        if let Some(length) = head::length(&head) {
            let rest = head.split_off(length);
            return Ok((head, rest));
        }
        if head.len() >= MAX_HEAD {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the head of the request is too long"));
        }
        // The deadline holds even while bytes come.
        if Instant::now() >= end {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match inner.try_read(&mut chunk)? {
            Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Some(count) => head.extend_from_slice(chunk.get(..count).unwrap_or_default()),
            None if inner.wait(Interest::Read, end)? => {}
            None => return Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

/// Writes all of `bytes` until `end`.
fn write_all(inner: &mut impl Transport, mut bytes: &[u8], end: Instant) -> io::Result<()> {
    loop {
        if !bytes.is_empty()
            && let Some(count) = inner.try_write(bytes)?
        {
            bytes = bytes.get(count..).unwrap_or_default();
            continue;
        }
        if bytes.is_empty() && inner.try_flush()? {
            return Ok(());
        }
        if Instant::now() >= end || !inner.wait(Interest::Write, end)? {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
}

/// The error for a handshake that failed.
fn failed(limits: &Limits, error: &io::Error) -> Error {
    let operation = Operation::WebSocketHandshake;
    match error.kind() {
        io::ErrorKind::TimedOut => Error::TimedOut { step: tags::HELLO, operation, after: limits.connect },
        _ => Error::transport(operation, error),
    }
}

#[cfg(test)]
mod tests;
