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
//! **One challenge serves both**, and what it tests is the greater of the two degrees: if a claim is false,
//! one of the polynomials is not zero, and the challenge has to be a zero of that one. The points of the two
//! arguments are drawn apart, the coefficients `gamma` are the same.

use volery_circuit::challenge::Tested;
use volery_circuit::{Challenge, Error, Expression as _, invert_all};
use volery_field::{Element, F61, Ring as _};
use zeroize::Zeroizing;

use super::form::{Form, Lookup, Shape, Side, WIDTH};
use super::public::{Public, Tables};
use super::split::split;

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
    pub(super) fn rows(&self) -> usize {
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

/// Factors or denominators that wait to be claimed: forms and rows, with their values at P. The expressions
/// are made when they are multiplied, so that the compiler sees that they are linear.
struct Waiting<'p, S: Element, W> {
    forms: Vec<(&'p Folded<S>, &'p [W])>,
    values: Zeroizing<Vec<S>>,
    /// The wires of a form.
    scratch: Vec<W>,
}

impl<'p, S: Element, W> Waiting<'p, S, W> {
    fn new() -> Self {
        Self {
            forms: Vec::with_capacity(3 * AT_ONCE),
            values: Zeroizing::new(Vec::with_capacity(3 * AT_ONCE)),
            scratch: Vec::new(),
        }
    }

    /// Adds a form of a row.
    #[inline(always)]
    fn push(&mut self, form: &'p Folded<S>, row: &'p [W], value: Option<S>) {
        self.forms.push((form, row));
        self.values.extend(value);
    }

    fn is_full(&self) -> bool {
        self.forms.len() == 3 * AT_ONCE
    }

    fn clear(&mut self) {
        self.forms.clear();
        self.values.clear();
    }
}

/// The expressions of forms of rows.
#[inline(always)]
fn expressions<const K: usize, B: Challenge<F61>>(
    b: &B,
    forms: [(&Folded<B::Scalar>, &[B::Wire]); K],
    scratch: &mut Vec<B::Wire>,
) -> [B::Expression<5>; K] {
    forms.map(|(form, row)| form.expression::<5, B>(b, row, scratch))
}

/// The product of all factors of a side.
struct Product<'p, B: Challenge<F61>> {
    waiting: Waiting<'p, B::Scalar, B::Wire>,
    last: Option<B::ScalarWire>,
    running: Zeroizing<B::Scalar>,
}

impl<B: Challenge<F61>> Product<'_, B> {
    fn new() -> Self {
        Self { waiting: Waiting::new(), last: None, running: Zeroizing::new(B::embed(F61::ONE)) }
    }

    fn flush(&mut self, b: &mut B) -> Result<(), B::Error> {
        let (values, running) = (&self.waiting.values, &mut *self.running);
        let count = self.waiting.forms.len().div_ceil(3);
        let products = b.scalars(count, &mut |_| {
            let mut next = |factors: &[B::Scalar]| {
                factors.iter().for_each(|factor| *running *= *factor);
                *running
            };
            Ok(told(Committed::Product, values.chunks(3).map(&mut next).collect()))
        })?;
        let one = B::Expression::<5>::constant(B::embed(F61::ONE));
        let scratch = &mut self.waiting.scratch;
        for (factors, product) in self.waiting.forms.chunks(3).zip(products) {
            let before = self.last.as_ref().map_or(one, |last| b.scalar::<5>(last));
            let all = match *factors {
                [x, y, z] => {
                    let [x, y, z] = expressions(b, [x, y, z], scratch);
                    x * y * z * before
                }
                _ => factors.iter().fold(before, |product, factor| {
                    let [factor] = expressions(b, [*factor], scratch);
                    product * factor
                }),
            };
            b.claim(all - b.scalar::<5>(&product))?;
            self.last = Some(product);
        }
        self.waiting.clear();
        Ok(())
    }

    /// The whole product, as a linear expression.
    fn finish(mut self, b: &mut B) -> Result<B::Expression<2>, B::Error> {
        if !self.waiting.forms.is_empty() {
            self.flush(b)?;
        }
        Ok(match &self.last {
            Some(last) => b.scalar::<2>(last),
            None => B::Expression::<2>::constant(B::embed(F61::ONE)),
        })
    }
}

/// The sum of the inverses of all denominators.
struct Sum<'p, B: Challenge<F61>> {
    waiting: Waiting<'p, B::Scalar, B::Wire>,
    sum: B::Expression<2>,
}

