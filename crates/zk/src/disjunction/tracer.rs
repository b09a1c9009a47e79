//! P's evaluation of all branches, and what the one that holds has.
//!
//! P evaluates *every* branch on what goes in, and keeps the values of the one that holds without a look at which that is: each value
//! is added to what is kept under a mask that is all ones for one branch and zero for the others. So what P does before its first
//! message does not depend on its choice. Hints alone run in the branch that holds only; elsewhere secrets are zeros, claims may
//! fail, and nothing comes of it.

use volery_circuit::{Backend, Branch, Branches, Error, Evaluator, Hint, Ops, Picked, Place, Prove, Witness};
use volery_field::Ring;

/// Adds to each element what stands beside it, under a mask that is all ones or zero; without a branch on that.
pub(super) type Keep<R> = fn(&mut [R], &[R], u64);

/// Values that wait before they are added to what is kept: few enough for the first-level cache.
const BLOCK: usize = 1 << 9;

/// Evaluates branches on plain values, and keeps what has to be committed to of one of them. Hints run here and nowhere else.
pub struct Tracer<R: Ring> {
    /// All ones in the branch that holds.
    mask: u64,
    place: Place,
    assertions: u64,
    inputs: Column<R>,
    left: Column<R>,
    right: Column<R>,
    outputs: Column<R>,
}

/// Inputs and factors of every multiplication, filled up with zeros, and what comes out; wiped on drop.
pub(super) struct Trace<R: Ring> {
    pub(super) inputs: Witness<R>,
    pub(super) left: Witness<R>,
    pub(super) right: Witness<R>,
    pub(super) outputs: Witness<R>,
}

impl<R: Ring> Trace<R> {
    /// Evaluates all of `branches` on `shared`, and keeps what the picked one has.
    pub(super) fn of<S: Branch<R, Tracer<R>>>(
        branches: &Branches<R, S>,
        picked: &Picked<S>,
        shared: &[R],
        keep: Keep<R>,
    ) -> Result<Self, Error> {
        let holds = branches.picked(picked)?;
        let shape = branches.shape();
        let [inputs, factors, outputs] = [shape.inputs, shape.multiplications, shape.outputs];
        let mut tracer = Tracer {
            mask: 0,
            place: Place::default(),
            assertions: 0,
            inputs: Column::new(inputs, keep),
            left: Column::new(factors, keep),
            right: Column::new(factors, keep),
            outputs: Column::new(outputs, keep),
        };
        for (index, branch) in branches.list().iter().enumerate() {
            let picked = index == picked.index;
            tracer.mask = core::hint::black_box(u64::from(picked)).wrapping_neg();
            // The copy with the witness, for its hints: it makes the same calls.
            let branch = if picked { holds } else { branch };
            let out = Witness::new(branch.run(&mut tracer, shared)?);
            branches.check_outputs(out.values().len())?;
            tracer.outputs.extend(out.values(), tracer.mask)?;
            tracer.next_branch()?;
        }
        let take = |column: &mut Column<R>| Witness::new(core::mem::take(&mut column.kept));
        Ok(Self {
            inputs: take(&mut tracer.inputs),
            left: take(&mut tracer.left),
            right: take(&mut tracer.right),
            outputs: take(&mut tracer.outputs),
        })
    }
}

impl<R: Ring> Tracer<R> {
    fn next_branch(&mut self) -> Result<(), Error> {
        for column in [&mut self.inputs, &mut self.left, &mut self.right, &mut self.outputs] {
            column.spill(self.mask)?;
            column.next = 0;
        }
        (self.place, self.assertions) = (Place::default(), 0);
        Ok(())
    }

    #[cold]
    fn unsatisfied(&self) -> Error {
        Error::Unsatisfied { assertion: self.assertions, place: self.place.or("the statement").to_owned() }
    }
}

/// Values of one kind: those of the branch that holds, and those that wait to be added to them.
struct Column<R: Ring> {
    kept: Vec<R>,
    /// How many values of the current branch were added.
    next: usize,
    waiting: Vec<R>,
    keep: Keep<R>,
}

impl<R: Ring> Column<R> {
    fn new(n: usize, keep: Keep<R>) -> Self {
        Self { kept: vec![R::ZERO; n], next: 0, waiting: Vec::with_capacity(BLOCK), keep }
    }

    #[inline]
    fn push(&mut self, x: R, mask: u64) -> Result<(), Error> {
        if self.waiting.len() >= BLOCK {
            self.spill(mask)?;
        }
        self.waiting.push(x);
        Ok(())
    }

