//! Loads.
//!
//! **Addresses need no ranges.** A tuple of memory exists for the words of the program's segments and of the
//! stack only: those that can be written at their addresses, multiples of 4 below 2^32; the others
//! [`READ_ONLY`] above, from 2^33 to 2^33 + 2^32. A load finds the tuple at `X + IMMEDIATE + 2^32 K` (less
//! the byte's place in its word), where `X + IMMEDIATE` is below 2^33 and `K` is -1, 0, 1 or 2:
//!
//! ```text
//!                    K = -1               0                 1               2
//! sum below 2^32     negative: none       writable word     none            read-only word
//! sum from 2^32 on   writable word        2^32..2^33: none  read-only word  above: none
//! ```
//!
//! Each is the word at the sum modulo 2^32, and only one of them can exist. A misaligned address has none.

use super::*;

/// `K` is -1, 0, 1 or 2.
#[inline(always)]
fn wraps<B: Relate<F61>>(b: &mut B, row: &[B::Wire], k: usize) -> Result<(), B::Error> {
    let [k] = at::<5, 1, B>(b, row, [k]);
    let [one, two] = [1, 2].map(int::<5, B>);
    b.claim((k + one) * k * (k - one) * (k - two))
}

/// The value of `K`.
#[inline(always)]
fn wrap(address: i64, read_only: bool) -> i64 {
    i64::from(read_only) * 2 - (address >> 32)
}

/// `lw`.
pub(in super::super) struct LoadWord;

mod word {
    use super::*;
    columns!(RD RS1 IMMEDIATE X XT XL K V VT VL OLD OT OL);
    const FIELDS: [usize; 3] = [RD, RS1, IMMEDIATE];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);
    const FOUND: Found = Found { time: VT, low: VL };

    impl Table for LoadWord {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::LoadWord, &FIELDS);
            shape.step_on();
            shape.read(FIRST);
            let address = column(X) + column(IMMEDIATE) + column(K) * (1 << 32);
            shape.memory(address, [column(V), column(V)], FOUND);
            shape.write(RESULT, column(V));
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            wraps(b, row, K)
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, rs1, immediate, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            let access = work.memory(row, V, FOUND);
            let address = i64::from(work.x) + immediate;
            row.put(K, wrap(address, work.read_only(&access)));
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, Given};
        use super::*;

        #[test]
        fn each_check_of_a_load_is_needed() {
            let row = Given::new([7, 5, 0, 0, 0, 0, 0], [8, 0, 9]).with_access(8, [9, 9]).row::<LoadWord>();
            let mut alone = Alone::<LoadWord>::new();
            alone.honest(&row);
            alone.done([1, 6], &[]);
        }
    }
}

/// A halfword of a word, and the bytes of that.
///
/// `ODD` and `UPPER` are the bits of the byte's place. `HALF` is the half of the word that `UPPER` means, `B`
/// the byte of it that `PICK` means, a bit, and `OTHER` the other byte:
///
/// ```text
/// V = LOW + 2^16 HIGH     HALF = LOW + UPPER (HIGH - LOW)     HALF = B + 256 OTHER + PICK 255 (B - OTHER)
/// ```
///
/// Halves are below 2^16, so there is one pair of bytes.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) word: usize,
    pub(super) odd: usize,
    pub(super) upper: usize,
    pub(super) low: usize,
    pub(super) half: usize,
    pub(super) byte: usize,
    pub(super) other: usize,
}

impl Shape {
    /// The ranges of a part, except that of the byte.
    pub(super) fn part(&mut self, part: Part) {
        self.word(column(part.word), part.low);
        self.byte(column(part.other));
    }
}

impl Part {
    /// The distance of the byte from its word.
    pub(super) fn place(&self) -> Form {
        column(self.odd) + column(self.upper) * 2
    }

    /// The relations; `pick` says of which byte `byte` is.
    #[inline(always)]
    pub(super) fn claim<B: Relate<F61>>(
        &self,
        b: &mut B,
        row: &[B::Wire],
        pick: B::Expression<3>,
    ) -> Result<(), B::Error> {
        bits(b, row, [self.odd, self.upper])?;
        let down = B::embed(integer(1 << 16).inverse_or_zero());
        let [v, low, upper, half] = at::<3, 4, B>(b, row, [self.word, self.low, self.upper, self.half]);
        b.claim(low + upper * ((v - low).scale(down) - low) - half)?;
        let [byte, other] = at::<3, 2, B>(b, row, [self.byte, self.other]);
        let swapped = pick * (byte - other).scale(B::embed(integer(255)));
        b.claim(byte + other.scale(B::embed(integer(256))) + swapped - half)
    }

