//! TLS 1.3's key schedule in the clear (RFC 8446, section 7.1), for sessions without pre-shared keys.
//!
//! ```text
//!               0                          zeros where a pre-shared key would be
//!               |
//! 0 --------> Extract = early secret
//!               |  "derived", hash of nothing
//!   DHE ----> Extract = handshake secret --- "c hs traffic", "s hs traffic", hash up to ServerHello ---> traffic secrets of the handshake
//!               |  "derived", hash of nothing
//!   0 ------> Extract = master secret ------ "c ap traffic", "s ap traffic", hash up to the server's Finished ---> traffic secrets of data
//!
//! key, iv = Expand-Label(traffic secret, "key" | "iv", "")       verify_data = HMAC(Expand-Label(traffic secret, "finished", ""), hash)
//! ```
//!
//! with HKDF (RFC 5869): `Extract(salt, ikm) = HMAC(salt, ikm)`. Nothing here is expanded to more than one
//! output of the hash, so `Expand(secret, info) = HMAC(secret, info | 1)`, cut to its length.
//!
//! Each secret has a type of its own, and each label occurs in one place, so no secret can be derived from
//! the wrong one. The hash is a parameter, SHA-256 by default.

#[cfg(test)]
mod tests;

use core::marker::PhantomData;

use sha2::digest::block_api::BlockSizeUser;
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, Zeroizing};

use crate::wire::prf::Side;

/// What secrets and keys are derived with: the same labels in the clear and on wires.
pub(crate) mod label {
    use crate::wire::prf::Side;

    pub(crate) const DERIVED: &str = "derived";
    pub(crate) const KEY: &str = "key";
    pub(crate) const IV: &str = "iv";
    pub(super) const FINISHED: &str = "finished";

    /// Of a side's traffic secret in the handshake.
    pub(crate) const fn handshake(side: Side) -> &'static str {
        match side {
            Side::Client => "c hs traffic",
            Side::Server => "s hs traffic",
        }
    }

    /// Of a side's first traffic secret of data.
    pub(crate) const fn application(side: Side) -> &'static str {
        match side {
            Side::Client => "c ap traffic",
            Side::Server => "s ap traffic",
        }
    }
}

/// The message of the HMAC that is HKDF-Expand-Label, for at most one output of the hash. Label and context
/// are short.
pub(crate) fn expansion(label: &str, context: &[u8], length: u8) -> Vec<u8> {
    let sized = |bytes: &[u8]| [&[bytes.len() as u8], bytes].concat();
    let label = sized(&[b"tls13 ", label.as_bytes()].concat());
    [&[0, length][..], &label, &sized(context), &[1]].concat()
}

/// Bytes of a record's IV, for AES-GCM and for ChaCha20-Poly1305.
pub const IV_BYTES: usize = 12;

/// A hash of TLS 1.3, whose output is no longer than its block.
pub trait Hash: Digest + BlockSizeUser {}

impl Hash for Sha256 {}

/// A secret as long as the hash's output.
struct Secret<H>(Zeroizing<Vec<u8>>, PhantomData<H>);

impl<H: Hash> Secret<H> {
    fn zeros() -> Self {
        Self(Zeroizing::new(vec![0; <H as Digest>::output_size()]), PhantomData)
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let fits = bytes.len() == <H as Digest>::output_size();
        fits.then(|| Self(Zeroizing::new(bytes.to_vec()), PhantomData))
    }

    /// HMAC (RFC 2104) with the secret as its key.
    fn mac(&self, message: &[u8]) -> Self {
        let pad = |with: u8| {
            let mut block = Zeroizing::new(vec![with; H::block_size()]);
            block.iter_mut().zip(self.0.iter()).for_each(|(byte, key)| *byte ^= key);
            block
        };
        let mut inner = H::new_with_prefix(&*pad(0x36)).chain_update(message).finalize();
        let mut outer = H::new_with_prefix(&*pad(0x5c)).chain_update(&inner).finalize();
        let mac = Self(Zeroizing::new(outer.to_vec()), PhantomData);
        inner.as_mut_slice().zeroize();
        outer.as_mut_slice().zeroize();
        mac
    }

    /// HKDF-Extract with the secret as its salt.
    fn extract(&self, input: &[u8]) -> Self {
        self.mac(input)
    }

    /// HKDF-Expand-Label to `length` bytes, at most the hash's output.
    fn expand(&self, label: &str, context: &[u8], length: u8) -> Self {
        self.mac(&expansion(label, context, length))
    }

