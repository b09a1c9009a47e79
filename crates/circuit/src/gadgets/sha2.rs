//! SHA-2 (FIPS 180-4): SHA-256 on words of 32 bits, SHA-384 and SHA-512 on words of 64.
//!
//! The ANDs of SHA-256, with a secret chaining value: a round takes 32 for `Ch`, 32 for `Maj`, and three
//! sums,
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
//!
//! SHA-512 has the same rounds on words twice as wide, and 80 of them and not 64. Its circuit in the "Bristol
//! Fashion" collection takes 57,947 ANDs with a secret chaining value.

mod sha256;
mod sha512;

pub use sha256::{Sha256, sha256};
pub use sha512::{Sha384, Sha512, sha384, sha512};

use core::ops::{BitAnd, BitXor, Shr};

use volery_field::F2;

use super::adder::Adder;
use super::hash::{Number, Word, choose, majority, xor};
use crate::Ops;

/// The parts of SHA-2 that depend on the width of its words.
trait Width: Number + BitAnd<Output = Self> + BitXor<Output = Self> + Shr<usize, Output = Self> {
    /// `K`, one for each round.
    const ROUND_CONSTANTS: &'static [Self];
    /// The standard's upper case sigmas 0 and 1, of the rounds.
    const BIG: [Sigma; 2];
    /// The standard's lower case sigmas 0 and 1, of the message schedule.
    const SMALL: [Sigma; 2];

    fn rotated_right(self, distance: usize) -> Self;

    /// The sum modulo `2^WIDTH`.
    fn plus(self, other: Self) -> Self;
}

/// The next chaining value, from a block's words.
fn compress<V: Width, B: Ops<F2> + ?Sized, const N: usize>(
    b: &mut B,
    state: &mut [Word<B::Wire, N>; 8],
    block: &[Word<B::Wire, N>; 16],
) -> Result<(), B::Error> {
    Rounds::of_block::<V, B>(b, state, block)?.feed_forward(b, state)
}

/// The next chaining value, from a block's expanded words plus round constants.
fn compress_expanded<V: Width, B: Ops<F2> + ?Sized, const N: usize>(
    b: &mut B,
    state: &mut [Word<B::Wire, N>; 8],
    words: &[Word<B::Wire, N>],
) -> Result<(), B::Error> {
    Rounds::of_words::<V, B>(b, state, words)?.feed_forward(b, state)
}

/// Computes [`compress_expanded`] on values, in constant time.
fn compress_values<V: Width>(state: [V; 8], words: &[V]) -> [V; 8] {
    let worked = words.iter().fold(state, |variables, word| round_values(variables, *word).0);
    core::array::from_fn(|i| state[i].plus(worked[i]))
}

/// The working variables after a round, and its `t`.
fn round_values<V: Width>([a, b, c, d, e, f, g, h]: [V; 8], word: V) -> ([V; 8], V) {
    let t = h.plus(V::BIG[1].of(e)).plus(g ^ (e & (f ^ g))).plus(word);
    (next_values([a, b, c, d, e, f, g, h], t), t)
}

/// The working variables after a round with this `t`.
fn next_values<V: Width>([a, b, c, d, e, f, g, _]: [V; 8], t: V) -> [V; 8] {
    let majority = ((a ^ b) & (b ^ c)) ^ b;
    [t.plus(V::BIG[0].of(a)).plus(majority), a, b, c, d.plus(t), e, f, g]
}

/// The number of last rounds whose `a` no earlier `e` depends on: that of the rounds in which `a` becomes
/// `d`.
const LAST: usize = 4;

/// Computes [`compress_to_open`] on values, in constant time. There are at least four words.
fn opened_values<V: Width>(state: [V; 8], words: &[V]) -> [V; 8] {
    let (mut variables, mut opened) = (state, state);
    for (round, word) in words.iter().enumerate() {
        let (next, t) = round_values(variables, *word);
        if let Some(last) = (round + LAST).checked_sub(words.len()) {
            (opened[last], opened[LAST + last]) = (t, variables[3]);
        }
        variables = next;
    }
    opened
}

/// The chaining value after `state` and a block, from what [`compress_to_open`] made of them.
fn finish_opened<V: Width>(state: [V; 8], opened: [V; 8]) -> [V; 8] {
    let [t0, t1, t2, t3, d0, d1, d2, d3] = opened;
    // `e` to `h` of before only move out of sight.
    let before = [d3, d2, d1, d0, d0, d0, d0, d0];
    let worked = [t0, t1, t2, t3].into_iter().fold(before, next_values);
    core::array::from_fn(|i| state[i].plus(worked[i]))
}

