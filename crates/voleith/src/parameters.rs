//! The number and the heights of the trees, and what grinding makes up for.

/// A set of parameters: a soundness, and a choice between time and length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parameters {
    #[default]
    /// 128 bits, 16 trees: 16 bits of proof for each commitment. The trees are those of FAEST-128f.
    Fast,
    /// 128 bits, 11 trees: 11 bits for each commitment, at seven times the work. Those of FAEST-128s.
    Small,
    /// 80 bits, 9 trees.
    Fast80,
    /// 80 bits, 6 trees, at eight times the work.
    Small80,
}

impl Parameters {
    /// All sets.
    pub const ALL: [Self; 4] = [Self::Fast, Self::Small, Self::Fast80, Self::Small80];

    /// The set with 80 bits if that is enough for `sigma`, or else the one with 128.
    #[must_use]
    pub const fn of(sigma: u16, small: bool) -> Self {
        match (sigma > 80, small) {
            (true, false) => Self::Fast,
            (true, true) => Self::Small,
            (false, false) => Self::Fast80,
            (false, true) => Self::Small80,
        }
    }

    /// The bits of soundness: a P that computes a hash makes a proof of a false statement with probability at
    /// most two to the minus this number.
    #[must_use]
    pub const fn sigma(self) -> u16 {
        match self {
            Self::Fast | Self::Small => 128,
            Self::Fast80 | Self::Small80 => 80,
        }
    }

    /// Whether a proof is shorter than others of the same soundness, at more work.
    #[must_use]
    pub const fn is_small(self) -> bool {
        matches!(self, Self::Small | Self::Small80)
    }

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Small => "small",
            Self::Fast80 => "fast-80",
            Self::Small80 => "small-80",
        }
    }

    /// The trees.
    #[must_use]
    pub const fn shape(self) -> Shape {
        match self {
            Self::Fast => Shape { large: 8, small: 8, levels: 8, opened: 110 },
            Self::Small => Shape { large: 11, small: 0, levels: 11, opened: 102 },
            Self::Fast80 => Shape { large: 9, small: 0, levels: 8, opened: 65 },
            Self::Small80 => Shape { large: 6, small: 0, levels: 12, opened: 62 },
        }
    }

    /// The number that stands for it in a proof.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Fast => 1,
            Self::Small => 2,
            Self::Fast80 => 3,
            Self::Small80 => 4,
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|parameters| parameters.code() == code)
    }

    /// The number of zeros that P must find with the challenge of the key, for relations of this `degree` at
    /// most: at most `degree` keys of `2^k` suit a false statement, and one bit is left for everything else.
    #[must_use]
    pub fn key_grinding(self, degree: u64) -> u32 {
        let missing = u32::from(self.sigma()).saturating_sub(self.shape().key_bits() as u32);
        missing + ceil_log2(degree) + 1
    }

    /// The number of zeros that P must find with the challenge of the columns: each tree may stand for
    /// another vector of values, and errors of any may cancel, or those of a branch in a disjunction of at
    /// most this many `branches` (0 without disjunctions). Two bits are left, for this to be a small part of
    /// the bound.
    #[must_use]
    pub fn column_grinding(self, branches: u64) -> u32 {
        let chances = (self.shape().trees() as u64).saturating_mul(cancellations(branches));
        (u32::from(self.sigma()) + ceil_log2(chances) + 2).saturating_sub(128)
    }
}

/// In how many ways the errors of one vector of values may cancel, each with probability `2^-128`, if the
/// largest disjunction has this many `branches`.
pub(crate) const fn cancellations(branches: u64) -> u64 {
    branches.saturating_mul(5).saturating_add(1)
}

/// The least `n` with `2^n >= number`.
const fn ceil_log2(number: u64) -> u32 {
    if number <= 1 { 0 } else { u64::BITS - (number - 1).leading_zeros() }
}

/// The trees of a commitment: some with `2^levels` leaves, then some with half as many.
///
/// They are one tree, whose leaves belong to the trees in turn. So paths to the leaves that stay hidden share
/// their upper parts as soon as possible whatever the challenge is. Node `i` has the children `2 i + 1` and
/// `2 i + 2`, and with `L` leaves in all, these are the nodes from `L - 1` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    large: usize,
    small: usize,
    levels: usize,
    opened: usize,
}

impl Shape {
    /// Any shape, for tests.
    #[cfg(test)]
    pub(crate) const fn of(large: usize, small: usize, levels: usize) -> Self {
        Self { large, small, levels, opened: 0 }
    }

