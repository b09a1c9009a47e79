//! What a connection computes under garbling, and how large it is.

use volery_circuit::gadgets::bits_to_bytes;
use volery_field::F2;
use volery_garble::Shape;
use volery_garble::two_party::{Settings, Wire};
use volery_zk::quicksilver;
use zeroize::Zeroizing;

use super::Error;
use super::machine::{Machine, Party, Shared};
use crate::disclosure::Keys;
use crate::ghash::{self, Block, hashed_blocks};
use crate::prf::{self, HmacKey, KeyBlock, MasterSeed, Side};
use crate::record::{MAX_PLAINTEXT, Protection, Record, Secrecy, WriteKey};
use crate::step::{Plain, Step, TwoParty};
use crate::transcript::{APPLICATION_DATA, FINISHED_BYTES, HANDSHAKE};

/// The largest request.
pub const MAX_QUERY: usize = 1 << 17;

/// The largest part of a response that correlations are made ahead for: 140 MB of them.
pub const MAX_PROVED: usize = 1 << 15;

/// Bytes of a record's header that its tag covers.
const HEADER: usize = 13;

/// How the parties garble and prove unless they choose otherwise: by three halves, as bytes cost more than work; and with a proof of
/// few blocks, as each is a round trip, at 50 MB of memory at P.
#[must_use]
pub fn settings() -> Settings {
    Settings { proof: quicksilver::Settings { interval: 1 << 19 }, ..Settings::default() }
}

/// The sizes of a connection, which both parties know before it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of the request, exactly; at most [`MAX_QUERY`]. It goes in records of 2^14 bytes and one of the rest.
    pub query: usize,
    /// Bytes of the response that will be proved, about; at most [`MAX_PROVED`]. Correlations for so many are made ahead. More can be
    /// proved, and takes time and bytes when it is.
    pub proved: usize,
}

impl Sizes {
    /// The client's records: Finished, then the request. Key streams are shared, that of Finished, too: opening it first would cost a
    /// round trip.
    pub(super) fn records(self) -> Vec<Record> {
        let parts =
            (0..self.query).step_by(MAX_PLAINTEXT).map(|start| (self.query - start).min(MAX_PLAINTEXT));
        let lengths = core::iter::once(FINISHED_BYTES).chain(parts);
        let record = |(sequence, length)| Record { sequence, length, secrecy: Secrecy::Shared };
        (0..).zip(lengths).map(record).collect()
    }

    /// The lengths of the records that the request goes in.
    #[must_use]
    pub fn lengths(self) -> Vec<usize> {
        self.records().iter().skip(1).map(|record| record.length).collect()
    }

    /// The highest power of GCM's hash key that a tag needs.
    pub(super) fn powers(self) -> usize {
        let longest = self.query.clamp(FINISHED_BYTES, MAX_PLAINTEXT);
        hashed_blocks(HEADER, longest)
    }

    /// Products over GF(2^128) that the tags take.
    pub(super) fn products(self) -> usize {
        ghash::products(1, self.powers())
    }

    /// Commitments that the proof makes, about: the garbled steps again, the server's Finished message, blocks of the response with
    /// some room for its alerts, and what is claimed of it.
    fn commitments(self) -> Result<u64, Error> {
        let ands = |step: Step| -> Result<u64, Error> { Ok(Shape::of(&step, step.inputs())?.ands) };
        let blocks = |count: usize| {
            // The key stream of a record and a block for its tag; the order of magnitude of claims.
            let counters = (0..count as u32).map(|counter| Plain::Counter { sequence: 0, counter });
            Step::Blocks(counters.collect())
        };
        let own: usize = self.records().iter().map(|record| 2 + record.length.div_ceil(16)).sum();
        let fixed = [
            ands(Step::PremasterKey)?,
            ands(Step::MasterKey)?,
            12 * ands(Step::OuterHash)?,
            2 * ands(Step::ExpandKey)?,
        ];
        let block = ands(blocks(1))?;
        let blocks = own + self.proved.div_ceil(16) + 16;
        Ok(fixed.iter().sum::<u64>() + block * blocks as u64)
    }

