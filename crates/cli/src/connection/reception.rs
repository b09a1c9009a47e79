//! Listening for one peer.
//!
//! ```text
//! accept --> a thread for each: TLS, the first message --> the first hello:         the session
//!                                                      --> a later hello:           told "busy" or "finished"
//!                                                      --> anything else, silence:  closed
//! ```
//!
//! Port scanners and health checks connect, too. They send no hello of this version of Volery, so they do not
//! end the wait. The first connection that sends one is the peer, whatever it does next: whoever may connect
//! and speaks Volery can take the session. That costs a new attempt, and nothing else.
//!
//! Strays of one host cannot keep out the peer, who comes from another. Each has
//! [`Limits::connect`](volery::Limits) for its hello. At most [`MAX_PENDING`] connections are open at the
//! same time: one more closes the oldest of the host that has most of them. A flood from the peer's own host,
//! or from very many hosts, can close the peer's connection before its hello is here, which takes a round
//! trip, or two with TLS.

use std::collections::{HashMap, VecDeque};
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{Shutdown, shutdown};
use volery::Listener;
use volery_channel::transport::Socket;

use super::{Endpoint, Link, Pending};
use crate::failure::Failure;
use crate::serve::catching_panics;
use crate::terminal;

/// The most connections without a session at the same time.
const MAX_PENDING: usize = 64;
/// The number of strays that are reported. `--verbose` reports all.
const MAX_REPORTED: usize = 8;
/// How long connections that are open at the end of the session have to read the reason.
const CLOSING_TIME: Duration = Duration::from_secs(1);
/// The pause after an error of the listener, which may pass, like too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// What a second peer is told.
const BUSY: &str = "busy: this party serves one peer only, and that session is under way; try again later";
const FINISHED: &str = "finished: this party serves one peer only, and that session is over";

/// Waits at `listener` for a peer, for at most `listen_timeout`, and runs `session` with it. Meanwhile other
/// peers are told that they cannot be served.
pub(super) fn serve_one<T>(
    endpoint: &Endpoint,
    listener: &Listener,
    listen_timeout: Option<Duration>,
    session: impl FnOnce(Link) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (wake, woken) = UnixStream::pair().map_err(Failure::session)?;
    woken.set_nonblocking(true).map_err(Failure::session)?;
    let reception = Reception { endpoint, state: Mutex::default(), changed: Condvar::new(), wake };
    std::thread::scope(|scope| {
        // Ends the accepting, however the session ends.
        let _end = End(&reception);
        Builder::new()
            .spawn_scoped(scope, || reception.accept(scope, listener, woken))
            .map_err(Failure::session)?;
        session(reception.peer(listen_timeout)?)
    })
}

struct Reception<'a> {
    endpoint: &'a Endpoint,
    state: Mutex<State>,
    changed: Condvar,
    /// Interrupts the wait for connections.
    wake: UnixStream,
}

#[derive(Default)]
struct State {
    stage: Stage,
    /// The peer, until the session takes it.
    peer: Option<Link>,
    strays: usize,
    last_stray: String,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Waiting,
    Serving,
    Finished,
}

/// Ends a reception when it is dropped.
struct End<'a, 'b>(&'a Reception<'b>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        self.0.state().stage = Stage::Finished;
        // The accepting thread keeps the other end open until it sees the stage.
        let _ = (&self.0.wake).write_all(&[0]);
    }
}

/// Closes a connection without a session from another thread. Empty once the connection is the peer's, was
/// closed, or has ended.
#[derive(Clone, Default)]
struct Handle {
    /// The address of the other end, without a port.
    host: String,
    socket: Arc<Mutex<Option<OwnedFd>>>,
}

impl Handle {
    fn of(socket: &Socket) -> std::io::Result<Self> {
        let peer = socket.peer();
        let host = peer.rsplit_once(':').map_or(&*peer, |(host, _)| host).to_owned();
        Ok(Self { host, socket: Arc::new(Mutex::new(Some(socket.as_fd().try_clone_to_owned()?))) })
    }

    fn close(&self) {
        if let Some(socket) = self.socket().take() {
            // An error means that the stray has closed it already.
            let _ = shutdown(socket, Shutdown::Both);
        }
    }

    /// Takes the connection away from whoever would close it; false if somebody has.
    fn release(&self) -> bool {
        self.socket().take().is_some()
    }

    fn is_released(&self) -> bool {
        self.socket().is_none()
    }

