//! The public tables by which words of a secret program are decoded.
//!
//! [`Public::Decode`](crate::proof::public::Public::Decode) has a row for each legal `(opcode, funct3,
//! funct7)`, also where an instruction has other things in the place of funct3 and funct7:
//!
//! ```text
//! (key, format, opcode, funct3, funct7 / 8, sign, kind, three flags)
//! key = opcode + 2^7 funct3 + 2^10 funct7          sign = the word's highest bit, that of funct7
//! ```
//!
//! Flags are those of the kind's fields, in their order. `ebreak` and illegal words have no row; two rows
//! with the key 0 are for words that do not execute.
//!
//! [`Public::Register`](crate::proof::public::Public::Register) has three families of rows for the numbers
//! `n` of registers: `(0, n, lowest bit, destination)` of one that is written, where 0 becomes the sink; `(1,
//! n, lowest bit, 0)`; and `(2, n, 0, 0)` where only the range counts. The family comes first, so that a
//! number of 32 or more in one is no row of another.

use std::sync::LazyLock;

use super::super::kind::{Fields, Kind, SINK, fields_of_secret};
use super::super::public::Row;
use crate::{Instruction, Operation};

/// How the fields of a row follow from the pieces of its word. The number stands in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Format {
    /// A word that is only read.
    ReadOnly = 0,
    /// Three registers.
    Registers = 1,
    /// Two registers and an immediate of 12 bits.
    Immediate = 2,
    /// `slti`, `sltiu`, whose immediates are compared by their images.
    CompareImmediate = 3,
    /// `andi`, `ori`, `xori`, with the bytes of the immediate.
    LogicImmediate = 4,
    /// `slli`, `srli`, `srai`, with the power of two.
    ShiftImmediate = 5,
    Store = 6,
    Branch = 7,
    /// `jal`.
    Jump = 8,
    /// `lui`.
    Upper = 9,
    /// `auipc`.
    UpperOfPlace = 10,
    /// `fence`, whose registers are to be ignored.
    Fence = 11,
    /// `ecall`.
    Call = 12,
    /// A word that is read and written.
    Writable = 13,
}

/// The number of formats.
pub(super) const FORMATS: usize = 14;

/// The kind of rows that are never carried out.
pub(super) const NO_KIND: i64 = -1;

/// The format of an operation that does not end the run.
fn format(operation: Operation, kind: Kind) -> Format {
    match kind {
        Kind::Add | Kind::Compare | Kind::Logic | Kind::Shift | Kind::Multiply | Kind::Divide => {
            Format::Registers
        }
        Kind::AddImmediate | Kind::LoadWord | Kind::LoadPart | Kind::JumpRegister => Format::Immediate,
        Kind::CompareImmediate => Format::CompareImmediate,
        Kind::LogicImmediate => Format::LogicImmediate,
        Kind::ShiftImmediate => Format::ShiftImmediate,
        Kind::StoreWord | Kind::StorePart => Format::Store,
        Kind::BranchEqual | Kind::BranchLess => Format::Branch,
        Kind::Jump => Format::Jump,
        Kind::Upper => match operation {
            Operation::Lui => Format::Upper,
            Operation::Auipc => Format::UpperOfPlace,
            _ => Format::Fence,
        },
        Kind::Call | Kind::TakeSecret | Kind::TakePublic | Kind::PutJournal => Format::Call,
    }
}

/// The flags among the fields.
fn flags(format: Format, fields: Fields) -> [i64; 3] {
    let [_, _, second, third, fourth, fifth, _] = fields;
    match format {
        Format::LogicImmediate | Format::ShiftImmediate => [second, third, 0],
        _ => [third, fourth, fifth],
    }
}

/// What the table says of a word: the format, and the row's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) format: Format,
    pub(super) kind: i64,
    pub(super) flags: [i64; 3],
    pub(super) instruction: Option<(Kind, Fields)>,
}

impl Decoded {
    /// A word that does not execute.
    pub(super) fn of_data(writable: bool) -> Self {
        let format = if writable { Format::Writable } else { Format::ReadOnly };
        Self { format, kind: NO_KIND, flags: [0; 3], instruction: None }
    }

    /// The instruction of a word at a place; none if the word is illegal or ends the run.
    pub(super) fn of(word: u32, place: u32) -> Option<Self> {
        let i = Instruction::decode(word)?;
        let (kind, fields) = fields_of_secret(i, place)?;
        let format = format(i.operation(), kind);
        let flags = flags(format, fields);
        Some(Self { format, kind: kind as i64, flags, instruction: Some((kind, fields)) })
    }
}

