//! Operands and results of multiplications that wait for their check.

use volery_field::{Gf128, LengthError, gf128::Kernel};
use zeroize::Zeroize;

use super::challenges::{CHUNK, Coefficients};

/// `c[i]` claims to be `a[i] * b[i]`, as tags at P and keys at V; at most as many as were made room for.
pub(super) struct Triples {
    a: Box<[Gf128]>,
    b: Box<[Gf128]>,
    c: Box<[Gf128]>,
    len: usize,
    /// The most that was ever stored: what has to be wiped.
    high: usize,
}

impl Triples {
    pub(super) fn new(capacity: usize) -> Self {
        let room = || vec![Gf128::ZERO; capacity.max(1)].into_boxed_slice();
        Self { a: room(), b: room(), c: room(), len: 0, high: 0 }
    }

    /// Appends one; whether it is full now. A full one takes no more: the caller empties it first.
    #[inline(always)]
    pub(super) fn push(&mut self, a: Gf128, b: Gf128, c: Gf128) -> bool {
        let i = self.len;
        if let (Some(to_a), Some(to_b), Some(to_c)) = (self.a.get_mut(i), self.b.get_mut(i), self.c.get_mut(i)) {
            (*to_a, *to_b, *to_c) = (a, b, c);
            self.len = i + 1;
        }
        self.len >= self.c.len()
    }

    pub(super) fn capacity(&self) -> usize {
        self.c.len()
    }

    pub(super) fn clear(&mut self) {
        self.high = self.high.max(self.len);
        self.len = 0;
    }

    /// `(a, b, c)` in pieces of at most `n`.
    pub(super) fn chunks(&self, n: usize) -> impl Iterator<Item = (&[Gf128], &[Gf128], &[Gf128])> {
        let (a, b, c) = (&self.a[..self.len], &self.b[..self.len], &self.c[..self.len]);
        a.chunks(n).zip(b.chunks(n)).zip(c.chunks(n)).map(|((a, b), c)| (a, b, c))
    }
}

/// A kernel that combines triples with coefficients.
pub(super) type Check =
    fn(Kernel, &[Gf128], &[Gf128], &[Gf128], &[Gf128]) -> Result<(Gf128, Gf128), LengthError>;

/// The two sums of a check over a block, with the coefficients of one seed.
pub(super) struct Accumulator {
    seed: [u8; 16],
    coefficients: Coefficients,
    /// Triples absorbed: the index of the next coefficient.
    absorbed: usize,
    sums: (Gf128, Gf128),
}

impl Accumulator {
    pub(super) fn new(seed: [u8; 16]) -> Self {
        Self { seed, coefficients: Coefficients::new(seed), absorbed: 0, sums: Default::default() }
    }

    pub(super) fn seed(&self) -> [u8; 16] {
        self.seed
    }

    pub(super) fn sums(&self) -> (Gf128, Gf128) {
        self.sums
    }

    /// Adds `check` over all of `triples`, which follow the ones absorbed before.
    pub(super) fn absorb(&mut self, triples: &Triples, threads: Option<&rayon::ThreadPool>, check: Check) {
        use rayon::prelude::*;
        let (kernel, coefficients, first) = (Kernel::detect(), &self.coefficients, self.absorbed);
        let piece = |(i, (a, b, c)): (usize, (&[Gf128], &[Gf128], &[Gf128]))| {
            let mut chi = [Gf128::ZERO; CHUNK];
            let chi = &mut chi[..a.len()];
            coefficients.at(first + i * CHUNK, chi);
            // The four have one length by construction.
            check(kernel, chi, a, b, c).unwrap_or_default()
        };
        let add = |x: (Gf128, Gf128), y: (Gf128, Gf128)| (x.0 + y.0, x.1 + y.1);
        let sums = match threads {
            Some(pool) if triples.len > CHUNK => {
                let pieces: Vec<_> = triples.chunks(CHUNK).enumerate().collect();
                pool.install(|| pieces.into_par_iter().map(piece).reduce(Default::default, add))
            }
            _ => triples.chunks(CHUNK).enumerate().map(piece).fold(Default::default(), add),
        };
        self.sums = add(self.sums, sums);
        self.absorbed += triples.len;
    }
}

impl Drop for Triples {
    fn drop(&mut self) {
        let Self { a, b, c, len, high } = self;
        // Memory that was never written need not be touched.
        let used = (*len).max(*high);
        a[..used].zeroize();
        b[..used].zeroize();
        c[..used].zeroize();
    }
}
