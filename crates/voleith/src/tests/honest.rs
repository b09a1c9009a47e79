//! Proofs that hold: of all shapes, with any number of threads, with and without a message.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use volery_circuit::Statement;
use volery_circuit::statements::{Aes128Key, AndChain};
use volery_zk::quicksilver::bits;

use super::cheats::file_of;
use super::disjunctions::{Twice, branches};
use super::statements::{Chain, Cubic, Fickle, Growing, Silent};
use super::{check, few, message, proof_of, settings};
use crate::proof::Prover;
use crate::{Demands, Error, Header, Parameters, Settings, proof_bytes, prove, soundness, verify};

#[test]
fn every_set_of_parameters_proves_and_the_length_is_foretold() {
    for parameters in Parameters::ALL {
        let chain = Chain::of(20, 300);
        let (proved, proof) = proof_of(&chain, &settings(parameters), 1);
        let checked = check(&chain.claim(), &proof).expect("holds");
        assert_eq!(checked, proved);
        assert_eq!(proved.bytes, proof.len() as u64);
        assert_eq!(proof_bytes(parameters, 320, 2), Some(proved.bytes));
        let header = Header::read(&mut &proof[..]).expect("reads");
        assert_eq!((header.parameters(), header.commitments(), header.is_bound()), (parameters, 320, false));
        assert!(
            soundness::bits(parameters, soundness::Size::of(&proved.tally), 0.0)
                >= f64::from(parameters.sigma())
        );
    }
}

/// Whatever the borders of blocks of columns (32,768 rows), of 128 rows, of bytes.
#[test]
fn commitments_of_any_number_are_proved() {
    for (secrets, ands) in [(0, 0), (1, 0), (1, 1), (3, 4), (5, 3), (100, 27), (100, 28), (100, 29)]
        .into_iter()
        .chain([1919, 1920, 1921, 32_639, 32_640, 32_641, 32_767, 32_768, 32_769].map(|n| (10, n - 10)))
    {
        let chain = Chain::of(secrets, ands);
        let (proved, proof) = proof_of(&chain, &settings(Parameters::Fast80), 2);
        assert_eq!(check(&chain.claim(), &proof), Ok(proved), "{secrets}, {ands}");
        assert_eq!(proof_bytes(Parameters::Fast80, (secrets + ands) as u64, 2), Some(proof.len() as u64));
    }
}

/// It runs the statement once more instead.
#[test]
fn a_prover_without_room_for_its_values_makes_the_same_proof() {
    fn same<S: for<'a> Statement<bits::Prover<'a>>>(statement: &S) {
        let settings = settings(Parameters::Fast80);
        assert!(file_of(statement, &settings, 2, Prover::forget) == proof_of(statement, &settings, 2).1);
    }
    for (secrets, ands) in [(3, 4), (20, 2000), (20, 33_000)] {
        same(&Chain::of(secrets, ands));
    }
    same(&Cubic(Some([true; 3])));
    same(&Twice::new(branches(3), Some(1)));
}

#[test]
fn a_statement_that_asks_for_more_secrets_when_it_runs_again_is_not_proved() {
    for forgets in [false, true] {
        let growing = Growing(AtomicUsize::new(0));
        let settings = settings(Parameters::Fast80);
        let mut prover = Prover::start(&growing, &settings, &mut volery_testing::rng(2)).expect("holds");
        if forgets {
            prover.forget();
        }
        let error = prover.prove(&growing, &mut Cursor::new(Vec::new())).expect_err("another program");
        assert!(matches!(error, Error::Statement(volery_circuit::Error::Misuse(_))), "{error}");
    }
}

#[test]
fn polynomials_and_s_boxes_are_proved() {
    let (proved, proof) = proof_of(&Cubic(Some([true, true, true])), &settings(Parameters::Fast80), 3);
    assert_eq!((proved.tally.degree, proved.tally.polynomials, proved.tally.assertions), (3, 2, 1));
    assert_eq!(check(&Cubic(None), &proof), Ok(proved));
    assert_eq!(proof_bytes(Parameters::Fast80, 3, 3), Some(proved.bytes));

    // FIPS 197, appendix C.1.
    let plaintext = core::array::from_fn(|i| i as u8 * 0x11);
    let ciphertext = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
    let statement = || Aes128Key::new(plaintext, ciphertext);
    let known = statement().with_key((0..16).collect::<Vec<u8>>().into()).expect("fits");
    for parameters in [Parameters::Fast, Parameters::Small] {
        let (proved, proof) = proof_of(&known, &settings(parameters), 3);
        assert_eq!(check(&statement(), &proof), Ok(proved));
        assert_eq!(proved.tally.secrets, 128 + 184 * 8);
    }
}

#[test]
fn one_seed_makes_one_proof_with_any_number_of_threads_and_another_seed_another() {
    let chain = Chain::of(50, 9000);
    let alone = settings(Parameters::Fast80);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    let together = Settings { threads: Some(Arc::new(pool)), ..alone.clone() };
    let (_, proof) = proof_of(&chain, &alone, 4);
    assert!(proof == proof_of(&chain, &together, 4).1);
    let other = proof_of(&chain, &alone, 5).1;
    assert!(proof != other);
    let demands = Demands { threads: together.threads, ..few() };
    verify(&chain.claim(), &demands, &mut &other[..]).expect("holds");
}

