//! Correlations on demand: a supply that starts small and grows with what is used.
//!
//! Where they come from changes as more are taken: at first they are made one by one ([`Party::extend`]), then in LPN
//! rounds, each of which starts from outputs of the one before ([`Party::open`]). [`cot`](crate::cot) supplies bits,
//! [`subfield`](crate::subfield) elements of any field.
//!
//! **Each stage prepares the next while it is read**, so that in the steady state nobody waits for a message: at one
//! quarter of its outputs both set aside what the next round starts from and V sends its trees; at one half P sends the
//! check; at three quarters V answers; at the end P verifies the answer and the next stage begins. Both parties count
//! the same outputs, so no message says which step it is. A statement that ends before a quarter of a stage pays
//! nothing for the next one, and one that says beforehand how much it takes ([`Correlations::expect`]) pays for no round
//! that it does not need.
//!
//! **Between the answer and the verdict** a P that cheated in the check may know more than it should: over fields, V's
//! answer tells it delta, and only its opening, the verdict, shows that it has not cheated. So V accepts no proof in that
//! state: who ends a proof settles first ([`Correlations::settle`]), which gives the verdict at once.
//!
//! Stages are read in batches of a few blocks that never cross a quarter; with several threads the blocks of a batch are
//! made in parallel, and the result does not depend on either party's number of threads.

mod party;
mod plan;
mod stock;

pub use party::{Item, Party, Round};
pub use plan::{Plan, Profile};
pub use stock::{Correlations, Stock};

use std::sync::Arc;

use volery_channel::Channel;
use zeroize::{Zeroize, Zeroizing};

use crate::Error;
use crate::ferret::Params;

/// Correlations on demand, at one party; see the module's documentation.
///
/// An error is final: whatever fails, the supply refuses to give out more.
pub struct Supply<P: Party> {
    party: P,
    plan: Plan,
    stage: Stage<P::Round>,
    /// The round that is being prepared, from one quarter of the stage on.
    next: Option<P::Round>,
    /// Whether its verdict was given before the end of the stage.
    settled: bool,
    /// Number of the round that is being prepared, or will be next.
    number: usize,
    threads: Option<Arc<rayon::ThreadPool>>,
    given: u64,
    /// The value of `given` at which the caller may be done, if it said so.
    end: Option<u64>,
    failed: Option<Error>,
}

impl<P: Party> Correlations<P::Item> for Supply<P> {
    /// Replaces `out` by the next batch, at most some ten thousand correlations.
    ///
    /// # Errors
    /// The channel's, a malformed message, a failed check ([`Error::Cheat`]). After an error every call fails with it.
    fn refill(&mut self, channel: &mut dyn Channel, out: &mut Vec<P::Item>) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = self.try_refill(channel, out);
        if let Err(error) = &result {
            self.failed = Some(error.clone());
            out.zeroize();
        }
        self.given += out.len() as u64;
        result
    }

    fn expect(&mut self, end: Option<u64>) {
        self.end = end;
        let stage = &mut self.stage;
        if let (Source::Extension, Step::Open) = (&stage.source, stage.step)
            && end.is_some_and(|end| end.saturating_sub(self.given) >= self.plan.long)
            && !self.plan.rounds.is_empty()
        {
            // Rounds will be needed: the sooner, the fewer correlations come from the dearer extension.
            stage.blocks = stage.blocks.min(stage.read + self.plan.lead);
        }
    }

    fn settle(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = self.try_settle(channel);
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }

    fn may_wait(&self) -> bool {
        self.due()
    }
}

/// What is being read, in blocks.
struct Stage<R> {
    source: Source<R>,
    /// Blocks in all.
    blocks: usize,
    /// Blocks read or set aside.
    read: usize,
    /// The next of the four steps that prepare the following round.
    step: Step,
}

enum Source<R> {
    Extension,
    Round(R),
}

/// What is to be done next for the following round, and at which quarter of the stage.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Open = 1,
    Check = 2,
    Answer = 3,
    Verdict = 4,
}

