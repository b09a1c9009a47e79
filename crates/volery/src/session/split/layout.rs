//! Which shards a statement has, and which of their boundary wires are equal.

use volery_circuit::{Digest, Evaluator};
use volery_field::Ring;

use super::Shard;
use super::shard::digest_of;
use crate::Error;

/// What both coordinators know of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardInfo {
    /// Its digest: its workers prove and verify the program with this one.
    pub digest: [u8; 32],
    /// The number of its boundary wires.
    pub boundary: usize,
}

impl ShardInfo {
    /// That of `shard`, which hands out `boundary` wires.
    pub fn of<R: Ring, S: Shard<R, Evaluator<R>> + ?Sized>(shard: &S, boundary: usize) -> Self {
        Self { digest: digest_of(shard), boundary }
    }
}

/// A run of boundary wires of one shard that are equal to as many of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Equal {
    /// The shard and the first wire on one side.
    pub from: (usize, usize),
    /// Those on the other side.
    pub to: (usize, usize),
    /// The number of wires.
    pub wires: usize,
}

/// The shards of a statement, and what holds between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    shards: Vec<ShardInfo>,
    equal: Vec<Equal>,
}

impl Layout {
    /// The most shards.
    pub const MOST_SHARDS: usize = 1 << 16;
    /// The most boundary wires of a shard.
    pub const MOST_WIRES: usize = 1 << 24;

    /// The most runs of equal wires. Sums are made of whole runs, so runs are best as long as they can be.
    pub const MOST_RUNS: usize = 1 << 20;

    /// A layout. Each pair of `equal` is claimed.
    ///
    /// # Errors
    /// [`Error::Split`] for no shards or more than [`Layout::MOST_SHARDS`], more wires than
    /// [`Layout::MOST_WIRES`], more runs than [`Layout::MOST_RUNS`], and wires that do not exist.
    pub fn new(shards: Vec<ShardInfo>, equal: Vec<Equal>) -> Result<Self, Error> {
        let refuse = |reason: String| Err(Error::Split(reason));
        if shards.is_empty() || shards.len() > Self::MOST_SHARDS {
            return refuse(format!("{} shards; 1 to {} are possible", shards.len(), Self::MOST_SHARDS));
        }
        if let Some(n) = shards.iter().position(|shard| shard.boundary > Self::MOST_WIRES) {
            return refuse(format!("shard {n} has more than {} boundary wires", Self::MOST_WIRES));
        }
        if equal.len() > Self::MOST_RUNS {
            return refuse(format!(
                "{} runs of equal wires; {} are possible: make one run of wires that follow each other",
                equal.len(),
                Self::MOST_RUNS
            ));
        }
        for Equal { from, to, wires } in &equal {
            for (shard, first) in [from, to] {
                let boundary = shards.get(*shard).map_or(0, |shard| shard.boundary);
                if first.checked_add(*wires).is_none_or(|end| end > boundary) {
                    return refuse(format!(
                        "{wires} boundary wires from number {first} on of shard {shard}, which has {boundary}"
                    ));
                }
            }
        }
        Ok(Self { shards, equal })
    }

    /// The shards, in order.
    #[must_use]
    pub fn shards(&self) -> &[ShardInfo] {
        &self.shards
    }

    /// What is equal.
    #[must_use]
    pub fn equal(&self) -> &[Equal] {
        &self.equal
    }

    /// The number of pairs of wires that are claimed to be equal.
    #[must_use]
    pub fn claims(&self) -> u64 {
        self.equal.iter().map(|equal| equal.wires as u64).sum()
    }

    /// The digest of all of it, which the coordinators compare.
    pub(super) fn digest(&self) -> [u8; 32] {
        let mut digest = Digest::new();
        digest.bytes("statement", b"shards v1").number("shards", self.shards.len() as u64);
        for shard in &self.shards {
            digest.bytes("shard", &shard.digest).number("boundary", shard.boundary as u64);
        }
        digest.number("equal", self.equal.len() as u64);
        for Equal { from, to, wires } in &self.equal {
            for number in [from.0, from.1, to.0, to.1, *wires] {
                digest.number("wires", number as u64);
            }
        }
        digest.finish()
    }

    /// Calls `pair` with each pair of wires, as shard and wire, in order.
    pub(super) fn compare(
        &self,
        mut pair: impl FnMut([(usize, usize); 2]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for Equal { from, to, wires } in &self.equal {
            for i in 0..*wires {
                pair([(from.0, from.1 + i), (to.0, to.1 + i)])?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shards(boundaries: &[usize]) -> Vec<ShardInfo> {
        boundaries.iter().map(|boundary| ShardInfo { digest: [7; 32], boundary: *boundary }).collect()
    }

    #[test]
    fn wires_that_do_not_exist_are_refused() {
        let equal = |from, to, wires| vec![Equal { from, to, wires }];
        assert!(Layout::new(shards(&[3, 4]), equal((0, 0), (1, 1), 3)).is_ok());
        for equal in [
            equal((0, 1), (1, 1), 3),
            equal((0, 0), (1, 2), 3),
            equal((0, 0), (2, 0), 1),
            equal((0, usize::MAX), (1, 0), 2),
            equal((0, 0), (1, 0), usize::MAX),
        ] {
            assert!(matches!(Layout::new(shards(&[3, 4]), equal), Err(Error::Split(_))));
        }
        assert!(matches!(Layout::new(vec![], vec![]), Err(Error::Split(_))));
        assert!(Layout::new(shards(&[Layout::MOST_WIRES + 1]), vec![]).is_err());
        assert!(Layout::new(shards(&vec![0; Layout::MOST_SHARDS + 1]), vec![]).is_err());
        let none = Equal { from: (0, 0), to: (1, 0), wires: 0 };
        assert!(Layout::new(shards(&[3, 4]), vec![none; Layout::MOST_RUNS]).is_ok());
        assert!(Layout::new(shards(&[3, 4]), vec![none; Layout::MOST_RUNS + 1]).is_err());
    }

    #[test]
    fn everything_counts_in_the_digest() {
        let equal = |wires| vec![Equal { from: (0, 0), to: (1, 0), wires }];
        let layout = |shards, equal| Layout::new(shards, equal).expect("valid").digest();
        let base = layout(shards(&[3, 3]), equal(2));
        let mut other = shards(&[3, 3]);
        other[1].digest[0] ^= 1;
        for digest in [
            layout(other, equal(2)),
            layout(shards(&[3, 4]), equal(2)),
            layout(shards(&[3, 3]), equal(1)),
            layout(shards(&[3, 3]), vec![]),
            layout(shards(&[3, 3, 3]), equal(2)),
            layout(shards(&[3, 3]), vec![Equal { from: (1, 0), to: (0, 0), wires: 2 }]),
        ] {
            assert_ne!(digest, base);
        }
    }
}
