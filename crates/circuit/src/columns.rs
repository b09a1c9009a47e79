//! The inner loop of adders, by itself, so that backends can have a faster one.

use volery_field::Ring;

use crate::Ops;

/// Columns of a sum of `M` binary numbers over F2, as [`Ops::ripple`] adds them: `M - 1` adders one after another, each of which hands a
/// carry from column to column, and for a public number one more.
///
/// In each column, for the sum bit `s` that is the first word's, each further word's `x` and its carry `c`
///
/// ```text
/// p = (s + c)(x + c)    s' = s + c + x    c' = p + c
/// ```
///
/// and then, for a bit `k` of the public number and the last carry,
///
/// ```text
/// p = s c    s' = s + c + k    c' = p, or p + s + c if k = 1
/// ```
pub struct Columns<'a, W, const M: usize> {
    /// Where the sum goes, as many bits as there are columns.
    pub sums: &'a mut [W],
    /// The numbers, as long each; what is longer does not count.
    pub words: [&'a [W]; M],
    /// Those of the further words in order, into the first column and out of the last; and that of the public number.
    pub carries: &'a mut [W; M],
    /// The public number, least significant bit first, if there is one. Bits from 64 on are zero.
    pub public: Option<u64>,
}

impl<W: Clone, const M: usize> Columns<'_, W, M> {
    /// How many columns there are.
    #[inline(always)]
    #[must_use]
    pub fn width(&self) -> usize {
        self.words.iter().map(|word| word.len()).min().map_or(0, |width| width.min(self.sums.len()))
    }

    /// How many multiplications it takes.
    #[inline(always)]
    #[must_use]
    pub fn multiplications(&self) -> usize {
        self.width() * (M.saturating_sub(1) + usize::from(self.public.is_some()))
    }

    /// Adds them one column after the other.
    ///
    /// # Errors
    /// The backend's.
    #[inline(always)]
    pub fn run<R: Ring, B: Ops<R, Wire = W> + ?Sized>(self, b: &mut B) -> Result<(), B::Error> {
        let width = self.width();
        let Self { sums, words, carries, public } = self;
        // One length for all, which is compared once a column; and carries of our own, which can be in registers.
        let (sums, words, mut carry) =
            (&mut sums[..width], words.map(|word| &word[..width]), carries.clone());
        // Loops of their own with and without the last carry: there is no test of it, and fewer registers are taken.
        if let Some(public) = public {
            for (i, out) in sums.iter_mut().enumerate() {
                let mut sum = full_adders(b, &words, i, &mut carry)?;
                if let Some(carry) = carry.last_mut() {
                    half_adder(b, &mut sum, carry, i < 64 && public >> i & 1 == 1)?;
                }
                *out = sum;
            }
        } else {
            for (i, out) in sums.iter_mut().enumerate() {
                *out = full_adders(b, &words, i, &mut carry)?;
            }
        }
        *carries = carry;
        Ok(())
    }
}

/// The sum bit of column `i`, before what is public.
#[inline(always)]
fn full_adders<R: Ring, B: Ops<R> + ?Sized, const M: usize>(
    b: &mut B,
    words: &[&[B::Wire]; M],
    i: usize,
    carries: &mut [B::Wire; M],
) -> Result<B::Wire, B::Error> {
    let mut sum = words[0][i].clone();
    for (x, carry) in words[1..].iter().zip(carries) {
        full_adder(b, &mut sum, &x[i], carry)?;
    }
    Ok(sum)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_field::F2;

    use super::*;
    use crate::{Counter, Evaluator};

    fn bits(word: u64, n: usize) -> Vec<F2> {
        (0..n).map(|i| F2::from_lsb(word >> i)).collect()
    }

    fn number(bits: &[F2]) -> u128 {
        bits.iter().rev().fold(0, |sum, bit| sum << 1 | u128::from(bit.to_u8()))
    }

    fn adds<const M: usize>(words: [u64; M], carries: u64, public: Option<u64>, width: usize) {
        // The last carry is the public number's.
        let mut carries: [F2; M] = core::array::from_fn(|j| F2::from_lsb(carries >> j));
        let live = M - usize::from(public.is_none());
        let (words, mut sums) = (words.map(|word| bits(word, width)), bits(0, width));
        let into: u128 = carries[..live].iter().map(|carry| u128::from(carry.to_u8())).sum();
        let low = (1 << width) - 1;
        let expected = words.iter().map(|word| number(word)).sum::<u128>()
            + into
            + u128::from(public.unwrap_or(0)) % (low + 1);
        let slices = words.each_ref().map(Vec::as_slice);
        let columns = Columns { sums: &mut sums, words: slices, carries: &mut carries, public };
        let multiplications = columns.multiplications();
        Evaluator::<F2>::new().ripple(columns).expect("never fails");
        let out: u128 = carries[..live].iter().map(|carry| u128::from(carry.to_u8())).sum();
        assert_eq!(number(&sums) + (out << width), expected);
        let mut counter = Counter::<F2>::new();
        let zeros = vec![counter.constant(F2::ZERO); width];
        let (mut sums, mut carries) = (zeros.clone(), core::array::from_fn(|_| counter.constant(F2::ZERO)));
        let words = [zeros.as_slice(); M];
        counter
            .ripple(Columns { sums: &mut sums, words, carries: &mut carries, public })
            .expect("never fails");
        assert_eq!(counter.total().multiplications, multiplications as u64);
    }

    proptest! {
        #[test]
        fn sums_and_carries_are_those_of_integers(words: [u64; 4], carries: u64, public: Option<u64>, width in 0..=64_usize) {
            let [a, b, c, d] = words;
            adds([a], carries, public, width);
            adds([a, b], carries, public, width);
            adds([a, b, c], carries, public, width);
            adds([a, b, c, d], carries, public, width);
        }
    }
}
