//! Provers that would succeed if one check were missing.
//!
//! Each guesses a challenge's seed before V draws it, or leaves out one claim, and is otherwise honest. The
//! tests also show that a right guess would be enough: a verifier that draws the guessed seed accepts.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::{Channel, tags};
use volery_circuit::choose::repeat_by_choosing;
use volery_circuit::{
    Branch, Branches, Choose, Digest, Error as StatementError, Peek, Picked, Prove, Repeat, Statement, Steps,
};
use volery_field::{F61, Field as _, Ring as _};
use volery_testing::{Link, Tap, between, deal};
use volery_vole::{SessionId, Transcript};

use super::rows::{FOLD, Products, Rows};
use crate::Error;
use crate::quicksilver::field::{self, Alone, Settings};
use crate::quicksilver::{Challenges, Tally};

pub(super) type Prover<'a> = field::Prover<'a, F61, F61>;
pub(super) type Verifier<'a> = field::Verifier<'a, F61, F61>;

/// "My two secrets are `claims`." The branch's output is the first secret plus `out`.
#[derive(Clone, Debug)]
pub(super) struct Two {
    pub(super) values: Option<[F61; 2]>,
    pub(super) claims: [F61; 2],
    pub(super) out: F61,
}

impl Two {
    /// A branch that claims this, without a witness.
    pub(super) fn claiming(claims: [u64; 2]) -> Self {
        Self { values: None, claims: claims.map(F61::new), out: F61::ZERO }
    }

    /// One that these values satisfy.
    pub(super) fn of(values: [F61; 2]) -> Self {
        Self { values: Some(values), claims: values, out: F61::ZERO }
    }
}

impl<B: Prove<F61>> Branch<F61, B> for Two {
    fn identify(&self, _: &mut Digest) {}

    fn run(&self, b: &mut B, _: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let x = b.secret(2, &mut |_| {
            self.values.map(Vec::from).ok_or_else(|| StatementError::Witness("none".into()))
        })?;
        let claims: Vec<_> = x.iter().zip(self.claims).map(|(x, claim)| b.add_constant(x, -claim)).collect();
        b.assert_zero(&claims)?;
        Ok(vec![b.add_constant(&x[0], self.out)])
    }
}

/// "One of two branches holds, and its output is `end`", as a disjunction or as a batch of one repetition.
pub(super) struct One {
    branches: Branches<F61, Two>,
    end: F61,
    batch: bool,
}

impl One {
    pub(super) fn new(first: Two, end: u64, batch: bool) -> Self {
        let branches = Branches::new(vec![first, Two::claiming([8, 9])], 0).expect("two");
        Self { branches, end: F61::new(end), batch }
    }
}

/// The first branch holds, if any.
struct First<W>(Option<W>);

impl<B: Prove<F61>> Steps<F61, Two, B> for First<B::Wire> {
    fn before(&mut self, _: &mut B, _: usize) -> Result<Vec<B::Wire>, B::Error> {
        Ok(Vec::new())
    }

    fn pick(&mut self, _: usize, _: &dyn Peek<F61, B::Wire>) -> Result<Picked<Two>, StatementError> {
        Ok(Picked::new(0))
    }

    fn after(&mut self, _: &mut B, _: usize, outputs: Vec<B::Wire>) -> Result<(), B::Error> {
        self.0 = outputs.into_iter().next();
        Ok(())
    }
}

impl<B: Repeat<F61, Two> + Choose<F61, Two>> Statement<B> for One {
    fn identify(&self, _: &mut Digest) {}

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let mut first = First(None);
        match self.batch {
            true => b.repeat(&self.branches, 1, &mut first)?,
            false => repeat_by_choosing(b, &self.branches, 1, &mut first)?,
        }
        let out = first.0.ok_or_else(|| StatementError::misuse("nothing came out"))?;
        let difference = b.add_constant(&out, -self.end);
        b.assert_zero(&[difference])
    }
}

