//! P alone: one connection over ordinary TLS, to see what there would be to prove.
//!
//! Nobody else takes part, so what it brings proves nothing to anybody. Two things differ from a client that
//! wants the page: it takes note of how the connection ended, because a server that does not end it cannot be
//! proved anything about ([`Ending`]); and it can ask which versions and suites of TLS a server takes
//! ([`probe`]), with the offer of the mode, and without a request.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, HandshakeKind};
use zeroize::Zeroizing;

use super::joint::client::{ConnectionLimits, Dialed, Failure, dial};
use super::proxy;
use crate::page::dialogue::{self, Dialogue, MAX_ROUNDS, RequestSource, append};
use crate::page::disclosure::{Suite, TlsVersion};
use crate::page::http::{self, Response};
use crate::wire::library;
use crate::wire::rustls_client::{self, CertificateRequests};
use crate::wire::server::Roots;
use crate::wire::transcript;

/// How long to wait for the end of a connection whose last response is whole.
const END_TIME: Duration = Duration::from_secs(3);

/// The server to connect to, and the authorities to trust.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The host: a DNS name or an IP address.
    pub host: &'a str,
    /// The port.
    pub port: u16,
    /// The authorities to trust.
    pub roots: &'a Roots,
    /// Limits on time and bytes.
    pub limits: ConnectionLimits,
}

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no connection, or it broke.
    #[error(transparent)]
    Connection(#[from] Failure),
    /// TLS failed. The server is not to be trusted, or has nothing in common with what was offered.
    #[error("TLS with the server: {0}")]
    Tls(String),
    /// The server asked for a certificate of the client's, got none, and ended TLS with an alert.
    #[error(
        "the server demands a certificate of the client's (it ended TLS with the alert {0}); connections with one, which would show who \
         you are, can't be proved"
    )]
    DemandsCertificate(String),
    /// With several requests: there is no next one, or a response is not the expected one.
    #[error(transparent)]
    Dialogue(#[from] dialogue::Error),
    /// The calling code is wrong.
    #[error("a connection has 1 to {MAX_ROUNDS} requests")]
    Rounds,
}

/// What server and client agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// The version of TLS, such as `1.3`.
    pub version: &'static str,
    /// The cipher suite, by its name in the registry.
    pub suite: String,
    /// The same, if something can be proved about connections with it.
    pub served: Option<Suite>,
    /// The group of the key exchange.
    pub group: String,
    /// Whether the server confirmed http/1.1 (ALPN).
    pub alpn: bool,
}

/// How the server ended the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With `close_notify`.
    Closed,
    /// It cut the connection without a word.
    Cut,
    /// It did not, for seconds after the last response.
    Open,
}

/// A page that P has fetched alone.
pub struct Visit {
    /// What server and client agreed on.
    pub agreed: Agreed,
    /// The server's certificate, in DER.
    pub certificate: Vec<u8>,
    /// How it ended.
    pub ending: Ending,
    /// All requests, and all responses.
    pub payload: [Zeroizing<Vec<u8>>; 2],
    /// All bytes on the wire, in each direction.
    pub wire: [usize; 2],
}

impl core::fmt::Debug for Visit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Visit").field("agreed", &self.agreed).finish_non_exhaustive()
    }
}

