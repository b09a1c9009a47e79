//! The program of a connection under garbling: what the two parties compute before it and while it is open.
//!
//! ```text
//!                                 TLS 1.2                                      TLS 1.3
//! first, Secrets                  pre-master secret, master secret             handshake secret, the master secret's salt
//! then, Derived                   key block, the client's Finished             traffic secrets of the handshake, master
//!                                                                              secret, keys of data
//! records                         hash key, masks, key streams                 the same
//! tags                            with AES-GCM: see `hash_key`                 the same
//!                                 with ChaCha20-Poly1305: see `tag`            the same
//! spare                           blocks and tags for the server's records     the same
//! ```

use volery_channel::Channel;
use volery_circuit::gadgets::bits_to_bytes;
use volery_field::F2;
use volery_garble::two_party::Wire;
use zeroize::Zeroizing;

use super::hash_key::BlindingWires;
use super::machine::{Machine, Party, PrivateInputs, Queue, SharedWires};
use super::{Error, Sizes, hash_key, tag};
use crate::page::disclosure::{Keys, Root, TrafficKeys};
use crate::wire::hash::HandshakeHash;
use crate::wire::key_exchange::Group;
use crate::wire::prf::tls13::{RecordKey, handshake_wires, master_salt, record_key};
use crate::wire::prf::{self, HmacKey, KeyBlock, MasterSeed, Side, VERIFY_DATA_BYTES};
use crate::wire::record::{Protection, ReadKey, TagPart, WriteKey};
use crate::wire::step::TwoParty;
use crate::wire::suite::{Aead, Suite};
use crate::wire::transcript::{APPLICATION_DATA, HANDSHAKE};
use crate::wire::version::TlsVersion;

/// The type of the client's record with this number, as its header says.
pub(super) fn content_type(version: TlsVersion, number: usize) -> u8 {
    if version == TlsVersion::Tls12 && number == 0 { HANDSHAKE } else { APPLICATION_DATA }
}

/// The keys from which everything else is derived.
pub(super) enum Secrets<W> {
    /// The master secret of TLS 1.2.
    Tls12(HmacKey<W>),
    /// The secrets of TLS 1.3.
    Tls13 {
        /// The handshake secret.
        handshake: HmacKey<W>,
        /// The salt of the master secret.
        salt: HmacKey<W>,
    },
}

/// The key made from the master secret, from the key made from the pre-master secret.
pub(super) fn master<M: TwoParty>(
    machine: &mut M,
    premaster: &HmacKey<M::Wire>,
    seed: MasterSeed,
) -> Result<HmacKey<M::Wire>, M::Error> {
    let secret = prf::master_secret(machine, premaster, seed)?;
    HmacKey::master(machine, premaster.function(), &secret)
}

/// TLS 1.3's secrets, from the shares of what the key exchange gives.
pub(super) fn secrets_tls13<M: TwoParty>(
    machine: &mut M,
    suite: Suite,
    group: Group,
    shares: [&[M::Wire]; 2],
) -> Result<Secrets<M::Wire>, M::Error> {
    let handshake = HmacKey::handshake(machine, suite.hash(), group, shares)?;
    let salt = master_salt(machine, &handshake)?;
    Ok(Secrets::Tls13 { handshake, salt })
}

/// The traffic secrets of a handshake, client's first: their wires, and this party's shares.
pub(super) type HandshakeShares<W> = ([Vec<W>; 2], [Zeroizing<Vec<F2>>; 2]);

/// The traffic secrets of the handshake, given the hash of both hellos.
pub(super) fn handshake_shares<M: TwoParty>(
    machine: &mut M,
    handshake: &HmacKey<M::Wire>,
    hash: &HandshakeHash,
) -> Result<HandshakeShares<M::Wire>, M::Error> {
    let wires = handshake_wires(machine, handshake, hash)?;
    let [client, server] = &wires;
    let shares = [Zeroizing::new(machine.share(client)?), Zeroizing::new(machine.share(server)?)];
    Ok((wires, shares))
}

/// What was derived before the client's records.
pub(super) enum Derived<W> {
    Tls12 {
        master: HmacKey<W>,
        block: KeyBlock<W>,
        client_finished: [u8; VERIFY_DATA_BYTES],
    },
    Tls13 {
        /// The traffic secrets of the handshake.
        handshake: [Vec<W>; 2],
        master: HmacKey<W>,
        client: RecordKey<W>,
        /// If the server's records are read while the connection is open.
        server: Option<RecordKey<W>>,
    },
}

