//! Every backend of this crate builds the same polynomials: compared with direct evaluation, with their
//! degrees.

use proptest::prelude::*;
use volery_field::{F2, F61, Ring};

use super::*;
use crate::{Counter, Evaluator, Fold, Folded, Recorder};

/// Variables of the random polynomials.
const VARIABLES: usize = 6;

fn any_element() -> impl Strategy<Value = F61> {
    prop_oneof![3 => any::<u64>().prop_map(F61::new), 1 => (0..3_u64).prop_map(F61::new)]
}

fn any_point() -> impl Strategy<Value = Vec<F61>> {
    prop::collection::vec(any_element(), VARIABLES)
}

/// A polynomial of exactly the degree `degree`, with terms of all degrees up to it.
fn of_degree(degree: usize) -> impl Strategy<Value = Polynomial<F61>> {
    let term = |degree: core::ops::RangeInclusive<usize>| {
        let variables = prop::collection::vec(0..VARIABLES, degree);
        (any_element(), variables).prop_map(|(coefficient, variables)| Term { coefficient, variables })
    };
    (prop::collection::vec(term(0..=degree), 0..8), term(degree..=degree)).prop_map(|(mut terms, highest)| {
        terms.push(highest);
        Polynomial::new(terms).expect("a small degree")
    })
}

/// By the definition: sums of products, with nothing of the backends.
fn direct(polynomial: &Polynomial<F61>, x: &[F61]) -> F61 {
    let mut sum = F61::ZERO;
    for term in polynomial.terms() {
        sum += term.variables.iter().fold(term.coefficient, |product, &variable| product * x[variable]);
    }
    sum
}

/// `polynomial - c`.
fn minus(polynomial: &Polynomial<F61>, c: F61) -> Polynomial<F61> {
    let mut terms = polynomial.terms().to_vec();
    terms.push(Term { coefficient: -c, variables: Vec::new() });
    Polynomial::new(terms).expect("the same degree")
}

proptest! {
    #[test]
    fn a_random_polynomial_has_its_value_and_no_other(
        polynomial in (1..=10_usize).prop_flat_map(of_degree),
        x in any_point(),
        wrong in any_element().prop_filter("not zero", |c| !c.is_zero()),
        public in prop::collection::vec(any::<bool>(), VARIABLES),
    ) {
        let value = direct(&polynomial, &x);
        let (right, wrong) = (minus(&polynomial, value), minus(&polynomial, value + wrong));
        let mut evaluator = Evaluator::new();
        evaluator.assert_polynomial(&right, &x).expect("true");
        prop_assert_eq!(evaluator.assertions(), 1);
        prop_assert!(evaluator.assert_polynomial(&wrong, &x).is_err());

        // The same with some variables public.
        let folded: Vec<_> = x
            .iter()
            .zip(&public)
            .map(|(&x, &public)| if public { Folded::Constant(x) } else { Folded::Wire(x) })
            .collect();
        let mut fold = Fold::new(&mut evaluator);
        fold.assert_polynomial(&right, &folded).expect("true");
        prop_assert!(fold.assert_polynomial(&wrong, &folded).is_err());

        // And as gates.
        let mut recorder = Recorder::new();
        let inputs = recorder.input("x", VARIABLES as u32, false).expect("few");
        recorder.assert_polynomial(&right, &inputs).expect("records");
        let right = recorder.finish(&[]).expect("sound");
        right.run(&mut Evaluator::new(), x.clone()).expect("true");
        let mut recorder = Recorder::new();
        let inputs = recorder.input("x", VARIABLES as u32, false).expect("few");
        recorder.assert_polynomial(&wrong, &inputs).expect("records");
        prop_assert!(recorder.finish(&[]).expect("sound").run(&mut Evaluator::new(), x).is_err());
    }

    #[test]
    fn the_counter_knows_the_degree(polynomial in (1..=10_usize).prop_flat_map(of_degree)) {
        let mut counter = Counter::new();
        counter.assert_polynomial(&polynomial, &[0; VARIABLES]).expect("counts");
        let total = counter.total();
        prop_assert_eq!((total.polynomials + total.linear, total.assertions), (1, 1));
        let degree = if total.linear == 1 { 1 } else { total.degree };
        prop_assert_eq!(degree, polynomial.degree());
        prop_assert_eq!(counter.depth() as usize, polynomial.degree() - 1);
        prop_assert_eq!(total.multiplications, 0);
    }
}

