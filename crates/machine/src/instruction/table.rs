//! The table of operations: name, class, format and fixed bits of each.

use Class as C;
use Format as F;
use Operation as O;

/// What an instruction does. The variants are named as in the manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the manual's names")]
pub enum Operation {
    Add,
    Sub,
    Addi,
    Slt,
    Sltu,
    Slti,
    Sltiu,
    And,
    Or,
    Xor,
    Andi,
    Ori,
    Xori,
    Sll,
    Srl,
    Sra,
    Slli,
    Srli,
    Srai,
    Mul,
    Mulh,
    Mulhsu,
    Mulhu,
    Div,
    Divu,
    Rem,
    Remu,
    Lb,
    Lh,
    Lw,
    Lbu,
    Lhu,
    Sb,
    Sh,
    Sw,
    Beq,
    Bne,
    Blt,
    Bge,
    Bltu,
    Bgeu,
    Jal,
    Jalr,
    Lui,
    Auipc,
    Fence,
    Ecall,
    Ebreak,
}

/// Operations that a proof treats alike: each class has a table of its own. Forms with two registers and
/// forms with an immediate are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// `add`, `sub`.
    Add,
    /// `addi`.
    AddImmediate,
    /// `slt`, `sltu`.
    Compare,
    /// `slti`, `sltiu`.
    CompareImmediate,
    /// `and`, `or`, `xor`.
    Logic,
    /// `andi`, `ori`, `xori`.
    LogicImmediate,
    /// `sll`, `srl`, `sra`.
    Shift,
    /// `slli`, `srli`, `srai`.
    ShiftImmediate,
    /// `mul`, `mulh`, `mulhsu`, `mulhu`.
    Multiply,
    /// `div`, `divu`, `rem`, `remu`.
    Divide,
    /// `lb`, `lh`, `lw`, `lbu`, `lhu`.
    Load,
    /// `sb`, `sh`, `sw`.
    Store,
    /// `beq`, `bne`, `blt`, `bge`, `bltu`, `bgeu`.
    Branch,
    /// `jal`, `jalr`.
    Jump,
    /// `lui`, `auipc`: the result is a constant of the place in the program.
    Upper,
    /// `fence`, `ecall`, `ebreak`.
    System,
}

impl Class {
    /// All classes, in the order of their discriminants.
    pub const ALL: [Self; 16] = [
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
        Self::Load,
        Self::Store,
        Self::Branch,
        Self::Jump,
        Self::Upper,
        Self::System,
    ];

    /// Its name in results: lower case, words joined by `_`.
    #[must_use]
    pub fn name(self) -> &'static str {
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
            Self::Load => "load",
            Self::Store => "store",
            Self::Branch => "branch",
            Self::Jump => "jump",
            Self::Upper => "upper",
            Self::System => "system",
        }
    }
}

/// Where the operands lie in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// The manual's R: `rd`, `rs1`, `rs2`.
    Register,
    /// I: `rd`, `rs1` and 12 bits.
    Immediate,
    /// I for shifts: `rd`, `rs1` and 5 bits; the other 7 are fixed.
    Shift,
    /// S: `rs1`, `rs2` and 12 bits.
    Store,
    /// B: `rs1`, `rs2` and 12 bits, which count halfwords.
    Branch,
    /// U: `rd` and the upper 20 bits.
    Upper,
    /// J: `rd` and 20 bits, which count halfwords.
    Jump,
    /// All 32 bits are fixed.
    Fixed,
}

impl Format {
    /// The bits of a word that name the operation.
    fn fixed(self) -> u32 {
        match self {
            Self::Register | Self::Shift => 0xfe00_707f,
            Self::Immediate | Self::Store | Self::Branch => 0x0000_707f,
            Self::Upper | Self::Jump => 0x0000_007f,
            Self::Fixed => 0xffff_ffff,
        }
    }

    /// The immediate of a word.
    pub(super) fn immediate(self, word: u32) -> i32 {
        let signed = word as i32;
        let bits = |low: u32, count: u32| (word >> low & ((1 << count) - 1)) as i32;
        match self {
            Self::Register | Self::Fixed => 0,
            Self::Immediate => signed >> 20,
            Self::Shift => bits(20, 5),
            Self::Store => signed >> 25 << 5 | bits(7, 5),
            Self::Branch => signed >> 31 << 12 | bits(7, 1) << 11 | bits(25, 6) << 5 | bits(8, 4) << 1,
            Self::Upper => signed >> 12 << 12,
            Self::Jump => signed >> 31 << 20 | bits(12, 8) << 12 | bits(20, 1) << 11 | bits(21, 10) << 1,
        }
    }

    /// The bits of a word that hold this immediate. What does not fit is lost.
    pub(super) fn place(self, immediate: i32) -> u32 {
        let value = immediate as u32;
        let bits = |low: u32, count: u32| value >> low & ((1 << count) - 1);
        match self {
            Self::Register | Self::Fixed => 0,
            Self::Immediate => bits(0, 12) << 20,
            Self::Shift => bits(0, 5) << 20,
            Self::Store => bits(5, 7) << 25 | bits(0, 5) << 7,
            Self::Branch => bits(12, 1) << 31 | bits(5, 6) << 25 | bits(1, 4) << 8 | bits(11, 1) << 7,
            Self::Upper => bits(12, 20) << 12,
            Self::Jump => bits(20, 1) << 31 | bits(1, 10) << 21 | bits(11, 1) << 20 | bits(12, 8) << 12,
        }
    }
}

