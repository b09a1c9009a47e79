//! Looks up the addresses of a host name, within a deadline.
//!
//! The system's resolver blocks for as long as it likes: half a minute and more when name servers do not
//! answer. A caller with a deadline, or one that others wait for, cannot call it directly. So the resolver
//! runs on a thread of its own, and the caller waits no longer than its deadline. A thread left behind ends
//! when the resolver returns, and counts until then. A process never has more than [`MOST`] of these threads,
//! however many names without an answer are asked for. A caller that finds all of them busy waits for one,
//! within its own deadline.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::Builder;
use std::time::{Duration, Instant};

use crate::limits::deadline;

/// The most names that are looked up at the same time.
const MOST: usize = 64;

/// The addresses of a host, each with `port`, found within `time`. `host` is a name or an address.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`], any error of the system's resolver, or an error if no further thread can be
/// started.
pub fn resolve(host: &str, port: u16, time: Duration) -> io::Result<Vec<SocketAddr>> {
    static THREADS: ResolverThreads = ResolverThreads { busy: Mutex::new(0), freed: Condvar::new() };
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let host = host.to_owned();
    THREADS.ask(MOST, time, move || (host.as_str(), port).to_socket_addrs().map(Iterator::collect))
}

/// Counts the threads.
struct ResolverThreads {
    busy: Mutex<usize>,
    freed: Condvar,
}

impl ResolverThreads {
    /// Runs `look_up` on one of at most `most` threads, and returns what it finds within `time`.
    fn ask<T: Send + 'static>(
        &'static self,
        most: usize,
        time: Duration,
        look_up: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let end = deadline(Instant::now(), time);
        let permit = self.permit(most, end)?;
        let (sender, answer) = mpsc::sync_channel(1);
        Builder::new().name("resolver".into()).spawn(move || {
            let found = look_up();
            // The thread is free before its answer goes out: whoever receives the answer may ask again at
            // once.
            drop(permit);
            // If the answer took too long, nobody waits for it any more.
            let _ = sender.send(found);
        })?;
        match answer.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(found) => found,
            Err(mpsc::RecvTimeoutError::Timeout) => Err(too_long()),
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(io::Error::other("the resolver failed")),
        }
    }

    /// Waits until one of the `most` threads is free.
    fn permit(&'static self, most: usize, end: Instant) -> io::Result<ThreadPermit> {
        let mut busy = self.busy();
        while *busy >= most {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(too_long());
            }
            (busy, _) = self.freed.wait_timeout(busy, left).unwrap_or_else(PoisonError::into_inner);
        }
        *busy += 1;
        Ok(ThreadPermit(self))
    }

    /// A panic cannot leave a plain number half written, so a poisoned lock is fine.
    fn busy(&self) -> MutexGuard<'_, usize> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the name was not found in time")
}

/// A thread in use. Dropping this frees it, also after a panic.
struct ThreadPermit(&'static ResolverThreads);

impl Drop for ThreadPermit {
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

    fn threads() -> &'static ResolverThreads {
        Box::leak(Box::new(ResolverThreads { busy: Mutex::new(0), freed: Condvar::new() }))
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
        let threads = threads();
        let (end, ended) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        let waiting = Arc::clone(&end);
        let stuck = move || {
            waiting.wait();
            Ok(())
        };
        let short = Duration::from_millis(20);
        assert_eq!(threads.ask(1, short, stuck).unwrap_err().kind(), io::ErrorKind::TimedOut);
        // The one thread is still busy, so this one is not even begun.
        let never = || -> io::Result<()> { panic!("there is no thread for it") };
        assert_eq!(threads.ask(1, short, never).unwrap_err().kind(), io::ErrorKind::TimedOut);
        let notified = Arc::clone(&ended);
        std::thread::spawn(move || {
            assert_eq!(threads.ask(1, LONG, || Ok(7)).unwrap(), 7, "who waits has its turn");
            notified.wait();
        });
        end.wait();
        ended.wait();
        assert_eq!(*threads.busy(), 0);
    }

    #[test]
    fn a_resolver_that_fails_frees_its_thread() {
        let threads = threads();
        for _ in 0..3 {
            let failed = threads.ask(1, LONG, || -> io::Result<()> { Err(io::ErrorKind::NotFound.into()) });
            assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::NotFound);
        }
    }
}
