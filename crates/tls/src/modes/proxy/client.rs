//! P's part: TLS with the server through V, and then P's claims about it.

use std::io::{self, Read as _, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::ServerName;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, KeyLog, ProtocolVersion};
use volery_channel::Channel;
use zeroize::Zeroizing;

use super::Error;
use super::relay::{self, Stream};
use super::secret::Secret;
use super::statement::ProxyStatement;
use crate::page::attestation::{Context, Mode, Statement};
use crate::page::dialogue::{Dialogue, MAX_ROUNDS, RequestSource, append};
use crate::page::disclosure::{
    self, EndedConnection, OpenConnection, Redaction, Refusal, Selection, Suite, TlsVersion,
};
use crate::page::leaf::{LeafOpenings, Seed};
use crate::wire::key_schedule::EarlySecret;
use crate::wire::library;
use crate::wire::prf::Side;
use crate::wire::rustls_client::{self, CertificateRequests, exchange};
use crate::wire::server::Roots;
use crate::wire::step::MASTER_BITS;
use crate::wire::transcript::tls13::{self, HandshakeSecrets};
use crate::wire::transcript::{self, Transcript};

/// Bytes of a master secret.
const MASTER_BYTES: usize = MASTER_BITS / 8;

/// The server to connect to, and the authorities to trust.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The host: a DNS name or an IP address.
    pub host: &'a str,
    /// The port.
    pub port: u16,
    /// The authorities that P trusts. V has its own.
    pub roots: &'a Roots,
    /// The most bytes to take from the server.
    pub max_received: usize,
    /// How long the server may take for its next bytes, unless V waits less.
    pub wait: Duration,
    /// The version of TLS to speak, and no other; `None` for whichever the server chooses.
    pub version: Option<TlsVersion>,
    /// The cipher suite to offer, and no other; `None` for whichever the server chooses of all.
    pub suite: Option<Suite>,
}

/// A connection that has ended, with its secrets.
pub struct Fetched {
    ended: EndedConnection,
    secret: Secret,
}

impl core::fmt::Debug for Fetched {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Fetched").field("ended", &self.ended).finish_non_exhaustive()
    }
}

/// Sends `request` to a server through V, on a new connection, and takes everything that the server answers
/// until it ends the connection.
///
/// # Errors
/// [`Error::Tls`], [`Error::OnlyNewer`], [`Error::OnlyOlder`]; any error of the relay. V is told that the
/// session is over.
pub fn fetch(channel: &mut dyn Channel, target: &Target<'_>, request: &[u8]) -> Result<Fetched, Error> {
    converse(channel, target, 1, &mut |_, _| Ok(Zeroizing::new(request.to_vec())))
}

/// As [`fetch`], with `requests` requests, which `ask` makes: each when the response to the one before is
/// there.
///
/// # Errors
/// As [`fetch`]; [`Error::Dialogue`] if there is no request, or if a response is malformed or the server's
/// last.
pub fn converse(
    channel: &mut dyn Channel,
    target: &Target<'_>,
    rounds: usize,
    ask: &mut RequestSource<'_>,
) -> Result<Fetched, Error> {
    let result = try_fetch(channel, target, rounds, ask);
    if result.is_err() {
        channel.fail("the connection to the server failed at the prover");
    }
    result
}

fn try_fetch(
    channel: &mut dyn Channel,
    target: &Target<'_>,
    rounds: usize,
    ask: &mut RequestSource<'_>,
) -> Result<Fetched, Error> {
    if !(1..=MAX_ROUNDS).contains(&rounds) {
        return Err(Error::Misuse("a connection has 1 to 16 requests"));
    }
    connect(channel, target, |connection, stream, payload| {
        talk(connection, stream, Dialogue::new(rounds, ask), rounds, payload)
    })
}

