//! A [`Channel`] over any [`Transport`]: framing, buffering, deadlines, limits and counters, written once.
//!
//! ```text
//! send ──> outbox (64 KiB) ──┐                          ┌──> inbox ──> recv, recv_exact, recv_into
//!       long payloads ───────┴──> transport  transport ─┴──> long payloads of recv_exact, recv_into
//! ```
//!
//! Whenever a write would have to wait, what the peer sent meanwhile moves into the inbox, so two parties that both
//! write do not wait for each other.

mod inbox;

use std::io;
use std::time::{Duration, Instant};

use crate::channel::Channel;
use crate::error::{Error, Operation};
use crate::frame::{Bound, HEADER_LEN, Header, MAX_REASON, decode_reason, encode_reason};
use crate::limits::{Limits, deadline};
use crate::stats::Stats;
use crate::tag::{Tag, tags};
use crate::transport::{Interest, Transport};
use inbox::Inbox;

/// Small frames are gathered up to this many bytes before the operating system sees them.
const OUTBOX: usize = 64 << 10;

/// Payloads from this length on bypass the buffers: below, one copy is cheaper than one more system call.
const DIRECT: usize = 16 << 10;

/// How long [`Channel::fail`] tries to tell the peer.
const FAREWELL: Duration = Duration::from_secs(2);

