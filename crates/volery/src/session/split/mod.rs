//! One statement, split over many pairs of machines.
//!
//! A statement comes in **shards**: programs that each hand out *boundary wires* ([`Shard`]), and a
//! [`Layout`] that says which boundary wires of different shards are equal. Each party has a *coordinator*
//! and, for each shard, a *worker*. Nothing goes between the parties but the coordinators' session and one
//! connection for each pair of workers.
//!
//! ```text
//! P's coordinator                                V's coordinator
//! a session: set-up             <---------->     a session: set-up under delta
//! Begin(layout)                 <---------->     Begin(layout)
//! Deal                          <-----------     the shards of this wave, and a seed
//! correlations of lots          <---------->     correlations of lots
//!      | lot                                          | lot, delta
//!      v                                              v
//!      | <------------------------ Meet ------------- | where it is reached
//!   P's workers: Hello, Begin(shard), proof, verdict  V's workers
//!      | tags of boundary wires                       | keys of boundary wires
//!      v                                              v
//! Status: what ended, what is lost <-------->    Status                       lost ones: another wave
//! Join: a hash of differences of tags ------>    compares it with that of its keys
//!                               <-----------     verdict
//! ```
//!
//! # Why it is sound
//!
//! **One delta.** The lots are consecutive parts of what the coordinators' session makes: P's part of a lot
//! is `(x, m)`, V's is `k`, and `k = m + x delta` for the one delta of that session, whose checks have shown
//! it. A worker's wires are made from its lot: by masks, or by LPN rounds, whose check shows P that their
//! outputs keep the relation with *the lot's* delta. So every wire of every shard is authenticated under one
//! delta, which V's workers know because V's coordinator tells them.
//!
//! **V cannot use another delta in a worker.** For P, delta is whatever relates its `(x, m)` to V's `k`. P's
//! messages do not depend on what a worker of V believes to be delta. To make a round whose outputs relate by
//! another delta', V needs `k + x (delta' - delta)` for the lot's `x`, which it does not know: with trees
//! under delta' the round's check fails unless V guesses where P's noise is, as in every session, and P's
//! worker ends the session before a wire is made from that round.
//!
//! **A boundary.** If `[a]` and `[b]` have equal values, then `m_a - m_b = k_a - k_b`. If they have not, the
//! two sides differ by `(a - b) delta`, and P would have to guess delta to send the right hash. The hash is
//! over the session's identifier, all shards with their attempts, identifiers and digests, and all
//! differences in the layout's order. V compares it only when *all* of its workers have accepted and nothing
//! is pending, and accepts all shards or none. A shard left out, proved twice, or proved in another session
//! has no place in V's list; one that V's worker proved as another statement has another digest.
//!
//! **Nothing is reused.** A worker's session identifier is a hash of the coordinators' session, the shard,
//! the attempt and both workers' hellos. So no message of one worker fits another. A lot is dealt once. The
//! lot of a worker that is lost is never used again; its shard gets a fresh one, under the next attempt.
//!
//! **Retries.** Only a lost connection is tried again; whatever a check finds ends the session for all
//! shards, and every shard's correlations with it. A cheating P may drop a connection when it does not like a
//! challenge, and so gets one more try for each retry: let a *false attempt* be one of whose tests one is
//! wrong (see [`volery_zk::quicksilver::soundness`]). P is accepted only if some false attempt passes all its
//! tests, which happens with the probability `e` of one proof, and each false attempt that does not has to be
//! dropped. So with at most `R` retries in the session the error is at most `(R + 1) e`: `log2(R + 1)` bits
//! are lost, which [`Outcome::soundness_bits`] and [`estimate()`] count. `R` is bounded
//! ([`Dealt::MOST_RETRIES`]).
//!
//! *Over all shards at once*: many attempts may be false and run at the same time, more than `R + 1`. Put
//! them in the order in which V draws the seed that shows each to be false. At most `R` may end otherwise
//! than passed, so one of the first `R + 1` has to pass, and each of them does with probability `e` at most.
//! That holds however they end: V's worker may be gone after its verdict (then a check that failed is tried
//! again, and nobody can know), or P may call a shard lost that V has accepted. P learns nothing about delta
//! from an attempt that is dropped before the verdict, and from one that V refuses only which `D` values it
//! is not. The same holds for V, whose guess of P's noise a lost worker of P's may have found: it gets
//! `R + 1` of them, each about noise that is used for nothing else.
//!
//! **Hashed challenges** ([`Options::fiat_shamir`](crate::Options)). Workers prove as the parties of any
//! session do, and their generators are linked. Each challenge is a hash of the worker's session (so of the
//! coordinators' session, the shard, the attempt, and a nonce of V's worker), the shard's digest, all that
//! P's worker has sent, and the chain of what was taken (see [`volery_vole::correlations`]).
//!
//! *What is fixed before.* P may choose the values of a lot as it may those of any correlations. But V's
//! keys follow from what P has sent to V's coordinator, and V's worker has its keys before it says anything.
//! So the values of a lot are fixed before V's nonce and V's bytes of the chain are drawn, and those of a
//! round over it before the bytes for that round. What a P computes before is useless, apart from a guess of
//! 256 bits.
//!
//! *What P can try.* Hashes, in place of connections: it need not send what has not come out well. A hash is
//! over one worker's session, so it tries one test of one attempt, and it is lucky with probability `h` at
//! most, whichever that is. `q` hashes in all, over all shards and attempts, have a lucky one with
//! probability `q h` at most. If none is, then the seeds of each attempt that is sent are as good as V's
//! choice: those that P has computed hide nothing, and for others the argument for V's seeds holds. Then a
//! false attempt passes with probability `e` at most, and what was said of retries holds, with the order in
//! which V has read all that makes each attempt false. So the error is at most `(R + 1) e + q h`. The bits
//! that are told, against each hash, are those of the worst shard, which count `e` and one `h`, less
//! `log2(R + 1)`: no more than this. The join is one guess more, as before: V tells P nothing that a hash of
//! P's could be compared with, so there it has nothing to try.
//!
//! *Which fields.* Those of any session with hashes: over others `q h` is too much, and they are refused.
//!
//! *The join* also has the digest of all that each of P's workers sent, as its V's worker saw it, and the
//! chain of the dealt correlations. So P's coordinator and V's mean the same transcripts. Nothing above rests
//! on that: V's worker has made its challenges from what it received.
//!
//! **A lost worker over a field may end the session.** V's answer in a round over a field tells a cheating P
//! delta, and only P's opening shows that it has not cheated. All workers share delta. So if V's worker is
//! lost between the two, or if V's coordinator cannot know (because the worker's process is gone), the
//! session ends and delta with it. Over bits V answers with a hash that leaves 2^127 possibilities, and the
//! session goes on.
//!
//! # What V learns
//!
//! The layout, the order and time in which shards end, and which shard's witness fails if one does. If
//! boundary wires of P's differ that should be equal, then the hash of P's differences lets V, who knows the
//! keys and delta, test guesses of *which* differ. So P checks the whole statement before ([`check`]). If
//! they do not differ, V knows what P hashes before it comes: there is nothing to find out, whatever V dealt.

#[cfg(feature = "tls")]
mod codec;
mod coordinate;
mod deal;
mod dealt;
mod estimate;
mod layout;
mod local;
#[cfg(feature = "tls")]
pub mod remote;
mod shard;
pub mod statements;
#[cfg(test)]
pub(crate) mod tests;
mod worker;
mod workers;
mod worth;

pub use coordinate::{Outcome, Settings};
pub use deal::{Lot, ProverLot, VerifierLot};
pub use dealt::Dealt;
pub use estimate::{Coordinators, Estimate, estimate};
pub use layout::{Equal, Layout, ShardInfo};
pub use local::{ProverThreads, VerifierThreads};
pub use shard::{Boundary, Shard, Sharded, check};
pub use worker::{Lost, Proved, Summary, prove_shard, verify_shard};
pub use workers::{Ended, MOST_ADDRESS, Workers};
