//! The stages of a generator.

use volery_channel::Network;

use crate::ferret::Params;

/// What a plan optimises for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// The shortest time: small rounds from tables that fit in the cache, about 0.3 bytes for each
    /// correlation.
    #[default]
    Lan,
    /// The fewest bytes: large rounds, about 0.1 bytes for each correlation.
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

    /// The network that estimates for the profile are about.
    #[must_use]
    pub const fn network(self) -> Network {
        match self {
            Self::Lan => Network::LAN,
            Self::Wan => Network::WAN,
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

    /// The stages of random COT over a [`Lot`](super::Lot) of [`Plan::lot_len`] correlations. A coordinator
    /// deals each worker a lot, so that the first round is one that starts from few.
    #[must_use]
    pub fn plan_of_lot(self) -> Plan {
        match self {
            Self::Lan => Plan::of_lot(&[Params::LOT, Params::SMALL]),
            Self::Wan => Plan::of_lot(&[Params::LOT, Params::SMALL, Params::LARGE]),
        }
    }
}

/// The stages of a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The number of correlations made before the first round; a multiple of `chunk`. With zero the first
    /// round comes before everything.
    pub extension: usize,
    /// The number of correlations that one message makes without a round.
    pub chunk: usize,
    /// If at least this many correlations are expected, rounds begin at once.
    pub long: u64,
    /// The number of chunks that are read meanwhile in that case: none if they cost more than waiting for the
    /// first round.
    pub lead: usize,
    /// The parameter sets of the rounds, in order; the last one repeats. If there are none, there are no
    /// rounds.
    pub rounds: &'static [Params],
}

impl Plan {
    /// The number of correlations that OT extension makes in one message.
    pub const CHUNK: usize = 1 << 13;

    /// The usual length of the first stage: enough for three SHA-256 blocks and more before the first tree is
    /// sent, and short compared with the output of a round.
    pub(crate) const EXTENSION: usize = 1 << 17;

    /// The number of expected correlations from which rounds begin at once: OT extension takes about five
    /// times as long for each correlation as a round, and a round's fixed cost is that of some ten thousand
    /// of them.
    pub(crate) const LONG: u64 = 1 << 18;

    /// A plan for random COT with these rounds.
    #[must_use]
    pub const fn bits(rounds: &'static [Params]) -> Self {
        Self { extension: Self::EXTENSION, chunk: Self::CHUNK, long: Self::LONG, lead: 4, rounds }
    }

    /// A plan over a [`Lot`](super::Lot): the first round starts from all of it, before anything is given
    /// out.
    #[must_use]
    pub const fn of_lot(rounds: &'static [Params]) -> Self {
        Self { extension: 0, chunk: Self::CHUNK, long: 0, lead: 0, rounds }
    }

    /// A plan for fewer correlations than a lot has: it gives out the lot itself, and makes no round.
    #[must_use]
    pub const fn lot_alone() -> Self {
        Self { extension: 0, chunk: 1 << 8, long: u64::MAX, lead: 0, rounds: &[] }
    }

    /// The length of the lots of random COT that [`Profile::plan_of_lot`] starts from.
    #[must_use]
    pub fn lot_len(&self) -> usize {
        self.round(0).map_or(0, |params| params.base_len())
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
        let plans = [Profile::Lan, Profile::Wan].map(|profile| [profile.plan(), profile.plan_of_lot()]);
        for plan in plans.concat() {
            assert_eq!(plan.extension % Plan::CHUNK, 0);
            for number in 0..4 {
                let (this, next) = (plan.round(number).unwrap(), plan.round(number + 1).unwrap());
                let left = this.outputs() / 4 * 3 - 2 * this.block_len();
                assert!(next.base_len() < left, "{plan:?} {number}");
                // In the steady state even before the half, where P needs V's trees.
                assert!(this != next || 4 * next.base_len() < this.outputs(), "{plan:?} {number}");
            }
        }
    }

    /// 16 bytes a correlation: what the guide and the figures of splits say of a lot.
    #[test]
    fn a_lot_is_three_quarters_of_a_megabyte() {
        for profile in [Profile::Lan, Profile::Wan] {
            assert_eq!(16 * profile.plan_of_lot().lot_len(), 749_056, "{profile:?}");
        }
    }
}
