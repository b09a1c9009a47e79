//! What a proof will take, before anybody makes it.
//!
//! ```text
//! bytes, waits, correlations, worth     a rehearsal: P's own code, with nobody at the other end
//! time of the proof itself              the same rehearsal, on this machine
//! time of set-up and correlations       both parties make some, in this process
//! memory                                a formula, from what the rehearsal has counted
//! ```
//!
//! Bytes, waits, correlations and worth are exact: tests compare them with sessions of every system. Times
//! and memory are near and not more, and no test compares times, which depend on what else the machine does.
//!
//! Only the statement's public side is needed. What a network adds is computed: [`Estimate::seconds_on`].

use std::time::Duration;

use volery_channel::{Channel, Network, Rehearsal, Stats};
use volery_circuit::Statement;
use volery_vole::correlations::Plan;
use volery_zk::soundness::{Mode, Soundness};

use super::memory::Rehearsed;
use super::system::{Provable, System};
use super::{Options, Prover, making};
use crate::{Error, os_rng};

/// What a session takes that proves something once, from the first byte to the verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Bytes that P sends, with frames' headers (5 each); TLS and TCP add theirs.
    pub bytes_prover: u64,
    /// Bytes that V sends.
    pub bytes_verifier: u64,
    /// How often P waits for V after it has sent something, as in [`Stats::round_trips`].
    pub round_trips: u64,
    /// Correlations that are used: one for each secret and each multiplication, and what masks the checks.
    pub correlations: u64,
    /// The names of the field of values and of that of MACs.
    pub fields: [&'static str; 2],
    /// With what probability V accepts a false statement, and why: [`Soundness::bits`],
    /// [`Soundness::terms`].
    pub soundness: Soundness,
    /// The same if challenges are hashes ([`Options::fiat_shamir`]), against each hash computation. None if
    /// the system refuses that.
    pub soundness_hashed: Option<Soundness>,
    /// Time of the set-up on this machine.
    pub set_up: Duration,
    /// Time in which both parties make the correlations on this machine, each with cores of its own.
    pub making: Duration,
    /// Time of P's part of the proof on this machine, without the making of correlations and without its
    /// witness: finding secrets, the evaluation before the proof, Robin's evaluation of all branches. V works
    /// meanwhile.
    pub proving: Duration,
    /// Bytes of memory that the session keeps at P, about: correlations, blocks that wait for their check,
    /// disjunctions, of a run of a program also its segments, its log and its text. Of other statements what
    /// is their own is not counted: file, witness, wires.
    pub memory_prover: u64,
    /// The same at V.
    pub memory_verifier: u64,
}

impl Estimate {
    /// Both directions together.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes_prover.saturating_add(self.bytes_verifier)
    }

    /// Time of the session on this machine, if each party has cores of its own and messages take no time.
    #[must_use]
    pub fn work(&self) -> Duration {
        self.set_up + self.making + self.proving
    }

    /// Seconds of the session over a network, between machines like this one, from the first byte to the
    /// verdict. (Connecting takes a round trip more, and one or two with TLS.)
    ///
    /// Messages are on their way while the parties work, so the slowest of the three counts: the work after
    /// the set-up, the bytes of P, those of V. All round trips count in full. In a long proof most of them
    /// pass while P goes on, so there it is an upper bound.
    #[must_use]
    pub fn seconds_on(&self, network: Network) -> f64 {
        let sent = network.seconds_to_verifier(self.bytes_prover as f64);
        let received = network.seconds_to_prover(self.bytes_verifier as f64);
        let work = (self.making + self.proving).as_secs_f64();
        let waits = network.seconds_of_waits(self.round_trips);
        self.set_up.as_secs_f64() + work.max(sent).max(received) + waits
    }
}

/// What a session takes that proves `statement` with `system`. The statement needs no witness.
///
/// It takes about as long as P's part of the proof, and some tenths of a second at most for the correlations.
///
/// ```
/// use volery::{Network, Options, estimate, statements::AndChain, system::Bits};
///
/// let estimate = estimate(Options::default(), Bits, &AndChain::new(10_000))?;
/// assert_eq!(estimate.round_trips, 4);
/// assert!(estimate.seconds_on(Network::WAN) > 4.0 * 0.05);
/// # Ok::<(), volery::Error>(())
/// ```
///
/// # Errors
/// [`Error::Options`] for options that make no sense, or that the system does not go with; the statement's.
pub fn estimate<Y: System>(
    options: Options,
    system: Y,
    statement: &(impl Provable<Y> + ?Sized),
) -> Result<Estimate, Error> {
    estimate_through(|channel| channel, options, system, statement)
}

/// As [`estimate`], with something around the channel of the rehearsal, to see how far it is.
///
/// # Errors
/// As [`estimate`].
pub fn estimate_through<C: Channel, Y: System>(
    wrap: impl FnOnce(Rehearsal) -> C,
    options: Options,
    system: Y,
    statement: &(impl Provable<Y> + ?Sized),
) -> Result<Estimate, Error> {
    let announced = Statement::<Y::Prover<'_>>::commitments(statement).is_some();
    let mut prover = Prover::rehearse(wrap, options)?;
    let report = prover.prove(system, statement, &mut os_rng()?)?;
    measured(&prover, options, system, &report, announced)
}

/// As [`estimate`], of commitments to this many bits where no round of correlations is longer than needed.
///
/// # Errors
/// As [`estimate`].
#[cfg(feature = "web")]
pub(super) fn estimate_fitted(count: u64) -> Result<Estimate, Error> {
    let options = Options::default();
    let mut prover = Prover::rehearse(|channel| channel, options)?;
    prover.pool.fit();
    let (system, statement) = (super::system::Bits, volery_circuit::statements::AndChain::new(count));
    let report = prover.prove(system, &statement, &mut os_rng()?)?;
    measured(&prover, options, system, &report, true)
}

