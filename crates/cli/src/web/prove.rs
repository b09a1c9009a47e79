//! The prover's side of `volery web prove`: a session with the signer for each connection, and an attestation
//! from each session.
//!
//! ```text
//! connection 1    session 1    attestation 1      P keeps the responses
//! connection 2    session 2    attestation 2      its request may use values of them
//! ```
//!
//! There is one connection unless requests go apart ([`Order::Apart`](super::script::Order)). Sessions share
//! nothing, so each attestation is worth as much as one of a single request, whatever happens to the others.

use core::ops::Range;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use volery::notary::{Terms, Turn, in_line};
use volery::web::attestation::{Attestation, Context, SigningKey, Statement};
use volery::web::commitment::Openings;
use volery::web::dialogue::ReceivedResponses;
use volery::web::disclosure::{
    self, MAX_HIDDEN_BYTES, MessagePart, Preflight, Redaction, Selection, Suite, TlsVersion, words,
};
use volery::web::joint::{self, client};
use volery::web::leaf::{LeafOpenings, Seed};
use volery::web::proxy::{self, relay::Rules};
use volery::web::server::Roots;
use volery::{Attested, Channel, Limits, Options, ProvedPage, Prover, memory_pair, os_rng};
use zeroize::Zeroizing;

use super::checks;
use super::consent::{self, Consent};
use super::notary::{self, Notary, Token, Tokens, now};
use super::parts;
use super::script::Script;
use super::terms::Wishes;
use crate::args::ModeArg;
use crate::connection::{Endpoint, patience};
use crate::failure::Failure;
use crate::progress::Phases;
use crate::serve::Pace;
use crate::terminal;

/// How long to wait for a server in total, without the notary's own time and the wait for the first bytes:
/// less than a notary waits for the prover in this phase.
pub(super) const SERVER_TIME: Duration = Duration::from_secs(15);
/// The most bytes to receive from a server, and to read from a file for it.
pub(super) const MAX_RECEIVED: usize = 16 << 20;

/// How long to try to connect to a notary again right after a session with it, and the pause between
/// attempts.
const RETRY_TIME: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(200);

/// A version of TLS and a cipher suite.
type Protocol = (TlsVersion, Suite);

/// Asks the server for a cipher suite. An error of the second kind is for the next suite to mend.
type Probe<'a> = dyn FnMut(Suite) -> Result<Result<client::Probe, client::Failure>, Failure> + 'a;

/// What to fetch, and what to prove about it.
pub(super) struct Task {
    pub(super) wishes: Wishes,
    /// The version of TLS to speak; `None` for the server's choice.
    pub(super) tls: Option<TlsVersion>,
    /// The cipher suite; `None` for the cheapest that the server takes.
    pub(super) suite: Option<Suite>,
    /// Whether to rely on servers that were asked to end the connection and do not say that they do.
    pub(super) trust_close: bool,
    /// Whether to commit to all hidden parts.
    pub(super) commit_all: bool,
    pub(super) script: Script,
    pub(super) roots: Roots,
    pub(super) selection: Selection,
    pub(super) context: Context,
    pub(super) consent: Consent,
    /// The most bytes of each response that a later request waits for.
    pub(super) read: usize,
    /// About how many bytes of the responses will be proved.
    pub(super) expect: usize,
    pub(super) phases: Phases,
}

/// The party that signs.
pub(super) enum Signer {
    /// A notary, with a connection for each session.
    Notary { endpoint: Endpoint, token: Token, key: [u8; 32] },
    /// This process, with a key that it forgets.
    Alone(SigningKey),
}

/// The results of a session.
pub(super) struct SignedSession {
    pub(super) attestation: Attestation,
    pub(super) openings: Option<Openings>,
    pub(super) leaves: Option<LeafOpenings>,
    /// All bytes from the server.
    received: Zeroizing<Vec<u8>>,
}

/// One connection to the website.
struct Visit<'a> {
    task: &'a Task,
    /// The numbers of its requests.
    connection: &'a Range<usize>,
    /// What to prove about them.
    selection: Selection,
    /// The responses on earlier connections.
    before: &'a ReceivedResponses,
    /// Why a request was not made, if nothing of what is wanted could have been proved with it.
    unprovable: OnceLock<Failure>,
}

