//! Disjunctions inside branches of disjunctions, and branches that use what is around them.

use volery_circuit::{Digest, Ops, Prove, Statement};
use volery_field::{F61, Ring};
use volery_testing::{Bits, Over, bits_and_a_field};
use volery_zk::Error;
use volery_zk::macncheese::{Branch, Disjunction, Join, Run, Share};

use crate::disjunction::programs::{Program, Small};
use crate::macncheese::parties::{Fields, between, blocks};
use crate::macncheese::trees::Tree;

/// A tree of disjunctions `depth` deep with programs before and after each, as P and as V have it. `way` is
/// which branches hold, a digit at a level; without it nothing is known.
fn tree<R: Small>(depth: usize, seed: u64, way: Option<usize>, false_leaf: bool) -> Tree<R> {
    let program = |seed: u64, steps| {
        let program = Program::new([seed, seed + 1], 3, steps);
        Tree::Leaf(if way.is_some() { program } else { program.public() })
    };
    if depth == 0 {
        let mut leaf = Program::<R>::new([seed, seed + 1], 3, 10 + (seed % 3) as usize * 10);
        if false_leaf {
            leaf.witness.as_mut().expect("has one")[0] += R::ONE;
            leaf.witness.as_mut().expect("has one")[1] += R::ONE;
            leaf = leaf.with_own_claims();
        }
        return Tree::Leaf(if way.is_some() { leaf } else { leaf.public() });
    }
    let width = 2 + depth % 2;
    let join = [Join::Tree, Join::Linear, Join::AtLeast(2)][(depth + seed as usize) % 3];
    let wanted = if let Join::AtLeast(r) = join { r } else { 1 };
    let chosen: Vec<usize> = (0..wanted).map(|k| (way.unwrap_or(0) + k) % width).collect();
    let branches = (0..width).map(|i| {
        let way = way.filter(|_| chosen.contains(&i)).map(|way| way / width);
        tree(depth - 1, seed * 4 + i as u64, way, false_leaf)
    });
    let any = Disjunction::new(join, branches.collect()).expect("fits");
    let any = if way.is_some() { any.with_choice(&chosen) } else { any };
    Tree::All(vec![program(seed + 50, 10), Tree::Any(any), program(seed + 60, 6)])
}

fn nested_to_depth_five<K: Fields>() {
    for (depth, ways) in [(1, 3), (2, 4), (3, 2), (5, 2)] {
        let v = tree::<K::Ring>(depth, 1, None, false);
        let mut outline = None;
        for way in 0..ways {
            let p = tree::<K::Ring>(depth, 1, Some(way * 7), false);
            let end = between::<K, _, _>(blocks(1 << 12), &p, &v);
            end.accepted();
            let own = end.outline();
            assert_eq!(outline.get_or_insert_with(|| own.clone()), &own, "way {way} of depth {depth} shows");
        }
    }
}

#[test]
fn disjunctions_nest_to_depth_five_with_every_join_and_no_way_shows() {
    nested_to_depth_five::<Bits>();
    nested_to_depth_five::<Over<F61, F61>>();
}

#[test]
fn a_lie_at_depth_three_is_rejected() {
    let v = tree::<F61>(3, 1, None, false);
    let p = tree::<F61>(3, 1, Some(3), true);
    for how in [blocks(1 << 12), blocks(20).fiat_shamir()] {
        let end = between::<Over<F61, F61>, _, _>(how, &p, &v);
        assert!(matches!(&end.results[1], Err(error) if error.is_rejection()), "{:?}", end.results[1]);
    }
}

#[test]
fn branches_over_all_levels_are_no_more_than_the_most_of_one() {
    let program = Program::<F61>::new([1, 2], 3, 4);
    let nested = |outer: usize, inner: usize| {
        let any = |branches| {
            let any = Disjunction::new(Join::Tree, branches).expect("fits by itself");
            Tree::Any(any.with_choice(&[0]))
        };
        any((0..outer).map(|_| any((0..inner).map(|_| Tree::Leaf(program.clone())).collect())).collect())
    };
    // (1024 - 33) / 33 = 30 remain for each of 33.
    for (inner, fits) in [(30, true), (31, false)] {
        let statement = nested(33, inner);
        let end = between::<Over<F61, F61>, _, _>(blocks(1 << 12), &statement, &statement);
        let refused = |result: &Result<_, Error>| matches!(result, Err(Error::Statement(volery_circuit::Error::Misuse(reason))) if reason.contains("1 to 30"));
        assert!(
            end.results.iter().all(|result| result.is_ok() == fits && refused(result) != fits),
            "{:?}",
            end.results
        );
    }
}

