//! What the calling code may not do, and that errors are final.

use volery_channel::{Limits, memory_pair};
use volery_field::F2;
use volery_testing::{between, rng};

use super::functions::Toy;
use super::parties::{evaluator, evaluator_with, garbler, garbler_without_labels, settings};
use super::scenario::{A, B, Plan, run, sample};
use crate::Error;
use crate::two_party::{Garbling, Owner, Settings};

/// Runs P alone against a channel that nobody reads.
fn alone<T>(f: impl FnOnce(&mut crate::two_party::Garbler<Toy>, &mut dyn volery_channel::Channel) -> T) -> T {
    let (mut channel, _peer) = memory_pair(&Limits::default());
    f(&mut garbler(), &mut channel)
}

#[test]
fn an_output_before_its_inputs_is_misuse() {
    let error = alone(|p, c| {
        let input = p.input(c, Owner::Prover, 2).expect("an input");
        let out = p.call(c, Toy::And, input.wires()).expect("a call");
        p.public(c, &out).expect_err("too early")
    });
    assert!(matches!(error, Error::Misuse(_)));
}

#[test]
fn an_input_treated_as_another_s_or_of_the_wrong_length_is_misuse() {
    for owner in [Owner::Prover, Owner::Both] {
        let error = alone(|p, c| {
            let input = p.input(c, owner, 2).expect("an input");
            p.take(c, input).expect_err("not V's")
        });
        assert!(matches!(error, Error::Misuse(_)));
    }
    let error = alone(|p, c| {
        let input = p.input(c, Owner::Verifier, 2).expect("an input");
        p.give(c, input, &[F2::ONE; 2]).expect_err("not P's")
    });
    assert!(matches!(error, Error::Misuse(_)));
    let error = alone(|p, c| {
        let input = p.input(c, Owner::Prover, 2).expect("an input");
        p.give(c, input, &[F2::ONE; 3]).expect_err("three bits")
    });
    assert!(matches!(error, Error::Misuse(_)));
}

#[test]
fn v_s_input_is_not_taken_before_there_are_labels_and_these_come_once() {
    let (mut channel, _peer) = memory_pair(&Limits::default());
    let c = &mut channel;
    let (mut p, _) = garbler_without_labels();
    let input = p.input(c, Owner::Verifier, 2).expect("announced");
    let error = p.take(c, input).expect_err("there are no labels");
    assert!(matches!(error, Error::Misuse(_)), "{error}");

    let ((mut p, first), (_, second)) = (garbler_without_labels(), garbler_without_labels());
    p.set_labels(c, first).expect("once");
    assert!(matches!(p.set_labels(c, second), Err(Error::Misuse(_))));
}

#[test]
fn an_input_of_another_session_cannot_be_given_twice() {
    // The other session's first input has the same number; it is used up here already.
    let error = alone(|p, c| {
        let foreign = garbler().input(c, Owner::Prover, 2).expect("an input");
        let own = p.input(c, Owner::Prover, 2).expect("an input");
        p.give(c, own, &[F2::ONE; 2]).expect("once");
        p.give(c, foreign, &[F2::ZERO; 2]).expect_err("twice")
    });
    assert!(matches!(error, Error::Misuse(_)));
}

#[test]
fn an_input_of_another_session_cannot_give_second_labels_of_wires() {
    // Number 1 in both sessions, but its wires there are those of number 0 here.
    let error = alone(|p, c| {
        let mut other = garbler();
        let _ = other.input(c, Owner::Prover, 0).expect("an input");
        let foreign = other.input(c, Owner::Prover, 2).expect("an input");
        let own = p.input(c, Owner::Prover, 2).expect("an input");
        let _ = p.input(c, Owner::Prover, 2).expect("an input");
        p.give(c, own, &[F2::ONE; 2]).expect("once");
        p.give(c, foreign, &[F2::ZERO; 2]).expect_err("twice")
    });
    assert!(matches!(error, Error::Misuse(_)));
}

#[test]
fn a_wire_of_another_session_is_misuse() {
    let error = alone(|p, c| {
        let foreign = garbler().input(c, Owner::Both, 2).expect("an input");
        p.call(c, Toy::And, foreign.wires()).expect_err("no such wires")
    });
    assert!(matches!(error, Error::Misuse(_)));
}

#[test]
fn the_first_error_is_final_at_both_parties() {
    let (p, v) = between(
        |c| {
            let mut p = garbler();
            let input = p.input(c, Owner::Prover, 2).expect("an input");
            let error = p.give(c, input, &[F2::ONE]).expect_err("one bit");
            let later = p.input(c, Owner::Both, 1).expect_err("over");
            (error, later)
        },
        |c| {
            let mut v = evaluator();
            let input = v.input(c, Owner::Prover, 2).expect("an input");
            let error = v.take(c, input).expect_err("P gave up");
            let later = v.input(c, Owner::Both, 1).expect_err("over");
            (error, later)
        },
    );
    assert!(matches!(p.0, Error::Misuse(_)) && matches!(v.0, Error::Channel(_)));
    let over = Error::Misuse("the session is over".into());
    assert!(p.1 == over && v.1 == over);
}