    /// Writes the columns. Returns the half and the byte.
    #[inline(always)]
    pub(super) fn put(&self, row: &mut Row<'_>, word: u32, place: i64, pick: bool) -> [i64; 2] {
        let (odd, upper) = (place & 1, place >> 1 & 1);
        let half = i64::from(word) >> (16 * upper) & 0xffff;
        let bytes = [half & 0xff, half >> 8];
        let [byte, other] = if pick { [bytes[1], bytes[0]] } else { bytes };
        row.put(self.odd, odd);
        row.put(self.upper, upper);
        row.put_low(self.low, word.into());
        row.put(self.half, half);
        row.put(self.byte, byte);
        row.put(self.other, other);
        [half, byte]
    }
}

/// `lb`, `lh`, `lbu`, `lhu`. A halfword's sign is that of its second byte, so that byte is the one picked.
/// `NEGATIVE` is the sign if the load is signed.
pub(in super::super) struct LoadPart;

mod part {
    use super::*;
    columns!(RD RS1 IMMEDIATE WIDE SIGNED X XT XL K V VT VL OLD OT OL
        ODD UPPER LOW HALF B OTHER NEGATIVE R);
    const FIELDS: [usize; 5] = [RD, RS1, IMMEDIATE, WIDE, SIGNED];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);
    const FOUND: Found = Found { time: VT, low: VL };
    const PART: Part = Part { word: V, odd: ODD, upper: UPPER, low: LOW, half: HALF, byte: B, other: OTHER };

    impl Table for LoadPart {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::LoadPart, &FIELDS);
            shape.step_on();
            shape.read(FIRST);
            let address = column(X) + column(IMMEDIATE) + column(K) * (1 << 32) - PART.place();
            shape.memory(address, [column(V), column(V)], FOUND);
            shape.part(PART);
            shape.look_up(Public::Sign, [B, SIGNED, NEGATIVE].map(column));
            shape.write(RESULT, column(R));
            shape
        }

        #[inline(always)]
        fn claim<B_: Relate<F61>>(b: &mut B_, row: &[B_::Wire]) -> Result<(), B_::Error> {
            wraps(b, row, K)?;
            let [odd, wide, negative] = at::<3, 3, B_>(b, row, [ODD, WIDE, NEGATIVE]);
            b.claim(odd * wide)?;
            PART.claim(b, row, odd + wide)?;
            let [byte, half, r] = at::<3, 3, B_>(b, row, [B, HALF, R]);
            let ones =
                int::<3, B_>((1 << 32) - (1 << 8)) - wide.scale(B_::embed(integer((1 << 16) - (1 << 8))));
            b.claim(byte + wide * (half - byte) + negative * ones - r)
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, rs1, immediate, wide, signed, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            let access = work.memory(row, V, FOUND);
            let address = i64::from(work.x) + immediate;
            row.put(K, wrap(address, work.read_only(&access)));
            let [_, byte] = PART.put(row, access.old, address & 3, address & 1 == 1 || wide == 1);
            row.put(NEGATIVE, signed & byte >> 7);
            row.put(R, work.result);
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, Given, n, part};
        use super::*;

        #[test]
        fn each_check_of_a_load_of_a_part_is_needed() {
            let row = |wide: i64, word: u32, result: u32| {
                let given = Given::new([7, 5, 0, wide, 0, 0, 0], [8, 0, result]);
                given.with_access(8, [word, word]).row::<LoadPart>()
            };
            let (zero, half) = (row(0, 0, 0), row(1, 0, 0));
            let mut alone = Alone::<LoadPart>::new();
            alone.honest(&zero);
            // From another address: of a halfword, where all bytes are equal.
            alone.lie(&half, &[(ODD, n(1))]);
            alone.lie(&zero, &[(ODD, n(2))]);
            alone.lie(&zero, &[(UPPER, n(2))]);
            // Another half, another byte.
            alone.lie(&zero, &[(HALF, n(1)), (B, n(1)), (R, n(1))]);
            alone.lie(&zero, &[(B, n(1)), (R, n(1))]);
            // The lower half is out of range, so the upper one is another; a byte is, and the other with it.
            alone.lie(&zero, &[(LOW, n(-1 << 16)), (UPPER, n(1)), (HALF, n(1)), (B, n(1)), (R, n(1))]);
            alone.lie(&row(0, 1, 1), &[(B, n(-1)), (OTHER, part(1, 8)), (R, n(-1))]);
            alone.lie(&row(0, 0x100, 0), &[(B, n(256)), (OTHER, n(-1)), (R, n(256))]);
            alone.done([7, 10], &[]);
        }
    }
}
