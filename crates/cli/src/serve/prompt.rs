//! A client whose turn has come has to answer soon: others wait for its slot.
//!
//! A prover sends its first messages before it hears anything, so they may be old when its turn comes. The
//! message after them answers what the server sent at the turn, and shows that the prover is still there.

use std::time::{Duration, Instant};

use volery::Limits;
use volery_channel::{Error, Layer, Layered, Tag, tags};

use super::FIRST_MESSAGE;
use super::pace::{Pace, Paced};
use crate::connection::{Link, ListenerChannel, Pending};

/// The messages that a prover sends before it hears anything.
const AHEAD: [Tag; 2] = [tags::HELLO, tags::BASE_OT_SENDER];

/// The connection of a client whose turn has come, for its session. The client has the time to connect for
/// its answer. From then on `pace` bounds all waits of a phase together.
pub(super) fn link(client: Pending, pace: &Pace) -> Link {
    let (channel, peer, limits) = client.into_parts();
    let channel = Box::new(Paced::new(channel, limits.clone(), pace));
    Link { channel: Box::new(Prompt::over(channel, limits)), peer }
}

/// Short limits until the peer has answered.
struct Prompt {
    /// The limits of the session; none if they hold already.
    limits: Option<Limits>,
    /// The time for the answer, and when it began.
    time: Duration,
    since: Instant,
}

impl Prompt {
    /// A channel under short limits.
    fn over(
        mut channel: Box<dyn ListenerChannel>,
        limits: Limits,
    ) -> Layered<Box<dyn ListenerChannel>, Self> {
        let time = limits.total_time.map_or(limits.connect, |total| total.min(limits.connect));
        channel.renew(Limits { total_time: Some(time), ..limits.clone() });
        Layered { channel, layer: Self { limits: Some(limits), time, since: Instant::now() } }
    }
}

impl Layer<Box<dyn ListenerChannel>> for Prompt {
    /// Waits for the message of a step, unless the peer has answered already.
    fn before_receive(&mut self, below: &mut Box<dyn ListenerChannel>, step: Tag) -> Result<(), Error> {
        if self.limits.is_none() {
            return Ok(());
        }
        below.await_frame(FIRST_MESSAGE).map_err(|error| match error {
            // Something else may have ended the wait before that time was over.
            Error::TimedOut { .. } | Error::Limit { .. } if self.since.elapsed() >= self.time => {
                Error::Limit {
                    step,
                    what: "the time (ms) until a prover answers when its turn has come",
                    limit: self.time.as_millis().try_into().unwrap_or(u64::MAX),
                }
            }
            error => error,
        })?;
        if let Some(limits) = self.limits.take_if(|_| !AHEAD.contains(&step)) {
            below.renew(limits);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use volery::{Channel as _, memory_pair};

    use super::*;

    /// Limits under which everything may take long except the first answer.
    fn limits() -> Limits {
        let long = Duration::from_secs(600);
        Limits { connect: Duration::from_millis(50), read: long, total_time: Some(long), ..Limits::default() }
    }

    #[test]
    fn a_client_that_is_silent_at_its_turn_is_dropped_whatever_it_sent_before() {
        let (mut prover, server) = memory_pair(&limits());
        for tag in AHEAD {
            prover.send(tag, b"before").expect("sent");
        }
        prover.flush().expect("sent");
        let mut server = Prompt::over(Box::new(server), limits());
        for tag in AHEAD {
            assert_eq!(server.recv(tag, 9), Ok(&b"before"[..]));
        }
        let error = server.recv(tags::TEST, 9).expect_err("nothing comes");
        assert!(matches!(error, Error::Limit { step: tags::TEST, limit: 50, .. }), "{error}");
        assert!(error.to_string().contains("when its turn has come"), "{error}");
    }

    #[test]
    fn a_client_that_has_answered_has_the_time_of_a_session() {
        let (mut prover, server) = memory_pair(&limits());
        prover.send(tags::TEST, b"an answer").and_then(|()| prover.flush()).expect("sent");
        let mut server = Prompt::over(Box::new(server), limits());
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
