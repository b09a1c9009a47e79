//! The hash functions of cipher suites, and the hashes of a handshake's messages.

use sha2::{Digest as _, Sha256, Sha384};

/// A cipher suite's hash function: that of its key derivation and of the handshake's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashFunction {
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
}

impl HashFunction {
    /// Both.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 2] = [Self::Sha256, Self::Sha384];

    /// Bytes of its output.
    #[must_use]
    pub const fn digest_bytes(self) -> usize {
        match self {
            Self::Sha256 => 32,
            Self::Sha384 => 48,
        }
    }

    /// Bits of its output.
    pub(crate) const fn digest_bits(self) -> usize {
        8 * self.digest_bytes()
    }

    /// Bits of a chaining value. That of SHA-384 is longer than the output.
    pub(crate) const fn state_bits(self) -> usize {
        match self {
            Self::Sha256 => 256,
            Self::Sha384 => 512,
        }
    }

    /// Bytes of a block.
    #[cfg(test)]
    pub(crate) const fn block_bytes(self) -> usize {
        match self {
            Self::Sha256 => 64,
            Self::Sha384 => 128,
        }
    }

    /// The hash of a message.
    #[must_use]
    pub fn hash(self, message: &[u8]) -> HandshakeHash {
        let mut running = RunningHash::new(self);
        running.update(message);
        running.value()
    }

    /// A hash of zeros, for steps that are only prepared.
    pub(crate) const fn zeros(self) -> HandshakeHash {
        match self {
            Self::Sha256 => HandshakeHash::Sha256([0; 32]),
            Self::Sha384 => HandshakeHash::Sha384([0; 48]),
        }
    }

    /// The hash with these bytes; `None` unless there are as many as its output has.
    #[must_use]
    pub fn value(self, bytes: &[u8]) -> Option<HandshakeHash> {
        match self {
            Self::Sha256 => bytes.try_into().ok().map(HandshakeHash::Sha256),
            Self::Sha384 => bytes.try_into().ok().map(HandshakeHash::Sha384),
        }
    }
}

/// A hash of messages of a handshake, by the function of the connection's suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandshakeHash {
    /// By SHA-256.
    Sha256([u8; 32]),
    /// By SHA-384.
    Sha384([u8; 48]),
}

impl HandshakeHash {
    /// The function.
    #[must_use]
    pub const fn function(&self) -> HashFunction {
        match self {
            Self::Sha256(_) => HashFunction::Sha256,
            Self::Sha384(_) => HashFunction::Sha384,
        }
    }
}

impl AsRef<[u8]> for HandshakeHash {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Sha256(bytes) => bytes,
            Self::Sha384(bytes) => bytes,
        }
    }
}

/// A hash of messages that come one after the other.
#[derive(Clone)]
pub(crate) enum RunningHash {
    Sha256(Sha256),
    Sha384(Sha384),
}

impl RunningHash {
    /// The hash of nothing.
    pub(crate) fn new(function: HashFunction) -> Self {
        match function {
            HashFunction::Sha256 => Self::Sha256(Sha256::new()),
            HashFunction::Sha384 => Self::Sha384(Sha384::new()),
        }
    }

    /// Appends to the messages.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha256(hash) => hash.update(bytes),
            Self::Sha384(hash) => hash.update(bytes),
        }
    }

    /// The hash of all messages so far.
    pub(crate) fn value(&self) -> HandshakeHash {
        match self {
            Self::Sha256(hash) => HandshakeHash::Sha256(hash.clone().finalize().into()),
            Self::Sha384(hash) => HandshakeHash::Sha384(hash.clone().finalize().into()),
        }
    }
}
