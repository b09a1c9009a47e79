//! Sums of binary numbers in the clear, computed on words, with the factors of all multiplications that they
//! take.
//!
//! The carries into the columns of `s + x` are `s ^ x ^ (s + x)`, from one addition of words. From these, the
//! factors of one adder in all columns follow at once. So in a disjunction each adder goes through all
//! columns before the next one starts.

use volery_circuit::{Addends, Backend, Carries, Error, Ops};
use volery_field::Ring;

use super::store::pack;

/// [`Addends::run_by_adders`] on words, which they must [fit](Addends::fit_words). `rows` receives the left
/// and the right factors of each group of multiplications, with the lowest bits first.
///
/// # Errors
/// None of its own.
#[inline]
pub(super) fn on_words<R: Ring, const M: usize>(
    columns: Addends<'_, R, M>,
    mut rows: impl FnMut([u64; 2], usize),
) -> Result<(), Error> {
    let width = columns.width();
    let Addends { sums, words, carries, public, modular } = columns;
    let sums = &mut sums[..width];
    // Packing and unpacking work on whole words, because whole bytes are fast and a remainder would not be.
    let mut packed = [0; M];
    packed.iter_mut().zip(&words).for_each(|(packed, word)| *packed = pack(&word[..width]));
    let rest = Addends { sums: &mut *sums, words, carries, public, modular }.start(&mut Gates(&mut rows))?;
    let (first, carrying, quiet) = (width - rest.width(), rest.carrying(), rest.quiet_columns());
    let (width, public) = (rest.width(), rest.public & low(rest.width()));
    let Carries { wires, live } = rest.carries;
    // Entries after the carries are ignored.
    wires.iter_mut().skip(*live).for_each(|carry| *carry = R::ZERO);
    if quiet < carrying || quiet > 0 && public >> (quiet - 1) & 1 == 1 {
        *live = M;
    }
    let mut sum = packed[0] >> first;
    for (x, carry) in packed[1..].iter().zip(wires.iter_mut()) {
        let x = x >> first;
        let (next, into) = add(sum, x, carry, width);
        rows([sum ^ into, x ^ into], carrying);
        sum = next;
    }
    if let Some(carry) = wires.last_mut() {
        let (next, into) = add(sum, public, carry, width);
        rows([sum >> quiet, into >> quiet], carrying - quiet);
        sum = next;
    }
    let start = pack(&sums[..first]);
    R::unpack_bits(sum << first | start, sums);
    Ok(())
}

/// A word whose lowest `n` bits are set.
#[inline(always)]
fn low(n: usize) -> u64 {
    (1 << n) - 1
}

/// Evaluates the first columns one gate after the other.
struct Gates<F>(F);

impl<F> Backend for Gates<F> {
    type Error = Error;
}

impl<R: Ring, F: FnMut([u64; 2], usize)> Ops<R> for Gates<F> {
    volery_circuit::linear_on_values!(R);

    #[inline(always)]
    fn mul(&mut self, x: &R, y: &R) -> Result<R, Error> {
        (self.0)([pack(&[*x]), pack(&[*y])], 1);
        Ok(*x * *y)
    }
}

/// The sum of two numbers and `carry` in the first `width` bits, and the carries into each of these. The
/// carry out of the last replaces `carry`.
#[inline(always)]
fn add<R: Ring>(x: u64, y: u64, carry: &mut R, width: usize) -> (u64, u64) {
    let sum = x + y + pack(&[*carry]);
    let carries = x ^ y ^ sum;
    R::unpack_bits(carries >> width, core::slice::from_mut(carry));
    (sum & low(width), carries & low(width))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_circuit::MOST_BY_ADDERS;
    use volery_field::F2;

    use super::*;

    /// Evaluates one gate after another, and keeps all factors.
    #[derive(Default)]
    struct ByGates([Vec<F2>; 2]);

    impl Backend for ByGates {
        type Error = Error;
    }

    impl Ops<F2> for ByGates {
        volery_circuit::linear_on_values!(F2);

        fn mul(&mut self, x: &F2, y: &F2) -> Result<F2, Error> {
            self.0[0].push(*x);
            self.0[1].push(*y);
            Ok(*x * *y)
        }
    }

    fn bits(word: u64, n: usize) -> Vec<F2> {
        (0..n).map(|i| F2::from_lsb(word >> i)).collect()
    }

    fn words_are_as_gates<const M: usize>(
        words: [u64; 8],
        (carries, live): (u64, usize),
        public: u64,
        width: usize,
        modular: bool,
    ) {
        // Of many numbers only short ones fit.
        let width = width.min(MOST_BY_ADDERS / M);
        let words: [_; M] = core::array::from_fn(|j| bits(words[j], width));
        let words = words.each_ref().map(Vec::as_slice);
        let wires = core::array::from_fn(|j| F2::from_lsb(carries >> j));
        let mut carries = [(); 2].map(|()| Carries { wires, live: live % (M + 1) });
        let mut sums = [bits(0, width), bits(0, width)];
        let ([one, other], [mine, theirs]) = (&mut sums, &mut carries);
        let mut gates = ByGates::default();
        let columns = Addends { sums: one, words, carries: mine, public, modular };
        columns.run_by_adders(&mut gates).expect("never fails");
        let columns = Addends { sums: other, words, carries: theirs, public, modular };
        let mut factors = [vec![], vec![]];
        let rows = |words: [u64; 2], n| {
            factors.iter_mut().zip(words).for_each(|(factors, word)| factors.extend(bits(word, n)));
        };
        on_words(columns, rows).expect("never fails");
        assert!(gates.0 == factors && sums[0] == sums[1]);
        let [mine, theirs] = carries.each_ref().map(|carries| &carries.wires[..carries.live]);
        assert!(modular || mine == theirs);
    }

    proptest! {
        #[test]
        fn sums_carries_and_factors_are_those_of_gates(
            words: [u64; 8], carries: (u64, usize), public: u64, shift in 0..=64_u32, width in 0..=63_usize, modular: bool,
        ) {
            let public = public.unbounded_shl(shift);
            words_are_as_gates::<1>(words, carries, public, width, modular);
            words_are_as_gates::<2>(words, carries, public, width, modular);
            words_are_as_gates::<3>(words, carries, public, width, modular);
            words_are_as_gates::<4>(words, carries, public, width, modular);
            words_are_as_gates::<5>(words, carries, public, width, modular);
            words_are_as_gates::<8>(words, carries, public, width, modular);
        }
    }
}