/// How a proof ended for V, and the seeds that it sent.
pub(super) struct End {
    pub(super) result: Result<Tally, Error>,
    pub(super) seeds: Vec<[u8; 16]>,
}

impl End {
    pub(super) fn accepted(self) -> Vec<[u8; 16]> {
        assert!(self.result.is_ok(), "{:?}", self.result);
        self.seeds
    }

    pub(super) fn rejected(self) {
        assert!(matches!(&self.result, Err(error) if error.is_rejection()), "{:?}", self.result);
    }
}

/// Both parties of a proof; V chooses from the generator number `choices`, or hashes do.
pub(super) fn session(
    choices: Option<u64>,
    proved: &(impl for<'a> Statement<Prover<'a>> + Sync),
    claimed: &(impl for<'a> Statement<Verifier<'a>> + Sync),
) -> End {
    fn challenges(choices: Option<u64>, rng: &mut ChaCha20Rng) -> Challenges<'_> {
        match choices {
            Some(_) => Challenges::Interactive(rng),
            None => Challenges::FiatShamir(Transcript::new("test", &SessionId::new([1; 32]))),
        }
    }
    let settings = Settings { interval: 1 << 20 };
    let prove = |p: &mut Link| {
        let mut rng = ChaCha20Rng::seed_from_u64(99);
        let mut pool = deal::field_tags::<F61, F61>(1);
        let challenges = challenges(choices, &mut rng);
        let result = Prover::new(settings, challenges, &mut pool, Alone(p)).prove(proved);
        let _ = result.inspect_err(|error| p.fail(&error.to_string()));
    };
    let verify = |v: &mut Link| {
        let mut tap = Tap::recorder(v);
        let (mut rng, mut pool) =
            (ChaCha20Rng::seed_from_u64(choices.unwrap_or(0)), deal::field_keys::<F61, F61>(1));
        let (challenges, delta) = (challenges(choices, &mut rng), deal::field_delta::<F61, F61>());
        let result = Verifier::new(settings, challenges, &delta, &mut pool, Alone(&mut tap)).verify(claimed);
        if let Err(error) = &result {
            tap.fail(&error.to_string());
        }
        let seeds = tap.layer.sent.iter().filter(|(tag, _)| *tag == tags::ELEMENTS_CHALLENGE);
        let seeds = seeds.map(|(_, seed)| seed.as_slice().try_into().expect("a seed")).collect();
        End { result, seeds }
    };
    between(prove, verify).1
}

/// A cheat that needs to know one of V's seeds. It works with the right seed. It does not with seeds that a
/// prover may think of: zeros, and those of the proof before.
pub(super) fn only_who_knows_the_seed_is_believed<S>(
    seeds: &[[u8; 16]],
    cheat: impl Fn([u8; 16]) -> S,
    claimed: &(impl for<'a> Statement<Verifier<'a>> + Sync),
) where
    S: for<'a> Statement<Prover<'a>> + Sync,
{
    // Against the verifier that draws the same seeds again.
    let works = |seed: &[u8; 16]| session(Some(1), &cheat(*seed), claimed).result.is_ok();
    assert_eq!(seeds.iter().filter(|seed| works(seed)).count(), 1);
    for guess in seeds.iter().copied().chain([[0; 16]]) {
        for choices in [Some(2), None] {
            session(choices, &cheat(guess), claimed).rejected();
        }
    }
}

/// P's branch adds one to the output of V's, and P proves a claim about the sum.
#[test]
fn a_branch_from_which_something_else_comes_out_is_rejected() {
    for batch in [false, true] {
        let claimed = One::new(Two::claiming([3, 4]), 4, batch);
        let held = Two::of([3, 4].map(F61::new));
        session(Some(1), &One::new(held.clone(), 3, batch), &One::new(Two::claiming([3, 4]), 3, batch))
            .accepted();
        let lie = One::new(Two { out: F61::ONE, ..held }, 4, batch);
        for choices in [Some(1), None] {
            session(choices, &lie, &claimed).rejected();
        }
    }
}

