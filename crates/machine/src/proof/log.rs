//! The words of memory across segments.
//!
//! A segment takes each word that it touches as (address, value, segment of the last use), and leaves it as
//! (address, value, this segment). The log holds these tuples as wires at both parties until it is five
//! eighths as long as the list of *live* words, those that have been touched or are in the file, and as long
//! as [`Settings::log`](super::Settings::log). Then, and at the end of the run, it is checked, under a
//! challenge of its own, and emptied:
//!
//! ```text
//! live words before + words that are new + what segments left  =  what segments took + live words after
//! ```
//!
//! as multisets. **The words of a public program's file** are the first of the live words, in the file's
//! order ([`Filed`]). Their addresses are public, so P commits to the value and the segment of each. Where
//! the word is read-only, the value is the file's, and P commits to the segment alone: stores and calls do
//! not reach such a word, and a P whose segments left another value would only be refused. The *other* live
//! words are committed to with rising addresses. A secret program's are all among those.
//!
//! **Why every segment then takes what the last one left.** For each address there are as many tuples before
//! (live or new) as after, since segments leave as many as they take. It is at most one: of an address of the
//! file there is one before, because new words lie in other places (see below) and, by induction, so do the
//! other live words; after the check there is the one that stands there for the file, and thus none among the
//! others. Of any other address there is at most one after the check, since the others have rising addresses.
//! So a word in the file is not new, and no word is new twice. A segment takes a tuple of an earlier segment
//! (a range), so the argument of [`volery_circuit::ram`] applies with segments for times: the one tuple of an
//! address is taken by the first segment that touches it, and so on; no segment can take two of one address,
//! since only one of an earlier segment is left.
//!
//! New words are zero, and lie in a region that is zero at first: the distance from the region's first
//! address is a multiple of 4 from 0 to 2^34 - 4, and the distance to its end one from 4 to 2^34. So a word
//! that is neither in the file nor in such a region has no tuple, ever.

use std::rc::Rc;

use volery_circuit::Challenge;
use volery_field::{F61, Ring as _};
use zeroize::Zeroizing;

use super::argument::{self, Committed, Known, PIECE, Part, told};
use super::form::{Form, Shape, Space, column, integer, number};
use super::public::{Public, Tables};
use super::regions::{Regions, file_words, place};
use super::segment::{commit, commit_with, known, no_trace};
use super::trace::Source;

/// Tuples of words that have not been checked.
pub(super) struct Log<W> {
    /// Live words at the last check: address, value, segment. Before the first check they are those of the
    /// file: of a public program public ([`Known`]), of a secret one committed.
    live: Option<Vec<Vec<W>>>,
    /// What each segment took and left: its number; address, value, segment, value at the end.
    entries: Vec<(u32, Vec<W>)>,
}

/// What is kept of a live word: address, value, segment.
pub(super) const LIVE: usize = 3;

/// What is noted of a word that a segment touches: address, value, segment of the last use, value at the end.
pub(super) const ENTRY: usize = 4;

/// What P commits to in a check.
pub(super) struct Committing<'a> {
    /// The words that are live afterwards, in the order of [`Source::live`]: address, value, segment.
    pub(super) live: Box<dyn Iterator<Item = [i64; LIVE]> + 'a>,
    /// The addresses of those that are new.
    pub(super) fresh: &'a [u32],
}

impl<'a> Committing<'a> {
    /// What a run that has come so far commits to, with these new words.
    pub(super) fn of(source: &'a Source<'_>, fresh: &'a [u32]) -> Self {
        let live = source.live().map(|(address, read_only, value, segment)| {
            [place(address, read_only), value.into(), segment.into()]
        });
        Self { live: Box::new(live), fresh }
    }
}

/// The columns of a live word while it is checked: also the lower limb of the distance to the next one.
const CHECKED: usize = LIVE + 1;

// `other_words` answers each piece with whole rows, so a row that two pieces share would lose its rest.
const _: () = assert!(PIECE.is_multiple_of(CHECKED));

/// A word of a public program's file.
#[derive(Clone, Copy)]
struct Filed {
    /// Its address in tuples.
    place: i64,
    value: u32,
    read_only: bool,
}