/// Makes a connection, lets `talk` use it and record both sides' plaintext, and closes it.
fn connect(
    channel: &mut dyn Channel,
    target: &Target<'_>,
    talk: impl FnOnce(
        &mut ClientConnection,
        &mut Stream<&mut dyn Channel>,
        &mut [Zeroizing<Vec<u8>>; 2],
    ) -> Result<(), Error>,
) -> Result<Fetched, Error> {
    let Target { host, port, roots, max_received, wait, version, suite } = *target;
    let master = Arc::new(MasterSecret::default());
    let name =
        ServerName::try_from(host.to_owned()).map_err(|_| relay::Error::Server(relay::Failure::Name))?;
    let suites = suite.as_ref().map_or(&Suite::ALL[..], core::slice::from_ref);
    let mut config = config(version, suites, roots, Arc::clone(&master))?;
    let requests = CertificateRequests::of(&mut config);
    let mut connection =
        ClientConnection::new(Arc::new(config), name).map_err(|error| Error::Tls(error.to_string()))?;
    let mut stream = Stream::open(channel, host, port, max_received, wait)?;
    let mut payload = [Zeroizing::default(), Zeroizing::default()];
    let result = shake_hands(&mut connection, &mut stream, &requests)
        .and_then(|()| talk(&mut connection, &mut stream, &mut payload));
    // Taken in any case, so that it does not outlive a connection that fails.
    let shared = exchange::take();
    if let Some(error) = stream.error() {
        return Err(error.clone().into());
    }
    result.map_err(|error| match (error, version) {
        (Error::Alert(alert), _) if requests.any() => Error::DemandsCertificate(alert),
        (Error::OnlyNewer, Some(TlsVersion::Tls13)) => Error::OnlyOlder,
        (Error::OnlyNewer, None) => Error::NothingInCommon,
        (error, _) => error,
    })?;
    let (client, server) = stream.close()?;
    let refused = |error| disclosure::Error::from(Refusal::from(error));
    let version = match connection.protocol_version() {
        Some(ProtocolVersion::TLSv1_3) => TlsVersion::Tls13,
        _ => TlsVersion::Tls12,
    };
    let (connection, secret) = match version {
        TlsVersion::Tls12 => {
            let transcript = Transcript::parse(&client, &server).map_err(refused)?;
            let master = master.take().ok_or(UNTOLD)?;
            let suite = transcript.handshake.suite;
            (OpenConnection::Tls12(transcript), Secret::new(version, suite, &master[..]))
        }
        TlsVersion::Tls13 => {
            let transcript = tls13::Transcript::parse(&client, &server).map_err(refused)?;
            let suite = transcript.hello.suite;
            let secret = EarlySecret::new(suite.hash()).handshake(&shared.ok_or(UNTOLD)?);
            let traffic = |side| secret.traffic(side, &transcript.hello.hash);
            let secrets = HandshakeSecrets { client: traffic(Side::Client), server: traffic(Side::Server) };
            let opened = transcript.open(&secrets).map_err(refused)?;
            // The library follows a server that changes its keys, and V does not.
            let traffic = secret.master().traffic(Side::Server, &opened.handshake.finished_hash);
            tls13::data(Side::Server, suite, &traffic, &opened.server).map_err(refused)?;
            (OpenConnection::Tls13(opened), Secret::new(version, suite, secret.bytes()))
        }
    };
    let secret = secret.ok_or(UNTOLD)?;
    let ended = EndedConnection {
        mode: Mode::Proxy,
        host: host.into(),
        port: Some(port),
        pipelined: false,
        context: Context::default(),
        leaves: None,
        trusts_close: false,
        connection,
        raw: [client, server],
        payload,
        #[cfg(test)]
        unchecked: false,
    };
    Ok(Fetched { ended, secret })
}

/// The TLS library works in another way than it did.
const UNTOLD: Error = Error::Misuse("the TLS library did not tell the connection's secret");

/// Runs the handshake. What nobody can prove is refused before a request is said.
fn shake_hands(
    connection: &mut ClientConnection,
    stream: &mut Stream<&mut dyn Channel>,
    requests: &CertificateRequests,
) -> Result<(), Error> {
    connection.complete_io(stream).map_err(|error| tls_error(&error, connection))?;
    if connection.protocol_version() == Some(ProtocolVersion::TLSv1_3) && requests.any() {
        let refusal = Refusal::from(transcript::Error::CertificateRequest);
        return Err(disclosure::Error::from(refusal).into());
    }
    Ok(())
}

/// Sends the requests, and receives until the server ends the connection, with or without an alert. The
/// plaintext goes to `requests` and `responses`.
fn talk(
    connection: &mut ClientConnection,
    stream: &mut Stream<&mut dyn Channel>,
    mut dialogue: Dialogue<'_, '_>,
    rounds: usize,
    [requests, responses]: &mut [Zeroizing<Vec<u8>>; 2],
) -> Result<(), Error> {
    let mut tls = rustls::Stream::new(connection, stream);
    for round in 1..=rounds {
        let request = dialogue.request()?;
        append(requests, &request);
        let written = tls.write_all(&request);
        written.map_err(|error| tls_error(&error, tls.conn))?;
        loop {
            let before = responses.len();
            if !receive(&mut tls, responses)? {
                if round < rounds {
                    return Err(dialogue.ended().into());
                }
                break;
            }
            if round < rounds && dialogue.receive(responses.get(before..).unwrap_or_default())? {
                break;
            }
        }
    }
    Ok(())
}

