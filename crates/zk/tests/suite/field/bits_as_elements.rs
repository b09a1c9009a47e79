//! Bits as elements of GF(2^8) that are zero or one, so that statements with polynomials over bits can be
//! proved over a field that has them. Each bit is committed to as an element, and claimed to be a bit.

use volery_circuit::{Backend, Digest, Error, Hint, Ops, Peek, Polynomials, Prove, Statement};
use volery_field::{F2, Gf256, Ring};

/// A statement over bits, as one over bytes.
pub(crate) struct OverBytes<S>(pub(crate) S);

impl<B: Polynomials<Gf256>, S> Statement<B> for OverBytes<S>
where
    S: for<'b> Statement<BitsAsElements<'b, B>>,
{
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: over bytes");
        Statement::<BitsAsElements<'_, B>>::identify(&self.0, digest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.0.run(&mut BitsAsElements(b))
    }
}

pub(crate) struct BitsAsElements<'b, B>(&'b mut B);

fn element(bit: F2) -> Gf256 {
    if bit.to_bool() { Gf256::ONE } else { Gf256::ZERO }
}

impl<B: Backend> Backend for BitsAsElements<'_, B> {
    type Error = B::Error;
}

impl<B: Polynomials<Gf256>> Ops<F2> for BitsAsElements<'_, B> {
    type Wire = B::Wire;

    fn constant(&mut self, c: F2) -> B::Wire {
        self.0.constant(element(c))
    }

    fn add(&mut self, x: &B::Wire, y: &B::Wire) -> B::Wire {
        self.0.add(x, y)
    }

    fn sub(&mut self, x: &B::Wire, y: &B::Wire) -> B::Wire {
        self.0.sub(x, y)
    }

    fn add_constant(&mut self, x: &B::Wire, c: F2) -> B::Wire {
        self.0.add_constant(x, element(c))
    }

    fn scale(&mut self, x: &B::Wire, c: F2) -> B::Wire {
        self.0.scale(x, element(c))
    }

    fn mul(&mut self, x: &B::Wire, y: &B::Wire) -> Result<B::Wire, B::Error> {
        self.0.mul(x, y)
    }
}

impl<B: Polynomials<Gf256>> Prove<F2> for BitsAsElements<'_, B> {
    fn secret(&mut self, n: usize, hint: Hint<'_, F2, B::Wire>) -> Result<Vec<B::Wire>, B::Error> {
        let wires = self.0.secret(n, &mut |peek| {
            let bits = hint(&AsBits(peek))?;
            Ok::<_, Error>(bits.into_iter().map(element).collect())
        })?;
        self.0.assert_products(&wires, &wires, &wires)?;
        Ok(wires)
    }

    fn assert_zero(&mut self, x: &[B::Wire]) -> Result<(), B::Error> {
        self.0.assert_zero(x)
    }
}

impl<B: Polynomials<Gf256>> Polynomials<F2> for BitsAsElements<'_, B> {
    type Poly = B::Poly;

    fn poly(&mut self, x: &B::Wire) -> B::Poly {
        self.0.poly(x)
    }

    fn poly_constant(&mut self, c: F2) -> B::Poly {
        self.0.poly_constant(element(c))
    }

    fn poly_add(&mut self, p: &B::Poly, q: &B::Poly) -> B::Poly {
        self.0.poly_add(p, q)
    }

    fn poly_scale(&mut self, p: &B::Poly, c: F2) -> B::Poly {
        self.0.poly_scale(p, element(c))
    }

    fn poly_mul(&mut self, p: &B::Poly, q: &B::Poly) -> Result<B::Poly, B::Error> {
        self.0.poly_mul(p, q)
    }

    fn assert_poly_zero(&mut self, p: &[B::Poly]) -> Result<(), B::Error> {
        self.0.assert_poly_zero(p)
    }
}

/// What hints over bits see.
struct AsBits<'p, W>(&'p dyn Peek<Gf256, W>);

impl<W> Peek<F2, W> for AsBits<'_, W> {
    fn value(&self, wire: &W) -> F2 {
        F2::new(!self.0.value(wire).is_zero())
    }
}
