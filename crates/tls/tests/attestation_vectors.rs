//! The attestations beside `docs/attestation-format.md`: files that are made again byte for byte, what they
//! say, and files that must be refused. A verifier in another language reads the same ones.
//!
//! With the environment variable `VOLERY_WRITE_VECTORS` this test writes them instead of comparing.

// Helpers outside of test functions may fail a test, too.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::single_range_in_vec_init)]

use core::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::scalar::Scalar;
use ed25519_dalek::Signer as _;
#[cfg(feature = "contracts")]
use volery_tls::attestation::contract::ContractKey;
use volery_tls::attestation::{
    Attestation, AttestedPayload, Committed, Context, Mode, SigningKey, Statement,
};
use volery_tls::claim::{Assertion, Class, CustomClaim};
use volery_tls::commitment::Form;
use volery_tls::disclosure::{Draft, Hidden, Part, Selection, Suite, TlsVersion, Values};
use volery_tls::leaf::{LeafOpenings, Seed};
use volery_tls::presentation::{Presentation, Reveal};
use zeroize::Zeroizing;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn hidden(part: Part, class: Class, ranges: &[Range<usize>], claims: &[&str]) -> Hidden {
    let claims = claims.iter().map(|claim| claim.parse().expect(claim)).collect();
    Hidden { round: 0, part, class, ranges: ranges.to_vec(), claims, commit: None, leaves: Vec::new() }
}

/// A direction's text with these strings hidden, which are committed to if they say so.
fn payload(text: &[u8], hidden: Vec<Hidden>) -> AttestedPayload {
    let mut places: Vec<_> = hidden.iter().flat_map(|hidden| hidden.ranges.iter().cloned()).collect();
    places.sort_by_key(|place| place.start);
    places.push(text.len()..text.len());
    let mut at = 0;
    let mut shown = Vec::new();
    for place in places {
        shown.push(at..place.start);
        at = place.end;
    }
    let part = AttestedPayload::revealing(text, &shown).unwrap();
    let commitments = hidden.iter().filter_map(committed).collect();
    AttestedPayload { hidden, commitments, ..part }
}

/// Commitments that are multiples of the generator; what is in them does not matter here.
fn committed(hidden: &Hidden) -> Option<Committed> {
    let form = hidden.commit?;
    let points = if form == Form::Number { 1 } else { hidden.length().div_ceil(31) };
    let point = |number| (RISTRETTO_BASEPOINT_POINT * Scalar::from(number)).compress().to_bytes();
    Some(Committed {
        part: match hidden.round {
            0 => hidden.part.to_string(),
            round => format!("{} {}", round + 1, hidden.part),
        },
        form,
        ranges: hidden.ranges.iter().map(|range| range.start as u64..range.end as u64).collect(),
        points: (1..=points as u64).map(point).collect(),
    })
}

