//! V's side: the connection itself, and the record of it.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use volery_channel::tags::{RELAY_ANSWER, RELAY_REQUEST};
use volery_channel::{Channel, resolve};

use super::{
    CLOSE, DATA, DONE, END, EXCHANGE, Error, FAILED, Failure, LEAVE, MAX_CHUNK, MAX_HOST, OPEN, Rules, WRITE,
};
use crate::memory::Budget;
use crate::page::disclosure::RelayMark;
use crate::wire::{server, transcript};

/// The most bytes that are written before V takes the server's bytes again.
const MAX_WRITE: usize = 1 << 14;
/// The most marks of a connection.
const MAX_MARKS: usize = 1 << 16;

/// V's record of a connection that it relayed.
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
    /// How much of the server's bytes V had when it wrote each part of the client's.
    pub(in crate::modes) marks: Vec<RelayMark>,
    /// The most hidden bytes about which something is proved.
    pub(in crate::modes) hidden: usize,
    /// The source of memory for claims about it.
    pub(in crate::modes) budget: Budget,
}

impl core::fmt::Debug for Relayed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut f = f.debug_struct("Relayed");
        f.field("host", &self.host).field("port", &self.port);
        f.field("sent", &self.client.len()).field("received", &self.server.len()).finish_non_exhaustive()
    }
}

/// Serves one of P's connections, from the request to open it to the request to close it.
///
/// # Errors
/// [`Error::Server`] if the rules forbid it or the connection fails, and P is told which;
/// [`Error::Malformed`] for invalid requests, or requests in another order; the channel's.
pub fn serve(channel: &mut dyn Channel, rules: &Rules) -> Result<Relayed, Error> {
    let result = try_serve(channel, rules);
    if let Err(Error::Server(failure)) = &result {
        channel.send(RELAY_ANSWER, &[FAILED, failure.code()])?;
        channel.flush()?;
    }
    result
}

fn try_serve(channel: &mut dyn Channel, rules: &Rules) -> Result<Relayed, Error> {
    let RelayRequest::Open { host, port, wait } =
        RelayRequest::decode(channel.recv(RELAY_REQUEST, 1 + 2 + 2 + MAX_HOST)?)?
    else {
        return Err(malformed("not a request to open a connection"));
    };
    let mut carried = Carried::open(host, port, wait, rules, true)?;
    channel.send(RELAY_ANSWER, &[DONE])?;
    let mut answer = Vec::new();
    loop {
        let request = RelayRequest::decode(channel.recv(RELAY_REQUEST, 1 + MAX_CHUNK)?)?;
        if matches!(request, RelayRequest::End | RelayRequest::Leave) {
            return Err(malformed("a request that belongs to connections of two parties"));
        }
        let over = carried.respond(request, &mut answer)?;
        if over {
            break;
        }
        channel.send(RELAY_ANSWER, &answer)?;
    }
    let relayed = carried.close();
    channel.send(RELAY_ANSWER, &answer)?;
    channel.flush()?;
    Ok(relayed)
}

/// A connection that is open, and the record of it.
pub(super) struct Carried {
    connection: Connection,
    relayed: Relayed,
}

impl Carried {
    /// Connects to a server that the rules allow. Without `recorded` V keeps no more of the connection than P
    /// has not been told yet.
    pub(super) fn open(
        host: String,
        port: u16,
        wait: Duration,
        rules: &Rules,
        recorded: bool,
    ) -> Result<Self, Error> {
        let deadline = Instant::now() + rules.total;
        let socket = connect(&host, port, rules)?;
        let (idle, rules) = (rules.idle.min(wait), rules.clone());
        let (client, server, marks) = (Vec::new(), Vec::new(), Vec::new());
        let (hidden, budget) = (rules.hidden, rules.budget.clone());
        Ok(Self {
            connection: Connection {
                socket,
                rules,
                idle,
                deadline,
                recorded,
                sent: 0,
                received: 0,
                forwarded: 0,
                ended: false,
            },
            relayed: Relayed { host, port, client, server, marks, hidden, budget },
        })
    }

    /// Does what P asks for, and puts the answer in `answer`, which is empty where P wants none. Returns
    /// whether that is the end of the connection.
    pub(super) fn respond(&mut self, request: RelayRequest<'_>, answer: &mut Vec<u8>) -> Result<bool, Error> {
        let Self { connection, relayed } = self;
        answer.clear();
        if !matches!(request, RelayRequest::Close | RelayRequest::Leave) {
            // Requests that wait for nothing have no more time than others.
            connection.time_left()?;
        }
        match request {
            RelayRequest::Write(bytes) => connection.write(bytes, relayed)?,
            RelayRequest::Exchange(bytes) => {
                connection.write(bytes, relayed)?;
                connection.read(relayed, answer)?;
                return Ok(false);
            }
            RelayRequest::End => connection.end(relayed)?,
            // P ends with everything that V has, too.
            RelayRequest::Close if connection.forwarded < relayed.server.len() => {
                connection.tell(relayed, answer);
                return Ok(false);
            }
            RelayRequest::Leave => return Ok(true),
            RelayRequest::Open { .. } => return Err(malformed("a connection is open already")),
            RelayRequest::Close => {}
        }
        answer.push(DONE);
        Ok(matches!(request, RelayRequest::Close))
    }

