//! The multi-operand adder: sums of several numbers none of whose bits are known.
//!
//! It is an operation of backends ([`Ops::multi_add`]), so that a backend can have a faster way for it.

use core::ops::Range;

use volery_field::Ring;

use crate::Ops;

/// The operands of a sum of `M` binary numbers over F2 and a public one ([`Ops::multi_add`]). No wire
/// is treated as known.
///
/// A column sums the numbers' bits, the carries into it, and the public bit. Full adders take the sum so far
/// `s`, the next number's bit `x`, and a carry `c` (or, if there are fewer carries than numbers, one more
/// number's bit):
///
/// ```text
/// p = (s + c)(x + c)    s' = s + c + x    c' = p + c
/// ```
///
/// Besides `s`, one bit or none is left. A half adder takes it as `c`, and the public bit `k`,
///
/// ```text
/// p = s c    s' = s + c + k    c' = p, or p + s + c if k = 1
/// ```
///
/// or, if none is left, `s' = s + k`, and `c' = s` is carried if `k = 1`. So `h` bits cost `h/2`
/// multiplications, rounded down. After a few columns there are `M - 1` carries, one for each number after
/// the first, and from the next set public bit on there are `M`.
pub struct Addends<'a, W, const M: usize> {
    /// The sum's bits, one for each column.
    pub sums: &'a mut [W],
    /// The numbers, with at least one bit for each column; further bits are ignored.
    pub words: [&'a [W]; M],
    /// The carries into the first column, and afterwards those out of the last.
    pub carries: &'a mut Carries<W, M>,
    /// The public number, least significant bit first. Bits from 64 on are zero.
    pub public: u64,
    /// Whether nothing is carried out of the last column, which then costs no multiplications.
    pub modular: bool,
}

/// The most multiplications of [`Addends`] that are added as words: enough for six numbers of 63 bits each.
pub const MOST_BY_ADDERS: usize = 384;

/// The carries of one column into the next.
#[derive(Clone, Debug)]
pub struct Carries<W, const M: usize> {
    /// The carries, followed by stand-ins.
    pub wires: [W; M],
    /// The number of carries, at most `M`.
    pub live: usize,
}

