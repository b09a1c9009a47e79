//! The TLS client that two parties are together, whole: from the preparation to what V believes.
//!
//! ```text
//! P: Prover                                                  V: Verifier                     TLS server
//!
//! ahead of the connection
//!   sizes                                     ----------->   within its limits? memory for the tables?
//!   labels and products (V's choices, P's offset) <------>
//!   garbled circuits, masks                   ----------->   keeps the tables
//!     beside them correlations for the proof (V's delta) <->
//!                                             <-----------   t_V G, on both curves
//! handshake (Engine; P has checked the server's certificates and signature)
//!   agree: point, E2F                         <---------->   shares s_P + s_V of the pre-master secret           <---->
//!   s_P committed, s_V by OT; inner midstate  <---------->
//!   master secret, key block: seed, randoms   ----------->   A(i) decoded; keys kept
//!   Finished: the handshake's hash            <---------->   its contents
//!   shares of h, of masks, of key stream; powers of h <-->
//! each record: Finished, then the request
//!   text + P's share of key stream            ----------->   completes the ciphertext
//!                                             <-----------   its share of key stream with labels' hash, and of the tag   ---->
//! before a further request that waits for a response: each record of it (see `read`)
//!   nonce, ciphertext, tag                    ----------->
//!   the tag is checked by both, then          <---------->   its share of key stream with labels' hash
//! response
//!   raw records, and closes                                                                                      <----
//! the end
//!   all bytes of both directions, the host    ----------->   holds them; nothing of V's is open until then
//!   checks t_V G, s_P + s_V, every value      <-----------   t_V, s_V, labels' hash
//!   Fetched: reads the response
//!   what V gets to see                        ----------->   Held: checks in the clear
//!   one proof of everything                   <---------->   Accepted
//!   commitments, if P makes any               <---------->   Proven; delta is open then, and the session over
//! ```
//!
//! The TLS state machine is stock rustls ([`client`]), which asks an [`Engine`], which [`Prover`] is. Every
//! message of P's is one step that V expects, with its public values; there is one order, and V refuses
//! anything else. What is computed under garbling was all garbled ahead (see `machine`): in the connection
//! only inputs, openings and corrections move.
//!
//! # Several requests
//!
//! A connection may have several, whose sizes are prepared like that of one (the paper's section 4.2). The
//! powers of the client's hash key serve all of them, and sequence numbers go on, so no mask or key stream
//! serves twice.
//!
//! V takes part in a further request only when it holds all of the responses before it, in ciphertext; when
//! they are open it finds out whether it did ([`disclosure`](crate::disclosure#several-requests) says what it
//! believes then).
//!
//! * **A request that is sent at once**, with the one before it, waits for no response. Its response is read
//!   in the end, like the last one's. Nothing then says what it is an answer to: the connection is
//!   [pipelined](Sizes::pipelined), and an attestation says so.
//! * **A request that waits for a response** waits until P has read it. P shows V each record of the server's
//!   as it comes, both share mask and key stream under the server's key, check the tag, and P gets V's share
//!   of the key stream: `read` has the protocol and why it is safe. Nonces and number of these records are
//!   the server's choice, so blocks are prepared of which nonce and counter come in later (`Step::Block`), as
//!   many as [`Round::read`] says; those that are left over were never evaluated and are not proved. Where a
//!   response ends is what its head says, so it is read only if all before it were.
//!
//! The paper delays the check of tags to the end unless a request that writes depends on a response. Here
//! tags are always checked before P hears what a record says: whatever P sends next depends on it, and who
//! changes records on the wire should not choose what P says.
//!
//! Reading costs 5,120 ANDs for 16 bytes and for each record, and 2,187 for two powers of the server's hash
//! key, as many as its longest record takes: 128 KB and 55 KB ahead. In the connection it takes 1.4 KB for 16
//! bytes, and two round trips a record.
//!
//! # Who learns what, and when
//!
//! | | until the end | when V has opened | in the end |
//! |---|---|---|---|
//! | P | public values; its shares; its own key stream; responses that were prepared to be read | everything | |
//! | V | public values; its shares; lengths; the records that P reads, in ciphertext | | what is shown; h and the masks that were used, of both directions |
//!
//! Public values are the inner midstates of HMAC, the `A(i)`, and the contents of the client's Finished
//! message. (So V knows the key stream of that record. Opening it as a public value would cost a round trip.)
//! Neither party can forge a record before the end, nor read one but for those that P was prepared to; P can
//! choose what it sends, as it should.
//!
//! # Why V may believe it
//!
//! Three things are fixed before V opens anything: P's `s_P`, committed when V decodes the first value; the
//! labels and products, so V's own `s_V`; and the bytes of both directions. P then proves, in one proof, that
//!
//! 1. every value that V decoded or got a share of is the steps' output on `s_P` and `s_V`, by
//!    [garble-then-prove](volery_garble::two_party): so master secret, keys and key stream are those of
//!    `s_P + s_V`;
//! 2. under these keys the [account](crate::disclosure) of the connection holds: the server's Finished
//!    message, all tags, and what is shown.
//!
//! V checks in the clear that the transcript is what it took part in: point, randoms, seed, hash, the
//! ciphertexts of the client's records as it completed them, and the server's records that P read.
//!
//! **The conversion of points is not proved**, nor are the products: nothing says that `s_P + s_V` is the
//! x-coordinate of anything. It need not be. The server's Finished message was made by a server that signed
//! this handshake, under keys that come from the true pre-master secret; it explains itself under no other
//! master secret (see [`disclosure`](crate::disclosure#why-there-is-one-master-secret-only)). So 2. implies
//! that the master secret of 1. is the server's, which P could not know, nor choose `s_P` for, while the
//! server still listened:
//!
//! * *P commits to another `s_P`*: then the keys are other keys, unless `s_P` is right for the `s_V` that V
//!   has. By then `s_V` is a value of `f (lambda_V^2 + 2 gamma_V) - x_2` at V's secret point
//!   `t_V S = (x_2, y_2)`. Whatever P sends in the exchange makes `lambda_V` and `gamma_V` rational functions
//!   of that point, of small degree, and `x_2` plus a constant is not a square among the functions on the
//!   curve: its zeros are two points `+-Q`, once each, or a point of order two, twice; a root would have that
//!   point as its only zero and infinity as its only pole, which no function on the curve has. So no choice
//!   of P's makes `s_V` a constant, and each value has few preimages: finding `s_V` is finding the point, the
//!   Diffie-Hellman problem; also for a P that tries candidates on the inner midstate, which it sees after it
//!   has committed. A P that prepared wrong products adds to them values of its choice for bits of V's
//!   uniform masks; these would have to cancel products of such bits, and the whole of `x_2`: we see no way
//!   to leave `s_V` less than a hundred bits of entropy, but for this case it is an argument and no proof.
//!   (`S` is in a group of prime order, on either curve, or it is refused: it has no part in a small
//!   subgroup.)
//! * *P speaks to the server with another key than `(t_P + t_V) G`*, one that it knows alone: the server's
//!   keys are then P's, and the proof asks for `s_P + s_V` that gives them; the same guess. That is why V
//!   need not see `t_P`.
//! * *P names V another server point*, whose logarithm it knows: it then knows the keys, and holds no
//!   signature of the server's over that point. V compares the signed point with the one that it used.
//! * *P alters a record on its way to V*: before the opening nobody knows `h` and the masks, so a tag of
//!   other bytes is a guess.
//! * *P has V compute key stream for records that it made up*: V goes on only if P knows the tag, which
//!   before the opening is a guess.
//! * *P garbles another function*, one that says `s_V`: it can then make records as it likes, and V has
//!   returned values that are not the steps', so 1. is false.
//! * *P errs in products of powers of `h`, or garbles something wrong here and there*: tags or keys are wrong
//!   and the server ends the connection, or V's label decodes to nothing. What P learns is whether that
//!   happened: `c` bits of V's secrets that P guesses survive with probability `2^-c`, and V's secrets serve
//!   one session.
//!
//! # Why P is safe
//!
//! V returns nothing that P does not check against labels before it uses it: opened values, and its share of
//! each record's key stream, so what goes to the server is what P meant, and what P reads is what the server
//! said. V's share of a tag of the client's can only be wrong, which the server notices; that of one of the
//! server's is promised before V hears what it should be. V's messages in the key exchange can only make the
//! handshake fail. Afterwards P checks `t_V` against `t_V G`, `s_P + s_V` against the pre-master secret, V's
//! garbled input against `s_V`, every returned value by recomputation, the server's Finished and all tags;
//! only then does it say anything about the connection. What V sees before are ciphertexts. V learns from P's
//! abort that something did not fit, which V itself had spoilt.
//!
//! What V sees in the end, the hash keys and masks among it, could serve for records in a connection that
//! still lives, so P tells nothing before the server ended it under its keys
//! ([`disclosure`](crate::disclosure#what-v-learns-and-when)).
//!
//! # Why the request goes before the server's Finished is verified
//!
//! P sends its request when a record has come that looks like the server's Finished message. Nobody can
//! verify it then: neither party has the server's key. The paper leaves that to the end, too (its footnote
//! 4); verifying it at once would take some 55,000 ANDs more, for HMAC and AES, a power of the server's hash
//! key, and a round trip. What if V is on the path and has altered the handshake, or answers for the server?
//! (What follows is the case that TLS knows as False Start, RFC 7918, with a V that also holds half of the
//! client's secrets.)
//!
//! *V learns nothing of the request.* Nothing but what the server signed decides who can read it. P has
//! verified the chain, the name, and the signature over its own fresh random and the server's point `S`
//! before anything is computed (see `provider`), with signatures, curves and suites of a short list, in TLS
//! 1.2, never from a resumed session: there is nothing weaker to be talked into. The pre-master secret is the
//! x-coordinate of `(t_P + t_V) S`. V fixed `t_V G` before it saw anything of `t_P`, and does not know the
//! logarithm of `S`; so the server alone could know this secret. A V that departs from the exchange makes it
//! another one, that is no more known to V: `s_P` holds `x_1`, of the point `t_P S` that V does not know, and
//! by the argument of the last section, with the parties' places changed, nothing that V adds makes their sum
//! a value with fewer than the point's preimages. From there on V evaluates what P garbled. It can choose its
//! input, not the function, and returns nothing that P does not check against labels. V sees the inner
//! midstates and the `A(i)`, and the contents of the client's Finished message for P's hash: outputs of the
//! compression function at points with 384 bits that it does not know. So of each record of the request V has
//! the ciphertext, its own share of the key stream, which is uniform, and the length.
//!
//! *The server acts on no request unless it saw P's handshake.* The client's Finished message comes first, as
//! record 0; a server verifies it before it reads on, and its contents bind all that both said: names,
//! protocol (ALPN), identifiers, randoms, points. If V has altered any of it, the server's hash is another
//! one, and V would have to make the Finished message for that hash. It knows one value of the PRF, for P's
//! hash, which says nothing of others; and the key stream of record 0, but no mask and no `h`, so no other
//! contents have a tag that V can compute. The server ends the connection there, and cannot be made the
//! reader of P's request under another name, protocol or service of the same certificate. V can hold records
//! back or let them pass, as anybody on the path can.
//!
//! *P says nothing on the strength of an answer that is not the server's.* What P reads in between has a tag
//! under the server's keys, which the server uses only after that check (`read`). At the end P verifies the
//! server's Finished and every tag before it discloses anything; if they are wrong, V has opened its part for
//! nothing, and holds ciphertexts under keys of which P's half was never said.
//!
//! # Cost
//!
//! Garbling is nearly all of it, at 25 bytes an AND by three halves, 32 by half-gates. With [`settings`], for
//! a request of so many bytes and as large a response, nothing hidden but a header; bytes of both directions,
//! from the set-up of V's delta on:
//!
//! | | 256 bytes | round trips | 2,048 bytes | round trips |
//! |---|---|---|---|---|
//! | ANDs garbled | 335,313 | | 811,985 | |
//! | ahead | 9,093,000 | 4 | 22,354,000 | 7 |
//! | in the connection, V's opening included | 300,000 | 15 | 311,000 | 16 |
//! | after it | 59,000 | 2 | 186,000 | 4 |
//!
//! In the connection labels of public bits, 287 KB, are nearly all: outputs take keys of 16 bytes, since what
//! decodes them was [sent ahead](volery_garble::two_party::Garbler::seal).

mod claimed;
pub mod client;
mod engine;
mod error;
mod fetched;
#[cfg(any(test, feature = "fuzzing"))]
#[cfg_attr(not(feature = "fuzzing"), allow(unreachable_pub, reason = "public for fuzz targets"))]
pub(crate) mod fuzz;
mod machine;
mod memory;
mod message;
mod program;
mod prover;
mod provider;
mod read;
#[cfg(test)]
mod testing;
#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even where it flips one bit.
#[allow(clippy::ptr_arg)]
mod tests;
mod verifier;

pub use crate::memory::Pool;
pub use engine::Engine;
pub use error::Error;
pub use fetched::{Fetched, Left};
pub use program::{MAX_PROVED, MAX_QUERY, MAX_READ, Round, Sizes, settings};
pub use prover::Prover;
pub use verifier::{Held, Limits, Verifier};
pub use volery_garble::two_party::Settings;
