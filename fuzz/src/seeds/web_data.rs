//! Seeds of web data: transcripts, attestations, claims, and what both parties send.

use volery::notary::{Greeting, Way};
use volery_tls::attestation::{Attestation, AttestedPayload, Context, Mode, SigningKey, Statement};
use volery_tls::claim::{Assertion, Class, Interval};
use volery_tls::disclosure::{self, Hidden};
use volery_tls::fuzz;
use volery_tls::key_exchange::Group;

use super::Add;
use crate::replay::{payloads, record, rng};
use crate::{client, joint, web};

/// Connections that were recorded once, between rustls and OpenSSL.
const RECORDED: [(&str, &[u8]); 2] = [
    ("ecdsa", include_bytes!("../../../crates/tls/src/wire/transcript/testing/ecdsa.recorded")),
    ("rsa", include_bytes!("../../../crates/tls/src/wire/transcript/testing/rsa.recorded")),
];

/// The records of RFC 8448, section 3, and the handshake's traffic secrets in it.
const RFC_8448: &str = include_str!("../../../crates/tls/src/wire/transcript/tls13/tests/rfc8448.txt");
const RFC_8448_SECRETS: &str = "b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21\
                                b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38";

fn hex(digits: &str) -> Vec<u8> {
    let digit = |i: usize| u8::from_str_radix(&digits[i..i + 2], 16).expect("digits");
    (0..digits.len()).step_by(2).map(digit).collect()
}

fn connections_tls13(add: Add<'_>) {
    let records = |sender: &str| -> Vec<Vec<u8>> {
        RFC_8448.lines().filter_map(|line| line.strip_prefix(sender)).map(hex).collect()
    };
    let [client, server] = ["client ", "server "].map(records);
    let trace = web::two(&client.concat(), &server.concat());
    add("transcript_tls13", "rfc-8448", &[&[0][..], &hex(RFC_8448_SECRETS), &trace].concat());
    // EncryptedExtensions with ALPN, a certificate with an extension, a signature.
    let flight = [
        &[8, 0, 0, 11, 0, 9, 0, 0, 0, 0, 0, 10, 0, 1, 0][..],
        &[11, 0, 0, 10, 0, 0, 0, 6, 0, 0, 1, 7, 0, 0],
        &[15, 0, 0, 6, 4, 3, 0, 2, 1, 2],
    ];
    let hellos = web::two(&client[0][5..], &server[0][5..]);
    add("transcript_tls13", "made-up", &[&[1][..], &web::two(&hellos, &flight.concat())].concat());
}

pub(super) fn connections(add: Add<'_>) {
    connections_tls13(add);
    for (name, recorded) in RECORDED {
        add("transcript", name, recorded);
    }
    let get = b"GET /a HTTP/1.1\r\nHost: example.com\r\n\r\n";
    let post = b"POST /b HTTP/1.1\r\nHost: example.com\r\nContent-Length: 3\r\n\r\nabc";
    let chunked =
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\na;x=y\r\n0123456789\r\n0\r\n\r\n";
    let trailers =
        b"HTTP/1.1 200 OK\r\nTrailer: T\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: v\r\n\r\n";
    let counted = b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno";
    let open = b"HTTP/1.0 200 OK\r\nServer: x\r\n\r\nto the end";
    for (name, closed, client, server) in [
        ("two-rounds", 0, [&get[..], post].concat(), [&chunked[..], counted].concat()),
        ("until-close", 1, get.to_vec(), open.to_vec()),
        ("trailers", 0, get.to_vec(), trailers.to_vec()),
    ] {
        add("http", name, &[&[closed], &web::two(&client, &server)[..]].concat());
    }
    let mut response = AttestedPayload::revealing(chunked, &[0..40, 60..70]).expect("ranges of it");
    response.hidden = vec![Hidden {
        round: 1,
        part: disclosure::Part::Json("a.b".into()),
        class: Class::Number,
        ranges: vec![40..42, 50..54],
        claims: vec![Assertion::Number(Interval::at_least(10_000)), Assertion::Matches(r"\d+".into())],
        commit: None,
        leaves: Vec::new(),
    }];
    let query = AttestedPayload::revealing(get, &[0..10, 12..20]).expect("ranges of it");
    let statement = Statement {
        mode: Mode::TwoParty,
        tls: disclosure::TlsVersion::Tls12,
        suite: disclosure::Suite::Aes128GcmSha256,
        server_name: "example.com".into(),
        port: 8443,
        alpn: true,
        certificate: [5; 32],
        time: 1_780_000_000,
        rounds: 2,
        pipelined: true,
        context: Context::new(b"nonce").expect("short"),
        holder: None,
        query,
        response,
    };
    let signed = Attestation::sign(statement, &SigningKey::from_bytes(&[7; 32])).expect("a proper statement");
    add("attestation", "two-ranges", &signed.to_bytes());
    add("attestation", "contract", include_bytes!("../../../crates/tls/tests/vectors/contract.attestation"));
    add("policy", "all-keys", POLICY.as_bytes());
    let (attestation, leaves, presentation) = web::presented();
    add("attestation", "leaves", &attestation.to_bytes());
    add("leaves", "page", &leaves.to_bytes());
    add("presentation", "openings", &presentation.to_bytes());
    add("presentation", "claim", &web::claiming(&presentation));
    for (name, words) in [
        ("number", "in -100.50..2e3"),
        ("contains", "contains \\u00e9"),
        ("at", "at 3 x y"),
        ("matches", r"matches \d{2}-.*(a|b)?"),
        ("length", "length 3..20"),
        ("other-than", "!= \"\u{e9}/"),
        ("one-of", r"one of a|\||\\|"),
        ("word", "is null"),
        ("characters", "characters 2..5"),
        ("before", "before 2026-01-01"),
        ("since", "since 2026-01-31T12:30:00Z"),
    ] {
        add("claim", name, &[&[12], words.as_bytes()].concat());
    }
}

