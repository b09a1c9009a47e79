//! Who hears how far a visit is, and is asked what may be signed.

use core::fmt;

use volery_tls::attestation::Statement;

use crate::notary::Terms;

/// What a prover is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Asking the website which version of TLS and which cipher suite it chooses.
    AskingServer,
    /// Waiting until its turn has come at the notary.
    Waiting,
    /// Setting up the session.
    SettingUp,
    /// Preparing the connection, with two parties.
    Preparing,
    /// Sending the requests, and receiving the responses.
    Fetching,
    /// Showing and proving.
    Proving,
    /// Waiting for the notary's signature.
    AwaitingAttestation,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AskingServer => "asking the server for its version of TLS and cipher suite",
            Self::Waiting => "waiting for the notary",
            Self::SettingUp => "setting up",
            Self::Preparing => "preparing the connection",
            Self::Fetching => "fetching the page",
            Self::Proving => "proving",
            Self::AwaitingAttestation => "waiting for the attestation",
        })
    }
}

/// Who follows a visit. By default nobody listens, and everything may be signed; `()` is such an observer.
pub trait Observer {
    /// A phase begins, and the one before it has ended.
    fn begins(&self, _phase: Phase) {}

    /// The notary says that the prover has this number in its line, from 1.
    fn waits(&self, _number: u32) {}

    /// The prover's turn has come, and these are the notary's limits.
    fn hears(&self, _terms: &Terms) {}

    /// Whether the notary may see and sign this, and whoever gets the attestation read it. The statement
    /// has no commitments yet. The notary waits for the answer, but not for long.
    ///
    /// # Errors
    /// Why not: [`Error::Declined`](super::Error::Declined). Nothing is shown then.
    fn agrees(&self, _statement: &Statement) -> Result<(), String> {
        Ok(())
    }
}

impl Observer for () {}
