//! Hash functions against known answers and well-kept libraries, and their exact counts.

use ::sha2::Digest;
use proptest::prelude::*;

use super::*;
use crate::{Fold, Folded};

fn hash(gadget: impl FnOnce(&mut Evaluator<F2>, &[F2]) -> Result<Vec<F2>, Error>, message: &[u8]) -> Vec<u8> {
    let digest = gadget(&mut evaluator(), &bytes_to_bits(message)).expect("evaluates");
    bits_to_bytes(&digest).expect("whole bytes")
}

#[test]
fn digests_are_those_of_fips_180() {
    // NIST, "Examples with Intermediate Values": "abc" and a message of 56 bytes.
    let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    let expected = hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(hash(sha256, b"abc"), expected);
    let expected = hex("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_eq!(hash(sha256, long), expected);
    assert_eq!(hash(sha1, b"abc"), hex("a9993e364706816aba3e25717850c26c9cd0d89d"));
    assert_eq!(hash(sha1, long), hex("84983e441c3bd26ebaae4aa1f95129e5e54670f1"));
}

#[test]
fn long_digests_are_those_of_fips_180() {
    // NIST, "Examples with Intermediate Values": "abc" and a message of 112 bytes.
    let long = b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
    let expected =
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7";
    assert_eq!(hash(sha384, b"abc"), hex(expected));
    let expected =
        "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039";
    assert_eq!(hash(sha384, long), hex(expected));
    let expected = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                    2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
    assert_eq!(hash(sha512, b"abc"), hex(expected));
    let expected = "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018\
                    501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909";
    assert_eq!(hash(sha512, long), hex(expected));
}

#[test]
fn digests_of_every_length_up_to_three_blocks_are_right() {
    let message: Vec<u8> = (0..192).map(|i| (i as u8).wrapping_mul(0x9d)).collect();
    for length in 0..=message.len() {
        let message = &message[..length];
        assert_eq!(hash(sha256, message), ::sha2::Sha256::digest(message).to_vec(), "{length} bytes");
        assert_eq!(hash(sha1, message), ::sha1::Sha1::digest(message).to_vec(), "{length} bytes");
    }
}

/// The borders are at 111 and 112 bytes, where the padding takes a block of its own, and at whole blocks.
#[test]
fn long_digests_of_lengths_around_the_borders_of_blocks_are_right() {
    let message: Vec<u8> = (0..385_usize).map(|i| (i as u8).wrapping_mul(0x9d)).collect();
    let borders = [0, 111, 112, 127, 128, 239, 240, 255, 256, 367, 368, 384];
    for length in borders.into_iter().flat_map(|border| [border, border + 1]) {
        let message = &message[..length];
        assert_eq!(hash(sha384, message), ::sha2::Sha384::digest(message).to_vec(), "{length} bytes");
        assert_eq!(hash(sha512, message), ::sha2::Sha512::digest(message).to_vec(), "{length} bytes");
    }
}

/// The digest of a message that comes in pieces.
fn digest_of_pieces<H: Compression>(message: &[u8], cuts: &[usize]) -> Result<Vec<u8>, Error> {
    let b = &mut evaluator();
    let mut hasher = Hasher::<H, F2>::new();
    let mut cuts: Vec<_> = cuts.iter().map(|cut| (*cut).min(message.len())).collect();
    cuts.extend([0, message.len()]);
    cuts.sort_unstable();
    for pair in cuts.windows(2) {
        hasher.update(b, &bytes_to_bits(&message[pair[0]..pair[1]]))?;
    }
    Ok(bits_to_bytes(&hasher.finish(b)?).expect("whole bytes"))
}

/// The wires of numbers.
fn wires<const BITS: usize>(words: impl IntoIterator<Item = u64>) -> Vec<Word<F2, BITS>> {
    words.into_iter().map(|word| bits(word.into(), BITS).try_into().expect("as many bits")).collect()
}

fn values<const BITS: usize>(words: &[Word<F2, BITS>]) -> Vec<u64> {
    words.iter().map(|word| number(word) as u64).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn digests_do_not_depend_on_how_the_message_is_cut(
        message in prop::collection::vec(any::<u8>(), 0..400), cuts in prop::collection::vec(0..400_usize, 0..4),
    ) {
        prop_assert_eq!(digest_of_pieces::<Sha256>(&message, &cuts)?, ::sha2::Sha256::digest(&message).to_vec());
        prop_assert_eq!(digest_of_pieces::<Sha384>(&message, &cuts)?, ::sha2::Sha384::digest(&message).to_vec());
        prop_assert_eq!(digest_of_pieces::<Sha512>(&message, &cuts)?, ::sha2::Sha512::digest(&message).to_vec());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn an_expanded_block_is_compressed_as_the_block(block in any::<[u8; 64]>(), state in any::<[u32; 8]>()) {
        let b = &mut evaluator();
        let mut expected = wires::<32>(state.map(u64::from));
        let mut next = expected.clone().try_into().expect("8 words");
        let words = bits_to_words(&bytes_to_bits(&block));
        prop_assert_eq!(words_to_bits(&words), bytes_to_bits(&block));
        Sha256::compress(b, &mut expected, &words.try_into().expect("16 words"))?;
        let expanded = Sha256::expand(&block);
        let words = wires(expanded.map(u64::from)).try_into().expect("64 words");
        Sha256::compress_expanded(b, &mut next, &words)?;
        prop_assert_eq!(next.to_vec(), expected);
        prop_assert_eq!(values(&next), Sha256::compress_values(state, &expanded).map(u64::from));
    }

    #[test]
    fn an_expanded_long_block_is_compressed_as_the_block(
        low in any::<[u8; 64]>(), high in any::<[u8; 64]>(), state in any::<[u64; 8]>(),
    ) {
        let b = &mut evaluator();
        let block: [u8; 128] = [low, high].concat().try_into().expect("128 bytes");
        let start: [Word<F2, 64>; 8] = wires(state).try_into().expect("8 words");
        let words = bits_to_long_words(&bytes_to_bits(&block));
        prop_assert_eq!(long_words_to_bits(&words), bytes_to_bits(&block));
        let words = words.try_into().expect("16 words");
        let (mut of_512, mut of_384) = (start, start);
        Sha512::compress(b, &mut of_512, &words)?;
        Sha384::compress(b, &mut of_384, &words)?;
        prop_assert_eq!(of_384, of_512, "the standards differ in the initial value only");
        prop_assert_eq!(Sha384::compress_last(b, &start, &words)?, of_512[..6].to_vec());

        let expanded = Sha512::expand(&block);
        let words = wires(expanded).try_into().expect("80 words");
        let mut next = start;
        Sha512::compress_expanded(b, &mut next, &words)?;
        prop_assert_eq!(next, of_512);
        prop_assert_eq!(values(&next), Sha512::compress_values(state, &expanded));
        prop_assert_eq!(Sha384::compress_last_expanded(b, &start, &words)?, of_512[..6].to_vec());
    }

    #[test]
    fn a_long_block_after_a_known_chaining_value_is_compressed_as_any_whether_or_not_it_is_opened(
        low in any::<[u8; 64]>(), high in any::<[u8; 64]>(), state in any::<[u64; 8]>(),
    ) {
        let b = &mut evaluator();
        let block: [u8; 128] = [low, high].concat().try_into().expect("128 bytes");
        let words = bits_to_long_words(&bytes_to_bits(&block)).try_into().expect("16 words");
        let expanded = Sha512::expand(&block);
        let expected = Sha512::compress_values(state, &expanded);
        prop_assert_eq!(values(&Sha512::compress_known(b, state, &words)?), expected);
        prop_assert_eq!(values(&Sha384::compress_last_known(b, state, &words)?), &expected[..6]);
        let opened = Sha512::opened_values(state, &expanded);
        prop_assert_eq!(values(&Sha512::compress_to_open(b, state, &words)?), opened);
        prop_assert_eq!(Sha512::finish_opened(state, opened), expected);
    }
}

/// HMAC from midstates: the chaining values after the padded keys (RFC 2104), in which only the message's
/// digest is expanded in public.
#[test]
fn an_hmac_of_sha_384_from_its_midstates_is_that_of_rfc_4231() {
    let (key, message) = ([0x0b; 20], b"Hi There");
    let midstate = |pad: u8| {
        let mut block = [pad; 128];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        let words = bits_to_long_words(&bytes_to_bits(&block)).try_into().expect("16 words");
        let mut state = wires::<64>(Sha384::INITIAL.iter().copied());
        Sha384::compress(&mut evaluator(), &mut state, &words).expect("evaluates");
        <[Word<F2, 64>; 8]>::try_from(state).expect("8 words")
    };
    let last = |state: &[Word<F2, 64>; 8], message: &[u8]| {
        let mut block = [0; 128];
        block[..message.len()].copy_from_slice(message);
        block[message.len()] = 0x80;
        block[126..].copy_from_slice(&(8 * (128 + message.len() as u16)).to_be_bytes());
        let words = wires(Sha512::expand(&block)).try_into().expect("80 words");
        let digest = Sha384::compress_last_expanded(&mut evaluator(), state, &words).expect("evaluates");
        bits_to_bytes(&long_words_to_bits(&digest)).expect("whole bytes")
    };
    let inner = last(&midstate(0x36), message);
    // RFC 4231, test case 1.
    let expected =
        "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6";
    assert_eq!(last(&midstate(0x5c), &inner), hex(expected));
}

/// The cost of a compression from a secret chaining value, and of the first block of a message.
fn compression_costs<H: Compression>() -> [u64; 2] {
    let word = || H::Number::word(|_| 0);
    let secret = ands(|b| {
        let mut state: Vec<_> = H::INITIAL.iter().map(|_| word()).collect();
        H::compress(b, &mut state, &core::array::from_fn(|_| word()))
    });
    let first = ands(|b| Hasher::<H, u32>::new().update(b, &vec![0; 16 * H::Number::WIDTH]));
    [secret, first]
}

#[test]
fn compressions_cost_what_they_say() {
    assert_eq!(compression_costs::<Sha256>(), [22_271, 21_890]);
    assert_eq!(compression_costs::<Sha1>(), [10_955, 10_582]);
    assert_eq!(compression_costs::<Sha512>(), [57_572, 56_814]);
    assert_eq!(compression_costs::<Sha384>(), [57_572, 56_800]);
}

#[test]
fn the_last_block_of_sha_384_costs_126_ands_less() {
    let (state, block) = ([[0; 64]; 8], [[0; 64]; 16]);
    let whole = ands(|b| Sha384::compress(b, &mut state.clone(), &block));
    assert_eq!(ands(|b| Sha384::compress_last(b, &state, &block)), whole - 126);
    assert_eq!(ands(|b| Sha512::compress_last(b, &state, &block)), whole);
}

#[test]
fn known_chaining_values_and_opened_ones_cost_what_they_say() {
    let state: [u64; 8] = Sha384::INITIAL.try_into().expect("8 words");
    let block = [[Folded::Wire(0); 64]; 16];
    let words = state.map(|word| core::array::from_fn(|i| Folded::Constant(F2::new(word >> i & 1 == 1))));
    let whole = ands(|b| Sha384::compress(&mut Fold::new(b), &mut words.clone(), &block));
    assert_eq!(whole, 56_800);
    assert_eq!(ands(|b| Sha512::compress_known(&mut Fold::new(b), state, &block)), whole - 56);
    assert_eq!(ands(|b| Sha384::compress_last_known(&mut Fold::new(b), state, &block)), whole - 56 - 122);
    assert_eq!(ands(|b| Sha512::compress_to_open(&mut Fold::new(b), state, &block)), whole - 56 - 1310);
}

#[test]
fn padding_costs_nothing_it_need_not() {
    assert_eq!(ands(|b| sha256(b, &[0; 256])), 20_981);
    assert_eq!(ands(|b| sha256(b, &[])), 0);
    // The block of padding after a full block: its schedule is public.
    assert_eq!(ands(|b| sha256(b, &[0; 512])), 21_890 + 15_896);
    assert_eq!(ands(|b| sha384(b, &[0; 384])), 54_475);
    assert_eq!(ands(|b| sha512(b, &[])), 00);
    assert_eq!(ands(|b| sha512(b, &[0; 1024])), 97_358);
}

#[test]
fn expanded_blocks_cost_what_they_say() {
    let cost = ands(|b| Sha256::compress_expanded(b, &mut [[0; 32]; 8], &[[0; 32]; 64]));
    assert_eq!(cost, 16_120);
    let cost = ands(|b| Sha512::compress_expanded(b, &mut [[0; 64]; 8], &[[0; 64]; 80]));
    assert_eq!(cost, 40_824);
    let cost = ands(|b| Sha384::compress_last_expanded(b, &[[0; 64]; 8], &[[0; 64]; 80]));
    assert_eq!(cost, 40_698);
}

#[test]
fn inputs_of_the_wrong_size_are_misuse() {
    let b = &mut evaluator();
    let misuse = |result: Result<(), Error>| assert!(matches!(result, Err(Error::Misuse(_))), "{result:?}");
    misuse(sha256(b, &bits(0, 7)).map(drop));
    misuse(sha1(b, &bits(0, 513)).map(drop));
    misuse(sha384(b, &bits(0, 1025)).map(drop));
    misuse(sha512(b, &bits(0, 9)).map(drop));
    misuse(Sha256::compress(b, &mut [[F2::ZERO; 32]; 5], &[[F2::ZERO; 32]; 16]));
    misuse(Sha1::compress(b, &mut [[F2::ZERO; 32]; 8], &[[F2::ZERO; 32]; 16]));
    misuse(Sha512::compress(b, &mut [[F2::ZERO; 64]; 6], &[[F2::ZERO; 64]; 16]));
    misuse(Sha384::compress(b, &mut [[F2::ZERO; 64]; 6], &[[F2::ZERO; 64]; 16]));
    misuse(Sha384::compress_last(b, &[[F2::ZERO; 64]; 9], &[[F2::ZERO; 64]; 16]).map(drop));
}
