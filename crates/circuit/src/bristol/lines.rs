//! Lines of a file through one bounded buffer, and a cursor over the numbers in a line.
//!
//! A line is parsed only when all of it is in the buffer. So the cursor needs no refills, and every byte is
//! read once. The buffer grows to the longest line, up to [`MAX_LINE`].

use std::io::{ErrorKind, Read};

use crate::Error;
use crate::text::malformed;

/// The initial size of the buffer: large enough for some thousand gates, small enough to stay in a cache.
const BUFFER: usize = 1 << 16;

/// The longest line read. A `MAND` of 30,000 gates fits.
pub(super) const MAX_LINE: usize = 1 << 20;

/// A source of lines.
#[derive(Debug)]
pub(super) struct Lines<S> {
    source: S,
    what: String,
    buffer: Vec<u8>,
    /// `buffer[start..whole]` are whole lines not yet consumed, each with its newline.
    start: usize,
    whole: usize,
    /// `buffer[whole..filled]` is the beginning of the next line.
    filled: usize,
    ended: bool,
    /// 1-based number of the line at `start`.
    line: u64,
}

impl<S: Read> Lines<S> {
    pub(super) fn new(source: S, what: &str) -> Self {
        let buffer = vec![0; BUFFER];
        Self { source, what: what.to_owned(), buffer, start: 0, whole: 0, filled: 0, ended: false, line: 1 }
    }

    /// A cursor at the start of the next line that is not blank, or `None` at the end. The line is not
    /// consumed.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<Option<Cursor<'_>>, Error> {
        loop {
            if self.start == self.whole && !self.refill()? {
                return Ok(None);
            }
            let mut cursor = Cursor { text: &self.buffer[self.start..], at: 0 };
            if !cursor.at_end() {
                break;
            }
            let length = cursor.at + 1;
            self.consume(length);
        }
        Ok(Some(Cursor { text: &self.buffer[self.start..], at: 0 }))
    }

    /// Consumes `length` bytes, the last of which is a newline.
    #[inline]
    pub(super) fn consume(&mut self, length: usize) {
        self.start = (self.start + length).min(self.whole);
        self.line += 1;
    }

    /// An error at the 0-based column `at` of the current line.
    #[cold]
    pub(super) fn error(&self, at: usize, reason: impl Into<String>) -> Error {
        malformed(&self.what, self.line, at, reason)
    }

    /// An error about the whole of the line consumed last.
    #[cold]
    pub(super) fn error_before(&self, reason: impl Into<String>) -> Error {
        malformed(&self.what, self.line - 1, 0, reason)
    }

    pub(super) fn source(&self) -> &S {
        &self.source
    }

    /// Reads at least one more whole line. Returns `false` at the end.
    #[cold]
    fn refill(&mut self) -> Result<bool, Error> {
        self.buffer.copy_within(self.whole..self.filled, 0);
        self.filled -= self.whole;
        (self.start, self.whole) = (0, 0);
        while !self.ended {
            if self.filled == self.buffer.len() {
                self.grow()?;
            }
            let fresh = self.filled;
            match self.source.read(&mut self.buffer[fresh..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::io(&self.what, &error)),
            }
            if let Some(newline) = self.buffer[fresh..self.filled].iter().rposition(|&byte| byte == b'\n') {
                self.whole = fresh + newline + 1;
                return Ok(true);
            }
        }
        if self.filled == 0 {
            return Ok(false);
        }
        // The newline of the last line may be missing.
        self.buffer.truncate(self.filled);
        self.buffer.push(b'\n');
        self.filled += 1;
        self.whole = self.filled;
        Ok(true)
    }

    fn grow(&mut self) -> Result<(), Error> {
        if self.buffer.len() >= MAX_LINE {
            return Err(self.error(MAX_LINE, format!("the line is longer than {MAX_LINE} bytes")));
        }
        self.buffer.resize(2 * self.buffer.len(), 0);
        Ok(())
    }
}

