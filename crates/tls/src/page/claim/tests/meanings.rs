//! Claims about what a JSON string means hold whichever way it is written, and count its characters.

use proptest::prelude::*;

use super::*;
use crate::page::http::json;

fn not(text: &str) -> Assertion {
    Assertion::NotEquals(text.into())
}

fn one_of(texts: &[&str]) -> Assertion {
    Assertion::OneOf(texts.iter().map(|text| text.as_bytes().to_vec()).collect())
}

fn characters(least: usize, greatest: usize) -> Assertion {
    Assertion::Characters(least..=greatest)
}

#[test]
fn a_json_string_is_not_other_than_what_it_means() {
    for (written, meant) in [
        ("Ada", "Ada"),
        (r"\u0041da", "Ada"),
        (r"A\u0064\u0061", "Ada"),
        (r"\u00c9tude", "\u{c9}tude"),
        (r"\u00C9tude", "\u{c9}tude"),
        ("\u{c9}tude", "\u{c9}tude"),
        (r"a\/b\u002Fc/d", "a/b/c/d"),
        (r#"\"\u005c\\"#, "\"\\\\"),
        (r"\n\u000a\t", "\n\n\t"),
        (r"\ud83d\uDE00!", "\u{1f600}!"),
        ("\u{1f600}!", "\u{1f600}!"),
    ] {
        let holds = |claim: &Assertion| holds_in(Class::JsonText, claim, written.as_bytes());
        assert!(!holds(&not(meant)), "{written}");
        assert!(holds(&one_of(&["x", meant])) && holds(&one_of(&[meant])), "{written}");
        assert!(holds(&not("Eve")) && holds(&not("u")) && !holds(&one_of(&["Eve", "x"])), "{written}");
        // A neighbour of the same length.
        let other: String = meant.chars().rev().collect();
        assert_eq!(holds(&not(&other)), other != meant, "{written}");
        let count = meant.chars().count();
        assert!(holds(&characters(count, count)) && holds(&characters(0, count)), "{written}");
        assert!(!holds(&characters(count + 1, 99)) && !holds(&characters(0, count - 1)), "{written}");
    }
}

/// Some servers write back halves of pairs that somebody gave them. Readers see a character for each.
#[test]
fn a_half_of_a_pair_without_the_other_counts() {
    for (written, count) in [
        (r"\udc00", 1),
        (r"\udc00\uDFFF", 2),
        (r"\ud800\udc00\udc00", 2),
        (r"\ud800\ud800\udc00", 2),
        (r"\ud800", 1),
        (r"a\udc00", 2),
        (r"\uabcd\udc00", 2),
        (r"\\ud800\udc00", 7),
        (r"\ud800a\udc00", 3),
        (r"\u0d80\udc00", 2),
    ] {
        for asked in 1..9 {
            let holds = holds_in(Class::JsonText, &characters(asked, asked), written.as_bytes());
            assert_eq!(holds, asked == count, "{written} {asked}");
        }
    }
}

#[test]
fn elsewhere_texts_are_compared_as_bytes() {
    for class in [Class::HeaderValue, Class::Path, Class::Query, Class::Opaque] {
        let holds = |claim: &Assertion, text: &str| holds_in(class, claim, text.as_bytes());
        assert!(holds(&not("A"), "%41") && holds(&not("b"), "a") && !holds(&not("a"), "a"));
        assert!(holds(&one_of(&["a", "bc", "de"]), "de") && !holds(&one_of(&["a", "bc", "de"]), "dc"));
        assert!(!holds(&one_of(&["a", "bc"]), "abc") && holds(&one_of(&["\u{c9}"]), "\u{c9}"));
        assert!(holds(&characters(2, 2), "\u{c9}a") && !holds(&characters(3, 3), "\u{c9}a"));
    }
    let number = |claim: &Assertion, text: &str| holds_in(Class::Number, claim, text.as_bytes());
    assert!(number(&one_of(&["5", "7"]), "7") && !number(&one_of(&["5", "7"]), "7.5"));
}

#[test]
fn a_word_is_no_string_of_its_letters() {
    let is = Assertion::Is(Word::True);
    assert!(holds_in(Class::Word, &is, b"true"));
    for (class, text) in [
        (Class::Word, "null"),
        (Class::Word, "false"),
        (Class::JsonText, "true"),
        (Class::Number, "1111"),
        (Class::Opaque, "true"),
    ] {
        assert!(!holds_in(class, &is, text.as_bytes()), "{text}");
    }
    assert!(holds_in(Class::Word, &Assertion::Is(Word::Null), b"null"));
    assert!(holds_in(Class::Word, &Assertion::Is(Word::False), b"false"));
    assert!(holds_in(Class::Word, &not("null"), b"true") && !holds_in(Class::Word, &not("null"), b"null"));
    assert!(holds_in(Class::Word, &one_of(&["true", "null"]), b"null"));
}

/// What no string of this length is, is not true of any; what is no claim is an error.
#[test]
fn another_length_is_not_true_and_no_claim_is_an_error() {
    let cannot = |claim: Assertion, class, length| {
        let error = circuit(&claim, class, length).unwrap_err();
        assert!(matches!(error, Error::Contradicted { .. }), "{claim}: {error}");
    };
    cannot(Assertion::Equals(b"abc".to_vec()), Class::Opaque, 2);
    cannot(Assertion::Contains(b"abc".to_vec()), Class::Opaque, 2);
    cannot(Assertion::At { offset: 1, text: b"b".to_vec() }, Class::Opaque, 1);
    cannot(Assertion::Length(3..=5), Class::Opaque, 2);
    cannot(Assertion::Number(Interval::at_least(1)), Class::Opaque, 0);
    cannot(characters(3, 5), Class::JsonText, 2);
    cannot(characters(0, 1), Class::JsonText, 25);
    cannot(one_of(&["a", "bcd"]), Class::Opaque, 2);
    cannot(one_of(&["a", "bcd"]), Class::JsonText, 2);
    cannot(Assertion::Is(Word::True), Class::JsonText, 4);
    cannot(Assertion::Is(Word::True), Class::Word, 5);
    cannot(Assertion::Before("2026-01-01".parse().unwrap()), Class::JsonText, 11);
    assert!(circuit(&not("a"), Class::JsonText, 99).is_ok(), "it is something else");
    for claim in [
        Assertion::Equals(Vec::new()),
        not(""),
        characters(5, 3),
        Assertion::Length(core::ops::RangeInclusive::new(5, 3)),
        one_of(&[]),
        one_of(&["a", "b", "a"]),
        one_of(&["a"; 33]),
        one_of(&[&"a".repeat(500), "b", &"c".repeat(12)]),
        Assertion::Number(Interval::between(2, 1)),
        Assertion::Matches("[".into()),
    ] {
        assert!(matches!(claim.check(), Err(Error::Public(_))), "{claim}");
        assert!(matches!(circuit(&claim, Class::JsonText, 5), Err(Error::Public(_))), "{claim}");
    }
}

#[test]
fn a_text_with_too_many_spellings_of_a_length_is_refused() {
    let long = not(&"a".repeat(400));
    assert!(circuit(&long, Class::JsonText, 400).is_ok(), "one spelling");
    assert!(matches!(circuit(&long, Class::JsonText, 1200), Err(Error::Public(_))));
    assert!(price(&Assertion::Characters(5..=9), 20) <= 4 * 20);
    let counted = circuit(&characters(3, 20), Class::JsonText, 100).unwrap().multiplications();
    assert!(counted <= 60 * 100, "the guide names this price: {counted}");
    let plain = circuit(&not("Ada Lovelace"), Class::JsonText, 12).unwrap().multiplications();
    assert!(plain <= 8 * 12, "{plain}");
    let spelled = circuit(&not("Ada Lovelace"), Class::JsonText, 32).unwrap().multiplications();
    assert!(spelled <= 60 * 12 * 6, "{spelled}");
}

/// Characters, and ways to write them.
fn written() -> impl Strategy<Value = (String, String)> {
    let character = proptest::sample::select(vec![
        ("a", "a"),
        ("a", r"\u0061"),
        ("/", r"\/"),
        ("/", r"\u002F"),
        ("\u{e9}", "\u{e9}"),
        ("\u{e9}", r"\u00E9"),
        ("\\", r"\\"),
        ("\u{1f600}", r"\ud83d\ude00"),
        ("\u{1f600}", "\u{1f600}"),
    ]);
    proptest::collection::vec(character, 0..6).prop_map(|all| {
        let both: (Vec<_>, Vec<_>) = all.into_iter().unzip();
        (both.0.concat(), both.1.concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn meanings_are_those_of_another_reader((meant, text) in written(), (other, _) in written()) {
        prop_assert_eq!(&**json::meaning(text.as_bytes()).unwrap(), &*meant);
        let holds = |claim: &Assertion| holds_in(Class::JsonText, claim, text.as_bytes());
        if !other.is_empty() {
            prop_assert_eq!(holds(&not(&other)), other != meant);
        }
        prop_assert_eq!(holds(&one_of(&[&other])), other == meant);
        let count = meant.chars().count();
        for asked in count.saturating_sub(1)..=count + 1 {
            prop_assert_eq!(holds(&characters(asked, asked)), asked == count);
        }
    }
}
