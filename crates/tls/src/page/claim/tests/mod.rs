//! Circuits of claims against plain readings of the same rules.

mod classes;
mod custom;
mod dates;
mod meanings;
mod numbers;
mod patterns;
mod texts;
mod values;
mod words;

use super::*;

/// Whether the claim's circuit accepts `bytes`, as a string of a class.
fn holds_in(class: Class, claim: &dyn Claim, bytes: &[u8]) -> bool {
    super::holds(claim, class, bytes)
}

/// Whether the claim's circuit accepts `bytes`.
fn holds(claim: &dyn Claim, bytes: &[u8]) -> bool {
    holds_in(Class::Opaque, claim, bytes)
}

/// ANDs of a claim about so many bytes.
fn price(claim: &dyn Claim, length: usize) -> u64 {
    circuit(claim, Class::Opaque, length).unwrap().multiplications()
}
