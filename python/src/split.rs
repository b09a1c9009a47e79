//! Statements in shards: this party's coordinator, whose workers somebody else starts, and its workers.
//!
//! ```text
//! Python: prove_split(session, statement, settings, launch)       Python, in another process: split_worker
//!   a hall, whose invitations `launch` hands to workers     --->    comes with its invitation
//!   the session's prove_split or verify_split                <->    the lot, the job; tags or keys
//! ```

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};
use volery::field::{F2, Gf128};
use volery::split::remote::{Absentees, Hall, Invitation, LotOf, Times, Worker};
use volery::split::statements::SplitPreimage;
use volery::split::{
    Answered, Ended, Estimate, Layout, Outcome, ProverLot, Question, Settings, Sharded as _, VerifierLot,
    Workers, check, estimate,
};
use volery::system::Bits;
use volery::{Error, Limits, Network, Options, Profile, Prover, Verifier, Zeroizing, os_rng};
use volery_statement::{Wire, reached};

use crate::connection::{address, seconds};
use crate::failure::Failure;
use crate::session::{Session, State, Terms, is_prover, work};
use crate::worker::{Stop, alone, interruptible, locked};

/// "I know a message of this length with this SHA-256 digest", in shards of consecutive blocks.
#[pyclass(frozen, module = "volery._volery")]
pub(crate) struct Preimage(Arc<SplitPreimage>);

#[pymethods]
impl Preimage {
    #[new]
    fn new(
        digest: [u8; 32],
        length: u64,
        shards: usize,
        message: Option<Bound<'_, PyByteArray>>,
    ) -> PyResult<Self> {
        let py_message = message.map(|message| Zeroizing::new(message.to_vec()));
        let mut whole = SplitPreimage::new(digest, length, shards).map_err(Failure::from)?;
        if let Some(message) = py_message {
            whole = whole.with_message(message).map_err(Failure::from)?;
        }
        Ok(Self(Arc::new(whole)))
    }

    /// How many shards there are: no more than blocks.
    #[getter]
    fn shards(&self) -> usize {
        self.0.shards()
    }

    /// The secret bits and ANDs of each shard, at most.
    fn commitments(&self) -> PyResult<Vec<u64>> {
        let of = |n| {
            let shard = self.0.shard(n).map_err(Failure::from)?;
            let commitments = volery::split::Shard::<F2, volery::circuit::Evaluator<F2>>::commitments(&shard);
            Ok(commitments.unwrap_or_default())
        };
        (0..self.0.shards()).map(of).collect()
    }

    /// Whether the message has the digest.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let whole = Arc::clone(&self.0);
        alone(py, move || Ok(check::<F2, _>(&*whole)?))
    }

    /// What a proof of it takes and is worth, of which Python makes a `SplitInfo`.
    #[pyo3(signature = (retries, cores, profile, fiat_shamir, threads))]
    fn info<'py>(
        &self,
        py: Python<'py>,
        retries: u32,
        cores: Option<u32>,
        profile: &str,
        fiat_shamir: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let options = Options { profile: crate::session::profile(profile)?, fiat_shamir, threads };
        let (whole, settings) = (Arc::clone(&self.0), Settings { retries });
        let estimate = alone(py, move || Ok(estimate(options, Bits, &*whole, settings)?))?;
        let cores = cores.unwrap_or(u32::try_from(self.0.shards()).unwrap_or(u32::MAX));
        info_dict(py, &estimate, options, cores)
    }
}

