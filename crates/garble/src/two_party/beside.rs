//! Correlations for the proof, made beside tables.
//!
//! Tables take long on the wire and correlations hardly any bytes, so each message of tables is a moment at which both parties make some:
//! neither then waits until the last table has come. Both count tables and not messages of their own, so they make the same numbers at the
//! same places.

use volery_channel::Channel;
use volery_vole::supply::Stock;

use crate::Error;

/// Correlations that are made for each table. What is garbled ahead is proved again, at one each, and something is said about
/// what came of it; with two all are there when the last table is, or nearly all.
const EACH: u64 = 2;

/// Tables that go ahead of the first of them ([`Garbler::prepare_beside`](super::Garbler::prepare_beside)), so that whatever the parties have to
/// answer each other before correlations can be made does not keep tables waiting. P waits for nothing while it garbles so many, be it labels that it
/// lacks ([`Garbler::without_labels`](super::Garbler::without_labels)) or a round of correlations; these are 4 MB of three halves, 32 ms on a
/// network of 1 Gbit/s.
pub const TABLES_AHEAD: u64 = if cfg!(test) { 8 } else { 160_000 };

/// How far the correlations are.
#[derive(Clone, Copy, Default)]
pub(super) struct Beside {
    /// Tables that still go ahead.
    ahead: u64,
    /// All before this number are made.
    made: u64,
    /// And will be, before this one.
    end: u64,
}

impl Beside {
    /// From those that were taken so far to number `end`.
    pub(super) fn until(stock: &Stock, end: u64) -> Self {
        Self { ahead: TABLES_AHEAD, made: stock.index(), end }
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
        let made = self.made.saturating_add(EACH.saturating_mul(tables - waiting)).min(self.end);
        if self.made < made {
            self.made = made;
            stock.make(channel, self.made)?;
        }
        Ok(())
    }
}
