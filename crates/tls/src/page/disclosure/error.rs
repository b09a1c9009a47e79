//! Why a connection does not end in a proof, told so that each side knows whose fault it is.

use super::shown::payload_name;
use crate::wire::prf::Side;
use crate::wire::{server, transcript};

/// An error of telling or of hearing what a connection said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The channel between the parties failed, or the peer ended the session and said why.
    #[error(transparent)]
    Channel(#[from] volery_channel::Error),
    /// At P: the server may still take requests on this connection, so its keys' consequences are not for V
    /// (see the [module](super)).
    #[error(
        "the server did not end the connection: no close_notify, and no whole response with `Connection: close`; \
         ask for that in the request"
    )]
    StillOpen,
    /// At P: something that it wants to claim is not true. V has heard nothing of it.
    #[error("not true: {0}")]
    NotTrue(String),
    /// What the connection or the peer says about it is not what can be proved.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Why a connection, or what P says about it, is not accepted. V finds these in what P sent; P finds them in
/// what it is about to send.
///
/// None of them speaks of hidden bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The bytes that were relayed are not a connection of which something can be proved.
    #[error(transparent)]
    Transcript(#[from] transcript::Error),
    /// The server is not the one that is meant.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// P's message is not one.
    #[error("the prover's message: {0}")]
    Message(String),
    /// The connection is not the one that the two parties made together.
    #[error("the {0} of the connection is not what both parties used")]
    Another(&'static str),
    /// The opened bits are not as many as this connection takes.
    #[error("the opened bits do not fit the connection")]
    Opened,
    /// A Finished message is not that of the handshake.
    #[error("the Finished message of the {} does not fit the handshake", name(*.0))]
    Finished(Side),
    /// A record's tag is wrong.
    #[error("record {sequence} of the {} has a wrong tag: it is not what that side sent", name(*side))]
    Tag {
        /// Whose record.
        side: Side,
        /// Its number in its direction.
        sequence: u64,
    },
    /// Client and server agreed to speak another protocol than HTTP/1.1.
    #[error("client and server agreed to speak {0}; only http/1.1 is read")]
    Protocol(String),
    /// Client and server did not agree on a protocol where they have to.
    #[error(
        "the server did not agree on http/1.1 (ALPN), so its words may be those of another service; if whoever verifies can reach it, \
         proxy mode does without"
    )]
    NoProtocol,
    /// Something comes after an alert.
    #[error("the {} went on after an alert", name(*.0))]
    Alert(Side),
    /// What is shown is not of the form that it must have.
    #[error("what is shown of the {}: {reason}", payload_name(*side))]
    Shown {
        /// In which direction.
        side: Side,
        /// What is wrong.
        reason: &'static str,
    },
    /// What is shown of a direction are not whole HTTP messages.
    #[error("the {} is not HTTP of which something can be proved: {reason}", payload_name(*side))]
    Http {
        /// In which direction.
        side: Side,
        /// What is wrong.
        reason: String,
    },
    /// A hidden string is not the part that it is said to be.
    #[error("{part} of the {message}: {reason}")]
    Part {
        /// Of which message, such as `response 2`.
        message: String,
        /// Which part.
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
    /// The port is none that V has to do with, or not the same for all.
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
        /// Which one, from 0.
        round: usize,
    },
    /// V has no memory for all claims.
    #[error(
        "what is hidden and claimed takes more memory than the verifier {}; the request has been made, so do not repeat it blindly if it changes something",
        lack(*.ever)
    )]
    Memory {
        /// Whether it would not have enough without other sessions either.
        ever: bool,
    },
    /// A claim can't hold for the length of what it is about.
    #[error("a claim: {0}")]
    Claim(volery_circuit::Error),
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
