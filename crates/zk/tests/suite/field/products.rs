//! Claims of many products, which both parties make at once.

use volery_circuit::{Digest, Polynomials, Statement};
use volery_field::{Bn254Scalar, F61, F61x2, Mac, Ring, Value};
use volery_testing::{Sent, Tap, between};
use volery_zk::Error;

use crate::field::claims::{Part, Program};
use crate::field::parties::Run;
use crate::field::reference::Lie;

/// What the real prover sends, or the plain one, which makes one claim after another.
fn sent<F: Value, M: Mac<F>>(run: Run, program: &Program<F>, real: bool) -> Sent {
    let (sent, v) = between(
        |p| {
            let mut tap = Tap::recorder(p);
            let p = if real {
                run.prove::<F, M>(program, &mut tap)
            } else {
                run.lie::<F, M>(program, (Lie::GoOn, None), &mut tap)
            };
            p.map(|_| tap.layer.sent)
        },
        |v| run.verify::<F, M>(program, v),
    );
    v.unwrap();
    sent.unwrap()
}

/// Across the borders of blocks, of what P claims at once and of what V adds up at once.
#[test]
fn many_products_are_claimed_as_if_one_by_one() {
    let parts = [Part::Products(1500), Part::Gates(3), Part::Products(300)];
    for run in [Run::new(1 << 17, false), Run::new(700, false), Run::new(7, true)] {
        let program = Program::of(&parts);
        let [real, plain] = [true, false].map(|real| sent::<F61, F61x2>(run, &program, real));
        assert!(real == plain, "{run:?}");
        let program = Program::of(&parts);
        let [real, plain] = [true, false].map(|real| sent::<Bn254Scalar, Bn254Scalar>(run, &program, real));
        assert!(real == plain, "{run:?}");
    }
}

/// Claims of 600 squares, of which these are false.
struct Squares(&'static [usize]);

impl<B: Polynomials<Bn254Scalar>> Statement<B> for Squares {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: squares");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let values: Vec<_> = (0..600).map(Bn254Scalar::from_u64).collect();
        let mut squares: Vec<_> = values.iter().map(|x| *x * *x).collect();
        self.0.iter().for_each(|i| squares[*i] += Bn254Scalar::ONE);
        let x = b.secret(values.len(), &mut |_| Ok(values.clone()))?;
        let z = b.secret(values.len(), &mut |_| Ok(squares.clone()))?;
        b.assert_products(&x, &x, &z)
    }
}

#[test]
fn the_first_false_product_among_many_is_named() {
    for wrong in [&[0, 1][..], &[7, 599], &[255, 256], &[256, 400], &[599]] {
        for interval in [7, 700, 1 << 17] {
            let (p, _) = Run::new(interval, false).honest::<Bn254Scalar, Bn254Scalar>(&Squares(wrong));
            let Err(Error::Statement(volery_circuit::Error::Unsatisfied { assertion, .. })) = p else {
                panic!("{wrong:?}: {p:?}")
            };
            assert_eq!(assertion, wrong[0] as u64, "a block of {interval}");
        }
    }
}