/// Sends `rounds` requests, which `ask` makes, each when the response to the one before is there, with any
/// version and suite of TLS that the library has.
///
/// # Errors
/// Those of [`enum@Error`]. That the server leaves the connection open after a whole response is none.
pub fn visit(target: &Target<'_>, rounds: usize, ask: &mut RequestSource<'_>) -> Result<Visit, Error> {
    if !(1..=MAX_ROUNDS).contains(&rounds) {
        return Err(Error::Rounds);
    }
    let config = rustls_client::config(library::default_provider(), &[&TLS13, &TLS12], target.roots);
    let mut client = Client::connect(target, config.map_err(|error| Error::Tls(error.to_string()))?)?;
    // A server may ask for another hello here. If the handshake then fails, that is the likely reason.
    let agreed = client.agree().map_err(|error| client.asked_again().unwrap_or(error))?;
    let mut dialogue = Dialogue::new(rounds, ask);
    let mut payload = [Zeroizing::default(), Zeroizing::default()];
    let [requests, responses] = &mut payload;
    let mut ending = Ending::Open;
    for round in 1..=rounds {
        let request = dialogue.request()?;
        append(requests, &request);
        client.write(&request)?;
        let start = responses.len();
        if round == rounds {
            ending = client.last(responses, start, request.starts_with(b"HEAD "))?;
            break;
        }
        loop {
            let before = responses.len();
            if client.read(responses)?.is_some() {
                return Err(dialogue.ended().into());
            }
            if dialogue.receive(responses.get(before..).unwrap_or_default())? {
                break;
            }
        }
    }
    let certificate = client.connection.peer_certificates().and_then(<[_]>::first);
    let certificate = certificate.map(|own| own.to_vec()).unwrap_or_default();
    Ok(Visit { agreed, certificate, ending, payload, wire: client.wire })
}

/// Makes a handshake with what a mode offers in this version, these suites, and ends the connection without a
/// request.
///
/// # Errors
/// [`Error::Tls`] if the server does not take it; [`Error::DemandsCertificate`]; [`Error::Connection`], also
/// if it asks for a certificate where that cannot be proved, or for another hello.
pub fn probe(target: &Target<'_>, version: TlsVersion, suites: &[Suite]) -> Result<Agreed, Error> {
    let config = proxy::offer(version, suites, target.roots).map_err(|error| Error::Tls(error.to_string()));
    let mut client = Client::connect(target, config?)?;
    let agreed = client.agree();
    // What the handshake gave is for nobody.
    drop(rustls_client::exchange::take());
    // It was offered keys of all groups.
    if let Some(error) = client.asked_again() {
        return Err(error);
    }
    let agreed = agreed?;
    if version == TlsVersion::Tls13 && client.requests.any() {
        return Err(Failure::from(transcript::Error::CertificateRequest).into());
    }
    client.connection.send_close_notify();
    // The answer is there already, whatever becomes of this.
    let _ = client.send();
    Ok(agreed)
}

/// A connection.
struct Client {
    connection: ClientConnection,
    socket: Dialed,
    wire: [usize; 2],
    limit: usize,
    /// The server's requests for a certificate.
    requests: Arc<CertificateRequests>,
}

impl Client {
    fn connect(target: &Target<'_>, mut config: ClientConfig) -> Result<Self, Error> {
        let requests = CertificateRequests::of(&mut config);
        let name = ServerName::try_from(target.host.to_owned()).map_err(|_| Failure::Name)?;
        let connection = ClientConnection::new(Arc::new(config), name);
        let connection = connection.map_err(|error| Error::Tls(error.to_string()))?;
        let socket = dial(target.host, target.port, &target.limits)?;
        Ok(Self { connection, socket, wire: [0; 2], limit: target.limits.received, requests })
    }

    /// Runs the handshake.
    fn agree(&mut self) -> Result<Agreed, Error> {
        while self.connection.is_handshaking() {
            self.send()?;
            if self.connection.is_handshaking() && self.receive()?.is_some() {
                return Err(Failure::Closed.into());
            }
        }
        self.send()?;
        let Self { connection, .. } = self;
        let version = match connection.protocol_version() {
            Some(rustls::ProtocolVersion::TLSv1_3) => "1.3",
            _ => "1.2",
        };
        let suite = connection.negotiated_cipher_suite().map(|suite| suite.suite());
        let number = suite.map(u16::from).unwrap_or_default();
        let of_tls12 = Suite::from_tls12(number).map(|(suite, _)| suite);
        let served = Suite::from_tls13(number).or(of_tls12);
        let suite = suite.and_then(|suite| suite.as_str()).unwrap_or("unknown").replace("TLS13_", "TLS_");
        let group = connection.negotiated_key_exchange_group().map(|group| group.name());
        let group = group.and_then(|group| group.as_str()).unwrap_or("unknown").to_owned();
        let alpn = connection.alpn_protocol() == Some(rustls_client::HTTP);
        Ok(Agreed { version, suite, served, group, alpn })
    }

