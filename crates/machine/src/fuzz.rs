//! Entry points for fuzzers: plain functions that must return for all bytes. Unit tests call them too.

use crate::proof::preamble::{Head, decode_body, encode_body};
use crate::proof::{Bounds, ProfileClass, ProgramRun, Settings, Terms};
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
    let _ = Terms::default().check(&claim, &profile, Settings::default());
    let Some(program) = stopped() else { return };
    // Whatever it says, it is an error or a statement.
    let bounds = Bounds::usual(64);
    let _ = ProgramRun::new(bounds, Vec::new(), claim.clone(), profile.clone(), Settings::default());
    let _ = ProgramRun::new(program, Vec::new(), claim, profile, Settings::default());
}

/// A program of one instruction: `ebreak`.
fn stopped() -> Option<Program> {
    let text = Segment { address: 0x1_0000, size: 4, bytes: vec![0x73, 0, 0x10, 0], kind: Kind::Text };
    Program::new(0x1_0000, vec![text]).ok()
}

/// The run of a program that [`profile_class`] pads.
fn stopped_run() -> Option<ProgramRun> {
    let inputs = [Vec::new(), Vec::new()];
    ProgramRun::of(stopped()?, inputs, Settings::default(), Limits::default()).ok()
}

/// The class of that run.
#[must_use]
pub fn a_profile_class() -> String {
    stopped_run().map(|run| ProfileClass::of(&run).to_json()).unwrap_or_default()
}

/// Reads a profile class. What is read is written the same, and a run in it has its counts.
pub fn profile_class(bytes: &[u8]) {
    let class = match ProfileClass::from_json(bytes) {
        Ok(class) => class,
        Err(error) => {
            let message = error.to_string();
            assert!(!message.chars().any(char::is_control), "{message:?}");
            return;
        }
    };
    assert_eq!(ProfileClass::from_json(class.to_json().as_bytes()).as_ref(), Ok(&class));
    let Some(run) = stopped_run() else { return };
    let Ok(run) = run.in_class(&class) else { return };
    assert_eq!(run.profile().segments(), class.segments());
    let mut own = ProfileClass::of(&run);
    // Words that are new are touched words, too, so there may be fewer.
    assert!(own.enlarge(&class) == Ok(()) && own == class);
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
    // As a secret program, if it is within bounds.
    let (bounds, inputs) = (Bounds { text: program.text(), words: 64, data: 64 }, [Vec::new(), Vec::new()]);
    let _ = ProgramRun::of_secret(program.clone(), bounds, inputs, Settings::default(), limits);
}
