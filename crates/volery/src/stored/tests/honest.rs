//! Honest use, and mistakes that must cost nothing.

use volery_circuit::statements::Mul32;
use volery_circuit::{Counter, Evaluator};
use volery_field::F2;
use volery_zk::disjunction::AnyOf;
use volery_zk::quicksilver;

use super::super::{Error, Report};
use super::*;
use crate::system::Bits;

#[test]
fn a_proof_is_accepted_once() {
    let desk = Desk::new();
    let mut prover = desk.prover();
    let report = prover.prove(Bits, &aes_with_key(), &desk.path("proof")).unwrap();
    assert_eq!(
        report.range,
        0..1792,
        "128 secrets, 184 S-boxes of 8 each, one check: 1728, in chunks of 256"
    );
    assert_eq!(report.bytes, std::fs::metadata(desk.path("proof")).unwrap().len());
    let mut verifier = desk.verifier();
    let accepted = verifier.verify(Bits, &aes(ciphertext()), &desk.path("proof")).unwrap();
    assert_eq!((accepted.tally, accepted.range), (report.tally, report.range));
    let again = verifier.verify(Bits, &aes(ciphertext()), &desk.path("proof"));
    assert_eq!(again, Err(Error::Used { range: 0..1792 }));
    drop(verifier);
    let again = desk.verifier().verify(Bits, &aes(ciphertext()), &desk.path("proof"));
    assert_eq!(again, Err(Error::Used { range: 0..1792 }));
    assert_eq!(desk.names(), ["P.vole", "V.vole", "proof"]);
}

#[test]
fn proofs_may_be_verified_in_any_order_and_some_not_at_all() {
    let desk = Desk::new();
    for i in 0..20 {
        // Opened anew every other time.
        let mut prover = desk.prover();
        let first = prover.prove(Bits, &small(), &desk.path(&format!("{i}a"))).unwrap();
        assert_eq!(first.range, 1024 * i..1024 * i + 512);
        prover
            .prove(Bits, &small(), &desk.path(&format!("{i}b")))
            .unwrap_or_else(|error| panic!("{i}: {error}"));
        if prover.remaining() < 1024 {
            break;
        }
    }
    let mut verifier = desk.verifier();
    for i in [7, 0, 15, 3, 4, 14] {
        for half in ["b", "a"] {
            verifier.verify(Bits, &small(), &desk.path(&format!("{i}{half}"))).unwrap();
        }
    }
    assert_eq!(verifier.info().consumed, [0..1024, 3072..5120, 7168..8192, 14336..16384]);
    assert_eq!(verifier.remaining(), 16384 - 6 * 1024);
}

#[test]
fn blocks_and_threads_make_no_difference_and_the_count_is_exact_at_every_border() {
    // 128 secrets; the interval is 2^17 commitments.
    let interval = Options::default().settings().interval as u64;
    let desk = Desk::made(6 * interval, 20);
    let mut prover = desk.prover().with_threads(2).unwrap();
    let mut verifier = desk.verifier().with_threads(3).unwrap();
    for (i, ands) in
        [0, 1, interval - 129, interval - 128, interval - 127, 2 * interval - 128].into_iter().enumerate()
    {
        let proof = desk.path(&i.to_string());
        let statement = AndChain::new(ands);
        let report = prover.prove(Bits, &statement, &proof).unwrap();
        assert_eq!(report.tally.multiplications, ands);
        assert_eq!(verifier.verify(Bits, &statement, &proof).unwrap().range, report.range);
    }
    assert!(matches!(prover.with_threads(0), Err(Error::Options(_))));
}

#[test]
fn consumed_correlations_are_wiped_and_others_are_not() {
    let desk = Desk::new();
    desk.prover().prove(Bits, &small(), &desk.path("proof")).unwrap();
    desk.verifier().verify(Bits, &small(), &desk.path("proof")).unwrap();
    for path in [desk.p(), desk.v()] {
        let bytes = std::fs::read(path).unwrap();
        let (used, rest) = bytes[16384..].split_at(2 * 4112);
        assert!(used.iter().all(|byte| *byte == 0));
        assert!(rest.as_chunks::<16>().0.iter().all(|bytes| *bytes != [0; 16]));
    }
}

