//! Disjunctions from outside: whichever branch holds, none, mixtures, other programs, meddling networks.
//!
//! | module | what it holds |
//! |---|---|
//! | `programs` | random branches with a witness |
//! | `machine` | a machine whose step is one of several instructions, its state carried on |
//! | `parties` | both parties of a proof, on two threads |
//! | the others | the tests |

mod parties;
pub(crate) mod programs;

mod batch;
mod gates;
mod honest;
mod lies;
pub(crate) mod machine;
mod within;
mod work;
