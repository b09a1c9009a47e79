//! The program of a connection under garbling, and its size.

use volery_channel::Channel;
use volery_circuit::gadgets::bits_to_bytes;
use volery_field::{F2, Gf128};
use volery_garble::Shape;
use volery_garble::two_party::{Settings, Wire};
use volery_vole::correlations::{Plan, Pool};
use volery_vole::ole;
use volery_zk::quicksilver;
use zeroize::Zeroizing;

use super::Error;
use super::machine::{Machine, Party, Shared};
use super::read::READ;
use crate::page::dialogue::MAX_ROUNDS;
use crate::page::disclosure::Keys;
use crate::wire::ghash::{self, BLOCK_BYTES, Block, Powers, hashed_blocks};
use crate::wire::key_exchange::{self, Group};
use crate::wire::prf::{self, HmacKey, KeyBlock, MasterSeed, Side};
use crate::wire::record::{
    HEADER_BYTES, MAX_PLAINTEXT, PlannedRecord, Protection, ReadKey, Secrecy, WriteKey,
};
use crate::wire::step::{Plain, Step, TwoParty};
use crate::wire::transcript::{APPLICATION_DATA, FINISHED_BYTES, HANDSHAKE, NONCE_BYTES};

/// The most bytes of all requests of a connection.
pub const MAX_QUERY: usize = 1 << 17;

/// The most bytes of responses that are read while the connection is open: 512 blocks of 5,120 ANDs, which V
/// stores ahead.
pub const MAX_READ: usize = 1 << 13;

/// The largest part of a response for which correlations are made ahead: 140 MB of them.
pub const MAX_PROVED: usize = 1 << 15;

/// The default way to garble and prove: three halves, because bytes cost more than work, and a proof of few
/// blocks, because each is a round trip, with 50 MB of memory at P.
#[must_use]
pub fn settings() -> Settings {
    Settings { proof: quicksilver::bits::Settings { interval: 1 << 19 }, ..Settings::default() }
}

/// The size of a request, and how much of its response is read before the next one is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundSizes {
    /// The exact number of bytes of the request, at least one. It is sent in records of 2^14 bytes and one
    /// for the rest.
    pub query: usize,
    /// The number of bytes of the response that P can read while the connection is open; 0 if the next
    /// request does not wait for it, which makes the connection [pipelined](Sizes::pipelined). Each of the
    /// server's records takes its length, rounded up to 16, plus 16. What one round leaves unused, the next
    /// can use. It is 0 for the last round, and after a round whose response is not read.
    pub read: usize,
}

/// The sizes of a connection, which both parties know before it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The requests, in order: 1 to [`MAX_ROUNDS`] of them, with at most [`MAX_QUERY`] bytes of requests and
    /// [`MAX_READ`] bytes to read.
    pub rounds: Vec<RoundSizes>,
    /// The approximate number of bytes of the responses that will be proved, at most [`MAX_PROVED`].
    /// Correlations for this many are made ahead. More can be proved, but then takes time and bytes later.
    pub proved: usize,
}

impl Sizes {
    /// The sizes of a connection with one request.
    #[must_use]
    pub fn one(query: usize, proved: usize) -> Self {
        Self { rounds: vec![RoundSizes { query, read: 0 }], proved }
    }

    /// Checks that nothing exceeds these limits on bytes of requests, to read, and proved.
    pub(super) fn check(&self, [query, read, proved]: [usize; 3]) -> Result<(), Error> {
        let sum = |of: fn(&RoundSizes) -> usize| self.rounds.iter().map(of).fold(0, usize::saturating_add);
        let what = if self.rounds.len() > 1 { "all requests" } else { "a request" };
        let parts = [
            (what, sum(|round| round.query), query),
            (READ, sum(|round| round.read), read),
            ("a response to prove", self.proved, proved),
        ];
        for (what, asked, limit) in parts {
            if asked > limit {
                return Err(Error::Limit { what, asked, limit });
            }
        }
        Ok(())
    }

    /// Whether there are rounds, not too many, none empty, and none read out of order.
    pub(super) fn are_sound(&self) -> bool {
        let mut unread = self.rounds.iter().skip_while(|round| round.read > 0);
        let in_order = unread.next().is_some() && unread.all(|round| round.read == 0);
        in_order && self.rounds.len() <= MAX_ROUNDS && self.rounds.iter().all(|round| round.query > 0)
    }

