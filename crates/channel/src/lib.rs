//! Channels between two parties: typed messages, counted, bounded and timed; and the handshake that starts a
//! session.
//!
//! Protocols speak to the [`Channel`] trait and to nothing else. Everything below it (sockets, TLS, buffers,
//! deadlines) is in this crate, so that hostile and dead peers are handled in one place:
//!
//! ```text
//!   protocols:   send(tag, payload)      recv(tag, max), recv_exact, recv_into
//!                        |                        ^
//!   Channel  ------------|------------------------|------------------------------------------
//!                        v                        |
//!   Framed       tag, length, payload | limits, deadlines, counters, the peer's last words
//!                        |                        ^
//!   Transport ---  try_write, try_read, wait (never blocks elsewhere)  ----------------------
//!                        |                        ^
//!                Socket (TCP, Unix)  |  Memory (both parties in one process)  |  Tls, WebSocket over either
//! ```
//!
//! # What holds for every channel
//!
//! * A receive names the step that it expects and the most bytes that it accepts. Any other message is an
//!   [`Error`] that names both steps. A length that a peer merely announces allocates nothing.
//! * Both parties may write at the same time, as much as they like (up to [`Limits::receive_buffer`] beyond
//!   what the network holds): a party whose write has to wait reads incoming bytes meanwhile. The only helper
//!   threads are those that look up names ([`resolve`]).
//! * Every wait ends. The deadline of a frame counts from the start of the wait, so a peer cannot extend it
//!   by trickling bytes.
//! * Errors are sticky, and a party that gives up tells its peer why ([`Channel::fail`], [`Error::Peer`]).
//! * Call [`Channel::flush`] (or [`Framed::finish`]) after the last message, if no receive follows it.
//!
//! # A frame
//!
//! ```text
//! tag: u8 | length: u32, little-endian | payload
//! ```
//!
//! The table [`tags`] lists the tags of all protocols.
//!
//! # A session
//!
//! ```text
//!        prover                                   verifier
//!          | -- Hello -- Begin -- first messages --> |       one flight each way, at once
//!          | <-- Hello -- Begin -- first messages -- |
//!          |  both compare; both know the session id |
//!          | <------- messages of protocols -------> |
//!          | -- Goodbye, or Error with a reason ---> |       either side, any time
//! ```
//!
//! ```
//! use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
//! use volery_channel::handshake::{Begin, Hello, Mismatch, Parameters, Role};
//! use volery_channel::{Channel, Error, Limits, memory_pair};
//!
//! # // A fixed seed keeps the example short; a program takes the operating system's generator.
//! # let mut rng = ChaCha20Rng::from_seed([0; 32]);
//! let (mut prover, mut verifier) = memory_pair(&Limits::default());
//! let ours = Hello::new(Role::Prover, Parameters::new().with("rho", 100)?, &mut rng);
//! let theirs = Hello::new(Role::Verifier, Parameters::new().with("rho", 128)?, &mut rng);
//! ours.send(&mut prover)?;
//! Begin::new([7; 32], Parameters::new()).send(&mut prover)?;
//! prover.flush()?;
//!
//! let refused = theirs.receive(&mut verifier).unwrap_err();
//! assert_eq!(
//!     refused.to_string(),
//!     "the parties differ in the parameter `rho`: this party has `128`, the peer `100`"
//! );
//! assert!(matches!(ours.receive(&mut prover), Err(Error::Peer { .. }))); // and the prover is told
//! # Ok::<(), Error>(())
//! ```
//!
//! # Map
//!
//! * [`Channel`], [`ChannelExt`]: what protocols see. [`Tag`], [`tags`]: the names of steps.
//! * [`Framed`]: the implementation over any [`transport`]; [`Limits`] bounds it, [`Stats`] counts.
//! * [`Layer`], [`Layered`]: what stands on a channel and changes, counts or records a part of it.
//! * [`Cursor`] takes hostile bytes apart, and [`Latch`] keeps the first error of what must not go on.
//! * [`Rehearsal`]: a channel with nobody at the other end, to count what a protocol sends and waits for.
//! * [`Address`], [`connect`], [`Listener`]: making connections. [`tls`] protects them (feature `tls`, on by
//!   default), [`websocket`] lets web pages connect (feature `websocket`). [`memory_pair`] needs none.
//! * [`handshake`]: who is there, what is proved, and the session id.
#![forbid(unsafe_code)]

mod address;
mod channel;
#[cfg(not(target_family = "wasm"))]
mod connect;
mod cursor;
#[cfg(not(target_family = "wasm"))]
mod dial;
mod error;
mod frame;
mod framed;
#[doc(hidden)]
pub mod fuzz;
pub mod handshake;
pub mod hex;
mod latch;
mod layer;
mod limits;
mod network;
pub mod platform;
mod rehearsal;
#[cfg(not(target_family = "wasm"))]
mod resolve;
mod stats;
mod tag;
#[cfg(feature = "tls")]
pub mod tls;
pub mod transport;
#[cfg(feature = "websocket")]
pub mod websocket;

// The public interface.
pub use address::Address;
pub use channel::{Channel, ChannelExt};
#[cfg(not(target_family = "wasm"))]
pub use connect::{Listener, connect};
pub use cursor::{Cursor, Flaw};
#[cfg(not(target_family = "wasm"))]
pub use dial::{DialError, dial};
pub use error::{Error, Operation};
pub use framed::Framed;
pub use latch::Latch;
pub use layer::{Layer, Layered};
pub use limits::Limits;
pub use network::Network;
pub use rehearsal::Rehearsal;
#[cfg(not(target_family = "wasm"))]
pub use resolve::resolve;
pub use stats::Stats;
pub use tag::{Tag, tags};

/// Two connected in-memory channels, one for each party in one process, each direction holding up to 256 KiB.
///
/// When both ends wait for each other, the one with the earlier deadline gives up at once: see
/// [`transport::Memory`].
#[must_use]
pub fn memory_pair(limits: &Limits) -> (Framed<transport::Memory>, Framed<transport::Memory>) {
    let (left, right) = transport::Memory::pair(256 << 10);
    (Framed::new(left, limits.clone()), Framed::new(right, limits.clone()))
}
