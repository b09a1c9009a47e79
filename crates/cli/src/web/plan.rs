//! The prover's side of `volery web prove`: for each connection a session with who signs, and what was said
//! on it becomes an attestation.
//!
//! ```text
//! connection 1    session 1    attestation 1      what P received is kept
//! connection 2    session 2    attestation 2      its request may have values of what was received before
//! ```
//!
//! There is one connection unless requests go apart ([`Order::Apart`](super::script::Order)). Sessions share
//! nothing: each attestation is worth what one of a single request is, whatever became of the others.

use core::ops::Range;
use std::thread;
use std::time::Duration;

use volery::notary::InLine;
use volery::tls::attestation::{Attestation, Context, SigningKey, Statement};
use volery::tls::commitment::Openings;
use volery::tls::dialogue::Heard;
use volery::tls::disclosure::{Hide, Wish};
use volery::tls::joint::{self, client};
use volery::tls::proxy::{self, relay::Rules};
use volery::tls::server::Roots;
use volery::{Attested, Channel, Limits, Options, ProvedPage, Prover, memory_pair, os_rng};
use zeroize::Zeroizing;

use super::consent::{self, Consent};
use super::notary::{self, Notary, Token, Tokens, now};
use super::parts;
use super::script::Script;
use crate::args::ModeArg;
use crate::connection::Endpoint;
use crate::failure::Failure;
use crate::output;
use crate::progress::Phases;
use crate::serve::Pace;

/// How long is waited for a server in all: less than a notary waits for a prover's next word. The notary's
/// own time is not in it.
const PATIENCE: Duration = Duration::from_secs(25);
/// The most bytes that are taken from a server, and from a file of what is sent to it.
pub(super) const MAX_RECEIVED: usize = 16 << 20;

/// How often a notary is called again right after a session with it, and after which pause.
const TRIES: usize = 10;
const PAUSE: Duration = Duration::from_millis(200);

/// What is fetched, and what is said of it.
pub(super) struct Plan {
    pub(super) mode: ModeArg,
    pub(super) script: Script,
    pub(super) roots: Roots,
    pub(super) wish: Wish,
    pub(super) context: Context,
    pub(super) consent: Consent,
    /// Bytes of each response that a later request waits for, at most.
    pub(super) read: usize,
    /// Bytes of the responses that will be proved, about.
    pub(super) expect: usize,
    pub(super) phases: Phases,
}

/// Who signs.
pub(super) enum Signer {
    /// A notary, at the other end of a connection for each session.
    Notary { endpoint: Endpoint, token: Token, key: [u8; 32] },
    /// This process, with a key that is forgotten.
    Alone(SigningKey),
}

/// What is left of a session.
pub(super) struct Proved {
    pub(super) attestation: Attestation,
    pub(super) openings: Option<Openings>,
    /// All that the server said.
    received: Zeroizing<Vec<u8>>,
}

/// One connection to the website.
struct Visit<'a> {
    plan: &'a Plan,
    /// The requests of this connection.
    connection: &'a Range<usize>,
    /// What is said of them.
    wish: Wish,
    /// What was said on connections before it.
    before: &'a Heard,
}

impl Plan {
    /// One connection after the other; `done` takes each one's number and what came of it.
    pub(super) fn run(
        &self,
        signer: &Signer,
        done: &mut dyn FnMut(usize, &Proved) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut before = Heard::default();
        let connections = self.script.connections();
        for (number, connection) in connections.iter().enumerate() {
            let wish = parts::within(&self.wish, connection);
            let visit = Visit { plan: self, connection, wish, before: &before };
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
            let proved = visit.signed(signer).map_err(of)?;
            self.phases.finish();
            self.phases.pause(|| done(number, &proved))?;
            self.script.hear(connection, &proved.received, &mut before)?;
        }
        Ok(())
    }
}

impl Signer {
    /// A key of this process's own.
    pub(super) fn alone() -> Result<Self, Failure> {
        output::message("no --notary: this process is its own, and nobody else has a reason to believe it");
        let mut seed = Zeroizing::new([0; 32]);
        rand_core::Rng::fill_bytes(&mut os_rng()?, &mut *seed);
        Ok(Self::Alone(SigningKey::from_bytes(&seed)))
    }
}

