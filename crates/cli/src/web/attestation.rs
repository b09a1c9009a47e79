//! `volery attestation verify` and `show`: check and print an attestation.

use std::path::Path;

use serde::Serialize;
use volery::web::attestation::{Attestation, Error, MAX_BYTES, Mode, Statement};

use super::opening::OpenedParts;
use super::read;
use crate::args::{AttestationShowArgs, AttestationVerifyArgs};
use crate::failure::Failure;
use crate::outcome::{self, Good};
use crate::{output, terminal};

/// What `--json` prints about an attestation.
#[derive(Serialize)]
struct AttestationReport<'a> {
    /// The key that signed it, according to the attestation itself, in hex.
    signer: String,
    /// What it says; none if it is rejected.
    attestation: Option<&'a Statement>,
    /// What openings and range proofs show of its hidden parts.
    #[serde(flatten)]
    shown: OpenedParts,
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn open(path: &Path) -> Result<Attestation, Failure> {
    let bytes = read(path, MAX_BYTES as u64)?;
    Attestation::from_bytes(&bytes).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

/// Prints an attestation, checked against the key that it names itself.
pub(super) fn tell(word: &str, attestation: &Attestation, json: bool) -> Result<(), Failure> {
    conclude(word, attestation, attestation.claimed_signer(), Ok(Default::default()), json)
}

/// Prints an attestation and what its holder has opened, or why one of them is rejected.
fn conclude(
    word: &str,
    attestation: &Attestation,
    key: &[u8; 32],
    shown: Result<(OpenedParts, Vec<String>), Failure>,
    json: bool,
) -> Result<(), Failure> {
    let signer = hex(attestation.claimed_signer());
    let failure = match (attestation.verify(key), shown) {
        (Ok(statement), Ok((shown, _))) if json => {
            let good = if word == "valid" { Good::Accepted } else { Good::Done };
            return outcome::json(good, &AttestationReport { signer, attestation: Some(statement), shown });
        }
        (Ok(statement), Ok((_, lines))) => {
            let text = format!("{word}\nsigner    {signer}\n{statement}{}", lines.join("\n"));
            return output::result(text.trim_end());
        }
        (Err(Error::Key), _) => Failure::input(Error::Key),
        (Err(error), _) => Failure::Rejected(error.to_string()),
        (Ok(_), Err(failure)) => failure,
    };
    // After any other failure there is no verdict: a file could not be read.
    if failure.is_rejection() && !json {
        output::result("rejected")?;
    }
    Err(failure.with(&AttestationReport { signer, attestation: None, shown: OpenedParts::default() }))
}

/// Runs `volery attestation verify`.
pub(crate) fn verify(args: &AttestationVerifyArgs) -> Result<(), Failure> {
    let attestation = open(&args.file)?;
    let shown = demand(args, &attestation);
    let shown = shown.and_then(|()| OpenedParts::new(&attestation, &args.key, &args.opening, &args.range));
    conclude("valid", &attestation, &args.key, shown, args.json)
}

/// Checks what the reader demands of an attestation besides its signature. If the signature is wrong, this
/// succeeds, and the caller reports it.
fn demand(args: &AttestationVerifyArgs, attestation: &Attestation) -> Result<(), Failure> {
    let Ok(statement) = attestation.verify(&args.key) else { return Ok(()) };
    rounds(args, statement)?;
    protocol(args, statement)?;
    if let Some(context) = args.context.as_ref().filter(|context| **context != statement.context) {
        let found = match &statement.context {
            none if none.is_empty() => "none".to_owned(),
            other => format!("`{other}`"),
        };
        return Err(Failure::Rejected(format!("it was made for {found}, not for the context `{context}`")));
    }
    for round in statement.hidden_words() {
        terminal::message(&format!(
            "warning: request {} hides its query or body, at least in part: make sure that the document at its path cannot be made to repeat what it is asked",
            round.saturating_add(1)
        ));
    }
    match statement.hidden_paths().first() {
        Some(round) if !args.allow_hidden_path => Err(Failure::Rejected(format!(
            "the path of request {} is hidden, so the attestation does not say which document it is about; --allow-hidden-path accepts that",
            round.saturating_add(1)
        ))),
        _ => Ok(()),
    }
}

/// Checks that the reader accepts the number of requests on the connection, and their order.
fn rounds(args: &AttestationVerifyArgs, statement: &Statement) -> Result<(), Failure> {
    let (rounds, most) = (statement.rounds, args.max_rounds);
    if rounds > most {
        let rounds = output::counted(rounds.into(), "request");
        return Err(Failure::Rejected(format!(
            "{rounds} went over the connection, and --max-rounds is {most}: SECURITY.md says what later responses rest on"
        )));
    }
    if statement.pipelined && !args.allow_pipelined {
        return Err(Failure::Rejected(
            "the requests were sent at once, so nothing shows which request a later response answers; --allow-pipelined accepts that".into(),
        ));
    }
    Ok(())
}

/// Checks that the server named its protocol, or that the reader does without. In proxy mode the notary chose
/// the port.
fn protocol(args: &AttestationVerifyArgs, statement: &Statement) -> Result<(), Failure> {
    if statement.alpn || statement.mode == Mode::Proxy || args.allow_no_alpn {
        return Ok(());
    }
    Err(Failure::Rejected(
        "the server named no protocol (ALPN), so another service of this host may have answered; --allow-no-alpn accepts that".into(),
    ))
}

/// Runs `volery attestation show`.
pub(crate) fn show(args: &AttestationShowArgs) -> Result<(), Failure> {
    let attestation = open(&args.file)?;
    terminal::message(
        "the file itself names its signer; `volery attestation verify --key` checks it against a key that you know",
    );
    tell("unchecked", &attestation, args.json)
}
