//! The operations of statements on P's wires.

use volery_circuit::polynomials::{MatrixShape, check_set};
use volery_circuit::{Backend, Error as StatementError, Hint, Ops, Peek, Polynomials, Prove, check_linear};
use volery_field::{Authenticated, Mac, Value};
use zeroize::Zeroizing;

use super::super::super::poly::ProverPoly;
use super::super::{AT_ONCE, Link, matrix};
use super::Prover;
use crate::Error;

impl<F: Value, M: Mac<F>, L: Link> Backend for Prover<'_, F, M, L> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.place.enter(part);
    }

    fn leave(&mut self) {
        self.place.leave();
    }
}

impl<F: Value, M: Mac<F>, L: Link> Ops<F> for Prover<'_, F, M, L> {
    type Wire = Authenticated<F, M>;

    #[inline(always)]
    fn constant(&mut self, c: F) -> Self::Wire {
        Authenticated::constant(c)
    }

    #[inline(always)]
    fn add(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire {
        *x + *y
    }

    #[inline(always)]
    fn sub(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire {
        *x - *y
    }

    #[inline(always)]
    fn add_constant(&mut self, x: &Self::Wire, c: F) -> Self::Wire {
        Authenticated { x: x.x + c, m: x.m }
    }

    #[inline(always)]
    fn scale(&mut self, x: &Self::Wire, c: F) -> Self::Wire {
        x.scale(c)
    }

    #[inline(always)]
    fn mul(&mut self, x: &Self::Wire, y: &Self::Wire) -> Result<Self::Wire, Error> {
        let z = self.commit(x.x * y.x)?;
        self.room()?;
        self.relations.push_quadratic(x.m * y.m, y.m.scale(x.x) + x.m.scale(y.x) - z.m);
        self.tally.multiplications += 1;
        Ok(z)
    }

    fn mul_many(&mut self, x: &[Self::Wire], y: &[Self::Wire]) -> Result<Vec<Self::Wire>, Error> {
        if x.len() != y.len() {
            return self.misuse(format!("products of {} and {} wires", x.len(), y.len()));
        }
        let mut out = vec![Self::Wire::default(); x.len()];
        let mut done = 0;
        while done < x.len() {
            done += self.multiply_some(&x[done..], &y[done..], &mut out[done..])?;
        }
        Ok(out)
    }

    fn add_products(
        &mut self,
        sums: &mut [Self::Wire],
        x: &[Self::Wire],
        y: &[Self::Wire],
    ) -> Result<(), Error> {
        if sums.len() != x.len() || x.len() != y.len() {
            let (x, y, sums) = (x.len(), y.len(), sums.len());
            return self.misuse(format!("products of {x} and {y} wires added to {sums}"));
        }
        let mut products = core::mem::take(&mut self.products);
        products.resize(AT_ONCE, Self::Wire::default());
        let mut done = 0;
        while done < x.len() {
            let room = AT_ONCE.min(x.len() - done);
            let n = self.multiply_some(&x[done..], &y[done..], &mut products[..room])?;
            let added = M::add_prover(&mut sums[done..][..n], &products[..n]);
            self.latch(added.map_err(|error| StatementError::misuse(error.to_string()).into()))?;
            done += n;
        }
        self.products = products;
        Ok(())
    }
}

impl<F: Value, M: Mac<F>, L: Link> Prove<F> for Prover<'_, F, M, L> {
    fn secret(&mut self, n: usize, hint: Hint<'_, F, Self::Wire>) -> Result<Vec<Self::Wire>, Error> {
        let values = if self.blank { Ok(vec![F::ZERO; n]) } else { hint(&Values).map_err(Error::from) };
        let values = Zeroizing::new(self.latch(values)?);
        if values.len() != n {
            return self.misuse(format!("a hint for {n} values gave {}", values.len()));
        }
        self.tally.secrets += n as u64;
        let mut out = Vec::with_capacity(n);
        while out.len() < n {
            let start = out.len();
            let n = self.at_once(n - start, 1)?;
            self.commit_at_once(values[start..][..n].iter().copied(), &mut out)?;
        }
        Ok(out)
    }

    fn assert_zero(&mut self, x: &[Self::Wire]) -> Result<(), Error> {
        for wire in x {
            self.demand_zero(M::embed(wire.x))?;
            let result = self.assertions.push_element(wire.m);
            self.latch(result)?;
            self.tally.assertions += 1;
        }
        Ok(())
    }

    fn assert_dot(&mut self, x: &[Self::Wire], y: &[Self::Wire], z: &Self::Wire) -> Result<(), Error> {
        self.room()?;
        let sums = M::dot_prover(x, y).map_err(|error| StatementError::misuse(error.to_string()).into());
        let [a_0, a_1, value] = self.latch(sums)?;
        self.demand_zero(value - M::embed(z.x))?;
        self.relations.push_quadratic(a_0, a_1 - z.m);
        self.tally.claim(2);
        Ok(())
    }

    fn assert_linear(&mut self, entries: &[F], x: &[Self::Wire], t: &[F]) -> Result<(), Error> {
        let checked = check_linear(entries.len(), x.len(), t.len()).map_err(Error::from);
        self.latch(checked)?;
        // There are many rows, so values and tags are put side by side once, for all of them.
        let values = Zeroizing::new(Vec::from_iter(x.iter().map(|x| x.x)));
        let tags = Zeroizing::new(Vec::from_iter(x.iter().map(|x| x.m)));
        if x.is_empty() {
            return t.iter().try_for_each(|t| self.demand_zero(M::embed(*t)));
        }
        let mut combined = Zeroizing::new([M::ZERO; matrix::ROWS]);
        for (rows, t) in entries.chunks(matrix::ROWS * x.len()).zip(t.chunks(matrix::ROWS)) {
            for (row, t) in rows.chunks_exact(x.len()).zip(t) {
                let value =
                    F::dot(row, &values).map_err(|error| StatementError::misuse(error.to_string()).into());
                let value = self.latch(value)?;
                self.demand_zero(M::embed(value - *t))?;
            }
            let combined = &mut combined[..t.len()];
            let result = M::combine_rows(rows, &tags, combined);
            self.latch(result.map_err(|error| StatementError::misuse(error.to_string()).into()))?;
            for tag in combined {
                let result = self.assertions.push_element(*tag);
                self.latch(result)?;
                self.tally.assertions += 1;
            }
        }
        Ok(())
    }

    fn assert_products(&mut self, x: &[Self::Wire], y: &[Self::Wire], z: &[Self::Wire]) -> Result<(), Error> {
        if x.len() != y.len() || y.len() != z.len() {
            return self.misuse(format!("products of {}, {} and {} wires", x.len(), y.len(), z.len()));
        }
        let mut done = 0;
        while done < x.len() {
            let n = self.relations_at_once(x.len() - done)?;
            self.relate_at_once(&x[done..][..n], &y[done..][..n], &z[done..][..n])?;
            done += n;
        }
        Ok(())
    }
}