    /// Correlations that the proof takes, about.
    pub(super) fn correlations(self, settings: quicksilver::Settings) -> Result<usize, Error> {
        let count = quicksilver::Program::from(self.commitments()?).correlations(settings);
        usize::try_from(count).map_err(|_| Error::misuse("more correlations than there is memory"))
    }
}

/// The type of the client's record with this number.
pub(super) fn content_type(sequence: usize) -> u8 {
    if sequence == 0 { HANDSHAKE } else { APPLICATION_DATA }
}

/// The key that is the master secret, from the key that is the pre-master secret.
pub(super) fn master<M: TwoParty>(
    machine: &mut M,
    premaster: &HmacKey<M::Wire>,
    seed: MasterSeed,
) -> Result<HmacKey<M::Wire>, M::Error> {
    let secret = prf::master_secret(machine, premaster, seed)?;
    HmacKey::master(machine, &secret)
}

/// What a party has of the client's direction.
pub(super) struct Client<W> {
    pub(super) key: WriteKey<W>,
    /// Its share of GCM's hash key.
    pub(super) hash_key: Zeroizing<Block>,
    /// For each record.
    pub(super) protections: Vec<Protection>,
}

/// What a party has of the client's record `number`.
pub(super) fn protection<W>(client: &Client<W>, number: usize) -> Result<&Protection, Error> {
    client.protections.get(number).ok_or_else(|| Error::misuse("a record that was not prepared"))
}

/// Everything that the client's records take.
pub(super) fn client<M: TwoParty>(
    machine: &mut M,
    block: &KeyBlock<M::Wire>,
    records: &[Record],
) -> Result<Client<M::Wire>, M::Error> {
    let ([key, _], [iv, _]) = (&block.keys, &block.iv_wires);
    let mut key = WriteKey::new(machine, key, iv)?;
    let (hash_key, protections) = key.first(machine, records)?;
    Ok(Client { key, hash_key, protections })
}

/// Prepares all of it, from the two shares' wires on.
pub(super) fn rehearse<P: Party>(
    machine: &mut Machine<P>,
    channel: &mut dyn volery_channel::Channel,
    shares: [&[Wire]; 2],
    records: &[Record],
) -> Result<(), Error> {
    let machine = &mut machine.rehearse(channel);
    let [prover, verifier] = shares;
    let premaster = HmacKey::premaster(machine, prover, verifier)?;
    let master = master(machine, &premaster, MasterSeed::SessionHash([0; 32]))?;
    let block = prf::key_block(machine, &master, &[0; 32], &[0; 32])?;
    prf::verify_data(machine, &master, Side::Client, &[0; 32])?;
    client(machine, &block, records)?;
    Ok(())
}

/// The wires of a connection that was made, for the proof.
pub(super) fn keys(
    master: HmacKey<Wire>,
    block: KeyBlock<Wire>,
    client_finished: [u8; prf::VERIFY_DATA_BYTES],
    client: WriteKey<Wire>,
) -> Keys<Wire> {
    let KeyBlock { keys: [_, server_key], iv_wires: [_, server_iv] } = block;
    Keys { master, client_finished, client: client.into_cipher(), server: [server_key, server_iv] }
}

/// Bits of a share of the pre-master secret.
pub(super) const SHARE_BITS: usize = 256;

/// The key stream of the client's record `number`: what is shared is the hash key, then each record's mask and key stream.
pub(super) fn stream<P: Party>(machine: &Machine<P>, number: usize) -> Result<Shared, Error> {
    let shared = machine.shared().get(2 * number + 2).cloned();
    shared.ok_or_else(|| Error::misuse("a record whose key stream was not shared"))
}

/// Adds bits to bytes that are as many.
pub(super) fn add(bytes: &mut [u8], bits: &[F2]) -> Result<(), Error> {
    let other = bits_to_bytes(bits).filter(|other| other.len() == bytes.len());
    let other =
        other.ok_or_else(|| Error::misuse("a share of key stream that is not as long as its record"))?;
    bytes.iter_mut().zip(other).for_each(|(byte, other)| *byte ^= other);
    Ok(())
}
