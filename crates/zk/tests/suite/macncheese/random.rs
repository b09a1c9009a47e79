//! Random small statements, compared with the plain evaluator.
//!
//! A statement has a few parts, one after another: programs, many secrets, repetitions, and disjunctions by
//! every join whose branches are such statements again. What the evaluator accepts, V accepts. If one claim
//! that P has to meet is changed, the evaluator finds it, and V rejects a P that proves the old claim.

use proptest::prelude::*;
use volery_circuit::{Digest, Error as StatementError, Evaluator, Prove, Statement};
use volery_field::F61;
use volery_testing::{Bits, Over};
use volery_zk::Error;
use volery_zk::macncheese::{Disjunction, Join, Multiplier, Run, Share};

use crate::disjunction::programs::{Program, Random, Small};
use crate::macncheese::parties::{Fields, How, between, blocks};
use crate::macncheese::repeating::Batch;

/// All of these hold.
struct All<R>(Vec<Part<R>>);

enum Part<R> {
    Program(Program<R>),
    Secrets(Secrets<R>),
    Any(Disjunction<All<R>>),
    Repeated(Batch<R>),
}

/// "I know these public values", each committed to.
struct Secrets<R> {
    /// Tells it from others with as many values.
    number: u64,
    claims: Vec<R>,
    witness: Option<Vec<R>>,
}

impl<R: Small, B: Prove<R>> Statement<B> for Secrets<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.number("secrets", self.number);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let unknown = || StatementError::Witness("the secrets are unknown".into());
        let wires = b.secret(self.claims.len(), &mut |_| self.witness.clone().ok_or_else(unknown))?;
        for (wire, claim) in wires.iter().zip(&self.claims) {
            let difference = b.add_constant(wire, -*claim);
            b.assert_zero(&[difference])?;
        }
        Ok(())
    }
}

