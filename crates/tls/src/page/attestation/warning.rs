//! What a reader has to decide about a statement, and no signature decides.

use core::fmt;

use super::{Mode, Statement};

/// Something in a statement because of which it may mean less than it seems to. A reader accepts it
/// knowingly, or not at all. Requests are counted from 0.
///
/// In words, which are safe on a terminal, it is a clause without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// Several requests went over the connection. That a later response answers its request rests on how the
    /// server reads requests, too.
    SeveralRequests {
        /// Their number.
        requests: u32,
    },
    /// Requests were sent before the responses to those before them, so the order does not show which request
    /// a later response answers.
    Pipelined,
    /// With two parties, the server named no protocol, so it may be another service of the host.
    NoProtocol,
    /// The path of a request is hidden, so nothing says which document was asked for.
    HiddenPath {
        /// The number of the request.
        request: usize,
    },
    /// The query of a request is hidden, or its body, at least in part: see [`Statement::hidden_words`].
    HiddenWords {
        /// The number of the request.
        request: usize,
    },
    /// A request has a header field of which it is not known what servers do with it: see
    /// [`Statement::unknown_fields`].
    UnknownField {
        /// The number of the request.
        request: usize,
        /// The name of the field.
        name: String,
    },
    /// The messages cannot be read again, so nobody has looked for fields like that.
    Unread,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |request: &usize| request.saturating_add(1);
        match self {
            Self::SeveralRequests { requests } => write!(
                f,
                "{requests} requests went over the connection: that a later response answers its request rests on how the server reads \
                 requests, too"
            ),
            Self::Pipelined => f.write_str(
                "the requests were sent at once, so nothing shows which request a later response answers",
            ),
            Self::NoProtocol => f.write_str(
                "the server named no protocol (ALPN), so another service of this host may have answered",
            ),
            Self::HiddenPath { request } => write!(
                f,
                "the path of request {} is hidden, so the attestation does not say which document it is about",
                number(request)
            ),
            Self::HiddenWords { request } => write!(
                f,
                "request {} hides its query or body, at least in part: make sure that the document at its path cannot be made to repeat \
                 what it is asked",
                number(request)
            ),
            Self::UnknownField { request, name } => write!(
                f,
                "request {} has the header field {}: make sure that the server does not take from it which document is asked for",
                number(request),
                name.escape_debug()
            ),
            Self::Unread => f.write_str(
                "the messages cannot be read again, so their header fields were not looked at: look at what the attestation reveals",
            ),
        }
    }
}

impl Statement {
    /// All that a reader has to decide about this statement, whoever signed it.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let reading = self.reading();
        let connection = [
            (self.rounds > 1, Warning::SeveralRequests { requests: self.rounds }),
            (self.pipelined, Warning::Pipelined),
            // In proxy mode V chose the port.
            (!self.alpn && self.mode == Mode::TwoParty, Warning::NoProtocol),
            (reading.is_none(), Warning::Unread),
        ];
        let mut all: Vec<Warning> =
            connection.into_iter().filter_map(|(holds, warning)| holds.then_some(warning)).collect();
        all.extend(self.hidden_paths().into_iter().map(|request| Warning::HiddenPath { request }));
        all.extend(self.hidden_words().into_iter().map(|request| Warning::HiddenWords { request }));
        let fields = self.unknown_fields_of(reading.as_ref()).into_iter();
        all.extend(fields.map(|(request, name)| Warning::UnknownField { request, name }));
        all
    }
}
