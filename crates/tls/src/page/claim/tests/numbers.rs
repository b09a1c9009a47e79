//! Hidden numbers lie where exact decimals say that they lie.

use proptest::prelude::*;

use super::*;
use crate::page::http::json::Decimal;

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn is(interval: Interval, text: &str) -> bool {
    holds(&Assertion::Number(interval), text.as_bytes())
}

/// Whether an interval holds a number, by comparing decimals.
fn contains(interval: &Interval, number: &Decimal) -> bool {
    let least = interval.least.as_ref();
    let greatest = interval.greatest.as_ref();
    least.is_none_or(|Bound { number: least, open }| if *open { number > least } else { number >= least })
        && greatest
            .is_none_or(|Bound { number: most, open }| if *open { number < most } else { number <= most })
}

#[test]
fn a_range_holds_at_its_ends_and_not_beyond() {
    for (text, expected) in [
        ("100.50", true),
        ("100.5", true),
        ("100.500001", true),
        ("2000", true),
        ("2000.000", true),
        ("999.9", true),
        ("100.49", false),
        ("100", false),
        ("99", false),
        ("2000.001", false),
        ("2001", false),
        ("20000", false),
        ("-100.50", false),
        ("-500", false),
        ("0", false),
    ] {
        assert_eq!(is(Interval::between(decimal("100.50"), 2000), text), expected, "{text}");
    }
}

#[test]
fn signs_and_zeros_are_compared_by_value() {
    for (text, expected) in
        [("-0", true), ("0", true), ("0.00", true), ("-0.0", true), ("0.01", false), ("-0.01", false)]
    {
        assert_eq!(is(Interval::between(0, 0), text), expected, "{text}");
        assert_eq!(is(Interval::above(0), text), text == "0.01", "{text}");
        assert_eq!(is(Interval::below(0), text), text == "-0.01", "{text}");
    }
    assert!(
        is(Interval::between(decimal("-12.5"), -3), "-12.50")
            && is(Interval::between(-13, decimal("-12.5")), "-12.50")
    );
    assert!(
        !is(Interval::above(decimal("-12.5")), "-12.50") && is(Interval::above(decimal("-12.5")), "-12.49")
    );
    assert!(
        !is(Interval::below(decimal("-12.5")), "-12.50") && is(Interval::below(decimal("-12.5")), "-12.51")
    );
}

#[test]
fn numbers_of_any_length_and_bounds_far_away_are_compared() {
    let long = "9".repeat(40);
    assert!(is(Interval::at_least(u64::MAX), &long) && !is(Interval::at_most(u64::MAX), &long));
    assert!(
        is(Interval::below(decimal("1e999999999")), &long)
            && is(Interval::above(decimal("-1e999999999")), &long)
    );
    assert!(
        is(Interval::above(decimal("1e-999999999")), "0.001")
            && is(Interval::above(decimal("-1e-999999999")), "0")
    );
    assert!(!is(Interval::at_least(decimal("1e-999999999")), "0.000") && is(Interval::default(), "5"));
}

#[test]
fn what_is_no_number_lies_nowhere() {
    for text in ["", "018", "1e", "1e+", "--1", "1.", "x", "5 ", "5\"", "1e1e1", "e5", "1e5.0"] {
        assert!(!is(Interval::default(), text), "{text}");
        assert!(!is(Interval::at_least(-1000), text), "{text}");
    }
}

#[test]
fn numbers_with_exponents_are_compared_by_value() {
    for (text, value) in [
        ("1e3", "1000"),
        ("1.5E2", "150"),
        ("0.0015e+5", "150"),
        ("150000e-3", "150"),
        ("-1.5e2", "-150"),
        ("0e999", "0"),
        ("-0.000E-7", "0"),
        ("1E00000000000000000000000002", "100"),
        ("12.5e0", "12.5"),
        ("9e999", "9e999"),
        ("9e-999", "9e-999"),
        ("100e-5", "0.001"),
    ] {
        let value = decimal(value);
        assert!(is(Interval::between(value.clone(), value.clone()), text), "{text}");
        assert!(
            !is(Interval::above(value.clone()), text) && !is(Interval::below(value.clone()), text),
            "{text}"
        );
        assert!(!holds_in(Class::Number, &Assertion::NotEquals(value.to_string().into()), text.as_bytes()));
    }
    let claim = Assertion::Number(Interval::at_least(5));
    for long in ["1e1234", "1e-1000", "0e1000"] {
        assert!(!is(Interval::at_least(-5), long) && !is(Interval::at_most(5), long), "{long}");
        assert!(claim.reason(long.as_bytes()).is_some_and(|reason| reason.contains("exponent")), "{long}");
    }
    assert_eq!(claim.reason(b"1e00000003"), None);
    for text in ["Genevieve", "e1234", "1e12345x", "2e-0003", "echo 12345"] {
        assert_eq!(
            Assertion::NotEquals(text.into()).reason(text.as_bytes()),
            None,
            "{text} is no such number"
        );
    }
    assert!(is(Interval::default(), "1e1234"), "any number is one");
}

