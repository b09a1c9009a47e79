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
//! signal sends the queue away, and everybody who comes later. Sessions under way may end;
//! [`Capacity::drain`] or their limits bound how long that takes. A second signal ends the program at once.
//!
//! Clients that have or begin too many connections are turned away, and told why ([`away`], [`rate`]).

mod admission;
mod away;
mod drain;
mod pace;
mod prompt;
mod rate;

pub(crate) use pace::{Pace, Paced, Phase};
pub(crate) use rate::Rates;

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use volery_channel::transport::Socket;
use volery_statement::{Settled, Watch};

use super::args::VerifyArgs;
use super::connection::{Endpoint, Link, ListenerChannel, Pending};
use super::failure::Failure;
use super::output::counted;
use super::session::{self, Figures};
use super::{outcome, terminal};
use admission::{Admission, Slot, Turn};
use away::Away;

/// How often the server looks whether it was told to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How often waiting clients hear their position: far more often than they give up.
const POSITION_INTERVAL: Duration = Duration::from_secs(5);

/// What clients are told when the server stops.
const STOPPING: &str = "the server stops; try again later";

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
    let estimate = terminal::during("estimating the proof", || statement.foresee())?;
    let most = estimate.as_ref().map(|estimate| estimate.bytes().saturating_mul(2).saturating_add(1 << 20));
    let most = args.connection.max_bytes.or(most);
    let stop = Stop::at_signals()?;
    let mut endpoint = Endpoint::new(&args.connection)?;
    endpoint.limits.total_time.get_or_insert(SESSION_TIME);
    endpoint.limits.total_bytes = endpoint.limits.total_bytes.or(most);
    let capacity = Capacity {
        concurrency: args.serve.concurrency,
        waiting: WAITING,
        per_client: None,
        client_rate: None,
        drain: None,
        most: args.serve.max_sessions,
    };
    stop.sessions(
        &endpoint,
        capacity,
        &Verifying {
            statement,
            text: &text,
            round_trips: estimate.map(|estimate| estimate.round_trips),
            json: args.json,
        },
    )
}

/// The service that verifies one statement for everybody.
struct Verifying<'a> {
    statement: &'a Settled<'a>,
    text: &'a str,
    /// The prover's round trips, which the verifier does not see; none where nobody can know them before.
    round_trips: Option<u64>,
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
        let result = catching_panics(|| session::verify(self.statement, link.channel, &Watch::none()));
        let result = result.map(|figures| Figures { round_trips: self.round_trips, ..figures });
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

    /// Counts a connection that this server closed without a reason, since its client heard one just now.
    fn dropped(&self) {}
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
    /// How many connections one client may begin within a minute. More are refused.
    pub(crate) client_rate: Option<u32>,
    /// How long sessions go on after the signal to stop. None: as long as their limits let them.
    pub(crate) drain: Option<Duration>,
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
#[derive(Clone)]
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

    /// Whether the server is to stop.
    pub(crate) fn is_asked_for(&self) -> bool {
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
    peer: String,
    pace: Pace,
    thread: ScopedJoinHandle<'scope, Result<(), Failure>>,
}

/// All connections, and what is known of clients.
struct Floor<'scope> {
    running: Vec<Running<'scope>>,
    away: Away,
    rates: Option<Rates<IpAddr>>,
    /// Whether it was reported that all places are taken.
    full: bool,
}

