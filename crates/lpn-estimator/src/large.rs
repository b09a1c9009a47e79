//! The attacks over a field of many elements, where a block of the noise holds one uniformly random element.
//!
//! What is lost against F2: the sum of a block is not known, so there are no parities to use (the dimension
//! stays `k`), no `e^2 = e`, and the values are unknown. What a pattern of noise costs to find is therefore
//! never less than over F2 with the parities taken away, and where nothing better was to be had that is what
//! is charged:
//!
//! * **Pooled Gauss**: as 2022/712, on (n, k, t).
//! * **Statistical decoding**: 2022/712's figures for a field of q elements,
//!   `log2(k + 1) + 2 log2(C(n, t) / C(n - k - 1, t))`, version 2.0 with as many coordinates hidden as pooled
//!   Gauss costs elements' bits. (That one zero tells a check from chance when q is large, which would halve
//!   the exponent, does not help: checks are independent only if each has its own information set, and then
//!   it is pooled Gauss.)
//! * **ISD**: the F2 costs on (n, k, t), values known for nothing. 2022/712's figure for q elements
//!   enumerates values too and is larger, by ten bits and more where q is large; but scaling a pattern is
//!   free (Carrier, Hatey, Tillich, arXiv 2312.02607), and the values of a pattern of few places follow from
//!   as many checks, so that difference is not to be relied on.
//! * **Regular ISD**: 2023/1568 is for F2. Its costs with `k` dimensions instead of `k - t`, again with
//!   values for nothing; the published script's figure for q elements is the first of its three algorithms,
//!   which this includes.
//! * **AGB, AGB 2.0, hybrid**: `algebraic` and `hybrid` here.
//!
//! Noise that is zero by chance, once in q: a guess that a share of a block is noise-free holds a little more
//! often. Where a guess is of positions in blocks its chance is exact; for the attacks on exact noise each
//! zero makes success more likely by at most `n / (n - k - t)`, so on average by at most
//! `(1 + (n / (n - k - t) - 1) / q)^t`, which is given to the attacker (twice in statistical decoding).

mod algebraic;
mod hybrid;
#[cfg(test)]
mod tests;

use std::f64::consts::LOG2_E;

use super::binomial::log2_binomial;
use super::{Estimate, Instance, Shape, exact, over_blocks, regular};

/// Constant and exponent of Strassen's multiplication, as 2025/1476 and 2025/1284 take them.
const STRASSEN: (f64, f64) = (5.64, 2.8);

/// An instance over a field of `2^bits` elements as an attack sees it.
#[derive(Clone, Copy)]
pub(super) struct Large {
    pub(super) shape: Shape,
    pub(super) bits: f64,
}

impl Large {
    /// The chance that the noise of a block is not zero.
    fn nonzero(self) -> f64 {
        1.0 - (-self.bits).exp2()
    }

    /// `-log2` of the chance that `guessed` positions of a block are noise-free.
    fn price(self, guessed: f64) -> f64 {
        -(1.0 - self.nonzero() * guessed / self.shape.block()).log2()
    }

    /// Bits by which zeros among the noise can help an attack on exact noise.
    fn zeros(self) -> f64 {
        let Shape { n, k, t } = self.shape;
        match n - k - t {
            clean if clean > 0.0 => t * ((n / clean - 1.0) * (-self.bits).exp2()).ln_1p() * LOG2_E,
            _ => f64::INFINITY,
        }
    }
}

pub(super) fn estimate(instance: &Instance, bits: u32) -> Estimate {
    let on = |attack| over_blocks_of(instance, bits, attack);
    Estimate {
        pooled_gauss: on(|large| exact::pooled_gauss(large.shape) - large.zeros()),
        statistical_decoding: on(|large| statistical_decoding(large) - 2.0 * large.zeros()),
        isd: on(|large| exact::information_set_decoding(large.shape) - large.zeros()),
        regular_isd: on(|large| regular::regular_isd(without_parities(large.shape)) - large.zeros()),
        agb: on(algebraic::agb),
        agb2: on(algebraic::agb2),
        hybrid: hybrid(instance, bits),
    }
}

/// The figure of the hybrid attack alone.
pub(super) fn hybrid(instance: &Instance, bits: u32) -> f64 {
    over_blocks_of(instance, bits, hybrid::hybrid)
}

fn over_blocks_of(instance: &Instance, bits: u32, attack: fn(Large) -> f64) -> f64 {
    over_blocks(instance, |shape| attack(Large { shape, bits: f64::from(bits) }))
}

/// The shape that an attack over F2 reduces to `k` dimensions by its `t` parities.
fn without_parities(s: Shape) -> Shape {
    Shape { k: s.k + s.t, ..s }
}

fn statistical_decoding(large: Large) -> f64 {
    let Shape { n, k, t } = large.shape;
    let biased = |k: f64| (k + 1.0).log2() + 2.0 * (log2_binomial(n, t) - log2_binomial(n - k - 1.0, t));
    let bits = exact::pooled_gauss(large.shape);
    let hidden = (bits / large.bits).floor();
    // The transform over the hidden coordinates is charged too, as over F2.
    biased(k).min(biased((k - hidden).max(0.0)).max(hidden * large.bits))
}