    fn extend(&mut self, x: &[R], mask: u64) -> Result<(), Error> {
        self.spill(mask)?;
        self.add(x, mask)
    }

    fn spill(&mut self, mask: u64) -> Result<(), Error> {
        let mut waiting = core::mem::take(&mut self.waiting);
        let added = self.add(&waiting, mask);
        waiting.clear();
        self.waiting = waiting;
        added
    }

    fn add(&mut self, x: &[R], mask: u64) -> Result<(), Error> {
        let rest = self.kept.get_mut(self.next..).unwrap_or_default();
        let Some(kept) = rest.get_mut(..x.len()) else {
            let reason = "a branch has more values or products than the shape of its disjunction";
            return Err(Error::misuse(reason));
        };
        (self.keep)(kept, x, mask);
        self.next += x.len();
        Ok(())
    }
}

impl<R: Ring> Drop for Column<R> {
    fn drop(&mut self) {
        // A witness wipes its values. What waits was cleared, not wiped: up to its capacity.
        self.waiting.resize(self.waiting.capacity(), R::ZERO);
        drop([&mut self.kept, &mut self.waiting].map(|values| Witness::new(core::mem::take(values))));
    }
}

impl<R: Ring> Backend for Tracer<R> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.place.enter(part);
    }

    fn leave(&mut self) {
        self.place.leave();
    }
}

impl<R: Ring> Ops<R> for Tracer<R> {
    volery_circuit::linear_on_values!(R);

    #[inline]
    fn mul(&mut self, x: &R, y: &R) -> Result<R, Error> {
        self.left.push(*x, self.mask)?;
        self.right.push(*y, self.mask)?;
        Ok(*x * *y)
    }

    fn mul_many(&mut self, x: &[R], y: &[R]) -> Result<Vec<R>, Error> {
        check_many(x.len(), y.len())?;
        self.left.extend(x, self.mask)?;
        self.right.extend(y, self.mask)?;
        Ok(x.iter().zip(y).map(|(x, y)| *x * *y).collect())
    }
}

/// That as many wires are multiplied by as many.
pub(super) fn check_many(x: usize, y: usize) -> Result<(), Error> {
    if x == y { Ok(()) } else { Err(Error::misuse(format!("products of {x} and {y} wires"))) }
}

impl<R: Ring> Prove<R> for Tracer<R> {
    fn secret(&mut self, n: usize, hint: Hint<'_, R, R>) -> Result<Vec<R>, Error> {
        let values = match self.mask {
            0 => vec![R::ZERO; n],
            _ => Evaluator::new().secret(n, hint)?,
        };
        self.inputs.extend(&values, self.mask)?;
        Ok(values)
    }

    fn assert_zero(&mut self, x: &[R]) -> Result<(), Error> {
        for wire in x {
            // In an honest run this is never so, whichever branch it is.
            if u64::from(!wire.is_zero()) & self.mask != 0 {
                return Err(self.unsatisfied());
            }
            self.assertions += 1;
        }
        Ok(())
    }
}

