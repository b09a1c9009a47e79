//! Statements as text for people and as JSON for programs.

use super::*;

#[test]
fn a_statement_shows_what_is_revealed_and_how_much_is_not() {
    let text = statement().to_string();
    for line in [
        "server    data.example.com",
        "port      8443",
        &format!("its cert  sha256:{}", "ce".repeat(32)),
        "context   nonce-1",
        "time      2026-05-28T20:26:40Z",
        "tls       1.3, AES_128_GCM_SHA256",
        "proved    request json balance, bytes 24..26 27..30: is a JSON number",
        "proved    response json balance, bytes 32..35: is a JSON number",
        "proved    response json balance: is a number of at least 5000",
        "query, 34 bytes",
        "    | GET / HTTP/1.1",
        "  bytes 24..30 hidden",
        "    | {\"balance\": 1",
        "  bytes 32..35 hidden",
        "  json balance, bytes 24..26 27..30: committed to",
        "  json balance, bytes 32..35: committed to as a number",
        &format!("    by {}", hex::encode(&point(3))),
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    let brief = Brief(&statement()).to_string();
    for line in [
        "proved    response json balance: is a number of at least 5000",
        "    | {\"balance\": 1<hidden>5}",
        "  json balance: committed to as a number",
    ] {
        assert!(brief.lines().any(|found| found == line), "{line}\n{brief}");
    }
    assert!(!brief.contains("bytes 24") && !brief.contains("by "), "{brief}");
    let mut marked = statement();
    marked.query = AttestedPayload::revealing(b"<hidden>\\x3c", from_ref(&(0..12))).unwrap();
    assert!(Brief(&marked).to_string().contains(r"| \x3chidden>\\x3c"), "{}", Brief(&marked));
    let mut second = Statement { rounds: 2, ..statement() };
    second.response.hidden[0].round = 1;
    assert!(second.to_string().contains("rounds    2 requests, each after the response to the one before"));
    let at_once =
        Statement { pipelined: true, mode: Mode::TwoParty, tls: TlsVersion::Tls12, ..second.clone() };
    assert!(at_once.to_string().contains("rounds    2 requests, sent at once"));
    let unnamed = "protocol  not named by the server";
    for (mode, alpn) in [(Mode::TwoParty, true), (Mode::Proxy, false), (Mode::TwoParty, false)] {
        let text = Statement { mode, alpn, tls: TlsVersion::Tls12, ..statement() }.to_string();
        assert_eq!(text.contains(unnamed), (mode, alpn) == (Mode::TwoParty, false));
    }
    assert!(second.to_string().contains("proved    response 2 json balance: is a number"));
    second.response.hidden[0].part = HiddenPart::Json(r#"["a\"]: \u202e"]"#.replace("\\u202e", "\u{202e}"));
    assert!(
        second.to_string().contains(r#"proved    response 2 json ["a\"]: \u{202e}"]: is a number"#),
        "{second}"
    );
    let evil = "\u{1b}[2J\u{202e}evil\u{7}\\";
    let mut statement = statement();
    statement.query = AttestedPayload::revealing(evil.as_bytes(), from_ref(&(0..evil.len()))).unwrap();
    assert!(statement.to_string().contains(r"| \u{1b}[2J\u{202e}evil\u{7}\\"));
    statement.query = AttestedPayload::revealing(b"\xff\0", from_ref(&(0..2))).unwrap();
    assert!(statement.to_string().contains(r"| \xff\0"));
    // One byte that is no text does not hide the rest of what is shown from who reads it.
    let mixed = b"a: \xe9\xff\\xe9 \xc3\xa9\r\nb\x1b";
    statement.query = AttestedPayload::revealing(mixed, from_ref(&(0..mixed.len()))).unwrap();
    let text = statement.to_string();
    assert!(text.contains("| a: \\xe9\\xff\\\\xe9 \u{e9}\n    | b\\u{1b}\n"), "{text}");
}

#[test]
fn programs_read_it_as_json() {
    let value = serde_json::to_value(statement()).unwrap();
    assert_eq!(value["mode"], "proxy");
    assert_eq!((&value["tls"], &value["suite"]), (&"1.3".into(), &"AES_128_GCM_SHA256".into()));
    assert_eq!(value["port"], 8443);
    assert_eq!(value["alpn"], true);
    assert_eq!(value["certificate"], "ce".repeat(32));
    assert_eq!(value["context"], "nonce-1");
    assert_eq!(value["time"], "2026-05-28T20:26:40Z");
    assert_eq!(value["rounds"], 1);
    assert_eq!(value["pipelined"], false);
    assert_eq!(value["query"]["revealed"][1]["start"], 30);
    assert_eq!(value["query"]["revealed"][1]["text"], "\r\n\r\n");
    let expected = serde_json::json!({
        "part": "json balance",
        "form": "number",
        "ranges": [{ "start": 32, "end": 35 }],
        "points": [hex::encode(&point(3))],
    });
    assert_eq!(value["response"]["commitments"][0], expected);
    let hidden = &value["response"]["hidden"][0];
    assert_eq!(hidden["round"], 0);
    assert_eq!((&hidden["part"], &hidden["class"]), (&"json balance".into(), &"json-number".into()));
    assert_eq!(hidden["ranges"][0], serde_json::json!({"start": 32, "end": 35}));
    assert_eq!(hidden["claims"][0]["at_least"], "5000");
    assert_eq!(hidden["commit"], "number");
    assert!(value["query"]["hidden"][1]["commit"].is_null());
    let bytes = Revealed { start: 0, bytes: vec![0xff] };
    assert_eq!(serde_json::to_string(&bytes).unwrap(), r#"{"start":0,"end":1,"hex":"ff"}"#);
}

/// The seconds are those that `date -u -d ... +%s` of GNU coreutils prints.
#[test]
fn times_are_those_of_the_calendar() {
    for (seconds, text) in [
        (0, "1970-01-01T00:00:00Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (951_868_799, "2000-02-29T23:59:59Z"),
        (951_868_800, "2000-03-01T00:00:00Z"),
        (1_735_689_599, "2024-12-31T23:59:59Z"),
        (4_107_542_399, "2100-02-28T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ] {
        assert_eq!(show::utc(seconds), text);
    }
}
