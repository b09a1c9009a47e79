//! The operating system's randomness: the one source of it outside tests.

use rand_chacha::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use zeroize::Zeroizing;

use crate::Error;

/// A generator (ChaCha20) with a fresh seed from the operating system.
///
/// # Errors
/// [`Error::Randomness`] if the operating system has none to give: then nothing may be proved or verified.
pub fn os_rng() -> Result<impl CryptoRng + Send + use<>, Error> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *seed).map_err(|error| Error::Randomness(error.to_string()))?;
    Ok(ChaCha20Rng::from_seed(*seed))
}
