//! Each step against integers and libraries, and its cost.

use proptest::prelude::*;
use volery_circuit::gadgets::{self, Compression, bits_to_bytes, bytes_to_bits};
use volery_circuit::{Counter, Evaluator, Fold, Folded};
use volery_field::{Curve25519Base, Element, Field, Gf128, P256Base, Ring, Value};
use volery_vole::Prg;

use super::*;
use crate::wire::ghash::{element_bits, from_block};
use crate::wire::hash::HashFunction::{self, Sha256, Sha384};
use crate::wire::key_schedule::EarlySecret;
use crate::wire::suite::KeySize::{Bits128, Bits256};

/// What the program gives, and the faster way, too.
fn run(step: &Step, inputs: &[F2]) -> Vec<u8> {
    let outputs = step.run(&mut Evaluator::new(), inputs).unwrap();
    assert!(step.values(inputs).unwrap() == outputs, "{step:?}");
    bits_to_bytes(&outputs).unwrap()
}

fn ands(step: &Step) -> u64 {
    step.shape().unwrap().ands
}

fn little_endian<F: Ring>(x: F) -> [u8; 32] {
    let mut bytes = [0; 32];
    x.encode(&mut bytes).unwrap();
    bytes
}

/// HMAC's midstates with the compression functions of a library: the inner one's bytes, then the outer one's.
fn midstates(hash: HashFunction, key: &[u8]) -> Vec<u8> {
    let pads = [0x36, 0x5c].map(|pad| {
        let mut block = [pad; 128];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        compressed(hash, &initial(hash), &block)
    });
    pads.concat()
}

/// Asserts that a step that makes a key of HMAC gives its midstates.
fn assert_midstates(step: &Step, inputs: &[F2], (hash, key): (HashFunction, &[u8])) {
    let (found, expected) = (run(step, inputs), midstates(hash, key));
    let [found, expected] = [&found, &expected].map(|states| states.split_at(states.len() / 2));
    let inner = Midstate::from_bits(hash, &bytes_to_bits(found.0));
    assert_eq!((inner, found.1), (Some(midstate(hash, expected.0)), expected.1), "{step:?}");
}

/// The chaining value with these bytes.
fn midstate(hash: HashFunction, bytes: &[u8]) -> Midstate {
    match hash {
        Sha256 => Midstate::Sha256(core::array::from_fn(|i| u32::from_be_bytes(bytes.as_chunks().0[i]))),
        Sha384 => Midstate::Sha384(core::array::from_fn(|i| u64::from_be_bytes(bytes.as_chunks().0[i]))),
    }
}

/// The initial chaining value's bytes.
fn initial(hash: HashFunction) -> Vec<u8> {
    match hash {
        Sha256 => gadgets::Sha256::INITIAL.iter().flat_map(|word| word.to_be_bytes()).collect(),
        Sha384 => gadgets::Sha384::INITIAL.iter().flat_map(|word| word.to_be_bytes()).collect(),
    }
}

/// The chaining value's bytes after the first bytes of `block`.
fn compressed(hash: HashFunction, state: &[u8], block: &[u8]) -> Vec<u8> {
    match hash {
        Sha256 => {
            let mut words = core::array::from_fn(|i| u32::from_be_bytes(state.as_chunks().0[i]));
            ::sha2::block_api::compress256(&mut words, &[*block.first_chunk().unwrap()]);
            words.iter().flat_map(|word| word.to_be_bytes()).collect()
        }
        Sha384 => {
            let mut words = core::array::from_fn(|i| u64::from_be_bytes(state.as_chunks().0[i]));
            ::sha2::block_api::compress512(&mut words, &[*block.first_chunk().unwrap()]);
            words.iter().flat_map(|word| word.to_be_bytes()).collect()
        }
    }
}

/// All steps that hash.
fn hashing() -> impl Iterator<Item = Step> {
    HashFunction::ALL.into_iter().flat_map(|hash| {
        [
            Step::PremasterKey(hash),
            Step::HandshakeKey(hash),
            Step::MasterKey(hash),
            Step::HashKey(hash),
            Step::OuterHash(hash),
        ]
    })
}

