//! Every instruction that only computes, against a reference that works on other types.

use proptest::prelude::*;

use super::*;
use Operation as O;

/// The value of an operation on `x` and on its second operand, a register or an immediate: in 128 bits, or
/// bit by bit.
fn reference(operation: Operation, x: u32, y: u32) -> u32 {
    let (wide, other) = (i128::from(x), i128::from(y));
    let signed = |value: u32| i128::from(value) - (i128::from(value >> 31) << 32);
    let (left, right) = (signed(x), signed(y));
    let low = |value: i128| value.rem_euclid(1 << 32) as u32;
    let bits = |rule: fn(bool, bool) -> bool| {
        (0..32).map(|bit| u32::from(rule(x >> bit & 1 == 1, y >> bit & 1 == 1)) << bit).sum()
    };
    // A quotient towards zero and what remains.
    let towards_zero = |n: i128, d: i128| {
        let quotient = n.abs().div_euclid(d.abs()) * n.signum() * d.signum();
        (quotient, n - quotient * d)
    };
    let power = 1_i128 << (y % 32);
    match operation {
        O::Add | O::Addi => low(wide + other),
        O::Sub => low(wide - other),
        O::Slt | O::Slti => u32::from(left < right),
        O::Sltu | O::Sltiu => u32::from(wide < other),
        O::And | O::Andi => bits(|a, b| a && b),
        O::Or | O::Ori => bits(|a, b| a || b),
        O::Xor | O::Xori => bits(|a, b| a != b),
        O::Sll | O::Slli => low(wide * power),
        O::Srl | O::Srli => low(wide.div_euclid(power)),
        O::Sra | O::Srai => low(left.div_euclid(power)),
        O::Mul => low(wide * other),
        O::Mulh => low((left * right).div_euclid(1 << 32)),
        O::Mulhsu => low((left * other).div_euclid(1 << 32)),
        O::Mulhu => low((wide * other).div_euclid(1 << 32)),
        O::Div | O::Divu if y == 0 => 0xffff_ffff,
        O::Rem | O::Remu if y == 0 => x,
        O::Div => low(towards_zero(left, right).0),
        O::Divu => low(towards_zero(wide, other).0),
        O::Rem => low(towards_zero(left, right).1),
        O::Remu => low(towards_zero(wide, other).1),
        other => panic!("{other} does not compute"),
    }
}

/// Runs an operation on these operands, in registers of every kind of overlap.
fn check(operation: Operation, x: u32, y: u32) {
    use crate::Class::{AddImmediate, CompareImmediate, LogicImmediate, ShiftImmediate};
    let immediates = [AddImmediate, CompareImmediate, LogicImmediate, ShiftImmediate];
    let is_register = !immediates.contains(&operation.class());
    for (rd, rs1, rs2) in [(5, 6, 7), (6, 6, 7), (7, 6, 7), (0, 6, 7), (31, 6, 6), (5, 0, 7)] {
        let (instruction, second) = if is_register {
            (i(operation, rd, rs1, rs2, 0), if rs2 == rs1 { x } else { y })
        } else {
            // 12 bits or 5, as the format has them.
            let immediate = if operation.class() == ShiftImmediate { y & 31 } else { y };
            let immediate = (immediate as i32) << 20 >> 20;
            (i(operation, rd, rs1, 0, immediate), immediate as u32)
        };
        let first = if rs1 == 0 { 0 } else { x };
        let expected = reference(operation, first, second);
        let program = code(&[instruction]);
        let (machine, log) = once(&program, &[(6, x), (7, y), (rs1, first)]);
        let mut registers = Machine::new(&program, &[], &[], Limits::default()).registers;
        (registers[6], registers[7]) = (x, y);
        registers[usize::from(rd)] = if rd == 0 { 0 } else { expected };
        assert_eq!(machine.registers, registers, "{instruction} of {x:#x} and {y:#x}");
        assert_eq!((machine.pc, machine.steps), (TEXT + 4, 1));
        let right = if !is_register { 0 } else { second };
        let seen = Step {
            pc: TEXT,
            instruction,
            left: first,
            right,
            result: expected,
            next: TEXT + 4,
            access: None,
        };
        assert!(log.steps == [seen], "{instruction} of {x:#x} and {y:#x}");
    }
}

fn computing() -> impl Iterator<Item = Operation> {
    Operation::all().take_while(|operation| *operation != O::Lb)
}

#[test]
fn edge_values_give_what_a_plain_reference_gives() {
    const EDGES: [u32; 14] = [
        0,
        1,
        2,
        5,
        31,
        32,
        0x7ff,
        0x800,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xaaaa_aaaa,
        0xffff_fffe,
        0xffff_ffff,
    ];
    for operation in computing() {
        for x in EDGES {
            EDGES.iter().for_each(|y| check(operation, x, *y));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn random_values_give_what_a_plain_reference_gives(x: u32, y: u32, small in 0_u32..64) {
        for operation in computing() {
            check(operation, x, y);
            check(operation, x, small);
            check(operation, small, y);
        }
    }
}

/// The manual's table of divisions that no other processor traps for.
#[test]
fn divisions_by_zero_and_overflow_are_as_the_manual_says() {
    let least = 0x8000_0000;
    for (operation, x, y, value) in [
        (O::Divu, 7, 0, u32::MAX),
        (O::Remu, 7, 0, 7),
        (O::Div, 7, 0, u32::MAX),
        (O::Rem, least, 0, least),
        (O::Div, least, u32::MAX, least),
        (O::Rem, least, u32::MAX, 0),
    ] {
        let program = code(&[i(operation, 5, 6, 7, 0)]);
        assert_eq!(once(&program, &[(6, x), (7, y)]).0.registers[5], value, "{operation} {x:#x} {y:#x}");
    }
}

#[test]
fn upper_immediates_are_constants_of_their_place() {
    for (operation, immediate, value) in [
        (O::Lui, -4096, 0xffff_f000),
        (O::Lui, 0x1234_5000, 0x1234_5000),
        (O::Auipc, 0x1000, TEXT + 0x1000),
        (O::Auipc, i32::MIN, TEXT + 0x8000_0000),
        (O::Auipc, -0x2_0000, 0xffff_0000),
    ] {
        let program = code(&[i(operation, 5, 0, 0, immediate)]);
        let (machine, log) = once(&program, &[]);
        assert_eq!((machine.registers[5], machine.pc), (value, TEXT + 4), "{operation} {immediate:#x}");
        assert!(log.steps[0].result == value && log.steps[0].left == 0);
    }
}
