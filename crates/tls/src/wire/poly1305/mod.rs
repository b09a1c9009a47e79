//! ChaCha20-Poly1305's tags from a one-time key that neither party sees.
//!
//! ```text
//! tag = (C(r) mod p) + s   modulo 2^128       C(r) = sum over i of c_i r^i       p = 2^130 - 5
//!
//! c_q, ..., c_1 public blocks, 2^128 added to each:  header | ciphertext | their lengths
//! r, s          the first 32 bytes of the record's key stream, r clamped
//! ```
//!
//! (RFC 8439, sections 2.5 and 2.8.) Each record has its own `r` and `s`. Neither party may know `r` while
//! the connection is open: whoever has the tag of one ciphertext and `r` has that of every other.
//!
//! # The protocol
//!
//! ```text
//! P                                                                                    V
//! ahead: n + 2 random products modulo p (OLE)                              <------>
//!        x random, not 0; u random: its products will have
//!        x, x^2, ..., x^n;  x u;  x                                         ------->   n + 2 corrections
//!
//! products of wires with 1 and 1/x: shares a + b = r, and of r / x          ------->
//! its share of r / x                                                       ------->   y = r / x
//!                                                                          <-------    corrections of y, ..., y^n;  y;  y v,  v random
//! shares of z_i = x^i y^i = r^i, and of r (u + v)                          <-------    its share of X + v
//! its share of X, plus u                                                   ------->    both: D = X + u + v
//! circuit: the check, and the tag from both shares of C(r) = sum c_i z_i   <------>
//! ```
//!
//! The [products of wires](volery_garble::two_party::Garbler::products) have the bits of `r` that the machine
//! has, so both `b` and `y` are right whatever V does. For each block there is one product, whose random part
//! was made before the connection. Squares are not linear modulo `p`, so there is no shorter way to even
//! powers, as GCM has it ([`ghash`](super::ghash)).
//!
//! The shares of `C(r)` go back into a circuit, which adds them, reduces, and adds `s`. With additive shares
//! of `s` outside of the circuit carries would be lost. Opened before `s` is added, `C(r)` gives `r` away.
//!
//! # The check
//!
//! With `X` the sum of all `z_i` but the last, `Y` that of all but the first, and `u + v` the mask of `X` in
//! `D`,
//!
//! ```text
//! z_1 - r = 0         D z_1 - Y - r (u + v) = 0
//! ```
//!
//! if the powers are right, since the second is `r X - Y` then. Both are sums of one number of each party:
//! products with the public `D` are taken on shares.
//! [`Step::Poly1305Check`](super::step::Step::Poly1305Check) says whether P's two numbers and V's, with the
//! other sign, are the same bits. Its answer is opened, and both parties end the session if it is no. It
//! costs 259 ANDs and two products, however long the record is. (A product modulo `p` in the circuit takes
//! 28,000.) The numbers are compared in a circuit because neither party may see the other's: a V that cheated
//! would learn a value of a polynomial at `r`, and a P that cheated one that depends on bits of V's factors.
//!
//! **Why there is a check.** Nothing else binds V to `y^i`. V knows `y`, so with `w_i y^i` in the place of
//! `y^i` it gets shares of `w_i r^i`, and shares of `C'(r)` with `w_i = c'_i / c_i`. The tag would then be
//! that of another ciphertext, which V chose. V may sit between P and the server, and could put that
//! ciphertext in the place of P's: the server would act on a request that P never made, or P would read a
//! record that the server never sent.
//!
//! **What it proves to P.** For V, `r` is one of `2^106` values: `x` is uniform, so `y` says nothing of it,
//! `a` hides it in `b`, and P's corrections are masked. V chooses, before it sees P's share of the sum:
//! `w_i`, where `w_i y^i` is what it enters for `y^i`; `w` and `f`, where `w y` and `f y` are what it enters
//! for `y` and `y v`; and its share `D_V` of the sum. What P has in the two equations, V knows except for
//! `r`. With `X_V` for V's share of `X` and `D_P` for P's share of the sum, it is, up to a number that V
//! knows, and up to the sign,
//!
//! ```text
//! (w_1 - 1) r
//! (D_P + D_V) w_1 r  -  sum over 1 < i <= n of w_i r^i  -  r (w (D_P + X_V - sum over i < n of w_i r^i) + f)
//! ```
//!
//! V passes only if it enters both of these numbers. If one of them is not the same for all `r`, at
//! most `n` of the `2^106` values have the one that V enters. If both are,
//!
//! ```text
//! r: w_1 = 1        r^k, 1 < k <= n: w_k = w w_(k-1)        r: D_P (w_1 - w) = w X_V + f - w_1 D_V
//! ```
//!
//! `D_P` is uniform for V until it has it, because of `u`, and the rest of the last equation was chosen
//! before. So `w = w_1 = 1`, but with probability `1 / p`, and then all `w_k` are 1. **So `r` itself is the
//! challenge** for the powers, **and `u` for the mask.** No hash of messages is needed. *The order matters*:
//! a V that knew `D_P` could choose `D_V` for any `w`, and have `w^(k-1) r^k` for powers.
//!
//! What V still can do is add a constant to `C(r)`. For that to be the tag of another ciphertext, V has to
//! guess a value of the difference of two polynomials at `r`, which is what Poly1305 is built to withstand:
//! at most `8 q` of `2^106` values of `r` fit. A share beyond `p` counts as another one, or leaves the sum
//! unreduced. Even then the sum is below `2^130`, so no more values of `r` fit. In the check, where bits are
//! compared, it is only another number.
//!
//! **The tag goes to P alone**, by shares of which V has one that hides it. If it were opened to V before P
//! has seen the check's answer, a V that had chosen the polynomial would have a valid record for the server.
//!
//! # What a cheating party can do
//!
//! * *V* makes the tag wrong, and the server refuses the record. It learns nothing about `r`: all it sees is
//!   `b`, `y`, P's corrections, and shares that P masked. By the check's answer it can try one guess, and P
//!   ends the session if it is wrong.
//! * *The check binds V only.* P can spoil the products so that they are those of any `r'` that is an affine
//!   function of bits that it garbled, without a guess, and the check still holds. With a constant `r'` it
//!   learns `s` of a record of its own. That harms nobody: `s` masks one tag, and V computes each tag in the
//!   end from proved `r` and `s`; the tag of a record of the server's is never told; and each one-time key
//!   makes one tag, since its number is the record's, and its circuit is used up.
//! * *P* may use anything for `x^i`, spoil the products, so that they depend on bits of V's factors or of
//!   `r`, or garble something else. The proof in the end shows what was garbled; products are never proved.
//!   But P gets nothing of V's that is not masked, apart from the tag and the check's answer: `v` masks V's
//!   share of the sum. The tag is masked by `s`, of which P knows nothing. The answer is one bit, and the
//!   session ends if it is no. *P cannot let the server have another request than V, or show V another record
//!   than the server's.* In the end P shows `r` and `s` of each record, proves them, and V computes the tag
//!   of the ciphertext that it holds, in the clear. So P must have had the tags of two ciphertexts while the
//!   connection was open, and their difference, `C(r) - C'(r)`, fits at most `8 q` values of `r`. Whatever
//!   guesses P put into products: in all runs that V does not end, P has seen the same, so `r` is in the
//!   right place with probability `8 q / 2^106` at most.
//!
//! A share that leaves its range is P's own input, too, which changes the sum by a known constant.

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz;
mod prover;
mod shares;
#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;
mod verifier;

