//! Fields of values and the fields that their MACs live in.

use volery::public::PublicRing;
use volery_field::{
    Bls12381Scalar, Bn254Scalar, F32, F32x4, F61, F61x2, Mac, P256Base, RistrettoScalar, Secp256k1Base, Value,
};
use volery_zk::soundness::FieldSize;

/// Which of a field's two MAC fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MacField {
    /// The smallest that proves anything.
    Small,
    /// One that reaches 100 bits; the same where the small one does.
    Large,
}

impl MacField {
    pub(crate) const ALL: [Self; 2] = [Self::Small, Self::Large];
}

/// A field of values that commands serve.
pub(crate) trait Served: Value + PublicRing {
    type Small: Mac<Self>;
    type Large: Mac<Self>;
    /// Least soundness, in bits, unless the command line asks for another one.
    const RHO: u16 = 100;

    /// What is to be known of the field and one of its MAC fields.
    fn pair(mac: MacField) -> Pair {
        match mac {
            MacField::Small => Pair::of::<Self, Self::Small>(Self::RHO),
            MacField::Large => Pair::of::<Self, Self::Large>(Self::RHO),
        }
    }
}

impl Served for F61 {
    type Small = Self;
    type Large = F61x2;
    const RHO: u16 = 40;
}

impl Served for F32 {
    type Small = F32x4;
    type Large = F32x4;
}

macro_rules! its_own {
    ($($field:ty),*) => {
        $(impl Served for $field {
            type Small = Self;
            type Large = Self;
        })*
    };
}

its_own!(Bn254Scalar, Bls12381Scalar, RistrettoScalar, Secp256k1Base, P256Base);

/// What depends on the fields of values and MACs alone.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    /// The field of values, by the name that the handshake compares.
    pub(crate) value: &'static str,
    pub(crate) mac: &'static str,
    pub(crate) size: FieldSize,
    /// Least soundness, in bits, unless asked for another one.
    pub(crate) rho: u16,
    /// Bits of a packed value.
    pub(crate) value_bits: u64,
    pub(crate) value_bytes: u64,
    pub(crate) mac_bits: u64,
}

impl Pair {
    fn of<F: Value, M: Mac<F>>(rho: u16) -> Self {
        Self {
            value: F::NAME,
            mac: M::NAME,
            size: FieldSize::of::<F, M>(),
            rho,
            value_bits: F::BITS.into(),
            value_bytes: F::BYTES as u64,
            mac_bits: M::BITS.into(),
        }
    }

    /// Whether challenges may be hashes: who cheats may then try as often as it likes, and the library wants
    /// 120 bits.
    pub(crate) fn stands_hashes(&self) -> bool {
        self.mac_bits >= 120
    }
}