    /// Closes the connection. Returns the record of it.
    pub(super) fn close(self) -> Relayed {
        self.relayed
    }

    /// The number of bytes so far: those to the server, and those from it.
    pub(super) fn bytes(&self) -> [usize; 2] {
        [self.connection.sent, self.connection.received]
    }

    /// The number of bytes that V holds.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.relayed.client.len() + self.relayed.server.len()
    }
}

/// P's request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RelayRequest<'a> {
    Open {
        host: String,
        port: u16,
        /// How long the server may take for its next bytes: whole seconds, not 0.
        wait: Duration,
    },
    /// Write these bytes, then read.
    Exchange(&'a [u8]),
    /// Write these bytes.
    Write(&'a [u8]),
    Close,
    /// End P's direction, if the server is quiet.
    End,
    /// As [`RelayRequest::Close`], but P wants to hear nothing more.
    Leave,
}

impl<'a> RelayRequest<'a> {
    /// # Errors
    /// [`Error::Malformed`] for an invalid request; [`Failure::Name`] for an invalid host.
    pub(super) fn decode(message: &'a [u8]) -> Result<Self, Error> {
        match message {
            [OPEN, _, _, 0, 0, ..] => Err(malformed("no time for the server to answer")),
            [OPEN, high, low, wait_high, wait_low, host @ ..] => {
                let wait = Duration::from_secs(u16::from_be_bytes([*wait_high, *wait_low]).into());
                Ok(Self::Open { host: host_name(host)?, port: u16::from_be_bytes([*high, *low]), wait })
            }
            [EXCHANGE, bytes @ ..] => Ok(Self::Exchange(bytes)),
            [WRITE, bytes @ ..] => Ok(Self::Write(bytes)),
            [CLOSE] => Ok(Self::Close),
            [END] => Ok(Self::End),
            [LEAVE] => Ok(Self::Leave),
            _ => Err(malformed("not a request")),
        }
    }
}

pub(super) fn malformed(reason: &'static str) -> Error {
    Error::Malformed { step: RELAY_REQUEST, reason }
}

/// A name or an address, with only the characters of those.
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
    if !rules.allows_host(host) {
        return Err(Error::Server(Failure::Host));
    }
    let mut failure = Failure::Unknown;
    let deadline = Instant::now() + rules.connect;
    let addresses = resolve(host, port, rules.connect).map_err(|error| {
        Error::Server(if error.kind() == ErrorKind::TimedOut { Failure::Time } else { Failure::Unknown })
    })?;
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

struct Connection {
    socket: TcpStream,
    rules: Rules,
    /// The time for one wait: the rules', or P's if it is shorter.
    idle: Duration,
    deadline: Instant,
    /// Whether V keeps a record of both directions, and of their order.
    recorded: bool,
    /// The number of bytes to the server.
    sent: usize,
    /// The number of bytes from the server.
    received: usize,
    /// The number of the bytes in the record that P has been told.
    forwarded: usize,
    /// Whether the server has closed its direction.
    ended: bool,
}

impl Connection {
    /// The time that the next operation may take.
    fn time_left(&self) -> Result<Duration, Error> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Error::Server(Failure::Time)) } else { Ok(left.min(self.idle)) }
    }

    /// Writes P's bytes, and marks before each write how much the server has said. The first bytes must be a
    /// ClientHello for the host that P named, so that a server that does not speak TLS gets no bytes of P's
    /// free choice.
    fn write(&mut self, bytes: &[u8], relayed: &mut Relayed) -> Result<(), Error> {
        if self.sent == 0 && !bytes.is_empty() {
            let sni = transcript::opening(bytes).map_err(|_| Error::Server(Failure::Hello))?;
            server::asks_for(sni.as_deref(), &relayed.host).map_err(|_| Error::Server(Failure::Hello))?;
        }
        if self.sent + bytes.len() > self.rules.max_sent {
            return Err(Error::Server(Failure::Size));
        }
        for part in bytes.chunks(MAX_WRITE) {
            if self.recorded {
                self.drain(relayed)?;
                mark(relayed)?;
            }
            self.put(part)?;
            self.sent += part.len();
            if self.recorded {
                relayed.client.extend_from_slice(part);
            }
        }
        Ok(())
    }

    fn put(&self, part: &[u8]) -> Result<(), Error> {
        let mut socket = &self.socket;
        put_all(
            part,
            self.idle,
            || self.time_left(),
            |bytes, left| {
                socket.set_write_timeout(Some(left))?;
                socket.write(bytes)
            },
        )
    }

    /// Takes everything that the server has sent so far, so that V's next write is known to come after it.
    fn drain(&mut self, relayed: &mut Relayed) -> Result<(), Error> {
        self.socket.set_nonblocking(true).map_err(failed)?;
        let drained = self.try_drain(relayed);
        self.socket.set_nonblocking(false).map_err(failed)?;
        drained
    }

    fn try_drain(&mut self, relayed: &mut Relayed) -> Result<(), Error> {
        while !self.ended {
            // A server that sends without pause cannot hold V here for ever.
            self.time_left()?;
            match self.take(relayed) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                result => result.map_err(failed)??,
            }
        }
        Ok(())
    }

    /// Reads once. No bytes mean that the server closed its direction.
    fn take(&mut self, relayed: &mut Relayed) -> io::Result<Result<(), Error>> {
        let mut chunk = [0; MAX_CHUNK];
        let count = loop {
            match self.socket.read(&mut chunk) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.ended = count == 0;
        self.received += count;
        if self.received > self.rules.max_received {
            return Ok(Err(Error::Server(Failure::Received)));
        }
        relayed.server.extend_from_slice(chunk.get(..count).unwrap_or_default());
        Ok(Ok(()))
    }

    /// Waits for bytes if P has been told everything so far. `answer` becomes the message with them for P.
    fn read(&mut self, relayed: &mut Relayed, answer: &mut Vec<u8>) -> Result<(), Error> {
        if self.forwarded == relayed.server.len() && !self.ended {
            let left = self.time_left()?;
            self.socket.set_read_timeout(Some(left)).map_err(failed)?;
            self.take(relayed).map_err(failed)??;
        }
        self.tell(relayed, answer);
        Ok(())
    }

    /// Ends P's direction, if P has been told everything and the server neither says more nor ends its own
    /// direction within a moment.
    fn end(&self, relayed: &Relayed) -> Result<(), Error> {
        if self.forwarded < relayed.server.len() || self.ended {
            return Ok(());
        }
        end_if_quiet(&self.socket, self.time_left()?).map_err(failed)
    }

    /// The bytes that P has not been told yet, or the first of them, as an answer. No bytes mean that the
    /// server closed its direction.
    fn tell(&mut self, relayed: &mut Relayed, answer: &mut Vec<u8>) {
        let rest = relayed.server.get(self.forwarded..).unwrap_or_default();
        let part = rest.get(..MAX_CHUNK).unwrap_or(rest);
        answer.clear();
        answer.push(DATA);
        answer.extend_from_slice(part);
        self.forwarded += part.len();
        if !self.recorded && self.forwarded == relayed.server.len() {
            relayed.server.clear();
            self.forwarded = 0;
        }
    }
}