/// The next chaining value, in the form in which it takes fewest ANDs if it is opened: `t` of the last four
/// rounds, in order, then the `d` of each. [`finish_opened`] computes the chaining value from them in the
/// clear, by the rest of these rounds. It also goes the other way: `t` is the last `a` less a function of the
/// three before it, and `d` is the last `e` less `t`. So both forms say the same to everybody.
///
/// The chaining value before the block is known.
fn compress_to_open<V: Width, B: Ops<F2> + ?Sized, const N: usize>(
    b: &mut B,
    state: [V; 8],
    block: &[Word<B::Wire, N>; 16],
) -> Result<[Word<B::Wire, N>; 8], B::Error> {
    let mut schedule = Schedule::new(block);
    let count = V::ROUND_CONSTANTS.len() - LAST;
    let mut rounds = Rounds::after_known::<V, B>(b, state, &mut schedule, count)?;
    let mut opened = core::array::from_fn(|_| rounds.sum.clone());
    for (last, constant) in V::ROUND_CONSTANTS[count..].iter().enumerate() {
        let t = count + last;
        schedule.extend::<V, B>(b, t)?;
        rounds.sum::<V, B>(b, t, &schedule.words[t % 16], (*constant).into())?;
        opened[last].clone_from(&rounds.sum);
        opened[LAST + last].clone_from(&rounds.recent[place(t, 3)]);
        if last + 1 < LAST {
            rounds.new_e(b, t)?;
        }
    }
    Ok(opened)
}

/// The next chaining value after a known one.
fn compress_known<V: Width, B: Ops<F2> + ?Sized, const N: usize>(
    b: &mut B,
    state: [V; 8],
    block: &[Word<B::Wire, N>; 16],
) -> Result<[Word<B::Wire, N>; 8], B::Error> {
    let mut chained = known(b, state);
    rounds_after_known::<V, B, N>(b, state, block)?.feed_forward(b, &mut chained)?;
    Ok(chained)
}

/// All rounds of a block after a known chaining value.
fn rounds_after_known<V: Width, B: Ops<F2> + ?Sized, const N: usize>(
    b: &mut B,
    state: [V; 8],
    block: &[Word<B::Wire, N>; 16],
) -> Result<Rounds<B::Wire, N>, B::Error> {
    Rounds::after_known::<V, B>(b, state, &mut Schedule::new(block), V::ROUND_CONSTANTS.len())
}

/// Known words.
fn known<V: Width, B: Ops<F2> + ?Sized, const N: usize>(b: &mut B, words: [V; 8]) -> [Word<B::Wire, N>; 8] {
    words.map(|word| {
        let word: u64 = word.into();
        core::array::from_fn(|i| b.constant(F2::new(word >> i & 1 == 1)))
    })
}

/// The words `W_t + K_t` (modulo `2^WIDTH`) of a public block: FIPS 180-4, 6.2.2 and 6.4.2, step 1 and part
/// of step 3. There are at least 16.
fn expand<V: Width, const ROUNDS: usize>(block: [V; 16]) -> [V; ROUNDS] {
    let [small_0, small_1] = V::SMALL;
    let mut words = [block[0]; ROUNDS];
    words[..16].copy_from_slice(&block);
    for t in 16..ROUNDS {
        let (x, y) = (words[t - 15], words[t - 2]);
        words[t] = words[t - 16].plus(small_0.of(x)).plus(words[t - 7]).plus(small_1.of(y));
    }
    core::array::from_fn(|t| words[t].plus(V::ROUND_CONSTANTS[t]))
}

/// The last 16 words of the message schedule, word `t` at `t % 16`.
struct Schedule<W, const N: usize> {
    words: [Word<W, N>; 16],
    /// The next word under construction, and its sigmas.
    sum: Word<W, N>,
    sigmas: [Word<W, N>; 2],
    adder: Adder<W>,
}

impl<W: Clone, const N: usize> Schedule<W, N> {
    fn new(block: &[Word<W, N>; 16]) -> Self {
        let [sum, small_0, small_1, ..] = block.clone();
        Self { words: block.clone(), sum, sigmas: [small_0, small_1], adder: Adder::new() }
    }

