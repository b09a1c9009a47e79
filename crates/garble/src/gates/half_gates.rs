//! Half gates: 32 bytes for each AND.
//!
//! Zahur, Rosulek and Evans, "Two Halves Make a Whole", EUROCRYPT 2015 (ePrint 2014/220), figure 2. With `a`,
//! `b` the colours of `Z_x`, `Z_y`, and `H`, `H'` the hash under the gate's two keys:
//!
//! ```text
//! T_G = H(Z_x) + H(Z_x + D) + b D                 sent
//! T_E = H'(Z_y) + H'(Z_y + D) + Z_x               sent
//! Z   = H(Z_x) + a T_G  +  H'(Z_y) + b (T_E + Z_x)
//!
//! L   = H(L_x) + colour(L_x) T_G  +  H'(L_y) + colour(L_y) (T_E + L_x)
//! ```
//!
//! The first half computes `x * b` for the garbler's bit `b`. The second computes `x * (y + b)` for the bit
//! `y + b`, which the evaluator sees as a colour.

use volery_field::Gf128;

use super::scheme::private::Gate;
use crate::hash::Pair;

/// Half gates: 32 bytes for each AND, with four hashes at the garbler and two at the evaluator. The better
/// choice if the network carries more than about three gigabits a second.
#[derive(Clone, Copy, Debug)]
pub enum HalfGates {}

impl Gate for HalfGates {
    const NAME: &'static str = "half gates";
    const ONE_HOT: bool = false;
    const PAIRS: usize = 1;
    const TABLE_BYTES: usize = 32;

    #[inline(always)]
    fn garbler_labels(x: Gf128, y: Gf128, offset: Gf128, out: &mut [[Pair; 2]]) {
        if let [out] = out {
            *out = [[x, y], [x + offset, y + offset]];
        }
    }

    #[inline(always)]
    fn garble(x: Gf128, y: Gf128, offset: Gf128, hashes: &[[Pair; 2]], tables: &mut Vec<u8>) -> Gf128 {
        let [[[x0, y0], [x1, y1]]] = *hashes else { return Gf128::ZERO };
        let (a, b) = (x.lsb(), y.lsb());
        let generator = x0 + x1 + offset * b;
        let evaluator = y0 + y1 + x;
        let mut table = [0; Self::TABLE_BYTES];
        let (first, second) = table.split_at_mut(16);
        first.copy_from_slice(&generator.to_bytes());
        second.copy_from_slice(&evaluator.to_bytes());
        tables.extend_from_slice(&table);
        x0 + generator * a + y0 + (evaluator + x) * b
    }

    #[inline(always)]
    fn evaluator_labels(x: Gf128, y: Gf128, out: &mut [[Pair; 1]]) {
        if let [out] = out {
            *out = [[x, y]];
        }
    }

    #[inline(always)]
    fn evaluate(x: Gf128, y: Gf128, hashes: &[[Pair; 1]], table: &[u8]) -> Gf128 {
        let &[[[hx, hy]]] = hashes else { return Gf128::ZERO };
        let ([generator, evaluator], []) = table.as_chunks() else { return Gf128::ZERO };
        let (generator, evaluator) = (Gf128::from_bytes(*generator), Gf128::from_bytes(*evaluator));
        hx + generator * x.lsb() + hy + (evaluator + x) * y.lsb()
    }
}
