//! A plain PRF, with nothing of this crate.

use crate::wire::hash::HashFunction;

/// HMAC with a library's hash (RFC 2104), for keys of at most a block.
fn hmac(hash: HashFunction, key: &[u8], message: &[u8]) -> Vec<u8> {
    let pad = |pad: u8| -> Vec<u8> {
        (0..hash.block_bytes()).map(|i| key.get(i).copied().unwrap_or_default() ^ pad).collect()
    };
    let inner = hash.hash(&[&pad(0x36), message].concat());
    hash.hash(&[&*pad(0x5c), inner.as_ref()].concat()).as_ref().to_vec()
}

/// RFC 5246, section 5, word for word.
pub(crate) fn plain_prf(
    hash: HashFunction,
    secret: &[u8],
    label: &str,
    seed: &[u8],
    length: usize,
) -> Vec<u8> {
    let seed = [label.as_bytes(), seed].concat();
    let (mut a, mut out) = (seed.clone(), Vec::new());
    while out.len() < length {
        a = hmac(hash, secret, &a);
        out.extend(hmac(hash, secret, &[&*a, &seed].concat()));
    }
    out.truncate(length);
    out
}
