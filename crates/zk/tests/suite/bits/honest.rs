//! What holds is accepted, what does not is not, and how many threads work on it makes no difference.

use volery_channel::{Channel, Tag, tags};
use volery_circuit::statements::{Aes128Key, AndChain, Sha256Preimage};
use volery_circuit::{Counter, Error as CircuitError, Evaluator, Statement};
use volery_field::F2;
use volery_testing::{Tap, between};
use volery_zk::Error;
use volery_zk::quicksilver::{Tally, bits::Program};
use zeroize::Zeroizing;

use crate::bits::parties::{Claim, MODES, Mode, Run};
use crate::bits::reference::Lie;
use crate::bits::statements::{Equal, Products, random, size};

/// A run whose details depend on `seed`: block length, batches, mode.
fn varied(seed: u64) -> Run {
    let batch = [1 + seed as usize * 7 % 301, 1 + seed as usize * 13 % 173];
    let interval = [1, 2, 3, 8, 63, 64, 65, 1000][seed as usize / 2 % 8];
    Run { batch, seed: seed as u8, ..Run::new(interval, MODES[seed as usize % 2]) }
}

#[test]
fn hundreds_of_random_circuits_are_proved() {
    random_circuits_are_proved(0..700);
}

#[test]
#[ignore = "long: thousands of circuits"]
fn long_thousands_of_random_circuits_are_proved() {
    random_circuits_are_proved(700..5000);
}

fn random_circuits_are_proved(seeds: core::ops::Range<u64>) {
    for seed in seeds {
        let claim = random(seed, size(seed), |_| {}).expect("holds");
        let (p, v) = varied(seed).honest(&claim);
        let counts = Counter::<F2>::count(&claim).expect("counts").total();
        let tally = v.unwrap_or_else(|error| panic!("circuit {seed}: {error}"));
        assert_eq!(p, Ok(tally), "circuit {seed}");
        assert_eq!(tally.multiplications, counts.multiplications, "circuit {seed}");
    }
}

#[test]
fn of_random_witnesses_exactly_those_are_accepted_that_the_evaluator_accepts() {
    let mut held = 0;
    for seed in 0..500 {
        let claim = random(seed, size(seed), |witness| {
            let at = seed as usize * 31 % witness.len();
            witness[at] += F2::ONE;
        })
        .expect("fits");
        let expected = Evaluator::<F2>::check(&claim);
        let run = varied(seed);
        // The honest prover stops where the evaluator does; one that goes on is caught.
        let (p, _) = run.honest(&claim);
        let (_, v) = run.lying(&claim, Lie::GoOn);
        match expected {
            Ok(()) => {
                held += 1;
                assert_eq!((p.is_ok(), v.is_ok()), (true, true), "circuit {seed}");
            }
            Err(error) => {
                assert_eq!(p, Err(Error::Statement(error)), "circuit {seed}");
                assert!(matches!(v, Err(Error::Rejected { .. })), "circuit {seed}: {v:?}");
            }
        }
    }
    // Both cases must occur for this to be a test of both.
    assert!((15..485).contains(&held), "{held} held");
}

/// The messages of P alone, or of the plain P, to a V that accepts them.
pub(crate) fn sent(
    run: Run,
    claim: &impl Claim,
    prover: impl Fn(&mut dyn Channel) -> Result<Tally, Error> + Sync,
) -> Vec<(Tag, Vec<u8>)> {
    let (sent, v) = between(
        |p| {
            let mut tap = Tap::recorder(p);
            prover(&mut tap).expect("accepted");
            tap.layer.sent
        },
        |v| run.verify(claim, v),
    );
    v.expect("accepts");
    sent
}

/// That the prover sends what the plain one does.
pub(crate) fn same_messages(run: Run, claim: &impl Claim) {
    let real = sent(run, claim, |p| run.prove(claim, p));
    let plain = sent(run, claim, |p| run.lie(claim, Lie::GoOn, p));
    assert_eq!(joined(&real), joined(&plain), "{run:?}");
}

#[test]
fn the_messages_are_those_of_the_paper() {
    for (interval, count) in [(1, 5), (7, 40), (8, 30), (64, 200), (1000, 2100)] {
        same_messages(Run::new(interval, Mode::Interactive), &Products::new(count));
    }
}

