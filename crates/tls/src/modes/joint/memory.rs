//! The memory that V's tables take.
//!
//! V stores everything that P garbles until the connection uses it: megabytes for a short request, a quarter
//! of a gigabyte for the longest that [`Limits`](super::Limits) allow. The exact number of bytes follows from
//! the connection's sizes, so V knows it from P's first message. V takes that much from a [`Budget`]
//! that all of its sessions share, or refuses before anything is garbled, and stores no more than that.

use volery_field::F2;
use volery_garble::Shape;
use volery_garble::two_party::Garbling;

use super::Error;
use super::program::{self, SHARE_BITS, Sizes};
use crate::memory::{Budget, Reservation, Shortage};
use crate::wire::step::{Step, TwoParty};

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

impl Sizes {
    /// The most bytes of tables that V stores when a connection of these sizes is prepared: all of them.
    pub(super) fn tables(&self, garbling: Garbling) -> Result<u64, Error> {
        let mut machine = Counting(0);
        let share = [(); SHARE_BITS];
        let master = program::prepared_master(&mut machine, [&share, &share])?;
        let reader = program::prepared(&mut machine, &master, self)?;
        program::prepared_spare(&mut machine, reader.as_ref(), self)?;
        Ok(machine.0.saturating_mul(garbling.table_bytes() as u64))
    }
}

/// Counts the ANDs of all steps. Wires are empty.
struct Counting(u64);

impl TwoParty for Counting {
    type Wire = ();
    type Error = Error;

    fn public(&mut self, bits: &[F2]) -> Result<Vec<()>, Error> {
        Ok(vec![(); bits.len()])
    }

    fn call(&mut self, step: &Step, inputs: &[()]) -> Result<Vec<()>, Error> {
        let shape = Shape::of(step, inputs.len())?;
        self.0 = self.0.saturating_add(shape.ands);
        Ok(vec![(); shape.outputs])
    }

    fn open(&mut self, wires: &[()]) -> Result<Vec<F2>, Error> {
        Ok(vec![F2::ZERO; wires.len()])
    }

    fn share(&mut self, wires: &[()]) -> Result<Vec<F2>, Error> {
        Ok(vec![F2::ZERO; wires.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_session_is_as_the_help_says() {
        use crate::modes::joint::{Limits, RoundSizes, settings};
        let tables = |sizes: Sizes| sizes.tables(settings().garbling).unwrap();
        let Limits { query, read, proved, .. } = Limits::default();
        let most = tables(Sizes {
            rounds: vec![RoundSizes { query: query - 1, read }, RoundSizes { query: 1, read: 0 }],
            proved,
        });
        assert!((150_000_000..=250_000_000).contains(&most), "{most}");
        let short = tables(Sizes::one(256, 256));
        assert!((7_000_000..=10_000_000).contains(&short), "{short}");
    }
}
