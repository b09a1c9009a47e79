//! `volery notary`: V, for many provers.
//!
//! | module | what it holds |
//! |---|---|
//! | [`key`] | what attestations are signed with |
//! | [`token`] | whom the notary works for |
//! | [`metrics`] | what it counts |

mod key;
mod metrics;
mod token;

pub(crate) use key::make as make_key;
pub(super) use token::{Token, Tokens};

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use volery::tls::attestation::{Mode, SigningKey, Statement};
use volery::tls::joint::Limits;
use volery::tls::proxy::relay::Rules;
use volery::tls::server::Roots;
use volery::{Channel, Options, Verifier, notary, os_rng};
use volery_channel::Stats;

use super::roots;
use crate::cli::args::NotaryServeArgs;
use crate::cli::connection::{Endpoint, Flexible, Link};
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::serve::{Crowd, FIRST_MESSAGE, SESSION_TIME, Service, Stop, sheltered};
use metrics::Metrics;

/// Bytes of a session, both ways, unless the command line says otherwise.
const SESSION_BYTES: u64 = 1 << 30;

/// What a notary decides by.
pub(super) struct Notary {
    pub(super) key: SigningKey,
    pub(super) roots: Roots,
    /// What it takes part in, of two parties; and what it relays.
    pub(super) limits: Limits,
    pub(super) rules: Rules,
    pub(super) tokens: Tokens,
}

impl Notary {
    /// Hears a prover's first message: what it wants, if it may.
    pub(super) fn admit(&self, channel: &mut (impl Channel + ?Sized)) -> Result<Mode, Failure> {
        self.tokens.admit(channel)
    }

    /// One session with a prover that was admitted: takes part or relays, verifies, signs.
    pub(super) fn session(&self, mode: Mode, mut channel: impl Channel) -> Result<Statement, Failure> {
        notary::begin(&mut channel)?;
        let mut rng = os_rng()?;
        let mut verifier = Verifier::start(channel, Options::default(), &mut rng)?;
        let page = match mode {
            Mode::TwoParty => {
                let watched = verifier.prepare_web(self.limits, &mut rng)?.watch(&mut rng)?;
                watched.verify(&self.roots, now()?.as_secs(), &mut rng)?
            }
            Mode::Proxy => {
                let relayed = verifier.relay(&self.rules)?;
                verifier.verify_web(&relayed, &self.roots, now()?.as_secs(), &mut rng)?.0
            }
        };
        let statement = page.proven().statement();
        page.attest(&self.key)?;
        statement.ok_or_else(|| Failure::session("internal error"))
    }
}

/// Since 1970.
fn now() -> Result<Duration, Failure> {
    SystemTime::now().duration_since(UNIX_EPOCH).map_err(Failure::session)
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// Signed.
    Attested,
    /// The proof is wrong.
    Rejected,
    /// There was no verdict.
    Failed,
    /// There was no session: too many connections of one client, or the notary stops.
    Refused,
}

impl Word {
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

/// A connection's end, as it is logged. Nothing of the payload is told but its length.
#[derive(Serialize)]
struct Ended<'a> {
    result: &'static str,
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
    reason: Option<String>,
}

/// A notary that serves.
struct Office {
    notary: Notary,
    metrics: Arc<Metrics>,
}

impl Office {
    fn tell(
        &self,
        peer: &str,
        result: &Result<Statement, Failure>,
        word: Word,
        (time, stats): (Duration, Stats),
    ) -> Result<(), Failure> {
        let statement = result.as_ref().ok();
        output::json(&Ended {
            result: word.name(),
            time: now()?.as_secs(),
            seconds: time.as_secs_f64(),
            peer,
            server: statement.map(|statement| statement.server_name.as_str()),
            query_bytes: statement.map(|statement| statement.query.length),
            response_bytes: statement.map(|statement| statement.response.length),
            received_bytes: stats.bytes_received,
            sent_bytes: stats.bytes_sent,
            reason: result.as_ref().err().map(|failure| match failure {
                Failure::Rejected(reason) => reason.clone(),
                failure => failure.to_string(),
            }),
        })
    }
}

impl Service for Office {
    type Wish = Mode;

    fn count(&self, waiting: bool) {
        self.metrics.count_waiting(waiting);
    }

    fn greet(&self, channel: &mut dyn Flexible) -> Result<Mode, Failure> {
        let mode = self.notary.admit(channel)?;
        // The session's first message goes with that one.
        channel.await_frame(FIRST_MESSAGE)?;
        Ok(mode)
    }

    fn wait(&self, channel: &mut dyn Flexible, before: usize) -> Result<(), Failure> {
        Ok(notary::wait(channel, before)?)
    }

    fn session(&self, Link { mut channel, peer }: Link, mode: Mode) -> Result<(), Failure> {
        let start = Instant::now();
        self.metrics.begin();
        let result = sheltered(|| self.notary.session(mode, &mut channel));
        let stats = channel.stats();
        let word = match &result {
            Ok(_) => Word::Attested,
            Err(Failure::Rejected(_)) => Word::Rejected,
            Err(_) => Word::Failed,
        };
        let time = start.elapsed();
        self.metrics.end(word, time, stats);
        self.tell(&peer, &result, word, (time, stats))
    }

    fn failed(&self, peer: &str, failure: Failure) -> Result<(), Failure> {
        self.metrics.count(Word::Failed);
        self.tell(peer, &Err(failure), Word::Failed, (Duration::ZERO, Stats::default()))
    }

    fn refused(&self, peer: &str, reason: &str) -> Result<(), Failure> {
        self.metrics.count(Word::Refused);
        let result = Err(Failure::session(reason));
        self.tell(peer, &result, Word::Refused, (Duration::ZERO, Stats::default()))
    }
}

/// Runs `volery notary serve`.
pub(crate) fn serve(args: &NotaryServeArgs) -> Result<(), Failure> {
    let stop = Stop::at_signals()?;
    let notary = Notary {
        key: key::open(&args.key)?,
        roots: roots(&args.roots)?,
        limits: Limits::default(),
        rules: Rules { private: args.allow_private, ports: args.port.clone(), ..Rules::default() },
        tokens: args.tokens.as_deref().map(Tokens::open).transpose()?.unwrap_or_default(),
    };
    if args.connection.listen.is_none() {
        return Err(Failure::input("a notary needs --listen ADDR"));
    }
    if args.tokens.is_some() && args.connection.tls_cert.is_none() {
        output::message("without --tls-cert tokens can be read by whoever is on the way");
    }
    let metrics = Arc::new(Metrics::default());
    if let Some(address) = &args.metrics {
        metrics.serve(address)?;
    }
    let mut endpoint = Endpoint::new(&args.connection)?;
    endpoint.limits.total_time.get_or_insert(SESSION_TIME);
    endpoint.limits.total_bytes.get_or_insert(SESSION_BYTES);
    output::message(&format!("public key {}", key::hex(&notary.key.verifying_key().to_bytes())));
    // By default nobody can take all places alone.
    let per_client = args.per_client.unwrap_or(args.concurrency.div_ceil(2));
    let crowd = Crowd {
        concurrency: args.concurrency,
        waiting: args.waiting,
        per_client: Some(per_client),
        most: args.max_sessions,
    };
    stop.sessions(&endpoint, crowd, &Office { notary, metrics })
}
