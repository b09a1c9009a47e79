//! AES on WebAssembly's registers of 128 bits, bitsliced: eight blocks at once, by logic and byte shuffles
//! alone, so that no address and no time depends on a key or a block.
//!
//! ```text
//! bit j of byte p of slice i  =  bit i of byte p of block j
//! ```
//!
//! So SubBytes is a circuit over the eight slices (Boyar and Peralta, "A depth-16 circuit for the AES S-box",
//! ePrint 2011/332), and the moves of bytes in ShiftRows and MixColumns are shuffles of each slice (Käsper
//! and Schwabe, "Faster and timing-attack resistant AES-GCM", CHES 2009). The S-box is without its constant
//! 0x63, which MixColumns leaves alone: every round key but the first has it added.
//!
//! Eight keys at once take the same code: bit `j` of a slice of a round key is then one of key `j`.
//!
//! The whole module is compiled with simd128, so its intrinsics are safe; only loads and stores are not.

use core::arch::wasm32::*;

use volery_field::Gf128;

use super::Fix;

/// The blocks that are encrypted at once.
pub const AT_ONCE: usize = 8;

/// Eight blocks, or eight slices of them.
type Eight = [v128; 8];

/// The round keys of one key or of eight, as slices.
type Slices = [Eight; 11];

/// Room for them.
const NO_KEYS: Slices = [[u64x2(0, 0); 8]; 11];

#[inline(always)]
fn load(from: &Gf128) -> v128 {
    // SAFETY: an element is 16 bytes.
    unsafe { v128_load((&raw const *from).cast()) }
}

#[inline(always)]
fn store(to: &mut Gf128, block: v128) {
    // SAFETY: an element is 16 bytes, and all of them are elements.
    unsafe { v128_store((&raw mut *to).cast(), block) }
}

#[inline(always)]
fn splat(x: u128) -> v128 {
    u64x2(x as u64, (x >> 64) as u64)
}

/// Exchanges the bits of `a` under `mask << SHIFT` with those of `b` under `mask`.
#[inline(always)]
fn exchange<const SHIFT: u32>(a: &mut v128, b: &mut v128, mask: v128) {
    let differ = v128_and(v128_xor(u64x2_shr(*a, SHIFT), *b), mask);
    *b = v128_xor(*b, differ);
    *a = v128_xor(*a, u64x2_shl(differ, SHIFT));
}

/// Makes slices of blocks, and blocks of slices: transposes the 8 by 8 bits at each place of a byte.
#[inline(always)]
fn transpose(x: &mut Eight) {
    let [a, b, c, d, e, f, g, h] = x;
    let (ones, twos, fours) = (u8x16_splat(0x55), u8x16_splat(0x33), u8x16_splat(0x0f));
    for (low, high) in [(&mut *a, &mut *b), (&mut *c, &mut *d), (&mut *e, &mut *f), (&mut *g, &mut *h)] {
        exchange::<1>(low, high, ones);
    }
    for (low, high) in [(&mut *a, &mut *c), (&mut *b, &mut *d), (&mut *e, &mut *g), (&mut *f, &mut *h)] {
        exchange::<2>(low, high, twos);
    }
    for (low, high) in [(a, e), (b, f), (c, g), (d, h)] {
        exchange::<4>(low, high, fours);
    }
}

