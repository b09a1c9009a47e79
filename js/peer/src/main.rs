//! A party.
fn main() {}
