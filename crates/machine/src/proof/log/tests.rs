//! Checks of the log for which P makes up everything that it commits to.

mod model;

use volery_circuit::{Error, Evaluator};
use volery_field::Field as _;

use super::super::argument::exact;
use super::super::argument::tests::with_forged;
use super::super::subject::Subject;
use super::super::trace::Loaded;
use super::*;
use crate::Limits;
use crate::program::{Kind, Program, Segment};

/// The address of data that can be written: eight words in the file, 56 that are zero at first.
const DATA: i64 = 0x3_0000;

/// A live word: address, value, segment of the last use.
type Live = [i64; LIVE];

/// What the segment of this number took and left: address, value, segment of the last use, value at the end.
type Entry = (u32, [i64; 4]);

/// The lists of one check.
#[derive(Debug)]
struct Lists {
    /// The live words before the check. In the first check they are those of the file.
    before: Option<Vec<Live>>,
    entries: Vec<Entry>,
    /// The columns of new words.
    fresh: Vec<[F61; 5]>,
    /// The words of the file after the check, in its order. Of those that are read-only P says the segment.
    file: Vec<Live>,
    /// The other live words.
    after: Vec<Live>,
    /// The lower limbs of the distances between those.
    gaps: Vec<F61>,
}

/// What both parties know of the program, and the run that P lies about.
struct Checker<'p> {
    tables: Tables<'p>,
    source: Source<'p>,
}

fn with_checker<T>(f: impl FnOnce(&Checker<'_>) -> T) -> T {
    let text = Segment { address: 0x1_0000, size: 4, bytes: vec![0x13, 0, 0, 0], kind: Kind::Text };
    let data = Segment { address: DATA as u32, size: 256, bytes: vec![1; 32], kind: Kind::Writable };
    let constants = Segment { address: 0x4_0000, size: 64, bytes: vec![1; 8], kind: Kind::ReadOnly };
    let program = Program::new(0x1_0000, vec![text, data, constants]).expect("a program");
    let (subject, regions) = (Subject::Public(program.clone()), Regions::of(&program));
    let loaded = Loaded::of(&program, &regions);
    let mut source = Source::new(&program, loaded, [&[], &[]], Limits::default());
    // More live words than any list has here: as many are forged as P is asked for.
    source.bring(&Vec::from_iter(regions.zero_words().take(50)));
    f(&Checker { tables: Tables { subject: &subject, regions, input: &[], journal: &[] }, source })
}

impl Checker<'_> {
    /// Whether the check passes: by looking at values (`exactly`), or by the argument.
    fn accepts(&self, lists: &Lists, exactly: bool) -> bool {
        let Lists { before, entries, fresh, file, after, gaps } = lists;
        let mut log = match before {
            None => Log::new(),
            Some(before) => Log::with(integers(before.as_flattened())),
        };
        log.entries = entries.iter().map(|(segment, entry)| (*segment, integers(entry))).collect();
        let count = file.len() + after.len();
        let after = integers(after.as_flattened());
        let columns = filed(&self.tables).zip(file);
        let columns = columns.flat_map(|(word, columns)| integers(&columns[LIVE - word.committed()..]));
        let said = [
            (Committed::Fresh, fresh.concat()),
            (Committed::Filed, columns.collect()),
            (Committed::Live, after.clone()),
            (Committed::Gap, gaps.clone()),
        ];
        // Only their number matters: P says the forged ones.
        let addresses = vec![0; fresh.len()];
        let (counts, known) = ((count, fresh.len()), || Some(Committing::of(&self.source, &addresses)));
        let mut check = || log.check(&mut Evaluator::<F61>::new(), &self.tables, counts, known());
        let (result, all) = with_forged(said, || if exactly { exact::on(check) } else { check() });
        assert!(all, "P said all that is in the lists");
        match result {
            Ok(()) => {
                let file = integers(file.as_flattened());
                assert!(log.live.expect("after a check").concat() == [file, after].concat());
                true
            }
            Err(Error::Unsatisfied { .. }) => false,
            Err(error) => panic!("{error}"),
        }
    }
}