/// How long a server may be silent after what may be its last record before P's direction ends. Servers that
/// end the connection by themselves do it at once; one that goes on usually does so sooner.
const QUIET_TIME: Duration = Duration::from_secs(1);

/// Ends this end's direction of a connection, if the server neither says more nor ends its own within a
/// moment, of which half of `time` is left for the server to answer by.
pub(in crate::modes) fn end_if_quiet(socket: &TcpStream, time: Duration) -> io::Result<()> {
    let quiet = QUIET_TIME.min(time / 2).max(Duration::from_millis(1));
    socket.set_read_timeout(Some(quiet))?;
    match socket.peek(&mut [0]) {
        Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()) => {
            socket.shutdown(Shutdown::Write)
        }
        // Bytes, the end, or an error, which the next read has, too.
        _ => Ok(()),
    }
}

/// Writes a whole part within the time for one wait, and within the remaining total time, so a server gains
/// nothing by taking its bytes one by one. `write` writes some of them, and waits for at most the given time.
pub(super) fn put_all(
    mut part: &[u8],
    idle: Duration,
    mut time_left: impl FnMut() -> Result<Duration, Error>,
    mut write: impl FnMut(&[u8], Duration) -> io::Result<usize>,
) -> Result<(), Error> {
    let until = Instant::now() + idle;
    while !part.is_empty() {
        let left = time_left()?.min(until.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Err(Error::Server(Failure::Time));
        }
        match write(part, left) {
            Ok(0) => return Err(Error::Server(Failure::Broken)),
            Ok(count) => part = part.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

/// Records how much of the server's bytes V has before it writes more of the client's.
fn mark(relayed: &mut Relayed) -> Result<(), Error> {
    let (client, server) = (relayed.client.len(), relayed.server.len());
    if relayed.marks.last().is_none_or(|last| last.server != server) {
        if relayed.marks.len() == MAX_MARKS {
            return Err(Error::Server(Failure::Size));
        }
        relayed.marks.push(RelayMark { client, server });
    }
    Ok(())
}

fn failed(error: io::Error) -> Error {
    Error::Server(match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => Failure::Time,
        _ => Failure::Broken,
    })
}
