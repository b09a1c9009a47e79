//! Instructions of RV32IM: from a word to an operation with its operands, and back.
//!
//! One table ([`Operation`]'s encodings, in `table.rs`) says of each operation its name, its class, its
//! format and the bits that are fixed. Decoding, encoding and printing all read that table, so they cannot
//! differ.
//!
//! A word that the table does not have is illegal. That includes what other extensions define: compressed
//! instructions, atomics, floating point, control registers (Zicsr) and `fence.i` (Zifencei). All fields of
//! `fence` are kept, since the manual reserves most of them and tells a processor to ignore them.
//!
//! Reference: The RISC-V Instruction Set Manual, volume I, chapters "RV32I" and "M" and "Instruction Set
//! Listings".

mod table;
mod text;

pub use table::{Class, Operation};
pub(crate) use text::extension;

use table::Format;

/// A decoded instruction. Every value of this type encodes to a legal word, and decodes from that word alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    operation: Operation,
    rd: u8,
    rs1: u8,
    rs2: u8,
    immediate: i32,
}

impl Instruction {
    /// The instruction of these parts. A register or an immediate that the operation does not have must be 0.
    /// `None` if there is no such instruction: a register above 31, or an immediate that the format cannot
    /// hold.
    ///
    /// The immediate is what the processor computes with: sign-extended, for branches and `jal` the distance
    /// in bytes, for `lui` and `auipc` a multiple of 4096, for shifts 0 to 31.
    #[must_use]
    pub fn new(operation: Operation, rd: u8, rs1: u8, rs2: u8, immediate: i32) -> Option<Self> {
        let instruction = Self { operation, rd, rs1, rs2, immediate };
        // Whatever does not fit is lost on the way.
        (Self::decode(instruction.encode()) == Some(instruction)).then_some(instruction)
    }

    /// The instruction of this word; `None` if the word is illegal.
    #[must_use]
    pub fn decode(word: u32) -> Option<Self> {
        let operation = Operation::of(word)?;
        let format = operation.encoding().format;
        let field = |shift: u32| (word >> shift & 31) as u8;
        let (rd, rs1, rs2) = (field(7), field(15), field(20));
        let immediate = format.immediate(word);
        Some(match format {
            Format::Register => Self { operation, rd, rs1, rs2, immediate },
            Format::Immediate | Format::Shift => Self { operation, rd, rs1, rs2: 0, immediate },
            Format::Store | Format::Branch => Self { operation, rd: 0, rs1, rs2, immediate },
            Format::Upper | Format::Jump => Self { operation, rd, rs1: 0, rs2: 0, immediate },
            Format::Fixed => Self { operation, rd: 0, rs1: 0, rs2: 0, immediate },
        })
    }

    /// The word of this instruction.
    #[must_use]
    pub fn encode(self) -> u32 {
        let encoding = self.operation.encoding();
        let place = |register: u8, shift: u32| (u32::from(register) & 31) << shift;
        let registers = place(self.rd, 7) | place(self.rs1, 15) | place(self.rs2, 20);
        encoding.word | registers | encoding.format.place(self.immediate)
    }

    /// The operation.
    #[must_use]
    pub fn operation(self) -> Operation {
        self.operation
    }

    /// The class of the operation.
    #[must_use]
    pub fn class(self) -> Class {
        self.operation.class()
    }

    /// The field `rd`; 0 if the format has none. See [`Instruction::destination`].
    #[must_use]
    pub fn rd(self) -> u8 {
        self.rd
    }

    /// The field `rs1`; 0 if the format has none.
    #[must_use]
    pub fn rs1(self) -> u8 {
        self.rs1
    }

    /// The field `rs2`; 0 if the format has none.
    #[must_use]
    pub fn rs2(self) -> u8 {
        self.rs2
    }

    /// The immediate, as [`Instruction::new`] takes it; 0 if the format has none.
    #[must_use]
    pub fn immediate(self) -> i32 {
        self.immediate
    }

    /// The register that takes the result: none if it is `x0`, whose writes are lost, and none for `fence`,
    /// whose field `rd` is to be ignored. (`ecall` has no field; its result goes to `a0`.)
    #[must_use]
    pub fn destination(self) -> Option<u8> {
        (self.rd != 0 && self.operation != Operation::Fence).then_some(self.rd)
    }
}

/// The operation becomes `add`, the rest 0. An option around it is wiped entirely.
impl zeroize::Zeroize for Instruction {
    fn zeroize(&mut self) {
        let Self { operation, rd, rs1, rs2, immediate } = self;
        *operation = Operation::Add;
        [rd, rs1, rs2].into_iter().for_each(|register| register.zeroize());
        immediate.zeroize();
    }
}

#[cfg(test)]
mod tests;
