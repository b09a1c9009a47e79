//! Both parties of one proof, on two threads with a channel between them.

use std::time::Duration;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::{Channel, Limits, Tag, memory_pair};
use volery_circuit::Statement;
use volery_field::{F2, Mac, Value};
use volery_vole::{SessionId, Transcript};
use volery_zk::Error;
use volery_zk::disjunction::AnyOf;
use volery_zk::quicksilver::{self, Challenges, Tally, arithmetic};

use crate::deal;
use crate::programs::{Program, Small};
use crate::tap::{Change, Tap};

/// How a proof is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) interval: usize,
    pub(crate) fiat_shamir: bool,
    /// Which correlations are dealt.
    pub(crate) dealt: u8,
}

pub(crate) const RUNS: [Run; 4] = [
    Run { interval: 1 << 12, fiat_shamir: false, dealt: 1 },
    Run { interval: 1 << 12, fiat_shamir: true, dealt: 1 },
    Run { interval: 61, fiat_shamir: false, dealt: 1 },
    Run { interval: 61, fiat_shamir: true, dealt: 1 },
];

/// What P and V ended with, and all that they sent.
pub(crate) struct End {
    pub(crate) results: [Result<Tally, Error>; 2],
    pub(crate) sent: [Vec<(Tag, Vec<u8>)>; 2],
}

impl End {
    /// Tags and lengths of all messages.
    pub(crate) fn outline(&self) -> Vec<(u8, usize)> {
        self.sent.iter().flatten().map(|(tag, payload)| (tag.byte(), payload.len())).collect()
    }
}

/// A disjunction.
pub(crate) type Any<R> = AnyOf<R, Program<R>>;

/// A kind of proof: over bits or over a field.
pub(crate) trait Kind {
    type Ring: Small;
    fn prove(run: Run, any: &Any<Self::Ring>, channel: &mut dyn Channel) -> Result<Tally, Error>;
    fn verify(run: Run, any: &Any<Self::Ring>, channel: &mut dyn Channel) -> Result<Tally, Error>;
}

pub(crate) struct Bits;
pub(crate) struct Over<F, M>(core::marker::PhantomData<(F, M)>);

/// The transcript has the same start at both parties, whatever they run: a lie must be found by the proof
/// itself.
fn challenges(run: Run, rng: &mut ChaCha20Rng) -> Challenges<'_> {
    match run.fiat_shamir {
        true => Challenges::FiatShamir(Transcript::new("test", &SessionId::new([1; 32]))),
        false => Challenges::Interactive(rng),
    }
}

/// A run of the statement twice: something comes after the first disjunction.
struct Twice<'a, R>(&'a Any<R>);

