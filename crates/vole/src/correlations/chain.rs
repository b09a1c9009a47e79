//! The value that binds a Fiat-Shamir challenge to the correlations that it tests, and why it is necessary.
//!
//! **A corrupted P chooses its values `u`.** The functionality allows it, and P really can. In OT extension
//! and in the base VOLE one right guess of a piece of delta (1 in 128 over bits, 1 in 8 over most fields)
//! lets it give itself any `u`; the module `cheats`, for tests, does so. In an interactive proof this is
//! harmless, since V's challenge comes later. But a P that computes a challenge as a hash can compute it
//! *before* it makes the correlations, and then solve linear equations for the `u` with which a false
//! statement passes. So every such challenge must also depend on something of V's that came after `u` was
//! fixed (the `id` in Mac'n'Cheese's theorem; QuickSilver's figure leaves it out).
//!
//! A generator made by [`Generator::linked`](super::Generator::linked) has a [`Chain`]. A batch is the
//! output of one message of OT extension or of the base VOLE, or of one round:
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
//! The hash covers every message of either party for the batch, with tag and length (a layer of the channel
//! records them). For a round this includes the chunk from which the first round starts and, over a field,
//! the bits for its paths. Batches are numbered in the order in which they are read. A proof's challenge
//! absorbs the chain of every pool, up to the batch of the last correlation *taken*
//! ([`Pool::chain`](super::Pool::chain)).
//!
//! **Why this is enough.**
//!
//! 1. *When V draws its bytes for a batch, the batch's `u` is fixed*, except for the errors that the checks'
//!    bounds count. P is bound to its trees by the setup, and to one `u` for a chunk by the chunk's own
//!    message, which V has checked. In a round `u = A U + e`. `U` and the values of `e` are values of earlier
//!    correlations, which are set aside and never given out. The places of `e` are bits of earlier
//!    correlations, or of the chunk for the paths. `A` depends on the seed in P's check. Nothing that P says
//!    later changes `u`: a false sum in the check, or an opening that does not fit, can only end the session
//!    or cost P the guess that it stands for.
//! 2. *Nobody knew V's bytes before.* They are a keyed hash of the batch's number and of all its messages,
//!    under 32 bytes from V's generator that serve no other purpose. To P they are uniform until the last
//!    message is fixed, so they are as good as drawn at that moment. Even a V whose machine is reset to an
//!    earlier state never gives the same bytes to two different conversations.
//! 3. *So every useful query to the hash comes after the `u` that it tests.* A query with the right chain
//!    before the last of its bytes were drawn is a guess of 256 bits. For every other query all `u` up to the
//!    last correlation taken are fixed. P may still choose what it may choose in the interactive proof before
//!    a challenge: its messages, including masked values. So each query succeeds with the probability that
//!    one challenge has there.
//!
//! *Made ahead*: P may know a batch's bytes long before the batch is read. This gains nothing, since 1. and
//! 3. only require that `u` came first. *The second refill*: P knows `h_n` when it chooses the `u` of batch
//! `n + 1`; a challenge that tests any of these includes `h_{n+1}`. *Left-overs*: a proof may begin in the
//! middle of a batch. The chain goes back to the session's first batch, whichever proof used that one. *By
//! place, not by arrival*: each party may make correlations ahead as far as it likes; the chain at an index
//! is the same at both. *V's freedom*: V may choose its bytes as it likes. It knows no message of a proof at
//! that time, so they give it less than the choice of a challenge would.
//!
//! **Why P draws the matrix.** LPN hides `u` from V. So V must have no influence on the matrix `A` (it could
//! try many until it finds a weak one), and P's seed goes out after V's last message except the verdict. The
//! relation between keys and tags holds for every matrix, so this gives P only one thing: a choice among the
//! `u`'s of a round, which a fixed matrix would not give it. That is harmless because V's bytes come after
//! the seed, and so does V's challenge in an interactive proof. A party with swapped roles (a garbler that is
//! V for its labels' choices) runs the same code: the party that holds `u` is called P here.
//!
//! **Waiting.** V sends its bytes at once. P reads them only when it asks for a chain, or when they must have
//! arrived anyway. So a stage without rounds adds one wait at each challenge after a new chunk, not one for
//! each chunk; a challenge without a new chunk or round before it adds none. If the plan has rounds, that
//! stage is short, hardly longer than a block. Only over extension fields, whose plans have no rounds, may
//! every challenge wait. In rounds of bits the bytes follow V's answer directly, which P has before it reads
//! the round. The next challenge reads them with hardly any wait, although it counts as a round trip.
//! Generators that are not linked send none of this. Their [`Pool::chain`](super::Pool::chain) is an error,
//! so that a hash cannot be used as a challenge by mistake.

use core::fmt;

/// A hash of all messages by which both parties made a generator's correlations, and of 32 bytes that V drew
/// after each batch of them was fixed. The module's documentation has the formula and the purpose. It is
/// public.
///
/// [`Pool::chain`](super::Pool::chain) returns it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chain([u8; 32]);

impl Chain {
    /// The chain stored in a file of correlations, which a linked generator made. Do not pass anything
    /// else: a value that P could foresee binds P to nothing.
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
