//! The additions of the inner loop, on 256-bit registers if the CPU has them.
//!
//! Four leaves are added at once, `l_0` to `l_3` in the order of the Gray code. Of the bits that flip after
//! them, the first and the third are bit 0, and the second is bit 1. So with the running sum `a` and the
//! column `v_f` of the bit that flips last, they change
//!
//! ```text
//! v_0 += l_1 + l_2      v_1 += a + l_0 + l_1      a += l_0 + l_1 + l_2 + l_3      v_f += a
//! ```
//!
//! which is one store for each leaf, where leaf by leaf there are two.

use volery_field::Gf128;

/// The leaves that are added at once.
pub(super) const AT_ONCE: usize = 4;

/// Adds four leaves, one after the other in `leaves`, to the running sum and to three columns, as long as it.
pub(super) fn accumulate(leaves: &[Gf128], sum: &mut [Gf128], columns: [&mut [Gf128]; 3]) {
    let length = sum.len();
    let (first, rest) = leaves.split_at(length.min(leaves.len()));
    let (second, rest) = rest.split_at(length.min(rest.len()));
    let (third, fourth) = rest.split_at(length.min(rest.len()));
    let leaves = [first, second, third, fourth];
    #[cfg(target_arch = "x86_64")]
    if volery_field::detected!("avx2") {
        // SAFETY: the CPU has AVX2.
        return unsafe { avx2(leaves, sum, columns) };
    }
    portable(leaves, sum, columns);
}

/// Over the shortest of the lengths.
fn portable(leaves: [&[Gf128]; 4], sum: &mut [Gf128], columns: [&mut [Gf128]; 3]) {
    let ([l_0, l_1, l_2, l_3], [v_0, v_1, v_f]) = (leaves, columns);
    let leaves = l_0.iter().zip(l_1).zip(l_2.iter().zip(l_3));
    let columns = v_0.iter_mut().zip(v_1).zip(v_f);
    for ((a, ((l_0, l_1), (l_2, l_3))), ((v_0, v_1), v_f)) in sum.iter_mut().zip(leaves).zip(columns) {
        let second = *a + *l_0 + *l_1;
        *v_0 += *l_1 + *l_2;
        *v_1 += second;
        *a = second + *l_2 + *l_3;
        *v_f += *a;
    }
}

/// Compilers do not merge 128-bit integers into wider registers on their own.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(leaves: [&[Gf128]; 4], sum: &mut [Gf128], columns: [&mut [Gf128]; 3]) {
    use std::arch::x86_64::{__m256i, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_xor_si256};

    /// # Safety
    /// Two blocks can be read from `from`.
    #[target_feature(enable = "avx2")]
    unsafe fn load(from: *const Gf128) -> __m256i {
        // SAFETY: `Gf128` is a transparent `u128`, so these are 32 bytes. The access is unaligned.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    /// # Safety
    /// Two blocks can be written from `to` on.
    #[target_feature(enable = "avx2")]
    unsafe fn store(to: *mut Gf128, blocks: __m256i) {
        // SAFETY: as in `load`.
        unsafe { _mm256_storeu_si256(to.cast(), blocks) }
    }

    let least = leaves.iter().map(|leaf| leaf.len()).chain(columns.iter().map(|column| column.len()));
    let n = least.fold(sum.len(), usize::min);
    let ([l_0, l_1, l_2, l_3], [v_0, v_1, v_f]) = (leaves.map(<[_]>::as_ptr), columns);
    {
        let (a, [v_0, v_1, v_f]) =
            (sum.as_mut_ptr(), [&mut *v_0, &mut *v_1, &mut *v_f].map(<[_]>::as_mut_ptr));
        for i in (0..n & !1).step_by(2) {
            // SAFETY: `i + 2 <= n`, and no slice is shorter; the four that are written are exclusive borrows
            // of different slices.
            unsafe {
                let (l_1, l_2) = (load(l_1.add(i)), load(l_2.add(i)));
                let second = _mm256_xor_si256(load(a.add(i)), _mm256_xor_si256(load(l_0.add(i)), l_1));
                let all = _mm256_xor_si256(second, _mm256_xor_si256(l_2, load(l_3.add(i))));
                store(v_0.add(i), _mm256_xor_si256(load(v_0.add(i)), _mm256_xor_si256(l_1, l_2)));
                store(v_1.add(i), _mm256_xor_si256(load(v_1.add(i)), second));
                store(a.add(i), all);
                store(v_f.add(i), _mm256_xor_si256(load(v_f.add(i)), all));
            }
        }
    }
    let n = n & !1;
    portable(leaves.map(|leaf| &leaf[n..]), &mut sum[n..], [&mut v_0[n..], &mut v_1[n..], &mut v_f[n..]]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;

    fn make(key: u8, n: usize) -> Vec<Gf128> {
        let mut v = vec![Gf128::ZERO; n];
        Aes::new([key; 16]).ctr(0, &mut v);
        v
    }

    /// Leaf by leaf, with a column for each flip.
    fn plainly(leaves: &[Gf128], sum: &mut [Gf128], columns: &mut [Vec<Gf128>; 3]) {
        for (step, column) in [0, 1, 0, 2].into_iter().enumerate() {
            for (i, a) in sum.iter_mut().enumerate() {
                *a += leaves[step * columns[0].len() + i];
                columns[column][i] += *a;
            }
        }
    }

    #[test]
    fn the_kernel_and_the_portable_one_add_as_leaf_by_leaf_on_all_lengths() {
        for n in 0..20 {
            let (leaves, sum) = (make(1, 4 * n), make(2, n));
            let columns = [3, 4, 5].map(|key| make(key, n));
            let (mut want_sum, mut want) = (sum.clone(), columns.clone());
            plainly(&leaves, &mut want_sum, &mut want);
            let (mut s, mut c) = (sum.clone(), columns.clone());
            accumulate(&leaves, &mut s, c.each_mut().map(|column| &mut column[..]));
            assert!(s == want_sum && c == want, "{n}");
            let (mut s, mut c) = (sum, columns);
            let of = |i: usize| &leaves[i * n..][..n];
            portable([of(0), of(1), of(2), of(3)], &mut s, c.each_mut().map(|column| &mut column[..]));
            assert!(s == want_sum && c == want, "{n}");
        }
    }

    #[test]
    fn no_more_is_written_than_the_shortest_has() {
        for n in 0..6 {
            let mut sum = make(2, n);
            let [mut a, mut b, mut c] = [make(3, n + 1), make(4, n + 2), make(5, n + 3)];
            let before = [a.clone(), b.clone(), c.clone()];
            accumulate(&make(1, 4 * n), &mut sum, [&mut a, &mut b, &mut c]);
            for (after, before) in [a, b, c].iter().zip(before) {
                assert!(after[n..] == before[n..]);
            }
        }
    }
}
