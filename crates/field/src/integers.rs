//! The rings `Z_{2^32}` and `Z_{2^64}`: machine words with wrapping arithmetic. They are rings, not fields:
//! half of their elements have no inverse, and some products of nonzero elements vanish. So only protocols
//! that are sound in every ring accept statements over them.

use core::ops::{Add, Mul, Neg, Sub};

use zeroize::Zeroize;

use crate::operators::{exactly, write};
use crate::{EncodingError, Ring};

/// A ring of integers modulo a power of two, in one machine word.
macro_rules! integers {
    ($(#[$doc:meta])+ $ring:ident, $word:ident, $name:literal) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Default, PartialEq, Eq)]
        #[repr(transparent)]
        pub struct $ring($word);

        impl $ring {
            /// The class of `n`.
            #[inline(always)]
            #[must_use]
            pub const fn new(n: $word) -> Self {
                Self(n)
            }

            /// The representative that a machine word holds.
            #[inline(always)]
            #[must_use]
            pub const fn to_word(self) -> $word {
                self.0
            }
        }

        crate::operators::scalar!($ring);

        impl Zeroize for $ring {
            fn zeroize(&mut self) {
                self.0.zeroize();
            }
        }

        impl Add for $ring {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(self.0.wrapping_add(other.0))
            }
        }

        impl Sub for $ring {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self(self.0.wrapping_sub(other.0))
            }
        }

        impl Neg for $ring {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(self.0.wrapping_neg())
            }
        }

        impl Mul for $ring {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Self(self.0.wrapping_mul(other.0))
            }
        }

        impl Ring for $ring {
            const NAME: &'static str = $name;
            const BYTES: usize = size_of::<$word>();
            const ZERO: Self = Self(0);
            const ONE: Self = Self(1);

            fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
                write(Self::NAME, self.0.to_le_bytes(), out)
            }

            fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
                // Every word is an element.
                exactly(Self::NAME, bytes).map(|bytes| Self($word::from_le_bytes(bytes)))
            }
        }
    };
}

integers! {
    /// An integer modulo `2^32`. It may be secret: operators do not branch on it, and `Debug` does not show
    /// it.
    ///
    /// ```
    /// use volery_field::{Ring, Z32};
    /// assert_eq!(Z32::new(1 << 31) * Z32::new(2), Z32::ZERO);
    /// ```
    Z32, u32, "Z32"
}

integers! {
    /// An integer modulo `2^64`. It may be secret: operators do not branch on it, and `Debug` does not show
    /// it.
    Z64, u64, "Z64"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    mod z32 {
        use super::*;
        crate::laws::ring_laws!(Z32, any::<u32>().prop_map(Z32::new));
    }

    mod z64 {
        use super::*;
        crate::laws::ring_laws!(Z64, any::<u64>().prop_map(Z64::new));
    }

    crate::properties::properties! {
        #[test]
        fn operations_are_those_of_integers_modulo_the_power_of_two(a in any::<u64>(), b in any::<u64>()) {
            let (x, y) = (u128::from(a), u128::from(b));
            prop_assert_eq!((Z64::new(a) * Z64::new(b)).to_word(), (x * y) as u64);
            prop_assert_eq!((Z64::new(a) + Z64::new(b)).to_word(), (x + y) as u64);
            let (c, d) = (a as u32, b as u32);
            prop_assert_eq!((Z32::new(c) * Z32::new(d)).to_word(), a.wrapping_mul(u64::from(d)) as u32);
            prop_assert_eq!((Z32::new(c) - Z32::new(d)).to_word(), (a as u32).wrapping_sub(d));
        }
    }
}
