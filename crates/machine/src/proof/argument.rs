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

use std::rc::Rc;
use volery_circuit::challenge::Tested;

use volery_circuit::{Challenge, Error, Expression as _, Peek, PendingChallenge, invert_all};
use volery_field::{Element, F61, Ring as _};
use zeroize::Zeroizing;

use super::buffers::room_for;
use super::form::{Form, Lookup, Shape, Side, WIDTH};
use super::public::{Public, Tables};
use super::split::split;
use triples::{Folded, Product, Sum};

mod rom;
mod triples;

pub(super) use rom::{ROW as ROM_ROW, Rom};

/// The candidates for the point of lookups.
const CANDIDATES: usize = 4;

/// Elements of a challenge for one repetition: coefficients, the point of the multisets, those of lookups.
const DRAWN: usize = WIDTH + 1 + CANDIDATES;

/// The rows of one table.
pub(super) struct Part<W> {
    pub(super) shape: Shape,
    /// Row after row.
    pub(super) wires: Rc<Vec<W>>,
    /// How far a row is from the next one: less than its columns if they overlap.
    stride: usize,
}

impl<W> Part<W> {
    pub(super) fn new(shape: Shape, wires: Vec<W>) -> Self {
        let stride = shape.columns;
        Self::overlapping(shape, Rc::new(wires), stride)
    }

    /// Rows that begin `stride` wires apart.
    pub(super) fn overlapping(shape: Shape, wires: Rc<Vec<W>>, stride: usize) -> Self {
        Self { shape, wires, stride: stride.max(1) }
    }

    pub(super) fn rows(&self) -> usize {
        self.iter().len()
    }

    /// The rows.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &[W]> {
        self.wires.windows(self.shape.columns.max(1)).step_by(self.stride)
    }
}

/// Tuples that both parties know.
#[derive(Clone, Default)]
pub(super) struct Known {
    pub(super) produced: Vec<[F61; WIDTH]>,
    pub(super) consumed: Vec<[F61; WIDTH]>,
}

/// The multiplicities of a public table's rows.
struct Multiplicities<W> {
    table: Public,
    wires: Vec<W>,
}

/// The number of wires that are committed to at once.
pub(super) const PIECE: usize = 1 << 14;

/// The multiplicities of a secret program's rows, and what masks their sums.
struct OfRom<W, S> {
    counts: Vec<W>,
    /// One for each repetition.
    masks: Vec<S>,
}

/// Rows whose argument waits for its challenge.
pub(super) struct Asked<B: Challenge<F61>> {
    pub(super) parts: Vec<Part<B::Wire>>,
    known: Known,
    public: Vec<Multiplicities<B::Wire>>,
    of_rom: Option<OfRom<B::Wire, B::ScalarWire>>,
    repetitions: u32,
    /// None where tests compare the rows themselves.
    challenge: Option<PendingChallenge>,
}

/// Claims that all tuples match and all lookups are rows: [`ask`] and [`answer`] in one.
pub(super) fn claim<B: Challenge<F61>>(
    b: &mut B,
    parts: Vec<Part<B::Wire>>,
    known: Known,
    tables: &Tables<'_>,
    rom: Option<&Rom<B::Wire>>,
) -> Result<(), B::Error> {
    let asked = ask(b, parts, known, tables, rom)?;
    answer(b, asked, tables, rom)
}

/// Asks for the challenge of the argument. Everything that the rows say is committed to, and the program, if
/// it is a secret. Rows that look into tables that are [`split`](super::split) get more columns.
pub(super) fn ask<B: Challenge<F61>>(
    b: &mut B,
    mut parts: Vec<Part<B::Wire>>,
    known: Known,
    tables: &Tables<'_>,
    rom: Option<&Rom<B::Wire>>,
) -> Result<Asked<B>, B::Error> {
    split(b, &mut parts)?;
    #[cfg(test)]
    if exact::is_on() {
        return Ok(Asked { parts, known, public: Vec::new(), of_rom: None, repetitions: 0, challenge: None });
    }
    let mut public = multiplicities(b, &parts, tables)?;
    let counts = rom.and_then(|_| {
        let code = public.iter().position(|counts| counts.table == Public::Code)?;
        Some(public.remove(code).wires)
    });
    // Live words count twice, as words and with the gaps between them. That is on the safe side: the bound
    // grows with the number of values.
    let columns: usize = parts.iter().map(|part| part.rows() * part.stride).sum();
    let multiplicities: usize = public.iter().map(|counts| counts.wires.len()).sum();
    let of_rom = rom.zip(counts.as_ref()).map_or(0, |(rom, counts)| rom.committed() + counts.len());
    let values = (columns + multiplicities + of_rom) as u64;
    let tested = Tested::within(degree(&parts, &known, tables, rom.is_some()), values, b.most_tested());
    let mut masked = |counts| {
        let masks = (0..tested.repetitions).map(|_| b.random_scalar()).collect::<Result<_, _>>()?;
        Ok::<_, B::Error>(OfRom { counts, masks })
    };
    let of_rom = counts.map(&mut masked).transpose()?;
    let challenge = Some(b.ask(tested)?);
    Ok(Asked { parts, known, public, of_rom, repetitions: tested.repetitions, challenge })
}

