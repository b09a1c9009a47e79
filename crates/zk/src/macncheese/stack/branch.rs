//! A branch's end of its link to the run around the disjunction. The branch is a thread that is awake only in
//! its turn.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use volery_circuit::Error as StatementError;

use super::super::link::{Ask, Length, Link, Piece, Round};
use super::super::share::Share;
use crate::Error;
use crate::shares::ElementShare;

/// A request of a branch.
pub(super) enum Want {
    Piece(Length),
    Round(Ask),
}

/// A piece that goes back, and the number of its commitments that were used.
pub(super) type Settled<H> = Option<(Arc<Piece<H>>, usize)>;

/// From a branch to its parent. After each message the branch waits.
pub(super) enum Up<H: Share> {
    /// Gives the last piece back if there was one, and asks for more.
    Wants(Settled<H>, Want),
    /// Gives the round back.
    Filled(Box<Round<H>>),
    /// The program ended: gives the last piece back, with the last query or an error.
    Done(Settled<H>, Result<ElementShare<H::Mac>, Error>),
}

/// From a parent to its branch.
pub(super) enum Down<H: Share> {
    Go,
    Piece(Arc<Piece<H>>),
    Round(Box<Round<H>>),
    Seed([u8; 16]),
}

/// The link of a branch.
pub(super) struct BranchLink<H: Share> {
    pub(super) up: Sender<Up<H>>,
    pub(super) down: Receiver<Down<H>>,
    /// A piece that goes back with the next message.
    pub(super) settled: Settled<H>,
}

/// The error of a branch whose parent is gone, because the parent or another branch failed. That error is the
/// one that counts.
fn abandoned() -> Error {
    StatementError::misuse("another branch of the disjunction failed").into()
}

impl<H: Share> BranchLink<H> {
    /// Waits for the first turn.
    pub(super) fn start(&mut self) -> Result<(), Error> {
        match self.down.recv() {
            Ok(Down::Go) => Ok(()),
            _ => Err(abandoned()),
        }
    }

    /// Tells the parent how the program ended.
    pub(super) fn finish(&mut self, result: Result<ElementShare<H::Mac>, Error>) {
        // A parent that is gone does not need to know.
        let _ = self.up.send(Up::Done(self.settled.take(), result));
    }

    fn ask(&mut self, want: Want) -> Result<Down<H>, Error> {
        self.up.send(Up::Wants(self.settled.take(), want)).map_err(|_| abandoned())?;
        self.down.recv().map_err(|_| abandoned())
    }
}

impl<H: Share> Link<H> for BranchLink<H> {
    fn piece(&mut self, _dummies: bool, length: Length) -> Result<Arc<Piece<H>>, Error> {
        match self.ask(Want::Piece(length))? {
            Down::Piece(piece) => Ok(piece),
            _ => Err(abandoned()),
        }
    }

    fn settle(&mut self, piece: Arc<Piece<H>>, used: usize) -> Result<(), Error> {
        self.settled = Some((piece, used));
        Ok(())
    }

    fn round(&mut self, ask: Ask) -> Result<Box<Round<H>>, Error> {
        match self.ask(Want::Round(ask))? {
            Down::Round(round) => Ok(round),
            _ => Err(abandoned()),
        }
    }

    fn challenge(&mut self, round: Box<Round<H>>) -> Result<[u8; 16], Error> {
        self.up.send(Up::Filled(round)).map_err(|_| abandoned())?;
        match self.down.recv() {
            Ok(Down::Seed(seed)) => Ok(seed),
            _ => Err(abandoned()),
        }
    }
}
