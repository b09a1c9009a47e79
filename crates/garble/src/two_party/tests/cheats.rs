//! Messages tampered with, and parties that depart from the protocol: who notices, and how.

use std::time::Duration;

use volery_channel::{Limits, Tag, tags};
use volery_testing::{Change, Edit, Tap, between, between_within};

use super::functions::Toy;
use super::scenario::{Plan, Seen, prove, right, verify};
use crate::Error;
use crate::two_party::Garbling;

const ONE_HOT: Plan = Plan { garbling: Garbling::OneHot, ..Plan::HONEST };

/// The number of tables of three halves in a message.
fn tables_in(message: &[u8]) -> usize {
    8 * message.len() / 195
}

type Both = (Result<Seen, Error>, Result<Seen, Error>);

/// P's message number `at` among those of `of` is changed.
fn prover_says(of: Tag, at: usize, change: Change) -> Both {
    between(move |c| prove(Tap::among(c, of, at, change), &Plan::HONEST), |c| verify(c, &Plan::HONEST))
}

/// V's message likewise.
fn verifier_says(of: Tag, at: usize, change: Change) -> Both {
    between(|c| prove(c, &Plan::HONEST), move |c| verify(Tap::among(c, of, at, change), &Plan::HONEST))
}

/// In P's decoding information number `at` the two hashes of each bit change places.
fn swapped(at: usize) -> Both {
    let mut seen = 0;
    let swap = move |tag: Tag, payload: &mut Vec<u8>| {
        if tag == tags::GARBLED_DECODING {
            if seen == at {
                for pair in payload[32..].chunks_exact_mut(40) {
                    let (zero, one) = pair.split_at_mut(20);
                    zero.swap_with_slice(one);
                }
            }
            seen += 1;
        }
    };
    between(move |c| prove(Edit::on(c, swap), &Plan::HONEST), |c| verify(c, &Plan::HONEST))
}

fn assert_cheat(result: &Result<Seen, Error>, at: Tag) {
    assert!(matches!(result, Err(Error::Cheat { step, .. }) if *step == at), "{result:?}");
}

fn assert_told(result: &Result<Seen, Error>) {
    assert!(matches!(result, Err(Error::Channel(_) | Error::Proof(_))), "{result:?}");
}

#[test]
fn tables_of_another_garbling_are_noticed_by_v() {
    let (p, v) = prover_says(tags::GARBLED_TABLES, 0, Change::Invert);
    assert_cheat(&v, tags::GARBLED_DECODING);
    assert_told(&p);
}

#[test]
fn other_tables_of_s_boxes_are_noticed_by_v() {
    // Of each S-box in the first message the ciphertexts before its gates, these, or those after them. V does
    // not use every half of each, which depends on colours, but some of so many.
    for tables in [0..10, 10..15, 15..25] {
        let mut first = true;
        let flip = move |tag: Tag, payload: &mut Vec<u8>| {
            if tag != tags::GARBLED_TABLES || !std::mem::take(&mut first) {
                return;
            }
            let s_boxes = tables_in(payload) / 25;
            assert!(s_boxes > 40, "{s_boxes}");
            for table in (0..s_boxes).flat_map(|s_box| tables.clone().map(move |table| 25 * s_box + table)) {
                // Another bit of each half, since halves are added.
                (0..3).for_each(|half| payload[24 * table + 8 * half] ^= 2 << half);
            }
        };
        let (p, v) = between(move |c| prove(Edit::on(c, flip), &ONE_HOT), |c| verify(c, &ONE_HOT));
        assert_cheat(&v, tags::GARBLED_DECODING);
        assert_told(&p);
    }
}

#[test]
fn bits_between_an_s_box_s_ciphertexts_are_malformed() {
    // Those of the first ciphertexts' place in the message: behind the halves of all tables.
    let set = |tag: Tag, payload: &mut Vec<u8>| {
        if tag == tags::GARBLED_TABLES {
            let tables = tables_in(payload);
            payload[24 * tables] |= 1;
        }
    };
    let (p, v) = between(move |c| prove(Edit::on(c, set), &ONE_HOT), |c| verify(c, &ONE_HOT));
    assert!(matches!(v, Err(Error::Malformed { step: tags::GARBLED_TABLES, .. })), "{v:?}");
    assert_told(&p);
}

#[test]
fn labels_that_are_none_are_noticed_by_v() {
    // V's corrections, P's inputs, the public text.
    for at in 0..3 {
        let (p, v) = prover_says(tags::GARBLED_LABELS, at, Change::Invert);
        assert_cheat(&v, tags::GARBLED_DECODING);
        assert_told(&p);
    }
}

#[test]
fn an_input_other_than_the_committed_one_is_rejected_by_v() {
    for bit in [0, 17, 63] {
        let (p, v) = prover_says(tags::GARBLED_COMMITMENTS, 0, Change::Flip(bit));
        assert!(v.expect_err("rejects").is_rejection(), "{bit}");
        assert!(p.expect_err("told").is_rejection(), "{bit}");
    }
}

#[test]
fn a_public_output_decoded_to_other_values_is_refused_by_p_and_a_shared_one_rejected_by_v() {
    let (p, v) = swapped(0);
    assert_cheat(&p, tags::GARBLED_RETURN);
    assert_told(&v);
    let (p, v) = swapped(1);
    assert!(v.expect_err("rejects").is_rejection());
    assert!(p.expect_err("told").is_rejection());
}

#[test]
fn decoding_information_for_another_program_is_refused_by_v() {
    for at in 0..3 {
        let (p, v) = prover_says(tags::GARBLED_DECODING, at, Change::Flip(at * 7));
        assert_eq!(v, Err(Error::Diverged { step: tags::GARBLED_DECODING }));
        assert_told(&p);
    }
}

