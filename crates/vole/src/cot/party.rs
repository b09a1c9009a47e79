//! The two parties of random COT: OT extension, then Ferret.

use rand_core::CryptoRng;
use volery_channel::{Channel, Tag, tags};
use volery_field::Gf128;
use zeroize::Zeroizing;

use crate::ferret::{Params, ProverRound, Public, VerifierRound};
use crate::supply::{Party, Round};
use crate::transcript::SessionId;
use crate::{Delta, Error, Prg, softspoken};

macro_rules! round {
    ($round:ty) => {
        impl Round for $round {
            type Item = Gf128;

            fn params(&self) -> Params {
                Self::params(self)
            }
            fn block(&self, tree: usize, out: &mut [Gf128]) -> Result<(), Error> {
                Self::block(self, tree, out)
            }
        }
    };
}
round!(ProverRound);
round!(VerifierRound);

/// A fresh seed; the generator's output is used once.
fn fresh(seeds: &mut Prg) -> Zeroizing<[u8; 16]> {
    Zeroizing::new(seeds.block().to_bits().to_le_bytes())
}

/// The name of these correlations in the chain.
const KIND: &str = "bits";

/// P's part.
pub struct ProverParty {
    session: SessionId,
    extension: softspoken::Receiver,
    seeds: Prg,
}

impl ProverParty {
    /// From a finished set-up of OT extension; `rng` seeds the checks' coefficients.
    pub fn new(session: SessionId, extension: softspoken::Receiver, rng: &mut dyn CryptoRng) -> Self {
        let seeds = Prg::of_session(&session, "cot: seeds of P", rng);
        Self { session, extension, seeds }
    }
}

impl Party for ProverParty {
    type Item = Gf128;
    type Round = ProverRound;

    const IS_V: bool = false;
    const ANSWER_IS_LAST: bool = true;
    const LINK: Tag = tags::BITS_LINK;

    fn kind() -> String {
        KIND.to_owned()
    }

    fn session(&self) -> &SessionId {
        &self.session
    }

    fn base_len(params: &Params) -> usize {
        params.base_len()
    }

    fn extend(&mut self, n: usize, channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), Error> {
        self.extension.extend(channel, n, out)
    }

    fn open(
        &mut self,
        number: u64,
        params: Params,
        base: Zeroizing<Vec<Gf128>>,
        _channel: &mut dyn Channel,
    ) -> Result<ProverRound, Error> {
        ProverRound::open(Public::new(&self.session, number, params), base)
    }

    fn check(&mut self, round: &mut ProverRound, channel: &mut dyn Channel) -> Result<(), Error> {
        round.check(*fresh(&mut self.seeds), channel)
    }

    fn answer(&mut self, _round: &mut ProverRound, _channel: &mut dyn Channel) -> Result<(), Error> {
        Ok(())
    }

    fn verdict(&mut self, round: &mut ProverRound, channel: &mut dyn Channel) -> Result<(), Error> {
        round.verdict(channel)
    }
}

/// V's part.
pub struct VerifierParty {
    session: SessionId,
    extension: softspoken::Sender,
    delta: Delta,
    seeds: Prg,
}

impl VerifierParty {
    /// From a finished set-up of OT extension under `delta`; `rng` seeds the trees.
    pub fn new(
        session: SessionId,
        extension: softspoken::Sender,
        delta: Delta,
        rng: &mut dyn CryptoRng,
    ) -> Self {
        let seeds = Prg::of_session(&session, "cot: seeds of V", rng);
        Self { session, extension, delta, seeds }
    }

    /// The global key.
    #[must_use]
    pub fn delta(&self) -> &Delta {
        &self.delta
    }
}

impl Party for VerifierParty {
    type Item = Gf128;
    type Round = VerifierRound;

    const IS_V: bool = true;
    const ANSWER_IS_LAST: bool = true;
    const LINK: Tag = tags::BITS_LINK;

    fn kind() -> String {
        KIND.to_owned()
    }

    fn session(&self) -> &SessionId {
        &self.session
    }

    fn base_len(params: &Params) -> usize {
        params.base_len()
    }

    fn extend(&mut self, n: usize, channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), Error> {
        self.extension.extend(channel, n, out)
    }

    fn open(
        &mut self,
        number: u64,
        params: Params,
        base: Zeroizing<Vec<Gf128>>,
        channel: &mut dyn Channel,
    ) -> Result<VerifierRound, Error> {
        let public = Public::new(&self.session, number, params);
        VerifierRound::open(public, &self.delta, fresh(&mut self.seeds), base, channel)
    }

    fn check(&mut self, _round: &mut VerifierRound, _channel: &mut dyn Channel) -> Result<(), Error> {
        Ok(())
    }

    fn answer(&mut self, round: &mut VerifierRound, channel: &mut dyn Channel) -> Result<(), Error> {
        round.answer(channel)
    }

    fn verdict(&mut self, _round: &mut VerifierRound, _channel: &mut dyn Channel) -> Result<(), Error> {
        Ok(())
    }
}
