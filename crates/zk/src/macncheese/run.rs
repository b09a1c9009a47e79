//! A run: one program on commitments, at P or at V, alone or as a branch.
//!
//! It implements [`Ops`] and [`Prove`], so that any statement runs on it, and [`CommitProve`], so that the
//! protocols of this module do. At P it *writes* if it is the root or the branch that holds: its values go
//! into pieces and rounds. A run that does not write computes with whatever others wrote: its values are
//! garbage, its hints do not run, its assertions are queries that nobody looks at alone. Either does the same
//! arithmetic on wires: values are selected by a mask. Not the same are hints, the copy of what was written
//! into a piece, the comparison of asserted values with zero, and what thresholds below a run do for those
//! that write (see `stack`).

use std::sync::Arc;

use volery_channel::Latch;
use volery_circuit::{Backend, Error as StatementError, Hint, Ops, Peek, Place, Prove};
use volery_field::Ring;
use volery_vole::Prg;
use zeroize::{Zeroize, Zeroizing};

use super::Settings;
use super::block::{Block, CHUNK};
use super::half::{Half, Mask, Wide, mask};
use super::instructions::CommitProve;
use super::link::{Ask, Length, Link, Piece, Round};
use super::multiply;
use super::tally::{Counters, Tally};
use crate::Error;

/// The place of the next element of each kind in the current round.
#[derive(Clone, Copy, Default)]
struct Cursor {
    fix: usize,
    random: usize,
    send: usize,
    fix_value: usize,
    random_value: usize,
    send_value: usize,
}

/// A program's backend; see the module's documentation.
pub struct Run<'a, H: Half> {
    pub(super) half: H,
    pub(super) settings: Settings,
    pub(super) link: &'a mut dyn Link<H>,
    /// All ones if this run's values are what P sends.
    pub(super) write: Mask,
    /// Whether runs beside this one share its pieces.
    pub(super) shared: bool,
    /// Branches that may be alive below this run.
    pub(super) budget: usize,
    pub(super) counters: Arc<Counters>,
    /// P's own random choices.
    pub(super) prg: Option<Prg>,
    place: Place,
    /// A backend that has failed stays failed, even if its statement ignores the error.
    pub(super) failed: Latch<Error>,
    /// The piece whose commitments are in `window`, of which `next` are used.
    piece: Option<Arc<Piece<H>>>,
    window: Vec<H::Wire>,
    next: usize,
    /// Free slots of the block when the piece came.
    room: usize,
    block: Block<H>,
    /// Wires claimed to be zero since the last check.
    asserted: Vec<H::Wire>,
    /// Linear queries since the last check.
    queries: Vec<Wide<H::Mac>>,
    /// The combination of all queries before (figure 5).
    query: Wide<H::Mac>,
    round: Option<Box<Round<H>>>,
    /// P's values in the check of a block.
    pub(super) values: multiply::Fold<H>,
    cursor: Cursor,
    /// Counts not yet in `counters`.
    counted: Tally,
}

/// A run over another run's link.
pub(super) struct Setting<H: Half> {
    pub(super) half: H,
    pub(super) settings: Settings,
    pub(super) writes: bool,
    pub(super) shared: bool,
    pub(super) budget: usize,
    pub(super) counters: Arc<Counters>,
    pub(super) prg: Option<Prg>,
}

impl<'a, H: Half> Run<'a, H> {
    pub(super) fn new(setting: Setting<H>, link: &'a mut dyn Link<H>) -> Self {
        let Setting { half, settings, writes, shared, budget, counters, prg } = setting;
        Self {
            half,
            settings,
            link,
            write: mask(writes),
            shared,
            budget,
            counters,
            prg,
            place: Place::default(),
            failed: Latch::new(),
            piece: None,
            window: Vec::new(),
            next: 0,
            room: 0,
            block: Block::default(),
            asserted: Vec::new(),
            queries: Vec::new(),
            query: Wide::default(),
            round: None,
            values: multiply::Fold::default(),
            cursor: Cursor::default(),
            counted: Tally::default(),
        }
    }

    /// Ends the run: everything is checked down to one linear query, which this returns.
    pub(super) fn close(mut self) -> Result<Wide<H::Mac>, Error> {
        self.failed.check()?;
        self.check()?;
        Ok(self.query)
    }

    /// Whether this run's values are what P sends.
    pub(super) fn writes(&self) -> bool {
        self.write != 0
    }

    /// What `act` writes counts where `condition` holds, and only there.
    pub(super) fn writing_where<T>(&mut self, condition: bool, act: impl FnOnce(&mut Self) -> T) -> T {
        let write = self.write;
        self.write = write & mask(condition);
        let result = act(self);
        self.write = write;
        result
    }

    pub(super) fn count(&mut self, more: Tally) {
        self.counters.add(more);
    }

