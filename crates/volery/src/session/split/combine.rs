//! Many boundary wires: tags and keys stay with the workers, which answer a question about them with sums.
//! The module's documentation has the argument.

use core::fmt;
use std::collections::BTreeMap;
use std::time::Duration;

use volery_channel::platform::Instant;
use volery_field::{Element, Wiped};
use volery_vole::Prg;

use super::Layout;
use crate::Error;

/// More boundary wires of one shard than this stay at its worker, and all shards of the layout are joined by
/// sums. Up to here it costs less to bring them: a round trip more would be needed.
pub const MOST_BROUGHT: usize = 1 << 12;

/// The part of a tag that shows its wire's value; none over fields whose tags show nothing.
pub(crate) type Shown<M> = Option<fn(&M) -> M>;

/// Coefficients that are made at once.
const PART: usize = 1 << 10;

/// Says every so often, while a party adds up, that it is still there.
pub(super) struct Heartbeat {
    every: Duration,
    last: Instant,
}

impl Heartbeat {
    pub(super) fn new(every: Duration) -> Self {
        Self { every, last: Instant::now() }
    }

    /// Whether it is time to say so again.
    pub(super) fn is_due(&mut self) -> bool {
        let is_due = self.last.elapsed() >= self.every;
        if is_due {
            self.last = Instant::now();
        }
        is_due
    }
}

/// The bytes of a seed of coefficients. As many seeds as errors can be made for are nothing beside all of
/// them.
pub(super) const SEED: usize = 24;

impl Layout {
    /// Whether its shards are joined by sums: whether one of them has more boundary wires than a worker
    /// brings.
    #[must_use]
    pub fn is_combined(&self) -> bool {
        self.shards().iter().any(|shard| shard.boundary > MOST_BROUGHT)
    }
}

/// One side of a run of equal wires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunOf {
    /// The run's number in the layout.
    pub(super) number: u32,
    /// The first wire.
    pub(super) first: usize,
    pub(super) wires: usize,
}

/// What a coordinator asks a worker whose proof is finished: sums of its boundary wires' tags or keys, under
/// coefficients that nobody knew before all proofs were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub(super) shard: u32,
    pub(super) attempt: u32,
    pub(super) seed: [u8; SEED],
    pub(super) runs: Vec<RunOf>,
}

impl Question {
    /// What all shards are asked, which are at these attempts: for the shard's sides of runs of equal wires,
    /// in the layout's order. A run within one shard asks it for both sides.
    pub(super) fn all(layout: &Layout, attempts: &[u32], seed: [u8; SEED]) -> Vec<Self> {
        let question =
            |(shard, attempt): (u32, &u32)| Self { shard, attempt: *attempt, seed, runs: Vec::new() };
        let mut all: Vec<Self> = (0..).zip(attempts).map(question).collect();
        for (number, equal) in (0..).zip(layout.equal()) {
            for (shard, first) in [equal.from, equal.to] {
                if let Some(question) = all.get_mut(shard) {
                    question.runs.push(RunOf { number, first, wires: equal.wires });
                }
            }
        }
        all
    }

    /// The shard that is asked.
    #[must_use]
    pub fn shard(&self) -> usize {
        self.shard as usize
    }

