//! Proofs from outside: honest runs, cheating provers, cheating verifiers, meddling networks.
//!
//! One program, because most of the time to compile these tests goes into protocols over fields, which they
//! share.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "in tests, outside the test functions too")]

mod bits;
mod disjunction;
mod field;
mod macncheese;
