//! Lots: what a coordinator gives a worker.

use volery_channel::handshake::Parameters;
use volery_field::Wiped;
use volery_vole::{Oracle, SessionId};
use zeroize::Zeroizing;

use super::Dealt;
use crate::Error;
use crate::session::Options;

/// Which worker a lot is for, and how its session is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The coordinators' session.
    pub(super) session: SessionId,
    pub(super) options: Options,
    pub(super) shard: u32,
    /// Lots of this shard that were dealt before.
    pub(super) attempt: u32,
    /// What the workers of this lot know and a stranger does not.
    pub(super) token: [u8; 16],
}

impl Place {
    pub(super) fn new(session: SessionId, options: Options, place: (u32, u32), seed: &[u8; 32]) -> Self {
        let (shard, attempt) = place;
        let token = Oracle::new("split: token", &session).hash(0, &[&numbers(shard, attempt), seed]);
        Self { session, options, shard, attempt, token }
    }

    /// What the workers compare when they meet: the usual, and which lot they have. A worker of another
    /// shard, attempt or session, and a stranger, have another one.
    pub(super) fn parameters(&self) -> Result<Parameters, Error> {
        let oracle = Oracle::new("split: name of a lot", &self.session);
        let name: [u8; 16] = oracle.hash(0, &[&numbers(self.shard, self.attempt), &self.token]);
        let name: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(self.options.session_parameters()?.with("worker", name)?)
    }

    /// The identifier of the workers' session, from that of their hellos.
    pub(super) fn worker(&self, hellos: &[u8; 32]) -> SessionId {
        let oracle = Oracle::new("split: worker's session", &self.session);
        SessionId::new(oracle.hash(0, &[&numbers(self.shard, self.attempt), hellos]))
    }
}

fn numbers(shard: u32, attempt: u32) -> [u8; 8] {
    let mut out = [0; 8];
    out[..4].copy_from_slice(&shard.to_le_bytes());
    out[4..].copy_from_slice(&attempt.to_le_bytes());
    out
}

/// P's part of a lot, for one worker and one attempt. It is a secret, and good for one proof.
pub struct ProverLot<Y: Dealt> {
    pub(super) place: Place,
    pub(super) shares: Wiped<Y::ProverShare>,
}

/// V's part of a lot, with delta, for one worker and one attempt. Whoever has it can forge proofs of the
/// whole session.
pub struct VerifierLot<Y: Dealt> {
    pub(super) place: Place,
    pub(super) keys: Wiped<Y::Mac>,
    pub(super) delta: Zeroizing<Y::Mac>,
}

/// A party's part of a lot.
pub trait Lot {
    /// The shard that it is for.
    fn shard(&self) -> usize;

    /// How many lots of this shard were dealt before.
    fn attempt(&self) -> u32;

    /// What both workers of this lot know, and nobody else: for whoever brings the two together.
    fn token(&self) -> [u8; 16];
}

macro_rules! lot {
    ($lot:ident) => {
        impl<Y: Dealt> Lot for $lot<Y> {
            fn shard(&self) -> usize {
                self.place.shard as usize
            }

            fn attempt(&self) -> u32 {
                self.place.attempt
            }

            fn token(&self) -> [u8; 16] {
                self.place.token
            }
        }

        impl<Y: Dealt> core::fmt::Debug for $lot<Y> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let Place { shard, attempt, .. } = &self.place;
                let mut out = f.debug_struct(stringify!($lot));
                out.field("shard", shard).field("attempt", attempt).finish_non_exhaustive()
            }
        }
    };
}
lot!(ProverLot);
lot!(VerifierLot);
