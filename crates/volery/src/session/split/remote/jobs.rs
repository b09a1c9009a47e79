//! What a coordinator tells its workers besides their lots, if the statement is one of
//! [`statements`](crate::split::statements), and how a worker goes about it.
//!
//! ```text
//! a job:   1    the kind of statement, and over what it is proved
//!          ..   the statement's own job, as `SplitPreimage::job` and `SplitRun::job` make it
//! ```

use volery_channel::Address;
#[cfg(feature = "programs")]
use volery_field::{F61, F61x2};
use zeroize::Zeroizing;

use super::work::Arrival;
use crate::Error;
use crate::session::split::statements::SplitPreimage;
#[cfg(feature = "programs")]
use crate::session::split::statements::SplitRun;
use crate::session::split::{Boundary, Dealt, ProverLot, Shard, Sharded, VerifierLot};
use crate::system::Bits;
#[cfg(feature = "programs")]
use crate::system::Over;

/// What a job begins with: what kind of statement its shard is of, and over what it is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A [`SplitPreimage`], over bits.
    Preimage,
    /// A [`SplitRun`], over the field of 2^61 - 1.
    #[cfg(feature = "programs")]
    Run,
    /// The same with MACs in its quadratic extension.
    #[cfg(feature = "programs")]
    RunLarge,
}

/// Bits of soundness that a run has if challenges are over the field itself, and no worker may be lost.
#[cfg(feature = "programs")]
const SMALL: u16 = 40;

impl Kind {
    #[cfg(feature = "programs")]
    const ALL: [Self; 3] = [Self::Preimage, Self::Run, Self::RunLarge];
    #[cfg(not(feature = "programs"))]
    const ALL: [Self; 1] = [Self::Preimage];

    /// Over what a run is proved that is to be worth this many bits (40 if nothing is said), with as many
    /// lost workers allowed: over the field itself if that is enough. Both parties find the same.
    #[cfg(feature = "programs")]
    #[must_use]
    pub fn of_run(rho: Option<u16>, retries: u32) -> Self {
        let bits = f64::from(SMALL) - (f64::from(retries) + 1.0).log2();
        if bits >= f64::from(rho.unwrap_or(SMALL)) { Self::Run } else { Self::RunLarge }
    }

    /// A job of this kind.
    #[must_use]
    pub fn job(self, rest: &[u8]) -> Zeroizing<Vec<u8>> {
        let mut job = Zeroizing::new(Vec::with_capacity(1 + rest.len()));
        job.push(self as u8);
        job.extend_from_slice(rest);
        job
    }

    /// What kind a job is of, and the rest of it.
    fn of(job: &[u8]) -> Result<(Self, &[u8]), Error> {
        let parts = job.split_first();
        let known = parts.and_then(|(kind, rest)| {
            Some((Self::ALL.into_iter().find(|known| *known as u8 == *kind)?, rest))
        });
        known.ok_or_else(|| {
            Error::Split("a job of an unknown kind: the coordinator has another version".into())
        })
    }
}

/// What a worker is.
#[derive(Clone, Copy, Debug)]
pub enum Side<'a> {
    /// P's worker.
    Prover,
    /// V's worker.
    Verifier {
        /// Where it waits for P's.
        listen: &'a Address,
        /// The host at which P's reaches it; if there is none, the address that it listens at.
        reached_at: Option<&'a str>,
    },
}

impl Arrival {
    /// Does the job, which a [`Kind`] has made, and brings the coordinator what comes of it. Returns the
    /// shard's number.
    ///
    /// # Errors
    /// As of [`Worker::prove`](super::Worker::prove) and [`Worker::verify`](super::Worker::verify);
    /// [`Error::Split`] for a job of another kind, or one that is for another shard than the lot.
    pub fn work(self, side: Side<'_>) -> Result<usize, Error> {
        let (kind, job) = Kind::of(self.job())?;
        match kind {
            Kind::Preimage => {
                let (whole, n) = SplitPreimage::from_job(job)?;
                self.work_on(side, Bits, &whole, n)
            }
            #[cfg(feature = "programs")]
            Kind::Run => {
                let (whole, n) = SplitRun::from_job(job)?;
                self.work_on(side, Over::<F61, F61>::new(), &whole, n)
            }
            #[cfg(feature = "programs")]
            Kind::RunLarge => {
                let (whole, n) = SplitRun::from_job(job)?;
                self.work_on(side, Over::<F61, F61x2>::new(), &whole, n)
            }
        }
    }

    /// Proves or verifies shard `n`.
    fn work_on<Y, T>(self, side: Side<'_>, system: Y, whole: &T, n: usize) -> Result<usize, Error>
    where
        Y: Dealt + Copy + Send,
        T: Sharded,
        for<'s, 'p> T::Shard<'s>: Shard<Y::Ring, Y::Prover<'p>> + Shard<Y::Ring, Y::Verifier<'p>>,
        for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
        for<'v> Y::Verifier<'v>: Boundary<Y::Ring, Y::Mac>,
    {
        let shard = whole.shard(n)?;
        match side {
            Side::Prover => {
                let worker = self.with_lot::<ProverLot<Y>>()?;
                same(worker.shard(), n)?;
                worker.prove(system, &shard)?;
            }
            Side::Verifier { listen, reached_at } => {
                let worker = self.with_lot::<VerifierLot<Y>>()?;
                same(worker.shard(), n)?;
                worker.verify(system, &shard, listen, reached_at)?;
            }
        }
        Ok(n)
    }
}

/// The lot and the job are for the same shard.
fn same(lot: usize, job: usize) -> Result<(), Error> {
    match lot == job {
        true => Ok(()),
        false => Err(Error::Split(format!("a lot of shard {lot} came with the job of shard {job}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_names_its_kind_and_others_are_refused() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of(&kind.job(b"rest")).expect("a job"), (kind, &b"rest"[..]));
        }
        for wrong in [&[][..], &[Kind::ALL.len() as u8], b"split"] {
            assert!(matches!(Kind::of(wrong), Err(Error::Split(_))), "{wrong:?}");
        }
    }

    #[cfg(feature = "programs")]
    #[test]
    fn a_run_is_over_the_field_itself_only_if_that_is_worth_enough() {
        for (rho, retries, kind) in [
            (None, 0, Kind::Run),
            (None, 1, Kind::RunLarge),
            (Some(36), 8, Kind::Run),
            (Some(37), 8, Kind::RunLarge),
            (Some(100), 0, Kind::RunLarge),
        ] {
            assert_eq!(Kind::of_run(rho, retries), kind, "{rho:?} {retries}");
        }
    }
}
