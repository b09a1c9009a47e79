//! RISC-V programs: what is read, what it means, and running it.
//!
//! Somebody writes a program in C or Rust and compiles it with an ordinary compiler. This crate reads the ELF
//! file and runs the program on a secret and a public input. Every step can be observed: a proof that the
//! program ran so takes its columns from there.
//!
//! | module | what is there |
//! |---|---|
//! | [`elf`] | files: [`elf::parse`] refuses what cannot be run, and says how to build it |
//! | [`program`] | [`Program`]: segments, entry, decoded text; where the stack lies; the digest |
//! | [`instruction`] | [`Instruction`]: RV32IM, decoded, encoded and printed from one table |
//! | [`emulator`] | [`Machine`]: runs a program, to an [`End`]; environment calls, traps, limits |
//! | [`observer`] | [`Observer`]: sees every [`Step`]; [`Counts`] is one |
//! | [`proof`] | the statement that a program ran as claimed |
//!
//! # The machine
//!
//! RV32IM in user mode, little-endian. Text is read-only, loads from it work, and nothing else executes.
//! `fence` does nothing. Memory that nobody wrote reads as zero. What the machine refuses is a *trap*, which
//! ends the run with a status of its own: a misaligned access or jump, an access outside of the segments, a
//! store to what is read-only, an illegal word, `ebreak`.
//!
//! Environment calls have the numbers and registers of Linux, so that the same file runs under
//! `qemu-riscv32`: see [`emulator`].
//!
//! ```
//! use volery_machine::instruction::Operation::{Addi, Ecall};
//! use volery_machine::{End, Instruction, Kind, Limits, Machine, Program, Segment};
//!
//! // li a0, 7; li a7, 93; ecall
//! let code = [(Addi, 10, 7), (Addi, 17, 93), (Ecall, 0, 0)];
//! let code = code.map(|(operation, rd, value)| Instruction::new(operation, rd, 0, 0, value).expect("legal"));
//! let bytes: Vec<u8> = code.iter().flat_map(|instruction| instruction.encode().to_le_bytes()).collect();
//! let text = Segment { address: 0x1_0000, size: 12, bytes, kind: Kind::Text };
//! let program = Program::new(0x1_0000, vec![text])?;
//!
//! let mut machine = Machine::new(&program, b"secret input", b"public input", Limits::default());
//! assert_eq!(machine.run(&mut ())?, End::Exit(7));
//! assert_eq!(machine.steps(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod elf;
pub mod emulator;
#[doc(hidden)]
pub mod fuzz;
pub mod instruction;
mod memory;
pub mod observer;
pub mod program;
pub mod proof;
mod symbols;

pub use emulator::{Cause, End, Limits, Machine};
pub use instruction::{Class, Instruction, Operation};
pub use observer::{Access, Call, Counts, Observer, Step};
pub use program::{Kind, Program, Segment};
