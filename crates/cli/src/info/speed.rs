//! How fast this machine makes correlations: both parties in this process, each on a thread.

use std::time::Instant;

use rand_core::CryptoRng;
use volery::{Channel, Error, Limits, Options, Prover, Verifier, os_rng, system};
use volery_channel::memory_pair;

use crate::failure::Failure;
use crate::over::{FieldStatement, MacField};
use crate::progress::Progress;
use crate::session::Wire;

/// Correlations of one kind, of which some can be made to see how long that takes.
pub(super) trait Making: Sync {
    /// The most that are made on trial: some tens of milliseconds.
    fn most(&self) -> u64;

    /// P's side.
    fn prove(&self, prover: &mut Prover<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Result<(), Error>;

    /// V's side of that.
    fn verify(&self, verifier: &mut Verifier<Wire>, count: u64, rng: &mut dyn CryptoRng)
    -> Result<(), Error>;

    /// How long a session takes that makes so many, the set-up included.
    fn seconds(&self, options: &Options, count: u64) -> Result<f64, Failure> {
        let (options, trial) = (*options, count.min(self.most()));
        let (left, right) = memory_pair(&Limits::default());
        let wire = |channel| Progress::none().watch(Box::new(channel) as Box<dyn Channel + Send>);
        let (left, right) = (wire(left), wire(right));
        std::thread::scope(|scope| {
            let verifier = scope.spawn(|| -> Result<(), Failure> {
                let mut rng = os_rng()?;
                let mut verifier = Verifier::start(right, options, &mut rng)?;
                Ok(self.verify(&mut verifier, trial, &mut rng)?)
            });
            let (mut rng, start) = (os_rng()?, Instant::now());
            let mut prover = Prover::start(left, options, &mut rng)?;
            let set_up = start.elapsed().as_secs_f64();
            self.prove(&mut prover, trial, &mut rng)?;
            let made = start.elapsed().as_secs_f64() - set_up;
            verifier.join().map_err(|_| Failure::session("internal error"))??;
            Ok(set_up + made * (count as f64 / trial.max(1) as f64).max(1.0))
        })
    }
}

/// Those about bits.
pub(super) struct Bits;

impl Making for Bits {
    fn most(&self) -> u64 {
        1 << 21
    }

    fn prove(&self, prover: &mut Prover<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Result<(), Error> {
        prover.spend(system::Bits, count, rng).map(drop)
    }

    fn verify(
        &self,
        verifier: &mut Verifier<Wire>,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        verifier.spend(system::Bits, count, rng).map(drop)
    }
}

/// Those that a statement over a field takes.
pub(super) struct OfField<'a> {
    pub(super) statement: &'a dyn FieldStatement,
    pub(super) mac: MacField,
}

impl Making for OfField<'_> {
    fn most(&self) -> u64 {
        (1 << 21) / self.statement.pair(self.mac).value_bytes
    }

    fn prove(&self, prover: &mut Prover<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Result<(), Error> {
        self.statement.spend(self.mac, prover, count, rng)
    }

    fn verify(
        &self,
        verifier: &mut Verifier<Wire>,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        self.statement.spend_with(self.mac, verifier, count, rng)
    }
}
