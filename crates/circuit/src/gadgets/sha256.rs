//! SHA-256 (FIPS 180-4).
//!
//! The ANDs, with a secret chaining value: a round takes 32 for `Ch`, 32 for `Maj`, and three sums,
//!
//! ```text
//! t  = h + S1(e) + Ch(e, f, g) + W + K     e' = d + t     a' = t + S0(a) + Maj(a, b, c)
//! ```
//!
//! of about 119 (with the public `K`), 31 and 61. A word of the message schedule is one sum of four operands
//! and takes 92. The final additions take 31 each. In total that is fewer than the 22,573 (secret chaining
//! value) and 22,385 (the standard initial value) of the best circuits that we know to be published (N. P.
//! Smart et al.'s "Bristol Fashion" collection, NIST's circuit complexity project), because sums of several
//! operands are cheaper than chains of sums of two (see the module `adder`).

use volery_field::F2;

use super::adder::Adder;
use super::hash::{Compression, Word, chaining_value, choose, digest, majority, xor};
use crate::Ops;

/// SHA-256 as a [`Compression`]: 22,271 ANDs a block, 21,890 for the first block of a message.
#[derive(Clone, Copy, Debug)]
pub struct Sha256;

/// The SHA-256 digest (256 wires) of a message of whole bytes; bits as
/// [`bytes_to_bits`](super::bytes_to_bits) orders them.
///
/// # Errors
/// [`Error::Misuse`](crate::Error::Misuse) unless the message is whole bytes; the backend's.
pub fn sha256<B: Ops<F2> + ?Sized>(b: &mut B, message: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    digest::<Sha256, B>(b, message)
}

impl Compression for Sha256 {
    const NAME: &'static str = "sha256";
    const INITIAL: &'static [u32] = &[
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    type Digest = [u8; 32];

    fn compress<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &mut [Word<B::Wire>],
        block: &[Word<B::Wire>; 16],
    ) -> Result<(), B::Error> {
        let state = chaining_value::<Self, _, 8>(state)?;
        let mut rounds = Rounds::new(b, state);
        let mut schedule = Schedule::new(block);
        for (t, constant) in ROUND_CONSTANTS.iter().enumerate() {
            if t >= 16 {
                schedule.extend(b, t)?;
            }
            rounds.round(b, t, &schedule.words[t % 16], *constant)?;
        }
        rounds.feed_forward(b, state)
    }
}

impl Sha256 {
    /// [`Compression::compress`] after the message schedule is computed and the round constants are added:
    /// `words[t]` is `W_t + K_t`, as [`Sha256::expand`] computes it. This is for a block that is public when
    /// the circuit runs but not yet when it is made. It takes 16,120 ANDs with a secret chaining value and
    /// secret words; [`Compression::compress`] takes 22,271.
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn compress_expanded<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &mut [Word<B::Wire>; 8],
        words: &[Word<B::Wire>; 64],
    ) -> Result<(), B::Error> {
        let mut rounds = Rounds::new(b, state);
        for (t, word) in words.iter().enumerate() {
            rounds.round(b, t, word, 0)?;
        }
        rounds.feed_forward(b, state)
    }

    /// Computes [`Sha256::compress_expanded`] on values, in constant time.
    #[must_use]
    pub fn compress_values(state: [u32; 8], words: &[u32; 64]) -> [u32; 8] {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for word in words {
            let big_1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let t = h.wrapping_add(big_1).wrapping_add(g ^ (e & (f ^ g))).wrapping_add(*word);
            let big_0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = ((a ^ b) & (b ^ c)) ^ b;
            (h, g, f, e) = (g, f, e, d.wrapping_add(t));
            (d, c, b, a) = (c, b, a, t.wrapping_add(big_0).wrapping_add(majority));
        }
        let worked = [a, b, c, d, e, f, g, h];
        core::array::from_fn(|i| state[i].wrapping_add(worked[i]))
    }

    /// The words `W_t + K_t` (modulo 2^32) of a public block: FIPS 180-4, 6.2.2, step 1 and part of step 3.
    #[must_use]
    pub fn expand(block: &[u8; 64]) -> [u32; 64] {
        let mut words = [0_u32; 64];
        for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        for t in 16..64 {
            let (x, y) = (words[t - 15], words[t - 2]);
            let small_0 = x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3);
            let small_1 = y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10);
            words[t] = words[t - 16].wrapping_add(small_0).wrapping_add(words[t - 7]).wrapping_add(small_1);
        }
        core::array::from_fn(|t| words[t].wrapping_add(ROUND_CONSTANTS[t]))
    }
}

/// The last 16 words of the message schedule, word `t` at `t % 16`.
struct Schedule<W> {
    words: [Word<W>; 16],
    /// The next word under construction, and its sigmas.
    sum: Word<W>,
    sigmas: [Word<W>; 2],
    adder: Adder<W>,
}

impl<W: Clone> Schedule<W> {
    fn new(block: &[Word<W>; 16]) -> Self {
        let [sum, small_0, small_1, ..] = block.clone();
        Self { words: block.clone(), sum, sigmas: [small_0, small_1], adder: Adder::new() }
    }

    /// Replaces word `t - 16` by word `t`.
    fn extend<B: Ops<F2, Wire = W> + ?Sized>(&mut self, b: &mut B, t: usize) -> Result<(), B::Error> {
        let word = |back: usize| &self.words[(t - back) % 16];
        let [small_0, small_1] = &mut self.sigmas;
        sigma(b, small_0, word(15), [7, 18], Third::Shift(3));
        sigma(b, small_1, word(2), [17, 19], Third::Shift(10));
        self.adder.sum(b, &mut self.sum, [small_1, word(7), small_0, word(16)], 0)?;
        core::mem::swap(&mut self.words[t % 16], &mut self.sum);
        Ok(())
    }
}

