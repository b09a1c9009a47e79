//! Hashes and HMAC.

use hmac::digest::Key;
use hmac::{KeyInit, Mac};
use rustls::crypto::hash::{Context, Hash, HashAlgorithm, Output};
use rustls::crypto::hmac::{self as tls_hmac, Tag};
use sha2::{Sha256, Sha384};
use zeroize::Zeroizing;

use crate::wire::hash::{HashFunction, RunningHash};

/// The hash of messages, and HMAC with it.
pub(in crate::wire::library) struct Function(HashFunction);

pub(in crate::wire::library) static SHA256: Function = Function(HashFunction::Sha256);
pub(super) static SHA384: Function = Function(HashFunction::Sha384);

impl Hash for Function {
    fn start(&self) -> Box<dyn Context> {
        Box::new(Running(RunningHash::new(self.0)))
    }

    fn hash(&self, bytes: &[u8]) -> Output {
        Output::new(self.0.hash(bytes).as_ref())
    }

    fn output_len(&self) -> usize {
        self.0.digest_bytes()
    }

    fn algorithm(&self) -> HashAlgorithm {
        match self.0 {
            HashFunction::Sha256 => HashAlgorithm::SHA256,
            HashFunction::Sha384 => HashAlgorithm::SHA384,
        }
    }
}

struct Running(RunningHash);

impl Context for Running {
    fn fork_finish(&self) -> Output {
        Output::new(self.0.value().as_ref())
    }

    fn fork(&self) -> Box<dyn Context> {
        Box::new(Self(self.0.clone()))
    }

    fn finish(self: Box<Self>) -> Output {
        self.fork_finish()
    }

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
}

impl tls_hmac::Hmac for Function {
    fn with_key(&self, key: &[u8]) -> Box<dyn tls_hmac::Key> {
        match self.0 {
            HashFunction::Sha256 => keyed::<hmac::Hmac<Sha256>>(self.0, key),
            HashFunction::Sha384 => keyed::<hmac::Hmac<Sha384>>(self.0, key),
        }
    }

    fn hash_output_len(&self) -> usize {
        self.0.digest_bytes()
    }
}

/// HMAC with this key, as a block of the hash: a longer one is hashed first (RFC 2104).
fn keyed<M>(function: HashFunction, key: &[u8]) -> Box<dyn tls_hmac::Key>
where
    M: Mac + KeyInit + Clone + Send + Sync + 'static,
{
    let mut block = Zeroizing::new(Key::<M>::default());
    if key.len() > block.len() {
        block.iter_mut().zip(function.hash(key).as_ref()).for_each(|(byte, hashed)| *byte = *hashed);
    } else {
        block.iter_mut().zip(key).for_each(|(byte, given)| *byte = *given);
    }
    Box::new(Keyed(M::new(&block)))
}

struct Keyed<M>(M);

impl<M: Mac + Clone + Send + Sync> tls_hmac::Key for Keyed<M> {
    fn sign_concat(&self, first: &[u8], middle: &[&[u8]], last: &[u8]) -> Tag {
        let mut mac = self.0.clone();
        mac.update(first);
        middle.iter().for_each(|part| mac.update(part));
        mac.update(last);
        Tag::new(&mac.finalize().into_bytes())
    }

    fn tag_len(&self) -> usize {
        M::output_size()
    }
}