impl Visit<'_> {
    fn signed(&self, signer: &Signer) -> Result<Proved, Failure> {
        // Nobody is called if a value is not there.
        if self.connection.start > 0 {
            self.request(0, self.before).map_err(Failure::Session)?;
        }
        match signer {
            Signer::Notary { endpoint, token, key } => {
                self.plan.phases.begin("connecting to the notary");
                self.attested(self.call(endpoint)?, token, key)
            }
            Signer::Alone(key) => self.alone(key),
        }
    }

    /// A channel to the notary. One that serves only so many sessions of a client may have to end the one
    /// before first.
    fn call(&self, endpoint: &Endpoint) -> Result<Box<dyn Channel + Send>, Failure> {
        let tries = if self.connection.start == 0 { 1 } else { TRIES };
        for _ in 1..tries {
            if let Ok(link) = endpoint.open() {
                return Ok(link.channel);
            }
            thread::sleep(PAUSE);
        }
        Ok(endpoint.open()?.channel)
    }

    /// The prover's side of a session.
    fn attested(
        &self,
        mut channel: impl Channel + Send,
        token: &Token,
        key: &[u8; 32],
    ) -> Result<Proved, Failure> {
        let Plan { mode, phases, .. } = self.plan;
        token.send((*mode).into(), &mut channel)?;
        let mut rng = os_rng()?;
        phases.begin("waiting for the notary");
        let channel = InLine::new(channel, |number| match number {
            0 => phases.begin("setting up"),
            number => phases.note(&format!("number {number} in line")),
        });
        let prover = Prover::start(channel, Options::default(), &mut rng)?;
        let (page, received) = match mode {
            ModeArg::TwoParty => self.together(prover)?,
            ModeArg::Proxy => self.relayed(prover)?,
        };
        phases.begin("waiting for the attestation");
        let Attested { attestation, openings, .. } = page.attestation(key)?;
        Ok(Proved { attestation, openings, received })
    }

    fn together<C: Channel + Send>(
        &self,
        prover: Prover<C>,
    ) -> Result<(ProvedPage<C>, Zeroizing<Vec<u8>>), Failure> {
        let Plan { script, roots, phases, read, expect, context, .. } = self.plan;
        let page = script.page();
        phases.begin("preparing the connection");
        let prepared = prover.prepare_web(script.sizes(self.connection, *read, *expect), os_rng()?)?;
        let limits = client::Limits { received: MAX_RECEIVED, total: PATIENCE, ..client::Limits::default() };
        let target = client::Target { host: &page.host, roots, limits };
        phases.begin(self.fetching());
        let mut fetched =
            prepared.converse(&target, page.port, &mut |round, heard| self.request(round, heard))?;
        fetched.set_context(context.clone());
        let hide = fetched.select(&self.wish)?;
        self.agree(&hide, |hide, time| Ok(fetched.expected(hide, time)?))?;
        phases.begin("proving");
        let received = Zeroizing::new(fetched.response().to_vec());
        Ok((fetched.prove(&hide)?, received))
    }

    fn relayed<C: Channel>(
        &self,
        mut prover: Prover<C>,
    ) -> Result<(ProvedPage<C>, Zeroizing<Vec<u8>>), Failure> {
        let Plan { script, roots, phases, context, .. } = self.plan;
        let page = script.page();
        let target = proxy::Target { host: &page.host, port: page.port, roots, max_received: MAX_RECEIVED };
        phases.begin(self.fetching());
        let mut fetched = prover
            .converse(&target, self.connection.len(), &mut |round, heard| self.request(round, heard))?;
        fetched.set_context(context.clone());
        let hide = fetched.select(&self.wish).map_err(volery::Error::from)?;
        self.agree(&hide, |hide, time| Ok(fetched.expected(hide, time).map_err(volery::Error::from)?))?;
        phases.begin("proving");
        let received = Zeroizing::new(fetched.response().to_vec());
        Ok((prover.prove_web(&fetched, &hide, &mut os_rng()?)?.0, received))
    }

    /// Request `round` of this connection, which depends on what was heard on it, or on those before it.
    fn request(&self, round: usize, heard: &Heard) -> Result<Zeroizing<Vec<u8>>, String> {
        let heard = if self.connection.start == 0 { heard } else { self.before };
        self.plan.script.request(self.connection.start + round, heard)
    }

    /// Shows what will be signed, and asks.
    fn agree(
        &self,
        hide: &[Hide],
        expected: impl FnOnce(&[Hide], u64) -> Result<Statement, Failure>,
    ) -> Result<(), Failure> {
        let expected = expected(hide, now()?.as_secs())?;
        self.plan.phases.pause(|| self.plan.consent.get(&expected, consent::PATIENCE))
    }

    /// The name of the phase.
    fn fetching(&self) -> &'static str {
        if self.connection.len() == 1 { "fetching the page" } else { "fetching the pages" }
    }

    /// Both parties in this process.
    fn alone(&self, key: &SigningKey) -> Result<Proved, Failure> {
        let (left, mut right) = memory_pair(&Limits::default());
        let public = key.verifying_key().to_bytes();
        let (query, read, proved) = (joint::MAX_QUERY, joint::MAX_READ, joint::MAX_PROVED);
        let (ports, pool) = (Vec::new(), joint::Pool::default());
        let limits = joint::Limits { query, read, proved, received: MAX_RECEIVED, ports, pool: pool.clone() };
        let rules = Rules { private: true, ports: Vec::new(), ..Rules::default() };
        let (key, roots) = (key.clone(), self.plan.roots.clone());
        let (tokens, phases) = (Tokens::default(), notary::Phases::default());
        let notary = Notary { key, roots, limits, rules, tokens, phases };
        thread::scope(|scope| {
            let notary = scope.spawn(move || {
                let mode = notary.admit(&mut right)?;
                notary.session(mode, right, &Pace::default(), &pool)
            });
            let proved = self.attested(left, &Token::default(), &public);
            // What the prover met is the nearer cause.
            let notary = notary.join().map_err(|_| Failure::session("internal error"));
            let proved = proved?;
            notary??;
            Ok(proved)
        })
    }
}
