//! Connections to an unmodified TLS server by a client of a few lines, and two parties in two threads.

use std::io::{Read as _, Write as _};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use rustls::{ServerConfig, ServerConnection};
use volery_channel::{Channel, Stats, Tag};
use volery_testing::{Edited, between_edited, untouched};
use volery_vole::SessionId;
use zeroize::Zeroizing;

use super::client::testing::{Answer, Local};
use super::client::{ConnectionLimits, RoundRecords, Target, converse};
use super::{
    Content, Engine, Error, Limits, MAX_PROVED, Prover, Remainder, RoundSizes, Settings, Sizes, Verifier,
    settings,
};
use crate::page::commitment::Openings;
use crate::page::disclosure::{Proven, Redaction, finished_message};
use crate::testing::{keys, tags};
use crate::wire::hash::HandshakeHash;
use crate::wire::key_exchange::Group;
use crate::wire::key_schedule::TrafficSecret;
use crate::wire::prf::MasterSeed;
use crate::wire::record::MAX_PLAINTEXT;
use crate::wire::server::Roots;
use crate::wire::suite::{Signer, Suite};
use crate::wire::transcript::testing::{Authority, HOST, KeyAlgorithm, server};
use crate::wire::transcript::{APPLICATION_DATA, HANDSHAKE};
use crate::wire::version::TlsVersion;

const SESSION: SessionId = SessionId::new([6; 32]);

const CHANGE_CIPHER_SPEC: u8 = 20;

/// A server that gives each request of a connection the next response, and closes after the last one.
pub(super) struct Site {
    pub(super) authority: Authority,
    pub(super) config: Arc<ServerConfig>,
    pub(super) responses: Vec<Vec<u8>>,
    /// Whether all responses are said to the first request, each in a record of its own.
    pub(super) unasked: bool,
    /// The group that the client offers.
    pub(super) group: Group,
    /// What the last server of TLS 1.3 has heard.
    pub(super) heard: Mutex<Vec<u8>>,
}

impl Site {
    pub(super) fn new(kind: KeyAlgorithm, response: &[u8]) -> Self {
        Self::several(kind, &[response])
    }

    pub(super) fn several(kind: KeyAlgorithm, responses: &[&[u8]]) -> Self {
        let authority = Authority::new();
        let config = Arc::new(server(&authority.issue(kind, HOST)));
        let responses = responses.iter().map(|response| response.to_vec()).collect();
        let (unasked, group, heard) = (false, Group::P256, Mutex::default());
        Self { authority, config, responses, unasked, group, heard }
    }
}

/// The client that has the handshake's messages put together and leaves all secrets to an [`Engine`].
pub(super) struct Client<'a> {
    site: &'a Site,
    server: ServerConnection,
    /// All bytes: the client's, the server's.
    raw: [Vec<u8>; 2],
    /// All handshake messages in the clear.
    messages: Vec<u8>,
    extended: bool,
}

fn record(content_type: u8, payload: &[u8]) -> Vec<u8> {
    [&[content_type, 3, 3], &(payload.len() as u16).to_be_bytes()[..], payload].concat()
}

fn vector16(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u16).to_be_bytes()[..], bytes].concat()
}

fn message(kind: u8, contents: &[u8]) -> Vec<u8> {
    [&[kind, 0], &*vector16(contents)].concat()
}

const CLIENT_RANDOM: [u8; 32] = [0x77; 32];

fn client_hello(extended: bool, group: Group, suite: Suite) -> Vec<u8> {
    let extension = |number: u16, contents: &[u8]| [&number.to_be_bytes()[..], &vector16(contents)].concat();
    let name = [&[0][..], &vector16(HOST.as_bytes())].concat();
    let mut extensions = vec![
        extension(0, &vector16(&name)),
        extension(10, &vector16(&group.number().to_be_bytes())),
        extension(11, &[1, 0]),
        extension(13, &vector16(&[4, 3, 8, 4, 4, 1])),
        extension(16, &vector16(b"\x08http/1.1")),
    ];
    if extended {
        extensions.push(extension(23, &[]));
    }
    let suites = [Signer::Ecdsa, Signer::Rsa].map(|signer| suite.tls12_number(signer).to_be_bytes()).concat();
    let hello =
        [&[3, 3][..], &CLIENT_RANDOM, &[0], &vector16(&suites), &[1, 0], &vector16(&extensions.concat())];
    message(1, &hello.concat())
}

