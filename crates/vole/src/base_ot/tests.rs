use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use proptest::prelude::*;
use volery_testing::rng;

use super::*;

const SESSION: SessionId = SessionId::new([5; 32]);

fn choices(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * i / 3 % 2) as u8).collect()
}

#[test]
fn the_receiver_gets_the_chosen_key_and_the_keys_of_all_instances_differ() {
    for n in [0, 1, 2, 95, 96, 128] {
        let choices = choices(n);
        let sender = Sender::start(&mut rng(1));
        let receiver = Receiver::start(&choices, &mut rng(2)).unwrap();
        assert_eq!(receiver.message().len(), receiver_message_bytes(n));
        let point = sender.message();
        let pairs = sender.finish(&SESSION, n, receiver.message()).unwrap();
        let keys = receiver.finish(&SESSION, &point).unwrap();
        assert_eq!((pairs.len(), keys.len()), (n, n));
        for i in 0..n {
            assert!(keys[i] == pairs[i][usize::from(choices[i])]);
        }
        let mut all: Vec<u128> = pairs.iter().flatten().map(|k| k.to_bits()).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 2 * n);
    }
}

/// The formulas of the module's docs with plain point arithmetic: doubles and encodings one at a time.
#[test]
fn keys_are_those_of_the_paper() {
    // Two parts: the indices of the second go on from the first.
    let choices = choices(20);
    let sender = Sender::start(&mut rng(3));
    let b = Scalar::random(&mut rng(3));
    let big_b = RistrettoPoint::mul_base(&b).compress();
    assert_eq!(sender.message(), big_b.to_bytes());
    let receiver = Receiver::start(&choices, &mut rng(4)).unwrap();
    let message = receiver.message().to_vec();
    let pairs = sender.finish(&SESSION, choices.len(), &message).unwrap();
    let keys = receiver.finish(&SESSION, big_b.as_bytes()).unwrap();

    let nonce: [u8; 32] = message[..32].try_into().unwrap();
    let points = Oracle::new("base OT: point", &SessionId::new(nonce));
    let key_oracle = Oracle::new("base OT: key", &SESSION);
    for (i, pair) in message[32..].chunks(64).enumerate() {
        for j in 0..2 {
            let own = &pair[32 * j..][..32];
            let other = &pair[32 * (1 - j)..][..32];
            let h = RistrettoPoint::from_uniform_bytes(&points.hash(i as u64, &[&[j as u8], other]));
            let r = CompressedRistretto::from_slice(own).unwrap().decompress().unwrap();
            let shared = (b * (r + h + h)).compress();
            let expected: [u8; 16] =
                key_oracle.hash(i as u64, &[&[j as u8], &nonce, big_b.as_bytes(), pair, shared.as_bytes()]);
            let expected = Gf128::from_bits(u128::from_le_bytes(expected));
            assert!(pairs[i][j] == expected);
            assert_eq!(keys[i] == expected, usize::from(choices[i]) == j);
        }
    }
}

#[test]
fn a_message_in_parts_is_the_whole_message() {
    for n in [0, 1, 15, 16, 17, 128] {
        let choices = choices(n);
        let whole = Receiver::start(&choices, &mut rng(2)).unwrap().message().to_vec();
        let (mut receiver, mut random) = (Receiver::begin(&choices, &mut rng(2)).unwrap(), rng(5));
        let mut answers = Sender::start(&mut rng(1)).answers(n).unwrap();
        let point = Sender::start(&mut rng(1)).message();
        for length in parts(n) {
            assert!(matches!(answers.finish(&SESSION).err(), Some(Error::Misuse(_))));
            let part = receiver.part(&mut random).unwrap();
            assert_eq!(part.len(), length);
            answers.absorb(part).unwrap();
        }
        assert!(receiver.part(&mut random).is_none() && receiver.message() == answers.message());
        assert_eq!(receiver.message().len(), receiver_message_bytes(n));
        // The nonce is drawn first; the points come from other randomness here.
        assert_eq!(whole[..32], receiver.message()[..32]);
        let pairs = answers.finish(&SESSION).unwrap();
        let keys = receiver.finish(&SESSION, &point).unwrap();
        assert!((0..n).all(|i| keys[i] == pairs[i][usize::from(choices[i])]));
        // There is no further part.
        let more = whole[..parts(n).last().unwrap()].to_vec();
        for more in [&more[..], &[]] {
            assert!(matches!(answers.absorb(more).err(), Some(Error::Malformed { .. })), "{n}");
        }
    }
}

#[test]
fn a_part_of_another_length_is_refused_and_keys_need_all_parts() {
    let whole = Receiver::start(&choices(20), &mut rng(2)).unwrap().message().to_vec();
    let first = parts(20).next().unwrap();
    for length in [0, 1, 32, first - 64, first - 1, first + 1, whole.len()] {
        let mut answers = Sender::start(&mut rng(1)).answers(20).unwrap();
        let error = answers.absorb(&whole[..length]).err();
        assert!(matches!(error, Some(Error::Malformed { .. })), "{length}: {error:?}");
    }
    let mut receiver = Receiver::begin(&choices(20), &mut rng(2)).unwrap();
    receiver.part(&mut rng(2));
    let point = Sender::start(&mut rng(1)).message();
    assert!(matches!(receiver.finish(&SESSION, &point).err(), Some(Error::Misuse(_))));
}