impl<W: Clone, const M: usize> Addends<'_, W, M> {
    /// The number of columns.
    #[inline(always)]
    #[must_use]
    pub fn width(&self) -> usize {
        self.words.iter().map(|word| word.len()).min().map_or(0, |width| width.min(self.sums.len()))
    }

    /// The number of columns with multiplications: all, or all except the last.
    #[inline(always)]
    #[must_use]
    pub fn carrying(&self) -> usize {
        self.width().saturating_sub(usize::from(self.modular))
    }

    /// The number of multiplications.
    #[inline(always)]
    #[must_use]
    pub fn multiplications(&self) -> usize {
        let (mut live, mut first, mut n) = (self.carries.live, 0, 0);
        while live + 1 < M && first < self.carrying() {
            n += (M + live) / 2;
            live = (M + live + bit(self.public, first) as usize) / 2;
            first += 1;
        }
        let quiet = self.quiet(live, first);
        n + M.saturating_sub(1) * (quiet - first) + M * (self.carrying() - quiet)
    }

    /// The end of the run of columns from `first` on whose public bit costs nothing, if `live` carries enter
    /// the first of them.
    #[inline(always)]
    fn quiet(&self, live: usize, first: usize) -> usize {
        if live >= M {
            return first;
        }
        let public = shifted(self.public, first);
        if public == 0 {
            self.carrying()
        } else {
            self.carrying().min(first + public.trailing_zeros() as usize + 1)
        }
    }

    /// Adds the first columns, in which some number's bit takes the place of a carry, and returns the others,
    /// into which `M - 1` or `M` carries go.
    ///
    /// # Errors
    /// Any error of the backend.
    #[inline(always)]
    pub fn start<R: Ring, B: Ops<R, Wire = W> + ?Sized>(self, b: &mut B) -> Result<Self, B::Error> {
        let (width, carrying) = (self.width(), self.carrying());
        let Self { sums, words, carries, public, modular } = self;
        let (sums, words) = (&mut sums[..width], columns(words, 0..width));
        let mut first = 0;
        while carries.live + 1 < M && first < carrying {
            let odd = bit(public, first) == 1;
            sums[first] = first_column(b, words, first, carries, odd)?;
            first += 1;
        }
        let (sums, words) = (&mut sums[first..], columns(words, first..width));
        Ok(Self { sums, words, carries, public: shifted(public, first), modular })
    }

    /// The number of columns before the public number costs multiplications. Call this after
    /// [`Addends::start`].
    #[inline(always)]
    #[must_use]
    pub fn quiet_columns(&self) -> usize {
        self.quiet(self.carries.live, 0)
    }

    /// Whether the columns, including the carries out of the last one, can be added as machine words in
    /// little room. That needs at most 63 columns of bits and at most [`MOST_BY_ADDERS`] multiplications,
    /// including those of the public number. The answer depends on nothing secret.
    #[inline(always)]
    #[must_use]
    pub fn fit_words<R: Ring>(&self) -> bool {
        R::pack_bits(&[]).is_some() && M > 0 && self.width() <= 63 && M * self.width() <= MOST_BY_ADDERS
    }

    /// Runs [`Addends::run_by_adders`] if the columns [fit words](Addends::fit_words), else [`Addends::run`].
    /// Backends that add words do this, one gate after the other.
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn run_as_words<R: Ring, B: Ops<R, Wire = W> + ?Sized>(self, b: &mut B) -> Result<(), B::Error> {
        if self.fit_words::<R>() { self.run_by_adders(b) } else { self.run(b) }
    }

    /// Adds one column after the other.
    ///
    /// # Errors
    /// Any error of the backend.
    #[inline(always)]
    pub fn run<R: Ring, B: Ops<R, Wire = W> + ?Sized>(self, b: &mut B) -> Result<(), B::Error> {
        let rest = self.start(b)?;
        let (carrying, quiet) = (rest.carrying(), rest.quiet_columns());
        let Self { sums, words, carries, public, modular } = rest;
        let before = columns(words, 0..quiet);
        steady::<R, B, M, false>(b, &mut sums[..quiet], before, &mut carries.wires, 0)?;
        if quiet > 0 {
            carries.make_public(b, &mut sums[quiet - 1], bit(public, quiet - 1) == 1);
        }
        let public_rest = shifted(public, quiet);
        let (rest, after) = (&mut sums[quiet..carrying], columns(words, quiet..carrying));
        steady::<R, B, M, true>(b, rest, after, &mut carries.wires, public_rest)?;
        if modular && let Some(out) = sums.get_mut(carrying) {
            let odd = bit(public, carrying) == 1;
            *out = parity(b, words, carrying, carries, odd);
        }
        Ok(())
    }

    /// As [`Addends::run`], but after the first columns each adder goes through all columns before the next
    /// adder starts. The multiplications are the same, in another order: the inner loop is that of two
    /// numbers, and all factors of an adder follow from sums of words.
    ///
    /// # Errors
    /// Any error of the backend.
    #[inline(always)]
    pub fn run_by_adders<R: Ring, B: Ops<R, Wire = W> + ?Sized>(self, b: &mut B) -> Result<(), B::Error> {
        let rest = self.start(b)?;
        let (carrying, quiet) = (rest.carrying(), rest.quiet_columns());
        let Self { sums, words, carries, public, modular } = rest;
        let (sums, last) = sums.split_at_mut(carrying);
        let mut adders = words.iter().skip(1).zip(&mut carries.wires);
        if let Some((word, carry)) = adders.next() {
            let mut own = carry.clone();
            for ((sum, first), x) in sums.iter_mut().zip(words[0]).zip(*word) {
                let mut own_sum = first.clone();
                full_adder(b, &mut own_sum, x, &mut own)?;
                *sum = own_sum;
            }
            *carry = own;
        } else if let Some(word) = words.first() {
            sums.clone_from_slice(&word[..carrying]);
        }
        for (word, carry) in adders {
            let mut own = carry.clone();
            for (sum, x) in sums.iter_mut().zip(*word) {
                full_adder(b, sum, x, &mut own)?;
            }
            *carry = own;
        }
        if quiet > 0 {
            carries.make_public(b, &mut sums[quiet - 1], bit(public, quiet - 1) == 1);
        }
        if let Some(carry) = carries.wires.last_mut() {
            let mut own = carry.clone();
            for (i, sum) in (quiet..).zip(&mut sums[quiet..]) {
                let k = if bit(public, i) == 1 { R::ONE } else { R::ZERO };
                half_adder_of(b, sum, &mut own, k)?;
            }
            *carry = own;
        }
        if modular && let Some(out) = last.first_mut() {
            let odd = bit(public, carrying) == 1;
            *out = parity(b, words, carrying, carries, odd);
        }
        Ok(())
    }
}

