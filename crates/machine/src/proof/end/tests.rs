//! False ends, and lies about what is committed to for them.

use std::cell::RefCell;

use volery_circuit::Evaluator;

use super::super::regions::Regions;
use super::super::subject::Subject;
use super::super::trace::REGISTERS;
use super::*;
use crate::Operation;
use crate::program::{Kind, Segment};
use Cause::*;

thread_local! {
    /// Which commitment is a lie, counted down: the number stands in place of its lowest bit, and the others
    /// are zero. Or it is this value.
    static LIE: RefCell<Option<(usize, Option<F61>)>> = const { RefCell::new(None) };
}

/// These values, or the lie: `all` first.
pub(super) fn told<const N: usize>(all: F61, values: [F61; N]) -> [F61; N] {
    LIE.with_borrow_mut(|lie| match lie {
        Some((before @ 1.., _)) => {
            *before -= 1;
            values
        }
        Some((0, instead)) => {
            let mut lies = [F61::ZERO; N];
            lies[0] = instead.unwrap_or(all);
            *lie = None;
            lies
        }
        None => values,
    })
}

const TEXT: u32 = 0x1_0000;
const DATA: u32 = 0x3_0000;
/// Where a large region begins, which ends with the address space.
const HIGH: u32 = STACK_END;

fn program(operation: Operation, immediate: i32) -> Program {
    let (rd, rs1, rs2) = match operation {
        O::Ecall | O::Ebreak => (0, 0, 0),
        O::Jal => (1, 0, 0),
        O::Jalr | O::Lw => (1, 5, 0),
        _ => (0, 5, 6),
    };
    let instruction = Instruction::new(operation, rd, rs1, rs2, immediate).expect("legal");
    let bytes = instruction.encode().to_le_bytes().to_vec();
    let segments = vec![
        Segment { address: TEXT, size: 4, bytes, kind: Kind::Text },
        Segment { address: DATA, size: 256, bytes: Vec::new(), kind: Kind::Writable },
        Segment { address: HIGH, size: 0x7fff_ffff, bytes: Vec::new(), kind: Kind::Writable },
    ];
    Program::new(TEXT, segments).expect("a program")
}

/// Whether the end is accepted of a run that is at the program's only instruction, with these registers.
fn claimed(program: &Program, registers: &[(usize, u32)], cause: Cause, value: u32) -> Result<(), Error> {
    let mut values = vec![F61::ZERO; REGISTERS];
    registers.iter().for_each(|(register, value)| values[*register] = F61::new((*value).into()));
    let last = Boundary { registers: values, place: [F61::new(TEXT.into())] };
    let subject = Subject::Public(program.clone());
    let tables = Tables { subject: &subject, regions: Regions::of(program), input: &[], journal: &[] };
    claim(&mut Evaluator::<F61>::new(), &tables, &last, End::Trap { pc: TEXT, cause, value })
}

/// With P lying about one commitment.
fn lying<T>(before: usize, instead: Option<F61>, f: impl FnOnce() -> T) -> T {
    LIE.set(Some((before, instead)));
    let result = f();
    assert!(LIE.take().is_none(), "the lie was told");
    result
}

fn is_unsatisfied(result: &Result<(), Error>) -> bool {
    matches!(result, Err(Error::Unsatisfied { .. }))
}

/// A call with these arguments, and six bytes left of the secret and three of the public input.
fn call(number: u32, [file, buffer, length]: [u32; 3]) -> Vec<(usize, u32)> {
    let left = [(SECRET_LEFT as usize, 6), (PUBLIC_LEFT as usize, 3)];
    [&[(17, number), (10, file), (11, buffer), (12, length)][..], &left].concat()
}

/// Distances that are negative, or too large: each is one word of the claim. Honest bits do not add up to
/// it, and one that does is no bit.
#[test]
fn no_byte_that_does_not_move_traps() {
    let program = program(O::Ecall, 0);
    let far = 0x7000_0000;
    let claims = [
        // The byte is before the buffer, or behind another one that traps.
        (0, call(64, [1, DATA, 1 << 20]), LoadOutside, 0x7000),
        (1, call(64, [1, far, 100]), LoadOutside, far + 4),
        // It is not among the bytes that the program asks for, or that a call moves, or that are left.
        (2, call(64, [1, DATA + 250, 6]), LoadOutside, DATA + 256),
        (4, call(64, [1, HIGH, u32::MAX]), LoadOutside, 0),
        (5, call(63, [0, DATA + 250, 100]), StoreOutside, DATA + 256),
        (5, call(63, [3, DATA + 253, 100]), StoreOutside, DATA + 256),
    ];
    for (word, registers, cause, value) in claims {
        let claimed = || claimed(&program, &registers, cause, value);
        let result = claimed();
        assert!(is_unsatisfied(&result), "{registers:x?}: {result:?}");
        let result = lying(word, None, claimed);
        assert!(is_unsatisfied(&result), "{registers:x?}, word {word}: {result:?}");
    }
    // As above, and nothing is wrong.
    for (registers, cause, value) in [
        (call(64, [1, far, 100]), LoadOutside, far),
        (call(64, [1, DATA + 250, 7]), LoadOutside, DATA + 256),
        (call(63, [0, DATA + 251, 100]), StoreOutside, DATA + 256),
        (call(63, [3, DATA + 254, 100]), StoreOutside, DATA + 256),
        (call(64, [1, HIGH | 0x7fff_0000, u32::MAX]), LoadOutside, 0),
        (call(64, [1, 0, 1]), LoadOutside, 0),
    ] {
        assert_eq!(claimed(&program, &registers, cause, value), Ok(()), "{registers:x?}");
    }
}

