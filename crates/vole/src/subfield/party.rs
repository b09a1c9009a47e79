//! The two parties of subfield VOLE: base VOLE, then rounds.

use rand_core::CryptoRng;
use volery_channel::{Channel, Tag, tags};
use volery_field::{Authenticated, Gf128, Mac, Value};
use zeroize::{Zeroize, Zeroizing};

use super::FieldDelta;
use super::base::{BaseProver, BaseVerifier, field_bits, message_bytes};
use super::round::{
    CheckRandomness, NONCE, ProverRound, Public, VerifierRound, base_len, check_bytes, trees_bytes,
};
use crate::correlations::{BlankRound, Extension, Lot, Party, Round};
use crate::ferret::Params;
use crate::softspoken::{self, FieldBits};
use crate::transcript::SessionId;
use crate::{Delta, Error, Prg};

impl<F: Value, M: Mac<F>> Round for ProverRound<F, M> {
    type Correlation = Authenticated<F, M>;

    fn params(&self) -> Params {
        Self::params(self)
    }

    fn block(&self, tree: usize, out: &mut [Self::Correlation]) -> Result<(), Error> {
        Self::block(self, tree, out)
    }
}

impl<F: Value, M: Mac<F>> Round for VerifierRound<F, M> {
    type Correlation = M;

    fn params(&self) -> Params {
        Self::params(self)
    }

    fn block(&self, tree: usize, out: &mut [M]) -> Result<(), Error> {
        Self::block(self, tree, out)
    }
}

/// The size of the trees that a field needs in the setup of its own OT extension.
#[must_use]
pub fn tree_size<F: Value, M: Mac<F>>() -> FieldBits {
    field_bits::<F, M>()
}

/// The name of these correlations in the chain.
fn kind<F: Value, M: Mac<F>>() -> String {
    format!("{} in {}", F::NAME, M::NAME)
}

impl<F: Value, M: Mac<F>> Extension<Authenticated<F, M>> for BaseProver<F, M> {
    fn extend(
        &mut self,
        n: usize,
        channel: &mut dyn Channel,
        out: &mut Vec<Authenticated<F, M>>,
    ) -> Result<(), Error> {
        Self::extend(self, n, channel, out)
    }
}

impl<F: Value, M: Mac<F>> Extension<M> for BaseVerifier<F, M> {
    fn extend(&mut self, n: usize, channel: &mut dyn Channel, out: &mut Vec<M>) -> Result<(), Error> {
        Self::extend(self, n, channel, out)
    }
}

/// The prover's part. Its first correlations come from `E`.
pub struct ProverParty<F: Value, M: Mac<F>, E = BaseProver<F, M>> {
    session: SessionId,
    base: E,
    bits: softspoken::Receiver,
    seeds: Prg,
    fields: core::marker::PhantomData<fn() -> (F, M)>,
}

impl<F: Value, M: Mac<F>> ProverParty<F, M> {
    /// Starts from a fresh setup for the field, with trees of [`tree_size`], and from an OT extension for the
    /// rounds' paths (a fork of the session's). `rng` seeds the checks' coefficients.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the trees have another size.
    pub fn new(
        session: SessionId,
        trees: softspoken::Receiver,
        bits: softspoken::Receiver,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, Error> {
        Ok(Self::over(session, BaseProver::new(trees)?, bits, rng))
    }
}

impl<F: Value, M: Mac<F>> ProverParty<F, M, Lot<Authenticated<F, M>>> {
    /// Starts from a lot that another session of the same two parties made, and from an OT extension for the
    /// rounds' paths. `rng` seeds the checks' coefficients.
    pub fn of_lot(
        session: SessionId,
        lot: Lot<Authenticated<F, M>>,
        bits: softspoken::Receiver,
        rng: &mut dyn CryptoRng,
    ) -> Self {
        Self::over(session, lot, bits, rng)
    }
}

impl<F: Value, M: Mac<F>, E> ProverParty<F, M, E> {
    fn over(session: SessionId, base: E, bits: softspoken::Receiver, rng: &mut dyn CryptoRng) -> Self {
        let seeds = Prg::of_session(&session, "subfield: seeds of P", rng);
        Self { session, base, bits, seeds, fields: core::marker::PhantomData }
    }
}

impl<F: Value, M: Mac<F>, E: Extension<Authenticated<F, M>>> Party for ProverParty<F, M, E> {
    type Correlation = Authenticated<F, M>;
    type Round = ProverRound<F, M>;

