//! Shifts: products with a power of two ([`multiply`](super::multiply)). To the left by `s`, the result is
//! the lower word of `X 2^s`; to the right, the upper word of `X 2^(32-s)`. With the sign `N` of an
//! arithmetic shift the result is `N (2^32 - POWER)` more. All of it is below 2^32, since the upper word of
//! `X POWER` is below `POWER`.
//!
//! `X` and the lower limb tell the upper limb, and what is looked up is its image, which tells the sign.

use super::multiply::{Product, image};
use super::*;

#[inline(always)]
fn claim<B: Relate<F61>>(
    b: &mut B,
    row: &[B::Wire],
    product: Product,
    [right, negative, power, r]: [usize; 4],
) -> Result<(), B::Error> {
    bits(b, row, [negative])?;
    let [low, high] = product.claim::<3, B>(b, row)?;
    let [right, negative, power, r] = at::<3, 4, B>(b, row, [right, negative, power, r]);
    let ones = int::<3, B>(1 << 32) - power;
    b.claim(low + right * (high - low) + negative * ones - r)
}

/// `sll`, `srl`, `sra`: the amount is the lowest five bits of `Y`.
pub(in super::super) struct Shift;

mod registers {
    use super::*;
    columns!(RD RS1 RS2 RIGHT SIGNED X XT XL Y YT YL OLD OT OL AMOUNT REST POWER X0 R0 C0 C1 R1 H0 H1 N R);
    const FIELDS: [usize; 5] = [RD, RS1, RS2, RIGHT, SIGNED];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const SECOND: Register = Register::second([RS2, Y, YT, YL]);
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);
    const PRODUCT: Product =
        Product { x: X, y: POWER, x_low: X0, r_low: R0, carry: [C0, C1], r_high: R1, high: [H0, H1] };

    impl Table for Shift {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::Shift, &FIELDS);
            shape.step_on();
            shape.read(FIRST);
            shape.read(SECOND);
            shape.look_up(Public::Power, [AMOUNT, RIGHT, POWER].map(column));
            shape.word((column(Y) - column(AMOUNT)).shifted_down(5), REST);
            shape.product(PRODUCT);
            shape.short(image(PRODUCT.x_high(), column(SIGNED), N));
            shape.write(RESULT, column(R));
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            claim(b, row, PRODUCT, [RIGHT, N, POWER, R])
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, rs1, rs2, right, signed, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            work.read(row, rs2, SECOND);
            let amount = work.y & 31;
            let power = 1_u64 << if right == 1 { 32 - amount } else { amount };
            row.put(AMOUNT, amount);
            row.put_low(REST, i64::from(work.y >> 5));
            row.put(POWER, power as i64);
            PRODUCT.put(row, work.x, power);
            row.put(N, signed & i64::from(work.x >> 31));
            row.put(R, work.result);
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{honest, n};
        use super::super::tests::needed;
        use super::*;

        #[test]
        fn each_check_is_needed() {
            let left = honest::<Shift>([7, 5, 6, 0, 0, 0, 0], [5, 3, 40]);
            let right = honest::<Shift>([7, 5, 6, 1, 1, 0, 0], [5, 31, 0]);
            let mut alone = needed::<Shift>([&left, &right], PRODUCT, [N, R]);
            // Another power, and the product with that.
            alone.lie(&left, &[(POWER, n(1)), (R0, n(5)), (R, n(5))]);
            alone.done([4, 17], &[]);
        }
    }
}

/// `slli`, `srli`, `srai`: the program tells the power.
pub(in super::super) struct ShiftImmediate;

mod immediate {
    use super::*;
    columns!(RD RS1 RIGHT SIGNED POWER X XT XL OLD OT OL X0 R0 C0 C1 R1 H0 H1 N R);
    const FIELDS: [usize; 5] = [RD, RS1, RIGHT, SIGNED, POWER];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const RESULT: Register = Register::result([RD, OLD, OT, OL]);
    const PRODUCT: Product =
        Product { x: X, y: POWER, x_low: X0, r_low: R0, carry: [C0, C1], r_high: R1, high: [H0, H1] };

