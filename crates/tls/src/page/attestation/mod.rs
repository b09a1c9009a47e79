//! What V says in the end about a connection, signed, for others who trust V and have nothing but its public
//! key.
//!
//! ```text
//! file  =  "volery attestation" LF | version, 2 bytes | statement | V's public key, 32 bytes | Ed25519 signature of all before it, 64 bytes
//! ```
//!
//! V signs that it has verified: this host, on this port, at this time, by this certificate, received a query
//! and gave a response of these lengths, in so many rounds; these bytes of them are revealed; those hidden
//! strings are what they are said to be, and [claims](crate::claim) hold of them; these points are Pedersen
//! commitments to some of them. It does not sign, and does not know, the rest. Claims are data, so that
//! programs read them, too; a statement's `Display` puts them in words. With it V signs the [`Context`],
//! which P has chosen.
//!
//! **Which document it is about.** The path of each request is shown unless P hid it by name. A claim about
//! `balance` says little without it: P may have asked for a page that repeats what it is given. A reader
//! therefore looks at [`Statement::hidden_paths`], as `volery attestation verify` does. Nor does the path say
//! all: a query or a body may make the document at that path repeat what it is asked. Both are hidden by
//! default, so a reader also looks at [`Statement::hidden_words`] and must know what the document at the path
//! can be made to say.
//!
//! **The port.** In proxy mode it is the one that V connected to. Of two parties P alone connects, so the
//! port is the one that the requests' `Host` names, 443 if it names none: what the server was *asked* for.
//! Services of one host that share a certificate and answer whatever `Host` says can be told apart in proxy
//! mode only.
//!
//! A fourth party calls [`Attestation::from_bytes`] and then [`Attestation::verify`], which is the only way
//! to the statement. It must trust V not to have worked together with P; nothing here is a proof of TLS. In
//! proxy mode it must trust V's path to the server, too, which is why the [`Mode`] is part of the statement.
//!
//! The encoding is canonical: integers have fixed widths (big-endian), lists are in order, ranges that touch
//! are one, names and points have one form. Each statement has one encoding, and bytes that are not one are
//! refused. So equal statements have equal bytes, and a signature can't be moved to other bytes of the same
//! meaning.

mod codec;
mod context;
mod show;
mod statement;
#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of one range are meant")]
mod tests;

pub use context::{Context, MAX_CONTEXT};
pub use ed25519_dalek::{SigningKey, VerifyingKey};
pub use statement::{Committed, Mode, Part, Revealed, Statement};

use ed25519_dalek::{Signature, Signer};
use sha2::Digest as _;

/// The version of the format that is written and read.
///
/// Version 1 did not say port, certificate and context, and hid path and query as one. It is refused: what it
/// leaves out cannot be known.
pub const VERSION: u16 = 2;
/// The largest attestation, in bytes.
pub const MAX_BYTES: usize = 1 << 26;
/// The most entries of each list.
pub const MAX_ENTRIES: usize = 1 << 16;

/// Why there is no attestation, or none that is to be believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not an attestation.
    #[error("this is not an attestation: {0}")]
    Malformed(String),
    /// The bytes are an attestation of another version.
    #[error("this attestation has format version {0}, and this program reads version {VERSION}{more}", more = advice(*.0))]
    Version(u16),
    /// The statement breaks a rule of the format. Of a file: it was not written by this format's rules.
    #[error("the statement's {what} {reason}")]
    Statement {
        /// Which part.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The public key is not one that can be trusted with Ed25519.
    #[error("this is not a public key of Ed25519 that a signature can be believed of")]
    Key,
    /// At P: V has signed something else than what P disclosed.
    #[error("the attestation's {0} is not what was disclosed to the notary; do not use it")]
    Differs(&'static str),
    /// Somebody else signed.
    #[error("the attestation is signed by the key {found}, not by {expected}")]
    Signer {
        /// The key that is trusted, in hexadecimal.
        expected: String,
        /// The key that the file names.
        found: String,
    },
    /// The signature does not hold.
    #[error("the signature does not hold: the attestation was changed, or is not by this key")]
    Signature,
}

/// What can be done about another version.
fn advice(version: u16) -> &'static str {
    if version < VERSION {
        ": older ones do not say the server's port and certificate, and may hide which document was asked for; have the page attested anew"
    } else {
        "; use a newer program"
    }
}

/// A signed statement, which [`Attestation::verify`] gives out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attestation {
    statement: Statement,
    signer: [u8; 32],
    signature: [u8; 64],
}

impl Attestation {
    /// Signs a statement that V has verified.
    ///
    /// # Errors
    /// [`Error::Statement`] if it breaks the format's rules (see [`Statement`]).
    pub fn sign(statement: Statement, key: &SigningKey) -> Result<Self, Error> {
        statement.check()?;
        let signer = key.verifying_key().to_bytes();
        let signature = key.sign(&codec::signed(&statement, &signer)).to_bytes();
        let signed = Self { statement, signer, signature };
        let length = signed.to_bytes().len();
        if length > MAX_BYTES {
            let reason =
                format!("make {length} bytes, and an attestation has at most {MAX_BYTES}; reveal less");
            return Err(Error::Statement { what: "contents", reason });
        }
        Ok(signed)
    }

    /// Reads a file. Nothing of it is believed yet.
    ///
    /// # Errors
    /// [`Error::Malformed`], [`Error::Version`] and [`Error::Statement`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        codec::decode(bytes)
    }

    /// The file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = codec::signed(&self.statement, &self.signer);
        bytes.extend(self.signature);
        bytes
    }

    /// SHA-256 of the file: what proofs about it are bound to.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        sha2::Sha256::digest(self.to_bytes()).into()
    }

    /// The public key that the file says it is signed with; to tell a reader which one to look for, not to be
    /// trusted.
    #[must_use]
    pub fn claimed_signer(&self) -> &[u8; 32] {
        &self.signer
    }

    /// The statement, if the owner of this key signed it.
    ///
    /// # Errors
    /// [`Error::Signer`], [`Error::Key`] and [`Error::Signature`].
    pub fn verify(&self, key: &[u8; 32]) -> Result<&Statement, Error> {
        if *key != self.signer {
            return Err(Error::Signer { expected: show::hex(key), found: show::hex(&self.signer) });
        }
        let verifying = VerifyingKey::from_bytes(key).map_err(|_| Error::Key)?;
        if verifying.is_weak() {
            return Err(Error::Key);
        }
        let signed = codec::signed(&self.statement, &self.signer);
        // Strict: one signature has one encoding, and points of small order are refused.
        let result = verifying.verify_strict(&signed, &Signature::from_bytes(&self.signature));
        result.map(|()| &self.statement).map_err(|_| Error::Signature)
    }
}
