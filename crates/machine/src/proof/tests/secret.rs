//! Runs of secret programs.

use volery_circuit::Error;
use volery_field::Ring as _;

use super::super::argument::Committed;
use super::super::argument::tests::with_lie;
use super::super::secret_program::lies;
use super::lies::{everything, is_unsatisfied};
use super::*;
use Operation::*;

/// Room for all of these tests' programs: the constants lie outside of the image.
const BOUNDS: Bounds = Bounds { text: TEXT, words: 300, data: 20 };

fn secret_run(program: Program, bounds: Bounds, settings: Settings) -> Result<ProgramRun, Error> {
    let inputs = [b"secret", b"public"].map(|input| input.to_vec());
    ProgramRun::of_secret(program, bounds, inputs, settings, Limits::default())
}

fn run_within(words: &[u32], bounds: Bounds, settings: Settings) -> ProgramRun {
    secret_run(program(words), bounds, settings).expect("a run")
}

/// Adds up a word of data and a constant, and stores on the stack; several segments of 24 steps.
fn adding() -> Vec<u32> {
    let mut words = li(5, DATA).to_vec();
    words.extend(li(6, CONSTANTS));
    words.extend([i(Addi, 7, 0, 0, 9), i(Lw, 8, 5, 0, 0), i(Lw, 9, 6, 0, 4), i(Add, 10, 10, 8, 0)]);
    words.extend([i(Add, 10, 10, 9, 0), i(Sw, 0, 2, 10, -4), i(Sw, 0, 5, 10, 16), i(Addi, 7, 7, 0, -1)]);
    words.extend([i(Bne, 0, 7, 0, -28)]);
    words.extend(exit());
    words
}

#[test]
fn a_run_of_a_secret_program_is_the_run_of_the_public_one() {
    for (words, settings) in
        [(everything(), SMALL), (adding(), SMALL), (adding(), Settings { log: 0, ..SMALL })]
    {
        let run = run_within(&words, BOUNDS, settings);
        assert_eq!(check_exactly(&run), Ok(()));
        assert_eq!(run.claim(), run_of(&words, [b"secret", b"public"], settings).claim());
    }
    assert_eq!(check(&run_within(&adding(), BOUNDS, SMALL)), Ok(()));
}

/// Data of a secret program lie where others may be brought in: none is brought in twice.
#[test]
fn a_run_of_a_secret_program_shows_what_its_class_says() {
    let image = Bounds { text: TEXT, ..BOUNDS };
    for bounds in [image, Bounds { text: TEXT - 16, data: 40, ..image }] {
        let run = run_within(&adding(), bounds, SMALL);
        let mut class = ProfileClass::of(&run);
        class.grow(2, 350, 40);
        let own = run.profile().clone();
        let run = run.in_class(&class).expect("it fits");
        assert_ne!(run.profile(), &own);
        assert_eq!(check_exactly(&run), Ok(()));
    }
    // So many words that those of data are among them.
    let run = run_within(&adding(), image, Settings { steps: 1 << 12, ..SMALL });
    let mut class = ProfileClass::of(&run);
    class.grow(0, DATA / 4, 0);
    let run = run.in_class(&class).expect("it fits");
    let first = run.first_words().expect("P's");
    assert!(first.contains(&DATA));
    assert!(run.new_words().expect("P's").iter().all(|address| !first.contains(address)));
    // Another program within the same bounds is of the class; one within others is not.
    let run = run_within(&adding(), image, SMALL);
    let mut class = ProfileClass::of(&run);
    class.grow(0, 100, 0);
    assert!(run_within(&exit(), image, SMALL).in_class(&class).is_ok());
    let other = run_within(&adding(), Bounds { data: 21, ..image }, SMALL).in_class(&class);
    assert!(matches!(other, Err(ClassError::Value { key: "program", .. })));
}

