//! Every value that P commits to is changed once, and many changes that fit together.

use std::sync::Arc;

use volery_circuit::Error;
use volery_field::Ring as _;

use super::super::argument::Committed;
use super::super::argument::tests::with_lie;
use super::super::kind::Kind as Rows;
use super::super::split::Lookups;
use super::super::split::tests::{BOTH, whole};
use super::super::statement::Meddle;
use super::super::tables::{Table, with_table};
use super::super::trace::{REGISTERS, Segment as Columns};
use super::*;
use Operation::*;

/// The run with P changing columns of its segments; arguments look at values.
pub(super) fn meddled(
    run: &mut ProgramRun,
    meddle: impl Fn(u32, &mut Columns) + Send + Sync + 'static,
) -> Result<(), Error> {
    let meddle: Meddle = Arc::new(meddle);
    run.meddle = Some(meddle);
    let result = check_exactly(run);
    run.meddle = None;
    result
}

pub(super) fn is_unsatisfied(result: &Result<(), Error>) -> bool {
    matches!(result, Err(Error::Unsatisfied { .. }))
}

/// Rows of every kind: three or more of each, on operands for which no column is free.
pub(super) fn everything() -> Vec<u32> {
    let mut words = Vec::new();
    words.extend(li(5, 0x8765_4321));
    words.extend(li(6, 0x1234_5679));
    words.extend(li(8, DATA));
    let both = [Add, Sub, Slt, Sltu, And, Or, Xor, Sll, Srl, Sra, Mulhu, Mulh, Mulhsu, Div, Divu, Rem, Remu];
    words.extend(both.map(|operation| i(operation, 7, 5, 6, 0)));
    words.extend(both.map(|operation| i(operation, 7, 6, 5, 0)));
    words.extend([Addi, Slti, Sltiu, Andi, Ori, Xori].map(|operation| i(operation, 7, 5, 0, -77)));
    words.extend([Slli, Srli, Srai, Slti, Addi, Addi].map(|operation| i(operation, 7, 5, 0, 13)));
    for place in [0, 4] {
        words.extend([i(Lw, 7, 8, 0, place), i(Lb, 7, 8, 0, place + 1), i(Lhu, 7, 8, 0, place)]);
        words.extend([i(Sw, 0, 8, 5, place), i(Sb, 0, 8, 6, place + 1), i(Sh, 0, 8, 6, place + 2)]);
    }
    words.extend([i(Lw, 7, 8, 0, 4), i(Sw, 0, 8, 7, 8)]);
    words.extend([i(Beq, 0, 5, 6, 8), i(Bne, 0, 5, 6, 4), i(Bne, 0, 6, 5, 4)]);
    words.extend([Blt, Bge, Bltu, Bgeu].map(|operation| i(operation, 0, 5, 6, 4)));
    words.extend([i(Jal, 1, 0, 0, 4), i(Jal, 1, 0, 0, 4), i(Jal, 0, 0, 0, 4)]);
    words.extend([i(Auipc, 9, 0, 0, 0), i(Jalr, 1, 9, 0, 8), i(Jalr, 1, 9, 0, 12), i(Jalr, 0, 9, 0, 16)]);
    for (number, file, at, length) in
        [(63, 0, 1, 3), (63, 3, 9, 3), (64, 1, 1, 3), (1, 1, 1, 1), (64, 7, 0, 1)]
    {
        words.extend(runs::call(number, file, at, length));
    }
    words.extend(exit());
    words
}

/// One segment, with filler rows of every kind.
pub(super) const ONE: Settings = Settings { steps: 1 << 12, unit: 7, log: 8 };

/// Values that do not matter in filler rows, by the number of the column: the correction of a signed product
/// where the lower word is the result; the inverse of a difference that is zero; of a byte that moves
/// nowhere, the place of the call and how many are left, as the row produces the state that it consumes.
pub(super) const FREE: [(Rows, &[usize]); 5] = [
    (Rows::Multiply, &[28]),
    (Rows::BranchEqual, &[14]),
    (Rows::TakeSecret, &[1, 4]),
    (Rows::TakePublic, &[1, 4]),
    (Rows::PutJournal, &[1, 4]),
];

