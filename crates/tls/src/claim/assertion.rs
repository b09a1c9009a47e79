//! What a party can claim about a hidden string by name.

use volery_circuit::{Error, Recorded, Recorder};
use volery_field::F2;

use super::{Claim, circuits};

/// The most digits of a number that is compared: 19, so that it is below 2^64.
pub const MAX_DIGITS: usize = 19;
/// The longest string that an assertion compares with.
pub const MAX_TEXT: usize = 1 << 9;

/// The most ANDs of a search for a string: its bits times the places where it may stand.
const MAX_SEARCH: usize = 1 << 20;

/// A claim that the parties can name to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assertion {
    /// The bytes are these, of the same length.
    Equals(Vec<u8>),
    /// These bytes stand at this offset, from 0.
    At {
        /// Where, in bytes from the string's beginning.
        offset: usize,
        /// What stands there.
        text: Vec<u8>,
    },
    /// These bytes stand somewhere.
    Contains(Vec<u8>),
    /// The bytes are the digits of a number, at most [`MAX_DIGITS`], without leading zeros, and it lies in this range.
    Between {
        /// The smallest number allowed.
        least: u64,
        /// The greatest number allowed.
        greatest: u64,
    },
}

impl Claim for Assertion {
    fn text(&self) -> String {
        match self {
            Self::Equals(text) => format!("equals \"{}\"", text.escape_ascii()),
            Self::At { offset, text } => format!("has \"{}\" at {offset}", text.escape_ascii()),
            Self::Contains(text) => format!("contains \"{}\"", text.escape_ascii()),
            Self::Between { least, greatest } => format!("is a number from {least} to {greatest}"),
        }
    }

    fn assert(&self, recorder: &mut Recorder<F2>, bytes: &[Recorded]) -> Result<(), Error> {
        let length = bytes.len() / 8;
        match self {
            Self::Equals(text) => {
                fits(text, length == text.len(), length)?;
                circuits::equals(recorder, bytes, text)
            }
            Self::At { offset, text } => {
                let end = offset.checked_add(text.len()).filter(|end| *end <= length);
                fits(text, end.is_some(), length)?;
                let place = end.and_then(|end| bytes.get(8 * offset..8 * end)).unwrap_or_default();
                circuits::equals(recorder, place, text)
            }
            Self::Contains(text) => {
                fits(text, text.len() <= length, length)?;
                if bytes.len().saturating_mul(text.len()) > MAX_SEARCH {
                    let reason = format!("{} bytes searched for in {length}", text.len());
                    return Err(Error::Public(format!(
                        "{reason}: the product may be 2^17; say where they are"
                    )));
                }
                circuits::contains(recorder, bytes, text)
            }
            Self::Between { least, greatest } => {
                if length > MAX_DIGITS || least > greatest {
                    let reason = format!("a number of {length} digits from {least} to {greatest}");
                    return Err(Error::Public(format!(
                        "{reason}: at most 19 digits, the smaller bound first"
                    )));
                }
                circuits::between(recorder, bytes, *least, *greatest)
            }
        }
    }
}

/// That a string to compare with is neither empty nor too long for a place of its own.
fn fits(text: &[u8], fits: bool, length: usize) -> Result<(), Error> {
    if fits && !text.is_empty() && text.len() <= MAX_TEXT {
        return Ok(());
    }
    let reason = format!("a claim about {} bytes on a hidden string of {length}", text.len());
    Err(Error::Public(format!("{reason}: it must fit there, and have from 1 to 512 bytes")))
}
