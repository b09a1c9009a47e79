//! Oblivious linear evaluation with errors: additive shares of products of one secret from each party.
//!
//! ```text
//! z_P + z_V = x * y        over Z_p, the base field of P-256 or of Curve25519, over GF(2^128),
//!                          or over Z_q, where q = 2^130 - 5 is Poly1305's prime
//!
//! P, the sender, holds x and z_P          V, the receiver, holds y and z_V
//! ```
//!
//! Xie, Yang, Wang, Weng, "Lightweight Authentication of Web Data via Garble-Then-Prove" (USENIX Security
//! 2024), appendix A, figure 6. The protocol is Gilboa's multiplication from correlated OT ("Two Party RSA
//! Key Generation", CRYPTO 1999). The roles in the correlations are swapped compared with those of proofs:
//! here *V* has random bits `u_j` with tags `m_j`, and *P* has the keys `k_j` and `delta`,
//! `m_j = k_j + u_j delta`.
//!
//! # Before the factors are known: random products
//!
//! P draws `a` and V draws `b`, both uniform in the field. Bit `i` of `b` (`sum of b_i g^i = b`, with `g = 2`
//! over Z_p and Z_q, and `g = X` over GF(2^128)) uses correlation `j`. A random oracle `H`, bound to session
//! and field, makes pads of the field's elements:
//!
//! ```text
//! V -> P    d_i = b_i + u_j                                      one bit
//! P         r_i = H(j, k_j + d_i delta)         s_i = H(j, k_j + (d_i + 1) delta)
//! P -> V    c_i = r_i + a g^i - s_i                              one element
//! V         H(j, m_j) + b_i c_i                                  r_i or r_i + a g^i, as b_i says
//!
//! z_P = - sum of r_i           z_V = sum of what V has           z_P + z_V = sum of b_i a g^i = a b
//! ```
//!
//! `b` is drawn as an element and then split into its bits. Random bits would be an integer below `2^256`,
//! which is `2^-32` away from uniform below P-256's prime, and `y - b` would not hide `y`. Over Z_p, each
//! product costs 256 correlations, 256 bits from V and 256 elements from P: 8 KiB. Over GF(2^128) it costs
//! 128 of each, 2 KiB, and over Z_q 136, 2,210 bytes. (Elements of Curve25519's field have 255 bits, and
//! those of Z_q 130. The highest bits are zero then, which makes messages whole bytes.) Any number of
//! products takes one round trip, in addition to those of the generator of correlations. So do products over
//! several fields, if V [requests](Receiver::request) all of them before it [receives](Receiver::receive)
//! any.
//!
//! # Once the factors are known: one element each way
//!
//! ```text
//! P -> V    u = x - a            V -> P    v = y - b            at the same time
//! z_P + a v                      z_V + u y                      sum: a b + a (y - b) + (x - a) y = x y
//! ```
//!
//! # What a cheating party can do
//!
//! * V gains nothing: whatever bits and corrections it sends are those of some `b` and some `y`, and it
//!   learns no second pad of a correlation without guessing `delta`. (OT extension lets it guess bits of
//!   `delta` at the price that [`softspoken`](crate::softspoken) states.) It can make its own output wrong,
//!   but no one else's.
//! * P can add errors: `c_i + e_i` in place of `c_i` adds `sum of b_i e_i` to `z_V`, so to the sum of the
//!   shares. **The error depends on V's secret `b`, hence on `y`, and nothing here detects it.** This is the
//!   paper's functionality. A caller must make sure that a wrong product ends the session, and that the one
//!   bit which P then learns (whether its guess of bits of `b` was right: `c` bits survive with probability
//!   `2^-c`) is about a secret with entropy to spare, such as a TLS pre-master secret or a GHASH key of one
//!   session.
//!
//! So privacy holds against both parties, and correctness only against V. Random products are used once, in
//! the order in which they were made, and wiped.

mod products;
mod receiver;
mod sender;
#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;

pub use products::Pending;
pub use receiver::{Receiver, Requested};
pub use sender::Sender;

use volery_channel::Channel;
use volery_channel::tags::OLE_CORRECTIONS;
use volery_field::{Curve25519Base, Element, F130, Gf128, P256Base, pack_elements, unpack_elements};
use zeroize::Zeroizing;

use crate::{Error, Oracle, SessionId};

/// A field whose products can be shared: its elements are sums of bits times powers of `g`.
///
/// The bits of `y` are those of its packed form, and `y = sum of y_i g^i`.
pub trait OleField: Element {
    /// `g * self`: the double over a prime field, the product with `X` over GF(2^128).
    #[must_use]
    fn times_g(self) -> Self;
}

impl OleField for P256Base {
    #[inline(always)]
    fn times_g(self) -> Self {
        self + self
    }
}

impl OleField for Curve25519Base {
    #[inline(always)]
    fn times_g(self) -> Self {
        self + self
    }
}

impl OleField for F130 {
    #[inline(always)]
    fn times_g(self) -> Self {
        self + self
    }
}

impl OleField for Gf128 {
    #[inline(always)]
    fn times_g(self) -> Self {
        self.mul_x()
    }
}

/// The most correlations that the products of one call take: 32 MiB of them.
pub const MAX_CORRELATIONS: usize = 1 << 21;

/// The number of products whose messages are sent together: at most 256 KiB.
const CHUNK: usize = 32;

/// The number of bits into which a factor of V's is split: those of its packed form in whole bytes.
const fn digits<F: OleField>() -> usize {
    F::BITS.next_multiple_of(u8::BITS) as usize
}

/// The number of correlations that `n` products take.
///
/// # Errors
/// [`Error::Misuse`] for more than [`MAX_CORRELATIONS`].
pub fn correlations<F: OleField>(n: usize) -> Result<usize, Error> {
    let most = MAX_CORRELATIONS / digits::<F>();
    if n > most {
        return Err(Error::misuse(format!("{n} products in one call; at most {most}")));
    }
    Ok(n * digits::<F>())
}

/// The oracle that turns correlations into pads.
fn pads<F: OleField>(session: &SessionId) -> Oracle {
    Oracle::new(&format!("OLE over {}: pad", F::NAME), session)
}

/// The pad that `block` gives for correlation number `index`.
fn pad<F: OleField>(oracle: &Oracle, index: u64, block: Gf128) -> F {
    // No field of this module needs more than three blocks.
    let bytes: [u8; 48] = oracle.hash(index, &[&block.to_bytes()]);
    let mut blocks = [0; 3];
    blocks
        .iter_mut()
        .zip(bytes.as_chunks().0)
        .for_each(|(block, bytes)| *block = u128::from_le_bytes(*bytes));
    F::from_blocks(&blocks)
}

fn failed() -> Error {
    Error::misuse("this party has failed in preparing products before; start a new session")
}

/// Sends this party's corrections, then reads the peer's.
fn exchange<F: OleField>(channel: &mut dyn Channel, pending: Pending<F>) -> Result<Zeroizing<Vec<F>>, Error> {
    let mut message = Vec::new();
    pack_elements(pending.corrections(), &mut message);
    channel.send(OLE_CORRECTIONS, &message)?;
    let count = pending.corrections().len();
    let peer = channel.recv(OLE_CORRECTIONS, message.len())?;
    let peer =
        unpack_elements(peer, count).map_err(|error| Error::malformed(OLE_CORRECTIONS, error.to_string()))?;
    pending.finish(&peer)
}
