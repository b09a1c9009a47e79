//! The disjunction with logarithmic overhead (section 3.2): branches are joined two by two, all joins of a
//! level with the same messages. Disjunctions in step with each other have messages of their own and share
//! the challenges (`in_step`).
//!
//! To join last queries `mu_1` and `mu_2`:
//!
//! ```text
//! Random -> [a],  Fix(a mu_2) -> [c],  challenge e,  Send(e mu_1 - a) -> eps,  challenge rho
//! mu = (e mu_1 - a - eps) + rho (c + eps mu_2)
//! ```
//!
//! If `mu_1` or `mu_2` is zero an honest P gets `mu = 0`. If neither is, at most one `e` makes both parts
//! zero, and one `rho` the sum: `2 / |M|` a join at most, `2 (m - 1) / |M|` for `m` branches. P sends what
//! belongs to the join on the way from the branch that holds; it is uniform. A branch without a sibling
//! passes up. The last `mu` is a query of the run around it.

use volery_field::{Element, Ring};
use volery_vole::Prg;
use zeroize::{Zeroize, Zeroizing};

use super::super::half::{Half, Wide, mask};
use super::super::instructions::CommitProve;
use super::super::link::Ask;
use super::super::run::Run;
use crate::Error;

/// Claims for each `width` of `ends`, those of one disjunction, that one of them is zero. The joins of a
/// level share its challenges, those of other disjunctions included (see `in_step`).
pub(super) fn join<H: Half>(
    run: &mut Run<'_, H>,
    ends: Vec<Wide<H::Mac>>,
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
    // One by one: what one disjunction misses no other can make up for.
    ends.iter().for_each(|end| run.query_zero(*end));
    Ok(())
}

/// The parts of all joins of a disjunction's level.
type Parts<M> = Vec<(Wide<M>, Wide<M>)>;

/// What P says for the joins of one disjunction's level.
pub(super) struct Said<M: Zeroize> {
    /// Whether the branch that holds has a sibling. If not, nobody sends what P says.
    paired: bool,
    /// Of the pair with the branch that holds.
    mu_1: Zeroizing<M>,
    a: Wide<M>,
    pub(super) c: Wide<M>,
}

fn level<H: Half>(
    run: &mut Run<'_, H>,
    ends: &[Wide<H::Mac>],
    truth: &[bool],
    width: usize,
) -> Result<Vec<Parts<H::Mac>>, Error> {
    let count = ends.len() / width;
    run.begin(Ask::wide(count, count, 0))?;
    let each = ends.chunks(width).zip(truth.chunks(width));
    let said = each.map(|(ends, truth)| fix(run, ends, truth)).collect::<Result<Vec<_>, _>>()?;
    let e = run.challenge_element()?;
    let epsilons: Vec<H::Mac> = said.iter().map(|said| e * *said.mu_1 - said.a.x).collect();
    #[cfg(test)]
    let epsilons = super::cheats::made_up(epsilons, ends, &said);
    let epsilons = Zeroizing::new(epsilons);
    run.begin(Ask::wide(0, 0, count))?;
    let parts = ends.chunks(width).zip(&said).zip(epsilons.iter()).map(|((ends, said), epsilon)| {
        let epsilon = run.writing_where(said.paired, |run| run.send(*epsilon))?;
        let shown = run.half().wide_constant(epsilon);
        let pairs = ends.chunks_exact(2);
        Ok(pairs.map(|pair| (pair[0].times(e) - said.a - shown, said.c + pair[1].times(epsilon))).collect())
    });
    parts.collect()
}

fn fix<H: Half>(run: &mut Run<'_, H>, ends: &[Wide<H::Mac>], truth: &[bool]) -> Result<Said<H::Mac>, Error> {
    let a = run.random()?;
    // Found without an index.
    let chosen = |side: usize| {
        let pairs = ends.chunks_exact(2).zip(truth.chunks_exact(2));
        pairs.fold(H::Mac::ZERO, |sum, (ends, truth)| sum + ends[side].x.masked(mask(truth[0] | truth[1])))
    };
    let [mu_1, mu_2] = [chosen(0), chosen(1)].map(Zeroizing::new);
    let paired = truth.chunks_exact(2).fold(false, |any, pair| any | pair[0] | pair[1]);
    let c = run.writing_where(paired, |run| run.fix(a.x * *mu_2))?;
    Ok(Said { paired, mu_1, a, c })
}

fn finish<H: Half>(run: &mut Run<'_, H>) -> Result<H::Mac, Error> {
    let mut rho = [H::Mac::ZERO];
    Prg::new(run.challenge()?).elements(&mut rho);
    Ok(rho[0])
}
