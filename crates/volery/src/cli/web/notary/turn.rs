//! Waiting in a notary's line.
//!
//! A notary answers a prover's [token](super::token) with [`NOTARY_TURN`] messages, 4 bytes, big-endian: the prover's number in the line,
//! from 1, as often as the notary likes, so that the prover knows that it is not forgotten; then 0, with which the session begins. The
//! prover begins its part of the session without waiting for the answer, so none of this takes a round trip.

use std::time::{Duration, Instant};

use volery::Channel;
use volery_channel::tags::NOTARY_TURN;
use volery_channel::{ChannelExt as _, Error, Stats, Tag};

use crate::cli::failure::Failure;

/// How long a prover waits in a line.
const LONGEST: Duration = Duration::from_secs(3600);

/// What a notary says when there are so many before.
pub(super) fn wait(channel: &mut (impl Channel + ?Sized), before: usize) -> Result<(), Failure> {
    let number = u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1);
    channel.send(NOTARY_TURN, &number.to_be_bytes())?;
    Ok(channel.flush()?)
}

/// What a notary says when it begins.
pub(super) fn begin(channel: &mut impl Channel) -> Result<(), Failure> {
    Ok(channel.send(NOTARY_TURN, &0_u32.to_be_bytes())?)
}

/// A prover's channel to a notary: what it receives first is that its turn has come.
pub(in crate::cli::web) struct InLine<C, F> {
    inner: C,
    /// Until when to wait; none if the turn has come.
    waiting: Option<Instant>,
    tell: F,
}

impl<C: Channel, F: FnMut(u32)> InLine<C, F> {
    /// Whenever the notary says the prover's number, `tell` hears it; 0 is the last.
    pub(in crate::cli::web) fn new(inner: C, tell: F) -> Self {
        Self { inner, waiting: Some(Instant::now() + LONGEST), tell }
    }

    fn wait(&mut self) -> Result<(), Error> {
        while let Some(end) = self.waiting {
            let number = u32::from_be_bytes(self.inner.recv_array(NOTARY_TURN)?);
            if number == 0 {
                self.waiting = None;
            } else if Instant::now() > end {
                let limit = LONGEST.as_secs();
                return Err(Error::Limit {
                    step: NOTARY_TURN,
                    what: "the seconds in a notary's line",
                    limit,
                });
            }
            (self.tell)(number);
        }
        Ok(())
    }
}

impl<C: Channel, F: FnMut(u32)> Channel for InLine<C, F> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.inner.send(tag, payload)
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error> {
        self.wait()?;
        self.inner.recv(tag, max)
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        self.wait()?;
        self.inner.recv_exact(tag, out)
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        self.wait()?;
        self.inner.recv_into(tag, max, out)
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.inner.flush()
    }

    fn fail(&mut self, reason: &str) {
        self.inner.fail(reason);
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }
}

#[cfg(test)]
mod tests {
    use volery::{Limits, memory_pair};
    use volery_channel::tags::TEST;

    use super::*;

    #[test]
    fn a_prover_hears_its_number_until_its_turn_has_come() {
        let (prover, mut notary) = memory_pair(&Limits::default());
        for before in [17, 3, 0] {
            wait(&mut notary, before).expect("sent");
        }
        begin(&mut notary).expect("sent");
        notary.send(TEST, b"first").and_then(|()| notary.send(TEST, b"second")).expect("sent");
        notary.flush().expect("sent");
        let mut told = Vec::new();
        let mut channel = InLine::new(prover, |number| told.push(number));
        assert_eq!(channel.recv(TEST, 9), Ok(&b"first"[..]));
        assert_eq!(channel.recv(TEST, 9), Ok(&b"second"[..]));
        assert_eq!(told, [18, 4, 1, 0]);
    }

    #[test]
    fn nothing_else_is_taken_for_the_turn() {
        for (tag, message) in [(TEST, &[0, 0, 0, 0][..]), (NOTARY_TURN, &[0, 0, 0]), (NOTARY_TURN, &[0; 5])] {
            let (prover, mut notary) = memory_pair(&Limits::default());
            notary.send(tag, message).and_then(|()| notary.flush()).expect("sent");
            let mut channel = InLine::new(prover, |_| {});
            assert!(channel.recv(TEST, 9).is_err(), "{message:?}");
        }
    }
}
