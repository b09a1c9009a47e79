//! Both parties of one proof, on two threads with a channel between them.

use std::sync::OnceLock;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::Channel;
use volery_circuit::{Digest, Evaluator, Statement};
use volery_field::F2;
use volery_testing::{between, deal};
use volery_vole::{SessionId, Transcript};
use volery_zk::Error;
use volery_zk::quicksilver::{
    Challenges, Tally,
    bits::{Prover, Settings, Verifier},
    verdict,
};

use crate::bits::reference::{Lie, Reference};

/// A statement for everybody in these tests.
pub(crate) trait Claim:
    for<'a> Statement<Prover<'a>>
    + for<'a> Statement<Verifier<'a>>
    + for<'a> Statement<Reference<'a>>
    + Statement<Evaluator<F2>>
{
}

impl<S> Claim for S where
    S: for<'a> Statement<Prover<'a>>
        + for<'a> Statement<Verifier<'a>>
        + for<'a> Statement<Reference<'a>>
        + Statement<Evaluator<F2>>
{
}

/// Who chooses the challenges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Interactive,
    FiatShamir,
}

pub(crate) const MODES: [Mode; 2] = [Mode::Interactive, Mode::FiatShamir];

/// How a proof is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) interval: usize,
    pub(crate) mode: Mode,
    /// Threads of P and of V.
    pub(crate) threads: [usize; 2],
    /// Correlations in a batch of P's and of V's pool.
    pub(crate) batch: [usize; 2],
    /// Seed of the correlations and of V's challenges.
    pub(crate) seed: u8,
    /// The session's name, which Fiat-Shamir's transcript starts with.
    pub(crate) session: u8,
}

impl Run {
    pub(crate) fn new(interval: usize, mode: Mode) -> Self {
        Self { interval, mode, threads: [1, 1], batch: [1000, 777], seed: 1, session: 1 }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings { interval: self.interval }
    }

    fn challenges<'r>(&self, identity: [u8; 32], rng: &'r mut ChaCha20Rng) -> Challenges<'r> {
        match self.mode {
            Mode::Interactive => Challenges::Interactive(rng),
            Mode::FiatShamir => Challenges::FiatShamir(self.transcript(identity)),
        }
    }

    /// What a session absorbs before a Fiat-Shamir proof.
    pub(crate) fn transcript(&self, identity: [u8; 32]) -> Transcript {
        let mut transcript = Transcript::new("test", &SessionId::new([self.session; 32]));
        transcript.absorb("statement", &identity);
        transcript
    }

    /// The real P over `channel`; it waits for the verdict.
    pub(crate) fn prove(&self, claim: &impl Claim, channel: &mut dyn Channel) -> Result<Tally, Error> {
        let mut rng = ChaCha20Rng::seed_from_u64(99);
        let mut pool = deal::bits(self.seed, None, self.batch[0]);
        let challenges = self.challenges(identity(claim), &mut rng);
        let prover = Prover::new(self.settings(), challenges, &mut pool, channel, workers(self.threads[0]));
        let result = prover.prove(claim);
        conclude(result.and_then(|tally| verdict::receive(channel).map(|()| tally)), channel)
    }

    /// The plain P, lying as told; it waits for the verdict.
    pub(crate) fn lie(
        &self,
        claim: &impl Claim,
        lie: Lie,
        channel: &mut dyn Channel,
    ) -> Result<Tally, Error> {
        let transcript = (self.mode == Mode::FiatShamir).then(|| self.transcript(identity(claim)));
        let prover = Reference::new(self.interval, transcript, deal::Tags::new(self.seed), lie, channel);
        let result = prover.prove(claim);
        conclude(result.and_then(|tally| verdict::receive(channel).map(|()| tally)), channel)
    }

    /// V over `channel`; it tells P the verdict.
    pub(crate) fn verify(&self, claim: &impl Claim, channel: &mut dyn Channel) -> Result<Tally, Error> {
        self.verify_as(claim, identity(claim), channel)
    }

    /// As [`Run::verify`], of a claim that calls itself `identity`.
    pub(crate) fn verify_as(
        &self,
        claim: &impl Claim,
        identity: [u8; 32],
        channel: &mut dyn Channel,
    ) -> Result<Tally, Error> {
        let mut rng = ChaCha20Rng::seed_from_u64(self.seed.into());
        let mut pool = deal::bits(self.seed, Some(deal::delta()), self.batch[1]);
        let (challenges, delta) = (self.challenges(identity, &mut rng), deal::delta());
        let threads = workers(self.threads[1]);
        let verifier = Verifier::new(self.settings(), challenges, &delta, &mut pool, channel, threads);
        let result = verifier.verify(claim);
        conclude(result.and_then(|tally| verdict::send(channel, true).map(|()| tally)), channel)
    }

    /// The real P and V.
    pub(crate) fn honest(&self, claim: &impl Claim) -> Both<Tally> {
        between(|p| self.prove(claim, p), |v| self.verify(claim, v))
    }

    /// The plain P, lying as told, and V.
    pub(crate) fn lying(&self, claim: &impl Claim, lie: Lie) -> Both<Tally> {
        between(|p| self.lie(claim, lie, p), |v| self.verify(claim, v))
    }
}

/// What P and V ended with.
pub(crate) type Both<T> = (Result<T, Error>, Result<T, Error>);

/// The digest of a claim.
pub(crate) fn identity(claim: &impl Claim) -> [u8; 32] {
    let mut digest = Digest::new();
    Statement::<Evaluator<F2>>::identify(claim, &mut digest);
    digest.finish()
}

/// Who fails tells the peer, as a session does.
fn conclude<T>(result: Result<T, Error>, channel: &mut dyn Channel) -> Result<T, Error> {
    result.inspect_err(|error| channel.fail(&error.to_string()))
}

/// A pool of so many threads, made once; none for one thread.
fn workers(threads: usize) -> Option<&'static rayon::ThreadPool> {
    static POOLS: [OnceLock<rayon::ThreadPool>; 9] = [const { OnceLock::new() }; 9];
    (threads > 1).then(|| {
        POOLS[threads]
            .get_or_init(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"))
    })
}
