//! Steps of the emulator, without an observer and with one that counts.
#![allow(missing_docs, clippy::expect_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use volery_machine::instruction::Operation::{
    Add, Addi, Bne, Ecall, Jal, Jalr, Lbu, Lw, Mul, Or, Slli, Sltu, Srli, Sw, Xor,
};
use volery_machine::{Counts, Instruction, Kind, Limits, Machine, Operation, Program, Segment};

/// Times that the loop runs.
const ROUNDS: i32 = 20_000;

/// A loop with a mix like that of compiled code: a call, loads, stores, arithmetic.
fn program() -> Program {
    let i = |operation: Operation, rd, rs1, rs2, immediate| {
        Instruction::new(operation, rd, rs1, rs2, immediate).expect("legal")
    };
    let code = [
        // s0 counts down from 10 times 2000.
        i(Addi, 8, 0, 0, 2000),
        i(Addi, 9, 0, 0, 10),
        i(Mul, 8, 8, 9, 0),
        // The loop: calls the function below.
        i(Jal, 1, 0, 0, 20),
        i(Addi, 8, 8, 0, -1),
        i(Bne, 0, 8, 0, -8),
        i(Addi, 17, 0, 0, 93),
        i(Ecall, 0, 0, 0, 0),
        i(Addi, 2, 2, 0, -16),
        i(Sw, 0, 2, 1, 12),
        i(Sw, 0, 2, 8, 8),
        i(Lw, 5, 2, 0, 8),
        i(Lbu, 6, 2, 0, 9),
        i(Slli, 7, 5, 0, 3),
        i(Xor, 7, 7, 6, 0),
        i(Srli, 28, 7, 0, 5),
        i(Add, 28, 28, 5, 0),
        i(Mul, 29, 28, 7, 0),
        i(Sltu, 30, 29, 28, 0),
        i(Or, 10, 29, 30, 0),
        i(Sw, 0, 2, 10, 4),
        i(Lw, 11, 2, 0, 4),
        i(Lw, 1, 2, 0, 12),
        i(Addi, 2, 2, 0, 16),
        i(Jalr, 0, 1, 0, 0),
    ];
    let bytes: Vec<u8> = code.iter().flat_map(|instruction| instruction.encode().to_le_bytes()).collect();
    let text = Segment { address: 0x1_0000, size: bytes.len() as u32, bytes, kind: Kind::Text };
    Program::new(0x1_0000, vec![text]).expect("a program")
}

fn steps(criterion: &mut Criterion) {
    let program = program();
    let machine = || Machine::new(&program, &[], &[], Limits::default());
    let mut first = machine();
    first.run(&mut ()).expect("an end");
    assert_eq!(first.steps(), 3 + 20 * ROUNDS as u64 + 2);
    let mut group = criterion.benchmark_group("steps");
    group.throughput(Throughput::Elements(first.steps()));
    group.bench_function("unobserved", |bench| bench.iter(|| machine().run(&mut ())));
    group.bench_function("counted", |bench| bench.iter(|| machine().run(&mut Counts::default())));
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
