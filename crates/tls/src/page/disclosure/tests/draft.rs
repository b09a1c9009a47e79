//! What is found out about a payload without a connection.

use zeroize::Zeroizing;

use super::*;
use crate::page::claim::{Assertion, Interval};
use crate::page::http::json::ValueType;

const BODY: &str = r#"{"name": "Ada", "active": true, "items": [{"price": 5, "new": false}, {"price": 7}], "balance": 5120}"#;

fn text(headers: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len())
}

fn draft(request: &str, response: &str) -> Draft {
    let payload = [request, response].map(|text| Zeroizing::new(text.as_bytes().to_vec()));
    Draft { mode: Mode::Proxy, tls: TlsVersion::Tls12, ..Draft::of("localhost", payload) }
}

fn request(headers: &str) -> String {
    format!("GET /a?id=7&k=x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n")
}

fn json(path: &str) -> MessagePart {
    MessagePart { side: Side::Server, round: 0, part: Part::Json(path.into()) }
}

fn hide(path: &str, claims: Vec<Assertion>) -> Redaction {
    Redaction { claims, ..Redaction::new(Side::Server, Part::Json(path.into())) }
}

fn words(found: &[Error]) -> Vec<String> {
    found.iter().map(Error::to_string).collect()
}

/// Each alone would end a proof, so P would find them one by one.
#[test]
fn all_mistakes_are_found_at_once() {
    let draft = draft(&request("X-Unheard-Of: 1\r\nX-Other: 2\r\nCookie: a=b\r\n"), &text("", BODY));
    let at_least = |least: u64| vec![Assertion::Number(Interval::at_least(least))];
    let selection = Selection {
        hide: vec![
            hide("nothing", Vec::new()),
            hide("items", Vec::new()),
            hide("items[*].none", Vec::new()),
            hide("balance", at_least(6000)),
            hide("name", vec![Assertion::Equals(b"Augusta".to_vec()), Assertion::Equals(b"Ada".to_vec())]),
            hide("items[*].price", at_least(6)),
            Redaction::new(Side::Server, Part::Header("Content-Length".into())),
        ],
        reveal: vec![json("missing"), json("items[9]")],
        ..Selection::default()
    };
    let found = words(&draft.mistakes(&selection));
    for expected in [
        "json nothing of the response",
        "json items of the response: an array or an object",
        "json items[*].none of the response",
        "json missing of the response",
        "json items[9] of the response",
        "header Content-Length of the response",
        "header X-Unheard-Of of the request",
        "header X-Other of the request",
        "json active of the response: its length would tell",
        "json items[0].new of the response: its length would tell",
        "not true: response json balance",
        "not true: response json name equals \"Augusta\"",
        "not true: response json items[0].price",
    ] {
        assert_eq!(found.iter().filter(|text| text.contains(expected)).count(), 1, "{expected}: {found:#?}");
    }
    assert_eq!(found.len(), 13, "{found:#?}");
    assert!(!found.iter().any(|text| text.contains("5120") || text.contains("items[1]")), "{found:#?}");
    // The first of them is the one with which a proof ends.
    let first = draft.select(&selection).unwrap_err();
    assert!(found.contains(&first.to_string()), "{first}");
}

#[test]
fn a_plan_without_mistakes_has_a_statement_and_a_cost() {
    let draft = draft(&request("Cookie: a=b\r\n"), &text("", BODY));
    let claim = vec![Assertion::Number(Interval::at_least(5000))];
    let selection = Selection {
        hide: vec![hide("balance", claim)],
        reveal: vec![json("name")],
        show_rest: true,
        ..Selection::default()
    };
    assert_eq!(draft.mistakes(&selection), []);
    let hide = draft.select(&selection).unwrap();
    let statement = draft.expected(&hide, 1_780_000_000).unwrap().to_string();
    assert!(statement.contains("Ada") && !statement.contains("5120"), "{statement}");
    let cost = draft.cost(&hide).unwrap();
    assert!(cost.payload > 0 && cost.from_secret > cost.payload && cost.message > BODY.len());
    // Nothing is proved about bytes that only have to be hidden.
    let none = Selection { hide: vec![Redaction::new(Side::Server, Part::Body)], ..Selection::default() };
    let less = draft.cost(&draft.select(&none).unwrap()).unwrap();
    assert!(less.payload < cost.payload, "{less:?} {cost:?}");
}

