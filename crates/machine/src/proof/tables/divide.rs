//! `div`, `divu`, `rem`, `remu`.
//!
//! `AX` and `AY` are the operands without their signs, which are 0 unless the operation is signed (`XN` and
//! `YN`, as in [`compare`](super::compare)). Then, with a quotient `Q = Q0 + 2^16 Q1` in limbs,
//!
//! ```text
//! Q1 AY = M,  M below 2^16          Q0 AY + 2^16 M + D = AX          D below AY
//! ```
//!
//! Both sides are below 2^49, so they are equal as integers: with `Q` as one number, `Q AY + D` could be `AX
//! + p`. By zero (`Z`): then `Y` is 0, the last claim is `D` below 2^32 instead, so `D = AX`, and the
//! quotient is all ones. `Z` cannot be 0 if `Y` is, since nothing is below 0.
//!
//! The result is `V`, one of quotient and remainder, negated if `N`: `V + N (2^32 - 2 V) - 2^32 E`, where the
//! bit `E` is for the negative of zero. A quotient's `N` is whether the signs differ (`NQ`), unless the
//! divisor is zero; a remainder's is the sign of `X`. The overflow `-2^31 / -1` needs nothing: the quotient
//! is 2^31, not negated, and the remainder 0.

use super::compare::Ordered;
use super::*;

/// See the [module](self).
pub(in super::super) struct Divide;

columns!(RD RS1 RS2 SIGNED REM X XT XL Y YT YL OLD OT OL XN XB YN YB AX AY Q0 Q1 M D D0 B0 Z NQ N V E R RL);
const FIELDS: [usize; 5] = [RD, RS1, RS2, SIGNED, REM];
const FIRST: Register = Register::first([RS1, X, XT, XL]);
const SECOND: Register = Register::second([RS2, Y, YT, YL]);
const RESULT: Register = Register::result([RD, OLD, OT, OL]);
const ORDER: [Ordered; 2] =
    [Ordered { value: X, negative: XN, low: XB }, Ordered { value: Y, negative: YN, low: YB }];

impl Table for Divide {
    const COLUMNS: usize = COLUMNS;

    fn shape() -> Shape {
        let mut shape = Shape::new(COLUMNS);
        shape.decode(Kind::Divide, &FIELDS);
        shape.step_on();
        shape.read(FIRST);
        shape.read(SECOND);
        for operand in ORDER {
            shape.ordered(operand, SIGNED);
        }
        [Q0, Q1, M].into_iter().for_each(|limb| shape.short(column(limb)));
        shape.word(column(D), D0);
        shape.word(column(AY) + column(Z) * (1 << 32) - number(1) - column(D), B0);
        shape.word(column(R), RL);
        shape.write(RESULT, column(R));
        shape
    }

