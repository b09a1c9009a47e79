//! Sums of binary numbers in the clear: on words, with the factors of all multiplications that they take.
//!
//! The carries that come into the columns of `s + x` are `s ^ x ^ (s + x)`, from one addition of words, and from these the factors of all
//! columns follow at once. They are wanted column by column, each adder's in turn, so their bits are spread and interleaved.

use volery_circuit::{Backend, Carries, Columns, Error, Ops};
use volery_field::Ring;

/// The most multiplications of a column, and the most columns: a carry comes out of the last.
const STRIDES: usize = 8;
const WIDTH: usize = 63;

/// Whether [`on_words`] can add these.
#[inline(always)]
pub(super) fn fits<R: Ring, const M: usize>(columns: &Columns<'_, R, M>) -> bool {
    R::pack_bits(&[]).is_some() && M > 0 && M <= STRIDES && columns.width() <= WIDTH
}

/// Adds `columns`, which must fit, and writes the left and right factors of their multiplications: there must be room for these.
///
/// # Errors
/// [`Error::Misuse`] if there is not.
#[inline]
pub(super) fn on_words<R: Ring, const M: usize>(
    columns: Columns<'_, R, M>,
    left: &mut [R],
    right: &mut [R],
) -> Result<(), Error> {
    let width = columns.width();
    let Columns { sums, words, carries, public, modular } = columns;
    let sums = &mut sums[..width];
    // Whole words are packed and unpacked: they are whole bytes, and what is left of them would not be.
    let mut packed = words.map(|word| pack(&word[..width]));
    let mut gates = Gates { rows: [left, right], used: 0 };
    let rest = Columns { sums: &mut *sums, words, carries, public, modular }.start(&mut gates)?;
    let Gates { rows: [left, right], used } = gates;
    let (first, carrying, quiet) = (width - rest.width(), rest.carrying(), rest.quiet_columns());
    let (width, public) = (rest.width(), rest.public & low(rest.width()));
    packed.iter_mut().for_each(|word| *word >>= first);
    let Carries { wires, live } = rest.carries;
    wires.iter_mut().skip(*live).for_each(|carry| *carry = R::ZERO);
    if quiet < carrying || quiet > 0 && public >> (quiet - 1) & 1 == 1 {
        *live = M;
    }
    let (mut sum, mut factors) = (packed[0], [[0; 2]; M]);
    for ((x, carry), factors) in packed[1..].iter().zip(wires.iter_mut()).zip(&mut factors) {
        let (next, into) = add(sum, *x, carry, width);
        (sum, *factors) = (next, [sum ^ into, x ^ into]);
    }
    if let Some(carry) = wires.last_mut() {
        let (next, into) = add(sum, public, carry, width);
        (sum, factors[M - 1]) = (next, [sum, into]);
    }
    // How many adders there are is a constant for the compiler in either case.
    let room = || Error::misuse("sums without room for their factors");
    let (before, after) = ((M - 1) * quiet, M * (carrying - quiet));
    let [left, right] = [left, right].map(|side| {
        let side = side.get_mut(used..)?.get_mut(..before + after)?;
        side.split_at_mut_checked(before)
    });
    let ((left, left_after), (right, right_after)) = (left.ok_or_else(room)?, right.ok_or_else(room)?);
    interleave(&factors[..M - 1], quiet, [left, right]);
    interleave(
        &factors.map(|sides| sides.map(|side| side >> quiet)),
        carrying - quiet,
        [left_after, right_after],
    );
    let start = pack(&sums[..first]);
    R::unpack_bits(sum << first | start, sums);
    Ok(())
}

#[inline(always)]
fn pack<R: Ring>(elements: &[R]) -> u64 {
    R::pack_bits(elements).unwrap_or_default()
}

/// So many bits.
#[inline(always)]
fn low(n: usize) -> u64 {
    (1 << n) - 1
}

/// Evaluates the first columns one gate after the other, and keeps the factors, as far as there is room.
struct Gates<'a, R> {
    rows: [&'a mut [R]; 2],
    used: usize,
}

impl<R: Ring> Backend for Gates<'_, R> {
    type Error = Error;
}

impl<R: Ring> Ops<R> for Gates<'_, R> {
    volery_circuit::linear_on_values!(R);

    #[inline(always)]
    fn mul(&mut self, x: &R, y: &R) -> Result<R, Error> {
        for (rows, factor) in self.rows.iter_mut().zip([x, y]) {
            if let Some(row) = rows.get_mut(self.used) {
                *row = *factor;
            }
        }
        self.used += 1;
        Ok(*x * *y)
    }
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
    use volery_field::{F2, F61};

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
        let words: [_; M] = core::array::from_fn(|j| bits(words[j], width));
        let words = words.each_ref().map(Vec::as_slice);
        let wires = core::array::from_fn(|j| F2::from_lsb(carries >> j));
        let mut carries = [(); 2].map(|()| Carries { wires, live: live % (M + 1) });
        let mut sums = [bits(0, width), bits(0, width)];
        let ([one, other], [mine, theirs]) = (&mut sums, &mut carries);
        let mut gates = ByGates::default();
        Columns { sums: one, words, carries: mine, public, modular }.run(&mut gates).expect("never fails");
        let columns = Columns { sums: other, words, carries: theirs, public, modular };
        let n = columns.multiplications();
        let [mut left, mut right] = [vec![F2::ZERO; n], vec![F2::ZERO; n]];
        assert!(fits(&columns));
        on_words(columns, &mut left, &mut right).expect("there is room");
        assert!(gates.0 == [left, right] && sums[0] == sums[1]);
        let [mine, theirs] = carries.each_ref().map(|carries| &carries.wires[..carries.live]);
        assert!(modular || mine == theirs);
    }

    proptest! {
        #[test]
        fn sums_carries_and_factors_are_those_of_gates(
            words: [u64; 8], carries: (u64, usize), public: u64, shift in 0..=64_u32, width in 0..=WIDTH, modular: bool,
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

    #[test]
    fn other_rings_and_wider_sums_do_not_fit() {
        fn fit<R: Ring>(width: usize) -> bool {
            let (mut sums, mut carries) = (vec![R::ZERO; width], Carries { wires: [R::ZERO; 2], live: 0 });
            let words = [vec![R::ZERO; width], vec![R::ZERO; width]];
            let words = words.each_ref().map(Vec::as_slice);
            fits(&Columns { sums: &mut sums, words, carries: &mut carries, public: 0, modular: true })
        }
        assert!(!fit::<F61>(4) && fit::<F2>(WIDTH) && !fit::<F2>(WIDTH + 1));
    }
}
