//! TLS 1.3: the program from the handshake secret, or from the keys that two parties derived together.
//!
//! What a record holds is under the record's key, too. So the program opens a record from its end: zeros, and
//! the byte before them, which is the content's type. Nothing has to be claimed about types and lengths;
//! whoever reads the opened bits finds them. Of an alert, and of the headers of handshake messages, the
//! content is opened, too.
//!
//! The program branches on what it has opened. That is public, and the same on each machine.

use core::ops::Range;

use zeroize::Zeroize;

use super::{
    Derived, Facts, Opened as OpenedBytes, Root, TOGETHER, TagKeys, bytes, counter_block, opened_blocks,
    other_version,
};
use crate::Error;
use crate::page::disclosure::connection::DataRecord;
use crate::wire::hash::HandshakeHash;
use crate::wire::prf::tls13::{self as schedule, RecordKey};
use crate::wire::prf::{HmacKey, Side};
use crate::wire::record::Cipher;
use crate::wire::step::{Counting, Plain, TwoParty, commitments_of_blocks};
use crate::wire::suite::{Aead, Suite};
use crate::wire::transcript::tls13::{HandshakeSecrets, MESSAGE_HEADER_BYTES, Opened, Record};
use crate::wire::transcript::{ALERT, APPLICATION_DATA, HANDSHAKE};
use crate::wire::version::TlsVersion;

/// Bytes of an alert.
pub(in crate::page::disclosure) const ALERT_BYTES: usize = 2;

/// The secrets and keys of a connection that two parties derived together, up to those of what its client
/// sent.
#[derive(Clone)]
pub(crate) struct TrafficKeys<W> {
    /// The traffic secrets of the handshake: the client's, the server's.
    pub(crate) handshake: [Vec<W>; 2],
    /// The key that is the master secret.
    pub(crate) master: HmacKey<W>,
    /// The client's direction.
    pub(crate) client: Cipher<W>,
    /// The wires of the server's key and IV, if the parties derived them.
    pub(crate) server: Option<RecordKey<W>>,
}

impl<W: Clone> TrafficKeys<W> {
    /// The same keys, with `wire` applied to each wire.
    ///
    /// # Errors
    /// Those of `wire`.
    pub(crate) fn try_map<T, E>(
        &self,
        mut wire: impl FnMut(&W) -> Result<T, E>,
    ) -> Result<TrafficKeys<T>, E> {
        let mut lists = |[one, two]: &[Vec<W>; 2]| -> Result<[Vec<T>; 2], E> {
            let mut list = |wires: &[W]| wires.iter().map(&mut wire).collect::<Result<Vec<T>, E>>();
            Ok([list(one)?, list(two)?])
        };
        let (handshake, server) = (lists(&self.handshake)?, self.server.as_ref().map(lists).transpose()?);
        let (master, client) = (self.master.try_map(&mut wire)?, self.client.try_map(&mut wire)?);
        Ok(TrafficKeys { handshake, master, client, server })
    }
}

impl<W: Zeroize> Zeroize for TrafficKeys<W> {
    fn zeroize(&mut self) {
        self.handshake.zeroize();
        self.master.zeroize();
        self.client.zeroize();
        self.server.zeroize();
    }
}

/// What the program goes on with after the handshake.
pub(in crate::page::disclosure) enum Rest<'a, W> {
    /// From the key that is the handshake secret.
    Derive(HmacKey<W>),
    /// With keys that are proved already.
    Known(&'a TrafficKeys<W>),
}

