//! One row of results.

use serde::Serialize;
use volery_field::gf128::Kernel;
use volery_vole::AesLevel;

use super::party::Measured;
use super::workload::Job;
use crate::cli::failure::Failure;
use crate::cli::output;

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    name: String,
    size: u64,
    unit: &'static str,
    /// `size / seconds`.
    per_second: f64,
    ands: u64,
    ands_per_second: f64,
    /// From the start of connecting: handshake and base OT.
    seconds_setup: f64,
    /// Everything after it, until the prover has the verdict.
    seconds: f64,
    /// Sent by the prover, set-up included.
    bytes_prover: u64,
    bytes_verifier: u64,
    /// Both directions, for an AND (for `cot`: for a correlation).
    bytes_per_gate: f64,
    round_trips: u64,
    rss_prover_mb: Option<f64>,
    rss_verifier_mb: Option<f64>,
    threads: u16,
    profile: &'static str,
    fiat_shamir: bool,
    kernel: String,
}

impl Row {
    /// From what both parties measured. Times and round trips are the prover's, who comes first and leaves last.
    pub(crate) fn new(job: &Job, prover: &Measured, verifier: &Measured) -> Result<Self, Failure> {
        let ands = job.workload()?.map_or(Ok(0), |workload| workload.ands())?;
        let gates = if ands == 0 { job.size } else { ands };
        let seconds = prover.seconds.max(1e-9);
        Ok(Self {
            name: job.name(),
            size: job.size,
            unit: job.unit(),
            per_second: job.size as f64 / seconds,
            ands,
            ands_per_second: ands as f64 / seconds,
            seconds_setup: prover.seconds_setup,
            seconds,
            bytes_prover: prover.bytes_sent,
            bytes_verifier: verifier.bytes_sent,
            bytes_per_gate: (prover.bytes_sent + verifier.bytes_sent) as f64 / gates as f64,
            round_trips: prover.round_trips,
            rss_prover_mb: prover.rss_mb,
            rss_verifier_mb: verifier.rss_mb,
            threads: job.protocol.threads,
            profile: job.protocol.options().profile.name(),
            fiat_shamir: job.protocol.fiat_shamir,
            kernel: format!("{}+{}", Kernel::detect().name(), AesLevel::detect().name()),
        })
    }

    /// The names of the columns of [`Row::text`].
    pub(crate) fn heading() -> String {
        format!(
            "{:<9} {:>11} {:<6} {:>13} {:>13} {:>9} {:>9} {:>9} {:>9} {:>7} {:>6} {:>7} {:>7} {:>3}  {}",
            "name",
            "size",
            "unit",
            "per second",
            "ANDs/s",
            "set-up s",
            "seconds",
            "P sends",
            "V sends",
            "B/gate",
            "trips",
            "P MB",
            "V MB",
            "thr",
            "kernel"
        )
    }

    /// The row for people.
    pub(crate) fn text(&self) -> String {
        let rss = |mb: Option<f64>| mb.map_or_else(|| "-".into(), |mb| format!("{mb:.1}"));
        format!(
            "{:<9} {:>11} {:<6} {:>13} {:>13} {:>9.4} {:>9.4} {:>9} {:>9} {:>7.3} {:>6} {:>7} {:>7} {:>3}  {}",
            self.name,
            output::count(self.size),
            self.unit,
            output::rate(self.per_second),
            output::rate(self.ands_per_second),
            self.seconds_setup,
            self.seconds,
            output::bytes(self.bytes_prover),
            output::bytes(self.bytes_verifier),
            self.bytes_per_gate,
            self.round_trips,
            rss(self.rss_prover_mb),
            rss(self.rss_verifier_mb),
            self.threads,
            self.kernel
        )
    }
}
