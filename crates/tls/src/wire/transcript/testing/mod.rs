//! Real connections, recorded: a rustls client and a rustls server in one process, and what opens their
//! records.

pub(crate) mod openssl;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, PKCS_ECDSA_P256_SHA256,
    PKCS_ECDSA_P384_SHA384, PKCS_RSA_SHA256,
};
use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, SupportedKxGroup, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, ClientConnection, KeyLog, RootCertStore, ServerConfig, ServerConnection};
use volery_circuit::gadgets::bytes_to_bits;

use super::{APPLICATION_DATA, HANDSHAKE, Record, Transcript};
use crate::wire::aead::{RecordCipher, xored_nonce};
use crate::wire::hash::HandshakeHash;
use crate::wire::prf::{self, HmacKey, Side};
use crate::wire::record::header;
use crate::wire::rustls_client::suites;
use crate::wire::server::Roots;
use crate::wire::step::testing::Clear;
use crate::wire::suite::Suite;
use crate::wire::version::TlsVersion;

/// The host that [`Authority::issue`] is asked for.
pub(crate) const HOST: &str = "data.example.com";

/// A key of 2048 bits for tests alone, made by `openssl genrsa 2048 | openssl pkcs8 -topk8 -nocrypt`; ring
/// makes no RSA keys.
pub(crate) const RSA_KEY: &str = include_str!("rsa-2048.pem");

/// A certificate's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyAlgorithm {
    P256,
    P384,
    Rsa,
}

/// An authority of our own.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key.
pub(crate) struct Issued {
    pub(crate) certificate: rcgen::Certificate,
    pub(crate) key: KeyPair,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub(crate) fn issue(&self, kind: KeyAlgorithm, name: &str) -> Issued {
        self.issue_with(kind, CertificateParams::new(vec![name.to_owned()]).unwrap())
    }

    pub(crate) fn issue_with(&self, kind: KeyAlgorithm, params: CertificateParams) -> Issued {
        let key = match kind {
            KeyAlgorithm::P256 => KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256),
            KeyAlgorithm::P384 => KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384),
            KeyAlgorithm::Rsa => KeyPair::from_pkcs8_pem_and_sign_algo(RSA_KEY, &PKCS_RSA_SHA256),
        };
        self.issue_for(key.unwrap(), params)
    }

    pub(crate) fn issue_for(&self, key: KeyPair, params: CertificateParams) -> Issued {
        Issued { certificate: params.signed_by(&key, &self.0).unwrap(), key }
    }

    pub(crate) fn der(&self) -> &CertificateDer<'static> {
        self.0.der()
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    pub(crate) fn roots(&self) -> Roots {
        let mut roots = Roots::none();
        roots.add_der(self.der()).unwrap();
        roots
    }
}

/// AES-128-GCM and the group P-256, or all.
pub(crate) fn provider(all: bool) -> CryptoProvider {
    if all { ring::default_provider() } else { provider_of(Suite::Aes128GcmSha256) }
}

/// This suite of TLS 1.2 and the group P-256.
pub(crate) fn provider_of(suite: Suite) -> CryptoProvider {
    CryptoProvider {
        cipher_suites: suites(TlsVersion::Tls12, &[suite]),
        kx_groups: vec![ring::kx_group::SECP256R1],
        ..ring::default_provider()
    }
}

/// A server's settings, but of this suite alone, in both versions.
pub(crate) fn of_suite(config: &ServerConfig, suite: Suite) -> ServerConfig {
    let both = [TlsVersion::Tls13, TlsVersion::Tls12].into_iter();
    let cipher_suites = both.flat_map(|version| suites(version, &[suite])).collect();
    narrowed(config, CryptoProvider { cipher_suites, ..provider(true) })
}

fn narrowed(config: &ServerConfig, provider: CryptoProvider) -> ServerConfig {
    let narrow = ServerConfig::builder_with_provider(Arc::new(provider));
    let narrow = narrow.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let mut narrow = narrow.with_cert_resolver(Arc::clone(&config.cert_resolver));
    narrow.alpn_protocols = config.alpn_protocols.clone();
    narrow
}

/// A client of TLS 1.2 without resumption.
pub(crate) fn client(authority: &Authority, provider: CryptoProvider) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(provider));
    let config = config.with_protocol_versions(&[&rustls::version::TLS12]).unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.resumption = Resumption::disabled();
    config
}

/// A client of TLS 1.3 alone, with AES-128-GCM and the groups that can be proved. Its first group is this
/// one.
pub(crate) fn client_13(authority: &Authority, first: &'static dyn SupportedKxGroup) -> ClientConfig {
    client_13_of(authority, first, Suite::Aes128GcmSha256)
}

