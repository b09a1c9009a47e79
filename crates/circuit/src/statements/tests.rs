//! The statements hold for their witnesses and for no others, and cost what their docs say.

use sha2::Digest as _;
use volery_field::F2;

use super::*;
use crate::{Counter, Digest, Evaluator, Statement};

fn digest_of(statement: &impl Statement<Evaluator<F2>>) -> [u8; 32] {
    let mut digest = Digest::new();
    statement.identify(&mut digest);
    digest.finish()
}

fn secret(bytes: &[u8]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(bytes.to_vec())
}

fn sha256_claim(message: &[u8]) -> Sha256Preimage {
    let digest = sha2::Sha256::digest(message).into();
    Sha256Preimage::new(digest, message.len() as u64).expect("short enough")
}

fn sha1_claim(message: &[u8]) -> Sha1Preimage {
    let digest = ::sha1::Sha1::digest(message).into();
    Sha1Preimage::new(digest, message.len() as u64).expect("short enough")
}

/// FIPS 197, appendix C.1.
const PLAINTEXT: [u8; 16] = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.to_be_bytes();
const KEY: [u8; 16] = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f_u128.to_be_bytes();
const CIPHERTEXT: [u8; 16] = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();

#[test]
fn preimages_of_every_padding_case_are_accepted() {
    for length in [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000] {
        let message: Vec<u8> = (0..length).map(|i| (i * 7 % 251) as u8).collect();
        let claim = sha256_claim(&message).with_message(secret(&message)).expect("right length");
        assert_eq!(Evaluator::<F2>::check(&claim), Ok(()), "sha256 of {length} bytes");
        let claim = sha1_claim(&message).with_message(secret(&message)).expect("right length");
        assert_eq!(Evaluator::<F2>::check(&claim), Ok(()), "sha1 of {length} bytes");
    }
}

#[test]
fn another_message_of_the_same_length_is_refused() {
    let claim = sha256_claim(b"one message").with_message(secret(b"two message")).expect("right length");
    let error = Evaluator::<F2>::check(&claim).expect_err("another digest");
    assert!(matches!(&error, Error::Unsatisfied { place, .. } if place == "sha256"), "{error}");
    let claim = sha1_claim(b"one message").with_message(secret(b"two message")).expect("right length");
    let error = Evaluator::<F2>::check(&claim).expect_err("another digest");
    assert!(matches!(&error, Error::Unsatisfied { place, .. } if place == "sha1"), "{error}");
}

#[test]
fn witnesses_of_the_wrong_length_and_missing_ones_are_named() {
    for message in [&b""[..], b"ab", b"abcd"] {
        let error = sha256_claim(b"abc").with_message(secret(message)).expect_err("wrong length");
        assert!(matches!(error, Error::Witness(_)));
    }
    let error = Aes128Key::new(PLAINTEXT, CIPHERTEXT).with_key(secret(&KEY[..15])).expect_err("too short");
    assert_eq!(error, Error::Witness("the key has 15 bytes, not 16".into()));
    assert!(matches!(Evaluator::<F2>::check(&sha256_claim(b"abc")), Err(Error::Witness(_))));
    assert!(matches!(Evaluator::<F2>::check(&Aes128Key::new(PLAINTEXT, CIPHERTEXT)), Err(Error::Witness(_))));
}

#[test]
fn messages_and_chains_that_sha256_does_not_take_are_refused() {
    assert!(matches!(Sha256Preimage::new([0; 32], 1 << 61), Err(Error::Public(_))));
    assert!(matches!(Sha256Chain::new(1 << 55), Err(Error::Public(_))));
}

#[test]
fn the_right_aes_key_is_accepted_and_its_neighbour_refused() {
    let claim = Aes128Key::new(PLAINTEXT, CIPHERTEXT).with_key(secret(&KEY)).expect("16 bytes");
    assert_eq!(Evaluator::<F2>::check(&claim), Ok(()));
    let mut neighbour = KEY;
    neighbour[15] ^= 0x80;
    let claim = Aes128Key::new(PLAINTEXT, CIPHERTEXT).with_key(secret(&neighbour)).expect("16 bytes");
    assert!(matches!(Evaluator::<F2>::check(&claim), Err(Error::Unsatisfied { .. })));
}

#[test]
fn benchmark_statements_hold_and_have_the_ands_they_say() {
    for ands in [0, 1, 63, 64, 65, 1000] {
        let chain = AndChain::new(ands);
        assert_eq!(Evaluator::<F2>::check(&chain), Ok(()), "{ands} ANDs");
        let counts = Counter::<F2>::count(&chain).expect("counts").total();
        assert_eq!((counts.multiplications, counts.additions), (ands, ands));
    }
    for blocks in [0, 1, 3] {
        let many = Aes128Many::new(blocks);
        let expected = if blocks == 0 { Err(Error::nothing_claimed()) } else { Ok(()) };
        assert_eq!(Evaluator::<F2>::check(&many), expected, "{blocks} blocks");
        let counts = Counter::<F2>::count(&many).expect("counts").total();
        assert_eq!(counts.multiplications, 1280 + 5120 * blocks);
        let chain = Sha256Chain::new(blocks).expect("few enough");
        assert_eq!(Evaluator::<F2>::check(&chain), Ok(()), "{blocks} blocks");
    }
}

#[test]
fn a_chain_that_ends_elsewhere_is_refused() {
    let mut chain = AndChain::new(640);
    chain.end[1] ^= 1 << 63;
    assert!(matches!(Evaluator::<F2>::check(&chain), Err(Error::Unsatisfied { assertion: 127, .. })));
    let mut chain = Sha256Chain::new(2).expect("few enough");
    chain.digest[0] ^= 1;
    assert!(matches!(Evaluator::<F2>::check(&chain), Err(Error::Unsatisfied { assertion: 0, .. })));
}

#[test]
fn identities_depend_on_public_inputs_and_not_on_witnesses() {
    let claim = sha256_claim(b"abc");
    let proved = sha256_claim(b"abc").with_message(secret(b"xyz")).expect("right length");
    assert_eq!(digest_of(&claim), digest_of(&proved));
    let others = [
        digest_of(&sha256_claim(b"abd")),
        digest_of(&Sha256Preimage::new([0; 32], 0).expect("short")),
        digest_of(&Sha256Preimage::new([0; 32], 1).expect("short")),
        digest_of(&Sha1Preimage::new([0; 20], 0).expect("short")),
        digest_of(&Aes128Key::new(PLAINTEXT, CIPHERTEXT)),
        digest_of(&Aes128Key::new(CIPHERTEXT, PLAINTEXT)),
        digest_of(&AndChain::new(1)),
        digest_of(&AndChain::new(2)),
        digest_of(&Aes128Many::new(1)),
        digest_of(&Sha256Chain::new(1).expect("few")),
    ];
    let mut all: Vec<_> = others.into_iter().chain([digest_of(&claim)]).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 11);
}

#[test]
fn debug_output_shows_no_witness() {
    let claim = sha256_claim(b"swordfish").with_message(secret(b"swordfish")).expect("right length");
    let shown = format!("{claim:?}");
    assert!(shown.contains("<secret>"), "{shown}");
    assert!(!shown.contains(&format!("{:?}", b"swordfish")), "{shown}");
}
