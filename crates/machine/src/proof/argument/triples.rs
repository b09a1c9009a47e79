//! The running product and the running sum of an argument: both take three forms at a time.

use volery_circuit::{Challenge, Expression as _, Peek, invert_all};
use volery_field::{Element, F61, Ring as _};
use zeroize::Zeroizing;

use super::super::form::Form;
use super::{Committed, told, told_one};

/// A linear form under a challenge.
pub(super) struct Folded<S> {
    pub(super) constant: S,
    columns: Vec<usize>,
    coefficients: Vec<S>,
}

impl<S: Element> Folded<S> {
    /// `at - sum gammas[j] * forms[j]`.
    pub(super) fn new(at: S, gammas: &[S], first: F61, forms: &[Form], embed: impl Fn(F61) -> S) -> Self {
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
    pub(super) fn expression<const N: usize, B: Challenge<F61, Scalar = S>>(
        &self,
        b: &B,
        row: &[B::Wire],
        scratch: &mut Vec<B::Wire>,
    ) -> B::Expression<N> {
        scratch.clear();
        scratch.extend(self.wires(row).cloned());
        b.linear::<N>(self.constant, &self.coefficients, scratch)
    }

    /// The wires of the form in a row.
    #[inline(always)]
    fn wires<'a, W>(&'a self, row: &'a [W]) -> impl Iterator<Item = &'a W> {
        self.columns.iter().map(|column| &row[*column])
    }

    /// The value in a row where values exist.
    #[inline(always)]
    fn peek<B: Challenge<F61, Scalar = S>>(&self, b: &B, row: &[B::Wire]) -> Option<S> {
        let mut terms = self.wires(row).zip(&self.coefficients);
        terms.try_fold(self.constant, |sum, (wire, c)| Some(sum + *c * B::embed(b.peek(wire)?)))
    }

    /// The value in a row, for a hint.
    pub(super) fn value<W>(&self, peek: &dyn Peek<F61, W>, row: &[W], embed: impl Fn(F61) -> S) -> S {
        let terms = self.wires(row).zip(&self.coefficients);
        terms.fold(self.constant, |sum, (wire, c)| sum + *c * embed(peek.value(wire)))
    }
}

/// Triples whose commitments are made at once.
pub(super) const AT_ONCE: usize = 128;

/// A form and the row that it is of.
type FormOfRow<'p, S, W> = (&'p Folded<S>, &'p [W]);

/// Denominators that wait to be claimed: forms and rows, with their values at P. The expressions
/// are made when they are multiplied, so that the compiler sees that they are linear.
struct Waiting<'p, S: Element, W> {
    forms: Vec<FormOfRow<'p, S, W>>,
    values: Zeroizing<Vec<S>>,
    /// The wires of a form.
    scratch: Vec<W>,
}

impl<'p, S: Element, W: Clone> Waiting<'p, S, W> {
    fn new() -> Self {
        Self {
            forms: Vec::with_capacity(3 * AT_ONCE),
            values: Zeroizing::new(Vec::with_capacity(3 * AT_ONCE)),
            scratch: Vec::new(),
        }
    }

    /// Adds a form of a row, with its value at P. Returns whether it is time to claim.
    #[inline(always)]
    fn push(&mut self, form: &'p Folded<S>, row: &'p [W], value: Option<S>) -> bool {
        self.forms.push((form, row));
        self.values.extend(value);
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
    forms: [FormOfRow<'_, B::Scalar, B::Wire>; K],
    scratch: &mut Vec<B::Wire>,
) -> [B::Expression<5>; K] {
    // Not `map`, which the compiler does not inline.
    let mut all = [B::Expression::<5>::constant(B::Scalar::default()); K];
    for (expression, (form, row)) in all.iter_mut().zip(forms) {
        *expression = form.expression::<5, B>(b, row, scratch);
    }
    all
}

/// The denominators with the mask, if there is one.
#[inline(always)]
fn masked<const K: usize, B: Challenge<F61>>(
    denominators: [B::Expression<5>; K],
    mask: Option<B::Expression<5>>,
) -> [B::Expression<5>; K] {
    match mask {
        None => denominators,
        Some(mask) => denominators.map(|denominator| denominator + mask),
    }
}

/// The value of a scalar at P, and zero elsewhere.
pub(super) fn value<B: Challenge<F61>>(b: &B, x: &B::ScalarWire) -> Zeroizing<B::Scalar> {
    let mut value = Zeroizing::new(B::Scalar::default());
    b.peek_scalar(x, &mut |x| *value = x);
    value
}

/// The product of all factors of a side.
pub(super) struct Product<'p, B: Challenge<F61>> {
    /// Factors that wait to be multiplied.
    waiting: Vec<FormOfRow<'p, B::Scalar, B::Wire>>,
    last: Option<B::ScalarWire>,
    scratch: Vec<B::Wire>,
}

impl<'p, B: Challenge<F61>> Product<'p, B> {
    pub(super) fn new() -> Self {
        Self { waiting: Vec::with_capacity(3 * AT_ONCE), last: None, scratch: Vec::new() }
    }

