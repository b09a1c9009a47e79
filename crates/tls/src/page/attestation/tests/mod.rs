//! One statement, one encoding, one signer; and what is shown is safe to show.

mod display;
mod rules;
mod warnings;

use core::ops::Range;
use core::slice::from_ref;

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::scalar::Scalar;
use proptest::prelude::*;
use sha2::Digest;

use super::*;
use crate::page::claim::{Assertion, Class, Interval};
use crate::page::commitment::Form;
use crate::page::disclosure::{Hidden, Part as HiddenPart, Suite, TlsVersion, Values};
use crate::testing::hex;

/// Of [`key`], as OpenSSL 3.0 derives it (`openssl pkey -pubout`).
const PUBLIC: &str = "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c";

/// SHA-256 of [`statement`]'s file.
const PINNED: &str = "4e8217728e89bfea4b217b93820e1770cc03592fe4dffcbf27c24638bf623e71";

fn point(number: u64) -> [u8; 32] {
    (RISTRETTO_BASEPOINT_POINT * Scalar::from(number)).compress().to_bytes()
}

/// The commitments to a hidden string that is committed to.
fn committed(hidden: &Hidden, points: &[u64]) -> Committed {
    let ranges = hidden.ranges.iter().map(|range| range.start as u64..range.end as u64).collect();
    let points = points.iter().map(|number| point(*number)).collect();
    Committed { part: hidden.part.to_string(), form: hidden.commit.unwrap(), ranges, points }
}

/// A string's form and ranges, and the numbers whose multiples of the generator it is committed to with.
type Committing<'a> = (Form, &'a [Range<usize>], &'a [u64]);

/// `statement`'s query, with these strings hidden and committed to.
fn committing(strings: &[Committing<'_>]) -> AttestedPayload {
    let hidden: Vec<_> = strings.iter().map(|(form, ranges, _)| hidden(Some(*form), ranges)).collect();
    let commitments =
        hidden.iter().zip(strings).map(|(hidden, (.., points))| committed(hidden, points)).collect();
    AttestedPayload { hidden, commitments, ..statement().query }
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn statement() -> Statement {
    let mut query =
        AttestedPayload::revealing(b"GET / HTTP/1.1\r\nCookie: secret\r\n\r\n", &[0..24, 30..34]).unwrap();
    query.hidden = vec![hidden(Some(Form::Bytes), &[24..26, 27..30]), hidden(None, &[26..27])];
    query.commitments = vec![committed(&query.hidden[0], &[1])];
    let mut response =
        AttestedPayload::revealing(b"HTTP/1.1 200 OK\r\n\r\n{\"balance\": 12345}", &[0..32, 35..37]).unwrap();
    response.hidden = vec![hidden(Some(Form::Number), &[32..35])];
    response.commitments = vec![committed(&response.hidden[0], &[3])];
    Statement {
        mode: Mode::Proxy,
        tls: TlsVersion::Tls13,
        suite: Suite::Aes128GcmSha256,
        server_name: "data.example.com".into(),
        port: 8443,
        alpn: true,
        certificate: [0xce; 32],
        time: 1_780_000_000,
        rounds: 1,
        pipelined: false,
        context: Context::new(b"nonce-1").unwrap(),
        holder: None,
        query,
        response,
    }
}

/// A hidden number, at least 5000.
fn hidden(commit: Option<Form>, ranges: &[Range<usize>]) -> Hidden {
    let claims = vec![Assertion::Number(Interval::at_least(5000))];
    let part = HiddenPart::Json("balance".into());
    Hidden {
        round: 0,
        part,
        class: Class::Number,
        ranges: ranges.to_vec(),
        claims,
        commit,
        leaves: Vec::new(),
    }
}

#[test]
fn what_is_signed_is_what_is_read() {
    let signed = Attestation::sign(statement(), &key()).unwrap();
    let read = Attestation::from_bytes(&signed.to_bytes()).unwrap();
    assert_eq!(read, signed);
    assert_eq!(read.verify(&key().verifying_key().to_bytes()), Ok(&statement()));
}

/// Version 4's bytes: the hash of a whole file, and those of a small statement one by one. A verifier in
/// another language reads such files in the tests of the vectors.
#[test]
fn the_format_is_pinned() {
    let bytes = Attestation::sign(statement(), &key()).unwrap().to_bytes();
    assert_eq!(hex::encode(&sha2::Sha256::digest(&bytes)), PINNED);
    let small =
        Statement { query: AttestedPayload::default(), response: AttestedPayload::default(), ..statement() };
    let bytes = Attestation::sign(small, &key()).unwrap().to_bytes();
    let expected = [
        b"volery attestation\n\0\x04\0\x03\x01\0\0\0\x10data.example.com\x20\xfb\x01".to_vec(),
        vec![0xce; 32],
        1_780_000_000_u64.to_be_bytes().to_vec(),
        vec![0, 0, 0, 1],
        b"\0\0\0\0\x07nonce-1".to_vec(),
        // No holder, and two directions of nothing.
        vec![0; 4 + 2 * 20],
        hex(PUBLIC),
        // No signature for contracts.
        vec![0; 4],
    ];
    assert_eq!(bytes[..bytes.len() - 64], expected.concat());
}

#[test]
fn every_changed_byte_is_refused() {
    let signer = key().verifying_key().to_bytes();
    let bytes = Attestation::sign(statement(), &key()).unwrap().to_bytes();
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            let believed =
                Attestation::from_bytes(&changed).and_then(|file| file.verify(&signer).map(|_| ()));
            assert!(believed.is_err(), "byte {at}");
        }
    }
    for end in 0..bytes.len() {
        assert!(matches!(Attestation::from_bytes(&bytes[..end]), Err(Error::Malformed(_))), "{end}");
    }
    let longer = [&*bytes, &[0]].concat();
    assert_eq!(Attestation::from_bytes(&longer), Err(Error::Malformed("1 bytes too many".into())));
}

