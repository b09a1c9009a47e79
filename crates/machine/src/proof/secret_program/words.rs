//! The words of a secret program: their columns, and that each is decoded as the manual says.

use volery_circuit::{Expression as _, Relate};
use volery_field::F61;

use super::super::form::{Shape, column, integer, number};
use super::super::kind::SINK;
use super::super::public::Public;
use super::super::tables::{at, bits, columns, int};
use super::decode::{Decoded, FORMATS, Format, pieces};

// The row that segments look up, then the word in pieces.
columns!(@ 0; KIND FIELD0 FIELD1 FIELD2 FIELD3 FIELD4 FIELD5 FIELD6
    WORD OPCODE RD FUNCT3 RS1 RS2 LOW7 HIGH7
    SIGN RD_ODD RS2_ODD RD_OR_SINK FLAG0 FLAG1 FLAG2 POWER X X_LOW CARRY
    REGISTERS IMMEDIATE COMPARE LOGIC SHIFT STORE BRANCH JUMP UPPER UPPER_OF_PLACE FENCE CALL WRITABLE);

/// The word itself, and whether it is writable memory.
pub(super) const MEMORY: [usize; 2] = [WORD, WRITABLE];

/// Bits of which one is 1, unless the word is only read: all formats but the first.
const FORMAT: [usize; FORMATS - 1] = [
    REGISTERS,
    IMMEDIATE,
    COMPARE,
    LOGIC,
    SHIFT,
    STORE,
    BRANCH,
    JUMP,
    UPPER,
    UPPER_OF_PLACE,
    FENCE,
    CALL,
    WRITABLE,
];

/// What each word looks up.
pub(super) fn shape() -> Shape {
    let mut shape = Shape::new(COLUMNS);
    let key =
        column(OPCODE) + column(FUNCT3) * (1 << 7) + column(LOW7) * (1 << 10) + column(HIGH7) * (1 << 13);
    let format = FORMAT.into_iter().zip(1..).fold(number(0), |sum, (bit, n)| sum + column(bit) * n);
    let rest = [OPCODE, FUNCT3, HIGH7, SIGN, KIND, FLAG0, FLAG1, FLAG2].map(column);
    shape.look_up(Public::Decode, [key, format].into_iter().chain(rest));
    shape.look_up(Public::Register, [number(0), column(RD), column(RD_ODD), column(RD_OR_SINK)]);
    shape.look_up(Public::Register, [number(1), column(RS2), column(RS2_ODD)]);
    shape.look_up(Public::Register, [number(2), column(RS1)]);
    shape.look_up(Public::Power, [RS2, FLAG0, POWER].map(column));
    shape.word(column(X), X_LOW);
    shape
}

/// An integer times an expression.
#[inline(always)]
fn times<B: Relate<F61>>(x: B::Expression<4>, n: i64) -> B::Expression<4> {
    x.scale(B::embed(integer(n)))
}

