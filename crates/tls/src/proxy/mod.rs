//! Proxy mode: V relays a connection that P runs alone, and P proves in zero knowledge what went over it.
//!
//! ```text
//! P                                              V                                      server
//! stock TLS 1.2, alone       <---- relay ---->   records both directions   <------->    an ordinary one
//! knows the master secret                        knows the bytes
//!
//! opened bits, shown text    ----------->        checks in the clear: certificates, signature, host, time,
//!                                                Finished messages, all tags, structure of request and response
//! proves with QuickSilver    <---------->        verifies: some master secret gives these bits and this text, and the
//!                                                claims hold of what is hidden
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`relay`] | the connection: P's stream, V's socket and rules |
//! | [`fetch`], [`Fetched`] | P's TLS, and what P tells V |
//! | [`receive`], [`Pending`], [`Proven`] | V's checks in the clear, and what it believes after the proof |
//! | [`Session`] | the statement; any backend over bits proves it |
//! | [`Hide`], [`Part`], [`Shown`] | what stays hidden, what V sees instead |
//!
//! Against the mode of two parties this one costs next to nothing: no garbling, 1 bit an AND, nothing before the connection.
//!
//! # What V has to trust
//!
//! **Its own path to the server.** P knows the connection's keys while it lives. Nobody but the server makes the handshake's
//! signature, but the records after it prove nothing to somebody who does not see them come from the server: P, if it controls the
//! network between V and the server, answers in the server's name. In the mode of two parties V needs no such trust, because P has
//! no key while the connection lives. V therefore resolves the name and connects by itself, from where P has no influence, and an
//! attestation says which mode it was.
//!
//! P trusts V with nothing but being reachable: V sees ciphertexts, and what P shows in the end.
//!
//! # Why there is one master secret only
//!
//! V's transcript is fixed before P says anything of keys. P proves that *some* master secret `ms` explains it. Could another one than
//! the connection's? The server's first encrypted record is its Finished message, and V checks of it, under keys derived from `ms`:
//!
//! ```text
//! plaintext of record 0  =  14 00 00 0c | PRF(ms, "server finished", hash)[0..12]     16 bytes: 32 bits of header, 96 of verify_data
//! tag of record 0        =  GHASH(h, ...) + AES(key, nonce | 1)                       128 bits
//! ```
//!
//! Take SHA-256's compression function for a random oracle and AES for an ideal cipher. What `ms` gives is then, for each `ms` other than
//! the connection's, independent of the record, which the server made with its own: the key is a random 16 bytes, the key stream under
//! it random, `verify_data` random. So each `ms` that P tries explains record 0 with probability 2^-128 (plaintext alone; the tag makes it
//! 2^-256), and `q` tries find one with at most `q 2^-128`. GCM by itself commits to no key: it is that key and plaintext hang
//! together through `ms` that makes this true. With one `ms` there is one key block, so one plaintext for each record. The premaster
//! secret and the key exchange need no proof: V sees the exchange itself, and both Finished messages are of its hash.
//!
//! Records: a record's number is its place in V's record of its direction, and is part of what its tag covers; its nonce is
//! what it says. All tags of all records are checked, also of those of which nothing is shown, so nothing that was damaged or
//! put in on the way to V counts as said.
//!
//! # What V learns, and when
//!
//! From the hash keys and masks that P opens V could make records, and V is on the path: it could put a request of its own into a
//! connection that the server still serves, with P's cookies. So P opens nothing before the server has ended the connection *under its
//! keys*: with `close_notify`, or with a whole response that says `Connection: close`, after which a server must not take further
//! requests (RFC 9112, section 9.6). [`Fetched::disclose`] refuses otherwise. P's own closing means nothing here, since V could keep
//! it from the server.
//!
//! Midstates and `A(i)` of the key derivation are public as in [`prf`](crate::prf): outputs of a random oracle at points that hold 384
//! secret bits. V learns the lengths of everything, and when it was sent.
//!
//! # What the proof is about
//!
//! The [structure](crate::claim#why-classes) of what is shown is the structure of what was sent, because hidden strings are proved
//! to be of classes that cannot change it. V parses what it sees; it takes hidden parts by name, refuses a name that leads to other
//! bytes than those hidden, and so refuses hidden keys of JSON objects, hidden header names, lengths and delimiters.

mod check;
mod client;
mod derive;
mod disclosure;
mod error;
mod machine;
mod notary;
mod payload;
pub mod relay;
mod session;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use client::{Fetched, Target, fetch};
pub use disclosure::{Hidden, Hide, MAX_HIDDEN, Part, Shown};
pub use error::{Error, Refusal};
pub use notary::{Pending, Proven, receive};
pub use session::{MASTER_BYTES, Session};
