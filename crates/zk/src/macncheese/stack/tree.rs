//! The disjunction with logarithmic overhead (section 3.2): branches are joined two by two, all joins of a
//! level with the same messages.
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
use zeroize::Zeroizing;

use super::super::half::{Half, Wide, mask};
use super::super::instructions::CommitProve;
use super::super::link::Ask;
use super::super::run::Run;
use crate::Error;

/// Claims that one of `ends` is zero.
pub(super) fn join<H: Half>(
    run: &mut Run<'_, H>,
    ends: Vec<Wide<H::Mac>>,
    truth: &[bool],
) -> Result<(), Error> {
    let (mut ends, mut truth) = (Zeroizing::new(ends), truth.to_vec());
    while let [_, _, ..] = ends.as_slice() {
        let parts = level(run, &ends, &truth)?;
        truth = truth.chunks(2).map(|pair| pair.iter().any(|truth| *truth)).collect();
        let rho = finish(run)?;
        let alone = ends.chunks(2).filter_map(|pair| if let [alone] = pair { Some(*alone) } else { None });
        let next = parts.iter().map(|(reveal, product)| *reveal + product.times(rho)).chain(alone).collect();
        ends = Zeroizing::new(next);
    }
    if let [end] = ends.as_slice() {
        run.query_zero(*end);
    }
    Ok(())
}

/// The parts of all joins of a level.
type Parts<M> = Vec<(Wide<M>, Wide<M>)>;

fn level<H: Half>(
    run: &mut Run<'_, H>,
    ends: &[Wide<H::Mac>],
    truth: &[bool],
) -> Result<Parts<H::Mac>, Error> {
    run.begin(Ask::wide(1, 1, 0))?;
    let a = run.random()?;
    // P's values for the pair with the branch that holds, found without an index; garbage where there is
    // none, which nobody sends.
    let chosen = |side: usize| {
        let pairs = ends.chunks_exact(2).zip(truth.chunks_exact(2));
        pairs.fold(H::Mac::ZERO, |sum, (ends, truth)| sum + ends[side].x.masked(mask(truth[0] | truth[1])))
    };
    let paired = truth.chunks_exact(2).fold(false, |any, pair| any | pair[0] | pair[1]);
    let write = run.write;
    run.write = write & mask(paired);
    let result = pair(run, a, [chosen(0), chosen(1)], ends);
    run.write = write;
    result
}

fn pair<H: Half>(
    run: &mut Run<'_, H>,
    a: Wide<H::Mac>,
    values: [H::Mac; 2],
    ends: &[Wide<H::Mac>],
) -> Result<Parts<H::Mac>, Error> {
    let c = run.fix(a.x * values[1])?;
    let e = run.challenge_element()?;
    run.begin(Ask::wide(0, 0, 1))?;
    let epsilon = run.send(e * values[0] - a.x)?;
    let shown = run.half().wide_constant(epsilon);
    let parts = ends.chunks_exact(2);
    Ok(parts.map(|pair| (pair[0].times(e) - a - shown, c + pair[1].times(epsilon))).collect())
}

fn finish<H: Half>(run: &mut Run<'_, H>) -> Result<H::Mac, Error> {
    let mut rho = [H::Mac::ZERO];
    Prg::new(run.challenge()?).elements(&mut rho);
    Ok(rho[0])
}
