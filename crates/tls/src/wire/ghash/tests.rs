//! Known answers of GCM, and two parties against the clear.

use aes_gcm::aead::{Aead, Payload};
use aes_gcm::aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes_gcm::{Aes128Gcm, aes::Aes128};
use proptest::prelude::*;
use volery_testing::untouched;
use volery_vole::ole;

use super::powers::MAX_POWER;
use super::*;
use crate::testing::{Change, hex, two_parties};

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

/// The tag that two parties make of a record that the clear knows; powers are extended twice.
fn shared_tag(
    key: [u8; 16],
    nonce: [u8; 12],
    header: &[u8],
    ciphertext: &[u8],
    changes: [Change; 2],
) -> Block {
    let [h_p, h_v] = split(encrypt(key, [0; 16]), 1);
    let [mask_p, mask_v] = split(encrypt(key, first_counter(nonce)), 2);
    let need = hashed_blocks(header.len(), ciphertext.len());
    let (tag, sent) = two_parties(
        products(1, need),
        1,
        changes,
        |channel, party: &mut ole::Sender<Gf128>, _| {
            let mut powers = Powers::new(h_p);
            powers.extend(channel, party, need / 2)?;
            powers.extend(channel, party, need)?;
            assert_eq!(party.prepared(), 0);
            tag(channel, &powers, header, ciphertext, &mask_p)
        },
        |channel, party: &mut ole::Receiver<Gf128>, _| {
            let mut powers = Powers::new(h_v);
            powers.extend(channel, party, need / 2)?;
            powers.extend(channel, party, need)?;
            send_tag_share(channel, &powers, header, ciphertext, &mask_v)
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

/// All powers at once, the exchanges counted: two for 256 bytes, three for two kilobytes.
#[test]
fn shares_of_all_powers_add_up_in_a_few_exchanges() {
    for (n, exchanges) in [(2, 0), (3, 1), (18, 2), (130, 3), (255, 3), (MAX_POWER, 4)] {
        let h = encrypt([1; 16], [0; 16]);
        let [h_p, h_v] = split(h, 3);
        let (p, v) = two_parties(
            products(1, n),
            1,
            [untouched; 2],
            |channel, party: &mut ole::Sender<Gf128>, _| {
                let mut powers = Powers::new(h_p);
                let before = channel.stats();
                powers.extend(channel, party, n).unwrap();
                let stats = channel.stats() - before;
                // One element each way for each product, with a header of five bytes an exchange.
                assert_eq!(stats.bytes_sent, 16 * products(1, n) as u64 + 5 * exchanges);
                assert_eq!(stats.frames_received, exchanges);
                powers
            },
            |channel, party: &mut ole::Receiver<Gf128>, _| {
                let mut powers = Powers::new(h_v);
                powers.extend(channel, party, n).unwrap();
                powers
            },
        );
        let mut expected = Gf128::ONE;
        for (p, v) in p.shares().iter().zip(v.shares()) {
            expected *= from_block(h);
            assert_eq!(*p + *v, expected);
        }
        assert_eq!((p.len(), v.len()), (n, n));
    }
}

/// Either party's wrong message makes the tag wrong, which the server sees.
#[test]
fn a_changed_message_gives_a_wrong_tag() {
    fn correction(tag: volery_channel::Tag, payload: &mut Vec<u8>) {
        if tag == volery_channel::tags::OLE_CORRECTIONS {
            payload[3] ^= 1;
        }
    }
    fn share(tag: volery_channel::Tag, payload: &mut Vec<u8>) {
        if tag == TAG_SHARE {
            payload[3] ^= 1;
        }
    }
    let (ciphertext, tag) = record([7; 16], [9; 12], &[3; 13], &[5; 100]);
    let changes: [[Change; 2]; 3] = [[correction, untouched], [untouched, correction], [untouched, share]];
    for changes in changes {
        assert_ne!(shared_tag([7; 16], [9; 12], &[3; 13], &ciphertext, changes), tag);
    }
}

#[test]
fn a_tag_without_enough_powers_and_a_power_beyond_any_record_are_misuse() {
    let powers = Powers::new([1; 16]);
    assert!(matches!(powers.tag_share(&[0; 13], &[0; 16], &[0; 16]), Err(Error::Misuse(_))));
    let (p, v) = two_parties(
        0,
        1,
        [untouched; 2],
        |channel, party: &mut ole::Sender<Gf128>, _| {
            let beyond = Powers::new([1; 16]).extend(channel, party, MAX_POWER + 1);
            (beyond, Powers::new([1; 16]).extend(channel, party, 3))
        },
        |channel, party: &mut ole::Receiver<Gf128>, _| Powers::new([1; 16]).extend(channel, party, 3),
    );
    assert!(matches!(p.0, Err(Error::Misuse(_))));
    assert!(matches!(p.1, Err(Error::Products(_))) && matches!(v, Err(Error::Products(_))));
}

proptest! {
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

#[test]
fn products_are_one_for_each_new_power() {
    // A record of 256 bytes; then one of 2 KB.
    assert_eq!(products(1, 18), 16);
    assert_eq!(products(18, 130), 112);
}