/// `[x] = value`, a branch about a wire from outside.
struct Is<W, R> {
    wire: W,
    value: R,
}

impl<H: Share> Statement<Run<'_, H>> for Is<H::Wire, H::Value> {
    fn identify(&self, _digest: &mut Digest) {}

    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error> {
        let square = run.mul(&self.wire, &self.wire)?;
        let difference = run.add_constant(&self.wire, -self.value);
        let squares = run.add_constant(&square, -(self.value * self.value));
        run.assert_zero(&[difference, squares])
    }
}

/// "I know an `x` that is one of these."
struct Member<R> {
    set: Vec<R>,
    x: Option<(R, usize)>,
}

impl<H: Share<Value = R>, R: Small> Statement<Run<'_, H>> for Member<R> {
    fn identify(&self, _digest: &mut Digest) {}

    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error> {
        let hint = || self.x.map(|(x, _)| vec![x]).ok_or(volery_circuit::Error::Witness("none".into()));
        let wire = run.secret(1, &mut |_| hint())?[0];
        let branches: Vec<_> = self.set.iter().map(|value| Is { wire, value: *value }).collect();
        let branches: Vec<&dyn Branch<H>> = branches.iter().map(|branch| branch as &dyn Branch<H>).collect();
        run.any_of(&branches, self.x.map(|(_, at)| at))
    }
}

fn branches_may_use_wires_from_outside<K: Fields>() {
    let set: Vec<K::Ring> = (0..2).map(|n| if n == 0 { K::Ring::ZERO } else { K::Ring::ONE }).collect();
    let v = Member { set: set.clone(), x: None };
    for (at, x) in set.iter().enumerate() {
        let p = Member { set: set.clone(), x: Some((*x, at)) };
        between::<K, _, _>(blocks(64), &p, &v).accepted();
    }
    // Not the second element but the sum of both with another one: P claims what is not so.
    let other = Member { set: vec![set[1], set[0]], x: Some((set[1], 0)) };
    let end = between::<K, _, _>(blocks(64), &other, &Member { set: vec![set[0], set[0]], x: None });
    assert!(matches!(&end.results[1], Err(error) if error.is_rejection()), "{:?}", end.results[1]);
}

#[test]
fn a_member_of_a_set_is_proved_by_branches_about_one_committed_value() {
    bits_and_a_field!(branches_may_use_wires_from_outside);
}

/// An application's statement with a mistake in it: a branch panics, below `depth` disjunctions.
struct Panics {
    depth: usize,
    here: bool,
}

impl<H: Share> Statement<Run<'_, H>> for Panics {
    fn identify(&self, _digest: &mut Digest) {}

    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error> {
        let x = run.secret(1, &mut |_| Ok(vec![H::Value::ZERO]))?;
        if self.depth > 0 {
            let [one, other] = [self.here, false].map(|here| Self { depth: self.depth - 1, here });
            run.any_of(&[&one, &other], Some(1))?;
        }
        assert!(self.depth > 0 || !self.here, "a branch that panics, as this test wants");
        run.assert_zero(&x)
    }
}

#[test]
fn a_branch_that_panics_ends_the_proof_with_an_error() {
    for depth in 1..4 {
        let [well, mistaken] = [false, true].map(|here| Panics { depth, here });
        between::<Bits, _, _>(blocks(64), &well, &well).accepted();
        for (at, p, v) in [(0, &mistaken, &well), (1, &well, &mistaken)] {
            let end = between::<Bits, _, _>(blocks(64), p, v);
            let said = end.results[at].as_ref().expect_err("it panicked").to_string();
            assert!(said.contains("a branch of a disjunction ended without a result"), "{said}");
            assert!(end.results[1 - at].is_err());
        }
    }
}
