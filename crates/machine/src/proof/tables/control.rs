//! Branches, jumps, and results that the program itself tells.

use super::compare::{Ordered, put_order};
use super::*;

/// `beq`, `bne`: `EQUAL` is whether the operands are equal, `INVERSE` the inverse of their difference. `JUMP`
/// is the distance from the instruction behind, or 0.
pub(in super::super) struct BranchEqual;

mod branch_equal {
    use super::*;
    columns!(RS1 RS2 DISTANCE NOT X XT XL Y YT YL EQUAL INVERSE JUMP);
    const FIELDS: [usize; 4] = [RS1, RS2, DISTANCE, NOT];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const SECOND: Register = Register::second([RS2, Y, YT, YL]);

    impl Table for BranchEqual {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::BranchEqual, &FIELDS);
            shape.step(column(PC) + column(F) * 4 + column(JUMP));
            shape.read(FIRST);
            shape.read(SECOND);
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            let [x, y, equal, inverse] = at::<3, 4, B>(b, row, [X, Y, EQUAL, INVERSE]);
            b.claim((x - y) * equal)?;
            b.claim((x - y) * inverse + equal - int::<3, B>(1))?;
            jump(b, row, [EQUAL, NOT, DISTANCE, JUMP])
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rs1, rs2, distance, not, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            work.read(row, rs2, SECOND);
            let equal = work.x == work.y;
            row.put(EQUAL, equal);
            let difference = integer(i64::from(work.x) - i64::from(work.y));
            row.0[INVERSE] = difference.inverse_or_zero();
            row.put(JUMP, if equal == (not == 0) { distance } else { 0 });
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, honest, n};
        use super::*;

        #[test]
        fn each_check_of_a_branch_is_needed() {
            let row = honest::<BranchEqual>([5, 6, 8, 0, 0, 0, 0], [1, 2, 0]);
            let mut alone = Alone::<BranchEqual>::new();
            alone.honest(&row);
            alone.lie(&row, &[(EQUAL, n(1)), (INVERSE, n(1)), (JUMP, n(8))]);
            let equal = honest::<BranchEqual>([5, 6, 8, 0, 0, 0, 0], [1, 1, 0]);
            alone.lie(&equal, &[(EQUAL, n(-1)), (JUMP, n(-8))]);
            alone.done([3, 4], &[]);
        }
    }
}

/// `JUMP` is the distance if `holds` is not `not`, else 0. Both are bits.
#[inline(always)]
fn jump<B: Relate<F61>>(
    b: &mut B,
    row: &[B::Wire],
    [holds, not, distance, jump]: [usize; 4],
) -> Result<(), B::Error> {
    let [holds, not, distance, jump] = at::<4, 4, B>(b, row, [holds, not, distance, jump]);
    let both = holds * not;
    b.claim((holds + not - both - both) * distance - jump)
}

/// `blt`, `bge`, `bltu`, `bgeu`.
pub(in super::super) struct BranchLess;

mod branch_less {
    use super::*;
    columns!(RS1 RS2 DISTANCE SIGNED NOT X XT XL Y YT YL XN XB YN YB LESS DL JUMP);
    const FIELDS: [usize; 5] = [RS1, RS2, DISTANCE, SIGNED, NOT];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const SECOND: Register = Register::second([RS2, Y, YT, YL]);
    const ORDER: [Ordered; 2] =
        [Ordered { value: X, negative: XN, low: XB }, Ordered { value: Y, negative: YN, low: YB }];

    impl Table for BranchLess {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::BranchLess, &FIELDS);
            shape.step(column(PC) + column(F) * 4 + column(JUMP));
            shape.read(FIRST);
            shape.read(SECOND);
            let [x, y] = ORDER.map(|operand| shape.ordered(operand, SIGNED));
            shape.less([x, y], LESS, DL);
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            bits(b, row, [XN, YN, LESS])?;
            jump(b, row, [LESS, NOT, DISTANCE, JUMP])
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rs1, rs2, distance, signed, not, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            work.read(row, rs2, SECOND);
            let x = ORDER[0].put(row, work.x, signed == 1);
            let y = ORDER[1].put(row, work.y, signed == 1);
            let less = put_order(row, [x, y], LESS, DL);
            row.put(JUMP, if less == (not == 0) { distance } else { 0 });
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, honest, n, part};
        use super::*;

        /// As in comparisons.
        #[test]
        fn each_check_of_a_branch_by_order_is_needed() {
            let less = honest::<BranchLess>([5, 6, 8, 1, 0, 0, 0], [1, 2, 0]);
            let more = honest::<BranchLess>([5, 6, 8, 1, 0, 0, 0], [2, 1, 0]);
            let mut alone = Alone::<BranchLess>::new();
            alone.honest(&less);
            let not_less = [(LESS, n(-1)), (DL, n(-0xffff)), (JUMP, n(-8))];
            alone.lie(&less, &[&[(XN, part(-1, 32)), (XB, n(1))][..], &not_less].concat());
            alone.lie(&less, &[&[(YN, part(1, 32)), (YB, n(-1))][..], &not_less].concat());
            alone.lie(&less, &[(LESS, part(-1, 32)), (DL, n(-1)), (JUMP, part(-8, 32))]);
            alone.lie(&more, &[(XN, n(1)), (LESS, n(1)), (JUMP, n(8))]);
            alone.lie(&less, &[(YN, n(1)), (LESS, n(-1)), (JUMP, n(-8))]);
            alone.lie(&less, &[(LESS, n(-1)), (JUMP, n(-8))]);
            alone.done([4, 10], &[]);
        }
    }
}

