//! Where P's time goes, for measurements. Without a clock, which is the rule, nothing is read.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What P does in the proof of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It runs the program for one more segment, and writes the rows.
    Trace,
    /// It commits to the columns of rows and to words. Correlations are made here, too.
    Columns,
    /// It claims the relations of rows.
    Relations,
    /// It makes the argument of a segment: multiplicities, products, inverses, and waiting for the challenge.
    Argument,
    /// It checks the log: lists of words, and their argument.
    Log,
}

impl Stage {
    /// All stages.
    pub const ALL: [Self; 5] = [Self::Trace, Self::Columns, Self::Relations, Self::Argument, Self::Log];
}

#[derive(Debug, Default)]
struct Spent {
    /// By stage.
    times: [Duration; Stage::ALL.len()],
    /// The stage that is going on, and since when.
    current: Option<(Stage, Instant)>,
}

/// A clock that is read whenever a stage begins.
#[derive(Debug, Default)]
pub struct Stages(Mutex<Spent>);

impl Stages {
    fn begin(&self, next: Option<Stage>) {
        let now = Instant::now();
        let mut spent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((stage, since)) = spent.current {
            spent.times[stage as usize] += now - since;
        }
        spent.current = next.map(|next| (next, now));
    }

    /// The time that a stage has taken so far, in all segments.
    #[must_use]
    pub fn spent(&self, stage: Stage) -> Duration {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).times[stage as usize]
    }
}

/// The clock of a run, if it has one.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a>(pub(super) Option<&'a Stages>);

impl Watch<'_> {
    /// The last stage ends and another one begins.
    #[inline(always)]
    pub(super) fn begin(self, stage: Stage) {
        if let Some(stages) = self.0 {
            stages.begin(Some(stage));
        }
    }

    /// The last stage ends.
    pub(super) fn end(self) {
        if let Some(stages) = self.0 {
            stages.begin(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, counted};
    use super::*;

    #[test]
    fn a_clock_sees_every_stage_and_no_more_than_the_time_of_the_run() {
        let [mut run, _] = counted();
        let stages = run.clocked();
        assert!(Stage::ALL.iter().all(|stage| stages.spent(*stage).is_zero()));
        let start = Instant::now();
        assert_eq!(check(&run), Ok(()));
        let all = start.elapsed();
        let spent = Stage::ALL.map(|stage| stages.spent(stage));
        assert!(spent.iter().all(|spent| !spent.is_zero()), "{spent:?}");
        assert!(spent.iter().sum::<Duration>() <= all, "{spent:?} of {all:?}");
    }
}
