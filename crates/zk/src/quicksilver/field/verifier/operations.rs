//! The operations of statements on V's wires.

use volery_circuit::polynomials::{MatrixShape, check_set};
use volery_circuit::{Backend, Error as StatementError, Hint, Ops, Polynomials, Prove, check_linear};
use volery_field::{Mac, Value};
use zeroize::Zeroizing;

use super::super::super::poly::VerifierPoly;
use super::super::{AT_ONCE, Link, matrix};
use super::Verifier;
use crate::Error;

impl<F: Value, M: Mac<F>, L: Link> Backend for Verifier<'_, F, M, L> {
    type Error = Error;
}

impl<F: Value, M: Mac<F>, L: Link> Ops<F> for Verifier<'_, F, M, L> {
    type Wire = M;

    #[inline(always)]
    fn constant(&mut self, c: F) -> M {
        self.delta.expose().scale(c)
    }

    #[inline(always)]
    fn add(&mut self, x: &M, y: &M) -> M {
        *x + *y
    }

    #[inline(always)]
    fn sub(&mut self, x: &M, y: &M) -> M {
        *x - *y
    }

    #[inline(always)]
    fn add_constant(&mut self, x: &M, c: F) -> M {
        *x + self.delta.expose().scale(c)
    }

    #[inline(always)]
    fn scale(&mut self, x: &M, c: F) -> M {
        x.scale(c)
    }

    #[inline(always)]
    fn mul(&mut self, x: &M, y: &M) -> Result<M, Error> {
        let z = self.commit()?;
        self.quadratic(*x * *y - z * self.delta.expose())?;
        self.tally.multiplications += 1;
        Ok(z)
    }

    fn mul_many(&mut self, x: &[M], y: &[M]) -> Result<Vec<M>, Error> {
        if x.len() != y.len() {
            return self.misuse(format!("products of {} and {} wires", x.len(), y.len()));
        }
        let mut out = vec![M::ZERO; x.len()];
        let mut done = 0;
        while done < x.len() {
            done += self.multiply_some(&x[done..], &y[done..], &mut out[done..])?;
        }
        Ok(out)
    }

    fn add_products(&mut self, sums: &mut [M], x: &[M], y: &[M]) -> Result<(), Error> {
        if sums.len() != x.len() || x.len() != y.len() {
            let (x, y, sums) = (x.len(), y.len(), sums.len());
            return self.misuse(format!("products of {x} and {y} wires added to {sums}"));
        }
        let mut products = core::mem::take(&mut self.products);
        products.resize(AT_ONCE, M::ZERO);
        let mut done = 0;
        while done < x.len() {
            let room = AT_ONCE.min(x.len() - done);
            let n = self.multiply_some(&x[done..], &y[done..], &mut products[..room])?;
            let added = M::add_verifier(&mut sums[done..][..n], &products[..n]);
            self.failed.latch(added.map_err(|error| StatementError::misuse(error.to_string()).into()))?;
            done += n;
        }
        self.products = products;
        Ok(())
    }
}

