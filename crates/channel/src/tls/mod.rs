//! TLS 1.3 over any transport; the result is a transport again.
//!
//! The prover and the verifier need no certificates for soundness or zero knowledge, but a network attacker
//! could read the claim, end the session, or stand between the parties. TLS prevents that. The listening side
//! authenticates itself in one of two ways, and the connecting side demands one of them ([`Trust`]):
//!
//! * a certificate, issued by a known authority or known by its fingerprint;
//! * an Ed25519 public key alone, without a certificate (RFC 7250): for peers that know the key anyway.
//!
//! Sessions are never resumed, so each one checks the certificate or key. TLS 1.3 is the only version
//! offered.
//!
//! **Relays.** Whoever holds the listening side's key, or a certificate that the connecting side trusts,
//! could still end TLS on both sides and pass all messages on. A proof made for the relay would then convince
//! somebody else. So each session is bound to its connection: TLS exports a value from the secrets of this
//! very connection (RFC 8446, section 7.5; an exporter for channel binding, as in RFC 9266), and the value
//! enters the [`handshake`](crate::handshake). Both `Hello`s hold its hash, the parties compare them, and the
//! session's identifier depends on it. The two connections of a relay export different values. A relay can
//! change what each party hears from the other, but not what a party exports itself. So the two parties have
//! different identifiers at best, and no hash of their protocols agrees. For the same reason, a TLS end point
//! in front of a verifier that itself listens without TLS is refused.

mod config;
mod pin;
mod raw_key;

use std::io::{self, Read, Write};
use std::sync::Arc;

pub use config::{Trust, client_config, raw_key_server_config, raw_public_key, server_config};
pub use pin::Fingerprint;
pub use rustls::{ClientConfig, ServerConfig};
use rustls::{ClientConnection, Connection, ServerConnection, pki_types::ServerName};

use crate::error::{Error, Operation};
use crate::limits::{Limits, deadline};
use crate::platform::Instant;
use crate::tag::tags;
use crate::transport::{Interest, Transport};

/// A TLS connection, negotiated, over transport `T`.
#[derive(Debug)]
pub struct Tls<T: Transport> {
    inner: T,
    session: Connection,
    /// The identifier of this connection; zeros during negotiation.
    binding: [u8; 32],
}

/// The label of the exported value.
const EXPORTER: &[u8] = b"EXPORTER-Volery-Session";

/// How often one [`try_read`](Transport::try_read) reads from the transport below: enough for several full
/// records. A bound is necessary: a peer may send records without content for as long as it likes, and only
/// the caller has a deadline.
const PULLS: usize = 16;

impl<T: Transport> Tls<T> {
    /// Negotiates as the connecting side, within [`Limits::connect`]. A certificate must be for the host name
    /// `server`; with a pinned certificate, any valid name will do.
    ///
    /// # Errors
    /// [`Error::Tls`] if the peer's certificate or protocol is not acceptable, [`Error::TimedOut`], and what
    /// the transport reports.
    pub fn connect(
        inner: T,
        config: Arc<ClientConfig>,
        server: &str,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let name = ServerName::try_from(server.to_owned())
            .map_err(|_| Error::Tls(format!("`{}` is no host name", server.escape_debug())))?;
        let session = ClientConnection::new(config, name).map_err(|error| Error::Tls(error.to_string()))?;
        Self::negotiate(inner, session.into(), limits)
    }

    /// Negotiates as the listening side, within [`Limits::connect`].
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub fn accept(inner: T, config: Arc<ServerConfig>, limits: &Limits) -> Result<Self, Error> {
        let session = ServerConnection::new(config).map_err(|error| Error::Tls(error.to_string()))?;
        Self::negotiate(inner, session.into(), limits)
    }

    /// The transport below.
    pub fn inner(&self) -> &T {
        &self.inner
    }

    /// Whether the parties agreed on what comes next (ALPN): a WebSocket (`true`), or frames of this protocol
    /// (`false`). None if the client offered nothing.
    #[must_use]
    pub fn is_http(&self) -> Option<bool> {
        self.session.alpn_protocol().map(|protocol| protocol == config::HTTP)
    }