    /// Whether a request is sent before the response to the one before it has been read. Then nothing shows
    /// which request a later response answers, and the attestation says so.
    #[must_use]
    pub fn pipelined(&self) -> bool {
        self.rounds.iter().rev().skip(1).any(|round| round.read == 0)
    }

    /// The client's records: Finished, then the requests. All their key streams are shared, including that of
    /// Finished, because opening it first would cost a round trip.
    pub(super) fn records(&self) -> Vec<PlannedRecord> {
        let lengths = (0..self.rounds.len()).flat_map(|round| self.lengths(round));
        let record = |(sequence, length)| PlannedRecord { sequence, length, secrecy: Secrecy::Shared };
        (0..).zip(core::iter::once(FINISHED_BYTES).chain(lengths)).map(record).collect()
    }

    /// Whether a request other than the first begins with the client's record of this number.
    pub(super) fn begins_later(&self, number: usize) -> bool {
        // The first record is Finished.
        let mut next = 1;
        (1..self.rounds.len()).any(|round| {
            next += self.lengths(round - 1).len();
            next == number
        })
    }

    /// The lengths of the records of a round's request; none for a round that does not exist.
    #[must_use]
    pub fn lengths(&self, round: usize) -> Vec<usize> {
        let query = self.rounds.get(round).map_or(0, |round| round.query);
        (0..query).step_by(MAX_PLAINTEXT).map(|start| (query - start).min(MAX_PLAINTEXT)).collect()
    }

    /// The highest power of GCM's hash key that the tag of a client's record needs.
    pub(super) fn powers(&self) -> usize {
        let longest = self.rounds.iter().map(|round| round.query).max().unwrap_or_default();
        hashed_blocks(HEADER_BYTES, longest.clamp(FINISHED_BYTES, MAX_PLAINTEXT))
    }

    /// The number of products over GF(2^128) that the tags take.
    pub(super) fn products(&self) -> usize {
        ghash::products(1, self.powers())
    }

    /// The number of blocks of key stream and masks of the server's records that can be shared while the
    /// connection is open.
    pub(super) fn spare(&self) -> usize {
        self.rounds.iter().map(|round| round.read.div_ceil(BLOCK_BYTES)).sum()
    }

    /// The longest record that can be read while the connection is open, if any can.
    pub(super) fn longest_read(&self) -> Option<usize> {
        // One block is the mask.
        self.spare().checked_sub(1).map(|blocks| (BLOCK_BYTES * blocks).min(MAX_PLAINTEXT))
    }

    /// The approximate number of bits that the parties share: those of hash keys, masks and key streams.
    fn shared(&self) -> usize {
        let own: usize = self.records().iter().map(|record| 1 + record.length.div_ceil(BLOCK_BYTES)).sum();
        8 * BLOCK_BYTES * (2 + own + self.spare())
    }

    /// The approximate number of commitments of the proof: the garbled steps again, the server's Finished
    /// message, blocks of the response with some room for its alerts, and claims about it.
    fn commitments(&self) -> Result<u64, Error> {
        let each = |step: Step| -> Result<u64, Error> { Ok(Shape::of(&step, step.inputs())?.commitments()) };
        let blocks = |count: usize| {
            // The key stream of a record and a block for its tag; the order of magnitude of claims.
            let counters = (0..count as u32).map(|counter| Plain::Counter { sequence: 0, counter });
            Step::Blocks(counters.collect())
        };
        let own: usize = self.records().iter().map(|record| 2 + record.length.div_ceil(BLOCK_BYTES)).sum();
        let fixed = [
            each(Step::PremasterKey)?,
            each(Step::MasterKey)?,
            12 * each(Step::OuterHash)?,
            2 * each(Step::ExpandKey)?,
        ];
        let block = each(blocks(1))?;
        let blocks = own + self.proved.div_ceil(BLOCK_BYTES) + 16;
        let read = match self.longest_read() {
            None => 0,
            Some(longest) => {
                let powers = Step::Powers(hashed_blocks(HEADER_BYTES, longest));
                each(Step::ExpandKey)? + each(powers)? + block * (1 + self.spare()) as u64
            }
        };
        Ok(fixed.iter().sum::<u64>() + block * blocks as u64 + read)
    }

