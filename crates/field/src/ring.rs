//! The algebra that statements are written over.
//!
//! A statement is generic over a [`Ring`]; a proof system also needs a [`Field`] for its MACs. Both are small
//! `Copy` types with operators. Whole vectors go through the kernels of each field's module.

use core::fmt::Debug;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A finite commutative ring with one, whose elements have exactly one encoding of [`Ring::BYTES`] bytes.
///
/// Laws: `(R, +, ZERO)` is an abelian group, `(R, *, ONE)` a commutative monoid, and `*` distributes over
/// `+`. Operations take the same time whatever the values, because elements may be secret. Decoding is an
/// exception.
pub trait Ring:
    Copy
    + Eq
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The ring's name in statement digests and messages, e.g. `"F2"`. No two rings share a name.
    const NAME: &'static str;
    /// Length of the canonical encoding, in bytes.
    const BYTES: usize;
    /// The neutral element of addition, and the `Default` value.
    const ZERO: Self;
    /// The neutral element of multiplication.
    const ONE: Self;

    /// Whether this is [`Ring::ZERO`], in constant time.
    fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// Writes the canonical encoding (little-endian) to the first [`Ring::BYTES`] bytes of `out`.
    ///
    /// # Errors
    /// [`EncodingError::Length`] if `out` is not exactly that long.
    fn encode(self, out: &mut [u8]) -> Result<(), EncodingError>;

    /// Reads a canonical encoding; the bytes are hostile.
    ///
    /// # Errors
    /// [`EncodingError::Length`] if `bytes` is not exactly [`Ring::BYTES`] long,
    /// [`EncodingError::NotCanonical`] if it is not the canonical encoding of any element.
    fn decode(bytes: &[u8]) -> Result<Self, EncodingError>;

    /// Packs up to 64 elements of F2 into a word, lowest bit first. Other rings return `None`, which is the
    /// default.
    #[inline(always)]
    fn pack_bits(_elements: &[Self]) -> Option<u64> {
        None
    }

    /// Unpacks a word into up to 64 elements of F2: the inverse of [`Ring::pack_bits`]. Other rings leave
    /// `out` unchanged, which is the default.
    #[inline(always)]
    fn unpack_bits(_word: u64, _out: &mut [Self]) {}
}

/// A finite field: a [`Ring`] in which every element but zero has an inverse.
pub trait Field: Ring {
    /// The multiplicative inverse, or zero for zero. The time does not depend on the value, even for zero, so
    /// this is for secrets that may be zero.
    #[must_use]
    fn inverse_or_zero(self) -> Self;

    /// The multiplicative inverse, or `None` for zero. The time tells only whether there is an inverse, and
    /// the caller is about to branch on that.
    fn inverse(self) -> Option<Self> {
        let inverse = self.inverse_or_zero();
        (!self.is_zero()).then_some(inverse)
    }
}

/// Why bytes cannot be read as an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EncodingError {
    /// The slice has the wrong length.
    #[error("an element of {ring} takes {expected} bytes, not {got}")]
    Length {
        /// The ring that was asked for.
        ring: &'static str,
        /// The number of bytes that an element takes.
        expected: usize,
        /// The number of bytes that was given.
        got: usize,
    },
    /// The bytes are not the canonical encoding of any element.
    #[error("these bytes are not the canonical encoding of an element of {ring}")]
    NotCanonical {
        /// The ring that was asked for.
        ring: &'static str,
    },
}
