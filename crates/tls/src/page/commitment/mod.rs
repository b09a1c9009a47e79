//! Pedersen commitments to authenticated bits. V attests them without seeing the payload, and P can open them
//! to others later.
//!
//! A payload that was proved exists as bits that only the two parties can prove anything about. A
//! [`Commitment`] works for anybody:
//!
//! ```text
//! C = v G + r H        on Ristretto; v: at most 252 bits of the payload, r: the blinding, which P keeps
//! ```
//!
//! `G` is the base point. `H` is hashed to the group, so nobody knows its logarithm. V signs `C` in the
//! [attestation](crate::attestation). P keeps `v` and `r`, its [`Openings`]. It can show them to anybody, or
//! prove with [`range`] that `v` lies between two bounds. `C` alone says nothing about `v`, even to an
//! unbounded computer.
//!
//! # The conversion
//!
//! Xie, Yang, Wang, Weng, "Lightweight Authentication of Web Data via Garble-Then-Prove" (USENIX Security
//! 2024), section 3.2.5, with the checks that keep a cheating V from learning bits. A bit `u_i` has the tag
//! `M_i` at P and the key `K_i` at V, `K_i = M_i + u_i delta` in GF(2^128). `h` is a random oracle into the
//! integers modulo the group's order `q`, of its own in every run. V draws `Gamma`. Then
//!
//! ```text
//! W_i = h(i, K_i) - h(i, K_i + delta) + Gamma              V sends it
//! t_i = h(i, M_i) + u_i W_i  =  h(i, K_i) + u_i Gamma      P has tag t_i, V has key h(i, K_i), modulo q
//! ```
//!
//! and with `v = sum 2^b u_b`, `t = sum 2^b t_b` and `k = sum 2^b h(b, K_b)` over the bits of a value,
//! `t = k + v Gamma`.
//!
//! ```text
//!       P                                                        V
//! 1                          <---   CommitKeys, CommitDifferences     a hash of V's keys of 128 random bits; all W_i
//! 2     CommitPoints         --->                                     C_j = v_j G + r_j H; C_0 of a mask, 252 random bits
//! 3                          <---   CommitChallenge                   chi_j, one for each value
//!       CommitPromise        --->                                     hash of a nonce and of the opening (v, t, r):
//!                                                                     v = v_0 + sum chi_j v_j; t, r likewise
//!       ...                         ...                               every other proof under delta ends
//! 4                          <---   CommitReveal                      delta, Gamma
//!       recomputes the 128 keys and all W_i
//! 5     CommitOpening        --->                                     v, t, r and the nonce
//!                                                                     t = k_0 + sum chi_j k_j + v Gamma
//!                                                                     v G + r H = C_0 + sum chi_j C_j
//! ```
//!
//! The step that ends them consumes both parties' states, the pool of correlations and, at V, delta. After
//! step 4 nothing under delta can be trusted any more, so nothing is left that could be proved.
//! [`Prover::commit`] and [`Verifier::receive`] run steps 1 to 3; [`Prover::open`] and [`Verifier::reveal`]
//! run steps 4 and 5.
//!
//! # What each party detects
//!
//! **P commits to other bits.** The challenges are independent and drawn after the commitments. So the
//! committed values have the same combination as the bits with probability `1/q` at most. Any other
//! combination requires a tag that P does not have: it differs by a multiple of `Gamma`, which the `W_i` hide
//! from a party that knows one of each two preimages, and which P learns only after its promise.
//!
//! **V makes a `W_i` wrong**, so that `t` is wrong if `u_i` is one. Before step 4 P sends the same messages
//! whatever its bits are, except for values that the promise's nonce and the blindings hide. In step 4 it
//! recomputes every `W_i`, including those of zero bits, so whether it stops does not depend on its bits. For
//! that V must show the delta and `Gamma` that it used. V is bound to delta by its 128 keys. If delta
//! changes, half of them change, and which half depends on bits that V does not know, so V passes with
//! probability `2^-128`. Bits of the payload could not be used for this, because V may know them.
//!
//! **The opening** shows `v`, masked by 252 random bits (at a statistical distance of `2^-127` from uniform
//! modulo `q`), `r`, masked by `r_0`, and `t`, which V can compute from `v`.
//!
//! Cost: 32 bytes from V for each bit, 32 bytes from P for each value, two hashes for each bit at each party,
//! and three round trips. Correlations: [`CORRELATIONS`]. Time depends only on the layout, not on bits, keys
//! or blindings.
//!
//! # Map
//!
//! | item | what it is |
//! |---|---|
//! | [`Layout`], [`Place`], [`Form`] | which bits make up which values; which parts of the payload they are |
//! | [`Prover`], [`Verifier`] | the conversion |
//! | [`CommittedBits`] | the conversion of places, as the end of a session |
//! | [`Commitment`], [`Opening`] | a point; a value and its blinding |
//! | [`Openings`] | the holder's openings: a file, and its check against an attestation |
//! | [`range`], [`RangeFile`] | that a committed number lies between two others: the proof; a file with one about an attestation |

mod committed_bits;
mod file;
mod layout;
mod openings;
mod pedersen;
mod prover;
pub mod range;
mod range_file;
mod run;
#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;
mod verifier;

pub use committed_bits::CommittedBits;
/// An integer modulo the group's order, such as a blinding.
pub use curve25519_dalek::scalar::Scalar;
pub use layout::{Form, Layout, MAX_VALUES, Place, VALUE_BITS};
pub use openings::{Disclosed, MAX_BYTES, Openings, OpeningsError};
pub use pedersen::{Commitment, Opening};
pub use prover::Prover;
pub use range_file::{Bounded, RangeFile, RangeFileError};
pub use run::CORRELATIONS;
pub use verifier::Verifier;