/// What a role makes of `x` to the power `degree`.
fn power<B: Polynomials<F61>>(b: &mut B, x: &B::Wire, degree: usize) -> Result<B::Poly, B::Error> {
    let x = b.poly(x);
    let mut power = x.clone();
    for _ in 1..degree {
        power = b.poly_mul(&power, &x)?;
    }
    Ok(power)
}

#[test]
fn every_backend_refuses_the_first_degree_too_many() {
    fn both<B: Polynomials<F61, Error = Error>>(b: &mut B, x: &B::Wire) {
        assert!(power(b, x, MAX_DEGREE).is_ok());
        assert!(matches!(power(b, x, MAX_DEGREE + 1), Err(Error::Misuse(_))));
    }
    both(&mut Evaluator::new(), &F61::ONE);
    both(&mut Counter::new(), &0);
    let mut recorder = Recorder::new();
    let wire = recorder.input("x", 1, false).expect("one")[0];
    both(&mut recorder, &wire);
    both(&mut Fold::new(&mut Evaluator::new()), &Folded::Wire(F61::ONE));
    let term = |degree| vec![Term { coefficient: F61::ONE, variables: vec![0; degree] }];
    assert!(Polynomial::new(term(MAX_DEGREE)).is_ok());
    assert!(matches!(Polynomial::new(term(MAX_DEGREE + 1)), Err(Error::Misuse(_))));
    let set = vec![F61::ONE; MAX_DEGREE + 1];
    let claim = Evaluator::new().assert_one_of(&[F61::ONE], &set);
    assert!(matches!(claim, Err(Error::Misuse(_))));
}

#[test]
fn sums_have_the_greater_degree_and_constants_none() {
    let mut counter = Counter::<F61>::new();
    let (square, cube) = (power(&mut counter, &0, 2).expect("2"), power(&mut counter, &0, 3).expect("3"));
    let sum = counter.poly_add(&square, &cube);
    let scaled = counter.poly_scale(&sum, F61::ZERO);
    let one = counter.poly_constant(F61::ONE);
    let product = Polynomials::<F61>::poly_mul(&mut counter, &scaled, &one).expect("3");
    let shifted = counter.poly_add_constant(&product, F61::ONE);
    assert_eq!((one.degree(), shifted.degree()), (0, 3));
}

#[test]
fn a_variable_that_is_not_there_is_misuse() {
    let polynomial = Polynomial::new(vec![Term { coefficient: F61::ONE, variables: vec![2] }]).expect("1");
    let claim = Evaluator::new().assert_polynomial(&polynomial, &[F61::ZERO; 2]);
    assert!(matches!(claim, Err(Error::Misuse(_))));
}

#[test]
fn one_of_a_set_and_nothing_else() {
    let set: Vec<F61> = [0, 1, 5, 7].map(F61::new).to_vec();
    for value in 0..10 {
        let claim = Evaluator::new().assert_one_of(&[F61::new(5), F61::new(value)], &set);
        assert_eq!(claim.is_ok(), [0, 1, 5, 7].contains(&value), "{value}");
    }
    let claim = Evaluator::new().assert_one_of(&[F61::new(5)], &[]);
    assert!(matches!(claim, Err(Error::Misuse(_))));
    let mut counter = Counter::<F61>::new();
    counter.assert_one_of(&[0; 3], &set).expect("counts");
    assert_eq!((counter.total().polynomials, counter.total().degree), (3, 4));
}