impl<W: Clone, const M: usize> Carries<W, M> {
    /// Adds the first public bit that is not zero (if it is `odd`), for which there is no carry yet: the sum
    /// bit becomes the carry.
    #[inline(always)]
    fn make_public<R: Ring, B: Ops<R, Wire = W> + ?Sized>(&mut self, b: &mut B, sum: &mut W, odd: bool) {
        if odd && let Some(carry) = self.wires.last_mut() {
            carry.clone_from(sum);
            self.live = M;
            *sum = b.add_constant(sum, R::ONE);
        }
    }
}

/// The same columns of each number.
///
/// A loop and not `map`: this is compiled for each backend and number of operands, and the standard library's
/// functions on arrays make a dozen functions of each closure.
#[inline(always)]
pub(crate) fn columns<W, const M: usize>(mut words: [&[W]; M], range: Range<usize>) -> [&[W]; M] {
    for word in &mut words {
        *word = &word[range.clone()];
    }
    words
}

/// Bit `i` of a public number; zero from 64 on.
#[inline(always)]
pub(crate) fn bit(public: u64, i: usize) -> u64 {
    shifted(public, i) & 1
}

/// The bits of a public number from `n` on.
#[inline(always)]
pub(crate) fn shifted(public: u64, n: usize) -> u64 {
    if n < 64 { public >> n } else { 0 }
}

/// The sum bit of a column with fewer than `M - 1` carries. Adders take the bits, and after them the carries,
/// from the last one down, in the same order as when some wires are known: stored proofs depend on this order
/// of gates.
#[inline(always)]
fn first_column<R: Ring, B: Ops<R> + ?Sized, const M: usize>(
    b: &mut B,
    words: [&[B::Wire]; M],
    column: usize,
    carries: &mut Carries<B::Wire, M>,
    odd: bool,
) -> Result<B::Wire, B::Error> {
    let into = carries.wires.clone();
    let live = core::mem::take(&mut carries.live);
    let mut rest = words.iter().map(|word| &word[column]).chain(into.iter().take(live)).rev();
    let Some(mut last) = rest.next().cloned() else { return Ok(b.constant(R::ZERO)) };
    let mut out = carries.wires.iter_mut();
    while let (Some(x), Some(carry)) = (rest.next(), out.next()) {
        let Some(mut sum) = rest.next().cloned() else {
            let mut sum = x.clone();
            half_adder(b, &mut sum, &mut last, odd)?;
            *carry = last;
            carries.live += 1;
            return Ok(sum);
        };
        full_adder(b, &mut sum, x, &mut last)?;
        *carry = core::mem::replace(&mut last, sum);
        carries.live += 1;
    }
    if odd && let Some(carry) = carries.wires.get_mut(carries.live) {
        carry.clone_from(&last);
        last = b.add_constant(&last, R::ONE);
        carries.live += 1;
    }
    Ok(last)
}

