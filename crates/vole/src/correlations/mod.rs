//! Correlations on demand: a generator that starts small and grows with use.
//!
//! The source of correlations changes as more are taken. At first they are made one by one
//! ([`Party::extend`]), then in LPN rounds, each of which starts from outputs of the one before
//! ([`Party::open`]). [`cot`](crate::cot) makes bits, [`subfield`](crate::subfield) elements of any field.
//!
//! **Each stage prepares the next while it is read**, so that in the steady state nobody waits for a message.
//! At one quarter of a stage's outputs, both parties set aside what the next round starts from, and V sends
//! its trees. At one half P sends the check. At three quarters V answers. At the end P verifies the answer
//! and the next stage begins. Both parties count the same outputs, so no message says which step it is. A
//! statement that ends before a quarter of a stage pays nothing for the next one, and one that announces how
//! many correlations it takes ([`Source::expect`]) pays for no unnecessary round.
//!
//! **Between the answer and the verdict** a P that cheated in the check may know more than it should: over
//! fields, V's answer tells it delta, and only its opening, the verdict, shows that it has not cheated. So V
//! accepts no proof in that state. Both parties settle before they end a proof ([`Source::settle`]),
//! which brings the verdict forward.
//!
//! **A round may be shorter than its set says** ([`Source::fit`]): if the caller has announced how many
//! correlations it takes, the round that is expected to be the last has only as many trees as that takes. V's
//! trees then take fewer bytes. Rows of the matrix, noise and trees of a block do not depend on the number of
//! blocks. So a shorter round shows its peer a part of what the whole one would, and is at least as hard to
//! attack. If more is taken after all, the next round starts as the first one does, from the extension.
//!
//! Stages are read a few blocks at a time, and no such batch crosses a quarter. With several threads its
//! blocks are made in parallel; the result does not depend on either party's number of threads.
//!
//! A *blank* generator makes zeros, with messages of the right length, for a rehearsal: a run of P without a
//! peer ([`Party::IS_BLANK`], module `blank`).
//!
//! A *linked* generator has a [`Chain`], for proofs whose challenges are hashes; the module `chain` has the
//! formula and the argument.

mod blank;
mod chain;
mod link;
mod lot;
mod party;
mod plan;
mod pool;
#[cfg(test)]
mod tests;

pub use blank::BlankRound;
pub use chain::Chain;
pub use lot::Lot;
pub use party::{Correlation, Extension, Party, Round};
pub use plan::{Plan, Profile};
pub use pool::{Pool, Source};

use std::sync::Arc;

use rand_core::CryptoRng;
use volery_channel::{Channel, Latch};
use volery_field::Wipe as _;
use zeroize::Zeroizing;

use crate::Error;
use crate::ferret::Params;
use link::{Batch, Link, MOST_UNREAD, Recorded, Recorder};

/// Correlations on demand, at one party; see the module's documentation.
///
/// An error is final: after any failure the generator gives out nothing more.
pub struct Generator<P: Party> {
    party: P,
    plan: Plan,
    stage: Stage<P::Round>,
    /// The round in preparation, from one quarter of the stage on.
    next: Option<Next<P::Round>>,
    /// Whether its verdict came before the end of the stage.
    settled: bool,
    /// The number of the round in preparation, or of the next one.
    number: usize,
    threads: Option<Arc<rayon::ThreadPool>>,
    /// `None` if this generator is not linked.
    link: Option<Link>,
    given: u64,
    /// The value of `given` at which the caller may be done, if the caller announced it.
    end: Option<u64>,
    /// Whether the last round has only as many trees as `end` takes.
    fitted: bool,
    failed: Latch<Error>,
}

impl<P: Party> Source<P::Correlation> for Generator<P> {
    /// Replaces `out` by the next batch, at most some ten thousand correlations.
    ///
    /// # Errors
    /// The channel's errors, a malformed message, a failed check ([`Error::Cheat`]). After an error every
    /// call returns the same error.
    fn refill(&mut self, channel: &mut dyn Channel, out: &mut Vec<P::Correlation>) -> Result<(), Error> {
        let result = self.unless_failed(|generator| generator.try_refill(channel, out));
        if result.is_err() {
            out.wipe();
        }
        self.given += out.len() as u64;
        result
    }