    fn negotiate(inner: T, session: Connection, limits: &Limits) -> Result<Self, Error> {
        let mut tls = Self { inner, session, binding: [0; 32] };
        let end = deadline(Instant::now(), limits.connect);
        match tls.handshake(end) {
            Ok(true) => {
                let exported = tls.session.export_keying_material([0; 32], EXPORTER, None);
                tls.binding = exported.map_err(|error| Error::Tls(error.to_string()))?;
                Ok(tls)
            }
            Ok(false) => Err(Error::TimedOut {
                step: tags::HELLO,
                operation: Operation::TlsHandshake,
                after: limits.connect,
            }),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(Error::Tls(error.to_string())),
            Err(error) => Err(Error::transport(Operation::TlsHandshake, &error)),
        }
    }

    /// Negotiates until `end`. Returns whether it completed.
    fn handshake(&mut self, end: Instant) -> io::Result<bool> {
        loop {
            let flushed = self.push()?;
            if flushed && !self.session.is_handshaking() {
                return Ok(true);
            }
            // The deadline holds even while bytes come: a peer that sends without end gets no more time.
            if Instant::now() >= end {
                return Ok(false);
            }
            if self.session.is_handshaking() && self.pull()? {
                continue;
            }
            let interest = if flushed { Interest::Read } else { Interest::Either };
            if !self.inner.wait(interest, end)? {
                return Ok(false);
            }
        }
    }

    /// Passes records on to the transport. Returns whether all of them went out.
    fn push(&mut self) -> io::Result<bool> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut Blocking(&mut self.inner)) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Reads records. Returns whether there were any bytes.
    fn pull(&mut self) -> io::Result<bool> {
        match self.session.read_tls(&mut Blocking(&mut self.inner)) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => self.process().map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns content of records that have arrived, `None` if there is none.
    fn content(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        match self.session.reader().read(out) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            other => other.map(Some),
        }
    }

    fn process(&mut self) -> io::Result<()> {
        self.session.process_new_packets().map(drop).map_err(|error| {
            // The alert tells the peer what is wrong. If it cannot be written now, the peer only sees the
            // stream end.
            let _ = self.push();
            io::Error::new(io::ErrorKind::InvalidData, error)
        })
    }
}

impl<T: Transport> Transport for Tls<T> {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        for _ in 0..PULLS {
            if let Some(count) = self.content(out)? {
                return Ok(Some(count));
            }
            // Answers to the peer's records, like key updates, must not pile up.
            self.push()?;
            if !self.pull()? {
                return Ok(None);
            }
        }
        // Unread bytes stay in the transport below, where the next wait finds them.
        self.content(out)
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        if !self.push()? {
            return Ok(None);
        }
        let count = self.session.writer().write(bytes)?;
        self.push()?;
        Ok((count > 0).then_some(count))
    }

    fn try_flush(&mut self) -> io::Result<bool> {
        Ok(self.push()? && self.inner.try_flush()?)
    }

    fn wait(&mut self, interest: Interest, deadline: Instant) -> io::Result<bool> {
        let inner = match (interest, self.session.wants_write()) {
            (Interest::Write | Interest::Either, false) => return Ok(true),
            (Interest::Read, true) => Interest::Either,
            (interest, _) => interest,
        };
        self.inner.wait(inner, deadline)
    }

    fn shutdown(&mut self) {
        self.session.send_close_notify();
        // The peer may be gone already; then there is nobody left to tell.
        let _ = self.push();
        self.inner.shutdown();
    }

    fn needs_linger(&self) -> bool {
        self.inner.needs_linger()
    }

    fn binding(&self) -> Option<[u8; 32]> {
        Some(self.binding)
    }
}

/// A transport that behaves like a non-blocking socket of the standard library, which is what rustls expects.
struct Blocking<'a, T>(&'a mut T);

impl<T: Transport> Read for Blocking<'_, T> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(out)?.ok_or_else(|| io::ErrorKind::WouldBlock.into())
    }
}

impl<T: Transport> Write for Blocking<'_, T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)?.ok_or_else(|| io::ErrorKind::WouldBlock.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