/// The S-box without its constant, on all bytes.
#[inline(always)]
fn sub_bytes(x: &mut Eight) {
    #[inline(always)]
    fn xor(a: v128, b: v128) -> v128 {
        v128_xor(a, b)
    }
    #[inline(always)]
    fn and(a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }
    // The names of the paper, whose bit 0 is the highest.
    let [x7, x6, x5, x4, x3, x2, x1, x0] = *x;
    let y14 = xor(x3, x5);
    let y13 = xor(x0, x6);
    let y9 = xor(x0, x3);
    let y8 = xor(x0, x5);
    let t0 = xor(x1, x2);
    let y1 = xor(t0, x7);
    let y4 = xor(y1, x3);
    let y12 = xor(y13, y14);
    let y2 = xor(y1, x0);
    let y5 = xor(y1, x6);
    let y3 = xor(y5, y8);
    let t1 = xor(x4, y12);
    let y15 = xor(t1, x5);
    let y20 = xor(t1, x1);
    let y6 = xor(y15, x7);
    let y10 = xor(y15, t0);
    let y11 = xor(y20, y9);
    let y7 = xor(x7, y11);
    let y17 = xor(y10, y11);
    let y19 = xor(y10, y8);
    let y16 = xor(t0, y11);
    let y21 = xor(y13, y16);
    let y18 = xor(x0, y16);

    let t2 = and(y12, y15);
    let t4 = xor(and(y3, y6), t2);
    let t6 = xor(and(y4, x7), t2);
    let t7 = and(y13, y16);
    let t9 = xor(and(y5, y1), t7);
    let t11 = xor(and(y2, y7), t7);
    let t12 = and(y9, y11);
    let t14 = xor(and(y14, y17), t12);
    let t16 = xor(and(y8, y10), t12);
    let t21 = xor(xor(t4, t14), y20);
    let t22 = xor(xor(t6, t16), y19);
    let t23 = xor(xor(t9, t14), y21);
    let t24 = xor(xor(t11, t16), y18);

    let t25 = xor(t21, t22);
    let t26 = and(t21, t23);
    let t27 = xor(t24, t26);
    let t29 = xor(and(t25, t27), t22);
    let t30 = xor(t23, t24);
    let t31 = xor(t22, t26);
    let t33 = xor(and(t31, t30), t24);
    let t34 = xor(t23, t33);
    let t35 = xor(t27, t33);
    let t36 = and(t24, t35);
    let t37 = xor(t36, t34);
    let t38 = xor(t27, t36);
    let t40 = xor(t25, and(t29, t38));
    let t41 = xor(t40, t37);
    let t42 = xor(t29, t33);
    let t43 = xor(t29, t40);
    let t44 = xor(t33, t37);
    let t45 = xor(t42, t41);

    let z0 = and(t44, y15);
    let z1 = and(t37, y6);
    let z2 = and(t33, x7);
    let z3 = and(t43, y16);
    let z4 = and(t40, y1);
    let z5 = and(t29, y7);
    let z6 = and(t42, y11);
    let z7 = and(t45, y17);
    let z8 = and(t41, y10);
    let z9 = and(t44, y12);
    let z10 = and(t37, y3);
    let z11 = and(t33, y4);
    let z12 = and(t43, y13);
    let z13 = and(t40, y5);
    let z14 = and(t29, y2);
    let z15 = and(t42, y9);
    let z16 = and(t45, y14);
    let z17 = and(t41, y8);

    let t46 = xor(z15, z16);
    let t47 = xor(z10, z11);
    let t48 = xor(z5, z13);
    let t49 = xor(z9, z10);
    let t50 = xor(z2, z12);
    let t51 = xor(z2, z5);
    let t52 = xor(z7, z8);
    let t53 = xor(z0, z3);
    let t54 = xor(z6, z7);
    let t55 = xor(z16, z17);
    let t56 = xor(z12, t48);
    let t57 = xor(t50, t53);
    let t58 = xor(z4, t46);
    let t59 = xor(z3, t54);
    let t60 = xor(t46, t57);
    let t61 = xor(z14, t57);
    let t62 = xor(t52, t58);
    let t63 = xor(t49, t58);
    let t64 = xor(z4, t59);
    let t65 = xor(t61, t62);
    let t66 = xor(z1, t63);
    let t67 = xor(t64, t65);
    let s0 = xor(t59, t63);
    let s3 = xor(t53, t66);
    let s1 = xor(t64, s3);
    let s2 = xor(t55, t67);
    let s4 = xor(t51, t66);
    let s5 = xor(t47, t65);
    let s6 = xor(t56, t62);
    let s7 = xor(t48, t60);
    *x = [s7, s6, s5, s4, s3, s2, s1, s0];
}

/// ShiftRows: byte `4 c + r` comes from column `c + r`.
#[inline(always)]
fn shift_rows(x: v128) -> v128 {
    u8x16_shuffle::<0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11>(x, x)
}

/// ShiftRows, and then each byte from the next row.
#[inline(always)]
fn shift_rows_next(x: v128) -> v128 {
    u8x16_shuffle::<5, 10, 15, 0, 9, 14, 3, 4, 13, 2, 7, 8, 1, 6, 11, 12>(x, x)
}

/// Each byte from the row after the next.
#[inline(always)]
fn two_rows_on(x: v128) -> v128 {
    u8x16_shuffle::<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(x, x)
}

