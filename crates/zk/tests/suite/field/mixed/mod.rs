//! Proofs over bits and a field at once.
//!
//! | module | what it holds |
//! |---|---|
//! | `reference` | the plain prover of mixed ones, made of those over bits and over a field, which lies about what ties them |
//! | `parties` | both parties, on two threads |
//! | the others | the tests |

mod cheating_provers;
mod honest;
mod messages;
mod parties;
mod polynomials;
mod reference;
