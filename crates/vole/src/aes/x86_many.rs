//! Many AES keys on x86-64: expanding them, and the streams of a tree's leaves, added up as they come out of
//! AES. [`combine_leaves`](crate::softspoken::combine_leaves) has the formulas of the sums.
//!
//! A group of `W` registers holds the same part of every leaf's stream. Going through the leaves in the order
//! of the Gray code, the running sum and column 0 of a group stay in registers, and the other columns in the
//! first-level cache. Additions run beside `aesenc`, in pipes that AES leaves free.
//!
//! The leaves are visited in tiles: all groups for the leaves of one tile, then the next tile, so that the
//! tile's round keys (176 bytes a leaf) stay in the second-level cache.

use core::arch::x86_64::*;

use volery_field::Gf128;

use super::x86::{Lanes, encrypt, m128, next_constant, next_round_key, to_gf};

/// Expanded keys of the leaves, and where in their streams a call begins.
#[derive(Clone, Copy)]
pub(super) struct Leaves<'k> {
    /// A power of two of them, at least two.
    pub(super) keys: &'k [[u128; 11]],
    /// Leaf `x` has key `x + hidden` (bitwise).
    pub(super) hidden: usize,
    pub(super) salt: u64,
    pub(super) start: u64,
}

/// What the streams are added to.
pub(super) struct Sums<'s> {
    /// The sum of all leaves.
    pub(super) sum: &'s mut [Gf128],
    /// The columns, each as long as `sum`, one for each bit of a leaf's number.
    pub(super) columns: &'s mut [Gf128],
    /// Columns of a group within a tile.
    pub(super) scratch: &'s mut [Gf128; SCRATCH],
}

/// The leaves of a tile, two to this.
const TILE: usize = 8;

/// The blocks of the largest group.
const GROUP: usize = 32;

/// A place for each bit that flips within a tile but bit 0, and one for the bit that flips after it.
pub(super) const SCRATCH: usize = TILE * GROUP;

/// Adds up as many groups of `W` registers as fit from `done` on, over the tile of leaves that begins with
/// step `first` of the Gray code. Returns where it stopped.
///
/// # Safety
/// The CPU must have the features of the lanes. There are `2^bits` keys, `bits` at least 1, and `bits`
/// columns as long as the sum.
#[inline(always)]
unsafe fn tile<L: Lanes, const W: usize>(
    leaves: Leaves<'_>,
    sums: &mut Sums<'_>,
    bits: usize,
    first: usize,
    done: usize,
) -> usize {
    let length = sums.sum.len();
    let levels = TILE.min(bits);
    let width = W * L::N;
    let (sum, columns) = (sums.sum.as_mut_ptr(), sums.columns.as_mut_ptr());
    let scratch = sums.scratch.as_mut_ptr();
    let mut at = done;
    while length - at >= width {
        // SAFETY: `at + width <= length`, which is the length of the sum and of each of `bits` columns. The
        // scratch has `TILE` places of `GROUP` blocks, and `width` is at most `GROUP`; places are numbered by
        // `flip - 1` below `levels - 1`, and the last one is `levels - 1`.
        unsafe {
            let zero = L::splat(0);
            let (mut counts, mut a, mut v_0) = ([zero; W], [zero; W], [zero; W]);
            let salt = L::splat(u128::from(leaves.salt) << 64);
            for w in 0..W {
                counts[w] = L::count(leaves.start.wrapping_add((at + w * L::N) as u64)).xor(salt);
                a[w] = L::load(sum.add(at + w * L::N));
                for place in 0..levels {
                    zero.store(scratch.add(place * GROUP + w * L::N));
                }
            }
            for pair in 0..1_usize << (levels - 1) {
                let leaf = gray(first / 2 + pair);
                let mut x = counts;
                encrypt(key(leaves, leaf), 0, &mut x);
                for w in 0..W {
                    a[w] = a[w].xor(x[w]);
                    v_0[w] = v_0[w].xor(a[w]);
                }
                let mut x = counts;
                encrypt(key(leaves, leaf ^ 1), 0, &mut x);
                // The bit that flips after the second of the pair, without bit 0.
                let place = ((pair + 1).trailing_zeros() as usize).min(levels - 1);
                let v = scratch.add(place * GROUP);
                for w in 0..W {
                    a[w] = a[w].xor(x[w]);
                    L::load(v.add(w * L::N)).xor(a[w]).store(v.add(w * L::N));
                }
            }
            // After the tile a bit above it flips, or after all leaves the highest one of them.
            let last = first + (1 << levels);
            let last = (last.trailing_zeros() as usize).min(bits - 1);
            for w in 0..W {
                let to = at + w * L::N;
                a[w].store(sum.add(to));
                let column = columns.add(to);
                L::load(column).xor(v_0[w]).store(column);
                for place in 0..levels {
                    let bit = if place + 1 < levels { place + 1 } else { last };
                    let column = columns.add(bit * length + to);
                    L::load(column).xor(L::load(scratch.add(place * GROUP + w * L::N))).store(column);
                }
            }
        }
        at += width;
    }
    at
}

/// The first leaf of pair number `pair` in the order of the Gray code. The second differs in bit 0.
#[inline(always)]
fn gray(pair: usize) -> usize {
    (2 * pair) ^ pair
}

