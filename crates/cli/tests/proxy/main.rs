//! Two processes, `volery verify` and `volery prove`, and an attacker between them who flips, drops, repeats,
//! cuts and delays bytes at random places, in both directions.
//!
//! Whatever the attacker does:
//!
//! * the verifier never accepts a false statement;
//! * it never accepts a true one if a byte of the prover's that it read was not the prover's;
//! * the prover takes itself for accepted only if the verifier accepted, or the verifier's bytes were
//!   changed;
//! * both end in time, with a code that says how, and with a message if it was not well; nobody panics.
//!
//! An honest program cannot prove a false statement, so the attacker helps: the prover proves a true
//! statement, and the attacker exchanges the names of the two statements (the digests in `Begin`).

// clippy's exception for tests covers test functions only, not their helpers.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod faults;
mod parties;
mod pipe;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};

use faults::{Fault, Kind};
use parties::{CASES, Case, run};
use pipe::{Direction, Plan};

/// How long a party waits for a message in tests that lose bytes.
const SHORT: Duration = Duration::from_secs(1);

/// How long a party waits in tests that lose nothing: far longer than any delay.
const LONG: Duration = Duration::from_secs(60);

/// The numbers of bytes that an honest prover and an honest verifier send.
fn honest_lengths(case: &Case) -> [usize; 2] {
    let end = run(case, &Plan::default(), LONG);
    assert_eq!((end.verifier.code, end.prover.code), (0, 0), "{end:?}");
    assert!(end.to_verifier.is_faithful() && end.to_prover.is_faithful());
    [end.to_verifier.sent.len(), end.to_prover.sent.len()]
}

/// Run number `number`: one fault somewhere in what `case` honestly sends.
fn attack(case: &Case, lengths: [usize; 2], number: u64) -> bool {
    let mut rng = ChaCha20Rng::seed_from_u64(number);
    let direction = if rng.next_u32() % 3 == 0 { Direction::ToProver } else { Direction::ToVerifier };
    let length = lengths[direction as usize];
    let fault = Fault::random(length, &mut rng);
    let lie = rng.next_u32() % 3 == 0;
    let plan = Plan { fault: Some((direction, fault)), rename: lie.then(|| case.names()), pieces: None };
    let end = run(case, &plan, SHORT);
    let context = || format!("run {number}: {}, {direction:?}, {fault:?}, lie: {lie}: {end:?}", case.name);

    for party in [&end.verifier, &end.prover] {
        assert!([0, 1, 3].contains(&party.code), "{}", context());
        assert!(!party.messages.contains("panic"), "{}", context());
        let told = party.messages.lines().any(|line| line.starts_with("volery: ") && line.len() > 20);
        assert!(party.code == 0 || told, "no message: {}", context());
    }
    if end.verifier.code == 0 {
        assert!(!lie, "A FALSE STATEMENT IS ACCEPTED: {}", context());
        // Bytes after the proof, like the reason for giving up, are no part of it.
        let proof = end.to_verifier.sent.get(..lengths[0]);
        assert!(proof.is_some_and(|proof| end.to_verifier.delivered.starts_with(proof)), "{}", context());
    }
    if end.prover.code == 0 {
        assert!(end.verifier.code == 0 || !end.to_prover.is_faithful(), "{}", context());
    }
    !(end.to_verifier.is_faithful() && end.to_prover.is_faithful())
}

/// Runs `runs` attacks on `cases`, several at a time, since parties mostly wait.
fn attacks(runs: u64, cases: &[&Case], at_once: u64) {
    let lengths: Vec<[usize; 2]> = cases.iter().map(|case| honest_lengths(case)).collect();
    let changed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for first in 0..at_once {
            let (lengths, changed) = (&lengths, &changed);
            scope.spawn(move || {
                for number in (first..runs).step_by(at_once as usize) {
                    let which = (number / 2) as usize % cases.len();
                    if attack(cases[which], lengths[which], number) {
                        changed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    // Faults that change nothing (a repeated zero among zeros, a cut after the last byte that is read) are
    // rare.
    let changed = changed.into_inner() as u64;
    assert!(
        2 * changed > runs,
        "only {changed} of {runs} runs changed anything: the test has lost its teeth"
    );
}

#[test]
fn a_few_dozen_attacks_on_the_way_gain_nothing() {
    attacks(48, &[&CASES[0], &CASES[1]], 16);
}

#[test]
#[ignore = "long: a thousand pairs of processes"]
fn long_a_thousand_attacks_on_the_way_gain_nothing() {
    let [small, hashed, large] = &CASES;
    attacks(1200, &[small, hashed, small, hashed, small, hashed, small, large], 16);
}

#[test]
fn a_false_statement_under_the_right_name_is_rejected() {
    for case in &CASES {
        let plan = Plan { rename: Some(case.names()), ..Plan::default() };
        let end = run(case, &plan, LONG);
        assert_eq!((end.verifier.code, end.prover.code), (1, 1), "{end:?}");
        assert!(end.verifier.messages.contains("volery: rejected: "), "{end:?}");
        assert!(end.prover.messages.contains("volery: rejected: "), "{end:?}");
    }
}

#[test]
fn without_help_on_the_way_a_lie_is_a_mismatch_before_anything_is_proved() {
    for case in &CASES {
        let end = parties::run_claimed(case, &Plan::default(), LONG);
        assert_eq!((end.verifier.code, end.prover.code), (3, 3), "{end:?}");
        assert!(end.verifier.messages.contains("statement"), "{end:?}");
    }
}

#[test]
fn delays_and_crumbs_change_nothing() {
    for number in 0..4 {
        let (case, mut rng) = (&CASES[number as usize % 2], ChaCha20Rng::seed_from_u64(number));
        let direction = if number < 2 { Direction::ToVerifier } else { Direction::ToProver };
        let at = rng.next_u32() as usize % 8000;
        let fault = Fault { at, kind: Kind::Pause(Duration::from_millis(300)) };
        let plan = Plan { fault: Some((direction, fault)), rename: None, pieces: Some(number) };
        let end = run(case, &plan, LONG);
        assert_eq!((end.verifier.code, end.prover.code), (0, 0), "{fault:?}: {end:?}");
    }
}
