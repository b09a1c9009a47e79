//! Both parties of one proof over a field, on two threads with a channel between them.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::Channel;
use volery_circuit::{Digest, Statement};
use volery_field::{Mac, Value};
use volery_testing::{between, deal};
use volery_vole::{SessionId, Transcript};
use volery_zk::Error;
use volery_zk::quicksilver::field::{Alone, Prover, Settings, Verifier};
use volery_zk::quicksilver::{Challenges, Tally, verdict};

use crate::field::claims::Claim;
use crate::field::reference::{Lie, Reference};

/// How a proof is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) interval: usize,
    pub(crate) fiat_shamir: bool,
    /// Seed of the correlations and of V's challenges.
    pub(crate) seed: u8,
    /// The session's name, which Fiat-Shamir's transcript starts with.
    pub(crate) session: u8,
}

pub(crate) const RUNS: [Run; 4] =
    [Run::new(1 << 17, false), Run::new(1 << 17, true), Run::new(7, false), Run::new(7, true)];

/// What P and V ended with.
pub(crate) type Both = (Result<Tally, Error>, Result<Tally, Error>);

/// What a [`Reference`] does otherwise than a prover should: its lie, and what it takes delta for.
pub(crate) type Cheat<M> = (Lie, Option<M>);

impl Run {
    pub(crate) const fn new(interval: usize, fiat_shamir: bool) -> Self {
        Self { interval, fiat_shamir, seed: 1, session: 1 }
    }

    fn settings(&self) -> Settings {
        Settings { interval: self.interval }
    }

    fn challenges<'r>(&self, identity: [u8; 32], rng: &'r mut ChaCha20Rng) -> Challenges<'r> {
        match self.transcript(identity) {
            Some(transcript) => Challenges::FiatShamir(transcript),
            None => Challenges::Interactive(rng),
        }
    }

    /// What a session absorbs before a Fiat-Shamir proof.
    fn transcript(&self, identity: [u8; 32]) -> Option<Transcript> {
        self.fiat_shamir.then(|| {
            let mut transcript = Transcript::new("test", &SessionId::new([self.session; 32]));
            transcript.absorb("statement", &identity);
            transcript
        })
    }

    /// The real P over `channel`; it waits for the verdict.
    pub(crate) fn prove<F: Value, M: Mac<F>>(
        &self,
        claim: &impl Claim<F, M>,
        channel: &mut dyn Channel,
    ) -> Result<Tally, Error> {
        let mut rng = ChaCha20Rng::seed_from_u64(99);
        let mut pool = deal::field_tags::<F, M>(self.seed);
        let challenges = self.challenges(identity(claim), &mut rng);
        let result = Prover::new(self.settings(), challenges, &mut pool, Alone(channel)).prove(claim);
        await_verdict(result, channel)
    }

    /// The plain P, lying as told; it waits for the verdict.
    pub(crate) fn lie<F: Value, M: Mac<F>>(
        &self,
        claim: &impl Claim<F, M>,
        cheat: Cheat<M>,
        channel: &mut dyn Channel,
    ) -> Result<Tally, Error> {
        let transcript = self.transcript(identity(claim));
        let prover = Reference::new(self.interval, transcript, self.seed, cheat, Alone(channel));
        let result = prover.prove(claim);
        await_verdict(result, channel)
    }

    /// V over `channel`; it tells P the verdict.
    pub(crate) fn verify<F: Value, M: Mac<F>>(
        &self,
        claim: &impl Claim<F, M>,
        channel: &mut dyn Channel,
    ) -> Result<Tally, Error> {
        let mut rng = ChaCha20Rng::seed_from_u64(self.seed.into());
        let (mut pool, delta) = (deal::field_keys::<F, M>(self.seed), deal::field_delta::<F, M>());
        let challenges = self.challenges(identity(claim), &mut rng);
        let verifier = Verifier::new(self.settings(), challenges, &delta, &mut pool, Alone(channel));
        let result = verifier.verify(claim);
        give_verdict(result, channel)
    }

    /// The real P and V.
    pub(crate) fn honest<F: Value, M: Mac<F>>(&self, claim: &impl Claim<F, M>) -> Both {
        between(|p| self.prove(claim, p), |v| self.verify(claim, v))
    }

    /// The plain P with `proved`, lying as told, and V with `claimed`.
    pub(crate) fn lying<F: Value, M: Mac<F>>(
        &self,
        proved: &impl Claim<F, M>,
        claimed: &impl Claim<F, M>,
        cheat: Cheat<M>,
    ) -> Both {
        between(|p| self.lie(proved, cheat, p), |v| self.verify(claimed, v))
    }

    /// V's answer to a plain P with the same claim, who lies as told.
    pub(crate) fn answer<F: Value, M: Mac<F>>(
        &self,
        claim: &impl Claim<F, M>,
        lie: Lie,
    ) -> Result<Tally, Error> {
        self.lying::<F, M>(claim, claim, (lie, None)).1
    }
}

/// The digest of a claim.
fn identity<F: Value, M: Mac<F>>(claim: &impl Claim<F, M>) -> [u8; 32] {
    let mut digest = Digest::new();
    Statement::<Verifier<'_, F, M>>::identify(claim, &mut digest);
    digest.finish()
}

/// What becomes of P's `result` when it has V's verdict.
pub(crate) fn await_verdict<T>(result: Result<T, Error>, channel: &mut dyn Channel) -> Result<T, Error> {
    let result = result.and_then(|tally| verdict::receive(channel).map(|()| tally));
    result.inspect_err(|error| channel.fail(&error.to_string()))
}

/// V tells P its `result`, as a session does.
pub(crate) fn give_verdict<T>(result: Result<T, Error>, channel: &mut dyn Channel) -> Result<T, Error> {
    if result.as_ref().is_err_and(Error::is_rejection) {
        let _ = verdict::send(channel, false);
    }
    let result = result.and_then(|tally| verdict::send(channel, true).map(|()| tally));
    result.inspect_err(|error| channel.fail(&error.to_string()))
}

/// V found a relation wrong.
pub(crate) fn wrong<T>() -> Result<T, Error> {
    Err(Error::Rejected { reason: "a product or another polynomial is wrong".into() })
}

/// V found that a wire is not zero.
pub(crate) fn not_zero<T>() -> Result<T, Error> {
    Err(Error::Rejected { reason: "a wire that must be zero is not".into() })
}
