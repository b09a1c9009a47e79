//! The disjunction with linear overhead (figure 3) and the threshold: P splits the challenge among the
//! branches.
//!
//! ```text
//! Random -> [r_i],  Send(d_i),  challenge f,  Send(numbers that determine the f_i),  AssertZero(mu_i + f_i (r_i - d_i)) for every i
//! ```
//!
//! For a branch that holds, `d_i = r_i`. For one that does not, P chooses `f_i` before it knows `f`, and
//! sends `d_i = mu_i / f_i + r_i`. The split lets P choose as many `f_i` as branches may fail:
//!
//! * `Sum` (figure 3, one branch holds): the `f_i` add up to `f`; all but the last are sent.
//! * `Polynomial(r)` (r of m hold): `f_i = F(beta_i)` with `deg F <= m - r`, `F(0) = f` and `beta_i` distinct
//!   and not zero; the other coefficients of `F` are sent.
//!
//! If fewer branches hold, the `d_i` fix `f_i` for one branch too many, and so they fix `f`: error `1 / |M|`.
//! A last challenge combines the queries into one: `1 / |M|` more.

use volery_circuit::Error as StatementError;
use volery_field::{Element, Field, Ring};
use zeroize::Zeroizing;

use super::super::instructions::CommitProve;
use super::super::link::Ask;
use super::super::run::Run;
use super::super::share::{Share, mask};
use crate::Error;
use crate::shares::ElementShare;

/// How the challenge is split.
#[derive(Clone, Copy)]
pub(super) enum Split {
    /// One branch holds.
    Sum,
    /// This many branches hold.
    Polynomial(usize),
}

impl Split {
    /// The number of branches that may fail.
    fn free(self, m: usize) -> usize {
        match self {
            Self::Sum => m - 1,
            Self::Polynomial(r) => m.saturating_sub(r),
        }
    }
}

/// Claims that enough of `ends` are zero for this `split`. `truth` says at P which are.
pub(super) fn open<H: Share>(
    run: &mut Run<'_, H>,
    ends: Vec<ElementShare<H::Mac>>,
    truth: &[bool],
    split: Split,
) -> Result<(), Error> {
    let (ends, m) = (Zeroizing::new(ends), truth.len());
    let points: Vec<H::Mac> = (1..=m).map(H::point).collect();
    let (chosen, inverses) = chosen::<H>(run, m)?;
    run.begin(Ask::elements(0, m, m))?;
    let mut blinded = Vec::with_capacity(m);
    for (i, end) in ends.iter().enumerate() {
        let r = run.random()?;
        let garbage = (end.x * inverses[i]).masked(mask(!truth[i]));
        let d = run.send(garbage + r.x)?;
        let public = run.share().element_constant(d);
        blinded.push(r - public);
    }
    let mut f = [H::Mac::ZERO];
    volery_vole::Prg::new(run.challenge()?).elements(&mut f);
    let numbers = if H::KNOWS && run.writes() {
        Zeroizing::new(numbers(f[0], &chosen, truth, &points, split)?)
    } else {
        Zeroizing::new(vec![H::Mac::ZERO; split.free(m)])
    };
    run.begin(Ask::elements(0, 0, split.free(m)))?;
    let sent = numbers.iter().map(|n| run.send(*n)).collect::<Result<Vec<_>, _>>()?;
    let mut chi = vec![H::Mac::ZERO; m];
    volery_vole::Prg::new(run.challenge()?).coefficients(&mut chi);
    let queries = ends.iter().zip(blinded).enumerate();
    let combined = queries.fold(ElementShare::default(), |sum, (i, (end, blinded))| {
        sum + (*end + blinded.times(branch_challenge(f[0], &sent, &points, i, split))).times(chi[i])
    });
    run.query_zero(combined);
    Ok(())
}

/// The challenge of branch `i`.
fn branch_challenge<M: Element>(f: M, sent: &[M], points: &[M], i: usize, split: Split) -> M {
    match split {
        Split::Sum => sent.get(i).copied().unwrap_or_else(|| sent.iter().fold(f, |rest, f| rest - *f)),
        Split::Polynomial(_) => sent.iter().rev().fold(M::ZERO, |sum, c| (sum + *c) * points[i]) + f,
    }
}

/// P's challenges for branches that do not hold, none of them zero, and their inverses. P makes them for all
/// branches, because it is secret which ones hold. At V they are zeros.
type Chosen<M> = (Zeroizing<Vec<M>>, Zeroizing<Vec<M>>);

