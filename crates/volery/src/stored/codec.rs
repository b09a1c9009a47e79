//! Taking hostile bytes apart and putting sound ones together.

use std::ops::Range;

use volery_circuit::counted;

/// Why bytes are not what their format demands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Flaw {
    /// The first bytes are another format's.
    Magic,
    /// A version that this program does not know.
    Version(u16),
    /// Anything else.
    Bad(String),
}

impl Flaw {
    pub(super) fn bad(reason: impl Into<String>) -> Self {
        Self::Bad(reason.into())
    }
}

/// Reads front to back.
pub(super) struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Flaw> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(|| Flaw::bad("it is too short"))?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Flaw> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Flaw> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Flaw> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Flaw> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn range(&mut self) -> Result<Range<u64>, Flaw> {
        Ok(self.u64()?..self.u64()?)
    }

    /// The rest must be zeros.
    pub(super) fn zeros(self) -> Result<(), Flaw> {
        if self.0.iter().any(|byte| *byte != 0) {
            return Err(Flaw::bad("unused bytes are not zero"));
        }
        Ok(())
    }

    pub(super) fn end(self) -> Result<(), Flaw> {
        match self.0.len() {
            0 => Ok(()),
            extra => Err(Flaw::bad(format!("{} too many", counted(extra as u64, "byte")))),
        }
    }
}

/// Appends both ends of a range.
pub(super) fn put_range(out: &mut Vec<u8>, range: &Range<u64>) {
    out.extend_from_slice(&range.start.to_le_bytes());
    out.extend_from_slice(&range.end.to_le_bytes());
}

/// Bytes of a block of the correlation file; a checksum ends each.
pub(super) const BLOCK: usize = 4096;

const SUM: usize = 32;

/// Fills `content` up to a block and seals it. What does not fit is cut off; the formats leave room.
pub(super) fn seal_block(purpose: &str, context: &[u8], mut content: Vec<u8>) -> Vec<u8> {
    content.resize(BLOCK - SUM, 0);
    let sum = checksum(purpose, context, &content);
    content.extend_from_slice(&sum);
    content
}

/// The content of a sealed block.
pub(super) fn open_block<'a>(purpose: &str, context: &[u8], block: &'a [u8]) -> Result<&'a [u8], Flaw> {
    open_sealed(purpose, context, block, BLOCK)
}

/// The content of sealed bytes that must have this length.
pub(super) fn open_sealed<'a>(
    purpose: &str,
    context: &[u8],
    bytes: &'a [u8],
    length: usize,
) -> Result<&'a [u8], Flaw> {
    if bytes.len() != length {
        return Err(Flaw::bad(format!("it has {}, not {length}", counted(bytes.len() as u64, "byte"))));
    }
    match bytes.split_last_chunk::<SUM>() {
        Some((content, sum)) if *sum == checksum(purpose, context, content) => Ok(content),
        _ => Err(Flaw::bad("its checksum is wrong")),
    }
}

/// The checksum of `content`. Contexts of one purpose have one length.
pub(super) fn checksum(purpose: &str, context: &[u8], content: &[u8]) -> [u8; SUM] {
    *blake3::Hasher::new_derive_key(purpose).update(context).update(content).finalize().as_bytes()
}
