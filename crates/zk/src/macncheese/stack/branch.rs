//! A branch's end of its link to the run that it is a branch of: a thread that is awake only when it is its
//! turn.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use volery_circuit::Error as StatementError;

use super::super::half::{Half, Wide};
use super::super::link::{Ask, Length, Link, Piece, Round};
use crate::Error;

/// What a branch wants next.
pub(super) enum Want {
    Piece(Length),
    Round(Ask),
}

/// A piece that goes back, and how much of it was used.
pub(super) type Settled<H> = Option<(Arc<Piece<H>>, usize)>;

/// From a branch to its parent. After each message the branch waits.
pub(super) enum Up<H: Half> {
    /// Gives the last piece back, if there was one, and asks for more.
    Wants(Settled<H>, Want),
    /// Gives the round back.
    Filled(Box<Round<H>>),
    /// The program ended: gives the last piece back; the last query, or why there is none.
    Done(Settled<H>, Result<Wide<H::Mac>, Error>),
}

/// From a parent to its branch.
pub(super) enum Down<H: Half> {
    Go,
    Piece(Arc<Piece<H>>),
    Round(Box<Round<H>>),
    Seed([u8; 16]),
}

/// The link of a branch.
pub(super) struct BranchLink<H: Half> {
    pub(super) up: Sender<Up<H>>,
    pub(super) down: Receiver<Down<H>>,
    /// A piece that goes back with the next message.
    pub(super) settled: Settled<H>,
}

/// The parent is gone, since it or another branch failed: its error is the one that counts.
fn abandoned() -> Error {
    StatementError::misuse("another branch of the disjunction failed").into()
}

impl<H: Half> BranchLink<H> {
    /// Waits for the first turn.
    pub(super) fn start(&mut self) -> Result<(), Error> {
        match self.down.recv() {
            Ok(Down::Go) => Ok(()),
            _ => Err(abandoned()),
        }
    }

    /// Tells the parent how the program ended.
    pub(super) fn finish(&mut self, result: Result<Wide<H::Mac>, Error>) {
        // A parent that is gone does not need to know.
        let _ = self.up.send(Up::Done(self.settled.take(), result));
    }

    fn ask(&mut self, want: Want) -> Result<Down<H>, Error> {
        self.up.send(Up::Wants(self.settled.take(), want)).map_err(|_| abandoned())?;
        self.down.recv().map_err(|_| abandoned())
    }
}

impl<H: Half> Link<H> for BranchLink<H> {
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
