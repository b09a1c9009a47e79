//! An engine that is one party in the clear, and servers: in the same process without a socket, or on a
//! socket of their own.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes128Gcm, Nonce};
use curve25519_dalek::MontgomeryPoint;
use p256::elliptic_curve::Generate;
use p256::elliptic_curve::sec1::ToSec1Point;
use p256::{PublicKey, SecretKey};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use rustls::{ServerConfig, ServerConnection};
use zeroize::Zeroizing;

use super::{Captured, ConnectionLimits, Socket, Target, query};
use crate::modes::joint::{Content, Engine, Error};
use crate::page::disclosure::Connection;
use crate::wire::hash::{HandshakeHash, HashFunction};
use crate::wire::key_exchange::Group;
use crate::wire::key_schedule::TrafficSecret;
use crate::wire::prf::testing::plain_prf;
use crate::wire::prf::{MasterSeed, Random};
use crate::wire::record::header;
use crate::wire::server::Roots;
use crate::wire::suite::Suite;
use crate::wire::transcript::testing::{Authority, HOST, KeyAlgorithm, server};
use crate::wire::transcript::{APPLICATION_DATA, Transcript};
use crate::wire::version::TlsVersion;

/// What an engine was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    PublicKey(Group),
    Agree(Group, Vec<u8>),
    MasterSecret(MasterSeed),
    KeyBlock(Random, Random),
    ClientFinished(HandshakeHash),
    /// Type and length.
    Encrypt(u8, usize),
    /// Bytes of a record's payload.
    Decrypt(usize),
}

/// An engine that knows everything.
pub(super) struct Clear {
    secret: SecretKey,
    /// Of X25519.
    other_secret: [u8; 32],
    pub(super) master: Vec<u8>,
    premaster: Vec<u8>,
    /// The client's cipher and write IV, the server's.
    ciphers: Option<[(Aes128Gcm, Vec<u8>); 2]>,
    /// The next numbers of the client's and the server's records.
    sequences: [u64; 2],
    pub(super) asked: Vec<Asked>,
    /// The call that fails, counted from 0.
    pub(super) fails_at: Option<usize>,
}

impl Clear {
    pub(super) fn new(seed: u64) -> Self {
        let rng = &mut ChaCha20Rng::seed_from_u64(seed);
        let (secret, mut other_secret) = (SecretKey::generate_from_rng(rng), [0; 32]);
        rng.fill_bytes(&mut other_secret);
        let (master, premaster, asked) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            secret,
            other_secret,
            master,
            premaster,
            ciphers: None,
            sequences: [0, 1],
            asked,
            fails_at: None,
        }
    }

    pub(super) fn failing(call: usize) -> Self {
        Self { fails_at: Some(call), ..Self::new(1) }
    }

    pub(super) fn failure() -> Error {
        Error::Parties(crate::Error::Misuse("this call fails".into()))
    }

    fn note(&mut self, asked: Asked) -> Result<(), Error> {
        self.asked.push(asked);
        if self.fails_at == Some(self.asked.len() - 1) { Err(Self::failure()) } else { Ok(()) }
    }

    pub(super) fn point(&self, group: Group) -> Vec<u8> {
        match group {
            Group::P256 => self.secret.public_key().to_sec1_point(false).as_bytes().to_vec(),
            Group::X25519 => MontgomeryPoint::mul_base_clamped(self.other_secret).0.to_vec(),
        }
    }
}

/// The hash function of the engine's suite.
const HASH: HashFunction = HashFunction::Sha256;

impl Engine for Clear {
    fn protocol(&self) -> (TlsVersion, Suite) {
        (TlsVersion::Tls12, Suite::Aes128GcmSha256)
    }

    fn public_key(&mut self, group: Group) -> Result<Vec<u8>, Error> {
        self.note(Asked::PublicKey(group))?;
        Ok(self.point(group))
    }

    fn agree(&mut self, group: Group, server_point: &[u8]) -> Result<(), Error> {
        self.note(Asked::Agree(group, server_point.to_vec()))?;
        self.premaster = match group {
            Group::P256 => {
                let server = PublicKey::from_sec1_bytes(server_point).unwrap();
                let secret = p256::ecdh::diffie_hellman(self.secret.to_nonzero_scalar(), server.as_affine());
                secret.raw_secret_bytes().to_vec()
            }
            Group::X25519 => {
                let server = MontgomeryPoint(server_point.try_into().unwrap());
                server.mul_clamped(self.other_secret).0.to_vec()
            }
        };
        Ok(())
    }

    fn master_secret(&mut self, seed: &MasterSeed) -> Result<(), Error> {
        self.note(Asked::MasterSecret(*seed))?;
        self.master = match seed {
            MasterSeed::Randoms { client, server } => {
                plain_prf(HASH, &self.premaster, "master secret", &[*client, *server].concat(), 48)
            }
            MasterSeed::SessionHash(hash) => {
                plain_prf(HASH, &self.premaster, "extended master secret", hash.as_ref(), 48)
            }
        };
        Ok(())
    }