/// How many rows of each kind are steps.
fn steps(run: &mut ProgramRun) -> Vec<usize> {
    let counts = Arc::new(std::sync::Mutex::new(Vec::new()));
    let out = Arc::clone(&counts);
    let result = meddled(run, move |_, segment| {
        let count = |kind: &Rows| {
            let columns = with_table!(*kind, T => T::COLUMNS);
            segment.tables[*kind as usize].iter().step_by(columns).filter(|f| **f == F61::ONE).count()
        };
        *out.lock().expect("one thread") = Rows::ALL.iter().map(count).collect();
    });
    assert_eq!(result, Ok(()));
    counts.lock().expect("one thread").clone()
}

/// One value of every column is changed: in the first, a middle and the last step, and in a filler row.
fn every_column(rows: &[usize]) {
    let mut run = run_of(&everything(), [b"secret", b"public"], ONE);
    assert_eq!(run.profile().segments(), 1);
    let steps = steps(&mut run);
    let mut accepted = Vec::new();
    for kind in Rows::ALL {
        let (steps, all) = (steps[kind as usize], run.profile.segments[0].rows[kind as usize] as usize);
        assert!(steps >= 2 && all > steps, "{kind:?}: {steps} of {all}");
        let columns = with_table!(kind, T => T::COLUMNS);
        for column in 0..columns {
            for row in rows.iter().map(|row| [0, steps / 2, steps - 1, all - 1][*row]) {
                let is_free = FREE.iter().any(|(of, free)| *of == kind && free.contains(&column));
                if row >= steps && is_free {
                    continue;
                }
                let result = meddled(&mut run, move |_, segment| {
                    segment.tables[kind as usize][row * columns + column] += F61::new(1 + column as u64 % 3);
                });
                if !is_unsatisfied(&result) {
                    accepted.push(format!("{kind:?}, column {column}, row {row}: {result:?}"));
                }
            }
        }
    }
    assert!(accepted.is_empty(), "{}", accepted.join("\n"));
}

#[test]
fn every_column_of_every_kind_is_bound_in_a_step_and_in_a_filler_row() {
    every_column(&[1, 3]);
}

#[test]
fn every_column_of_every_kind_is_bound_in_the_first_and_the_last_step() {
    every_column(&[0, 2]);
}

#[test]
#[ignore = "long: all of it again"]
fn long_every_column_of_every_kind_is_bound_with_whole_tables() {
    whole(|| every_column(&[0, 1, 2, 3]));
}

/// An upper half of each lookup of each kind is changed, in a step and in a filler row, and then those of
/// words, of the secret input's length, and of the log.
#[test]
fn every_half_of_what_is_looked_up_is_bound() {
    let mut run = run_of(&everything(), [b"secret", b"public"], ONE);
    let (steps, mut places, mut first) = (steps(&mut run), Vec::new(), 0);
    for kind in Rows::ALL {
        let (rows, shape) =
            (run.profile.segments[0].rows[kind as usize] as usize, with_table!(kind, T => T::shape()));
        let columns = BOTH.row(Lookups::of(&shape)).0 as usize;
        let rows_of = |column| [steps[kind as usize] / 2, rows - 1].map(|row| first + row * columns + column);
        places.extend((0..columns).flat_map(rows_of));
        first += rows * columns;
    }
    for place in places.into_iter().chain((first..).step_by(5)) {
        let (result, told) = with_lie(Committed::Upper, place, || check_exactly(&run));
        if !told {
            assert_eq!(result, Ok(()));
            assert!(place > first, "only {place} of {first}");
            break;
        }
        assert!(is_unsatisfied(&result), "{place}: {result:?}");
    }
}

