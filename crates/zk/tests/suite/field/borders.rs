//! Claims at the borders of blocks, of frames and of what is summed at once; claims about nothing.

use std::marker::PhantomData;

use volery_circuit::{Digest, Error as CircuitError, MatrixShape, Polynomial, Polynomials, Statement};
use volery_field::{F61, F61x2, Gf128, Gf256, Mac, Value};
use volery_testing::{between, every_kind_of_pair};
use volery_zk::Error;

use crate::field::claims::{Part, Program};
use crate::field::parties::{Run, not_zero, wrong};
use crate::field::reference::Lie;

/// Elements of a frame, relations that V sums at once, and coefficients expanded at once: all of them 1024.
const PIECE: u64 = 1 << 10;

#[test]
fn every_length_of_blocks_accepts_what_is_true_and_rejects_what_is_not() {
    for interval in (0..=20).chain([31, 32, 33, 64, 100]) {
        for fiat_shamir in [false, true] {
            let run = Run::new(interval, fiat_shamir);
            let (p, v) = run.honest::<F61, F61>(&Program::of(&Part::ALL));
            assert_eq!(p.unwrap(), v.unwrap(), "{run:?}");
            if interval == 0 {
                // As 1; the plain prover does not know that.
                continue;
            }
            for part in
                [Part::Products(7), Part::Dot(2), Part::Polynomial(3), Part::Matrix(MatrixShape::square(2))]
            {
                assert_eq!(
                    run.answer::<F61, F61>(&Program::wrong(part), Lie::GoOn),
                    wrong(),
                    "{run:?} {part:?}"
                );
            }
            for product in [0, 3, 8] {
                let program = Program::of(&[Part::Gates(9)]);
                assert_eq!(run.answer::<F61, F61>(&program, Lie::Product(product)), wrong(), "{run:?}");
            }
        }
    }
}

/// One wrong product out of many, wherever it stands.
fn caught<F: Value, M: Mac<F>>(interval: u64, count: u64, product: u64) {
    for fiat_shamir in [false, true] {
        let run = Run::new(interval as usize, fiat_shamir);
        let v = run.answer::<F, M>(&Program::of(&[Part::Gates(count as usize)]), Lie::Product(product));
        assert_eq!(v, wrong(), "{} {run:?}: product {product} of {count}", F::NAME);
    }
}

#[test]
fn a_wrong_product_is_rejected_around_the_borders_of_pieces() {
    for count in [PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 1] {
        for product in [0, PIECE - 2, PIECE - 1, PIECE, PIECE + 1, count - 1] {
            if product < count {
                caught::<F61, F61>(1 << 17, count, product);
                caught::<Gf256, Gf128>(1 << 17, count, product);
            }
        }
    }
    for product in [2 * PIECE - 1, 2 * PIECE, 2 * PIECE + 1] {
        caught::<F61, F61x2>(1 << 17, 2 * PIECE + 2, product);
    }
}

/// Two secrets go before the products, and each product takes two places.
#[test]
fn a_wrong_product_is_rejected_around_the_borders_of_blocks() {
    for interval in [2 * PIECE - 1, 2 * PIECE, 2 * PIECE + 1] {
        let border = (interval - 2) / 2;
        for product in border - 2..=border + 2 {
            caught::<F61, F61>(interval, border + 3, product);
        }
        caught::<F61, F61>(interval, border + 1, border);
    }
}

/// The same for multiplications at once, which go in pieces of their own.
#[test]
fn a_wrong_product_of_many_at_once_is_rejected_around_the_borders_of_pieces_and_blocks() {
    for interval in [255, 256, 257, 511, 512, 513, 1 << 11, 1 << 17] {
        for fiat_shamir in [false, true] {
            let run = Run::new(interval, fiat_shamir);
            let program = Program::of(&[Part::Polynomial(3), Part::ManyGates(700), Part::Gates(3)]);
            let (p, v) = run.honest::<F61, F61>(&program);
            assert_eq!(p.unwrap(), v.unwrap(), "{run:?}");
            for product in [0, 127, 128, 254, 255, 256, 257, 511, 512, 699, 700] {
                let v = run.answer::<F61, F61>(&program, Lie::Product(product));
                assert_eq!(v, wrong(), "{run:?} {product}");
            }
        }
    }
}

