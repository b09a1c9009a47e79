//! Stores. The address is `X + IMMEDIATE - 2^32 C` for a bit `C`, less the byte's place in its word: a word
//! that can be written has its tuple there, for one choice of `C` only; what is read-only lies elsewhere (see
//! [`load`](super::load)).

use super::load::Part;
use super::*;

#[inline(always)]
fn carry(row: &mut Row<'_>, column: usize, address: i64) {
    row.put(column, address >> 32);
}

/// `sw`.
pub(in super::super) struct StoreWord;

mod word {
    use super::*;
    columns!(RS1 RS2 IMMEDIATE X XT XL Y YT YL C V VT VL);
    const FIELDS: [usize; 3] = [RS1, RS2, IMMEDIATE];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const SECOND: Register = Register::second([RS2, Y, YT, YL]);
    const FOUND: Found = Found { time: VT, low: VL };

    impl Table for StoreWord {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::StoreWord, &FIELDS);
            shape.step_on();
            shape.read(FIRST);
            shape.read(SECOND);
            let address = column(X) + column(IMMEDIATE) - column(C) * (1 << 32);
            shape.memory(address, [column(V), column(Y)], FOUND);
            shape
        }

        #[inline(always)]
        fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error> {
            bits(b, row, [C])
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rs1, rs2, immediate, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            work.read(row, rs2, SECOND);
            work.memory(row, V, FOUND);
            carry(row, C, i64::from(work.x) + immediate);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, Given};
        use super::*;

        #[test]
        fn each_check_of_a_store_is_needed() {
            let row = Given::new([5, 6, 0, 0, 0, 0, 0], [8, 9, 0]).with_access(8, [1, 9]).row::<StoreWord>();
            let mut alone = Alone::<StoreWord>::new();
            alone.honest(&row);
            alone.done([1, 6], &[]);
        }
    }
}

/// `sb`, `sh`: the half of the word that is written becomes `NEW`, and the word `W`.
///
/// ```text
/// Y = YL + 2^16 YH     YL = Y0 + 256 Y1
/// sb:   NEW = HALF + (Y0 - B) (1 + 255 ODD)          sh:   NEW = YL
/// W = V + (NEW - HALF) (1 + 65535 UPPER)
/// ```
pub(in super::super) struct StorePart;

mod part {
    use super::*;
    columns!(RS1 RS2 IMMEDIATE WIDE X XT XL Y YT YL C V VT VL
        ODD UPPER LOW HALF B OTHER Y_LOW Y0 NEW W);
    const FIELDS: [usize; 4] = [RS1, RS2, IMMEDIATE, WIDE];
    const FIRST: Register = Register::first([RS1, X, XT, XL]);
    const SECOND: Register = Register::second([RS2, Y, YT, YL]);
    const FOUND: Found = Found { time: VT, low: VL };
    const PART: Part = Part { word: V, odd: ODD, upper: UPPER, low: LOW, half: HALF, byte: B, other: OTHER };

    impl Table for StorePart {
        const COLUMNS: usize = COLUMNS;

        fn shape() -> Shape {
            let mut shape = Shape::new(COLUMNS);
            shape.decode(Kind::StorePart, &FIELDS);
            shape.step_on();
            shape.read(FIRST);
            shape.read(SECOND);
            let address = column(X) + column(IMMEDIATE) - column(C) * (1 << 32) - PART.place();
            shape.memory(address, [column(V), column(W)], FOUND);
            shape.part(PART);
            shape.byte(column(B));
            shape.word(column(Y), Y_LOW);
            shape.byte(column(Y0));
            shape.byte((column(Y_LOW) - column(Y0)).shifted_down(8));
            shape
        }