/// A caller that goes on after the error must not get keys of some instances in the places of others.
#[test]
fn after_a_refused_part_there_are_no_keys() {
    let (n, bad) = (40, [0xff; 32]);
    let whole = Receiver::start(&choices(n), &mut rng(2)).unwrap().message().to_vec();
    // The first point, one in the middle, and the last one.
    for at in [32, 32 + 64 * 21, whole.len() - 32] {
        let mut message = whole.clone();
        message[at..at + 32].copy_from_slice(&bad);
        let (mut answers, mut rest) = (Sender::start(&mut rng(1)).answers(n).unwrap(), &message[..]);
        let mut refused = 0;
        for length in parts(n) {
            let part;
            (part, rest) = rest.split_at(length);
            refused += usize::from(answers.absorb(part).is_err());
        }
        assert!(refused == 1 && answers.message().len() == receiver_message_bytes(n));
        assert!(matches!(answers.finish(&SESSION).err(), Some(Error::Misuse(_))), "{at}");
        // Nor does the same part help when it comes once more without the mistake.
        let again = whole[32 + 64 * 32..].to_vec();
        assert!(answers.absorb(&again).is_err() && answers.finish(&SESSION).is_err());
    }
}

#[test]
fn another_session_gives_other_keys() {
    let receiver = Receiver::start(&[0, 1], &mut rng(2)).unwrap();
    let run = |session: u8| {
        let keys =
            Sender::start(&mut rng(1)).finish(&SessionId::new([session; 32]), 2, receiver.message()).unwrap();
        keys.iter().flatten().map(|k| k.to_bits()).collect::<Vec<_>>()
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(one, run(1));
    assert!(one.iter().zip(&two).all(|(a, b)| a != b));
}

/// The attack on careless batching (2021/682, section 1): one pair sent for two instances must not give equal
/// keys.
#[test]
fn a_repeated_pair_gives_unrelated_keys() {
    let receiver = Receiver::start(&[0, 0], &mut rng(2)).unwrap();
    let mut message = receiver.message().to_vec();
    message.copy_within(32..96, 96);
    let pairs = Sender::start(&mut rng(1)).finish(&SESSION, 2, &message).unwrap();
    for j in 0..2 {
        for k in 0..2 {
            assert!(pairs[0][j] != pairs[1][k]);
        }
    }
}

/// Encodings that RFC 9496, appendix A.3, lists as invalid (one of each kind), and the identity.
const BAD_POINTS: [&str; 6] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
    "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

#[test]
fn bad_points_and_lengths_are_refused_on_both_sides() {
    let good = Receiver::start(&[0, 1, 1], &mut rng(6)).unwrap().message().to_vec();
    let refused = |message: &[u8]| {
        let result = Sender::start(&mut rng(1)).finish(&SESSION, 3, message);
        matches!(result, Err(Error::Malformed { step: volery_channel::tags::BASE_OT_RECEIVER, .. }))
    };
    assert!(!refused(&good));
    for length in [0, 31, 32, good.len() - 1, good.len() - 64] {
        assert!(refused(&good[..length]), "{length}");
    }
    assert!(refused(&[&good[..], &[0]].concat()));
    for bad in BAD_POINTS.map(unhex) {
        for at in (32..good.len()).step_by(32) {
            let mut message = good.clone();
            message[at..at + 32].copy_from_slice(&bad);
            assert!(refused(&message), "{bad:?} at {at}");
        }
        let receiver = Receiver::start(&[0, 1, 1], &mut rng(6)).unwrap();
        let error = receiver.finish(&SESSION, &bad).err().unwrap();
        assert!(
            matches!(error, Error::Malformed { step: volery_channel::tags::BASE_OT_SENDER, .. }),
            "{bad:?}"
        );
    }
    for length in [0, 31, 33] {
        let receiver = Receiver::start(&[0], &mut rng(6)).unwrap();
        assert!(receiver.finish(&SESSION, &vec![8; length]).is_err());
    }
}

#[test]
fn too_many_instances_are_the_callers_fault() {
    let choices = vec![0; MAX_INSTANCES + 1];
    assert!(matches!(Receiver::start(&choices, &mut rng(1)).err(), Some(Error::Misuse(_))));
    let result = Sender::start(&mut rng(1)).finish(&SESSION, MAX_INSTANCES + 1, &[]);
    assert!(matches!(result.err(), Some(Error::Misuse(_))));
}

proptest! {
    #[test]
    fn any_bytes_from_the_peer_are_read_without_a_panic(message in proptest::collection::vec(any::<u8>(), 0..200)) {
        fuzz::sender_finish(&message, &mut rng(1));
        fuzz::receiver_finish(&message, &mut rng(1));
    }

    /// A flipped bit in the receiver's message is refused or changes both keys of its instance.
    #[test]
    fn a_flipped_bit_never_leaves_the_chosen_key_intact(bit in 0..(8 * 96_usize)) {
        let receiver = Receiver::start(&[1], &mut rng(7)).unwrap();
        let sender = Sender::start(&mut rng(8));
        let point = sender.message();
        let mut message = receiver.message().to_vec();
        message[bit / 8] ^= 1 << (bit % 8);
        if let Ok(pairs) = sender.finish(&SESSION, 1, &message) {
            let keys = receiver.finish(&SESSION, &point).unwrap();
            prop_assert!(keys[0] != pairs[0][0] && keys[0] != pairs[0][1]);
        }
    }
}
