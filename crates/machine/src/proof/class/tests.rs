use proptest::prelude::*;

use super::super::Settings;
use super::*;
use crate::Program;
use crate::{Instruction, Kind as SegmentKind, Limits, Operation, Segment};

/// Loads a word of each page of data and exits with 0: how many is the length of the secret input.
fn run(secret: usize, settings: Settings) -> ProgramRun {
    let i = |(operation, rd, rs1, rs2, immediate)| {
        Instruction::new(operation, rd, rs1, rs2, immediate).expect("legal").encode()
    };
    use Operation::*;
    let words = [
        (Lui, 5, 0, 0, 0x2_0000),
        (Addi, 11, 5, 0, 0),
        (Addi, 12, 0, 0, 64),
        (Addi, 17, 0, 0, 63),
        (Ecall, 0, 0, 0, 0),
        (Beq, 0, 10, 0, 24),
        (Lui, 6, 0, 0, 0x1000),
        // The loop.
        (Lw, 7, 5, 0, 64),
        (Add, 5, 5, 6, 0),
        (Addi, 10, 10, 0, -1),
        (Bne, 0, 10, 0, -12),
        (Addi, 17, 0, 0, 93),
        (Ecall, 0, 0, 0, 0),
    ];
    let bytes: Vec<u8> = words.into_iter().flat_map(|word| i(word).to_le_bytes()).collect();
    let text = Segment { address: 0x1_0000, size: 52, bytes, kind: SegmentKind::Text };
    let data = Segment { address: 0x2_0000, size: 0x1_0000, bytes: Vec::new(), kind: SegmentKind::Writable };
    let program = Program::new(0x1_0000, vec![text, data]).expect("a program");
    ProgramRun::of(program, [vec![1; secret], Vec::new()], settings, Limits::default()).expect("a run")
}

const SMALL: Settings = Settings { steps: 16, unit: 4, log: 8 };

fn class(secret: usize) -> ProfileClass {
    ProfileClass::of(&run(secret, SMALL))
}

#[test]
fn a_class_is_the_maximum_over_the_segments_of_its_runs() {
    let (short, long) = (class(1), class(9));
    assert!(short.segments < long.segments && short.new_words < long.new_words, "{short:?} {long:?}");
    let profile = run(9, SMALL).profile;
    for (kind, most) in Kind::ALL.into_iter().zip(long.counts.rows) {
        let rows = profile.segments.iter().map(|counts| counts.rows[kind as usize]).max();
        assert_eq!(rows, Some(most), "{kind:?}");
    }
    let mut both = short.clone();
    both.enlarge(&long).expect("the same program");
    assert_eq!(both.counts.rows[Kind::TakeSecret as usize], 12);
    for secret in [1, 9] {
        let run = run(secret, SMALL).in_class(&both).expect("both hold");
        assert_eq!(ProfileClass::of(&run), both);
        assert!(run.profile.segments.iter().all(|counts| *counts == both.counts));
        assert_eq!(run.profile.segments(), both.segments());
    }
    let longer = both.clone().padded_to(7 * 16 + 1).expect("more steps");
    assert_eq!(longer, ProfileClass { segments: 8, ..both });
}

#[test]
fn what_does_not_fit_is_named() {
    let fits = |class: &ProfileClass| run(9, SMALL).in_class(class).map(drop);
    let right = class(9);
    assert_eq!(fits(&right), Ok(()));
    let with = |change: fn(&mut ProfileClass)| {
        let mut class = right.clone();
        change(&mut class);
        fits(&class).map_err(|error| error.to_string())
    };
    for (result, message) in [
        (
            with(|class| class.counts.rows[Kind::LoadWord as usize] -= 1),
            "segment 1 of the run has 4 rows of load_word, and the profile class 3",
        ),
        (
            with(|class| class.counts.words -= 1),
            "segment 1 of the run touches 6 words of memory, and the profile class has 5",
        ),
        (
            with(|class| class.new_words -= 1),
            "12 words of memory are new in the run, and the profile class has 11",
        ),
        (with(|class| class.segments -= 1), "the run has 3 segments of 16 steps, and the profile class 2"),
        (with(|class| class.program[0] ^= 1), "`program`: it is"),
        (with(|class| class.steps += 1), "`segment_steps`: they are 17, and not 16"),
        (with(|class| class.counts.words = 1 << 20), "are needed"),
        (
            with(|class| class.new_words = ZERO + 1),
            "2113537, but the program has only 2113536 words that are zero at first",
        ),
        (with(|class| class.counts.rows[0] = 1 << 21), "at most 2097152 are possible"),
    ] {
        assert!(result.as_ref().is_err_and(|error| error.contains(message)), "{message}: {result:?}");
    }
    assert!(matches!(right.clone().padded_to(16), Err(ClassError::Segments { most: 1, .. })));
    assert!(matches!(right.clone().padded_to(1 << 40), Err(ClassError::Value { .. })));
    let other = ProfileClass::of(&run(9, Settings { steps: 17, ..SMALL }));
    assert!(matches!(right.clone().enlarge(&other), Err(ClassError::Value { .. })));
    let public = run(9, SMALL).without_secret();
    assert!(matches!(public.in_class(&right), Err(ClassError::Statement(_))));
}

