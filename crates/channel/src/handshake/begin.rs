//! The message that names the statement to be proved.

use super::{Mismatch, Parameters, refuse};
use crate::channel::Channel;
use crate::cursor::{Cursor, Flaw};
use crate::error::Error;
use crate::tag::tags;

/// Names the statement and how it is proved. Both parties send theirs and compare them before anything that
/// depends on a witness is sent.
///
/// ```text
/// statement digest: 32 bytes | parameters
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begin {
    digest: [u8; 32],
    parameters: Parameters,
}

impl Begin {
    /// Longest encoding, in bytes.
    const MAX_LEN: usize = 32 + Parameters::MAX_LEN;

    /// The start of a proof of the statement with this digest, run with these parameters (protocol, mode,
    /// ...).
    #[must_use]
    pub fn new(digest: [u8; 32], parameters: Parameters) -> Self {
        Self { digest, parameters }
    }

    /// Queues this message.
    ///
    /// # Errors
    /// As [`Channel::send`].
    pub fn send(&self, channel: &mut (impl Channel + ?Sized)) -> Result<(), Error> {
        channel.send(tags::BEGIN, &self.encode())
    }

    /// Receives the peer's message and checks that it equals this one, which must have been sent on the same
    /// channel.
    ///
    /// # Errors
    /// [`Error::Incompatible`] with the [`Mismatch`] found, [`Error::Malformed`], and as [`Channel::recv`].
    /// The peer is told and the channel ended.
    pub fn receive(&self, channel: &mut (impl Channel + ?Sized)) -> Result<(), Error> {
        let payload = channel.recv(tags::BEGIN, Self::MAX_LEN)?;
        let result = Self::decode(payload).and_then(|theirs| self.compare(&theirs));
        refuse(channel, result)
    }

    fn compare(&self, theirs: &Self) -> Result<(), Error> {
        // Parameters are compared first: a different protocol explains a different digest, but not the other
        // way round. Those that follow from the statement, like its size, do not count.
        if self.digest != theirs.digest {
            self.parameters.agree_otherwise(&theirs.parameters)?;
            return Err(Mismatch::Statement { ours: self.digest, theirs: theirs.digest }.into());
        }
        Ok(self.parameters.agree(&theirs.parameters)?)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = self.digest.to_vec();
        self.parameters.encode(&mut out);
        out
    }

    pub(crate) fn decode(payload: &[u8]) -> Result<Self, Error> {
        let (mut cursor, flaw) = (Cursor::new(payload), |flaw: Flaw| flaw.at(tags::BEGIN));
        let digest = cursor.array("the statement digest").map_err(flaw)?;
        let parameters = Parameters::decode(tags::BEGIN, &mut cursor)?;
        cursor.finish().map_err(flaw)?;
        Ok(Self { digest, parameters })
    }
}
