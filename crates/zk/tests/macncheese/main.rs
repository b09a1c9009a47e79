//! Mac'n'Cheese from outside: honest proofs, disjunctions of any nesting, cheats, meddling networks, the
//! privacy of the choice.
//!
//! | module | what it holds |
//! |---|---|
//! | `parties` | both parties of a proof, on two threads |
//! | `machine`, `programs` | statements, shared with the tests of Robin |
//! | `trees` | statements whose branches are disjunctions |
//! | the others | the tests |

#![allow(clippy::expect_used, reason = "in tests, outside the test functions too")]
#![allow(dead_code, reason = "helpers shared with other suites")]

#[path = "../disjunction/machine.rs"]
mod machine;
mod parties;
#[path = "../disjunction/programs.rs"]
mod programs;
mod trees;

mod choosing;
mod costs;
mod honest;
mod lies;
mod nesting;
mod privacy;
mod random;
mod repeating;
