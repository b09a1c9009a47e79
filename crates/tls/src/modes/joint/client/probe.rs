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

use std::io::{Read, Write};
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::ServerName;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConnection, ProtocolVersion};

use super::{Failure, Target};
use crate::modes::joint::provider;
use crate::wire::prf::Random;
use crate::wire::rustls_client;
use crate::wire::server;
use crate::wire::suite::Suite;
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
/// As [`converse`](super::converse), for a server that chooses nothing that can be proved, is not trusted, or
/// does not agree on HTTP.
pub fn probe<S: Read + Write>(
    mut stream: S,
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
        kx_groups: vec![ring::kx_group::X25519, ring::kx_group::SECP256R1],
        signature_verification_algorithms: provider::SIGNATURES,
        ..ring::default_provider()
    };
    let config = rustls_client::config(provider, &versions, target.roots).map_err(failed)?;
    let name = server::canonical_name(target.host).map_err(|_| Failure::Name)?;
    let name = ServerName::try_from(name).map_err(|_| Failure::Name)?;
    let mut connection = ClientConnection::new(Arc::new(config), name).map_err(failed)?;
    while connection.is_handshaking() {
        let chosen = connection.negotiated_cipher_suite().is_some();
        connection.complete_io(&mut stream).map_err(|error| {
            let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
            match inner {
                Some(inner) => Failure::new(inner.clone(), asked, chosen),
                None if error.kind() == std::io::ErrorKind::UnexpectedEof => Failure::Closed,
                None => super::wire::failed(&error),
            }
        })?;
    }
    let version = match connection.protocol_version() {
        Some(ProtocolVersion::TLSv1_3) => TlsVersion::Tls13,
        _ => TlsVersion::Tls12,
    };
    // rustls refuses a protocol that was not offered.
    if connection.alpn_protocol().is_none() && !target.no_alpn {
        return Err(Failure::NoProtocol);
    }
    // The server may have gone already, and nothing depends on it.
    connection.send_close_notify();
    let _ = connection.write_tls(&mut stream);
    Ok(Probe { version, suite })
}
