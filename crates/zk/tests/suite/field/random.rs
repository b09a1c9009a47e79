//! Random polynomials and random programs against direct evaluation.

use proptest::prelude::*;
use volery_circuit::{Digest, Evaluator, MatrixShape, Polynomial, Polynomials, Statement, Term};
use volery_field::{Mac, Value};
use volery_testing::every_kind_of_pair;
use volery_vole::Prg;

use crate::field::parties::{Run, wrong};
use crate::field::reference::Lie;

/// A shape of a polynomial: for each term its variables.
type Shape = Vec<Vec<usize>>;

const VARIABLES: usize = 4;

/// Terms of degree at most `degree`, one of them of just that.
fn shapes(degree: usize) -> impl Strategy<Value = Shape> {
    let variables = |degree| prop::collection::vec(0..VARIABLES, degree);
    let others = prop::collection::vec((0..=degree).prop_flat_map(variables), 0..8);
    (variables(degree), others, 0..8_usize).prop_map(|(top, mut others, at)| {
        others.insert(at.min(others.len()), top);
        others
    })
}

fn random<F: Value>(seed: u64, n: usize) -> Vec<F> {
    let mut block = [0; 16];
    block[..8].copy_from_slice(&seed.to_le_bytes());
    let mut values = vec![F::ZERO; n];
    Prg::new(block).elements(&mut values);
    values
}

/// "I know `x` at which this polynomial vanishes."
struct Vanishes<F> {
    polynomial: Polynomial<F>,
    x: Vec<F>,
}

impl<F: Value> Vanishes<F> {
    /// A polynomial of this shape with random coefficients that takes the value `value` at random `x`: direct
    /// evaluation, product by product.
    fn with_value(shape: &Shape, seed: u64, value: F) -> Self {
        let values = random::<F>(seed, VARIABLES + shape.len());
        let (x, coefficients) = values.split_at(VARIABLES);
        let mut terms: Vec<Term<F>> = (shape.iter().zip(coefficients))
            .map(|(variables, coefficient)| Term { coefficient: *coefficient, variables: variables.clone() })
            .collect();
        let sum = terms.iter().fold(F::ZERO, |sum, term| {
            sum + term.variables.iter().fold(term.coefficient, |product, variable| product * x[*variable])
        });
        terms.push(Term { coefficient: value - sum, variables: vec![] });
        Self { polynomial: Polynomial::new(terms).expect("a small degree"), x: x.to_vec() }
    }
}

impl<F: Value, B: Polynomials<F>> Statement<B> for Vanishes<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: vanishes").number("degree", self.polynomial.degree() as u64);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(self.x.len(), &mut |_| Ok(self.x.clone()))?;
        b.assert_polynomial(&self.polynomial, &x)
    }
}

fn vanishes<F: Value, M: Mac<F>>(shape: &Shape, seed: u64, run: Run) {
    let zero = Vanishes::with_value(shape, seed, F::ZERO);
    assert!(zero.polynomial.degree() >= 1);
    let (p, v) = run.honest::<F, M>(&zero);
    assert_eq!(p.unwrap(), v.unwrap(), "{} {shape:?}", F::NAME);
    // Off by one: the evaluator, the real prover and the verifier agree that it is false.
    let one = Vanishes::with_value(shape, seed, F::ONE);
    assert!(Evaluator::check(&zero).is_ok() && Evaluator::check(&one).is_err());
    let (p, v) = run.honest::<F, M>(&one);
    assert!(p.is_err() && v.is_err(), "{} {shape:?}", F::NAME);
    let v = run.answer::<F, M>(&one, Lie::GoOn);
    let degree = one.polynomial.degree();
    let expected = if degree == 1 { crate::field::parties::not_zero() } else { wrong() };
    assert_eq!(v, expected, "{} {shape:?}", F::NAME);
    assert!(run.answer::<F, M>(&zero, Lie::GoOn).is_ok());
}

