//! A worker: one shard, for the coordinator whose invitation it has.

use std::io::Read as _;

use volery::Limits;
use volery::split::remote::{Arrival, Invitation, Side};
use zeroize::Zeroizing;

use super::Secret;
use crate::args::{RoleArg, SplitWorkerArgs};
use crate::failure::Failure;

/// The variable of the environment that an invitation may be in.
pub(super) const INVITATION: &str = "VOLERY_INVITATION";

/// Runs the command.
pub(super) fn run(args: &SplitWorkerArgs) -> Result<(), Failure> {
    let invitation: Invitation = invitation()?.parse().map_err(Failure::input)?;
    let limits = Limits { read: args.timeout, write: args.timeout, ..Limits::default() };
    let side = match args.role {
        RoleArg::Prover => Side::Prover,
        RoleArg::Verifier => Side::Verifier { listen: &args.listen, reached_at: args.reached_at.as_deref() },
    };
    Arrival::come(&invitation, &limits)?.work(side)?;
    Ok(())
}

/// The text of the invitation: from the environment, or from standard input.
fn invitation() -> Result<Secret, Failure> {
    if let Ok(text) = std::env::var(INVITATION) {
        return Ok(Zeroizing::new(text));
    }
    let mut text = Zeroizing::new(String::new());
    let read = std::io::stdin().lock().take(LONGEST).read_to_string(&mut text);
    read.map_err(|error| Failure::input(format!("standard input: {error}")))?;
    match text.trim().is_empty() {
        true => Err(Failure::input(format!(
            "a worker needs an invitation: in {INVITATION}, or on standard input"
        ))),
        false => Ok(text),
    }
}

/// More characters than an invitation has.
const LONGEST: u64 = 4096;
