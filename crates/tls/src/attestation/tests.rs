//! One statement, one encoding, one signer; and what is shown is safe to show.

use core::ops::Range;
use core::slice::from_ref;

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::scalar::Scalar;
use proptest::prelude::*;
use sha2::Digest;

use super::*;
use crate::commitment::Form;
use crate::testing::hex;

/// Of [`key`], as OpenSSL 3.0 derives it (`openssl pkey -pubout`).
const PUBLIC: &str = "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c";

/// SHA-256 of [`statement`]'s file.
const PINNED: &str = "77f3a6623d831a76ccbe0613951148d53c0ba675549f6224668655540e7accd2";

fn point(number: u64) -> [u8; 32] {
    (RISTRETTO_BASEPOINT_POINT * Scalar::from(number)).compress().to_bytes()
}

fn committed(form: Form, ranges: &[Range<u64>], points: &[u64]) -> Committed {
    let points = points.iter().map(|number| point(*number)).collect();
    Committed { part: "json balance".into(), form, ranges: ranges.to_vec(), points }
}

fn number(range: Range<u64>, point: u64) -> Committed {
    committed(Form::Number, &[range], &[point])
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn statement() -> Statement {
    let mut query = Part::revealing(b"GET / HTTP/1.1\r\nCookie: secret\r\n\r\n", &[0..24, 30..34]).unwrap();
    query.commitments = vec![committed(Form::Bytes, &[24..26, 27..30], &[1])];
    let mut response =
        Part::revealing(b"HTTP/1.1 200 OK\r\n\r\n{\"balance\": 12345}", &[0..32, 35..37]).unwrap();
    response.commitments = vec![number(32..35, 3)];
    Statement {
        mode: Mode::Proxy,
        server_name: "data.example.com".into(),
        time: 1_780_000_000,
        query,
        response,
        claims: vec!["balance >= 10000".into()],
    }
}

#[test]
fn what_is_signed_is_what_is_read() {
    let signed = Attestation::sign(statement(), &key()).unwrap();
    let read = Attestation::from_bytes(&signed.to_bytes()).unwrap();
    assert_eq!(read, signed);
    assert_eq!(read.verify(&key().verifying_key().to_bytes()), Ok(&statement()));
}

/// Version 2's bytes. The whole file was also made by hand: encoded by a few lines of Python, with the multiples of the generator
/// of RFC 9496, appendix A.1, and signed by OpenSSL 3.0 (`openssl pkeyutl -sign -rawin`); the hash is of that file.
#[test]
fn the_format_is_pinned() {
    let bytes = Attestation::sign(statement(), &key()).unwrap().to_bytes();
    assert_eq!(show::hex(&sha2::Sha256::digest(&bytes)), PINNED);
    let small =
        Statement { query: Part::default(), response: Part::default(), claims: Vec::new(), ..statement() };
    let bytes = Attestation::sign(small, &key()).unwrap().to_bytes();
    let expected = [
        b"volery attestation\n\0\x02\0\0\0\0\x10data.example.com".to_vec(),
        1_780_000_000_u64.to_be_bytes().to_vec(),
        vec![0; 2 * 16 + 4],
        hex(PUBLIC),
    ];
    assert_eq!(bytes[..bytes.len() - 64], expected.concat());
}

#[test]
fn every_changed_byte_is_refused() {
    let signer = key().verifying_key().to_bytes();
    let bytes = Attestation::sign(statement(), &key()).unwrap().to_bytes();
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            let believed =
                Attestation::from_bytes(&changed).and_then(|file| file.verify(&signer).map(|_| ()));
            assert!(believed.is_err(), "byte {at}");
        }
    }
    for end in 0..bytes.len() {
        assert!(matches!(Attestation::from_bytes(&bytes[..end]), Err(Error::Malformed(_))), "{end}");
    }
    let longer = [&*bytes, &[0]].concat();
    assert_eq!(Attestation::from_bytes(&longer), Err(Error::Malformed("1 bytes too many".into())));
}

#[test]
fn only_the_trusted_key_is_believed() {
    let signed = Attestation::sign(statement(), &key()).unwrap();
    let other = SigningKey::from_bytes(&[8; 32]).verifying_key().to_bytes();
    assert!(matches!(signed.verify(&other), Err(Error::Signer { .. })));
    // A file that names another key than the one that signed.
    let mut bytes = signed.to_bytes();
    let at = bytes.len() - 96;
    bytes[at..at + 32].copy_from_slice(&other);
    assert_eq!(Attestation::from_bytes(&bytes).unwrap().verify(&other), Err(Error::Signature));
    // The neutral element, under which R = s * B fits every message.
    let mut weak = [0; 32];
    weak[0] = 1;
    bytes[at..at + 32].copy_from_slice(&weak);
    assert_eq!(Attestation::from_bytes(&bytes).unwrap().verify(&weak), Err(Error::Key));
}

