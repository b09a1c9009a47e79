//! How a coordinator joins shards: what it asks workers that have kept their boundary wires, and the hash.

use std::collections::{BTreeMap, BTreeSet};

use volery_channel::Channel;
use volery_field::Element;
use volery_vole::Transcript;
use volery_vole::correlations::Chain;
use zeroize::{Zeroize as _, Zeroizing};

use super::combine::{Heartbeat, Question, SEED};
use super::coordinate::{Run, say_waiting};
use super::dealt::{Dealt, encode};
use super::layout::Equal;
use super::worker::Lost;
use super::workers::{Answered, Workers};
use crate::Error;
use crate::session::Common;

/// Differences that are hashed at once.
const PART: usize = 1 << 12;

impl<M: Element> Run<'_, M> {
    /// Gets the sums of all shards under this seed, from workers that have kept their boundary wires and from
    /// what the others brought. Returns the shards of workers that are lost before they have answered, at
    /// either party: they are to be proved again, and then all are asked again.
    pub(super) fn ask<L, Y: Dealt<Mac = M>>(
        &mut self,
        seed: [u8; SEED],
        workers: &mut dyn Workers<L, M>,
        channel: &mut dyn Channel,
    ) -> Result<Vec<usize>, Error> {
        let questions = Question::all(self.layout, &self.attempts, seed);
        let (mut answers, mut missing) = (BTreeMap::new(), BTreeSet::new());
        let mut heartbeat = Heartbeat::new(self.heartbeat);
        for question in &questions {
            let shard = question.shard();
            match self.proved.get(&shard) {
                Some(proved) if proved.is_kept() && !question.runs.is_empty() => {
                    workers.ask(question)?;
                    missing.insert(shard);
                }
                Some(proved) => {
                    // What this says is all that the peer hears while it adds up.
                    let mut between = || match heartbeat.is_due() {
                        true => say_waiting(channel),
                        false => Ok(()),
                    };
                    answers.insert(shard, question.answer(&proved.macs, Y::SHOWN, &mut between)?);
                }
                None => return Err(Error::Split(format!("shard {shard} is not proved"))),
            }
        }
        while !missing.is_empty() {
            let Some(Answered { shard, attempt, result }) = workers.answered(self.heartbeat)? else {
                say_waiting(channel)?;
                continue;
            };
            if self.attempts.get(shard) != Some(&attempt) || !missing.remove(&shard) {
                return Err(Error::Split(format!("a worker of shard {shard} answered that nobody asked")));
            }
            match result {
                Ok(answer) if questions.get(shard).is_some_and(|question| answer.fits(question)) => {
                    answers.insert(shard, answer);
                }
                Ok(_) => {
                    return Err(Error::Split(format!(
                        "the worker of shard {shard} answered something else: another question, or with \
                         another number of sums"
                    )));
                }
                Err(Lost::Failed(error)) => return Err(error),
                // It had brought its proof, so nothing is exposed.
                Err(_) => drop(self.proved.remove(&shard)),
            }
        }
        self.sums = Some((seed, answers));
        let all: Vec<usize> = (0..questions.len()).collect();
        self.compare(&all, channel)
    }

    /// The hash over all shards, and all differences of boundary wires or of their sums.
    pub(super) fn join<Y: Dealt<Mac = M>>(
        &self,
        common: &Common,
        chains: &[Chain],
    ) -> Result<[u8; 32], Error> {
        let mut transcript = Transcript::new("volery split join v1", &common.id);
        transcript.absorb("layout", &self.layout.digest());
        chains.iter().for_each(|chain| transcript.absorb("chain of the lots", chain.as_bytes()));
        for shard in 0..self.layout.shards().len() {
            let Some(proved) = self.proved.get(&shard) else {
                return Err(Error::Split(format!("shard {shard} is not proved")));
            };
            transcript.absorb_number("attempt", proved.attempt.into());
            transcript.absorb("worker", &proved.session);
            transcript.absorb("shard", &proved.digest);
            match (common.options.fiat_shamir, &proved.transcript) {
                (true, Some(sent)) => transcript.absorb("transcript", sent),
                (false, None) => {}
                _ => return Err(Error::Split(format!("the worker of shard {shard} had other challenges"))),
            }
        }
        let all_fit = match self.layout.is_combined() {
            true => self.absorb_sums(&mut transcript)?,
            false => self.absorb_wires::<Y>(&mut transcript)?,
        };
        match all_fit {
            true => Ok(transcript.challenge_seed("join").into_bytes()),
            // Its hash would show V which ones.
            false => Err(Error::Split(
                "the shards' witnesses do not fit together: boundary wires that should be equal are not"
                    .into(),
            )),
        }
    }

    /// The difference of each two wires that are to be equal. Returns whether they may be.
    fn absorb_wires<Y: Dealt<Mac = M>>(&self, transcript: &mut Transcript) -> Result<bool, Error> {
        let macs = |(shard, first): (usize, usize), wires: usize| {
            self.proved.get(&shard).and_then(|proved| proved.macs.get(first..)?.get(..wires))
        };
        // Wiped also where this ends early; no longer than this, so nothing moves.
        let mut bytes = Zeroizing::new(Vec::with_capacity(PART * size_of::<M>()));
        let mut all_fit = true;
        for Equal { from, to, wires } in self.layout.equal() {
            let (Some(a), Some(b)) = (macs(*from, *wires), macs(*to, *wires)) else {
                return Err(Error::Split("boundary wires that no worker has".into()));
            };
            for (a, b) in a.chunks(PART).zip(b.chunks(PART)) {
                bytes.zeroize();
                for (a, b) in a.iter().zip(b) {
                    let difference = *a - *b;
                    all_fit &= Y::may_be_equal(&difference);
                    encode(&difference, &mut bytes);
                }
                transcript.absorb("differences", &bytes);
            }
        }
        Ok(all_fit)
    }

    /// The seed, and for each run the difference of the two sums. Returns whether the wires may be equal.
    fn absorb_sums(&self, transcript: &mut Transcript) -> Result<bool, Error> {
        let missing = || Error::Split("sums of boundary wires that no worker has".into());
        let (seed, answers) = self.sums.as_ref().ok_or_else(missing)?;
        transcript.absorb("seed of sums", seed);
        // A worker answers for its sides in the layout's order.
        let mut sides: BTreeMap<usize, core::slice::Iter<'_, [M; 2]>> =
            answers.iter().map(|(shard, answer)| (*shard, answer.sums.as_chunks().0.iter())).collect();
        let mut next = |shard: usize| sides.get_mut(&shard).and_then(Iterator::next).ok_or_else(missing);
        let mut bytes = Zeroizing::new(Vec::with_capacity(size_of::<M>()));
        let mut all_fit = true;
        for Equal { from, to, .. } in self.layout.equal() {
            let ([a, shown_a], [b, shown_b]) = (next(from.0)?, next(to.0)?);
            all_fit &= *shown_a == *shown_b;
            bytes.zeroize();
            encode(&(*a - *b), &mut bytes);
            transcript.absorb("difference of sums", &bytes);
        }
        Ok(all_fit)
    }
}

