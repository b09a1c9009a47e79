//! What a modulus is: a prime, and the constants that Montgomery arithmetic derives from it.

use crypto_bigint::U256;
use crypto_bigint::modular::ConstMontyParams;

use super::limbs::{Limbs, from_library, mul};

/// An odd prime above `2^252` and below `2^256`.
///
/// ```
/// use crypto_bigint::{U256, const_monty_params};
/// use volery_field::prime256::{Modulus, Prime256};
/// use volery_field::{Element, Ring, Value};
///
/// const_monty_params!(P, U256, "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed");
/// impl Modulus for P {
///     const NAME: &'static str = "scalars";
/// }
/// let x = Prime256::<P>::ONE;
/// assert_eq!(x.add_ten([&x; 10]), Prime256::from_u64(11));
/// ```
///
/// Sums of ten do not compile for a smaller one:
///
/// ```compile_fail,E0080
/// # use crypto_bigint::{U256, const_monty_params};
/// # use volery_field::prime256::{Modulus, Prime256};
/// # use volery_field::{Element, Ring, Value};
/// const_monty_params!(P, U256, "0fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");
/// # impl Modulus for P {
/// #     const NAME: &'static str = "scalars";
/// # }
/// # let x = Prime256::<P>::ONE;
/// # assert_eq!(x.add_ten([&x; 10]), Prime256::from_u64(11));
/// ```
pub trait Modulus: ConstMontyParams<{ U256::LIMBS }> {
    /// The field's name, as in [`Ring::NAME`](crate::Ring::NAME).
    const NAME: &'static str;
    /// The prime, lowest limb first.
    const PRIME: Limbs = from_library(Self::PARAMS.modulus().as_ref());
    /// `2^256` modulo the prime.
    const R: Limbs = from_library(Self::PARAMS.one());
    /// `2^512` modulo the prime.
    const R2: Limbs = from_library(Self::PARAMS.r2());
    /// `2^768` modulo the prime.
    const R3: Limbs = mul::<Self>(Self::R2, Self::R2);
    /// `2^64 / (p / 2^224 + 1)`, rounded down.
    const RECIPROCAL: u64 = {
        // A smaller divisor would leave more of a sum than one subtraction takes away.
        assert!(Self::PRIME[3] >> 60 != 0, "a prime of 256 bits is above 2^252");
        ((1_u128 << 64) / ((Self::PRIME[3] >> 32) as u128 + 1)) as u64
    };
    /// `-1 / p` modulo `2^64`.
    const NEGATED_INVERSE: u64 = {
        // Newton's iteration doubles the correct bits; p is its own inverse modulo 8.
        let p = Self::PRIME[0];
        let (mut inverse, mut bits) = (p, 3);
        while bits < 64 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(p.wrapping_mul(inverse)));
            bits *= 2;
        }
        inverse.wrapping_neg()
    };
}
