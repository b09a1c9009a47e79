//! The identity of a statement: a domain-separated, length-bound BLAKE3 hash.

/// Absorbs the identity of a statement. Both parties compare the result before anything depends on a secret.
///
/// Every item is absorbed with the lengths of its label and of itself, so no two sequences of items collide
/// by concatenation.
#[derive(Clone, Debug)]
pub struct Digest(blake3::Hasher);

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl Digest {
    /// An empty digest.
    #[must_use]
    pub fn new() -> Self {
        Self(blake3::Hasher::new_derive_key("volery 2026 statement digest v1"))
    }

    /// Absorbs `bytes` under `label`.
    pub fn bytes(&mut self, label: &str, bytes: &[u8]) -> &mut Self {
        for part in [label.as_bytes(), bytes] {
            self.0.update(&(part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
        self
    }

    /// Absorbs a number under `label`.
    pub fn number(&mut self, label: &str, number: u64) -> &mut Self {
        self.bytes(label, &number.to_le_bytes())
    }

    /// The 32-byte value.
    #[must_use]
    pub fn finish(&self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}
