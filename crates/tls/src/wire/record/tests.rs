//! Two machines in the clear, whose shares add up, against AES-GCM libraries; and what records cost.

use aes_gcm::Aes128Gcm;
use aes_gcm::aead::{Aead as _, Payload};
use aes_gcm::aes::cipher::KeyInit;
use proptest::prelude::*;
use volery_channel::Channel as _;
use volery_circuit::gadgets::bytes_to_bits;
use volery_testing::between;

use super::*;
use crate::testing::hex;
use crate::wire::aead::{RecordCipher, xored_nonce};
use crate::wire::ghash::testing::shared;
use crate::wire::ghash::{self, Powers, hashed_blocks, send_tag_share};
use crate::wire::step::testing::{Clear, Log};
use crate::wire::suite::{KeySize, Suite};
use crate::wire::transcript::{ALERT, TAG_BYTES};

const SUITE: (Aead, TlsVersion) = (Aead::Gcm(KeySize::Bits128), TlsVersion::Tls12);
const KEY: [u8; 16] = [0x5a; 16];
const IV: [u8; 4] = [1, 2, 3, 4];

struct Party {
    powers: Powers,
    protections: Vec<Protection<F2>>,
    log: Log,
}

/// What a party gets for `records`, the first of which are asked for together with the hash key.
fn party(is_prover: bool, records: &[PlannedRecord], first: usize) -> Party {
    let machine = &mut Clear::new(is_prover);
    let mut key = WriteKey::new(machine, SUITE, [&bytes_to_bits(&KEY), &bytes_to_bits(&IV)]).unwrap();
    let greatest = records.iter().map(|record| hashed_blocks(13, record.length)).max().unwrap_or(1);
    let (hash_key, mut protections) = key.first(machine, &records[..first]).unwrap();
    protections.extend(key.more(machine, &records[first..]).unwrap());
    let hash_key = bits_to_bytes(&hash_key.unwrap()).unwrap().try_into().unwrap();
    let [p, v] = shared(hash_key, greatest);
    let powers = if is_prover { p } else { v };
    Party { powers, protections, log: core::mem::take(&mut machine.log) }
}

fn nonce(sequence: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[..4].copy_from_slice(&IV);
    nonce[4..].copy_from_slice(&sequence.to_be_bytes());
    nonce
}

/// Ciphertext and tag of a record as the library makes them.
fn library(record: &PlannedRecord, plaintext: &[u8]) -> Vec<u8> {
    let header = header(record.sequence, 23, plaintext.len()).unwrap();
    let payload = Payload { msg: plaintext, aad: &header };
    Aes128Gcm::new(&KEY.into()).encrypt(&nonce(record.sequence).into(), payload).unwrap()
}

fn ciphertext(record: &PlannedRecord, plaintext: &[u8], p: &Protection<F2>, v: &Protection<F2>) -> Vec<u8> {
    let mut data = plaintext.to_vec();
    p.apply(&mut data).unwrap();
    if record.secrecy == Secrecy::Shared {
        v.apply(&mut data).unwrap();
    } else {
        assert_eq!(p.stream, v.stream);
    }
    data
}

/// Ciphertexts and tags of all records by two parties, the tags through shared powers.
fn by_two(records: &[PlannedRecord], plaintexts: &[Vec<u8>], first: usize) -> Vec<Vec<u8>> {
    let (p, v) = (party(true, records, first), party(false, records, first));
    let ciphertexts: Vec<_> = records
        .iter()
        .zip(plaintexts)
        .zip(p.protections.iter().zip(&v.protections))
        .map(|((record, plaintext), (p, v))| ciphertext(record, plaintext, p, v))
        .collect();
    let headers: Vec<_> =
        records.iter().map(|record| header(record.sequence, 23, record.length).unwrap()).collect();
    let (tags, ()) = between(
        |channel| {
            let mut tags = Vec::new();
            for ((header, ciphertext), own) in headers.iter().zip(&ciphertexts).zip(&p.protections) {
                tags.push(ghash::tag(channel, &p.powers, header, ciphertext, own.mask().unwrap()).unwrap());
            }
            tags
        },
        |channel| {
            for ((header, ciphertext), own) in headers.iter().zip(&ciphertexts).zip(&v.protections) {
                send_tag_share(channel, &v.powers, header, ciphertext, own.mask().unwrap()).unwrap();
            }
            channel.flush().unwrap();
        },
    );
    ciphertexts.into_iter().zip(tags).map(|(ciphertext, tag)| [&*ciphertext, &tag].concat()).collect()
}

