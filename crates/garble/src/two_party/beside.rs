//! Correlations for the proof, made beside tables.
//!
//! Tables take long on the wire and correlations hardly any bytes, so each message of tables is a moment at
//! which both parties make some: neither then waits until the last table has come. Both count tables and not
//! messages of their own, so they make the same numbers at the same places.

use volery_channel::Channel;
use volery_vole::supply::Stock;

use crate::Error;

/// Correlations that are made for 16 tables, of `count` in all, when `ahead` tables have gone without any.
///
/// What is garbled ahead is proved again, and something is said about what came of it: in a connection of TLS
/// that takes nine correlations for ten tables at most, S-boxes being cheaper to prove than to garble. With
/// so many all are there when the last table is, or nearly all; with more at once garbling and making them
/// would take longer than the network takes for the tables.
const fn rate(count: u64, ahead: u64) -> u64 {
    let tables = count.saturating_add(count / 8).saturating_sub(ahead);
    let (rate, tables) = (count.saturating_mul(16), if tables == 0 { 1 } else { tables });
    match rate / tables {
        ..16 => 16,
        rate @ 16..32 => rate,
        _ => 32,
    }
}

/// Tables that go ahead of the first of them in every session
/// ([`Garbler::prepare_beside`](super::Garbler::prepare_beside)), so that whatever the parties have to answer
/// each other before correlations can be made does not keep tables waiting. P waits for nothing while it
/// garbles so many, be it labels that it lacks ([`Garbler::without_labels`](super::Garbler::without_labels))
/// or a round of correlations; these are 4 MB of three halves, 32 ms on a network of 1 Gbit/s.
pub(super) const TABLES_AHEAD: u64 = 160_000;

/// How far the correlations are.
#[derive(Clone, Copy, Default)]
pub(super) struct Beside {
    /// Tables that still go ahead.
    ahead: u64,
    /// The number of the first that is made beside tables.
    start: u64,
    /// Sixteenths of those that are due.
    due: u64,
    /// Sixteenths for each table.
    rate: u64,
    /// All before this number are made.
    made: u64,
    /// And will be, before this one.
    end: u64,
}

impl Beside {
    /// From those that were taken so far to number `end`, beside the tables after the next `ahead`.
    pub(super) fn until(stock: &Stock, ahead: u64, end: u64) -> Self {
        let start = stock.index();
        Self { ahead, start, due: 0, rate: rate(end.saturating_sub(start), ahead), made: start, end }
    }

    /// So many tables were sent, or received.
    pub(super) fn advance(
        &mut self,
        channel: &mut dyn Channel,
        stock: &mut Stock,
        tables: usize,
    ) -> Result<(), Error> {
        let tables = tables as u64;
        let waiting = tables.min(self.ahead);
        self.ahead -= waiting;
        self.due = self.due.saturating_add(self.rate.saturating_mul(tables - waiting));
        let made = self.start.saturating_add(self.due / 16).min(self.end);
        if self.made < made {
            self.made = made;
            stock.make(channel, self.made)?;
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
