//! V's backend.

use volery_circuit::{Backend, Ops};
use volery_field::{F2, Gf128};
use zeroize::Zeroize;

use super::TABLE_BYTES;
use super::tables::{PORTION, Source, decode};
use crate::Error;
use crate::hash::{AHEAD, Keys, Pair};

/// A wire at the evaluator: one of its two labels.
#[derive(Clone, Copy, Default)]
pub struct ActiveWire(Gf128);

impl Zeroize for ActiveWire {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl ActiveWire {
    /// A wire with this label.
    #[inline(always)]
    #[must_use]
    pub fn new(label: Gf128) -> Self {
        Self(label)
    }

    /// The label.
    #[inline(always)]
    #[must_use]
    pub fn label(&self) -> Gf128 {
        self.0
    }
}

/// Evaluates what is run on it.
pub struct Evaluator<'a> {
    keys: Keys,
    /// Tables that were read from the source.
    tables: Vec<u8>,
    /// Bytes of `tables` that are used.
    at: usize,
    source: &'a mut dyn Source,
    failed: Option<Error>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator whose first AND gate has number `first`; tables come from `source`. `start` and `first` are those of the
    /// [`Garbler`](super::Garbler).
    pub fn new(start: [u8; 16], first: u64, source: &'a mut dyn Source) -> Self {
        let tables = Vec::with_capacity(PORTION);
        Self { keys: Keys::new(start, first), tables, at: 0, source, failed: None }
    }

    /// Ends the run; returns the number of the next gate.
    ///
    /// # Errors
    /// [`Error::Misuse`] if tables are left of those that were read; an error of an earlier call that the function has
    /// swallowed.
    pub fn finish(mut self) -> Result<u64, Error> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.at != self.tables.len() {
            return Err(Error::misuse("a circuit with fewer gates than were garbled"));
        }
        Ok(self.keys.gate())
    }

    /// Tables that can be used before the next [`Evaluator::renew`].
    #[inline(always)]
    fn ready(&self) -> usize {
        self.keys.ready().min((self.tables.len() - self.at) / TABLE_BYTES)
    }

    /// Makes at least one gate ready; call it when none is.
    #[cold]
    #[inline(never)]
    fn renew(&mut self) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = self.try_renew();
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }

    fn try_renew(&mut self) -> Result<(), Error> {
        if self.at == self.tables.len() {
            // Before the tables, which are whatever the source leaves after an error.
            self.at = 0;
            let result = self.source.next(&mut self.tables);
            if result.is_err() || self.tables.is_empty() || !self.tables.len().is_multiple_of(TABLE_BYTES) {
                self.tables.clear();
                return result.and(Err(Error::misuse("a source of tables gave half a one, or none")));
            }
        }
        if self.keys.ready() == 0 {
            self.keys.renew()?;
        }
        Ok(())
    }

    /// The output's label, from the hashes of the inputs' labels and the next table.
    #[inline(always)]
    fn combine(&mut self, x: &ActiveWire, y: &ActiveWire, [[hx, hy]]: [Pair; 1]) -> ActiveWire {
        let table = self.tables.get(self.at..).and_then(<[u8]>::first_chunk);
        // `ready` has said that there is one.
        let [generator, evaluator] = table.map_or([Gf128::ZERO; 2], decode);
        self.at += TABLE_BYTES;
        ActiveWire(hx + generator * x.0.lsb() + hy + (evaluator + x.0) * y.0.lsb())
    }
}

impl Backend for Evaluator<'_> {
    type Error = Error;
}

impl Ops<F2> for Evaluator<'_> {
    type Wire = ActiveWire;

    #[inline(always)]
    fn constant(&mut self, _c: F2) -> ActiveWire {
        ActiveWire(Gf128::ZERO)
    }

    #[inline(always)]
    fn add(&mut self, x: &ActiveWire, y: &ActiveWire) -> ActiveWire {
        ActiveWire(x.0 + y.0)
    }

    #[inline(always)]
    fn sub(&mut self, x: &ActiveWire, y: &ActiveWire) -> ActiveWire {
        ActiveWire(x.0 + y.0)
    }

    #[inline(always)]
    fn add_constant(&mut self, x: &ActiveWire, _c: F2) -> ActiveWire {
        *x
    }

    #[inline(always)]
    fn scale(&mut self, x: &ActiveWire, c: F2) -> ActiveWire {
        ActiveWire(x.0 * c)
    }

    #[inline(always)]
    fn mul(&mut self, x: &ActiveWire, y: &ActiveWire) -> Result<ActiveWire, Error> {
        if self.ready() == 0 {
            self.renew()?;
        }
        let mut gate = [[[x.0, y.0]]];
        self.keys.hash(&mut gate);
        let [hashes] = gate;
        Ok(self.combine(x, y, hashes))
    }

    fn mul_many(&mut self, x: &[ActiveWire], y: &[ActiveWire]) -> Result<Vec<ActiveWire>, Error> {
        super::same_length(x.len(), y.len())?;
        let mut out = Vec::with_capacity(x.len());
        let (mut x, mut y) = (x, y);
        while !x.is_empty() {
            if self.ready() == 0 {
                self.renew()?;
            }
            let n = self.ready().min(x.len());
            let (x_now, y_now);
            ((x_now, x), (y_now, y)) = (x.split_at(n), y.split_at(n));
            let mut gates = [[[Gf128::ZERO; 2]; 1]; AHEAD];
            for (gate, (x, y)) in gates.iter_mut().zip(x_now.iter().zip(y_now)) {
                *gate = [[x.0, y.0]];
            }
            self.keys.hash(&mut gates[..n]);
            for (gate, (x, y)) in gates.iter().zip(x_now.iter().zip(y_now)) {
                out.push(self.combine(x, y, *gate));
            }
        }
        Ok(out)
    }
}
