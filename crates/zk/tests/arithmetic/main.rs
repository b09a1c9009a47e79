//! QuickSilver over fields: honest proofs of every kind of claim, and cheating ones.

#![allow(clippy::expect_used, reason = "in tests, outside the test functions too")]

mod deal;
mod honest;
mod mixed;
mod parties;