/// The program's start: the traffic secrets of the handshake, which are opened. `hash` is that of both
/// hellos.
///
/// # Errors
/// As [`derive`](super::derive).
pub(in crate::page::disclosure) fn handshake_secrets<'a, M: TwoParty + ?Sized>(
    machine: &mut M,
    root: &'a Root<M::Wire>,
    hash: &HandshakeHash,
) -> Result<(Rest<'a, M::Wire>, HandshakeSecrets), M::Error> {
    let derived;
    let (rest, wires) = match root {
        Root::Handshake(secret) => {
            let key = HmacKey::hash(machine, hash.function(), secret)?;
            derived = schedule::handshake_wires(machine, &key, hash)?;
            (Rest::Derive(key), &derived)
        }
        Root::Traffic(keys) => (Rest::Known(keys), &keys.handshake),
        Root::Master(_) | Root::Keys(_) => return Err(other_version().into()),
    };
    let [client, server] = schedule::open_secrets(machine, hash.function(), wires)?;
    Ok((rest, HandshakeSecrets { client, server }))
}

/// The ciphers of both directions. `hash` is that of all messages up to the server's Finished.
fn ciphers<M: TwoParty + ?Sized>(
    machine: &mut M,
    suite: Suite,
    rest: Rest<'_, M::Wire>,
    hash: &HandshakeHash,
) -> Result<[Cipher<M::Wire>; 2], M::Error> {
    match rest {
        Rest::Derive(key) => {
            let [client, server] = schedule::application_keys(machine, &key, suite.aead(), hash)?;
            Ok([new_cipher(machine, suite.aead(), &client)?, new_cipher(machine, suite.aead(), &server)?])
        }
        Rest::Known(keys) => {
            let server = server_cipher(machine, suite.aead(), &keys.master, keys.server.as_ref(), hash)?;
            Ok([keys.client.clone(), server])
        }
    }
}

/// The cipher of a direction.
fn new_cipher<M: TwoParty + ?Sized>(
    machine: &mut M,
    aead: Aead,
    [key, iv]: &RecordKey<M::Wire>,
) -> Result<Cipher<M::Wire>, M::Error> {
    Cipher::new(machine, (aead, TlsVersion::Tls13), [key, iv])
}

/// The cipher of the server's direction, with its `key` if that is known.
fn server_cipher<M: TwoParty + ?Sized>(
    machine: &mut M,
    aead: Aead,
    master: &HmacKey<M::Wire>,
    key: Option<&RecordKey<M::Wire>>,
    hash: &HandshakeHash,
) -> Result<Cipher<M::Wire>, M::Error> {
    let key = match key {
        Some(key) => key,
        None => &schedule::record_key(machine, master, aead, Side::Server, hash)?,
    };
    new_cipher(machine, aead, key)
}

/// The number of commitments of a proof of what it derives from [`TrafficKeys`] before it comes to records:
/// the server's keys if the parties have not derived them, and their expansion.
///
/// # Errors
/// None in practice: these steps can be counted.
pub(crate) fn server_commitments(suite: Suite, key_is_known: bool) -> Result<u64, Error> {
    let (aead, hash) = (suite.aead(), suite.hash());
    let master = HmacKey::hash(&mut Counting::default(), hash, &vec![(); hash.digest_bits()])?;
    let mut machine = Counting::default();
    let key = aead.bits(TlsVersion::Tls13).map(|bits| vec![(); bits]);
    server_cipher(&mut machine, aead, &master, key_is_known.then_some(&key), &hash.zeros())?;
    Ok(machine.cost().commitments)
}

/// Runs the key derivation and everything of the record layer that V learns.
///
/// # Errors
/// As [`derive`](super::derive).
pub(super) fn derive<'a, M: TwoParty + ?Sized>(
    machine: &mut M,
    opened: &'a Opened,
    root: &Root<M::Wire>,
) -> Result<Derived<'a, M::Wire>, M::Error> {
    let handshake = &opened.handshake;
    // The secrets are those with which the handshake was opened, because the bits are the same.
    let (rest, _) = handshake_secrets(machine, root, &handshake.hello.hash)?;
    let [client, server] = ciphers(machine, handshake.hello.suite, rest, &handshake.finished_hash)?;
    let mut direction = |mut cipher: Cipher<M::Wire>, records: &'a [Record]| {
        let (records, facts) = direction(machine, &mut cipher, records)?;
        Ok::<_, M::Error>((records, facts, cipher))
    };
    let (client_records, client_facts, client_key) = direction(client, &opened.client)?;
    let (server_records, server_facts, server_key) = direction(server, &opened.server)?;
    Ok(Derived {
        records: [client_records, server_records],
        facts: [client_facts, server_facts],
        keys: [client_key, server_key],
    })
}

