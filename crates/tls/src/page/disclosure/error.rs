//! Why a connection does not lead to a proof. Each error says whose fault it is.

use super::redaction::payload_name;
use crate::wire::prf::Side;
use crate::wire::{server, transcript};

/// An error of disclosing a connection, or of receiving a disclosure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The channel between the parties failed, or the peer ended the session and gave a reason.
    #[error(transparent)]
    Channel(#[from] volery_channel::Error),
    /// At P: the server may still take requests on this connection, so V must not see values derived from its
    /// keys (see the [module](super)).
    #[error(
        "the server did not say that it ends the connection: no close_notify, and no whole response with \
         `Connection: close` or of HTTP/1.0; so it might take requests that the verifier forges. If you know that it takes \
         none after a request with `Connection: close`: --trust-close"
    )]
    StillOpen,
    /// At P: a claim that it wants to make is not true. V has not heard of it.
    #[error("not true: {0}")]
    NotTrue(String),
    /// The connection, or what the peer says about it, cannot be proved.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Counting what a proof takes failed, which does not happen.
impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        Self::Refused(Refusal::Message(error.to_string()))
    }
}

/// Why a connection, or what P says about it, is not accepted. V finds these errors in P's message; P finds
/// them in the message that it is about to send.
///
/// None of them mentions hidden bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The relayed bytes are not a connection about which anything can be proved.
    #[error(transparent)]
    Transcript(#[from] transcript::Error),
    /// The server is not the intended one.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// P's message is malformed.
    #[error("the prover's message: {0}")]
    Message(String),
    /// The connection is not the one that the two parties made together.
    #[error("the {0} of the connection is not what both parties used")]
    Another(&'static str),
    /// The number of opened bits is not the one for this connection.
    #[error("the opened bits do not fit the connection")]
    Opened,
    /// A Finished message does not match the handshake.
    #[error("the Finished message of the {} does not fit the handshake", name(*.0))]
    Finished(Side),
    /// A record's tag is wrong.
    #[error("record {sequence} of the {} has a wrong tag: it is not what that side sent", name(*side))]
    Tag {
        /// The sender of the record.
        side: Side,
        /// Its number in its direction.
        sequence: u64,
    },
    /// A record of TLS 1.3 holds something that may not come after the handshake.
    #[error("record {sequence} of the {} holds {reason}", name(*side))]
    Content {
        /// The sender of the record.
        side: Side,
        /// Its number under its key.
        sequence: u64,
        /// What it holds.
        reason: &'static str,
    },
    /// In TLS 1.3, there is no record of the server's after its handshake.
    #[error("the server sent nothing after its handshake, so nothing shows which keys it has")]
    Unanswered,
    /// Client and server agreed on a protocol other than HTTP/1.1.
    #[error("client and server agreed to speak {0}; only http/1.1 is read")]
    Protocol(String),
    /// Client and server did not agree on a protocol although that is required.
    #[error(
        "the server did not agree on http/1.1 (ALPN), so its words may be those of another service of its host. If the verifier can reach \
         it, proxy mode does without; in two-party mode the verifier must allow it (a notary: --allow-no-alpn)"
    )]
    NoProtocol,
    /// Something follows an alert.
    #[error("the {} went on after an alert", name(*.0))]
    Alert(Side),
    /// More is hidden than V's limit.
    #[error(
        "{bytes} bytes of the {} are hidden with something claimed about them, if only what they are, and the verifier takes {limit}: reveal \
         more (a notary's limit: --max-hidden)", payload_name(*side)
    )]
    Hidden {
        /// The direction.
        side: Side,
        /// The number of bytes.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// What is shown does not have the required form.
    #[error("what is shown of the {}: {reason}", payload_name(*side))]
    Payload {
        /// The direction.
        side: Side,
        /// What is wrong.
        reason: &'static str,
    },
    /// What is shown of a direction is not whole HTTP messages.
    #[error("nothing can be proved about the HTTP of the {}: {reason}", payload_name(*side))]
    Http {
        /// The direction.
        side: Side,
        /// What is wrong.
        reason: String,
    },
    /// A hidden string is not the part that it claims to be.
    #[error("{part} of the {message}: {reason}")]
    Part {
        /// The message, such as `response 2`.
        message: String,
        /// The part.
        part: String,
        /// What is wrong.
        reason: String,
    },
    /// The request is for another host than the one whose certificate was verified.
    #[error("a request's Host is not {expected}, whose certificate was verified")]
    Host {
        /// The verified host.
        expected: String,
    },
    /// The port is not one of V's, or not the same in all requests.
    #[error("port {port} of a request's Host: {reason}")]
    Port {
        /// The port.
        port: u16,
        /// What is wrong.
        reason: &'static str,
    },
    /// A request came before the response to the one before it had ended, or after its own had begun.
    #[error(
        "request {} was not sent after the whole response to the one before it and before its own: what comes then may be the answer to \
         something else", .round + 1
    )]
    Order {
        /// The number of the request, from 0.
        round: usize,
    },
    /// V does not have the memory for all claims.
    #[error(
        "what is hidden and claimed takes more memory than the verifier {}; the request has been made, so do not repeat it blindly if it changes something",
        lack(*.ever)
    )]
    Memory {
        /// Whether it would lack the memory even without other sessions.
        ever: bool,
    },
    /// A claim cannot hold for the length of its string, is too large, or is none.
    #[error("what is claimed cannot be proved: {}", claim_reason(.0))]
    Claim(volery_circuit::Error),
}

impl Refusal {
    /// Found by P: whether what it chose to send, show, hide, claim or commit to is the reason, and another
    /// choice is not refused. Otherwise the connection, the website or V is.
    #[must_use]
    pub const fn is_about_choice(&self) -> bool {
        match self {
            Self::Part { .. }
            | Self::Claim(_)
            | Self::Hidden { .. }
            | Self::Memory { .. }
            | Self::Payload { .. }
            | Self::Host { .. }
            | Self::Port { .. }
            | Self::Http { side: Side::Client, .. } => true,
            // Another refusal has to be decided about here.
            Self::Transcript(_)
            | Self::Server(_)
            | Self::Message(_)
            | Self::Another(_)
            | Self::Opened
            | Self::Finished(_)
            | Self::Tag { .. }
            | Self::Content { .. }
            | Self::Unanswered
            | Self::Protocol(_)
            | Self::NoProtocol
            | Self::Alert(_)
            | Self::Order { .. }
            | Self::Http { side: Side::Server, .. } => false,
        }
    }
}

/// Why there is no circuit of a claim.
pub(crate) fn claim_reason(error: &volery_circuit::Error) -> String {
    match error {
        // To a claim its words are the public input.
        volery_circuit::Error::Public(reason) => reason.clone(),
        other => other.to_string(),
    }
}

fn lack(ever: bool) -> &'static str {
    if ever {
        "ever has: hide and claim less"
    } else {
        "has left now: come again later, or hide and claim less"
    }
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Client => "client",
        Side::Server => "server",
    }
}
