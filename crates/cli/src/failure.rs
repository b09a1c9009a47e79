//! Why a command fails, and the exit code that this gives.

use std::process::ExitCode;

use serde::Serialize;
use serde_json::{Map, Value};
use volery::web::disclosure::{MessagePart, Refusal};
use volery::{Error, PageFault, stored};
use volery_channel::handshake::Mismatch;
use volery_circuit::Error as StatementError;
use volery_machine::proof::Terms;
use volery_statement::{Kind, Refusal as Refused};

/// Why a command failed; decides the exit code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// The proof is wrong, or the witness does not satisfy the statement: exit code 1.
    #[error("rejected: {0}")]
    Rejected(String),
    /// Wrong usage or a bad input file: exit code 2.
    #[error("{0}")]
    Input(String),
    /// What is asked of a web page does not fit the page that was fetched: exit code 2.
    #[error("{0}")]
    Page(String),
    /// The statement or the parameters differ from those of the other party or of the proof: exit code 3.
    #[error("{0}")]
    Mismatch(String),
    /// The session failed: network, peer or operating system. Exit code 3.
    #[error("{0}")]
    Session(String),
    /// A failure with further keys for `--json`.
    #[error("{0}")]
    Detailed(Box<Failure>, Map<String, Value>),
}

/// Where a witness fails, as `--json` prints it.
#[derive(Debug, Default, Serialize)]
struct WitnessFailure {
    /// The number of the assertion that fails, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    assertion: Option<u64>,
    /// The named parts around it, or the public value that the witness contradicts.
    place: String,
    /// The public value.
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed: Option<String>,
}

impl Failure {
    /// The exit code.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }

    /// The same as a number.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Rejected(_) => 1,
            Self::Input(_) | Self::Page(_) => 2,
            Self::Mismatch(_) | Self::Session(_) => 3,
            Self::Detailed(failure, _) => failure.code(),
        }
    }

    /// Its `kind` for `--json`.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Rejected(_) => "rejected",
            Self::Input(_) => "input",
            Self::Page(_) => "page",
            Self::Mismatch(_) => "mismatch",
            Self::Session(_) => "session",
            Self::Detailed(failure, _) => failure.kind(),
        }
    }

    /// The message, without the word `rejected`.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Rejected(reason)
            | Self::Input(reason)
            | Self::Page(reason)
            | Self::Mismatch(reason)
            | Self::Session(reason) => reason.clone(),
            Self::Detailed(failure, _) => failure.reason(),
        }
    }

    /// Whether the exit code is 1.
    pub(crate) fn is_rejection(&self) -> bool {
        self.code() == 1
    }

    /// Adds the keys of `details` for `--json`.
    pub(crate) fn with(self, details: &impl Serialize) -> Self {
        let Ok(Value::Object(more)) = serde_json::to_value(details) else { return self };
        let (failure, mut all) = match self {
            Self::Detailed(failure, all) => (failure, all),
            failure => (Box::new(failure), Map::new()),
        };
        all.extend(more);
        Self::Detailed(failure, all)
    }

    /// The keys that [`Failure::with`] has added.
    pub(crate) fn details(&self) -> Map<String, Value> {
        match self {
            Self::Detailed(_, details) => details.clone(),
            _ => Map::new(),
        }
    }

    /// Puts `what` before the message: which of several things failed.
    pub(crate) fn of(self, what: &str) -> Self {
        match self {
            Self::Rejected(reason) => Self::Rejected(format!("{what}: {reason}")),
            Self::Input(reason) => Self::Input(format!("{what}: {reason}")),
            Self::Page(reason) => Self::Page(format!("{what}: {reason}")),
            Self::Mismatch(reason) => Self::Mismatch(format!("{what}: {reason}")),
            Self::Session(reason) => Self::Session(format!("{what}: {reason}")),
            Self::Detailed(failure, details) => Self::Detailed(Box::new(failure.of(what)), details),
        }
    }

    /// A bad input.
    pub(crate) fn input(reason: impl ToString) -> Self {
        Self::Input(reason.to_string())
    }

    /// At the prover: the failure of saying something about a page that was fetched. What the user wants to
    /// show or claim may not fit the page; nothing is wrong with the session then.
    pub(crate) fn of_page(error: impl Into<Error>) -> Self {
        let error = error.into();
        match PageFault::of(&error) {
            PageFault::Page(refusal) => Self::Page(refusal.to_string()),
            PageFault::NotTrue(_) | PageFault::Session => error.into(),
        }
    }

    /// Whether an error is about this part of a page.
    pub(crate) fn is_about(error: &Error, named: &MessagePart) -> bool {
        let Some(Refusal::Part { message, part, .. }) = PageFault::refusal(error) else { return false };
        // `response 2` is `response2` on a command line.
        let own = format!("{}.", message.replace(' ', ""));
        named.name().starts_with(&own) && *part == named.part.to_string()
    }

    /// A failed session.
    pub(crate) fn session(reason: impl ToString) -> Self {
        Self::Session(reason.to_string())
    }
}

