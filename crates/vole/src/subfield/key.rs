//! The verifier's global key over a field.

use volery_field::{Mac, Value};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::Delta;

/// The global key of `k = m + x * delta`, an element of the MAC field `M`.
///
/// It is made of the digits of a binary [`Delta`]: `sum over t of digit_t * weight(t)`. The lowest bit of a
/// binary delta is always one, so of [`Mac::DIGITS`] times [`Mac::DIGIT_BITS`] bits all but one are uniform.
///
/// Without `Debug`, `Copy` or `==`, and wiped on drop: whoever learns it can forge everything under it.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct FieldDelta<M: Zeroize>(M);

impl<M: Zeroize + Copy> FieldDelta<M> {
    /// The key with the digits of `delta`.
    #[must_use]
    pub fn from_digits<F: Value>(delta: &Delta) -> Self
    where
        M: Mac<F>,
    {
        Self(
            (0..M::DIGITS)
                .fold(M::ZERO, |sum, t| sum + M::weight(t).scale(F::digit(digit(delta, t, M::DIGIT_BITS)))),
        )
    }

    /// The secret itself, for the arithmetic that needs it.
    #[inline(always)]
    #[must_use]
    pub fn expose(&self) -> M {
        self.0
    }

    /// A second copy, for another protocol of the same session.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self(self.0)
    }
}

/// Digit number `t` of `delta`, `bits` bits wide (at most 8).
pub(super) fn digit(delta: &Delta, t: usize, bits: usize) -> u8 {
    (delta.expose().to_bits() >> (t * bits)) as u8 & (u8::MAX >> (8 - bits))
}
