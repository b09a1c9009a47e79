//! A run in shards: each proves some segments, and some more prove the memory between segments.
//!
//! The statement is that of [`ProgramRun`]. A shard is proved in a session of its own, by a worker that knows
//! its part of the run only; what two shards have in common are *boundary wires*, which whoever joins the
//! shards shows to be equal. (`volery::split` does that; this module says what the shards are.)
//!
//! ```text
//! group 0            group 1            ..      group G-1          segments; all but the first commit to
//!   segments  state -> segments  state ->   ->    segments, end    the state that they begin with
//!      |                  |                          |
//!      | what segments took and left of each word    |             equal to what the log's shards commit to
//!      v                  v                          v
//! check 0                      live words ->      check K-1        checks of the log, where they are due
//! ```
//!
//! * A **group** proves segments that follow each other. The run has as many groups as the parties agreed on,
//!   or one for each segment if there are fewer segments.
//! * A **check** proves one check of the log of touched words. There are as many as in a proof that is not
//!   split, and they come where they would come there. A run that touches few words has one.
//!
//! # Boundary wires
//!
//! | shard | wires, in this order |
//! |---|---|
//! | group | the state it begins with, if it is not the first; the state it ends with, if it is not the last; for each word that a segment touches its address, value and segment of last use before, and its value afterwards |
//! | check | the words that were live before, if it is not the first, and what segments took and left since; the words that are live afterwards, if it is not the last |
//!
//! A *state* is the 36 cells of registers (those that count what is left of both inputs and what was written
//! to the journal are among them) and the place of the next instruction. A live word is its address, its
//! value, and the segment of its last use. What is equal: the state at the end of a group and that at the
//! start of the next one; each segment's words in its group and in the check that they belong to; the live
//! words after a check and those before the next one.
//!
//! # Why this is the same statement
//!
//! Give every wire of a proof that is not split the value of the wire in its shard. Wires that two shards
//! have are equal, so this is well defined, and each shard claims what the proof that is not split claims of
//! these wires: relations, lookups and multisets of each segment in the group that has the segment; the start
//! in the first group, the end in the last; each check of the log in the shard of that check. Each claim is
//! there once. The number of a segment, which is a constant in its claims, and what it may look up (program,
//! public input, journal) come from the statement that all shards share and from the shard's number, so no
//! segment can stand for another one, and none is missing. So if all claims of all shards hold and boundary
//! wires are equal, the statement of [`ProgramRun`] holds, with the argument at the head of [`proof`](super).
//! In particular:
//!
//! * *A byte of an input* that a group reads is counted by a cell of its last state, so the next group reads
//!   the byte behind it. Of the public input that names the byte; of the secret input each byte is whatever P
//!   commits to, once.
//! * *A byte of the journal* is looked up at the place that such a cell says. The last group claims that as
//!   many were written as the journal has.
//! * *A word of memory*: a segment takes a tuple of an earlier segment, which is a range in its group, since
//!   the segment's number is public. That there was such a tuple, and that nobody else took it, is a multiset
//!   in the shard of the check.
//!
//! # What each challenge tests, and what is fixed before
//!
//! Each segment has one challenge, and each check of the log one, as in a proof that is not split. The
//! challenge is drawn by V's worker in the session of *its* shard, when P's worker has committed to
//! everything in the claims that it tests: for a segment its columns, the state that it begins with, its
//! words and the multiplicities; for a check the live words before and after, what segments took and left,
//! and the words that are new. None of these claims is about a wire of another shard, so it does not matter
//! in which order the shards are proved, and what P has seen of other shards' challenges when it commits:
//! whether a claim is true is determined by the wires of its shard, and V draws the challenge afterwards.
//! What P can adapt is *which* false claim it makes, and the bound for one claim covers each of them: call an
//! attempt to prove a shard false if a claim of it is, for what it committed to. `volery::split` counts false
//! attempts that are accepted, and those that are dropped and retried; the greatest bound of all shards
//! counts there.
//!
//! The remaining way is that every accepted attempt is true and boundary wires differ. These wires are
//! authenticated under one key, and are compared when all shards are accepted: there, too, what is compared
//! is fixed before a coefficient is drawn.
//!
//! Challenges are V's choice and not hashes, as for every run.
//!
//! # What shows
//!
//! What shows of a run that is not split ([`Profile`]), and it is all that V needs to know the shards: P runs
//! the program once, and says the claim and the profile to V ([`preamble`](super::preamble)), which checks
//! bounds and sums before it makes anything of them. Both are in the digest of every shard. Besides, V sees
//! when which shard ends, and that its workers are told the same. Which words a segment touches does not
//! show, and how many does. A class of runs ([`ProfileClass`](super::ProfileClass)) shows the same counts for
//! all of its runs, and can be split.
//!
//! A secret program is not split: its words would be boundary wires of every group.
//!
//! # What P's workers need
//!
//! P's coordinator runs the program once more, without a proof, and keeps for each group the state before it,
//! the words that it touches and that earlier segments have touched, and the bytes of the secret input that
//! it reads; for each check what it commits to. That is all that a worker gets ([`SplitRun::job`]). It makes
//! columns by running its segments from there. As all of this comes from one run, boundary wires are equal.
//!
//! **It is much.** A check's worker gets each word that its segments touch, as they found it and left it, and
//! all words that are live: with one check nearly all that the run had in memory, the bytes of the secret
//! input among them. Where runs of a class bring words, each group's worker gets the addresses of all words
//! that are new in the run, in the order in which they were touched. So P trusts each of its workers with its
//! secret. It also relies on them to run what its coordinator runs: V can find out in which shard, and by
//! guessing in which words, a worker's run differs from that.