/// A channel over a transport.
#[derive(Debug)]
pub struct Framed<T: Transport> {
    transport: T,
    limits: Limits,
    started: Instant,
    /// Whole frames that are not handed to the transport yet.
    outbox: Vec<u8>,
    inbox: Inbox,
    stats: Stats,
    /// The step that this party is at, for messages.
    step: Tag,
    /// Whether a frame was sent since the last receive.
    turned: bool,
    /// Whether the peer ended its direction of the stream.
    ended: bool,
    /// Whether a write failed, so that a frame may be out in part.
    torn: bool,
    /// The first error, which is the last word.
    failed: Option<Error>,
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
            stats: Stats::default(),
            step: tags::HELLO,
            turned: false,
            ended: false,
            torn: false,
            failed: None,
        }
    }

    /// The transport below, for questions like who the peer is.
    pub fn transport(&self) -> &T {
        &self.transport
    }

    /// Flushes and ends this party's direction of the stream. Receiving stays possible.
    ///
    /// # Errors
    /// What writing meets.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.torn = true;
        self.transport.shutdown();
        Ok(())
    }

    fn usable(&self) -> Result<(), Error> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    /// Remembers the first error.
    fn latch<R>(&mut self, result: Result<R, Error>) -> Result<R, Error> {
        if let Err(error) = &result {
            self.failed.get_or_insert_with(|| error.clone());
        }
        result
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

    /// Waits for the transport, no longer than `patience` and the channel's life allow.
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
        // Ready or not, a wait that is over is over: else a peer that trickles bytes could go on for ever.
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

/// Sending.
impl<T: Transport> Framed<T> {
    fn try_send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.usable()?;
        self.step = tag;
        let length = u32::try_from(payload.len())
            .ok()
            .filter(|_| payload.len() <= self.limits.max_frame)
            .ok_or_else(|| {
                let (length, max) = (payload.len(), self.limits.max_frame);
                Error::misuse(format!("{tag}: a message of {length} bytes, the limit is {max}"))
            })?;
        let frame = self.afford(payload.len())?;
        let header = Header { tag: tag.byte(), length }.encode();
        if payload.len() >= DIRECT {
            self.outbox.extend_from_slice(&header);
            self.write_outbox()?;
            self.write(payload)?;
        } else {
            if self.outbox.len() + HEADER_LEN + payload.len() > OUTBOX {
                self.write_outbox()?;
            }
            self.outbox.extend_from_slice(&header);
            self.outbox.extend_from_slice(payload);
        }
        self.stats.bytes_sent += frame;
        self.stats.frames_sent += 1;
        self.turned = true;
        Ok(())
    }

    fn try_flush(&mut self) -> Result<(), Error> {
        self.usable()?;
        self.write_outbox()?;
        let patience = self.patience_to_write(0);
        while !self.transport.try_flush().map_err(|error| self.broken(&error))? {
            self.make_way(patience)?;
        }
        Ok(())
    }

    fn write_outbox(&mut self) -> Result<(), Error> {
        let mut outbox = std::mem::take(&mut self.outbox);
        let result = self.write(&outbox);
        outbox.clear();
        self.outbox = outbox;
        result
    }

    fn write(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        let patience = self.patience_to_write(bytes.len());
        while !bytes.is_empty() {
            match self.transport.try_write(bytes) {
                Ok(Some(count)) => bytes = bytes.get(count..).unwrap_or_default(),
                Ok(None) => self.make_way(patience)?,
                Err(error) => return Err(self.broken(&error)),
            }
        }
        Ok(())
    }

    fn patience_to_write(&self, bytes: usize) -> Patience {
        let allowed = self.limits.with_length(self.limits.write, bytes);
        Patience { start: Instant::now(), allowed, operation: Operation::Write }
    }

    /// Called when a write cannot go on: takes in what the peer sent, or waits until one of both is possible.
    fn make_way(&mut self, patience: Patience) -> Result<(), Error> {
        let result = match self.drain() {
            Ok(0) if self.ended => self.wait(Interest::Write, patience),
            Ok(0) => self.wait(Interest::Either, patience),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        self.torn |= result.is_err();
        result
    }

    /// Moves what has arrived into the inbox, without waiting. Returns the number of bytes.
    fn drain(&mut self) -> Result<usize, Error> {
        if self.ended {
            return Ok(0);
        }
        let cap = self.limits.receive_buffer;
        let room = cap.saturating_sub(self.inbox.live().len());
        if room == 0 {
            let what = "the bytes taken in while both parties write";
            return Err(Error::Limit { step: self.step, what, limit: cap as u64 });
        }
        let spare = self.inbox.spare(room);
        let part = room.min(spare.len());
        match self.transport.try_read(spare.get_mut(..part).unwrap_or_default()) {
            Ok(Some(count)) => {
                self.inbox.commit(count);
                self.ended = count == 0;
                Ok(count)
            }
            Ok(None) => Ok(0),
            Err(error) => Err(self.lost(Operation::Read, &error)),
        }
    }

    /// The error for a failed write. A peer that gave up may have told why just before: that says more.
    fn broken(&mut self, error: &io::Error) -> Error {
        self.torn = true;
        while matches!(self.drain(), Ok(count) if count > 0) {}
        self.last_words().unwrap_or_else(|| self.lost(Operation::Write, error))
    }

    /// The peer's `Error` frame, if it is among the frames that arrived.
    fn last_words(&self) -> Option<Error> {
        let mut rest = self.inbox.live();
        loop {
            let (header, after) = rest.split_first_chunk::<HEADER_LEN>()?;
            let header = Header::decode(*header);
            let (payload, next) = after.split_at_checked(header.length.try_into().ok()?)?;
            if header.tag == tags::ERROR.byte() {
                return Some(self.peer_error(payload));
            }
            rest = next;
        }
    }

    fn peer_error(&self, payload: &[u8]) -> Error {
        decode_reason(payload).map_or_else(|error| error, |reason| Error::Peer { step: self.step, reason })
    }

    fn try_fail(&mut self, reason: &str) {
        let end = deadline(Instant::now(), FAREWELL.min(self.limits.write));
        let payload = encode_reason(reason);
        let header = Header { tag: tags::ERROR.byte(), length: payload.len().try_into().unwrap_or(0) };
        let mut rest = [&header.encode(), payload].concat();
        while !rest.is_empty() {
            match self.transport.try_write(&rest) {
                Ok(Some(count)) => drop(rest.drain(..count.min(rest.len()))),
                Ok(None) if self.discard(Interest::Either, end) => {}
                _ => return,
            }
        }
        while matches!(self.transport.try_flush(), Ok(false)) {
            if !self.discard(Interest::Either, end) {
                return;
            }
        }
        self.transport.shutdown();
        if self.transport.needs_linger() {
            while !self.ended && self.discard(Interest::Read, end) {}
        }
    }

    /// Throws away what arrives, or waits until `end`. Returns whether going on makes sense.
    fn discard(&mut self, interest: Interest, end: Instant) -> bool {
        let mut bin = [0; 4096];
        let before = Instant::now() < end;
        match if self.ended { Ok(None) } else { self.transport.try_read(&mut bin) } {
            Ok(Some(count)) => {
                self.ended = count == 0;
                before
            }
            Ok(None) => {
                let interest = if self.ended { Interest::Write } else { interest };
                before && matches!(self.transport.wait(interest, end), Ok(true))
            }
            Err(_) => false,
        }
    }
}

/// Receiving.
impl<T: Transport> Framed<T> {
    /// Waits for the next frame's header, checks and takes it. Returns the payload length.
    fn header(&mut self, tag: Tag, bound: Bound) -> Result<(usize, Patience), Error> {
        self.usable()?;
        self.step = tag;
        let mut patience =
            Patience { start: Instant::now(), allowed: self.limits.read, operation: Operation::Read };
        let header = loop {
            match self.inbox.live().first_chunk::<HEADER_LEN>() {
                Some(header) => break Header::decode(*header),
                None => self.fill(HEADER_LEN, patience)?,
            }
        };
        if header.tag == tags::ERROR.byte() && tag != tags::ERROR {
            return Err(self.hear_out(header, patience));
        }
        let length = header.check(tag, self.bounded(bound))?;
        let frame = self.afford(length)?;
        self.inbox.take(HEADER_LEN);
        self.stats.bytes_received += frame;
        self.stats.frames_received += 1;
        self.stats.round_trips += u64::from(std::mem::take(&mut self.turned));
        patience.allowed = self.limits.with_length(patience.allowed, length);
        Ok((length, patience))
    }

    fn bounded(&self, bound: Bound) -> Bound {
        match bound {
            Bound::AtMost(max) => Bound::AtMost(max.min(self.limits.max_frame)),
            exactly @ Bound::Exactly(_) => exactly,
        }
    }

    /// Reads the rest of the peer's `Error` frame.
    fn hear_out(&mut self, header: Header, patience: Patience) -> Error {
        let length = match header.check(tags::ERROR, Bound::AtMost(MAX_REASON)) {
            Ok(length) => length,
            Err(error) => return error,
        };
        self.inbox.take(HEADER_LEN);
        while self.inbox.live().len() < length {
            if let Err(error) = self.fill(length, patience) {
                return in_frame(error);
            }
        }
        let payload = self.inbox.take(length).to_vec();
        self.peer_error(&payload)
    }

    /// Gets at least one more byte into the inbox; `wanted` more would serve.
    fn fill(&mut self, wanted: usize, patience: Patience) -> Result<(), Error> {
        let before = self.inbox.live().len();
        loop {
            let count = match self.ended {
                true => Some(0),
                false => {
                    let spare = self.inbox.spare(wanted);
                    self.transport.try_read(spare).map_err(|error| self.lost(Operation::Read, &error))?
                }
            };
            match count {
                Some(0) => return Err(Error::Closed { step: self.step, mid_frame: before > 0 }),
                Some(count) => {
                    self.inbox.commit(count);
                    return Ok(());
                }
                None if !self.outbox.is_empty() => {
                    self.try_flush()?;
                    if self.inbox.live().len() > before {
                        return Ok(());
                    }
                }
                None => self.wait(Interest::Read, patience)?,
            }
        }
    }

    /// Fills `out` with payload bytes: those in the inbox first; of a long rest, most without a detour through it.
    fn payload(&mut self, out: &mut [u8], patience: Patience) -> Result<(), Error> {
        let mut rest = self.take_into(out);
        while !rest.is_empty() {
            if rest.len() < DIRECT || !self.outbox.is_empty() {
                self.fill(rest.len(), patience).map_err(in_frame)?;
                rest = self.take_into(rest);
                continue;
            }
            match self
                .transport
                .try_read(rest)
                .map_err(|error| in_frame(self.lost(Operation::Read, &error)))?
            {
                Some(0) => return Err(Error::Closed { step: self.step, mid_frame: true }),
                Some(count) => rest = rest.get_mut(count..).unwrap_or_default(),
                None => self.wait(Interest::Read, patience)?,
            }
        }
        Ok(())
    }

    /// Moves bytes of the inbox to the front of `out`. Returns the part of `out` that is still to fill.
    fn take_into<'a>(&mut self, out: &'a mut [u8]) -> &'a mut [u8] {
        let bytes = self.inbox.take(out.len());
        let (filled, rest) = out.split_at_mut(bytes.len());
        filled.copy_from_slice(bytes);
        rest
    }

    fn try_recv(&mut self, tag: Tag, max: usize) -> Result<usize, Error> {
        let (length, patience) = self.header(tag, Bound::AtMost(max))?;
        while self.inbox.live().len() < length {
            self.fill(length - self.inbox.live().len(), patience).map_err(in_frame)?;
        }
        Ok(length)
    }

    fn try_recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        let (_, patience) = self.header(tag, Bound::Exactly(out.len()))?;
        self.payload(out, patience)
    }

    fn try_recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        out.clear();
        let (length, patience) = self.header(tag, Bound::AtMost(max))?;
        while out.len() < length {
            let have = out.len();
            out.resize(have + (length - have).min(have.max(OUTBOX)), 0);
            self.payload(out.get_mut(have..).unwrap_or_default(), patience)?;
        }
        Ok(())
    }
}

/// A stream that ends after a frame's header ends in the middle of it.
fn in_frame(error: Error) -> Error {
    match error {
        Error::Closed { step, .. } => Error::Closed { step, mid_frame: true },
        other => other,
    }
}

impl<T: Transport> Channel for Framed<T> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        let result = self.try_send(tag, payload);
        self.latch(result)
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error> {
        let result = self.try_recv(tag, max);
        let length = self.latch(result)?;
        Ok(self.inbox.take(length))
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        let result = self.try_recv_exact(tag, out);
        self.latch(result)
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let result = self.try_recv_into(tag, max, out);
        self.latch(result)
    }

    fn flush(&mut self) -> Result<(), Error> {
        let result = self.try_flush();
        self.latch(result)
    }

    fn fail(&mut self, reason: &str) {
        let over = matches!(
            self.failed,
            Some(Error::Peer { .. } | Error::Closed { .. } | Error::Transport { .. } | Error::Ended { .. })
        );
        self.failed.get_or_insert_with(|| Error::Ended { reason: reason.to_owned() });
        self.outbox = Vec::new();
        if !over && !self.torn {
            self.try_fail(reason);
            self.torn = true;
        }
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}
