//! P's backend.

use volery_circuit::{Backend, Ops};
use volery_field::{F2, Gf128};
use volery_vole::Delta;
use zeroize::{Zeroize, Zeroizing};

use super::tables::{PORTION, Sink, encode};
use crate::Error;
use crate::hash::{AHEAD, Keys, Pair};

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

/// Garbles what is run on it.
pub struct Garbler<'a> {
    offset: Zeroizing<Gf128>,
    keys: Keys,
    /// Tables that have not gone on.
    tables: Vec<u8>,
    sink: &'a mut dyn Sink,
    failed: Option<Error>,
}

impl<'a> Garbler<'a> {
    /// A garbler under `offset` whose first AND gate has number `first`; tables go to `sink`. `start` is the session's start
    /// point of the hash (see the module `hash`): 16 bytes from a source that nobody controls, with 128 bits of entropy.
    ///
    /// A number must never be used twice under one offset, whatever the circuit.
    pub fn new(offset: &Delta, start: [u8; 16], first: u64, sink: &'a mut dyn Sink) -> Self {
        Self {
            offset: Zeroizing::new(offset.expose()),
            keys: Keys::new(start, first),
            tables: Vec::with_capacity(PORTION + AHEAD * super::TABLE_BYTES),
            sink,
            failed: None,
        }
    }

    /// Hands the last tables on; returns the number of the next gate.
    ///
    /// # Errors
    /// The sink's, also those of an earlier call that the function has swallowed.
    pub fn finish(mut self) -> Result<u64, Error> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.sink.put(&self.tables)?;
        Ok(self.keys.gate())
    }

    /// Makes at least one key ready; call it when none is.
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
        if self.tables.len() >= PORTION {
            self.sink.put(&self.tables)?;
            self.tables.clear();
        }
        self.keys.renew()
    }

    /// The labels whose hashes a gate needs.
    #[inline(always)]
    fn labels(&self, x: &ZeroWire, y: &ZeroWire) -> [Pair; 2] {
        let offset = *self.offset;
        [[x.0, y.0], [x.0 + offset, y.0 + offset]]
    }

    /// The output's label of 0, from those hashes; the table is appended.
    #[inline(always)]
    fn combine(&mut self, x: &ZeroWire, y: &ZeroWire, [[x0, y0], [x1, y1]]: [Pair; 2]) -> ZeroWire {
        let (a, b) = (x.0.lsb(), y.0.lsb());
        let generator = x0 + x1 + *self.offset * b;
        let evaluator = y0 + y1 + x.0;
        self.tables.extend_from_slice(&encode([generator, evaluator]));
        ZeroWire(x0 + generator * a + y0 + (evaluator + x.0) * b)
    }
}

impl Backend for Garbler<'_> {
    type Error = Error;
}

impl Ops<F2> for Garbler<'_> {
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
        if self.keys.ready() == 0 {
            self.renew()?;
        }
        let mut gate = [self.labels(x, y)];
        self.keys.hash(&mut gate);
        let [hashes] = gate;
        Ok(self.combine(x, y, hashes))
    }

    fn mul_many(&mut self, x: &[ZeroWire], y: &[ZeroWire]) -> Result<Vec<ZeroWire>, Error> {
        super::same_length(x.len(), y.len())?;
        let mut out = Vec::with_capacity(x.len());
        let (mut x, mut y) = (x, y);
        while !x.is_empty() {
            if self.keys.ready() == 0 {
                self.renew()?;
            }
            let n = self.keys.ready().min(x.len());
            let (x_now, y_now);
            ((x_now, x), (y_now, y)) = (x.split_at(n), y.split_at(n));
            let mut gates = [[[Gf128::ZERO; 2]; 2]; AHEAD];
            for (gate, (x, y)) in gates.iter_mut().zip(x_now.iter().zip(y_now)) {
                *gate = self.labels(x, y);
            }
            self.keys.hash(&mut gates[..n]);
            for (gate, (x, y)) in gates.iter().zip(x_now.iter().zip(y_now)) {
                out.push(self.combine(x, y, *gate));
            }
        }
        Ok(out)
    }
}
