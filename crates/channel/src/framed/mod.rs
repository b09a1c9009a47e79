//! A [`Channel`] over any [`Transport`]: framing, buffering, deadlines, limits and counters in one place.
//!
//! ```text
//! send ──> outbox (64 KiB) ──┐                          ┌──> inbox ──> recv, recv_exact, recv_into
//!       long payloads ───────┴──> transport  transport ─┴──> long payloads of recv_exact, recv_into
//! ```
//!
//! Whenever a write would have to wait, the bytes that the peer has sent meanwhile move into the inbox. So
//! two parties that both write do not wait for each other.

mod inbox;
mod lanes;
mod receive;
mod send;

pub(crate) use lanes::Lane;

use std::io;
use std::time::Duration;

use crate::channel::Channel;
use crate::error::{Error, Operation};
use crate::frame::HEADER_LEN;
use crate::handshake::{MAX_HELLO, begins};
use crate::latch::Latch;
use crate::limits::{Limits, deadline};
use crate::platform::Instant;
use crate::stats::Stats;
use crate::tag::{Tag, tags};
use crate::transport::{Interest, Transport};
use inbox::Inbox;
use lanes::Aside;
use receive::Arrived;

/// Small frames are gathered up to this many bytes before they go to the operating system.
const OUTBOX: usize = 64 << 10;

/// Payloads of at least this length bypass the buffers. For shorter ones, a copy is cheaper than another
/// system call.
const DIRECT: usize = 16 << 10;

/// A channel over a transport.
#[derive(Debug)]
pub struct Framed<T: Transport> {
    transport: T,
    limits: Limits,
    started: Instant,
    /// Whole frames that the transport has not taken yet.
    outbox: Vec<u8>,
    inbox: Inbox,
    /// Frames of other lanes that no receive has asked for yet.
    aside: Aside,
    /// The payload returned last, if it had been put aside.
    kept: Vec<u8>,
    stats: Stats,
    /// The step that this party is at, for messages.
    step: Tag,
    /// Whether this party has sent a frame since its last receive.
    turned: bool,
    /// Whether the peer ended its direction of the stream.
    ended: bool,
    /// Whether a write failed, so that a part of a frame may have been sent.
    torn: bool,
    /// The first error. Every later call returns it.
    failed: Latch<Error>,
}

/// The wait for one frame: when it began, and how long it may last.
#[derive(Clone, Copy)]
struct Patience {
    start: Instant,
    allowed: Duration,
    operation: Operation,
}

impl<T: Transport> Framed<T> {
    /// A channel over `transport`. The time for [`Limits::total_time`] starts now.
    pub fn new(transport: T, limits: Limits) -> Self {
        Self {
            transport,
            limits,
            started: Instant::now(),
            outbox: Vec::new(),
            inbox: Inbox::default(),
            aside: Aside::default(),
            kept: Vec::new(),
            stats: Stats::default(),
            step: tags::HELLO,
            turned: false,
            ended: false,
            torn: false,
            failed: Latch::new(),
        }
    }

    /// Continues under other limits. The time for [`Limits::total_time`] starts again.
    ///
    /// For servers: a client that has just connected gets little time; once its session starts, it gets the
    /// limits of a session.
    pub fn renew(&mut self, limits: Limits) {
        self.limits = limits;
        self.started = Instant::now();
    }

    /// Waits for the peer's next whole frame and leaves it to the next receive. If the frame has more than
    /// `most` bytes of payload, this only waits for its header.
    ///
    /// # Errors
    /// Any error of reading.
    pub fn await_frame(&mut self, most: usize) -> Result<(), Error> {
        let result = self.try_await_frame(most);
        self.failed.latch(result)
    }

