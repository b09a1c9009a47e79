//! The branches of one disjunction, advanced together.

use std::sync::Arc;

use volery_circuit::Error as StatementError;

use super::super::link::{Ask, Length, Link, Piece, Round};
use super::super::run::{Run, Setting};
use super::super::share::Share;
use super::Branch;
use super::branch::{self, CoroutineResult, Down, Settled, Turns, Up, Want, lost};
use crate::Error;
use crate::shares::ElementShare;

/// The way in which pieces and rounds of the link are lent to branches.
pub(super) trait Lend<H: Share> {
    /// The number of branches of one disjunction that write at the same time.
    fn writers(&self) -> usize;

    /// The request to the link for branches that ask for this.
    fn ask(&self, ask: Ask) -> Ask;

    /// The length of a piece from which each branch gets one of this length.
    fn length(&self, length: Length) -> Length;

    /// Lends a piece to each of `turns`, writers first. Returns the number of commitments that are used.
    fn piece(
        &mut self,
        stack: &mut Stack<'_, H>,
        turns: &[usize],
        piece: &mut Arc<Piece<H>>,
    ) -> Result<usize, Error>;

    /// Lends a round to each of `turns`, writers first.
    fn round(
        &mut self,
        stack: &mut Stack<'_, H>,
        turns: &[usize],
        round: &mut Box<Round<H>>,
    ) -> Result<(), Error>;
}

/// What a branch is waiting for.
enum State<H: Share> {
    Piece(Length),
    Round(Ask),
    Ended(ElementShare<H::Mac>),
}

struct Child<'r, H: Share> {
    turns: Turns<'r, H>,
    state: State<H>,
}

/// All branches, and which of them write.
pub(super) struct Stack<'r, H: Share> {
    children: Vec<Child<'r, H>>,
    pub(super) truth: Vec<bool>,
}

fn out_of_turn() -> Error {
    StatementError::misuse("a branch of a disjunction spoke out of turn").into()
}

impl<H: Share> Stack<'_, H> {
    /// Gives the branch a turn, with what it asked for. Returns the piece that comes back.
    fn turn(&mut self, i: usize, give: Down<H>) -> Result<Settled<H>, Error> {
        let child = &mut self.children[i];
        match child.turns.take(give)? {
            CoroutineResult::Yield(Up::Wants(settled, want)) => {
                child.state = match want {
                    Want::Piece(length) => State::Piece(length),
                    Want::Round(ask) => State::Round(ask),
                };
                Ok(settled)
            }
            CoroutineResult::Return((settled, result)) => {
                child.state = State::Ended(result?);
                Ok(settled)
            }
            CoroutineResult::Yield(Up::Filled(_)) => Err(out_of_turn()),
        }
    }

    /// Lends a piece. Returns it as the branch wrote it, and the number of commitments that were used.
    pub(super) fn lend_piece(
        &mut self,
        i: usize,
        piece: Arc<Piece<H>>,
    ) -> Result<(Arc<Piece<H>>, usize), Error> {
        self.turn(i, Down::Piece(piece))?.ok_or_else(out_of_turn)
    }

    /// Lends a round. Returns it as the branch wrote it.
    pub(super) fn lend_round(&mut self, i: usize, round: Box<Round<H>>) -> Result<Box<Round<H>>, Error> {
        match self.children[i].turns.take(Down::Round(round))? {
            CoroutineResult::Yield(Up::Filled(round)) => Ok(round),
            // The branch's protocol failed in its round.
            CoroutineResult::Return((_, Err(error))) => Err(error),
            _ => Err(out_of_turn()),
        }
    }

    /// The branches whose state `select` accepts, writers first.
    fn turns(&self, select: impl Fn(&State<H>) -> bool) -> Vec<usize> {
        let waiting = |writes| {
            let select = &select;
            let each = self.children.iter().zip(&self.truth).enumerate();
            each.filter(move |(_, (child, truth))| **truth == writes && select(&child.state)).map(|(i, _)| i)
        };
        waiting(true).chain(waiting(false)).collect()
    }

    /// Advances all branches to their ends, over the link of the run around them.
    fn run(&mut self, link: &mut dyn Link<H>, lend: &mut dyn Lend<H>) -> Result<(), Error> {
        for i in self.turns(|_| true) {
            if self.turn(i, Down::Go)?.is_some() {
                return Err(out_of_turn());
            }
        }
        loop {
            let rounds = self.turns(|state| matches!(state, State::Round(_)));
            if !rounds.is_empty() {
                self.round(&rounds, link, lend)?;
                continue;
            }
            let pieces = self.turns(|state| matches!(state, State::Piece(_)));
            if pieces.is_empty() {
                return Ok(());
            }
            let length = pieces.iter().fold(Length::of(1), |most, i| match &self.children[*i].state {
                State::Piece(length) => most.max(*length),
                _ => most,
            });
            let mut piece = link.piece(true, lend.length(length))?;
            let used = lend.piece(self, &pieces, &mut piece)?;
            link.settle(piece, used)?;
        }
    }

    fn round(
        &mut self,
        turns: &[usize],
        link: &mut dyn Link<H>,
        lend: &mut dyn Lend<H>,
    ) -> Result<(), Error> {
        let wanted = turns.iter().fold(Ask::default(), |most, i| match &self.children[*i].state {
            State::Round(ask) => most.max(*ask),
            _ => most,
        });
        let mut round = link.round(lend.ask(wanted))?;
        lend.round(self, turns, &mut round)?;
        let seed = link.challenge(round)?;
        for i in turns {
            if self.turn(*i, Down::Seed(seed))?.is_some() {
                return Err(out_of_turn());
            }
        }
        Ok(())
    }
}

