//! Why nothing can be said about a plaintext as HTTP.

/// An error of this module. Offsets are in bytes from the beginning of the direction's plaintext.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Bytes that are not HTTP/1.1, or that two readers may parse differently.
    #[error("{what}, byte {offset}: {reason}")]
    Malformed {
        /// The part.
        what: &'static str,
        /// The place, in bytes from the start of the message.
        offset: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// The plaintext ends before the message does.
    #[error("the message that begins at byte {start} is not complete: it ends within {what}")]
    Incomplete {
        /// Where the message begins.
        start: usize,
        /// The part that is incomplete.
        what: &'static str,
    },
    /// Something larger than in any real use.
    #[error("{what}: more than {limit}")]
    Limit {
        /// What is too large.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// Valid HTTP of a kind that is not supported.
    #[error("{0}")]
    Unsupported(&'static str),
    /// Requests and responses do not belong together.
    #[error("{requests} requests and {responses} responses; each request must have its response")]
    Unanswered {
        /// Requests in the client's plaintext.
        requests: usize,
        /// Responses in the server's.
        responses: usize,
    },
}
