//! The multiplication protocols. Each is a function over the instructions.
//!
//! A check takes the committed multiplications of a block and leaves linear queries. It returns the seed of
//! its last challenge. Everything that is claimed to be zero is fixed by then, so that seed may combine it.

mod batched;
#[cfg(test)]
pub(super) mod cheat;
pub(super) mod embedded;
mod fold;
mod rmfe;
mod simple;

pub(super) use embedded::MOST as EMBEDDED_MOST;
pub(super) use fold::Fold;
pub(super) use simple::MOST as SIMPLE_MOST;

use super::Multiplier;
use super::block::Block;
use super::instructions::CommitProve;
use super::link::Ask;
use super::run::Run;
use super::share::Share;
use crate::Error;

/// Checks the multiplications of `block` by the protocol of the run's settings, and returns the seed that
/// comes after.
pub(super) fn check<H: Share>(run: &mut Run<'_, H>, block: &Block<H>) -> Result<[u8; 16], Error> {
    if block.is_empty() {
        run.begin(Ask::default())?;
        return run.challenge();
    }
    match run.settings.multiplier {
        Multiplier::Simple => simple::check(run, block),
        Multiplier::Batched => {
            with_values(run, |run, values| batched::check(run, block, values, batched::Coefficients::Seeded))
        }
        Multiplier::BatchedPowers => {
            with_values(run, |run, values| batched::check(run, block, values, batched::Coefficients::Powers))
        }
        Multiplier::EmbeddedRho40 => H::check_embedded(run, block),
    }
}

/// Lends the run's vectors to a check.
fn with_values<H: Share, T>(
    run: &mut Run<'_, H>,
    check: impl FnOnce(&mut Run<'_, H>, &mut Fold<H>) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut values = core::mem::take(&mut run.values);
    let result = check(run, &mut values);
    run.values = values;
    result
}

/// The check of section 4.2 for products of committed elements, `[z_j] = [x_j][y_j]`.
///
/// The caller begins the round that ends in `e`. It asks for `N` random elements and for `N` fixed ones, and
/// fixes its own elements first.
pub(super) struct Products<M, const N: usize> {
    pub(super) x: [crate::shares::ElementShare<M>; N],
    pub(super) y: [crate::shares::ElementShare<M>; N],
    pub(super) z: [crate::shares::ElementShare<M>; N],
}

impl<M: volery_field::Element, const N: usize> Products<M, N> {
    /// `Random -> [a_j]`, `Fix(a_j y_j) -> [c_j]`, a challenge `e`, `Reveal(e x_j - a_j) -> eps_j`,
    /// `AssertZero(e z_j - c_j - eps_j y_j)`; returns the seed after.
    pub(super) fn check<H: Share<Mac = M>>(&self, run: &mut impl CommitProve<H>) -> Result<[u8; 16], Error> {
        let mut committed = [(Default::default(), Default::default()); N];
        for (committed, y) in committed.iter_mut().zip(&self.y) {
            let a = run.random()?;
            *committed = (a, run.fix(a.x * y.x)?);
        }
        let e = run.challenge_element()?;
        run.begin(Ask::elements(0, 0, N))?;
        for (j, (a, c)) in committed.into_iter().enumerate() {
            let epsilon = run.reveal(self.x[j].times(e) - a)?;
            run.query_zero(self.z[j].times(e) - c - self.y[j].times(epsilon));
        }
        run.challenge()
    }
}