/// Why the block comes in expanded: what the compression costs if the circuit expands it from the digest's
/// wires.
#[test]
fn expanding_the_block_outside_the_circuit_saves_a_quarter_of_the_outer_hash() {
    let mut counter = Counter::new();
    let mut fold = Fold::new(&mut counter);
    let mut state = [[Folded::Wire(0); 32]; 8];
    let constant = |word: u32| core::array::from_fn(|i| Folded::Constant(F2::new(word >> i & 1 == 1)));
    let mut block = [[Folded::Wire(0); 32]; 16];
    block[8..].fill(constant(0));
    block[8] = constant(1 << 31);
    block[15] = constant(8 * 96);
    gadgets::Sha256::compress(&mut fold, &mut state, &block).unwrap();
    let cost = counter.total().multiplications;
    assert_eq!(cost - ands(&Step::OuterHash(Sha256)), 5271);
    assert_eq!(Step::OuterHash(Sha256).inputs(), 256 + 1792);
}

#[test]
fn steps_cost_what_the_documentation_says() {
    let expected = [[43_529, 85_488, 43_258, 42_634, 16_091], [109_394, 218_601, 109_240, 109_240, 40_660]];
    assert_eq!(hashing().map(|step| ands(&step)).collect::<Vec<_>>(), expected.concat());
    assert_eq!([Bits128, Bits256].map(|size| ands(&Step::ExpandKey(size))), [1280, 1664]);
    let mut counter = Counter::new();
    premaster::secret(&mut counter, &[0; 256], &[0; 256], &0).unwrap();
    assert_eq!(counter.total().multiplications, 895);
    let counters: Vec<_> = (1..=18).map(|counter| Plain::Counter { sequence: 1, counter }).collect();
    for (size, first, next) in [(Bits128, 5120, 4256), (Bits256, 7168, 6304)] {
        for step in [Step::Blocks, Step::XoredBlocks] {
            assert_eq!(ands(&step(size, vec![Plain::Zero])), first);
            assert_eq!(ands(&step(size, counters.clone())), first + 17 * next);
        }
        assert_eq!(ands(&Step::Block(size)), first);
        assert_eq!(ands(&Step::XoredBlock(size)), first);
    }
    let products = [(Bits128, 2187), (Bits256, 809)];
    for (size, product) in products {
        assert_eq!(ands(&Step::BlindedKey(size)), 2 * product + 2 * 127 + 1 + 128);
    }
    let poly1305 = [Step::Poly1305Check, Step::Poly1305Tag];
    assert_eq!(poly1305.map(|step| ands(&step)), [259, 512]);
    let block = |sequence, counter| Plain::Counter { sequence, counter };
    let stream = |blocks: &[Plain]| ands(&Step::ChaCha20(blocks.to_vec()));
    assert_eq!(stream(&[block(3, 0)]), 457 + 9695);
    // How much of the counter folds away depends on its bits.
    assert_eq!(stream(&[block(3, 0), block(3, 1), block(3, 2)]), 457 + 9695 + 9942 + 9941);
    assert_eq!(stream(&[block(3, 0), block(4, 0)]), 2 * (457 + 9695));
    assert_eq!(ands(&Step::ChaChaBlock), 10_400);
}

