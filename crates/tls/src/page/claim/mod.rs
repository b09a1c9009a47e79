//! What can be proved about bytes that stay hidden.
//!
//! A [`Claim`] is a statement about a string of known length whose bytes V does not see. It builds itself as
//! a circuit, which any backend runs. [`Assertion`] is the set of claims that the two parties can express to
//! each other; [`Class`] says which bytes a hidden string may consist of. A program that embeds both parties
//! can add custom claims ([`CustomClaim`]), of which V knows those in its [`Vocabulary`]. Any
//! [`Statement`](volery_circuit::Statement) about bits becomes one with [`StatementClaim`].
//!
//! | module | what it holds |
//! |---|---|
//! | `byte` | whether a hidden byte is in a set |
//! | `automaton` | reading a hidden string with a finite automaton |
//! | `number`, `magnitude` | recognising and comparing numbers |
//! | `pattern` | regular expressions as automata |
//! | `spelling` | whether a JSON string means a text |
//! | `characters` | the number of characters of a text |
//! | `date` | comparing dates |
//! | `values` | several values of a JSON text as one string |
//! | `circuits` | smaller circuits: texts of JSON, searching, the value of digits |
//! | `assertion`, `words`, `codec`, `show` | the named claims; their form on a command line, in messages and attestations, and for readers |
//! | `class` | classes of bytes |
//! | `custom` | custom claims |
//!
//! # Why classes
//!
//! V reads the structure of a message (HTTP, JSON) from what is revealed, with fillers in place of the hidden
//! bytes. That structure is the real one only if the hidden bytes cannot change it. So each hidden string is
//! *proved* to be in a class that cannot:
//!
//! | class | stands in | proved of the bytes | filler |
//! |---|---|---|---|
//! | [`Class::JsonText`] | the inside of a JSON string | no control bytes; no `"` but after `\`; no `\` left open at the end | `x` |
//! | [`Class::Number`] | a whole JSON number | RFC 8259's grammar of numbers, from the first byte to the last | `1` |
//! | [`Class::Word`] | a whole `true`, `false` or `null` | that it is one of these | `1` |
//! | [`Class::Values`] | JSON values with known text between them | that each is a string, a number or a word, and that the text is between them | see [`Values`](crate::disclosure::Values) |
//! | [`Class::HeaderValue`] | the value of a header field | no bytes below 32 but tabs, no 127: so no line ends; no tab or blank at either end | `x` |
//! | [`Class::Path`] | the path of a request's target | bytes from 33 to 126, so no blank, but neither `?` nor `#` | `x` |
//! | [`Class::Query`] | the query of a request's target | bytes from 33 to 126, but no `#` | `x` |
//! | [`Class::Parameter`] | the value of a parameter of the query | bytes from 33 to 126, but no `#`, `&` or `;`, nor `]=` (also with `%5D`) | `x` |
//! | [`Class::Opaque`] | a whole body | nothing: V reads no structure in it | `x` |
//!
//! The fillers are chosen so that the text around them cannot be misread either. `x` after a revealed `\` or
//! `\u` is not JSON, so a hidden string never begins inside an escape. The filler of a number forms one
//! number with all digits beside it. So a sign, a point or an exponent outside the hidden range is noticed,
//! either because the range is not that of the whole number or because the text is not JSON. Any number ends
//! where the filler does, because anything that could continue the number could also continue the filler.
//! The same holds for a word, which stands where a number could stand.
//!
//! # What stays visible
//!
//! The *length* of each hidden string, in bytes, stays visible. Nothing else about a number does: not its
//! sign, nor the position of its point, nor whether it has an exponent. If a number is committed to, it
//! becomes visible whether it is written in at most 19 digits and nothing else: see
//! [`Form`](crate::commitment::Form).
//!
//! A claim says no more about the string than its words and the length do together. That can be much: of
//! `one of paid|open|overdue`, only one text has seven bytes; and a word of five bytes is `false`.
//!
//! # What a text is
//!
//! `= TEXT`, `contains` and `at` compare bytes as they were sent, and not what escapes mean: `"\u0041"` does
//! not equal `"A"`. P finds out how the server wrote a text, and claims that
//! ([`json::spelling`](crate::http::json::spelling)), so V learns the spelling of this text.
//!
//! So it is with `= NUMBER` of a JSON number: `= 1500` is claimed as `= 1.5e3` if the server wrote that.
//!
//! A *negative* claim must not be true because of a spelling, and one of several texts must not show which
//! one it is. So `!=` and `one of` compare what a JSON string means (`spelling`), and numbers by value: `5.0`
//! is not other than 5, and it is one of 3 and 5. In header fields, paths, queries and bodies, `!=` and
//! `one of` compare bytes, whatever a server takes these for: `%41` is other than `A`.

mod assertion;
mod automaton;
mod byte;
mod characters;
mod circuits;
mod class;
mod codec;
mod custom;
mod date;
mod magnitude;
mod number;
mod pattern;
mod show;
mod spelling;
#[cfg(test)]
mod tests;
mod values;
mod words;

pub use assertion::{Assertion, Word};
pub(crate) use assertion::{MAX_TEXT, MAX_TEXTS};
pub(crate) use circuits::INTEGER_BITS;
pub use circuits::MAX_DIGITS;
pub use class::Class;
pub use custom::{CustomClaim, MAX_NAME, MAX_PARAMETERS, StatementClaim, Vocabulary};
pub use date::{Instant, InstantError};
pub(crate) use number::same_number;
pub use number::{Bound, Interval};
pub use words::WordsError;

pub(crate) use values::{SplitValues, assert_values, room as value_room};

pub(crate) use codec::{
    MAX_ENCODED, Malformed, put_assertion, put_number, put_text, read_assertion, read_number, read_text,
};

