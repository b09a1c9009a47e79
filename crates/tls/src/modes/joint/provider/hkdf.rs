//! TLS 1.3's key derivation. rustls derives with HKDF from objects that stand for secrets: those that P may
//! know are the library's own, and those that nobody knows are [`Joint`], whose outputs are the engine's or
//! handles.

use std::sync::Arc;

use rustls::Error;
use rustls::crypto::hmac::Tag;
use rustls::crypto::tls13::{Hkdf, HkdfExpander, OkmBlock, OutputLengthError};
use volery_channel::Cursor;
use zeroize::Zeroizing;

use super::LIBRARY;
use super::session::{HANDLE_BYTES, Session};
use crate::wire::key_schedule::label;
use crate::wire::prf::Side;

/// Bytes of SHA-256's output.
const HASH_BYTES: usize = 32;

/// What a handle stands for, after the session's own bytes.
const SALT: &[u8; HANDLE_BYTES] = b"next salt.......";
const CLIENT_DATA: &[u8; HANDLE_BYTES] = b"client's data...";
const SERVER_DATA: &[u8; HANDLE_BYTES] = b"server's data...";

/// HKDF with SHA-256, of secrets that P may know and of the current session's.
pub(super) struct Derivation;

/// The library's own.
fn library() -> &'static dyn Hkdf {
    LIBRARY.hkdf_provider
}

impl Hkdf for Derivation {
    fn extract_from_zero_ikm(&self, salt: Option<&[u8]>) -> Box<dyn HkdfExpander> {
        match (Session::current(), salt) {
            (Ok(session), Some(salt)) if salt == handle(&session, SALT) => {
                Box::new(Joint { session, secret: Secret::Master })
            }
            _ => library().extract_from_zero_ikm(salt),
        }
    }

    fn extract_from_secret(&self, salt: Option<&[u8]>, secret: &[u8]) -> Box<dyn HkdfExpander> {
        match Session::current() {
            Ok(session) if secret == session.handle() => {
                Box::new(Joint { session, secret: Secret::Handshake })
            }
            Ok(session) if secret.starts_with(b"session ") => {
                // Another session's. Latched; what is derived of it is filler.
                let _ = session.own(secret);
                library().extract_from_zero_ikm(salt)
            }
            _ => library().extract_from_secret(salt, secret),
        }
    }

    fn expander_for_okm(&self, okm: &OkmBlock) -> Box<dyn HkdfExpander> {
        let data = |session: &Arc<Session>| {
            [CLIENT_DATA, SERVER_DATA].into_iter().any(|name| okm.as_ref() == handle(session, name))
        };
        if let Some(session) = Session::current().ok().filter(data) {
            return Box::new(Joint { session, secret: Secret::Data });
        }
        library().expander_for_okm(okm)
    }

    fn hmac_sign(&self, key: &OkmBlock, message: &[u8]) -> Tag {
        library().hmac_sign(key, message)
    }
}

/// What rustls gets for a secret that nobody knows.
fn handle(session: &Session, name: &[u8; HANDLE_BYTES]) -> [u8; HASH_BYTES] {
    let mut handle = [0; HASH_BYTES];
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
            // Latched; the output is then filler.
            let _ = self.session.misuse("the TLS library derives something unknown");
            return Ok(());
        }
        output.iter_mut().zip(self.session.handle()).for_each(|(to, from)| *to = *from);
        Ok(())
    }

    fn expand_block(&self, info: &[&[u8]]) -> OkmBlock {
        // Errors are latched; the output is then filler.
        let block = self.derive(&info.concat()).unwrap_or_else(|_| Zeroizing::new([0; HASH_BYTES]));
        OkmBlock::new(&*block)
    }

    fn hash_len(&self) -> usize {
        HASH_BYTES
    }
}

impl Joint {
    /// The secret that is derived with this input.
    fn derive(&self, info: &[u8]) -> Result<Zeroizing<[u8; HASH_BYTES]>, Error> {
        let session = &*self.session;
        let unknown = || session.misuse("the TLS library derives something unknown");
        let (name, context) = parse(info).ok_or_else(unknown)?;
        let hash = <[u8; HASH_BYTES]>::try_from(context.as_slice()).map_err(|_| unknown())?;
        let for_side = |of: fn(Side) -> &'static str| {
            [Side::Client, Side::Server].into_iter().find(|side| of(*side) == name)
        };
        let handle = |name| Ok(Zeroizing::new(handle(session, name)));
        match self.secret {
            Secret::Handshake if name == label::DERIVED => handle(SALT),
            Secret::Handshake => {
                let side = for_side(label::handshake).ok_or_else(unknown)?;
                let [client, server] = session.handshake_secrets(hash)?;
                Ok(if side == Side::Client { client } else { server })
            }
            // Nobody exports anything, and nobody resumes.
            Secret::Master if ["exp master", "res master"].contains(&&*name) => {
                Ok(Zeroizing::new([0; HASH_BYTES]))
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
