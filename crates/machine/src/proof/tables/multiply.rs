//! Products of 32-bit words, and `mul`, `mulh`, `mulhsu`, `mulhu`.
//!
//! **A product of two words may be larger than the field**, so `x y = low + 2^32 high` would have false
//! solutions. One factor goes in limbs, `x = x_0 + 2^16 x_1`, and there are two steps, all of whose variables
//! are integers of 16 bits but `y` and the carries `c` and `high`, which are of 32:
//!
//! ```text
//! x_0 y     = r_0 + 2^16 c
//! x_1 y + c = r_1 + 2^16 high          low = r_0 + 2^16 r_1
//! ```
//!
//! Both sides are below 2^49, so they are equal as integers, and division by 2^16 has one result. `y` may be
//! as large as 2^32, for shifts.

use super::*;

/// The columns of a product: limbs of the first factor, of results and carries. `x_1` follows from `x_0`.
#[derive(Clone, Copy)]
pub(super) struct Product {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) x_low: usize,
    pub(super) r_low: usize,
    pub(super) carry: [usize; 2],
    pub(super) r_high: usize,
    pub(super) high: [usize; 2],
}

impl Shape {
    /// The ranges of a product, except that of the upper limb of the first factor.
    pub(super) fn product(&mut self, p: Product) {
        let [c0, c1] = p.carry;
        let [h0, h1] = p.high;
        [p.x_low, p.r_low, c0, c1, p.r_high, h0, h1].into_iter().for_each(|limb| self.short(column(limb)));
    }
}

impl Product {
    /// The upper limb of the first factor.
    pub(super) fn x_high(&self) -> Form {
        (column(self.x) - column(self.x_low)).shifted_down(16)
    }

    /// The relations. Returns the lower and the upper word.
    #[inline(always)]
    pub(super) fn claim<const N: usize, B: Relate<F61>>(
        &self,
        b: &mut B,
        row: &[B::Wire],
    ) -> Result<[B::Expression<N>; 2], B::Error> {
        let shift = B::embed(integer(1 << 16));
        let down = B::embed(integer(1 << 16).inverse_or_zero());
        let [x, y, x_low, r_low] = at::<3, 4, B>(b, row, [self.x, self.y, self.x_low, self.r_low]);
        let [c0, c1, r_high, h0] =
            at::<3, 4, B>(b, row, [self.carry[0], self.carry[1], self.r_high, self.high[0]]);
        let [h1] = at::<3, 1, B>(b, row, [self.high[1]]);
        let carry = c0 + c1.scale(shift);
        let high = h0 + h1.scale(shift);
        b.claim(x_low * y - r_low - carry.scale(shift))?;
        b.claim((x - x_low).scale(down) * y + carry - r_high - high.scale(shift))?;
        let word = |[low, high]: [B::Expression<N>; 2]| low + high.scale(shift);
        Ok([word(at(b, row, [self.r_low, self.r_high])), word(at(b, row, self.high))])
    }

    /// Writes the limbs. Returns the product.
    #[inline(always)]
    pub(super) fn put(&self, row: &mut Row<'_>, x: u32, y: u64) -> u64 {
        let limb = |n: u64, i: u32| (n >> (16 * i) & 0xffff) as i64;
        let (low, product) = (u64::from(x & 0xffff) * y, u64::from(x).wrapping_mul(y));
        row.put(self.x_low, limb(x.into(), 0));
        row.put(self.r_low, limb(low, 0));
        row.put(self.carry[0], limb(low, 1));
        row.put(self.carry[1], limb(low, 2));
        let rest = u64::from(x >> 16) * y + (low >> 16);
        row.put(self.r_high, limb(rest, 0));
        row.put(self.high[0], limb(rest, 1));
        row.put(self.high[1], limb(rest, 2));
        product
    }
}

/// The signed products have `high - XN Y - YN X + 2^32 K` as their upper word, where `XN` and `YN` are the
/// signs of operands that are taken as signed, and else 0. That is an integer between -2^33 and 2^32, and `R`
/// is below 2^32, so `K`, which is 0, 1 or 2, has one possible value.
pub(in super::super) struct Multiply;

