//! Claims as words and as bytes: read as they were written, or refused.

use std::sync::Arc;

use proptest::prelude::*;
use volery_channel::Cursor;

use super::*;

/// One of each.
pub(super) fn all() -> Vec<Assertion> {
    let own: Arc<dyn Claim> = Arc::new(Class::Opaque);
    vec![
        Assertion::Equals(b"a".to_vec()),
        Assertion::At { offset: 3, text: b"bc".to_vec() },
        Assertion::Contains(b"\xff".to_vec()),
        Assertion::Length(3..=70),
        Assertion::Number(Interval::between(
            1,
            "-12.5e70".parse::<crate::page::http::json::Decimal>().unwrap(),
        )),
        Assertion::Number(Interval::above(5)),
        Assertion::Number(Interval::default()),
        Assertion::Digits,
        Assertion::Matches(r"\d+".into()),
        Assertion::NotEquals(b"a".to_vec()),
        Assertion::OneOf(vec![b"a".to_vec(), Vec::new(), b"\xff".to_vec()]),
        Assertion::OneOf((0..32).map(|n| vec![n; 16]).collect()),
        Assertion::Is(Word::True),
        Assertion::Is(Word::False),
        Assertion::Is(Word::Null),
        Assertion::Characters(3..=70),
        Assertion::Before("2026-01-31".parse().unwrap()),
        Assertion::Since("2026-01-31T12:30:00Z".parse().unwrap()),
        Assertion::Custom(CustomClaim::new("example.com/x", &[7], own).unwrap()),
    ]
}

fn encoded(claim: &Assertion) -> Vec<u8> {
    let mut out = Vec::new();
    put_assertion(&mut out, claim);
    out
}

