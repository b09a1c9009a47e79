//! Every kind of proof whose challenges can be hashes.

use core::marker::PhantomData;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng as _;
use volery_channel::{Channel, Tag, tags};
use volery_circuit::{
    Backend, Branch, Branches, Challenge, Convert, Digest, Error as StatementError, Expression as _, Ops,
    Peek, Picked, Prove, Repeat, Statement, Steps, Tested,
};
use volery_field::{F2, F61, Ring};
use volery_testing::deal::{delta, field_delta};
use volery_vole::{SessionId, Transcript};

use super::deal::{bits, keys_over, tags_over};
use super::{Party, every_byte_is_in_the_next_seed, every_message_is_in_the_next_seed, run};
use crate::Error;
use crate::disjunction::AnyOf;
use crate::macncheese::{
    self, Disjunction, Join, Multiplier, ProverBits, ProverField, VerifierBits, VerifierField,
};
use crate::quicksilver::{self, Challenges, field, mixed, verdict};

/// Blocks so short that every proof has several.
const INTERVAL: usize = 8;

fn challenges<'c>(part: &str) -> Challenges<'c> {
    Challenges::FiatShamir(Transcript::new(part, &SessionId::new([1; 32])))
}

/// A chain of products of ones.
#[derive(Clone)]
struct Powers<R>(usize, PhantomData<R>);

impl<R: Ring, B: Prove<R>> Statement<B> for Powers<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.number("powers", self.0 as u64);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let secrets = b.secret(2, &mut |_| Ok(vec![R::ONE; 2]))?;
        let mut power = secrets[0].clone();
        for _ in 0..self.0 {
            power = b.mul(&power, &secrets[1])?;
        }
        let difference = b.sub(&power, &secrets[0]);
        b.assert_zero(&[difference])
    }
}

fn powers<R>(n: usize) -> Powers<R> {
    Powers(n, PhantomData)
}

fn prove_bits(
    statement: &impl for<'a> Statement<quicksilver::bits::Prover<'a>>,
    channel: &mut dyn Channel,
) -> Result<(), Error> {
    let (settings, mut pool) = (quicksilver::bits::Settings { interval: INTERVAL }, bits(false));
    quicksilver::bits::Prover::new(settings, challenges("bits"), &mut pool, channel, None)
        .prove(statement)
        .map(drop)
}

fn verify_bits(
    statement: &impl for<'a> Statement<quicksilver::bits::Verifier<'a>>,
    channel: &mut dyn Channel,
) -> Result<(), Error> {
    let (settings, mut pool) = (quicksilver::bits::Settings { interval: INTERVAL }, bits(true));
    let (challenges, delta) = (challenges("bits"), delta());
    quicksilver::bits::Verifier::new(settings, challenges, &delta, &mut pool, channel, None)
        .verify(statement)
        .map(drop)
}

fn prove_over(
    statement: &impl for<'a> Statement<field::Prover<'a, F61, F61>>,
    channel: &mut dyn Channel,
) -> Result<(), Error> {
    let (settings, mut pool) = (field::Settings { interval: INTERVAL }, tags_over());
    let link = field::Alone(channel);
    field::Prover::new(settings, challenges("field"), &mut pool, link).prove(statement).map(drop)
}

fn verify_over(
    statement: &impl for<'a> Statement<field::Verifier<'a, F61, F61>>,
    channel: &mut dyn Channel,
) -> Result<(), Error> {
    let (settings, mut pool) = (field::Settings { interval: INTERVAL }, keys_over());
    let (link, delta) = (field::Alone(channel), field_delta::<F61, F61>());
    field::Verifier::new(settings, challenges("field"), &delta, &mut pool, link).verify(statement).map(drop)
}

/// Powers, a challenge in the middle, and claims about a scalar that depends on it.
struct Challenged;