impl<B: Challenge<F61>> Sum<'_, B> {
    fn new() -> Self {
        Self { waiting: Waiting::new(), sum: B::Expression::<2>::constant(B::Scalar::default()) }
    }

    fn flush(&mut self, b: &mut B) -> Result<(), B::Error> {
        let values = &mut self.waiting.values;
        let count = self.waiting.forms.len().div_ceil(3);
        let inverses = b.scalars(count, &mut |_| {
            invert_all(values);
            let sum = |inverses: &[B::Scalar]| inverses.iter().fold(B::Scalar::default(), |sum, x| sum + *x);
            let inverses = told(Committed::Inverse, values.chunks(3).map(sum).collect());
            Ok(told(Committed::InversesMoved, inverses))
        })?;
        let one = B::Expression::<5>::constant(B::embed(F61::ONE));
        let scratch = &mut self.waiting.scratch;
        for (denominators, inverse) in self.waiting.forms.chunks(3).zip(&inverses) {
            let u = b.scalar::<5>(inverse);
            match *denominators {
                [d, e, f] => {
                    let [d, e, f] = expressions(b, [d, e, f], scratch);
                    b.claim(d * e * (f * u - one) - (d + e) * f)?;
                }
                [d, e] => {
                    let [d, e] = expressions(b, [d, e], scratch);
                    b.claim(d * e * u - d - e)?;
                }
                [d] => {
                    let [d] = expressions(b, [d], scratch);
                    b.claim(d * u - one)?;
                }
                _ => {}
            }
            self.sum = self.sum + b.scalar::<2>(inverse);
        }
        self.waiting.clear();
        Ok(())
    }

    fn finish(mut self, b: &mut B) -> Result<B::Expression<2>, B::Error> {
        if !self.waiting.forms.is_empty() {
            self.flush(b)?;
        }
        Ok(self.sum)
    }
}

/// The multiplicities of a public table's rows.
struct Multiplicities<W> {
    table: Public,
    wires: Vec<W>,
}

/// The number of wires that are committed to at once.
pub(super) const PIECE: usize = 1 << 14;

/// Claims that all tuples match and all lookups are rows. Everything that the rows say is committed to. Rows
/// that look into tables that are [`split`](super::split) get more columns.
pub(super) fn claim<B: Challenge<F61>>(
    b: &mut B,
    parts: &mut [Part<B::Wire>],
    known: &Known,
    tables: &Tables<'_>,
) -> Result<(), B::Error> {
    split(b, parts)?;
    #[cfg(test)]
    if exact::is_on() {
        return Ok(exact::check(parts, known, tables)?);
    }
    let multiplicities = multiplicities(b, parts, tables)?;
    let columns: usize = parts.iter().map(|part| part.wires.len()).sum();
    let counts: usize = multiplicities.iter().map(|counts| counts.wires.len()).sum();
    let tested = Tested::within(degree(parts, known, tables), (columns + counts) as u64, b.most_tested());
    let challenge = b.challenge(DRAWN * tested.repetitions as usize, tested)?;
    for challenge in challenge.chunks_exact(DRAWN) {
        let (gammas, points) = challenge.split_at(WIDTH);
        let [point, candidates @ ..] = points else { continue };
        multiset(b, parts, known, (*point, gammas))?;
        lookups(b, parts, tables, &multiplicities, (candidates, gammas))?;
    }
    Ok(())
}

