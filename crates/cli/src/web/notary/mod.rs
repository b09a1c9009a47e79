//! `volery notary`: the verifier of web pages, for many provers.
//!
//! | module | what it holds |
//! |---|---|
//! | [`key`] | the file of the signing key |
//! | [`token`] | access tokens of provers |
//! | [`memory`] | the memory that clients share |
//! | [`metrics`] | counts for Prometheus |
//! | [`http`] | one page over HTTP, for metrics and health |

mod http;
mod key;
mod local;
mod memory;
mod metrics;
mod token;

pub(super) use key::fresh as fresh_key;
pub(crate) use key::make as make_key;
pub(crate) use local::LocalNotary;
pub(super) use token::{Tokens, open as open_token};

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use volery::notary::Way;
use volery::web::attestation::contract::ContractKey;
use volery::web::attestation::{Mode, SigningKey, Statement};
use volery::web::joint::{Budget, Limits};
use volery::web::relay::{Rules, carrying};
use volery::web::server::Roots;
use volery::{Channel, Options, Verifier, notary, os_rng};
use volery_channel::{Stats, hex};

use super::{roots, terms};
use crate::args::{NotaryServeArgs, SessionLimitArgs};
use crate::connection::{Endpoint, Link, ListenerChannel};
use crate::failure::Failure;
use crate::outcome::{self, Good};
use crate::serve::{
    Capacity, FIRST_MESSAGE, Pace, Phase, SESSION_TIME, Service, Stop, catching_panics, client,
};
use crate::terminal;
use http::{HttpServer, Page};
use memory::Memory;
use metrics::Metrics;

/// Bytes of a session, both ways, unless the command line sets another limit.
const SESSION_BYTES: u64 = 1 << 30;

/// How long a session waits for its prover in each phase, not counting the time that bytes take at the
/// slowest rate.
#[derive(Clone, Copy)]
pub(super) struct PhaseTimes {
    set_up: Phase,
    preparation: Phase,
    connection: Phase,
    proof: Phase,
}

impl Default for PhaseTimes {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            set_up: Phase { what: "the total time (ms) of a prover in the set-up", time: seconds(20) },
            // The prover garbles circuits, which is seconds of work for the longest requests.
            preparation: Phase {
                what: "the total time (ms) of a prover in the preparation",
                time: seconds(60),
            },
            // The prover also waits for the website.
            connection: Phase {
                what: "the total time (ms) of a prover in the connection",
                time: seconds(90),
            },
            // The prover reads the response and proves.
            proof: Phase { what: "the total time (ms) of a prover in the proof", time: seconds(90) },
        }
    }
}

impl PhaseTimes {
    /// The times of a notary whose provers may wait this long for a website's next bytes.
    pub(super) fn waiting(wait: Duration) -> Self {
        let usual = Self::default();
        // It waits once for the connection and the first bytes, and once for what follows.
        let time = usual.connection.time.max(wait.saturating_mul(2).saturating_add(Duration::from_secs(70)));
        Self { connection: Phase { time, ..usual.connection }, ..usual }
    }
}

/// The rules for relaying if websites may take this long for their next bytes.
pub(super) fn rules(wait: Duration) -> Rules {
    let usual = Rules::default();
    let total = usual.total.max(wait.saturating_add(Duration::from_secs(50)));
    Rules { idle: wait, total, ..usual }
}

/// The settings of a notary.
pub(super) struct Notary {
    pub(super) key: SigningKey,
    /// The key that signs for contracts, if there is one.
    pub(super) contract_key: Option<ContractKey>,
    pub(super) roots: Roots,
    /// The limits of two-party sessions, and the rules for relaying.
    pub(super) limits: Limits,
    pub(super) rules: Rules,
    /// Whether it carries connections of two-party sessions, by the same rules.
    pub(super) carries: bool,
    pub(super) tokens: Tokens,
    pub(super) phases: PhaseTimes,
}

impl Notary {
    /// Receives a prover's request, and checks its token.
    pub(super) fn admit(&self, channel: &mut (impl Channel + ?Sized)) -> Result<Way, Failure> {
        let way = self.tokens.admit(channel)?;
        if way == Way::Carried && !self.carries {
            channel
                .fail("this notary carries no connections to websites; its operator allows it with --relay");
            return Err(Failure::session("a prover whose connection nobody is to carry (--relay)"));
        }
        Ok(way)
    }

