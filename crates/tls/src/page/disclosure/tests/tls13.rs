//! Cheats that TLS 1.3 makes possible: about secrets, about what a record holds, and about what comes after
//! the handshake.
//!
//! As in TLS 1.2's, P knows all keys and has the path to V, so it may put records of its own in the place of
//! the server's.

use core::ops::Range;

use rustls::crypto::CryptoProvider;
use volery_circuit::Folded;
use volery_garble::Function as _;
use volery_zk::quicksilver::bits::VerifierWire;

use super::*;
use crate::page::disclosure::TranscriptError;
use crate::page::disclosure::connection::OpenConnection;
use crate::wire::hash::HashFunction;
use crate::wire::key_schedule::{EarlySecret, HandshakeSecret, TrafficSecret};
use crate::wire::rustls_client::exchange;
use crate::wire::server;
use crate::wire::step::{Step, TwoParty};
use crate::wire::transcript::testing::{client_13, connect, server as server_of};
use crate::wire::transcript::tls13::forge::{self, Content, seal};
use crate::wire::transcript::tls13::{self, HandshakeSecrets, Opened};

/// A connection, as P knows it. The server sends no tickets.
#[derive(Clone)]
struct Known {
    roots: server::Roots,
    /// The bytes of both sides.
    raw: [Vec<u8>; 2],
    secret: HandshakeSecret,
    response: Vec<u8>,
}

/// How many opened values come before those of the client's records: midstates of HS, dHS, MS and two
/// secrets, and two secrets themselves.
const DERIVED: usize = 7;
/// The values of the client's records: their masks, what ends the request, what ends the alert, the alert.
const OF_CLIENT: usize = 4;
/// The value with which the server's first record is opened.
const SERVER_RECORD: usize = DERIVED + OF_CLIENT + 1;

/// P's machine, with which it changes what it opens: each value by its number.
struct Lying<F> {
    machine: Compute,
    number: usize,
    change: F,
}

impl<F: FnMut(usize, &mut [F2])> TwoParty for Lying<F> {
    type Wire = F2;
    type Error = crate::Error;

    fn public(&mut self, bits: &[F2]) -> Result<Vec<F2>, crate::Error> {
        self.machine.public(bits)
    }

    fn call(&mut self, step: &Step, inputs: &[F2]) -> Result<Vec<F2>, crate::Error> {
        step.values(inputs).map_err(|error| crate::Error::Misuse(error.to_string()))
    }

    fn open(&mut self, wires: &[F2]) -> Result<Vec<F2>, crate::Error> {
        let mut values = wires.to_vec();
        (self.change)(self.number, &mut values);
        self.number += 1;
        self.machine.open(&values)
    }

    fn share(&mut self, wires: &[F2]) -> Result<Vec<F2>, crate::Error> {
        self.machine.share(wires)
    }
}

/// Adds a byte to bits.
fn add(bits: &mut [F2], byte: u8) {
    bits.iter_mut().zip(bytes_to_bits(&[byte])).for_each(|(bit, add)| *bit += add);
}

fn is_true(_: usize, _: &mut [F2]) {}

impl Known {
    fn new() -> Self {
        Self::speaking(b"http/1.1")
    }

    /// Of a client and a server that agree on this protocol.
    fn speaking(protocol: &[u8]) -> Self {
        let authority = Authority::new();
        let client = client_13(&authority, rustls::crypto::ring::kx_group::X25519);
        let provider = CryptoProvider {
            kx_groups: exchange::groups(),
            ..CryptoProvider::clone(client.crypto_provider())
        };
        let config = rustls::ClientConfig::builder_with_provider(provider.into());
        let config = config.with_protocol_versions(&[&rustls::version::TLS13]).unwrap();
        let mut roots = rustls::RootCertStore::empty();
        roots.add(authority.der().clone()).unwrap();
        let mut client = config.with_root_certificates(roots).with_no_client_auth();
        client.alpn_protocols = vec![protocol.to_vec()];
        client.resumption = rustls::client::Resumption::disabled();
        let mut server = server_of(&authority.issue(KeyAlgorithm::P256, HOST));
        server.send_tls13_tickets = 0;
        server.alpn_protocols = vec![protocol.to_vec()];
        let Recorded { client, server, .. } = connect(client, server, &[(REQUEST, RESPONSE)]);
        let secret = EarlySecret::new(HashFunction::Sha256).handshake(&exchange::take().unwrap());
        Self { roots: authority.roots(), raw: [client, server], secret, response: RESPONSE.to_vec() }
    }

