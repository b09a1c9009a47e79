//! Lookups in a program that P has committed to.
//!
//! The rows of the program are tuples as those of a public one: `(table, kind, place, 1, fields)`. Places are
//! public, kind and fields are wires, the same ones for all segments. The rows of fillers are public. P shows
//!
//! ```text
//! sum over lookups of 1 / (at - <x_i>)  =  sum over rows of m_j / (at - <t_j>)
//! ```
//!
//! where `<x>` is `gamma_0 x_0 + gamma_1 x_1 + ..`, and commits to one fraction for three rows:
//!
//! ```text
//! u d e f = k e f + l d f + m d e      for the rows' denominators d, e, f and multiplicities k, l, m
//! ```
//!
//! **The point.** V does not know the rows, and must not learn where P meets a pole and stops: it could
//! choose the point to test its guess of a row. So `at` is `alpha + rho` for a random `rho` that P is
//! committed to before the challenge ([`volery_circuit::lookups`]). Whatever V chooses, the point is uniform
//! and V does not know it. P meets a pole with probability `T / |M|` for `T` rows. It stops then, and V
//! learns nothing of the row. `alpha` is the point of the multisets: each claim is tested by itself, and for
//! each the point is uniform and fixed after all that it tests.
//!
//! **What is lost.** Let there be `n` lookups, some of them no rows. Outside of the `T` poles of rows every
//! fraction is what it should be. Times all denominators, the difference of the two sides is a polynomial of
//! degree below `n + T` that is not zero, poles of false tuples that fill two places of a triple among them
//! (as for public tables). So the challenge tests a degree of `n + 2 T`.

use super::super::buffers::wiped;
use super::triples::{AT_ONCE, value};
use super::*;
use crate::proof::form::{column, integer, number};
use crate::proof::kind::Kind;

/// Wires of a row: its kind and its fields.
pub(in super::super) const ROW: usize = 8;

/// The place among the components of a row.
const PLACE: usize = 2;

/// The rows of a program that P has committed to.
pub(in super::super) struct Rom<W> {
    text: u32,
    wires: Vec<W>,
}

/// A row's tuple, but for its place.
fn forms() -> Vec<Form> {
    let head = [column(0), number(0), number(1)];
    head.into_iter().chain((1..ROW).map(column)).collect()
}

impl<W: Clone> Rom<W> {
    /// The program whose rows have these wires, [`ROW`] each; the first has the place `text`.
    pub(in super::super) fn new(text: u32, wires: Vec<W>) -> Self {
        Self { text, wires }
    }

    /// The number of wires.
    pub(super) fn committed(&self) -> usize {
        self.wires.len()
    }

    fn place(&self, row: usize) -> F61 {
        integer(i64::from(self.text) + 4 * row as i64)
    }

    /// A row at P, the table's number first.
    #[cfg(test)]
    pub(super) fn row(&self, peek: &dyn Peek<F61, W>, row: usize) -> Option<[F61; WIDTH]> {
        let wires = self.wires.get(row * ROW..(row + 1) * ROW)?;
        let values = Vec::from_iter(wires.iter().map(|wire| peek.value(wire)));
        let mut tuple = [F61::ZERO; WIDTH];
        let forms = core::iter::once(number(Public::Code as i64)).chain(forms());
        tuple.iter_mut().zip(forms).for_each(|(to, form)| *to = form.value(&values));
        tuple[PLACE] = self.place(row);
        Some(tuple)
    }