/// A word's `[opcode, rd, funct3, rs1, rs2, lowest bits of funct7, rest of it]`.
pub(super) fn pieces(word: u32) -> [i64; 7] {
    [(0, 7), (7, 5), (12, 3), (15, 5), (20, 5), (25, 3), (28, 4)]
        .map(|(low, bits)| i64::from(word >> low & ((1 << bits) - 1)))
}

fn row(word: u32, decoded: Decoded) -> Row {
    let [opcode, _, funct3, _, _, low, high] = pieces(word);
    let Decoded { format, kind, flags: [first, second, third], .. } = decoded;
    let key = opcode + (funct3 << 7) + (low << 10) + (high << 13);
    [key, format as i64, opcode, funct3, high, high >> 3, kind, first, second, third]
}

/// The rows, by key and format.
static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let data = [false, true].map(|writable| row(0, Decoded::of_data(writable)));
    let words = (0..1_u32 << 15).map(|n| {
        // Opcodes end in 11.
        let (opcode, funct3, funct7) = (n & 31, n >> 5 & 7, n >> 8);
        opcode << 2 | 3 | funct3 << 12 | funct7 << 25
    });
    let code = words.filter_map(|word| Some(row(word, Decoded::of(word, 0)?)));
    let mut rows: Vec<Row> = data.into_iter().chain(code).collect();
    rows.sort_unstable_by_key(|[key, format, ..]| (*key, *format));
    rows
});

/// The rows of [`Public::Decode`](crate::proof::public::Public::Decode).
pub(in super::super) fn table() -> &'static [Row] {
    &TABLE
}

/// The number of the row with this key and format.
pub(in super::super) fn find(key: u64, format: u64) -> Option<usize> {
    let wanted = (i64::try_from(key).ok()?, i64::try_from(format).ok()?);
    table().binary_search_by_key(&wanted, |[key, format, ..]| (*key, *format)).ok()
}

/// The number of rows of [`Public::Register`](crate::proof::public::Public::Register).
pub(in super::super) const REGISTERS: usize = 96;

/// A row of that table.
pub(in super::super) fn register(index: usize) -> [i64; 4] {
    let (n, odd) = (index as i64 & 31, index as i64 & 1);
    match index / 32 {
        0 => [0, n, odd, if n == 0 { SINK } else { n }],
        1 => [1, n, odd, 0],
        _ => [2, n, 0, 0],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::instruction::Operation::{Ebreak, Ecall};

    #[test]
    fn each_legal_opcode_and_function_has_one_row() {
        let keys: Vec<_> = table().iter().map(|row| row[0]).collect();
        assert_eq!(keys[..2], [0, 0]);
        assert!(keys[1..].windows(2).all(|pair| pair[0] < pair[1]));
        // 21 that fix both; 13 with an immediate, 3 stores and 6 branches that fix funct3; lui, auipc, jal;
        // ecall; and the two for data.
        assert_eq!(table().len(), 21 + 22 * 128 + 3 * 8 * 128 + 1 + 2);
        for (index, row) in table().iter().enumerate() {
            assert_eq!(find(row[0] as u64, row[1] as u64), Some(index));
        }
        assert_eq!((find(0, 1), find(1, 0), find(u64::MAX, 0)), (None, None, None));
    }

    proptest! {
        #[test]
        fn a_row_says_what_a_legal_word_is(word: u32, which in 0..48_usize) {
            let like = Operation::all().nth(which).and_then(|o| Instruction::new(o, 0, 0, 0, 0));
            let like = like.map_or(Instruction::new(Ecall, 0, 0, 0, 0), Some).expect("legal").encode();
            for word in [word, word & !0x7f | like & 0x7f, word & !0x707f | like & 0x707f, like | word & 0x01ff_8f80] {
                let [opcode, rd, funct3, rs1, rs2, low, high] = pieces(word);
                let key = opcode | funct3 << 7 | low << 10 | high << 13;
                let rows: Vec<_> = table().iter().filter(|row| row[0] == key && row[6] != NO_KIND).collect();
                match Instruction::decode(word) {
                    Some(i) if i.operation() != Ebreak => {
                        prop_assert_eq!(rows.len(), 1);
                        let (kind, _) = fields_of_secret(i, 0).expect("a kind");
                        prop_assert_eq!(rows[0][6], kind as i64);
                        prop_assert_eq!(&rows[0][2..6], &[opcode, funct3, high, i64::from(word >> 31)]);
                    }
                    // `ecall` with registers.
                    _ => prop_assert!(rows.is_empty() || opcode == 0x73 && rd + rs1 + rs2 > 0, "{:08x}", word),
                }
            }
        }
    }
}
