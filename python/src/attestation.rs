//! Attestations of what a website said: for readers, who check them, and for holders, who show more of them.

use std::time::SystemTime;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use serde_json::{Value, json};
use volery::os_rng;
use volery::web::Side;
use volery::web::attestation::policy::{Evidence, Policy};
use volery::web::attestation::{Attestation, Context, Statement, Warning};
use volery::web::commitment::{Bounded, Disclosed, Openings, RangeFile, RangeFileError, range::RangeError};
use volery::web::disclosure::{MessagePart, Redaction, words};
use volery::web::presentation::{Presentation, PresentationError};

use crate::failure::Failure;
use crate::worker::alone;

/// What a reader gives.
enum Document {
    Attestation(Box<Attestation>),
    Presentation(Box<Presentation>),
}

impl Document {
    fn read(bytes: &[u8]) -> Result<Self, Failure> {
        Ok(match Presentation::is_one(bytes) {
            true => Self::Presentation(Box::new(Presentation::from_bytes(bytes).map_err(Failure::input)?)),
            false => Self::Attestation(Box::new(Attestation::from_bytes(bytes).map_err(Failure::input)?)),
        })
    }

    fn evidence(&self) -> Evidence<'_> {
        match self {
            Self::Attestation(attestation) => Evidence::Attestation(attestation),
            Self::Presentation(presentation) => Evidence::Presentation(presentation),
        }
    }
}

/// What a reader demands.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Demands {
    /// The notary's key.
    key: Option<[u8; 32]>,
    /// A policy, in JSON, instead of the key.
    policy: Option<Vec<u8>>,
    context: Option<Vec<u8>>,
    /// Openings and range proofs of its holder.
    openings: Vec<Vec<u8>>,
    ranges: Vec<Vec<u8>>,
    max_rounds: u64,
    allow_hidden_path: bool,
    allow_pipelined: bool,
    allow_no_alpn: bool,
}

/// What an attestation or a presentation says, in JSON, if it is as demanded.
#[pyfunction]
pub(crate) fn verify_attestation(py: Python<'_>, document: Vec<u8>, demands: Demands) -> PyResult<String> {
    alone(py, move || Ok(verified(&Document::read(&document)?, &demands)?.to_string()))
}

fn rejected(reason: impl ToString) -> Failure {
    Failure::Rejected(reason.to_string())
}

