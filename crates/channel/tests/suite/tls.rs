//! Who is trusted over TLS, and who is not.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::client::Resumption;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use volery_channel::handshake::{Hello, Mismatch, Parameters, Role, TLS};
use volery_channel::tls::{
    ClientConfig, Fingerprint, ServerConfig, Tls, Trust, client_config, raw_key_server_config, server_config,
};
use volery_channel::transport::{Interest, Memory, Socket, Transport};
use volery_channel::{Channel, Error, Framed, Limits, Operation, memory_pair, tags};

use crate::links::{Link, Tcp, put};

/// An authority and a server certificate by it for `localhost`, in files.
struct Files {
    dir: tempfile::TempDir,
    server_der: CertificateDer<'static>,
}

impl Files {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let server = params.signed_by(&key, &authority).unwrap();
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in
            [("roots.pem", authority.pem()), ("chain.pem", server.pem()), ("key.pem", key.serialize_pem())]
        {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        Self { dir, server_der: server.der().clone() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn server(&self) -> (Arc<ServerConfig>, Fingerprint) {
        server_config(&self.path("chain.pem"), &self.path("key.pem")).unwrap()
    }

    fn roots(&self) -> Arc<ClientConfig> {
        client_config(&Trust::Roots(self.path("roots.pem"))).unwrap()
    }
}

type Ends = (Result<Tls<Socket>, Error>, Result<Tls<Socket>, Error>);

fn negotiate(client: Arc<ClientConfig>, name: &str, server: Arc<ServerConfig>) -> Ends {
    let (left, right) = Tcp::pair();
    let limits = Limits::default();
    thread::scope(|scope| {
        let accepted = scope.spawn(|| Tls::accept(right, server, &limits));
        (Tls::connect(left, client, name, &limits), accepted.join().unwrap())
    })
}

fn assert_talks((client, server): Ends) {
    let mut client = Framed::new(client.unwrap(), Limits::default());
    let mut server = Framed::new(server.unwrap(), Limits::default());
    client.send(tags::TEST, b"hello").unwrap();
    client.flush().unwrap();
    assert_eq!(server.recv(tags::TEST, 5).unwrap(), b"hello");
}

fn assert_refused((client, server): Ends, reason: &str) {
    match client {
        Err(Error::Tls(text)) => assert!(text.contains(reason), "{text}"),
        other => panic!("{other:?}"),
    }
    assert!(server.is_err());
}

#[test]
fn a_server_certified_by_a_trusted_authority_is_accepted_under_its_name_only() {
    let files = Files::new();
    assert_talks(negotiate(files.roots(), "localhost", files.server().0));
    assert_refused(negotiate(files.roots(), "example.org", files.server().0), "not valid for name");
}

#[test]
fn a_server_of_another_authority_is_refused() {
    assert_refused(
        negotiate(Files::new().roots(), "localhost", Files::new().server().0),
        "invalid peer certificate",
    );
}

#[test]
fn a_pinned_certificate_is_accepted_under_any_name_and_no_other_is() {
    let (files, other) = (Files::new(), Files::new());
    let (server, pin) = files.server();
    assert_eq!(pin, Fingerprint::of(&files.server_der));
    let client = client_config(&Trust::Pin(pin)).unwrap();
    assert_talks(negotiate(Arc::clone(&client), "example.org", server));
    assert_refused(negotiate(client, "localhost", other.server().0), "invalid peer certificate");
}

/// Shows a certificate without having its key.
#[derive(Debug)]
struct Thief(Arc<CertifiedKey>);

impl ResolvesServerCert for Thief {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }
}

#[test]
fn a_copied_certificate_without_its_key_is_refused_although_it_is_pinned() {
    let victim = Files::new();
    let key = KeyPair::generate().unwrap().serialize_der();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let signer = provider.key_provider.load_private_key(PrivateKeyDer::try_from(key).unwrap()).unwrap();
    let stolen = CertifiedKey::new(vec![victim.server_der.clone()], signer);
    let mut server = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(Thief(Arc::new(stolen))));
    server.alpn_protocols = vec![b"volery".to_vec()];
    let client = client_config(&Trust::Pin(Fingerprint::of(&victim.server_der))).unwrap();
    assert_refused(negotiate(client, "localhost", Arc::new(server)), "BadSignature");
}

/// A secret key of Ed25519 and its public key: RFC 8032, section 7.1, tests 1 and 2.
const KEYS: [([u8; 32], [u8; 32]); 2] = [
    (
        hex(b"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"),
        hex(b"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"),
    ),
    (
        hex(b"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"),
        hex(b"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"),
    ),
];

