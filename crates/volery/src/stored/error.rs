//! What can go wrong with stored correlations and proofs.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use volery_channel::handshake::Role;

use super::header::{SOUND, VERSION};

/// Why a correlation file or a proof file cannot be made or used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused an operation.
    #[error("{}: {what}: {reason}", .path.display())]
    Io {
        /// What was under way.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What kind of error it was.
        kind: io::ErrorKind,
        /// What the operating system said.
        reason: String,
    },
    /// The file is something else.
    #[error("{}: this is not a {expected} file", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
    },
    /// The file is of another version of the format.
    #[error("{}: format version {version}, this program knows version {known}", .path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u16,
        /// The version that can be read.
        known: u16,
    },
    /// The file is of a version with which a cheating prover could prove false statements.
    #[error(
        "{}: format version {version} is not sound: its proofs do not depend on what the verifier drew after the correlations were \
         made, so a prover that chose them can prove what is false; delete this file and preprocess a new pair",
        .path.display()
    )]
    Unsound {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u16,
    },
    /// The file is damaged. No correlation that this would affect is used.
    #[error("{}: damaged at {part}: {reason}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which part of it.
        part: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file is the other party's.
    #[error("{}: this file is for the {role}", .path.display())]
    WrongRole {
        /// The file.
        path: PathBuf,
        /// Whose file it is.
        role: Role,
    },
    /// Another process uses the file.
    #[error("{}: in use by another process; wait until it is done", .path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// There is a file where a new one should be. Nothing was overwritten.
    #[error("{}: exists already; choose another name or remove it", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The statement needs more correlations than are left. None was consumed.
    #[error("the statement needs {needed} correlations, {left} are left; preprocess more")]
    Exhausted {
        /// How many it needs.
        needed: u64,
        /// How many are left.
        left: u64,
    },
    /// The proof is about another statement than the one at hand. Nothing was consumed.
    #[error(
        "this proof is of another statement: its digest is {proof}, that of the statement at hand {expected}; \
         program, circuit file and public inputs must be those that were proved"
    )]
    OtherStatement {
        /// The digest in the proof.
        proof: String,
        /// That of the statement at hand.
        expected: String,
    },
    /// The proof was made with correlations of another pair of files. Nothing was consumed.
    #[error(
        "this proof was made with another pair of correlation files: its session is {proof}, that of this file {expected}"
    )]
    OtherCorrelations {
        /// The session in the proof.
        proof: String,
        /// That of the verifier's file.
        expected: String,
    },
    /// The proof was made with other parameters than it is checked for. Nothing was consumed.
    #[error("this proof was made with other parameters: {what} of the proof is {proof}, not {expected}")]
    Mismatch {
        /// What differs.
        what: &'static str,
        /// What the proof says.
        proof: String,
        /// What it should say.
        expected: String,
    },
    /// A proof that uses some of these correlations was seen before: this one, or another with the same
    /// correlations.
    #[error(
        "correlations {} to {} were used before: a proof is verified once, and never two of them with the same correlations",
        .range.start, .range.end.saturating_sub(1)
    )]
    Used {
        /// The range that the proof uses.
        range: Range<u64>,
    },
    /// A proof was rejected with this file, so that it may not be used any more.
    #[error("{}: burnt: an earlier proof was rejected with this file; preprocess a new pair", .path.display())]
    Burnt {
        /// The file.
        path: PathBuf,
    },
    /// V found the proof wrong. The statement may or may not hold. V's file is burnt now.
    #[error("{reason}; the correlation file is burnt now: preprocess a new pair")]
    Rejected {
        /// What was wrong.
        reason: volery_zk::Error,
    },
    /// The statement's own: the witness does not satisfy it (found before anything is consumed), it cannot be
    /// read.
    #[error(transparent)]
    Statement(#[from] volery_circuit::Error),
    /// The proof could not be made.
    #[error(transparent)]
    Proof(volery_zk::Error),
    /// The caller asks for something impossible.
    #[error("{0}")]
    Options(String),
    /// An earlier error left it open what the file holds; opening it again finds out.
    #[error("{}: an earlier operation failed half-way; open the file again", .path.display())]
    Reopen {
        /// The file.
        path: PathBuf,
    },
}

impl Error {
    /// Whether V found the proof wrong, as opposed to unusable.
    #[must_use]
    pub fn is_rejection(&self) -> bool {
        matches!(self, Self::Rejected { .. })
    }

    /// For a file of another version.
    pub(super) fn version(path: &Path, version: u16) -> Self {
        let path = path.to_owned();
        match version < SOUND {
            true => Self::Unsound { path, version },
            false => Self::Version { path, version, known: VERSION },
        }
    }

    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io { what, path: path.to_owned(), kind: error.kind(), reason: error.to_string() }
    }

    pub(super) fn damaged(path: &Path, part: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), part: part.into(), reason: reason.into() }
    }
}
