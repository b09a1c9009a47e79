//! The words of memory across segments.
//!
//! A segment takes each word that it touches as (address, value, segment of the last use), and leaves it as
//! (address, value, this segment). The log holds these tuples as wires at both parties until it is as long as
//! the list of *live* words, those that have been touched or are in the file. Then it is checked, under a
//! challenge of its own, and emptied:
//!
//! ```text
//! live words before + words that are new + what segments left  =  what segments took + live words after
//! ```
//!
//! as multisets. **Why every segment then takes what the last one left.** The live words after the check are
//! committed to with rising addresses, so no address occurs twice among them. For each address there are as
//! many tuples before (live or new) as after, since segments leave as many as they take: at most one. So a
//! word in the file is not new, and no word is new twice. A segment takes a tuple of an earlier segment (a
//! range), so the argument of [`volery_circuit::ram`] applies with segments for times: the one tuple of an
//! address is taken by the first segment that touches it, and so on; no segment can take two of one address,
//! since only one of an earlier segment is left.
//!
//! New words are zero, and lie in a region that is zero at first: the distances to the region's ends are
//! multiples of 4 below 2^34. So a word outside of all segments has no tuple, ever.

use volery_circuit::Challenge;
use volery_field::F61;
use zeroize::Zeroizing;

use super::argument::{self, Committed, Known, Part, told};
use super::buffers::{room_for, wiped};
use super::form::{Shape, Space, column, integer, number};
use super::public::{Public, Tables};
use super::regions::{file_words, place};
use super::segment::{commit, known};
use super::trace::Source;

/// Tuples of words that have not been checked.
pub(super) struct Log<W> {
    /// Live words at the last check: address, value, segment. Before the first check they are those of the
    /// file.
    live: Option<Part<W>>,
    /// What segments took and left: address, value, segment, value, segment.
    entries: Part<W>,
}

/// A live word's columns.
pub(super) const LIVE: usize = 3;

fn tuple(columns: [usize; 3]) -> [super::form::Form; 3] {
    columns.map(column)
}

impl<W: Clone> Log<W> {
    pub(super) fn new() -> Self {
        let mut shape = Shape::new(5);
        shape.consume(Space::Log, tuple([0, 1, 2]));
        shape.produce(Space::Log, tuple([0, 3, 4]));
        let entries = Part { shape, wires: Vec::new(), values: Zeroizing::default() };
        Self { live: None, entries }
    }

    /// Notes the words of a segment: address, value, segment of the last use, value and time at the end.
    pub(super) fn note<B: Challenge<F61, Wire = W>>(&mut self, b: &mut B, words: &Part<W>, segment: u32) {
        let now = F61::new(segment.into());
        let wire = b.constant(now);
        for word in words.wires.chunks_exact(5) {
            self.entries.wires.extend_from_slice(&word[..4]);
            self.entries.wires.push(wire.clone());
        }
        room_for(&mut self.entries.values, words.values.len());
        for word in words.values.chunks_exact(5) {
            self.entries.values.extend_from_slice(&word[..4]);
            self.entries.values.push(now);
        }
    }

