//! The value at a path is the one that every reader finds, or there is none.

use proptest::prelude::*;
use serde_json::Value as Plain;

use super::*;

fn at<'a>(text: &'a str, path: &str) -> Result<(ValueType, &'a str), Error> {
    let value = find(text.as_bytes(), &path.parse().unwrap())?;
    Ok((value.kind, &text[value.content()]))
}

#[test]
fn values_are_found_where_they_are() {
    let text =
        r#" {"a": {"b": [1, true, null, {"c": "x\"y", "x.y": -1.5e3}]}, "": {}, "k\u0065y": "", "l": []} "#;
    for (path, kind, content) in [
        ("a.b[0]", ValueType::Number, "1"),
        ("a.b[1]", ValueType::Bool, "true"),
        ("a.b[2]", ValueType::Null, "null"),
        ("a.b[3].c", ValueType::String, r#"x\"y"#),
        (r#"a.b[3]["x.y"]"#, ValueType::Number, "-1.5e3"),
        ("[\"\"]", ValueType::Object, "{}"),
        ("key", ValueType::String, ""),
        ("l", ValueType::Array, "[]"),
        ("", ValueType::Object, text.trim()),
    ] {
        assert_eq!(at(text, path), Ok((kind, content)), "{path}");
    }
    for (path, found) in [("b", 0), ("a.c", 1), ("a.b[4]", 2), ("a.b.c", 2), ("a[0]", 1), ("a.b[0].c", 3)] {
        let path: Path = path.parse().unwrap();
        assert_eq!(find(text.as_bytes(), &path), Err(Error::Missing { path: path.clone(), found }), "{path}");
    }
}

#[test]
fn all_values_are_listed_with_paths_that_lead_to_them() {
    let text = br#"{"a": {"b": [1, true, {}, {"x.y": "z"}]}, "c": [], "d": null, "": "e"}"#;
    let found = leaves(text, 5).unwrap();
    let paths: Vec<_> = found.iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(paths, ["a.b[0]", "a.b[1]", "a.b[3][\"x.y\"]", "d", "[\"\"]"]);
    for (path, value) in &found {
        assert_eq!(find(text, path).as_ref(), Ok(value), "{path}");
    }
    assert_eq!(leaves(text, 4), Err(Error::Many { most: 4 }));
    assert_eq!(leaves(b" 7 ", 1).unwrap().len(), 1);
}

#[test]
fn keys_that_come_twice_are_refused_in_any_spelling_and_anywhere() {
    for text in [r#"{"a":1,"a":1}"#, r#"{"a":1,"\u0061":2}"#, r#"[{"b":{"x":0,"y":0,"x":0}}]"#] {
        assert!(matches!(at(text, ""), Err(Error::Duplicate { .. })), "{text}");
    }
    assert_eq!(
        at(r#"{"a":{"a":{"a":1}}}"#, "a.a.a"),
        Ok((ValueType::Number, "1")),
        "one key in objects of their own"
    );
}

#[test]
fn what_is_not_json_is_refused() {
    for text in [
        "",
        " ",
        "{",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "[1 2]",
        "1 2",
        "{} {}",
        "]",
        "}",
        ",",
        "01",
        "-",
        "-01",
        "+1",
        ".5",
        "1.",
        "1e",
        "1e+",
        "0x1",
        "1_0",
        "NaN",
        "Infinity",
        "nul",
        "nullx",
        "True",
        "\"",
        "\"a",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\\ud800x\"",
        "\"a\nb\"",
        "\"a\tb\"",
        "\u{feff}1",
        "1\u{a0}",
        "/**/1",
        "[1]//",
    ] {
        assert!(matches!(at(text, ""), Err(Error::Syntax { .. })), "{text:?} {:?}", at(text, ""));
    }
    assert!(matches!(find(b"\"\xff\"", &Path::default()), Err(Error::Syntax { offset: 1, .. })));
}

#[test]
fn depth_is_limited() {
    let deep = |n: usize| ["[".repeat(n), "]".repeat(n)].concat();
    assert!(at(&deep(MAX_DEPTH), "").is_ok());
    assert_eq!(at(&deep(MAX_DEPTH + 1), ""), Err(Error::Depth { offset: MAX_DEPTH }));
    assert!(matches!(at(&"[{\"a\":".repeat(1 << 18), ""), Err(Error::Depth { .. })));
}

#[test]
fn paths_that_are_none_are_refused() {
    for text in [
        "a.",
        ".a",
        "a..b",
        "a[",
        "a[]",
        "a[x]",
        "a[01]",
        "a[-1]",
        "a[+1]",
        "a[99999999999999999999999]",
        "a]",
        "a[\"x]",
        "a[\"x\"",
        "a b",
        "a[0]b",
        "[0]b",
        "\"a\"",
    ] {
        assert!(text.parse::<Path>().is_err(), "{text}");
    }
    assert!("[0]".repeat(MAX_DEPTH + 1).parse::<Path>().is_err());
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn decimals_compare_by_value() {
    let rising = [
        "-1e400",
        "-123.5",
        "-123.456",
        "-2e-3",
        "-1e-300",
        "0",
        "1e-300",
        "0.001",
        "0.01",
        "0.0123",
        "1",
        "1.0000001",
        "9",
        "10",
        "10.5",
        "99.99",
        "100",
        "123456789012345678901234567890",
        "1e300",
        "1.5e300",
    ];
    for (i, a) in rising.iter().enumerate() {
        for (j, b) in rising.iter().enumerate() {
            assert_eq!(decimal(a).cmp(&decimal(b)), i.cmp(&j), "{a} {b}");
        }
    }
    for [a, b] in [
        ["1", "1.0"],
        ["100", "1e2"],
        ["0.5", "5E-1"],
        ["0", "-0.00e7"],
        ["12.50", "0.125e+2"],
        ["10", "1e1"],
    ] {
        assert_eq!(decimal(a), decimal(b));
    }
    for (text, shown) in [
        ("-12.50", "-12.5"),
        ("1e3", "1000"),
        ("0.0010", "0.001"),
        ("2.5e40", "2.5e40"),
        ("-0", "0"),
        ("3e-30", "3e-30"),
    ] {
        assert_eq!(decimal(text).to_string(), shown);
    }
}

#[test]
fn decimals_that_are_none_are_refused() {
    let long = "1".repeat(2_000);
    for text in [
        "0.01e-999999999",
        "10e999999999",
        "",
        "-",
        "+1",
        "01",
        "00",
        "1.",
        ".1",
        "1e",
        "1e+",
        "1e1.5",
        "1e1234567890",
        "0x1",
        " 1",
        "1 ",
        "1,5",
        "NaN",
        "--1",
        "1e\u{e9}",
        &long,
    ] {
        assert!(text.parse::<Decimal>().is_err(), "{text}");
    }
}

fn plain() -> impl Strategy<Value = Plain> {
    let key = prop_oneof!["[a-c]{1,2}", any::<String>()];
    let leaf = prop_oneof![
        Just(Plain::Null),
        any::<bool>().prop_map(Plain::from),
        any::<i64>().prop_map(Plain::from),
        any::<String>().prop_map(Plain::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Plain::from),
            prop::collection::vec((key.clone(), inner), 0..4)
                .prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

/// All paths of a value, with what they lead to.
fn all(value: &Plain, steps: Vec<Step>, found: &mut Vec<(Path, Plain)>) {
    found.push((Path::new(steps.clone()), value.clone()));
    let with = |step| [steps.clone(), vec![step]].concat();
    match value {
        Plain::Array(values) => {
            values.iter().enumerate().for_each(|(i, value)| all(value, with(Step::Index(i)), found))
        }
        Plain::Object(map) => {
            map.iter().for_each(|(key, value)| all(value, with(Step::Key(key.clone())), found))
        }
        _ => {}
    }
}

proptest! {
    /// serde_json is the plain reader.
    #[test]
    fn every_path_leads_to_what_another_reader_finds(value in plain(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let mut paths = Vec::new();
        all(&value, Vec::new(), &mut paths);
        for (path, expected) in paths {
            let found = find(text.as_bytes(), &path).unwrap();
            prop_assert_eq!(serde_json::from_str::<Plain>(&text[found.range]).unwrap(), expected);
            prop_assert_eq!(path.to_string().parse::<Path>(), Ok(path));
        }
    }

    #[test]
    fn changed_texts_are_accepted_only_if_another_reader_does(value in plain(), at: prop::sample::Index, byte: u8) {
        let mut text = serde_json::to_vec(&value).unwrap();
        let at = at.index(text.len());
        text[at] = byte;
        if find(&text, &Path::default()).is_ok() {
            // Its numbers are of limited size; ours are texts.
            let other = serde_json::from_slice::<serde::de::IgnoredAny>(&text);
            prop_assert!(other.is_ok(), "{:?}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn decimals_are_those_of_integers(a: i64, b: i64) {
        prop_assert_eq!(decimal(&a.to_string()).cmp(&decimal(&b.to_string())), a.cmp(&b));
        let shown = decimal(&a.to_string()).to_string();
        prop_assert_eq!(decimal(&shown), decimal(&a.to_string()));
    }

    #[test]
    fn decimals_print_to_themselves(negative: bool, digits in "(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?(e-?[0-9]{1,3})?") {
        let text = if negative { format!("-{digits}") } else { digits };
        prop_assert_eq!(decimal(&decimal(&text).to_string()), decimal(&text));
    }
}

#[test]
fn integers_are_decimals() {
    for number in [0, 1, -1, 10, -1200, 507, i64::MAX, i64::MIN] {
        assert_eq!(Decimal::from(number), number.to_string().parse().unwrap(), "{number}");
    }
    assert_eq!(Decimal::from(u64::MAX), u64::MAX.to_string().parse().unwrap());
    assert_eq!(Decimal::from(-50_i32), "-5e1".parse().unwrap());
}

#[test]
fn digits_begin_and_end_with_others_than_zero() {
    for (text, exponent, digits) in [
        ("0", 0, ""),
        ("120", 3, "12"),
        ("-120.50", 3, "1205"),
        ("0.05", -1, "5"),
        ("1.5e3", 4, "15"),
        ("5e-2", -1, "5"),
        ("0.5", 0, "5"),
    ] {
        let number: Decimal = text.parse().unwrap();
        assert_eq!((number.exponent(), number.digits()), (exponent, digits.as_bytes()), "{text}");
    }
}

#[test]
fn the_meaning_of_a_string_is_that_of_its_escapes() {
    for (inside, meant) in [
        ("", Some("")),
        ("plain \u{e9}", Some("plain \u{e9}")),
        (r#"\/\"\\\n\u0041\ud83d\ude00"#, Some("/\"\\\nA\u{1f600}")),
        ("\"", None),
        ("\\", None),
        (r"\ud83d", None),
        (r"\x", None),
        ("\n", None),
    ] {
        assert_eq!(meaning(inside.as_bytes()).as_ref().map(|meaning| meaning.as_str()), meant, "{inside:?}");
    }
    assert_eq!(meaning(b"\xff"), None);
}

/// A text of 1 MB would have paths of 10 GB.
#[test]
fn paths_of_values_take_no_more_memory_than_is_allowed() {
    let long = "k".repeat(1 << 20);
    let text = |values: usize| format!("{{\"{long}\": [0{}]}}", ",0".repeat(values - 1));
    assert_eq!(leaves(text(10).as_bytes(), 1 << 14).map(|leaves| leaves.len()), Ok(10));
    assert_eq!(leaves(text(10_000).as_bytes(), 1 << 14), Err(Error::Many { most: 1 << 14 }));
    assert_eq!(leaf_ranges(text(10_000).as_bytes(), 1 << 14).map(|leaves| leaves.len()), Ok(10_000));
}
