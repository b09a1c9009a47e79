//! Running counts of a program's operations, compared at each check.

use crate::Error;

/// How many operations a program made so far. Both parties must have made the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Secret values.
    pub secrets: u64,
    /// Multiplications.
    pub multiplications: u64,
    /// Wires claimed to be zero.
    pub assertions: u64,
    /// Polynomials claimed to vanish, inner products and products of matrices included; none in Boolean proofs.
    pub polynomials: u64,
}

impl Tally {
    /// Length of the encoding.
    pub(crate) const BYTES: usize = 24;

    /// Length of the encoding with all counts.
    pub(crate) const WIDE_BYTES: usize = 32;

    fn counts(&self) -> [u64; 4] {
        [self.secrets, self.multiplications, self.assertions, self.polynomials]
    }

    pub(crate) fn encode(&self) -> [u8; Self::BYTES] {
        core::array::from_fn(|i| self.encode_wide()[i])
    }

    pub(crate) fn encode_wide(&self) -> [u8; Self::WIDE_BYTES] {
        let mut out = [0; Self::WIDE_BYTES];
        for (out, n) in out.chunks_exact_mut(8).zip(self.counts()) {
            out.copy_from_slice(&n.to_le_bytes());
        }
        out
    }

    /// Compares with the peer's encoding.
    pub(crate) fn compare(&self, theirs: &[u8; Self::BYTES]) -> Result<(), Error> {
        self.compare_wide(theirs)
    }

    /// Compares with the peer's encoding of all counts, or of the first ones.
    pub(crate) fn compare_wide(&self, theirs: &[u8]) -> Result<(), Error> {
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
