//! Commitments to authenticated bits: the conversion at either party, and what holders show to others.

use volery_channel::Channel;
use volery_field::Gf128;
use volery_tls::Error;
use volery_tls::Side;
use volery_tls::attestation::{
    Attestation, AttestedPayload, Committed, Context, Mode, SigningKey, Statement,
};
use volery_tls::claim::{Assertion, Class, Interval};
use volery_tls::commitment::{
    Form, Layout, Opening, Openings, Place, Prover, RangeFile, Scalar, Verifier, range,
};
use volery_tls::disclosure::{self, Hidden};
use volery_vole::{Delta, SessionId};

use crate::dealing;
use crate::replay::{against, rng};

const SESSION: SessionId = SessionId::new([4; 32]);

/// The payload: two values, of five bytes and of one.
const TEXT: &[u8; 6] = b"12345.";
const WIDTHS: [usize; 2] = [40, 8];

/// The number that range proofs are about.
const NUMBER: u64 = 15;

fn layout() -> Layout {
    Layout::new(&WIDTHS).expect("narrow values")
}

/// Tags of the payload's bits.
fn tags() -> Vec<Gf128> {
    let tag = |i: usize| u128::from(TEXT[i / 8] >> (i % 8) & 1) | (i as u128 + 1) << 64;
    (0..48).map(|i| Gf128::from_bits(tag(i))).collect()
}

/// All that a V sends, at P. If P opens anything, then it is the payload.
pub fn commitment_prover(bytes: &[u8]) {
    let _ = against(bytes, |channel| as_prover(channel));
}

/// All that a P sends, at V. The first byte says whether V's keys are of other bits than P has (bit 0): then
/// it must not accept.
pub fn commitment_verifier(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let lie = mode & 1 != 0;
    // What an honest P sends depends on delta here, so only where nothing is to be accepted it depends on the
    // input.
    let delta = dealing::delta(if lie { bytes } else { &[] });
    let result = against(rest, |channel| as_verifier(channel, &delta, lie));
    assert!(!(lie && result.is_ok()), "V accepts commitments to other bits");
}

/// An honest P.
///
/// # Errors
/// What its peer does wrong.
///
/// # Panics
/// If what it opens is not the payload.
pub fn as_prover(channel: &mut dyn Channel) -> Result<(), Error> {
    let mut pool = dealing::bits(None);
    let prover = Prover::commit(channel, &mut pool, &SESSION, &layout(), &tags(), &mut rng(3))?;
    let openings = prover.open(channel, pool)?;
    let opened: Vec<u8> = openings
        .iter()
        .zip(WIDTHS)
        .flat_map(|(opening, width)| opening.bytes(width / 8).expect("values of these widths").to_vec())
        .collect();
    assert_eq!(opened, TEXT);
    Ok(())
}

/// An honest V; with a lie, its keys are of a payload whose first bit is another.
///
/// # Errors
/// What its peer does wrong.
pub fn as_verifier(channel: &mut dyn Channel, delta: &Delta, lie: bool) -> Result<(), Error> {
    let mut pool = dealing::bits(Some(delta.duplicate()));
    let key = |(i, tag): (usize, &Gf128)| {
        let bit = (tag.to_bits() & 1 == 1) ^ (lie && i == 0);
        if bit { *tag + delta.expose() } else { *tag }
    };
    let keys: Vec<_> = tags().iter().enumerate().map(key).collect();
    let verifier = Verifier::receive(channel, &mut pool, delta, &SESSION, &layout(), &keys, &mut rng(4))?;
    verifier.reveal(channel, delta.duplicate(), pool)?;
    Ok(())
}

/// Openings of three places: two values of bytes, a number, a byte.
#[must_use]
pub fn three_places() -> Openings {
    let text = b"a payload of some length, more than 31 bytes";
    let blinding = Scalar::from(9_u8);
    let bytes = |side, start, length| Place { side, start, length, form: Form::Bytes };
    let number = Place { side: Side::Server, start: 90, length: 2, form: Form::Number };
    let places = [bytes(Side::Server, 7, text.len() as u64), bytes(Side::Client, 0, 1), number];
    let [first, second, third] = [&text[..31], &text[31..], b"x"]
        .map(|bytes| Opening::of_bytes(bytes, blinding).expect("short enough"));
    Openings::new(&places, vec![first, second, third, opening()]).expect("one for each value")
}

