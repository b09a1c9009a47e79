mod arithmetic;
mod calls;
mod control;
mod memory;

use super::*;
use crate::instruction::{Instruction, Operation};
use crate::observer::{Access, Call, Step};
use crate::program::Segment;

pub(super) const TEXT: u32 = 0x1_0000;
pub(super) const CONSTANTS: u32 = 0x2_0000;
pub(super) const DATA: u32 = 0x3_0000;

/// An instruction of these parts.
pub(super) fn i(operation: Operation, rd: u8, rs1: u8, rs2: u8, immediate: i32) -> Instruction {
    Instruction::new(operation, rd, rs1, rs2, immediate).expect("legal")
}

/// A program of these words, with 64 bytes that are read-only and 64 KiB that are writable.
pub(super) fn program(words: &[u32]) -> Program {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let constants = (0..64).collect();
    let segments = vec![
        Segment { address: TEXT, size: bytes.len() as u32, bytes, kind: Kind::Text },
        Segment { address: CONSTANTS, size: 64, bytes: constants, kind: Kind::ReadOnly },
        Segment { address: DATA, size: 0x1_0000, bytes: vec![1, 2, 3, 4, 5], kind: Kind::Writable },
    ];
    Program::new(TEXT, segments).expect("a program")
}

/// The same of instructions.
pub(super) fn code(instructions: &[Instruction]) -> Program {
    program(&instructions.iter().map(|instruction| instruction.encode()).collect::<Vec<_>>())
}

/// Remembers all that it sees.
#[derive(Default)]
pub(super) struct Log {
    pub(super) steps: Vec<Step>,
    pub(super) transfers: Vec<Access>,
    pub(super) calls: Vec<Call>,
    pub(super) debug: Vec<u8>,
}

impl Observer for Log {
    fn step(&mut self, step: &Step) {
        self.steps.push(*step);
    }

    fn transfer(&mut self, access: &Access) {
        self.transfers.push(*access);
    }

    fn call(&mut self, call: &Call) {
        self.calls.push(*call);
    }

    fn debug(&mut self, bytes: &[u8]) {
        self.debug.extend(bytes);
    }
}

/// One instruction, at the beginning of text, with these values in registers. Returns the machine afterwards,
/// and what was seen.
pub(super) fn once<'a>(program: &'a Program, registers: &[(u8, u32)]) -> (Machine<'a>, Log) {
    let mut machine = Machine::new(program, b"secret", b"public", Limits::default());
    for (register, value) in registers {
        machine.registers[usize::from(*register)] = *value;
    }
    let mut log = Log::default();
    machine.advance(1, &mut log).expect("within limits");
    (machine, log)
}

/// The trap of one such instruction. Nothing has changed.
pub(super) fn trap_of(word: u32, registers: &[(u8, u32)]) -> (Cause, u32) {
    let program = program(&[word]);
    let (machine, log) = once(&program, registers);
    let mut before = Machine::new(&program, &[], &[], Limits::default());
    registers.iter().for_each(|(register, value)| before.registers[usize::from(*register)] = *value);
    assert!(log.steps.is_empty() && log.calls.is_empty() && log.transfers.is_empty());
    assert_eq!((machine.registers, machine.pc, machine.steps), (before.registers, TEXT, 0));
    assert_eq!((machine.unread(), machine.journal()), ((6, 6), &[][..]));
    assert!((DATA..DATA + 256).all(|address| machine.word(address) == before.word(address)));
    match machine.end() {
        Some(End::Trap { pc: TEXT, cause, value }) => (cause, value),
        other => panic!("{other:?}"),
    }
}
