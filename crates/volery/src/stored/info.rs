//! What files and proofs report.

use std::ops::Range;
use std::time::Duration;

use volery_channel::handshake::Role;
use volery_vole::SessionId;
use volery_zk::quicksilver::{Tally, bits::Settings};
use volery_zk::soundness::{FieldSize, Mode, Soundness};

use super::header::Header;
use super::state::State;

/// What a correlation file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// Whose file it is.
    pub role: Role,
    /// The session that made the pair of files; both have it.
    pub session: SessionId,
    /// Correlations made.
    pub count: u64,
    /// Correlations that can still be used: P takes them from the front, V as proofs come.
    pub remaining: u64,
    /// Ranges consumed, ascending.
    pub consumed: Vec<Range<u64>>,
    /// Whether a rejected proof ended its use.
    pub burnt: bool,
    /// How proofs are run.
    pub settings: Settings,
}

impl Info {
    pub(super) fn new(header: &Header, state: &State) -> Self {
        let remaining = match (state.burnt, header.role) {
            (true, _) => 0,
            (false, Role::Prover) => header.count - state.end(),
            (false, Role::Verifier) => header.count - state.used(),
        };
        Self {
            role: header.role,
            session: header.session,
            count: header.count,
            remaining,
            consumed: state.consumed().to_vec(),
            burnt: state.burnt,
            settings: Settings { interval: header.interval as usize },
        }
    }
}

/// What a stored proof took, at either party.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// What the statement's program did.
    pub tally: Tally,
    /// The correlations that were consumed.
    pub range: Range<u64>,
    /// Bytes of the proof file.
    pub bytes: u64,
    /// Time from the call to its return.
    pub time: Duration,
    /// How the file's proofs are cut into blocks.
    pub settings: Settings,
}

impl Report {
    /// With what probability V accepts a false statement, for each hash that P computes.
    #[must_use]
    pub fn soundness(&self) -> Soundness {
        Soundness::quicksilver(self.tally.checks(self.settings), FieldSize::OVER_BITS, Mode::hashed(true))
    }
}