    /// Checks and empties the log. `live` is how many words are live afterwards, `fresh` how many of them are
    /// new. P has the addresses of those.
    pub(super) fn check<B: Challenge<F61, Wire = W>>(
        &mut self,
        b: &mut B,
        tables: &Tables<'_>,
        (live, fresh): (usize, usize),
        source: Option<(&Source<'_>, &[u32])>,
    ) -> Result<(), B::Error> {
        b.enter("memory");
        b.begin_argument();
        let mut public = Known::default();
        let before = self.live.take().unwrap_or_else(|| {
            let words = file_words(tables.program);
            let read_only = |address| tables.regions.is_read_only(address);
            public.produced =
                words.map(|(address, value)| known(place(address, read_only(address)), value)).collect();
            Part { shape: Shape::new(LIVE), wires: Vec::new(), values: Zeroizing::default() }
        });
        let fresh = fresh_words(b, tables, fresh, source.map(|(_, fresh)| fresh))?;
        let after = live_words(b, live, source.map(|(source, _)| source))?;
        let gaps = gaps(b, &after)?;
        let empty = Self::new().entries;
        let entries = core::mem::replace(&mut self.entries, empty);
        let mut parts = [before, fresh, entries, after, gaps];
        argument::claim(b, &mut parts, &public, tables)?;
        let after = &mut parts[3];
        let mut shape = Shape::new(LIVE);
        shape.produce(Space::Log, tuple([0, 1, 2]));
        let (wires, values) = (core::mem::take(&mut after.wires), core::mem::take(&mut after.values));
        self.live = Some(Part { shape, wires, values });
        b.end_argument();
        b.leave();
        Ok(())
    }
}

/// What a new word says: address, first address and end of the region, lower limbs of the distances to them.
fn fresh_shape() -> Shape {
    let mut shape = Shape::new(5);
    let [address, low, end] = tuple([0, 1, 2]);
    shape.produce(Space::Log, [address.clone(), number(0), number(0)]);
    shape.look_up(Public::Region, [low.clone(), end.clone()]);
    shape.word((address.clone() - low).shifted_down(2), 3);
    shape.word((end - address).shifted_down(2) - number(1), 4);
    shape
}

/// What the gap between two live words says: both addresses, and the lower limb of their distance. Distances
/// are multiples of 4 from 4 to 2^34. There are fewer words than 2^24, so their sum is below the field's
/// characteristic, and no two addresses are equal.
fn gap_shape() -> Shape {
    let mut shape = Shape::new(3);
    shape.word((column(1) - column(0)).shifted_down(2) - number(1), 2);
    shape
}

/// The shapes of a check that have lookups: a new word, and a gap, of which P commits to the last column.
pub(super) fn shapes() -> [Shape; 2] {
    [fresh_shape(), gap_shape()]
}

/// Commits to the words that are new.
fn fresh_words<B: Challenge<F61>>(
    b: &mut B,
    tables: &Tables<'_>,
    count: usize,
    addresses: Option<&[u32]>,
) -> Result<Part<B::Wire>, B::Error> {
    let value = |address: &u32| {
        let address = place(*address, tables.regions.is_read_only(*address));
        // What lies in no region is no row of the table, which is how the claim fails.
        let nowhere = (address as u64, address as u64 + 4);
        let within = |(low, end): &&(u64, u64)| (*low as i64..*end as i64).contains(&address);
        let (low, end) = tables.regions.zero().iter().find(within).copied().unwrap_or(nowhere);
        let (low, end) = (low as i64, end as i64);
        let limbs = [(address - low) / 4, (end - address) / 4 - 1].map(|distance| distance & 0xffff);
        [address, low, end, limbs[0], limbs[1]].map(integer)
    };
    let all = addresses.unwrap_or_default();
    let mut values = wiped(5 * all.len(), all.iter().flat_map(value));
    let values = Zeroizing::new(told(Committed::Fresh, core::mem::take(&mut *values)));
    let mut wires = Vec::new();
    commit(b, 5 * count, addresses.map(|_| &values[..]), &mut wires)?;
    Ok(Part { shape: fresh_shape(), wires, values })
}

/// The live words after a check.
fn live_words<B: Challenge<F61>>(
    b: &mut B,
    count: usize,
    source: Option<&Source<'_>>,
) -> Result<Part<B::Wire>, B::Error> {
    let mut shape = Shape::new(LIVE);
    shape.consume(Space::Log, tuple([0, 1, 2]));
    let value = |(address, read_only, value, segment): (u32, bool, u32, u32)| {
        [place(address, read_only), value.into(), segment.into()].map(integer)
    };
    let values = source.map(|source| wiped(LIVE * count, source.live().flat_map(value)));
    let mut values = values.unwrap_or_default();
    let values = Zeroizing::new(told(Committed::Live, core::mem::take(&mut *values)));
    let mut wires = Vec::new();
    commit(b, LIVE * count, source.map(|_| &values[..]), &mut wires)?;
    Ok(Part { shape, wires, values })
}

/// Commits to the gaps between live words.
fn gaps<B: Challenge<F61>>(b: &mut B, live: &Part<B::Wire>) -> Result<Part<B::Wire>, B::Error> {
    let count = (live.wires.len() / LIVE).saturating_sub(1);
    let addresses = live.values.iter().step_by(LIVE).map(|address| address.to_u64());
    let addresses = wiped(live.values.len() / LIVE, addresses);
    let low = |pair: &[u64]| F61::new((pair[1].wrapping_sub(pair[0]) / 4).wrapping_sub(1) & 0xffff);
    let lows: Zeroizing<Vec<F61>> =
        Zeroizing::new(told(Committed::Gap, addresses.windows(2).map(low).collect()));
    let mut limbs = Vec::new();
    commit(b, count, (!addresses.is_empty()).then_some(&lows[..]), &mut limbs)?;
    let mut wires = Vec::with_capacity(3 * count);
    let all: Vec<B::Wire> = live.wires.iter().step_by(LIVE).cloned().collect();
    for (pair, limb) in all.windows(2).zip(limbs) {
        wires.extend_from_slice(pair);
        wires.push(limb);
    }
    let gaps = addresses.windows(2).zip(lows.iter());
    let values = gaps.flat_map(|(pair, low)| [F61::new(pair[0]), F61::new(pair[1]), *low]);
    let values = wiped(3 * lows.len(), values);
    Ok(Part { shape: gap_shape(), wires, values })
}

/// Whether a log of this many entries is checked, after a check that left this many words.
pub(super) fn is_due(entries: u64, live: u64, least: u64) -> bool {
    entries >= least.max(live)
}

/// The most live words.
pub(super) const MOST_LIVE: u64 = 1 << 24;

const _: () = assert!(MOST_LIVE < 1 << (61 - 34));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_due_when_it_is_as_long_as_the_live_words_and_as_the_least() {
        assert!(!is_due(9, 5, 10) && is_due(10, 5, 10) && !is_due(10, 11, 10) && is_due(11, 11, 10));
    }
}