impl<P: Party> Supply<P> {
    /// A supply over `party`. With `threads`, blocks are made on that pool; the output is the same.
    pub fn new(party: P, plan: Plan, threads: Option<Arc<rayon::ThreadPool>>) -> Self {
        let blocks =
            if plan.rounds.is_empty() { usize::MAX } else { (plan.extension / plan.chunk.max(1)).max(1) };
        let stage = Stage { source: Source::Extension, blocks, read: 0, step: Step::Open };
        Self {
            party,
            plan,
            stage,
            next: None,
            settled: false,
            number: 0,
            threads,
            given: 0,
            end: None,
            failed: None,
        }
    }

    /// The party's own state, e.g. V's delta.
    pub fn party(&self) -> &P {
        &self.party
    }

    /// Correlations given out so far.
    pub fn given(&self) -> u64 {
        self.given
    }

    fn try_refill(&mut self, channel: &mut dyn Channel, out: &mut Vec<P::Item>) -> Result<(), Error> {
        while self.due() {
            self.step(channel)?;
        }
        let left = self.barrier() - self.stage.read;
        let blocks = match &self.stage.source {
            Source::Extension => 1,
            Source::Round(round) => (self.batch() >> round.params().log_block).max(1),
        };
        self.read(left.min(blocks), channel, out)
    }

    /// Correlations that a refill aims at: several blocks for each thread. The peer's may be another number, since steps
    /// are due at fixed places of a stage.
    fn batch(&self) -> usize {
        self.threads.as_ref().map_or(BATCH, |pool| 2 * BATCH * pool.current_num_threads())
    }

    /// Runs the step that is due.
    fn step(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        match (self.stage.step, &mut self.next) {
            (Step::Open, _) => {
                self.open(channel)?;
                self.stage.step = Step::Check;
            }
            (Step::Check, Some(next)) => {
                self.party.check(next, channel)?;
                self.stage.step = Step::Answer;
            }
            (Step::Answer, Some(next)) => {
                self.party.answer(next, channel)?;
                self.stage.step = Step::Verdict;
            }
            (Step::Verdict, next) => {
                let Some(mut round) = next.take() else { return Err(Error::misuse("no next round")) };
                if !core::mem::take(&mut self.settled) {
                    self.party.verdict(&mut round, channel)?;
                }
                let blocks = round.params().trees as usize;
                self.stage = Stage { source: Source::Round(round), blocks, read: 0, step: Step::Open };
            }
            (_, None) => return Err(Error::misuse("no next round")),
        }
        Ok(())
    }

    /// Gives the verdict now if V has answered: its value may have told P delta, and only P's opening shows that it has not.
    fn try_settle(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        if let (Step::Verdict, Some(round), false) = (self.stage.step, &mut self.next, self.settled) {
            self.party.verdict(round, channel)?;
            self.settled = true;
        }
        Ok(())
    }

    /// Whether the next step is due before another block is read.
    fn due(&self) -> bool {
        match self.stage.step {
            Step::Open => self.open_due(),
            step => self.stage.read >= self.quarter(step as usize),
        }
    }

    /// Whether the next round is to be started now: at the first quarter, or, while the caller is expected to be done
    /// before the stage is read, at a later one; at the latest where just enough is left to start it from.
    ///
    /// A party reads ahead of what is taken from it, the one with more threads further than the other, so nothing that
    /// it has read may decide: a refill comes when all is taken, no batch crosses a quarter, and here only quarters count.
    fn open_due(&self) -> bool {
        let Some(last) = self.last_open() else { return false };
        let read = self.stage.read;
        let decides = match self.stage.source {
            // One block a refill at either party.
            Source::Extension => read >= self.quarter(1),
            Source::Round(_) => (1..4).any(|n| read == self.quarter(n)),
        };
        let rest = (last.saturating_sub(read) as u64).saturating_mul(self.block_len() as u64);
        let enough = self.end.is_some_and(|end| end.saturating_sub(self.given) <= rest);
        read >= last || (decides && !enough)
    }

    /// How far the stage can be read and still leave what the next round starts from; none if there is no next round.
    fn last_open(&self) -> Option<usize> {
        let next = self.plan.round(self.number)?;
        let reserve = match self.stage.source {
            Source::Extension => 0,
            Source::Round(_) => P::base_len(&next).div_ceil(self.block_len()),
        };
        self.stage.blocks.checked_sub(reserve)
    }

