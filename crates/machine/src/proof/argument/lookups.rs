//! Lookups: sums of inverses, and the rows of public tables.

use volery_circuit::invert_all;

use super::rom::value;
use super::*;

/// The sum of the inverses of all denominators.
struct Sum<B: Challenge<F61>> {
    waiting: Waiting<B::Scalar, B::Expression<5>>,
    sum: B::Expression<2>,
}

impl<B: Challenge<F61>> Sum<B> {
    fn new() -> Self {
        Self { waiting: Waiting::new(), sum: B::Expression::<2>::constant(B::Scalar::default()) }
    }

    fn flush(&mut self, b: &mut B) -> Result<(), B::Error> {
        let values = &mut self.waiting.values;
        let count = self.waiting.expressions.len().div_ceil(3);
        let inverses = b.scalars(count, &mut |_| {
            invert_all(values);
            let sum = |inverses: &[B::Scalar]| inverses.iter().fold(B::Scalar::default(), |sum, x| sum + *x);
            let inverses = told(Committed::Inverse, values.chunks(3).map(sum).collect());
            Ok(told(Committed::InversesMoved, inverses))
        })?;
        let one = B::Expression::<5>::constant(B::embed(F61::ONE));
        for (denominators, inverse) in self.waiting.expressions.chunks(3).zip(&inverses) {
            let u = b.scalar::<5>(inverse);
            match *denominators {
                [d, e, f] => b.claim(d * e * (f * u - one) - (d + e) * f)?,
                [d, e] => b.claim(d * e * u - d - e)?,
                [d] => b.claim(d * u - one)?,
                _ => {}
            }
            self.sum = self.sum + b.scalar::<2>(inverse);
        }
        self.waiting.clear();
        Ok(())
    }

    fn finish(mut self, b: &mut B) -> Result<B::Expression<2>, B::Error> {
        if !self.waiting.expressions.is_empty() {
            self.flush(b)?;
        }
        Ok(self.sum)
    }
}

/// The sum of the inverses of all lookups into some tables.
pub(super) fn sum<B: Challenge<F61>>(
    b: &mut B,
    parts: &[Part<B::Wire>],
    tables: impl Fn(Public) -> bool,
    (at, gammas): (B::Scalar, &[B::Scalar]),
    mask: Option<&B::ScalarWire>,
) -> Result<B::Expression<2>, B::Error> {
    let mut sum = Sum::<B>::new();
    let mut scratch = Vec::new();
    let mask = mask.map(|mask| (b.scalar::<5>(mask), value(b, mask)));
    for part in parts {
        let fold =
            |table: Public, forms: &[Form]| Folded::new(at, gammas, F61::new(table as u64), forms, B::embed);
        let lookups = part.shape.lookups.iter().filter(|lookup| tables(lookup.table));
        let lookups: Vec<_> = lookups.map(|lookup| fold(lookup.table, &lookup.forms)).collect();
        let columns = part.shape.columns;
        for (number, row) in part.wires.chunks_exact(columns).enumerate() {
            let values = part.values.get(number * columns..(number + 1) * columns);
            for lookup in &lookups {
                let mut denominator = lookup.expression::<5, B>(b, row, &mut scratch);
                let mut value = values.map(|row| lookup.value(row, B::embed));
                if let Some((mask, of_mask)) = &mask {
                    denominator = denominator + *mask;
                    value.iter_mut().for_each(|value| *value += **of_mask);
                }
                sum.waiting.expressions.push(denominator);
                sum.waiting.values.extend(value);
                if sum.waiting.is_full() {
                    sum.flush(b)?;
                }
            }
        }
    }
    sum.finish(b)
}

/// Claims that all lookups into public tables are rows.
pub(super) fn claim<B: Challenge<F61>>(
    b: &mut B,
    parts: &[Part<B::Wire>],
    tables: &Tables<'_>,
    multiplicities: &[Multiplicities<B::Wire>],
    (candidates, gammas): (&[B::Scalar], &[B::Scalar]),
) -> Result<(), B::Error> {
    let (at, inverses) = inverses::<B>(tables, multiplicities, candidates, gammas)?;
    // The program's rows are not among these if they are committed to: see `Rom::claim`.
    let has_code = multiplicities.iter().any(|counts| counts.table == Public::Code);
    let is_public = |table| table != Public::Code || has_code;
    let mut sum = sum(b, parts, is_public, (at, gammas), None)?;
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
            // Negated, and so is the inverse.
            -denominator::<B>(*at, gammas, &tables.row(table, index))
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
