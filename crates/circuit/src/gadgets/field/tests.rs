//! Gadgets compute what integers do, refuse what is out of range at its border, and claim all that they
//! commit to.

use proptest::prelude::*;
use volery_field::{Bn254Scalar, F32, F61, Field, Gf256, P256Base, Ring, Value, f61::P};

use super::*;
use crate::{Circuit, Computed, Counter, Error, Evaluator, Prove, Recorder};

fn f(n: i64) -> F61 {
    let magnitude = F61::new(n.unsigned_abs());
    if n < 0 { -magnitude } else { magnitude }
}

type Result<T> = core::result::Result<T, Error>;

/// A gadget over any backend, as a type, so that it can run on several.
trait Gadget {
    fn run<B: Prove<F61>>(&self, b: &mut B, x: &[B::Wire]) -> core::result::Result<Vec<B::Wire>, B::Error>;
}

/// A gadget as a circuit, an honest prover's values for its wires, and what comes out then.
struct Recorded {
    circuit: Circuit<F61>,
    values: Vec<F61>,
    results: Vec<F61>,
}

impl Recorded {
    fn new(gadget: &impl Gadget, x: &[F61]) -> Result<Self> {
        let mut recorder = Recorder::new();
        let inputs = recorder.input("x", x.len() as u32, false)?;
        let outputs = gadget.run(&mut recorder, &inputs)?;
        let circuit = recorder.finish(&[("results", &outputs)])?;
        let mut evaluator = Evaluator::tracing();
        let wires = evaluator.secret(x.len(), &mut |_| Ok(x.to_vec()))?;
        let results = gadget.run(&mut evaluator, &wires)?;
        Ok(Self { circuit, values: evaluator.into_trace().values().to_vec(), results })
    }

    /// What comes out for a prover that commits to these values.
    fn run(&self, values: Vec<F61>) -> Result<Vec<F61>> {
        let Computed { outputs, asserted } = self.circuit.compute(&mut Evaluator::new(), values)?;
        Evaluator::new().assert_zero(&asserted)?;
        Ok(outputs)
    }
}

/// Runs the gadget on `x`, then with every committed value changed alone: that must fail, or change no
/// result.
fn evaluate(gadget: &impl Gadget, x: &[F61]) -> Result<Vec<F61>> {
    let recorded = Recorded::new(gadget, x)?;
    assert!(recorded.run(recorded.values.clone())? == recorded.results);
    for changed in x.len()..recorded.values.len() {
        for change in [F61::ONE, -F61::ONE, f(2), f(-2)] {
            let mut values = recorded.values.clone();
            values[changed] += change;
            if let Ok(others) = recorded.run(values) {
                assert!(others == recorded.results, "secret {changed} can be changed");
            }
        }
    }
    Ok(recorded.results)
}

fn unsatisfied<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::Unsatisfied { .. }))
}

fn misuse<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::Misuse(_)))
}

struct Bits(usize);
struct SignedRange(usize);
struct Divide(usize, usize);
struct ShiftSigned(usize, usize);
struct Less(usize);
struct AtMost(usize);
struct Equal;
struct Zero;
struct FixedMul(Fixed);

impl Gadget for Bits {
    fn run<B: Prove<F61>>(&self, b: &mut B, x: &[B::Wire]) -> core::result::Result<Vec<B::Wire>, B::Error> {
        to_bits(b, x, self.0)
    }
}

impl Gadget for SignedRange {
    fn run<B: Prove<F61>>(&self, b: &mut B, x: &[B::Wire]) -> core::result::Result<Vec<B::Wire>, B::Error> {
        assert_in_signed_range(b, x, self.0).map(|()| Vec::new())
    }
}

impl Gadget for Divide {
    fn run<B: Prove<F61>>(&self, b: &mut B, x: &[B::Wire]) -> core::result::Result<Vec<B::Wire>, B::Error> {
        let Division { mut quotients, remainders } = divide(b, x, self.0, self.1)?;
        quotients.extend(remainders);
        Ok(quotients)
    }
}

