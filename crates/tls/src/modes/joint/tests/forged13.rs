//! Connections of TLS 1.3 that P makes up in part, and what V must find in each.

use rustls::crypto::ring::kx_group::X25519;
use volery_channel::{Limits as ChannelLimits, memory_pair, tags};

use super::*;
use crate::modes::joint::read::{RecordTurn, ServerRecord};
use crate::modes::joint::testing::Change;
use crate::modes::joint::used::{Part as VerifierPart, Used, UsedMessages};
use crate::page::disclosure::{Connection, Error as Disclosure, OpenConnection, OwnPart as _, Refusal, Root};
use crate::page::disclosure::{TlsVersion, TranscriptError};
use crate::testing::SESSION;
use crate::wire::hash::{HandshakeHash, HashFunction};
use crate::wire::key_exchange::PublicPoint;
use crate::wire::key_schedule::TrafficSecret;
use crate::wire::suite::Suite;
use crate::wire::transcript::testing::{Authority, Recorded, client_13, connect, server};
use crate::wire::transcript::tls13::{HandshakeSecrets, Transcript, forge};

const SHORT: &str = "GET / HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\n\r\n";

/// A connection of a client alone, and its secrets of the handshake.
fn recorded() -> (Recorded, HandshakeSecrets) {
    let authority = Authority::new();
    let client = client_13(&authority, X25519);
    let recorded = connect(
        client,
        server(&authority.issue(KeyAlgorithm::P256, HOST)),
        &[(SHORT.as_bytes(), b"HTTP/1.1 204 No\r\n\r\n")],
    );
    let [handshake, _] = recorded.traffic.clone().unwrap();
    let [client, server] =
        handshake.map(|secret| TrafficSecret::from_bytes(HashFunction::Sha256, &secret).unwrap());
    (recorded, HandshakeSecrets { client, server })
}

/// The server's records with these payloads, as V notes them when they are read.
fn read(payloads: &[Vec<u8>]) -> Vec<ServerRecord> {
    let (mut channel, _peer) = memory_pair(&ChannelLimits::default());
    let mut turn = RecordTurn::new(&SESSION, (Suite::Aes128GcmSha256.aead(), TlsVersion::Tls13));
    payloads.iter().map(|payload| turn.announce(&mut channel, payload).unwrap()).collect()
}

#[test]
fn all_that_v_used_must_be_in_the_connection_that_p_hands_over() {
    let (recorded, secrets) = recorded();
    let transcript = || Transcript::parse(&recorded.client, &recorded.server).unwrap();
    let opened = transcript().open(&secrets).unwrap();
    let payload = |number: usize| {
        let record = &opened.server[number];
        [&*record.ciphertext, &record.tag].concat()
    };
    assert!(opened.server.len() > 2 && opened.client.len() == 2);
    let used = || Used {
        server_point: opened.handshake.hello.server_point,
        suite: Suite::Aes128GcmSha256,
        messages: UsedMessages::Tls13 {
            hellos: opened.handshake.hello.hash,
            finished: opened.handshake.finished_hash,
        },
        ciphertexts: opened.client.iter().map(|record| record.ciphertext.clone()).collect(),
        read: read(&[payload(0), payload(1)]),
        held: vec![0; 2],
        pipelined: false,
    };
    let root: Root<()> = Root::Handshake(Vec::new());
    let early = |used: &Used| used.check(&Connection::Tls13(transcript()));
    let late = |used: &Used| {
        let part = VerifierPart { used, root: &root };
        part.check(&OpenConnection::Tls13(opened.clone()))
    };
    assert_eq!((early(&used()), late(&used())), (Ok(()), Ok(())));
    let other = |what| Err(Refusal::Another(what));

    // A point whose logarithm P knows: it would know all keys of V's.
    let own = PublicPoint::from_bytes(Group::X25519, &{
        let mut base = [0; 32];
        base[0] = 9;
        base
    });
    assert_eq!(early(&Used { server_point: own.unwrap(), ..used() }), other("server's point"));
    // Keys of another suite than the server chose.
    for suite in [Suite::Aes256GcmSha384, Suite::ChaCha20Poly1305Sha256] {
        assert_eq!(early(&Used { suite, ..used() }), other("cipher suite"));
    }
    let messages = |hellos, finished| UsedMessages::Tls13 { hellos, finished };
    let hash = opened.handshake.hello.hash;
    let finished = opened.handshake.finished_hash;
    assert_eq!(
        early(&Used { messages: messages(HandshakeHash::Sha256([1; 32]), finished), ..used() }),
        other("hellos")
    );
    // Keys from the hash of other messages than the server's.
    assert_eq!(
        late(&Used { messages: messages(hash, HandshakeHash::Sha256([1; 32])), ..used() }),
        other("handshake")
    );
    let mut ciphertexts = used().ciphertexts;
    ciphertexts[0][0] ^= 1;
    assert_eq!(early(&Used { ciphertexts: ciphertexts.clone(), ..used() }), other("client's records"));
    assert_eq!(late(&Used { ciphertexts, ..used() }), other("client's records"));
    // A record after the handshake that V did not complete.
    let ciphertexts = used().ciphertexts.split_off(1);
    assert_eq!(late(&Used { ciphertexts, ..used() }), other("client's records"));
    // Records that were read: in another order, with another tag, not the first, more than there are.
    let mut tag = payload(1);
    *tag.last_mut().unwrap() ^= 1;
    let all: Vec<_> = (0..opened.server.len()).map(payload).collect();
    for payloads in [
        vec![payload(1), payload(0)],
        vec![payload(0), tag],
        vec![payload(1)],
        [all, vec![payload(0)]].concat(),
    ] {
        assert_eq!(late(&Used { read: read(&payloads), ..used() }), other("server's records"));
    }
}

