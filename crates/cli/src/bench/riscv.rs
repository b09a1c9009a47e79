//! The measurement of a program's run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};
use volery::system::{Over, ProvesRuns};
use volery::{Estimate, Options, Prover, Verifier, estimate_run};
use volery_circuit::Error;
use volery_field::F61;
use volery_machine::instruction::Operation::{
    Add, Addi, Bne, Ecall, Jal, Jalr, Lbu, Lui, Lw, Mul, Or, Slli, Sltu, Srli, Sw, Xor,
};
use volery_machine::proof::{Ending, KindElements, ProgramRun, Settings, Stage, Stages, Terms};
use volery_machine::{Instruction, Kind, Limits, Machine, Operation, Program, Segment};
use volery_statement::system::{Correlations, Done, Known};
use volery_statement::way::Proving;
use volery_statement::{Watch, Wire};

use super::party::{Work, with_macs};
use super::workload::Job;
use crate::args::RoleArg;
use crate::failure::Failure;
use crate::output;

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
struct Steps<Y> {
    run: ProgramRun,
    system: Y,
}

impl<Y: ProvesRuns + Known> Proving for Steps<Y> {
    fn correlations(&self) -> &dyn Correlations {
        &self.system
    }

    fn estimate(&self, options: Options, _watch: &Watch) -> Result<Estimate, volery::Error> {
        estimate_run(|channel| channel, options, self.system, &self.run.without_secret())
    }

    fn prove(&self, prover: &mut Prover<Wire>, _watch: &Watch, rng: &mut dyn CryptoRng) -> Done {
        Ok(prover.prove_run(self.system, &self.run, rng)?.into())
    }

    fn verify(&self, verifier: &mut Verifier<Wire>, _watch: &Watch, rng: &mut dyn CryptoRng) -> Done {
        let terms = Terms { ending: Ending::Any, rows: u64::MAX, ..Terms::default() };
        let (about, settings) = ((self.run.about(), &[][..]), self.run.settings());
        let (_, report) = verifier.verify_run(self.system, about, settings, &terms, rng)?;
        Ok(report.into())
    }
}

/// The work of a job about a program.
pub(super) fn work(job: &Job, role: RoleArg) -> Result<Work, Failure> {
    let (settings, limits) = (Settings::default(), Limits { steps: u64::MAX, ..Limits::default() });
    let program = program(job.size)?;
    let mut run = ProgramRun::of(program.clone(), [Vec::new(), Vec::new()], settings, limits)?;
    let details = (role == RoleArg::Prover).then(|| Clocked::new(&mut run, &program, limits)).transpose()?;
    let proof: Box<dyn Proving> =
        with_macs!(job, M => Box::new(Steps { run, system: Over::<F61, M>::new() }));
    Ok(Work::from(proof).with_run(details))
}

/// A prover's run that is measured.
pub(super) struct Clocked {
    stages: Arc<Stages>,
    /// What the emulator takes for the whole run when nobody watches it.
    emulator: Duration,
    elements: Elements,
}

impl Clocked {
    fn new(run: &mut ProgramRun, program: &Program, limits: Limits) -> Result<Self, Failure> {
        let start = Instant::now();
        let ended = Machine::new(program, &[], &[], limits).run(&mut ());
        let emulator = start.elapsed();
        ended.map_err(|error| Failure::input(error.to_string()))?;
        Ok(Self { stages: run.clocked(), emulator, elements: Elements::of(run) })
    }

    /// What is known after the proof.
    pub(super) fn details(&self) -> Details {
        let spent = |stage| self.stages.spent(stage).as_secs_f64();
        let (trace, emulator) = (spent(Stage::Trace), self.emulator.as_secs_f64());
        let seconds_by_stage = Seconds {
            emulator: emulator.min(trace),
            rows: (trace - emulator).max(0.0),
            columns: spent(Stage::Columns),
            relations: spent(Stage::Relations),
            argument: spent(Stage::Argument),
            log: spent(Stage::Log),
        };
        Details { seconds_by_stage, elements: self.elements.clone() }
    }
}

/// What is measured of a run besides.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    seconds_by_stage: Seconds,
    elements: Elements,
}

/// The prover's time by stage: running the program; writing rows; committing to their columns, correlations
/// included; their relations; the arguments of segments; the checks of the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Seconds {
    emulator: f64,
    rows: f64,
    columns: f64,
    relations: f64,
    argument: f64,
    log: f64,
}

/// What the prover commits to: for the rows of each kind, for words that segments touch, for each segment
/// whatever its length, for the checks of the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Elements {
    kinds: BTreeMap<String, OfKind>,
    words: f64,
    segments: f64,
    log: f64,
    total: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct OfKind {
    rows: u64,
    elements: f64,
    /// What a row takes in a long segment.
    each: f64,
}

impl Elements {
    fn of(run: &ProgramRun) -> Self {
        let elements = run.elements();
        let (words, segments, log, total) =
            (elements.words, elements.segments, elements.log, elements.total());
        let kinds = elements.kinds.into_iter().map(|KindElements { name, rows, elements, each }| {
            (name.to_owned(), OfKind { rows, elements, each })
        });
        Self { kinds: kinds.collect(), words, segments, log, total }
    }
}

impl Details {
    /// The lines below a row of this many steps and seconds.
    pub(super) fn lines(&self, steps: u64, seconds: f64) -> Vec<String> {
        let Self { seconds_by_stage: stages, elements } = self;
        let Seconds { emulator, rows, columns, relations, argument, log } = *stages;
        let other = (seconds - (emulator + rows + columns + relations + argument + log)).max(0.0);
        let shares = [
            ("emulator", emulator),
            ("rows", rows),
            ("columns", columns),
            ("relations", relations),
            ("argument", argument),
            ("log", log),
            ("other", other),
        ]
        .map(|(stage, spent)| format!("{stage} {:.1} %", 100.0 * spent / seconds.max(1e-9)));
        let (steps, total) = (steps.max(1) as f64, elements.total.max(1.0));
        let mut lines = vec![
            format!("  the prover's time: {}", shares.join(", ")),
            format!("  elements: {:.2} a step, {:.1} ns each", total / steps, 1e9 * seconds / total),
        ];
        let line = |name: &str, rows: &str, each: &str, all: f64| {
            format!("    {name:<18} {rows:>14} {each:>8} {:>8.2} {:>6.1} %", all / steps, 100.0 * all / total)
        };
        lines.push(format!("    {:<18} {:>14} {:>8} {:>8} {:>8}", "", "rows", "a row", "a step", "share"));
        lines.extend(elements.kinds.iter().map(|(name, OfKind { rows, elements, each })| {
            line(name, &output::count(*rows), &format!("{each:.2}"), *elements)
        }));
        let others = [("words", elements.words), ("segments", elements.segments), ("log", elements.log)];
        lines.extend(others.map(|(name, all)| line(name, "", "", all)));
        lines
    }
}
