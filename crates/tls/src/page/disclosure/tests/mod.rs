//! A P that departs from the protocol in one place: what V refuses in the clear, and what no proof can be
//! found for.
//!
//! P knows all keys of its connection, and has the path to V, so it may also change the server's records
//! before V sees them. Each cheat is complete: but for the one check that it is about, V would believe it.
//! The statement that V would verify is evaluated on the true keys; if that fails, P has nothing to prove.

mod claims;
mod draft;
mod leaves;
mod preflight;
mod tls13;

use std::time::SystemTime;

use volery_channel::tags::WEB_CLAIMS;
use volery_circuit::gadgets::bytes_to_bits;
use volery_circuit::{Error as CircuitError, Evaluator};
use volery_field::F2;
use volery_testing::scripted;

use super::derive::{Facts, TagKeys, finished_message};
use super::machine::Compute;
use super::order::OrderEvidence;
use super::redaction::{MAX_HIDDEN_BYTES, find};
use super::*;
use crate::memory::Budget;
use crate::page::attestation::{Context, Mode};
use crate::page::claim::Class;
use crate::page::leaf::Seed;
use crate::wire::prf::Side;
use crate::wire::record::header;
use crate::wire::step::MASTER_BITS;
use crate::wire::transcript::testing::{Authority, HOST, KeyAlgorithm, Recorded, honest};
use crate::wire::transcript::{NONCE_BYTES, TAG_BYTES, Transcript};

const TERMS: Terms = Terms { no_alpn: false, hidden: MAX_HIDDEN_BYTES };

const REQUEST: &[u8] = b"GET /statement HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\n\r\n";

/// Its body ends with the connection.
const RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"name\":\"Ada\",\"balance\":7,\"city\":\"London\"}";

/// A connection, as P knows it.
struct Observation {
    authority: Authority,
    recorded: Recorded,
    response: Vec<u8>,
}

/// Why V does not believe what it is told.
#[derive(Debug, PartialEq)]
enum Disbelief {
    /// V says so at once.
    Refused(Refusal),
    /// There is nothing to prove.
    Unsatisfied,
}

impl Observation {
    fn new() -> Self {
        Self::of(RESPONSE)
    }

    fn of(response: &[u8]) -> Self {
        let (authority, recorded) = honest(KeyAlgorithm::P256, &[(REQUEST, response)]);
        Self { authority, recorded, response: response.to_vec() }
    }

    fn transcript(&self) -> Transcript {
        self.recorded.parse().unwrap()
    }

    fn root(&self) -> Root<F2> {
        Root::Master(bytes_to_bits(&self.recorded.master))
    }

    /// The true bits that are to be opened, and what they say.
    fn opened(&self) -> (Vec<u8>, [Facts; 2]) {
        let mut machine = Compute::default();
        let connection = OpenConnection::Tls12(self.transcript());
        let facts = derive::derive(&mut machine, &connection, &self.root()).unwrap().facts;
        (machine.into_opened(), facts)
    }

    /// What an honest P says that hides these parts of the response.
    fn message(&self, parts: &[Part]) -> redaction::DisclosureMessage {
        let hide: Vec<_> = parts.iter().map(|part| Redaction::new(Side::Server, part.clone())).collect();
        self.message_hiding(&hide)
    }

    /// The same with claims.
    fn message_hiding(&self, hide: &[Redaction]) -> redaction::DisclosureMessage {
        let exchanges = redaction::exchanges([REQUEST, &self.response], true).unwrap();
        let shown = [(Side::Client, REQUEST), (Side::Server, &self.response[..])]
            .map(|(side, text)| find(side, text, &exchanges, hide).unwrap());
        redaction::DisclosureMessage {
            context: Context::default(),
            holder: None,
            opened: self.opened().0,
            shown,
        }
    }

    /// Whether V would believe this.
    fn tell(&self, message: &redaction::DisclosureMessage) -> Result<(), Disbelief> {
        self.tell_on(TERMS, message)
    }