/// Lends the same to every branch. One of them writes.
pub(super) struct Plain;

impl<H: Share> Lend<H> for Plain {
    fn writers(&self) -> usize {
        1
    }

    fn ask(&self, ask: Ask) -> Ask {
        ask
    }

    fn length(&self, length: Length) -> Length {
        length
    }

    fn piece(
        &mut self,
        stack: &mut Stack<'_, H>,
        turns: &[usize],
        piece: &mut Arc<Piece<H>>,
    ) -> Result<usize, Error> {
        let mut used = 0;
        for i in turns {
            // The first branch may write, so it gets the only reference. The others share the piece that
            // comes back.
            let lent = std::mem::replace(piece, Arc::new(Piece { wires: Vec::new(), due: 0 }));
            let own = if *i == turns[0] { None } else { Some(lent.clone()) };
            let (back, its) = stack.lend_piece(*i, lent)?;
            *piece = own.unwrap_or(back);
            used = used.max(its);
        }
        Ok(used)
    }

    fn round(
        &mut self,
        stack: &mut Stack<'_, H>,
        turns: &[usize],
        round: &mut Box<Round<H>>,
    ) -> Result<(), Error> {
        for i in turns {
            let lent = std::mem::replace(
                round,
                Box::new(Round { elements: Default::default(), values: Default::default() }),
            );
            *round = stack.lend_round(*i, lent)?;
        }
        Ok(())
    }
}

/// Runs `branches` as runs over `parent`'s link. Returns their last queries.
pub(super) fn advance<H: Share>(
    parent: &mut Run<'_, H>,
    branches: &[&dyn Branch<H>],
    truth: &[bool],
    lend: &mut dyn Lend<H>,
) -> Result<Vec<ElementShare<H::Mac>>, Error> {
    let (settings, counters) = (parent.settings, parent.counters.clone());
    let mut routines = Vec::with_capacity(branches.len());
    for (branch, truth) in branches.iter().zip(truth) {
        let setting = Setting {
            share: parent.share.clone(),
            settings,
            writes: parent.writes() && *truth,
            shared: true,
            budget: parent.budget.saturating_sub(branches.len()) / branches.len().max(1),
            counters: parent.counters.clone(),
            prg: parent.prg.as_mut().map(|prg| volery_vole::Prg::new(prg.block().to_bytes())),
        };
        routines.push(branch::routine(*branch, setting)?);
    }
    counters.begin(branches.len());
    let ends = branch::with_all(routines.into_iter(), Vec::new(), |turns| {
        let child = |turns| Child { turns, state: State::Piece(Length::of(1)) };
        let children = turns.into_iter().map(child).collect();
        let mut stack = Stack { children, truth: truth.to_vec() };
        stack.run(parent.link, lend)?;
        let end = |child: Child<'_, H>| match child.state {
            State::Ended(end) => Ok(end),
            _ => Err(lost()),
        };
        stack.children.into_iter().map(end).collect()
    });
    counters.end(branches.len());
    ends
}
