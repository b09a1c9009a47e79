//! What an arithmetic proof goes over: a channel by itself, or the Boolean part of a mixed proof.

use volery_channel::Channel;

use super::super::{prover, verifier};
use crate::Error;

/// The way to the peer, shared with what else is proved over it.
pub trait Link {
    /// The channel.
    fn channel(&mut self) -> &mut dyn Channel;

    /// Called where this party may have to wait for the peer, or the peer for it, at the same places by both
    /// parties: what the other part holds back leaves.
    ///
    /// # Errors
    /// The channel's; a message of the other part that is not what it must be.
    fn pause(&mut self) -> Result<(), Error>;

    /// A digest of what was said in the other part, and of the chain of what it took, where challenges are
    /// hashes.
    ///
    /// # Errors
    /// What receiving the chain meets.
    fn said(&mut self) -> Result<Option<[u8; 16]>, Error>;
}

/// A channel with nothing else on it.
pub struct Alone<'a>(pub &'a mut dyn Channel);

impl Link for Alone<'_> {
    fn channel(&mut self) -> &mut dyn Channel {
        self.0
    }

    fn pause(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn said(&mut self) -> Result<Option<[u8; 16]>, Error> {
        Ok(None)
    }
}

macro_rules! boolean_part {
    ($party:ty) => {
        impl Link for $party {
            fn channel(&mut self) -> &mut dyn Channel {
                Self::channel(self)
            }

            fn pause(&mut self) -> Result<(), Error> {
                Self::pause(self)
            }

            fn said(&mut self) -> Result<Option<[u8; 16]>, Error> {
                Self::said(self)
            }
        }
    };
}
boolean_part!(prover::Prover<'_>);
boolean_part!(verifier::Verifier<'_>);
