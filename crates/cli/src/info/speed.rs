//! Measures how fast this machine makes correlations, with both parties in this process, each on a thread.

use std::time::Instant;

use volery::{Channel, Limits, Options, Prover, Verifier, os_rng};
use volery_channel::memory_pair;

use crate::failure::Failure;
use crate::progress::Progress;
use crate::system::Correlations;

/// The most bytes of values in the trial's correlations: some tens of milliseconds.
const TRIAL: u64 = 1 << 21;

/// Estimates the seconds of a session that makes `count` of these correlations, set-up included.
pub(super) fn seconds(correlations: &dyn Correlations, options: Options, count: u64) -> Result<f64, Failure> {
    let trial = count.min(TRIAL / correlations.fields().value_bytes.max(1));
    let (left, right) = memory_pair(&Limits::default());
    let wire = |channel| Progress::none().watch(Box::new(channel) as Box<dyn Channel + Send>);
    let (left, right) = (wire(left), wire(right));
    std::thread::scope(|scope| {
        let verifier = scope.spawn(|| -> Result<(), Failure> {
            let mut rng = os_rng()?;
            let mut verifier = Verifier::start(right, options, &mut rng)?;
            correlations.spend_with(&mut verifier, trial, &mut rng)?;
            Ok(())
        });
        let (mut rng, start) = (os_rng()?, Instant::now());
        let mut prover = Prover::start(left, options, &mut rng)?;
        let set_up = start.elapsed().as_secs_f64();
        correlations.spend(&mut prover, trial, &mut rng)?;
        let made = start.elapsed().as_secs_f64() - set_up;
        verifier.join().map_err(|_| Failure::session("internal error"))??;
        Ok(set_up + made * (count as f64 / trial.max(1) as f64).max(1.0))
    })
}
