//! Disjunctions in the clear.

use volery_field::{F2, F61, Value as _};

use super::*;
use crate::choose::Sizer;
use crate::{Backend, Counter, Evaluator, Ops, Polynomials};

/// "I know a number whose square plus the shared one, or whose product with itself as an expression, is
/// this."
#[derive(Clone, Debug)]
struct Root {
    square: u64,
    root: Option<u64>,
    extra: usize,
}

impl<B: Polynomials<F61>> Branch<F61, B> for Root {
    fn identify(&self, digest: &mut Digest) {
        digest.number("square", self.square);
    }

    fn run(&self, b: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let root = b.secret(1, &mut |_| {
            let root = self.root.ok_or_else(|| Error::Witness("none".into()))?;
            Ok(vec![F61::from_u64(root)])
        })?;
        let mut square = b.mul(&root[0], &root[0])?;
        for _ in 0..self.extra {
            square = b.add(&square, &shared[0]);
            square = b.sub(&square, &shared[0]);
        }
        let difference = b.add_constant(&square, -F61::from_u64(self.square));
        b.assert_zero(&[difference])?;
        let (p, c) = (b.poly(&root[0]), b.poly_constant(F61::from_u64(2)));
        let (squared, doubled) = (b.poly_mul(&p, &p)?, b.poly_mul(&p, &c)?);
        let all = b.poly_add(&squared, &doubled);
        let minus = -F61::from_u64(self.square + 2 * self.root.unwrap_or(3));
        let claim = b.poly_add_constant(&all, minus);
        b.assert_poly_zero(&[claim])?;
        Ok(vec![b.add(&root[0], &shared[0])])
    }
}

fn roots(known: usize) -> Vec<Root> {
    let list = [9, 16, 9].into_iter().enumerate();
    list.map(|(i, square)| Root { square, root: (i == known).then_some(3), extra: i }).collect()
}

fn outputs(known: usize, picked: usize) -> Result<Vec<F61>, Error> {
    let branches = Branches::new(roots(known), 1)?;
    Evaluator::new().any_of(&[F61::from_u64(5)], &branches, &mut |_| Ok(Picked::new(picked)))
}

#[test]
fn the_evaluator_runs_the_branch_that_is_picked() {
    assert_eq!(outputs(0, 0), Ok(vec![F61::from_u64(8)]));
    assert_eq!(outputs(2, 2), Ok(vec![F61::from_u64(8)]));
    assert!(matches!(outputs(1, 1), Err(Error::Unsatisfied { .. })));
    assert!(matches!(outputs(0, 2), Err(Error::Witness(_))));
    assert!(matches!(outputs(0, 3), Err(Error::Witness(_))));
}

#[test]
fn a_branch_is_as_large_as_its_multiplications_and_its_products_of_expressions() {
    for root in roots(0) {
        let shape = Shape::of::<F61>(&root, 1).expect("counts");
        assert_eq!(shape, Shape { inputs: 1, multiplications: 2, outputs: 1 });
    }
    let branches = Branches::new(roots(0), 1).expect("one shape");
    assert_eq!(branches.shape().commitments(), 1 + 3 * 2 + 1);
    let mut counter = Counter::<F61>::new();
    counter.any_of(&[0], &branches, &mut |_| unreachable!("no values")).expect("counts");
    let counts = counter.total();
    assert_eq!((counts.inputs, counts.multiplications, counts.assertions), (6, 2, 1));
    assert_eq!((counts.disjunctions, counts.branches), (1, 3));
}

#[test]
fn wrong_numbers_of_wires_are_misuse() {
    let branches = Branches::new(roots(0), 1).expect("one shape");
    let result = Evaluator::new().any_of(&[], &branches, &mut |_| Ok(Picked::new(0)));
    assert!(matches!(result, Err(Error::Misuse(_))));
    assert!(branches.check_outputs(2).is_err() && branches.check_shared(1).is_ok());
}

/// "I know this bit", as `sizes` products.
#[derive(Clone, Debug)]
struct Bit {
    name: usize,
    is: F2,
    known: Option<F2>,
}

impl<B: Prove<F2>> Statement<B> for Bit {
    fn identify(&self, digest: &mut Digest) {
        digest.number("name", self.name as u64).number("is", u64::from(self.is.to_u8()));
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let bit = b.secret(1, &mut |_| Ok(vec![self.known.ok_or_else(|| Error::Witness("none".into()))?]))?;
        let square = b.mul(&bit[0], &bit[0])?;
        let wrong = b.add_constant(&square, self.is);
        b.assert_zero(&[wrong])
    }
}

