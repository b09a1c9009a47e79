//! GCM's hash key, hidden by a random element of both parties', and a check of that element's powers.
//!
//! [`ghash`](crate::wire::ghash) says what for. All elements are of GF(2)\[x\] / (x^128 + x^7 + x^2 + x + 1),
//! from the lowest coefficient on. Squares are linear, so nothing but the two products, the two tests for
//! zero and the choice of the result costs anything.

use volery_circuit::gadgets::{and, any_one, not};
use volery_circuit::{Error, Ops};
use volery_field::F2;

use super::BLOCK_BITS;
use super::product::{by_residues, karatsuba, reduced, sum};
use crate::wire::suite::KeySize;

/// See [`Step::BlindedKey`](super::Step::BlindedKey), which has the order of the inputs.
pub(super) fn blinded<B: Ops<F2> + ?Sized>(
    b: &mut B,
    size: KeySize,
    inputs: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let product = match size {
        KeySize::Bits128 => karatsuba::<B>,
        KeySize::Bits256 => by_residues::<B>,
    };
    let [h, x, p_others, p_all, y, v_others, v_all] = elements(inputs)?;
    let g = product(b, x, y)?;
    let others = sum(b, p_others, v_others);
    let all = sum(b, p_all, v_all);
    // g + S = g^2 T
    let square = square(b, &g);
    let next = product(b, &square, &others)?;
    let first = sum(b, &g, &all);
    let difference = sum(b, &next, &first);
    let (is_set, differs) = (any_one(b, &g)?, any_one(b, &difference)?);
    let follows = not(b, &differs);
    let right = b.mul(&is_set, &follows)?;
    let key = sum(b, &reordered(h), &g);
    let key = and(b, &key, &vec![right.clone(); BLOCK_BITS])?;
    Ok([vec![right], key].concat())
}

/// Cuts wires into elements.
fn elements<W, const N: usize>(wires: &[W]) -> Result<[&[W]; N], Error> {
    let mut elements = wires.chunks_exact(BLOCK_BITS);
    let cut = core::array::from_fn(|_| elements.next().unwrap_or_default());
    if cut.iter().all(|element: &&[W]| !element.is_empty()) {
        return Ok(cut);
    }
    Err(Error::misuse("a step with another number of inputs"))
}

/// A block's wires as coefficients: GCM's first coefficient is the highest bit of a byte, and the wires have
/// the lowest first.
fn reordered<W: Clone>(wires: &[W]) -> Vec<W> {
    wires.chunks(8).flat_map(|byte| byte.iter().rev().cloned()).collect()
}

fn square<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire]) -> Vec<B::Wire> {
    let zero = b.constant(F2::ZERO);
    let spread = x.iter().flat_map(|bit| [bit.clone(), zero.clone()]);
    let spread = spread.take(2 * x.len() - 1).collect();
    reduced(b, spread)
}
