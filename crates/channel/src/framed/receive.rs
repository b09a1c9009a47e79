//! The receiving half of a channel: wait, check the header, hand the payload over.

use std::time::Instant;

use super::{DIRECT, Framed, OUTBOX, Patience};
use crate::error::{Error, Operation};
use crate::frame::{Bound, HEADER_LEN, Header, MAX_REASON};
use crate::tag::{Tag, tags};
use crate::transport::{Interest, Transport};

impl<T: Transport> Framed<T> {
    /// Waits for the next frame's header, checks and takes it. Returns the payload length.
    fn header(&mut self, tag: Tag, bound: Bound) -> Result<(usize, Patience), Error> {
        self.usable()?;
        // Even if the frame is here already: the peer may need ours for what it sends next.
        if !self.outbox.is_empty() {
            self.try_flush()?;
        }
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
        self.afford(length)?;
        self.inbox.take(HEADER_LEN);
        patience.allowed = self.limits.with_length(patience.allowed, length);
        Ok((length, patience))
    }

    /// Counts a frame that arrived whole.
    fn count(&mut self, length: usize) {
        self.stats.bytes_received += (HEADER_LEN + length) as u64;
        self.stats.frames_received += 1;
        self.stats.round_trips += u64::from(std::mem::take(&mut self.turned));
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
                None => self.wait(Interest::Read, patience)?,
            }
        }
    }

    /// Fills `out` with payload bytes: those in the inbox first; of a long rest, most without a detour through it.
    fn payload(&mut self, out: &mut [u8], patience: Patience) -> Result<(), Error> {
        let mut rest = self.take_into(out);
        while !rest.is_empty() {
            if rest.len() < DIRECT {
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

    pub(super) fn try_recv(&mut self, tag: Tag, max: usize) -> Result<usize, Error> {
        let (length, patience) = self.header(tag, Bound::AtMost(max))?;
        while self.inbox.live().len() < length {
            self.fill(length - self.inbox.live().len(), patience).map_err(in_frame)?;
        }
        self.count(length);
        Ok(length)
    }

    pub(super) fn try_recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        let (length, patience) = self.header(tag, Bound::Exactly(out.len()))?;
        self.payload(out, patience)?;
        self.count(length);
        Ok(())
    }

    pub(super) fn try_recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        out.clear();
        let (length, patience) = self.header(tag, Bound::AtMost(max))?;
        while out.len() < length {
            let have = out.len();
            out.resize(have + (length - have).min(have.max(OUTBOX)), 0);
            self.payload(out.get_mut(have..).unwrap_or_default(), patience)?;
        }
        self.count(length);
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
