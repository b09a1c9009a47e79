//! A session of one party about one claim: set up once, then any number of proofs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use js_sys::{Function, Object, Reflect};
use volery::{Channel, Framed, Limits, Options, Profile, Prover, Verifier, os_rng};
use volery_statement::{
    Error, Instance, Named, Progress, Proved, Settled, Watch, Wire, explained, load, settle,
};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::claim;
use crate::error;
use crate::ring::{Ring, RingTransport};
use crate::values::Outcome;

/// A party of a session.
///
/// The calls that wait for the peer return nothing. In an engine that suspends them, the glue's functions
/// come back before they are done, with nothing to read: `result` says afterwards what came of the call.
#[wasm_bindgen]
pub struct Party {
    named: Named,
    statement: Box<dyn Instance>,
    settings: Settings,
    verifies: bool,
    /// Until the session is set up.
    channel: Option<(Ring, Limits)>,
    /// From then on.
    role: Option<Role>,
    counter: Arc<Counter>,
    outcome: Outcome,
}

enum Role {
    Prover(Box<Prover<Wire>>),
    Verifier(Box<Verifier<Wire>>),
}

#[derive(Clone, Copy)]
struct Settings {
    options: Options,
    rho: Option<u16>,
}

impl Settings {
    fn settle<'a>(&self, statement: &'a dyn Instance) -> Result<Settled<'a>, Error> {
        settle(statement, self.options, self.rho)
    }
}

/// Counts committed values, and tells JavaScript of them now and then.
#[derive(Default)]
struct Counter {
    committed: AtomicU64,
    told: AtomicU64,
}

thread_local! {
    /// Whom this worker tells: a function of the number of values committed to.
    static LISTENER: std::cell::RefCell<Option<Function>> = const { std::cell::RefCell::new(None) };
}

/// Values between two reports.
const STRIDE: u64 = 1 << 14;

impl Progress for Counter {
    fn committed(&self, values: u64) {
        let committed = self.committed.fetch_add(values, Ordering::Relaxed) + values;
        if committed >= self.told.load(Ordering::Relaxed) + STRIDE {
            self.tell(committed);
        }
    }
}

impl Counter {
    fn tell(&self, committed: u64) {
        self.told.store(committed, Ordering::Relaxed);
        LISTENER.with(|listener| {
            if let Some(listener) = &*listener.borrow() {
                // A listener that throws does not stop a proof.
                let _ = listener.call1(&JsValue::NULL, &JsValue::from_f64(committed as f64));
            }
        });
    }
}

#[wasm_bindgen]
impl Party {
    /// A party that talks over `ring`. `claim` and `options` are as `normal.js` makes them.
    #[wasm_bindgen(constructor)]
    pub fn new(ring: Ring, verifies: bool, claim: &JsValue, options: &JsValue) -> Result<Party, JsValue> {
        let named = claim::named(claim)?;
        let statement = load(&named).map_err(|error| error::of(&error))?;
        Ok(Self {
            named,
            statement,
            settings: Settings::of(options)?,
            verifies,
            channel: Some((ring, Limits::of(options))),
            role: None,
            counter: Arc::default(),
            outcome: Outcome::default(),
        })
    }

    /// Shakes hands and sets the correlations up, once.
    #[wasm_bindgen(js_name = setUp)]
    pub fn set_up(&mut self) {
        let started = self.start();
        self.outcome.keep(started.map(|()| JsValue::UNDEFINED));
    }

    /// The number of values that a proof of the claim commits to.
    pub fn commitments(&self) -> Option<f64> {
        let settled = self.settings.settle(&*self.statement).ok()?;
        settled.commitments().ok().flatten().map(|count| count as f64)
    }

    /// Proves the claim with this witness, and tells `listener` how many values are committed to. `result`
    /// says what the proof took.
    pub fn prove(&mut self, witness: &JsValue, listener: Option<Function>) {
        let proved = self.proved(witness, listener);
        self.outcome.keep(proved);
    }

    /// Verifies a proof of the claim. Tells `listener` the same, and so does `result`.
    pub fn verify(&mut self, listener: Option<Function>) {
        let verified = self.verified(listener);
        self.outcome.keep(verified);
    }

    /// What came of the last call of `setUp`, `prove` or `verify`. Throws its error.
    pub fn result(&mut self) -> Result<JsValue, JsValue> {
        self.outcome.take()
    }
}

impl Party {
    fn start(&mut self) -> Result<(), JsValue> {
        let channel = self.channel.take().ok_or_else(|| error::claim("this party is set up already"))?;
        let role = self.settings.start(self.verifies, &*self.statement, channel, &self.counter);
        self.role = Some(role.map_err(|error| error::of(&error))?);
        Ok(())
    }

