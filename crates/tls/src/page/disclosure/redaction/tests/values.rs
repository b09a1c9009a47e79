//! Values of JSON that are hidden together.

use super::*;
use crate::page::claim::Interval;

/// A response with this body.
fn with(body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// What V sees of the body if P reveals these values, and hides those by name.
fn body(body: &str, reveal: &[&str], hide: &[&str], show_rest: bool) -> Result<String, Refusal> {
    let json = |path: &&str| Part::Json((*path).to_owned());
    let reveal: Vec<_> = reveal.iter().map(|path| named((Side::Server, json(path)))).collect();
    let hide = hide.iter().map(|path| Redaction::new(Side::Server, json(path))).collect();
    let responses = if reveal.is_empty() { Rest::Hidden } else { Rest::default() };
    let selection = Selection { hide, reveal, responses, show_rest, ..Selection::default() };
    let [_, seen] = seen([REQUEST, &with(body)], &selection)?;
    let text = String::from_utf8(seen).unwrap();
    Ok(text.split_once("\r\n\r\n").unwrap().1.to_owned())
}

const ACCOUNT: &str = r#"{"id": 7, "active": true, "name": "Ada", "tags": ["x", ""], "plan": "gold", "note": null, "city": "London"}"#;

#[test]
fn neighbours_are_hidden_together_whatever_they_are() {
    let seen = body(ACCOUNT, &["plan"], &[], false).unwrap();
    let expected = r#"{"id": 11111111111, "active": 1, "name": 1, "tags": [1, 1], "plan": "gold", "note": 11111111111, "city": 1}"#;
    assert_eq!(seen, expected);
    assert_eq!(seen.len(), ACCOUNT.len());
    // V sees the same of all values with the same lengths together.
    for (from, to) in [("7, ", "77, "), ("true", "null"), ("\"Ada\"", "12345"), ("\"x\", \"\"", "\"\", 123")]
    {
        let other = ACCOUNT.replace(from, to);
        let more = other.len() as i64 - ACCOUNT.len() as i64;
        // As many bytes fewer in the first name.
        let other = if more == 1 { other.replace("\"Ada\"", "\"Ad\"") } else { other };
        assert_eq!(other.len(), ACCOUNT.len(), "{from}");
        assert_eq!(body(&other, &["plan"], &[], false).unwrap(), expected, "{from}");
    }
}

#[test]
fn which_values_are_together_depends_on_names_alone() {
    let seen = |text: &str| body(text, &["c"], &[], false).unwrap();
    // No value is short, or all but one are.
    assert_eq!(seen(r#"{"a":"Ada","b":"Eve","c":1}"#), r#"{"a":111111111,"b":1,"c":1}"#);
    assert_eq!(seen(r#"{"a":"Augusta","b":"","c":1}"#), r#"{"a":1111111111,"b":1,"c":1}"#);
    // One value alone is what it was.
    assert_eq!(seen(r#"{"a":"Ada","c":1,"d":36}"#), r#"{"a":"xxx","c":1,"d":11}"#);
    // At most 16 at once.
    let many: Vec<_> = (10..43).map(|n| n.to_string()).collect();
    let seen = body(&format!("[{}]", many.join(",")), &[], &[], false).unwrap();
    let run = format!("{}{}", "1".repeat(17), ",1".repeat(15));
    assert_eq!(seen, format!("[{run},{run},11]"));
}

#[test]
fn a_value_that_its_length_would_tell_needs_a_neighbour() {
    for (text, telling) in [
        (r#"{"a":true,"b":"EUR"}"#, "a"),
        (r#"{"a":null,"b":"EUR"}"#, "a"),
        (r#"{"a":"","b":"EUR"}"#, "a"),
        (r#"{"b":"EUR","a":true,"c":false}"#, "a"),
        // One letter cannot be another and none.
        (r#"{"b":"EUR","a":true,"c":"x"}"#, "a"),
        (r#"{"b":"EUR","a":true,"c":"abc","d":false,"e":null}"#, "a"),
    ] {
        let refused = body(text, &["b"], &[], false).unwrap_err().to_string();
        assert!(refused.contains(&format!("json {telling} of the response")), "{refused}");
        assert!(refused.contains("--reveal") && refused.contains("--show-rest"), "{refused}");
        // It shows if that is allowed, and if it is revealed. What else is there is still hidden.
        let shown = body(text, &["b"], &[], true).unwrap();
        let expected = text.replace("\"abc\"", "\"xxx\"");
        assert_eq!(shown, expected, "{text}");
    }
    assert_eq!(body(r#"{"a":true,"b":"EUR"}"#, &["a", "b"], &[], false).unwrap(), r#"{"a":true,"b":"EUR"}"#);
    let seen = body(r#"{"b":"EUR","a":true,"c":"xy"}"#, &["b"], &[], false).unwrap();
    assert_eq!(seen, r#"{"b":"EUR","a":1111111,"c":1}"#);
}

#[test]
fn values_that_p_names_are_hidden_with_the_rest_or_refused() {
    let text = r#"{"a":true,"b":"EUR","c":"Ada"}"#;
    let selection = |hide: &[&str], show_rest| {
        let json = |path: &&str| Redaction::new(Side::Server, Part::Json((*path).to_owned()));
        let hide = hide.iter().map(json).collect();
        let selection = Selection { hide, responses: Rest::Revealed, show_rest, ..Selection::default() };
        let [_, seen] = seen([REQUEST, &with(text)], &selection)?;
        Ok::<_, Refusal>(String::from_utf8(seen).unwrap().split_once("\r\n\r\n").unwrap().1.to_owned())
    };
    assert_eq!(selection(&["a", "b"], false).unwrap(), r#"{"a":11111111,"b":1,"c":"Ada"}"#);
    assert_eq!(selection(&["c"], false).unwrap(), r#"{"a":true,"b":"EUR","c":"xxx"}"#);
    // What P wants hidden does not show because other things may.
    for show_rest in [false, true] {
        assert!(selection(&["a"], show_rest).is_err());
        assert!(selection(&["a", "c"], show_rest).is_err());
    }
    // A claim is about one value.
    let hide =
        Redaction { claims: vec![Assertion::Digits], ..Redaction::new(Side::Server, Part::Json("b".into())) };
    let text = with(r#"{"a":"xy","b":"12","c":"xy"}"#);
    let whole = exchanges([REQUEST, &text], true).unwrap();
    let all = Selection { hide: vec![hide], ..Selection::default() }.of([REQUEST, &text], &whole).unwrap();
    assert!(all.iter().all(|hide| !matches!(hide.part, Part::Values(_))));
    assert_eq!(all.len(), 5, "the query, the cookie, and three values");
}

#[test]
fn a_body_in_chunks_hides_values_across_them() {
    let response = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{\"a\":true\r\n9\r\n,\"b\":\"Ada\r\n2\r\n\"}\r\n0\r\n\r\n";
    let [_, seen] = all_but_these([REQUEST, response], &[]).unwrap();
    let text = String::from_utf8(seen).unwrap();
    assert!(text.ends_with("9\r\n{\"a\":1111\r\n9\r\n1111,\"b\":\r\n2\r\n1}\r\n0\r\n\r\n"), "{text}");
}

/// What V sees of the account: run and shown plan, and a run after it.
fn account() -> [RedactedPayload; 2] {
    let text = with(ACCOUNT);
    let exchanges = exchanges([REQUEST, &text], true).unwrap();
    let reveal = vec![named((Side::Server, Part::Json("plan".into())))];
    let all = Selection { reveal, ..Selection::default() }.of([REQUEST, &text], &exchanges).unwrap();
    let shown = [(Side::Client, REQUEST), (Side::Server, &text[..])]
        .map(|(side, text)| find(side, text, &exchanges, &all).unwrap());
    assert_eq!(verdict(&shown), Ok(()));
    assert_eq!(shown[1].hidden.len(), 2);
    shown
}

/// Each of these would let V read something that was not said.
#[test]
fn v_refuses_runs_that_are_not_what_it_sees() {
    let changes: [(&str, Change); 14] = [
        // The view is the same, because the filler of a value is a digit.
        ("a text with the end of a value", |shown| change(shown, |values| values.between[0].insert(0, '1'))),
        ("a text with the start of a value", |shown| change(shown, |values| values.between[0].push('1'))),
        ("no text", |shown| change(shown, |values| values.between.insert(0, String::new()))),
        ("a name", |shown| change(shown, |values| values.between[0] = r#", "actixe": "#.into())),
        ("an order", |shown| change(shown, |values| values.between.swap(0, 1))),
        ("fewer", |shown| change(shown, |values| drop(values.between.pop()))),
        ("none", |shown| change(shown, |values| values.between.clear())),
        ("more", |shown| change(shown, |values| values.between.push(r#"], "plan": "#.into()))),
        ("another first", |shown| change(shown, |values| values.first = "active".into())),
        ("an object first", |shown| change(shown, |values| values.first = "tags".into())),
        ("a path in another form", |shown| change(shown, |values| values.first = "[\"id\"]".into())),
        ("a claim", |shown| shown[1].hidden[0].claims.push(Assertion::Length(1..=99))),
        ("a commitment", |shown| shown[1].hidden[0].commit = Some(Form::Bytes)),
        ("another class", |shown| shown[1].hidden[0].class = Class::Opaque),
    ];
    for (what, change) in changes {
        let mut shown = account();
        change(&mut shown);
        assert!(matches!(verdict(&shown), Err(Refusal::Part { .. } | Refusal::Payload { .. })), "{what}");
    }
}

fn change(shown: &mut [RedactedPayload; 2], change: impl FnOnce(&mut Values)) {
    let Part::Values(values) = &mut shown[1].hidden[0].part else { panic!("a run") };
    change(values);
}

/// The names in P's list and those in V's view are the same, and the view has one form.
#[test]
fn p_puts_nothing_into_the_view_of_a_run() {
    for (from, to) in [
        // Another name in view and list.
        (r#""active": 1"#, r#""active": 9"#),
        (r#"{"id": 11111111111, "active": 1"#, r#"{"id": 1111111111, "active": 11"#),
        (r#"{"id": 11111111111"#, r#"{"id": "111111111""#),
        (r#"{"id": 11111111111"#, r#"{"id": 9111111111 "#),
    ] {
        let mut shown = account();
        let text = String::from_utf8(shown[1].text.clone()).unwrap();
        assert!(text.contains(from), "{from}");
        shown[1].text = text.replacen(from, to, 1).into_bytes();
        assert!(verdict(&shown).is_err(), "{to}");
    }
    // A name in both is what the proof is about.
    let mut shown = account();
    let text = String::from_utf8(shown[1].text.clone()).unwrap();
    shown[1].text = text.replacen("\"active\"", "\"bctive\"", 1).into_bytes();
    change(&mut shown, |values| values.between[0] = r#", "bctive": "#.into());
    assert_eq!(verdict(&shown), Ok(()));
    // Unless it is there twice.
    let mut shown = account();
    let text = String::from_utf8(shown[1].text.clone()).unwrap();
    shown[1].text = text.replacen("\"note\"", "\"city\"", 1).into_bytes();
    assert!(verdict(&shown).is_err());
}

/// In V's view a word is a number, and is not in quotation marks: a string of its letters would be.
#[test]
fn a_string_is_not_shown_as_a_word() {
    let mut shown = usual();
    let name = &mut shown[1].hidden[0];
    assert_eq!((&name.part, name.class), (&Part::Json("name".into()), Class::JsonText));
    name.class = Class::Word;
    let range = name.ranges[0].clone();
    shown[1].text[range].fill(Class::Word.filler());
    assert!(matches!(verdict(&shown), Err(Refusal::Part { .. })));
}

/// V looks for each hidden value in the whole body.
#[test]
fn so_many_values_in_so_large_a_body_are_not_searched_for() {
    let count = (1 << 20) / 2;
    let text = with(&format!("[1{}]", ",1".repeat(count)));
    let start = text.iter().position(|byte| *byte == b'[').unwrap() + 1;
    let one = |part: fn(usize) -> Part, class, length| {
        let hidden = |i: usize| {
            let (part, ranges) = (part(4 * i), vec![start + 8 * i..start + 8 * i + length]);
            Hidden { round: 0, part, class, ranges, claims: Vec::new(), commit: None, leaves: Vec::new() }
        };
        let [request, _] = usual();
        let response = RedactedPayload { text: text.clone(), hidden: (0..128).map(hidden).collect() };
        verdict(&[request, response]).unwrap_err()
    };
    let value = |at: usize| Part::Json(format!("[{at}]"));
    let run = |at: usize| Part::Values(Values { first: format!("[{at}]"), between: vec![",".into()] });
    for refused in [one(value, Class::Number, 1), one(run, Class::Values, 3)] {
        assert!(refused.to_string().contains("too long to find"), "{refused}");
    }
}

#[test]
fn the_text_between_values_is_bounded_before_it_is_read() {
    let read = |texts: &[usize]| {
        let mut shown = account();
        let texts: Vec<_> = texts.iter().map(|length| " ".repeat(*length)).collect();
        change(&mut shown, |values| values.between = texts);
        let context = crate::page::attestation::Context::default();
        DisclosureMessage::decode(
            &DisclosureMessage { context, holder: None, opened: Vec::new(), shown }.encode(),
        )
        .is_ok()
    };
    assert!(read(&[1 << 12]) && read(&[2048, 2048]) && read(&[1; 15]));
    assert!(!read(&[4097]) && !read(&[2048, 2049]) && !read(&[1; 16]));
}

const ITEMS: &str =
    r#"{"items": [{"price": 10.5, "sku": "a-1"}, {"price": 7, "sku": "a-2"}], "first name": "Ada"}"#;

#[test]
fn a_pattern_is_every_index_of_an_array() {
    let seen = body(ITEMS, &["items[*].sku"], &[], false).unwrap();
    let expected = ITEMS.replace("10.5", "1111").replace(" 7", " 1").replace("Ada", "xxx");
    assert_eq!(seen, expected);
    let seen = body(ITEMS, &["items"], &[r#"items[*].price"#], false).unwrap();
    assert_eq!(seen, expected, "what is hidden by name is not shown");
    let seen = body(ITEMS, &[r#"items[*]"#, r#"["first name"]"#], &[], false).unwrap();
    assert_eq!(seen, ITEMS);
    for none in ["items[*].tax", "items[*][*]", "other[*]"] {
        let refused = body(ITEMS, &[none], &[], false).unwrap_err();
        assert!(refused.to_string().contains("no string, number or word there"), "{refused}");
        assert!(body(ITEMS, &["items"], &[none], false).is_err(), "{none}");
    }
    assert!(body(ITEMS, &["items"], &["items[*]"], false).is_err(), "they are objects");
    // Each value has the claims.
    let text = with(ITEMS);
    let hide = Redaction {
        claims: vec![Assertion::Length(1..=4)],
        ..Redaction::new(Side::Server, Part::Json("items[*].price".into()))
    };
    let whole = exchanges([REQUEST, &text], true).unwrap();
    let selection = Selection { hide: vec![hide], responses: Rest::Revealed, ..Selection::default() };
    let all = selection.of([REQUEST, &text], &whole).unwrap();
    let claimed: Vec<_> =
        all.iter().filter(|hide| !hide.claims.is_empty()).map(|hide| hide.part.to_string()).collect();
    assert_eq!(claimed, ["json items[0].price", "json items[1].price"]);
    // V knows no patterns.
    let [request, mut response] = account();
    response.hidden[0].part = Part::Json("tags[*]".into());
    assert!(verdict(&[request, response]).is_err());
}

/// What P wants hidden in every item is not shown in one because it has another form there.
#[test]
fn a_pattern_that_is_an_object_somewhere_is_refused() {
    for other in [r#"{"net": 7, "tax": 1}"#, "[7]", r#"{"deep": [{"net": 7}]}"#] {
        let text =
            with(&format!(r#"{{"items": [{{"price": 10.5}}, {{"price": {other}}}, {{"sku": "a"}}]}}"#));
        let part = Part::Json("items[*].price".into());
        for claims in [vec![], vec![Assertion::Length(1..=4)]] {
            let hide = vec![Redaction { claims, ..Redaction::new(Side::Server, part.clone()) }];
            let selection = Selection { hide, responses: Rest::Revealed, ..Selection::default() };
            let refused = seen([REQUEST, &text], &selection).map(|[_, text]| text.escape_ascii().to_string());
            let refused = refused.expect_err(other).to_string();
            assert!(refused.contains("items[1].price"), "{refused}");
        }
    }
}

/// A part that P names in several ways is hidden once, with everything that is claimed of it.
#[test]
fn a_part_may_be_named_by_several_patterns() {
    let json = |path: &str| Redaction::new(Side::Server, Part::Json(path.into()));
    let claim = |path: &str, claim: Assertion| Redaction { claims: vec![claim], ..json(path) };
    let all = |hide: Vec<Redaction>| {
        let text = with(ITEMS);
        let selection = Selection { hide, responses: Rest::Revealed, ..Selection::default() };
        seen([REQUEST, &text], &selection)?;
        let whole = exchanges([REQUEST, &text], true)?;
        let all = selection.of([REQUEST, &text], &whole)?;
        let said = |hide: &Redaction| (hide.part.to_string(), hide.claims.len(), hide.commit);
        let all = all.iter().filter(|hide| matches!(hide.part, Part::Json(_))).map(said);
        Ok::<_, Refusal>(all.collect::<Vec<_>>())
    };
    let name = |index: u8| format!("json items[{index}].price");
    let (length, digits) = (Assertion::Length(1..=4), Assertion::Number(Interval::at_least(1)));
    let hide = vec![json("items[*].price"), claim("items[0].price", length.clone())];
    assert_eq!(all(hide).unwrap(), [(name(0), 1, false), (name(1), 0, false)]);
    let commit = Redaction { commit: true, ..json("items[1].price") };
    let hide = vec![commit, claim("items[*].price", length.clone()), claim("items[0].price", digits)];
    assert_eq!(all(hide).unwrap(), [(name(1), 1, true), (name(0), 2, false)]);
    // A claim that is made twice is one.
    let hide = vec![claim("items[*].price", length.clone()), claim("items[0].price", length)];
    assert_eq!(all(hide).unwrap(), [(name(0), 1, false), (name(1), 1, false)]);
}

#[test]
fn of_a_body_and_a_part_of_it_the_part_decides() {
    let whole = |reveal: &[Part], hide: &[Part]| {
        let reveal: Vec<_> = reveal.iter().map(|part| named((Side::Server, part.clone()))).collect();
        let hide = hide.iter().map(|part| Redaction::new(Side::Server, part.clone())).collect();
        let responses = if reveal.is_empty() { Rest::Revealed } else { Rest::Hidden };
        let selection = Selection { hide, reveal, responses, ..Selection::default() };
        let [_, seen] = seen([REQUEST, &with(r#"{"a":"Ada","b":"Eve"}"#)], &selection).unwrap();
        String::from_utf8(seen).unwrap().split_once("\r\n\r\n").unwrap().1.to_owned()
    };
    let a = || Part::Json("a".into());
    assert_eq!(whole(&[Part::Body], &[a()]), r#"{"a":"xxx","b":"Eve"}"#);
    assert_eq!(whole(&[a()], &[Part::Body]), r#"{"a":"Ada","b":"xxx"}"#);
    assert_eq!(whole(&[], &[Part::Body, a()]), r#"{"a":111111111,"b":1}"#);
    assert_eq!(whole(&[], &[Part::Body]), "x".repeat(21));
}

#[test]
fn a_body_that_is_one_value_is_hidden_and_revealed_by_the_empty_path() {
    assert_eq!(body("\"Ada\"", &[], &[], false).unwrap(), "\"xxx\"");
    assert_eq!(body(" 12 ", &[], &[""], false).unwrap(), " 11 ");
    assert_eq!(body("true", &[""], &[], false).unwrap(), "true");
    assert!(body("true", &[], &[], false).is_err());
}