#[test]
fn another_circuit_under_the_same_name_is_rejected_by_v() {
    let plan = Plan { and: Toy::FalseAnd, ..Plan::HONEST };
    let (p, v) = between(move |c| prove(c, &plan), |c| verify(c, &Plan::HONEST));
    assert!(v.expect_err("rejects").is_rejection());
    assert!(p.expect_err("told").is_rejection());
}

#[test]
fn a_circuit_with_more_gates_under_the_same_name_is_malformed_at_v() {
    let plan = Plan { and: Toy::LongAnd, ..Plan::HONEST };
    let (p, v) = between(move |c| prove(c, &plan), |c| verify(c, &Plan::HONEST));
    assert!(matches!(v, Err(Error::Malformed { step: tags::GARBLED_TABLES, .. })), "{v:?}");
    assert_told(&p);
}

#[test]
fn another_circuit_by_name_diverges() {
    let plan = Plan { and: Toy::Xor, ..Plan::HONEST };
    let (p, v) = between(move |c| prove(c, &plan), |c| verify(c, &Plan::HONEST));
    // V waits for tables; a function without gates sends none.
    assert!(matches!(v, Err(Error::Channel(_))), "{v:?}");
    assert_told(&p);
}

#[test]
fn returned_values_and_hashes_that_v_changes_are_noticed_by_p() {
    for at in 0..2 {
        for bit in [0, 63, 64 + 8 * 9, 8 * 39] {
            let (p, v) = verifier_says(tags::GARBLED_RETURN, at, Change::Flip(bit));
            assert_cheat(&p, tags::GARBLED_RETURN);
            assert_told(&v);
        }
    }
}

#[test]
fn an_opening_other_than_v_s_input_is_noticed_by_p() {
    for bit in [0, 127, 128, 128 + 255] {
        let (p, v) = verifier_says(tags::GARBLED_OPENING, 0, Change::Flip(bit));
        assert_cheat(&p, tags::GARBLED_OPENING);
        assert_told(&v);
    }
}

#[test]
fn an_input_of_v_changed_on_the_way_is_noticed_by_p_when_v_opens_it() {
    let (p, v) = verifier_says(tags::GARBLED_CORRECTIONS, 0, Change::Flip(5));
    assert_cheat(&p, tags::GARBLED_OPENING);
    assert_told(&v);
}

/// Whatever happens to one message, V accepts only what is right, P uses only what is right, and nobody hangs
/// or panics.
#[test]
fn no_change_of_a_message_makes_a_wrong_result_pass() {
    no_change_makes_a_wrong_result_pass(3);
}

#[test]
#[ignore = "long: each message with each change"]
fn long_no_change_of_any_message_makes_a_wrong_result_pass() {
    no_change_makes_a_wrong_result_pass(1);
}

/// With one of `of` changes to each message.
fn no_change_makes_a_wrong_result_pass(of: usize) {
    let count = |prover: bool| {
        let mut sent = Vec::new();
        let counted = &mut sent;
        let (p, v) = between(
            |c| {
                let mut tap = Tap::recorder(c);
                let result = prove(&mut tap, &Plan::HONEST);
                (result, tap.layer.sent)
            },
            |c| {
                let mut tap = Tap::recorder(c);
                let result = verify(&mut tap, &Plan::HONEST);
                (result, tap.layer.sent)
            },
        );
        assert!(right(&p.0.expect("honest"), &v.0.expect("honest")));
        *counted = if prover { p.1 } else { v.1 };
        sent
    };
    let changes = [
        Change::Flip(3),
        Change::Flip(1_000_003),
        Change::Invert,
        Change::Truncate,
        Change::Extend,
        Change::Duplicate,
        Change::Retag,
    ];
    for prover in [true, false] {
        let sent = count(prover);
        assert!(sent.len() > 5);
        for (at, (tag, _)) in sent.iter().enumerate() {
            for change in changes.into_iter().skip(at % of).step_by(of) {
                let (p, v) = between(
                    |c| match prover {
                        true => prove(Tap::on(c, Some((at, change))), &Plan::HONEST),
                        false => prove(c, &Plan::HONEST),
                    },
                    |c| match prover {
                        true => verify(c, &Plan::HONEST),
                        false => verify(Tap::on(c, Some((at, change))), &Plan::HONEST),
                    },
                );
                let name = format!("{tag} {at} {change:?} by {}", if prover { "P" } else { "V" });
                if let (Ok(p), Ok(v)) = (&p, &v) {
                    assert!(right(p, v), "{name}");
                }
                // A change of form is always seen, but for a second copy of the last message, when nobody
                // listens.
                let form = !matches!(change, Change::Flip(_) | Change::Invert);
                let unheard = change == Change::Duplicate && at + 1 == sent.len();
                assert!(!form || unheard || p.is_err() || v.is_err(), "{name}");
            }
        }
    }
}

#[test]
fn a_message_that_never_comes_ends_the_session() {
    for (of, prover) in
        [(tags::GARBLED_RETURN, false), (tags::GARBLED_OPENING, false), (tags::GARBLED_DECODING, true)]
    {
        let patience = Duration::from_secs(2);
        let (p, v) = between_within(
            &Limits { read: patience, write: patience, ..Limits::default() },
            |c| match prover {
                true => prove(Tap::among(c, of, 1, Change::Drop), &Plan::HONEST),
                false => prove(c, &Plan::HONEST),
            },
            |c| match prover {
                true => verify(c, &Plan::HONEST),
                false => verify(
                    Tap::among(c, of, usize::from(of == tags::GARBLED_RETURN), Change::Drop),
                    &Plan::HONEST,
                ),
            },
        );
        assert!(p.is_err() && v.is_err(), "{of}");
    }
}