#[test]
fn what_a_segment_begins_and_ends_with_is_bound() {
    type Lie = fn(&mut Columns, usize);
    let ends: [(&str, Lie); 3] = [
        ("the place at the end", |segment, _| segment.place += 4),
        ("the time at the end", |segment, _| segment.time += 1),
        ("the time of filler rows' memory", |segment, _| segment.aside += 1),
    ];
    let registers: [(&str, Lie); 2] = [
        ("a register's value", |segment, i| segment.registers[i].value ^= 1),
        ("a register's time", |segment, i| segment.registers[i].time += 1),
    ];
    let words: [(&str, Lie); 6] = [
        ("a word's address", |segment, i| segment.words[i].address += 4),
        ("a word's kind", |segment, i| segment.words[i].read_only ^= true),
        ("a word at first", |segment, i| segment.words[i].first ^= 1),
        ("a word's last segment", |segment, i| segment.words[i].since += 1),
        ("a word at the end", |segment, i| segment.words[i].last.value ^= 1),
        ("a word's time at the end", |segment, i| segment.words[i].last.time += 1),
    ];
    let mut run = run_of(&everything(), [b"secret", b"public"], Settings { steps: 30, ..ONE });
    let touched = Vec::from_iter(run.profile.segments.iter().map(|counts| counts.words as usize));
    let all: Vec<u32> = (1..).take(touched.len()).collect();
    let touching = Vec::from_iter(all.iter().copied().filter(|number| touched[*number as usize - 1] > 0));
    assert!(all.len() >= 4 && touching.len() >= 3, "{touching:?} of {all:?}");
    assert!(touching.iter().any(|number| touched[*number as usize - 1] >= 3), "{touched:?}");
    for (lies, segments, what_of) in
        [(&ends[..], &all, "end"), (&registers, &all, "register"), (&words, &touching, "word")]
    {
        for at in [segments[0], segments[segments.len() / 2], segments[segments.len() - 1]] {
            let count = touched[at as usize - 1];
            let places = match what_of {
                "end" => vec![0],
                "register" => (0..REGISTERS).collect(),
                _ => vec![0, count / 2, count - 1],
            };
            for ((what, lie), place) in
                lies.iter().copied().flat_map(|lie| places.iter().map(move |place| (lie, *place)))
            {
                let result = meddled(&mut run, move |number, segment| {
                    if number == at {
                        lie(segment, place);
                    }
                });
                assert!(is_unsatisfied(&result), "{what} {place} in {at}: {result:?}");
            }
        }
    }
}

/// A segment that only reads a word takes what it leaves itself, which may be any value. The next one takes
/// what the file has.
#[test]
fn no_segment_takes_what_it_leaves_itself() {
    const OLD: usize = 13;
    let mut words = li(5, DATA).to_vec();
    words.extend([i(Lw, 10, 5, 0, 0), i(Sw, 0, 5, 6, 0)]);
    words.extend(exit());
    let mut run = run_of(&words, [b"", b""], Settings { steps: 3, unit: 1, log: 8 });
    assert_eq!((run.profile().segments(), run.claim().end), (2, End::Exit(0x0403_0201)));
    let mut segments = program(&words).segments().to_vec();
    segments[2].bytes[0] ^= 1;
    run.traced = Some((Program::new(TEXT, segments).expect("a program"), Vec::new()));
    run.claim.end = End::Exit(0x0403_0200);
    let result = meddled(&mut run, |number, segment| {
        let word = &mut segment.words[0];
        assert!(word.address == DATA && word.first == 0x0403_0200 && word.since == number - 1);
        if number == 1 {
            word.since = 1;
        } else {
            (word.first, word.since) = (0x0403_0201, 0);
            let old = &mut segment.tables[Rows::StoreWord as usize][OLD];
            assert_eq!(*old, F61::new(0x0403_0200));
            *old = F61::new(0x0403_0201);
        }
    });
    assert!(is_unsatisfied(&result), "{result:?}");
}

/// P's trace is that of another run, true in itself.
fn swapped(change: impl Fn(&mut ProgramRun)) -> Result<(), Error> {
    let mut run = run_of(&everything(), [b"secret", b"public"], ONE);
    change(&mut run);
    check_exactly(&run)
}

#[test]
fn a_run_of_another_program_or_on_another_input_or_with_another_end_does_not_pass_for_this_one() {
    assert_eq!(swapped(|_| ()), Ok(()));
    let other = |index: usize, word: u32| {
        move |run: &mut ProgramRun| {
            let mut words = everything();
            words[index] = word;
            run.traced = Some((program(&words), b"public".to_vec()));
        }
    };
    // Another immediate, another operand, another operation of the kind, another condition.
    for (index, word) in [
        (2, li(6, 0x1234_6679)[0]),
        (3, i(Addi, 6, 6, 0, 0x678)),
        (6, i(Add, 7, 5, 5, 0)),
        (6, i(Add, 9, 5, 6, 0)),
        (7, i(Add, 7, 5, 6, 0)),
        (10, i(Or, 7, 5, 6, 0)),
    ] {
        assert!(everything()[index] != word);
        let result = swapped(other(index, word));
        assert!(is_unsatisfied(&result), "{index}: {result:?}");
    }
    // Other data, another public input.
    let result = swapped(|run| {
        let mut segments = program(&everything()).segments().to_vec();
        segments[2].bytes[3] ^= 1;
        run.traced = Some((Program::new(TEXT, segments).expect("a program"), b"public".to_vec()));
    });
    assert!(is_unsatisfied(&result), "{result:?}");
    let result = swapped(|run| run.traced = Some((program(&everything()), b"Public".to_vec())));
    assert!(is_unsatisfied(&result), "{result:?}");
    let claims: [fn(&mut RunClaim); 6] = [
        |claim| claim.end = End::Exit(1),
        |claim| claim.end = End::Trap { pc: TEXT, cause: crate::Cause::Breakpoint, value: 0 },
        |claim| claim.end = End::Trap { pc: TEXT + 4000, cause: crate::Cause::FetchOutside, value: 0 },
        |claim| claim.journal[1] ^= 1,
        |claim| claim.journal.push(0),
        |claim| claim.journal.truncate(1),
    ];
    for (number, change) in claims.into_iter().enumerate() {
        let result = swapped(|run| change(&mut run.claim));
        assert!(matches!(result, Err(Error::Unsatisfied { .. } | Error::Public(_))), "{number}: {result:?}");
    }
}

