//! One session with one peer: what `prove`, `verify`, `demo` and the server have in common.

use std::time::{Duration, Instant};

use rand_core::CryptoRng;
use serde::Serialize;
use volery::{Channel, Error, Estimate, Options, Prover, Rehearsal, Report, Verifier, os_rng};

use super::connection::Link;
use super::failure::Failure;
use super::output;
use super::progress::{Progress, Watched};

/// The channel of a session.
pub(crate) type Wire = Watched<Box<dyn Channel + Send>>;

/// What a session takes in which `run` proves something: a rehearsal.
pub(crate) fn rehearse(
    options: Options,
    progress: &Progress,
    run: impl FnOnce(&mut Prover<Wire>, &mut dyn CryptoRng) -> Result<Report, Error>,
) -> Result<Estimate, Failure> {
    let wrap = |channel: Rehearsal| progress.watch(Box::new(channel) as Box<dyn Channel + Send>);
    let mut prover = Prover::rehearse(wrap, options)?;
    let report = run(&mut prover, &mut os_rng()?)?;
    Ok(prover.rehearsed(&report))
}

/// What an accepted proof took.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figures {
    /// What is proved about: F2 for statements about bits.
    pub(crate) field: &'static str,
    pub(crate) mac_field: &'static str,
    /// Secret values; over F2, bits.
    pub(crate) secrets: u64,
    /// Over F2, ANDs.
    pub(crate) multiplications: u64,
    /// Claims about polynomials, inner and matrix products included.
    pub(crate) polynomials: u64,
    /// Handshake and base OT.
    pub(crate) seconds_setup: f64,
    /// The rest, until the verdict; over fields other than F2 with the base OT of their own.
    pub(crate) seconds: f64,
    pub(crate) multiplications_per_second: f64,
    /// Over the whole session.
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
    pub(crate) round_trips: u64,
    /// Statistical, or for Fiat-Shamir against each hash computation.
    pub(crate) soundness_bits: f64,
}

impl Figures {
    fn new(set_up: Duration, report: &Report, channel: &impl Channel) -> Self {
        let (stats, seconds) = (channel.stats(), report.time.as_secs_f64());
        let [field, mac_field] = report.fields;
        Self {
            field,
            mac_field,
            secrets: report.tally.secrets,
            multiplications: report.tally.multiplications,
            polynomials: report.tally.polynomials,
            seconds_setup: set_up.as_secs_f64(),
            seconds,
            multiplications_per_second: report.tally.multiplications as f64 / seconds.max(1e-9),
            bytes_sent: stats.bytes_sent,
            bytes_received: stats.bytes_received,
            round_trips: stats.round_trips,
            soundness_bits: report.soundness.bits(),
        }
    }

    /// What was proved, counted.
    fn counts(&self) -> String {
        let [secrets, multiplications, polynomials] =
            [self.secrets, self.multiplications, self.polynomials].map(output::count);
        match self.field {
            "F2" => output::bit_counts(self.secrets, self.multiplications, self.polynomials),
            field => format!(
                "{secrets} secret values, {multiplications} multiplications and {polynomials} polynomials over {field}"
            ),
        }
    }

    /// On one line.
    pub(crate) fn text(&self) -> String {
        format!(
            "{} in {} after {} of set-up, {} sent, {} received, {} round trips, soundness {:.0} bits",
            self.counts(),
            output::time(Duration::from_secs_f64(self.seconds)),
            output::time(Duration::from_secs_f64(self.seconds_setup)),
            output::bytes(self.bytes_sent),
            output::bytes(self.bytes_received),
            self.round_trips,
            self.soundness_bits
        )
    }
}

/// Proves over `link`, whatever `run` proves; the caller has evaluated it.
pub(crate) fn prove(
    link: Link,
    options: Options,
    progress: &Progress,
    run: impl FnOnce(&mut Prover<Wire>, &mut dyn CryptoRng) -> Result<Report, Error>,
) -> Result<Figures, Failure> {
    let (mut rng, start) = (os_rng()?, Instant::now());
    let mut prover = Prover::start(progress.watch(link.channel), options, &mut rng)?.without_evaluation();
    let set_up = start.elapsed();
    let report = run(&mut prover, &mut rng)?;
    Ok(Figures::new(set_up, &report, prover.channel()))
}

/// Verifies over `link`, whatever `run` verifies.
pub(crate) fn verify(
    link: Link,
    options: Options,
    progress: &Progress,
    run: impl FnOnce(&mut Verifier<Wire>, &mut dyn CryptoRng) -> Result<Report, Error>,
) -> Result<Figures, Failure> {
    let (mut rng, start) = (os_rng()?, Instant::now());
    let mut verifier = Verifier::start(progress.watch(link.channel), options, &mut rng)?;
    let set_up = start.elapsed();
    let report = run(&mut verifier, &mut rng)?;
    Ok(Figures::new(set_up, &report, verifier.channel()))
}
