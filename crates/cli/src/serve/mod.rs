//! `volery verify --serve`, and notaries: many clients, one after another or several at once, until a signal.
//!
//! ```text
//! accept --> greeting: TLS, the first messages --> the queue --> a slot: an answer --> the session
//!            within --connect-timeout              in order      within --connect-timeout
//!            [`Pending`]                           [`admission`] [`prompt`]            [`pace`]
//! ```
//!
//! A client joins the queue after it has sent its request, and keeps its slot only if it answers when its
//! turn has come. So silent connections never occupy a slot. A service that names the phases of a session
//! ([`pace`]) also bounds how long a slow client takes in each. [`Capacity`] bounds the number of
//! connections. Each connection has a thread and limits of its own, and when one fails, the others go on. A
//! signal stops the accepting and sends the queue away. Sessions under way may end, and their limits bound
//! how long that takes. A second signal ends the program at once.

mod admission;
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
use super::connection::{Endpoint, Link, ListenerChannel, Pending};
use super::failure::Failure;
use super::progress::Progress;
use super::session::Figures;
use super::settle::Settled;
use super::{outcome, terminal};
use admission::{Admission, Slot, Turn};

/// How often the server looks whether it was told to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How often waiting clients hear their position: far more often than they give up.
const POSITION_INTERVAL: Duration = Duration::from_secs(5);

/// Time for a session unless the command line says otherwise.
pub(crate) const SESSION_TIME: Duration = Duration::from_secs(600);
/// How many connections may wait unless the command line says otherwise.
pub(crate) const WAITING: u16 = 256;
/// The longest first message of a session, in bytes, that a server waits for as a whole.
pub(crate) const FIRST_MESSAGE: usize = 1 << 12;

/// Runs the server.
pub(crate) fn run(args: &VerifyArgs, statement: &Settled<'_>, text: String) -> Result<(), Failure> {
    // This takes as long as a proof. So it happens before anybody can connect, and while a signal still ends
    // the program.
    let estimate = terminal::during("estimating the proof", || statement.estimate())?;
    let most =
        args.connection.max_bytes.unwrap_or(estimate.bytes().saturating_mul(2).saturating_add(1 << 20));
    let stop = Stop::at_signals()?;
    let mut endpoint = Endpoint::new(&args.connection)?;
    endpoint.limits.total_time.get_or_insert(SESSION_TIME);
    endpoint.limits.total_bytes.get_or_insert(most);
    let capacity = Capacity {
        concurrency: args.serve.concurrency,
        waiting: WAITING,
        per_client: None,
        most: args.serve.max_sessions,
    };
    stop.sessions(
        &endpoint,
        capacity,
        &Verifying { statement, text: &text, round_trips: estimate.round_trips, json: args.json },
    )
}

/// The service that verifies one statement for everybody.
struct Verifying<'a> {
    statement: &'a Settled<'a>,
    text: &'a str,
    /// The prover's round trips, which the verifier does not see.
    round_trips: u64,
    json: bool,
}

impl Service for Verifying<'_> {
    type Request = ();

    /// A prover says hello at once. The session reads it.
    fn greet(&self, channel: &mut dyn ListenerChannel) -> Result<(), Failure> {
        Ok(channel.await_hello()?)
    }

    /// A prover of this service waits as long as its own limits say.
    fn wait(&self, _channel: &mut dyn ListenerChannel, _before: usize) -> Result<(), Failure> {
        Ok(())
    }

    /// Names no phases. A prover of a large statement computes for a long time between two messages, which
    /// looks like a wait. `--timeout`, `--max-time` and `--max-bytes` bound the session.
    fn session(&self, link: Link, _pace: &Pace, (): ()) -> Result<(), Failure> {
        let peer = link.peer.clone();
        let result = catching_panics(|| self.statement.verify(link, &Progress::none()));
        let result = result.map(|figures| Figures { round_trips: Some(self.round_trips), ..figures });
        outcome::report(self.json, self.text, &peer, &result)
    }

    fn failed(&self, peer: &str, failure: Failure) -> Result<(), Failure> {
        outcome::report(self.json, self.text, peer, &Err(failure))
    }

    fn refused(&self, peer: &str, reason: &str) -> Result<(), Failure> {
        self.failed(peer, Failure::session(reason))
    }
}