    /// The next place, in blocks, that no batch crosses.
    fn barrier(&self) -> usize {
        let last = if self.stage.step == Step::Open { self.last_open() } else { None };
        let places = (1..=4).map(|n| self.quarter(n)).chain(last);
        places.filter(|&place| place > self.stage.read).min().unwrap_or(self.stage.blocks)
    }

    /// The end of the stage's `n`th quarter, in blocks.
    fn quarter(&self, n: usize) -> usize {
        // Divided first: the number of blocks may be `usize::MAX`.
        self.stage.blocks / 4 * n + self.stage.blocks % 4 * n / 4
    }

    /// Sets aside what the next round starts from and starts it.
    fn open(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let Some(params) = self.plan.round(self.number) else { return Err(Error::misuse("no next round")) };
        let wanted = P::base_len(&params);
        let mut base = Zeroizing::new(Vec::with_capacity(wanted + BATCH));
        if let Source::Extension = self.stage.source {
            // Made on purpose, not taken from the stage: the stage is shorter than a base.
            self.party.extend(wanted, channel, &mut base)?;
        } else {
            let blocks = wanted.div_ceil(self.block_len());
            self.read(blocks, channel, &mut base)?;
            // What is left of the last block is wiped with the vector and never used.
            base.truncate(wanted);
        }
        self.next = Some(self.party.open(self.number as u64, params, base, channel)?);
        self.number += 1;
        Ok(())
    }

    /// The length of the extension's next block, when `ahead` were made that are not given out yet: a full one is too much
    /// where the caller said that it needs less, and once it has all that it asked for it needs hardly more.
    fn extension_block(&self, ahead: usize) -> usize {
        let full = self.plan.chunk;
        let Some(end) = self.end else { return full };
        match end.saturating_sub(self.given).saturating_sub(ahead as u64) {
            0 => full.div_ceil(16),
            left => usize::try_from(left).map_or(full, |left| left.min(full)),
        }
    }

    /// Outputs of a block; of the extension's, at most.
    fn block_len(&self) -> usize {
        match &self.stage.source {
            Source::Extension => self.plan.chunk,
            Source::Round(round) => round.params().block_len(),
        }
    }

    /// Replaces `out` by the next `blocks` blocks of the stage.
    fn read(
        &mut self,
        blocks: usize,
        channel: &mut dyn Channel,
        out: &mut Vec<P::Item>,
    ) -> Result<(), Error> {
        let first = self.stage.read;
        if blocks > self.stage.blocks.saturating_sub(first) {
            return Err(Error::misuse("a stage read beyond its end"));
        }
        match &self.stage.source {
            Source::Extension => {
                // One block a refill.
                make_room(out, self.extension_block(0));
                out.clear();
                for _ in 0..blocks {
                    self.party.extend(self.extension_block(out.len()), channel, out)?;
                }
            }
            Source::Round(round) => read_round(round, first, blocks, self.threads.as_deref(), out),
        }
        self.stage.read += blocks;
        Ok(())
    }
}

/// Outputs that a batch aims at: enough that the caller's loop dominates, few enough for the second-level cache.
const BATCH: usize = 1 << 11;

/// Makes room for `n` in all, for which what is there may be lost. A vector that moves would leave it behind unwiped.
fn make_room<T: Item>(out: &mut Vec<T>, n: usize) {
    if out.capacity() < n {
        out.zeroize();
        out.reserve_exact(n);
    }
}

/// Replaces `out` by blocks `first..first + blocks` of `round`.
fn read_round<R: Round>(
    round: &R,
    first: usize,
    blocks: usize,
    threads: Option<&rayon::ThreadPool>,
    out: &mut Vec<R::Item>,
) {
    use rayon::prelude::*;
    let Params { log_block, .. } = round.params();
    make_room(out, blocks << log_block);
    // Cut to length, not cleared: every element is overwritten, and zeros first would cost another write each.
    out.resize(blocks << log_block, R::Item::default());
    let chunks = &mut out[..];
    match threads {
        Some(pool) if blocks > 1 => pool.install(|| {
            chunks
                .par_chunks_exact_mut(1 << log_block)
                .enumerate()
                .for_each(|(i, block)| round.block(first + i, block));
        }),
        _ => {
            for (i, block) in chunks.chunks_exact_mut(1 << log_block).enumerate() {
                round.block(first + i, block);
            }
        }
    }
}
