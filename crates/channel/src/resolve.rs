//! Names to addresses, within a time.
//!
//! The system's resolver blocks for as long as it likes: with servers of names that do not answer, half a
//! minute and more. Nobody who has a deadline, or a place that others wait for, can call it. So it runs on a
//! thread of its own, and whoever asks waits no longer than it may. A thread that is left behind ends when
//! the resolver does; until then it counts, and there are never more than [`MOST`] of them in a process,
//! however many names without an answer are asked for. Who comes when all are busy waits for one, in its own
//! time.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::Builder;
use std::time::{Duration, Instant};

use crate::limits::deadline;

/// Names that are looked up at the same time.
const MOST: usize = 64;

/// The addresses of a host, which is a name or an address, each with `port`; found within `time`.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`]; what the system's resolver says; that there can be no further thread.
pub fn resolve(host: &str, port: u16, time: Duration) -> io::Result<Vec<SocketAddr>> {
    static DESK: Desk = Desk { busy: Mutex::new(0), freed: Condvar::new() };
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let host = host.to_owned();
    DESK.ask(MOST, time, move || (host.as_str(), port).to_socket_addrs().map(Iterator::collect))
}

/// Counts the threads.
struct Desk {
    busy: Mutex<usize>,
    freed: Condvar,
}

impl Desk {
    /// What `look_up` finds within `time`, on one of `most` threads.
    fn ask<T: Send + 'static>(
        &'static self,
        most: usize,
        time: Duration,
        look_up: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let end = deadline(Instant::now(), time);
        let clerk = self.clerk(most, end)?;
        let (sender, answer) = mpsc::sync_channel(1);
        Builder::new().name("resolver".into()).spawn(move || {
            let found = look_up();
            // Before the answer: whoever has it may ask again at once.
            drop(clerk);
            // Nobody waits any more if the answer took too long.
            let _ = sender.send(found);
        })?;
        match answer.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(found) => found,
            Err(mpsc::RecvTimeoutError::Timeout) => Err(too_long()),
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(io::Error::other("the resolver failed")),
        }
    }

    /// Waits until one of `most` is free.
    fn clerk(&'static self, most: usize, end: Instant) -> io::Result<Clerk> {
        let mut busy = self.busy();
        while *busy >= most {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(too_long());
            }
            (busy, _) = self.freed.wait_timeout(busy, left).unwrap_or_else(PoisonError::into_inner);
        }
        *busy += 1;
        Ok(Clerk(self))
    }

    /// A number is whole at all times.
    fn busy(&self) -> MutexGuard<'_, usize> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the name was not found in time")
}

/// A thread that is taken; free again when this is dropped, also by a panic.
struct Clerk(&'static Desk);

impl Drop for Clerk {
    fn drop(&mut self) {
        *self.0.busy() -= 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier};

    use super::*;

    /// Longer than any test takes.
    const LONG: Duration = Duration::from_secs(600);

    fn desk() -> &'static Desk {
        Box::leak(Box::new(Desk { busy: Mutex::new(0), freed: Condvar::new() }))
    }

    #[test]
    fn an_address_is_itself_and_a_name_is_looked_up() {
        let loopback: Vec<SocketAddr> = vec!["[::1]:443".parse().unwrap()];
        assert_eq!(resolve("::1", 443, Duration::ZERO).unwrap(), loopback, "nobody is asked");
        let found = resolve("localhost", 7, LONG).unwrap();
        assert!(!found.is_empty() && found.iter().all(|found| found.ip().is_loopback() && found.port() == 7));
    }

    #[test]
    fn who_asks_waits_no_longer_than_it_may_and_a_thread_that_is_left_counts_until_it_ends() {
        let desk = desk();
        let (end, ended) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        let waiting = Arc::clone(&end);
        let stuck = move || {
            waiting.wait();
            Ok(())
        };
        let short = Duration::from_millis(20);
        assert_eq!(desk.ask(1, short, stuck).unwrap_err().kind(), io::ErrorKind::TimedOut);
        // The one thread is still busy, so this one is not even begun.
        let never = || -> io::Result<()> { panic!("there is no thread for it") };
        assert_eq!(desk.ask(1, short, never).unwrap_err().kind(), io::ErrorKind::TimedOut);
        let notified = Arc::clone(&ended);
        std::thread::spawn(move || {
            assert_eq!(desk.ask(1, LONG, || Ok(7)).unwrap(), 7, "who waits has its turn");
            notified.wait();
        });
        end.wait();
        ended.wait();
        assert_eq!(*desk.busy(), 0);
    }

    #[test]
    fn a_resolver_that_fails_frees_its_thread() {
        let desk = desk();
        for _ in 0..3 {
            let failed = desk.ask(1, LONG, || -> io::Result<()> { Err(io::ErrorKind::NotFound.into()) });
            assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::NotFound);
        }
    }
}
