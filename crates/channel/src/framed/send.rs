//! The sending half of a channel: gather and write frames, read while a write has to wait, and tell the peer
//! why a session ends.

use std::io;
use std::time::Duration;

use super::{DIRECT, Framed, OUTBOX, Patience};
use crate::error::{Error, Operation};
use crate::frame::{HEADER_LEN, Header, decode_reason, encode_reason};
use crate::limits::deadline;
use crate::platform::Instant;
use crate::tag::{Tag, tags};
use crate::transport::{Interest, Transport};

/// How long [`Channel::fail`](crate::Channel::fail) tries to tell the peer.
const FAREWELL: Duration = Duration::from_secs(2);

impl<T: Transport> Framed<T> {
    pub(super) fn try_send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.failed.check()?;
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

    pub(super) fn try_flush(&mut self) -> Result<(), Error> {
        self.failed.check()?;
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

    /// Called when a write has to wait: reads what the peer has sent, or waits until reading or writing is
    /// possible.
    fn make_way(&mut self, patience: Patience) -> Result<(), Error> {
        let result = match self.drain() {
            Ok(0) if self.ended => self.wait(Interest::Write, patience),
            Ok(0) => self.wait(Interest::Either, patience),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        self.torn |= result.is_err();
        result.map_err(|error| self.last_words().unwrap_or(error))
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

    /// The error for a failed write. If the peer gave up and said why, its reason is returned instead.
    fn broken(&mut self, error: &io::Error) -> Error {
        self.torn = true;
        while matches!(self.drain(), Ok(count) if count > 0) {}
        self.last_words().unwrap_or_else(|| self.lost(Operation::Write, error))
    }

    /// What ended the session, if it is among the frames that arrived: the peer's `Error`, or the verifier's
    /// verdict that the proof is wrong.
    fn last_words(&self) -> Option<Error> {
        let mut rest = self.inbox.live();
        loop {
            let (header, after) = rest.split_first_chunk::<HEADER_LEN>()?;
            let header = Header::decode(*header);
            let (payload, next) = after.split_at_checked(header.length.try_into().ok()?)?;
            if header.tag == tags::ERROR.byte() {
                return Some(self.peer_error(payload));
            }
            if header.tag == tags::VERDICT.byte() && payload == [0] {
                let (expected, Header { tag: got, length }) = (self.step, header);
                return Some(Error::UnexpectedFrame { expected, got, length });
            }
            rest = next;
        }
    }

    pub(super) fn peer_error(&self, payload: &[u8]) -> Error {
        decode_reason(payload).map_or_else(|error| error, |reason| Error::Peer { step: self.step, reason })
    }

    pub(super) fn try_fail(&mut self, reason: &str) {
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

    /// Discards incoming bytes, or waits until `end`. Returns whether it makes sense to go on.
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
