//! Parses hostile bytes: every read is checked, and trailing bytes are an error.
//!
//! A format names each part that it reads; a [`Flaw`] says at which part the bytes are wrong. Numbers are
//! big-endian unless the name says otherwise.

use crate::error::Error;
use crate::tag::Tag;

/// Bytes that end too early or go on too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// They end within this part.
    Ends(&'static str),
    /// This many bytes follow the last part.
    Trailing(usize),
}

impl Flaw {
    /// The error for a message of `step` with this flaw.
    #[must_use]
    pub fn at(self, step: Tag) -> Error {
        Error::malformed(step, self.to_string())
    }
}

impl core::fmt::Display for Flaw {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Ends(what) => write!(f, "it ends within {what}"),
            Self::Trailing(count) => write!(f, "{count} bytes too many"),
        }
    }
}

impl core::error::Error for Flaw {}

/// Reads bytes from front to back.
///
/// Every read takes a name for what it reads, which the [`Flaw`] repeats, and moves on only if it succeeds.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, offset: 0 }
    }

    /// Whether everything is read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// What is not read yet.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// How many bytes are read.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    /// [`Flaw::Ends`] if there are fewer; so with all reads.
    pub fn bytes(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], Flaw> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Flaw::Ends(what))?;
        self.rest = rest;
        self.offset += count;
        Ok(taken)
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// [`Flaw::Ends`].
    pub fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Flaw> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(Flaw::Ends(what))?;
        self.rest = rest;
        self.offset += N;
        Ok(*taken)
    }

    /// One byte.
    ///
    /// # Errors
    /// [`Flaw::Ends`].
    pub fn u8(&mut self, what: &'static str) -> Result<u8, Flaw> {
        self.array::<1>(what).map(|[byte]| byte)
    }

    /// Two bytes.
    ///
    /// # Errors
    /// [`Flaw::Ends`].
    pub fn u16(&mut self, what: &'static str) -> Result<u16, Flaw> {
        self.array(what).map(u16::from_be_bytes)
    }

    /// Two bytes, the low one first.
    ///
    /// # Errors
    /// [`Flaw::Ends`].
    pub(crate) fn u16_le(&mut self, what: &'static str) -> Result<u16, Flaw> {
        self.array(what).map(u16::from_le_bytes)
    }

    /// Three bytes, for TLS, whose messages and certificates have such lengths.
    ///
    /// # Errors
    /// [`Flaw::Ends`].
    pub fn u24(&mut self, what: &'static str) -> Result<usize, Flaw> {
        self.array::<3>(what).map(|bytes| bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
    }

    /// Four bytes.
    ///
    /// # Errors
    /// [`Flaw::Ends`].
    pub fn u32(&mut self, what: &'static str) -> Result<u32, Flaw> {
        self.array(what).map(u32::from_be_bytes)
    }

    /// Eight bytes.
    ///
    /// # Errors
    /// [`Flaw::Ends`].
    pub fn u64(&mut self, what: &'static str) -> Result<u64, Flaw> {
        self.array(what).map(u64::from_be_bytes)
    }

    /// The bytes behind a length of one byte.
    ///
    /// # Errors
    /// [`Flaw::Ends`].
    pub fn vector8(&mut self, what: &'static str) -> Result<&'a [u8], Flaw> {
        let count = self.u8(what)?;
        self.bytes(count.into(), what)
    }

    /// The bytes behind a length of two bytes.
    ///
    /// # Errors
    /// [`Flaw::Ends`].
    pub fn vector16(&mut self, what: &'static str) -> Result<&'a [u8], Flaw> {
        let count = self.u16(what)?;
        self.bytes(count.into(), what)
    }

    /// The bytes behind a length of three bytes.
    ///
    /// # Errors
    /// [`Flaw::Ends`].
    pub fn vector24(&mut self, what: &'static str) -> Result<&'a [u8], Flaw> {
        let count = self.u24(what)?;
        self.bytes(count, what)
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// [`Flaw::Trailing`] if bytes are left.
    pub fn finish(self) -> Result<(), Flaw> {
        match self.rest.len() {
            0 => Ok(()),
            extra => Err(Flaw::Trailing(extra)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_read_takes_what_it_says_in_its_byte_order() {
        let bytes: Vec<u8> = (1..=26).collect();
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(cursor.u8("a"), Ok(1));
        assert_eq!((cursor.u16("b"), cursor.u16_le("c")), (Ok(0x0203), Ok(0x0504)));
        assert_eq!((cursor.u24("d"), cursor.u32("e")), (Ok(0x06_0708), Ok(0x090a_0b0c)));
        assert_eq!(cursor.u64("f"), Ok(0x0d0e_0f10_1112_1314));
        assert_eq!((cursor.array("h"), cursor.bytes(3, "i")), (Ok([21, 22]), Ok(&[23, 24, 25][..])));
        assert_eq!((cursor.rest(), cursor.is_empty(), cursor.offset()), (&[26][..], false, 25));
        assert_eq!(cursor.finish(), Err(Flaw::Trailing(1)));
        assert_eq!(Cursor::new(&[]).finish(), Ok(()));
    }

    #[test]
    fn a_length_that_the_bytes_do_not_have_is_refused() {
        let whole = [0, 0, 2, 7, 8];
        assert_eq!(Cursor::new(&whole[2..]).vector8("v"), Ok(&[7, 8][..]));
        assert_eq!(Cursor::new(&whole[1..]).vector16("v"), Ok(&[7, 8][..]));
        assert_eq!(Cursor::new(&whole).vector24("v"), Ok(&[7, 8][..]));
        for end in 0..whole.len() {
            assert_eq!(Cursor::new(&whole[..end]).vector24("v"), Err(Flaw::Ends("v")), "{end}");
        }
        let mut cursor = Cursor::new(&[1, 2]);
        assert_eq!(cursor.bytes(usize::MAX, "v"), Err(Flaw::Ends("v")));
        assert_eq!(cursor.u24("v"), Err(Flaw::Ends("v")));
        assert_eq!((cursor.rest(), cursor.offset()), (&[1, 2][..], 0), "a read that fails takes nothing");
    }
}