mod cut;
mod held;
mod job;

use std::ops::Range;

use volery_circuit::{Challenge, Digest, Error, Evaluator, Statement};
use volery_field::F61;
use zeroize::Zeroizing;

use super::buffers::wiped;
use super::end;
use super::form::integer;
use super::log::{Committing, ENTRY, LIVE, Log};
use super::profile::{Counts, Profile};
use super::regions::place;
use super::segment::{Boundary, Place, Segments, commit};
use super::stages::Watch;
use super::statement::ProgramRun;
use super::trace::{REGISTERS, STATE};
use crate::End;
use cut::{Check, Cut};
use held::{Held, OfCheck, OfGroup};

pub use cut::Join;

/// The statement of a [`ProgramRun`] in shards. See the [module](self).
pub struct SplitRun {
    /// V's statement.
    run: ProgramRun,
    /// The digest of that statement.
    digest: [u8; 32],
    /// The number of groups that the parties agreed on.
    asked: usize,
    cut: Cut,
    /// What P commits to, or the part of it that one of its workers needs.
    held: Option<Held>,
}

impl core::fmt::Debug for SplitRun {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (groups, checks) = (self.cut.groups.len(), self.cut.checks.len());
        f.debug_struct("SplitRun").field("groups", &groups).field("checks", &checks).finish_non_exhaustive()
    }
}

impl SplitRun {
    /// The shards of a run, in `groups` groups of segments, or in one for each segment if those are fewer. At
    /// P this runs the program once more.
    ///
    /// # Errors
    /// [`Error::Public`] for no groups, for a secret program, and for a run whose log is checked more often
    /// than there are groups and more than [`MOST_CHECKS`] times; [`Error::Witness`] if P's run is another
    /// one than its profile says.
    pub fn new(run: ProgramRun, groups: usize) -> Result<Self, Error> {
        if groups == 0 {
            return Err(Error::Public("a run in no groups of segments".into()));
        }
        if run.subject.program().is_none() {
            return Err(Error::Public(
                "a run of a secret program cannot be split over workers: prove it with one".into(),
            ));
        }
        let cut = Cut::new(&run.profile, run.settings().log, run.subject.file_words(), groups);
        let (checks, most) = (cut.checks.len(), groups.max(MOST_CHECKS));
        if checks > most {
            return Err(Error::Public(format!(
                "the memory of this run is checked {checks} times, each by a worker, and {most} may be asked for: split it \
                 into as many groups, or prove it with one worker"
            )));
        }
        let held = run.source()?.0.map(|source| Held::of(&run, source, &cut)).transpose()?;
        let run = if held.is_some() { run.without_secret() } else { run };
        let mut digest = Digest::new();
        Statement::<Evaluator<F61>>::identify(&run, &mut digest);
        Ok(Self { run, digest: digest.finish(), asked: groups, cut, held })
    }

    /// What the parties compare before P says anything of its run: [`SplitRun::subject_digest`].
    #[must_use]
    pub fn subject(&self) -> [u8; 32] {
        Self::subject_digest(self.run.subject(), self.asked)
    }

    /// The digest of a run that is known as [`Subject::digest`](super::Subject::digest) has it, and is to be
    /// in this many groups.
    #[must_use]
    pub fn subject_digest(subject: [u8; 32], groups: usize) -> [u8; 32] {
        let mut digest = Digest::new();
        digest.bytes("statement", b"a run in groups v2").bytes("subject", &subject);
        digest.number("groups", groups as u64);
        digest.finish()
    }

    /// The statement, without P's secret.
    #[must_use]
    pub fn run(&self) -> &ProgramRun {
        &self.run
    }