    /// The approximate number of correlations that the proof takes.
    pub(super) fn correlations(&self, settings: quicksilver::bits::Settings) -> Result<usize, Error> {
        let count = quicksilver::bits::Program::from(self.commitments()?).correlations(settings);
        usize::try_from(count).map_err(|_| Error::misuse("more correlations than there is memory"))
    }
}

/// Announces that the proof and everything before it will take these correlations, makes room for them, and
/// returns the number of the last one. From now on they are made whenever there is time.
pub(super) fn expect(
    pool: &mut Pool,
    sizes: &Sizes,
    settings: quicksilver::bits::Settings,
) -> Result<u64, Error> {
    // Shared bits are P's inputs, and are taken while correlations are made.
    let count = sizes.correlations(settings)? + SHARE_BITS + sizes.shared() + OTS;
    pool.expect(Some(count as u64));
    pool.reserve(count);
    Ok(pool.index() + count as u64)
}

/// Begins the first round of correlations, if there will be one, so that the parties answer each other while
/// they do other things.
pub(super) fn begin_round(channel: &mut dyn Channel, pool: &mut Pool) -> Result<(), Error> {
    // In a fresh pool this is more than was made for the OTs, and the next step begins the round. In a pool
    // that has given correlations before, it may already have begun, or this takes a step of a round under
    // way.
    make(channel, pool, Plan::CHUNK)
}

/// Has P read V's part of that round and answer it. V's other messages before P's first tables come with it.
/// Call it when V has had time for that.
pub(super) fn answer_round(channel: &mut dyn Channel, pool: &mut Pool) -> Result<(), Error> {
    // Again the next step, in a fresh pool.
    make(channel, pool, 2 * Plan::CHUNK)
}

fn make(channel: &mut dyn Channel, pool: &mut Pool, n: usize) -> Result<(), Error> {
    let end = pool.index() + n as u64;
    Ok(pool.make(channel, end).map_err(volery_garble::Error::from)?)
}

/// The type of the client's record with this number.
pub(super) fn content_type(sequence: usize) -> u8 {
    if sequence == 0 { HANDSHAKE } else { APPLICATION_DATA }
}

/// The key made from the master secret, from the key made from the pre-master secret.
pub(super) fn master<M: TwoParty>(
    machine: &mut M,
    premaster: &HmacKey<M::Wire>,
    seed: MasterSeed,
) -> Result<HmacKey<M::Wire>, M::Error> {
    let secret = prf::master_secret(machine, premaster, seed)?;
    HmacKey::master(machine, &secret)
}

/// The number of correlations that the products of a connection and V's share (V's only input) take, in one
/// batch.
pub(super) fn correlations(sizes: &Sizes) -> Result<usize, Error> {
    let tags = ole::correlations::<Gf128>(sizes.products()).map_err(crate::Error::from)?;
    Ok(key_exchange::correlations()? + tags + SHARE_BITS)
}

/// A party's state for the client's direction.
pub(super) struct Client<W> {
    pub(super) key: WriteKey<W>,
    /// Its share of GCM's hash key.
    pub(super) hash_key: Zeroizing<Block>,
    /// For each record.
    pub(super) protections: Vec<Protection>,
}

/// A party's state for the client's record `number`.
pub(super) fn protection<W>(client: &Client<W>, number: usize) -> Result<&Protection, Error> {
    client.protections.get(number).ok_or_else(|| Error::misuse("a record that was not prepared"))
}

/// Everything that the client's records need.
pub(super) fn client<M: TwoParty>(
    machine: &mut M,
    block: &KeyBlock<M::Wire>,
    records: &[PlannedRecord],
) -> Result<Client<M::Wire>, M::Error> {
    let ([key, _], [iv, _]) = (&block.keys, &block.iv_wires);
    let mut key = WriteKey::new(machine, key, iv)?;
    let (hash_key, protections) = key.first(machine, records)?;
    Ok(Client { key, hash_key, protections })
}

