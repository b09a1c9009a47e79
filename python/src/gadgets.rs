//! What operations compute, over bits and over elements, on any backend.

use volery::circuit::gadgets::{self, Aes128, field};
use volery::circuit::{Error, Fold, Folded, MatrixShape, Ops, Polynomials};
use volery::field::{F2, F61, Ring};

use crate::program::Op;
use crate::values::Gadget;

impl<B: Ops<F2>> Gadget<F2, B> for Op {
    fn folds(&self) -> bool {
        matches!(self, Self::Sha256 | Self::Aes128)
    }

    fn plain(&self, b: &mut B, operands: &[&[B::Wire]]) -> Result<Vec<B::Wire>, B::Error> {
        on_bits(b, *self, operands)
    }

    fn folded(
        &self,
        b: &mut Fold<'_, B>,
        operands: &[&[Folded<F2, B::Wire>]],
    ) -> Result<Vec<Folded<F2, B::Wire>>, B::Error> {
        match (self, operands) {
            (Self::Sha256, [x]) => gadgets::sha256(b, x),
            (Self::Aes128, [key, block]) => Aes128::new(b, key)?.encrypt(b, block),
            _ => on_bits(b, *self, operands),
        }
    }
}

/// An operation over bits.
fn on_bits<B: Ops<F2>>(b: &mut B, op: Op, operands: &[&[B::Wire]]) -> Result<Vec<B::Wire>, B::Error> {
    Ok(match (op, operands) {
        (Op::Xor, [x, y]) => gadgets::xor(b, x, y)?,
        (Op::And, [x, y]) => gadgets::and(b, x, y)?,
        (Op::Or, [x, y]) => gadgets::or(b, x, y)?,
        (Op::Not, [x]) => gadgets::not_word(b, x),
        (Op::Add, [x, y]) => gadgets::add(b, x, y)?,
        (Op::Sub, [x, y]) => gadgets::sub(b, x, y)?,
        (Op::Negate, [x]) => gadgets::negate(b, x)?,
        (Op::Mul, [x, y]) => gadgets::multiply_low(b, x, y)?,
        (Op::WideMul, [x, y]) => gadgets::multiply(b, x, y)?,
        (Op::Less, [x, y]) => vec![gadgets::less_than(b, x, y)?],
        (Op::LessSigned, [x, y]) => vec![gadgets::less_than_signed(b, x, y)?],
        (Op::Equal, [x, y]) => vec![gadgets::equal(b, x, y)?],
        (Op::Choose, [choice, x, y]) => match choice {
            [choice] => gadgets::mux(b, choice, x, y)?,
            _ => return Err(Error::misuse("a choice is one bit").into()),
        },
        (Op::All, [x]) => vec![gadgets::all_ones(b, x)?],
        (Op::Any, [x]) => vec![gadgets::any_one(b, x)?],
        _ => return Err(Error::misuse(format!("{op:?} of bits")).into()),
    })
}

/// An operation over elements, with its numbers.
pub(crate) struct OnElements(pub(crate) Op, pub(crate) [i64; 3]);

impl<B: Polynomials<F61>> Gadget<F61, B> for OnElements {
    fn plain(&self, b: &mut B, operands: &[&[B::Wire]]) -> Result<Vec<B::Wire>, B::Error> {
        on_elements(b, self.0, self.1, operands)
    }

    fn folded(
        &self,
        b: &mut Fold<'_, B>,
        operands: &[&[Folded<F61, B::Wire>]],
    ) -> Result<Vec<Folded<F61, B::Wire>>, B::Error> {
        on_elements(b, self.0, self.1, operands)
    }
}

/// An operation over elements.
fn on_elements<B: Polynomials<F61>>(
    b: &mut B,
    op: Op,
    numbers: [i64; 3],
    operands: &[&[B::Wire]],
) -> Result<Vec<B::Wire>, B::Error> {
    let size = numbers.map(|number| usize::try_from(number).unwrap_or(0));
    Ok(match (op, operands) {
        (Op::FieldAdd, [x, y]) => x.iter().zip(*y).map(|(x, y)| b.add(x, y)).collect(),
        (Op::FieldSub, [x, y]) => x.iter().zip(*y).map(|(x, y)| b.sub(x, y)).collect(),
        (Op::FieldNegate, [x]) => x.iter().map(|x| b.scale(x, -F61::ONE)).collect(),
        (Op::FieldMul, [x, y]) => b.mul_many(x, y)?,
        (Op::FieldEqual, [x, y]) => field::equal(b, x, y)?,
        (Op::FieldLess, [x, y]) => field::less_than(b, x, y, size[0])?,
        (Op::FieldRange, [x]) if size[1] == 0 => {
            field::assert_in_range(b, x, size[0])?;
            Vec::new()
        }
        (Op::FieldRange, [x]) => {
            field::assert_in_signed_range(b, x, size[0])?;
            Vec::new()
        }
        (Op::FieldShift, [x]) => field::shift_right_signed(b, x, size[0], size[1])?,
        (Op::FieldSum, [x]) => {
            let mut sum = b.constant(F61::ZERO);
            for x in *x {
                sum = b.add(&sum, x);
            }
            vec![sum]
        }
        (Op::MatMul, [x, y]) => {
            matrix_product(b, MatrixShape { rows: size[0], inner: size[1], columns: size[2] }, x, y)?
        }
        _ => return Err(Error::misuse(format!("{op:?} of elements")).into()),
    })
}

/// The product of two matrices. If one is public this is linear; else its entries are committed to, and the
/// product is claimed.
fn matrix_product<B: Polynomials<F61>>(
    b: &mut B,
    shape: MatrixShape,
    x: &[B::Wire],
    y: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let MatrixShape { rows, inner, columns } = shape;
    let entry = |i: usize, j: usize| {
        (0..inner).filter_map(move |l| Some((x.get(i * inner + l)?, y.get(l * columns + j)?)))
    };
    let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    let is_public = |b: &B, wires: &[B::Wire]| wires.iter().all(|wire| b.known(wire).is_some());
    if is_public(b, x) || is_public(b, y) {
        let mut product = Vec::with_capacity(rows * columns);
        for (i, j) in places {
            let mut sum = b.constant(F61::ZERO);
            for (x, y) in entry(i, j) {
                let term = match (b.known(x), b.known(y)) {
                    (Some(c), _) => b.scale(y, c),
                    (None, c) => b.scale(x, c.unwrap_or(F61::ZERO)),
                };
                sum = b.add(&sum, &term);
            }
            product.push(sum);
        }
        return Ok(product);
    }
    let product = b.secret(rows * columns, &mut |values| {
        let terms =
            |(i, j)| entry(i, j).fold(F61::ZERO, |sum, (x, y)| sum + values.value(x) * values.value(y));
        Ok(places.clone().map(terms).collect())
    })?;
    b.assert_matrix_product(shape, x, y, &product)?;
    Ok(product)
}
