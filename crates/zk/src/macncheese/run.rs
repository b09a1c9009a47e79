//! A run: one program on commitments, at P or at V, alone or as a branch.
//!
//! It implements [`Ops`] and [`Prove`], so any statement runs on it, and [`CommitProve`], so the protocols of
//! this module do. At P a run *writes* if it is the root or a branch that holds: its values go into pieces
//! and rounds. A run that does not write computes with whatever others wrote. Its values are garbage, its
//! hints do not run, and nobody looks at one of its assertions alone.
//!
//! Both kinds of runs do the same arithmetic on wires, because a mask selects the values. Four things differ:
//! hints; the copy of written values into a piece; the comparison of asserted values with zero; and the work
//! of a threshold for the branches that write (see `stack`).

use std::sync::Arc;

use volery_channel::Latch;
use volery_circuit::{Backend, Error as StatementError, Hint, Ops, Peek, Place, Prove};
use volery_field::{Ring, Wipe as _};
use volery_vole::Prg;
use zeroize::{Zeroize, Zeroizing};

use super::Settings;
use super::block::{Block, CHUNK};
use super::instructions::CommitProve;
use super::link::{Ask, Length, Link, Piece, Round};
use super::multiply;
use super::share::{Mask, Share, mask};
use super::tally::{Counters, Tally};
use crate::Error;
use crate::shares::ElementShare;

/// The position of the next element of each kind in the current round.
#[derive(Clone, Copy, Default)]
struct Cursor {
    fix: usize,
    random: usize,
    send: usize,
    fix_value: usize,
    random_value: usize,
    send_value: usize,
}

/// The backend of a program; the module's documentation says what it does.
pub struct Run<'a, H: Share> {
    pub(super) share: H,
    pub(super) settings: Settings,
    pub(super) link: &'a mut dyn Link<H>,
    /// All ones if this run's values are what P sends.
    pub(super) write: Mask,
    /// Whether runs beside this one share its pieces.
    pub(super) shared: bool,
    /// The number of branches that may be alive below this run.
    pub(super) budget: usize,
    pub(super) counters: Arc<Counters>,
    /// Makes P's own random choices.
    pub(super) prg: Option<Prg>,
    place: Place,
    /// A backend that has failed stays failed, even if its statement ignores the error.
    pub(super) failed: Latch<Error>,
    /// The current piece. `window` has its commitments, and `next` of them are used.
    piece: Option<Arc<Piece<H>>>,
    window: Vec<H::Wire>,
    next: usize,
    /// The number of free slots in the block when the piece came.
    room: usize,
    block: Block<H>,
    /// Wires claimed to be zero since the last check.
    asserted: Vec<H::Wire>,
    /// Linear queries since the last check.
    queries: Vec<ElementShare<H::Mac>>,
    /// The combination of all queries before (figure 5).
    query: ElementShare<H::Mac>,
    round: Option<Box<Round<H>>>,
    /// P's values while a block is checked.
    pub(super) values: multiply::Fold<H>,
    cursor: Cursor,
    /// Counts that are not in `counters` yet.
    counted: Tally,
}

/// Everything that a new run needs besides its link.
pub(super) struct Setting<H: Share> {
    pub(super) share: H,
    pub(super) settings: Settings,
    pub(super) writes: bool,
    pub(super) shared: bool,
    pub(super) budget: usize,
    pub(super) counters: Arc<Counters>,
    pub(super) prg: Option<Prg>,
}

impl<'a, H: Share> Run<'a, H> {
    pub(super) fn new(setting: Setting<H>, link: &'a mut dyn Link<H>) -> Self {
        let Setting { share, settings, writes, shared, budget, counters, prg } = setting;
        Self {
            share,
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
            query: ElementShare::default(),
            round: None,
            values: multiply::Fold::default(),
            cursor: Cursor::default(),
            counted: Tally::default(),
        }
    }

    /// Ends the run: checks everything, which leaves one linear query, and returns that query.
    pub(super) fn close(mut self) -> Result<ElementShare<H::Mac>, Error> {
        self.failed.check()?;
        self.check()?;
        Ok(self.query)
    }

    /// Whether this run's values are what P sends.
    pub(super) fn writes(&self) -> bool {
        self.write != 0
    }

    /// Runs `act`, whose writes take effect only if `condition` holds.
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

    /// Gives the piece back, with the number of its commitments that were used.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        self.counters.add(core::mem::take(&mut self.counted));
        let Some(mut piece) = self.piece.take() else { return Ok(()) };
        if self.writes() {
            // The writer has the piece before any other run, so nobody else holds it.
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

    /// Gets the next piece. Call it when nothing of the last one is left.
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

    /// Checks the block, and combines all queries into one.
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

    /// Ends the block before it is full.
    #[cold]
    #[inline(never)]
    fn check_early(&mut self) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.check();
        self.failed.latch(result)
    }

