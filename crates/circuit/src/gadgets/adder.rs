//! Sums of many operands with the fewest ANDs. Every integer gadget and hash function here is built on them.
//!
//! Column `i` holds wires of weight `2^i`. A full adder turns three of them into one sum bit of the same
//! weight and one carry of weight `2^(i+1)`,
//!
//! ```text
//! s = x + y + c        c' = (x + c)(y + c) + c        (over F2)
//! ```
//!
//! for one AND. So a column of `h` unknown wires costs `h/2` ANDs, rounded down, and the last column of a sum
//! modulo `2^n` costs none. This takes fewer ANDs than a chain of two-operand adders, because the first
//! columns get few carries and are cheaper (three operands of 32 bits: 61 ANDs, not 62; five: 121, not 124).
//!
//! Known bits never enter an adder. The known bits of a column are added to one number, half of which
//! (rounded down) carries over. The remaining bit turns the last half adder into an OR (`x + y + 1`), or
//! costs nothing if just one unknown wire is left (`x + 1` has sum `NOT x` and carry `x`). So a public addend
//! costs at most one AND for each bit, and nothing below its lowest set bit. It does not matter whether it is
//! the constant `k` or wires that [`Ops::known`] reports.

use volery_field::F2;

use super::logic::not;
use crate::multi_add::{bit, columns, full_adder, half_adder, shifted};
use crate::{Addends, Carries, Ops};

/// Adds numbers column by column, least significant bit first, if some wires are known. It reuses its buffers
/// from sum to sum, so that a hash function allocates nothing for each word.
#[derive(Clone)]
pub(super) struct Adder<W> {
    /// The unknown wires carried from the columns so far into the next one.
    carries: Vec<W>,
    /// The unknown wires of the current column.
    column: Vec<W>,
    /// The sum of the known bits of the current column, including carries.
    known: u64,
}

impl<W: Clone> Adder<W> {
    pub(super) fn new() -> Self {
        Self { carries: Vec::new(), column: Vec::new(), known: 0 }
    }

    /// Starts a sum, without carries.
    pub(super) fn start(&mut self) {
        self.carries.clear();
        self.column.clear();
        self.known = 0;
    }

    /// `out = operands[0] + operands[1] + ... + k` modulo `2^out.len()`, all little-endian. Shorter operands
    /// are padded with zeros; only the first `out.len()` bits of longer ones and of `k` count.
    ///
    /// The previous content of `out` does not matter; the caller passes it so that a sum allocates nothing.
    ///
    /// # Errors
    /// Any error of the backend.
    pub(super) fn sum<B: Ops<F2, Wire = W> + ?Sized, const M: usize>(
        &mut self,
        b: &mut B,
        out: &mut [W],
        operands: [&[W]; M],
        k: u64,
    ) -> Result<(), B::Error> {
        self.start();
        let n = out.len();
        // For backends without known wires, the compiler removes this.
        let unknown = |x: &&[W]| x.len() >= n && x[..n].iter().all(|wire| b.known(wire).is_none());
        if M > 0 && n > 0 && operands.iter().all(unknown) {
            return self.columns(b, out, columns(operands, 0..n), k, 0, true);
        }
        let mut i = 0;
        while i < n {
            let unknown = self.unknown_columns(b, n, &operands, k, i);
            if unknown > i {
                let words = columns(operands, i..unknown);
                self.columns(b, &mut out[i..unknown], words, k, i, unknown == n)?;
                i = unknown;
                continue;
            }
            self.known += bit(k, i);
            for x in &operands {
                self.push(b, x.get(i));
            }
            out[i] = if i + 1 == n { self.last_column(b) } else { self.column(b)? };
            i += 1;
        }
        Ok(())
    }