/// Messages with consecutive frames of masks joined: how many bits a frame holds is the prover's choice.
pub(crate) fn joined(messages: &[(Tag, Vec<u8>)]) -> Vec<(Tag, Vec<u8>)> {
    let mut out: Vec<(Tag, Vec<u8>)> = Vec::new();
    for (tag, payload) in messages {
        match out.last_mut() {
            Some((last, all)) if *last == tags::MASKS && *tag == tags::MASKS => {
                all.extend_from_slice(payload)
            }
            _ => out.push((*tag, payload.clone())),
        }
    }
    out
}

fn sha256() -> Sha256Preimage {
    // FIPS 180-2, appendix B.1: the digest of "abc".
    let digest = [
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0,
        0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
    ];
    let message = Zeroizing::new(b"abc".to_vec());
    Sha256Preimage::new(digest, 3).and_then(|claim| claim.with_message(message)).expect("three bytes")
}

pub(crate) fn aes128() -> Aes128Key {
    // FIPS 197, appendix C.1.
    let plaintext = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.to_be_bytes();
    let ciphertext = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
    let key = (0..16).collect();
    Aes128Key::new(plaintext, ciphertext).with_key(Zeroizing::new(key)).expect("16 bytes")
}

#[test]
fn hashes_ciphers_and_chains_are_proved_with_any_number_of_threads() {
    fn everywhere(claim: &(impl Claim + Statement<Counter<F2>>)) {
        let counts = Counter::<F2>::count(claim).expect("counts").total();
        for mode in MODES {
            for threads in [[1, 1], [2, 3], [8, 4]] {
                let run = Run { threads, ..Run::new(1000, mode) };
                let (p, v) = run.honest(claim);
                let tally = v.expect("accepts");
                assert_eq!(Program::from(&counts), Program::from(&tally));
                assert_eq!(
                    tally.multiplications,
                    counts.multiplications - 32 * (counts.s_boxes + counts.claimed_s_boxes)
                );
                p.expect("is told");
            }
        }
    }
    everywhere(&sha256());
    everywhere(&aes128());
    everywhere(&AndChain::new(20_000));
}

#[test]
fn transcripts_are_the_same_for_one_to_eight_threads() {
    let claim = AndChain::new(30_000);
    for mode in MODES {
        let mut first = None;
        for threads in 1..=8 {
            let run = Run { threads: [threads, 9 - threads], ..Run::new(9000, mode) };
            let transcript = between(
                |p| {
                    let mut tap = Tap::recorder(p);
                    run.prove(&claim, &mut tap).expect("accepted");
                    tap.layer.sent
                },
                |v| {
                    let mut tap = Tap::recorder(v);
                    run.verify(&claim, &mut tap).expect("accepts");
                    tap.layer.sent
                },
            );
            assert!(*first.get_or_insert_with(|| transcript.clone()) == transcript, "{threads} threads");
        }
    }
}

#[test]
fn statements_of_nothing_and_of_secrets_alone_are_proved() {
    for mode in MODES {
        for interval in [1, 2, 16, 1000] {
            let run = Run::new(interval, mode);
            for count in [0, 1, 2, 3, 15, 16, 17, 31, 32, 33] {
                let (p, v) = run.honest(&Products::new(count));
                assert_eq!(v.as_ref().map(|tally| tally.multiplications), Ok(count));
                assert_eq!(p, v);
                let pairs = count as usize;
                let (p, v) = run.honest(&Equal { pairs, last_differs: false });
                let blocks = (2 * count).div_ceil(interval as u64).max(1);
                let tally = Tally { secrets: 2 * count, assertions: count, blocks, ..Tally::default() };
                assert_eq!((p, v), (Ok(tally), Ok(tally)), "{mode:?} {interval} {count}");
            }
        }
    }
}

#[test]
fn an_honest_prover_stops_at_a_false_assertion_and_says_where() {
    let (p, v) = Run::new(64, Mode::Interactive).honest(&Products::false_at(300, 250));
    assert!(matches!(p, Err(Error::Statement(CircuitError::Unsatisfied { assertion: 0, .. }))), "{p:?}");
    assert!(matches!(v, Err(Error::Channel(volery_channel::Error::Peer { .. }))), "{v:?}");
}
