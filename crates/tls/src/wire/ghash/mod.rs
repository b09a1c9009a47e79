//! AES-GCM's tags from a hash key in two shares.
//!
//! ```text
//! tag = mask + sum over i of X_i h^(m - i + 1)        X_1, ..., X_m public blocks:  header | ciphertext | their lengths
//!
//! h = AES(key, 0) = h_P + h_V                         mask = AES(key, nonce | 1) = mask_P + mask_V
//! ```
//!
//! in GF(2^128) (McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)"; NIST SP 800-38D). Neither
//! party may know `h` or the mask while the connection is open, because knowing both is enough to forge
//! records. With shares of the powers of `h` each party computes a share of the tag alone, and the sum of the
//! two is the tag (Xie et al., "Lightweight Authentication of Web Data via Garble-Then-Prove", section
//! 3.2.3).
//!
//! # Shares of the powers ([`Powers`])
//!
//! The odd powers come from the [machine](crate::wire::step) that made `h`, which shares them. Squaring is
//! linear, `(a + b)^2 = a^2 + b^2`, so each party squares its own shares to get the even ones.
//!
//! The paper multiplies shares of lower powers by [oblivious linear evaluation](volery_vole::ole) in place of
//! a circuit, which takes a tenth of the bytes. **That lets V choose what is sent.** V, who enters `V_j + e`
//! in place of its share of `h^j` and adds `e V_i` to what it gets, has shares of `h^k + e h^i` for
//! `k = i + j`. The tag of P's record is then the right tag of another ciphertext: `e` times block `k` is
//! added to block `i`, counted from the end. The header is such a block, and V knows it, so V picks the
//! difference. If V is on the path, it changes P's request on its way, and the server accepts. P would find
//! out in the end only. Shares of the machine's leave V nothing to choose: any other value that it uses for a
//! share of its own adds to the tag a difference that does not depend on `h`.
//!
//! # The tag ([`Powers::tag_share`], [`send_tag_share`], [`tag`])
//!
//! V sends its share only when it holds the record's ciphertext, so that there is one ciphertext for each tag
//! that P gets. One share belongs to one nonce, because two tags under one mask reveal `h`. The callers count
//! nonces.
//!
//! # What a cheating party can do
//!
//! V can send a wrong share. To the tag of P's ciphertext `c` it adds a difference of its choice; for a
//! ciphertext `c'` this is the right tag only if the difference is the value at `h` of a nonzero polynomial
//! of at most 1,026 blocks, `c' - c`. V's shares are masked by P, so V knows nothing of `h` and guesses right
//! with probability at most `1026 / 2^128`. Otherwise the server refuses the record and the session ends. P
//! can garble powers wrongly, and learns from the server whether a guess of bits of V's secrets was right:
//! `c` bits at the risk of being caught with probability `1 - 2^-c` (section 3.2.3). `h` only serves this
//! session. In the end P proves `h` and each mask under the committed keys, and V recomputes the tags of all
//! records in the clear.
//!
//! # Order of bits
//!
//! GCM writes the coefficient of `x^0` as the first bit of a block, the highest of its first byte; [`Gf128`]
//! writes it as the lowest. Only [`from_block`] and [`to_block`] convert; everything inside is in the order
//! of [`Gf128`].

mod powers;
#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;

#[cfg(test)]
pub(crate) use powers::MAX_POWER;
pub use powers::Powers;

use volery_channel::tags::TAG_SHARE;
use volery_channel::{Channel, ChannelExt};
use volery_field::Gf128;
use volery_field::gf128::Kernel;
use zeroize::Zeroizing;

use crate::Error;

/// A block of AES in its wire format.
pub type Block = [u8; BLOCK_BYTES];

/// Bytes of a block.
pub(crate) const BLOCK_BYTES: usize = 16;

/// The field element of a block in GCM.
#[must_use]
pub(crate) const fn from_block(block: Block) -> Gf128 {
    Gf128::from_bits(u128::from_be_bytes(block).reverse_bits())
}

/// The block of a field element in GCM.
#[must_use]
pub(crate) const fn to_block(element: Gf128) -> Block {
    element.to_bits().reverse_bits().to_be_bytes()
}

/// The number of blocks that are hashed for a header and a ciphertext of these lengths, which is the highest
/// power of `h` that the tag needs.
#[must_use]
pub const fn hashed_blocks(header: usize, ciphertext: usize) -> usize {
    header.div_ceil(BLOCK_BYTES) + ciphertext.div_ceil(BLOCK_BYTES) + 1
}

/// The public blocks `X_i` of a record: both strings padded with zeros, and their lengths in bits.
pub(crate) fn hashed(header: &[u8], ciphertext: &[u8]) -> Vec<Gf128> {
    let padded = |bytes: &[u8]| {
        let mut block = [0; BLOCK_BYTES];
        block.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        from_block(block)
    };
    let bits = |bytes: &[u8]| u128::from(8 * bytes.len() as u64);
    let lengths = (bits(header) << 64 | bits(ciphertext)).to_be_bytes();
    let strings = header.chunks(BLOCK_BYTES).chain(ciphertext.chunks(BLOCK_BYTES));
    strings.map(padded).chain([from_block(lengths)]).collect()
}

impl Powers {
    /// This party's share of a record's tag, from its share of the mask.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the record needs higher powers of `h` than there are.
    pub(crate) fn tag_share(&self, header: &[u8], ciphertext: &[u8], mask: &Block) -> Result<Block, Error> {
        let mut blocks = hashed(header, ciphertext);
        blocks.reverse();
        let powers = self.shares().get(..blocks.len()).ok_or_else(|| {
            Error::Misuse(format!("a tag of {} blocks with {} powers of h", blocks.len(), self.len()))
        })?;
        let sum = Kernel::detect().inner_product(&blocks, powers);
        let sum = sum.map_err(|error| Error::Misuse(error.to_string()))?;
        Ok(to_block(sum + from_block(*mask)))
    }
}

/// V's side of a tag: sends its share. V calls this when it holds `ciphertext`, and never twice for one mask.
///
/// # Errors
/// As [`Powers::tag_share`]; what sending meets.
pub fn send_tag_share(
    channel: &mut dyn Channel,
    powers: &Powers,
    header: &[u8],
    ciphertext: &[u8],
    mask: &Block,
) -> Result<(), Error> {
    let share = Zeroizing::new(powers.tag_share(header, ciphertext, mask)?);
    Ok(channel.send(TAG_SHARE, &*share)?)
}

/// P's side of a tag: receives V's share and adds its own.
///
/// # Errors
/// As [`Powers::tag_share`]; what receiving meets.
pub fn tag(
    channel: &mut dyn Channel,
    powers: &Powers,
    header: &[u8],
    ciphertext: &[u8],
    mask: &Block,
) -> Result<Block, Error> {
    let own = Zeroizing::new(powers.tag_share(header, ciphertext, mask)?);
    let peer: Block = channel.recv_array(TAG_SHARE)?;
    Ok((u128::from_ne_bytes(*own) ^ u128::from_ne_bytes(peer)).to_ne_bytes())
}
