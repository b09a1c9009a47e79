//! The admission queue: a fixed number of slots for sessions, and the clients that wait for one.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A number of slots. Clients get them in the order in which they joined.
pub(super) struct Admission {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Slots that nobody has.
    free: usize,
    /// The numbers of the tickets that wait, in order.
    waiting: VecDeque<u64>,
    /// The number of the next ticket.
    next: u64,
    closed: bool,
}

impl Admission {
    /// An empty queue with this many slots.
    pub(super) fn new(slots: usize) -> Self {
        let state = State { free: slots, waiting: VecDeque::new(), next: 0, closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Joins the queue at its end.
    pub(super) fn join(&self) -> Ticket<'_> {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.waiting.push_back(number);
        Ticket { queue: self, number }
    }

    /// Closes the queue: no ticket gets a slot any more.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    /// The state. It is consistent between any two statements, so a panic of another holder does no harm.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A position in the queue. Dropping it leaves the queue.
pub(super) struct Ticket<'a> {
    queue: &'a Admission,
    number: u64,
}

/// What the holder of a ticket does next.
pub(super) enum Turn<'a> {
    /// Start the session.
    Begin(Slot<'a>),
    /// Wait on, behind this many others.
    Wait(usize),
    /// Leave: the queue is closed.
    Closed,
}

impl<'a> Ticket<'a> {
    /// Waits for a slot, at most until `time`.
    pub(super) fn wait(&self, time: Instant) -> Turn<'a> {
        let Self { queue, number } = self;
        let mut state = queue.state();
        loop {
            if state.closed {
                return Turn::Closed;
            }
            let before = state.waiting.iter().take_while(|other| *other != number).count();
            if before == 0 && state.free > 0 {
                state.waiting.pop_front();
                state.free -= 1;
                // There may be a slot for the next ticket, too.
                queue.changed.notify_all();
                return Turn::Begin(Slot(queue));
            }
            let left = time.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return Turn::Wait(before);
            }
            (state, _) = queue.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let Self { queue, number } = self;
        // A ticket that got a slot has left already.
        queue.state().waiting.retain(|other| other != number);
        queue.changed.notify_all();
    }
}

/// A slot for one session. Dropping it frees it.
pub(super) struct Slot<'a>(&'a Admission);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.state().free += 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before(ticket: &Ticket<'_>) -> usize {
        match ticket.wait(Instant::now()) {
            Turn::Wait(before) => before,
            Turn::Begin(_) => panic!("it has a slot"),
            Turn::Closed => panic!("the queue is closed"),
        }
    }

    fn slot<'a>(ticket: &Ticket<'a>) -> Slot<'a> {
        match ticket.wait(Instant::now() + Duration::from_secs(60)) {
            Turn::Begin(slot) => slot,
            _ => panic!("it has no slot"),
        }
    }

    #[test]
    fn slots_are_given_in_the_order_of_the_tickets() {
        let queue = Admission::new(2);
        let [a, b, c, d] = [(); 4].map(|()| queue.join());
        // A free slot is for the first ticket, whoever asks first.
        assert_eq!(before(&b), 1);
        let (first, second) = (slot(&a), slot(&b));
        assert_eq!((before(&c), before(&d)), (0, 1));
        drop(first);
        assert_eq!(before(&d), 1);
        let third = slot(&c);
        assert_eq!(before(&d), 0);
        drop((second, third));
        drop(slot(&d));
        assert_eq!(queue.state().free, 2);
    }

    #[test]
    fn a_client_that_leaves_the_queue_holds_nobody_up() {
        let queue = Admission::new(1);
        let [a, b, c] = [(); 3].map(|()| queue.join());
        let first = slot(&a);
        assert_eq!(before(&c), 1);
        drop(b);
        assert_eq!(before(&c), 0);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| drop(slot(&c)));
            drop(first);
            waiting.join().expect("a slot");
        });
    }

    #[test]
    fn a_closed_queue_sends_everybody_away() {
        let queue = Admission::new(1);
        let [a, b] = [(); 2].map(|()| queue.join());
        let _slot = slot(&a);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| b.wait(Instant::now() + Duration::from_secs(60)));
            queue.close();
            assert!(matches!(waiting.join().expect("a turn"), Turn::Closed));
        });
        assert!(matches!(queue.join().wait(Instant::now()), Turn::Closed));
    }
}