fn info_dict<'py>(
    py: Python<'py>,
    estimate: &Estimate,
    options: Options,
    cores: u32,
) -> PyResult<Bound<'py, PyDict>> {
    let network = match options.profile {
        Profile::Lan => Network::LAN,
        Profile::Wan => Network::WAN,
    };
    let dict = PyDict::new(py);
    let terms: Vec<_> = estimate.soundness_terms().iter().map(|term| (term.what, term.bits)).collect();
    let [memory_worker_prover, memory_worker_verifier] = estimate.memory_worker();
    dict.set_item("correlations", estimate.correlations())?;
    dict.set_item("correlations_dealt", estimate.coordinators.correlations)?;
    dict.set_item("bytes_prover", estimate.bytes_prover())?;
    dict.set_item("bytes_verifier", estimate.bytes_verifier())?;
    dict.set_item("bytes_within_prover", estimate.within_prover)?;
    dict.set_item("bytes_within_verifier", estimate.within_verifier)?;
    dict.set_item("round_trips", estimate.round_trips())?;
    dict.set_item("memory_worker_prover", memory_worker_prover)?;
    dict.set_item("memory_worker_verifier", memory_worker_verifier)?;
    dict.set_item("seconds", estimate.work(cores).as_secs_f64())?;
    dict.set_item("seconds_on_network", estimate.seconds_on(network, cores))?;
    dict.set_item("soundness_bits", estimate.soundness_bits())?;
    dict.set_item("soundness_bits_fiat_shamir", estimate.soundness_bits_hashed())?;
    dict.set_item("soundness_bits_retries", estimate.retries_bits())?;
    dict.set_item("soundness_terms", terms)?;
    Ok(dict)
}

/// How a split statement is run at this party: the keywords of `prove` and `verify`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SplitSettings {
    retries: u32,
    hall: String,
    reached_at: Option<String>,
    arrive: f64,
    silence: f64,
    check: bool,
    meet: Vec<String>,
}

/// [`SplitSettings`], read.
struct Place {
    settings: Settings,
    hall: volery::Address,
    reached_at: Option<volery::Address>,
    times: Times,
    /// Whether the prover evaluates the statement before it proves it.
    check: bool,
    /// The hosts at which the prover's workers meet the other party's; wherever that says if there are none.
    meet: Vec<String>,
}

impl SplitSettings {
    fn read(&self) -> Result<Place, Failure> {
        Ok(Place {
            settings: Settings { retries: self.retries },
            hall: address(&self.hall)?,
            reached_at: self.reached_at.as_deref().map(address).transpose()?,
            times: Times {
                arrive: seconds("arrive", self.arrive)?,
                silence: seconds("silence", self.silence)?,
            },
            check: self.check,
            meet: self.meet.clone(),
        })
    }
}

/// How far a split proof is, as the waiting thread sees it.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Progress>>);

/// See [`Told`].
#[derive(Default)]
struct Progress {
    /// Workers that were started, and those of them that ended without a proof.
    started: u64,
    lost: u64,
    /// The shards whose workers brought a proof. One of them is proved again if the peer's worker is lost.
    proved: Vec<usize>,
    /// The time that this coordinator waited for workers to come and say where they are reached.
    arriving: Duration,
    /// What the launch function raised.
    raised: Option<PyErr>,
    /// Where workers that are dead are struck off, once there is a hall.
    absentees: Option<Absentees>,
}

impl Told {
    /// Strikes off the workers with these invitations: nobody will come with them. Those that have come are
    /// no worse off.
    fn strike_off(&self, dead: &[String]) -> Result<(), Failure> {
        let absentees = locked(&self.0).absentees.clone();
        let Some(absentees) = absentees else { return Ok(()) };
        for invitation in dead {
            absentees.add(&invitation.parse().map_err(Failure::input)?);
        }
        Ok(())
    }
}

/// A hall that tells how far it is, and that Ctrl-C ends.
struct Watched<'a, L> {
    hall: Hall<'a, L, Gf128>,
    told: Told,
    stop: Arc<Stop>,
}

/// How long a wait goes on before it looks whether it is to stop.
const GLANCE: Duration = Duration::from_millis(50);

impl<L: LotOf> Watched<'_, L> {
    /// Waits in short steps, until there is something or the time is over.
    fn patiently<T>(
        &mut self,
        patience: Duration,
        mut step: impl FnMut(&mut Self, Duration) -> Result<Option<T>, Error>,
    ) -> Result<Option<T>, Error> {
        let start = Instant::now();
        loop {
            if self.stop.is_stopped() {
                return Err(Error::Split("it was stopped".into()));
            }
            let left = patience.saturating_sub(start.elapsed());
            let found = step(self, left.min(GLANCE))?;
            if found.is_some() || left.is_zero() {
                return Ok(found);
            }
        }
    }
}

