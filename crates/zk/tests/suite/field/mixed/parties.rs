//! Both parties of one mixed proof.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::Channel;
use volery_circuit::Statement;
use volery_field::{F61, Mac, Value};
use volery_testing::{between, deal};
use volery_vole::{SessionId, Transcript};
use volery_zk::Error;
use volery_zk::quicksilver::mixed::{Prover, Tallies, Verifier};
use volery_zk::quicksilver::{self, Challenges, field};

use super::reference::{Lie, MixedReference};
use crate::bits::reference as bits;
use crate::field::parties::{await_verdict, give_verdict};
use crate::field::reference::{self, Reference};

/// How a proof is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Places in a block, of either part.
    pub(crate) interval: usize,
    pub(crate) fiat_shamir: bool,
    /// Whether the making of bits says that it may have to wait.
    pub(crate) waits: bool,
    /// Seed of the correlations and of V's challenges.
    pub(crate) seed: u8,
    pub(crate) session: u8,
}

pub(crate) type Both = (Result<Tallies, Error>, Result<Tallies, Error>);

/// The seed of P's masks.
const MASKS: [u8; 16] = [5; 16];

impl Run {
    pub(crate) const fn new(interval: usize, fiat_shamir: bool) -> Self {
        Self { interval, fiat_shamir, waits: false, seed: 1, session: 1 }
    }

    fn transcript(&self, part: &str) -> Option<Transcript> {
        self.fiat_shamir.then(|| Transcript::new(part, &SessionId::new([self.session; 32])))
    }

    fn challenges<'r>(&self, part: &str, rng: &'r mut ChaCha20Rng) -> Challenges<'r> {
        match self.transcript(part) {
            Some(transcript) => Challenges::FiatShamir(transcript),
            None => Challenges::Interactive(rng),
        }
    }

    fn bits(&self) -> quicksilver::bits::Settings {
        quicksilver::bits::Settings { interval: self.interval }
    }

    fn elements(&self) -> field::Settings {
        field::Settings { interval: self.interval }
    }

    /// The real P over `channel`; it waits for the verdict.
    pub(crate) fn prove<F: Value, M: Mac<F>, S>(
        &self,
        claim: &S,
        channel: &mut dyn Channel,
    ) -> Result<Tallies, Error>
    where
        S: for<'a> Statement<Prover<'a, F, M>>,
        for<'a> Prover<'a, F, M>: volery_circuit::Backend<Error = Error>,
    {
        let (mut a, mut b) = (ChaCha20Rng::seed_from_u64(8), ChaCha20Rng::seed_from_u64(9));
        let mut bit_pool = deal::waiting_bits(self.seed, None, 777, self.waits);
        let mut pool = deal::field_tags::<F, M>(self.seed);
        let result = {
            let challenges = self.challenges("bits", &mut a);
            let bits = quicksilver::bits::Prover::new(self.bits(), challenges, &mut bit_pool, channel, None);
            let challenges = self.challenges("field", &mut b);
            let field = field::Prover::new(self.elements(), challenges, &mut pool, bits);
            Prover::new(field, MASKS.into()).prove(claim)
        };
        await_verdict(result, channel)
    }

    /// The plain P, lying as told; it waits for the verdict.
    pub(crate) fn lie<M: Mac<F61>, S>(
        &self,
        claim: &S,
        lie: Lie,
        channel: &mut dyn Channel,
    ) -> Result<Tallies, Error>
    where
        S: for<'a> Statement<MixedReference<'a, M>>,
    {
        let result = {
            let tags = deal::Tags::new(self.seed);
            let go_on = bits::Lie::GoOn;
            let bits = bits::Reference::new(self.interval, self.transcript("bits"), tags, go_on, channel);
            let go_on = (reference::Lie::GoOn, None);
            let field = Reference::new(self.interval, self.transcript("field"), self.seed, go_on, bits);
            MixedReference::<M>::new(field, MASKS, lie).prove(claim)
        };
        await_verdict(result, channel)
    }

    /// V over `channel`; it tells P the verdict.
    pub(crate) fn verify<F: Value, M: Mac<F>, S>(
        &self,
        claim: &S,
        channel: &mut dyn Channel,
    ) -> Result<Tallies, Error>
    where
        S: for<'a> Statement<Verifier<'a, F, M>>,
        for<'a> Verifier<'a, F, M>: volery_circuit::Backend<Error = Error>,
    {
        let seed = u64::from(self.seed);
        let (mut a, mut b) = (ChaCha20Rng::seed_from_u64(seed), ChaCha20Rng::seed_from_u64(seed + 1000));
        let (mut pool, delta) = (deal::field_keys::<F, M>(self.seed), deal::field_delta::<F, M>());
        let bit_delta = deal::bit_delta();
        let mut bit_pool = deal::waiting_bits(self.seed, Some(deal::bit_delta()), 777, self.waits);
        let result = {
            let challenges = self.challenges("bits", &mut a);
            let bits = quicksilver::bits::Verifier::new(
                self.bits(),
                challenges,
                &bit_delta,
                &mut bit_pool,
                channel,
                None,
            );
            let challenges = self.challenges("field", &mut b);
            let field = field::Verifier::new(self.elements(), challenges, &delta, &mut pool, bits);
            Verifier::new(field).verify(claim)
        };
        give_verdict(result, channel)
    }

    /// The real P with `proved` and V with `claimed`.
    pub(crate) fn honest<F: Value, M: Mac<F>, S>(&self, proved: &S, claimed: &S) -> Both
    where
        S: for<'a> Statement<Prover<'a, F, M>> + for<'a> Statement<Verifier<'a, F, M>>,
        for<'a> Prover<'a, F, M>: volery_circuit::Backend<Error = Error>,
        for<'a> Verifier<'a, F, M>: volery_circuit::Backend<Error = Error>,
    {
        between(|p| self.prove::<F, M, S>(proved, p), |v| self.verify::<F, M, S>(claimed, v))
    }

    /// V's answer to the plain P, who lies as told.
    pub(crate) fn answer<M: Mac<F61>, S>(&self, claim: &S, lie: Lie) -> Result<Tallies, Error>
    where
        S: for<'a> Statement<MixedReference<'a, M>> + for<'a> Statement<Verifier<'a, F61, M>>,
    {
        between(|p| self.lie::<M, S>(claim, lie, p), |v| self.verify::<F61, M, S>(claim, v)).1
    }
}