    /// Whether V would believe this, if these are its terms.
    fn tell_on(&self, terms: Terms, message: &redaction::DisclosureMessage) -> Result<(), Disbelief> {
        self.tell_salted(terms, message, None)
    }

    /// Whether V would believe this, if these are its terms and P salts leaves from this seed.
    fn tell_salted(
        &self,
        terms: Terms,
        message: &redaction::DisclosureMessage,
        seed: Option<&Seed>,
    ) -> Result<(), Disbelief> {
        let (mut channel, _peer) = scripted(&[(WEB_CLAIMS, message.encode())]);
        let Recorded { client, server, .. } = &self.recorded;
        // Of Finished, the request, and an alert: all before the response.
        let seen = OrderEvidence::Held { counts: &[0; 3], pipelined: false };
        let with = Server { host: HOST, port: None, ports: &[] };
        let memory = Budget::default().share();
        let observed = Observed { mode: Mode::Proxy, terms, with, client, server, seen, memory };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let root = |_: &Connection| Ok(Root::Master(vec![(); MASTER_BITS]));
        let mut statement =
            match receive(&mut channel, observed, &self.authority.roots(), now, &Vec::new(), &root) {
                Ok((statement, _)) => statement,
                Err(Error::Refused(refusal)) => return Err(Disbelief::Refused(refusal)),
                Err(error) => panic!("{error}"),
            };
        seed.into_iter().for_each(|seed| statement.keep_salts(seed));
        match statement.claim(&mut Evaluator::new(), &self.root()) {
            Ok(_) => Ok(()),
            Err(CircuitError::Unsatisfied { .. }) => Err(Disbelief::Unsatisfied),
            Err(error) => panic!("{error}"),
        }
    }

    /// Changes what the server sent at a place of record `number`, behind its nonce.
    fn change(&mut self, number: usize, place: usize, change: impl FnOnce(&mut [u8])) {
        let payload =
            |record: &crate::wire::transcript::Record| NONCE_BYTES + record.ciphertext.len() + TAG_BYTES;
        // From the end of all: each record with its header.
        let after: usize =
            self.transcript().server.iter().skip(number).map(|record| 5 + payload(record)).sum();
        let start = self.recorded.server.len() - after + 5 + NONCE_BYTES + place;
        change(&mut self.recorded.server[start..]);
    }

    /// The tag that the server's record of this number has under its true keys.
    fn tag(&self, number: usize) -> [u8; TAG_BYTES] {
        let record = &self.transcript().server[number];
        let [_, Facts { tags, .. }] = self.opened().1;
        let header = header(record.sequence, record.content_type, record.ciphertext.len()).unwrap();
        tags.tag(number, &header, &record.ciphertext).unwrap()
    }
}

#[test]
fn what_is_true_is_believed() {
    let connection = Observation::new();
    for hidden in [&[][..], &[Part::Json("name".into()), Part::Json("balance".into())]] {
        assert_eq!(connection.tell(&connection.message(hidden)), Ok(()));
    }
}

#[test]
fn v_takes_no_more_hidden_bytes_than_its_limit() {
    let connection = Observation::new();
    let message = connection.message(&[Part::Json("name".into()), Part::Json("balance".into())]);
    assert_eq!(connection.tell_on(Terms { hidden: 4, ..TERMS }, &message), Ok(()));
    let refusal = Refusal::Hidden { side: Side::Server, bytes: 4, limit: 3 };
    let told = connection.tell_on(Terms { hidden: 3, ..TERMS }, &message);
    assert_eq!(told, Err(Disbelief::Refused(refusal)));
    // Of a body nothing is proved.
    let message = connection.message(&[Part::Body]);
    assert_eq!(connection.tell_on(Terms { hidden: 0, ..TERMS }, &message), Ok(()));
}

