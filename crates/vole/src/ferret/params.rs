//! Parameter sets. Tests of `crate::lpn` compute their security, so nothing is claimed here: see
//! [`crate::security::in_use`].

use super::CHECK_MASK;

/// The size of a round. `2^log_k` is the LPN dimension, `trees` the number of noise blocks of `2^log_block`
/// outputs.
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
    /// The fewest correlations to start from, for the first round over a lot: a coordinator deals all of
    /// them.
    pub(crate) const LOT: Self = Self { log_k: 15, log_block: 8, trees: 1740 };

    /// Few outputs from a small table, and short blocks, for the shortest time.
    pub(crate) const SMALL: Self = Self { log_k: 16, log_block: 9, trees: 1940 };

    /// More outputs from a larger table, for the fewest bytes.
    pub(crate) const LARGE: Self = Self { log_k: 18, log_block: 11, trees: 2200 };

    /// The number of entries of the LPN table.
    #[must_use]
    pub(crate) const fn table_len(&self) -> usize {
        1 << self.log_k
    }

    /// The number of outputs of one tree.
    #[must_use]
    pub(crate) const fn block_len(&self) -> usize {
        1 << self.log_block
    }

    /// The number of outputs of a round, including those from which the next round starts.
    #[must_use]
    pub const fn outputs(&self) -> usize {
        (self.trees as usize) << self.log_block
    }

    /// The number of correlations whose bits are the paths.
    #[must_use]
    pub(crate) const fn paths_len(&self) -> usize {
        (self.trees * self.log_block) as usize
    }

    /// The number of correlations that a round starts from.
    #[must_use]
    pub(crate) const fn base_len(&self) -> usize {
        self.table_len() + self.paths_len() + CHECK_MASK
    }

    /// The number of bytes that V sends in a round (`FerretTrees`).
    #[must_use]
    pub(crate) const fn trees_bytes(&self) -> usize {
        16 * self.paths_len()
    }
}
