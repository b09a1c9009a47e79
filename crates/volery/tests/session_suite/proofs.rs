//! Honest sessions.

use std::collections::BTreeMap;

use volery::statements::{AndChain, Sha256Preimage};
use volery::system::{Bits, Provable};
use volery::{Error, Options, Profile, Prover, Verifier, Zeroizing};
use volery_channel::tags;

use crate::support::{Product, aes128, between, options, patient, rng, tapped, two_stages};

fn sha256() -> Sha256Preimage {
    // FIPS 180-2, appendix B.1: the digest of "abc".
    let digest = [
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0,
        0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
    ];
    let message = Zeroizing::new(b"abc".to_vec());
    Sha256Preimage::new(digest, 3).and_then(|claim| claim.with_message(message)).expect("three bytes")
}

#[test]
fn one_session_proves_many_statements_in_every_mode() {
    let (product, chain) = (Product { result: true, witness: Some([true, true]) }, two_stages());
    let (sha256, aes128) = (sha256(), aes128());
    let claims: [&dyn Provable<Bits>; 6] = [&product, &sha256, &chain, &aes128, &product, &sha256];
    for profile in [Profile::Lan, Profile::Wan] {
        for fiat_shamir in [false, true] {
            let options = Options { profile, ..options(fiat_shamir, 1) };
            let outcome = tapped(&patient(), [options, options], &claims, None);
            let (p, v) = (outcome.prover.expect("accepted"), outcome.verifier.expect("accepts"));
            assert_eq!((p.len(), v.len()), (6, 6));
            for (p, v) in p.iter().zip(&v) {
                assert_eq!(p.tally, v.tally);
                assert_eq!((p.bytes_sent, p.bytes_received), (v.bytes_received, v.bytes_sent));
            }
            let counts: Vec<u64> = v.iter().map(|report| report.tally.multiplications).collect();
            // AES's S-boxes are no multiplications, but two polynomials and, up to the last round, eight
            // secrets.
            assert_eq!((counts[0], counts[2], counts[3], counts[4]), (1, 160_000, 0, 1));
            assert_eq!((v[3].tally.secrets, v[3].tally.polynomials), (128 + 8 * 184, 2 * 200));
            assert_eq!(counts[1], counts[5]);
        }
    }
}

/// Set-up, correlations of both kinds and proof: threads decide who computes and how far a party is ahead,
/// never what.
#[test]
fn sessions_with_one_to_eight_threads_send_the_same_bytes_in_each_step() {
    let chain = two_stages();
    let mut first = None;
    for threads in 1..=8 {
        let both = [options(false, threads), options(false, 9 - threads)];
        let outcome = tapped(&patient(), both, &[&chain], None);
        outcome.prover.expect("accepted");
        outcome.verifier.expect("accepts");
        assert!(outcome.sent[0].iter().any(|(tag, _)| *tag == tags::FERRET_CHECK), "no Ferret round");
        let steps = outcome.sent.map(|messages| {
            let mut steps = BTreeMap::<u8, Vec<u8>>::new();
            for (tag, payload) in messages {
                steps.entry(tag.byte()).or_default().extend(payload);
            }
            steps
        });
        assert!(*first.get_or_insert_with(|| steps.clone()) == steps, "{threads} threads");
    }
}

/// Whoever reads ahead further, both parties prepare the next round at the same place, also where only the
/// second statement shows that there will be one.
#[test]
fn a_long_statement_after_a_short_one_is_proved_whatever_the_threads() {
    assert_proved_in_a_row(&[335_000, 1_000_000]);
}

/// The numbers of commitments are no multiples of eight: masks end within a byte wherever a party waits.
#[test]
fn statements_of_odd_lengths_follow_each_other_whatever_the_threads() {
    assert_proved_in_a_row(&[335_001, 1_000_003, 10, 700_005, 100_000]);
}

fn assert_proved_in_a_row(lengths: &[u64]) {
    let chains: Vec<AndChain> = lengths.iter().copied().map(AndChain::new).collect();
    let claims: Vec<&dyn Provable<Bits>> = chains.iter().map(|chain| chain as &dyn Provable<Bits>).collect();
    for threads in [[8, 1], [1, 8], [3, 5]] {
        let outcome = tapped(&patient(), threads.map(|threads| options(false, threads)), &claims, None);
        assert_eq!(outcome.verifier.map(|reports| reports.len()), Ok(lengths.len()), "{threads:?}");
        assert!(outcome.prover.is_ok(), "{threads:?}");
    }
}

#[test]
fn a_wrong_witness_ends_the_session_at_both_parties_and_for_good() {
    let good = Product { result: true, witness: Some([true, true]) };
    let bad = Product { result: true, witness: Some([true, false]) };
    for fiat_shamir in [false, true] {
        let options = options(fiat_shamir, 1);
        let (p, v) = between(
            &patient(),
            |p| {
                let mut rng = rng(1);
                let mut prover = Prover::start(p, options, &mut rng).expect("starts");
                prover.prove(Bits, &good, &mut rng).expect("accepted");
                let first = prover.prove(Bits, &bad, &mut rng).expect_err("the witness is wrong");
                (first, prover.prove(Bits, &good, &mut rng).expect_err("it is over"))
            },
            |v| {
                let mut rng = rng(2);
                let mut verifier = Verifier::start(v, options, &mut rng).expect("starts");
                verifier.verify(Bits, &good, &mut rng).expect("accepts");
                let first = verifier.verify(Bits, &good, &mut rng).expect_err("P gave up");
                (first, verifier.verify(Bits, &good, &mut rng).expect_err("it is over"))
            },
        );
        let unsatisfied = matches!(
            &p.0,
            Error::Proof(volery_zk::Error::Statement(volery_circuit::Error::Unsatisfied {
                assertion: 0,
                ..
            }))
        );
        assert!(unsatisfied, "{:?}", p.0);
        assert_eq!((p.1, v.1), (Error::Over, Error::Over));
        assert!(!v.0.is_rejection());
        // V learns that P gave up, not at what.
        assert!(v.0.to_string().contains("a party cannot run the statement"), "{}", v.0);
    }
}

#[test]
fn a_statement_without_a_witness_is_refused_at_the_prover_and_said_so() {
    let claim = Product { result: true, witness: None };
    let outcome = tapped(&patient(), [options(false, 1); 2], &[&claim], None);
    assert!(outcome.verifier.is_err());
    let error = outcome.prover.expect_err("no witness");
    assert!(error.to_string().contains("witness"), "{error}");
}

#[test]
fn impossible_numbers_of_threads_are_refused() {
    for threads in [0, Options::MAX_THREADS + 1] {
        let outcome = tapped(&patient(), [options(false, threads), options(false, 1)], &[], None);
        assert!(matches!(outcome.prover, Err(Error::Options(_))));
        assert!(outcome.verifier.is_err());
    }
}

#[test]
fn a_small_proof_takes_few_bytes_and_round_trips() {
    let outcome = tapped(&patient(), [options(false, 1); 2], &[&AndChain::new(6400)], None);
    let reports = outcome.prover.expect("accepted");
    assert!(reports[0].round_trips <= 3, "{} round trips", reports[0].round_trips);
    let bytes: usize = outcome.sent.iter().flatten().map(|(_, payload)| payload.len() + 5).sum();
    assert!(bytes <= 150_000, "{bytes} bytes");
}
