//! The measurement of a program's run.

use volery_circuit::Error;
use volery_machine::instruction::Operation::{
    Add, Addi, Bne, Ecall, Jal, Jalr, Lbu, Lui, Lw, Mul, Or, Slli, Sltu, Srli, Sw, Xor,
};
use volery_machine::proof::{ProgramRun, Settings};
use volery_machine::{Instruction, Kind, Limits, Operation, Program, Segment};

use super::memory::clocked;
use super::party::Work;
use super::workload::Job;
use crate::args::RoleArg;
use crate::failure::Failure;

/// Steps of a round of the loop.
const ROUND: u64 = 20;

/// A loop of about `steps` steps with a mix like that of compiled code: a call, loads, stores, arithmetic.
fn program(steps: u64) -> Result<Program, Error> {
    let rounds = (steps / ROUND).clamp(1, u64::from(u32::MAX)) as u32;
    let low = (rounds as i32) << 20 >> 20;
    let code = [
        (Lui, 8, 0, 0, rounds.wrapping_sub(low as u32) as i32),
        (Addi, 8, 8, 0, low),
        // The loop: calls the function below.
        (Jal, 1, 0, 0, 20),
        (Addi, 8, 8, 0, -1),
        (Bne, 0, 8, 0, -8),
        (Addi, 17, 0, 0, 93),
        (Ecall, 0, 0, 0, 0),
        (Addi, 2, 2, 0, -16),
        (Sw, 0, 2, 1, 12),
        (Sw, 0, 2, 8, 8),
        (Lw, 5, 2, 0, 8),
        (Lbu, 6, 2, 0, 9),
        (Slli, 7, 5, 0, 3),
        (Xor, 7, 7, 6, 0),
        (Srli, 28, 7, 0, 5),
        (Add, 28, 28, 5, 0),
        (Mul, 29, 28, 7, 0),
        (Sltu, 30, 29, 28, 0),
        (Or, 10, 29, 30, 0),
        (Sw, 0, 2, 10, 4),
        (Lw, 11, 2, 0, 4),
        (Lw, 1, 2, 0, 12),
        (Addi, 2, 2, 0, 16),
        (Jalr, 0, 1, 0, 0),
    ];
    let word = |(operation, rd, rs1, rs2, immediate): (Operation, u8, u8, u8, i32)| {
        let instruction = Instruction::new(operation, rd, rs1, rs2, immediate);
        instruction.map(Instruction::encode).ok_or_else(|| Error::misuse("no such instruction"))
    };
    let words: Vec<u32> = code.into_iter().map(word).collect::<Result<_, _>>()?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let text = Segment { address: 0x1_0000, size: bytes.len() as u32, bytes, kind: Kind::Text };
    Program::new(0x1_0000, vec![text]).map_err(|error| Error::Public(error.to_string()))
}

/// The work of a job about a program. Both parties run it first, to know what shows; V proves nothing by
/// that.
pub(super) fn work(job: &Job, role: RoleArg) -> Result<Work, Failure> {
    let (settings, limits) = (Settings::default(), Limits { steps: u64::MAX, ..Limits::default() });
    let run = ProgramRun::of(program(job.size)?, [Vec::new(), Vec::new()], settings, limits)?;
    let run = match role {
        RoleArg::Prover => run,
        RoleArg::Verifier => {
            let (claim, profile) = (run.claim().clone(), run.profile().clone());
            ProgramRun::new(program(job.size)?, Vec::new(), claim, profile, settings)?
        }
    };
    Ok(clocked(job, run))
}
