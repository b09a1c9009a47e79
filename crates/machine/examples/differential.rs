//! Compares the emulator with another one on random programs, and checks on values all that a proof of their
//! runs would claim: `differential EMULATOR RUNS [SEED]`, where EMULATOR runs ELF files, like `qemu-riscv32`.
//!
//! A run fills its registers, takes a hundred random instructions, and writes its registers and its data to
//! the journal. Most of the time goes to starting the other emulator, so a program is a hundred runs in a row,
//! each with instructions and data of its own. Both emulators have to give the same journal and exit code.
//! Accesses are aligned and inside of the data, since what traps here need not trap there. `.ci/riscv`
//! runs this.
#![allow(clippy::expect_used, reason = "whatever fails here fails the comparison")]

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use volery_circuit::Evaluator;
use volery_field::F61;
use volery_machine::proof::{ProgramRun, Settings};
use volery_machine::{Class, End, Instruction, Kind, Limits, Machine, Operation, Program, Segment, elf};

const TEXT: u32 = 0x1_0000;
const DATA: u32 = 0x10_0000;
/// Bytes of data that a run loads and stores.
const DATA_BYTES: u32 = 256;
/// Bytes before them, where a run stores its registers at its end.
const REGISTER_BYTES: u32 = 4 * 32;
/// What a run writes to the journal.
const RUN_BYTES: u32 = REGISTER_BYTES + DATA_BYTES;
/// Runs of a program.
const TOGETHER: u64 = 100;
/// Random instructions of a run.
const LENGTH: usize = 100;
/// How many of them a jump goes over, and one more, at most.
const AHEAD: u32 = 8;
/// Holds the middle of the run's data, and is never written in it.
const BASE: u8 = 31;

/// Random numbers: SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 32) as u32
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.next() % bound
    }

    /// Any number, or one at an edge.
    fn value(&mut self) -> u32 {
        match self.below(4) {
            0 => [0, 1, 31, 0x7fff_ffff, 0x8000_0000, u32::MAX][self.below(6) as usize],
            1 => 1 << self.below(32),
            _ => self.next(),
        }
    }
}

fn i(operation: Operation, rd: u8, rs1: u8, rs2: u8, immediate: i32) -> Instruction {
    Instruction::new(operation, rd, rs1, rs2, immediate).expect("legal")
}

/// Sets a register to a number.
fn set(code: &mut Vec<Instruction>, register: u8, value: u32) {
    let low = (value as i32) << 20 >> 20;
    code.push(i(Operation::Lui, register, 0, 0, value.wrapping_sub(low as u32) as i32));
    code.push(i(Operation::Addi, register, register, 0, low));
}

/// A random instruction, with what it needs right before it. For branches and `jal` the immediate is still 4
/// times the number of such groups to go ahead.
fn random(random: &mut Random) -> Vec<Instruction> {
    let operations: Vec<Operation> = Operation::all().collect();
    let operation = operations[random.below(operations.len() as u32) as usize];
    let (rd, rs1, rs2) = (random.below(31) as u8, random.below(32) as u8, random.below(32) as u8);
    let bits = random.next();
    let ahead = 4 * (1 + random.below(AHEAD) as i32);
    let narrow = bits as i32 >> 20;
    vec![match operation.class() {
        Class::Add | Class::Compare | Class::Logic | Class::Shift | Class::Multiply | Class::Divide => {
            i(operation, rd, rs1, rs2, 0)
        }
        Class::AddImmediate | Class::CompareImmediate | Class::LogicImmediate => {
            i(operation, rd, rs1, 0, narrow)
        }
        Class::ShiftImmediate => i(operation, rd, rs1, 0, bits as i32 & 31),
        Class::Upper => i(operation, rd, 0, 0, bits as i32 & !0xfff),
        Class::Branch => i(operation, 0, rs1, rs2, ahead),
        Class::Load | Class::Store => {
            let wide = match operation {
                Operation::Lb | Operation::Lbu | Operation::Sb => 1,
                Operation::Lh | Operation::Lhu | Operation::Sh => 2,
                _ => 4,
            };
            let offset = random.below(DATA_BYTES) as i32 / wide * wide - DATA_BYTES as i32 / 2;
            let load = operation.class() == Class::Load;
            i(operation, if load { rd } else { 0 }, BASE, if load { 0 } else { rs2 }, offset)
        }
        Class::Jump if operation == Operation::Jal => i(operation, rd, 0, 0, ahead),
        // A known place: the address of the `auipc`, and 8 for it and the jump. The lowest bit is dropped.
        Class::Jump => {
            let rs1 = 1 + random.below(30) as u8;
            let auipc = i(Operation::Auipc, rs1, 0, 0, 0);
            return vec![auipc, i(operation, rd, rs1, 0, 8 | (bits & 1) as i32)];
        }
        Class::System => i(Operation::Fence, rd, rs1, 0, narrow),
    }]
}

/// A jump over the first of these groups, with the distance in bytes.
fn placed(jump: Instruction, groups: &[Vec<Instruction>]) -> Instruction {
    let over = jump.immediate() as usize / 4;
    let words: usize = groups.iter().take(over).map(Vec::len).sum();
    i(jump.operation(), jump.rd(), jump.rs1(), jump.rs2(), 4 * words as i32)
}

