//! Values of a JSON body that are hidden together, so that the length of none of them shows.
//!
//! # Why
//!
//! The length of a hidden string shows, and some values are known by it: `false` by its five bytes, an empty
//! string, a count of one digit. Names are no secrets: V reads them, and finds out by them that no name comes
//! twice and which value a claim is about. So P hides a run of values *with the text between them* (names,
//! colons, commas, brackets) as one string, and shows that text apart from its places:
//!
//! ```text
//! sent      {"id": 7, "active": true, "name": "Ada", "tags": ["x"], "plan": "gold"}                 P shows plan
//! V sees    {"id": 111111111111111, "active": 1, "name": 1, "tags": [1], "plan": "gold"}
//!                  `-------------- one hidden string -----------'
//! proved    value | , "active": | value | , "name": | value | , "tags": [ | value
//! ```
//!
//! V's view has the filler of a number for each value: one digit for all but the first, which takes up all
//! that is left. So for given text and length there is one view, and P cannot put anything into it.
//!
//! # What V knows of the structure
//!
//! The bytes before and after the run, and those between its values, are the ones that V sees. Each value is
//! proved to be one whole string, number or word of JSON (`claim::values`), and so is each filler. By JSON's
//! grammar, what V reads and what was sent are then the same tree with other leaves: a value's end is where
//! the text after it begins, which cannot continue a value. So V finds the same paths, and no name is hidden.
//!
//! # What V learns of the values
//!
//! One number: the sum of the lengths of all values of a run, their quotation marks included. V learns
//! neither the length of one of them nor its kind: `null` cannot be told from a string. Which values make a
//! run depends on what P names and on the text between them, and *not on the values*: consecutive hidden
//! values always make one, up to [`MAX_VALUES`] of them (or [fewer](crate::leaf), if P commits to
//! everything), whether or not one is short. If only runs with a short value were hidden this way, V would
//! learn from each run that it has one.
//!
//! The sum can still tell a lot to somebody who knows the rest: of `[true, "Ada"]` the sum is 9, and who
//! knows that the name has three letters knows the word. A run of one word, or of two, tells its words by
//! itself. So P hides words and empty strings only in a run that also has enough of other values
//! ([`is_covered`]): all its words could then be the longer or shorter one, and its empty strings others,
//! with these values a little shorter, none of them empty. Where that fails, P does not hide them: it says so
//! and stops, or shows them if it was told to ([`Selection::show_rest`](super::Selection::show_rest)). That
//! it shows them tells V that the others of this run are short, which their lengths would tell as well.
//!
//! A run of one string or number is hidden as that value ([`Part::Json`](super::Part::Json)), and its length
//! and kind show. A value that P makes a claim about, or commits to, is hidden alone.

use core::fmt;

use volery_circuit::{Error, Recorded, Recorder};
use volery_field::F2;

use crate::page::claim::{Claim, Class, assert_values};
use crate::page::http::json::{Value, ValueType};

/// The most values of a run: with many, the circuit grows faster than the string.
pub(super) const MAX_VALUES: usize = 16;
/// The most bytes of all text between the values of a run.
pub(super) const MAX_BETWEEN: usize = 1 << 12;

/// Consecutive values of a JSON body, of which everything is hidden but the text between them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Values {
    /// The path of the first.
    pub first: String,
    /// The text between two of them, for each but the last; at most 15, with at most 4,096 bytes in all.
    pub between: Vec<String>,
}

impl Values {
    /// V's view of a run of this many bytes; none if it is too short.
    pub(super) fn filler(&self, length: usize) -> Option<Vec<u8>> {
        let rest =
            self.between.iter().map(|text| text.len().saturating_add(1)).fold(0, usize::saturating_add);
        let first = length.checked_sub(rest).filter(|first| *first > 0)?;
        let mut filler = vec![Class::Values.filler(); first];
        for text in &self.between {
            filler.extend_from_slice(text.as_bytes());
            filler.push(Class::Values.filler());
        }
        Some(filler)
    }
}

/// The path of the first value, then all text, with `<...>` for each value. In the text, names are in
/// quotation marks, so this cannot be mistaken.
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "json {}: <...>", self.first)?;
        self.between.iter().try_for_each(|text| write!(f, "{text}<...>"))
    }
}

/// Claims that the bytes are values with this text between them.
impl Claim for Values {
    fn assert(&self, recorder: &mut Recorder<F2>, _: Class, bytes: &[Recorded]) -> Result<(), Error> {
        let between: Vec<&[u8]> = self.between.iter().map(String::as_bytes).collect();
        assert_values(recorder, bytes, &between)
    }
}

/// Whether a value is known by its length: a word, or an empty string.
pub(super) fn is_telling(value: &Value) -> bool {
    match value.kind {
        ValueType::Bool | ValueType::Null => true,
        _ => value.content().is_empty(),
    }
}

/// Whether the other values of a run leave it open what its telling ones are: together they have at least one
/// byte for each of these, without the first byte of each.
pub(super) fn is_covered<'a>(run: impl IntoIterator<Item = &'a Value>) -> bool {
    let (mut telling, mut cover) = (0, 0);
    for value in run {
        if is_telling(value) {
            telling += 1;
        } else {
            cover += value.content().len().saturating_sub(1);
        }
    }
    telling == 0 || cover >= telling
}
