//! Disjunctions that say [`Choose`], as for Robin, and these among the joins of this protocol.

use volery_circuit::choose::{Branches, Picked, Whole};
use volery_circuit::{Choose, Digest, Error as StatementError, Evaluator, Shape, Statement};
use volery_field::{F2, F61, Ring};
use volery_testing::{Bits, Over, bits_and_a_field};
use volery_zk::Error;
use volery_zk::macncheese::{Disjunction, Join};

use crate::disjunction::machine::{ByChoosing, ByRepeating, Instruction, Machine};
use crate::disjunction::programs::{Program, Small};
use crate::macncheese::parties::{Fields, between, blocks};

fn machine<R: Small>(codes: &[usize]) -> Machine<R> {
    // Over bits a code has one bit.
    let n = if R::NAME == F2::NAME { 2 } else { 5 };
    let instructions = (0..n).map(Instruction::numbered).collect();
    Machine::new(instructions, codes.iter().map(|code| code % n as usize).collect(), false)
}

fn a_machine_s_run_is_proved<K: Fields>() {
    for how in [blocks(1 << 12), blocks(23), blocks(1 << 12).fiat_shamir()] {
        let mut outline = None;
        for codes in [[0, 1, 2], [3, 4, 1], [2, 2, 2]] {
            let statement = ByChoosing(machine::<K::Ring>(&codes));
            assert_eq!(Evaluator::<K::Ring>::check(&statement), Ok(()));
            let end = between::<K, _, _>(how, &statement, &statement);
            end.accepted();
            let own = end.outline();
            assert_eq!(outline.get_or_insert_with(|| own.clone()), &own, "{codes:?} shows");
        }
    }
    let batch = ByRepeating(machine::<K::Ring>(&[1, 0, 3, 1]));
    between::<K, _, _>(blocks(1 << 12), &batch, &batch).accepted();
}

#[test]
fn what_robin_proves_is_proved_by_stacking_and_nothing_shows_the_choice() {
    bits_and_a_field!(a_machine_s_run_is_proved);
}

#[test]
fn other_outputs_and_wires_that_are_not_carried_on_are_rejected() {
    let honest = || machine::<F61>(&[1, 2, 3]);
    let mut other_end = honest();
    other_end.start[0] += F61::ONE;
    let mut untied = honest();
    untied.untied = Some(2);
    for lie in [other_end, untied] {
        let lie = ByChoosing(lie.with_own_end());
        for how in [blocks(1 << 12), blocks(23).fiat_shamir()] {
            let end = between::<Over<F61, F61>, _, _>(how, &lie, &ByChoosing(honest()));
            assert!(matches!(&end.results[1], Err(error) if error.is_rejection()), "{:?}", end.results);
        }
    }
}

#[test]
fn a_prover_whose_branch_does_not_hold_stops_before_it_says_anything_of_it() {
    let mut wrong = machine::<F61>(&[1, 2, 3]);
    wrong.branches =
        Machine::<F61>::new([0, 4, 2, 3, 4].map(Instruction::numbered).to_vec(), vec![], false).branches;
    let end = between::<Over<F61, F61>, _, _>(
        blocks(1 << 12),
        &ByChoosing(wrong),
        &ByChoosing(machine(&[1, 2, 3])),
    );
    assert!(matches!(end.results[0], Err(Error::Statement(StatementError::Unsatisfied { .. }))));
    assert!(end.sent[0].is_empty() && end.results[1].is_err());
}

/// "One of these", said so that any backend can prove it, with a product before.
struct OneOf<R, S> {
    /// What tells it from its like.
    number: usize,
    branches: Branches<R, Whole<S>>,
    pick: Option<usize>,
}

impl<R: Ring, S: Clone> OneOf<R, S> {
    fn new(number: usize, branches: Vec<S>, pick: Option<usize>) -> Self {
        let branches = branches.into_iter().map(Whole).collect();
        let branches = Branches::with_shape(branches, 0, Shape::default()).expect("some");
        Self { number, branches, pick }
    }
}

impl<R: Ring, S: Clone> Clone for OneOf<R, S> {
    fn clone(&self) -> Self {
        Self { number: self.number, branches: self.branches.clone(), pick: self.pick }
    }
}

