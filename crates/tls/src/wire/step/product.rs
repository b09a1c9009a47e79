//! Products in GF(2)\[x\] / (x^128 + x^7 + x^2 + x + 1) on wires. Sums are free, so the fewest products of
//! bits are best.
//!
//! *Karatsuba*: three products of half the length, seven times: 3^7 = 2,187. With AES-128.
//!
//! *By residues*, with AES-256, whose connections take most bytes: two polynomials of 128 coefficients have a
//! product of 255. By the Chinese remainder theorem that is determined by its residues modulo polynomials
//! without common factors whose degrees add up to as many. These are products of residues, which are short.
//! All irreducible polynomials of up to 6 coefficients besides the highest, and 19 of those of 8, make 258:
//!
//! ```text
//! degree                    1    2    3    4    5    6    8
//! moduli                    2    1    2    3    6    9   19        degrees: 258
//! products for each         1    3    6    9   15   18   27        in all 809
//! ```
//!
//! What remains is linear: `a mod m` for each modulus `m`, and the sum over all `m` of `(c_m / M_m mod m)
//! M_m`, with the residue `c_m` of the product and the product `M_m` of all other moduli.

use volery_circuit::{Error, Ops};
use volery_field::{F2, Gf128};

use super::BLOCK_BITS;

/// The degrees of the moduli, and how many there are of each.
const MODULI: [(u32, usize); 7] = [(1, 2), (2, 1), (3, 2), (4, 3), (5, 6), (6, 9), (8, 19)];

pub(super) fn sum<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], y: &[B::Wire]) -> Vec<B::Wire> {
    x.iter().zip(y).map(|(x, y)| b.add(x, y)).collect()
}

/// 2,187 ANDs.
///
/// # Errors
/// Any error of the backend.
pub(super) fn karatsuba<B: Ops<F2> + ?Sized>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let (x, y) = (combinations(b, x), combinations(b, y));
    let products = multiplied(b, &x, &y)?;
    let product = combined(b, &products, BLOCK_BITS);
    Ok(reduced(b, product))
}

/// 809 ANDs.
///
/// # Errors
/// Any error of the backend.
pub(super) fn by_residues<B: Ops<F2> + ?Sized>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let moduli = moduli();
    let mut factors = [Vec::new(), Vec::new()];
    for (all, element) in factors.iter_mut().zip([x, y]) {
        for modulus in &moduli {
            let residue = residue(b, element, *modulus);
            all.extend(combinations(b, &residue));
        }
    }
    let [x, y] = &factors;
    let products = multiplied(b, x, y)?;
    let mut rest = &products[..];
    let mut out = vec![b.constant(F2::ZERO); BLOCK_BITS];
    for modulus in &moduli {
        let degree = degree(*modulus);
        let (own, others) = rest.split_at_checked(product_count(degree)).unwrap_or_default();
        rest = others;
        let coefficients = combined(b, own, degree);
        for (coefficient, weight) in coefficients.iter().zip(weights(&moduli, *modulus)) {
            add_where(b, &mut out, coefficient, weight.to_bits());
        }
    }
    Ok(out)
}

fn multiplied<B: Ops<F2> + ?Sized>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let products = b.mul_many(x, y)?;
    if products.len() == x.len() {
        return Ok(products);
    }
    Err(Error::misuse("a backend returned too few wires").into())
}

/// Adds a wire to those whose bits are set.
fn add_where<B: Ops<F2> + ?Sized>(b: &mut B, out: &mut [B::Wire], wire: &B::Wire, bits: u128) {
    for (_, out) in out.iter_mut().enumerate().filter(|(i, _)| bits >> i & 1 == 1) {
        *out = b.add(out, wire);
    }
}

/// The coefficients of `x` modulo a polynomial.
fn residue<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], modulus: u32) -> Vec<B::Wire> {
    let mut out = vec![b.constant(F2::ZERO); degree(modulus)];
    let mut power = 1;
    for wire in x {
        add_where(b, &mut out, wire, power.into());
        power = times(power, 2, modulus);
    }
    out
}

/// The moduli, each as a number whose bits are its coefficients.
fn moduli() -> Vec<u32> {
    let of = |(degree, count): (u32, usize)| {
        (1_u32 << degree..2 << degree).filter(|candidate| is_irreducible(*candidate)).take(count)
    };
    MODULI.into_iter().flat_map(of).collect()
}

/// Whether no polynomial of at most half its degree divides it.
fn is_irreducible(polynomial: u32) -> bool {
    (2..2 << (degree(polynomial) / 2)).all(|divisor| remainder(polynomial, divisor) != 0)
}

/// The degree of a polynomial other than zero.
fn degree(polynomial: u32) -> usize {
    polynomial.checked_ilog2().unwrap_or_default() as usize
}

fn remainder(mut polynomial: u32, modulus: u32) -> u32 {
    while polynomial != 0 && degree(polynomial) >= degree(modulus) {
        polynomial ^= modulus << (degree(polynomial) - degree(modulus));
    }
    polynomial
}

/// The product of two polynomials of up to 15 coefficients, modulo a third.
fn times(x: u32, y: u32, modulus: u32) -> u32 {
    let product = (0..15).filter(|i| y >> i & 1 == 1).fold(0, |product, i| product ^ x << i);
    remainder(product, modulus)
}

/// What each coefficient of the product of residues adds to the product, in the field: `x^k / M_m mod m`
/// times `M_m` for each `k`.
fn weights(moduli: &[u32], modulus: u32) -> impl Iterator<Item = Gf128> {
    let others = || moduli.iter().filter(move |other| **other != modulus);
    let cofactor = others().fold(Gf128::ONE, |product, other| product * Gf128::from_bits(u128::from(*other)));
    let residue = others().fold(1, |product, other| times(product, remainder(*other, modulus), modulus));
    let inverse = (1..1 << degree(modulus)).find(|inverse| times(residue, *inverse, modulus) == 1);
    let first = inverse.unwrap_or_default();
    let shifted = core::iter::successors(Some(first), move |weight| Some(times(*weight, 2, modulus)));
    shifted.map(move |weight| Gf128::from_bits(weight.into()) * cofactor)
}

