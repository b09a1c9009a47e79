//! Requests that a browser has saved: as a cURL command ("Copy as cURL"), or in a HAR file.
//!
//! ```text
//! shell   words of a shell command, as bytes
//! curl    a cURL command: words -> a request
//! har     a HAR file: JSON -> entries, each a request and perhaps its response
//! ```
//!
//! Whoever saved a page may not have written it, so everything here is hostile until it is read. What is read
//! holds cookies and tokens: it is wiped, errors name options, fields and places but never show a value, and
//! `Debug` shows nothing. These modules use nothing else of the program, so that fuzz targets can include
//! them.

pub(crate) mod curl;
pub(crate) mod har;
pub(crate) mod shell;

use zeroize::Zeroizing;

/// The most bytes of a cURL command.
pub(crate) const MAX_COMMAND: usize = 1 << 20;
/// The most bytes of a HAR file: browsers save every picture of a visit.
pub(crate) const MAX_HAR: usize = 1 << 27;
/// The most header fields of a message.
pub(crate) const MAX_FIELDS: usize = 256;

/// A header field.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SavedField {
    pub(crate) name: String,
    pub(crate) value: Zeroizing<String>,
}

/// A request that was saved.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SavedRequest {
    /// Upper case letters.
    pub(crate) method: String,
    /// As it was saved, with its query.
    pub(crate) url: Zeroizing<String>,
    pub(crate) fields: Vec<SavedField>,
    pub(crate) body: Option<Zeroizing<Vec<u8>>>,
}

/// A response that was saved.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SavedResponse {
    /// 200 to 599.
    pub(crate) status: u16,
    pub(crate) fields: Vec<SavedField>,
    /// As the browser has it: not compressed.
    pub(crate) body: Zeroizing<Vec<u8>>,
}

impl core::fmt::Debug for SavedRequest {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("SavedRequest").field("method", &self.method).finish_non_exhaustive()
    }
}

impl core::fmt::Debug for SavedResponse {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("SavedResponse").field("status", &self.status).finish_non_exhaustive()
    }
}

impl SavedField {
    /// A field, if name and value can be one. A value has no line ends and no other control characters.
    pub(crate) fn new(name: &str, value: &str) -> Option<Self> {
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let sound = !name.is_empty() && name.bytes().all(token) && !value.chars().any(char::is_control);
        sound.then(|| Self { name: name.into(), value: Zeroizing::new(value.trim().into()) })
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// Whether this is the method of a request.
pub(crate) fn is_method(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase())
}
