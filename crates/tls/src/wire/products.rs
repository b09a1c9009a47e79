//! What the protocols that make tags from products have in common: elements in messages, random factors.

use rand_core::CryptoRng;
use volery_channel::{Channel, Tag};
use volery_field::{Field, pack_elements, packed_bytes, unpack_elements};
use volery_vole::Prg;
use volery_vole::ole::OleField;
use zeroize::Zeroizing;

use crate::Error;

/// The packed form of elements.
pub(crate) fn packed<F: OleField>(elements: &[F]) -> Vec<u8> {
    let mut message = Vec::new();
    pack_elements(elements, &mut message);
    message
}

/// Reads packed elements; the bytes are the peer's.
///
/// # Errors
/// [`Error::Malformed`] unless they are this many canonical elements.
pub(crate) fn unpacked<F: OleField>(step: Tag, bytes: &[u8], count: usize) -> Result<Vec<F>, Error> {
    unpack_elements(bytes, count).map_err(|error| Error::malformed(step, error.to_string()))
}

/// Receives this many packed elements.
///
/// # Errors
/// The channel's, also for another length.
pub(crate) fn receive<F: OleField>(
    channel: &mut dyn Channel,
    step: Tag,
    count: usize,
) -> Result<Vec<u8>, Error> {
    let mut message = vec![0; packed_bytes::<F>(count)];
    channel.recv_exact(step, &mut message)?;
    Ok(message)
}

/// A random element.
pub(crate) fn random_element<F: OleField>(rng: &mut (impl CryptoRng + ?Sized)) -> Zeroizing<F> {
    let mut seed = Zeroizing::new([0; 16]);
    rng.fill_bytes(&mut *seed);
    let mut element = Zeroizing::new([F::ZERO]);
    Prg::new(*seed).elements(&mut *element);
    Zeroizing::new(element[0])
}

/// A random element that is not zero.
pub(crate) fn random_factor<F: OleField + Field>(rng: &mut (impl CryptoRng + ?Sized)) -> Zeroizing<F> {
    let mut seed = Zeroizing::new([0; 16]);
    rng.fill_bytes(&mut *seed);
    let mut prg = Prg::new(*seed);
    let mut element = Zeroizing::new([F::ZERO]);
    // Whether another one is drawn says nothing about the one that is taken.
    while element[0].is_zero() {
        prg.elements(&mut *element);
    }
    Zeroizing::new(element[0])
}
