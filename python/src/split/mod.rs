//! Statements in shards: this party's coordinator, whose workers somebody else starts, and its workers.
//!
//! ```text
//! Python: prove_split(session, statement, settings, launch)       Python, in another process: split_worker
//!   a lot server, whose invitations `launch` hands to workers     --->    comes with its invitation
//!   the session's prove_split or verify_split                <->    the lot, the job; tags or keys
//! ```
//!
//! ```text
//! whole      the statements
//! proof      the two coordinators
//! watched    how far they are
//! ```

mod proof;
mod watched;
mod whole;

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use volery::Limits;
use volery::split::Settings;
use volery::split::remote::{Arrival, Invitation, Side, Times};

use crate::connection::{address, seconds};
use crate::failure::Failure;
use crate::session::{Session, is_prover};
use crate::worker::{Stop, interruptible, locked};
use proof::{Done, Proof};
use watched::{Progress, Told};
pub(crate) use whole::SplitStatement;
use whole::{Whole, preimage_sizes};

/// How a split statement is run at this party: the keywords of `prove` and `verify`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SplitSettings {
    retries: u32,
    lot_server: String,
    reached_at: Option<String>,
    arrive: f64,
    silence: f64,
    check: bool,
    meet: Vec<String>,
}

/// [`SplitSettings`], read.
struct Place {
    settings: Settings,
    lot_server: volery::Address,
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
            lot_server: address(&self.lot_server)?,
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

/// Proves or verifies a split statement, and returns what Python makes a `SplitReport` of. `launch` is called
/// with a shard's number and an invitation, and `progress` with the numbers of the proved shards and of the
/// workers that were lost, and with the sizes of all shards once those are known; it returns the invitations
/// with which nobody will come any more.
#[pyfunction]
pub(crate) fn run_split<'py>(
    py: Python<'py>,
    session: &Session,
    role: &str,
    statement: &SplitStatement,
    settings: SplitSettings,
    launch: Py<PyAny>,
    progress: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let is_prover = is_prover(role)?;
    let (whole, told) = (Arc::clone(&statement.0), Told::default());
    if let Whole::Preimage(whole) = &*whole {
        locked(&told.0).sizes = preimage_sizes(whole);
    }
    let proof = Proof { place: settings.read()?, launch, told: told.clone() };
    let tick = |_: Python<'_>| {
        let (proved, lost, sizes) = {
            let told = locked(&told.0);
            (told.proved.clone(), told.lost, told.sizes.clone())
        };
        let dead: Vec<String> = progress.call1((proved, lost, sizes))?.extract()?;
        Ok(told.strike_off(&dead)?)
    };
    let ended = session.during(py, &tick, move |state, terms| match is_prover {
        true => proof.prove(&whole, state, terms),
        false => proof.verify(&whole, state, terms),
    });
    if let Some(raised) = locked(&told.0).raised.take() {
        return Err(raised);
    }
    let (done, set_up) = ended?;
    let told = locked(&told.0);
    into_dict(py, &done, set_up, &told)
}

fn into_dict<'py>(
    py: Python<'py>,
    Done { outcome, run }: &Done,
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
    dict.set_item("run", run.as_ref().map(|run| serde_json::json!(run).to_string()))?;
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
    let work = move || {
        let side = match is_prover {
            true => Side::Prover,
            false => Side::Verifier { listen: &listen, reached_at: reached_at.as_deref() },
        };
        Ok(Arrival::come(&invitation, &limits)?.work(side)?)
    };
    // Its connections are its own: a worker that is interrupted ends with its process, or when its
    // coordinator does not want it any more.
    interruptible(py, &Stop::default(), &|_| Ok(()), work)?.map_err(|failure: Failure| failure.into())
}
