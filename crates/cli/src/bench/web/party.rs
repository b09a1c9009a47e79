//! The three processes of a measurement.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use volery::visit::{MAX_RECEIVED, USUAL_WAIT};
use volery::web::Side;
use volery::web::attestation::SigningKey;
use volery::web::claim::{Assertion, Interval};
use volery::web::disclosure::{Part, Redaction, Suite, TlsVersion};
use volery::web::joint::{self, Sizes, client};
use volery::web::proxy::Target;
use volery::web::proxy::relay::Rules;
use volery::web::server::Roots;
use volery::{Address, Channel, Limits, Listener, Options, ProvedPage, Prover, Verifier, connect, os_rng};
use volery_channel::{Framed, Stats};

use super::network::{Network, Node};
use crate::args::{CipherArg, ModeArg, TlsArg};
use crate::bench::party::peak_memory;
use crate::failure::Failure;
use crate::output;
use crate::web::Site;

/// The task of a process, which it reads as one line of standard input.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Task {
    Serve(WebsiteTask),
    Watch(NotaryTask),
    Fetch(ProverTask),
}

/// The website's task.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WebsiteTask {
    pub(super) listen: String,
    /// The name on its certificate.
    pub(super) host: String,
}

/// The notary's task.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NotaryTask {
    pub(super) listen: String,
    /// The website's port.
    pub(super) port: u16,
    /// The website's certificate.
    pub(super) root: String,
    pub(super) mode: ModeArg,
}

/// The prover's task.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ProverTask {
    /// The address of the notary.
    pub(super) connect: String,
    /// The host of the website.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) root: String,
    pub(super) extent: Extent,
    pub(super) mode: ModeArg,
    pub(super) tls: TlsArg,
    pub(super) cipher: CipherArg,
    /// Whether to commit to the page.
    pub(super) commit: bool,
}

/// How many bytes to fetch, and how many of them to prove.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Extent {
    pub(super) query: u64,
    pub(super) response: u64,
    /// The length of the response's head, if only that is proved.
    pub(super) proved: Option<u64>,
}

impl Extent {
    /// The number of bytes of the response to prove.
    pub(super) fn proved(&self) -> u64 {
        self.proved.unwrap_or(self.response)
    }
}

/// The line that a listening party prints.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Listening {
    pub(super) address: String,
    /// The website's certificate.
    pub(super) root: Option<String>,
}

/// The time and the bytes of a phase, both directions together.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PhaseCost {
    pub(super) seconds: f64,
    pub(super) bytes: u64,
    pub(super) round_trips: u64,
}

/// The measurements of the prover.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ProverResult {
    /// Before the connection to the website opens.
    pub(super) setup: PhaseCost,
    /// While the connection is open.
    pub(super) online: PhaseCost,
    /// From the end of the connection to the attestation.
    pub(super) proof: PhaseCost,
    pub(super) bytes_sent: u64,
    pub(super) rss_mb: Option<f64>,
}

/// The measurements of the notary.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NotaryResult {
    pub(super) bytes_sent: u64,
    pub(super) rss_mb: Option<f64>,
}

/// How long a notary waits for its prover to start.
const START_TIME: Duration = Duration::from_secs(60);
/// The most bytes of a response. Records add a little to that.
pub(super) const MAX_RESPONSE: u64 = 15 << 20;
/// The signing key, which is no secret.
const KEY: [u8; 32] = [7; 32];

/// A running process. Dropping this kills it.
pub(super) struct Process {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Process {
    pub(super) fn spawn(link: &Network, place: Node, task: &Task) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::session(format!("another process: {error}"));
        let missing = || Failure::session("a process without input and output");
        let mut command = link.command(place)?;
        command.arg("bench-web-party").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let line = serde_json::to_string(task).map_err(Failure::session)?;
        let mut stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let party = Self { child, lines: BufReader::new(stdout) };
        writeln!(stdin, "{line}").map_err(failed)?;
        Ok(party)
    }

