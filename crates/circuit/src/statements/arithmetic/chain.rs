//! Any number of multiplications, for benchmarks and load tests.

use volery_field::Value;

use crate::elements::bring_in;
use crate::seeded::Seeded;
use crate::{Digest, Error, Evaluator, Prove, Statement, Witness};

/// The number of wires in a word of [`MulChain`], and of multiplications in a batch.
const WIDTH: usize = 1 << 10;

/// "I know a start from which a chain of exactly `muls` multiplications, with one addition each, ends in this
/// state."
///
/// The state is two words `x, y` of 1024 wires. A step replaces `y` by `x`, and `x` by `y_i + x_i x_{i+1}`.
/// This is a Feistel network, so the state loses no information, however long the chain is. Chains with other
/// numbers pair `x_i` with a wire further on. The last step does only the remaining multiplications. The
/// witness is public.
#[derive(Debug)]
pub struct MulChain<F: Value> {
    muls: u64,
    batched: bool,
    rotation: usize,
    start: Witness<F>,
    pub(super) end: Vec<F>,
}

impl<F: Value> MulChain<F> {
    /// A chain of `muls` multiplications, given to the backend 1024 at a time.
    ///
    /// # Errors
    /// None for a well-formed chain; the type is the evaluator's.
    pub fn new(muls: u64) -> Result<Self, Error> {
        Self::make(muls, true, 0)
    }

    /// The same chain, given to the backend one multiplication at a time.
    ///
    /// # Errors
    /// As [`MulChain::new`].
    pub fn single(muls: u64) -> Result<Self, Error> {
        Self::make(muls, false, 0)
    }

    /// One of many different chains, for disjunctions. Number 0 is the chain of [`MulChain::new`].
    ///
    /// # Errors
    /// As [`MulChain::new`].
    pub fn numbered(muls: u64, number: u16) -> Result<Self, Error> {
        Self::make(muls, true, usize::from(number) % (WIDTH - 1))
    }

    fn make(muls: u64, batched: bool, further: usize) -> Result<Self, Error> {
        let start: Vec<F> = Seeded::new("multiplication chain", b"").elements(2 * WIDTH);
        let rotation = 1 + further;
        let end = chain(&mut Evaluator::new(), start.clone(), muls, true, rotation)?;
        Ok(Self { muls, batched, rotation, start: Witness::new(start), end })
    }
}

/// Runs the chain from `x` and `y`, one after the other in `state`. Returns the state at its end.
fn chain<F: Value, B: Prove<F>>(
    b: &mut B,
    mut state: Vec<B::Wire>,
    muls: u64,
    batched: bool,
    rotation: usize,
) -> Result<Vec<B::Wire>, B::Error> {
    let mut y = state.split_off(WIDTH);
    let mut x = state;
    let mut left = muls;
    while left > 0 {
        let active = left.min(WIDTH as u64) as usize;
        // Repeats the first wires at the end, so that a word and its rotation are slices of one vector.
        x.extend_from_within(..rotation);
        let rotated = &x[rotation..][..active];
        if batched {
            b.add_products(&mut y[..active], &x[..active], rotated)?;
        } else {
            for (y, (x, rotated)) in y[..active].iter_mut().zip(x.iter().zip(rotated)) {
                let product = b.mul(x, rotated)?;
                *y = b.add(y, &product);
            }
        }
        x.truncate(WIDTH);
        core::mem::swap(&mut x, &mut y);
        left -= active as u64;
    }
    x.append(&mut y);
    Ok(x)
}

impl<F: Value, B: Prove<F>> Statement<B> for MulChain<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"benchmark: multiplication chain v2").bytes("field", F::NAME.as_bytes());
        digest.number("muls", self.muls).number("batched", self.batched.into());
        digest.number("rotation", self.rotation as u64);
    }

    fn commitments(&self) -> Option<u64> {
        self.muls.checked_add(2 * WIDTH as u64)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        backend.enter("chain");
        let mut state = Vec::with_capacity(2 * WIDTH);
        bring_in(backend, 2 * WIDTH, 0, Some(&self.start), &mut state)?;
        let state = chain(backend, state, self.muls, self.batched, self.rotation)?;
        backend.assert_equal(&state, &self.end)?;
        backend.leave();
        Ok(())
    }
}
