//! What V may believe after the proof, and what it can sign.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_vole::correlations::Pool;
use volery_vole::{Delta, SessionId};

use super::redaction::{Hidden, RedactedPayload, places};
use super::{Suite, TlsVersion};
use crate::page::attestation::{AttestedPayload, Committed, Context, Mode, Statement};
use crate::page::commitment::{Commitment, CommittedBits};
use crate::wire::prf::Side;
use crate::wire::server::Identity;

/// V after the proof. P may want to commit to hidden parts. The session then ends with that, and there is
/// nothing to sign before.
pub struct Accepted {
    pub(super) proven: Proven,
    pub(super) committed_bits: Option<CommittedBits>,
}

impl core::fmt::Debug for Accepted {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Accepted").field("proven", &self.proven).finish_non_exhaustive()
    }
}

impl Accepted {
    /// What V may believe, if P commits to nothing. The session can then continue.
    ///
    /// # Errors
    /// This value again, if P commits to something.
    #[allow(clippy::result_large_err, reason = "what comes back is what went in")]
    pub fn without_commitments(self) -> Result<Proven, Self> {
        match self.committed_bits {
            None => Ok(self.proven),
            Some(_) => Err(self),
        }
    }

    /// Receives P's commitments, if there are any, and so ends everything under delta. [`CommittedBits`] says
    /// what the caller must have dropped before.
    ///
    /// # Errors
    /// As [`Verifier::receive`](crate::commitment::Verifier::receive) and
    /// [`Verifier::reveal`](crate::commitment::Verifier::reveal).
    pub fn receive<R: CryptoRng + ?Sized>(
        self,
        channel: &mut dyn Channel,
        session: &SessionId,
        own: (Delta, Pool),
        rng: &mut R,
    ) -> Result<Proven, crate::Error> {
        let Self { mut proven, committed_bits } = self;
        if let Some(committed_bits) = committed_bits {
            proven.commitments = committed_bits.receive(channel, session, own, rng)?;
        }
        Ok(proven)
    }
}

/// The facts about a connection, under the trust that its [`Mode`] requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    /// How the connection was made.
    pub mode: Mode,
    /// The version of TLS.
    pub tls: TlsVersion,
    /// The cipher suite.
    pub suite: Suite,
    /// The server's identity.
    pub identity: Identity,
    /// The server's port. The mode determines how it is known (see [`Statement::port`]).
    pub port: u16,
    /// Whether the server named HTTP/1.1 as its protocol (ALPN): see [`Statement::alpn`].
    pub alpn: bool,
    /// The number of requests, and of responses.
    pub rounds: usize,
    /// Whether a request was sent before the response to the one before it had come: see
    /// [the order of rounds](crate::disclosure#several-requests).
    pub pipelined: bool,
    /// The context that P wants to have signed.
    pub context: Context,
    /// The public key of whoever will make presentations, if P commits to everything.
    pub holder: Option<[u8; 32]>,
    /// The request: what V saw of it, and the claims about the rest.
    pub request: RedactedPayload,
    /// The response, in the same form. It is complete.
    pub response: RedactedPayload,
    /// The commitments to hidden strings, the request's first. Their number for each string is that of its
    /// [`Place`](crate::commitment::Place).
    pub commitments: Vec<Commitment>,
}

impl Proven {
    /// What V can sign: everything shown, the positions of the rest, the claims about it, and the
    /// commitments. `None` if a shown range is outside its text, or if commitments are missing or too many;
    /// earlier checks rule that out.
    #[must_use]
    pub fn statement(&self) -> Option<Statement> {
        let shown = [&self.request, &self.response];
        let wanted: u64 = places(shown).iter().map(|place| place.values()).sum();
        if wanted != self.commitments.len() as u64 {
            return None;
        }
        let mut points = self.commitments.iter().map(Commitment::to_bytes);
        let [mut query, mut response] = parts(shown)?;
        for (side, part) in [(Side::Client, &mut query), (Side::Server, &mut response)] {
            part.commitments =
                part.hidden.iter().filter_map(|hidden| committed(side, hidden, &mut points)).collect();
        }
        let identity = &self.identity;
        Some(Statement {
            mode: self.mode,
            tls: self.tls,
            suite: self.suite,
            server_name: identity.name().into(),
            port: self.port,
            alpn: self.alpn,
            certificate: *identity.certificate(),
            time: identity.time(),
            rounds: u32::try_from(self.rounds).ok()?,
            pipelined: self.pipelined,
            context: self.context.clone(),
            holder: self.holder,
            query,
            response,
        })
    }
}

/// What a statement says about request and response, without commitments. `None` if a shown range is outside
/// its text.
pub(super) fn parts([request, response]: [&RedactedPayload; 2]) -> Option<[AttestedPayload; 2]> {
    let part = |shown: &RedactedPayload| {
        let revealed = AttestedPayload::revealing(&shown.text, &shown.revealed().collect::<Vec<_>>())?;
        Some(AttestedPayload { hidden: shown.hidden.clone(), ..revealed })
    };
    Some([part(request)?, part(response)?])
}

/// A hidden string that is committed to, with its commitments, which are the next ones.
fn committed(side: Side, hidden: &Hidden, points: &mut impl Iterator<Item = [u8; 32]>) -> Option<Committed> {
    let place = hidden.place(side)?;
    Some(Committed {
        part: hidden.name(),
        form: place.form,
        ranges: hidden.ranges.iter().map(|range| range.start as u64..range.end as u64).collect(),
        points: points.take(usize::try_from(place.values()).ok()?).collect(),
    })
}