/// P hides more than a JSON string, quotes and all, and calls it the string: V would not see that there is a
/// balance.
#[test]
fn hidden_bytes_of_another_class_than_their_part_s_are_not_proved() {
    let connection = Observation::new();
    let mut message = connection.message(&[Part::Json("name".into())]);
    let [_, response] = &mut message.shown;
    let range = &mut response.hidden[0].ranges[0];
    // Up to the quote that ends the city: to V this is one string, and the last member of the object.
    range.end = RESPONSE.len() - 2;
    assert!(RESPONSE[range.clone()].starts_with(b"Ada\",\"balance\":7"));
    response.text[range.clone()].fill(Class::JsonText.filler());
    assert_eq!(connection.tell(&message), Err(Disbelief::Unsatisfied));
}

/// P changes the balance on the way from the server to V, and opens the mask that makes the tag right.
#[test]
fn bits_that_are_opened_are_proved() {
    let mut connection = Observation::new();
    let at = RESPONSE.iter().position(|byte| *byte == b'7').unwrap();
    connection.change(1, at, |bytes| bytes[0] ^= b'7' ^ b'9');
    connection.response[at] = b'9';
    let [_, Facts { tags: TagKeys::Gcm { masks, .. }, .. }] = connection.opened().1 else {
        panic!("tags of AES-GCM")
    };
    let mut message = connection.message(&[]);
    let (true_tag, shown_tag) = (connection.tag(1), connection.transcript().server[1].tag);
    let place = message.opened.windows(16).position(|bytes| bytes == masks[1]).unwrap();
    for ((opened, right), shown) in message.opened[place..].iter_mut().zip(true_tag).zip(shown_tag) {
        *opened ^= right ^ shown;
    }
    assert_eq!(connection.tell(&message), Err(Disbelief::Unsatisfied));
    // Without that the tag says it.
    let refusal = Refusal::Tag { side: Side::Server, sequence: 1 };
    assert_eq!(connection.tell(&connection.message(&[])), Err(Disbelief::Refused(refusal)));
}

/// P shows a response that goes on after what the server sent: no record has these bytes, so nothing would be
/// proved of them.
#[test]
fn what_is_shown_is_as_long_as_what_was_sent() {
    let connection = Observation::new();
    for side in [Side::Client, Side::Server] {
        let mut message = connection.message(&[]);
        let [request, response] = &mut message.shown;
        match side {
            Side::Client => {
                let place = request.text.len() - 2;
                request.text.splice(place..place, *b"X-Paid: yes\r\n");
            }
            Side::Server => response.text.extend(b"\n{\"balance\":500000}"),
        }
        let refusal = Refusal::Payload { side, reason: "not as long as the records' contents" };
        assert_eq!(connection.tell(&message), Err(Disbelief::Refused(refusal)));
    }
    let mut message = connection.message(&[]);
    let [_, response] = &mut message.shown;
    response.text.pop();
    assert!(connection.tell(&message).is_err());
}

/// P puts another Finished message in the place of the server's, encrypted under the true keys and with the
/// right tag.
#[test]
fn the_server_s_finished_message_is_compared() {
    let mut connection = Observation::new();
    let [_, Facts { verify_data, .. }] = connection.opened().1;
    let length = finished_message(&verify_data.unwrap()).len();
    connection.change(0, length - 1, |bytes| bytes[0] ^= 1);
    let tag = connection.tag(0);
    connection.change(0, length, |bytes| bytes[..TAG_BYTES].copy_from_slice(&tag));
    let message = connection.message(&[]);
    assert_eq!(connection.tell(&message), Err(Disbelief::Refused(Refusal::Finished(Side::Server))));
}

/// P hides the balance and has V see another one in its place.
#[test]
fn there_are_fillers_where_something_is_hidden() {
    let connection = Observation::new();
    let mut message = connection.message(&[Part::Json("balance".into())]);
    let [_, response] = &mut message.shown;
    let range = response.hidden[0].ranges[0].clone();
    response.text[range].fill(b'9');
    let refusal = Refusal::Payload { side: Side::Server, reason: "bytes that are said to be hidden" };
    assert_eq!(connection.tell(&message), Err(Disbelief::Refused(refusal)));
}
