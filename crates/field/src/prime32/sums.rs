//! Sums of products of 32-bit integers, in lanes: the inner loops of public linear combinations.
//!
//! A product has 64 bits. Its halves are summed separately, `2^32` of them without overflow. The loop is
//! written once. AVX2 multiplies in four lanes, and the compiler uses that, so on x86-64 the same loop is
//! compiled a second time for CPUs with AVX2.

use super::{F32, F32x4, LOW};

/// Both halves of a sum of up to `2^32` products.
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

/// For each row `a` and each coefficient `l`, the sum of `a_j b_jl`. Rows have the length of `b`, at most
/// `2^32`.
pub(super) fn rows<const R: usize>(a: [&[F32]; R], b: &[F32x4]) -> [[Halves; 4]; R] {
    #[cfg(target_arch = "x86_64")]
    if crate::detected!("avx2") && a.iter().all(|a| a.len() == b.len()) {
        // SAFETY: the CPU has AVX2, and rows are as long as `b`.
        return unsafe { rows_avx2(a, b) };
    }
    rows_portable(a, b)
}

fn rows_portable<const R: usize>(a: [&[F32]; R], b: &[F32x4]) -> [[Halves; 4]; R] {
    a.map(|a| {
        let mut sums = [Halves { low: 0, high: 0 }; 4];
        for (a, b) in a.iter().zip(b) {
            for (sum, b) in sums.iter_mut().zip(b.coefficients()) {
                let product = u64::from(a.0) * u64::from(b.0);
                sum.low += product & LOW;
                sum.high += product >> 32;
            }
        }
        sums
    })
}

/// The four coefficients in the four lanes of a register.
///
/// # Safety
/// The CPU has AVX2, and every row is as long as `b`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn rows_avx2<const R: usize>(a: [&[F32]; R], b: &[F32x4]) -> [[Halves; 4]; R] {
    use core::arch::x86_64::{
        __m256i, _mm_loadu_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_cvtepu32_epi64,
        _mm256_mul_epu32, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_srli_epi64,
        _mm256_storeu_si256,
    };
    let mask = _mm256_set1_epi64x(LOW as i64);
    let mut sums = [[_mm256_setzero_si256(); 2]; R];
    for (j, b) in b.iter().enumerate() {
        // SAFETY: a reference to four words of 32 bits.
        let b = _mm256_cvtepu32_epi64(unsafe { _mm_loadu_si128(core::ptr::from_ref(b).cast()) });
        for (sums, a) in sums.iter_mut().zip(a) {
            // SAFETY: `a` is as long as `b`.
            let a = _mm256_set1_epi32(unsafe { a.get_unchecked(j) }.0 as i32);
            // Only the low half of each lane is multiplied.
            let product = _mm256_mul_epu32(a, b);
            sums[0] = _mm256_add_epi64(sums[0], _mm256_and_si256(product, mask));
            sums[1] = _mm256_add_epi64(sums[1], _mm256_srli_epi64::<32>(product));
        }
    }
    let lanes = |sum: __m256i| {
        let mut lanes = [0_u64; 4];
        // SAFETY: room for four words of 64 bits.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sum) };
        lanes
    };
    sums.map(|[low, high]| {
        let (low, high) = (lanes(low), lanes(high));
        core::array::from_fn(|l| Halves { low: low[l], high: high[l] })
    })
}

/// The sum of `a_i b_i`, computed lane by lane.
pub(super) fn dot(a: &[F32], b: &[F32]) -> F32 {
    #[cfg(target_arch = "x86_64")]
    if crate::detected!("avx2") {
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
    let total = |sums: [u64; LANES]| sums.iter().fold(0_u128, |sum, lane| sum + u128::from(*lane));
    let rest = a_rest.iter().zip(b_rest).fold(F32(0), |sum, (a, b)| sum + *a * *b);
    F32::from_u128((total(high) << 32) + total(low)) + rest
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
                let b: Vec<F32x4> =
                    (0..n).map(|i| F32x4::new([0, 1, 2, 3].map(|j| entry(7 * i + j)))).collect();
                let reversed: Vec<F32> = a.iter().rev().copied().collect();
                let reduce = |row: [Halves; 4]| row.map(Halves::reduce);
                let [one] = rows([&a], &b).map(reduce);
                let four = rows([&a, &reversed, &a, &a[..]], &b).map(reduce);
                assert!(four == rows_portable([&a, &reversed, &a, &a[..]], &b).map(reduce), "{n} {step}");
                assert!(four[0] == one && four[2] == one && four[3] == one, "{n} {step}");
                for (j, lane) in one.into_iter().enumerate() {
                    let b: Vec<F32> = b.iter().map(|b| b.coefficients()[j]).collect();
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
