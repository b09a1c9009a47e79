//! Sums and differences.

use super::*;

/// `add`, `sub`: `R = X + (1 - 2 SUB) (Y - 2^32 C)`. `C` is a bit, so the right side is the sum or
/// difference, or off by 2^32; `R` is below 2^32, so it is the one that is.
pub(in super::super) struct Add;

mod add {
    use super::*;
    columns!(RD RS1 RS2 SUB X XT XL Y YT YL OLD OT OL R RL C);
    const FIELDS: [usize; 4] = [RD, RS1, RS2, SUB];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const SECOND: Register = Register::second([RS2, Y, YT, YL]);
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);

    impl Table for Add {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::Add, &FIELDS);
            shape.step_on();
            shape.read(FIRST);
            shape.read(SECOND);
            shape.write(RESULT, column(R));
            shape.word(column(R), RL);
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            bits(b, row, [C])?;
            let [x, y, sub, r, c] = at::<3, 5, B>(b, row, [X, Y, SUB, R, C]);
            let sign = int::<3, B>(1) - sub - sub;
            b.claim(x + sign * (y - c.scale(B::embed(integer(1 << 32)))) - r)
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, rs1, rs2, sub, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            work.read(row, rs2, SECOND);
            let carry = if sub == 1 { work.x < work.y } else { work.x.checked_add(work.y).is_none() };
            row.put(R, work.result);
            row.put_low(RL, work.result.into());
            row.put(C, carry);
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, FALSE, TRUE, honest, n, part, verdict, with};
        use super::*;

        #[test]
        fn each_check_of_a_sum_is_needed() {
            let row = honest::<Add>([7, 5, 6, 0, 0, 0, 0], [1, 2, 3]);
            let mut alone = Alone::<Add>::new();
            alone.honest(&row);
            // A carry that is no bit makes up for another result.
            alone.lie(&row, &[(R, n(1)), (RL, n(1)), (C, part(-1, 32))]);
            alone.lie(&row, &[(R, n(1)), (RL, n(1))]);
            alone.lie(&row, &[(C, n(1)), (R, n(-1 << 32))]);
            alone.done([2, 8], &[]);
        }

        #[test]
        fn a_carry_that_is_wrong_puts_the_result_out_of_range() {
            for (sub, x, y) in
                [(0, 1, 2), (0, u32::MAX, 1), (0, u32::MAX, u32::MAX), (1, 1, 2), (1, 2, 1), (1, 0, u32::MAX)]
            {
                let result = if sub == 1 { x.wrapping_sub(y) } else { x.wrapping_add(y) };
                let honest = honest::<Add>([7, 5, 6, sub, 0, 0, 0], [x, y, result]);
                assert_eq!(verdict::<Add>(&honest), TRUE);
                // The sum of the integers, or less 2^32.
                let flip = F61::ONE - honest[C] - honest[C];
                let off = flip * integer(1 << 32) * integer(if sub == 1 { 1 } else { -1 });
                let lie = with(&honest, [(C, honest[C] + flip), (R, honest[R] + off)]);
                assert_eq!(verdict::<Add>(&lie), FALSE, "{sub} {x} {y}");
            }
        }
    }
}

/// `addi`: the result is `X + IMMEDIATE - 2^32 C`.
pub(in super::super) struct AddImmediate;

mod add_immediate {
    use super::*;
    columns!(RD RS1 IMMEDIATE X XT XL OLD OT OL RL C);
    const FIELDS: [usize; 3] = [RD, RS1, IMMEDIATE];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);

    impl Table for AddImmediate {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::AddImmediate, &FIELDS);
            shape.step_on();
            shape.read(FIRST);
            let result = column(X) + column(IMMEDIATE) - column(C) * (1 << 32);
            shape.word(result.clone(), RL);
            shape.write(RESULT, result);
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            bits(b, row, [C])
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, rs1, immediate, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            row.put_low(RL, work.result.into());
            row.put(C, i64::from(work.x) + immediate > i64::from(u32::MAX));
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, honest, n, part};
        use super::*;

        #[test]
        fn each_check_of_a_sum_with_an_immediate_is_needed() {
            let row = honest::<AddImmediate>([7, 5, 2, 0, 0, 0, 0], [1, 1, 3]);
            let mut alone = Alone::<AddImmediate>::new();
            alone.honest(&row);
            alone.lie(&row, &[(C, part(-1, 32)), (RL, n(1))]);
            alone.done([1, 6], &[]);
        }
    }
}
