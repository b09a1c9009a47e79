//! Whether the kernels of this module give what the portable code gives, for tests: an engine may be at
//! fault, too.

use aes::cipher::{BlockCipherEncrypt as _, KeyInit as _};
use volery_field::Gf128;
use volery_field::gf128::{Kernel, RUN};
use volery_vole::Prg;
use wasm_bindgen::prelude::wasm_bindgen;

/// A stream of words (xorshift).
struct Words(u64);

impl Words {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Elements, every fourth of them a special one.
    fn elements(&mut self, length: usize) -> Vec<Gf128> {
        let special = [0, 1, u128::MAX, 1 << 127, 1 << 64, (1 << 64) - 1, 0x87, 2];
        let mut element = || match self.word() {
            word if word % 4 == 0 => Gf128::from_bits(special[(word >> 8 & 7) as usize]),
            word => Gf128::from_bits(u128::from(word) << 64 | u128::from(self.word())),
        };
        (0..length).map(|_| element()).collect()
    }
}

/// The names of all kernels that differ from the portable ones on some input; none if all is well.
#[wasm_bindgen(js_name = kernelsThatDiffer)]
pub fn kernels_that_differ() -> Vec<String> {
    let mut words = Words(0x9e37_79b9_7f4a_7c15);
    let mut differ = Vec::new();
    let lengths = (0..70).chain([RUN - 1, RUN, RUN + 1, 3 * RUN - 1, 3 * RUN, 1000]);
    for length in lengths {
        let [a, b, c] = [0; 3].map(|_| words.elements(length));
        let weights = words.elements(length.div_ceil(RUN));
        let rows: Vec<u8> =
            words.elements(8 * length.div_ceil(8)).iter().flat_map(|row| row.to_bytes()).collect();
        let results = |kernel: Kernel| {
            let (mut products, mut scaled, mut turned) = (a.clone(), b.clone(), vec![Gf128::ZERO; length]);
            let fine = [
                kernel.mul_slices(&a, &b, &mut products),
                kernel.scale_add(Gf128::X, &a, &mut scaled),
                kernel.transpose(&rows, rows.len() / 128, &mut turned),
            ];
            let sums = (
                kernel.inner_product(&a, &b),
                kernel.check_prover(&weights, &a, &b, &c),
                kernel.check_verifier(&weights, &a, &b, &c),
                kernel.weigh_prover(&weights, &a),
                kernel.weigh_verifier(&weights, &a),
            );
            (products, scaled, turned, fine.map(|result| result.is_ok()), sums)
        };
        let mut kernels = Kernel::available();
        let portable = kernels.next().map(results);
        let others = kernels.filter(|kernel| Some(results(*kernel)) != portable);
        differ.extend(others.map(|kernel| format!("GF(2^128), {}, {length} elements", kernel.name())));
        if !streams_agree(&mut words, length) {
            differ.push(format!("AES, {length} blocks"));
        }
        #[cfg(feature = "web")]
        if !volery_garble::is_as_portable(Gf128::from_bits(u128::from(words.word())).to_bytes(), &a) {
            differ.push(format!("hash of labels, {length} labels"));
        }
    }
    differ
}

/// Whether streams under one key and under many are those of the `aes` crate.
fn streams_agree(words: &mut Words, length: usize) -> bool {
    let keys = words.elements(length);
    let (salt, first) = (words.word(), words.word());
    let block = |key: Gf128, number: u64| {
        let mut block = (u128::from(salt) << 64 | u128::from(number)).to_le_bytes().into();
        ::aes::Aes128::new(&key.to_bytes().into()).encrypt_block(&mut block);
        Gf128::from_bytes(block.into())
    };
    let (mut stream, mut pairs) = (vec![Gf128::ZERO; length], vec![Gf128::ZERO; 2 * length]);
    Prg::salted(Gf128::X.to_bytes(), salt).blocks_at(first, &mut stream);
    Prg::pairs(&keys, salt, first, &mut pairs);
    let number = |i: usize| first.wrapping_add(i as u64);
    let as_one = stream.iter().enumerate().all(|(i, got)| *got == block(Gf128::X, number(i)));
    let mut pairs = pairs.as_chunks::<2>().0.iter().zip(keys).enumerate();
    as_one
        && pairs.all(|(i, (got, key))| {
            let start = number(i).wrapping_mul(2);
            *got == [block(key, start), block(key, start.wrapping_add(1))]
        })
}