impl<'a> Client<'a> {
    pub(super) fn new(site: &'a Site, extended: bool) -> Self {
        let server = ServerConnection::new(Arc::clone(&site.config)).unwrap();
        Self { site, server, raw: [Vec::new(), Vec::new()], messages: Vec::new(), extended }
    }

    /// Sends records and takes what the server answers.
    fn send(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.raw[0].extend_from_slice(bytes);
        let mut rest = bytes;
        while !rest.is_empty() {
            self.server.read_tls(&mut rest).unwrap();
            if self.server.process_new_packets().is_err() {
                break;
            }
        }
        self.take()
    }

    fn take(&mut self) -> Vec<u8> {
        let mut answer = Vec::new();
        while self.server.wants_write() {
            self.server.write_tls(&mut answer).unwrap();
        }
        self.raw[1].extend_from_slice(&answer);
        answer
    }

    /// The handshake; panics where the server would, too.
    fn handshake(&mut self, engine: &mut dyn Engine) -> Result<(), Error> {
        let group = self.site.group;
        let (_, suite) = engine.protocol();
        let hello = client_hello(self.extended, group, suite);
        self.messages.extend_from_slice(&hello);
        let answer = self.send(&record(HANDSHAKE, &hello));
        let (mut rest, mut flight) = (&answer[..], Vec::new());
        while let [HANDSHAKE, 3, 3, high, low, tail @ ..] = rest {
            let (payload, tail) = tail.split_at(usize::from(*high) << 8 | usize::from(*low));
            flight.extend_from_slice(payload);
            rest = tail;
        }
        self.messages.extend_from_slice(&flight);
        let (mut server_random, mut point) = ([0; 32], Vec::new());
        let mut rest = &flight[..];
        while let [kind, 0, high, low, tail @ ..] = rest {
            let (contents, tail) = tail.split_at(usize::from(*high) << 8 | usize::from(*low));
            match kind {
                2 => server_random.copy_from_slice(&contents[2..34]),
                12 => point = contents[4..4 + usize::from(contents[3])].to_vec(),
                _ => {}
            }
            rest = tail;
        }
        let public = engine.public_key(group)?;
        let exchange = message(16, &[&[public.len() as u8], &public[..]].concat());
        self.messages.extend_from_slice(&exchange);
        let hash = suite.hash().hash(&self.messages);
        engine.agree(group, &point)?;
        let seed = match self.extended {
            true => MasterSeed::SessionHash(hash),
            false => MasterSeed::Randoms { client: CLIENT_RANDOM, server: server_random },
        };
        engine.master_secret(&seed)?;
        engine.key_block(&CLIENT_RANDOM, &server_random)?;
        let finished = finished_message(&engine.client_finished(&hash)?);
        let finished = engine.encrypt(HANDSHAKE, &finished)?;
        let flight =
            [record(HANDSHAKE, &exchange), record(CHANGE_CIPHER_SPEC, &[1]), record(HANDSHAKE, &finished)];
        self.send(&flight.concat());
        Ok(())
    }

    /// One request and its response, until the server closes. What the server read, and all bytes.
    pub(super) fn fetch(
        self,
        engine: &mut dyn Engine,
        request: &[u8],
    ) -> Result<(Vec<u8>, [Vec<u8>; 2]), Error> {
        self.converse(engine, &[request.to_vec()], 0)
    }

    /// Likewise with several; so many responses, from the first on, are read before the next request.
    pub(super) fn converse(
        self,
        engine: &mut dyn Engine,
        requests: &[Vec<u8>],
        reads: usize,
    ) -> Result<(Vec<u8>, [Vec<u8>; 2]), Error> {
        let sent = requests.len();
        self.converse_but(engine, requests, reads, sent)
    }