/// ShiftRows, MixColumns and a round key. With `a_r` for the bytes of a column and `d_r = a_r + a_(r+1)`,
/// MixColumns is `2 d_r + a_(r+1) + d_(r+2)`.
#[inline(always)]
fn mix(x: &mut Eight, key: &Eight) {
    #[inline(always)]
    fn parts(x: v128, key: v128) -> (v128, v128) {
        let next = shift_rows_next(x);
        let d = v128_xor(shift_rows(x), next);
        (d, v128_xor(v128_xor(next, two_rows_on(d)), key))
    }
    // Not in a loop, which the compiler would keep, with all slices in memory.
    let (d0, rest0) = parts(x[0], key[0]);
    let (d1, rest1) = parts(x[1], key[1]);
    let (d2, rest2) = parts(x[2], key[2]);
    let (d3, rest3) = parts(x[3], key[3]);
    let (d4, rest4) = parts(x[4], key[4]);
    let (d5, rest5) = parts(x[5], key[5]);
    let (d6, rest6) = parts(x[6], key[6]);
    let (d7, rest7) = parts(x[7], key[7]);
    // Times two: x^8 = x^4 + x^3 + x + 1.
    *x = [
        v128_xor(rest0, d7),
        v128_xor(rest1, v128_xor(d0, d7)),
        v128_xor(rest2, d1),
        v128_xor(rest3, v128_xor(d2, d7)),
        v128_xor(rest4, v128_xor(d3, d7)),
        v128_xor(rest5, d4),
        v128_xor(rest6, d5),
        v128_xor(rest7, d6),
    ];
}

/// Adds a round key.
#[inline(always)]
fn add_key(x: &mut Eight, key: &Eight) {
    for i in 0..8 {
        x[i] = v128_xor(x[i], key[i]);
    }
}

/// AES of eight blocks, under a round key that `key` gives for each round.
#[inline(always)]
fn encrypt(key: impl Fn(usize) -> Eight, x: &mut Eight) {
    transpose(x);
    add_key(x, &key(0));
    for round in 1..10 {
        sub_bytes(x);
        mix(x, &key(round));
    }
    sub_bytes(x);
    for slice in x.iter_mut() {
        *slice = shift_rows(*slice);
    }
    add_key(x, &key(10));
    transpose(x);
}

/// The next round key of each of `N` times eight keys; `N` is at most four. One S-box serves all of them,
/// since only the last word of a round key goes through it.
#[inline(always)]
fn next_round_keys<const N: usize>(keys: &[Eight; N], constant: u8) -> [Eight; N] {
    let mut last: Eight = core::array::from_fn(|i| {
        let [a, b, c, d] = core::array::from_fn(|group| keys[group.min(N - 1)][i]);
        let (low, high) = (u32x4_shuffle::<2, 6, 3, 7>(a, b), u32x4_shuffle::<2, 6, 3, 7>(c, d));
        u64x2_shuffle::<1, 3>(low, high)
    });
    sub_bytes(&mut last);
    let mut next = *keys;
    for (i, last) in last.into_iter().enumerate() {
        let rotated = u8x16_shuffle::<1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12>(last, last);
        let first = 0u32.wrapping_sub(u32::from(constant >> i & 1)) & 0xff;
        let rotated = v128_xor(rotated, u32x4_splat(first ^ 0u32.wrapping_sub(0x63 >> i & 1)));
        // The word of each eight keys, for all four words of their next round key.
        let words = [
            u32x4_shuffle::<0, 0, 0, 0>(rotated, rotated),
            u32x4_shuffle::<1, 1, 1, 1>(rotated, rotated),
            u32x4_shuffle::<2, 2, 2, 2>(rotated, rotated),
            u32x4_shuffle::<3, 3, 3, 3>(rotated, rotated),
        ];
        for (next, word) in next.iter_mut().zip(words) {
            // Each word plus all words before it.
            let zero = u8x16_splat(0);
            let sum = u8x16_shuffle::<16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11>(next[i], zero);
            let sum = v128_xor(next[i], sum);
            let more = u8x16_shuffle::<16, 16, 16, 16, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7>(sum, zero);
            next[i] = v128_xor(v128_xor(sum, more), word);
        }
    }
    next
}

/// The round keys of `N` times eight keys, eight by eight. The others are none.
#[inline(always)]
fn expand_eights<const N: usize>(keys: &[[Gf128; AT_ONCE]; N]) -> [Slices; N] {
    let mut all = [NO_KEYS; N];
    let mut now = keys.map(|keys| {
        let mut eight = keys.map(|key| load(&key));
        transpose(&mut eight);
        eight
    });
    let mut constant = 1_u8;
    for round in 0..11 {
        if round > 0 {
            now = next_round_keys(&now, constant);
            constant = constant << 1 ^ (constant >> 7) * 0x1b;
        }
        all.iter_mut().zip(now).for_each(|(all, now)| all[round] = now);
    }
    all
}

