//! A session with a peer: it meets the peer when it first proves or verifies, and then goes on.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use volery::stored::preprocess;
use volery::{Options, Profile, Prover, Verifier, os_rng};
use volery_statement::{Instance, Proved, Watch, Wire, settle};

use crate::connection::{Call, ConnectionOptions, Door, Met};
use crate::failure::Failure;
use crate::meter::{Figures, Meter, STAGES};
use crate::subject::{Statement, enough};
use crate::worker::{Stop, interruptible, locked};

/// How a session is run: the keywords of `connect` and `listen` besides those of the connection.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SessionOptions {
    profile: String,
    fiat_shamir: bool,
    threads: usize,
    rho: Option<u16>,
}

impl SessionOptions {
    pub(crate) fn options(&self) -> Result<Options, Failure> {
        Ok(Options { profile: profile(&self.profile)?, fiat_shamir: self.fiat_shamir, threads: self.threads })
    }
}

/// The profile with this name.
pub(crate) fn profile(name: &str) -> Result<Profile, Failure> {
    [Profile::Lan, Profile::Wan]
        .into_iter()
        .find(|profile| profile.name() == name)
        .ok_or_else(|| Failure::Input(format!("profile: \"lan\" or \"wan\", not \"{name}\"")))
}

/// Whether the party of this name is the prover.
pub(crate) fn is_prover(role: &str) -> Result<bool, Failure> {
    match role {
        "prover" => Ok(true),
        "verifier" => Ok(false),
        _ => Err(Failure::input("role: \"prover\" or \"verifier\"")),
    }
}

/// How far a session is.
pub(crate) enum State {
    Calling(Call),
    Listening(Door),
    Proving(Box<Prover<Wire>>),
    Verifying(Box<Verifier<Wire>>),
    /// After an error, or closed.
    Over,
}

/// What is fixed for a whole session.
#[derive(Clone)]
pub(crate) struct Terms {
    options: Options,
    pub(crate) rho: Option<u16>,
    pub(crate) stop: Arc<Stop>,
    meter: Meter,
    peer: Arc<Mutex<String>>,
}

/// What a proof took.
struct Outcome {
    proved: Proved,
    /// For the peer, the handshake and the base OT.
    set_up: Duration,
    /// For the evaluation before the proof.
    checking: Duration,
    figures: Figures,
}

/// A session, as Python holds it.
#[pyclass(frozen, module = "volery._volery")]
pub(crate) struct Session {
    /// None while a thread works on it.
    state: Mutex<Option<State>>,
    terms: Terms,
    address: String,
    fingerprint: Option<String>,
}

impl Session {
    fn new(
        state: State,
        address: String,
        fingerprint: Option<String>,
        settings: &SessionOptions,
    ) -> PyResult<Self> {
        let terms = Terms {
            options: settings.options()?,
            rho: settings.rho,
            stop: Arc::default(),
            meter: Meter::new(),
            peer: Arc::default(),
        };
        Ok(Self { state: Mutex::new(Some(state)), terms, address, fingerprint })
    }

    /// Does `work` on the state, outside of Python, and tells `progress` how many bits and elements passed.
    fn metered<T: Send + 'static>(
        &self,
        py: Python<'_>,
        progress: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(State, &Terms) -> (State, Result<T, Failure>) + Send + 'static,
    ) -> PyResult<T> {
        let tick = |_: Python<'_>| match progress {
            Some(progress) => {
                let [bits, field] = self.terms.meter.figures().bits;
                progress.call1((bits, field)).map(drop)
            }
            None => Ok(()),
        };
        self.during(py, &tick, work)
    }

    /// Does `work` on the state, outside of Python, and `tick` meanwhile.
    pub(crate) fn during<T: Send + 'static>(
        &self,
        py: Python<'_>,
        tick: &dyn Fn(Python<'_>) -> PyResult<()>,
        work: impl FnOnce(State, &Terms) -> (State, Result<T, Failure>) + Send + 'static,
    ) -> PyResult<T> {
        let busy = || Failure::input("the session is in use by another thread, or was interrupted");
        let state = locked(&self.state).take().ok_or_else(busy)?;
        let terms = self.terms.clone();
        let (state, result) = interruptible(py, &self.terms.stop, tick, move || work(state, &terms))?;
        let closed = self.terms.stop.is_stopped();
        *locked(&self.state) = Some(if closed { State::Over } else { state });
        Ok(match result {
            Err(Failure::Session(_)) if closed => Err(Failure::session("the session was closed")),
            result => result,
        }?)
    }
}

