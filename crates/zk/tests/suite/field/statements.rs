//! The statements that come with the system, proved as they are and by provers that have no witness.

use std::sync::Arc;

use volery_channel::tags;
use volery_circuit::MatrixShape;
use volery_circuit::r1cs::{Assignment, Builder, Counts, PrimeField, R1cs, R1csStatement, sample};
use volery_circuit::statements::{InnerProduct, MatrixProduct, Mul32, Short, Sis};
use volery_field::{Bn254Scalar, F32, F32x4, F61, F61x2, Gf128, Gf256, Mac, Value};
use volery_testing::every_kind_of_pair;
use volery_zk::Error;

use crate::field::bits_as_elements::OverBytes;
use crate::field::claims::Claim;
use crate::field::parties::{Both, Run, not_zero, wrong};
use crate::field::reference::Lie;

const RUNS: [Run; 3] = [Run::new(1 << 17, false), Run::new(1 << 17, true), Run::new(23, false)];

const SEED: [u8; 32] = [3; 32];

/// P proves `proved`, whatever its witness is worth, to a V that believes in `claimed`.
fn goes_on<F: Value, M: Mac<F>>(run: Run, proved: &impl Claim<F, M>, claimed: &impl Claim<F, M>) -> Both {
    run.lying::<F, M>(proved, claimed, (Lie::GoOn, None))
}

fn is_accepted<F: Value, M: Mac<F>>(run: Run, claim: &impl Claim<F, M>) {
    let (p, v) = run.honest::<F, M>(claim);
    assert_eq!(p.unwrap(), v.unwrap(), "{} {run:?}", F::NAME);
    let (_, v) = goes_on(run, claim, claim);
    assert!(v.is_ok(), "{} {run:?}: {v:?}", F::NAME);
}

fn signed<F: Value>(n: i64) -> F {
    let magnitude = F::from_u64(n.unsigned_abs());
    if n < 0 { -magnitude } else { magnitude }
}

const ROWS: usize = 3;
const SOLUTIONS: [(Short, [i64; 8]); 4] = [
    (Short::Binary, [0, 1, 1, 0, 1, 0, 0, 1]),
    (Short::Within(1), [0, 1, -1, 0, -1, 0, -1, 1]),
    (Short::Within(2), [2, 1, -1, 0, -2, 0, -1, 1]),
    (Short::Within(3), [3, 1, -3, 0, -2, 3, -1, 2]),
];

/// The claim, and the same with this solution, for a target that is or is not its image.
fn sis<F: Value>(short: Short, solution: &[i64], target: &[i64]) -> Sis<F> {
    let elements = |values: &[i64]| values.iter().map(|&n| signed(n)).collect::<Vec<F>>();
    let empty = Sis::<F>::new(solution.len(), short, SEED, vec![F::ZERO; ROWS]).expect("small");
    let target = empty.image(&elements(target));
    let claim = Sis::new(solution.len(), short, SEED, target).expect("small");
    claim.with_solution(elements(solution)).expect("an entry a column")
}

fn sis_claims<F: Value, M: Mac<F>>() {
    for run in RUNS {
        for (short, solution) in SOLUTIONS {
            is_accepted::<F, M>(run, &sis(short, &solution, &solution));
            let bound = match short {
                Short::Binary => 1,
                Short::Within(bound) => i64::from(bound),
            };
            // The least entries that are too long, anywhere, with the target that they give.
            for at in [0, 4, 7] {
                for entry in [bound + 1, if short == Short::Binary { -1 } else { -bound - 1 }] {
                    let mut long = solution;
                    long[at] = entry;
                    let claim = sis::<F>(short, &long, &long);
                    let (_, v) = goes_on::<F, M>(run, &claim, &claim);
                    assert_eq!(v, wrong(), "{} {run:?} {short:?}: {entry} at {at}", F::NAME);
                }
                // A short vector that is no solution.
                let mut other = solution;
                other[at] = i64::from(other[at] == 0);
                let (_, v) =
                    goes_on::<F, M>(run, &sis(short, &other, &solution), &sis(short, &other, &solution));
                assert_eq!(v, not_zero(), "{} {run:?} {short:?}: another at {at}", F::NAME);
            }
        }
        // Another matrix at V.
        let (short, solution) = SOLUTIONS[1];
        let honest = sis::<F>(short, &solution, &solution);
        let other = Sis::new(8, short, [4; 32], honest.image(&solution.map(signed::<F>))).expect("small");
        assert!(run.lying::<F, M>(&honest, &other, (Lie::GoOn, None)).1.is_err(), "{run:?}");
    }
}

