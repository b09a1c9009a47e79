//! TLS 1.2: the program from the master secret, or from keys that are proved already.

use zeroize::Zeroize;

use super::{Derived, Facts, Opened, Root, TagKeys, counter_block, opened_blocks, other_version};
use crate::Error;
use crate::page::disclosure::connection::DataRecord;
use crate::wire::hash::HandshakeHash;
use crate::wire::prf::{HmacKey, KeyBlock, Side, VERIFY_DATA_BYTES, key_block, verify_data};
use crate::wire::record::Cipher;
use crate::wire::step::{Counting, MASTER_BITS, Plain, TwoParty, commitments_of_blocks};
use crate::wire::suite::{Aead, Suite};
use crate::wire::transcript::{APPLICATION_DATA, FINISHED_BYTES, Handshake, Transcript};
use crate::wire::version::TlsVersion;

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
        let suite = handshake.suite;
        let master = HmacKey::master(machine, suite.hash(), master)?;
        let randoms = [&handshake.client_random, &handshake.server_random];
        let KeyBlock { keys: [client_key, server_key], iv_wires: [client_iv, server_iv] } =
            key_block(machine, &master, suite.aead(), randoms)?;
        let client_finished = verify_data(machine, &master, Side::Client, &handshake.client_finished_hash)?;
        let client = Cipher::new(machine, (suite.aead(), TlsVersion::Tls12), [&client_key, &client_iv])?;
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
    let suite = transcript.handshake.suite;
    let (server_finished, server) = server_direction(machine, suite, master, server, &hash)?;
    let records = [&transcript.client, &transcript.server]
        .map(|records| records.iter().map(|record| DataRecord::tls12(record, suite)).collect::<Vec<_>>());
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
    suite: Suite,
    master: &HmacKey<M::Wire>,
    [key, iv]: &[Vec<M::Wire>; 2],
    hash: &HandshakeHash,
) -> Result<ServerDirection<M::Wire>, M::Error> {
    let verify_data = verify_data(machine, master, Side::Server, hash)?;
    Ok((verify_data, Cipher::new(machine, (suite.aead(), TlsVersion::Tls12), [key, iv])?))
}

/// The number of commitments of a proof of the server's Finished message and of expanding its key. That is
/// all that a proof derives from the [`Keys`] of a connection before it comes to records.
///
/// # Errors
/// None in practice: these steps can be counted.
pub(crate) fn server_commitments(suite: Suite) -> Result<u64, Error> {
    let master = HmacKey::master(&mut Counting::default(), suite.hash(), &[(); MASTER_BITS])?;
    let mut machine = Counting::default();
    let key = suite.aead().bits(TlsVersion::Tls12).map(|bits| vec![(); bits]);
    server_direction(&mut machine, suite, &master, &key, &suite.hash().zeros())?;
    Ok(machine.cost().commitments)
}

/// The number of commitments of a proof of everything that follows from a master secret, itself included, and
/// what is opened of records, if each direction has this many with payload.
///
/// # Errors
/// As [`server_commitments`].
pub(super) fn root_commitments(suite: Suite, records: [usize; 2]) -> Result<u64, Error> {
    let (aead, hash) = (suite.aead(), suite.hash().zeros());
    let mut machine = Counting::default();
    let master = HmacKey::master(&mut machine, suite.hash(), &[(); MASTER_BITS])?;
    let KeyBlock { keys: [client, server], iv_wires: [client_iv, server_iv] } =
        key_block(&mut machine, &master, aead, [&[0; 32]; 2])?;
    verify_data(&mut machine, &master, Side::Client, &hash)?;
    Cipher::new(&mut machine, (aead, TlsVersion::Tls12), [&client, &client_iv])?;
    server_direction(&mut machine, suite, &master, &[server, server_iv], &hash)?;
    // A record has a mask or a one-time key. Finished and an alert have a block besides, and GCM a hash key.
    let more = 4 + usize::from(matches!(aead, Aead::Gcm(_)));
    let opened = records.iter().map(|records| records + more).sum();
    Ok(machine.cost().commitments + MASTER_BITS as u64 + commitments_of_blocks(aead, opened)?)
}

fn direction<M: TwoParty + ?Sized>(
    machine: &mut M,
    records: &[DataRecord<'_>],
    cipher: &Cipher<M::Wire>,
    verify_data: [u8; VERIFY_DATA_BYTES],
) -> Result<Facts, M::Error> {
    let aead = cipher.aead();
    // What V learns about each record: what its tag takes, and its key stream unless it is application data.
    let control = |record: &DataRecord<'_>| match record.content_type {
        APPLICATION_DATA => 0,
        _ => record.ciphertext.len().div_ceil(aead.block_bytes()),
    };
    let counters = records
        .iter()
        .flat_map(|record| (0..=control(record)).map(|block| counter_block(aead, record.nonce, block)));
    let blocks: Vec<Plain> = TagKeys::first_block(aead).into_iter().chain(counters).collect();
    let opened = opened_blocks(machine, cipher, &blocks)?;
    let mut opened = Opened(&opened);
    let tags = TagKeys::first(aead, &mut opened)?;
    let mut facts = Facts { verify_data: Some(verify_data), tags, control: Vec::new() };
    for record in records {
        facts.tags.record(&mut opened)?;
        let stream = opened.take(control(record) * aead.block_bytes())?;
        facts.control.push(record.ciphertext.iter().zip(stream).map(|(byte, key)| byte ^ key).collect());
    }
    Ok(facts)
}