#[pymethods]
impl Session {
    /// Where it listens, or what it connects to.
    #[getter]
    fn address(&self) -> &str {
        &self.address
    }

    /// The fingerprint of the certificate that it shows.
    #[getter]
    fn fingerprint(&self) -> Option<&str> {
        self.fingerprint.as_deref()
    }

    /// The peer's address, once it was met.
    #[getter]
    fn peer(&self) -> Option<String> {
        Some(locked(&self.terms.peer).clone()).filter(|peer| !peer.is_empty())
    }

    /// Whether it can still be used.
    #[getter]
    fn closed(&self) -> bool {
        self.terms.stop.is_stopped() || matches!(*locked(&self.state), Some(State::Over))
    }

    /// Proves a statement with its witness.
    fn prove<'py>(
        &self,
        py: Python<'py>,
        statement: &Statement,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let instance = statement.instance();
        let outcome = self.metered(py, progress, move |state, terms| prove(state, terms, &*instance))?;
        outcome.into_dict(py)
    }

    /// Verifies a proof of a statement.
    fn verify<'py>(
        &self,
        py: Python<'py>,
        statement: &Statement,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let instance = statement.instance();
        let outcome = self.metered(py, progress, move |state, terms| verify(state, terms, &*instance))?;
        outcome.into_dict(py)
    }

    /// Makes correlations for proofs without a connection, and ends the session. Returns how many were made.
    fn preprocess(&self, py: Python<'_>, role: &str, count: u64, out: PathBuf) -> PyResult<u64> {
        let is_prover = is_prover(role)?;
        let work = move |state, terms: &Terms| correlate(state, terms, is_prover, count, &out);
        self.metered(py, None, work)
    }

    /// Ends the session, also while another thread uses it.
    fn close(&self) {
        let state = locked(&self.state).replace(State::Over);
        match state {
            // Dropped in order: the peer has all that was sent.
            Some(state) => drop(state),
            None => *locked(&self.state) = None,
        }
        self.terms.stop.stop();
    }
}

/// Meets the peer. Returns the channel and how long that took.
fn meet(met: Result<Met, Failure>, terms: &Terms) -> Result<Wire, Failure> {
    let (channel, peer) = met?;
    *locked(&terms.peer) = peer;
    // The meter below hears of the progress, whatever the statements are about.
    Ok(Watch::none().wire(terms.meter.watch(channel), 1))
}

/// What is left of a session whose party could not be set up.
fn failed<T>((state, failure): (State, Failure)) -> (State, Result<T, Failure>) {
    (state, Err(failure))
}

/// A party that is set up, with the time that this took; or why not, and what is left.
type Begun<T> = Result<(Box<T>, Duration), Box<(State, Failure)>>;

/// One of the two parties of a session.
pub(crate) trait Side: Sized {
    /// The party of a session that has been set up; else the state as it was.
    fn of(state: State) -> Result<Box<Self>, Box<State>>;

    /// Sets it up with a peer.
    fn start(wire: Wire, options: Options) -> Result<Self, volery::Error>;

    /// The state of a session that goes on.
    fn state(self: Box<Self>) -> State;
}

impl Side for Prover<Wire> {
    fn of(state: State) -> Result<Box<Self>, Box<State>> {
        match state {
            State::Proving(prover) => Ok(prover),
            other => Err(Box::new(other)),
        }
    }