/// A generator that repeats its output makes other trees for another witness, message, statement or
/// parameters.
#[test]
fn the_same_randomness_opens_no_trees_twice() {
    // Only the first bit matters.
    let chain = Chain::of(9, 0);
    let mut other = Chain::of(9, 0);
    other.witness.as_mut().expect("there is one")[5] ^= true;
    let plain = settings(Parameters::Fast80);
    let bound = Settings { message: Some(message("a")), ..plain.clone() };
    let salts: Vec<_> = [
        (&chain, plain.clone()),
        (&other, plain.clone()),
        (&chain, bound),
        (&Chain::of(8, 0), plain),
        (&chain, settings(Parameters::Small80)),
    ]
    .into_iter()
    .map(|(chain, settings)| proof_of(chain, &settings, 9).1[64..96].to_vec())
    .collect();
    assert!((0..salts.len()).all(|i| !salts[..i].contains(&salts[i])));
}

#[test]
fn a_proof_is_about_its_message_and_about_none_if_it_has_none() {
    let chain = Chain::of(5, 9);
    let plain = settings(Parameters::Fast80);
    let bound = Settings { message: Some(message("pay 5")), ..plain.clone() };
    let demand = |message| Demands { message, ..few() };
    let verify = |proof: &[u8], message| verify(&chain.claim(), &demand(message), &mut &proof[..]);
    let (_, without) = proof_of(&chain, &plain, 6);
    let (_, with) = proof_of(&chain, &bound, 6);
    assert!(verify(&without, None).is_ok() && verify(&with, Some(message("pay 5"))).is_ok());
    assert_eq!(verify(&with, None).expect_err("a message"), Error::Message { bound: true });
    let error = verify(&without, Some(message("pay 5"))).expect_err("no message");
    assert_eq!(error, Error::Message { bound: false });
    let error = verify(&with, Some(message("pay 6"))).expect_err("another message");
    assert!(matches!(error, Error::Challenge("columns and relations")), "{error}");
}

#[test]
fn a_verifier_that_demands_more_bits_or_another_statement_accepts_nothing_else() {
    let chain = Chain::of(5, 9);
    let (_, proof) = proof_of(&chain, &settings(Parameters::Fast80), 7);
    let demand = |sigma| Demands { sigma, ..few() };
    assert!(verify(&chain.claim(), &demand(80), &mut &proof[..]).is_ok());
    let error = verify(&chain.claim(), &demand(81), &mut &proof[..]).expect_err("80 bits");
    assert_eq!(error, Error::Soundness { proof: 80, demanded: 81 });
    let error = verify(&chain.claim(), &Demands::default(), &mut &proof[..]);
    assert_eq!(error, Err(Error::Soundness { proof: 80, demanded: 128 }));
    let error = check(&Chain::of(5, 10).claim(), &proof).expect_err("another statement");
    assert!(matches!(error, Error::OtherStatement { .. }), "{error}");
}

/// P says what is wrong before there is a proof.
#[test]
fn no_proof_is_made_of_what_does_not_hold_or_changes_or_claims_nothing() {
    let mut wrong = Chain::of(5, 9);
    wrong.parity = !wrong.parity;
    let (settings, mut rng) = (settings(Parameters::Fast80), volery_testing::rng(8));
    let mut out = Cursor::new(Vec::new());
    let error = prove(&wrong, &settings, &mut rng, &mut out).expect_err("false");
    assert!(matches!(error, Error::Statement(volery_circuit::Error::Unsatisfied { .. })), "{error}");
    let error = prove(&wrong.claim(), &settings, &mut rng, &mut out).expect_err("no witness");
    assert!(matches!(error, Error::Statement(volery_circuit::Error::Witness(_))), "{error}");
    let error = prove(&Fickle(AtomicBool::new(false)), &settings, &mut rng, &mut out).expect_err("fickle");
    assert!(matches!(error, Error::Statement(volery_circuit::Error::Misuse(_))), "{error}");
    let error = prove(&Silent, &settings, &mut rng, &mut out).expect_err("silent");
    assert_eq!(error, volery_circuit::Error::nothing_claimed().into());
}

/// The greatest memory of this process so far, in megabytes; none where there is no `/proc`.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

/// Far beyond what P keeps between its passes. Run it alone: other tests' memory counts, too.
#[test]
#[ignore = "long: ten million ANDs, through a file"]
fn long_memory_does_not_grow_with_the_statement() {
    let chain = AndChain::new(10_000_000);
    let path = std::env::temp_dir().join(format!("volery-voleith-{}", std::process::id()));
    let mut file = std::fs::File::create(&path).expect("writable");
    let plain = settings(Parameters::Fast80);
    let proved = prove(&chain, &plain, &mut volery_testing::rng(10), &mut file).expect("proves");
    assert_eq!(proof_bytes(plain.parameters, 10_000_128, 2), Some(proved.bytes));
    let after_p = peak();
    let mut file = std::io::BufReader::new(std::fs::File::open(&path).expect("readable"));
    let verified = verify(&chain, &few(), &mut file);
    std::fs::remove_file(&path).expect("removable");
    assert_eq!(verified, Ok(proved));
    for most in [after_p, peak()].into_iter().flatten() {
        assert!(most < 64, "{most} MB");
    }
}