#[test]
fn short_solutions_are_accepted_and_long_or_wrong_ones_rejected() {
    sis_claims::<F32, F32x4>();
    sis_claims::<F61, F61>();
    #[cfg(feature = "every-field")]
    {
        sis_claims::<F61, F61x2>();
        sis_claims::<Bn254Scalar, Bn254Scalar>();
    }
}

fn values<F: Value>(n: usize) -> Vec<F> {
    (0..n).map(|i| F::digit((37 * i + 11) as u8)).collect()
}

fn inner_products<F: Value, M: Mac<F>>() {
    let (x, y) = (values::<F>(9), values::<F>(18).split_off(9));
    let product = x.iter().zip(&y).fold(F::ZERO, |sum, (x, y)| sum + *x * *y);
    let claim = |product| {
        let claim = InnerProduct::new(9, product).expect("short");
        claim.with_vectors(x.clone(), y.clone()).expect("of the right length")
    };
    for run in RUNS {
        is_accepted::<F, M>(run, &claim(Some(product)));
        is_accepted::<F, M>(run, &claim(None));
        let off = claim(Some(product + F::ONE));
        assert_eq!(goes_on::<F, M>(run, &off, &off).1, wrong(), "{}", F::NAME);
        // The public product is V's, not P's.
        let (_, v) = goes_on::<F, M>(run, &claim(Some(product)), &claim(Some(product + F::ONE)));
        assert_eq!(v, wrong(), "{}", F::NAME);
        for secret in 0..19 {
            assert!(run.answer::<F, M>(&claim(None), Lie::Secret(secret)).is_err(), "{secret}");
        }
        for secret in 0..18 {
            assert_eq!(run.answer::<F, M>(&claim(Some(product)), Lie::Secret(secret)), wrong(), "{secret}");
        }
    }
}

fn matrix_products<F: Value, M: Mac<F>>() {
    let shape = MatrixShape { rows: 2, inner: 3, columns: 4 };
    let (a, b) = (values::<F>(6), values::<F>(18).split_off(6));
    let claim = |product: Option<Vec<F>>| {
        let claim = MatrixProduct::new(shape, product).expect("small");
        claim.with_factors(a.clone(), b.clone()).expect("of the right sizes")
    };
    let product = claim(None).product().expect("computed").to_vec();
    for run in RUNS {
        is_accepted::<F, M>(run, &claim(Some(product.clone())));
        is_accepted::<F, M>(run, &claim(None));
        for entry in 0..product.len() {
            let mut off = product.clone();
            off[entry] += F::ONE;
            let off = claim(Some(off));
            assert_eq!(goes_on::<F, M>(run, &off, &off).1, wrong(), "{} entry {entry}", F::NAME);
            let v = goes_on::<F, M>(run, &claim(Some(product.clone())), &off).1;
            assert_eq!(v, wrong(), "{} entry {entry}", F::NAME);
        }
        // The factors' entries come first, then those of a secret product.
        for secret in 0..18 + 8 {
            assert_eq!(run.answer::<F, M>(&claim(None), Lie::Secret(secret)), wrong(), "secret {secret}");
        }
    }
}

#[test]
fn inner_products_that_are_off_by_one_are_rejected() {
    every_kind_of_pair!(inner_products());
}

#[test]
fn matrix_products_with_an_entry_off_by_one_are_rejected() {
    every_kind_of_pair!(matrix_products());
}

/// `x y = z`, `(x + 2) (z - i) = w`, `2 w + x = out`: wires 1, 2 are out and i; 3, 4, 5, 6 are x, y, z, w.
fn system<F: PrimeField>() -> (Arc<R1cs<F>>, Vec<F>) {
    let (one, two) = (F::ONE, F::from_u64(2));
    let counts = Counts { wires: 7, outputs: 1, public_inputs: 1, private_inputs: 2 };
    let mut builder = Builder::new(counts).expect("enough wires");
    let mut add =
        |a: &[(u32, F)], b: &[(u32, F)], c: &[(u32, F)]| builder.constraint(a, b, c).expect("wires");
    add(&[(3, one)], &[(4, one)], &[(5, one)]);
    add(&[(3, one), (0, two)], &[(5, one), (2, -one)], &[(6, one)]);
    add(&[(6, two), (3, one)], &[(0, one)], &[(1, one)]);
    let [x, y, i] = [5, 7, 11].map(F::from_u64);
    let z = x * y;
    let w = (x + two) * (z - i);
    (Arc::new(builder.finish()), vec![one, two * w + x, i, x, y, z, w])
}

