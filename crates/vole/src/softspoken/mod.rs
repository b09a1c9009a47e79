//! SoftSpokenOT: correlated OT extension at 2 or 4 bytes for each correlation (Roy, ePrint 2022/192).
//!
//! The prover P is the *receiver* and obtains random bits `u_i` and tags `m_i`. The verifier V is the
//! *sender* and obtains keys `k_i` under its [`Delta`](crate::Delta):
//!
//! ```text
//! k_i = m_i + u_i * delta   in GF(2^128);     lsb(delta) = 1,  lsb(k_i) = 0,  so  lsb(m_i) = u_i
//! ```
//!
//! `delta`'s 128 bits are cut into `128/k` pieces `y_t` of `k` bits (`k` = 4 or 8, [`FieldBits`]).
//!
//! # Setup: one punctured tree for each piece (`tree`)
//!
//! In the [base OTs](crate::base_ot) P is the sender and V the receiver, which chooses by `delta`. For each
//! `t`, P grows a GGM tree with `2^k` leaves. V gets all leaves except the one at `y_t`, because the OT of
//! each level gives it the sum of the nodes on the side that the path to `y_t` does not take. A random oracle
//! maps each leaf to a commitment of 256 bits and a seed. P sends the sum of each tree's commitments and one
//! digest of all of them, and V compares (the paper's consistency check for punctured PRFs). So a cheating P
//! is bound to one vector of seeds for each tree.
//!
//! Parties that already have correlations with the roles swapped need no base OTs: [`ReversedSetup`] and
//! [`Receiver::reversed`] make the OTs from 128 of those.
//!
//! # Extension: one message from P to V (`columns`, `check`)
//!
//! Each seed is stretched to `r_{t,x}`, one bit for each correlation. P adds up `u_t = sum_x r_{t,x}` and
//! `v_t = sum_x x r_{t,x}`, and V adds up `w_t = sum_x (x + y_t) r_{t,x}`, in which its missing leaf has
//! weight zero: `w_t = v_t + y_t u_t`. P sends `c_t = u_t + u_0` for `t > 0` (the repetition code); V adds
//! `y_t c_t`, and now `w_t = v_t + y_t u_0` for all `t`: row `i` of the columns `v` is `m_i`, row `i` of `w`
//! is `k_i`, and `u = u_0`.
//!
//! *Lowest bit.* In column 0, `w = v + u`, since delta's bit 0 is one. Both parties add `w`'s column to their
//! own column 0: V gets zeros, and P (which knows it as `v + u`) gets `u`. So P simply writes `u` there and V
//! writes zeros, and the relation holds as before. A V that chose bit 0 as zero gains nothing: P never uses
//! `v`'s column 0, so V's view is that of a V whose bit 0 is set.
//!
//! *Check.* A transcript of everything so far, including `c`, gives a random linear hash `R` of 256 bits
//! (`check`). P sends `R u` and a digest of `R v` (all 128 columns). V compares with `R w + delta * R u`. The
//! last 256 rows of each chunk mask `R u` and are dropped. The challenge comes from the transcript, so V
//! never answers.
//!
//! # What a cheating P can do
//!
//! Fix what P is committed to: the seeds, hence `u_t` and `v_t`, and its `c_t`. Let `e_t = u_t + c_t`
//! (`e_0 = u_0`); V holds `w_t = v_t + y_t e_t`. P claims `h` for `R u` and `g_t` for `R v_t`. V accepts if
//! `y_t (R e_t + h) = g_t + R v_t` for all `t`.
//!
//! * If `R e_t` is not `h`, at most one `y_t` satisfies this: P must have guessed all `k` bits of that piece.
//! * If `R e_t = h`, then, except with probability at most `(128/k)(128/k - 1)/2 * 2^-256` for each challenge
//!   that P tries, all these `e_t` are one vector `u`: otherwise two pieces with different `e_t` and `e_s`
//!   would collide.
//!
//! So except with that probability the relation holds with this `u`. For the guessed pieces P knows `y_t`,
//! and with it the difference that it has to add to its tags. Wrong tree messages also amount to guessing
//! bits of delta: V accepts if `y_t` is in some set that P chose by its messages. A wrong guess ends the
//! session. Such *selective failure* tells P only as much about delta as it risked. If P survives with
//! probability `p`, delta is uniform in a set of `p 2^127` values, so "survive all checks and then hit one
//! value of delta" has probability at most `2^-127` whatever P does, and forging under delta stays as hard as
//! without leakage. [`soundness_bits`] combines the numbers.
//!
//! # What a cheating V can do
//!
//! It can choose delta. It lacks one leaf of each tree, so all `u_t` look random to it, and so do the `c_t`;
//! `R u` is masked, and `R v` follows from what V knows. V's only message is that of the setup: its points of
//! the base OT, or its choices in their place.

mod check;
mod columns;
mod kernel;
mod receiver;
mod reversed;
mod sender;
mod soundness;
#[cfg(test)]
mod tests;
mod tree;

pub use check::LinearHash;
pub use columns::combine_leaves;
pub use receiver::{Receiver, ReceiverSetup};
pub use reversed::ReversedSetup;
pub use sender::{Sender, SenderSetup};
pub use soundness::soundness_bits;

use volery_channel::{Channel, tags};
use volery_field::Gf128;
use zeroize::Zeroize;

pub(crate) use tree::LeafSeeds;

use crate::{SessionId, Transcript};

