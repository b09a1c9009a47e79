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
    let (squares, rest) = out.as_chunks_mut::<128>();
    let (blocks, squares) = squares.as_chunks_mut::<N>();
    let whole = blocks.len();
    for (block, out) in blocks.iter_mut().enumerate() {
        transpose_block(s, rows, stride, 16 * N * block, out);
    }
    if !squares.is_empty() || !rest.is_empty() {
        let mut last = [[Gf128::ZERO; 128]; N];
        transpose_block(s, rows, stride, 16 * N * whole, &mut last);
        let out = squares.as_flattened_mut().iter_mut().chain(rest);
        out.zip(last.as_flattened()).for_each(|(out, element)| *out = *element);
    }
}

/// The `128 * N` columns whose first is bit 0 of byte `offset` of each row; zeros past the rows' end.
#[inline(always)]
fn transpose_block<const N: usize, S: Simd<N>>(
    s: S,
    rows: &[u8],
    stride: usize,
    offset: usize,
    out: &mut [[Gf128; 128]; N],
) {
    let zero = s.splat(Gf128::ZERO);
    let mut turned = [[zero; 16]; 8];
    for (group, rows) in rows.chunks_exact((8 * stride).max(1)).take(16).enumerate() {
        let mut vectors = [zero; 8];
        for (vector, row) in vectors.iter_mut().zip(rows.chunks_exact(stride)) {
            *vector = s.load_bytes(&bytes_at(row, offset));
        }
        turn_bytes(s, &mut vectors);
        for (turned, vector) in turned.iter_mut().zip(vectors) {
            turned[group] = vector;
        }
    }
    for (i, groups) in turned.iter().enumerate() {
        for (k, column) in transpose_bytes(s, *groups).into_iter().enumerate() {
            let mut lanes = [Gf128::ZERO; N];
            s.store(column, &mut lanes);
            for (out, lane) in out.iter_mut().zip(lanes) {
                out[8 * k + i] = lane;
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
        let mut next = v;
        for i in 0..8 {
            next[2 * i] = s.interleave_low(v[i], v[i + 8]);
            next[2 * i + 1] = s.interleave_high(v[i], v[i + 8]);
        }
        v = next;
    }
    v
}
