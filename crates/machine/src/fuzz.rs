//! Entry points for fuzzers: plain functions that must return for all bytes. Unit tests call them too.

use crate::{Counts, Limits, Machine, elf};

/// Steps that an accepted program runs.
const STEPS: u64 = 4096;

/// Reads `file` as a program. If that gives one, writes it and reads it again, and runs some thousand steps
/// of it on an input.
pub fn elf(file: &[u8]) {
    let program = match elf::parse(file) {
        Ok(program) => program,
        Err(error) => {
            let message = error.to_string();
            assert!(!message.chars().any(char::is_control), "{message:?}");
            return;
        }
    };
    assert_eq!(elf::parse(&elf::write(&program)).as_ref(), Ok(&program));
    let limits = Limits { steps: STEPS, journal: 1 << 16, memory: 1 << 20 };
    let mut counts = Counts::default();
    let mut machine = Machine::new(&program, b"a secret input", b"a public input", limits);
    // Not to the end at once, as a proof does it.
    while let Ok(None) = machine.advance(1000, &mut counts) {}
    let _ = (program.place(machine.pc()), machine.end());
    assert!(machine.steps() <= STEPS && machine.journal().len() <= limits.journal);
    let all = crate::Class::ALL.map(|class| counts.steps(class));
    assert_eq!(all.iter().sum::<u64>(), machine.steps());
}
