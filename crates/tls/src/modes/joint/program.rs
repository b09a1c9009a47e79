//! The program of a connection under garbling: what the two parties compute before it and while it is open.

use volery_channel::Channel;
use volery_circuit::gadgets::bits_to_bytes;
use volery_field::F2;
use volery_garble::two_party::Wire;
use zeroize::Zeroizing;

use super::machine::{Machine, Party, SharedWires};
use super::{Error, Sizes};
use crate::page::disclosure::Keys;
use crate::wire::ghash::{Block, Powers};
use crate::wire::key_exchange::Group;
use crate::wire::prf::{self, HmacKey, KeyBlock, MasterSeed, Side};
use crate::wire::record::{PlannedRecord, Protection, ReadKey, WriteKey};
use crate::wire::step::TwoParty;
use crate::wire::transcript::{APPLICATION_DATA, HANDSHAKE, NONCE_BYTES};

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

/// Bits of a share of the pre-master secret.
pub(super) const SHARE_BITS: usize = 256;

/// The key stream of the client's record `number`. The shared values are, in order, the hash key, then each
/// record's mask and key stream.
pub(super) fn stream<P: Party>(machine: &Machine<P>, number: usize) -> Result<SharedWires, Error> {
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
    use volery_field::Gf128;
    use volery_garble::two_party::{Garbler, Input, Owner};
    use volery_testing::{Edit, deal};
    use volery_vole::Delta;
    use volery_vole::correlations::{Plan, Pool};

    use super::*;
    use crate::modes::joint::{RoundSizes, settings};
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
            assert_eq!(bytes, sizes.cost().unwrap().tables(settings().garbling), "{sizes:?}");
        }
    }
}