/// Runs a part of one connection. A panic in it, which would be a defect of this program, does not end the
/// other connections.
pub(crate) fn catching_panics<T>(run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(Failure::session("internal error")))
}

/// What a server does for each connection. The last three methods return an error if a line of results cannot
/// be written.
pub(crate) trait Service: Sync {
    /// What a client asks for before its session.
    type Request: Send;

    /// Counts a connection that begins to wait for a slot (`true`), or has stopped waiting.
    fn count(&self, _waiting: bool) {}

    /// Receives a client's request.
    fn greet(&self, channel: &mut dyn ListenerChannel) -> Result<Self::Request, Failure>;

    /// Tells a client that `before` others are ahead of it. An error sends the client away.
    fn wait(&self, channel: &mut dyn ListenerChannel, before: usize) -> Result<(), Failure>;

    /// Runs one session. `pace` bounds how long the session waits for the client in each phase that the
    /// service names.
    fn session(&self, link: Link, pace: &Pace, request: Self::Request) -> Result<(), Failure>;

    /// Reports a connection that failed before its session.
    fn failed(&self, peer: &str, failure: Failure) -> Result<(), Failure>;

    /// Reports a connection that this server turned away.
    fn refused(&self, peer: &str, reason: &str) -> Result<(), Failure>;
}

/// How many connections a server takes.
#[derive(Clone, Copy)]
pub(crate) struct Capacity {
    /// The most sessions at the same time: the number of slots.
    pub(crate) concurrency: u16,
    /// The most connections without a slot at the same time. More stay in the system's queue.
    pub(crate) waiting: u16,
    /// The most connections of one client at the same time. More are refused.
    pub(crate) per_client: Option<u16>,
    /// The number of connections after which the server stops.
    pub(crate) most: Option<u64>,
}

/// The client that a peer's address belongs to: the address itself, or for IPv6 its /64 network, which has
/// one owner. None for peers on this machine.
pub(crate) fn client(peer: &str) -> Option<IpAddr> {
    Some(match peer.parse::<SocketAddr>().ok()?.ip().to_canonical() {
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
        address => address,
    })
}

/// Whether a signal has asked the server to stop.
///
/// Make it before the endpoint: whoever reads the address from the endpoint's message may send a signal at
/// once.
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens for signals: the first one asks the server to stop, the second one ends the program.
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

    /// Runs sessions until a signal comes or `capacity.most` connections were taken.
    pub(crate) fn sessions<S: Service>(
        &self,
        endpoint: &Endpoint,
        capacity: Capacity,
        service: &S,
    ) -> Result<(), Failure> {
        let queue = Admission::new(capacity.concurrency.into());
        let server = Server { endpoint, capacity, service, queue };
        std::thread::scope(|scope| server.run(scope, capacity.most.unwrap_or(u64::MAX), self))
    }

    fn is_asked_for(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

struct Server<'a, S> {
    endpoint: &'a Endpoint,
    capacity: Capacity,
    service: &'a S,
    queue: Admission,
}

/// A connection and the thread that serves it.
struct Running<'scope> {
    client: Option<IpAddr>,
    thread: ScopedJoinHandle<'scope, Result<(), Failure>>,
}

/// A client that has a slot.
struct Admitted<'a, R> {
    link: Link,
    pace: Pace,
    request: R,
    slot: Slot<'a>,
}

