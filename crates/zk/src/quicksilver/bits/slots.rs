//! The slots of a block, in which correlations become committed bits and products wait for their check.
//!
//! Every committed bit uses one slot, one correlation and one mask bit, so these stay in step without
//! separate counters. A slot starts as a correlation in `c`. A product stores its operands in `a` and `b`,
//! and its own tag or key in `c`. A secret value `x` stores `x = x * 1`, which holds whatever P committed to.
//!
//! Slots are prepared in windows. When a window is settled, only the used part counts.

use volery_field::gf128::{Kernel, RUN};
use volery_field::{Gf128, LengthError, Wipe as _};
use zeroize::Zeroize;

use super::super::challenges::{CHUNK, Coefficients, Seed};
use crate::Error;

/// `c[i]` claims to be `a[i] * b[i]` for `i < used`, as tags at P and keys at V; up to `ready` the `c[i]` are
/// prepared.
pub(super) struct Slots {
    /// Their length is the greatest number that was ever prepared, so that memory which no proof needs is not
    /// touched.
    a: Vec<Gf128>,
    b: Vec<Gf128>,
    c: Vec<Gf128>,
    capacity: usize,
    used: usize,
    ready: usize,
}

impl Slots {
    pub(super) fn new(capacity: usize) -> Self {
        let capacity = capacity.max(1);
        // Allocated at once, because a vector that grew would leave its old content behind.
        let room = || Vec::with_capacity(capacity);
        Self { a: room(), b: room(), c: room(), capacity, used: 0, ready: 0 }
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The number of slots used so far.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Uses the next prepared slot for the product of `a` and `b`. `finish` makes the result from the
    /// prepared value. `None` if no slot is prepared.
    #[inline(always)]
    pub(super) fn product(
        &mut self,
        a: Gf128,
        b: Gf128,
        finish: impl FnOnce(Gf128) -> Gf128,
    ) -> Option<Gf128> {
        let i = self.used;
        if i >= self.ready {
            return None;
        }
        // `ready` never exceeds the common length of the three, so this always exists.
        let (to_a, to_b, c) = (self.a.get_mut(i)?, self.b.get_mut(i)?, self.c.get_mut(i)?);
        (*to_a, *to_b) = (a, b);
        *c = finish(*c);
        self.used = i + 1;
        Some(*c)
    }

    /// Uses the next prepared slot for a secret value. `one` is the wire of the constant one.
    pub(super) fn secret(&mut self, one: Gf128, finish: impl FnOnce(Gf128) -> Gf128) -> Option<Gf128> {
        let i = self.used;
        let value = self.product(Gf128::ZERO, one, finish)?;
        self.a[i] = value;
        Some(value)
    }

    /// Whether no slot is prepared.
    #[inline(always)]
    pub(super) fn is_exhausted(&self) -> bool {
        self.used >= self.ready
    }

    /// The number of slots that are not prepared yet.
    pub(super) fn room(&self) -> usize {
        self.capacity - self.ready
    }

    /// Prepares slots with `correlations`, as many as there is room for, and returns them for finishing
    /// touches.
    pub(super) fn prepare(&mut self, correlations: &[Gf128]) -> &mut [Gf128] {
        let n = correlations.len().min(self.room());
        let (from, to) = (self.ready, self.ready + n);
        for column in [&mut self.a, &mut self.b, &mut self.c] {
            column.resize(column.len().max(to), Gf128::ZERO);
        }
        self.ready = to;
        let slots = &mut self.c[from..to];
        slots.copy_from_slice(&correlations[..n]);
        slots
    }

    /// Ends a window: returns the results in the slots used since `from`, and discards prepared slots that
    /// were not used.
    pub(super) fn settle(&mut self, from: usize) -> &[Gf128] {
        self.ready = self.used;
        self.c.get(from..self.used).unwrap_or_default()
    }

    /// Makes all slots free again.
    pub(super) fn clear(&mut self) {
        (self.used, self.ready) = (0, 0);
    }

    /// `(a, b, c)` of the used slots in pieces of at most `n`.
    fn chunks(&self, n: usize) -> impl Iterator<Item = Piece<'_>> {
        let (a, b, c) = (&self.a[..self.used], &self.b[..self.used], &self.c[..self.used]);
        a.chunks(n).zip(b.chunks(n)).zip(c.chunks(n)).map(|((a, b), c)| (a, b, c))
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        for column in [&mut self.a, &mut self.b, &mut self.c] {
            // Only the elements are wiped, not the whole vector, so that memory which was never written is
            // not touched.
            column.as_mut_slice().wipe();
        }
    }
}

/// `(a, b, c)` of some consecutive slots.
type Piece<'s> = (&'s [Gf128], &'s [Gf128], &'s [Gf128]);

