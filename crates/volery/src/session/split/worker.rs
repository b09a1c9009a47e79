//! A worker: it proves or verifies one shard, over a lot of its coordinator's.

use std::time::Duration;

use rand_core::CryptoRng;
use volery_channel::handshake::{Hello, Role};
use volery_channel::platform::Instant;
use volery_channel::{Channel, Error as ChannelError};
use volery_circuit::Statement;
use volery_field::Wiped;

use super::combine::MOST_BROUGHT;
use super::deal::{Place, ProverLot, VerifierLot};
use super::dealt::{Dealt, no_bits};
use super::shard::{Boundary, Captured, Shard};
use crate::Error;
use crate::session::{Common, Prover, Report, Verifier, digest};

/// What a worker tells its coordinator when its shard is proved: the tags or keys of the boundary wires,
/// which are a secret, and what they are of.
pub struct Proved<M: Copy + Default> {
    pub(super) shard: u32,
    pub(super) attempt: u32,
    /// The workers' session.
    pub(super) session: [u8; 32],
    /// The shard's digest.
    pub(super) digest: [u8; 32],
    /// The digest of all that P's worker sent, if challenges are hashes.
    pub(super) transcript: Option<[u8; 32]>,
    /// The number of boundary wires.
    pub(super) wires: usize,
    /// Their tags or keys; none if the worker keeps them until it is asked.
    pub(super) macs: Wiped<M>,
    pub(super) summary: Summary,
}

/// What the proof of a shard took at its worker, and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Bits of soundness.
    pub soundness_bits: f64,
    /// What it claims by itself.
    pub claims: u64,
    /// Secret values and multiplications.
    pub commitments: u64,
    /// Correlations that it used.
    pub correlations: u64,
    /// Bytes that the worker sent.
    pub bytes_sent: u64,
    /// Bytes that it received.
    pub bytes_received: u64,
    /// From the start of the worker's session to its end.
    pub time: Duration,
}

impl Summary {
    pub(super) fn of(report: &Report, stats: volery_channel::Stats, time: Duration) -> Self {
        let tallies = [&report.tally, &report.bits];
        let sum = |count: fn(&volery_zk::quicksilver::Tally) -> u64| tallies.map(count).iter().sum();
        Self {
            soundness_bits: report.soundness.bits(),
            claims: sum(|tally| tally.claims()),
            commitments: sum(|tally| tally.secrets.saturating_add(tally.multiplications)),
            correlations: report.correlations,
            bytes_sent: stats.bytes_sent,
            bytes_received: stats.bytes_received,
            time,
        }
    }
}

impl<M: Copy + Default> core::fmt::Debug for Proved<M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut out = f.debug_struct("Proved");
        out.field("shard", &self.shard).field("attempt", &self.attempt).field("wires", &self.wires);
        out.field("summary", &self.summary).finish_non_exhaustive()
    }
}

impl<M: Copy + Default> Proved<M> {
    /// What the worker keeps of it if there are many boundary wires: their tags or keys, which the
    /// coordinator asks about.
    pub(super) fn take_many(&mut self) -> Option<Wiped<M>> {
        (self.wires > MOST_BROUGHT).then(|| core::mem::take(&mut self.macs))
    }

    /// Whether it has so many boundary wires, and brings all of their tags or keys, or of many none.
    pub(super) fn has(&self, boundary: usize) -> bool {
        let here = self.macs.len();
        self.wires == boundary && (here == boundary || (here == 0 && boundary > MOST_BROUGHT))
    }

    /// Whether the worker keeps the tags or keys.
    pub(super) fn is_kept(&self) -> bool {
        self.wires > self.macs.len()
    }

    /// What the proof took.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }
}

/// Why a shard is not proved.
#[derive(Debug, thiserror::Error)]
pub enum Lost {
    /// The connection between the two workers broke. The shard may be tried again, unless V is exposed.
    #[error("the connection between two workers broke: {error}")]
    Connection {
        /// How it broke.
        error: Error,
        /// Whether V has told P what tells a cheating P delta, and P has not shown that it has not cheated.
        exposed: bool,
    },
    /// The worker itself is gone, and nobody knows how far it was.
    #[error("a worker is gone: {0}")]
    Gone(String),
    /// Anything else: a check that failed, a rejection, a statement that is not the same. It is final.
    #[error(transparent)]
    Failed(Error),
}

impl Lost {
    /// What an error of a worker's means for its shard.
    pub(super) fn of(error: Error, exposed: bool) -> Self {
        match is_lost_connection(&error) {
            true => Self::Connection { error, exposed },
            false => Self::Failed(error),
        }
    }
}

/// Whether the connection is to blame, and neither what the peer said nor this party.
fn is_lost_connection(error: &Error) -> bool {
    let channel = match error {
        Error::Channel(error)
        | Error::Correlations(volery_vole::Error::Channel(error))
        | Error::Proof(
            volery_zk::Error::Channel(error)
            | volery_zk::Error::Correlations(volery_vole::Error::Channel(error)),
        ) => error,
        _ => return false,
    };
    matches!(
        channel,
        ChannelError::Closed { .. } | ChannelError::TimedOut { .. } | ChannelError::Transport { .. }
    )
}

