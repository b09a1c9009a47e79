//! The measurement of a program's run.

use rand_core::CryptoRng;
use volery::system::Over;
use volery::{Estimate, Options, Prover, Verifier, estimate_run};
use volery_circuit::Error;
use volery_field::F61;
use volery_machine::instruction::Operation::{
    Add, Addi, Bne, Ecall, Jal, Jalr, Lbu, Lui, Lw, Mul, Or, Slli, Sltu, Srli, Sw, Xor,
};
use volery_machine::proof::{Ending, ProgramRun, Settings, Terms};
use volery_machine::{Instruction, Kind, Limits, Operation, Program, Segment};

use super::party::Work;
use super::workload::Job;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::session::Wire;
use crate::system::{Correlations, Done};
use crate::way::Proving;

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

/// The proof of the loop's run.
struct Steps(ProgramRun);

impl Proving for Steps {
    fn correlations(&self) -> &dyn Correlations {
        const { &Over::<F61, F61>::new() }
    }

    fn estimate(&self, options: Options, _progress: &Progress) -> Result<Estimate, volery::Error> {
        estimate_run(|channel| channel, options, &self.0.without_secret())
    }

    fn prove(&self, prover: &mut Prover<Wire>, rng: &mut dyn CryptoRng) -> Done {
        Ok(prover.prove_run(&self.0, rng)?.into())
    }

    fn verify(&self, verifier: &mut Verifier<Wire>, rng: &mut dyn CryptoRng) -> Done {
        let terms = Terms { ending: Ending::Any, rows: u64::MAX, ..Terms::default() };
        let (_, report) = verifier.verify_run((self.0.program(), &[]), self.0.settings(), &terms, rng)?;
        Ok(report.into())
    }
}

/// The work of a job about a program.
pub(super) fn work(job: &Job) -> Result<Work, Failure> {
    let (settings, limits) = (Settings::default(), Limits { steps: u64::MAX, ..Limits::default() });
    let run = ProgramRun::of(program(job.size)?, [Vec::new(), Vec::new()], settings, limits)?;
    Ok(Work::from(Box::new(Steps(run)) as Box<dyn Proving>))
}