/// `a * b` for random matrices, and the three.
fn matrices(shape: MatrixShape, seed: u64) -> [Vec<F61>; 3] {
    let entry = |i: usize, j: usize| F61::new(seed.wrapping_mul(2 * (i * 1000 + j) as u64 + 1));
    let matrix = |rows: usize, columns: usize, name: usize| -> Vec<F61> {
        (0..rows * columns).map(|i| entry(name, i)).collect()
    };
    let (a, b) = (matrix(shape.rows, shape.inner, 1), matrix(shape.inner, shape.columns, 2));
    let mut c = vec![F61::ZERO; shape.rows * shape.columns];
    for i in 0..shape.rows {
        for j in 0..shape.columns {
            for l in 0..shape.inner {
                c[i * shape.columns + j] += a[i * shape.inner + l] * b[l * shape.columns + j];
            }
        }
    }
    [a, b, c]
}

proptest! {
    #[test]
    fn a_matrix_product_holds_and_no_entry_can_change(
        (rows, inner, columns) in (1..5_usize, 1..5_usize, 1..5_usize),
        seed: u64,
        at: prop::sample::Index,
        public: bool,
    ) {
        let shape = MatrixShape { rows, inner, columns };
        let [a, b, mut c] = matrices(shape, seed);
        Evaluator::new().assert_matrix_product(shape, &a, &b, &c).expect("true");
        let wires = |m: &[F61]| -> Vec<_> { m.iter().map(|&x| Folded::Wire(x)).collect() };
        let result = |c: &[F61]| -> Vec<Folded<F61, F61>> {
            c.iter().map(|&x| if public { Folded::Constant(x) } else { Folded::Wire(x) }).collect()
        };
        let mut evaluator = Evaluator::new();
        let mut fold = Fold::new(&mut evaluator);
        fold.assert_matrix_product(shape, &wires(&a), &wires(&b), &result(&c)).expect("true");
        let at = at.index(c.len());
        c[at] += F61::ONE;
        prop_assert!(fold.assert_matrix_product(shape, &wires(&a), &wires(&b), &result(&c)).is_err());
        // The default goes column by column.
        let before = (at % columns * rows + at / columns) as u64;
        let error = Evaluator::new().assert_matrix_product(shape, &a, &b, &c).expect_err("false");
        prop_assert_eq!(error, Error::Unsatisfied { assertion: before, place: "the statement".into() });
    }

    #[test]
    fn linear_claims_hold_folded_or_not(
        matrix in prop::collection::vec(any_element(), 4 * VARIABLES),
        x in any_point(),
        public in prop::collection::vec(any::<bool>(), VARIABLES),
        row in 0..4_usize,
    ) {
        let mut t: Vec<F61> = matrix
            .chunks(VARIABLES)
            .map(|row| row.iter().zip(&x).fold(F61::ZERO, |sum, (a, x)| sum + *a * *x))
            .collect();
        let folded: Vec<_> = x
            .iter()
            .zip(&public)
            .map(|(&x, &public)| if public { Folded::Constant(x) } else { Folded::Wire(x) })
            .collect();
        let record = |t: &[F61]| {
            let mut recorder = Recorder::new();
            let inputs = recorder.input("x", VARIABLES as u32, false).expect("few");
            recorder.assert_linear(&matrix, &inputs, t).expect("records");
            recorder.finish(&[]).expect("sound")
        };
        let mut evaluator = Evaluator::new();
        evaluator.assert_linear(&matrix, &x, &t).expect("true");
        Fold::new(&mut evaluator).assert_linear(&matrix, &folded, &t).expect("true");
        record(&t).run(&mut evaluator, x.clone()).expect("true");
        t[row] += F61::ONE;
        let error = Evaluator::new().assert_linear(&matrix, &x, &t).expect_err("false");
        prop_assert_eq!(error, Error::Unsatisfied { assertion: row as u64, place: "the statement".into() });
        prop_assert!(Fold::new(&mut evaluator).assert_linear(&matrix, &folded, &t).is_err());
        prop_assert!(record(&t).run(&mut evaluator, x).is_err());
    }

    #[test]
    fn batches_of_products_hold_folded_or_not(
        x in any_point(),
        y in any_point(),
        public in prop::collection::vec(any::<bool>(), 3 * VARIABLES),
        at in 0..VARIABLES,
    ) {
        let mut z: Vec<F61> = x.iter().zip(&y).map(|(x, y)| *x * *y).collect();
        let folded = |values: &[F61], public: &[bool]| -> Vec<Folded<F61, F61>> {
            let pairs = values.iter().zip(public);
            pairs.map(|(&x, &public)| if public { Folded::Constant(x) } else { Folded::Wire(x) }).collect()
        };
        let (fx, fy) = (folded(&x, &public), folded(&y, &public[VARIABLES..]));
        let mut evaluator = Evaluator::new();
        evaluator.assert_products(&x, &y, &z).expect("true");
        prop_assert_eq!(evaluator.assertions(), VARIABLES as u64);
        let mut fold = Fold::new(&mut evaluator);
        fold.assert_products(&fx, &fy, &folded(&z, &public[2 * VARIABLES..])).expect("true");
        z[at] += F61::ONE;
        prop_assert!(fold.assert_products(&fx, &fy, &folded(&z, &public[2 * VARIABLES..])).is_err());
        let error = Evaluator::new().assert_products(&x, &y, &z).expect_err("false");
        prop_assert_eq!(error, Error::Unsatisfied { assertion: at as u64, place: "the statement".into() });
    }
}

