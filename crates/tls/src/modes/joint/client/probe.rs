//! Which version of TLS and which cipher suite a server chooses, before anything is prepared for it.
//!
//! Circuits are garbled before a connection is opened, and those of versions and suites differ. So P first
//! makes a handshake of its own, offers what can be proved, and closes the connection. It says nothing on it.
//! Along the way it finds out whether the server can be served at all, and is to be trusted, before the
//! set-up is paid.
//!
//! # The downgrade sentinel
//!
//! Somebody on the way can change what the probe finds out. Each connection is as secure as its version, and
//! both versions are accepted, but P should not be made to speak the older one unnoticed. A server of TLS 1.3
//! that is asked for TLS 1.2 alone writes a sentinel into the last bytes of its random (RFC 8446, section
//! 4.1.3), which it signs. So a connection of TLS 1.2 that follows a [`Probe`] must not have the sentinel.
//! Where the user asks for TLS 1.2, it proves nothing: there such a server always writes it.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::ServerName;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConnection, ProtocolVersion};

use super::{Failure, Target};
use crate::modes::joint::provider;
use crate::wire::library;
use crate::wire::prf::Random;
use crate::wire::rustls_client::{self, CertificateRequests, exchange};
use crate::wire::server;
use crate::wire::suite::Suite;
use crate::wire::transcript::{self, tls13};
use crate::wire::version::TlsVersion;

/// The last bytes of the random of a server that speaks TLS 1.3 and was asked for TLS 1.2.
const SENTINEL: [u8; 8] = *b"DOWNGRD\x01";

/// Whether a server's random says that the server speaks TLS 1.3.
pub(in crate::modes::joint) fn has_sentinel(random: &Random) -> bool {
    random.ends_with(&SENTINEL)
}

/// What a server chose among all that can be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Its version of TLS.
    pub version: TlsVersion,
    /// Its cipher suite.
    pub suite: Suite,
}

/// Asks the server on `stream`, which must be open, whether it would choose this version, or either, and this
/// suite, by a handshake that comes to nothing.
///
/// One suite is asked for at a time, the cheapest first, because a server that has several may prefer one
/// that costs two parties twice as much.
///
/// # Errors
/// As [`converse`](super::converse), for a server that chooses nothing that can be proved, is not trusted,
/// asks for a certificate of the client's where that cannot be proved, asks for another hello, or does not
/// agree on HTTP.
pub fn probe<S: Read + Write>(
    stream: S,
    target: &Target<'_>,
    version: Option<TlsVersion>,
    suite: Suite,
) -> Result<Probe, Failure> {
    let asked = version.unwrap_or(TlsVersion::Tls12);
    let failed = |error| Failure::new(error, asked, false);
    let versions = match version {
        Some(TlsVersion::Tls12) => vec![&TLS12],
        Some(TlsVersion::Tls13) => vec![&TLS13],
        None => vec![&TLS13, &TLS12],
    };
    let provider = CryptoProvider {
        cipher_suites: [TlsVersion::Tls13, TlsVersion::Tls12]
            .into_iter()
            .flat_map(|version| rustls_client::suites(version, &[suite]))
            .collect(),
        // Keys of both groups, as in the connection itself: a server that asks for another hello now would
        // do it then.
        kx_groups: exchange::groups(),
        signature_verification_algorithms: provider::SIGNATURES,
        ..library::default_provider()
    };
    let mut config = rustls_client::config(provider, &versions, target.roots).map_err(failed)?;
    let requests = CertificateRequests::of(&mut config);
    let name = server::canonical_name(target.host).map_err(|_| Failure::Name)?;
    let name = ServerName::try_from(name).map_err(|_| Failure::Name)?;
    let mut connection = ClientConnection::new(Arc::new(config), name).map_err(failed)?;
    let mut stream = Start { stream, start: Vec::new() };
    let shaken = shake_hands(&mut connection, &mut stream);
    // What the key exchange gave is for nobody.
    drop(exchange::take());
    if tls13::asks_for_another_hello(&stream.start) {
        return Err(transcript::Error::HelloRetry.into());
    }
    shaken.map_err(|error| {
        let chosen = connection.negotiated_cipher_suite().is_some();
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        match inner {
            Some(inner) => Failure::after(inner.clone(), asked, chosen, &requests),
            None if error.kind() == ErrorKind::UnexpectedEof => Failure::Closed,
            None => super::wire::failed(&error),
        }
    })?;
    let version = match connection.protocol_version() {
        Some(ProtocolVersion::TLSv1_3) => TlsVersion::Tls13,
        _ => TlsVersion::Tls12,
    };
    if version == TlsVersion::Tls13 && requests.any() {
        return Err(transcript::Error::CertificateRequest.into());
    }
    // rustls refuses a protocol that was not offered.
    if connection.alpn_protocol().is_none() && !target.no_alpn {
        return Err(Failure::NoProtocol);
    }
    // The server may have gone already, and nothing depends on it.
    connection.send_close_notify();
    let _ = connection.write_tls(&mut stream);
    Ok(Probe { version, suite })
}

/// Runs a handshake, up to a request for another hello.
fn shake_hands<S: Read + Write>(connection: &mut ClientConnection, stream: &mut Start<S>) -> io::Result<()> {
    while connection.is_handshaking() && !tls13::asks_for_another_hello(&stream.start) {
        if connection.wants_write() {
            connection.write_tls(stream)?;
            continue;
        }
        if connection.read_tls(stream)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if tls13::asks_for_another_hello(&stream.start) {
            break;
        }
        if let Err(error) = connection.process_new_packets() {
            // The alert tells the server why; if it cannot be sent, nothing is lost.
            let _ = connection.write_tls(stream);
            return Err(io::Error::new(ErrorKind::InvalidData, error));
        }
    }
    Ok(())
}

/// A stream, and the first bytes that were read from it.
struct Start<S> {
    stream: S,
    start: Vec<u8>,
}

/// As many bytes as show what a ServerHello is.
const START_BYTES: usize = 64;

impl<S: Read> Read for Start<S> {
    fn read(&mut self, place: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(place)?;
        let wanted = START_BYTES.saturating_sub(self.start.len()).min(count);
        self.start.extend_from_slice(place.get(..wanted).unwrap_or_default());
        Ok(count)
    }
}

impl<S: Write> Write for Start<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