    /// The end of the run of columns from `first` on in which no wire is known and no operand is too short;
    /// `first` if there are none.
    fn unknown_columns<B: Ops<F2, Wire = W> + ?Sized, const M: usize>(
        &self,
        b: &B,
        n: usize,
        operands: &[&[W]; M],
        k: u64,
        first: usize,
    ) -> usize {
        // Results of unknown wires are not known either.
        let unknown = |wire: &W| b.known(wire).is_none();
        let carries = self.carries.len() <= M && self.carries.iter().all(unknown);
        if M == 0 || !carries || self.known + bit(k, first) > 1 {
            return first;
        }
        let end = operands.iter().fold(n, |end, x| end.min(x.len())).max(first);
        let unknown_column = |i: &usize| operands.iter().all(|x| x.get(*i).is_none_or(unknown));
        first + (first..end).take_while(unknown_column).count()
    }

    /// Adds the columns from `first` on, in which nothing is known, all at once. With `modular` these are the
    /// last.
    fn columns<B: Ops<F2, Wire = W> + ?Sized, const M: usize>(
        &mut self,
        b: &mut B,
        sums: &mut [W],
        words: [&[W]; M],
        k: u64,
        first: usize,
        modular: bool,
    ) -> Result<(), B::Error> {
        let public = shifted(k, first) + core::mem::take(&mut self.known);
        let stand_in = &words[0][0];
        let wires = core::array::from_fn(|j| self.carries.get(j).unwrap_or(stand_in).clone());
        let mut carries = Carries { wires, live: self.carries.len() };
        b.multi_add(Addends { sums, words, carries: &mut carries, public, modular })?;
        self.carries.clear();
        if !modular {
            self.carries.extend_from_slice(&carries.wires[..carries.live]);
        }
        Ok(())
    }

    /// Adds a wire to the current column.
    pub(super) fn push<B: Ops<F2, Wire = W> + ?Sized>(&mut self, b: &B, wire: Option<&W>) {
        let Some(wire) = wire else { return };
        match b.known(wire) {
            Some(value) => self.known += u64::from(value.to_bool()),
            None => self.column.push(wire.clone()),
        }
    }

    /// Finishes the current column: returns its sum bit and keeps its carries for the next column.
    pub(super) fn column<B: Ops<F2, Wire = W> + ?Sized>(&mut self, b: &mut B) -> Result<W, B::Error> {
        self.take_carries(b);
        let odd = self.known & 1 == 1;
        self.known >>= 1;
        while let [.., x, y, c] = self.column.as_slice() {
            let (mut sum, mut carry) = (x.clone(), c.clone());
            full_adder(b, &mut sum, y, &mut carry)?;
            self.column.truncate(self.column.len() - 3);
            self.column.push(sum);
            self.carries.push(carry);
        }
        match self.column.as_slice() {
            [x, y] => {
                let (mut sum, mut carry) = (x.clone(), y.clone());
                half_adder(b, &mut sum, &mut carry, odd)?;
                self.column.clear();
                self.carries.push(carry);
                Ok(sum)
            }
            [x] => {
                let x = x.clone();
                self.column.clear();
                Ok(self.plus_known(b, x, odd))
            }
            _ => Ok(b.constant(F2::new(odd))),
        }
    }

    /// Finishes the most significant column. Only its parity counts, so it needs no AND.
    pub(super) fn last_column<B: Ops<F2, Wire = W> + ?Sized>(&mut self, b: &mut B) -> W {
        self.take_carries(b);
        let odd = F2::new(self.known & 1 == 1);
        let mut wires = self.column.drain(..);
        let Some(mut sum) = wires.next() else { return b.constant(odd) };
        for x in wires {
            sum = b.add(&sum, &x);
        }
        if odd.to_bool() { b.add_constant(&sum, odd) } else { sum }
    }

    fn take_carries<B: Ops<F2, Wire = W> + ?Sized>(&mut self, b: &B) {
        for i in 0..self.carries.len() {
            match b.known(&self.carries[i]) {
                Some(value) => self.known += u64::from(value.to_bool()),
                None => self.column.push(self.carries[i].clone()),
            }
        }
        self.carries.clear();
    }

