//! The coefficients of products of bits, for provers of tests that forge.

use volery_field::Gf128;
use volery_vole::Prg;

/// Those of `n` products from number `first` of a block on: a random element serves 128 of them.
#[must_use]
pub fn coefficients_of_products(seed: [u8; 16], first: usize, n: usize) -> Vec<Gf128> {
    let mut prg = Prg::new(seed);
    let mut coefficient = Gf128::ZERO;
    let next = |i: usize| {
        coefficient = if i.is_multiple_of(128) { prg.block() } else { coefficient * Gf128::X };
        coefficient
    };
    (0..first + n).map(next).skip(first).collect()
}
