//! A run in shards: each proves some segments, and some more prove the memory between segments.
//!
//! The statement is that of [`ProgramRun`]. A shard is proved in a session of its own, by a worker that knows
//! its part of the run only; what two shards have in common are *boundary wires*, which whoever joins the
//! shards shows to be equal. (`volery::split` does that; this module says what the shards are.)
//!
//! ```text
//! group 0            group 1            ..      group G-1          segments; all but the first commit to
//!   segments  state -> segments  state ->   ->    segments, end    the state that they begin with
//!      |                  |                          |
//!      | what segments took and left of each word    |             equal to what the log's shards commit to
//!      v                  v                          v
//! check 0                      live words ->      check K-1        checks of the log, where they are due
//! ```
//!
//! * A **group** proves segments that follow each other. The run has as many groups as the parties agreed on,
//!   or one for each segment if there are fewer segments.
//! * A **check** proves one check of the log of touched words. There are as many as in a proof that is not
//!   split, and they come where they would come there. A run that touches few words has one.
//!
//! # Boundary wires
//!
//! | shard | wires, in this order |
//! |---|---|
//! | group | the state it begins with, if it is not the first; the state it ends with, if it is not the last; for each word that a segment touches its address, value and segment of last use before, and its value afterwards |
//! | check | the words that were live before, if it is not the first, and what segments took and left since; the words that are live afterwards, if it is not the last |
//!
//! A *state* is the 36 cells of registers (those that count what is left of both inputs and what was written
//! to the journal are among them) and the place of the next instruction. A live word is its address, its
//! value, and the segment of its last use. What is equal: the state at the end of a group and that at the
//! start of the next one; each segment's words in its group and in the check that they belong to; the live
//! words after a check and those before the next one.
//!
//! # Why this is the same statement
//!
//! Give every wire of a proof that is not split the value of the wire in its shard. Wires that two shards
//! have are equal, so this is well defined, and each shard claims what the proof that is not split claims of
//! these wires: relations, lookups and multisets of each segment in the group that has the segment; the start
//! in the first group, the end in the last; each check of the log in the shard of that check. Each claim is
//! there once. The number of a segment, which is a constant in its claims, and what it may look up (program,
//! public input, journal) come from the statement that all shards share and from the shard's number, so no
//! segment can stand for another one, and none is missing. So if all claims of all shards hold and boundary
//! wires are equal, the statement of [`ProgramRun`] holds, with the argument at the head of [`proof`](super).
//! In particular:
//!
//! * *A byte of an input* that a group reads is counted by a cell of its last state, so the next group reads
//!   the byte behind it. Of the public input that names the byte; of the secret input each byte is whatever P
//!   commits to, once.
//! * *A byte of the journal* is looked up at the place that such a cell says. The last group claims that as
//!   many were written as the journal has.
//! * *A word of memory*: a segment takes a tuple of an earlier segment, which is a range in its group, since
//!   the segment's number is public. That there was such a tuple, and that nobody else took it, is a multiset
//!   in the shard of the check.
//!
//! # What each challenge tests, and what is fixed before
//!
//! Each segment has one challenge, and each check of the log one, as in a proof that is not split. The
//! challenge is drawn by V's worker in the session of *its* shard, when P's worker has committed to
//! everything in the claims that it tests: for a segment its columns, the state that it begins with, its
//! words and the multiplicities; for a check the live words before and after, what segments took and left,
//! and the words that are new. None of these claims is about a wire of another shard, so it does not matter
//! in which order the shards are proved, and what P has seen of other shards' challenges when it commits:
//! whether a claim is true is determined by the wires of its shard, and V draws the challenge afterwards.
//! What P can adapt is *which* false claim it makes, and the bound for one claim covers each of them: call an
//! attempt to prove a shard false if a claim of it is, for what it committed to. `volery::split` counts false
//! attempts that are accepted, and those that are dropped and retried; the greatest bound of all shards
//! counts there.
//!
//! The remaining way is that every accepted attempt is true and boundary wires differ. These wires are
//! authenticated under one key, and are compared when all shards are accepted: there, too, what is compared
//! is fixed before a coefficient is drawn.
//!
//! Challenges are V's choice and not hashes, as for every run.
//!
//! # What shows
//!
//! What shows of a run that is not split ([`Profile`]), and it is all that V needs to know the shards: P runs
//! the program once, and says the claim and the profile to V ([`preamble`](super::preamble)), which checks
//! bounds and sums before it makes anything of them. Both are in the digest of every shard. Besides, V sees
//! when which shard ends, and that its workers are told the same. Which words a segment touches does not
//! show, and how many does. A class of runs ([`ProfileClass`](super::ProfileClass)) shows the same counts for
//! all of its runs, and can be split.
//!
//! A secret program is not split: its words would be boundary wires of every group.
//!
//! # What P's workers need
//!
//! P's coordinator runs the program once more, without a proof, and keeps for each group the state before it,
//! the words that it touches and that earlier segments have touched, and the bytes of the secret input that
//! it reads; for each check what it commits to. That is all that a worker gets ([`SplitRun::job`]). It makes
//! columns by running its segments from there. As all of this comes from one run, boundary wires are equal.
