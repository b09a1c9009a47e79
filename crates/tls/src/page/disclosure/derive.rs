//! The program from the connection's keys to the values that V checks, and to the key stream of the bytes
//! that are shown or claimed about.

use core::convert::Infallible;

use volery_circuit::gadgets::bits_to_bytes;
use volery_field::F2;
use zeroize::Zeroize;

use crate::Error;
use crate::wire::ghash::{BLOCK_BYTES, Block};
use crate::wire::prf::{HmacKey, KeyBlock, Side, VERIFY_DATA_BYTES, key_block, verify_data};
use crate::wire::record::Cipher;
use crate::wire::step::{BLOCK_BITS, Counting, IV_BITS, MASTER_BITS, Plain, TwoParty};
use crate::wire::transcript::{APPLICATION_DATA, FINISHED_BYTES, Handshake, Record, Transcript};

/// Both directions, in the order that everything here uses.
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
pub(crate) fn finished_message(contents: &[u8; VERIFY_DATA_BYTES]) -> [u8; FINISHED_BYTES] {
    let mut message = [0; FINISHED_BYTES];
    let (header, rest) = message.split_at_mut(FINISHED_HEADER.len());
    header.copy_from_slice(&FINISHED_HEADER);
    rest.copy_from_slice(contents);
    message
}

/// The keys of a connection, up to those of what its client sent.
#[derive(Clone)]
pub(crate) struct Keys<W> {
    /// The key that is the master secret.
    pub(crate) master: HmacKey<W>,
    /// The contents of the client's Finished message, which are public.
    pub(crate) client_finished: [u8; VERIFY_DATA_BYTES],
    /// The client's direction.
    pub(crate) client: Cipher<W>,
    /// The wires of the server's key and write IV.
    pub(crate) server: [Vec<W>; 2],
}

impl<W: Clone> Keys<W> {
    /// Derives them from the master secret.
    ///
    /// # Errors
    /// The machine's.
    pub(super) fn derive<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        handshake: &Handshake,
        master: &[W],
    ) -> Result<Self, M::Error> {
        let master = HmacKey::master(machine, master)?;
        let KeyBlock { keys: [client_key, server_key], iv_wires: [client_iv, server_iv] } =
            key_block(machine, &master, &handshake.client_random, &handshake.server_random)?;
        let client_finished = verify_data(machine, &master, Side::Client, &handshake.client_finished_hash)?;
        let client = Cipher::new(machine, &client_key, &client_iv)?;
        Ok(Self { master, client_finished, client, server: [server_key, server_iv] })
    }

    /// The same keys, with `wire` applied to each wire.
    ///
    /// # Errors
    /// Those of `wire`.
    pub(crate) fn try_map<T, E>(&self, mut wire: impl FnMut(&W) -> Result<T, E>) -> Result<Keys<T>, E> {
        let [key, iv] = &self.server;
        let mut list = |wires: &[W]| wires.iter().map(&mut wire).collect::<Result<Vec<T>, E>>();
        let server = [list(key)?, list(iv)?];
        let (master, client) = (self.master.try_map(&mut wire)?, self.client.try_map(&mut wire)?);
        Ok(Keys { master, client_finished: self.client_finished, client, server })
    }
}

impl<W: Zeroize> Zeroize for Keys<W> {
    fn zeroize(&mut self) {
        self.master.zeroize();
        self.client.zeroize();
        self.server.zeroize();
    }
}

/// The start of the program.
pub(crate) enum Root<W> {
    /// The master secret: 384 wires. The values derived from it are to be opened and proved.
    Master(Vec<W>),
    /// The keys, which are proved already.
    Keys(Keys<W>),
}

impl<W: Zeroize> Zeroize for Root<W> {
    fn zeroize(&mut self) {
        match self {
            Self::Master(wires) => wires.zeroize(),
            Self::Keys(keys) => keys.zeroize(),
        }
    }
}

