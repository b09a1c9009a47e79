//! The connection to a server that V carries, for a P that reaches nobody else: see [`relay`].

use std::io::{self, Read, Write};

use super::{ConnectionLimits, Failure, Socket};
use crate::modes::joint::provider::Session;
use crate::modes::joint::{Engine, Error};
use crate::modes::relay::{self, Line, Stream};
use crate::wire::transcript;

/// A connection that V carries over the session's channel, which the engine has.
pub struct Carried(Stream<CurrentEngine>);

impl Carried {
    /// Has V connect to a server. V waits for it as long as its rules allow, and at most as long as P's
    /// limits.
    ///
    /// # Errors
    /// [`Error::Connection`] for what V finds; the engine's.
    pub fn open(
        engine: &mut dyn Engine,
        host: &str,
        port: u16,
        limits: &ConnectionLimits,
    ) -> Result<Self, Error> {
        let mut asked = Ok(());
        let line = This { engine, asked: &mut asked };
        let opened = Stream::open(line, host, port, limits.received, limits.idle);
        let opened = opened.map(|stream| stream.over(CurrentEngine));
        asked?;
        Ok(Self(opened.map_err(Failure::from)?))
    }
}

impl core::fmt::Debug for Carried {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Carried").finish_non_exhaustive()
    }
}

impl Read for Carried {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

impl Write for Carried {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Socket for Carried {
    fn end_if_quiet(&mut self) -> io::Result<()> {
        self.0.end()
    }
}

impl Drop for Carried {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// An engine at hand, and its error.
struct This<'a> {
    engine: &'a mut dyn Engine,
    asked: &'a mut Result<(), Error>,
}

impl Line for This<'_> {
    fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>, relay::Error> {
        self.engine.carry(request, true).map_err(|error| {
            *self.asked = Err(error);
            latched()
        })
    }

    fn tell(&mut self, request: &[u8]) -> Result<(), relay::Error> {
        self.ask(request).map(drop)
    }
}

/// The engine of the session that this thread has. It latches its errors.
struct CurrentEngine;

impl CurrentEngine {
    fn carry(&self, request: &[u8], answered: bool) -> Result<Vec<u8>, relay::Error> {
        let session = Session::current().map_err(|_| latched())?;
        session.ask(|engine| engine.carry(request, answered)).map_err(|_| latched())
    }
}

impl Line for CurrentEngine {
    fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>, relay::Error> {
        self.carry(request, true)
    }

    fn tell(&mut self, request: &[u8]) -> Result<(), relay::Error> {
        self.carry(request, false).map(drop)
    }
}

/// What the relay is told; the session, or the caller, has the error itself.
fn latched() -> relay::Error {
    volery_channel::Error::misuse("the two parties failed").into()
}

/// Why a connection that V carries failed.
impl From<relay::Error> for Failure {
    fn from(error: relay::Error) -> Self {
        match error {
            relay::Error::Server(relay::Failure::Time) => Self::Time,
            relay::Error::Server(failure) => Self::Carried(failure),
            relay::Error::HelloRetry => transcript::Error::HelloRetry.into(),
            relay::Error::Malformed { reason, .. } => Self::Carrier(reason),
            // Its own error is the session's.
            relay::Error::Channel(_) => Self::Broken(io::ErrorKind::ConnectionAborted),
        }
    }
}