    /// The same shards without P's secret.
    ///
    /// # Errors
    /// As [`SplitRun::new`].
    pub fn without_secret(&self) -> Result<Self, Error> {
        Self::new(self.run.without_secret(), self.asked)
    }

    /// The number of groups of segments.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.cut.groups.len()
    }

    /// The number of shards: groups of segments, and checks of the log behind them.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.cut.groups.len() + self.cut.checks.len()
    }

    /// The number of boundary wires of shard `n`.
    #[must_use]
    pub fn boundary(&self, n: usize) -> usize {
        self.cut.boundary(n, &self.run.profile.segments)
    }

    /// Which boundary wires are equal.
    #[must_use]
    pub fn joins(&self) -> Vec<Join> {
        self.cut.joins(&self.run.profile.segments)
    }

    /// Shard number `n`.
    ///
    /// # Errors
    /// [`Error::Misuse`] for a shard that there is not.
    pub fn shard(&self, n: usize) -> Result<SplitRunPart<'_>, Error> {
        let groups = self.cut.groups.len();
        let part = match n.checked_sub(groups) {
            None => self.cut.groups.get(n).map(|segments| Part::Group(n, segments.clone())),
            Some(check) => self.cut.checks.get(check).map(|of| Part::Check(check, of)),
        };
        let part = part.ok_or_else(|| Error::misuse(format!("shard {n} of {}", self.shards())))?;
        Ok(SplitRunPart { whole: self, n, part })
    }
}

/// The most checks of the log of a run in fewer groups. How many there are follows from what P says of its
/// run, and each is a worker that V starts.
pub const MOST_CHECKS: usize = 16;

/// A shard of a [`SplitRun`].
pub struct SplitRunPart<'a> {
    pub(super) whole: &'a SplitRun,
    n: usize,
    pub(super) part: Part<'a>,
}

/// What a shard is.
pub(super) enum Part<'a> {
    /// The group of this number: these segments, counted from 0.
    Group(usize, Range<usize>),
    /// The check of this number.
    Check(usize, &'a Check),
}

/// The error for a worker that has not been given its part of the run.
fn missing() -> Error {
    Error::Witness("the values of this part of the run are not here".into())
}

impl SplitRunPart<'_> {
    /// The number of its boundary wires.
    pub(super) fn boundary(&self) -> usize {
        self.whole.boundary(self.n)
    }

    /// Absorbs everything that determines the shard.
    pub fn identify(&self, digest: &mut Digest) {
        digest.bytes("shard", b"run of a program v3").bytes("run", &self.whole.digest);
        digest.number("groups", self.whole.groups() as u64).number("shard", self.n as u64);
    }

    /// No fewer than it commits to, and not many more.
    #[must_use]
    pub fn commitments(&self) -> u64 {
        let run = &self.whole.run;
        let (elements, arguments) = match &self.part {
            Part::Group(_, segments) => {
                let segments = run.profile.segments.get(segments.clone()).unwrap_or_default();
                let all = run.elements_in(&Profile { segments: segments.to_vec(), fresh: Vec::new() });
                (all.total() - all.log, segments.len())
            }
            Part::Check(number, check) => {
                let before = (check.entries, check.before, *number > 0);
                (run.elements_of_check(before, (check.fresh, check.after)), 1)
            }
        };
        // A product or a sum of inverses is two elements over a field of MACs with two coordinates, and a
        // challenge takes up to three more than are counted.
        2 * elements.ceil() as u64 + 3 * arguments as u64 + STATE as u64 + 8
    }

    /// Claims all of the shard. Returns its boundary wires.
    ///
    /// # Errors
    /// As of [`Statement::run`].
    pub fn claim<B: Challenge<F61>>(&self, b: &mut B) -> Result<Vec<B::Wire>, B::Error> {
        let held = self.whole.held.as_ref();
        match &self.part {
            Part::Group(number, segments) => {
                let held = held.map(|held| held.groups.get(number).ok_or_else(missing)).transpose()?;
                self.whole.claim_group(b, (*number, segments.clone()), held)
            }
            Part::Check(number, check) => {
                let held = held.map(|held| held.checks.get(number).ok_or_else(missing)).transpose()?;
                self.whole.claim_check(b, (*number, check), held)
            }
        }
    }
}

