//! What it costs to turn authenticated bits of a payload into Pedersen commitments, both parties and all
//! their messages included; and range proofs.

#![allow(missing_docs, reason = "criterion's macros make a public function")]
#![allow(clippy::expect_used, reason = "a measurement that fails may stop")]

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use volery_channel::{Limits, memory_pair};
use volery_field::Gf128;
use volery_testing::deal;
use volery_tls::Side;
use volery_tls::commitment::{Form, Layout, Opening, Place, Prover, Scalar, Verifier, range};
use volery_vole::correlations::Pool;
use volery_vole::{Delta, Prg, SessionId};

const SESSION: SessionId = SessionId::new([1; 32]);

/// Correlations from a dealer: how they are made is measured elsewhere.
fn pool(delta: Option<Delta>) -> Pool {
    deal::bits(2, delta, 256)
}

/// One conversion, from the first message to the last check.
fn convert(layout: &Layout) -> Duration {
    let (mut p, mut v) = memory_pair(&Limits::default());
    let delta = Delta::from_element(Gf128::from_bits(0x6a09_e667_f3bc_c908_b2fb_1366_ea95_7d3f));
    let mut prg = Prg::new([3; 16]);
    let tags: Vec<_> = (0..layout.bits()).map(|_| prg.block()).collect();
    let keys: Vec<_> = tags.iter().map(|tag| deal::key(*tag, &delta)).collect();
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            let (mut pool, rng) = (pool(None), &mut ChaCha20Rng::seed_from_u64(4));
            let prover = Prover::commit(&mut p, &mut pool, &SESSION, layout, &tags, rng).expect("honest");
            black_box(prover.open(&mut p, pool).expect("honest"));
        });
        let (mut pool, rng) = (pool(Some(delta.duplicate())), &mut ChaCha20Rng::seed_from_u64(5));
        let verifier =
            Verifier::receive(&mut v, &mut pool, &delta, &SESSION, layout, &keys, rng).expect("honest");
        black_box(verifier.reveal(&mut v, delta, pool).expect("honest"));
    });
    start.elapsed()
}

fn conversion(c: &mut Criterion) {
    let mut group = c.benchmark_group("conversion to commitments, bytes");
    for bytes in [31, 1 << 10, 1 << 13] {
        let place = Place { side: Side::Server, start: 0, length: bytes, form: Form::Bytes };
        let layout = Layout::of_places(&[place]).expect("a place");
        group.throughput(Throughput::Bytes(bytes));
        group.bench_function(BenchmarkId::from_parameter(bytes), |b| {
            b.iter_custom(|times| (0..times).map(|_| convert(&layout)).sum());
        });
    }
    group.finish();
}

fn range_proofs(c: &mut Criterion) {
    let mut group = c.benchmark_group("range proof, 64 bits");
    let (rng, bounds) = (&mut ChaCha20Rng::seed_from_u64(6), 10_000..=20_000);
    let opening = Opening::of_number(12_345, Scalar::random(rng));
    let commitment = opening.commitment();
    let proof = range::prove(&opening, &bounds, b"", rng).expect("it lies between");
    group.bench_function("prove", |b| b.iter(|| black_box(range::prove(&opening, &bounds, b"", rng))));
    group
        .bench_function("verify", |b| b.iter(|| black_box(range::verify(&commitment, &bounds, b"", &proof))));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = conversion, range_proofs
}
criterion_main!(benches);
