//! A party's workers, as its coordinator sees them.

use std::sync::mpsc::Sender;
use std::time::Duration;

use super::combine::{Answer, Question};
use super::worker::{Lost, Proved};
use crate::Error;

/// One party's workers, as its coordinator needs them: something that hands a lot to a worker, on this
/// machine or on another.
///
/// A lot is a secret. It is handed out once: if a worker is lost, the coordinator makes another. Never
/// start a second worker with the same lot.
pub trait Workers<L, M: Copy + Default> {
    /// Starts a worker with this lot, and returns before it ends.
    ///
    /// # Errors
    /// Why none can be started; this ends the session.
    fn start(&mut self, lot: L) -> Result<(), Error>;

    /// Where the worker of a shard that was started is reached by the peer's; none if that is not known
    /// within this time. Called at V, after all of a wave were started. The default is for workers that meet
    /// otherwise: an empty address. So is that of a worker that is lost before it has one.
    ///
    /// # Errors
    /// Why nobody can know; this ends the session.
    fn address(&mut self, _shard: usize, _patience: Duration) -> Result<Option<String>, Error> {
        Ok(Some(String::new()))
    }

    /// Tells the worker of a shard that was started where the peer's is reached. Called at P. The text is the
    /// peer's, of at most [`MOST_ADDRESS`] printable characters. The default is for workers that meet
    /// otherwise.
    ///
    /// # Errors
    /// Why it cannot be told; this ends the session.
    fn reach(&mut self, _shard: usize, _address: &str) -> Result<(), Error> {
        Ok(())
    }

    /// Waits for the next worker to end, no longer than this; none if none has.
    ///
    /// # Errors
    /// Why nobody can know any more; this ends the session.
    fn wait(&mut self, patience: Duration) -> Result<Option<Ended<M>>, Error>;

    /// Asks the worker of a shard, which has brought its proof and kept its boundary wires, about them.
    /// Called when all shards are proved: until then such a worker waits, and after a loss until all are
    /// asked again. So all workers that keep wires are there at once, and a launcher with fewer places than
    /// those would wait for ever. Workers that bring all of their boundary wires are not asked: there this
    /// may refuse.
    ///
    /// # Errors
    /// Why it cannot be asked; this ends the session.
    fn ask(&mut self, question: &Question) -> Result<(), Error>;

    /// Waits for the next answer, no longer than this; none if there is none. Called after [`Workers::ask`]
    /// only.
    ///
    /// # Errors
    /// Why nobody can know any more; this ends the session.
    fn answered(&mut self, patience: Duration) -> Result<Option<Answered<M>>, Error>;

    /// Ends all that still run, as far as that can be done: the session has failed.
    fn stop(&mut self) {}
}

/// What workers say that are not to be asked, because they bring all of their boundary wires.
pub(super) fn keeps_nothing() -> Error {
    Error::Split("a worker was asked about boundary wires, and it keeps none".into())
}

/// The longest address of a worker, in bytes.
pub const MOST_ADDRESS: usize = 255;

/// A worker has ended.
#[derive(Debug)]
pub struct Ended<M: Copy + Default> {
    /// Its shard.
    pub shard: usize,
    /// Its attempt.
    pub attempt: u32,
    /// What it brought.
    pub result: Result<Proved<M>, Lost>,
}

/// A worker has answered, or is lost before it has.
#[derive(Debug)]
pub struct Answered<M: Copy + Default> {
    /// Its shard.
    pub shard: usize,
    /// Its attempt.
    pub attempt: u32,
    /// What it says.
    pub result: Result<Answer<M>, Lost>,
}

/// Tells a coordinator once how a worker ended: also by a panic, which nobody would hear of otherwise.
pub(super) struct Reporter<M: Copy + Default> {
    to: Sender<Ended<M>>,
    shard: usize,
    attempt: u32,
    result: Option<Result<Proved<M>, Lost>>,
}

impl<M: Copy + Default> Reporter<M> {
    pub(super) fn new(to: Sender<Ended<M>>, shard: usize, attempt: u32) -> Self {
        Self { to, shard, attempt, result: None }
    }

    pub(super) fn report(mut self, result: Result<Proved<M>, Lost>) {
        self.result = Some(result);
    }
}

impl<M: Copy + Default> Drop for Reporter<M> {
    fn drop(&mut self) {
        let result =
            self.result.take().unwrap_or_else(|| Err(Lost::Gone("it stopped without a word".into())));
        // A coordinator that is gone wants nothing.
        let _ = self.to.send(Ended { shard: self.shard, attempt: self.attempt, result });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_stops_without_a_word_is_gone() {
        let (sender, ended) = std::sync::mpsc::channel();
        let reporter = Reporter::<u64>::new(sender, 3, 1);
        let panicked = std::thread::spawn(move || {
            let _reporter = reporter;
            panic!("on purpose");
        });
        assert!(panicked.join().is_err());
        let ended = ended.recv().expect("told");
        assert!((ended.shard, ended.attempt) == (3, 1) && matches!(ended.result, Err(Lost::Gone(_))));
        assert!(matches!(&ended.result, Err(lost) if lost.to_string().contains("without a word")));
    }
}
