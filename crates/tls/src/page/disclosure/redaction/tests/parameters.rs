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
    // Those of one name together, as header fields, also where they are not named.
    for (reveal, hide) in [(&["id"][..], &[][..]), (&["id"], &["tag"])] {
        let seen = query("tag=a&id=1&tag=bc&%74ag=&tag", reveal, hide).unwrap();
        assert_eq!(seen, "/a?tag=x&id=1&tag=xx&%74ag=&tag");
    }
    assert_eq!(query("tag=a&id=1&tag=bc", &["tag"], &[]).unwrap(), "/a?tag=a&id=x&tag=bc");
    for (text, name) in [
        ("id=1;x=2", "id"),
        ("id=1", "x"),
        ("id=1", "ID"),
        ("id", "id"),
        ("id=", "id"),
        ("%ff=1", "id"),
        ("id=1&%00=2", "id"),
        ("=1", ""),
        ("=1&id=2", "id"),
    ] {
        assert!(query(text, &[], &[name]).is_err(), "{text} {name}");
    }
    assert!(query("id=1", &["x"], &[]).is_err() && query("id=1&x=2;y=3", &["id"], &[]).is_err());
}

/// Of a query and a parameter of it, the parameter decides.
#[test]
fn a_hidden_query_shows_the_parameters_that_p_shows_and_a_shown_one_hides_others() {
    let of = |part: &str| match part {
        "" => Part::Query,
        name => Part::Parameter(name.into()),
    };
    let seen = |reveal: &[&str], hide: &[&str]| {
        let reveal = reveal.iter().map(|part| named((Side::Client, of(part)))).collect();
        let hide = hide.iter().map(|part| Redaction::new(Side::Client, of(part))).collect();
        let request = b"GET /a?id=17&to=ab HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let [seen, _] = seen([request, RESPONSE], &Selection { hide, reveal, ..default() }).unwrap();
        String::from_utf8(seen).unwrap().split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(seen(&["id"], &[""]), "/a?id=17&to=xx");
    assert_eq!(seen(&[""], &["id"]), "/a?id=xx&to=ab");
    assert_eq!(seen(&[], &["", "id"]), "/a?id=xx&to=xx");
    assert_eq!(seen(&["to"], &["", "id"]), "/a?id=xx&to=ab");
    assert_eq!(seen(&["", "id"], &[]), "/a?id=17&to=ab");
}

/// What P claims of a parameter's hidden value is true of what the server reads, if it reads any.
#[test]
fn nothing_is_claimed_of_a_parameter_that_a_server_may_read_elsewhere() {
    for (text, sound) in [
        ("id=17&to=ab", true),
        ("user[id]=5&ids=3&id=17", true),
        ("id=17&id=18", false),
        ("id=17&%69d=18", false),
        ("id=17&id", false),
        ("id=17&ID=18", false),
        ("id=17&id[]=18", false),
        ("id=17&%5Bid%5D=18", false),
        ("id=17&id[a]=18", false),
        ("id=17&+id=18", false),
        ("i.d=18&id=17", false),
    ] {
        let request = format!("GET /a?{text} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let whole = exchanges([request.as_bytes(), RESPONSE], true).unwrap();
        let hide = |claims: Vec<Assertion>, commit| {
            let hide = Redaction { claims, commit, ..hide(Side::Client, Part::Parameter("id".into())) };
            find(Side::Client, request.as_bytes(), &whole, &[hide])
        };
        let plain = hide(Vec::new(), false).unwrap();
        let [_, response] = usual();
        assert_eq!(verdict(&[plain.clone(), response.clone()]), Ok(()), "{text}");
        assert_eq!(hide(vec![Assertion::Digits], false).is_ok(), sound, "{text}");
        assert_eq!(hide(Vec::new(), true).is_ok(), sound, "{text}");
        // V, too.
        let mut cheats = [plain.clone(), plain];
        cheats[0].hidden[0].claims = vec![Assertion::Digits];
        cheats[1].hidden[0].commit = Some(Form::Bytes);
        for cheat in cheats {
            assert_eq!(verdict(&[cheat, response.clone()]).is_ok(), sound, "{text}");
        }
    }
}

/// V reads the names in a view where other queries than the honest one would be refused.
#[test]
fn v_refuses_parameters_of_queries_that_servers_read_in_several_ways() {
    for (text, sound) in [
        ("id=xx&to=ab", true),
        ("id=xx&to=a;b", false),
        ("id=xx&%00=", false),
        ("id=xx&%2569d=1", false),
        ("id=xx&%u0069d=1", false),
        (&format!("id=xx{}", "&a".repeat(256)), false),
    ] {
        let request = format!("GET /a?{text} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let [_, response] = usual();
        let (part, class, claims) = (Part::Parameter("id".into()), Class::Parameter, Vec::new());
        let hidden = vec![Hidden {
            round: 0,
            part,
            class,
            ranges: vec![10..12],
            claims,
            commit: None,
            leaves: Vec::new(),
        }];
        let request = RedactedPayload { text: request.into_bytes(), hidden };
        assert_eq!(verdict(&[request, response]).is_ok(), sound, "{text}");
    }
}

/// A name cannot be mistaken for what is said of it.
#[test]
fn names_of_other_characters_are_in_quotation_marks() {
    let of = |name: &str| Part::Parameter(name.into()).to_string();
    assert_eq!(of("user[id]"), "query user[id]");
    assert_eq!(of("id: is 5"), "query \"id: is 5\"");
    assert_eq!(of("a\"\n"), r#"query "a\"\n""#);
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
