//! The garbler (P): a backend that holds the zero label of each wire and writes one table for each AND gate.

use std::marker::PhantomData;

use volery_channel::Latch;
use volery_circuit::{Backend, Ops};
use volery_field::{F2, Gf128};
use volery_vole::Delta;
use zeroize::{Zeroize, Zeroizing};

use super::Scheme;
use super::s_box::{self, HALF, IN_A_TABLE, Masked, Scratch};
use super::tables::{PORTION, TableSink};
use crate::Error;
use crate::hash::{AHEAD, Keys};

/// A wire at the garbler: the label of 0.
#[derive(Clone, Copy, Default)]
pub struct ZeroWire(Gf128);

impl Zeroize for ZeroWire {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl ZeroWire {
    /// A wire with this label of 0.
    #[inline(always)]
    #[must_use]
    pub fn new(label: Gf128) -> Self {
        Self(label)
    }

    /// The label of 0.
    #[inline(always)]
    #[must_use]
    pub fn label(&self) -> Gf128 {
        self.0
    }
}

/// Garbles a function run on it; `S` is the scheme for AND gates.
pub struct GateGarbler<'a, S> {
    offset: Zeroizing<Gf128>,
    keys: Keys,
    /// Tables that the sink has not received yet.
    tables: Vec<u8>,
    s_boxes: u64,
    /// Whether S-boxes are garbled one-hot.
    one_hot: bool,
    /// Room for an S-box, once there was one.
    scratch: Option<Box<Scratch>>,
    sink: &'a mut dyn TableSink,
    failed: Latch<Error>,
    scheme: PhantomData<S>,
}

impl<'a, S: Scheme> GateGarbler<'a, S> {
    /// A garbler under `offset` whose first pair of keys has number `first`. Tables go to `sink`. `start` is
    /// the session's start point of the hash (see the module `hash`): 16 bytes from a source that nobody
    /// controls, with 128 bits of entropy.
    ///
    /// A number must never be used twice under one offset, whatever the circuit.
    pub fn new(offset: &Delta, start: [u8; 16], first: u64, sink: &'a mut dyn TableSink) -> Self {
        Self {
            offset: Zeroizing::new(offset.expose()),
            keys: Keys::new(start, first),
            // Beyond a portion, gates under the keys of one expansion, and half of an S-box.
            tables: Vec::with_capacity(PORTION + (AHEAD + HALF / IN_A_TABLE) * S::TABLE_BYTES),
            s_boxes: 0,
            one_hot: false,
            scratch: None,
            sink,
            failed: Latch::new(),
            scheme: PhantomData,
        }
    }

    /// Continues with another kernel, which must be available.
    #[cfg(test)]
    pub(super) fn set_level(&mut self, level: volery_vole::AesLevel, start: [u8; 16]) {
        self.keys = Keys::with_level(level, start, self.keys.number());
    }

    /// Whether to garble S-boxes of AES one-hot, in fewer bytes and more time than by their circuit. The
    /// evaluator must do the same. Only [`ThreeHalves`](super::ThreeHalves) can; in another scheme this
    /// changes nothing.
    #[must_use]
    pub fn with_one_hot(mut self, one_hot: bool) -> Self {
        self.one_hot = S::ONE_HOT && one_hot;
        self
    }

    /// The number of S-boxes of AES garbled so far.
    pub(crate) fn s_boxes(&self) -> u64 {
        self.s_boxes
    }

    /// Passes on the last tables. Returns the number of the next pair of keys.
    ///
    /// # Errors
    /// The sink's, including those of an earlier call that the function ignored.
    pub fn finish(self) -> Result<u64, Error> {
        self.failed.check()?;
        self.sink.put(&self.tables)?;
        Ok(self.keys.number())
    }

    /// Makes at least one key ready. Call it when none is.
    #[cold]
    #[inline(never)]
    fn renew(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.try_renew();
        self.failed.latch(result)
    }

    fn try_renew(&mut self) -> Result<(), Error> {
        self.pass_on()?;
        self.keys.renew()
    }

    /// Passes on tables if there are enough.
    fn pass_on(&mut self) -> Result<(), Error> {
        if self.tables.len() >= PORTION {
            self.sink.put(&self.tables)?;
            self.tables.clear();
        }
        Ok(())
    }
}

impl<S: Scheme> Backend for GateGarbler<'_, S> {
    type Error = Error;
}