        #[inline(always)]
        fn claim<B_: Relate<F61>>(b: &mut B_, row: &[B_::Wire]) -> Result<(), B_::Error> {
            bits(b, row, [C])?;
            let [odd, wide, upper, half] = at::<3, 4, B_>(b, row, [ODD, WIDE, UPPER, HALF]);
            b.claim(odd * wide)?;
            PART.claim(b, row, odd)?;
            let [byte, y_low, y0, new] = at::<3, 4, B_>(b, row, [B, Y_LOW, Y0, NEW]);
            // Where `WIDE` is 1, `ODD` is 0, so what is taken back is what was added.
            let changed = y0 - byte;
            let place = int::<3, B_>(1) + odd.scale(B_::embed(integer(255)));
            b.claim(half + changed * place + wide * (y_low - half - changed) - new)?;
            let [v, w] = at::<3, 2, B_>(b, row, [V, W]);
            let place = int::<3, B_>(1) + upper.scale(B_::embed(integer(65535)));
            b.claim(v + (new - half) * place - w)
        }

        #[inline(always)]
        fn fill(work: &mut Work<'_>, row: &mut Row<'_>) {
            let [rs1, rs2, immediate, wide, ..] = *work.fields;
            work.head(row, &FIELDS);
            work.read(row, rs1, FIRST);
            work.read(row, rs2, SECOND);
            let access = work.memory(row, V, FOUND);
            let address = i64::from(work.x) + immediate;
            carry(row, C, address);
            let [half, byte] = PART.put(row, access.old, address & 3, address & 1 == 1);
            let y0 = i64::from(work.y & 0xff);
            row.put_low(Y_LOW, work.y.into());
            row.put(Y0, y0);
            let narrow = half + (y0 - byte) * (1 + 255 * (address & 1));
            row.put(NEW, if wide == 1 { i64::from(work.y & 0xffff) } else { narrow });
            row.put(W, access.new);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::rows::{Alone, Check, Given, n, part};
        use super::*;

        /// `Y_LOW` is made of two bytes, so it is below 2^16.
        #[test]
        fn each_check_of_a_store_of_a_part_is_needed() {
            let row = |wide: i64, y: u32, [old, new]: [u32; 2]| {
                let given = Given::new([5, 6, 0, wide, 0, 0, 0], [8, y, 0]);
                given.with_access(8, [old, new]).row::<StorePart>()
            };
            let (zero, half) = (row(0, 0, [0, 0]), row(1, 0, [0, 0]));
            let mut alone = Alone::<StorePart>::new();
            alone.honest(&zero);
            alone.lie(&half, &[(ODD, n(1))]);
            alone.lie(&zero, &[(ODD, n(2))]);
            alone.lie(&zero, &[(UPPER, n(2))]);
            // Another half, another byte, another new half.
            alone.lie(&zero, &[(HALF, n(1)), (B, n(1)), (W, n(-1))]);
            alone.lie(&zero, &[(B, n(1)), (NEW, n(-1)), (W, n(-1))]);
            alone.lie(&zero, &[(NEW, n(1)), (W, n(1))]);
            // Parts of the old word that are out of range.
            let upper = [(LOW, n(-1 << 16)), (UPPER, n(1)), (HALF, n(1)), (B, n(1)), (W, n(-1 << 16))];
            alone.lie(&zero, &upper);
            alone.lie(&zero, &[(V, n(1 << 32)), (W, n(1 << 32))]);
            alone.lie(&row(0, 0, [1, 0]), &[(B, n(-1)), (OTHER, part(1, 8)), (NEW, n(1)), (W, n(1))]);
            alone.lie(
                &row(0, 0, [0x100, 0x100]),
                &[(B, n(256)), (OTHER, n(-1)), (NEW, n(-256)), (W, n(-256))],
            );
            // Parts of what is stored.
            alone.lie(&row(0, 0x100, [0, 0]), &[(Y0, n(256)), (NEW, n(256)), (W, n(256))]);
            alone.lie(&row(0, 1, [0, 1]), &[(Y0, n(-1)), (NEW, n(-1)), (W, n(-1))]);
            alone.done([8, 14], &[Check::Lookup(10)]);
        }
    }
}