/// The bytes that digits stand for.
const fn hex(digits: &[u8; 64]) -> [u8; 32] {
    const fn digit(digit: u8) -> u8 {
        if digit.is_ascii_digit() { digit - b'0' } else { digit - b'a' + 10 }
    }
    let (mut bytes, mut at) = ([0; 32], 0);
    while at < 32 {
        bytes[at] = digit(digits[2 * at]) << 4 | digit(digits[2 * at + 1]);
        at += 1;
    }
    bytes
}

#[test]
fn a_known_key_without_a_certificate_is_accepted_and_no_other_is() {
    let [(seed, key), (other, _)] = KEYS;
    let client = client_config(&Trust::Key(key)).unwrap();
    assert_talks(negotiate(Arc::clone(&client), "any.example", raw_key_server_config(&seed).unwrap()));
    assert_refused(
        negotiate(client, "localhost", raw_key_server_config(&other).unwrap()),
        "invalid peer certificate",
    );
}

#[test]
fn a_copied_key_without_its_secret_half_is_refused() {
    let [(_, key), (seed, _)] = KEYS;
    let provider = rustls::crypto::ring::default_provider();
    let pkcs8 = [b"\x30\x2e\x02\x01\0\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20", &seed[..]].concat();
    let signer = provider.key_provider.load_private_key(PrivateKeyDer::Pkcs8(pkcs8.into())).unwrap();
    let spki = [b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\0", &key[..]].concat();
    let stolen = Arc::new(CertifiedKey::new(vec![CertificateDer::from(spki)], signer));
    let mut server = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(rustls::server::AlwaysResolvesServerRawPublicKeys::new(stolen)));
    server.alpn_protocols = vec![b"volery".to_vec()];
    let client = client_config(&Trust::Key(key)).unwrap();
    assert_refused(negotiate(client, "localhost", Arc::new(server)), "BadSignature");
}

#[test]
fn a_key_and_a_certificate_do_not_stand_for_each_other() {
    let (files, [(seed, key), _]) = (Files::new(), KEYS);
    let (certified, pin) = files.server();
    for (client, server) in [
        (Trust::Key(key), certified),
        (Trust::Pin(pin), raw_key_server_config(&seed).unwrap()),
        (Trust::Roots(files.path("roots.pem")), raw_key_server_config(&seed).unwrap()),
    ] {
        let (client, server) = negotiate(client_config(&client).unwrap(), "localhost", server);
        assert!(client.is_err() && server.is_err(), "{client:?}");
    }
}

#[test]
fn a_peer_without_tls_is_refused_on_either_side() {
    let files = Files::new();
    for client in [true, false] {
        let (end, mut raw) = Tcp::pair();
        assert!(put(&mut raw, b"\x01\x30\0\0\0VOLERY\r\n\x01\0 and so on"));
        let result = match client {
            true => Tls::connect(end, files.roots(), "localhost", &Limits::default()),
            false => Tls::accept(end, files.server().0, &Limits::default()),
        };
        assert!(matches!(result, Err(Error::Tls(_))), "{result:?}");
    }
}

#[test]
fn a_peer_that_does_not_negotiate_times_out() {
    let (end, _raw) = Tcp::pair();
    let limits = Limits { connect: Duration::from_millis(50), ..Limits::default() };
    let error = Tls::accept(end, Files::new().server().0, &limits).unwrap_err();
    assert!(matches!(error, Error::TimedOut { operation: Operation::TlsHandshake, .. }), "{error:?}");
}

/// A peer that always has another byte of its first message, which is as long as such a message can be.
#[derive(Debug)]
struct Trickle(usize);

impl Transport for Trickle {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        // A record, and in it a handshake message.
        const START: [u8; 9] = [22, 3, 1, 0x40, 0, 1, 0, 0xff, 0xff];
        thread::sleep(Duration::from_millis(1));
        out[0] = START.get(self.0).copied().unwrap_or_default();
        self.0 += 1;
        Ok(Some(1))
    }
    fn try_write(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        Ok(Some(bytes.len()))
    }
    fn try_flush(&mut self) -> io::Result<bool> {
        Ok(true)
    }
    fn wait(&mut self, _interest: Interest, _deadline: Instant) -> io::Result<bool> {
        Ok(true)
    }
    fn shutdown(&mut self) {}
    fn needs_linger(&self) -> bool {
        false
    }
    fn binding(&self) -> Option<[u8; 32]> {
        None
    }
}

#[test]
fn a_peer_that_negotiates_byte_by_byte_times_out() {
    let limits = Limits { connect: Duration::from_millis(50), ..Limits::default() };
    let error = Tls::accept(Trickle(0), Files::new().server().0, &limits).unwrap_err();
    assert!(matches!(error, Error::TimedOut { operation: Operation::TlsHandshake, .. }), "{error:?}");
}

