//! Witnesses: the prover's secret values, and their text format in a file or a pipe.
//!
//! ```text
//! # one line for each secret input, in the circuit's order ...
//! 0x000102030405060708090a0b0c0d0e0f
//! 0b0110
//!
//! # ... or by name, in any order (all lines or none)
//! input 0 = 0x000102030405060708090a0b0c0d0e0f
//! ```
//!
//! `#` starts a comment; blank lines are ignored. A value is a big-endian integer: `0x` and hex digits of
//! either case, or `0b` and bits. Its length is exact, including leading zeros: a value of `w` bits has
//! `ceil(w/4)` hex digits (bits above `w` are zero) or `w` bits. So a lost digit is an error and does not
//! give another witness. The least significant bit is the input's first wire, as in Bristol Fashion.
//!
//! The text and the values are wiped from memory after use. Digits are decoded without branches or indices
//! that depend on them, and errors name places, never contents.

use std::io::Read;

use volery_field::{F2, Ring};
use zeroize::Zeroizing;

use crate::bristol::Words as _;
use crate::text::{self, Entry, Names};
use crate::{Error, Signature};

/// The values of all secret inputs of a circuit, in order; wiped on drop and never shown by `Debug`.
#[derive(Clone, Default)]
pub struct Witness<R: Ring> {
    values: Vec<R>,
}

impl<R: Ring> core::fmt::Debug for Witness<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Witness").field("length", &self.values.len()).finish_non_exhaustive()
    }
}

impl<R: Ring> Drop for Witness<R> {
    fn drop(&mut self) {
        wipe(&mut self.values);
    }
}

/// Overwrites `values` with zeros. Rings are not required to implement `Zeroize`, so `black_box` keeps the
/// compiler from removing the writes.
fn wipe<R: Ring>(values: &mut [R]) {
    values.fill(R::ZERO);
    core::hint::black_box(values);
}

impl<R: Ring> Witness<R> {
    /// A witness of these values.
    #[must_use]
    pub fn new(values: Vec<R>) -> Self {
        Self { values }
    }

    /// The values, one for each secret wire.
    #[must_use]
    pub fn values(&self) -> &[R] {
        &self.values
    }

    /// Appends values and wipes the old copy if the vector moves.
    pub(crate) fn extend(&mut self, more: &[R]) {
        if self.values.capacity() - self.values.len() < more.len() {
            let mut grown = Vec::with_capacity(2 * (self.values.len() + more.len()));
            grown.extend_from_slice(&self.values);
            wipe(&mut self.values);
            self.values = grown;
        }
        self.values.extend_from_slice(more);
    }
}

impl Witness<F2> {
    /// Reads a witness for the secret inputs of `signature` from a file or a pipe; `what` names it in errors.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails, and the errors of [`Witness::parse`].
    pub fn read(source: impl Read, what: &str, signature: &Signature) -> Result<Self, Error> {
        let bits = signature.inputs.iter().map(|input| u64::from(input.width)).sum();
        let content = text::read_all(source, what, F2::text_bytes(bits))?;
        Self::parse(&content, what, signature)
    }

    /// Parses a witness (see the [module's](self) format) for the secret inputs of `signature`.
    ///
    /// # Errors
    /// [`Error::Malformed`] with the place; [`Error::Witness`] if a value is missing.
    pub fn parse(content: &[u8], what: &str, signature: &Signature) -> Result<Self, Error> {
        let secret: Vec<usize> =
            (0..signature.inputs.len()).filter(|&i| !signature.inputs[i].public).collect();
        let mut values: Vec<Option<Zeroizing<Vec<bool>>>> = vec![None; secret.len()];
        let mut named = None;
        let names = Names::new(secret.iter().map(|&i| signature.inputs[i].name.as_str()));
        for (index, entry) in text::entries(content, what).enumerate() {
            let entry = entry?;
            let slot = slot(&entry, &mut named, index, &names, signature)?;
            let input = secret.get(slot).and_then(|&i| signature.inputs.get(i));
            let Some((input, value)) = input.zip(values.get_mut(slot)) else {
                return Err(
                    entry.error(entry.start, format!("one value too many: {} are secret", secret.len()))
                );
            };
            if value.is_some() {
                return Err(entry.error(entry.start, format!("\"{}\" has a value already", input.name)));
            }
            *value = Some(entry.bits(input.width)?);
        }
        collect(values, secret.iter().map(|&i| signature.inputs[i].name.as_str()))
    }
}

/// Finds the secret input that an entry is for.
fn slot(
    entry: &Entry<'_>,
    named: &mut Option<bool>,
    index: usize,
    names: &Names<'_>,
    signature: &Signature,
) -> Result<usize, Error> {
    if *named.get_or_insert(entry.name.is_some()) != entry.name.is_some() {
        return Err(entry.error(entry.start, "either every line names its input or none does"));
    }
    let Some(name) = entry.name else { return Ok(index) };
    names.find(name).ok_or_else(|| {
        let public = signature.inputs.iter().any(|input| input.public && input.name.as_bytes() == name);
        let reason = if public {
            "this input is public; it has its value already"
        } else {
            "no secret input has this name"
        };
        entry.error(entry.start, reason)
    })
}