impl<S: Service> Server<'_, S> {
    fn run<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        mut left: u64,
        stop: &Stop,
    ) -> Result<(), Failure> {
        let mut running: Vec<Running<'_>> = Vec::new();
        let most = usize::from(self.capacity.concurrency) + usize::from(self.capacity.waiting);
        while left > 0 && !stop.is_asked_for() {
            reap(&mut running)?;
            if running.len() >= most {
                std::thread::sleep(POLL_INTERVAL / 10);
                continue;
            }
            match self.endpoint.accept(POLL_INTERVAL) {
                Ok(None) => {}
                Ok(Some(socket)) => {
                    let client = client(&socket.peer());
                    if let Some(connection) = self.take(scope, &running, socket, client)? {
                        running.push(connection);
                        left -= 1;
                    }
                }
                // For example too many open files, which may pass.
                Err(failure) => {
                    terminal::message(&format!("volery: {failure}"));
                    std::thread::sleep(POLL_INTERVAL);
                }
            }
        }
        if stop.is_asked_for() {
            self.queue.close();
            if !running.is_empty() {
                terminal::message(
                    "stopping once the running sessions have ended; send the signal again to stop at once",
                );
            }
        }
        running.into_iter().try_for_each(finish)
    }

    /// Starts a thread for a connection, unless its client has too many.
    fn take<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        running: &[Running<'_>],
        socket: Socket,
        client: Option<IpAddr>,
    ) -> Result<Option<Running<'scope>>, Failure> {
        let peer = socket.peer();
        if self.is_too_many(running, client) {
            // Reported before it is closed: whoever sees it close may look for the report at once.
            self.service.refused(&peer, "too many connections of this client at the same time")?;
            drop(socket);
            return Ok(None);
        }
        // If no thread starts, the socket is closed.
        match Builder::new().spawn_scoped(scope, move || self.attend(socket)) {
            Ok(thread) => Ok(Some(Running { client, thread })),
            Err(error) => {
                self.service.refused(&peer, &format!("no thread for it: {error}"))?;
                Ok(None)
            }
        }
    }

    /// Whether this client has as many connections as a client may have.
    fn is_too_many(&self, running: &[Running<'_>], client: Option<IpAddr>) -> bool {
        let same = running
            .iter()
            .filter(|connection| connection.client == client && !connection.thread.is_finished())
            .count();
        client.is_some() && self.capacity.per_client.is_some_and(|most| same >= usize::from(most))
    }

    /// Serves a connection from its greeting to its end.
    fn attend(&self, socket: Socket) -> Result<(), Failure> {
        let peer = socket.peer();
        self.service.count(true);
        let admitted = catching_panics(|| self.admit(socket));
        self.service.count(false);
        match admitted {
            Ok(Some(Admitted { link, pace, request, slot })) => {
                let reported = self.service.session(link, &pace, request);
                drop(slot);
                reported
            }
            Ok(None) => self.service.refused(&peer, "the server stops"),
            Err(failure) => self.service.failed(&peer, failure),
        }
    }

    /// Receives a client's request and waits for a slot. None if the server stops first.
    fn admit(&self, socket: Socket) -> Result<Option<Admitted<'_, S::Request>>, Failure> {
        let mut client: Pending = self.endpoint.greet(socket)?;
        let request = self.service.greet(client.channel())?;
        client.wait();
        let ticket = self.queue.join();
        let mut until = Instant::now();
        loop {
            match ticket.wait(until) {
                Turn::Begin(slot) => {
                    let pace = Pace::default();
                    return Ok(Some(Admitted { link: prompt::link(client, &pace), pace, request, slot }));
                }
                Turn::Wait(before) => self.service.wait(client.channel(), before)?,
                Turn::Closed => {
                    client.channel().fail("the server stops; try again later");
                    return Ok(None);
                }
            }
            until = Instant::now() + POSITION_INTERVAL;
        }
    }
}

/// Removes the connections that have ended.
fn reap(running: &mut Vec<Running<'_>>) -> Result<(), Failure> {
    for index in (0..running.len()).rev() {
        if running.get(index).is_some_and(|connection| connection.thread.is_finished()) {
            finish(running.swap_remove(index))?;
        }
    }
    Ok(())
}

/// The error says that a result could not be written. Then serving has no use.
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
