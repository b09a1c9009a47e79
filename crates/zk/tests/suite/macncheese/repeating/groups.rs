//! Repetitions in step with each other whose branches are disjunctions.

use volery_circuit::Choose;

use super::*;

/// A branch that is a disjunction itself: one of these polynomials gives what goes in.
#[derive(Clone)]
struct Either<R> {
    branches: Branches<R, Polynomial<R>>,
    known: Option<(usize, R)>,
}

impl<R: Small, B: Choose<R, Polynomial<R>>> Branch<R, B> for Either<R> {
    fn identify(&self, digest: &mut Digest) {
        self.branches.list().iter().for_each(|branch| Branch::<R, B>::identify(branch, digest));
    }

    fn run(&self, b: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        b.any_of(shared, &self.branches, &mut |_| {
            let unknown = || StatementError::Witness("nothing is picked".into());
            let (index, x) = self.known.ok_or_else(unknown)?;
            let branch = self.branches.list()[index].clone();
            Ok(Picked { index, witness: Some(Polynomial { x: Some(x), ..branch }) })
        })
    }
}

/// A batch whose polynomials are in groups: at each repetition one of the groups has one that gives what is
/// claimed.
#[derive(Clone)]
struct Grouped<R> {
    batch: Batch<R>,
    /// The number of polynomials in a group.
    size: usize,
    groups: Branches<R, Either<R>>,
}

impl<R: Small> Grouped<R> {
    fn new(size: usize, batch: Batch<R>) -> Self {
        let groups = batch.branches.list().chunks(size).map(|group| {
            let branches = Branches::new(group.to_vec(), 1).expect("some");
            Either { branches, known: None }
        });
        let shape = Shape { inputs: 1, multiplications: PRODUCTS, outputs: 0 };
        let groups = Branches::with_shape(groups.collect(), 1, shape).expect("some");
        Self { batch, size, groups }
    }

    fn public(&self) -> Self {
        Self { batch: self.batch.public(), ..self.clone() }
    }
}

struct RunningGroups<'x, R>(&'x Grouped<R>);

impl<R: Small, B: Prove<R>> Steps<R, Either<R>, B> for RunningGroups<'_, R> {
    fn before(&mut self, b: &mut B, step: usize) -> Result<Vec<B::Wire>, B::Error> {
        Ok(vec![b.constant(self.0.batch.claims[step])])
    }

    fn pick(&mut self, step: usize, _: &dyn Peek<R, B::Wire>) -> Result<Picked<Either<R>>, StatementError> {
        let unknown = || StatementError::Witness("nothing is picked".into());
        let (polynomial, x) = *self.0.batch.known.get(step).ok_or_else(unknown)?;
        let index = polynomial / self.0.size;
        let group = self.0.groups.list()[index].clone();
        let witness = Either { known: Some((polynomial % self.0.size, x)), ..group };
        Ok(Picked { index, witness: Some(witness) })
    }

    fn after(&mut self, _: &mut B, _: usize, _: Vec<B::Wire>) -> Result<(), B::Error> {
        Ok(())
    }
}

impl<R: Small, B: Repeat<R, Either<R>>> Statement<B> for Grouped<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.number("groups", self.batch.seed).number("repetitions", self.batch.claims.len() as u64);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        b.repeat(&self.groups, self.batch.claims.len(), &mut RunningGroups(self))
    }
}

fn disjunctions_in_repetitions_in_step<K: Fields>() {
    for pairs in [1, 2, 3] {
        let batch = |repetitions, seed| Grouped::new(2, Batch::<K::Ring>::new(2 * pairs, repetitions, seed));
        let one = between::<K, _, _>(blocks(1 << 12), &batch(1, 1), &batch(1, 1).public());
        one.accepted();
        let mut outline = None;
        for seed in 1..3 {
            let p = batch(8, seed);
            assert_eq!(Evaluator::<K::Ring>::check(&p), Ok(()));
            let end = between::<K, _, _>(blocks(1 << 12), &p, &p.public());
            // Each pair is a branch, and has two.
            assert_eq!(end.accepted().branches, 8 * 3 * pairs as u64);
            assert_eq!(waits(&end), waits(&one), "{pairs} pairs");
            let own = end.outline();
            assert_eq!(outline.get_or_insert_with(|| own.clone()), &own, "what is picked shows");
        }
        for how in [blocks(5 * WIRES), blocks(1 << 12).fiat_shamir()] {
            between::<K, _, _>(how, &batch(8, 9), &batch(8, 9).public()).accepted();
        }
    }
}

#[test]
fn disjunctions_inside_repetitions_are_in_step_too() {
    bits_and_a_field!(disjunctions_in_repetitions_in_step);
}

#[test]
fn one_repetition_of_which_no_branch_s_branch_holds_is_rejected() {
    let p = Grouped::new(2, Batch::<F61>::new(4, 20, 3));
    for how in [blocks(1 << 12), blocks(5 * WIRES), blocks(1 << 12).fiat_shamir()] {
        for at in [0, 11, 19] {
            let mut claimed = p.public();
            claimed.batch = claimed.batch.claiming(at, F61::new(1));
            rejected(&between::<Over<F61, F61>, _, _>(how, &p, &claimed));
        }
    }
}

/// Two groups of `size` polynomials, at each of some repetitions.
fn two_groups(size: usize, repetitions: usize) -> Grouped<F61> {
    Grouped::new(size, Batch::new(2 * size, repetitions, 7))
}

/// A run's share of the 1024 branches: `n` of them in step leave `(1024 - n) / n` for each.
#[test]
fn branches_in_step_leave_less_room_for_disjunctions_inside_them() {
    // 20 repetitions in step: 40 branches, (1024 - 40) / 40.
    there_is_room(20 * WIRES, 20, 20, 24);
    // What is too much in step is not too much one after another.
    let p = two_groups(25, 20);
    between::<Over<F61, F61>, _, _>(blocks(WIRES), &p, &p.public()).accepted();
}

#[test]
#[ignore = "long: a thousand branches"]
fn long_one_repetition_leaves_all_room_but_its_own() {
    // 128 repetitions in step: 256 branches, (1024 - 256) / 256.
    there_is_room(1 << 12, 128, 128, 3);
    // 2 branches, (1024 - 2) / 2.
    there_is_room(1 << 12, 1, 128, 511);
}

fn there_is_room(interval: usize, repetitions: usize, in_step: usize, room: usize) {
    let of_one = Shape { inputs: 1, multiplications: PRODUCTS, outputs: 0 };
    let how = blocks(interval);
    assert_eq!(how.settings.in_step(2, 1, of_one), in_step);
    for (size, fits) in [(room, true), (room + 1, false)] {
        let p = two_groups(size, repetitions);
        let end = between::<Over<F61, F61>, _, _>(how, &p, &p.public());
        let what = format!("{size} branches in each of {repetitions}");
        if fits {
            assert_eq!(end.accepted().branches, (repetitions * (2 + 2 * size)) as u64, "{what}");
            continue;
        }
        let possible = format!("1 to {room} are possible here");
        for result in &end.results {
            let refused = matches!(result, Err(Error::Statement(StatementError::Misuse(reason))) if reason.contains(&possible));
            assert!(refused, "{what}: {result:?}");
        }
    }
}
