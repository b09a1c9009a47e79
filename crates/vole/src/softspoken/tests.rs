use std::thread;

use proptest::prelude::*;
use rand_chacha::ChaCha12Rng;
use rand_core::SeedableRng;
use volery_channel::tags::{BASE_OT_SENDER, SOFT_SPOKEN_EXTEND, SOFT_SPOKEN_TREE};
use volery_channel::{Channel, Limits, memory_pair};
use volery_field::Gf128;

use super::check::{LinearHash, digest, encode};
use super::*;
use crate::aes::Aes;
use crate::{Delta, Error};

const SESSION: SessionId = SessionId::new([1; 32]);

fn rng(seed: u64) -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(seed)
}

fn bit(x: Gf128) -> u128 {
    x.to_bits() & 1
}

fn assert_correlated(delta: &Delta, tags: &[Gf128], keys: &[Gf128]) {
    assert_eq!(tags.len(), keys.len());
    for (m, k) in tags.iter().zip(keys) {
        let shift = if bit(*m) == 1 { delta.expose() } else { Gf128::ZERO };
        assert!(*k == *m + shift && bit(*k) == 0);
    }
}

/// No bit of the tags or values is stuck, and no tag repeats.
fn assert_looks_random(tags: &[Gf128]) {
    for c in 0..128 {
        let ones = tags.iter().filter(|m| m.to_bits() >> c & 1 == 1).count();
        assert!(ones.abs_diff(tags.len() / 2) < tags.len() / 8, "column {c}: {ones}");
    }
    let mut sorted: Vec<u128> = tags.iter().map(|m| m.to_bits()).collect();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), tags.len());
}

#[test]
fn extensions_of_any_size_over_a_channel_satisfy_the_relation() {
    let sizes = [1, 127, 0, 128, 129, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 77];
    for bits in FieldBits::ALL {
        let (mut left, mut right) = memory_pair(&Limits::default());
        let (tags, (delta, keys)) = thread::scope(|scope| {
            let p = scope.spawn(move || {
                let mut p = Receiver::setup(&mut left, &SESSION, bits, &mut rng(3)).unwrap();
                let (mut out, before) = (Vec::new(), left.stats());
                sizes.iter().for_each(|n| p.extend(&mut left, *n, &mut out).unwrap());
                left.flush().unwrap();
                let bytes: usize = sizes.iter().map(|n| bits.extension_bytes(*n)).sum();
                let sent = left.stats().bytes_sent - before.bytes_sent;
                assert!(sent >= bytes as u64 && sent < bytes as u64 + 1000);
                out
            });
            let mut v =
                Sender::setup(&mut right, &SESSION, bits, Delta::random(&mut rng(4)), &mut rng(5)).unwrap();
            let mut out = Vec::new();
            sizes.iter().for_each(|n| v.extend(&mut right, *n, &mut out).unwrap());
            (p.join().unwrap(), (v.delta().duplicate(), out))
        });
        assert_eq!(tags.len(), sizes.iter().sum::<usize>());
        assert_correlated(&delta, &tags, &keys);
        assert_looks_random(&tags);
    }
}

#[test]
fn a_correlation_costs_two_or_four_bytes_in_full_chunks() {
    let per = |bits: FieldBits| bits.extension_bytes(16 * CHUNK) as f64 / (16 * CHUNK) as f64;
    assert!(per(FieldBits::Eight) < 2.0 && per(FieldBits::Four) < 4.01);
    assert_eq!(FieldBits::Eight.tree_message_bytes(), 4128);
    assert_eq!(FieldBits::Four.tree_message_bytes(), 4128);
}

#[test]
fn another_session_gives_other_correlations_and_the_two_do_not_mix() {
    let bits = FieldBits::Four;
    let run = |p_session: u8, v_session: u8| {
        let p = ReceiverSetup::start(&mut rng(1));
        let v = SenderSetup::start(Delta::random(&mut rng(9)), &mut rng(2)).unwrap();
        let point = p.message();
        let (mut p, trees) = p.finish_with(&SessionId::new([p_session; 32]), bits, v.message()).unwrap();
        let mut tags = Vec::new();
        p.extend_with(100, &mut tags).unwrap();
        (tags, v.finish_with(&SessionId::new([v_session; 32]), bits, &point, &trees).err())
    };
    let (one, none) = run(1, 1);
    let (two, mixed) = run(2, 1);
    assert!(none.is_none());
    assert!(matches!(mixed, Some(Error::Cheat { step: SOFT_SPOKEN_TREE, .. })));
    assert!(one.iter().zip(&two).all(|(a, b)| a != b));
}

