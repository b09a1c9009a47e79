//! Proofs over bits and a field at once.
//!
//! | module | what it holds |
//! |---|---|
//! | `bits` | the plain prover of Boolean proofs |
//! | `reference` | the plain prover of mixed ones, made of the two, which lies about what ties them |
//! | `parties` | both parties, on two threads |
//! | the others | the tests |

#[path = "../../bits/reference.rs"]
#[expect(dead_code, reason = "its own lies are told in the tests of Boolean proofs")]
mod bits;
mod cheating_provers;
mod honest;
mod messages;
mod parties;
mod polynomials;
mod reference;
