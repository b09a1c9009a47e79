//! The fields that statements of the command line are over: all those of the table of
//! [`volery_field::prime_fields!`].
//!
//! A row of that table makes a field work everywhere: `--field`, constraint systems over its prime, sessions,
//! `info`, public proofs, the help. Bits have no row. They have a proof system of their own
//! ([`volery::system::Bits`]), MACs in an extension field, and no files of numbers.

use volery::Statement;
use volery::builtin::{ENTRIES, Entry};
use volery::public::PublicRing;
use volery_circuit::r1cs::{KnownPrime, PrimeField};
use volery_circuit::{Counter, Counts, Error as StatementError};
use volery_field::{Element, Mac, Ring, Value};

/// A field of values that the program supports.
pub(crate) trait Served: Value + PublicRing {
    /// The smallest field of MACs with useful soundness.
    type Small: Mac<Self>;
    /// A field of MACs that reaches 100 bits; the small one if it does.
    type Large: Mac<Self>;
    /// Least soundness, in bits, unless the command line asks for another one.
    const RHO: u16 = if <Self::Small as Element>::BITS < 120 { 40 } else { 100 };
}

/// A task over a field whose name is known only at run time.
pub(crate) trait InField {
    type Output;

    /// Runs the task over `F`.
    fn over<F: Served>(self) -> Self::Output;
}

/// A task over the field of a prime that constraint systems may be over.
pub(crate) trait InPrimeField {
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

        /// The names that `--field` takes, what the numbers of each are, and how sessions call the field.
        const NAMED: &[(&str, &str, &str)] = &[$(($name, $what, <$field as Ring>::NAME),)*];

        /// Runs `what` over the field that `--field` calls `name`; none if there is no such field.
        pub(crate) fn named<W: InField>(name: &str, what: W) -> Option<W::Output> {
            match name {
                $($name => Some(what.over::<$field>()),)*
                _ => None,
            }
        }

        /// Runs `what` over the field of this prime; none if it is not supported.
        pub(crate) fn of_prime<W: InPrimeField>(prime: KnownPrime, what: W) -> Option<W::Output> {
            match prime {
                $($(KnownPrime::$prime => Some(what.over::<$field>()),)?)*
                _ => None,
            }
        }
    };
}
volery_field::prime_fields!(fields);

/// The names that `--field` takes.
pub(crate) fn names() -> String {
    NAMED.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ")
}

/// The columns of help texts, as `max_term_width` says.
const HELP_COLUMNS: usize = 100;

/// The fields as the long help lists them, with the statements that each is the default of.
pub(crate) fn help() -> String {
    let line = |(name, what, ring): &(&str, &str, &str)| {
        let default = |entry: &&Entry| entry.numbers.is_some() && entry.field == *ring;
        let of: Vec<_> = ENTRIES.iter().filter(default).map(|entry| entry.name).collect();
        let of = if of.is_empty() { String::new() } else { format!("; the default of {}", of.join(" and ")) };
        format!("  --field {name:<12}{what}{of}")
    };
    // Nothing in this text may be broken where it is printed, so that its lines stay indented.
    let mut primes = String::from(" ");
    let mut width = 1;
    for (number, prime) in (1..).zip(KnownPrime::ALL) {
        let prime = format!(" {prime}{}", if number < KnownPrime::ALL.len() { "," } else { "" });
        if width + prime.chars().count() > HELP_COLUMNS {
            primes.push_str("\n ");
            width = 1;
        }
        width += prime.chars().count();
        primes.push_str(&prime);
    }
    format!(
        "{}\n  A constraint system says itself which prime it is over, that of one of these fields:\n{primes}",
        NAMED.iter().map(line).collect::<Vec<_>>().join("\n"),
    )
}

/// The counts of a statement over `F`.
pub(crate) fn count<F: Served>(statement: &impl Statement<Counter<F>>) -> Result<Counts, StatementError> {
    Ok(Counter::<F>::count(statement)?.total())
}

#[cfg(test)]
mod tests {
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