/// Polynomials of degree 2 count among the products, and may be what fills a piece.
#[test]
fn polynomials_of_degree_two_among_products_are_added_up_in_their_places() {
    for part in [Part::Polynomial(2), Part::OneOf(2)] {
        for gates in PIECE - 3..=PIECE {
            let program = Program::of(&[Part::Gates(gates as usize), part, Part::Gates(4)]);
            for fiat_shamir in [false, true] {
                let run = Run::new(1 << 17, fiat_shamir);
                let (p, v) = run.honest::<F61, F61>(&program);
                assert_eq!(p.unwrap(), v.unwrap(), "{run:?} {gates} {part:?}");
            }
        }
    }
}

/// Commitments that fill frames and blocks to the last element; the last one is wrong.
#[test]
fn a_wrong_element_is_rejected_around_the_borders_of_frames() {
    for pairs in [PIECE / 2 - 1, PIECE / 2, PIECE / 2 + 1, PIECE] {
        for interval in [PIECE - 1, PIECE, PIECE + 1, 1 << 17] {
            let run = Run::new(interval as usize, false);
            let program = Program::of(&[Part::Equal(pairs as usize)]);
            assert!(run.honest::<F61, F61>(&program).1.is_ok(), "{run:?} {pairs}");
            for commitment in [0, pairs - 1, 2 * pairs - 1] {
                assert_eq!(
                    run.answer::<F61, F61>(&program, Lie::Correction(commitment)),
                    not_zero(),
                    "{run:?} {pairs} {commitment}"
                );
            }
        }
    }
}

/// A claim about nothing, or a public one, which both parties judge for themselves.
#[derive(Clone, Copy, Debug)]
enum Nothing {
    /// Every kind of claim without a wire.
    Empty,
    /// `0 = z` as an inner product of no pairs.
    Dot(bool),
    /// A product of matrices without inner dimension, which is zero: claimed to be something else, or not.
    Matrix(bool),
    /// `() = t`.
    Linear(bool),
    /// A public constant.
    Constant(bool),
    /// A wire out of an empty set.
    EmptySet,
    /// Products of lists that are not equally long.
    Lengths,
}

struct About<F>(Nothing, PhantomData<fn() -> F>);

impl<F: Value, B: Polynomials<F>> Statement<B> for About<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", format!("test: {:?}", self.0).as_bytes());
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let value = |holds: bool| if holds { F::ZERO } else { F::ONE };
        match self.0 {
            Nothing::Empty => {
                assert!(b.secret(0, &mut |_| Ok(vec![]))?.is_empty());
                b.assert_zero(&[])?;
                b.assert_products(&[], &[], &[])?;
                b.assert_linear(&[], &[], &[])?;
                b.assert_one_of(&[], &[F::ZERO])?;
                b.assert_poly_zero(&[])?;
                b.assert_polynomial(&Polynomial::default(), &[])?;
                for (rows, inner, columns) in [(0, 0, 0), (0, 3, 0), (0, 0, 3)] {
                    let shape = MatrixShape { rows, inner, columns };
                    b.assert_matrix_product(shape, &[], &[], &[])?;
                }
                Ok(())
            }
            Nothing::Dot(holds) => {
                let z = b.secret(1, &mut |_| Ok(vec![value(holds)]))?;
                b.assert_dot(&[], &[], &z[0])
            }
            Nothing::Matrix(holds) => {
                let c = b.secret(4, &mut |_| Ok(vec![F::ZERO, F::ZERO, F::ZERO, value(holds)]))?;
                b.assert_matrix_product(MatrixShape { rows: 2, inner: 0, columns: 2 }, &[], &[], &c)
            }
            Nothing::Linear(holds) => b.assert_linear(&[], &[], &[F::ZERO, value(holds)]),
            Nothing::Constant(holds) => {
                let constant = b.poly_constant(value(holds));
                b.assert_poly_zero(&[constant])
            }
            Nothing::EmptySet => {
                let x = b.secret(1, &mut |_| Ok(vec![F::ZERO]))?;
                b.assert_one_of(&x, &[])
            }
            Nothing::Lengths => {
                let x = b.secret(2, &mut |_| Ok(vec![F::ZERO; 2]))?;
                b.assert_products(&x, &x[..1], &x)
            }
        }
    }
}

