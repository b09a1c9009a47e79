//! What a disjunction requires of its backend.

use volery_circuit::Prove;
use volery_field::{Element, Mac, Ring, Value};
use zeroize::{Zeroize, Zeroizing};

use super::kept::Kept;
use crate::Error;
use crate::quicksilver::Seed;
use crate::quicksilver::poly::product_of_wires;
use crate::shares::ElementShare;

/// The numbers of operations in all branches. Both parties compare them, because both must have run the same
/// programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationCounts {
    /// Secret values.
    pub inputs: u64,
    /// Multiplications.
    pub multiplications: u64,
    /// Wires claimed to be zero.
    pub assertions: u64,
}

impl OperationCounts {
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

    /// This party's share of a wire, in the form that kernels take.
    type Share: Copy + Default + Zeroize;

    /// The number of rows that share a coefficient; within such a run it is multiplied by `1, x, x^2, ..`.
    /// See `rows`.
    const RUN: usize = 1;

    /// This party's share of a wire.
    fn share(wire: &Self::Wire) -> Self::Share;

    /// This party's shares of wires, if a wire is nothing else.
    #[inline(always)]
    fn shares(_wires: &[Self::Wire]) -> Option<&[Self::Share]> {
        None
    }

    /// Room for this many values of P's.
    fn kept(n: usize) -> Box<dyn Kept<R>>;

    /// `sum c_(i / RUN) x^(i mod RUN) [x_i]`, with the quotient rounded down. There must be one coefficient
    /// for each run, including a last, partial one.
    ///
    /// # Errors
    /// [`volery_circuit::Error::Misuse`] if there is not.
    fn combine(x: &[Self::Share], c: &[Self::Mac]) -> Result<ElementShare<Self::Mac>, Error>;

    /// A seed that depends on everything committed so far; `None` while P only commits, which tests nothing.
    ///
    /// # Errors
    /// Any error that ends the session, or of the check of the commitments.
    fn challenge(&mut self) -> Result<Option<Seed>, Error>;

    /// Counts a disjunction of `branches` branches, with this many challenges of its own. `claims` says
    /// whether some branch claims something.
    fn count_disjunction(&mut self, claims: bool, branches: usize, challenges: u64);

    /// Proves or checks that one of `check values` is zero, and that the peer has counted the same
    /// operations. Call it right after [`Base::challenge`].
    ///
    /// # Errors
    /// At P, if none of them is; at V, if the proof of it is wrong or the peer's counts differ; any error
    /// that ends the session.
    fn vanish(
        &mut self,
        check_values: &[ElementShare<Self::Mac>],
        counts: OperationCounts,
    ) -> Result<(), Error>;
}

/// A base over a field, in which public combinations of wires are wires.
pub trait Linear<F: Value>: Base<F, Mac: Mac<F>> {
    /// The wire `sum c_i [x_i]`. There must be one coefficient for each wire.
    ///
    /// # Errors
    /// As [`Base::combine`].
    fn combine_public(x: &[Self::Share], c: &[F]) -> Result<Self::Wire, Error>;

    /// Claims that a check value has one of the values in `set`, which has one for each branch of a
    /// disjunction.
    ///
    /// # Errors
    /// As [`volery_circuit::Polynomials::assert_one_of`].
    fn assert_member(&mut self, check_value: ElementShare<Self::Mac>, set: &[Self::Mac])
    -> Result<(), Error>;
}

/// The mask of the product of this many check values, of the VOPE's degree. One check value needs no mask: it
/// is zero, and its tag is V's key.
pub(super) fn mask<T: Default>(
    branches: usize,
    vope: impl FnOnce(usize) -> Result<T, Error>,
) -> Result<T, Error> {
    if branches < 2 { Ok(T::default()) } else { vope(branches - 1) }
}

/// P: the coefficients of the product of all check values, without the top one; `None` if the top one is not
/// zero.
pub(super) fn product<M: Element>(check_values: &[ElementShare<M>]) -> Option<Zeroizing<Vec<M>>> {
    let mut g = Zeroizing::new(product_of_wires(
        check_values.iter().map(|check_value| [check_value.m, check_value.x]),
    ));
    g.pop().filter(|top| top.is_zero()).map(|_| g)
}

