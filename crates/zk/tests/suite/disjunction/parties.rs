//! Both parties of one proof, on two threads with a channel between them.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::Channel;
use volery_circuit::Statement;
use volery_field::{F2, Mac, Value};
use volery_testing::{Bits, Meddling, Over, deal, session};
use volery_vole::{SessionId, Transcript};
use volery_zk::Error;
use volery_zk::disjunction::AnyOf;
use volery_zk::quicksilver::{self, Challenges, Tally, field};

use crate::disjunction::programs::{Program, Small};

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
pub(crate) type End = volery_testing::End<Tally, Error>;

/// A disjunction.
pub(crate) type Any<R> = AnyOf<R, Program<R>>;

/// A kind of proof: over bits or over a field.
pub(crate) trait Fields {
    type Ring: Small;
    fn prove(run: Run, any: &Any<Self::Ring>, channel: &mut dyn Channel) -> Result<Tally, Error>;
    fn verify(run: Run, any: &Any<Self::Ring>, channel: &mut dyn Channel) -> Result<Tally, Error>;
}

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

impl Fields for Bits {
    type Ring = F2;

    fn prove(run: Run, any: &Any<F2>, channel: &mut dyn Channel) -> Result<Tally, Error> {
        prove_bits(run, &Twice(any), channel)
    }

    fn verify(run: Run, any: &Any<F2>, channel: &mut dyn Channel) -> Result<Tally, Error> {
        verify_bits(run, &Twice(any), channel)
    }
}

impl<F: Value + Small, M: Mac<F>> Fields for Over<F, M> {
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
    statement: &impl for<'a> Statement<quicksilver::bits::Prover<'a>>,
    channel: &mut dyn Channel,
) -> Result<Tally, Error> {
    let (mut rng, mut pool) = (ChaCha20Rng::seed_from_u64(9), deal::bits(run.dealt, None, 777));
    let settings = quicksilver::bits::Settings { interval: run.interval };
    quicksilver::bits::Prover::new(settings, challenges(run, &mut rng), &mut pool, channel, None)
        .prove(statement)
}

/// V's side.
pub(crate) fn verify_bits(
    run: Run,
    statement: &impl for<'a> Statement<quicksilver::bits::Verifier<'a>>,
    channel: &mut dyn Channel,
) -> Result<Tally, Error> {
    let (mut rng, delta) = (ChaCha20Rng::seed_from_u64(7), deal::bit_delta());
    let mut pool = deal::bits(run.dealt, Some(deal::bit_delta()), 777);
    let settings = quicksilver::bits::Settings { interval: run.interval };
    let challenges = challenges(run, &mut rng);
    quicksilver::bits::Verifier::new(settings, challenges, &delta, &mut pool, channel, None).verify(statement)
}

/// P's side of a proof of any statement over a field.
pub(crate) fn prove_over<F: Value, M: Mac<F>>(
    run: Run,
    statement: &impl for<'a> Statement<field::Prover<'a, F, M>>,
    channel: &mut dyn Channel,
) -> Result<Tally, Error> {
    let (mut rng, mut pool) = (ChaCha20Rng::seed_from_u64(9), deal::field_tags::<F, M>(run.dealt));
    let settings = field::Settings { interval: run.interval };
    let (challenges, link) = (challenges(run, &mut rng), field::Alone(channel));
    field::Prover::new(settings, challenges, &mut pool, link).prove(statement)
}

/// V's side.
pub(crate) fn verify_over<F: Value, M: Mac<F>>(
    run: Run,
    statement: &impl for<'a> Statement<field::Verifier<'a, F, M>>,
    channel: &mut dyn Channel,
) -> Result<Tally, Error> {
    let (mut rng, delta) = (ChaCha20Rng::seed_from_u64(7), deal::field_delta::<F, M>());
    let mut pool = deal::field_keys::<F, M>(run.dealt);
    let settings = field::Settings { interval: run.interval };
    let (challenges, link) = (challenges(run, &mut rng), field::Alone(channel));
    field::Verifier::new(settings, challenges, &delta, &mut pool, link).verify(statement)
}

/// P runs `proved`, V `claimed`; `change` is done to one of the messages of a party.
pub(crate) fn meddled<K: Fields>(
    run: Run,
    proved: &Any<K::Ring>,
    claimed: &Any<K::Ring>,
    change: Meddling,
) -> End {
    session(|tap| K::prove(run, proved, tap), |tap| K::verify(run, claimed, tap), change)
}

/// Nobody meddles.
pub(crate) fn between<K: Fields>(run: Run, proved: &Any<K::Ring>, claimed: &Any<K::Ring>) -> End {
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
