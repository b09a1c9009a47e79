//! AES encryption (FIPS 197) with keys of 128, 192 or 256 bits:
//!
//! ```text
//!            rounds    ANDs of a block    of the key schedule
//! AES-128        10              5,120                  1,280
//! AES-192        12              6,144                  1,024
//! AES-256        14              7,168                  1,664
//! ```
//!
//! All ANDs are in the S-box, 32 each, of which a round has 16; see [`sbox`].
//!
//! The S-box ends by adding 0x63 to every byte. ShiftRows does not change a block of equal bytes, and
//! MixColumns maps a column of equal bytes to itself (its coefficients 2, 3, 1, 1 sum to 1). So adding 0x63
//! to every byte in SubBytes is the same as adding it to every byte of the following round key. [`Aes`] adds
//! it to the round keys once for all blocks, and leaves it out in the blocks.

mod common;
mod sbox;

pub use common::PlainByte;
pub use sbox::{inverse as s_box_inverse, substitute as s_box, substituted};

use volery_field::F2;

use super::bytes::bytes_to_bits;
use super::logic::not;
use crate::{Error, Ops, Prove};

/// Eight wires, least significant bit first.
type Byte<W> = [W; 8];

/// 128 wires: byte `i` of FIPS 197's input or output array is `block[i]`, least significant bit first. (FIPS
/// 197 arranges the bytes in a square column by column: byte `i` is in row `i % 4` and column `i / 4`.)
pub type Block<W> = [Byte<W>; 16];

/// A word of the key schedule: a column of a round key.
type Column<W> = [Byte<W>; 4];

/// A key schedule of a key of `KEY_BITS` bits, which are 128, 192 or 256: encrypts any number of blocks.
/// Another number does not compile.
#[derive(Clone)]
pub struct Aes<W, const KEY_BITS: usize> {
    /// The first 128 bits of the key, added to the plaintext.
    whitening: Block<W>,
    /// The keys of the rounds from 1 on, each with 0x63 added to every byte (see the module's notes).
    rounds: Vec<Block<W>>,
}

/// AES-128: 1,280 ANDs for the key schedule and 5,120 for a block; 1,408 wires of round keys.
pub type Aes128<W> = Aes<W, 128>;

/// AES-256: 1,664 ANDs for the key schedule and 7,168 for a block; 1,920 wires of round keys.
pub type Aes256<W> = Aes<W, 256>;

impl<W, const KEY_BITS: usize> core::fmt::Debug for Aes<W, KEY_BITS> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Aes").field("key_bits", &KEY_BITS).finish_non_exhaustive()
    }
}

impl<W: Clone, const KEY_BITS: usize> Aes<W, KEY_BITS> {
    /// The key's words of 32 bits (FIPS 197's `Nk`).
    const KEY_WORDS: usize = {
        assert!(matches!(KEY_BITS, 128 | 192 | 256), "AES has keys of 128, 192 or 256 bits");
        KEY_BITS / 32
    };
    const ROUNDS: usize = Self::KEY_WORDS + 6;
    const ROUND_KEY_BITS: usize = 128 * (Self::ROUNDS + 1);

    /// Expands a key of `KEY_BITS` wires (bits as [`bytes_to_bits`](super::bytes_to_bits) orders them).
    ///
    /// # Errors
    /// [`Error::Misuse`] if the key has another length; the backend's.
    pub fn new<B: Ops<F2, Wire = W> + ?Sized>(b: &mut B, key: &[W]) -> Result<Self, B::Error> {
        if key.len() != KEY_BITS {
            return Err(Error::misuse(format!("AES-{KEY_BITS} with a key of {} bits", key.len())).into());
        }
        let n = Self::KEY_WORDS;
        // The last n words, word i at i % n.
        let mut words: Vec<Column<W>> = key.as_chunks::<32>().0.iter().map(column).collect();
        let mut rounds = Vec::with_capacity(Self::ROUNDS);
        for i in 4..4 * (Self::ROUNDS + 1) {
            if i >= n {
                words[i % n] = Self::next_word(b, &words, i)?;
            }
            if i % 4 == 3 {
                let byte = |j: usize| &words[(i - 3 + j / 4) % n][j % 4];
                rounds.push(core::array::from_fn(|j| add_public(b, byte(j), sbox::OFFSET)));
            }
        }
        Ok(Self { whitening: block(&key[..128])?, rounds })
    }

