//! Two connected ends in one process that behave like sockets: bounded, closable, timed.
//!
//! There is one difference. When both ends wait for each other, nothing can come any more, so the wait with
//! the earlier deadline ends at once. A party that gets no answer in a test need not sit out its time-out,
//! and a slow machine cannot make a short time-out pass too soon.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Interest, Transport};
use crate::platform::{HAS_THREADS, Instant};

/// One end of an in-memory stream. After an end is dropped, the other end can still read what it sent.
///
/// If both ends wait for each other, the wait with the earlier deadline ends at once.
#[derive(Debug)]
pub struct Memory {
    shared: Arc<Shared>,
    /// The pipe that this end writes to; it reads from the other one.
    side: Side,
}

#[derive(Debug, Clone, Copy)]
enum Side {
    Left,
    Right,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

#[derive(Debug)]
struct Shared {
    pipes: Mutex<Pipes>,
    changed: Condvar,
    capacity: usize,
}

#[derive(Debug, Default)]
struct Pipes {
    from_left: Pipe,
    from_right: Pipe,
    /// What each end waits for at this moment (the left one's first), and until when.
    waits: [Option<(Interest, Instant)>; 2],
}

#[derive(Debug, Default)]
struct Pipe {
    bytes: VecDeque<u8>,
    writer_done: bool,
    reader_gone: bool,
}

impl Memory {
    /// Two connected ends. Each direction holds up to `capacity` bytes (at least 1) in flight.
    #[must_use]
    pub fn pair(capacity: usize) -> (Self, Self) {
        let shared =
            Arc::new(Shared { pipes: Mutex::default(), changed: Condvar::new(), capacity: capacity.max(1) });
        (Self { shared: Arc::clone(&shared), side: Side::Left }, Self { shared, side: Side::Right })
    }
}

impl Shared {
    /// A panic in the other party's thread leaves the pipes between two operations, so they are still usable.
    fn lock(&self) -> MutexGuard<'_, Pipes> {
        self.pipes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pipes {
    /// The pipes that `side` reads from and writes to.
    fn of(&mut self, side: Side) -> (&mut Pipe, &mut Pipe) {
        match side {
            Side::Left => (&mut self.from_right, &mut self.from_left),
            Side::Right => (&mut self.from_left, &mut self.from_right),
        }
    }

    fn ready(&mut self, side: Side, interest: Interest, capacity: usize) -> bool {
        let (incoming, outgoing) = self.of(side);
        interest.reads() && incoming.readable() || interest.writes() && outgoing.writable(capacity)
    }

    /// Whether `side`, which is not ready, waits for a peer that waits for it, and is the one to give up.
    fn stuck(&mut self, side: Side, capacity: usize) -> bool {
        let other = side.other();
        let (Some((_, mine)), Some((interest, theirs))) =
            (self.waits[side as usize], self.waits[other as usize])
        else {
            return false;
        };
        let first = (mine, side as usize) < (theirs, other as usize);
        first && !self.ready(other, interest, capacity)
    }
}

impl Pipe {
    fn readable(&self) -> bool {
        !self.bytes.is_empty() || self.writer_done
    }

    fn writable(&self, capacity: usize) -> bool {
        self.bytes.len() < capacity || self.reader_gone
    }
}

impl Transport for Memory {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        let mut pipes = self.shared.lock();
        let (incoming, _) = pipes.of(self.side);
        if !incoming.readable() {
            return Ok(None);
        }
        let count = incoming.bytes.read(out)?;
        self.shared.changed.notify_all();
        Ok(Some(count))
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        let mut pipes = self.shared.lock();
        let (_, outgoing) = pipes.of(self.side);
        if outgoing.reader_gone || outgoing.writer_done {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let room = self.shared.capacity.saturating_sub(outgoing.bytes.len());
        if room == 0 {
            return Ok(None);
        }
        let part = bytes.get(..room).unwrap_or(bytes);
        outgoing.bytes.extend(part);
        self.shared.changed.notify_all();
        Ok(Some(part.len()))
    }

    fn try_flush(&mut self) -> io::Result<bool> {
        Ok(true)
    }

    fn wait(&mut self, interest: Interest, deadline: Instant) -> io::Result<bool> {
        let (side, capacity) = (self.side, self.shared.capacity);
        let mut pipes = self.shared.lock();
        pipes.waits[side as usize] = Some((interest, deadline));
        // The other end may be the one that has to give up.
        self.shared.changed.notify_all();
        let ready = loop {
            if pipes.ready(side, interest, capacity) {
                break true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if !HAS_THREADS || left.is_zero() || pipes.stuck(side, capacity) {
                break false;
            }
            pipes = self.shared.changed.wait_timeout(pipes, left).unwrap_or_else(PoisonError::into_inner).0;
        };
        pipes.waits[side as usize] = None;
        Ok(ready)
    }

    fn shutdown(&mut self) {
        self.shared.lock().of(self.side).1.writer_done = true;
        self.shared.changed.notify_all();
    }

    fn needs_linger(&self) -> bool {
        false
    }

    fn binding(&self) -> Option<[u8; 32]> {
        None
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let mut pipes = self.shared.lock();
        let (incoming, outgoing) = pipes.of(self.side);
        incoming.reader_gone = true;
        incoming.bytes = VecDeque::new();
        outgoing.writer_done = true;
        self.shared.changed.notify_all();
    }
}
