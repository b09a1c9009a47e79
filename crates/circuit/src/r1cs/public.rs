//! `public.json` in the form that snarkjs writes: a JSON array of decimal strings, public outputs first, then
//! public inputs.

use std::io::{self, Read, Write};

use super::{Counts, PrimeField};
use crate::Error;
use crate::elements::encode;
use crate::text::counted;

/// The bytes that a value may take, including spaces and line ends; a 512-bit number has 155 digits.
const VALUE_BYTES: u64 = 256;
/// The bytes allowed in addition.
const SLACK: u64 = 1 << 16;
/// The number of decimal digits that always fit in a limb.
const CHUNK: usize = 19;

/// Reads the public values of a system with these wires; `what` names the source in errors.
///
/// # Errors
/// [`Error::Malformed`] with the place if this is not an array of decimal strings, if a number is not below
/// the prime or has leading zeros, or if there are too many; [`Error::Public`] if there are too few;
/// [`Error::Io`].
pub fn read_public<F: PrimeField>(source: impl Read, what: &str, counts: &Counts) -> Result<Vec<F>, Error> {
    let most = SLACK + VALUE_BYTES * counts.public() as u64;
    let mut text = Vec::new();
    source.take(most + 1).read_to_end(&mut text).map_err(|error| Error::io(what, &error))?;
    if text.len() as u64 > most {
        return Err(malformed(what, &text, most as usize, "far too long for the circuit's public values"));
    }
    let values = Parser { text: &text, at: 0, what }.array(counts.public())?;
    if values.len() < counts.public() {
        let Counts { outputs, public_inputs, .. } = counts;
        let got = counted(values.len() as u64, "value");
        let [outputs, inputs] =
            [(*outputs, "output"), (*public_inputs, "public input")].map(|(n, what)| counted(n, what));
        return Err(Error::Public(format!("{what} has {got}; the circuit has {outputs} and {inputs}")));
    }
    Ok(values)
}

/// Writes public values, outputs first.
///
/// # Errors
/// Any error of the writer.
pub fn write_public<F: PrimeField>(values: &[F], mut out: impl Write) -> io::Result<()> {
    write!(out, "[")?;
    for (index, value) in values.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(out, "{comma}\n \"{}\"", decimal(*value))?;
    }
    writeln!(out, "\n]")
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    what: &'a str,
}

impl Parser<'_> {
    /// The whole text: an array of at most `most` values.
    fn array<F: PrimeField>(mut self, most: usize) -> Result<Vec<F>, Error> {
        self.expect(b'[', "an array of decimal strings: `[\"1\", \"2\"]`")?;
        let mut values = Vec::new();
        if self.next() != Some(b']') {
            loop {
                if values.len() == most {
                    return Err(self.error(format!("too many values: the circuit has {most} public ones")));
                }
                values.push(self.value()?);
                match self.next() {
                    Some(b',') => self.at += 1,
                    Some(b']') => break,
                    _ => return Err(self.error("expected `,` or `]`")),
                }
            }
        }
        self.at += 1;
        match self.next() {
            None => Ok(values),
            Some(_) => Err(self.error("there is more after the array")),
        }
    }

    fn value<F: PrimeField>(&mut self) -> Result<F, Error> {
        self.expect(b'"', "a string of decimal digits")?;
        let rest = self.text.get(self.at..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = rest.split_at(digits);
        if digits.is_empty() || (digits.len() > 1 && digits[0] == b'0') {
            return Err(self.error("expected a decimal number without sign or leading zeros"));
        }
        let value = element(digits).ok_or_else(|| self.error("the number is not below the prime"))?;
        self.at += digits.len();
        match rest.first() {
            Some(b'"') => self.at += 1,
            _ => return Err(self.error("expected a decimal digit or `\"`")),
        }
        Ok(value)
    }

    /// The next byte that is not white space.
    fn next(&mut self) -> Option<u8> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        self.at += blanks;
        rest.get(blanks).copied()
    }

    fn expect(&mut self, byte: u8, what: &str) -> Result<(), Error> {
        if self.next() != Some(byte) {
            return Err(self.error(format!("expected {what}")));
        }
        self.at += 1;
        Ok(())
    }

    fn error(&self, reason: impl Into<String>) -> Error {
        malformed(self.what, self.text, self.at, reason)
    }
}

/// An error at the byte `at` of `text`.
fn malformed(what: &str, text: &[u8], at: usize, reason: impl Into<String>) -> Error {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
    let column = 1 + (before.len() - line_start) as u64;
    Error::Malformed { what: what.to_owned(), line, column, reason: reason.into() }
}

