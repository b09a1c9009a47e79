//! TLS 1.3's key derivation. rustls derives with HKDF from objects that stand for secrets: those that P may
//! know are the library's own, and those that nobody knows are [`Joint`], whose outputs are the engine's or
//! handles.

use std::sync::Arc;

use rustls::crypto::hmac::Tag;
use rustls::crypto::tls13::{Hkdf, HkdfExpander, OkmBlock, OutputLengthError};
use rustls::{Error, Tls13CipherSuite};
use volery_channel::Cursor;
use zeroize::Zeroizing;

use super::session::{HANDLE_BYTES, Session, is_handle};
use crate::wire::key_schedule::label;
use crate::wire::prf::Side;

/// What nothing is made of: it looks like a handle, and is none.
const FILLER: &[u8; MAX_HASH] = b"session of nobody, so no secret, whoever uses it";

/// Bytes of the longest output of a hash, SHA-384's.
const MAX_HASH: usize = 48;

/// What a handle stands for, after the session's own bytes.
const SALT: &[u8; HANDLE_BYTES] = b"next salt.......";
const CLIENT_DATA: &[u8; HANDLE_BYTES] = b"client's data...";
const SERVER_DATA: &[u8; HANDLE_BYTES] = b"server's data...";

/// HKDF with a suite's hash, of secrets that P may know and of the current session's.
pub(super) struct Derivation(pub(super) &'static Tls13CipherSuite);

impl Derivation {
    /// The library's own.
    fn library(&self) -> &'static dyn Hkdf {
        self.0.hkdf_provider
    }

    /// The object of a handle, which must be one of those that are `possible` in the current session. `None`
    /// for what is no handle, but a secret that P may know. A handle out of place is latched, and nothing is
    /// derived of it.
    fn joint(
        &self,
        secret: &[u8],
        possible: impl FnOnce(&Session) -> Vec<(Vec<u8>, Secret)>,
    ) -> Option<Box<dyn HkdfExpander>> {
        if !is_handle(secret) {
            return None;
        }
        let refused = Refused(self.0.common.hash_provider.output_len());
        let Ok(session) = Session::current() else { return Some(Box::new(refused)) };
        match possible(&session).into_iter().find(|(handle, _)| handle == secret) {
            Some((_, secret)) => Some(Box::new(Joint { session, secret })),
            None => {
                let _ =
                    session.misuse("the TLS library brought a secret of another session or of another use");
                Some(Box::new(refused))
            }
        }
    }
}

impl Hkdf for Derivation {
    fn extract_from_zero_ikm(&self, salt: Option<&[u8]>) -> Box<dyn HkdfExpander> {
        let salts = |session: &Session| vec![(handle(session, SALT), Secret::Master)];
        let object = self.joint(salt.unwrap_or_default(), salts);
        object.unwrap_or_else(|| self.library().extract_from_zero_ikm(salt))
    }

    fn extract_from_secret(&self, salt: Option<&[u8]>, secret: &[u8]) -> Box<dyn HkdfExpander> {
        let exchanges = |session: &Session| vec![(session.handle().to_vec(), Secret::Handshake)];
        self.joint(secret, exchanges).unwrap_or_else(|| self.library().extract_from_secret(salt, secret))
    }

    fn expander_for_okm(&self, okm: &OkmBlock) -> Box<dyn HkdfExpander> {
        let data = |session: &Session| {
            [CLIENT_DATA, SERVER_DATA].map(|name| (handle(session, name), Secret::Data)).to_vec()
        };
        self.joint(okm.as_ref(), data).unwrap_or_else(|| self.library().expander_for_okm(okm))
    }

    fn hmac_sign(&self, key: &OkmBlock, message: &[u8]) -> Tag {
        self.library().hmac_sign(key, message)
    }
}

/// What is derived of a secret that does not belong here: filler that no cipher takes for a key, as long as a
/// hash.
struct Refused(usize);

impl HkdfExpander for Refused {
    fn expand_slice(&self, _: &[&[u8]], output: &mut [u8]) -> Result<(), OutputLengthError> {
        output.iter_mut().zip(FILLER.iter().cycle()).for_each(|(to, from)| *to = *from);
        Ok(())
    }

    fn expand_block(&self, _: &[&[u8]]) -> OkmBlock {
        OkmBlock::new(filler(self.0))
    }

    fn hash_len(&self) -> usize {
        self.0
    }
}

