//! The connection to the server, which V makes and P speaks TLS on.
//!
//! ```text
//! P                                              V                                      server
//! Open(host, port)           ----------->        checks the address, connects   ----->
//!                            <-----------        Done
//! Exchange(bytes)            ----------->        records and writes             ----->
//!                            <-----------        Data(what it read, recorded)   <-----
//! ...
//! Close                      ----------->        closes
//!                            <-----------        Done; before it Data that P has not asked for, if there is any
//! ```
//!
//! One request, one answer, so neither party ever wonders what the other's record holds: both end with the
//! same bytes of both directions. What the server was not sent is in nobody's record, because a write that
//! fails ends the session.
//!
//! **The order is V's, too.** P says when V writes, and when it waits. If V read the server only when P asks,
//! P would decide what came before what. So before each write, of at most 2^14 bytes, V takes all that the
//! server has sent, without waiting, and marks how much that is: everything that V takes later came to V
//! after this write began. What the marks are for is in [`disclosure`](crate::disclosure#several-requests).
//!
//! V is no open proxy: [`Rules`] says which ports and how much, addresses inside V's own network are refused
//! unless a rule allows them, and the address that was checked is the one that V connects to, whatever the
//! name resolves to a moment later. The first bytes of P's have to be a TLS ClientHello that asks for the
//! host by the name that V was told, and nothing else: who does not speak TLS hears nothing of P's choice,
//! and a server of many hosts is asked for the right one.

mod client;
mod error;
mod policy;
mod server;
#[cfg(test)]
mod tests;

pub use client::Stream;
pub use error::{Error, Failure};
pub use policy::Rules;
pub use server::{Relayed, serve};

/// For fuzzing: any bytes as a request of P's. What is accepted encodes back to the same bytes, and a host's
/// name is one that is safe to look up and to print.
#[cfg(feature = "fuzzing")]
pub(crate) fn fuzz_request(bytes: &[u8]) {
    use server::Request;
    let Ok(request) = Request::decode(bytes) else { return };
    let again = match request {
        Request::Open { host, port } => {
            assert!((1..=MAX_HOST).contains(&host.len()) && host.bytes().all(|byte| byte.is_ascii_graphic()));
            [&[OPEN], &port.to_be_bytes()[..], host.as_bytes()].concat()
        }
        Request::Exchange(bytes) => [&[EXCHANGE], bytes].concat(),
        Request::Write(bytes) => [&[WRITE], bytes].concat(),
        Request::Close => vec![CLOSE],
    };
    assert_eq!(again, bytes);
}

/// The most bytes of a request or answer beside its first.
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