/// Reads along a line. The text continues after the line's newline; the cursor ignores the rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        // The text ends in a newline, so the default never matters; it avoids a panic.
        self.text.get(at).copied().unwrap_or(b'\n')
    }

    /// Skips blanks, and returns whether the line ends there.
    #[inline(always)]
    pub(super) fn at_end(&mut self) -> bool {
        while matches!(self.byte(self.at), b' ' | b'\t' | b'\r') {
            self.at += 1;
        }
        self.byte(self.at) == b'\n'
    }

    /// The number at the cursor, of at most ten digits and less than 2^32. If there is none, the cursor does
    /// not move, and [`Cursor::not_a_number`] says what is wrong.
    ///
    /// The usual form (one blank, up to eight digits, a blank) is read eight bytes at once: otherwise each
    /// number of a different length would cost a mispredicted branch.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Option<u32> {
        let at = self.at + usize::from(self.byte(self.at) == b' ');
        if let Some(&eight) = self.text.get(at..).and_then(<[u8]>::first_chunk) {
            let nibbles = u64::from_le_bytes(eight) ^ 0x3030_3030_3030_3030;
            let digits = leading_digits(nibbles);
            if digits != 0 && self.byte(at + digits) == b' ' {
                self.at = at + digits;
                return Some(join_digits(nibbles, digits));
            }
        }
        self.number_of_any_form()
    }

    #[inline(never)]
    fn number_of_any_form(&mut self) -> Option<u32> {
        self.digits(10)
    }

    /// As [`Cursor::number`], below 2^64 and of at most twenty digits.
    #[inline(never)]
    pub(super) fn long_number(&mut self) -> Option<u64> {
        self.digits(20)
    }

    /// A number of at most `most` digits that fits in `T`.
    fn digits<T: TryFrom<u128>>(&mut self, most: usize) -> Option<T> {
        self.at_end();
        let (mut at, mut value) = (self.at, 0_u128);
        while self.byte(at).is_ascii_digit() {
            // Wraps only for numbers that are too long anyway.
            value = value.wrapping_mul(10).wrapping_add((self.byte(at) - b'0').into());
            at += 1;
        }
        let ends = matches!(self.byte(at), b' ' | b'\n' | b'\t' | b'\r');
        if !(1..=most).contains(&(at - self.at)) || !ends {
            return None;
        }
        let number = T::try_from(value).ok()?;
        self.at = at;
        Some(number)
    }

    /// Consumes and returns the counts of the usual gates, if the line starts with them.
    #[inline(always)]
    pub(super) fn usual_counts(&mut self) -> Option<(u32, u32)> {
        let counts = match self.text.first_chunk()? {
            b"2 1 " => (2, 1),
            b"1 1 " => (1, 1),
            _ => return None,
        };
        // The cursor stops before the last blank, as after any number.
        self.at = 3;
        Some(counts)
    }

    /// The word at the cursor; empty at the end of the line.
    #[inline(always)]
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.at_end();
        let start = self.at;
        while !matches!(self.byte(self.at), b' ' | b'\n' | b'\t' | b'\r') {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// As [`Cursor::word`], but fast if the last word of a line has three letters, as `XOR`, `AND` and `INV`
    /// do.
    #[inline(always)]
    pub(super) fn last_word(&mut self) -> &'a [u8] {
        if let Some([b' ', word @ .., b'\n']) = self.text.get(self.at..self.at + 5)
            && word.iter().all(u8::is_ascii_uppercase)
        {
            self.at += 4;
            return word;
        }
        self.word()
    }

    /// Why [`Cursor::number`] found no number; `expected` names what should be there.
    #[cold]
    pub(super) fn not_a_number(mut self, expected: &str) -> String {
        if self.at_end() {
            return format!("the line ends where {expected} should be");
        }
        let word = self.word();
        if let Some(byte) = word.iter().find(|byte| !byte.is_ascii_graphic()) {
            return format!("byte 0x{byte:02x} is not ASCII text; {expected} should be here");
        }
        let shown = String::from_utf8_lossy(&word[..word.len().min(24)]);
        if word.iter().all(u8::is_ascii_digit) {
            return format!("{shown} is too large; {expected} should be here");
        }
        format!("\"{shown}\" is not a number; {expected} should be here")
    }

    /// The column where word number `index` of the line starts.
    #[cold]
    pub(super) fn place(mut self, index: usize) -> usize {
        self.at = 0;
        for _ in 0..index {
            self.word();
        }
        self.at_end();
        self.at
    }
}

/// The number of leading digits among eight characters, each of which was XORed with `'0'`.
#[inline(always)]
fn leading_digits(nibbles: u64) -> usize {
    // Sets the top bit of each byte above 9. Only the low seven bits are added, so nothing carries into the
    // next byte.
    let above = ((nibbles & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676) | nibbles;
    ((above & 0x8080_8080_8080_8080).trailing_zeros() / 8) as usize
}

/// The number whose digits are the first 1 to 8 bytes.
#[inline(always)]
fn join_digits(nibbles: u64, digits: usize) -> u32 {
    // Puts leading zeros in front, then joins neighbours: digits to pairs, to fours, to eight.
    let ones = nibbles << (64 - 8 * digits);
    let pairs = (ones * 10 + (ones >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours * 10_000 + (fours >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> (Option<u32>, usize) {
        let mut cursor = Cursor { text: text.as_bytes(), at: 0 };
        (cursor.number(), cursor.at)
    }

    #[test]
    fn numbers_of_every_length_are_read_and_too_large_ones_are_not() {
        for (text, expected) in [
            ("0\n", Some(0)),
            ("9\n", Some(9)),
            ("007 8\n", Some(7)),
            ("12345678\n", Some(12_345_678)),
            ("99999999 \n", Some(99_999_999)),
            ("123456789\n", Some(123_456_789)),
            ("4294967295\r\n", Some(u32::MAX)),
            ("4294967296\n", None),
            ("9999999999\n", None),
            ("00000000001\n", None),
            ("18446744073709551617\n", None),
            ("1234567a\n", None),
            ("12345678a\n", None),
            ("12:\n", None),
            ("/1\n", None),
            ("\u{b1}1\n", None),
            ("\n1\n", None),
        ] {
            for padding in ["", "        \n 11111111 2222"] {
                let (got, at) = number(&format!("{text}{padding}"));
                assert_eq!(got, expected, "{text:?}");
                assert_eq!(at == 0, expected.is_none(), "{text:?}");
            }
        }
    }

    #[test]
    fn long_numbers_reach_up_to_2_to_the_64() {
        for (text, expected) in [
            ("18446744073709551615\n", Some(u64::MAX)),
            ("00000000000000000007 \n", Some(7)),
            ("18446744073709551616\n", None),
            ("99999999999999999999\n", None),
            ("000000000000000000007\n", None),
            ("340282366920938463463374607431768211457\n", None),
            ("-1\n", None),
            ("1e3\n", None),
            ("\n", None),
        ] {
            let mut cursor = Cursor { text: text.as_bytes(), at: 0 };
            assert_eq!(cursor.long_number(), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn reading_is_the_inverse_of_writing(value: u32, shift in 0..32_u32, blanks in "[ \t]{0,3}", after in "[ \r\n\t][ -~]{0,12}\n") {
            let value = value >> shift;
            let text = format!("{blanks}{value}{after}");
            prop_assert_eq!(number(&text), (Some(value), blanks.len() + value.to_string().len()));
        }
    }
}