/// Notes whether V opens anything.
fn opens() -> (Change, std::sync::Arc<std::sync::atomic::AtomicBool>) {
    let opened = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let note = std::sync::Arc::clone(&opened);
    let change: Change = Box::new(move |tag, _: &mut Vec<u8>| {
        if [tags::KEY_OPENING, tags::GARBLED_OPENING].contains(&tag) {
            note.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    });
    (change, opened)
}

/// The server signed a connection that P has made alone. P has V compute with a point of its own instead of
/// the server's, so that it knows all of V's keys, and puts the server's flight under them.
#[test]
fn p_cannot_have_v_compute_with_another_point_than_the_server_s() {
    let (recorded, true_secrets) = recorded();
    let transcript = Transcript::parse(&recorded.client, &recorded.server).unwrap();
    let hello = transcript.hello.clone();
    let site = Site::new(KeyAlgorithm::P256, b"");
    let (listen, opened) = opens();
    let run = Run { tls: TlsVersion::Tls13, ..Run::new(&site, SHORT.as_bytes()) };
    let run = Run { changes: [Box::new(volery_testing::untouched), listen], ..run };
    let (_, v) = run.go_with(|engine| {
        let mut base = [0; 32];
        base[0] = 9;
        engine.agree(Group::X25519, &base)?;
        let [client, server] = engine.handshake_secrets(&hello.hash)?;
        let hellos = [&recorded.client, &recorded.server].map(|bytes| {
            let length = usize::from(u16::from_be_bytes([bytes[3], bytes[4]]));
            bytes[5..5 + length].to_vec()
        });
        let flight = forge::flight(&transcript, &true_secrets);
        let hash = HashFunction::Sha256.hash(&[&*hellos.concat(), &flight].concat());
        let flight = [&flight, &*forge::message(20, &server.verify_data(&hash))].concat();
        let hash = HashFunction::Sha256.hash(&[&*hellos.concat(), &flight].concat());
        engine.data_keys(&hash)?;
        let finished = forge::message(20, &client.verify_data(&hash));
        let request = engine.encrypt(23, SHORT.as_bytes())?;
        let mut raw = hellos.map(|hello| forge::record(22, &hello));
        raw[0].extend(forge::seal(&client, 0, (22, &finished, 0)));
        raw[0].extend(forge::record(23, &request));
        raw[1].extend(forge::seal(&server, 0, (22, &flight, 0)));
        // P could make this right.
        raw[1].extend(forge::record(23, &[7; 60]));
        Ok((Vec::new(), raw))
    });
    let refusal = Refusal::Another("server's point");
    assert_eq!(v.unwrap_err(), Error::Disclosure(Disclosure::Refused(refusal)));
    assert!(!opened.load(std::sync::atomic::Ordering::Relaxed));
}

/// P prepares one version, and hands over a connection of the other.
#[test]
fn a_connection_of_another_version_than_was_prepared_is_refused() {
    let (newer, _) = recorded();
    let site = Site::new(KeyAlgorithm::P256, &response("42"));
    let older = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let kept = std::sync::Arc::clone(&older);
    let keep: Change = Box::new(move |tag, message: &mut Vec<u8>| {
        if tag == tags::CLIENT_TRANSCRIPT {
            kept.lock().unwrap().push(message.clone());
        }
    });
    let honest = Run::new(&site, SHORT.as_bytes());
    let (_, v) = Run { changes: [keep, Box::new(volery_testing::untouched)], ..honest }.go();
    v.unwrap();
    let older = older.lock().unwrap().clone();
    for (tls, parts, error) in [
        (TlsVersion::Tls13, [older[1].clone(), older[2].clone()], TranscriptError::Older(0x0303)),
        (TlsVersion::Tls12, [newer.client, newer.server], TranscriptError::Version(0x0304)),
    ] {
        let mut seen = 0;
        let swap: Change = Box::new(move |tag, message: &mut Vec<u8>| {
            if tag == tags::CLIENT_TRANSCRIPT {
                if seen > 0 {
                    message.clone_from(&parts[seen - 1]);
                }
                seen += 1;
            }
        });
        let (listen, opened) = opens();
        let run = Run { tls, ..Run::new(&site, SHORT.as_bytes()) };
        let (_, v) = Run { changes: [swap, listen], ..run }.go();
        assert_eq!(v.unwrap_err(), Error::Disclosure(Disclosure::Refused(error.into())));
        assert!(!opened.load(std::sync::atomic::Ordering::Relaxed));
    }
}

/// A server that answers before it has heard anything but the client's hello, and hears nothing after that.
struct Eager {
    connection: rustls::ServerConnection,
    response: Option<Vec<u8>>,
    output: Vec<u8>,
}

impl client::Socket for Eager {}

impl std::io::Write for Eager {
    fn write(&mut self, mut bytes: &[u8]) -> std::io::Result<usize> {
        let length = bytes.len();
        if let Some(response) = self.response.take() {
            self.connection.read_tls(&mut bytes)?;
            self.connection.process_new_packets().unwrap();
            self.connection.writer().write_all(&response)?;
            self.connection.send_close_notify();
            while self.connection.wants_write() {
                self.connection.write_tls(&mut self.output)?;
            }
        }
        Ok(length)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl std::io::Read for Eager {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(self.output.len());
        buffer[..count].copy_from_slice(&self.output[..count]);
        self.output.drain(..count);
        Ok(count)
    }
}

/// Passes all calls on, with another hash for the keys of data.
struct OtherHash<'a>(&'a mut dyn Engine, u8);

impl Engine for OtherHash<'_> {
    fn protocol(&self) -> (TlsVersion, Suite) {
        self.0.protocol()
    }
    fn public_key(&mut self, group: Group) -> Result<Vec<u8>, Error> {
        self.0.public_key(group)
    }
    fn agree(&mut self, group: Group, point: &[u8]) -> Result<(), Error> {
        self.0.agree(group, point)
    }
    fn master_secret(&mut self, seed: &crate::wire::prf::MasterSeed) -> Result<(), Error> {
        self.0.master_secret(seed)
    }
    fn key_block(&mut self, client: &[u8; 32], server: &[u8; 32]) -> Result<(), Error> {
        self.0.key_block(client, server)
    }
    fn client_finished(&mut self, hash: &HandshakeHash) -> Result<[u8; 12], Error> {
        self.0.client_finished(hash)
    }
    fn handshake_secrets(&mut self, hash: &HandshakeHash) -> Result<[TrafficSecret; 2], Error> {
        self.0.handshake_secrets(hash)
    }
    fn data_keys(&mut self, hash: &HandshakeHash) -> Result<(), Error> {
        let HandshakeHash::Sha256(mut hash) = *hash else { panic!("a hash of the suite") };
        hash[0] ^= self.1;
        let hash = HandshakeHash::Sha256(hash);
        self.0.data_keys(&hash)
    }
    fn encrypt(&mut self, content_type: u8, plaintext: &[u8]) -> Result<Vec<u8>, Error> {
        self.0.encrypt(content_type, plaintext)
    }
    fn decrypt(&mut self, payload: &[u8]) -> Result<Content, Error> {
        self.0.decrypt(payload)
    }
}

