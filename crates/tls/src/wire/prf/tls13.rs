//! TLS 1.3's key derivation on wires, from the handshake secret.
//!
//! It is that of [`key_schedule`](crate::wire::key_schedule), with its labels. As in TLS 1.2's, all messages
//! are public: labels, hashes of the handshake, zeros. So each secret that is a key of HMAC takes two
//! compressions, whose inner midstate is opened, and each value derived from it takes one:
//!
//! ```text
//! HS                   2 compressions      its key
//! c_hs, s_hs           2                   opened: whoever holds the records opens the handshake with them
//! dHS, MS              1, 2 + 1            Derive-Secret(HS, "derived"); Extract(dHS, 0)
//! MS                   2                   its key
//! c_ap, s_ap           2 (1 + 2 + 2)       each, its key, the records' key and IV: kept
//!                     20 compressions
//! ```
//!
//! Two parties take two more for `HS` itself, from the shares of what the key exchange gives
//! ([`HmacKey::handshake`]). They share `c_hs` and `s_hs` and do not open them, and derive `s_ap` only if
//! something is read while the connection is open: 17 compressions to send a request.

use volery_circuit::gadgets::bits_to_bytes;
use zeroize::Zeroizing;

use super::{HmacKey, Side};
use crate::Error;
use crate::wire::hash::{HandshakeHash, HashFunction};
use crate::wire::key_schedule::{TrafficSecret, expansion, label};
use crate::wire::step::TwoParty;
use crate::wire::suite::Aead;
use crate::wire::version::TlsVersion;

/// The message of Derive-Secret, given the hash of the handshake's messages.
fn derivation(label: &str, hash: &HandshakeHash) -> Vec<u8> {
    expansion(label, hash.as_ref(), hash.function().digest_bytes() as u8)
}

/// The wires of the traffic secrets of the handshake: client's, server's. `key` is that of the handshake
/// secret, `hash` that of both hellos.
///
/// # Errors
/// The machine's.
pub(crate) fn handshake_wires<M: TwoParty + ?Sized>(
    machine: &mut M,
    key: &HmacKey<M::Wire>,
    hash: &HandshakeHash,
) -> Result<[Vec<M::Wire>; 2], M::Error> {
    let mut secret = |side| key.mac(machine, &derivation(label::handshake(side), hash));
    Ok([secret(Side::Client)?, secret(Side::Server)?])
}

/// The traffic secrets of the handshake on these wires, which are opened: client's, server's. `hash` is the
/// function that they were derived with.
///
/// # Errors
/// The machine's.
pub(crate) fn open_secrets<M: TwoParty + ?Sized>(
    machine: &mut M,
    hash: HashFunction,
    [client, server]: &[Vec<M::Wire>; 2],
) -> Result<[TrafficSecret; 2], M::Error> {
    let mut secret = |wires: &[M::Wire]| {
        let bytes = bits_to_bytes(&machine.open(wires)?).map(Zeroizing::new);
        let secret = bytes.and_then(|bytes| TrafficSecret::from_bytes(hash, &bytes));
        let secret = secret.ok_or_else(|| Error::Misuse("a machine opened too few bits of a secret".into()));
        Ok::<_, M::Error>(secret?)
    };
    Ok([secret(client)?, secret(server)?])
}

/// The wires of a direction's key, and of its IV.
pub(crate) type RecordKey<W> = [Vec<W>; 2];

/// The keys of both directions' data, client's first. `key` is that of the handshake secret, `hash` that of
/// all messages up to the server's Finished.
///
/// # Errors
/// The machine's.
pub(crate) fn application_keys<M: TwoParty + ?Sized>(
    machine: &mut M,
    key: &HmacKey<M::Wire>,
    aead: Aead,
    hash: &HandshakeHash,
) -> Result<[RecordKey<M::Wire>; 2], M::Error> {
    let salt = master_salt(machine, key)?;
    let master = master(machine, &salt)?;
    let mut keys = |side| record_key(machine, &master, aead, side, hash);
    Ok([keys(Side::Client)?, keys(Side::Server)?])
}

/// The key that is the salt of the master secret, from the one that is the handshake secret.
///
/// # Errors
/// The machine's.
pub(crate) fn master_salt<M: TwoParty + ?Sized>(
    machine: &mut M,
    handshake: &HmacKey<M::Wire>,
) -> Result<HmacKey<M::Wire>, M::Error> {
    let function = handshake.function();
    let salt = handshake.mac(machine, &derivation(label::DERIVED, &function.hash(&[])))?;
    HmacKey::hash(machine, function, &salt)
}

/// The key that is the master secret, from its salt.
///
/// # Errors
/// The machine's.
pub(crate) fn master<M: TwoParty + ?Sized>(
    machine: &mut M,
    salt: &HmacKey<M::Wire>,
) -> Result<HmacKey<M::Wire>, M::Error> {
    let function = salt.function();
    let master = salt.mac(machine, function.zeros().as_ref())?;
    HmacKey::hash(machine, function, &master)
}

/// The keys of a direction's data. `master` is the key that is the master secret, `hash` that of all messages
/// up to the server's Finished.
///
/// # Errors
/// The machine's.
pub(crate) fn record_key<M: TwoParty + ?Sized>(
    machine: &mut M,
    master: &HmacKey<M::Wire>,
    aead: Aead,
    side: Side,
    hash: &HandshakeHash,
) -> Result<RecordKey<M::Wire>, M::Error> {
    let secret = master.mac(machine, &derivation(label::application(side), hash))?;
    let secret = HmacKey::hash(machine, master.function(), &secret)?;
    let mut part = |label, bits: usize| {
        let mut wires = secret.mac(machine, &expansion(label, &[], (bits / 8) as u8))?;
        wires.truncate(bits);
        Ok::<_, M::Error>(wires)
    };
    let [key, iv] = aead.bits(TlsVersion::Tls13);
    Ok([part(label::KEY, key)?, part(label::IV, iv)?])
}
