//! Numbers and hashes in words, for messages.

use volery_channel::hex;

/// A number with commas between thousands.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things, singular or plural: `1 branch`, `2 branches`, `2 wires`.
#[must_use]
pub fn counted(number: u64, what: &str) -> String {
    match (number, what.strip_suffix("ch")) {
        (1, _) => format!("1 {what}"),
        (_, Some(_)) => format!("{} {what}es", count(number)),
        (_, None) => format!("{} {what}s", count(number)),
    }
}

/// The first `bytes` of a hash, as hex digits.
pub(crate) fn short(hash: &[u8], bytes: usize) -> String {
    hex::encode(hash.get(..bytes).unwrap_or(hash)) + "..."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_parted_by_commas() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), text);
        }
    }

    #[test]
    fn one_thing_is_singular() {
        for (number, what, text) in [
            (0, "AND", "0 ANDs"),
            (1, "AND", "1 AND"),
            (1234, "wire", "1,234 wires"),
            (1, "branch", "1 branch"),
            (2, "branch", "2 branches"),
        ] {
            assert_eq!(counted(number, what), text);
        }
    }

    #[test]
    fn a_short_hash_is_its_beginning() {
        assert_eq!(short(&[1, 0xab, 2], 2), "01ab...");
    }
}