impl<F: Value, M: Mac<F>, L: Link> Prove<F> for Verifier<'_, F, M, L> {
    fn secret(&mut self, n: usize, _hint: Hint<'_, F, M>) -> Result<Vec<M>, Error> {
        self.tally.secrets += n as u64;
        let mut out = Vec::with_capacity(n);
        while out.len() < n {
            let n = self.at_once(n - out.len(), 1)?;
            self.commit_at_once(n, &mut out);
        }
        Ok(out)
    }

    fn assert_zero(&mut self, x: &[M]) -> Result<(), Error> {
        for wire in x {
            let result = self.assertions.push_element(*wire);
            self.failed.latch(result)?;
        }
        self.tally.assertions += x.len() as u64;
        Ok(())
    }

    fn assert_dot(&mut self, x: &[M], y: &[M], z: &M) -> Result<(), Error> {
        let sum = M::inner_product(x, y).map_err(|error| StatementError::misuse(error.to_string()).into());
        let sum = self.failed.latch(sum)?;
        self.quadratic(sum - *z * self.delta.expose())?;
        self.tally.claim(2);
        Ok(())
    }

    fn assert_linear(&mut self, entries: &[F], x: &[M], t: &[F]) -> Result<(), Error> {
        let checked = check_linear(entries.len(), x.len(), t.len()).map_err(Error::from);
        self.failed.latch(checked)?;
        if x.is_empty() {
            if t.iter().any(|t| !t.is_zero()) {
                return self.misuse("a public constant that is not zero is claimed to be".into());
            }
            return Ok(());
        }
        let mut combined = Zeroizing::new([M::ZERO; matrix::ROWS]);
        for (rows, t) in entries.chunks(matrix::ROWS * x.len()).zip(t.chunks(matrix::ROWS)) {
            let combined = &mut combined[..t.len()];
            let result = M::combine_rows(rows, x, combined);
            self.failed.latch(result.map_err(|error| StatementError::misuse(error.to_string()).into()))?;
            for (key, t) in combined.iter().zip(t) {
                let result = self.assertions.push_element(*key - self.delta.expose().scale(*t));
                self.failed.latch(result)?;
                self.tally.assertions += 1;
            }
        }
        Ok(())
    }

    fn assert_products(&mut self, x: &[M], y: &[M], z: &[M]) -> Result<(), Error> {
        if x.len() != y.len() || y.len() != z.len() {
            return self.misuse(format!("products of {}, {} and {} wires", x.len(), y.len(), z.len()));
        }
        let mut done = 0;
        while done < x.len() {
            let n = self.relations_at_once(x.len() - done)?;
            self.relate_at_once([x, y, z].map(|keys| &keys[done..][..n]))?;
            done += n;
        }
        Ok(())
    }
}

impl<F: Value, M: Mac<F>, L: Link> Polynomials<F> for Verifier<'_, F, M, L> {
    type Poly = VerifierPoly<M>;

    fn poly(&mut self, x: &M) -> Self::Poly {
        VerifierPoly::wire(*x)
    }

    fn poly_constant(&mut self, c: F) -> Self::Poly {
        VerifierPoly::constant(M::embed(c))
    }

    fn poly_add(&mut self, p: &Self::Poly, q: &Self::Poly) -> Self::Poly {
        p.add(q, self.delta.expose())
    }

    fn poly_scale(&mut self, p: &Self::Poly, c: F) -> Self::Poly {
        p.scale(|p| p.scale(c))
    }

    fn poly_mul(&mut self, p: &Self::Poly, q: &Self::Poly) -> Result<Self::Poly, Error> {
        let product = p.mul(q).map_err(Error::from);
        self.failed.latch(product)
    }

    fn assert_one_of(&mut self, x: &[M], set: &[F]) -> Result<(), Error> {
        let checked = check_set(set.len()).map_err(Error::from);
        self.failed.latch(checked)?;
        // Keys of public constants.
        let delta = self.delta.expose();
        let set = Zeroizing::new(Vec::from_iter(set.iter().map(|element| delta.scale(*element))));
        for x in x {
            self.assert_poly_zero(&[VerifierPoly::product(set.iter().map(|element| *x - *element))])?;
        }
        Ok(())
    }

    fn assert_poly_zero(&mut self, p: &[Self::Poly]) -> Result<(), Error> {
        for p in p {
            match p.degree() {
                0 if p.value().is_zero() => {}
                0 => return self.misuse("a public constant that is not zero is claimed to be".into()),
                1 => {
                    let result = self.assertions.push_element(p.value());
                    self.failed.latch(result)?;
                    self.tally.assertions += 1;
                }
                2 => {
                    self.quadratic(p.value())?;
                    self.tally.claim(2);
                }
                degree => {
                    self.room()?;
                    self.relations.push(degree, [p.value()]);
                    self.tally.claim(degree);
                }
            }
        }
        Ok(())
    }

    fn assert_matrix_product(&mut self, shape: MatrixShape, a: &[M], b: &[M], c: &[M]) -> Result<(), Error> {
        let checked = shape.check(a.len(), b.len(), c.len()).map_err(Error::from);
        self.failed.latch(checked)?;
        let seed = self.challenge()?;
        let value = matrix::fold_verifier(shape, a, b, c, seed, self.delta.expose());
        let value = self.failed.latch(value)?;
        self.quadratic(value)?;
        self.tally.claim(2);
        self.tally.folds += 1;
        Ok(())
    }
}