#[test]
fn a_bound_has_as_many_digits_as_are_compared() {
    let longest = "7".repeat(123);
    let at_least = |text: &str| Assertion::Number(Interval::at_least(decimal(text)));
    assert!(holds(&at_least(&longest), longest.as_bytes()));
    let less = format!("{}6", "7".repeat(122));
    assert!(!holds(&at_least(&longest), less.as_bytes()));
    let longer = at_least(&"7".repeat(124));
    assert!(matches!(longer.check(), Err(Error::Public(reason)) if reason.contains("123")));
    assert!(matches!(circuit(&longer, Class::Number, 124), Err(Error::Public(_))));
}

#[test]
fn a_number_is_other_than_those_of_another_value() {
    let other = |text: &str, number: &str| {
        holds_in(Class::Number, &Assertion::NotEquals(text.into()), number.as_bytes())
    };
    for (text, number, expected) in [
        ("5", "5", false),
        ("5", "5.0", false),
        ("5", "50e-1", false),
        ("5", "-5", true),
        ("5", "5.01", true),
        ("5", "4", true),
        ("0", "-0.0", false),
        ("0", "1", true),
        ("five", "5", true),
        ("-", "5", true),
    ] {
        assert_eq!(other(text, number), expected, "{text} {number}");
    }
}

#[test]
fn a_number_is_one_of_those_of_its_value() {
    let one_of = |texts: &[&str], number: &str| {
        let texts = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        holds_in(Class::Number, &Assertion::OneOf(texts), number.as_bytes())
    };
    for (texts, number, expected) in [
        (&["1500", "3"][..], "1.5e3", true),
        (&["1500", "3"], "1500.0", true),
        (&["1500", "3"], "3", true),
        (&["1500", "1.5e3"], "1500", true),
        (&["1500", "3"], "15e3", false),
        (&["1500", "3"], "-1500", false),
        (&["1500", "3"], "-3", false),
        (&["-3", "0"], "-3.00", true),
        (&["-3", "0"], "3", false),
        (&["-3", "0"], "-0.0e5", true),
        (&["1500", "3"], "150", false),
        (&["15", "1e999999999"], "1", false),
        (&["15", "1e999999999"], "15", true),
        // Texts that are no numbers are none.
        (&["x", "3"], "3.0", true),
        (&["3."], "3", false),
        (&["x", ""], "3", false),
        // Nothing is claimed of a number with such an exponent.
        (&["1e1234", "3"], "1e1234", false),
        // What is no number has no value.
        (&["15", "3"], "015", false),
        (&["15", "3"], "15x", false),
    ] {
        assert_eq!(one_of(texts, number), expected, "{texts:?} {number}");
    }
}

/// A text that a reader takes for a number, but that is not compared as one, says nothing about a number: the
/// claim would hold of the very number that is written there.
#[test]
fn a_number_is_not_said_to_be_other_than_one_that_is_not_compared() {
    let power = "1e9999999999";
    assert!(holds(&Class::Number, power.as_bytes()), "JSON has this number");
    let all = [
        power,
        "0e9999999999",
        "1e1000000000",
        "0.1e-999999999",
        "5 ",
        "+5",
        "05",
        "5.",
        ".5",
        "5,0",
        "\u{ff15}",
    ];
    for text in all {
        for number in [power, "0", "5"] {
            let claim = Assertion::NotEquals(text.into());
            assert!(!holds_in(Class::Number, &claim, number.as_bytes()), "{number} is not {text}");
            let refused = circuit(&claim, Class::Number, number.len());
            assert!(matches!(refused, Err(Error::Public(reason)) if reason.contains("compared")), "{text}");
        }
    }
    // A string is its text.
    assert!(holds_in(Class::JsonText, &Assertion::NotEquals(power.into()), b"5"));
}

#[test]
fn an_interval_of_no_numbers_is_refused() {
    let open = |number: i64| Some(Bound { number: number.into(), open: true });
    let closed = |number: i64| Some(Bound { number: number.into(), open: false });
    for (least, greatest) in [(closed(20), closed(18)), (open(5), closed(5)), (closed(5), open(5))] {
        let interval = Interval { least, greatest };
        assert!(interval.is_empty(), "{interval}");
        assert!(matches!(circuit(&Assertion::Number(interval), Class::Number, 2), Err(Error::Public(_))));
    }
    assert!(!Interval::between(5, 5).is_empty());
}

