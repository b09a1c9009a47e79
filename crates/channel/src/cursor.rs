//! Parses hostile bytes: every read is checked, and trailing bytes are an error.

use crate::error::Error;
use crate::tag::Tag;

/// Reads a message of `step` from front to back.
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    step: Tag,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(step: Tag, bytes: &'a [u8]) -> Self {
        Self { rest: bytes, step }
    }

    pub(crate) fn malformed(&self, reason: impl Into<String>) -> Error {
        Error::malformed(self.step, reason)
    }

    pub(crate) fn bytes(&mut self, count: usize, what: &str) -> Result<&'a [u8], Error> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| self.malformed(format!("it ends within {what}")))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Error> {
        let (taken, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or_else(|| self.malformed(format!("it ends within {what}")))?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn byte(&mut self, what: &str) -> Result<u8, Error> {
        self.array::<1>(what).map(|[byte]| byte)
    }

    pub(crate) fn finish(self) -> Result<(), Error> {
        match self.rest.len() {
            0 => Ok(()),
            extra => Err(self.malformed(format!("{extra} bytes too many"))),
        }
    }
}