/// The number of commitments of a proof of everything that follows from a handshake secret, itself included,
/// and what is opened of records, if each direction has this many with payload.
///
/// # Errors
/// None in practice: these steps can be counted.
pub(super) fn root_commitments(suite: Suite, records: [usize; 2]) -> Result<u64, Error> {
    let (aead, hash) = (suite.aead(), suite.hash());
    let mut machine = Counting::default();
    let key = HmacKey::hash(&mut machine, hash, &vec![(); hash.digest_bits()])?;
    schedule::handshake_wires(&mut machine, &key, &hash.zeros())?;
    for key in schedule::application_keys(&mut machine, &key, aead, &hash.zeros())? {
        new_cipher(&mut machine, aead, &key)?;
    }
    // A record has a mask, and a block of its tail, with little in common. There are alerts and tickets, and
    // the hash keys.
    let opened: u64 = records.iter().map(|records| 2 * (*records as u64 + 2) + 1).sum();
    let blocks = commitments_of_blocks(aead, 1)?.saturating_mul(opened);
    Ok(machine.cost().commitments + hash.digest_bits() as u64 + blocks)
}

/// A direction's records with their contents, and what V learns.
type Direction<'a> = (Vec<DataRecord<'a>>, Facts);

fn direction<'a, M: TwoParty + ?Sized>(
    machine: &mut M,
    cipher: &mut Cipher<M::Wire>,
    records: &'a [Record],
) -> Result<Direction<'a>, M::Error> {
    let aead = cipher.aead();
    let blocks = TagKeys::first_block(aead).into_iter();
    let blocks = blocks.chain((0..records.len()).map(|i| TagKeys::block(aead, i as u64)));
    let opened = opened_blocks(machine, cipher, &blocks.collect::<Vec<_>>())?;
    let mut opened = OpenedBytes(&opened);
    let mut tags = TagKeys::first(aead, &mut opened)?;
    records.iter().try_for_each(|_| tags.record(&mut opened))?;
    let mut facts = Facts { verify_data: None, tags, control: Vec::new() };
    // The last block of almost every record holds all of its type and padding, and is payload, too.
    let last = |(i, record): (usize, &Record)| {
        counter_block(aead, i as u64, record.ciphertext.len().div_ceil(aead.block_bytes()))
    };
    let last: Vec<Plain> = records.iter().enumerate().map(last).collect();
    let made: Vec<bool> = last.iter().map(|block| !cipher.has(block)).collect();
    for blocks in last.chunks(TOGETHER) {
        cipher.keep(machine, blocks)?;
    }
    let mut read = Vec::with_capacity(records.len());
    let last = last.into_iter().zip(made).map(|(block, made)| made.then_some(block));
    for ((sequence, record), last) in (0..).zip(records).zip(last) {
        let made = last.into_iter().collect();
        let mut opening = Opening { machine: &mut *machine, cipher: &mut *cipher, record, sequence, made };
        let (content_type, length) = opening.tail()?;
        facts.control.push(opening.control(content_type, length)?);
        opening.forget_all_but(content_type, length);
        read.push(DataRecord::tls13(record, aead, sequence, (content_type, length)));
    }
    Ok((read, facts))
}

/// A record of which bytes are opened.
struct Opening<'a, M: TwoParty + ?Sized> {
    machine: &'a mut M,
    cipher: &'a mut Cipher<M::Wire>,
    record: &'a Record,
    sequence: u64,
    /// The blocks that were made for it.
    made: Vec<Plain>,
}