#[test]
fn only_reads_of_inputs_and_writes_to_the_journal_trap() {
    let program = program(O::Ecall, 0);
    for (number, file, cause) in [
        (64, 2, LoadOutside),
        (64, 0, LoadOutside),
        (63, 1, LoadOutside),
        (63, 1, StoreOutside),
        (63, 2, StoreOutside),
        (64, 0, StoreOutside),
        (93, 1, LoadOutside),
        (1, 0, StoreOutside),
    ] {
        let result = claimed(&program, &call(number, [file, 0x7000_0000, 1]), cause, 0x7000_0000);
        assert!(is_unsatisfied(&result), "{number} {file}: {result:?}");
    }
    // More is left than there is, if P says so.
    let registers = call(63, [0, DATA + 250, 100]);
    let lie = || claimed(&program, &registers, StoreOutside, DATA + 256);
    let result = lying(2, Some(F61::new(7)), lie);
    assert!(is_unsatisfied(&result), "{result:?}");
}

/// The buffer begins in the middle of the upper half of the address space. By half a wrap, which is none, it
/// ends some bytes further on.
#[test]
fn a_buffer_wraps_around_once_or_not_at_all() {
    let program = program(O::Ecall, 0);
    let start = 0x9000_0000_u32;
    let part = F61::new(u64::from(start) + 512) * F61::new(1 << 32).inverse_or_zero();
    let registers = call(64, [1, start, 1024]);
    let result = lying(0, Some(part), || claimed(&program, &registers, LoadOutside, 0));
    assert!(is_unsatisfied(&result), "{result:?}");
}

#[test]
fn no_jump_traps_that_leads_elsewhere_or_is_not_taken() {
    let minus = u32::MAX;
    for (operation, [x, y], is_taken) in [
        (O::Beq, [7, 7], true),
        (O::Beq, [7, 8], false),
        (O::Bne, [7, 8], true),
        (O::Bne, [7, 7], false),
        (O::Blt, [minus, 1], true),
        (O::Blt, [1, minus], false),
        (O::Blt, [1, 1], false),
        (O::Bge, [1, minus], true),
        (O::Bge, [minus, 1], false),
        (O::Bltu, [1, minus], true),
        (O::Bltu, [minus, 1], false),
        (O::Bgeu, [1, 1], true),
        (O::Bgeu, [1, minus], false),
    ] {
        let program = program(operation, 6);
        let claimed = |value| claimed(&program, &[(5, x), (6, y)], MisalignedJump, value);
        let result = claimed(TEXT + 6);
        assert!(if is_taken { result == Ok(()) } else { is_unsatisfied(&result) }, "{operation:?} {x} {y}");
        assert!(matches!(claimed(TEXT + 10), Err(Error::Public(_))), "{operation:?}");
        let words = match operation {
            O::Blt | O::Bge => 3,
            O::Bltu | O::Bgeu => 1,
            _ => 0,
        };
        // Numbers in place of their bits: negative distances, and signs that are not there.
        for word in (0..words).filter(|_| !is_taken) {
            let result = lying(word, None, || claimed(TEXT + 6));
            assert!(is_unsatisfied(&result), "{operation:?} {x} {y}, word {word}: {result:?}");
        }
    }
    // A sign that is hidden turns this one around.
    let program = program(O::Bge, 6);
    let result = lying(0, None, || claimed(&program, &[(5, minus), (6, 1)], MisalignedJump, TEXT + 6));
    assert!(is_unsatisfied(&result), "{result:?}");
}

#[test]
fn a_jump_to_a_register_traps_at_one_address() {
    let program = program(O::Jalr, 4);
    for (x, is_right) in [(0x7ffe, true), (0x7fff, true), (0x7ffd, false), (0x8000, false), (0x8002, false)] {
        let result = claimed(&program, &[(5, x)], MisalignedJump, 0x8002);
        assert!(if is_right { result == Ok(()) } else { is_unsatisfied(&result) }, "{x:x}: {result:?}");
    }
}
