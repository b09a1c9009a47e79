//! An attestation with commitments, and what opens them.

use core::ops::Range;

use curve25519_dalek::scalar::Scalar;

use super::super::*;
use crate::page::attestation::{
    Attestation, AttestedPayload, Committed, Context, Mode, SigningKey, Statement,
};
use crate::page::claim::Class;
use crate::page::disclosure::{Hidden, Part as Named, Suite, TlsVersion};
use crate::wire::prf::Side;

/// The response, whose balance comes in two chunks; and the query, of which only the path is looked at.
pub(super) const TEXT: &[u8] =
    b"HTTP/1.1 200 OK\r\n\r\n{\"name\":\"somebody with quite a long name.\", \"balance\": 512\r\n03}";

/// Where the request has its path.
pub(super) const TARGET: Range<u64> = 5..9;
/// Where the name is: a byte more than one value holds.
pub(super) const NAME: Range<u64> = 28..60;

pub(super) fn bytes(side: Side, start: u64, length: u64) -> Place {
    Place { side, start, length, form: Form::Bytes }
}

pub(super) fn number(side: Side, start: u64, length: u64) -> Place {
    Place { side, start, length, form: Form::Number }
}

/// The openings of the name, the balance, and the path; each with its place as its blinding.
pub(super) fn openings() -> Openings {
    let value =
        |range: Range<usize>| Opening::of_bytes(&TEXT[range.clone()], Scalar::from(range.start as u64));
    let places = [number(Side::Server, 74, 5), bytes(Side::Server, 28, 32), bytes(Side::Client, 5, 4)];
    let balance = Opening::of_number(51_203, Scalar::from(74_u64));
    let openings = vec![balance, value(28..59).unwrap(), value(59..60).unwrap(), value(5..9).unwrap()];
    Openings::new(&places, openings).unwrap()
}

/// What V says of them.
fn unsigned() -> Statement {
    let committed = |part: &Named, form, ranges: &[Range<u64>], blindings: &[u64]| {
        let opening = |start: &u64| match form {
            Form::Number => Opening::of_number(51_203, Scalar::from(*start)),
            Form::Bytes => {
                let end = (start + 31).min(ranges[0].end);
                Opening::of_bytes(&TEXT[*start as usize..end as usize], Scalar::from(*start)).unwrap()
            }
        };
        let points = blindings.iter().map(|start| opening(start).commitment().to_bytes()).collect();
        let hidden = Hidden {
            round: 0,
            part: part.clone(),
            class: Class::Opaque,
            ranges: ranges.iter().map(|range| range.start as usize..range.end as usize).collect(),
            claims: Vec::new(),
            commit: Some(form),
            leaves: Vec::new(),
        };
        (hidden, Committed { part: part.to_string(), form, ranges: ranges.to_vec(), points })
    };
    let part = |entries: Vec<(Hidden, Committed)>| {
        let (hidden, commitments) = entries.into_iter().unzip();
        AttestedPayload { length: TEXT.len() as u64, revealed: Vec::new(), hidden, commitments }
    };
    let json = |name: &str| Named::Json(name.into());
    Statement {
        mode: Mode::Proxy,
        tls: TlsVersion::Tls12,
        suite: Suite::Aes128GcmSha256,
        server_name: "example.com".into(),
        port: 443,
        alpn: true,
        certificate: [0xce; 32],
        time: 1_780_000_000,
        rounds: 1,
        pipelined: false,
        context: Context::default(),
        holder: None,
        query: part(vec![committed(&Named::Path, Form::Bytes, &[TARGET], &[5])]),
        response: part(vec![
            committed(&json("name"), Form::Bytes, &[NAME], &[28, 59]),
            committed(&json("balance"), Form::Number, &[74..77, 79..81], &[74]),
        ]),
    }
}

/// An attestation of them, and the key to trust.
pub(super) fn attestation() -> (Attestation, [u8; 32]) {
    signed(unsigned())
}

/// Another attestation with the same commitments.
#[cfg(feature = "range-proofs")]
pub(super) fn later_attestation() -> (Attestation, [u8; 32]) {
    signed(Statement { time: 1_780_000_001, ..unsigned() })
}

fn signed(statement: Statement) -> (Attestation, [u8; 32]) {
    let key = SigningKey::from_bytes(&[7; 32]);
    (Attestation::sign(statement, &key).unwrap(), key.verifying_key().to_bytes())
}

/// The statement as its reader has it.
pub(super) fn statement() -> Statement {
    let (attestation, key) = attestation();
    attestation.verify(&key).unwrap().clone()
}
