//! Who is trusted over TLS, and who is not.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use volery_channel::tls::{
    ClientConfig, Fingerprint, ServerConfig, Tls, Trust, client_config, server_config,
};
use volery_channel::transport::{Socket, Transport};
use volery_channel::{Channel, Error, Framed, Limits, Operation, tags};

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
