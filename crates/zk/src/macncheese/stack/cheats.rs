//! A prover of two false disjunctions whose ends cancel each other.
//!
//! Each disjunction has the end `(e mu_1 - a - eps) + rho (c + eps mu_2)`. Before P sends the two `eps`, it
//! knows everything in the ends except `rho`. With a solution of two equations both parts add up to zero over
//! both disjunctions:
//!
//! ```text
//! sum eps = sum (e mu_1 - a)            sum eps mu_2 = - sum c
//! ```
//!
//! So the ends add up to zero whatever `rho` is, and neither is zero. V finds this because each end is a
//! query of its own.

use core::cell::Cell;

use volery_circuit::{Digest, Prove as _, Statement};
use volery_field::{Element, F2};
use volery_testing::{between, deal, rng};
use volery_vole::SessionId;

use super::super::run::Run;
use super::super::share::Share;
use super::super::{Multiplier, ProverBits, Settings, Tally, VerifierBits, prove, verify};
use super::tree::{self, Joint};
use crate::Error;
use crate::quicksilver::Challenges;
use crate::shares::ElementShare;

const SESSION: SessionId = SessionId::new([1; 32]);

thread_local! {
    static LIES: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread's prover lies.
pub(in super::super) fn lies() -> bool {
    LIES.get()
}

/// The `eps` of a liar for two disjunctions of two branches.
pub(super) fn made_up<M: Element>(honest: Vec<M>, ends: &[ElementShare<M>], joints: &[Joint<M>]) -> Vec<M> {
    let ([one, two], [_, first, _, second], true) = (joints, ends, lies()) else { return honest };
    let sum = honest.iter().fold(M::ZERO, |sum, epsilon| sum + *epsilon);
    let c = one.c.x + two.c.x;
    let inverse = (first.x - second.x).inverse().expect("the two differ");
    let epsilon = (M::ZERO - c - sum * second.x) * inverse;
    vec![epsilon, sum - epsilon]
}

/// "One of the first two elements is zero, and one of the other two." P commits to all four.
struct Zeros([F2; 4]);

impl<H: Share<Value = F2>> Statement<Run<'_, H>> for Zeros {
    fn identify(&self, _: &mut Digest) {}

    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error> {
        let wires = run.secret(4, &mut |_| Ok(self.0.to_vec()))?;
        let factors = [3, 5, 6, 7].map(H::point);
        let ends = wires.iter().zip(factors).map(|(wire, factor)| H::lift(*wire).times(factor));
        let truth = [true, false, true, false].map(|truth| truth && run.writes());
        tree::join(run, ends.collect(), &truth, 2)
    }
}

/// V's verdict on elements that are zero or not.
fn session(elements: [F2; 4]) -> Result<Tally, Error> {
    let settings = Settings { interval: 1 << 12, multiplier: Multiplier::Batched };
    let (proved, result) = between(
        |p| {
            LIES.set(elements[0] == F2::ONE);
            let (mut pool, mut rng) = (deal::bits(1, None, 777), rng(1));
            let challenges = Challenges::seeded(&SESSION, &mut rng);
            let proved = prove(ProverBits, settings, challenges, &mut rng, &mut pool, p, &Zeros(elements));
            LIES.set(false);
            proved
        },
        |v| {
            let mut pool = deal::bits(1, Some(deal::bit_delta()), 777);
            let share = VerifierBits::new(&deal::bit_delta());
            let challenges = Challenges::seeded(&SESSION, &mut rng(3));
            verify(share, settings, challenges, &mut pool, v, &Zeros([F2::ZERO; 4]))
        },
    );
    assert!(proved.is_ok(), "{proved:?}");
    result
}

#[test]
fn ends_that_make_up_for_each_other_are_rejected() {
    assert!(session([F2::ZERO, F2::ONE, F2::ZERO, F2::ONE]).is_ok());
    let result = session([F2::ONE; 4]);
    assert!(matches!(&result, Err(error) if error.is_rejection()), "{result:?}");
}