impl SplitRun {
    /// Claims the segments of a group, the start in the first and the end in the last.
    fn claim_group<B: Challenge<F61>>(
        &self,
        b: &mut B,
        (number, segments): (usize, Range<usize>),
        held: Option<&OfGroup>,
    ) -> Result<Vec<B::Wire>, B::Error> {
        let Self { run, cut, .. } = self;
        let (tables, all) = (run.tables(), &run.profile.segments);
        let (is_first, is_last) = (number == 0, number + 1 == cut.groups.len());
        let mut wires = Vec::new();
        let mut state = if is_first { run.start(b, held.map(OfGroup::length))? } else { begin(b, held)? };
        if !is_first {
            wires.extend(wires_of(&state));
        }
        let mut source = held.map(|held| held.source(run, segments.start)).transpose()?;
        let mut log = Log::new();
        let mut claimed = Segments::new(&tables, None, Watch(None));
        for (counts, number) in all.iter().zip(1..).skip(segments.start).take(segments.len()) {
            let segment = match (&mut source, held) {
                (Some(source), Some(held)) => Some(run.segment(source, counts, &held.new_words)?),
                _ => None,
            };
            #[cfg(test)]
            let segment = run.meddled(number, segment);
            let exits = number as usize == all.len() && matches!(run.claim.end, End::Exit(_));
            let here = (counts, Place { number, exits });
            state = claimed.claim(b, here, state, segment, &mut log)?;
        }
        claimed.close(b)?;
        if is_last {
            end::claim(b, &tables, &state, run.claim.end)?;
        } else {
            wires.extend(wires_of(&state));
        }
        wires.extend(log.noted().cloned());
        Ok(wires)
    }

    /// Claims a check of the log.
    fn claim_check<B: Challenge<F61>>(
        &self,
        b: &mut B,
        (number, check): (usize, &Check),
        held: Option<&OfCheck>,
    ) -> Result<Vec<B::Wire>, B::Error> {
        let Self { run, cut, .. } = self;
        let (tables, all) = (run.tables(), &run.profile.segments);
        let address = |address: u32| place(address, tables.regions.is_read_only(address));
        let live = |[word, value, segment]: [u32; LIVE]| [address(word), value.into(), segment.into()];
        let mut log = Log::new();
        if number > 0 {
            let count = LIVE * size(check.before);
            let values =
                held.map(|held| wiped(count, held.before.iter().flat_map(|word| live(*word)).map(integer)));
            let mut before = Vec::new();
            commit(b, count, values.as_ref().map(|values| &values[..]), &mut before)?;
            log = Log::with(before);
        }
        let mut wires: Vec<_> = log.live().cloned().collect();
        let mut entries = held.map(|held| &held.entries[..]);
        let of_check = all.iter().zip(1..).skip(check.segments.start).take(check.segments.len());
        for (Counts { words, .. }, number) in of_check {
            let words = *words as usize;
            let here = entries.map(|all| all.split_at_checked(words).ok_or_else(missing)).transpose()?;
            let values = here.map(|(here, _)| {
                let entry = |[word, rest @ ..]: &[u32; ENTRY]| {
                    core::iter::once(address(*word)).chain(rest.map(i64::from)).map(integer)
                };
                wiped(ENTRY * words, here.iter().flat_map(entry))
            });
            log.note_anew(b, (number, words), values.as_ref().map(|values| &values[..]))?;
            entries = here.map(|(_, rest)| rest);
        }
        wires.extend(log.noted().cloned());
        let values = held.map(|held| Committing {
            live: Box::new(held.after.iter().map(|word| live(*word))),
            fresh: &held.fresh,
        });
        log.check(b, &tables, (size(check.after), size(check.fresh)), values)?;
        if number + 1 < cut.checks.len() {
            wires.extend(log.live().cloned());
        }
        Ok(wires)
    }
}

/// A number of words, which [`Profile::check`] has bounded.
fn size(words: u64) -> usize {
    usize::try_from(words).unwrap_or(usize::MAX)
}

/// Commits to the state that a group begins with.
fn begin<B: Challenge<F61>>(b: &mut B, held: Option<&OfGroup>) -> Result<Boundary<B::Wire>, B::Error> {
    let values = held.map(|held| wiped(STATE, held.state.iter().map(|value| F61::new((*value).into()))));
    let mut registers = Vec::with_capacity(STATE);
    commit(b, STATE, values.as_ref().map(|values: &Zeroizing<Vec<F61>>| &values[..]), &mut registers)?;
    let place = registers.split_off(REGISTERS);
    let place = place.try_into().map_err(|_| Error::misuse("a state without a place"))?;
    Ok(Boundary { registers, place })
}

/// The wires of a state, in the order of [`STATE`].
fn wires_of<W: Clone>(state: &Boundary<W>) -> impl Iterator<Item = W> {
    state.registers.iter().chain(&state.place).cloned()
}

#[cfg(test)]
mod tests;