/// The degree of the relation that a product of this many check values is zero, in a proof of one block,
/// where relations have degree 2 at least: the product is multiplied by a power of `X`.
pub(super) fn relation_degree(branches: usize) -> usize {
    branches.max(2)
}

/// The result of [`product`] in a rehearsal, where no check value has to be zero.
pub(super) fn blank<M: Element>(branches: usize) -> Zeroizing<Vec<M>> {
    Zeroizing::new(vec![M::ZERO; branches])
}

/// P's message: the coefficients, masked, and the counts.
pub(super) fn message<M: Element>(
    coefficients: &[M],
    mask: &[M],
    counts: OperationCounts,
) -> Result<Vec<u8>, Error> {
    let mut out = vec![0; coefficients.len() * M::BYTES];
    for (i, (out, a)) in out.chunks_exact_mut(M::BYTES).zip(coefficients).enumerate() {
        let masked = *a + mask.get(i).copied().unwrap_or(M::ZERO);
        masked.encode(out).map_err(|error| volery_circuit::Error::misuse(error.to_string()))?;
    }
    out.extend(counts.encode());
    Ok(out)
}

/// V: the length of that message for this many branches.
pub(super) fn message_len<M: Element>(branches: usize) -> usize {
    branches * M::BYTES + OperationCounts::BYTES
}

/// V: checks P's message against its own check values.
pub(super) fn check<M: Element>(
    check_values: &[ElementShare<M>],
    mask: M,
    delta: M,
    counts: OperationCounts,
    message: &[u8],
) -> Result<(), Error> {
    let (coefficients, theirs) = message.split_at(message.len().min(check_values.len() * M::BYTES));
    counts.compare(theirs)?;
    let mut opened = M::ZERO;
    for bytes in coefficients.chunks_exact(M::BYTES).rev() {
        let coefficient = M::decode(bytes).map_err(|error| Error::Malformed {
            step: volery_channel::tags::TOKENS,
            reason: error.to_string(),
        })?;
        opened = opened * delta + coefficient;
    }
    let value = check_values.iter().fold(M::ONE, |product, check_value| product * check_value.m) + mask;
    if opened != value {
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

    /// Check values, number `zero` of which is zero; V's keys for them; delta; and the coefficients of a
    /// mask, with its value at delta.
    struct Deal<M> {
        shares: Vec<ElementShare<M>>,
        keys: Vec<ElementShare<M>>,
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
        let shares: Vec<_> = (random.chunks_exact(3).enumerate())
            .map(|(i, r)| ElementShare { x: if zero == Some(i) { M::ZERO } else { r[1] }, m: r[0] })
            .collect();
        let keys = shares
            .iter()
            .map(|check_value| ElementShare { x: M::ZERO, m: check_value.m + check_value.x * delta[0] })
            .collect();
        let mask: Vec<M> = random.chunks_exact(3).map(|r| r[2]).collect();
        let value = mask.iter().rev().fold(M::ZERO, |sum, c| sum * delta[0] + *c);
        Deal { shares, keys, delta: delta[0], mask, value }
    }

    fn whoever_shows_the_low_coefficients_is_refused_unless_a_check_value_is_zero<M: Element>() {
        for branches in 1..6 {
            for zero in (0..branches).map(Some).chain([None]) {
                let deal = deal::<M>(branches, zero);
                let mut all =
                    product_of_wires(deal.shares.iter().map(|check_value| [check_value.m, check_value.x]));
                assert_eq!(product(&deal.shares).is_some(), zero.is_some());
                // The top one is left out, whatever it is.
                all.pop();
                let message = message(&all, &deal.mask, OperationCounts::default()).expect("encodes");
                assert_eq!(message.len(), message_len::<M>(branches));
                let result = check(&deal.keys, deal.value, deal.delta, OperationCounts::default(), &message);
                match zero {
                    Some(_) => assert_eq!(result, Ok(())),
                    None => assert!(matches!(result, Err(Error::Rejected { .. }))),
                }
            }
        }
    }

    #[test]
    fn low_coefficients_of_a_product_whose_top_one_is_not_zero_convince_nobody() {
        whoever_shows_the_low_coefficients_is_refused_unless_a_check_value_is_zero::<F61>();
        whoever_shows_the_low_coefficients_is_refused_unless_a_check_value_is_zero::<Gf128>();
    }
}