#[test]
fn parties_with_different_field_bits_end_with_an_error() {
    let p = ReceiverSetup::start(&mut rng(1));
    let v = SenderSetup::start(Delta::random(&mut rng(9)), &mut rng(2)).unwrap();
    let point = p.message();
    let (_, trees) = p.finish_with(&SESSION, FieldBits::Four, v.message()).unwrap();
    let result = v.finish_with(&SESSION, FieldBits::Eight, &point, &trees);
    assert!(matches!(result.err(), Some(Error::Cheat { .. })));
}

/// Every byte of an extension's message, in steps that hit each region and block border.
#[test]
fn a_flipped_bit_anywhere_in_an_extension_is_caught() {
    for bits in FieldBits::ALL {
        let length = bits.chunk_message_bytes(200);
        let step = 29;
        for at in (0..length).step_by(step).chain(length - 2 * DIGEST - 1..length) {
            let (mut p, mut v) = shared_pair(bits);
            let mut message = p.extend_with(200, &mut Vec::new()).unwrap();
            assert_eq!(message.len(), length);
            message[at] ^= 1 << (at % 8);
            let mut out = vec![Gf128::ONE];
            let error = v.extend_with(200, &message, &mut out).unwrap_err();
            assert!(matches!(error, Error::Cheat { step: SOFT_SPOKEN_EXTEND, .. }), "{at}: {error}");
            assert_eq!(out.len(), 1);
        }
    }
}

/// What a base OT could have given to P.
fn shared_keys() -> Vec<[Gf128; 2]> {
    (0..128).map(|i| [Gf128::from_bits(3 * i), Gf128::from_bits(3 * i + 1)]).collect()
}

/// Our own format: made by this code and checked against the plain prover below and the definitions in
/// `columns` and `tree`. A change of these digests is a change of the wire version.
#[test]
fn messages_are_those_of_wire_version_two() {
    let expected = [
        (FieldBits::Four, "3b3751251d603f2aa662468c5270920b"),
        (FieldBits::Eight, "e94b1f1ca7f1df2979e08e9a700ec565"),
    ];
    for (bits, expected) in expected {
        let (_, trees) = tree::grow_all(&SESSION, bits, &shared_keys());
        let chunk = shared_pair(bits).0.extend_with(300, &mut Vec::new()).unwrap();
        assert_eq!(blake3::hash(&[trees, chunk].concat()).to_hex()[..32], *expected);
    }
}

/// Setups are slow (base OT): start from leaf seeds that both parties know to be consistent.
fn shared_pair(bits: FieldBits) -> (Receiver, Sender) {
    let delta = Delta::from_element(Gf128::from_bits(0x0bad_cafe_5a5a_1234_fedc_4321_8765_0f0f));
    let keys = shared_keys();
    let (leaf_seeds, trees) = tree::grow_all(&SESSION, bits, &keys);
    let transcript = setup_transcript(&SESSION, bits, &[], &[], &trees);
    let chosen: Vec<Gf128> = (0..128).map(|i| keys[i][usize::from(delta.mask(i) == 0)]).collect();
    let punctured = tree::puncture_all(&SESSION, bits, &chosen, &delta, &trees).unwrap();
    let streams = Some(columns::Streams::new(bits, leaf_seeds));
    let receiver = Receiver { bits, transcript: transcript.clone(), streams };
    (receiver, Sender::from_leaf_seeds(bits, delta, transcript, punctured))
}

#[test]
fn messages_that_are_dropped_swapped_repeated_or_of_wrong_length_are_caught() {
    let bits = FieldBits::Eight;
    let chunks = |p: &mut Receiver| [0; 2].map(|_| p.extend_with(64, &mut Vec::new()).unwrap());
    let (mut p, mut v) = shared_pair(bits);
    let [first, second] = chunks(&mut p);
    assert!(matches!(v.extend_with(64, &second, &mut Vec::new()), Err(Error::Cheat { .. })));
    let (_, mut v) = shared_pair(bits);
    v.extend_with(64, &first, &mut Vec::new()).unwrap();
    assert!(matches!(v.extend_with(64, &first, &mut Vec::new()), Err(Error::Cheat { .. })));
    let (_, mut v) = shared_pair(bits);
    for wrong in [&first[1..], &[], &[&first[..], &[0]].concat()] {
        let error = v.extend_with(64, wrong, &mut Vec::new());
        assert!(matches!(error, Err(Error::Malformed { step: SOFT_SPOKEN_EXTEND, .. })));
    }
    v.extend_with(64, &first, &mut Vec::new()).unwrap();
    v.extend_with(64, &second, &mut Vec::new()).unwrap();
}

