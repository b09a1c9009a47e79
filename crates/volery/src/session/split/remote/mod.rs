//! Workers as processes of their own, on this machine or on others.
//!
//! ```text
//! coordinator                               a worker of the same party
//! LotServer, with a fresh key
//! a launcher starts a worker  ----------->  an Invitation: address, key, one-time token
//!                             <-- TLS ----  WorkerToken
//! WorkerLot: lot, job's length, job ------>
//! WorkerAddress               <---------->  from V's worker; to P's worker
//!                                           the proof, with the other party's worker, over TLS of its own
//!                             <-----------  WorkerEnded: at work, or what it brings
//!                                           with many boundary wires, it keeps them and waits:
//! WorkerCombine: is there, or a question -->
//!                             <-----------  WorkerCombine: at work, or its sums
//! hangs up                    ----------->  ends, and wipes what it kept
//! ```
//!
//! Lots and tags are secrets, and go over this connection and nowhere else. What starts workers (a shell,
//! Ray, Kubernetes) carries invitations only. A token is good for one connection, so a worker that is started
//! again with the same invitation gets nothing: this is what keeps a scheduler that tries tasks again from
//! using a lot twice. The coordinator's key is made for the session, and the invitation holds its public
//! half.
//!
//! V's worker listens for P's, with a key of its own; its address and public key go through the coordinators'
//! session. P's worker shows that it has the same lot by the lot's token, so strangers are turned away before
//! the lot is used. If P's worker is gone, P's coordinator shows that in its place and hangs up: V's worker
//! need not wait for somebody who will not come.

mod accept;
mod invitation;
mod jobs;
mod lot_server;
#[cfg(test)]
mod tests;
mod work;

pub use invitation::Invitation;
pub use jobs::{Kind, Side};
pub use lot_server::{DeadWorkers, LotServer, Times};
pub use work::{Arrival, Worker};

use volery_channel::{Channel, ChannelExt as _, Error as ChannelError, Tag, tags};
use zeroize::Zeroizing;

use super::codec::LotBytes;
use super::{Dealt, Lot, ProverLot, VerifierLot};

/// A party's part of a lot, which goes from a coordinator to a worker as bytes.
pub trait LotOf: Lot + sealed::Sealed {
    /// The lot.
    #[doc(hidden)]
    fn encode(&self) -> Zeroizing<Vec<u8>>;

    /// The lot in these bytes.
    #[doc(hidden)]
    fn decode(bytes: &[u8]) -> Result<Self, crate::Error>
    where
        Self: Sized;
}

/// Receives a secret of at most this many bytes. There is room for all of them before: a vector that grows
/// leaves copies behind, which nobody wipes.
fn receive_secret(
    channel: &mut dyn Channel,
    tag: Tag,
    most: usize,
) -> Result<Zeroizing<Vec<u8>>, ChannelError> {
    let mut out = Zeroizing::new(Vec::with_capacity(most));
    channel.recv_into(tag, most, &mut out)?;
    Ok(out)
}

/// The longest job: a statement and a witness.
const MOST_JOB: usize = 1 << 30;

/// Sends a worker's job, and before it the job's length.
fn send_job(channel: &mut dyn Channel, job: &[u8]) -> Result<(), crate::Error> {
    if job.len() > MOST_JOB {
        return Err(crate::Error::Split(format!(
            "a worker's job has {} bytes, and {MOST_JOB} at most are sent: take more shards",
            job.len()
        )));
    }
    channel.send(tags::WORKER_LOT, &(job.len() as u64).to_be_bytes())?;
    Ok(channel.send(tags::WORKER_LOT, job)?)
}

/// Receives a worker's job, which is a secret of some megabytes or of many: as much room as it takes, and no
/// more, is there before it comes.
fn receive_job(channel: &mut dyn Channel) -> Result<Zeroizing<Vec<u8>>, crate::Error> {
    let length = u64::from_be_bytes(channel.recv_array(tags::WORKER_LOT)?);
    let length = usize::try_from(length).ok().filter(|length| *length <= MOST_JOB).ok_or_else(|| {
        crate::Error::Split(format!("a worker's job of {length} bytes: the coordinator has another version"))
    })?;
    let mut job = Zeroizing::new(vec![0; length]);
    channel.recv_exact(tags::WORKER_LOT, &mut job)?;
    Ok(job)
}

mod sealed {
    /// Only lots are.
    pub trait Sealed {}
}

macro_rules! bytes {
    ($lot:ident) => {
        impl<Y: Dealt> sealed::Sealed for $lot<Y> {}

        impl<Y: Dealt> LotOf for $lot<Y> {
            fn encode(&self) -> Zeroizing<Vec<u8>> {
                LotBytes::encode(self)
            }

            fn decode(bytes: &[u8]) -> Result<Self, crate::Error> {
                LotBytes::decode(bytes)
            }
        }
    };
}
bytes!(ProverLot);
bytes!(VerifierLot);