/// Words of the program that are zero at first: those of its data and of the stack.
const ZERO: u64 = (1 << 14) + (1 << 21);

#[test]
fn every_word_that_is_zero_at_first_can_be_brought_in() {
    let mut class = class(2);
    (class.counts.words, class.segments, class.new_words) = (1 << 21, 2, ZERO);
    let run = run(2, SMALL).in_class(&class).expect("it has so many");
    assert_eq!(run.profile.fresh, [1 << 21, 1 << 14]);
    let words = run.new_words().expect("P's");
    assert_eq!(words.len() as u64, ZERO);
    // First those that the run touches.
    let (touched, others) = words.split_at(3);
    assert_eq!(touched, [0x2_0000, 0x2_0040, 0x2_1040]);
    assert!(others.is_sorted_by(|x, y| x < y && !touched.contains(y)));
}

#[test]
fn a_class_is_written_as_documented_and_read_back() {
    let class = class(1);
    let program: String =
        run(1, SMALL).about().program_digest().iter().map(|byte| format!("{byte:02x}")).collect();
    let written: serde_json::Value = serde_json::from_str(&class.to_json()).expect("JSON");
    assert_eq!(
        written,
        serde_json::json!({
            "version": 1,
            "program": program,
            "segment_steps": 16,
            "segments": 1,
            "rows": {
                "add": 4, "add_immediate": 8, "load_word": 4, "branch_equal": 4, "upper": 4, "call": 4,
                "take_secret": 4,
            },
            "touched_words": 2,
            "new_words": 2,
        })
    );
    assert_eq!(ProfileClass::from_json(class.to_json().as_bytes()), Ok(class));
}

#[test]
fn files_that_are_no_class_are_refused_with_the_reason() {
    let right = class(1).to_json();
    let said = |text: &str| ProfileClass::from_json(text.as_bytes()).expect_err(text).to_string();
    for (part, other, message) in [
        ("\"version\": 1", "\"version\": 2", "`version`: 2 is not known; expected 1"),
        ("\"version\": 1", "\"versions\": 1", "unknown field `versions`"),
        ("\"version\": 1", "\"version\": 1, \"version\": 1", "duplicate field `version`"),
        ("\"new_words\": 2,", "", "missing field `new_words`"),
        ("\"new_words\": 2", "\"new_words\": -2", "invalid value"),
        ("\"new_words\": 2", "\"new_words\": 16777217", "`new_words`: 16777217; 0 to 16777216 are possible"),
        ("\"touched_words\": 2", "\"touched_words\": 2097153", "`touched_words`"),
        ("\"segments\": 1", "\"segments\": 0", "`segments`: 0; 1 to 65536 are possible"),
        ("\"segments\": 1", "\"segments\": 65537", "`segments`"),
        ("\"segment_steps\": 16", "\"segment_steps\": 0", "`segment_steps`"),
        ("\"add\": 4", "\"add\": 4, \"add\": 4", "add occurs twice"),
        ("\"add\": 4", "\"a\\u001bd\": 4", "`a\\u{1b}d` is no kind of rows"),
        ("\"add\": 4", "\"add\": 4294967295", "`rows`"),
        ("\"add\": 4", "\"add\": 4294967296", "invalid value"),
        ("\"program\": \"", "\"program\": \"0", "64 hexadecimal digits"),
        ("\"version\": 1", "\"\\u001b\": 1", "unknown field `\u{fffd}`"),
        ("{", "[", "this is not a profile class"),
    ] {
        assert!(right.contains(part), "{part} in {right}");
        let error = said(&right.replacen(part, other, 1));
        assert!(error.contains(message), "{message}: {error}");
    }
    let long = right + &" ".repeat(MAX_BYTES);
    assert!(said(&long).contains("more than 65536 bytes"));
}

/// What the fuzz target claims, of its seed.
#[test]
fn the_seed_of_the_fuzz_target_is_a_class_of_its_run() {
    let seed = crate::fuzz::a_profile_class();
    assert!(ProfileClass::from_json(seed.as_bytes()).is_ok());
    crate::fuzz::profile_class(seed.as_bytes());
}

proptest! {
    #[test]
    fn any_text_is_refused_or_a_class_that_is_written_and_read(text in "\\PC{0,80}", at in 0..400_usize) {
        let mut right = class(1).to_json();
        if right.is_char_boundary(at) {
            right.replace_range(at..right.len().min(at + 1), &text);
        }
        if let Ok(class) = ProfileClass::from_json(right.as_bytes()) {
            prop_assert_eq!(ProfileClass::from_json(class.to_json().as_bytes()), Ok(class));
        }
    }
}
