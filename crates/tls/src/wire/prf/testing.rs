//! A plain PRF, with nothing of this crate.

use sha2::{Digest, Sha256};

/// HMAC-SHA256 with a library's hash (RFC 2104), for keys of at most a block.
fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let pad =
        |pad: u8| -> Vec<u8> { (0..64).map(|i| key.get(i).copied().unwrap_or_default() ^ pad).collect() };
    let inner = Sha256::digest([&pad(0x36), message].concat());
    Sha256::digest([&pad(0x5c), &*inner].concat()).to_vec()
}

/// RFC 5246, section 5, word for word.
pub(crate) fn plain_prf(secret: &[u8], label: &str, seed: &[u8], length: usize) -> Vec<u8> {
    let seed = [label.as_bytes(), seed].concat();
    let (mut a, mut out) = (seed.clone(), Vec::new());
    while out.len() < length {
        a = hmac(secret, &a);
        out.extend(hmac(secret, &[&*a, &seed].concat()));
    }
    out.truncate(length);
    out
}