/// A kernel that combines triples with a coefficient for each run of them.
pub(super) type Check =
    fn(Kernel, &[Gf128], &[Gf128], &[Gf128], &[Gf128]) -> Result<(Gf128, Gf128), LengthError>;

/// The two sums of a check over a block, with the coefficients of one seed: one for each [`RUN`] of slots.
pub(super) struct Accumulator {
    seed: Seed,
    coefficients: Coefficients,
    /// The number of slots absorbed: whole runs, or the block is complete.
    absorbed: usize,
    sums: (Gf128, Gf128),
}

impl Accumulator {
    pub(super) fn new(seed: impl Into<Seed>) -> Self {
        let seed = seed.into();
        Self { seed, coefficients: Coefficients::new(seed), absorbed: 0, sums: Default::default() }
    }

    pub(super) fn seed(&self) -> Seed {
        self.seed
    }

    pub(super) fn sums(&self) -> (Gf128, Gf128) {
        self.sums
    }

    /// Adds `check` over the used slots, which follow those absorbed before.
    pub(super) fn absorb(
        &mut self,
        slots: &Slots,
        threads: Option<&rayon::ThreadPool>,
        check: Check,
    ) -> Result<(), Error> {
        use rayon::prelude::*;
        const { assert!(CHUNK.is_multiple_of(RUN), "a piece has whole runs") };
        let (kernel, coefficients, first) = (Kernel::detect(), &self.coefficients, self.absorbed);
        if !first.is_multiple_of(RUN) {
            return Err(volery_circuit::Error::misuse("a block goes on within a run of products").into());
        }
        let piece = |chi: &mut Vec<Gf128>, (i, (a, b, c)): (usize, Piece<'_>)| {
            chi.resize(a.len().div_ceil(RUN), Gf128::ZERO);
            coefficients.at((first + i * CHUNK) / RUN, chi);
            // The three have one length by construction. If they did not, no sum could stand for what was not
            // added.
            check(kernel, chi, a, b, c).map_err(|error| volery_circuit::Error::misuse(error.to_string()))
        };
        let add = |x: (Gf128, Gf128), y: (Gf128, Gf128)| (x.0 + y.0, x.1 + y.1);
        let zero = <(Gf128, Gf128)>::default;
        let sums = match threads {
            Some(pool) if slots.used > CHUNK => {
                let pieces: Vec<_> = slots.chunks(CHUNK).enumerate().collect();
                let each = || Vec::with_capacity(CHUNK / RUN);
                pool.install(|| {
                    pieces.into_par_iter().map_init(each, piece).try_reduce(zero, |x, y| Ok(add(x, y)))
                })?
            }
            _ => {
                let mut chi = Vec::with_capacity(CHUNK / RUN);
                let mut pieces = slots.chunks(CHUNK).enumerate();
                pieces.try_fold(zero(), |sum, p| Ok::<_, Error>(add(sum, piece(&mut chi, p)?)))?
            }
        };
        self.sums = add(self.sums, sums);
        self.absorbed += slots.used;
        Ok(())
    }
}

impl Drop for Accumulator {
    fn drop(&mut self) {
        self.sums.0.zeroize();
        self.sums.1.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    /// Absorbs products of which each is off by something else.
    fn absorb(accumulator: &mut Accumulator, products: Range<u128>) -> Result<(), Error> {
        let mut slots = Slots::new(2 * super::RUN);
        slots.prepare(&[Gf128::ZERO; 2 * super::RUN]);
        for i in products {
            slots.product(Gf128::from_bits(i + 1), Gf128::ONE, |c| c).expect("a prepared slot");
        }
        accumulator.absorb(&slots, None, Kernel::check_verifier)
    }

    const RUN: u128 = super::RUN as u128;

    /// The rest of a run would have the element that its beginning had, at the same powers of `x`.
    #[test]
    fn no_block_goes_on_within_a_run_of_products() {
        for used in [1, RUN - 1, RUN + 1, 2 * RUN - 1] {
            let mut accumulator = Accumulator::new([7; 16]);
            absorb(&mut accumulator, 0..RUN).expect("a whole run");
            absorb(&mut accumulator, RUN..RUN + used).expect("the last part of a block");
            let error = absorb(&mut accumulator, 0..1).expect_err("a run has one element").to_string();
            assert!(error.contains("within a run"), "{error}");
        }
    }

    #[test]
    fn parts_of_a_block_are_weighed_as_one() {
        let [mut parts, mut whole] = [(); 2].map(|()| Accumulator::new([7; 16]));
        absorb(&mut parts, 0..RUN).expect("the first run");
        absorb(&mut parts, RUN..2 * RUN).expect("the second");
        absorb(&mut whole, 0..2 * RUN).expect("both");
        assert_eq!(parts.sums(), whole.sums());
    }
}
