//! Bytes as hexadecimal digits, and back.

/// The digits of these bytes, in lower case.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digit = |value: u8| DIGITS[usize::from(value & 15)];
    // Of the right length from the start, so that no copy of a secret is left behind.
    let mut text = String::with_capacity(2 * bytes.len());
    text.extend(bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte)]));
    text
}

/// The digits of the first eight bytes of a digest, which are enough to compare by eye, and three dots.
#[must_use]
pub fn short(digest: &[u8]) -> String {
    encode(digest.get(..8).unwrap_or(digest)) + "..."
}

/// The bytes that these digits are, two each, in either case.
#[must_use]
pub fn decode(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    pairs.iter().map(byte).collect()
}

/// As [`decode`], of exactly `N` bytes.
#[must_use]
pub fn decode_array<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    decode_into(digits, &mut bytes).then_some(bytes)
}

/// As [`decode`], into a place of the right length, for secrets. Returns whether the digits fit; if they do
/// not, the place holds some of them.
#[must_use]
pub fn decode_into(digits: &[u8], bytes: &mut [u8]) -> bool {
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty()
        && pairs.len() == bytes.len()
        && bytes.iter_mut().zip(pairs).all(|(place, pair)| byte(pair).map(|byte| *place = byte).is_some())
}

fn byte(pair: &[u8; 2]) -> Option<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let [high, low] = pair.map(digit);
    Some(high? << 4 | low?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back_in_either_case() {
        let bytes = Vec::from_iter(0..=255);
        let digits = encode(&bytes);
        assert!(digits.starts_with("000102") && digits.ends_with("fdfeff"));
        assert_eq!(decode(digits.as_bytes()).as_deref(), Some(&bytes[..]));
        assert_eq!(decode(digits.to_uppercase().as_bytes()), Some(bytes));
        assert_eq!(short(&[0xab; 32]), "abababababababab...");
        assert_eq!(short(&[1]), "01...");
    }

    #[test]
    fn other_text_and_other_lengths_are_refused() {
        for wrong in ["0", "0g", "g0", "+1", " 1", "0x", "12é"] {
            assert_eq!(decode(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!(decode(b""), Some(Vec::new()));
        assert_eq!(decode_array(b"0aFF"), Some([10, 255]));
        for wrong in [&b"0aff00"[..], b"0a", b"0aff0", b"0a-f"] {
            assert_eq!(decode_array::<2>(wrong), None);
        }
    }
}