    fn transcript(&self) -> tls13::Transcript {
        let [client, server] = &self.raw;
        tls13::Transcript::parse(client, server).unwrap()
    }

    fn handshake_secrets(&self) -> HandshakeSecrets {
        let traffic = |side| self.secret.traffic(side, &self.transcript().hello.hash);
        HandshakeSecrets { client: traffic(Side::Client), server: traffic(Side::Server) }
    }

    fn opened(&self) -> Opened {
        self.transcript().open(&self.handshake_secrets()).unwrap()
    }

    fn root(&self) -> Root<F2> {
        Root::Handshake(bytes_to_bits(self.secret.bytes()))
    }

    /// The secret of a side's data.
    fn data(&self, side: Side) -> TrafficSecret {
        self.secret.master().traffic(side, &self.opened().handshake.finished_hash)
    }

    /// What P opens that changes the values of these numbers, of a connection that is open.
    fn values(&self, opened: Opened, change: impl FnMut(usize, &mut [F2])) -> Vec<u8> {
        let mut machine = Lying { machine: Compute::default(), number: 0, change };
        derive::derive(&mut machine, &OpenConnection::Tls13(opened), &self.root()).unwrap();
        machine.machine.into_opened()
    }

    /// What P says about the connection that hides these parts of the response.
    fn message_of(
        &self,
        opened: Opened,
        parts: &[Part],
        change: impl FnMut(usize, &mut [F2]),
    ) -> redaction::DisclosureMessage {
        let exchanges = redaction::exchanges([REQUEST, &self.response], true).unwrap();
        let hide: Vec<_> = parts.iter().map(|part| Redaction::new(Side::Server, part.clone())).collect();
        let shown = [(Side::Client, REQUEST), (Side::Server, &self.response[..])]
            .map(|(side, text)| find(side, text, &exchanges, &hide).unwrap());
        redaction::DisclosureMessage {
            context: Context::default(),
            holder: None,
            opened: self.values(opened, change),
            shown,
        }
    }

    fn message(&self, change: impl FnMut(usize, &mut [F2])) -> redaction::DisclosureMessage {
        self.message_of(self.opened(), &[], change)
    }

    /// Whether V would believe this.
    fn tell(&self, message: &redaction::DisclosureMessage) -> Result<(), Disbelief> {
        self.tell_with(message, Budget::default())
    }

    fn tell_with(&self, message: &redaction::DisclosureMessage, budget: Budget) -> Result<(), Disbelief> {
        let (mut channel, _peer) = scripted(&[(WEB_CLAIMS, message.encode())]);
        let [client, server] = &self.raw;
        // Of the request and an alert: all before the response.
        let seen = OrderEvidence::Held { counts: &[0; 2], pipelined: false };
        let with = Server { host: HOST, port: None, ports: &[] };
        let memory = budget.share();
        let observed = Observed { mode: Mode::Proxy, terms: TERMS, with, client, server, seen, memory };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let root = |_: &Connection| Ok(self.root().blind());
        let statement = match receive(&mut channel, observed, &self.roots, now, &Vec::new(), &root) {
            Ok((statement, _)) => statement,
            Err(Error::Refused(refusal)) => return Err(Disbelief::Refused(refusal)),
            Err(error) => panic!("{error}"),
        };
        match statement.claim(&mut Evaluator::new(), &self.root()) {
            Ok(_) => Ok(()),
            Err(CircuitError::Unsatisfied { .. }) => Err(Disbelief::Unsatisfied),
            Err(error) => panic!("{error}"),
        }
    }

