//! The TLS client that two parties run together, from the preparation to what V may believe.
//!
//! ```text
//! P: Prover                                                  V: Verifier                     TLS server
//!
//! ahead of the connection
//!   sizes                                     ----------->   within its limits? memory for the tables?
//!   labels and products (V's choices, P's offset) <------>
//!     with AES-GCM shares of powers of g, which will hide h
//!   garbled circuits, masks                   ----------->   keeps the tables
//!     beside them correlations for the proof (V's delta) <->
//!                                             <-----------   t_V G, on both curves
//! handshake (Engine; P has checked the server's certificates and signature)
//!   agree: point, E2F                         <---------->   shares s_P + s_V of the pre-master secret           <---->
//!   s_P committed, s_V by OT; inner midstate  <---------->
//!   master secret, key block: seed, randoms   ----------->   A(i) decoded; keys kept
//!   both parties' parts of g; shares of masks, of key stream <-->
//!   Finished: the handshake's hash            <---------->   its contents
//! each record: Finished, then the request
//!   text + P's share of key stream            ----------->   completes the ciphertext
//!     with the first record: is g right?      <-----------   the answer and h + g with labels' hash: shares of powers of h
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
//!   what V gets to see                        ----------->   ReceivedConnection: checks in the clear
//!   one proof of everything                   <---------->   Accepted
//!   commitments, if P makes any               <---------->   Proven; delta is open then, and the session over
//! ```
//!
//! The TLS state machine is unmodified rustls ([`client`]). It calls an [`Engine`], which [`Prover`]
//! implements. Each message of P's is one step that V expects, with its public values. There is one order,
//! and V refuses anything else. Everything that is computed under garbling was garbled ahead (see `machine`);
//! during the connection only inputs, openings and corrections are sent.
//!
//! # TLS 1.3
//!
//! The version is prepared ahead, because the key derivations are other circuits ([`Sizes::tls`]). In TLS 1.3
//! nearly all of the handshake is encrypted, under secrets that P may know at once:
//!
//! ```text
//! P                                                          V                       TLS server
//! ClientHello with the points of both curves                                                     ---->
//!                                                                                    ServerHello <----
//!   agree: point, E2F                         <---------->   shares of what the key exchange gives
//!   s_P committed, s_V by OT; inner midstates <---------->   of the handshake secret, of the master secret's salt
//!   both hellos' hash                         ----------->
//!   c_hs, s_hs: shared, and V's share to P    <-----------   its shares with labels' hash
//! P alone: opens the server's flight with s_hs; checks chain, name, signature and Finished; Finished under c_hs <---->
//!   the hash up to the server's Finished      ----------->   master secret, c_ap, its key and IV; kept
//!   shares of masks, of key stream            <---------->   (both parties' parts of g come with the secrets)
//! records of the request, the response, the end: as in TLS 1.2
//! ```
//!
//! `c_hs` and `s_hs` are the traffic secrets of the handshake, `c_ap` and `s_ap` those of data. A record's
//! plaintext ends with its type, and its nonce is its number plus the IV. `s_ap` is derived in two-party
//! computation only if something is read while the connection is open, and otherwise in the proof.
//!
//! *V learns `c_hs` and `s_hs` only in the end*, when P opens them and proves that they are the steps'
//! outputs. With `c_hs` a V on the path could answer a request for a certificate with one of its own. It
//! could also read which page's server P talks to (the certificate), which it is told later anyway.
//!
//! ## Why V may believe it (TLS 1.3)
//!
//! Before V opens anything, these are fixed: `s_P`, P's masks of `c_hs` and `s_hs`, labels and products, the
//! hashes that went into the derivation, and all bytes of both directions. V checks in the clear, before it
//! opens, that the hellos are those whose hash it used, with the server point that it used, and that the
//! client's last records are those that it completed. With the `c_hs` and `s_hs` that P then opens and
//! proves, V opens the handshake and checks both Finished messages, chain, signature, and that the hash up to
//! Finished is the one it used.
//!
//! P knows `s_hs` while the connection is open, so P can make *records* of the handshake that V opens without
//! complaint: EncryptedExtensions, a chain, a Finished. What it can't make is CertificateVerify. It signs the
//! hash of both hellos, EncryptedExtensions and Certificate: so what V reads in them is what the owner of the
//! certificate's key signed, for these randoms, the server's point `S` and the client's point `T`. Finished
//! and the client's Finished follow from them. Three questions are left.
//!
//! * *Is `T` the joint point?* V does not see P's `t_P`. If the server used another client point, the keys of
//!   its data are not those of `s_P + s_V`, unless P finds `s_V`. V demands a record of the server's under
//!   `s_ap` ([`Refusal::Unanswered`](crate::disclosure::Refusal::Unanswered)): a response, an alert or a
//!   session ticket. All these records are among the bytes that V holds before it opens, and each must have
//!   the right tag under the key that follows from `s_P + s_V`. Before the opening P does not know this key,
//!   its hash key `h` or a mask, so a record that the server did not make under this key has the right tag
//!   with probability `1027 / 2^128` (`read` has the argument for records that P shows V earlier). GCM does
//!   not commit to a key, but a ciphertext that is fixed before anybody knows the key fits it only by chance.
//!   Hence the server has the keys of `s_P + s_V`, so it multiplied `T = (t_P + t_V) G`, and the bytes are
//!   its own.
//!
//! *Finding `s_V` is work here, not one guess.* In TLS 1.2 a wrong sum shows in the client's Finished
//! message, and the server ends the connection. Here a P with a key of its own is punished by nobody. It
//! commits to any `s_P`, gets `c_hs`, `s_hs` and midstates, and can try candidates for `s_V` on them for as
//! long as V waits for its bytes. With the products that V and P prepared honestly that is the Diffie-Hellman
//! problem, as above. A P that prepared wrong products meets the entropy that the argument above leaves to
//! `s_V`, and that is an argument, not a proof: a hundred bits are then the work of a search.
//! * *Are the hashes those of the connection?* The derivation's labels are fixed by both parties' programs,
//!   and each label is used for one secret. P supplies hashes and nothing else, and V compares both with what
//!   it reads in the end. With another hash the keys are others than the server's, as before.
//! * *Did the server mean this client?* In TLS 1.3 a server sends data before it has read the client's
//!   Finished at its own risk. The client's Finished is checked all the same, and the requests are bytes that
//!   V completed.
//!
//! The client's own tags show nothing: V helped to make them. So do both Finished messages, whose keys P has.
//!
//! ## Why P is safe (TLS 1.3)
//!
//! P runs the key exchange before it knows who the server is, because the signature comes under a key that
//! follows from the exchange. A V on the path can put its own point in the place of the server's and then
//! knows what the exchange gives. It learns nothing with that: `t_P` serves one session, and all that P says
//! before it has verified chain, name, signature and Finished is ClientHello, which is in the clear anyway.
//! Whatever V makes wrong in its own part changes `s_hs`, and then the server's flight does not open. After
//! that the case is that of TLS 1.2: only the server can know the keys. Here P has even verified the server's
//! Finished before it sends anything under them. The client's Finished goes out under `c_hs`, which V does
//! not know.
//!
//! A server in TLS 1.3 ends its direction with an alert that nobody can read before the opening. So P waits
//! until the server closes the connection, and P sends no alert of its own: its record would have to be
//! prepared. For servers that wait for the client, P ends its direction of TCP ([`client`] says when, and
//! why that costs no security).
//!
//! # ChaCha20-Poly1305
//!
//! Everything is as with AES-GCM, except for the tags. There is no `h` that serves all records: each record
//! has a one-time key `(r, s)`. The parties multiply the wires of `r` into shares, and the wires of `s` go
//! into another circuit. `wire::poly1305` has the protocol and what its check proves, `tag` has the messages.
//!
//! ```text
//! P                                                          V
//! ahead of the connection
//!   products; P's factors, for each of the client's records ->   V's choices
//!   circuits of tags                          ----------->
//! for all of the client's records, once their keys are there
//!   r shared; its powers                      <---------->   a round trip; P's last message goes with the first text
//! each record
//!   text + P's share of key stream            ----------->   completes the ciphertext
//!   labels for both parties' shares           <---------->   its share of key stream with labels' hash
//!                                             <-----------   the check's answer and its share of the tag, with labels' hash
//! ```
//!
//! The powers of `r` come from products of shares, because a circuit would take 28,000 ANDs for each 16
//! bytes. So V could choose the polynomial, and with it the ciphertext of which P's tag is the right one. The
//! check is there for that: two equations of shares, which a circuit compares. What it quantifies over is all
//! of V's factors and its share of a masked sum of powers. V has sent all of them before it sees P's share of
//! that sum, and `r`, which V does not know, is the challenge. *Neither party uses its share of a tag before
//! it has the check's answer*, and P takes that answer from V with a hash of its label.
//!
//! What this module says of `h` and masks holds for `r` and `s`, and where it says `1027 / 2^128` the bound
//! is `8 q / 2^106` for a record of `q` blocks, header and lengths included: at most `2^-92`. In the end P
//! shows and proves the one-time key of each record of both directions. In TLS 1.2 V knows the key stream of
//! Finished, and sees its tag if it is on the path. Finished with other contents has another tag, by the same
//! bound.
//!
//! A response that is read takes the same protocol for each of the server's records. Their lengths are not
//! known ahead: circuits for some tags are spare, as blocks are, and one batch of products serves all. They
//! are made when the record has come, before V promises its share of the tag (`read`).
//!
//! # Several requests
//!
//! A connection may have several requests, whose sizes are prepared like that of one (the paper's section
//! 4.2). The shares of powers of the client's hash key serve all of them, and sequence numbers continue, so
//! no mask or key stream is used twice.
//!
//! V takes part in a further request only when it holds all responses before it, in ciphertext. When they are
//! open it finds out whether they were complete ([`disclosure`](crate::disclosure#several-requests) says what
//! V believes then).
//!
//! * **A request that is sent at once**, with the one before it, waits for no response. Its response is read
//!   in the end, like the last one's. Nothing then shows which request it answers: the connection is
//!   [pipelined](Sizes::pipelined), and an attestation says so.
//! * **A request that waits for a response** waits until P has read it. P shows V each of the server's
//!   records as it comes. Both parties share mask and key stream under the server's key and check the tag,
//!   and P gets V's share of the key stream; `read` has the protocol and its security argument. The server
//!   chooses the number and the nonces of these records. So blocks are prepared whose nonce and counter are
//!   filled in later (`Step::Block`), as many as [`RoundSizes::read`] says. Those that are left over are
//!   never evaluated and not proved. The head of a response says where it ends, so a response is read only if
//!   all before it were.
//!
//! The paper delays the check of tags to the end unless a request with side effects depends on a response.
//! Here tags are always checked before P learns the content of a record: whatever P sends next depends on it,
//! and somebody who changes records on the wire must not influence what P says.
//!
//! Reading costs 5,120 ANDs for each 16 bytes and for each record, 128 KB ahead; once 4,757 for the server's
//! hash key; and a product for every two of its powers, up to the length of the longest record, 2.1 KB.
//! During the connection it takes 1.4 KB for each 16 bytes, and two round trips for each record. With
//! ChaCha20-Poly1305 it costs 10,400 ANDs for each 64 bytes, 11,171 for each record that may come, and four
//! products for each 64 bytes, 8.8 KB; and four round trips for each record.
//!
//! # Who learns what, and when
//!
//! | | until the end | when V has opened | in the end |
//! |---|---|---|---|
//! | P | public values; its shares; its own key stream; responses that were prepared to be read; in TLS 1.3 `c_hs` and `s_hs` | everything | |
//! | V | public values; its shares; lengths; the records that P reads, in ciphertext | | what is shown; h and the masks that were used, or one-time keys, of both directions; in TLS 1.3 `c_hs`, `s_hs` and how long each record's content is without padding |
//!
//! Public values are the inner midstates of HMAC, the `A(i)`, and the contents of the client's Finished
//! message. (So V knows the key stream of that record; opening it as a public value would cost a round trip.)
//! Neither party can forge a record of data before the end, nor read one except those that P was prepared to
//! read. P can choose what it sends, as it should.
//!
//! # Why V may believe it
//!
//! Three things are fixed before V opens anything: P's `s_P`, committed before V decodes the first value; the
//! labels and products, and so V's own `s_V`; and the bytes of both directions. P then proves, in one proof,
//! that
//!
//! 1. every value that V decoded or got a share of is the steps' output on `s_P` and `s_V`, by
//!    [garble-then-prove](volery_garble::two_party): so master secret, keys and key stream are those of
//!    `s_P + s_V`;
//! 2. under these keys the [statement](crate::disclosure) about the connection holds: the server's Finished
//!    message, all tags, and what is shown.
//!
//! V checks in the clear that the transcript matches its own part: point, randoms, seed, hash, the
//! ciphertexts of the client's records as it completed them, and the server's records that P read.
//!
//! **The conversion of points is not proved**, and neither are the products: nothing shows that `s_P + s_V`
//! is the x-coordinate of anything. That is not necessary. The server that signed this handshake made its
//! Finished message under keys that come from the true pre-master secret, and no other master secret explains
//! that message (see [`disclosure`](crate::disclosure#why-there-is-one-master-secret-only)). So 2. implies
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
//! * *P uses a key other than `(t_P + t_V) G` with the server*, one that it alone knows. Then P has the
//!   server's keys, and the proof requires the `s_P + s_V` that gives them, which is the same guess. So V
//!   need not see `t_P`.
//! * *P gives V a different server point*, whose logarithm it knows. Then it knows the keys, but has no
//!   signature of the server's over that point. V compares the signed point with the one that it used.
//! * *P alters a record on its way to V*. Before the opening nobody knows `h` and the masks, so the tag for
//!   other bytes is a guess.
//! * *P has V compute key stream for records that it made up*. V continues only if P knows the tag, which
//!   before the opening is a guess.
//! * *P garbles another function*, one that reveals `s_V`. It can then make any records, but V has returned
//!   values that are not the steps', so 1. is false.
//! * *P garbles some gates wrongly, those of powers of `h` for one*. Then tags or keys are
//!   wrong and the server ends the connection, or V's label cannot be decoded. P learns only whether that
//!   happened: `c` bits of V's secrets that P guesses survive with probability `2^-c`, and V's secrets serve
//!   one session.
//!
//! # Why P is safe
//!
//! P checks everything that V returns against labels before it uses it: opened values, and V's share of each
//! record's key stream. So the server gets what P meant, and P reads what the server said. V can give a wrong
//! share of the tag of one of the client's records, which the server notices: V knows nothing of `h`, and by
//! the check in the circuit the powers are those of `h`, so V cannot make the tag that of other bytes (see
//! `wire::ghash`). V promises its share of the
//! tag of one of the server's records before it learns the right value. V's messages in the key exchange can
//! only make the handshake fail. Afterwards P checks `t_V` against `t_V G`, `s_P + s_V` against the
//! pre-master secret, V's garbled input against `s_V`, every returned value by recomputation, the server's
//! Finished and all tags. Only then does it say anything about the connection. Until then V sees only
//! ciphertexts. From an abort of P's, V learns only that something which V itself had spoilt did not fit.
//!
//! What V sees in the end, including the hash keys and masks, could be used to forge records in a connection
//! that is still open. So P tells nothing before the server has ended the connection under its keys
//! ([`disclosure`](crate::disclosure#what-v-learns-and-when)).
//!
//! # Why the request goes before the server's Finished is verified
//!
//! P sends its request as soon as a record has come that looks like the server's Finished message. Nobody can
//! verify it then, because neither party has the server's key. The paper leaves that to the end, too (its
//! footnote 4). Verifying it at once would take some 55,000 more ANDs for HMAC and AES, a power of the
//! server's hash key, and a round trip. What if V is on the path and has altered the handshake, or answers
//! for the server? (The following is the case that TLS knows as False Start, RFC 7918, with a V that also
//! holds half of the client's secrets.)
//!
//! *V learns nothing about the request.* Only what the server signed decides who can read it. P has verified
//! the chain, the name, and the signature over its own fresh random and the server's point `S` before
//! anything is computed (see `provider`), with signatures, curves and suites of a short list, in TLS 1.2,
//! never from a resumed session, so a downgrade is not possible. The pre-master secret is the x-coordinate of
//! `(t_P + t_V) S`. V fixed `t_V G` before it saw anything of `t_P`, and does not know the logarithm of `S`;
//! so only the server can know this secret. A V that departs from the exchange changes the secret, but does
//! not know the new one either: `s_P` contains `x_1` of the point `t_P S`, which V does not know, and by the
//! argument of the last section with the parties exchanged, nothing that V adds gives the sum fewer preimages
//! than the point has. From there on V evaluates what P garbled. It can choose its input, not the function,
//! and returns nothing that P does not check against labels. V sees the inner midstates and the `A(i)`, and
//! the contents of the client's Finished message for P's hash: outputs of the compression function at points
//! with 384 bits that it does not know. So for each record of the request V has the ciphertext, its own share
//! of the key stream, which is uniform, and the length.
//!
//! *The server acts on no request unless it saw P's handshake.* The client's Finished message comes first, as
//! record 0; a server verifies it before it reads on, and its contents bind everything that both said: names,
//! protocol (ALPN), identifiers, randoms, points. If V has altered any of it, the server's hash is another
//! one, and V would have to make the Finished message for that hash. It knows one value of the PRF, for P's
//! hash, which says nothing about others. It also knows the key stream of record 0, but no mask and not `h`,
//! so it can compute no tag for other contents. The server then ends the connection, and cannot be made to
//! read P's request under another name, protocol or service of the same certificate. V can hold records back
//! or let them pass, as anybody on the path can.
//!
//! *P never acts on an answer that is not the server's.* What P reads in between has a tag under the server's
//! keys, which the server uses only after that check (`read`). At the end P verifies the server's Finished
//! and every tag before it discloses anything. If they are wrong, V has opened its part in vain, and holds
//! ciphertexts under keys of which P never revealed its half.
//!
//! # Cost
//!
//! Garbling is nearly all of the cost, at 24.4 bytes for each AND by three halves or 32 by half gates. The
//! table shows the cost with [`settings`], for a request and a response of the given size, with nothing
//! hidden except a header; bytes of both directions, from the setup of V's delta on:
//!
//! | | 256 bytes | round trips | 2,048 bytes | round trips |
//! |---|---|---|---|---|
//! | ANDs garbled | 340,070 | | 816,742 | |
//! | ahead | 8,942,000 | 4 | 20,694,000 | 4 |
//! | in the connection, including V's opening | 358,000 | 14 | 367,000 | 14 |
//! | after it | 42,000 | 2 | 79,000 | 3 |
//!
//! In TLS 1.3, where P checks that the handshake can be proved before it says its request:
//!
//! | | 256 bytes | round trips | 2,048 bytes | round trips |
//! |---|---|---|---|---|
//! | ANDs garbled | 414,560 | | 891,232 | |
//! | ahead | 10,746,000 | 4 | 22,498,000 | 4 |
//! | in the connection, including V's opening | 267,000 | 10 | 276,000 | 10 |
//! | after it | 60,000 | 2 | 96,000 | 3 |
//!
//! With AES-256-GCM and SHA-384, whose compression takes two and a half times the ANDs of SHA-256's:
//!
//! | ANDs garbled | 256 bytes | 2,048 bytes |
//! |---|---|---|
//! | TLS 1.2 | 674,875 | 1,380,923 |
//! | TLS 1.3 | 956,014 | 1,662,062 |
//!
//! With ChaCha20-Poly1305, where each record takes 771 ANDs for its tag, 259 of them for the check of the
//! powers, and 2.2 KB of products for each 16 bytes:
//!
//! | | 256 bytes | 2,048 bytes | round trips in the connection |
//! |---|---|---|---|
//! | TLS 1.2: ANDs garbled | 351,432 | 629,780 | 17 |
//! | bytes ahead | 9,261,000 | 16,607,000 | |
//! | TLS 1.3: ANDs garbled | 386,657 | 665,005 | 12 |
//! | bytes ahead | 10,095,000 | 17,441,000 | |
//!
//! During the connection nearly all bytes, 287 KB, are labels of public bits. Each value of more than 128
//! bits takes 5 KB to decode. What decodes fewer was sent [ahead](volery_garble::two_party::Garbler::seal).

mod claimed;
pub mod client;
mod cost;
mod engine;
mod error;
mod fetched;
#[cfg(any(test, feature = "fuzzing"))]
#[cfg_attr(not(feature = "fuzzing"), allow(unreachable_pub, reason = "public for fuzz targets"))]
pub(crate) mod fuzz;
mod hash_key;
mod machine;
mod memory;
mod message;
mod preparation;
mod program;
mod prover;
mod provider;
mod read;
mod sizes;
mod tag;
#[cfg(test)]
mod testing;
#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;
mod used;
mod verifier;

pub use crate::memory::Budget;
pub use engine::{Content, Engine};
pub use error::Error;
pub use fetched::{Fetched, Remainder};
pub use preparation::Preparation;
pub use prover::Prover;
pub use sizes::{MAX_PROVED, MAX_QUERY, MAX_READ, RoundSizes, SUITES, Sizes, settings};
pub use verifier::{Limits, ReceivedConnection, Verifier};
pub use volery_garble::two_party::Settings;
