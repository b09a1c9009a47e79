//! Folding changes no value, saves the operations that it should, and hides no false claim.

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

/// A circuit's outputs.
struct Computed<'a>(&'a Circuit<F2>);

impl Folding<F2> for Computed<'_> {
    fn run<B: Ops<F2> + ?Sized>(
        &self,
        fold: &mut Fold<'_, B>,
        inputs: &[Folded<F2, B::Wire>],
    ) -> Result<Vec<Folded<F2, B::Wire>>, B::Error> {
        Ok(self.0.compute(fold, inputs.to_vec())?.outputs)
    }
}

/// With a fold of the program's own.
fn twice<B: Ops<F2, Error = Error>>(
    fold: &mut Fold<'_, B>,
    program: &Computed<'_>,
    inputs: &[Folded<F2, B::Wire>],
) -> Vec<Folded<F2, B::Wire>> {
    let mut inner = Fold::new(fold);
    let inputs: Vec<_> = inputs.iter().cloned().map(Folded::Wire).collect();
    let outputs = program.run(&mut inner, &inputs).expect("computes");
    outputs.iter().map(|output| inner.lower(output)).collect()
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

    /// The same values and the same calls below as with a second fold in front.
    #[test]
    fn a_program_that_folds_need_not_fold_twice(seed: u64, public in prop::collection::vec(any::<bool>(), 10)) {
        let RandomCircuit { circuit, witness } = RandomCircuit::new(seed, Size { asserted: 0, ..Size::small() });
        let program = Computed(&circuit);
        let wires = |wire: &dyn Fn(F2) -> F2| -> Vec<_> {
            let inputs = witness.iter().zip(&public);
            inputs.map(|(x, public)| if *public { Folded::Constant(*x) } else { Folded::Wire(wire(*x)) }).collect()
        };
        let inputs = wires(&|x| x);
        let mut evaluator = Evaluator::new();
        let mut fold = Fold::new(&mut evaluator);
        let once = fold.folding(&program, &inputs).expect("computes");
        prop_assert_eq!(&once, &twice(&mut fold, &program, &inputs));
        let plain = Evaluator::new().folding(&program, &witness).expect("computes");
        prop_assert_eq!(once.iter().map(|x| fold.lower(x)).collect::<Vec<_>>(), plain);
        let counted: Vec<_> = inputs
            .iter()
            .map(|x| if let Folded::Constant(c) = x { Folded::Constant(*c) } else { Folded::Wire(0) })
            .collect();
        let [mut first, mut second] = [Counter::<F2>::new(), Counter::new()];
        Fold::new(&mut first).folding(&program, &counted).expect("counts");
        twice(&mut Fold::new(&mut second), &program, &counted);
        prop_assert_eq!(first.total(), second.total());
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

/// What a backend with a way of its own is asked for.
#[test]
fn an_s_box_of_eight_wires_goes_down_and_one_with_a_known_bit_is_folded() {
    let mut counter = Counter::<F2>::new();
    let mut fold = Fold::new(&mut counter);
    let (wire, known) = (Folded::Wire(0), Folded::Constant(F2::ONE));
    assert_eq!(fold.substitute(&[wire; 8]), Ok(None));
    for place in 0..8 {
        let mut byte = [wire; 8];
        byte[place] = known;
        assert_eq!(fold.substitute(&byte), Ok(None));
    }
    assert_eq!(fold.substitute(&[known; 8]), Ok(None));
    assert_eq!(counter.total().s_boxes, 1);
}
