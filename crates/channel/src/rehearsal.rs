//! A channel with nobody at the other end. It counts what a protocol would send and wait for.
//!
//! The channel counts what the prover sends. Each message that the prover receives after the handshake has
//! the greatest length that its step allows, which in these protocols is its actual length. The content is
//! zeros, except for `Begin` and the status of a split statement's workers, in which the verifier repeats the
//! prover's, the place of a worker, which is an address of a usual length, and the verdict, which is yes.
//!
//! Lengths alone would give too many round trips. A peer sends some messages long before they are read, such
//! as those that prepare correlations, and they come in during an earlier wait. So the protocol says at which
//! point the peer sends one ([`Channel::foresee`]). The announced messages form a stream, as they would over
//! a connection, and a receive takes everything up to its own message out of it, as [`Framed`](crate::Framed)
//! does. If a received message differs from the announced one, that is misuse: the protocol and its
//! announcements disagree.

use std::collections::{BTreeMap, VecDeque};

use crate::channel::Channel;
use crate::error::Error;
use crate::frame::HEADER_LEN;
use crate::framed::Lane;
use crate::stats::Stats;
use crate::tag::{Tag, tags};

/// Characters of the place of a split statement's worker: 127.0.0.1, a port, and a public key.
const ADDRESS: usize = 80;

/// A channel for a rehearsal; see the module's documentation.
#[derive(Debug, Default)]
pub struct Rehearsal {
    stats: Stats,
    turned: bool,
    /// What the peer has sent and no receive has taken in yet.
    stream: VecDeque<(Tag, usize)>,
    /// Messages that came in during a wait for another one.
    aside: Vec<(Tag, usize)>,
    /// This party's messages that the peer repeats.
    repeated: BTreeMap<u8, Vec<u8>>,
    received: Vec<u8>,
}

impl Rehearsal {
    /// A new rehearsal.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Receives the message of step `tag`, `length` bytes long.
    fn take(&mut self, tag: Tag, length: usize) -> Result<(), Error> {
        let differ = |came: Tag| Lane::differ(tag.byte(), came.byte());
        if let Some(place) = self.aside.iter().position(|(came, _)| !differ(*came)) {
            return as_foreseen(self.aside.remove(place), (tag, length));
        }
        while let Some((came, foreseen)) = self.stream.pop_front() {
            self.count(foreseen);
            if !differ(came) {
                return as_foreseen((came, foreseen), (tag, length));
            }
            self.aside.push((came, foreseen));
        }
        // It was not announced: the peer sends it once it has received what it waits for.
        self.count(length);
        Ok(())
    }

    fn count(&mut self, length: usize) {
        self.stats.bytes_received += (HEADER_LEN + length) as u64;
        self.stats.frames_received += 1;
        self.stats.round_trips += u64::from(core::mem::take(&mut self.turned));
    }

    /// Puts the message of step `tag`, of at most `most` bytes, into `received`.
    fn hear(&mut self, tag: Tag, most: usize) -> Result<(), Error> {
        self.received.clear();
        match self.repeated.remove(&tag.byte()) {
            Some(message) => self.received.extend(message),
            None if tag == tags::VERDICT => self.received.push(1),
            None if tag == tags::SPLIT_MEET => {
                self.received.push(1);
                self.received.resize(1 + ADDRESS.min(most.saturating_sub(1)), b'0');
            }
            None => self.received.resize(most, 0),
        }
        self.take(tag, self.received.len())
    }
}

/// Checks that the received message has the tag and the length that were announced for its lane.
fn as_foreseen(foreseen: (Tag, usize), received: (Tag, usize)) -> Result<(), Error> {
    if foreseen == received {
        return Ok(());
    }
    let text = |(tag, length): (Tag, usize)| format!("{tag} of {length} bytes");
    Err(Error::misuse(format!("{} was foreseen, and {} is received", text(foreseen), text(received))))
}

impl Channel for Rehearsal {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        if tag == tags::BEGIN || tag == tags::SPLIT_STATUS {
            self.repeated.insert(tag.byte(), payload.to_vec());
        }
        self.stats.bytes_sent += (HEADER_LEN + payload.len()) as u64;
        self.stats.frames_sent += 1;
        self.turned = true;
        Ok(())
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error> {
        self.hear(tag, max)?;
        Ok(&self.received)
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        out.fill(0);
        self.take(tag, out.len())
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        self.hear(tag, max)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn trips(channel: &Rehearsal) -> [u64; 2] {
        [channel.stats().bytes_received, channel.stats().round_trips]
    }

    #[test]
    fn what_came_during_an_earlier_wait_is_no_wait() {
        let mut channel = Rehearsal::new();
        channel.send(tags::MASKS, b"all").expect("sent");
        channel.foresee(tags::FERRET_TREES, 100);
        channel.foresee(tags::CHALLENGE, 16);
        channel.recv_exact(tags::CHALLENGE, &mut [1; 16]).expect("zeros");
        assert_eq!(trips(&channel), [5 + 100 + 5 + 16, 1]);
        channel.send(tags::MASKS, b"more").expect("sent");
        channel.recv_exact(tags::FERRET_TREES, &mut [0; 100]).expect("here already");
        assert_eq!(trips(&channel), [5 + 100 + 5 + 16, 1]);
        // Nobody foresaw this one.
        channel.recv_exact(tags::CHALLENGE, &mut [0; 16]).expect("zeros");
        assert_eq!(trips(&channel)[1], 2);
        assert_eq!(channel.stats().bytes_sent, 5 + 3 + 5 + 4);
    }

    #[test]
    fn what_was_foreseen_otherwise_is_misuse() {
        for (tag, length) in [(tags::CHALLENGE, 17), (tags::BEGIN, 16)] {
            let mut channel = Rehearsal::new();
            channel.foresee(tag, length);
            assert!(matches!(channel.recv_exact(tags::CHALLENGE, &mut [0; 16]), Err(Error::Misuse { .. })));
        }
        let mut channel = Rehearsal::new();
        channel.foresee(tags::CHALLENGE, 17);
        channel.recv_exact(tags::FERRET_TREES, &mut [0; 3]).expect("another lane");
        assert!(channel.recv(tags::CHALLENGE, 16).is_err());
    }

    #[test]
    fn the_peer_repeats_what_is_proved_and_accepts() {
        let mut channel = Rehearsal::new();
        channel.send(tags::BEGIN, b"this").expect("sent");
        assert_eq!(channel.recv(tags::BEGIN, 100), Ok(&b"this"[..]));
        assert_eq!(channel.recv(tags::VERDICT, 1), Ok(&[1][..]));
        channel.send(tags::SPLIT_STATUS, &[1, 3]).expect("sent");
        assert_eq!(channel.recv(tags::SPLIT_STATUS, 2), Ok(&[1, 3][..]));
        assert_eq!(
            channel.recv(tags::SPLIT_MEET, 256).map(|said| (said.len(), said[0], said[80])),
            Ok((81, 1, b'0'))
        );
    }
}
