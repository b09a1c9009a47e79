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
//! the wrong one. A secret knows the hash function of its suite; those derived from it have the same.

#[cfg(test)]
mod tests;

use sha2::digest::block_api::BlockSizeUser;
use sha2::{Digest, Sha256, Sha384};
use zeroize::{Zeroize, Zeroizing};

use crate::wire::hash::{HandshakeHash, HashFunction};
use crate::wire::prf::Side;
use crate::wire::suite::{NONCE_BYTES, Suite};

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

/// A secret as long as the output of its hash function.
#[derive(Clone)]
struct Secret {
    hash: HashFunction,
    bytes: Zeroizing<Vec<u8>>,
}

impl Secret {
    fn zeros(hash: HashFunction) -> Self {
        Self { hash, bytes: Zeroizing::new(vec![0; hash.digest_bytes()]) }
    }

    fn from_bytes(hash: HashFunction, bytes: &[u8]) -> Option<Self> {
        let fits = bytes.len() == hash.digest_bytes();
        fits.then(|| Self { hash, bytes: Zeroizing::new(bytes.to_vec()) })
    }

    /// HMAC (RFC 2104) with the secret as its key.
    fn mac(&self, message: &[u8]) -> Self {
        let bytes = match self.hash {
            HashFunction::Sha256 => mac::<Sha256>(&self.bytes, message),
            HashFunction::Sha384 => mac::<Sha384>(&self.bytes, message),
        };
        Self { hash: self.hash, bytes }
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
        self.expand(label, hash, self.hash.digest_bytes() as u8)
    }

    /// HKDF-Expand-Label to a key of this many bytes, at most the hash's output, without a context.
    fn key(&self, label: &str, length: usize) -> Zeroizing<Vec<u8>> {
        let mut expanded = self.expand(label, &[], length as u8).bytes;
        expanded.truncate(length);
        expanded
    }

    /// The salt of the next Extract.
    fn derived(&self) -> Self {
        self.derive(label::DERIVED, self.hash.hash(&[]).as_ref())
    }
}

/// HMAC with a key of at most a block.
fn mac<H: Digest + BlockSizeUser>(key: &[u8], message: &[u8]) -> Zeroizing<Vec<u8>> {
    let pad = |with: u8| {
        let mut block = Zeroizing::new(vec![with; H::block_size()]);
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let mut inner = H::new_with_prefix(&*pad(0x36)).chain_update(message).finalize();
    let mut outer = H::new_with_prefix(&*pad(0x5c)).chain_update(&inner).finalize();
    let mac = Zeroizing::new(outer.to_vec());
    inner.as_mut_slice().zeroize();
    outer.as_mut_slice().zeroize();
    mac
}

/// The secrets of a schedule before there is a shared one. It is a constant.
#[derive(Clone)]
pub struct EarlySecret(Secret);

/// The constant with which the handshake secret is extracted from what the key exchange gave.
pub(crate) fn handshake_salt(hash: HashFunction) -> Vec<u8> {
    let EarlySecret(early) = EarlySecret::new(hash);
    early.derived().bytes.to_vec()
}

/// The secret of the key exchange.
#[derive(Clone)]
pub struct HandshakeSecret(Secret);

/// The secret of the connection's data.
#[derive(Clone)]
pub struct MasterSecret(Secret);

/// The secret of one direction, in the handshake or after it.
#[derive(Clone)]
pub struct TrafficSecret(Secret);

impl EarlySecret {
    /// The one without a pre-shared key.
    #[must_use]
    pub fn new(hash: HashFunction) -> Self {
        let zeros = Secret::zeros(hash);
        Self(zeros.extract(&zeros.bytes))
    }

    /// The next secret, from what the key exchange gave.
    #[must_use]
    pub fn handshake(&self, shared: &[u8]) -> HandshakeSecret {
        HandshakeSecret(self.0.derived().extract(shared))
    }
}

impl HandshakeSecret {
    /// The secret of a side's records in the handshake. `hash` is that of ClientHello and ServerHello.
    #[must_use]
    pub fn traffic(&self, side: Side, hash: &HandshakeHash) -> TrafficSecret {
        TrafficSecret(self.0.derive(label::handshake(side), hash.as_ref()))
    }

    /// The secret itself.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// The next secret.
    #[must_use]
    pub fn master(&self) -> MasterSecret {
        MasterSecret(self.0.derived().extract(&Secret::zeros(self.0.hash).bytes))
    }
}

impl MasterSecret {
    /// The first secret of a side's data. `hash` is that of all messages up to the server's Finished.
    #[must_use]
    pub fn traffic(&self, side: Side, hash: &HandshakeHash) -> TrafficSecret {
        TrafficSecret(self.0.derive(label::application(side), hash.as_ref()))
    }
}

impl TrafficSecret {
    /// The secret with these bytes, if they are as many as the hash's.
    #[must_use]
    pub fn from_bytes(hash: HashFunction, bytes: &[u8]) -> Option<Self> {
        Secret::from_bytes(hash, bytes).map(Self)
    }

    /// The secret itself.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// The key of its records in this suite.
    #[must_use]
    pub fn key(&self, suite: Suite) -> Zeroizing<Vec<u8>> {
        self.0.key(label::KEY, suite.aead().key_bytes())
    }

    /// What its records' nonces are made of.
    #[must_use]
    pub fn iv(&self) -> Zeroizing<[u8; NONCE_BYTES]> {
        let expanded = self.0.key(label::IV, NONCE_BYTES);
        let mut iv = Zeroizing::new([0; NONCE_BYTES]);
        iv.iter_mut().zip(expanded.iter()).for_each(|(to, from)| *to = *from);
        iv
    }

    /// The contents of its side's Finished message, as long as the hash's output. `hash` is that of all
    /// messages before it. Only a handshake's secret has a Finished message.
    #[must_use]
    pub fn verify_data(&self, hash: &HandshakeHash) -> Vec<u8> {
        self.0.derive(label::FINISHED, &[]).mac(hash.as_ref()).bytes.to_vec()
    }
}

/// None shows a secret.
macro_rules! debug {
    ($($name:ident)*) => {$(
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

debug!(EarlySecret HandshakeSecret MasterSecret TrafficSecret);