impl<L: LotOf> Workers<L, Gf128> for Watched<'_, L> {
    fn start(&mut self, lot: L) -> Result<(), Error> {
        if self.stop.is_stopped() {
            return Err(Error::Split("it was stopped".into()));
        }
        let shard = lot.shard();
        {
            let mut told = locked(&self.told.0);
            told.started += 1;
            // A shard that is proved again, because the other party's worker was lost.
            told.proved.retain(|other| *other != shard);
        }
        self.hall.start(lot)
    }

    fn address(&mut self, shard: usize, patience: Duration) -> Result<Option<String>, Error> {
        let start = Instant::now();
        let address = self.patiently(patience, |all, left| all.hall.address(shard, left));
        locked(&self.told.0).arriving += start.elapsed();
        address
    }

    fn reach(&mut self, shard: usize, address: &str) -> Result<(), Error> {
        self.hall.reach(shard, address)
    }

    fn wait(&mut self, patience: Duration) -> Result<Option<Ended<Gf128>>, Error> {
        let ended = self.patiently(patience, |all, left| all.hall.wait(left))?;
        if let Some(ended) = &ended {
            let mut told = locked(&self.told.0);
            match &ended.result {
                Ok(_) => told.proved.push(ended.shard),
                Err(_) => told.lost += 1,
            }
        }
        Ok(ended)
    }

    fn ask(&mut self, question: &Question) -> Result<(), Error> {
        self.hall.ask(question)
    }

    fn answered(&mut self, patience: Duration) -> Result<Option<Answered<Gf128>>, Error> {
        self.patiently(patience, |all, left| all.hall.answered(left))
    }

    fn stop(&mut self) {
        self.hall.stop();
    }
}

/// The outcome, if it is worth what the session's user asked for.
fn enough(outcome: Outcome, terms: &Terms) -> Result<Outcome, Failure> {
    if let Some(rho) = terms.rho {
        reached(rho, outcome.soundness_bits)?;
    }
    Ok(outcome)
}

/// What a split proof needs besides its session. `launch` starts a worker.
struct Run {
    place: Place,
    whole: Arc<SplitPreimage>,
    layout: Layout,
    launch: Py<PyAny>,
    told: Told,
}

impl Run {
    fn prove(self, state: State, terms: &Terms) -> (State, Result<(Outcome, Duration), Failure>) {
        // Before the peer is met: a wrong witness costs nobody a session, and shows nobody in which shard.
        if self.place.check
            && let Err(error) = check::<F2, _>(&*self.whole)
        {
            return (state, Err(error.into()));
        }
        work(state, terms, |prover: &mut Prover<Wire>| {
            let (layout, settings) = (&self.layout, self.place.settings);
            let mut hall = self.hall::<ProverLot<Bits>>(terms)?;
            let outcome = prover.prove_split(Bits, layout, settings, &mut hall, &mut os_rng()?)?;
            enough(outcome, terms)
        })
    }

    fn verify(self, state: State, terms: &Terms) -> (State, Result<(Outcome, Duration), Failure>) {
        work(state, terms, |verifier: &mut Verifier<Wire>| {
            let (layout, settings) = (&self.layout, self.place.settings);
            let mut hall = self.hall::<VerifierLot<Bits>>(terms)?;
            let outcome = verifier.verify_split(Bits, layout, settings, &mut hall, &mut os_rng()?)?;
            enough(outcome, terms)
        })
    }

    /// A hall for this party's workers, each of whose jobs is its shard.
    fn hall<L: LotOf>(&self, terms: &Terms) -> Result<Watched<'_, L>, Error> {
        let job = |shard| self.whole.job(shard).map_err(Error::from);
        let launch = |shard, invitation: &Invitation| self.launch(shard, invitation);
        let Place { hall, reached_at, times, meet, .. } = &self.place;
        let hall = Hall::open(hall, reached_at.clone(), *times, launch, job)?.meeting_at(meet.clone());
        locked(&self.told.0).absentees = Some(hall.absentees());
        Ok(Watched { hall, told: self.told.clone(), stop: Arc::clone(&terms.stop) })
    }

    /// Has Python start a worker with an invitation.
    fn launch(&self, shard: usize, invitation: &Invitation) -> Result<(), Error> {
        let text = invitation.to_text();
        let called = Python::attach(|py| self.launch.call1(py, (shard, text.as_str())).map(drop));
        called.map_err(|error| {
            let reason = format!("the worker of shard {shard} cannot be started: {error}");
            locked(&self.told.0).raised = Some(error);
            Error::Split(reason)
        })
    }
}