/// The same with another suite.
pub(crate) fn client_13_of(
    authority: &Authority,
    first: &'static dyn SupportedKxGroup,
    suite: Suite,
) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    let provider = CryptoProvider {
        cipher_suites: suites(TlsVersion::Tls13, &[suite]),
        kx_groups: core::iter::once(first)
            .chain(
                [ring::kx_group::SECP256R1, ring::kx_group::X25519]
                    .into_iter()
                    .filter(|other| other.name() != first.name()),
            )
            .collect(),
        ..ring::default_provider()
    };
    let config = ClientConfig::builder_with_provider(Arc::new(provider));
    let config = config.with_protocol_versions(&[&rustls::version::TLS13]).unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.resumption = Resumption::disabled();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}

/// A server of both versions.
pub(crate) fn server(issued: &Issued) -> ServerConfig {
    let key = PrivateKeyDer::try_from(issued.key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(provider(true)));
    let config = config.with_protocol_versions(&[&rustls::version::TLS12, &rustls::version::TLS13]).unwrap();
    let config = config.with_no_client_auth();
    let mut config = config.with_single_cert(vec![issued.certificate.der().clone()], key).unwrap();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}

/// A server's settings, but of this group alone.
pub(crate) fn of_group(config: &ServerConfig, group: &'static dyn SupportedKxGroup) -> ServerConfig {
    narrowed(config, CryptoProvider { kx_groups: vec![group], ..provider(true) })
}

/// A HelloRetryRequest for AES-128 with this extension.
pub(crate) fn hello_retry(extension: &[u8]) -> Vec<u8> {
    // Its version, the random that makes it one, no session, the suite, no compression.
    let random = [
        0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2,
        0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
    ];
    let extensions = [&[0, 43, 0, 2, 3, 4], extension].concat();
    let body = [&[3, 3], &random[..], &[0, 0x13, 1, 0, 0, extensions.len() as u8], &extensions].concat();
    let message = [&[2, 0, 0, body.len() as u8], &body[..]].concat();
    [&[22, 3, 3, 0, message.len() as u8], &message[..]].concat()
}

/// A server's settings, but it asks for certificates of clients'.
pub(crate) fn asking(config: &ServerConfig, demanded: bool) -> ServerConfig {
    let provider = Arc::clone(config.crypto_provider());
    let mut roots = RootCertStore::empty();
    roots.add(Authority::new().der().clone()).unwrap();
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let verifier = if demanded { verifier } else { verifier.allow_unauthenticated() };
    let asking = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut asking = asking
        .with_client_cert_verifier(verifier.build().unwrap())
        .with_cert_resolver(Arc::clone(&config.cert_resolver));
    asking.alpn_protocols = config.alpn_protocols.clone();
    asking
}

/// Keeps a connection's secrets by their labels in key logs.
#[derive(Debug, Default)]
pub(crate) struct Secrets(Mutex<BTreeMap<String, Vec<u8>>>);

impl KeyLog for Secrets {
    fn log(&self, label: &str, _: &[u8], secret: &[u8]) {
        self.0.lock().unwrap().insert(label.into(), secret.to_vec());
    }
}

impl Secrets {
    /// The master secret of TLS 1.2.
    pub(crate) fn master(&self) -> Vec<u8> {
        self.get("CLIENT_RANDOM").unwrap_or_default()
    }

    /// The traffic secrets of TLS 1.3: those of the handshake, then those of data; client's, then server's.
    fn traffic(&self) -> Option<[[Vec<u8>; 2]; 2]> {
        let secret = |label: &str| self.get(label);
        Some([
            [secret("CLIENT_HANDSHAKE_TRAFFIC_SECRET")?, secret("SERVER_HANDSHAKE_TRAFFIC_SECRET")?],
            [secret("CLIENT_TRAFFIC_SECRET_0")?, secret("SERVER_TRAFFIC_SECRET_0")?],
        ])
    }

    fn get(&self, label: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(label).cloned()
    }
}

/// A connection's bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) client: Vec<u8>,
    pub(crate) server: Vec<u8>,
    /// The master secret of TLS 1.2.
    pub(crate) master: Vec<u8>,
    /// The secrets of TLS 1.3: those of the handshake, then those of data; client's, then server's.
    pub(crate) traffic: Option<[[Vec<u8>; 2]; 2]>,
}

impl Recorded {
    pub(crate) fn parse(&self) -> Result<Transcript, super::Error> {
        Transcript::parse(&self.client, &self.server)
    }
}

/// Each query and its response, then both ends close. Ends early, with what was recorded, if an end gives up.
pub(crate) fn connect(mut client: ClientConfig, server: ServerConfig, rounds: &[(&[u8], &[u8])]) -> Recorded {
    let log = Arc::new(Secrets::default());
    client.key_log = Arc::clone(&log) as Arc<dyn KeyLog>;
    let mut client = ClientConnection::new(Arc::new(client), ServerName::try_from(HOST).unwrap()).unwrap();
    let mut server = ServerConnection::new(Arc::new(server)).unwrap();
    let mut recorded = Recorded::default();
    let alive = rounds.iter().all(|(query, response)| {
        client.writer().write_all(query).unwrap();
        if !exchange(&mut client, &mut server, &mut recorded) {
            return false;
        }
        server.writer().write_all(response).unwrap();
        exchange(&mut client, &mut server, &mut recorded)
    });
    if alive {
        client.send_close_notify();
        server.send_close_notify();
        exchange(&mut client, &mut server, &mut recorded);
    }
    recorded.master = log.master();
    recorded.traffic = log.traffic();
    recorded
}