/// A signature with the group's order added to its scalar is a second encoding of it.
#[test]
fn a_signatures_second_encoding_is_refused() {
    let order = hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let mut bytes = Attestation::sign(statement(), &key()).unwrap().to_bytes();
    let (at, mut carry) = (bytes.len() - 32, 0);
    for (byte, add) in bytes[at..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        *byte = sum as u8;
        carry = sum >> 8;
    }
    let file = Attestation::from_bytes(&bytes).unwrap();
    assert_eq!(file.verify(&key().verifying_key().to_bytes()), Err(Error::Signature));
}

#[test]
fn statements_that_break_a_rule_are_neither_signed_nor_read() {
    let shown = |start: u64, bytes: &[u8]| Revealed { start, bytes: bytes.to_vec() };
    type Break = fn(&mut Statement);
    let breaks: [(&str, Break); 13] = [
        ("query", |s| s.query.length = u64::MAX),
        ("server name", |s| s.server_name = "Data.example.com".into()),
        ("server name", |s| s.server_name = "data.example.com.".into()),
        ("server name", |s| s.server_name = "2001:DB8::1".into()),
        ("time", |s| s.time = 253_402_300_800),
        ("claims", |s| s.claims.push(String::new())),
        ("claims", |s| s.claims.push("a\u{1b}[2J".into())),
        ("claims", |s| s.claims.push("x".repeat(MAX_CLAIM + 1))),
        ("claims", |s| s.claims = vec!["x".into(); MAX_ENTRIES + 1]),
        ("query", |s| s.query.length = 33),
        ("query", |s| s.query.revealed.reverse()),
        ("response", |s| s.response.commitments[0].part = String::new()),
        ("response", |s| s.response.commitments[0].part = "json a\n".into()),
    ];
    let mut broken: Vec<(&str, Statement)> = Vec::new();
    for (what, change) in breaks {
        let mut changed = statement();
        change(&mut changed);
        broken.push((what, changed));
    }
    for revealed in [
        vec![shown(0, b"")],
        vec![shown(0, b"ab"), shown(2, b"c")],
        vec![shown(0, b"ab"), shown(1, b"c")],
        vec![shown(33, b"ab")],
        vec![shown(u64::MAX, b"ab")],
    ] {
        broken.push(("query", Statement { query: Part { revealed, ..statement().query }, ..statement() }));
    }
    let bytes = |ranges: &[Range<u64>], points: &[u64]| committed(Form::Bytes, ranges, points);
    let no_point = Committed { points: vec![[0xff; 32]], ..number(24..25, 1) };
    #[allow(clippy::reversed_empty_ranges)]
    for commitments in [
        vec![bytes(&[], &[])],
        vec![bytes(&[25..25], &[])],
        vec![bytes(&[26..25], &[1])],
        vec![bytes(&[24..u64::MAX], &[1])],
        vec![bytes(&[24..35], &[1])],
        // Bytes that are shown.
        vec![bytes(&[23..25], &[1])],
        vec![bytes(&[24..31], &[1])],
        // Out of order, touching, twice.
        vec![bytes(&[26..27, 24..25], &[1])],
        vec![bytes(&[24..25, 25..26], &[1])],
        vec![number(26..27, 1), number(24..25, 2)],
        vec![number(24..27, 1), number(26..28, 2)],
        vec![number(24..25, 1), number(24..25, 1)],
        // Other numbers of points than values.
        vec![bytes(&[24..26], &[])],
        vec![bytes(&[24..26], &[1, 2])],
        vec![committed(Form::Number, &[24..26], &[1, 2])],
        vec![no_point],
    ] {
        broken.push(("query", Statement { query: Part { commitments, ..statement().query }, ..statement() }));
    }
    let long = |length, form, points| Part {
        length,
        revealed: Vec::new(),
        commitments: vec![Committed { points: vec![point(1); points], ..committed(form, &[0..length], &[]) }],
    };
    for query in [long(19, Form::Number, 1), long(32, Form::Bytes, 2)] {
        assert!(Attestation::sign(Statement { query, ..statement() }, &key()).is_ok());
    }
    for part in [long(20, Form::Number, 1), long(32, Form::Bytes, 1), long(31, Form::Bytes, 2)] {
        broken.push(("query", Statement { query: part, ..statement() }));
    }
    for (expected, statement) in broken {
        let found = Attestation::sign(statement.clone(), &key());
        assert!(matches!(found, Err(Error::Statement { what, .. }) if what == expected), "{found:?}");
        let bytes = [codec::signed(&statement, &[0; 32]), vec![0; 64]].concat();
        // A list that is too long is refused before it is read.
        if statement.claims.len() <= MAX_ENTRIES {
            let found = Attestation::from_bytes(&bytes);
            assert!(matches!(found, Err(Error::Statement { what, .. }) if what == expected), "{found:?}");
        } else {
            assert!(matches!(Attestation::from_bytes(&bytes), Err(Error::Malformed(_))));
        }
    }
}