/// The values of a polynomial for Karatsuba's multiplications: low half, high half, and their sum, each split
/// again in the same way. Three coefficients are these and the sums of any two.
fn combinations<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire]) -> Vec<B::Wire> {
    match x {
        [] | [_] => x.to_vec(),
        [x0, x1, x2] => {
            let pairs = [(x0, x1), (x0, x2), (x1, x2)].map(|(x, y)| b.add(x, y));
            [x, &pairs].concat()
        }
        _ => {
            let (low, high) = x.split_at(x.len().div_ceil(2));
            let mut both = sum(b, low, high);
            both.extend_from_slice(&low[high.len()..]);
            [low, high, &both].into_iter().flat_map(|part| combinations(b, part)).collect()
        }
    }
}

/// The number of values of a polynomial with this many coefficients.
fn product_count(coefficients: usize) -> usize {
    match coefficients {
        0 | 1 => coefficients,
        3 => 6,
        n => 2 * product_count(n.div_ceil(2)) + product_count(n / 2),
    }
}

/// The product's coefficients from the products of the [`combinations`] of two polynomials with `n`.
fn combined<B: Ops<F2> + ?Sized>(b: &mut B, products: &[B::Wire], n: usize) -> Vec<B::Wire> {
    match products {
        [] | [_] => products.to_vec(),
        [p0, p1, p2, p01, p02, p12] if n == 3 => {
            let mut total = |wires: &[&B::Wire]| {
                let zero = b.constant(F2::ZERO);
                wires.iter().fold(zero, |total, wire| b.add(&total, wire))
            };
            let (first, last) = (total(&[p01, p0, p1]), total(&[p12, p1, p2]));
            vec![p0.clone(), first, total(&[p02, p0, p1, p2]), last, p2.clone()]
        }
        _ => {
            let half = n.div_ceil(2);
            let (low, rest) = products.split_at_checked(product_count(half)).unwrap_or_default();
            let (high, both) = rest.split_at_checked(product_count(n - half)).unwrap_or_default();
            let [low, high, both] =
                [(low, half), (high, n - half), (both, half)].map(|(part, n)| combined(b, part, n));
            let zero = b.constant(F2::ZERO);
            let mut out = vec![zero; 2 * n - 1];
            let mut add_at = |b: &mut B, place: usize, part: &[B::Wire]| {
                for (to, from) in out.iter_mut().skip(place).zip(part) {
                    *to = b.add(to, from);
                }
            };
            add_at(b, 0, &low);
            add_at(b, 2 * half, &high);
            for part in [&low, &high, &both] {
                add_at(b, half, part);
            }
            out
        }
    }
}

/// Modulo the field's polynomial.
pub(super) fn reduced<B: Ops<F2> + ?Sized>(b: &mut B, mut x: Vec<B::Wire>) -> Vec<B::Wire> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_circuit::{Counter, Evaluator};

    use super::*;
    use crate::wire::ghash::element_bits;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn both_ways_are_the_field_s_product(x: u128, y: u128) {
            let [x, y] = [x, y].map(Gf128::from_bits);
            let expected: Vec<_> = element_bits(x * y).collect();
            let [x, y] = [x, y].map(|x| Vec::from_iter(element_bits(x)));
            let b = &mut Evaluator::new();
            prop_assert_eq!(karatsuba(b, &x, &y).unwrap(), expected.clone());
            prop_assert_eq!(by_residues(b, &x, &y).unwrap(), expected);
        }
    }

    #[test]
    fn products_of_single_coefficients_are_right() {
        let b = &mut Evaluator::new();
        // Each coefficient of either factor, and those at the ends with each other.
        let each = (0..128).map(|i| (i, 127 - i));
        let ends = [0, 1, 63, 64, 126, 127].into_iter().flat_map(|i| [0, 1, 63, 127].map(|j| (i, j)));
        for (i, j) in each.chain(ends) {
            let [x, y] = [i, j].map(|i| Gf128::from_bits(1 << i));
            let expected: Vec<_> = element_bits(x * y).collect();
            let [x, y] = [x, y].map(|x| Vec::from_iter(element_bits(x)));
            assert_eq!(by_residues(b, &x, &y).unwrap(), expected, "{i} {j}");
        }
    }

    #[test]
    fn they_cost_what_they_say() {
        let (mut one, mut other) = (Counter::<F2>::new(), Counter::<F2>::new());
        karatsuba(&mut one, &[0; 128], &[0; 128]).unwrap();
        by_residues(&mut other, &[0; 128], &[0; 128]).unwrap();
        assert_eq!([one, other].map(|counter| counter.total().multiplications), [2187, 809]);
    }

    #[test]
    fn the_moduli_are_irreducible_and_different_and_their_degrees_are_enough() {
        let moduli = moduli();
        assert_eq!(moduli.len(), MODULI.iter().map(|(_, count)| count).sum::<usize>());
        assert!(moduli.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(moduli.iter().map(|modulus| degree(*modulus)).sum::<usize>(), 258);
        // As many as there are irreducible polynomials over F2 of each degree (OEIS A001037).
        let irreducible = |degree: u32| (1 << degree..2 << degree).filter(|x| is_irreducible(*x)).count();
        assert_eq!([1, 2, 3, 4, 5, 6, 7, 8].map(irreducible), [2, 1, 2, 3, 6, 9, 18, 30]);
    }
}