/// A client that has a slot.
struct Admitted<'a, R> {
    link: Link,
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
        let rates = self.capacity.client_rate.map(Rates::new);
        let mut floor = Floor { running: Vec::new(), away: Away::default(), rates, full: false };
        while left > 0 && !stop.is_asked_for() {
            floor.reap()?;
            if self.is_full(&mut floor) {
                std::thread::sleep(POLL_INTERVAL / 10);
            } else if let Some(socket) = self.accept()
                && self.take(scope, &mut floor, socket)?
            {
                left -= 1;
            }
        }
        while !floor.running.is_empty() && !stop.is_asked_for() {
            floor.reap()?;
            std::thread::sleep(POLL_INTERVAL / 10);
        }
        if stop.is_asked_for() {
            self.queue.close();
            self.drain(scope, &mut floor)?;
        }
        floor.running.into_iter().try_for_each(finish)
    }

    /// Waits a moment for a connection.
    fn accept(&self) -> Option<Socket> {
        self.endpoint.accept(POLL_INTERVAL).unwrap_or_else(|failure| {
            // For example too many open files, which may pass.
            terminal::message(&format!("volery: {failure}"));
            std::thread::sleep(POLL_INTERVAL);
            None
        })
    }

    /// Whether there is no place for a further connection. Says so when that begins.
    fn is_full(&self, floor: &mut Floor<'_>) -> bool {
        let Capacity { concurrency, waiting, .. } = self.capacity;
        let most = usize::from(concurrency) + usize::from(waiting);
        let before = floor.full;
        floor.full = floor.running.len() >= most;
        if floor.full && !before {
            terminal::message(&format!(
                "{most} connections, the limit ({concurrency} with a session and {waiting} without); more have to wait until one ends"
            ));
        }
        floor.full
    }

    /// Starts a thread for a connection, unless its client has too many. Returns whether it did.
    fn take<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        floor: &mut Floor<'scope>,
        socket: Socket,
    ) -> Result<bool, Failure> {
        let (peer, pace) = (socket.peer(), Pace::default());
        let client = client(&peer);
        if let Some(reason) = client.and_then(|client| self.objection(floor, client)) {
            self.turn_away(scope, &mut floor.away, socket, reason)?;
            return Ok(false);
        }
        // If no thread starts, the socket is closed.
        let own = pace.clone();
        match Builder::new().spawn_scoped(scope, move || self.attend(socket, &own)) {
            Ok(thread) => floor.running.push(Running { client, peer, pace, thread }),
            Err(error) => {
                self.service.refused(&peer, &format!("no thread for it: {error}"))?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Why this client gets no further connection now, if it gets none.
    fn objection(&self, floor: &mut Floor<'_>, client: IpAddr) -> Option<String> {
        let name = if client.is_ipv4() { "this address" } else { "this network (/64)" };
        let same = floor
            .running
            .iter()
            .filter(|connection| connection.client == Some(client) && !connection.thread.is_finished())
            .count();
        if self.capacity.per_client.is_some_and(|most| same >= usize::from(most)) {
            let sessions = counted(same as u64, "connection");
            return Some(format!(
                "{name} has {sessions} at the same time, the limit; try again when one has ended"
            ));
        }
        let rates = floor.rates.as_mut()?;
        let wait = rates.visit(client, Instant::now()).err()?;
        Some(too_often(name, rates.rate(), wait))
    }

    /// Closes a connection, and if its client has not heard too many reasons just now, tells it the reason.
    fn turn_away<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        away: &mut Away,
        socket: Socket,
        reason: String,
    ) -> Result<(), Failure> {
        let peer = socket.peer();
        let Some(telling) = away.tell(client(&peer), Instant::now()) else {
            self.service.dropped();
            return Ok(());
        };
        // Reported before it is closed: whoever sees it close may look for the report at once.
        self.service.refused(&peer, &reason)?;
        let tell = move || {
            let _telling = telling;
            let told = catching_panics(|| {
                self.endpoint.greet_within(socket, away::TIME)?.channel().fail(&reason);
                Ok(())
            });
            if let Err(failure) = told {
                terminal::detail(&format!("{peer} was not told why it is turned away: {failure}"));
            }
        };
        // If no thread starts, the socket is closed without a reason.
        drop(Builder::new().spawn_scoped(scope, tell));
        Ok(())
    }

    /// Serves a connection from its greeting to its end.
    fn attend(&self, socket: Socket, pace: &Pace) -> Result<(), Failure> {
        let peer = socket.peer();
        self.service.count(true);
        let admitted = catching_panics(|| self.admit(socket, pace));
        self.service.count(false);
        match admitted {
            Ok(Some(Admitted { link, request, slot })) => {
                let reported = self.service.session(link, pace, request);
                drop(slot);
                reported
            }
            Ok(None) => self.service.refused(&peer, "the server stops"),
            Err(failure) => self.service.failed(&peer, failure),
        }
    }

    /// Receives a client's request and waits for a slot. None if the server stops first.
    fn admit(&self, socket: Socket, pace: &Pace) -> Result<Option<Admitted<'_, S::Request>>, Failure> {
        let mut client: Pending = self.endpoint.greet(socket)?;
        let request = self.service.greet(client.channel())?;
        client.wait();
        let ticket = self.queue.join();
        let mut until = Instant::now();
        loop {
            match ticket.wait(until) {
                Turn::Begin(slot) => {
                    return Ok(Some(Admitted { link: prompt::link(client, pace), request, slot }));
                }
                Turn::Wait(before) => self.service.wait(client.channel(), before)?,
                Turn::Closed => {
                    client.channel().fail(STOPPING);
                    return Ok(None);
                }
            }
            until = Instant::now() + POSITION_INTERVAL;
        }
    }
}

impl Floor<'_> {
    /// Removes the connections that have ended, and reports those that were closed without a reason.
    fn reap(&mut self) -> Result<(), Failure> {
        let running = &mut self.running;
        for index in (0..running.len()).rev() {
            if running.get(index).is_some_and(|connection| connection.thread.is_finished()) {
                finish(running.swap_remove(index))?;
            }
        }
        if let Some(count) = self.away.report(Instant::now()) {
            let connections = counted(count, "connection");
            terminal::message(&format!(
                "closed {connections} of clients over a limit that heard it just now"
            ));
        }
        Ok(())
    }
}

/// What a client is told that came too often.
pub(crate) fn too_often(name: &str, rate: u32, wait: Duration) -> String {
    let seconds = wait.as_secs() + 1;
    let sessions = counted(u64::from(rate), "session");
    format!("{name} has begun {sessions} within a minute, the limit; try again in {seconds} s")
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