/// What the challenge tests.
fn degree<W>(parts: &[Part<W>], known: &Known, tables: &Tables<'_>) -> u64 {
    let count = |side: Side| {
        let tuples = |part: &Part<W>| {
            let tuples = part.shape.tuples.iter().filter(|tuple| tuple.side == side).count();
            part.rows() as u64 * tuples as u64
        };
        parts.iter().map(tuples).sum::<u64>()
    };
    let produced = count(Side::In) + known.produced.len() as u64;
    let consumed = count(Side::Out) + known.consumed.len() as u64;
    let lookups: u64 = parts.iter().map(|part| part.rows() as u64 * part.shape.lookups.len() as u64).sum();
    let rows: u64 = used(parts).map(|table| tables.rows(table) as u64).sum();
    produced.max(consumed).max(lookups + rows)
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
    let mut values = Zeroizing::new([F61::ZERO; 2]);
    for part in parts {
        for lookup in part.shape.lookups.iter().filter(|lookup| lookup.table == table) {
            // The first two tell the row. Most are a column.
            let forms = lookup.forms.iter().take(2).map(|form| (form.as_column(), form));
            let forms: Vec<_> = forms.collect();
            for row in part.values.chunks_exact(part.shape.columns) {
                for (value, (column, form)) in values.iter_mut().zip(&forms) {
                    *value = match column {
                        Some(column) => row[*column],
                        None => form.value(row),
                    };
                }
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
    let fold = |forms: &[Form]| Folded::new(at, gammas, F61::ZERO, forms, B::embed);
    let tuples = |part: &Part<B::Wire>| {
        part.shape.tuples.iter().map(|tuple| (tuple.side, fold(&tuple.forms))).collect::<Vec<_>>()
    };
    let all_tuples: Vec<_> = parts.iter().map(tuples).collect();
    let mut products = [Product::<B>::new(), Product::new()];
    for (part, tuples) in parts.iter().zip(&all_tuples) {
        let columns = part.shape.columns;
        for (number, row) in part.wires.chunks_exact(columns).enumerate() {
            let values = part.values.get(number * columns..(number + 1) * columns);
            for (side, tuple) in tuples {
                let product = &mut products[*side as usize];
                product.waiting.push(tuple, row, values.map(|row| tuple.value(row, B::embed)));
                if product.waiting.is_full() {
                    product.flush(b)?;
                }
            }
        }
    }
    let factor =
        |x: &[F61; WIDTH]| x.iter().zip(gammas).fold(at, |sum, (x, gamma)| sum - *gamma * B::embed(*x));
    let all = |tuples: &[[F61; WIDTH]]| {
        tuples.iter().fold(B::embed(F61::ONE), |product, tuple| product * factor(tuple))
    };
    let [produced, consumed] = products;
    let produced = produced.finish(b)?.scale(all(&known.produced));
    let consumed = consumed.finish(b)?.scale(all(&known.consumed));
    b.claim(produced - consumed)
}

/// Claims that all lookups are rows.
fn lookups<B: Challenge<F61>>(
    b: &mut B,
    parts: &[Part<B::Wire>],
    tables: &Tables<'_>,
    multiplicities: &[Multiplicities<B::Wire>],
    (candidates, gammas): (&[B::Scalar], &[B::Scalar]),
) -> Result<(), B::Error> {
    let (at, inverses) = inverses::<B>(tables, multiplicities, candidates, gammas)?;
    let fold =
        |lookup: &Lookup| Folded::new(at, gammas, F61::new(lookup.table as u64), &lookup.forms, B::embed);
    let all_lookups: Vec<Vec<_>> =
        parts.iter().map(|part| part.shape.lookups.iter().map(fold).collect()).collect();
    let mut sum = Sum::<B>::new();
    for (part, lookups) in parts.iter().zip(&all_lookups) {
        let columns = part.shape.columns;
        for (number, row) in part.wires.chunks_exact(columns).enumerate() {
            let values = part.values.get(number * columns..(number + 1) * columns);
            for lookup in lookups {
                sum.waiting.push(lookup, row, values.map(|row| lookup.value(row, B::embed)));
                if sum.waiting.is_full() {
                    sum.flush(b)?;
                }
            }
        }
    }
    let mut sum = sum.finish(b)?;
    for (Multiplicities { wires, .. }, negated) in multiplicities.iter().zip(&inverses) {
        sum = sum + b.linear::<2>(B::Scalar::default(), negated, wires);
    }
    b.claim(sum)
}

/// A point, and the inverses there of each table's rows.
type Inverses<S> = (S, Vec<Vec<S>>);

/// The first candidate at which no public row has a pole, and minus the rows' inverses there.
fn inverses<B: Challenge<F61>>(
    tables: &Tables<'_>,
    multiplicities: &[Multiplicities<B::Wire>],
    candidates: &[B::Scalar],
    gammas: &[B::Scalar],
) -> Result<Inverses<B::Scalar>, Error> {
    let one = |at: &B::Scalar, table: Public| {
        let row = |index| {
            let row = tables.row(table, index);
            // Negated, and so is the inverse.
            let components = row.iter().zip(gammas).take(Tables::components(table));
            components.fold(-*at, |sum, (x, gamma)| sum + *gamma * B::embed(*x))
        };
        let mut inverses: Vec<B::Scalar> = (0..tables.rows(table)).map(row).collect();
        invert_all(&mut inverses).then_some(inverses)
    };
    let all = |at: &B::Scalar| {
        let inverses: Option<Vec<_>> = multiplicities.iter().map(|rows| one(at, rows.table)).collect();
        inverses.map(|inverses| (*at, inverses))
    };
    candidates
        .iter()
        .find_map(all)
        .ok_or_else(|| Error::misuse("every point of a challenge is a pole; start again"))
}

/// What P commits to besides the rows of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Committed {
    Product,
    Inverse,
    /// Two inverses, whose sum stays.
    InversesMoved,
    Multiplicity,
    /// The upper half of what is looked up in a table that is split.
    Upper,
    Fresh,
    Live,
    Gap,
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
