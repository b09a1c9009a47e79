//! Every vector function of GF(2^128) on every instruction set of this CPU, in elements a second.
//!
//! `cargo bench -p volery-field`; name a function or a level to run less, e.g. `-- check_prover` or
//! `-- vpclmul256`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use volery_field::gf128::{Gf128, Kernel, RUN};
use volery_field::{Field, LengthError};

/// Elements in a vector: four vectors fill half of a 512 KB second-level cache, as blocks of a protocol do.
const N: usize = 4096;

/// Reproducible, dense elements.
fn elements(seed: u128) -> Vec<Gf128> {
    let mut powers = vec![Gf128::ZERO; N];
    Kernel::detect().powers(Gf128::from_bits(0x1234_5678_9abc_def0_0fed_cba9_8765_4321 ^ seed), &mut powers);
    powers
}

fn kernels(criterion: &mut Criterion) {
    let [chi, a, b, c] = [1, 2, 3, 4].map(elements);
    let bits: Vec<u64> = a.iter().take(N / 64).map(|a| a.to_bits() as u64).collect();
    let rows: Vec<u8> = a.iter().chain(&b).flat_map(|a| a.to_bytes()).take(128 * N / 8).collect();
    let mut out = vec![Gf128::ZERO; N];

    type Run<'a> = &'a mut dyn FnMut(Kernel) -> Result<(), LengthError>;
    let mut run = |name: &str, size: usize, function: Run<'_>| {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(size as u64));
        for kernel in Kernel::available() {
            group.bench_function(BenchmarkId::from_parameter(kernel.name()), |bencher| {
                bencher.iter(|| function(kernel));
            });
        }
        group.finish();
    };
    run("check_prover", N, &mut |k| {
        k.check_prover(&chi[..N / RUN], &a, &b, &c).map(|sums| {
            black_box(sums);
        })
    });
    run("check_verifier", N, &mut |k| {
        k.check_verifier(&chi[..N / RUN], &a, &b, &c).map(|sums| {
            black_box(sums);
        })
    });
    run("inner_product", N, &mut |k| {
        k.inner_product(&a, &b).map(|sum| {
            black_box(sum);
        })
    });
    run("inner_product_bits", N, &mut |k| {
        k.inner_product_bits(&a, &bits).map(|sum| {
            black_box(sum);
        })
    });
    run("pack", 128, &mut |k| {
        k.pack(&a[..128]).map(|sum| {
            black_box(sum);
        })
    });
    run("weigh_prover", N, &mut |k| {
        k.weigh_prover(&c[..N / RUN], &a).map(|sums| {
            black_box(sums);
        })
    });
    run("weigh_verifier", N, &mut |k| {
        k.weigh_verifier(&c[..N / RUN], &a).map(|sum| {
            black_box(sum);
        })
    });
    run("powers", N, &mut |k| {
        k.powers(a[0], black_box(&mut out));
        Ok(())
    });
    run("mul_slices", N, &mut |k| k.mul_slices(&a, &b, black_box(&mut out)));
    run("scale_add", N, &mut |k| k.scale_add(a[0], &b, black_box(&mut out)));
    run("transpose", N, &mut |k| k.transpose(&rows, N / 8, black_box(&mut out)));
}

/// The operators: each works on the last result, so this is latency.
fn operators(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("operator");
    let b = elements(1)[0];
    let mut a = b;
    group.bench_function("mul", |bencher| {
        bencher.iter(|| {
            a *= black_box(b);
            a
        });
    });
    group.bench_function("square", |bencher| {
        bencher.iter(|| {
            a = black_box(a).square();
            a
        });
    });
    group.bench_function("inverse", |bencher| bencher.iter(|| black_box(b).inverse()));
    group.finish();
}

criterion_group!(benches, kernels, operators);
criterion_main!(benches);