/// Makes the argument. The tables are those that it was asked with.
pub(super) fn answer<B: Challenge<F61>>(
    b: &mut B,
    asked: Asked<B>,
    tables: &Tables<'_>,
    rom: Option<&Rom<B::Wire>>,
) -> Result<(), B::Error> {
    let Asked { parts, known, public, of_rom, repetitions, challenge } = asked;
    let Some(challenge) = challenge else {
        #[cfg(test)]
        return exact::check(b, &parts, &known, tables, rom);
        #[cfg(not(test))]
        return Err(Error::misuse("an argument has no challenge").into());
    };
    let challenge = b.take(DRAWN * repetitions as usize, challenge)?;
    for (set, challenge) in challenge.chunks_exact(DRAWN).enumerate() {
        let (gammas, points) = challenge.split_at(WIDTH);
        let [point, candidates @ ..] = points else { continue };
        claim_at(b, &parts, (&known, tables, &public), (*point, candidates, gammas))?;
        let masked = of_rom.as_ref().and_then(|OfRom { counts, masks }| Some((counts, masks.get(set)?)));
        if let Some((rom, (counts, mask))) = rom.zip(masked) {
            rom.claim(b, &parts, (tables, counts), (*point, mask, gammas))?;
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
    let used: Vec<Public> = used(parts).collect();
    let (mut all, mut counted) = (Vec::new(), None);
    for (place, table) in used.iter().enumerate() {
        let rows = tables.rows(*table);
        let mut wires = Vec::with_capacity(rows);
        while wires.len() < rows {
            let start = wires.len();
            let n = PIECE.min(rows - start);
            wires.extend(b.secret(n, &mut |peek| {
                let counts =
                    counted.get_or_insert_with(|| Zeroizing::new(counts(peek, parts, tables, &used)));
                let counts = counts.get(place).and_then(|counts| counts.get(start..start + n));
                let counts = counts.unwrap_or_default().iter().map(|count| F61::new(u64::from(*count)));
                Ok(told(Committed::Multiplicity, counts.collect()))
            })?);
        }
        all.push(Multiplicities { table: *table, wires });
    }
    Ok(all)
}

/// How often each row of each of these tables is looked up. What is no row does not count: the claim fails
/// for it.
fn counts<W>(
    peek: &dyn Peek<F61, W>,
    parts: &[Part<W>],
    tables: &Tables<'_>,
    used: &[Public],
) -> Vec<Vec<u32>> {
    let mut counts: Vec<Vec<u32>> = used.iter().map(|table| vec![0; tables.rows(*table)]).collect();
    let mut values = Zeroizing::new([F61::ZERO; 2]);
    let mut known = Zeroizing::new(Vec::new());
    for part in parts {
        let lookups = part.shape.lookups.iter().map(|Lookup { table, forms }| {
            let place = used.iter().position(|used| used == table).unwrap_or(usize::MAX);
            // The first two components tell the row. Most are a column.
            (place, *table, Vec::from_iter(forms.iter().take(2).map(|form| (form.as_column(), form))))
        });
        let lookups: Vec<_> = lookups.collect();
        if lookups.is_empty() {
            continue;
        }
        room_for(&mut known, part.shape.columns);
        for row in part.iter() {
            known.clear();
            peek.values(row, &mut known);
            for (place, table, forms) in &lookups {
                for (value, (column, form)) in values.iter_mut().zip(forms) {
                    *value = match column {
                        Some(column) => known[*column],
                        None => form.value(&known),
                    };
                }
                let found = tables.find(*table, &values[..]);
                if let Some(count) =
                    counts.get_mut(*place).and_then(|counts| found.and_then(|row| counts.get_mut(row)))
                {
                    *count += 1;
                }
            }
        }
    }
    counts
}

/// The forms of a shape under a challenge.
struct Forms<S> {
    tuples: Vec<(Side, Folded<S>)>,
    lookups: Vec<Folded<S>>,
}

impl<S: Element> Forms<S> {
    /// With the points of the multisets and of lookups into public tables.
    fn new(
        shape: &Shape,
        points: [S; 2],
        gammas: &[S],
        embed: impl Fn(F61) -> S + Copy,
        is_public: impl Fn(Public) -> bool,
    ) -> Self {
        let fold = |at, first, forms: &[Form]| Folded::new(at, gammas, first, forms, embed);
        let tuples = shape.tuples.iter().map(|tuple| (tuple.side, fold(points[0], F61::ZERO, &tuple.forms)));
        let lookups = shape.lookups.iter().filter(|lookup| is_public(lookup.table));
        let lookups =
            lookups.map(|lookup| fold(points[1], F61::new(lookup.table as u64), &lookup.forms)).collect();
        Self { tuples: tuples.collect(), lookups }
    }
}

/// Claims that all that is produced is consumed, and that all lookups are rows. One pass over all rows serves
/// both, since they do not fit in a cache.
fn claim_at<B: Challenge<F61>>(
    b: &mut B,
    parts: &[Part<B::Wire>],
    (known, tables, multiplicities): (&Known, &Tables<'_>, &[Multiplicities<B::Wire>]),
    (point, candidates, gammas): (B::Scalar, &[B::Scalar], &[B::Scalar]),
) -> Result<(), B::Error> {
    let (at, inverses) = inverses::<B>(tables, multiplicities, candidates, gammas)?;
    // The program's rows are not among these if they are committed to: see `Rom::claim`.
    let has_code = multiplicities.iter().any(|counts| counts.table == Public::Code);
    let is_public = |table| table != Public::Code || has_code;
    let forms = |part: &Part<B::Wire>| Forms::new(&part.shape, [point, at], gammas, B::embed, is_public);
    let all: Vec<_> = parts.iter().map(forms).collect();
    let (mut products, mut sum) = ([Product::<B>::new(), Product::new()], Sum::<B>::new());
    for (part, Forms { tuples, lookups }) in parts.iter().zip(&all) {
        for row in part.iter() {
            for (side, tuple) in tuples {
                products[*side as usize].add(b, tuple, row)?;
            }
            for lookup in lookups {
                sum.add(b, lookup, row)?;
            }
        }
    }
    multiset(b, products, known, (point, gammas))?;
    lookups(b, sum, multiplicities, &inverses)
}

/// Claims that all that is produced is consumed, after a pass over the rows.
fn multiset<B: Challenge<F61>>(
    b: &mut B,
    [produced, consumed]: [Product<'_, B>; 2],
    known: &Known,
    (at, gammas): (B::Scalar, &[B::Scalar]),
) -> Result<(), B::Error> {
    let all = |tuples: &[[F61; WIDTH]]| {
        let factor = |tuple| denominator::<B>(at, gammas, tuple);
        tuples.iter().fold(B::embed(F61::ONE), |product, tuple| product * factor(tuple))
    };
    let produced = produced.finish(b)?.scale(all(&known.produced));
    let consumed = consumed.finish(b)?.scale(all(&known.consumed));
    b.claim(produced - consumed)
}

/// `at - sum gammas[j] * x[j]` for values that both parties know.
fn denominator<B: Challenge<F61>>(at: B::Scalar, gammas: &[B::Scalar], x: &[F61; WIDTH]) -> B::Scalar {
    x.iter().zip(gammas).fold(at, |sum, (x, gamma)| sum - *gamma * B::embed(*x))
}

/// Claims that all lookups into public tables are rows, after a pass over the rows.
fn lookups<B: Challenge<F61>>(
    b: &mut B,
    sum: Sum<'_, B>,
    multiplicities: &[Multiplicities<B::Wire>],
    inverses: &[Vec<B::Scalar>],
) -> Result<(), B::Error> {
    let mut sum = sum.finish(b)?;
    for (Multiplicities { wires, .. }, negated) in multiplicities.iter().zip(inverses) {
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
    /// Two products, so that the ones after them stay.
    ProductsMoved,
    Inverse,
    /// Two inverses, whose sum stays.
    InversesMoved,
    Multiplicity,
    /// The upper half of what is looked up in a table that is split.
    Upper,
    /// Of the rows of a secret program.
    Fraction,
    /// Two fractions, whose sum stays.
    FractionsMoved,
    Fresh,
    /// The words of a public program's file after a check of the log, and the others that are live then.
    Filed,
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

/// As [`told`], of one value.
#[cfg(not(test))]
#[inline(always)]
fn told_one<S>(_what: Committed, value: S) -> S {
    value
}

#[cfg(test)]
pub(super) use tests::told;
#[cfg(test)]
use tests::told_one;

#[cfg(test)]
pub(super) mod exact;
#[cfg(test)]
pub(super) mod tests;
