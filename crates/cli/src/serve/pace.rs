//! Bounds how long a session waits for its peer in each phase.
//!
//! A time-out for each message is not enough: a peer that uses most of it for each of a hundred messages, or
//! sends its bytes one by one, holds a slot that others wait for. So a session adds its waits up:
//!
//! ```text
//! all waits of a phase  <=  the phase's time  +  bytes of its messages, both ways / the slowest rate
//! ```
//!
//! Time that this party computes, or waits for others, does not count. Bytes earn the time that they take on
//! the slowest line ([`Limits::min_rate`]), so long messages cost a peer nothing. Each wait ends when the
//! phase's time does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use volery::{Channel, Limits};
use volery_channel::{Error, Stats, Tag, tags};

use crate::connection::ListenerChannel;

/// A part of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phase {
    /// The name of the bound in errors: the time (ms) that a peer takes for something.
    pub(crate) what: &'static str,
    /// How long the session waits for the peer in this phase.
    pub(crate) time: Duration,
}

/// The phase of a session and the time left in it. Before the first phase nothing is bounded, unless the
/// session is to end.
#[derive(Clone, Default)]
pub(crate) struct Pace(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    account: Option<Account>,
    /// When the session is to end, whatever its phase, and the name of that bound.
    end: Option<(Instant, Phase)>,
}

struct Account {
    phase: Phase,
    waited: Duration,
    bytes: u64,
}

impl Pace {
    /// Begins the next phase.
    pub(crate) fn begin(&self, phase: Phase) {
        self.state().account = Some(Account { phase, waited: Duration::ZERO, bytes: 0 });
    }

    /// Ends the session when the time of `phase` has passed from `now` on. Bytes earn no time then. A wait
    /// that has begun already goes on until its own end.
    pub(super) fn end(&self, phase: Phase, now: Instant) {
        self.state().end = Some((now + phase.time, phase));
    }

    /// The state. It is consistent between any two statements, so a panic of another holder does no harm.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time left in the phase if bytes earn time at `rate` (bytes a second), and the phase. If the
    /// session is to end before, the time until then.
    fn left(&self, rate: u32) -> Option<(Duration, Phase)> {
        let State { account, end } = &*self.state();
        let phase = account.as_ref().map(|Account { phase, waited, bytes }| {
            let earned = Duration::from_millis(bytes.saturating_mul(1000) / u64::from(rate.max(1)));
            (phase.time.saturating_add(earned).saturating_sub(*waited), *phase)
        });
        let end = end.map(|(end, phase)| (end.saturating_duration_since(Instant::now()), phase));
        phase.into_iter().chain(end).min_by_key(|(left, _)| *left)
    }

    /// The bound on a session that was to end by now.
    fn ended(&self) -> Option<Phase> {
        self.state().end.filter(|(end, _)| *end <= Instant::now()).map(|(_, phase)| phase)
    }

    /// Counts an operation that began at `start` and moved this many bytes.
    fn count(&self, start: Instant, bytes: usize) {
        if let Some(account) = &mut self.state().account {
            account.waited = account.waited.saturating_add(start.elapsed());
            account.bytes = account.bytes.saturating_add(bytes as u64);
        }
    }
}

/// A channel that ends when all waits of a phase together exceed its time.
pub(crate) struct Paced {
    inner: Box<dyn ListenerChannel>,
    /// The limits of the session, and when they began to hold.
    limits: Limits,
    since: Instant,
    /// Whether the channel below has tighter limits now.
    tight: bool,
    /// The last message, for errors of operations without one.
    step: Tag,
    pace: Pace,
}

impl Paced {
    pub(crate) fn new(inner: Box<dyn ListenerChannel>, limits: Limits, pace: &Pace) -> Self {
        Self { inner, limits, since: Instant::now(), tight: false, step: tags::HELLO, pace: pace.clone() }
    }

