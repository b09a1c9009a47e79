//! Every kernel of MACs on every pair of fields, and the operators and the packing of the MAC field, in
//! elements a second.
//!
//! `cargo bench -p volery-field --bench mac`; name a field or a function to run less, e.g. `-- F61` or
//! `-- dot_prover`. A field's name is that of its MACs, so `F61[i]` are values in F61 under MACs in its
//! extension.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use volery_field::{
    Authenticated, Bn254Scalar, F32, F32x4, F61, F61x2, Gf128, Gf256, Goldilocks, GoldilocksX2, LengthError,
    Mac, P256Base, PackingError, PallasBase, Value, pack_elements, unpack_elements,
};

/// Elements in a vector.
const N: usize = 4096;

/// Reproducible, dense elements: SplitMix64's outputs (Steele, Lea and Flood) as blocks.
fn elements<E: volery_field::Element>(seed: u64) -> Vec<E> {
    let mut state = seed;
    let mut word = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u128::from(z ^ (z >> 31))
    };
    let mut blocks = || -> Vec<u128> { (0..E::BLOCKS).map(|_| word() << 64 | word()).collect() };
    (0..N).map(|_| E::from_blocks(&blocks())).collect()
}

/// Lets the compiler believe that a result is used.
fn keep<T>(result: T) {
    black_box(result);
}

/// Benches one pair of fields.
fn pair<F: Value, M: Mac<F>>(criterion: &mut Criterion) {
    let authenticated = |seed| -> Vec<Authenticated<F, M>> {
        let (x, m) = (elements(seed), elements(seed + 10));
        x.into_iter().zip(m).map(|(x, m)| Authenticated { x, m }).collect()
    };
    let [a, b, c] = [1, 2, 3].map(authenticated);
    let [ka, kb, kc, chi] = [4, 5, 6, 7].map(elements::<M>);
    let (mut keys, mut sums) = (kc.clone(), vec![[M::ZERO; 2]; N]);
    let mut message = Vec::new();
    pack_elements(&ka, &mut message);
    let packed = message.clone();

    let mut group = criterion.benchmark_group(M::NAME);
    group.throughput(Throughput::Elements(N as u64));
    let mut run = |name: &str, function: &mut dyn FnMut() -> Result<(), LengthError>| {
        group.bench_function(name, |bencher| bencher.iter(&mut *function));
    };
    run("mul", &mut || {
        keys.iter_mut().zip(&ka).zip(&kb).for_each(|((out, a), b)| *out = *a * *b);
        black_box(&mut keys);
        Ok(())
    });
    run("add", &mut || {
        keys.iter_mut().zip(&ka).zip(&kb).for_each(|((out, a), b)| *out = *a + *b);
        black_box(&mut keys);
        Ok(())
    });
    run("inner_product", &mut || M::inner_product(&ka, &kb).map(keep));
    run("dot_prover", &mut || M::dot_prover(&a, &b).map(keep));
    run("check_prover", &mut || M::check_prover(&a, &b, &c, &chi).map(keep));
    run("check_verifier", &mut || M::check_verifier(&ka, &kb, &kc, &chi).map(keep));
    run("combine_prover", &mut || M::combine_prover(&a, &chi).map(keep));
    let (mut z, mut masked, [mut a_0, mut a_1]) = (c.clone(), elements::<F>(8), [9, 10].map(elements::<M>));
    run("multiply_prover", &mut || {
        M::multiply_prover(&a, &b, &c, black_box(&mut z), &mut masked, [&mut a_0, &mut a_1])
    });
    run("multiply_verifier", &mut || {
        M::multiply_verifier([&ka, &kb, &kc], &masked, chi[0], black_box(&mut a_0), &mut a_1)
    });
    run("relate_prover", &mut || M::relate_prover(&a, &b, &c, [black_box(&mut a_0), &mut a_1]).map(keep));
    run("relate_verifier", &mut || M::relate_verifier([&ka, &kb, &kc], chi[0], black_box(&mut a_0)));
    run("accumulate_prover", &mut || M::accumulate_prover(black_box(&mut sums), &a, chi[0]));
    run("accumulate_verifier", &mut || M::accumulate_verifier(black_box(&mut keys), &ka, chi[0]));
    run("pack_elements", &mut || {
        message.clear();
        pack_elements(&ka, black_box(&mut message));
        Ok(())
    });
    group.bench_function("unpack_elements", |bencher| {
        bencher.iter(|| -> Result<Vec<M>, PackingError> { unpack_elements(&packed, N) });
    });
    group.finish();
}

fn inverse(criterion: &mut Criterion) {
    let x = elements::<Bn254Scalar>(1)[0];
    criterion.bench_function("BN254 scalars/inverse", |bencher| {
        bencher.iter(|| volery_field::Field::inverse(black_box(x)));
    });
}

criterion_group!(
    benches,
    pair::<F61, F61>,
    pair::<F61, F61x2>,
    pair::<Goldilocks, Goldilocks>,
    pair::<Goldilocks, GoldilocksX2>,
    pair::<F32, F32x4>,
    pair::<Gf256, Gf128>,
    pair::<Bn254Scalar, Bn254Scalar>,
    pair::<PallasBase, PallasBase>,
    pair::<P256Base, P256Base>,
    inverse
);
criterion_main!(benches);