/// A chunk by a P that follows the definitions with plain loops, and lies: in tree `tree` its vector is `e`
/// apart from `u`, and it bets that V's piece there is `guess`.
fn cheating_chunk(p: &mut Receiver, rows: usize, tree: usize, e: &[Gf128], guess: usize) -> Vec<u8> {
    let (bits, blocks) = (p.bits, blocks(rows));
    let streams = p.streams.as_mut().unwrap();
    let (mut message, mut sums) = (Vec::new(), Vec::new());
    streams.advance(blocks, |_, u, _| sums.push(u.to_vec()));
    for (t, sum) in sums.iter().enumerate().skip(1) {
        for j in 0..blocks {
            let lie = if t == tree { e[j] } else { Gf128::ZERO };
            message.extend_from_slice(&(sum[j] + sums[0][j] + lie).to_bits().to_le_bytes());
        }
    }
    streams.set_first(|j| sums[0][j]);
    p.transcript.absorb_number("rows", rows as u64);
    p.transcript.absorb("corrections", &message);
    let hash = LinearHash::new(p.transcript.challenge_seed("linear hash"), blocks);
    let (hash_of_u, hash_of_e) = (encode(&hash.hash(&sums[0]).unwrap()), hash.hash(e).unwrap());
    // V has w_t = v_t + y_t (u + e): right for y_t = guess are the tags' hashes with guess * R e added.
    let hashes = streams.columns().chunks_exact(blocks).enumerate().map(|(i, column)| {
        let mut h = hash.hash(column).unwrap();
        if i / bits.bits() == tree && guess >> (i % bits.bits()) & 1 == 1 {
            h[0] += hash_of_e[0];
            h[1] += hash_of_e[1];
        }
        h
    });
    let digest = digest(&mut p.transcript, &hash_of_u, &Vec::from_iter(hashes));
    [&message[..], &hash_of_u, &digest].concat()
}

/// The selective failure of the paper, measured: a correction that is wrong in one tree passes for one guess
/// in 2^k.
#[test]
fn an_inconsistent_column_passes_only_if_the_whole_piece_of_delta_is_guessed() {
    let rows = 130;
    let mut errors = Vec::new();
    for at in [0, 1, 2, 3] {
        // A difference in a block of values, or in the masks only.
        let mut e = vec![Gf128::ZERO; blocks(rows)];
        e[at] = Gf128::from_bits(1 << 17);
        errors.push(e);
    }
    for (bits, tree) in [(FieldBits::Four, 1), (FieldBits::Four, 31), (FieldBits::Eight, 9)] {
        for e in &errors {
            let mut accepted = Vec::new();
            let mut piece = 0;
            // All guesses for the small trees, a sample with the right one for the large ones.
            for guess in (0..bits.leaves()).filter(|g| bits == FieldBits::Four || g % 5 == 3 || *g == 0x5a) {
                let (mut p, mut v) = shared_pair(bits);
                piece = (v.delta().expose().to_bits() >> (tree * bits.bits())) as usize & (bits.leaves() - 1);
                let message = cheating_chunk(&mut p, rows, tree, e, guess);
                match v.extend_with(rows, &message, &mut Vec::new()) {
                    Ok(()) => accepted.push(guess),
                    Err(error) => assert!(matches!(error, Error::Cheat { .. })),
                }
            }
            let expected: Vec<usize> = Some(piece)
                .filter(|p| bits == FieldBits::Four || p % 5 == 3 || *p == 0x5a)
                .into_iter()
                .collect();
            assert_eq!(accepted, expected);
        }
    }
}

#[test]
fn without_a_lie_the_plain_prover_is_accepted() {
    for bits in FieldBits::ALL {
        let (mut p, mut v) = shared_pair(bits);
        let message = cheating_chunk(&mut p, 300, 1, &vec![Gf128::ZERO; blocks(300)], 7);
        let (mut q, _) = shared_pair(bits);
        assert!(message == q.extend_with(300, &mut Vec::new()).unwrap());
        v.extend_with(300, &message, &mut Vec::new()).unwrap();
    }
}

