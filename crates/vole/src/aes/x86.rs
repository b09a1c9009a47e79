//! AES on x86-64 registers of 128, 256 and 512 bits.
//!
//! The loops are written once over [`Lanes`]; each method that differs between levels is one intrinsic. Eight
//! registers are in flight, which hides the latency of `aesenc` on every core since Skylake and Zen.
//!
//! Registers are made in loops, never by `array::from_fn` or `map`. Those functions of the standard library
//! lack the entry point's features. If they are compiled separately (with more than one codegen unit, the
//! default of programs that use this crate), each intrinsic in their closure becomes a call.

use core::arch::x86_64::*;

use volery_field::Gf128;

use super::Fix;

/// A register of `N` blocks. In each implementation, a method is one intrinsic.
///
/// Safety of every method: the CPU must have the features of the entry point that it is inlined into.
pub(super) trait Lanes: Copy {
    const N: usize;
    unsafe fn load(p: *const Gf128) -> Self;
    unsafe fn store(self, p: *mut Gf128);
    unsafe fn splat(x: u128) -> Self;
    /// Blocks `x, x+1, ..`, the high halves zero.
    unsafe fn count(x: u64) -> Self;
    unsafe fn xor(self, o: Self) -> Self;
    unsafe fn and(self, o: Self) -> Self;
    /// All ones in each block whose index `base + lane` equals `index`, zeros elsewhere.
    unsafe fn equal(base: u32, index: u32) -> Self;
    unsafe fn enc(self, k: Self) -> Self;
    unsafe fn enc_last(self, k: Self) -> Self;
    /// The orthomorphism `(a || b) -> (a + b) || a` in each block.
    unsafe fn orthomorphism(self) -> Self;
    unsafe fn sum(self) -> Gf128;
}

/// The 128-bit value as an integer register.
#[inline(always)]
pub(super) unsafe fn m128(x: u128) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set_epi64x((x >> 64) as i64, x as i64) }
}

#[inline(always)]
pub(super) unsafe fn to_gf(x: __m128i) -> Gf128 {
    let mut out = Gf128::ZERO;
    // SAFETY: `out` is 16 bytes; the store is unaligned.
    unsafe { _mm_storeu_si128((&raw mut out).cast(), x) };
    out
}

macro_rules! delegate {
    ($xor:ident, $and:ident, $enc:ident, $last:ident) => {
        #[inline(always)]
        unsafe fn xor(self, o: Self) -> Self {
            // SAFETY: the trait's contract.
            unsafe { $xor(self, o) }
        }
        #[inline(always)]
        unsafe fn and(self, o: Self) -> Self {
            // SAFETY: the trait's contract.
            unsafe { $and(self, o) }
        }
        #[inline(always)]
        unsafe fn enc(self, k: Self) -> Self {
            // SAFETY: the trait's contract.
            unsafe { $enc(self, k) }
        }
        #[inline(always)]
        unsafe fn enc_last(self, k: Self) -> Self {
            // SAFETY: the trait's contract.
            unsafe { $last(self, k) }
        }
    };
}

