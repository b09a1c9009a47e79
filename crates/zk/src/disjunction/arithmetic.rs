//! Disjunctions over a field: challenges and tokens in the field of its MACs.

use volery_channel::tags;
use volery_circuit::Polynomials as _;
use volery_circuit::polynomials::check_set;
use volery_field::{Authenticated, LengthError, Mac, Value};
use volery_vole::subfield::vope;
use zeroize::Zeroizing;

use super::base::{self, Base, Key, Linear, Shown, Weighed};
use super::kept::{Elements, Kept};
use crate::Error;
use crate::quicksilver::arithmetic::{Link, Prover, ProverPoly, Verifier, VerifierPoly};

fn misuse(error: LengthError) -> Error {
    volery_circuit::Error::misuse(error.to_string()).into()
}

impl<F: Value, M: Mac<F>, L: Link> Base<F> for Prover<'_, F, M, L> {
    type Mac = M;
    type Half = Authenticated<F, M>;
    type Token = Shown<M>;

    #[inline(always)]
    fn half(wire: &Self::Wire) -> Self::Half {
        *wire
    }

    #[inline(always)]
    fn halves(wires: &[Self::Wire]) -> Option<&[Self::Half]> {
        Some(wires)
    }

    fn kept(n: usize) -> Box<dyn Kept<F>> {
        Box::new(Elements::new(n))
    }

    fn combine(x: &[Self::Half], c: &[M]) -> Result<Shown<M>, Error> {
        let [tag, value] = M::combine_prover(x, c).map_err(misuse)?;
        Ok(Shown { tag, value })
    }

    fn challenge(&mut self) -> Result<[u8; 16], Error> {
        Self::challenge(self)
    }

    fn count_disjunction(&mut self, claims: bool, branches: usize, challenges: u64) {
        Self::count_disjunction(self, claims, branches, challenges);
    }

    fn vanish(&mut self, tokens: &[Shown<M>], weighed: Weighed) -> Result<(), Error> {
        let coefficients = match base::product(tokens) {
            Some(coefficients) => coefficients,
            None => self.unsatisfied().map(|()| base::blank(tokens.len()))?,
        };
        let mask = base::mask(tokens.len(), |degree| {
            let n = vope::correlations::<F, M>(degree);
            let mut random = Zeroizing::new(vec![Authenticated::default(); n]);
            self.random(&mut random)?;
            Ok(vope::prover(degree, &random)?)
        })?;
        let message = base::message(&coefficients, &Zeroizing::new(mask), weighed)?;
        self.send_message(tags::TOKENS, &message)
    }
}

impl<F: Value, M: Mac<F>, L: Link> Base<F> for Verifier<'_, F, M, L> {
    type Mac = M;
    type Half = M;
    type Token = Key<M>;

    #[inline(always)]
    fn half(wire: &M) -> M {
        *wire
    }

    #[inline(always)]
    fn halves(wires: &[M]) -> Option<&[M]> {
        Some(wires)
    }

    fn kept(n: usize) -> Box<dyn Kept<F>> {
        Box::new(Elements::new(n))
    }

    fn combine(x: &[M], c: &[M]) -> Result<Key<M>, Error> {
        M::inner_product(x, c).map(Key).map_err(misuse)
    }

    fn challenge(&mut self) -> Result<[u8; 16], Error> {
        Self::challenge(self)
    }

    fn count_disjunction(&mut self, claims: bool, branches: usize, challenges: u64) {
        Self::count_disjunction(self, claims, branches, challenges);
    }

    fn vanish(&mut self, tokens: &[Key<M>], weighed: Weighed) -> Result<(), Error> {
        let mask = base::mask(tokens.len(), |degree| {
            let mut random = Zeroizing::new(vec![M::ZERO; vope::correlations::<F, M>(degree)]);
            self.random(&mut random)?;
            Ok(vope::verifier::<F, M>(degree, &random)?)
        })?;
        let mut message = vec![0; base::message_len::<M>(tokens.len())];
        self.receive_message(tags::TOKENS, &mut message)?;
        base::check(tokens, mask, self.delta(), weighed, &message).or_else(|error| self.fail(error))
    }
}

impl<F: Value, M: Mac<F>, L: Link> Linear<F> for Prover<'_, F, M, L> {
    fn weigh(x: &[Self::Half], c: &[F]) -> Result<Self::Wire, Error> {
        let tags = Zeroizing::new(Vec::from_iter(x.iter().map(|x| x.m)));
        let values = Zeroizing::new(Vec::from_iter(x.iter().map(|x| x.x)));
        let (x, m) = (F::dot(&values, c).map_err(misuse)?, M::combine_public(c, &tags).map_err(misuse)?);
        Ok(Authenticated { x, m })
    }

    fn assert_member(&mut self, token: Shown<M>, set: &[M]) -> Result<(), Error> {
        check_set(set.len())?;
        let factors = set.iter().map(|element| [token.tag, token.value - *element]);
        self.assert_poly_zero(&[ProverPoly::product(factors)])
    }
}

impl<F: Value, M: Mac<F>, L: Link> Linear<F> for Verifier<'_, F, M, L> {
    fn weigh(x: &[M], c: &[F]) -> Result<M, Error> {
        M::combine_public(c, x).map_err(misuse)
    }

    fn assert_member(&mut self, token: Key<M>, set: &[M]) -> Result<(), Error> {
        check_set(set.len())?;
        let delta = self.delta();
        let factors = set.iter().map(|element| token.0 - *element * delta);
        self.assert_poly_zero(&[VerifierPoly::product(factors)])
    }
}

super::disjunctions!([F: Value, M: Mac<F>, L: Link, S] F, Prover<'_, F, M, L>, in batches);
super::disjunctions!([F: Value, M: Mac<F>, L: Link, S] F, Verifier<'_, F, M, L>, in batches);
