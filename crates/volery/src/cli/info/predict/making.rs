//! What the making of correlations sends: a run of [`Supply`](volery_vole::supply::Supply) that makes none.

use volery_vole::Params;
use volery_vole::supply::Plan;

/// What the stages of one kind of correlations cost.
pub(super) struct Stages<'a> {
    pub(super) plan: Plan,
    /// Correlations that a round starts from.
    pub(super) base_len: &'a dyn Fn(&Params) -> usize,
    /// Bytes that P sends for so many correlations without a round.
    pub(super) extension: &'a dyn Fn(u64) -> u64,
    /// Bytes that V sends for as many that are no part of a round.
    pub(super) link: &'a dyn Fn(u64) -> u64,
    /// Bytes that P sends for a round.
    pub(super) round_prover: &'a dyn Fn(&Params) -> u64,
    /// Bytes that V sends for it.
    pub(super) round_verifier: &'a dyn Fn(&Params) -> u64,
}

/// What was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) prover: u64,
    pub(super) verifier: u64,
    pub(super) rounds: u64,
}

/// The stage that is being read, in blocks.
struct Stage {
    /// The round that is read; none: the extension.
    round: Option<Params>,
    blocks: u64,
    block_len: u64,
    read: u64,
    /// The next stage, once it is being prepared.
    next: Option<Params>,
}

/// Stages that are run one by one; the last kind of round repeats after them, and a long statement has very many.
const RUN: usize = 32;

impl Stages<'_> {
    /// What making `wanted` correlations sends. `announced`: the taker said beforehand how many it takes.
    pub(super) fn make(&self, wanted: u64, announced: bool) -> Made {
        let mut made = Made::default();
        let (mut given, mut number) = (0, 0);
        let mut stage = self.first(wanted, announced);
        while given < wanted {
            if stage.next.is_none() && self.open_due(&stage, number, wanted - given, announced) {
                self.open(&mut stage, &mut number, &mut made);
            }
            if stage.read >= stage.blocks {
                let Some(next) = stage.next else { break };
                if number > self.plan.rounds.len() + RUN {
                    return self.repeat(made, wanted - given, &next);
                }
                stage = Stage {
                    round: Some(next),
                    blocks: next.trees.into(),
                    block_len: next.block_len() as u64,
                    read: 0,
                    next: None,
                };
                continue;
            }
            let blocks = self.step(&stage, number, wanted - given);
            let mut correlations = blocks.saturating_mul(stage.block_len);
            if announced && stage.round.is_none() {
                correlations = correlations.min(wanted - given);
            }
            stage.read += blocks;
            given = given.saturating_add(correlations);
            if stage.round.is_none() {
                made.prover = made.prover.saturating_add((self.extension)(correlations));
                made.verifier = made.verifier.saturating_add((self.link)(correlations));
            }
        }
        made
    }

    fn first(&self, wanted: u64, announced: bool) -> Stage {
        let chunk = self.plan.chunk.max(1) as u64;
        let blocks = match self.plan.rounds {
            [] => u64::MAX,
            _ if announced && wanted >= self.plan.long => self.plan.lead as u64,
            _ => (self.plan.extension as u64 / chunk).max(1),
        };
        Stage { round: None, blocks, block_len: chunk, read: 0, next: None }
    }

    /// The end of the stage's `n`th quarter, in blocks.
    fn quarter(stage: &Stage, n: u64) -> u64 {
        stage.blocks / 4 * n + stage.blocks % 4 * n / 4
    }

    /// How far the stage can be read and still leave what the next round starts from.
    fn last_open(&self, stage: &Stage, number: usize) -> Option<u64> {
        let next = self.plan.round(number)?;
        let reserve = match stage.round {
            None => 0,
            Some(_) => ((self.base_len)(&next) as u64).div_ceil(stage.block_len),
        };
        stage.blocks.checked_sub(reserve)
    }

    fn open_due(&self, stage: &Stage, number: usize, left: u64, announced: bool) -> bool {
        let Some(last) = self.last_open(stage, number) else { return false };
        let decides = match stage.round {
            None => stage.read >= Self::quarter(stage, 1),
            Some(_) => (1..4).any(|n| stage.read == Self::quarter(stage, n)),
        };
        let enough = announced && left <= last.saturating_sub(stage.read).saturating_mul(stage.block_len);
        stage.read >= last || (decides && !enough)
    }

    /// Starts the next round.
    fn open(&self, stage: &mut Stage, number: &mut usize, made: &mut Made) {
        let Some(params) = self.plan.round(*number) else { return };
        let base = (self.base_len)(&params) as u64;
        match stage.round {
            None => made.prover = made.prover.saturating_add((self.extension)(base)),
            Some(_) => stage.read = (stage.read + base.div_ceil(stage.block_len)).min(stage.blocks),
        }
        made.prover = made.prover.saturating_add((self.round_prover)(&params));
        made.verifier = made.verifier.saturating_add((self.round_verifier)(&params));
        made.rounds += 1;
        stage.next = Some(params);
        *number += 1;
    }

    /// How many blocks are read before anything is decided again.
    fn step(&self, stage: &Stage, number: usize, left: u64) -> u64 {
        if stage.round.is_none() && stage.blocks < u64::MAX {
            return 1;
        }
        let last = self.last_open(stage, number).filter(|_| stage.next.is_none());
        let places = (1..=4).map(|n| Self::quarter(stage, n)).chain(last);
        let barrier = places.filter(|place| *place > stage.read).min().unwrap_or(stage.blocks);
        left.div_ceil(stage.block_len).clamp(1, (barrier - stage.read).max(1))
    }

    /// What is left, in rounds that repeat.
    fn repeat(&self, made: Made, left: u64, params: &Params) -> Made {
        let usable = (params.outputs() as u64).saturating_sub((self.base_len)(params) as u64).max(1);
        // The first of them is paid for.
        let rounds = left.div_ceil(usable).saturating_sub(1);
        let add = |sum: u64, bytes: u64| sum.saturating_add(rounds.saturating_mul(bytes));
        Made {
            prover: add(made.prover, (self.round_prover)(params)),
            verifier: add(made.verifier, (self.round_verifier)(params)),
            rounds: made.rounds.saturating_add(rounds),
        }
    }
}