    /// Runs one session with an admitted prover: takes part in the connection, relays or carries it, verifies
    /// the proof and signs. Its memory comes out of the budget.
    pub(super) fn session(
        &self,
        way: Way,
        channel: impl Channel,
        pace: &Pace,
        budget: &Budget,
    ) -> Result<Statement, Failure> {
        let rules = Rules { budget: budget.clone(), ..self.rules.clone() };
        match way {
            Way::Carried => self.attest(way.mode(), carrying(channel, rules.clone()), pace, (budget, &rules)),
            Way::TwoParty | Way::Proxy => self.attest(way.mode(), channel, pace, (budget, &rules)),
        }
    }

    fn attest(
        &self,
        mode: Mode,
        mut channel: impl Channel,
        pace: &Pace,
        (budget, rules): (&Budget, &Rules),
    ) -> Result<Statement, Failure> {
        let limits = Limits { budget: budget.clone(), ..self.limits.clone() };
        pace.begin(self.phases.set_up);
        let contract_signer = self.contract_key.as_ref().map(ContractKey::address);
        notary::begin(&mut channel, terms::of(&self.limits, &self.rules, contract_signer))?;
        let mut rng = os_rng()?;
        let mut verifier = Verifier::start(channel, Options::default(), &mut rng)?;
        let page = match mode {
            Mode::TwoParty => {
                pace.begin(self.phases.preparation);
                let prepared = verifier.prepare_web(limits, &mut rng)?;
                pace.begin(self.phases.connection);
                let watched = prepared.watch(&mut rng)?;
                pace.begin(self.phases.proof);
                watched.verify(&self.roots, now()?.as_secs(), &mut rng)?
            }
            Mode::Proxy => {
                pace.begin(self.phases.connection);
                let relayed = verifier.relay(rules)?;
                pace.begin(self.phases.proof);
                verifier.verify_web(&relayed, &self.roots, now()?.as_secs(), &mut rng)?.0
            }
        };
        let statement = page.proven().statement();
        match &self.contract_key {
            Some(contract_key) => page.attest_for_contracts(&self.key, contract_key)?,
            None => page.attest(&self.key)?,
        };
        statement.ok_or_else(|| Failure::session("internal error"))
    }
}

/// The time since 1970, as in attestations.
pub(super) fn now() -> Result<Duration, Failure> {
    SystemTime::now().duration_since(UNIX_EPOCH).map_err(Failure::session)
}

/// How a connection to the notary ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// The notary signed an attestation.
    Attested,
    /// The proof is wrong.
    Rejected,
    /// There was no verdict.
    Failed,
    /// There was no session: a client is over a limit, or the notary stops.
    Refused,
}

impl Ending {
    const ALL: [Self; 4] = [Self::Attested, Self::Rejected, Self::Failed, Self::Refused];

    fn name(self) -> &'static str {
        match self {
            Self::Attested => "attested",
            Self::Rejected => "rejected",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }
}

/// A line of the log: how a connection ended. Of the payload it has only the length.
#[derive(Serialize)]
struct LogEntry<'a> {
    /// Seconds since 1970, at the end.
    time: u64,
    /// How long it took.
    seconds: f64,
    peer: &'a str,
    server: Option<&'a str>,
    query_bytes: Option<u64>,
    response_bytes: Option<u64>,
    received_bytes: u64,
    sent_bytes: u64,
}

/// A notary that serves provers: logs and counts each connection.
struct NotaryService {
    notary: Notary,
    memory: Memory,
    metrics: Arc<Metrics>,
}

impl NotaryService {
    fn tell(
        &self,
        peer: &str,
        result: &Result<Statement, Failure>,
        ending: Ending,
        (time, stats): (Duration, Stats),
    ) -> Result<(), Failure> {
        let statement = result.as_ref().ok();
        let entry = LogEntry {
            time: now()?.as_secs(),
            seconds: time.as_secs_f64(),
            peer,
            server: statement.map(|statement| statement.server_name.as_str()),
            query_bytes: statement.map(|statement| statement.query.length),
            response_bytes: statement.map(|statement| statement.response.length),
            received_bytes: stats.bytes_received,
            sent_bytes: stats.bytes_sent,
        };
        match result {
            Ok(_) => outcome::json(Good::Accepted, &entry),
            Err(failure) => {
                let kind = if ending == Ending::Refused { "refused" } else { failure.kind() };
                outcome::json_failure(failure, kind, &entry)
            }
        }
    }
}

