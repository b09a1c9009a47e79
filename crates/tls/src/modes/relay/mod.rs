//! The connection to the server: V makes it, and P speaks TLS on it.
//!
//! ```text
//! P                                              V                                      server
//! Open(host, port, wait)     ----------->        checks the address, connects   ----->
//!                            <-----------        Done
//! Exchange(bytes)            ----------->        records and writes             ----->
//!                            <-----------        Data(what it read, recorded)   <-----
//! ...
//! Close                      ----------->        closes
//!                            <-----------        Done; before it Data that P has not asked for, if there is any
//! ```
//!
//! Each request gets one answer, so each party always knows what the other's record holds: both end with the
//! same bytes of both directions. Bytes that did not reach the server are in nobody's record, because a
//! failed write ends the session.
//!
//! **V controls the order, too.** P says when V writes and when it waits. If V read from the server only when
//! P asks, P would decide what came before what. So before each write, of at most 2^14 bytes, V takes
//! everything that the server has sent, without waiting, and marks how much that is. Everything that V takes
//! later came after this write began. [`disclosure`](crate::disclosure#several-requests) explains the use of
//! the marks.
//!
//! **V waits no longer than P.** P says how long the server may take for its next bytes, because a session
//! that P has given up would only take a place at V. V's own limit holds, too.
//!
//! V is not an open proxy. [`Rules`] limit ports and bytes. Addresses inside V's own network are refused
//! unless a rule allows them, and V connects to the same address that it checked, whatever the name resolves
//! to a moment later. P's first bytes must be a TLS ClientHello that names the host which V was told, and
//! nothing else. So a server that does not speak TLS gets no bytes of P's choice, and a server of many hosts
//! is asked for the right one.

mod client;
mod error;
mod policy;
#[cfg(not(target_family = "wasm"))]
mod server;
#[cfg(test)]
mod tests;

pub use client::Stream;
pub use error::{Error, Failure};
pub use policy::Rules;
#[cfg(not(target_family = "wasm"))]
pub use server::{Relayed, serve};

/// For fuzzing: reads any bytes as P's request. What it accepts must encode back to the same bytes, and a
/// host name must be safe to look up and to print.
#[cfg(feature = "fuzzing")]
pub(crate) fn fuzz_request(bytes: &[u8]) {
    use server::RelayRequest;
    let Ok(request) = RelayRequest::decode(bytes) else { return };
    let again = match request {
        RelayRequest::Open { host, port, wait } => {
            assert!((1..=MAX_HOST).contains(&host.len()) && host.bytes().all(|byte| byte.is_ascii_graphic()));
            let seconds = u16::try_from(wait.as_secs()).unwrap_or_default();
            [&[OPEN], &port.to_be_bytes()[..], &seconds.to_be_bytes(), host.as_bytes()].concat()
        }
        RelayRequest::Exchange(bytes) => [&[EXCHANGE], bytes].concat(),
        RelayRequest::Write(bytes) => [&[WRITE], bytes].concat(),
        RelayRequest::Close => vec![CLOSE],
    };
    assert_eq!(again, bytes);
}

/// The most bytes of a request or answer after its first byte.
const MAX_CHUNK: usize = 1 << 16;
/// The longest host name (RFC 1035).
const MAX_HOST: usize = 253;

/// First bytes of requests.
const OPEN: u8 = 0;
const EXCHANGE: u8 = 1;
const WRITE: u8 = 2;
const CLOSE: u8 = 3;

/// First bytes of answers.
const DONE: u8 = 0;
const DATA: u8 = 1;
const FAILED: u8 = 2;