    fn key_block(&mut self, client_random: &Random, server_random: &Random) -> Result<(), Error> {
        self.note(Asked::KeyBlock(*client_random, *server_random))?;
        let block =
            plain_prf(HASH, &self.master, "key expansion", &[*server_random, *client_random].concat(), 40);
        let cipher = |key: &[u8], iv: &[u8]| (Aes128Gcm::new_from_slice(key).unwrap(), iv.to_vec());
        self.ciphers = Some([cipher(&block[..16], &block[32..36]), cipher(&block[16..32], &block[36..])]);
        Ok(())
    }

    fn client_finished(&mut self, handshake_hash: &HandshakeHash) -> Result<[u8; 12], Error> {
        self.note(Asked::ClientFinished(*handshake_hash))?;
        Ok(plain_prf(HASH, &self.master, "client finished", handshake_hash.as_ref(), 12).try_into().unwrap())
    }

    fn encrypt(&mut self, content_type: u8, plaintext: &[u8]) -> Result<Vec<u8>, Error> {
        self.note(Asked::Encrypt(content_type, plaintext.len()))?;
        let [(cipher, iv), _] = self.ciphers.as_ref().unwrap();
        let sequence = self.sequences[0];
        let explicit = sequence.to_be_bytes();
        let nonce = Nonce::try_from([iv, &explicit[..]].concat().as_slice()).unwrap();
        let aad = header(sequence, content_type, plaintext.len()).unwrap();
        self.sequences[0] += 1;
        let protected = cipher.encrypt(&nonce, Payload { msg: plaintext, aad: &aad }).unwrap();
        Ok([&explicit[..], &protected].concat())
    }

    fn handshake_secrets(&mut self, _: &HandshakeHash) -> Result<[TrafficSecret; 2], Error> {
        Err(Self::failure())
    }

    fn data_keys(&mut self, _: &HandshakeHash) -> Result<(), Error> {
        Err(Self::failure())
    }

    fn decrypt(&mut self, payload: &[u8]) -> Result<Content, Error> {
        self.note(Asked::Decrypt(payload.len()))?;
        let [_, (cipher, iv)] = self.ciphers.as_ref().unwrap();
        let (explicit, msg) = payload.split_at(8);
        let nonce = Nonce::try_from([iv, explicit].concat().as_slice()).unwrap();
        let aad = header(self.sequences[1], APPLICATION_DATA, msg.len() - 16).unwrap();
        self.sequences[1] += 1;
        let opened = cipher.decrypt(&nonce, Payload { msg, aad: &aad });
        let bytes = opened.map(Zeroizing::new).map_err(|_| Self::failure())?;
        Ok(Content { content_type: APPLICATION_DATA, bytes })
    }
}

impl Captured {
    /// The connection, which is one of TLS 1.2.
    pub(super) fn tls12(&self) -> &Transcript {
        match &self.connection {
            Connection::Tls12(transcript) => transcript,
            Connection::Tls13(_) => panic!("a connection of TLS 1.3"),
        }
    }
}

/// What a server does about a request.
#[derive(Clone, Debug)]
pub(in crate::modes::joint) enum Answer {
    /// Answers, then ends the connection with `close_notify`.
    Notify(Vec<u8>),
    /// Answers and closes.
    Silent(Vec<u8>),
    /// Answers the requests one after the other, then ends the connection with `close_notify`.
    Each(Vec<Vec<u8>>),
}

/// A server of this process at the other end of a stream. When it has nothing to say, the stream is at its
/// end.
pub(in crate::modes::joint) struct Local<C = fn(&mut Vec<u8>)> {
    connection: ServerConnection,
    answer: Option<Answer>,
    /// How many requests were answered, of several.
    answered: usize,
    pub(in crate::modes::joint) requests: Arc<Mutex<Vec<u8>>>,
    /// All that came from the client.
    pub(super) received: Arc<Mutex<Vec<u8>>>,
    output: Vec<u8>,
    /// What happens to the server's bytes on their way, flight by flight.
    change: C,
}

pub(super) fn untouched(_: &mut Vec<u8>) {}

impl Local {
    pub(in crate::modes::joint) fn new(config: &Arc<ServerConfig>, answer: Answer) -> Self {
        Self::changed(config, answer, untouched)
    }
}

/// Its end is seen at once.
impl<C: FnMut(&mut Vec<u8>)> Socket for Local<C> {}

impl Socket for TcpStream {}