/// Appends some of the server's plaintext. Returns whether there was any.
fn receive(
    tls: &mut rustls::Stream<'_, ClientConnection, Stream<&mut dyn Channel>>,
    all: &mut Zeroizing<Vec<u8>>,
) -> Result<bool, Error> {
    let mut chunk = Zeroizing::new([0; 1 << 14]);
    match tls.read(&mut chunk[..]) {
        Ok(count) => {
            append(all, chunk.get(..count).unwrap_or_default());
            Ok(count > 0)
        }
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(tls_error(&error, tls.conn)),
    }
}

/// Translates an error that occurred before or after the server had chosen among the offers. That it refuses
/// them all is called [`Error::OnlyNewer`] here, whatever the version.
fn tls_error(error: &io::Error, connection: &ClientConnection) -> Error {
    use rustls::AlertDescription::{HandshakeFailure, ProtocolVersion};
    use rustls::Error::{AlertReceived, PeerIncompatible};
    use rustls::PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig;
    let chosen = connection.negotiated_cipher_suite().is_some();
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(
            AlertReceived(ProtocolVersion | HandshakeFailure)
            | PeerIncompatible(ServerTlsVersionIsDisabledByOurConfig),
        ) if !chosen => Error::OnlyNewer,
        Some(AlertReceived(alert)) => Error::Alert(format!("{alert:?}")),
        _ => Error::Tls(error.to_string()),
    }
}

/// What is offered in this version with these suites, and nothing else.
pub(in crate::modes) fn offer(
    version: TlsVersion,
    suites: &[Suite],
    roots: &Roots,
) -> Result<ClientConfig, Error> {
    config(Some(version), suites, roots, Arc::default())
}

/// One version, or whichever the server chooses, with these suites, and nothing else.
fn config(
    version: Option<TlsVersion>,
    suites: &[Suite],
    roots: &Roots,
    secret: Arc<MasterSecret>,
) -> Result<ClientConfig, Error> {
    let newer = || (rustls_client::suites(TlsVersion::Tls13, suites), exchange::groups(), vec![&TLS13]);
    let older = rustls_client::suites(TlsVersion::Tls12, suites);
    let (cipher_suites, kx_groups, versions) = match version {
        Some(TlsVersion::Tls12) => {
            (older, vec![library::kx_group::SECP256R1, library::kx_group::X25519], vec![&TLS12])
        }
        Some(TlsVersion::Tls13) => newer(),
        // The library itself refuses TLS 1.2 of a server whose random says that it speaks TLS 1.3.
        None => {
            let (mut all, groups, mut versions) = newer();
            all.extend(older);
            versions.push(&TLS12);
            (all, groups, versions)
        }
    };
    let provider = CryptoProvider { cipher_suites, kx_groups, ..library::default_provider() };
    let config = rustls_client::config(provider, &versions, roots);
    let mut config = config.map_err(|error| Error::Tls(error.to_string()))?;
    config.key_log = secret;
    Ok(config)
}

/// Takes the master secret when the TLS library offers it.
#[derive(Default)]
struct MasterSecret(Mutex<Option<Zeroizing<[u8; MASTER_BYTES]>>>);

impl core::fmt::Debug for MasterSecret {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("MasterSecret").finish_non_exhaustive()
    }
}

impl KeyLog for MasterSecret {
    fn log(&self, label: &str, _client_random: &[u8], secret: &[u8]) {
        if let ("CLIENT_RANDOM", Ok(secret), Ok(mut slot)) = (label, secret.try_into(), self.0.lock()) {
            *slot = Some(Zeroizing::new(secret));
        }
    }
}

impl MasterSecret {
    fn take(&self) -> Option<Zeroizing<[u8; MASTER_BYTES]>> {
        self.0.lock().ok()?.take()
    }
}

impl Fetched {
    /// The requests, one after the other.
    #[must_use]
    pub fn request(&self) -> &[u8] {
        self.ended.request()
    }

    /// The raw responses, one after the other: status line, headers, body.
    #[must_use]
    pub fn response(&self) -> &[u8] {
        self.ended.response()
    }

    /// The hidden parts if P makes this selection. [`Selection`] says what happens to the parts that it does
    /// not name.
    ///
    /// # Errors
    /// [`Error::Disclosure`] for a part that does not exist, and for one that is neither revealed nor can be
    /// hidden.
    pub fn select(&self, selection: &Selection) -> Result<Vec<Redaction>, Error> {
        Ok(self.ended.select(selection)?)
    }

