//! Automata in circuits against an engine that makes none.

use proptest::prelude::*;
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::util::syntax;

use super::*;

fn matches(pattern: &str) -> Assertion {
    Assertion::Matches(pattern.into())
}

/// Whether the expression describes the whole string, by simulating its nondeterministic automaton.
fn describes(pattern: &str, bytes: &[u8]) -> bool {
    let engine = PikeVM::builder()
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(regex_automata::nfa::thompson::Config::new().utf8(false))
        .build(&format!(r"\A(?:{pattern})\z"));
    let engine = engine.unwrap();
    engine.is_match(&mut engine.create_cache(), bytes)
}

#[test]
fn an_expression_describes_whole_strings() {
    for (pattern, text, expected) in [
        (r"\d{4}-\d{2}-\d{2}", "2026-05-28", true),
        (r"\d{4}-\d{2}-\d{2}", "2026-05-2x", false),
        (r"\d{4}-\d{2}-\d{2}", "2026-05-288", false),
        (r"[^@]+@example\.(com|org)", "ada@example.org", true),
        (r"[^@]+@example\.(com|org)", "ada@example_org", false),
        (r"[^@]+@example\.(com|org)", "@example.org", false),
        (r"(?i)paid|open", "PAID", true),
        (r"(?i)paid|open", "paidx", false),
        ("a*", "", true),
        ("a+", "", false),
        (".*b", "aab", true),
        (".*b", "aba", false),
        (r"\bx\b.*", "x y", true),
        ("^ab$", "ab", true),
        ("a|ab", "ab", true),
        ("(a|ab)(c|bcd)", "abcd", true),
    ] {
        assert_eq!(holds(&matches(pattern), text.as_bytes()), expected, "{pattern} {text}");
        assert_eq!(describes(pattern, text.as_bytes()), expected, "{pattern} {text}");
    }
    assert!(
        holds(&matches(r"\xff[\x80-\xfe]"), b"\xff\x90") && !holds(&matches(r"\xff[\x80-\xfe]"), b"\xff\xff")
    );
}

#[test]
fn expressions_of_other_parties_are_bounded() {
    for pattern in [
        "(".repeat(100),
        "a{1000}{1000}{1000}".into(),
        "(a|b)*a(a|b){12}".into(),
        r"\w{200}".into(),
        "[".into(),
        r"(?-u)\pL".into(),
        r"(a)\1".into(),
    ] {
        let refused = circuit(&matches(&pattern), Class::Opaque, 20);
        assert!(matches!(refused, Err(Error::Public(_))), "{pattern}");
        assert!(matches!(matches(&pattern).check(), Err(Error::Public(_))), "{pattern}");
    }
    assert!(matches!(circuit(&matches(".*a.*b.*"), Class::Opaque, 1 << 16), Err(Error::Public(_))));
    assert!(circuit(&matches(".*a.*b.*"), Class::Opaque, 1 << 10).is_ok());
}

#[test]
fn a_length_that_no_described_string_has_is_refused() {
    let refused = circuit(&matches("(ab)*"), Class::Opaque, 3);
    assert!(matches!(refused, Err(Error::Contradicted { place, .. }) if place.contains("3 bytes")));
}

/// Where the length alone says which state comes when, a byte takes what its set takes.
#[test]
fn a_pattern_of_fixed_places_takes_few_ands() {
    let date = price(&matches(r"\d{4}-\d{2}-\d{2}"), 10);
    assert!(date <= 15 * 10, "{date}");
    let search = price(&matches(".*secret.*"), 100);
    assert!(search <= 100 * 100, "{search}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_string_is_described_if_another_engine_says_so(
        pattern in "([ab]|[ab][*+?]|\\([ab]\\|[abc]{1,2}\\)[*+]?|\\[\\^[ab]\\]|\\.){1,6}", text in "[abc]{0,8}"
    ) {
        prop_assert_eq!(holds(&matches(&pattern), text.as_bytes()), describes(&pattern, text.as_bytes()), "{} {}", pattern, text);
    }

    #[test]
    fn any_text_is_an_expression_or_refused(pattern in "[a-c()\\[\\]{}*+?|.^$\\\\0-9,-]{0,20}") {
        let _ = circuit(&matches(&pattern), Class::Opaque, 4);
    }
}
