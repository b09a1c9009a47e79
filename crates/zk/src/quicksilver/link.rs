//! The connection of a proof: a channel of its own, or the part about bits of a mixed proof.

use volery_channel::Channel;

use super::bits;
use crate::Error;

/// The connection to the peer, which other parts of the proof may share.
pub trait Link {
    /// The channel.
    fn channel(&mut self) -> &mut dyn Channel;

    /// Called where this party may have to wait for the peer, or the peer for it, at the same places by both
    /// parties. The other part then sends everything that it holds back.
    ///
    /// # Errors
    /// Any error of the channel; a wrong message of the other part.
    fn pause(&mut self) -> Result<(), Error>;

    /// If challenges are hashes, a digest of the other part's messages and of the chain of the correlations
    /// that it took.
    ///
    /// # Errors
    /// Any error of receiving the chain.
    fn digest(&mut self) -> Result<Option<[u8; 16]>, Error>;
}

/// A channel that nothing else uses.
pub struct Alone<'a>(pub &'a mut dyn Channel);

impl Link for Alone<'_> {
    fn channel(&mut self) -> &mut dyn Channel {
        self.0
    }

    fn pause(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn digest(&mut self) -> Result<Option<[u8; 16]>, Error> {
        Ok(None)
    }
}

macro_rules! bits_part {
    ($party:ty) => {
        impl Link for $party {
            fn channel(&mut self) -> &mut dyn Channel {
                Self::channel(self)
            }

            fn pause(&mut self) -> Result<(), Error> {
                Self::pause(self)
            }

            fn digest(&mut self) -> Result<Option<[u8; 16]>, Error> {
                Self::digest(self)
            }
        }
    };
}
bits_part!(bits::Prover<'_>);
bits_part!(bits::Verifier<'_>);
