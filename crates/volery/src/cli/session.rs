//! One session with one peer: what `prove`, `verify`, `demo` and the server have in common.

use std::time::{Duration, Instant};

use serde::Serialize;
use volery::{Channel, Options, Prover, Report, Statement, Verifier, os_rng};
use volery_zk::quicksilver::{self, soundness};

use super::args::ProtocolArgs;
use super::connection::Link;
use super::failure::Failure;
use super::output;
use super::progress::Progress;
use super::statement::Named;

/// What an accepted proof took.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figures {
    pub(crate) ands: u64,
    pub(crate) secret_bits: u64,
    /// Handshake and base OT.
    pub(crate) seconds_setup: f64,
    /// The rest, until the verdict.
    pub(crate) seconds: f64,
    pub(crate) ands_per_second: f64,
    /// Over the whole session.
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
    pub(crate) round_trips: u64,
    /// Statistical, or for Fiat-Shamir against each hash computation.
    pub(crate) soundness_bits: f64,
}

impl Figures {
    fn new(options: &Options, set_up: Duration, report: &Report, channel: &impl Channel) -> Self {
        let (stats, ands) = (channel.stats(), report.tally.multiplications);
        Self {
            ands,
            secret_bits: report.tally.secrets,
            seconds_setup: set_up.as_secs_f64(),
            seconds: report.time.as_secs_f64(),
            ands_per_second: ands as f64 / report.time.as_secs_f64().max(1e-9),
            bytes_sent: stats.bytes_sent,
            bytes_received: stats.bytes_received,
            round_trips: stats.round_trips,
            soundness_bits: soundness_bits(options, report.tally.secrets.saturating_add(ands)),
        }
    }

    /// On one line.
    pub(crate) fn text(&self) -> String {
        format!(
            "{} ANDs in {} after {} of set-up, {} sent, {} received, {} round trips, soundness {:.0} bits",
            output::count(self.ands),
            output::time(Duration::from_secs_f64(self.seconds)),
            output::time(Duration::from_secs_f64(self.seconds_setup)),
            output::bytes(self.bytes_sent),
            output::bytes(self.bytes_received),
            self.round_trips,
            self.soundness_bits
        )
    }
}

/// What the acceptance of a proof of so many secret bits and ANDs together is worth, in bits.
pub(crate) fn soundness_bits(options: &Options, commitments: u64) -> f64 {
    match options.fiat_shamir {
        false => soundness::statistical_bits(options.settings(), commitments),
        true => soundness::fiat_shamir_bits(options.settings(), commitments, 0.0),
    }
}

/// Below this, a proof of any size that anybody runs is sound enough without counting its gates first.
const ALWAYS_REACHED: u16 = 100;

impl ProtocolArgs {
    /// Refuses a statement if a proof of so many secret bits and ANDs together has fewer `bits` of soundness than were asked for.
    pub(crate) fn demand(&self, statement: &Named, bits: impl Fn(u64) -> f64) -> Result<(), Failure> {
        if self.rho <= ALWAYS_REACHED {
            return Ok(());
        }
        let counts = statement.count()?;
        let bits = bits(counts.total().inputs.saturating_add(counts.total().multiplications));
        if bits < f64::from(self.rho) {
            let rho = self.rho;
            return Err(Failure::input(format!(
                "--rho {rho} is out of reach: this proof has {bits:.1} bits"
            )));
        }
        Ok(())
    }

    /// The same for a proof over a connection.
    pub(crate) fn demand_soundness(&self, statement: &Named) -> Result<(), Failure> {
        self.demand(statement, |commitments| soundness_bits(&self.options(), commitments))
    }
}

/// Proves over `link`.
pub(crate) fn prove<S>(
    link: Link,
    statement: &S,
    options: Options,
    progress: &Progress,
) -> Result<Figures, Failure>
where
    S: for<'a> Statement<quicksilver::Prover<'a>>,
{
    let (mut rng, start) = (os_rng()?, Instant::now());
    let mut prover = Prover::start(progress.watch(link.channel), options, &mut rng)?;
    let set_up = start.elapsed();
    let report = prover.prove(statement, &mut rng)?;
    Ok(Figures::new(&options, set_up, &report, prover.channel()))
}

/// Verifies over `link`.
pub(crate) fn verify<S>(
    link: Link,
    statement: &S,
    options: Options,
    progress: &Progress,
) -> Result<Figures, Failure>
where
    S: for<'a> Statement<quicksilver::Verifier<'a>>,
{
    let (mut rng, start) = (os_rng()?, Instant::now());
    let mut verifier = Verifier::start(progress.watch(link.channel), options, &mut rng)?;
    let set_up = start.elapsed();
    let report = verifier.verify(statement, &mut rng)?;
    Ok(Figures::new(&options, set_up, &report, verifier.channel()))
}