    /// Gives the piece back: what was used of it.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        self.counters.add(core::mem::take(&mut self.counted));
        let Some(mut piece) = self.piece.take() else { return Ok(()) };
        if self.writes() {
            // The writer is the first to have the piece, so it is the only one.
            let Some(own) = Arc::get_mut(&mut piece) else {
                return Err(StatementError::misuse("a piece was read before it was written").into());
            };
            own.wires[..self.next].copy_from_slice(&self.window[..self.next]);
        }
        self.block.end_piece(piece.clone(), self.next);
        let used = core::mem::take(&mut self.next);
        self.window.clear();
        self.link.settle(piece, used)
    }

    /// Gets the next piece; call it when nothing of the last one is left.
    #[cold]
    #[inline(never)]
    fn prepare(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.try_prepare();
        self.failed.latch(result)
    }

    fn try_prepare(&mut self) -> Result<(), Error> {
        if let Some(piece) = &self.piece {
            piece.exhausted(self.room)?;
        }
        self.settle()?;
        if self.block.len() >= self.settings.block_len() {
            self.check()?;
        }
        let piece = self.link.piece(self.shared, Length::of(1))?;
        self.room = self.settings.block_len() - self.block.len();
        let room = self.room;
        self.window.extend_from_slice(&piece.wires[..piece.wires.len().min(room)]);
        self.piece = Some(piece);
        Ok(())
    }

    /// Checks the block and combines all queries into one.
    fn check(&mut self) -> Result<(), Error> {
        self.settle()?;
        if self.block.is_empty() && self.asserted.is_empty() && self.queries.is_empty() {
            return Ok(());
        }
        let mut block = core::mem::take(&mut self.block);
        let seed = multiply::check(self, &block)?;
        block.clear();
        self.block = block;
        self.combine(seed)
    }

    /// Ends the block early if there are as many queries as commitments fill one.
    pub(super) fn check_queries(&mut self) -> Result<(), Error> {
        if self.queries.len() < self.settings.block_len() { Ok(()) } else { self.check() }
    }

    /// Adds all queries, with the seed's coefficients, to the one that there is (figure 5, a block at a
    /// time).
    fn combine(&mut self, seed: [u8; 16]) -> Result<(), Error> {
        let mut prg = Prg::new(seed);
        let mut chi = vec![H::Mac::ZERO; CHUNK.min(self.asserted.len().max(self.queries.len()))];
        for asserted in self.asserted.chunks(CHUNK) {
            let chi = &mut chi[..asserted.len()];
            prg.coefficients(chi);
            self.query += H::combine(asserted, chi)?;
        }
        for queries in self.queries.chunks(CHUNK) {
            let chi = &mut chi[..queries.len()];
            prg.coefficients(chi);
            queries.iter().zip(chi).for_each(|(query, chi)| self.query += query.times(*chi));
        }
        self.asserted.zeroize();
        self.queries.zeroize();
        Ok(())
    }

    fn no_more<T>(&self) -> Result<T, Error> {
        Err(StatementError::misuse("a protocol takes more from a round than it asked for").into())
    }
}

impl<H: Half> Drop for Run<'_, H> {
    fn drop(&mut self) {
        self.window.zeroize();
        self.asserted.zeroize();
        self.queries.zeroize();
        self.query.zeroize();
    }
}

macro_rules! next {
    ($self:ident, $part:ident . $kind:ident, $cursor:ident) => {{
        let at = $self.cursor.$cursor;
        $self.cursor.$cursor += 1;
        $self.round.as_mut().and_then(|round| round.$part.$kind.get_mut(at))
    }};
}

impl<H: Half> CommitProve<H> for Run<'_, H> {
    fn half(&self) -> &H {
        &self.half
    }

    fn begin(&mut self, ask: Ask) -> Result<(), Error> {
        self.settle()?;
        self.cursor = Cursor::default();
        self.round = Some(self.link.round(ask)?);
        Ok(())
    }

    fn random(&mut self) -> Result<Wide<H::Mac>, Error> {
        let Some(slot) = next!(self, wide.random, random) else { return self.no_more() };
        Ok(*slot)
    }

    fn fix(&mut self, x: H::Mac) -> Result<Wide<H::Mac>, Error> {
        use volery_field::Element;
        let write = self.write;
        let Some(slot) = next!(self, wide.fix, fix) else { return self.no_more() };
        slot.x = slot.x + (x - slot.x).masked(write);
        Ok(*slot)
    }

    fn send(&mut self, x: H::Mac) -> Result<H::Mac, Error> {
        use volery_field::Element;
        let write = self.write;
        let Some(slot) = next!(self, wide.send, send) else { return self.no_more() };
        *slot = *slot + (x - *slot).masked(write);
        Ok(*slot)
    }

    fn random_value(&mut self) -> Result<H::Wire, Error> {
        let Some(slot) = next!(self, narrow.random, random_value) else { return self.no_more() };
        Ok(*slot)
    }

    fn fix_value(&mut self, x: H::Value) -> Result<H::Wire, Error> {
        let write = self.write;
        let Some(slot) = next!(self, narrow.fix, fix_value) else { return self.no_more() };
        *slot = H::commit(write, *slot, x);
        Ok(*slot)
    }

    fn send_value(&mut self, x: H::Value) -> Result<H::Value, Error> {
        let write = self.write;
        let Some(slot) = next!(self, narrow.send, send_value) else { return self.no_more() };
        *slot = H::select(write, *slot, x);
        Ok(*slot)
    }

    fn query_zero(&mut self, x: Wide<H::Mac>) {
        self.queries.push(x);
    }

    fn challenge(&mut self) -> Result<[u8; 16], Error> {
        match self.round.take() {
            Some(round) => self.link.challenge(round),
            None => Err(StatementError::misuse("a challenge without a round").into()),
        }
    }
}

