//! How fast this machine is: a short proof, both parties in this process.

use std::time::Instant;

use volery::statements::AndChain;
use volery::{Limits, Options, Prover, Verifier, os_rng};
use volery_channel::memory_pair;

use crate::cli::failure::Failure;

/// What a proof takes here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Speed {
    set_up: f64,
    per_correlation: f64,
}

impl Speed {
    /// An estimate for a proof that uses so many correlations.
    pub(super) fn seconds(&self, correlations: u64) -> f64 {
        self.set_up + self.per_correlation * correlations as f64
    }
}

/// ANDs of the trial: some tens of milliseconds.
const ANDS: u64 = 1 << 20;

/// Proves a chain of ANDs to itself.
pub(super) fn measure() -> Result<Speed, Failure> {
    let (left, right) = memory_pair(&Limits::default());
    let (options, statement) = (Options::default(), AndChain::new(ANDS));
    std::thread::scope(|scope| {
        let verifier = scope.spawn(|| -> Result<(), Failure> {
            let mut rng = os_rng()?;
            Ok(Verifier::start(right, options, &mut rng)?.verify(&statement, &mut rng).map(drop)?)
        });
        let (mut rng, start) = (os_rng()?, Instant::now());
        let mut prover = Prover::start(left, options, &mut rng)?.without_evaluation();
        let set_up = start.elapsed().as_secs_f64();
        let report = prover.prove(&statement, &mut rng)?;
        verifier.join().map_err(|_| Failure::session("internal error"))??;
        Ok(Speed { set_up, per_correlation: report.time.as_secs_f64() / ANDS as f64 })
    })
}
