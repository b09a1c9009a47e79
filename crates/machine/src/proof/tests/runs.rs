//! Honest runs of all operations.

use super::*;
use Operation::*;

/// A loop that sums words into memory.
pub(in super::super) fn counting(rounds: i32) -> Vec<u32> {
    let mut words = Vec::new();
    words.extend(li(5, DATA));
    words.push(i(Addi, 6, 0, 0, rounds));
    // The loop.
    words.extend([
        i(Lw, 7, 5, 0, 0),
        i(Add, 7, 7, 6, 0),
        i(Sw, 0, 5, 7, 0),
        i(Sw, 0, 2, 7, -8),
        i(Addi, 6, 6, 0, -1),
        i(Bne, 0, 6, 0, -20),
        i(Lw, 10, 5, 0, 0),
    ]);
    words.extend(exit());
    words
}

#[test]
fn a_loop_is_proved() {
    let expected = 0x0403_0201_u32 + (1..=20).sum::<u32>();
    assert_eq!(proved(&counting(20), SMALL), End::Exit(expected));
    // With the arguments.
    let run = run_of(&counting(7), [b"", b""], Settings { steps: 30, unit: 2, log: 2 });
    assert_eq!(check(&run), Ok(()));
    assert_eq!(run.profile().segments(), 2);
}

/// A segment's columns and multiplicities go out before the argument of the segment before, and a check of
/// the log comes when there is no argument left to make.
#[test]
fn an_argument_waits_for_the_next_segment_s_columns() {
    use super::argument::{Committed::*, tests::with_told};

    let run = run_of(&counting(9), [b"", b""], Settings { steps: 22, unit: 2, log: 100 });
    assert_eq!(run.profile().segments(), 3);
    let (result, told) = with_told(|| check(&run));
    assert_eq!(result, Ok(()));
    let mut order: Vec<_> =
        told.into_iter().filter(|what| matches!(what, Multiplicity | Inverse | Live)).collect();
    order.dedup();
    // Of two segments, then in turns; the last argument, the check and its own.
    assert_eq!(order, [Multiplicity, Inverse, Multiplicity, Inverse, Live, Multiplicity, Inverse]);
}

/// Segments end anywhere, and logs fill exactly.
#[test]
fn segments_and_logs_may_have_any_length() {
    for steps in [1, 2, 3, 7, 27, 28, 29, 30, 100] {
        let settings = Settings { steps, unit: 1 + steps % 3, log: u64::from(steps % 5) };
        assert!(matches!(proved(&counting(4), settings), End::Exit(_)), "{steps}");
    }
}

/// Every operation with two registers, and with an immediate, on operands at the ends of the ranges.
#[test]
fn arithmetic_is_proved_on_awkward_operands() {
    let values =
        [0, 1, 2, 31, 32, 0xff, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xffff_ffff, 0x1234_5678];
    let registers =
        [Add, Sub, Slt, Sltu, And, Or, Xor, Sll, Srl, Sra, Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu];
    let mut words = Vec::new();
    for pair in
        values.iter().enumerate().flat_map(|(i, x)| values[i % 2..].iter().step_by(2).map(move |y| [*x, *y]))
    {
        words.extend(li(5, pair[0]));
        words.extend(li(6, pair[1]));
        words.extend(registers.map(|operation| i(operation, 7, 5, 6, 0)));
        words.extend(registers.map(|operation| i(operation, 0, 6, 5, 0)));
    }
    for x in values {
        words.extend(li(5, x));
        for immediate in [0, 1, -1, 2047, -2048, 1365] {
            words.extend(
                [Addi, Slti, Sltiu, Andi, Ori, Xori].map(|operation| i(operation, 7, 5, 0, immediate)),
            );
        }
        for amount in [0, 1, 15, 16, 17, 31] {
            words.extend([Slli, Srli, Srai].map(|operation| i(operation, 7, 5, 0, amount)));
        }
    }
    words.extend([i(Auipc, 8, 0, 0, 0x1000), i(Fence, 0, 0, 0, 0), i(Addi, 10, 7, 0, 0)]);
    words.extend(exit());
    let settings = Settings { steps: 1 << 11, unit: 2, log: 8 };
    assert!(matches!(proved(&words, settings), End::Exit(_)));
}

