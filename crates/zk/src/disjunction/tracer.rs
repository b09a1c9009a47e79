//! P's evaluation of all branches, which keeps the values of the one that holds.
//!
//! P evaluates *every* branch on the inputs, and keeps the values of the one that holds without looking which
//! one it is. They replace the kept values under a mask that is all ones for one branch and zero for the
//! others, a block of values at a time ([`Kept`]). So what P does before its first message does not depend on
//! its choice. Only hints run in just the branch that holds. Elsewhere secrets are zeros and claims may fail,
//! without consequence.

use volery_circuit::{
    Addends, Backend, Branch, Branches, Error, Evaluator, Hint, Ops, Picked, Place, Prove, Witness,
};
use volery_field::Ring;

use super::kept::Kept;
use super::multi_add;
use super::store::Store;

/// Evaluates branches on plain values, and keeps the values of one of them that must be committed to. Hints
/// run here and nowhere else.
pub struct Tracer<R: Ring> {
    /// All ones in the branch that holds.
    mask: u64,
    place: Place,
    assertions: u64,
    inputs: Store<R, 1>,
    /// The left and right factors.
    factors: Store<R, 2>,
    outputs: Store<R, 1>,
}

/// The inputs and the factors of every multiplication, padded with zeros, and the outputs.
pub(super) struct Trace<R: Ring> {
    pub(super) inputs: Box<dyn Kept<R>>,
    pub(super) left: Box<dyn Kept<R>>,
    pub(super) right: Box<dyn Kept<R>>,
    pub(super) outputs: Box<dyn Kept<R>>,
}

impl<R: Ring> Trace<R> {
    /// Evaluates all of `branches` on `shared`, and keeps the values of the picked one in the room that
    /// `kept` makes.
    pub(super) fn of<S: Branch<R, Tracer<R>>>(
        branches: &Branches<R, S>,
        picked: &Picked<S>,
        shared: &[R],
        kept: fn(usize) -> Box<dyn Kept<R>>,
    ) -> Result<Self, Error> {
        let holds = branches.picked(picked)?;
        let shape = branches.shape();
        let factors = [kept(shape.multiplications), kept(shape.multiplications)];
        let mut tracer = Tracer {
            mask: 0,
            place: Place::default(),
            assertions: 0,
            inputs: Store::new([kept(shape.inputs)]),
            factors: Store::new(factors),
            outputs: Store::new([kept(shape.outputs)]),
        };
        for (index, branch) in branches.list().iter().enumerate() {
            let picked = index == picked.index;
            tracer.mask = core::hint::black_box(u64::from(picked)).wrapping_neg();
            // The copy with the witness runs, for its hints; it makes the same calls.
            let branch = if picked { holds } else { branch };
            let out = Witness::new(branch.run(&mut tracer, shared)?);
            branches.check_outputs(out.values().len())?;
            tracer.outputs.extend([out.values()], tracer.mask)?;
            tracer.next_branch()?;
        }
        let ([inputs], [outputs]) = (tracer.inputs.into_kept(), tracer.outputs.into_kept());
        let [left, right] = tracer.factors.into_kept();
        Ok(Self { inputs, left, right, outputs })
    }
}

impl<R: Ring> Tracer<R> {
    fn next_branch(&mut self) -> Result<(), Error> {
        self.inputs.end(self.mask)?;
        self.factors.end(self.mask)?;
        self.outputs.end(self.mask)?;
        (self.place, self.assertions) = (Place::default(), 0);
        Ok(())
    }

    #[cold]
    fn unsatisfied(&self) -> Error {
        Error::Unsatisfied { assertion: self.assertions, place: self.place.or("the statement").to_owned() }
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
        self.factors.push([*x, *y], self.mask)?;
        Ok(*x * *y)
    }

    fn mul_many(&mut self, x: &[R], y: &[R]) -> Result<Vec<R>, Error> {
        check_many(x.len(), y.len())?;
        self.factors.extend([x, y], self.mask)?;
        Ok(x.iter().zip(y).map(|(x, y)| *x * *y).collect())
    }

    fn add_products(&mut self, sums: &mut [R], x: &[R], y: &[R]) -> Result<(), Error> {
        check_many(x.len(), y.len())?;
        check_many(x.len(), sums.len())?;
        self.factors.extend([x, y], self.mask)?;
        sums.iter_mut().zip(x.iter().zip(y)).for_each(|(sum, (x, y))| *sum += *x * *y);
        Ok(())
    }

