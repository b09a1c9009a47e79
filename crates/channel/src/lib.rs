//! Channels between two parties: typed messages, counted, bounded and timed; and the session handshake.
#![forbid(unsafe_code)]

mod address;
mod channel;
mod connect;
mod cursor;
mod error;
mod frame;
mod framed;
#[doc(hidden)]
pub mod fuzz;
pub mod handshake;
mod limits;
mod stats;
mod tag;
pub mod tls;
pub mod transport;

// The public face.
pub use address::Address;
pub use channel::{Channel, ChannelExt};
pub use connect::{Listener, connect};
pub use error::{Error, Operation};
pub use framed::Framed;
pub use limits::Limits;
pub use stats::Stats;
pub use tag::{Tag, tags};

/// Two connected in-memory channels, one for each party in one process, each direction holding up to 256 KiB.
#[must_use]
pub fn memory_pair(limits: &Limits) -> (Framed<transport::Memory>, Framed<transport::Memory>) {
    let (left, right) = transport::Memory::pair(256 << 10);
    (Framed::new(left, limits.clone()), Framed::new(right, limits.clone()))
}
