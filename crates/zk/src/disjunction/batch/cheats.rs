//! A prover of batches that knows one of the two seeds before it is drawn.

use volery_circuit::{Ops as _, Prove as _};
use volery_field::{F61, Field as _};

use super::super::base::Base;
use super::super::cheats::{One, Prover, Two, only_who_knows_the_seed_is_believed, session};
use super::*;

/// What P knows.
#[derive(Clone, Copy, Debug)]
enum Known {
    /// The seed of `s` and `t`: P's secrets are wrong by errors that cancel.
    Rows([u8; 16]),
    /// The seed of `u`: P commits to another vector, which its wrong secrets fit and which has the same check
    /// value under `u`.
    CheckValues([u8; 16]),
}

/// The first branch of two does not hold, and P proves that it does.
struct Lie {
    branches: Branches<F61, Two>,
    known: Known,
}

impl Lie {
    fn new(known: Known) -> Self {
        let branches = vec![Two::claiming([0, 0]), Two::claiming([8, 9])];
        Self { branches: Branches::new(branches, 0).expect("two"), known }
    }
}

fn dot(x: &[F61], y: &[F61]) -> F61 {
    x.iter().zip(y).fold(F61::ZERO, |sum, (x, y)| sum + *x * *y)
}

fn quotient(x: F61, y: F61) -> F61 {
    x * y.inverse().expect("one in 2^61 is zero")
}

impl volery_circuit::Statement<Prover<'_>> for Lie {
    fn identify(&self, _: &mut volery_circuit::Digest) {}

    /// As [`super::repeat`], with one repetition. A vector has entries for both secrets, for the output, and
    /// for the constant one.
    fn run(&self, base: &mut Prover<'_>) -> Result<(), Error> {
        let (shape, circuits) = (self.branches.shape(), Circuits::record(&self.branches)?);
        let mut weighed = [F61::ONE, F61::ZERO, F61::ONE, F61::ONE];
        if let Known::Rows(seed) = self.known {
            let vector = circuits.vectors(seed, 1)?.copies(&[0])?.remove(0);
            weighed[1] = -quotient(dot(&vector, &weighed), vector[1]);
        }
        let values = [weighed[0], weighed[1]];
        let own = Branches::with_shape(vec![Two::of(values)], 0, shape)?;
        let mut trace =
            |_: &dyn Peek<F61, _>| Trace::of(&own, &Picked::new(0), &[], <Prover<'_> as Base<F61>>::kept);
        let committed = Committed::new(base, shape, &mut trace, None)?;
        let repetition = Repetition { picked: Some(0), shared: Zeroizing::default(), committed };
        let challenge = drawn(base)?;
        let seed = if let Known::Rows(seed) = self.known { seed } else { challenge };
        let vectors = circuits.vectors(seed, 1)?;
        let mut vector = vectors.copies(&[0])?.remove(0).to_vec();
        let coefficients = |seed| {
            let mut u = vec![F61::ZERO; vectors.entries()];
            Prg::new(seed).coefficients(&mut u);
            u
        };
        if let Known::CheckValues(seed) = self.known {
            let (u, error) = (coefficients(seed), dot(&vector, &weighed));
            // The second secret is zero, so what its entry takes back from `u` changes nothing else.
            vector[0] -= error;
            vector[1] += quotient(error * u[0], u[1]);
        }
        let one = base.constant(F61::ONE);
        let wires = repetition.weighed(one);
        let coordinate = base.secret(vector.len(), &mut |_| Ok(vector.clone()))?;
        let factors = repetition.factors(&vectors.rows()[0], base)?;
        base.assert_dot(&coordinate, &wires, &factors)?;
        let challenge = drawn(base)?;
        let u = coefficients(if let Known::CheckValues(seed) = self.known { seed } else { challenge });
        let set = vectors.check_values(&u)?;
        let check_value = <Prover<'_> as Base<F61>>::combine(&coordinate, &u)?;
        base.assert_member(check_value, &set)?;
        // As the statement goes on.
        let out = base.add_constant(&repetition.committed.outputs[0], -F61::ONE);
        base.assert_zero(&[out])
    }
}

#[test]
fn repetitions_that_hold_under_seeds_that_were_not_drawn_yet_are_rejected() {
    let claimed = |claims| One::new(Two::claiming(claims), 1, true);
    let seeds =
        session(Some(1), &One::new(Two::of([1, 2].map(F61::new)), 1, true), &claimed([1, 2])).accepted();
    let false_claim = claimed([0, 0]);
    for known in [Known::Rows as fn(_) -> _, Known::CheckValues] {
        only_who_knows_the_seed_is_believed(&seeds, |seed| Lie::new(known(seed)), &false_claim);
    }
}
