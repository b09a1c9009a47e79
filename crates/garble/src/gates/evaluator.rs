//! The evaluator (V): a backend that holds one label of each wire and reads one table for each AND gate.

use std::marker::PhantomData;

use volery_channel::{Latch, tags};
use volery_circuit::{Backend, Ops};
use volery_field::{F2, Gf128};
use zeroize::Zeroize;

use super::Scheme;
use super::s_box::{self, HALF, IN_A_TABLE, Masked, Scratch};
use super::tables::{PORTION, TableSource};
use crate::Error;
use crate::hash::{AHEAD, Keys};

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

/// Evaluates a function run on it; `S` is the scheme for AND gates.
pub struct GateEvaluator<'a, S> {
    keys: Keys,
    /// Tables that were read from the source.
    tables: Vec<u8>,
    /// The number of used bytes of `tables`.
    at: usize,
    /// Whether S-boxes are garbled one-hot.
    one_hot: bool,
    /// Room for an S-box, once there was one.
    scratch: Option<Box<Scratch>>,
    source: &'a mut dyn TableSource,
    failed: Latch<Error>,
    scheme: PhantomData<S>,
}

impl<'a, S: Scheme> GateEvaluator<'a, S> {
    /// An evaluator whose first pair of keys has number `first`. Tables come from `source`. `start` and
    /// `first` must be those of the [`GateGarbler`](super::GateGarbler).
    pub fn new(start: [u8; 16], first: u64, source: &'a mut dyn TableSource) -> Self {
        let tables = Vec::with_capacity(PORTION);
        Self {
            keys: Keys::new(start, first),
            tables,
            at: 0,
            one_hot: false,
            scratch: None,
            source,
            failed: Latch::new(),
            scheme: PhantomData,
        }
    }

    /// See [`GateGarbler::with_one_hot`](super::GateGarbler::with_one_hot).
    #[must_use]
    pub fn with_one_hot(mut self, one_hot: bool) -> Self {
        self.one_hot = S::ONE_HOT && one_hot;
        self
    }

    /// Continues with another kernel, which must be available.
    #[cfg(test)]
    pub(super) fn set_level(&mut self, level: volery_vole::AesLevel, start: [u8; 16]) {
        self.keys = Keys::with_level(level, start, self.keys.number());
    }

    /// Ends the run. Returns the number of the next pair of keys.
    ///
    /// # Errors
    /// [`Error::Misuse`] if not all tables that were read were used; an error of an earlier call that the
    /// function ignored.
    pub fn finish(self) -> Result<u64, Error> {
        self.failed.check()?;
        if self.at != self.tables.len() {
            return Err(Error::misuse("the circuit has fewer gates than were garbled"));
        }
        Ok(self.keys.number())
    }

    /// Whether there are keys and a table for one more gate. Keys are made for a whole number of gates at a
    /// time.
    #[inline(always)]
    fn is_ready(&self) -> bool {
        self.keys.ready() > 0 && self.at < self.tables.len()
    }

    /// Makes at least one gate ready. Call it when none is.
    #[cold]
    #[inline(never)]
    fn renew(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.try_renew();
        self.failed.latch(result)
    }

    fn try_renew(&mut self) -> Result<(), Error> {
        if self.at == self.tables.len() {
            // This comes before the tables, because after an error the source may leave anything there.
            self.at = 0;
            let result = self.source.next(S::TABLE_BYTES, &mut self.tables);
            if result.is_err() || self.tables.is_empty() || !self.tables.len().is_multiple_of(S::TABLE_BYTES)
            {
                self.tables.clear();
                return result.and(Err(Error::misuse("a source of tables returned none or a part of one")));
            }
        }
        if self.keys.ready() == 0 {
            self.keys.renew()?;
        }
        Ok(())
    }

    /// The next tables. The caller has checked `is_ready`.
    #[inline(always)]
    fn tables(&self) -> &[u8] {
        self.tables.get(self.at..).unwrap_or_default()
    }
}

impl<S: Scheme> Backend for GateEvaluator<'_, S> {
    type Error = Error;
}

