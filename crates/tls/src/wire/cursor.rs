//! Parses hostile bytes: every read is checked, numbers are big-endian, and trailing bytes are an error.

/// The reader's position when the bytes ended too early, or did not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// They end within this part.
    Ends(&'static str),
    /// They continue after the last part.
    Trailing(usize),
}

impl core::fmt::Display for Flaw {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Ends(what) => write!(f, "it ends within {what}"),
            Self::Trailing(count) => write!(f, "{count} bytes too many"),
        }
    }
}

/// Reads from front to back.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.0
    }

    pub(crate) fn bytes(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], Flaw> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Flaw::Ends(what))?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Flaw> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or(Flaw::Ends(what))?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self, what: &'static str) -> Result<u8, Flaw> {
        self.array::<1>(what).map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16, Flaw> {
        self.array(what).map(u16::from_be_bytes)
    }

    /// Three bytes: TLS's lengths of messages and certificates.
    pub(crate) fn u24(&mut self, what: &'static str) -> Result<usize, Flaw> {
        self.array::<3>(what).map(|bytes| bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, Flaw> {
        self.array(what).map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64, Flaw> {
        self.array(what).map(u64::from_be_bytes)
    }

    /// Bytes behind a length of one byte.
    pub(crate) fn vector8(&mut self, what: &'static str) -> Result<&'a [u8], Flaw> {
        let count = self.u8(what)?;
        self.bytes(count.into(), what)
    }

    /// Bytes behind a length of two bytes.
    pub(crate) fn vector16(&mut self, what: &'static str) -> Result<&'a [u8], Flaw> {
        let count = self.u16(what)?;
        self.bytes(count.into(), what)
    }

    /// Bytes behind a length of three bytes.
    pub(crate) fn vector24(&mut self, what: &'static str) -> Result<&'a [u8], Flaw> {
        let count = self.u24(what)?;
        self.bytes(count, what)
    }

    pub(crate) fn finish(self) -> Result<(), Flaw> {
        match self.0.len() {
            0 => Ok(()),
            extra => Err(Flaw::Trailing(extra)),
        }
    }
}
