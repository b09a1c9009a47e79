//! Parameters of a query, one by one.

use super::*;

fn query(query: &str, reveal: &[&str], hide: &[&str]) -> Result<String, Refusal> {
    let request = format!("GET /a?{query} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let part = |name: &&str| Part::Parameter((*name).to_owned());
    let reveal = reveal.iter().map(|name| named((Side::Client, part(name)))).collect();
    let hide = hide.iter().map(|name| Redaction::new(Side::Client, part(name))).collect();
    let [seen, _] = seen([request.as_bytes(), RESPONSE], &Selection { hide, reveal, ..default() })?;
    let text = String::from_utf8(seen).unwrap();
    Ok(text.split(' ').nth(1).unwrap().to_owned())
}

#[test]
fn parameters_are_hidden_and_shown_by_name() {
    assert_eq!(query("id=17&token=abc&x", &[], &[]).unwrap(), "/a?xxxxxxxxxxxxxxxxx");
    assert_eq!(query("id=17&token=abc&x&y=", &["id"], &[]).unwrap(), "/a?id=17&token=xxx&x&y=");
    assert_eq!(query("id=17&token=abc", &[], &["token"]).unwrap(), "/a?id=xx&token=xxx");
    assert_eq!(query("a%5Fb=17&c=%3B%26", &["c"], &["a_b"]).unwrap(), "/a?a%5Fb=xx&c=%3B%26");
    for (text, name) in [
        ("id=1&id=2", "id"),
        ("id=1&%69d=2", "id"),
        ("id=1;x=2", "id"),
        ("id=1", "x"),
        ("id", "id"),
        ("id=", "id"),
        ("%ff=1", "id"),
    ] {
        assert!(query(text, &[], &[name]).is_err(), "{text} {name}");
    }
    assert!(query("id=1", &["x"], &[]).is_err() && query("id=1&x=2;y=3", &["id"], &[]).is_err());
}

/// P hides a name, or more than a value, and says that it is a value.
#[test]
fn v_refuses_what_is_not_the_value_of_the_only_parameter_of_its_name() {
    let request = b"GET /a?id=17&to=ab HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let whole = exchanges([request, RESPONSE], true).unwrap();
    let hide = [hide(Side::Client, Part::Parameter("id".into()))];
    let honest = [
        find(Side::Client, request, &whole, &hide).unwrap(),
        RedactedPayload { text: RESPONSE.to_vec(), hidden: Vec::new() },
    ];
    assert_eq!(verdict(&honest), Ok(()));
    let start = honest[0].hidden[0].ranges[0].start;
    let changes: [(&str, Change); 5] = [
        ("wider", |shown| {
            let range = &mut shown[0].hidden[0].ranges[0];
            range.end += 1;
            shown[0].text[range.clone()].fill(b'x');
        }),
        ("another name", |shown| shown[0].hidden[0].part = Part::Parameter("to".into())),
        ("the whole query", |shown| shown[0].hidden[0].part = Part::Query),
        ("another class", |shown| shown[0].hidden[0].class = Class::Query),
        ("in a response", |shown| {
            let hidden = shown[0].hidden.remove(0);
            shown[1].hidden.push(hidden);
        }),
    ];
    for (what, change) in changes {
        let mut shown = honest.clone();
        change(&mut shown);
        assert!(verdict(&shown).is_err(), "{what} {start}");
    }
}
