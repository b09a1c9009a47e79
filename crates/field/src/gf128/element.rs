//! GF(2^128) as an [`Element`](crate::Element): uniform elements, packing and sums.

use super::Gf128;
use crate::Element;

impl Element for Gf128 {
    const BITS: u32 = 128;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn from_blocks(blocks: &[u128]) -> Self {
        Self::from_bits(blocks.first().copied().unwrap_or_default())
    }

    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self::from_bits(self.to_bits() & (u128::from(mask) << 64 | u128::from(mask)))
    }
}
