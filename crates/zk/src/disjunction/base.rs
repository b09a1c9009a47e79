//! What a disjunction requires of its backend.

use volery_circuit::Prove;
use volery_field::{Element, Mac, Ring, Value};
use zeroize::{Zeroize, Zeroizing};

use super::kept::Kept;
use crate::Error;
use crate::quicksilver::poly::product_of_wires;

/// A party's half of a commitment to an element of the field of challenges: P's tag and value, or V's key.
pub trait Token<M>: Copy + Default + Zeroize {
    /// `self + other`.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// `c * self` for a public `c`.
    #[must_use]
    fn times(self, c: M) -> Self;
}

/// P's token: its tag and its value.
#[derive(Clone, Copy, Default)]
pub struct Shown<M> {
    pub(super) tag: M,
    pub(super) value: M,
}

/// V's token: its key.
#[derive(Clone, Copy, Default)]
pub struct Key<M>(pub(super) M);

impl<M: Zeroize> Zeroize for Shown<M> {
    fn zeroize(&mut self) {
        self.tag.zeroize();
        self.value.zeroize();
    }
}

impl<M: Zeroize> Zeroize for Key<M> {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl<M: Element> Token<M> for Shown<M> {
    fn plus(self, other: Self) -> Self {
        Self { tag: self.tag + other.tag, value: self.value + other.value }
    }

    fn times(self, c: M) -> Self {
        Self { tag: self.tag * c, value: self.value * c }
    }
}

impl<M: Element> Token<M> for Key<M> {
    fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    fn times(self, c: M) -> Self {
        Self(self.0 * c)
    }
}

/// The numbers of operations in all branches. Both parties compare them, because both must have run the same
/// programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weighed {
    /// Secret values.
    pub inputs: u64,
    /// Multiplications.
    pub multiplications: u64,
    /// Wires claimed to be zero.
    pub assertions: u64,
}

impl Weighed {
    pub(super) const BYTES: usize = 24;

    pub(super) fn add(&mut self, other: Self) {
        let Self { inputs, multiplications, assertions } = other;
        self.inputs = self.inputs.saturating_add(inputs);
        self.multiplications = self.multiplications.saturating_add(multiplications);
        self.assertions = self.assertions.saturating_add(assertions);
    }

    pub(super) fn encode(self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        let counts = [self.inputs, self.multiplications, self.assertions];
        out.as_chunks_mut().0.iter_mut().zip(counts).for_each(|(out, n)| *out = n.to_le_bytes());
        out
    }

    pub(super) fn compare(self, theirs: &[u8]) -> Result<(), Error> {
        let names = ["the secret values of all branches", "the multiplications", "the assertions"];
        let counts = [self.inputs, self.multiplications, self.assertions];
        for ((what, ours), theirs) in names.into_iter().zip(counts).zip(theirs.as_chunks().0) {
            let theirs = u64::from_le_bytes(*theirs);
            if ours != theirs {
                return Err(Error::Diverged { what, ours, theirs });
            }
        }
        Ok(())
    }
}

/// A backend on which disjunctions can be proved.
pub trait Base<R: Ring>: Prove<R, Error = Error, Wire: Zeroize> {
    /// The field of MACs and challenges.
    type Mac: Element;

    /// This party's half of a wire, in the form that kernels take.
    type Half: Copy + Default + Zeroize;

    /// This party's half of a combination of wires.
    type Token: Token<Self::Mac>;

    /// The number of rows that share a coefficient; within such a run it is multiplied by `1, x, x^2, ..`.
    /// See `rows`.
    const RUN: usize = 1;

    /// The half of a wire.
    fn half(wire: &Self::Wire) -> Self::Half;

    /// The halves of wires, if a wire is nothing else.
    #[inline(always)]
    fn halves(_wires: &[Self::Wire]) -> Option<&[Self::Half]> {
        None
    }

    /// Room for this many values of P's.
    fn kept(n: usize) -> Box<dyn Kept<R>>;

    /// `sum c_(i / RUN) x^(i mod RUN) [x_i]`, with the quotient rounded down. There must be one coefficient
    /// for each run, including a last, partial one.
    ///
    /// # Errors
    /// [`volery_circuit::Error::Misuse`] if there is not.
    fn combine(x: &[Self::Half], c: &[Self::Mac]) -> Result<Self::Token, Error>;

    /// A seed that depends on everything committed so far.
    ///
    /// # Errors
    /// Any error that ends the session, or of the check of the commitments.
    fn challenge(&mut self) -> Result<[u8; 16], Error>;

    /// Counts a disjunction of `branches` branches, with this many challenges of its own. `claims` says
    /// whether some branch claims something.
    fn count_disjunction(&mut self, claims: bool, branches: usize, challenges: u64);

    /// Proves or checks that one of `tokens` is zero, and that the peer has counted the same operations. Call
    /// it right after [`Base::challenge`].
    ///
    /// # Errors
    /// At P, if none of them is; at V, if the proof of it is wrong or the peer's counts differ; any error
    /// that ends the session.
    fn vanish(&mut self, tokens: &[Self::Token], weighed: Weighed) -> Result<(), Error>;
}

/// A base over a field, in which public combinations of wires are wires.
pub trait Linear<F: Value>: Base<F, Mac: Mac<F>> {
    /// The wire `sum c_i [x_i]`. There must be one coefficient for each wire.
    ///
    /// # Errors
    /// As [`Base::combine`].
    fn weigh(x: &[Self::Half], c: &[F]) -> Result<Self::Wire, Error>;

