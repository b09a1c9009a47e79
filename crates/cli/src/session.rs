//! One session with one peer, for `prove`, `verify`, `demo` and the server.

use std::time::{Duration, Instant};

use rand_core::CryptoRng;
use serde::Serialize;
use volery::{Channel, Options, Prover, Verifier, os_rng};
use volery_channel::handshake::Role;
use volery_statement::system::Done;
use volery_statement::{Proved, Ran, Settled, Watch, Wire};

use super::failure::Failure;
use super::output;

/// The figures of an accepted proof.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figures {
    /// The field of the values: F2 for statements about bits.
    pub(crate) field: &'static str,
    pub(crate) mac_field: &'static str,
    /// Secret values; over F2, bits.
    pub(crate) secrets: u64,
    /// Over F2, ANDs. None of a run of a program, whose rows are claims about polynomials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) multiplications: Option<u64>,
    /// Claims about polynomials, inner and matrix products included.
    pub(crate) polynomials: u64,
    /// For the handshake and the base OT.
    pub(crate) seconds_setup: f64,
    /// Everything after that, until the verdict. Over fields other than F2 this includes a base OT of their
    /// own.
    pub(crate) seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) multiplications_per_second: Option<f64>,
    /// Bytes of the whole session.
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
    /// How often P waited for V after it had sent something. V sees only its own order
    /// of messages and cannot count it: see [`Settled::round_trips`]. None where nobody counted it.
    pub(crate) round_trips: Option<u64>,
    /// How often this party waited for the other one after it had sent something.
    pub(crate) waits: u64,
    /// Statistical, or for Fiat-Shamir against each hash computation.
    pub(crate) soundness_bits: f64,
    /// How a program's run ended.
    #[serde(flatten)]
    pub(crate) run: Option<Ran>,
}

impl Figures {
    fn new(role: Role, set_up: Duration, proved: Proved, channel: &impl Channel) -> Self {
        let Proved { report, run } = proved;
        let (stats, seconds) = (channel.stats(), report.time.as_secs_f64());
        let [field, mac_field] = report.fields;
        let multiplications = run.is_none().then_some(report.tally.multiplications);
        Self {
            field,
            mac_field,
            secrets: report.tally.secrets,
            multiplications,
            polynomials: report.tally.polynomials,
            seconds_setup: set_up.as_secs_f64(),
            seconds,
            multiplications_per_second: multiplications.map(|number| number as f64 / seconds.max(1e-9)),
            bytes_sent: stats.bytes_sent,
            bytes_received: stats.bytes_received,
            round_trips: (role == Role::Prover).then_some(stats.round_trips),
            waits: stats.round_trips,
            soundness_bits: report.soundness.bits(),
            run,
        }
    }

    /// The counts of what was proved, in words.
    fn counts(&self) -> String {
        let (secrets, polynomials) =
            (output::counted(self.secrets, "secret value"), output::counted(self.polynomials, "polynomial"));
        match (self.field, self.multiplications) {
            ("F2", ands) => output::bit_counts(self.secrets, ands.unwrap_or_default(), self.polynomials),
            (field, None) => format!("{secrets} and {polynomials} over {field}"),
            (field, Some(number)) => {
                let multiplications = output::counted(number, "multiplication");
                format!("{secrets}, {multiplications} and {polynomials} over {field}")
            }
        }
    }

    /// All figures on one line.
    pub(crate) fn text(&self) -> String {
        format!(
            "{} in {} after {} of set-up, {} sent, {} received, {}, soundness {:.0} bits",
            self.counts(),
            output::time(Duration::from_secs_f64(self.seconds)),
            output::time(Duration::from_secs_f64(self.seconds_setup)),
            output::bytes(self.bytes_sent),
            output::bytes(self.bytes_received),
            self.round_trips.map_or_else(
                || output::counted(self.waits, "wait"),
                |round_trips| output::counted(round_trips, "round trip")
            ),
            self.soundness_bits
        )
    }
}

/// Proves a statement in a session over `channel`; the caller has evaluated it already.
pub(crate) fn prove(
    statement: &Settled<'_>,
    channel: Box<dyn Channel + Send>,
    watch: &Watch,
) -> Result<Figures, Failure> {
    let wire = statement.wire(channel, watch);
    prover(wire, statement.options(), |prover, rng| statement.prove(prover, watch, rng))
}

/// Verifies a proof of a statement in a session over `channel`.
pub(crate) fn verify(
    statement: &Settled<'_>,
    channel: Box<dyn Channel + Send>,
    watch: &Watch,
) -> Result<Figures, Failure> {
    let wire = statement.wire(channel, watch);
    verifier(wire, statement.options(), |verifier, rng| statement.verify(verifier, watch, rng))
}

/// Runs a prover's session. `run` proves; the caller has evaluated the statement already.
pub(crate) fn prover(
    wire: Wire,
    options: Options,
    run: impl FnOnce(&mut Prover<Wire>, &mut dyn CryptoRng) -> Done,
) -> Result<Figures, Failure> {
    let (mut rng, start) = (os_rng()?, Instant::now());
    let mut prover = Prover::start(wire, options, &mut rng)?.without_evaluation();
    let set_up = start.elapsed();
    let proved = run(&mut prover, &mut rng)?;
    Ok(Figures::new(Role::Prover, set_up, proved, prover.channel()))
}

/// Runs a verifier's session. `run` verifies.
pub(crate) fn verifier(
    wire: Wire,
    options: Options,
    run: impl FnOnce(&mut Verifier<Wire>, &mut dyn CryptoRng) -> Done,
) -> Result<Figures, Failure> {
    let (mut rng, start) = (os_rng()?, Instant::now());
    let mut verifier = Verifier::start(wire, options, &mut rng)?;
    let set_up = start.elapsed();
    let proved = run(&mut verifier, &mut rng)?;
    Ok(Figures::new(Role::Verifier, set_up, proved, verifier.channel()))
}
