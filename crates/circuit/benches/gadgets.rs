//! What the gadgets cost besides their ANDs: hash functions, AES and the statements of `volery bench` on a
//! backend whose XOR is that of a proof system (16 bytes) and whose AND costs next to nothing.
//!
//! Throughput is in ANDs: its inverse is the overhead of an AND, to be added to what a proof system takes for
//! it.

#![allow(missing_docs, reason = "criterion's macros make a public function")]
#![allow(clippy::expect_used, reason = "nothing fails on this backend")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use volery_circuit::gadgets::{Aes128, Compression, Hasher, Number, Sha1, Sha256, Sha512, WordOf};
use volery_circuit::statements::{Aes128Many, AndChain, Sha256Chain};
use volery_circuit::{Backend, Error, Hint, Ops, Prove, Statement};
use volery_field::F2;

/// A wire is 16 bytes, an AND a few instructions. ANDs are counted on request only: a counter that every AND
/// bumps would be a chain through memory slower than all the rest.
struct Trivial {
    counting: bool,
    ands: u64,
}

impl Trivial {
    fn new(counting: bool) -> Self {
        Self { counting, ands: 0 }
    }
}

impl Backend for Trivial {
    type Error = Error;
}

impl Ops<F2> for Trivial {
    type Wire = u128;

    #[inline]
    fn constant(&mut self, c: F2) -> u128 {
        u128::from(c.to_bool())
    }

    #[inline]
    fn add(&mut self, x: &u128, y: &u128) -> u128 {
        x ^ y
    }

    #[inline]
    fn sub(&mut self, x: &u128, y: &u128) -> u128 {
        x ^ y
    }

    #[inline]
    fn add_constant(&mut self, x: &u128, c: F2) -> u128 {
        x ^ u128::from(c.to_bool())
    }

    #[inline]
    fn scale(&mut self, x: &u128, c: F2) -> u128 {
        if c.to_bool() { *x } else { 0 }
    }

    #[inline]
    fn mul(&mut self, x: &u128, y: &u128) -> Result<u128, Error> {
        if self.counting {
            self.ands += 1;
        }
        Ok((x & y) ^ x.rotate_left(64))
    }
}

impl Prove<F2> for Trivial {
    fn secret(&mut self, n: usize, _hint: Hint<'_, F2, u128>) -> Result<Vec<u128>, Error> {
        Ok((0..n as u128).map(|i| i.wrapping_mul(SPREAD)).collect())
    }

    fn assert_zero(&mut self, x: &[u128]) -> Result<(), Error> {
        black_box(x);
        Ok(())
    }
}

const SPREAD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// Benchmarks `run` and states its throughput in ANDs.
fn measure<T>(criterion: &mut Criterion, name: &str, mut run: impl FnMut(&mut Trivial) -> T) {
    let mut counted = Trivial::new(true);
    run(&mut counted);
    let mut group = criterion.benchmark_group("gadgets");
    group.throughput(Throughput::Elements(counted.ands));
    group.bench_function(name, |bencher| {
        let mut backend = Trivial::new(false);
        bencher.iter(|| black_box(run(&mut backend)));
    });
    group.finish();
}

fn wires<const N: usize>(first: u128) -> [u128; N] {
    core::array::from_fn(|i| (first + i as u128).wrapping_mul(SPREAD))
}

fn compression<H: Compression>(criterion: &mut Criterion) {
    let word = |t: usize| H::Number::word(|i| (t as u128 + i as u128).wrapping_mul(SPREAD));
    let block: [WordOf<H, u128>; 16] = core::array::from_fn(word);
    let bits: Vec<u128> = block.iter().flat_map(AsRef::as_ref).copied().collect();
    let state: Vec<WordOf<H, u128>> = (0..H::INITIAL.len()).map(|t| word(100 + t)).collect();
    measure(criterion, &format!("{}/compress", H::NAME), |b| {
        let mut state = state.clone();
        H::compress(b, &mut state, black_box(&block)).expect("never fails");
        state
    });
    measure(criterion, &format!("{}/first block", H::NAME), |b| {
        let mut hasher = Hasher::<H, u128>::new();
        hasher.update(b, black_box(&bits)).expect("never fails");
        hasher
    });
    measure(criterion, &format!("{}/32 bytes", H::NAME), |b| {
        let mut hasher = Hasher::<H, u128>::new();
        hasher.update(b, black_box(&bits[..256])).expect("never fails");
        hasher.finish(b).expect("never fails")
    });
}

fn aes128(criterion: &mut Criterion) {
    let (key, block): ([u128; 128], [u128; 128]) = (wires(1), wires(2));
    let schedule = Aes128::new(&mut Trivial::new(false), &key).expect("never fails");
    measure(criterion, "aes128/key schedule", |b| Aes128::new(b, black_box(&key)).expect("never fails"));
    measure(criterion, "aes128/block", |b| schedule.encrypt(b, black_box(&block)).expect("never fails"));
}

fn statement(criterion: &mut Criterion, name: &str, statement: &impl Statement<Trivial>) {
    measure(criterion, name, |b| statement.run(b).expect("never fails"));
}

fn all(criterion: &mut Criterion) {
    statement(criterion, "and chain of 2^20", &AndChain::new(1 << 20));
    statement(criterion, "sha256 chain of 50", &Sha256Chain::new(50).expect("few enough"));
    statement(criterion, "aes128 many, 200", &Aes128Many::new(200));
    compression::<Sha256>(criterion);
    compression::<Sha512>(criterion);
    compression::<Sha1>(criterion);
    aes128(criterion);
}

criterion_group!(benches, all);
criterion_main!(benches);
