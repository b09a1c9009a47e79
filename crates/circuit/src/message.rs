//! A message that a public proof is about, besides its statement.

use std::io::{self, Read};

/// The digest of a message.
///
/// A public proof with a message is a signature of it by whoever knows the witness: its challenge is a hash
/// of the message, too, so nobody can make it from proofs about other messages or about none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message([u8; 32]);

/// What tells these hashes from all others.
const CONTEXT: &str = "volery 2026 message of a public proof v1";

impl Message {
    /// The message with these bytes.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        Self(blake3::derive_key(CONTEXT, bytes))
    }

    /// The message with everything that `input` has.
    ///
    /// # Errors
    /// Those of `input`.
    pub fn read(input: impl Read) -> io::Result<Self> {
        let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
        hasher.update_reader(input)?;
        Ok(Self(*hasher.finalize().as_bytes()))
    }

    /// The digest.
    #[must_use]
    pub const fn digest(&self) -> &[u8; 32] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_hashed_whole() {
        let long = vec![7; 100_000];
        assert_eq!(Message::read(&long[..]).expect("reads"), Message::new(&long));
        let others = [&long[1..], &long[..99_999], &[]].map(Message::new);
        assert!(others.iter().all(|other| *other != Message::new(&long)));
    }
}
