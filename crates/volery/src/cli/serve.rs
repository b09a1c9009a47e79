//! `volery verify --serve`, and notaries: one prover after another, or several at once, until told to stop.
//!
//! Each session has a thread and limits of its own, and one that fails, however it fails, ends alone. A signal stops
//! the waiting for more; sessions under way may end, which their limits bound. A second signal ends the program at once.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use volery_channel::transport::Socket;

use super::args::VerifyArgs;
use super::connection::Endpoint;
use super::failure::Failure;
use super::progress::Progress;
use super::settle::Settled;
use super::{outcome, output};

/// How often the server looks whether it was told to stop.
const PULSE: Duration = Duration::from_millis(100);

/// Time for a session unless the command line says otherwise.
pub(crate) const SESSION_TIME: Duration = Duration::from_secs(600);

/// Runs the server.
pub(crate) fn run(args: &VerifyArgs, statement: &Settled<'_>, text: String) -> Result<(), Failure> {
    let stop = Stop::at_signals()?;
    let mut endpoint = Endpoint::new(&args.connection)?;
    endpoint.limits.total_time.get_or_insert(SESSION_TIME);
    if endpoint.limits.total_bytes.is_none() {
        endpoint.limits.total_bytes = Some(statement.predict()?.generous());
    }
    let crowd =
        Crowd { concurrency: args.serve.concurrency, per_client: None, most: args.serve.max_sessions };
    stop.sessions(
        &endpoint,
        crowd,
        &Verifying { endpoint: &endpoint, statement, text: &text, json: args.json },
    )
}

/// Verifying one statement for everybody.
struct Verifying<'a> {
    endpoint: &'a Endpoint,
    statement: &'a Settled<'a>,
    text: &'a str,
    json: bool,
}

impl Service for Verifying<'_> {
    fn session(&self, socket: Socket) -> Result<(), Failure> {
        let peer = socket.peer();
        // A panic would be a defect of ours; it must not take the other sessions with it.
        let result = catch_unwind(AssertUnwindSafe(|| {
            self.statement.verify(self.endpoint.greet(socket)?, &Progress::none())
        }));
        let result = result.unwrap_or_else(|_| Err(Failure::session("internal error")));
        outcome::report(self.json, self.text, &peer, &result)
    }

    fn refused(&self, peer: &str, reason: &str) -> Result<(), Failure> {
        outcome::report(self.json, self.text, peer, &Err(Failure::session(reason)))
    }
}

/// What is done for each connection. An error is that its line of results could not be written.
pub(crate) trait Service: Sync {
    /// One session.
    fn session(&self, socket: Socket) -> Result<(), Failure>;

    /// A connection that was closed at once.
    fn refused(&self, peer: &str, reason: &str) -> Result<(), Failure>;
}

/// How many sessions there may be.
#[derive(Clone, Copy)]
pub(crate) struct Crowd {
    /// At the same time; more wait in the system's queue.
    pub(crate) concurrency: u16,
    /// Of one client at the same time; more are refused.
    pub(crate) per_client: Option<u16>,
    /// In all.
    pub(crate) most: Option<u64>,
}

/// Whose connection this is: an address, or of IPv6 the network of 64 bits that one owner has. None is somebody on this machine.
fn client(peer: &str) -> Option<IpAddr> {
    Some(match peer.parse::<SocketAddr>().ok()?.ip().to_canonical() {
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
        address => address,
    })
}

/// The wish of the owner that serving end.
///
/// It is made before the endpoint: whoever reads the address from its message may send a signal at once.
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// The first signal asks for the end; the second one ends the program.
    pub(crate) fn at_signals() -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::session(format!("signals: {error}"));
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal must not find the flag set.
            let code = 128 + signal;
            signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&stop))
                .map_err(failed)?;
            signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(failed)?;
        }
        Ok(Self(stop))
    }

    /// Runs sessions, so many at once, until a signal comes or there were `most`.
    pub(crate) fn sessions(
        &self,
        endpoint: &Endpoint,
        crowd: Crowd,
        service: &dyn Service,
    ) -> Result<(), Failure> {
        let server = Server { endpoint, crowd, service };
        std::thread::scope(|scope| server.run(scope, crowd.most.unwrap_or(u64::MAX), self))
    }

    fn is_asked_for(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

struct Server<'a> {
    endpoint: &'a Endpoint,
    crowd: Crowd,
    service: &'a dyn Service,
}

/// A session under way.
struct Running<'scope> {
    client: Option<IpAddr>,
    thread: ScopedJoinHandle<'scope, Result<(), Failure>>,
}

impl Server<'_> {
    fn run<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        mut left: u64,
        stop: &Stop,
    ) -> Result<(), Failure> {
        let mut sessions: Vec<Running<'_>> = Vec::new();
        while left > 0 && !stop.is_asked_for() {
            reap(&mut sessions)?;
            if sessions.len() >= usize::from(self.crowd.concurrency) {
                std::thread::sleep(PULSE / 10);
                continue;
            }
            match self.endpoint.accept(PULSE) {
                Ok(None) => {}
                Ok(Some(socket)) => {
                    let peer = socket.peer();
                    let client = client(&peer);
                    if self.is_too_many(&sessions, client) {
                        // Told before it is closed: whoever sees the end may look for it at once.
                        self.service.refused(&peer, "too many sessions of this client at the same time")?;
                        drop(socket);
                        continue;
                    }
                    left -= 1;
                    let thread = scope.spawn(move || self.service.session(socket));
                    sessions.push(Running { client, thread });
                }
                // Like too many open files: it passes.
                Err(failure) => {
                    output::message(&format!("volery: {failure}"));
                    std::thread::sleep(PULSE);
                }
            }
        }
        if stop.is_asked_for() && !sessions.is_empty() {
            output::message("stopping when the sessions under way have ended; once more to stop at once");
        }
        sessions.into_iter().try_for_each(finish)
    }

    /// Whether this client has as many sessions as one may have.
    fn is_too_many(&self, sessions: &[Running<'_>], client: Option<IpAddr>) -> bool {
        let same = sessions
            .iter()
            .filter(|session| session.client == client && !session.thread.is_finished())
            .count();
        client.is_some() && self.crowd.per_client.is_some_and(|most| same >= usize::from(most))
    }
}

/// Forgets the sessions that have ended.
fn reap(sessions: &mut Vec<Running<'_>>) -> Result<(), Failure> {
    for index in (0..sessions.len()).rev() {
        if sessions.get(index).is_some_and(|session| session.thread.is_finished()) {
            finish(sessions.swap_remove(index))?;
        }
    }
    Ok(())
}

/// What is an error here is that the result could not be written: then serving has no use.
fn finish(session: Running<'_>) -> Result<(), Failure> {
    session.thread.join().unwrap_or_else(|_| Err(Failure::session("internal error")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_an_address_or_a_network_of_ipv6() {
        let same = |a: &str, b: &str| client(a) == client(b);
        assert!(same("1.2.3.4:5", "1.2.3.4:6") && !same("1.2.3.4:5", "1.2.3.5:5"));
        assert!(
            same("[2001:db8::1]:5", "[2001:db8::ffff:1]:6")
                && !same("[2001:db8::1]:5", "[2001:db8:0:1::1]:5")
        );
        assert!(same("[::ffff:1.2.3.4]:5", "1.2.3.4:5"));
        assert_eq!(client("a local peer"), None);
    }
}
