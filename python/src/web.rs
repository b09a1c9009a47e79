//! What a website said, proved to a notary, which is the program: one request on one connection.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use volery::channel::tls::{Fingerprint, Trust, client_config};
use volery::channel::{tls::Tls, transport::Socket};
use volery::notary::Way;
use volery::visit::{self, Round, Unmet, Visit, Visited};
use volery::web::attestation::Context;
use volery::web::disclosure::{self, Selection, TlsVersion, words};
use volery::web::server::Roots;
use volery::{Address, Framed, Limits, PageFault};
use zeroize::Zeroizing;

use crate::connection::{address, seconds};
use crate::failure::Failure;
use crate::worker::{Stop, interruptible};

/// What a prover gives: the keywords of `volery.web.prove`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted<'py> {
    host: String,
    port: u16,
    /// The whole HTTP request; it may hold secrets.
    request: Bound<'py, PyByteArray>,
    mode: String,
    notary: String,
    notary_key: [u8; 32],
    notary_ca: Option<String>,
    notary_pin: Option<String>,
    token: Bound<'py, PyByteArray>,
    hide: Vec<String>,
    claims: Vec<String>,
    commit: Vec<String>,
    /// With a list all else of the response is hidden, also with an empty one.
    reveal: Option<Vec<String>>,
    show_rest: bool,
    commit_all: bool,
    context: Vec<u8>,
    roots: Vec<PathBuf>,
    tls: Option<String>,
    expect: usize,
    timeout: Option<f64>,
    notary_timeout: f64,
    trust_close: bool,
    no_alpn: bool,
}

/// The same, looked at.
struct Task {
    visit: Visit,
    request: Zeroizing<Vec<u8>>,
    notary: Notary,
}

/// Who signs, and how to reach it.
struct Notary {
    address: Address,
    trust: Trust,
    known: visit::Notary,
    time: Duration,
}

impl Wanted<'_> {
    fn task(self) -> Result<Task, Failure> {
        let trust = match (self.notary_ca, self.notary_pin) {
            (Some(_), Some(_)) => return Err(Failure::input("give notary_ca or notary_pin, not both")),
            (Some(path), None) => Trust::Roots(path.into()),
            (None, Some(pin)) => {
                let pin = pin.parse::<Fingerprint>();
                Trust::Pin(pin.map_err(|error| Failure::Input(format!("notary_pin: {error}")))?)
            }
            (None, None) => Trust::Key(self.notary_key),
        };
        let way = match &*self.mode {
            "two-party" => Way::TwoParty,
            "proxy" => Way::Proxy,
            other => {
                let reason = format!("mode: \"two-party\" or \"proxy\", not \"{other}\"");
                return Err(Failure::Input(reason));
            }
        };
        let tls = match self.tls.as_deref() {
            None => None,
            Some("1.2") => Some(TlsVersion::Tls12),
            Some("1.3") => Some(TlsVersion::Tls13),
            Some(other) => return Err(Failure::Input(format!("tls: \"1.2\" or \"1.3\", not \"{other}\""))),
        };
        let mut roots = Roots::public();
        for path in &self.roots {
            let failed = |reason: String| Failure::Input(format!("{}: {reason}", path.display()));
            let text = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
            roots.add_pem(&text).map_err(|error| failed(error.to_string()))?;
        }
        let reveal = self.reveal.as_deref();
        let selection = words::parse(&self.hide, &self.claims, &self.commit, reveal, Vec::new());
        let (show_rest, commit_all) = (self.show_rest, self.commit_all);
        let selection = Selection { show_rest, commit_all, ..selection.map_err(Failure::input)? };
        let request = Zeroizing::new(self.request.to_vec());
        let visit = Visit {
            expect: self.expect,
            roots,
            tls,
            no_alpn: self.no_alpn,
            trust_close: self.trust_close,
            wait: self.timeout.map(|time| seconds("timeout", time)).transpose()?,
            selection,
            context: Context::new(&self.context).map_err(Failure::input)?,
            ..Visit::new(self.host, self.port, way, vec![Round::alone(request.len())])
        };
        // What cannot be proved of the request is refused before anybody gets it.
        visit.preflight(&request).map_err(failure)?;
        let notary = Notary {
            address: address(&self.notary)?,
            trust,
            known: visit::Notary { key: self.notary_key, token: Zeroizing::new(self.token.to_vec()) },
            time: seconds("notary_timeout", self.notary_timeout)?,
        };
        Ok(Task { visit, request, notary })
    }
}

