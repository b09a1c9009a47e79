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
//! A session is a [`Visit`].

use core::ops::Range;
use std::thread;
use std::time::{Duration, Instant};

use volery::notary::Terms;
use volery::visit::{self, MAX_RECEIVED, Observer, Phase, Probe, Visit, Visited, patience};
use volery::web::attestation::{SigningKey, Statement};
use volery::web::dialogue::ReceivedResponses;
use volery::web::disclosure::{self, MAX_HIDDEN_BYTES, MessagePart, Selection, words};
use volery::web::joint;
use volery::web::proxy::relay::Rules;
use volery::{Channel, Limits, memory_pair};
use zeroize::Zeroizing;

use super::checks;
use super::consent::{self, Consent};
use super::notary::{self, Notary, Tokens};
use super::parts;
use super::script::Script;
use super::terms;
use crate::connection::Endpoint;
use crate::failure::Failure;
use crate::progress::Phases;
use crate::serve::Pace;
use crate::terminal;

/// How long to try to connect to a notary again right after a session with it, and the pause between
/// attempts.
const RETRY_TIME: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(200);

/// What to fetch, and what to prove about it.
pub(super) struct Task {
    /// What is wanted of all connections: without their requests, and with the selection of all of them.
    pub(super) visit: Visit,
    pub(super) script: Script,
    pub(super) consent: Consent,
    /// The most bytes of each response that a later request waits for.
    pub(super) read: usize,
    pub(super) phases: Phases,
}

/// The party that signs.
pub(super) enum Signer {
    /// A notary, with a connection for each session.
    Notary { endpoint: Endpoint, notary: visit::Notary },
    /// This process, with a key that it forgets.
    Alone(SigningKey),
}

/// One connection to the website.
struct Connection<'a> {
    task: &'a Task,
    /// The numbers of its requests.
    requests: &'a Range<usize>,
    /// What is wanted of it.
    visit: Visit,
    /// The responses on earlier connections.
    before: &'a ReceivedResponses,
}

