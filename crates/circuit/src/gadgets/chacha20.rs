//! ChaCha20's block function (RFC 8439, section 2.3): 10,400 ANDs for the first block of a key and a nonce,
//! and 9,943 for each further one.
//!
//! The state is sixteen words of 32 bits, row by row:
//!
//! ```text
//!  0  1  2  3     constant  constant  constant  constant
//!  4  5  6  7     key       key       key       key
//!  8  9 10 11     key       key       key       key
//! 12 13 14 15     counter   nonce     nonce     nonce
//! ```
//!
//! Words are little-endian in their four bytes. So the wires of a word, from the least significant bit on,
//! are 32 successive wires of a string of bytes ([`bytes_to_bits`](super::bytes_to_bits)): word 4 is the
//! first 32 wires of the key, word 13 the first 32 of the nonce, and word 0 of the last state is the first 32
//! of the block.
//!
//! All ANDs are in additions, 31 each. There are four in each of 80 quarter rounds and sixteen at the end, so
//! there would be 10,416 ANDs if nothing were public. Public words fold: the constants, the counter if it is
//! public, and wires that the backend [knows](Ops::known).
//!
//! **Common parts.** Blocks of one key and one nonce differ in the counter only. The first round works on
//! columns, and the counter is in the first one. So the other three quarter rounds are the same for all
//! blocks, and so is the first addition in the first column. In the second round, which works on diagonals,
//! two first additions are of words that the counter has not reached. [`ChaCha20::new`] computes these parts,
//! 457 ANDs, once for all blocks. (The same observation for AES is in the module `aes::common`.)

use volery_field::F2;

use super::adder::Adder;
use super::hash::{Word, constant_word};
use crate::{Error, Fold, Folded, Ops};

type State<W> = [Word<W>; 16];

/// "expand 32-byte k", little-endian.
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// The places of a quarter round's four words, for the rounds on columns and for those on diagonals.
const COLUMNS: [[usize; 4]; 4] = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]];
const DIAGONALS: [[usize; 4]; 4] = [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];

/// The place of the counter.
const COUNTER: usize = 12;

/// ChaCha20 under one key and one nonce: makes blocks of any counters.
#[derive(Clone)]
pub struct ChaCha20<W> {
    /// The state before the first round, with counter 0.
    start: State<Folded<F2, W>>,
    /// The state after those parts of the first two rounds that are common to all counters.
    common: State<Folded<F2, W>>,
}

impl<W> core::fmt::Debug for ChaCha20<W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ChaCha20").finish_non_exhaustive()
    }
}

impl<W: Clone> ChaCha20<W> {
    /// Takes a key of 256 wires and a nonce of 96 (bits as [`bytes_to_bits`](super::bytes_to_bits) orders
    /// them), and computes what all blocks have in common; 457 ANDs.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the key or the nonce has another length; the backend's.
    pub fn new<B: Ops<F2, Wire = W> + ?Sized>(b: &mut B, key: &[W], nonce: &[W]) -> Result<Self, B::Error> {
        let key: [_; 8] = words("a key", key)?;
        let nonce: [_; 3] = words("a nonce", nonce)?;
        let start: State<_> = core::array::from_fn(|i| match i {
            0..4 => constant_word(CONSTANTS[i]),
            4..COUNTER => key[i - 4].clone(),
            COUNTER => constant_word(0_u32),
            _ => nonce[i - COUNTER - 1].clone(),
        });
        let (mut fold, mut rounds) = (Fold::new(b), Rounds { state: start.clone(), adder: Adder::new() });
        for places in &COLUMNS[1..] {
            rounds.quarter(&mut fold, *places)?;
        }
        for [x, y, ..] in [COLUMNS[0], DIAGONALS[1], DIAGONALS[2]] {
            rounds.add(&mut fold, x, y)?;
        }
        Ok(Self { start, common: rounds.state })
    }

    /// The block (512 wires) of a counter of 32 wires, least significant first; 9,943 ANDs.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the counter is not 32 wires; the backend's.
    pub fn block<B: Ops<F2, Wire = W> + ?Sized>(&self, b: &mut B, counter: &[W]) -> Result<Vec<W>, B::Error> {
        let [counter] = words("a counter", counter)?;
        self.words(b, counter, 16)
    }

    /// The block (512 wires) of a public counter; 9,942 ANDs at most.
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn block_public<B: Ops<F2, Wire = W> + ?Sized>(
        &self,
        b: &mut B,
        counter: u32,
    ) -> Result<Vec<W>, B::Error> {
        self.words(b, constant_word(counter), 16)
    }