    pub(super) fn line<T: DeserializeOwned>(&mut self) -> Result<T, Failure> {
        let mut line = String::new();
        match self.lines.read_line(&mut line) {
            Ok(length) if length > 0 => {}
            _ => return Err(Failure::session("a party of the measurement gave up; its message is above")),
        }
        serde_json::from_str(&line).map_err(|error| Failure::session(format!("a party's result: {error}")))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended by itself, unless it is the website or something failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs one process of a measurement.
pub(crate) fn party() -> Result<(), Failure> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(Failure::input)?;
    match serde_json::from_str(&line).map_err(Failure::input)? {
        Task::Serve(task) => serve(&task),
        Task::Watch(task) => watch(&task),
        Task::Fetch(task) => fetch(&task),
    }
}

fn serve(task: &WebsiteTask) -> Result<(), Failure> {
    let site = Site::new(&task.listen, &[&task.host])?;
    output::json(&Listening { address: site.address()?.to_string(), root: Some(site.root().to_owned()) })?;
    site.serve(answer);
    Ok(())
}

fn roots(pem: &str) -> Result<Roots, Failure> {
    let mut roots = Roots::none();
    roots.add_pem(pem.as_bytes()).map_err(Failure::input)?;
    Ok(roots)
}

fn watch(task: &NotaryTask) -> Result<(), Failure> {
    let roots = roots(&task.root)?;
    let rules = Rules { private: true, ports: vec![task.port], ..Rules::default() };
    let (mut rng, limits) = (os_rng()?, Limits::default());
    let listener = Listener::bind(&task.listen.parse::<Address>()?)?;
    output::json(&Listening { address: listener.address()?.to_string(), root: None })?;
    let socket = listener.accept(Some(START_TIME))?.ok_or_else(|| Failure::session("no prover came"))?;
    let mut verifier = Verifier::start(Framed::new(socket, limits), Options::default(), &mut rng)?;
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_err(Failure::session);
    let page = match task.mode {
        ModeArg::TwoParty => {
            let (query, read, proved) = (joint::MAX_QUERY, joint::MAX_READ, joint::MAX_PROVED);
            let limits = joint::Limits {
                query,
                read,
                proved,
                received: MAX_RECEIVED,
                ports: vec![task.port],
                ..joint::Limits::default()
            };
            let watched = verifier.prepare_web(limits, &mut rng)?.watch(&mut rng)?;
            watched.verify(&roots, now()?.as_secs(), &mut rng)?
        }
        ModeArg::Proxy => {
            let relayed = verifier.relay(&rules)?;
            verifier.verify_web(&relayed, &roots, now()?.as_secs(), &mut rng)?.0
        }
    };
    let signed = page.attest(&SigningKey::from_bytes(&KEY))?;
    output::json(&NotaryResult { bytes_sent: signed.stats.bytes_sent, rss_mb: peak_memory() })
}

fn fetch(task: &ProverTask) -> Result<(), Failure> {
    let (mut rng, query) = (os_rng()?, query(task)?);
    let mut clock = PhaseClock { time: Instant::now(), stats: Stats::default() };
    let channel = connect(&task.connect.parse::<Address>()?, &Limits::default())?;
    let prover = Prover::start(channel, Options::default(), &mut rng)?;
    let (page, [setup, online]) = match task.mode {
        ModeArg::TwoParty => together(task, prover, query.as_bytes(), &mut clock)?,
        ModeArg::Proxy => relayed(task, prover, query.as_bytes(), &mut clock)?,
    };
    let stats = page.attestation(&SigningKey::from_bytes(&KEY).verifying_key().to_bytes())?.stats;
    let proof = clock.phase(stats);
    output::json(&ProverResult { setup, online, proof, bytes_sent: stats.bytes_sent, rss_mb: peak_memory() })
}

/// A proved page, and the first two phases.
type Fetched<C> = (ProvedPage<C>, [PhaseCost; 2]);

fn together<C: Channel + Send>(
    task: &ProverTask,
    prover: Prover<C>,
    query: &[u8],
    clock: &mut PhaseClock,
) -> Result<Fetched<C>, Failure> {
    let roots = roots(&task.root)?;
    let proved = usize::try_from(task.extent.proved()).map_err(Failure::input)?.min(joint::MAX_PROVED);
    // The website speaks both.
    let tls = Option::from(task.tls).unwrap_or(TlsVersion::Tls13);
    let suite = Option::from(task.cipher).unwrap_or(Suite::Aes128GcmSha256);
    let sizes = Sizes { tls, suite, ..Sizes::one(query.len(), proved) };
    let prepared = prover.prepare_web(sizes, os_rng()?)?;
    let setup = clock.phase(prepared.stats());
    let target = client::Target {
        host: &task.host,
        roots: &roots,
        probed: false,
        limits: client::ConnectionLimits::default(),
        no_alpn: false,
    };
    let fetched = prepared.fetch(&target, task.port, query)?;
    let online = clock.phase(fetched.stats());
    Ok((fetched.prove(&hidden(task))?, [setup, online]))
}

fn relayed<C: Channel>(
    task: &ProverTask,
    mut prover: Prover<C>,
    query: &[u8],
    clock: &mut PhaseClock,
) -> Result<Fetched<C>, Failure> {
    let roots = roots(&task.root)?;
    let setup = clock.phase(prover.channel().stats());
    let (max_received, version, suite) = (MAX_RECEIVED, task.tls.into(), task.cipher.into());
    let (host, port, wait) = (&*task.host, task.port, USUAL_WAIT);
    let target = Target { host, port, roots: &roots, max_received, wait, version, suite };
    let fetched = prover.fetch(&target, query)?;
    let online = clock.phase(prover.channel().stats());
    let (page, _) = prover.prove_web(&fetched, &hidden(task), &mut os_rng()?)?;
    Ok((page, [setup, online]))
}

/// The time and the counters at the end of the last phase.
struct PhaseClock {
    time: Instant,
    stats: Stats,
}

impl PhaseClock {
    fn phase(&mut self, stats: Stats) -> PhaseCost {
        let (time, before) = (Instant::now(), core::mem::replace(&mut self.stats, stats));
        let seconds = (time - core::mem::replace(&mut self.time, time)).as_secs_f64();
        let new = stats - before;
        PhaseCost { seconds, bytes: new.bytes_sent + new.bytes_received, round_trips: new.round_trips }
    }
}

/// Makes a query of the size of the task. It tells the website the length of the response, and the length of
/// its head if the task sets that.
fn query(task: &ProverTask) -> Result<String, Failure> {
    let ProverTask { host, port, extent: Extent { query, response, proved }, .. } = task;
    let head = proved.map(|head| format!("/{head}")).unwrap_or_default();
    let base = format!(
        "GET /{response}{head} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\nAccept-Encoding: identity\r\n\
         Cookie: session=0123456789abcdef\r\nX-Padding: "
    );
    padded(base, "\r\n\r\n", *query)
        .ok_or_else(|| Failure::input(format!("{query} bytes are too few for a query")))
}

/// Makes the page: a balance, and padding up to the length that the query asks for.
fn answer(request: &[u8]) -> Vec<u8> {
    let request = String::from_utf8_lossy(request);
    let target = request.strip_prefix("GET /").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let mut numbers = target.split('/').map(|part| part.parse().ok().filter(|size| *size <= MAX_RESPONSE));
    let size = numbers.next().flatten().unwrap_or_default();
    match numbers.next().flatten() {
        Some(head) => headed(head, size.saturating_sub(head)),
        None => whole(size),
    }
    .into_bytes()
}

/// Makes a response of this length, with the balance in its body.
fn whole(size: u64) -> String {
    let head =
        |length: u64| format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    // The body takes the rest. The head's length depends on it by some digits.
    let least = size.saturating_sub(head(size).len() as u64);
    let length = (least..=size).take_while(|length| head(*length).len() as u64 + length <= size).last();
    let body = padded(r#"{"balance": 5120, "padding": ""#.to_owned(), "\"}", length.unwrap_or(least));
    let body = body.unwrap_or_default();
    head(body.len() as u64) + &body
}

/// Makes a response with a head of this length, which has the balance, and a body of this length.
fn headed(head: u64, body: u64) -> String {
    let start = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {body}\r\nConnection: close\r\nX-Balance: 5120\r\nX-Padding: "
    );
    let mut response = padded(start, "\r\n\r\n", head).unwrap_or_default();
    response.extend(core::iter::repeat_n('b', usize::try_from(body).unwrap_or_default()));
    response
}

/// Pads a text between its start and its end to this length; none if they do not fit.
fn padded(mut start: String, end: &str, length: u64) -> Option<String> {
    let fill = usize::try_from(length).ok()?.checked_sub(start.len() + end.len())?;
    start.extend(core::iter::repeat_n('p', fill));
    start.push_str(end);
    Some(start)
}

/// The hidden parts: the cookie, and the balance with the claim that it is at least 5000. The rest is all
/// shown, so all of it is proved; or the body is hidden without a claim. With commitments, the whole body is
/// hidden and committed to instead.
fn hidden(task: &ProverTask) -> Vec<Redaction> {
    let claims = vec![Assertion::Number(Interval::at_least(5000))];
    let cookie = Redaction::new(Side::Client, Part::Header("Cookie".into()));
    let body = Redaction::new(Side::Server, Part::Body);
    let balance = |part| Redaction { claims, ..Redaction::new(Side::Server, part) };
    match task.extent.proved {
        _ if task.commit => vec![cookie, Redaction { commit: true, ..body }],
        None => vec![cookie, balance(Part::Json("balance".into()))],
        Some(_) => vec![cookie, balance(Part::Header("X-Balance".into())), body],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_and_responses_have_the_size_asked_for() {
        let written = |extent: Extent| {
            let (connect, host, root) = (String::new(), "198.18.0.9".into(), String::new());
            let mode = ModeArg::Proxy;
            let (tls, cipher) = (TlsArg::Tls12, CipherArg::Aes128);
            let task =
                ProverTask { connect, host, port: 65_535, root, extent, mode, tls, cipher, commit: false };
            let query = query(&task).expect("long enough");
            assert_eq!(query.len() as u64, extent.query);
            let answer = answer(query.as_bytes());
            assert_eq!(answer.len() as u64, extent.response);
            String::from_utf8(answer).expect("text")
        };
        for query in super::super::SIZES.into_iter().chain([1000, 1085, 1086, 1 << 16]) {
            written(Extent { query, response: query, proved: None });
            written(Extent { query: 300, response: query, proved: None });
            let response = written(Extent { query, response: query + (1 << 18), proved: Some(query) });
            assert_eq!(response.find("\r\n\r\n"), Some(query as usize - 4));
        }
        for request in ["", "GET /x HTTP/1.1", "GET /99999999999 HTTP/1.1"] {
            assert!(answer(request.as_bytes()).starts_with(b"HTTP/1.1 200"), "{request}");
        }
    }
}
