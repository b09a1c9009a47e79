//! What a run commits to, by what it is for.
//!
//! Both parties know the numbers of rows and words, and each tells how many elements P commits to: columns,
//! a product for three tuples, a sum of inverses for three lookups, multiplicities. These are the costs of a
//! proof; so that nothing is counted twice, [`ProgramRun::elements`] is the one place where they are counted.

use super::form::Shape;
use super::kind::Kind;
use super::log;
use super::profile::{Checks, Counts, Profile};
use super::public::{Public, Tables};
use super::secret_program;
use super::segment;
use super::split::{Lookups, Split};
use super::statement::ProgramRun;
use super::subject::{Bounds, Subject};
use super::tables::{Table, with_table};

/// The elements of one kind of rows, in all segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KindElements {
    /// The name of the kind.
    pub name: &'static str,
    /// Its rows, those that fill up among them.
    pub rows: u64,
    /// The values that P commits to for them.
    pub elements: f64,
    /// What a row takes in a long segment, in which no table is split.
    pub each: f64,
}

/// How many elements P commits to in a run, and what for. A challenge may take up to three more than are
/// counted. Over a field of MACs with two coordinates each product and each sum of inverses is two elements,
/// which is not counted here.
#[derive(Clone, Debug, PartialEq)]
pub struct Elements {
    /// For the rows of each kind.
    pub kinds: Vec<KindElements>,
    /// For words of memory that segments touch.
    pub words: f64,
    /// For each segment, whatever its length: multiplicities of public tables, registers, and where it begins
    /// and ends.
    pub segments: f64,
    /// For the checks of the log.
    pub log: f64,
    /// For a secret program: its words, and the fractions of its rows in each segment.
    pub program: f64,
}

impl Elements {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> f64 {
        let kinds: f64 = self.kinds.iter().map(|kind| kind.elements).sum();
        kinds + self.words + self.segments + self.log + self.program
    }
}

/// What one row takes.
#[derive(Clone, Copy)]
struct Row {
    columns: u64,
    tuples: u64,
    lookups: Lookups,
}

impl Row {
    /// A row of this shape with this many columns that P commits to.
    fn new(columns: usize, shape: &Shape) -> Self {
        Self { columns: columns as u64, tuples: shape.tuples.len() as u64, lookups: Lookups::of(shape) }
    }

    fn of(kind: Kind) -> Self {
        with_table!(kind, Rows => Self::new(Rows::COLUMNS, &Rows::shape()))
    }

    /// Thirds of elements, with tables split.
    fn thirds(&self, split: Split) -> u64 {
        let (added, lookups) = split.row(self.lookups);
        3 * (self.columns + added) + self.tuples + lookups.total()
    }
}

/// Rows of several shapes that share an argument.
#[derive(Default)]
struct Argument(Lookups);

impl Argument {
    fn add(&mut self, row: &Row, rows: u64) {
        self.0.add(&row.lookups, rows);
    }

    /// Which tables are split, and thirds of elements for multiplicities.
    fn tables(self, tables: &Tables<'_>) -> (Split, u64) {
        let split = Split::of(&self.0);
        let (_, lookups) = split.row(self.0);
        let rows: u64 = lookups.tables().map(|table| tables.rows(table) as u64).sum();
        (split, 3 * rows)
    }
}

/// The words of a secret program and where it begins: thirds of elements.
fn of_program(bounds: &Bounds, tables: &Tables<'_>) -> u64 {
    let rows = secret_program::shapes().map(|shape| Row::new(shape.columns, &shape));
    let counts = [bounds.words, bounds.data].map(u64::from);
    let mut argument = Argument::default();
    rows.iter().zip(counts).for_each(|(row, count)| argument.add(row, count));
    let (split, multiplicities) = argument.tables(tables);
    let rows: u64 = rows.iter().zip(counts).map(|(row, count)| row.thirds(split) * count).sum();
    3 + rows + multiplicities
}

fn elements(thirds: u64) -> f64 {
    thirds as f64 / 3.0
}

impl ProgramRun {
    /// What the run commits to.
    #[must_use]
    pub fn elements(&self) -> Elements {
        self.elements_in(&self.profile)
    }