    /// The error of a server that asked for another hello.
    fn asked_again(&self) -> Option<Error> {
        let again = self.connection.handshake_kind() == Some(HandshakeKind::FullWithHelloRetryRequest);
        again.then(|| Failure::from(transcript::Error::HelloRetry).into())
    }

    /// Sends what the TLS library wants to send.
    fn send(&mut self) -> Result<(), Error> {
        while self.connection.wants_write() {
            let [sent, _] = &mut self.wire;
            *sent = sent.saturating_add(self.connection.write_tls(&mut self.socket).map_err(broken)?);
        }
        Ok(())
    }

    /// Takes bytes from the server. Returns how it ended, if it has.
    fn receive(&mut self) -> Result<Option<Ending>, Error> {
        let count = match self.connection.read_tls(&mut self.socket) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => 0,
            Err(error) => return Err(broken(error)),
        };
        let [_, received] = &mut self.wire;
        *received = received.saturating_add(count);
        if *received > self.limit {
            return Err(Failure::Size { limit: self.limit }.into());
        }
        let state = self.connection.process_new_packets();
        let closed = match state {
            Ok(state) => state.peer_has_closed(),
            Err(error) => {
                // The alert tells the server why; if it cannot be sent, nothing is lost.
                let _ = self.send();
                return Err(match error {
                    rustls::Error::AlertReceived(alert) if self.requests.any() => {
                        Error::DemandsCertificate(format!("{alert:?}"))
                    }
                    error => Error::Tls(error.to_string()),
                });
            }
        };
        Ok(if closed { Some(Ending::Closed) } else { (count == 0).then_some(Ending::Cut) })
    }

    fn write(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        while !bytes.is_empty() {
            let count = self.connection.writer().write(bytes).map_err(broken)?;
            bytes = bytes.get(count..).unwrap_or_default();
            self.send()?;
        }
        Ok(())
    }

    /// Appends some of the server's plaintext. Returns how the connection ended, if it has.
    fn read(&mut self, all: &mut Zeroizing<Vec<u8>>) -> Result<Option<Ending>, Error> {
        let ended = self.receive()?;
        let mut chunk = Zeroizing::new([0; 1 << 14]);
        loop {
            match self.connection.reader().read(&mut chunk[..]) {
                Ok(0) => break,
                Ok(count) => append(all, chunk.get(..count).unwrap_or_default()),
                Err(error) if [ErrorKind::WouldBlock, ErrorKind::UnexpectedEof].contains(&error.kind()) => {
                    break;
                }
                Err(error) => return Err(broken(error)),
            }
        }
        self.send()?;
        Ok(ended)
    }

    /// Reads the last response and the connection's end.
    fn last(&mut self, all: &mut Zeroizing<Vec<u8>>, start: usize, to_head: bool) -> Result<Ending, Error> {
        let mut whole = false;
        loop {
            match self.read(all) {
                Ok(Some(ending)) => return Ok(ending),
                Ok(None) => {}
                Err(Error::Connection(Failure::Time)) if whole => return Ok(Ending::Open),
                Err(error) => return Err(error),
            }
            if !whole && is_whole(all, start, to_head) {
                whole = true;
                self.socket.hurry(END_TIME);
            }
        }
    }
}

/// Whether a response is there that does not go on until the connection ends, or something that is none.
fn is_whole(all: &[u8], start: usize, to_head: bool) -> bool {
    !matches!(Response::parse(all, start, to_head, false), Err(http::Error::Incomplete { .. }))
}

