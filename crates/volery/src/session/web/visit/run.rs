//! The session with the notary.

use std::sync::OnceLock;

use volery_channel::Channel;
use volery_tls::attestation::Statement;
use volery_tls::dialogue::{ReceivedResponses, RequestSource};
use volery_tls::joint::client::Probe;
use volery_tls::leaf::Seed;
use volery_tls::proxy;
use zeroize::Zeroizing;

use super::super::joint::CARRIED_CLOSE;
use super::super::page::now;
use super::{Error, MAX_RECEIVED, Notary, Observer, Phase, Round, Visit, Visited, terms};
use crate::notary::{Greeting, Terms, Turn, Way, in_line};
use crate::{Attested, Options, ProvedPage, Prover, os_rng};

/// A page that is proved, and all bytes of the responses.
type Proved<C> = (ProvedPage<C>, Zeroizing<Vec<u8>>);

impl Visit {
    /// Makes the connection together with the notary at the other end of `channel`, and proves what is
    /// wanted. `probe` is what [`Visit::probe`] found, or `None` to ask in here.
    ///
    /// `ask` makes the request with this number from the responses so far, or says why there is none. Two
    /// parties prepare for requests of exactly the lengths in [`Visit::rounds`]. The requests need a `Host`,
    /// the last one `Connection: close` and those before it `Connection: keep-alive`.
    ///
    /// # Errors
    /// See [`Error`]. The session is over then.
    pub fn prove<C: Channel>(
        &self,
        mut channel: C,
        notary: &Notary,
        probe: Option<Probe>,
        ask: &mut RequestSource<'_>,
        observer: &dyn Observer,
    ) -> Result<Visited, Error> {
        if self.trust_close && self.way == Way::Carried {
            return Err(crate::Error::Options(CARRIED_CLOSE.into()).into());
        }
        let greeting = Greeting { way: self.way, token: notary.token.clone() };
        greeting.send(&mut channel).map_err(crate::Error::from)?;
        let mut rng = os_rng()?;
        observer.begins(Phase::Waiting);
        let told = OnceLock::new();
        let channel = in_line(channel, |turn| match turn {
            Turn::Waits(number) => observer.waits(number),
            Turn::Begins(terms) => {
                observer.begins(Phase::SettingUp);
                observer.hears(&terms);
                // It is said once.
                let _ = told.set(terms);
            }
        });
        let prover = Prover::start(channel, Options::default(), &mut rng)?;
        let untold = || crate::Error::Options("the notary has not told its limits".into());
        let terms = *told.get().ok_or_else(untold)?;
        self.check(&terms)?;
        let (page, response) = Session { visit: self, terms, observer }.prove(prover, probe, ask)?;
        observer.begins(Phase::AwaitingAttestation);
        let Attested { attestation, openings, leaves, stats, .. } = page.attestation(&notary.key)?;
        if let Some(wanted) = self.contract_signer {
            attestation.check_contract_signer(&[wanted]).map_err(crate::Error::from)?;
        }
        Ok(Visited { attestation, openings, leaves, response, stats })
    }
}

/// A visit, whose turn has come.
struct Session<'a> {
    visit: &'a Visit,
    terms: Terms,
    observer: &'a dyn Observer,
}

impl Session<'_> {
    /// As [`Visit::prove`], up to the attestation.
    fn prove<C: Channel>(
        &self,
        prover: Prover<C>,
        probe: Option<Probe>,
        ask: &mut RequestSource<'_>,
    ) -> Result<Proved<C>, Error> {
        // Why a request was not sent.
        let mut unprovable = None;
        let mut made = Zeroizing::new(Vec::new());
        let mut checked = |round, heard: &ReceivedResponses| {
            let request = ask(round, heard)?;
            made = Zeroizing::new([&made[..], &request[..]].concat());
            self.visit.preflight(&made).map_err(|error| {
                let reason = error.to_string();
                unprovable = Some(error);
                reason
            })?;
            Ok(request)
        };
        let proved = match self.visit.way {
            Way::Proxy => self.relayed(prover, &mut checked),
            Way::TwoParty | Way::Carried => self.together(prover, probe, &mut checked),
        };
        // What is wrong with a request says more than that it was not made.
        proved.map_err(|error| unprovable.unwrap_or(error))
    }

    fn together<C: Channel>(
        &self,
        mut prover: Prover<C>,
        probe: Option<Probe>,
        ask: &mut RequestSource<'_>,
    ) -> Result<Proved<C>, Error> {
        let Self { visit, terms, observer } = self;
        let received = MAX_RECEIVED.min(terms.received as usize);
        let target = visit.target(visit.wait(terms), received);
        let Probe { version, suite } = match probe.or_else(|| visit.named()) {
            Some(probe) => probe,
            None => visit.probe_within(&mut prover, &target, *observer)?,
        };
        let sizes = terms::fit(terms, Round::sizes(&visit.rounds, (version, suite), visit.expect))?;
        observer.begins(Phase::Preparing);
        let prepared = prover.prepare_web(sizes, os_rng()?)?;
        observer.begins(Phase::Fetching);
        let mut fetched = visit.converse(prepared, &target, ask)?;
        fetched.set_context(visit.context.clone());
        if visit.trust_close {
            fetched.trust_close()?;
        }
        if visit.selection.commit_all {
            fetched.commit_all(Seed::new(&mut os_rng()?));
        }
        let hide = fetched.select(&visit.selection).map_err(Error::Selection)?;
        self.agree(&fetched.expected(&hide, now()).map_err(Error::Page)?)?;
        observer.begins(Phase::Proving);
        let response = Zeroizing::new(fetched.response().to_vec());
        Ok((fetched.prove(&hide).map_err(Error::Page)?, response))
    }

    fn relayed<C: Channel>(
        &self,
        mut prover: Prover<C>,
        ask: &mut RequestSource<'_>,
    ) -> Result<Proved<C>, Error> {
        let Self { visit, terms, observer } = self;
        let Visit { host, port, roots, tls, suite, .. } = visit;
        let target = proxy::Target {
            host,
            port: *port,
            roots,
            max_received: MAX_RECEIVED,
            wait: visit.wait(terms),
            version: *tls,
            suite: *suite,
        };
        observer.begins(Phase::Fetching);
        let mut fetched = prover.converse(&target, visit.rounds.len(), ask)?;
        fetched.set_context(visit.context.clone());
        if visit.trust_close {
            fetched.trust_close();
        }
        if visit.selection.commit_all {
            fetched.commit_all(Seed::new(&mut os_rng()?));
        }
        let hide = fetched.select(&visit.selection).map_err(|error| Error::Selection(error.into()))?;
        self.agree(&fetched.expected(&hide, now()).map_err(|error| Error::Page(error.into()))?)?;
        observer.begins(Phase::Proving);
        let response = Zeroizing::new(fetched.response().to_vec());
        let (page, _) = prover.prove_web(&fetched, &hide, &mut os_rng()?).map_err(Error::Page)?;
        Ok((page, response))
    }

    /// Asks whether this may be signed.
    fn agree(&self, expected: &Statement) -> Result<(), Error> {
        if self.visit.contract_signer.is_some() {
            expected.check_for_contracts().map_err(Error::Contracts)?;
        }
        self.observer.agrees(expected).map_err(Error::Declined)
    }
}