/// P's statement with these values, and V's with those of its public wires that are right.
fn r1cs<F: PrimeField>(system: &Arc<R1cs<F>>, values: &[F]) -> R1csStatement<F> {
    let assignment = Assignment::new(values.to_vec()).expect("wire 0 is one");
    R1csStatement::prove(system.clone(), assignment).expect("a value for each wire")
}

fn systems<F: PrimeField, M: Mac<F>>() {
    let (system, values) = system::<F>();
    let right = r1cs(&system, &values);
    let with = |wire: usize, value: F| {
        let mut values = values.clone();
        values[wire] = value;
        r1cs(&system, &values)
    };
    for run in RUNS {
        is_accepted::<F, M>(run, &right);
        // A value off by one; the opening is looked at before the hash of the linear claims.
        for (wire, value) in values.iter().enumerate().skip(3) {
            let (_, v) = goes_on::<F, M>(run, &with(wire, *value + F::ONE), &right);
            assert_eq!(v, wrong(), "{} {run:?} wire {wire}", F::NAME);
        }
        // Only the linear constraint is violated: the output.
        let (_, v) = goes_on::<F, M>(run, &with(1, values[1] + F::ONE), &with(1, values[1] + F::ONE));
        assert_eq!(v, not_zero(), "{} {run:?}", F::NAME);
        // Public values that are P's and not V's, and the other way round.
        for (wire, expected) in [(1, not_zero()), (2, wrong())] {
            let other = with(wire, values[wire] + F::ONE);
            assert_eq!(
                goes_on::<F, M>(run, &right, &other).1,
                if run.fiat_shamir { wrong() } else { expected }
            );
        }
        let (p, v) = run.honest::<F, M>(&with(5, values[5] + F::ONE));
        assert!(matches!(p, Err(Error::Statement(volery_circuit::Error::Unsatisfied { .. }))), "{p:?}");
        assert!(v.is_err());
        for element in 0..4 {
            let v = run.answer::<F, M>(&right, Lie::NotCanonical(element));
            assert!(matches!(v, Err(Error::Malformed { step: tags::ELEMENTS, .. })), "{v:?}");
            assert!(run.answer::<F, M>(&right, Lie::Correction(element)).is_err());
        }
    }
}

#[test]
fn a_constraint_violated_by_one_a_public_value_changed_and_what_is_no_element_are_rejected() {
    systems::<Bn254Scalar, Bn254Scalar>();
    systems::<F61, F61>();
    systems::<F61, F61x2>();
}

/// A chain of constraints, longer than a batch of claims: every wire counts.
#[test]
fn no_value_of_a_larger_system_can_be_changed() {
    let (system, assignment) = sample::<Bn254Scalar>(5, 2200).expect("not too many");
    let (system, values) = (Arc::new(system), assignment.values().to_vec());
    let right = r1cs(&system, &values);
    let run = Run::new(1000, false);
    is_accepted::<Bn254Scalar, Bn254Scalar>(run, &right);
    let last = values.len() - 1;
    for wire in [7, 8, 1000, 1001, 2047, 2048, 2049, 2050, 2054, 2055, 2056, last - 1, last] {
        let mut values = values.clone();
        values[wire] += Bn254Scalar::from_u64(1);
        let (_, v) = goes_on::<Bn254Scalar, Bn254Scalar>(run, &r1cs(&system, &values), &right);
        assert_eq!(v, wrong(), "wire {wire}");
    }
}

fn mul32(products: &[u32], factors: &[[u32; 2]]) -> OverBytes<Mul32> {
    let claim = Mul32::new(products.to_vec()).with_factors(factors.to_vec().into());
    OverBytes(claim.expect("a pair for each product"))
}

#[test]
fn products_modulo_2_32_are_accepted_and_others_rejected() {
    let factors = [[0x8765_4321, 0xfedc_ba98], [u32::MAX, 3]];
    let products = factors.map(|[x, y]: [u32; 2]| x.wrapping_mul(y));
    for run in RUNS {
        is_accepted::<Gf256, Gf128>(run, &mul32(&products, &factors));
        for bit in [0, 31] {
            for number in 0..2 {
                let mut off = products;
                off[number] ^= 1 << bit;
                let claim = mul32(&off, &factors);
                assert_eq!(goes_on::<Gf256, Gf128>(run, &claim, &claim).1, not_zero(), "bit {bit}");
            }
        }
        // Factors, carries and results of the first product. (Carries are computed from the factors as
        // committed to.)
        for secret in (64..561).step_by(62) {
            let v = run.answer::<Gf256, Gf128>(&mul32(&products, &factors), Lie::Secret(secret));
            assert!(v.is_err_and(|error| error.is_rejection()), "secret {secret}");
        }
    }
}