#[test]
fn only_the_trusted_key_is_believed() {
    let signed = Attestation::sign(statement(), &key()).unwrap();
    let other = SigningKey::from_bytes(&[8; 32]).verifying_key().to_bytes();
    assert!(matches!(signed.verify(&other), Err(Error::Signer { .. })));
    // A file that names another key than the one that signed.
    let mut bytes = signed.to_bytes();
    let at = bytes.len() - 100;
    bytes[at..at + 32].copy_from_slice(&other);
    assert_eq!(Attestation::from_bytes(&bytes).unwrap().verify(&other), Err(Error::Signature));
    // The neutral element, under which R = s * B fits every message.
    let mut weak = [0; 32];
    weak[0] = 1;
    bytes[at..at + 32].copy_from_slice(&weak);
    assert_eq!(Attestation::from_bytes(&bytes).unwrap().verify(&weak), Err(Error::Key));
}

/// A signature with the group's order added to its scalar is a second encoding of it.
#[test]
fn a_signatures_second_encoding_is_refused() {
    let order = hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let mut bytes = Attestation::sign(statement(), &key()).unwrap().to_bytes();
    let (at, mut carry) = (bytes.len() - 32, 0);
    for (byte, add) in bytes[at..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        *byte = sum as u8;
        carry = sum >> 8;
    }
    let file = Attestation::from_bytes(&bytes).unwrap();
    assert_eq!(file.verify(&key().verifying_key().to_bytes()), Err(Error::Signature));
}

#[test]
fn other_versions_and_files_are_named() {
    let mut bytes = Attestation::sign(statement(), &key()).unwrap().to_bytes();
    for (version, advice) in
        [(1, "have the page attested anew"), (3, "have the page attested anew"), (5, "use a newer program")]
    {
        bytes[20] = version;
        let error = Attestation::from_bytes(&bytes).unwrap_err();
        assert_eq!(error, Error::Version(version.into()));
        assert!(error.to_string().contains(advice), "{error}");
    }
    let result = Attestation::from_bytes(b"-----BEGIN CERTIFICATE-----");
    assert!(matches!(result, Err(Error::Malformed(reason)) if reason.contains("first line")));
    assert!(matches!(Attestation::from_bytes(&vec![0; MAX_BYTES + 1]), Err(Error::Malformed(_))));
}

#[test]
fn leaves_have_a_holder_and_a_holder_has_leaves() {
    let sign = |holder: Option<[u8; 32]>, leaves: usize| {
        let mut committing = Statement { holder, ..statement() };
        committing.query.hidden[1].leaves = vec![[9; 32]; leaves];
        Attestation::sign(committing, &key())
    };
    let signed = sign(Some([4; 32]), 1).unwrap();
    assert_eq!(Attestation::from_bytes(&signed.to_bytes()), Ok(signed));
    for (holder, leaves) in [(None, 1), (Some([4; 32]), 0)] {
        assert!(matches!(sign(holder, leaves), Err(Error::Statement { what: "holder", .. })));
    }
    // A string of one byte has one leaf.
    assert!(matches!(sign(Some([4; 32]), 2), Err(Error::Statement { what: "query", .. })));
}