/// The key of the server's records, and shares of the powers of its hash key.
pub(super) type ServerKey<W> = (ReadKey<W>, Powers);

/// What reading the server's records needs while the connection is open; `None` if nothing is read.
pub(super) fn server<M: TwoParty>(
    machine: &mut M,
    block: &KeyBlock<M::Wire>,
    sizes: &Sizes,
) -> Result<Option<ServerKey<M::Wire>>, M::Error> {
    let ([_, key], [_, iv]) = (&block.keys, &block.iv_wires);
    sizes.longest_read().map(|longest| ReadKey::new(machine, [key, iv], longest)).transpose()
}

/// Prepares the first part, from the wires of the two shares to the master secret.
pub(super) fn rehearse_master<P: Party>(
    machine: &mut Machine<P>,
    channel: &mut dyn Channel,
    shares: [&[Wire]; 2],
) -> Result<HmacKey<Wire>, Error> {
    prepared_master(&mut machine.rehearse(channel), shares)
}

/// Prepares the rest, from the master secret on.
pub(super) fn rehearse<P: Party>(
    machine: &mut Machine<P>,
    channel: &mut dyn Channel,
    master: &HmacKey<Wire>,
    sizes: &Sizes,
) -> Result<(), Error> {
    let reader = prepared(&mut machine.rehearse(channel), master, sizes)?;
    prepared_spare(&mut machine.rehearse_spare(channel), reader.as_ref(), sizes)
}

/// The part up to the master secret, on any machine.
pub(super) fn prepared_master<M: TwoParty>(
    machine: &mut M,
    [prover, verifier]: [&[M::Wire]; 2],
) -> Result<HmacKey<M::Wire>, M::Error> {
    // The server has not chosen a curve yet; the calls are the same for both.
    let premaster = HmacKey::premaster(machine, Group::P256, prover, verifier)?;
    master(machine, &premaster, MasterSeed::SessionHash([0; 32]))
}

/// The rest for every connection, and the key of spare blocks if there are any.
pub(super) fn prepared<M: TwoParty>(
    machine: &mut M,
    master: &HmacKey<M::Wire>,
    sizes: &Sizes,
) -> Result<Option<ReadKey<M::Wire>>, M::Error> {
    let block = prf::key_block(machine, master, &[0; 32], &[0; 32])?;
    prf::verify_data(machine, master, Side::Client, &[0; 32])?;
    client(machine, &block, &sizes.records())?;
    Ok(server(machine, &block, sizes)?.map(|(key, _)| key))
}

/// The spare blocks.
pub(super) fn prepared_spare<M: TwoParty>(
    machine: &mut M,
    reader: Option<&ReadKey<M::Wire>>,
    sizes: &Sizes,
) -> Result<(), M::Error> {
    let Some(key) = reader else { return Ok(()) };
    for _ in 0..sizes.spare() {
        key.block(machine, [0; NONCE_BYTES], 0)?;
    }
    Ok(())
}

/// The wires of a finished connection, for the proof.
pub(super) fn keys(
    master: HmacKey<Wire>,
    block: KeyBlock<Wire>,
    client_finished: [u8; prf::VERIFY_DATA_BYTES],
    client: WriteKey<Wire>,
) -> Keys<Wire> {
    let KeyBlock { keys: [_, server_key], iv_wires: [_, server_iv] } = block;
    Keys { master, client_finished, client: client.into_cipher(), server: [server_key, server_iv] }
}

/// The number of correlations from which the labels' OTs come.
const OTS: usize = 128;

/// Bits of a share of the pre-master secret.
pub(super) const SHARE_BITS: usize = 256;

/// The key stream of the client's record `number`. The shared values are, in order, the hash key, then each
/// record's mask and key stream.
pub(super) fn stream<P: Party>(machine: &Machine<P>, number: usize) -> Result<Shared, Error> {
    let shared = machine.shared().get(2 * number + 2).cloned();
    shared.ok_or_else(|| Error::misuse("a record whose key stream was not shared"))
}

/// Adds the first of these bits to bytes.
pub(super) fn add_first(bytes: &mut [u8], bits: &[F2]) -> Result<(), Error> {
    let bits = bits.get(..8 * bytes.len()).ok_or_else(|| Error::misuse("a share of too few bits"))?;
    add(bytes, bits)
}

