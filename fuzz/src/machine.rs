//! Programs for RISC-V, and their seeds.

use volery_machine::Operation::{
    Addi, Auipc, Beq, Divu, Ebreak, Ecall, Fence, Jal, Jalr, Lbu, Mulhsu, Sb, Sw,
};
use volery_machine::proof::preamble::{Head, encode_body};
use volery_machine::proof::{ProgramRun, Settings};
use volery_machine::{Instruction, Kind, Limits, Operation, Program, Segment, elf as files};

/// An ELF file; some thousand steps of a program that comes of it.
pub fn elf(bytes: &[u8]) {
    volery_machine::fuzz::elf(bytes);
}

/// What a prover says of its run, and the statement that comes of it.
pub fn run(bytes: &[u8]) {
    volery_machine::fuzz::preamble(bytes);
}

/// What provers say of runs that end by exit and by a trap.
#[must_use]
pub fn said() -> Vec<(&'static str, Vec<u8>)> {
    let call = |number, file| {
        [i(Addi, 17, 0, 0, number), i(Addi, 10, 0, 0, file), i(Addi, 11, 2, 0, -16), i(Addi, 12, 0, 0, 2)]
    };
    let exit =
        [&call(64, 1)[..], &[i(Ecall, 0, 0, 0, 0)], &call(93, 0)[..], &[i(Ecall, 0, 0, 0, 0)]].concat();
    let said = |code: &[Instruction]| {
        let program = files::parse(&file(code, &[])).expect("a program");
        let run = ProgramRun::of(program, [Vec::new(), Vec::new()], Settings::default(), Limits::default());
        let run = run.expect("it ends");
        let head = Head::of(run.claim(), run.profile()).encode();
        [&head[..], &encode_body(run.claim(), run.profile())].concat()
    };
    vec![("exit", said(&exit)), ("trap", said(&[i(Ebreak, 0, 0, 0, 0)]))]
}

fn i(operation: Operation, rd: u8, rs1: u8, rs2: u8, immediate: i32) -> Instruction {
    Instruction::new(operation, rd, rs1, rs2, immediate).expect("legal")
}

fn file(code: &[Instruction], others: &[(u32, u32, &[u8], Kind)]) -> Vec<u8> {
    let bytes: Vec<u8> = code.iter().flat_map(|instruction| instruction.encode().to_le_bytes()).collect();
    // Right behind the headers of the file, so that the file needs no gap.
    let address = 0x1_0054 + 32 * others.len() as u32;
    let size = bytes.len() as u32;
    let mut segments = vec![Segment { address, size, bytes, kind: Kind::Text }];
    for (address, size, bytes, kind) in others {
        segments.push(Segment { address: *address, size: *size, bytes: bytes.to_vec(), kind: *kind });
    }
    files::write(&Program::new(address, segments).expect("a program"))
}

/// Programs that read, write, compute, loop and trap.
#[must_use]
pub fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let call = |number, file| {
        [
            i(Addi, 17, 0, 0, number),
            i(Addi, 10, 0, 0, file),
            i(Addi, 11, 2, 0, -16),
            i(Addi, 12, 0, 0, 12),
            i(Ecall, 0, 0, 0, 0),
        ]
    };
    let echo = [call(63, 0), call(64, 1), call(63, 3), call(64, 2), call(214, 0), call(93, 0)].concat();
    let bytes = [
        i(Auipc, 6, 0, 0, 0x1_0000),
        i(Lbu, 7, 6, 0, 41),
        i(Sb, 0, 6, 7, 64),
        i(Mulhsu, 7, 7, 6, 0),
        i(Divu, 7, 6, 7, 0),
        i(Sw, 0, 6, 7, 44),
        i(Fence, 0, 0, 0, 0xff),
        i(Beq, 0, 7, 0, 8),
        i(Jal, 1, 0, 0, -28),
        i(Jalr, 0, 1, 0, 2),
    ];
    let data = (0x2_009c, 0x1_0000, &[1, 2, 3][..], Kind::Writable);
    vec![
        ("echo", file(&echo, &[])),
        ("data", file(&bytes, &[data])),
        ("trap", file(&[i(Ebreak, 0, 0, 0, 0)], &[(0x3_0000, 3, &[], Kind::ReadOnly)])),
    ]
}