use volery_circuit::gadgets::bytes_to_bits;
use volery_circuit::{Circuit, Error, Evaluator, Recorded, Recorder};
use volery_field::F2;
use zeroize::Zeroizing;

/// The most bytes of one claim, which bounds the memory of its circuit.
pub const MAX_CLAIMED: usize = 1 << 18;

/// A property of a string of bytes.
pub trait Claim: Send + Sync {
    /// Builds the claim's circuit. `bytes` are the bits of a string of this class, in the order of
    /// [`bytes_to_bits`](volery_circuit::gadgets::bytes_to_bits).
    ///
    /// It may also ask the recorder for secrets of P's ([`Prove::secret`](volery_circuit::Prove::secret)).
    /// Their values come from [`Claim::witness`], because a recorder runs no hints.
    ///
    /// # Errors
    /// [`Error::Contradicted`] if the claim does not hold for any string of this class and length, so that it
    /// is not true; [`Error::Public`] if it is no claim, or too large a one; the recorder's.
    fn assert(&self, recorder: &mut Recorder<F2>, class: Class, bytes: &[Recorded]) -> Result<(), Error>;

    /// At P: the values of all secrets that [`Claim::assert`] asks for, in order. The default is for claims
    /// that ask for none.
    ///
    /// # Errors
    /// [`Error::Witness`] if there are none for these bytes.
    fn witness(&self, _bytes: &[u8]) -> Result<Zeroizing<Vec<F2>>, Error> {
        Ok(Zeroizing::default())
    }

    /// At P: an explanation of why the claim cannot be proved for these bytes although it may seem true, if
    /// there is one.
    fn reason(&self, _bytes: &[u8]) -> Option<String> {
        None
    }
}

/// The error of a claim that holds for no string of this length, or for none of its class.
fn cannot_hold(length: usize) -> Error {
    let place = format!("it has {length} byte{}", if length == 1 { "" } else { "s" });
    Error::Contradicted { place, claimed: "something else".into() }
}

/// The circuit of a claim about `length` bytes of a class: `8 * length` inputs, then those of
/// [`Claim::witness`]. It has no outputs and asserts the claim.
///
/// # Errors
/// [`Error::Public`] for more than [`MAX_CLAIMED`] bytes; the claim's.
pub fn circuit(claim: &dyn Claim, class: Class, length: usize) -> Result<Circuit<F2>, Error> {
    let mut recorder = Recorder::new();
    let wires = string(&mut recorder, length)?;
    claim.assert(&mut recorder, class, &wires)?;
    recorder.finish(&[])
}

/// Whether a claim holds for these bytes, which everybody may know. A claim that cannot be proved does not.
pub(crate) fn holds(claim: &dyn Claim, class: Class, bytes: &[u8]) -> bool {
    let Ok(circuit) = circuit(claim, class, bytes.len()) else { return false };
    let Ok(witness) = claim.witness(bytes) else { return false };
    let inputs = [bytes_to_bits(bytes), witness.to_vec()].concat();
    circuit.run(&mut Evaluator::new(), inputs).is_ok()
}

/// The size of [`circuit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) gates: usize,
    /// Of which multiplications.
    pub(crate) multiplications: u64,
    /// The inputs besides the string: those of [`Claim::witness`].
    pub(crate) witness: usize,
}

/// The size of [`circuit`], computed without building it; `None` if there are more than `most` gates.
///
/// # Errors
/// As [`circuit`].
pub(crate) fn size(
    claim: &dyn Claim,
    class: Class,
    length: usize,
    most: usize,
) -> Result<Option<Size>, Error> {
    let mut recorder = Recorder::counting(most);
    let wires = string(&mut recorder, length)?;
    let result = claim.assert(&mut recorder, class, &wires);
    // Beyond the limit nothing else matters.
    let Some(gates) = recorder.count() else { return Ok(None) };
    let witness = (recorder.input_wires() as usize).saturating_sub(wires.len());
    result.map(|()| Some(Size { gates, multiplications: recorder.multiplications(), witness }))
}

/// The circuit from the decimal digits of a number to its 64 bits, lowest first. It asserts that the bytes
/// are digits without leading zeros, so the bits determine the bytes.
///
/// # Errors
/// [`Error::Public`] if there are no digits, or more than [`MAX_DIGITS`].
pub(crate) fn integer(digits: usize) -> Result<Circuit<F2>, Error> {
    let mut recorder = Recorder::new();
    let wires = string(&mut recorder, digits)?;
    let value = value(&mut recorder, &wires)?;
    recorder.finish(&[("value", &value)])
}

/// The circuit of [`integer`], to be [counted](size).
pub(crate) struct Integer;

impl Claim for Integer {
    fn assert(&self, recorder: &mut Recorder<F2>, _: Class, bytes: &[Recorded]) -> Result<(), Error> {
        value(recorder, bytes).map(drop)
    }
}

fn value(recorder: &mut Recorder<F2>, bytes: &[Recorded]) -> Result<Vec<Recorded>, Error> {
    let digits = bytes.len() / 8;
    if digits > MAX_DIGITS {
        return Err(Error::Public(format!("a number of {digits} digits; at most {MAX_DIGITS}")));
    }
    circuits::integer(recorder, bytes)
}

/// The input wires of a string of `length` bytes.
fn string(recorder: &mut Recorder<F2>, length: usize) -> Result<Vec<Recorded>, Error> {
    let bits = u32::try_from(length).ok().filter(|length| *length as usize <= MAX_CLAIMED).map(|n| 8 * n);
    let bits =
        bits.ok_or_else(|| Error::Public(format!("a claim about {length} bytes; at most {MAX_CLAIMED}")))?;
    recorder.input("bytes", bits, false)
}
