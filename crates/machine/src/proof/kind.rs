//! The kinds of rows: operations that share a table, and what the program says about each instruction.
//!
//! A kind is a class ([`crate::Class`]) or a part of one, where the parts need different columns: loads and
//! stores of words and of less, branches that compare for equality and for order, jumps to a fixed place and
//! to a register.

use crate::instruction::Operation as O;
use crate::{Instruction, Operation};

/// The register that takes what is written to `x0`. Nothing reads it.
pub(super) const SINK: i64 = 32;

/// A kind of rows. The number stands in the rows of [`Public::Code`](super::public::Public::Code).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Kind {
    Add,
    AddImmediate,
    Compare,
    CompareImmediate,
    Logic,
    LogicImmediate,
    Shift,
    ShiftImmediate,
    Multiply,
    Divide,
    LoadWord,
    LoadPart,
    StoreWord,
    StorePart,
    BranchEqual,
    BranchLess,
    Jump,
    JumpRegister,
    Upper,
    /// An environment call that does not end the run.
    Call,
    /// A byte of the secret input that a call moves to memory.
    TakeSecret,
    /// A byte of the public input that a call moves to memory.
    TakePublic,
    /// A byte that a call moves from memory to the journal.
    PutJournal,
}

impl Kind {
    pub(super) const ALL: [Self; 23] = [
        Self::Add,
        Self::AddImmediate,
        Self::Compare,
        Self::CompareImmediate,
        Self::Logic,
        Self::LogicImmediate,
        Self::Shift,
        Self::ShiftImmediate,
        Self::Multiply,
        Self::Divide,
        Self::LoadWord,
        Self::LoadPart,
        Self::StoreWord,
        Self::StorePart,
        Self::BranchEqual,
        Self::BranchLess,
        Self::Jump,
        Self::JumpRegister,
        Self::Upper,
        Self::Call,
        Self::TakeSecret,
        Self::TakePublic,
        Self::PutJournal,
    ];

    /// Its name in places and results.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::AddImmediate => "add_immediate",
            Self::Compare => "compare",
            Self::CompareImmediate => "compare_immediate",
            Self::Logic => "logic",
            Self::LogicImmediate => "logic_immediate",
            Self::Shift => "shift",
            Self::ShiftImmediate => "shift_immediate",
            Self::Multiply => "multiply",
            Self::Divide => "divide",
            Self::LoadWord => "load_word",
            Self::LoadPart => "load_part",
            Self::StoreWord => "store_word",
            Self::StorePart => "store_part",
            Self::BranchEqual => "branch_equal",
            Self::BranchLess => "branch_less",
            Self::Jump => "jump",
            Self::JumpRegister => "jump_register",
            Self::Upper => "upper",
            Self::Call => "call",
            Self::TakeSecret => "take_secret",
            Self::TakePublic => "take_public",
            Self::PutJournal => "put_journal",
        }
    }

    /// The kind of an operation; none if it ends the run.
    pub(super) fn of(operation: Operation) -> Option<Self> {
        Some(match operation {
            O::Add | O::Sub => Self::Add,
            O::Addi => Self::AddImmediate,
            O::Slt | O::Sltu => Self::Compare,
            O::Slti | O::Sltiu => Self::CompareImmediate,
            O::And | O::Or | O::Xor => Self::Logic,
            O::Andi | O::Ori | O::Xori => Self::LogicImmediate,
            O::Sll | O::Srl | O::Sra => Self::Shift,
            O::Slli | O::Srli | O::Srai => Self::ShiftImmediate,
            O::Mul | O::Mulh | O::Mulhsu | O::Mulhu => Self::Multiply,
            O::Div | O::Divu | O::Rem | O::Remu => Self::Divide,
            O::Lw => Self::LoadWord,
            O::Lb | O::Lh | O::Lbu | O::Lhu => Self::LoadPart,
            O::Sw => Self::StoreWord,
            O::Sb | O::Sh => Self::StorePart,
            O::Beq | O::Bne => Self::BranchEqual,
            O::Blt | O::Bge | O::Bltu | O::Bgeu => Self::BranchLess,
            O::Jal => Self::Jump,
            O::Jalr => Self::JumpRegister,
            O::Lui | O::Auipc | O::Fence => Self::Upper,
            O::Ecall => Self::Call,
            O::Ebreak => return None,
        })
    }

    /// The fields of filler rows: those of an instruction that computes with zeros, whose result is lost, and
    /// which leads to itself.
    pub(super) fn filler_fields(self) -> Fields {
        match self {
            Self::Add | Self::Compare => padded([SINK, 0, 0, 0]),
            Self::AddImmediate => padded([SINK, 0, 0]),
            Self::CompareImmediate => padded([SINK, 0, 0, 0]),
            // `and`.
            Self::Logic => padded([SINK, 0, 0, 0, 1]),
            Self::LogicImmediate => padded([SINK, 0, 0, 1, 0, 0, 0]),
            Self::Shift => padded([SINK, 0, 0, 0, 0]),
            Self::ShiftImmediate => padded([SINK, 0, 0, 0, 1]),
            Self::Multiply => padded([SINK, 0, 0, 0, 0, 0]),
            Self::Divide => padded([SINK, 0, 0, 0, 0]),
            Self::LoadWord => padded([SINK, 0, 0]),
            Self::LoadPart => padded([SINK, 0, 0, 0, 0]),
            Self::StoreWord => padded([0, 0, 0]),
            Self::StorePart => padded([0, 0, 0, 0]),
            Self::BranchEqual => padded([0, 0, 0, 0]),
            Self::BranchLess => padded([0, 0, 0, 0, 0]),
            Self::Jump => padded([SINK, 0]),
            // To the place of fillers, 1.
            Self::JumpRegister => padded([SINK, 0, 1]),
            Self::Upper => padded([SINK, 0]),
            Self::Call => padded([]),
            // No instruction has these kinds.
            Self::TakeSecret | Self::TakePublic | Self::PutJournal => padded([]),
        }
    }
}

