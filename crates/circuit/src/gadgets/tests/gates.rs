//! The gates of gadgets that stored proofs and both parties' tables depend on, pinned one after the other.

use super::*;
use crate::Backend;

/// Numbers wires in the order in which they are made, and hashes every gate.
#[derive(Default)]
struct Gates {
    wires: u64,
    hasher: blake3::Hasher,
}

impl Gates {
    fn gate(&mut self, gate: u8, x: u64, y: u64) -> u64 {
        self.hasher.update(&[gate]).update(&x.to_le_bytes()).update(&y.to_le_bytes());
        self.wires += 1;
        self.wires
    }

    fn inputs<const N: usize>(&mut self) -> [u64; N] {
        core::array::from_fn(|_| self.gate(0, 0, 0))
    }
}

impl Backend for Gates {
    type Error = Error;
}

impl Ops<F2> for Gates {
    type Wire = u64;

    fn constant(&mut self, c: F2) -> u64 {
        self.gate(1, c.to_u8().into(), 0)
    }

    fn add(&mut self, x: &u64, y: &u64) -> u64 {
        self.gate(2, *x, *y)
    }

    fn sub(&mut self, x: &u64, y: &u64) -> u64 {
        self.gate(3, *x, *y)
    }

    fn add_constant(&mut self, x: &u64, c: F2) -> u64 {
        self.gate(4, *x, c.to_u8().into())
    }

    fn scale(&mut self, x: &u64, c: F2) -> u64 {
        self.gate(5, *x, c.to_u8().into())
    }

    fn mul(&mut self, x: &u64, y: &u64) -> Result<u64, Error> {
        Ok(self.gate(6, *x, *y))
    }
}

/// The first eight bytes of the hash of all gates, and the outputs.
fn gates<const N: usize>(gadget: impl FnOnce(&mut Gates, &[u64; N]) -> Result<Vec<u64>, Error>) -> String {
    let b = &mut Gates::default();
    let inputs = b.inputs();
    for output in gadget(b, &inputs).expect("never fails") {
        b.gate(7, output, 0);
    }
    b.hasher.finalize().to_hex()[..16].to_owned()
}

#[test]
fn gates_of_hash_functions_are_pinned() {
    assert_eq!(gates(|b, message: &[u64; 1024]| sha256(b, message)), "010cc55381a32ca7");
    assert_eq!(gates(|b, message: &[u64; 1024]| sha1(b, message)), "f53a834b5df28be2");
    let expanded = gates(|b, inputs: &[u64; 2304]| {
        let (state, words) = (bits_to_words(&inputs[..256]), bits_to_words(&inputs[256..]));
        let mut state = state.try_into().expect("8 words");
        Sha256::compress_expanded(b, &mut state, &words.try_into().expect("64 words"))?;
        Ok(words_to_bits(&state))
    });
    assert_eq!(expanded, "79337190c1703e4f");
}

#[test]
fn gates_of_aes_128_are_pinned() {
    let block = gates(|b, inputs: &[u64; 256]| Aes128::new(b, &inputs[..128])?.encrypt(b, &inputs[128..]));
    assert_eq!(block, "3265fd472638739e");
    let round_keys = gates(|b, key: &[u64; 128]| Ok(Aes128::new(b, key)?.round_keys()));
    assert_eq!(round_keys, "53993dc3d0066fce");
    let many = gates(|b, inputs: &[u64; 1416]| {
        let blocks = [0, 1, 2].map(|n| {
            let mut block = [PlainByte::Public(0xa5); 16];
            (block[3], block[15]) = (PlainByte::Secret(0), PlainByte::Public(n));
            block
        });
        let secret = inputs[1408..].try_into().expect("8 wires");
        Ok(Aes128::from_round_keys(&inputs[..1408])?.encrypt_many(b, &[secret], &blocks)?.concat())
    });
    assert_eq!(many, "b6796bd509716fa2");
}
