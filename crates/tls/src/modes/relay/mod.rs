//! The connection to the server: V makes it, and P speaks TLS on it. In proxy mode that is the connection of
//! which P proves something later; and a P of two parties that has no sockets, in a web page, has V carry its
//! bytes in the same way.
//!
//! ```text
//! P                                              V                                      server
//! Open(host, port, wait)     ----------->        checks the address, connects   ----->
//!                            <-----------        Done
//! Exchange(bytes)            ----------->        records and writes             ----->
//!                            <-----------        Data(what it read, recorded)   <-----
//! ...
//! Close                      ----------->        closes
//!                            <-----------        Done; before it Data that P has not asked for, if there is
//!                            any
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
//! # Carried for two parties
//!
//! A P in a web page reaches nobody but V. Over the same channel, between the messages of the session, it has
//! V carry its connection: V answers P's requests wherever it waits for a message of P's ([`Carrying`]), and
//! does nothing else with them. There is no second way in: the connection is open to nobody but the session's
//! P, it is bounded with the session, and it ends with it.
//!
//! ```text
//! P                                     V                                            server
//! Open, Exchange, ..., Close <------->  before anything is prepared: which suite? <---->
//! Open(host, port, wait)     <------->  connects                                   ---->
//! Exchange(bytes)            <------->  as above                                  <---->
//! messages of the session    <------->  agree, encrypt, ...                       (nothing)
//! Exchange(bytes)            <------->                                            <---->
//! End                         ------->  ends P's direction, if the server is quiet ---->
//!                            <-------   Done
//! Leave                       ------->  closes; no answer
//! ```
//!
//! **V is on the path** between P and the server then, as somebody on the network could be in any case, and
//! the argument of [`joint`](crate::joint) holds for a V that is: V has half of the client's secrets, and can
//! change, delay and drop what passes. What P relies on is the server's certificate, which P verifies with
//! its own roots for the name that it means. So V sees ciphertexts, which it is given in the end anyway, and
//! learns these things earlier, or at all if P gives up:
//!
//! * which host and port P connects to, when, and the address that the name has where V is (V could name
//!   another server, which does not have the certificate);
//! * when each record passes and how long it is, in TLS 1.3 also of the handshake, whose keys V does not have
//!   until the end;
//! * that P asks which version of TLS the server speaks. V can make P see the older one. A connection of TLS
//!   1.2 after such a question then ends at the server's sentinel (see `joint::client`, the probe).
//!
//! The server sees V's address in the place of P's.
//!
//! **V could keep the connection.** V has its socket, so it can tell P that the server has ended the
//! connection and go on with it. P opens V what its tags are computed from only once something that the
//! server says under the connection's keys shows that it takes no more. P may have been told to rely on the
//! server without that ([`trust_close`](crate::proxy::Fetched::trust_close)): not over a connection that V
//! carries, where V could then make requests in P's name.
//!
//! **V believes nothing because it carried it**, and keeps no record of it. P hands over the connection's
//! bytes in the end as it does without a relay, and V checks what it always checks. P could as well have
//! another connection to the server, and it would prove the same.
//!
//! **Who asks is V's client.** A session is bounded in its connections and in the bytes of all of them
//! together, and each connection by the rules that follow, as in proxy mode.
//!
//! # What V connects to
//!
//! V is not an open proxy. [`Rules`] limit ports and bytes. Addresses inside V's own network are refused
//! unless a rule allows them, and V connects to the same address that it checked, whatever the name resolves
//! to a moment later. P's first bytes must be a TLS ClientHello that names the host which V was told, and
//! nothing else. So a server of many hosts is asked for the right one, and one that does not speak TLS is
//! told a ClientHello first, at which most hang up. What P writes after it V does not look at.

#[cfg(not(target_family = "wasm"))]
mod carrying;
mod client;
mod error;
mod policy;
#[cfg(not(target_family = "wasm"))]
mod server;
#[cfg(test)]
mod tests;

#[cfg(not(target_family = "wasm"))]
pub use carrying::{Carrying, carrying};
pub use client::{Carry, Line, Stream};
pub use error::{Error, Failure};
pub use policy::Rules;
#[cfg(not(target_family = "wasm"))]
pub(in crate::modes) use server::end_if_quiet;
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
        RelayRequest::End => vec![END],
        RelayRequest::Leave => vec![LEAVE],
    };
    assert_eq!(again, bytes);
}

/// The most bytes of a request or answer after its first byte.
pub(in crate::modes) const MAX_CHUNK: usize = 1 << 16;
/// The longest host name (RFC 1035).
const MAX_HOST: usize = 253;

/// First bytes of requests.
const OPEN: u8 = 0;
const EXCHANGE: u8 = 1;
const WRITE: u8 = 2;
const CLOSE: u8 = 3;
const END: u8 = 4;
const LEAVE: u8 = 5;

/// First bytes of answers.
const DONE: u8 = 0;
const DATA: u8 = 1;
const FAILED: u8 = 2;
