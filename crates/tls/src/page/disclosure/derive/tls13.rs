//! TLS 1.3: the program from the handshake secret.
//!
//! What a record holds is under the record's key, too. So the program opens a record from its end: zeros, and
//! the byte before them, which is the content's type. Nothing has to be claimed about types and lengths;
//! whoever reads the opened bits finds them. Of an alert, and of the headers of handshake messages, the
//! content is opened, too.
//!
//! The program branches on what it has opened. That is public, and the same on each machine.

use core::ops::Range;

use super::{Derived, Facts, Root, bytes, counter_block, other_version};
use crate::Error;
use crate::page::disclosure::connection::DataRecord;
use crate::wire::ghash::BLOCK_BYTES;
use crate::wire::prf::{HmacKey, tls13 as schedule};
use crate::wire::record::Cipher;
use crate::wire::step::{Plain, TwoParty};
use crate::wire::transcript::tls13::{HandshakeSecrets, MESSAGE_HEADER_BYTES, Opened, Record};
use crate::wire::transcript::{ALERT, HANDSHAKE};

/// Bytes of an alert.
pub(in crate::page::disclosure) const ALERT_BYTES: usize = 2;

/// The program's start: the key that is the handshake secret, and the traffic secrets of the handshake, which
/// are opened. `hash` is that of both hellos.
///
/// # Errors
/// As [`derive`](super::derive).
pub(in crate::page::disclosure) fn handshake_secrets<M: TwoParty + ?Sized>(
    machine: &mut M,
    root: &Root<M::Wire>,
    hash: &[u8; 32],
) -> Result<(HmacKey<M::Wire>, HandshakeSecrets), M::Error> {
    let Root::Handshake(secret) = root else { return Err(other_version().into()) };
    let key = HmacKey::hash(machine, secret)?;
    let [client, server] = schedule::handshake_secrets(machine, &key, hash)?;
    Ok((key, HandshakeSecrets { client, server }))
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
    let (key, _) = handshake_secrets(machine, root, &handshake.hello.hash)?;
    let [client, server] = schedule::application_keys(machine, &key, &handshake.finished_hash)?;
    let mut direction = |[key, iv]: [Vec<M::Wire>; 2], records: &'a [Record]| {
        let mut cipher = Cipher::new(machine, &key, &iv)?;
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

/// A direction's records with their contents, and what V learns.
type Direction<'a> = (Vec<DataRecord<'a>>, Facts);

fn direction<'a, M: TwoParty + ?Sized>(
    machine: &mut M,
    cipher: &mut Cipher<M::Wire>,
    records: &'a [Record],
) -> Result<Direction<'a>, M::Error> {
    let masks = core::iter::once(Plain::Zero).chain((0..records.len()).map(|i| counter_block(i as u64, 0)));
    let wires = cipher.encrypt(machine, &masks.collect::<Vec<_>>())?;
    let opened = bytes(&machine.open(&wires)?)?;
    let mut blocks = opened.as_chunks::<BLOCK_BYTES>().0.iter().copied();
    let too_few = || Error::Misuse("a machine opened too few blocks".into());
    let hash_key = blocks.next().ok_or_else(too_few)?;
    let mut facts = Facts { verify_data: None, hash_key, masks: blocks.collect(), control: Vec::new() };
    // The last block of almost every record holds all of its type and padding, and is payload, too.
    let last = |(i, record): (usize, &Record)| {
        counter_block(i as u64, record.ciphertext.len().div_ceil(BLOCK_BYTES))
    };
    cipher.keep(machine, &records.iter().enumerate().map(last).collect::<Vec<_>>())?;
    let mut read = Vec::with_capacity(records.len());
    for (sequence, record) in (0..).zip(records) {
        let mut opening = Opening { machine: &mut *machine, cipher, record, sequence };
        let (content_type, length) = opening.tail()?;
        facts.control.push(opening.control(content_type, length)?);
        read.push(DataRecord::tls13(record, sequence, content_type, length));
    }
    Ok((read, facts))
}

/// A record of which bytes are opened.
struct Opening<'a, M: TwoParty + ?Sized> {
    machine: &'a mut M,
    cipher: &'a Cipher<M::Wire>,
    record: &'a Record,
    sequence: u64,
}

impl<M: TwoParty + ?Sized> Opening<'_, M> {
    /// Opens these bytes of the plaintext.
    fn bytes(&mut self, range: Range<usize>) -> Result<Vec<u8>, M::Error> {
        let (first, end) = (range.start / BLOCK_BYTES, range.end.div_ceil(BLOCK_BYTES));
        let wires = self.stream(first..end)?;
        self.open(&wires, range.start - first * BLOCK_BYTES, range)
    }

    /// The key stream of these blocks.
    fn stream(&mut self, blocks: Range<usize>) -> Result<Vec<M::Wire>, M::Error> {
        let blocks: Vec<Plain> = blocks.map(|block| counter_block(self.sequence, block + 1)).collect();
        self.cipher.encrypt(self.machine, &blocks)
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
        let length = self.record.ciphertext.len();
        for block in (0..length.div_ceil(BLOCK_BYTES)).rev() {
            let (start, wires) = (block * BLOCK_BYTES, self.stream(block..block + 1)?);
            for place in (start..length.min(start + BLOCK_BYTES)).rev() {
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
