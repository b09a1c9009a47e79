//! Sessions between two honest parties, and between an honest one and what a hostile network or peer makes of
//! the other.
//!
//! | module | what it holds |
//! |---|---|
//! | `support` | two parties on two threads, a channel that meddles, statements |
//! | the others | the tests |

#![allow(clippy::expect_used, reason = "in tests, outside the test functions too")]

mod support;

mod estimates;
mod evaluation;
mod fields;
mod hostile;
mod messages;
mod mismatches;
#[cfg(feature = "web")]
mod pages;
#[cfg(feature = "programs")]
mod programs;
mod proofs;
#[cfg(feature = "web")]
#[path = "../common/site.rs"]
mod site;
mod stacked;
#[cfg(feature = "web")]
mod visit;
#[cfg(feature = "web")]
mod web;