/// Every kind of claim, of a connection of two parties with two requests.
fn claims() -> Statement {
    let one = b"GET /a?id=17&x=1 HTTP/1.1\r\nHost: data.example.com:8443\r\n\r\n";
    let query = [&one[..], b"GET /b HTTP/1.1\r\nHost: data.example.com:8443\r\n\r\n"].concat();
    let mut digits = hidden(Part::Parameter("id".into()), Class::Parameter, &[10..12], &["is digits"]);
    digits.commit = Some(Form::Bytes);
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\nContent-Length: 75\r\n\r\n";
    let body = br#"{"name": "Ada", "n": -12.5e3, "ok": true, "at": "2026-01-31", "id": 123456}"#;
    let response = [&head[..], body].concat();
    let place = |text: &str| {
        let start = body.windows(text.len()).position(|part| part == text.as_bytes()).unwrap() + head.len();
        start..start + text.len()
    };
    let of = |path: &str, class, text: &str, claims: &[&str]| Hidden {
        round: 1,
        ..hidden(Part::Json(path.into()), class, &[place(text)], claims)
    };
    let texts = [
        "= Ada",
        "!= Eve",
        "one of Ada|Bob",
        "contains d",
        "at 1 da",
        "matches [A-Z].*",
        "length 1..3",
        "characters 3..3",
    ];
    let mut name = of("name", Class::JsonText, "Ada", &texts);
    let own = CustomClaim::new("example.sha256", &[0xff, 0], Arc::new(Assertion::Digits)).unwrap();
    name.claims.push(Assertion::Custom(own));
    name.claims.push(Assertion::Equals(vec![0xe9]));
    let mut id = of("id", Class::Number, "123456", &[]);
    id.commit = Some(Form::Number);
    let hidden = vec![
        name,
        of(
            "n",
            Class::Number,
            "-12.5e3",
            &["in -20000..0.5", "> -1e30", "< 1000000", "<= 12345678901234567890123456789"],
        ),
        of("ok", Class::Word, "true", &["is true"]),
        of("at", Class::JsonText, "2026-01-31", &["before 2026-02-01", "since 2026-01-30T12:00:00Z"]),
        id,
    ];
    Statement {
        mode: Mode::TwoParty,
        tls: TlsVersion::Tls13,
        suite: Suite::Aes256GcmSha384,
        server_name: "data.example.com".into(),
        port: 8443,
        alpn: true,
        certificate: [0xce; 32],
        time: 1_780_000_000,
        rounds: 2,
        pipelined: true,
        context: Context::new(b"nonce-1").unwrap(),
        holder: None,
        query: payload(&query, vec![digits]),
        response: payload(&response, hidden),
    }
}

