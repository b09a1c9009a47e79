//! Why bytes are not a connection about which anything can be proved.

use volery_channel::Flaw;

use crate::wire::prf::Side;

/// Why the recorded bytes of a connection are not a transcript about which anything can be proved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A direction ends within a record or before the handshake is complete.
    #[error("the bytes of the {} end within {what}: the connection was cut, or not all of it was recorded", name(*side))]
    Truncated {
        /// The sender of the bytes.
        side: Side,
        /// The part in which they end.
        what: &'static str,
    },
    /// Bytes that are not TLS.
    #[error("{} of the {}: {reason}", what, name(*side))]
    Malformed {
        /// The sender of the bytes.
        side: Side,
        /// The record or message.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A message that is not allowed here.
    #[error("the {} sent {found} where {expected} must come", name(*side))]
    Unexpected {
        /// The sender.
        side: Side,
        /// The message that must come here.
        expected: &'static str,
        /// The kind of record or message that came, by number if it is unknown.
        found: String,
    },
    /// Something that may have any size in principle, and is larger than in any real use.
    #[error("{what} of the {}: {found}, and at most {limit} are read", name(*side))]
    Limit {
        /// The sender of the bytes.
        side: Side,
        /// The name of what is too large.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// The server speaks a version other than TLS 1.2; `0x0304` is TLS 1.3.
    #[error("the server chose {}, and only TLS 1.2 can be proved in this mode; configure the client for TLS 1.2", version(*.0))]
    Version(u16),
    /// The server refuses TLS 1.2.
    #[error(
        "the server refuses TLS 1.2 (alert protocol_version): it speaks TLS 1.3 only, which takes proxy mode"
    )]
    OnlyNewer,
    /// The server speaks an older version than TLS 1.3, which was to be read; `0x0303` is TLS 1.2.
    #[error("the server chose {}, and TLS 1.3 was asked for", version(*.0))]
    Older(u16),
    /// The server refuses TLS 1.3.
    #[error("the server refuses TLS 1.3 (alert protocol_version): it speaks older versions only")]
    OnlyOlder,
    /// A party ended the handshake.
    #[error("the {} ended the handshake with alert {description} of level {level}", name(*side))]
    Alert {
        /// The side that did it.
        side: Side,
        /// 1: a warning, 2: fatal.
        level: u8,
        /// The alert's number (RFC 5246, section 7.2).
        description: u8,
    },
    /// The server chose another cipher suite.
    #[error(
        "the server chose cipher suite {0:#06x}; only AES_128_GCM_SHA256, AES_256_GCM_SHA384 and CHACHA20_POLY1305_SHA256 can be \
         proved: 0x1301 to 0x1303 in TLS 1.3; 0xc02b, 0xc02c, 0xc02f, 0xc030, 0xcca8, 0xcca9 in TLS 1.2"
    )]
    Suite(u16),
    /// The server's key exchange is in another group.
    #[error(
        "the server chose group {0:#06x} for the key exchange; only secp256r1 (0x0017) and x25519 (0x001d) can be proved"
    )]
    Group(u16),
    /// The scheme of the server's signature is not accepted, or not in this version or with this suite.
    #[error(
        "the server signed with scheme {0:#06x}, which is not accepted with its version of TLS and cipher suite"
    )]
    Scheme(u16),
    /// The session continues an earlier one, in which the server proves nothing about itself.
    #[error("the session is resumed, so the server did not sign it; connect without session resumption")]
    Resumed,
    /// A session ticket.
    #[error("the server sent a session ticket; connect with session resumption switched off")]
    Ticket,
    /// The connection was renegotiated, or one side asked for it.
    #[error("the {} began a second handshake; connections with renegotiation can't be proved", name(*.0))]
    Renegotiation(Side),
    /// The server asked the client for another hello.
    #[error(
        "the server asked for another ClientHello (HelloRetryRequest), and connections with that can't be proved. A server is not to ask \
         a client that offers a key on each of secp256r1 and x25519, as this program does: it wants another group, or somebody on the way \
         interferes"
    )]
    HelloRetry,
    /// The client offered to continue an earlier session.
    #[error("the client offered a pre-shared key; connect without session resumption")]
    PreSharedKey,
    /// Data in the first flight.
    #[error("the {} sent or accepted early data, which nothing protects from repetition; connect without it", name(*.0))]
    EarlyData(Side),
    /// The client encrypted its hello.
    #[error(
        "the client encrypted its hello (ECH), so the host that it asked for does not show; connect without"
    )]
    EncryptedClientHello,
    /// The client offered to name itself after the handshake.
    #[error("the client offered to show a certificate after the handshake; connect without that offer")]
    PostHandshakeAuth,
    /// The server compressed its certificates.
    #[error("the server compressed its certificates; connect without offering that")]
    CompressedCertificate,
    /// In TLS 1.3, the server asked for a certificate of the client's.
    #[error(
        "the server asked for a certificate of the client's; in TLS 1.3 no connection with that can be proved. If the server only asks, and \
         speaks TLS 1.2, too: --tls 1.2"
    )]
    CertificateRequest,
    /// A party changed its keys.
    #[error("the {} changed its keys (KeyUpdate); connections with that can't be proved", name(*.0))]
    KeyUpdate(Side),
    /// A record of the handshake does not open.
    #[error(
        "record {sequence} of the handshake of the {} does not open with the secret that was given: it is that of another connection, \
         or bytes were changed",
        name(*side)
    )]
    Sealed {
        /// The sender of the record.
        side: Side,
        /// Its number among the protected records of its direction.
        sequence: u64,
    },
    /// A Finished message is wrong.
    #[error("the Finished message of the {} does not fit the handshake", name(*.0))]
    Finished(Side),
    /// The client sent a certificate of its own.
    #[error("the client sent a certificate, which would show who it is; connect without one")]
    ClientCertificate,
}

impl Error {
    pub(super) fn malformed(side: Side, what: &'static str, reason: impl core::fmt::Display) -> Self {
        Self::Malformed { side, what, reason: reason.to_string() }
    }

    /// For `map_err` on reads of a message.
    pub(super) fn in_message(side: Side, what: &'static str) -> impl Fn(Flaw) -> Self {
        move |flaw| Self::malformed(side, what, flaw)
    }

    pub(super) fn unexpected(side: Side, expected: &'static str, found: impl Into<String>) -> Self {
        Self::Unexpected { side, expected, found: found.into() }
    }
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Client => "client",
        Side::Server => "server",
    }
}

fn version(version: u16) -> String {
    match version {
        0x0300 => "SSL 3.0".into(),
        0x0301..=0x0304 => format!("TLS 1.{}", version - 0x0301),
        _ => format!("protocol version {version:#06x}"),
    }
}