impl<W: Clone> Derived<W> {
    /// The keys of TLS 1.3's data, given the salt of the master secret and the hash of all messages up to the
    /// server's Finished.
    pub(super) fn tls13<M: TwoParty<Wire = W>>(
        machine: &mut M,
        handshake: [Vec<W>; 2],
        salt: &HmacKey<W>,
        hash: &HandshakeHash,
        sizes: &Sizes,
    ) -> Result<Self, M::Error> {
        let master = prf::tls13::master(machine, salt)?;
        let aead = sizes.suite.aead();
        let client = record_key(machine, &master, aead, Side::Client, hash)?;
        let read = sizes.longest_read().is_some();
        let server = read.then(|| record_key(machine, &master, aead, Side::Server, hash)).transpose()?;
        Ok(Self::Tls13 { handshake, master, client, server })
    }

    /// The wires of the client's key and IV.
    pub(super) fn client(&self) -> [&[W]; 2] {
        match self {
            Self::Tls12 { block, .. } => client_key(block),
            Self::Tls13 { client: [key, iv], .. } => [key, iv],
        }
    }

    /// The wires of the server's key and IV, if they are known.
    fn server(&self) -> Option<[&[W]; 2]> {
        match self {
            Self::Tls12 { block: KeyBlock { keys: [_, key], iv_wires: [_, iv] }, .. } => Some([key, iv]),
            Self::Tls13 { server, .. } => server.as_ref().map(|[key, iv]| [&**key, &**iv]),
        }
    }

    /// The wires of a finished connection, for the proof.
    pub(super) fn into_root(self, client: WriteKey<W>) -> Root<W> {
        let client = client.into_cipher();
        match self {
            Self::Tls12 { master, block, client_finished } => {
                let KeyBlock { keys: [_, server_key], iv_wires: [_, server_iv] } = block;
                Root::Keys(Keys { master, client_finished, client, server: [server_key, server_iv] })
            }
            Self::Tls13 { handshake, master, server, .. } => {
                Root::Traffic(TrafficKeys { handshake, master, client, server })
            }
        }
    }
}

/// The wires of the client's key and IV in TLS 1.2.
pub(super) fn client_key<W>(block: &KeyBlock<W>) -> [&[W]; 2] {
    let KeyBlock { keys: [key, _], iv_wires: [iv, _] } = block;
    [key, iv]
}

/// A party's state for the client's direction.
pub(super) struct Client<W> {
    pub(super) key: WriteKey<W>,
    /// The wires of GCM's hash key, in a suite that has one.
    pub(super) hash_key: Option<Vec<W>>,
    /// For each record.
    pub(super) protections: Vec<Protection<W>>,
}

/// A party's state for the client's record `number`.
pub(super) fn protection<W>(client: &Client<W>, number: usize) -> Result<&Protection<W>, Error> {
    client.protections.get(number).ok_or_else(|| Error::misuse("a record that was not prepared"))
}

/// Everything that the client's records need, from the wires of its key and IV.
pub(super) fn client<M: TwoParty>(
    machine: &mut M,
    key: [&[M::Wire]; 2],
    sizes: &Sizes,
) -> Result<Client<M::Wire>, M::Error> {
    let records = &sizes.records();
    let mut key = WriteKey::new(machine, sizes.protection(), key)?;
    let (hash_key, protections) = key.first(machine, records)?;
    Ok(Client { key, hash_key, protections })
}

/// The key of the server's records, and the wires of GCM's hash key.
pub(super) type ServerKey<W> = (ReadKey<W>, Option<Vec<W>>);

/// What reading the server's records needs while the connection is open; `None` if nothing is read.
pub(super) fn server<M: TwoParty>(
    machine: &mut M,
    derived: &Derived<M::Wire>,
    sizes: &Sizes,
) -> Result<Option<ServerKey<M::Wire>>, M::Error> {
    let key = derived.server().filter(|_| sizes.longest_read().is_some());
    key.map(|key| ReadKey::new(machine, sizes.protection(), key)).transpose()
}

/// The checks' answers and the blinded hash keys, which both parties learn with the first record.
pub(super) fn blinded_keys<M: TwoParty>(
    machine: &mut M,
    inputs: &BlindingWires<M::Wire>,
    client: &Client<M::Wire>,
    server: Option<&ServerKey<M::Wire>>,
) -> Result<Vec<F2>, M::Error> {
    let keys = [client.hash_key.as_deref(), server.and_then(|(_, key)| key.as_deref())];
    hash_key::blinded(machine, inputs, keys)
}

/// Prepares the first part, from the wires of the two shares to [`Secrets`].
pub(super) fn rehearse_secrets<P: Party>(
    machine: &mut Machine<P>,
    channel: &mut dyn Channel,
    sizes: &Sizes,
    shares: [&[Wire]; 2],
) -> Result<Secrets<Wire>, Error> {
    prepared_secrets(&mut machine.rehearse(channel), sizes, shares)
}