/// A file of openings. What is accepted writes the same bytes.
pub fn openings(bytes: &[u8]) {
    let Ok(openings) = Openings::from_bytes(bytes) else { return };
    assert_eq!(*openings.to_bytes(), bytes);
    let _ = openings.check(&statement());
    for Place { side, start, .. } in openings.places() {
        let selected = openings.select(&[(*side, *start)]).expect("a place that is there");
        assert_eq!(selected.places().len(), 1);
    }
}

/// What a notary says: a committed number in bytes 90 and 91 of a response.
fn statement() -> Statement {
    let hidden = Hidden {
        round: 0,
        part: disclosure::Part::Json("number".into()),
        class: Class::Number,
        ranges: core::iter::once(90..92).collect(),
        claims: vec![Assertion::Number(Interval::at_least(10))],
        commit: Some(Form::Number),
        leaves: Vec::new(),
    };
    let committed = Committed {
        part: hidden.part.to_string(),
        form: Form::Number,
        ranges: core::iter::once(90..92).collect(),
        points: vec![opening().commitment().to_bytes()],
    };
    Statement {
        mode: Mode::TwoParty,
        tls: volery_tls::disclosure::TlsVersion::Tls12,
        suite: volery_tls::disclosure::Suite::Aes128GcmSha256,
        server_name: "example.com".into(),
        port: 443,
        alpn: true,
        certificate: [5; 32],
        time: 1_780_000_000,
        rounds: 1,
        pipelined: false,
        context: Context::default(),
        holder: None,
        query: AttestedPayload::default(),
        response: AttestedPayload {
            length: 100,
            revealed: Vec::new(),
            hidden: vec![hidden],
            commitments: vec![committed],
        },
    }
}

/// The notary's attestation of it.
///
/// # Panics
/// Never: it is a proper statement.
#[must_use]
pub fn attestation() -> Attestation {
    Attestation::sign(statement(), &SigningKey::from_bytes(&[7; 32])).expect("a proper statement")
}

/// A range proof about it, as its file.
///
/// # Panics
/// If the number does not lie between the bounds.
#[must_use]
pub fn about(least: u64, greatest: u64) -> Vec<u8> {
    let part = (Side::Server, 90);
    let file = RangeFile::prove(&attestation(), &three_places(), part, least..=greatest, &mut rng(6));
    file.expect("it lies between").to_bytes()
}

/// A file with a range proof. What is read writes the same bytes; none is accepted with bounds that leave the
/// number out.
pub fn range_file(bytes: &[u8]) {
    let Ok(file) = RangeFile::from_bytes(bytes) else { return };
    assert_eq!(file.to_bytes(), bytes);
    let attestation = attestation();
    if let Ok(shown) = file.verify(&attestation, attestation.claimed_signer()) {
        assert!(shown.bounds.contains(&NUMBER), "a proof of a false claim");
    }
}

fn opening() -> Opening {
    Opening::of_number(NUMBER, Scalar::from(77_u8))
}

/// Two bounds, eight bytes each, and a proof that the number lies between them.
///
/// # Panics
/// If it does not.
#[must_use]
pub fn proof(least: u64, greatest: u64) -> Vec<u8> {
    let proof = range::prove(&opening(), &(least..=greatest), b"fuzz", &mut rng(5)).expect("it lies between");
    [&least.to_be_bytes()[..], &greatest.to_be_bytes(), &proof].concat()
}

/// Whether the proof behind two bounds is accepted.
#[must_use]
pub fn verified(bytes: &[u8]) -> Option<bool> {
    let (least, rest) = bytes.split_first_chunk()?;
    let (greatest, proof) = rest.split_first_chunk()?;
    let bounds = u64::from_be_bytes(*least)..=u64::from_be_bytes(*greatest);
    let accepted = range::verify(&opening().commitment(), &bounds, b"fuzz", proof).is_ok();
    assert!(!accepted || bounds.contains(&NUMBER), "a proof of a false claim");
    Some(accepted)
}

/// Two bounds and a proof. None is accepted with bounds that leave the number out.
pub fn range_proof(bytes: &[u8]) {
    let _ = verified(bytes);
}