#[test]
fn a_statement_says_which_paths_it_hides() {
    assert!(statement().hidden_paths().is_empty());
    let mut hiding = Statement { rounds: 2, ..statement() };
    hiding.query.hidden[1].part = HiddenPart::Path;
    hiding.query.hidden[1].round = 1;
    let signed = Attestation::sign(hiding, &key()).unwrap();
    let read = Attestation::from_bytes(&signed.to_bytes()).unwrap();
    assert_eq!(read.verify(&key().verifying_key().to_bytes()).unwrap().hidden_paths(), [1]);
}

#[test]
fn a_statement_says_of_which_requests_words_are_hidden() {
    for (part, rounds) in [
        (HiddenPart::Path, &[][..]),
        (HiddenPart::Header("cookie".into()), &[]),
        (HiddenPart::Query, &[1]),
        (HiddenPart::Body, &[1]),
        (HiddenPart::Json("a".into()), &[1]),
        (HiddenPart::Values(Values { first: "a".into(), between: vec![",\"b\":".into()] }), &[1]),
    ] {
        let mut hiding = Statement { rounds: 2, ..statement() };
        for hidden in &mut hiding.query.hidden {
            hidden.part = HiddenPart::Path;
        }
        hiding.query.hidden[1].part = part.clone();
        hiding.query.hidden[1].round = 1;
        assert_eq!(hiding.hidden_words(), rounds, "{part:?}");
    }
}

/// What P disclosed: a statement without the commitments, which only V's signature adds.
fn disclosed() -> Statement {
    let without = |part: AttestedPayload| AttestedPayload { commitments: Vec::new(), ..part };
    let Statement { query, response, .. } = statement();
    let (query, response) = (without(query), without(response));
    let tls = TlsVersion::Tls12;
    Statement { mode: Mode::TwoParty, tls, rounds: 2, query, response, ..statement() }
}

#[test]
fn what_p_disclosed_is_what_it_keeps_with_v_s_commitments_and_clock() {
    let signed = || Statement { mode: Mode::TwoParty, tls: TlsVersion::Tls12, rounds: 2, ..statement() };
    assert_eq!(signed().check_against(&disclosed()), Ok(()));
    for time in [disclosed().time - 3600, disclosed().time + 3600] {
        assert_eq!(Statement { time, ..signed() }.check_against(&disclosed()), Ok(()));
    }
}

/// V, or a notary, signs something else than P has disclosed: one thing of all that it signs.
#[test]
fn forgery_what_v_signs_otherwise_than_p_disclosed_it_is_refused_by_p_whatever_it_is() {
    type Change = fn(&mut Statement);
    let changes: &[(&str, Change)] = &[
        ("mode", |s| s.mode = Mode::Proxy),
        ("server name", |s| s.server_name = "data.example.org".into()),
        ("port", |s| s.port = 443),
        ("protocol", |s| s.alpn = false),
        ("certificate", |s| s.certificate[31] ^= 1),
        ("time", |s| s.time += 3601),
        ("time", |s| s.time -= 3601),
        ("number of rounds", |s| s.rounds = 3),
        ("order of rounds", |s| s.pipelined = true),
        ("context", |s| s.context = Context::new(b"nonce-2").unwrap()),
        ("context", |s| s.context = Context::default()),
        ("holder", |s| s.holder = Some([1; 32])),
        ("query", |s| s.query.length += 1),
        ("query", |s| s.query.revealed[0].bytes[0] ^= 1),
        ("query", |s| s.query.revealed[1].start = 31),
        ("query", |s| drop(s.query.revealed.pop())),
        ("query", |s| s.query.revealed.push(Revealed { start: 40, bytes: b"x".to_vec() })),
        ("query", |s| drop(s.query.hidden.pop())),
        ("query", |s| s.query.hidden.push(hidden(None, &[40..41]))),
        ("query", |s| s.query.hidden[0].round = 1),
        ("query", |s| s.query.hidden[0].part = HiddenPart::Path),
        ("query", |s| s.query.hidden[0].part = HiddenPart::Json("debt".into())),
        ("query", |s| s.query.hidden[0].class = Class::Opaque),
        ("query", |s| s.query.hidden[0].ranges = vec![24..26]),
        ("query", |s| s.query.hidden[0].commit = None),
        ("query", |s| s.query.hidden[1].commit = Some(Form::Bytes)),
        ("query", |s| s.query.hidden[1].leaves.push([1; 32])),
        ("response", |s| s.response.length -= 1),
        ("response", |s| s.response.revealed[1].bytes[0] ^= 1),
        ("response", |s| s.response.revealed.clear()),
        ("response", |s| s.response.hidden.clear()),
        ("response", |s| s.response.hidden[0].claims.clear()),
        ("response", |s| {
            s.response.hidden[0].claims = vec![Assertion::Number(Interval::at_least(5001))];
        }),
        ("response", |s| s.response.hidden[0].claims.push(Assertion::Digits)),
        ("response", |s| s.response.hidden[0].commit = Some(Form::Bytes)),
        ("response", |s| core::mem::swap(&mut s.query, &mut s.response)),
    ];
    for (at, (field, change)) in changes.iter().enumerate() {
        let mut signed = Statement { mode: Mode::TwoParty, tls: TlsVersion::Tls12, rounds: 2, ..statement() };
        change(&mut signed);
        // Of both texts the first is named.
        let fields = if at + 1 == changes.len() { &["query", "response"][..] } else { from_ref(field) };
        let found = signed.check_against(&disclosed());
        assert!(
            matches!(&found, Err(Error::Differs(what)) if fields.contains(what)),
            "{at}, {field}: {found:?}"
        );
    }
}

