//! Transposing 128 rows of bits into elements, on vectors of any width.
//!
//! A block has 128 columns for each lane. Its 128 rows are processed in groups of 8. Within a group, three
//! rounds of swaps (as in a transposition by halves) turn every 8 by 8 bits, one byte of each row: byte `k`
//! of vector `i` then has the group's bits of column `8 k + i`. For each `i` there are now 16 vectors, one
//! for each group, and their bytes `k` make up column `8 k + i`. What remains is a transposition of 16 by 16
//! bytes. Number each byte by the bits of its vector's number followed by those of its position in the
//! vector. Interleaving vectors `g` and `g + 8` into `2 g` and `2 g + 1` rotates that number by one bit. Four
//! rounds swap vector and place.

use super::Gf128;
use super::vector::Simd;

/// See [`Kernel::transpose`](super::Kernel::transpose).
#[inline(always)]
pub(super) fn transpose<const N: usize, S: Simd<N>>(s: S, rows: &[u8], stride: usize, out: &mut [Gf128]) {
    let (squares, rest) = out.as_chunks_mut::<128>();
    let (blocks, squares) = squares.as_chunks_mut::<N>();
    let mut offset = 0;
    for out in blocks {
        transpose_block(s, rows.get(offset..).unwrap_or_default(), stride, out);
        offset += 16 * N;
    }
    if !squares.is_empty() || !rest.is_empty() {
        // The rest of the rows, padded with zeros to a whole block.
        let (mut last_rows, mut last) = ([[[0; 16]; N]; 128], [[Gf128::ZERO; 128]; N]);
        for (to, from) in last_rows.iter_mut().zip(rows.chunks(stride.max(1))) {
            let from = from.iter().skip(offset);
            to.as_flattened_mut().iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        }
        transpose_block(s, last_rows.as_flattened().as_flattened(), 16 * N, &mut last);
        let out = squares.as_flattened_mut().iter_mut().chain(rest);
        out.zip(last.as_flattened()).for_each(|(out, element)| *out = *element);
    }
}

/// Transposes `128 * N` columns: those in the first `16 * N` bytes from every multiple of `stride` in `rows`.
#[inline(always)]
pub(super) fn transpose_block<const N: usize, S: Simd<N>>(
    s: S,
    rows: &[u8],
    stride: usize,
    out: &mut [[Gf128; 128]; N],
) {
    let mut turned = [[s.splat(Gf128::ZERO); 16]; 8];
    for group in 0..16 {
        let rows = rows.get(8 * group * stride..).unwrap_or_default();
        let row = |i: usize| {
            let row = rows.get(i * stride..).unwrap_or_default();
            s.load_bytes(row.as_chunks::<16>().0.first_chunk::<N>().unwrap_or(&[[0; 16]; N]))
        };
        let mut vectors = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
        swap_bits::<1, N, S>(s, &mut vectors, 0x55);
        swap_bits::<2, N, S>(s, &mut vectors, 0x33);
        swap_bits::<4, N, S>(s, &mut vectors, 0x0f);
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

/// One round of transposing 8 by 8 bits: swaps the off-diagonal squares of `SIZE` bits. `mask` has the bits
/// of a byte whose number lacks `SIZE`.
#[inline(always)]
fn swap_bits<const SIZE: usize, const N: usize, S: Simd<N>>(s: S, rows: &mut [S::V; 8], mask: u8) {
    let mask = s.splat(Gf128::from_bytes([mask; 16]));
    for pair in 0..4 {
        // The numbers below 8 that lack the bit SIZE.
        let top = pair % SIZE + pair / SIZE * 2 * SIZE;
        let swap = s.and(s.xor(s.shift_right(rows[top], SIZE as i64), rows[top + SIZE]), mask);
        rows[top] = s.xor(rows[top], s.shift_left(swap, SIZE as i64));
        rows[top + SIZE] = s.xor(rows[top + SIZE], swap);
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