/// An instruction's fields, followed by zeros.
pub(super) type Fields = [i64; 7];

fn padded<const N: usize>(fields: [i64; N]) -> Fields {
    core::array::from_fn(|i| fields.get(i).copied().unwrap_or(0))
}

/// The factors of the sum and of the bitwise `and` of the operands, in the result.
fn logic(operation: Operation) -> [i64; 2] {
    match operation {
        O::Or | O::Ori => [1, -1],
        O::Xor | O::Xori => [1, -2],
        _ => [0, 1],
    }
}

/// What the program says about the instruction at `place`: its kind and fields. `None` if it ends the run.
pub(super) fn fields(i: Instruction, place: u32) -> Option<(Kind, Fields)> {
    fields_at(i, place, i64::from(place.wrapping_add(i.immediate() as u32)) - i64::from(place))
}

/// What a secret program says about it. Distances do not wrap around the address space: what lies beyond is
/// no place, and nothing leads on from there.
pub(super) fn fields_of_secret(i: Instruction, place: u32) -> Option<(Kind, Fields)> {
    fields_at(i, place, i.immediate().into())
}

/// The fields, with the distance from the instruction to the one that a branch or a jump leads to.
fn fields_at(i: Instruction, place: u32, distance: i64) -> Option<(Kind, Fields)> {
    let operation = i.operation();
    let kind = Kind::of(operation)?;
    let rd = i.destination().map_or(SINK, i64::from);
    let (rs1, rs2) = (i64::from(i.rs1()), i64::from(i.rs2()));
    let immediate = i.immediate() as u32;
    let value = i64::from(immediate);
    let is = |operations: &[Operation]| i64::from(operations.contains(&operation));
    let fields = match kind {
        Kind::Add => padded([rd, rs1, rs2, is(&[O::Sub])]),
        Kind::AddImmediate | Kind::LoadWord | Kind::JumpRegister => padded([rd, rs1, value]),
        Kind::Compare => padded([rd, rs1, rs2, is(&[O::Slt])]),
        Kind::CompareImmediate => {
            let signed = is(&[O::Slti]);
            padded([rd, rs1, i64::from(immediate ^ (signed as u32) << 31), signed])
        }
        Kind::Logic => {
            let [sum, both] = logic(operation);
            padded([rd, rs1, rs2, sum, both])
        }
        Kind::LogicImmediate => {
            let [sum, both] = logic(operation);
            let [low, next, high, _] = immediate.to_le_bytes().map(i64::from);
            padded([rd, rs1, sum, both, low, next, high])
        }
        Kind::Shift => padded([rd, rs1, rs2, is(&[O::Srl, O::Sra]), is(&[O::Sra])]),
        Kind::ShiftImmediate => {
            let right = is(&[O::Srli, O::Srai]);
            let power = 1 << if right == 1 { 32 - value } else { value };
            padded([rd, rs1, right, is(&[O::Srai]), power])
        }
        Kind::Multiply => {
            let high = is(&[O::Mulh, O::Mulhsu, O::Mulhu]);
            padded([rd, rs1, rs2, high, is(&[O::Mulh, O::Mulhsu]), is(&[O::Mulh])])
        }
        Kind::Divide => padded([rd, rs1, rs2, is(&[O::Div, O::Rem]), is(&[O::Rem, O::Remu])]),
        Kind::LoadPart => padded([rd, rs1, value, is(&[O::Lh, O::Lhu]), is(&[O::Lb, O::Lh])]),
        Kind::StoreWord => padded([rs1, rs2, value]),
        Kind::StorePart => padded([rs1, rs2, value, is(&[O::Sh])]),
        // From the instruction behind.
        Kind::BranchEqual => padded([rs1, rs2, distance - 4, is(&[O::Bne])]),
        Kind::BranchLess => padded([rs1, rs2, distance - 4, is(&[O::Blt, O::Bge]), is(&[O::Bge, O::Bgeu])]),
        Kind::Jump => padded([rd, distance]),
        Kind::Upper => {
            let value = match operation {
                O::Lui => value,
                O::Auipc => i64::from(place.wrapping_add(immediate)),
                _ => 0,
            };
            padded([rd, value])
        }
        Kind::Call | Kind::TakeSecret | Kind::TakePublic | Kind::PutJournal => padded([]),
    };
    Some((kind, fields))
}