pub(super) fn clients(add: Add<'_>) {
    let steps: [(&str, u8, usize); 8] = [
        ("master", 1, 64),
        ("extended-master", 2, 32),
        ("keys", 3, 64),
        ("finished", 4, 32),
        ("request", 5, 0),
        ("read", 6, 0),
        ("hellos", 7, 32),
        ("data", 8, 32),
    ];
    // The version of TLS; what is proved; of each request its size, and what is read of its response.
    for (name, tls, sizes) in
        [("sizes", 2, &[2048_u32, 300, 0][..]), ("sizes-of-three", 3, &[2048, 300, 96, 200, 0, 100, 0])]
    {
        let sizes: Vec<u8> = sizes.iter().copied().flat_map(u32::to_be_bytes).collect();
        add("client_step", name, &[&[0, tls, tls - 1], &sizes[..]].concat());
    }
    for (name, code, length) in steps {
        add("client_step", name, &[&[code], &vec![code; length][..]].concat());
    }
    let parts = web::two(b"example.com", &web::two(b"\x16\x03\x01client", b"\x16\x03\x03server"));
    add("client_transcript", "three-parts", &parts);
    let requests: [(&str, &[u8]); 6] = [
        ("open", b"\x00\x01\xbb\x00\x0aexample.com"),
        ("exchange", b"\x01client"),
        ("write", b"\x02client"),
        ("close", b"\x03"),
        ("end", b"\x04"),
        ("leave", b"\x05"),
    ];
    for (name, request) in requests {
        add("relay_request", name, request);
    }
    let (answers, _) = record(
        |channel| {
            for answer in [&b"\x00"[..], b"\x01server", b"\x01", b"\x00"] {
                channel.send(volery_channel::tags::RELAY_ANSWER, answer).expect("there is room");
            }
        },
        |_| {},
    );
    add("relay_prover", "one-answer", &answers);
    add("web_claims", "a-number-between", &claims());
    add("web_claims", "texts-words-and-dates", &claims_of_texts());
    add("web_claims", "values-together", &values());
    add("web_claims", "a-parameter", &parameter());
    add("web_claims", "a-trailer", &trailer());
    for (name, way, token) in [
        ("two-party", Way::TwoParty, &b""[..]),
        ("proxy-and-token", Way::Proxy, b"first-token-123456"),
        ("carried", Way::Carried, b""),
    ] {
        let greeting = Greeting { way, token: token.to_vec().into() };
        let (frames, _) = record(|channel| greeting.send(channel).expect("there is room"), |_| {});
        add("notary_greeting", name, &payloads(&frames)[0]);
    }
    let (line, _) = record(|channel| client::as_notary(channel).expect("there is room"), |_| {});
    add("notary_line", "third-second-first", &line);
}

