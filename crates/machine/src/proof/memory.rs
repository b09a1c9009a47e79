//! How much memory a run takes at either party, about.
//!
//! ```text
//! program    its text, decoded, and P's rows of it; the bytes of its segments
//! segment    the wires of its rows and words, at P also the values of the kind that is being committed to; the
//!            multiplicities of public tables with the inverses of their rows; all of the segment before but
//!            those inverses, if its argument is still to be made
//! log        live words and what segments noted; while it is checked the live words once more, the new
//!            ones, and in the first check the tuples of the file's words
//! ```
//!
//! A party has the log beside a segment or beside a check. What the backend keeps is not counted.

use super::argument::ROM_ROW;
use super::form::WIDTH;
use super::kind::Kind;
use super::log::LIVE;
use super::profile::{Checks, Counts};
use super::shards::{Part, SplitRunPart};
use super::split::{Lookups, Split};
use super::statement::ProgramRun;
use super::tables::{Table, with_table};

/// Bytes at P and at V.
type Bytes = [u64; 2];

/// Bytes of a value.
const VALUE: u64 = 8;

/// For each word of text: decoded, and P's row of it.
const DECODED: Bytes = [12 + 64, 12];

/// For each word that is live: P's copy of its value with the segment of its last use.
const ENTRY: Bytes = [12, 0];

fn scaled(bytes: Bytes, count: u64) -> Bytes {
    bytes.map(|bytes| bytes.saturating_mul(count))
}

fn sum<const N: usize>(parts: [Bytes; N]) -> Bytes {
    parts.into_iter().fold([0; 2], |sum, part| [0, 1].map(|party| sum[party].saturating_add(part[party])))
}

fn greater(one: Bytes, other: Bytes) -> Bytes {
    [0, 1].map(|party| one[party].max(other[party]))
}

impl ProgramRun {
    /// Bytes that the run keeps at once at P and at V, about, if a wire takes so many there, and an element
    /// of a challenge `scalar`.
    #[must_use]
    pub fn memory(&self, wire: [u64; 2], scalar: u64) -> [u64; 2] {
        let file = self.subject.file_words();
        let (program, image) = self.program_memory(wire);
        let mut checks = Checks::new(&self.profile, self.settings().log, file);
        let (mut live, mut entries, mut most, mut open) = (file, 0, [0; 2], Open::default());
        // Before the first check the words of a public program are no wires.
        let mut committed = if image > 0 { file } else { 0 };
        for counts in &self.profile.segments {
            let kept = |entries: u64| {
                sum([scaled(wire, LIVE as u64 * committed + 4 * entries), scaled(ENTRY, live)])
            };
            let segment = open.and(self.segment_memory(counts, wire, scalar));
            most = greater(most, sum([kept(entries), segment]));
            entries += u64::from(counts.words);
            if let Some(fresh) = checks.next() {
                let known = if committed == 0 { [WIDTH as u64 * VALUE * file; 2] } else { [0; 2] };
                let lists = self.lists(checks.live, fresh);
                most = greater(most, sum([kept(entries), scaled(wire, lists), known]));
                (live, committed, entries, open) = (checks.live, checks.live, 0, Open::default());
            }
        }
        sum([program, most])
    }

    /// Wires of a check: of the live words after it, and of new ones.
    fn lists(&self, live: u64, fresh: u64) -> u64 {
        let file: u64 = self.subject.filed().iter().sum();
        LIVE as u64 * live + live.saturating_sub(file) + 5 * fresh
    }

    /// What the program takes, and the words of a secret one's image.
    fn program_memory(&self, wire: Bytes) -> (Bytes, u64) {
        let (text, image) = match (self.subject.program(), self.subject.bounds()) {
            (Some(program), _) => (program.code().len() as u64, 0),
            (None, bounds) => {
                let words = bounds.map_or(0, |bounds| u64::from(bounds.words));
                (words, words * ROM_ROW as u64)
            }
        };
        let file = [4 * self.subject.file_words(); 2];
        (sum([scaled(DECODED, text), scaled(wire, image), file]), image)
    }

    /// What a segment takes.
    fn segment_memory(&self, counts: &Counts, wire: Bytes, scalar: u64) -> OfSegment {
        let mut lookups = Lookups::default();
        let kinds = Kind::ALL.map(|kind| {
            let rows = u64::from(counts.rows[kind as usize]);
            let (columns, shape) = with_table!(kind, T => (T::COLUMNS as u64, T::shape()));
            let of_row = Lookups::of(&shape);
            lookups.add(&of_row, rows);
            (rows, columns, of_row)
        });
        let split = Split::of(&lookups);
        let tables = self.tables();
        let (_, all) = split.row(lookups);
        let multiplicities: u64 = all.tables().map(|table| tables.rows(table) as u64).sum();
        // The values of kinds that follow, and of this one, beside the wires so far.
        let mut values = VALUE * kinds.iter().map(|(rows, columns, _)| rows * columns).sum::<u64>();
        let (mut wires, mut at_p) = (0, values);
        for (rows, columns, _) in &kinds {
            wires += rows * columns * wire[0];
            at_p = at_p.max(wires + values);
            values -= rows * columns * VALUE;
        }
        let columns: u64 =
            kinds.iter().map(|(rows, columns, of_row)| rows * (columns + split.row(*of_row).0)).sum();
        let columns = scaled(wire, columns);
        let of_words = scaled(wire, 5 * u64::from(counts.words));
        let left = sum([columns, of_words, scaled(wire, multiplicities)]);
        // And what they are found with.
        let inverses = [multiplicities.saturating_mul(2 * scalar); 2];
        OfSegment { columns: sum([greater(columns, [at_p, 0]), of_words]), left, inverses }
    }
}

/// Bytes of a segment.
#[derive(Default)]
struct OfSegment {
    /// While P commits to its columns.
    columns: Bytes,
    /// What stays until its argument is made, and what is added for that.
    left: Bytes,
    inverses: Bytes,
}

/// The segment whose argument is still to be made.
#[derive(Default)]
struct Open(OfSegment);

impl Open {
    /// What the next segment takes beside it, until the argument of either is made. Then the next one is
    /// open.
    fn and(&mut self, next: OfSegment) -> Bytes {
        let before = core::mem::replace(&mut self.0, next);
        let OfSegment { columns, left, inverses } = &self.0;
        let (one, other) = (sum([before.left, before.inverses, *left]), sum([*left, *inverses]));
        greater(sum([before.left, *columns]), greater(one, other))
    }
}

impl SplitRunPart<'_> {
    /// As [`ProgramRun::memory`], of the worker of this shard: without what its coordinator tells it
    /// ([`SplitRun::job`](super::shards::SplitRun::job)).
    #[must_use]
    pub fn memory(&self, wire: [u64; 2], scalar: u64) -> [u64; 2] {
        let run = self.whole.run();
        let (program, _) = run.program_memory(wire);
        // The log has the boundary wires, and then they are handed out.
        let handed_out = scaled(wire, 2 * self.boundary() as u64);
        let own = match &self.part {
            Part::Group(_, segments) => {
                let counts = run.profile.segments.get(segments.clone()).unwrap_or_default();
                let mut open = Open::default();
                let of = |counts| open.and(run.segment_memory(counts, wire, scalar));
                counts.iter().map(of).fold([0; 2], greater)
            }
            Part::Check(number, check) => {
                let known = if *number == 0 { [WIDTH as u64 * VALUE * check.before; 2] } else { [0; 2] };
                sum([scaled(wire, run.lists(check.after, check.fresh)), known])
            }
        };
        sum([program, handed_out, own])
    }
}
