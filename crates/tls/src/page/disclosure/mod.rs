//! What P tells V about a connection that has ended, V's checks, and the proof.
//!
//! Both modes end here: the [proxy's](crate::proxy) and that of [two parties](crate::joint). V has the raw
//! bytes of both directions, and P all secrets.
//!
//! ```text
//! P                                                          V
//! opens, of both directions: contents of Finished, what      checks in the clear: certificates, signature, host, time,
//! each tag is made with, alerts; shows request               Finished messages, all tags, structure of request and response
//! and response but what is hidden              -------->
//! proves: the connection's keys give these bits and this
//! text, and the claims hold of what is hidden  <------->     believes
//! commits to parts of what is hidden           <------->     opens delta; signs the commitments, too
//! ```
//!
//! The last line is there only if P asks for it ([`Redaction::commit`]). It is the last operation of a
//! session: see [`commitment`](crate::commitment).
//!
//! | module | what it holds |
//! |---|---|
//! | `connection` | connections of TLS 1.2 and 1.3 in one form |
//! | `derive` | the program from the keys to the opened values and to key streams |
//! | `machine` | the machines for it: P computes, V reads, both prove |
//! | `redaction` | V's view of the payload, and the message that describes it |
//! | `payload` | the records' bytes that form request and response |
//! | `check` | V's check of Finished messages and tags |
//! | `order` | the check that each request came after the response to the one before |
//! | `statement` | the statement that is proved |
//! | `price` | the memory of its claims |
//! | `draft` | what V would sign of a payload, and what is wrong with P's choice, without a connection |
//! | `preflight` | what is wrong with P's choice before its requests are sent |
//! | `prover`, `verifier` | the parties' work before the proof |
//! | `proven` | what V may believe after it |
//!
//! The modes differ in where the program begins. In proxy mode P commits to a master secret, or in TLS 1.3 to
//! a handshake secret, and the whole key derivation is proved here. Two parties have already derived keys and
//! the client's records together, and prove that separately; the program then begins at those wires. In TLS
//! 1.3 the traffic secrets of the handshake are among them, and are opened here.
//!
//! # Why there is one master secret only (TLS 1.2)
//!
//! V's transcript is fixed before P says anything about keys. P proves that *some* master secret `ms`
//! explains it. Could a secret other than the connection's do so? The server's first encrypted record is its
//! Finished message. Under keys derived from `ms`, V checks that
//!
//! ```text
//! plaintext of record 0  =  14 00 00 0c | PRF(ms, "server finished", hash)[0..12]     16 bytes: 32 bits of header, 96 of verify_data
//! tag of record 0        =  GHASH(h, ...) + AES(key, nonce | 1)                       128 bits
//! ```
//!
//! Model the compression function of the suite's hash as a random oracle and AES as an ideal cipher. For each
//! `ms` other than the connection's, the values derived from `ms` are then independent of the record, which
//! the server made with its own secret: the key is random bytes, the key stream under it is random, and
//! `verify_data` is random. So each `ms` that P tries explains record 0 with probability 2^-128 (the
//! plaintext alone; with the tag it is 2^-256), and `q` attempts find one with probability at most `q
//! 2^-128`. GCM alone does not commit to a key; this holds because key and plaintext are both derived from
//! `ms`. With one `ms` there is one key block, and so one plaintext for each record. [Other
//! suites](#cipher-suites) change nothing in this.
//!
//! # Why there is one handshake secret only (TLS 1.3)
//!
//! P proves that *some* handshake secret `HS` explains V's transcript. The secret of the server's handshake
//! traffic is one value of it, which P opens:
//!
//! ```text
//! s_hs  =  HMAC(HS, "s hs traffic", hash of both hellos)        V opens the server's flight with s_hs, in the clear
//! c_hs  =  HMAC(HS, "c hs traffic", hash of both hellos)        and the client's Finished with c_hs
//! dHS, MS, c_ap, s_ap  and the keys of all records after that   are derived from HS, and never opened
//! ```
//!
//! *What pins `s_hs`.* The flight was made by the server, under its own secret, before P says anything about
//! keys: that is V's trust in its path. Under the key that follows from a value of P's choice, the flight
//! must be EncryptedExtensions, a chain, a CertificateVerify and a Finished, with tags that hold. In the
//! model above, each other value gives a random plaintext, and a random Finished of 256 bits to compare
//! with; so `q` attempts succeed with probability at most `q 2^-256`. Whoever had the path could make a
//! flight under another secret, with true messages of the server's. It could not change
//! EncryptedExtensions or a hello, which CertificateVerify signs; and the secret that it opens is not
//! derived from the `HS` with which the rest is proved.
//!
//! *What pins `HS`.* Two handshake secrets with one `s_hs` are a collision of the suite's hash, because keys
//! of HMAC that are shorter than a block are padded, not hashed. So `HS` is the connection's, and with it all
//! keys. GCM does not commit to its key: P can make a *client's* record that opens under two keys, so the
//! client's records pin nothing. They do not have to. They are opened under the one key that follows from
//! `HS`.
//!
//! *What shows that the server has this key, too.* In the handshake P and the server agree on `s_hs`, not on
//! what follows from the Finished. So the proof covers all of the server's records after it, and V refuses a
//! connection that has none ([`Refusal::Unanswered`]).
//!
//! # What a record holds (TLS 1.3)
//!
//! Type and length of a content are under the record's key: `content | type | zeros`. P opens the zeros and
//! the type, from the end of each record, and proves that they are that; so the length of the payload is
//! proved as well (`derive::tls13`). What is not application data is checked after that:
//!
//! - an alert of two bytes is opened, and is the last record of its direction;
//! - handshake messages must be whole in their record, so that the next record begins with a message or data
//!   and with nothing else, and their headers are opened. Only session tickets are accepted. A KeyUpdate
//!   would change keys, and a request for a certificate would be answered by showing P's name. Servers send
//!   tickets whatever a client offers. Their contents stay hidden, and nothing depends on them.
//!
//! `close_notify` is such an alert, so P must open it before V, or P itself, knows that the connection ended.
//!
//! # Records
//!
//! A record's number is its position in V's record of its direction, or in TLS 1.3 among the records under
//! its key, and its tag covers that number or depends on it. Its nonce is the one that it states, or follows
//! from the number. All tags of all records are checked, even of those of which nothing is
//! shown, so nothing that was damaged or inserted on the way to V counts as said.
//!
//! # Cipher suites
//!
//! V reads the suite from the server's hello, which the Finished messages cover, and accepts no suite that
//! the client did not offer. The attestation says which it was.
//!
//! *AES-256-GCM with SHA-384.* The arguments above have longer keys, secrets of 384 bits in TLS 1.3, and a
//! Finished message as long as those there. A chaining value of SHA-384 is 512 bits, and its digest 384 of
//! them; what V learns of the derivation are outputs of the same random oracle.
//!
//! *ChaCha20-Poly1305.* Model ChaCha20's block function as a random function for each key. The server's first
//! record of TLS 1.2, or its flight of TLS 1.3, then pins the secret as before: its plaintext is key stream
//! plus ciphertext, and no other secret gives a plaintext with the right Finished message but by chance. That
//! Poly1305 does not commit to a key matters as little as for GCM: P can make a *client's* record that opens
//! under two keys, and it is opened under the one key that follows from the secret.
//!
//! Each record has a one-time key of its own,
//!
//! ```text
//! (r, s)  =  the first 32 bytes of ChaCha20(key, 0, nonce)        nonce = write IV + number of the record, in both versions
//! tag     =  Poly1305_r(header, ciphertext) + s   mod 2^128
//! ```
//!
//! which P opens and proves, as it does GCM's `h` and masks, and V computes all tags in the clear. What V
//! learns are other blocks of key stream than those that hide contents. With `(r, s)` of a record V can make
//! another record of this number, and no further one.
//!
//! Somebody on the way who does not know the keys makes a false record of `L` bytes pass with probability `8
//! ceil(L / 16) / 2^106` at most (Bernstein, "The Poly1305-AES message-authentication code", theorem 3.3),
//! where `L` counts the padded header and the lengths, too: `2^-92.9` for the longest one. As `(r, s)` are
//! fresh for each record, the bounds of a connection's records add up: all `2^14` records that V takes of
//! both directions together are below `2^-78`. (GCM's `h` serves all records of a direction: `1027 / 2^128`
//! for each of them, `2^-103` for as many.)
//!
//! # What V learns, and when
//!
//! With the values of tags that P opens, V could make records, and V may be on the path. It could insert
//! a request of its own, with P's cookies, into a connection that the server still serves. So P opens nothing
//! before the server has ended the connection *under its keys*: with `close_notify`, or with a whole response
//! after which a server must not take further requests. Such a response says `Connection: close` (RFC 9112,
//! section 9.6), or it is of HTTP/1.0 and does not say `keep-alive`, which means the same (section 9.3).
//! Otherwise P refuses ([`Error::StillOpen`]). That P itself closes the connection proves nothing, because V
//! could keep this from the server. That the connection of TCP ends proves nothing either: V could have ended
//! it.
//!
//! *What the server does after such a response does not matter.* Many application servers close their socket
//! without `close_notify`. A response that says its length, or comes in chunks, is whole by itself. A body up
//! to the connection's end is whole only with `close_notify`; otherwise somebody may have cut it off.
//!
//! *Servers that say nothing.* Some (Java's `HttpsServer`; Python's `http.server`, if it speaks HTTP/1.1) end
//! a connection because the request asked for it, and say nothing about that. Section 9.6 demands of a server
//! that has got `Connection: close` that it takes no further requests. It has got it, because its response
//! answers that request. But nothing that it said shows that it keeps this rule. So P decides whether it
//! relies on it ([`trust_close`](crate::proxy::Fetched::trust_close)), and a response that says `keep-alive`
//! is refused even then. Only P can lose by this decision: V does not depend on it.
//!
//! In TLS 1.3, `close_notify` ends the sender's direction only (RFC 8446, section 6.1): such a server may
//! still read. But there a nonce is the number of its record, and P opens masks of the numbers that it used,
//! and no others. So V can't add a record. It can put one in the place of a record of P's that it has kept
//! from the server, and of all after that. The server has answered every request, so these are the alert, in
//! whose place V can say two bytes, and what of the last request the server did not need for its answer. In
//! TLS 1.2 a sender chooses its nonces, so V could use a known one again under any number, and it matters
//! that the server reads nothing more.
//!
//! As in `prf`, midstates and `A(i)` of the key derivation are public: outputs of a random oracle at points
//! with 384 secret bits, or 256 in TLS 1.3. The secrets of TLS 1.3's handshake, which V gets, too, open
//! nothing but the handshake. V learns the lengths of everything, and when it was sent.
//!
//! # What the proof is about
//!
//! The [structure](crate::claim#why-classes) of what is shown is the structure of what was sent, because
//! hidden strings are proved to be in classes that cannot change it. V parses what it sees. It finds hidden
//! parts by name, and refuses a name that leads to bytes other than the hidden ones. So it refuses hidden
//! keys of JSON objects, hidden header names, lengths and delimiters.
//!
//! The path tells readers *which document* is meant, and P's own choice of parts leaves it shown. Path and
//! query are separate parts, and a hidden one is proved not to contain the other's delimiter. Of a request's
//! header fields only those on a list can be hidden (`redaction::fields`), because some server may take path,
//! host or method from any other.
//!
//! **Several messages.** Everything that the client said on the connection is its requests, and everything
//! that the server said is their responses, in the same order and the same number. A part is named with the
//! number of its message.
//!
//! # Several requests
//!
//! That the second response answers the second request follows from three things: the order in which they
//! went over the connection, a server that splits the bytes where V does, and a server that says no more than
//! its heads announce. P makes the requests, so it could look for a server that behaves differently. V knows
//! the order (the module `order` has the attack, the argument and its limits), and demands that each request
//! came after the whole response to the one before and before any of its own. Messages that servers are known
//! to split in different ways are refused (`http::rules`): overridden methods and, before the last round,
//! bodies of requests and responses without a length of their own. Even so, the first round is the most
//! reliable.