#[test]
fn digits_are_digits_alone_without_leading_zeros() {
    for (text, expected) in [
        ("0", true),
        ("10", true),
        ("01", false),
        ("00", false),
        ("-1", false),
        ("1.0", false),
        ("1e1", false),
        ("", false),
    ] {
        assert_eq!(holds(&Assertion::Digits, text.as_bytes()), expected, "{text}");
    }
}

/// The guide names these prices.
#[test]
fn a_comparison_takes_at_most_90_ands_a_byte_and_100() {
    let claim = Assertion::Number(Interval::between(decimal("100.50"), 2000));
    for length in [7, 20, 40] {
        assert!(price(&claim, length) <= 90 * length as u64 + 100, "{length}: {}", price(&claim, length));
    }
    assert!(price(&Class::Number, 20) <= 29 * 20, "{}", price(&Class::Number, 20));
    // One number, and each further one.
    for length in [7_u64, 20, 40] {
        let of =
            |claim: Assertion| circuit(&claim, Class::Number, length as usize).unwrap().multiplications();
        let other = of(Assertion::NotEquals(b"100.50".to_vec()));
        let three = of(Assertion::OneOf([&b"100.50"[..], b"2000", b"3"].map(<[u8]>::to_vec).to_vec()));
        assert!(other <= 75 * length + 100, "{length}: {other}");
        assert!(three <= other + 2 * (20 * length + 30), "{length}: {three}, {other}");
    }
}

fn numbers() -> impl Strategy<Value = String> {
    // Few digits and short ones, so that ties and near misses are frequent.
    "-?(0|[1-3][0-3]{0,3})(\\.[0-3]{1,4})?([eE][+-]?[0-2])?"
}

fn bounds() -> impl Strategy<Value = Option<Bound>> {
    let bound = (numbers(), any::<bool>()).prop_map(|(text, open)| Bound { number: decimal(&text), open });
    proptest::option::of(bound)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_number_lies_where_decimals_do(text in numbers(), least in bounds(), greatest in bounds()) {
        let interval = Interval { least, greatest };
        let expected = !interval.is_empty() && contains(&interval, &decimal(&text));
        prop_assert_eq!(is(interval.clone(), &text), expected, "{} {}", text, interval);
    }

    /// `!=` is the opposite of `one of` a single number.
    #[test]
    fn a_number_is_the_numbers_that_decimals_are(text in numbers(), texts in proptest::collection::hash_set(numbers(), 1..4)) {
        let values: Vec<_> = texts.iter().map(|text| decimal(text)).collect();
        let one_of = Assertion::OneOf(texts.iter().map(|text| text.as_bytes().to_vec()).collect());
        let found = holds_in(Class::Number, &one_of, text.as_bytes());
        prop_assert_eq!(found, values.contains(&decimal(&text)), "{} {}", text, one_of);
        for other in &texts {
            let differs = holds_in(Class::Number, &Assertion::NotEquals(other.as_bytes().to_vec()), text.as_bytes());
            prop_assert_eq!(differs, decimal(other) != decimal(&text), "{} {}", text, other);
        }
    }

    #[test]
    fn integers_lie_where_integers_do(number: i64, least: i64, greatest: i64) {
        let expected = least <= number && number <= greatest;
        prop_assert_eq!(is(Interval::between(least, greatest), &number.to_string()), expected);
    }
}

/// The number that a circuit makes of digits, if they are some.
fn value(bytes: &[u8]) -> Option<u64> {
    let circuit = integer(bytes.len()).ok()?;
    let bits = circuit.run(&mut Evaluator::new(), bytes_to_bits(bytes)).ok()?;
    assert_eq!(bits.len(), 64);
    Some(bits.iter().rev().fold(0, |value, bit| value << 1 | u64::from(bit.to_u8())))
}

/// The same, read plainly.
fn read(bytes: &[u8]) -> Option<u64> {
    let text = core::str::from_utf8(bytes).ok()?;
    let canonical = text == "0" || !text.starts_with('0');
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if canonical && digits && text.len() <= MAX_DIGITS { text.parse().ok() } else { None }
}

#[test]
fn the_digits_of_a_number_give_its_value_and_nothing_else_gives_one() {
    for text in ["0", "7", "10", "5120", "9999999999999999999"] {
        assert_eq!(value(text.as_bytes()), text.parse().ok(), "{text}");
    }
    for text in ["", "01", "00", "-1", "1.0", "1e2", "+1", "x", "10000000000000000000"] {
        assert_eq!(value(text.as_bytes()), None, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_value_of_digits_is_what_a_plain_reader_reads(text in "[0-9]{1,19}|[0-9]{0,4}[:/a\\x00.e-][0-9]?") {
        prop_assert_eq!(value(text.as_bytes()), read(text.as_bytes()));
    }
}
