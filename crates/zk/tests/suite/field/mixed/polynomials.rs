//! Polynomials over bits in mixed proofs: their blocks end in the midst of elements that P holds back.

use volery_circuit::{Convert, Digest, Ops, Polynomials, Prove, Statement};
use volery_field::{F2, F61, F61x2};

use super::honest::says_the_same;
use super::parties::Run;
use super::reference::Lie;
use crate::field::parties::wrong;

/// These bits are committed to, and the product of each three neighbours; there are so many ones among the
/// products: counted in the field. An element goes with each product.
struct Triples {
    bits: Vec<bool>,
    /// This product is committed to as the other bit.
    off: Option<usize>,
}

impl Triples {
    fn of(n: usize) -> Self {
        Self { bits: (0..n).map(|i| i * i % 11 < 8).collect(), off: None }
    }

    /// The products as they are committed to.
    fn products(&self) -> Vec<bool> {
        let products = self.bits.windows(3).map(|three| three.iter().all(|bit| *bit)).enumerate();
        products.map(|(i, product)| product ^ (self.off == Some(i))).collect()
    }
}

impl<B: Convert<F61> + Polynomials<F2>> Statement<B> for Triples {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: triples").number("bits", self.bits.len() as u64);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let products = self.products();
        let bits = |bits: &[bool]| Ok(bits.iter().map(|bit| F2::new(*bit)).collect::<Vec<F2>>());
        let x = Prove::<F2>::secret(b, self.bits.len(), &mut |_| bits(&self.bits))?;
        let z = Prove::<F2>::secret(b, products.len(), &mut |_| bits(&products))?;
        for (i, (x, z)) in x.windows(3).zip(&z).enumerate() {
            Prove::<F61>::secret(b, 1, &mut |_| Ok(vec![F61::new(i as u64)]))?;
            let mut product = Polynomials::<F2>::poly(b, &x[0]);
            for x in &x[1..] {
                let factor = Polynomials::<F2>::poly(b, x);
                product = Polynomials::<F2>::poly_mul(b, &product, &factor)?;
            }
            let z = Polynomials::<F2>::poly(b, z);
            let claim = Polynomials::<F2>::poly_add(b, &product, &z);
            Polynomials::<F2>::assert_poly_zero(b, &[claim])?;
        }
        let ones = products.iter().filter(|product| **product).count() as u64;
        let mut sum = Ops::<F61>::constant(b, -F61::new(ones));
        for element in b.convert_bits(&z)? {
            sum = Ops::<F61>::add(b, &sum, &element);
        }
        Prove::<F61>::assert_zero(b, &[sum])
    }
}

#[test]
fn polynomials_over_bits_are_proved_beside_elements_wherever_blocks_end() {
    for fiat_shamir in [false, true] {
        for interval in [1 << 17, 50, 3] {
            for waits in [false, true] {
                let run = Run { waits, ..Run::new(interval, fiat_shamir) };
                let (p, v) = run.honest::<F61, F61x2, _>(&Triples::of(90), &Triples::of(90));
                let [bits, elements] = v.expect("accepts");
                assert_eq!(p, Ok([bits, elements]), "{run:?}");
                assert_eq!((bits.polynomials, bits.degree, bits.multiplications), (88, 3, 0));
            }
        }
    }
}

#[test]
fn the_plain_prover_of_polynomials_over_bits_says_the_same_byte_for_byte() {
    for fiat_shamir in [false, true] {
        for interval in [1 << 17, 50] {
            says_the_same::<F61x2, _>(Run::new(interval, fiat_shamir), &Triples::of(60));
        }
    }
}

#[test]
fn a_product_of_bits_that_is_wrong_is_rejected_wherever_it_stands() {
    for fiat_shamir in [false, true] {
        for interval in [1 << 17, 50] {
            for off in [0, 29, 57] {
                let claim = Triples { off: Some(off), ..Triples::of(60) };
                let run = Run::new(interval, fiat_shamir);
                assert_eq!(run.answer::<F61x2, _>(&claim, Lie::GoOn), wrong(), "{run:?} {off}");
                assert!(run.honest::<F61, F61x2, _>(&claim, &claim).0.is_err(), "{run:?} {off}");
            }
        }
    }
}
