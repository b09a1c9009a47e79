//! The additions of the inner loop, on 256-bit registers if the CPU has them.

use volery_field::Gf128;

/// `sum += leaf; column += sum`, over the shortest of the three lengths.
pub(super) fn accumulate(leaf: &[Gf128], sum: &mut [Gf128], column: &mut [Gf128]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has AVX2.
        return unsafe { avx2(leaf, sum, column) };
    }
    portable(leaf, sum, column);
}

fn portable(leaf: &[Gf128], sum: &mut [Gf128], column: &mut [Gf128]) {
    for (leaf, (sum, column)) in leaf.iter().zip(sum.iter_mut().zip(column)) {
        *sum += *leaf;
        *column += *sum;
    }
}

/// Compilers do not merge 128-bit integers into wider registers on their own.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(leaf: &[Gf128], sum: &mut [Gf128], column: &mut [Gf128]) {
    use std::arch::x86_64::{_mm256_loadu_si256, _mm256_storeu_si256, _mm256_xor_si256};
    let pairs = leaf.as_chunks::<2>().0.iter();
    let targets = sum.as_chunks_mut::<2>().0.iter_mut().zip(column.as_chunks_mut::<2>().0);
    for (leaf, (sum, column)) in pairs.zip(targets) {
        let (leaf, sum, column) =
            ((&raw const *leaf).cast(), (&raw mut *sum).cast(), (&raw mut *column).cast());
        // SAFETY: each pointer is to two blocks of 16 bytes without padding (`Gf128` is a transparent
        // `u128`); the accesses are unaligned, and `sum` and `column` are exclusive borrows of different
        // slices.
        unsafe {
            let s = _mm256_xor_si256(_mm256_loadu_si256(leaf), _mm256_loadu_si256(sum));
            _mm256_storeu_si256(sum, s);
            _mm256_storeu_si256(column, _mm256_xor_si256(_mm256_loadu_si256(column), s));
        }
    }
    let n = leaf.len().min(sum.len()).min(column.len()) & !1;
    portable(&leaf[n..], &mut sum[n..], &mut column[n..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;

    #[test]
    fn the_kernel_agrees_with_portable_on_all_lengths_and_writes_no_further() {
        for n in 0..20 {
            for (short, long) in [(0, 0), (1, 0), (0, 1), (2, 3)] {
                let make = |key: u8, n: usize| {
                    let mut v = vec![Gf128::ZERO; n];
                    Aes::new([key; 16]).ctr(0, &mut v);
                    v
                };
                let (leaf, sum, column) = (make(1, n + long), make(2, n), make(3, n + short));
                let (mut s, mut c) = (sum.clone(), column.clone());
                let (mut want_s, mut want_c) = (sum.clone(), column.clone());
                accumulate(&leaf, &mut s, &mut c);
                portable(&leaf, &mut want_s, &mut want_c);
                assert!(s == want_s && c == want_c);
                for i in 0..n {
                    assert!(s[i] == sum[i] + leaf[i] && c[i] == column[i] + s[i]);
                }
                assert!(c[n..] == column[n..]);
            }
        }
    }
}
