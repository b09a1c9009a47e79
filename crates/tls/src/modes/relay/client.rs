//! P's side: a stream of bytes to the server through V.

use std::io::{self, Read, Write};
use std::time::Duration;

use volery_channel::Channel;
use volery_channel::tags::{CARRY_ANSWER, CARRY_REQUEST, RELAY_ANSWER, RELAY_REQUEST};
use zeroize::Zeroizing;

use super::{CLOSE, DATA, DONE, END, EXCHANGE, Error, FAILED, Failure, LEAVE, MAX_CHUNK, OPEN, WRITE};
use crate::wire::transcript::tls13;

/// The way of P's requests to V.
pub trait Line {
    /// Makes a request. Returns the answer.
    ///
    /// # Errors
    /// Those of the way.
    fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>, Error>;

    /// Makes a request that has no answer. It may leave with the next message.
    ///
    /// # Errors
    /// Those of the way.
    fn tell(&mut self, request: &[u8]) -> Result<(), Error>;
}

/// The way of proxy mode.
impl<C: Channel + ?Sized> Line for &mut C {
    fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>, Error> {
        self.send(RELAY_REQUEST, request)?;
        Ok(self.recv(RELAY_ANSWER, 1 + MAX_CHUNK)?.to_vec())
    }

    fn tell(&mut self, request: &[u8]) -> Result<(), Error> {
        Ok(self.send(RELAY_REQUEST, request)?)
    }
}

/// The way over a channel whose V [carries](super#carried-for-two-parties).
pub struct Carry<C>(pub C);

impl<C: Channel + ?Sized> Line for Carry<&mut C> {
    fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>, Error> {
        self.tell(request)?;
        Ok(self.0.recv(CARRY_ANSWER, 1 + MAX_CHUNK)?.to_vec())
    }

    fn tell(&mut self, request: &[u8]) -> Result<(), Error> {
        Ok(self.0.send(CARRY_REQUEST, request)?)
    }
}

/// A connection to a server through V, with a record of everything that went over it.
///
/// Written bytes are sent with the next read, not by [`Write::flush`]. So a write and the read that waits for
/// its answer take one round trip to V, however often a TLS library flushes in between.
pub struct Stream<L> {
    line: L,
    unsent: Zeroizing<Vec<u8>>,
    /// The start of the unread bytes in `received`.
    read: usize,
    sent: Vec<u8>,
    received: Vec<u8>,
    limit: usize,
    ended: bool,
    error: Option<Error>,
}

impl<L> Stream<L> {
    /// The same connection, whose requests go this way from now on.
    pub(in crate::modes) fn over<M>(self, line: M) -> Stream<M> {
        let Self { unsent, read, sent, received, limit, ended, error, .. } = self;
        Stream { line, unsent, read, sent, received, limit, ended, error }
    }
}

impl<L: Line> Stream<L> {
    /// Has V connect to a server. At most `limit` bytes are taken from it, and V waits at most this long for
    /// its next bytes, or less if its rules say so. `wait` is rounded up to seconds, from 1 to 65,535.
    ///
    /// # Errors
    /// [`Error::Server`] with V's error; the channel's.
    pub fn open(line: L, host: &str, port: u16, limit: usize, wait: Duration) -> Result<Self, Error> {
        let mut stream = Self {
            line,
            unsent: Zeroizing::default(),
            read: 0,
            sent: Vec::new(),
            received: Vec::new(),
            limit,
            ended: false,
            error: None,
        };
        let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1);
        let seconds = u16::try_from(seconds).unwrap_or(u16::MAX);
        stream.request(OPEN, &[&port.to_be_bytes()[..], &seconds.to_be_bytes(), host.as_bytes()].concat())?;
        Ok(stream)
    }

    /// Closes the connection. Returns all bytes that P and the server sent. Bytes that were written and not
    /// sent are dropped.
    ///
    /// # Errors
    /// An earlier error that ended the connection; as [`Stream::open`].
    pub fn close(mut self) -> Result<(Vec<u8>, Vec<u8>), Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        // Bytes that V took from the server and P has not asked for come first.
        while self.request(CLOSE, &[])? {}
        Ok((self.sent, self.received))
    }

    /// Ends P's direction, if the server is quiet.
    ///
    /// # Errors
    /// As of a read.
    pub(in crate::modes) fn end(&mut self) -> io::Result<()> {
        if !self.unsent.is_empty() {
            self.pass(WRITE)?;
        }
        self.pass(END)
    }

    /// Leaves the connection, whatever the server still has to say.
    pub(in crate::modes) fn leave(&mut self) {
        // If that fails the session is over, and the connection with it.
        let _ = self.line.tell(&[LEAVE]);
    }

    /// The error that ended the connection, if there was one. Callers that only see an [`io::Error`] need it.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// Sends the written bytes without waiting for an answer.
    #[cfg(test)]
    pub(in crate::modes) fn send(&mut self) -> Result<(), Error> {
        let unsent = core::mem::take(&mut self.unsent);
        self.pass_all(WRITE, &unsent)
    }

    /// Makes a request. Data in the answer goes to the record. Returns whether there was any.
    fn request(&mut self, kind: u8, payload: &[u8]) -> Result<bool, Error> {
        let message = Zeroizing::new([&[kind], payload].concat());
        let answer = self.line.ask(&message)?;
        let malformed = |reason| Error::Malformed { step: RELAY_ANSWER, reason };
        match (kind, &answer[..]) {
            // The end is reported once.
            (CLOSE, [DATA]) => Err(malformed("not an answer to this request")),
            (EXCHANGE | CLOSE, [DATA, data @ ..]) => {
                if self.received.len() + data.len() > self.limit {
                    return Err(Error::Server(Failure::Taken));
                }
                self.ended = data.is_empty();
                self.received.extend_from_slice(data);
                // A TLS library would answer it, and the server need not say anything more.
                if tls13::asks_for_another_hello(&self.received) {
                    return Err(Error::HelloRetry);
                }
                Ok(true)
            }
            (OPEN | WRITE | CLOSE | END, [DONE]) => Ok(false),
            (OPEN | WRITE | EXCHANGE | END, [FAILED, code]) => {
                let failure = Failure::from_code(*code).ok_or_else(|| malformed("an unknown failure"))?;
                Err(Error::Server(failure))
            }
            _ => Err(malformed("not an answer to this request")),
        }
    }

    /// Sends the written bytes, and waits for bytes from the server if `kind` says so.
    fn pass(&mut self, kind: u8) -> io::Result<()> {
        if let Some(error) = &self.error {
            return Err(io::Error::other(error.clone()));
        }
        let unsent = core::mem::take(&mut self.unsent);
        let result = self.pass_all(kind, &unsent);
        result.map_err(|error| {
            self.error = Some(error.clone());
            io::Error::other(error)
        })
    }

    fn pass_all(&mut self, kind: u8, mut bytes: &[u8]) -> Result<(), Error> {
        self.sent.extend_from_slice(bytes);
        while let Some((chunk, rest)) = bytes.split_at_checked(MAX_CHUNK).filter(|(_, rest)| !rest.is_empty())
        {
            self.request(WRITE, chunk)?;
            bytes = rest;
        }
        self.request(kind, bytes).map(drop)
    }
}

impl<L: Line> Read for Stream<L> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        if self.read == self.received.len() && !self.ended {
            self.pass(EXCHANGE)?;
        }
        let count = self.received.get(self.read..).unwrap_or_default().read(out)?;
        self.read += count;
        Ok(count)
    }
}

impl<L: Line> Write for Stream<L> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unsent.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
