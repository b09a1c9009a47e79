//! What holds is accepted, and counted alike.

use volery_circuit::{Digest, MatrixShape, Polynomials, Statement};
use volery_field::{F61, Value};

use crate::field::parties::RUNS;

/// Every kind of claim once: gates, an inner product, polynomials of degree 1 to 9, sets, a product of
/// matrices.
struct Everything<F> {
    inputs: Vec<F>,
}

impl<F: Value, B: Polynomials<F>> Statement<B> for Everything<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: everything");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let n = self.inputs.len();
        let x = b.secret(n, &mut |_| Ok(self.inputs.clone()))?;
        // A chain of gates.
        let mut product = b.constant(F::ONE);
        for x in &x {
            product = b.mul(&product, x)?;
            product = b.add_constant(&product, F::from_u64(3));
        }
        let value = b.secret(1, &mut |peek| Ok(vec![peek.value(&product)]))?;
        let difference = b.sub(&product, &value[0]);
        b.assert_zero(&[difference])?;
        // An inner product with a committed result.
        let dot = b.secret(1, &mut |peek| {
            Ok(vec![x.iter().fold(F::ZERO, |sum, x| sum + peek.value(x) * peek.value(x))])
        })?;
        b.assert_dot(&x, &x, &dot[0])?;
        // x0^d - power_d = 0 for every degree.
        let base = b.poly(&x[0]);
        let mut power = b.poly_constant(F::ONE);
        for degree in 1..10 {
            power = b.poly_mul(&power, &base)?;
            let committed = b.secret(1, &mut |peek| {
                Ok(vec![(0..degree).fold(F::ONE, |power, _| power * peek.value(&x[0]))])
            })?;
            let committed = b.poly(&committed[0]);
            let negative = b.poly_scale(&committed, -F::ONE);
            let claim = b.poly_add(&power, &negative);
            b.assert_poly_zero(&[claim])?;
        }
        let small = b.secret(3, &mut |_| Ok([0, 1, 2].map(F::from_u64).to_vec()))?;
        b.assert_one_of(&small, &[0, 1, 2].map(F::from_u64))?;
        let shape = MatrixShape { rows: 2, inner: 3, columns: 2 };
        let c = b.secret(4, &mut |peek| {
            let entry = |i: usize, j: usize| {
                (0..3).fold(F::ZERO, |sum, l| sum + peek.value(&x[3 * i + l]) * peek.value(&x[2 * l + j]))
            };
            Ok(vec![entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)])
        })?;
        b.assert_matrix_product(shape, &x[..6], &x[..6], &c)?;
        Ok(())
    }
}

#[test]
fn every_kind_of_claim_is_accepted_and_counted_alike() {
    let statement = Everything { inputs: (5..25).map(F61::from_u64).collect() };
    for run in RUNS {
        let (p, v) = run.honest::<F61, F61>(&statement);
        assert_eq!(p.unwrap(), v.unwrap(), "{run:?}");
    }
}
