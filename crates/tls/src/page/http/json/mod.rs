//! Values of a JSON text (RFC 8259) as ranges of it.
//!
//! The whole text is read, strictly: what two readers may take differently is refused. Keys must not come
//! twice in an object, in any of its spellings; escapes must be whole characters; nothing comes after the
//! value. So the value at a path is the one that every reader finds there.
//!
//! ```text
//! text  {"a": {"b": [1, {"c": "x"}]}}        path  a.b[1].c        value  "x", content x
//! ```

mod decimal;
mod path;
mod reader;
#[cfg(test)]
mod tests;

pub use decimal::{Decimal, DecimalError};
pub use path::{Path, PathError, Step};

use core::ops::Range;

use zeroize::Zeroizing;

/// The greatest depth of arrays and objects in each other.
pub const MAX_DEPTH: usize = 64;

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not JSON.
    #[error("the body is not JSON; byte {offset}: {reason}")]
    Syntax {
        /// Where, in bytes from the text's beginning.
        offset: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// Two values have one key.
    #[error("byte {offset}: an object has this key twice, so it is not clear which value is meant")]
    Duplicate {
        /// Where the key comes again.
        offset: usize,
    },
    /// Arrays and objects are nested too deep.
    #[error("byte {offset}: arrays and objects are nested more than {MAX_DEPTH} deep")]
    Depth {
        /// The place, in bytes from the start of the document.
        offset: usize,
    },
    /// There is no value at the path.
    #[error("the body has nothing at {path}: it ends after {found} of its {} steps", path.steps().len())]
    Missing {
        /// The path.
        path: Path,
        /// How many of its steps lead to a value.
        found: usize,
    },
    /// It has more values than a list of them may be long.
    #[error("the body has more than {most} values")]
    Many {
        /// How long the list may be.
        most: usize,
    },
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// What it is.
    pub kind: Kind,
    /// Where it is in the text, quotes and brackets included.
    pub range: Range<usize>,
}

impl Value {
    /// Where its content is: a string without its quotes, escapes as they are written; anything else whole.
    #[must_use]
    pub fn content(&self) -> Range<usize> {
        let Range { start, end } = self.range;
        if self.kind == Kind::String { start.saturating_add(1)..end.saturating_sub(1) } else { start..end }
    }
}

/// The value at `path` of `text`.
///
/// # Errors
/// Those of [`enum@Error`]; the whole text is read before [`Error::Missing`] is reported.
pub fn find(text: &[u8], path: &Path) -> Result<Value, Error> {
    let mut reader = reader::Reader::new(text, path.steps())?;
    reader.document()?;
    let missing = || Error::Missing { path: path.clone(), found: reader.deepest };
    reader.value.take().ok_or_else(missing)
}

/// All values of `text` that hold no others, in their order, each with its path: at most so many.
///
/// # Errors
/// Those of [`enum@Error`].
pub fn leaves(text: &[u8], most: usize) -> Result<Vec<(Path, Value)>, Error> {
    let mut reader = reader::Reader::new(text, &[])?;
    reader.leaves = Some(reader::Leaves::new(most));
    reader.document()?;
    Ok(reader.leaves.map(|leaves| leaves.found).unwrap_or_default())
}

/// Where, in the inside of a JSON string, the first characters are that mean `wanted`: a text's bytes as this
/// string has them. `None` if there are none, or if `text` is not the inside of a string.
#[must_use]
pub fn spelling(text: &[u8], wanted: &str) -> Option<Range<usize>> {
    let characters = reader::characters(text)?;
    let wanted: Vec<char> = wanted.chars().collect();
    let means = |run: &[(usize, char)]| run.iter().map(|(_, c)| c).eq(&wanted);
    let first = characters.windows(wanted.len().max(1)).position(means)?;
    let start = characters.get(first)?.0;
    let end = characters.get(first + wanted.len()).map_or(text.len(), |(end, _)| *end);
    Some(start..end)
}

/// What the inside of a JSON string means, its escapes resolved; `None` if these bytes are not the inside of
/// one.
#[must_use]
pub fn meaning(text: &[u8]) -> Option<Zeroizing<String>> {
    // No escape is shorter than what it means, so the text is never moved.
    let mut meaning = Zeroizing::new(String::with_capacity(text.len()));
    meaning.extend(reader::characters(text)?.iter().map(|(_, c)| c));
    Some(meaning)
}

/// Whether these bytes could be the inside of a JSON string, or be put into one between two characters.
pub(crate) fn is_string_text(text: &[u8]) -> bool {
    reader::characters(text).is_some()
}
