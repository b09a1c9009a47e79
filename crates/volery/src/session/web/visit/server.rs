//! What a website chooses, and the connection to it.

use core::time::Duration;

use volery_channel::Channel;
use volery_tls::dialogue::RequestSource;
use volery_tls::disclosure::Suite;
use volery_tls::joint;
use volery_tls::joint::client::{self, ConnectionLimits, Probe, Target};

use super::{Error, MAX_RECEIVED, Observer, Phase, SERVER_TIME, Visit};
use crate::notary::Way;
use crate::{FetchedTogether, PreparedProver, Prover};

/// What comes of asking a website for one cipher suite. An error of the second kind is for the next suite to
/// mend.
type Asked = Result<Result<Probe, client::Failure>, Error>;

impl Visit {
    /// Asks the website for its version of TLS and cipher suite, if two parties prepare for them and P
    /// connects by itself: for [`Visit::prove`], which asks if this was not called. So a website that cannot
    /// be served is found out before the notary is called.
    ///
    /// Without a question the answer is what the caller names, or `None`: proxy mode needs no answer ahead,
    /// and a notary that carries the connection is asked in the session.
    ///
    /// # Errors
    /// [`Error::Session`], for a website that cannot be reached, is not to be trusted, or has nothing that
    /// can be proved; and in WebAssembly, which has no sockets, where P would have to connect by itself.
    pub fn probe(&self, observer: &dyn Observer) -> Result<Option<Probe>, Error> {
        match self.way {
            Way::Proxy => Ok(None),
            Way::Carried => Ok(self.named()),
            Way::TwoParty => self.named().map_or_else(|| self.probe_alone(observer), Ok).map(Some),
        }
    }

    /// What the caller names, if that leaves nothing open.
    pub(super) fn named(&self) -> Option<Probe> {
        self.tls.zip(self.suite).map(|(version, suite)| Probe { version, suite })
    }

    fn probe_alone(&self, observer: &dyn Observer) -> Result<Probe, Error> {
        let target = self.target(self.longest_wait(), MAX_RECEIVED);
        self.ask_server(observer, &mut |suite| probe_dialed(self, &target, suite))
    }

    /// As [`Visit::probe`], in a session, over the connection that this one will take.
    pub(super) fn probe_within<C: Channel>(
        &self,
        prover: &mut Prover<C>,
        target: &Target<'_>,
        observer: &dyn Observer,
    ) -> Result<Probe, Error> {
        if self.way != Way::Carried {
            return self.probe_alone(observer);
        }
        self.ask_server(observer, &mut |suite| {
            let mut stream = prover.carried(&self.host, self.port, &target.limits)?;
            let found = client::probe(&mut stream, target, self.tls, suite);
            // The next question takes another connection.
            let closed = stream.close();
            Ok(found.and_then(|found| closed.map(|_| found).map_err(client::Failure::from)))
        })
    }

    /// Asks for one suite after the other.
    fn ask_server(
        &self,
        observer: &dyn Observer,
        ask: &mut dyn FnMut(Suite) -> Asked,
    ) -> Result<Probe, Error> {
        observer.begins(Phase::AskingServer);
        let suites = self.suite.as_ref().map_or(&joint::SUITES[..], core::slice::from_ref);
        let mut found = Err(client::Failure::NothingInCommon);
        for suite in suites {
            found = ask(*suite)?;
            if found != Err(client::Failure::NothingInCommon) {
                break;
            }
        }
        Ok(found.map_err(joint::Error::from).map_err(crate::Error::from)?)
    }

    /// The website as two parties see it, which may take this long for its next bytes.
    pub(super) fn target(&self, idle: Duration, received: usize) -> Target<'_> {
        let total = SERVER_TIME.saturating_add(idle);
        let limits = ConnectionLimits { received, idle, total, ..ConnectionLimits::default() };
        let Self { host, roots, tls, no_alpn, .. } = self;
        Target { host, roots, probed: tls.is_none(), limits, no_alpn: *no_alpn }
    }

    /// Makes the requests of a connection that is prepared.
    pub(super) fn converse<C: Channel, R: rand_core::CryptoRng>(
        &self,
        prepared: PreparedProver<C, R>,
        target: &Target<'_>,
        ask: &mut RequestSource<'_>,
    ) -> Result<FetchedTogether<C, R>, crate::Error> {
        match self.way {
            Way::Carried => prepared.converse_carried(target, self.port, ask),
            Way::TwoParty | Way::Proxy => converse_dialed(prepared, target, self.port, ask),
        }
    }
}

#[cfg(not(target_family = "wasm"))]
fn probe_dialed(visit: &Visit, target: &Target<'_>, suite: Suite) -> Asked {
    let stream = client::dial(&visit.host, visit.port, &target.limits);
    Ok(stream.and_then(|stream| client::probe(stream, target, visit.tls, suite)))
}

#[cfg(not(target_family = "wasm"))]
fn converse_dialed<C: Channel, R: rand_core::CryptoRng>(
    prepared: PreparedProver<C, R>,
    target: &Target<'_>,
    port: u16,
    ask: &mut RequestSource<'_>,
) -> Result<FetchedTogether<C, R>, crate::Error> {
    prepared.converse(target, port, ask)
}

#[cfg(target_family = "wasm")]
fn no_sockets() -> crate::Error {
    let reason = "WebAssembly has no sockets, so the notary has to carry the connection (Way::Carried)";
    crate::Error::Options(reason.into())
}

#[cfg(target_family = "wasm")]
fn probe_dialed(_visit: &Visit, _target: &Target<'_>, _suite: Suite) -> Asked {
    Err(no_sockets().into())
}

#[cfg(target_family = "wasm")]
fn converse_dialed<C: Channel, R: rand_core::CryptoRng>(
    _prepared: PreparedProver<C, R>,
    _target: &Target<'_>,
    _port: u16,
    _ask: &mut RequestSource<'_>,
) -> Result<FetchedTogether<C, R>, crate::Error> {
    Err(no_sockets())
}
