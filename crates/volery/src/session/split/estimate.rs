//! What a split proof will take, before anybody makes it.
//!
//! ```text
//! bytes, waits, correlations, worth    rehearsals: P's coordinator, and P's worker of each shard
//! time of dealing, and of a lot's use  both parties make some correlations, in this process
//! memory of a worker                   the formula for a session that makes as many, and the lot
//! ```
//!
//! See [`estimate`](crate::estimate()), which does the same for a statement that is not split.

use std::collections::VecDeque;
use std::thread::Builder;
use std::time::Duration;

use rand_core::CryptoRng;
use volery_channel::platform::Instant;
use volery_channel::{Channel as _, Limits, Rehearsal, Stats, memory_pair, tags};
use volery_circuit::Statement;
use volery_field::{Ring as _, Wiped};
use volery_zk::soundness::Term;

use super::combine::{Answer, Question};
use super::deal::{Lot as _, Place, ProverLot};
use super::dealt::{Dealt, no_bits};
use super::shard::{Boundary, Captured, Shard, Sharded};
use super::worker::{Proved, Summary};
use super::workers::{Answered, Ended, Workers};
use super::worth::Worth;
use super::{Layout, MOST_BROUGHT, Settings, ShardInfo};
use crate::session::estimate::conclude;
use crate::session::making::{self, Trial, leave};
use crate::session::rehearsal::greet;
use crate::session::system::correlations::CorrelationSetup as _;
use crate::session::{Common, Network, Options, Prover, Verifier, digest};
use crate::{Error, os_rng};

/// What a split proof takes from the coordinators' first byte to the verdict, if no worker is lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The session of the two coordinators.
    pub coordinators: Coordinators,
    /// For each shard the session of its two workers.
    pub workers: Vec<crate::Estimate>,
    /// Bytes within P's party, if workers are processes: lots, and what workers bring. What a worker is told
    /// of its statement and its witness is counted for runs of programs alone.
    pub within_prover: u64,
    /// The same within V's party.
    pub within_verifier: u64,
    worth: Worth,
    /// The same with hashed challenges; none if the system refuses them.
    hashed: Option<Worth>,
    /// Threads that each worker was measured with.
    threads: usize,
}

/// What the coordinators' session takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinators {
    /// Bytes that P's coordinator sends to V's.
    pub bytes_prover: u64,
    /// Bytes that V's sends.
    pub bytes_verifier: u64,
    /// How often P's waits for V's after it has sent something.
    pub round_trips: u64,
    /// Correlations that are dealt.
    pub correlations: u64,
    /// Time of the set-up on this machine.
    pub set_up: Duration,
    /// Time in which both make the correlations that they deal.
    pub dealing: Duration,
}

impl Estimate {
    /// Bytes that P's coordinator and all its workers send to the other party.
    #[must_use]
    pub fn bytes_prover(&self) -> u64 {
        self.sum(self.coordinators.bytes_prover, |worker| worker.bytes_prover)
    }

    /// Bytes that V's send.
    #[must_use]
    pub fn bytes_verifier(&self) -> u64 {
        self.sum(self.coordinators.bytes_verifier, |worker| worker.bytes_verifier)
    }

    /// Correlations that the workers use, of those that they make from their lots.
    #[must_use]
    pub fn correlations(&self) -> u64 {
        self.sum(0, |worker| worker.correlations)
    }

    fn sum(&self, first: u64, figure: fn(&crate::Estimate) -> u64) -> u64 {
        self.workers.iter().map(figure).fold(first, u64::saturating_add)
    }

    fn most(&self, figure: fn(&crate::Estimate) -> u64) -> u64 {
        self.workers.iter().map(figure).max().unwrap_or_default()
    }

    /// Round trips one after the other: the coordinators', and those of the workers that have the most, since
    /// workers wait side by side.
    #[must_use]
    pub fn round_trips(&self) -> u64 {
        self.coordinators.round_trips.saturating_add(self.most(|worker| worker.round_trips))
    }

    /// The most bytes of memory that a worker keeps, about: at P and at V. What is the statement's own is
    /// counted for runs of programs alone.
    #[must_use]
    pub fn memory_worker(&self) -> [u64; 2] {
        [self.most(|worker| worker.memory_prover), self.most(|worker| worker.memory_verifier)]
    }

    /// Time of the whole if each party has this many cores like this machine's and messages take no time:
    /// dealing, and the workers, which share the cores. A worker takes as many cores as its options name
    /// threads.
    #[must_use]
    pub fn work(&self, cores: u32) -> Duration {
        let Coordinators { set_up, dealing, .. } = self.coordinators;
        set_up + dealing + self.working(cores)
    }