impl Task {
    /// Makes one connection after the other. `done` gets the number and the results of each.
    pub(super) fn run(
        &self,
        signer: &Signer,
        done: &mut dyn FnMut(usize, &SignedSession) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut before = ReceivedResponses::default();
        let connections = self.script.connections();
        for (number, connection) in connections.iter().enumerate() {
            let selection = parts::within(&self.selection, connection);
            let unprovable = OnceLock::new();
            let visit = Visit { task: self, connection, selection, before: &before, unprovable };
            let several = connections.len() > 1;
            let of = |failure: Failure| {
                match number + 1 {
                    1 if several => failure.of("request 1"),
                    1 => failure,
                    n => failure.of(&format!(
                        "request {n} (its own request and response; on the command line request{n} and response{n})"
                    )),
                }
            };
            let proved = visit.signed(signer);
            // What is wrong with a request says more than that it was not made.
            let proved = proved.map_err(|failure| of(visit.unprovable.into_inner().unwrap_or(failure)))?;
            self.phases.finish();
            terminal::aside(|| done(number, &proved))?;
            self.script.hear(connection, &proved.received, &mut before)?;
        }
        Ok(())
    }
}

impl Signer {
    /// A signer in this process, with a fresh key.
    pub(super) fn alone() -> Result<Self, Failure> {
        terminal::message(
            "no --notary: this process is its own notary, so the attestation convinces nobody else",
        );
        Ok(Self::Alone(notary::fresh_key()?))
    }
}