impl Filed {
    /// The number of columns of [`LIVE`] that P commits to.
    fn committed(self) -> usize {
        OF_FILE[usize::from(!self.read_only)]
    }
}

/// The words of the file, if the program is public.
fn filed<'a>(tables: &'a Tables<'_>) -> impl Iterator<Item = Filed> + 'a {
    let words = tables.subject.program().into_iter().flat_map(file_words);
    words.map(|(address, value)| {
        let read_only = tables.regions.is_read_only(address);
        Filed { place: place(address, read_only), value, read_only }
    })
}

/// How many columns a check commits to for a word of the file: one that is read-only, and another.
pub(super) const OF_FILE: [usize; 2] = [1, 2];

/// The number of live words in a buffer. Buffers that are all as small find their place in memory that
/// segments have left; one for all words would find none, and add to what a party needs.
const AT_ONCE: usize = if cfg!(test) { 5 } else { 1 << 12 };

/// A live word, which is there before a check or after it.
fn live_shape(columns: usize, side: fn(&mut Shape, Space, [Form; 3])) -> Shape {
    let mut shape = Shape::new(columns);
    side(&mut shape, Space::Log, [0, 1, 2].map(column));
    shape
}

/// What the segment of this number took and left: address, value, segment, value at the end.
fn entry_shape(segment: u32) -> Shape {
    let mut shape = Shape::new(4);
    shape.consume(Space::Log, [0, 1, 2].map(column));
    shape.produce(Space::Log, [column(0), column(3), number(segment.into())]);
    shape
}

impl<W: Clone> Log<W> {
    /// A log of a run of a public program.
    pub(super) fn new() -> Self {
        Self { live: None, entries: Vec::new() }
    }

    /// A log that begins with these words, which are committed to: address, value, segment.
    pub(super) fn with(live: Vec<W>) -> Self {
        Self { live: Some(vec![live]), entries: Vec::new() }
    }

    /// Notes the words of a segment: address, value, segment of the last use, value and time at the end.
    pub(super) fn note(&mut self, words: &Part<W>, segment: u32) {
        let mut wires = Vec::with_capacity(ENTRY * words.rows());
        words.iter().for_each(|word| wires.extend_from_slice(&word[..ENTRY]));
        self.entries.push((segment, wires));
    }

    /// Commits to `count` words of a segment, which is proved elsewhere, and notes them.
    pub(super) fn note_anew<B: Challenge<F61, Wire = W>>(
        &mut self,
        b: &mut B,
        (segment, count): (u32, usize),
        values: Option<&[F61]>,
    ) -> Result<(), B::Error> {
        let mut wires = Vec::new();
        commit(b, ENTRY * count, values, &mut wires)?;
        self.entries.push((segment, wires));
        Ok(())
    }

    /// The wires of what segments took and left since the last check, in order.
    pub(super) fn noted(&self) -> impl Iterator<Item = &W> {
        self.entries.iter().flat_map(|(_, wires)| wires)
    }

    /// The wires of the words that were live after the last check, in order.
    pub(super) fn live(&self) -> impl Iterator<Item = &W> {
        self.live.iter().flatten().flatten()
    }

    /// Checks and empties the log. `live` is how many words are live afterwards, `fresh` how many of them are
    /// new. P has the addresses of those.
    pub(super) fn check<B: Challenge<F61, Wire = W>>(
        &mut self,
        b: &mut B,
        tables: &Tables<'_>,
        (live, fresh): (usize, usize),
        values: Option<Committing<'_>>,
    ) -> Result<(), B::Error> {
        b.enter("memory");
        b.begin_argument();
        let mut public = Known::default();
        let before = self.live.take().unwrap_or_else(|| {
            public.produced = filed(tables).map(|word| known(word.place, word.value)).collect();
            Vec::new()
        });
        let (mut words, addresses) = values.map(|values| (values.live, values.fresh)).unzip();
        let mut parts = vec![fresh_words(b, tables, fresh, addresses)?];
        let before = before.into_iter();
        parts.extend(before.map(|wires| Part::new(live_shape(LIVE, Shape::produce), wires)));
        let entries = core::mem::take(&mut self.entries).into_iter();
        parts.extend(entries.map(|(segment, wires)| Part::new(entry_shape(segment), wires)));
        let file = Vec::from_iter(words_of_file(b, tables, words.as_mut())?.into_iter().map(Rc::new));
        let shape = live_shape(LIVE, Shape::consume);
        parts.extend(file.iter().map(|wires| Part::overlapping(shape.clone(), Rc::clone(wires), LIVE)));
        let others = live.saturating_sub(tables.subject.filed().iter().sum::<u64>() as usize);
        let after = Vec::from_iter(other_words(b, others, words)?.into_iter().map(Rc::new));
        for shape in [live_shape(CHECKED, Shape::consume), gap_shape()] {
            parts.extend(
                after.iter().map(|wires| Part::overlapping(shape.clone(), Rc::clone(wires), CHECKED)),
            );
        }
        argument::claim(b, parts, public, tables, None)?;
        let file = file.into_iter().map(Rc::unwrap_or_clone);
        self.live = Some(file.chain(after.into_iter().map(kept)).collect());
        b.end_argument();
        b.leave();
        Ok(())
    }
}