    /// The one-time key of Poly1305 (256 wires): the first half of the block of counter 0 (RFC 8439, section
    /// 2.6), for 9,695 ANDs, as the other half's last additions are left out. The first 128 wires are `r`
    /// before it is [clamped](super::poly1305_clamp), the others are `s`.
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn poly1305_key<B: Ops<F2, Wire = W> + ?Sized>(&self, b: &mut B) -> Result<Vec<W>, B::Error> {
        self.words(b, constant_word(0_u32), 8)
    }

    /// The first `count` words of a block.
    fn words<B: Ops<F2, Wire = W> + ?Sized>(
        &self,
        b: &mut B,
        counter: Word<Folded<F2, W>>,
        count: usize,
    ) -> Result<Vec<W>, B::Error> {
        let (mut fold, mut start) = (Fold::new(b), self.start.clone());
        let mut rounds = Rounds { state: self.common.clone(), adder: Adder::new() };
        rounds.state[COUNTER].clone_from(&counter);
        start[COUNTER] = counter;
        rounds.rest_of_quarter(&mut fold, COLUMNS[0])?;
        rounds.quarter(&mut fold, DIAGONALS[0])?;
        rounds.rest_of_quarter(&mut fold, DIAGONALS[1])?;
        rounds.rest_of_quarter(&mut fold, DIAGONALS[2])?;
        rounds.quarter(&mut fold, DIAGONALS[3])?;
        for _ in 1..10 {
            for places in COLUMNS.iter().chain(&DIAGONALS) {
                rounds.quarter(&mut fold, *places)?;
            }
        }
        let Rounds { state, mut adder } = rounds;
        let mut block = Vec::with_capacity(32 * count);
        for (start, mut word) in start.iter().zip(state).take(count) {
            let worked = word.clone();
            adder.sum(&mut fold, &mut word, [start, &worked], 0)?;
            block.extend(word.iter().map(|bit| fold.lower(bit)));
        }
        Ok(block)
    }
}

/// A state between quarter rounds.
struct Rounds<W> {
    state: State<W>,
    adder: Adder<W>,
}

impl<W: Clone> Rounds<W> {
    /// The quarter round (RFC 8439, section 2.1) of the words at these places; 124 ANDs.
    fn quarter<B: Ops<F2, Wire = W> + ?Sized>(
        &mut self,
        b: &mut B,
        places: [usize; 4],
    ) -> Result<(), B::Error> {
        self.add(b, places[0], places[1])?;
        self.rest_of_quarter(b, places)
    }

    /// A quarter round after its first addition; 93 ANDs.
    fn rest_of_quarter<B: Ops<F2, Wire = W> + ?Sized>(
        &mut self,
        b: &mut B,
        [x, y, z, w]: [usize; 4],
    ) -> Result<(), B::Error> {
        self.xor_and_rotate(b, w, x, 16);
        for (sum, addend, turned, distance) in [(z, w, y, 12), (x, y, w, 8), (z, w, y, 7)] {
            self.add(b, sum, addend)?;
            self.xor_and_rotate(b, turned, sum, distance);
        }
        Ok(())
    }

    /// Adds word `y` to word `x` modulo 2^32; 31 ANDs.
    fn add<B: Ops<F2, Wire = W> + ?Sized>(&mut self, b: &mut B, x: usize, y: usize) -> Result<(), B::Error> {
        let mut sum = self.state[x].clone();
        self.adder.sum(b, &mut sum, [&self.state[x], &self.state[y]], 0)?;
        self.state[x] = sum;
        Ok(())
    }

    /// Word `x` becomes `x XOR y`, rotated to the left; free.
    fn xor_and_rotate<B: Ops<F2, Wire = W> + ?Sized>(
        &mut self,
        b: &mut B,
        x: usize,
        y: usize,
        distance: usize,
    ) {
        // Bit `i` comes from bit `i - distance`.
        let (old, other) = (&self.state[x], &self.state[y]);
        let place = |i: usize| (i + 32 - distance) % 32;
        self.state[x] = core::array::from_fn(|i| b.add(&old[place(i)], &other[place(i)]));
    }
}

/// `N` words of unknown wires.
fn words<W: Clone, const N: usize>(what: &str, wires: &[W]) -> Result<[Word<Folded<F2, W>>; N], Error> {
    if wires.len() != 32 * N {
        return Err(Error::misuse(format!("ChaCha20 with {what} of {} bits, not {}", wires.len(), 32 * N)));
    }
    Ok(core::array::from_fn(|t| core::array::from_fn(|i| Folded::Wire(wires[32 * t + i].clone()))))
}
