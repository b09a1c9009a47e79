//! Runs that show more than they need: honest ones at every border, and lies in what fills them up.

use proptest::prelude::*;

use super::super::argument::Committed;
use super::super::argument::tests::with_lie;
use super::super::kind::Kind as Rows;
use super::super::tables::{Table, with_table};
use super::super::trace::Segment as Columns;
use super::lies::{FREE, is_unsatisfied, meddled, touching};
use super::runs::counting;
use super::*;
use Operation::*;

/// The run with each segment like the largest, and this many segments more.
fn filled(run: ProgramRun, more: usize) -> ProgramRun {
    let class = ProfileClass::of(&run);
    let steps = (class.segments() + more) as u64 * u64::from(run.settings().steps);
    run.in_class(&class.padded_to(steps).expect("more")).expect("its own class")
}

/// A run of so many rows, that exits or traps behind them.
fn lasting(rows: usize, exits: bool) -> Vec<u32> {
    let mut words = vec![i(Addi, 5, 5, 0, 1); rows - 1];
    words.push(i(Addi, 17, 0, 0, 93));
    words.push(if exits { exit()[1] } else { i(Ebreak, 0, 0, 0, 0) });
    words
}

#[test]
fn segments_may_end_with_the_run_or_a_step_before_or_behind() {
    for rows in [1, 11, 12, 13, 23, 24, 25] {
        for exits in [true, false] {
            for more in [0, 1, 3] {
                let settings = Settings { steps: 12, unit: 5, log: 8 };
                let run = run_of(&lasting(rows, exits), [b"", b""], settings);
                // The end is found behind the last step.
                let segments = rows / 12 + 1;
                let found = (matches!(run.claim().end, End::Exit(_)), run.profile().segments());
                assert_eq!(found, (exits, segments));
                let run = filled(run, more);
                assert_eq!(run.profile().segments(), segments + more);
                assert_eq!(check_exactly(&run), Ok(()), "{rows} {exits} {more}");
            }
        }
    }
}