/// What a new word says: address, first address and end of the region, lower limbs of the distances to them.
fn fresh_shape() -> Shape {
    let mut shape = Shape::new(5);
    shape.produce(Space::Log, [column(0), number(0), number(0)]);
    shape.within(Within { address: 0, bounds: [1, 2], lows: [3, 4] });
    shape
}

/// What the gap between two live words says. Its columns are those of the first word, and the address of the
/// second. Distances are multiples of 4 from 4 to 2^34. There are at most 2^24 live words ([`MOST_LIVE`]), so
/// fewer gaps. The sum of any of the distances is below the field's characteristic, so no two addresses are
/// equal.
fn gap_shape() -> Shape {
    let [address, low, next] = [0, LIVE, CHECKED];
    let mut shape = Shape::new(CHECKED + 1);
    shape.word((column(next) - column(address)).shifted_down(2) - number(1), low);
    shape
}

/// The shapes of a check that have lookups: a new word, and a gap. P commits to one column of a gap.
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
        within(&tables.regions, address).map(integer)
    };
    let mut values = addresses.map(|all| all.iter().flat_map(value));
    let mut wires = Vec::new();
    commit_with(b, 5 * count, &mut wires, &mut |_, count| {
        let values = values.as_mut().ok_or_else(no_trace)?;
        Ok(told(Committed::Fresh, values.take(count).collect()))
    })?;
    Ok(Part::new(fresh_shape(), wires))
}

/// Columns of an address in a region that is zero at first: the region's first address and end, and the lower
/// limbs of the distances to them.
#[derive(Clone, Copy)]
pub(super) struct Within {
    pub(super) address: usize,
    pub(super) bounds: [usize; 2],
    pub(super) lows: [usize; 2],
}

impl Shape {
    /// The address is that of a word in such a region.
    pub(super) fn within(&mut self, Within { address, bounds, lows: [first, second] }: Within) {
        let (address, [low, end]) = (column(address), bounds.map(column));
        self.look_up(Public::Region, [low.clone(), end.clone()]);
        self.word((address.clone() - low).shifted_down(2), first);
        self.word((end - address).shifted_down(2) - number(1), second);
    }
}

/// The columns of an address, in the order of [`Within`].
pub(super) fn within(regions: &Regions, address: i64) -> [i64; 5] {
    // What lies in no region is no row of the table, which is how the claim fails.
    let nowhere = (address as u64, address as u64 + 4);
    let within = |(low, end): &&(u64, u64)| (*low as i64..*end as i64).contains(&address);
    let (low, end) = regions.zero().iter().find(within).copied().unwrap_or(nowhere);
    let (low, end) = (low as i64, end as i64);
    let [first, second] = [(address - low) / 4, (end - address) / 4 - 1].map(|distance| distance & 0xffff);
    [address, low, end, first, second]
}

