//! What can be proved about bytes that stay hidden.
//!
//! A [`Claim`] is a statement about a string of known length whose bytes V does not see. It writes itself down as a circuit, which
//! any backend runs; so claims can be held as trait objects, and whoever embeds both parties can bring claims of their own.
//! [`Assertion`] is the set that the two parties can name to each other, [`Class`] says which bytes a hidden string is made of.
//!
//! # Why classes
//!
//! V reads the structure of a message (HTTP, JSON) from what is revealed, with fillers in place of the hidden bytes. That
//! structure is the real one only if the hidden bytes cannot change it, so each hidden string is *proved* to be of a class that
//! cannot:
//!
//! | class | stands in | proved of the bytes | filler |
//! |---|---|---|---|
//! | [`Class::JsonText`] | the inside of a JSON string | no control bytes; no `"` but after `\`; no `\` left open at the end | `x` |
//! | [`Class::JsonNumber`] | a whole JSON number | digits; no leading zero unless it is the only digit | `1` |
//! | [`Class::HeaderValue`] | the value of a header field | no bytes below 32, no 127: so no line ends | `x` |
//! | [`Class::Target`] | a request's target | bytes from 33 to 126: so no blank | `x` |
//! | [`Class::Opaque`] | a whole body | nothing: V reads no structure in it | `x` |
//!
//! The fillers are chosen so that what stands around cannot be misread either: `x` after a revealed `\` or `\u` is no JSON, so a
//! hidden string never begins inside of an escape; and the filler of a number makes it one number with all digits beside it, so a
//! sign, a point or an exponent outside of the hidden range is noticed as a range that is not the number's.
//!
//! # What stays visible
//!
//! The *length* of each hidden string, in bytes: the number of digits of a number, for one. Claims compare bytes, not meaning:
//! `"\u0041"` is not equal to `"A"`.

mod assertion;
mod circuits;
mod class;
#[cfg(test)]
mod tests;

pub use assertion::{Assertion, MAX_DIGITS, MAX_TEXT};
pub(crate) use circuits::NUMBER_BITS;
pub use class::Class;

use volery_circuit::{Circuit, Error, Recorded, Recorder};
use volery_field::F2;

/// The most bytes that one claim is about: a bound on the memory of its circuit.
pub const MAX_CLAIMED: usize = 1 << 16;

/// Something that holds of a string of bytes.
pub trait Claim: Send + Sync {
    /// The claim in words, canonical: equal texts are equal claims, for an attestation.
    fn text(&self) -> String;

    /// Writes the claim down: `bytes` are the string's bits, as
    /// [`bytes_to_bits`](volery_circuit::gadgets::bytes_to_bits) orders them.
    ///
    /// # Errors
    /// [`Error::Public`] if the claim cannot hold for a string of this length; the recorder's.
    fn assert(&self, recorder: &mut Recorder<F2>, bytes: &[Recorded]) -> Result<(), Error>;
}

/// The circuit of a claim about `length` bytes: `8 * length` inputs, no outputs; it asserts what is claimed.
///
/// # Errors
/// [`Error::Public`] for more than [`MAX_CLAIMED`] bytes; the claim's.
pub fn circuit(claim: &dyn Claim, length: usize) -> Result<Circuit<F2>, Error> {
    record(length, |recorder, bytes| claim.assert(recorder, bytes).map(|()| Vec::new()))
}

/// The circuit from the decimal digits of a number to its 64 bits, lowest first, of which it asserts that they are digits.
///
/// # Errors
/// [`Error::Public`] for more than [`MAX_DIGITS`] digits, and for none.
pub(crate) fn number(digits: usize) -> Result<Circuit<F2>, Error> {
    if digits > MAX_DIGITS {
        return Err(Error::Public(format!("a number of {digits} digits; at most {MAX_DIGITS}")));
    }
    record(digits, |recorder, bytes| circuits::number(recorder, bytes))
}

fn record(
    length: usize,
    write: impl FnOnce(&mut Recorder<F2>, &[Recorded]) -> Result<Vec<Recorded>, Error>,
) -> Result<Circuit<F2>, Error> {
    let bits = u32::try_from(length).ok().filter(|length| *length as usize <= MAX_CLAIMED).map(|n| 8 * n);
    let bits = bits.ok_or_else(|| Error::Public(format!("a claim about {length} bytes; at most 2^16")))?;
    let mut recorder = Recorder::new();
    let wires = recorder.input("bytes", bits, false)?;
    let outputs = write(&mut recorder, &wires)?;
    let named = ("value", &*outputs);
    recorder.finish(if outputs.is_empty() { &[] } else { core::slice::from_ref(&named) })
}
