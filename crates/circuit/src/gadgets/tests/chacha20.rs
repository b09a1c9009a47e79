//! ChaCha20 against RFC 8439 and a well-kept library, and its exact counts.

use ::chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use proptest::prelude::*;

use super::*;
use crate::{Fold, Folded};

fn cipher(key: &[u8], nonce: &[u8]) -> ChaCha20<F2> {
    ChaCha20::new(&mut evaluator(), &bytes_to_bits(key), &bytes_to_bits(nonce)).expect("evaluates")
}

/// The block of a counter, in both ways.
fn block(cipher: &ChaCha20<F2>, counter: u32) -> Vec<u8> {
    let b = &mut evaluator();
    let block = cipher.block_public(b, counter).expect("evaluates");
    assert_eq!(cipher.block(b, &bits(counter.into(), 32)).as_ref(), Ok(&block));
    bits_to_bytes(&block).expect("whole bytes")
}

fn one_time_key(cipher: &ChaCha20<F2>) -> Vec<u8> {
    bits_to_bytes(&cipher.poly1305_key(&mut evaluator()).expect("evaluates")).expect("whole bytes")
}

#[test]
fn blocks_are_those_of_rfc_8439() {
    // Section 2.3.2.
    let key: Vec<u8> = (0..32).collect();
    let expected = "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e\
                    d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e";
    assert_eq!(block(&cipher(&key, &hex("000000090000004a00000000")), 1), hex(expected));
    // Appendix A.1, test vectors 1 and 2.
    let zeros = cipher(&[0; 32], &[0; 12]);
    let expected = "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
                    da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586";
    assert_eq!(block(&zeros, 0), hex(expected));
    let expected = "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed\
                    29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f";
    assert_eq!(block(&zeros, 1), hex(expected));
}

#[test]
fn the_one_time_key_is_that_of_rfc_8439() {
    // Section 2.6.2.
    let key: Vec<u8> = (0x80..0xa0).collect();
    let expected = "8ad5a08b905f81cc815040274ab29471a833b637e3fd0da508dbb8e2fdd1a646";
    assert_eq!(one_time_key(&cipher(&key, &hex("000000000001020304050607"))), hex(expected));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn blocks_are_those_of_the_library(
        key in any::<[u8; 32]>(), nonce in any::<[u8; 12]>(),
        counter in prop_oneof![any::<u32>(), 0..4_u32, u32::MAX - 4..u32::MAX],
    ) {
        let cipher = cipher(&key, &nonce);
        let mut library = ::chacha20::ChaCha20::new(&key.into(), &nonce.into());
        let mut first = [0; 32];
        library.apply_keystream(&mut first);
        prop_assert_eq!(one_time_key(&cipher), first);
        library.seek(64 * u64::from(counter));
        let mut expected = [0; 64];
        library.apply_keystream(&mut expected);
        prop_assert_eq!(block(&cipher, counter), expected);
    }

    /// A nonce and half of a counter that are public.
    #[test]
    fn blocks_of_public_nonces_and_half_public_counters_are_the_same(key in any::<[u8; 32]>(), nonce in any::<[u8; 12]>(), low: u16) {
        let expected = block(&cipher(&key, &nonce), low.into());
        let mut backend = evaluator();
        let b = &mut Fold::new(&mut backend);
        let key: Vec<_> = bytes_to_bits(&key).into_iter().map(Folded::Wire).collect();
        let nonce: Vec<_> = bytes_to_bits(&nonce).into_iter().map(Folded::Constant).collect();
        let mut counter: Vec<_> = bits(low.into(), 16).into_iter().map(Folded::Wire).collect();
        counter.resize(32, Folded::Constant(F2::ZERO));
        let folded = ChaCha20::new(b, &key, &nonce)?.block(b, &counter)?;
        let block: Vec<F2> = folded.iter().map(|bit| b.lower(bit)).collect();
        prop_assert_eq!(bits_to_bytes(&block), Some(expected));
    }
}

#[test]
fn chacha20_costs_what_it_says() {
    let cipher = ChaCha20::new(&mut Counter::<F2>::new(), &[0_u32; 256], &[0; 96]).expect("counts");
    let common = ands(|b| ChaCha20::new(b, &[0; 256], &[0; 96]));
    assert_eq!(common, 457);
    let secret = ands(|b| cipher.block(b, &[0; 32]));
    assert_eq!(secret, 9_943);
    assert!(common + secret <= 80 * 124 + 16 * 31);
    let publics = [0, 1, 2, 0xffff_ffff].map(|counter| ands(|b| cipher.block_public(b, counter)));
    assert_eq!(publics, [9_912, 9_942, 9_941, 9_942]);
    assert_eq!(ands(|b| cipher.poly1305_key(b)), 9_695);
}

#[test]
fn a_public_nonce_folds() {
    let nonce = [Folded::Constant(F2::ONE); 96];
    let cost = ands(|b| {
        let b = &mut Fold::new(b);
        ChaCha20::new(b, &[Folded::Wire(0); 256], &nonce)?.block_public(b, 1)
    });
    assert_eq!(cost, 10_396);
}

#[test]
fn keys_nonces_and_counters_of_the_wrong_size_are_misuse() {
    let b = &mut evaluator();
    let misuse = |result: Result<(), Error>| assert!(matches!(result, Err(Error::Misuse(_))), "{result:?}");
    misuse(ChaCha20::new(b, &bits(0, 128), &bits(0, 96)).map(drop));
    misuse(ChaCha20::new(b, &bits(0, 256), &bits(0, 64)).map(drop));
    let cipher = cipher(&[0; 32], &[0; 12]);
    misuse(cipher.block(b, &bits(0, 31)).map(drop));
    misuse(cipher.block(b, &bits(0, 64)).map(drop));
}
