//! A gate of three halves in registers of 128 and 256 bits.
//!
//! A single gate is bounded by its latency, since in an adder the next gate waits for its result. So labels
//! go from memory into a register, and the product's label back, in one piece: a label written in two halves
//! would have to leave the store buffer before it can be loaded as one. Everything that does not need hashes
//! is computed while AES runs.
//!
//! With `[high, low]` the two halves of a register, `X` and `Y` labels of the inputs, and `u`, `w` as in the
//! module above,
//!
//! ```text
//! M(X, Y) = [u, w]    N(X, Y) = [w, u + w]         both linear
//!
//! f(i, j) = [x_i, y_j] + z_k + a M + b N + [i u, j X.low]
//! ```
//!
//! with the control bits and the table's bits as there.

use core::arch::x86_64::*;

use volery_field::Gf128;

use super::ThreeHalves;
use crate::gates::Gate as _;
use crate::hash::{PairKeys, x86::spread_pair};

/// Bytes of a table.
const TABLE: usize = ThreeHalves::TABLE_BYTES;

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn load(x: &Gf128) -> __m128i {
    // SAFETY: a `Gf128` is a transparent `u128`, 16 readable bytes; the load is unaligned.
    unsafe { _mm_loadu_si128((&raw const *x).cast()) }
}

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn store(x: __m128i, out: &mut Gf128) {
    // SAFETY: a `Gf128` is a transparent `u128`, 16 writable bytes; the store is unaligned.
    unsafe { _mm_storeu_si128((&raw mut *out).cast(), x) }
}

/// All bits of a block set if one bit of it is. The shuffle `WORD` copies one word everywhere; the bit is the
/// highest of that word after a shift by `UP` places.
#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn mask<const WORD: i32, const UP: i32>(x: __m128i) -> __m128i {
    _mm_srai_epi32::<31>(_mm_slli_epi32::<UP>(_mm_shuffle_epi32::<WORD>(x)))
}

/// The mask of a block's lowest bit.
#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn lowest(x: __m128i) -> __m128i {
    mask::<0b00_00_00_00, 31>(x)
}

/// The mask of the bit of a hash that masks control bits: the lowest of the high half.
#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn extra(x: __m128i) -> __m128i {
    mask::<0b10_10_10_10, 31>(x)
}

/// `M(X, Y)`.
#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn m(x: __m128i, y: __m128i) -> __m128i {
    let highs = _mm_xor_si128(_mm_unpackhi_epi64(x, x), _mm_slli_si128::<8>(x));
    _mm_xor_si128(highs, y)
}

/// `N(X, Y)` from `M(X, Y)`.
#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn n(m: __m128i) -> __m128i {
    _mm_xor_si128(_mm_shuffle_epi32::<0b01_00_11_10>(m), _mm_move_epi64(m))
}

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn sum<const N: usize>(parts: [__m128i; N]) -> __m128i {
    let mut sum = _mm_setzero_si128();
    for part in parts {
        sum = _mm_xor_si128(sum, part);
    }
    sum
}

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn and(x: __m128i, y: __m128i) -> __m128i {
    _mm_and_si128(x, y)
}

/// The keys of a register's two labels.
#[derive(Clone, Copy)]
enum Lanes<'a> {
    /// One each.
    Both(&'a PairKeys),
    /// The pair's first key for both.
    First(&'a PairKeys),
}

impl Lanes<'_> {
    #[inline]
    #[target_feature(enable = "aes,avx2,vaes")]
    fn round(&self, round: usize) -> __m256i {
        match self {
            Self::Both(keys) => keys.round(round),
            Self::First(keys) => _mm256_broadcastsi128_si256(_mm256_castsi256_si128(keys.round(round))),
        }
    }
}

/// `H` of `N` registers, each under the keys with the same index.
#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn hash<const N: usize>(keys: [Lanes<'_>; N], labels: [__m256i; N]) -> [__m256i; N] {
    let mut inputs = labels;
    for input in &mut inputs {
        *input = spread_pair(*input);
    }
    let mut x = inputs;
    for (x, keys) in x.iter_mut().zip(keys) {
        *x = _mm256_xor_si256(*x, keys.round(0));
    }
    for round in 1..10 {
        for (x, keys) in x.iter_mut().zip(keys) {
            *x = _mm256_aesenc_epi128(*x, keys.round(round));
        }
    }
    for ((x, keys), input) in x.iter_mut().zip(keys).zip(inputs) {
        *x = _mm256_xor_si256(_mm256_aesenclast_epi128(*x, keys.round(10)), input);
    }
    x
}

