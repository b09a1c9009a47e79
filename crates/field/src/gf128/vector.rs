//! The algorithms on vectors of `N` elements, for any instruction set.
//!
//! A [`Simd`] value proves that the CPU has an instruction set, and its methods are single instructions (or a
//! few). Everything here is safe code, generic over `Simd`, and inlined into the functions of each
//! instruction set.
//!
//! # Product
//!
//! Karatsuba, with 64-bit halves `a = a0 + a1 x^64`:
//!
//! ```text
//! a * b = low + (mid + low + high) x^64 + high x^128,   low = a0 b0,  high = a1 b1,  mid = (a0 + a1)(b0 + b1)
//! ```
//!
//! The three parts are linear in the product. So sums of products are kept as three sums of parts
//! ([`Parts`]), which are combined and reduced once at the end.
//!
//! # Reduction
//!
//! `x^128 = f`, `f = x^7 + x^2 + x + 1`. The top 64 bits, at `x^192`, times `f` go to `x^64`, where the
//! middle part is added anyway. Then the 64 bits at `x^128` times `f` go to `x^0`. This takes two
//! multiplications in all.

use super::Gf128;

/// Which halves [`Simd::clmul`] multiplies: the low ones.
pub(super) const LOW_LOW: i32 = 0x00;
/// The low half of the first factor and the high half of the second.
pub(super) const LOW_HIGH: i32 = 0x10;
/// The high half of the first factor and the low half of the second.
pub(super) const HIGH_LOW: i32 = 0x01;
/// The high halves.
pub(super) const HIGH_HIGH: i32 = 0x11;

/// An available instruction set with vectors `V` of `N` lanes of 128 bits. All operations work lane by lane.
pub(super) trait Simd<const N: usize>: Copy {
    /// `N` lanes of 128 bits.
    type V: Copy;

    fn load(self, from: &[Gf128; N]) -> Self::V;
    fn load_bytes(self, from: &[[u8; 16]; N]) -> Self::V;
    fn store(self, v: Self::V, to: &mut [Gf128; N]);
    /// `lane` in every lane.
    fn splat(self, lane: Gf128) -> Self::V;
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    /// The carry-less product of one half of `a` and one of `b`, chosen by `HALVES`.
    fn clmul<const HALVES: i32>(self, a: Self::V, b: Self::V) -> Self::V;
    /// The halves exchanged.
    fn swap(self, v: Self::V) -> Self::V;
    /// The low half moved to the high half, zero below.
    fn up(self, v: Self::V) -> Self::V;
    /// The high half moved to the low half, zero above.
    fn down(self, v: Self::V) -> Self::V;
    /// Moved up by a byte, zero below.
    fn up_byte(self, v: Self::V) -> Self::V;
    /// `high` moved up by a byte, the top byte of `low` below.
    fn carry_byte(self, low: Self::V, high: Self::V) -> Self::V;
    /// The low half of `a`, then the low half of `b` above it.
    fn low_halves(self, a: Self::V, b: Self::V) -> Self::V;
    /// The high half of `a`, then the high half of `b` above it.
    fn high_halves(self, a: Self::V, b: Self::V) -> Self::V;
    /// The low 8 bytes of `a` and `b` interleaved, starting with `a`.
    fn interleave_low(self, a: Self::V, b: Self::V) -> Self::V;
    /// The high 8 bytes of `a` and `b` interleaved, starting with `a`.
    fn interleave_high(self, a: Self::V, b: Self::V) -> Self::V;
    /// Each half shifted left by `bits`.
    fn shift_left(self, v: Self::V, bits: i64) -> Self::V;
    /// Each half shifted right by `bits`.
    fn shift_right(self, v: Self::V, bits: i64) -> Self::V;
    /// All ones in the lanes whose bit 0 is set, zero in the others.
    fn spread_lsb(self, v: Self::V) -> Self::V;
    /// All ones in lane `i` if bit `i` of `bits` is set, else zero; bits from `N` on are ignored.
    fn masks(self, bits: u64) -> Self::V;
}

/// Products, or sums of products, before their parts are combined and reduced.
#[derive(Clone, Copy)]
pub(super) struct Parts<V> {
    pub(super) low: V,
    pub(super) mid: V,
    pub(super) high: V,
}

impl<V: Copy> Parts<V> {
    #[inline(always)]
    pub(super) fn zero<const N: usize>(s: impl Simd<N, V = V>) -> Self {
        let zero = s.splat(Gf128::ZERO);
        Self { low: zero, mid: zero, high: zero }
    }

    #[inline(always)]
    pub(super) fn product<const N: usize>(s: impl Simd<N, V = V>, a: V, b: V) -> Self {
        let (a_sum, b_sum) = (s.xor(a, s.swap(a)), s.xor(b, s.swap(b)));
        Self {
            low: s.clmul::<LOW_LOW>(a, b),
            mid: s.clmul::<LOW_LOW>(a_sum, b_sum),
            high: s.clmul::<HIGH_HIGH>(a, b),
        }
    }

