//! What a website said, proved to a notary, which is the program: one request on one connection.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use volery::channel::tls::{Fingerprint, Trust, client_config};
use volery::channel::{tls::Tls, transport::Socket};
use volery::notary::{Greeting, Terms, Turn, Way, in_line};
use volery::web::attestation::{Context, Mode};
use volery::web::disclosure::{self, Preflight, Selection, Suite, TlsVersion, words};
use volery::web::joint::{self, RoundSizes, Sizes, client};
use volery::web::leaf::Seed;
use volery::web::proxy;
use volery::web::server::Roots;
use volery::{Address, Attested, Channel, Framed, Limits, Options, PageFault, ProvedPage, Prover, os_rng};
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
    host: String,
    port: u16,
    request: Zeroizing<Vec<u8>>,
    mode: Mode,
    notary: Notary,
    selection: Selection,
    context: Context,
    roots: Roots,
    tls: Option<TlsVersion>,
    expect: usize,
    wait: Option<Duration>,
    trust_close: bool,
    no_alpn: bool,
}

/// Who signs.
struct Notary {
    address: Address,
    trust: Trust,
    key: [u8; 32],
    token: Zeroizing<Vec<u8>>,
    time: Duration,
}

/// How long to wait for a website's next bytes if the caller does not say.
const USUAL_WAIT: Duration = Duration::from_secs(10);
/// How long to wait for a server in total, besides that: less than a notary waits for the prover.
const SERVER_TIME: Duration = Duration::from_secs(15);
/// What a notary needs besides waiting for a website, until its next message.
const MARGIN: Duration = Duration::from_secs(20);
/// The most bytes to receive.
const MAX_RECEIVED: usize = 16 << 20;

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
        let mode = match &*self.mode {
            "two-party" => Mode::TwoParty,
            "proxy" => Mode::Proxy,
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
        let (host, port, request) = (self.host, self.port, Zeroizing::new(self.request.to_vec()));
        // What cannot be proved of the request is refused before anybody gets it.
        Preflight { host: &host, port, requests: &request, rounds: 1 }
            .check(&selection)
            .map_err(|error| unprovable(&error))?;
        Ok(Task {
            host,
            port,
            request,
            mode,
            notary: Notary {
                address: address(&self.notary)?,
                trust,
                key: self.notary_key,
                token: Zeroizing::new(self.token.to_vec()),
                time: seconds("notary_timeout", self.notary_timeout)?,
            },
            selection,
            context: Context::new(&self.context).map_err(Failure::input)?,
            roots,
            tls,
            expect: self.expect,
            wait: self.timeout.map(|time| seconds("timeout", time)).transpose()?,
            trust_close: self.trust_close,
            no_alpn: self.no_alpn,
        })
    }
}

/// What a proof of a page leaves: the attestation, and what opens its commitments and leaves.
struct Signed {
    attestation: Vec<u8>,
    openings: Option<Zeroizing<Vec<u8>>>,
    leaves: Option<Zeroizing<Vec<u8>>>,
    response: Zeroizing<Vec<u8>>,
}

/// The attestation, openings, leaves, and all bytes of the response.
type Parts<'py> =
    (Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>, Option<Bound<'py, PyBytes>>, Bound<'py, PyBytes>);

/// Fetches a page together with a notary, and proves what is said of it.
#[pyfunction]
pub(crate) fn prove_web<'py>(py: Python<'py>, wanted: Wanted<'py>) -> PyResult<Parts<'py>> {
    let (task, stop) = (wanted.task()?, Arc::new(Stop::default()));
    let stopping = Arc::clone(&stop);
    let signed = interruptible(py, &stop, &|_| Ok(()), move || task.run(&stopping))??;
    let bytes = |bytes: &Zeroizing<Vec<u8>>| PyBytes::new(py, bytes);
    Ok((
        PyBytes::new(py, &signed.attestation),
        signed.openings.as_ref().map(bytes),
        signed.leaves.as_ref().map(bytes),
        bytes(&signed.response),
    ))
}

impl Task {
    fn longest_wait(&self) -> Duration {
        self.wait.unwrap_or(USUAL_WAIT)
    }