#[test]
fn ranges_to_reveal_are_put_in_order() {
    let part = AttestedPayload::revealing(b"0123456789", &[8..9, 1..3, 2..4, 4..5, 7..7]).unwrap();
    let shown: Vec<(u64, &[u8])> = part.revealed.iter().map(|r| (r.start, &*r.bytes)).collect();
    assert_eq!(shown, [(1, &b"1234"[..]), (8, &b"8"[..])]);
    assert_eq!(AttestedPayload::revealing(b"0123", from_ref(&(2..5))), None);
}

/// Some of the bytes shown, something claimed of some of the others, and some of those committed to.
fn parts() -> impl Strategy<Value = AttestedPayload> {
    let ranges = prop::collection::vec((0_usize..60, 0_usize..60), 0..6);
    let chosen = prop::collection::vec((0_usize..4, 1_u64..9), 8);
    (prop::collection::vec(any::<u8>(), 90..120), ranges, chosen).prop_map(|(bytes, ranges, chosen)| {
        let ranges: Vec<_> = ranges.into_iter().map(|(a, b)| a.min(b)..a.max(b)).collect();
        let mut part = AttestedPayload::revealing(&bytes, &ranges).unwrap();
        let shown: Vec<_> = part.revealed.iter().map(Revealed::range).collect();
        let starts = core::iter::once(0).chain(shown.iter().map(|range| range.end));
        let strings = starts.zip(shown.iter().map(|range| range.start).chain([part.length]));
        let strings = strings.filter(|(start, end)| start < end).map(|(start, end)| start..end);
        for (range, (chosen, n)) in strings.zip(chosen).filter(|(_, (chosen, _))| *chosen != 0) {
            let length = range.end - range.start;
            let form = [None, Some(Form::Bytes), Some(Form::Number)][chosen - 1];
            let form = if length > 19 { form.and(Some(Form::Bytes)) } else { form };
            let string = hidden(form, &[range.start as usize..range.end as usize]);
            let points = if form == Some(Form::Bytes) { length.div_ceil(31) as usize } else { 1 };
            part.commitments.extend(form.map(|_| committed(&string, &vec![n; points])));
            part.hidden.push(string);
        }
        part
    })
}

fn statements() -> impl Strategy<Value = Statement> {
    let names = prop_oneof![Just("example.com"), Just("192.0.2.1"), Just("2001:db8::1")];
    let context = prop::collection::vec(any::<u8>(), 0..=MAX_CONTEXT);
    let about = (1_u16.., 0_u64..253_402_300_800, context);
    (any::<bool>(), names, about, parts(), parts()).prop_map(
        |(proxy, name, (port, time, context), query, response)| Statement {
            mode: if proxy { Mode::Proxy } else { Mode::TwoParty },
            suite: Suite::ALL[usize::from(port % 3)],
            tls: if proxy && port % 2 == 0 { TlsVersion::Tls13 } else { TlsVersion::Tls12 },
            server_name: name.into(),
            port,
            alpn: port % 3 == 0,
            certificate: [port as u8; 32],
            time,
            rounds: 1,
            pipelined: false,
            context: Context::new(&context).unwrap(),
            holder: None,
            query,
            response,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_statement_survives_writing(statement in statements()) {
        let signed = Attestation::sign(statement, &key()).unwrap();
        prop_assert_eq!(Attestation::from_bytes(&signed.to_bytes()), Ok(signed));
    }

    #[test]
    fn what_is_read_writes_the_same_bytes(statement in statements(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = Attestation::sign(statement, &key()).unwrap().to_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(read) = Attestation::from_bytes(&bytes) {
            prop_assert_eq!(read.to_bytes(), bytes);
        }
    }
}
