//! Running counts of a program's operations, compared at each check.

use crate::Error;

/// How many operations a program made so far. Both parties must have made the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Secret values; over bits eight for each S-box of AES, its output.
    pub secrets: u64,
    /// Multiplications.
    pub multiplications: u64,
    /// Wires claimed to be zero, and disjunctions, each once.
    pub assertions: u64,
    /// Polynomials of degree 2 and more claimed to vanish; in proofs over fields inner products and products of matrices
    /// are among them, over bits two for each S-box of AES.
    pub polynomials: u64,
    /// The greatest degree of one; 0 if there is none. Not compared as a count: an opening's length tells a block's.
    pub degree: usize,
}

impl Tally {
    /// Length of the encoding.
    pub(crate) const BYTES: usize = 32;

    fn counts(&self) -> [u64; 4] {
        [self.secrets, self.multiplications, self.assertions, self.polynomials]
    }

    /// Wires, polynomials and disjunctions claimed to be zero, to vanish, to hold. A proof with none says nothing.
    #[must_use]
    pub fn claims(&self) -> u64 {
        self.assertions.saturating_add(self.polynomials)
    }

    /// Counts a claim that a polynomial of `degree`, at least 2, vanishes.
    pub(crate) fn claim(&mut self, degree: usize) {
        self.polynomials += 1;
        self.degree = self.degree.max(degree);
    }

    pub(crate) fn encode(&self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        for (out, n) in out.chunks_exact_mut(8).zip(self.counts()) {
            out.copy_from_slice(&n.to_le_bytes());
        }
        out
    }

    /// How much of the encoding a Boolean proof sends: the count of polynomials once there are any.
    pub(crate) fn bit_bytes(&self) -> usize {
        if self.polynomials == 0 { Self::BYTES - 8 } else { Self::BYTES }
    }

    /// Compares with the peer's encoding of all counts, or of the first ones.
    pub(crate) fn compare(&self, theirs: &[u8]) -> Result<(), Error> {
        let names = [
            "the number of secret values",
            "the number of multiplications",
            "the number of assertions",
            "the number of polynomials",
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