    /// Ends the block early if the number of queries is that of the commitments of a full block.
    pub(super) fn check_queries(&mut self) -> Result<(), Error> {
        if self.queries.len() < self.settings.block_len() { Ok(()) } else { self.check() }
    }

    /// Adds all queries, with the seed's coefficients, to the combined one (figure 5, block by block).
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
        self.asserted.wipe();
        self.queries.wipe();
        Ok(())
    }

    fn no_more<T>(&self) -> Result<T, Error> {
        Err(StatementError::misuse("a protocol takes more from a round than it asked for").into())
    }
}

impl<H: Share> Drop for Run<'_, H> {
    fn drop(&mut self) {
        self.window.wipe();
        self.asserted.wipe();
        self.queries.wipe();
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

impl<H: Share> CommitProve<H> for Run<'_, H> {
    fn share(&self) -> &H {
        &self.share
    }

    fn begin(&mut self, ask: Ask) -> Result<(), Error> {
        self.settle()?;
        self.cursor = Cursor::default();
        self.round = Some(self.link.round(ask)?);
        Ok(())
    }

    fn random(&mut self) -> Result<ElementShare<H::Mac>, Error> {
        let Some(slot) = next!(self, elements.random, random) else { return self.no_more() };
        Ok(*slot)
    }

    fn fix(&mut self, x: H::Mac) -> Result<ElementShare<H::Mac>, Error> {
        use volery_field::Element;
        let write = self.write;
        let Some(slot) = next!(self, elements.fix, fix) else { return self.no_more() };
        slot.x = slot.x + (x - slot.x).masked(write);
        Ok(*slot)
    }

    fn send(&mut self, x: H::Mac) -> Result<H::Mac, Error> {
        use volery_field::Element;
        let write = self.write;
        let Some(slot) = next!(self, elements.send, send) else { return self.no_more() };
        *slot = *slot + (x - *slot).masked(write);
        Ok(*slot)
    }

    fn random_value(&mut self) -> Result<H::Wire, Error> {
        let Some(slot) = next!(self, values.random, random_value) else { return self.no_more() };
        Ok(*slot)
    }

    fn fix_value(&mut self, x: H::Value) -> Result<H::Wire, Error> {
        let write = self.write;
        let Some(slot) = next!(self, values.fix, fix_value) else { return self.no_more() };
        *slot = H::commit(write, *slot, x);
        Ok(*slot)
    }

    fn send_value(&mut self, x: H::Value) -> Result<H::Value, Error> {
        let write = self.write;
        let Some(slot) = next!(self, values.send, send_value) else { return self.no_more() };
        *slot = H::select(write, *slot, x);
        Ok(*slot)
    }

    fn query_zero(&mut self, x: ElementShare<H::Mac>) {
        self.queries.push(x);
    }

    fn challenge(&mut self) -> Result<[u8; 16], Error> {
        match self.round.take() {
            Some(round) => self.link.challenge(round),
            None => Err(StatementError::misuse("a challenge without a round").into()),
        }
    }
}

impl<H: Share> Backend for Run<'_, H> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.place.enter(part);
    }

    fn leave(&mut self) {
        self.place.leave();
    }
}

impl<H: Share> Ops<H::Value> for Run<'_, H> {
    type Wire = H::Wire;

    #[inline(always)]
    fn constant(&mut self, c: H::Value) -> H::Wire {
        self.share.constant(c)
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
        H::add(*x, self.share.constant(c))
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

impl<H: Share> Prove<H::Value> for Run<'_, H> {
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
        let one = self.share.constant(H::Value::ONE);
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
            // An honest P stops here, because going on would end in a rejection. The branch only shows that
            // the claim is false.
            if self.writes() && H::value(*wire) != H::Value::ZERO {
                let place = self.place.or("the statement").to_owned();
                let assertion = self.counters.read().assertions + self.counted.assertions;
                return self.failed.latch(Err(StatementError::Unsatisfied { assertion, place }.into()));
            }
            self.asserted.push(*wire);
            self.counted.assertions += 1;
            // One seed combines at most a block of assertions, however many come at once.
            if self.asserted.len() >= self.settings.block_len() {
                self.check_early()?;
            }
        }
        Ok(())
    }
}

volery_circuit::polynomials_by_multiplying!([H: Share] H::Value, Run<'_, H>);

/// The values that hints and picks see at P.
pub(super) fn values<H: Share>() -> impl Peek<H::Value, H::Wire> {
    Values::<H>(core::marker::PhantomData)
}

struct Values<H>(core::marker::PhantomData<H>);

impl<H: Share> Peek<H::Value, H::Wire> for Values<H> {
    fn value(&self, wire: &H::Wire) -> H::Value {
        H::value(*wire)
    }
}
