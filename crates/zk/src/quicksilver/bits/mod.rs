//! QuickSilver over bits: one bit of communication for each multiplication (figure 4 of the paper,
//! p = 2, r = 128), and none for polynomials that must vanish (figure 5).
//!
//! A wire with value `x` is a tag `m` at P and a key `k` at V with `k = m + x * delta` in GF(2^128). Delta is
//! odd and every key even, so the least significant bit of `m` is `x`, and a wire takes 16 bytes at either
//! party. Additions are additions of tags and of keys. A public constant `c` has the tag `c` and the key
//! `c * (delta + 1)`.
//!
//! **Committing** to a bit `w` takes one random correlation `(u, m, k)` and one bit, `d = w + u`. The new tag
//! is `m + d`, and the new key `k + d * (delta + 1)`.
//!
//! **Multiplications** are committed like secret values and checked in blocks of [`Settings::interval`]. For
//! `c = a * b`
//!
//! ```text
//! B = k_a k_b + k_c delta  =  m_a m_b + (x_a m_b + x_b m_a + m_c) delta  =  A_0 + A_1 delta
//! ```
//!
//! holds if the product is right, and is off by `delta^2` if it is wrong. After all masks of a block V sends
//! a seed, which both parties expand to coefficients `w_i`. P sends `U = sum w_i A_0,i + A*_0` and
//! `V = sum w_i A_1,i + A*_1`, masked by 128 correlations packed into one over GF(2^128)
//! (`B* = A*_0 + A*_1 delta`; VOPE of degree 1, figure 3). V checks that `sum w_i B_i + B* = U + V delta`.
//!
//! **One random element serves 128 products**: `w_i = chi_(i / 128) x^(i mod 128)`. A product `i` is off by
//! `e_i delta^2` for a *bit* `e_i`: its wires are committed to as bits, under any P, and so are sums of wires
//! and public constants. If `e_i` is not zero for some `i` of a run, then `E = sum e_i x^(i mod 128)` over
//! the run is a polynomial of degree below 128 that is not zero, so an element that is not zero. All `e_i` of
//! the block are fixed before its seed is drawn. So `sum chi_g E_g` is zero with probability `2^-128` if some
//! product is wrong, as with a random element for each product. Relations whose errors are elements, such as
//! those of polynomials and S-boxes, would not do: errors `x` of one and `1` of the next cancel. They have
//! random elements of their own, from streams of their own, and never share one with products.
//!
//! **Polynomials** of degree `d` that must vanish are relations as in [`field`](super::field), over these
//! tags and keys: P's coefficients are those of the polynomial at `m + x X`, and `B` is its value at the
//! keys, with terms of degree `h` times `delta^(d-h)`. They are checked together with the products of the
//! block, which are relations of degree 2. With `D` the greatest degree in the block, P opens `D`
//! coefficients masked by a VOPE of degree `D - 1`, made from `2 D - 3` correlations over GF(2^128), each
//! packed from 128. Without polynomials these are `U` and `V`. A block also ends when P keeps three
//! coefficients of polynomials for each commitment that it takes.
//!
//! **S-boxes** of AES in gadgets are eight secret values (the output's bits) and two polynomials of degree 2
//! over GF(2^8), a subfield of the field of tags; `s_box` has the formulas. This takes a quarter of the bytes
//! and correlations of the circuit of 32 ANDs. If the statement has wires for the output already
//! ([`Prove::assert_substituted`](volery_circuit::Prove::assert_substituted)), the two polynomials are all.
//!
//! **Assertions**: a wire that is zero has equal tag and key, so P sends a hash of all such tags and V
//! compares.
//!
//! **Seeds that are hashes.** With [`Challenges::FiatShamir`](super::Challenges::FiatShamir) the values that
//! each seed tests, and the last message that fixes them, are:
//!
//! | seed | values it tests | last that fixes them |
//! |---|---|---|
//! | of a block | operands and results of its products and S-boxes, wires in its polynomials: committed to in this block or before | the block's last `Masks`; V's bytes for the batch of the block's mask, which is taken after all of them |
//! | of a proof in one block ([`Challenges::Known`](super::Challenges::Known)) | all of the proof's | those that the caller hashes: all `Masks` of the pass without a seed ([`Challenges::Committing`](super::Challenges::Committing)), whatever the correlations come from, and `Program` |
//! | asked for by a protocol on top ([`disjunction`](crate::disjunction)) | everything committed to so far | that block's `CheckOpening`; V's bytes as above |
//!
//! **Proofs in one block.** If the seed is known from the start, both parties add up relations as they come,
//! in memory that does not grow. At the end P sends `Program`, the counts and a hash of the public constants
//! (`constants`), then the opening and the assertions. V sends its own `Program` in place of P's: the channel
//! of such a proof is a transcript, which absorbs V's. P's pass without a seed sends the masks and `Program`
//! only.

mod claims;
mod constants;
mod masks;
mod one_block;
mod program;
mod prover;
mod s_box;
mod slots;
mod verifier;

pub use program::Program;
pub(crate) use program::{SAVED_BY_CLAIMED_S_BOX, SAVED_BY_S_BOX};
pub use prover::{Prover, ProverWire};
pub use verifier::{Verifier, VerifierWire};

/// The settings of a proof. Both parties need the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of commitments (secret values and multiplications) in a block. P keeps 48 bytes for each of
    /// them for at most two blocks. On a slow network it waits one round trip for each block. Each block
    /// costs 128 correlations and about 80 bytes.
    pub interval: usize,
}

impl Settings {
    /// P keeps this many coefficients of polynomials for each commitment that a block takes; with more, the
    /// block ends. They take as much memory as the commitments.
    pub(crate) const COEFFICIENTS: usize = 3;

    /// The most errors that P can choose in a block of a proof with this many ANDs and polynomials: one bit
    /// for each AND, and at most eight bits for each polynomial, which has two coefficients or more.
    pub(crate) const fn unknowns(self, multiplications: u64, polynomials: u64) -> u64 {
        let interval = if self.interval == 0 { 1 } else { self.interval as u64 };
        let of_polynomials = polynomials.saturating_mul(8);
        let most = interval.saturating_mul(4 * Self::COEFFICIENTS as u64);
        let products = if multiplications < interval { multiplications } else { interval };
        products.saturating_add(if of_polynomials < most { of_polynomials } else { most })
    }

    /// Two such blocks fit in the third-level cache.
    pub const LAN: Self = Self { interval: 1 << 17 };

    /// Larger blocks, for fewer waits.
    pub const WAN: Self = Self { interval: 1 << 18 };
}
