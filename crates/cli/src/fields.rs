//! The fields that statements of the command line are over: one table.
//!
//! A line here serves a field everywhere: `--field`, constraint systems over its prime, sessions, `info`,
//! public proofs, the help. Its type is in `volery-field`; a prime that files can be over also has a line in
//! the table of `volery_circuit::r1cs`. Bits are no line here: sessions prove them by a system of their own
//! ([`volery::system::Bits`]), and statements about them have no files of numbers.

use volery::Statement;
use volery::public::PublicRing;
use volery_circuit::r1cs::{KnownPrime, PrimeField};
use volery_circuit::{Counter, Counts, Error as StatementError};
use volery_field::{
    Bls12381Scalar, Bn254Scalar, F32, F32x4, F61, F61x2, Mac, P256Base, RistrettoScalar, Secp256k1Base, Value,
};

/// A field of values that commands serve.
pub(crate) trait Served: Value + PublicRing {
    /// The smallest field of MACs that proves anything.
    type Small: Mac<Self>;
    /// One that reaches 100 bits; the same where the small one does.
    type Large: Mac<Self>;
    /// Least soundness, in bits, unless the command line asks for another one.
    const RHO: u16;
}

/// What is done over a field that is known by its name only at run time.
pub(crate) trait InField {
    type Output;

    /// Does it over `F`.
    fn over<F: Served>(self) -> Self::Output;
}

/// The same over the field of a prime that constraint systems are over.
pub(crate) trait InPrimeField {
    type Output;

    /// Does it over `F`.
    fn over<F: Served + PrimeField>(self) -> Self::Output;
}

macro_rules! fields {
    ($($field:ty: $small:ty, $large:ty, $rho:literal, [$($name:literal: $what:literal)?], [$($prime:ident)?];)*) => {
        $(impl Served for $field {
            type Small = $small;
            type Large = $large;
            const RHO: u16 = $rho;
        })*

        /// The names that `--field` takes, and what the numbers of each are.
        const NAMED: &[(&str, &str)] = &[$($(($name, $what),)?)*];

        /// The primes that constraint systems may be over.
        const PRIMES: &[KnownPrime] = &[$($(KnownPrime::$prime,)?)*];

        /// Does `what` over the field that `--field` calls so; none if it calls none so.
        pub(crate) fn named<W: InField>(name: &str, what: W) -> Option<W::Output> {
            match name {
                $($($name => Some(what.over::<$field>()),)?)*
                _ => None,
            }
        }

        /// Does `what` over the field of this prime; none if it is not served.
        pub(crate) fn of_prime<W: InPrimeField>(prime: KnownPrime, what: W) -> Option<W::Output> {
            match prime {
                $($(KnownPrime::$prime => Some(what.over::<$field>()),)?)*
                _ => None,
            }
        }
    };
}

// The type; the small and the large field of MACs; the least soundness; the name for `--field`, and what the
// numbers are; the prime of constraint systems.
fields! {
    F61: F61, F61x2, 40, ["f61": "integers modulo 2^61-1; for matmul and inner-product unless told otherwise"],
        [Mersenne61];
    F32: F32x4, F32x4, 100, ["f32": "integers modulo 2^32-99; for sis unless told otherwise"], [];
    Bn254Scalar: Self, Self, 100, ["bn254": "integers modulo the order of BN254's groups"], [Bn254];
    Bls12381Scalar: Self, Self, 100, ["bls12-381": "integers modulo the order of BLS12-381's groups"], [Bls12381];
    RistrettoScalar: Self, Self, 100, [], [Ristretto];
    Secp256k1Base: Self, Self, 100, [], [Secp256k1];
    P256Base: Self, Self, 100, [], [P256];
}

/// The names that `--field` takes.
pub(crate) fn names() -> String {
    NAMED.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// The fields as the long help lists them.
pub(crate) fn help() -> String {
    let named: Vec<_> = NAMED.iter().map(|(name, what)| format!("  --field {name:<12}{what}")).collect();
    let primes: Vec<_> = PRIMES.iter().map(KnownPrime::to_string).collect();
    format!(
        "{}\n  A constraint system says itself which prime it is over, that of one of these fields:\n  {}",
        named.join("\n"),
        primes.join(", ")
    )
}

/// The counts of a statement over `F`.
pub(crate) fn count<F: Served>(statement: &impl Statement<Counter<F>>) -> Result<Counts, StatementError> {
    Ok(Counter::<F>::count(statement)?.total())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The prime of the field that the table gives.
    struct PrimeOf;

    impl InPrimeField for PrimeOf {
        type Output = KnownPrime;

        fn over<F: Served + PrimeField>(self) -> KnownPrime {
            F::PRIME
        }
    }

    /// The name of the field that the table gives.
    struct NameOf;

    impl InField for NameOf {
        type Output = &'static str;

        fn over<F: Served>(self) -> &'static str {
            F::NAME
        }
    }

    #[test]
    fn every_prime_of_files_is_served_by_its_own_field() {
        for prime in KnownPrime::ALL {
            assert_eq!(of_prime(*prime, PrimeOf), Some(*prime));
        }
    }

    #[test]
    fn every_name_has_a_field_of_its_own_and_defaults_are_among_them() {
        let fields: Vec<_> = NAMED.iter().map(|(name, _)| named(name, NameOf)).collect();
        for (i, field) in fields.iter().enumerate() {
            assert!(field.is_some() && !fields[..i].contains(field), "{field:?}");
        }
        for entry in volery::builtin::ENTRIES.iter().filter(|entry| entry.numbers.is_some()) {
            assert_eq!(named(&entry.field.to_lowercase(), NameOf), Some(entry.field));
        }
        assert_eq!(named("f62", NameOf), None);
    }
}
