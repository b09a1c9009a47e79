//! What V refuses of what it is shown.

mod message;
mod parameters;
mod revealed;
mod rounds;
mod trailers;
mod values;

use super::*;
use crate::page::http;

const REQUEST: &[u8] = b"GET /a?b HTTP/1.1\r\nHost: localhost\r\nCookie: crumbs\r\n\r\n";
const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\nSet-Cookie: more\r\nContent-Length: 37\r\n\r\n\
                          {\"name\":\"Ada\",\"age\":36,\"x\":{\"y\":[1]}}";

fn hide(side: Side, part: Part) -> Redaction {
    Redaction::new(side, part)
}

fn shown(hide: &[Redaction]) -> [RedactedPayload; 2] {
    let exchanges = exchanges([REQUEST, RESPONSE], true).unwrap();
    [(Side::Client, REQUEST), (Side::Server, RESPONSE)]
        .map(|(side, text)| find(side, text, &exchanges, hide).unwrap())
}

fn usual() -> [RedactedPayload; 2] {
    shown(&[
        hide(Side::Client, Part::Path),
        hide(Side::Client, Part::Query),
        hide(Side::Client, Part::Header("cookie".into())),
        hide(Side::Server, Part::Json("age".into())),
        hide(Side::Server, Part::Json("name".into())),
    ])
}

fn server(port: Option<u16>, ports: &[u16]) -> Server<'_> {
    Server { host: "localhost", port, ports }
}

fn verdict(shown: &[RedactedPayload; 2]) -> Result<(), Refusal> {
    check(shown, &server(None, &[]), true).map(drop)
}

#[test]
fn what_p_hides_is_what_v_finds() {
    let shown = usual();
    assert_eq!(verdict(&shown), Ok(()));
    let [request, response] = &shown;
    assert_eq!(request.text, b"GET /x?x HTTP/1.1\r\nHost: localhost\r\nCookie: xxxxxx\r\n\r\n");
    assert!(response.text.ends_with(b"{\"name\":\"xxx\",\"age\":11,\"x\":{\"y\":[1]}}"));
    // In the order of their places, whatever the order of the wishes.
    assert_eq!(
        response.hidden.iter().map(|hidden| hidden.class).collect::<Vec<_>>(),
        [Class::JsonText, Class::Number]
    );
    let revealed: usize = response.revealed().map(|range| range.len()).sum();
    assert_eq!(revealed, RESPONSE.len() - 5);
}

/// Everything but this, from these two messages, as V sees them.
fn all_but_these(texts: [&[u8]; 2], revealed: &[(Side, Part)]) -> Result<[Vec<u8>; 2], Refusal> {
    seen(texts, &Selection { reveal: revealed.iter().cloned().map(named).collect(), ..Selection::default() })
}

/// A part of the first messages.
fn named((side, part): (Side, Part)) -> MessagePart {
    MessagePart { side, round: 0, part }
}

/// What V sees of these two messages, or of several, if P wishes this.
fn seen(texts: [&[u8]; 2], selection: &Selection) -> Result<[Vec<u8>; 2], Refusal> {
    let exchanges = exchanges(texts, true)?;
    let hide = selection.of(texts, &exchanges)?;
    let [request, response] = texts;
    let shown =
        [find(Side::Client, request, &exchanges, &hide)?, find(Side::Server, response, &exchanges, &hide)?];
    verdict(&shown)?;
    Ok(shown.map(|shown| shown.text))
}

/// What a command line without any names does.
fn default() -> Selection {
    Selection { responses: Rest::Revealed, ..Selection::default() }
}

#[test]
fn a_cookie_given_by_the_user_is_hidden_by_default_and_so_is_all_else_that_p_supplied() {
    let request =
        b"POST /a/b?token=1 HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: identity\r\nCookie: crumbs\r\n\
                    X-Api-Key: k-1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"pin\":1}";
    let [client, server] = seen([request, RESPONSE], &default()).unwrap();
    let expected =
        b"POST /a/b?xxxxxxx HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: identity\r\nCookie: xxxxxx\r\n\
                     X-Api-Key: xxx\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\nxxxxxxxxx";
    assert_eq!(client, expected);
    // Of the response what the server gives P to act with.
    let text = String::from_utf8(RESPONSE.to_vec()).unwrap();
    assert_eq!(server, text.replace("more", "xxxx").into_bytes());
    // Unless P says otherwise.
    let reveal = [Part::Query, Part::Header("COOKIE".into()), Part::Header("x-api-key".into()), Part::Body];
    let reveal = reveal.map(|part| named((Side::Client, part))).to_vec();
    let [client, _] = seen([request, RESPONSE], &Selection { reveal, ..default() }).unwrap();
    assert_eq!(client, request);
}

