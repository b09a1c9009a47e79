//! Scripts: which requests are sent, and which are refused before.

use volery::web::disclosure::Redaction;
use volery::web::joint::RoundSizes;

use super::*;

fn page() -> Page {
    Page::parse("https://localhost/start").expect("sound")
}

fn first(method: &str) -> Template {
    let target = Zeroizing::new("/start".into());
    Template { method: method.into(), target, fields: Vec::new(), body: None }
}

fn script(method: &str, then: &[&str]) -> Result<Script, Failure> {
    scripted(method, then, Order::InTurn)
}

fn scripted(method: &str, then: &[&str], order: Order) -> Result<Script, Failure> {
    let then = then.iter().map(|text| Template::parse(text.as_bytes(), &[]).map_err(Failure::Input));
    let requests = core::iter::once(Ok(first(method))).chain(then).collect::<Result<Vec<_>, _>>()?;
    Script::new(page(), requests, order)
}

fn text(script: &Script, round: usize) -> Result<String, String> {
    let made = script.request(round, &ReceivedResponses::default())?;
    assert_eq!(made.len(), script.sizes[round]);
    Ok(String::from_utf8_lossy(&made).into_owned())
}

#[test]
fn files_say_method_target_fields_and_body() {
    let all = script("GET", &["GET /next", "PUT /a?b\nX: y\n\n{\"c\":\n\n1}\n"]).expect("sound");
    assert_eq!(
        text(&all, 2).expect("made"),
        "PUT /a?b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept-Encoding: identity\r\n\
         X: y\r\nContent-Length: 9\r\n\r\n{\"c\":\n\n1}"
    );
    assert!(text(&all, 0).expect("made").contains("Connection: keep-alive"));
    let next = text(&all, 1).expect("made");
    assert!(
        next.starts_with("GET /next ")
            && next.contains("Connection: keep-alive")
            && next.ends_with("\r\n\r\n")
    );
    for wrong in [
        "",
        "GET",
        "GET page",
        "get /",
        "TRACE /",
        "GET /\nno colon",
        "GET /\nHost: a",
        "GET /?_method=HEAD",
        "GET /\nX-HTTP-Method-Override: HEAD",
        "GET /\nExpect: 100-continue",
    ] {
        assert!(script("GET", &[wrong]).is_err(), "{wrong:?}");
    }
    assert!(script("GET", &["POST /\n\nbody", "GET /"]).is_err(), "a body before the last");
    assert!(script("GET", &["DELETE /\n\nbody"]).is_err(), "a body that not all servers read");
    assert!(script("HEAD", &["GET /"]).is_err() && script("GET", &["HEAD /"]).is_ok());
    assert!(script("GET", &["GET /"; MAX_ROUNDS]).is_err());
}

fn reveal(side: Side, round: usize, part: Part) -> MessagePart {
    MessagePart { side, round, part }
}

/// The notary would refuse such requests only after they were sent.
#[test]
fn what_cannot_be_hidden_is_refused_before_anything_is_sent() {
    let with_body = |method: &str| {
        let body = Some(Zeroizing::new(b"{\"a\":1}".to_vec()));
        Script::new(page(), vec![Template { body, ..first(method) }], Order::InTurn).expect("sound")
    };
    let refused = |script: &Script, selection: &Selection| script.check(selection).is_err();
    let revealing = |reveal: MessagePart| Selection { reveal: vec![reveal], ..Selection::default() };
    let hiding = |side, part| Selection { hide: vec![Redaction::new(side, part)], ..Selection::default() };
    for method in ["DELETE", "GET", "OPTIONS"] {
        let script = with_body(method);
        assert!(refused(&script, &Selection::default()), "{method}");
        assert!(refused(&script, &hiding(Side::Client, Part::Json("a".into()))), "{method}");
        assert!(!refused(&script, &revealing(reveal(Side::Client, 0, Part::Body))), "{method}");
    }
    for method in ["POST", "PUT", "PATCH"] {
        assert!(!refused(&with_body(method), &Selection::default()), "{method}");
    }
    // Fields that say how to read a message always show.
    let single = script("GET", &[]).expect("sound");
    for side in [Side::Client, Side::Server] {
        assert!(refused(&single, &hiding(side, Part::Header("Content-Type".into()))));
    }
    assert!(refused(&single, &hiding(Side::Client, Part::Header("X-Original-URL".into()))));
    assert!(!refused(&single, &hiding(Side::Server, Part::Header("X-Original-URL".into()))));
    // So do values that are taken from them, unless the user wants that.
    let taking = script("GET", &["GET /a?b={{response.header:Content-Type|30}}"]).expect("sound");
    let selection = Selection { taken: taking.taken().expect("sound"), ..Selection::default() };
    assert!(refused(&taking, &selection));
    let shown = reveal(Side::Server, 0, Part::Header("content-type".into()));
    assert!(!refused(&taking, &Selection { reveal: vec![shown], ..selection }));
}