/// The ends of one TLS connection as channels: the connecting party's, then the listening one's.
fn connected(files: &Files) -> [Framed<Tls<Socket>>; 2] {
    let (client, server) = negotiate(files.roots(), "localhost", files.server().0);
    [client, server].map(|end| Framed::new(end.unwrap(), Limits::default()))
}

fn hello(role: Role) -> Hello {
    let seed = [if role == Role::Prover { 1 } else { 2 }; 32];
    Hello::new(role, Parameters::new().with("rho", 100).unwrap(), &mut ChaCha20Rng::from_seed(seed))
}

fn send(hello: &Hello, channel: &mut impl Channel) {
    hello.send(channel).unwrap();
    channel.flush().unwrap();
}

#[test]
fn parties_of_one_connection_agree_on_its_name_and_another_has_another() {
    let files = Files::new();
    let mut ids = Vec::new();
    let mut names = Vec::new();
    for _ in 0..2 {
        let [mut p, mut v] = connected(&files);
        let hellos = [hello(Role::Prover), hello(Role::Verifier)];
        send(&hellos[0], &mut p);
        send(&hellos[1], &mut v);
        let sessions = [hellos[0].receive(&mut p).unwrap(), hellos[1].receive(&mut v).unwrap()];
        assert_eq!(sessions[0].id(), sessions[1].id());
        assert_eq!(p.binding(), v.binding());
        ids.push(*sessions[0].id());
        names.push(p.binding().unwrap());
    }
    // All but the connection was the same.
    assert_ne!(ids[0], ids[1]);
    assert_ne!(names[0], names[1]);
}

/// The machine in between has the server's key, so TLS itself accepts it; it passes every byte on.
#[test]
fn a_relay_between_two_tls_connections_is_refused_by_both_parties() {
    let files = Files::new();
    let [[mut p, mut to_p], [mut to_v, mut v]] = [connected(&files), connected(&files)];
    let [ours, theirs] = [hello(Role::Prover), hello(Role::Verifier)];
    send(&ours, &mut p);
    send(&theirs, &mut v);
    let from_p = to_p.recv(tags::HELLO, 1 << 16).unwrap().to_vec();
    let from_v = to_v.recv(tags::HELLO, 1 << 16).unwrap().to_vec();
    for (channel, payload) in [(&mut to_v, &from_p), (&mut to_p, &from_v)] {
        channel.send(tags::HELLO, payload).unwrap();
        channel.flush().unwrap();
    }
    // Side by side, because each waits for the relay to hear why it ends.
    let refused = |hello: Hello, channel: &mut dyn Channel| {
        let error = hello.receive(channel).unwrap_err();
        assert!(
            matches!(&error, Error::Incompatible(Mismatch::Parameter { name, ours: Some(_), theirs: Some(_) }) if name == TLS),
            "{error:?}"
        );
    };
    thread::scope(|scope| {
        scope.spawn(|| refused(ours, &mut p));
        scope.spawn(|| refused(theirs, &mut v));
    });
}

/// It also puts into each hello what the party that hears it expects: then the parties are in different
/// sessions.
#[test]
fn a_relay_that_changes_the_hellos_gets_two_sessions() {
    let files = Files::new();
    let [[mut p, mut to_p], [mut to_v, mut v]] = [connected(&files), connected(&files)];
    let [ours, theirs] = [hello(Role::Prover), hello(Role::Verifier)];
    send(&ours, &mut p);
    send(&theirs, &mut v);
    let mut from_p = to_p.recv(tags::HELLO, 1 << 16).unwrap().to_vec();
    let mut from_v = to_v.recv(tags::HELLO, 1 << 16).unwrap().to_vec();
    // The name of the parameter, the length of its value, the value: the last parameter.
    let value = from_p.len() - 64;
    assert!(from_p[..value].ends_with(b"\x03tls\x40"));
    from_p[value..].swap_with_slice(&mut from_v[value..]);
    for (channel, payload) in [(&mut to_v, &from_p), (&mut to_p, &from_v)] {
        channel.send(tags::HELLO, payload).unwrap();
        channel.flush().unwrap();
    }
    let [one, two] = [ours.receive(&mut p).unwrap(), theirs.receive(&mut v).unwrap()];
    assert_ne!(one.id(), two.id());
}

