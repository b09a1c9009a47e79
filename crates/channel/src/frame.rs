//! The encoding of a frame.
//!
//! ```text
//! tag: u8 | length: u32, little-endian | payload: `length` bytes
//! ```
//!
//! The header is the same in every wire version, so parties of different versions can still send each other
//! an error.

use crate::error::Error;
use crate::tag::{Tag, tags};

/// Bytes of a frame header.
pub(crate) const HEADER_LEN: usize = 5;

/// Longest reason in an `Error` frame, in bytes.
pub(crate) const MAX_REASON: usize = 512;

/// A decoded frame header. Its tag and length may be anything; the receive that expects a frame judges them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) tag: u8,
    pub(crate) length: u32,
}

impl Header {
    pub(crate) fn encode(self) -> [u8; HEADER_LEN] {
        let [a, b, c, d] = self.length.to_le_bytes();
        [self.tag, a, b, c, d]
    }

    pub(crate) fn decode(bytes: [u8; HEADER_LEN]) -> Self {
        let [tag, length @ ..] = bytes;
        Self { tag, length: u32::from_le_bytes(length) }
    }

    /// The payload length if this header announces `tag` and `bound` allows the length.
    pub(crate) fn check(self, tag: Tag, bound: Bound) -> Result<usize, Error> {
        if self.tag != tag.byte() {
            return Err(Error::UnexpectedFrame { expected: tag, got: self.tag, length: self.length });
        }
        let length = usize::try_from(self.length).unwrap_or(usize::MAX);
        match bound {
            Bound::Exactly(expected) if length != expected => {
                Err(Error::WrongLength { step: tag, length: self.length, expected })
            }
            Bound::AtMost(max) if length > max => Err(Error::TooLong { step: tag, length: self.length, max }),
            Bound::Exactly(_) | Bound::AtMost(_) => Ok(length),
        }
    }
}

/// Which payload lengths a receive accepts, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    Exactly(usize),
    AtMost(usize),
}

/// The payload of an `Error` frame: `reason`, cut at a character boundary to the length that the format
/// allows.
pub(crate) fn encode_reason(reason: &str) -> &[u8] {
    let cut = (0..=MAX_REASON.min(reason.len())).rev().find(|&at| reason.is_char_boundary(at)).unwrap_or(0);
    reason.get(..cut).unwrap_or_default().as_bytes()
}

/// The text of an `Error` frame's payload, made safe to print.
///
/// # Errors
/// [`Error::Malformed`] if it is too long or not UTF-8.
pub(crate) fn decode_reason(payload: &[u8]) -> Result<String, Error> {
    if payload.len() > MAX_REASON {
        return Err(Error::malformed(tags::ERROR, format!("a reason of more than {MAX_REASON} bytes")));
    }
    let text =
        std::str::from_utf8(payload).map_err(|_| Error::malformed(tags::ERROR, "the reason is not UTF-8"))?;
    Ok(sanitise(text))
}

/// Replaces characters that could rewrite a terminal line or hide text: control characters, line separators,
/// and the invisible characters that reorder or join text.
pub(crate) fn sanitise(text: &str) -> String {
    text.chars().map(|c| if deceives(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn deceives(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn header_decodes_to_what_was_encoded(tag: u8, length: u32) {
            let header = Header { tag, length };
            prop_assert_eq!(Header::decode(header.encode()), header);
        }

        #[test]
        fn any_reason_arrives_bounded_and_printable(reason in ".{0,900}") {
            let payload = encode_reason(&reason);
            prop_assert!(payload.len() <= MAX_REASON);
            let text = decode_reason(payload).unwrap();
            prop_assert!(text.chars().all(|c| !deceives(c)));
        }
    }

    #[test]
    fn header_is_tag_then_little_endian_length() {
        assert_eq!(Header { tag: 0x20, length: 0x0403_0201 }.encode(), [0x20, 1, 2, 3, 4]);
    }

    #[test]
    fn reason_is_cut_between_characters() {
        let reason = "é".repeat(300);
        assert_eq!(encode_reason(&reason).len(), 512);
        let odd = format!("a{reason}");
        assert_eq!(encode_reason(&odd).len(), 511);
    }

    #[test]
    fn terminal_escapes_and_reordering_characters_are_replaced() {
        let text = decode_reason("ok\x1b[2J\r\nfine\u{202e}".as_bytes()).unwrap();
        assert_eq!(text, "ok\u{fffd}[2J\u{fffd}\u{fffd}fine\u{fffd}");
    }

    #[test]
    fn reason_must_be_short_utf8() {
        assert!(matches!(decode_reason(&[b'a'; MAX_REASON + 1]), Err(Error::Malformed { .. })));
        assert!(matches!(decode_reason(&[0xff]), Err(Error::Malformed { .. })));
    }
}
