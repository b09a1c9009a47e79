//! A P that claims what is not true of what it hides.

use super::*;
use crate::page::claim::{Assertion, Interval, Word};

const ACCOUNT: &[u8] = br#"HTTP/1.1 200 OK
Connection: close

{"active": true, "born": "1990-05-17", "seen": "2026-01-01T00:30:00+01:00", "rate": -2.5e-3, "plan": "\u0067old", "note": null}"#;

fn account() -> Vec<u8> {
    let text = core::str::from_utf8(ACCOUNT).unwrap();
    let (head, body) = text.split_once("\n\n").unwrap();
    format!("{}\r\n\r\n{body}", head.replace('\n', "\r\n")).into_bytes()
}

fn texts(texts: &[&str]) -> Assertion {
    Assertion::OneOf(texts.iter().map(|text| text.as_bytes().to_vec()).collect())
}

/// A part, a claim about it that holds, and one that does not.
fn all() -> Vec<(&'static str, Assertion, Assertion)> {
    let date = |text: &str| text.parse().unwrap();
    let decimal = |text: &str| text.parse::<crate::page::http::json::Decimal>().unwrap();
    let number = |interval| Assertion::Number(interval);
    vec![
        ("active", Assertion::Is(Word::True), Assertion::Is(Word::Null)),
        ("active", Assertion::NotEquals(b"null".to_vec()), Assertion::NotEquals(b"true".to_vec())),
        ("active", texts(&["true", "null"]), texts(&["null", "false"])),
        ("note", Assertion::Is(Word::Null), Assertion::Is(Word::True)),
        ("born", Assertion::Before(date("2008-01-01")), Assertion::Since(date("2008-01-01"))),
        ("seen", Assertion::Before(date("2026-01-01")), Assertion::Since(date("2026-01-01"))),
        ("rate", number(Interval::above(decimal("-0.00251"))), number(Interval::above(decimal("-0.0025")))),
        ("rate", Assertion::NotEquals(b"25".to_vec()), Assertion::NotEquals(b"-0.0025".to_vec())),
        ("rate", Assertion::Equals(b"-0.0025".to_vec()), Assertion::Equals(b"-2.5e-4".to_vec())),
        ("rate", texts(&["1", "-0.0025"]), texts(&["1", "-2.5e-4", "0.0025"])),
        ("plan", Assertion::NotEquals(b"silver".to_vec()), Assertion::NotEquals(b"gold".to_vec())),
        ("plan", texts(&["gold", "silver"]), texts(&["silver", "\\u0067old"])),
        ("plan", Assertion::Characters(4..=4), Assertion::Characters(9..=9)),
    ]
}

#[test]
fn claims_that_are_not_true_have_no_proof() {
    let connection = Observation::of(&account());
    for (path, holds, fails) in all() {
        let told = |claim: &Assertion| {
            let mut hide = Redaction::new(Side::Server, Part::Json(path.into()));
            hide.claims.push(claim.clone());
            connection.tell(&connection.message_hiding(&[hide]))
        };
        assert_eq!(told(&holds), Ok(()), "{path} {holds}");
        let disbelief = told(&fails).unwrap_err();
        // Some of them hold for no string of this length, which V sees at once.
        let refused = matches!(
            &disbelief,
            Disbelief::Refused(Refusal::Claim(CircuitError::Contradicted { claimed, .. }))
                if *claimed == format!("response json {path} {fails}")
        );
        assert!(refused || disbelief == Disbelief::Unsatisfied, "{path} {fails}: {disbelief:?}");
    }
}

/// P says that a number is a word, or a word a number. V sees the same filler for both.
#[test]
fn a_word_is_no_number_and_a_number_no_word() {
    let connection = Observation::of(&account());
    let active = Redaction {
        claims: vec![Assertion::NotEquals(b"x".to_vec())],
        ..Redaction::new(Side::Server, Part::Json("active".into()))
    };
    let honest = connection.message_hiding(&[active]);
    assert_eq!(connection.tell(&honest), Ok(()));
    let mut cheat = honest;
    cheat.shown[1].hidden[0].class = Class::Number;
    assert_eq!(connection.tell(&cheat), Err(Disbelief::Unsatisfied));
    let mut cheat = connection.message(&[Part::Json("rate".into())]);
    cheat.shown[1].hidden[0].class = Class::Word;
    assert!(connection.tell(&cheat).is_err());
    // A string is neither: its quotes would be inside.
    let mut cheat = connection.message(&[Part::Json("born".into())]);
    cheat.shown[1].hidden[0].class = Class::Word;
    assert!(matches!(connection.tell(&cheat), Err(Disbelief::Refused(_))));
}

#[test]
fn a_word_is_not_hidden_without_a_claim() {
    let response = account();
    let exchanges = redaction::exchanges([REQUEST, &response], true).unwrap();
    let hide = Redaction::new(Side::Server, Part::Json("active".into()));
    for hide in [hide.clone(), Redaction { commit: true, ..hide }] {
        let refused = find(Side::Server, &response, &exchanges, &[hide]).unwrap_err();
        assert!(refused.to_string().contains("its length would tell"), "{refused}");
    }
}

/// What P says that reveals these values of the account and hides all else.
fn revealing(connection: &Observation, paths: &[&str]) -> redaction::DisclosureMessage {
    let part = |path: &&str| Part::Json((*path).to_owned());
    let shown = |path| MessagePart { side: Side::Server, round: 0, part: part(path) };
    let reveal = paths.iter().map(shown).collect();
    let texts = [REQUEST, &connection.response];
    let exchanges = redaction::exchanges(texts, true).unwrap();
    let hide = Selection { reveal, ..Selection::default() }.of(texts, &exchanges).unwrap();
    let hide: Vec<_> = hide.into_iter().filter(|hide| hide.side == Side::Server).collect();
    connection.message_hiding(&hide)
}

/// P says that hidden values have other names, are other values, or are fewer.
#[test]
fn values_that_are_hidden_together_are_proved_to_be_what_v_reads() {
    let connection = Observation::of(&account());
    for shown in [&[][..], &["rate"], &["seen"]] {
        assert_eq!(connection.tell(&revealing(&connection, shown)), Ok(()), "{shown:?}");
    }
    let cheat = |from: &str, to: &str| {
        let mut message = revealing(&connection, &["rate"]);
        let response = &mut message.shown[1];
        let text = String::from_utf8(response.text.clone()).unwrap();
        let Part::Values(values) = &mut response.hidden[0].part else { panic!("a run") };
        let between = values.between.join("\0").replace(from, to);
        values.between = between.split('\0').map(str::to_owned).collect();
        // What V sees has the filler of a run of the same length.
        let range = response.hidden[0].ranges[0].clone();
        let changed = text[range.clone()].replace(from, to);
        let (first, rest) = changed.split_at(changed.find(',').unwrap());
        let first = "1".repeat(first.len() + range.len() - changed.len());
        response.text[range].copy_from_slice((first + rest).as_bytes());
        connection.tell(&message)
    };
    // The name of the date.
    assert_eq!(cheat("\"born\"", "\"died\""), Err(Disbelief::Unsatisfied));
    // A blank less, so one value is longer.
    assert_eq!(cheat(", \"born\"", ",\"born\""), Err(Disbelief::Unsatisfied));
    // A name less: its value would be a part of another.
    assert!(cheat(", \"born\": ", "").is_err());
}