impl Gadget for ShiftSigned {
    fn run<B: Prove<F61>>(&self, b: &mut B, x: &[B::Wire]) -> core::result::Result<Vec<B::Wire>, B::Error> {
        shift_right_signed(b, x, self.0, self.1)
    }
}

impl Gadget for Less {
    fn run<B: Prove<F61>>(&self, b: &mut B, x: &[B::Wire]) -> core::result::Result<Vec<B::Wire>, B::Error> {
        less_than(b, &x[..1], &x[1..], self.0)
    }
}

impl Gadget for AtMost {
    fn run<B: Prove<F61>>(&self, b: &mut B, x: &[B::Wire]) -> core::result::Result<Vec<B::Wire>, B::Error> {
        assert_at_most(b, &x[..1], &x[1..], self.0).map(|()| Vec::new())
    }
}

impl Gadget for Equal {
    fn run<B: Prove<F61>>(&self, b: &mut B, x: &[B::Wire]) -> core::result::Result<Vec<B::Wire>, B::Error> {
        equal(b, &x[..1], &x[1..])
    }
}

impl Gadget for Zero {
    fn run<B: Prove<F61>>(&self, b: &mut B, x: &[B::Wire]) -> core::result::Result<Vec<B::Wire>, B::Error> {
        is_zero(b, x)
    }
}

impl Gadget for FixedMul {
    fn run<B: Prove<F61>>(&self, b: &mut B, x: &[B::Wire]) -> core::result::Result<Vec<B::Wire>, B::Error> {
        self.0.mul(b, &x[..1], &x[1..])
    }
}

/// Integers of `width` bits with those at the borders.
fn of_width(width: usize) -> impl Strategy<Value = i64> {
    let end = 1_i64 << width;
    prop_oneof![4 => 0..end, 1 => Just(0), 1 => Just(end - 1), 1 => Just(end / 2)]
}

fn pairs(widths: core::ops::RangeInclusive<usize>) -> impl Strategy<Value = (usize, i64, i64)> {
    widths.prop_flat_map(|width| (Just(width), of_width(width), of_width(width)))
}

proptest! {
    #[test]
    fn bits_quotients_and_comparisons_are_those_of_integers((width, x, y) in pairs(1..=59), shift in 0..60_usize) {
        let bits = evaluate(&Bits(width), &[f(x), f(y)]).expect("in range");
        let expected: Vec<F61> = [x, y].iter().flat_map(|n| (0..width).map(move |i| f(n >> i & 1))).collect();
        prop_assert!(bits == expected);
        let shift = shift.min(width);
        let quotients = evaluate(&Divide(width, shift), &[f(x), f(y)]).expect("in range");
        let expected = [x >> shift, y >> shift, x & ((1 << shift) - 1), y & ((1 << shift) - 1)].map(f);
        prop_assert!(quotients == expected);
        prop_assert!(evaluate(&Less(width), &[f(x), f(y)]).expect("in range") == [f((x < y).into())]);
        prop_assert_eq!(evaluate(&AtMost(width), &[f(x), f(y)]).is_ok(), x <= y);
    }

    #[test]
    fn signed_shifts_round_down((width, x, y) in pairs(1..=60), shift in 0..60_usize) {
        let (half, shift) = (1 << (width - 1), shift.min(width - 1));
        let (x, y) = (x - half, y - half);
        let shifted = evaluate(&ShiftSigned(width, shift), &[f(x), f(y)]).expect("in range");
        prop_assert!(shifted == [f(x >> shift), f(y >> shift)]);
    }

    #[test]
    fn fixed_point_products_round_down_or_are_refused(
        (width, x, y) in pairs(2..=30),
        fraction in 0..30_usize,
    ) {
        let (half, fraction) = (1 << (width - 1), fraction.min(width - 1));
        let (x, y) = (x - half, y - half);
        let result = evaluate(&FixedMul(Fixed::new(width, fraction).expect("a format")), &[f(x), f(y)]);
        let expected = (x * y) >> fraction;
        if (-half..half).contains(&expected) {
            prop_assert!(result.expect("in range") == [f(expected)]);
        } else {
            prop_assert!(unsatisfied(result));
        }
    }

    #[test]
    fn equality_is_that_of_elements(x: u64, same: bool) {
        let (x, y) = (F61::new(x), F61::new(if same { x } else { x ^ 1 }));
        prop_assert!(evaluate(&Equal, &[x, y]).expect("holds") == [f((x == y).into())]);
    }
}