    #[inline(always)]
    fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
        bits(b, row, [XN, YN, Z, E])?;
        let word = B::embed(integer(1 << 32));
        let limb = B::embed(integer(1 << 16));
        let [x, xn, ax, y, yn] = at::<3, 5, B>(b, row, [X, XN, AX, Y, YN]);
        let [ay, q0, q1, m, d] = at::<3, 5, B>(b, row, [AY, Q0, Q1, M, D]);
        b.claim(x + xn * (int::<3, B>(1 << 32) - x - x) - ax)?;
        b.claim(y + yn * (int::<3, B>(1 << 32) - y - y) - ay)?;
        b.claim(q1 * ay - m)?;
        b.claim(q0 * ay + m.scale(limb) + d - ax)?;
        let [z, rem, nq, n, v] = at::<3, 5, B>(b, row, [Z, REM, NQ, N, V]);
        let q = q0 + q1.scale(limb);
        b.claim(z * y)?;
        b.claim(z * (q - int::<3, B>(u32::MAX.into())))?;
        b.claim(q + rem * (d - q) - v)?;
        b.claim(nq + rem * (xn - nq) - n)?;
        let [e, r] = at::<3, 2, B>(b, row, [E, R]);
        b.claim(v + n * (int::<3, B>(1 << 32) - v - v) - e.scale(word) - r)?;
        let [xn, yn, z, nq] = at::<4, 4, B>(b, row, [XN, YN, Z, NQ]);
        let both = xn * yn;
        b.claim((xn + yn - both - both) * (int::<4, B>(1) - z) - nq)
    }

    #[inline(always)]
    fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
        let [rd, rs1, rs2, signed, rem, ..] = *work.fields;
        work.head(row, &FIELDS);
        work.read(row, rs1, FIRST);
        work.read(row, rs2, SECOND);
        let signed = signed == 1;
        ORDER[0].put(row, work.x, signed);
        ORDER[1].put(row, work.y, signed);
        let size = |n: u32| if signed { (n as i32).unsigned_abs() } else { n };
        let negative = |n: u32| signed && n >> 31 == 1;
        let (ax, ay, xn) = (size(work.x), size(work.y), negative(work.x));
        let (q, d) = (ax.checked_div(ay).unwrap_or(u32::MAX), ax.checked_rem(ay).unwrap_or(ax));
        let zero = work.y == 0;
        let nq = !zero && xn != negative(work.y);
        let (v, n) = if rem == 1 { (d, xn) } else { (q, nq) };
        row.put(AX, ax);
        row.put(AY, ay);
        row.put_low(Q0, q.into());
        row.put(Q1, q >> 16);
        row.put(M, i64::from(q >> 16) * i64::from(ay));
        row.put(D, d);
        row.put_low(D0, d.into());
        row.put_low(B0, i64::from(ay) - 1 - i64::from(d));
        row.put(Z, zero);
        row.put(NQ, nq);
        row.put(N, n);
        row.put(V, v);
        row.put(E, n && v == 0);
        row.put(R, work.result);
        row.put_low(RL, work.result.into());
        work.write(row, rd, RESULT);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::{Alone, Check, FALSE, TRUE, honest, n, part, verdict, with};
    use super::*;

    fn row(signed: bool, rem: bool, operands: [u32; 3]) -> Vec<F61> {
        honest::<Divide>([7, 5, 6, signed.into(), rem.into(), 0, 0], operands)
    }

    fn f(n: i64) -> F61 {
        integer(n)
    }

    #[test]
    fn every_special_case_is_what_the_manual_says_and_nothing_else() {
        let (least, ones) = (1 << 31, u32::MAX);
        for (signed, rem, x, y, right, wrong) in [
            (true, false, least, ones, least, 0),
            (true, true, least, ones, 0, least),
            (true, false, 7, 0, ones, 0),
            (true, false, ones - 6, 0, ones, 1),
            (true, true, ones - 6, 0, ones - 6, 7),
            (false, false, 7, 0, ones, 7),
            (false, true, 7, 0, 7, 0),
            (false, false, 0, 0, ones, 0),
            (true, false, ones - 6, 2, ones - 2, ones - 3),
            (true, true, ones - 6, 2, ones, 1),
            (true, true, 7, ones - 1, 1, ones),
            (true, false, 1, ones - 1, 0, ones),
            (false, false, ones, 1, ones, 0),
        ] {
            let row = row(signed, rem, [x, y, right]);
            assert_eq!(verdict::<Divide>(&row), TRUE, "{x} {y}");
            let wrong = with(&row, [(R, f(wrong.into())), (RL, f(i64::from(wrong) & 0xffff))]);
            assert!(verdict::<Divide>(&wrong) != TRUE, "{x} {y}");
        }
    }

    /// What another quotient and remainder change.
    fn other(row: &[F61], [ax, ay, q, d]: [i64; 4]) -> Vec<(usize, F61)> {
        let rem = row[REM] == F61::ONE;
        let (q0, q1, v) = (q & 0xffff, q >> 16, if rem { d } else { q });
        let zero = row[Z] == F61::ONE;
        let below = if zero { u32::MAX.into() } else { ay - 1 } - d;
        let columns = [
            (AX, f(ax)),
            (AY, f(ay)),
            (Q0, f(q0)),
            (Q1, f(q1)),
            (M, f(q1) * f(ay)),
            (D, f(d)),
            (D0, f(d & 0xffff)),
            (B0, f(below & 0xffff)),
            (V, f(v)),
            (R, f(v)),
            (RL, f(v & 0xffff)),
        ];
        columns.into_iter().map(|(column, value)| (column, value - row[column])).collect()
    }

    /// That `Z Y` is 0 follows from the rest: `Z` asks for a quotient of ones, and `Q1 AY` below 2^16 for an
    /// `AY` of 0 or 1 then. With 1 the remainder is 0, and the last range is off by one.
    #[test]
    fn each_check_of_a_division_is_needed() {
        let quotient = row(false, false, [100, 7, 14]);
        let mut alone = Alone::<Divide>::new();
        alone.honest(&quotient);
        let mut lie = |row: &[F61], parts: &[&[(usize, F61)]]| alone.lie(row, &parts.concat());
        // Signs that are no bits: the operands change by integers.
        let zero = row(false, false, [100 << 15, 0, u32::MAX]);
        let ax = (101 << 15) - 32768 - 65536 + 100;
        lie(&zero, &[&[(XN, part(-1, 16))], &other(&zero, [ax, 0, u32::MAX.into(), ax])]);
        let remainder = row(false, true, [100, 100 << 15, 100]);
        let ay = (100 << 15) - 65536 + 100;
        let sign = [(YN, part(-1, 16)), (NQ, part(-1, 16))];
        lie(&remainder, &[&sign, &other(&remainder, [100, ay, 0, 100])]);
        lie(&zero, &[&[(Z, part(-1, 32)), (B0, n(-1))]]);
        lie(&quotient, &[&[(E, part(-1, 32)), (R, n(1)), (RL, n(1))]]);
        // False signs.
        let (ax, q) = ((1 << 32) - 100, ((1_i64 << 32) - 100) / 7);
        let negative =
            [(NQ, n(1)), (N, n(1)), (R, n((1 << 32) - 2 * q)), (RL, n((-q & 0xffff) - (q & 0xffff)))];
        lie(&quotient, &[&[(XN, n(1))], &other(&quotient, [ax, 7, q, ax % 7]), &negative]);
        let zeroed = [(NQ, n(1)), (N, n(1)), (E, n(1))];
        lie(&quotient, &[&[(YN, n(1))], &other(&quotient, [100, (1 << 32) - 7, 0, 100]), &zeroed]);
        // Other operands without their signs, another product with the upper limb, another remainder.
        lie(&quotient, &[&other(&quotient, [101, 7, 14, 3])]);
        lie(&quotient, &[&other(&quotient, [100, 8, 12, 4])]);
        let long = row(false, false, [70_000, 7, 10_000]);
        lie(&long, &[&[(M, n(1))], &other(&long, [70_000, 7, 637, 5])]);
        lie(&quotient, &[&other(&quotient, [100, 7, 14, 3])]);
        // By zero, another quotient.
        lie(&zero, &[&other(&zero, [100 << 15, 0, 5, 100 << 15])]);
        // The result and its sign.
        lie(&quotient, &[&[(V, n(1)), (R, n(1)), (RL, n(1))]]);
        lie(&quotient, &[&[(R, n(1)), (RL, n(1))]]);
        let minus = [(N, n(1)), (R, n((1 << 32) - 28)), (RL, n(0x1_0000 - 28))];
        lie(&quotient, &[&minus]);
        lie(&quotient, &[&[(NQ, n(1))], &minus]);
        lie(&quotient, &[&[(E, n(1)), (R, n(-1 << 32))]]);
        // Limbs of the quotient, and the product with the upper one.
        lie(&quotient, &[&[(Q0, n(-1 << 16)), (Q1, n(1)), (M, n(7))]]);
        let large = row(false, false, [100 << 16, 7 << 16, 14]);
        lie(&large, &[&[(Q1, part(1, 16)), (Q0, n(-1)), (M, n(7))]]);
        let small = row(false, false, [100, (1 << 31) + 1, 0]);
        lie(&small, &[&other(&small, [100, (1 << 31) + 1, (1 << 30) - 1, (1 << 30) + 100])]);
        // A remainder that is negative, and one that is as large as the divisor.
        lie(&quotient, &[&other(&quotient, [100, 7, 15, -5])]);
        lie(&quotient, &[&other(&quotient, [100, 7, 13, 9])]);
        alone.done([14, 19], &[Check::Relation(8)]);
    }

    /// `q d + r = 2^61 - 1 + n`.
    #[test]
    fn a_quotient_that_is_right_in_the_field_only_is_out_of_range() {
        let (d, q, r) = ((1_i64 << 31) + 1, (1_i64 << 30) - 1, (1_i64 << 30) + 100);
        assert!(f(q) * f(d) + f(r) == f(100));
        let honest = row(false, false, [100, d as u32, 0]);
        let lie = with(
            &honest,
            [
                (Q0, f(q & 0xffff)),
                (Q1, f(q >> 16)),
                (M, f(q >> 16) * f(d)),
                (D, f(r)),
                (D0, f(r & 0xffff)),
                (B0, f((d - 1 - r) & 0xffff)),
                (V, f(q)),
                (R, f(q)),
                (RL, f(q & 0xffff)),
            ],
        );
        assert_eq!(verdict::<Divide>(&lie), FALSE);
    }

    #[test]
    fn neither_a_remainder_as_large_as_the_divisor_nor_a_false_zero_passes() {
        let honest = row(false, false, [100, 7, 14]);
        assert_eq!(verdict::<Divide>(&honest), TRUE);
        let changes =
            [(Q0, f(13)), (D, f(9)), (D0, f(9)), (B0, f(0xfffd)), (V, f(13)), (R, f(13)), (RL, f(13))];
        assert_eq!(verdict::<Divide>(&with(&honest, changes)), FALSE);
        // A divisor that is not zero taken for zero, and zero taken for another.
        let ones = i64::from(u32::MAX);
        let zero = [(Z, f(1)), (Q0, f(0xffff)), (Q1, f(0xffff)), (V, f(ones)), (R, f(ones)), (RL, f(0xffff))];
        assert!(verdict::<Divide>(&with(&honest, zero)) != TRUE);
        let honest = row(false, false, [100, 0, u32::MAX]);
        let other = [(Z, f(0)), (Q0, f(5)), (Q1, f(0)), (V, f(5)), (R, f(5)), (RL, f(5))];
        assert_eq!(verdict::<Divide>(&with(&honest, other)), FALSE);
        // Not even a negative zero is another value than zero.
        let honest = row(true, false, [1, u32::MAX - 1, 0]);
        assert_eq!(verdict::<Divide>(&with(&honest, [(E, f(0)), (R, f(1 << 32))])), FALSE);
    }
}