#[test]
fn a_tampered_first_message_or_tree_is_caught_at_the_latest_by_the_first_extension() {
    for bits in FieldBits::ALL {
        for (which, at) in
            [(0, 3), (1, 5), (1, 40), (1, 8000), (2, 1), (2, 17), (2, 2000), (2, 4090), (2, 4127)]
        {
            let p = ReceiverSetup::start(&mut rng(1));
            let v = SenderSetup::start(Delta::random(&mut rng(6)), &mut rng(2)).unwrap();
            let flip = |message: &[u8], this: usize| {
                let mut message = message.to_vec();
                if this == which {
                    message[at] ^= 4;
                }
                message
            };
            let (point, points) = (p.message(), v.message().to_vec());
            let Ok((mut p, trees)) = p.finish_with(&SESSION, bits, &flip(&points, 1)) else { continue };
            let Ok(mut v) = v.finish_with(&SESSION, bits, &flip(&point, 0), &flip(&trees, 2)) else {
                continue;
            };
            let message = p.extend_with(10, &mut Vec::new()).unwrap();
            assert!(v.extend_with(10, &message, &mut Vec::new()).is_err(), "{which} {at}");
        }
    }
}

#[test]
fn the_transcript_holds_every_message_of_the_setup() {
    let challenge = |session: &SessionId, bits: FieldBits, messages: [&[u8]; 3]| -> [u8; 32] {
        let [p, v, trees] = messages;
        setup_transcript(session, bits, p, v, trees).challenge_seed("x").into_bytes()
    };
    let all = [
        challenge(&SESSION, FieldBits::Four, [b"p", b"v", b"trees"]),
        challenge(&SESSION, FieldBits::Eight, [b"p", b"v", b"trees"]),
        challenge(&SessionId::new([2; 32]), FieldBits::Four, [b"p", b"v", b"trees"]),
        challenge(&SESSION, FieldBits::Four, [b"q", b"v", b"trees"]),
        challenge(&SESSION, FieldBits::Four, [b"p", b"w", b"trees"]),
        challenge(&SESSION, FieldBits::Four, [b"p", b"v", b"treez"]),
    ];
    assert!((0..all.len()).all(|i| !all[..i].contains(&all[i])));
}

/// The bits of the next 128 tags.
fn next_bits(p: &mut Receiver) -> Vec<u128> {
    let mut tags = Vec::new();
    p.extend_with(128, &mut tags).unwrap();
    tags.iter().map(|tag| bit(*tag)).collect()
}

#[test]
fn forks_with_different_labels_and_the_extension_itself_have_nothing_in_common() {
    for bits in FieldBits::ALL {
        let (mut p, mut v) = shared_pair(bits);
        let mut forks = ["a", "b"].map(|label| (p.fork(label).unwrap(), v.fork(label).unwrap()));
        let mut inner = [(forks[0].0.fork("b").unwrap(), forks[0].1.fork("b").unwrap())];
        let mut seen = vec![next_bits(&mut p)];
        let mut challenges = vec![shared_pair(bits).0.transcript.challenge_seed::<16>("x")];
        for (p, v) in forks.iter_mut().chain(&mut inner) {
            challenges.push(p.transcript.clone().challenge_seed("x"));
            let (mut tags, mut keys) = (Vec::new(), Vec::new());
            let message = p.extend_with(128, &mut tags).unwrap();
            v.extend_with(128, &message, &mut keys).unwrap();
            assert_correlated(v.delta(), &tags, &keys);
            seen.push(tags.iter().map(|tag| bit(*tag)).collect());
        }
        for i in 0..seen.len() {
            assert!(!seen[..i].contains(&seen[i]) && !challenges[..i].contains(&challenges[i]), "{i}");
        }
    }
}

#[test]
fn a_label_forks_once_and_nothing_forks_after_it_has_been_read() {
    let (mut p, mut v) = shared_pair(FieldBits::Four);
    assert!(p.fork("a").is_ok() && v.fork("a").is_ok());
    assert!(matches!(p.fork("a").err(), Some(Error::Misuse(_))));
    assert!(matches!(v.fork("a").err(), Some(Error::Misuse(_))));
    let message = p.extend_with(10, &mut Vec::new()).unwrap();
    v.extend_with(10, &message, &mut Vec::new()).unwrap();
    assert!(matches!(p.fork("b").err(), Some(Error::Misuse(_))));
    assert!(matches!(v.fork("b").err(), Some(Error::Misuse(_))));
    assert!(matches!(p.into_leaves().err(), Some(Error::Misuse(_))));
    assert!(matches!(v.into_leaves().err(), Some(Error::Misuse(_))));
}