volery_circuit::polynomials_by_multiplying!([R: Ring] R, Tracer<R>);

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

    use volery_circuit::Digest;
    use volery_field::{EncodingError, F61};

    use super::*;

    thread_local! {
        /// Operations of the ring so far, and what was added to the values that are kept.
        static COUNTS: Cell<[u64; 2]> = const { Cell::new([0; 2]) };
    }

    fn count(at: usize, n: usize) {
        COUNTS.with(|counts| {
            let mut now = counts.get();
            now[at] += n as u64;
            counts.set(now);
        });
    }

    /// A field element that counts what is done with it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    struct Counted(F61);

    macro_rules! counted {
        ($($op:ident $method:ident $assign:ident $assigned:ident $sign:tt),*) => {$(
            impl $op for Counted {
                type Output = Self;
                fn $method(self, other: Self) -> Self {
                    count(0, 1);
                    Self(self.0 $sign other.0)
                }
            }
            impl $assign for Counted {
                fn $assigned(&mut self, other: Self) {
                    *self = *self $sign other;
                }
            }
        )*};
    }
    counted!(Add add AddAssign add_assign +, Sub sub SubAssign sub_assign -, Mul mul MulAssign mul_assign *);

    impl Neg for Counted {
        type Output = Self;
        fn neg(self) -> Self {
            count(0, 1);
            Self(-self.0)
        }
    }

    impl Ring for Counted {
        const NAME: &'static str = "counted";
        const BYTES: usize = F61::BYTES;
        const ZERO: Self = Self(F61::ZERO);
        const ONE: Self = Self(F61::ONE);

        fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
            self.0.encode(out)
        }

        fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
            F61::decode(bytes).map(Self)
        }
    }

    fn keep(to: &mut [Counted], from: &[Counted], mask: u64) {
        count(1, from.len());
        let bit = Counted(F61::new(mask & 1));
        to.iter_mut().zip(from).for_each(|(to, from)| *to += *from * bit);
    }

    /// "A number of my own, raised to some power and added to what goes in, is this", for `power` products.
    #[derive(Clone)]
    struct Power {
        power: usize,
        many: bool,
        root: Option<u64>,
    }

    fn power(mut base: F61, shared: F61, n: usize) -> F61 {
        let factor = base;
        (1..n).for_each(|_| base *= factor);
        base + shared
    }

    impl<B: Prove<Counted>> Branch<Counted, B> for Power {
        fn identify(&self, _: &mut Digest) {}

        fn run(&self, b: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
            let root = b.secret(1, &mut |_| {
                let root = self.root.ok_or_else(|| Error::Witness("none".into()))?;
                Ok(vec![Counted(F61::new(root))])
            })?;
            let mut product = root.clone();
            b.enter("powers");
            for _ in 1..self.power {
                product = match self.many {
                    true => b.mul_many(&product, &root)?,
                    false => vec![b.mul(&product[0], &root[0])?],
                };
            }
            let sum = b.add(&product[0], &shared[0]);
            let wrong = b.add_constant(&sum, -Counted(power(F61::new(3), F61::new(7), self.power)));
            b.assert_zero(&[wrong])?;
            b.leave();
            Ok(vec![product[0].clone()])
        }
    }

    fn branches() -> Branches<Counted, Power> {
        let list = [(2, false), (BLOCK + 9, false), (BLOCK + 9, true), (5, true)];
        let list = list.map(|(power, many)| Power { power, many, root: None });
        Branches::new(list.to_vec(), 1).expect("one shape")
    }

    fn trace(choice: usize, root: u64) -> Result<Trace<Counted>, Error> {
        let branches = branches();
        let witness = Power { root: Some(root), ..branches.list()[choice].clone() };
        let picked = Picked { index: choice, witness: Some(witness) };
        Trace::of(&branches, &picked, &[Counted(F61::new(7))], keep)
    }

    #[test]
    fn the_prover_does_the_same_operations_whichever_branch_holds() {
        let counts = [0, 1, 2, 3].map(|choice| {
            COUNTS.with(|counts| counts.set([0; 2]));
            let trace = trace(choice, 3).expect("holds");
            assert_eq!(trace.inputs.values(), [Counted(F61::new(3))]);
            COUNTS.with(Cell::get)
        });
        // Both factors of every product of every branch, its secret and what comes out.
        let products: usize = branches().list().iter().map(|branch| branch.power - 1).sum();
        assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
        assert_eq!(counts[0][1], 2 * products as u64 + 2 * 4);
    }

    #[test]
    fn what_is_kept_is_the_branch_s_that_holds() {
        for choice in 0..4 {
            let (trace, n) = (trace(choice, 3).expect("holds"), branches().list()[choice].power - 1);
            let three = Counted(F61::new(3));
            let (left, right) = (trace.left.values(), trace.right.values());
            assert_eq!((left.len(), right.len()), (BLOCK + 8, BLOCK + 8));
            let mut power = three;
            for (left, right) in left[..n].iter().zip(&right[..n]) {
                assert_eq!((*left, *right), (power, three));
                power *= three;
            }
            assert!(left[n..].iter().chain(&right[n..]).all(|x| x.is_zero()));
            assert_eq!(trace.outputs.values(), [power]);
        }
    }

    #[test]
    fn a_branch_that_was_picked_and_does_not_hold_is_told_with_its_place() {
        for choice in 0..4 {
            let error = trace(choice, 4).err();
            assert_eq!(error, Some(Error::Unsatisfied { assertion: 0, place: "powers".into() }));
        }
        let branches = branches();
        let error = Trace::of(&branches, &Picked::new(4), &[Counted::ZERO], keep).err();
        assert!(matches!(error, Some(Error::Witness(_))));
    }
}