#[test]
fn targets_that_would_be_hidden_are_not_sent_at_once() {
    let sent = |then: &[&str], at_once, selection: &Selection| {
        let order = if at_once { Order::AtOnce } else { Order::InTurn };
        scripted("GET", then, order).expect("sound").check(selection).is_ok()
    };
    let none = Selection::default();
    assert!(sent(&["GET /a?b", "GET /"], false, &none) && sent(&["GET /a", "GET /?b"], true, &none));
    assert!(!sent(&["GET /a?b", "GET /"], true, &none));
    let shown = Selection { reveal: vec![reveal(Side::Client, 1, Part::Query)], ..Selection::default() };
    assert!(sent(&["GET /a?b", "GET /"], true, &shown));
    // Also where a part of the shown query is hidden.
    for (part, sound) in [(Part::Parameter("b".into()), false), (Part::Header("Cookie".into()), true)] {
        let hide = vec![Redaction { round: 1, ..Redaction::new(Side::Client, part) }];
        let selection = Selection { hide, ..shown.clone() };
        assert_eq!(sent(&["GET /a?b=1", "GET /"], true, &selection), sound);
    }
    let hidden = Selection { hide: vec![Redaction::new(Side::Client, Part::Path)], ..Selection::default() };
    assert!(!sent(&["GET /"], true, &hidden) && sent(&["GET /"], false, &hidden));
}

#[test]
fn what_is_taken_from_a_response_is_hidden_there_and_in_a_path() {
    let taken = |text: &str| {
        let taken = script("GET", &[text]).and_then(|script| script.taken()).expect("sound");
        taken.iter().map(|MessagePart { round, part, .. }| format!("{round} {part}")).collect::<Vec<_>>()
    };
    assert_eq!(taken("GET /a?b={{response.json:a.b|3}}"), ["0 json a.b"]);
    assert_eq!(taken("GET /{{response.json:a[\"?\"]|3}}?b"), ["0 json a[\"?\"]", "1 path"]);
    let both = "GET /\nCookie: a={{response.cookie:a|3}}\nIf-Match: {{response.header:etag|9}}";
    assert_eq!(taken(both), ["0 header Set-Cookie", "0 header etag"]);
    assert!(taken("POST /\n\n{}").is_empty());
}

#[test]
fn responses_are_read_where_something_waits_for_them() {
    let reads = |script: &Script| -> Vec<usize> {
        let [connection] = &*script.connections() else { panic!("only one") };
        script
            .sizes(connection, (TlsVersion::Tls12, Suite::Aes128GcmSha256), 100, 7)
            .rounds
            .iter()
            .map(|round| round.read)
            .collect()
    };
    assert_eq!(reads(&script("GET", &["GET /", "GET /"]).expect("sound")), [164, 164, 0]);
    let at_once = |method: &str, then: &[&str]| reads(&scripted(method, then, Order::AtOnce).expect("sound"));
    assert_eq!(at_once("GET", &["GET /", "GET /"]), [0, 0, 0]);
    // The next request waits after one that may change something.
    assert_eq!(at_once("POST", &["GET /", "POST /"]), [164, 0, 0]);
    assert_eq!(at_once("GET", &["GET /", "GET /{{response.json:a|3}}"]), [164, 0, 0]);
    assert_eq!(at_once("GET", &["GET /", "GET /{{response2.json:a|3}}"]), [164, 164, 0]);
    assert!(script("GET", &["GET /{{response2.json:a|3}}"]).is_err(), "its own response");
}

