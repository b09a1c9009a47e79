//! Chooses the way to prove a statement: the first one that is sound enough.

use volery::{Estimate, Options};
use volery_circuit::{Counts, Error as StatementError};

use super::args::ProtocolArgs;
use super::connection::Link;
use super::failure::Failure;
use super::progress::Progress;
use super::session::{self, Figures};
use super::statement::Given;
use super::terminal;
use super::way::Way;

/// A statement and the way to prove it.
pub(crate) struct Settled<'a> {
    options: Options,
    statement: &'a dyn Given,
    way: Way<'a>,
    /// None if the choice did not need them.
    counts: Option<Counts>,
}

impl ProtocolArgs {
    /// Chooses the way to prove `statement` with the soundness that the command line demands.
    ///
    /// # Errors
    /// [`Failure::Input`] if no way reaches it, or there are no sessions about such statements.
    pub(crate) fn settle<'a>(&self, statement: &'a dyn Given) -> Result<Settled<'a>, Failure> {
        let options = self.options();
        let ways = statement.ways_for(&options)?;
        let (way, counts) = self.choose(ways, statement.always(), || statement.count())?;
        let fields = way.fields();
        let (values, macs) = (fields.value, fields.mac);
        terminal::detail(&format!("{}: {} over {values}, MACs in {macs}", statement.text(), way.protocol));
        Ok(Settled { options, statement, way, counts })
    }

    /// Returns the first of these ways that has the demanded soundness, and the statement's counts. If
    /// `always` bits are enough, it does not count.
    pub(crate) fn choose<'a>(
        &self,
        ways: Vec<Way<'a>>,
        always: u16,
        count: impl FnOnce() -> Result<Counts, StatementError>,
    ) -> Result<(Way<'a>, Option<Counts>), Failure> {
        let (options, mut ways) = (self.options(), ways.into_iter().peekable());
        let rho = |way: &Way<'_>| self.rho.unwrap_or(way.rho);
        if let Some(way) = ways.next_if(|way| rho(way) <= always) {
            return Ok((way, None));
        }
        let (counts, mut most) = (count()?, (0, 0.0));
        for way in ways {
            most = (rho(&way), (way.worth)(&options, &counts));
            if most.1 >= f64::from(most.0) {
                return Ok((way, Some(counts)));
            }
        }
        Err(out_of_reach(most.0, most.1))
    }
}

/// Checks that a proof has the demanded soundness.
pub(crate) fn reached(rho: u16, bits: f64) -> Result<(), Failure> {
    if bits >= f64::from(rho) { Ok(()) } else { Err(out_of_reach(rho, bits)) }
}

fn out_of_reach(rho: u16, bits: f64) -> Failure {
    Failure::input(format!("--rho {rho} is out of reach: this proof has {bits:.1} bits"))
}

/// The most correlations of a proof that a verifier rehearses besides: some tenths of a second of work.
const REHEARSED: u64 = 1 << 22;

impl Settled<'_> {
    /// The prover's round trips, for the verifier of a small proof, who cannot count them: it does not see
    /// what the prover waits for. None for a large one, which would take this party the prover's work.
    pub(crate) fn round_trips(&self) -> Option<u64> {
        if !self.statement.is_foreseen() {
            return None;
        }
        let counts = self.counts.map_or_else(|| self.statement.count(), Ok).ok()?;
        let small = self.way.proving.correlations().commitments(&counts) <= REHEARSED;
        small.then(|| self.estimate().ok()).flatten().map(|estimate| estimate.round_trips)
    }

    /// Estimates the proof; none if the prover says how large it is.
    pub(crate) fn foresee(&self) -> Result<Option<Estimate>, Failure> {
        self.statement.is_foreseen().then(|| self.estimate()).transpose()
    }

    /// Estimates the proof.
    fn estimate(&self) -> Result<Estimate, Failure> {
        Ok(self.way.proving.estimate(self.options, &Progress::none())?)
    }

    /// The progress of the proof.
    pub(crate) fn progress(&self) -> Result<Progress, Failure> {
        if !self.statement.is_foreseen() {
            return Ok(Progress::none());
        }
        let correlations = self.way.proving.correlations();
        Progress::new(correlations.fields().value_bits, || {
            let counts = self.counts.map_or_else(|| self.statement.count(), Ok)?;
            Ok(correlations.commitments(&counts))
        })
    }

    /// Proves the statement over `link`.
    pub(crate) fn prove(&self, link: Link, progress: &Progress) -> Result<Figures, Failure> {
        session::prove(link, self.options, progress, |prover, rng| self.way.proving.prove(prover, rng))
    }

    /// Verifies a proof of the statement over `link`.
    pub(crate) fn verify(&self, link: Link, progress: &Progress) -> Result<Figures, Failure> {
        session::verify(link, self.options, progress, |verifier, rng| self.way.proving.verify(verifier, rng))
    }
}
