//! Workers as threads of this process.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::Scope;
use std::time::Duration;

use volery_channel::Channel;

use super::combine::Question;
use super::deal::{Lot, ProverLot, VerifierLot};
use super::dealt::Dealt;
use super::shard::{Boundary, Shard, Sharded};
use super::worker::{Lost, Proved, prove_shard, verify_shard};
use super::workers::{Answered, Ended, Reporter, Workers, keeps_nothing};
use crate::{Error, os_rng};

/// What P's and V's threads have in common: a statement, and a way to reach the peer's worker of the same
/// lot.
struct Threads<'s, 'e, T, F, M: Copy + Default> {
    scope: &'s Scope<'s, 'e>,
    whole: &'s T,
    connect: &'s F,
    sender: Sender<Ended<M>>,
    ended: Receiver<Ended<M>>,
}

impl<'s, 'e, T, F, M: Copy + Default + Send + 's> Threads<'s, 'e, T, F, M> {
    fn new(scope: &'s Scope<'s, 'e>, whole: &'s T, connect: &'s F) -> Self {
        let (sender, ended) = channel();
        Self { scope, whole, connect, sender, ended }
    }

    fn start<L: Lot + Send + 's>(&self, lot: L, work: impl FnOnce(L) -> Result<Proved<M>, Lost> + Send + 's) {
        let reporter = Reporter::new(self.sender.clone(), lot.shard(), lot.attempt());
        self.scope.spawn(move || reporter.report(work(lot)));
    }

    fn wait(&self, patience: Duration) -> Result<Option<Ended<M>>, Error> {
        match self.ended.recv_timeout(patience) {
            Ok(ended) => Ok(Some(ended)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Split("all workers are gone".into())),
        }
    }
}

macro_rules! threads {
    ($threads:ident, $lot:ident, $work:ident, $backend:ident, $who:literal) => {
        #[doc = concat!($who, "'s workers, each a thread of this process.")]
        pub struct $threads<'s, 'e, Y: Dealt, T, F>(Threads<'s, 'e, T, F, Y::Mac>, Y);

        impl<'s, 'e, Y, T, F, C> $threads<'s, 'e, Y, T, F>
        where
            Y: Dealt + Copy + Send,
            T: Sharded,
            F: Fn(&$lot<Y>) -> Result<C, Error> + Sync,
            C: Channel,
        {
            /// Workers for the shards of `whole`. `connect` reaches the peer's worker of the same lot.
            pub fn new(scope: &'s Scope<'s, 'e>, system: Y, whole: &'s T, connect: &'s F) -> Self {
                Self(Threads::new(scope, whole, connect), system)
            }
        }

        impl<'s, 'e, Y, T, F, C> Workers<$lot<Y>, Y::Mac> for $threads<'s, 'e, Y, T, F>
        where
            Y: Dealt + Copy + Send + 's,
            T: Sharded,
            for<'a> T::Shard<'s>: Shard<Y::Ring, Y::$backend<'a>>,
            for<'a> Y::$backend<'a>: Boundary<Y::Ring, Y::Mac>,
            F: Fn(&$lot<Y>) -> Result<C, Error> + Sync,
            C: Channel,
        {
            fn start(&mut self, lot: $lot<Y>) -> Result<(), Error> {
                let (system, whole, connect) = (self.1, self.0.whole, self.0.connect);
                self.0.start(lot, move |lot| {
                    let shard = whole.shard(lot.shard()).map_err(|error| Lost::Failed(error.into()))?;
                    let mut rng = os_rng().map_err(Lost::Failed)?;
                    let channel = connect(&lot).map_err(|error| Lost::of(error, false))?;
                    $work(channel, lot, system, &shard, &mut rng)
                });
                Ok(())
            }

            fn wait(&mut self, patience: Duration) -> Result<Option<Ended<Y::Mac>>, Error> {
                self.0.wait(patience)
            }

            fn ask(&mut self, _: &Question) -> Result<(), Error> {
                Err(keeps_nothing())
            }

            fn answered(&mut self, _: Duration) -> Result<Option<Answered<Y::Mac>>, Error> {
                Err(keeps_nothing())
            }
        }
    };
}
threads!(ProverThreads, ProverLot, prove_shard, Prover, "P");
threads!(VerifierThreads, VerifierLot, verify_shard, Verifier, "V");
