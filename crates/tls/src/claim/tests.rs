//! Circuits of claims against plain readings of the same rules.

use proptest::prelude::*;
use volery_circuit::Evaluator;
use volery_circuit::gadgets::bytes_to_bits;

use super::*;

/// Whether the claim's circuit accepts `bytes`.
fn holds(claim: &dyn Claim, bytes: &[u8]) -> bool {
    let Ok(circuit) = circuit(claim, bytes.len()) else { return false };
    circuit.run(&mut Evaluator::new(), bytes_to_bits(bytes)).is_ok()
}

fn json_text(bytes: &[u8]) -> bool {
    let mut open = false;
    for byte in bytes {
        if *byte < 0x20 || (*byte == b'"' && !open) {
            return false;
        }
        open = *byte == b'\\' && !open;
    }
    !open
}

fn number(bytes: &[u8]) -> Option<u64> {
    let canonical =
        bytes.iter().all(u8::is_ascii_digit) && (bytes.len() == 1 || bytes.first() != Some(&b'0'));
    core::str::from_utf8(bytes).ok().filter(|_| canonical)?.parse().ok()
}

#[test]
fn each_class_accepts_exactly_its_bytes() {
    for byte in 0..=u8::MAX {
        let text = [b'5', byte];
        assert_eq!(holds(&Class::JsonText, &text), byte >= 32 && byte != b'"' && byte != b'\\', "{byte}");
        assert_eq!(holds(&Class::JsonNumber, &text), byte.is_ascii_digit(), "{byte}");
        assert_eq!(holds(&Class::HeaderValue, &text), byte >= 32 && byte != 127, "{byte}");
        assert_eq!(holds(&Class::Target, &text), byte.is_ascii_graphic(), "{byte}");
        assert!(holds(&Class::Opaque, &text));
    }
}

#[test]
fn a_string_that_ends_early_or_leaves_an_escape_open_is_not_text_of_json() {
    for (text, expected) in [
        (&br#"a\"b"#[..], true),
        (br#"a\\"b"#, false),
        (br"a\\", true),
        (br"a\", false),
        (br"a\\\", false),
        (br#"","age":99,"x":""#, false),
        (b"", true),
        (b"\xc3\xa9\\u00e9", true),
        (b"a\nb", false),
    ] {
        assert_eq!(holds(&Class::JsonText, text), expected, "{}", text.escape_ascii());
    }
}

#[test]
fn a_number_has_no_leading_zero_no_sign_and_at_least_one_digit() {
    for (text, expected) in
        [("0", true), ("10", true), ("01", false), ("00", false), ("-1", false), ("1.0", false), ("", false)]
    {
        assert_eq!(holds(&Class::JsonNumber, text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn a_range_holds_at_its_ends_and_not_beyond() {
    let between = |least, greatest| Assertion::Between { least, greatest };
    for (text, claim, expected) in [
        ("18", between(18, 120), true),
        ("120", between(18, 120), true),
        ("17", between(18, 120), false),
        ("121", between(18, 120), false),
        ("0", between(0, 0), true),
        ("9999999999999999999", between(0, u64::MAX), true),
        ("9999999999999999999", between(0, 9_999_999_999_999_999_998), false),
        ("10000000000000000000", between(0, u64::MAX), false),
        ("018", between(0, 100), false),
        ("19", between(20, 18), false),
    ] {
        assert_eq!(holds(&claim, text.as_bytes()), expected, "{text} {}", claim.text());
    }
}

#[test]
fn strings_are_compared_where_the_claim_says() {
    let at = |offset, text: &str| Assertion::At { offset, text: text.into() };
    for (claim, expected) in [
        (Assertion::Equals(b"gold member".to_vec()), true),
        (Assertion::Equals(b"gold memberx".to_vec()), false),
        (Assertion::Equals(b"gold membes".to_vec()), false),
        (Assertion::Equals(Vec::new()), false),
        (at(5, "mem"), true),
        (at(4, "mem"), false),
        (at(9, "er"), true),
        (at(10, "er"), false),
        (at(usize::MAX, "er"), false),
        (Assertion::Contains(b"member".to_vec()), true),
        (Assertion::Contains(b"gold".to_vec()), true),
        (Assertion::Contains(b"silver".to_vec()), false),
        (Assertion::Contains(b"gold members".to_vec()), false),
    ] {
        assert_eq!(holds(&claim, b"gold member"), expected, "{}", claim.text());
    }
}

#[test]
fn a_claim_about_too_many_bytes_is_refused_before_its_circuit_is_made() {
    assert!(matches!(circuit(&Class::Opaque, MAX_CLAIMED + 1), Err(Error::Public(_))));
}

#[test]
fn a_search_that_would_take_too_many_gates_is_refused() {
    let search = |text: usize, bytes| circuit(&Assertion::Contains(vec![b'a'; text]), bytes);
    assert!(matches!(search(MAX_TEXT, MAX_CLAIMED), Err(Error::Public(_))));
    assert!(search(2, 1 << 10).is_ok());
}

/// The number that a circuit makes of digits, if they are some.
fn value(bytes: &[u8]) -> Option<u64> {
    let circuit = super::number(bytes.len()).ok()?;
    let bits = circuit.run(&mut Evaluator::new(), bytes_to_bits(bytes)).ok()?;
    assert_eq!(bits.len(), 64);
    Some(bits.iter().rev().fold(0, |value, bit| value << 1 | u64::from(bit.to_u8())))
}

#[test]
fn the_digits_of_a_number_give_its_value_and_nothing_else_gives_one() {
    for text in ["0", "7", "10", "5120", "9999999999999999999"] {
        assert_eq!(value(text.as_bytes()), text.parse().ok(), "{text}");
    }
    for text in ["", "01", "-1", "1.0", "x", "10000000000000000000"] {
        assert_eq!(value(text.as_bytes()), None, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_number_s_circuit_reads_as_a_plain_reader_does(text in "[0-9]{1,19}|[0-9]{0,4}[:/a\\x00-]") {
        prop_assert_eq!(value(text.as_bytes()), number(text.as_bytes()));
    }

    #[test]
    fn text_of_json_is_what_a_reader_of_bytes_says(
        bytes in proptest::collection::vec(proptest::sample::select(br#"\\\""u0n "#.to_vec()), 0..12)
    ) {
        prop_assert_eq!(holds(&Class::JsonText, &bytes), json_text(&bytes));
    }

    #[test]
    fn a_number_lies_between_where_integers_do(text in "[0-9]{1,19}", least: u64, greatest: u64) {
        let claim = Assertion::Between { least, greatest };
        let expected = number(text.as_bytes()).is_some_and(|n| least <= n && n <= greatest);
        prop_assert_eq!(holds(&claim, text.as_bytes()), expected);
    }
}