impl<B: Challenge<F61>> Statement<B> for Challenged {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"challenged");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        powers::<F61>(5).run(b)?;
        let [x] = b.secrets(|_| Ok([F61::ONE]))?;
        // A claim that no challenge can make hold: hashes over this field are worth no more.
        let asked = b.ask(Tested { degree: 0, repetitions: 1, values: 1 })?;
        // Some blocks before it is taken.
        powers::<F61>(7).run(b)?;
        let drawn = b.take(1, asked)?;
        let product = b.scalars(1, &mut |peek| Ok(vec![drawn[0] * B::embed(peek.value(&x))]))?;
        let (x, product) = (b.expression::<3>(&x), b.scalar::<3>(&product[0]));
        b.claim(x.scale(drawn[0]) * x - product)?;
        powers::<F61>(9).run(b)
    }
}

#[test]
fn every_message_of_a_proof_with_a_challenge_is_in_the_next_seed() {
    every_message_is_in_the_next_seed([|c| prove_over(&Challenged, c), |c| verify_over(&Challenged, c)]);
}

#[test]
fn every_message_of_a_proof_about_bits_is_in_the_next_seed() {
    every_message_is_in_the_next_seed([|c| prove_bits(&powers(20), c), |c| verify_bits(&powers(20), c)]);
}

#[test]
fn every_message_of_a_proof_over_a_field_is_in_the_next_seed() {
    every_message_is_in_the_next_seed([|c| prove_over(&powers(20), c), |c| verify_over(&powers(20), c)]);
}

/// Bits, a chain of products of elements, and what ties them.
struct Mixed;

impl<B: Prove<F2> + Convert<F61>> Statement<B> for Mixed {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"mixed");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let bits = Prove::<F2>::secret(b, 12, &mut |_| Ok(vec![F2::ONE; 12]))?;
        let elements = b.convert_bits(&bits)?;
        Statement::<B>::run(&powers::<F61>(5), b)?;
        Statement::<B>::run(&powers::<F2>(9), b)?;
        let wrong = Ops::<F61>::add_constant(b, &elements[3], -F61::ONE);
        Prove::<F61>::assert_zero(b, &[wrong])
    }
}

fn prove_mixed(channel: &mut dyn Channel) -> Result<(), Error> {
    let (mut bit_pool, mut pool) = (bits(false), tags_over());
    let settings = quicksilver::bits::Settings { interval: INTERVAL };
    let part = quicksilver::bits::Prover::new(settings, challenges("bits"), &mut bit_pool, channel, None);
    let settings = field::Settings { interval: INTERVAL };
    let field = field::Prover::<F61, F61, _>::new(settings, challenges("field"), &mut pool, part);
    mixed::Prover::new(field, [5; 16].into()).prove(&Mixed).map(drop)
}

fn verify_mixed(channel: &mut dyn Channel) -> Result<(), Error> {
    let (mut bit_pool, mut pool) = (bits(true), keys_over());
    let (bit_delta, delta) = (delta(), field_delta::<F61, F61>());
    let settings = quicksilver::bits::Settings { interval: INTERVAL };
    let part = quicksilver::bits::Verifier::new(
        settings,
        challenges("bits"),
        &bit_delta,
        &mut bit_pool,
        channel,
        None,
    );
    let settings = field::Settings { interval: INTERVAL };
    let field = field::Verifier::<F61, F61, _>::new(settings, challenges("field"), &delta, &mut pool, part);
    mixed::Verifier::new(field).verify(&Mixed).map(drop)
}

/// P waits for V's bytes in each block, and V says there that an earlier one was wrong. P hears it too if it
/// is still writing.
#[test]
fn a_prover_that_waits_for_v_s_bytes_hears_a_rejection() {
    fn told(verified: Result<(), Error>, channel: &mut dyn Channel) -> Result<(), Error> {
        verified.inspect_err(|_| verdict::send(channel, false).expect("sent"))
    }
    fn heard(parties: [Party; 2], opening: Tag) {
        let at = run(parties, None).sent[0].iter().position(|(tag, _)| *tag == opening).expect("opened");
        for result in run(parties, Some((0, [at, 0]))).results {
            assert!(matches!(result, Err(Error::Rejected { .. })), "{opening}: {result:?}");
        }
    }
    heard([|c| prove_bits(&powers(50), c), |c| told(verify_bits(&powers(50), c), c)], tags::CHECK_OPENING);
    heard(
        [|c| prove_over(&powers(400), c), |c| told(verify_over(&powers(400), c), c)],
        tags::ELEMENTS_OPENING,
    );
}

