//! Every message that makes a generator, changed on its way: the first of its kind and a later one.

use super::*;
use crate::testing::Tampering;

/// All kinds of messages, from base OT on, and whether P sends them.
const MESSAGES: [(Tag, bool); 9] = [
    (tags::BASE_OT_SENDER, true),
    (tags::BASE_OT_RECEIVER, false),
    (tags::SOFT_SPOKEN_TREE, true),
    (tags::SOFT_SPOKEN_EXTEND, true),
    (tags::SUBFIELD_EXTEND, true),
    (tags::SUBFIELD_TREES, false),
    (tags::SUBFIELD_CHECK, true),
    (tags::SUBFIELD_ANSWER, false),
    (tags::SUBFIELD_OPENING, true),
];

/// Two rounds and more of [`PLAN`].
const TAKEN: usize = 3_000;

/// A run in which message number `which` (0 or 1) of a kind passes through `change`, which also sees the one
/// before.
fn changed(
    (tag, from_p): (Tag, bool),
    which: usize,
    mut change: impl FnMut(&mut Vec<u8>, &[u8]) + Send + 'static,
) -> Run<F61, F61> {
    let (mut seen, mut before) = (0, Vec::new());
    let tap: Tampering<'_> = Box::new(move |got, payload| {
        if got == tag {
            let sent = payload.clone();
            if seen == which {
                change(payload, &before);
            }
            seen += 1;
            before = sent;
        }
    });
    let other: Tampering<'_> = Box::new(untouched);
    run(PLAN, TAKEN, [1, 1], if from_p { [tap, other] } else { [other, tap] })
}

/// Both end, and one of them says that the other cheats or what is wrong with its message.
fn caught(name: &str, run: Run<F61, F61>) {
    let errors =
        [run.p.err(), run.v.err()].map(|error| error.unwrap_or_else(|| panic!("{name}: not noticed")));
    use volery_channel::Error::WrongLength;
    let noticed = |error: &Error| {
        matches!(error, Error::Cheat { .. } | Error::Malformed { .. } | Error::Channel(WrongLength { .. }))
    };
    assert!(errors.iter().any(noticed), "{name}: {errors:?}");
}

#[test]
fn a_flipped_bit_in_any_message_ends_both_parties() {
    for message in MESSAGES {
        for which in [0, 1] {
            // At both ends; in the trees the ends are a sum and a difference that P always uses.
            for last in [false, true] {
                let run = changed(message, which, move |payload, _| {
                    let at = if last { payload.len() - 2 } else { 0 };
                    payload[at] ^= 4;
                });
                caught(&format!("{} {which}, {last}", message.0), run);
            }
        }
    }
}

#[test]
fn a_message_that_is_cut_or_grows_ends_both_parties() {
    for message in MESSAGES {
        for (which, change) in [
            (0, (|payload, _| payload.clear()) as fn(&mut Vec<u8>, &[u8])),
            (1, |payload, _| payload.truncate(payload.len() - 1)),
            (1, |payload, _| payload.push(0)),
        ] {
            caught(&format!("{} {which}", message.0), changed(message, which, change));
        }
    }
}

#[test]
fn a_message_that_is_repeated_in_place_of_the_next_ends_both_parties() {
    for message in MESSAGES {
        let run = changed(message, 1, |payload, before| {
            assert!(*payload != before);
            *payload = before.to_vec();
        });
        caught(&message.0.to_string(), run);
    }
}

#[test]
fn elements_that_are_not_canonical_are_malformed_wherever_they_stand() {
    for message in [tags::SUBFIELD_EXTEND, tags::SUBFIELD_TREES, tags::SUBFIELD_ANSWER, tags::SUBFIELD_CHECK]
    {
        let from_p = message == tags::SUBFIELD_EXTEND || message == tags::SUBFIELD_CHECK;
        let run = changed((message, from_p), 1, move |payload, _| {
            let at = match message {
                tags::SUBFIELD_CHECK => 16,
                tags::SUBFIELD_TREES => payload.len() - 8,
                _ => 0,
            };
            payload[at..at + 8].fill(0xff);
        });
        let error = if from_p { run.v.err() } else { run.p.err() };
        assert!(
            matches!(error, Some(Error::Malformed { step, .. }) if step == message),
            "{message}: {error:?}"
        );
    }
}