#[test]
fn words_of_a_command_line_are_claims() {
    let decimal = |text: &str| text.parse::<crate::page::http::json::Decimal>().unwrap();
    for (words, claim, shown) in [
        ("= a  b", Assertion::Equals(b"a  b".to_vec()), r#"equals "a  b""#),
        ("contains \u{e9}", Assertion::Contains(vec![0xc3, 0xa9]), r#"contains "\xc3\xa9""#),
        ("at 3 x y", Assertion::At { offset: 3, text: b"x y".to_vec() }, r#"has "x y" at 3"#),
        ("length 3..20", Assertion::Length(3..=20), "has from 3 to 20 bytes"),
        ("length 0..", Assertion::Length(0..=u32::MAX as usize), "has at least 0 bytes"),
        ("length ..20", Assertion::Length(0..=20), "has from 0 to 20 bytes"),
        (
            "in 100.50..2000",
            Assertion::Number(Interval::between(decimal("100.5"), 2000)),
            "is a number from 100.5 to 2000",
        ),
        ("in -5..", Assertion::Number(Interval::at_least(-5)), "is a number of at least -5"),
        ("in ..1e3", Assertion::Number(Interval::at_most(1000)), "is a number of at most 1000"),
        ("> 0.1", Assertion::Number(Interval::above(decimal("0.1"))), "is a number greater than 0.1"),
        (">= 0", Assertion::Number(Interval::at_least(0)), "is a number of at least 0"),
        ("< -3", Assertion::Number(Interval::below(-3)), "is a number less than -3"),
        ("<= 7", Assertion::Number(Interval::at_most(7)), "is a number of at most 7"),
        ("is digits", Assertion::Digits, "is digits only"),
        ("!= a  b", Assertion::NotEquals(b"a  b".to_vec()), r#"is not "a  b""#),
        (
            r"one of paid| open|\||\\",
            Assertion::OneOf(["paid", " open", "|", "\\"].map(|text| text.into()).to_vec()),
            r#"is one of "paid", " open", "|", "\\""#,
        ),
        ("is true", Assertion::Is(Word::True), "is true"),
        ("is null", Assertion::Is(Word::Null), "is null"),
        ("characters 3..", Assertion::Characters(3..=u32::MAX as usize), "has at least 3 characters"),
        (
            "before 2026-01-01",
            Assertion::Before("2026-01-01".parse().unwrap()),
            "is a date before 2026-01-01",
        ),
        (
            "since 2026-01-01T12:00:00Z",
            Assertion::Since("2026-01-01T12:00:00Z".parse().unwrap()),
            "is a date not before 2026-01-01T12:00:00Z",
        ),
        (r"matches \d+ EUR", Assertion::Matches(r"\d+ EUR".into()), r#"matches "\\d+ EUR""#),
    ] {
        assert_eq!(words.parse(), Ok(claim.clone()), "{words}");
        assert_eq!(claim.to_string(), shown);
    }
}

/// Of no hidden part it is true, and of an empty one nothing is hidden.
#[test]
fn a_text_that_is_empty_is_refused_with_the_reason() {
    for words in
        ["=", "= ", "!= ", "contains ", "matches ", "one of ", "one of a|", "one of |a", "one of a||b"]
    {
        let refused = words.parse::<Assertion>().unwrap_err();
        assert!(
            matches!(&refused, WordsError::Claim(reason) if reason.contains("length 0..0")),
            "{words}: {refused}"
        );
    }
}

#[test]
fn words_that_are_no_claim_are_refused() {
    for words in [
        "",
        "is 5",
        "in 5",
        "in ..",
        "in 5...7",
        "in a..b",
        "in 01..2",
        "> x",
        ">5",
        "at x y",
        "at -1 y",
        "at 3",
        "at 3 ",
        "length 5",
        "length +5..6",
        "length 99999999999..",
        "equals x",
        "one of",
        "one a",
        r"one of a\b",
        "is True",
        "is 5 digits",
        "characters 5",
    ] {
        assert_eq!(words.parse::<Assertion>(), Err(WordsError::Form), "{words}");
    }
    for (words, reason) in [
        ("in 7..5", "no number is in this interval"),
        ("characters 7..5", "no number is in this range"),
        ("length 7..5", "no number is in this range"),
        ("matches (", "regular expression"),
        (r"matches \w{200}", "regular expression"),
        ("before 2026-02-30", "neither a date"),
        ("since yesterday", "neither a date"),
        ("one of a|b|a", "twice"),
    ] {
        let error = words.parse::<Assertion>().unwrap_err();
        assert!(matches!(&error, WordsError::Claim(found) if found.contains(reason)), "{words}: {error}");
    }
    assert!(format!("= {}", "x".repeat(MAX_TEXT + 1)).parse::<Assertion>().is_err());
}

#[test]
fn bytes_are_read_as_they_were_written_and_only_whole() {
    for claim in all() {
        let bytes = encoded(&claim);
        assert!(bytes.len() <= MAX_ENCODED);
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(read_assertion(&mut cursor), Ok(claim), "{bytes:?}");
        assert!(cursor.is_empty());
        for end in 0..bytes.len() {
            assert!(read_assertion(&mut Cursor::new(&bytes[..end])).is_err());
        }
    }
}

#[test]
fn a_bound_has_one_encoding() {
    for (text, reads) in
        [("5", true), ("5.0", false), ("05", false), ("5e0", false), ("-0", false), ("1e30", true)]
    {
        let bytes = [&[6, 1, 0, 0, 0, text.len() as u8][..], text.as_bytes(), &[0]].concat();
        assert_eq!(read_assertion(&mut Cursor::new(&bytes)).is_ok(), reads, "{text}");
    }
    let longest = "-0.000000000000000000000".to_owned() + &"7".repeat(511);
    let longest: crate::page::http::json::Decimal = longest.parse().unwrap();
    let claim = Assertion::Number(Interval::between(longest.clone(), longest));
    assert!(encoded(&claim).len() <= MAX_ENCODED);
    assert_eq!(read_assertion(&mut Cursor::new(&encoded(&claim))), Ok(claim));
}

#[test]
fn a_time_has_one_encoding() {
    for (text, reads) in [
        ("2026-01-31", true),
        ("2026-01-31T12:00:00Z", true),
        ("2026-01-31T00:00:00Z", false),
        ("2026-02-30", false),
        ("2026-01-31 ", false),
        ("", false),
    ] {
        let bytes = [&[13, 0, 0, 0, text.len() as u8][..], text.as_bytes()].concat();
        assert_eq!(read_assertion(&mut Cursor::new(&bytes)).is_ok(), reads, "{text}");
    }
}

#[test]
fn several_texts_are_together_as_long_as_one_may_be() {
    for (lengths, reads) in
        [(&[256, 256][..], true), (&[512], true), (&[256, 257], false), (&[512, 1], false), (&[16; 32], true)]
    {
        let texts = lengths.iter().map(|length| vec![b'a'; *length]).collect();
        let mut bytes = Vec::new();
        put_assertion(&mut bytes, &Assertion::OneOf(texts));
        assert_eq!(read_assertion(&mut Cursor::new(&bytes)).is_ok(), reads, "{lengths:?}");
    }
    let mut bytes = Vec::new();
    put_assertion(&mut bytes, &Assertion::OneOf(vec![Vec::new(); 33]));
    assert!(read_assertion(&mut Cursor::new(&bytes)).is_err());
}

#[test]
fn programs_read_claims_as_json() {
    let value = |claim: &Assertion| serde_json::to_value(claim).unwrap();
    let number = value(&Assertion::Number(Interval { greatest: None, ..Interval::above(5) }));
    assert_eq!(
        number,
        serde_json::json!({"kind": "number", "above": "5", "words": "is a number greater than 5"})
    );
    let text = value(&Assertion::Contains(vec![0xff]));
    assert_eq!(
        text,
        serde_json::json!({"kind": "contains", "text_hex": "ff", "words": "contains \"\\xff\""})
    );
    for claim in all() {
        assert_eq!(value(&claim)["words"], claim.to_string());
    }
    let texts = value(&Assertion::OneOf(vec![b"a".to_vec(), b"\xff".to_vec()]));
    assert_eq!(texts["texts"], serde_json::json!([{"text": "a"}, {"text_hex": "ff"}]));
    assert_eq!(value(&Assertion::Since("2026-01-31".parse().unwrap()))["since"], "2026-01-31");
}

proptest! {
    #[test]
    fn any_bytes_are_refused_or_read_back(code in 0_u8..16, bytes: Vec<u8>) {
        let bytes = [&[code][..], &bytes].concat();
        let mut cursor = Cursor::new(&bytes);
        if let Ok(read) = read_assertion(&mut cursor) {
            let taken = bytes.len() - cursor.rest().len();
            prop_assert_eq!(encoded(&read), &bytes[..taken]);
        }
    }

    #[test]
    fn any_words_are_refused_or_a_claim_that_has_an_encoding(words in "(=|!=|one of|contains|at|in|length|characters|before|since|>|<=|is|matches) [0-9.e|-]{0,9}") {
        if let Ok(claim) = words.parse::<Assertion>() {
            let bytes = encoded(&claim);
            prop_assert_eq!(read_assertion(&mut Cursor::new(&bytes)), Ok(claim));
        }
    }
}
