//! TLS 1.2's key derivation from secrets that neither party sees, with few compressions in two-party
//! computation.
//!
//! ```text
//! PRF(secret, label, seed) = P(secret, label | seed)                                          RFC 5246, section 5
//! P(secret, seed) = HMAC(secret, A(1) | seed) | HMAC(secret, A(2) | seed) | ...
//! A(0) = seed,  A(i) = HMAC(secret, A(i - 1))
//!
//! HMAC(secret, message) = H(secret + opad | H(secret + ipad | message))                       RFC 2104
//! ```
//!
//! `H` is the hash function of the suite, SHA-256 or SHA-384. An HMAC takes at least four compressions. The
//! table shows where they run (Xie, Yang, Wang, Weng, "Lightweight Authentication of Web Data via
//! Garble-Then-Prove", section 3.2.2) and what each party learns:
//!
//! | compression | where | result |
//! |---|---|---|
//! | of `secret + ipad` | two-party, once a secret | public: the inner midstate |
//! | of `secret + opad` | two-party, once a secret | kept: the outer midstate |
//! | of the message's blocks, from the inner midstate | each party alone: all is public | the inner hash, public |
//! | of the inner hash, from the outer midstate | two-party | `A(i)`: public; output: kept, or public if it is for the wire |
//!
//! The inner midstate is the output of a random oracle at a point that contains a secret with entropy, so it
//! says nothing about the secret or the outer midstate (the paper proves it for the full protocol, with the
//! compression function as a random oracle). Every message is public: labels, randoms, hashes of the
//! handshake, `A(i)`.
//!
//! ```text
//! master secret     from the pre-master secret       6 compressions    2 pads, A(1), A(2), 2 outputs: 384 bits, kept
//! key block         from the master secret           6                 2 pads, A(1), A(2), 2 outputs: keys and write IVs, kept
//! client Finished   from the master secret           2                 A(1), output: 96 bits, public
//!                                                   14 compressions, 247,697 ANDs; the paper has 289,827
//!
//! with SHA-384      12 compressions, 543,914 ANDs: the master secret takes 4, as its 384 bits are one output
//! ```
//!
//! The two write keys and write IVs are 40 bytes for AES-128-GCM (RFC 5288: there are no MAC keys, and 4 of
//! the nonce's 12 bytes are the IV), 72 for AES-256-GCM and 88 for ChaCha20-Poly1305, whose IV is the whole
//! nonce (RFC 7905). An output of SHA-384 is 48 bytes, so a master secret is one output, and the two keys of
//! AES-256-GCM take two. With the extended master secret (RFC 7627) only label and seed change. The server's
//! Finished is checked at the end, when P knows the master secret, also with [`verify_data`].
//!
//! Both parties run this, each on its own [`TwoParty`] machine, with the same public values. The machine
//! detects a party that opens wrong bits.

mod hmac;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod tls13;

pub(crate) use hmac::HmacKey;

use volery_circuit::gadgets::bits_to_bytes;
use volery_field::F2;

use crate::Error;
use crate::wire::hash::HandshakeHash;
use crate::wire::step::{MASTER_BITS, TwoParty};
use crate::wire::suite::Aead;
use crate::wire::version::TlsVersion;

/// The random bytes of the client or of the server.
pub(crate) type Random = [u8; 32];

/// The value that the master secret is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MasterSeed {
    /// The randoms of client and server (RFC 5246, section 8.1).
    Randoms {
        /// The client's random bytes.
        client: Random,
        /// The server's random bytes.
        server: Random,
    },
    /// The hash of the handshake up to `ClientKeyExchange` (RFC 7627, section 4): the extended master secret.
    SessionHash(HandshakeHash),
}

/// A side of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The client's side.
    Client,
    /// The server's side.
    Server,
}

impl Side {
    /// The name of its messages in attestations.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Client => "query",
            Self::Server => "response",
        }
    }
}

/// Bytes of a Finished message's contents.
pub(crate) const VERIFY_DATA_BYTES: usize = 12;

