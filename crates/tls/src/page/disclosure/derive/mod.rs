//! The program from the connection's keys to the values that V checks, and to the key stream of the bytes
//! that are shown or claimed about.

mod tags;
mod tls12;
mod tls13;

pub(super) use tags::TagKeys;
pub(crate) use tls12::{Keys, finished_message, server_commitments};
pub(super) use tls13::{ALERT_BYTES, handshake_secrets};
pub(crate) use tls13::{TrafficKeys, server_commitments as server_commitments_tls13};

use core::convert::Infallible;

use volery_circuit::gadgets::bits_to_bytes;
use volery_field::F2;
use zeroize::Zeroize;

use super::connection::{DataRecord, OpenConnection};
use crate::Error;
use crate::wire::prf::VERIFY_DATA_BYTES;
use crate::wire::record::Cipher;
use crate::wire::step::{Plain, TwoParty};
use crate::wire::suite::{Aead, Suite};
use crate::wire::version::TlsVersion;

/// The start of the program.
pub(crate) enum Root<W> {
    /// The master secret of TLS 1.2: 384 wires. The values derived from it are to be opened and proved.
    Master(Vec<W>),
    /// The keys of TLS 1.2, which are proved already.
    Keys(Keys<W>),
    /// The handshake secret of TLS 1.3, as long as a hash. The values derived from it are to be opened and
    /// proved.
    Handshake(Vec<W>),
    /// The keys of TLS 1.3, which are proved already.
    Traffic(TrafficKeys<W>),
}

impl<W: Zeroize> Zeroize for Root<W> {
    fn zeroize(&mut self) {
        match self {
            Self::Master(wires) | Self::Handshake(wires) => wires.zeroize(),
            Self::Keys(keys) => keys.zeroize(),
            Self::Traffic(keys) => keys.zeroize(),
        }
    }
}

impl<W: Clone> Root<W> {
    /// The same root, with `wire` applied to each wire.
    ///
    /// # Errors
    /// Those of `wire`.
    pub(crate) fn try_map<T, E>(&self, mut wire: impl FnMut(&W) -> Result<T, E>) -> Result<Root<T>, E> {
        let mut list = |wires: &[W]| wires.iter().map(&mut wire).collect::<Result<Vec<T>, E>>();
        Ok(match self {
            Self::Master(wires) => Root::Master(list(wires)?),
            Self::Handshake(wires) => Root::Handshake(list(wires)?),
            Self::Keys(keys) => Root::Keys(keys.try_map(wire)?),
            Self::Traffic(keys) => Root::Traffic(keys.try_map(wire)?),
        })
    }

    /// The root without wires, for a party that sees none.
    pub(crate) fn blind(&self) -> Root<()> {
        let Ok(blind) = self.try_map(|_| Ok::<_, Infallible>(()));
        blind
    }
}

/// What V learns about one direction.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Facts {
    /// The contents of its Finished message, in TLS 1.2. In TLS 1.3 they are checked when the handshake is
    /// opened.
    pub(super) verify_data: Option<[u8; VERIFY_DATA_BYTES]>,
    /// What the records' tags are made with.
    pub(super) tags: TagKeys,
    /// What is opened of each record's content: all of it in TLS 1.2, nothing of application data. In TLS 1.3
    /// all of an alert of two bytes, and the headers of handshake messages, one after the other.
    pub(super) control: Vec<Vec<u8>>,
}

/// The program's results for both directions.
pub(super) struct Derived<'a, W> {
    pub(super) records: [Vec<DataRecord<'a>>; 2],
    pub(super) facts: [Facts; 2],
    pub(super) keys: [Cipher<W>; 2],
}

/// The block of a record with this number: 0 is for its tag, and those from 1 on are its key stream.
fn counter_block(aead: Aead, nonce: u64, block: usize) -> Plain {
    // A record has at most 2^10 and one blocks.
    let first = match aead {
        Aead::Gcm(_) => 1,
        Aead::ChaCha20Poly1305 => 0,
    };
    Plain::Counter { sequence: nonce, counter: block as u32 + first }
}