impl<F: Value, M: Mac<F>, L: Link> Polynomials<F> for Prover<'_, F, M, L> {
    type Poly = ProverPoly<M>;

    fn poly(&mut self, x: &Self::Wire) -> Self::Poly {
        ProverPoly::wire(M::embed(x.x), x.m)
    }

    fn poly_constant(&mut self, c: F) -> Self::Poly {
        ProverPoly::constant(M::embed(c))
    }

    fn poly_add(&mut self, p: &Self::Poly, q: &Self::Poly) -> Self::Poly {
        p.add(q)
    }

    fn poly_scale(&mut self, p: &Self::Poly, c: F) -> Self::Poly {
        p.scale(|p| p.scale(c))
    }

    fn poly_mul(&mut self, p: &Self::Poly, q: &Self::Poly) -> Result<Self::Poly, Error> {
        let product = p.mul(q).map_err(Error::from);
        self.latch(product)
    }

    fn assert_one_of(&mut self, x: &[Self::Wire], set: &[F]) -> Result<(), Error> {
        let checked = check_set(set.len()).map_err(Error::from);
        self.latch(checked)?;
        for x in x {
            let factors = set.iter().map(|element| [x.m, M::embed(x.x - *element)]);
            self.assert_poly_zero(&[ProverPoly::product(factors)])?;
        }
        Ok(())
    }

    fn assert_poly_zero(&mut self, p: &[Self::Poly]) -> Result<(), Error> {
        for p in p {
            let Some((value, coefficients)) = p.coefficients().split_last() else { continue };
            self.demand_zero(*value)?;
            match coefficients {
                // A public zero.
                [] => {}
                // Nothing to mask, as for a wire that is zero.
                [tag] => {
                    let result = self.assertions.push_element(*tag);
                    self.latch(result)?;
                    self.tally.assertions += 1;
                }
                _ => {
                    self.room()?;
                    self.relations.push(coefficients.len(), coefficients.iter().copied());
                    self.tally.claim(coefficients.len());
                }
            }
        }
        Ok(())
    }

    fn assert_matrix_product(
        &mut self,
        shape: MatrixShape,
        a: &[Self::Wire],
        b: &[Self::Wire],
        c: &[Self::Wire],
    ) -> Result<(), Error> {
        let checked = shape.check(a.len(), b.len(), c.len()).map_err(Error::from);
        self.latch(checked)?;
        let seed = self.challenge()?;
        let folded = matrix::fold_prover(shape, a, b, c, seed);
        let folded = self.latch(folded)?;
        self.room()?;
        self.demand_zero(folded.value)?;
        self.relations.push_quadratic(folded.a_0, folded.a_1);
        self.tally.claim(2);
        self.tally.folds += 1;
        Ok(())
    }
}

/// The values that hints see at P.
pub(super) struct Values;

impl<F: Value, M: Mac<F>> Peek<F, Authenticated<F, M>> for Values {
    fn value(&self, wire: &Authenticated<F, M>) -> F {
        wire.x
    }
}
