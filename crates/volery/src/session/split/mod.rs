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
//! if a shard has many boundary wires:
//! SplitCombine                  <-----------     a seed of coefficients
//!      | seed; sums of tags                           | seed; sums of keys
//! Status: who has answered      <---------->     Status                       lost ones: another wave, another seed
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
//! **Trees over a field.** The rounds of a worker over a field also need COTs under a *binary* delta, for the
//! paths of their trees. These are not dealt: the two workers make a base OT for them, under a binary delta
//! that V's worker draws for this session alone, and with the worker's session in its hashes. Nothing
//! compares that delta with the coordinators', and nothing need: what is made from it serves the trees of
//! this worker and nothing else, and no wire is under it. A party that makes it wrong is where one is that
//! does so at the start of a session which is not split, and the same checks find it: that of the extension,
//! and that of each round, which compares the trees' outputs with the lot, so with the field's one delta. V
//! gets no more from it than a guess of P's noise that ends the session if it is wrong, and P no more than a
//! guess of a binary delta that no other worker has.
//!
//! **A boundary.** If `[a]` and `[b]` have equal values, then `m_a - m_b = k_a - k_b`. If they have not, the
//! two sides differ by `(a - b) delta`, and P would have to guess delta to send the right hash. The hash is
//! over the session's identifier, all shards with their attempts, identifiers and digests, and all
//! differences in the layout's order. V compares it only when *all* of its workers have accepted and nothing
//! is pending, and accepts all shards or none. A shard left out, proved twice, or proved in another session
//! has no place in V's list; one that V's worker proved as another statement has another digest.
//!
//! **Many boundary wires** ([`Layout::is_combined`]). Then tags and keys stay with the workers, and what is
//! compared of a run of `n` equal wires `(a_i, b_i)` is the difference of two sums:
//!
//! ```text
//! sum of chi_i m(a_i) - sum of chi_i m(b_i)  =  sum of chi_i k(a_i) - sum of chi_i k(b_i)
//! ```
//!
//! The coefficients `chi_i` are elements of the field `M` of MACs, from a seed of V's. If the wires of a run
//! are not all equal, the two sides differ by `D delta` with `D = sum of chi_i (a_i - b_i)`, and P has to
//! guess delta unless `D = 0`.
//!
//! *What fixes the wires.* V's coordinator draws the seed when each of V's workers has accepted its shard.
//! By then that worker has all that P said about the shard, so `a_i` and `b_i`, which are what V's keys
//! authenticate, are determined. The seed is V's fresh choice, and so independent of them: `D = 0` with the
//! probability of the most likely coefficient, about `1 / |M|` (over extensions a few times that, see
//! [`FieldSize::of`](volery_zk::soundness::FieldSize::of)). It has 192 bits, of which a P that tries fewer
//! than 2^64 can make its errors for no more than 2^31, so expanding it costs less than another `1 / 2^128`.
//! [`Outcome::soundness_bits`] counts this. (It makes no difference who has lost what at P, as P's own tags
//! determine nothing.)
//!
//! *A worker that is lost before it has answered.* Then its shard is proved again, under the next attempt,
//! and *every* shard is asked again, under a new seed. The other shards' wires were fixed before the first
//! seed, and the new one's are before the second. No seed serves twice, and no sums of two seeds meet: an
//! answer names the attempt and the seed that it is about, and the join's hash has the seed. A P may drop a
//! worker when it does not like a seed. That is a retry, and the seed is drawn when the last of its attempts
//! has been accepted, so it is one more try for all runs together, as for a challenge. V's workers have
//! accepted then and their peers' checks are over, so a loss at this point exposes nothing, over fields too.
//!
//! *What V learns.* If all wires are equal, V knows the difference that P hashes, whatever its seed. If they
//! are not, `D delta` would let V test guesses of which; so over bits, where P's tags show values, P's
//! workers also answer with `sum of chi_i a_i`, and P says no more if those differ. They do with the
//! probability above. Over fields, and before all else, there is [`check`].
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
mod combine;
mod coordinate;
mod deal;
mod dealt;
mod estimate;
mod join;
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

pub use combine::{Answer, MOST_BROUGHT, Question};
pub use coordinate::{Outcome, Settings};
pub use deal::{Lot, ProverLot, VerifierLot};
pub use dealt::Dealt;
pub use estimate::{Coordinators, Estimate, estimate};
pub use layout::{Equal, Layout, ShardInfo};
pub use local::{ProverThreads, VerifierThreads};
pub use shard::{Boundary, Shard, Sharded, check};
pub use worker::{Lost, Proved, Summary, prove_shard, verify_shard};
pub use workers::{Answered, Ended, MOST_ADDRESS, Workers};
