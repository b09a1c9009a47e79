//! The lines of witness and public files, `value` or `name = value`, with comments, and their places for
//! errors.

use std::collections::HashMap;
use std::io::Read;

use volery_field::Ring;
use zeroize::{Zeroize, Zeroizing};

use crate::Error;
use crate::numbers::parse_numbers;

/// The bytes allowed in addition to the values: comments, names, blank lines.
const SLACK: u64 = 1 << 20;

/// A number of things: `1 wire`, `2 wires`.
pub fn counted(count: impl Into<u64>, what: &str) -> String {
    match count.into() {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// A line with a value.
pub struct Entry<'a> {
    what: &'a str,
    line: u64,
    content: &'a [u8],
    /// Where the entry starts in the line (0-based), for errors about all of it.
    pub(crate) start: usize,
    pub(crate) name: Option<&'a [u8]>,
    /// Where the value is in the line.
    value: core::ops::Range<usize>,
}

impl Entry<'_> {
    /// An error at the 0-based place `at` of this line.
    pub(crate) fn error(&self, at: usize, reason: impl Into<String>) -> Error {
        malformed(self.what, self.line, at, reason)
    }

    /// The value as text.
    pub(crate) fn value(&self) -> &[u8] {
        self.content.get(self.value.clone()).unwrap_or_default()
    }

    /// The value as exactly `count` decimal numbers.
    pub(crate) fn numbers<R: Ring + Zeroize>(&self, count: usize) -> Result<Zeroizing<Vec<R>>, Error> {
        let place = [self.line, self.value.start as u64 + 1];
        parse_numbers(self.value(), self.what, place, count).map_err(|error| match error {
            // A wrong number of values is a fault of this line.
            Error::Witness(_) => {
                self.error(self.value.start, format!("it takes {}", counted(count as u64, "number")))
            }
            other => other,
        })
    }

    /// The value as exactly `width` bits, least significant first.
    pub(crate) fn bits(&self, width: u32) -> Result<Zeroizing<Vec<bool>>, Error> {
        let (value, at) = (self.value(), self.value.start);
        if let Some(gap) = value.iter().position(u8::is_ascii_whitespace) {
            let next = trim(self.content, at + gap..self.value.end).start;
            return Err(self.error(next, "a line holds one value"));
        }
        let (digit_bits, digits) = match value {
            [b'0', b'x' | b'X', digits @ ..] => (4, digits),
            [b'0', b'b' | b'B', digits @ ..] => (1, digits),
            _ => return Err(self.error(at, "a value starts with 0x (hex digits) or 0b (bits)")),
        };
        let needed = (width as usize).div_ceil(digit_bits);
        if digits.len() != needed {
            let unit = if digit_bits == 4 { "hex digit" } else { "bit" };
            let (width, got) = (counted(width, "bit"), digits.len());
            let needed = counted(needed as u64, unit);
            return Err(self.error(at, format!("a value of {width} has exactly {needed}, not {got}")));
        }
        self.decode(digits, at + 2, digit_bits, width as usize)
    }

    /// Decodes all digits before it checks whether one was bad, so that the time reveals nothing about a
    /// valid value.
    fn decode(
        &self,
        digits: &[u8],
        at: usize,
        digit_bits: usize,
        width: usize,
    ) -> Result<Zeroizing<Vec<bool>>, Error> {
        let mut bits = Zeroizing::new(Vec::with_capacity(digits.len() * digit_bits));
        let mut bad = 0;
        for &digit in digits.iter().rev() {
            let (value, flaw) = nibble(digit);
            bad |= flaw | (value >> digit_bits);
            for k in 0..digit_bits {
                bits.push((value >> k) & 1 == 1);
            }
        }
        if bad != 0 {
            let flawed =
                |&digit: &u8| matches!(nibble(digit), (value, flaw) if flaw != 0 || value >> digit_bits != 0);
            let place = at + digits.iter().position(flawed).unwrap_or(0);
            return Err(self
                .error(place, if digit_bits == 4 { "this is not a hex digit" } else { "a bit is 0 or 1" }));
        }
        if bits.iter().skip(width).fold(false, |any, &bit| any | bit) {
            return Err(self.error(at, format!("the value has more than {}", counted(width as u64, "bit"))));
        }
        bits.truncate(width);
        Ok(bits)
    }
}

