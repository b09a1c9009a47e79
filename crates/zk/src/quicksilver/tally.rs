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
}

impl Tally {
    /// Length of the encoding.
    pub(crate) const BYTES: usize = 24;

    pub(crate) fn encode(&self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        for (out, n) in out.chunks_exact_mut(8).zip([self.secrets, self.multiplications, self.assertions]) {
            out.copy_from_slice(&n.to_le_bytes());
        }
        out
    }

    /// Compares with the peer's encoding.
    pub(crate) fn compare(&self, theirs: &[u8; Self::BYTES]) -> Result<(), Error> {
        let names =
            ["the number of secret values", "the number of multiplications", "the number of assertions"];
        let ours = self.encode();
        for (what, (ours, theirs)) in
            names.into_iter().zip(ours.as_chunks().0.iter().zip(theirs.as_chunks().0))
        {
            if ours != theirs {
                let (ours, theirs) = (u64::from_le_bytes(*ours), u64::from_le_bytes(*theirs));
                return Err(Error::Diverged { what, ours, theirs });
            }
        }
        Ok(())
    }
}