impl<M: TwoParty + ?Sized> Opening<'_, M> {
    /// Opens these bytes of the plaintext.
    fn bytes(&mut self, range: Range<usize>) -> Result<Vec<u8>, M::Error> {
        let size = self.cipher.aead().block_bytes();
        let (first, end) = (range.start / size, range.end.div_ceil(size));
        let wires = self.stream(first..end)?;
        self.open(&wires, range.start - first * size, range)
    }

    /// The key stream of these blocks. Each is made once, however many messages begin in it.
    fn stream(&mut self, blocks: Range<usize>) -> Result<Vec<M::Wire>, M::Error> {
        let (aead, sequence) = (self.cipher.aead(), self.sequence);
        let blocks: Vec<Plain> = blocks.map(|block| counter_block(aead, sequence, block + 1)).collect();
        self.made.extend(blocks.iter().filter(|block| !self.cipher.has(block)));
        self.cipher.keep(self.machine, &blocks)
    }

    /// Forgets the blocks that were made here, but for the one in which a payload of this length ends: the
    /// record's padding, and other contents, may be as long as a record.
    fn forget_all_but(self, content_type: u8, length: usize) {
        let last = length.div_ceil(self.cipher.aead().block_bytes());
        let last = counter_block(self.cipher.aead(), self.sequence, last);
        for block in self.made {
            if content_type != APPLICATION_DATA || block != last {
                self.cipher.forget(&block);
            }
        }
    }

    /// Opens these bytes, whose key stream begins with byte `start` of `stream`.
    fn open(&mut self, stream: &[M::Wire], start: usize, range: Range<usize>) -> Result<Vec<u8>, M::Error> {
        let ciphertext = self.record.ciphertext.get(range).unwrap_or_default();
        let wires = stream.get(8 * start..8 * (start + ciphertext.len()));
        let wires = wires.ok_or_else(|| Error::Misuse("a machine gave too few wires of blocks".into()))?;
        let stream = bytes(&self.machine.open(wires)?)?;
        Ok(ciphertext.iter().zip(stream).map(|(byte, key)| byte ^ key).collect())
    }

    /// Opens the padding and the type before it. Returns the type, which is 0 if there is nothing but zeros,
    /// and the length of the content.
    fn tail(&mut self) -> Result<(u8, usize), M::Error> {
        let (length, size) = (self.record.ciphertext.len(), self.cipher.aead().block_bytes());
        for block in (0..length.div_ceil(size)).rev() {
            let (start, wires) = (block * size, self.stream(block..block + 1)?);
            for place in (start..length.min(start + size)).rev() {
                let opened = self.open(&wires, place - start, place..place + 1)?;
                if let Some(content_type) = opened.first().filter(|byte| **byte != 0) {
                    return Ok((*content_type, place));
                }
            }
        }
        Ok((0, 0))
    }

    /// Opens what V has to see of this content: an alert of two bytes, the headers of handshake messages.
    fn control(&mut self, content_type: u8, length: usize) -> Result<Vec<u8>, M::Error> {
        match content_type {
            ALERT if length == ALERT_BYTES => self.bytes(0..length),
            HANDSHAKE => self.headers(length),
            _ => Ok(Vec::new()),
        }
    }

    /// Opens the headers of the messages that begin in a content of this length.
    fn headers(&mut self, length: usize) -> Result<Vec<u8>, M::Error> {
        let (mut headers, mut at) = (Vec::new(), 0_usize);
        while at + MESSAGE_HEADER_BYTES <= length {
            let header = self.bytes(at..at + MESSAGE_HEADER_BYTES)?;
            let size = header.iter().skip(1).fold(0, |size, byte| size << 8 | usize::from(*byte));
            headers.extend(header);
            at += MESSAGE_HEADER_BYTES + size;
        }
        Ok(headers)
    }
}