    fn multi_add<const M: usize>(&mut self, columns: Addends<'_, R, M>) -> Result<(), Error> {
        if !columns.fit_words::<R>() {
            return columns.run(self);
        }
        self.factors.make_room(columns.multiplications(), self.mask)?;
        multi_add::on_words(columns, |factors, n| self.factors.push_bits(factors, n))
    }
}

/// Checks that the numbers of wires to multiply are equal.
pub(super) fn check_many(x: usize, y: usize) -> Result<(), Error> {
    if x == y { Ok(()) } else { Err(Error::misuse(format!("products of {x} and {y} wires"))) }
}

impl<R: Ring> Prove<R> for Tracer<R> {
    fn secret(&mut self, n: usize, hint: Hint<'_, R, R>) -> Result<Vec<R>, Error> {
        let values = match self.mask {
            0 => vec![R::ZERO; n],
            _ => Evaluator::new().secret(n, hint)?,
        };
        self.inputs.extend([&values], self.mask)?;
        Ok(values)
    }

    fn assert_zero(&mut self, x: &[R]) -> Result<(), Error> {
        for wire in x {
            // In an honest run this never happens, whichever branch it is.
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
    use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Range, Sub, SubAssign};

    use volery_circuit::Digest;
    use volery_field::{EncodingError, F61};

    use super::super::store::ROOM;
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

    /// Storage that counts its operations: one addition for each value, whatever the mask is.
    struct Counting(Vec<Counted>);

    impl Kept<Counted> for Counting {
        fn room(&self) -> usize {
            self.0.len()
        }

        fn keep(&mut self, at: usize, values: &[Counted], mask: u64) {
            count(1, values.len());
            let bit = Counted(F61::new(mask & 1));
            self.0[at..].iter_mut().zip(values).for_each(|(to, from)| *to += *from * bit);
        }

        fn values(&self, places: Range<usize>) -> Vec<Counted> {
            self.0[places].to_vec()
        }
    }

    fn kept(n: usize) -> Box<dyn Kept<Counted>> {
        Box::new(Counting(vec![Counted::ZERO; n]))
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
        let list = [(2, false), (ROOM + 9, false), (ROOM + 9, true), (5, true)];
        let list = list.map(|(power, many)| Power { power, many, root: None });
        Branches::new(list.to_vec(), 1).expect("one shape")
    }

    fn trace(choice: usize, root: u64) -> Result<Trace<Counted>, Error> {
        let branches = branches();
        let witness = Power { root: Some(root), ..branches.list()[choice].clone() };
        let picked = Picked { index: choice, witness: Some(witness) };
        Trace::of(&branches, &picked, &[Counted(F61::new(7))], kept)
    }

    #[test]
    fn the_prover_does_the_same_operations_whichever_branch_holds() {
        let counts = [0, 1, 2, 3].map(|choice| {
            COUNTS.with(|counts| counts.set([0; 2]));
            let trace = trace(choice, 3).expect("holds");
            assert_eq!(trace.inputs.values(0..1), [Counted(F61::new(3))]);
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
            assert_eq!((trace.left.room(), trace.right.room()), (ROOM + 8, ROOM + 8));
            let [left, right] = [&trace.left, &trace.right].map(|kept| kept.values(0..ROOM + 8));
            let mut power = three;
            for (left, right) in left[..n].iter().zip(&right[..n]) {
                assert_eq!((*left, *right), (power, three));
                power *= three;
            }
            assert!(left[n..].iter().chain(&right[n..]).all(|x| x.is_zero()));
            assert_eq!(trace.outputs.values(0..1), [power]);
        }
    }

    #[test]
    fn a_branch_that_was_picked_and_does_not_hold_is_told_with_its_place() {
        for choice in 0..4 {
            let error = trace(choice, 4).err();
            assert_eq!(error, Some(Error::Unsatisfied { assertion: 0, place: "powers".into() }));
        }
        let branches = branches();
        let error = Trace::of(&branches, &Picked::new(4), &[Counted::ZERO], kept).err();
        assert!(matches!(error, Some(Error::Witness(_))));
    }
}
