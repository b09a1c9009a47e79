//! AES-128 encryption (FIPS 197): 5,120 ANDs for a block and 1,280 for the key schedule.
//!
//! All ANDs are in the S-box, `160 * 32` for a block; see [`sbox`].
//!
//! The S-box ends by adding 0x63 to every byte. ShiftRows does not change a block of equal bytes, and
//! MixColumns maps a column of equal bytes to itself (its coefficients 2, 3, 1, 1 sum to 1). So adding 0x63
//! to every byte in SubBytes is the same as adding it to every byte of the following round key. [`Aes128`]
//! adds it to the round keys once for all blocks, and leaves it out in the blocks.

mod common;
mod sbox;

pub use common::PlainByte;
pub use sbox::substituted;

use volery_field::F2;

use super::logic::not;
use crate::{Error, Ops};

/// Eight wires, least significant bit first.
type Byte<W> = [W; 8];

/// 128 wires: byte `i` of FIPS 197's input or output array is `block[i]`, least significant bit first. (FIPS
/// 197 arranges the bytes in a square column by column: byte `i` is in row `i % 4` and column `i / 4`.)
pub type Block<W> = [Byte<W>; 16];

const ROUNDS: usize = 10;

/// A key schedule: encrypts any number of blocks.
#[derive(Clone)]
pub struct Aes128<W> {
    /// The unchanged key, added to the plaintext.
    whitening: Block<W>,
    /// The keys of rounds 1 to 10, each with 0x63 added to every byte (see the module's notes).
    rounds: Vec<Block<W>>,
}

impl<W> core::fmt::Debug for Aes128<W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Aes128").finish_non_exhaustive()
    }
}

impl<W: Clone> Aes128<W> {
    /// Expands a key of 128 wires (bits as [`bytes_to_bits`](super::bytes_to_bits) orders them); 1,280 ANDs.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the key is not 128 wires; the backend's.
    pub fn new<B: Ops<F2, Wire = W> + ?Sized>(b: &mut B, key: &[W]) -> Result<Self, B::Error> {
        let whitening = block(key)?;
        let mut rounds = Vec::with_capacity(ROUNDS);
        let mut round_key = whitening.clone();
        let mut round_constant = 1_u8;
        for _ in 0..ROUNDS {
            round_key = next_round_key(b, &round_key, round_constant)?;
            round_constant = (round_constant << 1) ^ ((round_constant >> 7) * 0x1b);
            rounds.push(round_key.each_ref().map(|byte| add_public(b, byte, sbox::OFFSET)));
        }
        Ok(Self { whitening, rounds })
    }

    /// Encrypts a block of 128 wires (bits as [`bytes_to_bits`](super::bytes_to_bits) orders them) to 128
    /// wires; 5,120 ANDs.
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

    /// Encrypts a public block; 5,120 ANDs.
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

    /// The round keys' wires, for [`Aes128::from_round_keys`]: 1,408, in a form of this gadget's own.
    #[must_use]
    pub fn round_keys(&self) -> Vec<W> {
        [&self.whitening].into_iter().chain(&self.rounds).flatten().flatten().cloned().collect()
    }

    /// The schedule with these [`round_keys`](Aes128::round_keys), which may have been stored or sent
    /// meanwhile.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless there are 1,408 wires.
    pub fn from_round_keys(wires: &[W]) -> Result<Self, Error> {
        let mut keys = wires.chunks(128).map(block);
        let whitening = keys.next().unwrap_or_else(|| block(&[]))?;
        let rounds = keys.collect::<Result<Vec<_>, _>>()?;
        if rounds.len() != ROUNDS {
            return Err(Error::misuse(format!(
                "AES-128 with {} wires of round keys, not 1,408",
                wires.len()
            )));
        }
        Ok(Self { whitening, rounds })
    }

    fn rounds<B: Ops<F2, Wire = W> + ?Sized>(
        &self,
        b: &mut B,
        mut state: Block<W>,
    ) -> Result<Vec<W>, B::Error> {
        for round in 0..ROUNDS {
            substitute(b, &mut state)?;
            self.mix(b, round, &mut state);
        }
        Ok(state.into_iter().flatten().collect())
    }

    /// The part of a round after SubBytes. Rounds are counted from 0.
    fn mix<B: Ops<F2, Wire = W> + ?Sized>(&self, b: &mut B, round: usize, state: &mut Block<W>) {
        *state = shift_rows(state);
        if round + 1 < ROUNDS {
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
        return Err(Error::misuse(format!("AES-128 with a key or block of {} bits, not 128", wires.len())));
    }
    Ok(core::array::from_fn(|i| core::array::from_fn(|j| wires[8 * i + j].clone())))
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
fn mix_column<B: Ops<F2> + ?Sized>(b: &mut B, column: &mut [Byte<B::Wire>; 4]) {
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

/// The next round key: `w[i] = w[i-4] + w[i-1]`, where `w[i-1]` first passes through RotWord, SubWord and the
/// round constant if `i` is a multiple of four.
fn next_round_key<B: Ops<F2> + ?Sized>(
    b: &mut B,
    key: &Block<B::Wire>,
    round_constant: u8,
) -> Result<Block<B::Wire>, B::Error> {
    let mut next = key.clone();
    for i in 0..4 {
        let substituted = sbox::substitute(b, &key[12 + (i + 1) % 4])?;
        let constant = if i == 0 { sbox::OFFSET ^ round_constant } else { sbox::OFFSET };
        let substituted = add_public(b, &substituted, constant);
        next[i] = add_byte(b, &key[i], &substituted);
    }
    for i in 4..16 {
        next[i] = add_byte(b, &key[i], &next[i - 4]);
    }
    Ok(next)
}
