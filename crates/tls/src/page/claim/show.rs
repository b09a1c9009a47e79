//! Claims for programs that read JSON: the kind, the values, and the same in words.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use volery_channel::hex;

use super::{Assertion, Bound, Class, Interval};

/// Bytes as text if they are UTF-8, and otherwise in hexadecimal digits.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn put<M: SerializeMap>(&self, map: &mut M, name: &str) -> Result<(), M::Error> {
        match core::str::from_utf8(self.0) {
            Ok(text) => map.serialize_entry(name, text),
            Err(_) => map.serialize_entry(&format!("{name}_hex"), &hex::encode(self.0)),
        }
    }
}

/// An object with `text`, or `text_hex`.
impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.put(&mut map, "text")?;
        map.end()
    }
}

/// An object with at least `kind`, and `words` as in [`Display`](core::fmt::Display). Numbers are texts, so
/// that no reader rounds them.
impl Serialize for Assertion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Equals(text) => {
                map.serialize_entry("kind", "equals")?;
                Bytes(text).put(&mut map, "text")?;
            }
            Self::NotEquals(text) => {
                map.serialize_entry("kind", "not-equals")?;
                Bytes(text).put(&mut map, "text")?;
            }
            Self::OneOf(texts) => {
                map.serialize_entry("kind", "one-of")?;
                let texts: Vec<_> = texts.iter().map(|text| Bytes(text)).collect();
                map.serialize_entry("texts", &texts)?;
            }
            Self::Is(word) => {
                map.serialize_entry("kind", "is")?;
                map.serialize_entry("word", word.word())?;
            }
            Self::Before(instant) => {
                map.serialize_entry("kind", "date")?;
                map.serialize_entry("before", &instant.to_string())?;
            }
            Self::Since(instant) => {
                map.serialize_entry("kind", "date")?;
                map.serialize_entry("since", &instant.to_string())?;
            }
            Self::At { offset, text } => {
                map.serialize_entry("kind", "at")?;
                map.serialize_entry("offset", offset)?;
                Bytes(text).put(&mut map, "text")?;
            }
            Self::Contains(text) => {
                map.serialize_entry("kind", "contains")?;
                Bytes(text).put(&mut map, "text")?;
            }
            Self::Length(length) => {
                map.serialize_entry("kind", "length")?;
                map.serialize_entry("least", length.start())?;
                map.serialize_entry("greatest", length.end())?;
            }
            Self::Characters(count) => {
                map.serialize_entry("kind", "characters")?;
                map.serialize_entry("least", count.start())?;
                map.serialize_entry("greatest", count.end())?;
            }
            Self::Number(Interval { least, greatest }) => {
                map.serialize_entry("kind", "number")?;
                for (bound, names) in [(least, ["at_least", "above"]), (greatest, ["at_most", "below"])] {
                    if let Some(Bound { number, open }) = bound {
                        let [closed, other] = names;
                        map.serialize_entry(if *open { other } else { closed }, &number.to_string())?;
                    }
                }
            }
            Self::Digits => map.serialize_entry("kind", "digits")?,
            Self::Matches(pattern) => {
                map.serialize_entry("kind", "matches")?;
                map.serialize_entry("pattern", pattern)?;
            }
            Self::Custom(own) => {
                map.serialize_entry("kind", "own")?;
                map.serialize_entry("name", own.name())?;
                Bytes(own.parameters()).put(&mut map, "parameters")?;
            }
        }
        map.serialize_entry("words", &self.to_string())?;
        map.end()
    }
}

impl Class {
    /// Its name for programs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::JsonText => "json-text",
            Self::Number => "json-number",
            Self::Word => "json-word",
            Self::Values => "json-values",
            Self::HeaderValue => "header-value",
            Self::Path => "path",
            Self::Query => "query",
            Self::Parameter => "parameter",
            Self::Opaque => "opaque",
        }
    }
}

impl Serialize for Class {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
