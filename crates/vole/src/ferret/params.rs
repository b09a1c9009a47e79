//! Parameter sets. Their security is computed by a test of [`crate::lpn`], not asserted here.

use super::CHECK_MASK;

/// The size of a round: `2^log_k` is the LPN dimension, `trees` the number of noise blocks of `2^log_block` outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Logarithm of the dimension (the length of the secret).
    pub log_k: u32,
    /// Logarithm of the length of a noise block, at least 2: the height of a tree.
    pub log_block: u32,
    /// Number of noise blocks: the weight of the noise.
    pub trees: u32,
}

impl Params {
    /// Few outputs from a table that fits the second-level cache: fewest seconds.
    pub const SMALL: Self = Self { log_k: 16, log_block: 10, trees: 870 };

    /// More outputs from a larger table: fewest bytes.
    pub const LARGE: Self = Self { log_k: 18, log_block: 12, trees: 1500 };

    /// Every set in use; the test of their security runs over this list.
    pub const ALL: [(&'static str, Self); 2] = [("small", Self::SMALL), ("large", Self::LARGE)];

    /// Entries of the LPN table.
    #[must_use]
    pub const fn table_len(&self) -> usize {
        1 << self.log_k
    }

    /// Outputs of one tree.
    #[must_use]
    pub const fn block_len(&self) -> usize {
        1 << self.log_block
    }

    /// Outputs of a round, those included that the next round starts from.
    #[must_use]
    pub const fn outputs(&self) -> usize {
        (self.trees as usize) << self.log_block
    }

    /// Correlations whose bits are the paths.
    #[must_use]
    pub const fn paths_len(&self) -> usize {
        (self.trees * self.log_block) as usize
    }

    /// Correlations that a round starts from.
    #[must_use]
    pub const fn base_len(&self) -> usize {
        self.table_len() + self.paths_len() + CHECK_MASK
    }

    /// Bytes that V sends in a round (`FerretTrees`).
    #[must_use]
    pub const fn trees_bytes(&self) -> usize {
        16 * self.paths_len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lpn::security::{Instance, estimate};

    #[test]
    fn every_set_in_use_reaches_128_bits_against_every_attack() {
        for (name, p) in Params::ALL {
            let instance = Instance::new(1 << p.log_k, p.trees.into(), 1 << p.log_block).unwrap();
            let (bits, attack) = estimate(&instance).minimum();
            assert!(bits >= 128.0, "{name}: {bits} bits against {attack}");
        }
    }
}