/// Adds columns with `M - 1` carries and without public bits, or, with `HALF`, with `M` carries and public
/// bits.
#[inline(always)]
fn steady<R: Ring, B: Ops<R> + ?Sized, const M: usize, const HALF: bool>(
    b: &mut B,
    sums: &mut [B::Wire],
    words: [&[B::Wire]; M],
    carries: &mut [B::Wire; M],
    public: u64,
) -> Result<(), B::Error> {
    // All slices have one length, which is compared once for each column, and the carries are local, so they
    // can be in registers.
    let width = sums.len();
    let (words, mut own) = (columns(words, 0..width), carries.clone());
    for (i, out) in sums.iter_mut().enumerate() {
        let mut sum = words[0][i].clone();
        for (x, carry) in words[1..].iter().zip(&mut own) {
            full_adder(b, &mut sum, &x[i], carry)?;
        }
        if HALF && let Some(carry) = own.last_mut() {
            half_adder(b, &mut sum, carry, bit(public, i) == 1)?;
        }
        *out = sum;
    }
    *carries = own;
    Ok(())
}

/// The sum bit of a column without carries out.
#[inline(always)]
fn parity<R: Ring, B: Ops<R> + ?Sized, const M: usize>(
    b: &mut B,
    words: [&[B::Wire]; M],
    column: usize,
    carries: &Carries<B::Wire, M>,
    odd: bool,
) -> B::Wire {
    let mut sum = words[0][column].clone();
    for word in &words[1..] {
        sum = b.add(&sum, &word[column]);
    }
    for carry in carries.wires.iter().take(carries.live) {
        sum = b.add(&sum, carry);
    }
    if odd { b.add_constant(&sum, R::ONE) } else { sum }
}

/// `sum + 2 carry = sum + x + carry`, in place, for one AND and four XORs.
#[inline(always)]
pub(crate) fn full_adder<R: Ring, B: Ops<R> + ?Sized>(
    b: &mut B,
    sum: &mut B::Wire,
    x: &B::Wire,
    carry: &mut B::Wire,
) -> Result<(), B::Error> {
    let first = b.add(sum, carry);
    let second = b.add(x, carry);
    let product = b.mul(&first, &second)?;
    *sum = b.add(&first, x);
    *carry = b.add(&product, carry);
    Ok(())
}

/// `sum + 2 carry = sum + carry + odd`, in place, for one AND: the carry is `sum AND carry`, or, if `odd`,
/// `sum OR carry`.
#[inline(always)]
pub(crate) fn half_adder<R: Ring, B: Ops<R> + ?Sized>(
    b: &mut B,
    sum: &mut B::Wire,
    carry: &mut B::Wire,
    odd: bool,
) -> Result<(), B::Error> {
    let product = b.mul(sum, carry)?;
    let parity = b.add(sum, carry);
    if odd {
        *carry = b.add(&product, &parity);
        *sum = b.add_constant(&parity, R::ONE);
    } else {
        *carry = product;
        *sum = parity;
    }
    Ok(())
}

