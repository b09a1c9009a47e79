//! Powers of GCM's hash key, on bits that neither party sees.
//!
//! ```text
//! h^3 = h^2 h,   h^5 = h^2 h^3,   h^7 = h^2 h^5,   ...        in GF(2)[x] / (x^128 + x^7 + x^2 + x + 1)
//! ```
//!
//! Squares are linear, so a power costs one product: Karatsuba's 3^7 = 2,187 ANDs. Even powers are squares of
//! odd ones, which each party computes from its own shares.

use volery_circuit::{Error, Ops};
use volery_field::F2;

use super::BLOCK_BITS;

/// The number of odd powers above the first up to `n`.
pub(crate) const fn odd(n: usize) -> usize {
    n.saturating_sub(1) / 2
}

/// `h^3, h^5, ...` up to power `n`: blocks like `h`, with wires in the order of AES's blocks.
pub(super) fn odd_powers<B: Ops<F2> + ?Sized>(
    b: &mut B,
    h: &[B::Wire],
    n: usize,
) -> Result<Vec<B::Wire>, B::Error> {
    let h = reordered(h);
    let square = square(b, &h);
    let factor = combinations(b, &square);
    let (mut power, mut powers) = (h, Vec::with_capacity(odd(n) * BLOCK_BITS));
    for _ in 0..odd(n) {
        let other = combinations(b, &power);
        let products = b.mul_many(&factor, &other)?;
        if products.len() != factor.len() {
            return Err(Error::misuse("a backend returned too few wires").into());
        }
        let product = combined(b, &products);
        power = reduced(b, product);
        powers.extend(reordered(&power));
    }
    Ok(powers)
}

/// Converts a block's wires to coefficients and back: GCM's first coefficient is the highest bit of a byte,
/// and the wires have the lowest first.
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
    let sum: Vec<_> = low.iter().zip(high).map(|(low, high)| b.add(low, high)).collect();
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
