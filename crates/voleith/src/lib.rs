//! Public proofs of large statements over bits: one file that anyone can verify, from VOLE in the head.
//!
//! P makes the correlations of QuickSilver by itself, from trees of seeds that it commits to. V's key, delta,
//! is a hash of everything that P has committed to and answered. Then P opens all leaves but one of each
//! tree, from which anybody computes V's side of the correlations under that delta, and runs QuickSilver's
//! verifier:
//!
//! ```text
//! P  commits to all leaves                                     k = m + u delta     P has (u, m) from all leaves,
//!    corrections, masked bits d = w + u                                            V (k, delta) from all but one of
//!      challenge 1 = H(all of this)   hash of columns, coefficients of relations   each tree, chosen by delta
//!    hash of u, hashes of all columns, combination of all relations
//!      challenge 2 = H(all of this)   delta
//!    opens all leaves but those at delta
//! ```
//!
//! It takes 11 or 16 bits of proof for each AND, with symmetric cryptography only (AES and BLAKE3), and no
//! set-up. The proof of the relations is that of `volery_zk`, over another channel and other correlations. So
//! is that of disjunctions ("one of these circuits holds", by Robin), which take three times as many bits for
//! each AND of the largest branch, and do not show which one holds. Memory does not grow with the statement,
//! except by 16 bytes for each AND of the largest branch while its disjunction is proved, and by a bit for
//! each AND at P up to 16 MB.
//! Papers: Baum, Braun, Delpech de Saint Guilhem, Klooß, Orsini, Roy, Scholl, *Publicly Verifiable
//! Zero-Knowledge and Post-Quantum Signatures from VOLE-in-the-Head*, CRYPTO 2023; FAEST, version 2.
//!
//! ```
//! use std::io::Cursor;
//!
//! use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
//! use volery_circuit::statements::Aes128Key;
//! use volery_voleith::{Demands, Message, Settings, prove, verify};
//!
//! // FIPS 197, appendix C.1.
//! let plaintext = std::array::from_fn(|i| i as u8 * 0x11);
//! let ciphertext = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
//! let known = Aes128Key::new(plaintext, ciphertext).with_key((0..16).collect::<Vec<u8>>().into())?;
//!
//! // Whoever knows the key signs a message.
//! let message = Some(Message::new(b"I have read this."));
//! # // A fixed seed keeps the example short; a program takes the operating system's generator.
//! # let mut rng = ChaCha20Rng::from_seed([0; 32]);
//! let mut file = Cursor::new(Vec::new());
//! prove(&known, &Settings { message, ..Settings::default() }, &mut rng, &mut file)?;
//!
//! let claim = Aes128Key::new(plaintext, ciphertext);
//! let demands = Demands { sigma: 128, message, threads: None };
//! verify(&claim, &demands, &mut file.get_ref().as_slice())?;
//! assert!(verify(&claim, &Demands::default(), &mut file.get_ref().as_slice()).is_err());
//! # Ok::<(), volery_voleith::Error>(())
//! ```
//!
//! # Map
//!
//! | what | where |
//! |---|---|
//! | making and checking proofs, the transcript | [`prove`], [`verify`] (`proof`) |
//! | parameters and shapes of trees; the bound in numbers | [`Parameters`], [`Shape`]; [`soundness`] |
//! | commitment to all leaves and its opening | [`commitment`] |
//! | from leaves to correlations | [`columns`], `generator` |
//! | the hash of the columns | `hashes` |
//! | AES and BLAKE3 as nodes, leaves and streams | [`primitive`] |
//! | what a proof will take | [`rehearse`], [`Estimate`] (`estimate`) |
//! | the format of a proof, and its length | [`Header`], [`proof_bytes`] (`header`); `files` |
//!
//! # Soundness
//!
//! Hashes are random oracles. Take a P that makes a proof of a false statement; it computes `q` hashes, among
//! them those of its proof. `k` is the number of delta's free bits, `D` the greatest degree of a relation,
//! `T` the number of trees, and `B` the number of branches of the largest disjunction, or 0. A disjunction of
//! `b` branches is a relation of degree `b`.
//!
//! **What is fixed before challenge 1.** The hash of the leaves' commitments fixes every leaf, hence each
//! tree's vector `u_t` and its columns, unless two leaves or two lists have one hash of 256 bits. With the
//! corrections `c_t` (and `c_0 = 0`), tree `t` stands for the values `e_t = u_t + c_t`. The masks `d` fix the
//! values `e_t + d` that P has committed to if `u = e_t`. There are at most `T` such vectors. Statement,
//! message, parameters, the counts of operations and all public constants are in the same hash, those of all
//! branches included. So the relations of a vector of values are fixed, too, except for the terms of P's
//! choice (tags), which no challenge tests. In a disjunction, the *rows* of each branch are fixed: the values
//! that are zero if the branch holds, all linear in committed ones (`volery_zk::disjunction`).
//!
//! **Challenge 1** selects the linear hash `R` of 144 bits, the coefficients `chi` of the relations, and
//! those of the rows of disjunctions (`s`, `beta`, `t`) at once, so that P has to run the statement twice
//! only. Two bad events, for each hash that P computes:
//!
//! * Two different `e_s`, `e_t` (with their masks) have one `R`: at most `T (T - 1) / 2` pairs, `2^-144`
//!   each (`hashes`).
//! * For one of the at most `T` vectors, whose relations and disjunctions do not all hold, the combination of
//!   the errors under `chi` is zero. The error of a disjunction is the product of its branches' check values,
//!   each a combination of the branch's rows. If no branch holds, each has rows that are not all zero, and
//!   its check value is zero with probability `5 2^-128` at most (`disjunction::soundness`, for one challenge
//!   that comes after all rows). So one wrong disjunction has the error zero with probability `5 B 2^-128`,
//!   and errors that are not all zero cancel under `chi`, which is independent of the rows' coefficients,
//!   with probability `2^-128`: `(1 + 5 B) 2^-128` for a fixed vector, for coefficients that come uniformly.
//!   (One wrong disjunction is enough for P to be caught, so the others do not count.) Coefficients are a
//!   function of a seed of 192 bits, and P may make its errors for some seeds; with `N` errors it can do so
//!   for about `N / 64` seeds, which adds `(1 + N / 64) 2^-192`. So at most `T ((1 + 5 B) 2^-128 +
//!   (1 + N / 64) 2^-192)`. This is the union bound that pays for drawing `chi` before `R u` is known: P
//!   chooses *which* vector it goes on with after it has seen `chi`. The challenge must have
//!   [`Parameters::column_grinding`] zeros, so that a hash that has them and is bad has probability `2^-130`.
//!
//! **What is fixed before challenge 2.** P gives `h` for `R u` and all columns' hashes, the combination's `D`
//! coefficients, and a hash of the tags of zeros. V's columns are `w_t = v_t + y_t e_t` with `y_t` delta's
//! piece of tree `t`, so V's hashes fit only if `y_t (R e_t + h)` is a value that P has fixed, for each `t`.
//! Let `S` be the trees with `R e_t = h`. For the others at most one `y_t` fits. If `S` is empty, at most one
//! delta is accepted. Else, without the first bad event, all trees in `S` stand for one vector `e`, and for
//! the only pieces of the others with which P is not rejected, V's keys are those of `e` under tags that P
//! knows. So V's check is that of QuickSilver about `e`: P's coefficients and V's keys give a polynomial in
//! delta of degree `D` at most, whose top coefficient is the combination of `e`'s errors, not zero without
//! the second bad event. (A disjunction's part is `prod (m_i + v_i X)` over its check values `v_i` with tags
//! `m_i`, which V has as `prod k_i`; times a power of `X`, as every relation of a degree below `D`.) It has
//! at most `D` roots. If the relations hold, an assertion that does not hold has a tag that must hit P's
//! hash: one delta. In all at most `D` of the `2^k` keys lead to acceptance.
//!
//! **Challenge 2** must have [`Parameters::key_grinding`] zeros, `g` say, so each hash is accepted with
//! probability at most `D 2^-(k + g)`. The fast parameters have `k = 120` and the small ones `k = 121`; `g`
//! makes up for what is missing to 128 bits, for `log2(D)`, and for one bit more. Keys that have no opening
//! ([`commitment`]) only make fewer keys acceptable. One delta serves all of the proof, and all of it is one
//! block, so the bound does not depend on the length.
//!
//! [`soundness`] computes the sum: each hash is a query of one kind, so a P that computes `q` hashes succeeds
//! with probability at most `q 2^-sigma`, and `q^2 2^-256` for collisions.
//!
//! # Zero-knowledge
//!
//! Without the hidden leaf a verifier knows nothing about a tree's `u_t`, by [`primitive`]. So the
//! corrections, the masks, and the opened combination (masked by a VOPE of its own, disjunctions included)
//! are uniform to it; the hash `R u` is masked by 144 rows that nothing else uses; the columns' hashes and
//! the hash of zeros follow from what it knows. P opens under one challenge only, with fresh seeds and salt
//! for each proof. Its two passes commit to the same values, which it checks before it answers: two answers
//! about different values would show their difference. Which branch of a disjunction holds decides about
//! values only: lengths and the order of operations follow from the branches' shape, and P evaluates all
//! branches each time.
//!
//! # Fields
//!
//! Statements over other fields have no such proofs; `volery_mpcith` has ZKB++ for them. What they would
//! take, by counting: a tree with `N` leaves gives a VOLE over `F_p` whose key is one of `N` elements, `w_t =
//! sum (y_t - x) r_{t,x} = v_t + y_t u_t`. `T` of them are one VOLE whose key is an element of `F_(p^T)`, and
//! the bound is the one above, with the same trees and the same work for challenges. Each commitment takes
//! `T` elements of `F_p`, and each leaf makes one:
//!
//! | bytes of a commitment | `fast` | `small` | ZKB++, 128 bits |
//! |---|---|---|---|
//! | 32 bits | 64 | 44 | 880 |
//! | 61 bits | 122 | 84 | 1,750 |
//! | 254 bits | 508 | 349 | 7,000 |
//!
//! (Those of ZKB++ are what `volery info inner-product` says, for each of `2 n` secrets and `n` products.)
//! Over `F_{2^61-1}` 3,072 leaves make 1,536 blocks of AES output for a commitment, where bits take 24. That
//! is 1.1 microseconds at 0.7 ns a block for either party, and 7.9 in `small`, without additions modulo `p`.
//! Each multiplication takes a few products in `F_(p^16)`, of 81 to 256 multiplications of words each.
//!
//! Or each tree has a check of its own, with a key from `N` elements of `F_p` and coefficients from
//! `F_(p^3)`. A false statement passes it with probability `D / N`, so a tree of 256 leaves is worth 7 bits
//! and not 8 for products. With the same work for challenges, 128 bits take 17 such trees in place of 8 and 8
//! with half as many leaves: 4,352 leaves and not 3,072, without products in large extensions.
//!
//! What is missing for either: QuickSilver over fields in one block, with a challenge that comes after two
//! passes (`volery_zk` has it over bits); elements of `F_(p^16)` and `F_(p^11)`, or keys of a small set; and
//! a hash of columns that is linear over `F_p`. Rings of integers modulo `2^k` have zero divisors, so that
//! the count of a polynomial's roots, on which the bound rests, does not hold for them.

pub mod columns;
pub mod commitment;
mod error;
mod estimate;
mod files;
mod generator;
mod hashes;
mod header;
mod parameters;
pub mod primitive;
mod proof;
pub mod soundness;
#[cfg(test)]
mod tests;

pub use error::Error;
pub use estimate::{Estimate, Rehearsed, rehearse};
pub use header::{Header, proof_bytes};
pub use parameters::{Parameters, Shape};
pub use primitive::Native;
pub use proof::{Demands, Proved, Settings, prove, verify};
pub use volery_circuit::Message;