    fn working(&self, cores: u32) -> Duration {
        let times = || self.workers.iter().map(crate::Estimate::work);
        let all: Duration = times().sum();
        // What a worker takes was measured with all of its threads.
        let at_once = cores / u32::try_from(self.threads).unwrap_or(u32::MAX).max(1);
        (all / at_once.max(1)).max(times().max().unwrap_or_default())
    }

    /// Seconds of the whole over a network that all connections share, if each party has this many cores like
    /// this machine's. As in [`crate::Estimate::seconds_on`], the slowest of work and bytes counts, and round
    /// trips in full.
    #[must_use]
    pub fn seconds_on(&self, network: Network, cores: u32) -> f64 {
        let seconds = |bytes: u64, bits: f64| bytes as f64 * 8.0 / bits.max(1.0);
        let sent = seconds(self.bytes_prover(), network.bits_to_verifier);
        let received = seconds(self.bytes_verifier(), network.bits_to_prover);
        let work = (self.coordinators.dealing + self.working(cores)).as_secs_f64();
        let waits = self.round_trips() as f64 * network.round_trip.as_secs_f64();
        self.coordinators.set_up.as_secs_f64() + work.max(sent).max(received) + waits
    }

    /// Bits of soundness: [`Outcome::soundness_bits`](super::Outcome::soundness_bits) of the proof.
    #[must_use]
    pub fn soundness_bits(&self) -> f64 {
        self.worth.bits()
    }

    /// The same if challenges are hashes ([`Options::fiat_shamir`]), against each hash computation; none if
    /// the system refuses that.
    #[must_use]
    pub fn soundness_bits_hashed(&self) -> Option<f64> {
        self.hashed.map(|worth| worth.bits())
    }

    /// What the bits are made of: the worst shard, a guess of what boundary wires differ by, and, if shards
    /// are joined by sums ([`Layout::is_combined`]), sums that hide that wires differ. The retries that are
    /// allowed have made each of them less.
    #[must_use]
    pub fn soundness_terms(&self) -> Vec<Term> {
        self.worth.terms()
    }

    /// Bits of soundness that the retries cost which are allowed, used or not: `log2(R + 1)` for `R` of them.
    #[must_use]
    pub fn retries_bits(&self) -> f64 {
        self.worth.retries_bits()
    }
}

/// What it takes to prove the statement `whole` in its shards with `system`. It needs no witness.
///
/// It takes about as long as P's part of the proof, by one worker.
///
/// # Errors
/// [`Error::Options`] for what nothing can be split with, as of [`Prover::prove_split`]; the statement's.
pub fn estimate<Y, T>(options: Options, system: Y, whole: &T, settings: Settings) -> Result<Estimate, Error>
where
    Y: Dealt,
    T: Sharded,
    for<'p, 's> T::Shard<'s>: Shard<Y::Ring, Y::Prover<'p>>,
    for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
{
    estimate_after(|_| Ok(()), options, system, whole, settings)
}

/// As [`estimate`], where P's coordinator says something before.
pub(super) fn estimate_after<Y, T>(
    first: impl FnOnce(&mut Prover<Rehearsal>) -> Result<(), Error>,
    options: Options,
    system: Y,
    whole: &T,
    settings: Settings,
) -> Result<Estimate, Error>
where
    Y: Dealt,
    T: Sharded,
    for<'p, 's> T::Shard<'s>: Shard<Y::Ring, Y::Prover<'p>>,
    for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
{
    let (layout, mut rng) = (whole.layout()?, os_rng()?);
    let mut prover = Prover::rehearse(|channel| channel, options)?;
    first(&mut prover)?;
    let mut workers = Rehearsed {
        system,
        whole,
        ended: VecDeque::new(),
        answered: VecDeque::new(),
        estimates: Vec::new(),
        measured: Vec::new(),
    };
    prover.prove_split(system, &layout, settings, &mut workers, &mut rng)?;
    let Stats { bytes_sent, bytes_received, round_trips, .. } = prover.channel().stats();
    let taken = prover.taken();
    let (set_up, dealing) = making::measure(options, system, taken)?;
    let workers = workers.estimates;
    let [within_prover, within_verifier] = within::<Y>(&options, &layout)?;
    let of =
        |bits: &[f64]| Worth::of(bits.iter().copied(), Y::size(), layout.is_combined(), settings.retries);
    let bits: Vec<f64> = workers.iter().map(|worker| worker.soundness.bits()).collect();
    let hashed = workers.iter().map(|worker| Some(worker.soundness_hashed?.bits()));
    let hashed = hashed.collect::<Option<Vec<f64>>>().map(|bits| of(&bits));
    let worth = of(&bits);
    Ok(Estimate {
        coordinators: Coordinators {
            bytes_prover: bytes_sent,
            bytes_verifier: bytes_received,
            round_trips,
            correlations: taken.into_iter().fold(0, u64::saturating_add),
            set_up,
            dealing,
        },
        workers,
        within_prover,
        within_verifier,
        worth,
        hashed,
        threads: options.threads,
    })
}

