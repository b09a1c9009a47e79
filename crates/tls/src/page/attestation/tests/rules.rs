//! Statements that break a rule of the format are neither signed nor read.

use super::*;

#[test]
fn statements_that_break_a_rule_are_neither_signed_nor_read() {
    use Form::{Bytes, Number};
    let shown = |start: u64, bytes: &[u8]| Revealed { start, bytes: bytes.to_vec() };
    type Break = fn(&mut Statement);
    let breaks: [(&str, Break); 23] = [
        ("query", |s| s.query.length = u64::MAX),
        ("server name", |s| s.server_name = "Data.example.com".into()),
        ("server name", |s| s.server_name = "data.example.com.".into()),
        ("server name", |s| s.server_name = "2001:DB8::1".into()),
        ("port", |s| s.port = 0),
        ("time", |s| s.time = 253_402_300_800),
        ("response", |s| s.response.hidden[0].ranges = vec![31..33]),
        ("response", |s| s.response.hidden[0].ranges = vec![34..34]),
        ("response", |s| s.response.hidden[0].ranges = vec![39..41]),
        ("response", |s| s.response.hidden[0].ranges = vec![33..34, 32..33]),
        ("response", |s| s.response.hidden[0].ranges = Vec::new()),
        ("response", |s| s.response.hidden.push(hidden(None, &[33..34]))),
        ("query", |s| s.query.hidden.reverse()),
        ("query", |s| s.query.length = 33),
        ("query", |s| s.query.revealed.reverse()),
        // Commitments to others than the hidden strings that are said to be committed to.
        ("response", |s| s.response.commitments[0].part = "json a".into()),
        ("response", |s| s.response.commitments[0].form = Bytes),
        ("response", |s| s.response.commitments[0].ranges = vec![32..34]),
        ("response", |s| s.response.commitments.clear()),
        ("response", |s| s.response.hidden[0].commit = None),
        ("response", |s| s.response.hidden.clear()),
        ("query", |s| s.query.hidden[1].commit = Some(Bytes)),
        ("query", |s| s.query.commitments.push(s.query.commitments[0].clone())),
    ];
    let mut broken: Vec<(&str, Statement)> = Vec::new();
    for (what, change) in breaks {
        let mut changed = statement();
        change(&mut changed);
        broken.push((what, changed));
    }
    for revealed in [
        vec![shown(0, b"")],
        vec![shown(0, b"ab"), shown(2, b"c")],
        vec![shown(0, b"ab"), shown(1, b"c")],
        vec![shown(33, b"ab")],
        vec![shown(u64::MAX, b"ab")],
    ] {
        broken.push((
            "query",
            Statement { query: AttestedPayload { revealed, ..statement().query }, ..statement() },
        ));
    }
    let mut no_point = committing(&[(Number, &[24..25], &[1])]);
    no_point.commitments[0].points = vec![[0xff; 32]];
    #[allow(clippy::reversed_empty_ranges)]
    for query in [
        committing(&[(Bytes, &[25..25], &[])]),
        committing(&[(Bytes, &[24..35], &[1])]),
        // Bytes that are shown.
        committing(&[(Bytes, &[23..25], &[1])]),
        committing(&[(Bytes, &[24..31], &[1])]),
        // Out of order, touching, twice.
        committing(&[(Bytes, &[26..27, 24..25], &[1])]),
        committing(&[(Bytes, &[24..25, 25..26], &[1])]),
        committing(&[(Number, &[26..27], &[1]), (Number, &[24..25], &[2])]),
        committing(&[(Number, &[24..27], &[1]), (Number, &[26..28], &[2])]),
        committing(&[(Number, &[24..25], &[1]), (Number, &[24..25], &[1])]),
        // Other numbers of points than values.
        committing(&[(Bytes, &[24..26], &[])]),
        committing(&[(Bytes, &[24..26], &[1, 2])]),
        committing(&[(Number, &[24..26], &[1, 2])]),
        no_point,
    ] {
        broken.push(("query", Statement { query, ..statement() }));
    }
    let long = |length: usize, form, points: usize| AttestedPayload {
        length: length as u64,
        revealed: Vec::new(),
        ..committing(&[(form, &[0..length], &vec![1; points])])
    };
    for query in [long(19, Number, 1), long(32, Bytes, 2)] {
        assert!(Attestation::sign(Statement { query, ..statement() }, &key()).is_ok());
    }
    for query in [long(20, Number, 1), long(32, Bytes, 1), long(31, Bytes, 2)] {
        broken.push(("query", Statement { query, ..statement() }));
    }
    for (expected, statement) in broken {
        let found = Attestation::sign(statement.clone(), &key());
        assert!(matches!(found, Err(Error::Statement { what, .. }) if what == expected), "{found:?}");
        let bytes = [codec::signed(&statement, &[0; 32], None), vec![0; 64]].concat();
        let found = Attestation::from_bytes(&bytes);
        assert!(matches!(found, Err(Error::Statement { what, .. }) if what == expected), "{found:?}");
    }
}

