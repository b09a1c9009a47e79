//! How a run ends.

use std::fmt;

use crate::instruction::extension;

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The program called `exit` with this code.
    Exit(u32),
    /// The machine refused an instruction.
    Trap {
        /// Where the instruction is.
        pc: u32,
        /// Why it was refused.
        cause: Cause,
        /// What belongs to the cause: see [`Cause`]. It may tell something about the secret input.
        value: u32,
    },
}

/// Why the machine refuses an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A jump, or a branch that is taken, to an address that is no multiple of 4. The value is that address.
    MisalignedJump,
    /// The instruction would lie outside of text. The value is 0.
    FetchOutside,
    /// The word is no instruction of RV32IM. The value is the word.
    IllegalInstruction,
    /// `ebreak`. The value is 0.
    Breakpoint,
    /// A load from an address that is no multiple of what is loaded. The value is the address.
    MisalignedLoad,
    /// A load from an address outside of the segments and the stack. The value is the address. Environment
    /// calls read buffers, too: then it is the first such address of the buffer.
    LoadOutside,
    /// A store to an address that is no multiple of what is stored. The value is the address.
    MisalignedStore,
    /// A store to an address outside of the segments and the stack; the value is as for a load.
    StoreOutside,
    /// A store to text, or to another segment that is read-only; the value is as for a load.
    StoreReadOnly,
}

impl Cause {
    /// All causes, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::MisalignedJump,
        Self::FetchOutside,
        Self::IllegalInstruction,
        Self::Breakpoint,
        Self::MisalignedLoad,
        Self::LoadOutside,
        Self::MisalignedStore,
        Self::StoreOutside,
        Self::StoreReadOnly,
    ];

    /// Its name in results: lower case, words joined by `_`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MisalignedJump => "misaligned_jump",
            Self::FetchOutside => "fetch_outside",
            Self::IllegalInstruction => "illegal_instruction",
            Self::Breakpoint => "breakpoint",
            Self::MisalignedLoad => "misaligned_load",
            Self::LoadOutside => "load_outside",
            Self::MisalignedStore => "misaligned_store",
            Self::StoreOutside => "store_outside",
            Self::StoreReadOnly => "store_read_only",
        }
    }

    /// What happened, in words, with the value.
    #[must_use]
    pub fn explain(self, value: u32) -> String {
        match self {
            Self::MisalignedJump => format!("jump to {value:#010x}, which is no multiple of 4"),
            Self::FetchOutside => "there is no code".to_owned(),
            Self::IllegalInstruction => match extension(value) {
                Some(what) => format!("illegal instruction {value:#010x}: {what}"),
                None => format!("illegal instruction {value:#010x}"),
            },
            Self::Breakpoint => "breakpoint".to_owned(),
            Self::MisalignedLoad => format!("misaligned load from {value:#010x}"),
            Self::LoadOutside => format!("load from {value:#010x}, which is in no segment"),
            Self::MisalignedStore => format!("misaligned store to {value:#010x}"),
            Self::StoreOutside => format!("store to {value:#010x}, which is in no segment"),
            Self::StoreReadOnly => format!("store to {value:#010x}, which is read-only"),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit with code {code}"),
            Self::Trap { pc, cause, value } => write!(f, "a trap at {pc:#010x}: {}", cause.explain(*value)),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
