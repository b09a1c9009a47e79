//! Correlations for the proof, made while tables are sent.
//!
//! Tables take long on the wire and correlations hardly any bytes. So at each message of tables both parties
//! make some correlations, and neither has to wait until the last table has come. Both count tables, not
//! their own messages, so they make the same numbers at the same places.

use volery_channel::Channel;
use volery_vole::correlations::Pool;

use crate::Error;

/// The number of correlations made for 16 tables, if `count` are needed in all and `ahead` tables have gone
/// without any.
///
/// What is garbled ahead is proved later, together with claims about the results. In a TLS connection that
/// takes 7 to 20 correlations for ten tables: fewest for long requests under AES, because S-boxes are cheaper
/// to prove than to garble; most with ChaCha20, much of which is proved and not garbled. At this rate all are
/// there when the last table is sent if there are at least nine tables for eight of them. Otherwise the rest
/// is made after it. With more at once, garbling and making them would take longer than the network takes for
/// the tables.
const fn rate(count: u64, ahead: u64) -> u64 {
    let tables = count.saturating_add(count / 8).saturating_sub(ahead);
    let (rate, tables) = (count.saturating_mul(16), if tables == 0 { 1 } else { tables });
    match rate / tables {
        ..16 => 16,
        rate @ 16..32 => rate,
        _ => 32,
    }
}

/// The number of tables that go ahead of the first correlation in every session
/// ([`Garbler::prepare_beside`](super::Garbler::prepare_beside)). So the answers that the parties need from
/// each other before they can make correlations do not delay tables. While it garbles this many, P waits for
/// nothing: neither for labels that it lacks ([`Garbler::without_labels`](super::Garbler::without_labels))
/// nor for a round of correlations. The tables are 4 MB of three halves, 32 ms on a network of 1 Gbit/s.
pub(super) const TABLES_AHEAD: u64 = 160_000;

/// The progress of the correlations.
#[derive(Clone, Copy, Default)]
pub(super) struct Beside {
    /// The number of tables that still go ahead.
    ahead: u64,
    /// The number of the first correlation that is made beside tables.
    start: u64,
    /// The number of correlations due, in sixteenths.
    due: u64,
    /// The number of correlations for each table, in sixteenths.
    rate: u64,
    /// All correlations before this number are made.
    made: u64,
    /// All before this number will be made.
    end: u64,
}

impl Beside {
    /// Makes correlations from those taken so far to number `end`, beside the tables after the next `ahead`.
    pub(super) fn until(pool: &Pool, ahead: u64, end: u64) -> Self {
        let start = pool.index();
        Self { ahead, start, due: 0, rate: rate(end.saturating_sub(start), ahead), made: start, end }
    }

    /// Called when this many tables were sent or received.
    pub(super) fn advance(
        &mut self,
        channel: &mut dyn Channel,
        pool: &mut Pool,
        tables: usize,
    ) -> Result<(), Error> {
        let tables = tables as u64;
        let waiting = tables.min(self.ahead);
        self.ahead -= waiting;
        self.due = self.due.saturating_add(self.rate.saturating_mul(tables - waiting));
        let made = self.start.saturating_add(self.due / 16).min(self.end);
        if self.made < made {
            self.made = made;
            pool.make(channel, self.made)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_correlations_as_tables_are_made_and_at_most_twice_as_many() {
        for ahead in [0, 8, TABLES_AHEAD] {
            for count in [0, 1, 7, 100, 160_000, 1 << 20, u64::MAX] {
                assert!((16..=32).contains(&rate(count, ahead)), "{count} {ahead}");
            }
        }
        // Few tables after the first ones, and many.
        for ahead in [8, TABLES_AHEAD] {
            assert_eq!((rate(ahead, ahead), rate(100 * ahead, ahead)), (32, 16));
        }
    }
}