#[test]
fn a_range_ends_where_it_says() {
    for width in [1, 2, 8, 59, 60] {
        let end = 1_i64 << width;
        for (value, inside) in [(0, true), (end - 1, true), (end, false), (-1, false), (1 - end, false)] {
            let result = evaluate(&Bits(width), &[f(0), f(value)]);
            assert_eq!(result.is_ok(), inside, "{value} of {width} bits");
            assert_eq!(unsatisfied(result), !inside, "{value} of {width} bits");
        }
        let half = end / 2;
        for (value, inside) in [(-half, true), (half - 1, true), (half, false), (-half - 1, false)] {
            assert_eq!(evaluate(&SignedRange(width), &[f(value)]).is_ok(), inside, "{value} of {width} bits");
        }
    }
    // The greatest element of all.
    assert!(unsatisfied(evaluate(&Bits(60), &[F61::new(P - 1)])));
    // No bits: only zero.
    assert!(evaluate(&Bits(0), &[f(0)]).is_ok() && unsatisfied(evaluate(&Bits(0), &[f(1)])));
}

#[test]
fn at_most_refuses_differences_that_wrap() {
    let top = (1_i64 << 59) - 1;
    for (x, y, holds) in [(0, 0, true), (top, top, true), (0, top, true), (top, 0, false), (1, 0, false)] {
        assert_eq!(evaluate(&AtMost(59), &[f(x), f(y)]).is_ok(), holds, "{x} <= {y}");
    }
}

#[test]
fn widths_that_could_wrap_are_refused() {
    assert_eq!(capacity::<F61>(), 60);
    assert_eq!((capacity::<Bn254Scalar>(), capacity::<P256Base>()), (253, 255));
    assert_eq!((capacity::<F32>(), capacity::<Gf256>()), (31, 1));
    assert!(misuse(evaluate(&Bits(61), &[f(0)])));
    assert!(misuse(evaluate(&Bits(usize::MAX), &[f(0)])));
    assert!(misuse(evaluate(&SignedRange(61), &[f(0)])));
    assert!(misuse(evaluate(&SignedRange(0), &[f(0)])));
    assert!(misuse(evaluate(&Divide(8, 9), &[f(0)])));
    assert!(misuse(evaluate(&ShiftSigned(8, 8), &[f(0)])));
    for width in [60, 61, usize::MAX] {
        assert!(misuse(evaluate(&Less(width), &[f(0), f(0)])));
        assert!(misuse(evaluate(&AtMost(width), &[f(0), f(0)])));
    }
    assert!(misuse(evaluate(&Less(8), &[f(0)])));
    assert!(misuse(evaluate(&FixedMul(Fixed::new(31, 3).expect("a format")), &[f(0), f(0)])));
    assert!(misuse(Fixed::new(3, 3)));
    assert!(misuse(Fixed::new(0, 0)));
}

