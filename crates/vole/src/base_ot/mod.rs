//! Base OT: `n` endemic oblivious transfers of 128-bit keys in one round trip, from Diffie-Hellman on
//! Ristretto.
//!
//! The sender obtains keys `(K_0, K_1)` for each instance, and the receiver its choice `c` and `K_c`.
//! *Endemic* means that a cheating party may choose the keys that it sees. The other key stays random, and
//! the punctured trees of [`softspoken`](crate::softspoken) need no more.
//!
//! The protocol is that of Masny and Rindal, "Endemic Oblivious Transfer" (ePrint 2019/706), with one sender
//! message for all instances. McQuoid, Rosulek and Roy, "Batching Base Oblivious Transfers" (ePrint
//! 2021/682), show how to do that safely: every hash includes the instance's index. With generator `G` and
//! random oracles `E` (to the group) and `K` (to keys):
//!
//! ```text
//! sender:    b random                                                B = b G                      -->
//! receiver:  s, and for each i: choice c, a, R random     r_{1-c} = R
//!                                                         r_c = a G - E(s, i, c, r_{1-c})        <-- s, (r_0, r_1)_i
//! sender:    y_j = r_j + E(s, i, j, r_{1-j})              K_j = K(sid, i, j, s, B, r_0, r_1, b y_j)
//! receiver:  y_c = a G, so b y_c = a B                    K_c = K(sid, i, c, s, B, r_0, r_1, a B)
//! ```
//!
//! * The two messages do not depend on each other, so each can be part of its party's first flight. For this
//!   reason `E` is bound only to the receiver's nonce `s`. The keys are bound to both messages, including
//!   `s`, and to the session identifier, which may come later.
//! * Both points of a pair are uniform whatever `c` is, so the receiver's choice is hidden from an unbounded
//!   sender.
//! * A receiver fixes `r_0` and `r_1`. Whichever it hashed last leaves the other `y` random, so it knows
//!   `b y_j` for only one `j`. A simulator sees in the hash queries which one that is. So it extracts without
//!   rewinding, which is impossible for the protocol of Chou and Orlandi.
//! * The assumption is strong Diffie-Hellman: `b Y` is hard to find for a random `Y`, even with an oracle
//!   that says of any `y` and `z` whether `z = b y`. One `b` serves all instances, so whoever reduces to it
//!   and does not know `b` needs the oracle to answer the hash queries for the keys that the receiver knows.
//! * All points are decoded canonically; the identity is refused.
//!
//! Encoding doubled points in Ristretto takes a share of one inversion instead of a square root each (dalek's
//! `double_and_compress_batch`). So the code computes halves: `E = 2 h`, `r = 2 r'`, `b y = 2 (b/2) y`.
//!
//! The receiver's message is made, sent and read in [`parts`] of 16 instances, so both parties work at once:
//! the receiver needs half as long for its message as the sender for its keys. The sender answers nothing
//! before it has the last part, so it is the same protocol to the receiver. To the sender it is, too: a
//! simulator of the receiver programs `E` for a part when the part leaves. Its points are uniform, so nobody
//! has asked for them before, although `s` is known from the first part on.
//!
//! Cost: messages of 32 and `32 + 64 n` bytes. For each instance, the sender computes two variable-base
//! multiplications and hashes to the group, and the receiver one of each (the receiver's multiplications
//! share a table of `B`). Everything takes constant time in all secrets.

mod receiver;
mod sender;
#[cfg(test)]
mod tests;

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::traits::IsIdentity;
use volery_channel::Tag;
use volery_field::Gf128;

pub use receiver::Receiver;
pub use sender::{Answers, Sender};

use crate::hash::Oracle;
use crate::{Error, SessionId};

/// Length of the sender's message in bytes.
pub const SENDER_MESSAGE_BYTES: usize = 32;

/// The largest number of instances in one run.
pub const MAX_INSTANCES: usize = 1 << 16;

/// The number of instances in a part of the receiver's message.
const PART: usize = 16;

const NONCE_BYTES: usize = 32;
const POINT_BYTES: usize = 32;

/// Length of the receiver's message for `n` instances, in bytes.
#[must_use]
pub const fn receiver_message_bytes(n: usize) -> usize {
    NONCE_BYTES + 2 * POINT_BYTES * n
}

/// The lengths of the parts of the receiver's message for `n` instances, in bytes. The first one begins with
/// the nonce.
pub fn parts(n: usize) -> impl Iterator<Item = usize> {
    (0..n.div_ceil(PART).max(1)).map(move |part| {
        let nonce = if part == 0 { NONCE_BYTES } else { 0 };
        nonce + 2 * POINT_BYTES * PART.min(n - part * PART)
    })
}

/// Decodes a point from the peer, which must be canonical and not the identity.
fn decode_point(step: Tag, bytes: &[u8], what: &str) -> Result<RistrettoPoint, Error> {
    let point = CompressedRistretto::from_slice(bytes)
        .ok()
        .and_then(|c| c.decompress())
        .ok_or_else(|| Error::malformed(step, format!("{what} is not a canonical Ristretto encoding")))?;
    if point.is_identity() {
        return Err(Error::malformed(step, format!("{what} is the identity")));
    }
    Ok(point)
}

/// The oracle `E`, halved: it maps to points and is bound to the receiver's nonce.
struct PointOracle(Oracle);

impl PointOracle {
    fn new(nonce: &[u8; NONCE_BYTES]) -> Self {
        Self(Oracle::new("base OT: point", &SessionId::new(*nonce)))
    }

    /// `h(i, j, r)` for a choice `j` of 0 or 1; `E = 2 h`.
    fn half(&self, instance: u64, j: u8, encoding: &[u8; POINT_BYTES]) -> RistrettoPoint {
        RistrettoPoint::from_uniform_bytes(&self.0.hash(instance, &[&[j], encoding]))
    }
}

/// The oracle `K`: it maps to keys and is bound to the session and to both messages.
struct KeyOracle {
    oracle: Oracle,
    nonce: [u8; NONCE_BYTES],
    point: [u8; POINT_BYTES],
}

impl KeyOracle {
    fn new(session: &SessionId, nonce: &[u8; NONCE_BYTES], point: [u8; POINT_BYTES]) -> Self {
        Self { oracle: Oracle::new("base OT: key", session), nonce: *nonce, point }
    }

    /// `pair` is `r_0 || r_1`; `shared` encodes `b y_j`.
    fn key(&self, instance: u64, j: u8, pair: &[u8], shared: &CompressedRistretto) -> Gf128 {
        let key = self.oracle.hash(instance, &[&[j], &self.nonce, &self.point, pair, shared.as_bytes()]);
        Gf128::from_bits(u128::from_le_bytes(key))
    }
}

/// Entry points for fuzzing. Each reads one message of a peer in an honest party's state.
#[doc(hidden)]
pub mod fuzz {
    use super::{Receiver, Sender};
    use crate::SessionId;

    const SESSION: SessionId = SessionId::new([0; 32]);

    /// Reads `message` as the sender of two instances.
    pub fn sender_finish<R: rand_core::CryptoRng>(message: &[u8], rng: &mut R) {
        let _ = Sender::start(rng).finish(&SESSION, 2, message);
    }

    /// Reads `message` as the receiver of two instances.
    pub fn receiver_finish<R: rand_core::CryptoRng>(message: &[u8], rng: &mut R) {
        if let Ok(receiver) = Receiver::start(&[0, 1], rng) {
            let _ = receiver.finish(&SESSION, message);
        }
    }
}