/// The number of bits of delta for each tree, a trade-off between bytes and work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldBits {
    /// 32 trees of 16 leaves: 31/8 bytes and 4 bits of AES output for each bit of delta.
    Four,
    /// 16 trees of 256 leaves: 15/8 bytes and 32 bits of AES output for each bit of delta.
    Eight,
}

/// The trees' seeds, for a use other than bits: see [`subfield`](crate::subfield).
pub(crate) struct Leaves {
    pub(crate) bits: FieldBits,
    /// The seeds, tree after tree. P's leaf `x` is at index `x`. V's is at index `x + y` (bitwise), with `y`
    /// the tree's piece of delta, so that its missing leaf is at index 0.
    pub(crate) seeds: LeafSeeds,
    pub(crate) transcript: Transcript,
}

/// The columns of the matrices: the bits of delta.
const COLUMNS: usize = 128;

/// The number of correlations in a full chunk of an extension. Twice as many would save 3% of the bytes; this
/// many keep a tree's columns in the first-level cache.
const CHUNK: usize = 1 << 13;

/// The rows that mask the check's hash, in blocks.
const MASK_BLOCKS: usize = 2;

/// The bytes of a block of 128 bits.
const BLOCK: usize = 16;

/// The bytes of a commitment, of a digest, and of the hash `R u`.
const DIGEST: usize = 32;

impl FieldBits {
    /// Both values.
    pub const ALL: [Self; 2] = [Self::Four, Self::Eight];

    /// The `k` of the paper: the number of bits of delta for each tree.
    #[must_use]
    pub const fn bits(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// The number of trees.
    #[must_use]
    pub(crate) const fn trees(self) -> usize {
        COLUMNS / self.bits()
    }

    /// The number of leaves of a tree.
    #[must_use]
    pub(crate) const fn leaves(self) -> usize {
        1 << self.bits()
    }

    /// The length of P's message of the setup, in bytes.
    #[must_use]
    pub const fn tree_message_bytes(self) -> usize {
        self.trees() * self.tree_bytes() + DIGEST
    }

    /// One tree's part of that message: two corrections for each level except the first, and the sum of the
    /// commitments.
    const fn tree_bytes(self) -> usize {
        (self.bits() - 1) * 2 * BLOCK + DIGEST
    }

    /// The bytes that an extension by `n` correlations sends, without frame headers.
    #[must_use]
    pub const fn extension_bytes(self, n: usize) -> usize {
        let rest = n % CHUNK;
        n / CHUNK * self.chunk_message_bytes(CHUNK)
            + if rest > 0 { self.chunk_message_bytes(rest) } else { 0 }
    }

    /// Length of the message for one chunk of `rows` correlations.
    const fn chunk_message_bytes(self, rows: usize) -> usize {
        (self.trees() - 1) * blocks(rows) * BLOCK + 2 * DIGEST
    }
}

/// The number of blocks of a column of a chunk with `rows` correlations, including masks.
const fn blocks(rows: usize) -> usize {
    rows.div_ceil(128) + MASK_BLOCKS
}

/// In a rehearsal, sends messages of the lengths that P sends to extend by `n`.
pub(crate) fn extend_blank(bits: FieldBits, n: usize, channel: &mut dyn Channel) -> Result<(), crate::Error> {
    for first in (0..n).step_by(CHUNK) {
        channel.send(tags::SOFT_SPOKEN_EXTEND, &vec![0; bits.chunk_message_bytes(CHUNK.min(n - first))])?;
    }
    Ok(())
}

/// Removes what a failed extension appended to `out`.
fn discard(out: &mut Vec<Gf128>, start: usize) {
    out.iter_mut().skip(start).for_each(Zeroize::zeroize);
    out.truncate(start);
}

/// The transcript of a session after the setup: all messages, their senders, and their order.
fn setup_transcript(
    session: &SessionId,
    bits: FieldBits,
    sender_ot: &[u8],
    receiver_ot: &[u8],
    trees: &[u8],
) -> Transcript {
    let mut transcript = Transcript::new("softspoken", session);
    transcript.absorb_number("field bits", bits.bits() as u64);
    // Or the choices of OTs from the other direction; P sends nothing there.
    transcript.absorb("base OT: V's points", receiver_ot);
    transcript.absorb("base OT: P's point", sender_ot);
    transcript.absorb("trees", trees);
    transcript
}

/// Entry points for fuzzing: V reads P's messages in an honest state.
#[doc(hidden)]
pub mod fuzz {
    use rand_core::CryptoRng;
    use volery_field::Gf128;

    use super::{FieldBits, Sender, SenderSetup};
    use crate::{Delta, Error, SessionId};

    const SESSION: SessionId = SessionId::new([0; 32]);

    /// Starts a V with any bytes as the base OT's point, and lets it read trees.
    ///
    /// # Errors
    /// V's error about the point or the trees.
    pub fn trees<R: CryptoRng>(
        point: &[u8],
        message: &[u8],
        bits: FieldBits,
        rng: &mut R,
    ) -> Result<Sender, Error> {
        SenderSetup::start(Delta::random(rng), rng)?.finish_with(&SESSION, bits, point, message)
    }

    /// Lets V read `message` as the next chunk of `rows` correlations.
    ///
    /// # Errors
    /// V's error about it.
    pub fn chunk(sender: &mut Sender, rows: usize, message: &[u8]) -> Result<Vec<Gf128>, Error> {
        let mut out = Vec::new();
        sender.extend_with(rows, message, &mut out)?;
        Ok(out)
    }
}
