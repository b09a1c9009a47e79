//! Finds the field of a file's prime.

use volery_field::{Bls12381Scalar, Bn254Scalar, F61, P256Base, Ring, RistrettoScalar, Secp256k1Base, Value};

use crate::elements::encode;

/// A prime field that files can be over.
pub trait PrimeField: Value {
    /// Its entry in the list of known primes.
    const PRIME: KnownPrime;
}

macro_rules! known_primes {
    ($($(#[$doc:meta])* $variant:ident: $field:ty, $name:literal;)*) => {
        /// The primes that files can be over, for choosing a field at run time.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum KnownPrime {
            $($(#[$doc])* $variant,)*
        }

        $(impl PrimeField for $field {
            const PRIME: KnownPrime = KnownPrime::$variant;
        })*

        impl KnownPrime {
            /// All known primes.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The field's usual name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The number of bytes of an element in a file.
            #[must_use]
            pub const fn bytes(self) -> usize {
                match self {
                    $(Self::$variant => <$field as Ring>::BYTES,)*
                }
            }

            /// The prime, little-endian, in [`KnownPrime::bytes`] bytes.
            #[must_use]
            pub fn modulus(self) -> Vec<u8> {
                match self {
                    $(Self::$variant => modulus::<$field>(),)*
                }
            }
        }
    };
}

known_primes! {
    /// The order of BN254's groups: circom's default, there called `bn128`.
    Bn254: Bn254Scalar, "BN254's scalar field";
    /// The order of BLS12-381's groups, `bls12381` in circom.
    Bls12381: Bls12381Scalar, "BLS12-381's scalar field";
    /// The base field of P-256, `secq256r1` in circom.
    P256: P256Base, "P-256's base field";
    /// The base field of secp256k1.
    Secp256k1: Secp256k1Base, "secp256k1's base field";
    /// The order of the Ristretto group.
    Ristretto: RistrettoScalar, "Ristretto's scalar field";
    /// `2^61 - 1`.
    Mersenne61: F61, "2^61-1";
}

impl KnownPrime {
    /// The known prime that equals this little-endian integer, whose length must be the file's field size.
    #[must_use]
    pub fn of(modulus: &[u8]) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.bytes() == modulus.len() && known.modulus() == modulus)
    }
}

impl core::fmt::Display for KnownPrime {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// One more than the integer of `-1`.
fn modulus<F: PrimeField>() -> Vec<u8> {
    let mut bytes = encode(&[-F::ONE]);
    for byte in &mut bytes {
        let (sum, carry) = byte.overflowing_add(1);
        *byte = sum;
        if !carry {
            break;
        }
    }
    bytes
}
