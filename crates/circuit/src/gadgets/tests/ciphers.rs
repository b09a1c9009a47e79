//! Ciphers against known answers and well-kept libraries, and their exact counts.

use ::aes::cipher::{BlockCipherEncrypt, KeyInit};
use proptest::prelude::*;

use super::*;

fn encrypt<const KEY_BITS: usize>(key: &[u8], plaintext: &[u8; 16]) -> Vec<u8> {
    let b = &mut evaluator();
    let schedule = Aes::<F2, KEY_BITS>::new(b, &bytes_to_bits(key)).expect("evaluates");
    let ciphertext = schedule.encrypt(b, &bytes_to_bits(plaintext)).expect("evaluates");
    assert_eq!(schedule.encrypt_public(b, *plaintext).as_ref(), Ok(&ciphertext));
    bits_to_bytes(&ciphertext).expect("whole bytes")
}

/// The library's ciphertext.
fn library<C: KeyInit + BlockCipherEncrypt>(key: &[u8], plaintext: [u8; 16]) -> Vec<u8> {
    let mut block = ::aes::cipher::Block::<C>::default();
    block.copy_from_slice(&plaintext);
    C::new_from_slice(key).expect("a key of this length").encrypt_block(&mut block);
    block.to_vec()
}

/// The ciphertexts under round keys that were stored meanwhile.
fn encrypt_many<const KEY_BITS: usize>(
    key: &[u8],
    secret: [u8; 3],
    blocks: &[[PlainByte; 16]],
) -> Result<Vec<Vec<u8>>, Error> {
    let b = &mut evaluator();
    let schedule = Aes::<F2, KEY_BITS>::new(b, &bytes_to_bits(key))?;
    let again = Aes::<F2, KEY_BITS>::from_round_keys(&schedule.round_keys())?;
    let secret = secret.map(|byte| bytes_to_bits(&[byte]).try_into().expect("8 bits"));
    let ciphertexts = again.encrypt_many(b, &secret, blocks)?;
    Ok(ciphertexts.iter().map(|bits| bits_to_bytes(bits).expect("whole bytes")).collect())
}

#[test]
fn ciphertexts_are_those_of_fips_197() {
    // FIPS 197, appendices B and C.
    let key = hex("2b7e151628aed2a6abf7158809cf4f3c");
    let plaintext = hex("3243f6a8885a308d313198a2e0370734").try_into().expect("16 bytes");
    assert_eq!(encrypt::<128>(&key, &plaintext), hex("3925841d02dc09fbdc118597196a0b32"));
    let key = hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    let plaintext = hex("00112233445566778899aabbccddeeff").try_into().expect("16 bytes");
    assert_eq!(encrypt::<128>(&key[..16], &plaintext), hex("69c4e0d86a7b0430d8cdb78070b4c55a"));
    assert_eq!(encrypt::<192>(&key[..24], &plaintext), hex("dda97ca4864cdfe06eaf70a0ec0d7191"));
    assert_eq!(encrypt::<256>(&key, &plaintext), hex("8ea2b7ca516745bfeafc49904b496089"));
}

