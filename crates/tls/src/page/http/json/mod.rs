//! Finds values of a JSON text (RFC 8259) as ranges of it.
//!
//! The whole text is read, strictly: anything that two readers may parse differently is refused. An object
//! must not have a key twice, in any of its spellings; escapes must be whole characters; nothing may follow
//! the value. So every reader finds the same value at a path.
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
pub(crate) const MAX_DEPTH: usize = 64;

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not JSON.
    #[error("the body is not JSON; byte {offset}: {reason}")]
    Syntax {
        /// The place, in bytes from the text's start.
        offset: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// Two values have the same key.
    #[error("byte {offset}: an object has this key twice, so it is not clear which value is meant")]
    Duplicate {
        /// The second occurrence of the key.
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
        /// The number of steps that lead to a value.
        found: usize,
    },
    /// The body has more values than a list of them may have, or their paths are too long.
    #[error("the body has more than {most} values, or they are at paths that are too long")]
    Many {
        /// The most entries of the list.
        most: usize,
    },
}

/// The type of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
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
    /// Its kind.
    pub kind: ValueType,
    /// Its position in the text, including quotes and brackets.
    pub range: Range<usize>,
}

impl Value {
    /// The position of its content: a string without its quotes and with its escapes as written; anything
    /// else as a whole.
    #[must_use]
    pub fn content(&self) -> Range<usize> {
        let Range { start, end } = self.range;
        if self.kind == ValueType::String {
            start.saturating_add(1)..end.saturating_sub(1)
        } else {
            start..end
        }
    }
}

/// The value at `path` of `text`.
///
/// # Errors
/// Those of [`enum@Error`]. The whole text is read before [`Error::Missing`] is reported.
pub fn find(text: &[u8], path: &Path) -> Result<Value, Error> {
    let mut reader = reader::Reader::new(text, path.steps())?;
    reader.document()?;
    let missing = || Error::Missing { path: path.clone(), found: reader.deepest };
    reader.value.take().ok_or_else(missing)
}

/// All values of `text` that contain no others, in order, each with its path, and at most `most` of them.
///
/// # Errors
/// Those of [`enum@Error`].
pub(crate) fn leaves(text: &[u8], most: usize) -> Result<Vec<(Path, Value)>, Error> {
    let mut reader = reader::Reader::new(text, &[])?;
    reader.leaves = Some(reader::Leaves::new(most));
    reader.document()?;
    Ok(reader.leaves.map(|leaves| leaves.found).unwrap_or_default())
}

/// The places of all values of `text` that contain no others, in order, and at most `most` of them. Unlike
/// [`leaves`], this takes no more memory than the text, whoever wrote it.
///
/// # Errors
/// Those of [`enum@Error`].
pub(crate) fn leaf_ranges(text: &[u8], most: usize) -> Result<Vec<Range<usize>>, Error> {
    let mut reader = reader::Reader::new(text, &[])?;
    reader.leaves = Some(reader::Leaves::without_paths(most));
    reader.document()?;
    let found = reader.leaves.map(|leaves| leaves.found).unwrap_or_default();
    Ok(found.into_iter().map(|(_, value)| value.range).collect())
}

/// Where the value that begins at this byte of a text ends; `None` if there is none.
pub(crate) fn value_end(text: &[u8], start: usize) -> Option<usize> {
    reader::value_end(text, start)
}

/// The position of the first characters in the inside of a JSON string that mean `wanted`, as this string
/// spells them. `None` if there are none, or if `text` is not the inside of a string.
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

/// The meaning of the inside of a JSON string, with its escapes resolved; `None` if these bytes are not the
/// inside of one.
#[must_use]
pub fn meaning(text: &[u8]) -> Option<Zeroizing<String>> {
    // No escape is shorter than its meaning, so the text is never moved.
    let mut meaning = Zeroizing::new(String::with_capacity(text.len()));
    meaning.extend(reader::characters(text)?.iter().map(|(_, c)| c));
    Some(meaning)
}

/// Whether these bytes could be the inside of a JSON string, or be inserted into one between two characters.
pub(crate) fn is_string_text(text: &[u8]) -> bool {
    reader::characters(text).is_some()
}
