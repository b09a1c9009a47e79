//! Programs at the first and the last addresses, where the place of filler rows and sums that wrap around are
//! near.

use super::lies::{is_unsatisfied, meddled};
use super::*;
use crate::proof::kind::Kind as Rows;
use crate::proof::regions::{Regions, file_words};
use crate::proof::survey::survey;
use crate::proof::trace::{Loaded, Source};
use Operation::*;

/// A program whose text begins at this address, with writable segments.
fn at(text: u32, entry: u32, words: &[u32], data: &[(u32, u32)]) -> Program {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut segments = vec![Segment { address: text, size: bytes.len() as u32, bytes, kind: Kind::Text }];
    segments.extend(data.iter().map(|(address, size)| Segment {
        address: *address,
        size: *size,
        bytes: vec![1, 2, 3, 4],
        kind: Kind::Writable,
    }));
    Program::new(entry, segments).expect("a program")
}

fn run(program: Program, settings: Settings) -> ProgramRun {
    let inputs = [b"secret", b"public"].map(|input| input.to_vec());
    ProgramRun::of(program, inputs, settings, Limits::default()).expect("a run")
}

/// A jump to 2, which traps, is taken for one to 1, where filler rows are, and those for a jump to 0, where
/// the program is.
#[test]
fn no_filler_row_leads_a_jump_to_the_program() {
    const IMMEDIATE: usize = 5;
    const CARRY: usize = 12;
    const ODD: usize = 13;
    const COLUMNS: usize = 14;
    let program = |to: i32| {
        let words = [i(Addi, 10, 0, 0, 7), exit()[0], exit()[1], i(Jalr, 0, 0, 0, to)];
        at(0, 12, &words, &[(DATA, 4)])
    };
    let settings = Settings { steps: 1, unit: 2, log: 8 };
    let mut lie = run(program(2), settings);
    assert_eq!(lie.claim().end, End::Trap { pc: 12, cause: crate::Cause::MisalignedJump, value: 2 });
    let other = run(program(0), settings);
    assert_eq!((check_exactly(&other), other.claim().end), (Ok(()), End::Exit(7)));
    (lie.profile, lie.claim, lie.traced) =
        (other.profile, other.claim, Some((program(0), b"public".to_vec())));
    let result = meddled(&mut lie, |number, segment| {
        let rows = &mut segment.tables[Rows::JumpRegister as usize];
        if number == 1 {
            assert_eq!((rows.len(), segment.place), (2 * COLUMNS, 0));
            assert_eq!([0, 1, COLUMNS, COLUMNS + 1].map(|i| rows[i].to_u64()), [1, 12, 0, 1]);
            assert_eq!([CARRY, ODD].map(|i| rows[i].to_u64()), [0, 0]);
            for (column, value) in [(IMMEDIATE, 2), (ODD, 1), (COLUMNS + ODD, 1)] {
                rows[column] = F61::new(value);
            }
        }
    });
    assert!(is_unsatisfied(&result), "{result:?}");
}

/// Behind the last word is 0. Rows say 2^32, so a call from there would leave a return address beyond 32
/// bits.
#[test]
fn no_program_holds_the_last_word_of_the_address_space() {
    let words = [i(Add, 10, 0, 1, 0), exit()[0], exit()[1], i(Jal, 1, 0, 0, -12)];
    let program = |text: u32| at(text, text + 12, &words, &[(DATA, 4)]);
    let honest = run(program(0xffff_ffec), SMALL);
    assert_eq!((check_exactly(&honest), honest.claim().end), (Ok(()), End::Exit(0xffff_fffc)));
    let inputs = [Vec::new(), Vec::new()];
    let refused = ProgramRun::of(program(0xffff_fff0), inputs, SMALL, Limits::default());
    assert!(matches!(refused, Err(volery_circuit::Error::Public(_))), "{refused:?}");
    let (claim, profile) = (honest.claim, honest.profile);
    let refused = ProgramRun::new(program(0xffff_fff0), Vec::new(), claim, profile, SMALL);
    assert!(matches!(refused, Err(volery_circuit::Error::Public(_))), "{refused:?}");
}

/// Both parties hold the log until it is checked.
#[test]
fn settings_beyond_their_bounds_are_refused() {
    for settings in [
        Settings { steps: 0, ..SMALL },
        Settings { steps: (1 << 20) + 1, ..SMALL },
        Settings { unit: 0, ..SMALL },
        Settings { unit: (1 << 16) + 1, ..SMALL },
        Settings { log: (1 << 24) + 1, ..SMALL },
    ] {
        let (program, claim) = (program(&exit()), RunClaim { end: End::Exit(0), journal: Vec::new() });
        let profile = run_of(&exit(), [b"", b""], SMALL).profile;
        let refused = ProgramRun::new(program, Vec::new(), claim, profile, settings);
        assert!(matches!(refused, Err(volery_circuit::Error::Public(_))), "{settings:?}");
    }
}