/// The master secret: 384 wires, from the key that [`HmacKey::premaster`] made.
///
/// # Errors
/// The machine's.
pub(crate) fn master_secret<M: TwoParty + ?Sized>(
    machine: &mut M,
    premaster: &HmacKey<M::Wire>,
    seed: MasterSeed,
) -> Result<Vec<M::Wire>, M::Error> {
    let (label, seed) = match seed {
        MasterSeed::Randoms { client, server } => ("master secret", [client, server].concat()),
        MasterSeed::SessionHash(hash) => ("extended master secret", hash.as_ref().to_vec()),
    };
    prf(machine, premaster, label, &seed, MASTER_BITS)
}

/// The key block of a connection, which stays on wires. The write IVs need not be secret, but nobody needs
/// them in the clear either, and opening them would cost a round trip.
#[derive(Clone)]
pub(crate) struct KeyBlock<W> {
    /// The keys of the client's and the server's records.
    pub keys: [Vec<W>; 2],
    /// The write IVs.
    pub iv_wires: [Vec<W>; 2],
}

impl<W> core::fmt::Debug for KeyBlock<W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("KeyBlock").finish_non_exhaustive()
    }
}

/// The key block for records that are protected like this, from the key that [`HmacKey::master`] made.
///
/// # Errors
/// The machine's.
pub(crate) fn key_block<M: TwoParty + ?Sized>(
    machine: &mut M,
    master: &HmacKey<M::Wire>,
    aead: Aead,
    [client, server]: [&Random; 2],
) -> Result<KeyBlock<M::Wire>, M::Error> {
    let seed = [*server, *client].concat();
    let [key_bits, iv_bits] = aead.bits(TlsVersion::Tls12);
    let mut keys = prf(machine, master, "key expansion", &seed, 2 * (key_bits + iv_bits))?;
    let mut ivs = keys.split_off(2 * key_bits);
    let server_key = keys.split_off(key_bits);
    let server_iv = ivs.split_off(iv_bits);
    Ok(KeyBlock { keys: [keys, server_key], iv_wires: [ivs, server_iv] })
}

/// The contents of a Finished message, which both parties learn, from the key that [`HmacKey::master`] made
/// and the hash of the handshake's messages before it.
///
/// # Errors
/// The machine's.
pub(crate) fn verify_data<M: TwoParty + ?Sized>(
    machine: &mut M,
    master: &HmacKey<M::Wire>,
    side: Side,
    handshake: &HandshakeHash,
) -> Result<[u8; VERIFY_DATA_BYTES], M::Error> {
    let label = match side {
        Side::Client => "client finished",
        Side::Server => "server finished",
    };
    let wires = prf(machine, master, label, handshake.as_ref(), 8 * VERIFY_DATA_BYTES)?;
    let opened = bytes(&machine.open(&wires)?)?;
    let length = opened.len();
    Ok(opened.try_into().map_err(|_| Error::Misuse(format!("a machine opened {length} bytes of 12")))?)
}

/// The first `bits` bits of the PRF's output, which stay on wires.
fn prf<M: TwoParty + ?Sized>(
    machine: &mut M,
    key: &HmacKey<M::Wire>,
    label: &str,
    seed: &[u8],
    bits: usize,
) -> Result<Vec<M::Wire>, M::Error> {
    let seed = [label.as_bytes(), seed].concat();
    let (mut a, mut out) = (seed.clone(), Vec::with_capacity(bits));
    while out.len() < bits {
        let next = key.mac(machine, &a)?;
        a = bytes(&machine.open(&next)?)?;
        out.extend(key.mac(machine, &[&*a, &seed].concat())?);
    }
    out.truncate(bits);
    Ok(out)
}

/// The bytes that a machine opened.
fn bytes(bits: &[F2]) -> Result<Vec<u8>, Error> {
    bits_to_bytes(bits)
        .ok_or_else(|| Error::Misuse(format!("a machine opened {} bits of whole bytes", bits.len())))
}
