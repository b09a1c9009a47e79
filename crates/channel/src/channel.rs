//! The trait through which every protocol talks to its peer.

use crate::error::Error;
use crate::stats::Stats;
use crate::tag::Tag;

/// Typed messages to and from one peer, in order, counted, bounded and timed.
///
/// Sends are buffered; every receive flushes them first, so a protocol needs [`flush`](Self::flush) only
/// before it turns to long work of its own or ends. Both parties may send as much as they like at the same
/// time.
///
/// The trait is object-safe; `&mut C` and `Box<C>` are channels too.
///
/// # Errors
/// Every method that fails leaves the channel failed: later calls return the same error.
pub trait Channel {
    /// Queues one message. The payload may be empty.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the payload is longer than [`Limits::max_frame`](crate::Limits::max_frame),
    /// otherwise any error of writing.
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error>;

    /// Receives the message of step `tag`, of at most `max` bytes, without copying it out of the receive
    /// buffer.
    ///
    /// # Errors
    /// [`Error::UnexpectedFrame`] for another step's message, [`Error::TooLong`], [`Error::Peer`] if the peer
    /// ended the session, and any error of reading.
    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error>;

    /// Receives the message of step `tag` into `out`, which must be exactly as long as the message.
    ///
    /// For long messages this is the cheapest receive: most bytes go from the operating system into `out`.
    ///
    /// # Errors
    /// As [`recv`](Self::recv), with [`Error::WrongLength`] in place of `TooLong`. `out` is unspecified after
    /// an error.
    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error>;

    /// Receives the message of step `tag`, of at most `max` bytes, replacing what `out` holds.
    ///
    /// `out` grows as bytes arrive; the length in the header alone reserves nothing.
    ///
    /// # Errors
    /// As [`recv`](Self::recv). `out` is unspecified after an error.
    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error>;

    /// Waits for the peer's next message, as a receive of step `step` would, and says whether it is one of
    /// step `other`, or one of those was put aside before. Nothing is received.
    ///
    /// For a layer that answers `other` wherever it comes. It has to ask before each receive, since a receive
    /// of `step` takes `other` for an error.
    ///
    /// # Errors
    /// [`Error::Misuse`] by a channel that cannot look ahead; [`Error::Peer`] may come from the receive that
    /// follows; any error of reading.
    fn precedes(&mut self, _other: Tag, _step: Tag) -> Result<bool, Error> {
        Err(Error::misuse("this channel cannot look ahead"))
    }

    /// Hands everything queued to the operating system.
    ///
    /// # Errors
    /// Any error of writing.
    fn flush(&mut self) -> Result<(), Error>;

    /// Tells the peer that this party ends the session and why; afterwards the channel only returns errors.
    ///
    /// Messages not flushed yet are dropped. Best effort: it takes at most two seconds and reports nothing.
    /// The peer finds the reason, cut to 512 bytes, in [`Error::Peer`].
    fn fail(&mut self, reason: &str);

    /// Announces that the peer sends a message of this tag and length at this point of the protocol, although
    /// this party reads it later. Only a [`Rehearsal`](crate::Rehearsal) uses this. A channel that wraps
    /// another one passes the call on.
    fn foresee(&mut self, _tag: Tag, _length: usize) {}

    /// The counters of this channel so far.
    fn stats(&self) -> Stats;

    /// An identifier of the encrypted connection below: equal at both ends of one TLS connection, and
    /// different for every other connection. `None` without TLS.
    ///
    /// A channel that wraps another one passes on the other's identifier, because the session's identifier
    /// depends on it.
    fn binding(&self) -> Option<[u8; 32]>;
}

/// Convenience receives that a trait object cannot have itself.
pub trait ChannelExt: Channel {
    /// Receives the message of step `tag`, of exactly `N` bytes.
    ///
    /// # Errors
    /// As [`Channel::recv_exact`].
    fn recv_array<const N: usize>(&mut self, tag: Tag) -> Result<[u8; N], Error> {
        let mut out = [0; N];
        self.recv_exact(tag, &mut out)?;
        Ok(out)
    }
}

impl<C: Channel + ?Sized> ChannelExt for C {}

macro_rules! forward {
    ($type:ty) => {
        impl<C: Channel + ?Sized> Channel for $type {
            fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
                (**self).send(tag, payload)
            }
            fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error> {
                (**self).recv(tag, max)
            }
            fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
                (**self).recv_exact(tag, out)
            }
            fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
                (**self).recv_into(tag, max, out)
            }
            fn precedes(&mut self, other: Tag, step: Tag) -> Result<bool, Error> {
                (**self).precedes(other, step)
            }
            fn flush(&mut self) -> Result<(), Error> {
                (**self).flush()
            }
            fn fail(&mut self, reason: &str) {
                (**self).fail(reason);
            }
            fn foresee(&mut self, tag: Tag, length: usize) {
                (**self).foresee(tag, length);
            }
            fn stats(&self) -> Stats {
                (**self).stats()
            }
            fn binding(&self) -> Option<[u8; 32]> {
                (**self).binding()
            }
        }
    };
}

forward!(&mut C);
forward!(Box<C>);
