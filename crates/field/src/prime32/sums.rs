//! Sums of products of 32-bit integers, in lanes: the loops behind public linear combinations.
//!
//! A product has 64 bits; its halves are added up apart, `2^32` of them without overflow. The loop is written once. AVX2 has
//! a multiplication of four lanes and the compiler uses it, so on x86-64 the same loop is compiled once more for CPUs that have it.

use super::{F32, LOW};

/// Both halves of sums of products: of up to `2^32` of them.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    low: u64,
    high: u64,
}

impl Halves {
    /// The sum's class.
    #[inline(always)]
    pub(super) fn reduce(self) -> F32 {
        F32::from_u128((u128::from(self.high) << 32) + u128::from(self.low))
    }
}

/// For each lane `j` the sum of `a_i b_ij`; `a` has at most `2^32` entries.
pub(super) fn products<T, const N: usize>(
    a: &[F32],
    b: &[T],
    lanes: impl Fn(&T) -> &[F32; N],
) -> [Halves; N] {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has AVX2.
        return unsafe { products_avx2(a, b, lanes) };
    }
    portable(a, b, lanes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn products_avx2<T, const N: usize>(a: &[F32], b: &[T], lanes: impl Fn(&T) -> &[F32; N]) -> [Halves; N] {
    portable(a, b, lanes)
}

#[inline(always)]
fn portable<T, const N: usize>(a: &[F32], b: &[T], lanes: impl Fn(&T) -> &[F32; N]) -> [Halves; N] {
    let (mut low, mut high) = ([0_u64; N], [0_u64; N]);
    for (a, b) in a.iter().zip(b) {
        let b = lanes(b);
        for j in 0..N {
            let product = u64::from(a.0) * u64::from(b[j].0);
            low[j] += product & LOW;
            high[j] += product >> 32;
        }
    }
    core::array::from_fn(|j| Halves { low: low[j], high: high[j] })
}

/// The sum of `a_i b_i`, lane by lane first.
pub(super) fn dot(a: &[F32], b: &[F32]) -> F32 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has AVX2.
        return unsafe { dot_avx2(a, b) };
    }
    dot_portable(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_avx2(a: &[F32], b: &[F32]) -> F32 {
    dot_portable(a, b)
}

#[inline(always)]
fn dot_portable(a: &[F32], b: &[F32]) -> F32 {
    const LANES: usize = 8;
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let (mut low, mut high) = ([0_u64; LANES], [0_u64; LANES]);
    for (a, b) in a.iter().zip(b) {
        for j in 0..LANES {
            let product = u64::from(a[j].0) * u64::from(b[j].0);
            low[j] += product & LOW;
            high[j] += product >> 32;
        }
    }
    let wide = |sums: [u64; LANES]| sums.iter().fold(0_u128, |sum, lane| sum + u128::from(*lane));
    let rest = a_rest.iter().zip(b_rest).fold(F32(0), |sum, (a, b)| sum + *a * *b);
    F32::from_u128((wide(high) << 32) + wide(low)) + rest
}

#[cfg(test)]
mod tests {
    use super::super::P;
    use super::*;

    #[test]
    fn vector_loops_agree_with_the_portable_ones_on_extreme_and_other_entries() {
        for n in [0_usize, 1, 3, 7, 8, 9, 100, 2048] {
            for step in [0_u32, 1, 0x9e37_79b9] {
                let entry = |i: usize| F32((i as u32).wrapping_mul(step).wrapping_sub(1) % P);
                let a: Vec<F32> = (0..n).map(entry).collect();
                let b: Vec<[F32; 4]> = (0..n).map(|i| [0, 1, 2, 3].map(|j| entry(7 * i + j))).collect();
                let lanes = products(&a, &b, |b| b).map(Halves::reduce);
                assert!(lanes == portable(&a, &b, |b| b).map(Halves::reduce), "{n} {step}");
                for (j, lane) in lanes.into_iter().enumerate() {
                    let b: Vec<F32> = b.iter().map(|b| b[j]).collect();
                    let plain = a.iter().zip(&b).fold(F32(0), |sum, (a, b)| sum + *a * *b);
                    assert!(
                        lane == plain && dot(&a, &b) == plain && dot_portable(&a, &b) == plain,
                        "{n} {step}"
                    );
                }
            }
        }
    }
}
