//! Sessions that end with commitments.

use rand_core::SeedableRng as _;
use volery_channel::Tag;
use volery_channel::tags::{COMMIT_DIFFERENCES, COMMIT_POINTS, COMMIT_REVEAL};

use super::*;
use crate::Error as Cheat;
use crate::modes::proxy::testing::Change;
use crate::page::attestation::{Attestation, SigningKey, Statement};
use crate::page::commitment::{Form, RangeFile};

fn commit(hide: Redaction) -> Redaction {
    Redaction { commit: true, ..hide }
}

/// A header, a name, a number and another one in a range are committed to; the city is hidden.
fn wishes() -> Vec<Redaction> {
    vec![
        commit(hide(Side::Client, Part::Header("cookie".into()), Vec::new())),
        commit(json("user.name", vec![Assertion::Contains(b"Lovelace".to_vec())])),
        commit(json("user.age", vec![Assertion::Number(Interval::between(18, 120))])),
        json("user.city", Vec::new()),
        commit(json("balance", Vec::new())),
    ]
}

fn sign(statement: Statement) -> (Attestation, [u8; 32]) {
    let key = SigningKey::from_bytes(&[5; 32]);
    (Attestation::sign(statement, &key).unwrap(), key.verifying_key().to_bytes())
}

#[test]
fn committed_parts_are_attested_and_opened_to_others_one_by_one() {
    let site = site();
    let (told, proven) = Run::hiding(&site, REQUEST, wishes()).commit();
    let openings = told.unwrap().openings.unwrap();
    let (attestation, key) = sign(proven.unwrap().statement().unwrap());
    let statement = attestation.verify(&key).unwrap();
    let names: Vec<_> = [&statement.query, &statement.response]
        .iter()
        .flat_map(|part| part.commitments.iter().map(|entry| (entry.part.as_str(), entry.form)))
        .collect();
    let expected = [
        ("header cookie", Form::Bytes),
        ("json user.name", Form::Bytes),
        ("json user.age", Form::Number),
        ("json balance", Form::Number),
    ];
    assert_eq!(names, expected);
    openings.check_all(statement).unwrap();
    let shown = openings.check(statement).unwrap();
    let contents: Vec<_> = shown.iter().map(|shown| shown.bytes.escape_ascii().to_string()).collect();
    assert_eq!(contents, ["id=4711", r#"Ada \\\"L\\\" Lovelace"#, "36", "1204"]);

    let start = statement.response.commitments[2].start().unwrap();
    let rng = &mut rand_chacha::ChaCha20Rng::from_seed([1; 32]);
    let proof = RangeFile::prove(&attestation, &openings, (Side::Server, start), 1000..=2000, rng).unwrap();
    assert_eq!(proof.verify(&attestation, &key).unwrap().part, "json balance");
}

#[test]
fn a_whole_body_in_chunks_is_committed_to_and_one_part_of_several_fields_is_not() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\nA: 1\r\nA: 2\r\n\r\n\
                   9\r\n{\"age\": 1\r\n6\r\n20, \"a\r\n14\r\n\": [\"hidden, long\"]}\r\n0\r\n\r\n";
    let site = Site::new(HOST, chunked.as_bytes(), End::Notify);
    let body = || commit(hide(Side::Server, Part::Body, Vec::new()));
    let (told, proven) = Run::hiding(&site, REQUEST, vec![body()]).commit();
    let statement = proven.unwrap().statement().unwrap();
    let [committed] = &statement.response.commitments[..] else { panic!("{statement:?}") };
    assert_eq!((committed.ranges.len(), committed.points.len()), (3, 2));
    let shown = told.unwrap().openings.unwrap().check(&statement).unwrap();
    assert_eq!(shown[0].bytes, b"{\"age\": 120, \"a\": [\"hidden, long\"]}");
    // The number, in two chunks.
    let (told, proven) = Run::hiding(&site, REQUEST, vec![commit(json("age", Vec::new()))]).commit();
    let shown = told.unwrap().openings.unwrap().check(&proven.unwrap().statement().unwrap()).unwrap();
    assert_eq!((&shown[0].bytes[..], shown[0].ranges.len()), (&b"120"[..], 2));

    let several = commit(hide(Side::Server, Part::Header("a".into()), Vec::new()));
    let (told, _) = Run::hiding(&site, REQUEST, vec![several]).commit();
    assert!(matches!(told, Err(Failed::Disclosure(Disclosure::Refused(Refusal::Part { .. })))), "{told:?}");
}

/// A claim reads the number, the commitments hold it as it is written: one hidden string for both.
#[test]
fn a_number_with_sign_and_point_is_compared_and_committed_to_as_bytes() {
    let site = Site::new(HOST, &response(r#"{"rate": -12.50, "balance": 1204}"#), End::Notify);
    let below_zero = Assertion::Number(Interval::below(0));
    let wishes = vec![
        commit(json("rate", vec![below_zero.clone()])),
        commit(json("balance", vec![Assertion::Number(Interval::at_least(1000))])),
    ];
    let (told, proven) = Run::hiding(&site, REQUEST, wishes).commit();
    let statement = proven.unwrap().statement().unwrap();
    let (attestation, key) = sign(statement.clone());
    assert_eq!(attestation.verify(&key), Ok(&statement));
    let hidden = &statement.response.hidden[0];
    assert_eq!((hidden.commit, &hidden.claims[..]), (Some(Form::Bytes), &[below_zero][..]));
    let shown = told.unwrap().openings.unwrap().check(&statement).unwrap();
    let contents: Vec<_> = shown.iter().map(|part| (part.part.as_str(), &part.bytes[..])).collect();
    assert_eq!(contents, [("json rate", &b"-12.50"[..]), ("json balance", b"1204")]);
    assert_eq!(statement.response.commitments[1].form, Form::Number);
}

/// Changes the first message of this step.
fn change(step: Tag, change: fn(&mut [u8])) -> Change {
    let mut done = false;
    Box::new(move |tag, message| {
        if tag == step && !core::mem::replace(&mut done, true) {
            change(message);
        }
    })
}

fn flip(message: &mut [u8]) {
    message[3] ^= 1;
}

/// Two points exchanged: commitments to other bits, of which P has openings.
fn exchange(message: &mut [u8]) {
    let (first, rest) = message.split_at_mut(32);
    first.swap_with_slice(&mut rest[..32]);
}

#[test]
fn commitments_to_other_bits_are_refused_and_nothing_is_attested() {
    let site = site();
    for (tag, tamper) in [
        (COMMIT_POINTS, exchange as fn(&mut [u8])),
        (WEB_CLAIMS, |message| {
            // The last of what says that something is committed to, and as what: V expects other commitments
            // then than P makes.
            let name = message.windows(7).rposition(|bytes| bytes == b"balance").unwrap();
            assert_eq!(core::mem::replace(&mut message[name + 7], 0), 2);
        }),
    ] {
        let mut run = Run::hiding(&site, REQUEST, wishes());
        run.changes[0] = change(tag, tamper);
        let (_, proven) = run.commit();
        assert!(proven.is_err(), "{tag}: {proven:?}");
    }
}

/// Selective failures: P ends before it has opened anything.
#[test]
fn a_notary_that_converts_wrongly_is_noticed_by_p() {
    let site = site();
    for tag in [COMMIT_DIFFERENCES, COMMIT_REVEAL] {
        let mut run = Run::hiding(&site, REQUEST, wishes());
        run.changes[1] = change(tag, flip);
        let (told, proven) = run.commit();
        assert!(
            matches!(told, Err(Failed::Commitments(Cheat::Cheat { step: COMMIT_REVEAL, .. }))),
            "{told:?}"
        );
        // It has not received an opening.
        assert!(matches!(proven, Err(Failed::Commitments(Cheat::Channel(_)))), "{proven:?}");
    }
}

#[test]
fn without_commitments_the_session_does_not_end() {
    let site = site();
    let (told, proven) = Run::hiding(&site, REQUEST, usual()).commit();
    assert!(told.unwrap().openings.is_none());
    assert!(proven.unwrap().commitments.is_empty());
}