    /// The number of trees.
    #[must_use]
    pub const fn trees(self) -> usize {
        self.large + self.small
    }

    /// The number of levels of tree `t`, which is the number of bits of the challenge that it takes.
    #[must_use]
    pub const fn levels(self, t: usize) -> usize {
        if t < self.large { self.levels } else { self.levels - 1 }
    }

    /// The number of leaves of tree `t`.
    #[must_use]
    pub const fn leaves(self, t: usize) -> usize {
        1 << self.levels(t)
    }

    /// The number of the first leaf of tree `t`, where trees are counted one after another. With `t` the
    /// number of trees, that of all leaves.
    #[must_use]
    pub const fn offset(self, t: usize) -> usize {
        let large = if t < self.large { t } else { self.large };
        (large << self.levels) + ((t - large) << (self.levels - 1))
    }

    /// The number of leaves of all trees.
    #[must_use]
    pub(crate) const fn all_leaves(self) -> usize {
        self.offset(self.trees())
    }

    /// The number of nodes.
    #[must_use]
    pub const fn nodes(self) -> usize {
        2 * self.all_leaves() - 1
    }

    /// The most nodes that an opening may have.
    #[must_use]
    pub const fn opened(self) -> usize {
        self.opened
    }

    /// The bits of the challenge that choose a leaf in each tree.
    #[must_use]
    pub const fn key_bits(self) -> usize {
        self.large * self.levels + self.small * (self.levels - 1)
    }

    /// The number of the first bit of tree `t`'s piece of the challenge.
    #[must_use]
    pub(crate) const fn first_bit(self, t: usize) -> usize {
        let large = if t < self.large { t } else { self.large };
        large * self.levels + (t - large) * (self.levels - 1)
    }

    /// The node that is leaf `j` of tree `t`.
    #[must_use]
    pub const fn node(self, t: usize, j: usize) -> usize {
        let half = 1 << (self.levels - 1);
        let rank =
            if j < half { self.trees() * j + t } else { self.trees() * half + self.large * (j - half) + t };
        self.all_leaves() - 1 + rank
    }

    /// The leaf that the challenge chooses in each tree, from its lowest bits up.
    #[must_use]
    pub fn pieces(self, challenge: u128) -> Vec<usize> {
        let piece = |t| (challenge >> self.first_bit(t)) as usize & (self.leaves(t) - 1);
        (0..self.trees()).map(piece).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trees_share_out_all_leaves_and_all_bits_of_the_key() {
        for parameters in Parameters::ALL {
            let shape = parameters.shape();
            let mut nodes: Vec<_> = (0..shape.trees())
                .flat_map(|t| (0..shape.leaves(t)).map(move |j| shape.node(t, j)))
                .collect();
            assert_eq!(nodes.len(), shape.all_leaves());
            nodes.sort_unstable();
            assert!(nodes.into_iter().eq(shape.all_leaves() - 1..shape.nodes()));
            let last = shape.trees() - 1;
            assert_eq!(shape.first_bit(last) + shape.levels(last), shape.key_bits());
            assert_eq!(Parameters::from_code(parameters.code()), Some(parameters));
        }
        assert_eq!(Parameters::from_code(0), None);
    }

    #[test]
    fn the_keys_of_128_bits_are_those_of_faest() {
        let sizes = |parameters: Parameters| {
            let shape = parameters.shape();
            (shape.trees(), shape.all_leaves(), shape.key_bits())
        };
        assert_eq!(sizes(Parameters::Fast), (16, 3072, 120));
        assert_eq!(sizes(Parameters::Small), (11, 22_528, 121));
    }

    #[test]
    fn grinding_makes_up_for_what_the_key_and_the_degree_lack() {
        assert_eq!(Parameters::Fast.key_grinding(2), 8 + 1 + 1);
        assert_eq!(Parameters::Small.key_grinding(2), 7 + 1 + 1);
        assert_eq!(Parameters::Small.key_grinding(3), 7 + 2 + 1);
        assert_eq!(Parameters::Fast80.key_grinding(2), 8 + 1 + 1);
        assert_eq!([16, 11, 9].map(ceil_log2), [4; 3]);
        assert_eq!(Parameters::Fast.column_grinding(0), 6);
        // 16 trees, and five ways for each branch beside one.
        assert_eq!([1, 2, 3, 1000].map(|n| Parameters::Fast.column_grinding(n)), [9, 10, 10, 19]);
        assert_eq!([0, 1000].map(|n| Parameters::Small80.column_grinding(n)), [0, 0]);
    }
}