columns!(RD RS1 RS2 HIGH XS YS X XT XL Y YT YL OLD OT OL X0 R0 C0 C1 R1 H0 H1 Y0 XN YN K R RL);
const FIELDS: [usize; 6] = [RD, RS1, RS2, HIGH, XS, YS];
const FIRST: Register = Register::first([RS1, X, XT, XL]);
const SECOND: Register = Register::second([RS2, Y, YT, YL]);
const RESULT: Register = Register::result([RD, OLD, OT, OL]);
const PRODUCT: Product =
    Product { x: X, y: Y, x_low: X0, r_low: R0, carry: [C0, C1], r_high: R1, high: [H0, H1] };

/// A limb that is the upper one of a word below 2^32 is shifted for the same reason as in comparisons: what
/// is looked up is its image, which has 16 bits if `negative` is the sign, or `signed` and it are 0.
pub(super) fn image(limb: Form, signed: Form, negative: usize) -> Form {
    limb + signed * (1 << 15) - column(negative) * (1 << 16)
}

impl Table for Multiply {
    const COLUMNS: usize = COLUMNS;

    fn shape() -> Shape {
        let mut shape = Shape::new(COLUMNS);
        shape.decode(Kind::Multiply, &FIELDS);
        shape.step_on();
        shape.read(FIRST);
        shape.read(SECOND);
        shape.product(PRODUCT);
        shape.short(image(PRODUCT.x_high(), column(XS), XN));
        shape.short(column(Y0));
        shape.short(image((column(Y) - column(Y0)).shifted_down(16), column(YS), YN));
        shape.word(column(R), RL);
        shape.write(RESULT, column(R));
        shape
    }

    #[inline(always)]
    fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
        bits(b, row, [XN, YN])?;
        let [low, high] = PRODUCT.claim::<4, B>(b, row)?;
        let [x, y, xn, yn, k] = at::<4, 5, B>(b, row, [X, Y, XN, YN, K]);
        let [upper, r] = at::<4, 2, B>(b, row, [HIGH, R]);
        b.claim(k * (k - int::<4, B>(1)) * (k - int::<4, B>(2)))?;
        let signed = high - xn * y - yn * x + k.scale(B::embed(integer(1 << 32)));
        b.claim(low + upper * (signed - low) - r)
    }

    #[inline(always)]
    fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
        let [rd, rs1, rs2, _, xs, ys, ..] = *work.fields;
        work.head(row, &FIELDS);
        work.read(row, rs1, FIRST);
        work.read(row, rs2, SECOND);
        let (x, y) = (i64::from(work.x), i64::from(work.y));
        let high = (PRODUCT.put(row, work.x, y as u64) >> 32) as i64;
        row.put_low(Y0, y);
        let (xn, yn) = (xs & x >> 31, ys & y >> 31);
        row.put(XN, xn);
        row.put(YN, yn);
        row.put(K, -((high - xn * y - yn * x) >> 32));
        row.put(R, work.result);
        row.put_low(RL, work.result.into());
        work.write(row, rd, RESULT);
    }
}