    /// Replaces word `t - 16` by word `t`.
    fn extend<V: Width, B: Ops<F2, Wire = W> + ?Sized>(
        &mut self,
        b: &mut B,
        t: usize,
    ) -> Result<(), B::Error> {
        let word = |back: usize| &self.words[(t - back) % 16];
        let [small_0, small_1] = &mut self.sigmas;
        sigma(b, small_0, word(15), &V::SMALL[0]);
        sigma(b, small_1, word(2), &V::SMALL[1]);
        self.adder.sum(b, &mut self.sum, [small_1, word(7), small_0, word(16)], 0)?;
        core::mem::swap(&mut self.words[t % 16], &mut self.sum);
        Ok(())
    }
}

/// Where the working variable of this age is in round `t`.
const fn place(t: usize, age: usize) -> usize {
    (age + 4 - t % 4) % 4
}

/// The working variables. They are not moved but found by age: after `t` rounds, `a, b, c, d` are
/// `recent[(-t) % 4]` and the three after it, cyclically, and `e, f, g, h` likewise in `older`. The new `a`
/// replaces `d`, and the new `e` replaces `h`.
struct Rounds<W, const N: usize> {
    recent: [Word<W, N>; 4],
    older: [Word<W, N>; 4],
    /// `a + b` of this round and of the round before, which is `b + c` of this one; `Maj` uses both. Each new
    /// one replaces the one before the last.
    neighbours: [Word<W, N>; 2],
    /// They hold `t`, a sigma, and `Ch` or `Maj` of a round. Their values between rounds do not matter.
    sum: Word<W, N>,
    sigma: Word<W, N>,
    chosen: Word<W, N>,
    adder: Adder<W>,
}

impl<W: Clone, const N: usize> Rounds<W, N> {
    /// All rounds of a block.
    fn of_block<V: Width, B: Ops<F2, Wire = W> + ?Sized>(
        b: &mut B,
        state: &[Word<W, N>; 8],
        block: &[Word<W, N>; 16],
    ) -> Result<Self, B::Error> {
        let mut rounds = Self::new(b, state);
        let mut schedule = Schedule::new(block);
        for (t, constant) in V::ROUND_CONSTANTS.iter().enumerate() {
            if t >= 16 {
                schedule.extend::<V, B>(b, t)?;
            }
            rounds.round::<V, B>(b, t, &schedule.words[t % 16], (*constant).into())?;
        }
        Ok(rounds)
    }

    /// All rounds, of expanded words to which the round constants are added already.
    fn of_words<V: Width, B: Ops<F2, Wire = W> + ?Sized>(
        b: &mut B,
        state: &[Word<W, N>; 8],
        words: &[Word<W, N>],
    ) -> Result<Self, B::Error> {
        let mut rounds = Self::new(b, state);
        for (t, word) in words.iter().enumerate() {
            rounds.round::<V, B>(b, t, word, 0)?;
        }
        Ok(rounds)
    }

    /// The first `count` rounds after a known chaining value, at least one. In the first, `e` and `a` are the
    /// word and known terms.
    fn after_known<V: Width, B: Ops<F2, Wire = W> + ?Sized>(
        b: &mut B,
        state: [V; 8],
        schedule: &mut Schedule<W, N>,
        count: usize,
    ) -> Result<Self, B::Error> {
        let variables = known(b, state);
        let mut rounds = Self::new(b, &variables);
        let mut constants = V::ROUND_CONSTANTS.iter().copied().enumerate().take(count);
        if let Some((_, constant)) = constants.next() {
            let ([new_a, _, _, _, new_e, ..], _) = round_values(state, constant);
            let [word, ..] = &schedule.words;
            rounds.adder.sum(b, &mut rounds.recent[3], [word], new_a.into())?;
            rounds.adder.sum(b, &mut rounds.older[3], [word], new_e.into())?;
            rounds.neighbours[0] = xor(b, &rounds.recent[0], &rounds.recent[1]);
        }
        for (t, constant) in constants {
            if t >= 16 {
                schedule.extend::<V, B>(b, t)?;
            }
            rounds.round::<V, B>(b, t, &schedule.words[t % 16], constant.into())?;
        }
        Ok(rounds)
    }