fn plaintext(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i as u8).wrapping_mul(0x9d)).collect()
}

fn record(sequence: u64, length: usize, secrecy: Secrecy) -> PlannedRecord {
    PlannedRecord { sequence, length, secrecy }
}

#[test]
fn records_of_two_parties_are_those_of_the_library() {
    let records = [
        record(0, 16, Secrecy::Public),
        record(1, 256, Secrecy::Shared),
        record(2, 0, Secrecy::Shared),
        record(5, 37, Secrecy::Public),
        record(1 << 40, 300, Secrecy::Shared),
    ];
    let plaintexts: Vec<_> = records.iter().map(|record| plaintext(record.length)).collect();
    let expected: Vec<_> =
        records.iter().zip(&plaintexts).map(|(record, text)| library(record, text)).collect();
    for first in [0, 2, 5] {
        assert_eq!(by_two(&records, &plaintexts, first), expected, "{first} records with the hash key");
    }
}

/// McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B, test case 3: a nonce that is a
/// write IV and an explicit nonce.
#[test]
fn the_key_stream_is_that_of_gcm() {
    let machine = &mut Clear::new(true);
    let wires = |digits: &str| bytes_to_bits(&hex(digits));
    let (key, iv) = (wires("feffe9928665731c6d6a8f9467308308"), wires("cafebabe"));
    let mut key = WriteKey::new(machine, SUITE, [&key, &iv]).unwrap();
    let explicit = record(0xface_dbad_deca_f888, 64, Secrecy::Public);
    let mut data = hex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
         1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255");
    let [protection] = <[_; 1]>::try_from(key.more(machine, &[explicit]).unwrap()).ok().unwrap();
    protection.apply(&mut data).unwrap();
    let expected = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                    21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985";
    assert_eq!(data, hex(expected));
}

/// The table of the module's documentation.
#[test]
fn blocks_in_common_are_computed_once() {
    let cost = |query: usize| {
        let records = [record(0, 16, Secrecy::Public), record(1, query, Secrecy::Shared)];
        let log = party(true, &records, 2).log;
        assert_eq!(log.steps.len(), 2);
        // The masks, the query's key stream; and that of Finished.
        assert_eq!((log.shared, log.opened), (2 * 128 + 8 * query, 128));
        log.ands - 1280
    };
    assert_eq!(cost(256), 86_336);
    assert_eq!(cost(2048), 86_336 + 112 * 4256);
}

#[test]
fn a_sequence_number_serves_once_and_records_have_a_greatest_length() {
    let machine = &mut Clear::new(true);
    let mut key = WriteKey::new(machine, SUITE, [&bytes_to_bits(&KEY), &bytes_to_bits(&IV)]).unwrap();
    key.more(machine, &[record(3, 1, Secrecy::Public)]).unwrap();
    for (sequence, length) in [(3, 1), (2, 1), (4, MAX_PLAINTEXT + 1), (4, usize::MAX)] {
        let result = key.more(machine, &[record(sequence, length, Secrecy::Shared)]);
        assert!(matches!(result, Err(Error::Misuse(_))), "{sequence} {length}");
    }
    let twice = [record(5, 1, Secrecy::Shared), record(5, 1, Secrecy::Shared)];
    assert!(key.more(machine, &twice).is_err());
    let protections = key.more(machine, &[record(9, 5, Secrecy::Shared)]).unwrap();
    assert!(matches!(protections[0].apply(&mut [0; 4]), Err(Error::Misuse(_))));
    assert!(header(0, 23, MAX_PLAINTEXT).is_ok());
    assert!(matches!(header(0, 23, MAX_PLAINTEXT + 1), Err(Error::Misuse(_))));
}

