//! A statement that tells a clock when its evaluation began.

use std::time::{Duration, Instant};

use volery_circuit::{Backend, Digest, Statement};

use super::phases::Clock;

/// When the clock is told.
#[derive(Clone, Copy)]
pub(super) enum Moment {
    /// As soon as the evaluation begins.
    Begun,
    /// Once it has finished without an error.
    Finished,
}

/// A statement with a clock that counts from where its evaluation began.
pub(super) struct Clocked<S> {
    statement: S,
    clock: Clock,
    told: Moment,
}

impl<S> Clocked<S> {
    /// The statement, and its clock.
    pub(super) fn new(statement: S, told: Moment) -> (Self, Clock) {
        let clock = Clock::default();
        (Self { statement, clock: clock.clone(), told }, clock)
    }
}

impl<B: Backend, S: Statement<B>> Statement<B> for Clocked<S> {
    fn identify(&self, digest: &mut Digest) {
        self.statement.identify(digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.statement.commitments()
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let start = Instant::now();
        if matches!(self.told, Moment::Begun) {
            self.clock.note(start, Duration::ZERO);
        }
        self.statement.run(backend)?;
        if matches!(self.told, Moment::Finished) {
            self.clock.note(start, Duration::ZERO);
        }
        Ok(())
    }
}