/// The attestation, openings, leaves, and all bytes of the response.
type Parts<'py> =
    (Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>, Option<Bound<'py, PyBytes>>, Bound<'py, PyBytes>);

/// Fetches a page together with a notary, and proves what is said of it.
#[pyfunction]
pub(crate) fn prove_web<'py>(py: Python<'py>, wanted: Wanted<'py>) -> PyResult<Parts<'py>> {
    let (task, stop) = (wanted.task()?, Arc::new(Stop::default()));
    let stopping = Arc::clone(&stop);
    let visited = interruptible(py, &stop, &|_| Ok(()), move || task.run(&stopping))??;
    let Visited { attestation, openings, leaves, response, .. } = visited;
    let bytes = |bytes: Zeroizing<Vec<u8>>| PyBytes::new(py, &bytes);
    Ok((
        PyBytes::new(py, &attestation.to_bytes()),
        openings.map(|openings| bytes(openings.to_bytes())),
        leaves.map(|leaves| bytes(leaves.to_bytes())),
        bytes(response),
    ))
}

impl Task {
    fn run(&self, stop: &Stop) -> Result<Visited, Failure> {
        let Self { visit, request, notary } = self;
        // A server that cannot be served is found out before the notary is called.
        let probe = visit.probe(&()).map_err(failure)?;
        let Notary { address, trust, known, time } = notary;
        let read = Limits::default().read.max(visit.patience());
        let limits = Limits { connect: *time, read, ..Limits::default() };
        let socket = Socket::connect(address, *time)?;
        stop.guard(&socket);
        let host = match address {
            Address::Tcp { host, .. } => host.clone(),
            Address::Unix(_) => "localhost".to_owned(),
        };
        let config = client_config(trust).map_err(Failure::input)?;
        let channel = Framed::new(Tls::connect(socket, config, &host, &limits)?, limits);
        let mut ask = |_: usize, _: &_| Ok(request.clone());
        visit.prove(channel, known, probe, &mut ask, &()).map_err(failure)
    }
}

/// The failure of a visit, with the caller's names of what the notary does not allow.
fn failure(error: visit::Error) -> Failure {
    match error {
        visit::Error::Session(error) => error.into(),
        visit::Error::Unmet(unmet) => Failure::Session(match unmet {
            Unmet::Wait { .. } => format!("timeout: {unmet}"),
            Unmet::NoAlpn => format!("no_alpn: {unmet}"),
            Unmet::Requests { limit, .. } => {
                format!("the request is longer than the {limit} bytes that the notary takes")
            }
            unmet => unmet.to_string(),
        }),
        visit::Error::Unprovable(error) => unprovable(&error),
        visit::Error::Selection(error) | visit::Error::Page(error) => of_page(error),
        error => Failure::session(error),
    }
}

/// The failure of saying something about a page that was fetched: what the caller wants to show or claim may
/// not fit the page, or not be true.
fn of_page(error: volery::Error) -> Failure {
    match PageFault::of(&error) {
        PageFault::NotTrue(reason) => untrue(&error, reason),
        PageFault::Page(_) => Failure::input(error),
        PageFault::Session => error.into(),
    }
}

/// The failure of what is known not to be provable.
fn unprovable(error: &disclosure::Error) -> Failure {
    match error {
        disclosure::Error::NotTrue(reason) => untrue(error, reason),
        error => Failure::input(error),
    }
}

/// The failure of a claim that is not true.
fn untrue(error: &dyn std::error::Error, reason: &str) -> Failure {
    Failure::Unsatisfied {
        message: error.to_string(),
        place: reason.to_owned(),
        assertion: None,
        claimed: None,
    }
}
