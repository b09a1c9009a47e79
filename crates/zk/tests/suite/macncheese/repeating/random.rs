//! Random repetitions, in step with each other and one after another. Both ways V accepts what the plain
//! evaluator accepts and rejects what it rejects.
//!
//! The branches are random small circuits, disjunctions of branches, and repetitions of a disjunction, in
//! any nesting. Each gives a wire that goes into the next repetition, and takes an error besides, which is
//! zero where the claim is true.

use proptest::prelude::*;
use volery_circuit::choose::repeat_by_choosing;
use volery_circuit::{Choose, Ops};
use volery_zk::macncheese::{Run, Share, Tally};

use super::*;
use crate::macncheese::parties::How;

/// How repetitions are proved.
#[derive(Clone, Copy, Debug)]
enum Way {
    InStep,
    OneAfterAnother,
}

/// A branch.
#[derive(Clone, Debug)]
enum Node<R> {
    Leaf(Leaf),
    /// One of several holds, at each of `steps` repetitions, proved in this way. `None`: a single one.
    OneOf {
        branches: Branches<R, Node<R>>,
        repeated: Option<(usize, Way)>,
        /// The repetition whose claim has an error.
        wrong: Option<usize>,
        /// At P: what the picks follow from.
        picks: Option<u64>,
    },
}

/// "I know secrets for which this circuit gives the last of them."
#[derive(Clone, Copy, Debug)]
struct Leaf {
    seed: u64,
    secrets: usize,
    gates: usize,
    /// Whether the claim has an error.
    wrong: bool,
    known: bool,
}

impl Leaf {
    fn run<R: Small, B: Prove<R>>(&self, b: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let unknown = || StatementError::Witness("the secrets are unknown".into());
        let mut random = Random(self.seed);
        let mut wires = shared[..1].to_vec();
        let values = (0..self.secrets).map(|_| R::small(random.next())).collect::<Vec<_>>();
        wires
            .extend(b.secret(self.secrets, &mut |_| self.known.then(|| values.clone()).ok_or_else(unknown))?);
        for _ in 0..self.gates {
            let [x, y] = [(); 2].map(|()| wires[random.below(wires.len())].clone());
            let c = R::small(random.next());
            wires.push(match random.below(4) {
                0 => b.add_constant(&x, c),
                1 => b.sub(&x, &y),
                _ => b.mul(&x, &y)?,
            });
        }
        let result = wires[wires.len() - 1].clone();
        let hint = &mut |values: &dyn Peek<R, B::Wire>| {
            if self.known { Ok(vec![values.value(&result)]) } else { Err(unknown()) }
        };
        let last = b.secret(1, hint)?.swap_remove(0);
        let difference = b.sub(&result, &last);
        let difference = b.add(&difference, &shared[1]);
        let difference = b.add_constant(&difference, if self.wrong { R::ONE } else { R::ZERO });
        b.assert_zero(&[difference])?;
        Ok(vec![last])
    }
}

impl<R: Small> Node<R> {
    /// With everything that P knows if it holds.
    fn known(&self, seed: u64) -> Self {
        match self.clone() {
            Self::Leaf(leaf) => Self::Leaf(Leaf { known: true, ..leaf }),
            Self::OneOf { branches, repeated, wrong, .. } => {
                Self::OneOf { branches, repeated, wrong, picks: Some(seed) }
            }
        }
    }

    /// The most that one branch commits to, roughly.
    fn shape(&self) -> Shape {
        match self {
            Self::Leaf(leaf) => Shape { inputs: leaf.secrets + 1, multiplications: leaf.gates, outputs: 1 },
            Self::OneOf { branches, repeated, .. } => {
                let (steps, each) = (repeated.map_or(1, |(steps, _)| steps), branches.shape());
                let [inputs, multiplications] = [each.inputs + 1, each.multiplications].map(|n| steps * n);
                Shape { inputs, multiplications, outputs: 1 }
            }
        }
    }

    /// The places where an error can be: leaves, and repetitions.
    fn places(&self) -> usize {
        match self {
            Self::Leaf(_) => 1,
            Self::OneOf { branches, repeated, .. } => {
                let inside: usize = branches.list().iter().map(Self::places).sum();
                repeated.map_or(0, |(steps, _)| steps) + inside
            }
        }
    }

    /// With an error at place number `at`.
    fn with_error(&self, at: usize) -> Self {
        match self.clone() {
            Self::Leaf(leaf) => Self::Leaf(Leaf { wrong: at == 0, ..leaf }),
            Self::OneOf { branches, repeated, picks, .. } => {
                let mut before = repeated.map_or(0, |(steps, _)| steps);
                let wrong = Some(at).filter(|at| *at < before);
                let list = branches.list().iter().map(|branch| {
                    let first = before;
                    before += branch.places();
                    if (first..before).contains(&at) { branch.with_error(at - first) } else { branch.clone() }
                });
                let branches = Branches::with_shape(list.collect(), 2, branches.shape()).expect("as many");
                Self::OneOf { branches, repeated, wrong, picks }
            }
        }
    }

