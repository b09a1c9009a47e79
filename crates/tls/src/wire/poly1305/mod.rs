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
//! ahead: n + 1 random products modulo p (OLE)                              <------>
//!        x random, not 0: its products will have 1/x, x, x^2, ..., x^n      ------->   n + 1 corrections
//!
//! circuit: r = a + b modulo p, from P's a                                   ------->   b
//!                                                                          <-------    correction of b: product b / x
//! a / x + its share of b / x                                                ------->   y = r / x
//!                                                                          <-------    corrections of y, ..., y^n
//! shares of z_i = x^i y^i = r^i                                                        shares of z_i
//! circuit: the check, and the tag from both shares of C(r) = sum c_i z_i   <------>
//! ```
//!
//! `x y = r` needs that `r` is not zero. Of `2^106` values one is. For each block there is one product, whose
//! random part was made before the connection. Squares are not linear modulo `p`, so there is no shorter way
//! to even powers, as GCM has it ([`ghash`](super::ghash)).
//!
//! The shares of `C(r)` go back into a circuit, which adds them, reduces, and adds `s`. With additive shares
//! of `s` outside of the circuit carries would be lost. Opened before `s` is added, `C(r)` gives `r` away.
//!
//! # The check
//!
//! `rho` is a hash of the session, the record's number and all corrections above with P's part of `y`, in
//! order. The parties compute shares of
//!
//! ```text
//! z_1        X = sum over 0 < i < n of rho^i z_i        Y = sum over 1 < i <= n of rho^(i-1) z_i
//! ```
//!
//! and [`Step::Poly1305Check`](super::step::Step::Poly1305Check) says whether `z_1 = r` and `r X = Y`. Its
//! answer is opened, and both parties end the session if it is no. It costs one product modulo `p` in the
//! circuit, however long the record is.
//!
//! **Why there is a check.** Nothing else binds V to `y^i`. V knows `y`, so with `w_i y^i` in the place of
//! `y^i` it gets shares of `w_i r^i`, and shares of `C'(r)` with `w_i = c'_i / c_i`. The tag would then be
//! that of another ciphertext, which V chose. V may sit between P and the server, and could put that
//! ciphertext in the place of P's: the server would act on a request that P never made, or P would read a
//! record that the server never sent.
//!
//! **What it proves to P.** V's choices are `e`, where `b + e` is what it used in the place of `b`; the
//! `w_i`, where `w_i y^i` is what it used for `y^i`; and constants that it adds to the shares that it gives
//! to the circuit. With `u = r + e`, `x y = u` and `z_i = w_i u^i`. For V, `r` is one of `2^106` values: `y`
//! is `u` times a random number. The circuit verifies
//!
//! ```text
//! w_1 u + f_1 = r                 r (f + sum over i < n of w_i rho^i u^i) = g + sum over 1 < i <= n of w_i rho^(i-1) u^i
//! ```
//!
//! with V's constants `f_1, f, g`. Equations that are not the same for all `r` hold for at most `n + 1` of
//! them. If they are, the coefficients of `u^n` and of `u^i`, `1 < i < n`, say
//!
//! ```text
//! w_(n-1) = w_n                   w_(i-1) - w_i = e rho w_i
//! ```
//!
//! `e` and all `w_i` were fixed before `rho`: V's corrections are in the hash, and the random factors that
//! they correct were fixed when the products were made. So unless all `w_i` are equal and `e w_i = 0`, at
//! most `n` of `2^130` values of `rho` pass, for each time V computes the hash. The first equation says that
//! `w_1 = 1`. Hence `w_i = 1`, and `e = 0` because `n` is [at least 3](MIN_POWERS). What V still can do is
//! add a constant to `C(r)`. For that to be the tag of another ciphertext, V has to guess a value of the
//! difference of two polynomials at `r`, which is what Poly1305 is built to withstand: at most `8 q` of
//! `2^106` values of `r` fit. A share beyond `p` counts as another one, or leaves the sum unreduced. Even
//! then the sum is below `2^130`, so no more values of `r` fit.
//!
//! **The tag goes to P alone**, by shares of which V has one that hides it. If it were opened to V before P
//! has seen the check's answer, a V that had chosen the polynomial would have a valid record for the server.
//!
//! # What a cheating party can do
//!
//! * *V* makes the tag wrong, and the server refuses the record. It learns nothing about `r`: all it sees is
//!   `y`, P's corrections, and shares that P masked. By the check's answer it can try one guess, and P ends
//!   the session if it is wrong.
//! * *P* may use anything for `x^i`, spoil the products, so that they depend on bits of V's factors, or
//!   garble something else. The proof in the end shows what was garbled; products are never proved. But P
//!   gets nothing of V's that is not masked, apart from the tag and the check's answer. The tag is masked by
//!   `s`, of which P knows nothing. The answer is one bit, and the session ends if it is no. *P cannot let
//!   the server have another request than V, or show V another record than the server's.* In the end P shows
//!   `r` and `s` of each record, proves them, and V computes the tag of the ciphertext that it holds, in the
//!   clear. So P must have had the tags of two ciphertexts while the connection was open, and their
//!   difference, `C(r) - C'(r)`, fits at most `8 q` values of `r`. Whatever guesses P put into products: in
//!   all runs that V does not end, P has seen the same, so `r` is in the right place with probability `8 q /
//!   2^106` at most.
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
pub(crate) use prover::{ProverAhead, ProverConverted, ProverFactor, ProverFactored, send_mask};
pub(crate) use shares::{Shares, TagInputs};
pub(crate) use verifier::{VerifierAhead, VerifierOffered, receive_mask};

use volery_field::{Element, F2, F130};

use crate::Error;
use crate::wire::ghash::BLOCK_BYTES;
use crate::wire::step::POLY1305_SHARE_BITS;

/// The fewest powers that are made and checked, also for a record of fewer blocks; see the
/// [module](self#the-check).
pub(crate) const MIN_POWERS: usize = 3;

/// The number of powers of `r` that are made for a record of this many blocks.
#[must_use]
pub(crate) const fn powers(blocks: usize) -> usize {
    if blocks < MIN_POWERS { MIN_POWERS } else { blocks }
}

/// The number of products that both parties must have prepared for this many powers.
#[must_use]
pub(crate) const fn products(powers: usize) -> usize {
    powers + 1
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

/// The element with these bits, lowest first. Numbers from `p` on, which no honest party has but with
/// probability `2^-127`, stand for their classes.
///
/// # Errors
/// [`Error::Misuse`] unless there are 130 bits.
pub(crate) fn element(bits: &[F2]) -> Result<F130, Error> {
    if bits.len() != POLY1305_SHARE_BITS {
        return Err(Error::Misuse(format!("a number modulo 2^130 - 5 of {} bits", bits.len())));
    }
    let mut blocks = [0; 2];
    for (block, bits) in blocks.iter_mut().zip(bits.chunks(128)) {
        *block = bits.iter().rev().fold(0, |block, bit| block << 1 | u128::from(bit.to_u8()));
    }
    Ok(F130::from_blocks(&blocks))
}

/// The bits of an element, lowest first.
pub(crate) fn element_bits(element: F130) -> impl Iterator<Item = F2> {
    let words = element.to_packed();
    (0..POLY1305_SHARE_BITS).map(move |i| F2::from_lsb(words[i / 64] >> (i % 64)))
}