fn broken(error: io::Error) -> Error {
    Error::Connection(match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Failure::Time,
        kind => Failure::Broken(kind),
    })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use rcgen::generate_simple_self_signed;
    use rustls::pki_types::PrivateKeyDer;
    use rustls::{ServerConfig, ServerConnection, SupportedProtocolVersion};

    use super::*;

    /// How the server ends a connection.
    #[derive(Clone, Copy, PartialEq)]
    enum End {
        Close,
        Cut,
        Stay,
    }

    const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

    /// A server of these versions that answers everything with this, and the authority to trust.
    fn server(
        versions: &[&'static SupportedProtocolVersion],
        alpn: bool,
        answer: &'static str,
        end: End,
    ) -> (u16, Roots) {
        let made = generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let mut config = ServerConfig::builder_with_provider(Arc::new(library::default_provider()))
            .with_protocol_versions(versions)
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        if alpn {
            config.alpn_protocols = vec![b"http/1.1".to_vec()];
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let config = Arc::new(config);
        thread::spawn(move || {
            while let Ok((mut socket, _)) = listener.accept() {
                let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                let mut tls = rustls::Stream::new(&mut connection, &mut socket);
                if !matches!(tls.read(&mut [0; 4096]), Ok(1..)) {
                    continue;
                }
                tls.write_all(answer.as_bytes()).unwrap();
                if end == End::Close {
                    tls.conn.send_close_notify();
                }
                tls.flush().unwrap();
                if end == End::Stay {
                    // Until the client goes.
                    let _ = tls.read(&mut [0; 16]);
                }
            }
        });
        let mut roots = Roots::none();
        roots.add_der(made.cert.der()).unwrap();
        (port, roots)
    }

    fn target(port: u16, roots: &Roots) -> Target<'_> {
        Target { host: "localhost", port, roots, limits: ConnectionLimits::default() }
    }

    fn ask(round: usize, _: &dialogue::ReceivedResponses) -> Result<Zeroizing<Vec<u8>>, String> {
        assert_eq!(round, 0);
        Ok(Zeroizing::new(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec()))
    }

    #[test]
    fn a_visit_says_what_was_agreed_and_how_it_ended() {
        for (versions, version, end, ending) in [
            (&[&TLS12][..], "1.2", End::Close, Ending::Closed),
            (&[&TLS13, &TLS12], "1.3", End::Cut, Ending::Cut),
            (&[&TLS13], "1.3", End::Stay, Ending::Open),
        ] {
            let (port, roots) = server(versions, true, PAGE, end);
            let visit = visit(&target(port, &roots), 1, &mut ask).unwrap();
            assert_eq!((visit.agreed.version, visit.agreed.alpn, visit.ending), (version, true, ending));
            let [request, response] = &visit.payload;
            assert!(request.starts_with(b"GET / ") && response.as_slice() == PAGE.as_bytes());
            assert!(!visit.certificate.is_empty() && visit.wire.iter().all(|bytes| *bytes > 100));
        }
    }

    #[test]
    fn a_probe_finds_out_which_versions_a_server_has() {
        let (port, roots) = server(&[&TLS13], false, PAGE, End::Close);
        let found = probe(&target(port, &roots), TlsVersion::Tls13, &Suite::ALL).unwrap();
        assert_eq!(found.version, "1.3");
        assert!(!found.alpn);
        assert!(matches!(probe(&target(port, &roots), TlsVersion::Tls12, &Suite::ALL), Err(Error::Tls(_))));
        assert!(rustls_client::exchange::take().is_none(), "no secret stays behind");
        let (port, roots) = server(&[&TLS12], true, PAGE, End::Close);
        let found = probe(&target(port, &roots), TlsVersion::Tls12, &Suite::ALL).unwrap();
        assert!(found.suite.contains("_WITH_") && found.alpn, "{found:?}");
    }

    #[test]
    fn servers_that_nobody_vouches_for_and_endless_pages_are_errors() {
        let (port, _) = server(&[&TLS13], true, PAGE, End::Close);
        assert!(matches!(visit(&target(port, &Roots::none()), 1, &mut ask), Err(Error::Tls(_))));
        let (port, roots) = server(&[&TLS13], true, PAGE, End::Close);
        let limits = ConnectionLimits { received: 100, ..ConnectionLimits::default() };
        let target = Target { limits, ..target(port, &roots) };
        assert!(matches!(visit(&target, 1, &mut ask), Err(Error::Connection(Failure::Size { limit: 100 }))));
        assert!(matches!(visit(&target, 0, &mut ask), Err(Error::Rounds)));
    }
}