#[test]
fn what_cannot_be_proved_costs_nothing() {
    let desk = Desk::new();
    std::fs::write(desk.path("taken"), "here").unwrap();
    let mut prover = desk.prover();
    let wrong = aes([9; 16]).with_key(Zeroizing::new(vec![2; 16])).unwrap();
    let cases = [
        prover.prove(Bits, &wrong, &desk.path("proof")),
        prover.prove(Bits, &aes(ciphertext()), &desk.path("proof")),
        prover.prove(Bits, &AndChain::new(17_000), &desk.path("proof")),
        prover.prove(Bits, &small(), &desk.path("taken")),
        prover.prove(Bits, &small(), &desk.path("no/such/folder")),
    ];
    use volery_circuit::Error as Statement;
    assert!(matches!(cases[0], Err(Error::Statement(Statement::Unsatisfied { .. }))), "{:?}", cases[0]);
    assert!(matches!(cases[1], Err(Error::Statement(Statement::Witness(_)))), "{:?}", cases[1]);
    assert_eq!(cases[2], Err(Error::Exhausted { needed: 17_408, left: 16_384 }));
    assert!(matches!(cases[3], Err(Error::Exists { .. })), "{:?}", cases[3]);
    assert!(matches!(cases[4], Err(Error::Io { what: "create", .. })), "{:?}", cases[4]);
    assert_eq!(prover.remaining(), 16_384);
    assert_eq!(std::fs::read(desk.path("taken")).unwrap(), b"here");
    assert_eq!(desk.names(), ["P.vole", "V.vole", "taken"]);
    // To the last correlation.
    prover.prove(Bits, &AndChain::new(16_384 - 128 - 128), &desk.path("proof")).unwrap();
    assert_eq!(prover.remaining(), 0);
    assert!(matches!(
        prover.prove(Bits, &small(), &desk.path("more")),
        Err(Error::Exhausted { needed: 512, left: 0 })
    ));
}

#[test]
fn an_open_file_is_locked() {
    let desk = Desk::new();
    let held = (desk.prover(), desk.verifier());
    assert!(matches!(ProverFile::open(&desk.p()), Err(Error::Locked { .. })));
    assert!(matches!(VerifierFile::open(&desk.v()), Err(Error::Locked { .. })));
    drop(held);
    let _ = (desk.prover(), desk.verifier());
}

#[test]
fn files_know_whose_they_are() {
    let desk = Desk::new();
    assert!(matches!(ProverFile::open(&desk.v()), Err(Error::WrongRole { role: Role::Verifier, .. })));
    assert!(matches!(VerifierFile::open(&desk.p()), Err(Error::WrongRole { role: Role::Prover, .. })));
    assert_eq!(desk.prover().info().session, desk.verifier().info().session);
}

/// What such a proof takes is known beforehand as a bound: the rest of it is given up.
fn proved_and_accepted<S>(desk: &Desk, statement: &S, proof: &str) -> (Report, u64)
where
    S: for<'a> Statement<quicksilver::bits::Prover<'a>>
        + for<'a> Statement<quicksilver::bits::Verifier<'a>>
        + Statement<Evaluator<F2>>
        + Statement<Counter<F2>>,
{
    let report = desk.prover().prove(Bits, statement, &desk.path(proof)).unwrap();
    let accepted = desk.verifier().verify(Bits, statement, &desk.path(proof)).unwrap();
    assert_eq!((&accepted.tally, &accepted.range), (&report.tally, &report.range));
    let used = report.tally.secrets + report.tally.multiplications;
    let wasted = report.range.end - report.range.start - used;
    (report, wasted)
}

#[test]
fn polynomials_are_proved_and_the_next_proof_takes_what_comes_after() {
    let desk = Desk::new();
    let statement = Mul32::sample(1, [1; 32]);
    let (first, wasted) = proved_and_accepted(&desk, &statement, "first");
    assert!(first.tally.degree == 4 && wasted < 128 * 5 + 256, "{wasted}");
    let (second, _) = proved_and_accepted(&desk, &statement, "second");
    assert_eq!(second.range.start, first.range.end);
}

#[test]
fn disjunctions_are_proved_and_whichever_branch_holds_the_proof_is_as_long() {
    let desk = Desk::made(65_536, 60);
    let keys = [[2; 16], [3; 16], [4; 16]];
    let any = |choice: usize| {
        let branch = |(i, key): (usize, _)| match i == choice {
            true => encrypts(key).with_key(Zeroizing::new(key.to_vec())).unwrap(),
            false => encrypts(key),
        };
        let branches = keys.into_iter().enumerate().map(branch).collect();
        AnyOf::<F2, _>::new(branches).unwrap().with_choice(choice).unwrap()
    };
    let reports = [0, 2].map(|choice| proved_and_accepted(&desk, &any(choice), &choice.to_string()).0);
    // 128 secrets, three commitments for each of 6400 multiplications; two checks, and what masks a product
    // of three.
    let most = 128 + 3 * 6400 + 128 * (2 + 4);
    assert_eq!(reports[0].range, 0..u64::next_multiple_of(most, 256));
    assert_eq!(reports[0].bytes, reports[1].bytes);
}
