//! Folding of public constants: an adapter between a gadget and a backend.
//!
//! A gadget is written for secret operands, but often meets public ones: an initial value, a round constant, padding.
//! Under [`Fold`] a wire is either a public constant or a wire of the backend, and every operation whose result
//! follows from constants is done in the clear:
//!
//! ```text
//! c + d, c - d, c * d  ->  a constant             x * 0  ->  the constant 0
//! x + 0, x - 0, x * 1  ->  x itself               x * c  ->  scale, no multiplication
//! ```
//!
//! What is folded depends on public data only, so that all roles fold alike and make the same calls below.

use volery_field::Ring;

use crate::{Backend, Error, Hint, Ops, Peek, Prove};

/// A public constant, or a wire of the backend below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folded<R, W> {
    /// A value that everybody knows.
    Constant(R),
    /// A wire below.
    Wire(W),
}

/// Runs on the backend `B`, folding public constants away (see the [module's](self) rules).
#[derive(Debug)]
pub struct Fold<'a, B: ?Sized> {
    inner: &'a mut B,
}

impl<'a, B: Backend + ?Sized> Fold<'a, B> {
    /// Folds in front of `inner`.
    pub fn new(inner: &'a mut B) -> Self {
        Self { inner }
    }

    /// The backend below.
    pub fn inner(&mut self) -> &mut B {
        self.inner
    }

    /// The wire below for `x`; a constant becomes a constant wire.
    #[inline]
    pub fn lower<R: Ring>(&mut self, x: &Folded<R, B::Wire>) -> B::Wire
    where
        B: Ops<R>,
    {
        match x {
            Folded::Constant(c) => self.inner.constant(*c),
            Folded::Wire(wire) => wire.clone(),
        }
    }
}

/// `x + c` below, unless `c` is zero.
#[inline]
fn offset<R: Ring, B: Ops<R> + ?Sized>(inner: &mut B, x: &B::Wire, c: R) -> Folded<R, B::Wire> {
    Folded::Wire(if c == R::ZERO { x.clone() } else { inner.add_constant(x, c) })
}

/// `c * x` below, unless `c` is zero or one.
#[inline]
fn scaled<R: Ring, B: Ops<R> + ?Sized>(inner: &mut B, x: &B::Wire, c: R) -> Folded<R, B::Wire> {
    if c == R::ZERO {
        Folded::Constant(R::ZERO)
    } else if c == R::ONE {
        Folded::Wire(x.clone())
    } else {
        Folded::Wire(inner.scale(x, c))
    }
}

impl<B: Backend + ?Sized> Backend for Fold<'_, B> {
    type Error = B::Error;

    fn enter(&mut self, part: &str) {
        self.inner.enter(part);
    }

    fn leave(&mut self) {
        self.inner.leave();
    }
}