fn collect<'a>(
    values: Vec<Option<Zeroizing<Vec<bool>>>>,
    names: impl Iterator<Item = &'a str>,
) -> Result<Witness<F2>, Error> {
    let length = values.iter().flatten().map(|bits| bits.len()).sum();
    let mut witness = Witness::new(Vec::with_capacity(length));
    for (value, name) in values.into_iter().zip(names) {
        let value = value.ok_or_else(|| Error::Witness(format!("there is no value for \"{name}\"")))?;
        // The vector has room for it, so no copy of a secret is left behind.
        witness.values.extend(value.iter().map(|&bit| F2::new(bit)));
    }
    Ok(witness)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Input;

    fn signature() -> Signature {
        let input = |name: &str, width, public| Input { name: name.into(), width, public };
        Signature {
            inputs: vec![input("key", 8, false), input("nonce", 8, true), input("flags", 3, false)],
            outputs: Vec::new(),
        }
    }

    fn parse(content: &str) -> Result<String, Error> {
        let witness = Witness::parse(content.as_bytes(), "w", &signature())?;
        Ok(witness.values().iter().map(|bit| if bit.to_bool() { '1' } else { '0' }).collect())
    }

    #[test]
    fn the_least_significant_bit_comes_first() {
        assert_eq!(parse("0x2f\n0b011").expect("valid"), "11110100110");
    }

    proptest! {
        #[test]
        fn hex_and_bits_of_any_integer_are_its_bits(value: u64, width in 1..=64_u32, upper: bool) {
            let value = value >> (64 - width);
            let input = Input { name: "x".into(), width, public: false };
            let signature = Signature { inputs: vec![input], outputs: Vec::new() };
            let expected: Vec<F2> = (0..width).map(|i| F2::from_lsb(value >> i)).collect();
            let (digits, bits) = (width.div_ceil(4) as usize, width as usize);
            let hex = if upper { format!("0X{value:0digits$X}") } else { format!("0x{value:0digits$x}") };
            for text in [hex, format!("0b{value:0bits$b}")] {
                let witness = Witness::parse(text.as_bytes(), "w", &signature).expect("valid");
                prop_assert!(witness.values() == expected);
            }
        }
    }

    #[test]
    fn names_and_order_say_the_same() {
        let expected = parse("0xA1\n0x5\n").expect("valid");
        assert_eq!(parse("# by name\r\n\n flags=0x5 # three bits\nkey =\t0xa1").expect("valid"), expected);
    }

    #[test]
    fn every_malformed_witness_is_refused_with_its_place() {
        for (content, line, column, reason) in [
            ("0x2f\n0x8", 2, 3, "3 bits"),
            ("0x02f\n0x1", 1, 1, "2 hex digits"),
            ("0xf\n0x1", 1, 1, "2 hex digits"),
            ("0x2f\n0b0011", 2, 1, "3 bits"),
            ("0x2f\n0b012", 2, 5, "0 or 1"),
            ("0x2g\n0b011", 1, 4, "hex digit"),
            ("0x2f\n5", 2, 1, "0x"),
            ("0x2f\n0b011\n0x1", 3, 1, "too many"),
            ("0x2f 0x1\n", 1, 6, "one value"),
            ("0x2f\nflags = 0x1", 2, 1, "every line"),
            ("key = 0x2f\nkey = 0x2f", 2, 1, "already"),
            ("nonce = 0x2f", 1, 1, "public"),
            ("nothing = 0x2f", 1, 1, "no secret input"),
            ("key = ", 1, 7, "value"),
            ("= 0x2f", 1, 1, "name"),
            ("0x2\u{e9}\n", 1, 4, "ASCII"),
        ] {
            let error = parse(content).expect_err(content);
            match error {
                Error::Malformed { line: l, column: c, reason: r, .. } => {
                    assert_eq!((l, c), (line, column), "{content:?}: {r}");
                    assert!(r.contains(reason), "{content:?}: {r}");
                    assert!(!r.contains("2f"), "the message shows the witness: {r}");
                }
                other => panic!("{content:?}: {other}"),
            }
        }
        assert!(matches!(parse("flags = 0x1"), Err(Error::Witness(reason)) if reason.contains("key")));
    }

    #[test]
    fn text_far_longer_than_any_witness_is_refused_before_it_fills_memory() {
        let error = Witness::read(std::io::repeat(b'\n'), "w", &signature()).expect_err("endless");
        assert!(matches!(error, Error::Io { .. }), "{error}");
    }

    #[test]
    fn debug_shows_no_value() {
        assert_eq!(format!("{:?}", Witness::new(vec![F2::ONE])), "Witness { length: 1, .. }");
    }

    #[test]
    fn extending_keeps_what_was_there() {
        let mut witness = Witness::default();
        for bit in [true, false, true, true, false] {
            witness.extend(&[F2::new(bit)]);
        }
        let bits: Vec<bool> = witness.values().iter().map(|bit| bit.to_bool()).collect();
        assert_eq!(bits, [true, false, true, true, false]);
    }
}