    /// The attempt whose worker is asked.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The answer of whoever has these tags or keys. `shown` is the part of a tag that shows the value, if
    /// there is one. `between` is called again and again meanwhile: it may take long.
    ///
    /// # Errors
    /// [`Error::Split`] for wires that there are not; what `between` returns.
    pub(super) fn answer<M: Element>(
        &self,
        macs: &[M],
        shown: Shown<M>,
        between: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<Answer<M>, Error> {
        let mut sums = Wiped::new(Vec::with_capacity(2 * self.runs.len()));
        for run in &self.runs {
            let Some(macs) = macs.get(run.first..).and_then(|rest| rest.get(..run.wires)) else {
                return Err(Error::Split(format!(
                    "a question about {} boundary wires from number {} on, and there are {}",
                    run.wires,
                    run.first,
                    macs.len()
                )));
            };
            let coefficients = self.coefficients(run.number);
            // There is room for all, so nothing moves.
            sums.extend([M::ZERO; 2]);
            let Some(both) = sums.last_chunk_mut() else { continue };
            combine(macs, shown, coefficients, between, both)?;
        }
        Ok(Answer { shard: self.shard, attempt: self.attempt, seed: self.seed, sums })
    }

    /// The generator of a run's coefficients: one for each wire, by its place in the run. No two runs have
    /// the same.
    fn coefficients(&self, number: u32) -> Prg {
        let mut hasher = blake3::Hasher::new_derive_key("volery 2026 split: coefficients of a run v1");
        hasher.update(&self.seed).update(&number.to_le_bytes());
        let (mut key, mut salt) = ([0; 16], [0; 8]);
        let mut stream = hasher.finalize_xof();
        stream.fill(&mut key);
        stream.fill(&mut salt);
        Prg::salted(key, u64::from_le_bytes(salt))
    }
}

/// Adds to `sum` the elements under these coefficients, and to `values` what they show of values, if they
/// show anything.
fn combine<M: Element>(
    macs: &[M],
    shown: Shown<M>,
    mut coefficients: Prg,
    between: &mut dyn FnMut() -> Result<(), Error>,
    [sum, values]: &mut [M; 2],
) -> Result<(), Error> {
    let mut chi = vec![M::ZERO; PART.min(macs.len())];
    for macs in macs.chunks(PART) {
        let Some(chi) = chi.get_mut(..macs.len()) else { break };
        coefficients.coefficients(chi);
        for (chi, mac) in chi.iter().zip(macs) {
            *sum += *chi * *mac;
            if let Some(shown) = shown {
                *values += *chi * shown(mac);
            }
        }
        between()?;
    }
    Ok(())
}

/// What a worker answers: for each run that it was asked for the sum of tags or keys, and that of what they
/// show of values. It is a secret.
pub struct Answer<M: Copy + Default> {
    pub(super) shard: u32,
    pub(super) attempt: u32,
    /// The seed of the question that it answers.
    pub(super) seed: [u8; SEED],
    pub(super) sums: Wiped<M>,
}

/// What all shards have answered to questions with this seed.
pub(super) type Sums<M> = ([u8; SEED], BTreeMap<usize, Answer<M>>);

impl<M: Copy + Default> fmt::Debug for Answer<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Answer");
        out.field("shard", &self.shard).field("attempt", &self.attempt).finish_non_exhaustive()
    }
}