#[test]
fn every_load_and_store_is_proved_at_every_place() {
    let mut words = Vec::new();
    words.extend(li(5, DATA));
    words.extend(li(6, CONSTANTS));
    words.extend(li(7, 0x89ab_cdef));
    words.extend(li(8, TEXT));
    // An address that wraps around.
    words.extend(li(9, 2047_u32.wrapping_neg()));
    words.push(i(Add, 9, 9, 5, 0));
    for place in 0..8 {
        words.extend([
            i(Lb, 10, 5, 0, place),
            i(Lbu, 10, 5, 0, place),
            i(Sb, 0, 5, 7, place),
            i(Lb, 10, 6, 0, place),
        ]);
        words.push(i(Lbu, 11, 9, 0, 2047));
        if place % 2 == 0 {
            words.extend([i(Lh, 10, 5, 0, place), i(Lhu, 10, 5, 0, place), i(Sh, 0, 5, 7, place + 8)]);
            words.push(i(Lhu, 10, 6, 0, place));
        }
        if place % 4 == 0 {
            words.extend([i(Lw, 10, 5, 0, place), i(Sw, 0, 5, 7, place + 16), i(Lw, 10, 6, 0, place)]);
            words.push(i(Lw, 10, 8, 0, place));
        }
    }
    words.push(i(Lw, 10, 6, 0, 60));
    words.extend(exit());
    assert_eq!(proved(&words, SMALL), End::Exit(0));
}

#[test]
fn branches_and_jumps_are_proved_both_ways() {
    let mut words = Vec::new();
    for (x, y) in [(1, 2), (2, 1), (2, 2), (0x8000_0000, 1), (1, 0xffff_ffff)] {
        words.extend(li(5, x));
        words.extend(li(6, y));
        for operation in [Beq, Bne, Blt, Bge, Bltu, Bgeu] {
            words.extend([i(operation, 0, 5, 6, 8), i(Addi, 10, 10, 0, 1)]);
        }
    }
    words.extend([
        i(Jal, 1, 0, 0, 8),
        i(Addi, 10, 10, 0, 100),
        // Back and forth, with an odd target.
        i(Auipc, 7, 0, 0, 0),
        i(Jalr, 1, 7, 0, 13),
        i(Addi, 10, 10, 0, 100),
        i(Jal, 0, 0, 0, 4),
    ]);
    words.extend(exit());
    let end = proved(&words, SMALL);
    assert!(matches!(end, End::Exit(11..=19)), "{end:?}");
}

/// `read(file, DATA + at, length)`, then the count is added to `s0`.
pub(in super::super) fn call(number: i32, file: i32, at: i32, length: i32) -> Vec<u32> {
    let mut words = li(11, DATA).to_vec();
    words.extend([
        i(Addi, 11, 11, 0, at),
        i(Addi, 17, 0, 0, number),
        i(Addi, 10, 0, 0, file),
        i(Addi, 12, 0, 0, length),
        i(Ecall, 0, 0, 0, 0),
        i(Add, 8, 8, 10, 0),
    ]);
    words
}

fn calls() -> Vec<u32> {
    let mut words = Vec::new();
    for (number, file, at, length) in [
        (63, 0, 1, 4),
        (63, 3, 9, 5),
        (64, 1, 1, 13),
        (63, 0, 6, 100),
        (63, 0, 6, 100),
        (63, 3, 20, 1),
        (63, 3, 20, 0),
        (64, 1, 0, 0),
        (64, 2, 0, 7),
        (63, 1, 0, 7),
        (64, 0, 0, 7),
        (64, 3, 0, 7),
        (214, 3, 0, 7),
        (64, 1, 20, 1),
    ] {
        words.extend(call(number, file, at, length));
    }
    words.push(i(Addi, 10, 8, 0, 0));
    words.extend(exit());
    words
}

#[test]
fn environment_calls_are_proved() {
    for settings in [SMALL, Settings { steps: 1 << 10, ..SMALL }] {
        let run = run_of(&calls(), [b"secret", b"public"], settings);
        assert_eq!(check_exactly(&run), Ok(()));
        let sum = 4 + 5 + 13 + 2 + 1 + 7 + 1_i32 - 9 * 3 - 38;
        assert_eq!(run.claim().end, End::Exit(sum as u32));
        assert_eq!(run.claim().journal, b"secr\x83\0\0\0public");
    }
}

