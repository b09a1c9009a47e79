//! Sums of binary numbers in the clear: on words, with the factors of all multiplications that they take.
//!
//! The carries that come into the columns of `s + x` are `s ^ x ^ (s + x)`, from one addition of words, and from these the factors of all
//! columns follow at once. They are wanted column by column, each adder's in turn, so their bits are spread and interleaved.

use volery_circuit::Columns;
use volery_field::Ring;

/// The most multiplications of a column, and the most columns: a carry comes out of the last.
const STRIDES: usize = 8;
const WIDTH: usize = 63;

/// Whether [`on_words`] can add these.
#[inline(always)]
pub(super) fn fits<R: Ring, const M: usize>(columns: &Columns<'_, R, M>) -> bool {
    R::pack_bits(&[]).is_some() && M > 0 && M <= STRIDES && columns.width() <= WIDTH
}

/// Adds `columns`, which must fit, and writes the left and right factors of their multiplications.
#[inline]
pub(super) fn on_words<R: Ring, const M: usize>(columns: Columns<'_, R, M>, left: &mut [R], right: &mut [R]) {
    let width = columns.width();
    let Columns { sums, words, carries, public } = columns;
    let word = |elements: &[R]| R::pack_bits(elements).unwrap_or_default();
    let mut sum = word(&words[0][..width]);
    let mut factors = [[0; 2]; M];
    for ((x, carry), factors) in words[1..].iter().zip(carries.iter_mut()).zip(&mut factors) {
        let (s, x) = (sum, word(&x[..width]));
        let (next, into) = add(s, x, carry, width);
        (sum, *factors) = (next, [s ^ into, x ^ into]);
    }
    // How many adders there are is a constant for the compiler in either case.
    if let (Some(k), Some(carry)) = (public, carries.last_mut()) {
        let (next, into) = add(sum, k & ((1 << width) - 1), carry, width);
        factors[M - 1] = [sum, into];
        sum = next;
        interleave(&factors, width, [left, right]);
    } else {
        interleave(&factors[..M - 1], width, [left, right]);
    }
    R::unpack_bits(sum, &mut sums[..width]);
}

/// The sum of two numbers and `carry`, in the first `width` bits, and the carries that come into each of these. What comes out of the last
/// takes the place of `carry`.
#[inline(always)]
fn add<R: Ring>(x: u64, y: u64, carry: &mut R, width: usize) -> (u64, u64) {
    let low = (1 << width) - 1;
    let sum = x + y + R::pack_bits(&[*carry]).unwrap_or_default();
    let carries = x ^ y ^ sum;
    R::unpack_bits(carries >> width, core::slice::from_mut(carry));
    (sum & low, carries & low)
}

/// Element `n i + j` of either side is bit `i` of the `n` factors' number `j`.
#[inline(always)]
fn interleave<R: Ring>(factors: &[[u64; 2]], width: usize, sides: [&mut [R]; 2]) {
    let n = factors.len().clamp(1, STRIDES);
    let columns = 64 / n;
    for (side, out) in sides.into_iter().enumerate() {
        for (i, out) in (0..width).step_by(columns).zip(out.chunks_mut(columns * n)) {
            let spread = factors.iter().enumerate().map(|(j, factors)| spread(factors[side] >> i, n) << j);
            R::unpack_bits(spread.fold(0, |all, bits| all | bits), out);
        }
    }
}

/// Bit `i` goes to `n i`, for as many bits as there is room for; `n` is 1 to 8.
///
/// Halves of blocks of bits move apart, then halves of these.
#[inline(always)]
fn spread(word: u64, n: usize) -> u64 {
    let mut word = word & PLACES[n - 1][0];
    for (step, places) in PLACES[n - 1][1..].iter().enumerate() {
        word = (word | word.unbounded_shl((16 >> step) * (n as u32 - 1))) & places;
    }
    word
}

/// Where bits are, for each `n`, with blocks of 32, 16, 8, 4, 2 and 1 of them where they belong. (For `n = 1` all are from the start.)
const PLACES: [[u64; 6]; STRIDES] = {
    let mut places = [[u64::MAX; 6]; STRIDES];
    let mut n = 2;
    while n <= STRIDES {
        let mut step = 0;
        while step < 6 {
            let (block, mut i, mut word) = (32 >> step, 0, 0);
            while i < 64 / n {
                word |= 1 << (i / block * block * n + i % block);
                i += 1;
            }
            places[n - 1][step] = word;
            step += 1;
        }
        n += 1;
    }
    places
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_circuit::{Backend, Error, Ops};
    use volery_field::{F2, F61};

    use super::*;

    /// Evaluates one gate after another, and keeps the factors.
    #[derive(Default)]
    struct Gates([Vec<F2>; 2]);

    impl Backend for Gates {
        type Error = Error;
    }

    impl Ops<F2> for Gates {
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

    fn words_are_as_gates<const M: usize>(words: [u64; 8], carries: u64, public: Option<u64>, width: usize) {
        let words: [_; M] = core::array::from_fn(|j| bits(words[j], width));
        let words = words.each_ref().map(Vec::as_slice);
        let (mut sums, mut carries) =
            ([bits(0, width), bits(0, width)], [core::array::from_fn(|j| F2::from_lsb(carries >> j)); 2]);
        let ([one, other], [mine, theirs]) = (&mut sums, &mut carries);
        let mut gates = Gates::default();
        let columns = Columns { sums: one, words, carries: mine, public };
        columns.run(&mut gates).expect("never fails");
        let columns = Columns { sums: other, words, carries: theirs, public };
        let n = columns.multiplications();
        let [mut left, mut right] = [vec![F2::ZERO; n], vec![F2::ZERO; n]];
        assert!(fits(&columns));
        on_words(columns, &mut left, &mut right);
        assert!(gates.0 == [left, right] && sums[0] == sums[1] && carries[0] == carries[1]);
    }

    proptest! {
        #[test]
        fn sums_carries_and_factors_are_those_of_gates(words: [u64; 8], carries: u64, public: Option<u64>, width in 0..=WIDTH) {
            words_are_as_gates::<1>(words, carries, public, width);
            words_are_as_gates::<2>(words, carries, public, width);
            words_are_as_gates::<3>(words, carries, public, width);
            words_are_as_gates::<4>(words, carries, public, width);
            words_are_as_gates::<5>(words, carries, public, width);
            words_are_as_gates::<8>(words, carries, public, width);
        }
    }

    #[test]
    fn other_rings_and_wider_sums_do_not_fit() {
        let (mut sums, mut carries) = (vec![F61::ZERO; 4], [F61::ZERO; 2]);
        let words = [&[F61::ZERO; 4][..]; 2];
        assert!(!fits(&Columns { sums: &mut sums, words, carries: &mut carries, public: None }));
        let (mut sums, mut carries) = (vec![F2::ZERO; 64], [F2::ZERO; 2]);
        let words = [&[F2::ZERO; 64][..]; 2];
        assert!(!fits(&Columns { sums: &mut sums, words, carries: &mut carries, public: None }));
    }
}