/// Filler of this length.
fn filler(length: usize) -> &'static [u8] {
    FILLER.get(..length).unwrap_or(FILLER)
}

/// What rustls gets for a secret that nobody knows, as long as a hash.
fn handle(session: &Session, name: &[u8; HANDLE_BYTES]) -> Vec<u8> {
    let mut handle = vec![0; session.suite().hash().digest_bytes()];
    handle.iter_mut().zip(session.handle().iter().chain(name)).for_each(|(to, from)| *to = *from);
    handle
}

/// A secret that nobody knows.
#[derive(Clone, Copy)]
enum Secret {
    Handshake,
    Master,
    /// The traffic secret of a side's data.
    Data,
}

/// A secret of the session that nobody knows.
struct Joint {
    session: Arc<Session>,
    secret: Secret,
}

impl HkdfExpander for Joint {
    fn expand_slice(&self, info: &[&[u8]], output: &mut [u8]) -> Result<(), OutputLengthError> {
        output.fill(0);
        let key = parse(&info.concat()).is_some_and(|(name, _)| [label::KEY, label::IV].contains(&&*name));
        if !key || !matches!(self.secret, Secret::Data) {
            // Latched.
            let _ = self.session.misuse("the TLS library derives something unknown");
            return Refused(self.hash_len()).expand_slice(info, output);
        }
        output.iter_mut().zip(self.session.handle()).for_each(|(to, from)| *to = *from);
        Ok(())
    }

    fn expand_block(&self, info: &[&[u8]]) -> OkmBlock {
        // Errors are latched; the output is then filler.
        let block =
            self.derive(&info.concat()).unwrap_or_else(|_| Zeroizing::new(filler(self.hash_len()).to_vec()));
        OkmBlock::new(&block)
    }

    fn hash_len(&self) -> usize {
        self.session.suite().hash().digest_bytes()
    }
}

impl Joint {
    /// The secret that is derived with this input.
    fn derive(&self, info: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        let session = &*self.session;
        let unknown = || session.misuse("the TLS library derives something unknown");
        let (name, context) = parse(info).ok_or_else(unknown)?;
        let hash = session.hash_of(&context).ok_or_else(unknown)?;
        let for_side = |of: fn(Side) -> &'static str| {
            [Side::Client, Side::Server].into_iter().find(|side| of(*side) == name)
        };
        let handle = |name| Ok(Zeroizing::new(handle(session, name)));
        match self.secret {
            Secret::Handshake if name == label::DERIVED => handle(SALT),
            Secret::Handshake => {
                let side = for_side(label::handshake).ok_or_else(unknown)?;
                let [client, server] = session.handshake_secrets(hash)?;
                let secret = if side == Side::Client { client } else { server };
                Ok(Zeroizing::new(secret.bytes().to_vec()))
            }
            // Nobody exports anything, and nobody resumes.
            Secret::Master if ["exp master", "res master"].contains(&&*name) => {
                Ok(Zeroizing::new(vec![0; self.hash_len()]))
            }
            Secret::Master => {
                let side = for_side(label::application).ok_or_else(unknown)?;
                session.data_keys(hash)?;
                handle(if side == Side::Client { CLIENT_DATA } else { SERVER_DATA })
            }
            Secret::Data => Err(unknown()),
        }
    }
}

/// Label and context of HKDF-Expand-Label's input (RFC 8446, section 7.1).
fn parse(info: &[u8]) -> Option<(String, Vec<u8>)> {
    let mut cursor = Cursor::new(info);
    let _length = cursor.u16("a length").ok()?;
    let label = cursor.vector8("a label").ok()?.strip_prefix(b"tls13 ")?;
    let context = cursor.vector8("a context").ok()?;
    cursor.finish().ok()?;
    Some((String::from_utf8(label.to_vec()).ok()?, context.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::key_schedule::expansion;

    #[test]
    fn an_input_of_the_derivation_is_label_and_context() {
        let info = expansion("c hs traffic", &[7; 32], 32);
        // HKDF-Expand adds the number of its block.
        let (counter, info) = info.split_last().unwrap();
        assert_eq!((*counter, parse(info)), (1, Some(("c hs traffic".into(), vec![7; 32]))));
        for wrong in [&info[1..], &info[..info.len() - 1], &[info, &[0]].concat(), b""] {
            assert_eq!(parse(wrong), None);
        }
    }
}