impl<M: Copy + Default> Answer<M> {
    /// Whether it is the answer to `question`.
    pub(super) fn fits(&self, question: &Question) -> bool {
        self.shard == question.shard
            && self.attempt == question.attempt
            && self.seed == question.seed
            && self.sums.len() == 2 * question.runs.len()
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{F61x2, Gf128, Ring as _};

    use super::*;
    use crate::session::split::{Equal, ShardInfo};

    fn layout(equal: Vec<Equal>) -> Layout {
        let shards = [3, 5, 4].map(|boundary| ShardInfo { digest: [7; 32], boundary });
        Layout::new(shards.into(), equal).expect("valid")
    }

    fn quietly() -> Result<(), Error> {
        Ok(())
    }

    fn some<M: Element>(n: usize) -> Vec<M> {
        let mut out = vec![M::ZERO; n];
        Prg::new([3; 16]).elements(&mut out);
        out
    }

    #[test]
    fn both_sides_of_a_run_have_the_same_coefficients_and_no_two_runs_have() {
        let equal = |from, to, wires| Equal { from, to, wires };
        let layout =
            layout(vec![equal((0, 1), (1, 0), 2), equal((1, 2), (2, 1), 2), equal((1, 0), (1, 3), 2)]);
        let question = |shard: usize| Question::all(&layout, &[0; 3], [9; SEED])[shard].clone();
        assert_eq!(question(0).runs.len(), 1);
        assert_eq!(question(1).runs.len(), 4);
        let macs: Vec<Gf128> = some(2);
        let sums = |shard: usize, run: usize, first: usize, n: usize| {
            let mut all = vec![Gf128::ZERO; n];
            all[first..first + 2].copy_from_slice(&macs);
            question(shard).answer(&all, None, &mut quietly).expect("an answer").sums[2 * run]
        };
        assert_eq!(sums(0, 0, 1, 3), sums(1, 0, 0, 5));
        assert_eq!(sums(1, 1, 2, 5), sums(2, 0, 1, 4));
        assert_ne!(sums(0, 0, 1, 3), sums(2, 0, 1, 4));
        // Within a shard, both sides.
        assert_eq!(sums(1, 2, 0, 5), sums(1, 3, 3, 5));
        assert_ne!(sums(1, 2, 0, 5), sums(1, 0, 0, 5));
    }

    #[test]
    fn a_sum_has_every_wire_under_a_coefficient_of_its_own_that_the_seed_gives() {
        let layout = layout(vec![Equal { from: (0, 0), to: (1, 0), wires: 3 }]);
        let answer = |seed: u8, macs: &[F61x2]| {
            let question = &Question::all(&layout, &[0; 3], [seed; SEED])[0];
            question.answer(macs, None, &mut quietly).expect("an answer").sums[0]
        };
        let macs: Vec<F61x2> = some(3);
        let base = answer(1, &macs);
        assert_ne!(base, answer(2, &macs));
        let mut each = Vec::new();
        for wire in 0..3 {
            let mut other = macs.clone();
            other[wire] += F61x2::ONE;
            each.push(answer(1, &other) - base);
        }
        assert!(each[0] != each[1] && each[1] != each[2] && each[0] != each[2] && each[0] != F61x2::ZERO);
        // Longer runs than a part are not cut off.
        let long = Layout::new(
            [1, 2].map(|_| ShardInfo { digest: [7; 32], boundary: 3 * PART + 1 }).into(),
            vec![Equal { from: (0, 0), to: (1, 0), wires: 3 * PART + 1 }],
        );
        let question = &Question::all(&long.expect("valid"), &[0; 2], [1; SEED])[0];
        let mut macs: Vec<F61x2> = some(3 * PART + 1);
        let of = |macs: &[F61x2]| question.answer(macs, None, &mut quietly).expect("an answer").sums[0];
        let base = of(&macs);
        macs[3 * PART] += F61x2::ONE;
        assert_ne!(base, of(&macs));
        assert!(question.answer(&macs[1..], None, &mut quietly).is_err());
        // Each part ends with a chance to say that it goes on, and to end.
        let mut times = 0;
        let mut between = || {
            times += 1;
            if times > 3 { Err(Error::Over) } else { Ok(()) }
        };
        assert!(question.answer(&macs, None, &mut between).is_err() && times == 4);
    }

    #[test]
    fn an_answer_to_another_question_does_not_fit() {
        let layout = layout(vec![Equal { from: (0, 0), to: (1, 0), wires: 3 }]);
        let question = |shard: usize, attempt, seed: u8| {
            Question::all(&layout, &[attempt; 3], [seed; SEED])[shard].clone()
        };
        let answer =
            |question: Question| question.answer(&some::<Gf128>(5), None, &mut quietly).expect("an answer");
        let asked = question(0, 1, 1);
        assert!(answer(asked.clone()).fits(&asked));
        for other in [question(1, 1, 1), question(0, 0, 1), question(0, 1, 2)] {
            assert!(!answer(other).fits(&asked));
        }
        let mut short = answer(asked.clone());
        short.sums.pop();
        assert!(!short.fits(&asked));
    }
}