#[test]
fn traps_are_proved() {
    use crate::Cause::*;
    let far = li(5, 0x7000_0001);
    let data = li(5, CONSTANTS);
    let with = |before: &[u32], last: u32| [before, &[last]].concat();
    let text = TEXT + 8;
    for (words, cause, value) in [
        (with(&far, i(Lw, 1, 5, 0, 3)), LoadOutside, 0x7000_0004),
        (with(&far, i(Lh, 1, 5, 0, 0)), MisalignedLoad, 0x7000_0001),
        (with(&far, i(Lbu, 1, 5, 0, 0)), LoadOutside, 0x7000_0001),
        (with(&far, i(Sw, 0, 5, 0, 1)), MisalignedStore, 0x7000_0002),
        (with(&far, i(Sb, 0, 5, 0, -2)), StoreOutside, 0x6fff_ffff),
        (with(&data, i(Sh, 0, 5, 0, 2)), StoreReadOnly, 0x2_0002),
        (with(&far, i(Jalr, 1, 5, 0, 2)), MisalignedJump, 0x7000_0002),
        (with(&far, i(Jal, 1, 0, 0, 6)), MisalignedJump, text + 6),
        (with(&far, i(Ebreak, 0, 0, 0, 0)), Breakpoint, 0),
        (with(&far, 0xffff_ffff), IllegalInstruction, u32::MAX),
        (with(&far, i(Beq, 0, 5, 5, 2)), MisalignedJump, text + 2),
        (with(&far, i(Bne, 0, 5, 0, 2)), MisalignedJump, text + 2),
        (with(&far, i(Blt, 0, 0, 5, 2)), MisalignedJump, text + 2),
        (with(&far, i(Bgeu, 0, 5, 5, 2)), MisalignedJump, text + 2),
    ] {
        let end = proved(&words, SMALL);
        assert_eq!(end, End::Trap { pc: text, cause, value });
        // Not with another value, at another place, for another cause, and it is no exit.
        for other in [
            End::Trap { pc: text, cause, value: value ^ 0x100 },
            End::Trap { pc: text - 4, cause, value },
            End::Trap { pc: text + 0x1000, cause: FetchOutside, value: 0 },
            End::Trap {
                pc: text,
                cause: if cause == Breakpoint { IllegalInstruction } else { Breakpoint },
                value,
            },
            End::Exit(0),
        ] {
            let mut run = run_of(&words, [b"secret", b"public"], SMALL);
            run.claim.end = other;
            assert!(check_exactly(&run).is_err(), "{other:?} for {end:?}");
        }
    }
    // A branch that is not taken does not trap.
    for branch in
        [i(Beq, 0, 5, 0, 2), i(Bne, 0, 5, 5, 2), i(Blt, 0, 5, 0, 2), i(Bge, 0, 0, 5, 2), i(Bltu, 0, 5, 5, 2)]
    {
        let words = [&far[..], &[branch], &exit()].concat();
        let mut run = run_of(&words, [b"", b""], Settings { steps: 2, unit: 1, log: 1 });
        assert_eq!(check_exactly(&run), Ok(()));
        run.claim.end = End::Trap { pc: text, cause: MisalignedJump, value: text + 2 };
        run.profile.segments.truncate(1);
        run.profile.fresh.truncate(1);
        let result = check_exactly(&run);
        assert!(matches!(result, Err(volery_circuit::Error::Unsatisfied { .. })), "{result:?}");
    }
    assert_eq!(proved(&far, SMALL), End::Trap { pc: text, cause: FetchOutside, value: 0 });
}

/// A call whose buffer ends outside of the memory.
#[test]
fn traps_of_environment_calls_are_proved() {
    use crate::Cause::*;
    let stack = crate::program::STACK_END;
    for (number, file, buffer, length, expected) in [
        (64, 1, DATA + 250, 10, Some((LoadOutside, DATA + 256))),
        (64, 1, 0x7000_0000, 1, Some((LoadOutside, 0x7000_0000))),
        (64, 1, CONSTANTS - 2, 5, Some((LoadOutside, CONSTANTS - 2))),
        (64, 1, DATA + 250, 6, None),
        (63, 0, stack - 2, 100, Some((StoreOutside, stack))),
        (63, 3, CONSTANTS + 3, 1, Some((StoreReadOnly, CONSTANTS + 3))),
        (63, 3, CONSTANTS + 3, 0, None),
        (63, 3, DATA + 250, 100, None),
        (63, 3, DATA + 251, 100, Some((StoreOutside, DATA + 256))),
    ] {
        let mut words = Vec::new();
        for (register, value) in [(17, number), (10, file), (11, buffer), (12, length)] {
            words.extend(li(register, value));
        }
        words.push(i(Ecall, 0, 0, 0, 0));
        words.extend(exit());
        let end = proved(&words, SMALL);
        let Some((cause, value)) = expected else {
            assert!(matches!(end, End::Exit(_)), "{end:?}");
            continue;
        };
        assert_eq!(end, End::Trap { pc: TEXT + 32, cause, value });
        // Neither another call, nor another address, nor another fault.
        let pc = TEXT + 32;
        for other in [
            End::Trap { pc, cause, value: value + 1 },
            End::Trap { pc, cause, value: value.wrapping_sub(1) },
            End::Trap { pc, cause: if cause == LoadOutside { StoreOutside } else { LoadOutside }, value },
            End::Trap { pc, cause: MisalignedLoad, value },
            End::Exit(0),
        ] {
            let mut run = run_of(&words, [b"secret", b"public"], SMALL);
            run.claim.end = other;
            assert!(check_exactly(&run).is_err(), "{other:?} for {end:?}");
        }
    }
}