/// The round keys of eight keys.
#[inline(always)]
fn expand_eight(keys: [Gf128; AT_ONCE]) -> Slices {
    let [slices] = expand_eights(&[keys]);
    slices
}

/// Adds the S-box' constant to the round keys that follow one.
#[inline(always)]
fn add_constant(keys: &mut Slices) {
    let ones = u8x16_splat(0xff);
    for key in &mut keys[1..] {
        for i in [0, 1, 5, 6] {
            key[i] = v128_xor(key[i], ones);
        }
    }
}

/// The round keys of one key, for eight blocks.
#[inline(always)]
fn broadcast(keys: &[u128; 11]) -> Slices {
    let mut slices = NO_KEYS;
    for (slices, key) in slices.iter_mut().zip(keys) {
        let key = splat(*key);
        for (i, slice) in slices.iter_mut().enumerate() {
            let bit = u8x16_splat(1 << i);
            *slice = u8x16_eq(v128_and(key, bit), bit);
        }
    }
    add_constant(&mut slices);
    slices
}

/// Expands `keys`, one after the other, into as many of `out`.
pub(super) fn expand_keys(keys: &[Gf128], out: &mut [[u128; 11]]) {
    for (keys, out) in keys.chunks(AT_ONCE).zip(out.chunks_mut(AT_ONCE)) {
        let mut eight = [Gf128::ZERO; AT_ONCE];
        eight.iter_mut().zip(keys).for_each(|(to, from)| *to = *from);
        let mut slices = expand_eight(eight);
        for (round, slices) in slices.iter_mut().enumerate() {
            transpose(slices);
            for (out, key) in out.iter_mut().zip(&*slices) {
                out[round] = u128::from(u64x2_extract_lane::<1>(*key)) << 64
                    | u128::from(u64x2_extract_lane::<0>(*key));
            }
        }
    }
}

/// Expands one key.
pub(super) fn expand_key(key: u128) -> [u128; 11] {
    let mut out = [[0; 11]];
    expand_keys(&[Gf128::from_bits(key)], &mut out);
    out[0]
}

/// The round keys of eight keys, as slices: what garbling keeps of its keys, so that no gate has to make
/// slices of them.
#[derive(Clone, Copy)]
pub struct EightKeys(Slices);

impl EightKeys {
    /// Room for expanded keys.
    pub const NONE: Self = Self(NO_KEYS);

    /// Expands four times eight keys.
    #[must_use]
    pub fn expand(keys: &[[Gf128; AT_ONCE]; 4]) -> [Self; 4] {
        expand_eights(keys).map(|mut slices| {
            add_constant(&mut slices);
            Self(slices)
        })
    }

    /// AES of eight blocks, each under the key of its number, in place.
    #[inline(always)]
    pub fn encrypt(&self, blocks: &mut [Gf128; AT_ONCE]) {
        encrypt_blocks(|round| self.0[round], blocks);
    }

    /// AES of two blocks under each of `count` keys from `first` on, in place: block `i` and block
    /// `count + i` are under key `first + i`. There are at most four such keys; what is left of the blocks is
    /// encrypted under anything.
    #[inline(always)]
    pub fn encrypt_twice(&self, first: u32, count: u32, blocks: &mut [Gf128; AT_ONCE]) {
        let these = u8x16_splat((1_u8 << count).wrapping_sub(1));
        encrypt_blocks(
            |round| {
                self.0[round].map(|slice| {
                    // The bits of these keys in each byte; those of the byte above are masked off.
                    let once = v128_and(u16x8_shr(slice, first), these);
                    v128_or(once, u16x8_shl(once, count))
                })
            },
            blocks,
        );
    }

    /// AES of blocks under key number `which`, in place.
    pub fn encrypt_run(&self, which: u32, blocks: &mut [Gf128]) {
        let bit = u8x16_splat(1 << (which % AT_ONCE as u32));
        let keys = self.0.map(|key| key.map(|slice| u8x16_eq(v128_and(slice, bit), bit)));
        for blocks in blocks.chunks_mut(AT_ONCE) {
            let mut eight = [Gf128::ZERO; AT_ONCE];
            eight.iter_mut().zip(&*blocks).for_each(|(to, from)| *to = *from);
            encrypt_blocks(|round| keys[round], &mut eight);
            blocks.iter_mut().zip(eight).for_each(|(to, from)| *to = from);
        }
    }
}

