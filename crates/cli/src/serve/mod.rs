//! `volery verify --serve`, and notaries: one prover after another, or several at once, until told to stop.
//!
//! ```text
//! accept --> greeting: TLS, the first messages ([`Guest`]) --> the line ([`line`]) --> a place: an answer ([`prompt`]) --> the session
//!            no longer than it takes to connect                first come,               no longer than it
//!                                                              first served              takes to connect
//! ```
//!
//! Only who has said what it wants gets into the line, and only who is still there when its turn has come
//! keeps its place, so silent peers hold none that others could have; a service that tells of its phases
//! ([`pace`]) is not held up by slow ones either; and there are no more of all of them together than
//! [`Crowd`] says. Each connection has a thread and limits of its own, and one that fails, however it fails,
//! ends alone. A signal stops the waiting for more and sends away who waits in the line; sessions under way
//! may end, which their limits bound. A second signal ends the program at once.

mod line;
mod pace;
mod prompt;

#[cfg(test)]
pub(crate) use pace::Paced;
pub(crate) use pace::{Pace, Phase};

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use volery_channel::transport::Socket;

use super::args::VerifyArgs;
use super::connection::{Endpoint, Flexible, Guest, Link};
use super::failure::Failure;
use super::progress::Progress;
use super::settle::Settled;
use super::{outcome, output};
use line::{Line, Place, Turn};

/// How often the server looks whether it was told to stop.
const PULSE: Duration = Duration::from_millis(100);
/// How often those who wait in the line are told so: far more often than a peer loses its patience.
const NEWS: Duration = Duration::from_secs(5);

/// Time for a session unless the command line says otherwise.
pub(crate) const SESSION_TIME: Duration = Duration::from_secs(600);
/// How many may wait unless the command line says otherwise.
pub(crate) const WAITING: u16 = 256;
/// The longest first message of a session that is waited for, whole.
pub(crate) const FIRST_MESSAGE: usize = 1 << 12;

/// Runs the server.
pub(crate) fn run(args: &VerifyArgs, statement: &Settled<'_>, text: String) -> Result<(), Failure> {
    // Before anybody can connect, and while a signal ends the program: it takes as long as a proof.
    let most = match args.connection.max_bytes {
        Some(most) => most,
        None => statement.estimate()?.bytes().saturating_mul(2).saturating_add(1 << 20),
    };
    let stop = Stop::at_signals()?;
    let mut endpoint = Endpoint::new(&args.connection)?;
    endpoint.limits.total_time.get_or_insert(SESSION_TIME);
    endpoint.limits.total_bytes.get_or_insert(most);
    let crowd = Crowd {
        concurrency: args.serve.concurrency,
        waiting: WAITING,
        per_client: None,
        most: args.serve.max_sessions,
    };
    stop.sessions(&endpoint, crowd, &Verifying { statement, text: &text, json: args.json })
}

/// Verifying one statement for everybody.
struct Verifying<'a> {
    statement: &'a Settled<'a>,
    text: &'a str,
    json: bool,
}

impl Service for Verifying<'_> {
    type Wish = ();

    /// A prover says who it is at once. What it says is for the session.
    fn greet(&self, channel: &mut dyn Flexible) -> Result<(), Failure> {
        Ok(channel.await_frame(FIRST_MESSAGE)?)
    }

    /// A prover of this service waits as long as its own limits say.
    fn wait(&self, _channel: &mut dyn Flexible, _before: usize) -> Result<(), Failure> {
        Ok(())
    }

    /// Without phases: what a prover computes between two messages takes the longer the larger the statement
    /// is, and looks like a wait. Time-outs, the time of the session and its bytes bound it.
    fn session(&self, link: Link, _pace: &Pace, (): ()) -> Result<(), Failure> {
        let peer = link.peer.clone();
        let result = sheltered(|| self.statement.verify(link, &Progress::none()));
        outcome::report(self.json, self.text, &peer, &result)
    }

    fn failed(&self, peer: &str, failure: Failure) -> Result<(), Failure> {
        outcome::report(self.json, self.text, peer, &Err(failure))
    }

    fn refused(&self, peer: &str, reason: &str) -> Result<(), Failure> {
        self.failed(peer, Failure::session(reason))
    }
}

/// Runs something of one connection. A panic would be a defect of ours; it must not take the other
/// connections with it.
pub(crate) fn sheltered<T>(run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(Failure::session("internal error")))
}

/// What is done for each connection. An error of the last three is that a line of results could not be
/// written.
pub(crate) trait Service: Sync {
    /// What a guest has said that it wants.
    type Wish: Send;

    /// Somebody has connected, or has got a place or gone without one: `waiting` says which.
    fn count(&self, _waiting: bool) {}

    /// Hears what a guest wants.
    fn greet(&self, channel: &mut dyn Flexible) -> Result<Self::Wish, Failure>;

    /// Tells a guest that so many are before it. An error sends it away.
    fn wait(&self, channel: &mut dyn Flexible, before: usize) -> Result<(), Failure>;

    /// One session. `pace` bounds how long it waits for the guest in each phase that it tells it of.
    fn session(&self, link: Link, pace: &Pace, wish: Self::Wish) -> Result<(), Failure>;

    /// A connection that ended before its session.
    fn failed(&self, peer: &str, failure: Failure) -> Result<(), Failure>;

    /// A connection that this server did not want.
    fn refused(&self, peer: &str, reason: &str) -> Result<(), Failure>;
}

