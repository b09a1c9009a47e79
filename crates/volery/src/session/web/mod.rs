//! What a website said, over a session: proxy mode of [`volery_tls::proxy`]. The mode of two parties is in [`joint`].
//!
//! ```text
//! P                                              V                       server
//! set-up                     <---------->        set-up
//! fetch, converse            <---------->        relay         <------>
//! prove_web                  <---------->        verify_web
//! attestation                <-----------        attest
//! ```

mod joint;

pub use joint::{FetchedTogether, PreparedProver, PreparedVerifier, Watched};

use std::sync::Arc;

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::tags::WEB_ATTESTATION;
use volery_tls::attestation::{self, Attestation, SigningKey};
use volery_tls::claim::Vocabulary;
use volery_tls::dialogue::Ask;
use volery_tls::proxy::relay::{self, Relayed, Rules};
use volery_tls::proxy::{self, Fetched, Hide, Proven, Target};
use volery_tls::server::Roots;

use super::{Prover, Report, Verifier};
use crate::Error;

impl<C: Channel> Prover<C> {
    /// Sends `request` to a server through V and takes its response. Nothing is told to V yet but the ciphertexts that it relays.
    ///
    /// The request must have a `Host`, and should have `Connection: close` and `Accept-Encoding: identity`.
    ///
    /// # Errors
    /// [`Error::Web`]; [`Error::Over`] after an earlier error.
    pub fn fetch(&mut self, target: &Target<'_>, request: &[u8]) -> Result<Fetched, Error> {
        if self.common.over {
            return Err(Error::Over);
        }
        let result = proxy::fetch(&mut self.channel, target, request).map_err(Error::from);
        self.conclude(result)
    }

    /// As [`Prover::fetch`], with `rounds` requests on one connection, which `ask` makes: each when the response to the one before is there.
    /// All but the last should have `Connection: keep-alive`.
    ///
    /// # Errors
    /// As [`Prover::fetch`].
    pub fn converse(
        &mut self,
        target: &Target<'_>,
        rounds: usize,
        ask: &mut Ask<'_>,
    ) -> Result<Fetched, Error> {
        if self.common.over {
            return Err(Error::Over);
        }
        let result = proxy::converse(&mut self.channel, target, rounds, ask).map_err(Error::from);
        self.conclude(result)
    }

    /// Shows V the connection's payload but what `hide` names, and proves it together with the claims.
    ///
    /// # Errors
    /// [`Error::Web`] for what V would refuse; as [`Prover::prove`].
    pub fn prove_web(
        &mut self,
        fetched: &Fetched,
        hide: &[Hide],
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        if self.common.over {
            return Err(Error::Over);
        }
        let session = fetched.disclose(&mut self.channel, hide).map_err(Error::from);
        let session = self.conclude(session)?;
        self.prove(&session, rng)
    }

    /// Waits for V's signed statement, which must be by the owner of this key.
    ///
    /// # Errors
    /// [`Error::Attestation`] if it is not one, or not by that key; the channel's.
    pub fn attestation(&mut self, key: &[u8; 32]) -> Result<Attestation, Error> {
        if self.common.over {
            return Err(Error::Over);
        }
        let result = self.try_attestation(key);
        self.conclude(result)
    }

    fn try_attestation(&mut self, key: &[u8; 32]) -> Result<Attestation, Error> {
        let attestation =
            Attestation::from_bytes(self.channel.recv(WEB_ATTESTATION, attestation::MAX_BYTES)?)?;
        attestation.verify(key)?;
        Ok(attestation)
    }
}

impl<C: Channel> Verifier<C> {
    /// Adds claims that provers can make about hidden parts, besides those of [`volery_tls::claim::Assertion`]: any
    /// [`Statement`](crate::Statement) over bits, under a name ([`Own`](volery_tls::claim::Own), [`OfBytes`](volery_tls::claim::OfBytes)). They
    /// replace those of earlier calls.
    pub fn set_vocabulary(&mut self, vocabulary: Arc<dyn Vocabulary>) {
        self.common.vocabulary = vocabulary;
    }

    /// Relays one connection of P's to a server that `rules` allow.
    ///
    /// # Errors
    /// [`Error::Web`]; [`Error::Over`] after an earlier error.
    pub fn relay(&mut self, rules: &Rules) -> Result<Relayed, Error> {
        if self.common.over {
            return Err(Error::Over);
        }
        let relayed = relay::serve(&mut self.channel, rules);
        self.conclude(relayed.map_err(|error| proxy::Error::from(error).into()))
    }

    /// Verifies what P says and proves of a connection that this party relayed. `roots` are the authorities that it believes, `time` is
    /// now, in seconds since 1970 (UTC).
    ///
    /// # Errors
    /// [`Error::Web`] for a connection, or a message about it, of which nothing can be believed; as [`Verifier::verify`].
    pub fn verify_web(
        &mut self,
        relayed: &Relayed,
        roots: &Roots,
        time: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(Proven, Report), Error> {
        if self.common.over {
            return Err(Error::Over);
        }
        let vocabulary = &*self.common.vocabulary;
        let received =
            proxy::receive(&mut self.channel, relayed, roots, time, vocabulary).map_err(Error::from);
        let (session, pending) = self.conclude(received)?;
        let report = self.verify(&session, rng)?;
        Ok((pending.proven(), report))
    }

    /// Signs what was proved, and sends it to P.
    ///
    /// # Errors
    /// [`Error::Attestation`] for what cannot be signed; the channel's.
    pub fn attest(&mut self, proven: &Proven, key: &SigningKey) -> Result<Attestation, Error> {
        if self.common.over {
            return Err(Error::Over);
        }
        let result = self.try_attest(proven, key);
        self.conclude(result)
    }

    fn try_attest(&mut self, proven: &Proven, key: &SigningKey) -> Result<Attestation, Error> {
        let statement =
            proven.statement().ok_or(proxy::Error::Misuse("what is shown lies outside of the payload"))?;
        let attestation = Attestation::sign(statement, key)?;
        self.channel.send(WEB_ATTESTATION, &attestation.to_bytes())?;
        self.channel.flush()?;
        Ok(attestation)
    }
}
