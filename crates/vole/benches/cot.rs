//! What a random correlation costs, stage by stage: expansion of trees, rows of the local code, the stream of
//! positions and coefficients. The sums of the check are measured with the kernels of `volery-field`.

#![allow(missing_docs, reason = "criterion's macros make a public function")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use volery_field::Gf128;
use volery_vole::Prg;
use volery_vole::bench::{Rows, Tree, ctr};

fn stages(c: &mut Criterion) {
    let mut group = c.benchmark_group("tree, a leaf");
    for height in [10, 12] {
        group.throughput(Throughput::Elements(1 << height));
        let mut tree = Tree::new(height);
        group.bench_function(BenchmarkId::new("verifier", height), |b| b.iter(|| black_box(tree.full())));
        group.bench_function(BenchmarkId::new("prover", height), |b| b.iter(|| black_box(tree.punctured())));
    }
    group.finish();

    let mut group = c.benchmark_group("local code, a row");
    group.throughput(Throughput::Elements(1024));
    for log_k in [14, 15, 16, 17, 18, 19] {
        let mut rows = Rows::new(log_k);
        group.bench_function(BenchmarkId::from_parameter(log_k), |b| b.iter(|| black_box(rows.add())));
    }
    group.finish();

    let mut group = c.benchmark_group("aes counter mode, a block");
    group.throughput(Throughput::Elements(1024));
    let (mut prg, mut out) = (Prg::new([3; 16]), vec![Gf128::ZERO; 1024]);
    group.bench_function("1024", |b| b.iter(|| ctr(&mut prg, black_box(&mut out))));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = stages
}
criterion_main!(benches);