    #[inline(always)]
    fn square<const N: usize>(s: impl Simd<N, V = V>, a: V) -> Self {
        let (low, high) = (s.clmul::<LOW_LOW>(a, a), s.clmul::<HIGH_HIGH>(a, a));
        // The middle part of a square vanishes; this value of `mid` cancels it.
        Self { low, mid: s.xor(low, high), high }
    }

    #[inline(always)]
    pub(super) fn add<const N: usize>(&mut self, s: impl Simd<N, V = V>, other: Self) {
        self.low = s.xor(self.low, other.low);
        self.mid = s.xor(self.mid, other.mid);
        self.high = s.xor(self.high, other.high);
    }

    #[inline(always)]
    pub(super) fn reduce<const N: usize>(self, s: impl Simd<N, V = V>) -> V {
        let f = s.splat(Gf128::from_bits(0x87));
        let mid = s.xor(self.mid, s.xor(self.low, self.high));
        let mid = s.xor(mid, s.clmul::<HIGH_LOW>(self.high, f));
        let at_128 = s.xor(self.high, s.down(mid));
        s.xor(s.xor(self.low, s.up(mid)), s.clmul::<LOW_LOW>(at_128, f))
    }

    /// Reduces, and adds up the lanes.
    #[inline(always)]
    pub(super) fn total<const N: usize>(self, s: impl Simd<N, V = V>) -> Gf128 {
        total(s, self.reduce(s))
    }
}

/// The sum of the lanes.
#[inline(always)]
pub(super) fn total<const N: usize, S: Simd<N>>(s: S, v: S::V) -> Gf128 {
    let mut lanes = [Gf128::ZERO; N];
    s.store(v, &mut lanes);
    lanes.into_iter().sum()
}

/// `a * b` in each lane.
#[inline(always)]
pub(super) fn mul<const N: usize, S: Simd<N>>(s: S, a: S::V, b: S::V) -> S::V {
    Parts::product(s, a, b).reduce(s)
}

/// The remaining elements (fewer than `N`), padded with zeros, which add nothing to a sum.
#[inline(always)]
pub(super) fn padded<const N: usize>(rest: &[Gf128]) -> [Gf128; N] {
    let mut lanes = [Gf128::ZERO; N];
    lanes.iter_mut().zip(rest).for_each(|(lane, element)| *lane = *element);
    lanes
}

/// `a * b` for single elements.
#[inline(always)]
pub(super) fn mul_one<S: Simd<1>>(s: S, a: Gf128, b: Gf128) -> Gf128 {
    total(s, mul(s, s.load(&[a]), s.load(&[b])))
}

/// `a * a` for a single element.
#[inline(always)]
pub(super) fn square_one<S: Simd<1>>(s: S, a: Gf128) -> Gf128 {
    Parts::square(s, s.load(&[a])).total(s)
}

#[inline(always)]
pub(super) fn inner_product<const N: usize, S: Simd<N>>(s: S, a: &[Gf128], b: &[Gf128]) -> Gf128 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<N>(), b.as_chunks::<N>());
    let mut sum = Parts::zero(s);
    for (a, b) in a.iter().zip(b) {
        sum.add(s, Parts::product(s, s.load(a), s.load(b)));
    }
    if !a_rest.is_empty() {
        sum.add(s, Parts::product(s, s.load(&padded(a_rest)), s.load(&padded(b_rest))));
    }
    sum.total(s)
}

#[inline(always)]
pub(super) fn inner_product_bits<const N: usize, S: Simd<N>>(s: S, a: &[Gf128], bits: &[u64]) -> Gf128 {
    let mut sum = s.splat(Gf128::ZERO);
    for (a, &word) in a.chunks(64).zip(bits) {
        let (a, rest) = a.as_chunks::<N>();
        let mut word = word;
        for a in a {
            sum = s.xor(sum, s.and(s.load(a), s.masks(word)));
            word = word.wrapping_shr(N as u32);
        }
        if !rest.is_empty() {
            sum = s.xor(sum, s.and(s.load(&padded(rest)), s.masks(word)));
        }
    }
    total(s, sum)
}

/// Four chains of vectors, each stepping by `x^(4 N)`, hide the latency of a multiplication.
#[inline(always)]
pub(super) fn powers<const N: usize, S: Simd<N>>(s: S, x: Gf128, out: &mut [Gf128]) {
    let x = s.splat(x);
    let (mut power, mut first) = (x, [Gf128::ZERO; N]);
    for lane in 0..N {
        let mut lanes = [Gf128::ZERO; N];
        s.store(power, &mut lanes);
        first[lane] = lanes[lane];
        if lane + 1 < N {
            power = mul(s, power, x);
        }
    }
    // Now power = x^N in every lane.
    let mut chains = [s.load(&first); 4];
    for i in 1..4 {
        chains[i] = mul(s, chains[i - 1], power);
    }
    let step = Parts::square(s, Parts::square(s, power).reduce(s)).reduce(s);

    let (vectors, rest) = out.as_chunks_mut::<N>();
    let (fours, vectors) = vectors.as_chunks_mut::<4>();
    for four in fours {
        for (out, chain) in four.iter_mut().zip(&mut chains) {
            s.store(*chain, out);
            *chain = mul(s, *chain, step);
        }
    }
    let mut chains = chains.into_iter();
    vectors.iter_mut().zip(&mut chains).for_each(|(out, chain)| s.store(chain, out));
    if let Some(chain) = chains.next() {
        let mut lanes = [Gf128::ZERO; N];
        s.store(chain, &mut lanes);
        rest.iter_mut().zip(lanes).for_each(|(out, lane)| *out = lane);
    }
}