    /// Adds a factor: a form of a row.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        b: &mut B,
        form: &'p Folded<B::Scalar>,
        row: &'p [B::Wire],
    ) -> Result<(), B::Error> {
        self.waiting.push((form, row));
        if self.waiting.len() == 3 * AT_ONCE { self.flush(b) } else { Ok(()) }
    }

    /// Commits to the products up to every third factor.
    #[inline(never)]
    fn flush(&mut self, b: &mut B) -> Result<(), B::Error> {
        let scratch = &mut self.scratch;
        let one = B::Expression::<5>::constant(B::embed(F61::ONE));
        let mut before = self.last.as_ref().map_or(one, |last| b.scalar::<5>(last));
        for factors in self.waiting.chunks(3) {
            let all = match *factors {
                // Only the last multiplication has to wait for the product before.
                [x, y, z] => {
                    let [x, y, z] = expressions(b, [x, y, z], scratch);
                    x * y * z * before
                }
                _ => factors.iter().fold(before, |product, factor| {
                    let [factor] = expressions(b, [*factor], scratch);
                    product * factor
                }),
            };
            let product = told_one(Committed::Product, b.peek_expression(&all));
            let product = b.one_scalar(told_one(Committed::ProductsMoved, product))?;
            before = b.scalar::<5>(&product);
            b.claim(all - before)?;
            self.last = Some(product);
        }
        self.waiting.clear();
        Ok(())
    }

    /// The whole product, as a linear expression.
    pub(super) fn finish(mut self, b: &mut B) -> Result<B::Expression<2>, B::Error> {
        self.flush(b)?;
        Ok(match &self.last {
            Some(last) => b.scalar::<2>(last),
            None => B::Expression::<2>::constant(B::embed(F61::ONE)),
        })
    }
}

/// The sum of the inverses of all denominators.
pub(super) struct Sum<'p, B: Challenge<F61>> {
    waiting: Waiting<'p, B::Scalar, B::Wire>,
    sum: B::Expression<2>,
    /// What is added to all denominators: a committed scalar, and its value at P.
    mask: Option<(B::Expression<5>, Zeroizing<B::Scalar>)>,
}

impl<'p, B: Challenge<F61>> Sum<'p, B> {
    pub(super) fn new() -> Self {
        let sum = B::Expression::<2>::constant(B::Scalar::default());
        Self { waiting: Waiting::new(), sum, mask: None }
    }

    /// With a committed scalar that is added to all denominators.
    pub(super) fn masked(b: &B, mask: &B::ScalarWire) -> Self {
        Self { mask: Some((b.scalar::<5>(mask), value(b, mask))), ..Self::new() }
    }

    /// Adds a denominator: a form of a row.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        b: &mut B,
        form: &'p Folded<B::Scalar>,
        row: &'p [B::Wire],
    ) -> Result<(), B::Error> {
        let mut value = form.peek(b, row);
        if let Some((_, mask)) = &self.mask {
            value.iter_mut().for_each(|value| *value += **mask);
        }
        let is_full = self.waiting.push(form, row, value);
        if is_full { self.flush(b) } else { Ok(()) }
    }

    #[inline(never)]
    fn flush(&mut self, b: &mut B) -> Result<(), B::Error> {
        let values = &mut self.waiting.values;
        let inverses = b.scalars(self.waiting.forms.len().div_ceil(3), &mut |_| {
            invert_all(values);
            let sum = |inverses: &[B::Scalar]| inverses.iter().fold(B::Scalar::default(), |sum, x| sum + *x);
            let inverses = told(Committed::Inverse, values.chunks(3).map(sum).collect());
            Ok(told(Committed::InversesMoved, inverses))
        })?;
        let one = B::Expression::<5>::constant(B::embed(F61::ONE));
        let scratch = &mut self.waiting.scratch;
        let mask = self.mask.as_ref().map(|(mask, _)| *mask);
        for (denominators, inverse) in self.waiting.forms.chunks(3).zip(&inverses) {
            let u = b.scalar::<5>(inverse);
            match *denominators {
                [d, e, f] => {
                    let [d, e, f] = masked::<3, B>(expressions(b, [d, e, f], scratch), mask);
                    b.claim(d * e * (f * u - one) - (d + e) * f)?;
                }
                [d, e] => {
                    let [d, e] = masked::<2, B>(expressions(b, [d, e], scratch), mask);
                    b.claim(d * e * u - d - e)?;
                }
                [d] => {
                    let [d] = masked::<1, B>(expressions(b, [d], scratch), mask);
                    b.claim(d * u - one)?;
                }
                _ => {}
            }
            self.sum = self.sum + b.scalar::<2>(inverse);
        }
        self.waiting.clear();
        Ok(())
    }

    /// The whole sum, as a linear expression.
    pub(super) fn finish(mut self, b: &mut B) -> Result<B::Expression<2>, B::Error> {
        if !self.waiting.forms.is_empty() {
            self.flush(b)?;
        }
        Ok(self.sum)
    }
}