/// A loop that touches few words often, so that the log is checked more than once: one of the file, the stack
/// downwards, at last a read-only word of zeros. The file is small, so that logs are soon as long.
pub(super) fn touching(rounds: i32) -> Program {
    let mut words = li(5, DATA).to_vec();
    words.extend([i(Lui, 9, 0, 0, CONSTANTS as i32), i(Addi, 8, 2, 0, 0), i(Addi, 6, 0, 0, rounds)]);
    words.extend([
        i(Lw, 7, 5, 0, 0),
        i(Sw, 0, 2, 7, -128),
        i(Sh, 0, 8, 6, -2),
        i(Addi, 8, 8, 0, -2),
        i(Addi, 6, 6, 0, -1),
        i(Bne, 0, 6, 0, -20),
        i(Lw, 10, 9, 0, 4),
    ]);
    words.extend(exit());
    let mut segments = program(&words).segments().to_vec();
    segments[1].size = 8;
    segments[1].bytes.truncate(4);
    segments[2].bytes.truncate(4);
    Program::new(TEXT, segments).expect("a program")
}

/// Every value of the log's lists is changed: of the words that are new, of those of the file, of other live
/// words, of the gaps between them.
#[test]
fn every_value_of_the_log_is_bound() {
    let [run, _] = counted();
    assert_eq!(check_exactly(&run), Ok(()));
    let fresh = &run.profile.fresh;
    assert!(fresh.len() >= 2 && fresh.iter().filter(|new| **new > 0).count() >= 2, "{fresh:?}");
    let mut told = [0; 4];
    let lists = [Committed::Fresh, Committed::Live, Committed::Gap, Committed::Filed];
    for (count, what) in told.iter_mut().zip(lists) {
        loop {
            let (result, is_told) = with_lie(what, *count, || check_exactly(&run));
            if !is_told {
                assert_eq!(result, Ok(()));
                break;
            }
            assert!(is_unsatisfied(&result), "{what:?} {count}: {result:?}");
            *count += 1;
        }
    }
    let fresh = run.profile.fresh.iter().sum::<u64>() as usize;
    let [read_only, others] = run.about().filed();
    let filed = run.profile.fresh.len() * (read_only + 2 * others) as usize;
    assert!(told[0] == 5 * fresh && told[1] > 3 * fresh && told[2] > 0 && told[3] == filed, "{told:?}");
}

