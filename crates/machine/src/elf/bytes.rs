//! Numbers and parts of a file; `None` beyond its end.

/// Two bytes, little-endian.
pub(super) fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

/// Four bytes, little-endian.
pub(super) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// A part of this length.
pub(super) fn part(bytes: &[u8], at: u32, length: usize) -> Option<&[u8]> {
    bytes.get(at as usize..)?.get(..length)
}