impl Service for NotaryService {
    type Request = Way;

    fn count(&self, waiting: bool) {
        self.metrics.count_waiting(waiting);
    }

    fn greet(&self, channel: &mut dyn ListenerChannel) -> Result<Way, Failure> {
        let way = self.notary.admit(channel)?;
        // The session's first message comes together with the request.
        channel.await_frame(FIRST_MESSAGE)?;
        Ok(way)
    }

    fn wait(&self, channel: &mut dyn ListenerChannel, before: usize) -> Result<(), Failure> {
        Ok(notary::wait(channel, before)?)
    }

    fn session(&self, Link { mut channel, peer }: Link, pace: &Pace, way: Way) -> Result<(), Failure> {
        let start = Instant::now();
        self.metrics.begin();
        let budget = self.memory.of(client(&peer));
        let result = catching_panics(|| self.notary.session(way, &mut channel, pace, &budget));
        let stats = channel.stats();
        let ending = match &result {
            Ok(_) => Ending::Attested,
            Err(failure) if failure.is_rejection() => Ending::Rejected,
            Err(_) => Ending::Failed,
        };
        let time = start.elapsed();
        self.metrics.end(ending, time, stats);
        self.tell(&peer, &result, ending, (time, stats))
    }

    fn failed(&self, peer: &str, failure: Failure) -> Result<(), Failure> {
        self.metrics.count(Ending::Failed);
        self.tell(peer, &Err(failure), Ending::Failed, (Duration::ZERO, Stats::default()))
    }

    fn refused(&self, peer: &str, reason: &str) -> Result<(), Failure> {
        self.metrics.count(Ending::Refused);
        let result = Err(Failure::session(reason));
        self.tell(peer, &result, Ending::Refused, (Duration::ZERO, Stats::default()))
    }

    fn dropped(&self) {
        self.metrics.count(Ending::Refused);
    }
}

/// The ports for programs that watch a notary.
struct Watched {
    metrics: Option<HttpServer>,
    health: Option<HttpServer>,
}

impl Watched {
    fn bind(args: &NotaryServeArgs) -> Result<Self, Failure> {
        let bind = |option, address: &Option<String>, path| {
            address.as_ref().map(|address| HttpServer::bind(option, address, path)).transpose()
        };
        Ok(Self {
            metrics: bind("--metrics", &args.metrics, "/metrics")?,
            health: bind("--health", &args.health, "/healthz")?,
        })
    }

    fn serve(self, metrics: &Arc<Metrics>, stop: &Stop) -> Result<(), Failure> {
        if let Some(server) = self.metrics {
            let metrics = Arc::clone(metrics);
            server.serve(move || Page { status: "200 OK", body: metrics.text() })?;
        }
        if let Some(server) = self.health {
            let stop = stop.clone();
            server.serve(move || match stop.is_asked_for() {
                false => Page { status: "200 OK", body: "serving\n".into() },
                true => Page { status: "503 Service Unavailable", body: "draining\n".into() },
            })?;
        }
        Ok(())
    }
}

/// The keys that sign. Checks the permissions of all secret keys.
fn signing_keys(args: &NotaryServeArgs) -> Result<(SigningKey, Option<ContractKey>), Failure> {
    args.connection.tls_key.as_deref().map_or(Ok(()), key::check_private)?;
    let contract_key = args.contract_key.as_deref().map(key::open_for_contracts).transpose()?;
    Ok((key::open(&args.key)?, contract_key))
}

fn tokens(args: &NotaryServeArgs) -> Result<Tokens, Failure> {
    let open = |path: &PathBuf| Tokens::open(path, args.token_rate);
    Ok(args.tokens.as_ref().map(open).transpose()?.unwrap_or_default())
}

/// The limits of two-party sessions.
fn limits(args: &SessionLimitArgs, ports: &[u16]) -> Limits {
    Limits {
        query: args.max_request as usize,
        read: args.max_read as usize,
        proved: args.max_proved as usize,
        received: args.max_received as usize,
        hidden: args.max_hidden as usize,
        no_alpn: args.allow_no_alpn,
        ports: ports.to_vec(),
        ..Limits::default()
    }
}