    /// Claims that all lookups of instructions are rows. Rows are looked up as often as `counts` says, those
    /// of fillers first.
    pub(super) fn claim<B: Challenge<F61, Wire = W>>(
        &self,
        b: &mut B,
        parts: &[Part<W>],
        (tables, counts): (&Tables<'_>, &[W]),
        (at, mask, gammas): (B::Scalar, &B::ScalarWire, &[B::Scalar]),
    ) -> Result<(), B::Error> {
        let code = |shape: &Shape| {
            let lookups = shape.lookups.iter().filter(|lookup| lookup.table == Public::Code);
            let fold =
                |forms: &[Form]| Folded::new(at, gammas, F61::new(Public::Code as u64), forms, B::embed);
            Vec::from_iter(lookups.map(|lookup| fold(&lookup.forms)))
        };
        let all: Vec<_> = parts.iter().map(|part| code(&part.shape)).collect();
        let mut lookups = Sum::<B>::masked(b, mask);
        for (part, forms) in parts.iter().zip(&all).filter(|(_, forms)| !forms.is_empty()) {
            for row in part.iter() {
                for form in forms {
                    lookups.add(b, form, row)?;
                }
            }
        }
        let lookups = lookups.finish(b)?;
        let rows = self.fractions(b, (tables, counts), (at, mask, gammas))?;
        b.claim(lookups - rows)
    }

    /// Commits to the fractions of the rows, three at a time, and returns their sum.
    fn fractions<B: Challenge<F61, Wire = W>>(
        &self,
        b: &mut B,
        (tables, counts): (&Tables<'_>, &[W]),
        (at, mask, gammas): (B::Scalar, &B::ScalarWire, &[B::Scalar]),
    ) -> Result<B::Expression<2>, B::Error> {
        let [one, zero] = [F61::ONE, F61::ZERO].map(|x| B::Expression::<5>::constant(B::embed(x)));
        let mut sum = B::Expression::<2>::constant(B::Scalar::default());
        let (of_mask, mask) = (value(b, mask), b.scalar::<5>(mask));
        // Of a row all but the table and the place.
        let of_forms = gammas.get(1..).unwrap_or_default();
        let form = Folded::new(B::Scalar::default(), of_forms, F61::ZERO, &forms(), B::embed);
        for (part, counts) in counts.chunks(3 * AT_ONCE).enumerate() {
            let first = part * 3 * AT_ONCE;
            let rows = self.denominators(tables, first..first + counts.len(), (at, gammas), B::embed);
            let fractions = b.scalars(counts.len().div_ceil(3), &mut |peek| {
                let denominator = |(public, row): &(B::Scalar, Option<&[W]>)| {
                    let secret = row.map_or_else(B::Scalar::default, |row| form.value(peek, row, B::embed));
                    *public + secret + *of_mask
                };
                let mut values = wiped(rows.len(), rows.iter().map(denominator));
                invert_all(&mut values);
                let counts = counts.iter().map(|count| B::embed(peek.value(count)));
                values.iter_mut().zip(counts).for_each(|(fraction, count)| *fraction *= count);
                let sum = |three: &[B::Scalar]| three.iter().fold(B::Scalar::default(), |sum, x| sum + *x);
                let fractions = told(Committed::Fraction, values.chunks(3).map(sum).collect());
                Ok(told(Committed::FractionsMoved, fractions))
            })?;
            let mut scratch = Vec::new();
            let mut expression = |(public, row): &(B::Scalar, Option<&[W]>)| {
                let public = B::Expression::<5>::constant(*public) + mask;
                row.map_or(public, |row| form.expression::<5, B>(b, row, &mut scratch) + public)
            };
            let expressions = Vec::from_iter(rows.iter().map(&mut expression));
            let triples = expressions.chunks(3).zip(counts.chunks(3));
            for ((denominators, counts), fraction) in triples.zip(&fractions) {
                // Places of the last triple that are left have the fraction 0 / 1.
                let ([mut d, mut e, mut f], [mut k, mut l, mut m]) = ([one; 3], [zero; 3]);
                [&mut d, &mut e, &mut f].into_iter().zip(denominators).for_each(|(to, from)| *to = *from);
                let counts = counts.iter().map(|count| b.expression::<5>(count));
                [&mut k, &mut l, &mut m].into_iter().zip(counts).for_each(|(to, from)| *to = from);
                let u = b.scalar::<5>(fraction);
                b.claim(d * e * (f * u - m) - (k * e + l * d) * f)?;
                sum = sum + b.scalar::<2>(fraction);
            }
        }
        Ok(sum)
    }

    /// The denominators of some rows but for the mask: what is public of each, and the wires of the rest.
    fn denominators<S: Element>(
        &self,
        tables: &Tables<'_>,
        rows: core::ops::Range<usize>,
        (at, gammas): (S, &[S]),
        embed: impl Fn(F61) -> S + Copy,
    ) -> Vec<(S, Option<&[W]>)> {
        let public = |row: &[F61; WIDTH]| row.iter().zip(gammas).fold(at, |sum, (x, c)| sum - *c * embed(*x));
        let one = |index: usize| match index.checked_sub(Kind::ALL.len()) {
            None => (public(&tables.row(Public::Code, index)), None),
            Some(row) => {
                let mut tuple = [F61::ZERO; WIDTH];
                [tuple[0], tuple[PLACE]] = [integer(Public::Code as i64), self.place(row)];
                (public(&tuple), self.wires.get(row * ROW..(row + 1) * ROW))
            }
        };
        rows.map(one).collect()
    }
}
