//! Whose turn has come has to show soon that it is still there: the place is one that others wait for.
//!
//! A prover says its first messages before it hears anything, so those are there when its turn comes, and say
//! nothing of it now. The message after them is an answer to what the server said with the turn.

use std::time::Duration;

use volery::{Channel, Limits};
use volery_channel::{Error, Stats, Tag, tags};

use super::FIRST_MESSAGE;
use super::pace::{Pace, Paced};
use crate::connection::{Flexible, Guest, Link};

/// What a prover says before it hears anything.
const AHEAD: [Tag; 2] = [tags::HELLO, tags::BASE_OT_SENDER];

/// The connection of a guest whose turn has come, for its session. Until it has answered it may take as long
/// as connecting does. From then on `pace` bounds all waits of a phase together.
pub(super) fn link(guest: Guest, pace: &Pace) -> Link {
    let (channel, peer, limits) = guest.into_parts();
    let channel = Box::new(Paced::new(channel, limits.clone(), pace));
    Link { channel: Box::new(Prompt::new(channel, limits)), peer }
}

/// A channel under short limits until the peer has answered.
struct Prompt {
    inner: Box<dyn Flexible>,
    /// Those of the session; none if they hold already.
    limits: Option<Limits>,
    time: Duration,
}

impl Prompt {
    fn new(mut inner: Box<dyn Flexible>, limits: Limits) -> Self {
        let time = limits.total_time.map_or(limits.connect, |total| total.min(limits.connect));
        inner.renew(Limits { total_time: Some(time), ..limits.clone() });
        Self { inner, limits: Some(limits), time }
    }

    /// Waits for the message of a step, if it may be the answer.
    fn wait(&mut self, step: Tag) -> Result<(), Error> {
        if self.limits.is_none() {
            return Ok(());
        }
        self.inner.await_frame(FIRST_MESSAGE).map_err(|error| match error {
            Error::TimedOut { .. } | Error::Limit { .. } => Error::Limit {
                step,
                what: "the time (ms) until a prover answers when its turn has come",
                limit: self.time.as_millis().try_into().unwrap_or(u64::MAX),
            },
            error => error,
        })?;
        if let Some(limits) = self.limits.take_if(|_| !AHEAD.contains(&step)) {
            self.inner.renew(limits);
        }
        Ok(())
    }
}

impl Channel for Prompt {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.inner.send(tag, payload)
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error> {
        self.wait(tag)?;
        self.inner.recv(tag, max)
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        self.wait(tag)?;
        self.inner.recv_exact(tag, out)
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        self.wait(tag)?;
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

    fn binding(&self) -> Option<[u8; 32]> {
        self.inner.binding()
    }
}

#[cfg(test)]
mod tests {
    use volery::memory_pair;

    use super::*;

    /// Of a session in which everything may take long, but not the first answer.
    fn limits() -> Limits {
        let long = Duration::from_secs(600);
        Limits { connect: Duration::from_millis(50), read: long, total_time: Some(long), ..Limits::default() }
    }

    #[test]
    fn who_says_nothing_when_its_turn_has_come_is_left_whatever_it_said_before() {
        let (mut prover, server) = memory_pair(&limits());
        for tag in AHEAD {
            prover.send(tag, b"before").expect("sent");
        }
        prover.flush().expect("sent");
        let mut server = Prompt::new(Box::new(server), limits());
        for tag in AHEAD {
            assert_eq!(server.recv(tag, 9), Ok(&b"before"[..]));
        }
        let error = server.recv(tags::TEST, 9).expect_err("nothing comes");
        assert!(matches!(error, Error::Limit { step: tags::TEST, limit: 50, .. }), "{error}");
        assert!(error.to_string().contains("when its turn has come"), "{error}");
    }

    #[test]
    fn who_has_answered_has_the_time_of_a_session() {
        let (mut prover, server) = memory_pair(&limits());
        prover.send(tags::TEST, b"an answer").and_then(|()| prover.flush()).expect("sent");
        let mut server = Prompt::new(Box::new(server), limits());
        assert_eq!(server.recv(tags::TEST, 9), Ok(&b"an answer"[..]));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(3 * limits().connect);
                prover.send(tags::TEST, b"late").and_then(|()| prover.flush()).expect("sent");
            });
            assert_eq!(server.recv(tags::TEST, 9), Ok(&b"late"[..]));
        });
    }
}
