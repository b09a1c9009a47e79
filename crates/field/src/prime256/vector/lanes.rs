//! AVX-512 F and IFMA: eight lanes of 64 bits. Most methods are one instruction.

use core::arch::x86_64::*;

use crate::prime256::limbs::Limbs;

/// The number of lanes, and so of elements taken at once.
pub(super) const LANES: usize = 8;

/// Eight words.
pub(super) type V = __m512i;

/// Elements in memory, one from each of eight rows of `S`.
pub(super) type Rows<const S: usize> = [[Limbs; S]; LANES];

/// Proof that the CPU has AVX-512 F and IFMA.
// Invariant behind every SAFETY comment here: the field is private, and only `Ifma::new`, which requires the
// CPU features, makes a value. So wherever there is a `self`, the CPU has the instructions.
#[derive(Clone, Copy)]
pub(super) struct Ifma(());

/// Methods that are one instruction on vectors.
macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident($($operand:ident),*) = $intrinsic:ident;)*) => {
        impl Ifma {
            $($(#[$doc])*
            #[inline(always)]
            pub(super) fn $name(self, $($operand: V),*) -> V {
                // SAFETY: `self` proves the features.
                unsafe { $intrinsic($($operand),*) }
            })*
        }
    };
}

instructions! {
    /// `a + b`.
    add(a, b) = _mm512_add_epi64;
    /// `a - b`.
    sub(a, b) = _mm512_sub_epi64;
    /// The bits in both.
    and(a, b) = _mm512_and_si512;
    /// The bits in either.
    or(a, b) = _mm512_or_si512;
    /// The bits that differ.
    xor(a, b) = _mm512_xor_si512;
    /// `sum` and the low 52 bits of the product of the low 52 bits of `a` and `b`.
    madd_low(sum, a, b) = _mm512_madd52lo_epu64;
    /// `sum` and the high 52 bits of the product of the low 52 bits of `a` and `b`.
    madd_high(sum, a, b) = _mm512_madd52hi_epu64;
}

impl Ifma {
    /// Safe where the caller has the features, which the compiler checks.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub(super) fn new() -> Self {
        Self(())
    }

    /// `word` in each lane.
    #[inline(always)]
    pub(super) fn splat(self, word: u64) -> V {
        // SAFETY: `self` proves the features.
        unsafe { _mm512_set1_epi64(word as i64) }
    }

    /// Shifted to the left by `BITS`.
    #[inline(always)]
    pub(super) fn left<const BITS: u32>(self, v: V) -> V {
        // SAFETY: `self` proves the features.
        unsafe { _mm512_slli_epi64::<BITS>(v) }
    }

    /// Shifted to the right by `BITS`, with zeros from the left.
    #[inline(always)]
    pub(super) fn right<const BITS: u32>(self, v: V) -> V {
        // SAFETY: `self` proves the features.
        unsafe { _mm512_srli_epi64::<BITS>(v) }
    }

    /// Shifted to the right by `BITS`, with the sign from the left.
    #[inline(always)]
    pub(super) fn signed_right<const BITS: u32>(self, v: V) -> V {
        // SAFETY: `self` proves the features.
        unsafe { _mm512_srai_epi64::<BITS>(v) }
    }

    /// `a` in the lanes where `sign` is negative, `b` in the others.
    #[inline(always)]
    pub(super) fn if_negative<const N: usize>(self, sign: V, a: [V; N], b: [V; N]) -> [V; N] {
        let mut out = b;
        // SAFETY: `self` proves the features.
        unsafe {
            let negative = _mm512_cmplt_epi64_mask(sign, _mm512_setzero_si512());
            for (out, a) in out.iter_mut().zip(a) {
                *out = _mm512_mask_blend_epi64(negative, *out, a);
            }
        }
        out
    }

    /// The lanes.
    #[inline(always)]
    pub(super) fn words(self, v: V) -> [u64; LANES] {
        let mut words = [0; LANES];
        // SAFETY: `self` proves the features; `words` is as large as a vector, and the store is unaligned.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), v) }
        words
    }

    /// One element in all lanes.
    #[inline(always)]
    pub(super) fn load_one(self, element: &Limbs) -> [V; 4] {
        let mut words = [self.splat(0); 4];
        for (vector, word) in words.iter_mut().zip(element) {
            *vector = self.splat(*word);
        }
        words
    }

    /// Element `PART` of each row: vector `i` has word `i` of all of them. Their order in the lanes is that
    /// of [`Ifma::store`].
    #[inline(always)]
    pub(super) fn load<const S: usize, const PART: usize>(self, rows: &Rows<S>) -> [V; 4] {
        let mut two = [self.splat(0); 4];
        for (two, [first, second]) in two.iter_mut().zip(rows.as_chunks().0) {
            // SAFETY: `self` proves the features; an element is as large as half a vector, and the loads are
            // unaligned.
            unsafe {
                let first = _mm256_loadu_si256(first[PART].as_ptr().cast());
                let second = _mm256_loadu_si256(second[PART].as_ptr().cast());
                *two = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), second);
            }
        }
        let [a, b, c, d] = two;
        // SAFETY: `self` proves the features.
        unsafe {
            // Words 0 and 2 of four elements, and words 1 and 3.
            let even = [_mm512_unpacklo_epi64(a, b), _mm512_unpacklo_epi64(c, d)];
            let odd = [_mm512_unpackhi_epi64(a, b), _mm512_unpackhi_epi64(c, d)];
            [
                _mm512_shuffle_i64x2::<0b10_00_10_00>(even[0], even[1]),
                _mm512_shuffle_i64x2::<0b10_00_10_00>(odd[0], odd[1]),
                _mm512_shuffle_i64x2::<0b11_01_11_01>(even[0], even[1]),
                _mm512_shuffle_i64x2::<0b11_01_11_01>(odd[0], odd[1]),
            ]
        }
    }

    /// Writes element `PART` of each row: what [`Ifma::load`] reads.
    #[inline(always)]
    pub(super) fn store<const S: usize, const PART: usize>(self, words: [V; 4], rows: &mut Rows<S>) {
        let [w0, w1, w2, w3] = words;
        let two;
        // SAFETY: `self` proves the features.
        unsafe {
            let first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            let even = [_mm512_permutex2var_epi64(w0, first, w2), _mm512_permutex2var_epi64(w0, second, w2)];
            let odd = [_mm512_permutex2var_epi64(w1, first, w3), _mm512_permutex2var_epi64(w1, second, w3)];
            two = [
                _mm512_unpacklo_epi64(even[0], odd[0]),
                _mm512_unpackhi_epi64(even[0], odd[0]),
                _mm512_unpacklo_epi64(even[1], odd[1]),
                _mm512_unpackhi_epi64(even[1], odd[1]),
            ];
        }
        for (two, [first, second]) in two.into_iter().zip(rows.as_chunks_mut().0) {
            // SAFETY: `self` proves the features; an element is as large as half a vector, and the stores are
            // unaligned.
            unsafe {
                _mm256_storeu_si256(first[PART].as_mut_ptr().cast(), _mm512_castsi512_si256(two));
                _mm256_storeu_si256(second[PART].as_mut_ptr().cast(), _mm512_extracti64x4_epi64::<1>(two));
            }
        }
    }
}