#[test]
fn a_header_is_sequence_type_version_length() {
    let expected = hex("0000000000000102170303012c");
    assert_eq!(header(0x102, 23, 300).unwrap()[..], expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn key_streams_are_those_of_the_library(sequence: u64, length in 0..200_usize, secret: bool) {
        let secrecy = if secret { Secrecy::Shared } else { Secrecy::Public };
        let record = record(sequence, length, secrecy);
        let (p, v) = (party(true, &[record], 0), party(false, &[record], 0));
        let text = plaintext(length);
        let ciphertext = ciphertext(&record, &text, &p.protections[0], &v.protections[0]);
        prop_assert_eq!(&ciphertext[..], &library(&record, &text)[..length]);
    }
}

/// The key stream of each suite and version against libraries: a record's ciphertext, and what its tag takes.
#[test]
fn the_key_stream_of_every_suite_is_the_library_s() {
    for (suite, version) in Suite::ALL
        .into_iter()
        .flat_map(|suite| [TlsVersion::Tls12, TlsVersion::Tls13].map(|version| (suite, version)))
    {
        let aead = suite.aead();
        let [key, iv] = [vec![0x5a; aead.key_bytes()], (1..=aead.iv_bytes(version) as u8).collect()];
        let machine = &mut Clear::new(true);
        let wires = [&*bytes_to_bits(&key), &*bytes_to_bits(&iv)];
        let mut cipher = Cipher::new(machine, (aead, version), wires).unwrap();
        let (sequence, text) = (0x0102, plaintext(150));
        let counters = (0..11).map(|counter| Plain::Counter { sequence, counter: counter + 1 });
        let counters: Vec<_> = match aead {
            Aead::Gcm(_) => counters.skip(1).collect(),
            Aead::ChaCha20Poly1305 => counters.take(3).collect(),
        };
        // Some are kept, and are not made again.
        cipher.keep(machine, &counters[1..2]).unwrap();
        let stream = bits_to_bytes(&cipher.keep(machine, &counters).unwrap()).unwrap();
        assert_eq!(cipher.encrypt(machine, &counters).unwrap().len(), 8 * stream.len());
        assert_eq!(stream.len(), aead.block_bytes() * text.len().div_ceil(aead.block_bytes()));
        let nonce = match (aead, version) {
            (Aead::Gcm(_), TlsVersion::Tls12) => [&*iv, &sequence.to_be_bytes()].concat().try_into().unwrap(),
            _ => xored_nonce(&iv.clone().try_into().unwrap(), sequence),
        };
        let library = RecordCipher::new(aead, &key).unwrap();
        let sealed = library.seal(nonce, &[ALERT], &text).unwrap();
        let ciphertext: Vec<u8> = text.iter().zip(stream).map(|(byte, key)| byte ^ key).collect();
        assert_eq!(sealed[..text.len()], ciphertext, "{suite} {version}");
        assert_eq!(sealed.len(), text.len() + TAG_BYTES);
        let tag = sealed[text.len()..].try_into().unwrap();
        assert_eq!(**library.open(nonce, &[ALERT], &ciphertext, &tag).unwrap(), text);
        assert!(library.open(nonce, &[22], &ciphertext, &tag).is_none(), "{suite}");
    }
}

#[test]
fn a_key_or_iv_of_another_suite_is_misuse() {
    for suite in Suite::ALL {
        for version in [TlsVersion::Tls12, TlsVersion::Tls13] {
            let aead = suite.aead();
            let [key, iv] = aead.bits(version);
            for [key, iv] in [[key - 8, iv], [key + 8, iv], [key, iv - 8], [key, iv + 8], [iv, key], [0, 0]] {
                let machine = &mut Clear::new(true);
                let wires = [&*vec![F2::ZERO; key], &*vec![F2::ZERO; iv]];
                let made = Cipher::new(machine, (aead, version), wires);
                assert!(matches!(made, Err(Error::Misuse(_))), "{suite} {version} {key} {iv}");
            }
            let bytes = aead.key_bytes();
            for length in [0, bytes - 1, bytes + 1, 48 - bytes] {
                assert!(RecordCipher::new(aead, &vec![0; length]).is_none() == (length != bytes));
            }
        }
    }
}
