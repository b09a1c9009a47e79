//! The verifier's global key.

use rand_core::CryptoRng;
use volery_field::Gf128;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The global key of the relation `k = m + u * delta`: uniform among the elements whose coefficient of `x^0`
/// is 1.
///
/// Because of the fixed coefficient, the lowest bit of each tag is its value: `lsb(k) = 0`, so `lsb(m) = u`.
/// It costs one bit: a guess of `delta` is right with probability 2^-127.
///
/// The type has no `Debug`, `Copy` or `==`, and is wiped on drop: whoever learns `delta` can forge everything
/// under it.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Delta(Gf128);

impl Delta {
    /// A fresh key.
    pub fn random<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        let mut bytes = [0; 16];
        rng.fill_bytes(&mut bytes);
        let delta = Self::from_element(Gf128::from_bits(u128::from_le_bytes(bytes)));
        bytes.zeroize();
        delta
    }

    /// The key with the coefficients of `element`, except that the coefficient of `x^0` is 1.
    #[must_use]
    pub fn from_element(element: Gf128) -> Self {
        Self(Gf128::from_bits(element.to_bits() | 1))
    }

    /// The secret itself, for computing with it.
    #[inline(always)]
    #[must_use]
    pub fn expose(&self) -> Gf128 {
        self.0
    }

    /// A second copy, for another protocol of the same session.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self(self.0)
    }

    /// All ones if the coefficient of `x^i` is 1, else zero, without a branch. `i` is taken modulo 128.
    pub(crate) fn mask(&self, i: usize) -> u128 {
        ((self.0.to_bits() >> (i % 128)) & 1).wrapping_neg()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_bit_is_always_one_and_the_rest_is_kept() {
        let element = Gf128::from_bits(0xfedc_ba98_7654_3210_0f1e_2d3c_4b5a_6978);
        let delta = Delta::from_element(element);
        assert_eq!(delta.expose().to_bits(), element.to_bits() | 1);
        for i in 0..128 {
            let expected = if delta.expose().to_bits() >> i & 1 == 1 { u128::MAX } else { 0 };
            assert_eq!(delta.mask(i), expected);
        }
    }
}
