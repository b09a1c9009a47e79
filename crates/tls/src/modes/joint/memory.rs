//! The memory that V's tables take.
//!
//! V stores everything that P garbles until the connection uses it: megabytes for a short request, a quarter
//! of a gigabyte for the longest that [`Limits`](super::Limits) allow. The exact number of bytes follows from
//! the connection's sizes, so V knows it from P's first message. V takes that much from a [`Budget`]
//! that all of its sessions share, or refuses before anything is garbled, and stores no more than that.

use super::Error;
use crate::memory::{Budget, Reservation, Shortage};

/// The name of the limit.
const TABLES: &str = "memory for garbled circuits (all sessions together)";

/// Takes memory for tables.
///
/// # Errors
/// [`Error::Busy`] if it is not available now; [`Error::Limit`] if it never will be.
pub(super) fn take(budget: &Budget, bytes: u64) -> Result<Reservation, Error> {
    let number = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
    budget.take(bytes).map_err(|lack| match lack {
        Shortage::Now => Error::Busy,
        Shortage::Ever { size } => Error::Limit { what: TABLES, asked: number(bytes), limit: number(size) },
    })
}