/// The working variables. They are not moved but found by age: after `t` rounds, `a, b, c, d` are
/// `recent[(-t) % 4]` and the three after it, cyclically, and `e, f, g, h` likewise in `older`. The new `a`
/// replaces `d`, and the new `e` replaces `h`.
struct Rounds<W> {
    recent: [Word<W>; 4],
    older: [Word<W>; 4],
    /// `a + b` of this round and of the round before, which is `b + c` of this one; `Maj` uses both. Each new
    /// one replaces the one before the last.
    neighbours: [Word<W>; 2],
    /// They hold `t`, a sigma, and `Ch` or `Maj` of a round. Their values between rounds do not matter.
    sum: Word<W>,
    sigma: Word<W>,
    chosen: Word<W>,
    adder: Adder<W>,
}

impl<W: Clone> Rounds<W> {
    fn new<B: Ops<F2, Wire = W> + ?Sized>(b: &mut B, state: &[Word<W>; 8]) -> Self {
        let [s0, s1, s2, s3, s4, s5, s6, s7] = state.clone();
        let b_plus_c = xor(b, &s1, &s2);
        Self {
            sum: s7.clone(),
            sigma: s7.clone(),
            chosen: s7.clone(),
            neighbours: [b_plus_c.clone(), b_plus_c],
            recent: [s0, s1, s2, s3],
            older: [s4, s5, s6, s7],
            adder: Adder::new(),
        }
    }

    /// Round `t` with the schedule's `word`, to which this adds the public `constant`.
    fn round<B: Ops<F2, Wire = W> + ?Sized>(
        &mut self,
        b: &mut B,
        t: usize,
        word: &Word<W>,
        constant: u32,
    ) -> Result<(), B::Error> {
        let [first, second, third, fourth] = [0, 1, 2, 3].map(|age| (age + 64 - t) % 4);
        let [e, f, g, h] = [first, second, third, fourth].map(|i| &self.older[i]);
        sigma(b, &mut self.sigma, e, [6, 11], Third::Rotate(25));
        choose(b, &mut self.chosen, [e, f, g])?;
        let operands: [&[W]; 4] = [h, &self.sigma, &self.chosen, word];
        self.adder.sum(b, &mut self.sum, operands, u64::from(constant))?;
        self.adder.sum(b, &mut self.older[fourth], [&self.recent[fourth], &self.sum], 0)?;

        let (a, second) = (&self.recent[first], &self.recent[second]);
        sigma(b, &mut self.sigma, a, [2, 13], Third::Rotate(22));
        let [even, odd] = &mut self.neighbours;
        let (a_plus_b, b_plus_c) = if t.is_multiple_of(2) { (even, odd) } else { (odd, even) };
        a_plus_b.iter_mut().zip(a.iter().zip(second)).for_each(|(sum, (x, y))| *sum = b.add(x, y));
        majority(b, &mut self.chosen, [a_plus_b, b_plus_c, second])?;
        self.adder.sum(b, &mut self.recent[fourth], [&self.sum, &self.sigma, &self.chosen], 0)
    }

    /// Adds the working variables to the chaining value. After 64 rounds they are back in their first
    /// positions.
    fn feed_forward<B: Ops<F2, Wire = W> + ?Sized>(
        mut self,
        b: &mut B,
        state: &mut [Word<W>; 8],
    ) -> Result<(), B::Error> {
        for (chained, word) in state.iter_mut().zip(self.recent.iter().chain(&self.older)) {
            self.adder.sum(b, &mut self.sum, [chained, word], 0)?;
            core::mem::swap(chained, &mut self.sum);
        }
        Ok(())
    }
}

/// The third term of a sigma function.
#[derive(Clone, Copy)]
enum Third {
    Rotate(usize),
    Shift(usize),
}

/// `out` becomes the XOR of `x` rotated right by each of `rotations` and of `x` rotated or shifted right as
/// `third` says. The second rotation is by more than the first, the third by more than either; a shift is by
/// less.
#[inline(always)]
fn sigma<B: Ops<F2> + ?Sized>(
    b: &mut B,
    out: &mut Word<B::Wire>,
    x: &Word<B::Wire>,
    rotations: [usize; 2],
    third: Third,
) {
    let [first, second] = rotations;
    let (third, cuts, end) = match third {
        Third::Rotate(third) => (third, [32 - third, 32 - second, 32 - first], 32),
        Third::Shift(third) => (third, [32 - second, 32 - first, 32 - third], 32 - third),
    };
    // Between these cuts no term wraps around, so each is a slice.
    let [one, two, three] = cuts;
    for (from, to) in [(0, one), (one, two), (two, three), (three, 32)] {
        let term = |distance: usize| x[(from + distance) % 32..].iter().take(to - from);
        let pairs = out[from..to].iter_mut().zip(term(first).zip(term(second)));
        if from < end {
            pairs.zip(term(third)).for_each(|((out, (x, y)), z)| {
                let sum = b.add(x, y);
                *out = b.add(&sum, z);
            });
        } else {
            pairs.for_each(|(out, (x, y))| *out = b.add(x, y));
        }
    }
}

const ROUND_CONSTANTS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];