    fn expect(&mut self, end: Option<u64>) {
        self.end = end;
        let stage = &mut self.stage;
        if let (Origin::Extension, Step::Open) = (&stage.source, stage.step)
            && end.is_some_and(|end| end.saturating_sub(self.given) >= self.plan.long)
            && !self.plan.rounds.is_empty()
        {
            // Rounds will be needed. The sooner they start, the fewer correlations come from the more
            // expensive extension.
            stage.blocks = stage.blocks.min(stage.read + self.plan.lead);
        }
    }

    fn fit(&mut self) {
        self.fitted = true;
    }

    fn settle(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        self.unless_failed(|generator| generator.try_settle(channel))
    }

    fn is_exposed(&self) -> bool {
        let answered = match self.stage.step {
            Step::Verdict => true,
            // The answer may have left before the failure.
            Step::Answer => self.failed.first().is_some(),
            Step::Open | Step::Check => false,
        };
        P::IS_V && !P::ANSWER_IS_LAST && self.next.is_some() && answered && !self.settled
    }

    fn may_wait(&self) -> bool {
        self.due() || self.link_due()
    }

    fn are_blank(&self) -> bool {
        P::IS_BLANK
    }

    fn chain(&mut self, channel: &mut dyn Channel, taken: u64) -> Result<Chain, Error> {
        self.unless_failed(|generator| match &mut generator.link {
            Some(link) => link.chain(channel, taken),
            None => Err(Error::misuse(
                "correlations that are not linked cannot serve a proof whose challenges are hashes: make both parties' generators linked",
            )),
        })
    }
}

/// The stage that is being read, in blocks.
struct Stage<R> {
    source: Origin<R>,
    /// The number of blocks in all.
    blocks: usize,
    /// The number of blocks read or set aside.
    read: usize,
    /// The next of the four steps that prepare the following round.
    step: Step,
    /// Whether it was expected to be the last, so that nothing is left for the following round to start from.
    last: bool,
}

/// A round that is being prepared.
struct Next<R> {
    round: R,
    /// Its messages so far, in a linked generator.
    batch: Option<Batch>,
    /// Whether it is expected to be the last.
    last: bool,
}

enum Origin<R> {
    Extension,
    Round(R),
}

/// The next step of preparing the following round, and the quarter of the stage at which it is due.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Open = 1,
    Check = 2,
    Answer = 3,
    Verdict = 4,
}

impl<P: Party> Generator<P> {
    /// A generator over `party`. With `threads`, blocks are made on them; the output is the same.
    pub fn new(party: P, plan: Plan, threads: Option<Arc<rayon::ThreadPool>>) -> Self {
        let blocks = match plan.extension {
            _ if plan.rounds.is_empty() => usize::MAX,
            0 => 0,
            extension => (extension / plan.chunk.max(1)).max(1),
        };
        let stage = Stage { source: Origin::Extension, blocks, read: 0, step: Step::Open, last: false };
        Self {
            party,
            plan,
            stage,
            next: None,
            settled: false,
            number: 0,
            threads,
            link: None,
            given: 0,
            end: None,
            fitted: false,
            failed: Latch::new(),
        }
    }

    /// A generator as made by [`new`](Self::new), with a [chain](Source::chain), for proofs whose
    /// challenges are hashes and for correlations that are stored. Either both parties' generators are linked
    /// or neither's. V's bytes come from `rng`, which P does not use.
    pub fn linked(
        party: P,
        plan: Plan,
        threads: Option<Arc<rayon::ThreadPool>>,
        rng: &mut dyn CryptoRng,
    ) -> Self {
        let key = P::IS_V.then(|| {
            let mut key = Zeroizing::new([0; 32]);
            rng.fill_bytes(&mut *key);
            key
        });
        let link = Link::new(party.session(), P::kind(), P::LINK, key);
        Self { link: Some(link), ..Self::new(party, plan, threads) }
    }

    /// The number of correlations given out so far.
    #[cfg(test)]
    fn given(&self) -> u64 {
        self.given
    }