/// One step of a random program; operands are numbers of wires, modulo their count.
#[derive(Clone, Debug)]
enum Step {
    Add(usize, usize),
    Sub(usize, usize),
    Scale(usize, u8),
    AddConstant(usize, u8),
    Mul(usize, usize),
    /// So many products at once, and their sum.
    MulMany(usize, usize, usize),
    /// A copy of a wire, plus one where the flag says so, claimed to be the wire.
    Equal(usize, bool),
    /// A committed product.
    Product(usize, usize, bool),
    /// A committed inner product of the wires from the first number on with those from the second on.
    Dot(usize, usize, usize, bool),
    /// A committed value of a product of so many wires plus another of fewer.
    Polynomial(usize, usize, bool),
    /// A product of a row by a matrix.
    Matrix(usize, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let w = || 0..1000_usize;
    // A program is true in about half of all cases.
    let lie = || prop::bool::weighted(0.06);
    let step = prop_oneof![
        (w(), w()).prop_map(|(x, y)| Step::Add(x, y)),
        (w(), w()).prop_map(|(x, y)| Step::Sub(x, y)),
        (w(), any::<u8>()).prop_map(|(x, c)| Step::Scale(x, c)),
        (w(), any::<u8>()).prop_map(|(x, c)| Step::AddConstant(x, c)),
        (w(), w()).prop_map(|(x, y)| Step::Mul(x, y)),
        (w(), w(), 0..9_usize).prop_map(|(x, y, n)| Step::MulMany(x, y, n)),
        (w(), lie()).prop_map(|(x, lie)| Step::Equal(x, lie)),
        (w(), w(), lie()).prop_map(|(x, y, lie)| Step::Product(x, y, lie)),
        (w(), w(), 0..6_usize, lie()).prop_map(|(x, y, n, lie)| Step::Dot(x, y, n, lie)),
        (w(), 2..7_usize, lie()).prop_map(|(x, degree, lie)| Step::Polynomial(x, degree, lie)),
        (w(), lie()).prop_map(|(x, lie)| Step::Matrix(x, lie)),
    ];
    prop::collection::vec(step, 1..40)
}

struct Random<F> {
    steps: Vec<Step>,
    inputs: Vec<F>,
}

impl<F: Value, B: Polynomials<F>> Statement<B> for Random<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", format!("test: {:?}", self.steps).as_bytes());
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let mut wires = b.secret(self.inputs.len(), &mut |_| Ok(self.inputs.clone()))?;
        // What claims nothing is refused, and steps need not claim anything.
        let zero = b.sub(&wires[0], &wires[0]);
        b.assert_zero(&[zero])?;
        for step in &self.steps {
            let new = self.step(b, &wires, step)?;
            wires.push(new);
        }
        Ok(())
    }
}

