//! What a session asks of a statement besides its proof: that P's holds, before anything of the proof is
//! sent, and that it claims something.
//!
//! A prover finds a false assertion when it comes to it, and stops there. By then it has sent what came
//! before, and how much that was tells V which assertion failed: something about P's secrets. So P evaluates
//! the whole statement first, on plain values: after V has named the same statement, since a V that names
//! another must not learn whether P's holds. That takes a few percent of a proof's time, and memory for
//! nothing but the statement's own wires.
//!
//! **But for disjunctions.** V waits for P, and could time how long the branch takes that holds. So the
//! evaluation ends where the first disjunction begins. What comes after that is found false on the way, as
//! before, and V may learn where. Who proves disjunctions evaluates before the session begins
//! ([`volery_circuit::Evaluator::check`]) and says so ([`Prover::without_evaluation`]); the program does.
//!
//! Claims about web pages are looked at by themselves, before their proof begins (`volery_tls::disclosure`).
//!
//! A statement without an assertion, a polynomial or a disjunction is refused by both parties: every proof of
//! it would be accepted.

use volery_channel::Channel;
use volery_circuit::Error as StatementError;

use super::Prover;
use crate::Error;

impl<C: Channel> Prover<C> {
    /// The same session, without the evaluation before each proof: for a caller that has evaluated its
    /// statements itself.
    ///
    /// If one does not hold all the same, V may learn which assertion failed, from how much P has sent.
    #[must_use]
    pub fn without_evaluation(mut self) -> Self {
        self.common.evaluates = false;
        self
    }

    /// Evaluates what is to be proved, unless the caller has.
    pub(super) fn evaluate(&self, check: impl FnOnce() -> Result<(), StatementError>) -> Result<(), Error> {
        if self.common.evaluates {
            check().map_err(volery_zk::Error::from)?;
        }
        Ok(())
    }
}

/// Refuses a proof in which nothing was claimed.
pub(super) fn something_claimed(claims: u64) -> Result<(), Error> {
    match claims {
        0 => Err(volery_zk::Error::from(StatementError::nothing_claimed()).into()),
        _ => Ok(()),
    }
}
