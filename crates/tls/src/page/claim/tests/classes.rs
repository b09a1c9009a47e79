//! Classes accept their bytes, and none that would change the structure around them.

use proptest::prelude::*;

use super::*;

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

/// Whether a general reader takes the whole text for a number.
fn is_number(text: &[u8]) -> bool {
    let number = serde_json::from_slice::<serde_json::Number>(text);
    // What does not fit that reader's integers and floats is a number all the same: one too large, and
    // nothing worse, it says.
    let fits = number.as_ref().err().is_none_or(|error| error.to_string().contains("number out of range"));
    fits && !text.iter().any(u8::is_ascii_whitespace)
}

#[test]
fn each_class_accepts_exactly_its_bytes() {
    for byte in 0..=u8::MAX {
        let text = [b'5', byte];
        assert_eq!(holds(&Class::JsonText, &text), byte >= 32 && byte != b'"' && byte != b'\\', "{byte}");
        assert_eq!(holds(&Class::Number, &text), byte.is_ascii_digit(), "{byte}");
        let (visible, inside) = (byte > 32 && byte != 127, [b'5', byte, b'5']);
        assert_eq!(holds(&Class::HeaderValue, &inside), visible || byte == 9 || byte == 32, "{byte}");
        // The space around a value is not a part of it, so that `!= 5` is not true of it.
        for text in [&text[..], &[byte, b'5'], &[byte]] {
            assert_eq!(holds(&Class::HeaderValue, text), visible, "{byte}");
        }
        let visible = byte.is_ascii_graphic();
        assert_eq!(holds(&Class::Path, &text), visible && !b"?#".contains(&byte), "{byte}");
        assert_eq!(holds(&Class::Query, &text), visible && byte != b'#', "{byte}");
        assert_eq!(holds(&Class::Parameter, &text), visible && !b"#&;".contains(&byte), "{byte}");
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
fn a_number_is_one_from_its_first_byte_to_its_last() {
    for text in [
        "0",
        "-0",
        "10",
        "-1",
        "1.0",
        "0.50",
        "-12.50",
        "1e3",
        "1E+05",
        "-0.0e-0",
        "123456789012345678901234567890",
    ] {
        assert!(holds(&Class::Number, text.as_bytes()), "{text}");
    }
    for text in [
        "", "-", "01", "00", "-01", "1.", ".5", "-.5", "1.e3", "1e", "1e+", "1e1.5", "+1", " 1", "1 ", "1,2",
        "1-2", "1..2", "--1", "0x1", "NaN", "1}", "1:2", "1\n",
    ] {
        assert!(!holds(&Class::Number, text.as_bytes()), "{text}");
    }
}

#[test]
fn a_word_is_true_false_or_null() {
    for text in ["true", "false", "null"] {
        assert!(holds(&Class::Word, text.as_bytes()), "{text}");
    }
    for text in ["True", "nul", "nulls", "falsx", "trux", "1111", "11111", "\"\"\"\"", "", "x"] {
        assert!(!holds(&Class::Word, text.as_bytes()), "{text}");
    }
}

/// Some servers take what is before `]=` for the name, whatever equals sign comes first.
#[test]
fn the_value_of_a_parameter_ends_no_other_name() {
    for text in
        ["17", "a=b==", "]", "]]", "=]", "]x=", "%5D", "%5Dx=", "5D=", "D=", "%5E=", "%%5D", "%5%5D5D="]
    {
        assert!(holds(&Class::Parameter, text.as_bytes()), "{text}");
    }
    for text in ["]=", "17]=5", "%5D=", "a%5d=", "%%5D=", "]]=", "%5%5D=", "=]="] {
        assert!(!holds(&Class::Parameter, text.as_bytes()), "{text}");
    }
    assert!(price(&Class::Parameter, 16) <= 16 * 40, "{}", price(&Class::Parameter, 16));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn values_of_parameters_are_what_a_search_says(
        bytes in proptest::collection::vec(proptest::sample::select(b"%%5Dd]]==x".to_vec()), 0..12)
    ) {
        let ends = bytes.windows(2).any(|end| end == b"]=")
            || bytes.windows(4).any(|end| end.eq_ignore_ascii_case(b"%5D="));
        prop_assert_eq!(holds(&Class::Parameter, &bytes), !ends, "{}", bytes.escape_ascii());
    }

    #[test]
    fn text_of_json_is_what_a_reader_of_bytes_says(
        bytes in proptest::collection::vec(proptest::sample::select(br#"\\\""u0n "#.to_vec()), 0..12)
    ) {
        prop_assert_eq!(holds(&Class::JsonText, &bytes), json_text(&bytes));
    }

    #[test]
    fn numbers_are_those_of_another_reader(
        bytes in prop_oneof![
            proptest::collection::vec(proptest::sample::select(b"01259-+.eE".to_vec()), 1..6),
            "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?(e[+-]?[0-9]{1,2})?".prop_map(String::into_bytes),
        ]
    ) {
        prop_assert_eq!(holds(&Class::Number, &bytes), is_number(&bytes), "{}", bytes.escape_ascii());
    }
}