/// Prepares the rest.
pub(super) fn rehearse<P: Party>(
    machine: &mut Machine<P>,
    channel: &mut dyn Channel,
    secrets: Secrets<Wire>,
    sizes: &Sizes,
) -> Result<(), Error> {
    let reader = prepared(&mut machine.rehearse(channel), secrets, sizes)?;
    prepared_blocks(&mut machine.rehearse_in(Queue::SpareBlocks, channel), reader.as_ref(), sizes)?;
    prepared_tags(&mut machine.rehearse_in(Queue::SpareTags, channel), reader.as_ref(), sizes)
}

/// The part up to [`Secrets`], on any machine.
pub(super) fn prepared_secrets<M: TwoParty>(
    machine: &mut M,
    sizes: &Sizes,
    shares: [&[M::Wire]; 2],
) -> Result<Secrets<M::Wire>, M::Error> {
    // The server has not chosen a curve yet; the calls are the same for both.
    let group = Group::P256;
    let hash = sizes.suite.hash();
    match sizes.tls {
        TlsVersion::Tls12 => {
            let premaster = HmacKey::premaster(machine, hash, group, shares)?;
            master(machine, &premaster, MasterSeed::SessionHash(hash.zeros())).map(Secrets::Tls12)
        }
        TlsVersion::Tls13 => secrets_tls13(machine, sizes.suite, group, shares),
    }
}

/// The rest for every connection, and the key of what is spare if anything is.
pub(super) fn prepared<M: PrivateInputs>(
    machine: &mut M,
    secrets: Secrets<M::Wire>,
    sizes: &Sizes,
) -> Result<Option<ReadKey<M::Wire>>, M::Error> {
    let hash = sizes.suite.hash().zeros();
    let inputs = hash_key::inputs(machine, sizes, [None; 2])?;
    let (derived, client) = match secrets {
        Secrets::Tls12(master) => {
            let block = prf::key_block(machine, &master, sizes.suite.aead(), [&[0; 32]; 2])?;
            let client = client(machine, client_key(&block), sizes)?;
            let client_finished = prf::verify_data(machine, &master, Side::Client, &hash)?;
            (Derived::Tls12 { master, block, client_finished }, client)
        }
        Secrets::Tls13 { handshake, salt } => {
            let (handshake, _) = handshake_shares(machine, &handshake, &hash)?;
            let derived = Derived::tls13(machine, handshake, &salt, &hash, sizes)?;
            let client = client(machine, derived.client(), sizes)?;
            (derived, client)
        }
    };
    let server = server(machine, &derived, sizes)?;
    blinded_keys(machine, &inputs, &client, server.as_ref())?;
    for key in one_time_keys(&client) {
        tag::prepared(machine, key)?;
    }
    Ok(server.map(|(key, _)| key))
}

/// The records' one-time keys: none with AES-GCM.
fn one_time_keys<W>(client: &Client<W>) -> impl Iterator<Item = &[W]> {
    client.protections.iter().filter_map(|record| record.one_time_key().ok())
}

/// The spare blocks.
pub(super) fn prepared_blocks<M: TwoParty>(
    machine: &mut M,
    reader: Option<&ReadKey<M::Wire>>,
    sizes: &Sizes,
) -> Result<(), M::Error> {
    let Some(key) = reader else { return Ok(()) };
    for _ in 0..sizes.spare_blocks() {
        key.block(machine, 0, 0)?;
    }
    Ok(())
}

/// The spare circuits of ChaCha20-Poly1305's tags.
pub(super) fn prepared_tags<M: PrivateInputs>(
    machine: &mut M,
    reader: Option<&ReadKey<M::Wire>>,
    sizes: &Sizes,
) -> Result<(), M::Error> {
    let Some(key) = reader else { return Ok(()) };
    for _ in 0..sizes.spare_tags() {
        if let TagPart::OneTimeKey(key) = key.tag_part(machine, 0)? {
            tag::prepared(machine, &key)?;
        }
    }
    Ok(())
}

/// Bits of a share of the pre-master secret.
pub(super) const SHARE_BITS: usize = 256;

/// Where the traffic secrets of TLS 1.3's handshake were shared: the first of the shared values, client's
/// first.
pub(super) fn handshake_shared<P: Party>(machine: &Machine<P>) -> Result<[SharedWires; 2], Error> {
    match machine.shared() {
        [client, server, ..] => Ok([client.clone(), server.clone()]),
        _ => Err(Error::misuse("secrets of the handshake that were not shared")),
    }
}

