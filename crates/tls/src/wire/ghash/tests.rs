//! Known answers of GCM, and two parties against the clear. `hiding` has the protocol that makes the powers.

mod hiding;

use aes_gcm::aead::{Aead, Payload};
use aes_gcm::aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes_gcm::{Aes128Gcm, aes::Aes128};
use proptest::prelude::*;
use volery_channel::Limits;
use volery_testing::{between_edited, untouched};

use super::testing::shared;
use super::*;
use crate::testing::{Change, hex};

/// AES on one block.
fn encrypt(key: [u8; 16], block: Block) -> Block {
    let mut block = block.into();
    Aes128::new(&key.into()).encrypt_block(&mut block);
    block.into()
}

/// Two blocks whose sum is `block`.
fn split(block: Block, seed: u8) -> [Block; 2] {
    let share = encrypt([seed; 16], block);
    [share, core::array::from_fn(|i| block[i] ^ share[i])]
}

/// `nonce | 1`.
fn first_counter(nonce: [u8; 12]) -> Block {
    let mut block = [0; 16];
    block[..12].copy_from_slice(&nonce);
    block[15] = 1;
    block
}

/// The tag that two parties make of a record that the clear knows.
fn shared_tag(
    key: [u8; 16],
    nonce: [u8; 12],
    header: &[u8],
    ciphertext: &[u8],
    changes: [Change; 2],
) -> Block {
    let [mask_p, mask_v] = split(encrypt(key, first_counter(nonce)), 2);
    let [p, v] = shared(encrypt(key, [0; 16]), hashed_blocks(header.len(), ciphertext.len()));
    let (tag, sent) = between_edited(
        &Limits::default(),
        (changes[0], changes[1]),
        |channel| tag(channel, &p, header, ciphertext, &mask_p),
        |channel| {
            send_tag_share(channel, &v, header, ciphertext, &mask_v).and_then(|()| Ok(channel.flush()?))
        },
    );
    sent.unwrap();
    tag.unwrap()
}

fn record(key: [u8; 16], nonce: [u8; 12], header: &[u8], plaintext: &[u8]) -> (Vec<u8>, Block) {
    let cipher = Aes128Gcm::new(&key.into());
    let mut out = cipher.encrypt(&nonce.into(), Payload { msg: plaintext, aad: header }).unwrap();
    let tag = out.split_off(plaintext.len()).try_into().unwrap();
    (out, tag)
}

/// McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B, test cases 1 to 4 (NIST's
/// too).
#[test]
fn tags_of_two_parties_are_those_of_the_specification() {
    let key = "feffe9928665731c6d6a8f9467308308";
    let nonce = "cafebabefacedbaddecaf888";
    let long = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985";
    let header = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
    let zeros = "00000000000000000000000000000000";
    let cases = [
        (zeros, &zeros[..24], "", "", "58e2fccefa7e3061367f1d57a4e7455a"),
        (zeros, &zeros[..24], "", "0388dace60b6a392f328c2b971b2fe78", "ab6e47d42cec13bdf53a67b21257bddf"),
        (key, nonce, "", long, "4d5c2af327cd64a62cf35abd2ba6fab4"),
        (key, nonce, header, &long[..120], "5bc94fbc3221a5db94fae95ae7121a47"),
    ];
    for (key, nonce, header, ciphertext, tag) in cases {
        let (header, ciphertext) = (hex(header), hex(ciphertext));
        let (key, nonce) = (hex(key).try_into().unwrap(), hex(nonce).try_into().unwrap());
        assert_eq!(shared_tag(key, nonce, &header, &ciphertext, [untouched; 2])[..], hex(tag));
    }
}

#[test]
fn records_of_up_to_two_kilobytes_have_the_tags_of_the_library() {
    for length in [0, 1, 15, 16, 17, 256, 500, 2048] {
        let plaintext: Vec<u8> = (0..length).map(|i| (i as u8).wrapping_mul(0x9d)).collect();
        let (ciphertext, tag) = record([7; 16], [9; 12], &[3; 13], &plaintext);
        assert_eq!(
            shared_tag([7; 16], [9; 12], &[3; 13], &ciphertext, [untouched; 2]),
            tag,
            "{length} bytes"
        );
    }
}

/// The server sees it.
#[test]
fn a_changed_share_gives_a_wrong_tag() {
    fn share(tag: volery_channel::Tag, payload: &mut Vec<u8>) {
        if tag == TAG_SHARE {
            payload[3] ^= 1;
        }
    }
    let (ciphertext, tag) = record([7; 16], [9; 12], &[3; 13], &[5; 100]);
    assert_ne!(shared_tag([7; 16], [9; 12], &[3; 13], &ciphertext, [untouched, share]), tag);
}

#[test]
fn a_tag_without_enough_powers_is_misuse() {
    let powers = Powers::new(&[Gf128::ONE], Gf128::ONE, Gf128::ZERO, 2).unwrap();
    assert!(matches!(powers.tag_share(&[0; 13], &[0; 16], &[0; 16]), Err(Error::Misuse(_))));
}

proptest! {
    #[test]
    fn shares_of_powers_are_those_of_the_sum_of_both_parts(
        g: u128,
        d: u128,
        masks in prop::collection::vec(any::<u128>(), 1..80),
        is_even: bool,
    ) {
        let [g, d] = [g, d].map(Gf128::from_bits);
        let n = 2 * masks.len() - usize::from(!is_even);
        let odd = core::iter::successors(Some(g), |power| Some(*power * g * g));
        let (p, v): (Vec<_>, Vec<_>) =
            odd.zip(&masks).map(|(x, mask)| (Gf128::from_bits(*mask), x + Gf128::from_bits(*mask))).unzip();
        let p = Powers::new(&p, Gf128::ONE, d, n).unwrap();
        let v = Powers::new(&v, Gf128::ZERO, d, n).unwrap();
        prop_assert_eq!([p.len(), v.len()], [n; 2]);
        let mut expected = Gf128::ONE;
        for (p, v) in p.shares().iter().zip(v.shares()) {
            expected *= g + d;
            prop_assert_eq!(*p + *v, expected);
        }
        for (odd, n) in [(masks.len() + 1, n), (masks.len(), n + 2)] {
            prop_assert!(Powers::new(&vec![g; odd], Gf128::ONE, d, n).is_none());
        }
    }

    #[test]
    fn blocks_survive_the_way_to_elements_and_back(block: Block) {
        prop_assert_eq!(to_block(from_block(block)), block);
    }
}

#[test]
fn the_first_bit_of_a_block_is_the_constant_coefficient() {
    let mut block = [0; 16];
    block[0] = 0x80;
    assert_eq!(from_block(block), Gf128::ONE);
    block[0] = 0x40;
    assert_eq!(from_block(block), Gf128::X);
}
