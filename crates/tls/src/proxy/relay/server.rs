//! V's side: the connection itself, and the record of it.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use volery_channel::Channel;
use volery_channel::tags::{RELAY_ANSWER, RELAY_REQUEST};

use super::{CLOSE, DATA, DONE, EXCHANGE, Error, FAILED, Failure, MAX_CHUNK, MAX_HOST, OPEN, Rules, WRITE};
use crate::{server, transcript};

/// What V knows of a connection that it relayed.
#[derive(Clone, PartialEq, Eq)]
pub struct Relayed {
    /// The host that V connected to, as P named it.
    pub host: String,
    /// The port.
    pub port: u16,
    /// All that P sent to the server.
    pub client: Vec<u8>,
    /// All that the server sent.
    pub server: Vec<u8>,
}

impl core::fmt::Debug for Relayed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut f = f.debug_struct("Relayed");
        f.field("host", &self.host).field("port", &self.port);
        f.field("sent", &self.client.len()).field("received", &self.server.len()).finish_non_exhaustive()
    }
}

/// Serves one connection of P's, from its request to open it to its request to close it.
///
/// # Errors
/// [`Error::Server`] for what the rules forbid and for what the connection met; P is told which. [`Error::Malformed`] for requests
/// that are none, or that come in another order. The channel's.
pub fn serve(channel: &mut dyn Channel, rules: &Rules) -> Result<Relayed, Error> {
    let result = try_serve(channel, rules);
    if let Err(Error::Server(failure)) = &result {
        channel.send(RELAY_ANSWER, &[FAILED, failure.code()])?;
        channel.flush()?;
    }
    result
}

fn try_serve(channel: &mut dyn Channel, rules: &Rules) -> Result<Relayed, Error> {
    let deadline = Instant::now() + rules.total;
    let Request::Open { host, port } = Request::decode(channel.recv(RELAY_REQUEST, 1 + 2 + MAX_HOST)?)?
    else {
        return Err(malformed("not a request to open a connection"));
    };
    let mut connection = Connection { socket: connect(&host, port, rules)?, rules, deadline };
    channel.send(RELAY_ANSWER, &[DONE])?;
    let mut relayed = Relayed { host, port, client: Vec::new(), server: Vec::new() };
    let mut answer = Vec::new();
    loop {
        match Request::decode(channel.recv(RELAY_REQUEST, 1 + MAX_CHUNK)?)? {
            Request::Write(bytes) => connection.write(bytes, &mut relayed)?,
            Request::Exchange(bytes) => {
                connection.write(bytes, &mut relayed)?;
                connection.read(&mut relayed, &mut answer)?;
                channel.send(RELAY_ANSWER, &answer)?;
                continue;
            }
            Request::Close => break,
            Request::Open { .. } => return Err(malformed("a connection is open already")),
        }
        channel.send(RELAY_ANSWER, &[DONE])?;
    }
    drop(connection);
    channel.send(RELAY_ANSWER, &[DONE])?;
    channel.flush()?;
    Ok(relayed)
}

/// What P asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request<'a> {
    Open {
        host: String,
        port: u16,
    },
    /// Write these bytes, then read.
    Exchange(&'a [u8]),
    /// Write these bytes.
    Write(&'a [u8]),
    Close,
}

impl<'a> Request<'a> {
    /// # Errors
    /// [`Error::Malformed`] for what is no request; [`Failure::Name`] for what is no host.
    pub(super) fn decode(message: &'a [u8]) -> Result<Self, Error> {
        match message {
            [OPEN, high, low, host @ ..] => {
                Ok(Self::Open { host: host_name(host)?, port: u16::from_be_bytes([*high, *low]) })
            }
            [EXCHANGE, bytes @ ..] => Ok(Self::Exchange(bytes)),
            [WRITE, bytes @ ..] => Ok(Self::Write(bytes)),
            [CLOSE] => Ok(Self::Close),
            _ => Err(malformed("not a request")),
        }
    }
}

fn malformed(reason: &'static str) -> Error {
    Error::Malformed { step: RELAY_REQUEST, reason }
}

/// A name or an address, in the characters that these have.
fn host_name(bytes: &[u8]) -> Result<String, Error> {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:".contains(byte);
    if bytes.is_empty() || bytes.len() > MAX_HOST || !bytes.iter().all(allowed) {
        return Err(Error::Server(Failure::Name));
    }
    String::from_utf8(bytes.to_vec()).map_err(|_| Error::Server(Failure::Name))
}

/// Connects to the first address that the rules allow and that answers.
fn connect(host: &str, port: u16, rules: &Rules) -> Result<TcpStream, Error> {
    if !rules.allows_port(port) {
        return Err(Error::Server(Failure::Port));
    }
    let addresses = (host, port).to_socket_addrs().map_err(|_| Error::Server(Failure::Unknown))?;
    let mut failure = Failure::Unknown;
    let deadline = Instant::now() + rules.connect;
    for address in addresses {
        if !rules.allows_address(address.ip()) {
            failure = Failure::Address;
            continue;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::Server(Failure::Time));
        }
        match dial(&address, left) {
            Ok(socket) => return Ok(socket),
            Err(_) => failure = Failure::Connect,
        }
    }
    Err(Error::Server(failure))
}

fn dial(address: &SocketAddr, time: Duration) -> io::Result<TcpStream> {
    let socket = TcpStream::connect_timeout(address, time)?;
    socket.set_nodelay(true)?;
    Ok(socket)
}

struct Connection<'r> {
    socket: TcpStream,
    rules: &'r Rules,
    deadline: Instant,
}

impl Connection<'_> {
    /// How long the next operation may take.
    fn time_left(&self) -> Result<Duration, Error> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Error::Server(Failure::Time)) } else { Ok(left.min(self.rules.idle)) }
    }

    /// Writes what P sends; first of all a ClientHello for the host that P named, so that a server of anything else but TLS is told
    /// nothing that P has chosen freely.
    fn write(&mut self, bytes: &[u8], relayed: &mut Relayed) -> Result<(), Error> {
        if relayed.client.is_empty() && !bytes.is_empty() {
            let sni = transcript::opening(bytes).map_err(|_| Error::Server(Failure::Hello))?;
            server::asks_for(sni.as_deref(), &relayed.host).map_err(|_| Error::Server(Failure::Hello))?;
        }
        if relayed.client.len() + bytes.len() > self.rules.max_sent {
            return Err(Error::Server(Failure::Size));
        }
        let left = self.time_left()?;
        self.socket.set_write_timeout(Some(left)).map_err(failed)?;
        self.socket.write_all(bytes).map_err(failed)?;
        relayed.client.extend_from_slice(bytes);
        Ok(())
    }

    /// Waits for bytes; `answer` becomes the message that brings them to P. No bytes: the server closed its direction.
    fn read(&mut self, relayed: &mut Relayed, answer: &mut Vec<u8>) -> Result<(), Error> {
        let left = self.time_left()?;
        self.socket.set_read_timeout(Some(left)).map_err(failed)?;
        answer.resize(1 + MAX_CHUNK, DATA);
        answer[0] = DATA;
        let count = loop {
            match self.socket.read(&mut answer[1..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result.map_err(failed)?,
            }
        };
        answer.truncate(1 + count);
        if relayed.server.len() + count > self.rules.max_received {
            return Err(Error::Server(Failure::Size));
        }
        relayed.server.extend_from_slice(&answer[1..]);
        Ok(())
    }
}

fn failed(error: io::Error) -> Error {
    Error::Server(match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Failure::Time,
        _ => Failure::Broken,
    })
}