#[test]
fn errors_are_sticky_and_leave_no_correlation_behind() {
    let bits = FieldBits::Eight;
    let (mut p, mut v) = shared_pair(bits);
    let (mut left, mut right) = memory_pair(&Limits::default());
    let good = p.extend_with(CHUNK, &mut Vec::new()).unwrap();
    let mut bad = p.extend_with(5, &mut Vec::new()).unwrap();
    bad[0] ^= 1;
    left.send(SOFT_SPOKEN_EXTEND, &good).unwrap();
    left.send(SOFT_SPOKEN_EXTEND, &bad).unwrap();
    left.flush().unwrap();
    let mut out = vec![Gf128::ONE; 3];
    assert!(matches!(v.extend(&mut right, CHUNK + 5, &mut out), Err(Error::Cheat { .. })));
    assert_eq!(out.len(), 3);
    assert!(matches!(v.extend(&mut right, 1, &mut out), Err(Error::Misuse(_))));

    left.fail("the test ends the session");
    assert!(matches!(p.extend(&mut left, 1, &mut out), Err(Error::Channel(_))));
    assert!(matches!(p.extend(&mut left, 1, &mut out), Err(Error::Misuse(_))));
    assert_eq!(out.len(), 3);
}

#[test]
fn a_wrong_point_from_p_ends_vs_setup() {
    let (mut left, mut right) = memory_pair(&Limits::default());
    left.send(BASE_OT_SENDER, &[0xff; 32]).unwrap();
    left.send(SOFT_SPOKEN_TREE, &[0; 4128]).unwrap();
    left.flush().unwrap();
    let result =
        Sender::setup(&mut right, &SESSION, FieldBits::Eight, Delta::random(&mut rng(1)), &mut rng(2));
    assert!(matches!(result.err(), Some(Error::Malformed { step: BASE_OT_SENDER, .. })));
}

/// So column 0 of `v` reaches nobody, and a V that chose that bit as zero learns nothing from it (module
/// docs).
#[test]
fn the_lowest_bits_of_tags_are_the_sum_of_the_first_trees_streams() {
    let bits = FieldBits::Four;
    let (seeds, _) = tree::grow_all(&SESSION, bits, &shared_keys());
    let mut u = [Gf128::ZERO; 2];
    let (leaves, salt) = seeds.tree(0);
    for seed in leaves {
        let mut stream = [Gf128::ZERO; 2];
        Aes::new(*seed).salted_ctr(salt, 0, &mut stream);
        u.iter_mut().zip(stream).for_each(|(u, s)| *u += s);
    }
    let mut tags = Vec::new();
    shared_pair(bits).0.extend_with(200, &mut tags).unwrap();
    for (i, tag) in tags.iter().enumerate() {
        assert_eq!(bit(*tag), u[i / 128].to_bits() >> (i % 128) & 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn chunks_of_any_size_satisfy_the_relation(sizes in proptest::collection::vec(1..600_usize, 1..4)) {
        for bits in FieldBits::ALL {
            let (mut p, mut v) = shared_pair(bits);
            let (mut tags, mut keys) = (Vec::new(), Vec::new());
            for n in &sizes {
                let message = p.extend_with(*n, &mut tags).unwrap();
                v.extend_with(*n, &message, &mut keys).unwrap();
            }
            prop_assert_eq!(tags.len(), sizes.iter().sum::<usize>());
            assert_correlated(v.delta(), &tags, &keys);
        }
    }

    #[test]
    fn any_bytes_from_p_are_read_without_a_panic(
        trees in proptest::collection::vec(any::<u8>(), 0..5000),
        chunk in proptest::collection::vec(any::<u8>(), 0..2000),
        rows in 0..300_usize,
    ) {
        let (_, mut v) = shared_pair(FieldBits::Four);
        prop_assert!(fuzz::chunk(&mut v, rows, &chunk).is_err());
        let point = crate::base_ot::Sender::start(&mut rng(1)).message();
        prop_assert!(fuzz::trees(&point, &trees, FieldBits::Eight, &mut rng(2)).is_err());
    }
}
