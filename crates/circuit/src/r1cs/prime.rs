//! Finds the field of a file's prime. The primes are those of [`volery_field::prime_fields!`] with an entry
//! for files.

use volery_field::{Ring, Value};

use crate::elements::encode;

/// A prime field that files can be over.
pub trait PrimeField: Value {
    /// Its entry in the list of known primes.
    const PRIME: KnownPrime;
}

macro_rules! known_primes {
    ($($field:ty: {
        macs: $macs:tt, name: $short:literal, what: $what:literal,
        files: [$($(#[$doc:meta])* $variant:ident, $name:literal)?]
    };)*) => {
        /// The primes that files can be over, for choosing a field at run time.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum KnownPrime {
            $($($(#[$doc])* $variant,)?)*
        }

        $($(impl PrimeField for $field {
            const PRIME: KnownPrime = KnownPrime::$variant;
        })?)*

        impl KnownPrime {
            /// All known primes.
            pub const ALL: &[Self] = &[$($(Self::$variant,)?)*];

            /// The field's usual name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$variant => $name,)?)*
                }
            }

            /// The number of bytes of an element in a file.
            #[must_use]
            pub const fn bytes(self) -> usize {
                match self {
                    $($(Self::$variant => <$field as Ring>::BYTES,)?)*
                }
            }

            /// The prime, little-endian, in [`KnownPrime::bytes`] bytes.
            #[must_use]
            pub fn modulus(self) -> Vec<u8> {
                match self {
                    $($(Self::$variant => modulus::<$field>(),)?)*
                }
            }
        }
    };
}

volery_field::prime_fields!(known_primes);

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
