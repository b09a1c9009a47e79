//! Disjunctions in step with each other. They share all rounds, so P waits for V as often as for one of them.
//!
//! Repetitions ([`volery_circuit::Repeat`]) are taken in groups ([`Settings::in_step`]). All branches of a
//! group's disjunctions are runs over the link of the run around them, advanced together as those of one
//! disjunction are (`children`), and their joins go level by level (`tree`).
//!
//! ```text
//! piece of n commitments     repetition j of k reads numbers j, j + k, j + 2 k, ..
//! round                      k parts of the same size, the j-th for repetition j
//! challenge                  one for all
//! ```
//!
//! Each commitment and each part belongs to one repetition: none is lent twice. If one mask served two
//! repetitions, it would show V the difference of two values.
//!
//! **What a challenge tests, and what fixes that.** Both parties take the correlations of a piece or a round,
//! for all repetitions, before its message, and P's part of it is one message. So if challenges are hashes,
//! each absorbs the parts of all repetitions, and the chain of the last correlation that any of them took. If
//! V draws them, it has read all parts.
//!
//! | challenge | values it tests, of every repetition | last that fixes them |
//! |---|---|---|
//! | coefficients of products | operands and results of each branch's block | the piece that the blocks end in |
//! | `e` of a halving, of the last products, of a join | what the round fixes, and all before | the round's message |
//! | `rho` of a join | `mu_1`, `mu_2`, `a`, `c`, `eps` | the message with all `eps` |
//! | combination of queries, in the run around | the ends of all repetitions | the last joins' message |
//!
//! **Why this is sound.** If the claim is false, then whatever P committed to around the disjunctions, there
//! is a repetition `j` that has no branch that holds. It reads only its own parts. So it is a proof of one
//! disjunction by a P that simulates the other repetitions: each challenge is uniform given everything before
//! it, and the other repetitions' messages are only input to that P's strategy. So the end of `j` is zero
//! with at most the error of one disjunction. P may choose `j` as late as it likes, so the errors of all
//! repetitions add up. [`soundness`](super::super::soundness) adds them: it counts the blocks, joins and
//! tries of all branches of all disjunctions. P gains nothing else, because *every* repetition must pass
//! under the one challenge that comes.
//!
//! Each end becomes a query of its own. Their combination has a coefficient for each end, from a seed that
//! comes after all of them. So other ends cancel one that is not zero with probability `1 / |M|`. A plain sum
//! would let two false repetitions cancel each other. P can also choose ends that cancel under seeds that it
//! guesses, as many seeds as there are ends. [`soundness`](super::super::soundness) counts these ends among
//! the errors that are made for a seed.
//!
//! **Memory.** The blocks of a group are together as long as one. The first piece has room for all
//! commitments of each repetition, so a branch runs to the check of its block in one turn. By then its
//! program has ended and freed its own state, such as the wires of a circuit. So only one such state exists
//! at a time, unless a branch has several blocks; a group of such branches has one repetition.
//!
//! **Privacy.** Every repetition runs the same programs. So pieces, rounds and their uses are the same
//! whichever branch holds at each repetition.
//!
//! [`Settings::in_step`]: super::super::Settings::in_step

use std::sync::Arc;

use volery_circuit::Error as StatementError;
use zeroize::Zeroize;

use super::super::link::{Ask, Length, Piece, Round, Slots};
use super::super::run::Run;
use super::super::share::Share;
use super::children::{Lend, Plain, Stack};
use super::{Branch, tree};
use crate::Error;

impl<H: Share> Run<'_, H> {
    /// As [`Run::any_of`], for several disjunctions with the same number of branches, one after another in
    /// `branches`, and a choice for each. A branch commits to at most `room` values, as far as is known.
    ///
    /// # Errors
    /// As [`Run::any_of`].
    pub(super) fn any_of_each(
        &mut self,
        branches: &[&dyn Branch<H>],
        choices: &[Option<usize>],
        room: usize,
    ) -> Result<(), Error> {
        let count = choices.len().max(1);
        let width = branches.len() / count;
        let choices: Vec<_> =
            choices.iter().map(|choice| choice.as_ref().map(std::slice::from_ref)).collect();
        let (mut one, mut several) = (Plain, Apart { count, width, room });
        let lend: &mut dyn Lend<H> = if count == 1 { &mut one } else { &mut several };
        self.disjunctions(branches, &choices, lend, |run, ends, truth| tree::join(run, ends, truth, width))
    }
}