#[cfg(test)]
pub(crate) use prover::powers as powers_of;
pub(crate) use prover::{ProverAhead, ProverConverted, ProverSummed};
pub(crate) use shares::{Shares, Sign, TagInputs};
pub(crate) use verifier::{VerifierAhead, VerifierConverted, VerifierOffered};

use volery_field::{Element, F2, F130};

use crate::wire::ghash::BLOCK_BYTES;
use crate::wire::step::{BLOCK_BITS, POLY1305_SHARE_BITS};

/// The fewest powers that are made and checked: a record has a header and lengths.
pub(crate) const MIN_POWERS: usize = 2;

/// The bits of `r` that are not zero (RFC 8439, section 2.5.1).
const CLAMP: u128 = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;

/// The wires of `r`, from those of the one-time key, with the power of two that each stands for.
pub(crate) fn places<W: Clone>(key: &[W]) -> Vec<(usize, W)> {
    let bits = key.iter().take(BLOCK_BITS).cloned().enumerate();
    bits.filter(|(i, _)| CLAMP >> i & 1 == 1).collect()
}

/// The number of powers of `r` that are made for a record of this many blocks.
#[must_use]
pub(crate) const fn powers(blocks: usize) -> usize {
    if blocks < MIN_POWERS { MIN_POWERS } else { blocks }
}

/// The number of products that both parties must have prepared for this many powers.
#[must_use]
pub(crate) const fn products(powers: usize) -> usize {
    powers + 2
}

/// The public blocks of a record, `c_1` first: the reverse of header and ciphertext, both padded with zeros,
/// and their lengths in bytes.
pub(crate) fn coefficients(header: &[u8], ciphertext: &[u8]) -> Vec<F130> {
    let number = |bytes: &[u8]| {
        let mut block = [0; BLOCK_BYTES];
        block.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        u128::from_le_bytes(block)
    };
    let lengths = header.len() as u128 | (ciphertext.len() as u128) << 64;
    let strings = header.chunks(BLOCK_BYTES).chain(ciphertext.chunks(BLOCK_BYTES));
    let blocks = strings.map(number).chain([lengths]);
    // The low block, then 2^128.
    let mut blocks: Vec<_> = blocks.map(|block| F130::from_blocks(&[block, 1])).collect();
    blocks.reverse();
    blocks
}

/// The bits of an element, lowest first.
pub(crate) fn element_bits(element: F130) -> impl Iterator<Item = F2> {
    let words = element.to_packed();
    (0..POLY1305_SHARE_BITS).map(move |i| F2::from_lsb(words[i / 64] >> (i % 64)))
}
