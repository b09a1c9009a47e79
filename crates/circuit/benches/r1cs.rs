//! Constraint systems over BN254's scalars: how long a file takes to read, and what a run costs besides the
//! proof system.
//!
//! `cargo bench -p volery-circuit --bench r1cs`

use std::io::Cursor;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use volery_circuit::r1cs::{Assignment, R1cs, R1csStatement, sample};
use volery_circuit::{Counter, Evaluator, Statement};
use volery_field::Bn254Scalar;

const CONSTRAINTS: u32 = 1 << 16;

fn r1cs(c: &mut Criterion) {
    let Ok((system, assignment)) = sample::<Bn254Scalar>(1, CONSTRAINTS) else {
        panic!("the sample is small enough")
    };
    let (mut r1cs, mut wtns) = (Vec::new(), Vec::new());
    assert!(system.write(&mut r1cs).is_ok() && assignment.write(&mut wtns).is_ok());
    let Ok(statement) = R1csStatement::prove(Arc::new(system), assignment) else { panic!("the sample fits") };

    let mut group = c.benchmark_group("r1cs");
    group.throughput(Throughput::Elements(CONSTRAINTS.into()));
    group.bench_function("read .r1cs", |b| b.iter(|| R1cs::<Bn254Scalar>::read(Cursor::new(&r1cs), "r1cs")));
    group.bench_function("read .wtns", |b| {
        b.iter(|| Assignment::<Bn254Scalar>::read(Cursor::new(&wtns), "wtns"));
    });
    group.bench_function("count", |b| b.iter(|| Counter::count(&statement)));
    group.bench_function("evaluate", |b| b.iter(|| statement.run(&mut Evaluator::new())));
    group.finish();
}

criterion_group!(benches, r1cs);
criterion_main!(benches);
