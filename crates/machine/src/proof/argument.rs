//! The arguments under one challenge: that what rows consume was produced, and that what they look up is
//! there.
//!
//! **Multisets.** Every tuple `x` stands for `alpha - (gamma_0 x_0 + gamma_1 x_1 + ..)`; `x_0` is its
//! [`Space`](super::form::Space). The product over all that is produced equals that over all that is consumed
//! (the argument of [`volery_circuit::ram`]): two running products, one commitment for three tuples.
//!
//! **Lookups** (the argument of [`volery_circuit::lookups`], into the union of all public tables; the first
//! component is the table's number). P has committed to the number of times that each row is looked up, and
//! commits to one sum of inverses for *three* lookups, a relation of degree 4:
//!
//! ```text
//! u d e f = d e + (d + e) f            for the denominators d, e, f;  u = 1/d + 1/e + 1/f
//! ```
//!
//! `u` is open only if two of the three are zero. Those of true lookups are not zero, since no public row has
//! a pole at the point that is taken. Of a false one two places of a triple can hold the same tuple, as two
//! places of a pair can there, and the count there holds as it is: each value that does so takes two of the
//! `n` lookups. Two *different* false tuples of a triple meet at the point with probability `1 / |M|^2`, for
//! all triples together `n / |M|^2`.
//!
//! **A secret program** is a table of rows that P has committed to, with an argument of its own (`rom`).
//!
//! **One challenge serves all**, and what it tests is the greatest of the degrees: if a claim is false, one
//! of the polynomials is not zero, and the challenge has to be a zero of that one. The points of multisets
//! and of public tables are drawn apart, the coefficients `gamma` are the same.

use volery_circuit::challenge::Tested;
use volery_circuit::{Challenge, Error, Expression as _};
use volery_field::{Element, F61, Ring as _};
use zeroize::Zeroizing;

use super::form::{Form, Shape, Side, WIDTH};
use super::public::{Public, Tables};

mod lookups;
mod rom;

pub(super) use rom::{ROW as ROM_ROW, Rom};

/// The candidates for the point of lookups.
const CANDIDATES: usize = 4;

/// Elements of a challenge for one repetition: coefficients, the point of the multisets, those of lookups.
const DRAWN: usize = WIDTH + 1 + CANDIDATES;

/// The rows of one table: flat wires, and at P flat values.
pub(super) struct Part<W> {
    pub(super) shape: Shape,
    pub(super) wires: Vec<W>,
    pub(super) values: Zeroizing<Vec<F61>>,
}

impl<W> Part<W> {
    fn rows(&self) -> usize {
        self.wires.len().checked_div(self.shape.columns).unwrap_or(0)
    }
}

/// Tuples that both parties know.
#[derive(Default)]
pub(super) struct Known {
    pub(super) produced: Vec<[F61; WIDTH]>,
    pub(super) consumed: Vec<[F61; WIDTH]>,
}

/// A linear form under a challenge.
struct Folded<S> {
    constant: S,
    columns: Vec<usize>,
    coefficients: Vec<S>,
}

impl<S: Element> Folded<S> {
    /// `at - sum gammas[j] * forms[j]`.
    fn new(at: S, gammas: &[S], first: F61, forms: &[Form], embed: impl Fn(F61) -> S) -> Self {
        let mut folded = Self { constant: at, columns: Vec::new(), coefficients: Vec::new() };
        let first = Form { constant: first, terms: Vec::new() };
        let forms = core::iter::once(&first).filter(|form| !form.constant.is_zero()).chain(forms);
        for (form, gamma) in forms.zip(gammas) {
            folded.constant -= *gamma * embed(form.constant);
            for (column, c) in &form.terms {
                let c = *gamma * embed(*c);
                match folded.columns.iter().position(|at| at == column) {
                    Some(i) => folded.coefficients[i] -= c,
                    None => {
                        folded.columns.push(*column);
                        folded.coefficients.push(-c);
                    }
                }
            }
        }
        folded
    }

