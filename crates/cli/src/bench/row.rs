//! One row of results.

use serde::Serialize;
use volery_field::gf128::Kernel;
use volery_vole::AesLevel;

use super::party::Measured;
use super::riscv::Details;
use super::workload::Job;
use crate::failure::Failure;
use crate::output;

/// The results of one job, as `--json` prints them.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    name: String,
    size: u64,
    unit: &'static str,
    /// `size / seconds`.
    per_second: f64,
    /// The number of gates; see [`Job::gates`].
    gates: u64,
    gates_per_second: f64,
    /// For connecting, the handshake and the base OT.
    seconds_setup: f64,
    /// From then until the prover has the verdict.
    seconds: f64,
    /// The parts of these for committing to secret values and for the rest of the proof, if they are
    /// measured.
    seconds_commit: Option<f64>,
    seconds_proof: Option<f64>,
    /// Bytes that the prover sends, set-up included.
    bytes_prover: u64,
    bytes_verifier: u64,
    /// Bytes that both send in messages of the proof, without headers and without making correlations.
    bytes_proof: u64,
    /// Bytes for a gate, both directions together.
    bytes_per_gate: f64,
    round_trips: u64,
    rss_prover_mb: Option<f64>,
    rss_verifier_mb: Option<f64>,
    threads: u16,
    /// Whether each party's process had cores of its own.
    pinned: bool,
    profile: &'static str,
    fiat_shamir: bool,
    field: String,
    mac_field: String,
    kernel: String,
    /// Of a program's run.
    #[serde(flatten)]
    run: Option<Details>,
}

impl Row {
    /// Joins the measurements of both parties. Times and round trips are the prover's, which starts first and
    /// ends last.
    pub(crate) fn new(
        job: &Job,
        prover: &Measured,
        verifier: &Measured,
        pinned: bool,
    ) -> Result<Self, Failure> {
        let (gates, seconds) = (job.gates()?, prover.seconds.max(1e-9));
        let [field, mac_field] = prover.fields.clone();
        Ok(Self {
            name: job.name(),
            size: job.size,
            unit: job.unit(),
            per_second: job.size as f64 / seconds,
            gates,
            gates_per_second: gates as f64 / seconds,
            seconds_setup: prover.seconds_setup,
            seconds,
            seconds_commit: prover.seconds_commit,
            // The party that commits for longer counts, since the other one waits for it.
            seconds_proof: [prover, verifier]
                .into_iter()
                .filter_map(|party| Some(party.seconds - party.seconds_commit?))
                .reduce(f64::min),
            bytes_prover: prover.bytes_sent,
            bytes_verifier: verifier.bytes_sent,
            bytes_proof: prover.bytes_sent_proof + verifier.bytes_sent_proof,
            bytes_per_gate: (prover.bytes_sent + verifier.bytes_sent) as f64 / gates.max(1) as f64,
            round_trips: prover.round_trips,
            rss_prover_mb: prover.rss_mb,
            rss_verifier_mb: verifier.rss_mb,
            threads: job.protocol.threads,
            pinned,
            profile: job.protocol.options().profile.name(),
            fiat_shamir: job.protocol.fiat_shamir,
            field,
            mac_field,
            kernel: format!("{}+{}", Kernel::detect().name(), AesLevel::detect().name()),
            run: prover.run.clone(),
        })
    }

    /// The names of the columns of [`Row::text`].
    pub(crate) fn heading() -> String {
        line([
            "name",
            "size",
            "unit",
            "per second",
            "gates/s",
            "set-up s",
            "seconds",
            "commit s",
            "proof s",
            "P sends",
            "V sends",
            "B/gate",
            "trips",
            "P MB",
            "V MB",
            "thr",
            "pin",
            "MACs",
            "kernel",
        ])
    }

    /// The row for people, with what there is to say besides in further lines.
    pub(crate) fn text(&self) -> String {
        let further = self.run.as_ref().map(|run| run.lines(self.size, self.seconds));
        let lines = core::iter::once(self.line()).chain(further.into_iter().flatten());
        lines.collect::<Vec<_>>().join("\n")
    }

    fn line(&self) -> String {
        let rss = |mb: Option<f64>| mb.map_or_else(|| "-".into(), |mb| format!("{mb:.1}"));
        let seconds = |seconds: Option<f64>| seconds.map_or_else(|| "-".into(), |s| format!("{s:.4}"));
        let columns = [
            self.name.clone(),
            output::count(self.size),
            self.unit.to_owned(),
            output::rate(self.per_second),
            output::rate(self.gates_per_second),
            seconds(Some(self.seconds_setup)),
            seconds(Some(self.seconds)),
            seconds(self.seconds_commit),
            seconds(self.seconds_proof),
            output::bytes(self.bytes_prover),
            output::bytes(self.bytes_verifier),
            format!("{:.3}", self.bytes_per_gate),
            self.round_trips.to_string(),
            rss(self.rss_prover_mb),
            rss(self.rss_verifier_mb),
            self.threads.to_string(),
            (if self.pinned { "yes" } else { "no" }).to_owned(),
            self.mac_field.clone(),
            self.kernel.clone(),
        ];
        line(columns.each_ref().map(String::as_str))
    }
}

/// Aligns the columns of a line: names to the left, numbers to the right.
fn line(columns: [&str; 19]) -> String {
    let [name, size, unit, numbers @ .., mac, kernel] = columns;
    let widths = [13, 13, 8, 8, 8, 8, 9, 9, 9, 6, 6, 6, 3, 3];
    let numbers: Vec<String> =
        numbers.iter().zip(widths).map(|(number, width)| format!(" {number:>width$}")).collect();
    format!("{name:<13} {size:>11} {unit:<6}{}  {mac:<16} {kernel}", numbers.concat())
}
