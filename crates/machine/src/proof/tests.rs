//! Runs that are proved on values, and every way to lie about them.

mod accesses;
mod argued;
mod cheats;
mod classes;
mod edges;
mod go_on;
mod lies;
mod quicksilver;
pub(super) mod runs;
mod secret;

use volery_circuit::{Evaluator, Statement};
use volery_field::F61;

use super::*;
use crate::instruction::Operation;
use crate::program::{Kind, Program, Segment};
use crate::{End, Instruction, Limits};

/// Where text and data of the tests' programs are.
pub(super) const TEXT: u32 = 0x1_0000;
const CONSTANTS: u32 = 0x2_0000;
pub(super) const DATA: u32 = 0x3_0000;

/// An instruction of these parts: `rd`, `rs1`, `rs2`, immediate.
pub(super) fn i(operation: Operation, rd: u8, rs1: u8, rs2: u8, immediate: i32) -> u32 {
    Instruction::new(operation, rd, rs1, rs2, immediate).expect("legal").encode()
}

/// `li rd, value`.
pub(super) fn li(rd: u8, value: u32) -> [u32; 2] {
    let low = (value as i32) << 20 >> 20;
    let high = value.wrapping_sub(low as u32);
    [i(Operation::Lui, rd, 0, 0, high as i32), i(Operation::Addi, rd, rd, 0, low)]
}

/// `exit(a0)`.
pub(super) fn exit() -> [u32; 2] {
    [i(Operation::Addi, 17, 0, 0, 93), i(Operation::Ecall, 0, 0, 0, 0)]
}

/// A program of these words, with 64 bytes that are read-only and 256 that are writable.
pub(super) fn program(words: &[u32]) -> Program {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let segments = vec![
        Segment { address: TEXT, size: bytes.len() as u32, bytes, kind: Kind::Text },
        Segment {
            address: CONSTANTS,
            size: 64,
            bytes: (0..60).map(|i: u8| i.wrapping_mul(37)).collect(),
            kind: Kind::ReadOnly,
        },
        Segment { address: DATA, size: 256, bytes: vec![1, 2, 3, 4, 250, 131], kind: Kind::Writable },
    ];
    Program::new(TEXT, segments).expect("a program")
}

/// Small segments, with filler rows.
pub(super) const SMALL: Settings = Settings { steps: 24, unit: 3, log: 8 };

pub(super) fn run_of(words: &[u32], inputs: [&[u8]; 2], settings: Settings) -> ProgramRun {
    let inputs = inputs.map(<[u8]>::to_vec);
    ProgramRun::of(program(words), inputs, settings, Limits::default()).expect("a run")
}

pub(super) fn check(run: &ProgramRun) -> Result<(), volery_circuit::Error> {
    Evaluator::<F61>::check(run)
}

/// Whether tuples and lookups are right, in place of the arguments that show it.
fn check_exactly(run: &ProgramRun) -> Result<(), volery_circuit::Error> {
    argument::exact::on(|| check(run))
}

/// Proved on values; returns how it ends.
fn proved(words: &[u32], settings: Settings) -> End {
    let run = run_of(words, [b"secret", b"public"], settings);
    assert_eq!(check_exactly(&run), Ok(()));
    run.claim().end
}

/// A run of several segments, with several checks of the log, and one of one segment with rows of all kinds.
pub(super) fn counted() -> [ProgramRun; 2] {
    let settings = Settings { steps: 9, unit: 1, log: 2 };
    let inputs = [Vec::new(), Vec::new()];
    let touching = ProgramRun::of(lies::touching(9), inputs, settings, Limits::default()).expect("a run");
    [touching, run_of(&lies::everything(), [b"secret", b"public"], lies::ONE)]
}

fn identity(run: &ProgramRun) -> [u8; 32] {
    let mut digest = volery_circuit::Digest::new();
    Statement::<Evaluator<F61>>::identify(run, &mut digest);
    digest.finish()
}