/// Each of the lengths of a log is that of some segments, or one entry off.
#[test]
fn a_log_may_be_due_in_any_segment() {
    for log in 0..40 {
        let settings = Settings { steps: 9, unit: 1, log };
        let run = ProgramRun::of(touching(9), [Vec::new(), Vec::new()], settings, Limits::default());
        let run = filled(run.expect("a run"), 2);
        assert_eq!(check_exactly(&run), Ok(()), "{log}");
    }
    // With the arguments.
    let run = run_of(&counting(7), [b"", b""], Settings { steps: 30, unit: 2, log: 2 });
    assert_eq!(check(&filled(run, 1)), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_run_is_proved_in_every_class_that_holds_it(
        rounds in 1..9_i32,
        (steps, unit, log) in (1..40_u32, 1..4_u32, 0..40_u64),
        (segments, words, new) in (0..3_u32, 0..30_u32, 0..9_u64),
    ) {
        let settings = Settings { steps, unit, log };
        let run = ProgramRun::of(touching(rounds), [Vec::new(), Vec::new()], settings, Limits::default());
        let run = run.expect("a run");
        let mut class = ProfileClass::of(&run);
        class.grow(segments, words, new);
        let run = run.in_class(&class).expect("it fits");
        prop_assert_eq!(check_exactly(&run), Ok(()));
    }
}

/// A run of two steps, and behind it a segment without one; each with rows of every kind, and with words.
fn behind() -> ProgramRun {
    let [number, call] = exit();
    let words = [i(Addi, 10, 0, 0, 7), number, call];
    let run = run_of(&words, [b"secret", b"public"], Settings { steps: 1 << 12, unit: 1, log: 8 });
    let mut class = ProfileClass::of(&run);
    class.grow(1, 3, 0);
    run.in_class(&class).expect("it fits")
}

#[test]
fn every_column_is_bound_in_a_segment_without_a_step() {
    let mut run = behind();
    assert_eq!(run.profile().segments(), 2);
    let mut accepted = Vec::new();
    for kind in Rows::ALL {
        let columns = with_table!(kind, T => T::COLUMNS);
        for column in 0..columns {
            if FREE.iter().any(|(of, free)| *of == kind && free.contains(&column)) {
                continue;
            }
            let result = meddled(&mut run, move |number, segment| {
                if number == 2 {
                    segment.tables[kind as usize][column] += F61::new(1 + column as u64 % 3);
                }
            });
            if !is_unsatisfied(&result) {
                accepted.push(format!("{kind:?}, column {column}: {result:?}"));
            }
        }
    }
    assert!(accepted.is_empty(), "{}", accepted.join("\n"));
}

#[test]
fn a_segment_without_a_step_changes_nothing() {
    type Lie = fn(&mut Columns);
    let mut run = behind();
    assert!(run.profile.segments[1].words >= 3);
    let lies: [(&str, Lie); 14] = [
        ("the place", |segment| segment.place += 4),
        ("the place of fillers", |segment| segment.place = 1),
        ("the time", |segment| segment.time += 1),
        ("the code", |segment| segment.registers[10].value += 1),
        ("the call", |segment| segment.registers[17].value += 1),
        ("x0", |segment| segment.registers[0].value += 1),
        ("the journal's length", |segment| segment.registers[35].value += 1),
        ("a register's time", |segment| segment.registers[9].time += 1),
        ("a word at first", |segment| segment.words[0].first += 1),
        ("a word at the end", |segment| segment.words[0].last.value += 1),
        ("a word all the time", |segment| {
            segment.words[0].first += 1;
            segment.words[0].last.value += 1;
        }),
        ("a word's time", |segment| segment.words[0].last.time += 1),
        ("a word's last segment", |segment| segment.words[0].since = 2),
        ("a word twice", |segment| {
            let word = segment.words[0];
            segment.words[1] = word;
        }),
    ];
    for (what, lie) in lies {
        let result = meddled(&mut run, move |number, segment| {
            if number == 2 {
                lie(segment);
            }
        });
        assert!(is_unsatisfied(&result), "{what}: {result:?}");
    }
}

/// A word that is listed without an access has another value at the end. The log and the next segment, which
/// reads it, go along.
#[test]
fn a_word_that_is_listed_without_an_access_keeps_its_value() {
    let mut words = li(5, DATA).to_vec();
    words.extend([i(Addi, 6, 0, 0, 7), i(Lw, 10, 5, 0, 0)]);
    words.extend(exit());
    let run = run_of(&words, [b"", b""], Settings { steps: 3, unit: 1, log: 100 });
    assert_eq!((run.claim().end, run.profile().segments()), (End::Exit(0x0403_0201), 2));
    // All words of the file are listed in both segments.
    let mut class = ProfileClass::of(&run);
    class.grow(0, 40, 0);
    let mut run = run.in_class(&class).expect("it fits");
    assert_eq!(check_exactly(&run), Ok(()));
    let mut segments = program(&words).segments().to_vec();
    segments[2].bytes[0] ^= 1;
    run.traced = Some((Program::new(TEXT, segments).expect("a program"), Vec::new()));
    run.claim.end = End::Exit(0x0403_0200);
    let result = meddled(&mut run, |number, segment| {
        let word = segment.words.iter_mut().find(|word| word.address == DATA).expect("it is listed");
        assert_eq!((word.first, word.since, word.last.value), (0x0403_0200, number - 1, 0x0403_0200));
        if number == 1 {
            assert_eq!(word.last.time, 0);
            word.first = 0x0403_0201;
        }
    });
    assert!(is_unsatisfied(&result), "{result:?}");
}

#[test]
fn every_value_of_the_log_is_bound_if_words_are_new_that_nobody_touches() {
    let settings = Settings { steps: 9, unit: 1, log: 2 };
    let run = ProgramRun::of(touching(3), [Vec::new(), Vec::new()], settings, Limits::default());
    let run = run.expect("a run");
    let mut class = ProfileClass::of(&run);
    class.grow(0, 1, 2);
    let run = run.in_class(&class).expect("it fits");
    assert_eq!(check_exactly(&run), Ok(()));
    for what in [Committed::Fresh, Committed::Filed, Committed::Live, Committed::Gap] {
        for at in 0.. {
            let (result, is_told) = with_lie(what, at, || check_exactly(&run));
            if !is_told {
                assert!(at > 3, "{what:?}");
                break;
            }
            assert!(is_unsatisfied(&result), "{what:?} {at}: {result:?}");
        }
    }
}

/// P stops where another program exits, and passes the rest of the run off as segments without a step.
#[test]
fn no_run_ends_early_by_segments_without_a_step() {
    let [number, call] = exit();
    let words = [number, i(Addi, 10, 0, 0, 5), i(Addi, 10, 0, 0, 7), i(Lw, 1, 0, 0, 0), call];
    let early = [number, words[1], call, words[3], call];
    let settings = Settings { steps: 1, unit: 1, log: 8 };
    let other = run_of(&early, [b"", b""], settings);
    assert_eq!(other.claim().end, End::Exit(5));
    let other = filled(other, 2);
    let mut run = run_of(&words, [b"", b""], settings);
    assert!(matches!(run.claim().end, End::Trap { .. }));
    (run.profile, run.traced) = (other.profile, Some((program(&early), Vec::new())));
    run.claim.end = End::Exit(5);
    let result = check_exactly(&run);
    assert!(is_unsatisfied(&result), "{result:?}");
    // Nor by a trap that comes later.
    let cause = crate::Cause::LoadOutside;
    run.claim.end = End::Trap { pc: TEXT + 12, cause, value: 0 };
    let result = check_exactly(&run);
    assert!(is_unsatisfied(&result), "{result:?}");
}