/// No list of names has all fields with which a server gives P something to act with, so those that show are
/// listed.
#[test]
fn of_a_response_s_fields_only_those_show_that_are_everybody_s() {
    let response = |subject: &str, target: &str, tag: &str, vault: &str| {
        format!(
            "HTTP/1.1 302 Found\r\nDate: Mon, 23 Nov 2026 04:00:00 GMT\r\nServer: nginx\r\nX-Subject-Token: {subject}\r\nLocation: {target}\r\n\
             ETag: {tag}\r\nX-Vault-Token: {vault}\r\nCache-Control: no-store\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Transfer-Encoding: chunked\r\n\r\n8\r\n{{\"a\": 1}}\r\n0\r\n\r\n"
        )
        .into_bytes()
    };
    let sent = response("gAAAAAB", "/back?code=SplxlOBe", "\"u-47\"", "hvs.CAES");
    let [_, server] = seen([REQUEST, &sent], &default()).unwrap();
    let hidden = response("xxxxxxx", &"x".repeat(19), "xxxxxx", "xxxxxxxx");
    assert_eq!(server, hidden, "{}", server.escape_ascii());
    // Unless P says so.
    let reveal = vec![named((Side::Server, Part::Header("etag".into())))];
    let [_, server] = seen([REQUEST, &sent], &Selection { reveal, ..default() }).unwrap();
    assert_eq!(server, response("xxxxxxx", &"x".repeat(19), "\"u-47\"", "xxxxxxxx"));
    let reveal = vec![named((Side::Server, Part::Header("x-other".into())))];
    assert!(seen([REQUEST, &sent], &Selection { reveal, ..default() }).is_err());
}