#[cfg(test)]
mod tests {
    // What is joined, and what is not, is tested with whole proofs: see `tests`.
    use core::time::Duration;

    use volery_channel::{Channel as _, Limits, memory_pair, tags};
    use volery_field::{Gf128, Wiped};

    use super::*;
    use crate::session::split::{Answer, Ended, Layout, Proved, Settings, ShardInfo, Summary};
    use crate::system::Bits;

    /// No worker is asked: what it keeps is with the coordinator.
    struct Nobody;

    impl Workers<(), Gf128> for Nobody {
        fn start(&mut self, (): ()) -> Result<(), Error> {
            Err(Error::Over)
        }

        fn wait(&mut self, _: Duration) -> Result<Option<Ended<Gf128>>, Error> {
            Err(Error::Over)
        }

        fn ask(&mut self, _: &Question) -> Result<(), Error> {
            Err(Error::Over)
        }

        fn answered(&mut self, _: Duration) -> Result<Option<Answered<Gf128>>, Error> {
            Err(Error::Over)
        }
    }

    #[test]
    fn a_coordinator_that_adds_up_by_itself_says_that_it_is_there() {
        let summary = Summary {
            soundness_bits: 100.0,
            claims: 1,
            commitments: 2,
            correlations: 3,
            bytes_sent: 4,
            bytes_received: 5,
            time: Duration::ZERO,
        };
        let info = || ShardInfo { digest: [7; 32], boundary: 3 };
        let equal = vec![Equal { from: (0, 0), to: (1, 0), wires: 3 }];
        let layout = Layout::new(vec![info(), info()], equal).expect("a layout");
        let mut run = Run::new(&layout, Settings::default());
        run.heartbeat = Duration::ZERO;
        for shard in 0..2 {
            let macs = Wiped::new(vec![Gf128::ONE; 3]);
            let proved = Proved {
                shard,
                attempt: 0,
                session: [1; 32],
                digest: [7; 32],
                transcript: None,
                wires: 3,
                macs,
                summary,
            };
            run.proved.insert(shard as usize, proved);
        }
        let (mut ours, mut theirs) = memory_pair(&Limits::default());
        theirs.send(tags::SPLIT_STATUS, &[1, 0b11]).expect("sent");
        theirs.flush().expect("sent");
        let lost = run.ask::<_, Bits>([5; SEED], &mut Nobody, &mut ours).expect("asked");
        assert!(lost.is_empty());
        // Once for each side, and then who has answered.
        for said in [&[0][..], &[0], &[1, 0b11]] {
            assert_eq!(theirs.recv(tags::SPLIT_STATUS, 2).expect("said"), said);
        }
    }

    #[test]
    fn an_answer_shows_nothing_of_its_sums() {
        let sums = Wiped::new(vec![123_456_u64]);
        let answer = Answer { shard: 1, attempt: 0, seed: [0; SEED], sums };
        assert!(!format!("{answer:?}").contains("123456"));
    }
}