#[test]
fn hidden_strings_that_could_not_be_read_again_are_not_signed() {
    let with = |change: fn(&mut Hidden)| {
        let mut statement = statement();
        change(&mut statement.response.hidden[0]);
        Attestation::sign(statement, &key())
    };
    for change in [
        (|hidden| hidden.part = HiddenPart::Header("x".repeat(2000))) as fn(&mut Hidden),
        |hidden| hidden.round = 1 << 20,
        |hidden| hidden.claims = vec![Assertion::Digits; 17],
        |hidden| hidden.claims = vec![Assertion::Equals(vec![0; 513])],
    ] {
        assert!(matches!(with(change), Err(Error::Statement { what: "response", .. })));
    }
    let mut many = statement();
    many.response.commitments = vec![many.response.commitments[0].clone(); MAX_ENTRIES + 1];
    assert!(matches!(Attestation::sign(many, &key()), Err(Error::Statement { what: "response", .. })));
}

#[test]
fn both_modes_attest_both_versions_of_tls() {
    for mode in [Mode::Proxy, Mode::TwoParty] {
        for tls in [TlsVersion::Tls12, TlsVersion::Tls13] {
            let signed = Attestation::sign(Statement { mode, tls, ..statement() }, &key()).unwrap();
            let read = Attestation::from_bytes(&signed.to_bytes()).unwrap();
            assert_eq!((read.statement.mode, read.statement.tls), (mode, tls));
        }
    }
}

#[test]
fn requests_are_sent_at_once_by_two_parties_alone_and_only_if_there_are_several() {
    let tls = TlsVersion::Tls12;
    let of = |mode, rounds| Statement { mode, tls, rounds, pipelined: true, ..statement() };
    let signed = Attestation::sign(of(Mode::TwoParty, 2), &key()).unwrap();
    let read = Attestation::from_bytes(&signed.to_bytes()).unwrap();
    assert!(read.verify(&key().verifying_key().to_bytes()).unwrap().pipelined);
    for (mode, rounds) in [(Mode::TwoParty, 1), (Mode::Proxy, 2)] {
        let refused = Attestation::sign(of(mode, rounds), &key());
        assert!(matches!(refused, Err(Error::Statement { what: "order of rounds", .. })));
    }
}

#[test]
fn hidden_strings_are_in_messages_that_there_are_and_in_their_order() {
    let of = |rounds: u32, query: [usize; 2], response: usize| {
        let mut statement = Statement { rounds, ..statement() };
        for (hidden, round) in statement.query.hidden.iter_mut().zip(query) {
            hidden.round = round;
        }
        statement.response.hidden[0].round = response;
        for part in [&mut statement.query, &mut statement.response] {
            let names = part.hidden.iter().filter(|hidden| hidden.commit.is_some()).map(Hidden::name);
            part.commitments.iter_mut().zip(names).for_each(|(entry, name)| entry.part = name);
        }
        statement
    };
    for sound in [of(1, [0, 0], 0), of(2, [0, 1], 1), of(1024, [5, 5], 1023)] {
        let signed = Attestation::sign(sound, &key()).unwrap();
        assert_eq!(Attestation::from_bytes(&signed.to_bytes()), Ok(signed));
    }
    for (what, statement) in [
        ("response", of(1, [0, 0], 1)),
        ("response", of(3, [0, 2], 3)),
        ("query", of(2, [0, 2], 0)),
        ("query", of(2, [1, 0], 0)),
        ("number of rounds", of(0, [0, 0], 0)),
        ("number of rounds", of(1025, [0, 0], 0)),
    ] {
        // A reader refuses what nobody signs.
        let bytes = [codec::signed(&statement, &[0; 32], None), vec![0; 64]].concat();
        for found in [Attestation::sign(statement, &key()), Attestation::from_bytes(&bytes)] {
            assert!(matches!(found, Err(Error::Statement { what: other, .. }) if other == what), "{found:?}");
        }
    }
}