impl<R: Ring, B: Ops<R> + ?Sized> Ops<R> for Fold<'_, B> {
    type Wire = Folded<R, B::Wire>;

    #[inline]
    fn constant(&mut self, c: R) -> Self::Wire {
        Folded::Constant(c)
    }

    #[inline]
    fn add(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire {
        match (x, y) {
            (Folded::Wire(x), Folded::Wire(y)) => Folded::Wire(self.inner.add(x, y)),
            (Folded::Constant(c), Folded::Constant(d)) => Folded::Constant(*c + *d),
            (Folded::Wire(x), Folded::Constant(c)) | (Folded::Constant(c), Folded::Wire(x)) => {
                offset(self.inner, x, *c)
            }
        }
    }

    #[inline]
    fn sub(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire {
        match (x, y) {
            (Folded::Wire(x), Folded::Wire(y)) => Folded::Wire(self.inner.sub(x, y)),
            (Folded::Constant(c), Folded::Constant(d)) => Folded::Constant(*c - *d),
            (Folded::Wire(x), Folded::Constant(c)) => offset(self.inner, x, -*c),
            (Folded::Constant(c), Folded::Wire(y)) => {
                let negated = scaled(self.inner, y, -R::ONE);
                self.add_constant(&negated, *c)
            }
        }
    }

    #[inline]
    fn add_constant(&mut self, x: &Self::Wire, c: R) -> Self::Wire {
        match x {
            Folded::Constant(d) => Folded::Constant(*d + c),
            Folded::Wire(x) => offset(self.inner, x, c),
        }
    }

    #[inline]
    fn scale(&mut self, x: &Self::Wire, c: R) -> Self::Wire {
        match x {
            Folded::Constant(d) => Folded::Constant(*d * c),
            Folded::Wire(x) => scaled(self.inner, x, c),
        }
    }

    #[inline]
    fn mul(&mut self, x: &Self::Wire, y: &Self::Wire) -> Result<Self::Wire, Self::Error> {
        Ok(match (x, y) {
            (Folded::Wire(x), Folded::Wire(y)) => Folded::Wire(self.inner.mul(x, y)?),
            (Folded::Constant(c), y) => self.scale(y, *c),
            (x, Folded::Constant(c)) => self.scale(x, *c),
        })
    }

    fn mul_many(&mut self, x: &[Self::Wire], y: &[Self::Wire]) -> Result<Vec<Self::Wire>, Self::Error> {
        if x.len() != y.len() {
            return Err(Error::misuse(format!("mul_many of {} and {} wires", x.len(), y.len())).into());
        }
        let (left, right) = true_products(x, y);
        let mut products = self.inner.mul_many(&left, &right)?.into_iter();
        x.iter()
            .zip(y)
            .map(|pair| match pair {
                (Folded::Wire(_), Folded::Wire(_)) => products
                    .next()
                    .map(Folded::Wire)
                    .ok_or_else(|| Error::misuse("a backend returned too few products").into()),
                (Folded::Constant(c), other) | (other, Folded::Constant(c)) => Ok(self.scale(other, *c)),
            })
            .collect()
    }

    #[inline]
    fn known(&self, x: &Self::Wire) -> Option<R> {
        match x {
            Folded::Constant(c) => Some(*c),
            Folded::Wire(x) => self.inner.known(x),
        }
    }
}

/// The operands of those products in which neither side is a constant.
fn true_products<R, W: Clone>(x: &[Folded<R, W>], y: &[Folded<R, W>]) -> (Vec<W>, Vec<W>) {
    x.iter()
        .zip(y)
        .filter_map(|pair| match pair {
            (Folded::Wire(x), Folded::Wire(y)) => Some((x.clone(), y.clone())),
            _ => None,
        })
        .unzip()
}

/// Lets a hint written for folded wires look at values below.
struct FoldedPeek<'p, R, W>(&'p dyn Peek<R, W>);

impl<R: Ring, W> Peek<R, Folded<R, W>> for FoldedPeek<'_, R, W> {
    fn value(&self, wire: &Folded<R, W>) -> R {
        match wire {
            Folded::Constant(c) => *c,
            Folded::Wire(wire) => self.0.value(wire),
        }
    }
}