/// Runs `volery notary serve`.
pub(crate) fn serve(args: &NotaryServeArgs) -> Result<(), Failure> {
    let stop = Stop::at_signals()?;
    let ports = args.port.clone();
    let (key, contract_key) = signing_keys(args)?;
    let notary = Notary {
        key,
        contract_key,
        roots: roots(&args.roots)?,
        limits: limits(&args.session, &ports),
        rules: Rules {
            private: args.allow_private,
            ports,
            hosts: args.host.clone(),
            max_received: args.session.max_received as usize,
            hidden: args.session.max_hidden as usize,
            ..rules(args.session.max_wait)
        },
        carries: args.relay,
        tokens: tokens(args)?,
        phases: PhaseTimes::waiting(args.session.max_wait),
    };
    let metrics = Arc::new(Metrics::default());
    let watched = Watched::bind(args)?;
    let endpoint = Endpoint::of_notary(&args.connection, &notary.key)?;
    let mut endpoint = endpoint.waiting(args.session.max_wait);
    endpoint.limits.total_time.get_or_insert(SESSION_TIME.saturating_add(args.session.max_wait));
    endpoint.limits.total_bytes.get_or_insert(SESSION_BYTES);
    terminal::message(&format!("public key {}", hex::encode(&notary.key.verifying_key().to_bytes())));
    if let Some(key) = &notary.contract_key {
        terminal::message(&format!("signs for contracts as {}", key.address()));
    }
    // By default no client can take all slots or all memory.
    let per_client = args.per_client.unwrap_or(args.concurrency.div_ceil(2));
    let each = if per_client < args.concurrency { args.memory.div_ceil(2) } else { args.memory };
    let memory = Memory::new(args.memory, each);
    let capacity = Capacity {
        concurrency: args.concurrency,
        waiting: args.waiting,
        per_client: Some(per_client),
        client_rate: args.client_rate,
        drain: Some(args.drain_time),
        most: args.max_sessions,
    };
    watched.serve(&metrics, &stop)?;
    stop.sessions(&endpoint, capacity, &NotaryService { notary, memory, metrics })
}

#[cfg(test)]
mod tests {
    use volery::notary::in_line;
    use volery::web::joint::Sizes;
    use volery::{Prover, memory_pair};
    use volery_channel::Limits as ChannelLimits;

    use super::*;
    use crate::serve::Paced;

    /// A session with a notary that waits a moment in one phase and long in all others; the prover falls
    /// silent before the connection.
    fn silent_prover(way: Way, phases: PhaseTimes) -> Failure {
        let limits = Limits { query: 100, read: 0, proved: 100, ..Limits::default() };
        let key = SigningKey::from_bytes(&[7; 32]);
        let (rules, tokens) = (Rules::default(), Tokens::default());
        let roots = Roots::none();
        let notary = Notary { key, contract_key: None, roots, limits, rules, carries: false, tokens, phases };
        let limits = ChannelLimits { read: Duration::from_secs(20), ..ChannelLimits::default() };
        let (prover, server) = memory_pair(&limits);
        let pace = Pace::default();
        let server = Paced::new(Box::new(server), limits, &pace);
        std::thread::scope(|scope| {
            let (over, told) = std::sync::mpsc::channel::<()>();
            scope.spawn(move || {
                let mut rng = os_rng().expect("randomness");
                let prover = Prover::start(in_line(prover, |_| {}), Options::default(), &mut rng);
                let prover = prover.expect("set-up");
                // It stays connected and silent.
                let wait = || told.recv().expect_err("nobody says anything");
                match way {
                    Way::TwoParty | Way::Carried => {
                        let _prepared = prover.prepare_web(Sizes::one(100, 100), rng).expect("prepared");
                        wait();
                    }
                    Way::Proxy => {
                        let _prover = prover;
                        wait();
                    }
                }
            });
            let failure =
                notary.session(way, server, &pace, &Budget::default()).expect_err("it waits in vain");
            drop(over);
            failure
        })
    }

    #[test]
    fn each_phase_of_a_session_has_its_time() {
        let long = Duration::from_secs(600);
        let all = PhaseTimes::default();
        let slow = |phase: Phase| Phase { time: long, ..phase };
        let phases = PhaseTimes {
            set_up: slow(all.set_up),
            preparation: slow(all.preparation),
            connection: Phase { time: Duration::from_millis(300), ..all.connection },
            proof: slow(all.proof),
        };
        for way in [Way::Proxy, Way::TwoParty, Way::Carried] {
            let failure = silent_prover(way, phases).to_string();
            assert!(failure.contains(all.connection.what) && failure.contains("300"), "{failure}");
        }
    }
}