#[test]
fn counter_mode_of_aes_256_is_that_of_sp_800_38a() {
    // NIST SP 800-38A, F.5.5.
    let key = hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
    let b = &mut evaluator();
    let schedule = Aes256::new(b, &bytes_to_bits(&key)).expect("evaluates");
    let counters = [0xfe_ff_u16, 0xff_00, 0xff_01, 0xff_02].map(|low| {
        let mut block: [_; 16] = core::array::from_fn(|i| PlainByte::Public(0xf0 + i as u8));
        let [high, low] = low.to_be_bytes();
        (block[14], block[15]) = (PlainByte::Public(high), PlainByte::Public(low));
        block
    });
    let stream = schedule.encrypt_many(b, &[], &counters).expect("evaluates").concat();
    let plaintext = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                     30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
    let ciphertext = "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
                      2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6";
    let sum = xor(b, &bytes_to_bits(&hex(plaintext)), &stream).expect("evaluates");
    assert_eq!(bits_to_bytes(&sum), Some(hex(ciphertext)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn ciphertexts_are_those_of_the_library(key in any::<[u8; 32]>(), plaintext in any::<[u8; 16]>()) {
        let (short, middle) = (&key[..16], &key[..24]);
        let expected = library::<::aes::Aes128>(short, plaintext);
        prop_assert_eq!(encrypt::<128>(short, &plaintext), expected);
        let expected = library::<::aes::Aes192>(middle, plaintext);
        prop_assert_eq!(encrypt::<192>(middle, &plaintext), expected);
        let expected = library::<::aes::Aes256>(&key, plaintext);
        prop_assert_eq!(encrypt::<256>(&key, &plaintext), expected);
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
        key in any::<[u8; 32]>(), secret in any::<[u8; 3]>(),
        base in any::<[u8; 16]>(), changes in prop::collection::vec((0..16_usize, 0..5_u8), 0..6),
    ) {
        let blocks: Vec<[PlainByte; 16]> = changes.iter().map(|(place, change)| {
            let mut block = base.map(PlainByte::Public);
            block[*place] = if *change < 3 { PlainByte::Secret((*change).into()) } else { PlainByte::Public(*change) };
            block
        }).collect();
        let plain = blocks.iter().map(|block| block.map(|byte| match byte {
            PlainByte::Public(byte) => byte,
            PlainByte::Secret(number) => secret[number],
        }));
        let expected: Vec<_> = plain.clone().map(|block| library::<::aes::Aes128>(&key[..16], block)).collect();
        prop_assert_eq!(encrypt_many::<128>(&key[..16], secret, &blocks)?, expected);
        let expected: Vec<_> = plain.map(|block| library::<::aes::Aes256>(&key, block)).collect();
        prop_assert_eq!(encrypt_many::<256>(&key, secret, &blocks)?, expected);
    }
}

/// The ANDs of the key schedule, of a block, and of a public block.
fn aes_costs<const KEY_BITS: usize>() -> [u64; 3] {
    let key = ands(|b| Aes::<_, KEY_BITS>::new(b, &[0; KEY_BITS]));
    let block = ands(|b| Aes::<_, KEY_BITS>::new(b, &[0; KEY_BITS])?.encrypt(b, &[0; 128]));
    let public = ands(|b| Aes::<_, KEY_BITS>::new(b, &[0; KEY_BITS])?.encrypt_public(b, [0; 16]));
    [key, block - key, public - key]
}

#[test]
fn aes_costs_what_it_says() {
    assert_eq!(aes_costs::<128>(), [1280, 5120, 5120]);
    assert_eq!(aes_costs::<192>(), [1024, 6144, 6144]);
    assert_eq!(aes_costs::<256>(), [1664, 7168, 7168]);
    assert_eq!(Aes128::new(&mut evaluator(), &[F2::ZERO; 128]).map(|keys| keys.round_keys().len()), Ok(1408));
    assert_eq!(Aes256::new(&mut evaluator(), &[F2::ZERO; 256]).map(|keys| keys.round_keys().len()), Ok(1920));
}

/// Checks what counter blocks cost that differ in their last byte only.
fn counters_cost<const KEY_BITS: usize>(round_keys: usize, first: u64, further: u64) {
    let cost = |blocks: &[[PlainByte; 16]]| {
        let keys = vec![0; round_keys];
        ands(|b| Aes::<_, KEY_BITS>::from_round_keys(&keys)?.encrypt_many(b, &[[0; 8]; 4], blocks))
    };
    let counter = |n: u8| {
        let mut block = [PlainByte::Public(0); 16];
        (0..4).for_each(|i| block[i] = PlainByte::Secret(i));
        block[15] = PlainByte::Public(n);
        block
    };
    assert_eq!(cost(&[counter(0)]), first);
    let blocks: Vec<_> = (0..100).map(counter).collect();
    assert_eq!(cost(&blocks), first + 99 * further);
    assert_eq!(cost(&[counter(7), counter(7)]), first + further - 160);
    assert_eq!(cost(&[]), 0);
}

#[test]
fn blocks_of_a_counter_cost_less_after_the_first() {
    counters_cost::<128>(1408, 5120, 4256);
    counters_cost::<256>(1920, 7168, 6304);
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
    misuse(Aes256::new(b, &bits(0, 128)).map(drop));
    misuse(Aes256::from_round_keys(&[F2::ZERO; 1408]).map(drop));
    let secret = [PlainByte::Secret(1); 16];
    misuse(schedule.encrypt_many(b, &[[F2::ZERO; 8]], &[secret]).map(drop));
    assert_eq!(bits_to_bytes(&bits(0, 9)), None);
}
