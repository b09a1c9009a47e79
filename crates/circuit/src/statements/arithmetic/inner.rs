//! Knowledge of two vectors with a given inner product.

use volery_field::Value;

use super::{MOST_ENTRIES, identify_result, part};
use crate::elements::bring_in;
use crate::seeded::Seeded;
use crate::{Digest, Error, Prove, Statement, Witness};

/// The number of pairs in a claim. A longer product is the sum of committed parts, one element each, so that
/// memory stays flat and the tags of a part are still in the caches when they are multiplied.
const PART: usize = 1 << 15;

/// "I know vectors `x` and `y` with this inner product", or, if it is secret, "... with the inner product
/// that I have committed to".
pub struct InnerProduct<F: Value> {
    length: usize,
    pub(super) public: Option<F>,
    vectors: Option<[Witness<F>; 2]>,
}

impl<F: Value> core::fmt::Debug for InnerProduct<F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("InnerProduct").field("length", &self.length).finish_non_exhaustive()
    }
}

impl<F: Value> InnerProduct<F> {
    /// The public side of the claim, for vectors of `length` elements. `product` is `None` if it is secret.
    ///
    /// # Errors
    /// [`Error::Public`] if the vectors are too long.
    pub fn new(length: usize, product: Option<F>) -> Result<Self, Error> {
        if length > MOST_ENTRIES {
            return Err(Error::Public(format!("vectors of {length} elements are too long")));
        }
        Ok(Self { length, public: product, vectors: None })
    }

    /// Adds the vectors.
    ///
    /// # Errors
    /// [`Error::Witness`] if they have the wrong length.
    pub fn with_vectors(mut self, x: Vec<F>, y: Vec<F>) -> Result<Self, Error> {
        self.vectors =
            Some([part("the first vector", x, self.length)?, part("the second vector", y, self.length)?]);
        Ok(self)
    }

    /// Public random vectors and their inner product, for measurements.
    ///
    /// # Errors
    /// As [`InnerProduct::new`].
    pub fn sample(length: usize, public_product: bool, seed: [u8; 32]) -> Result<Self, Error> {
        let empty = Self::new(length, None)?;
        let mut random = Seeded::new("inner product", &seed);
        let (x, y): (Vec<F>, Vec<F>) = (random.elements(length), random.elements(length));
        let product = public_product.then(|| dot(&x, &y));
        Self { public: product, ..empty }.with_vectors(x, y)
    }

    /// The inner product of the pairs from `start` to `end`.
    fn value(&self, start: usize, end: usize) -> Result<F, Error> {
        let [x, y] = self.vectors.as_ref().ok_or_else(|| Error::Witness("none was given".into()))?;
        match (x.values().get(start..end), y.values().get(start..end)) {
            (Some(x), Some(y)) => Ok(dot(x, y)),
            _ => Err(Error::Witness("it is too short".into())),
        }
    }
}

fn dot<F: Value>(x: &[F], y: &[F]) -> F {
    x.iter().zip(y).fold(F::ZERO, |sum, (x, y)| sum + *x * *y)
}

impl<F: Value, B: Prove<F>> Statement<B> for InnerProduct<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"inner product v1").bytes("field", F::NAME.as_bytes());
        digest.number("length", self.length as u64);
        identify_result(digest, self.public.as_ref().map(core::slice::from_ref));
    }

    fn commitments(&self) -> Option<u64> {
        // The last part of a public product needs no commitment.
        let parts = self.length.div_ceil(PART).max(1) - usize::from(self.public.is_some());
        (self.length as u64).checked_mul(2)?.checked_add(parts as u64)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        backend.enter("inner product");
        // The remainder of a public product after the parts so far.
        let mut rest = self.public.map(|product| backend.constant(product));
        let (mut x, mut y) = (Vec::new(), Vec::new());
        let mut start = 0;
        loop {
            let end = self.length.min(start + PART);
            let last = end == self.length;
            let [first, second] = match &self.vectors {
                None => [None, None],
                Some([x, y]) => [Some(x), Some(y)],
            };
            x.clear();
            y.clear();
            bring_in(backend, end - start, start, first, &mut x)?;
            bring_in(backend, end - start, start, second, &mut y)?;
            match rest.take() {
                Some(product) if last => backend.assert_dot(&x, &y, &product)?,
                other => {
                    let part = backend.secret(1, &mut |_| Ok(vec![self.value(start, end)?]))?;
                    let part =
                        part.first().ok_or_else(|| Error::misuse("a backend returned too few wires"))?;
                    backend.assert_dot(&x, &y, part)?;
                    rest = other.map(|product| backend.sub(&product, part));
                }
            }
            if last {
                break;
            }
            start = end;
        }
        backend.leave();
        Ok(())
    }
}