    /// Claims that a token has one of the values in `set`, which has one for each branch of a disjunction.
    ///
    /// # Errors
    /// As [`volery_circuit::Polynomials::assert_one_of`].
    fn assert_member(&mut self, token: Self::Token, set: &[Self::Mac]) -> Result<(), Error>;
}

/// The mask of the product of this many tokens, of the VOPE's degree. One token needs no mask: it is zero,
/// and its tag is V's key.
pub(super) fn mask<T: Default>(
    branches: usize,
    vope: impl FnOnce(usize) -> Result<T, Error>,
) -> Result<T, Error> {
    if branches < 2 { Ok(T::default()) } else { vope(branches - 1) }
}

/// P: the coefficients of the product of all tokens, without the top one; `None` if the top one is not zero.
pub(super) fn product<M: Element>(tokens: &[Shown<M>]) -> Option<Zeroizing<Vec<M>>> {
    let mut g = Zeroizing::new(product_of_wires(tokens.iter().map(|token| [token.tag, token.value])));
    g.pop().filter(|top| top.is_zero()).map(|_| g)
}

/// The result of [`product`] in a rehearsal, where no token has to be zero.
pub(super) fn blank<M: Element>(branches: usize) -> Zeroizing<Vec<M>> {
    Zeroizing::new(vec![M::ZERO; branches])
}

/// P's message: the coefficients, masked, and the counts.
pub(super) fn message<M: Element>(
    coefficients: &[M],
    mask: &[M],
    weighed: Weighed,
) -> Result<Vec<u8>, Error> {
    let mut out = vec![0; coefficients.len() * M::BYTES];
    for (i, (out, a)) in out.chunks_exact_mut(M::BYTES).zip(coefficients).enumerate() {
        let masked = *a + mask.get(i).copied().unwrap_or(M::ZERO);
        masked.encode(out).map_err(|error| volery_circuit::Error::misuse(error.to_string()))?;
    }
    out.extend(weighed.encode());
    Ok(out)
}

/// V: the length of that message for this many branches.
pub(super) fn message_len<M: Element>(branches: usize) -> usize {
    branches * M::BYTES + Weighed::BYTES
}

/// V: checks P's message against its own tokens.
pub(super) fn check<M: Element>(
    tokens: &[Key<M>],
    mask: M,
    delta: M,
    weighed: Weighed,
    message: &[u8],
) -> Result<(), Error> {
    let (coefficients, counts) = message.split_at(message.len().min(tokens.len() * M::BYTES));
    weighed.compare(counts)?;
    let mut shown = M::ZERO;
    for bytes in coefficients.chunks_exact(M::BYTES).rev() {
        let coefficient = M::decode(bytes).map_err(|error| Error::Malformed {
            step: volery_channel::tags::TOKENS,
            reason: error.to_string(),
        })?;
        shown = shown * delta + coefficient;
    }
    let value = tokens.iter().fold(M::ONE, |product, key| product * key.0) + mask;
    if shown != value {
        return Err(Error::Rejected {
            reason: "the prover did not show that a branch of a disjunction holds".into(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use volery_field::{F61, Gf128};
    use volery_vole::Prg;

    use super::*;

    /// Tokens of which number `zero` has the value zero, V's keys of them, delta and a mask of `g` with its
    /// value.
    struct Deal<M> {
        shown: Vec<Shown<M>>,
        keys: Vec<Key<M>>,
        delta: M,
        mask: Vec<M>,
        value: M,
    }

    fn deal<M: Element>(branches: usize, zero: Option<usize>) -> Deal<M> {
        let mut random = vec![M::ZERO; 3 * branches];
        let mut prg = Prg::new([branches as u8; 16]);
        prg.coefficients(&mut random);
        let mut delta = [M::ZERO];
        prg.coefficients(&mut delta);
        let shown: Vec<_> = (random.chunks_exact(3).enumerate())
            .map(|(i, r)| Shown { tag: r[0], value: if zero == Some(i) { M::ZERO } else { r[1] } })
            .collect();
        let keys = shown.iter().map(|token| Key(token.tag + token.value * delta[0])).collect();
        let mask: Vec<M> = random.chunks_exact(3).map(|r| r[2]).collect();
        let value = mask.iter().rev().fold(M::ZERO, |sum, c| sum * delta[0] + *c);
        Deal { shown, keys, delta: delta[0], mask, value }
    }

    fn whoever_shows_the_low_coefficients_is_refused_unless_a_token_is_zero<M: Element>() {
        for branches in 1..6 {
            for zero in (0..branches).map(Some).chain([None]) {
                let deal = deal::<M>(branches, zero);
                let mut all = product_of_wires(deal.shown.iter().map(|token| [token.tag, token.value]));
                assert_eq!(product(&deal.shown).is_some(), zero.is_some());
                // The top one is left out, whatever it is.
                all.pop();
                let message = message(&all, &deal.mask, Weighed::default()).expect("encodes");
                assert_eq!(message.len(), message_len::<M>(branches));
                let result = check(&deal.keys, deal.value, deal.delta, Weighed::default(), &message);
                match zero {
                    Some(_) => assert_eq!(result, Ok(())),
                    None => assert!(matches!(result, Err(Error::Rejected { .. }))),
                }
            }
        }
    }

    #[test]
    fn low_coefficients_of_a_product_whose_top_one_is_not_zero_convince_nobody() {
        whoever_shows_the_low_coefficients_is_refused_unless_a_token_is_zero::<F61>();
        whoever_shows_the_low_coefficients_is_refused_unless_a_token_is_zero::<Gf128>();
    }
}
