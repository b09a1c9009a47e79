//! What a website said, over a session: proxy mode of [`volery_tls::proxy`]. The mode of two parties is in
//! [`joint`].
//!
//! ```text
//! P                                              V                       server
//! set-up                     <---------->        set-up
//! fetch, converse            <---------->        relay         <------>
//! prove_web                  <---------->        verify_web
//! attestation                <-----------        attest
//! ```
//!
//! `prove_web` and `verify_web` take the session, because it ends there if P commits to something ([`page`]).
//! [`visit`] is all of it at the prover, in either mode.

mod estimate;
mod fault;
mod joint;
mod page;
pub mod visit;

pub use estimate::PagePlan;
pub use fault::PageFault;
pub use joint::{FetchedTogether, PreparedProver, PreparedVerifier, Watched};
pub use page::{Attested, ProvedPage, Signed, VerifiedPage};

use std::sync::{Arc, Mutex, PoisonError};

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_circuit::Digest;
use volery_field::Gf128;
use volery_tls::claim::{CustomClaim, Vocabulary};
use volery_tls::commitment::CommittedBits;
use volery_tls::dialogue::RequestSource;
use volery_tls::proxy::{self, Fetched, ProxyStatement, Redaction, Target};
#[cfg(not(target_family = "wasm"))]
use volery_tls::{
    proxy::Accepted,
    relay::{self, Relayed, Rules},
    server::Roots,
};
use volery_zk::quicksilver::{
    self,
    bits::{ProverWire, VerifierWire},
};
use zeroize::Zeroizing;

use super::system::Bits;
use super::{Prover, Report, Verifier};
use crate::Error;
use page::{Disclosed, now};

/// The vocabulary of a V that has none of its own.
pub(super) fn no_claims() -> Arc<dyn Vocabulary> {
    Arc::new(Vec::<CustomClaim>::new())
}

impl<C: Channel> Prover<C> {
    /// Sends `request` to a server through V and takes its response. Nothing is told to V yet but the
    /// ciphertexts that it relays.
    ///
    /// The request must have a `Host`, and should have `Connection: close` and `Accept-Encoding: identity`.
    ///
    /// # Errors
    /// [`Error::Web`]; [`Error::Over`] after an earlier error.
    pub fn fetch(&mut self, target: &Target<'_>, request: &[u8]) -> Result<Fetched, Error> {
        self.not_rehearsed()?;
        if self.common.over {
            return Err(Error::Over);
        }
        let result = proxy::fetch(&mut self.channel, target, request).map_err(Error::from);
        self.conclude(result)
    }

    /// As [`Prover::fetch`], with `rounds` requests on one connection, which `ask` makes: each when the
    /// response to the one before is there. All but the last should have `Connection: keep-alive`.
    ///
    /// # Errors
    /// As [`Prover::fetch`].
    pub fn converse(
        &mut self,
        target: &Target<'_>,
        rounds: usize,
        ask: &mut RequestSource<'_>,
    ) -> Result<Fetched, Error> {
        self.not_rehearsed()?;
        if self.common.over {
            return Err(Error::Over);
        }
        let result = proxy::converse(&mut self.channel, target, rounds, ask).map_err(Error::from);
        self.conclude(result)
    }

    /// Shows V the connection's payload but what `hide` names, and proves it together with the claims; then
    /// commits to what `hide` says is to be committed to.
    ///
    /// # Errors
    /// [`Error::Web`] for what V would refuse; as [`Prover::prove`]; [`Error::Commitments`] for a V that
    /// cheats in the conversion.
    pub fn prove_web(
        mut self,
        fetched: &Fetched,
        hide: &[Redaction],
        rng: &mut dyn CryptoRng,
    ) -> Result<(ProvedPage<C>, Report), Error> {
        self.not_rehearsed()?;
        if self.common.over {
            return Err(Error::Over);
        }
        let result = self.try_prove_web(fetched, hide, rng);
        let (disclosed, report) = self.conclude(result)?;
        Ok((ProvedPage::new(self, disclosed, rng)?, report))
    }

    fn try_prove_web(
        &mut self,
        fetched: &Fetched,
        hide: &[Redaction],
        rng: &mut dyn CryptoRng,
    ) -> Result<(Disclosed, Report), Error> {
        let (expected, leaves) = (fetched.expected(hide, now())?, fetched.leaf_openings(hide)?);
        // Which evaluates the claims.
        let shares = Shares::of(fetched.disclose(&mut self.channel, hide)?);
        let report = self.try_prove(&Bits, &shares, || Ok(()), rng)?;
        Ok((Disclosed { expected, leaves, committed_bits: shares.committed_bits()? }, report))
    }
}