    fn new<B: Ops<F2, Wire = W> + ?Sized>(b: &mut B, state: &[Word<W, N>; 8]) -> Self {
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
    fn round<V: Width, B: Ops<F2, Wire = W> + ?Sized>(
        &mut self,
        b: &mut B,
        t: usize,
        word: &Word<W, N>,
        constant: u64,
    ) -> Result<(), B::Error> {
        self.sum::<V, B>(b, t, word, constant)?;
        self.new_e(b, t)?;
        self.new_a::<V, B>(b, t)
    }

    /// `t` of round `t`, into `sum`.
    fn sum<V: Width, B: Ops<F2, Wire = W> + ?Sized>(
        &mut self,
        b: &mut B,
        t: usize,
        word: &Word<W, N>,
        constant: u64,
    ) -> Result<(), B::Error> {
        let [e, f, g, h] = [0, 1, 2, 3].map(|age| &self.older[place(t, age)]);
        sigma(b, &mut self.sigma, e, &V::BIG[1]);
        choose(b, &mut self.chosen, [e, f, g])?;
        let operands: [&[W]; 4] = [h, &self.sigma, &self.chosen, word];
        self.adder.sum(b, &mut self.sum, operands, constant)
    }

    /// The new `e` in the place of `h`, from `t`.
    fn new_e<B: Ops<F2, Wire = W> + ?Sized>(&mut self, b: &mut B, t: usize) -> Result<(), B::Error> {
        let last = place(t, 3);
        self.adder.sum(b, &mut self.older[last], [&self.recent[last], &self.sum], 0)
    }

    /// The new `a` in the place of `d`, from `t`.
    fn new_a<V: Width, B: Ops<F2, Wire = W> + ?Sized>(
        &mut self,
        b: &mut B,
        t: usize,
    ) -> Result<(), B::Error> {
        let [first, second, fourth] = [0, 1, 3].map(|age| place(t, age));
        let (a, second) = (&self.recent[first], &self.recent[second]);
        sigma(b, &mut self.sigma, a, &V::BIG[0]);
        let [even, odd] = &mut self.neighbours;
        let (a_plus_b, b_plus_c) = if t.is_multiple_of(2) { (even, odd) } else { (odd, even) };
        a_plus_b.iter_mut().zip(a.iter().zip(second)).for_each(|(sum, (x, y))| *sum = b.add(x, y));
        majority(b, &mut self.chosen, [a_plus_b, b_plus_c, second])?;
        self.adder.sum(b, &mut self.recent[fourth], [&self.sum, &self.sigma, &self.chosen], 0)
    }

    /// Adds the working variables to the chaining value, or to its first words if `state` is shorter. After
    /// 64 rounds, and after 80, the variables are back in their first positions.
    fn feed_forward<B: Ops<F2, Wire = W> + ?Sized>(
        mut self,
        b: &mut B,
        state: &mut [Word<W, N>],
    ) -> Result<(), B::Error> {
        for (chained, word) in state.iter_mut().zip(self.recent.iter().chain(&self.older)) {
            self.adder.sum(b, &mut self.sum, [chained, word], 0)?;
            core::mem::swap(chained, &mut self.sum);
        }
        Ok(())
    }
}

/// A sigma function: the XOR of its argument rotated right by two distances, and rotated or shifted right by
/// a third.
#[derive(Clone, Copy)]
struct Sigma {
    rotations: [usize; 2],
    third: Third,
}

/// The third term of a sigma function.
#[derive(Clone, Copy)]
enum Third {
    Rotate(usize),
    Shift(usize),
}

impl Sigma {
    const fn rotating(first: usize, second: usize, third: usize) -> Self {
        Self { rotations: [first, second], third: Third::Rotate(third) }
    }

    const fn shifting(first: usize, second: usize, third: usize) -> Self {
        Self { rotations: [first, second], third: Third::Shift(third) }
    }

    fn of<V: Width>(&self, x: V) -> V {
        let [first, second] = self.rotations;
        let third = match self.third {
            Third::Rotate(distance) => x.rotated_right(distance),
            Third::Shift(distance) => x >> distance,
        };
        x.rotated_right(first) ^ x.rotated_right(second) ^ third
    }
}

/// `out` becomes the sigma function `of` of `x`.
#[inline(always)]
fn sigma<B: Ops<F2> + ?Sized, const N: usize>(
    b: &mut B,
    out: &mut Word<B::Wire, N>,
    x: &Word<B::Wire, N>,
    of: &Sigma,
) {
    let [first, second] = of.rotations;
    let (third, end) = match of.third {
        Third::Rotate(third) => (third, N),
        Third::Shift(third) => (third, N - third),
    };
    // Between these cuts no term wraps around, so each is a slice.
    let [one, two, three] = ascending([N - first, N - second, N - third]);
    for (from, to) in [(0, one), (one, two), (two, three), (three, N)] {
        let term = |distance: usize| x[(from + distance) % N..].iter().take(to - from);
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

/// The same numbers in ascending order.
#[inline(always)]
fn ascending([x, y, z]: [usize; 3]) -> [usize; 3] {
    let (x, y) = (x.min(y), x.max(y));
    let (y, z) = (y.min(z), y.max(z));
    [x.min(y), x.max(y), z]
}
