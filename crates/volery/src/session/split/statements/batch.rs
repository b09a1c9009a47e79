//! Many statements that have nothing to do with each other.

use volery_circuit::{Digest, Error as StatementError, Evaluator, Ops, Statement};
use volery_field::Ring;

use super::part;
use crate::Error;
use crate::split::{Layout, Shard, ShardInfo, Sharded};

/// "All of these statements hold." A shard is a part of them, and no wires are shared.
#[derive(Debug)]
pub struct Batch<S> {
    statements: Vec<S>,
    shards: usize,
}

impl<S> Batch<S> {
    /// The statements in `shards` shards, or in one for each statement if there are fewer statements.
    pub fn new(statements: Vec<S>, shards: usize) -> Self {
        let shards = shards.min(statements.len());
        Self { statements, shards }
    }

    /// The layout, for a batch over the ring `R`.
    ///
    /// # Errors
    /// As [`Layout::new`]: for no statements, and too many shards.
    pub fn layout_over<R: Ring>(&self) -> Result<Layout, Error>
    where
        S: Statement<Evaluator<R>>,
    {
        let shards = (0..self.shards).map(|n| ShardInfo::of::<R, _>(&self.part(n), 0)).collect();
        Layout::new(shards, Vec::new())
    }

    fn part(&self, n: usize) -> BatchPart<'_, S> {
        let range = part(self.statements.len() as u64, self.shards, n);
        // The ends are at most the length.
        let range = range.start as usize..range.end as usize;
        BatchPart { first: range.start, statements: self.statements.get(range).unwrap_or_default() }
    }
}

/// A shard of a [`Batch`].
#[derive(Debug)]
pub struct BatchPart<'a, S> {
    first: usize,
    statements: &'a [S],
}

impl<S: Statement<Evaluator<volery_field::F2>>> Sharded for Batch<S> {
    type Shard<'a>
        = BatchPart<'a, S>
    where
        Self: 'a;

    fn layout(&self) -> Result<Layout, Error> {
        self.layout_over::<volery_field::F2>()
    }

    fn shard(&self, n: usize) -> Result<BatchPart<'_, S>, StatementError> {
        match n < self.shards {
            true => Ok(self.part(n)),
            false => Err(StatementError::misuse(format!("shard {n} of {}", self.shards))),
        }
    }
}

impl<R: Ring, B: Ops<R> + ?Sized, S: Statement<B>> Shard<R, B> for BatchPart<'_, S> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("shard", b"batch v1").number("first", self.first as u64);
        digest.number("statements", self.statements.len() as u64);
        for statement in self.statements {
            statement.identify(digest);
        }
    }

    fn commitments(&self) -> Option<u64> {
        self.statements.iter().try_fold(0_u64, |sum, statement| sum.checked_add(statement.commitments()?))
    }

    fn run(&self, backend: &mut B) -> Result<Vec<B::Wire>, B::Error> {
        self.statements.iter().try_for_each(|statement| statement.run(backend))?;
        Ok(Vec::new())
    }
}
