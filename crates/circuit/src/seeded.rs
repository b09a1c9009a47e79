//! Public randomness from a seed: coefficients that both parties expand, and public witnesses for
//! measurements.

use volery_field::Element;

/// An endless stream of elements that depends only on its domain and seed (BLAKE3 in its extendable-output
/// mode).
pub(crate) struct Seeded {
    stream: blake3::OutputReader,
    buffer: [u8; Self::BUFFER],
    used: usize,
}

impl Seeded {
    const BUFFER: usize = 1 << 10;

    /// The stream of `seed` in its own domain, which names its purpose.
    pub(crate) fn new(domain: &str, seed: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("volery 2026 public expansion v1");
        hasher.update(&(domain.len() as u64).to_le_bytes()).update(domain.as_bytes()).update(seed);
        Self { stream: hasher.finalize_xof(), buffer: [0; Self::BUFFER], used: Self::BUFFER }
    }

    #[inline]
    fn block(&mut self) -> u128 {
        if self.used == Self::BUFFER {
            self.stream.fill(&mut self.buffer);
            self.used = 0;
        }
        let block = self.buffer[self.used..].first_chunk().copied().unwrap_or_default();
        self.used += 16;
        u128::from_le_bytes(block)
    }

    /// The next number below `bound` (which must not be 0), uniform up to `2^-64` times the bound.
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        match bound.is_power_of_two() {
            // A division of two words takes as long as the rest.
            true => self.block() as u64 & (bound - 1),
            false => (self.block() % u128::from(bound.max(1))) as u64,
        }
    }

    /// The next element, as close to uniform as [`Element::from_blocks`] makes it.
    #[inline]
    pub(crate) fn element<F: Element>(&mut self) -> F {
        let mut blocks = [0; Self::MOST_BLOCKS];
        let blocks = &mut blocks[..F::BLOCKS.min(Self::MOST_BLOCKS)];
        blocks.fill_with(|| self.block());
        F::from_blocks(blocks)
    }

    /// The number of blocks of the largest element.
    const MOST_BLOCKS: usize = 8;

    /// The next `n` elements.
    pub(crate) fn elements<F: Element>(&mut self, n: usize) -> Vec<F> {
        (0..n).map(|_| self.element()).collect()
    }
}

#[cfg(test)]
mod tests {
    use volery_field::F61;

    use super::*;

    #[test]
    fn streams_repeat_and_differ_by_domain_and_seed() {
        let stream = |domain: &str, seed: &[u8]| Seeded::new(domain, seed).elements::<F61>(100);
        assert!(stream("a", b"1") == stream("a", b"1"));
        assert!(stream("a", b"1") != stream("a", b"2"));
        assert!(stream("a", b"bc") != stream("ab", b"c"));
        let mut seeded = Seeded::new("numbers", b"");
        let numbers: Vec<u64> = (0..1000).map(|_| seeded.below(7)).collect();
        assert!((0..7).all(|n| numbers.contains(&n)) && numbers.iter().all(|&n| n < 7));
        // Powers of two take another way to the same numbers.
        let [mut seeded, mut blocks] = [(); 2].map(|()| Seeded::new("numbers", b""));
        for bit in 0..64 {
            assert_eq!(u128::from(seeded.below(1 << bit)), blocks.block() % (1 << bit));
        }
    }
}