/// Bytes of what goes with a lot between a coordinator and a worker: its names and place, and the counts of
/// what comes back.
const HEADS: u64 = 300;

/// Bytes of a run in a question.
const RUN: u64 = 12;

/// Bytes between the coordinators and their own workers, at P and at V.
fn within<Y: Dealt>(options: &Options, layout: &Layout) -> Result<[u64; 2], Error> {
    let lot = Y::lot_len(options)? as u64;
    let (share, mac) = (Y::SHARE_BYTES as u64, Y::Mac::BYTES as u64);
    // What comes back: tags or keys, or for each side of a run a part of a question and two sums.
    let brought = |shard: &ShardInfo| match shard.boundary {
        0..=MOST_BROUGHT => shard.boundary as u64 * mac,
        _ => HEADS,
    };
    // Those that bring their wires are not asked.
    let keeps = |shard: &usize| layout.shards().get(*shard).is_some_and(|info| info.boundary > MOST_BROUGHT);
    let sides = layout.equal().iter().flat_map(|equal| [equal.from.0, equal.to.0]).filter(keeps).count();
    let sides = sides as u64 * (RUN + 2 * mac);
    let party = |each: u64| {
        let shards = layout.shards().iter();
        let shards = shards.map(|shard| HEADS + lot * each + brought(shard));
        shards.fold(sides, u64::saturating_add)
    };
    Ok([party(share), party(mac)])
}

/// P's workers in a rehearsal: each runs where it is started.
struct Rehearsed<'a, Y: Dealt, T> {
    system: Y,
    whole: &'a T,
    ended: VecDeque<Ended<Y::Mac>>,
    answered: VecDeque<Answered<Y::Mac>>,
    estimates: Vec<crate::Estimate>,
    /// What was measured, for shards that take as many correlations as others.
    measured: Vec<(Measured, [Duration; 2])>,
}

/// What a measurement of a worker's correlations is of: those that it takes, and what it says beforehand.
type Measured = ([u64; 2], Option<u64>);

impl<Y, T> Workers<ProverLot<Y>, Y::Mac> for Rehearsed<'_, Y, T>
where
    Y: Dealt,
    T: Sharded,
    for<'p, 's> T::Shard<'s>: Shard<Y::Ring, Y::Prover<'p>>,
    for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
{
    fn start(&mut self, lot: ProverLot<Y>) -> Result<(), Error> {
        let (shard, attempt) = (lot.shard(), lot.attempt());
        let part = self.whole.shard(shard)?;
        let mut proved = self.rehearse(&lot.place, &part, &mut os_rng()?)?;
        // Many boundary wires stay with a worker; here nobody needs them.
        drop(proved.take_many());
        self.ended.push_back(Ended { shard, attempt, result: Ok(proved) });
        Ok(())
    }

    fn wait(&mut self, _: Duration) -> Result<Option<Ended<Y::Mac>>, Error> {
        Ok(self.ended.pop_front())
    }

    /// Tags are zeros in a rehearsal, and so are their sums.
    fn ask(&mut self, question: &Question) -> Result<(), Error> {
        let (shard, attempt) = (question.shard(), question.attempt());
        let sums = Wiped::new(vec![Y::Mac::default(); 2 * question.runs.len()]);
        let answer = Answer { shard: question.shard, attempt, seed: question.seed, sums };
        self.answered.push_back(Answered { shard, attempt, result: Ok(answer) });
        Ok(())
    }

    fn answered(&mut self, _: Duration) -> Result<Option<Answered<Y::Mac>>, Error> {
        Ok(self.answered.pop_front())
    }
}