/// `jal`.
pub(in super::super) struct Jump;

mod jump_on {
    use super::*;
    columns!(RD DISTANCE OLD OT OL);
    const FIELDS: [usize; 2] = [RD, DISTANCE];
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);

    impl Table for Jump {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::Jump, &FIELDS);
            shape.step(column(PC) + column(DISTANCE));
            shape.write(RESULT, column(PC) + column(F) * 4);
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(_b: &mut B, _row: &[B::Wire]) -> Result<(), B::Error> {
            Ok(())
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, honest};
        use super::*;

        #[test]
        fn each_check_of_a_jump_is_needed() {
            let mut alone = Alone::<Jump>::new();
            alone.honest(&honest::<Jump>([7, 8, 0, 0, 0, 0, 0], [0, 0, 0x1_0004]));
            alone.done([0, 2], &[]);
        }
    }
}

/// `jalr`: the next place is `X + IMMEDIATE - 2^32 C - ODD`. Other choices of the bits `C` and `ODD` than the
/// right ones lead to a place that is no multiple of 4 below 2^32, and no instruction is there. It may be the
/// place of filler rows, 1, from which a filler row would lead to 0 if its `ODD` were 1: so both bits are 0
/// there.
pub(in super::super) struct JumpRegister;

mod jump_register {
    use super::*;
    columns!(RD RS1 IMMEDIATE X XT XL OLD OT OL C ODD);
    const FIELDS: [usize; 3] = [RD, RS1, IMMEDIATE];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);

    impl Table for JumpRegister {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::JumpRegister, &FIELDS);
            shape.step(column(X) + column(IMMEDIATE) - column(C) * (1 << 32) - column(ODD));
            shape.read(FIRST);
            shape.write(RESULT, column(PC) + column(F) * 4);
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            bits(b, row, [C, ODD])?;
            let [f, c, odd] = at::<3, 3, B>(b, row, [F, C, ODD]);
            b.claim((c + odd) * (int::<3, B>(1) - f))
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, rs1, immediate, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            let target = i64::from(work.x) + immediate;
            row.put(C, target > i64::from(u32::MAX));
            row.put(ODD, work.f && target & 1 == 1);
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, honest, n};
        use super::*;

        #[test]
        fn each_check_of_a_jump_to_a_register_is_needed() {
            let row = honest::<JumpRegister>([7, 5, 8, 0, 0, 0, 0], [16, 0, 0x1_0004]);
            let mut alone = Alone::<JumpRegister>::new();
            alone.honest(&row);
            for bit in [C, ODD] {
                alone.lie(&row, &[(F, n(-1)), (bit, n(1))]);
            }
            alone.done([3, 4], &[]);
        }
    }
}

/// `lui`, `auipc`, `fence`: the program tells the value.
pub(in super::super) struct Upper;

mod upper {
    use super::*;
    columns!(RD VALUE OLD OT OL);
    const FIELDS: [usize; 2] = [RD, VALUE];
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);

    impl Table for Upper {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::Upper, &FIELDS);
            shape.step_on();
            shape.write(RESULT, column(VALUE));
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(_b: &mut B, _row: &[B::Wire]) -> Result<(), B::Error> {
            Ok(())
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, honest};
        use super::*;

        #[test]
        fn each_check_of_a_known_result_is_needed() {
            let mut alone = Alone::<Upper>::new();
            alone.honest(&honest::<Upper>([7, 9, 0, 0, 0, 0, 0], [0, 0, 9]));
            alone.done([0, 2], &[]);
        }
    }
}