#[test]
fn a_connection_that_stays_open_and_messages_that_cannot_be_read_are_mistakes() {
    let selection = Selection { responses: Rest::Revealed, ..Selection::default() };
    let open = |response: &str| {
        let draft = Draft { closed: false, ..draft(&request(""), response) };
        words(&draft.mistakes(&selection))
    };
    assert_eq!(open(&text("Connection: close\r\n", BODY)), [""; 0]);
    let found = open(&text("", BODY));
    assert!(found.len() == 1 && found[0].contains("did not say that it ends the connection"), "{found:?}");
    // Where the body ends with the connection, nobody knows whether it is whole; the rest can be looked at.
    let endless = draft(&request("X-Odd: 1\r\n"), &format!("HTTP/1.1 200 OK\r\n\r\n{BODY}"));
    let found = words(&Draft { closed: false, ..endless }.mistakes(&selection));
    assert!(found.len() == 2 && found[1].contains("X-Odd"), "{found:?}");
    for response in
        ["", "HTTP/2 200\r\n\r\n", &text("", BODY)[..60], "HTTP/1.1 206 Partial\r\nContent-Length: 0\r\n\r\n"]
    {
        assert_eq!(draft(&request(""), response).mistakes(&selection).len(), 1, "{response}");
        assert!(draft(&request(""), response).parts().is_err());
    }
    // A claim about JSON in a compressed body.
    let zipped = draft(&request(""), &text("Content-Encoding: gzip\r\n", BODY));
    let selection = Selection { hide: vec![hide("balance", Vec::new())], ..selection };
    let found = words(&zipped.mistakes(&selection));
    assert!(found.len() == 1 && found[0].contains("Content-Encoding"), "{found:?}");
}

/// Parts can be hidden, each by itself, and V refuses what it would see all the same.
#[test]
fn what_v_would_refuse_of_the_whole_is_a_mistake() {
    let page = || text("Connection: close\r\n", BODY);
    let shown = Selection { responses: Rest::Revealed, ..Selection::default() };
    let of = |draft: Draft| words(&draft.mistakes(&shown));
    let with_body = "DELETE /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nxy";
    let found = of(draft(with_body, &page()));
    assert!(found.len() == 1 && found[0].contains("POST, PUT and PATCH"), "{found:?}");
    let found = of(Draft { host: "other.example".into(), ..draft(&request(""), &page()) });
    assert!(found.len() == 1 && found[0].contains("other.example"), "{found:?}");
    let elsewhere = request("").replace("localhost", "localhost:8443");
    let found = of(draft(&elsewhere, &page()));
    assert!(found.len() == 1 && found[0].contains("port 8443"), "{found:?}");
    let first = "GET /?k=x HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let several =
        Draft { pipelined: true, ..draft(&(first.to_owned() + &request("")), &(text("", BODY) + &page())) };
    let found = of(several);
    assert!(found.len() == 1 && found[0].contains("sent at once"), "{found:?}");
}

/// What is claimed of it is decided by what shows.
#[test]
fn a_claim_about_an_empty_part_is_not_true_or_the_part_is_to_be_shown() {
    let body = r#"{"s": "", "n": 5, "t": "x"}"#;
    let (asked, answer) = ("GET /?x= HTTP/1.1\r\nHost: localhost\r\nCookie:\r\n\r\n", text("", body));
    let draft = draft(asked, &answer);
    for (part, untrue, holds) in [
        (
            "response.json:s",
            &["= Ada", "one of a|b", "contains A", "at 0 A", "is digits", "matches a+", ">= 0", "length 1.."]
                [..],
            &["!= Eve", "matches a*", "length 0..0", "length ..5", "characters ..3"][..],
        ),
        ("request.query.x", &["= 5", "is digits", "is null", "before 2026-01-01"], &["!= 5"]),
        ("request.path", &["= mix"], &["!= mix"]),
        ("request.header:cookie", &["contains a"], &["!= a"]),
    ] {
        let MessagePart { side, round, part: own } = part.parse().unwrap();
        let tried = |claims: &[&str]| {
            let claims = claims.iter().map(|claim| claim.parse().unwrap()).collect();
            let hide = Redaction { claims, round, ..Redaction::new(side, own.clone()) };
            let reveal = vec![json("n"), json("t")];
            let all = [(Rest::Revealed, Vec::new()), (Rest::Hidden, reveal)].map(|(responses, reveal)| {
                let hide = vec![hide.clone()];
                let selection =
                    Selection { hide, responses, reveal, show_rest: true, ..Selection::default() };
                let expected = draft.expected(&draft.select(&selection).unwrap(), 0).unwrap_err();
                let all = draft.mistakes(&selection);
                // A proof ends at the first of them.
                assert_eq!(all.first(), Some(&expected), "{part}");
                all
            });
            let [shown, hidden] = all;
            assert_eq!(shown, hidden);
            shown
        };
        let found = tried(untrue);
        assert!(found.iter().all(|error| matches!(error, Error::NotTrue(_))), "{found:?}");
        assert_eq!(found.len(), untrue.len(), "{found:?}");
        assert!(found[0].to_string().ends_with("(it is empty)"), "{}", found[0]);
        for claim in holds {
            let found = tried(&[claim]);
            assert!(
                matches!(&found[..], [Error::Refused(Refusal::Part { reason, .. })]
                if reason.contains("readers see what holds")),
                "{part} {claim}: {found:?}"
            );
        }
        // One that holds does not make up for one that does not.
        assert_eq!(tried(&[holds[0], untrue[0]]).len(), 1);
    }
}

