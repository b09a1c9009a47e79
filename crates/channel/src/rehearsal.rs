//! A channel with nobody at the other end, to learn what a protocol would send and wait for.
//!
//! What a party sends is counted. What it receives has the greatest length that its step allows, which in these protocols is the length that it
//! has, and no content: zeros, but for `Begin`, in which the peer repeats what this party said, and a verdict of yes.
//!
//! Lengths alone would give too many round trips. A peer sends some messages long before they are read, such as those that prepare correlations: they come
//! in during an earlier wait. So the protocol says where the peer gets to sending one ([`Channel::foresee`]). They make a
//! stream, as they would over a connection, and a receive takes everything out of it up to the message that it wants, as
//! [`Framed`](crate::Framed) does.

use std::collections::{BTreeMap, VecDeque};

use crate::channel::Channel;
use crate::error::Error;
use crate::frame::HEADER_LEN;
use crate::framed::Lane;
use crate::stats::Stats;
use crate::tag::{Tag, tags};

/// A channel for a rehearsal; see the module's documentation.
#[derive(Debug, Default)]
pub struct Rehearsal {
    stats: Stats,
    turned: bool,
    /// What the peer has sent and nobody has waited long enough for.
    stream: VecDeque<(Tag, usize)>,
    /// What came while something else was waited for.
    aside: Vec<Tag>,
    /// What this party said and the peer repeats.
    said: BTreeMap<u8, Vec<u8>>,
    received: Vec<u8>,
}

impl Rehearsal {
    /// A fresh one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The message of step `tag` is received, of so many bytes.
    fn take(&mut self, tag: Tag, length: usize) {
        if let Some(place) = self.aside.iter().position(|aside| *aside == tag) {
            self.aside.remove(place);
            return;
        }
        while let Some((came, length)) = self.stream.pop_front() {
            self.count(length);
            if !Lane::differ(tag.byte(), came.byte()) {
                return;
            }
            self.aside.push(came);
        }
        // Nobody foresaw it: the peer sends it when it gets what it waits for.
        self.count(length);
    }

    fn count(&mut self, length: usize) {
        self.stats.bytes_received += (HEADER_LEN + length) as u64;
        self.stats.frames_received += 1;
        self.stats.round_trips += u64::from(core::mem::take(&mut self.turned));
    }

    /// Puts what is received at step `tag` into `received`.
    fn hear(&mut self, tag: Tag, most: usize) {
        self.received.clear();
        match self.said.remove(&tag.byte()) {
            Some(said) => self.received.extend(said),
            None if tag == tags::VERDICT => self.received.push(1),
            None => self.received.resize(most, 0),
        }
        self.take(tag, self.received.len());
    }
}

impl Channel for Rehearsal {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        if tag == tags::BEGIN {
            self.said.insert(tag.byte(), payload.to_vec());
        }
        self.stats.bytes_sent += (HEADER_LEN + payload.len()) as u64;
        self.stats.frames_sent += 1;
        self.turned = true;
        Ok(())
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error> {
        self.hear(tag, max);
        Ok(&self.received)
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        out.fill(0);
        self.take(tag, out.len());
        Ok(())
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        self.hear(tag, max);
        out.clone_from(&self.received);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn fail(&mut self, _reason: &str) {}

    fn foresee(&mut self, tag: Tag, length: usize) {
        self.stream.push_back((tag, length));
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn binding(&self) -> Option<[u8; 32]> {
        None
    }
}