    #[inline(always)]
    fn expression<const N: usize, B: Challenge<F61, Scalar = S>>(
        &self,
        b: &B,
        row: &[B::Wire],
        scratch: &mut Vec<B::Wire>,
    ) -> B::Expression<N> {
        scratch.clear();
        scratch.extend(self.columns.iter().map(|column| row[*column].clone()));
        b.linear::<N>(self.constant, &self.coefficients, scratch)
    }

    #[inline(always)]
    fn value(&self, row: &[F61], embed: impl Fn(F61) -> S) -> S {
        let terms = self.columns.iter().zip(&self.coefficients);
        terms.fold(self.constant, |sum, (column, c)| sum + *c * embed(row[*column]))
    }
}

/// Triples whose commitments are made at once.
const AT_ONCE: usize = 128;

/// Factors or denominators that wait to be claimed, with their values at P.
struct Waiting<S: Element, E> {
    expressions: Vec<E>,
    values: Zeroizing<Vec<S>>,
}

impl<S: Element, E> Waiting<S, E> {
    fn new() -> Self {
        Self {
            expressions: Vec::with_capacity(3 * AT_ONCE),
            values: Zeroizing::new(Vec::with_capacity(3 * AT_ONCE)),
        }
    }

    fn is_full(&self) -> bool {
        self.expressions.len() == 3 * AT_ONCE
    }

    fn clear(&mut self) {
        self.expressions.clear();
        self.values.clear();
    }
}

/// The product of all factors of a side.
struct Product<B: Challenge<F61>> {
    waiting: Waiting<B::Scalar, B::Expression<5>>,
    last: Option<B::ScalarWire>,
    running: Zeroizing<B::Scalar>,
}

impl<B: Challenge<F61>> Product<B> {
    fn new() -> Self {
        Self { waiting: Waiting::new(), last: None, running: Zeroizing::new(B::embed(F61::ONE)) }
    }

    fn flush(&mut self, b: &mut B) -> Result<(), B::Error> {
        let (values, running) = (&self.waiting.values, &mut *self.running);
        let count = self.waiting.expressions.len().div_ceil(3);
        let products = b.scalars(count, &mut |_| {
            let mut next = |factors: &[B::Scalar]| {
                factors.iter().for_each(|factor| *running *= *factor);
                *running
            };
            Ok(told(Committed::Product, values.chunks(3).map(&mut next).collect()))
        })?;
        let one = B::Expression::<5>::constant(B::embed(F61::ONE));
        for (factors, product) in self.waiting.expressions.chunks(3).zip(products) {
            let before = self.last.as_ref().map_or(one, |last| b.scalar::<5>(last));
            let all = match factors {
                [x, y, z] => *x * *y * *z * before,
                _ => factors.iter().fold(before, |product, factor| product * *factor),
            };
            b.claim(all - b.scalar::<5>(&product))?;
            self.last = Some(product);
        }
        self.waiting.clear();
        Ok(())
    }

    /// The whole product, as a linear expression.
    fn finish(mut self, b: &mut B) -> Result<B::Expression<2>, B::Error> {
        if !self.waiting.expressions.is_empty() {
            self.flush(b)?;
        }
        Ok(match &self.last {
            Some(last) => b.scalar::<2>(last),
            None => B::Expression::<2>::constant(B::embed(F61::ONE)),
        })
    }
}

/// The multiplicities of a public table's rows.
struct Multiplicities<W> {
    table: Public,
    wires: Vec<W>,
}

/// The number of wires that are committed to at once.
pub(super) const PIECE: usize = 1 << 14;