#[test]
fn a_large_matrix_product_is_counted_without_multiplying() {
    let n = 1024;
    let mut counter = Counter::<F61>::new();
    let wires = vec![0; n * n];
    counter.assert_matrix_product(MatrixShape::square(n), &wires, &wires, &wires).expect("counts");
    let total = counter.total();
    assert_eq!((total.dot_terms, total.assertions), (1 << 30, 1 << 20));
    assert_eq!((total.multiplications, counter.depth()), (0, 1));
}

#[test]
fn operands_of_the_wrong_size_are_misuse() {
    let (l, shape) = (F61::ONE, MatrixShape::square(2));
    assert!(matches!(shape.check(4, 4, 3), Err(Error::Misuse(_))));
    assert!(matches!(MatrixShape::square(usize::MAX).check(1, 1, 1), Err(Error::Misuse(_))));
    let misuse = |result: Result<(), Error>| assert!(matches!(result, Err(Error::Misuse(_))));
    misuse(Evaluator::new().assert_products(&[l], &[l], &[]));
    misuse(Counter::<F61>::new().assert_products(&[0], &[], &[0]));
    misuse(Fold::new(&mut Evaluator::new()).assert_products(&[Folded::Wire(l)], &[], &[]));
    misuse(Evaluator::new().assert_linear(&[l, l, l], &[l, l], &[l]));
    misuse(Counter::<F61>::new().assert_linear(&[l, l], &[0], &[l]));
    misuse(Evaluator::new().assert_dot(&[l], &[], &l));
    misuse(Counter::<F61>::new().assert_matrix_product(shape, &[0; 4], &[0; 3], &[0; 4]));
}

#[test]
fn expressions_work_over_bits_too() {
    let (o, l) = (F2::ZERO, F2::ONE);
    // Majority of three bits.
    for bits in [[o, o, o], [l, o, o], [l, l, o], [l, l, l]] {
        let expected = F2::new(bits.iter().filter(|bit| bit.to_bool()).count() >= 2);
        let mut evaluator = Evaluator::new();
        let [a, b, c] = bits.map(|bit| evaluator.poly(&bit));
        let (left, right) = (evaluator.poly_add(&a, &c), evaluator.poly_add(&b, &c));
        let product = evaluator.poly_mul(&left, &right).expect("2");
        let majority = evaluator.poly_add(&product, &c);
        let difference = evaluator.poly_add_constant(&majority, -expected);
        evaluator.assert_poly_zero(&[difference]).expect("true");
    }
}
