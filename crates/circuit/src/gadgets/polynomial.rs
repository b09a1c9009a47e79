//! Multiplication of integers as polynomials over their bits: a hole in a circuit (QuickSilver, section 5.2).
//!
//! The paper writes each bit of an `n`-bit product as one polynomial in the `2n` bits of the factors, of a
//! degree up to `8 n^2`. Evaluating it costs far more than it saves. So this gadget commits to the carries of
//! a carry-save adder, and keeps every claim at degree 4:
//!
//! ```text
//! column k:  the products x_i y_(k-i) (degree 2) and the carries out of column k-1 (degree 1)
//! three of a column:  sum a + b + c stays in it (degree 2, not committed to);
//!                     carry (a + c)(b + c) + c goes to column k+1: committed to and claimed (degree 4)
//! two of a column:    sum a + b, carry a b
//! ```
//!
//! It works over F2 because there a sum of bits without its carry is an addition, and a committed bit takes
//! one bit. A product of 32-bit integers commits to 465 carries and 32 results, half of the 993 ANDs of the
//! circuit. Over a prime field the whole product is one claim of degree 2, but it needs some 49 bits, each of
//! which takes a field element: 373 bytes over F_{2^61-1} against 63.

use volery_field::F2;

use crate::{Error, Peek, Polynomials};

/// The low bits of `x * y`, as many as each factor has, least significant first. They are committed to and
/// proved by claims of degree 4.
///
/// This commits to the result and to `n (n-1) / 2` carries minus those of the last column: 497 bits for
/// `n = 32`.
///
/// # Errors
/// [`Error::Misuse`] if the widths differ; the backend's.
pub fn multiply_low_as_polynomials<B: Polynomials<F2>>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    super::same_width("multiplication", x, y)?;
    let width = x.len();
    let mut count = Count(0);
    columns(width, &mut count)?;
    let carries = count.0;
    let mut wires = b.secret(carries + width, &mut |peek| bits(peek, x, y))?;
    if wires.len() < carries {
        return Err(Error::misuse("a backend returned too few wires").into());
    }
    let result = wires.split_off(carries);
    claim(b, x, y, &wires, &result)?;
    Ok(result)
}

/// The sum of bits, and its carry.
type Added<T, E> = Result<(T, Option<T>), E>;

/// The operations on bits that [`columns`] needs.
trait Adder {
    type Bit;
    type Error;

    /// The product of bit `i` of one factor and bit `j` of the other.
    fn product(&mut self, i: usize, j: usize) -> Result<Self::Bit, Self::Error>;

    /// The sum of two or three bits of a column, and their carry if `carry` is set.
    fn add(&mut self, bits: &[Self::Bit], carry: bool) -> Added<Self::Bit, Self::Error>;
}

/// Multiplies column by column.
fn columns<A: Adder>(width: usize, adder: &mut A) -> Result<Vec<A::Bit>, A::Error> {
    let mut result = Vec::with_capacity(width);
    let mut carried = Vec::new();
    for column in 0..width {
        // Nothing carries out of the last column.
        let carry = column + 1 < width;
        let mut bits = core::mem::take(&mut carried);
        for i in 0..=column {
            bits.push(adder.product(i, column - i)?);
        }
        let mut start = 0;
        while bits.len() - start > 1 {
            let end = bits.len().min(start + 3);
            let (sum, over) = adder.add(&bits[start..end], carry)?;
            bits.push(sum);
            carried.extend(over);
            start = end;
        }
        result.extend(bits.pop());
    }
    Ok(result)
}

/// Counts carries.
struct Count(usize);

impl Adder for Count {
    type Bit = ();
    type Error = Error;

    fn product(&mut self, _i: usize, _j: usize) -> Result<(), Error> {
        Ok(())
    }

    fn add(&mut self, _bits: &[()], carry: bool) -> Added<(), Error> {
        self.0 += usize::from(carry);
        Ok(((), carry.then_some(())))
    }
}

/// Computes with values and keeps the carries.
struct Values<'a, W> {
    peek: &'a dyn Peek<F2, W>,
    factors: [&'a [W]; 2],
    carries: Vec<F2>,
}

impl<W> Adder for Values<'_, W> {
    type Bit = F2;
    type Error = Error;

    fn product(&mut self, i: usize, j: usize) -> Result<F2, Error> {
        Ok(self.peek.value(&self.factors[0][i]) * self.peek.value(&self.factors[1][j]))
    }

    fn add(&mut self, bits: &[F2], carry: bool) -> Added<F2, Error> {
        let (sum, majority) = match *bits {
            [a, b, c] => (a + b + c, (a + c) * (b + c) + c),
            [a, b] => (a + b, a * b),
            _ => return Err(Error::misuse("a column is added in threes and twos")),
        };
        let carry = carry.then_some(majority);
        self.carries.extend(carry);
        Ok((sum, carry))
    }
}

/// The values of the carries, then those of the result.
fn bits<W>(peek: &dyn Peek<F2, W>, x: &[W], y: &[W]) -> Result<Vec<F2>, Error> {
    let mut values = Values { peek, factors: [x, y], carries: Vec::new() };
    let result = columns(x.len(), &mut values)?;
    values.carries.extend(result);
    Ok(values.carries)
}

