//! The value that a Fiat-Shamir challenge absorbs for the correlations that it rests on, and why it must.
//!
//! **A corrupted P chooses its values `u`.** The functionality allows it, and P really can: in OT extension
//! and in the base VOLE it needs one right guess of a piece of delta (1 in 128 over bits, 1 in 8 over most
//! fields) to give itself any `u`; the module `cheats`, for tests, does so. In an interactive proof this is
//! harmless, since V's challenge comes later. But a P that computes a challenge as a hash can compute it
//! *before* it makes the correlations, and then solve linear equations for the `u` with which a false
//! statement passes. Therefore every such challenge must also depend on something of V's that came after `u`
//! was fixed (the `id` in Mac'n'Cheese's theorem; QuickSilver's figure leaves it out).
//!
//! A supply made by [`Supply::linked`](super::Supply::linked) has a [`Chain`]. A batch is what one message of
//! OT extension or of the base VOLE gives, or what one round gives:
//!
//! ```text
//! h_0 = H(session; kind)        h_n = H(session; n, h_{n-1}, kind, hash of all messages of batch n, V's 32 bytes for it)
//!
//! batch                      fixed by                                   then V sends its bytes
//! chunk of OT extension      SoftSpokenExtend: `u = u_0`                when the chunk has passed its check
//! Ferret's round             FerretCheck: its seed selects the matrix   with its verdict
//! chunk of the base VOLE     SubfieldExtend: `u = u_0`                  when the chunk has passed its check
//! round over a field         SubfieldCheck: likewise                    when P's opening has passed its check
//! ```
//!
//! The hash covers every message of either party for the batch, with tag and length (they are recorded where
//! they move): of a round also the chunk that the first round starts from, and over a field the bits for its
//! paths. Batches are numbered in the order in which they are read. A proof's challenge absorbs the chain of
//! every stock, up to the batch of the last correlation *taken* ([`Stock::chain`](super::Stock::chain)).
//!
//! **Why this is enough.**
//!
//! 1. *When V draws its bytes for a batch, the batch's `u` is fixed*, but for the errors that the checks'
//!    bounds count. P is bound to its trees by the set-up, and to one `u` for a chunk by the chunk's own
//!    message, which V has checked. In a round `u = A U + e`. `U` and the values of `e` are values of earlier
//!    correlations, set aside and never given out; the places of `e` are bits of earlier correlations, or of
//!    the chunk for the paths. `A` depends on the seed in P's check. Nothing that P says later moves `u`: a
//!    false sum in the check, or an opening that does not fit, can only end the session or cost P the guess
//!    that it stands for.
//! 2. *Nobody knew V's bytes before.* They are a keyed hash of the batch's number and of all its messages,
//!    under 32 bytes from V's generator that serve nothing else. To P they are uniform until the last message
//!    is fixed. So they are as good as drawn at that moment, and even a V whose machine is set back to an
//!    earlier state never gives the same bytes to two different conversations.
//! 3. *So every useful question to the hash comes after the `u` that it tests.* A question with the right
//!    chain before the last of its bytes were drawn is a guess of 256 bits. For every other question all `u`
//!    up to the last correlation taken are fixed. What P may still choose is what it may choose in the
//!    interactive proof before a challenge: what it sends, masked values among it. So each question succeeds
//!    with the probability that one challenge has there.
//!
//! *Made ahead*: P may know a batch's bytes long before the batch is read. That gives it nothing, since 1.
//! and 3. ask only that `u` came first. *The second refill*: P knows `h_n` when it chooses the `u` of batch
//! `n + 1`; a challenge that tests any of these holds `h_{n+1}`. *Left-overs*: a proof may begin in the
//! middle of a batch. The chain goes back to the session's first batch, whichever proof used that. *By place,
//! not by arrival*: how far ahead a party has made correlations is its own affair; the chain at an index is
//! the same at both. *V's freedom*: V may choose its bytes as it likes. It knows then no message of a proof,
//! so they give it less than a challenge of its own choice would.
//!
//! **Why P draws the matrix.** LPN hides `u` from V. So V must have no influence on the matrix `A` (it could
//! try many until one is soft), and P's seed goes out after V's last message but the verdict. The relation
//! between keys and tags holds for whatever matrix, so this gives P one thing only: it now has a choice among
//! `u`'s in a round, where a fixed matrix gave it none. That is harmless exactly because V's bytes come after
//! the seed, or, in an interactive proof, V's challenge. A party with roles swapped (a garbler that is V for
//! its labels' choices) runs the same code: whoever holds `u` is the one that is called P here.
//!
//! **Waiting.** V sends its bytes at once, and P reads them only where it asks for a chain, or where they
//! must be there anyway. So a stage without rounds gains one wait at each challenge that comes after a new
//! chunk, not one a chunk; a challenge without a new chunk or round before it gains none. Where the plan has
//! rounds that stage is short, hardly longer than a block. Only over extension fields, whose plans have none,
//! may every challenge wait. In rounds of bits the bytes come right behind V's answer, which P has before it
//! reads the round: the next challenge reads them without a wait to speak of, though it counts as a round
//! trip. Supplies that are not linked send nothing of this; their [`Stock::chain`](super::Stock::chain) is an
//! error, so that no hash can be taken for a challenge by mistake.

use core::fmt;

/// A hash of all that both parties said to make a supply's correlations, and of 32 bytes that V drew after
/// each batch of them was fixed; see the module's documentation for the formula and for what it is good for.
/// Public.
///
/// It comes from [`Stock::chain`](super::Stock::chain).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chain([u8; 32]);

impl Chain {
    /// The chain that a file of correlations keeps, which a linked supply made. Nothing else is one: what P
    /// could foresee binds it to nothing.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, for transcripts and files.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Chain(")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}
