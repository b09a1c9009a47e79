//! Chooses the way to prove a statement: the first one that is sound enough. Proves and verifies it over a
//! session.

use rand_core::CryptoRng;
use volery::{Channel, Estimate, Options, Prover, Verifier, os_rng};
use volery_circuit::{Counts, Error as StatementError};

use crate::error::Error;
use crate::instance::Instance;
use crate::progress::{Watch, Wire};
use crate::system::{Done, Proved};
use crate::way::Way;

/// A statement and the way to prove it, which both parties choose alike from the same options.
pub struct Settled<'a> {
    options: Options,
    statement: &'a dyn Instance,
    way: Way<'a>,
    /// None if the choice did not need them.
    counts: Option<Counts>,
}

/// Chooses the way to prove `statement` over a session with these options, with `rho` bits of soundness;
/// with those that suit the way if that is none.
///
/// # Errors
/// [`Error::OutOfReach`] if no way is as sound as that; [`Error::Refused`] if there are no sessions about
/// such statements.
pub fn settle(statement: &dyn Instance, options: Options, rho: Option<u16>) -> Result<Settled<'_>, Error> {
    let ways = statement.ways_for(&options)?;
    let (way, counts) = choose(ways, options, rho, statement.always(), || statement.count())?;
    Ok(Settled { options, statement, way, counts })
}

/// The first of these ways that has `rho` bits of soundness, and the statement's counts. If `always` bits are
/// enough, it does not count.
///
/// # Errors
/// [`Error::OutOfReach`]; as counting.
pub fn choose<'a>(
    ways: Vec<Way<'a>>,
    options: Options,
    rho: Option<u16>,
    always: u16,
    count: impl FnOnce() -> Result<Counts, StatementError>,
) -> Result<(Way<'a>, Option<Counts>), Error> {
    let mut ways = ways.into_iter().peekable();
    let rho = |way: &Way<'_>| rho.unwrap_or(way.rho);
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
    Err(Error::OutOfReach { rho: most.0, bits: most.1 })
}

/// Checks that a proof of `bits` bits has the demanded soundness.
///
/// # Errors
/// [`Error::OutOfReach`] if it has not.
pub fn reached(rho: u16, bits: f64) -> Result<(), Error> {
    if bits >= f64::from(rho) { Ok(()) } else { Err(Error::OutOfReach { rho, bits }) }
}

/// The most correlations of a proof that a verifier rehearses besides: some tenths of a second of work.
const REHEARSED: u64 = 1 << 22;

impl<'a> Settled<'a> {
    /// The statement.
    #[must_use]
    pub fn statement(&self) -> &'a dyn Instance {
        self.statement
    }

    /// The way.
    #[must_use]
    pub fn way(&self) -> &Way<'a> {
        &self.way
    }

    /// The session's options.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// The number of values that the proof commits to. None if the prover says how large it is.
    ///
    /// # Errors
    /// As counting the statement.
    pub fn commitments(&self) -> Result<Option<u64>, Error> {
        if !self.statement.is_foreseen() {
            return Ok(None);
        }
        let counts = self.counts.map_or_else(|| self.statement.count(), Ok)?;
        Ok(Some(self.way.proving.correlations().commitments(&counts)))
    }

    /// The prover's round trips, for the verifier of a small proof, who cannot count them: it does not see
    /// what the prover waits for. None for a large one, which would take this party the prover's work.
    #[must_use]
    pub fn round_trips(&self) -> Option<u64> {
        let small = self.commitments().ok()?? <= REHEARSED;
        small.then(|| self.estimate().ok()).flatten().map(|estimate| estimate.round_trips)
    }

    /// Estimates the proof; none if the prover says how large it is.
    ///
    /// # Errors
    /// As [`volery::estimate()`].
    pub fn foresee(&self) -> Result<Option<Estimate>, Error> {
        self.statement.is_foreseen().then(|| self.estimate()).transpose()
    }

    /// Estimates the proof.
    fn estimate(&self) -> Result<Estimate, Error> {
        Ok(self.way.proving.estimate(self.options, &Watch::none())?)
    }

    /// The channel of a session for this proof: `channel`, whose traffic is told to `watch`.
    #[must_use]
    pub fn wire(&self, channel: Box<dyn Channel + Send>, watch: &Watch) -> Wire {
        watch.wire(channel, self.way.fields().value_bits)
    }

    /// Proves the statement in a session, with a witness that [`Instance::check`] has found good.
    ///
    /// # Errors
    /// As [`Prover::prove`].
    pub fn prove(&self, prover: &mut Prover<Wire>, watch: &Watch, rng: &mut dyn CryptoRng) -> Done {
        self.way.proving.prove(prover, watch, rng)
    }

    /// Verifies a proof of the statement in a session. [`Instance::complete`] has found its public values
    /// complete.
    ///
    /// # Errors
    /// As [`Verifier::verify`].
    pub fn verify(&self, verifier: &mut Verifier<Wire>, watch: &Watch, rng: &mut dyn CryptoRng) -> Done {
        self.way.proving.verify(verifier, watch, rng)
    }

    /// P's whole session over `channel`, with one proof. A wrong witness is an error before anything is sent.
    ///
    /// # Errors
    /// As [`Instance::check`], [`Prover::start`] and [`Settled::prove`].
    pub fn prove_over(&self, channel: Box<dyn Channel + Send>, watch: &Watch) -> Result<Proved, Error> {
        self.statement.check()?;
        let mut rng = os_rng()?;
        let wire = self.wire(channel, watch);
        let mut prover = Prover::start(wire, self.options, &mut rng)?.without_evaluation();
        Ok(self.prove(&mut prover, watch, &mut rng)?)
    }

    /// V's whole session over `channel`, with one proof.
    ///
    /// # Errors
    /// As [`Instance::complete`], [`Verifier::start`] and [`Settled::verify`].
    pub fn verify_over(&self, channel: Box<dyn Channel + Send>, watch: &Watch) -> Result<Proved, Error> {
        self.statement.complete()?;
        let mut rng = os_rng()?;
        let mut verifier = Verifier::start(self.wire(channel, watch), self.options, &mut rng)?;
        Ok(self.verify(&mut verifier, watch, &mut rng)?)
    }
}
