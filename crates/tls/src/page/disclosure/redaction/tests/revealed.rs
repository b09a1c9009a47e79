//! Parts that P shows exist, whatever else there is in the message.

use super::*;

const REDIRECT: &[u8] = b"HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n";

/// The part because of which these messages are refused, if P shows these.
fn refused(texts: [&[u8]; 2], reveal: &[(Side, Part)], responses: Rest) -> Option<String> {
    let reveal = reveal.iter().cloned().map(named).collect();
    match seen(texts, &Selection { reveal, responses, ..Selection::default() }) {
        Err(Refusal::Part { message, part, .. }) => Some(format!("{message} {part}")),
        other => {
            assert!(other.is_ok(), "{other:?}");
            None
        }
    }
}

#[test]
fn a_part_that_p_shows_exists_also_where_nothing_is_hidden() {
    let json = |path: &str| Part::Json(path.into());
    let parameter = || Part::Parameter("x".into());
    let bare = b"GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for (texts, parts, wrong) in [
        ([REQUEST, REDIRECT], vec![(Side::Server, json("currency"))], "response json currency"),
        ([REQUEST, REDIRECT], vec![(Side::Server, json("items[*].a"))], "response json items[*].a"),
        ([REQUEST, REDIRECT], vec![(Side::Server, Part::Body)], "response body"),
        // All of the body shows, and it has no such value.
        (
            [REQUEST, RESPONSE],
            vec![(Side::Server, Part::Body), (Side::Server, json("nope"))],
            "response json nope",
        ),
        ([bare, RESPONSE], vec![(Side::Client, json("a"))], "request json a"),
        ([bare, RESPONSE], vec![(Side::Client, Part::Body)], "request body"),
        ([bare, RESPONSE], vec![(Side::Client, parameter())], "request query x"),
        ([bare, RESPONSE], vec![(Side::Client, Part::Query)], "request query"),
        // All of the query shows.
        (
            [REQUEST, RESPONSE],
            vec![(Side::Client, Part::Query), (Side::Client, parameter())],
            "request query x",
        ),
        ([REQUEST, RESPONSE], vec![(Side::Client, Part::Header("x-a".into()))], "request header x-a"),
        ([REQUEST, RESPONSE], vec![(Side::Server, Part::Trailer("x-a".into()))], "response trailer x-a"),
    ] {
        for responses in [Rest::Hidden, Rest::Revealed] {
            assert_eq!(refused(texts, &parts, responses).as_deref(), Some(wrong), "{responses:?}");
        }
    }
    // What exists is shown.
    let parts = [
        (Side::Client, Part::Path),
        (Side::Client, Part::Query),
        (Side::Client, Part::Header("COOKIE".into())),
        (Side::Client, Part::Header("Host".into())),
        (Side::Server, Part::Body),
        (Side::Server, json("x.y")),
        (Side::Server, json("x.y[*]")),
    ];
    assert_eq!(refused([REQUEST, RESPONSE], &parts, Rest::Hidden), None);
}
