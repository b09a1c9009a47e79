//! Branches, jumps, what does nothing, traps of the flow of control, limits, and the start.

use super::*;
use Operation as O;

#[test]
fn branches_are_taken_if_their_condition_holds() {
    let values = [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    for operation in [O::Beq, O::Bne, O::Blt, O::Bge, O::Bltu, O::Bgeu] {
        for (x, y) in values.iter().flat_map(|x| values.iter().map(move |y| (*x, *y))) {
            let wide = |value: u32| i64::from(value) - (i64::from(value >> 31) << 32);
            let taken = match operation {
                O::Beq => x == y,
                O::Bne => x != y,
                O::Blt => wide(x) < wide(y),
                O::Bge => wide(x) >= wide(y),
                O::Bltu => x < y,
                _ => x >= y,
            };
            for distance in [-4096, -4, 8, 4092] {
                let program = code(&[i(operation, 0, 6, 7, distance)]);
                let (machine, log) = once(&program, &[(6, x), (7, y)]);
                let next = if taken { TEXT.wrapping_add(distance as u32) } else { TEXT + 4 };
                assert_eq!(machine.pc, next, "{operation} {x:#x} {y:#x} {distance}");
                let step = &log.steps[0];
                assert_eq!((step.left, step.right, step.result, step.next), (x, y, 0, next));
            }
        }
    }
}

#[test]
fn jumps_leave_the_next_address_and_drop_the_lowest_bit() {
    let program = code(&[i(O::Jal, 1, 0, 0, -8)]);
    let (machine, log) = once(&program, &[]);
    assert_eq!((machine.pc, machine.registers[1], log.steps[0].result), (TEXT - 8, TEXT + 4, TEXT + 4));
    for (base, offset, to) in [(0x2000, 5, 0x2004), (0x2001, 0, 0x2000), (3, -3, 0), (0, -4, 0xffff_fffc)] {
        // Also if the base is what takes the address.
        let program = code(&[i(O::Jalr, 6, 6, 0, offset)]);
        let (machine, _) = once(&program, &[(6, base)]);
        assert_eq!((machine.pc, machine.registers[6]), (to, TEXT + 4), "{base:#x} {offset}");
    }
}

#[test]
fn fences_do_nothing_whatever_their_fields() {
    for word in [0x0ff0_000f, 0x8330_000f, 0x0100_000f, 0xffff_8f8f_u32 & !0x7000] {
        let program = program(&[word]);
        let (machine, log) = once(&program, &[(31, 5), (30, 6)]);
        assert_eq!((machine.pc, machine.registers[31], machine.steps), (TEXT + 4, 5, 1), "{word:08x}");
        assert!(log.steps[0].result == 0 && log.steps[0].instruction.destination().is_none());
    }
}

#[test]
fn jumps_to_no_multiple_of_four_trap_where_they_are() {
    let word = |operation, rd, rs1, rs2, immediate| i(operation, rd, rs1, rs2, immediate).encode();
    let misaligned = |target| (Cause::MisalignedJump, target);
    assert_eq!(trap_of(word(O::Jal, 1, 0, 0, 6), &[]), misaligned(TEXT + 6));
    assert_eq!(trap_of(word(O::Jalr, 1, 6, 0, 3), &[(6, 0x2000)]), misaligned(0x2002));
    assert_eq!(trap_of(word(O::Bgeu, 0, 6, 6, -2), &[]), misaligned(TEXT - 2));
    // A branch that is not taken is no jump.
    let program = code(&[i(O::Bne, 0, 6, 6, 2)]);
    assert_eq!(once(&program, &[]).0.pc, TEXT + 4);
}

#[test]
fn illegal_words_and_breakpoints_trap() {
    for word in [0, 0x0000_100f, 0xc000_2573, 0x1050_0073, 0x100a_252f, u32::MAX] {
        assert_eq!(trap_of(word, &[]), (Cause::IllegalInstruction, word));
    }
    assert_eq!(trap_of(0x0010_0073, &[]), (Cause::Breakpoint, 0));
}

#[test]
fn nothing_but_text_executes() {
    for (to, steps) in [(CONSTANTS, 1), (DATA, 1), (TEXT + 4, 1), (TEXT - 4, 1), (0, 1)] {
        let program = code(&[i(O::Jalr, 0, 6, 0, 0)]);
        let (mut machine, mut log) = once(&program, &[(6, to)]);
        assert_eq!((machine.end(), machine.steps()), (None, steps));
        let end = End::Trap { pc: to, cause: Cause::FetchOutside, value: 0 };
        assert_eq!(machine.run(&mut log), Ok(end), "{to:#x}");
        assert_eq!((machine.steps(), machine.pc()), (steps, to));
    }
}

#[test]
fn a_run_starts_with_a_stack_of_zeros_and_empty_registers() {
    let program = code(&[i(O::Ebreak, 0, 0, 0, 0)]);
    let machine = Machine::new(&program, &[], &[], Limits::default());
    let others = (0..32).filter(|register| *register != 2).all(|register| machine.registers[register] == 0);
    assert!(others && machine.pc == TEXT && machine.registers[2] == 0x7fff_ffc0);
    assert!((0x7fff_ffc0..0x8000_0000).all(|address| machine.word(address) == Some(0)));
    assert_eq!(
        (machine.word(0x7f80_0000), machine.word(0x7f7f_ffff), machine.word(0x8000_0000)),
        (Some(0), None, None)
    );
    assert_eq!((machine.word(TEXT), machine.word(DATA + 4)), (Some(0x0010_0073), Some(5)));
}

#[test]
fn limits_end_a_run_without_an_end() {
    // Writes to one page after another, forever.
    let program = code(&[i(O::Sw, 0, 6, 6, 0), i(O::Add, 6, 6, 7, 0), i(O::Jal, 0, 0, 0, -8)]);
    let run = |limits: Limits| {
        let mut machine = Machine::new(&program, &[], &[], limits);
        (machine.registers[6], machine.registers[7]) = (DATA + 0x8000, 4096);
        let first = machine.run(&mut ());
        // It stays so.
        assert_eq!(machine.run(&mut ()), first);
        (first, machine.steps())
    };
    let limits = Limits { steps: 14, ..Limits::default() };
    assert_eq!(run(limits), (Err(Error::Steps(14)), 14));
    assert_eq!(run(Limits { memory: 8192, ..limits }), (Err(Error::Memory(8192)), 6));
    // The trap at the end of the segment comes with the last page, after eight rounds.
    let end = End::Trap { pc: TEXT, cause: Cause::StoreOutside, value: DATA + 0x1_0000 };
    assert_eq!(run(Limits { steps: 100, memory: 8 << 12, ..limits }), (Ok(end), 24));
}

#[test]
fn a_run_in_parts_is_the_same_run() {
    let program = code(&[
        i(O::Addi, 6, 0, 0, 100),
        i(O::Addi, 6, 6, 0, -1),
        i(O::Bne, 0, 6, 0, -4),
        i(O::Addi, 17, 0, 0, 93),
        i(O::Ecall, 0, 0, 0, 0),
    ]);
    let whole = |parts: &[u64]| {
        let mut machine = Machine::new(&program, &[], &[], Limits::default());
        let mut log = Log::default();
        let mut ends = Vec::new();
        for part in parts {
            ends.push(machine.advance(*part, &mut log).expect("within limits"));
        }
        (ends, machine.steps(), log.steps)
    };
    let (ends, steps, log) = whole(&[1000]);
    assert_eq!((ends, steps, log.len()), (vec![Some(End::Exit(0))], 203, 203));
    let (ends, steps, same) = whole(&[0, 1, 201, 1, 5]);
    assert_eq!((&ends[..3], steps), (&[None, None, None][..], 203));
    assert_eq!(ends[3..], [Some(End::Exit(0)), Some(End::Exit(0))]);
    assert!(log == same);
    assert!(log.windows(2).all(|pair| pair[0].next == pair[1].pc));
}