/// P's secrets are wrong in both claims, by errors that cancel under the coefficients of a seed.
fn cancelling(seed: [u8; 16]) -> One {
    let rows = Rows::<F61>::new(Vec::new(), seed, 1);
    let t = rows.assertions.within();
    let second = -t[0] * t[1].inverse().expect("one in 2^61 is zero");
    One::new(Two::of([F61::ONE, second]), 1, false)
}

#[test]
fn errors_that_cancel_under_a_seed_that_was_not_drawn_yet_are_rejected() {
    // False: nobody's first secret is zero and comes out as one.
    let claimed = One::new(Two::claiming([0, 0]), 1, false);
    let truth = |claims: [u64; 2]| One::new(Two::of(claims.map(F61::new)), 1, false);
    let seeds = session(Some(1), &truth([1, 2]), &One::new(Two::claiming([1, 2]), 1, false)).accepted();
    only_who_knows_the_seed_is_believed(&seeds, cancelling, &claimed);
}

/// Products of a secret with itself, claimed to be three; their left factors off by `errors`, and the first
/// one claimed to be `first`.
#[derive(Clone, Debug)]
struct Squares {
    products: usize,
    errors: [F61; 2],
    first: F61,
}

impl<B: Prove<F61>> Branch<F61, B> for Squares {
    fn identify(&self, _: &mut Digest) {}

    fn run(&self, b: &mut B, _: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let x = b.secret(1, &mut |_| Ok(vec![F61::new(3)]))?.remove(0);
        let mut left = vec![x.clone(); self.products];
        for (left, error) in left.iter_mut().zip(self.errors) {
            *left = b.add_constant(left, error);
        }
        let products = b.mul_many(&left, &vec![x.clone(); self.products])?;
        let claims = [(x, F61::new(3)), (products[0].clone(), self.first)];
        let claims = claims.map(|(wire, value)| b.add_constant(&wire, -value));
        b.assert_zero(&claims)?;
        Ok(Vec::new())
    }
}

struct OneOfSquares(Branches<F61, Squares>);

impl OneOfSquares {
    fn new(products: usize, errors: [F61; 2], first: u64) -> Self {
        let branch = |errors, first| Squares { products, errors, first: F61::new(first) };
        let branches = vec![branch(errors, first), branch([F61::ZERO; 2], 7)];
        Self(Branches::new(branches, 0).expect("two"))
    }

    /// P's factors are wrong by errors that cancel under the coefficients of a seed: three times three is
    /// four times three.
    fn cancelling(products: usize, seed: [u8; 16]) -> Self {
        let rows = Products::<F61>::new(seed, 1);
        let s = rows.grid.within();
        let second = -s[0] * s[1].inverse().expect("one in 2^61 is zero");
        Self::new(products, [F61::ONE, second], 12)
    }
}

impl<B: Choose<F61, Squares>> Statement<B> for OneOfSquares {
    fn identify(&self, _: &mut Digest) {}

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        b.any_of(&[], &self.0, &mut |_| Ok(Picked::new(0))).map(drop)
    }
}

fn factors_that_are_not_the_operands_are_rejected(products: usize) {
    let honest = OneOfSquares::new(products, [F61::ZERO; 2], 9);
    let seeds = session(Some(1), &honest, &honest).accepted();
    let claimed = OneOfSquares::new(products, [F61::ZERO; 2], 12);
    only_who_knows_the_seed_is_believed(&seeds, |seed| OneOfSquares::cancelling(products, seed), &claimed);
}

#[test]
fn factors_that_cancel_under_a_seed_that_was_not_drawn_yet_are_rejected() {
    factors_that_are_not_the_operands_are_rejected(2);
}

#[test]
#[ignore = "more multiplications than one challenge is for"]
fn long_factors_that_cancel_under_the_first_of_several_seeds_are_rejected() {
    factors_that_are_not_the_operands_are_rejected(FOLD + 1);
}
