//! The correlations of a session over a field, made when the first proof over it begins.
//!
//! ```text
//! P                                              V
//! base OT's point             <---------->       base OT's points, under digits of a fresh delta
//! tree corrections            ----------->                                    set-up done
//! ```
//!
//! The two first messages leave together with `Begin`. A session serves one field beside bits: steps that
//! prepare rounds of two fields could meet in another order at either party.

use std::any::Any;
use std::sync::Arc;

use rand_core::CryptoRng;
use volery_channel::{Channel, tags};
use volery_field::{Authenticated, Mac, Value};
use volery_vole::correlations::{Chain, Generator, Party, Plan, Pool};
use volery_vole::softspoken::{self, ReceiverSetup, SenderSetup};
use volery_vole::subfield::{self, FieldDelta, tree_size};
use volery_vole::{Delta, Oracle, SessionId, base_ot};

use super::verifier::refused_meanwhile;
use super::{Common, Options};
use crate::Error;

/// A party's correlations over whichever field its session serves.
pub(super) trait FieldPool: Any + Send {
    /// The names of value and MAC field.
    fn fields(&self) -> [&'static str; 2];

    /// The chain of all that was taken.
    fn chain(&mut self, channel: &mut dyn Channel) -> Result<Chain, Error>;

    /// Correlations taken so far.
    fn index(&self) -> u64;

    /// Whether P may know delta without having shown that it has not cheated: see [`Pool::is_exposed`].
    fn is_exposed(&self) -> bool;

    /// Destroys the correlations and what they are made of.
    fn burn(&mut self);

    fn as_any(&mut self) -> &mut dyn Any;
}

/// P's correlations over `F`.
pub(super) struct ProverField<F: Value, M: Mac<F>> {
    pub(super) pool: Pool<Authenticated<F, M>>,
}

/// V's correlations over `F`, and its key.
pub(super) struct VerifierField<F: Value, M: Mac<F>> {
    pub(super) pool: Pool<M>,
    pub(super) delta: FieldDelta<M>,
    fields: core::marker::PhantomData<F>,
}

impl<F: Value, M: Mac<F>> VerifierField<F, M> {
    pub(super) fn new(pool: Pool<M>, delta: FieldDelta<M>) -> Self {
        Self { pool, delta, fields: core::marker::PhantomData }
    }
}

impl<F: Value, M: Mac<F>> FieldPool for ProverField<F, M> {
    fn fields(&self) -> [&'static str; 2] {
        [F::NAME, M::NAME]
    }

    fn chain(&mut self, channel: &mut dyn Channel) -> Result<Chain, Error> {
        Ok(self.pool.chain(channel)?)
    }

    fn index(&self) -> u64 {
        self.pool.index()
    }

    fn is_exposed(&self) -> bool {
        self.pool.is_exposed()
    }

