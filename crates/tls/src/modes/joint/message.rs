//! P's messages during a connection, in addition to those of the protocols below: each step's public values.

use volery_channel::tags::{CLIENT_STEP, CLIENT_TRANSCRIPT};
use volery_channel::{Channel, Cursor, Flaw};

use super::{Error, RoundSizes, Sizes};
use crate::page::dialogue::MAX_ROUNDS;
use crate::wire::hash::{HandshakeHash, HashFunction};
use crate::wire::prf::{MasterSeed, Random};
use crate::wire::suite::Suite;
use crate::wire::version::TlsVersion;

/// The longest host name (RFC 1035).
pub(super) const MAX_HOST: usize = 253;

/// The longest message of a step.
const MAX_STEP: usize = 7 + 8 * MAX_ROUNDS;

/// The first byte of each message. The two ways to a master secret have different ones.
const SIZES: u8 = 0;
const MASTER: u8 = 1;
const EXTENDED_MASTER: u8 = 2;
const KEYS: u8 = 3;
const FINISHED: u8 = 4;
const REQUEST: u8 = 5;
const READ: u8 = 6;
const HANDSHAKE: u8 = 7;
const DATA: u8 = 8;

/// A version of TLS in the sizes of a connection.
fn version_code(version: TlsVersion) -> u8 {
    match version {
        TlsVersion::Tls12 => 2,
        TlsVersion::Tls13 => 3,
    }
}

/// Sends a step with its values.
fn send(channel: &mut dyn Channel, code: u8, values: &[&[u8]]) -> Result<(), Error> {
    let mut message = vec![code];
    values.iter().for_each(|value| message.extend_from_slice(value));
    Ok(channel.send(CLIENT_STEP, &message)?)
}

/// Receives the message of the next step: its code, and the result of `read` on the rest, which `read` must
/// use up.
fn receive<T>(
    channel: &mut dyn Channel,
    read: impl FnOnce(u8, &mut Cursor<'_>) -> Result<Option<T>, Flaw>,
) -> Result<T, Error> {
    let mut cursor = Cursor::new(channel.recv(CLIENT_STEP, MAX_STEP)?);
    let flaw = |flaw: Flaw| Error::malformed(CLIENT_STEP, flaw.to_string());
    let code = cursor.u8("the step").map_err(flaw)?;
    let value = read(code, &mut cursor).map_err(flaw)?;
    let value = value.ok_or_else(|| Error::malformed(CLIENT_STEP, "it is not the step that comes next"))?;
    if cursor.is_empty() { Ok(value) } else { Err(flaw(Flaw::Trailing(cursor.rest().len()))) }
}

pub(super) fn send_sizes(channel: &mut dyn Channel, sizes: &Sizes) -> Result<(), Error> {
    // All are at most 2^17.
    let number = |size: usize| (size as u32).to_be_bytes();
    let rounds = sizes.rounds.iter().flat_map(|round| [number(round.query), number(round.read)]);
    send(
        channel,
        SIZES,
        &[
            &[version_code(sizes.tls), sizes.suite.code()],
            &number(sizes.proved),
            &rounds.flatten().collect::<Vec<u8>>(),
        ],
    )
}

pub(super) fn receive_sizes(channel: &mut dyn Channel) -> Result<Sizes, Error> {
    receive(channel, |code, cursor| {
        let size = |cursor: &mut Cursor<'_>| Ok(u32::from_be_bytes(cursor.array("a size")?) as usize);
        if code != SIZES {
            return Ok(None);
        }
        let code = cursor.u8("a version")?;
        let tls = [TlsVersion::Tls12, TlsVersion::Tls13].into_iter().find(|tls| version_code(*tls) == code);
        let suite = Suite::from_code(cursor.u8("a cipher suite")?);
        let Some((tls, suite)) = tls.zip(suite) else { return Ok(None) };
        let (proved, mut rounds) = (size(cursor)?, Vec::new());
        while !cursor.is_empty() {
            rounds.push(RoundSizes { query: size(cursor)?, read: size(cursor)? });
        }
        Ok(Some(Sizes { tls, suite, rounds, proved }).filter(Sizes::are_sound))
    })
}

pub(super) fn send_master(channel: &mut dyn Channel, seed: &MasterSeed) -> Result<(), Error> {
    match seed {
        MasterSeed::Randoms { client, server } => send(channel, MASTER, &[client, server]),
        MasterSeed::SessionHash(hash) => send(channel, EXTENDED_MASTER, &[hash.as_ref()]),
    }
}

/// Receives it, with a hash by this function.
pub(super) fn receive_master(channel: &mut dyn Channel, function: HashFunction) -> Result<MasterSeed, Error> {
    receive(channel, |code, cursor| {
        Ok(match code {
            MASTER => {
                let mut value = || cursor.array("a random");
                Some(MasterSeed::Randoms { client: value()?, server: value()? })
            }
            EXTENDED_MASTER => {
                let hash = cursor.bytes(function.digest_bytes(), "the handshake's hash")?;
                function.value(hash).map(MasterSeed::SessionHash)
            }
            _ => None,
        })
    })
}

pub(super) fn send_keys(channel: &mut dyn Channel, client: &Random, server: &Random) -> Result<(), Error> {
    send(channel, KEYS, &[client, server])
}

/// The randoms of client and server.
pub(super) fn receive_keys(channel: &mut dyn Channel) -> Result<[Random; 2], Error> {
    receive(channel, |code, cursor| {
        let mut value = || cursor.array("a random");
        Ok(if code == KEYS { Some([value()?, value()?]) } else { None })
    })
}

pub(super) fn send_finished(channel: &mut dyn Channel, hash: &HandshakeHash) -> Result<(), Error> {
    send(channel, FINISHED, &[hash.as_ref()])
}

pub(super) fn receive_finished(
    channel: &mut dyn Channel,
    function: HashFunction,
) -> Result<HandshakeHash, Error> {
    receive_hash(channel, function, FINISHED, "the handshake's hash")
}

/// Sends the hash of both hellos, from which the traffic secrets of TLS 1.3's handshake are derived.
pub(super) fn send_hellos(channel: &mut dyn Channel, hash: &HandshakeHash) -> Result<(), Error> {
    send(channel, HANDSHAKE, &[hash.as_ref()])
}

pub(super) fn receive_hellos(
    channel: &mut dyn Channel,
    function: HashFunction,
) -> Result<HandshakeHash, Error> {
    receive_hash(channel, function, HANDSHAKE, "the hash of both hellos")
}

/// Sends the hash of all messages up to the server's Finished, from which TLS 1.3's keys of data are derived.
pub(super) fn send_data(channel: &mut dyn Channel, hash: &HandshakeHash) -> Result<(), Error> {
    send(channel, DATA, &[hash.as_ref()])
}

pub(super) fn receive_data(
    channel: &mut dyn Channel,
    function: HashFunction,
) -> Result<HandshakeHash, Error> {
    receive_hash(channel, function, DATA, "the handshake's hash")
}

fn receive_hash(
    channel: &mut dyn Channel,
    function: HashFunction,
    step: u8,
    what: &'static str,
) -> Result<HandshakeHash, Error> {
    receive(channel, |code, cursor| {
        let hash = if code == step { cursor.bytes(function.digest_bytes(), what)? } else { &[] };
        Ok(function.value(hash))
    })
}

/// P's next step before a request that is not the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextStep {
    /// The request comes.
    Request,
    /// A record of the server's is read.
    Read,
}