    /// Waits for the hello of a peer that has said nothing yet, and leaves it to
    /// [`Hello::receive`](crate::handshake::Hello::receive). This party sends nothing.
    ///
    /// For parties that listen: a connection that only looks whether somebody is there says no hello.
    ///
    /// # Errors
    /// [`Error::Incompatible`] or [`Error::Malformed`] if the first bytes are no hello of this version; any
    /// error of reading.
    pub fn await_hello(&mut self) -> Result<(), Error> {
        let result = self.try_await_frame(MAX_HELLO);
        let result = result.and_then(|()| begins(self.inbox.live()));
        self.failed.latch(result)
    }

    /// Flushes and ends this party's direction of the stream. Receiving stays possible.
    ///
    /// # Errors
    /// Any error of writing.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.torn = true;
        self.transport.shutdown();
        Ok(())
    }

    /// Counts a frame of `payload` bytes against [`Limits::total_bytes`].
    fn afford(&self, payload: usize) -> Result<u64, Error> {
        let frame = (payload as u64).saturating_add(HEADER_LEN as u64);
        let total = self.stats.bytes_sent.saturating_add(self.stats.bytes_received).saturating_add(frame);
        match self.limits.total_bytes {
            Some(limit) if total > limit => {
                Err(Error::Limit { step: self.step, what: "the number of bytes of the session", limit })
            }
            _ => Ok(frame),
        }
    }

    /// Waits for the transport, for as long as `patience` and the channel's remaining time allow.
    fn wait(&mut self, interest: Interest, patience: Patience) -> Result<(), Error> {
        let mut until = deadline(patience.start, patience.allowed);
        let mut verdict =
            Error::TimedOut { step: self.step, operation: patience.operation, after: patience.allowed };
        if let Some(total) = self.limits.total_time {
            let end = deadline(self.started, total);
            if end < until {
                until = end;
                let limit = total.as_millis().try_into().unwrap_or(u64::MAX);
                verdict = Error::Limit { step: self.step, what: "the milliseconds of the session", limit };
            }
        }
        // A deadline that has passed ends the wait even if the transport is ready. Otherwise a peer that
        // trickles bytes could go on for ever.
        if Instant::now() >= until {
            return Err(verdict);
        }
        match self.transport.wait(interest, until) {
            Ok(true) => Ok(()),
            Ok(false) => Err(verdict),
            Err(error) => Err(self.lost(patience.operation, &error)),
        }
    }

    /// The error for a failure of the transport.
    fn lost(&self, operation: Operation, error: &io::Error) -> Error {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, UnexpectedEof};
        match error.kind() {
            BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected | UnexpectedEof => {
                Error::Closed { step: self.step, mid_frame: !self.inbox.live().is_empty() }
            }
            _ => Error::transport(operation, error),
        }
    }
}

impl<T: Transport> Channel for Framed<T> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        let result = self.try_send(tag, payload);
        self.failed.latch(result)
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error> {
        let result = self.try_recv(tag, max);
        match self.failed.latch(result)? {
            Arrived::Inbox(length) => Ok(self.inbox.take(length)),
            Arrived::Kept => Ok(&self.kept),
        }
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        let result = self.try_recv_exact(tag, out);
        self.failed.latch(result)
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let result = self.try_recv_into(tag, max, out);
        self.failed.latch(result)
    }

    fn precedes(&mut self, other: Tag, step: Tag) -> Result<bool, Error> {
        let result = self.try_precedes(other, step);
        self.failed.latch(result)
    }

    fn flush(&mut self) -> Result<(), Error> {
        let result = self.try_flush();
        self.failed.latch(result)
    }

    fn fail(&mut self, reason: &str) {
        let over = matches!(
            self.failed.first(),
            Some(Error::Peer { .. } | Error::Closed { .. } | Error::Transport { .. } | Error::Ended { .. })
        );
        self.failed.fail(Error::Ended { reason: reason.to_owned() });
        self.outbox = Vec::new();
        if !over && !self.torn {
            self.try_fail(reason);
            self.torn = true;
        }
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.transport.binding()
    }
}
