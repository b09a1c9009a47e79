//! What has been consumed: the content of a state slot.

use std::ops::Range;

use super::chunks::CHUNK;
use super::codec::{self, Cursor, Flaw, put_range};
use super::header::Header;

const MAGIC: [u8; 8] = *b"VOLstate";
const PURPOSE: &str = "volery 2026 stored state v1";

/// Most ranges in a state: a slot is one block.
pub(super) const MAX_RANGES: usize = 248;

/// The state of a correlation file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    /// Counts updates; of two slots the higher one stands.
    pub(super) sequence: u64,
    /// Whether a proof was rejected.
    pub(super) burnt: bool,
    /// The range consumed last, which may not be wiped yet; empty at the start.
    pub(super) last: Range<u64>,
    /// Everything consumed: ranges that ascend and do not touch.
    consumed: Vec<Range<u64>>,
}

impl State {
    /// Nothing consumed.
    pub(super) fn new() -> Self {
        Self { sequence: 0, burnt: false, last: 0..0, consumed: Vec::new() }
    }

    pub(super) fn consumed(&self) -> &[Range<u64>] {
        &self.consumed
    }

    /// Correlations consumed.
    pub(super) fn used(&self) -> u64 {
        self.consumed.iter().map(|range| range.end - range.start).sum()
    }

    /// The first correlation behind all that is consumed.
    pub(super) fn end(&self) -> u64 {
        self.consumed.last().map_or(0, |range| range.end)
    }

    /// Whether any of `range` is consumed.
    pub(super) fn overlaps(&self, range: &Range<u64>) -> bool {
        self.consumed.iter().any(|used| used.start < range.end && range.start < used.end)
    }

    /// The state after `range`, which must not overlap what is consumed.
    pub(super) fn with(&self, range: &Range<u64>) -> Self {
        let mut consumed = self.consumed.clone();
        let at = consumed.partition_point(|used| used.end < range.start);
        // At most one neighbour on each side touches.
        let touching = consumed[at..].iter().take_while(|used| used.start <= range.end).count();
        let start = consumed[at..at + touching].iter().map(|used| used.start).fold(range.start, u64::min);
        let end = consumed[at..at + touching].iter().map(|used| used.end).fold(range.end, u64::max);
        consumed.drain(at..at + touching);
        consumed.insert(at, start..end);
        if consumed.len() > MAX_RANGES {
            let first = consumed.remove(0);
            consumed[0].start = first.start;
        }
        Self { sequence: self.sequence.saturating_add(1), burnt: self.burnt, last: range.clone(), consumed }
    }

    /// The state after a rejection.
    pub(super) fn burnt(&self) -> Self {
        Self { sequence: self.sequence.saturating_add(1), burnt: true, ..self.clone() }
    }

    pub(super) fn encode(&self, header: &Header) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&self.sequence.to_le_bytes());
        out.push(self.burnt.into());
        put_range(&mut out, &self.last);
        // The list is bounded by MAX_RANGES.
        out.extend_from_slice(&(self.consumed.len() as u16).to_le_bytes());
        for range in &self.consumed {
            put_range(&mut out, range);
        }
        codec::seal_block(PURPOSE, &header.context(), out)
    }

    pub(super) fn decode(header: &Header, block: &[u8]) -> Result<Self, Flaw> {
        let mut cursor = Cursor::new(codec::open_block(PURPOSE, &header.context(), block)?);
        if cursor.array() != Ok(MAGIC) {
            return Err(Flaw::Magic);
        }
        let sequence = cursor.u64()?;
        let burnt = match cursor.u8()? {
            0 => false,
            1 => true,
            other => return Err(Flaw::bad(format!("{other} is neither yes nor no"))),
        };
        let last = cursor.range()?;
        let n = usize::from(cursor.u16()?);
        if n > MAX_RANGES {
            return Err(Flaw::bad(format!("{n} ranges; at most {MAX_RANGES} are possible")));
        }
        let consumed: Vec<_> = (0..n).map(|_| cursor.range()).collect::<Result<_, _>>()?;
        cursor.zeros()?;
        let state = Self { sequence, burnt, last, consumed };
        state.check(header)?;
        Ok(state)
    }

    fn check(&self, header: &Header) -> Result<(), Flaw> {
        let mut free = None;
        for range in &self.consumed {
            let behind = free.is_none_or(|end| end < range.start);
            if !behind || !sound(range, header.count) {
                return Err(Flaw::bad("its ranges are out of order"));
            }
            free = Some(range.end);
        }
        let within =
            self.consumed.iter().any(|used| used.start <= self.last.start && self.last.end <= used.end);
        let fresh = self.last == (0..0) && self.consumed.is_empty();
        let recorded = within && sound(&self.last, header.count);
        if !(fresh || recorded) {
            return Err(Flaw::bad("its last range is not among the consumed ones"));
        }
        Ok(())
    }

    /// Of two slots, the state that stands.
    pub(super) fn choose(a: Result<Self, Flaw>, b: Result<Self, Flaw>) -> Result<Self, Flaw> {
        match (a, b) {
            (Ok(a), Ok(b)) if a.sequence == b.sequence && a != b => {
                Err(Flaw::bad("the two slots have one number and different contents"))
            }
            (Ok(a), Ok(b)) => Ok(if a.sequence >= b.sequence { a } else { b }),
            (Ok(state), Err(_)) | (Err(_), Ok(state)) => Ok(state),
            (Err(_), Err(_)) => Err(Flaw::bad("neither slot is sound")),
        }
    }
}