/// The label of 0 of the product, and the table, for inputs with these labels of 0.
#[target_feature(enable = "aes,avx2,vaes")]
pub(super) fn garble(
    keys: &[PairKeys; 2],
    x: &Gf128,
    y: &Gf128,
    offset: &Gf128,
    out: &mut Gf128,
    table: &mut [u8; TABLE],
) {
    let (x, y, offset) = (load(x), load(y), load(offset));
    let (alpha, beta) = (lowest(x), lowest(y));
    // Indexed by colour.
    let (x, y) = (_mm_xor_si128(x, and(offset, alpha)), _mm_xor_si128(y, and(offset, beta)));
    let xy = _mm256_set_m128i(y, x);
    let z = _mm_xor_si128(x, y);
    let zz = _mm256_set_m128i(_mm_xor_si128(z, offset), z);
    let other = _mm256_xor_si256(xy, _mm256_broadcastsi128_si256(offset));
    let [first, second] = keys;
    let [xy0, xy1, z01] =
        hash([Lanes::Both(first), Lanes::Both(first), Lanes::First(second)], [xy, other, zz]);

    let (z0, z1) = (_mm256_castsi256_si128(z01), _mm256_extracti128_si256::<1>(z01));
    let (x0, x1) = (_mm256_castsi256_si128(xy0), _mm256_castsi256_si128(xy1));
    let (y0, y1) = (_mm256_extracti128_si256::<1>(xy0), _mm256_extracti128_si256::<1>(xy1));
    let (low_z0, low_z1) = (_mm_unpacklo_epi64(z0, z0), _mm_unpacklo_epi64(z1, z1));
    let (d, e) = (extra(_mm_xor_si128(x0, z0)), extra(_mm_xor_si128(y0, z0)));

    let zero = _mm_setzero_si128();
    let m_00 = m(x, y);
    let m_01 = _mm_xor_si128(m_00, m(zero, offset));
    let m_10 = _mm_xor_si128(m_00, m(offset, zero));
    // The parts that depend only on labels: f's last term, the truth value, and the parts of `a` and `b`
    // without dice.
    let (either, both) = (_mm_xor_si128(alpha, beta), and(alpha, beta));
    let rest_00 = and(offset, both);
    let rest_01 = sum([
        and(m_01, either),
        and(n(m_01), alpha),
        _mm_move_epi64(x),
        and(offset, _mm_andnot_si128(beta, alpha)),
    ]);
    let rest_10 = sum([
        and(m_10, beta),
        and(n(m_10), either),
        _mm_blend_epi16::<0xf0>(zero, m_10),
        and(offset, _mm_andnot_si128(alpha, beta)),
    ]);
    let c = sum([rest_00, and(m_00, d), and(n(m_00), e), low_z0, _mm_unpacklo_epi64(y0, x0)]);
    let f_01 = sum([rest_01, and(m_01, d), and(n(m_01), e), low_z1, _mm_unpacklo_epi64(y1, x0)]);
    let f_10 = sum([rest_10, and(m_10, d), and(n(m_10), e), low_z1, _mm_unpacklo_epi64(y0, x1)]);
    store(c, out);

    let (f_01, f_10) = (_mm_xor_si128(f_01, c), _mm_xor_si128(f_10, c));
    let third = _mm_unpackhi_epi64(f_01, f_01);
    let halves = _mm_xor_si128(_mm_alignr_epi8::<8>(f_01, f_10), third);
    // SAFETY: 16 writable bytes and then 8 of the table's 25; the stores are unaligned.
    unsafe {
        _mm_storeu_si128(table.as_mut_ptr().cast(), halves);
        _mm_storel_epi64(table.as_mut_ptr().add(16).cast(), third);
    }
    // Bits 1 and 3 are those of the first and the second hash.
    let extras = |hashes| _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64::<63>(hashes)));
    let (both_xy, both_z) = (extras(xy0) ^ extras(xy1), extras(z01));
    let alpha = _mm_cvtsi128_si32(alpha) & 1;
    let beta = _mm_cvtsi128_si32(beta) & 1;
    let bit = |bits: i32, n: u32| bits >> n & 1;
    let g_0 = alpha ^ bit(both_xy, 1);
    let g_1 = beta ^ bit(both_xy, 3);
    let g_2 = alpha ^ beta ^ bit(both_z, 1) ^ bit(both_z, 3);
    table[24] = (g_0 | g_1 << 1 | g_2 << 2) as u8;
}

