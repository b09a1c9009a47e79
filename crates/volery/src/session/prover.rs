//! P's side of a session.

use rand_core::CryptoRng;
use volery_channel::handshake::{Hello, Role};
use volery_channel::platform::Instant;
use volery_channel::{Channel, tags};
use volery_circuit::{Error as StatementError, Statement};
use volery_vole::SessionId;
use volery_vole::correlations::Pool;
use volery_vole::cot::ProverParty;
use volery_vole::softspoken::{self, FieldBits, ReceiverSetup};
use volery_zk::quicksilver::verdict;

use super::field::{FieldPool, pool};
use super::system::correlations::CorrelationSetup;
use super::system::{Proof, ProverSide, System};
use super::{Common, Options, Report, digest};
use crate::Error;

/// The party that proves.
///
/// ```no_run
/// use volery::{Limits, Options, Prover, connect, os_rng};
/// use volery::statements::Aes128Key;
/// use volery::system::Bits;
///
/// let channel = connect(&"verifier.example:7000".parse()?, &Limits::default())?;
/// let mut rng = os_rng()?;
/// let mut prover = Prover::start(channel, Options::default(), &mut rng)?;
/// # let (plaintext, ciphertext, key) = ([0; 16], [0; 16], volery::Zeroizing::new(vec![0; 16]));
/// let statement = Aes128Key::new(plaintext, ciphertext).with_key(key)?;
/// let report = prover.prove(Bits, &statement, &mut rng)?;
/// println!("accepted after {:?}", report.time);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Prover<C: Channel> {
    pub(super) channel: C,
    pub(super) common: Common,
    pub(super) pool: Pool,
    /// A fork of OT extension, for whatever field is set up; none in a rehearsal, and in a
    /// worker of a split statement.
    pub(super) extension: Option<softspoken::Receiver>,
    /// The correlations over a field, once a proof has needed them.
    pub(super) field: Option<Box<dyn FieldPool>>,
}

impl<C: Channel> Prover<C> {
    /// Shakes hands and sets the correlations up.
    ///
    /// # Errors
    /// What the handshake finds different, what base OT finds wrong, the channel's errors. The peer is told.
    pub fn start(mut channel: C, options: Options, rng: &mut dyn CryptoRng) -> Result<Self, Error> {
        match Self::try_start(&mut channel, options, rng) {
            Ok((common, pool, extension)) => {
                Ok(Self { channel, common, pool, extension: Some(extension), field: None })
            }
            Err(error) => {
                channel.fail(error.public_reason());
                Err(error)
            }
        }
    }

    fn try_start(
        channel: &mut dyn Channel,
        options: Options,
        rng: &mut dyn CryptoRng,
    ) -> Result<(Common, Pool, softspoken::Receiver), Error> {
        let threads = options.pool()?;
        let hello = Hello::new(Role::Prover, options.session_parameters()?, rng);
        hello.send(channel)?;
        let setup = ReceiverSetup::start(rng);
        channel.send(tags::BASE_OT_SENDER, &setup.message())?;
        let session = hello.receive(channel)?;
        let id = SessionId::new(*session.id());
        let mut extension = setup.receive(&id, FieldBits::Eight, channel)?;
        channel.flush()?;
        let fork = extension.fork("fields")?;
        let party = ProverParty::new(id, extension, rng);
        let pool = pool(party, options.profile.plan(), &options, threads.clone(), rng);
        Ok((Common::new(&session, options, threads), pool, fork))
    }

    /// Proves `statement`, whose witness is inside it, with `system`. It is evaluated when V has named the
    /// same system and statement, before anything of the proof is sent ([`Prover::without_evaluation`]).
    ///
    /// # Errors
    /// [`Error::Proof`] with the statement's error if the witness does not satisfy it (nothing is shown then
    /// but that) or it claims nothing, with a rejection if V says no; [`Error::Options`] for a system that
    /// the session's options do not go with; otherwise what broke the session. The session is over after any
    /// error.
    pub fn prove<Y: System, S>(
        &mut self,
        system: Y,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<Y::Prover<'a>> + Statement<Y::Evaluator> + ?Sized,
    {
        let result = self.try_prove(&system, statement, || Y::evaluate(statement), rng);
        self.conclude(result)
    }

    /// As [`Prover::prove`]; `check` evaluates the statement.
    pub(super) fn try_prove<Y: System, S>(
        &mut self,
        system: &Y,
        statement: &S,
        check: impl FnOnce() -> Result<(), StatementError>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<Y::Prover<'a>> + ?Sized,
    {
        let (start, before, unused) = (Instant::now(), self.channel.stats(), self.taken());
        let digest = digest::<Y::Prover<'_>>(statement);
        let commitments = Statement::<Y::Prover<'_>>::commitments(statement);
        let begin = self.common.begin(system, digest, commitments)?;
        begin.send(&mut self.channel)?;
        let set_up = Y::Setup::start_prover(&mut self.side(), rng)?;
        // The peer's must be here before anything that depends on the witness leaves.
        begin.receive(&mut self.channel)?;
        Y::Setup::finish_prover(&mut self.side(), set_up, rng)?;
        self.evaluate(check)?;
        let chains = self.common.chains(&mut self.pool, &mut self.field, &mut self.channel)?;
        let proof = Proof { digest, commitments, chains: &chains };
        let counted = system.run_prover(self.side(), &proof, statement, rng)?;
        verdict::receive(&mut self.channel)?;
        let used = self.taken().into_iter().sum::<u64>().saturating_sub(unused.into_iter().sum());
        Ok(Report::new(counted, used, start.elapsed(), before, self.channel.stats()))
    }

    /// Makes `count` correlations of those that `system` takes and throws them away, then ends the session:
    /// what their making costs by itself, with the set-up of those over a field. The peer must ask for the
    /// same number.
    ///
    /// # Errors
    /// What making them finds wrong, the channel's errors.
    pub fn spend<Y: System>(
        &mut self,
        _system: Y,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        let result = self.try_spend::<Y::Setup>(count, rng);
        let result = self.conclude(result);
        self.common.over = true;
        result
    }

    fn try_spend<K: CorrelationSetup>(
        &mut self,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        self.common.enter()?;
        let set_up = K::start_prover(&mut self.side(), rng)?;
        K::finish_prover(&mut self.side(), set_up, rng)?;
        K::spend_prover(self.side(), count)
    }

    /// Correlations taken so far: over bits, and over the session's field.
    pub(super) fn taken(&self) -> [u64; 2] {
        [self.pool.index(), self.field.as_ref().map_or(0, |field| field.index())]
    }

    /// What a system needs of it.
    pub(super) fn side(&mut self) -> ProverSide<'_> {
        let Self { channel, common, pool, extension, field } = self;
        ProverSide { common, pool, extension: extension.as_mut(), field, channel }
    }

    /// Ends the session if `result` is an error.
    pub(super) fn conclude<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        self.common.conclude(result, &mut self.pool, &mut self.field, &mut self.channel)
    }

    /// Ends the session for the sake of what it is made of.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn into_parts(self) -> super::Parts<C> {
        super::Parts { channel: self.channel, pool: self.pool, delta: None, common: self.common }
    }

    /// The channel, for its counters.
    pub fn channel(&self) -> &C {
        &self.channel
    }
}