/// Backend by backend, because the branches of a part have parts.
macro_rules! parts_on {
    ([$($generics:tt)*] $backend:ty, $error:ty) => {
        impl<$($generics)*> Statement<$backend> for All<R> {
            fn identify(&self, digest: &mut Digest) {
                self.0.iter().for_each(|part| match part {
                    Part::Program(program) => Statement::<$backend>::identify(program, digest),
                    Part::Secrets(secrets) => Statement::<$backend>::identify(secrets, digest),
                    Part::Any(any) => Statement::<$backend>::identify(any, digest),
                    Part::Repeated(batch) => Statement::<$backend>::identify(batch, digest),
                });
            }

            fn run(&self, backend: &mut $backend) -> Result<(), $error> {
                self.0.iter().try_for_each(|part| match part {
                    Part::Program(program) => program.run(backend),
                    Part::Secrets(secrets) => secrets.run(backend),
                    Part::Any(any) => any.run(backend),
                    Part::Repeated(batch) => batch.run(backend),
                })
            }
        }
    };
}
parts_on!([R: Small, H: Share<Value = R>] Run<'_, H>, Error);
parts_on!([R: Small] Evaluator<R>, StatementError);

/// Makes statements. The same seed gives the same statement, with or without a witness and a changed claim.
struct Maker {
    random: Random,
    /// Whether P's view is made.
    known: bool,
    /// The number of parts so far that P has to meet, besides disjunctions.
    met: usize,
    /// The one of these whose claim is changed.
    changed: Option<usize>,
}

impl Maker {
    fn new(seed: u64, known: bool, changed: Option<usize>) -> Self {
        Self { random: Random(seed), known, met: 0, changed }
    }

    /// `held` says whether P has to meet it.
    fn all<R: Small>(&mut self, depth: usize, held: bool) -> All<R> {
        let parts = 1 + self.random.below(3);
        All((0..parts).map(|_| self.part(depth, held)).collect())
    }

    fn part<R: Small>(&mut self, depth: usize, held: bool) -> Part<R> {
        let kind = self.random.below(if depth == 0 { 3 } else { 5 });
        if kind > 2 {
            return Part::Any(self.any(depth - 1, held));
        }
        let (known, changed) = (self.known && held, held && self.changed == Some(self.met));
        self.met += usize::from(held);
        let number = self.random.next();
        match kind {
            0 => {
                let (inputs, steps) = (2 + self.random.below(3), 4 + self.random.below(30));
                let mut program = Program::new([number, self.random.next()], inputs, steps);
                if changed {
                    program.claims[0] += R::ONE;
                }
                Part::Program(if known { program } else { program.public() })
            }
            1 => {
                let n = 1 + self.random.below(80);
                let values: Vec<R> = (0..n).map(|_| R::small(self.random.next())).collect();
                let mut claims = values.clone();
                if changed {
                    claims[n / 2] += R::ONE;
                }
                Part::Secrets(Secrets { number, claims, witness: known.then_some(values) })
            }
            _ => {
                let (width, repetitions) = (1 + self.random.below(3), 1 + self.random.below(5));
                let batch = Batch::new(width, repetitions, number);
                let batch = if changed { batch.claiming(repetitions / 2, R::ONE) } else { batch };
                Part::Repeated(if known { batch } else { batch.public() })
            }
        }
    }

    fn any<R: Small>(&mut self, depth: usize, held: bool) -> Disjunction<All<R>> {
        let (width, first) = (1 + self.random.below(3), self.random.below(3));
        let (join, wanted) = match self.random.below(3) {
            0 => (Join::Tree, 1),
            1 => (Join::Linear, 1),
            _ => {
                let wanted = 1 + self.random.below(width);
                (Join::AtLeast(wanted), wanted)
            }
        };
        let choice: Vec<usize> = (0..wanted).map(|i| (first + i) % width).collect();
        let branches = (0..width).map(|i| self.all(depth, held && choice.contains(&i))).collect();
        let any = Disjunction::new(join, branches).expect("fits");
        if self.known && held { any.with_choice(&choice) } else { any }
    }
}

/// Levels of disjunctions.
const DEPTH: usize = 2;

/// P's and V's view, with the claim of part `changed` changed, and the number of parts that P has to meet.
fn views<R: Small>(seed: u64, changed: Option<usize>) -> (All<R>, All<R>, usize) {
    let (mut p, mut v) = (Maker::new(seed, true, changed), Maker::new(seed, false, changed));
    (p.all(DEPTH, true), v.all(DEPTH, true), p.met)
}

fn honest<K: Fields>(seed: u64, how: How) {
    let (p, v, _) = views::<K::Ring>(seed, None);
    assert_eq!(Evaluator::<K::Ring>::check(&p), Ok(()));
    between::<K, _, _>(how, &p, &v).accepted();
}

fn one_changed<K: Fields>(seed: u64, how: How, at: usize) {
    let (p, _, met) = views::<K::Ring>(seed, None);
    let (known, claimed, _) = views::<K::Ring>(seed, Some(at % met));
    let refused = Evaluator::<K::Ring>::check(&known);
    assert!(matches!(refused, Err(StatementError::Unsatisfied { .. })), "{refused:?}");
    let [_, v] = between::<K, _, _>(how, &p, &claimed).results;
    assert!(matches!(&v, Err(error) if error.is_rejection()), "{v:?}");
}

fn ways() -> impl Strategy<Value = How> {
    let multipliers = [Multiplier::Simple, Multiplier::Batched, Multiplier::BatchedPowers];
    let how = (prop::sample::select(vec![5, 64, 1 << 12]), prop::sample::select(multipliers.to_vec()));
    (how, any::<bool>()).prop_map(|((interval, multiplier), hashed)| {
        let how = blocks(interval).with(multiplier);
        if hashed { how.fiat_shamir() } else { how }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Over bits a branch that does not hold may hold by chance, with what was written for another one: a
    /// changed claim is for a large field.
    #[test]
    fn what_the_evaluator_accepts_is_accepted_and_one_changed_claim_is_rejected(
        seed: u64, how in ways(), at in 0..100_usize,
    ) {
        honest::<Bits>(seed, how);
        honest::<Over<F61, F61>>(seed, how);
        one_changed::<Over<F61, F61>>(seed, how, at);
    }
}
