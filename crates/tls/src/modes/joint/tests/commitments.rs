//! Connections of two parties that end with commitments.

use volery_channel::tags::{COMMIT_DIFFERENCES, COMMIT_POINTS, COMMIT_REVEAL};
use volery_testing::untouched;

use super::*;
use crate::Error as Cheat;
use crate::modes::joint::testing::Change;
use crate::page::commitment::{Form, Openings};

fn run(site: &Site) -> Run<'_> {
    let commit = |hide: Redaction| Redaction { commit: true, ..hide };
    let hide = vec![
        commit(hide(Side::Client, Part::Header("cookie".into()), Vec::new())),
        hide(Side::Server, Part::Json("user.name".into()), Vec::new()),
        commit(hide(Side::Server, Part::Json("balance".into()), Vec::new())),
    ];
    Run { hide, ..Run::new(site, REQUEST.as_bytes()) }
}

#[test]
fn what_two_parties_fetched_is_committed_to_and_opened_to_others() {
    let site = Site::new(KeyAlgorithm::P256, &response(BODY));
    let (fetched, proven) = run(&site).go();
    let statement = proven.unwrap().statement().unwrap();
    let openings = Openings::from_bytes(&fetched.unwrap().openings.unwrap()).unwrap();
    openings.check_all(&statement).unwrap();
    let shown = openings.check(&statement).unwrap();
    let contents: Vec<_> = shown.iter().map(|shown| (shown.part.as_str(), &shown.bytes[..])).collect();
    assert_eq!(contents, [("header cookie", &b"id=4711"[..]), ("json balance", b"1204")]);
    assert_eq!(statement.response.commitments[0].form, Form::Number);
}

#[test]
fn whoever_cheats_in_the_conversion_is_noticed_by_the_other() {
    let site = Site::new(KeyAlgorithm::P256, &response(BODY));
    for (by_p, step) in [(true, COMMIT_POINTS), (false, COMMIT_DIFFERENCES), (false, COMMIT_REVEAL)] {
        let exchange: Change = Box::new(move |tag, message: &mut Vec<u8>| {
            if tag == step {
                // Two points, two numbers; delta and a part of Gamma, which stay of their kinds.
                let (first, rest) = message.split_at_mut(if step == COMMIT_REVEAL { 1 } else { 32 });
                first.swap_with_slice(&mut rest[..first.len()]);
                first[0] |= u8::from(step == COMMIT_REVEAL);
            }
        });
        let honest: Change = Box::new(untouched);
        let changes = if by_p { [exchange, honest] } else { [honest, exchange] };
        let (fetched, proven) = Run { changes, ..run(&site) }.go();
        assert!(proven.is_err(), "{step}: {proven:?}");
        if !by_p {
            assert!(
                matches!(fetched, Err(Error::Parties(Cheat::Cheat { step: COMMIT_REVEAL, .. }))),
                "{fetched:?}"
            );
        }
    }
}