impl<R: Small, B: volery_circuit::Backend> Statement<B> for Twice<'_, R>
where
    Any<R>: Statement<B>,
{
    fn identify(&self, digest: &mut volery_circuit::Digest) {
        self.0.identify(digest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.0.run(b)?;
        self.0.run(b)
    }
}

impl Kind for Bits {
    type Ring = F2;

    fn prove(run: Run, any: &Any<F2>, channel: &mut dyn Channel) -> Result<Tally, Error> {
        prove_bits(run, &Twice(any), channel)
    }

    fn verify(run: Run, any: &Any<F2>, channel: &mut dyn Channel) -> Result<Tally, Error> {
        verify_bits(run, &Twice(any), channel)
    }
}

impl<F: Value + Small, M: Mac<F>> Kind for Over<F, M> {
    type Ring = F;

    fn prove(run: Run, any: &Any<F>, channel: &mut dyn Channel) -> Result<Tally, Error> {
        prove_over::<F, M>(run, &Twice(any), channel)
    }

    fn verify(run: Run, any: &Any<F>, channel: &mut dyn Channel) -> Result<Tally, Error> {
        verify_over::<F, M>(run, &Twice(any), channel)
    }
}

/// P's side of a proof of any statement over bits.
pub(crate) fn prove_bits(
    run: Run,
    statement: &impl for<'a> Statement<quicksilver::Prover<'a>>,
    channel: &mut dyn Channel,
) -> Result<Tally, Error> {
    let (mut rng, mut stock) = (ChaCha20Rng::seed_from_u64(9), deal::bit_stock(run.dealt, None, false));
    let settings = quicksilver::Settings { interval: run.interval };
    quicksilver::Prover::new(settings, challenges(run, &mut rng), &mut stock, channel, None).prove(statement)
}

/// V's side.
pub(crate) fn verify_bits(
    run: Run,
    statement: &impl for<'a> Statement<quicksilver::Verifier<'a>>,
    channel: &mut dyn Channel,
) -> Result<Tally, Error> {
    let (mut rng, delta) = (ChaCha20Rng::seed_from_u64(7), deal::bit_delta());
    let mut stock = deal::bit_stock(run.dealt, Some(deal::bit_delta()), false);
    let settings = quicksilver::Settings { interval: run.interval };
    let challenges = challenges(run, &mut rng);
    quicksilver::Verifier::new(settings, challenges, &delta, &mut stock, channel, None).verify(statement)
}

/// P's side of a proof of any statement over a field.
pub(crate) fn prove_over<F: Value, M: Mac<F>>(
    run: Run,
    statement: &impl for<'a> Statement<arithmetic::Prover<'a, F, M>>,
    channel: &mut dyn Channel,
) -> Result<Tally, Error> {
    let (mut rng, mut stock) = (ChaCha20Rng::seed_from_u64(9), deal::prover_stock::<F, M>(run.dealt));
    let settings = arithmetic::Settings { interval: run.interval };
    let (challenges, link) = (challenges(run, &mut rng), arithmetic::Alone(channel));
    arithmetic::Prover::new(settings, challenges, &mut stock, link).prove(statement)
}

/// V's side.
pub(crate) fn verify_over<F: Value, M: Mac<F>>(
    run: Run,
    statement: &impl for<'a> Statement<arithmetic::Verifier<'a, F, M>>,
    channel: &mut dyn Channel,
) -> Result<Tally, Error> {
    let (mut rng, delta) = (ChaCha20Rng::seed_from_u64(7), deal::delta::<F, M>());
    let mut stock = deal::verifier_stock::<F, M>(run.dealt);
    let settings = arithmetic::Settings { interval: run.interval };
    let (challenges, link) = (challenges(run, &mut rng), arithmetic::Alone(channel));
    arithmetic::Verifier::new(settings, challenges, &delta, &mut stock, link).verify(statement)
}

/// A message of a party, 0 or 1, to be changed: who sends it, which of its messages it is, and how.
pub(crate) type Meddling = Option<(usize, usize, Change)>;

/// P runs `proved`, V `claimed`; `change` is done to one of the messages of a party.
pub(crate) fn meddled<K: Kind>(
    run: Run,
    proved: &Any<K::Ring>,
    claimed: &Any<K::Ring>,
    change: Meddling,
) -> End {
    session(|tap| K::prove(run, proved, tap), |tap| K::verify(run, claimed, tap), change)
}

/// Both parties of any proof.
pub(crate) fn session(
    prove: impl FnOnce(&mut dyn Channel) -> Result<Tally, Error> + Send,
    verify: impl FnOnce(&mut dyn Channel) -> Result<Tally, Error> + Send,
    change: Meddling,
) -> End {
    let read = Duration::from_secs(20);
    let (p, v) = memory_pair(&Limits { read, write: read, ..Limits::default() });
    let tap = |party| change.and_then(|(who, at, change)| (who == party).then_some((at, change)));
    std::thread::scope(|scope| {
        let prover = scope.spawn(|| {
            let mut tap = Tap::new(p, tap(0));
            let result = prove(&mut tap).inspect_err(|error| tap.fail(&error.to_string()));
            (result, tap.sent)
        });
        let verifier = scope.spawn(|| {
            let mut tap = Tap::new(v, tap(1));
            let result = verify(&mut tap).inspect_err(|error| tap.fail(&error.to_string()));
            (result, tap.sent)
        });
        let (p, v) = (prover.join().expect("no panic"), verifier.join().expect("no panic"));
        End { results: [p.0, v.0], sent: [p.1, v.1] }
    })
}

/// Nobody meddles.
pub(crate) fn between<K: Kind>(run: Run, proved: &Any<K::Ring>, claimed: &Any<K::Ring>) -> End {
    meddled::<K>(run, proved, claimed, None)
}

/// Branches of different sizes.
pub(crate) fn programs<R: Small>(n: usize) -> Vec<Program<R>> {
    (0..n as u64)
        .map(|i| Program::new([i, i + 100], 3 + i as usize % 3, 40 + 11 * (i as usize % 4)))
        .collect()
}

/// The disjunction at P, who knows a witness of the branch that holds alone.
pub(crate) fn at_prover<R: Small>(programs: &[Program<R>], choice: usize) -> Any<R> {
    let mut branches: Vec<_> = programs.iter().map(Program::public).collect();
    branches[choice] = programs[choice].clone();
    AnyOf::new(branches).and_then(|any| any.with_choice(choice)).expect("fits")
}

/// The disjunction at V.
pub(crate) fn at_verifier<R: Small>(programs: &[Program<R>]) -> Any<R> {
    AnyOf::new(programs.iter().map(Program::public).collect()).expect("fits")
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

/// How often each bit of what P sends is set, over so many different correlations.
pub(crate) fn frequencies(runs: u8, run: impl Fn(u8) -> End) -> Vec<f64> {
    let mut counts: Vec<u32> = Vec::new();
    for dealt in 0..runs {
        let end = run(dealt);
        assert!(end.results[1].is_ok());
        let bytes = end.sent[0].iter().flat_map(|(_, payload)| payload);
        let bits: Vec<u32> = bytes.flat_map(|byte| (0..8).map(move |i| u32::from(byte >> i & 1))).collect();
        counts.resize(bits.len(), 0);
        counts.iter_mut().zip(bits).for_each(|(count, bit)| *count += bit);
    }
    counts.iter().map(|count| f64::from(*count) / f64::from(runs)).collect()
}

/// That no bit tells one picture of frequencies from another. Bits that are masked are fair coins in each;
/// the others (counts, padding) are the same. Six standard deviations.
pub(crate) fn look_alike(pictures: &[Vec<f64>], runs: u8) {
    let most = 6.0 * (0.5 / f64::from(runs)).sqrt();
    let masked = pictures[0].iter().filter(|frequency| (0.2..0.8).contains(*frequency)).count();
    assert!(masked * 2 > pictures[0].len(), "{masked} of {} bits are masked", pictures[0].len());
    for other in &pictures[1..] {
        assert_eq!(other.len(), pictures[0].len());
        let worst = pictures[0].iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < most, "{worst}");
    }
}