/// Every kind of part, of a connection in proxy mode.
fn parts() -> Statement {
    let query =
        b"POST /secret?a=b HTTP/1.1\r\nHost: [2001:db8::1]\r\nCookie: c\r\nContent-Length: 3\r\n\r\nxyz";
    let at = |text: &[u8], part: &[u8]| {
        let start = text.windows(part.len()).position(|bytes| bytes == part).unwrap();
        start..start + part.len()
    };
    let cookie = at(query, b"Cookie: c").end;
    let hides = vec![
        hidden(Part::Path, Class::Path, &[at(query, b"secret")], &[]),
        hidden(Part::Query, Class::Query, &[at(query, b"a=b")], &[]),
        hidden(Part::Header("Cookie".into()), Class::HeaderValue, &[cookie - 1..cookie], &[]),
        hidden(Part::Body, Class::Opaque, &[at(query, b"xyz")], &[]),
    ];
    let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Sum\r\nX: \u{e9}\r\n\r\n\
                    20\r\n{\"a\": true, \"b\": [null], \"c\": \"a\r\n3\r\nb\"}\r\n0\r\nSum: 5f\r\n\r\n"
        .as_bytes();
    let run = at(response, b"true, \"b\": [null");
    let between = vec![", \"b\": [".to_owned()];
    let values = Part::Values(Values { first: "a".into(), between });
    // The boundary of two chunks is within it.
    let [a, b] = [at(response, b"\"a\r\n"), at(response, b"b\"}")];
    let ranges = [a.start + 1..a.start + 2, b.start..b.start + 1];
    let mut split = hidden(Part::Json("c".into()), Class::JsonText, &ranges, &[]);
    split.commit = Some(Form::Bytes);
    let long =
        hidden(Part::Header("X".into()), Class::HeaderValue, &[at(response, "\u{e9}".as_bytes())], &[]);
    let sum = hidden(Part::Trailer("Sum".into()), Class::HeaderValue, &[at(response, b"5f")], &["= 5f"]);
    Statement {
        mode: Mode::Proxy,
        tls: TlsVersion::Tls12,
        suite: Suite::ChaCha20Poly1305Sha256,
        server_name: "2001:db8::1".into(),
        port: 443,
        alpn: false,
        certificate: [1; 32],
        time: 0,
        rounds: 1,
        pipelined: false,
        context: Context::default(),
        holder: None,
        query: payload(query, hides),
        response: payload(response, vec![long, hidden(values, Class::Values, &[run], &[]), split, sum]),
    }
}

/// What the example contract of `contracts/` demands: an account with at least 5000 euros.
fn contract() -> Statement {
    let request = b"GET /account HTTP/1.1\r\nHost: bank.example\r\n\r\n";
    let response =
        b"HTTP/1.1 200 OK\r\nContent-Length: 37\r\n\r\n{\"balance\": 11111, \"currency\": \"EUR\"}";
    let at = response.windows(5).position(|bytes| bytes == b"11111").unwrap();
    let balance = hidden(Part::Json("balance".into()), Class::Number, &[at..at + 5], &[">= 5000"]);
    // Chain 1; the first contract of account 0x11...11; that account.
    let gate = [0, 0, 0, 0, 0, 0, 0, 1]
        .into_iter()
        .chain(*b"\x8f\x7a\x45\xeb\xde\x05\x93\x92\xe4\x6a\x46\xdc\xc1\x4a\xb2\x46\x81\xa9\x61\xea")
        .chain([0x11; 20]);
    Statement {
        mode: Mode::TwoParty,
        tls: TlsVersion::Tls13,
        suite: Suite::Aes128GcmSha256,
        server_name: "bank.example".into(),
        port: 443,
        alpn: true,
        certificate: [2; 32],
        time: 1_780_000_000,
        rounds: 1,
        pipelined: false,
        context: Context::new(&gate.collect::<Vec<_>>()).unwrap(),
        holder: None,
        query: payload(request, Vec::new()),
        response: payload(response, vec![balance]),
    }
}

#[cfg(feature = "contracts")]
fn signed_for_contracts() -> Attestation {
    let key_for_contracts = ContractKey::from_bytes(&[0x46; 32]).unwrap();
    Attestation::sign_for_contracts(contract(), &key(), &key_for_contracts).unwrap()
}

/// A page with commitments to everything that can be hidden, and what opens them.
fn leaves() -> (Statement, LeafOpenings) {
    let request = b"GET /a?user=ada HTTP/1.1\r\nHost: data.example.com\r\nCookie: c\r\n\r\n".to_vec();
    let body = r#"{"id": 7, "ok": true, "name": "Ada", "note": null, "more": ["x", 1.5]}"#;
    let length = body.len();
    let response = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    let draft = Draft {
        mode: Mode::Proxy,
        tls: TlsVersion::Tls13,
        suite: Suite::Aes128GcmSha256,
        host: "data.example.com".into(),
        port: 443,
        alpn: true,
        certificate: Vec::new(),
        pipelined: false,
        context: Context::default(),
        leaves: Some(Seed::new(&mut volery_testing::rng(3))),
        closed: true,
        trusts_close: false,
        payload: [request, response.into_bytes()].map(Zeroizing::new),
    };
    let hide = draft.select(&Selection { commit_all: true, ..Selection::default() }).expect("a page");
    let openings = draft.leaf_openings(&hide).expect("a page").expect("leaves");
    (draft.expected(&hide, 1_780_000_000).expect("a page"), openings)
}

/// A presentation of it.
fn presentation(claims: &[(&str, &str)]) -> Presentation {
    let (statement, openings) = leaves();
    let attestation = Attestation::sign(statement, &key()).unwrap();
    let parts = ["request.query", "response.json:name", "response.json:more[1]"];
    let reveal = parts.map(|part| Reveal { part: part.parse().expect(part), bytes: None });
    let claims: Vec<_> =
        claims.iter().map(|(part, claim)| (part.parse().expect(part), claim.parse().expect(claim))).collect();
    let context = Context::new(b"reader-1").expect("short");
    let rng = &mut volery_testing::rng(4);
    Presentation::new(&attestation, &openings, &context, (&reveal, &claims), rng).expect("a presentation")
}

/// Files that a verifier must refuse, each after one change of `claims`.
fn refused() -> Vec<(&'static str, Vec<u8>)> {
    let good = Attestation::sign(claims(), &key()).unwrap().to_bytes();
    let change = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    let end = good.len();
    let find = |text: &[u8]| good.windows(text.len()).position(|part| part == text).unwrap();
    // With a signature that is right.
    let signed = |from: &[u8], to: &[u8]| {
        let mut bytes = good.clone();
        bytes[find(from)..][..to.len()].copy_from_slice(to);
        let signature = key().sign(&bytes[..end - 64]).to_bytes();
        bytes[end - 64..].copy_from_slice(&signature);
        bytes
    };
    vec![
        ("name-that-ends-with-a-number", signed(b"data.example.com", b"data.example.123")),
        ("address-with-a-zone", signed(b"data.example.com", b"fe80::1%ethernet")),
        ("bound-in-another-form", signed(b"-20000", b"-2.000")),
        ("time-in-another-form", signed(b"2026-01-30T12:00:00Z", b"2026-01-30T00:00:00Z")),
        ("another-first-line", change(0, b'V')),
        ("another-version", change(20, 99)),
        ("unknown-mode", change(21, 2)),
        ("unknown-tls", change(22, 9)),
        ("unknown-suite", change(23, 9)),
        ("name-in-upper-case", change(find(b"data.example"), b'D')),
        ("port-0", {
            let at = find(b"data.example.com") + 16;
            let mut bytes = change(at, 0);
            bytes[at + 1] = 0;
            bytes
        }),
        ("protocol-2", change(find(b"data.example.com") + 18, 2)),
        ("pipelined-2", change(find(b"nonce-1") - 5, 2)),
        ("shown-byte-changed", change(find(b"GET /a?"), b'P')),
        ("range-too-long", change(find(b"GET /a?") - 1, 0xff)),
        ("signature-changed", change(end - 1, good[end - 1] ^ 1)),
        ("signer-changed", change(end - 69, good[end - 69] ^ 1)),
        ("address-of-one-byte", change(end - 65, 1)),
        ("cut", good[..end - 1].to_vec()),
        ("more-bytes", [&good[..], &[0]].concat()),
        ("empty", Vec::new()),
    ]
}

fn compare(name: &str, bytes: &[u8]) {
    let path = folder().join(name);
    if std::env::var_os("VOLERY_WRITE_VECTORS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).expect("a folder");
        std::fs::write(&path, bytes).expect("writable");
    }
    let found = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(found, bytes, "{name}");
}

#[test]
fn vectors_are_what_this_program_writes() {
    let public = key().verifying_key().to_bytes();
    let digits: String = public.iter().map(|byte| format!("{byte:02x}")).collect();
    compare("key.hex", format!("{digits}\n").as_bytes());
    compare("leaves.leaves", &leaves().1.to_bytes());
    compare("leaves.presentation", &presentation(&[]).to_bytes());
    for (name, statement) in [("claims", claims()), ("parts", parts()), ("leaves", leaves().0)] {
        let signed = Attestation::sign(statement, &key()).unwrap();
        let read = Attestation::from_bytes(&signed.to_bytes()).unwrap();
        let json = serde_json::to_string_pretty(read.verify(&public).unwrap()).unwrap();
        compare(&format!("{name}.attestation"), &signed.to_bytes());
        compare(&format!("{name}.json"), format!("{json}\n").as_bytes());
    }
    for (name, bytes) in refused() {
        let read = Attestation::from_bytes(&bytes);
        assert!(read.is_err() || read.is_ok_and(|read| read.verify(&public).is_err()), "{name}");
        compare(&format!("refused/{name}.attestation"), &bytes);
    }
}

/// `contracts/run` gives the typed data to a contract.
#[cfg(feature = "contracts")]
#[test]
fn vectors_for_contracts_are_what_this_program_writes() {
    let signed = signed_for_contracts();
    let public = key().verifying_key().to_bytes();
    let read = Attestation::from_bytes(&signed.to_bytes()).unwrap();
    let json = |value: &serde_json::Value| format!("{}\n", serde_json::to_string_pretty(value).unwrap());
    compare("contract.attestation", &signed.to_bytes());
    compare("contract.json", json(&serde_json::to_value(read.verify(&public).unwrap()).unwrap()).as_bytes());
    compare("contract.typed-data.json", json(&read.typed_data().unwrap()).as_bytes());
}

/// Somebody who had only the page wrote this verifier: it has none of our code.
#[test]
fn a_verifier_in_another_language_agrees() {
    let Some(verifier) = Verifier::new() else { return };
    let run = |file: &Path| verifier.run(file, &[]);
    for name in ["claims", "parts", "leaves", "contract"] {
        let ended = run(&folder().join(format!("{name}.attestation")));
        assert!(ended.status.success(), "{name}: {}", String::from_utf8_lossy(&ended.stderr));
        let read: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
        let expected = std::fs::read(folder().join(format!("{name}.json"))).expect("readable");
        let mut expected: serde_json::Value = serde_json::from_slice(&expected).expect("JSON");
        forget_words(&mut expected);
        assert_eq!(read, expected, "{name}");
    }
    let refused = std::fs::read_dir(folder().join("refused"))
        .expect("a folder")
        .map(|file| file.expect("a file").path());
    for file in refused {
        let ended = run(&file);
        assert_eq!(
            ended.status.code(),
            Some(1),
            "{}: {}",
            file.display(),
            String::from_utf8_lossy(&ended.stderr)
        );
        assert!(String::from_utf8_lossy(&ended.stderr).starts_with("refused: "), "{}", file.display());
    }
    let other = Command::new("python3")
        .arg(&verifier.script)
        .arg(folder().join("claims.attestation"))
        .arg("ab".repeat(32))
        .output();
    assert_eq!(other.expect("runs").status.code(), Some(1));
}

/// Openings, the context and signatures; the proofs of claims it cannot check.
#[test]
fn a_verifier_in_another_language_reads_presentations() {
    let Some(verifier) = Verifier::new() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("presentation");
    let run = |bytes: &[u8], context: &str| {
        std::fs::write(&file, bytes).expect("writable");
        verifier.run(&file, &[context])
    };
    let bytes = presentation(&[]).to_bytes();
    let ended = run(&bytes, "reader-1");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let read: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    let texts: Vec<_> =
        read["opened"].as_array().expect("a list").iter().map(|opened| opened["text"].as_str()).collect();
    assert_eq!(texts, [Some("user=ada"), Some("\"Ada\""), Some("1.5")]);
    let claiming = presentation(&[("response.json:id", "is digits")]);
    let read: serde_json::Value =
        serde_json::from_slice(&run(&claiming.to_bytes(), "reader-1").stdout).expect("JSON");
    assert_eq!(read["unchecked"][0]["claim"]["kind"], "digits");
    let refused = |bytes: &[u8], context: &str| {
        let ended = run(bytes, context);
        ended.status.code() == Some(1) && String::from_utf8_lossy(&ended.stderr).starts_with("refused: ")
    };
    assert!(refused(&bytes, "reader-2"));
    assert!(refused(&bytes[..bytes.len() - 1], "reader-1"));
    for at in [30, bytes.len() / 2, bytes.len() - 100, bytes.len() - 70, bytes.len() - 1] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(refused(&changed, "reader-1"), "byte {at}");
    }
}

/// The verifier in Python, if it can run here.
struct Verifier {
    script: PathBuf,
    key: String,
}

impl Verifier {
    fn new() -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/verify_attestation.py");
        let has = |module: &str| {
            Command::new("python3").args(["-c", module]).output().is_ok_and(|ended| ended.status.success())
        };
        let key = std::fs::read_to_string(folder().join("key.hex")).expect("the key").trim().to_owned();
        (script.exists() && has("import cryptography")).then_some(Self { script, key })
    }

    fn run(&self, file: &Path, more: &[&str]) -> std::process::Output {
        let mut command = Command::new("python3");
        command.arg(&self.script).arg(file).arg(&self.key).args(more).output().expect("runs")
    }
}

/// Takes out what is for people only.
fn forget_words(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(map) => {
            map.remove("words");
            map.values_mut().for_each(forget_words);
        }
        serde_json::Value::Array(all) => all.iter_mut().for_each(forget_words),
        _ => {}
    }
}