    /// The places of a side's records of data.
    fn places(&self, side: usize) -> Vec<Range<usize>> {
        let (bytes, mut at, mut all) = (&self.raw[side], 0, Vec::new());
        while at < bytes.len() {
            let end = at + 5 + usize::from(u16::from_be_bytes([bytes[at + 3], bytes[at + 4]]));
            all.push(at..end);
            at = end;
        }
        let opened = self.opened();
        all.split_off(all.len() - [opened.client.len(), opened.server.len()][side])
    }

    /// With other contents, under the true key, in the place of a side's record and of all after it.
    fn with(&self, side: Side, number: usize, contents: &[Content<'_>]) -> Self {
        let (mut known, secret) = (self.clone(), self.data(side));
        let index = usize::from(side == Side::Server);
        let place = self.places(index)[number].start;
        known.raw[index].truncate(place);
        for (sequence, content) in (number as u64..).zip(contents) {
            known.raw[index].extend(seal(&secret, sequence, *content));
        }
        known
    }

    /// What V makes of an honest P's words about the connection with these contents after the response.
    fn after_response(&self, contents: &[Content<'_>]) -> Result<(), Disbelief> {
        let known = self.with(Side::Server, 1, contents);
        known.tell(&known.message(is_true))
    }
}

fn refused<T>(refusal: impl Into<Refusal>) -> Result<T, Disbelief> {
    Err(Disbelief::Refused(refusal.into()))
}

#[test]
fn what_is_true_is_believed() {
    let known = Known::new();
    for hidden in [&[][..], &[Part::Json("name".into()), Part::Json("balance".into())]] {
        assert_eq!(known.tell(&known.message_of(known.opened(), hidden, is_true)), Ok(()));
    }
}

/// The protocol shows when the handshake is open, which is after P has spoken.
#[test]
fn what_was_agreed_to_be_another_protocol_is_not_read_as_http() {
    let known = Known::speaking(b"h2");
    assert_eq!(known.tell(&known.message(is_true)), refused(Refusal::Protocol("h2".into())));
}

#[test]
fn padding_and_empty_records_and_whole_tickets_are_believed() {
    let known = Known::new();
    for padding in [1, 15, 16, 17, 300] {
        let padded = known.with(Side::Server, 0, &[(23, RESPONSE, padding), (21, &[1, 0], padding)]);
        assert_eq!(padded.tell(&padded.message(is_true)), Ok(()), "{padding}");
    }
    let (first, last) = RESPONSE.split_at(70);
    let tickets = [&[4, 0, 0, 2, 7, 7][..], &[4, 0, 0, 0], &[4, 0, 0, 1, 7]].concat();
    let contents: [Content<'_>; 6] = [
        (22, &tickets, 0),
        (23, &[], 3),
        (23, first, 0),
        (22, &[4, 0, 0, 20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20], 40),
        (23, last, 0),
        (21, &[1, 0], 0),
    ];
    let other = known.with(Side::Server, 0, &contents);
    assert_eq!(other.tell(&other.message_of(other.opened(), &[Part::Json("name".into())], is_true)), Ok(()));
}

/// P hides the end of the response: it opens the last bytes of its record as if they were padding.
#[test]
fn the_length_of_a_content_is_proved() {
    let known = Known::new();
    let cut = RESPONSE.iter().rposition(|byte| *byte == b',').unwrap();
    let shorter = Known { response: RESPONSE[..cut].to_vec(), ..known.clone() };
    let plain = [RESPONSE, &[23]].concat();
    let message = shorter.message(|number, bits| {
        let Some(from_end) = number.checked_sub(SERVER_RECORD) else { return };
        let Some(place) = plain.len().checked_sub(from_end + 1).filter(|place| *place >= cut) else { return };
        add(bits, plain[place] ^ if place == cut { 23 } else { 0 });
    });
    assert_eq!(shorter.tell(&message), Err(Disbelief::Unsatisfied));
    // Without that, V sees where the content ends.
    let refusal = Refusal::Payload { side: Side::Server, reason: "not as long as the records' contents" };
    assert_eq!(shorter.tell(&shorter.message(is_true)), Err(Disbelief::Refused(refusal)));
}

/// P passes a record of the response off as a ticket, and a record of something else off as the response.
#[test]
fn the_type_of_a_content_is_proved() {
    let (known, more) = (Known::new(), b"more");
    let longer = known.with(Side::Server, 1, &[(23, more, 0), (21, &[1, 0], 0)]);
    let message = longer.message(|number, bits| {
        // The type; then a header in the place of the text.
        match number.checked_sub(SERVER_RECORD + 1) {
            Some(0) => add(bits, 22 ^ 23),
            Some(1) => bits.chunks_mut(8).zip(more).zip([4, 0, 0, 0]).for_each(|((bits, byte), header)| {
                add(bits, byte ^ header);
            }),
            _ => {}
        }
    });
    assert_eq!(longer.tell(&message), Err(Disbelief::Unsatisfied));

    let other = known.with(Side::Server, 0, &[(24, RESPONSE, 0), (21, &[1, 0], 0)]);
    let message = other.message(|number, bits| {
        if number == SERVER_RECORD {
            add(bits, 23 ^ 24);
        }
    });
    assert_eq!(other.tell(&message), Err(Disbelief::Unsatisfied));
}

/// What P opens of an alert decides whether the server ended the connection.
#[test]
fn alerts_are_proved() {
    let known = Known::new().with(Side::Server, 1, &[(21, &[2, 40], 0)]);
    let message = known.message(|number, bits| {
        if number == SERVER_RECORD + 2 {
            bits.chunks_mut(8).zip([2 ^ 1, 40]).for_each(|(bits, byte)| add(bits, byte));
        }
    });
    assert_eq!(known.tell(&message), Err(Disbelief::Unsatisfied));
}

#[test]
fn only_whole_tickets_data_and_alerts_come_after_the_handshake() {
    let known = Known::new();
    let content = |reason| refused(Refusal::Content { side: Side::Server, sequence: 1, reason });
    let closed: Content<'_> = (21, &[1, 0], 0);
    assert_eq!(
        known.after_response(&[(22, &[24, 0, 0, 1, 0], 0)]),
        refused(TranscriptError::KeyUpdate(Side::Server))
    );
    assert_eq!(
        known.after_response(&[(22, &[13, 0, 0, 1, 0], 0)]),
        refused(TranscriptError::CertificateRequest)
    );
    for (part, padding) in [(&[4, 0, 0, 9, 1][..], 0), (&[4, 0, 0], 0), (&[4, 0, 0, 0, 4], 3), (&[], 0)] {
        let result = known.after_response(&[(22, part, padding), closed]);
        assert_eq!(result, content("a handshake message that is not whole in it"), "{part:?}");
    }
    for alert in [&[][..], &[1], &[1, 0, 0]] {
        let result = known.after_response(&[(21, alert, 0)]);
        assert_eq!(result, content("an alert that is not two bytes"), "{alert:?}");
    }
    for (content_type, bytes) in [(20, &[1][..]), (24, &[1]), (0, &[])] {
        let result = known.after_response(&[(content_type, bytes, 5), closed]);
        assert_eq!(result, content("a content of no known type"), "{content_type}");
    }
    assert_eq!(known.after_response(&[closed, closed]), refused(Refusal::Alert(Side::Server)));
    // The client has nothing to say but data and alerts.
    for (message, error) in [
        ([24, 0, 0, 0], TranscriptError::KeyUpdate(Side::Client)),
        ([11, 0, 0, 0], TranscriptError::ClientCertificate),
        (
            [4, 0, 0, 0],
            TranscriptError::Unexpected {
                side: Side::Client,
                expected: "application data",
                found: "handshake message 4".into(),
            },
        ),
    ] {
        let client = known.with(Side::Client, 1, &[(22, &message, 0)]);
        assert_eq!(client.tell(&client.message(is_true)), refused(error));
    }
}

#[test]
fn records_are_the_server_s_in_their_order() {
    let known = Known::new();
    let message = known.message(is_true);
    // A byte of the text, which is not opened.
    let mut changed = known.clone();
    let place = known.places(1)[0].start + 5;
    changed.raw[1][place] ^= 1;
    assert_eq!(changed.tell(&message), refused(Refusal::Tag { side: Side::Server, sequence: 0 }));
    // Two records of the same size change places.
    assert_eq!(RESPONSE.len() % 2, 0);
    let (first, last) = RESPONSE.split_at(RESPONSE.len() / 2);
    let parted = known.with(Side::Server, 0, &[(23, first, 0), (23, last, 0), (21, &[1, 0], 0)]);
    let [one, two, _] = <[Range<usize>; 3]>::try_from(parted.places(1)).unwrap();
    let mut swapped = parted.clone();
    let bytes = [&parted.raw[1][two.clone()], &parted.raw[1][one.clone()]].concat();
    swapped.raw[1][one.start..two.end].copy_from_slice(&bytes);
    // P opens types that make both look right.
    let last = |place: &Range<usize>| parted.raw[1][place.end - TAG_BYTES - 1];
    let message = swapped.message(|number, bits| {
        if [SERVER_RECORD, SERVER_RECORD + 1].contains(&number) {
            add(bits, last(&one) ^ last(&two));
        }
    });
    assert_eq!(swapped.tell(&message), refused(Refusal::Tag { side: Side::Server, sequence: 0 }));
}

#[test]
fn a_server_that_says_nothing_after_its_handshake_shows_no_keys() {
    let known = Known::new().with(Side::Server, 0, &[]);
    let mut message = Known::new().message(is_true);
    message.opened = known.values(known.opened(), is_true);
    message.shown[1] = RedactedPayload::default();
    assert_eq!(known.tell(&message), refused(Refusal::Unanswered));
}

/// P opens secrets of the handshake that are not derived from its secret: those of another connection, or
/// those under which it has made the server's flight itself.
#[test]
fn the_secrets_of_the_handshake_are_the_connection_s() {
    let known = Known::new();
    let other = Known { raw: known.raw.clone(), ..Known::new() };
    let mut message = known.message(is_true);
    message.opened = other.values(known.opened(), is_true);
    let sealed = TranscriptError::Sealed { side: Side::Server, sequence: 0 };
    assert_eq!(known.tell(&message), refused(sealed));

    let secrets = forge::secrets();
    let true_secrets = known.handshake_secrets();
    let lies = [(1, &true_secrets.client, &secrets.client), (2, &true_secrets.server, &secrets.server)];
    let lie = |number: usize, bits: &mut [F2]| {
        for (place, from, to) in lies {
            if number == place {
                let difference = from.bytes().iter().zip(to.bytes()).map(|(from, to)| from ^ to);
                bits.chunks_mut(8).zip(difference).for_each(|(bits, byte)| add(bits, byte));
            }
        }
    };
    let flight = forge::flight(&known.transcript(), &true_secrets);
    // The same messages: everything that V sees is right, and the proof is not.
    let forged = known.with_flight(&flight);
    let opened = forged.transcript().open(&secrets).unwrap();
    let message = forged.message_of(opened, &[], lie);
    assert_eq!(forged.tell(&message), Err(Disbelief::Unsatisfied));
    // Another protocol in EncryptedExtensions: nobody but the server could sign that.
    let mut changed = flight;
    let place = changed.windows(8).position(|bytes| bytes == b"http/1.1").unwrap();
    changed[place + 7] = b'0';
    let forged = known.with_flight(&changed);
    let opened = forged.transcript().open(&secrets).unwrap();
    let message = forged.message_of(opened, &[], lie);
    let told = forged.tell(&message);
    assert!(
        matches!(told, Err(Disbelief::Refused(Refusal::Server(server::Error::Signature(_))))),
        "{told:?}"
    );
}

impl Known {
    /// With this flight of the server's, under secrets of P's, and the right data after it: its keys depend
    /// on the flight.
    fn with_flight(&self, flight: &[u8]) -> Self {
        let hellos = self.raw.each_ref().map(|bytes| {
            let length = usize::from(u16::from_be_bytes([bytes[3], bytes[4]]));
            bytes[5..5 + length].to_vec()
        });
        let server = forge::with_server_finished(&hellos, flight);
        let client = forge::client_finished(&hellos, &server);
        let HandshakeSecrets { client: own, server: other } = forge::secrets();
        let hash = HashFunction::Sha256.hash(&[&*hellos.concat(), &server].concat());
        let mut raw = hellos.map(|hello| forge::record(22, &hello));
        let alert: Content<'_> = (21, &[1, 0], 0);
        for (bytes, side, secret, messages, data) in
            [(0, Side::Client, own, client, REQUEST), (1, Side::Server, other, server, RESPONSE)]
        {
            raw[bytes].extend(seal(&secret, 0, (22, &messages, 0)));
            let secret = self.secret.master().traffic(side, &hash);
            for (sequence, content) in (0..).zip([(23, data, 0), alert]) {
                raw[bytes].extend(seal(&secret, sequence, content));
            }
        }
        Self { raw, ..self.clone() }
    }
}

/// What P opens takes V eight bytes of memory for each byte of padding, and a server of P's own can send as
/// much padding as V takes bytes.
#[test]
fn v_opens_no_more_than_it_has_memory_for() {
    let known = Known::new();
    let padded = known.with(Side::Server, 0, &[(23, RESPONSE, 15_000), (21, &[1, 0], 0)]);
    let message = padded.message(is_true);
    assert!(message.opened.len() > 15_000);
    // Enough for the claims, of which there are none.
    let told = padded.tell_with(&message, Budget::new(10_000));
    assert_eq!(told, refused(Refusal::Memory { ever: true }));
    assert_eq!(padded.tell_with(&message, Budget::new(1_000_000)), Ok(()));
}

/// The server is P's own and sends many records, which are short.
#[test]
fn key_stream_that_v_keeps_of_each_record_takes_memory() {
    let known = Known::new();
    let mut contents: Vec<Content<'_>> = vec![(23, &[], 0); 32];
    contents[0] = (23, RESPONSE, 0);
    contents[31] = (21, &[1, 0], 0);
    let other = known.with(Side::Server, 0, &contents);
    let message = other.message(is_true);
    // The client has sent a request and an alert. A block of AES has 128 wires.
    let wire = size_of::<Folded<F2, VerifierWire>>() as u64;
    let kept = (contents.len() as u64 + 2) * 128 * wire;
    let enough = 8 * message.opened.len() as u64 + kept;
    assert_eq!(other.tell_with(&message, Budget::new(enough)), Ok(()));
    let told = other.tell_with(&message, Budget::new(enough - 1));
    assert_eq!(told, refused(Refusal::Memory { ever: true }));
}

/// Nobody needs the key stream of padding and of tickets again, and V would keep kilobytes of each block. Of
/// data the block is kept that the type and padding share.
#[test]
fn of_each_record_at_most_one_block_of_key_stream_is_kept() {
    let (known, tickets) = (Known::new(), [4, 0, 0, 0].repeat(50));
    let [whole, part] = [64, 65].map(|length| &RESPONSE[..length]);
    let contents: [(Content<'_>, usize); 5] = [
        ((23, part, 0), 1),
        ((23, part, 900), 1),
        ((23, whole, 900), 0),
        ((22, &tickets, 0), 0),
        ((22, &tickets, 900), 0),
    ];
    for (content, kept) in contents {
        let other = known.with(Side::Server, 0, &[content, (21, &[1, 0], 0)]);
        let connection = OpenConnection::Tls13(other.opened());
        let derived = derive::derive(&mut Compute::default(), &connection, &other.root()).unwrap();
        let [_, server] = derived.keys;
        assert_eq!(server.kept(), kept);
    }
}
