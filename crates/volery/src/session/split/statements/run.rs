//! A run of a program, cut between its segments: [`volery_machine::proof::shards`] says into which shards,
//! and why they make up the statement.
//!
//! ```text
//! P's coordinator                                    V's coordinator
//! runs the program
//! announce_split_run: the end, journal, profile ---> hear_split_run: its terms, the profile's bounds
//! SplitRun, with what its workers need               SplitRun
//! prove_split                                <-----> verify_split
//! ```
//!
//! P need not [`check`](crate::split::check) it: all shards come from one run of the emulator. A check would
//! take as long as all proofs.

use volery_circuit::{Challenge, Digest, Error as StatementError};
use volery_field::F61;
use volery_machine::proof::shards::{Join, SplitRun, SplitRunPart};

use crate::Error;
use crate::split::{Equal, Layout, Shard, ShardInfo, Sharded};

impl Sharded for SplitRun {
    type Shard<'a> = SplitRunPart<'a>;

    fn layout(&self) -> Result<Layout, Error> {
        let info = |n| Ok(ShardInfo::of::<F61, _>(&self.shard(n)?, self.boundary(n)));
        let shards = (0..self.shards()).map(info).collect::<Result<_, StatementError>>()?;
        let equal = self.joins().into_iter().map(|Join { from, to, wires }| Equal { from, to, wires });
        Layout::new(shards, equal.collect())
    }

    fn shard(&self, n: usize) -> Result<SplitRunPart<'_>, StatementError> {
        Self::shard(self, n)
    }
}

impl<B: Challenge<F61>> Shard<F61, B> for SplitRunPart<'_> {
    fn identify(&self, digest: &mut Digest) {
        Self::identify(self, digest);
    }

    fn commitments(&self) -> Option<u64> {
        Some(Self::commitments(self))
    }

    fn run(&self, backend: &mut B) -> Result<Vec<B::Wire>, B::Error> {
        self.claim(backend)
    }
}