impl From<volery_statement::Error> for Failure {
    fn from(error: volery_statement::Error) -> Self {
        let reason = reason(&error);
        let failure = match error.kind() {
            Kind::Unsatisfied | Kind::Rejected => Self::Rejected(reason),
            Kind::Input | Kind::Io => Self::Input(reason),
            Kind::Mismatch => Self::Mismatch(reason),
            _ => Self::Session(reason),
        };
        match error.statement() {
            Some(StatementError::Unsatisfied { assertion, place }) => {
                let (assertion, place) = (Some(*assertion), place.clone());
                failure.with(&WitnessFailure { assertion, place, claimed: None })
            }
            Some(StatementError::Contradicted { place, claimed }) => {
                let (place, claimed) = (place.clone(), Some(claimed.clone()));
                failure.with(&WitnessFailure { assertion: None, place, claimed })
            }
            _ => failure,
        }
    }
}

/// Why something failed, with the options of the command line that change it.
fn reason(error: &volery_statement::Error) -> String {
    use volery::public;
    use volery_statement::Error as Reason;
    let reason = error.message(&on_command_line);
    match error {
        Reason::Refused(refusal) => refused(refusal, reason),
        Reason::Session(Error::Proof(volery_zk::Error::Rejected { reason })) => match reason {
            long if long.starts_with(Terms::TOO_LONG) => {
                format!("{long}; --max-steps raises it, to about half of that")
            }
            reason => reason.clone(),
        },
        Reason::Session(Error::Channel(volery_channel::Error::Incompatible(Mismatch::Parameter {
            name,
            ..
        }))) => format!("{reason}{}", in_common(name)),
        Reason::Public(public::Error::Message { bound })
        | Reason::InTheHead(public::voleith::Error::Message { bound }) => about_message(*bound).to_owned(),
        Reason::Public(public::Error::Soundness { proof, demanded })
        | Reason::InTheHead(public::voleith::Error::Soundness { proof, demanded }) => format!(
            "this proof has {proof} bits of soundness; --sigma asks for {demanded} (128 if it is not given)"
        ),
        // With another message other views are opened, so any of them may be the first wrong one.
        Reason::Public(public::Error::Repetition { .. }) => {
            format!("{reason}: the proof was changed, or is about another message")
        }
        _ => reason,
    }
}

/// An option as the command line has it.
fn on_command_line(name: &str, value: &str) -> String {
    match (name, value) {
        ("own-public", value) => value.to_owned(),
        (name, "") => format!("--{name}"),
        (name, value) => format!("--{name} {value}"),
    }
}

/// Why the command line's statement is refused for what it is asked for, and what to do instead.
fn refused(refusal: &Refused, reason: String) -> String {
    let instead = match refusal {
        Refused::OnlyInPublic { .. } => {
            ". Make a file with --out PROOF, and check it with `volery verify STATEMENT PROOF`"
        }
        Refused::OnlyBitsAreStored { .. } | Refused::RunsHaveSessions => ": give --connect or --listen",
        Refused::OnlyRobinMakesFiles => {
            return "proofs in files (--out) do not work with --disjunction macncheese; leave that out, or give \
                    --connect or --listen"
                .to_owned();
        }
        Refused::OneOfMany => "; for this one give --connect or --listen",
        Refused::OneOfManyInTheHead => return format!("--protocol {reason}"),
        Refused::OnlyBitsInTheHead => {
            return format!(
                "--protocol {reason}: with --protocol zkbpp, the default for these, or zkboo there is a proof of it"
            );
        }
        Refused::NoPublicFile => "; `volery run` shows how it ends and what it writes",
        Refused::OtherClass { .. } => {
            "; `volery info --write-profile-class` enlarges the class, and then its runs show more"
        }
        _ => "",
    };
    reason + instead
}

/// The error of a library as one of [`volery_statement`], which says what kind of failure it is.
macro_rules! as_of_statements {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                volery_statement::Error::from(error).into()
            }
        })*
    };
}

as_of_statements!(
    StatementError,
    stored::Error,
    volery::public::Error,
    volery::public::voleith::Error,
    Refused
);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match PageFault::of(&error) {
            PageFault::NotTrue(reason) => Self::Rejected(format!("not true: {reason}")),
            PageFault::Page(_) | PageFault::Session => volery_statement::Error::from(error).into(),
        }
    }
}

impl From<volery_channel::Error> for Failure {
    fn from(error: volery_channel::Error) -> Self {
        Error::from(error).into()
    }
}

/// That a proof is about a message and --bind is not there, or the other way round.
fn about_message(bound: bool) -> &'static str {
    match bound {
        true => "this proof is about a message: give it with --bind FILE",
        false => "this proof is about no message: leave --bind out",
    }
}

/// What both parties have to give so that they have the same parameter `name`; empty if no option sets it.
fn in_common(name: &str) -> &'static str {
    match name {
        "profile" => ": both must give the same --profile",
        "challenges" => ": both must give --fiat-shamir, or neither",
        "protocol" => {
            ": both must give the same kind of statement and, with --any-of, the same --disjunction"
        }
        "field" => ": both must name the same statement, over the same field",
        "mac-field" => ": both must give the same --rho",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use volery::web::{Side, disclosure, joint};

    use super::*;

    fn of_page(error: impl Into<disclosure::Error>) -> Failure {
        Failure::of_page(joint::Error::from(error.into()))
    }

    #[test]
    fn what_does_not_fit_a_page_is_no_failed_session() {
        let refused = of_page(Refusal::Payload { side: Side::Server, reason: "reason" });
        assert_eq!((refused.kind(), refused.code()), ("page", 2));
        let untrue = of_page(disclosure::Error::NotTrue("reason".to_owned()));
        assert_eq!(untrue, Failure::Rejected("not true: reason".to_owned()));
        assert_eq!(of_page(Refusal::Opened).kind(), "session");
    }
}
