//! Boolean gadgets, written once for every backend with `Ops<F2>`: integers, hash functions, ciphers. Gadgets
//! over prime fields are in [`mod@field`].
//!
//! A gadget is a function of a backend and wires. It makes the same calls whatever the values are, so it
//! serves prover, verifier, counter and garbler alike. It streams: it keeps nothing in memory when it
//! returns.
//!
//! **Order of bits.** A number is a slice of wires, least significant bit first. A string of bytes is a slice
//! of `8 * length` wires: the first byte's eight bits, least significant first, then the next byte's
//! ([`bytes_to_bits`]). Messages, digests, keys and blocks use this order too, whatever byte order their
//! standard uses for numbers.
//!
//! **Cost.** XOR, NOT and moving wires are free; the documented counts are ANDs. Sums of several operands are
//! computed column by column, which takes fewer ANDs than adding two at a time. Public constants fold away:
//! additions skip the bits that [`Ops::known`] reports (wires under [`Fold`](crate::Fold)), and hash
//! functions and ciphers use their own constants without wires for them.
//!
//! | gadget | ANDs |
//! |---|---|
//! | [`sha1`] | 10,955 a block of 64 bytes |
//! | [`sha256`] | 22,271 a block of 64 bytes; 16,120 if it is [expanded](Sha256::expand) in public |
//! | [`sha384`], [`sha512`] | 57,572 a block of 128 bytes; 40,824 if it is [expanded](Sha512::expand) in public |
//! | [`Aes128`] | 1,280 for the key; 5,120 a block, 4,256 for most of a counter's |
//! | [`Aes256`] | 1,664 for the key; 7,168 a block, 6,304 for most of a counter's |
//! | [`ChaCha20`] | 457 for a key and a nonce; 9,943 a block of 64 bytes |
//! | [`poly1305_clamp`], [`poly1305_tag`] | 0, 512 |
//!
//! **Speed.** The hash functions and AES work on arrays and reuse their buffers. Besides ANDs they cost
//! little more than their XORs, about 4.1 for each AND of SHA-256 and 3.6 for each AND of AES-128
//! (`benches/gadgets.rs` measures them).

mod adder;
mod aes;
mod arith;
mod bytes;
mod chacha20;
pub mod field;
mod hash;
mod logic;
mod poly1305;
mod polynomial;
mod sha1;
mod sha2;
#[cfg(test)]
mod tests;

pub use aes::{Aes, Aes128, Aes256, Block, PlainByte, s_box, s_box_inverse, substituted};
pub use arith::{
    WithCarry, add, add_constant, add_with_carry, less_than, less_than_signed, multiply, multiply_low,
    negate, sub,
};
pub use bytes::{bits_to_bytes, bytes_to_bits};
pub use chacha20::ChaCha20;
pub use hash::{
    Compression, Hasher, Number, Word, WordOf, bits_to_long_words, bits_to_words, long_words_to_bits,
    words_to_bits,
};
pub use logic::{
    all_ones, and, any_one, equal, mux, not, not_word, or, rotate_left, rotate_right, shift_left,
    shift_right, shift_right_signed, xor, xor_constant,
};
pub use poly1305::{poly1305_clamp, poly1305_tag};
pub use polynomial::multiply_low_as_polynomials;
pub use sha1::{Sha1, sha1};
pub use sha2::{Sha256, Sha384, Sha512, sha256, sha384, sha512};

use volery_field::F2;

use crate::{Error, Ops};

/// `width` wires that hold the public number `value`, least significant bit first; bits from 64 on are zero.
pub fn constant<B: Ops<F2> + ?Sized>(b: &mut B, value: u64, width: usize) -> Vec<B::Wire> {
    (0..width).map(|i| b.constant(F2::new(i < 64 && value >> i & 1 == 1))).collect()
}

/// Rejects words of different widths.
fn same_width<W>(gadget: &str, x: &[W], y: &[W]) -> Result<(), Error> {
    if x.len() == y.len() {
        return Ok(());
    }
    Err(Error::misuse(format!("{gadget} of numbers of {} and {} bits", x.len(), y.len())))
}
