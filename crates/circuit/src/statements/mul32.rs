//! Knowledge of the factors of products modulo 2^32.

use volery_field::F2;
use zeroize::Zeroizing;

use crate::gadgets::{bytes_to_bits, multiply_low_as_polynomials};
use crate::seeded::Seeded;
use crate::{Digest, Error, Polynomials, Statement};

/// "For each of these numbers I know two 32-bit factors whose product is that number, modulo 2^32."
///
/// Multiplications are polynomials over bits, of degree 4 ([`multiply_low_as_polynomials`]). Each commits to
/// 561 bits, including the factors.
pub struct Mul32 {
    products: Vec<u32>,
    factors: Option<Zeroizing<Vec<[u32; 2]>>>,
}

impl core::fmt::Debug for Mul32 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Mul32").field("products", &self.products.len()).finish_non_exhaustive()
    }
}

impl Mul32 {
    /// The public side of the claim.
    #[must_use]
    pub fn new(products: Vec<u32>) -> Self {
        Self { products, factors: None }
    }

    /// Adds the factors.
    ///
    /// # Errors
    /// [`Error::Witness`] unless there is one pair for each product.
    pub fn with_factors(mut self, factors: Zeroizing<Vec<[u32; 2]>>) -> Result<Self, Error> {
        let (got, needed) = (factors.len(), self.products.len());
        if got != needed {
            return Err(Error::Witness(format!("{got} pairs of factors for {needed} products")));
        }
        self.factors = Some(factors);
        Ok(self)
    }

    /// Public random factors and their products, for measurements.
    #[must_use]
    pub fn sample(count: usize, seed: [u8; 32]) -> Self {
        let mut random = Seeded::new("mul32", &seed);
        let mut number = || random.below(1 << 32) as u32;
        let factors: Vec<[u32; 2]> = (0..count).map(|_| [number(), number()]).collect();
        let products = factors.iter().map(|[x, y]| x.wrapping_mul(*y)).collect();
        Self { products, factors: Some(Zeroizing::new(factors)) }
    }
}

impl<B: Polynomials<F2>> Statement<B> for Mul32 {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"mul32 v1");
        let products: Vec<u8> = self.products.iter().flat_map(|product| product.to_le_bytes()).collect();
        digest.bytes("products", &products);
    }

    fn commitments(&self) -> Option<u64> {
        (self.products.len() as u64).checked_mul(561)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        backend.enter("mul32");
        for (index, product) in self.products.iter().enumerate() {
            let mut x = backend.secret(64, &mut |_| {
                let pair = self.factors.as_ref().and_then(|factors| factors.get(index));
                let [x, y] = pair.ok_or_else(|| Error::Witness("none was given".into()))?;
                Ok(bytes_to_bits(&[x.to_le_bytes(), y.to_le_bytes()].concat()))
            })?;
            let y = x.split_off(32);
            let result = multiply_low_as_polynomials(backend, &x, &y)?;
            super::assert_bytes(backend, &result, &product.to_le_bytes())?;
        }
        backend.leave();
        Ok(())
    }
}