    /// Runs `step`; an error is final.
    fn unless_failed<T>(&mut self, step: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.failed.check()?;
        let result = step(self);
        self.failed.latch(result)
    }

    fn try_refill(&mut self, channel: &mut dyn Channel, out: &mut Vec<P::Correlation>) -> Result<(), Error> {
        while self.due() {
            self.step(channel)?;
        }
        if let (true, Some(link)) = (self.link_due(), &mut self.link) {
            link.read(None, channel)?;
        }
        let left = self.barrier() - self.stage.read;
        let blocks = match &self.stage.source {
            Origin::Extension => 1,
            Origin::Round(round) => (self.batch() >> round.params().log_block).max(1),
        };
        self.read(left.min(blocks), channel, out)
    }

    /// The target number of correlations of a refill: several blocks for each thread. The peer's may differ,
    /// since steps are due at fixed places of a stage.
    fn batch(&self) -> usize {
        self.threads.as_ref().map_or(BATCH, |workers| 2 * BATCH * workers.current_num_threads())
    }

    /// Runs the step that is due.
    fn step(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        match (self.stage.step, &mut self.next) {
            (Step::Open, _) => {
                self.open(channel)?;
                self.stage.step = Step::Check;
            }
            (Step::Check, Some(next)) => {
                self.party.check(&mut next.round, &mut recorded::<P>(&mut next.batch, channel))?;
                if let (Some(link), Some(batch)) = (&mut self.link, &next.batch) {
                    // V sent them before the trees, so they have arrived.
                    link.read(Some(batch), channel)?;
                }
                self.stage.step = Step::Answer;
            }
            (Step::Answer, Some(next)) => {
                self.party.answer(&mut next.round, &mut recorded::<P>(&mut next.batch, channel))?;
                if P::ANSWER_IS_LAST {
                    close(&mut self.link, &next.batch, channel)?;
                }
                self.stage.step = Step::Verdict;
            }
            (Step::Verdict, _) => {
                if !core::mem::take(&mut self.settled) {
                    self.verdict(channel)?;
                }
                let Some(Next { round, batch, last }) = self.next.take() else { return Err(no_round()) };
                if let (Some(link), Some(batch)) = (&mut self.link, batch) {
                    link.append(self.given, &batch);
                }
                let blocks = round.params().trees as usize;
                self.stage = Stage { source: Origin::Round(round), blocks, read: 0, step: Step::Open, last };
            }
            (_, None) => return Err(no_round()),
        }
        Ok(())
    }

    /// Brings the verdict forward if V has answered: V's value may have told P delta, and only P's opening
    /// shows that it has not.
    fn try_settle(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        if let (Step::Verdict, Some(_), false) = (self.stage.step, &self.next, self.settled) {
            self.verdict(channel)?;
            self.settled = true;
        }
        Ok(())
    }

    fn verdict(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let Some(next) = &mut self.next else { return Err(no_round()) };
        self.party.verdict(&mut next.round, &mut recorded::<P>(&mut next.batch, channel))?;
        if P::ANSWER_IS_LAST { Ok(()) } else { close(&mut self.link, &next.batch, channel) }
    }

    /// Whether P reads V's bytes for the chain before another chunk is made.
    fn link_due(&self) -> bool {
        let Stage { source, read, .. } = &self.stage;
        self.link.is_some()
            && matches!(source, Origin::Extension)
            && *read > 0
            && read.is_multiple_of(MOST_UNREAD)
    }

    /// Whether the next step is due before another block is read.
    fn due(&self) -> bool {
        match self.stage.step {
            Step::Open => self.open_due(),
            step => self.stage.read >= self.quarter(step as usize),
        }
    }

