//! Runs programs and checks, on values, all that a proof of each run claims:
//!
//! ```console
//! cargo run -p volery-machine --example proved -- FILE ...
//! ```
//!
//! Prints how each run ends, and its rows. A run that exits is checked as one of a secret program, too. Fails
//! if a statement does not hold. Nothing is proved to another party here.

use std::process::ExitCode;

use volery_circuit::Evaluator;
use volery_field::F61;
use volery_machine::proof::{Bounds, ProgramRun, Settings};
use volery_machine::{End, Limits, elf};

/// The most words of data of a program that is taken for a secret one.
const MOST_DATA: u32 = 1 << 12;

/// The statement about a file's run without inputs, and whether it holds.
fn check(file: &str) -> Result<ProgramRun, Box<dyn std::error::Error>> {
    let program = elf::parse(&std::fs::read(file)?)?;
    let settings = Settings { steps: 1 << 12, ..Settings::default() };
    let bounds = Bounds { text: program.text(), words: program.code().len() as u32, data: MOST_DATA };
    let (inputs, limits) = (|| [Vec::new(), Vec::new()], Limits::default());
    let run = ProgramRun::of(program.clone(), inputs(), settings, limits)?;
    Evaluator::<F61>::check(&run)?;
    if matches!(run.claim().end, End::Exit(_)) {
        let secret = ProgramRun::of_secret(program, bounds, inputs(), settings, limits)?;
        Evaluator::<F61>::check(&secret)?;
    }
    Ok(run)
}

fn main() -> ExitCode {
    let mut failed = false;
    for file in std::env::args().skip(1) {
        match check(&file) {
            Ok(run) => {
                let end = match run.claim().end {
                    End::Exit(code) => format!("exit {code}"),
                    End::Trap { pc, cause, .. } => format!("trap {cause} at {pc:#x}"),
                };
                println!("{file}: holds on values: {end}, {} rows", run.profile().rows());
            }
            Err(error) => {
                failed = true;
                println!("{file}: {error}");
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
