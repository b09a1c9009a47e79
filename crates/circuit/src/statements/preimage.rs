//! Knowledge of a hash function's preimage.

use volery_field::F2;
use zeroize::Zeroizing;

use super::{Secret, assert_bytes};
use crate::gadgets::{Compression, Hasher, Sha1, Sha256};
use crate::{Digest, Error, Prove, Statement};

/// "I know a message of `length` bytes whose digest under `H` is `digest`." The length is public.
#[derive(Debug)]
pub struct Preimage<H: Compression> {
    digest: H::Digest,
    length: u64,
    message: Secret,
}

/// A [`Preimage`] under SHA-256; 20,981 ANDs for a message of 32 bytes.
pub type Sha256Preimage = Preimage<Sha256>;

/// A [`Preimage`] under SHA-1.
pub type Sha1Preimage = Preimage<Sha1>;

/// The message is requested in pieces of this many bytes, one block of the hash function.
const PIECE: u64 = 64;

impl<H: Compression> Preimage<H> {
    /// The public side of the claim, which the verifier holds. `length` counts bytes.
    ///
    /// # Errors
    /// [`Error::Public`] for 2^61 bytes or more, which is beyond the hash functions' limit.
    pub fn new(digest: H::Digest, length: u64) -> Result<Self, Error> {
        if length >= 1 << 61 {
            return Err(Error::Public(format!("{} takes messages below 2^61 bytes", H::NAME)));
        }
        Ok(Self { digest, length, message: Secret(None) })
    }

    /// Adds the witness, which only the prover holds.
    ///
    /// # Errors
    /// [`Error::Witness`] if the message does not have the claimed length. This does not check the digest;
    /// [`Evaluator::check`](crate::Evaluator::check) does.
    pub fn with_message(mut self, message: Zeroizing<Vec<u8>>) -> Result<Self, Error> {
        self.message = Secret::new("message", message, self.length)?;
        Ok(self)
    }
}

impl<H: Compression + Sync, B: Prove<F2> + ?Sized> Statement<B> for Preimage<H> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"preimage v1").bytes("function", H::NAME.as_bytes());
        digest.bytes("digest", self.digest.as_ref()).number("length", self.length);
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        backend.enter(H::NAME);
        let mut hasher = Hasher::<H, B::Wire>::new();
        let mut start = 0;
        while start < self.length {
            let piece = PIECE.min(self.length - start);
            // At most 64, so the cast is exact.
            let wires = self.message.wires(backend, start, piece as usize)?;
            hasher.update(backend, &wires)?;
            start += piece;
        }
        let digest = hasher.finish(backend)?;
        assert_bytes(backend, &digest, self.digest.as_ref())?;
        backend.leave();
        Ok(())
    }
}