    /// Whether the next round starts now. It starts at the first quarter, or at a later one while the caller
    /// is expected to be done before the stage is read. At the latest it starts where just enough is left to
    /// start it from.
    ///
    /// A party reads ahead of what is taken from it, and one with more threads reads further ahead. So
    /// nothing that it has read may decide this: a refill comes when all is taken, no batch crosses a
    /// quarter, and only quarters count here.
    fn open_due(&self) -> bool {
        let Some(last) = self.last_open() else { return false };
        let read = self.stage.read;
        let decides = match self.stage.source {
            // One block for each refill at either party.
            Origin::Extension => read >= self.quarter(1),
            Origin::Round(_) => (1..4).any(|n| read == self.quarter(n)),
        };
        let rest = (last.saturating_sub(read) as u64).saturating_mul(self.block_len() as u64);
        let enough = self.end.is_some_and(|end| end.saturating_sub(self.given) <= rest);
        read >= last || (decides && !enough)
    }

    /// How far the stage can be read and still leave what the next round starts from; `None` if there is no
    /// next round.
    fn last_open(&self) -> Option<usize> {
        let next = self.plan.round(self.number)?;
        self.stage.blocks.checked_sub(self.reserve(&next))
    }

    /// The number of this stage's blocks from which the next round starts, if it has this size.
    fn reserve(&self, next: &Params) -> usize {
        if self.starts_from_extension() { 0 } else { P::base_len(next).div_ceil(self.block_len()) }
    }

    /// Whether the next round starts from correlations of the extension, and from none of this stage.
    fn starts_from_extension(&self) -> bool {
        self.stage.last || matches!(self.stage.source, Origin::Extension)
    }

    /// The next round's size, from what the plan says, and whether it is expected to be the last. Both
    /// parties open it when they have given out the same number, so the result is the same.
    fn fitted(&self, whole: Params) -> (Params, bool) {
        let (true, Some(end)) = (self.fitted, self.end) else { return (whole, false) };
        let wanted = end.saturating_sub(self.given);
        // The trees that are missing if the round starts from this many blocks of the stage.
        let missing = |reserve: usize| {
            let left = self.stage.blocks.saturating_sub(self.stage.read).saturating_sub(reserve);
            let left = (left as u64).saturating_mul(self.block_len() as u64);
            wanted.saturating_sub(left).div_ceil(whole.block_len() as u64)
        };
        let shorter = |trees: u64| match u32::try_from(trees) {
            Ok(trees) if trees < whole.trees => Some(Params { trees, ..whole }),
            _ => None,
        };
        // With none missing, more is taken than was announced, and nobody knows how much.
        let first = shorter(missing(self.reserve(&whole))).filter(|first| first.trees > 0);
        let Some(first) = first else { return (whole, false) };
        // A shorter round starts from less, so more of the stage is left.
        let fitted = shorter(missing(self.reserve(&first)).max(1));
        (fitted.unwrap_or(first), true)
    }

    /// The next place, in blocks, that no batch crosses.
    fn barrier(&self) -> usize {
        let last = if self.stage.step == Step::Open { self.last_open() } else { None };
        let places = (1..=4).map(|n| self.quarter(n)).chain(last);
        places.filter(|&place| place > self.stage.read).min().unwrap_or(self.stage.blocks)
    }

    /// The end of the stage's `n`th quarter, in blocks.
    fn quarter(&self, n: usize) -> usize {
        // Divide first: the number of blocks may be `usize::MAX`.
        self.stage.blocks / 4 * n + self.stage.blocks % 4 * n / 4
    }

    /// Sets aside what the next round starts from and starts it.
    fn open(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let Some(params) = self.plan.round(self.number) else { return Err(Error::misuse("no next round")) };
        let (params, last) = self.fitted(params);
        let wanted = P::base_len(&params);
        let mut batch = self.link.as_mut().map(Link::begin);
        let mut base = Zeroizing::new(Vec::with_capacity(wanted + BATCH));
        if self.starts_from_extension() {
            // Made for this purpose and not taken from the stage, because the stage is shorter than a base.
            self.party.extend(wanted, &mut recorded::<P>(&mut batch, channel), &mut base)?;
        } else {
            let blocks = wanted.div_ceil(self.block_len());
            self.read(blocks, channel, &mut base)?;
            // The rest of the last block is wiped with the vector and never used.
            base.truncate(wanted);
        }
        let mut channel = recorded::<P>(&mut batch, channel);
        let round = self.party.open(self.number as u64, params, base, &mut channel)?;
        self.next = Some(Next { round, batch, last });
        self.number += 1;
        Ok(())
    }