impl<R: Ring, B: Prove<R> + ?Sized> Prove<R> for Fold<'_, B> {
    fn secret(&mut self, n: usize, hint: Hint<'_, R, Self::Wire>) -> Result<Vec<Self::Wire>, Self::Error> {
        let wires = self.inner.secret(n, &mut |peek| hint(&FoldedPeek(peek)))?;
        Ok(wires.into_iter().map(Folded::Wire).collect())
    }

    /// A constant zero is dropped; another constant goes down as a false claim, so that the backend below says where.
    fn assert_zero(&mut self, x: &[Self::Wire]) -> Result<(), Self::Error> {
        let mut claims = Vec::with_capacity(x.len());
        for wire in x {
            match wire {
                Folded::Constant(c) if *c == R::ZERO => {}
                claim => claims.push(self.lower(claim)),
            }
        }
        if claims.is_empty() { Ok(()) } else { self.inner.assert_zero(&claims) }
    }

    /// Products with a constant move to the linear side: `sum of true products = z - the rest`.
    fn assert_dot(&mut self, x: &[Self::Wire], y: &[Self::Wire], z: &Self::Wire) -> Result<(), Self::Error> {
        if x.len() != y.len() {
            return Err(Error::misuse(format!("assert_dot of {} and {} wires", x.len(), y.len())).into());
        }
        let (left, right) = true_products(x, y);
        let mut rest = z.clone();
        for pair in x.iter().zip(y) {
            if let (Folded::Constant(c), other) | (other, Folded::Constant(c)) = pair {
                let term = self.scale(other, *c);
                rest = self.sub(&rest, &term);
            }
        }
        if left.is_empty() {
            return self.assert_zero(&[rest]);
        }
        let rest = self.lower(&rest);
        self.inner.assert_dot(&left, &right, &rest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_field::{EncodingError, F2};

    use super::*;
    use crate::testing::{RandomCircuit, Size};
    use crate::{Circuit, Counter, Evaluator};

    /// Runs `circuit` folded; the inputs where `public` holds are constants, the others secret.
    fn folded<B: Prove<F2>>(
        circuit: &Circuit<F2>,
        backend: &mut B,
        inputs: &[F2],
        public: &[bool],
    ) -> Result<Vec<B::Wire>, B::Error> {
        let mut fold = Fold::new(backend);
        let mut wires = Vec::new();
        for (&value, &public) in inputs.iter().zip(public) {
            if public {
                wires.push(fold.constant(value));
            } else {
                wires.extend(fold.secret(1, &mut |_| Ok(vec![value]))?);
            }
        }
        let outputs = circuit.run(&mut fold, wires)?;
        Ok(outputs.iter().map(|output| fold.lower(output)).collect())
    }

    proptest! {
        #[test]
        fn folding_changes_no_value_and_adds_no_cost(seed: u64, public in prop::collection::vec(any::<bool>(), 10)) {
            let RandomCircuit { circuit, witness } = RandomCircuit::new(seed, Size::small());
            let plain = circuit.run(&mut Evaluator::new(), witness.clone()).expect("holds");
            prop_assert_eq!(folded(&circuit, &mut Evaluator::new(), &witness, &public).expect("holds"), plain);
            let mut counter = Counter::new();
            folded(&circuit, &mut counter, &witness, &public).expect("counts");
            let cost = counter.total().multiplications;
            prop_assert!(cost <= circuit.multiplications());
            if public.iter().all(|&public| public) {
                prop_assert_eq!(cost, 0);
            }
            if public.iter().all(|&public| !public) {
                prop_assert_eq!(cost, circuit.multiplications());
            }
        }

        #[test]
        fn an_inner_product_holds_folded_exactly_if_it_holds(x: [bool; 6], y: [bool; 6], z: bool, public: [bool; 13]) {
            let mut evaluator = Evaluator::<F2>::new();
            let mut fold = Fold::new(&mut evaluator);
            let mut next = public.iter();
            let mut wire = |bit: bool| match next.next() {
                Some(true) => Folded::Constant(F2::new(bit)),
                _ => Folded::Wire(F2::new(bit)),
            };
            let (left, right) = (x.map(&mut wire), y.map(&mut wire));
            let sum = x.iter().zip(&y).fold(false, |sum, (x, y)| sum ^ (x & y));
            prop_assert_eq!(fold.assert_dot(&left, &right, &wire(z)).is_ok(), sum == z);
        }
    }

    #[test]
    fn folding_is_right_where_minus_one_is_not_one() {
        // Z_256: has zero divisors and a characteristic other than 2.
        let (x, c) = (Wrapping(7), Wrapping(250));
        let mut evaluator = Evaluator::<Wrapping>::new();
        let mut fold = Fold::new(&mut evaluator);
        let (wire, constant) = (Folded::Wire(x), Folded::Constant(c));
        assert_eq!(fold.sub(&wire, &constant), Folded::Wire(x - c));
        assert_eq!(fold.sub(&constant, &wire), Folded::Wire(c - x));
        assert_eq!(fold.add(&constant, &wire), Folded::Wire(x + c));
        assert_eq!(fold.mul(&constant, &wire), Ok(Folded::Wire(x * c)));
        let z = x * x + c * x + c * c;
        let (left, right) = ([wire, constant, constant], [wire, wire, constant]);
        fold.assert_dot(&left, &right, &Folded::Wire(z)).expect("true");
        assert!(fold.assert_dot(&left, &right, &Folded::Wire(z + c)).is_err());
    }

    const ZERO: Folded<F2, u32> = Folded::Constant(F2::ZERO);
    const ONE: Folded<F2, u32> = Folded::Constant(F2::ONE);

    #[test]
    fn nothing_that_constants_decide_reaches_the_backend() {
        let mut counter = Counter::<F2>::new();
        let mut fold = Fold::new(&mut counter);
        let x = fold.secret(1, &mut |_| unreachable!("no values")).expect("counts")[0];
        assert_eq!(fold.add(&ONE, &ONE), ZERO);
        assert_eq!(fold.sub(&ZERO, &x), x);
        assert_eq!(fold.add(&x, &ZERO), x);
        assert_eq!(fold.mul(&x, &ONE), Ok(x));
        assert_eq!(fold.mul(&ZERO, &x), Ok(ZERO));
        assert_eq!(fold.scale(&ONE, F2::ONE), ONE);
        assert_eq!(fold.mul_many(&[x, ONE, ONE], &[ZERO, x, ONE]), Ok(vec![ZERO, x, ONE]));
        assert_eq!((fold.known(&ONE), fold.known(&x)), (Some(F2::ONE), None));
        fold.assert_zero(&[ZERO]).expect("true");
        fold.assert_dot(&[ONE], &[ONE], &ONE).expect("true");
        let expected = crate::Counts { inputs: 1, ..Default::default() };
        assert_eq!(counter.total(), expected);
    }

    #[test]
    fn only_true_products_cost_and_they_keep_their_places() {
        let mut counter = Counter::<F2>::new();
        let mut fold = Fold::new(&mut counter);
        let x = fold.secret(2, &mut |_| unreachable!("no values")).expect("counts");
        let products = fold.mul_many(&[x[0], ONE, x[1]], &[x[1], x[0], ZERO]).expect("counts");
        assert_eq!(products, [Folded::Wire(1), x[0], ZERO]);
        fold.assert_dot(&[x[0], ONE, x[1]], &[x[1], x[0], ZERO], &ONE).expect("counts");
        assert_eq!(counter.total().multiplications, 1);
        assert_eq!(counter.total().dot_terms, 1);
    }

    #[test]
    fn a_false_constant_claim_fails_below() {
        let mut evaluator = Evaluator::<F2>::new();
        let mut fold = Fold::new(&mut evaluator);
        let one = fold.constant(F2::ONE);
        let error = fold.assert_zero(&[one]).expect_err("1 is not 0");
        assert!(matches!(error, Error::Unsatisfied { assertion: 0, .. }));
        let error = fold.assert_dot(&[one], &[one], &Folded::Constant(F2::ZERO)).expect_err("1 is not 0");
        assert!(matches!(error, Error::Unsatisfied { assertion: 0, .. }));
    }

    #[test]
    fn hints_see_through_folded_wires() {
        let mut evaluator = Evaluator::<F2>::new();
        let mut fold = Fold::new(&mut evaluator);
        let x = fold.secret(1, &mut |_| Ok(vec![F2::ONE])).expect("one");
        let one = fold.constant(F2::ONE);
        let y = fold.secret(1, &mut |peek| Ok(vec![peek.value(&x[0]) + peek.value(&one)])).expect("one");
        assert_eq!(y, [Folded::Wire(F2::ZERO)]);
    }

    /// The integers modulo 256, for tests.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    struct Wrapping(u8);

    macro_rules! operator {
        ($($trait:ident $method:ident $assign:ident $assign_method:ident $wrapping:ident),*) => {$(
            impl core::ops::$trait for Wrapping {
                type Output = Self;
                fn $method(self, other: Self) -> Self {
                    Self(self.0.$wrapping(other.0))
                }
            }
            impl core::ops::$assign for Wrapping {
                fn $assign_method(&mut self, other: Self) {
                    self.0 = self.0.$wrapping(other.0);
                }
            }
        )*};
    }
    operator!(
        Add add AddAssign add_assign wrapping_add,
        Sub sub SubAssign sub_assign wrapping_sub,
        Mul mul MulAssign mul_assign wrapping_mul
    );

    impl core::ops::Neg for Wrapping {
        type Output = Self;
        fn neg(self) -> Self {
            Self(self.0.wrapping_neg())
        }
    }

    impl Ring for Wrapping {
        const NAME: &'static str = "Z256 (tests)";
        const BYTES: usize = 1;
        const ZERO: Self = Self(0);
        const ONE: Self = Self(1);

        fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
            out.copy_from_slice(&[self.0]);
            Ok(())
        }

        fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
            Ok(Self(bytes[0]))
        }
    }
}
