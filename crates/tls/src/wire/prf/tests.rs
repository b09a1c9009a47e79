//! The schedule on machines in the clear, against known answers and a plain PRF.

use proptest::prelude::*;
use volery_circuit::gadgets::bytes_to_bits;
use volery_field::{Curve25519Base, Element, P256Base};
use volery_vole::Prg;

use super::testing::plain_prf;
use super::*;
use crate::testing::hex;
use crate::wire::hash::HashFunction::{Sha256, Sha384};
use crate::wire::key_exchange::Group;
use crate::wire::step::Step;
use crate::wire::step::testing::{Clear, Log};
use crate::wire::suite::Suite;

fn to_bytes(bits: &[F2]) -> Vec<u8> {
    bits_to_bytes(bits).unwrap()
}

/// The numbers whose sum is the pre-master secret, as wires.
fn shares(group: Group, premaster: &[u8], seed: u8) -> [Vec<F2>; 2] {
    fn cut<F: Element>(little: &[u8], seed: u8) -> [Vec<F2>; 2] {
        let mut p = [F::ZERO];
        Prg::new([seed; 16]).elements(&mut p);
        [p[0], F::decode(little).unwrap() - p[0]].map(|share| {
            let mut bytes = [0; 32];
            share.encode(&mut bytes).unwrap();
            bytes_to_bits(&bytes)
        })
    }
    match group {
        Group::P256 => cut::<P256Base>(&premaster.iter().rev().copied().collect::<Vec<_>>(), seed),
        Group::X25519 => cut::<Curve25519Base>(premaster, seed),
    }
}

/// What a connection derives.
#[derive(Debug, PartialEq)]
struct Derived {
    master: Vec<u8>,
    key_block: Vec<u8>,
    finished: [u8; 12],
}

fn derive(
    premaster: &[u8],
    seed: MasterSeed,
    client: Random,
    server: Random,
    hash: HandshakeHash,
) -> (Derived, Log) {
    let suite = match hash.function() {
        Sha256 => Suite::Aes128GcmSha256,
        Sha384 => Suite::Aes256GcmSha384,
    };
    derive_in((Group::P256, suite), premaster, seed, [client, server], hash)
}

fn derive_in(
    (group, suite): (Group, Suite),
    premaster: &[u8],
    seed: MasterSeed,
    [client, server]: [Random; 2],
    hash: HandshakeHash,
) -> (Derived, Log) {
    let machine = &mut Clear::new(true);
    let [p, v] = shares(group, premaster, 1);
    let premaster = HmacKey::premaster(machine, suite.hash(), group, [&p, &v]).unwrap();
    let master = master_secret(machine, &premaster, seed).unwrap();
    let key = HmacKey::master(machine, suite.hash(), &master).unwrap();
    let block = key_block(machine, &key, suite.aead(), [&client, &server]).unwrap();
    let finished = verify_data(machine, &key, Side::Client, &hash).unwrap();
    let key_block = [&block.keys[0], &block.keys[1], &block.iv_wires[0], &block.iv_wires[1]]
        .map(|part| to_bytes(part))
        .concat();
    (Derived { master: to_bytes(&master), key_block, finished }, core::mem::take(&mut machine.log))
}

fn hash_of(digits: &str) -> HandshakeHash {
    Sha256.value(&hex(digits)).unwrap()
}

fn sequence(first: u8) -> [u8; 32] {
    core::array::from_fn(|i| first + i as u8)
}

/// The vector that implementers of TLS 1.2 pass around, from the mailing list of the IETF's TLS working group
/// (www.ietf.org/mail-archive/web/tls/current/msg03416.html): it checks the plain PRF of these tests.
#[test]
fn the_plain_prf_is_the_known_one() {
    let output = plain_prf(
        Sha256,
        &hex("9bbe436ba940f017b17652849a71db35"),
        "test label",
        &hex("a0ba9f936cda311827a6f796ffd5198c"),
        100,
    );
    let expected = "e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a\
                    6b301791e90d35c9c9a46b4e14baf9af0fa022f7077def17abfd3797c0564bab\
                    4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff701\
                    87347b66";
    assert_eq!(output, hex(expected));
}