/// Adds bits to bytes of the same total length.
pub(super) fn add(bytes: &mut [u8], bits: &[F2]) -> Result<(), Error> {
    let other = bits_to_bytes(bits).filter(|other| other.len() == bytes.len());
    let other =
        other.ok_or_else(|| Error::misuse("a share of key stream that is not as long as its record"))?;
    bytes.iter_mut().zip(other).for_each(|(byte, other)| *byte ^= other);
    Ok(())
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;
    use volery_channel::tags::GARBLED_TABLES;
    use volery_channel::{Limits, Tag, memory_pair};
    use volery_garble::two_party::{Garbler, Input, Owner};
    use volery_testing::{Edit, deal};
    use volery_vole::Delta;

    use super::*;
    use crate::testing::{SESSION, worthless};

    /// Correlations from nowhere, but only one batch.
    fn once() -> Pool {
        let mut left = Plan::CHUNK;
        deal::pool(Plan::CHUNK, move || {
            left = left.checked_sub(1).expect("no more than one batch");
            Gf128::ONE
        })
    }

    /// Tables that [`Garbler::prepare_beside`] excepts.
    const TABLES_AHEAD: u64 = 160_000;

    #[test]
    fn p_garbles_up_to_the_master_secret_without_a_word_of_v_s_and_with_no_more_correlations_than_its_inputs()
    {
        // Nobody reads at the other end.
        let (p, _v) = memory_pair(&Limits::default());
        let mut tables = 0;
        let count = |tag: Tag, message: &mut Vec<u8>| {
            if tag == GARBLED_TABLES {
                tables += message.len() as u64 / 25;
            }
            message.clear();
        };
        let mut p = Edit::on(p, count);
        let rng = &mut ChaCha20Rng::seed_from_u64(1);
        let pool = once();
        let mut garbler = Garbler::without_labels(&SESSION, settings(), Delta::random(rng), pool, rng);
        garbler.prepare_beside(1 << 30);
        let shares = [Owner::Prover, Owner::Verifier].map(|owner| {
            let input = garbler.input(&mut p, owner, SHARE_BITS).unwrap();
            input.wires().to_vec()
        });
        let [prover, verifier] = &shares;
        rehearse_master(&mut Machine::new(garbler), &mut p, [prover, verifier]).unwrap();
        assert_eq!(p.stats().round_trips, 0);
        drop(p);
        assert!((TABLES_AHEAD / 10 * 9..=TABLES_AHEAD).contains(&tables), "{tables} tables");
    }

    #[test]
    fn what_a_session_will_keep_is_known_from_its_sizes_to_the_byte() {
        let several = Sizes {
            rounds: vec![
                RoundSizes { query: 17, read: 40 },
                RoundSizes { query: 1, read: 0 },
                RoundSizes { query: 300, read: 0 },
            ],
            proved: 9,
        };
        for sizes in [Sizes::one(1, 0), Sizes::one(100, 5000), several] {
            let (p, _v) = memory_pair(&Limits::default());
            let mut bytes = 0;
            let count = |tag: Tag, message: &mut Vec<u8>| {
                bytes += if tag == GARBLED_TABLES { message.len() as u64 } else { 0 };
                message.clear();
            };
            let mut p = Edit::on(p, count);
            let rng = &mut ChaCha20Rng::seed_from_u64(1);
            let labels = (Delta::random(rng), worthless());
            let mut garbler = Garbler::new(&SESSION, settings(), labels, worthless(), rng);
            let inputs = [Owner::Prover, Owner::Verifier]
                .map(|owner| garbler.input(&mut p, owner, SHARE_BITS).unwrap());
            let [prover, verifier] = inputs.each_ref().map(Input::wires);
            let mut machine = Machine::new(garbler);
            let master = rehearse_master(&mut machine, &mut p, [prover, verifier]).unwrap();
            rehearse(&mut machine, &mut p, &master, &sizes).unwrap();
            drop(p);
            assert_eq!(bytes, sizes.tables(settings().garbling).unwrap(), "{sizes:?}");
        }
    }
}
