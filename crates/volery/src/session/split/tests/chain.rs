//! A statement in shards that depend on each other, over any ring.

use volery_circuit::{Digest, Error as StatementError, Prove};
use volery_field::Ring;

use super::{Equal, Layout, Shard, ShardInfo, Sharded};
use crate::Error;

/// "I know the numbers `x -> x^2 + x c + 1`, from `x = 1` on." A shard has so many steps, and its boundary is
/// the number before them and that after.
#[derive(Clone, Debug)]
pub(in crate::session::split) struct Chain<R> {
    pub(in crate::session::split) shards: usize,
    pub(in crate::session::split) steps: usize,
    pub(in crate::session::split) factor: R,
    /// The shard whose first number is wrong.
    pub(in crate::session::split) wrong: Option<usize>,
    /// The shard, if any, in which a step is wrong.
    pub(in crate::session::split) broken: Option<usize>,
    /// Whether boundaries are claimed to be equal.
    pub(in crate::session::split) joined: bool,
    /// Whether the numbers at the ends are claimed.
    pub(in crate::session::split) claimed: bool,
}

impl<R: Ring> Chain<R> {
    pub(in crate::session::split) fn new(shards: usize, steps: usize) -> Self {
        let factor = R::ONE;
        Self { shards, steps, factor, wrong: None, broken: None, joined: true, claimed: true }
    }

    fn number(&self, steps: usize) -> R {
        (0..steps).fold(R::ONE, |x, _| x * x + x * self.factor + R::ONE)
    }
}

pub(in crate::session::split) struct Link<'a, R> {
    chain: &'a Chain<R>,
    n: usize,
}

impl<R: Ring> Sharded for Chain<R>
where
    for<'a> Link<'a, R>: Shard<R, volery_circuit::Evaluator<R>>,
{
    type Shard<'a> = Link<'a, R>;

    fn layout(&self) -> Result<Layout, Error> {
        let shards = (0..self.shards).map(|n| ShardInfo::of::<R, _>(&Link { chain: self, n }, 2)).collect();
        let equal = (1..self.shards).map(|n| Equal { from: (n - 1, 1), to: (n, 0), wires: 1 });
        Layout::new(shards, equal.filter(|_| self.joined).collect())
    }

    fn shard(&self, n: usize) -> Result<Link<'_, R>, StatementError> {
        Ok(Link { chain: self, n })
    }
}

impl<R: Ring, B: Prove<R> + ?Sized> Shard<R, B> for Link<'_, R> {
    fn identify(&self, digest: &mut Digest) {
        let Chain { shards, steps, claimed, .. } = self.chain;
        digest.bytes("shard", b"chain").number("shard", self.n as u64).number("shards", *shards as u64);
        digest.number("steps", *steps as u64).number("claimed", u64::from(*claimed));
    }

    fn commitments(&self) -> Option<u64> {
        Some(1 + self.chain.steps as u64)
    }

    fn run(&self, b: &mut B) -> Result<Vec<B::Wire>, B::Error> {
        let Self { chain, n } = self;
        let wrong = if chain.wrong == Some(*n) { R::ONE } else { R::ZERO };
        let start = chain.number(n * chain.steps) + wrong;
        let first = b.secret(1, &mut |_| Ok(vec![start]))?;
        let mut x = first[0].clone();
        for _ in 0..chain.steps {
            let square = b.mul(&x, &x)?;
            let linear = b.scale(&x, chain.factor);
            let sum = b.add(&square, &linear);
            x = b.add_constant(&sum, R::ONE);
        }
        if chain.claimed && *n == 0 {
            b.assert_equal(&first, &[R::ONE])?;
        }
        if chain.claimed && n + 1 == chain.shards {
            b.assert_equal(core::slice::from_ref(&x), &[chain.number(chain.shards * chain.steps)])?;
        }
        if chain.broken == Some(*n) {
            let one = b.constant(R::ONE);
            b.assert_zero(&[one])?;
        }
        Ok(vec![first[0].clone(), x])
    }
}
