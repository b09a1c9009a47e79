//! What a run shares with the runs beside it: pieces of committed values, rounds of messages, challenges.
//!
//! A run never speaks to the peer. It asks its [`Link`] for the next **piece**, a stretch of commitments to
//! values, or for a **round**: some commitments and messages, and then a challenge. The root's link is the
//! trunk, which speaks to the peer. A branch's link is the run around it, which lends all its branches the
//! same piece and the same round (Mac'n'Cheese, section 3: all branches read the same string, the same
//! correlations and the same challenges).

use std::sync::Arc;

use volery_channel::tags;
use volery_field::Wipe as _;
use zeroize::Zeroize;

use super::share::Share;
use crate::Error;
use crate::shares::ElementShare;

/// The numbers of commitments and messages of one kind in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Commitments to values of P's choice.
    pub(super) fix: usize,
    /// Commitments to random values.
    pub(super) random: usize,
    /// Values that P sends in the open.
    pub(super) send: usize,
}

impl Counts {
    fn max(self, other: Self) -> Self {
        Self {
            fix: self.fix.max(other.fix),
            random: self.random.max(other.random),
            send: self.send.max(other.send),
        }
    }

    /// The number of values that P sends, masked or not.
    pub(super) fn sent(self) -> usize {
        self.fix.saturating_add(self.send)
    }

    /// `times` as many of each.
    pub(super) fn times(self, times: usize) -> Self {
        let by = |n: usize| n.saturating_mul(times);
        Self { fix: by(self.fix), random: by(self.random), send: by(self.send) }
    }
}

/// What a run asks of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ask {
    /// Of elements of the field of MACs.
    pub(super) elements: Counts,
    /// Of values.
    pub(super) values: Counts,
}

impl Ask {
    /// Asks for elements of the MAC field alone.
    #[must_use]
    pub(super) const fn elements(fix: usize, random: usize, send: usize) -> Self {
        Self { elements: Counts { fix, random, send }, values: Counts { fix: 0, random: 0, send: 0 } }
    }

    /// Enough for both.
    #[must_use]
    pub(super) fn max(self, other: Self) -> Self {
        Self { elements: self.elements.max(other.elements), values: self.values.max(other.values) }
    }

    /// Enough for `times` runs at once.
    #[must_use]
    pub(super) fn times(self, times: usize) -> Self {
        Self { elements: self.elements.times(times), values: self.values.times(times) }
    }
}

/// The length of a piece, in commitments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    /// The run that asks uses at least this many.
    pub(super) least: usize,
    /// It may use this many, and had better get them at once.
    pub(super) room: usize,
}

impl Length {
    /// A length that is used whole.
    pub(super) const fn of(least: usize) -> Self {
        Self { least, room: least }
    }

    /// Enough for both.
    pub(super) fn max(self, other: Self) -> Self {
        Self { least: self.least.max(other.least), room: self.room.max(other.room) }
    }

    /// Enough for `times` runs, each of which gets whole groups of `group`.
    pub(super) fn times(self, group: usize, times: usize) -> Self {
        let [least, room] = [self.least, self.room]
            .map(|n| n.max(1).checked_next_multiple_of(group).unwrap_or(usize::MAX).saturating_mul(times));
        Self { least, room }
    }
}

/// Commitments and messages of one kind in a round.
pub(super) struct Slots<C: Zeroize, S: Zeroize> {
    pub(super) fix: Vec<C>,
    pub(super) random: Vec<C>,
    pub(super) send: Vec<S>,
}

impl<C: Zeroize, S: Zeroize> Slots<C, S> {
    /// The first `fix` of `commitments` are to values of P's choice, the others to random ones.
    pub(super) fn new(mut commitments: Vec<C>, fix: usize, send: Vec<S>) -> Self {
        let random = commitments.split_off(fix);
        Self { fix: commitments, random, send }
    }
}

impl<C: Zeroize, S: Zeroize> Default for Slots<C, S> {
    fn default() -> Self {
        Self { fix: Vec::new(), random: Vec::new(), send: Vec::new() }
    }
}

impl<C: Zeroize, S: Zeroize> Drop for Slots<C, S> {
    fn drop(&mut self) {
        let Self { fix, random, send } = self;
        fix.zeroize();
        random.zeroize();
        send.zeroize();
    }
}

/// One round. At P its parts are uniform until a run writes to them; at V they are what P sent.
pub(super) struct Round<H: Share> {
    pub(super) elements: Slots<ElementShare<H::Mac>, H::Mac>,
    pub(super) values: Slots<H::Wire, H::Value>,
}

/// A stretch of commitments to values. At P they are random correlations, or commitments to uniform values,
/// until a run writes to them.
pub(super) struct Piece<H: Share> {
    pub(super) wires: Vec<H::Wire>,
    /// The number of commitments that runs may use. V may have fewer: an honest P leaves out those that no
    /// run uses because each came to a check, a disjunction or its end.
    pub(super) due: usize,
}

impl<H: Share> Piece<H> {
    /// Checks that a run with room for `room` commitments, which has used up this piece, may ask for another.
    /// It may not if P left out commitments that it uses itself.
    ///
    /// Without this check a P that sends a few values at a time could make V work without end.
    pub(super) fn exhausted(&self, room: usize) -> Result<(), Error> {
        let (here, due) = (self.wires.len(), self.due.min(room));
        if here < due {
            let reason =
                format!("{here} values where {due} were due: the prover runs another program, or cheats");
            return Err(Error::Malformed { step: tags::MASKS, reason });
        }
        Ok(())
    }
}

impl<H: Share> Drop for Piece<H> {
    fn drop(&mut self) {
        self.wires.wipe();
    }
}

/// Where a run gets its next piece, round and challenge.
pub(super) trait Link<H: Share> {
    /// The next piece, at least as long as asked for if possible. With `dummies`, the commitments that no run
    /// writes to are to uniform values at P, because another run may read them.
    fn piece(&mut self, dummies: bool, length: Length) -> Result<Arc<Piece<H>>, Error>;

    /// Gives the piece back, of which the first `used` commitments are used.
    fn settle(&mut self, piece: Arc<Piece<H>>, used: usize) -> Result<(), Error>;

    /// A round with so much in it.
    fn round(&mut self, ask: Ask) -> Result<Box<Round<H>>, Error>;

    /// Gives the round back for the challenge that depends on it and on everything before.
    fn challenge(&mut self, round: Box<Round<H>>) -> Result<[u8; 16], Error>;
}