    /// Likewise, and only the first `sent` requests go to the server: the rest is made with V alone.
    pub(super) fn converse_but(
        mut self,
        engine: &mut dyn Engine,
        requests: &[Vec<u8>],
        reads: usize,
        sent: usize,
    ) -> Result<(Vec<u8>, [Vec<u8>; 2]), Error> {
        self.handshake(engine)?;
        let mut all = Vec::new();
        for (round, (request, response)) in requests.iter().zip(&self.site.responses).enumerate() {
            for part in request.chunks(MAX_PLAINTEXT) {
                let protected = record(APPLICATION_DATA, &engine.encrypt(APPLICATION_DATA, part)?);
                if round < sent {
                    self.send(&protected);
                } else {
                    self.raw[0].extend_from_slice(&protected);
                }
            }
            if round >= sent {
                continue;
            }
            let mut read = vec![0; request.len() + 1];
            let count = self.server.reader().read(&mut read).unwrap_or(0);
            all.extend(&read[..count]);
            if round == 0 || !self.site.unasked {
                let _ = self.server.writer().write_all(response);
            }
            let answer = self.take();
            if round == 0 && self.site.unasked {
                for later in self.site.responses.iter().skip(1) {
                    let _ = self.server.writer().write_all(later);
                }
                self.take();
            }
            if round < reads {
                let heard = read_in_the_connection(engine, &answer)?;
                assert_eq!(heard, *response, "P reads what the server said");
            }
        }
        self.server.send_close_notify();
        self.take();
        Ok((all, self.raw))
    }
}

/// What a flight of application data says.
fn read_in_the_connection(engine: &mut dyn Engine, mut flight: &[u8]) -> Result<Vec<u8>, Error> {
    let mut heard = Vec::new();
    while let [APPLICATION_DATA, 3, 3, high, low, tail @ ..] = flight {
        let (payload, tail) = tail.split_at(usize::from(*high) << 8 | usize::from(*low));
        heard.extend_from_slice(&engine.decrypt(payload)?.bytes);
        flight = tail;
    }
    Ok(heard)
}

/// A connection as the TLS library makes it: what the server read, and all bytes.
pub(super) fn connect(
    engine: &mut dyn Engine,
    site: &Site,
    requests: &[Vec<u8>],
    reads: usize,
) -> Result<(Vec<u8>, [Vec<u8>; 2]), Error> {
    connect_as(engine, site, requests, reads, false)
}

/// As [`connect`], after a probe or without one.
pub(super) fn connect_as(
    engine: &mut dyn Engine,
    site: &Site,
    requests: &[Vec<u8>],
    reads: usize,
    probed: bool,
) -> Result<(Vec<u8>, [Vec<u8>; 2]), Error> {
    let server = Local::new(&site.config, Answer::Each(site.responses.clone()));
    let heard = Arc::clone(&server.requests);
    let roots = site.authority.roots();
    let target =
        Target { host: HOST, roots: &roots, probed, limits: ConnectionLimits::default(), no_alpn: false };
    let rounds = requests.iter().enumerate().map(|(round, request)| RoundRecords {
        lengths: request.chunks(MAX_PLAINTEXT).map(<[u8]>::len).collect(),
        read: round < reads,
    });
    let rounds: Vec<RoundRecords> = rounds.collect();
    let captured = converse(engine, server, &target, &rounds, &mut |round, _| {
        Ok(Zeroizing::new(requests.get(round).cloned().unwrap_or_default()))
    });
    site.heard.lock().unwrap().clone_from(&heard.lock().unwrap());
    let captured = captured?;
    let heard = heard.lock().unwrap().clone();
    Ok((heard, [captured.client, captured.server]))
}

/// What a test does before a call of an engine.
type Before<'a> = Box<dyn FnMut(&mut dyn Engine) -> Result<(), Error> + Send + 'a>;

/// What a test does to a record.
type ChangeRecord<'a> = Box<dyn FnMut(&mut Vec<u8>) + Send + 'a>;

/// An engine around another one, in whose calls a test interferes.
pub(super) struct Around<'a> {
    pub(super) inner: &'a mut dyn Engine,
    /// Called before each call of the engine's.
    pub(super) before: Before<'a>,
    /// Changes the client's records after they were made.
    pub(super) made: ChangeRecord<'a>,
    /// Changes the payloads of the server's records before they are read.
    pub(super) read: ChangeRecord<'a>,
    /// The secrets of TLS 1.3's handshake, once they were asked for.
    pub(super) secrets: Option<[TrafficSecret; 2]>,
}

