//! The fields that `--field` takes, for help texts.

use volery::builtin::{ENTRIES, Entry};
use volery_circuit::r1cs::KnownPrime;
use volery_statement::fields::NAMED;

/// The names that `--field` takes.
pub(super) fn names() -> String {
    NAMED.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ")
}

/// The columns of help texts, as `max_term_width` says.
const HELP_COLUMNS: usize = 100;

/// The fields as the long help lists them, with the statements that each is the default of.
pub(super) fn help() -> String {
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