/// A server's words come before it has heard the client's Finished. P says another hash when the keys of data
/// are derived, so V helps to make a request under keys that the server does not have: nobody could ever read
/// it.
#[test]
fn a_request_under_keys_that_the_server_does_not_have_is_refused() {
    use crate::modes::joint::client::{ConnectionLimits, Target, query};
    let mut site = Site::new(KeyAlgorithm::P256, &response("42"));
    let mut config = rustls::ServerConfig::clone(&site.config);
    config.send_half_rtt_data = true;
    site.config = std::sync::Arc::new(config);
    for (other, refusal) in [(0, None), (1, Some(Refusal::Another("handshake")))] {
        let run = Run { tls: TlsVersion::Tls13, ..Run::new(&site, SHORT.as_bytes()) };
        let (_, v) = run.go_with(|engine| {
            let connection = rustls::ServerConnection::new(std::sync::Arc::clone(&site.config)).unwrap();
            let server = Eager { connection, response: Some(response("42")), output: Vec::new() };
            let roots = site.authority.roots();
            let target = Target {
                host: HOST,
                roots: &roots,
                probed: false,
                no_alpn: false,
                limits: ConnectionLimits::default(),
            };
            let engine = &mut OtherHash(engine, other);
            let captured = query(engine, server, &target, SHORT.as_bytes(), &[SHORT.len()])?;
            Ok((Vec::new(), [captured.client, captured.server]))
        });
        match refusal {
            // What a server says unasked, V believes to be an answer: the same in TLS 1.2.
            None => assert_eq!(v.unwrap().response.text, response("42")),
            Some(refusal) => assert_eq!(v.unwrap_err(), Error::Disclosure(Disclosure::Refused(refusal))),
        }
    }
}
