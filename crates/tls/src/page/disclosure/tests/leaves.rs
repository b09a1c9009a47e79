//! A P that commits to other bytes than the server sent.

use super::*;
use crate::page::leaf::{self, LeafOpenings};

const BODY: &str = r#"{"active": true, "name": "Ada", "balance": 5120, "iban": "DE02"}"#;

fn observation() -> Observation {
    Observation::of(format!("HTTP/1.1 200 OK\r\nConnection: close\r\nX-Token: t-17\r\n\r\n{BODY}").as_bytes())
}

fn seed() -> Seed {
    Seed::new(&mut volery_testing::rng(11))
}

/// What P says that hides and commits to all that it can of the response, as if that were `claimed`.
fn message(connection: &Observation, claimed: &[u8]) -> redaction::DisclosureMessage {
    let texts = [REQUEST, &connection.response];
    let exchanges = redaction::exchanges(texts, true).unwrap();
    let hide = Selection { commit_all: true, ..Selection::default() }.of(texts, &exchanges).unwrap();
    let hide: Vec<_> = hide.into_iter().filter(|hide| hide.side == Side::Server).collect();
    let mut message = connection.message_hiding(&hide);
    let contents = leaf::commit(&mut message.shown[1], Side::Server, claimed, &seed());
    message.holder = Some(LeafOpenings::new(seed(), contents).holder().verifying_key().to_bytes());
    message
}

fn tell(connection: &Observation, message: &redaction::DisclosureMessage) -> Result<(), Disbelief> {
    connection.tell_salted(TERMS, message, Some(&seed()))
}

#[test]
fn leaves_of_what_the_server_sent_are_proved() {
    let connection = observation();
    let message = message(&connection, &connection.response);
    let leaves: Vec<_> = message.shown[1].hidden.iter().map(|hidden| hidden.leaves.len()).collect();
    assert_eq!(leaves, [1, 4], "a header field and four values");
    assert_eq!(tell(&connection, &message), Ok(()));
}

#[test]
fn leaves_of_other_bytes_have_no_proof() {
    let connection = observation();
    let text = String::from_utf8(connection.response.clone()).unwrap();
    for (from, to) in [
        ("t-17", "t-18"),
        ("5120", "9120"),
        ("true", "null"),
        ("DE02", "DE03"),
        ("\"Ada\", \"balance\": 5120", "\"Adam\", \"balance\": 512"),
    ] {
        let other = text.replace(from, to);
        assert_eq!(other.len(), text.len());
        let cheat = message(&connection, other.as_bytes());
        assert_eq!(tell(&connection, &cheat), Err(Disbelief::Unsatisfied), "{to}");
    }
    // The leaves of two values, each as the other's.
    let mut cheat = message(&connection, &connection.response);
    cheat.shown[1].hidden[1].leaves.swap(0, 3);
    assert_eq!(tell(&connection, &cheat), Err(Disbelief::Unsatisfied));
}

/// With fewer leaves than a string has, or without a holder, there is no message.
#[test]
fn each_string_has_all_of_its_leaves_or_none() {
    let connection = observation();
    let refused = |change: &dyn Fn(&mut redaction::DisclosureMessage)| {
        let mut message = message(&connection, &connection.response);
        change(&mut message);
        matches!(tell(&connection, &message), Err(Disbelief::Refused(Refusal::Message(_))))
    };
    assert!(!refused(&|_| {}));
    assert!(refused(&|message| message.shown[1].hidden[1].leaves.truncate(3)));
    assert!(refused(&|message| message.shown[1].hidden[1].leaves.push([0; 32])));
    assert!(refused(&|message| message.holder = None));
    assert!(refused(&|message| message.shown[1].hidden.iter_mut().for_each(|hidden| hidden.leaves.clear())));
}
