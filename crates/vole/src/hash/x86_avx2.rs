//! Keyed BLAKE3 of eight inputs of one length at once: word `w` of input `i` is lane `i` of vector `w`.
//!
//! The functions are those of BLAKE3's specification (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020),
//! sections 2.1 to 2.5.

use core::arch::x86_64::*;

const CHUNK: usize = 1024;
const BLOCK: usize = 64;

const CHUNK_START: u32 = 1 << 0;
const CHUNK_END: u32 = 1 << 1;
const PARENT: u32 = 1 << 2;
const ROOT: u32 = 1 << 3;
const KEYED_HASH: u32 = 1 << 4;

const IV: [u32; 4] = [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a];

/// The order of message words in each of the seven rounds: the permutation of table 2, applied repeatedly.
const SCHEDULE: [[usize; 16]; 7] = {
    const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut rounds = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]; 7];
    let mut round = 1;
    while round < 7 {
        let mut i = 0;
        while i < 16 {
            rounds[round][i] = rounds[round - 1][PERMUTATION[i]];
            i += 1;
        }
        round += 1;
    }
    rounds
};

/// Eight chaining values.
type Chaining = [__m256i; 8];

/// `out[i]` is the keyed hash of row `i` of `length` bytes, which must not be zero. `rows` has eight rows.
#[target_feature(enable = "avx2")]
pub(super) fn hash8(key: &[u8; 32], rows: &[u8], length: usize, out: &mut [[u8; 32]; 8]) {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(key.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let key = splats(&words);
    let chunks = length.div_ceil(CHUNK);
    // The roots of complete subtrees, the largest first, as in section 5.1.2. Lengths of 2^54 chunks do not
    // occur.
    let mut stack: Vec<Chaining> = Vec::with_capacity(if chunks > 1 { 8 } else { 0 });
    for number in 0..chunks - 1 {
        let mut value = chunk(&key, rows, length, number, 0);
        let mut complete = number + 1;
        while complete % 2 == 0 {
            if let Some(left) = stack.pop() {
                value = parent(&key, &left, &value, 0);
            }
            complete /= 2;
        }
        stack.push(value);
    }
    let mut value = chunk(&key, rows, length, chunks - 1, if stack.is_empty() { ROOT } else { 0 });
    while let Some(left) = stack.pop() {
        value = parent(&key, &left, &value, if stack.is_empty() { ROOT } else { 0 });
    }
    for (out, lanes) in out.iter_mut().zip(transpose(value)) {
        *out = bytes(lanes);
    }
}

/// The chaining values of chunk `number` of all rows. `root` is set if it is the only chunk.
#[target_feature(enable = "avx2")]
fn chunk(key: &Chaining, rows: &[u8], length: usize, number: usize, root: u32) -> Chaining {
    let start = number * CHUNK;
    let end = length.min(start + CHUNK);
    let mut value = *key;
    let mut at = start;
    while at < end {
        let size = BLOCK.min(end - at);
        let mut flags = KEYED_HASH;
        if at == start {
            flags |= CHUNK_START;
        }
        if at + size == end {
            flags |= CHUNK_END | root;
        }
        let message = load(rows, length, at, size);
        value = compress(&value, &message, number as u64, size as u32, flags);
        at += BLOCK;
    }
    value
}

#[target_feature(enable = "avx2")]
fn parent(key: &Chaining, left: &Chaining, right: &Chaining, root: u32) -> Chaining {
    let mut message = [key[0]; 16];
    message[..8].copy_from_slice(left);
    message[8..].copy_from_slice(right);
    compress(key, &message, 0, BLOCK as u32, KEYED_HASH | PARENT | root)
}

/// The message words of the `size` bytes from `at` of every row, padded with zeros.
#[target_feature(enable = "avx2")]
fn load(rows: &[u8], length: usize, at: usize, size: usize) -> [__m256i; 16] {
    let mut halves = [[splat(0); 8]; 2];
    for (lane, row) in rows.chunks_exact(length).take(8).enumerate() {
        let mut padded = [0; BLOCK];
        let block = &row[at..at + size];
        let block = match block.first_chunk::<BLOCK>() {
            Some(whole) => whole,
            None => {
                padded[..size].copy_from_slice(block);
                &padded
            }
        };
        for (half, bytes) in halves.iter_mut().zip(block.as_chunks::<32>().0) {
            // SAFETY: `bytes` is 32 bytes; the load is unaligned.
            half[lane] = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        }
    }
    let [low, high] = halves;
    let (low, high) = (transpose(low), transpose(high));
    let mut message = [low[0]; 16];
    message[..8].copy_from_slice(&low);
    message[8..].copy_from_slice(&high);
    message
}

#[target_feature(enable = "avx2")]
fn compress(value: &Chaining, m: &[__m256i; 16], counter: u64, size: u32, flags: u32) -> Chaining {
    let [a, b, c, d, e, f, g, h] = *value;
    let [i, j, k, l] = splats(&IV);
    let [m0, m1, m2, m3] = splats(&[counter as u32, (counter >> 32) as u32, size, flags]);
    let mut v = [a, b, c, d, e, f, g, h, i, j, k, l, m0, m1, m2, m3];
    for s in &SCHEDULE {
        mix(&mut v, [0, 4, 8, 12], m[s[0]], m[s[1]]);
        mix(&mut v, [1, 5, 9, 13], m[s[2]], m[s[3]]);
        mix(&mut v, [2, 6, 10, 14], m[s[4]], m[s[5]]);
        mix(&mut v, [3, 7, 11, 15], m[s[6]], m[s[7]]);
        mix(&mut v, [0, 5, 10, 15], m[s[8]], m[s[9]]);
        mix(&mut v, [1, 6, 11, 12], m[s[10]], m[s[11]]);
        mix(&mut v, [2, 7, 8, 13], m[s[12]], m[s[13]]);
        mix(&mut v, [3, 4, 9, 14], m[s[14]], m[s[15]]);
    }
    let mut next = [v[0]; 8];
    for (i, next) in next.iter_mut().enumerate() {
        *next = _mm256_xor_si256(v[i], v[i + 8]);
    }
    next
}

/// The quarter round, on columns or diagonals.
#[target_feature(enable = "avx2")]
#[inline]
fn mix(v: &mut [__m256i; 16], [a, b, c, d]: [usize; 4], x: __m256i, y: __m256i) {
    // Rotations to the right by whole bytes are shuffles.
    let by_16 = _mm256_set_epi8(
        13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2, 13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0,
        3, 2,
    );
    let by_8 = _mm256_set_epi8(
        12, 15, 14, 13, 8, 11, 10, 9, 4, 7, 6, 5, 0, 3, 2, 1, 12, 15, 14, 13, 8, 11, 10, 9, 4, 7, 6, 5, 0, 3,
        2, 1,
    );
    v[a] = _mm256_add_epi32(_mm256_add_epi32(v[a], v[b]), x);
    v[d] = _mm256_shuffle_epi8(_mm256_xor_si256(v[d], v[a]), by_16);
    v[c] = _mm256_add_epi32(v[c], v[d]);
    let e = _mm256_xor_si256(v[b], v[c]);
    v[b] = _mm256_or_si256(_mm256_srli_epi32::<12>(e), _mm256_slli_epi32::<20>(e));
    v[a] = _mm256_add_epi32(_mm256_add_epi32(v[a], v[b]), y);
    v[d] = _mm256_shuffle_epi8(_mm256_xor_si256(v[d], v[a]), by_8);
    v[c] = _mm256_add_epi32(v[c], v[d]);
    let e = _mm256_xor_si256(v[b], v[c]);
    v[b] = _mm256_or_si256(_mm256_srli_epi32::<7>(e), _mm256_slli_epi32::<25>(e));
}

#[target_feature(enable = "avx2")]
#[inline]
fn splat(word: u32) -> __m256i {
    _mm256_set1_epi32(word as i32)
}

/// Each word in all lanes of its own register. This is a loop, because the functions that `map` calls would
/// be compiled without AVX2 and not be inlined.
#[target_feature(enable = "avx2")]
#[inline]
fn splats<const N: usize>(words: &[u32; N]) -> [__m256i; N] {
    let mut out = [_mm256_setzero_si256(); N];
    for (out, word) in out.iter_mut().zip(words) {
        *out = splat(*word);
    }
    out
}

/// Transposes eight vectors of eight words: first pairs of words, then pairs of those, then halves of
/// registers.
#[target_feature(enable = "avx2")]
#[inline]
fn transpose(v: [__m256i; 8]) -> [__m256i; 8] {
    let words = |i: usize, j: usize| (_mm256_unpacklo_epi32(v[i], v[j]), _mm256_unpackhi_epi32(v[i], v[j]));
    let ((a0, a2), (b0, b2)) = (words(0, 1), words(2, 3));
    let ((c0, c2), (d0, d2)) = (words(4, 5), words(6, 7));
    let low = |x: __m256i, y: __m256i| _mm256_unpacklo_epi64(x, y);
    let high = |x: __m256i, y: __m256i| _mm256_unpackhi_epi64(x, y);
    let left = [low(a0, b0), high(a0, b0), low(a2, b2), high(a2, b2)];
    let right = [low(c0, d0), high(c0, d0), low(c2, d2), high(c2, d2)];
    let mut out = v;
    for (i, (left, right)) in left.into_iter().zip(right).enumerate() {
        out[i] = _mm256_permute2x128_si256::<0x20>(left, right);
        out[i + 4] = _mm256_permute2x128_si256::<0x31>(left, right);
    }
    out
}

/// The register's bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn bytes(v: __m256i) -> [u8; 32] {
    let mut out = [0; 32];
    // SAFETY: `out` is 32 bytes; the store is unaligned.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), v) }
    out
}
