//! What P tells V about a connection that has ended, what V checks of it, and what is proved.
//!
//! Both modes end here: the [proxy's](crate::proxy) and that of [two parties](crate::joint). V has the raw
//! bytes of both directions, P all secrets.
//!
//! ```text
//! P                                                          V
//! opens, of both directions: contents of Finished, GCM's     checks in the clear: certificates, signature, host, time,
//! hash key, the mask of each tag, alerts; shows request      Finished messages, all tags, structure of request and response
//! and response but what is hidden              -------->
//! proves: the connection's keys give these bits and this
//! text, and the claims hold of what is hidden  <------->     believes
//! commits to parts of what is hidden           <------->     opens delta; signs the commitments, too
//! ```
//!
//! The last line is there only if P asks for it ([`Hide::commit`]). It is the last thing that a session does:
//! see [`commitment`](crate::commitment).
//!
//! | module | what it holds |
//! |---|---|
//! | `derive` | the program: from the keys to all that is opened, and to key streams |
//! | `machine` | the three machines that it runs on: P computes, V reads, both prove |
//! | `shown` | what V sees in place of what is hidden, and the message that says it |
//! | `payload` | which bytes of which records request and response are |
//! | `check` | V's check of Finished messages and tags |
//! | `order` | that each request came after the response to the one before |
//! | `account` | the statement that is proved |
//! | `price` | the memory that its claims take |
//! | `prover`, `verifier` | what the parties do before the proof |
//! | `proven` | what V believes after it |
//!
//! The modes differ in where the program begins. In proxy mode P commits to a master secret and the whole key
//! derivation is proved here. Two parties have derived keys and the client's records together, and prove that
//! by themselves; the program then begins at those wires.
//!
//! # Why there is one master secret only
//!
//! V's transcript is fixed before P says anything of keys. P proves that *some* master secret `ms` explains
//! it. Could another one than the connection's? The server's first encrypted record is its Finished message,
//! and V checks of it, under keys derived from `ms`:
//!
//! ```text
//! plaintext of record 0  =  14 00 00 0c | PRF(ms, "server finished", hash)[0..12]     16 bytes: 32 bits of header, 96 of verify_data
//! tag of record 0        =  GHASH(h, ...) + AES(key, nonce | 1)                       128 bits
//! ```
//!
//! Take SHA-256's compression function for a random oracle and AES for an ideal cipher. What `ms` gives is
//! then, for each `ms` other than the connection's, independent of the record, which the server made with its
//! own: the key is a random 16 bytes, the key stream under it random, `verify_data` random. So each `ms` that
//! P tries explains record 0 with probability 2^-128 (plaintext alone; the tag makes it 2^-256), and `q`
//! tries find one with at most `q 2^-128`. GCM by itself commits to no key: it is that key and plaintext hang
//! together through `ms` that makes this true. With one `ms` there is one key block, so one plaintext for
//! each record.
//!
//! Records: a record's number is its place in V's record of its direction, and is part of what its tag
//! covers; its nonce is what it says. All tags of all records are checked, also of those of which nothing is
//! shown, so nothing that was damaged or put in on the way to V counts as said.
//!
//! # What V learns, and when
//!
//! From the hash keys and masks that P opens V could make records, and V may be on the path: it could put a
//! request of its own into a connection that the server still serves, with P's cookies. So P opens nothing
//! before the server has ended the connection *under its keys*: with `close_notify`, or with a whole response
//! that says `Connection: close`, after which a server must not take further requests (RFC 9112, section
//! 9.6). P refuses otherwise ([`Error::StillOpen`]). P's own closing means nothing here, since V could keep
//! it from the server.
//!
//! Midstates and `A(i)` of the key derivation are public as in `prf`: outputs of a random oracle at points
//! that hold 384 secret bits. V learns the lengths of everything, and when it was sent.
//!
//! # What the proof is about
//!
//! The [structure](crate::claim#why-classes) of what is shown is the structure of what was sent, because
//! hidden strings are proved to be of classes that cannot change it. V parses what it sees; it takes hidden
//! parts by name, refuses a name that leads to other bytes than those hidden, and so refuses hidden keys of
//! JSON objects, hidden header names, lengths and delimiters.
//!
//! *Which document* is meant, readers see from the path, which P's own choice of parts leaves shown; path and
//! query are parts of their own, and a hidden one is proved to have no delimiter of the other's. Of a
//! request's header fields only a list of names can be hidden (`shown::fields`), because some server may take
//! path, host or method from any other.
//!
//! **Several messages.** Everything that the client said on the connection is its requests, and everything
//! that the server said their responses, in the same order and as many; a part is named with the number of
//! its message.
//!
//! # Several requests
//!
//! That the second response is to the second request rests on the order in which they went over the
//! connection, on the server taking the bytes apart where V does, and on a server that says no more than its
//! heads announce. P makes the requests, so it looks for a server that does not. V knows the order (the
//! module `order` has the attack, the argument and what it leaves open) and demands that each request came
//! after the whole response to the one before and before any of its own. What servers are known to take apart
//! in different ways is refused (`http::rules`): methods that are overridden, and before the last round
//! bodies of requests, and responses without a length of their own. Even so the first round is the one to
//! rely on.

mod account;
mod check;
mod derive;
mod error;
mod machine;
mod order;
mod payload;
mod price;
mod proven;
mod prover;
mod shown;
#[cfg(test)]
mod tests;
mod verifier;

pub use crate::wire::transcript::Error as TranscriptError;
pub use error::{Error, Refusal};
pub use proven::{Accepted, Proven};
pub use shown::{Fate, Hidden, Hide, MAX_HIDDEN, Part, Rest, Reveal, Shown, Wish, fate};
pub use verifier::Pending;

pub(crate) use account::{Account, DERIVATION};
pub(crate) use derive::{Keys, Root, finished_message};
pub(crate) use order::{Seen, Written};
pub(crate) use prover::Ended;
pub(crate) use shown::{Server, message_name, put_all_hidden, read_all_hidden};
pub(crate) use verifier::{Observed, receive};

/// For fuzzing: any bytes as what P tells V.
#[cfg(feature = "fuzzing")]
pub(crate) fn fuzz_message(bytes: &[u8]) {
    shown::Message::fuzz(bytes);
}
