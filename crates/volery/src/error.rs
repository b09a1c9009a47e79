//! What a session can end with.

#[cfg(feature = "web")]
use volery_channel::tags::COMMIT_OPENING;

/// Why a session, or what leads to one, failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The proof: the statement's own errors, a rejection, what broke it.
    #[error(transparent)]
    Proof(#[from] volery_zk::Error),
    /// The connection or the handshake.
    #[error(transparent)]
    Channel(#[from] volery_channel::Error),
    /// The making of correlations.
    #[error(transparent)]
    Correlations(#[from] volery_vole::Error),
    /// The statement could not be made.
    #[error(transparent)]
    Statement(#[from] volery_circuit::Error),
    /// A file of stored correlations, or a proof made of them.
    #[cfg(not(target_family = "wasm"))]
    #[error(transparent)]
    Stored(#[from] crate::stored::Error),
    /// A connection to a website through the verifier.
    #[cfg(feature = "web")]
    #[error(transparent)]
    Web(#[from] volery_tls::proxy::Error),
    /// A connection to a website that both parties made.
    #[cfg(feature = "web")]
    #[error(transparent)]
    Joint(volery_tls::joint::Error),
    /// Commitments to parts of a connection: V's conversion, or P's opening.
    #[cfg(feature = "web")]
    #[error(transparent)]
    Commitments(#[from] volery_tls::Error),
    /// An attestation that does not have this party's commitments.
    #[cfg(feature = "web")]
    #[error(transparent)]
    Openings(#[from] volery_tls::commitment::OpeningsError),
    /// A verifier's signed statement.
    #[cfg(feature = "web")]
    #[error(transparent)]
    Attestation(#[from] volery_tls::attestation::Error),
    /// A statement that is split over workers: its layout, or workers that were lost.
    #[error("{0}")]
    Split(String),
    /// The caller's options are impossible.
    #[error("{0}")]
    Options(String),
    /// The operating system gives no randomness.
    #[error("the operating system gives no randomness: {0}")]
    Randomness(String),
    /// An earlier error ended the session.
    #[error("the session is over: an earlier error ended it; start another")]
    Over,
}

#[cfg(feature = "web")]
impl From<volery_tls::joint::Error> for Error {
    /// An error of the proof is one wherever it comes from.
    fn from(error: volery_tls::joint::Error) -> Self {
        error.into_proof().map_or_else(Self::Joint, Self::Proof)
    }
}

impl Error {
    /// Whether V found the proof wrong.
    #[must_use]
    pub fn is_rejection(&self) -> bool {
        match self {
            Self::Proof(error) => error.is_rejection(),
            #[cfg(not(target_family = "wasm"))]
            Self::Stored(error) => error.is_rejection(),
            // What V finds in P's opening.
            #[cfg(feature = "web")]
            Self::Commitments(volery_tls::Error::Cheat { step, .. }) => *step == COMMIT_OPENING,
            _ => false,
        }
    }

    /// A second thread is needed, and could not be started.
    pub(crate) fn no_thread(error: std::io::Error) -> Self {
        Self::Options(format!("this needs a thread more, and it cannot be started: {error}"))
    }

    /// What the peer may know of it. Messages of our own errors may speak of secrets or of local files; these
    /// do not.
    pub(crate) fn public_reason(&self) -> &'static str {
        use volery_vole::Error as Vole;
        use volery_zk::Error as Zk;
        match self {
            Self::Proof(Zk::Statement(_)) | Self::Statement(_) => "a party cannot run the statement",
            Self::Proof(Zk::Rejected { .. }) => "the proof is rejected",
            Self::Proof(Zk::Diverged { .. }) => "the parties run different programs under one name",
            Self::Proof(Zk::Correlations(Vole::Channel(_)) | Zk::Channel(_))
            | Self::Correlations(Vole::Channel(_))
            | Self::Channel(_) => "the connection failed, or a message was not the one expected",
            Self::Proof(Zk::Malformed { .. } | Zk::Correlations(_)) | Self::Correlations(_) => {
                "a message failed its check"
            }
            Self::Proof(_) => "the proof ended in an error",
            #[cfg(feature = "web")]
            Self::Web(_) | Self::Joint(_) => {
                "the connection to the server failed, or what is said of it is refused"
            }
            #[cfg(feature = "web")]
            Self::Commitments(_) => "the commitments, or their conversion, failed a check",
            #[cfg(feature = "web")]
            Self::Attestation(_) | Self::Openings(_) => "a party does not accept the attestation",
            #[cfg(not(target_family = "wasm"))]
            Self::Stored(_) => "a party cannot store the correlations",
            Self::Split(_) => "a worker was lost, or the shards are not what they should be",
            Self::Options(_) | Self::Randomness(_) => "a party cannot run with these options",
            Self::Over => "the session is over",
        }
    }
}
