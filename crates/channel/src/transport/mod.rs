//! Byte streams that never block; a channel is built on one.
//!
//! A party that blocks in a write cannot read; if both do it at once, both wait for ever. So a transport
//! tries an operation, and reports if it would have to wait. It waits only when told to: for reading and
//! writing at the same time, and up to a deadline. One thread is enough, and all transports follow the same
//! rules.

mod ahead;
mod memory;
#[cfg(not(target_family = "wasm"))]
mod socket;

use std::io;

pub use ahead::Ahead;
pub use memory::Memory;
#[cfg(not(target_family = "wasm"))]
pub use socket::Socket;
#[cfg(not(target_family = "wasm"))]
pub(crate) use socket::wait_for;

use crate::platform::Instant;

/// What to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// Bytes to read, or the end of the stream.
    Read,
    /// Room for more bytes to write.
    Write,
    /// Either of them.
    Either,
}

impl Interest {
    pub(crate) fn reads(self) -> bool {
        self != Self::Write
    }

    pub(crate) fn writes(self) -> bool {
        self != Self::Read
    }
}

/// A two-way byte stream without blocking.
pub trait Transport {
    /// Reads what is there, at most `out.len()` bytes (more than 0).
    ///
    /// Returns the number of bytes, `Some(0)` at the end of the stream, or `None` if there is nothing yet.
    ///
    /// # Errors
    /// What the layer below reports.
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>>;

    /// Writes as much of `bytes` as fits now. Returns the number of bytes, or `None` if there is no room.
    ///
    /// # Errors
    /// What the layer below reports.
    fn try_write(&mut self, bytes: &[u8]) -> io::Result<Option<usize>>;

    /// Passes on the bytes that this layer itself holds back. Returns whether it passed on all of them.
    ///
    /// # Errors
    /// What the layer below reports.
    fn try_flush(&mut self) -> io::Result<bool>;

    /// Waits until another attempt may succeed. Returns `false` if the deadline passed first.
    ///
    /// # Errors
    /// What the layer below reports.
    fn wait(&mut self, interest: Interest, deadline: Instant) -> io::Result<bool>;

    /// Ends this party's direction of the stream, as far as that is possible without waiting.
    fn shutdown(&mut self);

    /// Whether bytes on their way to the peer may be lost if this side closes before it has read everything
    /// that the peer sent (TCP resets the connection in that case).
    fn needs_linger(&self) -> bool;

    /// The identifier of this encrypted connection, or of the one below: see
    /// [`Channel::binding`](crate::Channel::binding).
    fn binding(&self) -> Option<[u8; 32]>;
}

/// Turns "would block" into `None`, and tries again after a signal.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn retry<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<Option<T>> {
    loop {
        match attempt() {
            Ok(value) => return Ok(Some(value)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
