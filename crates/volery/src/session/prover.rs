//! P's side of a session.

use std::time::Instant;

use rand_core::CryptoRng;
use volery_channel::handshake::{Hello, Role};
use volery_channel::{Channel, tags};
use volery_circuit::{Error as StatementError, Evaluator, Statement};
use volery_field::F2;
use volery_vole::cot::ProverParty;
use volery_vole::softspoken::{self, FieldBits, ReceiverSetup};
use volery_vole::supply::Stock;
use volery_vole::{SessionId, base_ot};
use volery_zk::quicksilver::{self, verdict};

use super::field::{FieldStock, supply};
use super::report::Counted;
use super::{Common, Options, Parts, Report, digest};
use crate::Error;

/// The party that proves.
///
/// ```no_run
/// use volery::{Limits, Options, Prover, connect, os_rng};
/// use volery::statements::Aes128Key;
///
/// let channel = connect(&"verifier.example:7000".parse()?, &Limits::default())?;
/// let mut rng = os_rng()?;
/// let mut prover = Prover::start(channel, Options::default(), &mut rng)?;
/// # let (plaintext, ciphertext, key) = ([0; 16], [0; 16], volery::Zeroizing::new(vec![0; 16]));
/// let statement = Aes128Key::new(plaintext, ciphertext).with_key(key)?;
/// let report = prover.prove(&statement, &mut rng)?;
/// println!("accepted after {:?}", report.time);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Prover<C: Channel> {
    pub(super) channel: C,
    pub(super) common: Common,
    pub(super) stock: Stock,
    /// A fork of OT extension, for whatever field is set up; none in a rehearsal.
    pub(super) extension: Option<softspoken::Receiver>,
    /// The correlations over a field, once a proof has needed them.
    pub(super) field: Option<Box<dyn FieldStock>>,
}

impl<C: Channel> Prover<C> {
    /// Shakes hands and sets the correlations up.
    ///
    /// # Errors
    /// What the handshake finds different, what base OT finds wrong, the channel's errors. The peer is told.
    pub fn start(mut channel: C, options: Options, rng: &mut dyn CryptoRng) -> Result<Self, Error> {
        match Self::try_start(&mut channel, options, rng) {
            Ok((common, stock, extension)) => {
                Ok(Self { channel, common, stock, extension: Some(extension), field: None })
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
    ) -> Result<(Common, Stock, softspoken::Receiver), Error> {
        let threads = options.pool()?;
        let hello = Hello::new(Role::Prover, options.session_parameters()?, rng);
        hello.send(channel)?;
        let setup = ReceiverSetup::start(rng);
        channel.send(tags::BASE_OT_SENDER, &setup.message())?;
        let session = hello.receive(channel)?;
        let id = SessionId::new(*session.id());
        let mut points = vec![0; base_ot::receiver_message_bytes(128)];
        channel.recv_exact(tags::BASE_OT_RECEIVER, &mut points)?;
        let mut extension = setup.finish(&id, FieldBits::Eight, &points, channel)?;
        channel.flush()?;
        let fork = extension.fork("fields")?;
        let party = ProverParty::new(id, extension, rng);
        let stock = supply(party, options.profile.plan(), &options, threads.clone(), rng);
        Ok((Common::new(&session, options, threads), stock, fork))
    }

    /// Proves `statement`, whose witness is inside it. It is evaluated when V has named the same statement,
    /// before anything of the proof is sent ([`Prover::without_evaluation`]).
    ///
    /// # Errors
    /// [`Error::Proof`] with the statement's error if the witness does not satisfy it (nothing is shown then
    /// but that) or it claims nothing, with a rejection if V says no; otherwise what broke the session. The
    /// session is over after any error.
    pub fn prove<S>(&mut self, statement: &S, rng: &mut dyn CryptoRng) -> Result<Report, Error>
    where
        S: for<'a> Statement<quicksilver::Prover<'a>> + Statement<Evaluator<F2>> + ?Sized,
    {
        let check = || Evaluator::<F2>::check_until_choice(statement);
        let result = self.try_prove(statement, check, rng, |prover| Statement::run(statement, prover));
        self.conclude(result).map(|((), report)| report)
    }

    /// As [`Prover::prove`], with what `run` returns, which runs the statement; `check` evaluates it.
    pub(super) fn try_prove<S, T>(
        &mut self,
        statement: &S,
        check: impl FnOnce() -> Result<(), StatementError>,
        rng: &mut dyn CryptoRng,
        run: impl FnOnce(&mut quicksilver::Prover<'_>) -> Result<T, volery_zk::Error>,
    ) -> Result<(T, Report), Error>
    where
        S: for<'a> Statement<quicksilver::Prover<'a>> + ?Sized,
    {
        let (start, before) = (Instant::now(), self.channel.stats());
        let digest = digest::<quicksilver::Prover<'_>>(statement);
        let begin = self.common.begin(digest, statement.commitments())?;
        begin.send(&mut self.channel)?;
        // The peer's must be here before anything that depends on the witness leaves.
        begin.receive(&mut self.channel)?;
        self.evaluate(check)?;
        self.stock.expect(self.common.expected(statement.commitments()));
        let chains = self.common.chains(&mut self.stock, &mut self.field, &mut self.channel)?;
        let challenges = self.common.challenges(&digest, self.stock.index(), &chains, rng);
        let mut prover = quicksilver::Prover::new(
            self.common.options.settings(),
            challenges,
            &mut self.stock,
            &mut self.channel,
            self.common.threads.as_deref(),
        );
        let result = run(&mut prover)?;
        let tally = prover.finish()?;
        verdict::receive(&mut self.channel)?;
        let counted = Counted::bits(tally, &self.common.options);
        Ok((result, Report::new(counted, start.elapsed(), before, self.channel.stats())))
    }

    /// Makes `count` correlations and throws them away, then ends the session: what the making of
    /// correlations costs by itself. The peer must ask for the same number.
    ///
    /// # Errors
    /// What making them finds wrong, the channel's errors.
    pub fn spend(&mut self, count: u64) -> Result<Report, Error> {
        let result = self.common.spend(count, &mut self.stock, &mut self.channel);
        let result = self.conclude(result);
        self.common.over = true;
        result
    }

    /// Ends the session if `result` is an error.
    pub(super) fn conclude<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        self.common.conclude(result, &mut self.stock, &mut self.field, &mut self.channel)
    }

    /// Ends the session for the sake of what it is made of.
    pub(crate) fn into_parts(self) -> Parts<C> {
        Parts { channel: self.channel, stock: self.stock, delta: None, common: self.common }
    }

    /// The channel, for its counters.
    pub fn channel(&self) -> &C {
        &self.channel
    }
}
