//! Both parties of one proof, on two threads with a channel between them.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::Channel;
use volery_circuit::Statement;
use volery_field::{F2, Mac, Value};
use volery_testing::{Bits, Meddling, Over, deal, session};
use volery_vole::{SessionId, Transcript};
use volery_zk::Error;
use volery_zk::macncheese::{
    Multiplier, ProverBits, ProverField, Run, Settings, Share, Tally, VerifierBits, VerifierField, prove,
    verify,
};
use volery_zk::quicksilver::Challenges;

use crate::disjunction::programs::Small;

/// How a proof is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) settings: Settings,
    pub(crate) fiat_shamir: bool,
    /// P's own choices, and the correlations.
    pub(crate) seed: u64,
}

/// Batched, in blocks of `interval`.
pub(crate) const fn blocks(interval: usize) -> How {
    let settings = Settings { interval, multiplier: Multiplier::Batched };
    How { settings, fiat_shamir: false, seed: 1 }
}

impl How {
    pub(crate) const fn fiat_shamir(self) -> Self {
        Self { fiat_shamir: true, ..self }
    }

    pub(crate) const fn with(self, multiplier: Multiplier) -> Self {
        Self { settings: Settings { multiplier, ..self.settings }, ..self }
    }
}

/// What P and V ended with, and all that they sent.
pub(crate) type End = volery_testing::End<Tally, Error>;

/// A kind of proof: over bits or over a field.
pub(crate) trait Fields {
    type Ring: Small;
    type P: Share<Value = Self::Ring>;
    type V: Share<Value = Self::Ring>;
    fn prove<S>(how: How, statement: &S, channel: &mut dyn Channel) -> Result<Tally, Error>
    where
        S: for<'r> Statement<Run<'r, Self::P>>;
    fn verify<S>(how: How, statement: &S, channel: &mut dyn Channel) -> Result<Tally, Error>
    where
        S: for<'r> Statement<Run<'r, Self::V>>;
}

/// The transcript has the same start at both parties, whatever they run: a lie must be found by the proof
/// itself.
fn challenges<'c>(how: How) -> Challenges<'c> {
    match how.fiat_shamir {
        true => Challenges::FiatShamir(Transcript::new("test", &SessionId::new([1; 32]))),
        false => Challenges::seeded(&SessionId::new([1; 32]), &mut ChaCha20Rng::seed_from_u64(7)),
    }
}

impl Fields for Bits {
    type Ring = F2;
    type P = ProverBits;
    type V = VerifierBits;

    fn prove<S>(how: How, statement: &S, channel: &mut dyn Channel) -> Result<Tally, Error>
    where
        S: for<'r> Statement<Run<'r, ProverBits>>,
    {
        let mut pool = deal::bits(how.seed as u8, None, 777);
        let mut rng = ChaCha20Rng::seed_from_u64(how.seed + 100);
        prove(ProverBits, how.settings, challenges(how), &mut rng, &mut pool, channel, statement)
    }

    fn verify<S>(how: How, statement: &S, channel: &mut dyn Channel) -> Result<Tally, Error>
    where
        S: for<'r> Statement<Run<'r, VerifierBits>>,
    {
        let share = VerifierBits::new(&deal::bit_delta());
        let mut pool = deal::bits(how.seed as u8, Some(deal::bit_delta()), 777);
        verify(share, how.settings, challenges(how), &mut pool, channel, statement)
    }
}

impl<F: Value + Small, M: Mac<F>> Fields for Over<F, M> {
    type Ring = F;
    type P = ProverField<F, M>;
    type V = VerifierField<F, M>;

    fn prove<S>(how: How, statement: &S, channel: &mut dyn Channel) -> Result<Tally, Error>
    where
        S: for<'r> Statement<Run<'r, Self::P>>,
    {
        let mut pool = deal::field_tags::<F, M>(how.seed as u8);
        let mut rng = ChaCha20Rng::seed_from_u64(how.seed + 100);
        let share = ProverField::default();
        prove(share, how.settings, challenges(how), &mut rng, &mut pool, channel, statement)
    }

    fn verify<S>(how: How, statement: &S, channel: &mut dyn Channel) -> Result<Tally, Error>
    where
        S: for<'r> Statement<Run<'r, Self::V>>,
    {
        let share = VerifierField::new(&deal::field_delta::<F, M>());
        let mut pool = deal::field_keys::<F, M>(how.seed as u8);
        verify(share, how.settings, challenges(how), &mut pool, channel, statement)
    }
}

/// P runs `proved`, V `claimed`; a message is changed on its way.
pub(crate) fn meddled<K: Fields, S, T>(how: How, proved: &S, claimed: &T, change: Meddling) -> End
where
    S: for<'r> Statement<Run<'r, K::P>>,
    T: for<'r> Statement<Run<'r, K::V>>,
{
    session(|channel| K::prove(how, proved, channel), |channel| K::verify(how, claimed, channel), change)
}

/// Nobody meddles.
pub(crate) fn between<K: Fields, S, T>(how: How, proved: &S, claimed: &T) -> End
where
    S: for<'r> Statement<Run<'r, K::P>>,
    T: for<'r> Statement<Run<'r, K::V>>,
{
    meddled::<K, S, T>(how, proved, claimed, None)
}
