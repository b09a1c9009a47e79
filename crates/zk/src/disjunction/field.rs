//! Disjunctions over a field: challenges and check values in the field of its MACs.

use volery_channel::tags;
use volery_circuit::Polynomials as _;
use volery_circuit::polynomials::check_set;
use volery_field::{Authenticated, LengthError, Mac, Value};
use volery_vole::subfield::vope;
use zeroize::Zeroizing;

use super::base::{self, Base, Linear, OperationCounts};
use super::kept::{Elements, Kept};
use crate::Error;
use crate::quicksilver::Seed;
use crate::quicksilver::field::{Link, Prover, ProverPoly, Verifier, VerifierPoly};
use crate::shares::ElementShare;

fn misuse(error: LengthError) -> Error {
    volery_circuit::Error::misuse(error.to_string()).into()
}

impl<F: Value, M: Mac<F>, L: Link> Base<F> for Prover<'_, F, M, L> {
    type Mac = M;
    type Share = Authenticated<F, M>;

    #[inline(always)]
    fn share(wire: &Self::Wire) -> Self::Share {
        *wire
    }

    #[inline(always)]
    fn shares(wires: &[Self::Wire]) -> Option<&[Self::Share]> {
        Some(wires)
    }

    fn kept(n: usize) -> Box<dyn Kept<F>> {
        Box::new(Elements::new(n))
    }

    fn combine(x: &[Self::Share], c: &[M]) -> Result<ElementShare<M>, Error> {
        let [m, x] = M::combine_prover(x, c).map_err(misuse)?;
        Ok(ElementShare { x, m })
    }

    fn challenge(&mut self) -> Result<Option<Seed>, Error> {
        Self::challenge(self).map(|seed| Some(seed.into()))
    }

    fn count_disjunction(&mut self, claims: bool, branches: usize, challenges: u64) {
        Self::count_disjunction(self, claims, branches, challenges);
    }

    fn vanish(&mut self, check_values: &[ElementShare<M>], counts: OperationCounts) -> Result<(), Error> {
        let coefficients = match base::product(check_values) {
            Some(coefficients) => coefficients,
            None => self.unsatisfied().map(|()| base::blank(check_values.len()))?,
        };
        let mask = base::mask(check_values.len(), |degree| {
            let n = vope::correlations::<F, M>(degree);
            let mut random = Zeroizing::new(vec![Authenticated::default(); n]);
            self.random(&mut random)?;
            Ok(vope::prover(degree, &random)?)
        })?;
        let message = base::message(&coefficients, &Zeroizing::new(mask), counts)?;
        self.send_message(tags::TOKENS, &message)
    }
}

impl<F: Value, M: Mac<F>, L: Link> Base<F> for Verifier<'_, F, M, L> {
    type Mac = M;
    type Share = M;

    #[inline(always)]
    fn share(wire: &M) -> M {
        *wire
    }

    #[inline(always)]
    fn shares(wires: &[M]) -> Option<&[M]> {
        Some(wires)
    }

    fn kept(n: usize) -> Box<dyn Kept<F>> {
        Box::new(Elements::new(n))
    }

    fn combine(x: &[M], c: &[M]) -> Result<ElementShare<M>, Error> {
        let m = M::inner_product(x, c).map_err(misuse)?;
        Ok(ElementShare { x: M::ZERO, m })
    }

    fn challenge(&mut self) -> Result<Option<Seed>, Error> {
        Self::challenge(self).map(|seed| Some(seed.into()))
    }

    fn count_disjunction(&mut self, claims: bool, branches: usize, challenges: u64) {
        Self::count_disjunction(self, claims, branches, challenges);
    }

    fn vanish(&mut self, check_values: &[ElementShare<M>], counts: OperationCounts) -> Result<(), Error> {
        let mask = base::mask(check_values.len(), |degree| {
            let mut random = Zeroizing::new(vec![M::ZERO; vope::correlations::<F, M>(degree)]);
            self.random(&mut random)?;
            Ok(vope::verifier::<F, M>(degree, &random)?)
        })?;
        let mut message = vec![0; base::message_len::<M>(check_values.len())];
        self.receive_message(tags::TOKENS, &mut message)?;
        base::check(check_values, mask, self.delta(), counts, &message).or_else(|error| self.fail(error))
    }
}

impl<F: Value, M: Mac<F>, L: Link> Linear<F> for Prover<'_, F, M, L> {
    fn combine_public(x: &[Self::Share], c: &[F]) -> Result<Self::Wire, Error> {
        let tags = Zeroizing::new(Vec::from_iter(x.iter().map(|x| x.m)));
        let values = Zeroizing::new(Vec::from_iter(x.iter().map(|x| x.x)));
        let (x, m) = (F::dot(&values, c).map_err(misuse)?, M::combine_public(c, &tags).map_err(misuse)?);
        Ok(Authenticated { x, m })
    }

    fn assert_member(&mut self, check_value: ElementShare<M>, set: &[M]) -> Result<(), Error> {
        check_set(set.len())?;
        let factors = set.iter().map(|element| [check_value.m, check_value.x - *element]);
        self.assert_poly_zero(&[ProverPoly::product(factors)])
    }
}

impl<F: Value, M: Mac<F>, L: Link> Linear<F> for Verifier<'_, F, M, L> {
    fn combine_public(x: &[M], c: &[F]) -> Result<M, Error> {
        M::combine_public(c, x).map_err(misuse)
    }

    fn assert_member(&mut self, check_value: ElementShare<M>, set: &[M]) -> Result<(), Error> {
        check_set(set.len())?;
        let delta = self.delta();
        let factors = set.iter().map(|element| check_value.m - *element * delta);
        self.assert_poly_zero(&[VerifierPoly::product(factors)])
    }
}

super::disjunctions!([F: Value, M: Mac<F>, L: Link, S] F, Prover<'_, F, M, L>, in batches);
super::disjunctions!([F: Value, M: Mac<F>, L: Link, S] F, Verifier<'_, F, M, L>, in batches);
