//! The hash of all columns, which shows that they are one VOLE.
//!
//! The hash of a column is 128 bits and 16 more: [`LinearHash`] cut to 144 bits. The coefficients of both
//! halves are independent and uniform, and a uniform multiple of what is not zero has any 16 bits with
//! probability `2^-16`, so two different columns have one hash with probability `2^-144` at most. 144 more
//! rows, which nothing else uses, are added to it and hide it.

use volery_field::{Gf128, Wiped};
use volery_vole::softspoken::LinearHash;
use volery_vole::{Error as VoleError, SessionId, Transcript};

/// The bits of a column's hash, and the rows that mask it.
pub(crate) const HASH_BITS: usize = 144;

/// Its bytes: those of the first half, and two of the second.
pub(crate) const HASH_BYTES: usize = HASH_BITS / 8;

/// The hash of every column, as it grows; see [`LinearHash`].
pub(crate) struct Hashes {
    challenges: Transcript,
    sums: Wiped<[Gf128; 2]>,
}

impl Hashes {
    /// Of the first `columns` columns, by the function that `challenge` selects.
    pub(crate) fn new(challenge: [u8; 32], columns: usize) -> Self {
        let challenges = Transcript::new("voleith: hash of the columns", &SessionId::new(challenge));
        Self { challenges, sums: Wiped::new(vec![[Gf128::ZERO; 2]; columns]) }
    }

    /// Adds the first `used` blocks of 128 rows of columns that have `blocks` of them.
    pub(crate) fn absorb(&mut self, columns: &[Gf128], blocks: usize, used: usize) -> Result<(), VoleError> {
        let function = LinearHash::of_body(self.challenges.challenge_seed("block"), used);
        for (sum, column) in self.sums.iter_mut().zip(columns.chunks_exact(blocks)) {
            let part = function.combine(column.get(..used).unwrap_or_default())?;
            sum[0] += part[0];
            sum[1] += part[1];
        }
        Ok(())
    }

    /// Adds the 144 rows from `first` on, and removes what follows `first` from its block of 128 rows.
    pub(crate) fn mask(&mut self, columns: &mut [Gf128], blocks: usize, first: usize) {
        let (at, shift) = (first / 128, first % 128);
        for (sum, column) in self.sums.iter_mut().zip(columns.chunks_exact_mut(blocks)) {
            let word = |i: usize| column.get(at + i).map_or(0, |word| word.to_bits());
            for (i, sum) in sum.iter_mut().enumerate() {
                // The second half has rows that do not exist; its upper bits are cut off in the end.
                let upper = word(i + 1).checked_shl(128 - shift as u32).unwrap_or(0);
                *sum += Gf128::from_bits(word(i) >> shift | upper);
            }
            if let Some(word) = column.get_mut(at) {
                *word = Gf128::from_bits(word.to_bits() & ((1 << shift) - 1));
            }
        }
    }

    /// V: adds P's hash of `u` where delta has a one.
    pub(crate) fn shift(&mut self, hash_of_u: [Gf128; 2], delta: u128) {
        for (_, sum) in self.sums.iter_mut().enumerate().filter(|(i, _)| delta >> i & 1 == 1) {
            sum[0] += hash_of_u[0];
            sum[1] += hash_of_u[1];
        }
    }

    /// The hash of the first column, which is that of `u` at P.
    pub(crate) fn first(&self) -> [Gf128; 2] {
        self.sums.first().copied().unwrap_or_default()
    }

    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery 2026 voleith hashes of the columns v1");
        for sum in self.sums.iter() {
            hasher.update(&cut(sum));
        }
        *hasher.finalize().as_bytes()
    }
}

/// The bytes of a hash.
pub(crate) fn cut(hash: &[Gf128; 2]) -> [u8; HASH_BYTES] {
    let mut bytes = [0; HASH_BYTES];
    let all = hash.iter().flat_map(|half| half.to_bytes());
    bytes.iter_mut().zip(all).for_each(|(to, byte)| *to = byte);
    bytes
}

/// The hash with these bytes, with zeros above.
pub(crate) fn uncut(bytes: [u8; HASH_BYTES]) -> [Gf128; 2] {
    let mut hash = [[0; 16]; 2];
    hash.as_flattened_mut().iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
    hash.map(Gf128::from_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two columns of 640 rows each, of which 296 are used and 144 mask; they share a block of 128.
    #[test]
    fn the_hash_of_columns_depends_on_the_challenge_and_on_every_row_of_values_and_masks() {
        let columns: Vec<_> = (0..10_u128).map(|i| Gf128::from_bits((i * i + 1) << i)).collect();
        let hash = |columns: &[Gf128], challenge: u8| {
            let (mut hashes, mut columns) = (Hashes::new([challenge; 32], 2), columns.to_vec());
            hashes.mask(&mut columns, 5, 296);
            hashes.absorb(&columns, 5, 3).expect("hashes");
            hashes.digest()
        };
        let base = hash(&columns, 1);
        assert_ne!(base, hash(&columns, 2));
        for column in 0..2 {
            for row in (0..640).step_by(3).chain([295, 296, 383, 384, 423, 424, 439, 440]) {
                let mut changed = columns.clone();
                changed[5 * column + row / 128] += Gf128::from_bits(1 << (row % 128));
                assert_eq!(base != hash(&changed, 1), row < 440, "{row}");
            }
        }
    }

    /// A row that masks changes one bit of the hash, so that the hash is as random as they are.
    #[test]
    fn rows_that_mask_are_bits_of_the_hash() {
        for first in [0, 8, 120, 128, 248] {
            for row in 0..HASH_BITS {
                let mut column = [Gf128::ZERO; 4];
                column[(first + row) / 128] = Gf128::from_bits(1 << ((first + row) % 128));
                let mut hashes = Hashes::new([1; 32], 1);
                hashes.mask(&mut column, 4, first);
                hashes.absorb(&column, 4, usize::div_ceil(first, 128)).expect("hashes");
                let mut expected = [0; HASH_BYTES];
                expected[row / 8] = 1 << (row % 8);
                assert_eq!(cut(&hashes.first()), expected, "{first} {row}");
                assert!(cut(&uncut(expected)) == expected);
            }
        }
    }
}