/// The words of the file, as they are at first.
fn file(tables: &Tables<'_>) -> Vec<Live> {
    filed(tables).map(|word| [word.place, word.value.into(), 0]).collect()
}

fn integers(all: &[i64]) -> Vec<F61> {
    all.iter().copied().map(integer).collect()
}

/// The lower limb that P says for a distance. A distance that the check refuses has no two limbs that are
/// both below 2^16. P then chooses which of the two is: the lower one, or if `upper` the upper one, as zero.
fn limb(distance: i64, upper: bool) -> F61 {
    let is_right = distance % 4 == 0 && (4..=1 << 34).contains(&distance);
    if upper && !is_right {
        integer(distance) * integer(4).inverse_or_zero() - F61::ONE
    } else {
        integer((distance.div_euclid(4) - 1) & 0xffff)
    }
}

/// The lower limbs that P says for the distances between these words.
fn gaps(words: &[Live], upper: bool) -> Vec<F61> {
    words.windows(2).map(|two| limb(two[1][0] - two[0][0], upper)).collect()
}

#[test]
fn a_log_is_due_when_it_is_as_long_as_five_eighths_of_the_live_words_and_as_the_least() {
    assert!(!is_due(9, 5, 10) && is_due(10, 5, 10) && !is_due(9, 16, 9) && is_due(10, 16, 9));
}

/// Lists of every length up to three buffers and a word, with lies about any two neighbours: they are
/// swapped, one is left out, or they are at a wrong distance.
#[test]
fn every_border_of_buffers_is_compared() {
    // Around the largest distance with an upper limb of zero, and the largest one of all.
    let right = [8, 1 << 18, (1 << 18) + 4, 1 << 34];
    // The same address twice, a smaller one, misaligned ones, and some that are too far.
    let wrong = [0, -4, 1, 2, 3, 5, 6, (1 << 34) + 1, (1 << 34) + 4, 1 << 60];
    with_checker(|checker| {
        let file = file(&checker.tables);
        let passes = |before: &[Live], after: &[Live], upper, exactly| {
            let (before, after) = (Some([&file, before].concat()), after.to_vec());
            let (entries, fresh, gaps) = (Vec::new(), Vec::new(), gaps(&after, upper));
            checker.accepts(&Lists { before, entries, fresh, file: file.clone(), after, gaps }, exactly)
        };
        for count in 0..=3 * AT_ONCE + 1 {
            let words = Vec::from_iter((0..count as i64).map(|i| [DATA + 32 + 4 * i, 7 + i, 1]));
            assert!(passes(&words, &words, false, false), "{count}");
            for at in 1..count {
                let apart = |distance: i64| {
                    let mut moved = words.clone();
                    moved[at..].iter_mut().for_each(|word| word[0] += distance - 4);
                    moved
                };
                let (mut swapped, mut fewer) = (words.clone(), words.clone());
                swapped.swap(at - 1, at);
                fewer.remove(at);
                // The argument takes longer, so it is made only for neighbours in different buffers.
                let ways: &[bool] = if at % AT_ONCE == 0 { &[true, false] } else { &[true] };
                for exactly in ways {
                    for distance in right {
                        let moved = apart(distance);
                        assert!(passes(&moved, &moved, false, *exactly), "{count} {at} {distance}");
                    }
                    for upper in [false, true] {
                        assert!(!passes(&words, &swapped, upper, *exactly), "{count} {at}");
                        assert!(!passes(&words, &fewer, upper, *exactly), "{count} {at}");
                        for distance in wrong {
                            let moved = apart(distance);
                            assert!(!passes(&moved, &moved, upper, *exactly), "{count} {at} {distance}");
                        }
                    }
                }
            }
        }
    });
}