/// Claims that all tuples match and all lookups are rows. Everything that the rows say is committed to, and
/// the program, if it is a secret.
pub(super) fn claim<B: Challenge<F61>>(
    b: &mut B,
    parts: &[Part<B::Wire>],
    known: &Known,
    tables: &Tables<'_>,
    rom: Option<&Rom<B::Wire>>,
) -> Result<(), B::Error> {
    #[cfg(test)]
    if exact::is_on() {
        return Ok(exact::check(parts, known, tables, rom)?);
    }
    let mut public = multiplicities(b, parts, tables)?;
    let committed = rom.and_then(|rom| {
        let code = public.iter().position(|counts| counts.table == Public::Code)?;
        Some((rom, public.remove(code).wires))
    });
    let columns: usize = parts.iter().map(|part| part.wires.len()).sum();
    let counts: usize = public.iter().map(|counts| counts.wires.len()).sum();
    let of_rom = committed.as_ref().map_or(0, |(rom, counts)| rom.committed() + counts.len());
    let values = (columns + counts + of_rom) as u64;
    let tested = Tested::within(degree(parts, known, tables, rom.is_some()), values, b.most_tested());
    let masks = match &committed {
        Some(_) => (0..tested.repetitions).map(|_| b.random_scalar()).collect::<Result<Vec<_>, _>>()?,
        None => Vec::new(),
    };
    let challenge = b.challenge(DRAWN * tested.repetitions as usize, tested)?;
    for (set, challenge) in challenge.chunks_exact(DRAWN).enumerate() {
        let (gammas, points) = challenge.split_at(WIDTH);
        let [point, candidates @ ..] = points else { continue };
        multiset(b, parts, known, (*point, gammas))?;
        lookups::claim(b, parts, tables, &public, (candidates, gammas))?;
        if let (Some((rom, counts)), Some(mask)) = (&committed, masks.get(set)) {
            rom.claim(b, parts, (tables, counts), (*point, mask, gammas))?;
        }
    }
    Ok(())
}

/// What the challenge tests. With a committed program its rows count twice (`rom`).
fn degree<W>(parts: &[Part<W>], known: &Known, tables: &Tables<'_>, committed: bool) -> u64 {
    let count = |side: Side| {
        let tuples = |part: &Part<W>| {
            let tuples = part.shape.tuples.iter().filter(|tuple| tuple.side == side).count();
            part.rows() as u64 * tuples as u64
        };
        parts.iter().map(tuples).sum::<u64>()
    };
    let produced = count(Side::In) + known.produced.len() as u64;
    let consumed = count(Side::Out) + known.consumed.len() as u64;
    // Lookups and rows of public tables, and of the program if it is not one.
    let (mut public, mut code) = (0, 0);
    for part in parts {
        for lookup in &part.shape.lookups {
            let sum = if committed && lookup.table == Public::Code { &mut code } else { &mut public };
            *sum += part.rows() as u64;
        }
    }
    for table in used(parts) {
        let rows = tables.rows(table) as u64;
        if committed && table == Public::Code {
            code += 2 * rows;
        } else {
            public += rows;
        }
    }
    produced.max(consumed).max(public).max(code)
}

/// The public tables that some row looks into.
fn used<W>(parts: &[Part<W>]) -> impl Iterator<Item = Public> {
    Public::ALL.into_iter().filter(|table| {
        parts
            .iter()
            .any(|part| part.rows() > 0 && part.shape.lookups.iter().any(|lookup| lookup.table == *table))
    })
}

/// Commits to how often each row is looked up.
fn multiplicities<B: Challenge<F61>>(
    b: &mut B,
    parts: &[Part<B::Wire>],
    tables: &Tables<'_>,
) -> Result<Vec<Multiplicities<B::Wire>>, B::Error> {
    let mut all = Vec::new();
    for table in used(parts) {
        let mut counts = Zeroizing::new(Vec::new());
        let rows = tables.rows(table);
        let mut wires = Vec::with_capacity(rows);
        while wires.len() < rows {
            let start = wires.len();
            let n = PIECE.min(rows - start);
            wires.extend(b.secret(n, &mut |_| {
                if counts.is_empty() {
                    *counts = count(parts, tables, table);
                }
                let counts = counts.get(start..start + n).unwrap_or_default();
                let counts = counts.iter().map(|count: &u32| F61::new(u64::from(*count)));
                Ok(told(Committed::Multiplicity, counts.collect()))
            })?);
        }
        all.push(Multiplicities { table, wires });
    }
    Ok(all)
}