impl<R: Ring, S: Clone + Sync, B: Choose<R, Whole<S>>> Statement<B> for OneOf<R, S> {
    fn identify(&self, digest: &mut Digest) {
        digest.number("number", self.number as u64);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let one = b.secret(1, &mut |_| Ok(vec![R::ONE]))?;
        let product = b.mul(&one[0], &one[0])?;
        let difference = b.sub(&product, &one[0]);
        b.assert_zero(&[difference])?;
        let missing = || StatementError::Witness("nothing is picked".into());
        // Half of the provers hold the witness beside the branches.
        let picked = |index: usize| Picked {
            index,
            witness: (index % 2 == 1).then(|| self.branches.list()[index].clone()),
        };
        b.any_of(&[], &self.branches, &mut |_| self.pick.map(picked).ok_or_else(missing)).map(drop)
    }
}

/// Branches of the same kind, those on the way as P has them.
fn children<S>(
    way: Option<usize>,
    width: usize,
    held: usize,
    branch: impl Fn(Option<usize>, usize) -> S,
) -> (Vec<S>, Option<Vec<usize>>) {
    let chosen: Vec<usize> = (0..held).map(|k| (way.unwrap_or(0) + k) % width).collect();
    let below = |i: usize| way.filter(|_| chosen.contains(&i)).map(|way| way / width);
    let branches = (0..width).map(|i| branch(below(i), i)).collect();
    (branches, way.map(|_| chosen))
}

fn one_of<R: Ring, S: Clone>(
    number: usize,
    way: Option<usize>,
    branch: impl Fn(Option<usize>, usize) -> S,
) -> OneOf<R, S> {
    let (branches, chosen) = children(way, 2, 1, branch);
    OneOf::new(number, branches, chosen.map(|chosen| chosen[0]))
}

fn joined<S>(join: Join, way: Option<usize>, branch: impl Fn(Option<usize>, usize) -> S) -> Disjunction<S> {
    let (width, held) = if let Join::AtLeast(r) = join { (r + 1, r) } else { (2, 1) };
    let (branches, chosen) = children(way, width, held, branch);
    let any = Disjunction::new(join, branches).expect("fits");
    match chosen {
        Some(chosen) => any.with_choice(&chosen),
        None => any,
    }
}

/// Five levels: `Choose` in a tree of joins in `Choose` in a threshold in `Choose`.
type Deep<R> = OneOf<R, Disjunction<OneOf<R, Disjunction<OneOf<R, Program<R>>>>>>;

/// `way` says which branches hold, a digit a level; without it nothing is known.
fn deep<R: Small>(way: Option<usize>, leaf: &impl Fn(usize) -> Program<R>) -> Deep<R> {
    let program = |way: Option<usize>, number| {
        let program = leaf(number);
        if way.is_some() { program } else { program.public() }
    };
    one_of(0, way, |way, a| {
        joined(Join::AtLeast(2), way, |way, b| {
            one_of(b, way, |way, c| {
                joined(Join::Linear, way, |way, d| {
                    one_of(d, way, |way, e| program(way, 2 * (2 * (2 * (3 * a + b) + c) + d) + e))
                })
            })
        })
    })
}

fn honest<R: Small>(number: usize) -> Program<R> {
    Program::new([number as u64, number as u64 + 1], 3, 10 + number % 3 * 10)
}

fn five_levels_of_mixed_disjunctions<K: Fields>() {
    let v = deep::<K::Ring>(None, &honest);
    let mut outline = None;
    for way in [0, 5, 17, 30, 41] {
        let p = deep::<K::Ring>(Some(way), &honest);
        assert_eq!(Evaluator::<K::Ring>::check(&p), Ok(()));
        let end = between::<K, _, _>(blocks(1 << 12), &p, &v);
        end.accepted();
        let own = end.outline();
        assert_eq!(outline.get_or_insert_with(|| own.clone()), &own, "way {way} shows");
    }
}

#[test]
fn choose_and_the_joins_nest_in_each_other_to_depth_five() {
    five_levels_of_mixed_disjunctions::<Bits>();
    five_levels_of_mixed_disjunctions::<Over<F61, F61>>();
}

#[test]
fn a_lie_below_five_levels_of_mixed_disjunctions_is_rejected() {
    let v = deep::<F61>(None, &honest);
    let lie = |number: usize| {
        let mut lie = honest::<F61>(number);
        lie.witness.as_mut().expect("has one").iter_mut().for_each(|x| *x += F61::ONE);
        lie.with_own_claims()
    };
    for how in [blocks(1 << 12), blocks(20).fiat_shamir()] {
        let end = between::<Over<F61, F61>, _, _>(how, &deep(Some(9), &lie), &v);
        assert!(matches!(&end.results[1], Err(error) if error.is_rejection()), "{:?}", end.results[1]);
    }
}