/// Text behind the image's first word, words of constants in the image, and words of data around it.
#[test]
fn what_a_file_has_may_lie_in_the_image_and_around_it() {
    let words = adding();
    let segment = |address: u32, bytes: &[u8], size: u32, kind: Kind| Segment {
        address,
        size,
        bytes: bytes.to_vec(),
        kind,
    };
    let text: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let code = i(Add, 0, 0, 0, 0).to_le_bytes();
    let program = |entry: u32, before: u32| {
        let segments = vec![
            segment(0x8000, &[1, 2, 3], 8, Kind::ReadOnly),
            segment(TEXT, &text, text.len() as u32 + 8, Kind::Text),
            // Constants that look like code, memory, and what begins in the image and ends outside.
            segment(TEXT + 0x200, &[code, code, code].concat(), 64, Kind::ReadOnly),
            segment(TEXT + 0x300, &[5; 9], 0x100, Kind::Writable),
            segment(DATA, &[1, 2, 3, 4], 64, Kind::Writable),
            segment(CONSTANTS, &[5, 6, 7, 8, 9], 64, Kind::ReadOnly),
        ];
        let program = Program::new(entry, segments).expect("a program");
        (program, Bounds { text: TEXT - before, words: 0x340 / 4 + before / 4, data: 9 })
    };
    for before in [0, 4, 0x100] {
        let (program, bounds) = program(TEXT, before);
        let run = secret_run(program, bounds, SMALL).expect("a run");
        assert_eq!(check_exactly(&run), Ok(()));
        assert_eq!(run.claim().end, End::Exit((0x0403_0201 + 9) * 9));
    }
    // It may begin anywhere.
    let (program, bounds) = program(TEXT + 4 * (words.len() as u32 - 2), 0);
    let run = secret_run(program, bounds, SMALL).expect("a run");
    assert_eq!((check_exactly(&run), run.claim().end), (Ok(()), End::Exit(0)));
}

/// Loads and stores of parts, and calls, where the image has writable words and constants.
#[test]
fn memory_in_the_image_is_read_and_written() {
    let mut words = li(5, TEXT + 0x400).to_vec();
    words.extend(li(6, TEXT + 0x300));
    for place in [0, 1, 2, 3] {
        words.extend([i(Lbu, 7, 6, 0, place), i(Sb, 0, 5, 7, place + 4), i(Lb, 8, 5, 0, place + 1)]);
    }
    words.extend([i(Lw, 9, 5, 0, 4), i(Addi, 11, 5, 0, 8), i(Addi, 12, 0, 0, 5), i(Addi, 17, 0, 0, 63)]);
    words.extend([i(Ecall, 0, 0, 0, 0), i(Addi, 10, 0, 0, 1), i(Addi, 11, 5, 0, 4), i(Addi, 12, 0, 0, 9)]);
    words.extend([i(Addi, 17, 0, 0, 64), i(Ecall, 0, 0, 0, 0), i(Addi, 11, 6, 0, 0), i(Addi, 10, 0, 0, 1)]);
    // A load from text itself.
    words.extend([i(Addi, 12, 0, 0, 4), i(Ecall, 0, 0, 0, 0), i(Auipc, 7, 0, 0, 0), i(Lw, 10, 7, 0, 0)]);
    words.extend(exit());
    let text: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let segment =
        |address: u32, bytes: Vec<u8>, size: u32, kind: Kind| Segment { address, size, bytes, kind };
    let segments = vec![
        segment(TEXT, text.clone(), text.len() as u32, Kind::Text),
        segment(TEXT + 0x300, b"abcd".to_vec(), 4, Kind::ReadOnly),
        segment(TEXT + 0x400, vec![1, 2], 64, Kind::Writable),
    ];
    let program = Program::new(TEXT, segments).expect("a program");
    let run = secret_run(program, Bounds { words: 0x500 / 4, ..BOUNDS }, SMALL).expect("a run");
    assert_eq!(check_exactly(&run), Ok(()));
    assert_eq!(run.claim().journal, b"abcdsecreabcd");
    assert_eq!(run.claim().end, End::Exit(i(Auipc, 7, 0, 0, 0)));
}

