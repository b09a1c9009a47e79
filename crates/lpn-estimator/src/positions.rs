//! The matrix of a local code, as Volery's protocols make it: positions from AES under a public key.
//!
//! Row `i` has `l` positions, which are 16 or 32 bits each of the stream `AES(key, 0) | AES(key, 1) | ...`;
//! counters and blocks are little-endian. This is the definition once more, apart from the code that adds
//! rows up; a test of `volery-vole` compares the two.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};

/// The positions of a matrix, of as many rows as wanted.
#[derive(Debug)]
pub struct Positions {
    stream: Aes128,
    dimension: u64,
    locality: usize,
}

impl Positions {
    /// For a `dimension` up to `2^31`: as the protocols have them if it is a power of two, else drawn
    /// uniformly.
    #[must_use]
    pub fn new(key: [u8; 16], dimension: u64, locality: usize) -> Self {
        Self { stream: Aes128::new(&key.into()), dimension, locality }
    }

    /// Those of the rows from `first_row`, a multiple of 8, on.
    pub fn fill(&self, first_row: u64, out: &mut [u32]) {
        let narrow = self.dimension <= 1 << 16 && self.dimension.is_power_of_two();
        let each = if narrow { 8 } else { 4 };
        let first_block = first_row * self.locality as u64 / each as u64;
        for (out, counter) in out.chunks_mut(each).zip(first_block..) {
            let block = self.block(counter);
            for (j, position) in out.iter_mut().enumerate() {
                let bits = (block >> (128 / each * j)) as u32;
                *position = if self.dimension.is_power_of_two() {
                    bits & (self.dimension as u32).wrapping_sub(1)
                } else {
                    ((u64::from(bits) * self.dimension) >> 32) as u32
                };
            }
        }
    }

    fn block(&self, counter: u64) -> u128 {
        let mut block = u128::from(counter).to_le_bytes().into();
        self.stream.encrypt_block(&mut block);
        u128::from_le_bytes(block.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AES-128 of the block of zeros under the key of zeros is the first block of the stream.
    #[test]
    fn positions_are_the_bits_of_aes_in_order() {
        let block = 0x66e9_4bd4_ef8a_2c3b_884c_fa59_ca34_2b2e_u128.swap_bytes();
        for (dimension, width) in [(1 << 10, 16), (1 << 16, 16), (1 << 17, 32)] {
            let mut positions = vec![0; 128 / width];
            Positions::new([0; 16], dimension, 10).fill(0, &mut positions);
            for (i, &position) in positions.iter().enumerate() {
                assert_eq!(u128::from(position), (block >> (width * i)) % u128::from(dimension));
            }
        }
    }

    #[test]
    fn rows_begin_anywhere_and_other_dimensions_are_in_range() {
        for dimension in [1 << 10, 1 << 17, 124_000] {
            let positions = Positions::new([7; 16], dimension, 10);
            let (mut all, mut later) = (vec![0; 400], vec![0; 240]);
            positions.fill(0, &mut all);
            positions.fill(16, &mut later);
            assert_eq!(all[160..], later);
            assert!(all.iter().all(|&position| u64::from(position) < dimension));
        }
    }
}
