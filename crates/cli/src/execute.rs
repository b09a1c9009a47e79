//! `volery run`: runs a RISC-V program without a proof.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use volery_channel::hex;
use volery_machine::observer::{Access, Call, Step};
use volery_machine::{Class, Counts, End, Limits, Machine, Observer, Program, elf};
use volery_statement::{Ran, Trap};
use zeroize::Zeroizing;

use super::args::RunArgs;
use super::failure::Failure;
use super::outcome::{self, Good};
use super::output::{self, count, counted};
use super::{source, terminal};

/// Bytes of a program's file, and of an input, at most.
const LARGEST: u64 = 1 << 28;

/// Bytes of a line of debugging output, at most; a longer one is cut into several.
const LONGEST_LINE: usize = 4096;

/// The keys for `--json`.
#[derive(Debug, Serialize)]
struct Report {
    /// The digest of the program.
    program: String,
    /// What the program exited with; `None` after a trap.
    code: Option<u32>,
    trap: Option<Trap>,
    steps: u64,
    /// Steps of each class that has any.
    classes: BTreeMap<&'static str, u64>,
    touched_words: u64,
    /// In hexadecimal.
    journal: String,
    /// Environment calls that were answered with ENOSYS: how often, by number.
    unknown_calls: BTreeMap<u32, u64>,
}

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    if [&args.public, &args.witness].iter().all(|path| path.as_deref().is_some_and(source::is_standard)) {
        return Err(Failure::input("--witness - and --public -: standard input can be only one of them"));
    }
    let file = source::of(&args.program).content(LARGEST)?;
    let program = elf::parse(&file);
    let program = program.map_err(|error| Failure::input(error).of(&args.program.display().to_string()))?;
    let (secret, public) = (input(args.witness.as_ref())?, input(args.public.as_ref())?);
    let limits = Limits { steps: args.max_steps, ..Limits::default() };
    let mut machine = Machine::new(&program, &secret, &public, limits);
    let mut watch = Watch::default();
    let ended = machine.run(&mut watch);
    watch.finish();
    let end = ended.map_err(|error| Failure::input(format!("{error}{}", hint(&error))));
    // What a program says before it is broken off helps to find out why.
    if !args.json {
        output::raw(machine.journal())?;
    }
    conclude(args, &report(&program, &machine, &watch.counts, end?))
}

/// What to do about a limit.
fn hint(error: &volery_machine::emulator::Error) -> &'static str {
    match error {
        volery_machine::emulator::Error::Steps(_) => "; --max-steps changes it",
        _ => "",
    }
}

fn input(path: Option<&PathBuf>) -> Result<Zeroizing<Vec<u8>>, Failure> {
    path.map_or_else(|| Ok(Zeroizing::default()), |path| Ok(source::of(path).content(LARGEST)?))
}

fn report(program: &Program, machine: &Machine<'_>, counts: &Counts, end: End) -> Report {
    let Ran { code, trap, journal, .. } = Ran::new(Some(program), end, machine.journal());
    let classes = Class::ALL.map(|class| (class.name(), counts.steps(class)));
    Report {
        program: hex::encode(&program.digest()),
        code,
        trap,
        steps: machine.steps(),
        classes: classes.into_iter().filter(|(_, steps)| *steps > 0).collect(),
        touched_words: counts.touched(),
        journal: hex::encode(&journal),
        unknown_calls: counts.unknown_calls().into_iter().collect(),
    }
}

/// Prints the counts, and fails unless the program exited with 0.
fn conclude(args: &RunArgs, report: &Report) -> Result<(), Failure> {
    if !args.json {
        let (steps, words) = (counted(report.steps, "step"), counted(report.touched_words, "word"));
        terminal::message(&format!("{steps}, {words} of memory touched"));
        for (class, steps) in &report.classes {
            terminal::message(&format!("  {class:<18}{:>16}", count(*steps)));
        }
        for (number, times) in &report.unknown_calls {
            let times = counted(*times, "time");
            terminal::message(&format!("environment call {number} was answered with ENOSYS, {times}"));
        }
    }
    match (report.code, &report.trap) {
        (Some(0), _) if args.json => outcome::json(Good::Done, report),
        (Some(0), _) => {
            terminal::message("the program exited with code 0");
            Ok(())
        }
        (Some(code), _) => {
            Err(Failure::Rejected(format!("the program exited with code {code}")).with(report))
        }
        (None, trap) => {
            let reason = trap.as_ref().map(Trap::text).unwrap_or_default();
            Err(Failure::Rejected(reason).with(report))
        }
    }
}

/// Counts, and shows what the program writes for debugging, line by line.
#[derive(Default)]
struct Watch {
    counts: Counts,
    /// The line that has not ended.
    line: Zeroizing<Vec<u8>>,
}

impl Watch {
    /// Shows the last line, if there is one without an end.
    fn finish(&mut self) {
        if !self.line.is_empty() {
            self.show();
        }
    }

    fn show(&mut self) {
        let text = Zeroizing::new(String::from_utf8_lossy(&self.line).into_owned());
        // What a terminal might take for a command is escaped.
        let shown: String = text
            .chars()
            .flat_map(|c| match c {
                '\t' | '"' | '\'' | '\\' => vec![c],
                c => c.escape_debug().collect(),
            })
            .collect();
        terminal::message(&shown);
        self.line.clear();
    }
}

impl Observer for Watch {
    #[inline]
    fn step(&mut self, step: &Step) {
        self.counts.step(step);
    }

    fn transfer(&mut self, access: &Access) {
        self.counts.transfer(access);
    }

    fn call(&mut self, call: &Call) {
        self.counts.call(call);
    }

    fn debug(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' => self.show(),
                _ => self.line.push(*byte),
            }
            if self.line.len() >= LONGEST_LINE {
                self.show();
            }
        }
    }
}