    /// Word `i` of the key schedule: `w[i-n] + w[i-1]`, for a key of `n` words. Before the sum, `w[i-1]`
    /// passes through RotWord, SubWord and the round constant if `i` is a multiple of `n`. If `n` is 8 and
    /// `i` is 4 modulo 8, it passes through SubWord alone. `words` are the `n` words before, word `j` at
    /// `j % n`.
    fn next_word<B: Ops<F2, Wire = W> + ?Sized>(
        b: &mut B,
        words: &[Column<W>],
        i: usize,
    ) -> Result<Column<W>, B::Error> {
        let n = Self::KEY_WORDS;
        let (turn, constant) = if i.is_multiple_of(n) { (1, round_constant(i / n)) } else { (0, 0) };
        let substituted = turn == 1 || n == 8 && i % n == 4;
        let (last, mut word) = (&words[(i - 1) % n], words[i % n].clone());
        for (r, byte) in word.iter_mut().enumerate() {
            let term = &last[(r + turn) % 4];
            if substituted {
                let constant = if r == 0 { sbox::OFFSET ^ constant } else { sbox::OFFSET };
                let term = sbox::substitute(b, term)?;
                let term = add_public(b, &term, constant);
                *byte = add_byte(b, byte, &term);
            } else {
                *byte = add_byte(b, byte, term);
            }
        }
        Ok(word)
    }

    /// Encrypts a block of 128 wires (bits as [`bytes_to_bits`](super::bytes_to_bits) orders them) to 128
    /// wires.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the plaintext is not 128 wires; the backend's.
    pub fn encrypt<B: Ops<F2, Wire = W> + ?Sized>(
        &self,
        b: &mut B,
        plaintext: &[W],
    ) -> Result<Vec<W>, B::Error> {
        let mut state = block(plaintext)?;
        add_block(b, &mut state, &self.whitening);
        self.rounds(b, state)
    }

    /// Encrypts a public block.
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn encrypt_public<B: Ops<F2, Wire = W> + ?Sized>(
        &self,
        b: &mut B,
        plaintext: [u8; 16],
    ) -> Result<Vec<W>, B::Error> {
        let state = core::array::from_fn(|i| add_public(b, &self.whitening[i], plaintext[i]));
        self.rounds(b, state)
    }

    /// Claims that a public block is encrypted to a public one.
    ///
    /// The ciphertext is the last round key plus the S-boxes' outputs, so these outputs are known once the
    /// key is: a backend with relations for S-boxes commits to none of them ([`Prove::assert_substituted`]).
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn assert_encrypts<B: Prove<F2, Wire = W> + ?Sized>(
        &self,
        b: &mut B,
        plaintext: [u8; 16],
        ciphertext: [u8; 16],
    ) -> Result<(), B::Error> {
        let mut state = core::array::from_fn(|i| add_public(b, &self.whitening[i], plaintext[i]));
        for round in 0..Self::ROUNDS - 1 {
            substitute(b, &mut state)?;
            self.mix(b, round, &mut state);
        }
        let (mut outputs, mut claimed) = (Vec::new(), Vec::new());
        for (i, (key, value)) in self.rounds[Self::ROUNDS - 1].iter().zip(ciphertext).enumerate() {
            let input = &state[shifted(i)];
            let output = add_public(b, key, value);
            if !b.assert_substituted(input, &output)? {
                let output = sbox::circuit(b, input)?;
                outputs.extend(add_byte(b, &output, key));
                claimed.extend(bytes_to_bits(&[value]));
            }
        }
        b.assert_equal(&outputs, &claimed)
    }

    /// The round keys' wires, for [`Aes::from_round_keys`], in a form of this gadget's own: 128 more than 128
    /// for each round.
    #[must_use]
    pub fn round_keys(&self) -> Vec<W> {
        [&self.whitening].into_iter().chain(&self.rounds).flatten().flatten().cloned().collect()
    }

    /// The schedule with these [`round_keys`](Aes::round_keys), which may have been stored or sent meanwhile.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless there are as many wires as [`Aes::round_keys`] returns.
    pub fn from_round_keys(wires: &[W]) -> Result<Self, Error> {
        let mut keys = wires.chunks(128).map(block);
        let whitening = keys.next().unwrap_or_else(|| block(&[]))?;
        let rounds = keys.collect::<Result<Vec<_>, _>>()?;
        if rounds.len() != Self::ROUNDS {
            let (found, expected) = (wires.len(), Self::ROUND_KEY_BITS);
            let reason = format!("AES-{KEY_BITS} with {found} wires of round keys, not {expected}");
            return Err(Error::misuse(reason));
        }
        Ok(Self { whitening, rounds })
    }

    fn rounds<B: Ops<F2, Wire = W> + ?Sized>(
        &self,
        b: &mut B,
        mut state: Block<W>,
    ) -> Result<Vec<W>, B::Error> {
        for round in 0..Self::ROUNDS {
            substitute(b, &mut state)?;
            self.mix(b, round, &mut state);
        }
        Ok(state.into_iter().flatten().collect())
    }

