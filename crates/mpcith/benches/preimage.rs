//! Proofs of hash preimages, in this process and on one thread: both protocols at 80 and 128 bits.
//!
//! `compile` is what a statement costs before the first proof of it, `witness` its values; `prove` and
//! `verify` are all the rest.

#![allow(missing_docs, reason = "criterion's macros make a public function")]
#![allow(clippy::expect_used, reason = "an honest proof is accepted")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_circuit::statements::{Sha1Preimage, Sha256Preimage};
use volery_circuit::{Evaluator, Recorder, Statement};
use volery_field::F2;
use volery_mpcith::{Parameters, Program, Protocol, Settings, prove_program, verify_program};
use zeroize::Zeroizing;

/// One block of either function.
const MESSAGE: [u8; 32] = [0x5a; 32];

fn both(c: &mut Criterion) {
    let message = || Zeroizing::new(MESSAGE.to_vec());
    // Of 32 bytes 0x5a, by another implementation of both.
    let digest = [
        0x60, 0xbf, 0x07, 0xc4, 0x88, 0xaa, 0xd1, 0x8f, 0xda, 0x33, 0x9d, 0xf0, 0x7e, 0x4f, 0xbc, 0x47, 0xb4,
        0xf0, 0x0b, 0xe7, 0x17, 0x11, 0x93, 0x6f, 0x18, 0xd0, 0x4d, 0x35, 0x2a, 0xd0, 0x18, 0x90,
    ];
    let sha256 = Sha256Preimage::new(digest, 32).and_then(|s| s.with_message(message()));
    measure(c, "sha256", &sha256.expect("fits"));
    let sha1 = Sha1Preimage::new(
        [
            0x8e, 0x0d, 0x9d, 0xee, 0xb8, 0x9a, 0x02, 0x2d, 0x63, 0x75, 0xdb, 0x08, 0xc3, 0xe0, 0x0c, 0xa0,
            0x86, 0x39, 0x83, 0xf9,
        ],
        32,
    )
    .and_then(|s| s.with_message(message()));
    measure(c, "sha1", &sha1.expect("fits"));
}

fn measure<S>(c: &mut Criterion, name: &str, statement: &S)
where
    S: Statement<Recorder<F2>> + Statement<Evaluator<F2>>,
{
    let mut group = c.benchmark_group(name);
    group.bench_function("compile", |b| {
        b.iter(|| Program::<F2>::new(black_box(statement)).expect("compiles"))
    });
    group.bench_function("witness", |b| {
        b.iter(|| Program::<F2>::witness(black_box(statement)).expect("holds"))
    });
    let program = Program::<F2>::new(statement).expect("compiles");
    let witness = Program::witness(statement).expect("holds");
    let mut rng = ChaCha20Rng::from_seed([1; 32]);
    for protocol in [Protocol::Zkboo, Protocol::Zkbpp] {
        for sigma in [80, 128] {
            let parameters = Parameters::new(sigma).expect("in range");
            let settings = Settings { protocol, parameters, ..Settings::default() };
            let proof = prove_program(&program, &witness, settings, &mut rng).expect("proves");
            println!("{name}, {protocol}, sigma = {sigma}: {} bytes", proof.len());
            group.bench_function(format!("prove/{protocol}/{sigma}"), |b| {
                b.iter(|| prove_program(&program, &witness, settings, &mut rng).expect("proves"));
            });
            group.bench_function(format!("verify/{protocol}/{sigma}"), |b| {
                b.iter(|| verify_program(&program, black_box(&proof), parameters.into()).expect("accepted"));
            });
        }
    }
}

criterion_group!(benches, both);
criterion_main!(benches);