impl<C: FnMut(&mut Vec<u8>)> Local<C> {
    pub(in crate::modes::joint) fn changed(config: &Arc<ServerConfig>, answer: Answer, change: C) -> Self {
        let connection = ServerConnection::new(Arc::clone(config)).unwrap();
        let (requests, received) = (Arc::default(), Arc::default());
        let (answer, output) = (Some(answer), Vec::new());
        Self { connection, answer, answered: 0, requests, received, output, change }
    }
}

impl<C: FnMut(&mut Vec<u8>)> Write for Local<C> {
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len();
        self.received.lock().unwrap().extend_from_slice(bytes);
        while !bytes.is_empty() {
            self.connection.read_tls(&mut bytes)?;
            // What is wrong the server says in an alert.
            let _ = self.connection.process_new_packets();
            let mut requests = self.requests.lock().unwrap();
            let _ = self.connection.reader().read_to_end(&mut requests);
        }
        self.respond();
        let mut flight = Vec::new();
        while self.connection.wants_write() {
            self.connection.write_tls(&mut flight)?;
        }
        (self.change)(&mut flight);
        self.output.extend(flight);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<C> Local<C> {
    /// Says what is to be said to the requests so far, which have no bodies.
    fn respond(&mut self) {
        let requests = self.requests.lock().unwrap().windows(4).filter(|end| end == b"\r\n\r\n").count();
        if let Some(Answer::Each(answers)) = &mut self.answer {
            let count = requests.saturating_sub(self.answered).min(answers.len());
            self.answered += count;
            for answer in answers.drain(..count) {
                self.connection.writer().write_all(&answer).unwrap();
            }
            if answers.is_empty() {
                self.connection.send_close_notify();
                self.answer = None;
            }
        } else if requests > 0
            && let Some(answer) = self.answer.take()
        {
            respond(&mut self.connection, &answer);
        }
    }
}

impl<C> Read for Local<C> {
    fn read(&mut self, place: &mut [u8]) -> io::Result<usize> {
        let count = place.len().min(self.output.len());
        place[..count].copy_from_slice(&self.output[..count]);
        self.output.drain(..count);
        Ok(count)
    }
}

fn respond(connection: &mut ServerConnection, answer: &Answer) {
    connection.set_buffer_limit(None);
    let bytes = match answer {
        Answer::Notify(bytes) | Answer::Silent(bytes) => bytes,
        Answer::Each(answers) => &answers.concat(),
    };
    connection.writer().write_all(bytes).unwrap();
    if matches!(answer, Answer::Notify(_)) {
        connection.send_close_notify();
    }
}

/// A server on a socket, for as many connections as are made while the test runs.
pub(super) fn listen(config: Arc<ServerConfig>, answer: Answer) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let (config, answer) = (Arc::clone(&config), answer.clone());
            thread::spawn(move || serve(&config, &answer, socket));
        }
    });
    address
}

fn serve(config: &Arc<ServerConfig>, answer: &Answer, mut socket: TcpStream) {
    let _ = socket.set_read_timeout(Some(Duration::from_secs(20)));
    let mut connection = ServerConnection::new(Arc::clone(config)).unwrap();
    let (mut request, mut chunk) = (Vec::<u8>::new(), [0; 4096]);
    let mut stream = rustls::Stream::new(&mut connection, &mut socket);
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut chunk) {
            Ok(count @ 1..) => request.extend(&chunk[..count]),
            _ => return,
        }
    }
    respond(stream.conn, answer);
    let _ = stream.flush();
}

/// A server with a certificate for [`HOST`], and the authority that it is of.
pub(super) struct Site {
    pub(super) roots: Roots,
    pub(super) config: Arc<ServerConfig>,
}

impl Site {
    pub(super) fn new(kind: KeyAlgorithm) -> Self {
        Self::with(kind, |config| config)
    }

    pub(super) fn with(kind: KeyAlgorithm, change: impl FnOnce(ServerConfig) -> ServerConfig) -> Self {
        let authority = Authority::new();
        let config = Arc::new(change(server(&authority.issue(kind, HOST))));
        Self { roots: authority.roots(), config }
    }

    pub(super) fn target(&self) -> Target<'_> {
        Target {
            host: HOST,
            roots: &self.roots,
            probed: false,
            limits: ConnectionLimits::default(),
            no_alpn: false,
        }
    }

    /// A connection with this server in this process.
    pub(super) fn query(
        &self,
        engine: &mut Clear,
        request: &[u8],
        answer: Answer,
    ) -> Result<Captured, Error> {
        query(engine, Local::new(&self.config, answer), &self.target(), request, &[request.len()])
    }
}

/// A request of this many bytes.
pub(super) fn request(length: usize) -> Vec<u8> {
    let (start, end) = ("GET / HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\nX: ", "\r\n\r\n");
    let filler = "x".repeat(length.checked_sub(start.len() + end.len()).unwrap());
    [start, &filler, end].concat().into_bytes()
}

/// A response with this body.
pub(super) fn response(body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").into_bytes()
}