/// AES of eight blocks, in place, under a round key that `key` gives for each round.
#[inline(always)]
fn encrypt_blocks(key: impl Fn(usize) -> Eight, blocks: &mut [Gf128; AT_ONCE]) {
    let mut x = blocks.map(|block| load(&block));
    encrypt(key, &mut x);
    blocks.iter_mut().zip(x).for_each(|(block, x)| store(block, x));
}

/// See [`Aes::salted_ctr`](super::Aes::salted_ctr).
pub(super) fn ctr(keys: &[u128; 11], salt: u64, start: u64, out: &mut [Gf128]) {
    let keys = broadcast(keys);
    let mut number = start;
    for out in out.chunks_mut(AT_ONCE) {
        let mut x = [u8x16_splat(0); 8];
        for (i, x) in x.iter_mut().enumerate() {
            *x = u64x2(number.wrapping_add(i as u64), salt);
        }
        encrypt(|round| keys[round], &mut x);
        out.iter_mut().zip(x).for_each(|(out, x)| store(out, x));
        number = number.wrapping_add(AT_ONCE as u64);
    }
}

/// `s(a || b) = (a + b) || a`, with `a` the high half.
#[inline(always)]
fn orthomorphism(x: v128) -> v128 {
    let high = u64x2_shuffle::<1, 1>(x, x);
    let low_up = u64x2_shuffle::<2, 0>(x, u8x16_splat(0));
    v128_xor(high, low_up)
}

/// `value` if `j` is `index`, else zero.
#[inline(always)]
fn select(j: u32, index: u32, value: v128) -> v128 {
    v128_and(u32x4_eq(u32x4_splat(j), u32x4_splat(index)), value)
}

/// See [`Aes::expand`](super::Aes::expand).
pub(super) fn expand(keys: &[u128; 11], left: &mut [Gf128], right: &mut [Gf128], fix: Fix) -> Gf128 {
    let keys = broadcast(keys);
    let value = splat(fix.value.to_bits());
    let mut total = u8x16_splat(0);
    for (chunk, (left, right)) in left.chunks_mut(AT_ONCE).zip(right.chunks_mut(AT_ONCE)).enumerate() {
        let mut parents = [u8x16_splat(0); 8];
        let mut x = [u8x16_splat(0); 8];
        for (i, (left, (parent, x))) in left.iter().zip(parents.iter_mut().zip(&mut x)).enumerate() {
            let j = (chunk * AT_ONCE + i) as u32;
            *parent = v128_xor(load(left), select(j, fix.index, value));
            *x = orthomorphism(*parent);
        }
        encrypt(|round| keys[round], &mut x);
        for ((left, right), (parent, x)) in left.iter_mut().zip(right).zip(parents.into_iter().zip(x)) {
            let h = v128_xor(x, orthomorphism(parent));
            total = v128_xor(total, h);
            store(left, h);
            store(right, v128_xor(parent, h));
        }
    }
    let mut sum = Gf128::ZERO;
    store(&mut sum, total);
    sum
}

/// See [`Aes::hash`](super::Aes::hash).
pub(super) fn hash(keys: &[u128; 11], nodes: &mut [Gf128]) {
    let keys = broadcast(keys);
    for nodes in nodes.chunks_mut(AT_ONCE) {
        let mut x = [u8x16_splat(0); 8];
        for (x, node) in x.iter_mut().zip(&*nodes) {
            *x = orthomorphism(load(node));
        }
        encrypt(|round| keys[round], &mut x);
        for (node, x) in nodes.iter_mut().zip(x) {
            let h = v128_xor(x, orthomorphism(load(node)));
            store(node, h);
        }
    }
}

/// See [`pairs`](super::many::pairs).
pub(super) fn pairs(keys: &[Gf128], salt: u64, first: u64, out: &mut [[Gf128; 2]]) {
    let mut number = first;
    for (keys, out) in keys.chunks(AT_ONCE).zip(out.chunks_mut(AT_ONCE)) {
        let mut eight = [Gf128::ZERO; AT_ONCE];
        eight.iter_mut().zip(keys).for_each(|(to, from)| *to = *from);
        let mut slices = expand_eight(eight);
        add_constant(&mut slices);
        for side in 0..2 {
            let mut x = [u8x16_splat(0); 8];
            for (i, x) in x.iter_mut().enumerate() {
                *x = u64x2(number.wrapping_add(i as u64).wrapping_mul(2) | side, salt);
            }
            encrypt(|round| slices[round], &mut x);
            out.iter_mut().zip(x).for_each(|(out, x)| store(&mut out[side as usize], x));
        }
        number = number.wrapping_add(AT_ONCE as u64);
    }
}