/// Which is long before such a run ends.
#[test]
fn a_survey_stops_where_there_are_too_many_words() {
    let words = [&li(5, DATA)[..], &[i(Sw, 0, 5, 0, 64), i(Sw, 0, 5, 0, 68), i(Jal, 0, 0, 0, 0)]].concat();
    let program = program(&words);
    let file = file_words(&program).count() as u64;
    let limits = Limits { steps: 1000, ..Limits::default() };
    let surveyed = |most: u64| {
        let loaded = Loaded::of(&program, &Regions::of(&program));
        survey(Source::new(&program, loaded, [&[], &[]], limits), (file, most), SMALL).map(|_| ())
    };
    for (most, why) in [(file + 1, "uses more than"), (file + 2, "not ended after 1000 steps")] {
        let refused = surveyed(most);
        assert!(
            matches!(&refused, Err(volery_circuit::Error::Witness(said)) if said.contains(why)),
            "{refused:?}"
        );
    }
}

/// Buffers that end behind the last address, where the next one is 0, whether there is memory or not.
#[test]
fn a_trap_behind_the_last_address_is_proved() {
    use crate::Cause::*;
    let last = (0xffff_ff00, 256);
    for (number, file, buffer, length, data, expected) in [
        (63, 0, 0xffff_fffe, 100, &[last][..], Some(StoreOutside)),
        (63, 3, 0xffff_fffc, 5, &[last, (0, 8)], Some(StoreOutside)),
        (64, 1, 0xffff_ff00, 257, &[last], Some(LoadOutside)),
        (64, 1, 0xffff_ffff, 2, &[last, (0, 8)], Some(LoadOutside)),
        (64, 1, 0, 1, &[last], Some(LoadOutside)),
        (63, 0, 0, 1, &[last], Some(StoreOutside)),
        (63, 3, 0xffff_fffc, 4, &[last], None),
        (64, 1, 0xffff_ff00, 256, &[last], None),
        (64, 1, 0, 4, &[(0, 8)], None),
    ] {
        let mut words = Vec::new();
        for (register, value) in [(17, number), (10, file), (11, buffer), (12, length)] {
            words.extend(li(register, value));
        }
        words.push(i(Ecall, 0, 0, 0, 0));
        words.extend(exit());
        let pc = TEXT + 32;
        let of = || run(at(TEXT, TEXT, &words, data), SMALL);
        let honest = of();
        assert_eq!(check_exactly(&honest), Ok(()), "{buffer:#x}");
        let cause = match (expected, honest.claim().end) {
            (Some(cause), end) => {
                assert_eq!(end, End::Trap { pc, cause, value: 0 });
                cause
            }
            (None, end) => {
                assert!(matches!(end, End::Exit(_)), "{end:?}");
                continue;
            }
        };
        for other in [
            End::Trap { pc, cause, value: 4 },
            End::Trap { pc, cause, value: 0x1000 },
            End::Trap { pc, cause: if cause == LoadOutside { StoreOutside } else { LoadOutside }, value: 0 },
            End::Trap { pc, cause: StoreReadOnly, value: 0 },
        ] {
            let mut run = of();
            run.claim.end = other;
            assert!(check_exactly(&run).is_err(), "{other:?}");
        }
    }
    // The byte at 0 is in memory, or it is not among those that would move, and nothing ends before it.
    for (buffer, length, data) in [
        (0, 1, &[(0, 8)][..]),
        (0, 0, &[]),
        (0xffff_fffe, 2, &[last]),
        (0xffff_fe00, 0x201, &[last]),
        (0xffff_fffe, 3, &[(0xffff_ff00, 252)]),
    ] {
        let mut words = Vec::new();
        for (register, value) in [(17, 64), (10, 1), (11, buffer), (12, length)] {
            words.extend(li(register, value));
        }
        words.push(i(Ecall, 0, 0, 0, 0));
        words.extend(exit());
        let mut run = run(at(TEXT, TEXT, &words, data), Settings { steps: 8, unit: 1, log: 8 });
        run.claim.end = End::Trap { pc: TEXT + 32, cause: LoadOutside, value: 0 };
        run.profile.segments.truncate(1);
        run.profile.fresh = vec![0];
        let result = check_exactly(&run);
        assert!(is_unsatisfied(&result), "{buffer:#x}: {result:?}");
    }
}