impl<W: Clone> Root<W> {
    /// The root without wires, for a party that sees none.
    pub(crate) fn blind(&self) -> Root<()> {
        match self {
            Self::Master(wires) => Root::Master(vec![(); wires.len()]),
            Self::Keys(keys) => {
                let Ok(keys) = keys.try_map(|_| Ok::<_, Infallible>(()));
                Root::Keys(keys)
            }
        }
    }
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

/// The program's results for both directions.
pub(super) struct Derived<W> {
    pub(super) facts: [Facts; 2],
    pub(super) keys: [Cipher<W>; 2],
}

/// The counter block of `record` with this number: 0 masks its tag, and those from 1 on are its key stream.
fn counter_block(record: &Record, block: usize) -> Plain {
    // A record has at most 2^10 blocks.
    Plain::Counter { sequence: u64::from_be_bytes(record.explicit_nonce), counter: block as u32 + 1 }
}

/// Runs the key derivation and everything of the record layer that V learns.
///
/// # Errors
/// The machine's.
pub(super) fn derive<M: TwoParty + ?Sized>(
    machine: &mut M,
    transcript: &Transcript,
    root: &Root<M::Wire>,
) -> Result<Derived<M::Wire>, M::Error> {
    let derived;
    let keys = match root {
        Root::Master(master) => {
            derived = Keys::derive(machine, &transcript.handshake, master)?;
            &derived
        }
        Root::Keys(keys) => keys,
    };
    let Keys { master, client_finished, client, server } = keys;
    let hash = transcript.server_finished_hash(&finished_message(client_finished));
    let (server_finished, server) = server_direction(machine, master, server, &hash)?;
    let client_facts = direction(machine, &transcript.client, client, *client_finished)?;
    let server_facts = direction(machine, &transcript.server, &server, server_finished)?;
    Ok(Derived { facts: [client_facts, server_facts], keys: [client.clone(), server] })
}

/// The contents of the server's Finished message, and the cipher of its direction.
type ServerDirection<W> = ([u8; VERIFY_DATA_BYTES], Cipher<W>);

/// Derives the server's direction from keys; `hash` is that of the handshake's messages up to its Finished.
fn server_direction<M: TwoParty + ?Sized>(
    machine: &mut M,
    master: &HmacKey<M::Wire>,
    [key, iv]: &[Vec<M::Wire>; 2],
    hash: &[u8; 32],
) -> Result<ServerDirection<M::Wire>, M::Error> {
    let verify_data = verify_data(machine, master, Side::Server, hash)?;
    Ok((verify_data, Cipher::new(machine, key, iv)?))
}

/// The number of commitments of a proof of the server's Finished message and of expanding its key. That is
/// all that a proof derives from the [`Keys`] of a connection before it comes to records.
///
/// # Errors
/// None in practice: these steps can be counted.
pub(crate) fn server_commitments() -> Result<u64, Error> {
    let master = HmacKey::master(&mut Counting::default(), &[(); MASTER_BITS])?;
    let mut machine = Counting::default();
    server_direction(&mut machine, &master, &[vec![(); BLOCK_BITS], vec![(); IV_BITS]], &[0; 32])?;
    Ok(machine.cost().commitments)
}

fn direction<M: TwoParty + ?Sized>(
    machine: &mut M,
    records: &[Record],
    cipher: &Cipher<M::Wire>,
    verify_data: [u8; VERIFY_DATA_BYTES],
) -> Result<Facts, M::Error> {
    // What V learns about each record: its mask, and its key stream unless it is application data.
    let control = |record: &Record| match record.content_type {
        APPLICATION_DATA => 0,
        _ => record.ciphertext.len().div_ceil(BLOCK_BYTES),
    };
    let counters = records.iter().flat_map(|record| (0..=control(record)).map(|i| counter_block(record, i)));
    let blocks: Vec<_> = core::iter::once(Plain::Zero).chain(counters).collect();
    let wires = cipher.encrypt(machine, &blocks)?;
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
    Ok(facts)
}

/// A block of key stream: the record's number in its direction, and the block's number in the record, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StreamBlock {
    pub(super) record: usize,
    pub(super) block: usize,
}

/// The key stream of these blocks: 128 wires each.
///
/// # Errors
/// [`Error::Misuse`] for a place outside the records; the machine's.
pub(super) fn stream<M: TwoParty + ?Sized>(
    machine: &mut M,
    cipher: &Cipher<M::Wire>,
    records: &[Record],
    places: &[StreamBlock],
) -> Result<Vec<M::Wire>, M::Error> {
    let block = |place: &StreamBlock| {
        let record = records.get(place.record)?;
        (BLOCK_BYTES.checked_mul(place.block)? < record.ciphertext.len())
            .then(|| counter_block(record, place.block + 1))
    };
    let blocks: Option<Vec<Plain>> = places.iter().map(block).collect();
    let blocks = blocks.ok_or_else(|| Error::Misuse("a block outside the connection's records".into()))?;
    cipher.encrypt(machine, &blocks)
}

fn bytes(bits: &[F2]) -> Result<Vec<u8>, Error> {
    bits_to_bytes(bits).ok_or_else(|| Error::Misuse("a machine opened bits that are not whole bytes".into()))
}
