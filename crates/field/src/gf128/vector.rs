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
//!
//! # The bottleneck
//!
//! On AMD Zen 3 it is carry-less multiplication: one takes 2 cycles, for one lane or for two. A check has 11
//! of them for each vector. Replacing Karatsuba's three by four made it 9% slower; replacing the second
//! fold's multiplication by shifts was slower still.

use super::portable::Unreduced;
use super::{Gf128, RUN};

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
struct Parts<V> {
    low: V,
    mid: V,
    high: V,
}

impl<V: Copy> Parts<V> {
    #[inline(always)]
    fn zero<const N: usize>(s: impl Simd<N, V = V>) -> Self {
        let zero = s.splat(Gf128::ZERO);
        Self { low: zero, mid: zero, high: zero }
    }

    #[inline(always)]
    fn product<const N: usize>(s: impl Simd<N, V = V>, a: V, b: V) -> Self {
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
    fn add<const N: usize>(&mut self, s: impl Simd<N, V = V>, other: Self) {
        self.low = s.xor(self.low, other.low);
        self.mid = s.xor(self.mid, other.mid);
        self.high = s.xor(self.high, other.high);
    }

    #[inline(always)]
    fn reduce<const N: usize>(self, s: impl Simd<N, V = V>) -> V {
        let f = s.splat(Gf128::from_bits(0x87));
        let mid = s.xor(self.mid, s.xor(self.low, self.high));
        let mid = s.xor(mid, s.clmul::<HIGH_LOW>(self.high, f));
        let at_128 = s.xor(self.high, s.down(mid));
        s.xor(s.xor(self.low, s.up(mid)), s.clmul::<LOW_LOW>(at_128, f))
    }

    /// Reduces, and adds up the lanes.
    #[inline(always)]
    fn total<const N: usize>(self, s: impl Simd<N, V = V>) -> Gf128 {
        total(s, self.reduce(s))
    }
}

/// The sum of the lanes.
#[inline(always)]
fn total<const N: usize, S: Simd<N>>(s: S, v: S::V) -> Gf128 {
    let mut lanes = [Gf128::ZERO; N];
    s.store(v, &mut lanes);
    lanes.into_iter().sum()
}

/// `a * b` in each lane.
#[inline(always)]
fn mul<const N: usize, S: Simd<N>>(s: S, a: S::V, b: S::V) -> S::V {
    Parts::product(s, a, b).reduce(s)
}

/// The remaining elements (fewer than `N`), padded with zeros, which add nothing to a sum.
#[inline(always)]
fn padded<const N: usize>(rest: &[Gf128]) -> [Gf128; N] {
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

/// The two sums of a check under way.
struct Check<V> {
    products: Parts<V>,
    linear: Parts<V>,
}

impl<V: Copy> Check<V> {
    /// Adds `N` multiplications. This is a method, since a closure would not be inlined and the sums would
    /// leave the registers.
    #[inline(always)]
    fn add<const PROVER: bool, const N: usize>(&mut self, s: impl Simd<N, V = V>, lanes: [&[Gf128; N]; 4]) {
        let [chi, a, b, c] = lanes;
        let (chi, a, b, c) = (s.load(chi), s.load(a), s.load(b), s.load(c));
        let linear =
            if PROVER { s.xor(s.xor(s.and(a, s.spread_lsb(b)), s.and(b, s.spread_lsb(a))), c) } else { c };
        let (products, linear) = two_products(s, chi, mul(s, a, b), linear);
        self.products.add(s, products);
        self.linear.add(s, linear);
    }
}

/// `sum chi * a * b`, and `sum chi * (x_a b + x_b a + c)` for the prover or `sum chi * c` for the verifier.
#[inline(always)]
pub(super) fn check<const PROVER: bool, const N: usize, S: Simd<N>>(
    s: S,
    [chi, a, b, c]: [&[Gf128]; 4],
) -> (Gf128, Gf128) {
    let ((chi, chi_rest), (a, a_rest)) = (chi.as_chunks::<N>(), a.as_chunks::<N>());
    let ((b, b_rest), (c, c_rest)) = (b.as_chunks::<N>(), c.as_chunks::<N>());
    let mut sums = Check { products: Parts::zero(s), linear: Parts::zero(s) };
    for (((chi, a), b), c) in chi.iter().zip(a).zip(b).zip(c) {
        sums.add::<PROVER, N>(s, [chi, a, b, c]);
    }
    if !chi_rest.is_empty() {
        let rest = [&padded(chi_rest), &padded(a_rest), &padded(b_rest), &padded(c_rest)];
        sums.add::<PROVER, N>(s, rest);
    }
    (sums.products.total(s), sums.linear.total(s))
}

/// `sum of a[i] x^i`, and for the prover `sum of lsb(a[i]) x^i`.
///
/// There are no multiplications: bytes are shifted. With `i = 8 b + N j + lane` it is Horner's rule for `x^8`
/// over `b` in each lane, for `x^N` over `j`, and for `x` over lanes. Sums have fewer than 256 bits until the
/// end.
#[inline(always)]
fn pack<const PROVER: bool, const N: usize, S: Simd<N>>(s: S, a: &[Gf128; RUN]) -> [Gf128; 2] {
    const { assert!(4 % N == 0, "chains come in pairs") };
    let (vectors, zero) = (a.as_chunks::<N>().0, s.splat(Gf128::ZERO));
    let lowest = s.splat(Gf128::from_bits(0x01010101_01010101_01010101_01010101));
    let [mut low, mut high, mut bits] = [zero; 3];
    for pair in (0..4 / N).rev() {
        // Two chains run at once, because each step waits for the step before.
        let [mut chains_low, mut chains_high] = [[zero; 2]; 2];
        // Loops by index: the compiler unrolls this, but not a reversed iterator with steps.
        for b in (0..16).rev() {
            for j in 0..2 {
                let v = s.load(&vectors[8 / N * b + 2 * pair + j]);
                chains_high[j] = s.carry_byte(chains_low[j], chains_high[j]);
                chains_low[j] = s.xor(s.up_byte(chains_low[j]), v);
            }
        }
        for j in (0..2).rev() {
            let carry = s.down(s.shift_right(low, 64 - N as i64));
            high = s.xor(s.xor(up_bits::<N, S>(s, high), carry), chains_high[j]);
            low = s.xor(up_bits::<N, S>(s, low), chains_low[j]);
            if PROVER {
                let bytes = lowest_bytes(s, vectors, 8 / N, 2 * pair + j);
                bits = s.xor(up_bits::<N, S>(s, bits), s.and(bytes, lowest));
            }
        }
    }
    let mut lanes = [[Gf128::ZERO; N]; 3];
    for (lanes, v) in lanes.iter_mut().zip([low, high, bits]) {
        s.store(v, lanes);
    }
    let [low, high, bits] = &lanes;
    let (mut sum, mut values) = (Unreduced::default(), 0);
    for ((low, high), bits) in low.iter().zip(high).zip(bits).rev() {
        sum.horner(low.to_bits(), high.to_bits());
        values = values << 1 ^ bits.to_bits();
    }
    [sum.reduce(), Gf128::from_bits(values)]
}

/// Byte `b` of each lane is the lowest byte of vector `first + step b`.
///
/// Four times, bytes of vectors at half the previous distance are interleaved.
#[inline(always)]
fn lowest_bytes<const N: usize, S: Simd<N>>(s: S, vectors: &[[Gf128; N]], step: usize, first: usize) -> S::V {
    let mut bytes = [s.splat(Gf128::ZERO); 8];
    for (b, bytes) in bytes.iter_mut().enumerate() {
        *bytes =
            s.interleave_low(s.load(&vectors[first + step * b]), s.load(&vectors[first + step * (b + 8)]));
    }
    for half in [4, 2, 1] {
        for b in 0..half {
            bytes[b] = s.interleave_low(bytes[b], bytes[b + half]);
        }
    }
    bytes[0]
}

/// Each lane shifted left by `N` bits.
#[inline(always)]
fn up_bits<const N: usize, S: Simd<N>>(s: S, v: S::V) -> S::V {
    s.xor(s.shift_left(v, N as i64), s.up(s.shift_right(v, 64 - N as i64)))
}

/// The sums of [`Kernel::weigh_prover`](super::Kernel::weigh_prover), or only the first for the verifier.
#[inline(always)]
pub(super) fn weigh<const PROVER: bool, const N: usize, S: Simd<N>>(
    s: S,
    c: &[Gf128],
    a: &[Gf128],
) -> [Gf128; 2] {
    /// Runs that are weighed at once.
    const RUNS: usize = 8;
    let mut sums = [Gf128::ZERO; 2];
    for (c, a) in c.chunks(RUNS).zip(a.chunks(RUNS * RUN)) {
        let mut packed = [[Gf128::ZERO; RUNS]; 2];
        let (runs, rest) = a.as_chunks::<RUN>();
        for (i, run) in runs.iter().enumerate() {
            [packed[0][i], packed[1][i]] = pack::<PROVER, N, S>(s, run);
        }
        if !rest.is_empty() {
            [packed[0][runs.len()], packed[1][runs.len()]] = pack::<PROVER, N, S>(s, &padded(rest));
        }
        sums[0] += inner_product(s, c, &packed[0][..c.len()]);
        if PROVER {
            sums[1] += inner_product(s, c, &packed[1][..c.len()]);
        }
    }
    sums
}

/// `chi * p` and `chi * q`: the sum of the halves of `chi` is computed once, and those of `p` and `q`
/// together.
#[inline(always)]
fn two_products<const N: usize, S: Simd<N>>(s: S, chi: S::V, p: S::V, q: S::V) -> (Parts<S::V>, Parts<S::V>) {
    let chi_sum = s.xor(chi, s.swap(chi));
    let sums = s.xor(s.low_halves(p, q), s.high_halves(p, q));
    let p = Parts {
        low: s.clmul::<LOW_LOW>(chi, p),
        mid: s.clmul::<LOW_LOW>(chi_sum, sums),
        high: s.clmul::<HIGH_HIGH>(chi, p),
    };
    let q = Parts {
        low: s.clmul::<LOW_LOW>(chi, q),
        mid: s.clmul::<LOW_HIGH>(chi_sum, sums),
        high: s.clmul::<HIGH_HIGH>(chi, q),
    };
    (p, q)
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
            fn new() -> Self {
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
        fn check_prover(chi: &[Gf128], a: &[Gf128], b: &[Gf128], c: &[Gf128]) -> (Gf128, Gf128) {
            vector::check::<true, $lanes, _>($simd::new(), [chi, a, b, c])
        }

        #[target_feature(enable = $features)]
        fn check_verifier(chi: &[Gf128], a: &[Gf128], b: &[Gf128], c: &[Gf128]) -> (Gf128, Gf128) {
            vector::check::<false, $lanes, _>($simd::new(), [chi, a, b, c])
        }

        #[target_feature(enable = $features)]
        fn weigh_prover(c: &[Gf128], a: &[Gf128]) -> [Gf128; 2] {
            vector::weigh::<true, $lanes, _>($simd::new(), c, a)
        }

        #[target_feature(enable = $features)]
        fn weigh_verifier(c: &[Gf128], a: &[Gf128]) -> [Gf128; 2] {
            vector::weigh::<false, $lanes, _>($simd::new(), c, a)
        }

        #[target_feature(enable = $features)]
        fn transpose(rows: &[u8], stride: usize, out: &mut [Gf128]) {
            transpose::transpose::<$lanes, _>($simd::new(), rows, stride, out);
        }
    };
}

pub(super) use entries;