    const IS_V: bool = false;
    const ANSWER_IS_LAST: bool = false;
    const LINK: Tag = tags::SUBFIELD_LINK;

    fn kind() -> String {
        kind::<F, M>()
    }

    fn session(&self) -> &SessionId {
        &self.session
    }

    fn base_len(params: &Params) -> usize {
        base_len::<F, M>(params)
    }

    fn extend(
        &mut self,
        n: usize,
        channel: &mut dyn Channel,
        out: &mut Vec<Self::Correlation>,
    ) -> Result<(), Error> {
        self.base.extend(n, channel, out)
    }

    fn open(
        &mut self,
        number: u64,
        params: Params,
        base: Zeroizing<Vec<Self::Correlation>>,
        channel: &mut dyn Channel,
    ) -> Result<Self::Round, Error> {
        let mut bits = Vec::with_capacity(params.paths_len());
        self.bits.extend(channel, params.paths_len(), &mut bits)?;
        // Flush: V waits for these before it can send its trees.
        channel.flush()?;
        ProverRound::open(Public::new::<F, M>(&self.session, number, params), base, bits)
    }

    fn check(&mut self, round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error> {
        let mut randomness = CheckRandomness { seed: [0; 16], nonce: [0; 32] };
        self.seeds.bytes(&mut randomness.seed);
        self.seeds.bytes(&mut randomness.nonce);
        let result = round.check(&randomness, channel);
        randomness.nonce.zeroize();
        result
    }

    fn answer(&mut self, _round: &mut Self::Round, _channel: &mut dyn Channel) -> Result<(), Error> {
        Ok(())
    }

    fn verdict(&mut self, round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error> {
        round.verdict(channel)
    }
}

/// The prover in a rehearsal: see [`correlations`](crate::correlations).
pub struct BlankParty<F, M> {
    session: SessionId,
    /// Whether it starts from a lot, which no message makes.
    of_lot: bool,
    fields: core::marker::PhantomData<fn() -> (F, M)>,
}

impl<F: Value, M: Mac<F>> BlankParty<F, M> {
    /// The prover of a session that has no peer.
    #[must_use]
    pub const fn new(session: SessionId) -> Self {
        Self { session, of_lot: false, fields: core::marker::PhantomData }
    }

    /// One that starts from a [`Lot`].
    #[must_use]
    pub const fn of_lot(session: SessionId) -> Self {
        Self { session, of_lot: true, fields: core::marker::PhantomData }
    }
}

impl<F: Value, M: Mac<F>> Party for BlankParty<F, M> {
    type Correlation = Authenticated<F, M>;
    type Round = BlankRound<Authenticated<F, M>>;

    const IS_V: bool = ProverParty::<F, M>::IS_V;
    const ANSWER_IS_LAST: bool = ProverParty::<F, M>::ANSWER_IS_LAST;
    const LINK: Tag = ProverParty::<F, M>::LINK;
    const IS_BLANK: bool = true;

    fn kind() -> String {
        kind::<F, M>()
    }

    fn session(&self) -> &SessionId {
        &self.session
    }

    fn base_len(params: &Params) -> usize {
        base_len::<F, M>(params)
    }

    fn extend(
        &mut self,
        n: usize,
        channel: &mut dyn Channel,
        out: &mut Vec<Self::Correlation>,
    ) -> Result<(), Error> {
        if !self.of_lot {
            channel.send(tags::SUBFIELD_EXTEND, &vec![0; message_bytes::<F, M>(n)])?;
        }
        out.resize(out.len() + n, Authenticated::default());
        Ok(())
    }

    fn open(
        &mut self,
        _number: u64,
        params: Params,
        _base: Zeroizing<Vec<Self::Correlation>>,
        channel: &mut dyn Channel,
    ) -> Result<Self::Round, Error> {
        softspoken::extend_blank(FieldBits::Eight, params.paths_len(), channel)?;
        channel.flush()?;
        channel.foresee(tags::SUBFIELD_TREES, trees_bytes::<M>(&params));
        Ok(BlankRound::new(params))
    }

    fn check(&mut self, round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error> {
        let params = round.params();
        channel.recv_exact(tags::SUBFIELD_TREES, &mut vec![0; trees_bytes::<M>(&params)])?;
        channel.send(tags::SUBFIELD_CHECK, &vec![0; check_bytes::<M>()])?;
        Ok(channel.flush()?)
    }

    fn answer(&mut self, _round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error> {
        channel.foresee(tags::SUBFIELD_ANSWER, M::BYTES);
        Ok(())
    }

    fn verdict(&mut self, _round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error> {
        channel.recv_exact(tags::SUBFIELD_ANSWER, &mut vec![0; M::BYTES])?;
        channel.send(tags::SUBFIELD_OPENING, &[0; NONCE])?;
        Ok(channel.flush()?)
    }
}

/// The verifier's part. Its first correlations come from `E`.
pub struct VerifierParty<F: Value, M: Mac<F>, E = BaseVerifier<F, M>> {
    session: SessionId,
    base: E,
    bits: softspoken::Sender,
    /// The binary key of the trees.
    tree_delta: Delta,
    delta: FieldDelta<M>,
    seeds: Prg,
    fields: core::marker::PhantomData<fn() -> F>,
}

impl<F: Value, M: Mac<F>> VerifierParty<F, M> {
    /// Starts from a fresh setup for the field, with trees of [`tree_size`], whose binary delta holds the
    /// digits of the field's, and from an OT extension for the rounds' paths (a fork of the session's). `rng`
    /// seeds the trees of the rounds.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the trees have another size.
    pub fn new(
        session: SessionId,
        trees: softspoken::Sender,
        bits: softspoken::Sender,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, Error> {
        let delta = FieldDelta::from_digits::<F>(trees.delta());
        Ok(Self::over(session, BaseVerifier::new(trees)?, delta, bits, rng))
    }
}

impl<F: Value, M: Mac<F>> VerifierParty<F, M, Lot<M>> {
    /// Starts from a lot that another session of the same two parties made under `delta`, and from an OT
    /// extension for the rounds' paths. `rng` seeds the trees of the rounds.
    pub fn of_lot(
        session: SessionId,
        lot: Lot<M>,
        delta: FieldDelta<M>,
        bits: softspoken::Sender,
        rng: &mut dyn CryptoRng,
    ) -> Self {
        Self::over(session, lot, delta, bits, rng)
    }
}

impl<F: Value, M: Mac<F>, E> VerifierParty<F, M, E> {
    fn over(
        session: SessionId,
        base: E,
        delta: FieldDelta<M>,
        bits: softspoken::Sender,
        rng: &mut dyn CryptoRng,
    ) -> Self {
        let tree_delta = bits.delta().duplicate();
        let seeds = Prg::of_session(&session, "subfield: seeds of V", rng);
        Self { session, base, bits, tree_delta, delta, seeds, fields: core::marker::PhantomData }
    }

    /// The global key.
    #[must_use]
    pub fn delta(&self) -> &FieldDelta<M> {
        &self.delta
    }
}

impl<F: Value, M: Mac<F>, E: Extension<M>> Party for VerifierParty<F, M, E> {
    type Correlation = M;
    type Round = VerifierRound<F, M>;

    const IS_V: bool = true;
    const ANSWER_IS_LAST: bool = false;
    const LINK: Tag = tags::SUBFIELD_LINK;

    fn kind() -> String {
        kind::<F, M>()
    }

    fn session(&self) -> &SessionId {
        &self.session
    }

    fn base_len(params: &Params) -> usize {
        base_len::<F, M>(params)
    }

    fn extend(&mut self, n: usize, channel: &mut dyn Channel, out: &mut Vec<M>) -> Result<(), Error> {
        self.base.extend(n, channel, out)
    }

    fn open(
        &mut self,
        number: u64,
        params: Params,
        base: Zeroizing<Vec<M>>,
        channel: &mut dyn Channel,
    ) -> Result<Self::Round, Error> {
        let mut bits = Zeroizing::new(Vec::<Gf128>::with_capacity(params.paths_len()));
        self.bits.extend(channel, params.paths_len(), &mut bits)?;
        let public = Public::new::<F, M>(&self.session, number, params);
        let seed = Zeroizing::new(self.seeds.block().to_bits().to_le_bytes());
        VerifierRound::open(public, &self.tree_delta, seed, base, bits, channel)
    }

    fn check(&mut self, _round: &mut Self::Round, _channel: &mut dyn Channel) -> Result<(), Error> {
        Ok(())
    }

    fn answer(&mut self, round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error> {
        round.answer(&self.delta, channel)
    }

    fn verdict(&mut self, round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error> {
        round.verdict(channel)
    }
}