    /// What the segments of a part of the run commit to, and the checks that would be due if it were all.
    pub(super) fn elements_in(&self, profile: &Profile) -> Elements {
        let tables = self.tables();
        let kinds = Kind::ALL.map(Row::of);
        let mut thirds = [0; Kind::ALL.len()];
        let (mut words, mut segments, mut logs) = (0, 0, 0);
        let (mut program, fractions) = self
            .subject
            .bounds()
            .map_or((0, 0), |bounds| (of_program(bounds, &tables), tables.rows(Public::Code) as u64));
        let live = self.subject.file_words();
        let (mut checks, mut log) = (
            Checks::new(profile, self.settings().log, live),
            LogRows::new(&self.subject, live, self.subject.bounds().is_some()),
        );
        // All segments touch words alike; the first and the last have a little more.
        let [word, ends, registers] = segment::shapes();
        let word = Row::new(word.columns, &word);
        let ends = [Row::new(ends.columns - 1, &ends), Row::new(registers.columns - 2, &registers)];
        for counts in &profile.segments {
            let mut argument = Argument::default();
            let rows = rows(counts, &kinds, &word);
            rows.clone().for_each(|(row, rows)| argument.add(row, rows));
            let (split, multiplicities) = argument.tables(&tables);
            let all = rows.map(|(row, rows)| row.thirds(split) * rows);
            let (of_kinds, of_words) = (&mut thirds[..], &mut words);
            of_kinds.iter_mut().chain([of_words]).zip(all).for_each(|(sum, thirds)| *sum += thirds);
            let [ends, registers] = ends.each_ref().map(|row| row.thirds(split));
            program += fractions;
            segments += multiplicities + ends + super::trace::REGISTERS as u64 * registers;
            log.entries += u64::from(counts.words);
            if let Some(fresh) = checks.next() {
                logs += log.check(fresh, checks.live, &tables);
            }
        }
        let rows = profile.rows_by_kind().zip(thirds).zip(&kinds);
        let kinds = rows.map(|(((name, rows), thirds), row)| KindElements {
            name,
            rows,
            elements: elements(thirds),
            each: elements(row.thirds(Split::default())),
        });
        let [words, segments, log, program] = [words, segments, logs, program].map(elements);
        Elements { kinds: kinds.collect(), words, segments, log, program }
    }

    /// What a check of the log commits to that is a shard: with the entries that it is about, and the words
    /// that are live before it unless they are public.
    pub(super) fn elements_of_check(
        &self,
        (entries, before, committed): (u64, u64, bool),
        (fresh, after): (u64, u64),
    ) -> f64 {
        let mut log = LogRows { entries, ..LogRows::new(&self.subject, before, committed) };
        let before = if committed { log::LIVE as u64 * before } else { 0 };
        let anew = before + log::ENTRY as u64 * entries;
        elements(log.check(fresh, after, &self.tables())) + anew as f64
    }
}

/// The rows of a segment by kind, then its words.
fn rows<'a>(
    counts: &'a Counts,
    kinds: &'a [Row],
    word: &'a Row,
) -> impl Iterator<Item = (&'a Row, u64)> + Clone {
    kinds.iter().chain([word]).zip(counts.rows.iter().chain([&counts.words]).map(|rows| u64::from(*rows)))
}

/// The lists of the log.
struct LogRows {
    /// What segments noted since the last check.
    entries: u64,
    /// Words that were live after the last check. Before the first those of a public program are public.
    live: u64,
    is_known: bool,
    /// Words of the file that both parties know: read-only ones, and others.
    filed: [u64; 2],
    fresh: Row,
    gap: Row,
}

impl LogRows {
    fn new(subject: &Subject, live: u64, committed: bool) -> Self {
        let [fresh, gap] = log::shapes();
        let (fresh, gap) = (Row::new(fresh.columns, &fresh), Row::new(1, &gap));
        Self { entries: 0, live, is_known: !committed, filed: subject.filed(), fresh, gap }
    }

