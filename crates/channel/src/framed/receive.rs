//! The receiving half of a channel: wait, check the header, return the payload.

use super::lanes::Lane;
use super::{DIRECT, Framed, OUTBOX, Patience};
use crate::error::{Error, Operation};
use crate::frame::{Bound, HEADER_LEN, Header, MAX_REASON};
use crate::platform::Instant;
use crate::tag::{Tag, tags};
use crate::transport::{Interest, Transport};

impl<T: Transport> Framed<T> {
    pub(super) fn try_await_frame(&mut self, most: usize) -> Result<(), Error> {
        self.failed.check()?;
        if !self.outbox.is_empty() {
            self.try_flush()?;
        }
        let patience =
            Patience { start: Instant::now(), allowed: self.limits.read, operation: Operation::Read };
        loop {
            let live = self.inbox.live();
            let payload = match live.first_chunk::<HEADER_LEN>() {
                Some(header) => usize::try_from(Header::decode(*header).length).unwrap_or(usize::MAX),
                None => 0,
            };
            let missing = payload.saturating_add(HEADER_LEN).saturating_sub(live.len());
            if payload > most || missing == 0 {
                return Ok(());
            }
            self.fill(missing, patience)?;
        }
    }

    /// Waits for the header of the next frame of `tag`'s lane, checks and takes it.
    fn header(&mut self, tag: Tag, bound: Bound) -> Result<Start, Error> {
        self.failed.check()?;
        // This flushes even if the frame is here already: the peer may need this party's messages for what it
        // sends next.
        if !self.outbox.is_empty() {
            self.try_flush()?;
        }
        self.step = tag;
        let bound = self.bounded(bound);
        if let Some(kept) = self.aside.take(tag, bound) {
            return Ok(Start::Kept(kept?));
        }
        let (header, mut patience) = self.come_to(tag, None)?;
        if header.tag == tags::ERROR.byte() && tag != tags::ERROR {
            return Err(self.hear_out(header, patience));
        }
        let length = header.check(tag, bound)?;
        self.afford(length)?;
        self.inbox.take(HEADER_LEN);
        patience.allowed = self.limits.with_length(patience.allowed, length);
        Ok(Start::Arriving(length, patience))
    }

    pub(super) fn try_precedes(&mut self, other: Tag, step: Tag) -> Result<bool, Error> {
        self.failed.check()?;
        if !self.outbox.is_empty() {
            self.try_flush()?;
        }
        self.step = step;
        if self.aside.holds(other) {
            return Ok(true);
        }
        if self.aside.holds(step) {
            return Ok(false);
        }
        let (header, _) = self.come_to(step, Some(other))?;
        Ok(header.tag == other.byte())
    }

    /// Waits for the header of a frame of `tag`'s lane, or of `other`, and leaves it there. Frames of other
    /// lanes that come before are put aside. Returns what is left of the patience, too.
    fn come_to(&mut self, tag: Tag, other: Option<Tag>) -> Result<(Header, Patience), Error> {
        // One deadline, however many frames of other lanes come in between. Each of them adds only the time
        // for its length.
        let mut patience =
            Patience { start: Instant::now(), allowed: self.limits.read, operation: Operation::Read };
        loop {
            let header = loop {
                match self.inbox.live().first_chunk::<HEADER_LEN>() {
                    Some(header) => break Header::decode(*header),
                    None => self.fill(HEADER_LEN, patience)?,
                }
            };
            // Before the peer's hello, the bytes may not be frames at all.
            let aside = tag != tags::HELLO
                && header.tag != tags::ERROR.byte()
                && other.is_none_or(|other| other.byte() != header.tag)
                && Lane::differ(tag.byte(), header.tag)
                && self.aside.has_room(header);
            if !aside {
                return Ok((header, patience));
            }
            let length = header.length as usize;
            self.afford(length)?;
            self.inbox.take(HEADER_LEN);
            patience.allowed = self.limits.with_length(patience.allowed, length);
            let mut payload = Vec::new();
            self.payload_into(&mut payload, length, patience)?;
            self.aside.put(header, payload);
            self.count(length);
        }
    }

    /// Fills the empty `out` with a payload of `length` bytes. `out` grows as they arrive.
    fn payload_into(&mut self, out: &mut Vec<u8>, length: usize, patience: Patience) -> Result<(), Error> {
        while out.len() < length {
            let have = out.len();
            out.resize(have + (length - have).min(have.max(OUTBOX)), 0);
            self.payload(out.get_mut(have..).unwrap_or_default(), patience)?;
        }
        Ok(())
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

    /// Reads at least one more byte into the inbox; the caller could use `wanted` more.
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

    /// Fills `out` with payload bytes. Those in the inbox come first; most of a long remainder bypasses it.
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

    /// Moves bytes of the inbox to the front of `out`. Returns the part of `out` that is still empty.
    fn take_into<'a>(&mut self, out: &'a mut [u8]) -> &'a mut [u8] {
        let bytes = self.inbox.take(out.len());
        let (filled, rest) = out.split_at_mut(bytes.len());
        filled.copy_from_slice(bytes);
        rest
    }

    /// Receives a frame. Its payload is then in the inbox or in `kept`.
    pub(super) fn try_recv(&mut self, tag: Tag, max: usize) -> Result<Arrived, Error> {
        match self.header(tag, Bound::AtMost(max))? {
            Start::Arriving(length, patience) => {
                while self.inbox.live().len() < length {
                    self.fill(length - self.inbox.live().len(), patience).map_err(in_frame)?;
                }
                self.count(length);
                Ok(Arrived::Inbox(length))
            }
            Start::Kept(payload) => {
                self.kept = payload;
                Ok(Arrived::Kept)
            }
        }
    }

    pub(super) fn try_recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        match self.header(tag, Bound::Exactly(out.len()))? {
            Start::Arriving(length, patience) => {
                self.payload(out, patience)?;
                self.count(length);
            }
            Start::Kept(payload) => out.copy_from_slice(&payload),
        }
        Ok(())
    }

    pub(super) fn try_recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        out.clear();
        match self.header(tag, Bound::AtMost(max))? {
            Start::Arriving(length, patience) => {
                self.payload_into(out, length, patience)?;
                self.count(length);
            }
            Start::Kept(payload) => *out = payload,
        }
        Ok(())
    }
}

/// A frame that passed its checks.
enum Start {
    /// Its payload, of this length, has not been read yet.
    Arriving(usize, Patience),
    /// It arrived earlier, while this party waited for another lane.
    Kept(Vec<u8>),
}

/// Where a received payload is.
pub(super) enum Arrived {
    /// In the inbox, with this length.
    Inbox(usize),
    /// In `Framed::kept`.
    Kept,
}

/// Says that a stream which ended after a frame's header ended in the middle of that frame.
fn in_frame(error: Error) -> Error {
    match error {
        Error::Closed { step, .. } => Error::Closed { step, mid_frame: true },
        other => other,
    }
}
