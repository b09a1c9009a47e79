//! The tuples of a memory, and the claim that those that come in are those that go out.

use volery_field::Value;
use zeroize::Zeroizing;

use super::Unset;
use super::cells::Contents;
use crate::records::Records;
use crate::{Challenge, Error, Expression as _};

/// The components of tuples beside address, value and time.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    /// Whether a component says that an access was skipped.
    pub(super) skipped: bool,
    /// Whether a component says that a cell is set.
    pub(super) set: bool,
}

impl Columns {
    pub(super) fn new(unset: Unset, conditional: bool) -> Self {
        Self { skipped: conditional, set: unset == Unset::Refused }
    }

    /// The number of components.
    pub(super) fn count(self) -> usize {
        3 + usize::from(self.skipped) + usize::from(self.set)
    }

    /// The number of wires of an access: the value that it leaves, then what it finds, all but the public
    /// components: address, skipped, value, time, set.
    pub(super) fn record(self) -> usize {
        1 + self.count()
    }

    /// The number of wires of a cell at the end: value, time, set.
    pub(super) fn state(self) -> usize {
        2 + usize::from(self.set)
    }
}

/// The wires of all tuples.
pub(super) struct Wires<'a, F, W> {
    pub(super) columns: Columns,
    /// The number of cells, without the sink.
    pub(super) size: usize,
    pub(super) contents: &'a Contents<F, W>,
    pub(super) log: &'a Records<W>,
    /// The sink is the last one.
    pub(super) ends: &'a [W],
}

/// The tuples under one challenge, as the factors of two products.
pub(super) struct Tuples<'a, F: Value, B: Challenge<F>> {
    wires: &'a Wires<'a, F, B::Wire>,
    accesses: usize,
    alpha: B::Scalar,
    /// Minus the coefficients of address, skipped, value, time, and set.
    coefficients: Zeroizing<Vec<B::Scalar>>,
    /// The same, of value, address and skipped, as an access begins.
    produced: Zeroizing<Vec<B::Scalar>>,
    /// Minus those of skipped, value, time and set; zero for what is not there.
    skipped: B::Scalar,
    value: B::Scalar,
    time: B::Scalar,
    set: B::Scalar,
}

/// The side of the claim that a tuple is on: consumed and there at the end, or produced and committed to at
/// first. Constants, so that there is one loop for each.
const OUT: bool = true;
const IN: bool = !OUT;

impl<'a, F: Value, B: Challenge<F>> Tuples<'a, F, B> {
    pub(super) fn new(alpha: B::Scalar, gammas: &[B::Scalar], wires: &'a Wires<'a, F, B::Wire>) -> Self {
        let one = B::embed(F::ONE);
        let coefficients: Vec<_> = core::iter::once(&one).chain(gammas).map(|gamma| -*gamma).collect();
        let coefficient = |i: usize| coefficients.get(i).copied().unwrap_or_default();
        let at = 1 + usize::from(wires.columns.skipped);
        let [skipped, set] = [(wires.columns.skipped, 1), (wires.columns.set, at + 2)]
            .map(|(there, i)| if there { coefficient(i) } else { B::Scalar::default() });
        let [value, time] = [at, at + 1].map(coefficient);
        let mut produced = vec![value];
        produced.extend(coefficients.iter().take(at));
        let [coefficients, produced] = [coefficients, produced].map(Zeroizing::new);
        Self { wires, accesses: wires.log.len(), alpha, coefficients, produced, skipped, value, time, set }
    }

    /// `alpha` less the address of cell `cell`, which may be the sink.
    fn cell(&self, cell: usize) -> B::Scalar {
        if cell == self.wires.size {
            return self.alpha + self.skipped;
        }
        let address = self.coefficients.first().copied().unwrap_or_default();
        self.alpha + address * B::embed(F::from_u64(cell as u64))
    }

    /// The public part, the coefficients and the wires of factor `i` of a side.
    #[inline(always)]
    fn factor<const SIDE: bool>(&self, i: usize) -> (B::Scalar, &[B::Scalar], &[B::Wire]) {
        let Wires { columns, contents, log, ends, .. } = self.wires;
        let record = |i: usize| log.get(i).unwrap_or_default();
        let value = core::slice::from_ref(&self.value);
        match (SIDE, i.checked_sub(self.accesses)) {
            (IN, None) => {
                let time = self.time * B::embed(F::from_u64(i as u64 + 1));
                (self.alpha + self.set + time, &self.produced, record(i))
            }
            (IN, Some(cell)) => {
                let held = contents.committed().get(cell).map(core::slice::from_ref);
                (self.cell(cell) + self.set, value, held.unwrap_or_default())
            }
            (OUT, None) => (self.alpha, &self.coefficients, record(i).get(1..).unwrap_or_default()),
            (OUT, Some(cell)) => {
                let parts = columns.state();
                let state = ends.get(cell * parts..(cell + 1) * parts).unwrap_or_default();
                let skipped = 1 + usize::from(columns.skipped);
                (self.cell(cell), self.coefficients.get(skipped..).unwrap_or_default(), state)
            }
        }
    }

    #[inline(always)]
    fn expression<const SIDE: bool>(&self, b: &B, i: usize) -> B::Expression<5> {
        let (public, coefficients, wires) = self.factor::<SIDE>(i);
        b.linear::<5>(public, coefficients, wires)
    }

    /// Commits to the product of the `n` factors of a side; none if there are no factors.
    fn product<const SIDE: bool>(&self, b: &mut B, n: usize) -> Result<Option<B::ScalarWire>, B::Error> {
        let mut last = None;
        let mut before = B::Expression::<5>::constant(B::embed(F::ONE));
        for i in (0..n).step_by(3) {
            let product = if n - i >= 3 {
                // Written out, so that the compiler leaves out what it knows to be zero. Only the last
                // multiplication has to wait for the product before.
                let product = self.expression::<SIDE>(b, i) * self.expression::<SIDE>(b, i + 1);
                product * self.expression::<SIDE>(b, i + 2) * before
            } else {
                (i..n).fold(before, |product, i| product * self.expression::<SIDE>(b, i))
            };
            let committed = b.one_scalar(b.peek_expression(&product))?;
            before = b.scalar::<5>(&committed);
            b.claim(product - before)?;
            last = Some(committed);
        }
        Ok(last)
    }

    /// The product of the factors of what is public at first.
    fn first(&self) -> B::Scalar {
        let Wires { columns, size, contents, .. } = self.wires;
        let held = contents.public().iter().enumerate();
        let product = held.fold(B::embed(F::ONE), |product, (cell, value)| {
            product * (self.cell(cell) + self.value * B::embed(*value) + self.set)
        });
        let product = (contents.len()..*size).fold(product, |product, cell| product * self.cell(cell));
        // The sink is set.
        if columns.skipped { product * (self.cell(*size) + self.set) } else { product }
    }

    /// Claims that the products are equal.
    pub(super) fn claim(&self, b: &mut B) -> Result<(), B::Error> {
        let Wires { columns, size, contents, .. } = self.wires;
        let (accesses, cells) = (self.accesses, size + usize::from(columns.skipped));
        let first = self.first();
        let out = self.product::<OUT>(b, accesses + cells)?;
        let produced = match self.product::<IN>(b, accesses + contents.committed().len())? {
            Some(produced) => b.scalar::<2>(&produced),
            None => B::Expression::<2>::constant(B::embed(F::ONE)),
        };
        match out {
            Some(out) => b.claim(b.scalar::<2>(&out) - produced.scale(first)),
            None => Err(Error::misuse("a memory without cells").into()),
        }
    }
}
