//! Dates lie before and after others as their seconds since 1970 do.

use proptest::prelude::*;

use super::*;

fn instant(text: &str) -> Instant {
    text.parse().unwrap()
}

fn is_before(text: &str, bound: &str) -> bool {
    let before = holds(&Assertion::Before(instant(bound)), text.as_bytes());
    let since = holds(&Assertion::Since(instant(bound)), text.as_bytes());
    assert!(before != since, "{text}: one of the two");
    before
}

#[test]
fn a_date_is_before_another_by_its_time_in_utc() {
    for (text, bound, expected) in [
        ("2025-12-31", "2026-01-01", true),
        ("2026-01-01", "2026-01-01", false),
        ("2026-01-02", "2026-01-01", false),
        ("1999-12-31", "2026-01-01", true),
        ("2030-01-01", "2026-12-31", false),
        ("2025-12-31T23:59:59Z", "2026-01-01", true),
        ("2025-12-31 23:59:59.999999z", "2026-01-01", true),
        ("2026-01-01t00:00:00", "2026-01-01", false),
        // Half past midnight in Berlin, and in Kathmandu a quarter to six.
        ("2026-01-01T00:30:00+01:00", "2026-01-01", true),
        ("2026-01-01T05:44:59.5+05:45", "2026-01-01", true),
        ("2026-01-01T05:45:00.5+05:45", "2026-01-01", false),
        ("2025-12-31T20:00:00-05:00", "2026-01-01", false),
        ("2025-12-31T18:59:59-05:00", "2026-01-01", true),
        ("2025-12-31T00:00:00-23:59", "2025-12-31T23:59:00Z", false),
        ("2025-12-31T00:00:00-23:59", "2025-12-31T23:59:01Z", true),
        ("2026-01-02T23:58:00+23:59", "2026-01-01T23:59:01Z", true),
        ("2024-02-29T12:00:00Z", "2024-03-01", true),
        ("2024-02-29", "2024-02-29", false),
        ("2026-06-30T12:30:30", "2026-06-30T12:30:30Z", false),
        ("2026-06-30T12:30:29", "2026-06-30T12:30:30Z", true),
        ("2016-12-31T23:59:60Z", "2017-01-01", true),
        ("0000-01-01", "0000-01-01", false),
        ("9999-12-31T23:59:59Z", "9999-12-31", false),
    ] {
        assert_eq!(is_before(text, bound), expected, "{text} {bound}");
    }
}

#[test]
fn what_is_in_none_of_the_forms_is_neither_before_nor_after() {
    for text in [
        "2026-1-1",
        "2026-13-01",
        "2026-00-01",
        "2026-01-00",
        "2026-01-32",
        // Days that these months do not have.
        "2026-02-29",
        "2026-02-30",
        "2024-02-30",
        "1900-02-29",
        "2100-02-29T12:00:00Z",
        "2026-04-31",
        "2026-06-31",
        "2026-09-31",
        "2026-11-31",
        "20260101",
        "2026-W01-1",
        "26-01-2026",
        "2026-01-01T",
        "2026-01-01T12:00",
        "2026-01-01T24:00:00",
        "2026-01-01T12:60:00",
        "2026-01-01T12:00:61",
        "2026-01-01T12:00:00.",
        "2026-01-01T12:00:00+1:00",
        "2026-01-01T12:00:00+0100",
        "2026-01-01T12:00:00+24:00",
        "2026-01-01Z",
        "2026-01-01+01:00",
        "x",
        "",
    ] {
        for claim in [Assertion::Before(instant("9999-12-31")), Assertion::Since(instant("0000-01-01"))] {
            assert!(!holds(&claim, text.as_bytes()), "{text}");
            assert!(claim.reason(text.as_bytes()).is_some_and(|reason| reason.contains("forms")), "{text}");
        }
    }
    assert_eq!(Assertion::Before(instant("2026-01-01")).reason(b"2026-02-02"), None);
}

#[test]
fn a_leap_day_is_one_in_leap_years() {
    for year in 0..=2500_u32 {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let text = format!("{year:04}-02-29");
        assert_eq!(holds(&Assertion::Since(instant("0000-01-01")), text.as_bytes()), leap, "{text}");
    }
}

#[test]
fn a_bound_is_a_day_or_a_second_that_exists() {
    for (text, shown) in [
        ("2026-01-31", Some("2026-01-31")),
        ("2026-01-31T00:00:00Z", Some("2026-01-31")),
        ("2026-01-31T12:30:01Z", Some("2026-01-31T12:30:01Z")),
        ("2024-02-29", Some("2024-02-29")),
        ("2026-02-29", None),
        ("1900-02-29", None),
        ("2000-02-29", Some("2000-02-29")),
        ("2026-04-31", None),
        ("2026-00-01", None),
        ("2026-01-31T12:30:01", None),
        ("2026-01-31T12:30:01+01:00", None),
        ("2026-01-31T12:30:60Z", None),
        ("2026-01-31T24:00:00Z", None),
        ("2026-01-3", None),
        ("2026-01-31-1", None),
        ("+026-01-31", None),
        ("", None),
    ] {
        let read = text.parse::<Instant>().ok();
        assert_eq!(read.map(|instant| instant.to_string()).as_deref(), shown, "{text}");
    }
}

/// The module's documentation names this price.
#[test]
fn a_date_takes_at_most_20_ands_a_byte_and_400() {
    let claim = Assertion::Before(instant("2026-01-01"));
    for length in [10, 20, 25, 29] {
        assert!(price(&claim, length) <= 20 * length as u64 + 400, "{length}: {}", price(&claim, length));
    }
}

/// Days since 1 January of the year 0, counted one by one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let years: i64 = (0..year).map(|year| 365 + i64::from(leap(year))).sum();
    let lengths = [31, 28 + i64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    years + lengths[..month as usize - 1].iter().sum::<i64>() + day - 1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn times_near_a_bound_are_ordered_by_their_seconds(
        (month, day) in prop_oneof![(Just(2), 27..=28_i64), (Just(3), 1..=2_i64), (Just(12), 30..=31_i64), (Just(1), 1..=2_i64)],
        year in 2023..=2025_i64,
        (hour, minute, second) in (0..24_i64, 0..60_i64, 0..60_i64),
        offset in -1439..=1439_i64,
        bound in (2023..=2026_i64, prop_oneof![Just((2, 28)), Just((3, 1)), Just((1, 1)), Just((12, 31))], 0..24_i64, 0..60_i64)
    ) {
        let (sign, size) = if offset < 0 { ('-', -offset) } else { ('+', offset) };
        let text = format!(
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{sign}{:02}:{:02}", size / 60, size % 60
        );
        let (bound_year, (bound_month, bound_day), bound_hour, bound_minute) = bound;
        let bound = format!("{bound_year:04}-{bound_month:02}-{bound_day:02}T{bound_hour:02}:{bound_minute:02}:07Z");
        let at = 86_400 * days(year, month, day) + 3600 * hour + 60 * (minute - offset) + second;
        let other = 86_400 * days(bound_year, bound_month, bound_day) + 3600 * bound_hour + 60 * bound_minute + 7;
        prop_assert_eq!(is_before(&text, &bound), at < other, "{} {}", text, bound);
    }
}
