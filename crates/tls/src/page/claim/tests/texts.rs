//! Texts stand where claims say, and what stands in a JSON string does not begin within an escape.

use proptest::prelude::*;

use super::*;
use crate::page::http::json;

fn at(offset: usize, text: &str) -> Assertion {
    Assertion::At { offset, text: text.into() }
}

fn contains(text: &str) -> Assertion {
    Assertion::Contains(text.into())
}

#[test]
fn strings_are_compared_where_the_claim_says() {
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
        (contains("member"), true),
        (contains("gold"), true),
        (contains("silver"), false),
        (contains("gold members"), false),
        (Assertion::Length(11..=11), true),
        (Assertion::Length(0..=10), false),
        (Assertion::Length(12..=400), false),
    ] {
        for class in [Class::Opaque, Class::JsonText] {
            assert_eq!(holds_in(class, &claim, b"gold member"), expected, "{claim}");
        }
    }
}

#[test]
fn in_a_json_string_a_text_does_not_begin_within_an_escape() {
    let text = br"tea\nfor \u0041da \\n\\\u00e9";
    for (claim, anywhere, in_json) in [
        (contains("n"), true, true),
        (contains("nf"), true, false),
        (contains("u0041"), true, false),
        (contains("0041"), true, false),
        (contains("1da"), true, false),
        (contains("da"), true, true),
        (contains(r"\u0041"), true, true),
        (contains(r"\u00e9"), true, true),
        (contains(r"\\n"), true, true),
        (contains(r"\n"), true, true),
        (contains(r"\u00"), true, false),
        (contains(r"\"), true, false),
        (at(4, "nfor"), true, false),
        (at(3, r"\nfor"), true, true),
        (at(10, "u0041da"), true, false),
        (at(9, r"\u0041da"), true, true),
        (at(15, "da"), true, true),
        (at(14, "1da"), true, false),
    ] {
        assert_eq!(holds(&claim, text), anywhere, "{claim}");
        assert_eq!(holds_in(Class::JsonText, &claim, text), in_json, "{claim}");
    }
}

#[test]
fn a_text_is_spelled_as_the_string_has_it() {
    let written = r#"Ada \"L\" \u00c9tude"#;
    for (wanted, expected) in [
        ("Ada", Some("Ada")),
        ("\"L\"", Some(r#"\"L\""#)),
        ("Étude", Some(r"\u00c9tude")),
        ("Ada \"L\" Étude", Some(written)),
        ("u00c9", None),
        ("Eve", None),
    ] {
        let found = json::spelling(written.as_bytes(), wanted).map(|range| &written[range]);
        assert_eq!(found, expected, "{wanted}");
    }
    assert_eq!(json::spelling(b"a\"b", "a"), None);
    assert_eq!(json::spelling(b"a\\", "a"), None);
}

#[test]
fn a_claim_about_too_many_bytes_is_refused_before_its_circuit_is_made() {
    assert!(matches!(circuit(&Class::Opaque, Class::Opaque, MAX_CLAIMED + 1), Err(Error::Public(_))));
}

#[test]
fn a_search_that_would_take_too_many_gates_is_refused() {
    let search = |text: usize, bytes| circuit(&Assertion::Contains(vec![b'a'; text]), Class::Opaque, bytes);
    assert!(matches!(search(MAX_TEXT, MAX_CLAIMED), Err(Error::Public(_))));
    assert!(search(2, 1 << 10).is_ok());
}

/// The inside of a JSON string: plain characters, escapes that look like what follows them, and their
/// meaning.
fn spelled() -> impl Strategy<Value = (String, Vec<(usize, char)>)> {
    let character = prop_oneof![
        proptest::sample::select(vec![
            ('n', "n"),
            ('u', "u"),
            ('0', "0"),
            ('\n', r"\n"),
            ('\\', r"\\"),
            ('é', "é")
        ]),
        proptest::sample::select(vec![('n', r"\u006e"), ('0', r"\u0030"), ('"', r#"\""#), ('u', r"\u0075")]),
    ];
    proptest::collection::vec(character, 0..8).prop_map(|characters| {
        let (mut text, mut starts) = (String::new(), Vec::new());
        for (c, written) in characters {
            starts.push((text.len(), c));
            text.push_str(written);
        }
        (text, starts)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_text_stands_in_a_json_string_where_characters_begin(
        (text, starts) in spelled(), wanted in "(n|u|0|\\\\n|\\\\\\\\|\\\\u006e){1,3}"
    ) {
        let mut places = starts.iter().map(|(start, _)| *start);
        let expected = places.any(|start| text[start..].starts_with(&wanted));
        let found = holds_in(Class::JsonText, &contains(&wanted), text.as_bytes());
        prop_assert_eq!(found, expected, "{} in {}", wanted, text);
    }

    #[test]
    fn a_spelling_means_what_was_wanted((text, starts) in spelled(), from in 0_usize..8, count in 1_usize..4) {
        let meaning: Vec<char> = starts.iter().map(|(_, c)| *c).collect();
        let from = from.min(meaning.len().saturating_sub(count));
        let wanted: String = meaning.iter().skip(from).take(count).collect();
        prop_assume!(!wanted.is_empty());
        let place = json::spelling(text.as_bytes(), &wanted).unwrap();
        let read: String = serde_json::from_str(&format!("\"{}\"", &text[place.clone()])).unwrap();
        prop_assert_eq!(read, wanted);
        prop_assert!(holds_in(Class::JsonText, &contains(&text[place]), text.as_bytes()));
    }
}