pub(super) fn send_request(channel: &mut dyn Channel) -> Result<(), Error> {
    send(channel, REQUEST, &[])
}

pub(super) fn send_read(channel: &mut dyn Channel) -> Result<(), Error> {
    send(channel, READ, &[])
}

pub(super) fn receive_next(channel: &mut dyn Channel) -> Result<NextStep, Error> {
    receive(channel, |code, _| {
        Ok(match code {
            REQUEST => Some(NextStep::Request),
            READ => Some(NextStep::Read),
            _ => None,
        })
    })
}

/// A connection that has ended: its host, and all bytes of both directions.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ConnectionBytes {
    pub(super) host: String,
    pub(super) client: Vec<u8>,
    pub(super) server: Vec<u8>,
}

pub(super) fn send_transcript(channel: &mut dyn Channel, host: &str, raw: [&[u8]; 2]) -> Result<(), Error> {
    let [client, server] = raw;
    for part in [host.as_bytes(), client, server] {
        channel.send(CLIENT_TRANSCRIPT, part)?;
    }
    Ok(channel.flush()?)
}

/// Receives it at V. `most` limits the bytes of each direction.
pub(super) fn receive_transcript(
    channel: &mut dyn Channel,
    most: [usize; 2],
) -> Result<ConnectionBytes, Error> {
    let host = channel.recv(CLIENT_TRANSCRIPT, MAX_HOST)?.to_vec();
    let host = String::from_utf8(host);
    let host = host.map_err(|_| Error::malformed(CLIENT_TRANSCRIPT, "the host's name is not text"))?;
    let mut raw = [Vec::new(), Vec::new()];
    for (bytes, most) in raw.iter_mut().zip(most) {
        channel.recv_into(CLIENT_TRANSCRIPT, most, bytes)?;
    }
    let [client, server] = raw;
    Ok(ConnectionBytes { host, client, server })
}