    fn start(wire: Wire, options: Options) -> Result<Self, volery::Error> {
        Ok(Self::start(wire, options, &mut os_rng()?)?.without_evaluation())
    }

    fn state(self: Box<Self>) -> State {
        State::Proving(self)
    }
}

impl Side for Verifier<Wire> {
    fn of(state: State) -> Result<Box<Self>, Box<State>> {
        match state {
            State::Verifying(verifier) => Ok(verifier),
            other => Err(Box::new(other)),
        }
    }

    fn start(wire: Wire, options: Options) -> Result<Self, volery::Error> {
        Self::start(wire, options, &mut os_rng()?)
    }

    fn state(self: Box<Self>) -> State {
        State::Verifying(self)
    }
}

/// The party of a session, which meets its peer now if it has not before.
fn begun<S: Side>(state: State, terms: &Terms) -> Begun<S> {
    let state = match S::of(state) {
        Ok(party) => return Ok((party, Duration::ZERO)),
        Err(state) => *state,
    };
    let met = match state {
        State::Calling(call) => call.meet(&terms.stop),
        State::Listening(door) => door.meet(&terms.stop),
        State::Proving(_) => {
            let refusal = Failure::input("this session proves; its peer verifies. Open another one");
            return Err(Box::new((state, refusal)));
        }
        State::Verifying(_) => {
            let refusal = Failure::input("this session verifies; its peer proves. Open another one");
            return Err(Box::new((state, refusal)));
        }
        State::Over => return Err(Box::new((State::Over, over()))),
    };
    let ended = |failure| Box::new((State::Over, failure));
    let wire = meet(met, terms).map_err(ended)?;
    terms.meter.reset();
    let start = Instant::now();
    let party = S::start(wire, terms.options).map_err(|error| ended(error.into()))?;
    Ok((Box::new(party), start.elapsed()))
}

/// Has a party do `work`, and returns what comes of it with the time that setting up took. The session is
/// over if that fails.
pub(crate) fn work<S: Side, T>(
    state: State,
    terms: &Terms,
    work: impl FnOnce(&mut S) -> Result<T, Failure>,
) -> (State, Result<(T, Duration), Failure>) {
    match begun::<S>(state, terms) {
        Ok((mut party, set_up)) => match work(&mut party) {
            Ok(done) => (party.state(), Ok((done, set_up))),
            Err(failure) => (State::Over, Err(failure)),
        },
        Err(left) => failed(*left),
    }
}

fn over() -> Failure {
    Failure::session("the session is over: it was closed, or an earlier error ended it; open another one")
}

fn prove(state: State, terms: &Terms, instance: &dyn Instance) -> (State, Result<Outcome, Failure>) {
    let start = Instant::now();
    // Before the peer is met: a wrong witness costs nobody a session, and the session stays as it is.
    if let Err(error) = instance.check() {
        return (state, Err(error.into()));
    }
    let settled = match settle(instance, terms.options, terms.rho) {
        Ok(settled) => settled,
        Err(error) => return (state, Err(error.into())),
    };
    let checking = start.elapsed();
    terms.meter.reset();
    let (state, proved) = work(state, terms, |prover: &mut Prover<Wire>| {
        let proved = settled.prove(prover, &Watch::none(), &mut os_rng()?)?;
        enough(&settled, &proved, terms.rho)?;
        Ok(proved)
    });
    (state, proved.map(|proved| Outcome::new(proved, checking, terms)))
}

fn verify(state: State, terms: &Terms, instance: &dyn Instance) -> (State, Result<Outcome, Failure>) {
    let settled = instance.complete().and_then(|()| settle(instance, terms.options, terms.rho));
    let settled = match settled {
        Ok(settled) => settled,
        Err(error) => return (state, Err(error.into())),
    };
    terms.meter.reset();
    let (state, proved) = work(state, terms, |verifier: &mut Verifier<Wire>| {
        let proved = settled.verify(verifier, &Watch::none(), &mut os_rng()?)?;
        enough(&settled, &proved, terms.rho)?;
        Ok(proved)
    });
    (state, proved.map(|proved| Outcome::new(proved, Duration::ZERO, terms)))
}