/// The words of the file after a check: address, value, segment. P commits to what is not public.
fn words_of_file<B: Challenge<F61>>(
    b: &mut B,
    tables: &Tables<'_>,
    words: Option<&mut Box<dyn Iterator<Item = [i64; LIVE]> + '_>>,
) -> Result<Vec<Vec<B::Wire>>, B::Error> {
    let secret = |(word, [_, value, segment]): (Filed, [i64; LIVE])| {
        [value, segment].into_iter().skip(2 - word.committed()).map(integer)
    };
    let mut values = words.map(|words| filed(tables).zip(words).flat_map(secret));
    let mut next = |count: usize| {
        let values = values.as_mut().ok_or_else(no_trace)?;
        Ok(told(Committed::Filed, values.take(count).collect()))
    };
    let (mut words, mut all) = (filed(tables).peekable(), Vec::new());
    while words.peek().is_some() {
        let words = Vec::from_iter(words.by_ref().take(AT_ONCE));
        let (mut committed, count) = (Vec::new(), words.iter().copied().map(Filed::committed).sum());
        commit_with(b, count, &mut committed, &mut |_, count| next(count))?;
        let (mut committed, mut wires) = (committed.into_iter(), Vec::with_capacity(LIVE * words.len()));
        for word in words {
            wires.push(b.constant(integer(word.place)));
            wires.extend(word.read_only.then(|| b.constant(integer(word.value.into()))));
            wires.extend(committed.by_ref().take(word.committed()));
        }
        all.push(wires);
    }
    Ok(all)
}

/// Of live words that were checked, what is kept.
fn kept<W: Clone>(wires: Rc<Vec<W>>) -> Vec<W> {
    let words = wires.chunks_exact(CHECKED);
    let mut kept = Vec::with_capacity(LIVE * words.len());
    words.for_each(|word| kept.extend_from_slice(&word[..LIVE]));
    kept
}

/// Commits to the other live words after a check: address, value, segment, lower limb of the distance to the
/// next word. Behind the words of a buffer stands the address of the next one, and in the place of the last
/// distance a zero.
fn other_words<B: Challenge<F61>>(
    b: &mut B,
    count: usize,
    words: Option<Box<dyn Iterator<Item = [i64; LIVE]> + '_>>,
) -> Result<Vec<Vec<B::Wire>>, B::Error> {
    let mut words = words.map(Iterator::peekable);
    let mut next = |count: usize| {
        let words = words.as_mut().ok_or_else(no_trace)?;
        let rows = count.div_ceil(CHECKED);
        let (mut live, mut gaps) = (Vec::with_capacity(LIVE * rows), Vec::with_capacity(rows));
        while let Some(word) = words.next_if(|_| live.len() < LIVE * rows) {
            live.extend(word.map(integer));
            gaps.extend(words.peek().map(|next| integer(((next[0] - word[0]) / 4 - 1) & 0xffff)));
        }
        let live = Zeroizing::new(told(Committed::Live, live));
        let gaps = Zeroizing::new(told(Committed::Gap, gaps));
        let mut all = Vec::with_capacity(count);
        for (word, gap) in live.chunks(LIVE).zip(gaps.iter().map(Some).chain([None])) {
            all.extend_from_slice(word);
            all.extend(gap);
        }
        Ok(all)
    };
    let mut all: Vec<Vec<B::Wire>> = Vec::new();
    for start in (0..count).step_by(AT_ONCE) {
        let end = count.min(start + AT_ONCE);
        let wanted = CHECKED * (end - start);
        let mut wires = Vec::with_capacity(wanted + 1);
        commit_with(b, wanted - usize::from(end == count), &mut wires, &mut |_, count| next(count))?;
        if let (Some(before), Some(address)) = (all.last_mut(), wires.first()) {
            before.push(address.clone());
        }
        if end == count {
            wires.push(b.constant(F61::ZERO));
        }
        all.push(wires);
    }
    Ok(all)
}

/// Whether a log of this many entries is checked, after a check that left this many words. To wait for as
/// many entries as words would make the checks of a run with many words three eighths rarer, and they are
/// some hundredths of its proof; but each entry takes more room than a word.
pub(super) fn is_due(entries: u64, live: u64, least: u64) -> bool {
    entries >= least.max(live - live / 8 * 3)
}

/// The most live words.
pub(super) const MOST_LIVE: u64 = 1 << 24;

const _: () = assert!(MOST_LIVE < 1 << (61 - 34));

#[cfg(test)]
mod tests;
