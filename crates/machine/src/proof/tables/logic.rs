//! Bitwise operations: `R = SUM (X + Y) + BOTH A` with `A = X and Y`, byte by byte. `or` is `X + Y - A`,
//! `xor` is `X + Y - 2 A`. The upper bytes follow from the words and the lower ones.

use super::*;

/// The byte columns of a word, the highest of which is what is left.
fn bytes(word: Form, low: [usize; 3]) -> [Form; 4] {
    let [a, b, c] = low.map(column);
    let rest = word - a.clone() - b.clone() * (1 << 8) - c.clone() * (1 << 16);
    [a, b, c, rest.shifted_down(24)]
}

#[inline(always)]
fn put_bytes(row: &mut Row<'_>, columns: &[usize], word: u32) {
    columns.iter().zip(word.to_le_bytes()).for_each(|(column, byte)| row.put(*column, byte));
}

/// `and`, `or`, `xor`.
pub(in super::super) struct Logic;

mod registers {
    use super::*;
    columns!(RD RS1 RS2 SUM BOTH X XT XL Y YT YL OLD OT OL R X0 X1 X2 Y0 Y1 Y2 A0 A1 A2 A3);
    const FIELDS: [usize; 5] = [RD, RS1, RS2, SUM, BOTH];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const SECOND: Register = Register::second([RS2, Y, YT, YL]);
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);
    const A: [usize; 4] = [A0, A1, A2, A3];

    impl Table for Logic {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::Logic, &FIELDS);
            shape.step_on();
            shape.read(FIRST);
            shape.read(SECOND);
            shape.write(RESULT, column(R));
            let (x, y) = (bytes(column(X), [X0, X1, X2]), bytes(column(Y), [Y0, Y1, Y2]));
            for ((x, y), a) in x.into_iter().zip(y).zip(A) {
                shape.look_up(Public::And, [x, y, column(a)]);
            }
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            let [x, y, sum, both, r] = at::<3, 5, B>(b, row, [X, Y, SUM, BOTH, R]);
            let [a0, a1, a2, a3] = at::<3, 4, B>(b, row, A);
            let place = |a: B::Expression<3>, bits: u32| a.scale(B::embed(integer(1 << bits)));
            let a = a0 + place(a1, 8) + place(a2, 16) + place(a3, 24);
            b.claim(sum * (x + y) + both * a - r)
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, rs1, rs2, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            work.read(row, rs2, SECOND);
            row.put(R, work.result);
            put_bytes(row, &[X0, X1, X2], work.x);
            put_bytes(row, &[Y0, Y1, Y2], work.y);
            put_bytes(row, &A, work.x & work.y);
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, honest, n};
        use super::*;

        #[test]
        fn each_check_is_needed() {
            let row = honest::<Logic>([7, 5, 6, 0, 1, 0, 0], [0x0202_0304, 0x0202_0304, 0x0202_0304]);
            let mut alone = Alone::<Logic>::new();
            alone.honest(&row);
            for (i, a) in A.into_iter().enumerate() {
                alone.lie(&row, &[(a, n(1)), (R, n(1 << (8 * i)))]);
            }
            alone.done([1, 10], &[]);
        }
    }
}

/// `andi`, `ori`, `xori`. The program tells the bytes of the immediate; the two upper ones are equal.
pub(in super::super) struct LogicImmediate;

mod immediate {
    use super::*;
    columns!(RD RS1 SUM BOTH I0 I1 I2 X XT XL OLD OT OL R X0 X1 X2 A0 A1 A2 A3);
    const FIELDS: [usize; 7] = [RD, RS1, SUM, BOTH, I0, I1, I2];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);
    const A: [usize; 4] = [A0, A1, A2, A3];
    const I: [usize; 4] = [I0, I1, I2, I2];

    impl Table for LogicImmediate {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::LogicImmediate, &FIELDS);
            shape.step_on();
            shape.read(FIRST);
            shape.write(RESULT, column(R));
            for ((x, i), a) in bytes(column(X), [X0, X1, X2]).into_iter().zip(I).zip(A) {
                shape.look_up(Public::And, [x, column(i), column(a)]);
            }
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            let [x, sum, both, r] = at::<3, 4, B>(b, row, [X, SUM, BOTH, R]);
            let place = |a: B::Expression<3>, bits: usize| a.scale(B::embed(integer(1 << bits)));
            let word =
                |[a0, a1, a2, a3]: [B::Expression<3>; 4]| a0 + place(a1, 8) + place(a2, 16) + place(a3, 24);
            let (a, i) = (word(at(b, row, A)), word(at(b, row, I)));
            b.claim(sum * (x + i) + both * a - r)
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, rs1, _, _, i0, i1, i2] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            row.put(R, work.result);
            put_bytes(row, &[X0, X1, X2], work.x);
            let immediate = (i0 | i1 << 8 | i2 << 16 | i2 << 24) as u32;
            put_bytes(row, &A, work.x & immediate);
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, honest, n};
        use super::*;

        #[test]
        fn each_check_is_needed() {
            let row =
                honest::<LogicImmediate>([7, 5, 0, 1, 4, 3, 2], [0x0202_0304, 0x0202_0304, 0x0202_0304]);
            let mut alone = Alone::<LogicImmediate>::new();
            alone.honest(&row);
            for (i, a) in A.into_iter().enumerate() {
                alone.lie(&row, &[(a, n(1)), (R, n(1 << (8 * i)))]);
            }
            alone.done([1, 8], &[]);
        }
    }
}