/// Lies about a product whose limbs may be one more, each against one check: the two relations, then limbs of
/// results and carries. The columns of the result change by so much for one more of the lower and of the
/// upper word.
#[cfg(test)]
pub(super) fn lies(p: Product, result: &[usize], [low, high]: [i64; 2]) -> Vec<Vec<(usize, F61)>> {
    let limb = integer(1 << 16).inverse_or_zero();
    let (one, back) = (F61::ONE, -integer(1 << 16));
    let [[c0, c1], [h0, h1]] = [p.carry, p.high];
    let with = |changes: &[(usize, F61)], result_by: i64| {
        let result = result.iter().map(|column| (*column, integer(result_by)));
        changes.iter().copied().chain(result).collect()
    };
    vec![
        with(&[(p.r_low, one)], low),
        with(&[(p.r_high, one)], low << 16),
        with(&[(p.r_low, back), (c0, one), (p.r_high, one)], 0),
        with(&[(c0, back), (c1, one)], 0),
        with(&[(c1, -limb), (c0, one)], 0),
        with(&[(p.r_high, back), (h0, one)], high - (low << 32)),
        with(&[(h0, back), (h1, one)], 0),
        with(&[(h1, -limb), (h0, one)], 0),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::rows::{Alone, FALSE, TRUE, honest, n, part, verdict, with};
    use super::*;

    #[test]
    fn each_check_of_a_product_is_needed() {
        let (x, y) = (5 << 16, 6 << 16);
        let row = row(1, [x as u32, y as u32, 30]);
        let mut alone = Alone::<Multiply>::new();
        alone.honest(&row);
        lies(PRODUCT, &[R, RL], [0, 1]).iter().for_each(|lie| alone.lie(&row, lie));
        // The lower limb of a factor is too large, and the upper one is less.
        alone.lie(&row, &[(X0, n(1 << 16)), (C1, n(6))]);
        // Signs that are no bits, and false ones.
        for (sign, other) in [(XN, y), (YN, x)] {
            let by = other >> 16;
            alone.lie(&row, &[(sign, part(-1, 16)), (R, n(by)), (RL, n(by))]);
            alone.lie(&row, &[(sign, n(1)), (K, n(1)), (R, n((1 << 32) - other))]);
        }
        // More than is due, by a correction that is no integer, by none, and beyond a word.
        alone.lie(&row, &[(K, part(1, 32)), (R, n(1)), (RL, n(1))]);
        alone.lie(&row, &[(R, n(1)), (RL, n(1))]);
        alone.lie(&row, &[(K, n(1)), (R, n(1 << 32))]);
        alone.done([6, 18], &[]);
    }

    /// The row of `mulhu`, or with signs of `mulh`.
    fn row(signed: i64, operands: [u32; 3]) -> Vec<F61> {
        honest::<Multiply>([7, 5, 6, 1, signed, signed, 0], operands)
    }

    /// A limb that is one more, made up for by the carry above it.
    #[test]
    fn a_product_that_is_right_in_the_field_only_is_out_of_range() {
        let honest = row(0, [u32::MAX, u32::MAX, u32::MAX - 1]);
        assert_eq!(verdict::<Multiply>(&honest), TRUE);
        let limb = integer(1 << 16).inverse_or_zero();
        let result = |row: &[F61]| row[H0] + row[H1] * integer(1 << 16);
        // r_0 + 1, so c - 2^-16, so high - 2^-32.
        let mut lie = with(
            &honest,
            [
                (R0, honest[R0] + F61::ONE),
                (C1, honest[C1] - limb * limb),
                (H1, honest[H1] - limb * limb * limb),
            ],
        );
        lie[R] = result(&lie);
        assert_eq!(verdict::<Multiply>(&lie), FALSE);
        // lo + 2^32 hi = x y + p: with hi one more, lo is off by p - 2^32.
        let mut lie = with(&honest, [(H0, honest[H0] + F61::ONE), (R1, honest[R1] - integer(1 << 16))]);
        lie[R] = result(&lie);
        lie[RL] = lie[H0];
        assert_eq!(verdict::<Multiply>(&lie), FALSE);
    }

    #[test]
    fn signs_and_the_correction_of_the_upper_word_have_one_value() {
        for (x, y) in [(u32::MAX, 5), (u32::MAX, 1 << 31), (1 << 31, 1 << 31), (5, 6), (0, u32::MAX)] {
            let right = ((i64::from(x as i32) * i64::from(y as i32)) >> 32) as u32;
            let honest = row(1, [x, y, right]);
            assert_eq!(verdict::<Multiply>(&honest), TRUE, "{x} {y}");
            for column in [XN, YN] {
                let flipped = with(&honest, [(column, F61::ONE - honest[column])]);
                assert!(verdict::<Multiply>(&flipped) != TRUE);
            }
            for k in [-1, 0, 1, 2, 3].map(integer).into_iter().filter(|k| *k != honest[K]) {
                let off = (k - honest[K]) * integer(1 << 32);
                let changed = with(&honest, [(K, k), (R, honest[R] + off)]);
                assert!(verdict::<Multiply>(&changed) != TRUE, "{x} {y}");
            }
        }
    }
}