/// The value of a hex digit, and a non-zero second byte if it is not one. There is no branch, since the digit
/// may be secret.
fn nibble(digit: u8) -> (u8, u8) {
    let decimal = digit.wrapping_sub(b'0');
    let letter = (digit | 0x20).wrapping_sub(b'a');
    let is_decimal = u8::from(decimal < 10);
    let is_letter = u8::from(letter < 6);
    let value = decimal & is_decimal.wrapping_neg() | letter.wrapping_add(10) & is_letter.wrapping_neg();
    (value, 1 ^ (is_decimal | is_letter))
}

/// The entries of `content`, line by line.
pub(crate) fn entries<'a>(
    content: &'a [u8],
    what: &'a str,
) -> impl Iterator<Item = Result<Entry<'a>, Error>> + use<'a> {
    content
        .split(|&byte| byte == b'\n')
        .zip(1..)
        .filter_map(move |(content, line)| entry(content, what, line).transpose())
}

fn entry<'a>(content: &'a [u8], what: &'a str, line: u64) -> Result<Option<Entry<'a>>, Error> {
    let end = content.iter().position(|&byte| byte == b'#').unwrap_or(content.len());
    let content = &content[..end];
    if let Some(at) = content.iter().position(|&byte| !byte.is_ascii()) {
        return Err(malformed(what, line, at, "only comments may hold bytes that are not ASCII"));
    }
    let trimmed = trim(content, 0..content.len());
    if trimmed.is_empty() {
        return Ok(None);
    }
    let (start, equals) = (trimmed.start, content.iter().position(|&byte| byte == b'='));
    let (name, value) = match equals {
        None => (None, trimmed),
        Some(at) => (Some(&content[trim(content, 0..at)]), trim(content, at + 1..content.len())),
    };
    if name.is_some_and(<[u8]>::is_empty) {
        return Err(malformed(what, line, start, "a name is missing before ="));
    }
    if value.is_empty() {
        return Err(malformed(what, line, content.len(), "a value is missing after ="));
    }
    Ok(Some(Entry { what, line, content, start, name, value }))
}

/// `range` without the blanks at its ends.
fn trim(content: &[u8], range: core::ops::Range<usize>) -> core::ops::Range<usize> {
    let text = &content[range.clone()];
    let start = range.start + (text.len() - text.trim_ascii_start().len());
    let length = text.trim_ascii().len();
    start..start + length
}

/// [`Error::Malformed`] at a 0-based column.
pub(crate) fn malformed(what: &str, line: u64, at: usize, reason: impl Into<String>) -> Error {
    Error::Malformed { what: what.to_owned(), line, column: at as u64 + 1, reason: reason.into() }
}

/// Reads all of `source`, if it is not longer than values with this many bytes of text, and comments, can be.
/// Wiped on drop.
pub(crate) fn read_all(mut source: impl Read, what: &str, values: u64) -> Result<Zeroizing<Vec<u8>>, Error> {
    let limit = values.saturating_add(SLACK);
    let mut content = Zeroizing::new(vec![0; 4096]);
    let mut filled = 0;
    loop {
        if filled == content.len() {
            // Copied by hand, because `Vec` would not wipe the old buffer.
            let mut grown = Zeroizing::new(vec![0; 2 * filled]);
            grown[..filled].copy_from_slice(&content);
            content = grown;
        }
        match source.read(&mut content[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io(what, &error)),
        }
        if filled as u64 > limit {
            return Err(Error::Io {
                what: what.to_owned(),
                reason: format!("longer than the {limit} bytes that its values can need"),
            });
        }
    }
    content.truncate(filled);
    Ok(content)
}

/// Finds inputs or outputs by name.
pub(crate) struct Names<'a>(HashMap<&'a [u8], usize>);

impl<'a> Names<'a> {
    pub(crate) fn new(names: impl Iterator<Item = &'a str>) -> Self {
        Self(names.enumerate().map(|(index, name)| (name.as_bytes(), index)).collect())
    }

    pub(crate) fn find(&self, name: &[u8]) -> Option<usize> {
        self.0.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nibble_agrees_with_the_standard_library_on_every_byte() {
        for byte in 0..=u8::MAX {
            match char::from(byte).to_digit(16) {
                Some(value) => assert_eq!(nibble(byte), (value as u8, 0)),
                None => assert_eq!(nibble(byte).1, 1),
            }
        }
    }

    #[test]
    fn reading_keeps_content_across_growth_and_refuses_what_is_too_long() {
        let content: Vec<u8> = (0..100_000_u32).map(|i| i as u8).collect();
        assert_eq!(*read_all(&content[..], "w", 0).expect("fits"), content);
        let error = read_all(std::io::repeat(0), "w", 8).expect_err("endless");
        assert!(matches!(error, Error::Io { .. }));
    }
}