fn chosen<H: Share>(run: &mut Run<'_, H>, m: usize) -> Result<Chosen<H::Mac>, Error> {
    let mut chosen = Zeroizing::new(vec![H::Mac::ZERO; m]);
    let mut inverses = Zeroizing::new(vec![H::Mac::ZERO; m]);
    let Some(prg) = &mut run.prg else { return Ok((chosen, inverses)) };
    for (chosen, inverse) in chosen.iter_mut().zip(inverses.iter_mut()) {
        *inverse = loop {
            prg.elements(std::slice::from_mut(chosen));
            if let Some(inverse) = chosen.inverse() {
                break inverse;
            }
        };
    }
    Ok((chosen, inverses))
}

/// The numbers with which every branch that does not hold gets the challenge chosen for it. P sends them.
fn numbers<M: Element>(
    f: M,
    chosen: &[M],
    truth: &[bool],
    points: &[M],
    split: Split,
) -> Result<Vec<M>, Error> {
    match split {
        Split::Sum => {
            let false_ones = chosen.iter().zip(truth).map(|(c, truth)| c.masked(mask(!truth)));
            let rest = false_ones.clone().fold(f, |rest, c| rest - c);
            let all = false_ones.zip(truth).map(|(c, truth)| c + rest.masked(mask(*truth)));
            Ok(all.take(chosen.len() - 1).collect())
        }
        Split::Polynomial(_) => {
            // F through (0, f) and (beta_i, f_i) for the branches that do not hold.
            let mut at = vec![(M::ZERO, f)];
            at.extend(
                points
                    .iter()
                    .zip(chosen)
                    .zip(truth)
                    .filter(|(_, truth)| !**truth)
                    .map(|((b, c), _)| (*b, *c)),
            );
            let mut coefficients = interpolate(&at)?;
            Ok(coefficients.split_off(1))
        }
    }
}

/// The coefficients, lowest first, of the polynomial through these points, whose places must differ. It is
/// Newton's form, expanded.
pub(super) fn interpolate<M: Field>(at: &[(M, M)]) -> Result<Vec<M>, Error> {
    let equal = || Error::from(StatementError::misuse("two points of a polynomial at one place"));
    let mut differences: Vec<M> = at.iter().map(|(_, y)| *y).collect();
    for step in 1..at.len() {
        for i in (step..at.len()).rev() {
            let inverse = (at[i].0 - at[i - step].0).inverse().ok_or_else(equal)?;
            differences[i] = (differences[i] - differences[i - 1]) * inverse;
        }
    }
    let mut out: Vec<M> = Vec::with_capacity(at.len());
    for (difference, (place, _)) in differences.iter().zip(at).rev() {
        // out = out * (X - place) + difference
        out.insert(0, M::ZERO);
        for i in 1..out.len() {
            let next = out[i];
            out[i - 1] -= next * *place;
        }
        if let Some(constant) = out.first_mut() {
            *constant += *difference;
        }
        while out.len() > at.len() {
            out.pop();
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use volery_field::F61;

    use super::*;

    #[test]
    fn interpolation_gives_back_what_was_evaluated_and_refuses_two_points_at_one_place() {
        let coefficients = [3, 1, 4, 1, 5].map(F61::new);
        let value = |x: F61| coefficients.iter().rev().fold(F61::ZERO, |sum, c| sum * x + *c);
        let at: Vec<_> = [0, 7, 2, 9, 100].map(|x| (F61::new(x), value(F61::new(x)))).to_vec();
        assert!(interpolate(&at).is_ok_and(|found| found == coefficients));
        assert!(interpolate(&[at[1], at[1]]).is_err());
        assert!(interpolate(&at[..1]).is_ok_and(|found| found == coefficients[..1]));
    }

    #[test]
    fn the_sum_of_the_shares_is_the_challenge_and_false_branches_get_those_chosen() {
        let (f, truth) = (F61::new(99), [false, true, false]);
        let (chosen, points) = ([4, 5, 6].map(F61::new), [1, 2, 3].map(F61::new));
        for (split, choices) in
            [(Split::Sum, truth), (Split::Polynomial(1), truth), (Split::Polynomial(2), [true, true, false])]
        {
            let sent = numbers(f, &chosen, &choices, &points, split).expect("different points");
            assert_eq!(sent.len(), split.free(3));
            let parts: Vec<F61> = (0..3).map(|i| branch_challenge(f, &sent, &points, i, split)).collect();
            assert!(parts.iter().zip(chosen).zip(choices).all(|((part, c), truth)| truth || *part == c));
            if let Split::Sum = split {
                assert!(parts.into_iter().fold(F61::ZERO, |sum, part| sum + part) == f);
            }
        }
    }
}
