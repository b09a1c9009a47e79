//! Code that every scalar type shares: assigning operators, a `Debug` that hides the value, the fixed-size
//! end of an encoding.

use crate::EncodingError;

/// Makes `AddAssign`, `SubAssign` and `MulAssign` from the operators without assignment, and a `Debug` that
/// shows only the ring's name.
macro_rules! scalar {
    ($type:ident $(<$parameter:ident: $bound:path>)?) => {
        impl$(<$parameter: $bound>)? core::ops::AddAssign for $type$(<$parameter>)? {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl$(<$parameter: $bound>)? core::ops::SubAssign for $type$(<$parameter>)? {
            #[inline(always)]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }

        impl$(<$parameter: $bound>)? core::ops::MulAssign for $type$(<$parameter>)? {
            #[inline(always)]
            fn mul_assign(&mut self, other: Self) {
                *self = *self * other;
            }
        }

        impl$(<$parameter: $bound>)? core::fmt::Debug for $type$(<$parameter>)? {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "{}(..)", <Self as crate::Ring>::NAME)
            }
        }
    };
}

pub(crate) use scalar;

/// The bytes of an encoding, if their number is right for an element of `ring`.
pub(crate) fn exactly<const N: usize>(ring: &'static str, bytes: &[u8]) -> Result<[u8; N], EncodingError> {
    bytes.try_into().map_err(|_| EncodingError::Length { ring, expected: N, got: bytes.len() })
}

/// Writes an encoding, if `out` has its length.
pub(crate) fn write<const N: usize>(
    ring: &'static str,
    bytes: [u8; N],
    out: &mut [u8],
) -> Result<(), EncodingError> {
    let got = out.len();
    let out: &mut [u8; N] = out.try_into().map_err(|_| EncodingError::Length { ring, expected: N, got })?;
    *out = bytes;
    Ok(())
}

/// `base` to a public exponent, by squaring. The time depends only on the exponent.
pub(crate) fn power<R: crate::Ring>(base: R, exponent: u64) -> R {
    (0..u64::BITS - exponent.leading_zeros()).rev().fold(R::ONE, |power, bit| {
        let square = power * power;
        if exponent >> bit & 1 == 1 { square * base } else { square }
    })
}