/// Proves or verifies a split statement, and returns what Python makes a `SplitReport` of. `launch` is called
/// with a shard's number and an invitation, and `progress` with the numbers of the proved shards and of the
/// workers that were lost; it returns the invitations with which nobody will come any more.
#[pyfunction]
pub(crate) fn run_split<'py>(
    py: Python<'py>,
    session: &Session,
    role: &str,
    statement: &Preimage,
    settings: SplitSettings,
    launch: Py<PyAny>,
    progress: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let is_prover = is_prover(role)?;
    let (whole, told) = (Arc::clone(&statement.0), Told::default());
    let layout = whole.layout().map_err(Failure::from)?;
    let run = Run { place: settings.read()?, whole, layout, launch, told: told.clone() };
    let tick = |_: Python<'_>| {
        let (proved, lost) = {
            let told = locked(&told.0);
            (told.proved.clone(), told.lost)
        };
        let dead: Vec<String> = progress.call1((proved, lost))?.extract()?;
        Ok(told.strike_off(&dead)?)
    };
    let ended = session.during(py, &tick, move |state, terms| match is_prover {
        true => run.prove(state, terms),
        false => run.verify(state, terms),
    });
    if let Some(raised) = locked(&told.0).raised.take() {
        return Err(raised);
    }
    let (outcome, set_up) = ended?;
    let told = locked(&told.0);
    into_dict(py, &outcome, set_up, &told)
}

fn into_dict<'py>(
    py: Python<'py>,
    outcome: &Outcome,
    set_up: Duration,
    told: &Progress,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let shards = outcome
        .shards
        .iter()
        .map(|shard| (shard.commitments, shard.time.as_secs_f64(), shard.bytes_sent, shard.bytes_received));
    dict.set_item("shards", shards.collect::<Vec<_>>())?;
    dict.set_item("lost", outcome.lost)?;
    dict.set_item("started", told.started)?;
    dict.set_item("soundness_bits", outcome.soundness_bits)?;
    dict.set_item("seconds_setup", set_up.as_secs_f64())?;
    dict.set_item("seconds", outcome.time.as_secs_f64())?;
    dict.set_item("seconds_dealing", outcome.dealing.as_secs_f64())?;
    dict.set_item("seconds_arriving", told.arriving.as_secs_f64())?;
    dict.set_item("seconds_joining", outcome.joining.as_secs_f64())?;
    dict.set_item("bytes_sent", outcome.bytes_sent)?;
    dict.set_item("bytes_received", outcome.bytes_received)?;
    Ok(dict)
}

/// A worker: proves or verifies one shard for the coordinator of this invitation, and returns its number.
#[pyfunction]
pub(crate) fn split_worker(
    py: Python<'_>,
    invitation: &str,
    role: &str,
    listen: &str,
    reached_at: Option<String>,
    timeout: f64,
) -> PyResult<usize> {
    let invitation: Invitation = invitation.parse().map_err(Failure::input)?;
    let (is_prover, listen, wait) = (is_prover(role)?, address(listen)?, seconds("timeout", timeout)?);
    let limits = Limits { read: wait, write: wait, ..Limits::default() };
    let work = move || match is_prover {
        true => {
            let worker = Worker::<ProverLot<Bits>>::come(&invitation, &limits)?;
            let (whole, n) = job(worker.job(), worker.shard())?;
            worker.prove(Bits, &whole.shard(n)?)?;
            Ok(n)
        }
        false => {
            let worker = Worker::<VerifierLot<Bits>>::come(&invitation, &limits)?;
            let (whole, n) = job(worker.job(), worker.shard())?;
            worker.verify(Bits, &whole.shard(n)?, &listen, reached_at.as_deref())?;
            Ok(n)
        }
    };
    // Its connections are its own: a worker that is interrupted ends with its process, or when its
    // coordinator does not want it any more.
    interruptible(py, &Stop::default(), &|_| Ok(()), work)?.map_err(|failure: Failure| failure.into())
}

/// The statement of a job, which is for the same shard as the lot.
fn job(job: &[u8], lot: usize) -> Result<(SplitPreimage, usize), Failure> {
    let (whole, n) = SplitPreimage::from_job(job)?;
    match n == lot {
        true => Ok((whole, n)),
        false => Err(Failure::Session(format!("a lot of shard {lot} came with the job of shard {n}"))),
    }
}