/// Bytes that were opened, from front to back.
struct Opened<'a>(&'a [u8]);

impl<'a> Opened<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let parts = self.0.split_at_checked(count);
        let (taken, rest) = parts.ok_or_else(|| Error::Misuse("a machine opened too few blocks".into()))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| Error::Misuse("a block of another length".into()))
    }
}

/// The bytes that a machine opened.
fn opened_bytes<M: TwoParty + ?Sized>(machine: &mut M, wires: &[M::Wire]) -> Result<Vec<u8>, M::Error> {
    Ok(bytes(&machine.open(wires)?)?)
}

/// How many blocks are made together. A stranger's server chooses the number of records, and in the proof a
/// block of key stream takes kilobytes of wires, several times while it is made.
const TOGETHER: usize = 256;

/// Opens these blocks, some at a time.
fn opened_blocks<M: TwoParty + ?Sized>(
    machine: &mut M,
    cipher: &Cipher<M::Wire>,
    blocks: &[Plain],
) -> Result<Vec<u8>, M::Error> {
    let mut opened = Vec::new();
    for blocks in blocks.chunks(TOGETHER) {
        let wires = cipher.encrypt(machine, blocks)?;
        opened.extend(opened_bytes(machine, &wires)?);
    }
    Ok(opened)
}

/// Runs the key derivation and everything of the record layer that V learns.
///
/// # Errors
/// [`Error::Misuse`] for a root of the other version; the machine's.
pub(super) fn derive<'a, M: TwoParty + ?Sized>(
    machine: &mut M,
    connection: &'a OpenConnection,
    root: &Root<M::Wire>,
) -> Result<Derived<'a, M::Wire>, M::Error> {
    match connection {
        OpenConnection::Tls12(transcript) => tls12::derive(machine, transcript, root),
        OpenConnection::Tls13(opened) => tls13::derive(machine, opened, root),
    }
}

/// The approximate number of commitments of a proof of everything that follows from a connection's secret,
/// itself included, but payload. Each direction has so many records with payload.
///
/// # Errors
/// None in practice: what can be proved can be counted.
pub(super) fn root_commitments(version: TlsVersion, suite: Suite, records: [usize; 2]) -> Result<u64, Error> {
    match version {
        TlsVersion::Tls12 => tls12::root_commitments(suite, records),
        TlsVersion::Tls13 => tls13::root_commitments(suite, records),
    }
}

fn other_version() -> Error {
    Error::Misuse("secrets of another version of TLS than the connection's".into())
}

/// A block of key stream, which is longer for ChaCha20 than for AES: the record's number in its direction,
/// and the block's number in the record, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StreamBlock {
    pub(super) record: usize,
    pub(super) block: usize,
}

/// The key stream of these blocks.
///
/// # Errors
/// [`Error::Misuse`] for a place outside the records; the machine's.
pub(super) fn stream<M: TwoParty + ?Sized>(
    machine: &mut M,
    cipher: &Cipher<M::Wire>,
    records: &[DataRecord<'_>],
    places: &[StreamBlock],
) -> Result<Vec<M::Wire>, M::Error> {
    let block = |place: &StreamBlock| {
        let record = records.get(place.record)?;
        (cipher.aead().block_bytes().checked_mul(place.block)? < record.length)
            .then(|| counter_block(cipher.aead(), record.nonce, place.block + 1))
    };
    let blocks: Option<Vec<Plain>> = places.iter().map(block).collect();
    let blocks = blocks.ok_or_else(|| Error::Misuse("a block outside the connection's records".into()))?;
    cipher.encrypt(machine, &blocks)
}

fn bytes(bits: &[F2]) -> Result<Vec<u8>, Error> {
    bits_to_bytes(bits).ok_or_else(|| Error::Misuse("a machine opened bits that are not whole bytes".into()))
}