impl Visit<'_> {
    fn signed(&self, signer: &Signer) -> Result<SignedSession, Failure> {
        self.preflight()?;
        // A server that cannot be served is found out before anything is paid.
        let protocol = self.protocol()?;
        match signer {
            Signer::Notary { endpoint, token, key } => {
                self.task.phases.begin("connecting to the notary");
                self.attested(self.call(endpoint)?, token, key, protocol)
            }
            Signer::Alone(key) => self.alone(key, protocol),
        }
    }

    /// Makes the requests that are known before the connection is open, and refuses what cannot be proved of
    /// them. If a value is missing or something is wrong, the notary is not called, and nothing is sent.
    fn preflight(&self) -> Result<(), Failure> {
        let mut known = Zeroizing::new(Vec::new());
        for round in 0..self.connection.len() {
            if self.task.script.waits(self.connection.start + round).map_err(Failure::Input)? {
                break;
            }
            known.extend_from_slice(&self.request(round, self.before).map_err(Failure::Session)?);
        }
        self.provable(&known)
    }

    /// Checks that all that is wanted of the first requests of the connection can be proved, as far as these
    /// show it.
    fn provable(&self, requests: &[u8]) -> Result<(), Failure> {
        let page = self.task.script.page();
        let (host, port, rounds) = (&*page.host, page.port, self.connection.len());
        Preflight { host, port, requests, rounds }.check(&self.selection).map_err(|error| match error {
            disclosure::Error::NotTrue(_) => volery::Error::from(joint::Error::from(error)).into(),
            error => Failure::Page(error.to_string()),
        })
    }

    /// The version of TLS and the cipher suite for which two parties prepare a connection, as far as they are
    /// known before the session. In proxy mode they are not needed ahead, and a notary that carries the
    /// connection is asked for one in the session.
    fn protocol(&self) -> Result<Option<Protocol>, Failure> {
        let Task { wishes, tls, suite, script, roots, .. } = self.task;
        if wishes.mode == ModeArg::Proxy {
            return Ok(None);
        }
        let known = tls.zip(*suite);
        if known.is_some() || wishes.carried {
            return Ok(known);
        }
        let page = script.page();
        let target = self.target(roots, wishes.longest_wait(), MAX_RECEIVED);
        let found = self.ask_server(&mut |suite| {
            Ok(client::dial(&page.host, page.port, &target.limits)
                .and_then(|stream| client::probe(stream, &target, *tls, suite)))
        })?;
        Ok(Some(found))
    }

    /// Asks the server for its version of TLS and cipher suite. `probe` opens a connection and asks for one
    /// suite.
    fn ask_server(&self, probe: &mut Probe<'_>) -> Result<Protocol, Failure> {
        let Task { suite, phases, .. } = self.task;
        phases.begin("asking the server for its version of TLS and cipher suite");
        let suites = suite.as_ref().map_or(&joint::SUITES[..], core::slice::from_ref);
        let mut found = Err(client::Failure::NothingInCommon);
        for suite in suites {
            found = probe(*suite)?;
            if found != Err(client::Failure::NothingInCommon) {
                break;
            }
        }
        let found = found.map_err(joint::Error::from).map_err(volery::Error::from)?;
        Ok((found.version, found.suite))
    }

    /// The server as two parties see it, which may take this long for its next bytes.
    fn target<'a>(&'a self, roots: &'a Roots, idle: Duration, received: usize) -> client::Target<'a> {
        let limits = client::ConnectionLimits {
            received,
            idle,
            total: SERVER_TIME + idle,
            ..client::ConnectionLimits::default()
        };
        let Task { wishes, script, tls, .. } = self.task;
        let (host, no_alpn) = (&*script.page().host, wishes.no_alpn);
        client::Target { host, roots, probed: tls.is_none(), limits, no_alpn }
    }

    /// A channel to the notary. After an earlier session of this prover the notary may need a moment before
    /// it takes the next one, so then it is called several times.
    fn call(&self, endpoint: &Endpoint) -> Result<Box<dyn Channel + Send>, Failure> {
        let retry_time = if self.connection.start == 0 { Duration::ZERO } else { RETRY_TIME };
        let start = Instant::now();
        loop {
            match endpoint.call() {
                Ok(link) => return Ok(link.channel),
                Err(failure) if start.elapsed() >= retry_time => return Err(failure),
                Err(_) => thread::sleep(PAUSE),
            }
        }
    }

    /// Runs the prover's side of a session.
    fn attested(
        &self,
        mut channel: impl Channel + Send,
        token: &Token,
        key: &[u8; 32],
        protocol: Option<Protocol>,
    ) -> Result<SignedSession, Failure> {
        let Task { wishes, phases, .. } = self.task;
        token.send(wishes.way(), &mut channel)?;
        let mut rng = os_rng()?;
        phases.begin("waiting for the notary");
        let told = OnceLock::new();
        let channel = in_line(channel, |turn| match turn {
            Turn::Waits(number) => phases.note(&format!("number {number} in the queue")),
            Turn::Begins(terms) => {
                phases.begin("setting up");
                phases.tell(&wishes.describe(&terms));
                // It is said once.
                let _ = told.set(terms);
            }
        });
        let prover = Prover::start(channel, Options::default(), &mut rng)?;
        let terms = told.get().ok_or_else(|| Failure::session("internal error"))?;
        wishes.check(terms)?;
        let (page, received) = match wishes.mode {
            ModeArg::TwoParty => self.together(prover, protocol, terms)?,
            ModeArg::Proxy => self.relayed(prover, terms)?,
        };
        phases.begin("waiting for the attestation");
        let Attested { attestation, openings, leaves, .. } = page.attestation(key)?;
        if let Some(wanted) = wishes.contract_signer {
            attestation.check_contract_signer(&[wanted]).map_err(volery::Error::from)?;
        }
        Ok(SignedSession { attestation, openings, leaves, received })
    }

    fn together<C: Channel + Send>(
        &self,
        mut prover: Prover<C>,
        protocol: Option<Protocol>,
        terms: &Terms,
    ) -> Result<(ProvedPage<C>, Zeroizing<Vec<u8>>), Failure> {
        let Task { wishes, script, roots, phases, read, expect, context, trust_close, commit_all, .. } =
            self.task;
        let page = script.page();
        let target = self.target(roots, wishes.wait(terms), MAX_RECEIVED.min(terms.received as usize));
        let protocol = match protocol {
            Some(protocol) => protocol,
            None => self.ask_server(&mut |suite| {
                let mut stream = prover.carried(&page.host, page.port, &target.limits)?;
                let found = client::probe(&mut stream, &target, self.task.tls, suite);
                // The next question takes another connection.
                let closed = stream.close();
                Ok(found.and_then(|found| closed.map(|_| found).map_err(client::Failure::from)))
            })?,
        };
        let sizes = wishes.fit(terms, script.sizes(self.connection, protocol, *read, *expect))?;
        phases.begin("preparing the connection");
        let prepared = prover.prepare_web(sizes, os_rng()?)?;
        phases.begin(self.fetching());
        let mut ask = |round, heard: &ReceivedResponses| self.request(round, heard);
        let mut fetched = match wishes.carried {
            true => prepared.converse_carried(&target, page.port, &mut ask)?,
            false => prepared.converse(&target, page.port, &mut ask)?,
        };
        fetched.set_context(context.clone());
        if *trust_close {
            fetched.trust_close()?;
        }
        if *commit_all {
            fetched.commit_all(Seed::new(&mut os_rng()?));
        }
        let hide = fetched.select(&self.selection).map_err(|error| self.unfit(error))?;
        self.agree(&hide, |hide, time| fetched.expected(hide, time).map_err(Failure::of_page))?;
        phases.begin("proving");
        let received = Zeroizing::new(fetched.response().to_vec());
        Ok((fetched.prove(&hide).map_err(Failure::of_page)?, received))
    }

    fn relayed<C: Channel>(
        &self,
        mut prover: Prover<C>,
        terms: &Terms,
    ) -> Result<(ProvedPage<C>, Zeroizing<Vec<u8>>), Failure> {
        let Task { wishes, script, roots, phases, context, tls, suite, trust_close, commit_all, .. } =
            self.task;
        let page = script.page();
        let (host, port, wait, max_received) = (&*page.host, page.port, wishes.wait(terms), MAX_RECEIVED);
        let (version, suite) = (*tls, *suite);
        let target = proxy::Target { host, port, roots, max_received, wait, version, suite };
        phases.begin(self.fetching());
        let mut fetched = prover
            .converse(&target, self.connection.len(), &mut |round, heard| self.request(round, heard))?;
        fetched.set_context(context.clone());
        if *trust_close {
            fetched.trust_close();
        }
        if *commit_all {
            fetched.commit_all(Seed::new(&mut os_rng()?));
        }
        let hide = fetched.select(&self.selection).map_err(|error| self.unfit(error))?;
        self.agree(&hide, |hide, time| fetched.expected(hide, time).map_err(Failure::of_page))?;
        phases.begin("proving");
        let received = Zeroizing::new(fetched.response().to_vec());
        let proved = prover.prove_web(&fetched, &hide, &mut os_rng()?).map_err(Failure::of_page)?;
        Ok((proved.0, received))
    }

    /// Request `round` of this connection, with values of responses on it, or on those before it.
    fn request(&self, round: usize, heard: &ReceivedResponses) -> Result<Zeroizing<Vec<u8>>, String> {
        let heard = if self.connection.start == 0 { heard } else { self.before };
        let made = self.task.script.request(self.connection.start + round, heard)?;
        if checks::shows_query_names(&self.selection, round) {
            self.task.script.check_query_names(self.connection.start + round, &made)?;
        }
        if self.task.script.waits(self.connection.start + round)? {
            // Requests before it are made again: they do not change.
            let mut all = Zeroizing::new(Vec::new());
            for earlier in 0..round {
                all.extend_from_slice(&self.task.script.request(self.connection.start + earlier, heard)?);
            }
            all.extend_from_slice(&made);
            self.provable(&all).map_err(|failure| {
                let reason = failure.reason();
                // The first one ends the session.
                let _ = self.unprovable.set(failure);
                reason
            })?;
        }
        Ok(made)
    }

    /// The failure of a selection that does not fit the page. A value that only a further request takes is no
    /// wish of the user's: without it that request cannot be made, so it is a failed session, as it is where
    /// the request is on the same connection.
    fn unfit(&self, error: impl Into<volery::Error>) -> Failure {
        let error = error.into();
        let Selection { hide, reveal, taken, .. } = &self.selection;
        let is_wish = |named: &MessagePart| {
            reveal.contains(named) || hide.iter().any(|hide| words::is_same(hide, named))
        };
        let only_taken = taken.iter().any(|named| Failure::is_about(&error, named) && !is_wish(named));
        if only_taken { error.into() } else { Failure::of_page(error) }
    }

    /// Shows the user what will be signed, and asks.
    fn agree(
        &self,
        hide: &[Redaction],
        expected: impl FnOnce(&[Redaction], u64) -> Result<Statement, Failure>,
    ) -> Result<(), Failure> {
        let expected = expected(hide, now()?.as_secs())?;
        if self.task.wishes.contract_signer.is_some() {
            expected.check_for_contracts().map_err(Failure::input)?;
        }
        terminal::aside(|| self.task.consent.get(&expected, consent::ANSWER_TIME))
    }

    /// The name of the phase in which pages are fetched.
    fn fetching(&self) -> &'static str {
        if self.connection.len() == 1 { "fetching the page" } else { "fetching the pages" }
    }

    /// Runs both parties in this process.
    fn alone(&self, key: &SigningKey, protocol: Option<Protocol>) -> Result<SignedSession, Failure> {
        let wait = self.task.wishes.longest_wait();
        let read = Limits::default().read.max(patience(wait));
        let (left, mut right) = memory_pair(&Limits { read, ..Limits::default() });
        let public = key.verifying_key().to_bytes();
        let budget = joint::Budget::default();
        let limits = joint::Limits {
            query: joint::MAX_QUERY,
            read: joint::MAX_READ,
            proved: joint::MAX_PROVED,
            received: MAX_RECEIVED,
            hidden: MAX_HIDDEN_BYTES,
            // This process makes both choices.
            no_alpn: true,
            ports: Vec::new(),
            budget: budget.clone(),
        };
        let phases = notary::PhaseTimes::waiting(wait);
        let (ports, hidden) = (Vec::new(), MAX_HIDDEN_BYTES);
        let rules = Rules { private: true, ports, hidden, ..notary::rules(wait) };
        let (key, roots, tokens) = (key.clone(), self.task.roots.clone(), Tokens::default());
        let notary = Notary { key, contract_key: None, roots, limits, rules, carries: true, tokens, phases };
        thread::scope(|scope| {
            let notary = scope.spawn(move || {
                let way = notary.admit(&mut right)?;
                notary.session(way, right, &Pace::default(), &budget)
            });
            let proved = self.attested(left, &Token::default(), &public, protocol);
            // The prover's error is the nearer cause.
            let notary = notary.join().map_err(|_| Failure::session("internal error"));
            let proved = proved?;
            notary??;
            Ok(proved)
        })
    }
}