/// The element of a decimal number, or `None` if it is not below the prime.
fn element<F: PrimeField>(digits: &[u8]) -> Option<F> {
    let mut limbs = vec![0_u64; F::BYTES.div_ceil(8)];
    for chunk in digits.chunks(CHUNK) {
        let mut carry = chunk.iter().fold(0, |n, digit| 10 * n + u128::from(digit - b'0'));
        let scale = 10_u128.pow(chunk.len() as u32);
        for limb in &mut limbs {
            // (2^64 - 1) (10^19 + 1) < 2^128.
            let sum = u128::from(*limb) * scale + carry;
            (*limb, carry) = (sum as u64, sum >> 64);
        }
        if carry != 0 {
            return None;
        }
    }
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    let (low, high) = bytes.split_at_checked(F::BYTES)?;
    if high.iter().any(|byte| *byte != 0) { None } else { F::decode(low).ok() }
}

/// An element as a decimal number.
pub(super) fn decimal<F: PrimeField>(value: F) -> String {
    let bytes = encode(&[value]);
    let mut limbs: Vec<u64> = bytes
        .chunks(8)
        .map(|chunk| chunk.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)))
        .collect();
    let mut chunks = Vec::new();
    while limbs.iter().any(|limb| *limb != 0) {
        let mut rest = 0_u128;
        for limb in limbs.iter_mut().rev() {
            let n = rest << 64 | u128::from(*limb);
            let scale = 10_u128.pow(CHUNK as u32);
            (*limb, rest) = ((n / scale) as u64, n % scale);
        }
        chunks.push(rest);
    }
    let Some(first) = chunks.pop() else { return "0".into() };
    chunks.iter().rev().fold(first.to_string(), |text, chunk| format!("{text}{chunk:0CHUNK$}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_field::F61;

    use super::*;

    fn read(text: &str, values: u32) -> Result<Vec<F61>, Error> {
        let counts = Counts { wires: values + 1, outputs: values, ..Counts::default() };
        read_public(text.as_bytes(), "public.json", &counts)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(values in prop::collection::vec(any::<u64>().prop_map(F61::new), 0..5)) {
            let mut text = Vec::new();
            write_public(&values, &mut text).expect("memory");
            let text = String::from_utf8(text).expect("ASCII");
            prop_assert!(read(&text, values.len() as u32).expect("valid") == values);
        }

        #[test]
        fn numbers_are_those_of_the_standard_library(n in prop_oneof![any::<u64>(), 0..30_u64]) {
            let below = n < volery_field::f61::P;
            let expected = below.then(|| F61::new(n));
            prop_assert_eq!(element::<F61>(n.to_string().as_bytes()), expected);
            prop_assert_eq!(decimal(F61::new(n)), (n % volery_field::f61::P).to_string());
        }
    }

    #[test]
    fn snarkjs_files_of_any_spacing_are_read() {
        let expected = [33, 0, 2_305_843_009_213_693_950].map(F61::new);
        for text in [
            "[\n \"33\",\n \"0\",\n \"2305843009213693950\"\n]",
            "[\"33\",\"0\",\"2305843009213693950\"]\r\n",
            "\t[ \"33\" , \"0\" , \"2305843009213693950\" ] ",
        ] {
            assert!(read(text, 3).expect(text) == expected, "{text}");
        }
        assert!(read("[]", 0).expect("none").is_empty());
    }

    #[test]
    fn every_malformed_file_is_refused_with_its_place() {
        for (text, line, column, reason) in [
            ("", 1, 1, "array"),
            ("{\"1\": 2}", 1, 1, "array"),
            ("[\n 33]", 2, 2, "string"),
            ("[\"33\"", 1, 6, "`,`"),
            ("[\"33\",", 1, 7, "string"),
            ("[\"33\",]", 1, 7, "string"),
            ("[\"33]", 1, 5, "digit"),
            ("[\"\"]", 1, 3, "decimal"),
            ("[\"-1\"]", 1, 3, "decimal"),
            ("[\"007\"]", 1, 3, "leading zeros"),
            ("[\"0x21\"]", 1, 4, "digit"),
            ("[\"2305843009213693951\"]", 1, 3, "prime"),
            ("[\"99999999999999999999999999999999999999999\"]", 1, 3, "prime"),
            ("[\"1\",\"2\",\"3\"]", 1, 10, "too many"),
            ("[\"1\"]\n]", 2, 1, "more"),
        ] {
            match read(text, 2).expect_err(text) {
                Error::Malformed { line: l, column: c, reason: r, .. } => {
                    assert_eq!((l, c), (line, column), "{text:?}: {r}");
                    assert!(r.contains(reason), "{text:?}: {r}");
                }
                other => panic!("{text:?}: {other}"),
            }
        }
        assert!(matches!(read("[\"1\"]", 2), Err(Error::Public(_))));
        let endless = read_public::<F61>(io::repeat(b' '), "p", &Counts::default());
        assert!(matches!(endless, Err(Error::Malformed { .. })));
    }
}