    fn socket(&self) -> MutexGuard<'_, Option<OwnedFd>> {
        self.socket.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reception<'_> {
    /// The state. It is consistent between any two statements, so a panic of another holder does no harm.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the peer.
    fn peer(&self, listen_timeout: Option<Duration>) -> Result<Link, Failure> {
        let state = self.state();
        let waiting = |state: &mut State| state.stage == Stage::Waiting;
        let mut state = match listen_timeout {
            None => self.changed.wait_while(state, waiting).unwrap_or_else(PoisonError::into_inner),
            Some(time) => {
                self.changed
                    .wait_timeout_while(state, time, waiting)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        };
        if let Some(link) = state.peer.take() {
            return Ok(link);
        }
        let time = listen_timeout.unwrap_or_default().as_secs_f32();
        let strays = match state.strays {
            0 => "nobody connected".to_owned(),
            1 => format!("one connection came and said no hello: {}", state.last_stray),
            n => format!("{n} connections came and said no hello; the last one: {}", state.last_stray),
        };
        Err(Failure::session(format!(
            "no peer came within {time} s (--listen-timeout): {strays}; start the other party with --connect and this address"
        )))
    }

    /// Accepts connections until the session is over, and tells those that are open then.
    fn accept<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        listener: &Listener,
        mut woken: UnixStream,
    ) {
        let mut heard: VecDeque<Handle> = VecDeque::new();
        let (mut end, mut refused) = (None, None);
        loop {
            if self.state().stage == Stage::Finished {
                let end = *end.get_or_insert_with(|| Instant::now() + CLOSING_TIME);
                if Instant::now() >= end {
                    break;
                }
            }
            heard.retain(|handle| !handle.is_released());
            match listener.accept(Some(Duration::ZERO)) {
                Ok(Some(socket)) => {
                    if heard.len() >= MAX_PENDING
                        && let Some(stray) = oldest_of_most(&heard).and_then(|index| heard.remove(index))
                    {
                        stray.close();
                    }
                    heard.extend(self.hear(scope, socket));
                }
                Ok(None) if end.is_some() && heard.is_empty() => break,
                Ok(None) => wait(listener, &mut woken, end),
                Err(error) => {
                    // It may last: too many open files, say.
                    if refused.as_ref() != Some(&error) {
                        terminal::message(&format!("volery: {error}"));
                        refused = Some(error);
                    }
                    std::thread::sleep(PAUSE);
                }
            }
        }
        heard.iter().for_each(Handle::close);
    }

    /// Starts a thread for a connection.
    fn hear<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, socket: Socket) -> Option<Handle> {
        // If the system has no more handles or threads, the connection is closed.
        let handle = Handle::of(&socket).ok()?;
        let own = handle.clone();
        let attend = move || {
            let peer = socket.peer();
            if let Err(failure) = catching_panics(|| self.attend(socket, &own)) {
                self.report(&peer, &failure);
            }
            own.release();
            // Wakes the accepting thread, which waits for the last connection to end.
            let _ = (&self.wake).write_all(&[0]);
        };
        Builder::new().spawn_scoped(scope, attend).ok().map(|_| handle)
    }

    /// Waits for TLS and the hello. The first connection with a hello gets the session. All others are
    /// reported, and then told why they get none, which a slow stray may delay.
    fn attend(&self, socket: Socket, handle: &Handle) -> Result<(), Failure> {
        let peer = socket.peer();
        let mut pending = self.endpoint.greet(socket)?;
        if let Err(error) = pending.channel().await_hello() {
            let reason = error.to_string();
            self.report(&peer, &error.into());
            pending.channel().fail(&reason);
            return Ok(());
        }
        terminal::detail(&format!("{peer} said hello"));
        let Some((mut pending, reason)) = self.admit(pending, handle) else { return Ok(()) };
        self.report(&peer, &Failure::session(format!("told that this party is {reason}")));
        pending.channel().fail(reason);
        Ok(())
    }

    /// Gives the session to a connection, or returns it with the reason why it gets none.
    fn admit(&self, pending: Pending, handle: &Handle) -> Option<(Pending, &'static str)> {
        let mut state = self.state();
        match state.stage {
            // It was closed to make room for others, and is no peer any more.
            Stage::Waiting if !handle.release() => None,
            Stage::Waiting => {
                state.stage = Stage::Serving;
                state.peer = Some(pending.into_link());
                self.changed.notify_all();
                None
            }
            Stage::Serving => Some((pending, BUSY)),
            Stage::Finished => Some((pending, FINISHED)),
        }
    }

    /// Reports a connection that got no session.
    fn report(&self, peer: &str, failure: &Failure) {
        let number = {
            let mut state = self.state();
            state.strays += 1;
            state.last_stray = failure.to_string();
            state.strays
        };
        let line = format!("{peer} got no session: {failure}");
        match number {
            0..MAX_REPORTED => terminal::message(&line),
            MAX_REPORTED => terminal::message(&format!("{line}; only --verbose reports more")),
            _ => terminal::detail(&line),
        }
    }
}

