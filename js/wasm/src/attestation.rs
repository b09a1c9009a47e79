//! Attestations: for readers, who check them, and for holders, who open parts of them.

use core::ops::RangeInclusive;

use serde_json::{Value, json};
use volery::os_rng;
use volery::web::Side;
use volery::web::attestation::{Attestation, Context, Error, Statement, Warning};
use volery::web::commitment::{Bounded, Disclosed, Openings, RangeFile, RangeFileError, range::RangeError};
use volery::web::disclosure::{MessagePart, Redaction, words};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{claim as wrong, named};
use crate::values::{bytes, flag, many_bytes, number};

fn input(error: impl ToString) -> JsValue {
    wrong(&error.to_string())
}

fn rejected(reason: impl ToString) -> JsValue {
    named("RejectedError", &reason.to_string())
}

/// What an attestation says, in JSON, if it is as demanded: by the owner of `key`, for `context`, with these
/// `openings` and `ranges`.
#[wasm_bindgen(js_name = verifyAttestation)]
pub fn verify_attestation(document: &[u8], demands: &JsValue) -> Result<String, JsValue> {
    let attestation = Attestation::from_bytes(document).map_err(input)?;
    let wrong_key = || wrong("`key` has 32 bytes, or 64 hexadecimal digits");
    let key: [u8; 32] = bytes(demands, "key")?.and_then(|key| key.try_into().ok()).ok_or_else(wrong_key)?;
    let context = bytes(demands, "context")?;
    let context = context.map(|context| Context::new(&context)).transpose().map_err(input)?;
    let statement = attestation.verify(&key).map_err(unsigned)?;
    if let Some(wanted) = context.filter(|wanted| *wanted != statement.context) {
        let (found, wanted) = (statement.context.words(), wanted.words());
        return Err(rejected(format!("it was made for `{found}`, not for the context `{wanted}`")));
    }
    let warnings = statement.warnings();
    allowed(&warnings, demands)?;
    let mut opened = Vec::new();
    for bytes in many_bytes(demands, "openings")? {
        let openings = Openings::from_bytes(&bytes).map_err(input)?;
        opened.extend(openings.check(statement).map_err(rejected)?.iter().map(disclosed));
    }
    let mut in_range = Vec::new();
    for bytes in many_bytes(demands, "ranges")? {
        let file = RangeFile::from_bytes(&bytes).map_err(input)?;
        let Bounded { side, part, bounds } = file.verify(&attestation, &key).map_err(rejected)?;
        let (least, greatest) = bounds.into_inner();
        in_range.push(json!({
            "message": message(side), "part": part,
            // Numbers of JavaScript have 53 bits.
            "least": least.to_string(), "greatest": greatest.to_string(),
        }));
    }
    Ok(told(statement, (&key, true), &warnings, (opened, in_range)).to_string())
}

/// What an attestation says that somebody has signed, in JSON: the key is the one that it names itself, which
/// nobody has compared with one that is trusted.
#[wasm_bindgen(js_name = showAttestation)]
pub fn show_attestation(document: &[u8]) -> Result<String, JsValue> {
    let attestation = Attestation::from_bytes(document).map_err(input)?;
    let key = attestation.claimed_signer();
    let statement = attestation.verify(key).map_err(unsigned)?;
    Ok(told(statement, (key, false), &statement.warnings(), (Vec::new(), Vec::new())).to_string())
}

/// What a reader is told.
fn told(
    statement: &Statement,
    (signer, trusted): (&[u8; 32], bool),
    warnings: &[Warning],
    (opened, in_range): (Vec<Value>, Vec<Value>),
) -> Value {
    json!({
        "signer": hex(signer),
        "trusted": trusted,
        "summary": statement.summary(),
        "warnings": warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "attestation": statement,
        "opened": opened,
        "inRange": in_range,
    })
}

/// The failure of a signature.
fn unsigned(error: Error) -> JsValue {
    match error {
        Error::Key => wrong("`key` is no public key"),
        error => rejected(error),
    }
}