/// A filler row, which may have any time, writes a byte to the program's memory. One of the live words after
/// it is the one that it leaves.
#[test]
fn no_filler_row_reaches_the_program_s_memory() {
    const COLUMNS: usize = 20;
    let mut run = run_of(&everything(), [b"secret", b"public"], ONE);
    let meddle = |_, segment: &mut Columns| {
        let word = segment.words.iter_mut().find(|word| word.address == DATA + 8).expect("it is used");
        let table = &mut segment.tables[Rows::TakeSecret as usize];
        let start = table.len() - COLUMNS;
        let (row, old) = (&mut table[start..], word.last);
        assert!(row[0] == F61::ZERO);
        let now = 4 * row[2].to_u64() as u32 + 3;
        let before = row[10];
        let low = |n: u32| F61::new(u64::from(n & 0xffff));
        let new = old.value + 1;
        assert!(new & 0xff > 0);
        // Where it is, what it finds, and what it leaves.
        let cursor = F61::new(u64::from(word.address)) - F61::new(1 << 40);
        for (column, value) in [
            (3, cursor),
            (7, cursor),
            (9, F61::new(old.value.into())),
            (10, F61::new(old.time.into())),
            (11, low(now - 1 - old.time)),
            (14, low(old.value)),
            (15, low(old.value)),
            (16, F61::new(u64::from(old.value & 0xff))),
            (17, F61::new(u64::from(old.value >> 8 & 0xff))),
            (18, F61::new(u64::from(new & 0xff))),
            (19, F61::new(new.into())),
        ] {
            row[column] = value;
        }
        (word.last.value, word.last.time) = (new, now);
        // The filler rows' word without it.
        let table = &mut segment.tables[Rows::TakePublic as usize];
        let next = table.chunks_exact_mut(COLUMNS).find(|row| row[0] == F61::ZERO).expect("a filler row");
        assert!(next[10] == F61::new(now.into()));
        next[10] = before;
        next[11] = low(4 * next[2].to_u64() as u32 + 2 - before.to_u64() as u32);
    };
    for live in 0.. {
        let (result, told) = with_lie(Committed::Filed, live, || meddled(&mut run, meddle));
        assert!(is_unsatisfied(&result), "{live}: {result:?}");
        if !told {
            break;
        }
    }
}

/// A read of the public input takes fewer bytes than it could.
#[test]
fn a_read_takes_all_that_it_can() {
    let [position, moved, most, low_most, place] = [15, 18, 30, 31, 37];
    let mut words = runs::call(63, 3, 1, 3);
    words.extend(exit());
    let settings = Settings { unit: 1, ..ONE };
    let mut run = run_of(&words, [b"", b"public"], settings);
    assert_eq!(run.claim().end, End::Exit(3));
    let short = run_of(&words, [b"", b"pu"], settings);
    (run.profile, run.claim.end) = (short.profile.clone(), End::Exit(2));
    run.traced = Some((program(&words), b"pu".to_vec()));
    let result = meddled(&mut run, move |_, segment| {
        segment.registers[34].value = 4;
        let call = &mut segment.tables[Rows::Call as usize];
        assert_eq!([position, moved, most, low_most, place].map(|i| call[i].to_u64()), [2, 0, 2, 0, 2]);
        for (column, value) in [(position, 6), (moved, 4), (most, 6), (low_most, 4), (place, 6)] {
            call[column] = F61::new(value);
        }
        // The places of two bytes, and where the next one is.
        let bytes = &mut segment.tables[Rows::TakePublic as usize];
        assert_eq!([5, 8, 25, 28].map(|i| bytes[i].to_u64()), [2, 1, 1, 0]);
        for (column, value) in [(5, 6), (8, 5), (25, 5)] {
            bytes[column] = F61::new(value);
        }
    });
    assert!(is_unsatisfied(&result), "{result:?}");
}

/// P stops where `a7` has the number of `exit`, but there is no call.
#[test]
fn no_run_exits_without_a_call() {
    let mut words = [i(Addi, 17, 0, 0, 93), i(Addi, 10, 0, 0, 5), i(Addi, 10, 0, 0, 7)].to_vec();
    words.extend(exit());
    let mut run = run_of(&words, [b"", b""], Settings { steps: 2, unit: 1, log: 8 });
    assert_eq!((run.profile().segments(), run.claim().end), (3, End::Exit(7)));
    run.profile.segments.truncate(1);
    run.claim.end = End::Exit(5);
    let result = check_exactly(&run);
    assert!(is_unsatisfied(&result), "{result:?}");
}

/// P runs a program with more memory.
#[test]
fn no_word_outside_of_memory_is_new() {
    let mut words = li(5, DATA).to_vec();
    words.extend([i(Lw, 10, 5, 0, 300)]);
    words.extend(exit());
    let mut run = run_of(&words, [b"", b""], ONE);
    assert!(matches!(run.claim().end, End::Trap { .. }));
    let mut segments = program(&words).segments().to_vec();
    segments[2].size = 512;
    let larger = Program::new(TEXT, segments).expect("a program");
    let inputs = [Vec::new(), Vec::new()];
    let other = ProgramRun::of(larger.clone(), inputs, ONE, Limits::default()).expect("a run");
    assert_eq!((check_exactly(&other), other.claim().end), (Ok(()), End::Exit(0)));
    (run.profile, run.claim, run.traced) = (other.profile, other.claim, Some((larger, Vec::new())));
    let result = check_exactly(&run);
    assert!(is_unsatisfied(&result), "{result:?}");
}
