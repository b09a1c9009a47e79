//! What an AND gate costs the garbler and the evaluator: in chains and many at once, in the gadgets, and the
//! hash alone.

#![allow(missing_docs, reason = "criterion's macros make a public function")]
#![allow(clippy::expect_used, reason = "a measurement that fails may stop")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use volery_circuit::gadgets::{Aes128, sha256};
use volery_circuit::{Digest, Ops};
use volery_field::{F2, Gf128};
use volery_garble::gates::{
    ActiveWire, GateEvaluator, GateGarbler, HalfGates, Scheme, TableSink, TableSource, ThreeHalves, ZeroWire,
};
use volery_garble::two_party::Garbling;
use volery_garble::{Error, Function, Shape};
use volery_vole::Delta;

/// What is measured, with its number of inputs.
enum Work {
    /// 2^16 gates, each of which waits for the one before.
    Chain,
    /// 2^16 independent gates in one call.
    Many,
    /// SHA-256 of 55 bytes.
    Sha256,
    /// AES-128, key schedule included.
    Aes128,
}

const GATES: usize = 1 << 16;

impl Function for Work {
    fn identify(&self, _: &mut Digest) {}

    fn run<B: Ops<F2> + ?Sized>(&self, b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        match self {
            Self::Chain => {
                let mut wire = inputs[0].clone();
                for i in 0..GATES {
                    wire = b.mul(&wire, &inputs[i % 64])?;
                }
                Ok(vec![wire])
            }
            Self::Many => b.mul_many(inputs, inputs),
            Self::Sha256 => sha256(b, inputs),
            Self::Aes128 => Aes128::new(b, &inputs[..128])?.encrypt(b, &inputs[128..]),
        }
    }
}

/// Forgets tables, and gives the same ones again and again.
struct Null(Vec<u8>, usize);

impl TableSink for Null {
    fn put(&mut self, tables: &[u8]) -> Result<(), Error> {
        black_box(tables);
        Ok(())
    }
}

impl TableSource for Null {
    fn next(&mut self, size: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let now = (self.0.len() / size * size).min(self.1);
        self.1 -= now;
        out.clear();
        out.extend_from_slice(&self.0[..now]);
        Ok(())
    }
}

fn gates(c: &mut Criterion) {
    of::<HalfGates>(c, "half gates", 32, false);
    let table = Garbling::ThreeHalves.table_bytes();
    of::<ThreeHalves>(c, "three halves", table, false);
    of::<ThreeHalves>(c, "one-hot S-boxes", table, true);
}

fn of<S: Scheme>(c: &mut Criterion, scheme: &str, table: usize, one_hot: bool) {
    let offset = Delta::from_element(Gf128::from_bits(0x1234_5678 << 70 | 5));
    for (name, work, inputs) in [
        ("a chain", Work::Chain, 64),
        ("many at once", Work::Many, GATES),
        ("sha256", Work::Sha256, 440),
        ("aes128", Work::Aes128, 256),
    ] {
        let Shape { ands, s_boxes, .. } = Shape::of(&work, inputs).expect("counts");
        if one_hot && s_boxes == 0 {
            continue;
        }
        let tables = if one_hot { Garbling::OneHot.tables(ands, s_boxes) } else { ands };
        let bytes = tables as usize * table;
        let mut group = c.benchmark_group(format!("{scheme}, {name}"));
        group.throughput(Throughput::Elements(ands));
        let zero = vec![ZeroWire::new(Gf128::from_bits(77)); inputs];
        let active = vec![ActiveWire::new(Gf128::from_bits(77)); inputs];
        group.bench_function("garble", |b| {
            b.iter(|| {
                let mut sink = Null(Vec::new(), 0);
                let garbler = GateGarbler::<S>::new(&offset, [3; 16], 0, &mut sink);
                let mut garbler = garbler.with_one_hot(one_hot);
                black_box(work.run(&mut garbler, &zero).expect("garbles"));
                garbler.finish()
            });
        });
        group.bench_function("evaluate", |b| {
            let mut portion = vec![0x5a; 1 << 15];
            // A byte of bits, which are none in an S-box.
            portion.iter_mut().skip(24).step_by(table).for_each(|bits| *bits = 0);
            b.iter(|| {
                let mut source = Null(portion.clone(), bytes);
                let evaluator = GateEvaluator::<S>::new([3; 16], 0, &mut source);
                let mut evaluator = evaluator.with_one_hot(one_hot);
                black_box(work.run(&mut evaluator, &active).expect("evaluates"));
                evaluator.finish()
            });
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = gates
}
criterion_main!(benches);
