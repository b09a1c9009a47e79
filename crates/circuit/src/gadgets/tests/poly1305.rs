//! Poly1305 against RFC 8439, a well-kept library and numbers of 160 bits, and the exact counts.

use ::poly1305::Poly1305;
use ::poly1305::universal_hash::KeyInit;
use proptest::prelude::*;

use super::*;

/// A number below 2^160: its upper 32 bits and the others.
type Wide = (u32, u128);

/// `p = 2^130 - 5`.
const P: Wide = (3, u128::MAX - 4);
const ONE: Wide = (0, 1);

fn plus(x: Wide, y: Wide) -> Wide {
    let (low, carry) = x.1.overflowing_add(y.1);
    (x.0 + y.0 + u32::from(carry), low)
}

fn minus(x: Wide, y: Wide) -> Wide {
    let (low, borrow) = x.1.overflowing_sub(y.1);
    (x.0 - y.0 - u32::from(borrow), low)
}

/// `x` modulo `p`.
fn reduced(mut x: Wide) -> Wide {
    while x >= P {
        x = minus(x, P);
    }
    x
}

/// `x * y` modulo `p`.
fn times(x: Wide, y: Wide) -> Wide {
    let bit = |i: u32| if i < 128 { y.1 >> i & 1 == 1 } else { y.0 >> (i - 128) & 1 == 1 };
    (0..160).rev().fold((0, 0), |sum, i| {
        let twice = reduced(plus(sum, sum));
        if bit(i) { reduced(plus(twice, x)) } else { twice }
    })
}

fn wires(x: Wide) -> Vec<F2> {
    [bits(x.1, 128), bits(x.0.into(), 2)].concat()
}

fn tag(x: Wide, y: Wide, s: u128) -> u128 {
    number(&poly1305_tag(&mut evaluator(), [&wires(x), &wires(y)], &bits(s, 128)).expect("evaluates"))
}

fn clamped(r: u128) -> u128 {
    number(&poly1305_clamp(&mut evaluator(), &bits(r, 128)).expect("evaluates"))
}

/// The polynomial of `message` at `r`, modulo `p`.
fn polynomial(r: u128, message: &[u8]) -> Wide {
    message.chunks(16).fold((0, 0), |sum, chunk| {
        let mut bytes = [0; 17];
        bytes[..chunk.len()].copy_from_slice(chunk);
        bytes[chunk.len()] = 1;
        let [low @ .., high] = bytes;
        times(plus(sum, (high.into(), u128::from_le_bytes(low))), (0, r))
    })
}

/// The tag of `message`, whose polynomial's value is shared by `mask`, which is below `p`.
fn tag_of(key: &[u8], message: &[u8], mask: Wide) -> Vec<u8> {
    let [r, s] = [&key[..16], &key[16..]].map(|half| u128::from_le_bytes(half.try_into().expect("16 bytes")));
    let value = polynomial(clamped(r), message);
    let other = reduced(minus(plus(value, P), mask));
    tag(mask, other, s).to_le_bytes().to_vec()
}

#[test]
fn the_tag_is_that_of_rfc_8439() {
    // Section 2.5.2.
    let key = hex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
    let expected = hex("a8061dc1305136c6c22b8baf0c0127a9");
    for mask in [(0, 0), (2, 12_345), minus(P, ONE)] {
        assert_eq!(tag_of(&key, b"Cryptographic Forum Research Group", mask), expected);
    }
}