/// How many connections there may be.
#[derive(Clone, Copy)]
pub(crate) struct Crowd {
    /// Sessions at the same time.
    pub(crate) concurrency: u16,
    /// Connections that have no place yet, at the same time; more wait in the system's queue.
    pub(crate) waiting: u16,
    /// Connections of one client at the same time; more are refused.
    pub(crate) per_client: Option<u16>,
    /// Connections in all.
    pub(crate) most: Option<u64>,
}

/// Whose connection this is: an address, or of IPv6 the network of 64 bits that one owner has. None is
/// somebody on this machine.
pub(crate) fn client(peer: &str) -> Option<IpAddr> {
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
    pub(crate) fn sessions<S: Service>(
        &self,
        endpoint: &Endpoint,
        crowd: Crowd,
        service: &S,
    ) -> Result<(), Failure> {
        let server = Server { endpoint, crowd, service, line: Line::new(crowd.concurrency.into()) };
        std::thread::scope(|scope| server.run(scope, crowd.most.unwrap_or(u64::MAX), self))
    }

    fn is_asked_for(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

struct Server<'a, S> {
    endpoint: &'a Endpoint,
    crowd: Crowd,
    service: &'a S,
    line: Line,
}

/// A connection that is attended to.
struct Running<'scope> {
    client: Option<IpAddr>,
    thread: ScopedJoinHandle<'scope, Result<(), Failure>>,
}

/// A guest whose turn it is.
struct Seated<'a, W> {
    link: Link,
    pace: Pace,
    wish: W,
    place: Place<'a>,
}

impl<S: Service> Server<'_, S> {
    fn run<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        mut left: u64,
        stop: &Stop,
    ) -> Result<(), Failure> {
        let mut running: Vec<Running<'_>> = Vec::new();
        let most = usize::from(self.crowd.concurrency) + usize::from(self.crowd.waiting);
        while left > 0 && !stop.is_asked_for() {
            reap(&mut running)?;
            if running.len() >= most {
                std::thread::sleep(PULSE / 10);
                continue;
            }
            match self.endpoint.accept(PULSE) {
                Ok(None) => {}
                Ok(Some(socket)) => {
                    let client = client(&socket.peer());
                    if let Some(connection) = self.take(scope, &running, socket, client)? {
                        running.push(connection);
                        left -= 1;
                    }
                }
                // Like too many open files: it passes.
                Err(failure) => {
                    output::message(&format!("volery: {failure}"));
                    std::thread::sleep(PULSE);
                }
            }
        }
        if stop.is_asked_for() {
            self.line.close();
            if !running.is_empty() {
                output::message("stopping when the sessions under way have ended; once more to stop at once");
            }
        }
        running.into_iter().try_for_each(finish)
    }

    /// Has a connection attended to, unless it is one too many.
    fn take<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        running: &[Running<'_>],
        socket: Socket,
        client: Option<IpAddr>,
    ) -> Result<Option<Running<'scope>>, Failure> {
        let peer = socket.peer();
        if self.is_too_many(running, client) {
            // Told before it is closed: whoever sees the end may look for it at once.
            self.service.refused(&peer, "too many connections of this client at the same time")?;
            drop(socket);
            return Ok(None);
        }
        // Without a thread the socket is closed.
        match Builder::new().spawn_scoped(scope, move || self.attend(socket)) {
            Ok(thread) => Ok(Some(Running { client, thread })),
            Err(error) => {
                self.service.refused(&peer, &format!("no thread for it: {error}"))?;
                Ok(None)
            }
        }
    }

    /// Whether this client has as many connections as one may have.
    fn is_too_many(&self, running: &[Running<'_>], client: Option<IpAddr>) -> bool {
        let same = running
            .iter()
            .filter(|connection| connection.client == client && !connection.thread.is_finished())
            .count();
        client.is_some() && self.crowd.per_client.is_some_and(|most| same >= usize::from(most))
    }

    /// A connection, from the greeting to its end.
    fn attend(&self, socket: Socket) -> Result<(), Failure> {
        let peer = socket.peer();
        self.service.count(true);
        let seated = sheltered(|| self.seat(socket));
        self.service.count(false);
        match seated {
            Ok(Some(Seated { link, pace, wish, place })) => {
                let told = self.service.session(link, &pace, wish);
                drop(place);
                told
            }
            Ok(None) => self.service.refused(&peer, "the server stops"),
            Err(failure) => self.service.failed(&peer, failure),
        }
    }

    /// Hears what somebody wants, and waits for a place. None if there will be none.
    fn seat(&self, socket: Socket) -> Result<Option<Seated<'_, S::Wish>>, Failure> {
        let mut guest: Guest = self.endpoint.greet(socket)?;
        let wish = self.service.greet(guest.channel())?;
        guest.wait();
        let number = self.line.join();
        let mut until = Instant::now();
        loop {
            match number.wait(until) {
                Turn::Begin(place) => {
                    let pace = Pace::default();
                    return Ok(Some(Seated { link: prompt::link(guest, &pace), pace, wish, place }));
                }
                Turn::Wait(before) => self.service.wait(guest.channel(), before)?,
                Turn::Closed => {
                    guest.channel().fail("the server stops; try again later");
                    return Ok(None);
                }
            }
            until = Instant::now() + NEWS;
        }
    }
}

/// Forgets the connections that have ended.
fn reap(running: &mut Vec<Running<'_>>) -> Result<(), Failure> {
    for index in (0..running.len()).rev() {
        if running.get(index).is_some_and(|connection| connection.thread.is_finished()) {
            finish(running.swap_remove(index))?;
        }
    }
    Ok(())
}

/// What is an error here is that the result could not be written: then serving has no use.
fn finish(connection: Running<'_>) -> Result<(), Failure> {
    connection.thread.join().unwrap_or_else(|_| Err(Failure::session("internal error")))
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