impl<C: Channel> Verifier<C> {
    /// Adds claims that provers can make about hidden parts, besides those of
    /// [`volery_tls::claim::Assertion`]: any [`Statement`](crate::Statement) over bits, under a name
    /// ([`CustomClaim`](volery_tls::claim::CustomClaim),
    /// [`StatementClaim`](volery_tls::claim::StatementClaim)). They replace those of
    /// earlier calls.
    pub fn set_vocabulary(&mut self, vocabulary: Arc<dyn Vocabulary>) {
        self.common.vocabulary = vocabulary;
    }

    /// Relays one connection of P's to a server that `rules` allow. Not in WebAssembly, which has no sockets.
    ///
    /// # Errors
    /// [`Error::Web`]; [`Error::Over`] after an earlier error.
    #[cfg(not(target_family = "wasm"))]
    pub fn relay(&mut self, rules: &Rules) -> Result<Relayed, Error> {
        if self.common.over {
            return Err(Error::Over);
        }
        let relayed = relay::serve(&mut self.channel, rules);
        self.conclude(relayed.map_err(|error| proxy::Error::from(error).into()))
    }

    /// Verifies what P says and proves of a connection that this party relayed, and receives P's commitments.
    /// `roots` are the authorities that it believes, `time` is now, in seconds since 1970 (UTC).
    ///
    /// # Errors
    /// [`Error::Web`] for a connection, or a message about it, that it cannot believe; as
    /// [`Verifier::verify`]; [`Error::Commitments`] for commitments to anything else than the proved bits.
    #[cfg(not(target_family = "wasm"))]
    pub fn verify_web(
        mut self,
        relayed: &Relayed,
        roots: &Roots,
        time: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(VerifiedPage<C>, Report), Error> {
        if self.common.over {
            return Err(Error::Over);
        }
        let result = self.try_verify_web(relayed, roots, time, rng);
        let (accepted, report) = self.conclude(result)?;
        Ok((VerifiedPage::new(self, accepted, rng)?, report))
    }

    #[cfg(not(target_family = "wasm"))]
    fn try_verify_web(
        &mut self,
        relayed: &Relayed,
        roots: &Roots,
        time: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(Accepted, Report), Error> {
        let vocabulary = &*self.common.vocabulary;
        let (session, pending) = proxy::receive(&mut self.channel, relayed, roots, time, vocabulary)?;
        let shares = Shares::of(session);
        // If nothing is hidden there may be nothing to claim.
        let report = self.try_verify(&Bits, &shares, |_| Ok(()), rng)?;
        Ok((pending.accept(shares.committed_bits()?), report))
    }
}

/// The statement about a connection; keeps this party's tags or keys of the bits that are to be committed to.
struct Shares {
    session: ProxyStatement,
    kept: Mutex<Zeroizing<Vec<Gf128>>>,
}

impl Shares {
    fn of(session: ProxyStatement) -> Self {
        Self { session, kept: Mutex::default() }
    }

    fn keep(&self, shares: impl Iterator<Item = Gf128>) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Zeroizing::new(shares.collect());
    }

    /// This party's shares of the bits to commit to, in a proof that V has accepted.
    fn committed_bits(self) -> Result<Option<CommittedBits>, Error> {
        let kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(self.session.committed_bits(kept)?)
    }
}

impl<'a> crate::Statement<quicksilver::bits::Prover<'a>> for Shares {
    fn identify(&self, digest: &mut Digest) {
        crate::Statement::<quicksilver::bits::Prover<'a>>::identify(&self.session, digest);
    }

    fn commitments(&self) -> Option<u64> {
        crate::Statement::<quicksilver::bits::Prover<'a>>::commitments(&self.session)
    }

    fn run(&self, prover: &mut quicksilver::bits::Prover<'a>) -> Result<(), volery_zk::Error> {
        let wires = self.session.claim(prover)?;
        self.keep(wires.into_iter().map(ProverWire::tag));
        Ok(())
    }
}

impl<'a> crate::Statement<quicksilver::bits::Verifier<'a>> for Shares {
    fn identify(&self, digest: &mut Digest) {
        crate::Statement::<quicksilver::bits::Verifier<'a>>::identify(&self.session, digest);
    }

    fn commitments(&self) -> Option<u64> {
        crate::Statement::<quicksilver::bits::Verifier<'a>>::commitments(&self.session)
    }

    fn run(&self, verifier: &mut quicksilver::bits::Verifier<'a>) -> Result<(), volery_zk::Error> {
        let wires = self.session.claim(verifier)?;
        self.keep(wires.into_iter().map(VerifierWire::key));
        Ok(())
    }
}