impl<H: Half> Backend for Run<'_, H> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.place.enter(part);
    }

    fn leave(&mut self) {
        self.place.leave();
    }
}

impl<H: Half> Ops<H::Value> for Run<'_, H> {
    type Wire = H::Wire;

    #[inline(always)]
    fn constant(&mut self, c: H::Value) -> H::Wire {
        self.half.constant(c)
    }

    #[inline(always)]
    fn add(&mut self, x: &H::Wire, y: &H::Wire) -> H::Wire {
        H::add(*x, *y)
    }

    #[inline(always)]
    fn sub(&mut self, x: &H::Wire, y: &H::Wire) -> H::Wire {
        H::sub(*x, *y)
    }

    #[inline(always)]
    fn add_constant(&mut self, x: &H::Wire, c: H::Value) -> H::Wire {
        H::add(*x, self.half.constant(c))
    }

    #[inline(always)]
    fn scale(&mut self, x: &H::Wire, c: H::Value) -> H::Wire {
        H::scale(*x, c)
    }

    #[inline(always)]
    fn mul(&mut self, x: &H::Wire, y: &H::Wire) -> Result<H::Wire, Error> {
        loop {
            if let Some(slot) = self.window.get_mut(self.next) {
                *slot = H::commit_product(self.write, *slot, *x, *y);
                #[cfg(test)]
                if multiply::cheat::wrong_product() {
                    *slot = H::commit(self.write, *slot, H::value(*slot) + H::Value::ONE);
                }
                let z = *slot;
                self.next += 1;
                self.block.push(*x, *y);
                self.counted.multiplications += 1;
                return Ok(z);
            }
            self.prepare()?;
        }
    }
}

impl<H: Half> Prove<H::Value> for Run<'_, H> {
    fn secret(&mut self, n: usize, hint: Hint<'_, H::Value, H::Wire>) -> Result<Vec<H::Wire>, Error> {
        let values = if self.writes() {
            let values = hint(&values::<H>()).map_err(Error::from);
            let values = Zeroizing::new(self.failed.latch(values)?);
            if values.len() != n {
                let reason = format!("a hint for {n} values gave {}", values.len());
                return self.failed.latch(Err(StatementError::misuse(reason).into()));
            }
            values
        } else {
            Zeroizing::new(Vec::new())
        };
        let one = self.half.constant(H::Value::ONE);
        let mut wires = Vec::new();
        for i in 0..n {
            let x = values.get(i).copied().unwrap_or(H::Value::ZERO);
            wires.push(loop {
                if let Some(slot) = self.window.get_mut(self.next) {
                    *slot = H::commit(self.write, *slot, x);
                    break *slot;
                }
                self.prepare()?;
            });
            self.next += 1;
            self.block.push(wires[i], one);
            self.counted.secrets += 1;
        }
        Ok(wires)
    }

    fn assert_zero(&mut self, x: &[H::Wire]) -> Result<(), Error> {
        for wire in x {
            // An honest P stops here: to go on would end in a rejection. The branch shows only that the claim
            // is false.
            if self.writes() && H::value(*wire) != H::Value::ZERO {
                let place = self.place.or("the statement").to_owned();
                let assertion = self.counters.read().assertions + self.counted.assertions;
                return self.failed.latch(Err(StatementError::Unsatisfied { assertion, place }.into()));
            }
            self.asserted.push(*wire);
            self.counted.assertions += 1;
        }
        if self.asserted.len() >= self.settings.block_len() {
            self.failed.check()?;
            let result = self.check();
            self.failed.latch(result)?;
        }
        Ok(())
    }
}

volery_circuit::polynomials_by_multiplying!([H: Half] H::Value, Run<'_, H>);

/// What hints and picks see at P.
pub(super) fn values<H: Half>() -> impl Peek<H::Value, H::Wire> {
    Values::<H>(core::marker::PhantomData)
}

struct Values<H>(core::marker::PhantomData<H>);

impl<H: Half> Peek<H::Value, H::Wire> for Values<H> {
    fn value(&self, wire: &H::Wire) -> H::Value {
        H::value(*wire)
    }
}