/// Computes with expressions, and claims the values of the committed bits.
struct Claims<'a, B: Polynomials<F2>> {
    backend: &'a mut B,
    factors: [Vec<B::Poly>; 2],
    carries: core::slice::Iter<'a, B::Wire>,
    claims: Vec<B::Poly>,
}

impl<B: Polynomials<F2>> Adder for Claims<'_, B> {
    type Bit = B::Poly;
    type Error = B::Error;

    fn product(&mut self, i: usize, j: usize) -> Result<B::Poly, B::Error> {
        self.backend.poly_mul(&self.factors[0][i], &self.factors[1][j])
    }

    fn add(&mut self, bits: &[B::Poly], carry: bool) -> Added<B::Poly, B::Error> {
        let b = &mut *self.backend;
        let sum = bits[1..].iter().fold(bits[0].clone(), |sum, bit| b.poly_add(&sum, bit));
        let Some(carry) = carry.then(|| self.carries.next()).flatten() else { return Ok((sum, None)) };
        let carry = b.poly(carry);
        let majority = majority(b, bits)?;
        self.claims.push(b.poly_add(&majority, &carry));
        Ok((sum, Some(carry)))
    }
}

/// Claims that `carries` and `result` are the bits that [`bits`] computes.
fn claim<B: Polynomials<F2>>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
    carries: &[B::Wire],
    result: &[B::Wire],
) -> Result<(), B::Error> {
    let factors = [x, y].map(|word| -> Vec<B::Poly> { word.iter().map(|bit| b.poly(bit)).collect() });
    let mut adder = Claims { backend: b, factors, carries: carries.iter(), claims: Vec::new() };
    let sums = columns(x.len(), &mut adder)?;
    let mut claims = adder.claims;
    for (sum, bit) in sums.iter().zip(result) {
        let bit = b.poly(bit);
        claims.push(b.poly_add(sum, &bit));
    }
    b.assert_poly_zero(&claims)
}

/// The carry of two or three bits.
fn majority<B: Polynomials<F2>>(b: &mut B, bits: &[B::Poly]) -> Result<B::Poly, B::Error> {
    match bits {
        [x, y, z] => {
            let (x, y) = (b.poly_add(x, z), b.poly_add(y, z));
            let product = b.poly_mul(&x, &y)?;
            Ok(b.poly_add(&product, z))
        }
        [x, y] => b.poly_mul(x, y),
        _ => Err(Error::misuse("a column is added in threes and twos").into()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Counter, Evaluator, Fold, Prove, gadgets};

    fn word(value: u64, width: usize) -> Vec<F2> {
        (0..width).map(|i| F2::from_lsb(value >> i)).collect()
    }

    proptest! {
        #[test]
        fn products_are_those_of_integers(x: u64, y: u64, width in 0..=64_usize) {
            let mut evaluator = Evaluator::new();
            let product = multiply_low_as_polynomials(&mut evaluator, &word(x, width), &word(y, width));
            prop_assert!(product.expect("holds") == word(x.wrapping_mul(y), width));
        }

        #[test]
        fn known_factors_fold(x: u32, y: u32) {
            let mut evaluator = Evaluator::new();
            let mut fold = Fold::new(&mut evaluator);
            let x_wires = gadgets::constant(&mut fold, x.into(), 32);
            let y_wires = fold.secret(32, &mut |_| Ok(word(y.into(), 32))).expect("values");
            let product = multiply_low_as_polynomials(&mut fold, &x_wires, &y_wires).expect("holds");
            let bits: Vec<F2> = product.iter().map(|bit| fold.lower(bit)).collect();
            prop_assert!(bits == word(x.wrapping_mul(y).into(), 32));
        }
    }

    #[test]
    fn every_committed_bit_is_claimed() {
        let (x, y) = (word(0xdead_beef, 32), word(0x1234_5679, 32));
        let right = bits(&Plain, &x, &y).expect("bits");
        assert_eq!(right.len(), 497);
        let check = |bits: &[F2]| claim(&mut Evaluator::new(), &x, &y, &bits[..465], &bits[465..]);
        assert_eq!(check(&right), Ok(()));
        for wrong in 0..right.len() {
            let mut bits = right.clone();
            bits[wrong] += F2::ONE;
            assert!(check(&bits).is_err(), "bit {wrong}");
        }
    }

    struct Plain;

    impl Peek<F2, F2> for Plain {
        fn value(&self, wire: &F2) -> F2 {
            *wire
        }
    }

    #[test]
    fn a_32_bit_product_commits_to_497_bits_at_degree_4() {
        let mut counter = Counter::<F2>::new();
        multiply_low_as_polynomials(&mut counter, &[0; 32], &[0; 32]).expect("counts");
        let total = counter.total();
        assert_eq!((total.inputs, total.polynomials, total.degree), (497, 497, 4));
        assert_eq!(total.multiplications, 0);
        let result = multiply_low_as_polynomials(&mut counter, &[0; 3], &[0; 2]);
        assert!(matches!(result, Err(Error::Misuse(_))));
    }
}
