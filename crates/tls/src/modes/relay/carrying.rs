//! V's side for two parties: it answers P's requests wherever it waits for a message of P's, from the
//! set-up's end to the connection's.

use std::time::Instant;

use volery_channel::tags::{BEGIN, CARRY_ANSWER, CARRY_REQUEST, CLIENT_TRANSCRIPT};
use volery_channel::{Channel, Error as ChannelError, Layer, Layered, Tag};

use super::server::{Carried, RelayRequest, malformed};
use super::{DONE, Error, FAILED, Failure, MAX_CHUNK, Rules};

/// The most connections of a session. P makes one, and before it a few to find out what the server speaks.
const MAX_CONNECTIONS: usize = 8;
/// The most failures that a session survives. Refusals cost P nothing, and V goes on waiting after each.
const MAX_FAILURES: usize = 2 * MAX_CONNECTIONS;

/// V's channel to a P whose connections it carries, one at a time, to servers that `rules` allow. The bytes
/// and the time that `rules` allow are those of all connections together.
pub fn carrying<C: Channel>(channel: C, rules: Rules) -> Layered<C, Carrying> {
    carrying_between(channel, rules, [BEGIN, CLIENT_TRANSCRIPT])
}

/// As [`carrying`], while V waits for messages of the first step to those of the last.
pub(super) fn carrying_between<C: Channel>(
    channel: C,
    rules: Rules,
    [first, last]: [Tag; 2],
) -> Layered<C, Carrying> {
    let layer = Carrying {
        rules,
        first,
        last,
        begun: false,
        ending: false,
        opened: 0,
        since: None,
        open: None,
        failed: false,
        failures: 0,
        answer: Vec::new(),
    };
    Layered { channel, layer }
}

/// Carries P's connections.
pub struct Carrying {
    /// With what is left of the bytes and of the time.
    rules: Rules,
    /// The steps between which it carries, and whether they have come.
    first: Tag,
    last: Tag,
    begun: bool,
    ending: bool,
    /// The number of connections so far.
    opened: usize,
    /// When the last one began, until its time is counted.
    since: Option<Instant>,
    open: Option<Carried>,
    /// Whether V has closed a connection that failed, which P may not know when it leaves it.
    failed: bool,
    /// The number of failures so far.
    failures: usize,
    answer: Vec<u8>,
}

impl core::fmt::Debug for Carrying {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Carrying").field("opened", &self.opened).finish_non_exhaustive()
    }
}

impl<C: Channel> Layer<C> for Carrying {
    fn before_receive(&mut self, below: &mut C, tag: Tag) -> Result<(), ChannelError> {
        self.begun |= tag == self.first;
        self.ending |= tag == self.last;
        // Before the set-up a stranger would have V connect for nothing, and afterwards there is no use for
        // it.
        if !self.begun || self.ending && tag != self.last {
            self.close();
            return Ok(());
        }
        while below.precedes(CARRY_REQUEST, tag)? {
            let request = below.recv(CARRY_REQUEST, 1 + MAX_CHUNK)?.to_vec();
            match self.respond(&request) {
                Ok(()) => {}
                Err(Error::Server(failure)) => {
                    self.close();
                    self.failed = true;
                    self.failures += 1;
                    if self.failures > MAX_FAILURES {
                        below.fail("too many connections that failed");
                        return Err(ChannelError::malformed(CARRY_REQUEST, "failures without end"));
                    }
                    self.answer = vec![FAILED, failure.code()];
                }
                Err(Error::Malformed { reason, .. }) => {
                    below.fail("a request to the relay is malformed");
                    return Err(ChannelError::malformed(CARRY_REQUEST, reason));
                }
                Err(Error::Channel(error)) => return Err(error),
                Err(Error::HelloRetry) => return Err(ChannelError::misuse("V takes part in no handshake")),
            }
            if !self.answer.is_empty() {
                below.send(CARRY_ANSWER, &self.answer)?;
            }
        }
        Ok(())
    }
}

impl Carrying {
    /// The number of connections so far.
    #[cfg(test)]
    pub(super) fn opened(&self) -> usize {
        self.opened
    }

    /// The number of a connection's bytes that V holds.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.open.as_ref().map_or(0, Carried::held)
    }

    /// Does what P asks for, and puts the answer in `self.answer`.
    fn respond(&mut self, request: &[u8]) -> Result<(), Error> {
        match (RelayRequest::decode(request)?, &mut self.open) {
            (RelayRequest::Open { host, port, wait }, None) => {
                if self.opened == MAX_CONNECTIONS {
                    return Err(Error::Server(Failure::Often));
                }
                if self.rules.total.is_zero() {
                    return Err(Error::Server(Failure::Time));
                }
                self.opened += 1;
                self.failed = false;
                self.since = Some(Instant::now());
                self.open = Some(Carried::open(host, port, wait, &self.rules, false)?);
                self.answer = vec![DONE];
            }
            // V has closed it after a failure, which P hears only now.
            (RelayRequest::Leave, None) if self.failed => {
                self.failed = false;
                self.answer.clear();
            }
            (_, None) => return Err(malformed("no connection is open")),
            (request, Some(open)) => {
                if open.respond(request, &mut self.answer)? {
                    self.close();
                }
            }
        }
        Ok(())
    }

    /// Closes the connection, if one is open. Its bytes and its time are no longer there for others.
    fn close(&mut self) {
        if let Some(since) = self.since.take() {
            self.rules.total = self.rules.total.saturating_sub(since.elapsed());
        }
        let Some(open) = self.open.take() else { return };
        let [sent, received] = open.bytes();
        self.rules.max_sent = self.rules.max_sent.saturating_sub(sent);
        self.rules.max_received = self.rules.max_received.saturating_sub(received);
    }
}