    /// The same statement, with all repetitions proved in one way.
    fn in_way(&self, way: Way) -> Self {
        match self.clone() {
            Self::OneOf { branches, repeated, wrong, picks } => {
                let list = branches.list().iter().map(|branch| branch.in_way(way)).collect();
                let branches = Branches::with_shape(list, 2, branches.shape()).expect("as many");
                Self::OneOf { branches, repeated: repeated.map(|(steps, _)| (steps, way)), wrong, picks }
            }
            leaf => leaf,
        }
    }
}

/// Which branch P picks at a repetition, with what it knows.
fn picked<R: Small>(
    branches: &Branches<R, Node<R>>,
    picks: Option<u64>,
    step: usize,
) -> Result<Picked<Node<R>>, StatementError> {
    let seed = picks.ok_or_else(|| StatementError::Witness("nothing is picked".into()))?;
    let mut random = Random(seed ^ (step as u64) << 32);
    let index = random.below(branches.list().len());
    Ok(Picked { index, witness: Some(branches.list()[index].known(random.next())) })
}

/// The repetitions of one node: what comes out of one goes into the next.
struct Chained<'x, R, W> {
    branches: &'x Branches<R, Node<R>>,
    picks: Option<u64>,
    wrong: Option<usize>,
    state: W,
    error: W,
}

impl<R: Small, B: Prove<R>> Steps<R, Node<R>, B> for Chained<'_, R, B::Wire> {
    fn before(&mut self, b: &mut B, step: usize) -> Result<Vec<B::Wire>, B::Error> {
        let error = b.add_constant(&self.error, if self.wrong == Some(step) { R::ONE } else { R::ZERO });
        Ok(vec![self.state.clone(), error])
    }

    fn pick(&mut self, step: usize, _: &dyn Peek<R, B::Wire>) -> Result<Picked<Node<R>>, StatementError> {
        picked(self.branches, self.picks, step)
    }

    fn after(&mut self, _: &mut B, _: usize, outputs: Vec<B::Wire>) -> Result<(), B::Error> {
        self.state = outputs[0].clone();
        Ok(())
    }
}

