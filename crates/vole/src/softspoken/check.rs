//! The random linear hash of the extension's consistency check.
//!
//! The hash of a column of `b + 2` blocks `x_j` in GF(2^128) is
//! `(x_b + sum_j f_j x_j,  x_{b+1} + sum_j g_j x_j)`, with `j` below `b`. All `f_j`, `g_j` are independent
//! and uniform: outputs of BLAKE3, keyed by the challenge. The hash is linear over F2.
//!
//! * *Universal*: two different columns collide with probability at most 2^-256. If they differ in a block
//!   `j < b`, then for each half at most one `f_j` (`g_j`) makes the halves equal. If they differ only in the
//!   last two blocks, they never collide.
//! * *Hiding*: the last two blocks are one-time pads of the two halves.

use volery_field::Gf128;
use volery_field::gf128::Kernel;
use zeroize::Zeroizing;

use super::{BLOCK, DIGEST, MASK_BLOCKS};
use crate::{ChallengeSeed, Error, Transcript};

/// The two halves of a column's hash.
pub(super) type Hash = [Gf128; 2];

/// The hash function that a challenge selects: linear over bits, and universal with 256 bits, since its
/// coefficients are independent (a polynomial's powers are not, and its bound falls with the length).
pub struct LinearHash {
    coefficients: [Vec<Gf128>; 2],
}

impl LinearHash {
    /// The function for columns of `blocks` blocks.
    pub(super) fn new(challenge: ChallengeSeed<DIGEST>, blocks: usize) -> Self {
        Self::of_body(challenge, blocks - MASK_BLOCKS)
    }

    /// The function for this many blocks without their masks.
    #[must_use]
    pub fn of_body(challenge: ChallengeSeed<DIGEST>, blocks: usize) -> Self {
        let mut reader = blake3::Hasher::new_keyed(&challenge.into_bytes()).finalize_xof();
        let mut draw = || {
            let mut bytes = vec![0; blocks * BLOCK];
            reader.fill(&mut bytes);
            bytes.as_chunks().0.iter().map(|b| Gf128::from_bits(u128::from_le_bytes(*b))).collect()
        };
        Self { coefficients: [draw(), draw()] }
    }

    /// The hash of one column.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the column does not have the function's length, so that a wrong length never
    /// passes as a hash.
    pub(super) fn hash(&self, column: &[Gf128]) -> Result<Hash, Error> {
        let (body, masks) = column
            .split_last_chunk::<MASK_BLOCKS>()
            .ok_or_else(|| Error::misuse(format!("a column of {} blocks has no masks", column.len())))?;
        let sums = self.combine(body)?;
        Ok([masks[0] + sums[0], masks[1] + sums[1]])
    }

    /// `[sum f_j x_j, sum g_j x_j]` of a column without its masks. The caller adds 256 random bits of the
    /// column, and may add the sums of functions of other challenges over other parts of it.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the column does not have the function's length.
    pub fn combine(&self, body: &[Gf128]) -> Result<[Gf128; 2], Error> {
        let mut out = [Gf128::ZERO; 2];
        for (out, coefficients) in out.iter_mut().zip(&self.coefficients) {
            let product = Kernel::detect().inner_product(coefficients, body);
            *out = product.map_err(|error| Error::misuse(error.to_string()))?;
        }
        Ok(out)
    }

    /// The hashes of all columns.
    ///
    /// # Errors
    /// As [`hash`](Self::hash).
    pub(super) fn hash_all(&self, columns: &[Gf128], blocks: usize) -> Result<Zeroizing<Vec<Hash>>, Error> {
        let hashes: Result<Vec<_>, _> =
            columns.chunks_exact(blocks).map(|column| self.hash(column)).collect();
        hashes.map(Zeroizing::new)
    }
}

/// The bytes of a hash.
pub(super) fn encode(hash: &Hash) -> [u8; DIGEST] {
    let mut out = [0; DIGEST];
    for (out, half) in out.as_chunks_mut::<BLOCK>().0.iter_mut().zip(hash) {
        *out = half.to_bits().to_le_bytes();
    }
    out
}

/// The hash with these bytes; every string is one.
pub(super) fn decode(bytes: &[u8; DIGEST]) -> Hash {
    let mut out = [Gf128::ZERO; 2];
    for (out, bytes) in out.iter_mut().zip(bytes.as_chunks::<BLOCK>().0) {
        *out = Gf128::from_bits(u128::from_le_bytes(*bytes));
    }
    out
}

/// The digest of all columns' hashes that P sends and V recomputes; it enters the transcript.
pub(super) fn digest(transcript: &mut Transcript, hash_of_u: &[u8; DIGEST], hashes: &[Hash]) -> [u8; DIGEST] {
    transcript.absorb("hash of u", hash_of_u);
    let mut bytes = Zeroizing::new(Vec::with_capacity(super::COLUMNS * DIGEST));
    for hash in hashes {
        bytes.extend_from_slice(&encode(hash));
    }
    transcript.absorb("hashes of the columns", &bytes);
    transcript.challenge_seed("digest").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionId;

    fn challenge(seed: u8) -> ChallengeSeed<DIGEST> {
        Transcript::new("test", &SessionId::new([seed; 32])).challenge_seed("c")
    }

    #[test]
    fn the_hash_is_linear_masked_and_depends_on_every_block() {
        let function = LinearHash::new(challenge(1), 6);
        let hash = |column: &[Gf128]| function.hash(column).unwrap();
        let unit = |j: usize, bit: u32| {
            let mut column = [Gf128::ZERO; 6];
            column[j] = Gf128::from_bits(1 << bit);
            column
        };
        assert!(hash(&unit(4, 5)) == [Gf128::from_bits(32), Gf128::ZERO]);
        assert!(hash(&unit(5, 5)) == [Gf128::ZERO, Gf128::from_bits(32)]);
        for j in 0..4 {
            let (one, two) = (hash(&unit(j, 0)), hash(&unit(j, 127)));
            assert!(one[0] != Gf128::ZERO && one[1] != Gf128::ZERO && one[0] != one[1]);
            let mut both = unit(j, 0);
            both[j] += unit(j, 127)[j];
            assert!(hash(&both) == [one[0] + two[0], one[1] + two[1]]);
            assert!(LinearHash::new(challenge(2), 6).hash(&unit(j, 0)).unwrap() != one);
        }
    }

    #[test]
    fn a_column_of_another_length_has_no_hash() {
        for blocks in [0, 1, 2, 5, 7] {
            let result = LinearHash::new(challenge(1), 6).hash(&vec![Gf128::ONE; blocks]);
            assert!(matches!(result, Err(Error::Misuse(_))), "{blocks}");
        }
    }

    #[test]
    fn encoding_is_inverted_by_decoding() {
        let hash = LinearHash::new(challenge(3), 3).hash(&[Gf128::ONE; 3]).unwrap();
        assert!(decode(&encode(&hash)) == hash);
    }
}