#[test]
fn every_message_of_a_mixed_proof_is_in_the_next_seed() {
    every_message_is_in_the_next_seed([prove_mixed, verify_mixed]);
}

/// One of two chains, and a chain after it, so that challenges come after the disjunction's last message.
struct OneOf<R>(PhantomData<R>);

impl<R: Ring, B: Prove<R>> Statement<B> for OneOf<R>
where
    AnyOf<R, Powers<R>>: Statement<B>,
{
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"one of two");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let any = AnyOf::<R, _>::new(vec![powers::<R>(3), powers::<R>(7)]).and_then(|any| any.with_choice(1));
        any?.run(b)?;
        powers::<R>(12).run(b)
    }
}

#[test]
fn every_message_of_a_disjunction_is_in_the_next_seed() {
    every_message_is_in_the_next_seed([
        |c| prove_bits(&OneOf(PhantomData), c),
        |c| verify_bits(&OneOf(PhantomData), c),
    ]);
    every_message_is_in_the_next_seed([
        |c| prove_over(&OneOf(PhantomData), c),
        |c| verify_over(&OneOf(PhantomData), c),
    ]);
}

/// A branch of a batch: squares its input this many times.
struct Square(usize);

impl<B: Prove<F61>> Branch<F61, B> for Square {
    fn identify(&self, digest: &mut Digest) {
        digest.number("squares", self.0 as u64);
    }

    fn run(&self, b: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let mut x = shared[0].clone();
        for _ in 0..self.0 {
            x = b.mul(&x, &x)?;
        }
        Ok(vec![x])
    }
}

struct Batch;

struct Ones;

impl<B: Prove<F61>> Steps<F61, Square, B> for Ones {
    fn before(&mut self, b: &mut B, _step: usize) -> Result<Vec<B::Wire>, B::Error> {
        b.secret(1, &mut |_| Ok(vec![F61::ONE]))
    }

    fn pick(&mut self, step: usize, _: &dyn Peek<F61, B::Wire>) -> Result<Picked<Square>, StatementError> {
        Ok(Picked::new(step % 2))
    }

    fn after(&mut self, _: &mut B, _step: usize, _outputs: Vec<B::Wire>) -> Result<(), B::Error> {
        Ok(())
    }
}

impl<B: Repeat<F61, Square>> Statement<B> for Batch {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"batch");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        b.repeat(&Branches::new(vec![Square(1), Square(3)], 1)?, 3, &mut Ones)?;
        powers::<F61>(9).run(b)
    }
}

#[test]
fn every_message_of_a_batch_is_in_the_next_seed() {
    every_message_is_in_the_next_seed([|c| prove_over(&Batch, c), |c| verify_over(&Batch, c)]);
}

/// A chain of products, and a disjunction of chains.
struct Stacked<R>(Join, PhantomData<R>);

impl<B: Backend, R: Ring> Statement<B> for Stacked<R>
where
    B: Prove<R>,
    Disjunction<Powers<R>>: Statement<B>,
{
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"stacked");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        powers::<R>(20).run(b)?;
        let branches = vec![powers::<R>(3), powers::<R>(7), powers::<R>(5)];
        let any = Disjunction::new(self.0, branches)?;
        any.with_choice(if let Join::AtLeast(2) = self.0 { &[0, 2] } else { &[1] }).run(b)
    }
}

fn settings(multiplier: Multiplier) -> macncheese::Settings {
    macncheese::Settings { interval: INTERVAL, multiplier }
}