    /// Cuts the next wait to the time left in the phase.
    fn before(&mut self, step: Tag) -> Result<(), Error> {
        self.step = step;
        let Some((left, phase)) = self.pace.left(self.limits.min_rate) else { return Ok(()) };
        if left.is_zero() {
            return Err(phase.over(step));
        }
        let tight = left < self.limits.read.max(self.limits.write);
        if tight || self.tight {
            let total_time = self.limits.total_time.map(|total| total.saturating_sub(self.since.elapsed()));
            let (read, write) = (self.limits.read.min(left), self.limits.write.min(left));
            self.inner.renew(Limits { read, write, total_time, ..self.limits.clone() });
            self.tight = tight;
        }
        Ok(())
    }
}

impl Phase {
    /// The error that this phase's time is over.
    fn over(self, step: Tag) -> Error {
        let limit = u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX);
        Error::Limit { step, what: self.what, limit }
    }
}

/// Counts an operation of the channel below that began at `start`. If it timed out because the phase is over,
/// the error says so.
fn counted<T>(
    (pace, limits): (&Pace, &Limits),
    (step, start): (Tag, Instant),
    bytes: impl FnOnce(&T) -> usize,
    result: Result<T, Error>,
) -> Result<T, Error> {
    pace.count(start, result.as_ref().map_or(0, bytes));
    result.map_err(|error| match (error, pace.left(limits.min_rate)) {
        (Error::TimedOut { .. }, Some((left, phase))) if left.is_zero() => phase.over(step),
        (error, _) => error,
    })
}

impl Channel for Paced {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.before(tag)?;
        let now = (tag, Instant::now());
        counted((&self.pace, &self.limits), now, |()| payload.len(), self.inner.send(tag, payload))
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error> {
        self.before(tag)?;
        let now = (tag, Instant::now());
        counted((&self.pace, &self.limits), now, |payload| payload.len(), self.inner.recv(tag, max))
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        self.before(tag)?;
        let (now, length) = ((tag, Instant::now()), out.len());
        counted((&self.pace, &self.limits), now, |()| length, self.inner.recv_exact(tag, out))
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        self.before(tag)?;
        let now = (tag, Instant::now());
        let result = self.inner.recv_into(tag, max, out);
        counted((&self.pace, &self.limits), now, |()| out.len(), result)
    }

    fn precedes(&mut self, other: Tag, step: Tag) -> Result<bool, Error> {
        self.before(step)?;
        let now = (step, Instant::now());
        counted((&self.pace, &self.limits), now, |_| 0, self.inner.precedes(other, step))
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.before(self.step)?;
        let now = (self.step, Instant::now());
        counted((&self.pace, &self.limits), now, |()| 0, self.inner.flush())
    }

    fn fail(&mut self, reason: &str) {
        self.inner.fail(reason);
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.inner.binding()
    }
}

impl ListenerChannel for Paced {
    fn renew(&mut self, limits: Limits) {
        (self.limits, self.since, self.tight) = (limits.clone(), Instant::now(), false);
        self.inner.renew(limits);
    }

    /// A wait that counts for no phase. It may have been cut to the time until the session is to end, and the
    /// error then says so.
    fn await_frame(&mut self, most: usize) -> Result<(), Error> {
        self.inner.await_frame(most).map_err(|error| match (error, self.pace.ended()) {
            (Error::TimedOut { step, .. }, Some(phase)) => phase.over(step),
            (error, _) => error,
        })
    }

    fn await_hello(&mut self) -> Result<(), Error> {
        self.inner.await_hello()
    }
}

#[cfg(test)]
mod tests {
    use volery::memory_pair;
    use volery_channel::tags::TEST;

    use super::*;

    const LONG: Duration = Duration::from_secs(30);
    const SHORT: Phase = Phase { what: "the time (ms) of a test", time: Duration::from_millis(100) };

    /// Limits under which everything may take long, and 1,000 bytes a second are enough.
    fn limits() -> Limits {
        Limits { read: LONG, write: LONG, total_time: Some(LONG), min_rate: 1000, ..Limits::default() }
    }

    fn paced() -> (impl Channel, Paced, Pace) {
        let (peer, server) = memory_pair(&limits());
        let pace = Pace::default();
        (peer, Paced::new(Box::new(server), limits(), &pace), pace)
    }

    fn is_over(result: Result<&[u8], Error>) -> bool {
        matches!(result, Err(Error::Limit { step: TEST, what, limit: 100 }) if what == SHORT.what)
    }

