//! A branch's end of its link to the run around the disjunction. The branch is a coroutine: it has a stack of
//! its own, and runs only in its turn.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

#[cfg(not(target_family = "wasm"))]
pub(super) use corosensei::CoroutineResult;
#[cfg(not(target_family = "wasm"))]
use corosensei::{ScopedCoroutine, ScopedCoroutineRef, Yielder, stack::DefaultStack};
use volery_circuit::Error as StatementError;

use super::super::link::{Ask, Length, Link, Piece, Round};
use super::super::run::{Run, Setting};
use super::super::share::Share;
use super::Branch;
#[cfg(target_family = "wasm")]
pub(super) use super::no_coroutine::CoroutineResult;
#[cfg(target_family = "wasm")]
use super::no_coroutine::{DefaultStack, ScopedCoroutine, ScopedCoroutineRef, Yielder};
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
}

/// How the program ended: gives the last piece back, with the last query or an error.
pub(super) type Done<H> = (Settled<H>, Result<ElementShare<<H as Share>::Mac>, Error>);

/// From a parent to its branch.
pub(super) enum Down<H: Share> {
    Go,
    Piece(Arc<Piece<H>>),
    Round(Box<Round<H>>),
    Seed([u8; 16]),
    /// Another branch failed, and the proof with it. The error of that branch is the one that counts.
    Abandoned,
}

/// A branch that has not begun.
pub(super) type Routine<'b, H> = ScopedCoroutine<'b, Down<H>, Up<H>, Done<H>>;

/// The length of a branch's stack in bytes: that of threads. Memory is taken as the stack grows, and kept
/// until the disjunction ends. A program that recurses beyond it ends the process: below the stack lies a
/// page that may not be touched.
const STACK: usize = 2 << 20;

/// A branch that will run with this setting.
pub(super) fn routine<'b, H: Share>(
    branch: &'b dyn Branch<H>,
    setting: Setting<H>,
) -> Result<Routine<'b, H>, Error> {
    let stack = DefaultStack::new(STACK);
    let stack = stack.map_err(|error| StatementError::misuse(format!("a stack for a branch: {error}")))?;
    Ok(Routine::with_stack(stack, move |parent: &Yielder<Down<H>, Up<H>>, first| {
        let mut link = BranchLink { parent, settled: None };
        let result = match first {
            Down::Go => {
                let mut run = Run::new(setting, &mut link);
                branch.run(&mut run).and_then(|()| run.close())
            }
            _ => Err(abandoned()),
        };
        (link.settled.take(), result)
    }))
}

/// Calls `then` with all these branches, which end before this returns.
pub(super) fn with_all<H: Share, T>(
    mut routines: std::vec::IntoIter<Routine<'_, H>>,
    before: Vec<Turns<'_, H>>,
    then: impl FnOnce(Vec<Turns<'_, H>>) -> T,
) -> T {
    match routines.next() {
        // A scope in a scope for each, so that none outlives what it borrows.
        Some(routine) => routine.scope(|next| {
            let mut all: Vec<Turns<'_, H>> = before;
            all.push(Turns(next));
            with_all(routines, all, then)
        }),
        None => then(before),
    }
}

/// A branch that takes turns with its parent.
pub(super) struct Turns<'r, H: Share>(ScopedCoroutineRef<'r, Down<H>, Up<H>, Done<H>, DefaultStack>);

impl<H: Share> Turns<'_, H> {
    /// Gives the branch a turn, with what it asked for. An error if it has ended, or panics.
    pub(super) fn take(&mut self, give: Down<H>) -> Result<CoroutineResult<Up<H>, Done<H>>, Error> {
        if self.0.done() {
            return Err(lost());
        }
        catch_unwind(AssertUnwindSafe(|| self.0.resume(give))).map_err(|_| lost())
    }
}

impl<H: Share> Drop for Turns<'_, H> {
    /// Lets the branch end by itself.
    fn drop(&mut self) {
        while self.0.started() && self.take(Down::Abandoned).is_ok() {}
    }
}

/// The error of a branch that is no more.
pub(super) fn lost() -> Error {
    StatementError::misuse("a branch of a disjunction ended without a result").into()
}

/// The error of a branch whose parent is gone.
fn abandoned() -> Error {
    StatementError::misuse("another branch of the disjunction failed").into()
}

/// The link of a branch.
struct BranchLink<'y, H: Share> {
    parent: &'y Yielder<Down<H>, Up<H>>,
    /// A piece that goes back with the next message.
    settled: Settled<H>,
}

impl<H: Share> BranchLink<'_, H> {
    fn ask(&mut self, want: Want) -> Down<H> {
        self.parent.suspend(Up::Wants(self.settled.take(), want))
    }
}

impl<H: Share> Link<H> for BranchLink<'_, H> {
    fn piece(&mut self, _dummies: bool, length: Length) -> Result<Arc<Piece<H>>, Error> {
        match self.ask(Want::Piece(length)) {
            Down::Piece(piece) => Ok(piece),
            _ => Err(abandoned()),
        }
    }

    fn settle(&mut self, piece: Arc<Piece<H>>, used: usize) -> Result<(), Error> {
        self.settled = Some((piece, used));
        Ok(())
    }

    fn round(&mut self, ask: Ask) -> Result<Box<Round<H>>, Error> {
        match self.ask(Want::Round(ask)) {
            Down::Round(round) => Ok(round),
            _ => Err(abandoned()),
        }
    }

    fn challenge(&mut self, round: Box<Round<H>>) -> Result<[u8; 16], Error> {
        match self.parent.suspend(Up::Filled(round)) {
            Down::Seed(seed) => Ok(seed),
            _ => Err(abandoned()),
        }
    }
}