#[test]
fn more_tables_than_v_keeps_are_refused_before_they_are_read() {
    let (p, v) = between(
        |c| {
            let mut p = garbler();
            let input = p.input(c, Owner::Prover, 128)?;
            p.call(c, Toy::Sha, input.wires())?;
            p.give(c, input, &[F2::ONE; 128])?;
            let out = p.input(c, Owner::Verifier, 1)?;
            p.take(c, out)
        },
        |c| {
            let small = Settings { stored_tables: 1 << 16, ..settings() };
            let mut v = evaluator_with(small);
            let input = v.input(c, Owner::Prover, 128)?;
            v.call(c, Toy::Sha, input.wires()).map(drop)
        },
    );
    assert_eq!(v, Err(Error::Limit { what: "the bytes of tables that wait for inputs", limit: 1 << 16 }));
    assert!(matches!(p, Err(Error::Channel(_))), "{p:?}");
}

#[test]
fn parties_that_garble_in_different_ways_notice_it() {
    let other = Settings { garbling: Garbling::OneHot, ..settings() };
    let (p, v) = between(
        |c| {
            let mut p = garbler();
            let input = p.input(c, Owner::Both, 2)?;
            let wires = input.wires().to_vec();
            p.give_public(c, input, &[F2::ONE; 2])?;
            p.public(c, &wires)
        },
        |c| {
            let mut v = evaluator_with(other);
            let input = v.input(c, Owner::Both, 2)?;
            let wires = input.wires().to_vec();
            v.give_public(c, input, &[F2::ONE; 2])?;
            v.public(c, &wires)
        },
    );
    assert!(matches!(v, Err(Error::Diverged { .. })) && p.is_err(), "{v:?}");
}

#[test]
fn public_bits_that_differ_are_noticed_at_the_next_output() {
    let (p, v) = between(
        |c| {
            let mut p = garbler();
            let input = p.input(c, Owner::Both, 2)?;
            let wires = input.wires().to_vec();
            p.give_public(c, input, &[F2::ONE; 2])?;
            p.public(c, &wires)
        },
        |c| {
            let mut v = evaluator();
            let input = v.input(c, Owner::Both, 2)?;
            let wires = input.wires().to_vec();
            v.give_public(c, input, &[F2::ONE, F2::ZERO])?;
            v.public(c, &wires)
        },
    );
    assert!(matches!(v, Err(Error::Diverged { .. })) && p.is_err(), "{v:?}");
}

#[test]
fn nothing_is_computed_once_v_has_opened_its_inputs() {
    let (p, v) = between(
        |c| {
            let mut p = garbler();
            let input = p.input(c, Owner::Verifier, 2)?;
            let wires = input.wires().to_vec();
            p.take(c, input)?;
            let values = p.learn(c)?;
            assert_eq!(wires.iter().map(|wire| values.wire(*wire)).collect::<Vec<_>>(), [Some(F2::ONE); 2]);
            p.call(c, Toy::And, &wires)
        },
        |c| {
            let mut v = evaluator();
            let input = v.input(c, Owner::Verifier, 2)?;
            let wires = input.wires().to_vec();
            v.give(c, input, &[F2::ONE; 2])?;
            v.open(c)?;
            v.public(c, &wires)
        },
    );
    assert!(matches!(p, Err(Error::Misuse(_))), "{p:?}");
    assert!(matches!(v, Err(Error::Misuse(_))), "{v:?}");
}

#[test]
fn v_opens_once_and_the_proof_follows() {
    let (p, v) = between(
        |c| {
            let mut p = garbler();
            let (_, key) = run(&mut p, c, &Plan::HONEST)?;
            let values = p.learn(c)?;
            p.prove(c, &mut rng(1), |_, _| Ok(()))?;
            Ok::<_, Error>(key.iter().map(|wire| values.wire(*wire)).collect::<Vec<_>>())
        },
        |c| {
            let mut v = evaluator();
            run(&mut v, c, &Plan::HONEST)?;
            v.open(c)?;
            v.verify(c, &mut rng(2), |_, _| Ok(())).map(drop)
        },
    );
    let sum = |(a, b): (F2, F2)| Some(a + b);
    let key: Vec<_> = sample(A).into_iter().zip(sample(B)).map(sum).collect();
    assert_eq!((p, v), (Ok(key), Ok(())));
}