/// As [`estimate_through`], of a run as [`Prover::prove_run`] proves it. The run needs no secret input.
///
/// # Errors
/// As [`estimate`].
#[cfg(feature = "programs")]
pub fn estimate_run<C: Channel, Y: super::system::ProvesRuns>(
    wrap: impl FnOnce(Rehearsal) -> C,
    options: Options,
    system: Y,
    run: &volery_machine::proof::ProgramRun,
) -> Result<Estimate, Error> {
    let mut prover = Prover::rehearse(wrap, options)?;
    let report = prover.prove_run(system, run, &mut os_rng()?)?;
    let mut estimate = measured(&prover, options, system, &report, true)?;
    let [of_p, of_v] = run.memory(Y::WIRE, Y::WIRE[1]);
    estimate.memory_prover = estimate.memory_prover.saturating_add(of_p);
    estimate.memory_verifier = estimate.memory_verifier.saturating_add(of_v);
    Ok(estimate)
}

/// What a rehearsal took, and how long its correlations take.
fn measured<C: Channel, Y: System>(
    prover: &Prover<C>,
    options: Options,
    system: Y,
    report: &super::Report,
    announced: bool,
) -> Result<Estimate, Error> {
    let times = making::measure(options, system, prover.taken())?;
    conclude(prover, options, system, report, (announced, None), times)
}

/// What a rehearsal took, whose set-up and correlations take these times. With a plan, its correlations are
/// those of a lot and that plan.
pub(super) fn conclude<C: Channel, Y: System>(
    prover: &Prover<C>,
    options: Options,
    system: Y,
    report: &super::Report,
    (announced, plan): (bool, Option<Plan>),
    (set_up, making): (Duration, Duration),
) -> Result<Estimate, Error> {
    let Stats { bytes_sent, bytes_received, round_trips, .. } = prover.channel().stats();
    let taken = prover.taken();
    let hashed = Options { fiat_shamir: true, ..options };
    let soundness_hashed =
        system.allow(&hashed, None).is_ok().then(|| report.soundness.in_mode(Mode::hashed(true)));
    let rehearsed = Rehearsed { options: &options, report, taken, announced, plan };
    let [memory_prover, memory_verifier] = system.memory(&rehearsed);
    Ok(Estimate {
        bytes_prover: bytes_sent,
        bytes_verifier: bytes_received,
        round_trips,
        correlations: report.correlations,
        fields: report.fields,
        soundness: report.soundness,
        soundness_hashed,
        set_up,
        making,
        proving: report.time,
        memory_prover,
        memory_verifier,
    })
}

#[cfg(test)]
mod tests {
    use volery_circuit::statements::{AndChain, MulChain};
    use volery_field::{F61, F61x2};
    use volery_zk::quicksilver::soundness::Checks;
    use volery_zk::soundness::FieldSize;

    use super::*;
    use crate::system::{Bits, Over};

    fn some() -> Estimate {
        let soundness = Soundness::quicksilver(Checks::default(), FieldSize::OVER_BITS, Mode::Interactive);
        Estimate {
            bytes_prover: 1_000_000,
            bytes_verifier: 500_000,
            round_trips: 10,
            correlations: 0,
            fields: ["", ""],
            soundness,
            soundness_hashed: None,
            set_up: Duration::from_millis(20),
            making: Duration::from_millis(100),
            proving: Duration::from_millis(300),
            memory_prover: 0,
            memory_verifier: 0,
        }
    }

    #[test]
    fn on_a_network_the_slowest_of_work_and_bytes_counts_and_every_round_trip() {
        let network = |milliseconds, to_verifier, to_prover| Network {
            round_trip: Duration::from_millis(milliseconds),
            bits_to_verifier: to_verifier,
            bits_to_prover: to_prover,
        };
        assert_eq!((some().bytes(), some().work()), (1_500_000, Duration::from_millis(420)));
        for (network, seconds) in [
            // Work is the slowest: 0.4 s.
            (network(0, 1e9, 1e9), 0.42),
            (network(50, 1e9, 1e9), 0.92),
            // Then P's 8 million bits, then V's 4 million.
            (network(50, 1e7, 1e9), 0.02 + 0.8 + 0.5),
            (network(50, 1e7, 1e6), 0.02 + 4.0 + 0.5),
        ] {
            assert!((some().seconds_on(network) - seconds).abs() < 1e-9, "{network:?}");
        }
        assert!(some().seconds_on(network(0, 0.0, 0.0)).is_finite());
    }

    #[test]
    fn an_estimate_says_what_hashed_challenges_are_worth_where_the_field_stands_them() {
        let options = Options::default();
        let chain = MulChain::<F61>::new(10).expect("a chain");
        let small = estimate(options, Over::<F61, F61>::new(), &chain).expect("an estimate");
        assert_eq!(small.soundness_hashed, None);
        let large = estimate(options, Over::<F61, F61x2>::new(), &chain).expect("an estimate");
        let hashed = Options { fiat_shamir: true, ..options };
        let really = estimate(hashed, Over::<F61, F61x2>::new(), &chain).expect("an estimate");
        assert_eq!(large.soundness_hashed, Some(really.soundness));
        assert_eq!(really.soundness_hashed, Some(really.soundness));
        let bits = estimate(options, Bits, &AndChain::new(10)).expect("an estimate");
        assert!(bits.soundness_hashed.is_some_and(|hashed| hashed.bits() < bits.soundness.bits()));
    }
}