    #[test]
    fn a_peer_that_answers_slowly_at_each_step_is_dropped_when_its_waits_add_up() {
        let (mut peer, mut server, pace) = paced();
        pace.begin(SHORT);
        std::thread::scope(|scope| {
            // Each message comes long before its own time-out.
            scope.spawn(move || {
                while peer.send(TEST, b"").and_then(|()| peer.flush()).is_ok() {
                    std::thread::sleep(SHORT.time / 10);
                }
            });
            let end = (0..10_000).find_map(|_| match server.recv(TEST, 0) {
                Ok(_) => None,
                error => Some(is_over(error)),
            });
            assert_eq!(end, Some(true));
            // The error stays, whatever has arrived by now.
            assert!(is_over(server.recv(TEST, 0)));
            drop(server);
        });
    }

    #[test]
    fn a_silent_peer_is_dropped_when_the_phase_is_over_even_if_the_time_out_is_longer() {
        let (_peer, mut server, pace) = paced();
        pace.begin(SHORT);
        assert!(is_over(server.recv(TEST, 0)));
    }

    #[test]
    fn bytes_and_a_new_phase_give_time() {
        let (mut peer, mut server, pace) = paced();
        let wait = |pace: &Pace| {
            std::thread::spawn({
                let pace = pace.clone();
                move || {
                    let start = Instant::now();
                    std::thread::sleep(2 * SHORT.time);
                    pace.count(start, 0);
                }
            })
        };
        pace.begin(SHORT);
        // These bytes earn ten seconds at the slowest rate.
        peer.send(TEST, &[0; 10_000]).and_then(|()| peer.flush()).expect("sent");
        assert_eq!(server.recv(TEST, 10_000).map(<[u8]>::len), Ok(10_000));
        wait(&pace).join().expect("no panic");
        peer.send(TEST, b"more").and_then(|()| peer.flush()).expect("sent");
        assert_eq!(server.recv(TEST, 4), Ok(&b"more"[..]));
        // Without the bytes no time would be left. A new phase begins with all of its time.
        pace.begin(SHORT);
        wait(&pace).join().expect("no panic");
        peer.send(TEST, b"late").and_then(|()| peer.flush()).expect("sent");
        assert!(is_over(server.recv(TEST, 4)));
        pace.begin(Phase { time: LONG, ..SHORT });
        assert_eq!(server.recv(TEST, 4), Ok(&b"late"[..]));
    }

    #[test]
    fn a_session_that_is_to_end_has_no_more_time_than_that() {
        let (mut peer, mut server, pace) = paced();
        pace.begin(Phase { time: LONG, ..SHORT });
        peer.send(TEST, &[0; 10_000]).and_then(|()| peer.flush()).expect("sent");
        pace.end(SHORT, Instant::now());
        assert_eq!(server.recv(TEST, 10_000).map(<[u8]>::len), Ok(10_000));
        assert!(is_over(server.recv(TEST, 0)));
    }

    #[test]
    fn a_wait_for_a_frame_that_is_cut_short_by_the_end_says_so() {
        let (_peer, mut server, pace) = paced();
        pace.begin(Phase { time: LONG, ..SHORT });
        pace.end(SHORT, Instant::now());
        // Sending cuts the waits that follow.
        server.send(TEST, b"").and_then(|()| server.flush()).expect("sent");
        let error = server.await_frame(1).expect_err("nothing comes");
        assert!(matches!(error, Error::Limit { what, limit: 100, .. } if what == SHORT.what), "{error}");
    }

    #[test]
    fn the_time_of_the_session_goes_on_under_tighter_limits() {
        let short = Limits { total_time: Some(Duration::from_millis(50)), ..limits() };
        let (_peer, server) = memory_pair(&short);
        let pace = Pace::default();
        let mut server = Paced::new(Box::new(server), short, &pace);
        pace.begin(Phase { time: LONG / 2, ..SHORT });
        let error = server.recv(TEST, 0).expect_err("nothing comes");
        assert!(matches!(error, Error::Limit { limit: 0..=50, .. }) && !is_over(Err(error)));
    }
}
