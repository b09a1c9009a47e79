//! Running counts of all runs together. The parties compare them wherever P has nothing else to send, and
//! every challenge depends on them.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Error;

/// The numbers of operations of the programs so far, in all branches of disjunctions. Both parties must have
/// the same: two tallies are equal if these numbers are, whatever [`at_once`](Self::at_once) is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Secret values.
    pub secrets: u64,
    /// Multiplications.
    pub multiplications: u64,
    /// Wires claimed to be zero.
    pub assertions: u64,
    /// Branches of disjunctions.
    pub branches: u64,
    /// The most branches that this party had begun and not ended at the same time, each of which keeps a
    /// block. It is no more than program and settings allow. The parties need not have the same.
    pub at_once: u64,
}

impl PartialEq for Tally {
    fn eq(&self, other: &Self) -> bool {
        self.counts() == other.counts()
    }
}

impl Eq for Tally {}

impl Tally {
    /// The length of the encoding.
    pub(crate) const BYTES: usize = 32;

    fn counts(&self) -> [u64; 4] {
        [self.secrets, self.multiplications, self.assertions, self.branches]
    }

    pub(super) fn encode(&self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        out.as_chunks_mut().0.iter_mut().zip(self.counts()).for_each(|(out, n)| *out = n.to_le_bytes());
        out
    }

    /// Compares with the peer's encoding.
    pub(super) fn compare(&self, theirs: &[u8]) -> Result<(), Error> {
        let names = [
            "the number of secret values",
            "the number of multiplications",
            "the number of assertions",
            "the number of branches",
        ];
        for ((what, ours), theirs) in names.into_iter().zip(self.counts()).zip(theirs.as_chunks().0) {
            let theirs = u64::from_le_bytes(*theirs);
            if ours != theirs {
                return Err(Error::Diverged { what, ours, theirs });
            }
        }
        Ok(())
    }
}

/// The counts, which all runs of a proof share. Runs take turns, so both parties read the same counts.
#[derive(Default)]
pub(super) struct Counters {
    secrets: AtomicU64,
    multiplications: AtomicU64,
    assertions: AtomicU64,
    branches: AtomicU64,
    running: AtomicU64,
    at_once: AtomicU64,
}

impl Counters {
    pub(super) fn add(&self, more: Tally) {
        let Tally { secrets, multiplications, assertions, branches, at_once: _ } = more;
        self.secrets.fetch_add(secrets, Ordering::Relaxed);
        self.multiplications.fetch_add(multiplications, Ordering::Relaxed);
        self.assertions.fetch_add(assertions, Ordering::Relaxed);
        self.branches.fetch_add(branches, Ordering::Relaxed);
    }

    /// Counts branches that begin, beside all others that run.
    pub(super) fn begin(&self, branches: usize) {
        let before = self.running.fetch_add(branches as u64, Ordering::Relaxed);
        self.at_once.fetch_max(before + branches as u64, Ordering::Relaxed);
    }

    /// Counts branches that end.
    pub(super) fn end(&self, branches: usize) {
        self.running.fetch_sub(branches as u64, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> Tally {
        Tally {
            secrets: self.secrets.load(Ordering::Relaxed),
            multiplications: self.multiplications.load(Ordering::Relaxed),
            assertions: self.assertions.load(Ordering::Relaxed),
            branches: self.branches.load(Ordering::Relaxed),
            at_once: self.at_once.load(Ordering::Relaxed),
        }
    }
}