    /// A check with this many new words, after which this many are live: thirds of elements.
    fn check(&mut self, fresh: u64, live: u64, tables: &Tables<'_>) -> u64 {
        let others = live.saturating_sub(self.filed.iter().sum());
        let gaps = others.saturating_sub(1);
        let mut argument = Argument::default();
        argument.add(&self.fresh, fresh);
        argument.add(&self.gap, gaps);
        let (split, multiplicities) = argument.tables(tables);
        let before = if self.is_known { 0 } else { self.live };
        // An entry has two tuples, and a live word one.
        let tuples = before + 2 * self.entries + live;
        (self.entries, self.live, self.is_known) = (0, live, false);
        let lists = fresh * self.fresh.thirds(split) + gaps * self.gap.thirds(split);
        let of_file: u64 = self.filed.iter().zip(log::OF_FILE).map(|(words, each)| words * each as u64).sum();
        lists + 3 * (log::LIVE as u64 * others + of_file) + tuples + multiplicities
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;
    use volery_circuit::Counter;
    use volery_field::F61;

    use super::super::split::tests::whole;
    use super::super::tests::counted;
    use super::super::trace::KINDS;
    use super::super::{RunClaim, Settings};
    use super::*;
    use crate::{Cause, End};

    /// The counter runs the statement itself.
    #[test]
    fn as_many_elements_are_counted_as_the_statement_commits_to() {
        let runs = counted();
        assert!(runs[0].profile.segments.len() > 3 && runs[0].profile.fresh.len() > 1);
        for run in runs {
            let arguments = run.profile.segments.len() + run.profile.fresh.len();
            let check = || {
                let counter = Counter::<F61>::count(&run).expect("no witness is needed");
                let (exact, said) = (counter.total().commitments() as f64, run.elements());
                assert!(said.kinds.iter().all(|kind| (kind.rows > 0) == (kind.elements > 0.0)));
                // The secret's length, which is ranged, and what is rounded up in each argument.
                let off = exact - said.total();
                assert!((0.0..=2.0 * arguments as f64 + 8.0).contains(&off), "{exact}, and {}", said.total());
                exact
            };
            let (split, whole) = (check(), whole(check));
            // So few steps take hardly any of the 2^16 multiplicities of a whole table.
            let tables = (arguments << 16) as f64;
            assert!(whole > tables && split < tables / 4.0, "{split} {whole}");
        }
    }

    fn profile() -> impl Strategy<Value = Profile> {
        let counts = (prop::collection::vec(0..3_u32, KINDS), 0..9_u32).prop_map(|(rows, words)| {
            let rows = rows.try_into().expect("one of each kind");
            Counts { rows, words }
        });
        let lists = (prop::collection::vec(counts, 0..5), prop::collection::vec(0..5_u64, 0..5));
        lists.prop_map(|(segments, fresh)| Profile { segments, fresh })
    }

    /// V refuses a profile or follows it, without a panic, and then commits to what it says.
    #[test]
    fn any_profile_is_refused_or_followed() {
        let [run, _] = counted();
        let secret = Subject::Secret(Bounds { text: 0x1_0000, words: 3, data: 2 });
        let trap = End::Trap { pc: 0x1_0000 - 4, cause: Cause::FetchOutside, value: 0 };
        let subjects = prop::sample::select(vec![run.about().clone(), secret]);
        let ends = prop::sample::select(vec![End::Exit(0), trap]);
        let followed = Cell::new(0);
        let config = ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() };
        let result = TestRunner::new(config).run(
            &(subjects, ends, profile(), 0..20_u64, prop::bool::weighted(0.8)),
            |(subject, end, mut profile, log, is_cut)| {
                if is_cut {
                    // As many checks as are due.
                    let mut checks = Checks::new(&profile, log, subject.file_words());
                    let due = profile.segments.iter().filter(|_| checks.next().is_some()).count();
                    profile.fresh.truncate(due);
                }
                let arguments = profile.segments.len() + profile.fresh.len();
                let claim = RunClaim { end, journal: b"journal".to_vec() };
                let settings = Settings { steps: 5, unit: 1, log };
                let run = ProgramRun::new(subject, b"public".to_vec(), claim, profile, settings);
                let Ok(run) = run else { return Ok(()) };
                let counter = Counter::<F61>::count(&run).expect("no witness is needed");
                let off = counter.total().commitments() as f64 - run.elements().total();
                prop_assert!((0.0..=2.0 * arguments as f64 + 8.0).contains(&off), "{off} of {arguments}");
                followed.set(followed.get() + 1);
                Ok(())
            },
        );
        assert!(result.is_ok(), "{result:?}");
        assert!(followed.get() > 15, "{} of 150", followed.get());
    }
}