/// How often each row of a table is looked up. What is no row does not count: the claim fails for it.
fn count<W>(parts: &[Part<W>], tables: &Tables<'_>, table: Public) -> Vec<u32> {
    let mut counts = vec![0; tables.rows(table)];
    let mut values = Zeroizing::new([F61::ZERO; WIDTH]);
    for part in parts {
        for lookup in part.shape.lookups.iter().filter(|lookup| lookup.table == table) {
            for row in part.values.chunks_exact(part.shape.columns) {
                // The first two tell the row.
                values
                    .iter_mut()
                    .zip(&lookup.forms)
                    .take(2)
                    .for_each(|(value, form)| *value = form.value(row));
                if let Some(count) = tables.find(table, &values[..]).and_then(|row| counts.get_mut(row)) {
                    *count += 1;
                }
            }
        }
    }
    counts
}

/// Claims that all that is produced is consumed.
fn multiset<B: Challenge<F61>>(
    b: &mut B,
    parts: &[Part<B::Wire>],
    known: &Known,
    (at, gammas): (B::Scalar, &[B::Scalar]),
) -> Result<(), B::Error> {
    let mut products = [Product::<B>::new(), Product::new()];
    let mut scratch = Vec::new();
    for part in parts {
        let fold = |forms: &[Form]| Folded::new(at, gammas, F61::ZERO, forms, B::embed);
        let tuples: Vec<_> = part.shape.tuples.iter().map(|tuple| (tuple.side, fold(&tuple.forms))).collect();
        let columns = part.shape.columns;
        for (number, row) in part.wires.chunks_exact(columns).enumerate() {
            let values = part.values.get(number * columns..(number + 1) * columns);
            for (side, tuple) in &tuples {
                let product = &mut products[*side as usize];
                product.waiting.expressions.push(tuple.expression::<5, B>(b, row, &mut scratch));
                product.waiting.values.extend(values.map(|row| tuple.value(row, B::embed)));
                if product.waiting.is_full() {
                    product.flush(b)?;
                }
            }
        }
    }
    let all = |tuples: &[[F61; WIDTH]]| {
        let factor = |tuple| denominator::<B>(at, gammas, tuple);
        tuples.iter().fold(B::embed(F61::ONE), |product, tuple| product * factor(tuple))
    };
    let [produced, consumed] = products;
    let produced = produced.finish(b)?.scale(all(&known.produced));
    let consumed = consumed.finish(b)?.scale(all(&known.consumed));
    b.claim(produced - consumed)
}

/// `at - sum gammas[j] * x[j]` for values that both parties know.
fn denominator<B: Challenge<F61>>(at: B::Scalar, gammas: &[B::Scalar], x: &[F61; WIDTH]) -> B::Scalar {
    x.iter().zip(gammas).fold(at, |sum, (x, gamma)| sum - *gamma * B::embed(*x))
}

/// What P commits to besides the rows of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Committed {
    Product,
    Inverse,
    /// Two inverses, whose sum stays.
    InversesMoved,
    Multiplicity,
    /// Of the rows of a secret program.
    Fraction,
    /// Two fractions, whose sum stays.
    FractionsMoved,
    Fresh,
    Live,
    Gap,
    /// The columns of the words of a secret program, and of its data.
    Word,
    Datum,
    /// Where it begins.
    Entry,
}

/// What P says that these values are: the truth, except in tests.
#[cfg(not(test))]
#[inline(always)]
pub(super) fn told<S>(_what: Committed, values: Vec<S>) -> Vec<S> {
    values
}

#[cfg(test)]
pub(super) use tests::told;

#[cfg(test)]
pub(super) mod exact;
#[cfg(test)]
pub(super) mod tests;