impl Task {
    /// Makes one connection after the other. `done` gets the number and the results of each.
    pub(super) fn run(
        &self,
        signer: &Signer,
        done: &mut dyn FnMut(usize, &Visited) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut before = ReceivedResponses::default();
        let connections = self.script.connections();
        for (number, requests) in connections.iter().enumerate() {
            let visit = Visit {
                rounds: self.script.rounds(requests, self.read),
                selection: parts::within(&self.visit.selection, requests),
                ..self.visit.clone()
            };
            let connection = Connection { task: self, requests, visit, before: &before };
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
            let proved = connection.signed(signer).map_err(of)?;
            self.phases.finish();
            terminal::aside(|| done(number, &proved))?;
            self.script.hear(requests, &proved.response, &mut before)?;
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

impl Observer for Connection<'_> {
    fn begins(&self, phase: Phase) {
        match phase {
            Phase::Fetching if self.requests.len() > 1 => self.task.phases.begin("fetching the pages"),
            phase => self.task.phases.begin(&phase.to_string()),
        }
    }

    fn waits(&self, number: u32) {
        self.task.phases.note(&format!("number {number} in the queue"));
    }

    fn hears(&self, terms: &Terms) {
        self.task.phases.tell(&terms::described(self.visit.way.mode(), terms));
    }

    /// Shows the user what will be signed, and asks.
    fn agrees(&self, statement: &Statement) -> Result<(), String> {
        let asked = terminal::aside(|| self.task.consent.get(statement, consent::ANSWER_TIME));
        asked.map_err(|failure| failure.reason())
    }
}

impl Connection<'_> {
    fn signed(&self, signer: &Signer) -> Result<Visited, Failure> {
        self.preflight()?;
        // A server that cannot be served is found out before anything is paid.
        let probe = self.visit.probe(self).map_err(|error| self.failure(error))?;
        match signer {
            Signer::Notary { endpoint, notary } => {
                self.task.phases.begin("connecting to the notary");
                self.attested(self.call(endpoint)?, notary, probe)
            }
            Signer::Alone(key) => self.alone(key, probe),
        }
    }

    /// Makes the requests that are known before the connection is open, and refuses what cannot be proved of
    /// them. If a value is missing or something is wrong, the notary is not called, and nothing is sent.
    fn preflight(&self) -> Result<(), Failure> {
        let mut known = Zeroizing::new(Vec::new());
        for round in 0..self.requests.len() {
            if self.task.script.waits(self.requests.start + round).map_err(Failure::Input)? {
                break;
            }
            known.extend_from_slice(&self.request(round, self.before).map_err(Failure::Session)?);
        }
        self.visit.preflight(&known).map_err(|error| self.failure(error))
    }

    /// A channel to the notary. After an earlier session of this prover the notary may need a moment before
    /// it takes the next one, so then it is called several times.
    fn call(&self, endpoint: &Endpoint) -> Result<Box<dyn Channel + Send>, Failure> {
        let retry_time = if self.requests.start == 0 { Duration::ZERO } else { RETRY_TIME };
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
        channel: impl Channel,
        notary: &visit::Notary,
        probe: Option<Probe>,
    ) -> Result<Visited, Failure> {
        let mut ask = |round, heard: &ReceivedResponses| self.request(round, heard);
        self.visit.prove(channel, notary, probe, &mut ask, self).map_err(|error| self.failure(error))
    }

    /// Request `round` of this connection, with values of responses on it, or on those before it.
    fn request(&self, round: usize, heard: &ReceivedResponses) -> Result<Zeroizing<Vec<u8>>, String> {
        let heard = if self.requests.start == 0 { heard } else { self.before };
        let made = self.task.script.request(self.requests.start + round, heard)?;
        if checks::shows_query_names(&self.visit.selection, round) {
            self.task.script.check_query_names(self.requests.start + round, &made)?;
        }
        Ok(made)
    }

    /// What to tell the user of a visit that failed.
    fn failure(&self, error: visit::Error) -> Failure {
        match error {
            visit::Error::Session(error) => error.into(),
            visit::Error::Unmet(unmet) => terms::failure(unmet),
            visit::Error::Unprovable(error @ disclosure::Error::NotTrue(_)) => {
                volery::Error::from(joint::Error::from(error)).into()
            }
            visit::Error::Unprovable(error) => Failure::Page(error.to_string()),
            visit::Error::Selection(error) => self.unfit(error),
            visit::Error::Page(error) => Failure::of_page(error),
            visit::Error::Contracts(error) => Failure::input(error),
            // Which includes that the user said no.
            error => Failure::session(error),
        }
    }

    /// The failure of a selection that does not fit the page. A value that only a further request takes is no
    /// wish of the user's: without it that request cannot be made, so it is a failed session, as it is where
    /// the request is on the same connection.
    fn unfit(&self, error: volery::Error) -> Failure {
        let Selection { hide, reveal, taken, .. } = &self.visit.selection;
        let is_wish = |named: &MessagePart| {
            reveal.contains(named) || hide.iter().any(|hide| words::is_same(hide, named))
        };
        let only_taken = taken.iter().any(|named| Failure::is_about(&error, named) && !is_wish(named));
        if only_taken { error.into() } else { Failure::of_page(error) }
    }

    /// Runs both parties in this process.
    fn alone(&self, key: &SigningKey, probe: Option<Probe>) -> Result<Visited, Failure> {
        let wait = self.visit.longest_wait();
        let read = Limits::default().read.max(patience(wait));
        let (left, mut right) = memory_pair(&Limits { read, ..Limits::default() });
        let own = visit::Notary { key: key.verifying_key().to_bytes(), token: Zeroizing::default() };
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
        let (key, roots, tokens) = (key.clone(), self.visit.roots.clone(), Tokens::default());
        let notary = Notary { key, contract_key: None, roots, limits, rules, carries: true, tokens, phases };
        thread::scope(|scope| {
            let notary = scope.spawn(move || {
                let way = notary.admit(&mut right)?;
                notary.session(way, right, &Pace::default(), &budget)
            });
            let proved = self.attested(left, &own, probe);
            // The prover's error is the nearer cause.
            let notary = notary.join().map_err(|_| Failure::session("internal error"));
            let proved = proved?;
            notary??;
            Ok(proved)
        })
    }
}
