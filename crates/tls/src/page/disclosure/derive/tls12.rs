//! TLS 1.2: the program from the master secret, or from keys that are proved already.

use zeroize::Zeroize;

use super::{Derived, Facts, Root, bytes, counter_block, other_version};
use crate::Error;
use crate::page::disclosure::connection::DataRecord;
use crate::wire::ghash::BLOCK_BYTES;
use crate::wire::prf::{HmacKey, KeyBlock, Side, VERIFY_DATA_BYTES, key_block, verify_data};
use crate::wire::record::Cipher;
use crate::wire::step::{BLOCK_BITS, Counting, IV_BITS, MASTER_BITS, Plain, TwoParty, commitments_of_blocks};
use crate::wire::transcript::{APPLICATION_DATA, FINISHED_BYTES, Handshake, Transcript};

/// The header of a Finished message: its type and its length.
const FINISHED_HEADER: [u8; 4] = [20, 0, 0, VERIFY_DATA_BYTES as u8];

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
    fn derive<M: TwoParty<Wire = W> + ?Sized>(
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

/// Runs the key derivation and everything of the record layer that V learns.
///
/// # Errors
/// As [`derive`](super::derive).
pub(super) fn derive<'a, M: TwoParty + ?Sized>(
    machine: &mut M,
    transcript: &'a Transcript,
    root: &Root<M::Wire>,
) -> Result<Derived<'a, M::Wire>, M::Error> {
    let derived;
    let keys = match root {
        Root::Master(master) => {
            derived = Keys::derive(machine, &transcript.handshake, master)?;
            &derived
        }
        Root::Keys(keys) => keys,
        Root::Handshake(_) | Root::Traffic(_) => return Err(other_version().into()),
    };
    let Keys { master, client_finished, client, server } = keys;
    let hash = transcript.server_finished_hash(&finished_message(client_finished));
    let (server_finished, server) = server_direction(machine, master, server, &hash)?;
    let records = [&transcript.client, &transcript.server]
        .map(|records| records.iter().map(DataRecord::tls12).collect::<Vec<_>>());
    let [of_client, of_server] = &records;
    let client_facts = direction(machine, of_client, client, *client_finished)?;
    let server_facts = direction(machine, of_server, &server, server_finished)?;
    Ok(Derived { records, facts: [client_facts, server_facts], keys: [client.clone(), server] })
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

/// The number of commitments of a proof of everything that follows from a master secret, itself included, and
/// what is opened of records, if each direction has this many with payload.
///
/// # Errors
/// As [`server_commitments`].
pub(super) fn root_commitments(records: [usize; 2]) -> Result<u64, Error> {
    let mut machine = Counting::default();
    let master = HmacKey::master(&mut machine, &[(); MASTER_BITS])?;
    let KeyBlock { keys: [client, server], iv_wires: [client_iv, server_iv] } =
        key_block(&mut machine, &master, &[0; 32], &[0; 32])?;
    verify_data(&mut machine, &master, Side::Client, &[0; 32])?;
    Cipher::new(&mut machine, &client, &client_iv)?;
    server_direction(&mut machine, &master, &[server, server_iv], &[0; 32])?;
    // A record has a mask. Finished and an alert have a block besides, and there is the hash key.
    let opened = records.iter().map(|records| records + 5).sum();
    Ok(machine.cost().commitments + MASTER_BITS as u64 + commitments_of_blocks(opened)?)
}

fn direction<M: TwoParty + ?Sized>(
    machine: &mut M,
    records: &[DataRecord<'_>],
    cipher: &Cipher<M::Wire>,
    verify_data: [u8; VERIFY_DATA_BYTES],
) -> Result<Facts, M::Error> {
    // What V learns about each record: its mask, and its key stream unless it is application data.
    let control = |record: &DataRecord<'_>| match record.content_type {
        APPLICATION_DATA => 0,
        _ => record.ciphertext.len().div_ceil(BLOCK_BYTES),
    };
    let counters =
        records.iter().flat_map(|record| (0..=control(record)).map(|i| counter_block(record.nonce, i)));
    let blocks: Vec<_> = core::iter::once(Plain::Zero).chain(counters).collect();
    let wires = cipher.encrypt(machine, &blocks)?;
    let opened = bytes(&machine.open(&wires)?)?;
    let mut blocks = opened.as_chunks::<BLOCK_BYTES>().0.iter().copied();
    let mut next = || blocks.next().ok_or_else(|| Error::Misuse("a machine opened too few blocks".into()));
    let mut facts =
        Facts { verify_data: Some(verify_data), hash_key: next()?, masks: Vec::new(), control: Vec::new() };
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
