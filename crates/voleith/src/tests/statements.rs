//! Small statements that use everything that a backend over bits has.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use volery_circuit::{Digest, Error, Polynomials, Prove, Statement};
use volery_field::F2;

fn bits(witness: Option<&[bool]>) -> Result<Vec<F2>, Error> {
    let bits = witness.ok_or_else(|| Error::Witness("none was given".into()))?;
    Ok(bits.iter().copied().map(F2::new).collect())
}

/// "I know bits of which each product of neighbours, added up, makes `parity`": one AND less than bits. With
/// a bound on how many wires are asserted, for shapes of all sizes.
pub(super) struct Chain {
    pub(super) secrets: usize,
    pub(super) ands: usize,
    pub(super) parity: bool,
    pub(super) witness: Option<Vec<bool>>,
}

impl Chain {
    pub(super) fn of(secrets: usize, ands: usize) -> Self {
        let witness: Vec<bool> = (0..secrets).map(|i| i * i % 7 < 4).collect();
        let mut chain = Self { secrets, ands, parity: false, witness: None };
        chain.parity = chain.value(&witness);
        chain.witness = Some(witness);
        chain
    }

    fn value(&self, x: &[bool]) -> bool {
        let Some(first) = x.first() else { return false };
        let mut last = *first;
        let mut sum = *first;
        for i in 0..self.ands {
            last = (last && x[i % x.len()]) ^ x[(i + 1) % x.len()];
            sum ^= last;
        }
        sum
    }

    /// The public side.
    pub(super) fn claim(&self) -> Self {
        Self { witness: None, ..*self }
    }
}

impl<B: Prove<F2>> Statement<B> for Chain {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: chain").number("secrets", self.secrets as u64);
        digest.number("ands", self.ands as u64).number("parity", self.parity.into());
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(self.secrets, &mut |_| bits(self.witness.as_deref()))?;
        let mut sum = b.constant(F2::new(self.parity));
        if let Some(first) = x.first() {
            sum = b.add(&sum, first);
            let mut last = first.clone();
            for i in 0..self.ands {
                let product = b.mul(&last, &x[i % x.len()])?;
                last = b.add(&product, &x[(i + 1) % x.len()]);
                sum = b.add(&sum, &last);
            }
        }
        b.assert_zero(&[sum])
    }
}

/// `x y z + x + 1`, `x y + z` and more vanish at three bits: polynomials of degrees 1, 2 and 3.
pub(super) struct Cubic(pub(super) Option<[bool; 3]>);

impl<B: Polynomials<F2>> Statement<B> for Cubic {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: cubic");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(3, &mut |_| bits(self.0.as_ref().map(|x| &x[..])))?;
        let [p, q, r] = [0, 1, 2].map(|i| b.poly(&x[i]));
        let pq = b.poly_mul(&p, &q)?;
        let pqr = b.poly_mul(&pq, &r)?;
        let shifted = b.poly_add_constant(&pqr, F2::ONE);
        let quadratic = b.poly_add(&pq, &r);
        let scaled = b.poly_scale(&quadratic, F2::ONE);
        let linear = b.poly_add(&p, &q);
        b.assert_poly_zero(&[shifted, scaled, linear])
    }
}

/// A bit that I know is zero, beside a constant that the digest does not have.
pub(super) struct Forgetful {
    pub(super) unnamed: bool,
}

impl<B: Prove<F2>> Statement<B> for Forgetful {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: forgetful");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(1, &mut |_| Ok(vec![F2::ZERO]))?;
        b.constant(F2::new(self.unnamed));
        b.assert_zero(&x)
    }
}

/// A hint that gives another bit each time.
pub(super) struct Fickle(pub(super) AtomicBool);

impl<B: Prove<F2>> Statement<B> for Fickle {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: fickle");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(1, &mut |_| Ok(vec![F2::new(self.0.fetch_xor(true, Ordering::Relaxed))]))?;
        let zero = b.add(&x[0], &x[0]);
        b.assert_zero(&[zero])
    }
}

/// A zero, or two of them when it is run again.
pub(super) struct Growing(pub(super) AtomicUsize);

impl<B: Prove<F2>> Statement<B> for Growing {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: growing");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let n = 1 + self.0.fetch_add(1, Ordering::Relaxed).min(1);
        let x = b.secret(n, &mut |_| Ok(vec![F2::ZERO; n]))?;
        b.assert_zero(&x)
    }
}

/// Nothing is claimed.
pub(super) struct Silent;

impl<B: Prove<F2>> Statement<B> for Silent {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: silent");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        b.secret(1, &mut |_| Ok(vec![F2::ZERO])).map(drop)
    }
}

/// A secret zero under a name of its own: statements with one program.
pub(super) struct Named(pub(super) u64);

impl<B: Prove<F2>> Statement<B> for Named {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: named").number("name", self.0);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(1, &mut |_| Ok(vec![F2::ZERO]))?;
        b.assert_zero(&x)
    }
}

/// This many secret zeros; the product of the first three is claimed to vanish.
pub(super) struct Product(pub(super) usize);

impl<B: Polynomials<F2>> Statement<B> for Product {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: product").number("secrets", self.0 as u64);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(self.0, &mut |_| Ok(vec![F2::ZERO; self.0]))?;
        let [p, q, r] = [0, 1, 2].map(|i| b.poly(&x[i]));
        let pq = b.poly_mul(&p, &q)?;
        let pqr = b.poly_mul(&pq, &r)?;
        b.assert_poly_zero(&[pqr])
    }
}

/// Two constants, and claims about them that hold or do not: the statement that a P has proved, and the one
/// that it wants to have proved. Counts and constants are the same.
#[derive(Clone, Copy)]
pub(super) struct Claims {
    /// That a committed zero is the product of these constants.
    pub(super) factor: F2,
    /// That this constant is zero.
    pub(super) zero: F2,
    /// That this polynomial of degree 0 vanishes. What V says to that is ignored.
    pub(super) constant: F2,
}

impl Claims {
    pub(super) const TRUE: Self = Self { factor: F2::ZERO, zero: F2::ZERO, constant: F2::ZERO };
}

impl<B: Polynomials<F2>> Statement<B> for Claims {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: claims about constants");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let [zero, one] = [F2::ZERO, F2::ONE].map(|c| b.constant(c));
        let factor = if self.factor == F2::ONE { &one } else { &zero };
        b.mul(factor, factor)?;
        let constants = [F2::ZERO, F2::ONE].map(|c| b.poly_constant(c));
        let _ignored = b.assert_poly_zero(&constants[usize::from(self.constant.to_u8())..][..1]);
        b.assert_zero(&[if self.zero == F2::ONE { one } else { zero }])
    }
}

/// More polynomials in a zero, of degrees 2 and 3 in turns, than wait at once. The digest does not say where
/// one in a secret one stands among them.
pub(super) struct Many {
    pub(super) wrong: Option<usize>,
}

impl<B: Polynomials<F2>> Statement<B> for Many {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: many polynomials");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(2, &mut |_| Ok(vec![F2::ZERO, F2::ONE]))?;
        let [p, q] = [0, 1].map(|i| b.poly(&x[i]));
        let [square, wrong] = [b.poly_mul(&p, &p)?, b.poly_mul(&q, &q)?];
        let cube = b.poly_mul(&square, &p)?;
        for i in 0..80_000 {
            let first = if self.wrong == Some(i) { &wrong } else { &square };
            b.assert_poly_zero(core::slice::from_ref(first))?;
            b.assert_poly_zero(core::slice::from_ref(&cube))?;
        }
        Ok(())
    }
}