/// Carries bytes until neither end has any; whether both are well.
fn exchange(client: &mut ClientConnection, server: &mut ServerConnection, recorded: &mut Recorded) -> bool {
    let mut well = true;
    while client.wants_write() || server.wants_write() {
        let (from_client, from_server) = (recorded.client.len(), recorded.server.len());
        while client.wants_write() {
            client.write_tls(&mut recorded.client).unwrap();
        }
        let mut bytes = &recorded.client[from_client..];
        while !bytes.is_empty() && server.read_tls(&mut bytes).is_ok_and(|count| count > 0) {
            well &= server.process_new_packets().is_ok();
            drain(&mut server.reader());
        }
        while server.wants_write() {
            server.write_tls(&mut recorded.server).unwrap();
        }
        let mut bytes = &recorded.server[from_server..];
        while !bytes.is_empty() && client.read_tls(&mut bytes).is_ok_and(|count| count > 0) {
            well &= client.process_new_packets().is_ok();
            drain(&mut client.reader());
        }
    }
    well
}

fn drain(reader: &mut impl Read) {
    let mut sink = [0; 4096];
    while reader.read(&mut sink).is_ok_and(|count| count > 0) {}
}

/// An honest connection: `rounds` between a client that can be proved and a server with a key of this kind.
pub(crate) fn honest(kind: KeyAlgorithm, rounds: &[(&[u8], &[u8])]) -> (Authority, Recorded) {
    let authority = Authority::new();
    let issued = authority.issue(kind, HOST);
    let recorded = connect(client(&authority, provider(false)), server(&issued), rounds);
    (authority, recorded)
}

/// A direction's records in the clear, with their types.
pub(crate) fn open(transcript: &Transcript, master: &[u8], side: Side) -> Vec<(u8, Vec<u8>)> {
    let machine = &mut Clear::new(true);
    let handshake = &transcript.handshake;
    let (hash, aead) = (handshake.suite.hash(), handshake.suite.aead());
    let key = HmacKey::master(machine, hash, &bytes_to_bits(master)).unwrap();
    let randoms = [&handshake.client_random, &handshake.server_random];
    let block = prf::key_block(machine, &key, aead, randoms).unwrap();
    let (i, records) = match side {
        Side::Client => (0, &transcript.client),
        Side::Server => (1, &transcript.server),
    };
    let key = volery_circuit::gadgets::bits_to_bytes(&block.keys[i]).unwrap();
    let cipher = RecordCipher::new(aead, &key).unwrap();
    let iv = volery_circuit::gadgets::bits_to_bytes(&block.iv_wires[i]).unwrap();
    records.iter().map(|record| (record.content_type, open_record(&cipher, &iv, record))).collect()
}

fn open_record(cipher: &RecordCipher, iv: &[u8], record: &Record) -> Vec<u8> {
    let nonce = match <[u8; 12]>::try_from(iv) {
        Ok(iv) => xored_nonce(&iv, record.sequence),
        Err(_) => [iv, &record.explicit_nonce].concat().try_into().unwrap(),
    };
    let aad = header(record.sequence, record.content_type, record.ciphertext.len()).unwrap();
    cipher.open(nonce, &aad, &record.ciphertext, &record.tag).expect("the tag holds").to_vec()
}

/// What a direction says to the application.
pub(crate) fn application(records: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let data = records.iter().filter(|(kind, _)| *kind == APPLICATION_DATA);
    data.flat_map(|(_, bytes)| bytes).copied().collect()
}

/// The contents of a Finished message, as the master secret and this hash give it.
pub(crate) fn finished(master: &[u8], side: Side, hash: &HandshakeHash) -> Vec<u8> {
    let machine = &mut Clear::new(true);
    let key = HmacKey::master(machine, hash.function(), &bytes_to_bits(master)).unwrap();
    let data = prf::verify_data(machine, &key, side, hash).unwrap();
    [&[20, 0, 0, 12], &data[..]].concat()
}

/// All that a transcript is for: with the master secret, its hashes give both Finished messages, and its
/// records what was said.
pub(crate) fn assert_says(transcript: &Transcript, master: &[u8], query: &[u8], response: &[u8]) {
    let from_client = open(transcript, master, Side::Client);
    let from_server = open(transcript, master, Side::Server);
    let own = finished(master, Side::Client, &transcript.handshake.client_finished_hash);
    assert_eq!(from_client[0], (HANDSHAKE, own.clone()));
    let hash = transcript.server_finished_hash(&own.try_into().unwrap());
    assert_eq!(from_server[0], (HANDSHAKE, finished(master, Side::Server, &hash)));
    assert_eq!(application(&from_client), query);
    assert_eq!(application(&from_server), response);
    for records in [&transcript.client, &transcript.server] {
        assert!(records.iter().zip(0..).all(|(record, i)| record.sequence == i));
    }
}
