//! GCM's hash key, hidden by a random element of both parties', and a check of that element's powers.
//!
//! [`ghash`](crate::wire::ghash) says what for. All elements are of GF(2)\[x\] / (x^128 + x^7 + x^2 + x + 1),
//! from the lowest coefficient on. Squares are linear, so nothing but the two products, the two tests for
//! zero and the choice of the result costs anything.

use volery_circuit::gadgets::{and, any_one, not};
use volery_circuit::{Error, Ops};
use volery_field::F2;

use super::BLOCK_BITS;

/// See [`Step::BlindedKey`](super::Step::BlindedKey), which has the order of the inputs.
pub(super) fn blinded<B: Ops<F2> + ?Sized>(b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
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

fn sum<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], y: &[B::Wire]) -> Vec<B::Wire> {
    x.iter().zip(y).map(|(x, y)| b.add(x, y)).collect()
}

/// Karatsuba's 3^7 = 2,187 ANDs.
fn product<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], y: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    let (x, y) = (combinations(b, x), combinations(b, y));
    let products = b.mul_many(&x, &y)?;
    if products.len() != x.len() {
        return Err(Error::misuse("a backend returned too few wires").into());
    }
    let product = combined(b, &products);
    Ok(reduced(b, product))
}

/// A block's wires as coefficients: GCM's first coefficient is the highest bit of a byte, and the wires have
/// the lowest first.
fn reordered<W: Clone>(wires: &[W]) -> Vec<W> {
    wires.chunks(8).flat_map(|byte| byte.iter().rev().cloned()).collect()
}

/// A polynomial's values for Karatsuba's multiplications: low half, high half, and their sum, each split
/// again in the same way.
fn combinations<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire]) -> Vec<B::Wire> {
    if x.len() < 2 {
        return x.to_vec();
    }
    let (low, high) = x.split_at(x.len() / 2);
    let sum = sum(b, low, high);
    [low, high, &sum].into_iter().flat_map(|part| combinations(b, part)).collect()
}

/// The product's coefficients from the products of [`combinations`].
fn combined<B: Ops<F2> + ?Sized>(b: &mut B, products: &[B::Wire]) -> Vec<B::Wire> {
    if products.len() < 3 {
        return products.to_vec();
    }
    let third = products.len() / 3;
    let mut parts = products.chunks(third).map(|part| combined(b, part));
    let (low, high, middle) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    // Halves of n coefficients have products of 2n - 1.
    let half = low.len().div_ceil(2);
    let zero = b.constant(F2::ZERO);
    let mut out = vec![zero; 4 * half - 1];
    let mut add_at = |b: &mut B, place: usize, part: &[B::Wire]| {
        for (to, from) in out.iter_mut().skip(place).zip(part) {
            *to = b.add(to, from);
        }
    };
    add_at(b, 0, &low);
    add_at(b, 2 * half, &high);
    for part in [&low, &high, &middle] {
        add_at(b, half, part);
    }
    out
}

fn square<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire]) -> Vec<B::Wire> {
    let zero = b.constant(F2::ZERO);
    let spread = x.iter().flat_map(|bit| [bit.clone(), zero.clone()]);
    let spread = spread.take(2 * x.len() - 1).collect();
    reduced(b, spread)
}

/// Modulo the field's polynomial.
fn reduced<B: Ops<F2> + ?Sized>(b: &mut B, mut x: Vec<B::Wire>) -> Vec<B::Wire> {
    for place in (BLOCK_BITS..x.len()).rev() {
        let Some(high) = x.pop() else { break };
        for term in [0, 1, 2, 7] {
            if let Some(to) = x.get_mut(place - BLOCK_BITS + term) {
                *to = b.add(to, &high);
            }
        }
    }
    x
}
