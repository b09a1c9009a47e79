//! The one trait that protocols speak to.

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
    /// otherwise what writing meets.
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error>;

    /// Receives the message of step `tag`, of at most `max` bytes, without copying it out of the receive
    /// buffer.
    ///
    /// # Errors
    /// [`Error::UnexpectedFrame`] for another step's message, [`Error::TooLong`], [`Error::Peer`] if the peer
    /// ended the session, and what reading meets.
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
    /// `out` grows as bytes arrive, not as the header promises.
    ///
    /// # Errors
    /// As [`recv`](Self::recv). `out` is unspecified after an error.
    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error>;

    /// Hands everything queued to the operating system.
    ///
    /// # Errors
    /// What writing meets.
    fn flush(&mut self) -> Result<(), Error>;

    /// Tells the peer that this party ends the session and why; afterwards the channel only returns errors.
    ///
    /// Messages not flushed yet are dropped. Best effort: it takes at most two seconds and reports nothing.
    /// The peer finds the reason, cut to 512 bytes, in [`Error::Peer`].
    fn fail(&mut self, reason: &str);

    /// Says that the peer sends such a message when it gets to this place of the protocol, though it is read
    /// later. Only a [`Rehearsal`](crate::Rehearsal) wants to know; a channel that may stand on one passes it
    /// on.
    fn foresee(&mut self, _tag: Tag, _length: usize) {}

    /// What went over this channel so far.
    fn stats(&self) -> Stats;

    /// The name of the encrypted connection below: the same at both ends of one TLS connection, and of no
    /// other. `None` without TLS.
    ///
    /// A channel that stands on another one passes the other's on: the session's identifier depends on it.
    fn binding(&self) -> Option<[u8; 32]>;
}

/// Receives built on [`Channel`] that a trait object cannot have itself.
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