    fn run(&self, stop: &Stop) -> Result<Signed, Failure> {
        // A server that cannot be served is found out before the notary is called.
        let protocol = match self.mode {
            Mode::Proxy => None,
            Mode::TwoParty => Some(self.probe()?),
        };
        let Notary { address, trust, key, token, time } = &self.notary;
        let read = Limits::default().read.max(self.longest_wait().saturating_add(MARGIN));
        let limits = Limits { connect: *time, read, ..Limits::default() };
        let socket = Socket::connect(address, *time)?;
        stop.guard(&socket);
        let host = match address {
            Address::Tcp { host, .. } => host.clone(),
            Address::Unix(_) => "localhost".to_owned(),
        };
        let config = client_config(trust).map_err(Failure::input)?;
        let mut channel = Framed::new(Tls::connect(socket, config, &host, &limits)?, limits);
        let way = match self.mode {
            Mode::TwoParty => Way::TwoParty,
            Mode::Proxy => Way::Proxy,
        };
        Greeting { way, token: token.clone() }.send(&mut channel)?;
        let told = OnceLock::new();
        let channel = in_line(channel, |turn| {
            if let Turn::Begins(terms) = turn {
                // It is said once.
                let _ = told.set(terms);
            }
        });
        let prover = Prover::start(channel, Options::default(), &mut os_rng()?)?;
        let terms = told.get().ok_or_else(|| Failure::session("the notary has not told its limits"))?;
        let wait = self.wait.unwrap_or(USUAL_WAIT.min(Duration::from_secs(terms.wait.into())));
        if wait > Duration::from_secs(terms.wait.into()) {
            return Err(Failure::Session(format!(
                "timeout: the notary waits at most {} s for a website",
                terms.wait
            )));
        }
        let (page, response) = match protocol {
            None => self.relayed(prover, wait)?,
            Some(protocol) => self.together(prover, protocol, terms, wait)?,
        };
        let Attested { attestation, openings, leaves, .. } = page.attestation(key)?;
        Ok(Signed {
            attestation: attestation.to_bytes(),
            openings: openings.map(|openings| openings.to_bytes()),
            leaves: leaves.map(|leaves| leaves.to_bytes()),
            response,
        })
    }

    /// The server as two parties see it.
    fn target(&self, idle: Duration, received: usize) -> client::Target<'_> {
        let total = SERVER_TIME.saturating_add(idle);
        let limits =
            client::ConnectionLimits { received, idle, total, ..client::ConnectionLimits::default() };
        client::Target {
            host: &self.host,
            roots: &self.roots,
            probed: self.tls.is_none(),
            limits,
            no_alpn: self.no_alpn,
        }
    }

    /// The version of TLS and the cipher suite for which two parties prepare the connection.
    fn probe(&self) -> Result<(TlsVersion, Suite), Failure> {
        let target = self.target(self.longest_wait(), MAX_RECEIVED);
        let mut found = Err(client::Failure::NothingInCommon);
        for suite in &joint::SUITES {
            found = client::dial(&self.host, self.port, &target.limits)
                .and_then(|stream| client::probe(stream, &target, self.tls, *suite));
            if found != Err(client::Failure::NothingInCommon) {
                break;
            }
        }
        let found = found.map_err(joint::Error::from).map_err(volery::Error::from)?;
        Ok((found.version, found.suite))
    }

    fn relayed<C: Channel>(
        &self,
        mut prover: Prover<C>,
        wait: Duration,
    ) -> Result<(ProvedPage<C>, Zeroizing<Vec<u8>>), Failure> {
        let (host, port, roots, version) = (&*self.host, self.port, &self.roots, self.tls);
        let target =
            proxy::Target { host, port, roots, max_received: MAX_RECEIVED, wait, version, suite: None };
        let mut fetched = prover.fetch(&target, &self.request)?;
        fetched.set_context(self.context.clone());
        if self.trust_close {
            fetched.trust_close();
        }
        if self.selection.commit_all {
            fetched.commit_all(Seed::new(&mut os_rng()?));
        }
        let hide = fetched.select(&self.selection).map_err(volery::Error::from).map_err(of_page)?;
        let response = Zeroizing::new(fetched.response().to_vec());
        let proved = prover.prove_web(&fetched, &hide, &mut os_rng()?).map_err(of_page)?;
        Ok((proved.0, response))
    }

    fn together<C: Channel + Send>(
        &self,
        prover: Prover<C>,
        (tls, suite): (TlsVersion, Suite),
        terms: &Terms,
        wait: Duration,
    ) -> Result<(ProvedPage<C>, Zeroizing<Vec<u8>>), Failure> {
        if self.no_alpn && !terms.no_alpn {
            return Err(Failure::session(
                "no_alpn: the notary does not take part in connections without a named protocol",
            ));
        }
        if self.request.len() > terms.request as usize {
            return Err(Failure::Session(format!(
                "the request is longer than the {} bytes that the notary takes",
                terms.request
            )));
        }
        // What can be proved later is not prepared beyond the notary's limit.
        let proved = self.expect.min(terms.proved as usize);
        let rounds = vec![RoundSizes { query: self.request.len(), read: 0 }];
        let prepared = prover.prepare_web(Sizes { tls, suite, rounds, proved }, os_rng()?)?;
        let target = self.target(wait, MAX_RECEIVED.min(terms.received as usize));
        let mut fetched = prepared.fetch(&target, self.port, &self.request)?;
        fetched.set_context(self.context.clone());
        if self.trust_close {
            fetched.trust_close()?;
        }
        if self.selection.commit_all {
            fetched.commit_all(Seed::new(&mut os_rng()?));
        }
        let hide = fetched.select(&self.selection).map_err(of_page)?;
        let response = Zeroizing::new(fetched.response().to_vec());
        Ok((fetched.prove(&hide).map_err(of_page)?, response))
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