#[test]
fn requests_apart_are_each_the_first_and_last_of_a_connection() {
    let then = ["POST /b\n\n{}", "HEAD /{{response.json:a|3}}", "GET /{{response2.json:a|3}}"];
    assert!(script("GET", &then).is_err(), "a body before the last");
    let apart = scripted("DELETE", &then, Order::Apart).expect("sound");
    let connections = apart.connections();
    assert_eq!(connections, [0..1, 1..2, 2..3, 3..4]);
    for (connection, size) in connections.iter().zip(&apart.sizes) {
        let rounds = vec![RoundSizes { query: *size, read: 0 }];
        let (tls, suite) = (TlsVersion::Tls12, Suite::Aes128GcmSha256);
        assert_eq!(apart.sizes(connection, (tls, suite), 100, 7), Sizes { tls, suite, rounds, proved: 7 });
    }
    assert!(text(&apart, 0).expect("made").contains("Connection: close"));
    assert!(apart.request(2, &ReceivedResponses::default()).is_err(), "nothing was heard");
    let mut heard = ReceivedResponses::default();
    let response = |body: &str| format!("HTTP/1.1 200 OK\r\n\r\n{body}");
    apart.hear(&(0..1), response("{\"a\":\"xy\"}").as_bytes(), &mut heard).expect("heard");
    let made = apart.request(2, &heard).expect("made");
    assert!(made.starts_with(b"HEAD /xy HTTP/1.1\r\n") && made.len() == apart.sizes[2]);
    apart.hear(&(1..2), response("{\"a\":3}").as_bytes(), &mut heard).expect("heard");
    apart.hear(&(2..3), b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", &mut heard).expect("no body");
    assert!(apart.request(3, &heard).expect("made").starts_with(b"GET /3 HTTP/1.1\r\n"));
    assert!(apart.hear(&(1..2), b"no response", &mut heard).is_err());
    // No request waits for the last response.
    assert!(apart.hear(&(3..4), b"no response", &mut heard).is_ok());
}

/// A value from the server may make a valid template invalid.
#[test]
fn requests_are_looked_at_with_their_values() {
    let apart = |then: &str| scripted("GET", &[then], Order::Apart).expect("sound");
    let made = |then: &str, value: &str| {
        let (script, mut heard) = (apart(then), ReceivedResponses::default());
        let response = format!("HTTP/1.1 200 OK\r\n\r\n{{\"a\":\"{value}\"}}");
        script.hear(&(0..1), response.as_bytes(), &mut heard).expect("heard");
        script.request(1, &heard).map(|_| ())
    };
    let form = "POST /\nContent-Type: application/x-www-form-urlencoded\n\nn={{response.json:a|40}}";
    for then in ["GET /?n={{response.json:a|40}}", form] {
        assert_eq!(made(then, "x"), Ok(()), "{then}");
        assert!(made(then, "x&_method=HEAD").is_err(), "{then}");
    }
    assert!(made("GET /{{response.json:a|40}}", "b#c").is_err());
}

#[test]
fn values_are_not_put_where_they_would_show() {
    let selection = |revealed: &[Part]| {
        let reveal = revealed.iter().map(|part| reveal(Side::Client, 1, part.clone())).collect();
        Selection { reveal, ..Selection::default() }
    };
    let hides = |then: &str, part: Part| {
        let hide = vec![Redaction { round: 1, ..Redaction::new(Side::Client, part) }];
        let selection = Selection { hide, ..Selection::default() };
        script("GET", &[then]).and_then(|script| script.check(&selection)).is_err()
    };
    let check = |then: &str, revealed: &[Part]| {
        script("GET", &[then]).and_then(|script| script.check(&selection(revealed))).is_ok()
    };
    let kind = Part::Header("content-type".into());
    let boundary = "POST /\nContent-Type: multipart/form-data; boundary={{response.json:a|9}}\n\nx";
    assert!(!check(boundary, &[]) && check(boundary, &[kind]));
    assert!(check("GET /\nCookie: {{response.json:a|9}}", &[]));
    assert!(!check("GET /\nX-{{response.json:a|9}}: b", &[]));
    let b = || Part::Json("b".into());
    let name = "POST /\n\n{\"a{{response.json:a|9}}\\\"\" : 1, \"b\": 2}";
    assert!(check(name, &[]) && !check(name, &[b()]) && !check(name, &[b(), Part::Path]));
    // A value that is hidden alone shows the names, too.
    assert!(hides(name, b()) && !hides(name, Part::Body));
    for value in ["\"{{response.json:a|9}}\"", "{{response.json:a|9}}", "[\"x{{response.json:a|9}}\", 1]"] {
        assert!(check(&format!("POST /\n\n{{\"a\": {value}, \"b\": 2}}"), &[b()]), "{value}");
    }
}

/// The names of parameters show where one of them is named.
#[test]
fn values_are_no_names_of_parameters_that_show() {
    let target = "GET /?a={{response.json:a|9}}&b=1&{{response.json:a|9}}=2";
    for (then, sound) in [
        (target, false),
        ("GET /?{{response.json:a|9}}&b=1", false),
        ("GET /?a={{response.json:a|9}}&b=1", true),
    ] {
        let script = script("GET", &[then]).expect("sound");
        let part = Part::Parameter("b".into());
        let revealed =
            Selection { reveal: vec![reveal(Side::Client, 1, part.clone())], ..Selection::default() };
        let hidden = Redaction { round: 1, ..Redaction::new(Side::Client, part) };
        let hidden = Selection { hide: vec![hidden], ..Selection::default() };
        assert!(script.check(&Selection::default()).is_ok(), "{then}");
        assert_eq!(script.check(&revealed).is_ok(), sound, "{then}");
        assert_eq!(script.check(&hidden).is_ok(), sound, "{then}");
    }
    let script = script("GET", &["GET /?a={{response.json:a|9}}&b=1"]).expect("sound");
    let made = |value: &str| {
        let mut heard = ReceivedResponses::default();
        let response =
            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{{\"a\":\"{value}\"}}", value.len() + 8);
        heard.add(response.as_bytes(), false).expect("heard");
        script.check_query_names(1, &script.request(1, &heard).expect("made"))
    };
    assert_eq!(made("x=y?z"), Ok(()));
    assert!(made("x&secret").is_err() && made("x;secret").is_err());
    // The same of all requests on a connection, if a parameter is named.
    let part = Part::Parameter("b".into());
    let named = Selection { reveal: vec![reveal(Side::Client, 1, part)], ..Selection::default() };
    let all = |value: &str| {
        let mut heard = ReceivedResponses::default();
        let body = format!("{{\"a\":\"{value}\"}}");
        let response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        heard.add(response.as_bytes(), false).expect("heard");
        [0, 1].map(|round| script.request(round, &heard).expect("made").to_vec()).concat()
    };
    assert!(script.made_names(&(0..2), &named, &all("x=y")).is_ok());
    assert!(script.made_names(&(0..2), &named, &all("x&y")).is_err());
    assert!(script.made_names(&(0..2), &Selection::default(), &all("x&y")).is_ok());
}

#[test]
fn only_what_a_later_request_takes_from_is_kept() {
    let apart = scripted("GET", &["GET /", "GET /{{response2.json:a|3}}"], Order::Apart).expect("sound");
    let mut heard = ReceivedResponses::default();
    apart.hear(&(0..1), b"HTTP/1.1 200 OK\r\n\r\n{\"a\":1}", &mut heard).expect("heard");
    apart.hear(&(1..2), b"HTTP/1.1 200 OK\r\n\r\n{\"a\":2}", &mut heard).expect("heard");
    assert!(!heard.text().windows(7).any(|part| part == b"{\"a\":1}"));
    assert!(apart.request(2, &heard).expect("made").starts_with(b"GET /2 "));
}

#[test]
fn selections_of_requests_that_do_not_exist_are_refused() {
    let script = script("GET", &["GET /"]).expect("sound");
    for round in [1, 2] {
        for side in [Side::Client, Side::Server] {
            let shown = Selection { reveal: vec![reveal(side, round, Part::Body)], ..Selection::default() };
            assert_eq!(script.check(&shown).is_ok(), round == 1);
            let hide = Redaction { round, ..Redaction::new(side, Part::Json("a".into())) };
            let selection = Selection { hide: vec![hide], ..Selection::default() };
            let refused = script.check(&selection).err().map(|refused| refused.to_string());
            assert_eq!(refused.is_some_and(|text| text.contains("there are 2 requests")), round == 2);
        }
    }
}
