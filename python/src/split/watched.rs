//! How far a split proof is, and a lot server that tells it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use volery::Error;
use volery::field::Ring;
use volery::split::remote::{DeadWorkers, LotOf, LotServer};
use volery::split::{Answered, Ended, Question, Workers};

use crate::failure::Failure;
use crate::worker::{Stop, locked};

/// How far a split proof is, as the waiting thread sees it.
#[derive(Clone, Default)]
pub(super) struct Told(pub(super) Arc<Mutex<Progress>>);

/// See [`Told`].
#[derive(Default)]
pub(super) struct Progress {
    /// Workers that were started, and those of them that ended without a proof.
    pub(super) started: u64,
    pub(super) lost: u64,
    /// The shards whose workers brought a proof. One of them is proved again if the peer's worker is lost.
    pub(super) proved: Vec<usize>,
    /// The time that this coordinator waited for workers to come and say where they are reached.
    pub(super) arriving: Duration,
    /// What the launch function raised.
    pub(super) raised: Option<PyErr>,
    /// Where workers that are dead are struck off, once there is a lot server.
    pub(super) dead_workers: Option<DeadWorkers>,
    /// By shard, how many values there are to prove; empty while nobody knows.
    pub(super) sizes: Vec<u64>,
}

impl Told {
    /// Strikes off the workers with these invitations: nobody will come with them. Those that have come are
    /// no worse off.
    pub(super) fn strike_off(&self, dead: &[String]) -> Result<(), Failure> {
        let dead_workers = locked(&self.0).dead_workers.clone();
        let Some(dead_workers) = dead_workers else { return Ok(()) };
        for invitation in dead {
            dead_workers.add(&invitation.parse().map_err(Failure::input)?);
        }
        Ok(())
    }
}

/// A lot server that tells how far it is, and that Ctrl-C ends.
pub(super) struct Watched<'a, L, M: Ring> {
    pub(super) lot_server: LotServer<'a, L, M>,
    pub(super) told: Told,
    pub(super) stop: Arc<Stop>,
}

/// How long a wait goes on before it looks whether it is to stop.
const GLANCE: Duration = Duration::from_millis(50);

impl<L: LotOf, M: Ring> Watched<'_, L, M> {
    /// Waits in short steps, until there is something or the time is over.
    fn patiently<T>(
        &mut self,
        patience: Duration,
        mut step: impl FnMut(&mut Self, Duration) -> Result<Option<T>, Error>,
    ) -> Result<Option<T>, Error> {
        let start = Instant::now();
        loop {
            if self.stop.is_stopped() {
                return Err(Error::Split("it was stopped".into()));
            }
            let left = patience.saturating_sub(start.elapsed());
            let found = step(self, left.min(GLANCE))?;
            if found.is_some() || left.is_zero() {
                return Ok(found);
            }
        }
    }
}

impl<L: LotOf, M: Ring> Workers<L, M> for Watched<'_, L, M> {
    fn start(&mut self, lot: L) -> Result<(), Error> {
        if self.stop.is_stopped() {
            return Err(Error::Split("it was stopped".into()));
        }
        let shard = lot.shard();
        {
            let mut told = locked(&self.told.0);
            told.started += 1;
            // A shard that is proved again, because the other party's worker was lost.
            told.proved.retain(|other| *other != shard);
        }
        self.lot_server.start(lot)
    }

    fn address(&mut self, shard: usize, patience: Duration) -> Result<Option<String>, Error> {
        let start = Instant::now();
        let address = self.patiently(patience, |all, left| all.lot_server.address(shard, left));
        locked(&self.told.0).arriving += start.elapsed();
        address
    }

    fn reach(&mut self, shard: usize, address: &str) -> Result<(), Error> {
        self.lot_server.reach(shard, address)
    }

    fn wait(&mut self, patience: Duration) -> Result<Option<Ended<M>>, Error> {
        let ended = self.patiently(patience, |all, left| all.lot_server.wait(left))?;
        if let Some(ended) = &ended {
            let mut told = locked(&self.told.0);
            match &ended.result {
                Ok(_) => told.proved.push(ended.shard),
                Err(_) => told.lost += 1,
            }
        }
        Ok(ended)
    }

    fn ask(&mut self, question: &Question) -> Result<(), Error> {
        self.lot_server.ask(question)
    }

    fn answered(&mut self, patience: Duration) -> Result<Option<Answered<M>>, Error> {
        self.patiently(patience, |all, left| all.lot_server.answered(left))
    }

    fn stop(&mut self) {
        self.lot_server.stop();
    }
}
