//! Which stages a supply goes through.

use crate::ferret::Params;

/// What a network favours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Fewest seconds: small rounds from tables that fit the cache, about 0.3 bytes a correlation.
    #[default]
    Lan,
    /// Fewest bytes: large rounds, about 0.1 bytes a correlation.
    Wan,
}

impl Profile {
    /// The name on the command line and in the handshake.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lan => "lan",
            Self::Wan => "wan",
        }
    }

    /// The stages.
    #[must_use]
    pub fn plan(self) -> Plan {
        match self {
            Self::Lan => Plan::bits(&[Params::SMALL]),
            Self::Wan => Plan::bits(&[Params::SMALL, Params::LARGE]),
        }
    }
}

/// The stages of a supply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Correlations made without a round before the first round; a multiple of `chunk`.
    pub extension: usize,
    /// Correlations that are made without a round in one message.
    pub chunk: usize,
    /// From this many expected correlations on, rounds begin at once.
    pub long: u64,
    /// Chunks that are read meanwhile in that case: none if they cost more than waiting for the first round.
    pub lead: usize,
    /// Parameter sets of the rounds, in order; the last repeats. None: no rounds ever.
    pub rounds: &'static [Params],
}

impl Plan {
    /// Correlations that OT extension makes in one message.
    pub const CHUNK: usize = 1 << 13;

    /// The usual length of the first stage: three SHA-256 blocks and more before the first tree is sent, and
    /// short beside what a round gives.
    pub const EXTENSION: usize = 1 << 17;

    /// Where rounds begin at once: OT extension makes a correlation in about five times the time that a round
    /// takes, and a round's fixed cost is some ten thousand of them.
    pub const LONG: u64 = 1 << 18;

    /// A plan for random COT with these rounds.
    #[must_use]
    pub const fn bits(rounds: &'static [Params]) -> Self {
        Self { extension: Self::EXTENSION, chunk: Self::CHUNK, long: Self::LONG, lead: 4, rounds }
    }

    /// The set of round `number`, counted from 0.
    #[must_use]
    pub fn round(&self, number: usize) -> Option<Params> {
        self.rounds.get(number).or(self.rounds.last()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_can_set_aside_its_successor_s_base_after_one_quarter() {
        for profile in [Profile::Lan, Profile::Wan] {
            let plan = profile.plan();
            assert_eq!(plan.extension % Plan::CHUNK, 0);
            for number in 0..4 {
                let (this, next) = (plan.round(number).unwrap(), plan.round(number + 1).unwrap());
                let left = this.outputs() / 4 * 3 - 2 * this.block_len();
                assert!(next.base_len() < left, "{profile:?} {number}");
                // In the steady state even before the half, where P needs V's trees.
                assert!(this != next || 4 * next.base_len() < this.outputs(), "{profile:?} {number}");
            }
        }
    }
}