    fn proved(&mut self, witness: &JsValue, listener: Option<Function>) -> Result<JsValue, JsValue> {
        let witness = claim::witness(witness)?;
        let known = load(&self.named).and_then(|statement| statement.with_witness(&witness));
        let known = known.map_err(|error| error::of(&error))?;
        let Some(Role::Prover(prover)) = &mut self.role else {
            return Err(error::claim("this party does not prove"));
        };
        // A wrong witness ends nothing: nothing is sent for it.
        known.check().map_err(|error| error::of(&error.into()))?;
        let proved = listened(&self.counter, listener, |watch| {
            let settled = self.settings.settle(&*known)?;
            Ok(settled.prove(prover, watch, &mut os_rng()?)?)
        });
        report(proved.map_err(|error| explained(&*known, error)))
    }

    fn verified(&mut self, listener: Option<Function>) -> Result<JsValue, JsValue> {
        let Some(Role::Verifier(verifier)) = &mut self.role else {
            return Err(error::claim("this party does not verify"));
        };
        let proved = listened(&self.counter, listener, |watch| {
            let settled = self.settings.settle(&*self.statement)?;
            Ok(settled.verify(verifier, watch, &mut os_rng()?)?)
        });
        report(proved)
    }
}

/// Runs a proof that tells this listener.
fn listened(
    counter: &Arc<Counter>,
    listener: Option<Function>,
    proof: impl FnOnce(&Watch) -> Result<Proved, Error>,
) -> Result<Proved, Error> {
    counter.committed.store(0, Ordering::Relaxed);
    counter.told.store(0, Ordering::Relaxed);
    LISTENER.with(|place| *place.borrow_mut() = listener);
    let proved = proof(&Watch::new(Arc::clone(counter) as Arc<dyn Progress>));
    counter.tell(counter.committed.load(Ordering::Relaxed));
    LISTENER.with(|place| *place.borrow_mut() = None);
    proved
}

impl Settings {
    fn of(options: &JsValue) -> Result<Self, JsValue> {
        let get = |name: &str| Reflect::get(options, &JsValue::from_str(name)).unwrap_or_default();
        let profile = match get("profile").as_string().as_deref() {
            None | Some("lan") => Profile::Lan,
            Some("wan") => Profile::Wan,
            Some(_) => return Err(error::claim("`profile` is \"lan\" or \"wan\"")),
        };
        let fiat_shamir = get("fiatShamir").is_truthy();
        let rho = get("rho").as_f64().map(|rho| rho.clamp(0.0, 65535.0) as u16);
        Ok(Self { options: Options { profile, fiat_shamir, ..Options::default() }, rho })
    }

    fn start(
        &self,
        verifies: bool,
        statement: &dyn Instance,
        (ring, limits): (Ring, Limits),
        counter: &Arc<Counter>,
    ) -> Result<Role, Error> {
        let settled = self.settle(statement)?;
        if verifies {
            statement.complete()?;
        }
        let mut rng = os_rng()?;
        let channel: Box<dyn Channel + Send> = Box::new(Framed::new(RingTransport::new(ring), limits));
        let wire = settled.wire(channel, &Watch::new(Arc::clone(counter) as Arc<dyn Progress>));
        Ok(if verifies {
            Role::Verifier(Box::new(Verifier::start(wire, self.options, &mut rng)?))
        } else {
            // The witness is checked before each proof, so it is not evaluated once more.
            Role::Prover(Box::new(Prover::start(wire, self.options, &mut rng)?.without_evaluation()))
        })
    }
}

/// What JavaScript may change of a channel's limits.
trait Of {
    fn of(options: &JsValue) -> Self;
}

impl Of for Limits {
    fn of(options: &JsValue) -> Self {
        let get = |name: &str| Reflect::get(options, &JsValue::from_str(name)).unwrap_or_default().as_f64();
        let mut limits = Self::default();
        if let Some(seconds) = get("timeout").and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
            (limits.read, limits.write) = (seconds, seconds);
        }
        limits
    }
}

/// What a proof took, for JavaScript.
fn report(proved: Result<Proved, Error>) -> Result<JsValue, JsValue> {
    let report = proved.map_err(|error| error::of(&error))?.report;
    let out = Object::new();
    for (name, value) in [
        ("soundness", report.soundness.bits()),
        ("seconds", report.time.as_secs_f64()),
        ("bytesSent", report.bytes_sent as f64),
        ("bytesReceived", report.bytes_received as f64),
        ("roundTrips", report.round_trips as f64),
        ("multiplications", report.tally.multiplications as f64),
    ] {
        Reflect::set(&out, &JsValue::from_str(name), &JsValue::from_f64(value))?;
    }
    Ok(out.into())
}