/// The relations of a word at a place.
pub(super) fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire], place: u32) -> Result<(), B::Error> {
    bits(b, row, FORMAT)?;
    bits(b, row, [CARRY])?;
    let (n, times) = (int::<4, B>, times::<B>);
    let format = at::<4, { FORMATS - 1 }, B>(b, row, FORMAT);
    let read_only = format.into_iter().fold(n(1), |rest, bit| rest - bit);
    b.claim(read_only * read_only - read_only)?;
    let [registers, immediate, compare, logic, shift, store, branch, ..] = format;
    let [.., jump, upper, upper_of_place, fence, call, writable] = format;
    let data = read_only + writable;

    let [word, opcode, rd, funct3, rs1, rs2, low7, high7] =
        at::<4, 8, B>(b, row, [WORD, OPCODE, RD, FUNCT3, RS1, RS2, LOW7, HIGH7]);
    let [sign, rd_odd, rs2_odd, rd_or_sink] = at::<4, 4, B>(b, row, [SIGN, RD_ODD, RS2_ODD, RD_OR_SINK]);
    let [flag0, flag1, flag2, power, x, carry] =
        at::<4, 6, B>(b, row, [FLAG0, FLAG1, FLAG2, POWER, X, CARRY]);
    let funct7 = low7 + times(high7, 8);
    let upper_half =
        times(funct3, 1 << 12) + times(rs1, 1 << 15) + times(rs2, 1 << 20) + times(funct7, 1 << 25);
    b.claim(opcode + times(rd, 1 << 7) + upper_half + data * x - word)?;
    b.claim((data + call) * (rd + rs1 + rs2))?;

    // Immediates. Those of instructions that compute are below 2^32.
    let seven = times(funct7, 1 << 5);
    let extended = times(sign, (1 << 32) - (1 << 12));
    let of_immediate = rs2 + seven + extended;
    let of_store = rd + seven + extended;
    let six = seven - times(sign, 1 << 11);
    let of_branch = rd - rd_odd + times(rd_odd, 1 << 11) + six - times(sign, 1 << 12);
    let of_jump = times(funct3, 1 << 12) + times(rs1, 1 << 15) + times(rs2_odd, 1 << 11) + rs2 - rs2_odd
        + six
        - times(sign, 1 << 20);
    let result = (upper + upper_of_place) * upper_half + times(upper_of_place, place.into());
    b.claim((n(1) - data) * (x + times(carry, 1 << 32) - result))?;

    let [field0, field1, field2, field3, field4, field5, field6] =
        at::<4, 7, B>(b, row, [FIELD0, FIELD1, FIELD2, FIELD3, FIELD4, FIELD5, FIELD6]);
    let bytes_or_power = logic + shift;
    let computes = registers + immediate + compare + bytes_or_power;
    let goes = store + branch;
    let destination = (computes + jump + upper + upper_of_place) * rd_or_sink + times(fence, SINK);
    b.claim(destination + goes * rs1 - field0)?;
    b.claim(computes * rs1 + goes * rs2 + jump * of_jump + (upper + upper_of_place) * x - field1)?;
    let image = of_immediate + flag0 * (n(1 << 31) - times(sign, 1 << 32));
    let third = registers * rs2
        + immediate * of_immediate
        + compare * image
        + store * of_store
        + branch * (of_branch - n(4))
        + bytes_or_power * flag0;
    b.claim(third - field2)?;
    b.claim(flag0 + bytes_or_power * (flag1 - flag0) - field3)?;
    let lowest = rs2 + times(low7, 1 << 5);
    b.claim(flag1 - bytes_or_power * flag1 + logic * lowest + shift * power - field4)?;
    b.claim(flag2 + logic * (high7 + times(sign, 0xf0)) - field5)?;
    b.claim(logic * times(sign, 0xff) - field6)
}

/// Writes the row of a word. What is not carried out is the word alone.
pub(super) fn fill(word: u32, place: u32, decoded: &Decoded, row: &mut [F61]) {
    let mut put = |column: usize, value: i64| {
        if let Some(to) = row.get_mut(column) {
            *to = integer(value);
        }
    };
    put(WORD, word.into());
    put(KIND, decoded.kind);
    if let Some(bit) = (decoded.format as usize).checked_sub(1).and_then(|format| FORMAT.get(format)) {
        put(*bit, 1);
    }
    let Some((_, fields)) = decoded.instruction else {
        put(RD_OR_SINK, SINK);
        put(POWER, 1);
        put(X, word.into());
        put(X_LOW, i64::from(word & 0xffff));
        return;
    };
    fields.into_iter().zip(FIELD0..).for_each(|(field, column)| put(column, field));
    let pieces @ [_, rd, _, _, rs2, ..] = pieces(word);
    pieces.into_iter().zip(OPCODE..).for_each(|(piece, column)| put(column, piece));
    decoded.flags.into_iter().zip(FLAG0..).for_each(|(flag, column)| put(column, flag));
    put(SIGN, i64::from(word >> 31));
    put(RD_ODD, rd & 1);
    put(RS2_ODD, rs2 & 1);
    put(RD_OR_SINK, if rd == 0 { SINK } else { rd });
    put(POWER, 1 << if decoded.flags[0] == 1 { 32 - rs2 } else { rs2 });
    let sum = match decoded.format {
        Format::Upper => i64::from(word & !0xfff),
        Format::UpperOfPlace => i64::from(word & !0xfff) + i64::from(place),
        _ => 0,
    };
    put(X, sum & 0xffff_ffff);
    put(X_LOW, sum & 0xffff);
    put(CARRY, sum >> 32);
}

#[cfg(test)]
mod tests;