/// The label of the product of inputs with these labels.
#[target_feature(enable = "aes,avx2,vaes")]
pub(super) fn evaluate(keys: &[PairKeys; 2], x: &Gf128, y: &Gf128, table: &[u8; TABLE], out: &mut Gf128) {
    let (x, y) = (load(x), load(y));
    let (i, j) = (lowest(x), lowest(y));
    let k = _mm_xor_si128(i, j);
    let zx = _mm256_set_m128i(x, _mm_xor_si128(x, y));
    let [xy, z] = hash(keys.each_ref().map(Lanes::Both), [_mm256_set_m128i(y, x), zx]);
    let (hash_x, hash_y) = (_mm256_castsi256_si128(xy), _mm256_extracti128_si256::<1>(xy));
    let z = _mm256_castsi256_si128(z);

    // SAFETY: 16 readable bytes and then 8 of the table's 25; the loads are unaligned.
    let (halves, third) =
        unsafe { (_mm_loadu_si128(table.as_ptr().cast()), _mm_loadl_epi64(table.as_ptr().add(16).cast())) };
    let m = m(x, y);
    // The table's bits: g_0, g_1, g_2 from the lowest on.
    let bits = _mm_set1_epi32(i32::from(table[24]));
    let bit_2 = and(mask::<0, 29>(bits), k);
    let a = _mm_xor_si128(and(mask::<0, 31>(bits), i), bit_2);
    let b = _mm_xor_si128(and(mask::<0, 30>(bits), j), bit_2);
    // [i (u + G_0), j (X.low + G_1)]
    let own = _mm_xor_si128(_mm_blend_epi16::<0xf0>(x, m), _mm_shuffle_epi32::<0b01_00_11_10>(halves));
    let own = and(own, _mm_unpacklo_epi64(j, i));
    let rest = _mm_xor_si128(own, and(_mm_unpacklo_epi64(third, third), k));

    let extra_z = extra(z);
    let a = sum([a, extra(hash_x), extra_z]);
    let b = sum([b, extra(hash_y), extra_z]);
    let low_z = _mm_unpacklo_epi64(z, z);
    store(sum([rest, low_z, _mm_unpacklo_epi64(hash_y, hash_x), and(m, a), and(n(m), b)]), out);
}

#[cfg(test)]
mod tests {
    use volery_field::F2;
    use volery_vole::{AesLevel, Prg};

    use super::*;
    use crate::hash::{Keys, Pair};

    const START: [u8; 16] = [0x5a; 16];

    /// Keys from pair `first` on, on the given level.
    fn keys(level: AesLevel, first: u64) -> Keys {
        let mut keys = Keys::with_level(level, START, first);
        keys.renew().expect("there are as many");
        keys
    }

    /// Labels whose colours are the two lowest bits of `case`, and an offset.
    fn sample(case: u64) -> [Gf128; 3] {
        let mut blocks = [Gf128::ZERO; 3];
        Prg::new((0x77_u128 + u128::from(case)).to_le_bytes()).blocks(&mut blocks);
        let bit = |x: Gf128, bit: u64| Gf128::from_bits(x.to_bits() & !1 | u128::from(bit & 1));
        [bit(blocks[0], case), bit(blocks[1], case >> 1), bit(blocks[2], 1)]
    }

