//! Shares of powers from nowhere.

use volery_field::Gf128;

use super::{Block, Powers, from_block, products};

/// The highest power: that for a TLS record of full length, 2^14 bytes of plaintext with a header and the
/// lengths.
pub(crate) const MAX_POWER: usize = (1 << 14) / super::BLOCK_BYTES + 2;

/// Both parties' shares of the powers of `h` up to this one.
pub(crate) fn shared(h: Block, n: usize) -> [Powers; 2] {
    let g = Gf128::from_bits(0x1234_5678_9abc_def0 << 60 | 7);
    let odd: Vec<_> =
        core::iter::successors(Some(g), |power| Some(*power * g * g)).take(products(n)).collect();
    let own: Vec<_> = (1..).map(|i| Gf128::from_bits(i << 99 | i)).take(odd.len()).collect();
    let other: Vec<_> = odd.iter().zip(&own).map(|(x, y)| *x + *y).collect();
    let d = from_block(h) + g;
    [(own, Gf128::ONE), (other, Gf128::ZERO)].map(|(odd, one)| Powers::new(&odd, one, d, n).unwrap())
}
