//! Places for sessions, and the line of those who wait for one.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A number of places, given in the order in which they were asked for.
pub(super) struct Line {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    free: usize,
    /// The numbers of those who wait.
    waiting: VecDeque<u64>,
    next: u64,
    closed: bool,
}

impl Line {
    /// With so many places.
    pub(super) fn new(places: usize) -> Self {
        let state = State { free: places, waiting: VecDeque::new(), next: 0, closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Takes the next number.
    pub(super) fn join(&self) -> Number<'_> {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.waiting.push_back(number);
        Number { line: self, number }
    }

    /// Nobody gets a place any more.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    /// What it holds is whole between any two statements, so a panic of whoever held it is no reason not to
    /// go on.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number in the line, which is left when this is dropped.
pub(super) struct Number<'a> {
    line: &'a Line,
    number: u64,
}

/// What the holder of a number has to do.
pub(super) enum Turn<'a> {
    /// The session.
    Begin(Place<'a>),
    /// Wait on: so many come before.
    Wait(usize),
    /// Go: there are no places any more.
    Closed,
}

impl<'a> Number<'a> {
    /// Waits until it is this one's turn, or until `time`.
    pub(super) fn wait(&self, time: Instant) -> Turn<'a> {
        let Self { line, number } = self;
        let mut state = line.state();
        loop {
            if state.closed {
                return Turn::Closed;
            }
            let before = state.waiting.iter().take_while(|other| *other != number).count();
            if before == 0 && state.free > 0 {
                state.waiting.pop_front();
                state.free -= 1;
                // There may be a place for the next one, too.
                line.changed.notify_all();
                return Turn::Begin(Place(line));
            }
            let left = time.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return Turn::Wait(before);
            }
            (state, _) = line.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Number<'_> {
    fn drop(&mut self) {
        let Self { line, number } = self;
        // Who has got a place is not in the line any more.
        line.state().waiting.retain(|other| other != number);
        line.changed.notify_all();
    }
}

/// A place; free again when it is dropped.
pub(super) struct Place<'a>(&'a Line);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.state().free += 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before(number: &Number<'_>) -> usize {
        match number.wait(Instant::now()) {
            Turn::Wait(before) => before,
            Turn::Begin(_) => panic!("it has a place"),
            Turn::Closed => panic!("the line is closed"),
        }
    }

    fn place<'a>(number: &Number<'a>) -> Place<'a> {
        match number.wait(Instant::now() + Duration::from_secs(60)) {
            Turn::Begin(place) => place,
            _ => panic!("it has no place"),
        }
    }

    #[test]
    fn places_are_given_in_the_order_of_the_numbers() {
        let line = Line::new(2);
        let [a, b, c, d] = [(); 4].map(|()| line.join());
        // A free place is for the first, whoever asks first.
        assert_eq!(before(&b), 1);
        let (first, second) = (place(&a), place(&b));
        assert_eq!((before(&c), before(&d)), (0, 1));
        drop(first);
        assert_eq!(before(&d), 1);
        let third = place(&c);
        assert_eq!(before(&d), 0);
        drop((second, third));
        drop(place(&d));
        assert_eq!(line.state().free, 2);
    }

    #[test]
    fn who_leaves_the_line_holds_nobody_up() {
        let line = Line::new(1);
        let [a, b, c] = [(); 3].map(|()| line.join());
        let first = place(&a);
        assert_eq!(before(&c), 1);
        drop(b);
        assert_eq!(before(&c), 0);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| drop(place(&c)));
            drop(first);
            waiting.join().expect("a place");
        });
    }

    #[test]
    fn a_closed_line_sends_everybody_away() {
        let line = Line::new(1);
        let [a, b] = [(); 2].map(|()| line.join());
        let _place = place(&a);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| b.wait(Instant::now() + Duration::from_secs(60)));
            line.close();
            assert!(matches!(waiting.join().expect("a turn"), Turn::Closed));
        });
        assert!(matches!(line.join().wait(Instant::now()), Turn::Closed));
    }
}
