//! QuickSilver from outside: honest runs, cheating provers, cheating verifiers, meddling networks.
//!
//! | module | what it holds |
//! |---|---|
//! | `parties` | both parties of a proof, on two threads |
//! | `reference` | a plain prover after figures 4 and 5, which lies where it is told to |
//! | `statements` | small statements, true and false |
//! | the others | the tests |

mod parties;
pub(crate) mod reference;
mod statements;

mod borders;
mod cheating_provers;
mod cheating_verifiers;
mod fiat_shamir;
mod honest;
mod messages;
mod polynomials;
mod s_boxes;