#[test]
fn other_versions_and_files_are_named() {
    let mut bytes = Attestation::sign(statement(), &key()).unwrap().to_bytes();
    bytes[20] = 1;
    assert_eq!(Attestation::from_bytes(&bytes), Err(Error::Version(1)));
    let result = Attestation::from_bytes(b"-----BEGIN CERTIFICATE-----");
    assert!(matches!(result, Err(Error::Malformed(reason)) if reason.contains("first line")));
    assert!(matches!(Attestation::from_bytes(&vec![0; MAX_BYTES + 1]), Err(Error::Malformed(_))));
}

#[test]
fn ranges_to_reveal_are_put_in_order() {
    let part = Part::revealing(b"0123456789", &[8..9, 1..3, 2..4, 4..5, 7..7]).unwrap();
    let shown: Vec<(u64, &[u8])> = part.revealed.iter().map(|r| (r.start, &*r.bytes)).collect();
    assert_eq!(shown, [(1, &b"1234"[..]), (8, &b"8"[..])]);
    assert_eq!(Part::revealing(b"0123", from_ref(&(2..5))), None);
}

#[test]
fn a_statement_shows_what_is_revealed_and_how_much_is_not() {
    let text = statement().to_string();
    for line in [
        "server    data.example.com",
        "time      2026-05-28T20:26:40Z",
        "proved    balance >= 10000",
        "query, 34 bytes",
        "    | GET / HTTP/1.1",
        "  bytes 24..30 hidden",
        "    | {\"balance\": 1",
        "  bytes 32..35 hidden",
        "  json balance, bytes 24..26 27..30: committed to",
        "  json balance, bytes 32..35: committed to as a number",
        &format!("    by {}", show::hex(&point(3))),
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    let evil = "\u{1b}[2J\u{202e}evil\u{7}\\";
    let mut statement = statement();
    statement.query = Part::revealing(evil.as_bytes(), from_ref(&(0..evil.len()))).unwrap();
    assert!(statement.to_string().contains(r"| \u{1b}[2J\u{202e}evil\u{7}\\"));
    statement.query = Part::revealing(b"\xff\0", from_ref(&(0..2))).unwrap();
    assert!(statement.to_string().contains("| hex ff00"));
}

#[test]
fn programs_read_it_as_json() {
    let value = serde_json::to_value(statement()).unwrap();
    assert_eq!(value["mode"], "proxy");
    assert_eq!(value["time"], "2026-05-28T20:26:40Z");
    assert_eq!(value["query"]["revealed"][1]["start"], 30);
    assert_eq!(value["query"]["revealed"][1]["text"], "\r\n\r\n");
    let expected = serde_json::json!({
        "part": "json balance",
        "form": "number",
        "ranges": [{ "start": 32, "end": 35 }],
        "points": [show::hex(&point(3))],
    });
    assert_eq!(value["response"]["commitments"][0], expected);
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

/// Some of the bytes shown, some of the others committed to.
fn parts() -> impl Strategy<Value = Part> {
    let ranges = prop::collection::vec((0_usize..60, 0_usize..60), 0..6);
    let chosen = prop::collection::vec((any::<bool>(), 1_u64..9), 8);
    (prop::collection::vec(any::<u8>(), 90..120), ranges, chosen).prop_map(|(bytes, ranges, chosen)| {
        let ranges: Vec<_> = ranges.into_iter().map(|(a, b)| a.min(b)..a.max(b)).collect();
        let mut part = Part::revealing(&bytes, &ranges).unwrap();
        let shown: Vec<_> = part.revealed.iter().map(Revealed::range).collect();
        let starts = core::iter::once(0).chain(shown.iter().map(|range| range.end));
        let hidden = starts.zip(shown.iter().map(|range| range.start).chain([part.length]));
        let hidden = hidden.filter(|(start, end)| start < end).map(|(start, end)| start..end);
        for (range, (chosen, n)) in hidden.zip(chosen) {
            let length = range.end - range.start;
            if length <= 19 && chosen {
                part.commitments.push(number(range, n));
            } else if chosen {
                let points = vec![point(n); length.div_ceil(31) as usize];
                part.commitments.push(Committed { points, ..committed(Form::Bytes, &[range], &[]) });
            }
        }
        part
    })
}

fn statements() -> impl Strategy<Value = Statement> {
    let claims = prop::collection::vec("[a-z =<>\u{e4}]{1,20}", 0..3);
    let names = prop_oneof![Just("example.com"), Just("192.0.2.1"), Just("2001:db8::1")];
    (any::<bool>(), names, 0_u64..253_402_300_800, parts(), parts(), claims).prop_map(
        |(proxy, name, time, query, response, claims)| Statement {
            mode: if proxy { Mode::Proxy } else { Mode::TwoParty },
            server_name: name.into(),
            time,
            query,
            response,
            claims,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_statement_survives_writing(statement in statements()) {
        let signed = Attestation::sign(statement, &key()).unwrap();
        prop_assert_eq!(Attestation::from_bytes(&signed.to_bytes()), Ok(signed));
    }

    #[test]
    fn what_is_read_writes_the_same_bytes(statement in statements(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = Attestation::sign(statement, &key()).unwrap().to_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(read) = Attestation::from_bytes(&bytes) {
            prop_assert_eq!(read.to_bytes(), bytes);
        }
    }
}
