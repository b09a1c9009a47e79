//! Attestations for contracts: V's second signature, which `ecrecover` of the Ethereum virtual machine can
//! check.
//!
//! A contract cannot verify Ed25519 at a bearable price, nor read a file. So a V with a second key, on
//! secp256k1, also signs a [`TypedStatement`]: what the attestation says, as a struct of EIP-712
//! (`eth_signTypedData_v4`).
//!
//! ```text
//! file    =  ... statement | V's public key | address, 20 bytes, or none | Ed25519 signature of all before it
//!            | if there is an address: r, s, v of the signature below, 65 bytes
//! digest  =  Keccak-256(0x1901 | hash of the domain {name: "Volery", version: "1"} | hash of the struct)
//! struct  =  { file: SHA-256 of all of the file before r, s, v;  host, port, path, status, values, claims, ... }
//! ```
//!
//! # Why both signatures say the same
//!
//! The struct is a function of the statement and of that hash. V computes it from the statement that it has
//! verified, never from bytes of P's: P has no message in which to name a text. Everybody who has the file
//! computes it again, so [`Attestation::verify`](super::Attestation::verify) accepts no file whose second
//! signature is of another text, by another key than the address, or missing.
//!
//! * The Ed25519 signature covers the address. So a reader who trusts V's public key learns from it which
//!   second key is V's, and nobody can take the second signature away, or put another one's there.
//! * The second signature covers the hash of the first one and of all that it covers. So what the struct
//!   leaves out (certificates, lengths, commitments, leaves, hidden strings without claims) is bound, too,
//!   and two attestations have two digests even if their structs are alike otherwise.
//! * Signatures have one encoding: `s` is in the lower half, and `v` is 27 or 28.
//!
//! **Other uses of the key.** What is hashed begins with 0x1901 and this domain. Transactions begin with
//! other bytes, messages of wallets with 0x1945, and other applications have other domains. So a signature of
//! one of these is never one of an attestation, as long as Keccak-256 has no collisions. The key should have
//! no other use all the same, and its account no funds.
//!
//! **Other chains and contracts.** The domain names neither. An attestation is a statement for everybody,
//! and a contract that it was not meant for may take it, too. A contract that needs its own demands a
//! [`Context`](super::Context) with its address, the chain and the account.
//!
//! # Which statements have the form
//!
//! Nobody reads along when a contract decides. So there is one request, its path shows, and no part of its
//! query or body is hidden, with which P could make the page repeat P's words. What P may have added shows in
//! `query`, `fields` and `body`, and a contract has to compare all three with what it expects.
//!
//! # The feature
//!
//! Signatures and hashes come with the feature `contracts`, which is on by default. Without it attestations
//! that have a second signature are read, but not believed: [`Error::NoContracts`].

use core::fmt;
use core::str::FromStr;

use volery_channel::hex;

#[cfg(doc)]
use super::Error;

#[cfg(not(feature = "contracts"))]
mod absent;
mod form;
#[cfg(feature = "contracts")]
mod signing;
#[cfg(test)]
#[cfg(feature = "contracts")]
#[allow(clippy::single_range_in_vec_init, reason = "lists of one range are meant")]
mod tests;
#[cfg(feature = "contracts")]
mod typed_data;

#[cfg(not(feature = "contracts"))]
pub(super) use absent::check;
pub use form::{NamedClaim, NamedValue, TypedStatement};
#[cfg(feature = "contracts")]
pub use signing::ContractKey;
#[cfg(feature = "contracts")]
pub(super) use signing::{check, sign};
#[cfg(feature = "contracts")]
pub(super) use typed_data::typed_data;

/// Bytes of an [`Address`].
pub const ADDRESS_BYTES: usize = 20;
/// Bytes of a signature: `r`, `s`, `v`.
pub(crate) const SIGNATURE_BYTES: usize = 65;

/// The address of a key on secp256k1: the last 20 bytes of the Keccak-256 of the public point. It is not
/// zero, which is what `ecrecover` returns for a signature that is none.
///
/// Its text form (`Display`, [`str::parse`]) is `0x` and 40 hexadecimal digits, written in lower case and
/// read in any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address([u8; ADDRESS_BYTES]);

impl Address {
    /// The address of these bytes, unless all are zero.
    #[must_use]
    pub fn new(bytes: [u8; ADDRESS_BYTES]) -> Option<Self> {
        (bytes != [0; ADDRESS_BYTES]).then_some(Self(bytes))
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; ADDRESS_BYTES] {
        &self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{}", hex::encode(&self.0))
    }
}

/// Text that is no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an address that is not zero: 0x and 40 hexadecimal digits")]
pub struct NotAnAddress;

impl FromStr for Address {
    type Err = NotAnAddress;

    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        let bytes = text.strip_prefix("0x").and_then(|digits| hex::decode_array(digits.as_bytes()));
        bytes.and_then(Self::new).ok_or(NotAnAddress)
    }
}

/// The second signature, as it is in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ContractSignature {
    /// The address that the first signature covers.
    pub(super) address: Address,
    /// `r`, `s` and `v`.
    pub(super) signature: [u8; SIGNATURE_BYTES],
}
