//! The purpose of an attestation: bytes chosen by P, or by whoever will read the attestation.
//!
//! V signs them and knows nothing about them. A reader who drew a nonce knows that the attestation was made
//! for that nonce and after it was drawn. A reader who finds its own name, or the holder's key, knows whom it
//! was made for. A reader who asks for nothing learns none of that: an attestation can be passed on.

use core::fmt;

use serde::{Serialize, Serializer};
use volery_channel::hex;

use super::Error;

/// The most bytes of a [`Context`].
pub const MAX_CONTEXT: usize = 64;

/// The prefix of a context written in hexadecimal digits.
const HEX: &str = "hex:";

/// Up to [`MAX_CONTEXT`] bytes, such as a nonce, an audience's name or the holder's public key; empty by
/// default. It is public.
///
/// Its text form (`Display`, [`str::parse`]) is the bytes themselves if they are visible ASCII characters,
/// and otherwise `hex:` and hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context(Vec<u8>);

impl Context {
    /// A context of these bytes.
    ///
    /// # Errors
    /// [`Error::Statement`] for more than [`MAX_CONTEXT`] bytes.
    pub fn new(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() > MAX_CONTEXT {
            let reason = format!("has {} bytes, at most {MAX_CONTEXT} go in", bytes.len());
            return Err(Error::Statement { what: "context", reason });
        }
        Ok(Self(bytes.to_vec()))
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// It for people to read: as text also if that has blanks and letters of any script, as long as a
    /// terminal shows it as it is; otherwise as `Display` writes it. [`str::parse`] reads either.
    #[must_use]
    pub fn words(&self) -> String {
        let plain = |c: char| c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric();
        match core::str::from_utf8(&self.0) {
            Ok(text) if text.trim() == text && !text.starts_with(HEX) && text.chars().all(plain) => {
                text.into()
            }
            _ => self.to_string(),
        }
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match core::str::from_utf8(&self.0) {
            Ok(text) if !text.starts_with(HEX) && text.bytes().all(|byte| byte.is_ascii_graphic()) => {
                f.write_str(text)
            }
            _ => write!(f, "{HEX}{}", hex::encode(&self.0)),
        }
    }
}

impl core::str::FromStr for Context {
    type Err = Error;

    /// Reads what `Display` writes, and takes any other text as its UTF-8 bytes.
    fn from_str(text: &str) -> Result<Self, Error> {
        let Some(digits) = text.strip_prefix(HEX) else { return Self::new(text.as_bytes()) };
        let wrong = || Error::Statement { what: "context", reason: "is not hexadecimal after `hex:`".into() };
        Self::new(&hex::decode(digits.as_bytes()).ok_or_else(wrong)?)
    }
}

/// In its text form; empty if there is none.
impl Serialize for Context {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_empty() { serializer.serialize_none() } else { serializer.collect_str(self) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_a_context_as_text_if_it_is_some() {
        for (bytes, words) in [
            ("nonce-7", "nonce-7"),
            ("bank 17", "bank 17"),
            ("Z\u{fc}rich, 7", "Z\u{fc}rich, 7"),
            (" x", "hex:2078"),
            ("hex:00", "hex:6865783a3030"),
            ("a\nb", "hex:610a62"),
            ("\u{202e}x", "hex:e280ae78"),
        ] {
            let context = Context::new(bytes.as_bytes()).unwrap();
            assert_eq!(context.words(), words);
            assert_eq!(words.parse(), Ok(context));
        }
        assert_eq!(Context::new(b"\xff").unwrap().words(), "hex:ff");
    }

    #[test]
    fn a_context_is_read_as_it_is_shown() {
        for (bytes, text) in [
            (&b"nonce-7"[..], "nonce-7"),
            (b"hex:00", "hex:6865783a3030"),
            (b"two words", "hex:74776f20776f726473"),
            (b"\x1b[2J\xff", "hex:1b5b324aff"),
            (&[7; MAX_CONTEXT], &format!("hex:{}", "07".repeat(MAX_CONTEXT))),
        ] {
            let context = Context::new(bytes).unwrap();
            assert_eq!(context.to_string(), text);
            assert_eq!(text.parse(), Ok(context));
        }
        assert_eq!("two words".parse(), Context::new(b"two words"));
        assert_eq!("hex:0A".parse(), Context::new(b"\n"));
        for wrong in ["hex:0", "hex:0g", "hex:+1", &"x".repeat(MAX_CONTEXT + 1)] {
            assert!(matches!(wrong.parse::<Context>(), Err(Error::Statement { what: "context", .. })));
        }
    }
}