    /// The part of a round after SubBytes. Rounds are counted from 0.
    fn mix<B: Ops<F2, Wire = W> + ?Sized>(&self, b: &mut B, round: usize, state: &mut Block<W>) {
        *state = shift_rows(state);
        if round + 1 < Self::ROUNDS {
            state.as_chunks_mut::<4>().0.iter_mut().for_each(|column| mix_column(b, column));
        }
        add_block(b, state, &self.rounds[round]);
    }
}

/// SubBytes, without its constant.
fn substitute<B: Ops<F2> + ?Sized>(b: &mut B, bytes: &mut [Byte<B::Wire>]) -> Result<(), B::Error> {
    for byte in bytes {
        *byte = sbox::substitute(b, byte)?;
    }
    Ok(())
}

fn block<W: Clone>(wires: &[W]) -> Result<Block<W>, Error> {
    if wires.len() != 128 {
        return Err(Error::misuse(format!("AES with a block or round key of {} bits, not 128", wires.len())));
    }
    Ok(core::array::from_fn(|i| core::array::from_fn(|j| wires[8 * i + j].clone())))
}

fn column<W: Clone>(wires: &[W; 32]) -> Column<W> {
    core::array::from_fn(|i| core::array::from_fn(|j| wires[8 * i + j].clone()))
}

/// `2^(i-1)` in GF(2^8), for `i` from 1 on.
fn round_constant(i: usize) -> u8 {
    (1..i).fold(1_u8, |constant, _| (constant << 1) ^ ((constant >> 7) * 0x1b))
}

fn add_byte<B: Ops<F2> + ?Sized>(b: &mut B, x: &Byte<B::Wire>, y: &Byte<B::Wire>) -> Byte<B::Wire> {
    core::array::from_fn(|i| b.add(&x[i], &y[i]))
}

/// `x` XOR a public byte. Only the wires that change are touched.
fn add_public<B: Ops<F2> + ?Sized>(b: &mut B, x: &Byte<B::Wire>, c: u8) -> Byte<B::Wire> {
    let mut out = x.clone();
    for (i, wire) in out.iter_mut().enumerate() {
        if c >> i & 1 == 1 {
            *wire = not(b, wire);
        }
    }
    out
}

fn add_block<B: Ops<F2> + ?Sized>(b: &mut B, state: &mut [Byte<B::Wire>], key: &[Byte<B::Wire>]) {
    for (byte, key) in state.iter_mut().zip(key) {
        for (wire, key) in byte.iter_mut().zip(key) {
            *wire = b.add(wire, key);
        }
    }
}

/// The index of the byte that ShiftRows moves to index `i`: row `r` of the square, which has the bytes
/// `r, r + 4, r + 8, r + 12`, moves left by `r` places.
const fn shifted(i: usize) -> usize {
    (i + 4 * (i % 4)) % 16
}

fn shift_rows<W: Clone>(state: &Block<W>) -> Block<W> {
    core::array::from_fn(|i| state[shifted(i)].clone())
}

/// With `s` the sum of the column: byte `i` becomes `a[i] + s + 2 (a[i] + a[i+1])`, which is
/// `2 a[i] + 3 a[i+1] + a[i+2] + a[i+3]`.
fn mix_column<B: Ops<F2> + ?Sized>(b: &mut B, column: &mut Column<B::Wire>) {
    let [a, c, d, e] = &*column;
    // The sums of neighbours; the sum of the three bytes other than a[i] is a[i+1] + (a[i+2] + a[i+3]).
    let [ac, cd, de, ea] = [(a, c), (c, d), (d, e), (e, a)].map(|(x, y)| add_byte(b, x, y));
    let parts = [(c, &de, &ac), (d, &ea, &cd), (e, &ac, &de), (a, &cd, &ea)];
    *column = parts.map(|(next, others, pair)| {
        let rest = add_byte(b, next, others);
        add_double(b, &rest, pair)
    });
}

/// `x + 2 y` in GF(2^8) modulo `X^8 + X^4 + X^3 + X + 1`.
#[inline(always)]
fn add_double<B: Ops<F2> + ?Sized>(b: &mut B, x: &Byte<B::Wire>, y: &Byte<B::Wire>) -> Byte<B::Wire> {
    core::array::from_fn(|i| {
        let sum = b.add(&x[i], &y[(i + 7) % 8]);
        if matches!(i, 1 | 3 | 4) { b.add(&sum, &y[7]) } else { sum }
    })
}