impl<S: Scheme> Ops<F2> for GateEvaluator<'_, S> {
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
        if !self.is_ready() {
            self.renew()?;
        }
        let table = self.tables.get(self.at..).unwrap_or_default();
        if let Some(product) = S::evaluate_in_registers(&mut self.keys, &x.0, &y.0, table) {
            self.at += S::TABLE_BYTES;
            return Ok(ActiveWire(product));
        }
        let mut labels = [[[Gf128::ZERO; 2]; 1]; 2];
        let labels = &mut labels[..S::PAIRS];
        S::evaluator_labels(x.0, y.0, labels);
        self.keys.hash(labels);
        let table = self.tables().get(..S::TABLE_BYTES).unwrap_or_default();
        let product = S::evaluate(x.0, y.0, labels, table);
        self.at += S::TABLE_BYTES;
        Ok(ActiveWire(product))
    }

    fn substitute(&mut self, x: &[ActiveWire; 8]) -> Result<Option<[ActiveWire; 8]>, Error> {
        if !S::ONE_HOT || !self.one_hot {
            return Ok(None);
        }
        self.failed.check()?;
        let mut scratch = self.scratch.take().unwrap_or_default();
        let result = s_box::substitute(self, &mut scratch, x);
        self.scratch = Some(scratch);
        self.failed.latch(result).map(Some)
    }

    fn mul_many(&mut self, x: &[ActiveWire], y: &[ActiveWire]) -> Result<Vec<ActiveWire>, Error> {
        super::same_length(x.len(), y.len())?;
        let mut out = Vec::with_capacity(x.len());
        let (mut x, mut y) = (x, y);
        while let (Some((first_x, rest_x)), Some((first_y, rest_y))) = (x.split_first(), y.split_first()) {
            if !self.is_ready() {
                self.renew()?;
            }
            let table = self.tables.get(self.at..).unwrap_or_default();
            let product = S::evaluate_in_registers(&mut self.keys, &first_x.0, &first_y.0, table);
            if let Some(product) = product {
                self.at += S::TABLE_BYTES;
                out.push(ActiveWire(product));
                (x, y) = (rest_x, rest_y);
                continue;
            }
            let tables = self.tables().len() / S::TABLE_BYTES;
            let n = (self.keys.ready() / S::PAIRS).min(tables).min(x.len());
            let (x_now, y_now);
            ((x_now, x), (y_now, y)) = (x.split_at(n), y.split_at(n));
            let mut labels = [[[Gf128::ZERO; 2]; 1]; AHEAD];
            let labels = &mut labels[..n * S::PAIRS];
            for (labels, (x, y)) in labels.chunks_exact_mut(S::PAIRS).zip(x_now.iter().zip(y_now)) {
                S::evaluator_labels(x.0, y.0, labels);
            }
            self.keys.hash(labels);
            let tables = self.tables().chunks_exact(S::TABLE_BYTES);
            let hashes = labels.chunks_exact(S::PAIRS);
            for ((hashes, table), (x, y)) in hashes.zip(tables).zip(x_now.iter().zip(y_now)) {
                out.push(ActiveWire(S::evaluate(x.0, y.0, hashes, table)));
            }
            self.at += n * S::TABLE_BYTES;
        }
        Ok(out)
    }
}

impl<S: Scheme> s_box::Side for GateEvaluator<'_, S> {
    fn wire(label: Gf128) -> ActiveWire {
        ActiveWire(label)
    }

    fn label(wire: &ActiveWire) -> Gf128 {
        wire.0
    }

    fn masked(&self, label: Gf128) -> Masked {
        Masked { label, bit: usize::from(label.lsb().to_u8()) }
    }

    fn colour(&self, _label: Gf128) -> Gf128 {
        Gf128::ZERO
    }

    fn one(&self) -> Gf128 {
        Gf128::ZERO
    }

    fn keys(&mut self) -> &mut Keys {
        &mut self.keys
    }

    fn begin(&mut self) -> Result<[u8; HALF], Error> {
        let mut ciphertexts = [0; HALF];
        for part in ciphertexts.chunks_mut(IN_A_TABLE) {
            if self.at == self.tables.len() {
                self.try_renew()?;
            }
            let table = self.tables().get(..S::TABLE_BYTES).unwrap_or_default();
            let (now, rest) = table.split_at_checked(part.len()).unwrap_or_default();
            // There is one encoding of each ciphertext.
            if now.len() != part.len() || rest.iter().any(|bits| *bits != 0) {
                let reason = "an S-box's ciphertexts with bits between them";
                return Err(Error::malformed(tags::GARBLED_TABLES, reason));
            }
            part.copy_from_slice(now);
            self.at += S::TABLE_BYTES;
        }
        Ok(ciphertexts)
    }

    fn exchange(ciphertext: &mut [u8; 16], sum: Gf128) -> Gf128 {
        Gf128::from_bytes(*ciphertext) + sum
    }

    fn end(&mut self, _ciphertexts: &[u8; HALF]) {}
}