fn prove_stacked(
    join: Join,
    multiplier: Multiplier,
    over: bool,
    channel: &mut dyn Channel,
) -> Result<(), Error> {
    let (settings, challenges, mut rng) =
        (settings(multiplier), challenges("cheese"), ChaCha20Rng::seed_from_u64(1));
    let result = if over {
        let (share, mut pool) = (ProverField::<F61, F61>::default(), tags_over());
        let statement = Stacked::<F61>(join, PhantomData);
        macncheese::prove(share, settings, challenges, &mut rng, &mut pool, channel, &statement)
    } else {
        let (mut pool, statement) = (bits(false), Stacked::<F2>(join, PhantomData));
        macncheese::prove(ProverBits, settings, challenges, &mut rng, &mut pool, channel, &statement)
    };
    result.map(drop)
}

fn verify_stacked(
    join: Join,
    multiplier: Multiplier,
    over: bool,
    channel: &mut dyn Channel,
) -> Result<(), Error> {
    let (settings, challenges) = (settings(multiplier), challenges("cheese"));
    let result = if over {
        let (share, mut pool) = (VerifierField::<F61, F61>::new(&field_delta::<F61, F61>()), keys_over());
        let statement = Stacked::<F61>(join, PhantomData);
        macncheese::verify(share, settings, challenges, &mut pool, channel, &statement)
    } else {
        let (share, mut pool) = (VerifierBits::new(&delta()), bits(true));
        let statement = Stacked::<F2>(join, PhantomData);
        macncheese::verify(share, settings, challenges, &mut pool, channel, &statement)
    };
    result.map(drop)
}

/// Both parties of a proof with this join and multiplier, over the field or over bits.
macro_rules! stacked {
    ($join:expr, $multiplier:ident, $over:expr) => {
        every_message_is_in_the_next_seed([
            |c| prove_stacked($join, Multiplier::$multiplier, $over, c),
            |c| verify_stacked($join, Multiplier::$multiplier, $over, c),
        ])
    };
}

#[test]
fn every_piece_and_every_round_of_a_proof_that_can_be_stacked_is_in_the_next_seed() {
    stacked!(Join::Tree, Batched, false);
    stacked!(Join::Tree, Simple, true);
    stacked!(Join::Linear, BatchedPowers, true);
    stacked!(Join::AtLeast(2), Batched, true);
}

/// Repetitions that run in step with each other.
fn settings_in_step(multiplier: Multiplier) -> macncheese::Settings {
    macncheese::Settings { interval: 64, multiplier }
}

fn prove_repeated(multiplier: Multiplier, channel: &mut dyn Channel) -> Result<(), Error> {
    let (share, mut pool) = (ProverField::<F61, F61>::default(), tags_over());
    let (settings, mut rng) = (settings_in_step(multiplier), ChaCha20Rng::seed_from_u64(1));
    macncheese::prove(share, settings, challenges("cheese"), &mut rng, &mut pool, channel, &Batch).map(drop)
}

fn verify_repeated(multiplier: Multiplier, channel: &mut dyn Channel) -> Result<(), Error> {
    let (share, mut pool) = (VerifierField::<F61, F61>::new(&field_delta()), keys_over());
    let settings = settings_in_step(multiplier);
    macncheese::verify(share, settings, challenges("cheese"), &mut pool, channel, &Batch).map(drop)
}

#[test]
fn every_repetition_s_part_of_every_piece_and_round_is_in_the_next_seed() {
    every_byte_is_in_the_next_seed([
        |c| prove_repeated(Multiplier::Batched, c),
        |c| verify_repeated(Multiplier::Batched, c),
    ]);
    every_message_is_in_the_next_seed([
        |c| prove_repeated(Multiplier::Simple, c),
        |c| verify_repeated(Multiplier::Simple, c),
    ]);
}

#[test]
#[ignore = "takes a few seconds without optimisation"]
fn long_every_byte_of_repetitions_by_simple_checks_is_in_the_next_seed() {
    every_byte_is_in_the_next_seed([
        |c| prove_repeated(Multiplier::Simple, c),
        |c| verify_repeated(Multiplier::Simple, c),
    ]);
    every_message_is_in_the_next_seed([
        |c| prove_repeated(Multiplier::Batched, c),
        |c| verify_repeated(Multiplier::Batched, c),
    ]);
}
