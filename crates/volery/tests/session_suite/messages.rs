//! Every message of a whole session is changed in turn on its way: set-up, correlations of both kinds, proof.
//!
//! Both parties are honest and the statement is true. V must not accept a run in which a message of P's was
//! changed, and both must end with an error, in time.

use volery_channel::{Tag, tags};

use crate::support::{Change, Outcome, Sender, options, patient, tapped, two_stages};

fn run(fiat_shamir: bool, change: Option<(Sender, usize, Change)>) -> Outcome {
    tapped(&patient(), [options(fiat_shamir, 1); 2], &[&two_stages()], change)
}

/// The messages of an honest run, with the tags of all kinds of messages that there are.
fn messages(fiat_shamir: bool) -> [Vec<(Tag, Vec<u8>)>; 2] {
    let outcome = run(fiat_shamir, None);
    outcome.prover.expect("accepted");
    outcome.verifier.expect("accepts");
    let tags_of = |messages: &[(Tag, Vec<u8>)]| {
        let mut tags: Vec<u8> = messages.iter().map(|(tag, _)| tag.byte()).collect();
        tags.sort_unstable();
        tags.dedup();
        tags
    };
    let of_p = [
        tags::HELLO,
        tags::BEGIN,
        tags::BASE_OT_SENDER,
        tags::SOFT_SPOKEN_TREE,
        tags::SOFT_SPOKEN_EXTEND,
        tags::FERRET_CHECK,
        tags::MASKS,
        tags::CHECK_OPENING,
        tags::ASSERTIONS,
    ];
    assert_eq!(tags_of(&outcome.sent[0]), of_p.map(Tag::byte));
    let mut of_v =
        vec![tags::HELLO, tags::BEGIN, tags::BASE_OT_RECEIVER, tags::FERRET_TREES, tags::FERRET_VERDICT];
    of_v.extend((!fiat_shamir).then_some(tags::CHALLENGE));
    of_v.push(tags::VERDICT);
    of_v.extend(fiat_shamir.then_some(tags::BITS_LINK));
    assert_eq!(tags_of(&outcome.sent[1]), Vec::from_iter(of_v.into_iter().map(Tag::byte)));
    outcome.sent
}

/// First, second and last of each kind: the many in between are like the second.
fn selected(messages: &[(Tag, Vec<u8>)]) -> Vec<usize> {
    (0..messages.len())
        .filter(|&at| {
            let same =
                |range: &[(Tag, Vec<u8>)]| range.iter().filter(|(tag, _)| *tag == messages[at].0).count();
            same(&messages[..at]) < 2 || same(&messages[at + 1..]) == 0
        })
        .collect()
}

fn assert_no_change_of_the_prover_s_is_accepted(fiat_shamir: bool, changes: &[Change]) {
    let [messages, _] = messages(fiat_shamir);
    for at in selected(&messages) {
        let tag = messages[at].0;
        for change in changes {
            let outcome = run(fiat_shamir, Some((Sender::Prover, at, *change)));
            let (p, v) = (outcome.prover, outcome.verifier);
            if *change == Change::Duplicate && v.is_ok() {
                // A copy that comes when its lane asks for nothing more.
                assert!(messages[at + 1..].iter().all(|(later, _)| *later != tag), "{tag} ({at})");
                continue;
            }
            assert!(p.is_err() && v.is_err(), "{tag} ({at}), {change:?}: {p:?} {v:?}");
        }
    }
}

#[test]
fn no_message_of_the_prover_s_with_a_flipped_bit_is_accepted() {
    for fiat_shamir in [false, true] {
        assert_no_change_of_the_prover_s_is_accepted(
            fiat_shamir,
            &[Change::Flip(77), Change::Flip(usize::MAX / 3)],
        );
    }
}

#[test]
fn no_message_of_the_prover_s_can_be_cut_lengthened_dropped_or_repeated() {
    let changes = [Change::Truncate, Change::Extend, Change::Drop, Change::Duplicate];
    assert_no_change_of_the_prover_s_is_accepted(false, &changes);
}

#[test]
fn a_prover_ends_with_an_error_whatever_is_done_to_a_message_of_the_verifier_s() {
    assert_every_change_of_the_verifier_s_ends_the_prover(
        false,
        &[Change::Flip(1), Change::Truncate, Change::Extend, Change::Drop],
    );
}

/// V's bytes for each batch of correlations are among them: P computes other challenges with any other bytes.
#[test]
fn a_prover_ends_with_an_error_whatever_is_done_to_what_its_challenges_are_hashes_of() {
    assert_every_change_of_the_verifier_s_ends_the_prover(true, &[Change::Flip(1)]);
}

#[test]
#[ignore = "long: some hundred sessions"]
fn long_every_change_of_any_message() {
    let mut changes = vec![Change::Truncate, Change::Extend, Change::Drop, Change::Duplicate];
    changes.extend((0..12).map(|i| Change::Flip(i * 0x0123_4567_89ab)));
    for fiat_shamir in [false, true] {
        assert_no_change_of_the_prover_s_is_accepted(fiat_shamir, &changes);
        changes.retain(|change| *change != Change::Duplicate);
        assert_every_change_of_the_verifier_s_ends_the_prover(fiat_shamir, &changes);
    }
}

fn assert_every_change_of_the_verifier_s_ends_the_prover(fiat_shamir: bool, changes: &[Change]) {
    let [_, messages] = messages(fiat_shamir);
    for at in selected(&messages) {
        for change in changes {
            let outcome = run(fiat_shamir, Some((Sender::Verifier, at, *change)));
            let (p, v) = (outcome.prover, outcome.verifier);
            let tag = messages[at].0;
            assert!(p.is_err(), "{tag} ({at}), {change:?}: {p:?}");
            // The verdict is the last word: V has made up its mind.
            assert_eq!(v.is_ok(), tag == tags::VERDICT, "{tag} ({at}), {change:?}: {v:?}");
        }
    }
}
