//! What a run shares with the runs beside it: pieces of committed values, rounds of messages, challenges.
//!
//! A run never speaks to the peer. It asks its [`Link`] for the next **piece**, a stretch of commitments to
//! values, or for a **round**, some commitments and messages of its own after which a challenge comes. The
//! root's link is the trunk, which speaks to the peer; a branch's link is the run that it is a branch of,
//! which lends all its branches the same piece and the same round (Mac'n'Cheese, section 3: all branches read
//! the same string, the same correlations and the same challenges).

use std::sync::Arc;

use volery_channel::tags;
use zeroize::Zeroize;

use super::half::{Half, Wide};
use crate::Error;

/// How much of each kind a round holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Commitments to values of P's choice.
    pub fix: usize,
    /// Commitments to random values.
    pub random: usize,
    /// Values sent in the open.
    pub send: usize,
}

impl Counts {
    fn max(self, other: Self) -> Self {
        Self {
            fix: self.fix.max(other.fix),
            random: self.random.max(other.random),
            send: self.send.max(other.send),
        }
    }

    /// Elements that travel.
    pub(super) fn sent(self) -> usize {
        self.fix.saturating_add(self.send)
    }

    /// This many of everything, `times` as often.
    pub(super) fn times(self, times: usize) -> Self {
        let by = |n: usize| n.saturating_mul(times);
        Self { fix: by(self.fix), random: by(self.random), send: by(self.send) }
    }
}

/// What a run asks of a round: elements of the MAC field, and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// Elements of the field of MACs.
    pub wide: Counts,
    /// Values.
    pub narrow: Counts,
}

impl Ask {
    /// Of elements of the MAC field alone.
    #[must_use]
    pub const fn wide(fix: usize, random: usize, send: usize) -> Self {
        Self { wide: Counts { fix, random, send }, narrow: Counts { fix: 0, random: 0, send: 0 } }
    }

    /// Enough for both.
    #[must_use]
    pub(super) fn max(self, other: Self) -> Self {
        Self { wide: self.wide.max(other.wide), narrow: self.narrow.max(other.narrow) }
    }

    /// As many for each of `times` runs that hold at once.
    #[must_use]
    pub(super) fn times(self, times: usize) -> Self {
        Self { wide: self.wide.times(times), narrow: self.narrow.times(times) }
    }
}

/// How long a piece is to be, in commitments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    /// So much whoever asks will use.
    pub(super) least: usize,
    /// So much it may use, and is better given at once.
    pub(super) room: usize,
}

impl Length {
    /// At least so much, which is used.
    pub(super) const fn of(least: usize) -> Self {
        Self { least, room: least }
    }

    /// Enough for both.
    pub(super) fn max(self, other: Self) -> Self {
        Self { least: self.least.max(other.least), room: self.room.max(other.room) }
    }

    /// The same for each of `times` runs, of which each gets whole groups of `group`.
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

/// One round: what was asked for, filled with uniform elements at P until a run writes to it, with what P
/// sent at V.
pub(super) struct Round<H: Half> {
    pub(super) wide: Slots<Wide<H::Mac>, H::Mac>,
    pub(super) narrow: Slots<H::Wire, H::Value>,
}

/// A stretch of commitments to values. At P they are random correlations, or commitments to uniform values,
/// until a run writes to them.
pub(super) struct Piece<H: Half> {
    pub(super) wires: Vec<H::Wire>,
    /// How many there are to use. At V there may be fewer: an honest P leaves out what no run uses, since
    /// each came to a check, a disjunction or its end before.
    pub(super) due: usize,
}

impl<H: Half> Piece<H> {
    /// Whether a run that has used up all of this, and had room for `room`, may want another: if not, P left
    /// out what it uses itself.
    ///
    /// Without this a P that sends a few values at a time would make V's work as large as it likes.
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

impl<H: Half> Drop for Piece<H> {
    fn drop(&mut self) {
        self.wires.zeroize();
    }
}

/// The way to the next piece, round and challenge.
pub(super) trait Link<H: Half> {
    /// The next piece, at least as long as asked for, if it can be. With `dummies`, what no run writes to is
    /// uniform at P, since somebody might read it.
    fn piece(&mut self, dummies: bool, length: Length) -> Result<Arc<Piece<H>>, Error>;

    /// Gives the piece back, of which the first `used` commitments are used.
    fn settle(&mut self, piece: Arc<Piece<H>>, used: usize) -> Result<(), Error>;

    /// A round with so much in it.
    fn round(&mut self, ask: Ask) -> Result<Box<Round<H>>, Error>;

    /// Gives the round back for the challenge that depends on it and on everything before.
    fn challenge(&mut self, round: Box<Round<H>>) -> Result<[u8; 16], Error>;
}
