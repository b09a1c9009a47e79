//! GF(2^8) inside GF(2^128), the field of the MACs of bytes.
//!
//! The embedding maps the subfield's `x` to a root of AES's polynomial in GF(2^128), so a byte becomes a sum
//! of powers of the root. Of the eight roots, this is the one whose bits form the smallest number.
//! `1, X, ..., X^15` are a basis of GF(2^128) over the subfield, where `X` is the generator [`Gf128::X`]: `X`
//! has degree 128 over F2, so it has degree 16 over GF(2^8).

use super::Gf256;
use crate::extension::same;
use crate::gf128::Kernel;
use crate::{Gf128, LengthError, Mac, Wiped};

/// The powers 0 to 7 of the root.
const POWERS: [u128; 8] = [
    0x0000_0000_0000_0000_0000_0000_0000_0001,
    0x053d_8555_a997_9a1c_a13f_e8ac_5560_ce0d,
    0x4cf4_b743_9cbf_bb84_ec77_59ca_3488_aee1,
    0x35ad_604f_7d51_d2c6_bfcf_02ae_3639_46a8,
    0x0dcb_3646_40a2_22fe_6b83_3048_3c2e_9849,
    0x5498_10e1_1a88_dea5_252b_4927_7b1b_82b4,
    0xd681_a568_6c0c_1f75_c72b_f2ef_2521_ff22,
    0x0950_311a_4fb7_8fe0_7a7a_8e94_e136_f9bc,
];

/// Delta's sixteen digits are its coordinates.
impl Mac<Gf256> for Gf128 {
    const DEGREE: usize = 16;
    const DIGIT_BITS: usize = 8;
    const DIGITS: usize = 16;

    #[inline(always)]
    fn embed(x: Gf256) -> Self {
        let mask = |i: usize| u128::from(x.0 >> i & 1).wrapping_neg();
        Self::from_bits(POWERS.iter().enumerate().fold(0, |sum, (i, power)| sum ^ (power & mask(i))))
    }

    fn basis(h: usize) -> Self {
        Self::from_bits(1 << (h % 16))
    }

    fn pack(x: &[Self]) -> Self {
        x.iter().take(16).rev().fold(Self::ZERO, |sum, x| sum.mul_x() + *x)
    }

    fn weight(t: usize) -> Self {
        <Self as Mac<Gf256>>::basis(t)
    }

    fn inner_product(a: &[Self], b: &[Self]) -> Result<Self, LengthError> {
        same(a.len(), &[b.len()])?;
        Kernel::detect().inner_product(a, b)
    }

    /// The check of bits has one coefficient for many products; a product of bytes is wrong by a byte.
    fn check_verifier(a: &[Self], b: &[Self], c: &[Self], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        /// Products that are made at once.
        const CHUNK: usize = 256;
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let (kernel, mut products) = (Kernel::detect(), Wiped::new(vec![Self::ZERO; CHUNK.min(a.len())]));
        let mut sum = Self::ZERO;
        for ((a, b), chi) in a.chunks(CHUNK).zip(b.chunks(CHUNK)).zip(chi.chunks(CHUNK)) {
            let products = &mut products[..a.len()];
            kernel.mul_slices(a, b, products)?;
            sum += kernel.inner_product(chi, products)?;
        }
        Ok([sum, kernel.inner_product(chi, c)?])
    }

    fn accumulate_verifier(sums: &mut [Self], k: &[Self], r: Self) -> Result<(), LengthError> {
        same(sums.len(), &[k.len()])?;
        Kernel::detect().scale_add(r, k, sums)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    crate::laws::mac_laws!(
        Gf256,
        Gf128,
        any::<u8>().prop_map(Gf256),
        prop_oneof![4 => any::<u128>(), 1 => Just(0), 1 => Just(1)].prop_map(Gf128::from_bits)
    );

    #[test]
    fn the_root_is_the_smallest_of_aes_s_polynomial() {
        let root = Gf128::from_bits(POWERS[1]);
        for (i, power) in POWERS.into_iter().enumerate() {
            assert_eq!(crate::operators::power(root, i as u64).to_bits(), power);
        }
        let value =
            |x: Gf128| [8, 4, 3, 1, 0].into_iter().map(|i| crate::operators::power(x, i)).sum::<Gf128>();
        assert_eq!(value(root), Gf128::ZERO);
        // The others are its conjugates.
        let mut conjugate = root;
        for _ in 1..8 {
            conjugate = conjugate.square();
            assert!(value(conjugate) == Gf128::ZERO && conjugate.to_bits() > POWERS[1]);
        }
    }
}
