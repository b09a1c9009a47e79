//! Mac'n'Cheese from outside: honest proofs, disjunctions of any nesting, cheats, meddling networks, the
//! privacy of the choice. Statements are those that Robin is tested with.
//!
//! | module | what it holds |
//! |---|---|
//! | `parties` | both parties of a proof, on two threads |
//! | `trees` | statements whose branches are disjunctions |
//! | the others | the tests |

mod parties;
mod trees;

mod choosing;
mod costs;
mod honest;
mod lies;
mod nesting;
mod privacy;
mod random;
mod repeating;