impl<F: Value> Random<F> {
    /// Makes a step; its result is the newest wire.
    fn step<B: Polynomials<F>>(
        &self,
        b: &mut B,
        wires: &[B::Wire],
        step: &Step,
    ) -> Result<B::Wire, B::Error> {
        let at = |n: usize| wires[n % wires.len()].clone();
        let slip = |lie: bool| if lie { F::ONE } else { F::ZERO };
        Ok(match *step {
            Step::Add(x, y) => b.add(&at(x), &at(y)),
            Step::Sub(x, y) => b.sub(&at(x), &at(y)),
            Step::Scale(x, c) => b.scale(&at(x), F::digit(c)),
            Step::AddConstant(x, c) => b.add_constant(&at(x), F::digit(c)),
            Step::Mul(x, y) => b.mul(&at(x), &at(y))?,
            Step::MulMany(x, y, n) => {
                let (x, y): (Vec<_>, Vec<_>) = (0..n).map(|i| (at(x + i), at(y + 2 * i))).unzip();
                let products = b.mul_many(&x, &y)?;
                products.iter().fold(at(0), |sum, product| b.add(&sum, product))
            }
            Step::Equal(x, lie) => {
                let copy = b.secret(1, &mut |peek| Ok(vec![peek.value(&at(x)) + slip(lie)]))?;
                let difference = b.sub(&at(x), &copy[0]);
                b.assert_zero(&[difference])?;
                copy[0].clone()
            }
            Step::Product(x, y, lie) => {
                let z =
                    b.secret(1, &mut |peek| Ok(vec![peek.value(&at(x)) * peek.value(&at(y)) + slip(lie)]))?;
                b.assert_products(&[at(x)], &[at(y)], &z)?;
                z[0].clone()
            }
            Step::Dot(x, y, n, lie) => {
                let (x, y): (Vec<_>, Vec<_>) = (0..n).map(|i| (at(x + i), at(y + 2 * i))).unzip();
                let z = b.secret(1, &mut |peek| {
                    let pairs = x.iter().zip(&y);
                    Ok(vec![pairs.fold(slip(lie), |sum, (x, y)| sum + peek.value(x) * peek.value(y))])
                })?;
                b.assert_dot(&x, &y, &z[0])?;
                z[0].clone()
            }
            Step::Polynomial(x, degree, lie) => {
                let z = b.secret(1, &mut |peek| {
                    let product = |n| (0..n).fold(F::ONE, |product, i| product * peek.value(&at(x + i)));
                    Ok(vec![product(degree) + product(degree - 1) + slip(lie)])
                })?;
                let product = |b: &mut B, n| {
                    (0..n).try_fold(b.poly_constant(F::ONE), |product, i| {
                        let factor = b.poly(&at(x + i));
                        b.poly_mul(&product, &factor)
                    })
                };
                let (high, low) = (product(b, degree)?, product(b, degree - 1)?);
                let sum = b.poly_add(&low, &high);
                let value = b.poly(&z[0]);
                let value = b.poly_scale(&value, -F::ONE);
                let claim = b.poly_add(&sum, &value);
                b.assert_poly_zero(&[claim])?;
                z[0].clone()
            }
            Step::Matrix(x, lie) => {
                let (row, matrix) = ([at(x), at(x + 1)], [at(x + 2), at(x), at(x + 5), at(x + 1)]);
                let z = b.secret(2, &mut |peek| {
                    let entry = |j: usize| {
                        peek.value(&row[0]) * peek.value(&matrix[j])
                            + peek.value(&row[1]) * peek.value(&matrix[2 + j])
                    };
                    Ok(vec![entry(0) + slip(lie), entry(1)])
                })?;
                let shape = MatrixShape { rows: 1, inner: 2, columns: 2 };
                b.assert_matrix_product(shape, &row, &matrix, &z)?;
                z[1].clone()
            }
        })
    }
}

fn as_evaluated<F: Value, M: Mac<F>>(steps: &[Step], seed: u64, run: Run) {
    let program = Random::<F> { steps: steps.to_vec(), inputs: random(seed, 3) };
    let holds = Evaluator::check(&program).is_ok();
    let (p, v) = run.honest::<F, M>(&program);
    assert_eq!((p.is_ok(), v.is_ok()), (holds, holds), "{} {run:?} {steps:?}", F::NAME);
    let v = run.answer::<F, M>(&program, Lie::GoOn);
    assert_eq!(v.is_ok(), holds, "{} {run:?} {steps:?}: {v:?}", F::NAME);
    assert!(holds || v.is_err_and(|error| error.is_rejection()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_polynomials_of_degree_1_to_10_vanish_where_they_vanish(
        shape in (1..=10_usize).prop_flat_map(shapes),
        seed: u64,
        interval in 1..12_usize,
        fiat_shamir: bool,
    ) {
        let run = Run::new(interval, fiat_shamir);
        every_kind_of_pair!(vanishes(&shape, seed, run));
    }

    #[test]
    fn of_random_programs_exactly_those_are_accepted_that_the_evaluator_accepts(
        steps in steps(),
        seed: u64,
        interval in 1..40_usize,
        fiat_shamir: bool,
    ) {
        let run = Run::new(interval, fiat_shamir);
        every_kind_of_pair!(as_evaluated(&steps, seed, run));
    }
}

/// Every degree, whatever the generator above chooses.
#[test]
fn a_polynomial_of_each_degree_from_1_to_10_vanishes_where_it_vanishes() {
    for degree in 1..=10 {
        let shape = (0..=degree).map(|n| (0..n).map(|i| i % VARIABLES).collect()).collect();
        every_kind_of_pair!(vanishes(&shape, degree as u64, Run::new(1 << 10, false)));
        every_kind_of_pair!(vanishes(&shape, degree as u64, Run::new(3, true)));
    }
}
