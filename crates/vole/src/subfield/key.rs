//! The verifier's global key over a field.

use volery_field::{Mac, Value};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::Delta;

/// The global key of `k = m + x * delta`, an element of the MAC field `M`.
///
/// It consists of the digits of a binary [`Delta`]: `sum over t of digit_t * weight(t)`. The lowest bit of a
/// binary delta is always one. So all except one of the [`Mac::DIGITS`] times [`Mac::DIGIT_BITS`] bits are
/// uniform.
///
/// The type has no `Debug`, `Copy` or `==`, and is wiped on drop: whoever learns the key can forge everything
/// under it.
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

    /// The key that another session of the same two parties has.
    #[must_use]
    pub fn from_element(element: M) -> Self {
        Self(element)
    }

    /// The secret itself, for computing with it.
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