mod check;
mod connection;
mod derive;
mod draft;
mod error;
mod machine;
mod order;
mod payload;
mod preflight;
mod price;
mod proven;
mod prover;
mod redaction;
mod statement;
#[cfg(test)]
mod tests;
mod verifier;
pub mod words;

pub use crate::wire::suite::Suite;
pub use crate::wire::transcript::Error as TranscriptError;
pub use crate::wire::version::TlsVersion;
pub use draft::{Draft, DraftCost};
pub(crate) use error::claim_reason;
pub use error::{Error, Refusal};
pub use preflight::Preflight;
pub use proven::{Accepted, Proven};
pub use redaction::{
    Hidden, Listed, MAX_HIDDEN_BYTES, MessagePart, Part, PartError, PartKind, RedactedPayload, Redaction,
    Rest, Selection, Values, Visibility, visibility,
};
pub use verifier::Pending;

pub(crate) use connection::{Connection, OpenConnection};
pub(crate) use derive::{
    Keys, Root, TrafficKeys, finished_message, server_commitments, server_commitments_tls13,
};
pub(crate) use order::{OrderEvidence, RelayMark};
pub(crate) use prover::EndedConnection;
pub(crate) use redaction::{
    Found, Reading, Server, bytes_of, message_name, put_all_hidden, read_all_hidden, spell, view,
};
pub(crate) use statement::ConnectionStatement;
pub(crate) use verifier::{Observed, OwnPart, Terms, receive};

/// For fuzzing: reads any bytes as P's message to V.
#[cfg(feature = "fuzzing")]
pub(crate) fn fuzz_message(bytes: &[u8]) {
    redaction::DisclosureMessage::fuzz(bytes);
}
