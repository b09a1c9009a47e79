//! Both parties of one proof, on two threads with a channel between them.

use std::time::Duration;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::{Channel, Limits, Tag, memory_pair};
use volery_circuit::Statement;
use volery_field::{F2, Mac, Value};
use volery_vole::{SessionId, Transcript};
use volery_zk::Error;
use volery_zk::macncheese::{
    Half, Multiplier, ProverBits, ProverField, Run, Settings, Tally, VerifierBits, VerifierField, prove,
    verify,
};
use volery_zk::quicksilver::Challenges;

use crate::deal;
use crate::programs::Small;
use crate::tap::{Change, Tap};

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
#[derive(Clone)]
pub(crate) struct End {
    pub(crate) results: [Result<Tally, Error>; 2],
    pub(crate) sent: [Vec<(Tag, Vec<u8>)>; 2],
}

impl End {
    /// Tags and lengths of all messages.
    pub(crate) fn outline(&self) -> Vec<(u8, usize)> {
        self.sent.iter().flatten().map(|(tag, payload)| (tag.byte(), payload.len())).collect()
    }

    /// Both parties are content, and counted the same.
    pub(crate) fn accepted(&self) -> Tally {
        let [p, v] = &self.results;
        assert!(p == v, "{p:?} {v:?}");
        v.clone().expect("accepted")
    }

    /// Bytes of P's messages.
    pub(crate) fn bytes(&self) -> usize {
        self.sent[0].iter().map(|(_, payload)| payload.len()).sum()
    }
}

/// A kind of proof: over bits or over a field.
pub(crate) trait Kind {
    type Ring: Small;
    type P: Half<Value = Self::Ring>;
    type V: Half<Value = Self::Ring>;
    fn prove<S>(how: How, statement: &S, channel: &mut dyn Channel) -> Result<Tally, Error>
    where
        S: for<'r> Statement<Run<'r, Self::P>>;
    fn verify<S>(how: How, statement: &S, channel: &mut dyn Channel) -> Result<Tally, Error>
    where
        S: for<'r> Statement<Run<'r, Self::V>>;
}

pub(crate) struct Bits;
pub(crate) struct Over<F, M>(core::marker::PhantomData<(F, M)>);

/// The transcript has the same start at both parties, whatever they run: a lie must be found by the proof
/// itself.
fn challenges<'c>(how: How) -> Challenges<'c> {
    match how.fiat_shamir {
        true => Challenges::FiatShamir(Transcript::new("test", &SessionId::new([1; 32]))),
        false => Challenges::seeded(&SessionId::new([1; 32]), &mut ChaCha20Rng::seed_from_u64(7)),
    }
}

impl Kind for Bits {
    type Ring = F2;
    type P = ProverBits;
    type V = VerifierBits;

    fn prove<S>(how: How, statement: &S, channel: &mut dyn Channel) -> Result<Tally, Error>
    where
        S: for<'r> Statement<Run<'r, ProverBits>>,
    {
        let mut stock = deal::bit_stock(how.seed as u8, None, false);
        let mut rng = ChaCha20Rng::seed_from_u64(how.seed + 100);
        prove(ProverBits, how.settings, challenges(how), &mut rng, &mut stock, channel, statement)
    }

    fn verify<S>(how: How, statement: &S, channel: &mut dyn Channel) -> Result<Tally, Error>
    where
        S: for<'r> Statement<Run<'r, VerifierBits>>,
    {
        let half = VerifierBits::new(&deal::bit_delta());
        let mut stock = deal::bit_stock(how.seed as u8, Some(deal::bit_delta()), false);
        verify(half, how.settings, challenges(how), &mut stock, channel, statement)
    }
}

impl<F: Value + Small, M: Mac<F>> Kind for Over<F, M> {
    type Ring = F;
    type P = ProverField<F, M>;
    type V = VerifierField<F, M>;

    fn prove<S>(how: How, statement: &S, channel: &mut dyn Channel) -> Result<Tally, Error>
    where
        S: for<'r> Statement<Run<'r, Self::P>>,
    {
        let mut stock = deal::prover_stock::<F, M>(how.seed as u8);
        let mut rng = ChaCha20Rng::seed_from_u64(how.seed + 100);
        let half = ProverField::default();
        prove(half, how.settings, challenges(how), &mut rng, &mut stock, channel, statement)
    }

    fn verify<S>(how: How, statement: &S, channel: &mut dyn Channel) -> Result<Tally, Error>
    where
        S: for<'r> Statement<Run<'r, Self::V>>,
    {
        let half = VerifierField::new(&deal::delta::<F, M>());
        let mut stock = deal::verifier_stock::<F, M>(how.seed as u8);
        verify(half, how.settings, challenges(how), &mut stock, channel, statement)
    }
}

/// A change of one message: whose, which, what.
pub(crate) type Meddling = Option<(usize, usize, Change)>;

/// P runs `proved`, V `claimed`; a message is changed on its way.
pub(crate) fn meddled<K: Kind, S, T>(how: How, proved: &S, claimed: &T, change: Meddling) -> End
where
    S: for<'r> Statement<Run<'r, K::P>>,
    T: for<'r> Statement<Run<'r, K::V>>,
{
    let read = Duration::from_secs(20);
    let (p, v) = memory_pair(&Limits { read, write: read, ..Limits::default() });
    let tap = |party| change.and_then(|(who, at, change)| (who == party).then_some((at, change)));
    std::thread::scope(|scope| {
        let prover = scope.spawn(|| {
            let mut tap = Tap::new(p, tap(0));
            let result = K::prove(how, proved, &mut tap).inspect_err(|error| tap.fail(&error.to_string()));
            (result, tap.sent)
        });
        let verifier = scope.spawn(|| {
            let mut tap = Tap::new(v, tap(1));
            let result = K::verify(how, claimed, &mut tap).inspect_err(|error| tap.fail(&error.to_string()));
            (result, tap.sent)
        });
        let (p, v) = (prover.join().expect("no panic"), verifier.join().expect("no panic"));
        End { results: [p.0, v.0], sent: [p.1, v.1] }
    })
}

/// Nobody meddles.
pub(crate) fn between<K: Kind, S, T>(how: How, proved: &S, claimed: &T) -> End
where
    S: for<'r> Statement<Run<'r, K::P>>,
    T: for<'r> Statement<Run<'r, K::V>>,
{
    meddled::<K, S, T>(how, proved, claimed, None)
}

/// Calls `$test::<K>()` for every kind of proof: over bits, with MACs in the field of values and in an
/// extension of it; with the feature `every-field` also for the other fields.
macro_rules! every_kind {
    ($test:ident) => {{
        use volery_field::{F32, F32x4, F61};
        use $crate::parties::{Bits, Over};
        $test::<Bits>();
        $test::<Over<F61, F61>>();
        $test::<Over<F32, F32x4>>();
        #[cfg(feature = "every-field")]
        {
            use volery_field::{F61x2, Gf128, Gf256};
            $test::<Over<F61, F61x2>>();
            $test::<Over<Gf256, Gf128>>();
        }
    }};
}
pub(crate) use every_kind;