/// A bit that is one.
fn one(name: usize) -> Bit {
    Bit { name, is: F2::ONE, known: None }
}

fn at_least(least: usize, known: &[(usize, F2)]) -> Result<(), Error> {
    let known = known.iter().map(|(i, bit)| (*i, Bit { known: Some(*bit), ..one(*i) })).collect();
    let bits = (0..5).map(one).collect();
    Evaluator::check(&AtLeast::new(bits, least)?.with_witnesses(known)?)
}

#[test]
fn enough_different_branches_must_hold() {
    let (one, zero) = (F2::ONE, F2::ZERO);
    assert_eq!(at_least(1, &[(4, one)]), Ok(()));
    assert_eq!(at_least(3, &[(4, one), (0, one), (2, one)]), Ok(()));
    assert_eq!(at_least(5, &[0, 1, 2, 3, 4].map(|i| (i, one))), Ok(()));
    assert!(matches!(at_least(2, &[(1, one), (3, zero)]), Err(Error::Unsatisfied { .. })));
    assert!(matches!(at_least(2, &[(1, one), (1, one)]), Err(Error::Witness(_))));
    assert!(matches!(at_least(2, &[(1, one)]), Err(Error::Witness(_))));
    assert!(matches!(at_least(1, &[(5, one)]), Err(Error::Witness(_))));
    assert!(matches!(at_least(0, &[]), Err(Error::Public(_))));
    assert!(matches!(at_least(6, &[]), Err(Error::Public(_))));
}

/// The check that numbers increase is in the program, not only in what an honest prover is told.
#[test]
fn a_branch_does_not_count_twice() {
    let known = |i: usize| Bit { known: Some(F2::ONE), ..one(i) };
    let mut twice = AtLeast::new((0..5).map(known).collect(), 2).expect("two of five");
    twice = twice.with_witnesses([1, 3].map(|i| (i, known(i))).to_vec()).expect("two");
    twice.repeat_first();
    assert!(matches!(Evaluator::check(&twice), Err(Error::Unsatisfied { .. })));
}

/// How long the branch that was picked takes is not for who waits to see; what comes before it holds or not.
#[test]
fn an_evaluation_for_a_waiting_verifier_ends_before_the_first_disjunction() {
    struct Around {
        first: F2,
        any: AtLeast<Bit>,
    }
    impl<B: Repeat<F2, Numbered<Bit>>> Statement<B> for Around {
        fn identify(&self, _: &mut Digest) {}

        fn run(&self, b: &mut B) -> Result<(), B::Error> {
            let first = b.secret(1, &mut |_| Ok(vec![self.first]))?;
            b.assert_zero(&first)?;
            self.any.run(b)
        }
    }
    let around = |first, held| {
        let any = AtLeast::new(vec![one(0), one(1)], 1).expect("two");
        let witness = Bit { known: Some(held), ..one(1) };
        Around { first, any: any.with_witnesses(vec![(1, witness)]).expect("one") }
    };
    for (first, held) in [(0, 1), (0, 0), (1, 1)] {
        let around = around(F2::from_lsb(first), F2::from_lsb(held));
        assert_eq!(Evaluator::check(&around).is_ok(), (first, held) == (0, 1));
        assert_eq!(Evaluator::check_until_choice(&around).is_ok(), first == 0);
    }
}

/// One witness would do for both.
#[test]
fn a_threshold_of_equal_branches_is_refused() {
    let named = |names: &[usize]| names.iter().map(|name| one(*name)).collect::<Vec<_>>();
    for (names, least, both) in
        [(&[0, 1, 0][..], 2, "0 and 2"), (&[3, 1, 2, 2], 3, "2 and 3"), (&[5, 5], 2, "0 and 1")]
    {
        let error = AtLeast::new(named(names), least).expect_err("equal branches");
        assert!(matches!(&error, Error::Public(reason) if reason.contains(both)), "{error}");
    }
    // Where one is enough, it makes no difference.
    assert!(AtLeast::new(named(&[5, 5]), 1).is_ok());
    // The same circuit with another claim is another statement.
    let zero = Bit { is: F2::ZERO, ..one(5) };
    assert!(AtLeast::new(vec![one(5), zero], 2).is_ok());
}

#[test]
fn a_sizer_counts_without_values() {
    let mut sizer = Sizer::<F61>::default();
    sizer.enter("anywhere");
    let wires = sizer.secret(3, &mut |_| unreachable!("no values")).expect("counts");
    sizer.mul_many(&wires, &wires).expect("counts");
    sizer.assert_dot(&wires, &wires, &()).expect("counts");
    assert_eq!((sizer.total().inputs, sizer.total().expanded()), (3, 6));
}