/// Whether `range` is one that a proof can use out of `count` correlations.
pub(super) fn sound(range: &Range<u64>, count: u64) -> bool {
    range.start < range.end
        && range.end <= count
        && range.start.is_multiple_of(CHUNK)
        && range.end.is_multiple_of(CHUNK)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::header::tests::header;
    use super::*;

    fn big() -> Header {
        Header { count: 4096 * CHUNK, ..header() }
    }

    fn chunks(range: Range<u64>) -> Range<u64> {
        range.start * CHUNK..range.end * CHUNK
    }

    proptest! {
        #[test]
        fn consumed_ranges_are_the_union_of_what_was_consumed(
            wanted in prop::collection::vec((0_u64..300, 1_u64..6), 0..60),
        ) {
            let (mut state, mut used) = (State::new(), std::collections::BTreeSet::new());
            for (first, length) in wanted {
                let range = chunks(first..first + length);
                let overlap = (first..first + length).any(|chunk| used.contains(&chunk));
                prop_assert_eq!(state.overlaps(&range), overlap);
                if !overlap {
                    used.extend(first..first + length);
                    state = state.with(&range);
                }
                prop_assert_eq!(state.used(), used.len() as u64 * CHUNK);
                prop_assert_eq!(State::decode(&big(), &state.encode(&big())), Ok(state.clone()));
            }
        }
    }

    #[test]
    fn the_list_stays_bounded_by_giving_up_the_lowest_gap_and_never_forgets() {
        let mut state = State::new();
        let even = |i: u64| chunks(2 * i..2 * i + 1);
        for i in 0..1000 {
            state = state.with(&even(i));
            assert!(state.consumed().len() <= MAX_RANGES);
            assert!((0..=i).all(|i| state.overlaps(&even(i))));
        }
        assert!(state.overlaps(&chunks(1..2)), "the lowest gap is given up");
        assert!(!state.overlaps(&chunks(1997..1998)), "the highest is not");
        assert_eq!(State::decode(&big(), &state.encode(&big())), Ok(state));
    }

    #[test]
    fn no_byte_of_a_slot_can_change_and_a_slot_of_another_file_is_refused() {
        let state = State::new().with(&chunks(0..1)).with(&chunks(2..3));
        let block = state.encode(&header());
        for i in 0..block.len() {
            let mut block = block.clone();
            block[i] ^= 4;
            assert_eq!(State::decode(&header(), &block), Err(Flaw::bad("its checksum is wrong")));
        }
        let other = Header { session: volery_vole::SessionId::new([1; 32]), ..header() };
        assert!(State::decode(&other, &block).is_err());
    }

    #[test]
    fn states_that_cannot_be_are_refused_though_the_checksum_is_right() {
        type Range = (u64, u64);
        let sealed = |last: Range, consumed: &[Range]| {
            let consumed = consumed.iter().map(|range| range.0..range.1).collect();
            State { sequence: 3, burnt: false, last: last.0..last.1, consumed }.encode(&header())
        };
        assert!(State::decode(&header(), &sealed((256, 512), &[(0, 512)])).is_ok());
        let cases: [(Range, &[Range]); 8] = [
            ((0, 256), &[]),
            ((0, 0), &[(0, 256)]),
            ((0, 256), &[(0, 256), (256, 512)]),
            ((0, 256), &[(512, 768), (0, 256)]),
            ((0, 255), &[(0, 255)]),
            ((0, 256), &[(256, 512)]),
            ((1024, 1280), &[(1024, 1280)]),
            ((256, 256), &[(256, 256)]),
        ];
        for (last, consumed) in cases {
            assert!(matches!(State::decode(&header(), &sealed(last, consumed)), Err(Flaw::Bad(_))));
        }
    }

    #[test]
    fn the_newer_sound_slot_stands() {
        let old = State::new().with(&(0..256));
        let new = old.with(&(256..512));
        let bad = || Err(Flaw::bad("x"));
        assert_eq!(State::choose(Ok(old.clone()), Ok(new.clone())).as_ref(), Ok(&new));
        assert_eq!(State::choose(Ok(new.clone()), Ok(old.clone())).as_ref(), Ok(&new));
        assert_eq!(State::choose(bad(), Ok(old.clone())).as_ref(), Ok(&old));
        assert_eq!(State::choose(Ok(old.clone()), bad()).as_ref(), Ok(&old));
        assert!(State::choose(bad(), bad()).is_err());
        let other = State { sequence: new.sequence, ..old };
        assert!(State::choose(Ok(new), Ok(other)).is_err());
    }
}
