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
    values: Zeroizing<Vec<F61>>,
}

/// Denominators, with their values at P.
struct Denominators<S: Element, E> {
    expressions: Vec<E>,
    values: Zeroizing<Vec<S>>,
}

/// A row's tuple, but for its place.
fn forms() -> Vec<Form> {
    let head = [column(0), number(0), number(1)];
    head.into_iter().chain((1..ROW).map(column)).collect()
}

impl<W: Clone> Rom<W> {
    /// The program whose rows have these wires, [`ROW`] each, and at P values; the first has the place
    /// `text`.
    pub(in super::super) fn new(text: u32, wires: Vec<W>, values: Zeroizing<Vec<F61>>) -> Self {
        Self { text, wires, values }
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
    pub(super) fn row(&self, row: usize) -> Option<[F61; WIDTH]> {
        let values = self.values.get(row * ROW..(row + 1) * ROW)?;
        let mut tuple = [F61::ZERO; WIDTH];
        let forms = core::iter::once(number(Public::Code as i64)).chain(forms());
        tuple.iter_mut().zip(forms).for_each(|(to, form)| *to = form.value(values));
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
            let columns = part.shape.columns;
            for (number, row) in part.wires.chunks_exact(columns).enumerate() {
                let values = part.values.get(number * columns..(number + 1) * columns);
                for form in forms {
                    lookups.add(b, form, row, values)?;
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
        for (part, counts) in counts.chunks(3 * AT_ONCE).enumerate() {
            let first = part * 3 * AT_ONCE;
            let mut rows = self.denominators(b, tables, first..first + counts.len(), (at, mask, gammas));
            let fractions = b.scalars(counts.len().div_ceil(3), &mut |peek| {
                invert_all(&mut rows.values);
                let counts = counts.iter().map(|count| B::embed(peek.value(count)));
                rows.values.iter_mut().zip(counts).for_each(|(fraction, count)| *fraction *= count);
                let sum = |three: &[B::Scalar]| three.iter().fold(B::Scalar::default(), |sum, x| sum + *x);
                let fractions = told(Committed::Fraction, rows.values.chunks(3).map(sum).collect());
                Ok(told(Committed::FractionsMoved, fractions))
            })?;
            let triples = rows.expressions.chunks(3).zip(counts.chunks(3));
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

    /// The denominators of some rows, with their values at P.
    fn denominators<B: Challenge<F61, Wire = W>>(
        &self,
        b: &B,
        tables: &Tables<'_>,
        rows: core::ops::Range<usize>,
        (at, mask, gammas): (B::Scalar, &B::ScalarWire, &[B::Scalar]),
    ) -> Denominators<B::Scalar, B::Expression<5>> {
        let mut folded = Folded::new(at, gammas, F61::new(Public::Code as u64), &forms(), B::embed);
        let constant = folded.constant;
        let (of_place, of_mask) = (gammas.get(PLACE).copied().unwrap_or_default(), value(b, mask));
        let mask = b.scalar::<5>(mask);
        let mut all = Denominators { expressions: Vec::new(), values: Zeroizing::default() };
        all.values.reserve_exact(rows.len());
        let mut scratch = Vec::new();
        for index in rows {
            let (expression, value) = if let Some(row) = index.checked_sub(Kind::ALL.len()) {
                folded.constant = constant - of_place * B::embed(self.place(row));
                let wires = self.wires.get(row * ROW..(row + 1) * ROW).unwrap_or_default();
                let values = self.values.get(row * ROW..(row + 1) * ROW);
                let value = values.map_or_else(Default::default, |values| folded.value(values, B::embed));
                (folded.expression::<5, B>(b, wires, &mut scratch), value)
            } else {
                let filler = denominator::<B>(at, gammas, &tables.row(Public::Code, index));
                (B::Expression::<5>::constant(filler), filler)
            };
            all.expressions.push(expression + mask);
            all.values.push(value + *of_mask);
        }
        all
    }
}
