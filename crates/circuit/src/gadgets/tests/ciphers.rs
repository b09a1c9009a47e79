//! Hash functions and AES against known answers and well-kept libraries, and their exact counts.

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use proptest::prelude::*;
use sha2::Digest;

use super::*;

fn hash(gadget: impl FnOnce(&mut Evaluator<F2>, &[F2]) -> Result<Vec<F2>, Error>, message: &[u8]) -> Vec<u8> {
    let digest = gadget(&mut evaluator(), &bytes_to_bits(message)).expect("evaluates");
    bits_to_bytes(&digest).expect("whole bytes")
}

fn encrypt(key: &[u8; 16], plaintext: &[u8; 16]) -> Vec<u8> {
    let b = &mut evaluator();
    let schedule = Aes128::new(b, &bytes_to_bits(key)).expect("evaluates");
    let ciphertext = schedule.encrypt(b, &bytes_to_bits(plaintext)).expect("evaluates");
    assert_eq!(schedule.encrypt_public(b, *plaintext).as_ref(), Ok(&ciphertext));
    bits_to_bytes(&ciphertext).expect("whole bytes")
}

fn hex(digits: &str) -> Vec<u8> {
    let digit = |i: usize| u8::from_str_radix(&digits[i..i + 2], 16).expect("hexadecimal");
    (0..digits.len()).step_by(2).map(digit).collect()
}

#[test]
fn digests_are_those_of_fips_180() {
    // NIST, "Examples with Intermediate Values": SHA-1 and SHA-256 of "abc" and of the message of 56 bytes.
    let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    let expected = hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(hash(sha256, b"abc"), expected);
    let expected = hex("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_eq!(hash(sha256, long), expected);
    assert_eq!(hash(sha1, b"abc"), hex("a9993e364706816aba3e25717850c26c9cd0d89d"));
    assert_eq!(hash(sha1, long), hex("84983e441c3bd26ebaae4aa1f95129e5e54670f1"));
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

#[test]
fn digests_of_every_length_up_to_three_blocks_are_right() {
    let message: Vec<u8> = (0..192).map(|i| (i as u8).wrapping_mul(0x9d)).collect();
    for length in 0..=message.len() {
        let message = &message[..length];
        assert_eq!(hash(sha256, message), sha2::Sha256::digest(message).to_vec(), "{length} bytes");
        assert_eq!(hash(sha1, message), ::sha1::Sha1::digest(message).to_vec(), "{length} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn digests_do_not_depend_on_how_the_message_is_cut(
        message in prop::collection::vec(any::<u8>(), 0..400), cuts in prop::collection::vec(0..400_usize, 0..4),
    ) {
        let b = &mut evaluator();
        let mut hasher = Hasher::<Sha256, F2>::new();
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(message.len())).collect();
        cuts.extend([0, message.len()]);
        cuts.sort_unstable();
        for pair in cuts.windows(2) {
            hasher.update(b, &bytes_to_bits(&message[pair[0]..pair[1]]))?;
        }
        let digest = hasher.finish(b)?;
        prop_assert_eq!(bits_to_bytes(&digest), Some(sha2::Sha256::digest(&message).to_vec()));
    }

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

    #[test]
    fn an_expanded_block_is_compressed_as_the_block(block in any::<[u8; 64]>(), state in any::<[u32; 8]>()) {
        let b = &mut evaluator();
        let wires = |words: &[u32]| -> Vec<Word<F2>> {
            words.iter().map(|word| bits(u128::from(*word), 32).try_into().expect("32 bits")).collect()
        };
        let mut expected = wires(&state);
        let mut state = expected.clone().try_into().expect("8 words");
        let words = bits_to_words(&bytes_to_bits(&block));
        prop_assert_eq!(words_to_bits(&words), bytes_to_bits(&block));
        Sha256::compress(b, &mut expected, &words.try_into().expect("16 words"))?;
        let words = wires(&Sha256::expand(&block));
        Sha256::compress_expanded(b, &mut state, &words.try_into().expect("64 words"))?;
        prop_assert_eq!(state.to_vec(), expected);
    }
}

/// The cost of a compression from a secret chaining value, and of the first block of a message.
fn compression_costs<H: Compression>() -> [u64; 2] {
    let secret = ands(|b| H::compress(b, &mut vec![[0; 32]; H::INITIAL.len()], &[[0; 32]; 16]));
    let first = ands(|b| Hasher::<H, u32>::new().update(b, &[0; 512]));
    [secret, first]
}

#[test]
fn compressions_cost_what_they_say() {
    assert_eq!(compression_costs::<Sha256>(), [22_271, 21_890]);
    assert_eq!(compression_costs::<Sha1>(), [10_955, 10_582]);
}

#[test]
fn padding_costs_nothing_it_need_not() {
    assert_eq!(ands(|b| sha256(b, &[0; 256])), 20_981);
    assert_eq!(ands(|b| sha256(b, &[])), 0);
    // The block of padding after a full block: its schedule is public.
    assert_eq!(ands(|b| sha256(b, &[0; 512])), 21_890 + 15_896);
}

#[test]
fn aes_costs_5120_ands_a_block_and_1280_for_the_key() {
    let key = [0; 128];
    assert_eq!(ands(|b| Aes128::new(b, &key)), 1280);
    assert_eq!(ands(|b| Aes128::new(b, &key)?.encrypt(b, &[0; 128])), 1280 + 5120);
    assert_eq!(ands(|b| Aes128::new(b, &key)?.encrypt_public(b, [0; 16])), 1280 + 5120);
}

#[test]
fn an_expanded_block_costs_16120_ands() {
    let cost = ands(|b| Sha256::compress_expanded(b, &mut [[0; 32]; 8], &[[0; 32]; 64]));
    assert_eq!(cost, 16_120);
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
    misuse(sha256(b, &bits(0, 7)).map(drop));
    misuse(sha1(b, &bits(0, 513)).map(drop));
    misuse(Aes128::new(b, &bits(0, 127)).map(drop));
    let schedule = Aes128::new(b, &[F2::ZERO; 128]).expect("evaluates");
    misuse(schedule.encrypt(b, &[F2::ZERO; 129]).map(drop));
    misuse(Aes128::from_round_keys(&[F2::ZERO; 1407]).map(drop));
    misuse(Aes128::from_round_keys(&[F2::ZERO; 1280]).map(drop));
    misuse(Aes128::<F2>::from_round_keys(&[]).map(drop));
    let secret = [PlainByte::Secret(1); 16];
    misuse(schedule.encrypt_many(b, &[[F2::ZERO; 8]], &[secret]).map(drop));
    misuse(Sha256::compress(b, &mut [[F2::ZERO; 32]; 5], &[[F2::ZERO; 32]; 16]));
    misuse(Sha1::compress(b, &mut [[F2::ZERO; 32]; 8], &[[F2::ZERO; 32]; 16]));
    assert_eq!(bits_to_bytes(&bits(0, 9)), None);
}