/// Backend by backend, because the branches of a node are nodes.
macro_rules! nodes_on {
    ([$($generics:tt)*] $backend:ty, $wire:ty, $error:ty) => {
        impl<$($generics)*> Branch<R, $backend> for Node<R> {
            fn identify(&self, digest: &mut Digest) {
                match self {
                    Self::Leaf(leaf) => {
                        digest.number("circuit", leaf.seed);
                    }
                    Self::OneOf { branches, .. } => branches.identify::<$backend>(digest),
                }
            }

            fn run(&self, b: &mut $backend, shared: &[$wire]) -> Result<Vec<$wire>, $error> {
                match self {
                    Self::Leaf(leaf) => leaf.run(b, shared),
                    Self::OneOf { branches, repeated: None, picks, .. } => {
                        Choose::any_of(b, shared, branches, &mut |_| picked(branches, *picks, 0))
                    }
                    Self::OneOf { branches, repeated: Some((steps, way)), wrong, picks } => {
                        let (state, error) = (shared[0].clone(), shared[1].clone());
                        let mut each = Chained { branches, picks: *picks, wrong: *wrong, state, error };
                        match way {
                            Way::InStep => b.repeat(branches, *steps, &mut each)?,
                            Way::OneAfterAnother => repeat_by_choosing(b, branches, *steps, &mut each)?,
                        }
                        Ok(vec![each.state])
                    }
                }
            }
        }

        impl<$($generics)*> Statement<$backend> for Claimed<R> {
            fn identify(&self, digest: &mut Digest) {
                Branch::<R, $backend>::identify(&self.node, digest);
            }

            fn run(&self, b: &mut $backend) -> Result<(), $error> {
                let shared = [R::ONE, R::ZERO].map(|c| Ops::<R>::constant(b, c));
                let last = Branch::<R, $backend>::run(&self.node, b, &shared)?;
                let difference = Ops::<R>::add_constant(b, &last[0], -self.result);
                b.assert_zero(&[difference])
            }
        }
    };
}
nodes_on!([R: Small, H: Share<Value = R>] Run<'_, H>, H::Wire, Error);
nodes_on!([R: Small] Evaluator<R>, R, StatementError);

/// "This node holds, and gives this result."
#[derive(Clone, Debug)]
struct Claimed<R> {
    node: Node<R>,
    result: R,
}

/// Levels of disjunctions in the repetitions of the outermost.
const DEPTH: usize = 2;

fn node<R: Small>(random: &mut Random, depth: usize) -> Node<R> {
    match random.below(if depth == 0 { 2 } else { 5 }) {
        0 | 1 => Node::Leaf(Leaf {
            seed: random.next(),
            secrets: random.below(3),
            gates: 1 + random.below(12),
            wrong: false,
            known: false,
        }),
        2 => one_of(random, depth, None),
        _ => {
            let steps = 1 + random.below(2);
            one_of(random, depth, Some(steps))
        }
    }
}

fn one_of<R: Small>(random: &mut Random, depth: usize, steps: Option<usize>) -> Node<R> {
    let width = 1 + random.below(3);
    let branches: Vec<Node<R>> = (0..width).map(|_| node(random, depth - 1)).collect();
    let none = Shape { outputs: 1, ..Shape::default() };
    let shapes = branches.iter().map(Node::shape);
    let shape = shapes.fold(none, |all, each| all.join(each).expect("one output"));
    let branches = Branches::with_shape(branches, 2, shape).expect("some");
    let repeated = steps.map(|steps| (steps, Way::InStep));
    Node::OneOf { branches, repeated, wrong: None, picks: None }
}

/// The result of a node in the clear, for what P knows.
fn result<R: Small>(node: &Node<R>) -> R {
    node.run(&mut Evaluator::new(), &[R::ONE, R::ZERO]).expect("holds")[0]
}

/// Repetitions of a disjunction, as `seed` says, and P's view of them.
fn views<R: Small>(seed: u64, way: Way) -> [Claimed<R>; 2] {
    let mut random = Random(seed);
    let steps = 2 + random.below(3);
    let v = one_of(&mut random, DEPTH + 1, Some(steps)).in_way(way);
    let p = v.known(random.next());
    let result = result(&p);
    [p, v].map(|node| Claimed { node, result })
}

fn honest<K: Fields>(seed: u64, how: How, way: Way) -> Tally {
    let [p, v] = views::<K::Ring>(seed, way);
    assert_eq!(Evaluator::<K::Ring>::check(&p), Ok(()));
    between::<K, _, _>(how, &p, &v).accepted()
}

/// Whether V accepts if there is an error at place number `at` of the statement, or in its result if there is
/// no such place, and P proves the statement without. If nothing is picked at that place the statement stays
/// true, and P proves that one.
fn with_error<K: Fields>(seed: u64, how: How, way: Way, at: usize) -> bool {
    let [p, v] = views::<K::Ring>(seed, way);
    let places = v.node.places();
    let change = |claimed: &Claimed<K::Ring>| match at % (places + 1) {
        at if at == places => Claimed { result: claimed.result + K::Ring::ONE, ..claimed.clone() },
        at => Claimed { node: claimed.node.with_error(at), ..claimed.clone() },
    };
    let changed = change(&p);
    let holds = Evaluator::<K::Ring>::check(&changed).is_ok();
    let end = between::<K, _, _>(how, if holds { &changed } else { &p }, &change(&v));
    if holds {
        end.accepted();
    } else {
        rejected(&end);
    }
    holds
}

/// Boxed: a strategy's type is in all of proptest's functions that the compiler makes of it.
fn ways_to_prove() -> BoxedStrategy<How> {
    let multipliers = [Multiplier::Simple, Multiplier::Batched, Multiplier::BatchedPowers];
    // One repetition after another in any case, a few in step, all in step.
    let how = (prop::sample::select(vec![8, 150, 1 << 12]), prop::sample::select(multipliers.to_vec()));
    let ways = (how, any::<bool>()).prop_map(|((interval, multiplier), hashed)| {
        let how = blocks(interval).with(multiplier);
        if hashed { how.fiat_shamir() } else { how }
    });
    ways.boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    /// Over bits a branch that does not hold may hold by chance, with what was written for another one: an
    /// error is for a large field.
    #[test]
    fn repetitions_in_step_are_worth_the_same_as_one_after_another(
        seed: u64, how in ways_to_prove(), at: prop::sample::Index,
    ) {
        let ways = [Way::InStep, Way::OneAfterAnother];
        let [one, other] = ways.map(|way| honest::<Bits>(seed, how, way));
        prop_assert_eq!(one, other);
        let [one, other] = ways.map(|way| honest::<Over<F61, F61>>(seed, how, way));
        prop_assert_eq!(one, other);
        let [one, other] = ways.map(|way| with_error::<Over<F61, F61>>(seed, how, way, at.index(1 << 10)));
        prop_assert_eq!(one, other);
    }
}
