//! Knowledge of an AES-128 key.

use volery_field::F2;
use zeroize::Zeroizing;

use super::Secret;
use crate::gadgets::Aes128;
use crate::{Digest, Error, Prove, Statement};

/// "I know a key under which AES-128 encrypts `plaintext` to `ciphertext`": 6,400 ANDs.
///
/// For one pair of blocks there is about one key in 2^128, but there may be more than one.
#[derive(Debug)]
pub struct Aes128Key {
    plaintext: [u8; 16],
    ciphertext: [u8; 16],
    key: Secret,
}

impl Aes128Key {
    /// The public side of the claim, which the verifier holds.
    #[must_use]
    pub fn new(plaintext: [u8; 16], ciphertext: [u8; 16]) -> Self {
        Self { plaintext, ciphertext, key: Secret(None) }
    }

    /// Adds the witness, which only the prover holds.
    ///
    /// # Errors
    /// [`Error::Witness`] if the key is not 16 bytes long.
    pub fn with_key(mut self, key: Zeroizing<Vec<u8>>) -> Result<Self, Error> {
        self.key = Secret::new("key", key, 16)?;
        Ok(self)
    }
}

impl<B: Prove<F2> + ?Sized> Statement<B> for Aes128Key {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"aes128-key v2");
        digest.bytes("plaintext", &self.plaintext).bytes("ciphertext", &self.ciphertext);
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        backend.enter("aes128");
        let key = self.key.wires(backend, 0, 16)?;
        let schedule = Aes128::new(backend, &key)?;
        schedule.assert_encrypts(backend, self.plaintext, self.ciphertext)?;
        backend.leave();
        Ok(())
    }
}
