//! The disjunction with logarithmic overhead (section 3.2). Branches are joined two by two, and all joins of
//! a level share their messages. Disjunctions in step with each other have their own messages and share the
//! challenges (`in_step`).
//!
//! To join last queries `mu_1` and `mu_2`:
//!
//! ```text
//! Random -> [a],  Fix(a mu_2) -> [c],  challenge e,  Send(e mu_1 - a) -> eps,  challenge rho
//! mu = (e mu_1 - a - eps) + rho (c + eps mu_2)
//! ```
//!
//! If `mu_1` or `mu_2` is zero, an honest P gets `mu = 0`. If neither is, at most one `e` makes both parts
//! zero, and otherwise at most one `rho` makes the sum zero. So the error is at most `2 / |M|` for each join,
//! and `2 (m - 1) / |M|` for `m` branches. P sends the elements of the join above the branch that holds; they
//! are uniform. A branch without a sibling moves up a level unchanged. The last `mu` is a query of the run
//! around the disjunction.

use volery_field::{Element, Ring};
use volery_vole::Prg;
use zeroize::{Zeroize, Zeroizing};

use super::super::instructions::CommitProve;
use super::super::link::Ask;
use super::super::run::Run;
use super::super::share::{Share, mask};
use crate::Error;
use crate::shares::ElementShare;

/// Claims that one of each `width` consecutive `ends`, those of one disjunction, is zero. The joins of a
/// level share its challenges, those of other disjunctions too (see `in_step`).
pub(super) fn join<H: Share>(
    run: &mut Run<'_, H>,
    ends: Vec<ElementShare<H::Mac>>,
    truth: &[bool],
    width: usize,
) -> Result<(), Error> {
    let (mut ends, mut truth, mut width) = (Zeroizing::new(ends), truth.to_vec(), width.max(1));
    while width > 1 {
        let parts = level(run, &ends, &truth, width)?;
        let rho = finish(run)?;
        let next = ends.chunks(width).zip(parts).flat_map(|(ends, parts)| {
            let joined = parts.into_iter().map(move |(reveal, product)| reveal + product.times(rho));
            joined.chain(ends.chunks_exact(2).remainder().iter().copied())
        });
        ends = Zeroizing::new(next.collect());
        let held = |pair: &[bool]| pair.iter().any(|truth| *truth);
        truth = truth.chunks(width).flat_map(|truth| truth.chunks(2).map(held)).collect();
        width = width.div_ceil(2);
    }
    // Each by itself, so that no disjunction can make up for another.
    ends.iter().for_each(|end| run.query_zero(*end));
    Ok(())
}

impl<M: Zeroize> Drop for Joint<M> {
    fn drop(&mut self) {
        self.a.zeroize();
        self.c.zeroize();
    }
}

/// The parts of all joins of a disjunction's level.
type Parts<M> = Vec<(ElementShare<M>, ElementShare<M>)>;

/// P's values, and the commitments, for the joins of one disjunction's level.
pub(super) struct Joint<M: Zeroize> {
    /// Whether the branch that holds has a sibling. If not, P's values are not sent.
    paired: bool,
    /// The first end of the pair with the branch that holds.
    mu_1: Zeroizing<M>,
    a: ElementShare<M>,
    pub(super) c: ElementShare<M>,
}

fn level<H: Share>(
    run: &mut Run<'_, H>,
    ends: &[ElementShare<H::Mac>],
    truth: &[bool],
    width: usize,
) -> Result<Vec<Parts<H::Mac>>, Error> {
    let count = ends.len() / width;
    run.begin(Ask::elements(count, count, 0))?;
    let each = ends.chunks(width).zip(truth.chunks(width));
    // They are never moved, so that no copy of them is left.
    let mut joints = Vec::with_capacity(count);
    for (ends, truth) in each {
        joints.push(fix(run, ends, truth)?);
    }
    let e = run.challenge_element()?;
    let epsilons: Vec<H::Mac> = joints.iter().map(|joint| e * *joint.mu_1 - joint.a.x).collect();
    #[cfg(test)]
    let epsilons = super::cheats::made_up(epsilons, ends, &joints);
    let epsilons = Zeroizing::new(epsilons);
    run.begin(Ask::elements(0, 0, count))?;
    let parts = ends.chunks(width).zip(&joints).zip(epsilons.iter()).map(|((ends, joint), epsilon)| {
        let epsilon = run.writing_where(joint.paired, |run| run.send(*epsilon))?;
        let public = run.share().element_constant(epsilon);
        let pairs = ends.chunks_exact(2);
        Ok(pairs
            .map(|pair| (pair[0].times(e) - joint.a - public, joint.c + pair[1].times(epsilon)))
            .collect())
    });
    parts.collect()
}

fn fix<H: Share>(
    run: &mut Run<'_, H>,
    ends: &[ElementShare<H::Mac>],
    truth: &[bool],
) -> Result<Joint<H::Mac>, Error> {
    let a = run.random()?;
    // Found without an index, which would be secret.
    let chosen = |side: usize| {
        let pairs = ends.chunks_exact(2).zip(truth.chunks_exact(2));
        pairs.fold(H::Mac::ZERO, |sum, (ends, truth)| sum + ends[side].x.masked(mask(truth[0] | truth[1])))
    };
    let [mu_1, mu_2] = [chosen(0), chosen(1)].map(Zeroizing::new);
    let paired = truth.chunks_exact(2).fold(false, |any, pair| any | pair[0] | pair[1]);
    let c = run.writing_where(paired, |run| run.fix(a.x * *mu_2))?;
    Ok(Joint { paired, mu_1, a, c })
}

fn finish<H: Share>(run: &mut Run<'_, H>) -> Result<H::Mac, Error> {
    let mut rho = [H::Mac::ZERO];
    Prg::new(run.challenge()?).elements(&mut rho);
    Ok(rho[0])
}