#[test]
fn too_many_mistakes_are_cut_and_none_goes_on_for_ever() {
    let draft = draft(&request(""), &text("", BODY));
    let hide = (0..100).map(|number| hide(&format!("x{number}"), Vec::new())).collect();
    assert_eq!(draft.mistakes(&Selection { hide, ..Selection::default() }).len(), 32);
    let twice = vec![hide_one("nothing"), hide_one("nothing")];
    let selection = Selection { hide: twice, responses: Rest::Revealed, ..Selection::default() };
    assert_eq!(draft.mistakes(&selection).len(), 1);
}

fn hide_one(path: &str) -> Redaction {
    hide(path, Vec::new())
}

#[test]
fn parts_are_listed_by_the_names_that_are_given_to_them() {
    let draft = draft(&request("Cookie: a=b\r\nCookie: c\r\n"), &text("", BODY));
    let parts = draft.parts().unwrap();
    let find = |name: &str| {
        parts.iter().find(|listed| listed.part.name() == name).unwrap_or_else(|| panic!("{name}"))
    };
    for (name, length) in [
        ("request.path", 1),
        ("request.query", 8),
        ("request.query.id", 1),
        ("request.header:Cookie", 4),
        ("response.body", BODY.len()),
        ("response.json:name", 3),
        ("response.json:items[1].price", 1),
    ] {
        assert_eq!(find(name).length(), length, "{name}");
    }
    assert_eq!(find("response.json:active").kind, PartKind::Json(ValueType::Bool));
    // What is listed is where it is found.
    let [_, response] = &draft.payload;
    let name = find("response.json:name").ranges[0].clone();
    assert_eq!(&response[name], b"Ada");
    let zipped = Draft {
        payload: [request(""), text("Content-Encoding: br\r\n", BODY)]
            .map(|text| Zeroizing::new(text.into_bytes())),
        ..draft
    };
    let parts = zipped.parts().unwrap();
    assert!(parts.iter().all(|listed| !matches!(listed.kind, PartKind::Json(_))));
    assert!(parts.iter().any(|listed| matches!(listed.kind, PartKind::Body { opaque: Some(_) })));
}

#[test]
fn no_parameter_is_listed_that_cannot_be_named() {
    for (query, listed) in [
        ("a=1&b=&c&a=22&%62c=3&=4", &[("request.query.a", 3), ("request.query.bc", 1)][..]),
        ("a=1;b=2", &[]),
        ("a=1&%00=2", &[]),
    ] {
        let request = format!("GET /p?{query} HTTP/1.1\r\nHost: bank.example\r\n\r\n");
        let parts = draft(&request, &text("", BODY)).parts().unwrap();
        let own = parts.iter().filter(|listed| listed.kind == PartKind::Parameter);
        let own: Vec<_> = own.map(|listed| (listed.part.name(), listed.length())).collect();
        let listed = listed.iter().map(|(name, length)| ((*name).to_owned(), *length));
        assert_eq!(own, listed.collect::<Vec<_>>(), "{query}");
    }
}