/// The key of leaf `x`.
#[inline(always)]
fn key<'k>(leaves: Leaves<'k>, x: usize) -> &'k [u128; 11] {
    &leaves.keys[(x ^ leaves.hidden) & (leaves.keys.len() - 1)]
}

macro_rules! entry_point {
    ($features:literal, $lanes:ty, [$($w:literal),+], $name:ident) => {
        /// See [`Keys::combine`](super::Keys::combine).
        ///
        /// # Safety
        /// The CPU must have the features. There are `2^bits` keys, `bits` at least 1, and `bits` columns as
        /// long as the sum.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name(leaves: Leaves<'_>, mut sums: Sums<'_>, bits: usize) {
            for first in (0..1_usize << bits).step_by(1 << TILE) {
                // SAFETY: the caller's promise; this function's features are those of the lanes, and wider
                // lanes imply narrower ones.
                unsafe {
                    let done = 0;
                    $(let done = tile::<$lanes, $w>(leaves, &mut sums, bits, first, done);)+
                    tile::<__m128i, 1>(leaves, &mut sums, bits, first, done);
                }
            }
        }
    };
}

entry_point!("aes,sse4.1", __m128i, [4], combine_aesni);
entry_point!("aes,avx2,vaes", __m256i, [4, 1], combine_vaes256);
entry_point!("aes,avx2,vaes,avx512f", __m512i, [8, 4, 1], combine_vaes512);

/// The keys that are expanded at once: the steps of one wait for each other.
const AT_ONCE: usize = 4;

/// Expands `keys`, one after the other, into as many of `out`.
#[target_feature(enable = "aes,sse4.1")]
pub(super) unsafe fn expand_keys(keys: &[Gf128], out: &mut [[u128; 11]]) {
    let (fours, rest) = keys.as_chunks::<AT_ONCE>();
    let (out_fours, out_rest) = out.as_chunks_mut::<AT_ONCE>();
    for (keys, out) in fours.iter().zip(out_fours) {
        // SAFETY: this function has AES-NI.
        unsafe { expand_some(keys, out) };
    }
    for (keys, out) in rest.as_chunks::<1>().0.iter().zip(out_rest.as_chunks_mut::<1>().0) {
        // SAFETY: as above.
        unsafe { expand_some(keys, out) };
    }
}

#[inline(always)]
unsafe fn expand_some<const W: usize>(keys: &[Gf128; W], out: &mut [[u128; 11]; W]) {
    // SAFETY: the caller has AES-NI.
    unsafe {
        let mut k = [m128(0); W];
        for w in 0..W {
            k[w] = m128(keys[w].to_bits());
            out[w][0] = keys[w].to_bits();
        }
        let mut constant = 1;
        for round in 1..11 {
            for (k, out) in k.iter_mut().zip(out.iter_mut()) {
                *k = next_round_key(*k, constant);
                out[round] = to_gf(*k).to_bits();
            }
            constant = next_constant(constant);
        }
    }
}

/// See [`pairs`](super::many::pairs).
#[target_feature(enable = "aes,sse4.1")]
pub(super) unsafe fn pairs(keys: &[Gf128], salt: u64, first: u64, out: &mut [[Gf128; 2]]) {
    let (fours, rest) = keys.as_chunks::<AT_ONCE>();
    let (out_fours, out_rest) = out.as_chunks_mut::<AT_ONCE>();
    let mut number = first;
    for (keys, out) in fours.iter().zip(out_fours) {
        // SAFETY: this function has AES-NI.
        unsafe { some_pairs(keys, salt, number, out) };
        number = number.wrapping_add(AT_ONCE as u64);
    }
    for (keys, out) in rest.as_chunks::<1>().0.iter().zip(out_rest.as_chunks_mut::<1>().0) {
        // SAFETY: as above.
        unsafe { some_pairs(keys, salt, number, out) };
        number = number.wrapping_add(1);
    }
}

/// Each round key is used as soon as it is there.
#[inline(always)]
unsafe fn some_pairs<const W: usize>(keys: &[Gf128; W], salt: u64, first: u64, out: &mut [[Gf128; 2]; W]) {
    // SAFETY: the caller has AES-NI.
    unsafe {
        let (mut k, mut x) = ([m128(0); W], [[m128(0); 2]; W]);
        for w in 0..W {
            k[w] = m128(keys[w].to_bits());
            let block = |side: u64| {
                let number = first.wrapping_add(w as u64).wrapping_mul(2) | side;
                u128::from(salt) << 64 | u128::from(number)
            };
            x[w] = [_mm_xor_si128(m128(block(0)), k[w]), _mm_xor_si128(m128(block(1)), k[w])];
        }
        let mut constant = 1;
        for _ in 1..10 {
            for w in 0..W {
                k[w] = next_round_key(k[w], constant);
                x[w] = [_mm_aesenc_si128(x[w][0], k[w]), _mm_aesenc_si128(x[w][1], k[w])];
            }
            constant = next_constant(constant);
        }
        for w in 0..W {
            let k = next_round_key(k[w], constant);
            out[w] = [to_gf(_mm_aesenclast_si128(x[w][0], k)), to_gf(_mm_aesenclast_si128(x[w][1], k))];
        }
    }
}
