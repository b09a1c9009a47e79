//! The program: from the master secret to what V checks, and to the key stream of the bytes that something is said about.

use volery_circuit::gadgets::bits_to_bytes;
use volery_field::F2;

use crate::Error;
use crate::ghash::{BLOCK_BYTES, Block};
use crate::prf::{HmacKey, Side, VERIFY_DATA_BYTES, key_block, verify_data};
use crate::step::{BLOCK_BITS, Plain, Step, TwoParty};
use crate::transcript::{APPLICATION_DATA, FINISHED_BYTES, Record, Transcript};

/// Both directions, in the order of everything here.
pub(super) const SIDES: [Side; 2] = [Side::Client, Side::Server];

/// The header of a Finished message: its type and its length.
const FINISHED_HEADER: [u8; 4] = [20, 0, 0, VERIFY_DATA_BYTES as u8];

/// A direction's records.
pub(super) fn records(transcript: &Transcript, side: Side) -> &[Record] {
    match side {
        Side::Client => &transcript.client,
        Side::Server => &transcript.server,
    }
}

/// The Finished message with these contents.
pub(super) fn finished_message(contents: &[u8; VERIFY_DATA_BYTES]) -> [u8; FINISHED_BYTES] {
    let mut message = [0; FINISHED_BYTES];
    let (header, rest) = message.split_at_mut(FINISHED_HEADER.len());
    header.copy_from_slice(&FINISHED_HEADER);
    rest.copy_from_slice(contents);
    message
}

/// What V learns about one direction.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Facts {
    /// The contents of its Finished message.
    pub(super) verify_data: [u8; VERIFY_DATA_BYTES],
    /// GCM's hash key.
    pub(super) hash_key: Block,
    /// The mask of each record's tag.
    pub(super) masks: Vec<Block>,
    /// The plaintext of each record; empty for application data.
    pub(super) control: Vec<Vec<u8>>,
}

/// One direction's key, expanded.
pub(super) struct Key<W> {
    inputs: Vec<W>,
}

/// What the program gives for both directions.
pub(super) struct Derived<W> {
    pub(super) facts: [Facts; 2],
    pub(super) keys: [Key<W>; 2],
}

/// The counter block of `record` with this number: 0 masks its tag, those from 1 on are its key stream.
fn counter_block(record: &Record, block: usize) -> Plain {
    // A record has at most 2^10 blocks.
    Plain::Counter { sequence: u64::from_be_bytes(record.explicit_nonce), counter: block as u32 + 1 }
}

/// Runs the key derivation and all of the record layer that V learns.
///
/// # Errors
/// The machine's.
pub(super) fn derive<M: TwoParty + ?Sized>(
    machine: &mut M,
    transcript: &Transcript,
    master: &[M::Wire],
) -> Result<Derived<M::Wire>, M::Error> {
    let handshake = &transcript.handshake;
    let master = HmacKey::master(machine, master)?;
    let block = key_block(machine, &master, &handshake.client_random, &handshake.server_random)?;
    let client = verify_data(machine, &master, Side::Client, &handshake.client_finished_hash)?;
    let hash = transcript.server_finished_hash(&finished_message(&client));
    let server = verify_data(machine, &master, Side::Server, &hash)?;
    let [client_key, server_key] = &block.keys;
    let [client_iv, server_iv] = &block.iv_wires;
    let (client_key, client) = direction(machine, &transcript.client, &[client_key, client_iv], client)?;
    let (server_key, server) = direction(machine, &transcript.server, &[server_key, server_iv], server)?;
    Ok(Derived { facts: [client, server], keys: [client_key, server_key] })
}

fn direction<M: TwoParty + ?Sized>(
    machine: &mut M,
    records: &[Record],
    [key, iv]: &[&[M::Wire]; 2],
    verify_data: [u8; VERIFY_DATA_BYTES],
) -> Result<(Key<M::Wire>, Facts), M::Error> {
    let inputs = [&*machine.call(&Step::ExpandKey, key)?, iv].concat();
    // What V learns of each record: its mask, and the key stream of what is not application data.
    let control = |record: &Record| match record.content_type {
        APPLICATION_DATA => 0,
        _ => record.ciphertext.len().div_ceil(BLOCK_BYTES),
    };
    let counters = records.iter().flat_map(|record| (0..=control(record)).map(|i| counter_block(record, i)));
    let blocks = core::iter::once(Plain::Zero).chain(counters).collect();
    let wires = machine.call(&Step::Blocks(blocks), &inputs)?;
    let opened = bytes(&machine.open(&wires)?)?;
    let mut blocks = opened.as_chunks::<BLOCK_BYTES>().0.iter().copied();
    let mut next = || blocks.next().ok_or_else(|| Error::Misuse("a machine opened too few blocks".into()));
    let mut facts = Facts { verify_data, hash_key: next()?, masks: Vec::new(), control: Vec::new() };
    for record in records {
        facts.masks.push(next()?);
        let mut plaintext = Vec::new();
        for chunk in record.ciphertext.chunks(BLOCK_BYTES).take(control(record)) {
            plaintext.extend(chunk.iter().zip(next()?).map(|(byte, key)| byte ^ key));
        }
        facts.control.push(plaintext);
    }
    Ok((Key { inputs }, facts))
}

/// A block of key stream: the record's number in its direction, and which of the record's blocks, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) record: usize,
    pub(super) block: usize,
}

/// The key stream of these blocks: 128 wires each.
///
/// # Errors
/// [`Error::Misuse`] for a place outside the records; the machine's.
pub(super) fn stream<M: TwoParty + ?Sized>(
    machine: &mut M,
    key: &Key<M::Wire>,
    records: &[Record],
    places: &[Place],
) -> Result<Vec<Vec<M::Wire>>, M::Error> {
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let block = |place: &Place| {
        let record = records.get(place.record)?;
        (BLOCK_BYTES.checked_mul(place.block)? < record.ciphertext.len())
            .then(|| counter_block(record, place.block + 1))
    };
    let blocks: Option<Vec<Plain>> = places.iter().map(block).collect();
    let blocks = blocks.ok_or_else(|| Error::Misuse("a block outside the connection's records".into()))?;
    let wires = machine.call(&Step::Blocks(blocks), &key.inputs)?;
    Ok(wires.chunks(BLOCK_BITS).map(<[_]>::to_vec).collect())
}

fn bytes(bits: &[F2]) -> Result<Vec<u8>, Error> {
    bits_to_bytes(bits).ok_or_else(|| Error::Misuse("a machine opened bits that are not whole bytes".into()))
}