    fn burn(&mut self) {
        self.pool.burn();
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl<F: Value, M: Mac<F>> FieldPool for VerifierField<F, M> {
    fn fields(&self) -> [&'static str; 2] {
        [F::NAME, M::NAME]
    }

    fn chain(&mut self, channel: &mut dyn Channel) -> Result<Chain, Error> {
        Ok(self.pool.chain(channel)?)
    }

    fn index(&self) -> u64 {
        self.pool.index()
    }

    fn is_exposed(&self) -> bool {
        self.pool.is_exposed()
    }

    fn burn(&mut self) {
        use zeroize::Zeroize as _;
        self.pool.burn();
        self.delta.zeroize();
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// The correlations over the field of `K`, if they are there.
///
/// # Errors
/// [`Error::Options`] if the session serves another field.
pub(super) fn existing<K: FieldPool>(slot: &mut Option<Box<dyn FieldPool>>) -> Result<Option<&mut K>, Error> {
    let Some(pool) = slot else { return Ok(None) };
    let [value, mac] = pool.fields();
    let served =
        format!("this session serves proofs over {value} (MACs in {mac}); start another for another field");
    pool.as_any().downcast_mut().map(Some).ok_or(Error::Options(served))
}

/// The name of the set-up's part of the session: nothing hashed in it agrees with the rest.
fn part<F: Value, M: Mac<F>>(session: &SessionId) -> SessionId {
    let oracle = Oracle::new("session over a field", session);
    SessionId::new(oracle.hash(0, &[F::NAME.as_bytes(), M::NAME.as_bytes()]))
}

/// The label of the fork of OT extension that gives the rounds their paths.
const PATHS: &str = "paths of rounds over a field";

/// A party's correlations: linked where challenges are hashes.
pub(super) fn pool<P>(
    party: P,
    plan: Plan,
    options: &Options,
    threads: Option<Arc<rayon::ThreadPool>>,
    rng: &mut dyn CryptoRng,
) -> Pool<P::Correlation>
where
    P: Party + Send + 'static,
    P::Round: Send,
{
    let generator = match options.fiat_shamir {
        true => Generator::linked(party, plan, threads, rng),
        false => Generator::new(party, plan, threads),
    };
    Pool::new(Box::new(generator))
}

pub(super) fn pool_over<F: Value, M: Mac<F>, P>(
    party: P,
    common: &Common,
    rng: &mut dyn CryptoRng,
) -> Pool<P::Correlation>
where
    P: Party + Send + 'static,
    P::Round: Send,
{
    let plan = subfield::plan::<F, M>(common.options.profile);
    pool(party, plan, &common.options, common.threads.clone(), rng)
}

/// P between its first message of the set-up and V's.
pub struct ProverStart(ReceiverSetup);

impl ProverStart {
    /// Sends P's first message.
    pub(super) fn send(channel: &mut dyn Channel, rng: &mut dyn CryptoRng) -> Result<Self, Error> {
        let setup = ReceiverSetup::start(rng);
        channel.send(tags::BASE_OT_SENDER, &setup.message())?;
        Ok(Self(setup))
    }

    /// Reads V's and sends the trees.
    pub(super) fn finish<F: Value, M: Mac<F>>(
        self,
        common: &Common,
        extension: &mut softspoken::Receiver,
        channel: &mut dyn Channel,
        rng: &mut dyn CryptoRng,
    ) -> Result<ProverField<F, M>, Error> {
        let id = part::<F, M>(&common.id);
        let trees = self.0.receive(&id, tree_size::<F, M>(), channel)?;
        channel.flush()?;
        let party = subfield::ProverParty::new(id, trees, extension.fork(PATHS)?, rng)?;
        Ok(ProverField { pool: pool_over::<F, M, _>(party, common, rng) })
    }
}

/// V between its first message of the set-up and P's.
pub struct VerifierStart(SenderSetup);

impl VerifierStart {
    /// Sends V's first message.
    pub(super) fn send(channel: &mut dyn Channel, rng: &mut dyn CryptoRng) -> Result<Self, Error> {
        let setup = SenderSetup::send(Delta::random(rng), channel, rng).map_err(refused_meanwhile)?;
        Ok(Self(setup))
    }

    /// Reads P's and the trees.
    pub(super) fn finish<F: Value, M: Mac<F>>(
        self,
        common: &Common,
        extension: &mut softspoken::Sender,
        channel: &mut dyn Channel,
        rng: &mut dyn CryptoRng,
    ) -> Result<VerifierField<F, M>, Error> {
        let id = part::<F, M>(&common.id);
        let mut point = [0; base_ot::SENDER_MESSAGE_BYTES];
        channel.recv_exact(tags::BASE_OT_SENDER, &mut point)?;
        let trees = self.0.finish(&id, tree_size::<F, M>(), &point, channel)?;
        let party = subfield::VerifierParty::new(id, trees, extension.fork(PATHS)?, rng)?;
        let delta = party.delta().duplicate();
        Ok(VerifierField::new(pool_over::<F, M, _>(party, common, rng), delta))
    }
}