/// Lends each of `count` disjunctions its own parts. Each has `width` branches, and one of them writes.
struct Apart {
    count: usize,
    width: usize,
    room: usize,
}

impl Apart {
    /// The branches of repetition `j` among `turns`.
    fn of(&self, j: usize, turns: &[usize]) -> Vec<usize> {
        turns.iter().copied().filter(|i| i / self.width == j).collect()
    }

    /// The part of repetition `j` in a round.
    fn part<T: Copy>(&self, j: usize, all: &[T]) -> Vec<T> {
        let each = all.len() / self.count;
        all[j * each..][..each].to_vec()
    }

    fn put_back<T: Copy>(&self, j: usize, part: &[T], all: &mut [T]) {
        all[j * part.len()..][..part.len()].copy_from_slice(part);
    }

    fn slots<C: Copy + Zeroize, S: Copy + Zeroize>(&self, j: usize, all: &Slots<C, S>) -> Slots<C, S> {
        let mut slots = Slots::default();
        slots.fix = self.part(j, &all.fix);
        slots.random = self.part(j, &all.random);
        slots.send = self.part(j, &all.send);
        slots
    }

    /// Copies the parts that repetition `j` wrote into the round.
    fn put_slots_back<C: Copy + Zeroize, S: Copy + Zeroize>(
        &self,
        j: usize,
        part: &Slots<C, S>,
        all: &mut Slots<C, S>,
    ) {
        self.put_back(j, &part.fix, &mut all.fix);
        self.put_back(j, &part.send, &mut all.send);
    }
}

impl<H: Share> Lend<H> for Apart {
    fn writers(&self) -> usize {
        1
    }

    fn ask(&self, ask: Ask) -> Ask {
        ask.times(self.count)
    }

    fn length(&self, length: Length) -> Length {
        length.max(Length { least: 1, room: self.room }).times(1, self.count)
    }

    fn piece(
        &mut self,
        stack: &mut Stack<'_, H>,
        turns: &[usize],
        piece: &mut Arc<Piece<H>>,
    ) -> Result<usize, Error> {
        let each = piece.wires.len() / self.count;
        if each == 0 {
            let reason =
                format!("{} disjunctions do not fit into a piece of {}", self.count, piece.wires.len());
            return Err(StatementError::misuse(reason).into());
        }
        let (writes, mut most) = (stack.truth.contains(&true), 0);
        for j in 0..self.count {
            let turns = self.of(j, turns);
            let wires = piece.wires.iter().skip(j).step_by(self.count).take(each).copied();
            let mut own = Arc::new(Piece { wires: wires.collect(), due: piece.due / self.count });
            most = most.max(Plain.piece(stack, &turns, &mut own)?);
            if writes {
                let Some(all) = Arc::get_mut(piece) else {
                    return Err(StatementError::misuse("a piece was read before it was written").into());
                };
                let places = all.wires.iter_mut().skip(j).step_by(self.count);
                places.zip(&own.wires).for_each(|(all, own)| *all = *own);
            }
        }
        Ok(most * self.count)
    }

    fn round(
        &mut self,
        stack: &mut Stack<'_, H>,
        turns: &[usize],
        round: &mut Box<Round<H>>,
    ) -> Result<(), Error> {
        for j in 0..self.count {
            let (elements, values) = (self.slots(j, &round.elements), self.slots(j, &round.values));
            let mut own = Box::new(Round::<H> { elements, values });
            Plain.round(stack, &self.of(j, turns), &mut own)?;
            self.put_slots_back(j, &own.elements, &mut round.elements);
            self.put_slots_back(j, &own.values, &mut round.values);
        }
        Ok(())
    }
}
