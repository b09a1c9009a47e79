//! Entry points for fuzzers: plain functions that must return for all bytes. Unit tests call them too.

use crate::proof::preamble::{Head, decode_body, encode_body};
use crate::proof::{ProgramRun, Settings, Terms};
use crate::{Counts, Kind, Limits, Machine, Program, Segment, elf};

/// Steps that an accepted program runs.
const STEPS: u64 = 4096;

/// Reads bytes as what P says of a run of a small program, and makes V's statement of them.
pub fn preamble(bytes: &[u8]) {
    let Some((head, body)) = bytes.split_first_chunk() else { return };
    let Ok(head) = Head::decode(head, 1 << 16) else { return };
    assert_eq!(Head::decode(&head.encode(), 1 << 16), Ok(head));
    let Ok((claim, profile)) = decode_body(&head, body) else { return };
    assert_eq!(encode_body(&claim, &profile), body);
    let _ = Terms::default().check(&claim, &profile);
    // ebreak
    let text = Segment { address: 0x1_0000, size: 4, bytes: vec![0x73, 0, 0x10, 0], kind: Kind::Text };
    let Ok(program) = Program::new(0x1_0000, vec![text]) else { return };
    // Whatever it says, it is an error or a statement.
    let _ = ProgramRun::new(program, Vec::new(), claim, profile, Settings::default());
}

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
