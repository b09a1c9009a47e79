//! Two ends in one process, with the manners of a socket: bounded, closable, timed.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{Interest, Transport};

/// One end of an in-memory stream. Dropping an end closes it; what it sent can still be read.
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
}

#[derive(Debug, Default)]
struct Pipe {
    bytes: VecDeque<u8>,
    writer_done: bool,
    reader_gone: bool,
}

impl Memory {
    /// Two connected ends, each direction holding up to `capacity` bytes (at least 1) on their way.
    #[must_use]
    pub fn pair(capacity: usize) -> (Self, Self) {
        let shared =
            Arc::new(Shared { pipes: Mutex::default(), changed: Condvar::new(), capacity: capacity.max(1) });
        (Self { shared: Arc::clone(&shared), side: Side::Left }, Self { shared, side: Side::Right })
    }
}

impl Shared {
    /// A panic of the other party's thread leaves the pipes as they were between two operations: still
    /// usable.
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
        let mut pipes = self.shared.lock();
        loop {
            let (incoming, outgoing) = pipes.of(self.side);
            if interest.reads() && incoming.readable()
                || interest.writes() && outgoing.writable(self.shared.capacity)
            {
                return Ok(true);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            pipes = self.shared.changed.wait_timeout(pipes, left).unwrap_or_else(PoisonError::into_inner).0;
        }
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