impl<Y: Dealt, T> Rehearsed<'_, Y, T> {
    /// As [`prove_shard`](super::prove_shard), with nobody at the other end.
    fn rehearse<S>(
        &mut self,
        place: &Place,
        shard: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Proved<Y::Mac>, Error>
    where
        S: for<'p> Shard<Y::Ring, Y::Prover<'p>> + ?Sized,
        for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
    {
        let (start, options) = (Instant::now(), place.options);
        let captured = Captured::<S, Y::Ring, Y::Mac>::new(shard);
        let commitments = Statement::<Y::Prover<'_>>::commitments(&captured);
        let mut channel = Rehearsal::new();
        // What P's worker shows V's.
        channel.send(tags::WORKER_TOKEN, &[0; 32])?;
        greet(place.parameters()?, &mut channel, rng, |_| Ok(()))?;
        let session = place.worker(&[0; 32]);
        let common = Common { evaluates: false, ..Common::of(session, options, options.pool()?) };
        let digest = digest::<Y::Prover<'_>>(&captured);
        let mut prover = Prover { channel, common, pool: no_bits(), extension: None, field: None };
        Y::rehearse(&mut prover.side(), commitments, rng)?;
        let report = prover.try_prove(&self.system, &captured, || Ok(()), rng)?;
        let [set_up, making] = self.measure(&options, (prover.taken(), commitments))?;
        let announced = (commitments.is_some(), Some(Y::plan(&options, commitments)?));
        let mut estimate = conclude(&prover, options, self.system, &report, announced, (set_up, making))?;
        // The lot, and the boundary: tags of nothing may differ, and those are not looked at.
        let macs = Wiped::new(vec![Y::Mac::default(); captured.into_macs().len()]);
        let kept = [size_of::<Y::ProverShare>(), size_of::<Y::Mac>()];
        let lot = Y::lot_len(&options)?;
        let kept = kept.map(|each| (lot * each + macs.len() * size_of::<Y::Mac>()) as u64);
        estimate.memory_prover = estimate.memory_prover.saturating_add(kept[0]);
        estimate.memory_verifier = estimate.memory_verifier.saturating_add(kept[1]);
        self.estimates.push(estimate);
        let summary = Summary::of(&report, prover.channel().stats(), start.elapsed());
        let (shard, attempt, transcript) = (place.shard, place.attempt, report.tally.transcript);
        let session = *session.as_bytes();
        Ok(Proved { shard, attempt, session, digest, transcript, wires: macs.len(), macs, summary })
    }

    /// The time of a worker's set-up and of its correlations.
    fn measure(&mut self, options: &Options, of: Measured) -> Result<[Duration; 2], Error> {
        if let Some((_, times)) = self.measured.iter().find(|(other, _)| *other == of) {
            return Ok(*times);
        }
        let times = measure::<Y>(options, of)?;
        self.measured.push((of, times));
        Ok(times)
    }
}

/// The time of a worker's set-up on this machine, and that for making so many correlations from its lot.
fn measure<Y: Dealt>(options: &Options, (taken, commitments): Measured) -> Result<[Duration; 2], Error> {
    let n = Y::lot_len(options)?;
    let plan = Y::plan(options, commitments)?;
    let trials = taken.map(|count| Trial::new(&plan, count));
    let place = Place::new(volery_vole::SessionId::new([0; 32]), *options, (0, 0), &[0; 32]);
    let common = || Ok::<_, Error>(Common::of(place.worker(&[0; 32]), *options, options.pool()?));
    let (ours, theirs) = memory_pair(&Limits::default());
    std::thread::scope(|scope| {
        let verify = || {
            // Zeros at both parties are a lot under every delta.
            let (delta, mut rng) = (Y::Mac::ONE, os_rng()?);
            let (common, binary) = (common()?, Y::binary_delta(&delta));
            let mut verifier = Verifier {
                channel: theirs,
                common,
                pool: no_bits(),
                delta: binary,
                extension: None,
                field: None,
            };
            let keys = Wiped::new(vec![Y::Mac::default(); n]);
            Y::start_verifier(&mut verifier.side(), (keys, &delta), commitments, &mut rng)?;
            Y::Setup::make_verifier(&mut verifier.side(), trials)?;
            leave(&mut verifier.channel)
        };
        let verifier = Builder::new().spawn_scoped(scope, verify).map_err(Error::no_thread)?;
        let prove = || {
            let (start, mut rng) = (Instant::now(), os_rng()?);
            let mut prover =
                Prover { channel: ours, common: common()?, pool: no_bits(), extension: None, field: None };
            let shares = Wiped::new(vec![Y::ProverShare::default(); n]);
            Y::start_prover(&mut prover.side(), shares, commitments, &mut rng)?;
            let set_up = start.elapsed();
            let times = Y::Setup::make_prover(&mut prover.side(), trials)?;
            leave(&mut prover.channel)?;
            let [bits, elements] = [0, 1].map(|kind| trials[kind].extrapolate(times[kind]));
            Ok::<_, Error>([set_up, bits + elements])
        };
        let made = prove();
        verifier.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        made
    })
}

#[cfg(test)]
mod tests {
    use super::super::Equal;
    use super::*;
    use crate::system::Bits;

    /// Of two runs between a shard that keeps its wires and one that brings them, one side each is asked.
    #[test]
    fn only_shards_that_keep_their_wires_are_asked() {
        let of = |runs: usize| {
            let shards = [MOST_BROUGHT + 1, 8].map(|boundary| ShardInfo { digest: [7; 32], boundary });
            let equal = (0..runs).map(|n| Equal { from: (0, n), to: (1, n), wires: 1 }).collect();
            let layout = Layout::new(shards.into(), equal).expect("a layout");
            within::<Bits>(&Options::default(), &layout).expect("bytes")
        };
        let ([p, v], [p_more, v_more]) = (of(1), of(2));
        assert_eq!([p_more - p, v_more - v], [RUN + 2 * 16; 2]);
    }
}
