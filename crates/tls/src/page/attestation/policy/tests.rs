//! Policies against attestations of connections as V accepts them.

use core::ops::Range;

use super::*;
use crate::page::attestation::{AttestedPayload, Context, SigningKey, key_id};
use crate::page::claim::{Assertion, Class};
use crate::page::disclosure::{Hidden, Part, Suite, TlsVersion};

/// 2026-05-28T20:26:40Z.
const TIME: u64 = 1_780_000_000;

const REQUEST: &[u8] = b"GET /accounts/7?id=5 HTTP/1.1\r\nHost: bank.example\r\n\r\n";
const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 47\r\n\r\n\
                          {\"balance\": 11111, \"currency\": \"EUR\", \"x\": 123}";

fn signing(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

fn hex(seed: u8) -> String {
    volery_channel::hex::encode(&signing(seed).verifying_key().to_bytes())
}

fn place(text: &[u8], part: &[u8]) -> Range<usize> {
    let start = text.windows(part.len()).position(|bytes| bytes == part).unwrap();
    start..start + part.len()
}

/// A direction with one hidden string.
fn payload(text: &[u8], range: Range<usize>, hidden: Hidden) -> AttestedPayload {
    let shown = AttestedPayload::revealing(text, &[0..range.start, range.end..text.len()]).unwrap();
    AttestedPayload { hidden: vec![hidden], ..shown }
}

fn statement() -> Statement {
    let all = 0..REQUEST.len();
    let balance = place(RESPONSE, b"11111");
    let hidden = Hidden {
        round: 0,
        part: Part::Json("balance".into()),
        class: Class::Number,
        ranges: vec![balance.clone()],
        claims: vec!["in 5000..9999".parse().unwrap()],
        commit: None,
        leaves: Vec::new(),
    };
    Statement {
        mode: Mode::TwoParty,
        tls: TlsVersion::Tls12,
        suite: Suite::Aes128GcmSha256,
        server_name: "bank.example".into(),
        port: 443,
        alpn: true,
        certificate: [7; 32],
        time: TIME,
        rounds: 1,
        pipelined: false,
        context: Context::new(b"nonce").unwrap(),
        holder: None,
        query: AttestedPayload::revealing(REQUEST, &[all]).unwrap(),
        response: payload(RESPONSE, balance, hidden),
    }
}

/// The statement with this part of the request hidden.
fn hiding(part: Part, class: Class, text: &[u8]) -> Statement {
    let range = place(REQUEST, text);
    let hidden = Hidden {
        round: 0,
        part,
        class,
        ranges: vec![range.clone()],
        claims: Vec::new(),
        commit: None,
        leaves: Vec::new(),
    };
    Statement { query: payload(REQUEST, range, hidden), ..statement() }
}

fn sign(statement: Statement, seed: u8) -> Attestation {
    Attestation::sign(statement, &signing(seed)).unwrap()
}

/// A policy with two notaries, the first of which had two keys one after another.
fn text(more: &str) -> String {
    // A policy that allows any words names none.
    let query = if more.contains("allow_hidden_words") { "" } else { "\"query\": \"id=*\", " };
    format!(
        "{{\"version\": 1, \"host\": \"bank.example\", \"path\": \"/accounts/*\", {query}\"notaries\": [\
         {{\"name\": \"one\", \"keys\": [{{\"key\": \"{}\", \"until\": \"2026-01-01\"}}, {{\"key\": \"{}\", \"id\": \"{}\", \"from\": \"2026-01-01\"}}]}}, \
         {{\"name\": \"two\", \"keys\": [{{\"key\": \"{}\"}}]}}]{more}}}",
        hex(1),
        hex(2),
        key_id(&signing(2).verifying_key().to_bytes()),
        hex(3),
    )
}

fn policy(more: &str) -> Policy {
    Policy::from_json(text(more).as_bytes()).unwrap()
}

fn failed(policy: &Policy, all: &[Attestation]) -> Option<Rule> {
    policy.check(all, TIME + 100).err().map(|failure| failure.rule)
}

#[test]
fn each_rule_is_looked_at() {
    let one = |statement| [sign(statement, 2)];
    let all = ", \"claims\": [\"response.json:balance >= 1000\", \"response.json:currency = EUR\", \"request.query.id > 4\"], \
               \"shows\": [\"response.json:currency\", \"request.query\"], \"max_age\": 100, \"context\": \"nonce\", \"tls\": [\"1.2\"]";
    assert_eq!(policy(all).check(&one(statement()), TIME + 100), Ok(vec!["one".to_owned()]));
    let proxy = Statement { mode: Mode::Proxy, ..statement() };
    for (rule, more, statement) in [
        (Rule::Mode, "", proxy.clone()),
        (Rule::Tls, ", \"tls\": [\"1.2\"]", Statement { tls: TlsVersion::Tls13, ..statement() }),
        (Rule::Tls, ", \"tls\": [\"1.3\"]", statement()),
        (
            Rule::Tls,
            ", \"tls\": [\"1.2\"], \"modes\": [\"proxy\"]",
            Statement { tls: TlsVersion::Tls13, ..proxy },
        ),
        (Rule::Host, "", Statement { server_name: "bank.example.org".into(), ..statement() }),
        (Rule::Port, "", Statement { port: 8443, ..statement() }),
        (Rule::Protocol, "", Statement { alpn: false, ..statement() }),
        (Rule::Age, ", \"max_age\": 99", statement()),
        (Rule::Age, "", Statement { time: TIME + 401, ..statement() }),
        (Rule::Context, ", \"context\": \"other\"", statement()),
        (Rule::Context, ", \"context\": \"nonce\"", Statement { context: Context::default(), ..statement() }),
        (Rule::Rounds, "", Statement { rounds: 2, ..statement() }),
        (Rule::Rounds, ", \"max_rounds\": 2", Statement { rounds: 2, pipelined: true, ..statement() }),
        (Rule::Method, ", \"method\": \"POST\"", statement()),
        (Rule::Path, "", hiding(Part::Path, Class::Path, b"accounts/7")),
        (Rule::Status, ", \"status\": 404", statement()),
        (Rule::HiddenWords, "", hiding(Part::Query, Class::Query, b"id=5")),
        (Rule::HiddenWords, "", hiding(Part::Parameter("id".into()), Class::Parameter, b"5")),
        (Rule::Claims, ", \"claims\": [\"response.json:balance >= 5001\"]", statement()),
        (Rule::Claims, ", \"claims\": [\"response.json:currency = USD\"]", statement()),
        (Rule::Claims, ", \"claims\": [\"response.json:other = 5\"]", statement()),
        (Rule::Claims, ", \"claims\": [\"response2.json:balance >= 1\"]", statement()),
        (Rule::Shows, ", \"shows\": [\"response.json:balance\"]", statement()),
        (Rule::Shows, ", \"shows\": [\"response.json:y\"]", statement()),
        (Rule::AtLeast, ", \"at_least\": 2", statement()),
    ] {
        assert_eq!(failed(&policy(more), &one(statement)), Some(rule), "{more}");
    }
    assert_eq!(failed(&policy(""), &[]), Some(Rule::AtLeast));
    // What is allowed when it is said.
    let words = policy(", \"allow_hidden_words\": true");
    assert_eq!(failed(&words, &one(hiding(Part::Query, Class::Query, b"id=5"))), None);
    let unnamed = || Statement { alpn: false, ..statement() };
    assert_eq!(failed(&policy(", \"allow_no_alpn\": true"), &one(unnamed())), None);
    // In proxy mode the notary chose the port.
    let relayed = one(Statement { mode: Mode::Proxy, ..unnamed() });
    assert_eq!(failed(&policy(", \"modes\": [\"proxy\"]"), &relayed), None);
    // A hidden path is none that a pattern describes.
    let hidden = one(hiding(Part::Path, Class::Path, b"accounts/7"));
    assert_eq!(
        failed(&Policy { path: "**".into(), query: None, ..words.clone() }, &hidden),
        Some(Rule::Path)
    );
    // The path is still demanded.
    let any = Policy { path: "/other".into(), ..policy("") };
    assert_eq!(failed(&any, &one(statement())), Some(Rule::Path));
}

/// A field after the body is found under its own name, in whatever case, and never as a field of the head.
#[test]
fn a_trailer_is_demanded_as_one() {
    let text: &[u8] =
        b"HTTP/1.1 200 OK\r\nTrailer: Checksum, Grpc-Status\r\nTransfer-Encoding: chunked\r\n\r\n\
                        2\r\n{}\r\n0\r\nChecksum: 5f\r\nGrpc-Status: 0\r\n\r\n";
    let range = place(text, b"5f");
    let hidden = Hidden {
        round: 0,
        part: Part::Trailer("Checksum".into()),
        class: Class::HeaderValue,
        ranges: vec![range.clone()],
        claims: vec!["= 5f".parse().unwrap()],
        commit: None,
        leaves: Vec::new(),
    };
    let one = [sign(Statement { response: payload(text, range, hidden), ..statement() }, 2)];
    let sound =
        ", \"claims\": [\"response.trailer:checksum = 5f\"], \"shows\": [\"response.trailer:grpc-status\"]";
    assert_eq!(failed(&policy(sound), &one), None);
    for claim in
        ["response.trailer:checksum = 5e", "response.header:Checksum = 5f", "response.trailer:Other = 5f"]
    {
        assert_eq!(
            failed(&policy(&format!(", \"claims\": [\"{claim}\"]")), &one),
            Some(Rule::Claims),
            "{claim}"
        );
    }
    let shows = policy(", \"shows\": [\"response.trailer:Checksum\"]");
    assert_eq!(failed(&shows, &one), Some(Rule::Shows));
}

/// A hidden string under a name that the text does not have it at is no part.
#[test]
fn a_statement_that_no_notary_would_sign_is_not_believed() {
    let mut wrong = statement();
    wrong.response.hidden[0].part = Part::Json("x".into());
    let demands = policy(", \"claims\": [\"response.json:x >= 1000\"]");
    assert_eq!(failed(&demands, &[sign(wrong, 2)]), Some(Rule::Messages));
    let rounds = Statement { rounds: 2, ..statement() };
    assert_eq!(failed(&policy(", \"max_rounds\": 2"), &[sign(rounds, 2)]), Some(Rule::Messages));
    let mut long = statement();
    long.response.length = 1 << 47;
    assert_eq!(failed(&policy(""), &[sign(long, 2)]), Some(Rule::Messages));
}

#[test]
fn a_key_signs_for_its_notary_in_its_time() {
    let policy = policy("");
    let at = |time, seed| failed(&policy, &[sign(Statement { time, ..statement() }, seed)]);
    // The second that the year begins.
    let year = 1_767_225_600;
    assert_eq!([at(year - 1, 1), at(year, 2), at(year, 3), at(0, 3)], [None; 4]);
    assert_eq!([at(year, 1), at(year - 1, 2), at(year, 4)], [Some(Rule::Notaries); 3]);
    // The key is named, but another signed.
    let mut forged = sign(statement(), 2).to_bytes();
    let last = forged.len() - 1;
    forged[last] ^= 1;
    assert_eq!(failed(&policy, &[Attestation::from_bytes(&forged).unwrap()]), Some(Rule::Notaries));
}

#[test]
fn several_notaries_attest_the_same() {
    let two =
        policy(", \"at_least\": 2, \"shows\": [\"response.json:currency\"], \"allow_hidden_words\": true");
    let both = |other: Statement| failed(&two, &[sign(statement(), 2), sign(other, 3)]);
    // Each has a connection of its own.
    assert_eq!(both(Statement { time: TIME + 5, certificate: [8; 32], ..statement() }), None);
    let mut poorer = statement();
    poorer.response.hidden[0].claims = vec!["in 1..2".parse::<Assertion>().unwrap()];
    assert_eq!(both(poorer.clone()), None);
    let claims = Policy { claims: vec!["response.json:balance >= 5".parse().unwrap()], ..two.clone() };
    assert_eq!(failed(&claims, &[sign(statement(), 2), sign(poorer, 3)]), Some(Rule::Claims));
    // One of them twice, or about something else.
    let again = [sign(statement(), 2), sign(Statement { time: TIME + 1, ..statement() }, 2)];
    assert_eq!(failed(&two, &again), Some(Rule::AtLeast));
    assert_eq!(both(Statement { context: Context::default(), ..statement() }), Some(Rule::Same));
    assert_eq!(both(hiding(Part::Query, Class::Query, b"id=5")), Some(Rule::Same));
    let (mut other, place) = (statement(), place(RESPONSE, b"EUR").start as u64);
    for revealed in &mut other.response.revealed {
        if let Some(byte) =
            place.checked_sub(revealed.start).and_then(|at| revealed.bytes.get_mut(at as usize))
        {
            *byte = b'X';
        }
    }
    assert_eq!(both(other), Some(Rule::Same));
    let failure = two.check(&[sign(statement(), 2), sign(statement(), 4)], TIME).unwrap_err();
    assert_eq!((failure.rule, failure.attestation), (Rule::Notaries, Some(1)));
}

#[test]
fn policies_that_say_nothing_clear_are_refused() {
    assert!(Policy::from_json(text("").as_bytes()).is_ok());
    for more in [
        ", \"hosts\": 1",
        ", \"host\": \"other.example\"",
        ", \"at_least\": 3",
        ", \"at_least\": 0",
        ", \"claims\": [\"response.json:a\"]",
        ", \"claims\": [\"response.json:a[*] = 1\"]",
        ", \"claims\": [\"reply.json:a = 1\"]",
        ", \"claims\": [\"response.json:a in 9..1\"]",
        ", \"shows\": [\"response.json:a[*]\"]",
        ", \"shows\": [\"response.json\"]",
        ", \"modes\": []",
        ", \"modes\": [\"other\"]",
        ", \"tls\": [\"1.1\"]",
        ", \"tls\": []",
        ", \"max_rounds\": 0",
        ", \"max_age\": -1",
        ", \"context\": \"\"",
        ", \"context\": \"hex:0\"",
    ] {
        assert!(Policy::from_json(text(more).as_bytes()).is_err(), "{more}");
    }
    let sound = text("");
    for (from, to) in [
        ("\"version\": 1", "\"version\": 2"),
        ("bank.example", "Bank.example"),
        ("/accounts/*", "/accounts?*"),
        ("/accounts/*", "accounts"),
        ("\"two\"", "\"one\""),
        ("\"two\"", "\"\""),
        (&hex(3), &hex(2)),
        (&hex(3), "00"),
        ("\"until\": \"2026-01-01\"", "\"until\": \"2026-13-01\""),
        ("\"until\": \"2026-01-01\"", "\"until\": \"2026-01-01\", \"from\": \"2026-01-01\""),
        ("\"id\": \"", "\"id\": \"0"),
        ("\"until\"", "\"til\""),
        ("\"name\": \"two\"", "\"name\": \"two\", \"key\": 1"),
    ] {
        assert!(sound.contains(from), "{from}");
        assert!(Policy::from_json(sound.replacen(from, to, 1).as_bytes()).is_err(), "{to}");
    }
    for text in ["", "[]", "{}", "{\"version\": 1}"] {
        assert!(Policy::from_json(text.as_bytes()).is_err(), "{text}");
    }
}

/// P writes queries, bodies and header fields, and what their reader has not thought of satisfies no policy.
#[test]
fn forgery_words_of_the_prover_s_satisfy_no_policy_that_does_not_name_them() {
    let asking = |text: &str| {
        let all = 0..text.len();
        let query = AttestedPayload::revealing(text.as_bytes(), &[all]).unwrap();
        [sign(Statement { query, ..statement() }, 2)]
    };
    let echo = "GET /accounts/7?id=5&fields=limit%20as%20balance HTTP/1.1\r\nHost: bank.example\r\n\r\n";
    assert_eq!(failed(&policy(""), &asking(echo)), Some(Rule::Query));
    assert_eq!(failed(&policy(", \"allow_hidden_words\": true"), &asking(echo)), None);
    let plain = text("").replace("\"query\": \"id=*\", ", "");
    let plain = |more: &str| {
        Policy::from_json(plain.replace("\"version\"", &format!("{more}\"version\"")).as_bytes())
    };
    assert_eq!(failed(&plain("").unwrap(), &[sign(statement(), 2)]), Some(Rule::Query));
    for none in ["GET /accounts/7 HTTP", "GET /accounts/7? HTTP"] {
        let text = format!("{none}/1.1\r\nHost: bank.example\r\n\r\n");
        assert_eq!(failed(&plain("").unwrap(), &asking(&text)), None);
    }
    let given = plain("\"query\": \"id=*\", \"allow_hidden_words\": true, ").unwrap();
    let parameter = [sign(hiding(Part::Parameter("id".into()), Class::Parameter, b"5"), 2)];
    assert_eq!(failed(&given, &parameter), None);
    // The filler is not what was sent.
    let filler = Policy { query: Some("id=x".into()), ..given.clone() };
    assert_eq!(failed(&filler, &parameter), Some(Rule::Query));
    // A query that is hidden as a whole may have any parameters, so it has no form.
    for query in ["id=*", "*"] {
        let given = Policy { query: Some(query.into()), ..given.clone() };
        let hidden = hiding(Part::Query, Class::Query, b"id=5");
        assert_eq!(failed(&given, &[sign(hidden, 2)]), Some(Rule::Query), "{query}");
    }
    assert!(plain("\"query\": \"a b\", ").is_err());
    let body = "GET /accounts/7?id=5 HTTP/1.1\r\nHost: bank.example\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(failed(&policy(""), &asking(body)), Some(Rule::Body));
    assert_eq!(failed(&policy(", \"allow_hidden_words\": true"), &asking(body)), None);
    for (claim, rule) in [
        ("request.body = {}", None),
        ("request.body = []", Some(Rule::Claims)),
        ("request.header:Content-Length = 2", Some(Rule::Body)),
    ] {
        assert_eq!(failed(&policy(&format!(", \"claims\": [\"{claim}\"]")), &asking(body)), rule, "{claim}");
    }
    let field =
        "GET /accounts/7?id=5 HTTP/1.1\r\nHost: bank.example\r\nAccept: */*\r\nX-Original-URL: /echo\r\n\r\n";
    assert_eq!(failed(&policy(""), &asking(field)), Some(Rule::Fields));
    assert_eq!(failed(&policy(", \"allow_hidden_words\": true"), &asking(field)), Some(Rule::Fields));
    let named =
        |more: &str| failed(&policy(&format!(", \"fields\": [\"x-original-url\"]{more}")), &asking(field));
    assert_eq!(named(""), None);
    for (value, rule) in [("/echo", None), ("/other", Some(Rule::Claims))] {
        let claim = format!(", \"claims\": [\"request.header:X-Original-URL = {value}\"]");
        assert_eq!(named(&claim), rule, "{value}");
    }
    let [attestation] = asking(field);
    let (statement, fields) =
        (attestation.verify(attestation.claimed_signer()).unwrap(), [(0, "X-Original-URL".into())]);
    assert_eq!(statement.unknown_fields(), fields);
}

#[test]
fn a_sentence_says_what_was_asked_and_what_is_shown_and_claimed() {
    assert_eq!(
        statement().summary(),
        [
            "https://bank.example/accounts/7?id=5, 200, at 2026-05-28T20:26:40Z: currency = \"EUR\", x = 123, balance is from 5000 to 9999 (hidden)"
        ]
    );
    let hidden = hiding(Part::Query, Class::Query, b"id=5").summary().remove(0);
    assert!(hidden.starts_with("https://bank.example/accounts/7?<hidden>, 200, "), "{hidden}");
    // A text cannot pass for a claim, nor for the mark of a hidden part.
    let mut evil = statement();
    let text = b"GET /accounts/7?<hidden> HTTP/1.1\r\nHost: bank.example\r\n\r\n";
    let all = 0..text.len();
    evil.query = AttestedPayload::revealing(text, &[all]).unwrap();
    let evil = evil.summary().remove(0);
    assert!(evil.contains("?%3Chidden>, 200"), "{evil}");
    // Neither a string nor a name seems to end within.
    let body = r#"{"a\"] = 1, b": "c\", balance is at least 5000 (hidden), d = \"e"}"#;
    let text = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let all = 0..text.len();
    let response = AttestedPayload::revealing(text.as_bytes(), &[all]).unwrap();
    let quoted = Statement { response, ..statement() }.summary().remove(0);
    let end = r#": ["a\"] = 1, b"] = "c\", balance is at least 5000 (hidden), d = \"e""#;
    assert!(quoted.ends_with(end), "{quoted}");
    // What cannot be read is not made up.
    let unread = Statement { query: AttestedPayload::default(), ..statement() };
    assert_eq!(unread.summary(), ["https://bank.example, at 2026-05-28T20:26:40Z"]);
}
