//! Whole sessions against an unmodified TLS server: what V ends up believing, what it costs, and who notices
//! which cheat.

mod chacha20;
mod cheats;
mod commitments;
mod ending;
mod forged13;
mod opening;
mod rounds;
mod suites;
mod tls13;

use volery_garble::two_party::Garbling;

use super::testing::{Run, Site};
use super::*;
use crate::page::attestation::Mode;
use crate::page::claim::{Assertion, Interval};
use crate::page::disclosure::{Part, Redaction};
use crate::wire::key_exchange::Group;
use crate::wire::prf::Side;
use crate::wire::transcript::testing::{HOST, KeyAlgorithm};

const REQUEST: &str = "GET /account?token=s3cr3t HTTP/1.1\r\nHost: data.example.com\r\nCookie: id=4711\r\nConnection: close\r\n\r\n";

const BODY: &str =
    r#"{"user": {"name": "Ada \"L\" Lovelace", "age": 36, "city": "London"}, "balance": 1204}"#;

fn response(body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn hide(side: Side, part: Part, claims: Vec<Assertion>) -> Redaction {
    Redaction { claims, ..Redaction::new(side, part) }
}

fn usual() -> Vec<Redaction> {
    vec![
        hide(Side::Client, Part::Path, Vec::new()),
        hide(Side::Client, Part::Query, Vec::new()),
        hide(Side::Client, Part::Header("cookie".into()), Vec::new()),
        hide(
            Side::Server,
            Part::Json("user.age".into()),
            vec![Assertion::Number(Interval::between(18, 120))],
        ),
        hide(Side::Server, Part::Json("balance".into()), Vec::new()),
    ]
}

#[test]
fn v_believes_what_a_server_said_to_a_client_of_two() {
    for (kind, group, extended) in [
        (KeyAlgorithm::P256, Group::P256, true),
        (KeyAlgorithm::Rsa, Group::P256, false),
        (KeyAlgorithm::P256, Group::X25519, true),
        (KeyAlgorithm::Rsa, Group::X25519, false),
    ] {
        let mut site = Site::new(kind, &response(BODY));
        site.group = group;
        let run = Run::new(&site, REQUEST.as_bytes());
        let (fetched, proven) = Run { hide: usual(), extended, ..run }.go();
        let fetched = fetched.unwrap();
        assert_eq!(fetched.read, REQUEST.as_bytes());
        assert_eq!(fetched.response, response(BODY));
        let proven = proven.unwrap();
        assert_eq!((proven.mode, proven.identity.name()), (Mode::TwoParty, HOST));
        let shown =
            REQUEST.replace("account?token=s3cr3t", "xxxxxxx?xxxxxxxxxxxx").replace("id=4711", "xxxxxxx");
        assert_eq!(String::from_utf8(proven.request.text.clone()).unwrap(), shown);
        let body = BODY.replace("36", "11").replace("1204", "1111");
        assert_eq!(proven.response.text, response(&body));
        let statement = proven.statement().unwrap();
        assert_eq!((statement.mode, statement.port), (Mode::TwoParty, 443));
    }
}

/// Bytes and round trips, from the preparation on, with a request and a response of `length` bytes.
fn cost(length: usize, garbling: Garbling) -> [volery_channel::Stats; 3] {
    let head = "GET / HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\nX-Padding: ";
    let request = format!("{head}{}\r\n\r\n", "x".repeat(length - head.len() - 4));
    let body = (0..length).map(|n| response(&"b".repeat(n))).find(|body| body.len() == length).unwrap();
    assert_eq!(request.len(), length);
    let site = Site::new(KeyAlgorithm::P256, &body);
    let run = Run::new(&site, request.as_bytes());
    let settings = Settings { garbling, ..settings() };
    let hide = vec![hide(Side::Client, Part::Header("x-padding".into()), Vec::new())];
    let (fetched, proven) = Run { hide, settings, ..run }.go();
    proven.unwrap();
    fetched.unwrap().stats
}

fn bytes(stats: volery_channel::Stats) -> u64 {
    stats.bytes_sent + stats.bytes_received
}

#[test]
fn a_connection_costs_what_was_asked_for() {
    for (length, all, ahead) in [(256, 10_000_000, 4), (2048, 22_800_000, 7)] {
        let [prepared, known, end] = cost(length, Garbling::ThreeHalves);
        let (total, connected, proof) = (bytes(end), bytes(known - prepared), bytes(end - known));
        let trips = [prepared, known - prepared, end - known].map(|stats| stats.round_trips);
        assert!(total <= all, "{length}: {total} bytes in all");
        assert!(connected + proof <= 500_000, "{length}: {connected} and {proof} bytes online");
        assert!(trips[0] <= ahead && trips[1] + trips[2] <= 20, "{length}: {trips:?} round trips");
    }
}