impl<'a> Around<'a> {
    /// One that only passes calls on.
    pub(super) fn new(inner: &'a mut dyn Engine) -> Self {
        let (before, secrets) = (Box::new(|_: &mut dyn Engine| Ok(())), None);
        Self { inner, before, made: Box::new(|_| {}), read: Box::new(|_| {}), secrets }
    }
}

impl Engine for Around<'_> {
    fn protocol(&self) -> (TlsVersion, Suite) {
        self.inner.protocol()
    }
    fn public_key(&mut self, group: Group) -> Result<Vec<u8>, Error> {
        (self.before)(self.inner)?;
        self.inner.public_key(group)
    }
    fn agree(&mut self, group: Group, server_point: &[u8]) -> Result<(), Error> {
        (self.before)(self.inner)?;
        self.inner.agree(group, server_point)
    }
    fn master_secret(&mut self, seed: &MasterSeed) -> Result<(), Error> {
        (self.before)(self.inner)?;
        self.inner.master_secret(seed)
    }
    fn key_block(&mut self, client: &[u8; 32], server: &[u8; 32]) -> Result<(), Error> {
        (self.before)(self.inner)?;
        self.inner.key_block(client, server)
    }
    fn client_finished(&mut self, hash: &HandshakeHash) -> Result<[u8; 12], Error> {
        (self.before)(self.inner)?;
        self.inner.client_finished(hash)
    }
    fn handshake_secrets(&mut self, hash: &HandshakeHash) -> Result<[TrafficSecret; 2], Error> {
        (self.before)(self.inner)?;
        let secrets = self.inner.handshake_secrets(hash)?;
        self.secrets = Some(secrets.clone());
        Ok(secrets)
    }
    fn data_keys(&mut self, hash: &HandshakeHash) -> Result<(), Error> {
        (self.before)(self.inner)?;
        self.inner.data_keys(hash)
    }
    fn encrypt(&mut self, content_type: u8, plaintext: &[u8]) -> Result<Vec<u8>, Error> {
        (self.before)(self.inner)?;
        let mut record = self.inner.encrypt(content_type, plaintext)?;
        (self.made)(&mut record);
        Ok(record)
    }
    fn decrypt(&mut self, payload: &[u8]) -> Result<Content, Error> {
        (self.before)(self.inner)?;
        let mut payload = payload.to_vec();
        (self.read)(&mut payload);
        self.inner.decrypt(&payload)
    }
}

/// Changes a party's messages.
pub(super) type Change = Box<dyn FnMut(Tag, &mut Vec<u8>) + Send + Sync>;

type Link<'a> = Edited<&'a mut volery_testing::Link, Change>;

/// P as it is here.
pub(super) type P<'a, 'l> = Prover<&'a mut Link<'l>, &'a mut ChaCha20Rng>;

/// What P does with the bytes before it hands them over.
pub(super) type Bytes = fn(&mut [Vec<u8>; 2]);

/// What a session is about, and how it departs from an honest one.
pub(super) struct Run<'a> {
    pub(super) site: &'a Site,
    pub(super) requests: Vec<Vec<u8>>,
    /// Bytes that are read of responses in the connection, from the first on.
    pub(super) reads: Vec<usize>,
    pub(super) hide: Vec<Redaction>,
    pub(super) extended: bool,
    pub(super) tls: TlsVersion,
    pub(super) suite: Suite,
    pub(super) settings: Settings,
    /// V's limits.
    pub(super) limits: Limits,
    pub(super) host: &'a str,
    pub(super) roots: Roots,
    pub(super) ahead: u64,
    /// What happens to P's messages and to V's.
    pub(super) changes: [Change; 2],
    pub(super) bytes: Bytes,
    pub(super) patience: Duration,
}

/// What P has in the end.
#[derive(Debug)]
pub(super) struct Fetched {
    /// What the server read.
    pub(super) read: Vec<u8>,
    pub(super) response: Vec<u8>,
    /// What opens P's commitments, as its file.
    pub(super) openings: Option<Vec<u8>>,
    /// P's counters after the preparation, when V has opened its part, and in the end.
    pub(super) stats: [Stats; 3],
}

