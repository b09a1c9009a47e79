//! Comparisons.
//!
//! A signed number is compared by its image under `v -> v + 2^31`, modulo 2^32. That image is `v + 2^31
//! SIGNED - 2^32 N` for a bit `N`: it is below 2^32 for one value of `N` only. For `SIGNED = 0` that is 0,
//! otherwise the sign.

use super::*;

/// Columns of an operand: its value, the bit `N`, the lower limb of its image.
#[derive(Clone, Copy)]
pub(super) struct Ordered {
    pub(super) value: usize,
    pub(super) negative: usize,
    pub(super) low: usize,
}

impl Shape {
    /// The image of an operand, an integer below 2^32 if `negative` is a bit.
    pub(super) fn ordered(&mut self, operand: Ordered, signed: usize) -> Form {
        let image = column(operand.value) + column(signed) * (1 << 31) - column(operand.negative) * (1 << 32);
        self.word(image.clone(), operand.low);
        image
    }

    /// Whether the first is less, if `less` is a bit: the difference plus 2^32 if so is below 2^32.
    pub(super) fn less(&mut self, [x, y]: [Form; 2], less: usize, low: usize) {
        self.word(x - y + column(less) * (1 << 32), low);
    }
}

impl Ordered {
    /// Writes the columns of an operand. Returns its image.
    #[inline(always)]
    pub(super) fn put(&self, row: &mut Row<'_>, value: u32, signed: bool) -> i64 {
        let image = value ^ u32::from(signed) << 31;
        row.put(self.negative, signed && value >> 31 == 1);
        row.put_low(self.low, image.into());
        image.into()
    }
}

/// Writes whether the first is less.
#[inline(always)]
pub(super) fn put_order(row: &mut Row<'_>, [x, y]: [i64; 2], less: usize, low: usize) -> bool {
    row.put(less, x < y);
    row.put_low(low, x - y);
    x < y
}

/// `slt`, `sltu`.
pub(in super::super) struct Compare;

mod compare_registers {
    use super::*;
    columns!(RD RS1 RS2 SIGNED X XT XL Y YT YL OLD OT OL XN XB YN YB LESS DL);
    const FIELDS: [usize; 4] = [RD, RS1, RS2, SIGNED];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const SECOND: Register = Register::second([RS2, Y, YT, YL]);
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);
    const ORDER: [Ordered; 2] =
        [Ordered { value: X, negative: XN, low: XB }, Ordered { value: Y, negative: YN, low: YB }];

    impl Table for Compare {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::Compare, &FIELDS);
            shape.step_on();
            shape.read(FIRST);
            shape.read(SECOND);
            let [x, y] = ORDER.map(|operand| shape.ordered(operand, SIGNED));
            shape.less([x, y], LESS, DL);
            shape.write(RESULT, column(LESS));
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            bits(b, row, [XN, YN, LESS])
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, rs1, rs2, signed, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            work.read(row, rs2, SECOND);
            let x = ORDER[0].put(row, work.x, signed == 1);
            let y = ORDER[1].put(row, work.y, signed == 1);
            put_order(row, [x, y], LESS, DL);
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, honest, n, part};
        use super::*;

        #[test]
        fn each_check_of_a_comparison_is_needed() {
            let less = honest::<Compare>([7, 5, 6, 1, 0, 0, 0], [1, 2, 1]);
            let more = honest::<Compare>([7, 5, 6, 1, 0, 0, 0], [2, 1, 0]);
            let mut alone = Alone::<Compare>::new();
            alone.honest(&less);
            // One less, in place of another image, by bits that are none.
            let not_less = [(LESS, n(-1)), (DL, n(-0xffff))];
            alone.lie(&less, &[&[(XN, part(-1, 32)), (XB, n(1))][..], &not_less].concat());
            alone.lie(&less, &[&[(YN, part(1, 32)), (YB, n(-1))][..], &not_less].concat());
            alone.lie(&less, &[(LESS, part(-1, 32)), (DL, n(-1))]);
            // Another sign.
            alone.lie(&more, &[(XN, n(1)), (LESS, n(1))]);
            alone.lie(&less, &[(YN, n(1)), (LESS, n(-1))]);
            alone.done([3, 12], &[]);
        }
    }
}

/// `slti`, `sltiu`. The program tells the image of the immediate.
pub(in super::super) struct CompareImmediate;

mod compare_immediate {
    use super::*;
    columns!(RD RS1 IMMEDIATE SIGNED X XT XL OLD OT OL XN XB LESS DL);
    const FIELDS: [usize; 4] = [RD, RS1, IMMEDIATE, SIGNED];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);
    const ORDER: Ordered = Ordered { value: X, negative: XN, low: XB };

    impl Table for CompareImmediate {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::CompareImmediate, &FIELDS);
            shape.step_on();
            shape.read(FIRST);
            let x = shape.ordered(ORDER, SIGNED);
            shape.less([x, column(IMMEDIATE)], LESS, DL);
            shape.write(RESULT, column(LESS));
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            bits(b, row, [XN, LESS])
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, rs1, immediate, signed, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            let x = ORDER.put(row, work.x, signed == 1);
            put_order(row, [x, immediate], LESS, DL);
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, honest, n, part};
        use super::*;

        #[test]
        fn each_check_of_a_comparison_with_an_immediate_is_needed() {
            let row = |immediate: i64, operands: [u32; 3]| {
                honest::<CompareImmediate>([7, 5, immediate + (1 << 31), 1, 0, 0, 0], operands)
            };
            let (less, more) = (row(2, [1, 0, 1]), row(1, [2, 0, 0]));
            let mut alone = Alone::<CompareImmediate>::new();
            alone.honest(&less);
            alone.lie(&less, &[(XN, part(-1, 32)), (XB, n(1)), (LESS, n(-1)), (DL, n(-0xffff))]);
            alone.lie(&less, &[(LESS, part(-1, 32)), (DL, n(-1))]);
            alone.lie(&more, &[(XN, n(1)), (LESS, n(1))]);
            alone.done([2, 8], &[]);
        }
    }
}
