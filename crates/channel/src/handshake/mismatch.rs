//! Why two honest parties cannot work together.

use super::Role;
use crate::frame::HEADER_LEN;
use crate::hex;

/// The parties want different sessions. Each reason is a variant of its own and says what to compare.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// The other side does not speak this protocol at all.
    #[error("the peer does not speak Volery: its first bytes are {}; check the address", show(.first))]
    NotVolery {
        /// The first bytes that came, at most 13.
        first: Vec<u8>,
    },
    /// The peer speaks another version of the protocol.
    #[error("the peer speaks wire version {theirs}, this party {ours}: both need the same version of Volery")]
    Version {
        /// This party's wire version.
        ours: u16,
        /// The peer's version.
        theirs: u16,
    },
    /// Both sides are provers, or both are verifiers.
    #[error("both parties are the {0}: one has to be the prover, the other the verifier")]
    SameRole(Role),
    /// This party's own nonce came back: it is connected to itself, or somebody returns its messages.
    #[error("this party's own hello came back: it is connected to itself, or its messages are reflected")]
    Reflected,
    /// The parties are configured differently.
    #[error(
        "the parties differ in the parameter `{name}`: this party has {}, the peer {}",
        value(.ours), value(.theirs)
    )]
    Parameter {
        /// The parameter that differs; if there are several, the one that says most about the reason.
        name: String,
        /// This party's value, if it has one.
        ours: Option<String>,
        /// The peer's value.
        theirs: Option<String>,
    },
    /// The parties are about to prove different things, in the same way.
    #[error(
        "the parties name different statements (digest {} here, {} at the peer): \
         both must name the same statement, public inputs and version",
        hex::short(.ours), hex::short(.theirs)
    )]
    Statement {
        /// The digest of this party's statement.
        ours: [u8; 32],
        /// The digest of the peer's statement.
        theirs: [u8; 32],
    },
}

impl Mismatch {
    /// A [`Mismatch::NotVolery`] from the bytes that were read as a frame header, and those that followed.
    pub(super) fn not_volery(tag: u8, length: u32, payload: &[u8]) -> Self {
        let header = crate::frame::Header { tag, length }.encode();
        Self::NotVolery { first: header.iter().chain(payload).take(HEADER_LEN + 8).copied().collect() }
    }
}

fn show(bytes: &[u8]) -> String {
    // A TLS record: handshake or alert, then the major version 3.
    let hint =
        if matches!(bytes, [0x15 | 0x16, 3, ..]) { " (it speaks TLS, this party does not)" } else { "" };
    format!("\"{}\"{hint}", bytes.escape_ascii())
}

fn value(text: &Option<String>) -> String {
    text.as_ref().map_or_else(|| "no such parameter".into(), |text| format!("`{text}`"))
}
