//! The six moduli, and the constants that Montgomery arithmetic derives from each.

use crypto_bigint::modular::ConstMontyParams;
use crypto_bigint::{U256, const_monty_params};

use super::limbs::{Limbs, from_library, mul};

/// An odd prime above `2^252` and below `2^256`.
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

const_monty_params!(
    Bn254Order,
    U256,
    "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
    "The order of BN254's groups."
);

const_monty_params!(
    Bls12381Order,
    U256,
    "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
    "The order of BLS12-381's groups."
);

const_monty_params!(
    RistrettoOrder,
    U256,
    "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed",
    "The order of the Ristretto group."
);

const_monty_params!(
    Secp256k1Prime,
    U256,
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
    "The prime that secp256k1 is defined over."
);

const_monty_params!(
    P256Prime,
    U256,
    "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
    "The prime that P-256 is defined over."
);

const_monty_params!(
    Curve25519Prime,
    U256,
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
    "The prime that Curve25519 is defined over."
);

impl Modulus for Bn254Order {
    const NAME: &'static str = "BN254 scalars";
}

impl Modulus for Bls12381Order {
    const NAME: &'static str = "BLS12-381 scalars";
}

impl Modulus for RistrettoOrder {
    const NAME: &'static str = "Ristretto scalars";
}

impl Modulus for Secp256k1Prime {
    const NAME: &'static str = "secp256k1 base field";
}

impl Modulus for P256Prime {
    const NAME: &'static str = "P-256 base field";
}

impl Modulus for Curve25519Prime {
    const NAME: &'static str = "Curve25519 base field";
}