impl<'a> Run<'a> {
    pub(super) fn new(site: &'a Site, request: &[u8]) -> Self {
        Self {
            site,
            requests: vec![request.to_vec()],
            reads: Vec::new(),
            hide: Vec::new(),
            extended: true,
            tls: TlsVersion::Tls12,
            suite: Suite::Aes128GcmSha256,
            settings: settings(),
            limits: Limits::default(),
            host: HOST,
            roots: site.authority.roots(),
            ahead: 0,
            changes: [Box::new(untouched), Box::new(untouched)],
            bytes: |_| {},
            patience: Duration::from_secs(60),
        }
    }

    /// What each party ends with.
    pub(super) fn go(self) -> (Result<Fetched, Error>, Result<Proven, Error>) {
        let (site, extended, requests, reads) =
            (self.site, self.extended, self.requests.clone(), self.reads.len());
        match self.tls {
            TlsVersion::Tls12 => {
                self.go_with(|engine| Client::new(site, extended).converse(engine, &requests, reads))
            }
            TlsVersion::Tls13 => self.go_with(|engine| connect(engine, site, &requests, reads)),
        }
    }

    /// As [`Run::go`], with another client.
    pub(super) fn go_with(
        mut self,
        client: impl FnOnce(&mut P<'_, '_>) -> Result<(Vec<u8>, [Vec<u8>; 2]), Error> + Send,
    ) -> (Result<Fetched, Error>, Result<Proven, Error>) {
        let limits = volery_channel::Limits {
            read: self.patience,
            write: self.patience,
            ..volery_channel::Limits::default()
        };
        let [p, v] = core::mem::replace(&mut self.changes, [Box::new(untouched), Box::new(untouched)]);
        between_edited(&limits, (p, v), |p| self.prover(p, client), |v| self.verifier(v))
    }

    fn prover(
        &self,
        channel: &mut Link<'_>,
        client: impl FnOnce(&mut P<'_, '_>) -> Result<(Vec<u8>, [Vec<u8>; 2]), Error>,
    ) -> Result<Fetched, Error> {
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let pool = tags(channel, SESSION, &mut rng)?;
        let reads = self.reads.iter().copied().chain(core::iter::repeat(0));
        let rounds = self.requests.iter().zip(reads);
        let rounds = rounds.map(|(request, read)| RoundSizes { query: request.len(), read }).collect();
        let proved = self.site.responses.iter().map(Vec::len).sum::<usize>().min(MAX_PROVED);
        let sizes = Sizes { tls: self.tls, suite: self.suite, rounds, proved };
        let mut prover = Prover::prepare(channel, &SESSION, pool, self.settings, sizes, &mut rng)?;
        let prepared = prover.stats();
        let (read, mut raw) = client(&mut prover)?;
        (self.bytes)(&mut raw);
        let fetched = prover.conclude(self.host, raw)?;
        let known = fetched.channel.stats();
        assert_eq!(fetched.request(), self.requests.concat());
        let response = fetched.response().to_vec();
        let Remainder { channel, rng, pool, committed_bits } = fetched.prove(&self.hide)?;
        let proved = channel.stats();
        let openings = committed_bits
            .map(|committed_bits| committed_bits.commit(channel, &SESSION, pool, rng))
            .transpose()?;
        let openings = openings.as_ref().map(|openings| Openings::to_bytes(openings).to_vec());
        Ok(Fetched { read, response, openings, stats: [prepared, known, proved] })
    }

    fn verifier(&self, channel: &mut dyn Channel) -> Result<Proven, Error> {
        let rng = &mut ChaCha20Rng::seed_from_u64(2);
        let commitments = keys(channel, SESSION, rng)?;
        let limits = self.limits.clone();
        let verifier = Verifier::prepare(channel, &SESSION, commitments, self.settings, limits, rng)?;
        let held = verifier.run(channel, rng)?;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let (accepted, delta, pool) =
            held.verify(channel, &self.roots, now + self.ahead, &Vec::new(), rng)?;
        Ok(accepted.receive(channel, &SESSION, (delta, pool), rng)?)
    }
}