fn claims_about_nothing<F: Value, M: Mac<F>>() {
    use Nothing::{Constant, Dot, Empty, EmptySet, Lengths, Linear, Matrix};
    for fiat_shamir in [false, true] {
        for interval in [1, 3, 100] {
            let run = Run::new(interval, fiat_shamir);
            let about = |nothing| About::<F>(nothing, PhantomData);
            for holds in [Empty, Dot(true), Matrix(true), Linear(true), Constant(true)] {
                let (p, v) = run.honest::<F, M>(&about(holds));
                assert_eq!(p.unwrap(), v.unwrap(), "{run:?} {holds:?}");
                let v = run.answer::<F, M>(&about(holds), Lie::GoOn);
                assert!(v.is_ok(), "{run:?} {holds:?}: {v:?}");
            }
            for fails in [Dot(false), Matrix(false)] {
                assert_eq!(run.answer::<F, M>(&about(fails), Lie::GoOn), wrong(), "{run:?} {fails:?}");
            }
            for fails in [Linear(false), Constant(false)] {
                let v = run.answer::<F, M>(&about(fails), Lie::GoOn);
                assert!(
                    matches!(v, Err(Error::Statement(CircuitError::Misuse(_)))),
                    "{run:?} {fails:?}: {v:?}"
                );
            }
            for fails in [Dot(false), Matrix(false), Linear(false), Constant(false)] {
                let (p, v) = run.honest::<F, M>(&about(fails));
                assert!(
                    matches!(p, Err(Error::Statement(CircuitError::Unsatisfied { .. }))),
                    "{fails:?}: {p:?}"
                );
                assert!(v.is_err());
            }
            for misuse in [EmptySet, Lengths] {
                let (p, v) = run.honest::<F, M>(&about(misuse));
                for result in [p, v] {
                    assert!(
                        matches!(result, Err(Error::Statement(CircuitError::Misuse(_)) | Error::Channel(_))),
                        "{misuse:?}: {result:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn claims_about_nothing_are_true_or_false_like_all_others() {
    every_kind_of_pair!(claims_about_nothing());
}

/// A statement that goes on after an error has not the last word.
struct Careless;

impl<B: Polynomials<F61>> Statement<B> for Careless {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: careless");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(2, &mut |_| Ok(vec![F61::new(0); 2]))?;
        assert!(b.assert_dot(&x, &x[..1], &x[0]).is_err());
        Ok(())
    }
}

#[test]
fn an_error_that_a_statement_ignores_is_still_one() {
    let run = Run::new(100, false);
    let (p, v) = between(
        |p| run.prove::<F61, F61>(&Program::of(&[Part::Equal(1)]), p),
        |v| run.verify::<F61, F61>(&Careless, v),
    );
    assert!(p.is_err());
    assert!(matches!(v, Err(Error::Statement(CircuitError::Misuse(_)))), "{v:?}");
    let (p, _) = between(
        |p| run.prove::<F61, F61>(&Careless, p),
        |v| run.verify::<F61, F61>(&Program::of(&[Part::Equal(1)]), v),
    );
    assert!(matches!(p, Err(Error::Statement(CircuitError::Misuse(_)))), "{p:?}");
}