#[test]
fn tls_that_ends_before_the_verifier_is_refused() {
    let [mut p, mut to_p] = connected(&Files::new());
    let (mut to_v, mut v) = memory_pair(&Limits::default());
    let [ours, theirs] = [hello(Role::Prover), hello(Role::Verifier)];
    send(&ours, &mut p);
    send(&theirs, &mut v);
    let payload = to_p.recv(tags::HELLO, 1 << 16).unwrap().to_vec();
    to_v.send(tags::HELLO, &payload).unwrap();
    to_v.flush().unwrap();
    let error = theirs.receive(&mut v).unwrap_err();
    assert!(
        matches!(&error, Error::Incompatible(Mismatch::Parameter { name, ours: None, theirs: Some(_) }) if name == TLS),
        "{error:?}"
    );
}

/// A transport that counts how often it is read.
#[derive(Debug)]
struct Counted {
    inner: Memory,
    reads: usize,
}

impl Transport for Counted {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        self.reads += 1;
        // Little at a time, as from a slow network: rustls takes a flood of some 64 KB at most.
        let some = out.len().min(100);
        self.inner.try_read(&mut out[..some])
    }
    fn try_write(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        self.inner.try_write(bytes)
    }
    fn try_flush(&mut self) -> io::Result<bool> {
        self.inner.try_flush()
    }
    fn wait(&mut self, interest: Interest, deadline: Instant) -> io::Result<bool> {
        self.inner.wait(interest, deadline)
    }
    fn shutdown(&mut self) {
        self.inner.shutdown();
    }
    fn needs_linger(&self) -> bool {
        self.inner.needs_linger()
    }
    fn binding(&self) -> Option<[u8; 32]> {
        self.inner.binding()
    }
}

/// Records that carry nothing for the reader (here tickets, of which a listening side may send many): a read
/// that went on until there is content would never come back to its caller, which has the deadline.
#[test]
fn one_read_takes_in_a_bounded_part_of_a_flood_of_records_without_content() {
    let files = Files::new();
    let mut flood = (*files.server().0).clone();
    flood.send_tls13_tickets = 60;
    let mut config = (*files.roots()).clone();
    config.resumption = Resumption::default();
    let (left, right) = Memory::pair(4 << 20);
    let limits = Limits::default();
    let (client, server) = thread::scope(|scope| {
        let accepted = scope.spawn(|| Tls::accept(right, Arc::new(flood), &limits));
        let client = Tls::connect(Counted { inner: left, reads: 0 }, Arc::new(config), "localhost", &limits);
        (client.unwrap(), accepted.join().unwrap())
    });
    let (mut client, mut server) = (client, server.unwrap());
    let (mut most, mut calls, mut out) = (0, 0, [0; 100]);
    assert_eq!(server.try_write(b"content").unwrap(), Some(7));
    assert!(server.try_flush().unwrap());
    let content = loop {
        let before = client.inner().reads;
        let read = client.try_read(&mut out).unwrap();
        most = most.max(client.inner().reads - before);
        calls += 1;
        if let Some(count) = read {
            break count;
        }
    };
    assert_eq!(out[..content], *b"content");
    assert!(most <= 16 && calls > 2, "{most} reads in one of {calls} calls");
}

#[test]
fn a_stream_cut_without_a_farewell_is_an_error_even_between_frames() {
    let files = Files::new();
    let (client, server) = negotiate(files.roots(), "localhost", files.server().0);
    let mut client = Framed::new(client.unwrap(), Limits::default());
    drop(server);
    assert!(matches!(client.recv(tags::TEST, 0), Err(Error::Closed { .. })));
}

#[test]
fn a_closed_direction_still_carries_the_other() {
    let files = Files::new();
    let (client, server) = negotiate(files.roots(), "localhost", files.server().0);
    let mut client = Framed::new(client.unwrap(), Limits::default());
    server.unwrap().shutdown();
    assert_eq!(client.recv(tags::TEST, 0).unwrap_err(), Error::Closed { step: tags::TEST, mid_frame: false });
}

#[test]
fn unusable_files_are_named() {
    let (files, other) = (Files::new(), Files::new());
    std::fs::write(files.path("empty.pem"), "no PEM here").unwrap();
    let fails = |result: Result<(), Error>, file: &str| match result {
        Err(Error::Tls(text)) => assert!(text.contains(file), "{text}"),
        other => panic!("{file}: {other:?}"),
    };
    for file in ["missing.pem", "empty.pem"] {
        fails(client_config(&Trust::Roots(files.path(file))).map(drop), file);
        fails(server_config(&files.path(file), &files.path("key.pem")).map(drop), file);
        fails(server_config(&files.path("chain.pem"), &files.path(file)).map(drop), file);
    }
    fails(server_config(&files.path("chain.pem"), &other.path("key.pem")).map(drop), "key.pem");
}