/// [`half_adder`] with the public bit as an element, and without a branch on it: public bits follow no
/// pattern.
#[inline(always)]
fn half_adder_of<R: Ring, B: Ops<R> + ?Sized>(
    b: &mut B,
    sum: &mut B::Wire,
    carry: &mut B::Wire,
    odd: R,
) -> Result<(), B::Error> {
    let product = b.mul(sum, carry)?;
    let parity = b.add(sum, carry);
    let either = b.scale(&parity, odd);
    *carry = b.add(&product, &either);
    *sum = b.add_constant(&parity, odd);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_field::{F2, F61};

    use super::*;
    use crate::{Counter, Evaluator};

    fn fit<R: Ring, const M: usize>(width: usize) -> bool {
        let (mut sums, word) = (vec![R::ZERO; width], vec![R::ZERO; width]);
        let mut carries = Carries { wires: [R::ZERO; M], live: 0 };
        let (words, carries) = ([word.as_slice(); M], &mut carries);
        Addends { sums: &mut sums, words, carries, public: 0, modular: false }.fit_words::<R>()
    }

    #[test]
    fn up_to_63_columns_of_few_numbers_of_bits_fit_words() {
        assert!(fit::<F2, 1>(0) && fit::<F2, 1>(63) && !fit::<F2, 1>(64));
        assert!(fit::<F2, 6>(63) && !fit::<F2, 6>(64));
        assert!(fit::<F2, 8>(48) && !fit::<F2, 8>(49));
        assert!(fit::<F2, 384>(1) && !fit::<F2, 385>(1) && !fit::<F2, 0>(0));
        assert!(!fit::<F61, 2>(32));
    }

    fn bits(word: u64, n: usize) -> Vec<F2> {
        (0..n).map(|i| F2::from_lsb(word >> i)).collect()
    }

    fn number(bits: &[F2]) -> u128 {
        bits.iter().rev().fold(0, |sum, bit| sum << 1 | u128::from(bit.to_u8()))
    }

    fn adds<const M: usize>(
        words: [u64; M],
        carries: u64,
        live: usize,
        public: u64,
        width: usize,
        modular: bool,
        by_adders: bool,
    ) {
        let live = live % (M + 1);
        let wires: [F2; M] = core::array::from_fn(|j| F2::from_lsb(carries >> j));
        let into: u128 = wires[..live].iter().map(|carry| u128::from(carry.to_u8())).sum();
        let (words, mut sums) = (words.map(|word| bits(word, width)), bits(0, width));
        let low = (1 << width) - 1;
        let expected =
            words.iter().map(|word| number(word)).sum::<u128>() + into + (u128::from(public) & low);
        let slices = words.each_ref().map(Vec::as_slice);
        let mut carries = Carries { wires, live };
        let addends = Addends { sums: &mut sums, words: slices, carries: &mut carries, public, modular };
        let multiplications = addends.multiplications();
        let b = &mut Evaluator::<F2>::new();
        if by_adders { addends.run_by_adders(b) } else { b.multi_add(addends) }.expect("never fails");
        let out: u128 = carries.wires[..carries.live].iter().map(|carry| u128::from(carry.to_u8())).sum();
        if modular {
            assert_eq!(number(&sums), expected & low);
        } else {
            assert_eq!(number(&sums) + (out << width), expected);
        }
        let mut counter = Counter::<F2>::new();
        let zeros = vec![counter.constant(F2::ZERO); width];
        let (mut sums, words) = (zeros.clone(), [zeros.as_slice(); M]);
        let mut carries = Carries { wires: core::array::from_fn(|_| counter.constant(F2::ZERO)), live };
        let addends = Addends { sums: &mut sums, words, carries: &mut carries, public, modular };
        if by_adders { addends.run_by_adders(&mut counter) } else { counter.multi_add(addends) }
            .expect("never fails");
        assert_eq!(counter.total().multiplications, multiplications as u64);
    }

    proptest! {
        #[test]
        fn sums_and_carries_are_those_of_integers(
            words: [u64; 5], carries: u64, live: usize, public: u64, shift in 0..=64_u32, width in 0..=64_usize, modular: bool, by_adders: bool,
        ) {
            // Public numbers of all lengths, so that their first bit is anywhere.
            let (public, [a, b, c, d, e]) = (public.unbounded_shl(shift), words);
            adds([a], carries, live, public, width, modular, by_adders);
            adds([a, b], carries, live, public, width, modular, by_adders);
            adds([a, b, c], carries, live, public, width, modular, by_adders);
            adds([a, b, c, d], carries, live, public, width, modular, by_adders);
            adds([a, b, c, d, e], carries, live, public, width, modular, by_adders);
        }
    }
}
