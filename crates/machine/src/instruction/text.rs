//! Instructions as an assembler writes them.

use std::fmt;

use super::Instruction;
use super::table::{Class, Format, Operation};

/// The names of the calling convention.
const REGISTERS: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// The name of a register of an instruction, which is below 32.
fn register(number: u8) -> &'static str {
    REGISTERS[usize::from(number & 31)]
}

/// The devices and memories of one side of a `fence`: 4 bits.
fn ordered(bits: i32) -> String {
    let set = "iorw".chars().zip([8, 4, 2, 1]).filter(|(_, bit)| bits & bit != 0).map(|(name, _)| name);
    let set: String = set.collect();
    if set.is_empty() { "0".to_owned() } else { set }
}

/// As the GNU assembler and LLVM's read it. Targets of branches are relative to the instruction, as in `. +
/// 16`. The reserved fields of `fence` are not shown.
impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, immediate) = (self.operation.name(), self.immediate);
        let [rd, rs1, rs2] = [self.rd, self.rs1, self.rs2].map(register);
        let sign = if immediate < 0 { '-' } else { '+' };
        let distance = immediate.unsigned_abs();
        match (self.operation.encoding().format, self.class()) {
            (Format::Register, _) => write!(f, "{name} {rd}, {rs1}, {rs2}"),
            (Format::Immediate, Class::Load | Class::Jump) => write!(f, "{name} {rd}, {immediate}({rs1})"),
            (Format::Immediate, Class::System) => {
                write!(f, "{name} {}, {}", ordered(immediate >> 4), ordered(immediate))
            }
            (Format::Immediate | Format::Shift, _) => write!(f, "{name} {rd}, {rs1}, {immediate}"),
            (Format::Store, _) => write!(f, "{name} {rs2}, {immediate}({rs1})"),
            (Format::Branch, _) => write!(f, "{name} {rs1}, {rs2}, . {sign} {distance}"),
            (Format::Upper, _) => write!(f, "{name} {rd}, {:#x}", immediate as u32 >> 12),
            (Format::Jump, _) => write!(f, "{name} {rd}, . {sign} {distance}"),
            (Format::Fixed, _) => f.write_str(name),
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What an illegal word belongs to, as far as its first bits tell: for messages.
pub(crate) fn extension(word: u32) -> Option<&'static str> {
    if word == 0 {
        return Some("zeros, which are no instruction");
    }
    if word & 3 != 3 {
        return Some("a compressed instruction; compile with -march=rv32im");
    }
    Some(match (word & 0x7f, word >> 12 & 7) {
        (0x0f, 1) => "fence.i, which needs Zifencei; programs cannot change themselves",
        (0x73, 1..=3 | 5..=7) => "an access to a control register, which needs Zicsr",
        (0x73, 0) => "a privileged instruction",
        (0x2f, _) => "an atomic instruction; compile with -march=rv32im",
        (0x07 | 0x27 | 0x43 | 0x47 | 0x4b | 0x4f | 0x53, _) => {
            "an instruction of floating point; compile with -march=rv32im -mabi=ilp32"
        }
        _ => return None,
    })
}