#[inline(always)]
pub(super) fn mul_slices<const N: usize, S: Simd<N>>(s: S, a: &[Gf128], b: &[Gf128], out: &mut [Gf128]) {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<N>(), b.as_chunks::<N>());
    let (out, out_rest) = out.as_chunks_mut::<N>();
    for ((a, b), out) in a.iter().zip(b).zip(out) {
        s.store(mul(s, s.load(a), s.load(b)), out);
    }
    if !out_rest.is_empty() {
        let mut lanes = [Gf128::ZERO; N];
        s.store(mul(s, s.load(&padded(a_rest)), s.load(&padded(b_rest))), &mut lanes);
        out_rest.iter_mut().zip(lanes).for_each(|(out, lane)| *out = lane);
    }
}

#[inline(always)]
pub(super) fn scale_add<const N: usize, S: Simd<N>>(s: S, scale: Gf128, a: &[Gf128], out: &mut [Gf128]) {
    let scale = s.splat(scale);
    let (a, a_rest) = a.as_chunks::<N>();
    let (out, out_rest) = out.as_chunks_mut::<N>();
    for (a, out) in a.iter().zip(out) {
        let sum = s.xor(s.load(out), mul(s, scale, s.load(a)));
        s.store(sum, out);
    }
    if !out_rest.is_empty() {
        let mut lanes = [Gf128::ZERO; N];
        s.store(mul(s, scale, s.load(&padded(a_rest))), &mut lanes);
        out_rest.iter_mut().zip(lanes).for_each(|(out, lane)| *out += lane);
    }
}

/// Makes the functions of one instruction set, and the table of them, from the algorithms of this module.
macro_rules! entries {
    ($simd:ident, $lanes:literal, $level:expr, $features:literal) => {
        pub(super) static TABLE: Table = Table {
            level: $level,
            inner_product,
            inner_product_bits,
            powers,
            mul_slices,
            scale_add,
            check_prover,
            check_verifier,
            weigh_prover,
            weigh_verifier,
            transpose,
        };

        impl $simd {
            /// Safe where the caller has the features, which the compiler checks.
            #[target_feature(enable = $features)]
            #[inline]
            pub(super) fn new() -> Self {
                Self(())
            }
        }

        #[target_feature(enable = $features)]
        fn inner_product(a: &[Gf128], b: &[Gf128]) -> Gf128 {
            vector::inner_product::<$lanes, _>($simd::new(), a, b)
        }

        #[target_feature(enable = $features)]
        fn inner_product_bits(a: &[Gf128], bits: &[u64]) -> Gf128 {
            vector::inner_product_bits::<$lanes, _>($simd::new(), a, bits)
        }

        #[target_feature(enable = $features)]
        fn powers(x: Gf128, out: &mut [Gf128]) {
            vector::powers::<$lanes, _>($simd::new(), x, out);
        }

        #[target_feature(enable = $features)]
        fn mul_slices(a: &[Gf128], b: &[Gf128], out: &mut [Gf128]) {
            vector::mul_slices::<$lanes, _>($simd::new(), a, b, out);
        }

        #[target_feature(enable = $features)]
        fn scale_add(scale: Gf128, a: &[Gf128], out: &mut [Gf128]) {
            vector::scale_add::<$lanes, _>($simd::new(), scale, a, out);
        }

        #[target_feature(enable = $features)]
        fn check_prover(weights: &[Gf128], a: &[Gf128], b: &[Gf128], c: &[Gf128]) -> (Gf128, Gf128) {
            runs::check::<true, $lanes, _>($simd::new(), weights, [a, b, c])
        }

        #[target_feature(enable = $features)]
        fn check_verifier(weights: &[Gf128], a: &[Gf128], b: &[Gf128], c: &[Gf128]) -> (Gf128, Gf128) {
            runs::check::<false, $lanes, _>($simd::new(), weights, [a, b, c])
        }

        #[target_feature(enable = $features)]
        fn weigh_prover(c: &[Gf128], a: &[Gf128]) -> [Gf128; 2] {
            runs::weigh::<true, $lanes, _>($simd::new(), c, a)
        }

        #[target_feature(enable = $features)]
        fn weigh_verifier(c: &[Gf128], a: &[Gf128]) -> [Gf128; 2] {
            runs::weigh::<false, $lanes, _>($simd::new(), c, a)
        }

        #[target_feature(enable = $features)]
        fn transpose(rows: &[u8], stride: usize, out: &mut [Gf128]) {
            transpose::transpose::<$lanes, _>($simd::new(), rows, stride, out);
        }
    };
}

pub(super) use entries;