impl Lanes for __m128i {
    const N: usize = 1;
    #[inline(always)]
    unsafe fn load(p: *const Gf128) -> Self {
        // SAFETY: the caller gives a readable block; the load is unaligned.
        unsafe { _mm_loadu_si128(p.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut Gf128) {
        // SAFETY: the caller gives a writable block; the store is unaligned.
        unsafe { _mm_storeu_si128(p.cast(), self) }
    }
    #[inline(always)]
    unsafe fn splat(x: u128) -> Self {
        // SAFETY: SSE2.
        unsafe { m128(x) }
    }
    #[inline(always)]
    unsafe fn count(x: u64) -> Self {
        // SAFETY: SSE2.
        unsafe { _mm_set_epi64x(0, x as i64) }
    }
    #[inline(always)]
    unsafe fn equal(base: u32, index: u32) -> Self {
        // SAFETY: SSE2.
        unsafe { _mm_cmpeq_epi32(_mm_set1_epi32(base as i32), _mm_set1_epi32(index as i32)) }
    }
    #[inline(always)]
    unsafe fn orthomorphism(self) -> Self {
        // SAFETY: SSE2. The shuffle puts the high half low and repeats it; the mask keeps the low half's copy
        // high.
        unsafe { _mm_xor_si128(_mm_shuffle_epi32::<0xee>(self), _mm_slli_si128::<8>(self)) }
    }
    #[inline(always)]
    unsafe fn sum(self) -> Gf128 {
        // SAFETY: SSE2.
        unsafe { to_gf(self) }
    }
    delegate!(_mm_xor_si128, _mm_and_si128, _mm_aesenc_si128, _mm_aesenclast_si128);
}

impl Lanes for __m256i {
    const N: usize = 2;
    #[inline(always)]
    unsafe fn load(p: *const Gf128) -> Self {
        // SAFETY: the caller gives two readable blocks.
        unsafe { _mm256_loadu_si256(p.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut Gf128) {
        // SAFETY: the caller gives two writable blocks.
        unsafe { _mm256_storeu_si256(p.cast(), self) }
    }
    #[inline(always)]
    unsafe fn splat(x: u128) -> Self {
        // SAFETY: the trait's contract.
        unsafe { _mm256_broadcastsi128_si256(m128(x)) }
    }
    #[inline(always)]
    unsafe fn count(x: u64) -> Self {
        // SAFETY: the trait's contract.
        unsafe { _mm256_set_epi64x(0, x.wrapping_add(1) as i64, 0, x as i64) }
    }
    #[inline(always)]
    unsafe fn equal(base: u32, index: u32) -> Self {
        // SAFETY: the trait's contract.
        unsafe {
            let lane = _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0);
            let at = _mm256_add_epi32(_mm256_set1_epi32(base as i32), lane);
            _mm256_cmpeq_epi32(at, _mm256_set1_epi32(index as i32))
        }
    }
    #[inline(always)]
    unsafe fn orthomorphism(self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { _mm256_xor_si256(_mm256_shuffle_epi32::<0xee>(self), _mm256_slli_si256::<8>(self)) }
    }
    #[inline(always)]
    unsafe fn sum(self) -> Gf128 {
        // SAFETY: the trait's contract.
        unsafe { to_gf(_mm_xor_si128(_mm256_castsi256_si128(self), _mm256_extracti128_si256::<1>(self))) }
    }
    delegate!(_mm256_xor_si256, _mm256_and_si256, _mm256_aesenc_epi128, _mm256_aesenclast_epi128);
}

impl Lanes for __m512i {
    const N: usize = 4;
    #[inline(always)]
    unsafe fn load(p: *const Gf128) -> Self {
        // SAFETY: the caller gives four readable blocks.
        unsafe { _mm512_loadu_si512(p.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut Gf128) {
        // SAFETY: the caller gives four writable blocks.
        unsafe { _mm512_storeu_si512(p.cast(), self) }
    }
    #[inline(always)]
    unsafe fn splat(x: u128) -> Self {
        // SAFETY: the trait's contract.
        unsafe { _mm512_broadcast_i32x4(m128(x)) }
    }
    #[inline(always)]
    unsafe fn count(x: u64) -> Self {
        let c = |i: u64| x.wrapping_add(i) as i64;
        // SAFETY: the trait's contract.
        unsafe { _mm512_set_epi64(0, c(3), 0, c(2), 0, c(1), 0, c(0)) }
    }
    #[inline(always)]
    unsafe fn equal(base: u32, index: u32) -> Self {
        // SAFETY: the trait's contract.
        unsafe {
            let lane = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
            let at = _mm512_add_epi32(_mm512_set1_epi32(base as i32), lane);
            let hit = _mm512_cmpeq_epi32_mask(at, _mm512_set1_epi32(index as i32));
            _mm512_maskz_set1_epi32(hit, -1)
        }
    }
    #[inline(always)]
    unsafe fn orthomorphism(self) -> Self {
        // SAFETY: the trait's contract. (AVX-512F has no byte shift: unpacking with zero moves the low halves
        // up.)
        unsafe {
            let low_up = _mm512_unpacklo_epi64(_mm512_setzero_si512(), self);
            _mm512_xor_si512(_mm512_shuffle_epi32::<0xee>(self), low_up)
        }
    }
    #[inline(always)]
    unsafe fn sum(self) -> Gf128 {
        // SAFETY: the trait's contract.
        unsafe {
            let low = _mm512_castsi512_si256(self);
            _mm256_xor_si256(low, _mm512_extracti64x4_epi64::<1>(self)).sum()
        }
    }
    delegate!(_mm512_xor_si512, _mm512_and_si512, _mm512_aesenc_epi128, _mm512_aesenclast_epi128);
}

/// AES of every register of `x`, each block plus `add`.
#[inline(always)]
pub(super) unsafe fn encrypt<L: Lanes, const W: usize>(keys: &[u128; 11], add: u128, x: &mut [L; W]) {
    // SAFETY: the caller's contract is that of `Lanes`.
    unsafe {
        // It is added to the first round key, so that it costs nothing for each block.
        let k = L::splat(keys[0] ^ add);
        for x in x.iter_mut() {
            *x = x.xor(k);
        }
        for key in &keys[1..10] {
            let k = L::splat(*key);
            for x in x.iter_mut() {
                *x = x.enc(k);
            }
        }
        let k = L::splat(keys[10]);
        for x in x.iter_mut() {
            *x = x.enc_last(k);
        }
    }
}

/// Processes as many groups of `W` registers as fit from `done` on, and returns where it stopped.
#[inline(always)]
unsafe fn ctr<L: Lanes, const W: usize>(
    keys: &[u128; 11],
    salt: u64,
    start: u64,
    out: &mut [Gf128],
    done: usize,
) -> usize {
    let mut at = done;
    while out.len() - at >= W * L::N {
        // SAFETY: `at + W * N <= out.len()`, so every store is inside `out`.
        unsafe {
            let mut x = [L::splat(0); W];
            for (w, x) in x.iter_mut().enumerate() {
                *x = L::count(start.wrapping_add((at + w * L::N) as u64));
            }
            encrypt(keys, u128::from(salt) << 64, &mut x);
            for (w, x) in x.iter().enumerate() {
                x.store(out.as_mut_ptr().add(at + w * L::N));
            }
        }
        at += W * L::N;
    }
    at
}

/// Processes as many groups of `W` registers as fit from `done` on, adds to `sum`, and returns where it
/// stopped.
#[inline(always)]
unsafe fn expand<L: Lanes, const W: usize, const FIX: bool>(
    keys: &[u128; 11],
    left: &mut [Gf128],
    right: &mut [Gf128],
    fix: Fix,
    done: usize,
    sum: &mut Gf128,
) -> usize {
    let m = left.len().min(right.len());
    let (l, r) = (left.as_mut_ptr(), right.as_mut_ptr());
    let mut at = done;
    // SAFETY: the loop keeps `at + W * N <= m`, and both slices hold at least `m` blocks.
    unsafe {
        let value = L::splat(fix.value.to_bits());
        let mut total = L::splat(0);
        while m - at >= W * L::N {
            let mut h = [value; W];
            for (w, h) in h.iter_mut().enumerate() {
                let j = at + w * L::N;
                let mut x = L::load(l.add(j));
                if FIX {
                    x = x.xor(L::equal(j as u32, fix.index).and(value));
                }
                // Kept in memory: eight parents beside their hashes would not fit in sixteen registers.
                x.store(r.add(j));
                *h = x.orthomorphism();
            }
            encrypt(keys, 0, &mut h);
            for (w, h) in h.into_iter().enumerate() {
                let j = at + w * L::N;
                let x = L::load(r.add(j));
                let h = h.xor(x.orthomorphism());
                total = total.xor(h);
                h.store(l.add(j));
                x.xor(h).store(r.add(j));
            }
            at += W * L::N;
        }
        *sum += total.sum();
    }
    at
}

/// `H(x) = AES(s(x)) + s(x)` for as many groups of `W` registers as fit from `done` on. Returns where it
/// stopped.
#[inline(always)]
unsafe fn hash<L: Lanes, const W: usize>(keys: &[u128; 11], nodes: &mut [Gf128], done: usize) -> usize {
    let mut at = done;
    // SAFETY: the loop keeps `at + W * N <= nodes.len()`.
    unsafe {
        while nodes.len() - at >= W * L::N {
            let p = nodes.as_mut_ptr().add(at);
            let mut h = [L::splat(0); W];
            for (w, h) in h.iter_mut().enumerate() {
                *h = L::load(p.add(w * L::N)).orthomorphism();
                // Kept in memory: eight inputs beside their images would not fit in sixteen registers.
                h.store(p.add(w * L::N));
            }
            encrypt(keys, 0, &mut h);
            for (w, h) in h.into_iter().enumerate() {
                h.xor(L::load(p.add(w * L::N))).store(p.add(w * L::N));
            }
            at += W * L::N;
        }
    }
    at
}

/// Clears the least significant bits and adds `fix`, from `done` on, in whole registers. Returns where it
/// stopped.
#[inline(always)]
unsafe fn add_even<L: Lanes>(nodes: &mut [Gf128], fix: Fix, done: usize) -> usize {
    let mut at = done;
    // SAFETY: the loop keeps `at + N <= nodes.len()`.
    unsafe {
        let (even, value) = (L::splat(!1), L::splat(fix.value.to_bits()));
        while nodes.len() - at >= L::N {
            let p = nodes.as_mut_ptr().add(at);
            L::load(p).and(even).xor(L::equal(at as u32, fix.index).and(value)).store(p);
            at += L::N;
        }
    }
    at
}

macro_rules! entry_points {
    ($features:literal, $lanes:ty, $ctr:ident, $expand:ident, $add_even:ident, $hash:ident) => {
        /// See [`Aes::hash`](super::Aes::hash).
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $hash(keys: &[u128; 11], nodes: &mut [Gf128]) {
            // SAFETY: this function's features are those of the lanes, and wider lanes imply narrower ones.
            unsafe {
                let done = hash::<$lanes, 8>(keys, nodes, 0);
                let done = hash::<$lanes, 1>(keys, nodes, done);
                hash::<__m128i, 1>(keys, nodes, done);
            }
        }

        /// Clears the least significant bits of `nodes` and adds `fix`.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $add_even(nodes: &mut [Gf128], fix: Fix) {
            // SAFETY: this function's features are those of the lanes, and wider lanes imply narrower ones.
            unsafe {
                let done = add_even::<$lanes>(nodes, fix, 0);
                add_even::<__m128i>(nodes, fix, done);
            }
        }

        /// See [`Aes::salted_ctr`](super::Aes::salted_ctr).
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $ctr(keys: &[u128; 11], salt: u64, start: u64, out: &mut [Gf128]) {
            // SAFETY: this function's features are those of the lanes, and wider lanes imply narrower ones.
            unsafe {
                let done = ctr::<$lanes, 8>(keys, salt, start, out, 0);
                let done = ctr::<$lanes, 1>(keys, salt, start, out, done);
                ctr::<__m128i, 1>(keys, salt, start, out, done);
            }
        }

        /// See [`Aes::expand`](super::Aes::expand).
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $expand(
            keys: &[u128; 11],
            left: &mut [Gf128],
            right: &mut [Gf128],
            fix: Fix,
        ) -> Gf128 {
            let mut sum = Gf128::ZERO;
            // SAFETY: as above.
            unsafe {
                if fix.index == Fix::NONE.index {
                    // Whether there is anything to repair depends on the role, not on a secret.
                    let done = expand::<$lanes, 8, false>(keys, left, right, fix, 0, &mut sum);
                    let done = expand::<$lanes, 1, false>(keys, left, right, fix, done, &mut sum);
                    expand::<__m128i, 1, false>(keys, left, right, fix, done, &mut sum);
                } else {
                    let done = expand::<$lanes, 8, true>(keys, left, right, fix, 0, &mut sum);
                    let done = expand::<$lanes, 1, true>(keys, left, right, fix, done, &mut sum);
                    expand::<__m128i, 1, true>(keys, left, right, fix, done, &mut sum);
                }
            }
            sum
        }
    };
}

entry_points!("aes,sse4.1", __m128i, ctr_aesni, expand_aesni, add_even_aesni, hash_aesni);
entry_points!("aes,avx2,vaes", __m256i, ctr_vaes256, expand_vaes256, add_even_vaes256, hash_vaes256);
entry_points!("aes,avx2,vaes,avx512f", __m512i, ctr_vaes512, expand_vaes512, add_even_vaes512, hash_vaes512);

/// The key schedule of FIPS 197, section 5.2.
#[target_feature(enable = "aes,sse4.1")]
pub(super) unsafe fn expand_key(key: u128) -> [u128; 11] {
    let mut keys = [key; 11];
    // SAFETY: this function has AES-NI, and SSE2 is part of x86-64.
    unsafe {
        let mut k = m128(key);
        let mut constant = 1;
        for out in &mut keys[1..] {
            k = next_round_key(k, constant);
            *out = to_gf(k).to_bits();
            constant = next_constant(constant);
        }
    }
    keys
}

/// The round key after `k`, without a table look-up on a secret key.
///
/// `aesenclast` of a block of four equal columns is their `SubWord` (the rows that it shifts are constant)
/// plus a round constant. This takes a third of the time of `aeskeygenassist`, which is microcode on many
/// cores. Speed matters because each tree has its own key.
///
/// # Safety
/// The CPU must have AES-NI and SSE4.1.
#[inline(always)]
pub(super) unsafe fn next_round_key(k: __m128i, constant: i32) -> __m128i {
    // SAFETY: the caller's promise.
    unsafe {
        // The last column, rotated by a byte, in all four columns.
        let rotated = _mm_set1_epi32(0x0c0f_0e0d);
        let word = _mm_aesenclast_si128(_mm_shuffle_epi8(k, rotated), _mm_set1_epi32(constant));
        let k = _mm_xor_si128(k, _mm_slli_si128::<4>(k));
        let k = _mm_xor_si128(k, _mm_slli_si128::<8>(k));
        _mm_xor_si128(k, word)
    }
}

/// The round constants are the powers of X in AES's field: 1, 2, .., 0x80, 0x1b, 0x36.
#[inline(always)]
pub(super) fn next_constant(constant: i32) -> i32 {
    (constant << 1) ^ ((constant >> 7) * 0x11b)
}
