//! The two parties of random COT: OT extension, then Ferret.

use rand_core::CryptoRng;
use volery_channel::{Channel, Tag, tags};
use volery_field::Gf128;
use zeroize::Zeroizing;

use crate::correlations::{BlankRound, Extension, Party, Round};
use crate::ferret::{CHECK_BYTES, Params, ProverRound, Public, VERDICT_BYTES, VerifierRound};
use crate::softspoken::FieldBits;
use crate::transcript::SessionId;
use crate::{Delta, Error, Prg, softspoken};

macro_rules! round {
    ($round:ty) => {
        impl Round for $round {
            type Correlation = Gf128;

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

/// A fresh seed. Each output of the generator is used once.
fn fresh(seeds: &mut Prg) -> Zeroizing<[u8; 16]> {
    Zeroizing::new(seeds.block().to_bits().to_le_bytes())
}

/// The name of these correlations in the chain.
const KIND: &str = "bits";

impl Extension<Gf128> for softspoken::Receiver {
    fn extend(&mut self, n: usize, channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), Error> {
        Self::extend(self, channel, n, out)
    }
}

impl Extension<Gf128> for softspoken::Sender {
    fn extend(&mut self, n: usize, channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), Error> {
        Self::extend(self, channel, n, out)
    }
}

/// The prover's part. Its first correlations come from `E`.
pub struct ProverParty<E = softspoken::Receiver> {
    session: SessionId,
    extension: E,
    seeds: Prg,
}

impl<E: Extension<Gf128>> ProverParty<E> {
    /// Starts from a finished setup of OT extension, or from a [`Lot`](crate::correlations::Lot). `rng` seeds
    /// the checks' coefficients.
    pub fn new(session: SessionId, extension: E, rng: &mut dyn CryptoRng) -> Self {
        let seeds = Prg::of_session(&session, "cot: seeds of P", rng);
        Self { session, extension, seeds }
    }
}

impl<E: Extension<Gf128>> Party for ProverParty<E> {
    type Correlation = Gf128;
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
        self.extension.extend(n, channel, out)
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

/// The verifier's part. Its first correlations come from `E`.
pub struct VerifierParty<E = softspoken::Sender> {
    session: SessionId,
    extension: E,
    delta: Delta,
    seeds: Prg,
}

impl<E: Extension<Gf128>> VerifierParty<E> {
    /// Starts from a finished setup of OT extension under `delta`, or from a
    /// [`Lot`](crate::correlations::Lot). `rng` seeds the trees.
    pub fn new(session: SessionId, extension: E, delta: Delta, rng: &mut dyn CryptoRng) -> Self {
        let seeds = Prg::of_session(&session, "cot: seeds of V", rng);
        Self { session, extension, delta, seeds }
    }
}

impl<E: Extension<Gf128>> Party for VerifierParty<E> {
    type Correlation = Gf128;
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
        self.extension.extend(n, channel, out)
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

/// The prover in a rehearsal: see [`correlations`](crate::correlations).
pub struct BlankParty {
    session: SessionId,
    /// Whether it starts from a lot, which no message makes.
    of_lot: bool,
}

impl BlankParty {
    /// The prover of a session that has no peer.
    #[must_use]
    pub const fn new(session: SessionId) -> Self {
        Self { session, of_lot: false }
    }

    /// One that starts from a [`Lot`](crate::correlations::Lot).
    #[must_use]
    pub const fn of_lot(session: SessionId) -> Self {
        Self { session, of_lot: true }
    }
}

impl Party for BlankParty {
    type Correlation = Gf128;
    type Round = BlankRound<Gf128>;

    const IS_V: bool = <ProverParty>::IS_V;
    const ANSWER_IS_LAST: bool = <ProverParty>::ANSWER_IS_LAST;
    const LINK: Tag = <ProverParty>::LINK;
    const IS_BLANK: bool = true;

    fn kind() -> String {
        <ProverParty>::kind()
    }

    fn session(&self) -> &SessionId {
        &self.session
    }

    fn base_len(params: &Params) -> usize {
        <ProverParty>::base_len(params)
    }

    fn extend(&mut self, n: usize, channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), Error> {
        if !self.of_lot {
            softspoken::extend_blank(FieldBits::Eight, n, channel)?;
        }
        out.resize(out.len() + n, Gf128::ZERO);
        Ok(())
    }

    fn open(
        &mut self,
        _number: u64,
        params: Params,
        _base: Zeroizing<Vec<Gf128>>,
        channel: &mut dyn Channel,
    ) -> Result<Self::Round, Error> {
        channel.foresee(tags::FERRET_TREES, params.trees_bytes());
        Ok(BlankRound::new(params))
    }

    fn check(&mut self, round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error> {
        channel.recv_exact(tags::FERRET_TREES, &mut vec![0; round.params().trees_bytes()])?;
        channel.send(tags::FERRET_CHECK, &[0; CHECK_BYTES])?;
        Ok(channel.flush()?)
    }

    fn answer(&mut self, _round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error> {
        channel.foresee(tags::FERRET_VERDICT, VERDICT_BYTES);
        Ok(())
    }

    fn verdict(&mut self, _round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error> {
        Ok(channel.recv_exact(tags::FERRET_VERDICT, &mut [0; VERDICT_BYTES])?)
    }
}