fn correlate(
    state: State,
    terms: &Terms,
    is_prover: bool,
    count: u64,
    out: &Path,
) -> (State, Result<u64, Failure>) {
    if !matches!(state, State::Calling(_) | State::Listening(_)) {
        return (
            state,
            Err(Failure::input("correlations are made in a session of their own: open another one")),
        );
    }
    // The challenges of proofs in files are always hashes.
    let terms = &Terms { options: Options { fiat_shamir: true, ..terms.options }, ..terms.clone() };
    let made = match is_prover {
        true => match begun(state, terms) {
            Ok((prover, _)) => preprocess::prover(*prover, count, out, &mut |_| {}),
            Err(left) => return failed(*left),
        },
        false => match begun(state, terms) {
            Ok((verifier, _)) => preprocess::verifier(*verifier, count, out, &mut |_| {}),
            Err(left) => return failed(*left),
        },
    };
    (State::Over, made.map(|info| info.count).map_err(Failure::from))
}

impl Outcome {
    fn new((proved, set_up): (Proved, Duration), checking: Duration, terms: &Terms) -> Self {
        Self { proved, set_up, checking, figures: terms.meter.figures() }
    }

    /// What Python makes a `Report` of.
    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let Self { proved: Proved { report, run }, set_up, checking, figures } = self;
        let dict = PyDict::new(py);
        let [field, mac_field] = report.fields;
        dict.set_item("field", field)?;
        dict.set_item("mac_field", mac_field)?;
        let (tally, bits) = (&report.tally, &report.bits);
        dict.set_item("secrets", tally.secrets.saturating_add(bits.secrets))?;
        dict.set_item("multiplications", tally.multiplications.saturating_add(bits.multiplications))?;
        dict.set_item("polynomials", tally.polynomials.saturating_add(bits.polynomials))?;
        dict.set_item("correlations", report.correlations)?;
        dict.set_item("seconds_setup", set_up.as_secs_f64())?;
        dict.set_item("seconds_check", checking.as_secs_f64())?;
        dict.set_item("seconds", report.time.as_secs_f64())?;
        dict.set_item("round_trips", report.round_trips)?;
        dict.set_item("soundness_bits", report.soundness.bits())?;
        let mut stages = vec![("check", checking.as_secs_f64(), 0, 0)];
        let taken = STAGES.iter().zip(figures.stages);
        stages.extend(
            taken.map(|((_, name), taken)| (*name, taken.time.as_secs_f64(), taken.sent, taken.received)),
        );
        dict.set_item("bytes_sent", figures.stages.iter().map(|taken| taken.sent).sum::<u64>())?;
        dict.set_item("bytes_received", figures.stages.iter().map(|taken| taken.received).sum::<u64>())?;
        stages.retain(|(_, seconds, sent, received)| *seconds > 0.0 || sent + received > 0);
        dict.set_item("stages", stages)?;
        dict.set_item("run", run.map(|run| serde_json::json!(run).to_string()))?;
        Ok(dict)
    }
}

/// A session with the party that listens at an address.
#[pyfunction]
pub(crate) fn connect(
    address: &str,
    connection: ConnectionOptions,
    settings: SessionOptions,
) -> PyResult<Session> {
    let call = Call::new(address, &connection)?;
    Session::new(State::Calling(call), address.to_owned(), None, &settings)
}

/// A session with the first party that connects to an address.
#[pyfunction]
pub(crate) fn listen(
    address: &str,
    connection: ConnectionOptions,
    settings: SessionOptions,
) -> PyResult<Session> {
    let door = Door::new(address, &connection)?;
    let (address, fingerprint) = (door.address()?, door.fingerprint());
    Session::new(State::Listening(door), address, fingerprint, &settings)
}