    /// Derive-Secret, given the hash of the messages.
    fn derive(&self, label: &str, hash: &[u8]) -> Self {
        self.expand(label, hash, <H as Digest>::output_size() as u8)
    }

    /// HKDF-Expand-Label to a key, without a context.
    fn key<const N: usize>(&self, label: &str) -> Zeroizing<[u8; N]> {
        const { assert!(N <= 32, "no key is longer than the shortest hash") }
        let expanded = self.expand(label, &[], N as u8);
        let mut key = Zeroizing::new([0; N]);
        key.iter_mut().zip(expanded.0.iter()).for_each(|(to, from)| *to = *from);
        key
    }

    /// The salt of the next Extract.
    fn derived(&self) -> Self {
        self.derive(label::DERIVED, &H::digest([]))
    }
}

/// The secrets of a schedule before there is a shared one. It is a constant.
pub struct EarlySecret<H = Sha256>(Secret<H>);

/// The constant with which the handshake secret is extracted from what the key exchange gave.
pub(crate) fn handshake_salt() -> [u8; 32] {
    let EarlySecret(early) = EarlySecret::<Sha256>::new();
    let mut salt = [0; 32];
    salt.iter_mut().zip(early.derived().0.iter()).for_each(|(to, from)| *to = *from);
    salt
}

/// The secret of the key exchange.
pub struct HandshakeSecret<H = Sha256>(Secret<H>);

/// The secret of the connection's data.
pub struct MasterSecret<H = Sha256>(Secret<H>);

/// The secret of one direction, in the handshake or after it.
pub struct TrafficSecret<H = Sha256>(Secret<H>);

impl<H: Hash> EarlySecret<H> {
    /// The one without a pre-shared key.
    #[must_use]
    pub fn new() -> Self {
        let zeros = Secret::zeros();
        Self(zeros.extract(&zeros.0))
    }

    /// The next secret, from what the key exchange gave.
    #[must_use]
    pub fn handshake(&self, shared: &[u8]) -> HandshakeSecret<H> {
        HandshakeSecret(self.0.derived().extract(shared))
    }
}

impl<H: Hash> Default for EarlySecret<H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: Hash> HandshakeSecret<H> {
    /// The secret of a side's records in the handshake. `hash` is that of ClientHello and ServerHello.
    #[must_use]
    pub fn traffic(&self, side: Side, hash: &[u8]) -> TrafficSecret<H> {
        TrafficSecret(self.0.derive(label::handshake(side), hash))
    }

    /// The secret itself.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0.0
    }

    /// The next secret.
    #[must_use]
    pub fn master(&self) -> MasterSecret<H> {
        MasterSecret(self.0.derived().extract(&Secret::<H>::zeros().0))
    }
}

impl<H: Hash> MasterSecret<H> {
    /// The first secret of a side's data. `hash` is that of all messages up to the server's Finished.
    #[must_use]
    pub fn traffic(&self, side: Side, hash: &[u8]) -> TrafficSecret<H> {
        TrafficSecret(self.0.derive(label::application(side), hash))
    }
}

impl<H: Hash> TrafficSecret<H> {
    /// The secret with these bytes, if they are as many as the hash's.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Secret::from_bytes(bytes).map(Self)
    }

    /// The key of its records.
    #[must_use]
    pub fn key<const N: usize>(&self) -> Zeroizing<[u8; N]> {
        self.0.key(label::KEY)
    }

    /// What its records' nonces are made of.
    #[must_use]
    pub fn iv(&self) -> Zeroizing<[u8; IV_BYTES]> {
        self.0.key(label::IV)
    }

    /// The contents of its side's Finished message, as long as the hash's output. `hash` is that of all
    /// messages before it. Only a handshake's secret has a Finished message.
    #[must_use]
    pub fn verify_data(&self, hash: &[u8]) -> Vec<u8> {
        self.0.derive(label::FINISHED, &[]).mac(hash).0.to_vec()
    }
}

/// None shows a secret.
macro_rules! debug {
    ($($name:ident)*) => {$(
        impl<H> core::fmt::Debug for $name<H> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }

        impl<H> Clone for $name<H> {
            fn clone(&self) -> Self {
                Self(Secret(self.0.0.clone(), PhantomData))
            }
        }
    )*};
}

debug!(EarlySecret HandshakeSecret MasterSecret TrafficSecret);

/// The bytes, for comparisons in tests.
#[cfg(test)]
impl<H> TrafficSecret<H> {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0.0
    }
}