/// Both ends of what two parties do as the TLS client.
pub(super) fn two_party_clients(add: Add<'_>) {
    for (name, group) in [("p256", Group::P256), ("x25519", Group::X25519)] {
        let (prover, verifier) = record(
            |channel| joint::key_as_prover(channel, group).expect("an honest run"),
            |channel| joint::key_as_verifier(channel).expect("an honest run"),
        );
        add("key_verifier", name, &prover);
        add("key_prover", name, &verifier);
    }
    let (_, verifier) = record(
        |channel| {
            joint::tag_as_prover(channel).expect("an honest run");
        },
        |channel| joint::tag_as_verifier(channel).expect("an honest run"),
    );
    add("tag_prover", "true", &verifier);
    let (prover, verifier) = record(
        |channel| joint::blinding_as_prover(channel).expect("an honest run"),
        |channel| joint::blinding_as_verifier(channel).expect("an honest run"),
    );
    add("blinding_verifier", "six-powers", &prover);
    add("blinding_prover", "six-powers", &verifier);
    let (prover, verifier) = record(
        |channel| joint::powers_as_prover(channel).expect("an honest run"),
        |channel| joint::powers_as_verifier(channel).expect("an honest run"),
    );
    add("powers_verifier", "three-powers", &prover);
    add("powers_prover", "three-powers", &verifier);
    let (prover, verifier) = record(
        |channel| fuzz::record_prover(channel).expect("an honest run"),
        |channel| fuzz::record_verifier(channel, &mut rng(8)).expect("an honest run"),
    );
    add("record_verifier", "two-records", &prover);
    add("record_prover", "two-records", &verifier);
}

/// Opened bits, a request with nothing hidden, a response with a number that lies between two others and is
/// committed to.
fn claims() -> Vec<u8> {
    let claimed = [&number(1)[..], &[6, 1], &long(b"10"), &[1], &long(b"20")].concat();
    message(br#"{"a": 11}"#, &[&number(6)[..], &number(2)].concat(), 2, &claimed)
}

/// The same with a claim of each kind that is about texts, words and dates.
fn claims_of_texts() -> Vec<u8> {
    let claimed = [
        &number(6)[..],
        &[&[9][..], &long(b"x")].concat(),
        &[&[10][..], &number(2), &long(b"true"), &long(b"null")].concat(),
        &[11, 1],
        &[&[12][..], &number(4), &number(5)].concat(),
        &[&[13][..], &long(b"2026-01-01")].concat(),
        &[&[14][..], &long(b"2026-01-31T12:30:00Z")].concat(),
    ];
    message(br#"{"a": 1111}"#, &[&number(6)[..], &number(4)].concat(), 7, &claimed.concat())
}

fn number(number: u32) -> [u8; 4] {
    number.to_be_bytes()
}

fn long(bytes: &[u8]) -> Vec<u8> {
    [&number(bytes.len() as u32)[..], bytes].concat()
}

/// A message that hides values together.
fn values() -> Vec<u8> {
    let part = [&[8, 6][..], &long(b"a"), &number(1), &long(br#", "b": "#)].concat();
    let range = [number(6), number(14)].concat();
    hiding(br#"{"a": 111111, "b": 1}"#, &[&part[..], &[0], &number(1), &range].concat(), &number(0))
}

/// A policy that has each key.
const POLICY: &str = r#"{"version": 1, "notaries": [{"name": "a", "keys": [{"key": "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c", "from": "2026-01-01", "until": "2027-01-01T12:00:00Z"}]}], "at_least": 1, "contract_signers": ["0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f"], "host": "data.example.com", "port": 8443, "method": "GET", "path": "/a/*", "query": "id=*", "fields": ["X-A"], "status": 200, "claims": ["response.json:balance >= 5000", "request.query.id one of 1|2"], "shows": ["response.header:Date"], "max_age": 60, "modes": ["proxy"], "tls": ["1.3"], "max_rounds": 2, "allow_pipelined": false, "allow_hidden_words": true, "allow_no_alpn": true, "context": "hex:00"}"#;

/// A message that hides a parameter, of a response, which has none.
fn parameter() -> Vec<u8> {
    let part = [&[9, 7][..], &long(b"id"), &[0], &number(1), &number(0), &number(1)].concat();
    hiding(b"x", &part, &number(0))
}

/// A message that hides a field after a body.
fn trailer() -> Vec<u8> {
    let part = [&[3, 8][..], &long(b"Checksum"), &[0], &number(1), &number(0), &number(1)].concat();
    hiding(b"x", &part, &number(0))
}

/// A message with one hidden string of this class in the response.
fn message(response: &[u8], range: &[u8], class: u8, claimed: &[u8]) -> Vec<u8> {
    let form = if class == 2 { 2 } else { 0 };
    let part = [&[class, 1][..], &long(b"a"), &[form], &number(1), range].concat();
    hiding(response, &part, claimed)
}

/// A message that hides one part of the first response.
fn hiding(response: &[u8], part: &[u8], claimed: &[u8]) -> Vec<u8> {
    [
        &[4][..],
        &long(b"nonce"),
        &long(&[7; 3]),
        &long(b"GET / HTTP/1.1\r\n\r\n"),
        &number(0),
        &long(response),
        &number(1),
        &number(0),
        part,
        claimed,
    ]
    .concat()
}
