//! The primes of 256 bits: one row for each field.

use crypto_bigint::U256;

use super::Prime256;
use super::modulus::Modulus;

/// A row makes the type of the prime, an order or a base field's characteristic, and the field's name.
macro_rules! primes {
    ($($(#[$doc:meta])* $field:ident = $prime:ident($hex:literal, $what:literal), $name:literal;)*) => {
        $(crypto_bigint::const_monty_params!($prime, U256, $hex, $what);

        impl Modulus for $prime {
            const NAME: &'static str = $name;
        })*

        /// The fields.
        pub(crate) mod fields {
            $($(#[$doc])* pub type $field = super::Prime256<super::$prime>;)*
        }
    };
}

primes! {
    /// The integers modulo the order of BN254's groups, a prime of 254 bits: circom's default field.
    Bn254Scalar = Bn254Order(
        "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
        "The order of BN254's groups."
    ), "BN254 scalars";
    /// The integers modulo the order of BLS12-381's groups, a prime of 255 bits.
    Bls12381Scalar = Bls12381Order(
        "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
        "The order of BLS12-381's groups."
    ), "BLS12-381 scalars";
    /// The integers modulo the order of BLS12-377's groups, a prime of 253 bits.
    Bls12377Scalar = Bls12377Order(
        "12ab655e9a2ca55660b44d1e5c37b00159aa76fed00000010a11800000000001",
        "The order of BLS12-377's groups."
    ), "BLS12-377 scalars";
    /// The field of definition of Pallas, a prime of 255 bits: also the integers modulo Vesta's order.
    PallasBase = PallasPrime(
        "40000000000000000000000000000000224698fc094cf91b992d30ed00000001",
        "The prime that Pallas is defined over."
    ), "Pallas base field";
    /// The field of definition of Vesta, a prime of 255 bits: also the integers modulo Pallas' order.
    VestaBase = VestaPrime(
        "40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001",
        "The prime that Vesta is defined over."
    ), "Vesta base field";
    /// The integers modulo the order of Grumpkin, a prime of 254 bits: also the field of definition of BN254.
    GrumpkinScalar = GrumpkinOrder(
        "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47",
        "The order of Grumpkin."
    ), "Grumpkin scalars";
    /// The integers modulo the order of the Ristretto group (and of Curve25519's large subgroup), a prime of
    /// 253 bits.
    RistrettoScalar = RistrettoOrder(
        "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed",
        "The order of the Ristretto group."
    ), "Ristretto scalars";
    /// The field of definition of the curve secp256k1, `2^256 - 2^32 - 977`.
    Secp256k1Base = Secp256k1Prime(
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
        "The prime that secp256k1 is defined over."
    ), "secp256k1 base field";
    /// The field of definition of the curve P-256, `2^256 - 2^224 + 2^192 + 2^96 - 1`.
    P256Base = P256Prime(
        "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        "The prime that P-256 is defined over."
    ), "P-256 base field";
    /// The field of definition of Curve25519, `2^255 - 19`.
    Curve25519Base = Curve25519Prime(
        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
        "The prime that Curve25519 is defined over."
    ), "Curve25519 base field";
}