    /// `x` plus the known bit `odd`. If there can be a carry, it is `x` itself.
    fn plus_known<B: Ops<F2, Wire = W> + ?Sized>(&mut self, b: &mut B, x: W, odd: bool) -> W {
        if !odd {
            return x;
        }
        let sum = not(b, &x);
        self.carries.push(x);
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Backend, Error};

    /// Wires have numbers; one gate after the other is written down.
    #[derive(Default)]
    struct Gates {
        gates: Vec<(&'static str, usize, usize)>,
    }

    impl Gates {
        fn gate(&mut self, gate: &'static str, x: usize, y: usize) -> usize {
            self.gates.push((gate, x, y));
            1000 + self.gates.len()
        }
    }

    impl Backend for Gates {
        type Error = Error;
    }

    impl Ops<F2> for Gates {
        type Wire = usize;

        fn constant(&mut self, c: F2) -> usize {
            self.gate("constant", c.to_u8().into(), 0)
        }

        fn add(&mut self, x: &usize, y: &usize) -> usize {
            self.gate("add", *x, *y)
        }

        fn sub(&mut self, x: &usize, y: &usize) -> usize {
            self.gate("sub", *x, *y)
        }

        fn add_constant(&mut self, x: &usize, c: F2) -> usize {
            self.gate("add constant", *x, c.to_u8().into())
        }

        fn scale(&mut self, x: &usize, c: F2) -> usize {
            self.gate("scale", *x, c.to_u8().into())
        }

        fn mul(&mut self, x: &usize, y: &usize) -> Result<usize, Error> {
            Ok(self.gate("mul", *x, *y))
        }
    }

    /// A column with a carry for each further number.
    fn steady_column<const M: usize>(
        b: &mut Gates,
        carries: &mut Vec<usize>,
        bits: [usize; M],
        public: u64,
    ) -> usize {
        let mut sum = bits[0];
        for (x, carry) in bits[1..].iter().zip(carries.iter_mut()) {
            full_adder(b, &mut sum, x, carry).expect("never fails");
        }
        if carries.len() == M {
            half_adder(b, &mut sum, &mut carries[M - 1], public == 1).expect("never fails");
        } else if public == 1 {
            carries.push(sum);
            sum = not(b, &sum);
        }
        sum
    }

    fn gates_are_those_of_columns<const M: usize>(n: usize, k: u64) {
        let numbers: [Vec<usize>; M] = core::array::from_fn(|j| (0..n).map(|i| 100 * j + i).collect());
        let (mut one, mut other) = (Gates::default(), Gates::default());
        let (mut adder, mut sum) = (Adder::new(), vec![0; n]);
        adder.sum(&mut one, &mut sum, numbers.each_ref().map(Vec::as_slice), k).expect("never fails");
        adder.start();
        let mut expected = Vec::new();
        for i in 0..n {
            let (last, steady) = (i + 1 == n, adder.carries.len() + 1 >= M);
            if steady && !last {
                expected.push(steady_column(
                    &mut other,
                    &mut adder.carries,
                    numbers.each_ref().map(|x| x[i]),
                    bit(k, i),
                ));
                continue;
            }
            adder.known = bit(k, i);
            numbers.iter().for_each(|number| adder.push(&other, number.get(i)));
            expected.push(if last {
                adder.last_column(&mut other)
            } else {
                adder.column(&mut other).expect("never fails")
            });
        }
        assert_eq!((one.gates, sum), (other.gates, expected));
    }

    proptest! {
        /// What is stored is proved of these gates, whichever way they come about.
        #[test]
        fn gates_of_numbers_of_which_nothing_is_known_are_those_of_column_after_column(n in 0..70_usize, k: u64, shift in 0..=64_u32) {
            let k = k.unbounded_shl(shift);
            gates_are_those_of_columns::<1>(n, k);
            gates_are_those_of_columns::<2>(n, k);
            gates_are_those_of_columns::<3>(n, k);
            gates_are_those_of_columns::<4>(n, k);
            gates_are_those_of_columns::<5>(n, k);
            gates_are_those_of_columns::<6>(n, k);
        }
    }
}
