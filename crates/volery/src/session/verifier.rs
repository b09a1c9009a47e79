//! V's side of a session.

use rand_core::CryptoRng;
use volery_channel::handshake::{Hello, Role};
use volery_channel::platform::Instant;
use volery_channel::{Channel, tags};
use volery_circuit::Statement;
use volery_vole::correlations::Pool;
use volery_vole::cot::VerifierParty;
use volery_vole::softspoken::{self, FieldBits, SenderSetup};
use volery_vole::{Delta, SessionId, base_ot};
use volery_zk::quicksilver::verdict;

use super::evaluate::something_claimed;
use super::field::{FieldPool, pool};
use super::system::correlations::CorrelationSetup;
use super::system::{Proof, System, VerifierSide};
use super::{Common, Options, Report, digest};
use crate::Error;

/// The error of sending base OTs. The peer may have refused what this party sent before them: that is about
/// the session, and not about correlations.
pub(super) fn refused_meanwhile(error: volery_vole::Error) -> Error {
    match error {
        volery_vole::Error::Channel(error) => Error::Channel(error),
        error => error.into(),
    }
}

/// The party that verifies. Its statements hold no witness.
pub struct Verifier<C: Channel> {
    pub(super) channel: C,
    pub(super) common: Common,
    pub(super) pool: Pool,
    pub(super) delta: Delta,
    /// A fork of OT extension, for whatever field is set up; none in a worker of a split statement.
    pub(super) extension: Option<softspoken::Sender>,
    /// The correlations over a field, once a proof has needed them.
    pub(super) field: Option<Box<dyn FieldPool>>,
}

impl<C: Channel> Verifier<C> {
    /// Shakes hands and sets the correlations up, under a fresh delta.
    ///
    /// # Errors
    /// What the handshake finds different, what OT extension finds wrong, the channel's errors. The peer is
    /// told.
    pub fn start(mut channel: C, options: Options, rng: &mut dyn CryptoRng) -> Result<Self, Error> {
        match Self::try_start(&mut channel, options, rng) {
            Ok((common, pool, extension, delta)) => {
                Ok(Self { channel, common, pool, delta, extension: Some(extension), field: None })
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
    ) -> Result<(Common, Pool, softspoken::Sender, Delta), Error> {
        let threads = options.pool()?;
        let hello = Hello::new(Role::Verifier, options.session_parameters()?, rng);
        hello.send(channel)?;
        let delta = Delta::random(rng);
        let setup = SenderSetup::send(delta.duplicate(), channel, rng).map_err(refused_meanwhile)?;
        let session = hello.receive(channel)?;
        let id = SessionId::new(*session.id());
        let mut point = [0; base_ot::SENDER_MESSAGE_BYTES];
        channel.recv_exact(tags::BASE_OT_SENDER, &mut point)?;
        let mut extension = setup.finish(&id, FieldBits::Eight, &point, channel)?;
        let fork = extension.fork("fields")?;
        let party = VerifierParty::new(id, extension, delta.duplicate(), rng);
        let pool = pool(party, options.profile.plan(), &options, threads.clone(), rng);
        Ok((Common::new(&session, options, threads), pool, fork, delta))
    }

    /// Verifies a proof of `statement` with `system`, both of which this party names itself.
    ///
    /// # Errors
    /// [`Error::Proof`] with a rejection if the proof is wrong, with the statement's error if it claims
    /// nothing; [`Error::Options`] for a system that the session's options do not go with; otherwise what
    /// broke the session. Only `Ok` means that the statement is proved. The session is over after any error.
    pub fn verify<Y: System, S>(
        &mut self,
        system: Y,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<Y::Verifier<'a>> + ?Sized,
    {
        let result = self.try_verify(&system, statement, something_claimed, rng);
        self.conclude(result)
    }

    /// As [`Verifier::verify`]; `enough` refuses a proof in which too little was claimed.
    pub(super) fn try_verify<Y: System, S>(
        &mut self,
        system: &Y,
        statement: &S,
        enough: impl FnOnce(u64) -> Result<(), Error>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<Y::Verifier<'a>> + ?Sized,
    {
        let (start, before, unused) = (Instant::now(), self.channel.stats(), self.taken());
        let digest = digest::<Y::Verifier<'_>>(statement);
        let commitments = Statement::<Y::Verifier<'_>>::commitments(statement);
        let begin = self.common.begin(system, digest, commitments)?;
        begin.send(&mut self.channel)?;
        let set_up = Y::Setup::start_verifier(&mut self.side(), rng)?;
        begin.receive(&mut self.channel)?;
        Y::Setup::finish_verifier(&mut self.side(), set_up, rng)?;
        let chains = self.common.chains(&mut self.pool, &mut self.field, &mut self.channel)?;
        let proof = Proof { digest, commitments, chains: &chains };
        let result = system.run_verifier(self.side(), &proof, statement, rng).and_then(|counted| {
            enough(counted.claims())?;
            Ok(counted)
        });
        if let Err(error) = &result
            && error.is_rejection()
        {
            // A prover that hung up does not turn a wrong proof into a broken connection.
            let _ = verdict::send(&mut self.channel, false);
        }
        let counted = result?;
        // The proof holds whether or not P still wants to hear it.
        let _ = verdict::send(&mut self.channel, true);
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
        let set_up = K::start_verifier(&mut self.side(), rng)?;
        K::finish_verifier(&mut self.side(), set_up, rng)?;
        K::spend_verifier(self.side(), count)
    }

    /// Correlations taken so far: over bits, and over the session's field.
    pub(super) fn taken(&self) -> [u64; 2] {
        [self.pool.index(), self.field.as_ref().map_or(0, |field| field.index())]
    }

    /// What a system needs of it.
    pub(super) fn side(&mut self) -> VerifierSide<'_> {
        let Self { channel, common, pool, delta, extension, field } = self;
        VerifierSide { common, pool, delta, extension: extension.as_mut(), field, channel }
    }

    /// Ends the session if `result` is an error.
    pub(super) fn conclude<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        if result.is_err() {
            // Dropped, the old one wipes itself.
            self.delta = Delta::from_element(volery_field::Gf128::ZERO);
        }
        self.common.conclude(result, &mut self.pool, &mut self.field, &mut self.channel)
    }

    /// Ends the session for the sake of what it is made of.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn into_parts(self) -> super::Parts<C> {
        super::Parts { channel: self.channel, pool: self.pool, delta: Some(self.delta), common: self.common }
    }

    /// The channel, for its counters.
    pub fn channel(&self) -> &C {
        &self.channel
    }
}
