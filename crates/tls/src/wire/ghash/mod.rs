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
//! The [machine](crate::wire::step) has `h` on wires. It could make all powers, but each odd one takes 2,187
//! ANDs. (The even ones are free: squaring is linear, so each party squares its shares.) So the parties share
//! the powers of a random `g` ahead of the connection, with [products](volery_vole::ole) outside of any
//! circuit. The machine then only has to check them, once, and to tell both parties `d = h + g`.
//!
//! ```text
//! P                                                                                          V
//! ahead of the connection
//!   x random, not 0                                                                            y random, not 0
//!   x, x^3, x^5, ..., x^m             products (OLE)               <------>     y, y^3, y^5, ..., y^m
//!   shares of z_k = x^k y^k = g^k                                                              shares of z_k
//!
//! in the connection, in the circuit
//!   x, shares of S and T                                           ------->
//!                                                                  <-------     y, shares of S and T
//!                     g = x y           right:  g is not 0  and  g + S = g^2 T           d = h + g if right, else 0
//!                                                                  <-------     right, d       both end unless right
//!
//!   shares of h^k = (d + g)^k                                                                  shares of h^k
//! ```
//!
//! where `S` is the sum of all `z_k`, and `T` the sum of all but the last, `z_m`. For powers of `g`, `g^2 T`
//! is the sum of all but the first. A direction with records up to 2 KB takes 65 products of 2.1 KB and 4,757
//! ANDs, of which 4,374 are the two products (with AES-256 2,001, of which 1,618 are). In the field, `(d +
//! g)^k` is the product of `d^b + g^b` over the powers of two `b` in `k`, so it is a sum of powers of `g`
//! with public factors: each party adds its shares.
//!
//! For records of up to 64 bytes the circuit would be shorter, by at most 1% of a connection's bytes. From 65
//! bytes on it is longer, and there are few requests below, so there is one way for all.
//!
//! No round trip is added: the products are made with those of the key exchange, V's inputs go with the
//! public value before them, and `d` comes with the first record's key stream.
//!
//! ## What the check proves to P
//!
//! V could use zero for `y` in the circuit. Then `d` would be `h`, and V, who sees P's records if it is on
//! the path, could change them as it likes: **the server would act on a request that P never made.** V could
//! also enter anything in the place of `y^k`. Then P's tag would be the value at `h` of another polynomial
//! than that of P's ciphertext, and V would know which. All that would keep V from making it that of another
//! request is that it has to choose before it knows `d`. With shares of the powers of `h` itself, which the
//! paper multiplies, V even knows ahead which block it changes. The check excludes all of this.
//!
//! V chooses: `f_k`, which it enters for `y^k`; `y'`, which it gives the circuit for `y`; and constants that
//! it adds to its shares, `e` in all to that of `S` and `e'` to that of `T`. (Of a product V knows its own
//! share, and P's is `x^k f_k` plus that. So all that V can do to a share of its own is to add a constant.)
//! It chooses without any knowledge of `x`: what P says of `x` is masked by random factors of products, by a
//! mask of P's commitment and by random labels. The circuit says yes only if `x y'` is not zero and
//!
//! ```text
//! x y' + (sum over all k of x^k f_k) + e  =  (x y')^2 ((sum over k < m of x^k f_k) + e')
//! ```
//!
//! Read this as an equation of polynomials in `x`, whose coefficients V has chosen. It has a term of its own
//! for each of V's choices:
//!
//! ```text
//! 1: e = 0          x: y' = f_1          x^2: y'^2 e' = 0          x^k, k odd, 3 to m: f_k = y'^2 f_(k-2)
//! ```
//!
//! If all of these hold, then `f_k = y'^k` for all `k`, including the first and the last, so the products are
//! powers of `g = x y'`, the one in `d`, and the constants are zero. If one does not, the polynomial is not
//! zero, and no more than `m + 1` of the `2^128 - 1` values of `x` make it zero: V is caught, but with
//! probability `(m + 1) / (2^128 - 1)`. **So `x` is the challenge.** It comes with its powers for free, is
//! fixed before V says anything, and stays secret. No hash of messages is needed. That `m` is 1 for
//! a record without content changes nothing: `T` is then zero, and `e'` is as above.
//!
//! Even powers are squares of both parties' shares of odd ones, so if the odd ones are right they are.
//!
//! *V learns nothing of `h`.* `x` is uniform, except zero, for V, so `d = h + x y'` says of `h` only that it
//! is not `d`, since `y'` is not zero. If the check fails, the circuit gives zeros for `d`: otherwise V could
//! use zero for `y'` and get `h`. In that case P ends the session.
//!
//! ## What the check proves to V
//!
//! Nothing shows that P's products are right, and P can make them depend on bits of V's factors (see
//! [`ole`](volery_vole::ole)). It can even do so in ways that the check always takes: of two products,
//! errors `1 + g^2 + g^4` in the first and `1 + g^6` in the second cancel. What V needs is that `d` keeps
//! `h` from P. The proof in the end shows that the circuit was the right one, on the `x` that P was committed
//! to and V's own `y`; so `g = x y`, and it was not zero. `y` is uniform for P, except zero, up to the bits
//! that P has guessed: a wrong guess ends the session. So `h = d + x y` is uniform for P too, except one
//! value.
//!
//! If P could take zero for `x`, or make `z_1` a number that does not depend on `y`, it would know `g`, and
//! so `h`. This is why `g` is a product in the circuit, and not the sum of the shares of `z_1`.
//!
//! ## Why each direction has a `g` of its own
//!
//! With one for both, `d` of both would tell everybody the sum of the two hash keys. A V on the path can
//! learn the server's: it changes a record on its way to P and gets the difference of two tags. P ends the
//! session then, but V would know the client's hash key too, and could change a record of P's that it has
//! held back.
//!
//! # The tag ([`Powers::tag_share`], [`send_tag_share`], [`tag`])
//!
//! V sends its share only when it holds the record's ciphertext, so that there is one ciphertext for each tag
//! that P gets. One share belongs to one nonce, because two tags under one mask reveal `h`. The callers count
//! nonces.
//!
//! # What a cheating party can do
//!
//! * *V* can send a wrong share, or use another share of a power than it has. Either adds a constant to the
//!   tag of P's ciphertext `c`. For a ciphertext `c'` this is the right tag only if the constant is the value
//!   at `h` of a nonzero polynomial of at most 1,027 blocks, `c' - c`. V knows nothing of `h` but `d`, so it
//!   guesses right with probability at most `1027 / (2^128 - 1)`. Otherwise the server refuses the record and
//!   the session ends.
//! * *P* can spoil products, or garble something else. Whether the check, a tag and the server agree shows it
//!   whether a guess of bits of V's secrets was right: `c` bits at the risk of being caught with probability
//!   `1 - 2^-c` (section 3.2.3), and these secrets serve one session. Apart from that P gets nothing of V's
//!   that is not masked: V's share of a tag contains V's share of the mask. *P cannot let the server have
//!   another request than V, or show V another record than the server's.* In the end P proves `h` and each
//!   mask under the committed keys, and V recomputes the tags of all records in the clear, of the ciphertexts
//!   that it holds. So P must have had the tags of two ciphertexts under one mask while the connection was
//!   open, and their difference fits at most 1,027 values of `h`. Whatever guesses P put into products: in
//!   all runs that V does not end, P has seen the same. So `h` is one of these values with probability
//!   `1027 / (2^128 - 1)` at most.
//!
//! # Order of bits
//!
//! GCM writes the coefficient of `x^0` as the first bit of a block, the highest of its first byte; [`Gf128`]
//! writes it as the lowest. Only [`from_block`] and [`to_block`] convert; everything inside is in the order
//! of [`Gf128`].

mod blinding;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz;
mod powers;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;

#[cfg(test)]
pub(crate) use blinding::element_bits;
pub(crate) use blinding::{Blinding, ProverBlinding, VerifierBlinding, products};
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
