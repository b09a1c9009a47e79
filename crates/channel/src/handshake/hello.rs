//! The first message of each party.

use std::fmt;

use rand_core::CryptoRng;

use super::{Mismatch, Parameters, refuse};
use crate::channel::Channel;
use crate::cursor::{Cursor, Flaw};
use crate::error::Error;
use crate::frame::{HEADER_LEN, Header};
use crate::tag::tags;

/// The version of everything that goes over the wire. Parties with different versions refuse each other.
pub const WIRE_VERSION: u16 = 2;

/// The parameter that names the TLS connection below, if there is one: 64 hexadecimal digits. [`Hello`] adds
/// it; no caller may.
pub const TLS: &str = "tls";

/// The first bytes of every `Hello`. The line break detects transports that convert text.
const MAGIC: [u8; 8] = *b"VOLERY\r\n";

/// Longest `Hello` accepted from a peer. It leaves room for later versions, whose hello must get as far as
/// the version check.
pub(crate) const MAX_LEN: usize = 1 << 16;

const _: () = assert!(8 + 2 + 1 + 32 + Parameters::MAX_LEN <= MAX_LEN);

/// Checks that `stream`, the first bytes from a peer, begins with a well-formed hello of this version. It may
/// still not fit this party's: [`Hello::receive`] finds out.
///
/// # Errors
/// [`Error::Incompatible`] with [`Mismatch::NotVolery`] or [`Mismatch::Version`]; [`Error::Malformed`].
pub(crate) fn begins(stream: &[u8]) -> Result<(), Error> {
    let Some((header, payload)) = stream.split_first_chunk::<HEADER_LEN>() else {
        return Err(Mismatch::NotVolery { first: stream.to_vec() }.into());
    };
    let Header { tag, length } = Header::decode(*header);
    match payload.get(..length as usize) {
        Some(hello) if tag == tags::HELLO.byte() => Hello::decode(hello).map(drop),
        _ => Err(Mismatch::not_volery(tag, length, payload).into()),
    }
}

/// Which side of the proof a party is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Knows the witness.
    Prover,
    /// Checks the proof.
    Verifier,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prover => "prover",
            Self::Verifier => "verifier",
        })
    }
}

/// Who a party is and how it wants to work.
///
/// ```text
/// "VOLERY\r\n" | wire version: u16, little-endian | role: u8 (0 prover, 1 verifier) | nonce: 32 bytes | parameters
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    version: u16,
    role: Role,
    nonce: [u8; 32],
    parameters: Parameters,
}

/// What both parties know once they have read each other's [`Hello`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    id: [u8; 32],
    role: Role,
}

impl Session {
    /// The session's identifier, equal on both sides and fresh in each session: bind hashes and transcripts
    /// to it.
    #[must_use]
    pub fn id(&self) -> &[u8; 32] {
        &self.id
    }

    /// This party's role.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }
}

impl Hello {
    /// A hello with a fresh nonce.
    pub fn new(role: Role, parameters: Parameters, rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        let mut nonce = [0; 32];
        rng.fill_bytes(&mut nonce);
        Self { version: WIRE_VERSION, role, nonce, parameters }
    }

    /// Queues this hello.
    ///
    /// # Errors
    /// As [`Channel::send`]; [`Error::Misuse`] if its parameters include [`TLS`] on a channel over TLS.
    pub fn send(&self, channel: &mut (impl Channel + ?Sized)) -> Result<(), Error> {
        let hello = self.over(channel.binding())?;
        channel.send(tags::HELLO, &hello.encode())
    }

    /// This hello for a connection with this identifier.
    fn over(&self, binding: Option<[u8; 32]>) -> Result<Self, Error> {
        let Some(binding) = binding else { return Ok(self.clone()) };
        let digest = blake3::derive_key("volery 2026 tls connection v1", &binding);
        let parameters = self.parameters.clone().with(TLS, blake3::Hash::from_bytes(digest).to_hex())?;
        Ok(Self { parameters, ..self.clone() })
    }

    /// Receives the peer's hello and checks that it fits this one, which must have been sent on the same
    /// channel.
    ///
    /// # Errors
    /// [`Error::Incompatible`] with the [`Mismatch`] found, [`Error::Malformed`], and as [`Channel::recv`].
    /// The peer is told and the channel ended.
    pub fn receive(&self, channel: &mut (impl Channel + ?Sized)) -> Result<Session, Error> {
        let ours = self.over(channel.binding())?;
        let result = match channel.recv(tags::HELLO, MAX_LEN) {
            Ok(payload) => ours.meet(payload),
            // Every party of this protocol starts with its hello, so this was no frame: the bytes were read
            // as a header.
            Err(Error::UnexpectedFrame { got, length, .. }) => {
                Err(Mismatch::not_volery(got, length, &[]).into())
            }
            Err(Error::TooLong { length, .. }) => {
                Err(Mismatch::not_volery(tags::HELLO.byte(), length, &[]).into())
            }
            Err(error) => return Err(error),
        };
        refuse(channel, result)
    }

    /// The session between this party and the sender of `payload`.
    fn meet(&self, payload: &[u8]) -> Result<Session, Error> {
        let peer = Self::decode(payload)?;
        if peer.nonce == self.nonce {
            return Err(Mismatch::Reflected.into());
        }
        if peer.role == self.role {
            return Err(Mismatch::SameRole(self.role).into());
        }
        self.parameters.agree(&peer.parameters)?;
        let (prover, verifier) = match self.role {
            Role::Prover => (self, &peer),
            Role::Verifier => (&peer, self),
        };
        let mut hasher = blake3::Hasher::new_derive_key("volery 2026 session id v1");
        for hello in [prover, verifier] {
            let bytes = hello.encode();
            hasher.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
        }
        Ok(Session { id: *hasher.finalize().as_bytes(), role: self.role })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&self.version.to_le_bytes());
        out.push(match self.role {
            Role::Prover => 0,
            Role::Verifier => 1,
        });
        out.extend_from_slice(&self.nonce);
        self.parameters.encode(&mut out);
        out
    }

    /// Magic and version come first and are checked first: another version may lay out the rest differently.
    pub(crate) fn decode(payload: &[u8]) -> Result<Self, Error> {
        let (mut cursor, flaw) = (Cursor::new(payload), |flaw: Flaw| flaw.at(tags::HELLO));
        if !payload.starts_with(&MAGIC) {
            let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
            return Err(Mismatch::not_volery(tags::HELLO.byte(), length, payload).into());
        }
        cursor.bytes(MAGIC.len(), "the magic bytes").map_err(flaw)?;
        let version = cursor.u16_le("the wire version").map_err(flaw)?;
        if version != WIRE_VERSION {
            return Err(Mismatch::Version { ours: WIRE_VERSION, theirs: version }.into());
        }
        let role = match cursor.u8("the role").map_err(flaw)? {
            0 => Role::Prover,
            1 => Role::Verifier,
            other => return Err(Error::malformed(tags::HELLO, format!("{other} is no role"))),
        };
        let nonce = cursor.array("the nonce").map_err(flaw)?;
        let parameters = Parameters::decode(tags::HELLO, &mut cursor)?;
        cursor.finish().map_err(flaw)?;
        Ok(Self { version, role, nonce, parameters })
    }
}