    /// Has V sign this context together with its statement.
    pub fn set_context(&mut self, context: Context) {
        self.ended.context = context;
    }

    /// Has P commit to all hidden parts, with salts from this seed: see [`leaf`](crate::leaf).
    pub fn commit_all(&mut self, seed: Seed) {
        self.ended.leaves = Some(seed);
    }

    /// What opens the leaves if P [discloses](Fetched::disclose) the connection in this way; none unless P
    /// commits to everything.
    ///
    /// # Errors
    /// As [`Fetched::expected`].
    pub fn leaf_openings(&self, redactions: &[Redaction]) -> Result<Option<LeafOpenings>, Error> {
        Ok(self.ended.leaf_openings(redactions)?)
    }

    /// Has P rely on the server to take no further requests after one with `Connection: close`, although
    /// nothing that the server says shows that it ends the connection: see [what V learns, and
    /// when](crate::disclosure#what-v-learns-and-when).
    pub fn trust_close(&mut self) {
        self.ended.trusts_close = true;
    }

    /// The statement that V will sign if P [discloses](Fetched::disclose) the connection in this way, without
    /// commitments. It is everything that a recipient of the attestation will see. `time` is the current time
    /// in seconds since 1970 (UTC).
    ///
    /// # Errors
    /// [`Error::Disclosure`] for anything in it that V would refuse.
    pub fn expected(&self, redactions: &[Redaction], time: u64) -> Result<Statement, Error> {
        Ok(self.ended.expected(redactions, time)?)
    }

    /// Tells V everything about the connection except what `redactions` names. Returns the statement to prove
    /// next.
    ///
    /// Everything is first checked here as V will check it, so a claim that V would refuse fails before V
    /// hears of it. A false claim fails in the proof, at P.
    ///
    /// # Errors
    /// [`Error::Disclosure`] if the server left the connection open or V would refuse; the channel's.
    pub fn disclose(
        &self,
        channel: &mut dyn Channel,
        redactions: &[Redaction],
    ) -> Result<ProxyStatement, Error> {
        let statement = self.ended.disclose(channel, &self.secret.root(), redactions)?;
        Ok(ProxyStatement { statement, secret: Some(self.secret.clone()) })
    }
}

/// What a cheating P has.
#[cfg(test)]
impl Fetched {
    /// A connection on which P says all of `requests` but the last, each when the bytes that were to come
    /// have come, and then says the last one and hears nothing more.
    pub(super) fn unheard(
        channel: &mut dyn Channel,
        target: &Target<'_>,
        requests: &[Vec<u8>],
        answers: &[usize],
    ) -> Result<Self, Error> {
        connect(channel, target, |connection, stream, [sent, received]| {
            let mut tls = rustls::Stream::new(connection, stream);
            let mut end = 0;
            for (number, request) in requests.iter().enumerate() {
                append(sent, request);
                tls.write_all(request).map_err(|error| tls_error(&error, tls.conn))?;
                end += answers.get(number).copied().unwrap_or_default();
                while received.len() < end && receive(&mut tls, received)? {}
            }
            // What is written and not sent would be dropped.
            Ok(tls.sock.send()?)
        })
    }

    /// What can be said of this connection without its secrets; none if P cheats.
    pub(super) fn draft(&self) -> Option<disclosure::Draft> {
        let EndedConnection { mode, host, port, pipelined, context, connection, payload, unchecked, .. } =
            &self.ended;
        let handshake = connection.handshake();
        (!*unchecked).then(|| disclosure::Draft {
            mode: *mode,
            tls: connection.version(),
            suite: connection.suite(),
            host: host.clone(),
            port: port.unwrap_or(443),
            alpn: handshake.alpn().is_some(),
            certificate: handshake.certificates()[0].to_vec(),
            pipelined: *pipelined,
            context: context.clone(),
            leaves: None,
            closed: true,
            trusts_close: false,
            payload: payload.clone(),
        })
    }

    /// P does not look whether V will refuse what it says.
    pub(super) fn unchecked(mut self) -> Self {
        self.ended.unchecked = true;
        self
    }

    pub(super) fn change_raw(&mut self, change: impl FnOnce(&mut [Vec<u8>; 2])) {
        change(&mut self.ended.raw);
    }

    pub(super) fn change_response(&mut self, change: impl FnOnce(&mut Vec<u8>)) {
        let [_, response] = &mut self.ended.payload;
        change(response);
    }
}