    impl Table for ShiftImmediate {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::ShiftImmediate, &FIELDS);
            shape.step_on();
            shape.read(FIRST);
            shape.product(PRODUCT);
            shape.short(image(PRODUCT.x_high(), column(SIGNED), N));
            shape.write(RESULT, column(R));
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            claim(b, row, PRODUCT, [RIGHT, N, POWER, R])
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rd, rs1, _, signed, power, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            PRODUCT.put(row, work.x, power as u64);
            row.put(N, signed & i64::from(work.x >> 31));
            row.put(R, work.result);
            work.write(row, rd, RESULT);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::honest;
        use super::super::tests::needed;
        use super::*;

        #[test]
        fn each_check_is_needed() {
            let left = honest::<ShiftImmediate>([7, 5, 0, 0, 8, 0, 0], [5, 3, 40]);
            let right = honest::<ShiftImmediate>([7, 5, 1, 1, 2, 0, 0], [5, 31, 0]);
            needed::<ShiftImmediate>([&left, &right], PRODUCT, [N, R]).done([4, 12], &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::multiply::lies;
    use super::super::rows::{Alone, FALSE, TRUE, honest, n, part, verdict, with};
    use super::*;

    /// What both tables check of `5 << 3` and of an arithmetic shift by 31 to the right.
    pub(super) fn needed<T: Table>(
        [left, right]: [&[F61]; 2],
        product: Product,
        [negative, result]: [usize; 2],
    ) -> Alone<T> {
        let mut alone = Alone::new();
        alone.honest(left);
        lies(product, &[result], [1, 0]).iter().for_each(|lie| alone.lie(left, lie));
        // The lower limb of the operand is too large, and the upper one is less.
        alone.lie(right, &[(product.x_low, n(1 << 16)), (product.carry[0], n(2))]);
        // A sign that is no bit, and a false one.
        let ones = n((1 << 32) - 8);
        alone.lie(left, &[(negative, part(-1, 16)), (result, part(-1, 16) * ones)]);
        alone.lie(left, &[(negative, n(1)), (result, ones)]);
        alone
    }

    /// The columns of `srai` from its first after the fields of registers on: see its list.
    const X0: usize = 14;

    /// `2^61 = 1`, so a shift by 31 could have a quotient of 2^30 for each that is right: limbs keep it away.
    #[test]
    fn a_shift_that_is_right_in_the_field_only_is_out_of_range() {
        for (right, signed, power, x, result) in
            [(0, 0, 1_i64 << 31, 5_u32, 1_u32 << 31), (1, 0, 2, 5, 0), (1, 1, 2, 1 << 31, u32::MAX)]
        {
            let fields = [7, 5, right, signed, power, 0, 0];
            let honest = honest::<ShiftImmediate>(fields, [x, 0, result]);
            assert_eq!(verdict::<ShiftImmediate>(&honest), TRUE);
            let limb = integer(1 << 16).inverse_or_zero();
            let (r0, c1, h1, n, r) = (X0 + 1, X0 + 3, X0 + 6, X0 + 7, X0 + 8);
            let (low, high) = (F61::ONE, -(limb * limb));
            let result = if right == 1 { high } else { low };
            let lie = with(
                &honest,
                [
                    (r0, honest[r0] + low),
                    (c1, honest[c1] - limb * limb),
                    (h1, honest[h1] - limb * limb * limb),
                    (r, honest[r] + result),
                ],
            );
            assert_eq!(verdict::<ShiftImmediate>(&lie), FALSE, "{right} {signed}");
            // Another sign.
            let flip = F61::ONE - honest[n] - honest[n];
            let ones = flip * (integer(1 << 32) - integer(power));
            let lie = with(&honest, [(n, honest[n] + flip), (r, honest[r] + ones)]);
            assert_eq!(verdict::<ShiftImmediate>(&lie), FALSE, "{right} {signed}");
        }
    }
}