/// Shakes hands with the peer's worker of the same lot.
fn meet(
    place: &Place,
    role: Role,
    channel: &mut dyn Channel,
    rng: &mut dyn CryptoRng,
) -> Result<Common, Lost> {
    let mut met = || {
        let threads = place.options.pool()?;
        let hello = Hello::new(role, place.parameters()?, rng);
        hello.send(channel)?;
        let hellos = hello.receive(channel)?;
        Ok(Common::of(place.worker(hellos.id()), place.options, threads))
    };
    met().map_err(|error: Error| {
        channel.fail(error.public_reason());
        Lost::of(error, false)
    })
}

/// P's worker: proves `shard`, whose witness is inside it. The peer's worker is at the other end of
/// `channel`.
///
/// # Errors
/// [`Lost::Connection`] if the shard may be tried again; otherwise [`Lost::Failed`] with an error as of
/// [`Prover::prove`].
pub fn prove_shard<Y, S, C>(
    channel: C,
    lot: ProverLot<Y>,
    system: Y,
    shard: &S,
    rng: &mut dyn CryptoRng,
) -> Result<Proved<Y::Mac>, Lost>
where
    Y: Dealt,
    C: Channel,
    S: for<'a> Shard<Y::Ring, Y::Prover<'a>> + ?Sized,
    for<'a> Y::Prover<'a>: Boundary<Y::Ring, Y::Mac>,
{
    let start = Instant::now();
    let (mut channel, ProverLot { place, shares }) = (channel, lot);
    let captured = Captured::<S, Y::Ring, Y::Mac>::new(shard);
    let commitments = Statement::<Y::Prover<'_>>::commitments(&captured);
    let common = meet(&place, Role::Prover, &mut channel, rng)?;
    let session = *common.id.as_bytes();
    let digest = digest::<Y::Prover<'_>>(&captured);
    let mut prover = Prover { channel, common, pool: no_bits(), extension: None, field: None };
    let result = Y::start_prover(&mut prover.side(), shares, commitments, rng);
    let result = result.and_then(|()| prover.try_prove(&system, &captured, || Ok(()), rng));
    let result = match result {
        // The peer is to see a connection that broke, and no party that gives up: it may be tried again.
        Err(error) if is_lost_connection(&error) => {
            prover.common.burn(&mut prover.pool, &mut prover.field);
            Err(error)
        }
        result => prover.conclude(result),
    };
    let report = result.map_err(|error| Lost::of(error, false))?;
    let summary = Summary::of(&report, prover.channel.stats(), start.elapsed());
    let (shard, attempt, transcript) = (place.shard, place.attempt, report.tally.transcript);
    let macs = captured.into_macs();
    Ok(Proved { shard, attempt, session, digest, transcript, wires: macs.len(), macs, summary })
}

/// V's worker: verifies that `shard` was proved.
///
/// # Errors
/// As [`prove_shard`]; [`Lost::Failed`] with a rejection if the proof is wrong.
pub fn verify_shard<Y, S, C>(
    channel: C,
    lot: VerifierLot<Y>,
    system: Y,
    shard: &S,
    rng: &mut dyn CryptoRng,
) -> Result<Proved<Y::Mac>, Lost>
where
    Y: Dealt,
    C: Channel,
    S: for<'a> Shard<Y::Ring, Y::Verifier<'a>> + ?Sized,
    for<'a> Y::Verifier<'a>: Boundary<Y::Ring, Y::Mac>,
{
    let start = Instant::now();
    let (mut channel, VerifierLot { place, keys, delta }) = (channel, lot);
    let captured = Captured::<S, Y::Ring, Y::Mac>::new(shard);
    let commitments = Statement::<Y::Verifier<'_>>::commitments(&captured);
    let common = meet(&place, Role::Verifier, &mut channel, rng)?;
    let session = *common.id.as_bytes();
    let digest = digest::<Y::Verifier<'_>>(&captured);
    let binary = Y::binary_delta(&delta);
    let mut verifier =
        Verifier { channel, common, pool: no_bits(), delta: binary, extension: None, field: None };
    let result = Y::start_verifier(&mut verifier.side(), (keys, &delta), commitments, rng);
    // A shard need not claim anything by itself: the coordinator asks whether the whole statement does.
    let result = result.and_then(|()| verifier.try_verify(&system, &captured, |_| Ok(()), rng));
    let result = match result {
        Err(error) if is_lost_connection(&error) => {
            verifier.common.burn(&mut verifier.pool, &mut verifier.field);
            Err(error)
        }
        result => verifier.conclude(result),
    };
    let exposed = verifier.field.as_ref().is_some_and(|field| field.is_exposed());
    let report = result.map_err(|error| Lost::of(error, exposed))?;
    let summary = Summary::of(&report, verifier.channel.stats(), start.elapsed());
    let (shard, attempt, transcript) = (place.shard, place.attempt, report.tally.transcript);
    let macs = captured.into_macs();
    Ok(Proved { shard, attempt, session, digest, transcript, wires: macs.len(), macs, summary })
}