fn verified(document: &Document, demands: &Demands) -> Result<Value, Failure> {
    let attestation = document.evidence().attestation();
    let context = demands.context.as_deref().map(Context::new).transpose().map_err(Failure::input)?;
    let (key, notaries) = match (&demands.key, &demands.policy) {
        (Some(key), None) => (*key, Vec::new()),
        (None, Some(policy)) => {
            let mut policy = Policy::from_json(policy).map_err(Failure::input)?;
            policy.context = match (policy.context.take(), context.clone()) {
                (Some(own), Some(wanted)) if own != wanted => {
                    return Err(Failure::input("the policy demands another context than `context`"));
                }
                (own, wanted) => wanted.or(own),
            };
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_err(Failure::session)?;
            let notaries = policy.check_evidence(&[document.evidence()], now.as_secs());
            let notaries = notaries.map_err(|failure| {
                rejected(format!("the policy's rule `{}`: {}", failure.rule, failure.reason))
            })?;
            // The policy has found this key good.
            (*attestation.claimed_signer(), notaries)
        }
        _ => return Err(Failure::input("give the notary's key, or a policy, and not both")),
    };
    let statement = attestation.verify(&key).map_err(rejected)?;
    let shown = match document {
        Document::Presentation(presentation) => {
            let shown = presentation.verify(&key).map_err(rejected)?;
            presentation.check_context(context.as_ref()).map_err(rejected)?;
            let opened = shown.opened.iter().map(|one| {
                json!({"part": full_name(&one.part), "start": one.range.as_ref().map(|range| range.start), "bytes": hex(&one.bytes)})
            });
            let claimed = shown.claimed.iter().map(|one| {
                json!({"part": full_name(&one.part), "length": one.length, "claim": one.claim.to_string()})
            });
            json!({
                "summary": shown.summary(),
                "opened": opened.collect::<Vec<_>>(),
                "claimed": claimed.collect::<Vec<_>>(),
            })
        }
        Document::Attestation(_) => {
            if let Some(wanted) = context.filter(|wanted| *wanted != statement.context) {
                let found = statement.context.words();
                return Err(rejected(format!(
                    "it was made for `{found}`, not for the context `{}`",
                    wanted.words()
                )));
            }
            Value::Null
        }
    };
    let warnings = statement.warnings();
    if demands.policy.is_none() {
        allowed(&warnings, demands)?;
    }
    let mut opened = Vec::new();
    for bytes in &demands.openings {
        let openings = Openings::from_bytes(bytes).map_err(Failure::input)?;
        opened.extend(openings.check(statement).map_err(rejected)?.iter().map(disclosed));
    }
    let mut in_range = Vec::new();
    for bytes in &demands.ranges {
        let file = RangeFile::from_bytes(bytes).map_err(Failure::input)?;
        let Bounded { side, part, bounds } = file.verify(attestation, &key).map_err(rejected)?;
        let (least, greatest) = bounds.into_inner();
        in_range.push(json!({"message": message(side), "part": part, "least": least, "greatest": greatest}));
    }
    Ok(json!({
        "signer": hex(&key),
        "notaries": notaries,
        "summary": statement.summary(),
        "warnings": warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "attestation": statement,
        "presentation": shown,
        "opened": opened,
        "in_range": in_range,
    }))
}

/// Refuses what a reader has to allow, as the program does.
fn allowed(warnings: &[Warning], demands: &Demands) -> Result<(), Failure> {
    for warning in warnings {
        let option = match warning {
            Warning::SeveralRequests { requests } if u64::from(*requests) > demands.max_rounds => {
                return Err(rejected("max_rounds: more requests than that went over the connection"));
            }
            Warning::Pipelined if !demands.allow_pipelined => "allow_pipelined=True",
            Warning::NoProtocol if !demands.allow_no_alpn => "allow_no_alpn=True",
            Warning::HiddenPath { .. } if !demands.allow_hidden_path => "allow_hidden_path=True",
            _ => continue,
        };
        return Err(rejected(format!("{warning}; {option} accepts that")));
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn message(side: Side) -> &'static str {
    match side {
        Side::Client => "request",
        Side::Server => "response",
    }
}

/// A part as it is named: `response2 json balance`.
fn full_name(part: &MessagePart) -> String {
    let number = if part.round == 0 { String::new() } else { (part.round + 1).to_string() };
    format!("{}{number} {}", message(part.side), part.part)
}

fn disclosed(opened: &Disclosed) -> Value {
    json!({"message": message(opened.side), "part": opened.part, "bytes": hex(&opened.bytes)})
}

/// The part with this name.
fn part(text: &str) -> Result<MessagePart, Failure> {
    words::part(text).map_err(Failure::input)
}

/// The attestation of a holder, and what it says. Its holder need not trust it.
fn held(bytes: &[u8]) -> Result<Attestation, Failure> {
    Attestation::from_bytes(bytes).map_err(Failure::input)
}

/// Where the commitment to a part is.
fn place(statement: &Statement, named: &MessagePart) -> Result<(Side, u64), Failure> {
    let mut hidden = statement.part(named.side).hidden.iter();
    let committed = hidden.find(|hidden| {
        let one = Redaction { round: hidden.round, ..Redaction::new(named.side, hidden.part.clone()) };
        hidden.commit.is_some() && words::is_same(&one, named)
    });
    let start = committed.and_then(|hidden| hidden.ranges.first()).map(|range| range.start as u64);
    let start = start.ok_or_else(|| {
        Failure::Input(format!("the attestation has no commitment to {}", full_name(named)))
    })?;
    Ok((named.side, start))
}

/// The openings of these parts alone, for a reader, and what they show, in JSON.
#[pyfunction]
pub(crate) fn open_attestation<'py>(
    py: Python<'py>,
    document: Vec<u8>,
    openings: &Bound<'py, PyByteArray>,
    parts: Vec<String>,
) -> PyResult<(Bound<'py, PyBytes>, String)> {
    let openings = Openings::from_bytes(&openings.to_vec()).map_err(Failure::input)?;
    let (chosen, shown) = alone(py, move || {
        let attestation = held(&document)?;
        let statement = attestation.verify(attestation.claimed_signer()).map_err(Failure::input)?;
        let places =
            parts.iter().map(|text| place(statement, &part(text)?)).collect::<Result<Vec<_>, _>>()?;
        let chosen = openings.select(&places).map_err(Failure::input)?;
        let shown: Vec<_> = chosen.check(statement).map_err(Failure::input)?.iter().map(disclosed).collect();
        Ok((chosen.to_bytes(), Value::from(shown).to_string()))
    })?;
    Ok((PyBytes::new(py, &chosen), shown))
}