#[test]
fn fixed_point_borders_are_exact() {
    let format = Fixed::new(30, 10).expect("a format");
    let product = |x: i64, y: i64| evaluate(&FixedMul(format), &[f(x), f(y)]);
    let one = 1 << 10;
    assert!(product(3 * one / 2, -one / 2).expect("in range") == [f(-768)]);
    // -1 / 1024^2 rounds down to -1 / 1024.
    assert!(product(-1, 1).expect("in range") == [f(-1)]);
    assert!(product(1, 1).expect("in range") == [f(0)]);
    let low = -(1 << 29);
    assert!(product(low, one).expect("in range") == [f(low)]);
    assert!(unsatisfied(product(low, -one)));
    assert!(unsatisfied(product(low, low)));
    format.assert(&mut Evaluator::new(), &[f(low), f(-low - 1)]).expect("in range");
    assert!(unsatisfied(format.assert(&mut Evaluator::new(), &[f(-low)])));
}

#[test]
fn gadgets_commit_to_what_they_say() {
    let count = |inputs: u64, run: &dyn Fn(&mut Counter<F61>) -> Result<()>| {
        let mut counter = Counter::new();
        run(&mut counter).expect("counts");
        let total = counter.total();
        assert_eq!((total.inputs, total.multiplications), (inputs, 0));
    };
    count(64, &|b| assert_in_range::<F61, _>(b, &[0; 2], 32));
    count(66, &|b| less_than::<F61, _>(b, &[0; 2], &[0; 2], 32).map(|_| ()));
    count(64, &|b| assert_at_most::<F61, _>(b, &[0; 2], &[0; 2], 32));
    count(4, &|b| is_zero::<F61, _>(b, &[0; 2]).map(|_| ()));
    count(24, &|b| divide::<F61, _>(b, &[0; 2], 12, 5).map(|_| ()));
    let mut counter = Counter::<F61>::new();
    Fixed::new(20, 8).expect("a format").mul::<F61, _>(&mut counter, &[0], &[0]).expect("counts");
    assert_eq!((counter.total().inputs, counter.total().multiplications), (28, 1));
}

#[test]
fn is_zero_finds_the_one_zero() {
    fn of<F: Value>(x: F) -> F {
        is_zero(&mut Evaluator::new(), &[x]).expect("holds")[0]
    }
    assert!(of(f(0)) == f(1) && of(f(1)) == f(0) && of(f(-1)) == f(0));
    assert!(f(-1).inverse().is_some());
    let none: Vec<F61> = is_zero(&mut Evaluator::new(), &[]).expect("nothing to do");
    assert!(none.is_empty());
}

/// The sum `b_0 + 2 b_1 + ..` is right: nothing but the claims `b_i^2 = b_i` can tell.
#[test]
fn bits_that_are_none_and_add_up_to_the_value_are_refused() {
    let recorded = Recorded::new(&Bits(8), &[f(77), f(200)]).expect("in range");
    for value in 0..2 {
        for bit in 0..7 {
            for change in [f(1), f(-1), f(2), f(-2), F61::new(P / 2)] {
                let (mut values, first) = (recorded.values.clone(), 2 + 8 * value + bit);
                values[first] += change + change;
                values[first + 1] -= change;
                assert!(unsatisfied(recorded.run(values)), "bits {bit} and {} of value {value}", bit + 1);
            }
        }
    }
}

/// A prover that calls an element zero that is not: it has `z = 1` or any other `z`, and `v = (1 - z) / x`,
/// so `x v = 1 - z` holds.
#[test]
fn an_element_that_is_not_zero_is_not_called_zero_whatever_else_is_committed() {
    for x in [f(1), f(2), f(-1), F61::new(P / 3)] {
        let recorded = Recorded::new(&Zero, &[x]).expect("holds");
        for z in [f(1), f(2), f(-1), x] {
            let v = (F61::ONE - z) * x.inverse().expect("not zero");
            assert!(unsatisfied(recorded.run(vec![x, v, z])));
        }
    }
    // And nobody calls zero anything else: the other claim says so.
    let recorded = Recorded::new(&Zero, &[f(0)]).expect("holds");
    for (v, z) in [(0, 0), (1, 0), (5, 2), (-1, -1)] {
        assert!(unsatisfied(recorded.run(vec![f(0), f(v), f(z)])));
    }
}