/// Pre-master secret, randoms and master secret of "The Illustrated TLS 1.2 Connection" (tls12.xargs.org);
/// the rest from the same secret by `openssl kdf ... TLS1-PRF` (OpenSSL 3.0.19), the handshake's hash being
/// that of "abc".
#[test]
fn a_connection_s_secrets_are_the_known_ones() {
    let premaster = hex("df4a291baa1eb7cfa6934b29b474baad2697e29f1f920dcc77c8a0a088447624");
    let (client, server) = (sequence(0), sequence(0x70));
    let hash = hash_of("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    let (derived, _) = derive(&premaster, MasterSeed::Randoms { client, server }, client, server, hash);
    let expected = Derived {
        master: hex("916abf9da55973e13614ae0a3f5d3f37b023ba129aee02cc9134338127cd7049\
             781c8e19fc1eb2a7387ac06ae237344c"),
        key_block: hex("1b7d117c7d5f690bc263cae8ef60af0f1878acc22ad8bdd8c601a617126f63540eb20906f781fad2"),
        finished: hex("d4ebbba91680e33ea446cd8d").try_into().unwrap(),
    };
    assert_eq!(derived, expected);

    let (extended, _) = derive(&premaster, MasterSeed::SessionHash(hash), client, server, hash);
    let master = "aa249160a13b288f3e05ecac04d14ba6c5345cde610658d74d623c50d4d4aac5\
                  ab6af9bbd364aa196c15376fd8f3801f";
    assert_eq!(extended.master, hex(master));
}

#[test]
fn the_server_s_finished_has_its_own_label() {
    let machine = &mut Clear::new(false);
    let secret = hex("916abf9da55973e13614ae0a3f5d3f37b023ba129aee02cc9134338127cd7049\
         781c8e19fc1eb2a7387ac06ae237344c");
    let key = HmacKey::master(machine, Sha256, &bytes_to_bits(&secret)).unwrap();
    let hash = hash_of("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    // As above, by OpenSSL.
    let expected = hex("cb7867273c88e5c504e8f11c");
    assert_eq!(verify_data(machine, &key, Side::Server, &hash).unwrap()[..], expected);
}

/// 14 compressions, fewer ANDs than the paper's 289,827, and how many bits pass between the wires and the
/// parties.
#[test]
fn a_handshake_takes_fourteen_compressions_and_fewer_ands_than_the_paper_s() {
    let seed = MasterSeed::Randoms { client: [1; 32], server: [2; 32] };
    let (_, log) = derive(&[7; 32], seed, [1; 32], [2; 32], HandshakeHash::Sha256([3; 32]));
    let count = |step: &Step| log.steps.iter().filter(|other| *other == step).count();
    let (pads, outer) = (
        count(&Step::PremasterKey(Sha256)) + count(&Step::MasterKey(Sha256)),
        count(&Step::OuterHash(Sha256)),
    );
    assert_eq!((pads, outer, log.steps.len()), (2, 10, 12));
    assert_eq!(2 * pads + outer, 14);
    assert_eq!(log.ands, 247_697);
    assert!(log.ands < 289_827);
    // Inner midstates, A(i), Finished.
    assert_eq!(log.opened, 2 * 256 + 5 * 256 + 96);
    // The curve, and expanded blocks.
    assert_eq!(log.public, 1 + 10 * 1792);
    assert_eq!(log.shared, 0);
}

/// With SHA-384 a master secret is one output of the PRF.
#[test]
fn a_handshake_with_sha_384_takes_twelve_compressions() {
    let seed = MasterSeed::Randoms { client: [1; 32], server: [2; 32] };
    let (_, log) = derive(&[7; 32], seed, [1; 32], [2; 32], HandshakeHash::Sha384([3; 48]));
    let count = |step: &Step| log.steps.iter().filter(|other| *other == step).count();
    let pads = count(&Step::PremasterKey(Sha384)) + count(&Step::MasterKey(Sha384));
    assert_eq!((pads, count(&Step::OuterHash(Sha384)), log.steps.len()), (2, 8, 10));
    assert_eq!(log.ands, 543_914);
    // Inner midstates, A(i), Finished; expanded blocks.
    assert_eq!((log.opened, log.public), (2 * 512 + 4 * 384 + 96, 1 + 8 * 4480));
}

/// So a machine can be prepared for a connection before it is opened.
#[test]
fn the_calls_do_not_depend_on_values() {
    let randoms = |client, server| MasterSeed::Randoms { client, server };
    let one = derive(&[7; 32], randoms([1; 32], [2; 32]), [1; 32], [2; 32], HandshakeHash::Sha256([3; 32]));
    let randoms = [[4; 32], [5; 32]];
    let hash = |byte| HandshakeHash::Sha256([byte; 32]);
    let suite = Suite::Aes128GcmSha256;
    let two = derive_in((Group::X25519, suite), &[8; 32], MasterSeed::SessionHash(hash(9)), randoms, hash(6));
    assert_eq!(one.1, two.1);
    assert_ne!(one.0, two.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn what_is_derived_is_what_the_plain_prf_gives(
        premaster in any::<[u8; 31]>(), client in any::<Random>(), server in any::<Random>(),
        hash in any::<[u8; 48]>(), extended: bool, group in prop::sample::select(&Group::ALL[..]),
        suite in prop::sample::select(&Suite::ALL[..]),
    ) {
        // Below the prime whatever the bytes are.
        let premaster = match group {
            Group::P256 => [&[0], &premaster[..]].concat(),
            Group::X25519 => [&premaster[..], &[0]].concat(),
        };
        let hash = suite.hash().value(&hash[..suite.hash().digest_bytes()]).unwrap();
        let prf = |secret: &[u8], label: &str, seed: &[u8], length| {
            plain_prf(suite.hash(), secret, label, seed, length)
        };
        let seed = if extended { MasterSeed::SessionHash(hash) } else { MasterSeed::Randoms { client, server } };
        let master = match seed {
            MasterSeed::SessionHash(hash) => prf(&premaster, "extended master secret", hash.as_ref(), 48),
            MasterSeed::Randoms { .. } => prf(&premaster, "master secret", &[client, server].concat(), 48),
        };
        let (derived, _) = derive_in((group, suite), &premaster, seed, [client, server], hash);
        let length = 2 * suite.aead().bits(TlsVersion::Tls12).iter().sum::<usize>() / 8;
        prop_assert_eq!(&derived.key_block, &prf(&master, "key expansion", &[server, client].concat(), length));
        prop_assert_eq!(&derived.finished[..], &prf(&master, "client finished", hash.as_ref(), 12)[..]);
        prop_assert_eq!(derived.master, master);
    }
}

/// RFC 8448, section 3: from the handshake secret to the records' keys, and what that costs.
#[test]
fn the_keys_of_tls_1_3_are_those_of_rfc_8448() {
    let machine = &mut Clear::new(true);
    let secret = hex("1dc826e93606aa6fdc0aadc12f741b01046aa6b99f691ed221a9f0ca043fbeac");
    let key = HmacKey::hash(machine, Sha256, &bytes_to_bits(&secret)).unwrap();
    let hellos = hash_of("860c06edc07858ee8e78f0e7428c58edd6b43f2ca3e6e95f02ed063cf0e1cad8");
    let wires = tls13::handshake_wires(machine, &key, &hellos).unwrap();
    let [client, server] = tls13::open_secrets(machine, Sha256, &wires).unwrap();
    assert_eq!(client.bytes(), hex("b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21"));
    assert_eq!(server.bytes(), hex("b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38"));
    let finished = hash_of("9608102a0f1ccc6db6250b7b7e417b1a000eaada3daae4777a7686c9ff83df13");
    let keys = tls13::application_keys(machine, &key, Suite::Aes128GcmSha256.aead(), &finished).unwrap();
    let keys = keys.map(|key| key.map(|part| to_bytes(&part)));
    let expected = [
        ["17422dda596ed5d9acd890e3c63f5051", "5b78923dee08579033e523d9"],
        ["9f02283b6c9c07efc26bb9f2ac92e356", "cf782b88dd83549aadf1e984"],
    ];
    assert_eq!(keys, expected.map(|key| key.map(hex)));
    // The inner midstates of HS, dHS, MS and both secrets of data, and both secrets of the handshake.
    assert_eq!((machine.log.opened, machine.log.shared), (7 * 256, 0));
    assert_eq!(machine.log.ands, 5 * 42_634 + 10 * 16_091);
}

/// Every suite against the schedule in the clear, and what SHA-384 costs.
#[test]
fn the_keys_of_every_suite_are_those_of_the_schedule_in_the_clear() {
    use crate::wire::key_schedule::EarlySecret;
    for suite in Suite::ALL {
        let machine = &mut Clear::new(true);
        let hash = suite.hash();
        let [hellos, finished] = [b"hellos", b"server"].map(|text| hash.hash(text));
        let plain = EarlySecret::new(hash).handshake(&[7; 32]);
        let key = HmacKey::hash(machine, hash, &bytes_to_bits(plain.bytes())).unwrap();
        let wires = tls13::handshake_wires(machine, &key, &hellos).unwrap();
        let secrets = tls13::open_secrets(machine, hash, &wires).unwrap();
        let keys = tls13::application_keys(machine, &key, suite.aead(), &finished).unwrap();
        for ((side, secret), key) in [Side::Client, Side::Server].into_iter().zip(secrets).zip(keys) {
            assert_eq!(secret.bytes(), plain.traffic(side, &hellos).bytes());
            let traffic = plain.master().traffic(side, &finished);
            assert_eq!(key.map(|part| to_bytes(&part)), [traffic.key(suite).to_vec(), traffic.iv().to_vec()]);
        }
        let expected = match hash {
            Sha256 => 5 * 42_634 + 10 * 16_091,
            Sha384 => 5 * 109_240 + 10 * 40_660,
        };
        assert_eq!(machine.log.ands, expected);
    }
}