/// The code of one run, whose registers and data are at `block`.
fn run(numbers: &mut Random, block: u32, code: &mut Vec<Instruction>) {
    for register in 1..BASE {
        set(code, register, numbers.value());
    }
    set(code, BASE, block + REGISTER_BYTES + DATA_BYTES / 2);
    let mut groups: Vec<_> = (0..LENGTH).map(|_| random(numbers)).collect();
    // Where jumps over the last ones land.
    groups.extend((0..AHEAD).map(|_| vec![i(Operation::Addi, 0, 0, 0, 0)]));
    for (number, group) in groups.iter().enumerate() {
        for instruction in group {
            let jumps = instruction.class() == Class::Branch || instruction.operation() == Operation::Jal;
            code.push(if jumps { placed(*instruction, &groups[number..]) } else { *instruction });
        }
    }
    let start = -((REGISTER_BYTES + DATA_BYTES / 2) as i32);
    code.extend(
        (0..=BASE).map(|register| i(Operation::Sw, 0, BASE, register, start + 4 * i32::from(register))),
    );
    code.extend([i(Operation::Addi, 11, BASE, 0, start), i(Operation::Addi, 12, 0, 0, RUN_BYTES as i32)]);
    code.extend([i(Operation::Addi, 10, 0, 0, 1), i(Operation::Addi, 17, 0, 0, 64)]);
    code.push(i(Operation::Ecall, 0, 0, 0, 0));
}

/// A program of these runs.
fn program(seeds: core::ops::Range<u64>) -> Program {
    let (mut code, mut content) = (Vec::new(), Vec::new());
    let exit = seeds.start as i32 & 0x7f;
    for (seed, block) in seeds.zip((DATA..).step_by(RUN_BYTES as usize)) {
        let mut numbers = Random(seed);
        run(&mut numbers, block, &mut code);
        content.extend((0..RUN_BYTES).map(|_| numbers.next() as u8));
    }
    code.extend([i(Operation::Addi, 10, 0, 0, exit), i(Operation::Addi, 17, 0, 0, 93)]);
    code.push(i(Operation::Ecall, 0, 0, 0, 0));
    let bytes: Vec<u8> = code.iter().flat_map(|instruction| instruction.encode().to_le_bytes()).collect();
    let text = Segment { address: TEXT, size: bytes.len() as u32, bytes, kind: Kind::Text };
    let data = Segment { address: DATA, size: content.len() as u32, bytes: content, kind: Kind::Writable };
    Program::new(TEXT, vec![text, data]).expect("a program")
}

/// Where two journals of the runs from `first` on are different.
fn difference(first: u64, ours: &[u8], theirs: &[u8]) -> Option<String> {
    let at = ours.iter().zip(theirs).position(|(ours, theirs)| ours != theirs);
    let at = at.or_else(|| (ours.len() != theirs.len()).then_some(ours.len().min(theirs.len())))? as u64;
    let (run, byte) = (first + at / u64::from(RUN_BYTES), at % u64::from(RUN_BYTES));
    let place = match byte.checked_sub(REGISTER_BYTES.into()) {
        None => format!("register x{}", byte / 4),
        Some(byte) => format!("byte {byte} of the data"),
    };
    Some(format!("run {run}: another {place}"))
}

/// Runs a program on both emulators. Returns our steps.
fn compare(emulator: &str, path: &std::path::Path, seeds: core::ops::Range<u64>) -> u64 {
    let (first, program) = (seeds.start, program(seeds));
    std::fs::write(path, elf::write(&program)).expect("writable");
    // Emulators of processes insist on that.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).expect("our own file");
    let mut machine = Machine::new(&program, &[], &[], Limits::default());
    let end = machine.run(&mut ()).expect("within limits");
    let other = Command::new(emulator).arg(path).stdin(Stdio::null()).output().expect("the other emulator");
    let different = difference(first, machine.journal(), &other.stdout);
    assert_eq!(different, None, "the program is {}", path.display());
    let code = other.status.code().map(|code| End::Exit(code as u32));
    let said = String::from_utf8_lossy(&other.stderr);
    assert_eq!(code, Some(end), "runs from {first} on; the program is {}: {said}", path.display());
    let steps = machine.steps();
    drop(machine);
    let settings = Settings { steps: 1 << 14, ..Settings::default() };
    let run = ProgramRun::of(program, [Vec::new(), Vec::new()], settings, Limits::default()).expect("a run");
    let holds = Evaluator::<F61>::check(&run);
    assert_eq!(holds, Ok(()), "runs from {first} on; the program is {}", path.display());
    steps
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [emulator, runs, seed @ ..] = &arguments[..] else {
        eprintln!("usage: differential EMULATOR RUNS [SEED]");
        std::process::exit(2);
    };
    let number = |text: &String| text.parse::<u64>().expect("a number");
    let first = seed.first().map_or(0, number);
    let end = first + number(runs);
    let path = std::env::temp_dir().join(format!("volery-differential-{}", std::process::id()));
    let starts = (first..end).step_by(TOGETHER as usize);
    let steps: u64 = starts.map(|start| compare(emulator, &path, start..end.min(start + TOGETHER))).sum();
    std::fs::remove_file(&path).expect("was written");
    println!(
        "{runs} random programs, {steps} steps: the same under {emulator}, and what their proofs claim holds"
    );
}