    /// The length of the extension's next block, if `ahead` correlations are made and not given out yet. A
    /// full block is too much if the caller announced that it needs less, and a caller that has all it asked
    /// for hardly needs more.
    fn extension_block(&self, ahead: usize) -> usize {
        let full = self.plan.chunk;
        let Some(end) = self.end else { return full };
        match end.saturating_sub(self.given).saturating_sub(ahead as u64) {
            0 => full.div_ceil(16),
            left => usize::try_from(left).map_or(full, |left| left.min(full)),
        }
    }

    /// The number of outputs of a block; for the extension, the most.
    fn block_len(&self) -> usize {
        match &self.stage.source {
            Origin::Extension => self.plan.chunk,
            Origin::Round(round) => round.params().block_len(),
        }
    }

    /// Replaces `out` by the next `blocks` blocks of the stage.
    fn read(
        &mut self,
        blocks: usize,
        channel: &mut dyn Channel,
        out: &mut Vec<P::Correlation>,
    ) -> Result<(), Error> {
        let first = self.stage.read;
        if blocks > self.stage.blocks.saturating_sub(first) {
            return Err(Error::misuse("a stage read beyond its end"));
        }
        match &self.stage.source {
            Origin::Extension => {
                // One block for each refill.
                make_room(out, self.extension_block(0));
                out.clear();
                let mut batch = self.link.as_mut().map(Link::begin);
                for _ in 0..blocks {
                    let n = self.extension_block(out.len());
                    self.party.extend(n, &mut recorded::<P>(&mut batch, channel), out)?;
                }
                close(&mut self.link, &batch, channel)?;
                if let (Some(link), Some(batch)) = (&mut self.link, batch) {
                    link.append(self.given, &batch);
                }
            }
            Origin::Round(round) => read_round(round, first, blocks, self.threads.as_deref(), out)?,
        }
        self.stage.read += blocks;
        Ok(())
    }
}

/// The channel of one batch.
fn recorded<'a, P: Party>(batch: &'a mut Option<Batch>, channel: &'a mut dyn Channel) -> Recorded<'a> {
    Recorded { channel, layer: Recorder { batch: batch.as_mut(), at_v: P::IS_V } }
}

/// Called when V has read P's last message of `batch`.
fn close(link: &mut Option<Link>, batch: &Option<Batch>, channel: &mut dyn Channel) -> Result<(), Error> {
    match (link, batch) {
        (Some(link), Some(batch)) => link.close(batch, channel),
        _ => Ok(()),
    }
}

fn no_round() -> Error {
    Error::misuse("no next round")
}

/// The target number of outputs of a batch: enough that the caller's loop dominates, few enough for the
/// second-level cache.
const BATCH: usize = 1 << 11;

/// Makes room for `n` in all; the current content may be lost. A vector that moves would leave its old
/// content behind unwiped.
fn make_room<T: Correlation>(out: &mut Vec<T>, n: usize) {
    if out.capacity() < n {
        out.wipe();
        out.reserve_exact(n);
    }
}

/// Replaces `out` by blocks `first..first + blocks` of `round`.
fn read_round<R: Round>(
    round: &R,
    first: usize,
    blocks: usize,
    threads: Option<&rayon::ThreadPool>,
    out: &mut Vec<R::Correlation>,
) -> Result<(), Error> {
    use rayon::prelude::*;
    let Params { log_block, .. } = round.params();
    make_room(out, blocks << log_block);
    // The vector is cut to length, not cleared: every element is overwritten, and writing zeros first would
    // cost another write each.
    out.resize(blocks << log_block, R::Correlation::default());
    let chunks = &mut out[..];
    match threads {
        Some(workers) if blocks > 1 => workers.install(|| {
            chunks
                .par_chunks_exact_mut(1 << log_block)
                .enumerate()
                .try_for_each(|(i, block)| round.block(first + i, block))
        }),
        _ => {
            let mut blocks = chunks.chunks_exact_mut(1 << log_block).enumerate();
            blocks.try_for_each(|(i, block)| round.block(first + i, block))
        }
    }
}
