//! Both parties of a proof with QuickSilver, on correlations that are dealt.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng as _;
use volery_channel::Channel;
use volery_field::{Coordinates, F61x2};
use volery_testing::{between, deal};
use volery_zk::Error;
use volery_zk::quicksilver::field::{Alone, Prover, Settings as Blocks, Verifier};
use volery_zk::quicksilver::{Challenges, Tally, verdict};

use super::super::split::tests::whole;
use super::go_on::GoOn;
use super::*;
use Operation::*;

fn prove<M: Coordinates<F61>>(run: &ProgramRun, channel: &mut dyn Channel) -> Result<Tally, Error> {
    let mut rng = ChaCha20Rng::seed_from_u64(99);
    let mut pool = deal::field_tags::<F61, M>(1);
    let prover = Prover::new(Blocks::LAN, Challenges::Interactive(&mut rng), &mut pool, Alone(channel));
    let result = prover.prove(run);
    let result = result.and_then(|tally| verdict::receive(channel).map(|()| tally));
    result.inspect_err(|error| channel.fail(&error.to_string()))
}

/// P's side of a proof in which claims may be false.
pub(super) fn go_on(run: &ProgramRun, channel: &mut dyn Channel) -> Result<Tally, Error> {
    let mut rng = ChaCha20Rng::seed_from_u64(99);
    let mut pool = deal::field_tags::<F61, F61>(1);
    let prover = Prover::new(Blocks::LAN, Challenges::Interactive(&mut rng), &mut pool, Alone(channel));
    let result = GoOn::new(prover).prove(run);
    let result = result.and_then(|tally| verdict::receive(channel).map(|()| tally));
    result.inspect_err(|error| channel.fail(&error.to_string()))
}

pub(super) fn verify<M: Coordinates<F61>>(
    run: &ProgramRun,
    channel: &mut dyn Channel,
) -> Result<Tally, Error> {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let (mut pool, delta) = (deal::field_keys::<F61, M>(1), deal::field_delta::<F61, M>());
    let challenges = Challenges::Interactive(&mut rng);
    let result = Verifier::new(Blocks::LAN, challenges, &delta, &mut pool, Alone(channel)).verify(run);
    match &result {
        Ok(_) => verdict::send(channel, true)?,
        Err(error) => channel.fail(&error.to_string()),
    }
    result
}

/// V's statement, with what P claims.
fn public_side(words: &[u32], run: &ProgramRun, claim: RunClaim) -> ProgramRun {
    let public = b"public".to_vec();
    ProgramRun::new(program(words), public, claim, run.profile().clone(), run.settings())
        .expect("within bounds")
}

/// Reads the secret, writes its first byte, and stores and loads in a loop.
fn words() -> Vec<u32> {
    let mut words = runs::call(63, 0, 1, 6);
    words.extend(runs::call(64, 1, 1, 1));
    words.extend([i(Addi, 6, 0, 0, 30), i(Lw, 7, 11, 0, 3), i(Mul, 7, 7, 6, 0), i(Sw, 0, 2, 7, -8)]);
    words.extend([i(Addi, 6, 6, 0, -1), i(Bne, 0, 6, 0, -16), i(Addi, 10, 7, 0, 0)]);
    words.extend(exit());
    words
}

fn accepted<M: Coordinates<F61>>() {
    let run = run_of(&words(), [b"secret", b"public"], Settings { steps: 100, unit: 4, log: 4 });
    let v = public_side(&words(), &run, run.claim().clone());
    assert_eq!(identity(&v), identity(&run));
    assert!(run.profile().segments() > 1);
    let (p, v) = between(|channel| prove::<M>(&run, channel), |channel| verify::<M>(&v, channel));
    assert_eq!(p.expect("proved"), v.expect("accepted"));
}

#[test]
fn a_run_is_proved_and_accepted() {
    accepted::<F61>();
}

/// As long segments have them.
#[test]
fn a_run_is_proved_and_accepted_with_whole_tables() {
    let run = run_of(&words(), [b"secret", b"public"], Settings { steps: 1 << 10, unit: 4, log: 4 });
    let v = public_side(&words(), &run, run.claim().clone());
    let prove = |run: &ProgramRun, channel: &mut dyn Channel| whole(|| prove::<F61>(run, channel));
    let verify = |run: &ProgramRun, channel: &mut dyn Channel| whole(|| verify::<F61>(run, channel));
    let (p, v) = between(|channel| prove(&run, channel), |channel| verify(&v, channel));
    let tally = p.expect("proved");
    assert!(tally.secrets > 2 << 16);
    assert_eq!(tally, v.expect("accepted"));
}

#[test]
#[ignore = "long: the larger field"]
fn long_a_run_is_proved_and_accepted_over_the_larger_field() {
    accepted::<F61x2>();
}

/// P proves what is true, V was told something else.
#[test]
fn another_claim_is_rejected() {
    let run = run_of(&words(), [b"secret", b"public"], Settings { steps: 1 << 10, unit: 4, log: 4 });
    let RunClaim { end, journal } = run.claim().clone();
    let End::Exit(code) = end else { panic!("{end:?}") };
    let other = RunClaim { end: End::Exit(code ^ 1), journal };
    let v = public_side(&words(), &run, other);
    let (_, v) = between(|channel| prove::<F61>(&run, channel), |channel| verify::<F61>(&v, channel));
    assert!(matches!(v, Err(Error::Rejected { .. })), "{v:?}");
}

/// P knows the program, V its bounds.
#[test]
fn a_run_of_a_secret_program_is_proved_and_accepted() {
    let bounds = Bounds { text: TEXT, words: 40, data: 17 };
    let settings = Settings { steps: 100, unit: 4, log: 4 };
    let inputs = [b"secret", b"public"].map(|input| input.to_vec());
    let run = ProgramRun::of_secret(program(&words()), bounds, inputs, settings, Limits::default());
    let run = run.expect("a run");
    let of = |bounds: Bounds| {
        let (claim, profile) = (run.claim().clone(), run.profile().clone());
        ProgramRun::new(bounds, b"public".to_vec(), claim, profile, settings).expect("within bounds")
    };
    let v = of(bounds);
    assert_eq!((identity(&v), v.subject()), (identity(&run), run.subject()));
    let (p, v) = between(|channel| prove::<F61>(&run, channel), |channel| verify::<F61>(&v, channel));
    assert_eq!(p.expect("proved"), v.expect("accepted"));
    // With other bounds it is another statement.
    let other = of(Bounds { data: 18, ..bounds });
    assert!(identity(&other) != identity(&run) && other.subject() != run.subject());
    let (_, v) = between(|channel| prove::<F61>(&run, channel), |channel| verify::<F61>(&other, channel));
    assert!(v.is_err(), "{v:?}");
}