#[test]
fn of_a_body_of_which_a_part_is_named_the_rest_is_hidden() {
    let request = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18\r\n\r\n{\"a\":\"b\",\"pin\":12}";
    let hide = vec![hide(Side::Client, Part::Json("pin".into()))];
    let [client, _] = seen([request, RESPONSE], &Selection { hide, ..default() }).unwrap();
    // Together: the sum of their lengths shows.
    assert!(client.ends_with(b"{\"a\":1111,\"pin\":1}"), "{}", client.escape_ascii());
    let reveal = vec![named((Side::Client, Part::Json("a".into())))];
    let [client, _] = seen([request, RESPONSE], &Selection { reveal, ..default() }).unwrap();
    assert!(client.ends_with(b"{\"a\":\"b\",\"pin\":11}"), "{}", client.escape_ascii());
}

#[test]
fn what_p_took_from_a_response_is_hidden_there_and_in_the_path_it_put_it_into() {
    let taken =
        || [(Side::Server, Part::Json("name".into())), (Side::Client, Part::Path)].map(named).to_vec();
    let [client, server] = seen([REQUEST, RESPONSE], &Selection { taken: taken(), ..default() }).unwrap();
    assert!(client.starts_with(b"GET /x?x HTTP"));
    assert!(
        server.ends_with(b"{\"name\":\"xxx\",\"age\":36,\"x\":{\"y\":[1]}}"),
        "{}",
        server.escape_ascii()
    );
    // P names exactly what it was.
    let [client, server] =
        seen([REQUEST, RESPONSE], &Selection { taken: taken(), reveal: taken(), ..default() }).unwrap();
    assert!(
        client.starts_with(b"GET /a?x HTTP")
            && server.ends_with(b"{\"name\":\"Ada\",\"age\":36,\"x\":{\"y\":[1]}}")
    );
    // It is in what is hidden anyway, or has nothing to hide; it is not there.
    let hide = vec![hide(Side::Server, Part::Body)];
    seen([REQUEST, RESPONSE], &Selection { taken: taken(), hide, ..default() }).unwrap();
    let empty = b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"name\":\"\"}";
    seen([REQUEST, empty], &Selection { taken: taken(), ..default() }).unwrap();
    let taken = vec![named((Side::Server, Part::Json("pin".into())))];
    assert!(seen([REQUEST, RESPONSE], &Selection { taken, ..default() }).is_err());
}

/// Whatever else some server takes path, host or method from shows, or is not there.
#[test]
fn fields_of_which_nobody_knows_what_servers_do_with_them_cannot_be_hidden() {
    let request = b"GET /a HTTP/1.1\r\nHost: localhost\r\nX-Real-Path: /b\r\n\r\n";
    let part = Part::Header("X-Real-Path".into());
    assert!(seen([request, RESPONSE], &default()).is_err(), "P is told");
    let reveal = vec![named((Side::Client, part.clone()))];
    assert_eq!(seen([request, RESPONSE], &Selection { reveal, ..default() }).unwrap()[0], request);
    let hide = [hide(Side::Client, part.clone())];
    let whole = exchanges([request, RESPONSE], true).unwrap();
    assert!(find(Side::Client, request, &whole, &hide).is_err());
    // A cheating P hides it all the same.
    let mut cheat =
        [request.to_vec(), RESPONSE.to_vec()].map(|text| RedactedPayload { text, hidden: Vec::new() });
    let start = request.windows(2).position(|bytes| bytes == b"/b").unwrap();
    cheat[0].text[start..start + 2].fill(b'x');
    let ranges = vec![start..start + 2];
    let (class, claims) = (Class::HeaderValue, Vec::new());
    cheat[0].hidden.push(Hidden { round: 0, part, class, ranges, claims, commit: None, leaves: Vec::new() });
    assert!(matches!(verdict(&cheat), Err(Refusal::Part { reason, .. }) if reason.contains("not known")));
}

/// In UTF-7 `+ACI-` is a quotation mark: a reader of that would see other values than V.
#[test]
fn values_of_json_are_refused_under_another_character_set() {
    for (fields, sound) in [
        ("Content-Type: application/json\r\n", true),
        ("Content-Type: application/json; charset=UTF-8\r\n", true),
        ("Content-Type: application/json;charset=\"us-ascii\"; x=y\r\n", true),
        ("Content-Encoding: identity\r\n", true),
        ("Content-Type: application/json; charset=utf-7\r\n", false),
        ("Content-Type: application/json; charset=iso-8859-1\r\n", false),
        ("Content-Type: application/json; charset = utf-8\r\n", false),
        ("Content-Type: application/json; charset=utf-8; charset=utf-7\r\n", false),
        ("Content-Type: application/json\r\nContent-Type: text/plain\r\n", false),
        ("Content-Encoding: gzip\r\n", false),
    ] {
        let response = format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: 7\r\n\r\n{{\"a\":1}}");
        let whole = exchanges([REQUEST, response.as_bytes()], true).unwrap();
        let hide = [hide(Side::Server, Part::Json("a".into()))];
        let found = find(Side::Server, response.as_bytes(), &whole, &hide);
        assert_eq!(found.is_ok(), sound, "{fields}");
        // V, too.
        let start = response.len() - 2;
        let mut cheat = [REQUEST.to_vec(), response.clone().into_bytes()]
            .map(|text| RedactedPayload { text, hidden: Vec::new() });
        let (part, ranges) = (Part::Json("a".into()), vec![start..start + 1]);
        let (class, claims) = (Class::Number, Vec::new());
        cheat[1].hidden.push(Hidden {
            round: 0,
            part,
            class,
            ranges,
            claims,
            commit: None,
            leaves: Vec::new(),
        });
        assert_eq!(verdict(&cheat).is_ok(), sound, "{fields}");
        // Where all is hidden, it is as one.
        let seen = all_but_these([REQUEST, response.as_bytes()], &[]).unwrap();
        assert_eq!(seen[1].ends_with(b"xxxxxxx"), !sound, "{fields}");
    }
}

#[test]
fn requests_are_to_one_port_that_v_knows_or_that_they_name() {
    let of = |host: &str, port: Option<u16>, ports: &[u16]| {
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let shown = [request.into_bytes(), RESPONSE.to_vec()]
            .map(|text| RedactedPayload { text, hidden: Vec::new() });
        check(&shown, &server(port, ports), true).map(|checked| checked.port)
    };
    assert_eq!(of("localhost", None, &[443]), Ok(443));
    assert_eq!(of("localhost:8443", None, &[443, 8443]), Ok(8443));
    assert_eq!(of("localhost:8443", Some(8443), &[]), Ok(8443));
    assert_eq!(of("localhost", Some(8443), &[]), Ok(8443));
    for (host, port, ports) in [
        ("localhost:8443", None, &[443][..]),
        ("localhost", None, &[8443]),
        ("localhost:8443", Some(443), &[]),
    ] {
        assert!(matches!(of(host, port, ports), Err(Refusal::Port { .. })), "{host} {port:?} {ports:?}");
    }
    for host in ["localhost:", "localhost:0", "localhost:08443", "localhost:65536", "localhost:+1"] {
        assert!(matches!(of(host, None, &[]), Err(Refusal::Host { .. })), "{host}");
    }
    // Several requests name the same one.
    let [request, response] = rounds::two();
    let request = String::from_utf8(request).unwrap().replacen("localhost", "localhost:8443", 1).into_bytes();
    let shown = [request, response].map(|text| RedactedPayload { text, hidden: Vec::new() });
    assert!(matches!(check(&shown, &server(None, &[]), true), Err(Refusal::Port { port: 443, .. })));
}

#[test]
fn all_is_hidden_but_what_is_revealed_and_what_says_how_to_read_it() {
    let revealed = [(Side::Server, Part::Json("x".into())), (Side::Server, Part::Json("age".into()))];
    let [request, response] = all_but_these([REQUEST, RESPONSE], &revealed).unwrap();
    assert_eq!(request, b"GET /a?x HTTP/1.1\r\nHost: localhost\r\nCookie: xxxxxx\r\n\r\n");
    assert_eq!(
        response,
        b"HTTP/1.1 200 OK\r\nSet-Cookie: xxxx\r\nContent-Length: 37\r\n\r\n\
          {\"name\":\"xxx\",\"age\":36,\"x\":{\"y\":[1]}}"
    );
    let revealed = [(Side::Client, Part::Query), (Side::Client, Part::Header("COOKIE".into()))];
    assert_eq!(all_but_these([REQUEST, RESPONSE], &revealed).unwrap()[0], REQUEST);
    // A body that is no JSON is one part.
    let page = b"HTTP/1.1 200 OK\r\nA: b\r\nA: c\r\nContent-Length: 4\r\n\r\n<p/>";
    let seen = all_but_these([REQUEST, page], &[]).unwrap();
    assert!(
        seen[1].ends_with(b"A: x\r\nA: x\r\nContent-Length: 4\r\n\r\nxxxx"),
        "{}",
        seen[1].escape_ascii()
    );
    let seen = all_but_these([REQUEST, page], &[(Side::Server, Part::Body)]).unwrap();
    assert!(seen[1].ends_with(b"<p/>"));
}

#[test]
fn what_can_be_neither_hidden_nor_found_is_refused_and_not_shown() {
    let with = |body: &str| format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    for body in [r#"{"a":true}"#, r#"{"a":null}"#] {
        let response = with(body);
        assert!(all_but_these([REQUEST, response.as_bytes()], &[]).is_err(), "{body}");
        let revealed = [(Side::Server, Part::Json("a".into()))];
        let seen = all_but_these([REQUEST, response.as_bytes()], &revealed).unwrap();
        assert_eq!(seen[1], response.as_bytes());
    }
    for part in [Part::Json("b".into()), Part::Header("Etag".into())] {
        assert!(all_but_these([REQUEST, RESPONSE], &[(Side::Server, part)]).is_err());
    }
    let many = with(&format!("[{}1]", "1,".repeat(16 * MAX_HIDDEN)));
    assert!(all_but_these([REQUEST, many.as_bytes()], &[]).is_err());
}

#[test]
fn of_a_hidden_number_nothing_shows_but_its_length() {
    let mut seen = Vec::new();
    for number in ["12345", "-12.5", "0.125", "1e-10", "-1E+5"] {
        let response = format!("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{{\"a\" : {number}}}");
        let [_, shown] = all_but_these([REQUEST, response.as_bytes()], &[]).unwrap();
        assert!(shown.ends_with(b"{\"a\" : 11111}"), "{}", shown.escape_ascii());
        seen.push(shown);
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}

/// A part of a number is none, whichever part it is: what stands beside it would go on with it.
#[test]
fn a_hidden_number_is_a_whole_one() {
    for (before, after) in [
        ("-", ""),
        ("1", ""),
        ("", "1"),
        ("1.", ""),
        ("", ".5"),
        ("", "e5"),
        ("1e", ""),
        ("", "-1"),
        ("0", ""),
    ] {
        let body = format!("{{\"a\":{before}111{after}}}");
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        let start = head.len() + 5 + before.len();
        let hidden = Hidden {
            round: 0,
            part: Part::Json("a".into()),
            class: Class::Number,
            ranges: vec![start..start + 3],
            claims: Vec::new(),
            commit: None,
            leaves: Vec::new(),
        };
        let response = RedactedPayload { text: (head + &body).into_bytes(), hidden: vec![hidden] };
        let [request, _] = shown(&[]);
        assert!(matches!(verdict(&[request, response]), Err(Refusal::Part { .. })), "{body}");
    }
}

#[test]
fn a_text_in_a_json_string_is_claimed_as_it_is_written_there() {
    let body = r#"{"a":"x \"y\" \u00e9"}"#;
    let response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let exchanges = exchanges([REQUEST, response.as_bytes()], true).unwrap();
    let claims = ["x \"y\" é", "\"y\"", r#"\"y\""#, "z"].map(|text| Assertion::Contains(text.into()));
    let selection = Redaction { claims: claims.to_vec(), ..hide(Side::Server, Part::Json("a".into())) };
    let shown = find(Side::Server, response.as_bytes(), &exchanges, &[selection]).unwrap();
    let expected =
        [r#"x \"y\" \u00e9"#, r#"\"y\""#, r#"\"y\""#, "z"].map(|text| Assertion::Contains(text.into()));
    assert_eq!(shown.hidden[0].claims, expected);
}

#[test]
fn a_number_is_committed_to_as_one_if_it_is_written_in_few_digits_alone_and_all_else_as_bytes() {
    for (value, expected) in [
        ("36", Form::Number),
        ("0", Form::Number),
        ("9999999999999999999", Form::Number),
        ("10000000000000000000", Form::Bytes),
        ("-36", Form::Bytes),
        ("36.0", Form::Bytes),
        ("36e1", Form::Bytes),
        ("\"36\"", Form::Bytes),
    ] {
        let body = format!("{{\"a\":{value}}}");
        let response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let exchanges = exchanges([REQUEST, response.as_bytes()], true).unwrap();
        let selection = Redaction { commit: true, ..hide(Side::Server, Part::Json("a".into())) };
        let shown = find(Side::Server, response.as_bytes(), &exchanges, &[selection]).unwrap();
        assert_eq!(shown.hidden[0].commit, Some(expected), "{value}");
    }
}

#[test]
fn what_makes_a_part_look_whole_is_neither_hidden_nor_read() {
    let request = b"GET / HTTP/1.1\r\nHost: localhost\r\nRange: bytes=9-20\r\n\r\n";
    let whole = exchanges([request, RESPONSE], true).unwrap();
    let hidden = hide(Side::Client, Part::Header("range".into()));
    assert!(find(Side::Client, request, &whole, &[hidden]).is_err());
    let seen = all_but_these([request, RESPONSE], &[]).unwrap();
    assert!(seen[0].ends_with(b"Range: bytes=9-20\r\n\r\n"), "it is shown, whatever is asked");
    for status in ["206 Partial Content", "226 IM Used"] {
        let partial = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\n{{}}");
        assert!(exchanges([request, partial.as_bytes()], true).is_err(), "{status}");
    }
}

#[test]
fn several_fields_of_one_name_are_hidden_together_and_claimed_nothing_about() {
    let request = b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: a\r\ncookie:\r\nCOOKIE: bc\r\n\r\n";
    let exchange = exchanges([request, RESPONSE], true).unwrap();
    let mut hidden = hide(Side::Client, Part::Header("cookie".into()));
    let seen = find(Side::Client, request, &exchange, core::slice::from_ref(&hidden)).unwrap();
    assert_eq!(seen.text, b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: x\r\ncookie:\r\nCOOKIE: xx\r\n\r\n");
    let [_, response] = usual();
    assert_eq!(verdict(&[seen.clone(), response.clone()]), Ok(()));
    hidden.claims.push(Assertion::Equals(b"abc".to_vec()));
    assert!(find(Side::Client, request, &exchange, &[hidden.clone()]).is_err());
    let mut cheat = seen;
    cheat.hidden[0].claims = hidden.claims;
    assert!(verdict(&[cheat, response]).is_err(), "V refuses it, too");
}

/// What a cheating P makes of what it shows.
type Change = fn(&mut [RedactedPayload; 2]);

/// Changes to what an honest P shows, each of which would let V read something that was not said.
#[test]
fn v_refuses_hidden_bytes_that_are_more_than_a_value_or_elsewhere() {
    let changes: [(&str, Change); 8] = [
        ("wider", |shown| {
            shown[1].hidden[0].ranges[0].end += 1;
            let end = shown[1].hidden[0].ranges[0].end;
            shown[1].text[end - 1] = b'x';
        }),
        ("narrower", |shown| shown[1].hidden[1].ranges[0].end -= 1),
        ("another class", |shown| shown[1].hidden[1].class = Class::Opaque),
        ("a byte that is not filler", |shown| {
            let start = shown[1].hidden[0].ranges[0].start;
            shown[1].text[start] = b'"';
        }),
        ("outside", |shown| shown[1].hidden[1].ranges[0] = 1000..1002),
        ("empty", |shown| shown[1].hidden[1].ranges[0].end = shown[1].hidden[1].ranges[0].start),
        ("twice", |shown| {
            let again = shown[1].hidden[0].clone();
            shown[1].hidden.push(again);
        }),
        ("another part", |shown| shown[1].hidden[1].part = Part::Json("x.y[0]".into())),
    ];
    for (what, change) in changes {
        let mut shown = usual();
        change(&mut shown);
        let refusal = verdict(&shown).unwrap_err();
        assert!(
            matches!(refusal, Refusal::Payload { .. } | Refusal::Part { .. } | Refusal::Http { .. }),
            "{what}: {refusal}"
        );
    }
}

/// A key is no value, so hiding it can't hide that there are two of a name.
#[test]
fn keys_and_header_names_cannot_be_hidden() {
    for (from, class) in [("name\"", Class::JsonText), ("Set-Cookie", Class::HeaderValue)] {
        let mut shown = shown(&[]);
        let place = RESPONSE.windows(from.len()).position(|bytes| bytes == from.as_bytes()).unwrap();
        shown[1].text[place..place + 4].fill(b'x');
        let part = if class == Class::JsonText {
            Part::Json("xxxx".into())
        } else {
            Part::Header("xxxxcookie".into())
        };
        shown[1].hidden.push(Hidden {
            round: 0,
            part,
            class,
            ranges: vec![place..place + 4],
            claims: Vec::new(),
            commit: None,
            leaves: Vec::new(),
        });
        assert!(matches!(verdict(&shown), Err(Refusal::Part { .. })), "{from}");
    }
}

/// The filler after a revealed backslash is no JSON: the hidden part would begin inside of an escape.
#[test]
fn a_hidden_string_cannot_begin_inside_an_escape() {
    let mut shown = usual();
    let start = shown[1].hidden[0].ranges[0].start;
    shown[1].text[start] = b'\\';
    shown[1].hidden[0].ranges[0].start += 1;
    assert!(matches!(verdict(&shown), Err(Refusal::Part { .. })));
}

#[test]
fn messages_that_are_interrupted_or_have_no_counterpart_are_refused() {
    for [request, response] in [
        [&[REQUEST, REQUEST].concat()[..], RESPONSE],
        [REQUEST, &[RESPONSE, RESPONSE].concat()],
        [REQUEST, &RESPONSE[..RESPONSE.len() - 1]],
        [&REQUEST[..10], RESPONSE],
        [REQUEST, &[RESPONSE, b"x"].concat()],
        [b"", b""],
    ] {
        assert!(matches!(exchanges([request, response], true), Err(Refusal::Http { .. })));
    }
}

#[test]
fn a_response_is_the_last_one_if_it_says_so() {
    let says = |connection: &str| {
        let response = format!("HTTP/1.1 204 No\r\n{connection}\r\n");
        let exchanges = http::parse(REQUEST, response.as_bytes(), false).unwrap();
        exchanges[0].response.is_last(response.as_bytes())
    };
    assert!(says("Connection: close\r\n") && says("connection: TE, Close\r\n"));
    assert!(!says("") && !says("Connection: keep-alive\r\n") && !says("X: close\r\n"));
}