/// Refuses what a reader has to allow, as the program does.
fn allowed(warnings: &[Warning], demands: &JsValue) -> Result<(), JsValue> {
    let rounds = number(demands, "maxRounds")?.unwrap_or(1);
    let [pipelined, no_alpn, hidden_path] =
        ["allowPipelined", "allowNoAlpn", "allowHiddenPath"].map(|name| flag(demands, name));
    let (pipelined, no_alpn, hidden_path) = (pipelined?, no_alpn?, hidden_path?);
    for warning in warnings {
        let option = match warning {
            Warning::SeveralRequests { requests } if *requests > rounds => {
                return Err(rejected("maxRounds: more requests than that went over the connection"));
            }
            Warning::Pipelined if !pipelined => "allowPipelined",
            Warning::NoProtocol if !no_alpn => "allowNoAlpn",
            Warning::HiddenPath { .. } if !hidden_path => "allowHiddenPath",
            _ => continue,
        };
        return Err(rejected(format!("{warning}; {option} accepts that")));
    }
    Ok(())
}

/// The openings of these parts alone, for a reader.
#[wasm_bindgen(js_name = openAttestation)]
pub fn open_attestation(document: &[u8], openings: &[u8], parts: Vec<String>) -> Result<Vec<u8>, JsValue> {
    let (attestation, openings) = held(document, openings)?;
    let statement = attestation.verify(attestation.claimed_signer()).map_err(input)?;
    let places = parts.iter().map(|text| place(statement, &words::part(text).map_err(input)?));
    let places = places.collect::<Result<Vec<_>, _>>()?;
    let chosen = openings.select(&places).map_err(input)?;
    // A holder does not hand out what a reader would refuse.
    chosen.check(statement).map_err(input)?;
    Ok(chosen.to_bytes().to_vec())
}

/// A proof that a committed number lies in a range: `response.json:balance in 5000..`.
#[wasm_bindgen(js_name = proveRange)]
pub fn prove_range(document: &[u8], openings: &[u8], claim: &str) -> Result<Vec<u8>, JsValue> {
    let (attestation, openings) = held(document, openings)?;
    let (part, bounds): (MessagePart, RangeInclusive<u64>) = words::range(claim).map_err(input)?;
    let statement = attestation.verify(attestation.claimed_signer()).map_err(input)?;
    let place = place(statement, &part)?;
    let mut rng = os_rng().map_err(|error| named("SessionError", &error.to_string()))?;
    let proof = RangeFile::prove(&attestation, &openings, place, bounds, &mut rng);
    let proof = proof.map_err(|error| match error {
        RangeFileError::Proof(RangeError::Outside) => named("WitnessError", &format!("not true: {claim}")),
        error => input(error),
    })?;
    Ok(proof.to_bytes())
}

/// The attestation of a holder, who need not trust it, and what opens it.
fn held(document: &[u8], openings: &[u8]) -> Result<(Attestation, Openings), JsValue> {
    Ok((Attestation::from_bytes(document).map_err(input)?, Openings::from_bytes(openings).map_err(input)?))
}

/// Where the commitment to a part is.
fn place(statement: &Statement, named: &MessagePart) -> Result<(Side, u64), JsValue> {
    let mut hidden = statement.part(named.side).hidden.iter();
    let committed = hidden.find(|hidden| {
        let one = Redaction { round: hidden.round, ..Redaction::new(named.side, hidden.part.clone()) };
        hidden.commit.is_some() && words::is_same(&one, named)
    });
    let start = committed.and_then(|hidden| hidden.ranges.first()).map(|range| range.start as u64);
    let start = start.ok_or_else(|| {
        let name = words::name_of(named.side, named.round);
        wrong(&format!("the attestation has no commitment to {name} {}", named.part))
    })?;
    Ok((named.side, start))
}

fn disclosed(opened: &Disclosed) -> Value {
    json!({"message": message(opened.side), "part": opened.part, "bytes": hex(&opened.bytes)})
}

fn message(side: Side) -> &'static str {
    match side {
        Side::Client => "request",
        Side::Server => "response",
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
