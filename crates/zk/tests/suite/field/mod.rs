//! QuickSilver over fields from outside: honest runs, cheating provers, cheating verifiers, meddling
//! networks.
//!
//! | module | what it holds |
//! |---|---|
//! | `parties` | both parties of a proof, on two threads |
//! | `reference` | a plain prover after figures 3 to 5, which lies where it is told to |
//! | `univariate` | what it computes with |
//! | `claims` | small programs, true and false |
//! | `bits_as_elements` | statements over bits, over bytes |
//! | `mixed` | bits and elements in one proof |
//! | the others | the tests |

mod bits_as_elements;
mod claims;
mod parties;
mod pending;
mod reference;
mod univariate;

mod borders;
mod cheating_provers;
mod cheating_verifiers;
mod fiat_shamir;
mod gadgets;
mod honest;
mod memory;
mod messages;
mod mixed;
mod products;
mod random;
mod statements;
