//! `volery attestation`: what a notary signed.

use std::path::Path;

use serde::Serialize;
use volery::tls::attestation::{Attestation, Error, MAX_BYTES, Statement};

use super::read;
use crate::cli::args::{AttestationShowArgs, AttestationVerifyArgs};
use crate::cli::failure::Failure;
use crate::cli::output;

/// What `--json` prints.
#[derive(Serialize)]
struct Told<'a> {
    /// `attested`, `valid`, `unchecked` or `rejected`.
    result: &'a str,
    /// Whose signature it is, or is said to be, in hex.
    signer: String,
    reason: Option<String>,
    statement: Option<&'a Statement>,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn open(path: &Path) -> Result<Attestation, Failure> {
    let bytes = read(path, MAX_BYTES as u64)?;
    Attestation::from_bytes(&bytes).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

/// Tells what an attestation says that is signed with the key that it names.
pub(super) fn tell(word: &str, attestation: &Attestation, json: bool) -> Result<(), Failure> {
    conclude(word, attestation, attestation.claimed_signer(), json)
}

fn conclude(word: &str, attestation: &Attestation, key: &[u8; 32], json: bool) -> Result<(), Failure> {
    let signer = hex(attestation.claimed_signer());
    match attestation.verify(key) {
        Ok(statement) if json => {
            output::json(&Told { result: word, signer, reason: None, statement: Some(statement) })
        }
        Ok(statement) => output::result(format!("{word}\nsigner    {signer}\n{statement}").trim_end()),
        Err(error) => {
            let reason = error.to_string();
            if json {
                let reason = Some(reason.clone());
                output::json(&Told { result: "rejected", signer, reason, statement: None })?;
            } else {
                output::result("rejected")?;
            }
            Err(match error {
                Error::Key => Failure::input(reason),
                _ => Failure::Rejected(reason),
            })
        }
    }
}

/// Runs `volery attestation verify`.
pub(crate) fn verify(args: &AttestationVerifyArgs) -> Result<(), Failure> {
    conclude("valid", &open(&args.file)?, &args.key, args.json)
}

/// Runs `volery attestation show`.
pub(crate) fn show(args: &AttestationShowArgs) -> Result<(), Failure> {
    output::message(
        "the signer is whom the file names: `volery attestation verify --key` compares it with a key that you know",
    );
    tell("unchecked", &open(&args.file)?, args.json)
}