/// The place of the oldest connection of the host that has most of them.
fn oldest_of_most(heard: &VecDeque<Handle>) -> Option<usize> {
    let mut counts = HashMap::<&str, usize>::new();
    for handle in heard {
        *counts.entry(&handle.host).or_default() += 1;
    }
    let most = counts.values().max()?;
    heard.iter().position(|handle| counts.get(&*handle.host) == Some(most))
}

/// Waits for a connection, or until somebody writes to the other end of `woken`, or until `end`.
fn wait(listener: &Listener, woken: &mut UnixStream, end: Option<Instant>) {
    let left = end.map(|end| {
        let millis = end.saturating_duration_since(Instant::now()).as_millis();
        Timespec { tv_sec: 0, tv_nsec: i64::try_from(millis).unwrap_or(0).min(999) * 1_000_000 }
    });
    let mut sources = [PollFd::new(listener, PollFlags::IN), PollFd::new(woken, PollFlags::IN)];
    if poll(&mut sources, left.as_ref()).is_err() {
        // Interrupted by a signal, or out of memory for a moment.
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = woken.read(&mut [0; 64]);
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use volery::{Channel as _, Limits, connect, os_rng};
    use volery_channel::handshake::{Hello, Parameters, Role};
    use volery_channel::{Error, tags};

    use super::super::Side;
    use super::*;
    use crate::args::ConnectionArgs;

    #[derive(clap::Parser)]
    struct Args {
        #[command(flatten)]
        connection: ConnectionArgs,
    }

    #[test]
    fn a_host_with_many_connections_loses_its_own() {
        let handles = |hosts: &[&str]| -> VecDeque<Handle> {
            hosts.iter().map(|host| Handle { host: (*host).into(), ..Handle::default() }).collect()
        };
        assert_eq!(oldest_of_most(&handles(&[])), None);
        assert_eq!(oldest_of_most(&handles(&["a", "b", "b"])), Some(1));
        assert_eq!(oldest_of_most(&handles(&["b", "a", "a", "c", "b", "a"])), Some(1));
    }

    #[test]
    fn a_connection_that_was_closed_gets_no_session() {
        let args = Args::parse_from(["volery", "--listen", "127.0.0.1:0"]);
        let endpoint = Endpoint::new(&args.connection).expect("it listens");
        let Side::Listening { listener, .. } = &endpoint.side else { panic!("it listens") };
        let (wake, _woken) = UnixStream::pair().expect("a pair");
        let (state, changed) = (Mutex::default(), Condvar::new());
        let reception = Reception { endpoint: &endpoint, state, changed, wake };
        for closed in [true, false] {
            let mut peer =
                connect(&listener.address().expect("bound"), &Limits::default()).expect("connects");
            let hello = Hello::new(Role::Prover, Parameters::new(), &mut os_rng().expect("randomness"));
            hello.send(&mut peer).and_then(|()| peer.flush()).expect("sent");
            let socket = listener.accept(None).expect("accepts").expect("a socket");
            let handle = Handle::of(&socket).expect("a handle");
            let mut pending = endpoint.greet(socket).expect("greeted");
            pending.channel().await_hello().expect("a hello");
            // The accepting thread makes room between the hello and the session.
            if closed {
                handle.close();
            }
            assert!(reception.admit(pending, &handle).is_none());
            assert_eq!(reception.state().peer.is_none(), closed);
        }
    }

    #[test]
    fn a_late_peer_hears_whether_the_session_is_under_way_or_over() {
        let args = Args::parse_from(["volery", "--listen", "127.0.0.1:0"]);
        let endpoint = Endpoint::new(&args.connection).expect("it listens");
        let Side::Listening { listener, .. } = &endpoint.side else { panic!("it listens") };
        let address = listener.address().expect("bound");
        for (stage, word) in [(Stage::Serving, "busy: "), (Stage::Finished, "finished: ")] {
            let (wake, _woken) = UnixStream::pair().expect("a pair");
            let state = Mutex::new(State { stage, ..State::default() });
            let reception = Reception { endpoint: &endpoint, state, changed: Condvar::new(), wake };
            let mut late = connect(&address, &Limits::default()).expect("connects");
            let hello = Hello::new(Role::Prover, Parameters::new(), &mut os_rng().expect("randomness"));
            hello.send(&mut late).and_then(|()| late.flush()).expect("sent");
            let socket = listener.accept(None).expect("accepts").expect("a socket");
            std::thread::scope(|scope| {
                // It waits until the late peer has heard it.
                scope.spawn(|| reception.attend(socket, &Handle::default()));
                let told = late.recv(tags::HELLO, 1000).expect_err("no session");
                assert!(matches!(&told, Error::Peer { reason, .. } if reason.starts_with(word)), "{told}");
                drop(late);
            });
            assert!(reception.state().peer.is_none());
        }
    }
}
