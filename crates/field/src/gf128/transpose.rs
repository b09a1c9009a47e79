//! Transposing 128 rows of bits into elements, on vectors of any width.
//!
//! A block is 128 columns for each lane. Its 128 rows are taken in groups of 8. Within a group, three rounds of
//! swaps (as in a transposition by halves) turn every 8 by 8 bits, one byte of each row: byte `k` of vector `i` then
//! has the group's bits of column `8 k + i`. For each `i` there are now 16 vectors, one for each group, and
//! byte `k` of all of them makes up column `8 k + i`: a transposition of 16 by 16 bytes. Number a byte by the bits of its
//! vector, then the bits of its place there: interleaving vectors `g` and `g + 8` into `2 g` and `2 g + 1` rotates that
//! number by one bit. Four rounds swap vector and place.

use super::Gf128;
use super::vector::Simd;

/// See [`Kernel::transpose`](super::Kernel::transpose).
#[inline(always)]
pub(super) fn transpose<const N: usize, S: Simd<N>>(s: S, rows: &[u8], stride: usize, out: &mut [Gf128]) {
    let mut turned = [[s.splat(Gf128::ZERO); 16]; 8];
    for (block, out) in out.chunks_mut(128 * N).enumerate() {
        for (group, rows) in rows.chunks_exact((8 * stride).max(1)).take(16).enumerate() {
            let mut vectors = core::array::from_fn(|i| {
                let row = rows.get(i * stride..(i + 1) * stride).unwrap_or_default();
                s.load_bytes(&bytes_at(row, 16 * N * block))
            });
            turn_bytes(s, &mut vectors);
            for (turned, vector) in turned.iter_mut().zip(vectors) {
                turned[group] = vector;
            }
        }
        for (i, groups) in turned.iter().enumerate() {
            for (k, column) in transpose_bytes(s, *groups).into_iter().enumerate() {
                let mut lanes = [Gf128::ZERO; N];
                s.store(column, &mut lanes);
                for (lane, element) in lanes.into_iter().enumerate() {
                    if let Some(out) = out.get_mut(128 * lane + 8 * k + i) {
                        *out = element;
                    }
                }
            }
        }
    }
}

/// The `16 * N` bytes of `row` from `offset`; zeros past its end.
#[inline(always)]
fn bytes_at<const N: usize>(row: &[u8], offset: usize) -> [[u8; 16]; N] {
    let row = row.get(offset..).unwrap_or_default();
    match row.as_chunks::<16>().0.first_chunk::<N>() {
        Some(bytes) => *bytes,
        None => {
            let mut bytes = [[0; 16]; N];
            bytes.as_flattened_mut().iter_mut().zip(row).for_each(|(to, from)| *to = *from);
            bytes
        }
    }
}

/// Transposes the 8 by 8 bits in each byte of 8 vectors.
#[inline(always)]
fn turn_bytes<const N: usize, S: Simd<N>>(s: S, rows: &mut [S::V; 8]) {
    for (size, mask) in [(1, 0x55), (2, 0x33), (4, 0x0f)] {
        let mask = s.splat(Gf128::from_bytes([mask; 16]));
        for top in (0..8).filter(|row| row & size == 0) {
            let bits = size as i64;
            let swap = s.and(s.xor(s.shift_right(rows[top], bits), rows[top + size]), mask);
            rows[top] = s.xor(rows[top], s.shift_left(swap, bits));
            rows[top + size] = s.xor(rows[top + size], swap);
        }
    }
}

/// Transposes 16 by 16 bytes.
#[inline(always)]
fn transpose_bytes<const N: usize, S: Simd<N>>(s: S, mut v: [S::V; 16]) -> [S::V; 16] {
    for _ in 0..4 {
        v = core::array::from_fn(|i| match i % 2 {
            0 => s.interleave_low(v[i / 2], v[i / 2 + 8]),
            _ => s.interleave_high(v[i / 2], v[i / 2 + 8]),
        });
    }
    v
}
