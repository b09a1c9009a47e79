//! The fields that named statements are over: all those of the table of [`volery_field::prime_fields!`].
//!
//! A row of that table makes a field work everywhere: built-in statements by its name, constraint systems
//! over its prime, sessions, descriptions, public proofs, the program's help. Bits have no row. They have a
//! proof system of their own ([`volery::system::Bits`]), MACs in an extension field, and no files of numbers.

use volery::Statement;
use volery_circuit::r1cs::{KnownPrime, PrimeField};
use volery_circuit::{Counter, Counts, Error as StatementError};
use volery_field::{Element, Mac, Ring, Value};

/// A ring over which there are public proofs.
#[cfg(feature = "public")]
pub use volery::public::PublicRing as HasPublicProofs;
/// Any ring: this build has no public proofs.
#[cfg(not(feature = "public"))]
pub trait HasPublicProofs: Ring {}

#[cfg(not(feature = "public"))]
impl<R: Ring> HasPublicProofs for R {}

/// A field of values that named statements may be over.
pub trait Served: Value + HasPublicProofs {
    /// The smallest field of MACs with useful soundness.
    type Small: Mac<Self>;
    /// A field of MACs that reaches 100 bits; the small one if it does.
    type Large: Mac<Self>;
    /// Least soundness, in bits, unless somebody asks for another one.
    const RHO: u16 = if <Self::Small as Element>::BITS < 120 { 40 } else { 100 };
}

/// A task over a field whose name is known only at run time.
pub trait InField {
    /// Its result.
    type Output;

    /// Runs the task over `F`.
    fn over<F: Served>(self) -> Self::Output;
}

/// A task over the field of a prime that constraint systems may be over.
pub trait InPrimeField {
    /// Its result.
    type Output;

    /// Runs the task over `F`.
    fn over<F: Served + PrimeField>(self) -> Self::Output;
}

/// The field of MACs that reaches 100 bits: the second one if there is one.
macro_rules! large {
    ($small:ty) => {
        $small
    };
    ($small:ty, $large:ty) => {
        $large
    };
}

macro_rules! fields {
    ($($field:ty: {
        macs: [$small:ty $(, $large:ty)?],
        name: $name:literal, what: $what:literal,
        files: [$($(#[$doc:meta])* $prime:ident, $title:literal)?]
    };)*) => {
        $(impl Served for $field {
            type Small = $small;
            type Large = large!($small $(, $large)?);
        })*

        /// The names that [`Named::field`](crate::Named::field) takes, what the numbers of each are, and how
        /// sessions call the field.
        pub const NAMED: &[(&str, &str, &str)] = &[$(($name, $what, <$field as Ring>::NAME),)*];

        /// Runs `what` over the field that [`NAMED`] calls `name`; none if there is no such field.
        pub fn named<W: InField>(name: &str, what: W) -> Option<W::Output> {
            match name {
                $($name => Some(what.over::<$field>()),)*
                _ => None,
            }
        }

        /// Runs `what` over the field of this prime; none if it is not supported.
        pub fn of_prime<W: InPrimeField>(prime: KnownPrime, what: W) -> Option<W::Output> {
            match prime {
                $($(KnownPrime::$prime => Some(what.over::<$field>()),)?)*
                _ => None,
            }
        }
    };
}
volery_field::prime_fields!(fields);

/// The names of [`NAMED`].
pub(crate) fn names() -> String {
    NAMED.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ")
}

/// The counts of a statement over `F`.
///
/// # Errors
/// Those of the statement.
pub fn count<F: Served>(statement: &impl Statement<Counter<F>>) -> Result<Counts, StatementError> {
    Ok(Counter::<F>::count(statement)?.total())
}

#[cfg(test)]
mod tests {
    use volery::builtin::ENTRIES;

    use super::*;

    /// The task that returns the prime of a field.
    struct PrimeOf;

    impl InPrimeField for PrimeOf {
        type Output = KnownPrime;

        fn over<F: Served + PrimeField>(self) -> KnownPrime {
            F::PRIME
        }
    }

    /// The task that returns the name of a field.
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
        let fields: Vec<_> = NAMED.iter().map(|(name, ..)| named(name, NameOf)).collect();
        for (i, field) in fields.iter().enumerate() {
            assert!(field.is_some() && !fields[..i].contains(field), "{field:?}");
        }
        for entry in ENTRIES.iter().filter(|entry| entry.numbers.is_some()) {
            assert_eq!(named(&entry.field.to_lowercase(), NameOf), Some(entry.field));
        }
        assert_eq!(named("f62", NameOf), None);
    }
}
