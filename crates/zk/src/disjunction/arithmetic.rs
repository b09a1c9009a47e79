//! Disjunctions over a field: challenges and tokens in the field of its MACs.

use volery_channel::tags;
use volery_field::{Authenticated, LengthError, Mac, Value};
use volery_vole::subfield::vope;
use zeroize::Zeroizing;

use super::base::{self, Base, Flat, Key, Shown, Weighed};
use crate::Error;
use crate::quicksilver::arithmetic::{Link, Prover, Verifier};

fn misuse(error: LengthError) -> Error {
    volery_circuit::Error::misuse(error.to_string()).into()
}

/// Correlations that mask the product of so many tokens; none for one.
fn correlations<F: Value, M: Mac<F>>(branches: usize) -> usize {
    vope::correlations::<F, M>(branches.saturating_sub(1))
}

impl<F: Value, M: Mac<F>, L: Link> Base<F> for Prover<'_, F, M, L> {
    type Mac = M;
    type Half = Authenticated<F, M>;
    type Token = Shown<M>;

    #[inline(always)]
    fn half(wire: &Self::Wire) -> Self::Half {
        *wire
    }

    fn combine(x: &[Self::Half], c: &[M]) -> Result<Shown<M>, Error> {
        let [tag, value] = M::combine_prover(x, c).map_err(misuse)?;
        Ok(Shown { tag, value })
    }

    fn challenge(&mut self) -> Result<[u8; 16], Error> {
        Self::challenge(self)
    }

    fn vanish(&mut self, tokens: &[Shown<M>], weighed: Weighed) -> Result<(), Error> {
        let Some(coefficients) = base::product(tokens) else { return self.unsatisfied() };
        let coefficients = Zeroizing::new(coefficients);
        let mut random = Zeroizing::new(vec![Authenticated::default(); correlations::<F, M>(tokens.len())]);
        self.random(&mut random)?;
        let mask = match tokens.len() {
            // A single branch's token is zero, and its tag V's key.
            1 => Vec::new(),
            branches => vope::prover(branches - 1, &random)?,
        };
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

    fn combine(x: &[M], c: &[M]) -> Result<Key<M>, Error> {
        M::inner_product(x, c).map(Key).map_err(misuse)
    }

    fn challenge(&mut self) -> Result<[u8; 16], Error> {
        Self::challenge(self)
    }

    fn vanish(&mut self, tokens: &[Key<M>], weighed: Weighed) -> Result<(), Error> {
        let mut random = Zeroizing::new(vec![M::ZERO; correlations::<F, M>(tokens.len())]);
        self.random(&mut random)?;
        let mask = match tokens.len() {
            1 => M::ZERO,
            branches => vope::verifier::<F, M>(branches - 1, &random)?,
        };
        let mut message = vec![0; base::message_len::<M>(tokens.len())];
        self.receive_message(tags::TOKENS, &mut message)?;
        match base::check(tokens, mask, self.delta(), weighed, &message) {
            Ok(()) => Ok(()),
            Err(error) => self.fail(error),
        }
    }
}

super::choose_by_robin!([F: Value, M: Mac<F>, L: Link, S] F, Prover<'_, F, M, L>);
super::choose_by_robin!([F: Value, M: Mac<F>, L: Link, S] F, Verifier<'_, F, M, L>);

impl<F: Value + Mac<F>, L: Link> Flat<F> for Prover<'_, F, F, L> {
    fn wire(token: Shown<F>) -> Self::Wire {
        Authenticated { x: token.value, m: token.tag }
    }
}

impl<F: Value + Mac<F>, L: Link> Flat<F> for Verifier<'_, F, F, L> {
    fn wire(token: Key<F>) -> F {
        token.0
    }
}

super::repeat_by_batchman!([F: Value + Mac<F>, L: Link, S] F, Prover<'_, F, F, L>);
super::repeat_by_batchman!([F: Value + Mac<F>, L: Link, S] F, Verifier<'_, F, F, L>);