/// A row of the table.
pub(super) struct Encoding {
    pub(super) operation: Operation,
    /// The assembler's name.
    pub(super) name: &'static str,
    pub(super) class: Class,
    pub(super) format: Format,
    /// The fixed bits; all others are 0.
    pub(super) word: u32,
}

const fn row(operation: O, name: &'static str, class: C, format: F, word: u32) -> Encoding {
    Encoding { operation, name, class, format, word }
}

/// In the order of the discriminants of [`Operation`].
pub(super) const TABLE: [Encoding; 48] = [
    row(O::Add, "add", C::Add, F::Register, 0x0000_0033),
    row(O::Sub, "sub", C::Add, F::Register, 0x4000_0033),
    row(O::Addi, "addi", C::AddImmediate, F::Immediate, 0x0000_0013),
    row(O::Slt, "slt", C::Compare, F::Register, 0x0000_2033),
    row(O::Sltu, "sltu", C::Compare, F::Register, 0x0000_3033),
    row(O::Slti, "slti", C::CompareImmediate, F::Immediate, 0x0000_2013),
    row(O::Sltiu, "sltiu", C::CompareImmediate, F::Immediate, 0x0000_3013),
    row(O::And, "and", C::Logic, F::Register, 0x0000_7033),
    row(O::Or, "or", C::Logic, F::Register, 0x0000_6033),
    row(O::Xor, "xor", C::Logic, F::Register, 0x0000_4033),
    row(O::Andi, "andi", C::LogicImmediate, F::Immediate, 0x0000_7013),
    row(O::Ori, "ori", C::LogicImmediate, F::Immediate, 0x0000_6013),
    row(O::Xori, "xori", C::LogicImmediate, F::Immediate, 0x0000_4013),
    row(O::Sll, "sll", C::Shift, F::Register, 0x0000_1033),
    row(O::Srl, "srl", C::Shift, F::Register, 0x0000_5033),
    row(O::Sra, "sra", C::Shift, F::Register, 0x4000_5033),
    row(O::Slli, "slli", C::ShiftImmediate, F::Shift, 0x0000_1013),
    row(O::Srli, "srli", C::ShiftImmediate, F::Shift, 0x0000_5013),
    row(O::Srai, "srai", C::ShiftImmediate, F::Shift, 0x4000_5013),
    row(O::Mul, "mul", C::Multiply, F::Register, 0x0200_0033),
    row(O::Mulh, "mulh", C::Multiply, F::Register, 0x0200_1033),
    row(O::Mulhsu, "mulhsu", C::Multiply, F::Register, 0x0200_2033),
    row(O::Mulhu, "mulhu", C::Multiply, F::Register, 0x0200_3033),
    row(O::Div, "div", C::Divide, F::Register, 0x0200_4033),
    row(O::Divu, "divu", C::Divide, F::Register, 0x0200_5033),
    row(O::Rem, "rem", C::Divide, F::Register, 0x0200_6033),
    row(O::Remu, "remu", C::Divide, F::Register, 0x0200_7033),
    row(O::Lb, "lb", C::Load, F::Immediate, 0x0000_0003),
    row(O::Lh, "lh", C::Load, F::Immediate, 0x0000_1003),
    row(O::Lw, "lw", C::Load, F::Immediate, 0x0000_2003),
    row(O::Lbu, "lbu", C::Load, F::Immediate, 0x0000_4003),
    row(O::Lhu, "lhu", C::Load, F::Immediate, 0x0000_5003),
    row(O::Sb, "sb", C::Store, F::Store, 0x0000_0023),
    row(O::Sh, "sh", C::Store, F::Store, 0x0000_1023),
    row(O::Sw, "sw", C::Store, F::Store, 0x0000_2023),
    row(O::Beq, "beq", C::Branch, F::Branch, 0x0000_0063),
    row(O::Bne, "bne", C::Branch, F::Branch, 0x0000_1063),
    row(O::Blt, "blt", C::Branch, F::Branch, 0x0000_4063),
    row(O::Bge, "bge", C::Branch, F::Branch, 0x0000_5063),
    row(O::Bltu, "bltu", C::Branch, F::Branch, 0x0000_6063),
    row(O::Bgeu, "bgeu", C::Branch, F::Branch, 0x0000_7063),
    row(O::Jal, "jal", C::Jump, F::Jump, 0x0000_006f),
    row(O::Jalr, "jalr", C::Jump, F::Immediate, 0x0000_0067),
    row(O::Lui, "lui", C::Upper, F::Upper, 0x0000_0037),
    row(O::Auipc, "auipc", C::Upper, F::Upper, 0x0000_0017),
    row(O::Fence, "fence", C::System, F::Immediate, 0x0000_000f),
    row(O::Ecall, "ecall", C::System, F::Fixed, 0x0000_0073),
    row(O::Ebreak, "ebreak", C::System, F::Fixed, 0x0010_0073),
];

impl Operation {
    /// All operations.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.operation)
    }

    /// The operation of a word; `None` if the word is illegal.
    pub(super) fn of(word: u32) -> Option<Self> {
        TABLE.iter().find(|row| word & row.format.fixed() == row.word).map(|row| row.operation)
    }

    pub(super) fn encoding(self) -> &'static Encoding {
        &TABLE[self as usize]
    }

    /// The assembler's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.encoding().name
    }

    /// Its class.
    #[must_use]
    pub fn class(self) -> Class {
        self.encoding().class
    }
}
