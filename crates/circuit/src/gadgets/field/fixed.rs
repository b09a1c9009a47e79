//! Fixed-point numbers.

use volery_field::Value;

use super::bits::{assert_in_signed_range, check_width, shift_right_signed};
use crate::{Error, Prove};

/// A format of signed fixed-point numbers: the integer `n` in `[-2^(width-1), 2^(width-1))` stands for
/// `n / 2^fraction`.
///
/// Add and subtract numbers as wires. The caller must know that the result is still in range, or
/// [claim](Fixed::assert) it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    width: usize,
    fraction: usize,
}

impl Fixed {
    /// A format of numbers of `width` bits, including the sign, with `fraction` bits after the point.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless `fraction < width`.
    pub fn new(width: usize, fraction: usize) -> Result<Self, Error> {
        if fraction >= width {
            return Err(Error::misuse(format!("{fraction} of {width} bits behind the point")));
        }
        Ok(Self { width, fraction })
    }

    /// Claims that each of `x` is in range. Commits to `width` bits each.
    ///
    /// # Errors
    /// [`Error::Misuse`] for a width beyond [`capacity`](super::capacity); the backend's.
    pub fn assert<F: Value, B: Prove<F>>(self, b: &mut B, x: &[B::Wire]) -> Result<(), B::Error> {
        assert_in_signed_range(b, x, self.width)
    }

    /// The products `x[i] * y[i]`, rounded down; claims that they are in range. Both factors must be. Commits
    /// to the unrounded product and to `width + fraction` bits each.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the lengths differ, or if twice the width is beyond
    /// [`capacity`](super::capacity), so that a product could wrap; the backend's.
    pub fn mul<F: Value, B: Prove<F>>(
        self,
        b: &mut B,
        x: &[B::Wire],
        y: &[B::Wire],
    ) -> Result<Vec<B::Wire>, B::Error> {
        let Self { width, fraction } = self;
        // |x y| <= 2^(2w-2), and the range below is within 2^(2w-2) of zero too: no two of these integers are equal modulo p.
        check_width::<F>(width.saturating_mul(2))?;
        let products = b.mul_many(x, y)?;
        // A result in range is a product in this range.
        shift_right_signed(b, &products, width + fraction, fraction)
    }
}