    #[test]
    fn gates_in_registers_are_those_of_the_plain_code_for_all_colours_control_bits_and_values() {
        if !AesLevel::Vaes256.available() {
            return;
        }
        let mut control = [0; 4];
        for case in 0..256 {
            let [x, y, offset] = sample(case);
            let mut hashes = [[[Gf128::ZERO; 2]; 2]; 2];
            ThreeHalves::garbler_labels(x, y, offset, &mut hashes);
            keys(AesLevel::Portable, 3 * case).hash(&mut hashes);
            let [[[x0, y0], _], [[z0, _], _]] = hashes;
            let bit = |x: Gf128| (x.to_bits() >> 64 & 1) as usize;
            control[bit(x0 + z0) | bit(y0 + z0) << 1] += 1;
            let mut want = Vec::new();
            let product = ThreeHalves::garble(x, y, offset, &hashes, &mut want);

            let mut fast = keys(AesLevel::Vaes256, 3 * case);
            let mut got = vec![7];
            let made = ThreeHalves::garble_in_registers(&mut fast, &x, &y, &offset, &mut got);
            assert_eq!(made, Some(product), "{case}");
            assert_eq!(got[1..], want, "{case}");
            assert_eq!(fast.number(), 3 * case + 2);

            for values in 0..4 {
                let (x, y) = (x + offset * F2::from_lsb(values), y + offset * F2::from_lsb(values >> 1));
                let mut hashes: [[Pair; 1]; 2] = [[[Gf128::ZERO; 2]; 1]; 2];
                ThreeHalves::evaluator_labels(x, y, &mut hashes);
                keys(AesLevel::Portable, 3 * case).hash(&mut hashes);
                let want = ThreeHalves::evaluate(x, y, &hashes, &got[1..]);
                let mut fast = keys(AesLevel::Vaes256, 3 * case);
                let seen = ThreeHalves::evaluate_in_registers(&mut fast, &x, &y, &got[1..]);
                assert_eq!(seen, Some(want), "{case} {values}");
                assert_eq!(want, product + offset * F2::from_lsb(values & values >> 1));
            }
        }
        assert!(control.iter().all(|count| *count > 30), "all control bits come up: {control:?}");
    }

    #[test]
    fn an_evaluator_takes_any_bytes_as_a_table_as_the_plain_code_does() {
        if !AesLevel::Vaes256.available() {
            return;
        }
        for byte in 0..=255 {
            let [x, y, _] = sample(u64::from(byte));
            let table: Vec<u8> = (0..24).map(|i| byte ^ 73_u8.wrapping_mul(i)).chain([byte, 1, 2]).collect();
            let mut hashes = [[[Gf128::ZERO; 2]; 1]; 2];
            ThreeHalves::evaluator_labels(x, y, &mut hashes);
            keys(AesLevel::Portable, 5).hash(&mut hashes);
            let want = ThreeHalves::evaluate(x, y, &hashes, &table[..25]);
            let seen = ThreeHalves::evaluate_in_registers(&mut keys(AesLevel::Vaes256, 5), &x, &y, &table);
            assert_eq!(seen, Some(want), "{byte}");
        }
    }

    #[test]
    fn where_no_gate_fits_nothing_is_done() {
        let [x, y, offset] = sample(1);
        let nothing = |keys: &mut Keys, table: Option<&[u8]>| {
            let (before, mut tables) = ((keys.number(), keys.ready()), vec![7]);
            match table {
                None => {
                    let made = ThreeHalves::garble_in_registers(keys, &x, &y, &offset, &mut tables);
                    assert_eq!(made, None);
                }
                Some(table) => assert_eq!(ThreeHalves::evaluate_in_registers(keys, &x, &y, table), None),
            }
            assert_eq!((keys.number(), keys.ready(), tables), (before.0, before.1, vec![7]));
        };
        let full: Option<&[u8]> = Some(&[0; TABLE]);
        // No kernel.
        nothing(&mut keys(AesLevel::Portable, 5), None);
        nothing(&mut keys(AesLevel::Portable, 5), full);
        if !AesLevel::Vaes256.available() {
            return;
        }
        // A table that is too short.
        for length in [0, 1, TABLE - 1] {
            nothing(&mut keys(AesLevel::Vaes256, 5), Some(&[0; TABLE][..length]));
        }
        // No keys: before the first, after the last.
        nothing(&mut Keys::with_level(AesLevel::Vaes256, START, 5), None);
        nothing(&mut Keys::with_level(AesLevel::Vaes256, START, 5), full);
        let mut used = keys(AesLevel::Vaes256, 5);
        while used.ready() > 0 {
            assert!(used.next_gate().is_some());
        }
        nothing(&mut used, None);
        nothing(&mut used, full);
    }
}
