//! Ciphers against known answers and well-kept libraries, and their exact counts.

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use proptest::prelude::*;

use super::*;

fn encrypt(key: &[u8; 16], plaintext: &[u8; 16]) -> Vec<u8> {
    let b = &mut evaluator();
    let schedule = Aes128::new(b, &bytes_to_bits(key)).expect("evaluates");
    let ciphertext = schedule.encrypt(b, &bytes_to_bits(plaintext)).expect("evaluates");
    assert_eq!(schedule.encrypt_public(b, *plaintext).as_ref(), Ok(&ciphertext));
    bits_to_bytes(&ciphertext).expect("whole bytes")
}

#[test]
fn ciphertexts_are_those_of_fips_197() {
    // FIPS 197, appendices B and C.1.
    let key = hex("2b7e151628aed2a6abf7158809cf4f3c").try_into().expect("16 bytes");
    let plaintext = hex("3243f6a8885a308d313198a2e0370734").try_into().expect("16 bytes");
    assert_eq!(encrypt(&key, &plaintext), hex("3925841d02dc09fbdc118597196a0b32"));
    let key = hex("000102030405060708090a0b0c0d0e0f").try_into().expect("16 bytes");
    let plaintext = hex("00112233445566778899aabbccddeeff").try_into().expect("16 bytes");
    assert_eq!(encrypt(&key, &plaintext), hex("69c4e0d86a7b0430d8cdb78070b4c55a"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn ciphertexts_are_those_of_the_library(key in any::<[u8; 16]>(), plaintext in any::<[u8; 16]>()) {
        let mut expected = plaintext.into();
        aes::Aes128::new(&key.into()).encrypt_block(&mut expected);
        prop_assert_eq!(encrypt(&key, &plaintext), expected.to_vec());
    }

    #[test]
    fn bytes_survive_the_way_to_bits_and_back(bytes in prop::collection::vec(any::<u8>(), 0..20)) {
        prop_assert_eq!(bits_to_bytes(&bytes_to_bits(&bytes)), Some(bytes));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Blocks with public and secret bytes, most of which are equal, as those of counters are.
    #[test]
    fn blocks_with_bytes_in_common_are_encrypted_as_by_the_library(
        key in any::<[u8; 16]>(), secret in any::<[u8; 3]>(),
        base in any::<[u8; 16]>(), changes in prop::collection::vec((0..16_usize, 0..5_u8), 0..6),
    ) {
        let b = &mut evaluator();
        let schedule = Aes128::new(b, &bytes_to_bits(&key))?;
        let blocks: Vec<[PlainByte; 16]> = changes.iter().map(|(place, change)| {
            let mut block = base.map(PlainByte::Public);
            block[*place] = if *change < 3 { PlainByte::Secret((*change).into()) } else { PlainByte::Public(*change) };
            block
        }).collect();
        let wires: Vec<_> = secret.iter().map(|byte| bytes_to_bits(&[*byte]).try_into().expect("8 bits")).collect();
        let again = Aes128::from_round_keys(&schedule.round_keys())?;
        let ciphertexts = again.encrypt_many(b, &wires, &blocks)?;
        prop_assert_eq!(ciphertexts.len(), blocks.len());
        for (block, ciphertext) in blocks.iter().zip(ciphertexts) {
            let mut expected = block.map(|byte| match byte {
                PlainByte::Public(byte) => byte,
                PlainByte::Secret(number) => secret[number],
            }).into();
            aes::Aes128::new(&key.into()).encrypt_block(&mut expected);
            prop_assert_eq!(bits_to_bytes(&ciphertext), Some(expected.to_vec()));
        }
    }
}

#[test]
fn aes_costs_5120_ands_a_block_and_1280_for_the_key() {
    let key = [0; 128];
    assert_eq!(ands(|b| Aes128::new(b, &key)), 1280);
    assert_eq!(ands(|b| Aes128::new(b, &key)?.encrypt(b, &[0; 128])), 1280 + 5120);
    assert_eq!(ands(|b| Aes128::new(b, &key)?.encrypt_public(b, [0; 16])), 1280 + 5120);
}

#[test]
fn blocks_of_a_counter_cost_4256_ands_after_the_first() {
    let cost = |blocks: &[[PlainByte; 16]]| {
        ands(|b| Aes128::from_round_keys(&[0; 1408])?.encrypt_many(b, &[[0; 8]; 4], blocks))
    };
    let counter = |n: u8| {
        let mut block = [PlainByte::Public(0); 16];
        (0..4).for_each(|i| block[i] = PlainByte::Secret(i));
        block[15] = PlainByte::Public(n);
        block
    };
    let first = cost(&[counter(0)]);
    assert_eq!(first, 5120);
    let blocks: Vec<_> = (0..100).map(counter).collect();
    assert_eq!(cost(&blocks), first + 99 * 4256);
    assert_eq!(cost(&[counter(7), counter(7)]), first + 4096);
    assert_eq!(cost(&[]), 0);
}

#[test]
fn inputs_of_the_wrong_size_are_misuse() {
    let b = &mut evaluator();
    let misuse = |result: Result<(), Error>| assert!(matches!(result, Err(Error::Misuse(_))), "{result:?}");
    misuse(Aes128::new(b, &bits(0, 127)).map(drop));
    let schedule = Aes128::new(b, &[F2::ZERO; 128]).expect("evaluates");
    misuse(schedule.encrypt(b, &[F2::ZERO; 129]).map(drop));
    misuse(Aes128::from_round_keys(&[F2::ZERO; 1407]).map(drop));
    misuse(Aes128::from_round_keys(&[F2::ZERO; 1280]).map(drop));
    misuse(Aes128::<F2>::from_round_keys(&[]).map(drop));
    let secret = [PlainByte::Secret(1); 16];
    misuse(schedule.encrypt_many(b, &[[F2::ZERO; 8]], &[secret]).map(drop));
    assert_eq!(bits_to_bytes(&bits(0, 9)), None);
}