#[test]
fn tags_are_those_of_appendix_a_3_of_rfc_8439() {
    let note = "Any submission to the IETF intended by the Contributor for publication as all or part of an IETF \
                Internet-Draft or RFC and any statement made within the context of an IETF activity is considered \
                an \"IETF Contribution\". Such statements include oral statements in IETF sessions, as well as \
                written and electronic communications made at any time or place, which are addressed to";
    let poem = "'Twas brillig, and the slithy toves\nDid gyre and gimble in the wabe:\nAll mimsy were the \
                borogoves,\nAnd the mome raths outgrabe.";
    let padded = |digits: &str, length: usize| {
        let mut bytes = hex(digits);
        bytes.resize(length, 0);
        bytes
    };
    let (ones, secret) = ("ff".repeat(16), "36e5f6b5c5e06070f0efca96227a863e");
    let (zeros, one) = ("00".repeat(16), "01".to_owned() + &"00".repeat(15));
    let long_r = "01000000000000000400000000000000";
    let long = "e33594d7505e43b900000000000000003394d7505e4379cd01".to_owned() + &"00".repeat(7 + 16);
    // The key, the message, the tag.
    let vectors = [
        (vec![0; 32], vec![0; 64], padded("", 16)),
        (hex(&(zeros.clone() + secret)), note.into(), hex(secret)),
        (padded(secret, 32), note.into(), hex("f3477e7cd95417af89a6b8794c310cf0")),
        (
            hex("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0"),
            poem.into(),
            hex("4541669a7eaaee61e708dc7cbcc5eb62"),
        ),
        (padded("02", 32), hex(&ones), padded("03", 16)),
        (hex(&("02".to_owned() + &"00".repeat(15) + &ones)), padded("02", 16), padded("03", 16)),
        (
            padded("01", 32),
            hex(&(ones.clone() + "f0" + &"ff".repeat(15) + "11" + &"00".repeat(15))),
            padded("05", 16),
        ),
        (padded("01", 32), hex(&(ones.clone() + "fb" + &"fe".repeat(15) + &"01".repeat(16))), padded("", 16)),
        (
            padded("02", 32),
            hex(&("fd".to_owned() + &"ff".repeat(15))),
            hex(&("fa".to_owned() + &"ff".repeat(15))),
        ),
        (padded(long_r, 32), hex(&(long.clone() + &one)), hex("14000000000000005500000000000000")),
        (padded(long_r, 32), hex(&long), padded("13", 16)),
    ];
    for (i, (key, message, expected)) in vectors.into_iter().enumerate() {
        for mask in [(0, 0), (1, u128::MAX / 7), minus(P, ONE)] {
            assert_eq!(tag_of(&key, &message, mask), expected, "vector {}", i + 1);
        }
    }
}

/// Numbers of 130 bits around which something changes, those from `p` on included.
fn edges() -> Vec<Wide> {
    let half = (2, 0);
    let mut edges: Vec<Wide> = (0..9).map(|x| (0, x)).collect();
    edges.extend([(0, u128::MAX - 1), (0, u128::MAX), (1, 0), (1, 1), (1, u128::MAX), minus(half, (0, 3))]);
    edges.extend([minus(half, ONE), half, plus(half, ONE), (3, 0), (0, 1 << 127)]);
    edges.extend((1..9).map(|x| minus(P, (0, x))));
    edges.extend((0..5).map(|x| plus(P, (0, x))));
    edges
}

/// All combinations, so sums around `p`, `2^128`, `2 p` and `2^131` are among them.
#[test]
fn the_tag_subtracts_p_once_from_every_sum_from_p_on() {
    for x in edges() {
        for y in edges() {
            let sum = plus(x, y);
            let reduced = if sum >= P { minus(sum, P) } else { sum };
            for s in [0, 1, 1 << 127, u128::MAX] {
                assert_eq!(tag(x, y, s), reduced.1.wrapping_add(s), "{x:?} + {y:?}, {s}");
            }
        }
    }
}

#[test]
fn sums_next_to_p_are_reduced_wherever_they_are_cut() {
    for x in edges().into_iter().filter(|x| *x < P) {
        let sums = (0..12).map(|i| minus(plus(P, (0, 6)), (0, i)));
        for (sum, y) in sums.filter(|sum| *sum >= x).map(|sum| (sum, minus(sum, x))).filter(|(_, y)| *y < P) {
            assert_eq!(tag(x, y, 0), reduced(sum).1, "{x:?} + {y:?}");
        }
    }
}

/// The bits of `r` that remain (RFC 8439, section 2.5.1).
const CLAMP: u128 = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn tags_are_those_of_the_library(
        key in any::<[u8; 32]>(), message in prop::collection::vec(any::<u8>(), 0..100),
        high in 0..4_u32, low in any::<u128>(),
    ) {
        let expected = Poly1305::new(&key.into()).compute_unpadded(&message);
        prop_assert_eq!(tag_of(&key, &message, reduced((high, low))), expected.to_vec());
    }

    #[test]
    fn r_is_clamped(r in any::<u128>()) {
        prop_assert_eq!(clamped(r), r & CLAMP);
    }
}

#[test]
fn poly1305_costs_what_it_says() {
    assert_eq!(ands(|b| poly1305_clamp(b, &[0; 128])), 0);
    assert_eq!(ands(|b| poly1305_tag(b, [&[0; 130], &[0; 130]], &[0; 128])), 512);
}

#[test]
fn numbers_of_the_wrong_size_are_misuse() {
    let b = &mut evaluator();
    let misuse = |result: Result<(), Error>| assert!(matches!(result, Err(Error::Misuse(_))), "{result:?}");
    let (short, long) = (bits(0, 128), bits(0, 130));
    misuse(poly1305_clamp(b, &long).map(drop));
    misuse(poly1305_tag(b, [&short, &long], &short).map(drop));
    misuse(poly1305_tag(b, [&long, &short], &short).map(drop));
    misuse(poly1305_tag(b, [&long, &long], &long).map(drop));
}
