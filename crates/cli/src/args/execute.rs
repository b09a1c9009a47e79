//! The options of `run`.

use std::path::PathBuf;

use clap::Args;

/// How to write and to compile a program.
pub(super) const NOTES: &str = "\
PROGRAMS
  A program is a static ELF file for RV32IM, as gcc, clang and rustc link them:
    riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -static ...
    cargo build --target riscv32im-unknown-none-elf
  It makes environment calls as under Linux, so qemu-riscv32 runs the same file:
    93  exit(code)
    63  read(0, ...) the secret input (--witness), read(3, ...) the public input (--public)
    64  write(1, ...) the journal, write(2, ...) messages for debugging
  Every other call fails with ENOSYS. The journal goes to standard output; all else goes to standard
  error. What a processor would refuse ends the program: a misaligned access, one outside of the
  program's memory, an illegal instruction.

EXIT CODES
  0  the program called exit(0)
  1  it exited with another code, or it was ended
  2  it is no such program, or it did not end within the limits";

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The program: a static ELF file for RV32IM
    pub(crate) program: PathBuf,
    /// The public input, which the program reads from file 3 [default: empty]
    #[arg(long, value_name = "FILE")]
    pub(crate) public: Option<PathBuf>,
    /// The secret input, which the program reads from file 0 [default: empty]; - reads standard input, so
    /// that it need not touch a disk
    #[arg(long, value_name = "FILE")]
    pub(crate) witness: Option<PathBuf>,
    /// End a program that takes more steps
    #[arg(long, value_name = "N", default_value_t = 1 << 32)]
    pub(crate) max_steps: u64,
    /// Print the result as a JSON object, with the journal in hexadecimal
    #[arg(long)]
    pub(crate) json: bool,
}