/// RFC 8446, section 5.3, and RFC 7905, section 2, with a library's ChaCha20.
fn key_stream(key: [u8; 32], iv: [u8; 12], (sequence, counter): (u64, u32)) -> Vec<u8> {
    use ::chacha20::cipher::{KeyIvInit as _, StreamCipher as _, StreamCipherSeek as _};
    let mut nonce = iv;
    nonce[4..].iter_mut().zip(sequence.to_be_bytes()).for_each(|(byte, number)| *byte ^= number);
    let mut cipher = ::chacha20::ChaCha20::new(&key.into(), &nonce.into());
    cipher.seek(64 * u64::from(counter));
    let mut stream = vec![0; 64];
    cipher.apply_keystream(&mut stream);
    if counter == 0 {
        stream.truncate(32);
    }
    stream
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Against the field's own arithmetic, on inputs that make the sums of powers right, or are off by
    /// `error` in one of them.
    #[test]
    fn a_blinded_key_is_given_for_right_powers_only(
        h: [u8; 16],
        factors in [1..u128::MAX, 1..u128::MAX],
        shares: [u128; 2],
        (is_wrong, error, place) in (any::<bool>(), 1..u128::MAX, 0..4_usize),
        count in 1..9_usize,
    ) {
        let [x, y] = factors.map(Gf128::from_bits);
        let [p_others, p_all] = shares.map(Gf128::from_bits);
        let g = x * y;
        let odd: Vec<_> = core::iter::successors(Some(g), |power| Some(*power * g * g)).take(count).collect();
        let sum = |powers: &[Gf128]| powers.iter().fold(Gf128::ZERO, |sum, power| sum + *power);
        // P's and V's shares of both sums.
        let mut elements = [x, p_others, p_all, y, p_others + sum(&odd[..count - 1]), p_all + sum(&odd)];
        let error = if is_wrong { Gf128::from_bits(error) } else { Gf128::ZERO };
        elements[[1, 2, 4, 5][place]] += error;
        let mut inputs = bytes_to_bits(&h);
        inputs.extend(elements.iter().flat_map(|x| element_bits(*x)));
        let expected = if is_wrong {
            vec![F2::ZERO; 129]
        } else {
            [F2::ONE].into_iter().chain(element_bits(from_block(h) + g)).collect::<Vec<_>>()
        };
        for size in [Bits128, Bits256] {
            let found = Step::BlindedKey(size).run(&mut Evaluator::new(), &inputs).unwrap();
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn a_block_whose_nonce_comes_later_is_the_one_prepared_for_it(
        key: [u8; 32],
        iv: [u8; 4],
        sequence: u64,
        counter in 1..1026_u16,
    ) {
        for size in [Bits128, Bits256] {
            let inputs = [round_keys(size, &key), bytes_to_bits(&iv)].concat();
            let plain = Plain::Counter { sequence, counter: counter.into() };
            let known = run(&Step::Blocks(size, vec![plain]), &inputs);
            let given = [inputs, given_bits(sequence.to_be_bytes(), counter)].concat();
            prop_assert_eq!(run(&Step::Block(size), &given), known);
        }
    }

    #[test]
    fn chacha20_s_blocks_are_those_of_the_library_at_once_and_given_later(
        key: [u8; 32],
        iv: [u8; 12],
        first: u64,
        second: u16,
        counter in 1..300_u16,
    ) {
        let inputs = [bytes_to_bits(&key), bytes_to_bits(&iv)].concat();
        let later = (second.into(), counter.into());
        let blocks = [(first, 0), (first, 1), later, (second.into(), 0), (first, 2)];
        let expected: Vec<u8> = blocks.iter().flat_map(|block| key_stream(key, iv, *block)).collect();
        let blocks = blocks.map(|(sequence, counter)| Plain::Counter { sequence, counter });
        prop_assert_eq!(run(&Step::ChaCha20(blocks.to_vec()), &inputs), expected);
        let given = [&*inputs, &given_stream_bits(second, counter)].concat();
        prop_assert_eq!(run(&Step::ChaChaBlock, &given), key_stream(key, iv, later));
        let given = [inputs, given_stream_bits(second, 0)].concat();
        let first_half = key_stream(key, iv, (second.into(), 0));
        prop_assert_eq!(&run(&Step::ChaChaBlock, &given)[..32], &first_half);
    }

    #[test]
    fn a_block_whose_number_comes_later_is_the_one_prepared_for_it(
        key: [u8; 32],
        iv: [u8; 12],
        sequence: u16,
        counter in 1..1026_u16,
    ) {
        for size in [Bits128, Bits256] {
            let inputs = [round_keys(size, &key), bytes_to_bits(&iv)].concat();
            let plain = Plain::Counter { sequence: sequence.into(), counter: counter.into() };
            let known = run(&Step::XoredBlocks(size, vec![plain]), &inputs);
            let given = [inputs, given_xored_bits(sequence, counter)].concat();
            prop_assert_eq!(run(&Step::XoredBlock(size), &given), known);
        }
    }
}

/// The round keys of the first bytes of `key`.
fn round_keys(size: KeySize, key: &[u8]) -> Vec<F2> {
    Step::ExpandKey(size).run(&mut Evaluator::new(), &bytes_to_bits(&key[..size.bits() / 8])).unwrap()
}

/// RFC 8446, section 5.3, with a library's AES.
#[test]
fn blocks_of_tls_1_3_have_the_iv_plus_the_sequence_number() {
    use aes_gcm::aes::cipher::{BlockCipherEncrypt as _, KeyInit as _};
    let iv = core::array::from_fn::<u8, 12, _>(|i| 0xa0 | i as u8);
    let counter = |sequence, counter| Plain::Counter { sequence, counter };
    let blocks = [
        Plain::Zero,
        counter(0, 1),
        counter(1, 2),
        counter(0x0102, 2),
        counter(u64::MAX, 3),
        counter(1 << 32, 1025),
    ];
    let expected = |size: KeySize| {
        let encrypt = |block: &Plain| {
            let mut plain = [0; 16];
            if let Plain::Counter { sequence, counter } = block {
                plain[..12].copy_from_slice(&iv);
                plain[4..12]
                    .iter_mut()
                    .zip(sequence.to_be_bytes())
                    .for_each(|(byte, number)| *byte ^= number);
                plain[12..].copy_from_slice(&counter.to_be_bytes());
            }
            let mut block = plain.into();
            match size {
                Bits128 => aes_gcm::aes::Aes128::new(&[7; 16].into()).encrypt_block(&mut block),
                Bits256 => aes_gcm::aes::Aes256::new(&[7; 32].into()).encrypt_block(&mut block),
            }
            block.to_vec()
        };
        blocks.iter().flat_map(encrypt).collect::<Vec<u8>>()
    };
    for size in [Bits128, Bits256] {
        let inputs = [round_keys(size, &[7; 32]), bytes_to_bits(&iv)].concat();
        assert_eq!(run(&Step::XoredBlocks(size, blocks.to_vec()), &inputs), expected(size));
    }
}

/// The midstates for two shares of a pre-master secret, as the step and as the field's own addition make
/// them.
fn check_premaster<F: Ring>(p: F, v: F, x25519: bool) {
    let shares = [p, v].map(|share| bytes_to_bits(&little_endian(share))).concat();
    let inputs = [&shares[..], &[F2::new(x25519)]].concat();
    let mut secret = little_endian(p + v);
    if !x25519 {
        secret.reverse();
    }
    for hash in HashFunction::ALL {
        assert_midstates(&Step::PremasterKey(hash), &inputs, (hash, &secret));
        // RFC 8446, section 7.1, in the clear.
        let handshake = EarlySecret::new(hash).handshake(&secret);
        assert_midstates(&Step::HandshakeKey(hash), &inputs, (hash, handshake.bytes()));
    }
}

#[test]
fn shares_of_the_pre_master_secret_are_added_modulo_the_prime_and_ordered_as_the_curve_has_it() {
    fn check<F: Element + Field + Value>(x25519: bool) {
        let half = F::from_u64(2).inverse().unwrap();
        assert!(half + half == F::ONE);
        let edges = [F::ZERO, F::ONE, -F::ONE, half, -half];
        for p in edges {
            for v in edges {
                check_premaster(p, v, x25519);
            }
        }
        let mut random = [F::ZERO; 8];
        Prg::new([5; 16]).elements(&mut random);
        for pair in random.chunks(2) {
            check_premaster(pair[0], pair[1], x25519);
        }
    }
    check::<P256Base>(false);
    check::<Curve25519Base>(true);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_master_secret_s_midstates_are_those_of_the_library(key in prop::collection::vec(any::<u8>(), 48)) {
        for hash in HashFunction::ALL {
            assert_midstates(&Step::MasterKey(hash), &bytes_to_bits(&key), (hash, &key));
            let key = &key[..hash.digest_bytes()];
            assert_midstates(&Step::HashKey(hash), &bytes_to_bits(key), (hash, key));
        }
    }

    #[test]
    fn the_outer_hash_is_the_last_compression_of_an_hmac(
        inner in any::<[u8; 64]>(), state in any::<[u8; 64]>(), message in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        for hash in HashFunction::ALL {
            let (block, digest) = (hash.block_bytes(), hash.digest_bytes());
            let [inner, state] = [&inner, &state].map(|state| &state[..hash.state_bits() / 8]);
            let inputs = [bytes_to_bits(state), midstate(hash, inner).expanded(&message)].concat();
            let found = run(&Step::OuterHash(hash), &inputs);
            // FIPS 180-4, section 5.1: after a block come the message, a one bit, zeros and the length.
            let padded = |message: &[u8]| {
                let mut padded = [message, &[0x80]].concat();
                // The length takes an eighth of a block.
                padded.resize((padded.len() + block / 8).next_multiple_of(block) - 8, 0);
                padded.extend((8 * (block + message.len()) as u64).to_be_bytes());
                padded
            };
            let chained = |state: &[u8], message: &[u8]| {
                padded(message).chunks(block).fold(state.to_vec(), |state, block| compressed(hash, &state, block))
            };
            let inner = chained(inner, &message);
            prop_assert_eq!(&found, &chained(state, &inner[..digest])[..digest]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Inputs that no honest party has, too: words that are no block's.
    #[test]
    fn the_faster_way_gives_what_the_program_does_for_any_bits(seed: [u8; 16]) {
        let mut random = Prg::new(seed);
        for step in hashing().chain([Bits128, Bits256].map(Step::ExpandKey)) {
            let inputs: Vec<_> = (0..step.inputs()).map(|_| F2::from_lsb(random.block().to_bits() as u64)).collect();
            run(&step, &inputs);
        }
    }
}

#[test]
fn another_number_of_inputs_is_misuse() {
    let of_size = |size| {
        [
            Step::ExpandKey(size),
            Step::XoredBlock(size),
            Step::Blocks(size, vec![Plain::Zero]),
            Step::XoredBlocks(size, vec![Plain::Zero]),
            Step::Block(size),
            Step::BlindedKey(size),
        ]
    };
    let others = [
        Step::ChaCha20(vec![Plain::Counter { sequence: 1, counter: 0 }]),
        Step::ChaChaBlock,
        Step::Poly1305Check,
        Step::Poly1305Tag,
    ];
    let steps = hashing().chain(of_size(Bits128)).chain(of_size(Bits256)).chain(others);
    for step in steps {
        for inputs in [0, step.inputs() - 1, step.inputs() + 1] {
            let inputs = vec![F2::ZERO; inputs];
            for result in [step.run(&mut Evaluator::new(), &inputs), step.values(&inputs)] {
                assert!(matches!(result, Err(Error::Misuse(_))), "{step:?} with {} bits", inputs.len());
            }
        }
    }
}

#[test]
fn steps_that_compute_different_things_have_different_digests() {
    let counter = |sequence, counter| Plain::Counter { sequence, counter };
    let of_size = |size| {
        [
            Step::ExpandKey(size),
            Step::XoredBlock(size),
            Step::Blocks(size, vec![]),
            Step::Blocks(size, vec![Plain::Zero]),
            Step::Blocks(size, vec![counter(0, 1)]),
            Step::Blocks(size, vec![counter(1, 0)]),
            Step::Blocks(size, vec![counter(0, 1), Plain::Zero]),
            Step::Blocks(size, vec![Plain::Zero, counter(0, 1)]),
            Step::XoredBlocks(size, vec![counter(0, 1)]),
            Step::XoredBlocks(size, vec![counter(1, 0)]),
            Step::Block(size),
            Step::BlindedKey(size),
        ]
    };
    let others = [
        Step::ChaCha20(vec![]),
        Step::ChaCha20(vec![counter(0, 1)]),
        Step::ChaCha20(vec![counter(1, 0)]),
        Step::ChaCha20(vec![counter(0, 1), counter(1, 0)]),
        Step::ChaChaBlock,
        Step::Poly1305Check,
        Step::Poly1305Tag,
    ];
    let steps: Vec<_> = hashing().chain(of_size(Bits128)).chain(of_size(Bits256)).chain(others).collect();
    let digests: Vec<_> = steps
        .iter()
        .map(|step| {
            let mut digest = Digest::new();
            step.identify(&mut digest);
            digest.finish()
        })
        .collect();
    for (i, one) in digests.iter().enumerate() {
        assert!(digests[..i].iter().all(|other| other != one), "{:?}", steps[i]);
    }
}