impl<S: Scheme> Ops<F2> for GateGarbler<'_, S> {
    type Wire = ZeroWire;

    #[inline(always)]
    fn constant(&mut self, c: F2) -> ZeroWire {
        ZeroWire(*self.offset * c)
    }

    #[inline(always)]
    fn add(&mut self, x: &ZeroWire, y: &ZeroWire) -> ZeroWire {
        ZeroWire(x.0 + y.0)
    }

    #[inline(always)]
    fn sub(&mut self, x: &ZeroWire, y: &ZeroWire) -> ZeroWire {
        ZeroWire(x.0 + y.0)
    }

    #[inline(always)]
    fn add_constant(&mut self, x: &ZeroWire, c: F2) -> ZeroWire {
        ZeroWire(x.0 + *self.offset * c)
    }

    #[inline(always)]
    fn scale(&mut self, x: &ZeroWire, c: F2) -> ZeroWire {
        ZeroWire(x.0 * c)
    }

    #[inline(always)]
    fn mul(&mut self, x: &ZeroWire, y: &ZeroWire) -> Result<ZeroWire, Error> {
        // Keys are made for a whole number of gates at a time.
        if self.keys.ready() == 0 {
            self.renew()?;
        }
        let product = S::garble_in_registers(&mut self.keys, &x.0, &y.0, &self.offset, &mut self.tables);
        if let Some(product) = product {
            return Ok(ZeroWire(product));
        }
        let mut labels = [[[Gf128::ZERO; 2]; 2]; 2];
        let labels = &mut labels[..S::PAIRS];
        S::garbler_labels(x.0, y.0, *self.offset, labels);
        self.keys.hash(labels);
        Ok(ZeroWire(S::garble(x.0, y.0, *self.offset, labels, &mut self.tables)))
    }

    /// Counted also if the circuit is garbled, for the proof, which has a way of its own.
    fn substitute(&mut self, x: &[ZeroWire; 8]) -> Result<Option<[ZeroWire; 8]>, Error> {
        self.s_boxes += 1;
        if !S::ONE_HOT || !self.one_hot {
            return Ok(None);
        }
        self.failed.check()?;
        let mut scratch = self.scratch.take().unwrap_or_default();
        let result = s_box::substitute(self, &mut scratch, x);
        self.scratch = Some(scratch);
        self.failed.latch(result).map(Some)
    }

    fn mul_many(&mut self, x: &[ZeroWire], y: &[ZeroWire]) -> Result<Vec<ZeroWire>, Error> {
        super::same_length(x.len(), y.len())?;
        let mut out = Vec::with_capacity(x.len());
        let (mut x, mut y) = (x, y);
        while let (Some((first_x, rest_x)), Some((first_y, rest_y))) = (x.split_first(), y.split_first()) {
            if self.keys.ready() == 0 {
                self.renew()?;
            }
            let (offset, tables) = (&self.offset, &mut self.tables);
            let product = S::garble_in_registers(&mut self.keys, &first_x.0, &first_y.0, offset, tables);
            if let Some(product) = product {
                out.push(ZeroWire(product));
                (x, y) = (rest_x, rest_y);
                continue;
            }
            let n = (self.keys.ready() / S::PAIRS).min(x.len());
            let (x_now, y_now);
            ((x_now, x), (y_now, y)) = (x.split_at(n), y.split_at(n));
            let mut labels = [[[Gf128::ZERO; 2]; 2]; AHEAD];
            let labels = &mut labels[..n * S::PAIRS];
            for (labels, (x, y)) in labels.chunks_exact_mut(S::PAIRS).zip(x_now.iter().zip(y_now)) {
                S::garbler_labels(x.0, y.0, *self.offset, labels);
            }
            self.keys.hash(labels);
            for (hashes, (x, y)) in labels.chunks_exact(S::PAIRS).zip(x_now.iter().zip(y_now)) {
                out.push(ZeroWire(S::garble(x.0, y.0, *self.offset, hashes, &mut self.tables)));
            }
        }
        Ok(out)
    }
}

impl<S: Scheme> s_box::Side for GateGarbler<'_, S> {
    fn wire(label: Gf128) -> ZeroWire {
        ZeroWire(label)
    }

    fn label(wire: &ZeroWire) -> Gf128 {
        wire.0
    }

    fn masked(&self, label: Gf128) -> Masked {
        Masked { label: label + self.colour(label), bit: 0 }
    }

    fn colour(&self, label: Gf128) -> Gf128 {
        *self.offset * label.lsb()
    }

    fn one(&self) -> Gf128 {
        *self.offset
    }

    fn keys(&mut self) -> &mut Keys {
        &mut self.keys
    }

    fn begin(&mut self) -> Result<[u8; HALF], Error> {
        self.pass_on()?;
        Ok([0; HALF])
    }

    fn exchange(ciphertext: &mut [u8; 16], sum: Gf128) -> Gf128 {
        *ciphertext = sum.to_bytes();
        Gf128::ZERO
    }

    /// As tables that have no bits of their own.
    fn end(&mut self, ciphertexts: &[u8; HALF]) {
        for part in ciphertexts.chunks(IN_A_TABLE) {
            self.tables.extend_from_slice(part);
            self.tables.resize(self.tables.len() + S::TABLE_BYTES - part.len(), 0);
        }
    }
}
