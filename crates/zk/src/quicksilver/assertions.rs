//! The hash of everything that was claimed to be zero.

use volery_field::{Element, Gf128, Wiped};

use crate::Error;

/// Absorbs tags at P and keys at V. They are equal exactly if the wires are zero (or delta was guessed).
pub(super) struct Assertions {
    hasher: blake3::Hasher,
    /// Elements that are not absorbed yet, because hashing short inputs is slow.
    buffer: Wiped<u8>,
}

/// The number of bytes absorbed at once.
const BUFFER: usize = 1 << 12;

impl Assertions {
    pub(super) fn new() -> Self {
        let hasher = blake3::Hasher::new_derive_key("volery 2026 quicksilver assertions v1");
        Self { hasher, buffer: Wiped::new(Vec::with_capacity(BUFFER + 64)) }
    }

    #[inline]
    pub(super) fn push(&mut self, element: Gf128) {
        self.buffer.extend_from_slice(&element.to_bits().to_le_bytes());
        self.spill();
    }

    /// Absorbs a tag or key over another field.
    #[inline]
    pub(super) fn push_element<E: Element>(&mut self, element: E) -> Result<(), Error> {
        let start = self.buffer.len();
        self.buffer.resize(start + E::BYTES, 0);
        let encoded = element.encode(&mut self.buffer[start..]);
        encoded.map_err(|error| volery_circuit::Error::misuse(error.to_string()))?;
        self.spill();
        Ok(())
    }

    #[inline]
    fn spill(&mut self) {
        if self.buffer.len() >= BUFFER {
            self.hasher.update(&self.buffer);
            self.buffer.clear();
        }
    }

    pub(super) fn finish(&mut self) -> [u8; 32] {
        self.hasher.update(&self.buffer);
        self.buffer.clear();
        *self.hasher.finalize().as_bytes()
    }
}