/// A proof that a committed number lies in a range.
#[pyfunction]
pub(crate) fn prove_range<'py>(
    py: Python<'py>,
    document: Vec<u8>,
    openings: &Bound<'py, PyByteArray>,
    claim: String,
) -> PyResult<Bound<'py, PyBytes>> {
    let openings = Openings::from_bytes(&openings.to_vec()).map_err(Failure::input)?;
    let proof = alone(py, move || {
        let (named, bounds) = words::range(&claim).map_err(Failure::input)?;
        let attestation = held(&document)?;
        let statement = attestation.verify(attestation.claimed_signer()).map_err(Failure::input)?;
        let place = place(statement, &named)?;
        let proof = RangeFile::prove(&attestation, &openings, place, bounds, &mut os_rng()?);
        let proof = proof.map_err(|error| match error {
            RangeFileError::Proof(RangeError::Outside) => Failure::Unsatisfied {
                message: format!("not true: {claim}"),
                place: full_name(&named),
                assertion: None,
                claimed: Some(claim.clone()),
            },
            error => Failure::input(error),
        })?;
        Ok(proof.to_bytes())
    })?;
    Ok(PyBytes::new(py, &proof))
}

/// A presentation of an attestation, for one reader.
#[pyfunction]
pub(crate) fn present_attestation<'py>(
    py: Python<'py>,
    document: Vec<u8>,
    leaves: &Bound<'py, PyByteArray>,
    reveal: Vec<String>,
    claims: Vec<String>,
    context: Vec<u8>,
) -> PyResult<Bound<'py, PyBytes>> {
    use volery::web::leaf::LeafOpenings;
    use volery::web::presentation::Reveal;

    let leaves = LeafOpenings::from_bytes(&leaves.to_vec()).map_err(Failure::input)?;
    let made = alone(py, move || {
        let attestation = held(&document)?;
        let reveal = reveal.iter().map(|text| Ok(Reveal { part: part(text)?, bytes: None }));
        let reveal = reveal.collect::<Result<Vec<_>, Failure>>()?;
        let claims = claims.iter().map(|text| words::claim(text).map_err(Failure::input));
        let claims = claims.collect::<Result<Vec<_>, _>>()?;
        let context = Context::new(&context).map_err(Failure::input)?;
        let made = Presentation::new(&attestation, &leaves, &context, (&reveal, &claims), &mut os_rng()?);
        let made = made.map_err(|error| match &error {
            PresentationError::NotTrue(_) => Failure::Unsatisfied {
                message: error.to_string(),
                place: "a claim".into(),
                assertion: None,
                claimed: None,
            },
            _ => Failure::input(error),
        })?;
        Ok(made.to_bytes())
    })?;
    Ok(PyBytes::new(py, &made))
}