#[test]
fn what_is_beyond_the_bounds_is_refused_and_says_why() {
    let words = adding();
    let refused = |bounds: Bounds| match secret_run(program(&words), bounds, SMALL) {
        Err(Error::Public(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let right = Bounds { words: words.len() as u32, data: 17, ..BOUNDS };
    assert!(secret_run(program(&words), right, SMALL).is_ok());
    let short = refused(Bounds { words: right.words - 1, ..right });
    assert!(short.contains("15 words of text from 0x10000 on; a secret program has at most 14"), "{short}");
    for bounds in
        [Bounds { text: TEXT + 4, ..BOUNDS }, Bounds { text: TEXT - 8, words: right.words, ..right }]
    {
        assert!(refused(bounds).contains("Link it there"));
    }
    let data = refused(Bounds { data: 16, ..right });
    assert!(data.contains("17 words of data outside of its first 15 words; at most 16"), "{data}");
    assert!(refused(Bounds { words: 0, ..BOUNDS }).contains("1 to 262144 words"));
    // V's side: bounds, and a trap.
    let run = run_within(&words, BOUNDS, SMALL);
    let of = |bounds: Bounds, end| {
        let claim = RunClaim { end, journal: Vec::new() };
        ProgramRun::new(bounds, b"public".to_vec(), claim, run.profile.clone(), SMALL)
    };
    assert!(of(BOUNDS, run.claim.end).is_ok());
    let trap = End::Trap { pc: TEXT, cause: crate::Cause::Breakpoint, value: 0 };
    for refused in [of(BOUNDS, trap), of(Bounds { data: 1 << 19, ..BOUNDS }, run.claim.end)] {
        assert!(matches!(refused, Err(Error::Public(_))), "{refused:?}");
    }
}

#[test]
fn a_run_of_a_secret_program_has_to_exit() {
    for words in [vec![i(Ebreak, 0, 0, 0, 0)], vec![0], vec![i(Jal, 0, 0, 0, -4)], vec![i(Sw, 0, 0, 0, 0)]] {
        let refused = secret_run(program(&words), BOUNDS, SMALL);
        assert!(matches!(&refused, Err(Error::Public(why)) if why.contains("has to exit")), "{refused:?}");
    }
    // The claim of a trap is refused where the end is proved, too.
    let mut run = run_within(&adding(), BOUNDS, SMALL);
    run.claim.end = End::Trap { pc: TEXT, cause: crate::Cause::FetchOutside, value: 0 };
    assert!(matches!(check_exactly(&run), Err(Error::Public(_) | Error::Unsatisfied { .. })));
}

/// P commits to one program and runs another: from the start, or from a later segment on; its instructions,
/// their places, its data.
#[test]
fn the_run_of_another_program_than_that_which_is_committed_is_rejected() {
    let words = adding();
    let honest = run_within(&words, BOUNDS, SMALL);
    assert!(honest.profile().segments() >= 3);
    let run_as = |other: Program| {
        let mut run = run_within(&words, BOUNDS, SMALL);
        let traced = secret_run(other.clone(), BOUNDS, SMALL).expect("a run");
        (run.profile, run.claim) = (traced.profile.clone(), traced.claim.clone());
        assert_eq!(check_exactly(&traced), Ok(()));
        run.traced = Some((other, b"public".to_vec()));
        check_exactly(&run)
    };
    assert_eq!(run_as(program(&words)), Ok(()));
    for (index, word) in [
        (4, i(Addi, 7, 0, 0, 8)),
        (8, i(Add, 10, 10, 7, 0)),
        (8, i(Sub, 10, 10, 9, 0)),
        (9, i(Sw, 0, 2, 10, -8)),
        (12, i(Bne, 0, 7, 0, -24)),
    ] {
        let mut other = words.clone();
        other[index] = word;
        let result = run_as(program(&other));
        assert!(is_unsatisfied(&result), "{index}: {result:?}");
    }
    // Only the last segment comes to this one.
    let [before @ .., call, exit] = &words[..] else { panic!("a program") };
    let result = run_as(program(&[before, &[i(Andi, 10, 10, 0, 1), *call, *exit]].concat()));
    assert!(is_unsatisfied(&result), "{result:?}");
    // The same instructions at other places.
    let moved = [&[i(Addi, 0, 0, 0, 0)][..], &words].concat();
    let result = run_as(program(&moved));
    assert!(is_unsatisfied(&result), "{result:?}");
    for (segment, byte) in [(2, 0), (1, 4)] {
        let mut segments = program(&words).segments().to_vec();
        segments[segment].bytes[byte] ^= 1;
        let result = run_as(Program::new(TEXT, segments).expect("a program"));
        assert!(is_unsatisfied(&result), "{segment}: {result:?}");
    }
}

/// Every column of words of the image that the run uses and of its last one, which holds no instruction, and
/// of words of data. Where no instruction is, nothing is carried out, and the carry of its immediate may be
/// either bit.
#[test]
fn every_column_of_a_committed_program_is_bound() {
    let run = run_within(&adding(), Bounds { words: 30, data: 18, ..BOUNDS }, SMALL);
    assert_eq!(check_exactly(&run), Ok(()));
    const CARRY: usize = 26;
    let columns = secret_program::WORD_COLUMNS;
    let mut accepted = Vec::new();
    for (what, columns, rows) in
        [(Committed::Word, columns, &[0, 8, 29][..]), (Committed::Datum, 7, &[0, 17])]
    {
        for (row, column) in rows.iter().flat_map(|row| (0..columns).map(move |column| (*row, column))) {
            let (result, told) = with_lie(what, columns * row + column, || check_exactly(&run));
            assert!(told);
            let is_free = (what, row, column) == (Committed::Word, 29, CARRY);
            if is_free && result == Ok(()) {
                continue;
            }
            if !is_unsatisfied(&result) {
                accepted.push(format!("{what:?}, row {row}, column {column}: {result:?}"));
            }
        }
    }
    assert!(accepted.is_empty(), "{}", accepted.join("\n"));
    // The first instruction that is carried out is the one where it begins.
    let (result, told) = with_lie(Committed::Entry, 0, || check(&run));
    assert!(told && is_unsatisfied(&result), "{result:?}");
}

/// The claims under a challenge: multiplicities and fractions of the program's rows.
#[test]
fn no_lie_about_how_often_rows_are_looked_up_passes() {
    let settings = Settings { steps: 40, unit: 1, log: 8 };
    let run = run_within(&adding(), Bounds { words: 20, data: 17, ..BOUNDS }, settings);
    assert_eq!(check(&run), Ok(()));
    // Fillers and words, three rows to a fraction, in two segments.
    let rows = kind::Kind::ALL.len() + 20;
    for fraction in [0, 1, rows / 3, rows.div_ceil(3) - 1, rows.div_ceil(3), 2 * rows.div_ceil(3) - 1] {
        let (result, told) = with_lie(Committed::Fraction, fraction, || check(&run));
        assert!(told && is_unsatisfied(&result), "{fraction}: {result:?}");
    }
    let (result, told) = with_lie(Committed::FractionsMoved, 2, || check(&run));
    assert!(told && is_unsatisfied(&result), "{result:?}");
    // P runs another program: its rows are not in the committed one.
    let mut words = adding();
    words[4] = i(Addi, 7, 0, 0, 8);
    let mut run = run;
    let other = run_within(&words, Bounds { words: 20, data: 17, ..BOUNDS }, settings);
    (run.profile, run.claim) = (other.profile.clone(), other.claim.clone());
    run.traced = Some((program(&words), b"public".to_vec()));
    let result = check(&run);
    assert!(is_unsatisfied(&result), "{result:?}");
}

/// Words of data cannot be in the image, or twice, or at an address that is no word's.
#[test]
fn no_word_has_two_values() {
    let run = run_within(&adding(), BOUNDS, SMALL);
    let changed = |lie: fn(&mut [[F61; 7]])| lies::with(lie, || check_exactly(&run));
    assert_eq!(changed(|_| ()), Ok(()));
    let at = |address: u32| F61::new(address.into());
    assert!(run.profile.fresh.iter().sum::<u64>() > 0);
    // The address of another word of data, as a word that is filled up; then that of a word that is new.
    let twice = changed(|data| {
        assert!(data[19][0] != data[0][0] && data[19][5] == F61::ZERO);
        let first = data[0];
        data[19][..5].copy_from_slice(&first[..5]);
    });
    assert!(is_unsatisfied(&twice), "{twice:?}");
    for address in [crate::program::STACK_POINTER - 4, TEXT + 4 * 299, DATA + 2] {
        let result = lies::with(
            move |data| {
                // The region behind the image.
                let row = &mut data[19];
                let end = u64::from(TEXT) + 4 * 300;
                let distances =
                    [u64::from(address).wrapping_sub(end) / 4, ((1 << 32) - u64::from(address)) / 4 - 1];
                row[0] = at(address);
                (row[1], row[2]) = (F61::new(end), F61::new(1 << 32));
                (row[3], row[4]) = (F61::new(distances[0] & 0xffff), F61::new(distances[1] & 0xffff));
            },
            || check_exactly(&run),
        );
        assert!(is_unsatisfied(&result), "{address:#x}: {result:?}");
    }
}

/// The counter runs the statement itself.
#[test]
fn as_many_elements_are_counted_as_a_run_of_a_secret_program_commits_to() {
    let run = run_within(&adding(), BOUNDS, SMALL);
    let counter = volery_circuit::Counter::<F61>::count(&run).expect("no witness is needed");
    let (exact, said) = (counter.total().commitments() as f64, run.elements());
    assert!(said.program > 40.0 * f64::from(BOUNDS.words));
    // What is rounded up in each argument, and in that of a segment twice.
    let arguments = 2 * run.profile.segments.len() + run.profile.fresh.len() + 1;
    let off = exact - said.total();
    assert!((0.0..=2.0 * arguments as f64 + 8.0).contains(&off), "{exact}, and {}", said.total());
}