/// The key stream of the client's record `number`. The shared values are, in order, TLS 1.3's secrets of the
/// handshake; with AES-GCM each record's mask and key stream; with ChaCha20-Poly1305 each record's key
/// stream.
pub(super) fn stream<P: Party>(
    machine: &Machine<P>,
    (aead, version): (Aead, TlsVersion),
    number: usize,
) -> Result<SharedWires, Error> {
    let secrets = if version == TlsVersion::Tls13 { 2 } else { 0 };
    let place = match aead {
        Aead::Gcm(_) => secrets + 1 + 2 * number,
        Aead::ChaCha20Poly1305 => secrets + number,
    };
    let shared = machine.shared().get(place).cloned();
    shared.ok_or_else(|| Error::misuse("a record whose key stream was not shared"))
}

/// The error for a tag that is made as those of another suite.
pub(super) fn other_suite() -> Error {
    Error::misuse("a tag of another suite")
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

    #[test]
    fn p_garbles_up_to_the_master_secret_without_a_word_of_v_s_and_with_no_more_correlations_than_its_inputs()
    {
        // Tables that `Garbler::prepare_beside` excepts.
        for (tls, suite, ahead) in [
            (TlsVersion::Tls12, Suite::Aes128GcmSha256, 160_000),
            (TlsVersion::Tls13, Suite::Aes128GcmSha256, 160_000),
        ] {
            let sizes = Sizes { tls, suite, ..Sizes::one(1, 0) };
            // Nobody reads at the other end.
            let (p, _v) = memory_pair(&Limits::default());
            let mut tables = 0;
            let count = |tag: Tag, message: &mut Vec<u8>| {
                if tag == GARBLED_TABLES {
                    tables += 8 * message.len() as u64 / 195;
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
            rehearse_secrets(&mut Machine::new(garbler), &mut p, &sizes, [prover, verifier]).unwrap();
            assert_eq!(p.stats().round_trips, 0);
            drop(p);
            assert!((ahead / 10 * 9..=ahead).contains(&tables), "{tables} tables");
        }
    }

    #[test]
    fn what_a_session_will_keep_is_known_from_its_sizes_to_the_byte() {
        let several = Sizes {
            tls: TlsVersion::Tls12,
            suite: Suite::Aes128GcmSha256,
            rounds: vec![
                RoundSizes { query: 17, read: 40 },
                RoundSizes { query: 1, read: 0 },
                RoundSizes { query: 300, read: 0 },
            ],
            proved: 9,
        };
        let newer = |sizes: &Sizes| Sizes { tls: TlsVersion::Tls13, ..sizes.clone() };
        let sizes = [Sizes::one(1, 0), Sizes::one(100, 5000), several];
        let other = |sizes: &Sizes| Sizes { suite: Suite::Aes256GcmSha384, ..sizes.clone() };
        let longest = [other(&sizes[2]), newer(&other(&sizes[2]))];
        let mut chacha20 = Sizes { suite: Suite::ChaCha20Poly1305Sha256, ..sizes[2].clone() };
        chacha20.rounds[0].read = 700;
        let chacha20 = [newer(&chacha20), chacha20];
        let longest = longest.into_iter().chain(chacha20);
        for sizes in sizes.iter().cloned().chain(sizes.iter().map(newer)).chain(longest) {
            let (p, _v) = memory_pair(&Limits::default());
            let mut bytes = 0;
            let count = |tag: Tag, message: &mut Vec<u8>| {
                // Eight tables are sent in 195 bytes, and kept in 200.
                bytes += if tag == GARBLED_TABLES { 25 * (8 * message.len() as u64 / 195) } else { 0 };
                message.clear();
            };
            let mut p = Edit::on(p, count);
            let rng = &mut ChaCha20Rng::seed_from_u64(1);
            let labels = (Delta::random(rng), worthless());
            let settings = sizes.settings(settings());
            let mut garbler = Garbler::new(&SESSION, settings, labels, worthless(), rng);
            let inputs = [Owner::Prover, Owner::Verifier]
                .map(|owner| garbler.input(&mut p, owner, SHARE_BITS).unwrap());
            let [prover, verifier] = inputs.each_ref().map(Input::wires);
            let mut machine = Machine::new(garbler);
            let secrets = rehearse_secrets(&mut machine, &mut p, &sizes, [prover, verifier]).unwrap();
            rehearse(&mut machine, &mut p, secrets, &sizes).unwrap();
            drop(p);
            assert_eq!(bytes, sizes.cost().unwrap().table_bytes(settings.garbling), "{sizes:?}");
        }
    }
}
